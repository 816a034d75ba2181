#!/bin/sh
# Attempts that a driver's program has, and what becomes of them when it, or
# pawl, misbehaves.  SCRIPTED names the driver (scripted_driver.c).
. "$(dirname "$0")/handout.sh"
mkdir "$top/bin" && ln -s "$SCRIPTED" "$top/bin/pawl-driver-scripted" || exit 99
PATH=$top/bin:$PATH

# worker: makes what its node wants, and says so when REPORT is set.
worker() {
	cat >../worker.sh <<-'END' && chmod +x ../worker.sh
		#!/bin/sh
		cat >/dev/null
		echo "$PAWL_ATTEMPT" >>"$RAN"
		case $PAWL_NODE in
		A-1) echo done >a/done ;;
		B-2) echo done >b/done ;;
		esac
		[ -z "${SLOW:-}" ] || sleep "$SLOW"
		exit "${STATUS:-0}"
	END
	: >../ran && RAN=$PWD/../ran && export RAN && mkdir ../once &&
		SCRIPT_ONCE=$PWD/../once && export SCRIPT_ONCE
}

# ran: the attempts whose workers ran, in order.
ran() { sort ../ran | tr '\n' ' '; }

# claimed: a run of the scripted driver, which lead coordinates.
claimed() {
	DRIVER=scripted && worker && coordinated -- ../worker.sh
}

# settle: sync until none is at work, whatever goes wrong meanwhile.
settle() {
	for _ in $(seq 100); do
		pawl task sync "$run" --json >../out
		[ "$(jq 'if .ok then .result.working | length else 1 end' \
			../out)" != 0 ] || return 0
		sleep 0.1
	done
	cat ../out
	return 1
}

# cleanups: how those of a driver stand.
cleanups() {
	jq -r '.events[] | select(.type == "cleanup_settled") | .data |
		select(.reason | test("driver")) | .status' "$journal" |
		tr '\n' ' '
}

a_programs_attempt_goes_the_way_of_all() {
	claimed && same "$(jq -c '.events[] | select(.type == "driver_selected") |
		.data | [.driver, .reason, .refs]' "$journal")" \
		'["scripted","asked for","{\"lease\":7}"]' &&
		receipt=$(jq -r '.events[] | select(.type == "driver_selected") |
			.data.receipt_sha256' "$journal") &&
		same "$(jq -c '[.driver, (.capabilities | length),
			.capabilities.usage_metrics.status]' \
			"$rundir/artifacts/sha256/$receipt")" \
			'["scripted",9,"unavailable"]' &&
		status 0 pawl task dispatch "$run/A-1" --json &&
		answer '[.attempts[] | .driver, .status]' '["scripted","started"]' &&
		same "$(jq -c '.events[] | select(.type == "attempt_started") |
			.data | [.pid, (.refs | fromjson | .key), .degraded]' \
			"$journal")" "[0,\"${run}_A-1@1\",null]" && settle &&
		stood "$run/A-1@1" reported && same "$(cleanups)" 'done ' &&
		same "$(ran)" 'A-1@1 ' && status 0 pawl task check "$run/A-1" &&
		status 0 pawl task integrate "$run/A-1" &&
		status 0 pawl task grade "$run/A-1" pass &&
		unmoved status 0 pawl task sync "$run" &&
		status 0 pawl verify "$run"
}

a_whole_run_is_driven_by_a_program() {
	claimed && first=$run && unset PAWL_AS && echo >>tasks.md &&
		git commit -qam more && status 0 pawl run tasks.md --driver scripted \
			-- ../worker.sh && run=$(other_run "$first") &&
		journal=.pawl/runs/$run/events.jsonl &&
		same "$(happened run_closed)" 1 && same "$(happened driver_selected)" 1 &&
		same "$(ran)" 'A-1@1 B-2@1 R-3@1 ' &&
		same "$(cleanups)" 'done done done '
}

