#!/bin/sh
# What programs are shown of a run: the summary, the graph, the stream of
# changes, what an agent's Stop hook is told, and what users of a view ask for.
# shellcheck disable=SC2015,SC2016
. "$(dirname "$0")/gated.sh"

# doc FILTER WANT: the last command's result, cut to what is asked about.
doc() { answer "$1" "$2"; }

# line N FILTER WANT: of the Nth document of a stream in ../stream.
line() { same "$(sed -n "$1p" ../stream | jq -c "$2")" "$3"; }

# named: a run that the coordinator `lead` drives by hand.
named() {
	project && status 0 pawl task start tasks.md --driver host --json &&
		run=$(jq -r .result.run ../out) &&
		status 0 pawl task claim "$run" --as lead
}

the_summary_is_in_status() {
	copied && status 0 pawl status --json &&
		doc '.summary | .state, .percent' '"input_required"
50' &&
		doc '.summary | [.counts.total, .counts.passed,
			.counts.input_required, .counts.failed]' '[2,1,1,0]' &&
		doc '[.summary.blockers.items[] | .kind, .subject]' \
			'["approval","B-2!1"]' &&
		doc '.summary.cleanups.verified.count > 0' true &&
		doc '.summary.tokens' '"unavailable"' &&
		doc '.summary.last_activity.seq == .run.seq' true
}

# C095: 100 per cent is said only of what was closed with everything passed.
only_a_run_that_passed_is_complete() {
	copied && status 0 pawl approve "$run/B-2!1" --reason ok &&
		status 0 pawl status --json &&
		doc '[.summary.state, .summary.percent]' '["active",50]' &&
		status 0 pawl run "$run" && status 0 pawl status "$run" --json &&
		doc '[.summary.state, .summary.percent]' '["complete",100]'
}

a_view_is_a_snapshot_a_delta_or_a_reset() {
	copied && status 0 pawl task view --json &&
		doc '[.protocol, .kind, .run]' \
			"[\"agent-graph-view/v1\",\"snapshot\",\"$run\"]" &&
		doc '[.nodes[] | .id, .status]' \
			'["A-1","PASSED","B-2","NEEDS_APPROVAL"]' &&
		doc '[.edges[] | .source, .target]' '["B-2","A-1"]' &&
		at=$(jq .result.cursor ../out) && same "$at" "$(lines)" &&
		! grep -q 'test -f\|is there\|worker.sh' ../out &&
		status 0 pawl task view --from "$at" --json &&
		doc '[.kind, .nodes, .edges]' '["delta",[],[]]' &&
		status 0 pawl task view --from $((at - 1)) --kind delta --json &&
		doc '.kind' '"delta"' &&
		status 0 pawl task view --from $((at + 1)) --json &&
		doc '[.kind, .reason, (.nodes | length)]' \
			'["reset","cursor_ahead",2]' &&
		status 0 pawl task view --kind reset --json &&
		doc '[.kind, .reason]' '["reset","requested"]' &&
		status 0 pawl approve "$run/B-2!1" --reason ok &&
		status 0 pawl maestro-view --from "$at" --json &&
		doc '[.from, .cursor, (.nodes[] | .id, .status)]' \
			"[$at,$((at + 1)),\"B-2\",\"READY\"]" &&
		status 2 pawl task view --kind delta &&
		status 2 pawl task view --kind snapshot --from 1 &&
		status 1 pawl task view --kind all --json &&
		code invalid_argument && status 0 pawl task view &&
		grep -q "^$run  active, 50 %" ../out &&
		grep -q '^READY *B-2' ../out
}

# A view of a run reads and does nothing else.
a_view_writes_nothing() {
	copied && tree . >../before && status 0 pawl task view --json &&
		status 0 pawl task view --from 3 && status 0 pawl task stop-hook \
		</dev/null && status 0 pawl status --watch --iterations 1 --json &&
		tree . >../after && cmp ../before ../after
}

