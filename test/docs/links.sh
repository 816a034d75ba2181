#!/bin/sh
# Every relative link in the documents leads to something, and every test that
# they name is there.  TAP.
set -eu
cd "$(dirname "$0")/../.."
n=0 bad=0
for doc in *.md docs/*.md docs/*/*.md examples/*/*.md; do
	[ -f "$doc" ] || continue
	n=$((n + 1))
	dead=$(grep -o '](\([^)#]*\)' "$doc" | sed 's/^](//' | while read -r to; do
		case $to in
		http:* | https:* | mailto:*) ;;
		*) [ -e "$(dirname "$doc")/$to" ] || echo "$to" ;;
		esac
	done
	# shellcheck disable=SC2016 # backquotes of Markdown
	grep -o '`test/[^` ]*`' "$doc" | tr -d '`' | while read -r to; do
		[ -e "$to" ] || echo "$to"
	done)
	if [ -z "$dead" ]; then
		echo "ok $n - $doc"
	else
		bad=1
		echo "not ok $n - $doc"
		echo "$dead" | sed 's/^/# no /'
	fi
done
echo "1..$n"
exit $bad
