#!/bin/sh
# Delegation by plumbing: asked for by a worker or its coordinator, narrowed,
# handed on, reported, released.
. "$(dirname "$0")/handout.sh"

# intent [MEMBER...]: an intent of A-1@1 for a/sub; `key=json` adds a member.
intent() {
	for member in "$@"; do printf '%s\n' "$member"; done | jq -Rn \
		'reduce inputs as $m ({attempt_id: "A-1@1", purpose: "the rest",
		paths: ["a/sub"]}; .[$m | split("=")[0]] =
		($m | split("=")[1:] | join("=") | fromjson))'
}

# at_work: A-1@1 is dispatched.
at_work() { coordinated && status 0 pawl task dispatch A-1; }

# requested [MEMBER...]: and g1 is asked for by its coordinator.
requested() {
	intent "$@" >../intent && status 0 pawl task delegate request A-1@1 \
		--intent ../intent --json
}

# started: and approved, and handed on.
started() {
	at_work && requested && status 0 pawl task delegate approve g1 &&
		status 0 pawl task delegate start g1 --worker w-2 --json
}

# child CMD...: as the worker of g1.
child() {
	env -u PAWL_AS PAWL_RUN="$run" PAWL_NODE=A-1 PAWL_ATTEMPT=g1 \
		PAWL_CAPSULE="$rundir/capsules/g1.json" \
		PAWL_OUTBOX="$rundir/outbox/g1" "$PAWL" "$@"
}

# told [FILE...]: a result of g1.
told() { result g1 "$@" | jq '.task_id = "A-1"'; }

a_delegation_goes_its_whole_way() {
	at_work && requested &&
		answer '[.delegation, .status, .paths]' \
			'["g1","requested",["a/sub"]]' &&
		status 0 pawl task delegate approve g1 --path a/sub/x --json &&
		answer '[.status, .paths]' '["approved",["a/sub/x"]]' &&
		status 0 pawl task cleanup register A-1@1 --kind session \
			--target s-1 &&
		status 0 pawl task delegate start g1 --worker w-2 --cleanup \
			"$(newest cleanup)" --json &&
		answer '[.environment | .PAWL_NODE, .PAWL_ATTEMPT]' '["A-1","g1"]' &&
		same "$(jq -c '[.attempt, .parent, .paths]' \
			"$(jq -r .result.capsule ../out)")" \
			'["g1","A-1@1",["a/sub/x"]]' &&
		same "$(sha256sum <"$rundir/capsules/g1.json" | cut -c1-64)" \
			"$(newest capsule_sha256)" &&
		told a/sub/x/f | status 0 child task report --result - &&
		status 0 pawl task delegate report g1 --json &&
		answer .status '"reported"' &&
		unmoved status 4 pawl task delegate release g1 --json &&
		code cleanup_pending &&
		status 0 pawl task cleanup finish "$(newest cleanup)" &&
		status 0 pawl task delegate release g1 --json &&
		answer .status '"released"' &&
		same "$(newest status)" 'done' && reports A-1@1 &&
		status 0 pawl task sync && status 0 pawl verify
}

# What a delegation reported is evidence, as what an attempt did is.
a_report_that_is_gone_is_found() {
	started && told a/sub/f | status 0 child task report --result - &&
		status 0 pawl task delegate report g1 && status 0 pawl verify &&
		rm "$rundir/artifacts/sha256/$(newest report_sha256)" &&
		status 8 pawl verify "$run"
}

# newest FIELD: of the last line that has it.
newest() {
	jq -r --arg f "$1" '.events[].data[$f] // empty' "$journal" | tail -n 1
}

# A worker asks by its outbox; where that stands comes back the same way.
a_worker_asks_and_is_told() {
	at_work && intent >../intent && for again in false true; do
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$rundir/outbox/A-1@1" \
			"$PAWL" task ask --delegate ../intent --json &&
			answer '[.kind, .delivered, .again]' \
				"[\"delegation\",\"ask-1.json\",$again]" || return 1
	done
	status 0 pawl task sync && same "$(happened delegation_requested)" 1 &&
		unmoved status 0 pawl task sync && status 0 pawl show g1 &&
		grep -q 'asked_by *worker:A-1@1' ../out &&
		status 0 pawl task delegate reject g1 --reason 'do it yourself' &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$rundir/outbox/A-1@1" \
			"$PAWL" task ask --delegate ../intent &&
		grep -q 'answer: rejected' ../out && grep -q 'do it yourself' \
			"$rundir/outbox/A-1@1/answers/g1.json"
}

