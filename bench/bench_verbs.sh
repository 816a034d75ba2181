#!/bin/sh
# A run of 700 events that a coordinator drives verb by verb: what a verb costs
# near its end, against the same verb near the beginning of another such run.
# The two take turns.
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

# turn VERB RUN T: one call of it about task T; what a worker hands in is part
# of the call that takes it in.
cat >"$top/turn" <<'EOF'
#!/bin/sh
case $1 in
dispatch | check) exec "$PAWL" task "$1" "$2/T$3" ;;
grade) exec "$PAWL" task grade "$2/T$3" pass ;;
finding) exec "$PAWL" task finding "$2/T$3" --class advisory --summary seen ;;
nothing) exec "$PAWL" task sync "$2" ;;
sync)
	printf '{"task_id":"T%d","attempt_id":"T%d@1","outcome":"reported","summary":"seen","files_changed":[],"checks_run":[]}' "$3" "$3" |
		env -u PAWL_AS "$PAWL" task report --attempt "T$3@1" --result - --outbox ".pawl/runs/$2/outbox/T$3@1" &&
		exec "$PAWL" task sync "$2"
	;;
esac
EOF
# at VERB RUN OFFSET ROUND: the turn of a round.
printf '#!/bin/sh\nexec "%s" "$1" "$2" $(($3 + $4 + 1))\n' "$top/turn" >"$top/at"
chmod +x "$top/turn" "$top/at"

early=$(begun)
late=$(begun)
last=$((tasks - turns))
i=1
while [ $i -le $last ]; do
	for verb in dispatch sync check grade; do
		"$top/turn" $verb "$late" $i >"$top/out"
	done
	i=$((i + 1))
done

events() { grep -o '"type":"' ".pawl/runs/$1/events.jsonl" | wc -l; }

echo "a coordinator's verbs, $tasks read tasks, $turns turns of two runs, $(events "$late") and $(events "$early") events old:"
for verb in dispatch sync nothing finding check grade; do
	# shellcheck disable=SC2046
	set -- $("$bin/pairs" "$turns" "$top/out" "$top/at" $verb "$late" $last "{}" -- "$top/at" $verb "$early" 0 "{}")
	[ $verb != nothing ] || verb="sync with nothing new"
	echo "  $verb: $1 us late, $2 us early, ratio $3 ($(reach "$3" 1.25))"
done

# instructions WORD...: of one call.
instructions() {
	valgrind --tool=callgrind --callgrind-out-file="$top/cg" "$PAWL" task "$@" 2>&1 >/dev/null |
		sed -n 's/.*Collected : *//p'
}
compared() {
	awk -v w="$1" -v a="$2" -v b="$3" 'BEGIN { printf "  %s, instructions: %d late, %d early, ratio %.2f\n", w, a, b, a / b }'
}
if command -v valgrind >/dev/null; then
	compared "sync with nothing new" "$(instructions sync "$late")" "$(instructions sync "$early")"
	compared finding "$(instructions finding "$late/T$tasks" --class advisory --summary more)" \
		"$(instructions finding "$early/T$turns" --class advisory --summary more)"
fi
echo "  now they are $(events "$late") and $(events "$early") events old"
