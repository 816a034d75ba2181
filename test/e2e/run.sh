#!/bin/sh
# What a run does with its workers, from the list to the last grade.
. "$(dirname "$0")/lib.sh"

one_slot_works_in_place() {
	begin && writes a && writes b a && reads c &&
		run 0 -j1 && stands COMPLETE a=PASSED b=PASSED c=PASSED &&
		same "$(cat a.txt b.txt)" "a
b" && same "$(branches)" "" && same "$(worktrees)" 1 &&
		same "$(happened attempt_reserved)" 3
}

# C074, C075
two_slots_work_in_worktrees_and_leave_none() {
	begin && writes a && writes b && writes c a,b && reads d c &&
		run 0 -j2 && stands COMPLETE c=PASSED d=PASSED &&
		same "$(on_main c.txt)" c && same "$(branches)" main &&
		same "$(worktrees)" 1 && same "$(git status --short)" "" &&
		same "$(git log --format=%s --reverse "pawl/$(rid)/main" |
			tail -n 1)" "c: Do c" &&
		same "$(happened integrated)" 3
}

# C104, C090: the prompt of the repair holds what the failed check said.
a_repair_is_told_why_the_check_failed() {
	begin && task a '' a.txt write 'sh check.sh' &&
		echo 'grep -q good a.txt || { echo "a is not good yet"; exit 3; }' \
			>check.sh && git add check.sh && git commit -qm check &&
		does a <<-'END' &&
			case $PAWL_ATTEMPT in
			*@1) echo bad >a.txt ;;
			*@2) grep -q bad a.txt && echo good >a.txt ;;
			esac
		END
		run 0 "$@" && stands COMPLETE a=PASSED &&
		! grep -q 'not good yet' ../does/a@1.prompt &&
		grep -q 'a is not good yet' ../does/a@2.prompt &&
		same "$(events 'select(.type == "attempt_rejected") |
			.data.hypothesis')" \
			"auto: check exit 3: a is not good yet" &&
		same "$(happened attempt_reserved)" 2
}

a_repair_in_place_is_told_why_the_check_failed() {
	a_repair_is_told_why_the_check_failed -j1
}

# C106: two attempts, never a third.
a_second_failure_keeps_the_work_on_its_branch() {
	begin && task a '' a.txt write 'test -f never' && writes b a &&
		run 1 && stands FAILED a=FAILED b=PENDING &&
		same "$(happened attempt_reserved a)" 2 &&
		same "$(happened attempt_reserved b)" 0 &&
		same "$(worktrees)" 1 && same "$(branches)" "a-1 main" &&
		same "$(git show "pawl/$(rid)/a-1:a.txt")" a &&
		grep -q "pawl explain a" ../err &&
		run 1 && same "$(happened attempt_reserved a)" 2
}

# C066, C075
a_path_outside_the_scope_fails_the_attempt() {
	begin && task a '' a.txt write 'test -f a.txt' && does a <<-'END' &&
		echo a >a.txt
		echo x >x.txt
		rm -f one
	END
		run 1 "$@" && stands FAILED a=FAILED &&
		same "$(happened scope_violated)" 2 &&
		same "$(happened check_started)" 0 &&
		same "$(events 'select(.type == "scope_violated") |
			.data.paths | join(" ")' | sort -u)" "one x.txt"
}

a_path_outside_the_scope_fails_the_attempt_in_place() {
	a_path_outside_the_scope_fails_the_attempt -j1
}

a_reading_task_that_writes_fails() {
	begin && reads a && writes b && does a <<-'END' &&
		echo x >new.txt
	END
		run 1 -j1 && stands FAILED a=FAILED b=PASSED &&
		same "$(happened scope_violated a)" 2
}

# C103: an exit is no claim that something was done.
a_worker_that_changed_nothing_is_refused() {
	begin && task a '' a.txt write 'test -f one' && does a <<-'END' &&
		echo "I shall now delegate this."
	END
		run 1 && stands FAILED a=FAILED &&
		same "$(happened check_started)" 0 &&
		same "$(events 'select(.type == "attempt_rejected") |
			.data.reason')" "no change"
}

