#!/bin/sh
# Who works on an attempt: a process of pawl's, or somebody to whom it is handed
# on; and what becomes of both when another coordinates.
. "$(dirname "$0")/handout.sh"

# worker: the run's command; does what its node wants.
worker() {
	cat >../worker.sh <<-'END' && chmod +x ../worker.sh
		#!/bin/sh
		cat >/dev/null
		case $PAWL_NODE in
		A-1) [ -z "${SLOW:-}" ] || sleep "$SLOW"; echo done >a/done ;;
		B-2) echo done >b/done ;;
		esac
	END
}

# processed: as coordinated, and the run's command is ../worker.sh.
processed() {
	worker && coordinated >/dev/null && unset PAWL_AS &&
		first=$run && pawl task start tasks.md --driver process -- \
			../worker.sh >../start &&
		run=$(other_run "$first") &&
		rundir=.pawl/runs/$run && journal=$rundir/events.jsonl &&
		pawl task claim "$run" --as lead >/dev/null && PAWL_AS=lead &&
		export PAWL_AS
}

# settle: sync until no process is at work.
settle() {
	for _ in 1 2 3 4 5 6; do
		pawl task sync "$run" --wait 10 --json >../out || return 1
		[ "$(jq '.result.working | length' ../out)" != 0 ] || return 0
	done
	return 1
}

a_process_outlives_the_call_that_started_it() {
	processed && status 0 pawl task dispatch "$run/A-1" B-2 --json &&
		answer '[.attempts[] | .driver, .status]' \
			'["process","started","process","started"]' && settle &&
		same "$(jq -r '.events[] | select(.type == "attempt_reported") |
			.attempt' "$journal" | sort | tr '\n' ' ')" 'A-1@1 B-2@1 ' &&
		same "$(happened check_started)" 0 &&
		same "$(jq -r '.events[] | select(.type == "cleanup_settled") |
			.data.status' "$journal" | sort -u)" verified &&
		unmoved status 0 pawl task sync "$run"
}

# Its monitor was killed: the outcome is unknown, and nothing of it is left.
a_process_whose_monitor_is_killed_is_lost() {
	SLOW=30 && export SLOW && processed &&
		status 0 pawl task dispatch "$run/A-1" && unmoved status 4 \
			pawl task abandon "$run/A-1@1" --reason r --json &&
		code cleanup_blocked && kill -9 "$(jq '.events[] |
			select(.type == "attempt_started") | .data.pid' "$journal")" &&
		settle && same "$(happened attempt_lost)" 1 &&
		same "$(happened workspace_reconciled)" 1 &&
		status 0 pawl task dispatch "$run/A-1" --json &&
		answer '.attempts[0].attempt' '"A-1@2"' && kill -9 "$(jq '.events[] |
			select(.type == "attempt_started" and .attempt == "A-1@2") |
			.data.pid' "$journal")" && sleep 0.2 &&
		status 0 pawl task abandon "$run/A-1@2" --reason r &&
		same "$(jq -r '.events[] | select(.type ==
			"attempt_abandoned") | .attempt' "$journal")" A-1@2
}

# An attempt without a monitor is nobody's to call lost.
another_coordinator_waits_for_what_is_handed_out() {
	worker && coordinated && status 0 pawl task dispatch A-1 &&
		unset PAWL_AS && {
		pawl run "$run" --force --reason 'night shift' -- ../worker.sh \
			>../run.out 2>&1 &
		driver=$!
	} && for _ in $(seq 100); do
		[ "$(happened node_graded)" = 1 ] && break
		sleep 0.1
	done
	same "$(happened node_graded)" 1 && works A-1@1 a/done && wait $driver &&
		same "$(happened attempt_reserved)" 3 &&
		same "$(happened attempt_lost)" 0 &&
		same "$(happened attempt_interrupted)" 0 &&
		same "$(jq -r '.events[] | select(.type == "run_closed") |
			.data.outcome' "$journal")" pass
}

# A stop leaves it to whoever comes next.
a_stop_leaves_what_is_handed_out() {
	worker && coordinated && status 0 pawl task dispatch A-1 B-2 &&
		unset PAWL_AS && {
		pawl run "$run" --force --reason r -- ../worker.sh >../run.out 2>&1 &
		driver=$!
	} && for _ in $(seq 100); do
		[ "$(happened coordinator_taken_over)" = 1 ] && break
		sleep 0.1
	done
	sleep 0.3 && kill -TERM $driver && got=0 && { wait $driver || got=$?; } &&
		same $got 143 && stood A-1@1 started && stood B-2@1 started
}

