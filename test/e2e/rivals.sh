#!/bin/sh
# Every two commands that change something, at once: both have their effect, or
# one is refused by name; and what only reads never writes.
. "$(dirname "$0")/lib.sh"

rounds=${PAWL_ROUNDS:-1}

# verbs IS_LEDGER: the commands that change something, of ledgers or of task
# runs, from the table itself; two words are joined.  Verbs of coordinators by
# name are paired in rivals_task.sh.
verbs() {
	pawl help --json | jq -r "[.. | objects | select(.mutates == true and
		.page != \"pawl-task\" and
		(.page == \"pawl-ledger\") == $1) | .name | sub(\" \"; \"-\")] |
		unique | .[]"
}

# do_verb VERB N: one act of it; the line is for its own process.
do_verb() {
	case $1 in
	init) "$PAWL" init --json ;;
	run) "$PAWL" run ../tasks.md --write .. --json -- ../worker ;;
	approve) "$PAWL" approve "$run/g$2" --json ;;
	deny) "$PAWL" deny "$run/g$2" --json ;;
	unblock) "$PAWL" unblock "$run/b$2" --reason "now $2" --json ;;
	answer) "$PAWL" answer "$run/q$2" "yes $2" --json ;; # nobody asked
	verify) "$PAWL" verify "$run" --repair --json ;;
	ledger-new) "$PAWL" ledger new "T$2" --run --id "new$2" --json ;;
	ledger-add) "$PAWL" ledger add "$run/n$2" --title x --json ;;
	ledger-set) "$PAWL" ledger set "$run/a$2" RUNNING --json ;;
	ledger-evidence) "$PAWL" ledger evidence "$run/a$2" "url:x://$2" --json ;;
	ledger-approve) "$PAWL" ledger approve "$run/g$2" --json ;;
	ledger-deny) "$PAWL" ledger deny "$run/g$2" --json ;;
	ledger-repair) "$PAWL" ledger repair "$run/f$2" --title x --json ;;
	ledger-complete) "$PAWL" ledger complete "$run" --outcome partial --json ;;
	ledger-restore) "$PAWL" ledger restore ../capsule --file "../r$2.json" --json ;;
	ledger-import) "$PAWL" ledger import ../checkpoint --file "../i$2.json" --json ;;
	*) echo "no way to call $1 is written here" >&2 && return 99 ;;
	esac
}

# had_effect VERB N: what an act that said "ok" promised.
had_effect() {
	case $1 in
	approve) of_gate "$2" granted ;;
	deny) of_gate "$2" denied ;;
	unblock) same "$(events "select(.type == \"node_unblocked\" and
		.node == \"b$2\") | .data.reason")" "now $2" ;;
	ledger-new) [ -s "$state/runs/new$2/events.jsonl" ] ;;
	ledger-add) says node_added "n$2" ;;
	ledger-set) says node_moved "a$2" ;;
	ledger-evidence) says evidence_added "a$2" ;;
	ledger-approve) of_gate_in_ledger "$2" granted ;;
	ledger-deny) of_gate_in_ledger "$2" denied ;;
	ledger-repair) says node_added "f$2-repair" ;;
	ledger-complete) says run_closed '' ;;
	ledger-restore) pawl ledger check "../r$2.json" >../out ;;
	ledger-import) pawl ledger check "../i$2.json" >../out ;;
	esac
}

