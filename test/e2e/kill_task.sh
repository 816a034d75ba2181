#!/bin/sh
# A coordinator whose every verb is killed at random moments and asked again
# under the same key comes to the end that it would have come to undisturbed,
# and each thing that it asked for was done once.
#
# PAWL_KILLS says how often each verb is killed (2), PAWL_KILL_SEED when,
# PAWL_ROUNDS how many runs there are (1).
# shellcheck disable=SC2154 # run, rundir and journal are handout.sh's
. "$(dirname "$0")/../cli/handout.sh"
unset PAWL_NOW PAWL_SEED
kills=${PAWL_KILLS:-2}
rounds=${PAWL_ROUNDS:-1}
seed=${PAWL_KILL_SEED:-$(date +%s)}
echo "# seed $seed"

# act STATUS VERB...: killed, and asked again until nobody kills it.
act() {
	want=$1 acts=$((acts + 1)) left=$kills
	shift
	case $1 in
	sync | resume) ;; # what they find is done once by itself
	*) set -- "$@" --key "k$acts" ;;
	esac
	while [ $left -gt 0 ]; do
		left=$((left - 1))
		"$PAWL" task "$@" >../cut 2>&1 &
		read -r delay <&9
		sleep "0.0$delay"
		kill -9 $! 2>/dev/null
		wait $!
		[ $? != 137 ] || echo >>../killed
	done
	status "$want" "$PAWL" task "$@"
}

# reported ATTEMPT [FILE]: its worker makes the file and hands in a result.
reported() {
	[ $# = 1 ] || echo x >"$(workspace "$1")/$2"
	reports "$@" >../said && act 0 sync && stood "$1" reported
}

landed() { act 0 check "$1" && act 0 integrate "$1" && act 0 grade "$1" pass; }

story() {
	coordinated && act 0 dispatch A-1 B-2 && reported A-1@1 a/wrong &&
		act 1 check A-1 && act 0 repair A-1 --hypothesis name &&
		act 0 dispatch A-1 && act 0 cleanup register A-1@2 \
		--kind temp_path --target "$PWD/../gone" &&
		reported A-1@2 a/done &&
		echo junk >"$rundir/outbox/B-2@1/report.json" &&
		act 0 quarantine B-2@1 \
			--candidate "$rundir/outbox/B-2@1/report.json" &&
		act 0 sync && act 0 check A-1 && act 0 cleanup finish c3 &&
		act 0 integrate A-1 && act 0 grade A-1 pass &&
		act 0 takeover --force --reason test --as next && PAWL_AS=next &&
		act 0 amend B-2 --reason wider --path b --path c &&
		act 0 dispatch B-2 --defer && act 0 abandon B-2@2 --reason no &&
		act 0 dispatch B-2 && reported B-2@3 b/done &&
		act 0 check B-2 && act 0 finding B-2 --id f --acceptance a \
		--class acceptance_violation --summary s --path b/done \
		--reproduction r --repair r --gap g &&
		act 0 audit-reject B-2@3 --finding f --hypothesis seen &&
		act 0 dispatch B-2 && reported B-2@4 b/more && landed B-2 &&
		amended && act 0 amend-decision --decision ../amended &&
		act 0 dispatch R-3 && reported R-3@1 && act 0 check R-3 &&
		act 0 grade R-3 pass && act 0 transfer --to last &&
		PAWL_AS=last && act 0 claim && act 0 resume &&
		act 0 complete "$run" --outcome pass
}

amended() {
	cp "$rundir/plan/process-decision.json" ../amended && jq -n '{mode: "graph",
		changed_evidence: ["file:a/f"], reason: "r", replacement_check:
		{command: "test -f b/f", oracle: "strong"}}' >../amendment &&
		pawl decision amend ../amended --amendment ../amendment >../said
}

# As often as it happens when nobody is killed.
once_each() {
	for pair in attempt_reserved=7 attempt_reported=5 attempt_rejected=2 \
		attempt_abandoned=1 result_quarantined=1 node_graded=3 \
		integrated=2 finding_recorded=1 contract_amended=1 \
		decision_amended=1 coordinator_taken_over=1 \
		coordinator_transferred=1 run_closed=1; do
		same "${pair%=*}=$(happened "${pair%=*}")" "$pair" || return 1
	done
	jq -r '.key // empty' "$journal" | sort | uniq -d >../twice &&
		same "$(cat ../twice)" ''
}

ended() {
	once_each && status 0 pawl verify "$run" && git fsck --no-progress &&
		same "$(pawl status "$run" --json |
			jq -r '[.result.nodes[].status] | unique[]')" PASSED &&
		same "$(git ls-tree -r --name-only "pawl/$run/main" |
			tr '\n' ' ')" 'a/done a/f a/wrong b/done b/f b/more one tasks.md ' &&
		same "$(git worktree list | wc -l)" 1 &&
		same "$(git status --porcelain)" '' && gone
}

a_verb_that_is_killed_and_asked_again_is_done_once() {
	acts=0 && awk -v seed="$seed" 'BEGIN { srand(seed)
		for (i = 0; i < 5000; i++) printf "%02d\n", rand() * 60 }' \
		>../delays && exec 9<../delays && story && ended &&
		[ -s ../killed ] && wc -l <../killed >>"$top/kills"
}

for _ in $(seq "$rounds"); do
	t a_verb_that_is_killed_and_asked_again_is_done_once
	seed=$((seed + 1))
done
awk '{ sum += $1 } END { print "# " sum " kills" }' "$top/kills"
done_testing