a_watch_begins_with_the_whole() {
	copied && status 0 pawl status --watch --iterations 1 --json &&
		cp ../out ../stream && same "$(wc -l <../stream)" 1 &&
		line 1 '[.kind, .run, .cursor]' \
			"[\"snapshot\",\"$run\",$(lines)]" &&
		line 1 '.state.run.status' '"NEEDS_APPROVAL"' &&
		status 0 pawl status --watch --iterations 1 &&
		grep -q "^$run  NEEDS_APPROVAL" ../out
}

# Each event is told, not a sum of them; taken up behind the last cursor.
a_watch_is_taken_up_again() {
	copied && at=$(lines) && status 0 pawl approve "$run/B-2!1" --reason ok &&
		status 0 pawl run "$run" &&
		status 0 pawl status "$run" --watch --cursor "$at" --json &&
		cp ../out ../stream && same "$(wc -l <../stream)" 1 &&
		line 1 '[.kind, .from, .cursor, .status]' \
			"[\"delta\",$at,$(lines),\"COMPLETE\"]" &&
		same "$(jq -c '.changes[] | [.seq, .type, .node]' ../stream)" \
			"$(tail -n +$((at + 1)) "$(events)" | jq -c '.seq as $s |
			.events[] | [$s, .type, .node // ""]')" &&
		line 1 '[.nodes[] | .id, .status]' '["B-2","PASSED"]' &&
		line 1 '.summary.state' '"complete"' &&
		status 0 pawl status "$run" --watch --cursor "$(lines)" --json &&
		[ ! -s ../out ] &&
		status 0 pawl status "$run" --watch --cursor "$at" &&
		same "$(wc -l <../out)" "$(jq '.changes | length' ../stream)" &&
		grep -q 'B-2@1 started' ../out
}

a_cursor_that_reaches_nothing_is_answered_with_the_whole() {
	named && at=$(lines) && status 0 pawl status --watch --iterations 1 \
		--cursor $((at + 1)) --json && cp ../out ../stream &&
		line 1 '[.kind, .reason, .cursor]' \
			"[\"reset\",\"cursor_ahead\",$at]" && i=0 &&
		while [ $i -lt 33 ]; do
			status 0 pawl task transfer "$run" --as lead &&
				status 0 pawl task claim "$run" --as lead || return 1
			i=$((i + 1))
		done && now=$(lines) && [ $((now - at)) -gt 64 ] &&
		status 0 pawl status --watch --iterations 1 \
			--cursor $((now - 64)) --json && cp ../out ../stream &&
		line 1 '[.kind, .from, (.changes | length >= 64)]' \
			"[\"delta\",$((now - 64)),true]" &&
		status 0 pawl status --watch --iterations 1 \
			--cursor $((now - 65)) --json && cp ../out ../stream &&
		line 1 '[.kind, .reason]' '["reset","cursor_expired"]' &&
		status 0 pawl task view --from $((now - 65)) --json &&
		doc '.reason' '"cursor_expired"'
}

# until N: ../stream, once it is there, has that many lines, within ten seconds.
until_lines() {
	i=0
	while [ "$(cat ../stream 2>/dev/null | wc -l)" -lt "$1" ]; do
		[ $i -lt 200 ] || return 1
		i=$((i + 1))
		sleep 0.05
	done
}

a_watch_tells_what_comes_and_ends_with_the_run() {
	copied && { pawl status --watch --interval 0 --json >../stream 2>../err2 &
	pid=$!; } && until_lines 1 &&
		status 0 pawl approve "$run/B-2!1" --reason ok && until_lines 2 &&
		line 2 '[.kind, [.changes[].type]]' '["delta",["gate_decided"]]' &&
		status 0 pawl run "$run" && wait "$pid" &&
		same "$(jq -s '[.[].cursor] == ([.[].cursor] | sort | unique)' \
			../stream)" true &&
		same "$(jq -s 'map(select(.kind == "delta")) | [.[].changes[]] |
			length' ../stream)" \
			"$(tail -n +"$(($(line_of 1) + 1))" "$(events)" |
				jq -s '[.[].events[]] | length')" &&
		same "$(tail -n 1 ../stream | jq -c '.status')" '"COMPLETE"' &&
		[ ! -s ../err2 ]
}
line_of() { sed -n "$1p" ../stream | jq .cursor; }

