#!/bin/sh
# C084: a chain of CHAIN tasks, each waiting for the next in the list, on a
# stack of 256 KiB, through every verb.
# shellcheck disable=SC3045 # ulimit -s, which dash has
. "$(dirname "$0")/lib.sh"
: "${CHAIN:=20000}"

chain() {
	awk -v n="$1" -v closed="$2" 'BEGIN {
		for (i = 1; i <= n; i++) {
			on = i < n ? "T-" (i + 1) : closed ? "T-1" : ""
			printf "- [ ] T-%d Do it\n  Depends: [%s]\n", i, on
			printf "  Paths: [p/%d]\n  Mode: read\n", i
			printf "  Isolation: auto\n  Acceptance: x\n"
			printf "  Check: true\n\n"
		}
	}'
}

# Outside a repository: only what reads may run there, which is enough.
every_verb_walks_a_long_chain() {
	last=T-$CHAIN && chain "$CHAIN" '' >long.md && ulimit -s 256 &&
		status 0 pawl plan long.md && grep -q "in $CHAIN waves" ../out &&
		status 0 pawl plan --decision long.md &&
		status 0 pawl plan --fill long.md && cmp long.md ../out &&
		status 0 pawl run long.md --once -- true &&
		run=$(pawl list --json | jq -r '.result.runs[0].run') &&
		status 0 pawl status && grep -q "RUNNING  [12]/$CHAIN" ../out &&
		status 0 pawl ready && status 0 pawl next &&
		status 0 pawl explain T-1 && grep -q 'T-2 is PENDING' ../out &&
		status 0 pawl explain "$last" && grep -q PASSED ../out &&
		status 0 pawl show T-2 && status 0 pawl list &&
		status 0 pawl state && status 0 pawl log --node "$last" &&
		status 0 pawl verify "$run"
}

a_long_cycle_is_one_path() {
	chain "$CHAIN" closed >long.md && ulimit -s 256 &&
		status 1 pawl plan long.md &&
		grep -q "T-$((CHAIN - 1)) -> T-$CHAIN -> T-1" ../out &&
		same "$(grep -c 'in a circle' ../out)" 1 &&
		status 1 pawl run long.md -- true &&
		status 0 pawl list --all --json && answer .runs '[]'
}

t every_verb_walks_a_long_chain
t a_long_cycle_is_one_path
done_testing
