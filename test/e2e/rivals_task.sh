#!/bin/sh
# Every two acts of a coordinator at once: how both end and what the journal
# has then is what one after the other gives, in one of the two orders.  C002.
#
# The verbs are the command table's, with those of humans.  PAWL_PAIRS says how
# many pairs are tried (24), PAWL_PAIR_SEED which; PAIR='VERB VERB' is one more.
# shellcheck disable=SC2154 # here is lib.sh's
. "$(dirname "$0")/../cli/handout.sh"
unset PAWL_NOW PAWL_SEED
pairs=${PAWL_PAIRS:-24}
seed=${PAWL_PAIR_SEED:-$(date +%s)}
echo "# seed $seed"

verbs() {
	pawl help --json | jq -r '[.. | objects | select(.mutates == true and
		(.page == "pawl-task" or .page == "pawl-approve")) |
		.name | gsub(" "; "-")] | unique | .[]'
}

# do_verb VERB N: one act of it, on a subject of its own.
do_verb() {
	as=lead verb=$1 n=$2
	case ${1#task-} in
	start) set -- start ../idle.md --driver host ;;
	claim | transfer | resume | sync) set -- "${1#task-}" "$run" ;;
	takeover) as=next$n && set -- takeover "$run" --force --reason test ;;
	recover-driver) set -- recover driver "$run" ;;
	dispatch) set -- dispatch "$run/D$n" ;;
	quarantine) set -- quarantine "$run/Q$n@1" \
		--candidate "$rundir/outbox/Q$n@1/report.json" ;;
	abandon) set -- abandon "$run/A$n@1" --reason test ;;
	recover-attempt) set -- recover attempt "$run/R$n@1" ;;
	check) set -- check "$run/C$n" ;;
	recover-check) set -- recover check "$run/X$n@1#1" ;;
	import-checked) set -- import-checked "$run/M$n" --import-id "i$n" ;;
	integrate) set -- integrate "$run/I$n" ;;
	grade) set -- grade "$run/G$n" pass ;;
	repair) set -- repair "$run/P$n" --hypothesis test ;;
	finding) set -- finding "$run/F$n" --class advisory --summary test ;;
	audit-reject) set -- audit-reject "$run/J$n@1" --finding "J$n" \
		--hypothesis test ;;
	decide) set -- decide "$run/E$n" --action regroup --note test ;;
	amend) set -- amend "$run/N$n" --reason test --acceptance more ;;
	amend-decision) set -- amend-decision "$run" --decision ../amended ;;
	answer) set -- answer "$run/q$n" "yes $n" ;;
	complete) set -- complete "$run" --outcome partial ;;
	cleanup-register) set -- cleanup register "$run/K$n@1" \
		--kind temp_path --target "$PWD/../none$n" ;;
	cleanup-finish | cleanup-retain | cleanup-recover)
		set -- cleanup "${1#task-cleanup-}" "$run/$(cat "../$1.$n")" &&
			[ "$2" != retain ] || set -- "$@" --reason test
		;;
	delegate-request) set -- delegate request "$run/K$n@1" \
		--intent "../intent.K$n" ;;
	delegate-*)
		set -- delegate "${1#task-delegate-}" "$run/$(cat "../$1.$n")" &&
			case $2 in reject | release) set -- "$@" --reason test ;; esac
		;;
	approve | deny) set -- "$run/W$n!1" ;;
	unblock) set -- "$run/B$n" --reason test ;;
	*) echo "no way to call $1 is written here" >&2 && return 99 ;;
	esac
	# shellcheck disable=SC2046 # words
	case $verb in
	task-*) "$PAWL" task "$@" --as $as $(key_of "key$n" "$@") --json ;;
	answer) env -u PAWL_AS "$PAWL" "$@" --key "key$n" --json ;;
	*) env -u PAWL_AS "$PAWL" "$verb" "$@" --key "key$n" --json ;;
	esac
}

# --- A run with two subjects of each verb.

