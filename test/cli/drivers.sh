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

# driven [WORDS]: a claimed run of the scripted driver.
driven() {
	worker && coordinated >/dev/null && unset PAWL_AS && first=$run &&
		pawl task start tasks.md --driver scripted -- ../worker.sh >../start &&
		run=$(other_run "$first") && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one &&
		PAWL_AS=lead && export PAWL_AS
}
claimed() { driven && pawl task claim "$run" >/dev/null; }

# settle: sync until none is at work.
settle() {
	for _ in $(seq 100); do
		pawl task sync "$run" --json >../out || return 1
		[ "$(jq '.result.working | length' ../out)" != 0 ] || return 0
		sleep 0.1
	done
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
	worker && coordinated >/dev/null && unset PAWL_AS && first=$run &&
		rm tasks.md && git checkout -q tasks.md && echo >>tasks.md &&
		status 0 pawl run tasks.md --driver scripted -- ../worker.sh &&
		run=$(other_run "$first") && journal=.pawl/runs/$run/events.jsonl &&
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

t a_programs_attempt_goes_the_way_of_all
t a_whole_run_is_driven_by_a_program
t no_driver_is_no_run
done_testing
