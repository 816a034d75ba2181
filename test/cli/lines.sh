#!/bin/sh
# What each verb that changes a run costs its journal: one write and one sync a
# line, and what lies behind the projection is read once.  COUNT counts.
. "$(dirname "$0")/handout.sh"
unset PAWL_SEED # many runs, one home

# counted VERB [WORD...]: it works; what it did to events.jsonl is in $writes,
# $syncs and $bytes.
counted() {
	verb=$1
	shift
	# shellcheck disable=SC2086 # a verb may be two words
	"$COUNT" -w events.jsonl "$PAWL" task $verb "$@" >../counts &&
		read -r writes syncs bytes <../counts &&
		size=$(stat -c %s "$journal") && echo "$verb" >>"$top/counted" &&
		echo "$verb: $writes writes, $syncs syncs, $bytes bytes of $size"
}

# read_once: the journal, and its last bytes once a lock.  (Without a RUN that is
# named the first bytes of what is active are read, too.)
read_once() { [ "$bytes" -le $((size + 1024)) ]; }

# commits N VERB [WORD...]: it writes so many lines.  Two only where an effect
# must come after the first (a start, a check), or is recorded when it is done.
commits() {
	n=$1
	shift
	counted "$@" && same "$writes $syncs" "$n $n" && read_once
}

# again VERB [WORD...]: what was done stays done, and is on the disk.
again() { counted "$@" && [ "$writes" = 0 ] && [ "$syncs" -le 1 ] && read_once; }

# audits N VERB [WORD...]: it reads all of the run, as its purpose is.
audits() {
	n=$1
	shift
	counted "$@" && same "$writes $syncs" "$n $n"
}

quietly() { "$@" >../said 2>&1; }
fails() { "$@" >../said 2>&1 || [ $? = 1 ]; }

# torn N: all but the last N lines, as a crash before them leaves it.
torn() {
	head -n "-$1" "$journal" >../torn && cat ../torn >"$journal" &&
		rm -f "$rundir/state.json"
}

# checked NODE@N FILE: handed out, worked on, taken in.
handed_in() {
	quietly pawl task dispatch "${1%@*}" && quietly works "$1" "$2" &&
		quietly pawl task sync
}

# The one sync more is the empty file's.
from_start_to_end() {
	coordinated && first=$run && journal=tasks.md &&
		counted start tasks.md --driver host &&
		same "$writes $syncs" '1 2' && run=$(other_run "$first") && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && commits 2 claim "$run" && torn 1 &&
		commits 1 'recover driver' "$run" && audits 0 resume "$run" &&
		audits 1 resume "$run" --owner-pid $$ &&
		commits 1 transfer "$run" && commits 1 claim "$run" &&
		audits 1 takeover "$run" --as next --force --reason r &&
		PAWL_AS=next &&
		commits 1 dispatch "$run/A-1" --defer &&
		commits 1 'recover attempt' "$run/A-1@1" &&
		quietly works A-1@1 a/done && commits 1 sync "$run" &&
		commits 0 sync "$run" && commits 2 check "$run/A-1" &&
		again check "$run/A-1" && commits 1 integrate "$run/A-1" &&
		again integrate "$run/A-1" && commits 1 grade "$run/A-1" pass &&
		again grade "$run/A-1" pass &&
		commits 1 grade "$run/B-2" blocked --reason r &&
		commits 1 complete "$run" --outcome partial
}

