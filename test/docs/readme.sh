#!/bin/sh
# The README's transcript is what the program prints: $PAWL runs it in an empty
# folder, and ids, times, durations and digests aside the two are equal.  TAP.
# UPDATE=1 writes the transcript anew into the README.
set -eu
readme=$(cd "$(dirname "$0")/../.." && pwd)/README.md
top=$(mktemp -d "${TMPDIR:-/tmp}/pawlreadme.XXXXXX")
trap 'rm -rf "$top"' EXIT
case ${PAWL:=pawl} in
*/*) PAWL=$(cd "$(dirname "$PAWL")" && pwd)/${PAWL##*/} ;;
esac
mkdir "$top/home" "$top/work"
PATH=$(dirname "$(command -v "$PAWL")"):$PATH
export PATH HOME="$top/home" XDG_STATE_HOME="$top/home/state"
export LC_ALL=C.UTF-8 GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@localhost \
	GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@localhost GIT_CONFIG_COUNT=1 \
	GIT_CONFIG_KEY_0=init.defaultBranch GIT_CONFIG_VALUE_0=main
unset PAWL_STATE PAWL_RUN PAWL_NODE PAWL_ATTEMPT PAWL_NOW PAWL_SEED

awk '/^```console$/ { on = 1; next } /^```$/ && on { exit } on' "$readme" >"$top/written"

# The commands, each with a mark before it; a here-document goes on to END.
awk '
/^\$ / {
	print "mark " ++n
	command = substr($0, 3)
	print command
	inside = command ~ /<<.END.$/
	next
}
inside { print; if ($0 == "END") inside = 0 }
' "$top/written" >"$top/commands"

n=$(grep -c '^mark ' "$top/commands" || true)
[ "$n" -gt 0 ] || { echo "not ok 1 - the README has a transcript"; echo 1..1; exit 1; }
# One script, so that cd stays; it shows each command before it runs it.
{
	echo 'exec </dev/null 2>&1'
	awk '
	function flush() {
		if (n == 0) return
		print "cat <<\047PAWL_SHOWN\047\n$ " text "\nPAWL_SHOWN"
		print text
		print "status=$?; [ $status = 0 ] || echo \"[exit $status]\""
	}
	/^mark [0-9]+$/ { flush(); n++; text = ""; next }
	{ text = text == "" ? $0 : text "\n" $0 }
	END { flush() }' "$top/commands"
} >"$top/script"
(cd "$top/work" && sh "$top/script") | sed "s,$top/work,/home/you,g" >"$top/printed"

if [ "${UPDATE:-}" = 1 ]; then
	awk -v new="$top/printed" '
	/^```console$/ { print; while ((getline line <new) > 0) print line; skip = 1; next }
	/^```$/ { skip = 0 }
	!skip' "$readme" >"$top/readme"
	cat "$top/readme" >"$readme"
	cp "$top/printed" "$top/written"
fi

normal() {
	sed -E -e 's/r-[0-9]{8}-[a-z0-9]{6}/r-DAY-RANDOM/g' \
		-e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+Z?/TIME/g' \
		-e 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g' -e 's/process [0-9]+/process N/g' \
		-e 's/[0-9]+(\.[0-9]+)? ?(ms|s)\b/DURATION/g' \
		-e 's/\b[0-9a-f]{7,64}\b/DIGEST/g' "$1"
}
normal "$top/written" >"$top/want"
normal "$top/printed" >"$top/got"
echo "1..1"
if diff -u "$top/want" "$top/got" >"$top/diff"; then
	echo "ok 1 - the transcript is what $n commands print"
else
	echo "not ok 1 - the transcript is what $n commands print"
	sed 's/^/# /' "$top/diff"
	exit 1
fi