# The interval is the least time between two documents; what came meanwhile is
# in one, change by change.
an_interval_gathers_changes() {
	named && { pawl status --watch --interval 1.5 --iterations 2 --json \
		>../stream & pid=$!; } && until_lines 1 &&
		status 0 pawl task transfer "$run" --as lead &&
		status 0 pawl task claim "$run" --as lead && wait "$pid" &&
		same "$(wc -l <../stream)" 2 &&
		line 2 '[.changes[].type] | (index("coordinator_transferred")
			!= null and index("coordinator_claimed") != null)' true
}

# Nothing is read and nothing wakes while nothing changes.
a_watch_sleeps() {
	copied && { pawl status --watch --interval 0.1 --json >../stream &
	pid=$!; } && until_lines 1 && sleep 0.2 &&
		was=$(grep ctxt "/proc/$pid/status") && sleep 1 &&
		same "$(grep ctxt "/proc/$pid/status")" "$was" &&
		kill "$pid" && { wait "$pid"; same "$(wc -l <../stream)" 1; }
}

# A cursor never goes back: what was shown and isn't there is taken back whole.
a_journal_that_shrank_is_a_reset() {
	copied && { pawl status --watch --interval 0 --json >../stream &
	pid=$!; } && until_lines 1 && truncate -s \
		"$(head -n 3 "$(events)" | wc -c)" "$(events)" && until_lines 2 &&
		line 2 '[.kind, .reason, .cursor]' '["reset","cursor_ahead",3]' &&
		kill "$pid" && { wait "$pid"; [ $? = 143 ]; }
}

# Who follows what never changes again, for nobody, would do so for ever.
a_watch_ends_with_its_reader_and_its_journal() {
	for words in 'status --watch' 'status --watch --json' 'watch --json' \
		'log --follow'; do
		copied && mkfifo ../pipe && {
			# shellcheck disable=SC2086
			timeout 20 "$PAWL" $words >../pipe 2>../err2 &
			pid=$!
		} && head -c 1 <../pipe >/dev/null && { wait "$pid"
		same "$words $?" "$words 141"; } && [ ! -s ../err2 ] && {
			# shellcheck disable=SC2086
			timeout 20 "$PAWL" $words >../stream 2>../err2 &
			pid=$!
		} && until_lines 1 && sleep 0.2 && rm "$(events)" && { wait "$pid"
		same "$words $?" "$words 3"; } && rm -rf .pawl ../pipe ../stream ||
			return 1
	done
}

options_of_a_watch_are_checked() {
	copied && for bad in '--interval -1' '--interval 1.2345' '--interval x' \
		'--interval 3601' '--iterations 0' '--cursor -1' '--cursor x'; do
		# shellcheck disable=SC2086
		status 1 pawl status --watch $bad --json &&
			code invalid_argument || return 1
	done && status 2 pawl status --cursor 1 && status 2 pawl status \
		--interval 1 && status 3 pawl status --watch r-none --json &&
		code run_not_found
}

block='{"decision":"block"'

a_stop_is_held_up_while_work_is_left() {
	named && echo '{"hook_event_name":"Stop","stop_hook_active":false}' |
		status 0 pawl task stop-hook &&
		same "$(jq -c '.decision, (keys | length)' ../out)" '"block"
2' && jq -r .reason ../out | grep -q '2 tasks are pending and 0 running' &&
		jq -r .reason ../out | grep -q "(pawl task ready $run)" &&
		[ ! -s ../err ] && PAWL_AS=lead status 0 pawl task stop-hook \
		</dev/null && grep -qF "$block" ../out &&
		PAWL_AS=other status 0 pawl task stop-hook </dev/null &&
		[ ! -s ../out ] && echo '{"stop_hook_active":true}' |
		status 0 pawl task stop-hook && [ ! -s ../out ] &&
		[ ! -s ../err ] && status 0 pawl stop-hook "$run" </dev/null &&
		grep -qF "$block" ../out && PAWL_ATTEMPT=A-1@1 status 0 \
		pawl task stop-hook </dev/null && [ ! -s ../out ] &&
		status 0 pawl task stop-hook --json </dev/null &&
		doc .decision '"block"'
}

