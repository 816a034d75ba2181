#!/bin/sh
# The quickstart example by hand, without pawl: its scripted worker does what
# the list says, stays within the paths, makes its one mistake, and mends it
# only when the prompt says what the check said.  TAP.
set -eu
example=$(cd "$(dirname "$0")/../../examples/quickstart" && pwd)
top=$(mktemp -d "${TMPDIR:-/tmp}/pawlquick.XXXXXX")
trap 'rm -rf "$top"' EXIT
LC_ALL=C QUICKSTART_PAUSE=0
export LC_ALL QUICKSTART_PAUSE
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

field() { # ID NAME: the field's value
	awk -v id="$1" -v name="$2:" '
	/^- \[ \]/ { here = $4 == id }
	here && $1 == name { sub(/^[^:]*: */, ""); print }' "$example/tasks.md"
}

work() { # ID PROMPT
	(cd "$top/tally" && printf '%s\n' "$2" | PAWL_NODE=$1 "$example/worker.sh") >"$top/log" 2>&1
}

check() { # ID: 0 or 1 and the output in $top/out
	(cd "$top/tally" && eval "$(field "$1" Check)") >"$top/out" 2>&1
}

changed() {
	git -C "$top/tally" status --porcelain -uall | sed 's/^...//'
}

# Does every changed path lie within the task's?
within() { # ID
	scopes=$(field "$1" Paths | tr -d '[],')
	[ "$(field "$1" Mode)" = write ] || scopes=
	changed | while read -r path; do
		ok=
		for scope in $scopes; do
			case $path in
			"$scope" | "${scope%/}"/*) ok=1 ;;
			esac
		done
		[ -n "$ok" ] || echo "$path"
	done
}

fresh() {
	rm -rf "$top/tally"
	cp -R "$example/tally" "$top/tally"
	(
		cd "$top/tally"
		git init -q -b main
		git add -A
		git -c user.name=t -c user.email=t@localhost commit -q -m start
	)
}

save() {
	git -C "$top/tally" add -A
	git -C "$top/tally" -c user.name=t -c user.email=t@localhost commit -q --allow-empty -m "$1"
}

ids=$(sed -n 's/^- \[ \] \([^ ]*\) .*/\1/p' "$example/tasks.md")
is 'the list has twelve tasks' "$(echo "$ids" | wc -l)" 12

fresh
for id in $ids; do
	rc=0
	work "$id" "Task $id" || rc=$?
	is "$id: the worker exits 0" "$rc" 0
	is "$id: what it changed lies within its paths" "$(within "$id")" ""
	[ "$(field "$id" Mode)" = read ] ||
		is "$id: it changed something" "$([ -z "$(changed)" ] || echo yes)" yes
	before=$(changed)
	rc=0
	check "$id" || rc=$?
	is "$id: the check leaves nothing behind" "$(changed)" "$before"
	if [ "$id" = longest ]; then
		is 'longest: the check fails at first' "$rc" 1
		told=$(tail -1 "$top/out")
		work longest "Task longest"
		rc=0
		check longest || rc=$?
		is 'longest: untold, the same mistake again' "$rc" 1
		work longest "Task longest
The check failed: $told"
		rc=0
		check longest || rc=$?
	fi
	is "$id: the check passes" "$rc" 0
	save "$id"
done

# The two that share a file can be integrated in either order.
one=$(cat "$top/tally/src/tally.c")
fresh
for id in lines words usage program; do
	work "$id" "Task $id"
	[ "$id" != program ] || is 'usage, then program: the same program' "$(cat "$top/tally/src/tally.c")" "$one"
done

rc=0
work nobody "Task nobody" || rc=$?
is 'an unknown task is refused' "$rc" 64

echo "1..$n"
exit $bad
