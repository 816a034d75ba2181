#!/bin/sh
# What an attempt leaves is proven to be within its scope and to be what would
# land: when it reports, and again when it isn't any more what was proven.
# shellcheck disable=SC2154 # journal and run are handout.sh's
. "$(dirname "$0")/handout.sh"

# breaches: of each, the attempt, the reason and the paths.
breaches() {
	jq -c '.events[] | select(.type == "scope_violated") |
		[.attempt, .data.reason // "outside"] + .data.paths' "$journal"
}

# condemned CAUSE: no check is started for A-1@1, and none can be; it is that.
condemned() {
	unmoved status 4 pawl task check A-1 --json && code attempt_state &&
		jq -r .error.message ../out | grep -qF "$1" &&
		same "$(happened check_started)" 0
}

# A check would see what git ignores, and the branch never would get it.
what_is_reported_and_ignored_condemns() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		echo '*' >"$(workspace A-1@1)/a/.gitignore" && works A-1@1 a/done &&
		echo '*.o' >.git/info/exclude && echo x >"$(workspace B-2@1)/b/x.o" &&
		echo x >"$(workspace B-2@1)/b/done" && reports B-2@1 b/done b/x.o b/f &&
		status 0 pawl task sync && same "$(breaches)" \
			'["A-1@1","ignored","a/done"]
["B-2@1","ignored","b/x.o"]' &&
		condemned "a/done was reported, but git ignores it" &&
		pawl log | grep -q 'A-1@1 reported 1 path that git ignores: a/done'
}

# What isn't there, what is as it was, and what isn't reported condemn nothing.
what_is_ignored_and_not_reported_is_no_ones() {
	coordinated && status 0 pawl task dispatch A-1 && at=$(workspace A-1@1) &&
		echo '*.o' >"$at/a/.gitignore" && echo x >"$at/a/x.o" &&
		rm "$at/a/f" && echo x >"$at/a/done" &&
		reports A-1@1 a/done a/f a/gone && status 0 pawl task sync &&
		same "$(breaches)" '' && status 0 pawl task check A-1 &&
		status 0 pawl task integrate A-1 && status 0 pawl task grade A-1 pass
}

# Of a repository in the repository only the name of a commit would land.
a_repository_of_its_own_condemns() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		at=$(workspace A-1@1) && git init -q "$at/a/sub" && echo x >"$at/a/sub/x" &&
		git -C "$at/a/sub" add x && git -C "$at/a/sub" commit -qm x &&
		works A-1@1 a/done && at=$(workspace B-2@1) &&
		git init -q "$at/b/sub" && echo x >"$at/b/sub/x" && works B-2@1 b/done &&
		status 0 pawl task sync && same "$(breaches)" \
			'["A-1@1","repository","a/sub"]
["B-2@1","repository","b/sub"]' &&
		condemned "a/sub is a repository of its own" &&
		status 0 pawl task grade A-1 fail --reason nested &&
		status 0 pawl task abandon B-2@1 --reason nested &&
		[ -e "$(workspace A-1@1)/a/sub/x" ] && [ -e "$at/b/sub/x" ] &&
		same "$(jq -r '.events[] | select(.type == "cleanup_settled" and
			.data.status == "retained") | .data.reason' "$journal" |
			grep -c 'is a repository of its own')" 2
}

# What is written to a file that a name outside shares is written there.
a_hard_link_that_leads_out_condemns() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && at=$(workspace A-1@1) &&
		echo mine >"${at%/*}/../outside" && ln "${at%/*}/../outside" "$at/a/done" &&
		works A-1@1 a/done && at=$(workspace B-2@1) && echo x >"$at/b/x" &&
		ln "$at/b/x" "$at/b/y" && echo '*.o' >.git/info/exclude &&
		ln "$at/b/x" "$at/b/x.o" && works B-2@1 b/done &&
		status 0 pawl task sync &&
		same "$(breaches)" '["A-1@1","linked","a/done"]' &&
		condemned "a/done is a hard link to a file elsewhere" &&
		status 0 pawl task check B-2
}

# C116: links that are tracked, and `.github`, which isn't in `.git`; what is
# written through a link counts where it is written, and the link stays one.
tracked_links_stand_in_no_ones_way() {
	repo && mkdir a .github && echo 1 >a/f && echo 1 >.github/x &&
		ln -s a/f CLAUDE.md && ln -s .github gh && cat >tasks.md <<-'END' &&
			- [ ] A-1 Do
			  Depends: []
			  Paths: [.github/, a/]
			  Mode: write
			  Isolation: worktree
			  Acceptance: done
			  Check: grep -q through CLAUDE.md
		END
		git add . && git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --strict --driver host >/dev/null &&
		run=$(ls .pawl/runs) && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS && status 0 pawl task dispatch A-1 &&
		at=$(workspace A-1@1) && echo through >"$at/CLAUDE.md" &&
		echo through >"$at/gh/y" && reports A-1@1 a/f .github/y &&
		status 0 pawl task sync && same "$(breaches)" '' &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass &&
		same "$(git show "pawl/$run/main:a/f")" through &&
		same "$(git show "pawl/$run/main:.github/y")" through &&
		same "$(git ls-tree "pawl/$run/main" CLAUDE.md gh | cut -c1-6 |
			tr '\n' ' ')" '120000 120000 ' &&
		same "$(git status --short)" '' && [ -L CLAUDE.md ]
}

