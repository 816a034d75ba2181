#!/bin/sh
# Killed before each call that changes something, and asked again, a verb ends
# as if it had not been killed.
#
# CUT names the program that kills; CUTS is every how many calls (default 1).
. "$(dirname "$0")/handout.sh"
unset PAWL_SEED # many runs, one home

step=${CUTS:-1}
first=${FIRST:-1}

# list FIELD...: one task, ticked when $box says so.
list() {
	repo && mkdir A && echo 1 >A/f && {
		printf -- '- [%s] A Do it\n  Depends: []\n  Paths: [A]\n' "${box:- }"
		printf '  Mode: write\n  Isolation: worktree\n'
		printf '  Acceptance: done\n  Check: test -f A/%s\n' "${makes:-x}"
		[ $# = 0 ] || printf '  %s\n' "$@"
	} >tasks.md && git add . && git commit -qm list &&
		pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --driver host >/dev/null &&
		run=$(ls .pawl/runs) && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one
}

quietly() { "$@" >../said 2>&1; }

done_by() {
	quietly pawl task dispatch A && echo 1 >"$(workspace A@1)/A/x" &&
		quietly reports A@1 A/x && quietly pawl task sync
}

# What `malformed` made, whatever its run is called.
quarantine="A@1 --key k --candidate ../outbox/A@1/report.json"

# each PREPARE ACT JUDGE [THEN]: for each cut, in a folder of its own; asked for
# then is ACT again, or THEN.
each() {
	n=$first
	while :; do
		mkdir -p "../cut$n/w" && cd "../cut$n/w" || return 1
		quietly "$1" || { cat ../said && return 1; }
		# shellcheck disable=SC2086
		"$CUT" "$n" "$PAWL" task $2 >../cut 2>&1
		case $? in
		0) ;;
		3) return 0 ;;
		*) cat ../cut && return 1 ;;
		esac
		# shellcheck disable=SC2086
		status 0 pawl task ${4:-$2} && "$3" && status 0 pawl verify "$run" || {
			echo "cut before call $n:" && pawl log "$run" | cut -c1-150
			return 1
		}
		cd ../../w && rm -rf "../cut$n" && n=$((n + step))
	done
}

status_of() { pawl status "$run" --json | jq -r '.result.nodes[0].status'; }

ends_well() {
	quietly pawl task integrate A && quietly pawl task grade A pass &&
		ended_well || { cat ../said && return 1; }
}

ended_well() {
	same "$(status_of)" PASSED && [ ! -e "$(workspace A@1)" ] &&
		same "$(git worktree list | wc -l)" 1 &&
		same "$(git show "pawl/$run/main:A/x")" 1 &&
		same "$(pawl task digest "$run" --json |
			jq -c .result.cleanups)" '{"pending":[],"retained":[]}'
}

handed_out() { list && pawl task dispatch A; }

malformed() {
	handed_out && echo junk >"$rundir/outbox/A@1/report.json" &&
		ln -s "w/$rundir/outbox" ../outbox
}

# owned: A@1 owns c2, whose path is gone.
owned() {
	handed_out && pawl task cleanup register A@1 --kind temp_path \
		--target "$PWD/../gone" --json >../made &&
		same "$(jq -r .result.cleanup ../made)" c2
}

# amended: the run's decision with one amendment more, as ../next.json.
amended() {
	list && cp "$rundir/plan/process-decision.json" ../next.json &&
		jq -n '{mode: "graph", changed_evidence: ["file:A/f"],
			reason: "r", replacement_check: {command: "test -f A/x",
			oracle: "strong"}}' >../amendment &&
		pawl decision amend ../next.json --amendment ../amendment
}

reported() { list && done_by; }
red_reported() { list 'Red: true' && done_by; }
checked() { reported && pawl task check A; }
integrated() { checked && pawl task integrate A; }
passed() { integrated && pawl task grade A pass; }

failed() {
	makes=y && list && done_by && makes=x
	pawl task check A || [ $? = 1 ]
}

# One check of its own has a verdict, whoever recorded it.
judge_check() {
	same "$(jq -r '.events[] | select(.type == "check_recorded") |
		.data.verdict' "$journal" | grep -c pass)" 1 && ends_well
}

judge_fail() {
	same "$(status_of)" FAILED && [ ! -e "$(workspace A@1)" ] &&
		same "$(git show "pawl/$run/A-1:A/x")" 1
}

judge_closed() {
	same "$(pawl status "$run" --json | jq -r .result.run.outcome)" pass &&
		[ ! -e "$rundir/logs/A@1" ] &&
		same "$(grep -c run_closed "$journal")" 1
}

# used: both attempts of it failed, and the second still stands.
used() {
	failed && pawl task repair A --hypothesis other &&
		pawl task dispatch A && reports A@2 && pawl task sync || return 1
	pawl task check A || [ $? = 1 ]
}

# Decided and asked once; what stood is put in order by who syncs next.
judge_inquiry() {
	same "$(happened decision_recorded)" 1 && status 0 pawl show q1 &&
		status 3 pawl show q2 && status 0 pawl task sync &&
		same "$(happened workspace_reconciled)" 1 &&
		[ ! -e "$(workspace A@2)" ] &&
		same "$(git worktree list | wc -l)" 1 &&
		unmoved status 0 pawl task sync
}

# Given up instead: nothing that was made for the check stays.
judge_nothing_left() {
	status 0 pawl task abandon A@1 --reason 'wrong way' &&
		same "$(git worktree list | wc -l)" 1 &&
		same "$(git branch --list 'pawl/*red*')" '' &&
		same "$(pawl task digest "$run" --json |
			jq -c .result.cleanups)" '{"pending":[],"retained":[]}'
}

