#!/bin/sh
# Every figure that the README quotes: bench/run.sh [BUILD]
#
# Says on what it runs, then runs each bench_* of the build and each bench_*.sh
# of this folder, which finds the program in $PAWL.  Each prints the sizes of
# its input and its seed.
set -eu
cd "$(dirname "$0")/.."
b=${1:-build}
[ -d "$b/bench" ] || { echo "bench/run.sh: no build '$b'; run make first" >&2; exit 2; }
PAWL=$PWD/$b/src/cli/pawl
export PAWL LC_ALL=C

echo "machine:  $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) cores, $(sed -n 's/^MemTotal: *//p' /proc/meminfo)"
echo "kernel:   $(uname -sr)"
echo "disk:     $(df -T "${TMPDIR:-/tmp}" | awk 'NR == 2 { print $2 }') below ${TMPDIR:-/tmp}"
echo "compiler: $(sed -n 's/.*C compiler for the host machine: *//p' "$b/meson-logs/meson-log.txt" | tail -1)"
echo "pawl:     $(git describe --always --dirty 2>/dev/null || echo 'no repository')"
for bench in "$b"/bench/bench_* bench/bench_*.sh; do
	if [ ! -f "$bench" ] || [ ! -x "$bench" ]; then
		continue
	fi
	name=${bench##*/}
	printf '\n== %s\n' "${name%.sh}"
	"$bench"
done