report() {
	cat <<-'END'
		cat >"$PAWL_OUTBOX/report.tmp" <<-JSON
		{"task_id":"$PAWL_NODE","attempt_id":"$ID","outcome":"reported",
		"summary":"all is well already","files_changed":[],
		"checks_run":[],"evidence_refs":[],"questions":[],
		"external_refs":{}}
		JSON
		mv "$PAWL_OUTBOX/report.tmp" "$PAWL_OUTBOX/report.json"
	END
}

# C090: a report may say that nothing was to be done; the check decides.
a_report_that_nothing_was_to_do_is_checked() {
	begin && task a '' a.txt write 'test -f one' &&
		{ echo 'ID=$PAWL_ATTEMPT' && report; } | does a &&
		run 0 && stands COMPLETE a=PASSED &&
		same "$(events 'select(.type == "attempt_reported") |
			.data | [.synthesized, .summary] | join(" ")')" \
			"false all is well already"
}

a_report_doesnt_pass_what_the_check_refuses() {
	begin && task a '' a.txt write 'test -f a.txt' &&
		{ echo 'ID=$PAWL_ATTEMPT' && report; } | does a &&
		run 1 && stands FAILED a=FAILED
}

a_malformed_report_ends_the_attempt() {
	begin && writes a && does a <<-'END' &&
		case $PAWL_ATTEMPT in
		*@1) echo '{"task_id":"a","task_id":"a"}' \
			>"$PAWL_OUTBOX/report.json" ;;
		esac
		echo a >a.txt
	END
		run 0 && stands COMPLETE a=PASSED &&
		same "$(events 'select(.type == "result_quarantined") |
			.data.cause')" "malformed report"
}

# A worker that spoils its outbox, once by a file, once by nothing, ends alone.
a_worker_without_an_outbox_ends_its_attempt_only() {
	begin && writes a && writes b && does a <<-'END' &&
		rm -rf "$PAWL_OUTBOX"; umask 077
		case $PAWL_ATTEMPT in *@1) : >"$PAWL_OUTBOX" ;; esac
		echo a >a.txt
	END
		run 0 && stands COMPLETE a=PASSED b=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" "malformed report"
}

a_report_of_another_attempt_isnt_taken() {
	begin && writes a && {
		echo 'echo a >a.txt; ID=b@1'
		echo 'case $PAWL_ATTEMPT in *@1)'
		report
		echo ';; esac'
	} | does a &&
		run 0 && stands COMPLETE a=PASSED &&
		same "$(happened result_quarantined)" 1
}

# C107: none of these ends uses up the repair.
a_worker_that_fails_is_started_again() {
	begin && writes a && does a <<-'END' &&
		case $PAWL_ATTEMPT in
		*@1) echo half >a.txt; echo "no credit left" >&2; exit 7 ;;
		*) test ! -f a.txt; echo a >a.txt ;;
		esac
	END
		run 0 "$@" && stands COMPLETE a=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			[.data.exit, .data.message] | join(" ")')" \
			"7 no credit left" &&
		same "$(happened attempt_rejected)" 0 && patch_holds +half
}

a_worker_that_fails_is_started_again_in_place() {
	a_worker_that_fails_is_started_again -j1
}

# patch_holds LINE: the patch that was kept of an attempt without verdict.
patch_holds() {
	digest=$(events 'select(.type == "workspace_reconciled") |
		.data.patch_sha256 // empty' | head -n 1)
	[ -n "$digest" ] && grep -qxF "$1" \
		"$(rundir)/artifacts/sha256/$digest"
}

# C054
a_worker_killed_by_a_signal_is_told_so() {
	begin && writes a && does a <<-'END' &&
		case $PAWL_ATTEMPT in *@1) kill -9 $$ ;; esac
		echo a >a.txt
	END
		run 0 && stands COMPLETE a=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.signal')" 9
}

