# task_ask.sh: questions from a worker to a human and back, over `pawl run`.
# C093, C094.
# shellcheck shell=sh disable=SC2154 # run and top are gated.sh's and lib.sh's
. "$(dirname "$0")/gated.sh"

# asking BODY: a repository with one task whose worker is the shell text BODY;
# PAWL_BIN is the program.
asking() {
	repo && cat >tasks.md <<'END' &&
- [ ] A-1 Write the file
  Depends: []
  Paths: [A-1]
  Mode: write
  Isolation: auto
  Acceptance: A-1 is there
  Check: test -f A-1
END
	printf '%s\n' '#!/bin/sh' "PAWL_BIN=$PAWL" "$1" >worker.sh &&
		chmod +x worker.sh && git add . && git commit -q -m list &&
		pawl init 2>/dev/null
}

# first_run STATUS: what the run of it ends with; its name is in $run.
first_run() {
	status "$1" pawl run tasks.md --write .. -- ./worker.sh && run=$(ls .pawl/runs)
}

# asks_and_ends: asks in its first attempt, does the work in its second.
asks_and_ends='if [ "$PAWL_ATTEMPT" = A-1@1 ]; then
	"$PAWL_BIN" task ask --question "Which name?" >asked && rm asked
	exit 3
fi
grep -q "\"answer\":\"this one\"" "$PAWL_CAPSULE" && echo x >A-1'

an_end_with_an_open_question_completes_nothing() {
	asking "$asks_and_ends" && first_run 5 &&
		grep -q 'waits for a human: A-1: question q1' ../err &&
		grep -q "pawl answer $run/q1 TEXT" ../err &&
		status 0 pawl status --json &&
		answer '[.run.status, .nodes[0].status, .questions[0].prompt]' \
			'["NEEDS_APPROVAL","NEEDS_APPROVAL","Which name?"]' &&
		status 0 pawl next && same "$(cat ../out)" \
			"next: answer $run/q1  (pawl answer $run/q1 TEXT)" &&
		status 0 pawl explain A-1 && grep -q 'Which name' ../out &&
		status 0 pawl show q1 && grep -q 'asked_by *worker:A-1@1' ../out &&
		[ ! -e A-1 ]
}

the_answer_lets_a_new_attempt_go_on() {
	asking "$asks_and_ends" && first_run 5 &&
		status 0 pawl answer "$run/q1" 'this one' --json &&
		answer '[.question, .node, .answer, .delivered, .again]' \
			'["q1","A-1","this one",true,false]' &&
		status 0 pawl run "$run" && status 0 pawl status --json "$run" &&
		answer '[.run.status, .nodes[0].status, .nodes[0].last_attempt]' \
			'["COMPLETE","PASSED","A-1@2"]'
}

# C094: each is refused with its own code and the state, the journal as it was.
refused() { # STATUS CODE ARGUMENT...
	want=$1 word=$2
	shift 2
	before=$(sha256sum <"$(events)")
	status "$want" pawl "$@" --json && code "$word" &&
		same "$(sha256sum <"$(events)")" "$before"
}

what_cant_be_answered_is_refused_with_its_state() {
	asking "$asks_and_ends" && first_run 5 &&
		refused 3 question_not_found answer "$run/q2" x &&
		refused 3 question_not_found answer "$run/B-9" x &&
		refused 1 invalid_argument answer "$run/q1" '  ' &&
		PAWL_ATTEMPT=A-1@1 refused 9 worker_context answer "$run/q1" x &&
		refused 2 usage answer "$run/q1" &&
		status 0 pawl answer "$run/A-1" 'this one' --dry-run &&
		status 0 pawl answer "$run/A-1" 'this one' &&
		refused 4 question_answered answer "$run/q1" 'that one' &&
		grep -q 'was answered by local:' ../out &&
		before=$(lines) &&
		status 0 pawl answer "$run/q1" 'this one' --json &&
		answer .again true && same "$(lines)" "$before"
}

