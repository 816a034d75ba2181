#!/bin/sh
# Every verb that the table of commands gives a --key to, in one run: asked again
# the first answer is given and nothing is appended; other words under the key
# are refused as a conflict, of the key or of what it did.
. "$(dirname "$0")/handout.sh"

# twice STATUS CALL OTHER: under a key of its own.
twice() {
	k=$((k + 1)) wanted=$1 call=$2 other=$3
	echo "call: $call"
	# shellcheck disable=SC2086 # words
	status "$wanted" pawl --json $call --key "k$k" && cp ../out ../first &&
		unmoved status "$wanted" pawl --json $call --key "k$k" &&
		same "$(told <../out)" "$(told <../first)" &&
		unmoved status 4 pawl --json $other --key "k$k" && echo " $call " >>../called
}
k=0
# told: an answer, without what says that it is one of a second time.
told() { jq -S 'del(.result.again, .result.seq, .result.joined)'; }

begun() {
	repo && for id in A B T; do
		[ $id = T ] && box=x || box=' '
		mkdir $id && echo 1 >$id/f && cat <<-END >>tasks.md
			- [$box] $id Do it
			  Depends: []
			  Paths: [$id]
			  Mode: write
			  Isolation: worktree
			  Acceptance: done
			  Check: test ! -e $id/wrong
		END
	done && git add . && git commit -qm list && pawl init >/dev/null 2>&1 &&
		made_once && run=$(ls .pawl/runs) && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one
}

