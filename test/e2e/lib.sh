# lib.sh: what the suites of whole runs share.
#
# A case stands in a repository of its own.  It writes a task list by `task`,
# `writes` and `reads`, and what the worker of a task does by `does`; the
# worker is one script for all.  After each case the program's own promises are
# looked at (`after`): the journal verifies, no lock is held, no process is
# left, and nobody else may read the state.
# shellcheck shell=sh
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../cli/lib.sh"

# begin: a repository here, with a worker beside it.
begin() {
	umask 022
	mkdir ../does && repo &&
		cat >../worker <<-'END' &&
			#!/bin/sh
			# Does what ../does/NODE says; without that, makes NODE.txt.
			set -eu
			does=$(dirname "$0")/does
			cat >"$does/$PAWL_ATTEMPT.prompt"
			if [ -f "$does/$PAWL_NODE" ]; then
				. "$does/$PAWL_NODE"
			elif [ ! -f "$does/$PAWL_NODE.reads" ]; then
				echo "$PAWL_NODE" >"$PAWL_NODE.txt"
			fi
		END
		chmod +x ../worker
}

# task ID DEPENDS PATHS MODE CHECK [FIELD...]: one more task.
task() {
	{
		printf -- '- [ ] %s Do %s\n' "$1" "$1"
		printf '  Depends: [%s]\n  Paths: [%s]\n' "$2" "$3"
		printf '  Mode: %s\n  Isolation: auto\n' "$4"
		printf '  Acceptance: %s is done.\n  Check: %s\n' "$1" "$5"
		shift 5
		[ $# = 0 ] || printf '  %s\n' "$@"
		echo
	} >>../tasks.md
}

# writes ID [DEPENDS [FIELD...]]: a task that makes ID.txt.
writes() {
	id=$1 depends=${2:-}
	shift
	[ $# = 0 ] || shift
	task "$id" "$depends" "$id.txt" write "test -f $id.txt" "$@"
}

# reads ID [DEPENDS [FIELD...]]: a task that changes nothing.
reads() {
	id=$1 depends=${2:-}
	shift
	[ $# = 0 ] || shift
	: >"../does/$id.reads"
	task "$id" "$depends" one read "test -f one" "$@"
}

# does ID: the worker of ID does what stands on standard input.
does() {
	cat >"../does/$1"
}

# run STATUS [OPTION...]: drive the list.
run() {
	want=$1
	shift
	status "$want" pawl run ../tasks.md --write .. "$@" -- ../worker
}

# rundir: the folder of the case's only run that was started.
rundir() {
	# shellcheck disable=SC2046 # no blank in such a path
	set -- $(find "$XDG_STATE_HOME" -name events.jsonl -size +0 2>/dev/null)
	[ $# = 1 ] && dirname "$1"
}

rid() {
	dir=$(rundir) && basename "$dir"
}

# events FILTER: what jq's FILTER makes of each event, one a line.
events() {
	jq -r ".events[] | $1" "$(rundir)/events.jsonl"
}

# happened TYPE [NODE]: how many such events there are.
happened() {
	events "select(.type == \"$1\" and (\"${2:-}\" == \"\" or
		.node == \"${2:-}\")) | .type" | wc -l
}

# stands STATUS [NODE=STATUS...]: how the run and its nodes stand.
stands() {
	pawl status "$(rid)" --json >../status.json &&
		same "$(jq -r .result.run.status ../status.json)" "$1" || return 1
	shift
	for pair; do
		same "${pair%%=*}=$(jq -r --arg id "${pair%%=*}" \
			'.result.nodes[] | select(.id == $id) | .status' \
			../status.json)" "$pair" || return 1
	done
}

# branches: the run's branches, without the run's name.
branches() {
	git for-each-ref --format='%(refname:lstrip=4)' refs/heads/pawl/ |
		tr '\n' ' ' | sed 's/ $//'
}

# on_main PATH: what the run's branch has there.
on_main() {
	git show "pawl/$(rid)/main:$1"
}

worktrees() {
	git worktree list --porcelain | grep -c '^worktree'
}

# strays: processes of this case that are alive; they carry its home.
strays() {
	env -u HOME -u XDG_STATE_HOME \
		grep -lzxF "HOME=$HOME" /proc/[0-9]*/environ 2>/dev/null |
		while IFS=/ read -r _ _ pid _; do
			# A zombie has ended; its parent will find out.
			if state=$(ps -o stat= -p "$pid") &&
				[ "${state#Z}" = "$state" ]; then
				ps -o pid=,ppid=,args= -p "$pid"
			fi
		done
}

# gone: within ten seconds none of them is.
gone() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		left=$(strays)
		[ -n "$left" ] || return 0
		sleep 1
	done
	printf 'still there:\n%s\n' "$left"
	return 1
}

# until_true CMD...: it comes true within twenty seconds.
until_true() {
	for _ in $(seq 200); do
		"$@" >/dev/null 2>&1 && return 0
		sleep 0.1
	done
	echo "never came true: $*"
	return 1
}

# no_locks: nobody holds a lock of the state.
no_locks() {
	find "$XDG_STATE_HOME" -name '*lock*' -type f -printf ':%i \n' \
		>../locks
	held=$(grep -F -f ../locks /proc/locks)
	same "$held" ""
}

# private: only we may read the state; a report is written by the worker.
private() {
	bad=$(find "$XDG_STATE_HOME" -path '*/wt/*' -prune -o \
		-path '*/agents/*/state/*' -prune -o \
		-name report.json -prune -o \
		\( -type d ! -perm 0700 -o -type f ! -perm 0600 \) -print)
	same "$bad" ""
}

# all: every function of the suite whose name isn't listed; ONLY=WORD: those
# whose names hold it.
all() {
	for name in $(sed -n 's/^\([a-z_0-9]*\)() {$/\1/p' "$0"); do
		case " $* " in
		*" $name "*) continue ;;
		esac
		case $name in
		*"${ONLY:-}"*) t "$name" ;;
		esac
	done
	done_testing
}

# after: what holds after every case.
after() {
	gone || return 1
	[ -d "$XDG_STATE_HOME" ] || return 0
	no_locks && private || return 1
	for dir in "$XDG_STATE_HOME"/pawl/*/runs/*; do
		[ -s "$dir/events.jsonl" ] || continue
		pawl verify "$(basename "$dir")" &&
			pawl status "$(basename "$dir")" --json |
			jq -e .ok >/dev/null || return 1
	done
}
