#!/bin/sh
# From a report to the end of a run, by plumbing: check, integrate, grade,
# import-checked, digest, complete.
. "$(dirname "$0")/handout.sh"

# task ID DEPENDS MODE CHECK [FIELD...]: one more task, in a folder of its own.
task() {
	id=$1
	{
		printf -- '- [%s] %s Do %s\n' "${box:- }" "$1" "$1"
		printf '  Depends: [%s]\n  Paths: [%s]\n' "$2" "$1"
		printf '  Mode: %s\n  Isolation: %s\n' "$3" "${isolation:-worktree}"
		printf '  Acceptance: %s is done.\n  Check: %s\n' "$1" "$4"
		shift 4
		[ $# = 0 ] || printf '  %s\n' "$@"
		echo
	} >>tasks.md
	mkdir -p "$id" && echo 1 >"$id/f"
}

# led [WORDS...]: the tasks so far are a run that lead coordinates.
led() {
	git add . ':!mine' && git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --write .. --driver host "$@" >../start &&
		run=$(ls .pawl/runs) && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one
}

# done_by NODE@N FILE: dispatched, worked on, reported, taken in.
done_by() {
	status 0 pawl task dispatch "${1%@*}" && works "$1" "$2" &&
		status 0 pawl task sync
}

# in_place NODE@N FILE: the same where the work is in the user's tree.
in_place() {
	status 0 pawl task dispatch "${1%@*}" && echo "done" >"$2" &&
		reports "$1" "$2" && status 0 pawl task sync
}

events() { jq -r ".events[] | $1" "$journal"; }

# The way of one task, and of what depends on it.
a_task_goes_from_report_to_pass() {
	coordinated && done_by A-1@1 a/done && stood A-1@1 reported &&
		unmoved status 1 pawl task grade A-1 pass --json &&
		code check_failed &&
		unmoved status 4 pawl task integrate A-1 --json &&
		code attempt_state &&
		status 0 pawl task check A-1 --json &&
		answer '[.check, .verdict, .ended, .again, .joined]' \
			'["A-1@1#1","pass","exit 0",false,false]' &&
		stood A-1@1 checked &&
		unmoved status 4 pawl task grade A-1 pass --json &&
		code attempt_state &&
		status 0 pawl task integrate A-1 --json && answer .again false &&
		same "$(git show "pawl/$run/main:a/done")" "done" &&
		unmoved status 0 pawl task integrate A-1 --json &&
		answer .again true &&
		status 0 pawl task grade A-1 pass --json &&
		answer '[.grade, .status, .again]' '["pass","PASSED",false]' &&
		[ ! -e "$(workspace A-1@1)" ] &&
		same "$(events 'select(.type == "cleanup_settled") |
			.data.status' | sort -u)" verified &&
		same "$(pawl status --json | jq -r '.result.nodes[] |
			select(.id == "R-3") | .status')" READY
}

# hinted VERB: the refusal names the step that is accepted, of task A-1.
hinted() {
	jq -e --arg to "pawl task $1 $run/A-1 " \
		'.error.hint | startswith($to)' ../out
}

# Nothing follows from a check by itself, passed or failed.
a_fact_has_no_consequence() {
	coordinated && status 0 pawl task dispatch A-1 && reports A-1@1 &&
		status 0 pawl task sync && stood A-1@1 reported &&
		status 1 pawl task check A-1 --json &&
		jq -e '.error.code == "check_failed" and
			.result.verdict == "fail"' ../out && stood A-1@1 reported &&
		hinted repair &&
		unmoved status 4 pawl task integrate A-1 --json &&
		code attempt_state && hinted repair &&
		same "$(happened attempt_rejected) $(happened node_graded)" '0 0' &&
		unmoved status 1 pawl task grade A-1 pass --json &&
		code check_failed &&
		status 0 pawl task grade A-1 fail --reason 'no file' &&
		unmoved status 0 pawl task grade A-1 fail --json &&
		answer .again true && unmoved status 4 pawl task grade A-1 pass \
		--json && code grade_conflict &&
		unmoved status 4 pawl task grade A-1 blocked --reason r --json &&
		code grade_conflict
}

# A recorded verdict is the answer, whoever asks how often; --rerun asks anew,
# and all records are kept.
a_verdict_stands_until_it_is_asked_for_anew() {
	coordinated && done_by A-1@1 a/done && status 0 pawl task check A-1 &&
		unmoved status 0 pawl task check A-1 --json &&
		answer '[.check, .again]' '["A-1@1#1",true]' &&
		status 0 pawl task check A-1 --rerun --key k --json &&
		answer '[.check, .again]' '["A-1@1#2",false]' &&
		unmoved status 0 pawl task check A-1 --rerun --key k --json &&
		answer '[.check, .again]' '["A-1@1#2",true]' &&
		unmoved status 4 pawl task check A-1 --key k --json &&
		code key_conflict && same "$(happened check_recorded)" 2 &&
		rm "$(workspace A-1@1)/a/done" &&
		status 1 pawl task check A-1 --rerun && stood A-1@1 reported &&
		unmoved status 1 pawl task check A-1 --json &&
		jq -e '.error.code == "check_failed" and .result.again' ../out &&
		status 0 pawl show A-1@1#1 && status 0 pawl show A-1@1#3
}

# slow: a task whose check counts its runs and waits for ../go.
slow() {
	# shellcheck disable=SC2016
	printf 'echo run >>"%s"\nwhile [ ! -e "%s" ]; do sleep 0.05; done\n' \
		"$PWD/../runs" "$PWD/../go" >check.sh
	task A-1 '' write 'sh check.sh' && led
}

# until_true CMD...: it comes true within ten seconds.
until_true() {
	for _ in $(seq 100); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	echo "never: $*"
	return 1
}

# Single flight: who asks while a check runs joins it, and runs nothing.
a_second_caller_joins() {
	repo && slow && done_by A-1@1 A-1/done && {
		pawl task check A-1 --json >../first &
		first=$!
		until_true test -s ../runs && {
			pawl task check A-1 --json >../second &
			second=$!
			pawl task check A-1 --rerun --json >../third &
			third=$!
		}
		sleep 0.5 && : >../go && wait "$first" && wait "$second" &&
			wait "$third"
	} && same "$(wc -l <../runs)" 1 && same "$(happened check_started)" 1 &&
		for f in first second third; do
			same "$(jq -r '.result | [.check, .verdict] | join(" ")' \
				../$f)" 'A-1@1#1 pass' || return 1
		done
	same "$(jq .result.joined ../first ../second ../third | tr '\n' ' ')" \
		'false true true ' &&
		same "$(happened check_recorded)" 1
}

# Checks of another task, so many that the list of them moves.
checks_begin_and_end_beside_a_check() {
	repo && task B-2 '' write true && slow && done_by A-1@1 A-1/done &&
		done_by B-2@1 B-2/done && {
		pawl task check A-1 --json >../first &
		first=$!
		until_true test -s ../runs && for _ in 1 2 3 4 5 6 7 8; do
			status 0 pawl task check B-2 --rerun || return 1
		done
		: >../go && wait "$first"
	} && same "$(jq -r '.result | [.check, .verdict] | join(" ")' ../first)" \
		'A-1@1#1 pass' && same "$(happened check_recorded)" 9
}

# The owner dies in mid-check: the monitor goes on, and whoever asks next gets
# its record.
a_check_outlives_who_asked_for_it() {
	repo && slow && done_by A-1@1 A-1/done && {
		"$PAWL" task check A-1 >../first 2>&1 &
		first=$!
		until_true test -s ../runs && kill -9 "$first"
		wait "$first"
	}
	unmoved status 1 pawl task grade A-1 fail --json && code check_needed &&
		: >../go && status 0 pawl task recover check --json &&
		answer .recorded 1 && same "$(wc -l <../runs)" 1 &&
		same "$(events 'select(.type == "check_recorded") |
			.data.verdict')" pass &&
		unmoved status 0 pawl task recover check --json &&
		answer .recorded 0 &&
		unmoved status 0 pawl task recover check "$run/A-1@1#1" --json &&
		unmoved status 3 pawl task recover check A-1@1#2 --json &&
		code attempt_not_found &&
		unmoved status 0 pawl task check A-1 --json && answer .again true
}

# Both die: nothing is known of the check, and it is run again.
a_check_that_was_killed_is_void() {
	repo && slow && done_by A-1@1 A-1/done && {
		"$PAWL" task check A-1 >../first 2>&1 &
		first=$!
		until_true test -s ../runs && kill -9 "$first"
		wait "$first"
	}
	monitor=$(events 'select(.type == "check_started") | .data.pid') &&
		kill -9 "$monitor" && status 0 pawl task recover check &&
		same "$(events 'select(.type == "check_recorded") |
			.data.verdict')" void && : >../go &&
		status 0 pawl task check A-1 --json &&
		answer '[.check, .verdict]' '["A-1@1#2","pass"]'
}

# What another call left without a verdict isn't what a key has done: that is
# the check which follows.
a_key_does_not_stand_for_what_was_left_void() {
	repo && slow && done_by A-1@1 A-1/done && {
		"$PAWL" task check A-1 --key k >../first 2>&1 &
		first=$!
		until_true test -s ../runs && kill -9 "$first"
		wait "$first"
	}
	kill -9 "$(events 'select(.type == "check_started") | .data.pid')" &&
		: >../go && status 0 pawl task check A-1 --key k --json &&
		answer '[.check, .verdict]' '["A-1@1#2","pass"]' &&
		same "$(events 'select(.type == "check_recorded") |
			.data.verdict' | tr '\n' ' ')" 'void pass ' &&
		same "$(grep -c '"key":"k"' "$journal")" 1 &&
		unmoved status 0 pawl task check A-1 --key k --json &&
		answer '[.check, .verdict, .again]' '["A-1@1#2","pass",true]'
}

# A workspace that moves meanwhile voids the verdict.
a_workspace_that_moves_voids_the_verdict() {
	repo && slow && done_by A-1@1 A-1/done && {
		pawl task check A-1 --json >../first &
		first=$!
		until_true test -s ../runs && echo 2 >"$(workspace A-1@1)/A-1/done" &&
			: >../go
		wait "$first"
		same $? 1
	} && same "$(jq -r .error.code ../first)" check_void &&
		same "$(jq -r .error.retryable ../first)" true &&
		stood A-1@1 reported && status 0 pawl task check A-1 --json &&
		answer '[.check, .again]' '["A-1@1#2",false]'
}

# The branch moved: the work is put onto it, and is to be checked there.
integration_after_another_wants_a_new_check() {
	coordinated && done_by A-1@1 a/done && done_by B-2@1 b/done &&
		status 0 pawl task check A-1 && status 0 pawl task check B-2 &&
		status 0 pawl task integrate A-1 &&
		unmoved status 4 pawl task integrate B-2 --json &&
		code check_stale && jq -r .error.hint ../out |
		grep -q 'task check B-2 --rerun' &&
		unmoved status 4 pawl task integrate B-2 --json &&
		code check_stale && [ -f "$(workspace B-2@1)/a/done" ] &&
		status 0 pawl task check B-2 --rerun &&
		status 0 pawl task integrate B-2 &&
		same "$(git show "pawl/$run/main:a/done")" "done" &&
		same "$(git show "pawl/$run/main:b/done")" "done"
}

# What lands is what the check saw.
work_after_the_check_does_not_land() {
	coordinated && done_by A-1@1 a/done && status 0 pawl task check A-1 &&
		echo more >"$(workspace A-1@1)/a/done" &&
		unmoved status 4 pawl task integrate A-1 --json &&
		code check_stale && same "$(git branch --list "pawl/$run/main" \
		--format '%(objectname)')" "$(git rev-parse HEAD)" &&
		status 0 pawl task check A-1 --rerun &&
		status 0 pawl task integrate A-1 &&
		same "$(git show "pawl/$run/main:a/done")" more
}

# blocked names what is missing; also of one that nothing was started for.
a_block_names_a_prerequisite() {
	coordinated && unmoved status 1 pawl task grade A-1 blocked --json &&
		code reason_needed &&
		status 0 pawl task grade A-1 blocked --reason 'no licence' --json &&
		answer .status '"BLOCKED"' &&
		unmoved status 0 pawl task grade A-1 blocked --reason 'no licence' \
			--json && answer .again true && done_by B-2@1 b/done &&
		unmoved status 1 pawl task grade B-2 blocked --json &&
		code reason_needed &&
		status 0 pawl task grade B-2 blocked --reason 'no server' &&
		stood B-2@1 abandoned && pawl explain B-2 | grep -q 'no server' &&
		[ ! -e "$(workspace B-2@1)" ] &&
		same "$(git show "pawl/$run/B-2-1:b/done")" "done"
}

# C101: what has no evidence is no success, and looks different.
unobserved_is_no_pass() {
	repo && task A-1 '' write 'missing validation evidence' &&
		task B-2 A-1 read 'test -f B-2/f' && led && done_by A-1@1 A-1/done &&
		unmoved status 1 pawl task check A-1 --json && code missing_check &&
		unmoved status 1 pawl task grade A-1 pass --json &&
		code missing_check &&
		status 0 pawl task grade A-1 unobserved --reason 'no oracle' &&
		unmoved status 1 pawl task complete --outcome pass --json &&
		code outcome_unearned &&
		status 0 pawl task digest --json &&
		answer '[.tasks[0].status, .tasks[0].grade,
			.degradations[0].code]' '["RUNNING","unobserved","unobserved"]' &&
		unmoved status 1 pawl task dispatch B-2 --json && code task_not_ready
}