# A worker can't know the last line; what it says of it is stale, openly.
a_stale_message_is_recorded_and_rejected() {
	at_work && intent expected_revision=1 >../intent &&
		unmoved status 4 pawl task delegate request A-1@1 \
			--intent ../intent --json && code stale_seq &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$rundir/outbox/A-1@1" \
			"$PAWL" task ask --delegate ../intent &&
		status 0 pawl task sync && status 0 pawl show g1 &&
		grep -q 'status *rejected' ../out && grep -q 'at line 1' ../out &&
		requested "expected_revision=$(jq -s length "$journal")" &&
		answer '[.delegation, .status]' '["g2","requested"]'
}

# The same words again append nothing; other words are a conflict.
replays_are_answered_and_conflicts_are_refused() {
	at_work && requested && unmoved requested && answer .again true &&
		intent 'purpose="other"' >../other &&
		status 0 pawl task delegate request A-1@1 --intent ../other &&
		status 0 pawl task delegate reject g2 --reason no &&
		unmoved status 0 pawl task delegate reject g2 --reason no &&
		unmoved status 4 pawl task delegate reject g2 --reason nay --json &&
		code delegation_state && status 0 pawl task delegate approve g1 &&
		unmoved status 0 pawl task delegate approve g1 &&
		unmoved status 4 pawl task delegate approve g1 --path a/sub/y --json &&
		code delegation_state &&
		status 0 pawl task delegate start g1 --worker w-2 --json &&
		cp ../out ../first &&
		unmoved status 0 pawl task delegate start g1 --worker w-2 --json &&
		same "$(jq .result.environment ../out)" \
			"$(jq .result.environment ../first)" &&
		unmoved status 4 pawl task delegate start g1 --worker w-3 --json &&
		code delegation_state && told a/sub/f >../r1 && told >../r2 &&
		status 0 pawl task delegate report g1 --result ../r1 &&
		unmoved status 0 pawl task delegate report g1 --result ../r1 &&
		unmoved status 4 pawl task delegate report g1 --result ../r2 --json &&
		code delegation_state &&
		status 0 pawl task delegate release g1 --reason 'seen gone' &&
		unmoved status 0 pawl task delegate release g1 --reason 'seen gone' &&
		unmoved status 4 pawl task delegate release g1 --reason why --json &&
		code delegation_state
}

what_widens_is_refused() {
	at_work && requested 'paths=["."]' 'context_refs=["b/f"]' \
		'capabilities=["network"]' && for words in '' '--path b' \
		'--path a --no-capability' '--path a --no-context'; do
		# shellcheck disable=SC2086 # words
		unmoved status 1 pawl task delegate approve g1 $words --json &&
			code delegation_widens || return 1
	done
	status 0 pawl task delegate approve g1 --path a --no-context \
		--no-capability --dry-run && same "$(happened delegation_approved)" 0 &&
		status 0 pawl task delegate approve g1 --path a --no-context \
			--no-capability --json &&
		answer '[.paths, .context_refs, .capabilities]' '[["a"],[],[]]'
}

# A child has its outbox and nothing else: no verb, no question, no child.
a_child_does_nothing_but_report() {
	started && intent >../intent && for verb in 'grade A-1 pass' \
		'dispatch B-2' 'check A-1' 'delegate request g1 --intent ../intent' \
		'delegate release g1 --reason r' 'complete --outcome partial'; do
		# shellcheck disable=SC2086 # words
		unmoved status 9 child task $verb --as lead --json &&
			code worker_context || return 1
	done
	unmoved status 9 child task ask --question why --json &&
		code not_permitted &&
		unmoved status 9 child task ask --delegate ../intent --json &&
		code not_permitted &&
		unmoved status 9 pawl task delegate request g1 --intent ../intent \
			--json && code not_permitted &&
		told b/f >../out-of-scope &&
		unmoved status 1 pawl task delegate report g1 --result \
			../out-of-scope --json && code delegation_widens &&
		told a/sub/f | jq '.checks_run = []' >../unchecked &&
		unmoved status 1 pawl task delegate report g1 --result \
			../unchecked --json && code invalid_result &&
		unmoved status 3 pawl task delegate report g1 --json &&
		code file_not_found
}

