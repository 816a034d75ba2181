#!/bin/sh
# What is kept of closed runs to learn from; that nothing of it does anything.
# shellcheck disable=SC2015
. "$(dirname "$0")/gated.sh"

# closed: a run that is COMPLETE.
closed() {
	copied && status 0 pawl approve "$run/B-2!1" --reason ok &&
		status 0 pawl run "$run"
}

# candidate KEY [MORE...]: of the run, with evidence of its record.
candidate() {
	key=$1 && shift && digest=$(jq -r '[.tasks[0].evidence[] |
		select(.proof == "verified").sha256][0]' \
		".pawl/learning/runs/$run.json") &&
		status 0 pawl task learn candidate "$run" --key "$key" \
			--kind rule --stance support --origin repair --scope src \
			--statement 'run the linter first' --task-ref A-1 \
			--evidence "$digest" --json "$@"
}

a_closed_run_is_recorded_once() {
	closed && bytes >../before && cp "$(events)" ../events &&
		status 0 pawl task learn snapshot "$run" --dry-run &&
		bytes >../after && cmp ../before ../after &&
		status 0 pawl task learn snapshot "$run" --json &&
		answer '[.made, .tasks]' '[true,2]' &&
		record=.pawl/learning/runs/$run.json &&
		same "$(jq -c '[.shadow_only, .outcome, (.tasks[] | .id, .status,
			.attempts)]' "$record")" \
			'[true,"pass","A-1","PASSED",1,"B-2","PASSED",1]' &&
		same "$(jq -c '.telemetry.provider_usage' "$record")" \
			'"unavailable"' &&
		! grep -q 'test -f\|worker.sh' "$record" &&
		status 0 pawl task learn snapshot "$run" --json &&
		answer '.made' false && cmp "$(events)" ../events &&
		status 0 pawl task learn check && status 0 pawl verify "$run" &&
		echo '{}' >"$record" &&
		status 4 pawl task learn snapshot "$run" --json && code id_taken
}

an_open_run_is_not_recorded() {
	copied && status 1 pawl task learn snapshot "$run" --json &&
		code run_open && [ ! -e .pawl/learning ] &&
		status 3 pawl task learn snapshot r-none &&
		status 3 pawl task learn candidate "$run" --key k --kind rule \
			--stance support --origin check --statement s --scope s \
			--task-ref A-1 --evidence x --json && code record_not_found
}

candidates_become_a_draft() {
	closed && status 0 pawl task learn snapshot "$run" && candidate lint &&
		answer '.made' true && candidate lint && answer '.made' false &&
		candidate build --dry-run &&
		status 0 pawl task learn compile --dry-run &&
		[ ! -e .pawl/learning/DRAFT_CANDIDATES.md ] &&
		status 1 pawl task learn check --json &&
		same "$(jq -c '[.error.code, .result.problem_count]' ../out)" \
			'["evidence_stale",1]' &&
		status 0 pawl task learn compile --json &&
		answer '[.active, .groups[]]' '[false,{"key":"lint","status":"weak-sample","support":1,"oppose":0,"candidates":1}]' &&
		grep -q 'Nothing in this file is active' \
			.pawl/learning/DRAFT_CANDIDATES.md &&
		status 0 pawl task learn check --json && answer . \
		'{"problem_count":0,"problems":[]}' &&
		cp "$(events)" ../events && status 0 pawl status "$run" &&
		cmp "$(events)" ../events
}

bad_candidates_are_refused() {
	closed && status 0 pawl task learn snapshot "$run" && candidate lint &&
		for bad in '--kind law' '--stance maybe' '--origin hearsay' \
			'--task-ref Z-9' '--evidence 1' "--evidence $(printf %064d 0)"; do
			name=${bad%% *}
			set -- --key k --kind rule --stance support --origin repair \
				--scope src --statement s --task-ref A-1 \
				--evidence "$digest"
			args=
			while [ $# -gt 0 ]; do
				[ "$1" = "$name" ] || args="$args $1 $2"
				shift 2
			done
			# shellcheck disable=SC2086
			pawl task learn candidate "$run" $args $bad >../out 2>&1 &&
				{ echo "accepted: $bad"; return 1; }
		done
	same "$(ls .pawl/learning/candidates | wc -l)" 1 &&
		status 2 pawl task learn candidate "$run" --kind rule &&
		status 2 pawl task learn compare
}

evidence_that_changed_is_told() {
	closed && status 0 pawl task learn snapshot "$run" && candidate lint &&
		status 0 pawl task learn compile &&
		file=$(find .pawl -path "*capsules/A-1@1.json") &&
		cp "$file" ../kept && chmod u+w "$file" && echo >>"$file" &&
		status 1 pawl task learn check --json &&
		same "$(jq -c '[.result.problems[].code]' ../out)" \
			'["digest_mismatch"]' && cp ../kept "$file" &&
		status 0 pawl task learn check && rm "$file" &&
		status 1 pawl task learn check --json &&
		same "$(jq -c '[.result.problems[].code]' ../out)" \
			'["evidence_missing"]' && cp ../kept "$file" &&
		echo more >>.pawl/learning/DRAFT_CANDIDATES.md &&
		status 1 pawl task learn check --json &&
		same "$(jq -c '[.result.problems[].subject]' ../out)" \
			'["DRAFT_CANDIDATES.md"]' &&
		status 0 pawl task learn compile &&
		sed -i s/linter/lint/ .pawl/learning/candidates/*.json &&
		status 8 pawl task learn compile --json && code digest_mismatch
}

two_runs_of_the_same_checks_are_counted() {
	closed && status 0 pawl task learn snapshot "$run" && first=$run &&
		sed -i /Approval/d tasks.md && git commit -qam again &&
		status 0 pawl run tasks.md --json -- ./worker.sh &&
		second=$(other_run "$first") &&
		status 0 pawl task learn snapshot "$second" &&
		status 0 pawl task learn compare --candidate lint \
			--off-state "$first" --on-state "$second" --json &&
		answer '[.candidate, .counts.off.run, .counts.on.passed]' \
			"[\"lint\",\"$first\",2]" &&
		! grep -q '"verdict"' ../out &&
		status 3 pawl task learn compare --candidate lint \
			--off-state "$first" --on-state r-none --json &&
		code record_not_found
}

t a_closed_run_is_recorded_once
t an_open_run_is_not_recorded
t candidates_become_a_draft
t bad_candidates_are_refused
t evidence_that_changed_is_told
t two_runs_of_the_same_checks_are_counted
done_testing
