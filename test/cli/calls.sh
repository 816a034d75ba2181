#!/bin/sh
# How many system calls a short command makes beyond an empty program's.
# COUNT, BARE and MAKE_RUN name the programs that count, do nothing, and make a
# run of a given size.
. "$(dirname "$0")/handout.sh"

# beyond MAX CMD...: at most so many more than the empty program.
beyond() {
	max=$1
	shift
	own=$("$COUNT" "$BARE") && all=$("$COUNT" "$@") || return 1
	echo "$* makes $((all - own)) calls of its own"
	[ $((all - own)) -le "$max" ]
}

marked() {
	repo && pawl init && "$MAKE_RUN" .pawl r-1 50 25 0 0
}

# One of them is the heap's growth beyond what libc begins with.
status_of_a_run_of_50_nodes() {
	marked && beyond 27 "$PAWL" status r-1
}

other_runs_beside_it_cost_nothing() {
	marked && one=$("$COUNT" "$PAWL" status r-1) &&
		for i in 2 3 4 5 6 7 8 9; do
			cp -R .pawl/runs/r-1 ".pawl/runs/r-$i" || return 1
		done && same "$("$COUNT" "$PAWL" status r-1)" "$one"
}

# commits N VERB...: it writes so many lines to the journal, each in one write
# that is synced once.
commits() {
	n=$1
	shift
	same "$* $("$COUNT" -w events.jsonl "$PAWL" task "$@")" "$* $n $n"
}

# One write and one sync a line.  A verb has two lines only where an effect must
# come after the first (a start, a check), or is recorded when it is done.
one_write_and_one_sync_a_line() {
	coordinated && commits 1 dispatch A-1 --defer &&
		commits 1 recover attempt A-1@1 &&
		works A-1@1 a/done >../said && commits 1 sync && commits 0 sync &&
		commits 1 finding A-1 --class advisory --summary s &&
		commits 2 check A-1 && commits 0 check A-1 &&
		commits 1 integrate A-1 && commits 1 grade A-1 pass &&
		commits 1 amend R-3 --reason r --acceptance b &&
		commits 2 dispatch B-2 &&
		commits 1 cleanup register B-2@1 --kind session --target s &&
		commits 1 cleanup finish c3 &&
		commits 2 abandon B-2@1 --reason r &&
		commits 1 grade R-3 blocked --reason r &&
		commits 1 takeover --force --reason r &&
		commits 1 transfer && commits 1 claim &&
		commits 1 complete --outcome partial
}

"$COUNT" true >/dev/null 2>&1
if [ $? -eq 77 ]; then
	skip status_of_a_run_of_50_nodes "processes can't be traced"
	skip other_runs_beside_it_cost_nothing "processes can't be traced"
	skip one_write_and_one_sync_a_line "processes can't be traced"
else
	t status_of_a_run_of_50_nodes
	t other_runs_beside_it_cost_nothing
	t one_write_and_one_sync_a_line
fi
done_testing
