#!/bin/sh
# Fail when an include points the wrong way: tools/layers.sh [--self-test]
#
# The order is docs/architecture.md's.  `text` and `model` also get no system
# header that does I/O or reads a clock: they are pure by construction.
# Findings are file:line, one a line.  --self-test shows that it can find.
set -eu
cd "$(dirname "$0")/.."

check() { # FILE...
	awk '
	BEGIN {
		may["base"] = "base"
		may["text"] = "base text"
		may["model"] = "base text model"
		may["os"] = "base os"
		may["child"] = "base os child"
		may["driver"] = "base text os driver"
		may["store"] = "base text model os store"
		may["engine"] = may["store"] " engine"
		may["serve"] = may["engine"] " serve"
		may["cli"] = may["serve"] " driver cli"
	}
	FNR == 1 {
		layer = FILENAME
		sub(/.*src\//, "", layer)
		sub(/\/.*/, "", layer)
		if (!(layer in may)) {
			print FILENAME ":1: no layer \047" layer "\047"
			bad = 1
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		to = $0
		sub(/^[^"]*"/, "", to)
		sub(/".*/, "", to)
		if (to !~ /\//) {
			print FILENAME ":" FNR ": \047" to "\047 is named without its layer"
			bad = 1
			next
		}
		sub(/\/.*/, "", to)
		if (index(" " may[layer] " ", " " to " ") == 0) {
			print FILENAME ":" FNR ": " layer " may not include " to
			bad = 1
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*<(unistd|fcntl|time|dirent|signal|poll|spawn|sys\/.*)\.h>/ {
		if (layer == "text" || layer == "model") {
			print FILENAME ":" FNR ": " layer " does no I/O and reads no clock"
			bad = 1
		}
	}
	END { exit bad }' "$@"
}

self_test() {
	top=$(mktemp -d)
	trap 'rm -rf "$top"' EXIT
	for layer in base text model os child driver store engine serve cli; do
		mkdir -p "$top/src/$layer"
	done
	n=0
	expect() { # FILE INCLUDE ''|FINDING
		n=$((n + 1))
		printf '#include <stdint.h>\n#include %s\n' "$2" >"$top/src/$1"
		found=$(check "$top/src/$1") || true
		[ "$found" = "${3:+$top/src/$1:2: $3}" ] || {
			echo "layers.sh self-test $n: $1 with $2 gave '$found'" >&2
			exit 1
		}
	}
	expect base/a.c '"base/b.h"' ''
	expect base/a.c '"text/b.h"' 'base may not include text'
	expect base/a.c '"os/b.h"' 'base may not include os'
	expect text/a.c '"base/b.h"' ''
	expect text/a.c '"model/b.h"' 'text may not include model'
	expect model/a.h '"text/b.h"' ''
	expect model/a.h '"os/b.h"' 'model may not include os'
	expect model/a.c '"store/b.h"' 'model may not include store'
	expect model/a.c '<unistd.h>' 'model does no I/O and reads no clock'
	expect text/a.c '<sys/stat.h>' 'text does no I/O and reads no clock'
	expect os/a.c '<unistd.h>' ''
	expect os/a.c '"text/b.h"' 'os may not include text'
	expect child/a.c '"os/b.h"' ''
	expect child/a.c '"text/b.h"' 'child may not include text'
	expect driver/a.c '"text/b.h"' ''
	expect driver/a.c '"model/b.h"' 'driver may not include model'
	expect store/a.c '"os/b.h"' ''
	expect store/a.c '"engine/b.h"' 'store may not include engine'
	expect engine/a.c '"store/b.h"' ''
	expect engine/a.c '"cli/b.h"' 'engine may not include cli'
	expect serve/a.c '"engine/b.h"' ''
	expect serve/a.c '"cli/b.h"' 'serve may not include cli'
	expect cli/a.c '"engine/b.h"' ''
	expect cli/a.c '"child/b.h"' 'cli may not include child'
	expect cli/a.c '"driver/b.h"' ''
	expect engine/a.c '"driver/b.h"' 'engine may not include driver'
	expect cli/a.c '"b.h"' "'b.h' is named without its layer"
	echo "$n includes judged as they should be"
}

if [ "${1:-}" = --self-test ]; then
	self_test
	exit
fi
# shellcheck disable=SC2046 # no file of ours has a space in its name
check $(tools/files.sh c h | grep '^src/')
