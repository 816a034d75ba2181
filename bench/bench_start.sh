#!/bin/sh
# What a short command costs beyond the start of a program: `status` of a run of
# 50 nodes, and `approve`, in turns with a static program that does nothing, or
# only the append.
. "$(dirname "$0")/lib.sh"
rounds=${1:-200}

# ratio A... -- B...: microseconds of A, of B, and the ratio.
ratio() { "$bin/pairs" "$rounds" "$top/out" "$@"; }

new_repo repo
"$bin/make_run" .pawl r-status 50 25 0 0 >/dev/null
"$bin/make_run" .pawl r-verb 50 25 0 "$rounds" >/dev/null

status() {
	# shellcheck disable=SC2046
	set -- $(ratio "$PAWL" status r-status -- "$bin/bare") "$1"
	echo "status of 50 nodes$4: $1 us, an empty static program $2 us, ratio $3 ($(reach "$3" 2))"
	n=$(calls "$PAWL" status r-status)
	echo "  system calls: $n ($(reach "$n" 40)); the empty program's own: $(calls "$bin/bare")"
}
status ""

line=$("$PAWL" approve r-verb/G0!1 >/dev/null && tail -n 1 .pawl/runs/r-verb/events.jsonl | wc -c)
if command -v strace >/dev/null; then
	strace -f -o "$top/trace" "$PAWL" approve "r-verb/G$((rounds - 1))!1" >/dev/null
	awk '/events.jsonl/ && /openat/ { fd = $NF }
		$2 ~ "^write\\(" fd "," { w++ } $2 ~ /^(fdatasync|fsync|sync_file_range)\(/ { s++ }
		END { printf "approve: %d write and %d sync (reach 1 and 1)\n", w, s }' "$top/trace"
fi
rounds=$((rounds - 2))
# shellcheck disable=SC2046
set -- $(ratio sh -c 'exec "$0" approve "r-verb/G$(($1 + 1))!1"' "$PAWL" "{}" -- sh -c 'exec "$0" "$1" "$2"' "$bin/bare" "$top/bare" "$line")
echo "approve, a line of $line bytes: $1 us, a program that appends as much and syncs $2 us, ratio $3 ($(reach "$3" 1.3))"
rounds=$((rounds + 2))

i=0
mkdir -p .pawl/runs
while [ $i -lt 1000 ]; do
	i=$((i + 1))
	cp -R .pawl/runs/r-status ".pawl/runs/r-old-$i"
done
status ", 1,000 finished runs beside it"
