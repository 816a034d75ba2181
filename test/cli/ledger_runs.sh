#!/bin/sh
# A ledger that is a run: the verbs of ledgers, and those of all runs, on it.
. "$(dirname "$0")/lib.sh"

# begun: a repository with a ledger run of two nodes; its name is in $run.
begun() {
	repo && pawl init 2>/dev/null && status 0 pawl ledger new 'All of it' --run &&
		run=$(ls .pawl/runs) && status 0 pawl ledger add a --title 'Do a' &&
		status 0 pawl ledger add b --title 'Do b' --depends a --approval
}

# picked FILTER WANT: of the document in ../out.
picked() { same "$(jq -c "$1" ../out)" "$2"; }

journal() { cat ".pawl/runs/$run/events.jsonl"; }

walked_to_its_end() {
	begun && status 0 pawl ledger set a RUNNING &&
		status 0 pawl ledger set a PASSED --evidence url:https://e.org/1 &&
		status 0 pawl ledger approve b --reason seen &&
		status 0 pawl ledger set b RUNNING &&
		status 0 pawl ledger set b PASSED --evidence url:https://e.org/2 &&
		status 0 pawl ledger complete --json &&
		answer '[.run, .outcome, .again, .seq]' "[\"$run\",\"pass\",false,9]" &&
		[ ! -e ".pawl/active/$run" ] && status 0 pawl verify "$run" &&
		status 0 pawl status "$run" && grep -q 'COMPLETE  2/2 passed, closed as pass' ../out
}

a_repair_makes_no_cycle() {
	repo && pawl init 2>/dev/null && status 0 pawl ledger new T --run --id r &&
		status 0 pawl ledger add a --title A --max-attempts 1 &&
		status 0 pawl ledger add b --title B --depends a &&
		status 0 pawl ledger set b SKIPPED --reason 'no need' &&
		status 0 pawl ledger add a-repair --title R --kind repair --depends b &&
		status 0 pawl ledger set a RUNNING && status 0 pawl ledger set a FAILED &&
		status 0 pawl ledger set a-repair RUNNING &&
		status 0 pawl ledger set a-repair PASSED --evidence 'mended it' &&
		status 0 pawl export --ledger r && cp ../out ../l.json &&
		status 0 pawl ledger check --strict ../l.json &&
		status 1 pawl ledger repair a --id a-repair --json && code cycle &&
		status 0 pawl ledger set a READY --reason 'it was mended'
}

# C089: another terminal, a closed run, ids: nothing goes and nothing changes.
records_never_vanish() {
	walked_to_its_end && status 0 pawl ledger show "$run" && cp ../out ../want &&
		status 0 pawl log "$run" && cp ../out ../log &&
		status 0 pawl ledger new 'Another' --run --id other &&
		mkdir sub && cd sub && status 0 setsid env -u HOME PAWL_NOW=1800000000000 \
			"$PAWL" ledger show "$run" && cmp ../out ../../want &&
		status 0 pawl log "$run" && cmp ../out ../../log && cd .. &&
		status 0 pawl list --all && grep -q "^$run " ../out &&
		grep -q '^other ' ../out && status 0 pawl list &&
		! grep -q "^$run " ../out
}

nothing_is_added_to_a_closed_run() {
	walked_to_its_end && journal >../before &&
		for verb in 'add c --title x' 'set a RUNNING' 'evidence b url:x://y' \
			'approve b' complete; do
			# shellcheck disable=SC2086 # words
			status 3 pawl ledger $verb --json && code run_not_found ||
				return 1
		done
	for verb in "add $run/c --title x" "set $run/b READY --reason r" \
		"evidence $run/b url:x://y" "deny $run/b" "complete $run"; do
		# shellcheck disable=SC2086
		status 1 pawl ledger $verb --json && code run_closed || return 1
	done
	journal >../after && cmp ../before ../after
}

