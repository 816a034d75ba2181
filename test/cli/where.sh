#!/bin/sh
# The state folder in each of its places, and why.
. "$(dirname "$0")/lib.sh"

# why WORD PATH: the last answer.
why() {
	answer .why "\"$1\"" && same "$(jq -r .result.state ../out)" "$2"
}

option_wins() {
	repo && mkdir .pawl && echo 'pawl 1' >.pawl/format &&
		PAWL_STATE=../other status 0 pawl where --json --state s &&
		why option "$PWD/s"
}

variable_is_second() {
	repo && mkdir .pawl && echo 'pawl 1' >.pawl/format &&
		PAWL_STATE=$PWD/s status 0 pawl where --json && why variable "$PWD/s"
}

empty_variable_is_none() {
	PAWL_STATE='' status 0 pawl where --json && answer .why '"xdg"'
}

repository_is_third() {
	repo && mkdir -p .pawl sub/deep && echo 'pawl 1' >.pawl/format &&
		status 0 pawl where --json && why repository "$PWD/.pawl" &&
		status 0 pawl -C sub/deep where --json &&
		why repository "$PWD/.pawl" &&
		answer .repository "\"$PWD\""
}

folder_without_format_does_not_count() {
	repo && mkdir .pawl && status 0 pawl where --json && answer .why '"xdg"'
}

# <name>-<8 hex of SHA-256 of the git common directory's real path>
xdg_is_last() {
	repo && digest=$(printf %s "$PWD/.git" | sha256sum | cut -c1-8) &&
		status 0 pawl where --json &&
		why xdg "$XDG_STATE_HOME/pawl/w-$digest" &&
		answer .worktrees "\"$XDG_STATE_HOME/pawl/w-$digest/wt\"" &&
		answer .exists false
}

xdg_default() {
	unset XDG_STATE_HOME
	status 0 pawl where --json &&
		jq -r .result.state ../out | grep -q "^$HOME/.local/state/pawl/w-" &&
		XDG_STATE_HOME=relative status 0 pawl where --json &&
		jq -r .result.state ../out | grep -q "^$HOME/.local/state/pawl/w-"
}

no_home() {
	unset XDG_STATE_HOME HOME
	status 1 pawl where --json && code invalid_path &&
		HOME=relative status 1 pawl where --json && code invalid_path &&
		status 1 pawl where --json --state s && code invalid_path
}

linked_worktrees_share_it() {
	repo && mkdir .pawl && echo 'pawl 1' >.pawl/format &&
		git worktree add -q ../linked && (cd ../linked &&
		status 0 pawl where --json) && why repository "$PWD/.pawl" &&
		rm -r .pawl && status 0 pawl where --json && cp ../out ../main &&
		(cd ../linked && status 0 pawl where --json) &&
		cmp ../out ../main
}

submodule_has_its_own() {
	mkdir inner outer && (cd inner && repo) && cd outer && repo &&
		git -c protocol.file.allow=always submodule --quiet add ../inner sub \
		2>&1 && status 0 pawl -C sub where --json &&
		answer .repository "\"$PWD/sub\"" && mkdir .pawl sub/.pawl &&
		echo 'pawl 1' >.pawl/format &&
		status 0 pawl -C sub where --json && answer .why '"xdg"' &&
		echo 'pawl 1' >sub/.pawl/format &&
		status 0 pawl -C sub where --json && why repository "$PWD/sub/.pawl"
}

outside_a_repository() {
	digest=$(printf %s "$PWD" | sha256sum | cut -c1-8) &&
		status 0 pawl where --json &&
		why xdg "$XDG_STATE_HOME/pawl/w-$digest" && answer .repository null
}

odd_names_are_safe() {
	mkdir 'a b
c' ./... ./-- ./-x 'ü' && for d in 'a b
c' ... -- -x 'ü'; do
		status 0 pawl "-C./$d" where --json &&
			jq -r .result.state ../out | tail -n 1 |
			grep -Eq '/pawl/[A-Za-z0-9_][A-Za-z0-9._-]*-[0-9a-f]{8}$' ||
			return 1
	done
}

through_a_link() {
	repo && ln -s . link && status 0 pawl -C link where --json &&
		cp ../out ../a && status 0 pawl where --json && cmp ../a ../out
}

text() { repo && expect 0 where pawl where --state s; }

# C018: a look changes nothing.
looking_writes_nothing() {
	repo && tree . >../before && tree "$HOME" >>../before &&
		pawl where >../text && pawl where --json >../json &&
		tree . >../after && tree "$HOME" >>../after &&
		cmp ../before ../after
}

too_long_a_folder() {
	long=$(head -c 250 /dev/zero | tr '\0' d) path=/x
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do path=$path/$long; done
	status 0 pawl where --state "$path" &&
		status 1 pawl where --json --state "$path/$long" && code limit
}

t option_wins
t variable_is_second
t empty_variable_is_none
t repository_is_third
t folder_without_format_does_not_count
t xdg_is_last
t xdg_default
t no_home
t linked_worktrees_share_it
t submodule_has_its_own
t outside_a_repository
t odd_names_are_safe
t through_a_link
t text
t looking_writes_nothing
t too_long_a_folder
done_testing