judge_quarantine() {
	same "$(jq -r .sha256 "$rundir/artifacts/quarantine/A@1.json")" \
		"$(echo junk | sha256sum | cut -c1-64)" &&
		[ ! -e "$rundir/outbox/A@1/report.json" ] &&
		same "$(happened result_quarantined)" 1 &&
		unmoved status 0 pawl task quarantine A@1 --key k \
		--candidate ../outbox/A@1/report.json &&
		quietly pawl task sync && same "$(happened workspace_reconciled)" 1 &&
		[ ! -e "$(workspace A@1)" ]
}

judge_registered() {
	same "$(happened cleanup_registered)" 2 &&
		status 0 pawl task cleanup finish c2
}

judge_settled() {
	same "$(happened cleanup_settled)" 1 &&
		same "$(pawl show c2 --json | jq -r .result.detail.status)" "$1"
}

judge_finished() { judge_settled verified; }
judge_retained() { judge_settled retained; }

# One generation more, of which next is; who was before is not.
judge_taken() {
	same "$(happened coordinator_taken_over)" 1 &&
		same "$(jq -r .gen "$journal" | tail -n 1)" 2 &&
		refuses 4 stale_coordinator pawl task sync &&
		status 0 pawl task dispatch A --as next
}

judge_amended() {
	same "$(happened decision_amended)" 1 &&
		sum=$(sha256sum <../next.json | cut -c1-64) &&
		cmp ../next.json "$rundir/artifacts/sha256/$sum" &&
		status 0 pawl status "$run" --json && answer .decision.revision 2
}

ticked() { box=x && makes=f && list && unset box && makes=x; }

judge_import() {
	same "$(status_of)" PASSED && same "$(happened node_imported)" 1
}

a_check_converges() { each reported 'check A' judge_check; }
a_check_on_the_base_converges() { each red_reported 'check A' judge_check; }
a_check_on_the_base_that_is_given_up_leaves_nothing() {
	each red_reported 'check A' judge_nothing_left 'recover check'
}
an_integration_converges() { each checked 'integrate A' ends_well; }
a_question_that_ends_its_attempt_converges() {
	each used 'decide A --action input_required --note Split --id d1' \
		judge_inquiry
}
a_passing_grade_converges() { each integrated 'grade A pass' ended_well; }
a_failing_grade_converges() { each failed 'grade A fail' judge_fail; }
an_import_converges() {
	each ticked 'import-checked A --import-id i' judge_import
}

a_quarantine_converges() {
	each malformed "quarantine $quarantine" judge_quarantine
}

a_registration_converges() {
	each handed_out "cleanup register A@1 --kind temp_path --target $top/gone" \
		judge_registered
}
a_finished_cleanup_converges() {
	each owned 'cleanup finish c2' judge_finished
}
a_retained_cleanup_converges() {
	each owned 'cleanup retain c2 --reason wanted' judge_retained
}
a_takeover_converges() {
	each list 'takeover --as next --force --reason test --key t' \
		judge_taken
}
an_amendment_converges() {
	each amended 'amend-decision --decision ../next.json' judge_amended
}

# A delegation that is approved; handed on, with its result in its outbox.
granted() {
	list && pawl task dispatch A && printf '{"attempt_id":"A@1","purpose":"p",
		"paths":["A/x"]}' >../intent &&
		pawl task delegate request A@1 --intent ../intent &&
		pawl task delegate approve g1
}
told() {
	granted && pawl task delegate start g1 --worker w &&
		result g1 A/x | jq '.task_id = "A"' >"$rundir/outbox/g1/report.json"
}
judge_granted() {
	same "$(happened delegation_started)" 1 && [ -d "$rundir/outbox/g1" ] &&
		same "$(sha256sum <"$rundir/capsules/g1.json" | cut -c1-64)" \
			"$(pawl show g1 --json | jq -r .result.detail.capsule_sha256)"
}
judge_told() {
	sha=$(sha256sum <"$rundir/outbox/g1/report.json" | cut -c1-64)
	same "$(happened delegation_reported)" 1 &&
		[ -f "$rundir/artifacts/sha256/$sha" ] &&
		grep -q '"answer":"reported"' "$rundir/outbox/A@1/answers/g1.json"
}
a_delegation_starts_once() {
	each granted 'delegate start g1 --worker w' judge_granted
}
a_delegation_reports_once() { each told 'delegate report g1' judge_told; }

an_end_converges() {
	n=$first
	while :; do
		mkdir -p "../cut$n/w" && cd "../cut$n/w" && quietly passed || return 1
		"$CUT" "$n" "$PAWL" task complete "$run" --outcome pass >../cut 2>&1
		case $? in
		0) ;;
		3) return 0 ;;
		*) cat ../cut && return 1 ;;
		esac
		status 0 pawl task complete "$run" --outcome pass &&
			judge_closed && status 0 pawl verify "$run" || return 1
		cd ../../w && rm -rf "../cut$n" && n=$((n + step))
	done
}

"$CUT" 100 true
if [ $? -eq 77 ]; then
	skip verbs_converge "processes can't be traced"
else
	t a_check_converges
	t a_check_on_the_base_converges
	t a_check_on_the_base_that_is_given_up_leaves_nothing
	t an_integration_converges
	t a_question_that_ends_its_attempt_converges
	t a_passing_grade_converges
	t a_failing_grade_converges
	t an_import_converges
	t a_quarantine_converges
	t a_registration_converges
	t a_finished_cleanup_converges
	t a_retained_cleanup_converges
	t a_takeover_converges
	t an_amendment_converges
	t a_delegation_starts_once
	t a_delegation_reports_once
	t an_end_converges
fi
done_testing