# Red: the check is seen to fail on the base, in a worktree that goes again.
red_is_seen_before_the_verdict_counts() {
	repo && task A-1 '' write 'test -f A-1/done' 'Red: true' &&
		task B-2 '' write 'test -f B-2/f' 'Red: true' && led &&
		done_by A-1@1 A-1/done && status 0 pawl task check A-1 --json &&
		answer '[.check, .verdict]' '["A-1@1#2","pass"]' &&
		same "$(events 'select(.type == "check_recorded") |
			.data.verdict' | tr '\n' ' ')" 'fail pass ' &&
		status 0 pawl task integrate A-1 && status 0 pawl task grade A-1 pass &&
		done_by B-2@1 B-2/done && status 1 pawl task check B-2 --json &&
		code red_needed && unmoved status 1 pawl task check B-2 --json &&
		code red_needed && unmoved status 1 pawl task grade B-2 pass --json &&
		code red_needed && same "$(git branch --list 'pawl/*red*')" '' &&
		same "$(git worktree list | grep -c red)" 0 &&
		status 0 pawl task grade B-2 blocked --reason 'a check that fails'
}

# What still runs when a check ends may be the very test; it is ended, and told.
a_check_that_leaves_processes_behind_fails() {
	repo && task A '' write 'sh check.sh' && echo 'sleep 99 & sleep 99 &' >check.sh &&
		led && done_by A@1 A/x && status 1 pawl task check A --json &&
		code check_failed && jq -e '.result.verdict == "fail" and
			.result.ended == "exit 0, 2 left behind"' ../out &&
		unmoved status 1 pawl task grade A pass --json &&
		code check_failed && pawl log | grep -q 'fail, exit 0, 2 left behind'
}