an_unfinished_run_is_ended_with_a_word() {
	begun && status 1 pawl ledger complete --json && code step_not_allowed &&
		status 1 pawl ledger complete --outcome pass --json &&
		code step_not_allowed &&
		status 1 pawl ledger complete --outcome finished --json &&
		code invalid_argument && status 0 pawl ledger complete \
			--outcome partial --reason 'no time' &&
		same "$(cat ../out)" "closed $run, outcome partial" &&
		journal | grep -q '"type":"run_closed","data":{"outcome":"partial","reason":"no time"}'
}

# C119: the same key does it once; for something else it is a conflict.
done_once_by_key() {
	begun && for once in false true; do
		status 0 pawl ledger add c --title 'Do c' --key k1 --json &&
			answer .again $once || return 1
	done
	journal >../before && status 4 pawl ledger add d --title 'Do d' --key k1 --json &&
		code key_conflict && status 0 pawl ledger set a RUNNING --key k2 &&
		status 0 pawl ledger set a RUNNING --key k2 --json &&
		answer .again true && same "$(journal | wc -l)" 5 &&
		for once in false true; do
			status 0 pawl ledger complete --outcome partial --key k3 \
				--json "$run" && answer .again $once || return 1
		done
}

a_named_run_is_made_once_by_key() {
	repo && for once in false true; do
		status 0 pawl ledger new T --run --id mine --key k --json &&
			answer '[.run_id, .again]' "[\"mine\",$once]" || return 1
	done
	status 4 pawl ledger new T --run --id mine --json && code id_taken &&
		status 4 pawl ledger new U --run --id mine --key k --json &&
		code key_conflict
}

# Content counts as an argument does; it may come on standard input.
a_key_is_for_what_was_read_too() {
	begun && echo '[{"id":"x","title":"X"}]' >../x &&
		sed 's/x/y/' ../x >../y && for once in false true; do
			status 0 pawl ledger add --batch - --key k --json "$run" <../x &&
				answer .again $once || return 1
		done && journal >../before &&
		status 4 pawl ledger add --batch - --key k --json "$run" <../y &&
		code key_conflict && for once in false true; do
			status 0 pawl ledger evidence a --from - --key e --json <../x &&
				answer .again $once || return 1
		done && status 4 pawl ledger evidence a --from - --key e --json <../y &&
		code key_conflict && same "$(journal | wc -l)" 5 &&
		same "$(ls ".pawl/runs/$run/artifacts/sha256")" \
			"$(sha256sum <../x | cut -c1-64)"
}

a_key_needs_the_name_of_a_new_run() {
	repo && pawl init 2>/dev/null &&
		status 2 pawl ledger new T --run --key k --json && code usage &&
		same "$(ls .pawl/runs)" ''
}

# Who writes the batch may never come to an end of it.
nobody_waits_for_what_is_being_read() {
	begun && mkfifo ../pipe && { sleep 20 >../pipe & } && writer=$! &&
		{ "$PAWL" ledger add --batch - "$run" <../pipe >../late 2>&1 & } &&
		reader=$! &&
		{ "$PAWL" ledger evidence a --from - <../pipe >../late 2>&1 & } &&
		second=$! && sleep 0.3 && status 0 timeout 5 "$PAWL" ledger add c --title C
	got=$?
	kill $writer $reader $second
	return $got
}

# What was decided on an older reading is refused.
if_seq_refuses_a_stale_reading() {
	begun && status 0 pawl status --json && seq=$(jq .result.run.seq ../out) &&
		same "$seq" 3 && status 0 pawl ledger set a RUNNING --if-seq 3 &&
		journal >../before &&
		status 4 pawl ledger set a BLOCKED --reason r --if-seq 3 --json &&
		code stale_seq && status 4 pawl ledger set a BLOCKED --reason r \
			--if-seq 9 --json && code stale_seq &&
		journal >../after && cmp ../before ../after &&
		status 0 pawl ledger set a BLOCKED --reason r --if-seq 4 &&
		status 4 pawl ledger show "$run" --if-seq 4 --json && code stale_seq &&
		status 0 pawl ledger show "$run" --if-seq 5 &&
		status 1 pawl ledger show "$run" --if-seq x --json
}

