#!/bin/sh
# A coordinator's replies to the worker of a host.  C093, C094.
# shellcheck disable=SC2154 # rundir and journal are handout.sh's
. "$(dirname "$0")/handout.sh"

# By hand: a host's worker asks, sync takes it in, the coordinator replies.
a_coordinator_takes_in_and_replies() {
	coordinated && status 0 pawl task dispatch A-1 &&
		box=$rundir/outbox/A-1@1 && status 0 env -u PAWL_AS \
			PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" "$PAWL" task ask \
			--question 'Which one?' &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			"$PAWL" task ask --act 'May I publish?' &&
		echo '{' >"$box/ask-3.json" && ln -s "$journal" "$box/ask-4.json" &&
		status 0 pawl task sync && same "$(happened question_opened)" 2 &&
		unmoved status 0 pawl task sync &&
		unmoved status 9 pawl task answer q2 yes --json &&
		code not_permitted &&
		unmoved status 9 env -u PAWL_AS "$PAWL" task answer q1 'a b' --json &&
		same "$(jq -r .error.hint ../out)" \
			"pawl task answer q1 'a b' --as ID" &&
		unmoved status 9 pawl task answer q1 x --as other --json &&
		code not_permitted &&
		status 0 pawl reply q1 'this one' --json &&
		answer '[.by, .assurance, .delivered]' \
			'["coordinator:lead","coordinator",true]' &&
		same "$(jq -r .answer "$box/answers/q1.json")" 'this one' &&
		rm "$box/answers/q1.json" && unmoved status 0 pawl task sync &&
		same "$(jq -r .answer "$box/answers/q1.json")" 'this one' &&
		works A-1@1 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		unmoved status 5 pawl task grade A-1 pass --json &&
		code question_open && status 0 env -u PAWL_AS "$PAWL" answer q2 yes &&
		status 0 pawl task grade A-1 pass
}

# human VERB...: as a person, not as the coordinator.
human() { env -u PAWL_AS "$PAWL" "$@"; }

# C093: what a report asks is open with it, once; its check counts once a human
# or the coordinator has answered.
a_report_may_ask() {
	coordinated && status 0 pawl task dispatch A-1 &&
		box=$rundir/outbox/A-1@1 && echo 'done' >"$(workspace A-1@1)/a/done" &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			"$PAWL" task ask --question 'Which one?' &&
		result A-1@1 a/done |
		jq '.questions = ["Which one?", "Keep it?", "Keep it?"]' |
			env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
				"$PAWL" task report --result - &&
		status 0 pawl task sync && same "$(happened question_opened)" 2 &&
		same "$(jq -c 'select([.events[].type] | index("attempt_reported")) |
			[.events[] | select(.type == "question_opened") |
			.data | .prompt, .asked]' "$journal")" \
			'["Keep it?","A-1@1"]' &&
		unmoved status 0 pawl task sync && status 0 pawl task check A-1 &&
		status 0 pawl task integrate A-1 &&
		unmoved status 5 pawl task grade A-1 pass --json &&
		code question_open && status 0 pawl task answer q1 this &&
		status 0 human answer q2 yes &&
		same "$(jq -r .answer "$box/answers/q2.json")" yes &&
		status 0 pawl task grade A-1 pass
}

# C094, C099: an act is denied by a human alone; the worker sees it, and goes on.
an_act_is_denied() {
	coordinated && status 0 pawl task dispatch A-1 &&
		box=$rundir/outbox/A-1@1 && status 0 env -u PAWL_AS \
			PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" "$PAWL" task ask \
			--act 'May I publish?' &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			"$PAWL" task ask --question 'Which one?' &&
		status 0 pawl task sync &&
		unmoved status 9 pawl deny q1 --json && code self_approval &&
		unmoved status 1 human deny q2 --json && code invalid_argument &&
		unmoved status 3 human deny q3 --json && code gate_not_found &&
		unmoved status 0 human deny q1 --dry-run &&
		status 0 human deny q1 --reason 'not today' --json &&
		answer '[.denied, .answer, .delivered]' '[true,"not today",true]' &&
		unmoved status 0 human deny q1 --reason 'not today' --json &&
		answer .again true &&
		unmoved status 4 human approve q1 --json && code question_answered &&
		same "$(jq -c '[.denied, .answer]' "$box/answers/q1.json")" \
			'[true,"not today"]' &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			"$PAWL" task ask --act 'May I publish?' &&
		grep -q 'denied: not today' ../out &&
		same "$(pawl show q1 --json | jq -r .result.detail.status)" denied &&
		pawl log "$run" >../log && grep -q 'q1 about A-1 denied by' ../log
}

# C101: the coordinator leaves it to a human; the answer is one attempt more.
input_is_required() {
	coordinated && for n in 1 2; do
		status 0 pawl task dispatch A-1 &&
			echo x >"$(workspace A-1@$n)/a/wrong" &&
			reports A-1@$n a/wrong && status 0 pawl task sync &&
			status 1 pawl task check A-1 || return 1
		[ $n = 2 ] || status 0 pawl task repair A-1 --hypothesis one
	done && ask='task decide A-1 --action input_required --note Split?' &&
		unmoved status 0 pawl $ask --dry-run &&
		status 0 pawl $ask --json &&
		answer '[.id, .question, .status, .again]' \
			'["d1","q1","NEEDS_APPROVAL",false]' &&
		same "$(jq -c 'select([.events[].type] | index("decision_recorded")) |
			[.events[].type]' "$journal")" \
			'["question_opened","decision_recorded"]' &&
		unmoved status 0 pawl $ask --json &&
		answer '[.id, .question, .again]' '["d1","q1",true]' &&
		same "$(jq -r '.events[] | select(.type == "workspace_reconciled") |
			.data.patch_sha256 | length' "$journal")" 64 &&
		unmoved status 5 pawl task dispatch A-1 --json &&
		code question_open &&
		unmoved status 9 pawl task answer q1 x --json && code not_permitted &&
		status 0 human answer q1 'no, only the name' &&
		status 0 pawl task dispatch A-1 &&
		same "$(jq -c '.answers[0] | [.prompt, .answer]' \
			"$rundir/capsules/A-1@3.json")" '["Split?","no, only the name"]' &&
		works A-1@3 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && status 0 pawl verify "$run"
}

t a_coordinator_takes_in_and_replies
t a_report_may_ask
t an_act_is_denied
t input_is_required
done_testing