a_deadline_ends_what_is_handed_out() {
	coordinated && sed -i 's/^  Check: test -f a/  Timeout: 1s\n&/' tasks.md &&
		git commit -qam timeout && first=$run && unset PAWL_AS &&
		pawl task start tasks.md --driver host >../start &&
		run=$(other_run "$first") && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && PAWL_AS=lead && export PAWL_AS &&
		pawl task claim "$run" >/dev/null &&
		status 0 pawl task dispatch "$run/A-1" &&
		unmoved status 0 pawl task sync "$run" &&
		status 0 pawl task sync "$run" --wait 10 --json &&
		answer '[.reason, .attempts[0].status, .attempts[0].cause]' \
			'["change","interrupted","timeout"]' &&
		status 0 pawl task dispatch "$run/A-1" --json &&
		answer '.attempts[0].attempt' '"A-1@2"'
}

# Of these attempts alone, without a shell, whatever driver the run has; the call
# is over when it runs, and who comes later starts the same.
# shellcheck disable=SC2016 # the worker's shell expands it
an_attempt_has_a_command_of_its_own() {
	worker && coordinated && begun=$(date +%s) &&
		status 0 pawl task dispatch A-1 --json --key k -- sh -c \
			'sleep 3; echo "$1" >a/done' own 'two  words $(id)' &&
		[ $(($(date +%s) - begun)) -lt 3 ] && answer '[.attempts[0] |
			.driver, .status, .command[3:]]' \
			'["process","started",["own","two  words $(id)"]]' &&
		unmoved status 4 pawl task dispatch A-1 --key k --json -- true &&
		code key_conflict && settle &&
		status 0 pawl task dispatch B-2 --defer -- ../worker.sh &&
		stood B-2@1 reserved && rm -f "$rundir/state.json" &&
		status 0 pawl task recover attempt B-2@1 &&
		same "$(pawl show B-2@1 --json | jq -c .result.detail.command)" \
			"[\"$(cd .. && pwd -P)/worker.sh\"]" && settle &&
		same "$(jq -r '.events[] | select(.type == "attempt_reported") |
			.attempt' "$journal" | sort | tr '\n' ' ')" 'A-1@1 B-2@1 ' &&
		same "$(cat "$(workspace A-1@1)/a/done")" 'two  words $(id)' &&
		same "$(cat "$(workspace B-2@1)/b/done")" 'done' &&
		for n in A-1 B-2; do
			pawl task check $n && pawl task integrate $n &&
				pawl task grade $n pass || return 1
		done &&
		unmoved status 2 pawl task dispatch R-3 -- &&
		unmoved status 3 pawl task dispatch R-3 -- ./no-such-worker &&
		status 0 pawl task dispatch R-3 --json &&
		answer '.attempts[0].driver' '"host"'
}

# What a coordinator registered and left open keeps the next one from ending the
# work: all else goes on, what is gone is settled, and the verb is named.
what_a_coordinator_registered_is_settled_before_the_end() {
	worker && coordinated && mkdir ../scratch && scratch=$(cd ../scratch &&
		pwd -P) && status 0 pawl task dispatch A-1 && status 0 pawl task \
			cleanup register A-1@1 --kind temp_path --target "$scratch" &&
		status 0 pawl task cleanup register A-1@1 --kind terminal \
			--target t1 && works A-1@1 a/done && unset PAWL_AS &&
		rmdir ../scratch && status 4 pawl run "$run" --force --reason r \
			--json -- ../worker.sh && code cleanup_pending &&
		stood A-1@1 reported && stood B-2@1 settled &&
		same "$(jq -r '.events[] | select(.type == "cleanup_settled") |
			.data | [.cleanup, .status] | join(" ")' "$journal" |
			grep '^c2 ')" 'c2 verified' && pawl next --json >../out &&
		answer '[.next.do, .next.subject, .next.command]' \
			"[\"clean up\",\"$run/c3\",\"pawl task takeover $run --as lead\"]" &&
		pawl explain A-1 >../out && grep -q 'c3 (terminal t1)' ../out &&
		unmoved_but_takeover status 4 pawl run "$run" &&
		status 0 pawl task takeover "$run" --as lead &&
		status 0 pawl task cleanup finish "$run/c3" --as lead &&
		status 0 pawl task transfer "$run" --as lead &&
		status 0 pawl run "$run" -- ../worker.sh && stood A-1@1 settled
}

# unmoved_but_takeover CMD...: it appends that alone.
unmoved_but_takeover() {
	had=$(wc -l <"$journal") && "$@" && same "$(wc -l <"$journal")" $((had + 1))
}

t a_process_outlives_the_call_that_started_it
t what_a_coordinator_registered_is_settled_before_the_end
t an_attempt_has_a_command_of_its_own
t a_process_whose_monitor_is_killed_is_lost
t another_coordinator_waits_for_what_is_handed_out
t a_stop_leaves_what_is_handed_out
t a_deadline_ends_what_is_handed_out
done_testing