what_is_not_right() {
	coordinated && handed_in A-1@1 a/wrong && fails pawl task check A-1 &&
		commits 1 repair "$run/A-1" --hypothesis one && handed_in A-1@2 a/done &&
		commits 1 amend "$run/R-3" --reason r --acceptance b &&
		commits 2 check "$run/A-1" && commits 1 finding "$run/A-1" --class advisory \
		--summary s && commits 1 finding "$run/A-1" \
		--class acceptance_violation --summary s --acceptance a \
		--path a/done --reproduction r --repair r --gap g &&
		commits 2 audit-reject "$run/A-1@2" --finding f2 --hypothesis two &&
		commits 1 decide "$run/A-1" --action regroup --note n &&
		handed_in A-1@3 a/more && fails pawl task check A-1 && torn 1 &&
		commits 1 'recover check' "$run/" && cp "$rundir/plan/process-decision.json" \
		../next.json && jq -n '{mode: "graph",
		changed_evidence: ["file:a/f"], reason: "r",
		replacement_check: {command: "true", oracle: "strong"}}' \
		>../amendment && quietly pawl decision amend ../next.json \
		--amendment ../amendment &&
		commits 1 amend-decision "$run" --decision ../next.json &&
		again amend-decision "$run" --decision ../next.json
}

what_attempts_have_beside_them() {
	coordinated && commits 2 dispatch "$run/A-1" && commits 2 dispatch "$run/B-2" &&
		echo junk >"$rundir/outbox/A-1@1/report.json" &&
		commits 1 quarantine "$run/A-1@1" --key k --candidate \
			"$rundir/outbox/A-1@1/report.json" &&
		quietly env -u PAWL_AS PAWL_ATTEMPT=B-2@1 \
			PAWL_OUTBOX="$rundir/outbox/B-2@1" "$PAWL" task ask \
			--question 'Which?' && commits 2 sync "$run" &&
		commits 1 answer "$run/q1" this && again answer "$run/q1" this &&
		mkdir "$top/c3" && for id in c3 c4; do
		commits 1 'cleanup register' "$run/B-2@1" --kind temp_path \
			--target "$top/$id" || return 1
	done && commits 1 'cleanup recover' "$run/c3" &&
		commits 1 'cleanup retain' "$run/c3" --reason r &&
		commits 1 'cleanup finish' "$run/c4" && again 'cleanup finish' "$run/c4" &&
		commits 2 abandon "$run/B-2@1" --reason r
}

delegations() {
	coordinated && quietly pawl task dispatch A-1 && for id in g1 g2; do
		echo "{\"attempt_id\":\"A-1@1\",\"purpose\":\"$id\",
			\"paths\":[\"a/$id\"]}" >../intent &&
			commits 1 'delegate request' "$run/A-1@1" --intent ../intent ||
			return 1
	done && commits 1 'delegate reject' "$run/g2" --reason r &&
		commits 1 'delegate approve' "$run/g1" &&
		commits 1 'delegate start' "$run/g1" --worker w && result g1 a/g1 |
		jq '.task_id = "A-1"' >"$rundir/outbox/g1/report.json" &&
		commits 1 'delegate report' "$run/g1" && again 'delegate report' "$run/g1" &&
		commits 1 'delegate release' "$run/g1" --reason r
}

a_ticked_box() {
	coordinated && sed 's/\[ \] A-1/[x] A-1/; s/a\/done/a\/f/' tasks.md \
		>ticked.md && git add . && git commit -qm ticked && first=$run &&
		quietly pawl task start ticked.md --driver host &&
		run=$(other_run "$first") && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && quietly pawl task claim "$run" &&
		commits 1 import-checked "$run/A-1" --import-id i
}

# The table of commands says which those are.
no_verb_is_left_out() {
	pawl help --json | jq -r '.result.commands[] | select(.mutates) | .name' |
		sed -n 's/^task //p' | sort -u >../all &&
		grep -qx dispatch ../all && sort -u "$top/counted" | diff ../all -
}

cases="from_start_to_end what_is_not_right what_attempts_have_beside_them
	delegations a_ticked_box no_verb_is_left_out"
"$COUNT" true >/dev/null 2>&1
cannot=$?
for name in $cases; do
	if [ $cannot -eq 77 ]; then
		skip "$name" "processes can't be traced"
	else
		t "$name"
	fi
done
done_testing
