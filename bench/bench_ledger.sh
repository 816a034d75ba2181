#!/bin/sh
# What `ledger check` of 100 nodes costs as a process, in turns with a static
# program that does nothing.
. "$(dirname "$0")/lib.sh"
rounds=${1:-200}

"$bin/bench_ledger" --make 100 >"$top/ledger.json"
# shellcheck disable=SC2046
set -- $("$bin/pairs" "$rounds" "$top/out" "$PAWL" ledger check "$top/ledger.json" -- "$bin/bare")
echo "ledger check of 100 nodes: $1 us ($(reach "$1" 1000)), an empty static program $2 us, ratio $3"