dry_run_writes_nothing() {
	begun && tree . >../before && status 0 pawl ledger set a RUNNING --dry-run &&
		status 0 pawl ledger add c --title x --dry-run --json &&
		status 1 pawl ledger set a PASSED --dry-run &&
		status 0 pawl ledger complete --outcome partial --dry-run &&
		same "$(cat ../out)" "would be closed $run, outcome partial" &&
		status 0 pawl ledger new T --run --dry-run &&
		status 0 pawl ledger new T --run --id x --dry-run &&
		status 4 pawl ledger new T --run --id "$run" --dry-run &&
		tree . >../after && cmp ../before ../after && cd .. &&
		mkdir n && cd n && status 0 pawl ledger new T --run --dry-run &&
		[ ! -e ../home/state ]
}

# A refusal in the middle of a step leaves nothing of it.
all_or_nothing() {
	begun && status 0 pawl ledger set a RUNNING && journal >../before &&
		status 1 pawl ledger set a PASSED --evidence file:none --json &&
		status 1 pawl ledger set b PASSED --evidence url:x://y --json &&
		journal >../after && cmp ../before ../after &&
		status 0 pawl ledger show --json
}

reads_are_the_same_everywhere() {
	begun && tree .pawl >../before && for name in "$run" "${run%-*}"; do
		status 0 pawl status "$name" --json && answer '[.run.kind, .run.status,
			.progress.ready, (.nodes[] | .id)]' '["ledger","RUNNING",1,"a","b"]' &&
			status 0 pawl next "$name" --json && answer .next.do '"start"' &&
			status 0 pawl ready "$name" --json && answer .ready '["a"]' &&
			status 0 pawl explain "$name/b" --json && answer \
				'[.explanation.causes[] | .code, .subject]' \
				'["dependency","a","approval_ahead","b"]' &&
			status 0 pawl show "$name/b" --json &&
			answer '[.detail.id, .detail.depends_on]' '["b",["a"]]' &&
			status 0 pawl state "$name" --json && answer .state.run_id "\"$run\"" &&
			status 0 pawl export --ledger "$name" && picked .run_id "\"$run\"" ||
			return 1
	done
	for words in status next ready state list 'explain a' 'show a' 'export --ledger'; do
		# shellcheck disable=SC2086
		status 0 pawl $words && [ -s ../out ] || return 1
	done
	tree .pawl >../after && cmp ../before ../after &&
		status 3 pawl explain "$run/x" --json && code node_not_found &&
		status 0 pawl list --json && answer '[.runs[] | .run, .kind, .status]' \
			"[\"$run\",\"ledger\",\"RUNNING\"]"
}

# C082: export, check, import, export: the same bytes; a file's verbs take it.
export_is_a_checkpoint() {
	begun && status 0 pawl export --ledger -o ../one.json &&
		status 0 pawl ledger check ../one.json &&
		status 0 pawl ledger import ../one.json --file ../two.json &&
		status 0 pawl ledger check --strict ../two.json &&
		same "$(jq -S . ../two.json)" "$(jq -S . ../one.json)" &&
		cmp ../one.json ../two.json &&
		status 0 pawl ledger set a RUNNING --file ../two.json
}

# A file that came from a run can't change it, however new it is (C004, C083).
a_file_of_a_run_is_never_read_back() {
	begun && status 0 pawl export --ledger -o ../f.json &&
		status 0 pawl ledger set a RUNNING &&
		status 0 pawl ledger set a PASSED --evidence url:x://y &&
		touch ../f.json && journal >../before && status 0 pawl status --json &&
		answer .progress.passed 1 && journal >../after && cmp ../before ../after
}

# shown N: ../seen has as many lines in time.
shown() {
	i=0
	while [ "$(wc -l <../seen)" -lt "$1" ]; do
		i=$((i + 1))
		[ $i -lt 200 ] || return 1
		sleep 0.05
	done
}

