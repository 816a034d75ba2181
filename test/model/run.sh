#!/bin/sh
# spin goes through all states of coordinators.pml: nothing that it asserts is
# broken.  With a rule left out it must find that, or the model shows nothing.
#
#	CRASHES=2 sh test/model/run.sh
#
# is how many coordinators may crash (default 1).
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(mktemp -d "${TMPDIR:-/tmp}/pawlmodel.XXXXXX") || exit 99
trap 'rm -rf "$top"' EXIT
cd "$top" || exit 99
n=0 failed=0

# errors FLAG...: how many errors the model has, with spin's words in ./log.
errors() {
	spin "$@" -a "$here/coordinators.pml" >log 2>&1 &&
		cc -w "$optimise" -DSAFETY -DCOLLAPSE -o pan pan.c >>log 2>&1 &&
		./pan -m100000 -n >>log 2>&1 &&
		! grep -q 'max search depth too small' log &&
		sed -n 's/.*errors: \([0-9]*\)$/\1/p' log
}

# expect NAME WANT FLAG...
expect() {
	n=$((n + 1)) name=$1 want=$2
	shift 2
	got=$(errors "$@")
	if [ "$got" = "$want" ]; then
		echo "ok $n - $name"
	else
		failed=1
		echo "not ok $n - $name"
		echo "# errors: '$got', wanted $want"
		sed 's/^/# /' log | grep -v 'Depth=' | head -40
	fi
}

optimise=-O2
expect nothing_asserted_is_broken 0 "-DCRASHES=${CRASHES:-1}"
optimise=-O0 # a fault is found soon
for rule in FENCE GATE REPAIR PROOF; do
	expect "it is found when there is no $rule" 1 -DGENS=2 "-DNO_$rule"
done
echo "1..$n"
exit $failed