# A flagged check file is named; a strict run refuses its pass.
a_check_that_the_attempt_changed_is_flagged() {
	repo && mkdir A-1 && echo 'exit 1' >A-1/check.sh &&
		task A-1 '' write 'sh A-1/check.sh' && led --strict &&
		status 0 pawl task dispatch A-1 &&
		echo 'exit 0' >"$(workspace A-1@1)/A-1/check.sh" &&
		reports A-1@1 A-1/check.sh && status 0 pawl task sync &&
		status 1 pawl task check A-1 --json && jq -e \
		'.error.code == "check_failed" and .result.ended == "exit 0"' ../out &&
		same "$(events 'select(.type == "check_recorded") |
			.data.flagged[0]' | cut -d' ' -f1)" A-1/check.sh
}

# A ticked box counts once its check has passed; then evidence, check and grade
# are one line, and a retry runs nothing.
a_ticked_box_is_checked_and_imported() {
	repo && box=x && task A-1 '' write "sh count.sh" && unset box &&
		task B-2 A-1 read 'test -f B-2/f' &&
		echo "echo run >>\"$PWD/../runs\"; test -f A-1/f" >count.sh && led &&
		unmoved status 1 pawl task import-checked B-2 --import-id i --json &&
		code not_ticked &&
		unmoved status 2 pawl task import-checked A-1 --json &&
		status 0 pawl task import-checked A-1 --import-id i-1 \
			--note 'was there' --json && answer .again false &&
		same "$(tail -1 "$journal" | jq -r '[.events[].type] | join(" ")')" \
			node_imported && same "$(wc -l <../runs)" 1 &&
		artifact=$(events 'select(.type == "node_imported") |
			.data.artifact') && file=$rundir/artifacts/sha256/$artifact &&
		same "$(sha256sum <"$file" | cut -c1-64)" "$artifact" &&
		unmoved status 0 pawl task import-checked A-1 --import-id i-1 --json &&
		answer .again true && same "$(wc -l <../runs)" 1 &&
		unmoved status 4 pawl task import-checked A-1 --import-id i-2 --json &&
		code import_conflict && status 0 pawl task dispatch B-2 &&
		chmod u+w "$file" && echo more >>"$file" &&
		unmoved status 8 pawl task import-checked A-1 --import-id i-1 --json &&
		code digest_mismatch
}

# C041: an outcome that nobody knows holds its dependants back, is listed, and
# is settled by evidence.
an_unknown_outcome_is_settled_by_evidence() {
	repo && box=x && task A-1 '' write "test -f A-1/f" && unset box &&
		task B-2 A-1 read 'test -f B-2/f' && git add . &&
		git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --write .. --driver process -- \
			sh -c 'echo x >A-1/x; sleep 60' >../start &&
		run=$(ls .pawl/runs) && pawl task claim --as lead >/dev/null &&
		export PAWL_AS=lead && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && status 0 pawl task dispatch A-1 &&
		pid=$(events 'select(.type == "attempt_started") | .data.pid') &&
		kill -9 "$pid" && until_true test ! -d "/proc/$pid" &&
		status 0 pawl task sync && stood A-1@1 lost &&
		unmoved status 1 pawl task dispatch B-2 --json &&
		code task_not_ready && status 0 pawl task digest --json &&
		answer '[.unknown, .degradations[0].code]' \
			'[["A-1@1"],"outcome_unknown"]' &&
		status 0 pawl task import-checked A-1 --import-id i-1 &&
		status 0 pawl task digest --json &&
		answer '[.unknown, .degradations]' '[[],[]]' &&
		pawl task ready --json | jq -e '.result.ready |
			index("B-2") != null'
}

# One that fails records nothing.
a_ticked_box_that_fails_is_no_import() {
	repo && box=x && task A-1 '' write "test -f A-1/none" && led &&
		unmoved status 1 pawl task import-checked A-1 --import-id i-1 --json &&
		code check_failed
}

# The place must be what the run's other tasks begin with.
an_import_sees_what_the_run_has() {
	repo && task A-1 '' write 'test -f A-1/done' && box=x &&
		task B-2 '' write 'test -f B-2/f' && led && echo dirty >stray &&
		unmoved status 4 pawl task import-checked B-2 --import-id i-1 --json &&
		code check_stale && rm stray &&
		status 0 pawl task import-checked B-2 --import-id i-1
}

# passed NODE@N FILE: all the way.
passed() {
	done_by "$1" "$2" && status 0 pawl task check "${1%@*}" &&
		status 0 pawl task integrate "${1%@*}" &&
		status 0 pawl task grade "${1%@*}" pass
}

# A closed run stays readable for ever, after whatever verb.
a_run_is_closed_and_stays_readable() {
	repo && task A-1 '' write 'test -f A-1/done' && led &&
		unmoved status 2 pawl task complete --json &&
		unmoved status 1 pawl task complete --outcome great --json &&
		code invalid_argument && status 0 pawl task dispatch A-1 &&
		unmoved status 4 pawl task complete --outcome partial --json &&
		code attempts_running && works A-1@1 A-1/done &&
		status 0 pawl task sync && status 0 pawl task check A-1 &&
		status 0 pawl task integrate A-1 && status 0 pawl task grade A-1 pass &&
		unmoved status 1 pawl task complete --outcome partial --json &&
		code outcome_unearned &&
		status 0 pawl task complete --outcome pass --json &&
		answer '[.outcome, .again]' '["pass",false]' &&
		unmoved status 0 pawl task complete "$run" --outcome pass --json &&
		answer .again true &&
		unmoved status 1 pawl task complete "$run" --outcome failed --json &&
		code run_closed && for verb in "check $run/A-1 --rerun" \
		"grade $run/A-1 fail" "dispatch $run/A-1" "sync $run" \
		"integrate $run/A-1" "recover check $run/" \
		"import-checked $run/A-1 --import-id x"; do
		# shellcheck disable=SC2086
		unmoved pawl task $verb >../out 2>&1
		cmp ../journal.before "$journal" &&
			status 0 pawl status "$run" --json &&
			answer .run.outcome '"pass"' &&
			status 0 pawl task digest "$run" --json &&
			answer '[.run.outcome, .tasks[0].grade]' '["pass","pass"]' &&
			status 0 pawl show "$run/A-1@1" && status 0 pawl log "$run" &&
			status 0 pawl verify "$run" || return 1
	done
}

# C095, C097: not over a gate, and each gate that is waited for can be answered.
a_gate_keeps_a_run_open() {
	repo && task A-1 '' read 'test -f A-1/f' &&
		task G-1 '' read 'test -f G-1/f' 'Approval: required' &&
		task G-2 '' read 'test -f G-2/f' 'Approval: required' && led &&
		status 0 pawl task dispatch A-1 && reports A-1@1 &&
		status 0 pawl task sync && status 0 pawl task check A-1 &&
		status 0 pawl task grade A-1 pass &&
		unmoved status 5 pawl task complete --outcome pass --json &&
		code gates_open && same "$(pawl task digest --json |
			jq -c .result.gates)" '["G-1!1","G-2!1"]' && (
		unset PAWL_AS
		status 0 pawl deny G-1!1 --reason no </dev/null &&
			status 0 pawl deny G-2!1 --reason no </dev/null
	) && unmoved status 1 pawl task complete --outcome pass --json &&
		code outcome_unearned &&
		status 0 pawl task complete --outcome blocked
}

