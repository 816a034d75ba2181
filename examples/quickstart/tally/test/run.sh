#!/bin/sh
# The tests of tally: test/run.sh NAME...
#
#	bytes, lines, words, longest   one measure against test/cases/NAME.txt
#	program, usage                 the built program
#	docs, changelog, release       what is written about it
#	all                            everything
#
# Builds in a folder of its own: a test leaves nothing behind.
set -eu
cd "$(dirname "$0")/.."
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT

fail() {
	printf '%s\n' "$*"
	exit 1
}

compile() {
	cc -std=c11 -Wall -Wextra -Werror -O1 "$@"
}

# A case is `text|count`; the text may hold printf's escapes.
measure() {
	[ -f "src/$1.c" ] || fail "$1: src/$1.c is missing"
	compile -D"MEASURE=tally_$1" -o "$top/$1" test/measure.c "src/$1.c"
	cases=0
	while IFS='|' read -r text want; do
		# shellcheck disable=SC2059 # escapes are the point
		got=$(printf "$text" | "$top/$1")
		[ "$got" = "$want" ] || fail "$1: '$text' gave $got, wanted $want"
		cases=$((cases + 1))
	done <"test/cases/$1.txt"
	echo "$1: $cases cases"
}

program() {
	compile -o "$top/tally" src/*.c
	printf 'one two\nthree\n' >"$top/text"
	"$top/tally" <"$top/text" >"$top/out"
	printf 'bytes 14\nlines 2\nwords 3\nlongest 7\n' | diff - "$top/out" ||
		fail "program: all measures differ"
	[ "$("$top/tally" words <"$top/text")" = 'words 3' ] || fail "program: one measure differs"
	echo "program: as it should be"
}

usage() {
	compile -o "$top/tally" src/*.c
	"$top/tally" --help >"$top/help"
	head -1 "$top/help" | grep -q '^usage: tally ' || fail "usage: no usage line"
	sed -n 's/^	{ "\([a-z]*\)",.*/\1/p' src/tally.c >"$top/names"
	while read -r name; do
		grep -q "^  $name  *[a-z]" "$top/help" || fail "usage: --help does not explain $name"
	done <"$top/names"
	echo "usage: $(wc -l <"$top/names") measures explained"
}

docs() {
	usage >/dev/null
	while IFS= read -r line; do
		grep -qxF "    $line" README.md || fail "docs: README.md lacks '$line'"
	done <"$top/help"
	echo "docs: README.md says what --help says"
}

release() {
	version=$(cat VERSION)
	[ "$(sed -n 's/^## //p' CHANGELOG.md | head -1)" = "$version" ] ||
		fail "release: VERSION is $version, the change log's newest is another"
	[ "$version" != 0.1.0 ] || fail "release: VERSION is still 0.1.0"
	echo "release: $version"
}

changelog() {
	for name in lines words longest; do
		sed -n '/^## 1.0.0/,/^## 0/p' CHANGELOG.md | grep -q "\`$name\`" ||
			fail "changelog: 1.0.0 does not name $name"
	done
	echo "changelog: 1.0.0 names what is new"
}

for name; do
	case $name in
	bytes | lines | words | longest) measure "$name" ;;
	program | usage | docs | changelog | release) "$name" ;;
	all)
		for each in bytes lines words longest; do
			measure "$each"
		done
		program
		usage
		docs
		;;
	*) fail "no test '$name'" ;;
	esac
done
