#!/bin/sh
# Hints of the verbs of a coordinator: in the state that caused the refusal, what
# the hint says to type is accepted, by whom and of what the call named.
. "$(dirname "$0")/handout.sh"

# now STATE: the run is brought there, each from the one before it.
now() {
	case $1 in
	fresh) coordinated ;;
	reserved) now fresh && quiet task dispatch A-1 --defer ;;
	started) now fresh && quiet task dispatch A-1 ;;
	reported) now started && works A-1@1 a/done && quiet task sync ;;
	handed) now started && works A-1@1 a/done ;;
	wrong) now started && works A-1@1 a/wrong && quiet task sync ;;
	checked) now reported && quiet task check A-1 ;;
	failed) now wrong && { quiet task check A-1 || [ $? = 1 ]; } ;;
	failed_twice)
		now failed && quiet task repair A-1 --hypothesis h &&
			quiet task dispatch A-1 && works A-1@2 a/wrong2 &&
			quiet task sync && { quiet task check A-1 || [ $? = 1 ]; }
		;;
	found)
		now checked && found acceptance_violation
		;;
	integrated) now checked && quiet task integrate A-1 ;;
	graded) now integrated && quiet task grade A-1 pass ;;
	hardening)
		now checked && found hardening && quiet task integrate A-1 &&
			quiet task grade A-1 pass && quiet task dispatch B-2 &&
			works B-2@1 b/done && quiet task sync &&
			quiet task check B-2 && quiet task integrate B-2 &&
			quiet task grade B-2 pass && quiet task dispatch R-3 &&
			reports R-3@1 && quiet task sync && quiet task check R-3 &&
			quiet task grade R-3 pass
		;;
	owned)
		now started && : >../file && quiet task cleanup register A-1@1 \
			--kind temp_path --target "$PWD/../file"
		;;
	delegated)
		now started && echo '{"attempt_id":"A-1@1","purpose":"p","paths":["a/x"]}' \
			>../intent && quiet task delegate request A-1@1 \
			--intent ../intent
		;;
	handed_on)
		now delegated && quiet task delegate approve g1 &&
			quiet task delegate start g1
		;;
	esac
}
quiet() { "$PAWL" "$@" >../said 2>&1; }
found() {
	quiet task finding A-1 --class "$1" --summary s --acceptance a \
		--path a/done --reproduction r --repair r --gap g
}

# State, code, call.
rows() {
	cat <<'END'
fresh node_not_found task check zz
fresh attempt_not_found task abandon zz@1 --reason r
fresh attempt_not_found task repair A-1 --hypothesis h
fresh allowance_left task decide A-1 --action regroup --note n
fresh task_not_ready task dispatch R-3
fresh outcome_unearned task complete --outcome pass
fresh outcome_unearned task complete RUN --outcome pass
fresh question_not_found task answer q1 x
fresh cleanup_not_found task cleanup finish c1
fresh delegation_not_found task delegate approve g1
reserved task_not_ready task dispatch A-1
reserved task_not_ready task dispatch RUN/A-1
reserved attempt_state task check A-1
started scope_frozen task amend A-1@1 --path c --reason r
started attempt_state task amend A-1 --path c --reason r
started attempt_state task check A-1
started attempts_running task complete --outcome partial
reported check_needed task grade A-1 fail
reported check_needed task grade RUN/A-1 fail
reported check_failed task grade A-1 pass
reported attempt_state task repair A-1 --hypothesis h
reported attempt_state task integrate A-1
handed not_malformed task quarantine A-1@1 --key k --candidate REPORT
checked attempt_state task grade A-1 pass
failed allowance_left task decide A-1 --action regroup --note n
failed check_failed task grade A-1 pass
failed_twice repair_cap_reached task repair A-1 --hypothesis other
found finding_open task integrate A-1
found attempt_state task grade A-1 pass
found finding_open task integrate RUN/A-1
integrated attempt_state task repair A-1 --hypothesis h
graded grade_conflict task grade A-1 fail
graded outcome_unearned task complete --outcome pass
hardening carry_forward_findings task complete --outcome pass
hardening carry_forward_findings task complete RUN --outcome pass
owned cleanup_unproven task cleanup finish c2
owned cleanup_unproven task cleanup finish RUN/c2
delegated delegation_state task delegate start g1
delegated delegation_state task delegate start RUN/g1
handed_on delegation_state task delegate approve g1 --path a/y
END
}

# follow: the last hint's command would be done, with some text for what it leaves
# open.
follow() {
	hint=$(jq -r '.error.hint // empty' ../out | sed -n 's/^.*\(pawl .*\)$/\1/p' |
		sed 's/, \(or\|if\|then\) .*//; s/\bTEXT\b\|\bT\b/text/g
			s/--action A\b/--action regroup/; s/--finding F\b/--finding f1/')
	[ -n "$hint" ] || { echo "no hint that is a command" && return 1; }
	echo "hint: $hint" && echo "pawl() { '$PAWL' --dry-run \"\$@\"; }" >../type &&
		echo "$hint" >>../type && status 0 sh -e ../type
}

# given CODE CALL: refused so, and then what its hint says.
given() {
	call=$(echo "$2" | sed "s,RUN,$run,; s,REPORT,$rundir/outbox/A-1@1/report.json,")
	echo "call: $call" && cp "$journal" ../journal.before
	# shellcheck disable=SC2086 # words
	"$PAWL" --json $call --as lead >../out 2>../err </dev/null
	code "$1" && follow && cmp ../journal.before "$journal"
}

# All of one state, by the name of the case.
each_of() {
	now "$1" || { cat ../said && return 1; }
	unset PAWL_AS
	rows | grep "^$1 " >../rows
	while read -r _ code call; do
		given "$code" "$call" || return 1
	done <../rows
}

for state in $(rows | cut -d' ' -f1 | uniq); do
	eval "hints_when_$state() { each_of $state; }"
	t "hints_when_$state"
done
done_testing