no_driver_is_no_run() {
	repo && printf -- '- [ ] A Do it\n  Check: true\n' >tasks.md &&
		pawl init >/dev/null 2>&1 && ls -A .pawl/runs >../before &&
		refuses 3 driver_not_found pawl task start tasks.md --driver none \
			-- true && refuses 1 invalid_argument pawl task start \
			tasks.md --driver ../x -- true &&
		refuses 3 driver_not_found pawl run tasks.md --driver none -- true &&
		refuses 2 usage pawl task start tasks.md --driver scripted &&
		ls -A .pawl/runs | cmp - ../before
}

# fresh: as at the begin of a case.
fresh() {
	cd .. && rm -rf w home once ran && mkdir w home && cd w &&
		unset SCRIPT PAWL_AS
}

# once SCRIPT: whatever goes wrong with it once, the attempt's worker runs once.
once() {
	fresh && echo "$1" && SCRIPT=$1 &&
		export SCRIPT && claimed && { pawl task dispatch A-1 ||
			pawl task dispatch A-1 || pawl task recover attempt A-1@1 ||
			stood A-1@1 started; } && settle &&
		{ pawl task sync || pawl task sync; } && stood A-1@1 reported &&
		same "$(ran)" 'A-1@1 ' &&
		same "$(cleanups | sed 's/^failed //')" 'done ' &&
		unset SCRIPT PAWL_AS
}

# What was asked and wasn't answered is asked again, under the same identity.
a_driver_that_fails_once_costs_time_alone() {
	PAWL_COPROC_MS=2000 && export PAWL_COPROC_MS &&
		for script in start:crash-before start:crash-after start:garbage \
			start:wrong-id start:twice start:flood-out start:flood-err \
			start:late start:unknown open:crash-before open:crash-after \
			open:unknown poll:crash-before poll:garbage poll:digest \
			poll:unavailable release:crash-before release:crash-after \
			release:unproven release:garbage; do
			once $script || return 1
		done
}

# It is ended, though it ignores TERM, closes its output or says half a line.
a_driver_that_hangs_is_ended() {
	PAWL_COPROC_MS=1000 && export PAWL_COPROC_MS &&
		for script in start:hang-after open:close poll:half; do
			once $script || return 1
		done
}

# failed SCRIPT CAUSE: it never started, and nothing of it is left.
failed() {
	fresh && echo "$1" && SCRIPT=$1 &&
		export SCRIPT && claimed && status 7 pawl task dispatch A-1 --json &&
		code spawn_failed && stood A-1@1 start_failed && same \
			"$(jq -r '.events[] | select(.type == "attempt_start_failed") |
			.data.cause' "$journal")" "$2" && same "$(cleanups)" 'done ' &&
		same "$(ran)" '' && unset SCRIPT && status 0 pawl task dispatch A-1 \
			--json && answer '.attempts[0].attempt' '"A-1@2"' && settle &&
		same "$(ran)" 'A-1@2 ' && unset PAWL_AS
}

what_a_driver_refuses_or_makes_otherwise_never_started() {
	failed start:refused driver_refused &&
		failed start:unavailable driver_unavailable &&
		failed start:unsupported driver_unsupported &&
		failed start:profile context_mismatch &&
		failed start:placement context_mismatch
}

# Whether it started can't be told: the reservation stays, and is gone on from.
a_start_that_cant_be_told_stays_reserved() {
	claimed && SCRIPT='start:unknown! reconcile:untold' && export SCRIPT &&
		status 7 pawl task dispatch A-1 --json && code driver_unknown &&
		stood A-1@1 reserved && unmoved status 4 pawl task abandon A-1@1 \
			--reason r --json && code cleanup_blocked && unset SCRIPT &&
		status 0 pawl task recover attempt A-1@1 && settle &&
		same "$(ran)" 'A-1@1 ' && stood A-1@1 reported
}