# What a delegation's worker handed in is taken in as an attempt's is; what is no
# result of it is named, and holds up nothing else.
a_delegations_report_is_taken_in_by_sync() {
	started && told b/f >"$rundir/outbox/g1/report.json" &&
		status 0 pawl task sync --dry-run --json && answer .reports 1 &&
		echo 'more' >"$(workspace A-1@1)/a/done" && reports A-1@1 a/done &&
		status 1 pawl task sync --json && code delegation_widens &&
		grep -q "delegation 'g1'" ../out &&
		same "$(jq -c '[.result.attempts[].status]' ../out)" '["reported"]' &&
		unmoved status 1 pawl task sync --json && code delegation_widens &&
		told a/sub/f >"$rundir/outbox/g1/report.json" &&
		status 0 pawl task sync --json && answer .delegations \
			'[{"delegation":"g1","status":"reported"}]' &&
		unmoved status 0 pawl task sync --json && answer .delegations '[]' &&
		unmoved status 0 pawl task delegate report g1 --json &&
		answer .again true && status 0 pawl task delegate release g1 \
			--reason 'seen gone'
}

# And it ends a wait.
a_delegations_report_ends_the_wait() {
	started && { status 0 pawl task sync --wait 20 --json & } && waits=$! &&
		sleep 1 && told a/sub/f | child task report --result - &&
		wait $waits && answer '[.reason, .delegations[0].status]' \
		'["change","reported"]'
}

# Its parent's end ends what hadn't begun; what had is released, and until then
# nothing goes on that would touch the same.
what_outlives_its_attempt_is_released() {
	started && status 0 pawl task delegate request A-1@1 --intent \
		../intent && intent 'purpose="more"' >../more &&
		status 0 pawl task delegate request A-1@1 --intent ../more &&
		status 0 pawl task abandon A-1@1 --reason 'it hangs' &&
		status 0 pawl show g2 && grep -q 'its attempt has ended' ../out &&
		unmoved status 4 pawl task dispatch A-1 --json &&
		code delegation_open && status 0 pawl status --json &&
		answer '[.delegations[] | .id, .status]' '["g1","started"]' &&
		unmoved status 4 pawl task complete --outcome partial --json &&
		code delegation_open && grep -q "'g1' of 'A-1@1'" ../out &&
		unmoved status 1 pawl task delegate release g1 --json &&
		code reason_needed &&
		status 0 pawl task delegate release g1 --reason 'killed by hand' &&
		told >../late && same "$(cat "$rundir/outbox/g1/closed")" released &&
		status 4 child task report --result ../late --json &&
		code result_closed && status 0 pawl task dispatch A-1
}

# Two at once are one after the other; of the same, the second is a repetition.
requests_at_once_are_both_recorded() {
	at_work || return 1
	for i in 1 2 3 4; do
		intent "purpose=\"part $i\"" >"../intent$i"
		"$PAWL" task delegate request A-1@1 --intent "../intent$i" \
			>"../out$i" 2>&1 &
	done
	wait
	same "$(cat ../out? | sort | tr '\n' ,)" "$(
		printf 'delegation g%d requested,' 1 2 3 4)" &&
		for i in 1 2 3; do
			"$PAWL" task delegate approve g1 >"../out$i" 2>&1 &
		done
	wait
	! grep -h pawl: ../out? && same "$(happened delegation_approved)" 1
}

t a_delegation_goes_its_whole_way
t a_report_that_is_gone_is_found
t requests_at_once_are_both_recorded
t a_worker_asks_and_is_told
t a_stale_message_is_recorded_and_rejected
t replays_are_answered_and_conflicts_are_refused
t what_widens_is_refused
t a_child_does_nothing_but_report
t a_delegations_report_is_taken_in_by_sync
t a_delegations_report_ends_the_wait
t what_outlives_its_attempt_is_released
done_testing