# says TYPE NODE: the ledger's journal has it once.
says() {
	same "$(jq -c ".events[] | select(.type == \"$1\" and
		(.node // \"\") == \"$2\")" "$state/runs/$run/events.jsonl" | wc -l)" 1
}

of_gate_in_ledger() {
	says approval_decided "g$1" && grep -q "\"node\":\"g$1\",\"data\":{\"decision\":\"$2\"" \
		"$state/runs/$run/events.jsonl"
}

# A ledger run with something for each verb, for each of two acts; made once.
prepared_ledger() {
	run=l
	if [ ! -d ../made ]; then
		pawl init 2>/dev/null && pawl ledger new T --run --id l && for i in 1 2; do
			pawl ledger add l/a$i --title x &&
				pawl ledger add l/g$i --title x --approval &&
				pawl ledger add l/f$i --title x --max-attempts 1 &&
				pawl ledger set l/f$i RUNNING &&
				pawl ledger set l/f$i FAILED || return 1
		done >../out && cp -a .pawl ../made &&
			pawl ledger capsule >../capsule &&
			pawl export --ledger l >../checkpoint
	fi
	rm -rf .pawl ../[ri][12].json* ../.[ri][12].json*
	cp -a ../made .pawl && state=$(cd .pawl && pwd)
}

of_gate() {
	events "select(.type == \"gate_decided\" and .node == \"g$1\") |
		.data.decision" | grep -qx "$2"
}

# A gate and a blocked node for each of two acts, in a run that waits.
prepared() {
	: >../tasks.md
	task g1 '' g1.txt write true 'Approval: required' &&
		task g2 '' g2.txt write true 'Approval: required' &&
		task b1 '' b1.txt write true 'Approval: required' &&
		task b2 '' b2.txt write true 'Approval: required' &&
		run 5 && run=$(rid) && state=$(cd "$(rundir)/../.." && pwd) && pawl deny "$run/b1" >../out &&
		pawl deny "$run/b2" >../out
}

# judged STATUS N: ok, or one document with a code that says why not.
judged() {
	jq -se 'length == 1' ../out.$2 >../judged &&
		case $1 in
		0 | 5) return 0 ;;
		1 | 3 | 4 | 6) jq -e '.error.code // .result' ../out.$2 ;;
		*) false ;;
		esac >../judged || {
		echo "ended with $1:"
		cat ../out.$2 ../err.$2
		return 1
	}
}

# together A B: both at once, the second a little later in each round.
together() {
	do_verb "$1" 1 >../out.1 2>../err.1 &
	first=$!
	[ "$3" = 0 ] || sleep "0.0$3"
	got2=0
	do_verb "$2" 2 >../out.2 2>../err.2 || got2=$?
	got1=0
	wait $first || got1=$?
	judged $got1 1 && judged $got2 2 || return 1
	[ $got1 != 0 ] || had_effect "$1" 1 || return 1
	[ $got2 != 0 ] || had_effect "$2" 2 || return 1
	# Where it was made: an init puts another place before it.
	pawl verify "$run" --state "$state" >../out || {
		cat ../out
		return 1
	}
}

# C002
every_two_changes_at_once_have_both_effects_or_one_conflict() {
	begin && list=$(verbs false) && [ "$(echo "$list" | wc -l)" -ge 6 ] ||
		return 1
	for a in $list; do
		for b in $list; do
			for round in $(seq 0 $((rounds - 1))); do
				rm -rf "$XDG_STATE_HOME" .pawl
				prepared && together $a $b $((round * 2)) || {
					echo "$a and $b, round $round"
					return 1
				}
			done
		done
	done
}

# C002, of ledgers.
every_two_changes_of_a_ledger_at_once_too() {
	begin && list=$(verbs true) && [ "$(echo "$list" | wc -l)" -ge 8 ] ||
		return 1
	for a in $list; do
		for b in $list; do
			for round in $(seq 0 $((rounds - 1))); do
				rm -rf "$XDG_STATE_HOME" .pawl
				prepared_ledger && together $a $b $((round * 2)) || {
					echo "$a and $b, round $round"
					return 1
				}
			done
		done
	done
}

# ../l.json has a node for each of two acts of each verb.
file_prepared() {
	"$PAWL" ledger new "Audit it" --file ../l.json >../out &&
		for n in 1 2; do
			for id in r$n e$n f$n; do
				in_file add $id --title T --max-attempts 1 ||
					return 1
			done
			for id in g$n d$n; do
				in_file add $id --title T --approval || return 1
			done
			in_file set f$n RUNNING && in_file set f$n FAILED || return 1
		done && "$PAWL" ledger capsule --file ../l.json >../capsule
}

in_file() {
	verb=$1
	shift
	"$PAWL" ledger "$verb" --file ../l.json "$@" >../out
}

