#!/bin/sh
# What a coordinator registers, and what it takes to settle it.  C050.
# shellcheck disable=SC2154 # run and journal are handout.sh's
. "$(dirname "$0")/handout.sh"

# refused STATUS CODE ARGUMENT...: and the journal stays as it was.
refused() {
	want=$1 word=$2
	shift 2
	unmoved status "$want" pawl task cleanup "$@" --json && code "$word"
}

# begun: A-1@1 is at work.
begun() { coordinated && status 0 pawl task dispatch A-1; }

# registered KIND TARGET: as the next cleanup; its id is $c.
registered() {
	status 0 pawl task cleanup register A-1@1 --kind "$1" --target "$2" \
		--json && c=$(jq -r .result.cleanup ../out) && [ -n "$c" ]
}

a_path_is_verified_only_once_it_is_gone() {
	begun && mkdir ../made && made=$(cd ../made && pwd) &&
		registered temp_path "$made" &&
		refused 1 cleanup_unproven finish "$c" &&
		jq -e '.error.hint | test("retain")' ../out &&
		status 0 pawl task cleanup recover "$c" --json &&
		answer '[.status, .settled]' '["failed",false]' &&
		unmoved status 0 pawl task cleanup recover "$c" --json &&
		answer .again true && rmdir "$made" &&
		status 0 pawl task cleanup finish "$c" --json &&
		answer '[.status, .settled, .again]' '["verified",true,false]' &&
		unmoved status 0 pawl task cleanup finish "$c" --json &&
		answer .again true
}

# What stands there now isn't what was registered: nobody can tell.
another_thing_at_the_path_proves_nothing() {
	begun && mkdir ../made && made=$(cd ../made && pwd) &&
		registered temp_path "$made" && mkdir ../other && rmdir "$made" &&
		mv ../other "$made" &&
		status 0 pawl task cleanup finish "$c" --json &&
		answer '[.status, .settled]' '["unverifiable",false]' &&
		unmoved status 0 pawl task cleanup finish "$c" &&
		rmdir "$made" && status 0 pawl task cleanup finish "$c" --json &&
		answer .status '"verified"'
}

# The registration may come before the thing.
an_intent_comes_before_the_effect() {
	begun && registered temp_path "$PWD/../later" && mkdir ../later &&
		refused 1 cleanup_unproven finish "$c" && rmdir ../later &&
		status 0 pawl task cleanup finish "$c" --json &&
		answer .status '"verified"'
}

a_process_is_its_number_and_its_start() {
	begun || return 1
	sleep 60 &
	pid=$!
	status 0 pawl task cleanup register A-1@1 --kind process --pid $pid \
		--json && c=$(jq -r .result.cleanup ../out) &&
		refused 1 cleanup_unproven finish "$c" &&
		unmoved status 0 pawl task cleanup register A-1@1 \
			--kind process --pid $pid --json && answer .again true &&
		kill $pid && { wait $pid || :; } &&
		status 0 pawl task cleanup finish "$c" --json &&
		answer .status '"verified"' &&
		refused 1 invalid_argument register A-1@1 --kind process \
			--pid $pid &&
		refused 1 invalid_argument register A-1@1 --kind process &&
		refused 1 invalid_argument register A-1@1 --kind session \
			--target t --pid 1
}
a_worktree_is_gone_from_the_disk_and_from_git() {
	begun && git worktree add -q ../tree 2>/dev/null &&
		tree=$(cd ../tree && pwd -P) && registered worktree "$tree" &&
		refused 1 cleanup_unproven finish "$c" && rm -rf "$tree" &&
		refused 1 cleanup_unproven finish "$c" && git worktree prune &&
		status 0 pawl task cleanup finish "$c" --json &&
		answer '[.status, .reason]' \
			'["verified","neither the disk nor git has it"]'
}

