#!/bin/sh
# What a verb costs with a short history behind it, and with a long one that
# left the same state: bytes that it reads, instructions that it takes.  The
# projection is current, as the rule of its writing leaves it.
. "$(dirname "$0")/lib.sh"
long=${1:-1000000}

new_repo repo
"$bin/make_run" .pawl r-short 50 25 10 40 >/dev/null
"$bin/make_run" .pawl r-long 50 25 "$long" 40 >/dev/null
for run in r-short r-long; do
	i=0
	# the first change writes the projection of a long journal
	while [ ! -f .pawl/runs/$run/state.json ]; do
		"$PAWL" approve "$run/G$i!1" >/dev/null
		i=$((i + 1))
	done
done

# read_bytes CMD...: what its reads returned.
read_bytes() {
	strace -o "$top/trace" -e trace=read,pread64,readv,preadv "$@" >/dev/null
	awk '{ n = $NF; if (n > 0) sum += n } END { print sum + 0 }' "$top/trace"
}

instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$top/cg" "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : *//p'
}

compare() {
	what=$1 short=$2 long_=$3
	awk -v w="$what" -v a="$short" -v b="$long_" 'BEGIN {
		r = b / a; printf "  %s: %d behind 10, %d behind the long one, ratio %.2f (reach within 10 %%%s)\n",
			w, a, b, r, r <= 1.1 ? "" : ": missed" }'
}

echo "history: 50 nodes, 10 or $long events of takeovers behind, projection current"
for verb in status explain; do
	sub=$([ $verb = explain ] && echo /N30 || true)
	if command -v strace >/dev/null; then
		compare "$verb, bytes read" "$(read_bytes "$PAWL" $verb "r-short$sub")" "$(read_bytes "$PAWL" $verb "r-long$sub")"
	fi
	if command -v valgrind >/dev/null; then
		compare "$verb, instructions" "$(instructions "$PAWL" $verb "r-short$sub")" "$(instructions "$PAWL" $verb "r-long$sub")"
	fi
done
if command -v strace >/dev/null; then
	compare "approve, bytes read" "$(read_bytes "$PAWL" approve r-short/G30!1)" "$(read_bytes "$PAWL" approve r-long/G30!1)"
fi
if command -v valgrind >/dev/null; then
	compare "approve, instructions" "$(instructions "$PAWL" approve r-short/G31!1)" "$(instructions "$PAWL" approve r-long/G31!1)"
fi