# None of the two hides the other; what only one of them can mean is done.
a_task_of_the_name_of_a_question() {
	asking "$asks_and_ends" && sed 's/A-1/q1/; s/Check:.*/Check: true\n  Approval: required/' \
		tasks.md >>others && cat others >>tasks.md && rm others && git commit -qam more &&
		first_run 5 && refused 4 ambiguous_id approve q1 &&
		same "$(jq -r .error.hint ../out)" 'question:q1, or node:q1' &&
		refused 4 ambiguous_id deny "$run/q1" && refused 4 ambiguous_id show q1 &&
		refused 1 invalid_argument approve question:q1 &&
		refused 3 question_not_found answer node:q1 x &&
		refused 3 gate_not_found approve question:q2 &&
		status 0 pawl show question:q1 --json && answer .detail.type '"question"' &&
		status 0 pawl show "$run/node:q1" --json && answer .detail.type '"node"' &&
		status 0 pawl approve "$run/node:q1" --json && answer .subject '"q1!1"' &&
		status 0 pawl answer "$run/q1" 'this one' --json && answer .node '"A-1"'
}

a_key_answers_once() {
	asking "$asks_and_ends" && first_run 5 &&
		status 0 pawl answer "$run/q1" one --key k1 &&
		status 0 pawl answer "$run/q1" one --key k1 --json &&
		answer .again true &&
		refused 4 key_conflict answer "$run/q1" two --key k1
}

# stale: the attempt that asked ended for something else.
a_question_of_an_attempt_that_ended_is_stale() {
	asking 'if [ "$PAWL_ATTEMPT" = A-1@1 ]; then
	"$PAWL_BIN" task ask --question "Which name?" >/dev/null
	echo "{" >"$PAWL_OUTBOX/report.json"
	exit 0
fi
echo x >A-1' && first_run 0 && status 0 pawl show q1 &&
		grep -q 'status *stale' ../out &&
		refused 1 run_closed answer "$run/q1" x
}

a_worker_that_waits_gets_its_answer() {
	asking '"$PAWL_BIN" task ask --question "Which name?" >/dev/null
for i in $(seq 1 100); do
	if [ -e "$PAWL_OUTBOX/answers/q1.json" ]; then
		"$PAWL_BIN" task ask --question "Which name?" |
			grep -q "answer: this one" && echo x >A-1
		exit
	fi
	sleep 0.1
done
exit 1' || return 1
	pawl run tasks.md --write .. -- ./worker.sh >../run.out 2>&1 &
	for _ in $(seq 1 100); do
		run=$(ls .pawl/runs 2>/dev/null) && [ -n "$run" ] &&
			pawl show q1 >/dev/null 2>&1 && break
		sleep 0.1
	done
	status 0 pawl status "$run" --json &&
		answer '[.run.status, (.questions | length)]' '["RUNNING",1]' &&
		status 0 pawl answer "$run/q1" 'this one' && wait && cat ../run.out &&
		status 0 pawl status "$run" --json &&
		answer '[.run.status, .nodes[0].last_attempt]' \
			'["COMPLETE","A-1@1"]'
}

# C046: nobody coordinates for longer than the task may take, and the worker
# waits for its answer all the same; what it waited is in its record.
a_deadline_stands_still_until_the_answer() {
	asking '"$PAWL_BIN" task ask --question "Which name?" >/dev/null
until [ -e "$PAWL_OUTBOX/answers/q1.json" ]; do sleep 0.1; done
echo x >A-1' && sed -i 's/^  Check:/  Timeout: 3s\n&/' tasks.md &&
		git commit -qam timeout || return 1
	"$PAWL" run tasks.md --write .. -- ./worker.sh >../run.out 2>&1 &
	pid=$!
	for _ in $(seq 1 100); do
		run=$(ls .pawl/runs 2>/dev/null) && [ -n "$run" ] &&
			pawl show q1 >/dev/null 2>&1 && break
		sleep 0.1
	done
	kill -9 $pid
	sleep 3.5
	status 0 pawl answer "$run/q1" 'this one' &&
		status 0 pawl run "$run" && status 0 pawl status "$run" --json &&
		answer '[.run.status, .nodes[0].last_attempt]' \
			'["COMPLETE","A-1@1"]' &&
		same "$(jq '.events[] | select(.type == "attempt_reported") |
			.data.held_ms > 2500' "$(events)")" true
}