# C045, C056: gone before the next attempt starts, though it ignores TERM.
a_timeout_ends_a_worker_that_ignores_term() {
	begin && writes a '' 'Timeout: 1s' && does a <<-'END' &&
		case $PAWL_ATTEMPT in
		*@1) trap '' TERM
			while :; do date >>"$does/late"; sleep 0.1; done ;;
		esac
		cp "$does/late" "$does/then" || :
		echo a >a.txt
	END
		run 0 && stands COMPLETE a=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.timeout')" true &&
		sleep 0.5 && cmp ../does/late ../does/then
}

# C096: a check that timed out has not passed.
a_check_that_times_out_fails() {
	begin && task a '' a.txt write 'sleep 600' 'Check-Timeout: 1s' &&
		run 1 && stands FAILED a=FAILED &&
		same "$(events 'select(.type == "check_recorded") |
			[.data.verdict, .data.timeout] | join(" ")' |
			sort -u)" "fail true"
}

# C056: what a check leaves behind is ended with it, and no proof: nobody knows
# that it wasn't the test.
what_a_check_leaves_behind_is_ended() {
	begin && printf 'sleep 600 &\nsetsid sleep 601 &\necho started\n' \
		>check.sh && git add check.sh && git commit -qm check &&
		task a '' a.txt write 'sh check.sh' && run 1 &&
		stands FAILED a=FAILED &&
		same "$(events 'select(.type == "check_recorded") | .data |
			[.verdict, .exit, .survivors] | join(" ")' |
			sort -u)" 'fail 0 2'
}

# C057: nohup, & and setsid escape nothing.
what_a_worker_leaves_behind_is_ended_and_counted() {
	begin && writes a && does a <<-'END' &&
		nohup sleep 600 >/dev/null 2>&1 &
		setsid sleep 601 >/dev/null 2>&1 &
		(setsid sh -c 'sleep 602 & sleep 603' >/dev/null 2>&1 &)
		until [ "$(ps -eo args | grep -c '^sleep 60[0-3]$')" -ge 4 ]; do
			sleep 0.1
		done
		echo a >a.txt
	END
		run 0 && stands COMPLETE a=PASSED &&
		same "$(events 'select(.type == "attempt_reported") |
			.data.survivors >= 4')" true
}

# What a reader of a worktree leaves is put in order, too.
a_reader_that_fails_leaves_no_worktree() {
	begin && writes a && reads b a && does b <<-'END' &&
		case $PAWL_ATTEMPT in *@1) echo x >new.txt; exit 1 ;; esac
	END
		run 0 && stands COMPLETE b=PASSED && same "$(worktrees)" 1 &&
		same "$(branches)" main && patch_holds +x
}

# A worker that breaks what it stands on can't keep the run from going on.
a_worker_that_removes_its_worktree_is_started_again() {
	begin && writes a && writes b && does a <<-'END' &&
		case $PAWL_ATTEMPT in *@1) rm -rf "$PWD" ;; *) echo a >a.txt ;; esac
	END
		run 0 && stands COMPLETE a=PASSED b=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" workspace_lost && same "$(worktrees)" 1
}

# C044: one that slept, with its worker, while another took the run over: what
# it does then is refused, and the work counts once.
a_coordinator_that_slept_is_fenced() {
	begin && writes a && does a <<-'END' || return 1
		echo $$ >"$does/pid"
		until [ -f "$does/on" ]; do sleep 0.1; done
		echo a >a.txt
	END
	"$PAWL" run ../tasks.md --write .. -- ../worker >../out 2>../err &
	pid=$!
	until_true test -s ../does/pid && worker=$(cat ../does/pid) &&
		kill -STOP "$pid" "$worker" || return 1
	"$PAWL" run "$(rid)" --force --reason 'it sleeps' >../out2 2>../err2 &
	other=$!
	until_true grep -q taken_over "$(rundir)/events.jsonl" &&
		touch ../does/on && kill -CONT "$pid" "$worker" || return 1
	got=0 other_got=0
	wait $pid || got=$?
	wait $other || other_got=$?
	cat ../err ../err2
	same "$other_got" 0 && [ "$got" != 0 ] && [ "$got" -lt 128 ] &&
		grep -q 'generation' ../err && stands COMPLETE a=PASSED &&
		same "$(happened attempt_started) $(happened integrated)" '1 1' &&
		same "$(jq -r '[.gen, (.events[] | .type)] | @tsv' \
			"$(rundir)/events.jsonl" | sed -n '/integrated/s/	.*//p')" 2
}