# What changed and no passed task answers for keeps the run open, by name.
every_changed_path_has_an_owner() {
	repo && isolation=auto && task A-1 '' write 'test -f A-1/done' &&
		task B-2 A-1 write 'test -f B-2/done' &&
		task R-3 '' read true && led -j1 &&
		status 0 pawl task dispatch R-3 && reports R-3@1 &&
		status 0 pawl task sync && status 0 pawl task check R-3 &&
		status 0 pawl task grade R-3 pass && in_place A-1@1 A-1/done && status 0 pawl task check A-1 &&
		unmoved status 4 pawl task integrate A-1 --json &&
		code attempt_state && status 0 pawl task grade A-1 pass &&
		printf x >"$(printf 'odd\nname "q"')" && echo 2 >B-2/f &&
		: >R-3/of-a-reader && unmoved status 1 pawl task complete --outcome partial --json &&
		code changed_path_unproven &&
		same "$(jq -c '.error.details | [.count, .paths]' ../out)" \
			'[3,["B-2/f","R-3/of-a-reader","odd\nname \"q\""]]' &&
		git checkout -q B-2/f && rm odd* R-3/of-a-reader &&
		status 0 pawl task complete --outcome partial
}

# What somebody committed meanwhile can't be put out of the way: the run is
# closed over it, for a reason that is kept with the paths.
a_foreign_commit_in_place_has_a_way_out() {
	repo && isolation=auto && task A-1 '' write 'test -f A-1/done' &&
		task B-2 A-1 write 'test -f B-2/done' && led -j1 &&
		in_place A-1@1 A-1/done && status 0 pawl task check A-1 &&
		status 0 pawl task grade A-1 pass && in_place B-2@1 B-2/done &&
		status 0 pawl task check B-2 && status 0 pawl task grade B-2 pass &&
		echo theirs >theirs && echo x >'odd one' &&
		unmoved status 1 pawl task complete --outcome pass --json &&
		code changed_path_unproven && same "$(jq -r .error.hint ../out)" \
			'git stash push -u -- PATH..., those of the details' &&
		rm 'odd one' && unmoved status 1 pawl task complete --outcome pass --json &&
		same "$(jq -r .error.hint ../out)" 'git stash push -u -- theirs' &&
		git add theirs && git commit -qm theirs &&
		unmoved status 1 pawl task complete --outcome pass --json &&
		code changed_path_unproven && same "$(jq -r .error.hint ../out)" \
			"pawl task complete $run --as lead --outcome partial --reason TEXT" &&
		unmoved status 1 pawl task complete --outcome partial --json &&
		code outcome_unearned &&
		unmoved status 1 pawl task complete --outcome failed --reason r --json &&
		code outcome_unearned &&
		unmoved status 1 pawl task complete --outcome pass --reason r --json &&
		code changed_path_unproven &&
		status 0 pawl task complete --outcome partial --reason 'not ours' &&
		same "$(jq -c '.events[] | select(.type == "run_closed") | .data' \
			"$journal")" '{"outcome":"partial","reason":"not ours","path_count":1,"paths":["theirs"]}' &&
		status 0 pawl status --json "$run" && answer .run.status '"BLOCKED"' &&
		status 0 pawl verify "$run"
}

