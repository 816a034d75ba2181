#!/bin/sh
# pawl init: makes .pawl, tells git to ignore it, proves locks.
. "$(dirname "$0")/lib.sh"

made() { answer '[.made, .excluded, .dry_run]' "$1"; }

fresh() {
	repo && status 0 pawl init --json && made '[true,true,false]' &&
		same "$(cat ../err)" \
			"pawl: note: adding '/.pawl/' to $PWD/.git/info/exclude, so that git ignores it" &&
		same "$(tail -n 1 .git/info/exclude)" /.pawl/ &&
		same "$(git status --porcelain)" '' &&
		same "$(cat .pawl/format)" 'pawl 1' &&
		jq -e '(.fs | length > 0) and
			(.device | test("^[0-9]+:[0-9]+$"))' .pawl/medium &&
		same "$(find .pawl -printf '%P %y %m\n' | sort | tr '\n' ,)" \
			' d 700,active d 700,format f 600,log d 700,medium f 600,runs d 700,' &&
		status 0 pawl where --json && answer '[.why, .exists]' \
			'["repository",true]'
}

text() {
	repo && expect 0 init pawl init && expect 0 init-twice pawl init
}

dry_run_writes_nothing() {
	repo && tree . >../before && expect 0 init-dry-run pawl init --dry-run &&
		status 0 pawl init --dry-run --json && made '[true,true,true]' &&
		tree . >../after && cmp ../before ../after
}

twice_changes_nothing() {
	repo && status 0 pawl init && tree . >../before &&
		status 0 pawl init --json && made '[false,false,false]' &&
		tree . >../after && cmp ../before ../after
}

ignored_already() {
	repo && echo .pawl >.gitignore && status 0 pawl init --json &&
		made '[true,false,false]' && ! grep pawl .git/info/exclude &&
		same "$(cat ../err)" ''
}

exclude_without_a_last_newline() {
	repo && printf 'build' >.git/info/exclude && status 0 pawl init &&
		same "$(cat .git/info/exclude)" 'build
/.pawl/'
}

no_info_folder() {
	repo && rm -r .git/info && status 0 pawl init &&
		same "$(git status --porcelain)" ''
}

in_a_linked_worktree() {
	repo && git worktree add -q ../linked && cd ../linked &&
		status 0 pawl init --json && made '[true,true,false]' &&
		[ -f ../w/.pawl/format ] && [ ! -e .pawl ] &&
		same "$(git -C ../w status --porcelain)" ''
}

from_below() {
	repo && mkdir -p a/b && cd a/b && status 0 pawl init &&
		[ -f ../../.pawl/format ] && [ ! -e .pawl ]
}

no_repository() {
	tree . >../before && status 1 pawl init --json && code needs_repository &&
		expect 1 init-no-repository pawl init &&
		tree . >../after && cmp ../before ../after
}

bare_repository() {
	git init -q --bare . && tree . >../before &&
		status 1 pawl init --json && code needs_repository &&
		tree . >../after && cmp ../before ../after
}

chosen_folder() {
	status 0 pawl init --state a/b/c --json && made '[true,false,false]' &&
		[ -f a/b/c/format ] && same "$(stat -c %a a)" 700 &&
		PAWL_STATE=v status 0 pawl init && [ -f v/format ]
}

chosen_folder_in_the_repository() {
	repo && status 0 pawl init --state 'odd [x] *' && [ -f 'odd [x] */format' ] &&
		same "$(git status --porcelain)" ''
}

folder_of_other_things() {
	mkdir s && echo mine >s/letter && tree . >../before &&
		status 1 pawl init --state s --json && code invalid_path &&
		tree . >../after && cmp ../before ../after
}

half_made_is_completed() {
	repo && mkdir -p .pawl/runs && echo x >.pawl/.format.0123.pawl-tmp &&
		status 0 pawl init --json && made '[true,true,false]' &&
		[ -f .pawl/format ]
}

file_in_its_place() {
	repo && echo mine >.pawl && status 7 pawl init --json &&
		same "$(cat .pawl)" mine
}

