#!/bin/sh
# What a worker says and leaves is proven before it counts, and is told from
# what other workers do.
. "$(dirname "$0")/lib.sh"

# C073: eight at once tell how far they are; that is in the journal, and each
# tracked file is of one of them.
progress_of_many_is_in_the_journal_alone() {
	begin && for id in a b c d e f g h; do
		writes $id && cat <<-END2 | does $id || return 1
			echo "half way" >&2
			echo $id >$id.txt
		END2
	done
	run 0 -j8 && stands COMPLETE &&
		same "$(happened attempt_reported)" 8 &&
		same "$(git status --short)" "" &&
		same "$(git log --format= --name-only "main..pawl/$(rid)/main" |
			sort | uniq -c | tr -s ' ' | tr '\n' ',')" \
			" 1 a.txt, 1 b.txt, 1 c.txt, 1 d.txt, 1 e.txt, 1 f.txt, 1 g.txt, 1 h.txt,"
}

# C065: what others put beside the tasks' work keeps the run from being COMPLETE.
a_foreign_change_in_place_is_named_at_the_end() {
	begin && writes a && writes b a 'Approval: required' && run 5 -j1 &&
		echo theirs >theirs && mkdir d && echo x >d/x && status 0 pawl approve \
			"$(rid)/b!1" && run 1 -j1 --json && code changed_path_unproven &&
		same "$(jq -c .error.details ../out)" \
			'{"count":2,"paths":["d/x","theirs"]}' &&
		same "$(happened run_closed)" 0 && run 1 -j1 &&
		hint=$(sed -n "s/.*\(git stash .*\), then: pawl run $(rid)\$/\1/p" ../err) &&
		same "$hint" 'git stash push -u -- d/x theirs' && $hint &&
		run 0 -j1 && stands COMPLETE a=PASSED b=PASSED
}

a_foreign_commit_on_the_runs_branch_is_named_at_the_end() {
	begin && writes a && reads b a && does b <<-'END' &&
		main=$(git for-each-ref --format='%(refname)' \
			'refs/heads/pawl/*/main')
		blob=$(echo theirs | git hash-object -w --stdin)
		GIT_INDEX_FILE=$does/index; export GIT_INDEX_FILE
		git read-tree "$main"
		git update-index --add --cacheinfo 100644,"$blob",theirs
		git update-ref "$main" "$(git commit-tree -p "$main" -m theirs \
			"$(git write-tree)")"
	END
		run 4 -j2 --json && code ref_moved &&
		same "$(jq -c .error.details ../out)" '{"count":1,"paths":["theirs"]}' &&
		same "$(happened run_closed)" 0 &&
		git update-ref "refs/heads/pawl/$(rid)/main" \
			"refs/heads/pawl/$(rid)/main~" && run 0 -j2 && stands COMPLETE
}

# The journal lists the first 256; the others aren't taken for the run's.
more_dirt_than_is_listed_has_no_owner_to_be_found() {
	begin && writes a && mkdir dirt && (cd dirt && seq 1 300 | xargs touch) &&
		run 0 -j1 && stands COMPLETE && same "$(events 'select(.type ==
			"run_started") | .data.dirty | length')" 256
}

# C075: what one has staged doesn't ride in with another's commit, nor what the
# user has staged.
nothing_staged_rides_in_with_another() {
	begin && writes a && writes b a && echo mine >mine && git add mine &&
		does a <<-'END' &&
			echo a >a.txt
			git add a.txt 2>/dev/null || :
		END
		run 0 --allow-dirty -j2 && stands COMPLETE &&
		same "$(git log --format=%s: --name-only --reverse \
			"main..pawl/$(rid)/main" | tr '\n' ' ')" \
			"a: Do a:  a.txt b: Do b:  b.txt " &&
		same "$(git status --short)" "A  mine"
}

# C091: that it ran at all: who, what, how long, and how it ended.
a_receipt_shows_that_a_worker_ran() {
	begin && writes a && run 0 && stands COMPLETE &&
		same "$(events 'select(.type == "run_started") |
			.data.argv[0]' | sed 's|.*/||')" worker &&
		same "$(events 'select(.type == "attempt_started") |
			.data | (.pid > 1) and (.start > 0) and
			(.boot | length > 0)')" true &&
		same "$(events 'select(.type == "attempt_reported") |
			.data | [.exit, (.duration_ms >= 0),
			(.stdout_sha256 | length), .file_count] | join(" ")')" \
			"0 true 64 1" &&
		same "$(events 'select(.type == "check_started") |
			.data.argv | join(" ")')" "test -f a.txt" &&
		same "$(events 'select(.type == "check_recorded") |
			.data | [.verdict, .exit] | join(" ")')" "pass 0"
}