# What was uncommitted before isn't the run's.
what_was_dirty_before_needs_no_owner() {
	repo && isolation=auto && task A-1 '' write 'test -f A-1/done' &&
		echo mine >mine && led -j1 &&
		in_place A-1@1 A-1/done && status 0 pawl task check A-1 &&
		status 0 pawl task grade A-1 pass && echo more >>mine &&
		status 0 pawl task complete --outcome pass
}

# Work of an attempt that failed is nobody's in place; its reader's tree isn't.
failed_work_in_place_has_no_owner() {
	repo && isolation=auto && task A-1 '' write 'test -f A-1/none' && led -j1 &&
		in_place A-1@1 A-1/done && status 1 pawl task check A-1 &&
		status 0 pawl task grade A-1 fail &&
		unmoved status 1 pawl task complete --outcome failed --json &&
		code changed_path_unproven && rm A-1/done &&
		status 0 pawl task complete --outcome failed
}

# In place a repair goes on with what is there; nothing is put over it.
a_fresh_repair_in_place_is_refused_at_its_option() {
	repo && isolation=auto && task A-1 '' write 'test -f A-1/none' && led -j1 &&
		in_place A-1@1 A-1/done && status 1 pawl task check A-1 &&
		unmoved status 1 pawl task repair A-1 --hypothesis h --fresh --json &&
		code invalid_argument &&
		same "$(jq -r .error.field ../out)" fresh && [ -e A-1/done ] &&
		status 0 pawl task repair A-1 --hypothesis h && [ -e A-1/done ]
}

