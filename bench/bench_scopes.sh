#!/bin/sh
# A question for a scope's conflicts in instructions: what is done for it,
# without what the memory's caches make of it.  Counted over 100,000 questions,
# less a run that asks none.
. "$(dirname "$0")/lib.sh"
questions=100000

instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$top/cg" "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : *//p'
}

question() { # WRITERS
	none=$(instructions "$bin/bench_scopes" "$1" 0)
	all=$(instructions "$bin/bench_scopes" "$1" $questions)
	echo $(((all - none) / questions))
}

if ! command -v valgrind >/dev/null; then
	echo "scopes, instructions: no valgrind"
	exit 0
fi
few=$(question 1000)
many=$(question 100000)
awk -v a="$few" -v b="$many" 'BEGIN {
	r = b / a; printf "scopes, instructions a question: %d to 1,000 writers, %d to 100,000, ratio %.2f (reach 1.1%s)\n",
		a, b, r, r <= 1.1 ? "" : ": missed" }'
