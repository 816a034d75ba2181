#!/bin/sh
# How many system calls a short command makes beyond an empty program's.
# COUNT, BARE and MAKE_RUN name the programs that count, do nothing, and make a
# run of a given size.
. "$(dirname "$0")/lib.sh"

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

# One of them is the heap's growth beyond what libc begins with, two are signals
# that are errors of a write instead.
status_of_a_run_of_50_nodes() {
	marked && beyond 28 "$PAWL" status r-1
}

other_runs_beside_it_cost_nothing() {
	marked && one=$("$COUNT" "$PAWL" status r-1) &&
		for i in 2 3 4 5 6 7 8 9; do
			cp -R .pawl/runs/r-1 ".pawl/runs/r-$i" || return 1
		done && same "$("$COUNT" "$PAWL" status r-1)" "$one"
}

"$COUNT" true >/dev/null 2>&1
if [ $? -eq 77 ]; then
	skip status_of_a_run_of_50_nodes "processes can't be traced"
	skip other_runs_beside_it_cost_nothing "processes can't be traced"
else
	t status_of_a_run_of_50_nodes
	t other_runs_beside_it_cost_nothing
fi
done_testing