a_stop_is_let_go_when_only_a_human_is_waited_for() {
	copied && status 0 pawl task stop-hook </dev/null && [ ! -s ../out ] &&
		status 0 pawl approve "$run/B-2!1" --reason ok &&
		status 0 pawl task stop-hook </dev/null &&
		grep -qF "$block" ../out && status 0 pawl run "$run" &&
		status 0 pawl task stop-hook </dev/null && [ ! -s ../out ] &&
		status 0 pawl task stop-hook --json </dev/null && doc . '{}'
}

# It fails open: what is broken holds nobody up, and is said.
a_stop_is_let_go_when_something_is_broken() {
	status 0 pawl task stop-hook </dev/null && [ ! -s ../out ] && named &&
		echo '{"stop_hook_active":' | status 0 pawl task stop-hook &&
		[ ! -s ../out ] && [ -s ../err ] &&
		head -c 2000000 /dev/zero | status 0 pawl task stop-hook &&
		[ ! -s ../out ] && [ -s ../err ] &&
		echo rubbish >".pawl/runs/$run/plan/tasks.md" &&
		status 0 pawl task stop-hook </dev/null && [ ! -s ../out ] &&
		grep -q "isn't held up" ../err &&
		status 0 pawl task stop-hook r-none </dev/null &&
		[ ! -s ../out ] && [ -s ../err ] && echo 'pawl 9' >.pawl/format &&
		status 0 pawl task stop-hook </dev/null && [ ! -s ../out ] &&
		[ -s ../err ]
}

# request ID REVISION GENERATION [TARGET]
request() {
	jq -nc --arg id "$1" --arg run "$run" --arg target "${4:-A-1}" \
		--argjson at "$2" --argjson gen "$3" '{schema_version: 1,
		request_id: $id, run: $run, kind: "dispatch", target: $target,
		expected_revision: $at, generation: $gen, note: "soon"}'
}

a_request_waits_until_it_is_taken_once() {
	named && at=$(lines) && cp "$(events)" ../events &&
		request q-1 "$at" 1 >../q && status 0 pawl task view request \
		--file ../q --dry-run --json && [ ! -e ".pawl/runs/$run/inbox" ] &&
		status 0 pawl task view request --file ../q --json &&
		doc '[.request_id, .made]' '["q-1",true]' &&
		status 0 pawl task view request --file - --json <../q &&
		doc '.made' false &&
		same "$(jq -r .result.sha256 ../out)" \
			"$(sha256sum <".pawl/runs/$run/inbox/q-1.json" | cut -c1-64)" &&
		request q-1 "$at" 1 B-2 >../other &&
		status 4 pawl task view request --file ../other --json &&
		code id_taken && status 0 pawl task view requests --as lead --json &&
		doc '[.requests[] | .request_id, .kind, .target, .current,
			.taken]' '["q-1","dispatch","A-1",true,null]' &&
		status 0 pawl task view take q-1 --as lead --json &&
		doc '[.request.request_id, .request.taken.by]' '["q-1","lead"]' &&
		status 4 pawl task view take q-1 --as lead --json &&
		code request_taken && status 3 pawl task view take q-2 --as lead \
		--json && code request_not_found &&
		status 1 pawl task view take ../q --as lead &&
		status 0 pawl task view requests --as lead &&
		grep -q '^q-1  dispatch A-1, taken by lead: soon$' ../out &&
		cmp "$(events)" ../events
}

# Two at once: one takes it, the other is told who did.
a_request_is_taken_by_one() {
	named && request q-1 "$(lines)" 1 >../q &&
		status 0 pawl task view request --file ../q && i=0 &&
		while [ $i -lt 8 ]; do
			pawl task view take q-1 --as lead --json >"../take$i" 2>&1 &
			i=$((i + 1))
		done && wait
	same "$(cat ../take* | jq -sc '[.[] | .error.code // "ok"] | sort')" \
		'["ok","request_taken","request_taken","request_taken","request_taken","request_taken","request_taken","request_taken"]'
}