a_reservation_is_given_up_when_its_driver_lets_go() {
	claimed && SCRIPT='start:conflict' && export SCRIPT &&
		status 4 pawl task dispatch A-1 --json && code driver_conflict &&
		stood A-1@1 reserved && unset SCRIPT &&
		status 0 pawl task abandon A-1@1 --reason r && same "$(cleanups)" \
			'done ' && same "$(ran)" '' && status 0 pawl task dispatch A-1
}

a_gate_that_isnt_closed_is_said() {
	claimed && SCRIPT='start:no-gate' && export SCRIPT &&
		status 0 pawl task dispatch A-1 && same "$(jq -c '.events[] |
			select(.type == "attempt_started") | .data.degraded' \
			"$journal")" '["gate: it began before it was recorded"]'
}

# What lives at its driver is nobody's to give up.
a_worker_that_runs_is_not_given_up() {
	SLOW=30 && export SLOW && claimed && status 0 pawl task dispatch A-1 &&
		unmoved status 4 pawl task abandon A-1@1 --reason r --json &&
		code cleanup_blocked && SCRIPT='reconcile:untold' && export SCRIPT &&
		unmoved status 4 pawl task abandon A-1@1 --reason r --json &&
		code cleanup_blocked && rm -rf ../once/* && unset SCRIPT &&
		kill -9 "-$(cut -d' ' -f1 "$rundir"/drivers/scripted/*/worker)" &&
		settle && stood A-1@1 interrupted && same "$(cleanups)" 'done '
}

# Another coordinator finds it where it is.
another_coordinator_goes_on_with_it() {
	SLOW=2 && export SLOW && claimed && status 0 pawl task dispatch A-1 &&
		unset PAWL_AS && status 0 pawl run "$run" --force --reason r &&
		same "$(ran)" 'A-1@1 B-2@1 R-3@1 ' && same "$(happened attempt_lost)" 0
}

# It knows nothing of it any more: proven gone, or nobody can tell.
what_a_driver_has_lost_is_lost_only_when_it_proves_that() {
	SLOW=1 && export SLOW && claimed && status 0 pawl task dispatch A-1 &&
		SCRIPT='open:not_found! poll:not_found! reconcile:untold!' &&
		export SCRIPT && unmoved status 7 pawl task sync --json &&
		code driver_unknown && stood A-1@1 started &&
		SCRIPT='poll:not_found! reconcile:absent!' &&
		status 0 pawl task sync && stood A-1@1 lost && same "$(cleanups)" 'done '
}

a_stop_ends_what_a_driver_has() {
	SLOW=30 && export SLOW && claimed && unset PAWL_AS && {
		"$PAWL" run "$run" --force --reason r >../run.out 2>&1 &
		pid=$!
	} && for _ in $(seq 300); do
		[ "$(wc -l <../ran)" = 2 ] && break
		sleep 0.1
	done
	kill -TERM $pid && got=0 && { wait $pid || got=$?; } && same $got 143 &&
		stood A-1@1 interrupted && stood B-2@1 interrupted &&
		same "$(cleanups)" 'done done ' && for f in "$rundir"/drivers/*/*/; do
			[ ! -e "$f/worker" ] || [ -e "$f/exit" ] || return 1
		done
}

# What it brings is looked at as any worker's is.
# shellcheck disable=SC2016 # the worker's shell expands it
a_result_goes_the_way_of_any_workers() {
	claimed && cat >../worker.sh <<-'END' &&
		#!/bin/sh
		echo done >a/done
		cp "$GIVES" "$PAWL_OUTBOX/report.json"
	END
	GIVES=$PWD/../gives && export GIVES && result A-1@1 a/done >"$GIVES" &&
		status 0 pawl task dispatch A-1 && settle && stood A-1@1 reported &&
		same "$(sha256sum <"$GIVES" | cut -c1-64)" "$(jq -r '.events[] |
			select(.type == "attempt_reported") | .data.report_sha256' \
			"$journal")" && result A-1@1 a/done >"$GIVES" &&
		status 0 pawl task dispatch B-2 && settle && stood B-2@1 quarantined
}