# watches OPTION...: start it in the background, on the run.
watches() {
	: >../seen
	"$PAWL" watch "$run" "$@" >../seen 2>../watch-err &
	watcher=$!
}

# What is new is said, line for line as the log says it, until it is closed.
a_ledger_run_is_watched() {
	begun && watches --json && shown 1 && status 0 pawl ledger set a RUNNING &&
		shown 2 && status 0 pawl ledger complete --outcome failed && wait $watcher &&
		status 0 pawl status --json "$run" && jq -c .result ../out >../last &&
		tail -n 1 ../seen | jq -c . | cmp - ../last &&
		same "$(head -n 1 ../seen | jq -c .progress.running)" 0 &&
		same "$(sed -n 2p ../seen | jq -c .progress.running)" 1
}

a_ledger_run_is_watched_in_lines() {
	begun && watches || return 1
	# A line that comes before it watches isn't new: say more until it does.
	i=0
	while [ ! -s ../seen ] && [ $i -lt 100 ]; do
		i=$((i + 1))
		status 0 pawl ledger evidence a "number $i" || return 1
		sleep 0.05
	done
	status 0 pawl ledger complete --outcome failed && wait $watcher &&
		pawl log "$run" | tail -n "$(wc -l <../seen)" | cmp - ../seen &&
		! grep -q 'ledger started' ../seen && tail -n 1 ../seen | grep -q failed
}

a_ledger_run_has_a_board_on_a_terminal() {
	begun && status 0 pawl ledger complete --outcome failed &&
		TERM=xterm script -qec "'$PAWL' watch $run" /dev/null </dev/null |
		tr -d '\r' >../seen && status 0 pawl status "$run" &&
		grep -qF "$(head -n 1 ../out)" ../seen
}

verbs_of_task_runs_name_the_right_one() {
	begun && for verb in 'approve b' 'deny b' 'unblock b' 'run'; do
		# shellcheck disable=SC2086
		status 1 pawl ${verb% *} "$run$(case $verb in *' '*) echo /b ;; esac)" --json &&
			code run_kind && jq -e '.error.hint | test("pawl ledger")' ../out \
			>/dev/null || return 1
	done
}

verbs_of_ledgers_refuse_task_runs() {
	repo && pawl init 2>/dev/null && cat >tasks.md <<-'END' &&
		- [ ] A-1 Look
		  Depends: []
		  Paths: [one]
		  Mode: read
		  Isolation: auto
		  Acceptance: seen
		  Check: test -f one
		  Approval: required
	END
		git add . && git commit -qm list && status 5 pawl run tasks.md -- true &&
		id=$(ls .pawl/runs) && status 1 pawl ledger show "$id" --json &&
		code run_kind && status 1 pawl ledger set "$id/a-1" RUNNING --json &&
		code run_kind && status 4 pawl ledger new T --run --id "$id" --json &&
		code id_taken && status 3 pawl ledger show --json && code run_not_found
}

several_are_told_apart() {
	begun && status 0 pawl ledger new 'Second' --run --id two &&
		status 4 pawl ledger add c --title x --json && code ambiguous_run &&
		picked '.error.details.runs | sort' "$(printf '["%s","two"]' "$run")" &&
		status 0 pawl ledger add two/c --title x &&
		status 0 pawl ledger complete two --outcome partial &&
		status 0 pawl ledger add c --title x
}

a_torn_line_is_set_aside_by_the_next_change() {
	begun && printf '{"v":1,"seq":4' >>".pawl/runs/$run/events.jsonl" &&
		status 0 pawl ledger show && grep -q 'torn append' ../err &&
		status 0 pawl ledger set a RUNNING && journal | tail -n1 |
		grep -q journal_repaired && status 0 pawl verify
}

a_corrupt_line_stops_changes() {
	begun && sed -i '2s/Do a/Do A/' ".pawl/runs/$run/events.jsonl" &&
		journal >../before &&
		status 8 pawl ledger set a RUNNING --json && code corrupt &&
		status 8 pawl ledger set a RUNNING --dry-run --json && code corrupt &&
		journal >../after && cmp ../before ../after &&
		status 0 pawl status "$run" && grep -q 'corrupt from line 2' ../err &&
		status 8 pawl verify "$run"
}