# C053: nobody waits for the deadline of a worker whose worktree was removed from
# outside; its group is ended, and another attempt gets its scope.
a_worktree_removed_from_outside_ends_its_worker() {
	begin && writes a && writes b && does a <<-'END' || return 1
		case $PAWL_ATTEMPT in
		*@1) sleep 600 & touch "$does/on"; wait ;;
		*) echo a >a.txt ;;
		esac
	END
	"$PAWL" run ../tasks.md --write .. -- ../worker >../out 2>../err &
	pid=$!
	until_true test -f ../does/on && rm -rf "$(worktree_of a-1)" || return 1
	got=0
	wait $pid || got=$?
	cat ../err
	same "$got" 0 && stands COMPLETE a=PASSED b=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" workspace_lost &&
		same "$(strays)" "" && same "$(worktrees)" 1
}

# worktree_of NAME: the folder of that worktree.
worktree_of() {
	git worktree list --porcelain | sed -n "s|^worktree \\(.*/$1\\)/tree$|\\1|p"
}

a_worker_that_replaces_the_link_to_git_is_started_again() {
	begin && writes a && writes b && does a <<-'END' &&
		echo a >a.txt
		case $PAWL_ATTEMPT in *@1) echo "gitdir: $does" >.git ;; esac
	END
		run 0 && stands COMPLETE a=PASSED b=PASSED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" workspace_lost && same "$(worktrees)" 1
}

# Nor can its check.
a_check_that_removes_the_worktree_is_no_pass() {
	begin && printf 'rm -rf "$PWD"\n' >check.sh && git add check.sh &&
		git commit -qm check && task a '' a.txt write 'sh check.sh' &&
		run 1 && stands FAILED a=FAILED && same "$(worktrees)" 1
}

# C104, C107: bounded, and the task's allowance is untouched.
a_missing_program_blocks_in_bounded_events() {
	begin && writes a && writes b && writes c && writes d &&
		printf '#!/no/such/program\n' >../worker &&
		run 1 && stands BLOCKED &&
		same "$(happened check_started)" 0 &&
		[ "$(events .type | wc -l)" -lt 120 ] &&
		same "$(jq -r .result.breaker.tripped ../status.json)" true
}

# C107: one task alone is blocked for its surroundings, and can be unblocked.
a_missing_program_of_one_task_blocks_it() {
	begin && writes a && printf '#!/no/such/program\n' >../worker.2 &&
		chmod +x ../worker.2 &&
		status 1 pawl run ../tasks.md --write .. -- ../worker.2 &&
		stands BLOCKED a=BLOCKED && grep -q environment ../out &&
		same "$(happened attempt_reserved)" 3 &&
		status 0 pawl unblock "$(rid)/a" --reason "it is there now" &&
		run 0 && stands COMPLETE a=PASSED
}

# C105: one cause across tasks opens the breaker.
one_cause_across_tasks_opens_the_breaker() {
	begin && for id in a b c d e f; do
		writes $id && echo 'echo "not logged in" >&2; exit 1' |
			does $id || return 1
	done && run 1 && stands BLOCKED &&
		[ "$(happened attempt_reserved)" -le 8 ] &&
		pawl explain a --json >../why && cat ../why &&
		grep -q 'not logged in' ../why && date >../mended &&
		for id in a b c d e f; do
			rm "../does/$id" || return 1
		done && run 0 && stands COMPLETE
}

# C104: and different words each time don't make it endless.
ever_different_messages_are_bounded_too() {
	begin && for id in a b c d e f; do
		writes $id && echo 'date +%N | tr 0-9 a-j >&2; exit 1' |
			does $id || return 1
	done && run 1 && [ "$(happened attempt_reserved)" -le 16 ]
}