# node ID MODE CHECK [FIELD...]
node() {
	{
		printf -- '- [%s] %s Do it\n  Depends: []\n' "${box:- }" "$1"
		printf '  Paths: [%s.txt]\n  Mode: %s\n' "$1" "$2"
		printf '  Isolation: auto\n  Acceptance: done\n  Check: %s\n' "$3"
		shift 3
		[ $# = 0 ] || printf '  %s\n' "$@"
	} >>../list.md
}

each() { for id; do echo "$id"1 "$id"2; done; }

lists() {
	for id in $(each D N); do
		node "$id" read 'test -f one'
	done
	box=x node M1 read 'test -f one' && box=x node M2 read 'test -f one' &&
		node E1 read false && node E2 read false &&
		cp ../list.md ../idle.md && for id in $(each Q A R C G F J K U S V) L; do
		node "$id" read 'test -f one'
	done
	node P1 read false && node P2 read false &&
		node I1 write 'test -f I1.txt' && node I2 write 'test -f I2.txt' &&
		node X1 read 'sleep 0.2' && node X2 read 'sleep 0.2' &&
		for id in $(each W B); do
			node "$id" read 'test -f one' 'Approval: required'
		done
	mv ../list.md ../busy.md
}

# begun LIST: a run of it that lead coordinates.
begun() {
	pawl task start "$1" --write .. --driver host -j 64 --json >../started &&
		run=$(jq -r .result.run ../started) && rundir=$PWD/.pawl/runs/$run &&
		journal=$rundir/events.jsonl && pawl task claim "$run"
}

# report ATTEMPT...: each is handed in; then all are taken in.
reported() {
	for id; do
		reports "$id" || return 1
	done
	pawl task sync "$run"
}

# Two attempts of E1 and E2 have failed.
used_up() {
	for n in 1 2; do
		pawl task dispatch "$run/E1" E2 && reported "E1@$n" "E2@$n" ||
			return 1
		for id in E1 E2; do
			pawl task check "$run/$id"
			if [ $n = 1 ]; then
				pawl task repair "$run/$id" --hypothesis $id
			else
				pawl task grade "$run/$id" fail
			fi || return 1
		done
	done
}

# cleanups: two for each of three verbs; what they name is gone.
cleanups() {
	for verb in finish retain recover; do
		for n in 1 2; do
			pawl task cleanup register "$run/L@1" --kind temp_path \
				--target "$PWD/../gone-$verb$n" --json |
				jq -r .result.cleanup >"../task-cleanup-$verb.$n" ||
				return 1
		done
	done
}

# intent NODE PURPOSE: what is to be delegated of its attempt.
intent() {
	jq -n --arg id "$1" --arg purpose "$2" '{attempt_id: ($id + "@1"),
		$purpose, paths: [$id + ".txt"]}' >"../intent.$1"
}

# delegated VERB N: a delegation to which VERB may come next.
delegated() {
	intent "V$2" "to $1" && g=$(pawl task delegate request "$run/V$2@1" \
		--intent "../intent.V$2" --json | jq -r .result.delegation) &&
		echo "$g" >"../task-delegate-$1.$2" || return 1
	case $1 in
	start | report | release) pawl task delegate approve "$run/$g" ;;
	esac && case $1 in
	report | release) pawl task delegate start "$run/$g" ;;
	esac && [ "$1" != report ] || result "$g" | jq --arg id "V$2" \
		'.task_id = $id' >"$rundir/outbox/$g/report.json"
}

delegations() {
	for verb in approve reject start report release; do
		delegated $verb 1 && delegated $verb 2 || return 1
	done
	intent K1 more && intent K2 more
}

asked() {
	env -u PAWL_AS PAWL_ATTEMPT="$1@1" PAWL_OUTBOX="$rundir/outbox/$1@1" \
		"$PAWL" task ask --question "$1?"
}

# The check's caller is killed; what it gave lies there, and isn't recorded.
orphaned() {
	"$PAWL" task check "$run/$1" &
	caller=$!
	until grep -q "\"check_started\",\"node\":\"$1\"" "$journal"; do
		sleep 0.02
	done
	kill -9 $caller
	wait $caller
	sleep 0.4
}

# at_work: attempts of all nodes that need one, and what two workers ask.
at_work() {
	# shellcheck disable=SC2046 # words
	pawl task dispatch "$run/L" $(each Q A C G F J K U S V P I X) &&
		pawl task dispatch "$run/R1" R2 --defer &&
		asked U1 && asked U2 && pawl task sync "$run"
}

# judged: what was reported of nodes whose check has been, or is to be.
judged() {
	for id in I1 I2; do
		echo x >"$(workspace $id@1)/$id.txt" && reports $id@1 $id.txt ||
			return 1
	done
	# shellcheck disable=SC2046 # words
	reported $(for id in $(each C G F J P X); do echo "$id@1"; done) &&
		for id in $(each I G J); do
			pawl task check "$run/$id" || return 1
		done && for id in P1 P2; do
		pawl task check "$run/$id"
		[ $? = 1 ] || return 1
	done && for id in J1 J2; do
		pawl task finding "$run/$id" --id $id --acceptance a \
			--class acceptance_violation --summary s --path one \
			--reproduction r --repair r --gap g || return 1
	done && orphaned X1 && orphaned X2
}

busy() {
	begun ../busy.md && used_up && at_work && judged && cleanups && delegations &&
		for id in B1 B2; do
			env -u PAWL_AS "$PAWL" deny "$run/$id" || return 1
		done && for id in Q1 Q2; do
			echo junk >"$rundir/outbox/$id@1/report.json"
		done && reports S1@1 && reports S2@1 &&
		cp "$rundir/plan/process-decision.json" ../amended &&
		jq -n '{mode: "graph", changed_evidence: ["file:one"], reason: "r",
			replacement_check: {command: "test -f one",
			oracle: "strong"}}' >../amendment &&
		pawl decision amend ../amended --amendment ../amendment
}