# C092: a line under a good chain that says what can't be.
nonsense_is_refused() {
	begun && python3 "$here/rechain.py" ".pawl/runs/$run/events.jsonl" add \
		'[{"type":"node_moved","node":"a","data":{"status":"PASSED"}}]' &&
		status 0 pawl status "$run" && grep -q 'corrupt from line 4' ../err &&
		status 8 pawl ledger set a RUNNING --json && code corrupt &&
		status 8 pawl verify "$run"
}

# C012: whoever is killed at any moment has written a whole line or none.
killed_at_any_moment() {
	begun && i=0 && while [ $i -lt 40 ]; do
		"$PAWL" ledger evidence a "url:x://$i" >/dev/null 2>&1 &
		sleep "0.00$((i % 10))" && kill -9 $! 2>/dev/null
		wait $! 2>/dev/null
		i=$((i + 1))
	done
	status 0 pawl ledger set a RUNNING && status 0 pawl verify &&
		lines=$(journal | wc -l) && status 0 pawl state --json &&
		same "$(jq '.result.state.nodes[0].evidence | length' ../out)" $((lines - 4))
}

# C001, C003: everything that said ok is there once, whoever wrote beside it.
many_writers() {
	begun && i=0 && while [ $i -lt "${WRITERS:=32}" ]; do
		(
			k=0
			while [ $k -lt "${EACH:=10}" ]; do
				pawl ledger add "n$i-$k" --title "By $i" >>../said ||
					echo "writer $i failed" >>../failed
				k=$((k + 1))
			done
		) 2>>../failed &
		i=$((i + 1))
	done
	wait
	status 0 pawl verify && same "$(cat ../failed)" '' &&
		same "$(sort -u ../said | wc -l)" $((WRITERS * ${EACH:-10})) &&
		same "$(journal | wc -l)" $((WRITERS * ${EACH:-10} + 3)) &&
		status 0 pawl state --json &&
		same "$(jq '.result.state.nodes | length' ../out)" $((WRITERS * ${EACH:-10} + 2))
}

# C003: from one loop, without a pause, in order.
a_loop_of_evidence() {
	begun && i=0 && while [ $i -lt "${LOOP:=250}" ]; do
		[ $((i % 250)) -gt 0 ] ||
			pawl ledger add "n$((i / 250))" --title x >/dev/null || return 1
		pawl ledger evidence "n$((i / 250))" "url:x://$i" >/dev/null ||
			return 1
		i=$((i + 1))
	done
	status 0 pawl state --json && same "$(jq -r '.result.state.nodes[].evidence[]' \
		../out | sed 's|url:x://||' | tr '\n' ' ')" \
		"$(seq -s ' ' 0 $((LOOP - 1))) "
}

t walked_to_its_end
t a_repair_makes_no_cycle
t records_never_vanish
t nothing_is_added_to_a_closed_run
t an_unfinished_run_is_ended_with_a_word
t done_once_by_key
t a_named_run_is_made_once_by_key
t a_key_is_for_what_was_read_too
t a_key_needs_the_name_of_a_new_run
t nobody_waits_for_what_is_being_read
t if_seq_refuses_a_stale_reading
t dry_run_writes_nothing
t all_or_nothing
t reads_are_the_same_everywhere
t export_is_a_checkpoint
t a_file_of_a_run_is_never_read_back
t a_ledger_run_is_watched
t a_ledger_run_is_watched_in_lines
t a_ledger_run_has_a_board_on_a_terminal
t verbs_of_task_runs_name_the_right_one
t verbs_of_ledgers_refuse_task_runs
t several_are_told_apart
t a_torn_line_is_set_aside_by_the_next_change
t a_corrupt_line_stops_changes
t nonsense_is_refused
t killed_at_any_moment
t many_writers
t a_loop_of_evidence
done_testing