# C096
a_sentinel_check_is_never_complete() {
	begin && task a '' a.txt write 'missing validation evidence' &&
		writes b && run 1 && stands BLOCKED b=PASSED &&
		same "$(events 'select(.type == "node_graded" and
			.node == "a") | .data.grade')" unobserved
}

# What was changed before isn't a reader's, who looks at it beside worktrees.
what_was_dirty_before_is_nobodys_fault() {
	begin && reads r && writes w && echo dirt >one && run 0 -j2 &&
		stands COMPLETE r=PASSED w=PASSED &&
		same "$(happened attempt_reserved r)$(happened scope_violated)" 10
}

dirt_in_a_scope_refuses_the_run() {
	begin && writes a && echo dirt >a.txt && run 1 --json && code dirty_scope && same "$(cat a.txt)" dirt &&
		same "$(rundir)" "" &&
		run 0 --allow-dirty && stands COMPLETE a=PASSED &&
		same "$(cat a.txt)" dirt && same "$(on_main a.txt)" a &&
		same "$(events 'select(.type == "run_started") |
			.data.dirty | join(" ")')" a.txt
}

# It looked for the state's folder, which there isn't, and crashed.
a_rehearsal_of_a_new_run_makes_nothing() {
	begin && writes a && tree . >../before && run 0 --dry-run --json &&
		same "$(jq -c '.result | [.run, .tasks, .dry_run]' ../out)" \
			'[null,1,true]' && tree . >../after && cmp ../before ../after &&
		[ ! -e "$XDG_STATE_HOME" ] && echo dirt >a.txt &&
		run 1 --dry-run --json && code dirty_scope
}

once_sees_one_wave_through() {
	begin && writes a && writes b && writes c a && run 0 --once -j2 &&
		stands RUNNING a=PASSED b=PASSED c=READY &&
		run 0 --once && stands COMPLETE
}

strict_refuses_an_attempt_that_changed_its_check() {
	begin && task a '' 'check.sh, a.txt' write 'sh check.sh' &&
		does a <<-'END' &&
			echo a >a.txt
			echo true >check.sh
		END
		run 1 --strict && stands FAILED a=FAILED &&
		grep -q strict "$(rundir)/events.jsonl"
}

# C016: no transcript, and no secret in a log.
a_secret_is_masked_in_logs() {
	export TOKEN=s3cr3t-v4lue && begin && writes a && does a <<-'END' &&
		echo "using $TOKEN"
		echo "$TOKEN" | cut -c1-4 | tr -d '\n'
		sleep 0.1
		echo "$TOKEN" | cut -c5-
		echo a >a.txt
		exit 1
	END
		run 1 --secret TOKEN && ! grep -r s3cr3t-v4lue "$(rundir)" &&
		grep -q 'using' "$(rundir)/logs/a@1"
}

# Capacity: with four slots three tasks that need one and the same are never at
# work together; each that met another would fail its attempt.
what_tasks_need_is_handed_out_once() {
	begin && for id in a b c; do
		writes $id '' 'Needs: [db, net]' && does $id <<-'END' || return 1
			mkdir "$does/db" || exit 3
			sleep 0.1
			rmdir "$does/db"
			echo "$PAWL_NODE" >"$PAWL_NODE.txt"
		END
	done
	run 0 -j4 --capacity net=4 && stands COMPLETE &&
		same "$(happened attempt_started)" 3 &&
		same "$(events 'select(.type == "run_started") |
			.data.capacity[0]')" net=4
}

a_need_that_nothing_can_meet_refuses_the_run() {
	begin && writes a '' 'Needs: gpu:2' && run 1 --json &&
		code limit && grep -q "needs 2 of 'gpu', of which there is 1" ../out &&
		same "$(rundir)" "" || return 1
	run 0 --capacity gpu=2 && stands COMPLETE a=PASSED
}

land_moves_the_users_branch_forward() {
	begin && writes a && run 0 --land && same "$(cat a.txt)" a &&
		same "$(git status --short)" "" &&
		same "$(git rev-parse main)" \
			"$(git rev-parse "pawl/$(rid)/main")" &&
		status 0 pawl run "$(rid)" --land
}