# idle: one that may be closed.  opened: one whose driver isn't selected yet,
# as after a crash within the claim.
idle_and_opened() {
	begun ../idle.md && echo "$run" >../idle && begun ../idle.md &&
		echo "$run" >../opened && rm -f "$rundir/state.json" &&
		sed -i '$d' "$journal" &&
		same "$(tail -n 1 "$journal" | jq -r '.events[-1].type')" \
			driver_selection_reserved
}

prepared() {
	fixture >../said 2>&1 || { cat ../said && return 1; }
}

fixture() {
	repo && mkdir .pawl && pawl init && PAWL_AS=lead && export PAWL_AS &&
		lists && idle_and_opened && busy && echo "$run" >../busy &&
		mkdir ../made && cp -a . ../made/w && cp -a ../home ../made/home
}

# restored VERB VERB: all as it was, and the run for these two is $run.  Where
# worktrees stand is left: they are known by their inodes.
restored() {
	rm -rf .git .pawl && cp -a ../made/w/. . &&
		find "$XDG_STATE_HOME"/pawl/*/wt -type f -delete &&
		rm -rf "$XDG_STATE_HOME"/pawl/*/keys && cp -a ../made/home/. ../home ||
		return 1
	case " $* " in
	*\ task-complete\ *) run=$(cat ../idle) ;;
	*\ task-recover-driver\ *) run=$(cat ../opened) ;;
	*) run=$(cat ../busy) ;;
	esac
	rundir=$PWD/.pawl/runs/$run journal=$rundir/events.jsonl
	case " $* " in
	*\ task-claim\ *) pawl task transfer "$run" >../said || return 1 ;;
	esac
	[ -s "$journal" ] && before=$(wc -l <"$journal")
}

# ends VERB N: how it does, in ../end.N.
ends() {
	got=0
	do_verb "$1" "$2" >../out."$2" 2>../err."$2" || got=$?
	jq -sc --argjson got $got 'if length == 1 then .[0] | [$got, .error.code,
		.result.again // false] else "not one document" end' \
		../out."$2" >../end."$2"
}

# outcome: how both ended, and what the journal has more.
outcome() {
	cat ../end.1 ../end.2 && tail -n +$((before + 1)) "$journal" |
		jq -c '.events[] | [.type, .node, .attempt]' | sort
}

# together VERB VERB: both at once, the second a little later.
together() {
	restored "$1" "$2" && {
		ends "$1" 1 &
	} && sleep "0.0$late" && ends "$2" 2 && wait $! && outcome >../both &&
		status 0 pawl verify "$run" && status 0 git fsck --no-progress
}

# in_order VERB VERB: the first before the second, or the other way.
in_order() {
	restored "$1" "$2" && ends "$1" 1 && ends "$2" 2 && outcome >../first &&
		{ cmp -s ../first ../both && return 0; }
	restored "$1" "$2" && ends "$2" 2 && ends "$1" 1 && outcome >../second &&
		{ cmp -s ../second ../both || fenced_within; }
}

# An act of several lines, such as sync's, was fenced after some of them: it
# ends as if it had come second, and its lines are those of coming first.
fenced_within() {
	grep -q stale_coordinator ../both && head -n 2 ../both >../ends &&
		{ head -n 2 ../first | cmp -s - ../ends ||
			head -n 2 ../second | cmp -s - ../ends; } &&
		sort -u ../first ../second >../either &&
		same "$(sort -u ../both | comm -23 - ../either)" ''
}

pair() {
	together "$1" "$2" && in_order "$1" "$2" && return 0
	echo "$1 and $2, $late ms later"
	diff ../first ../second
	diff ../first ../both
	return 1
}

# What a pair is made of succeeds when nothing is beside it.
each_succeeds_alone() {
	for verb in $(cat ../verbs); do
		restored "$verb" && ends "$verb" 1 && same "$verb $(cat ../end.1)" \
			"$verb [0,null,false]" || { cat ../out.1 && return 1; }
	done
}

# sampled: the pairs that are tried, with how much later the second begins.
sampled() {
	while read -r a; do
		sed "s/^/$a /" ../verbs
	done <../verbs | awk -v seed="$seed" 'BEGIN { srand(seed) }
		{ print rand(), $0, int(rand() * 30) }' | sort -n |
		cut -d' ' -f2- | head -n "$pairs"
	[ -z "${PAIR:-}" ] || echo "$PAIR 0"
}

any_two_acts_at_once_are_one_after_the_other() {
	prepared && verbs >../verbs && [ "$(wc -l <../verbs)" -ge 30 ] &&
		each_succeeds_alone && sampled >../pairs || return 1
	while read -r a b late; do
		late=$(printf %02d "$late") && pair "$a" "$b" || return 1
	done <../pairs
}

t any_two_acts_at_once_are_one_after_the_other
done_testing