do_file() {
	verb=${1#ledger-} n=$2
	case $verb in
	new) set -- --file "../new$n.json" "Task $n" ;;
	restore) set -- --file "../new$n.json" ../capsule ;;
	import) set -- --file "../new$n.json" ../mission.json ;;
	add) set -- --file ../l.json "n$n" --title "Node $n" ;;
	set) set -- --file ../l.json "r$n" RUNNING ;;
	evidence) set -- --file ../l.json "e$n" "Sentence $n" ;;
	approve) set -- --file ../l.json "g$n" ;;
	deny) set -- --file ../l.json "d$n" ;;
	repair) set -- --file ../l.json "f$n" --title "Mend $n" ;;
	*) echo "no way to call ledger $verb is written here" >&2 && return 99 ;;
	esac
	"$PAWL" ledger "$verb" "$@" --json
}

file_has() { jq -e "any(.nodes[]; $1)" ../l.json >/dev/null; }

file_effect() {
	case ${1#ledger-} in
	new | restore | import) "$PAWL" ledger check "../new$2.json" ;;
	add) file_has ".id == \"n$2\"" ;;
	set) file_has ".id == \"r$2\" and .status == \"RUNNING\"" ;;
	evidence) file_has ".id == \"e$2\" and .evidence == [\"Sentence $2\"]" ;;
	approve) file_has ".id == \"g$2\" and .approval == \"granted\"" ;;
	deny) file_has ".id == \"d$2\" and .approval == \"denied\"" ;;
	repair) file_has ".id == \"f$2-repair\"" ;;
	*) false ;;
	esac >../effect
}

# C001, C002
every_two_changes_of_a_ledgers_file_at_once_have_both_effects() {
	begin && list=$(verbs true | grep ^ledger- | grep -v complete) && [ "$(echo "$list" | wc -l)" -ge 9 ] &&
		jq -n '{schema_version: 2, mission: "m", objective: "o", steps: [
			{id: "a", action: "Do", kind: "recon", role: "main",
			success: "It", status: "pending"}]}' >../mission.json &&
		file_prepared && mv ../l.json ../base.json || return 1
	for a in $list; do
		for b in $list; do
			rm -f ../new?.json
			cp ../base.json ../l.json || return 1
			do_file "$a" 1 >../out.1 2>../err.1 &
			first=$!
			got2=0
			do_file "$b" 2 >../out.2 2>../err.2 || got2=$?
			got1=0
			wait $first || got1=$?
			judged $got1 1 && judged $got2 2 && same $got1$got2 00 &&
				file_effect "$a" 1 && file_effect "$b" 2 &&
				"$PAWL" ledger check ../l.json >../out || {
				echo "$a and $b"
				cat ../out.1 ../out.2
				return 1
			}
		done
	done
}

# The same node from two sides: one of them wins.
two_decisions_of_one_gate_have_one_winner() {
	begin && prepared || return 1
	for gate in g1 g2; do
		"$PAWL" approve "$run/$gate" --json >../out.1 2>../err.1 &
		first=$!
		got2=0
		"$PAWL" deny "$run/$gate" --json >../out.2 2>../err.2 || got2=$?
		got1=0
		wait $first || got1=$?
		case $got1$got2 in
		04 | 40) ;;
		*)
			cat ../out.1 ../out.2
			return 1
			;;
		esac
	done
	same "$(happened gate_decided g1)$(happened gate_decided g2)" 11
}

# C011: reads beside a run write nothing and disturb nothing.
reads_beside_a_run_disturb_nothing() {
	begin && for id in a b c d e f; do
		writes $id || return 1
	done
	"$PAWL" run ../tasks.md --write .. -- ../worker >../first 2>&1 &
	pid=$!
	until_true rid && while kill -0 $pid 2>/dev/null; do
		for verb in status ready next log "explain a" "show a" state list; do
			"$PAWL" $verb >../out 2>../err || {
				# Between two of them the run may have closed.
				grep -q 'no run is active' ../err || {
					cat ../err
					return 1
				}
			}
		done
	done
	wait $pid && stands COMPLETE && before=$(tree "$(rundir)") &&
		for verb in status ready next log "explain a" show state verify; do
			pawl $verb "$(rid)" >../out 2>&1
		done
	same "$(tree "$(rundir)")" "$before"
}

all verbs do_verb had_effect says of_gate of_gate_in_ledger prepared \
	prepared_ledger judged together file_prepared in_file do_file \
	file_has file_effect