# A report with a question open is kept, and checked once that is answered.
a_report_waits_for_the_answer_before_its_check() {
	asking 'echo x >A-1
"$PAWL_BIN" task ask --act "May I publish?" >/dev/null
printf "%s" "{\"task_id\":\"A-1\",\"attempt_id\":\"A-1@1\",\"outcome\":\"reported\",\"summary\":\"did\",\"files_changed\":[\"A-1\"],\"checks_run\":[\"test -f A-1\"]}" \
	>"$PAWL_OUTBOX/report.json"' && first_run 5 &&
		status 0 pawl status "$run" --json &&
		answer '[.run.status, .nodes[0].status, .questions[0].kind]' \
			'["NEEDS_APPROVAL","RUNNING","act"]' &&
		status 0 pawl show A-1@1 && grep -q 'status *reported' ../out &&
		status 5 pawl run "$run" &&
		status 0 pawl answer "$run/q1" yes && status 0 pawl run "$run" &&
		status 0 pawl status "$run" --json &&
		answer '[.run.status, .nodes[0].last_attempt]' \
			'["COMPLETE","A-1@1"]'
}

# In a run of 'pawl run' nobody could approve: it is recorded and rejected, its
# worker is told, and goes on.
delegates='printf "{\"attempt_id\":\"A-1@1\",\"purpose\":\"a part\",
	\"paths\":[\"A-1\"]}" >../intent
"$PAWL_BIN" task ask --delegate ../intent >../asked || exit 7
while ! grep -q "\"answer\":\"rejected\"" "$PAWL_OUTBOX"/answers/g1.json; do
	sleep 0.1
done
echo x >A-1'

what_a_worker_would_delegate_is_rejected() {
	asking "$delegates" && first_run 0 && status 0 pawl show "$run/g1" &&
		grep -q 'status *rejected' ../out && grep -q 'nobody approves' ../out &&
		same "$(jq -c '[.events[].type | select(startswith("delegation"))]' \
			"$(events)" | grep -v '^\[\]$')" \
			'["delegation_requested","delegation_rejected"]'
}

# No lock, no state folder: only the outbox.
a_question_needs_nothing_but_the_outbox() {
	mkdir box && status 0 env -u HOME -u XDG_STATE_HOME \
		PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$PWD/box" "$PAWL" task ask \
		--question 'Which one?' --json &&
		answer '[.delivered, .attempt, .kind, .again, .answer]' \
			'["ask-1.json","A-1@1","question",false,null]' &&
		status 0 pawl task ask --attempt A-1@1 --outbox box \
			--question 'Which one?' &&
		same "$(cat ../out)" 'delivered ask-1.json, before' &&
		status 0 pawl task ask --attempt A-1@1 --outbox box --act 'May I?' &&
		same "$(cat ../out)" 'delivered ask-2.json' &&
		same "$(ls box)" "$(printf 'ask-1.json\nask-2.json')"
}

what_is_no_question_is_not_delivered() {
	mkdir box && ask="task ask --attempt A-1@1 --outbox box" &&
		status 2 pawl $ask &&
		status 2 pawl $ask --question x --act y &&
		status 1 pawl $ask --question ' ' &&
		status 1 pawl task ask --outbox box --question x &&
		status 1 pawl task ask --attempt A-1@1 --question x &&
		status 3 pawl task ask --attempt A-1@1 --outbox none --question x &&
		grep -q PAWL_OUTBOX ../err &&
		status 0 pawl $ask --question x --dry-run && same "$(ls box)" ''
}

t an_end_with_an_open_question_completes_nothing
t the_answer_lets_a_new_attempt_go_on
t what_cant_be_answered_is_refused_with_its_state
t a_task_of_the_name_of_a_question
t a_key_answers_once
t a_question_of_an_attempt_that_ended_is_stale
t a_worker_that_waits_gets_its_answer
t a_deadline_stands_still_until_the_answer
t a_report_waits_for_the_answer_before_its_check
t what_a_worker_would_delegate_is_rejected
t a_question_needs_nothing_but_the_outbox
t what_is_no_question_is_not_delivered
done_testing
