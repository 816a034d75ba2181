#!/bin/sh
# A run of 700 events that a coordinator drives verb by verb.
#
# The whole against what no program could do without: as many processes, each
# an empty one, and as many syncs.  Then single verbs near its end, in turns
# with the same ones near the beginning of another such run.
. "$(dirname "$0")/lib.sh"
tasks=${1:-117} # of six events each
turns=${2:-15}
PAWL_AS=lead
export PAWL_AS

new_repo repo
awk -v n="$tasks" 'BEGIN {
	for (i = 1; i <= n; i++)
		printf "- [ ] T%d Look at part %d\n  Depends: []\n  Paths: [src]\n  Mode: read\n  Isolation: auto\n  Acceptance: Part %d was seen.\n  Check: true\n\n",
			i, i, i }' >"$top/tasks.md"

# begun: a run of them, claimed; its name.
begun() {
	"$PAWL" task start "$top/tasks.md" --driver host -j 64 --json >"$top/started"
	run=$(sed 's/.*"run":"\([^"]*\)".*/\1/' "$top/started")
	"$PAWL" task claim "$run" >"$top/out"
	echo "$run"
}

events() { grep -o '"type":"' ".pawl/runs/$1/events.jsonl" | wc -l; }

# drive RUN FROM TO: those tasks, verb by verb.
cat >"$top/drive" <<'EOF'
#!/bin/sh
i=$2
while [ "$i" -le "$3" ]; do
	printf '{"task_id":"T%d","attempt_id":"T%d@1","outcome":"reported","summary":"seen","files_changed":[],"checks_run":[]}' "$i" "$i" >"$0.result"
	"$PAWL" task dispatch "$1/T$i" &&
		"$PAWL" task report --attempt "T$i@1" --result "$0.result" --outbox ".pawl/runs/$1/outbox/T$i@1" &&
		"$PAWL" task sync "$1" && "$PAWL" task check "$1/T$i" &&
		"$PAWL" task grade "$1/T$i" pass || exit 1
	i=$((i + 1))
done
EOF
# turn VERB RUN OFFSET ROUND: one call about the task of this round.
cat >"$top/turn" <<'EOF'
#!/bin/sh
T=T$(($3 + $4 + 1))
case $1 in
nothing) exec "$PAWL" task sync "$2" ;;
finding) exec "$PAWL" task finding "$2/$T" --class advisory --summary seen ;;
grade) exec "$PAWL" task grade "$2/$T" pass ;;
*) exec "$PAWL" task "$1" "$2/$T" ;;
esac
EOF
chmod +x "$top/drive" "$top/turn"

early=$(begun)
late=$(begun)
last=$((tasks - turns))
"$top/drive" "$early" 1 1 >"$top/out"
processes=0 syncs=0
if command -v strace >/dev/null; then
	strace -f -e trace=execve,fdatasync,fsync -o "$top/trace" "$top/drive" "$early" 2 2 >"$top/out"
	processes=$(grep -c 'execve.* = 0' "$top/trace")
	syncs=$(grep -c 'sync(' "$top/trace")
fi
begin=$(date +%s%N)
"$top/drive" "$late" 1 $last >"$top/out"
took=$((($(date +%s%N) - begin) / 1000))
# shellcheck disable=SC2046
set -- $("$bin/pairs" 50 "$top/out" "$bin/bare" "$top/bare" 700 -- "$bin/bare")
least=$((last * ((processes - 1) * $2 + syncs * ($1 - $2))))
echo "driven verb by verb: $last read tasks, $(events "$late") events, $((took / 1000)) ms"
if [ "$least" -gt 0 ]; then
	ratio=$(awk -v a=$took -v b=$least 'BEGIN { printf "%.2f", a / b }')
	echo "  a task's $((processes - 1)) processes, if empty, and $syncs syncs alone: $((least / 1000)) ms, ratio $ratio ($(reach "$ratio" 1.5))"
fi

echo "single verbs, $turns turns of the run above and of one that has just begun:"
for verb in dispatch nothing; do
	# shellcheck disable=SC2046
	set -- $("$bin/pairs" "$turns" "$top/out" "$top/turn" $verb "$late" $last "{}" -- "$top/turn" $verb "$early" 2 "{}")
	[ $verb != nothing ] || verb="sync with nothing new"
	echo "  $verb: $1 us late, $2 us early, ratio $3"
done
for n in $(seq $turns); do
	for at in "$late $((last + n))" "$early $((2 + n))"; do
		printf '{"task_id":"T%d","attempt_id":"T%d@1","outcome":"reported","summary":"seen","files_changed":[],"checks_run":[]}' ${at#* } ${at#* } >"$top/result"
		"$PAWL" task report --attempt "T${at#* }@1" --result "$top/result" --outbox ".pawl/runs/${at% *}/outbox/T${at#* }@1"
	done
done >"$top/out"
"$PAWL" task sync "$late" >"$top/out"
"$PAWL" task sync "$early" >"$top/out"
for verb in finding check grade; do
	# shellcheck disable=SC2046
	set -- $("$bin/pairs" "$turns" "$top/out" "$top/turn" $verb "$late" $last "{}" -- "$top/turn" $verb "$early" 2 "{}")
	echo "  $verb: $1 us late, $2 us early, ratio $3"
done

# instructions WORD...: of one call.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$top/cg" "$PAWL" task "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : *//p'
}
if command -v valgrind >/dev/null; then
	set -- "$(instructions sync "$late")" "$(instructions sync "$early")"
	ratio=$(awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }')
	echo "  sync with nothing new, instructions: $1 late, $2 early, ratio $ratio ($(reach "$ratio" 1.1))"
fi
echo "  they are $(events "$late") and $(events "$early") events old then"