# A word is enough for what pawl can't look at, and its receipt is kept.
a_word_settles_what_cant_be_proven() {
	begun && registered browser_surface 'tab 7' && echo closed >../receipt &&
		status 0 pawl task cleanup finish "$c" --receipt ../receipt \
			--json && answer '[.status, .receipt_sha256]' \
			"[\"done\",\"$(sha256sum <../receipt | cut -c1-64)\"]" &&
		[ -e "$rundir/artifacts/sha256/$(sha256sum <../receipt |
			cut -c1-64)" ] &&
		unmoved status 0 pawl task cleanup finish "$c" --json &&
		answer .again true && echo other >../receipt &&
		refused 4 cleanup_settled finish "$c" --receipt ../receipt &&
		[ ! -e "$rundir/artifacts/sha256/$(sha256sum <../receipt |
			cut -c1-64)" ]
}

a_second_identity_for_a_target_is_refused() {
	begun && status 0 pawl task dispatch B-2 && registered session s-1 &&
		unmoved status 0 pawl task cleanup register A-1@1 --kind session \
			--target s-1 --json && answer '[.cleanup, .again]' \
			"[\"$c\",true]" &&
		refused 4 cleanup_taken register B-2@1 --kind session --target s-1 &&
		status 0 pawl task cleanup register B-2@1 --kind terminal \
			--target s-1
}

# By the key, although it is settled and others came after it.
a_key_answers_with_the_cleanup_that_it_made() {
	begun && status 0 pawl task cleanup register A-1@1 --kind session \
		--target s-1 --key k --json && c=$(jq -r .result.cleanup ../out) &&
		status 0 pawl task cleanup finish "$c" &&
		status 0 pawl task cleanup register A-1@1 --kind session \
			--target s-2 &&
		unmoved status 0 pawl task cleanup register A-1@1 \
			--kind session --target s-1 --key k --json &&
		answer '[.cleanup, .target, .again]' "[\"$c\",\"s-1\",true]"
}

# kept: A-1@1 works where it works, whatever becomes of it.
kept() { begun && status 0 pawl task cleanup retain c1 --reason wanted; }
still_there() {
	[ -f "$(workspace A-1@1)/a/f" ] && same "$(pawl task digest "$run" --json |
		jq -c '.result.cleanups | .pending, (.retained | map(.cleanup))')" \
		'[]
["c1"]' && same "$(git worktree list | wc -l)" 2
}

# A worktree that is to be kept outlives a grade, and giving up.
a_worktree_that_is_retained_stays() {
	kept && works A-1@1 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && still_there
}
a_worktree_that_is_retained_outlives_its_attempt() {
	kept && status 0 pawl task abandon A-1@1 --reason x && still_there &&
		status 0 pawl task dispatch A-1
}

# frozen CMD...: with worktrees that can only be read, in a mount of its own.
frozen() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind "$0" "$0" &&
		mount -o remount,bind,ro "$0" && exec "$@"' "$HOME" "$@"
}

# The machine is in the way: nothing is said of the worktree until it is gone.
a_worktree_that_cannot_go_now_goes_later() {
	begun && works A-1@1 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		unmoved status 7 frozen "$PAWL" task grade A-1 pass --json &&
		code io && [ -f "$(workspace A-1@1)/a/f" ] &&
		status 0 pawl task grade A-1 pass && [ ! -e "$(workspace A-1@1)" ] &&
		status 0 pawl task digest --json &&
		answer .cleanups '{"pending":[],"retained":[]}'
}

what_is_retained_is_named_with_who_and_why() {
	begun && registered terminal 'tab 7' &&
		refused 1 reason_needed retain "$c" &&
		refused 1 reason_needed retain "$c" --reason ' ' &&
		status 0 pawl task cleanup retain "$c" --reason 'the user looks' \
			--json && answer '[.status, .settled]' '["retained",true]' &&
		unmoved status 0 pawl task cleanup retain "$c" \
			--reason 'the user looks' &&
		refused 4 cleanup_settled retain "$c" --reason 'another' &&
		refused 4 cleanup_settled finish "$c" &&
		status 0 pawl status --json &&
		answer '[.retained[] | .id, .reason, .settled_by]' \
			"[\"$c\",\"the user looks\",\"coordinator:lead\"]"
}