# made_once: a run of tasks.md, by four calls at once and one more; what would
# make another one is refused.
made_once() {
	for n in 1 2 3 4; do
		"$PAWL" task start tasks.md --driver host --key s --json >../start$n &
	done
	wait
	same "$(jq -r .result.again ../start? | sort | tr '\n' ' ')" \
		'false true true true ' && same "$(ls .pawl/runs | wc -l)" 1 &&
		journal=$(echo .pawl/runs/*/events.jsonl) && [ -s "$journal" ] &&
		unmoved status 0 pawl task start tasks.md --driver host --key s --json &&
		same "$(told <../out)" "$(told <../start1)" &&
		unmoved status 0 pawl task start tasks.md --driver host --key s \
			--dry-run --json && same "$(told <../out)" "$(told <../start1)" &&
		unmoved status 4 pawl task start tasks.md --driver host --key s \
			--strict --json && code key_conflict &&
		sed 's/Do it/Do that/' tasks.md >../that.md &&
		unmoved status 4 pawl task start ../that.md --driver host --key s \
			--json && code key_conflict &&
		same "$(ls .pawl/runs | wc -l)" 1 && echo ' task start ' >>../called
}

authority() {
	PAWL_AS=lead && export PAWL_AS &&
		twice 0 "task claim $run" "task claim $run --as other" &&
		twice 0 "task transfer $run" "task transfer $run --to other" &&
		status 0 pawl task claim &&
		twice 0 "task takeover $run --as two --force --reason r" \
			"task takeover $run --as two --force --reason s" &&
		PAWL_AS=two
}

decision() {
	cp "$rundir/plan/process-decision.json" ../next.json &&
		jq -n '{mode: "graph", changed_evidence: ["file:A/f"], reason: "r",
			replacement_check: {command: "true", oracle: "strong"}}' >../a &&
		status 0 pawl decision amend ../next.json --amendment ../a &&
		cp ../next.json ../other.json && jq ".reason = \"s\"" ../a >../b &&
		status 0 pawl decision amend ../other.json --amendment ../b &&
		twice 0 'task amend-decision --decision ../next.json' \
			'task amend-decision --decision ../other.json' &&
		twice 0 'task amend T --acceptance x --reason r' \
			'task amend T --acceptance y --reason r' &&
		twice 0 'task import-checked T --import-id i' \
			'task import-checked T --import-id j'
}

ownership() {
	twice 0 'task dispatch A' 'task dispatch B' &&
		for c in c2 c3 c4; do
			twice 0 "task cleanup register A@1 --kind temp_path --target /nowhere/$c" \
				"task cleanup register A@1 --kind temp_path --target /nowhere" ||
				return 1
		done && c=$(pawl task digest --json | jq -r '.result.cleanups.pending[].cleanup' |
			tail -n 3) && {
		# shellcheck disable=SC2086 # words
		set -- $c
		twice 0 "task cleanup finish $1" "task cleanup finish $2" &&
			twice 0 "task cleanup retain $2 --reason r" \
				"task cleanup retain $2 --reason s" &&
			twice 0 "task cleanup recover $3" "task cleanup recover $1"
	}
}

delegation() {
	for purpose in p q; do
		echo "{\"attempt_id\":\"A@1\",\"purpose\":\"$purpose\",\"paths\":[\"A/x\"]}" \
			>../$purpose
	done && twice 0 'task delegate request A@1 --intent ../p' \
		'task delegate request A@1 --intent ../q' &&
		status 0 pawl task delegate request A@1 --intent ../q &&
		twice 0 'task delegate reject g2 --reason r' \
			'task delegate reject g2 --reason s' &&
		twice 0 'task delegate approve g1' 'task delegate approve g1 --path A/x/y' &&
		twice 0 'task delegate start g1' 'task delegate start g1 --worker w' &&
		result g1 | jq '.task_id = "A"' >../r && jq '.summary = "s"' ../r >../s &&
		twice 0 'task delegate report g1 --result ../r' \
			'task delegate report g1 --result ../s' &&
		twice 0 'task delegate release g1 --reason r' \
			'task delegate release g1 --reason s'
}

ends() {
	env -u PAWL_AS PAWL_ATTEMPT=A@1 PAWL_OUTBOX="$rundir/outbox/A@1" \
		"$PAWL" task ask --question why && status 0 pawl task sync &&
		twice 0 'task answer q1 x' 'task answer q1 y' &&
		status 0 pawl task dispatch B &&
		twice 0 'task abandon B@1 --reason r' 'task abandon B@1 --reason s' &&
		status 0 pawl task dispatch B && echo junk >"$rundir/outbox/B@2/report.json" &&
		cp "$rundir/outbox/B@2/report.json" "$rundir/outbox/A@1" &&
		twice 0 "task quarantine B@2 --candidate $rundir/outbox/B@2/report.json" \
			"task quarantine A@1 --candidate $rundir/outbox/A@1/report.json" &&
		rm "$rundir/outbox/A@1/report.json" &&
		status 0 pawl task sync
}

judgement() {
	works A@1 A/x && status 0 pawl task sync &&
		twice 0 'task check A' 'task check A --rerun' &&
		finding='--class acceptance_violation --acceptance a --path A/x --reproduction r --repair r --gap g' &&
		twice 0 "task finding A --summary s $finding" "task finding A --summary t $finding" &&
		twice 0 'task audit-reject A@1 --finding f1 --hypothesis h' \
			'task audit-reject A@1 --finding f1 --hypothesis i' &&
		status 0 pawl task dispatch A && works A@2 A/wrong &&
		status 0 pawl task sync && status 1 pawl task check A &&
		twice 0 'task decide A --action regroup --note n' \
			'task decide A --action regroup --note m' &&
		status 0 pawl task dispatch B && works B@3 B/wrong &&
		status 0 pawl task sync && twice 1 'task check B' 'task check A' &&
		twice 0 'task repair B --hypothesis h' 'task repair B --hypothesis i' &&
		status 0 pawl task dispatch B && rm "$(workspace B@4)/B/wrong" &&
		works B@4 B/x && status 0 pawl task sync && status 0 pawl task check B &&
		twice 0 'task integrate B' 'task integrate A' &&
		twice 0 'task grade B pass' 'task grade B fail' &&
		status 0 pawl task abandon A@2 --reason r &&
		twice 0 "task complete $run --outcome partial" \
			"task complete $run --outcome failed"
}

# A verb that takes a key and isn't called above is one that nobody looked at;
# a check that is to be recovered is in task_cuts.
each_is_called() {
	pawl help --json | jq -r '.result.commands[] | select(.keyed and
		(.name | startswith("task "))) | .name' >../verbs && [ -s ../verbs ] &&
		while read -r verb; do
			[ "$verb" = 'task recover check' ] ||
				grep -q "^ $verb " ../called || { echo "not called: $verb" && return 1; }
		done <../verbs
}

a_replay_under_a_key_answers_and_appends_nothing() {
	begun && authority && decision && ownership && delegation && ends &&
		judgement && each_is_called
}

# A key that would be forgotten is refused, wherever it stands.
a_verb_without_a_key_says_so() {
	pawl help --json | jq -r '.result.commands[] | select(.mutates and
		(.keyed | not)) | .name' >../verbs && grep -q 'task sync' ../verbs &&
		while read -r verb; do
			# shellcheck disable=SC2086 # words
			refuses 2 unknown_option pawl $verb --key k &&
				refuses 2 unknown_option pawl --key k $verb x || return 1
		done <../verbs
}

t a_replay_under_a_key_answers_and_appends_nothing
t a_verb_without_a_key_says_so
done_testing