# C065
land_never_touches_an_untracked_file() {
	begin && writes a && run 0 && echo mine >a.txt &&
		status 4 pawl run "$(rid)" --land && grep -q a.txt ../err &&
		same "$(cat a.txt)" mine && same "$(git log --oneline | wc -l)" 1
}

land_refuses_a_branch_with_commits_of_its_own() {
	begin && writes a && run 0 && echo two >two && git add two &&
		git commit -qm two && status 4 pawl run "$(rid)" --land &&
		same "$(git log --format=%s -n1)" two
}

outside_a_repository_only_reading_runs() {
	begin && rm -rf .git && reads a && reads b a && run 0 &&
		stands COMPLETE a=PASSED b=PASSED &&
		writes c && run 1 --json && code needs_repository
}

# C066: checked again where the branch is now.
a_moved_tip_is_checked_again() {
	begin && writes a && writes b && does a <<-'END' && does b <<-'END2' &&
		echo a >a.txt
	END
		until git show-ref | grep -q main; do sleep 0.1; done
		until git log --format=%s --all | grep -q '^a:'; do
			sleep 0.1
		done
		echo b >b.txt
	END2
		run 0 -j2 && stands COMPLETE a=PASSED b=PASSED &&
		same "$(on_main a.txt)$(on_main b.txt)" ab &&
		same "$(events 'select(.type == "integrated") | .data.onto' |
			sort -u | wc -l)" 2
}

# C065, C072: a folder and a file in it overlap, so only dependencies let two
# of them work on stale bases; the user's own commit on the branch does, too.
a_run_branch_that_somebody_moved_stops_the_run() {
	begin && writes a && does a <<-'END' &&
		main=$(git for-each-ref --format='%(refname)' \
			'refs/heads/pawl/*/main')
		echo theirs >a.txt
		blob=$(git hash-object -w a.txt)
		GIT_INDEX_FILE=$does/index; export GIT_INDEX_FILE
		git read-tree HEAD
		git update-index --add --cacheinfo 100644,"$blob",a.txt
		tree=$(git write-tree)
		unset GIT_INDEX_FILE
		git update-ref "$main" \
			"$(git commit-tree -p HEAD -m theirs "$tree")"
		echo ours >a.txt
	END
		run 4 -j2 && same "$(happened attempt_reserved)" 1 &&
		same "$(happened integrated)" 0 &&
		run 4 -j2 && git update-ref "$(git for-each-ref \
			--format='%(refname)' 'refs/heads/pawl/*/main')" HEAD &&
		run 0 -j2 && stands COMPLETE a=PASSED &&
		same "$(happened attempt_reserved)" 1 &&
		same "$(on_main a.txt)" ours && same "$(branches)" main &&
		same "$(worktrees)" 1
}

# C117: no text of a list reaches a shell.
# The git of a killed coordinator goes on: what it does isn't taken for work.
a_killed_coordinators_git_is_waited_for() {
	begin && writes a && writes b && mkdir ../bin && cat >../bin/git <<-END &&
		#!/bin/sh
		case " \$* " in
		*" reset --hard "*)
			if mkdir "$PWD/../resetting" 2>/dev/null; then
				sleep 1
				"$(command -v git)" "\$@" || exit
				echo killed >>"$PWD/../order"
				exit
			fi
			echo next >>"$PWD/../order"
			;;
		esac
		exec "$(command -v git)" "\$@"
	END
		chmod +x ../bin/git || return 1
	PATH=$PWD/../bin:$PATH "$PAWL" run ../tasks.md --write .. -j2 -- ../worker >../first 2>&1 &
	pid=$!
	until_true test -d ../resetting && kill -9 $pid || return 1
	wait $pid
	(PATH=$PWD/../bin:$PATH && run 0 -j2) &&
		same "$(head -n 1 ../order)" killed && stands COMPLETE a=PASSED b=PASSED &&
		same "$(on_main a.txt)" a && same "$(on_main b.txt)" b &&
		same "$(happened attempt_reserved)" 2
}