# In place it stays where it is, and a verb leads out.
a_repository_in_place_is_left() {
	in_place && git init -q a/sub && echo x >a/sub/x && works_here a/done &&
		status 0 pawl task sync && same "$(breaches)" \
			'["A-1@1","repository","a/sub"]' &&
		status 0 pawl task abandon A-1@1 --reason nested &&
		[ -e a/sub/x ] && [ ! -e a/done ] &&
		same "$(jq -c '.events[] | select(.type == "workspace_reconciled") |
			.data.left' "$journal")" '["a/sub"]'
}

# in_place: A-1, then B-2, one after the other in the user's own tree.
in_place() {
	repo && mkdir a b && echo 1 >a/f && for id in A-1 B-2; do
		dir=$(echo "${id%-*}" | tr AB ab) && cat <<-END
			- [ ] $id Do
			  Depends: $([ $id = A-1 ] && echo '[]' || echo '[A-1]')
			  Paths: [$dir]
			  Mode: write
			  Isolation: auto
			  Acceptance: done
			  Check: test -f $dir/done
		END
	done >tasks.md && git add . && git commit -qm list &&
		pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --driver host -j1 >/dev/null &&
		run=$(ls .pawl/runs) && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS && status 0 pawl task dispatch A-1
}

works_here() { echo 'done' >"$1" && reports A-1@1 "$1"; }

# Long paths, of which a line has no room for all, are counted all the same.
a_line_has_room_for_what_it_lists() {
	coordinated && status 0 pawl task dispatch A-1 && deep=$(workspace A-1@1) &&
		long=$(printf '%0240d' 0 | tr 0 d) && for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13
	do
		deep=$deep/$long
	done && mkdir -p "$deep" && cd "$deep" && for i in $(seq 300); do
		echo >"$i" || return 1
	done && cd "$OLDPWD" && works A-1@1 a/done && status 0 pawl task sync &&
		same "$(jq -c '.events[] | select(.type == "scope_violated") |
			[.data.path_count, (.data.paths | length)]' "$journal")" \
			'[300,20]'
}

# A worker that goes on after its report changes what was proven.
what_is_written_after_the_report_is_proven_too() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && works A-1@1 a/done &&
		works B-2@1 b/done && status 0 pawl task sync &&
		echo evil >"$(workspace A-1@1)/b/evil" && same "$(breaches)" '' &&
		status 4 pawl task check A-1 --json && code attempt_state &&
		same "$(breaches)" '["A-1@1","outside","b/evil"]' &&
		condemned "b/evil lies outside" &&
		echo '*' >"$(workspace B-2@1)/b/.gitignore" &&
		status 0 pawl task check B-2 && status 0 pawl task integrate B-2 &&
		same "$(git show "pawl/$run/main:b/done")" "done"
}

# The same between two checks, and when others landed in the meantime.
what_is_written_after_a_check_is_proven_too() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && works A-1@1 a/done &&
		works B-2@1 b/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task check B-2 &&
		status 0 pawl task integrate B-2 && status 0 pawl task grade B-2 pass &&
		echo evil >"$(workspace A-1@1)/b/evil" &&
		status 4 pawl task integrate A-1 --json && code check_stale &&
		status 4 pawl task check A-1 --rerun --json && code attempt_state &&
		same "$(breaches)" '["A-1@1","outside","b/evil"]'
}

# In place a pass is of what the check saw, too.
in_place_a_pass_is_of_what_was_checked() {
	in_place && works_here a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && rm a/done &&
		unmoved status 4 pawl task grade A-1 pass --json && code check_stale &&
		echo 'done' >a/done && status 0 pawl task grade A-1 pass &&
		stood A-1@1 settled
}

# A filter that a worker put into the repository's configuration would run in
# pawl's own look at its work, where no sandbox is.
no_planted_program_runs() {
	coordinated && status 0 pawl task dispatch A-1 && at=$(workspace A-1@1) &&
		printf '#!/bin/sh\necho ran >>%s\ncat\n' "$PWD/../ran" >../evil &&
		chmod +x ../evil && git config filter.evil.clean "$PWD/../evil" &&
		git config filter.evil.smudge "$PWD/../evil" &&
		git config merge.evil.driver "$PWD/../evil" &&
		echo '* filter=evil merge=evil' >"$at/a/.gitattributes" &&
		works A-1@1 a/done && unmoved status 9 pawl task sync --json &&
		code settings_changed && status 9 pawl task resume --as c1 &&
		[ ! -e ../ran ] &&
		echo x >>"$at/a/done" && git -C "$at" add -A && [ -e ../ran ] &&
		git -C "$at" rm -q --cached a/done a/.gitattributes &&
		git config --remove-section filter.evil &&
		git config --remove-section merge.evil && rm ../ran &&
		status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && [ ! -e ../ran ]
}

t no_planted_program_runs
t what_is_reported_and_ignored_condemns
t what_is_ignored_and_not_reported_is_no_ones
t a_repository_of_its_own_condemns
t a_hard_link_that_leads_out_condemns
t tracked_links_stand_in_no_ones_way
t a_repository_in_place_is_left
t a_line_has_room_for_what_it_lists
t what_is_written_after_the_report_is_proven_too
t what_is_written_after_a_check_is_proven_too
t in_place_a_pass_is_of_what_was_checked
done_testing