a_selection_that_fails_stays_open() {
	DRIVER=scripted && worker && SCRIPT=select:not-ready && export SCRIPT &&
		{ coordinated -- ../worker.sh || true; } && run=$(ls .pawl/runs) &&
		rundir=.pawl/runs/$run && journal=$rundir/events.jsonl &&
		PAWL_AS=lead && export PAWL_AS && same "$(happened driver_selected)" 0 &&
		unset SCRIPT && rm -rf ../once/* && SCRIPT=select:crash-after &&
		export SCRIPT && unmoved status 7 pawl task recover driver --json &&
		code driver_unknown && status 0 pawl task recover driver --json &&
		answer '[.driver]' '["scripted"]'
}

a_driver_without_the_nine_isnt_selected() {
	DRIVER=scripted && worker && SCRIPT='describe:eight! ' && export SCRIPT &&
		{ coordinated -- ../worker.sh || true; } && run=$(ls .pawl/runs) &&
		rundir=.pawl/runs/$run && journal=$rundir/events.jsonl &&
		PAWL_AS=lead && export PAWL_AS && unmoved status 1 pawl task recover \
			driver --json && code driver_unsupported &&
		unmoved status 1 pawl task dispatch A-1 --json &&
		code driver_unsupported && SCRIPT=describe:no-handle &&
		unmoved status 1 pawl task recover driver --json &&
		code driver_unsupported
}

# each ACT: pawl is killed before each CUTS-th call that changes something.
each() {
	n=1
	while :; do
		fresh && echo "cut before $n" &&
			claimed && "$1" && {
			"$CUT" "$n" "$PAWL" task $2 >../cut 2>&1
			got=$?
		}
		case $got in
		0) ;;
		3) unset PAWL_AS && return 0 ;;
		*) cat ../cut && return 1 ;;
		esac
		# shellcheck disable=SC2086 # words of a command
		{ [ -z "$3" ] || pawl task $3; } && settle && pawl task sync &&
			stood A-1@1 reported && same "$(ran)" 'A-1@1 ' &&
			same "$(cleanups)" 'done ' && status 0 pawl verify "$run" ||
			return 1
		unset PAWL_AS && n=$((n + ${CUTS:-1}))
	done
}

begun() { pawl task dispatch A-1; }
over() {
	pawl task dispatch A-1 && for _ in $(seq 200); do
		[ -e "$rundir/drivers/scripted/${run}_A-1@1/exit" ] && return 0
		sleep 0.05
	done
	return 1
}
a_dispatch_that_is_killed_starts_one_worker() {
	each true 'dispatch A-1 --key k' 'dispatch A-1 --key k'
}
an_end_that_is_killed_is_recorded_once() { each over sync ''; }

t a_programs_attempt_goes_the_way_of_all
t a_whole_run_is_driven_by_a_program
t no_driver_is_no_run
t a_driver_that_fails_once_costs_time_alone
t a_driver_that_hangs_is_ended
t what_a_driver_refuses_or_makes_otherwise_never_started
t a_start_that_cant_be_told_stays_reserved
t a_reservation_is_given_up_when_its_driver_lets_go
t a_gate_that_isnt_closed_is_said
t a_worker_that_runs_is_not_given_up
t another_coordinator_goes_on_with_it
t what_a_driver_has_lost_is_lost_only_when_it_proves_that
t a_stop_ends_what_a_driver_has
t a_result_goes_the_way_of_any_workers
t a_selection_that_fails_stays_open
t a_driver_without_the_nine_isnt_selected
"$CUT" 100 true
if [ $? -eq 77 ]; then
	skip cuts "processes can't be traced"
else
	t a_dispatch_that_is_killed_starts_one_worker
	t an_end_that_is_killed_is_recorded_once
fi
done_testing