# The run's branch is where the journal has it, or nothing is proven.
a_branch_that_somebody_moved_proves_nothing() {
	repo && task A-1 '' write 'test -f A-1/done' && led && passed A-1@1 A-1/done &&
		git update-ref "refs/heads/pawl/$run/main" HEAD &&
		unmoved status 4 pawl task complete --outcome pass --json &&
		code ref_moved
}

dry_runs_write_nothing() {
	coordinated && done_by A-1@1 a/done && for verb in 'check A-1' \
		'recover check' 'grade A-1 unobserved'; do
		# shellcheck disable=SC2086
		tree . >../before && status 0 pawl task $verb --dry-run --json &&
			answer .dry_run true && tree . >../after &&
			cmp ../before ../after || return 1
	done
	for verb in 'integrate A-1' 'grade A-1 pass' 'grade A-1 fail' \
		'import-checked A-1 --import-id i' 'complete --outcome pass'; do
		# shellcheck disable=SC2086
		tree . >../before && if pawl task $verb --dry-run --json >../out 2>&1
		then
			echo "accepted: $verb"
			return 1
		fi
		tree . >../after && cmp ../before ../after || return 1
	done
}

# Every one of them is the coordinator's alone.
nobody_else_judges() {
	coordinated && done_by A-1@1 a/done && for verb in 'check A-1' \
		'recover check' 'integrate A-1' 'grade A-1 unobserved' \
		'import-checked A-1 --import-id i' 'complete --outcome failed'; do
		# shellcheck disable=SC2086
		unmoved status 9 env -u PAWL_AS "$PAWL" task $verb --json &&
			code not_permitted &&
			unmoved status 9 pawl task $verb --as other --json &&
			unmoved status 9 env PAWL_ATTEMPT=A-1@1 "$PAWL" task $verb \
				--json || return 1
	done
	status 0 pawl task takeover --as night --force --reason gone &&
		for verb in 'check A-1' 'grade A-1 unobserved' \
			'complete --outcome failed'; do
			# shellcheck disable=SC2086
			unmoved status 4 pawl task $verb --as lead --json &&
				code stale_coordinator || return 1
		done
}