# reports WORD: a worker's report with this as its evidence, and no change.
reports() {
	cat <<-END
		cat >"\$PAWL_OUTBOX/report.tmp" <<-JSON
		{"task_id":"\$PAWL_NODE","attempt_id":"\$PAWL_ATTEMPT",
		"outcome":"reported","summary":"done","files_changed":[],
		"checks_run":[],"evidence_refs":[$1],"questions":[],
		"external_refs":{}}
		JSON
		mv "\$PAWL_OUTBOX/report.tmp" "\$PAWL_OUTBOX/report.json"
	END
}

# C090: whatever a report brings forward: the check decides.
no_evidence_of_a_worker_passes_a_task() {
	begin && for refs in '"file:one"' '"file:nothing"' '"file:../one"' \
		'"file:/etc/passwd"' '"make test: exit 0"' '"commit:0000"' \
		'"url:https://example.org"' ''; do
		number=$((${number:-0} + 1)) && id=t$number && task $id '' $id.txt write "test -f $id.txt" &&
			reports "$refs" | does $id || return 1
	done
	run 1 && same "$(happened check_recorded)" \
		"$(events 'select(.type == "check_recorded" and
			.data.verdict == "fail") | .type' | wc -l)" &&
		[ "$(happened check_recorded)" -ge 2 ] &&
		same "$(happened integrated)" 0 && stands FAILED &&
		same "$(jq .result.progress.passed ../status.json)" 0
}

# C103: words on the way out are no claim; what is there is looked at.
an_exit_and_words_are_no_claim() {
	begin && writes a && does a <<-'END' &&
		echo "All tests pass. I will now delegate the rest."
		exit 0
	END
		run 1 && stands FAILED a=FAILED && same "$(happened integrated)" 0
}

# C120: neither what a worker says nor what a check prints, at whatever end.
no_secret_is_kept_of_any_output() {
	export TOKEN=s3cr3t-v4lue OTHER=an0ther-one && begin &&
		printf 'echo "$TOKEN $OTHER"; exit 3\n' >check.sh &&
		git add check.sh && git commit -qm check &&
		task a '' a.txt write 'sh check.sh' && does a <<-'END' &&
			echo "with $TOKEN"
			echo "and $OTHER" >&2
			echo a >a.txt
		END
		run 1 --secret TOKEN --secret OTHER && stands FAILED a=FAILED &&
		! grep -rF -e s3cr3t-v4lue -e an0ther-one "$(rundir)" &&
		! grep -F -e s3cr3t-v4lue -e an0ther-one ../out ../err \
			../does/*.prompt
}

# A check that must fail on the base is run there first, in a worktree of its
# own that is gone afterwards; in place the base is what stood before.
red_first() {
	begin && writes a '' 'Red: true' && writes b a 'Red: true' &&
		run 0 $1 && stands COMPLETE &&
		same "$(events 'select(.type == "check_started") |
			[.attempt, .data.red] | join(" ")' | tr '\n' ',')" \
			"a@1 true,a@1 ,b@1 true,b@1 ," &&
		same "$(events 'select(.type == "check_recorded") |
			[.data.check, .data.verdict] | join(" ")' |
			tr '\n' ',')" \
			"a@1#1 fail,a@1#2 pass,b@1#1 fail,b@1#2 pass," &&
		same "$(events 'select(.type == "cleanup_settled") |
			.data.status' | sort -u)" verified &&
		same "$(git branch --list 'pawl/*red*')" "" &&
		same "$(git worktree list | wc -l)" 1
}

a_red_check_is_seen_to_fail_on_the_base_in_place() {
	red_first -j1
}

a_red_check_is_seen_to_fail_on_the_base_in_worktrees() {
	red_first -j2
}

# One that passes where nothing was done shows nothing.
a_check_that_passes_on_the_base_blocks_a_red_task() {
	begin && task a '' a.txt write "test -f one" 'Red: true' &&
		run 1 && stands BLOCKED a=BLOCKED &&
		same "$(happened check_started)" 1 &&
		same "$(happened integrated)" 0 &&
		same "$(events 'select(.type == "node_graded") |
			.data.grade')" blocked &&
		grep -q "passes on the base" ../out
}

all reports red_first