link_out_of_the_repository() {
	repo && mkdir ../elsewhere && ln -s ../elsewhere .pawl &&
		status 9 pawl init --json && code unsafe_path &&
		[ -z "$(ls -A ../elsewhere)" ]
}

# C022: never taken for absent.
garbage_in_format() {
	repo && status 0 pawl init || return 1
	for text in '' 'x' 'pawl' 'pawl 1' 'pawl  1
' '{"format":1}'; do
		printf '%s' "$text" >.pawl/format && tree . >../before &&
			status 8 pawl init --json &&
			grep -q "$PWD/.pawl" ../out && grep -q "'format'" ../out &&
			tree . >../after && cmp ../before ../after || return 1
	done
	head -c 5000 /dev/zero | tr '\0' ' ' >.pawl/format
	status 8 pawl init --json && code corrupt
}

newer_format() {
	repo && status 0 pawl init && echo 'pawl 2' >.pawl/format &&
		status 8 pawl init --json && code newer_format
}

# C030: locks are proven again where it lies now.
moved_to_another_device() {
	repo && status 0 pawl init && cp .pawl/medium ../want || return 1
	for text in '{"fs":"ext4","device":"9:9"}' '{' '' '[]'; do
		echo "$text" >.pawl/medium && status 0 pawl init --json &&
			made '[false,false,false]' && cmp ../want .pawl/medium ||
			return 1
	done
	rm .pawl/medium && status 0 pawl init && cmp ../want .pawl/medium
}

others_may_write() {
	repo && status 0 pawl init && tree . >../before && chmod g+w .pawl &&
		status 9 pawl init --json && code not_permitted &&
		chmod 757 .pawl && status 9 pawl init --json &&
		code not_permitted && grep -q 'mode 0757' ../out &&
		chmod 755 .pawl && status 0 pawl init
}

# C123
read_only_folder() {
	repo && chmod a-w . && tree . >../before &&
		status 9 pawl init --json && code not_permitted
	got=$?
	tree . >../after
	chmod u+w . && cmp ../before ../after && return $got
}

somebody_elses() {
	repo && status 0 pawl init && chown 12345 .pawl &&
		status 9 pawl init --json && code not_permitted &&
		grep -q 'belongs to user 12345' ../out
}

# C031: nothing stays locked, whatever the end.
no_lock_is_left() {
	repo && status 0 pawl init && status 0 pawl init &&
		! find .pawl -name '*.pawl-tmp' | grep . &&
		[ -z "$(find .pawl -name '*lock*')" ]
}

many_at_once() {
	repo || return 1
	for i in 1 2 3 4 5 6 7 8; do
		pawl init --json >"../out$i" 2>/dev/null &
	done
	wait
	for i in 1 2 3 4 5 6 7 8; do
		jq -e .ok "../out$i" >/dev/null || return 1
	done
	same "$(grep -c pawl .git/info/exclude)" 1 &&
		same "$(find .pawl -type f -printf '%P\n' | sort | tr '\n' ,)" format,medium,
}

# Whoever adds a line while another looks for it waits for its turn.
one_line_though_another_adds_it() {
	repo || return 1
	mkdir -p .git/info
	(
		flock 9
		touch ../held
		sleep 0.5
		echo /.pawl/ >>.git/info/exclude
	) 9<.git &
	while [ ! -e ../held ]; do sleep 0.01; done
	pawl init >../out 2>&1 && wait &&
		same "$(grep -c pawl .git/info/exclude)" 1
}

t fresh
t text
t dry_run_writes_nothing
t twice_changes_nothing
t ignored_already
t exclude_without_a_last_newline
t no_info_folder
t in_a_linked_worktree
t from_below
t no_repository
t bare_repository
t chosen_folder
t chosen_folder_in_the_repository
t folder_of_other_things
t half_made_is_completed
t file_in_its_place
t link_out_of_the_repository
t garbage_in_format
t newer_format
t moved_to_another_device
t others_may_write
if [ "$(id -u)" = 0 ]; then
	skip read_only_folder 'root may write anywhere'
	t somebody_elses
else
	t read_only_folder
	skip somebody_elses 'only root can give a folder away'
fi
t no_lock_is_left
t many_at_once
t one_line_though_another_adds_it
done_testing