names=$(sed -n 's/^\([a-z_0-9]*\)() {$/\1/p' "$0")
# Before that it was checked again and again, and never landed.
a_branch_that_another_moved_is_told_and_put_back() {
	coordinated && done_by A-1@1 a/done && status 0 pawl task check A-1 &&
		ref=refs/heads/pawl/$run/main && tip=$(git rev-parse "$ref") &&
		git update-ref "$ref" "$(git commit-tree -m other -p "$tip" \
			"$tip^{tree}")" &&
		unmoved status 4 pawl task integrate A-1 --json &&
		code ref_moved && jq -e '.error.hint | test("update-ref")' ../out &&
		unmoved status 4 pawl task check A-1 --rerun --json &&
		code ref_moved && git update-ref "$ref" "$tip" &&
		status 0 pawl task integrate A-1
}

# A run with work on its branch that nobody graded as passed can be ended.
what_was_integrated_is_answered_for_whatever_its_grade() {
	coordinated && done_by A-1@1 a/done && status 0 pawl task check A-1 &&
		status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 unobserved &&
		status 0 pawl task complete --outcome partial --reason enough
}

# pawl itself runs what a worker wrote: that is no way out of the worker.
a_check_decides_nothing() {
	repo && task A-1 '' write 'sh A-1/check' && task B-2 '' write true \
		'Approval: required' && led && status 0 pawl task dispatch A-1 &&
		cat >"$(workspace A-1@1)/A-1/check" <<-END &&
			cd "$PWD"
			for act in "approve $run/B-2" "task abandon A-1@1 --reason r
				--as lead" "run $run --force --reason r"; do
				"$PAWL" \$act --json | jq -r .error.code >>../codes
			done
		END
		reports A-1@1 A-1/check && status 0 pawl task sync &&
		status 0 pawl task check A-1 && same "$(uniq -c ../codes |
			tr -s ' ')" ' 3 worker_context'
}

for name in $names; do
	case $name in
	task | led | done_by | in_place | hinted | slow | until_true | passed) ;;
	*"${ONLY:-}"*) t "$name" ;;
	esac
done
done_testing
