#!/bin/sh
# `make demo`, with $PAWL: it ends COMPLETE, and what it leaves is what it said.
# TAP.
set -u
example=$(cd "$(dirname "$0")/../../examples/quickstart" && pwd)
top=$(mktemp -d "${TMPDIR:-/tmp}/pawldemotest.XXXXXX") || exit 99
trap 'rm -rf "$top"' EXIT
case ${PAWL:=pawl} in
*/*) PAWL=$(cd "$(dirname "$PAWL")" && pwd)/${PAWL##*/} ;;
esac
mkdir "$top/home"
export PAWL HOME="$top/home" TMPDIR="$top" LC_ALL=C.UTF-8 QUICKSTART_PAUSE=0
unset PAWL_NOW PAWL_SEED
n=0 bad=0

is() { # NAME GOT WANT
	n=$((n + 1))
	if [ "$2" = "$3" ]; then
		echo "ok $n - $1"
	else
		bad=1
		echo "not ok $n - $1"
		printf 'got:\n%s\nwanted:\n%s\n' "$2" "$3" | sed 's/^/# /'
	fi
}

rc=0
"$example/demo.sh" >"$top/out" 2>&1 </dev/null || rc=$?
is 'the demo exits 0' "$rc" 0
[ $rc -eq 0 ] || {
	sed 's/^/# /' "$top/out"
	echo "1..$n"
	exit 1
}

cd "$top"/pawl-demo.*/tally || exit 99
XDG_STATE_HOME=$(cd ../state && pwd)
export XDG_STATE_HOME
run=$(git for-each-ref --format='%(refname:lstrip=3)' 'refs/heads/pawl/*/main' | sed 's,/main$,,')
is 'the run stays and is COMPLETE' "$("$PAWL" status "$run" | head -1 | sed 's/  */ /g')" \
	"$run COMPLETE 12/12 passed, closed as pass"
is 'each task that writes is one commit' "$(git rev-list --count "main..pawl/$run/main")" 10
is 'the branch that was there is not touched' "$(git rev-list --count main)" 1
is 'no branch but the run'"'"'s is left' "$(git for-each-ref --format='%(refname)' refs/heads | wc -l)" 2
is 'the work tree is clean' "$(git status --porcelain)" ""
is 'one worktree is left' "$(git worktree list | wc -l)" 1
is 'the check failed once' "$("$PAWL" log "$run" | grep -c 'was rejected: check')" 1
is 'the repair is the second attempt' "$("$PAWL" log "$run" | grep -c 'longest@2 started')" 1
is 'nobody is there any more' "$(grep -lz "PAWL_RUN=$run" /proc/[0-9]*/environ 2>/dev/null | wc -l)" 0
is 'nothing went into the home folder' "$(find "$HOME" -mindepth 1 | wc -l)" 0

# What would be left behind is told, each kind of it.
mkdir "$top/bin" && cat >"$top/bin/pawl" <<'END' && chmod +x "$top/bin/pawl"
#!/bin/sh
"$REAL" "$@"
status=$?
if [ "$1" = run ] && [ $status = 0 ]; then
	touch "$HOME/planted"
	PAWL_RUN=r setsid sleep 20 </dev/null >/dev/null 2>&1 &
	git worktree add -q --detach ../other
fi
exit $status
END
rc=0
export REAL="$PAWL"
PAWL=$top/bin/pawl "$example/demo.sh" >"$top/out" 2>&1 </dev/null || rc=$?
is 'a demo that leaves something behind fails' "$rc" 1
is 'and says what' "$(sed -n '/this is left/,$p' "$top/out" |
	sed 's|/.*pawl-demo[^/]*/||; s|process .*|process|; s| .*||' | tr '\n' ' ')" \
	'demo.sh: other home/planted other process '

echo "1..$n"
exit $bad
