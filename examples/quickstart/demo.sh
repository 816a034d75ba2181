#!/bin/sh
# The main job in one sitting, on a throw-away repository: plan, run with two
# workers, approve as the human, run to COMPLETE, and look at what is left.
#
# $PAWL is the program (default: the one on the path).  The repository stays,
# with all that belongs to it, in one folder under ${TMPDIR:-/tmp}.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PAWL=$(command -v "${PAWL:-pawl}") || { echo "demo.sh: no pawl; run make first" >&2; exit 2; }
case $PAWL in
/*) ;;
*) PAWL=$PWD/$PAWL ;;
esac
top=$(mktemp -d "${TMPDIR:-/tmp}/pawl-demo.XXXXXX")
worker=$top/worker.sh

# Everything that pawl keeps goes beside the repository, nothing into $HOME: an
# empty one here, in which any change can be seen.
export XDG_STATE_HOME="$top/state" HOME="$top/home"
mkdir "$HOME"
unset PAWL_STATE PAWL_RUN PAWL_NODE PAWL_ATTEMPT
PATH=$(dirname "$PAWL"):$PATH
export PATH

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi

say() {
	printf '\n%s# %s%s\n' "$bold" "$*" "$plain"
}

# left_over: what of the run is left where nothing may be; nothing, it is to be.
left_over() {
	git worktree list | sed 1d
	find "$HOME" -mindepth 1 -maxdepth 1
	find "$top" -mindepth 1 -maxdepth 1 -not -path "$HOME" -not -path "$worker" \
		-not -path "$top/state" -not -path "$top/tally"
	for environ in /proc/[0-9]*/environ; do
		pid=${environ#/proc/}
		pid=${pid%/environ}
		[ "$pid" = $$ ] || [ ! -r "$environ" ] ||
			! tr '\0' '\n' <"$environ" 2>/dev/null | grep -q '^PAWL_RUN=' ||
			! tr '\0' '\n' <"$environ" 2>/dev/null |
				grep -qxF "XDG_STATE_HOME=$XDG_STATE_HOME" ||
			echo "process $pid"
	done
}

# try STATUS CMD...: show the command, run it, and insist on its exit status.
try() {
	want=$1
	shift
	printf '%s$ %s%s\n' "$bold" "$*" "$plain"
	rc=0
	"$@" || rc=$?
	[ "$rc" = "$want" ] || {
		echo "demo.sh: '$*' ended with $rc instead of $want; all is in $top" >&2
		exit 1
	}
}

say "A small C program, a list of twelve tasks, and a worker that is a script."
cp -R "$here/tally" "$top/tally"
cp "$here/tasks.md" "$top/tally/tasks.md"
cp "$here/worker.sh" "$worker"
cd "$top/tally"
git init -q -b main
git config user.name "Quickstart"
git config user.email "quickstart@localhost"
git add -A
git commit -q -m "tally 0.1.0"

say "What would run when?"
try 0 pawl plan tasks.md

say "Two at a time. One check fails; the worker is told why, and mends it."
say "Exit status 5: only a human can go on, for 'release' wants an approval."
try 5 pawl run tasks.md -j 2 -- "$worker"

say "You are the human here."
gate=$(pawl next | sed -n 's/^next: approve \([^ ]*\).*/\1/p')
run=${gate%%/*}
[ -n "$gate" ] || { echo "demo.sh: nothing waits for an approval; all is in $top" >&2; exit 1; }
try 0 pawl approve "$gate"
try 0 pawl run "$run" -j 2 -- "$worker"

say "COMPLETE: every task passed a check that pawl ran itself."
try 0 pawl status "$run"

say "Each task is a commit on the run's branch; yours was not touched."
try 0 git log --oneline --graph "pawl/$run/main"
try 0 git status --short

say "The journal verifies. No worktree and no process is left, and nothing outside was changed."
try 0 pawl verify "$run"
try 0 git worktree list
left=$(left_over)
[ -z "$left" ] || { printf 'demo.sh: this is left:\n%s\n' "$left" >&2; exit 1; }

say "What was made works:"
git worktree add -q --detach "$top/made" "pawl/$run/main"
try 0 sh "$top/made/test/run.sh" all release
git worktree remove "$top/made"

cat <<END

${bold}The run stays here.  To look around:${plain}

    cd $top/tally
    export XDG_STATE_HOME=$XDG_STATE_HOME PATH=$(dirname "$PAWL"):\$PATH
    pawl list --all
    pawl log $run             # every event, from the journal
    pawl show $run/longest    # the task that needed a repair
    pawl explain $run/release
    git merge --ff-only pawl/$run/main

and rm -rf $top when done.
END
