# lib.sh: a test file sources this, calls `t` per case, then `done_testing`.
#
# Output is TAP.  Each case runs in an empty folder and a subshell of its own,
# with a home of its own and no variable of pawl's or git's.  PAWL names the
# program (built with -Dtest_hooks=true: PAWL_NOW and PAWL_SEED fix times and
# ids, so goldens are exact).  UPDATE=1 rewrites the goldens.
# shellcheck shell=sh
set -u
LC_ALL=C TZ=UTC PAWL_NOW=1700000000000 PAWL_SEED=1
export LC_ALL TZ PAWL_NOW PAWL_SEED
unset PAWL_STATE PAWL_AS PAWL_RUN PAWL_NODE PAWL_ATTEMPT PAWL_CHECK NO_COLOR \
	GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CEILING_DIRECTORIES
GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@example.org \
	GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@example.org
export GIT_CONFIG_NOSYSTEM GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL \
	GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
here=$(cd "$(dirname "$0")" && pwd)
case ${PAWL:=pawl} in
*/*) PAWL=$(cd "$(dirname "$PAWL")" && pwd)/${PAWL##*/} ;;
esac
top=$(mktemp -d "${TMPDIR:-/tmp}/pawlcli.XXXXXX") || exit 99
top=$(cd "$top" && pwd -P)
trap 'chmod -R u+rwx "$top"; rm -rf "$top"' EXIT
n=0 failed=0

pawl() { "$PAWL" "$@"; }

# after: what must hold after every case; a suite may say more.
after() { :; }

# t NAME: run function NAME; chain its commands with &&, the status decides.
t() {
	n=$((n + 1))
	mkdir "$top/$n" "$top/$n/home" "$top/$n/w"
	if (HOME=$top/$n/home XDG_STATE_HOME=$top/$n/home/state &&
		export HOME XDG_STATE_HOME && cd "$top/$n/w" && "$1" && after) \
		>"$top/$n.log" 2>&1; then
		echo "ok $n - $1"
	else
		failed=1
		echo "not ok $n - $1"
		sed 's/^/# /' "$top/$n.log"
	fi
}

# skip NAME REASON: a case that cannot run on this machine.
skip() {
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# expect STATUS GOLDEN CMD...: run, compare status, stdout and stderr with the
# golden file; the case's own folder is written as $T in it, and the digits of
# the repository's own folder as HEX.
expect() {
	want=$1 golden=$here/golden/$2
	shift 2
	got=0
	"$@" >../out 2>../err || got=$?
	{
		echo "status $got"
		cat ../out
		sed 's/^/err: /' ../err
	} | sed "s|$(cd .. && pwd -P)|\$T|g; s|/w-[0-9a-f]\{8\}|/w-HEX|g" >../actual
	if [ "${UPDATE:-}" = 1 ]; then
		mkdir -p "${golden%/*}" && cp ../actual "$golden"
	fi
	[ "$got" = "$want" ] || echo "status $got, wanted $want"
	diff -u "$golden" ../actual && [ "$got" = "$want" ]
}

# status WANT CMD...: only the exit status counts; output is kept in ../out and
# ../err.
status() {
	want=$1 got=0
	shift
	"$@" >../out 2>../err || got=$?
	[ "$got" = "$want" ] && return 0
	echo "status $got, wanted $want: $*"
	cat ../out ../err
	return 1
}

# same A B: two texts are equal.
same() {
	[ "$1" = "$2" ] && return 0
	printf 'got:    %s\nwanted: %s\n' "$1" "$2"
	return 1
}

# code WORD: the last command's ../out is one JSON document that refuses with
# this code, in the one shape that all refusals have.
# The shape is a pattern: a start of jq costs more than one of pawl.
code() {
	{ IFS= read -r code_line && ! IFS= read -r code_rest &&
		[ -z "$code_rest" ]; } <../out || code_line="not one document"
	code_text='"([^"\\]|\\.)*"'
	printf '%s\n' "$code_line" | grep -qEx "\{\"ok\":false,\"command\":(null|$code_text),\
\"error\":\{\"code\":\"$1\",\"message\":$code_text,\"hint\":(null|$code_text),\
\"field\":(null|$code_text),\"retryable\":(true|false),\"details\":(null|\{.*\})\}\
(,\"result\":\{.*\})?\}" ||
		{ echo "wanted $1: $code_line"; return 1; }
}

# answer FILTER WANT: the last command's ../out is one JSON document that says
# ok; what FILTER picks from its result is WANT.
answer() {
	same "$(jq -sc "if length != 1 then \"not one document\" else .[0] |
		if .ok == true and (keys_unsorted == [\"ok\", \"command\", \"result\"])
		then .result | $1 else \"not an answer\" end end" ../out)" "$2"
}

# tree FOLDER: every path below it with type, mode, size and digest: equal
# before and after means that nothing was written.
tree() {
	find "$1" -printf '%P %y %m %s %l\n' | sort
	find "$1" -type f -exec sha256sum {} + | sort
}

# refuses STATUS CODE CMD...: refused with this status and code, and no byte
# below $HOME (state, keys, worktrees) was changed.
refuses() {
	refuse_status=$1 refuse_code=$2 refuse_program=$3
	shift 3
	copy "$HOME" ../refuse.before
	status "$refuse_status" "$refuse_program" --json "$@" &&
		code "$refuse_code" || return 1
	copy "$HOME" ../refuse.after
	cmp -s ../refuse.before ../refuse.after && return 0
	echo "changed by: $*"
	for refuse_copy in before after; do
		tar -tvf ../refuse.$refuse_copy >../refuse.$refuse_copy.list
	done
	diff ../refuse.before.list ../refuse.after.list
	return 1
}

# copy FOLDER FILE: what tree tells, and the bytes themselves, by one process.
copy() { tar -C "$1" --sort=name --mtime=@0 -cf "$2" .; }

# repo: make a repository here, with one commit.
repo() {
	git init -q -b main . && echo one >one && git add one &&
		git commit -q -m one
}

# key_of K VERB...: the option, of a task verb that has it.
key_of() {
	case "$2 ${3-}" in
	sync\ * | resume\ * | start\ * | 'recover attempt' | 'recover driver') ;;
	*) echo "--key $1" ;;
	esac
}

# other_run RUN: the run that is beside it.
other_run() { find .pawl/runs -mindepth 1 -maxdepth 1 ! -name "$1" -printf '%f\n'; }

done_testing() {
	echo "1..$n"
	exit $failed
}
