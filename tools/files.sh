#!/bin/sh
# The project's own files with these endings, one a line: tools/files.sh c h
# Those that Git knows or would take; in an unpacked archive, all but builds.
set -eu
cd "$(dirname "$0")/.."
for end; do
	if git rev-parse --git-dir >/dev/null 2>&1; then
		git ls-files -co --exclude-standard -- "*.$end"
	else
		find . -path './b-*' -prune -o -path ./build -prune -o -name "*.$end" -print | sed 's,^\./,,'
	fi
done | while read -r file; do
	[ ! -f "$file" ] || echo "$file"
done | sort -u