an_open_one_keeps_its_node_from_passing() {
	begun && registered session s-1 && works A-1@1 a/done &&
		status 0 pawl task sync && status 0 pawl task check A-1 &&
		status 0 pawl task integrate A-1 &&
		unmoved status 4 pawl task grade A-1 pass --json &&
		code cleanup_pending &&
		status 0 pawl task cleanup finish "$c" &&
		status 0 pawl task grade A-1 pass
}

# What an ended attempt has left is looked for again at each sync.
sync_settles_what_is_gone() {
	begun && mkdir ../made && made=$(cd ../made && pwd) &&
		registered temp_path "$made" &&
		echo '{' >"$rundir/outbox/A-1@1/report.json" &&
		status 0 pawl task sync && stood A-1@1 quarantined &&
		unmoved status 0 pawl task sync && status 0 pawl show "$c" &&
		grep -q 'status *pending' ../out && rmdir "$made" &&
		status 0 pawl task sync && status 0 pawl show "$c" &&
		grep -q 'status *verified' ../out && unmoved status 0 pawl task sync
}

wrong_ones_are_refused() {
	begun && refused 3 cleanup_not_found finish c99 &&
		refused 3 cleanup_not_found retain c0 --reason x &&
		refused 3 attempt_not_found register A-1@9 --kind session \
			--target t &&
		refused 1 invalid_argument register A-1@1 --kind wish --target t &&
		refused 1 invalid_argument register A-1@1 --kind session &&
		refused 1 invalid_path register A-1@1 --kind temp_path --target x &&
		unmoved status 0 pawl task cleanup register A-1@1 --kind session \
			--target t --dry-run &&
		status 0 pawl cleanup-register A-1@1 --kind session --target t &&
		status 0 pawl recover-cleanup c1
}

# C050: stopped with siblings that wait for one scope: no lock, no scope and no
# process is held, and the next coordinator may go on with any of them.
a_stop_frees_all_that_waited() {
	repo && mkdir a && echo 1 >a/f && i=0 && while [ $i -lt 10 ]; do
		i=$((i + 1))
		cat <<-END
			- [ ] T-$i Change it
			  Depends: []
			  Paths: [a]
			  Mode: write
			  Isolation: worktree
			  Acceptance: done
			  Check: test -f a/f
		END
	done >tasks.md && printf '%s\n' '#!/bin/sh' 'touch "$HOME/began"' \
		'exec sleep 60' >worker.sh && chmod +x worker.sh && git add . &&
		git commit -qm list && pawl init >/dev/null 2>&1 || return 1
	"$PAWL" run tasks.md -j 4 --write "$HOME" -- ./worker.sh >../run.out 2>&1 &
	pid=$!
	until [ -e "$HOME/began" ]; do sleep 0.05; done
	kill -TERM $pid && { wait $pid || :; }
	run=$(ls .pawl/runs) && status 0 pawl status "$run" --json &&
		answer '[.progress.attempts_alive, .progress.cleanups_open,
			.progress.ready]' '[0,0,10]' &&
		status 0 flock -n ".pawl/runs/$run/lock" true &&
		printf '%s\n' '#!/bin/sh' 'echo 2 >>a/f' >worker.sh &&
		status 0 pawl run "$run" &&
		status 0 pawl status "$run" --json &&
		answer '[.run.status, .progress.passed]' '["COMPLETE",10]'
}

t a_path_is_verified_only_once_it_is_gone
t another_thing_at_the_path_proves_nothing
t an_intent_comes_before_the_effect
t a_process_is_its_number_and_its_start
t a_worktree_is_gone_from_the_disk_and_from_git
t a_word_settles_what_cant_be_proven
t a_second_identity_for_a_target_is_refused
t a_key_answers_with_the_cleanup_that_it_made
t a_worktree_that_is_retained_stays
t a_worktree_that_is_retained_outlives_its_attempt
if unshare -m true 2>/dev/null; then
	t a_worktree_that_cannot_go_now_goes_later
else
	skip a_worktree_that_cannot_go_now_goes_later "no mount namespaces here"
fi
t what_is_retained_is_named_with_who_and_why
t an_open_one_keeps_its_node_from_passing
t sync_settles_what_is_gone
t wrong_ones_are_refused
t a_stop_frees_all_that_waited
done_testing