an_old_request_is_told_the_revision_of_now() {
	named && at=$(lines) && request q-1 $((at - 1)) 1 >../q &&
		status 4 pawl task view request --file ../q --json &&
		code stale_seq && same "$(jq -c .error.details ../out)" \
		"{\"current_revision\":$at,\"generation\":1,\"reset_required\":false}" &&
		request q-1 "$at" 1 >../q &&
		status 0 pawl task view request --file ../q &&
		status 0 pawl task transfer "$run" --as lead &&
		status 0 pawl task claim "$run" --as lead && at=$(lines) &&
		status 0 pawl task view requests --as lead --json &&
		doc '[.requests[].current]' '[false]' &&
		request q-2 "$at" 1 >../q &&
		status 4 pawl task view request --file ../q --json &&
		code stale_seq && same "$(jq -c .error.details ../out)" \
		"{\"current_revision\":$at,\"generation\":2,\"reset_required\":true}" &&
		request q-2 "$at" 2 C-3 >../q &&
		status 3 pawl task view request --file ../q --json &&
		code node_not_found && status 0 pawl task view requests --as lead \
		--json && doc .total 1
}

# The inbox is the coordinator's, and no worker's.
others_get_nothing_from_the_inbox() {
	named && request q-1 "$(lines)" 1 >../q &&
		PAWL_ATTEMPT=A-1@1 status 9 pawl task view request --file ../q \
			--json && code worker_context &&
		status 0 pawl task view request --file ../q && bytes >../before &&
		status 9 pawl task view requests --json && code not_permitted &&
		status 9 pawl task view take q-1 --json && code not_permitted &&
		for verb in requests 'take q-1'; do
		# shellcheck disable=SC2086
		pawl task view $verb --as other --json >../out 2>&1 && return 1
		code not_permitted || code stale_coordinator || return 1
	done && bytes >../after && cmp ../before ../after &&
		mkdir ../elsewhere && rm -r ".pawl/runs/$run/inbox" &&
		ln -s "$PWD/../elsewhere" ".pawl/runs/$run/inbox" &&
		request q-2 "$(lines)" 1 >../q &&
		status 9 pawl task view request --file ../q --json &&
		code unsafe_path && [ -z "$(ls ../elsewhere)" ]
}

a_bad_request_is_refused_at_its_place() {
	named && for doc in '[]' '{' '{"schema_version":1}' \
		"$(request ../q 1 1)" "$(request q "$(lines)" 1 | sed 's/dispatch/rm/')" \
		"$(request q "$(lines)" 1 | sed 's/"note"/"prompt"/')"; do
		echo "$doc" | status 1 pawl task view request --file - || return 1
	done && status 2 pawl task view request &&
		status 3 pawl task view request --file ../nothing &&
		[ ! -e ".pawl/runs/$run/inbox" ]
}

t the_summary_is_in_status
t only_a_run_that_passed_is_complete
t a_view_is_a_snapshot_a_delta_or_a_reset
t a_view_writes_nothing
t a_watch_begins_with_the_whole
t a_watch_is_taken_up_again
t a_cursor_that_reaches_nothing_is_answered_with_the_whole
t a_watch_tells_what_comes_and_ends_with_the_run
t an_interval_gathers_changes
t a_watch_sleeps
t a_journal_that_shrank_is_a_reset
t a_watch_ends_with_its_reader_and_its_journal
t options_of_a_watch_are_checked
t a_stop_is_held_up_while_work_is_left
t a_stop_is_let_go_when_only_a_human_is_waited_for
t a_stop_is_let_go_when_something_is_broken
t a_request_waits_until_it_is_taken_once
t a_request_is_taken_by_one
t an_old_request_is_told_the_revision_of_now
t others_get_nothing_from_the_inbox
t a_bad_request_is_refused_at_its_place
done_testing
