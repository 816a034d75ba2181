#!/bin/sh
# Run the fuzzers: tools/fuzz.sh SECONDS [NAME...], or --list
#
# Each runs for SECONDS from the inputs in test/fuzz/corpus/NAME; what it finds
# is kept in b-clang/corpus/NAME.  Fails on a finding, and also when coverage did
# not grow well over that of the empty input: a library that isn't instrumented
# runs fast and finds nothing.  One line a fuzzer.
set -eu
[ $# -ge 1 ] || { sed -n '2,8p' "$0"; exit 2; }
seconds=$1
shift
cd "$(dirname "$0")/.."
b='b-clang'

names() {
	sed -n "/^fuzz_names/,/^]/s/^  '\(.*\)',$/\1/p" test/fuzz/meson.build
}

if [ "$seconds" = --list ]; then
	names
	exit
fi
tools/build.sh $b
# shellcheck disable=SC2046 # a name is a word
[ $# -gt 0 ] || set -- $(names)

coverage() { # LOG: the last count that the fuzzer printed
	sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$1" | tail -1
}

fuzz() { # NAME
	bin=$b/test/fuzz/fuzz_$1
	log=$b/fuzz-$1.log
	corpus=$b/corpus/$1
	own=test/fuzz/corpus/$1
	name=$1
	mkdir -p "$corpus" $b/findings
	set -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix=$b/findings/"$name"- -print_final_stats=1
	[ ! -f "test/fuzz/$name.dict" ] || set -- "$@" -dict="test/fuzz/$name.dict"
	"$bin" -runs=0 >"$log.empty" 2>&1 || true
	before=$(coverage "$log.empty")
	rc=0
	"$bin" "$@" "$corpus" "$own" >"$log" 2>&1 || rc=$?
	after=$(coverage "$log")
	runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
	inputs=$(find "$corpus" -type f | wc -l)
	line="fuzz-$name: cov: ${before:-0} -> ${after:-0}, ${runs:-0} runs, $inputs new inputs"
	if [ $rc -ne 0 ]; then
		echo "not ok $line; finding (exit $rc):"
		tail -40 "$log"
		return 1
	elif [ "${after:-0}" -lt $((${before:-0} * 3 / 2)) ]; then
		echo "not ok $line; coverage hardly grew"
		return 1
	fi
	echo "ok $line"
}

# As many at once as there are processors.
bad=0 pids='' running=0
settle() {
	for pid in $pids; do
		wait "$pid" || bad=1
	done
	pids='' running=0
}
for name; do
	fuzz "$name" &
	pids="$pids $!" running=$((running + 1))
	[ $running -lt "$(nproc)" ] || settle
done
settle
exit $bad