# Whoever looks at the run's branch doesn't see it move away below.
a_run_branch_that_is_checked_out_stays() {
	begin && writes a && does a <<-END &&
		git -C "$PWD" switch -q "\$(git for-each-ref \\
			--format='%(refname:short)' 'refs/heads/pawl/*/main')"
		echo ours >a.txt
	END
		run 4 -j2 && grep -q "is checked out in '$PWD'" ../err &&
		same "$(happened integrated)" 0 &&
		same "$(git status --short)" "" && git switch -q --detach &&
		run 0 -j2 && stands COMPLETE a=PASSED &&
		same "$(happened attempt_reserved)" 1 &&
		same "$(on_main a.txt)" ours
}

hostile_text_reaches_no_shell() {
	begin && mkdir 'a $(touch HIT) `touch HIT`' &&
		cat >../tasks.md <<-'END' &&
			- [ ] a-1 "; touch HIT; $(touch HIT) `touch HIT` -rf \ C-c
			  Depends: []
			  Paths: ["a $(touch HIT) `touch HIT`/it's"]
			  Mode: write
			  Isolation: auto
			  Acceptance: '; touch HIT #
			  Check: test -f "a \$(touch HIT) \`touch HIT\`/it's"
		END
		does a-1 <<-'END' &&
			mkdir -p 'a $(touch HIT) `touch HIT`'
			echo x >'a $(touch HIT) `touch HIT`/it'"'"'s'
		END
		status 0 pawl run ../tasks.md --write .. -- ../worker '$(touch HIT)' \
			'a
b' '; touch HIT' && stands COMPLETE a-1=PASSED &&
		same "$(find .. -name HIT)" "" &&
		same "$(events 'select(.type == "run_started") |
			.data.argv[1:] | join("|")')" '$(touch HIT)|a
b|; touch HIT'
}

a_list_with_crlf_runs() {
	begin && writes a && writes b a && sed -i 's/$/\r/' ../tasks.md &&
		run 0 && stands COMPLETE a=PASSED b=PASSED
}

a_worker_file_that_is_not_committed_is_named() {
	begin && writes a && echo '[ "$PAWL_NODE" = b ] || echo a >a.txt' >w.sh &&
		status 1 pawl run ../tasks.md --write .. -- sh w.sh &&
		grep -q "note: 'w.sh' isn't in the run's base commit" ../err &&
		git add w.sh && git commit -q -m w && reads b &&
		status 0 pawl run ../tasks.md --write .. -- sh -e w.sh &&
		! grep note: ../err
}

# C040
the_same_list_goes_on_and_then_is_a_new_run() {
	begin && writes a && writes b a && run 0 --once &&
		first=$(rid) && run 0 && same "$(rid)" "$first" &&
		stands COMPLETE && run 0 &&
		set -- "$XDG_STATE_HOME"/pawl/*/runs/* && same $# 2
}

# C028, C029, C040
a_second_run_beside_a_live_one_exits_6() {
	begin && writes a && echo 'touch "$does/on"; sleep 5; echo a >a.txt' |
		does a || return 1
	"$PAWL" run ../tasks.md --write .. -- ../worker >../first 2>&1 &
	pid=$!
	until_true test -f ../does/on &&
		status 6 pawl run ../tasks.md --write .. --json -- ../worker &&
		code run_held && grep -q "process $pid" ../out &&
		wait $pid && stands COMPLETE &&
		same "$(happened coordinator_taken_over)" 0
}

# C028, C037: the worker is adopted, not started again.
a_dead_holder_is_taken_over() {
	begin && writes a && echo 'touch "$does/on"; sleep 2; echo a >a.txt' |
		does a || return 1
	"$PAWL" run ../tasks.md --write .. -- ../worker >../first 2>&1 &
	pid=$!
	until_true test -f ../does/on && kill -9 $pid || return 1
	wait $pid
	pawl status >../shown && cat ../shown && run 0 && stands COMPLETE &&
		same "$(happened coordinator_taken_over)" 1 &&
		same "$(happened attempt_reserved)" 1
}

all report patch_holds worktree_of
