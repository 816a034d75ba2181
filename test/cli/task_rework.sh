#!/bin/sh
# What a named coordinator says about work that isn't right: repair, finding,
# audit-reject, decide.
. "$(dirname "$0")/handout.sh"

# done_by NODE@N FILE: dispatched, worked on, reported, taken in.
done_by() {
	status 0 pawl task dispatch "${1%@*}" && works "$1" "$2" &&
		status 0 pawl task sync
}

# failed NODE@N: what it did isn't what its check wants.
failed() {
	done_by "$1" "$2/wrong" && status 1 pawl task check "${1%@*}"
}

# passed NODE@N: it is.
passed() { done_by "$1" "$2/done" && status 0 pawl task check "${1%@*}"; }

# finding NODE [WORDS...]: one that blocks.
finding() {
	pawl task finding "$1" --class acceptance_violation \
		--summary 'the empty list is refused' --acceptance 'all lists' \
		--path a/done --reproduction './list []' --repair 'count from 0' \
		--gap 'no case is empty' --json "$2" "$3"
}

node_is() { same "$(pawl show "$1" --json | jq -r .result.detail.status)" "$2"; }

a_failed_check_is_repaired_where_it_stands() {
	coordinated && unmoved status 3 pawl task repair A-1 --hypothesis x --json &&
		code attempt_not_found && done_by A-1@1 a/wrong &&
		unmoved status 4 pawl task repair A-1 --hypothesis x --json &&
		code attempt_state && status 1 pawl task check A-1 &&
		unmoved status 2 pawl task repair A-1 --json && code usage &&
		unmoved status 1 pawl task repair A-1 --hypothesis ' ' --json &&
		code invalid_argument &&
		unmoved status 0 pawl task repair A-1 --hypothesis x --dry-run &&
		status 0 pawl task repair A-1 --hypothesis ' the  name ' --json &&
		answer '[.status, .again]' '["READY",false]' &&
		stood A-1@1 rejected &&
		unmoved status 0 pawl task repair A-1 --hypothesis 'the name' --json &&
		answer .again true &&
		unmoved status 4 pawl task repair A-1 --hypothesis other --json &&
		code attempt_state &&
		status 0 pawl task dispatch A-1 &&
		[ -e "$(workspace A-1@2)/a/wrong" ] &&
		same "$(workspace A-1@1)" "$(workspace A-1@2)" &&
		grep -q 'the name' "$rundir/capsules/A-1@2.json"
}

a_fresh_repair_begins_from_the_base() {
	coordinated && failed A-1@1 a &&
		status 0 pawl task repair A-1 --hypothesis 'the name' --fresh &&
		status 0 pawl task dispatch A-1 &&
		[ ! -e "$(workspace A-1@2)/a/wrong" ] &&
		git show "pawl/$run/A-1-1:a/wrong" &&
		works A-1@2 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && node_is A-1 PASSED &&
		same "$(git worktree list | wc -l)" 1
}

a_third_attempt_is_a_decision() {
	coordinated && failed A-1@1 a &&
		unmoved status 1 pawl task decide A-1 --action regroup --note x --json &&
		code allowance_left &&
		status 0 pawl task repair A-1 --hypothesis one && failed A-1@2 a &&
		unmoved status 1 pawl task repair A-1 --hypothesis two --json &&
		code repair_cap_reached && status 0 pawl task grade A-1 fail &&
		node_is A-1 FAILED &&
		unmoved status 1 pawl task decide A-1 --action retry --note x --json &&
		code invalid_argument &&
		status 0 pawl task decide A-1 --action amend_paths --note n --json &&
		answer '[.id, .status, .again]' '["d1","READY",false]' &&
		unmoved status 0 pawl task decide A-1 --action amend_paths --note n \
			--json && answer '[.id, .again]' '["d1",true]' &&
		failed A-1@3 a &&
		unmoved status 1 pawl task repair A-1 --hypothesis three --json &&
		code repair_cap_reached && status 0 pawl task grade A-1 fail &&
		unmoved status 1 pawl task decide A-1 --action regroup --note n --json &&
		code repair_cap_reached && status 0 pawl verify "$run"
}

a_finding_is_registered_once() {
	coordinated && passed A-1@1 a &&
		unmoved status 1 pawl task finding A-1 --class acceptance_violation \
			--summary x --json && code invalid_finding &&
		unmoved status 1 pawl task finding A-1 --summary x --json &&
		code invalid_finding && unmoved status 1 finding A-1 --id '' &&
		code invalid_id && status 0 finding A-1 --id empty-list &&
		answer '[.id, .again]' '["empty-list",false]' &&
		unmoved status 0 finding A-1 --id empty-list &&
		answer .again true && unmoved status 0 finding A-1 --key k &&
		unmoved status 4 pawl task finding A-1 --class advisory --summary x \
			--id empty-list --json && code id_taken &&
		echo '{"class":"advisory","summary":"x"}' >../f &&
		status 0 pawl task finding A-1 --file ../f --json &&
		answer .id '"f2"' &&
		unmoved status 0 pawl task finding A-1 --file - --json <../f &&
		answer '[.id, .again]' '["f2",true]'
}

# The finding stands before the pass; an audit rejects by it, and only by it.
an_audit_rejects_what_had_passed() {
	coordinated && passed A-1@1 a && status 0 finding A-1 --id f1 &&
		status 0 pawl task finding A-1 --class hardening --summary y &&
		unmoved status 3 pawl task audit-reject A-1@1 --finding f9 \
			--hypothesis x --json && code finding_not_found &&
		unmoved status 1 pawl task audit-reject A-1@1 --finding f1 \
			--finding f2 --hypothesis x --json && code finding_not_blocking &&
		status 0 pawl task audit-reject A-1@1 --finding f1 --hypothesis one &&
		node_is A-1 READY && done_by A-1@2 a/more &&
		status 0 pawl task check A-1 &&
		status 0 finding A-1 --id again && git show-ref >../refs &&
		unmoved status 1 pawl task integrate A-1 --json && code finding_open &&
		git show-ref | cmp -s - ../refs &&
		status 0 pawl task decide A-1 --action accept_check --note 'seen' &&
		status 0 pawl task integrate A-1 && status 0 finding A-1 --id late &&
		unmoved status 1 pawl task grade A-1 pass --json && code finding_open &&
		unmoved status 4 pawl task audit-reject A-1@2 --finding late \
			--hypothesis two --json && code attempt_state &&
		status 0 pawl task decide A-1 --action accept_check --note 'again' &&
		status 0 pawl task grade A-1 pass && node_is A-1 PASSED
}

an_audit_of_the_last_attempt_fails_the_task() {
	coordinated && failed A-1@1 a &&
		status 0 pawl task repair A-1 --hypothesis one &&
		passed A-1@2 a && status 0 finding A-1 --id f1 &&
		status 0 pawl task audit-reject A-1@2 --finding f1 --hypothesis two &&
		node_is A-1 FAILED && git show "pawl/$run/A-1-1:a/done" &&
		same "$(git worktree list | wc -l)" 1 && status 0 pawl verify "$run"
}

# What was found stands when the autopilot goes on: it rejects and repairs.
the_autopilot_heeds_a_finding() {
	coordinated && passed A-1@1 a && status 0 finding A-1 --id f1 &&
		status 0 pawl task transfer "$run" && unset PAWL_AS &&
		printf '%s\n' '#!/bin/sh' 'd=$(echo "$PAWL_NODE" | cut -c1 | tr AB ab)' \
			'[ "$d" = R ] || echo x >>$d/done' >../worker &&
		chmod +x ../worker &&
		status 0 pawl run "$run" -- "$(cd .. && pwd)/worker" &&
		pawl log "$run" >../log && grep -q 'rejected: audit for f1' ../log &&
		grep -q 'auto: finding f1' ../log && node_is A-1 PASSED
}

# C013: the contract of a task at work stays; then the next attempt is bound to
# the new one, in its capsule, its scope and its check.
a_contract_is_amended_between_attempts() {
	coordinated && status 0 pawl task dispatch A-1 &&
		unmoved status 4 pawl task amend A-1 --path c --reason r --json &&
		code attempt_state && works A-1@1 a/wrong &&
		status 0 pawl task sync && status 1 pawl task check A-1 &&
		status 0 pawl task repair A-1 --hypothesis one &&
		unmoved status 1 pawl task amend A-1 --path ../x --reason r --json &&
		code invalid_path &&
		unmoved status 1 pawl task amend A-1 --reason r --json &&
		code invalid_argument &&
		status 0 pawl task amend A-1 --path a --path c --reason r \
			--check 'test -f c/done' --acceptance 'c is done' --json &&
		answer '[.revision, .again]' '[2,false]' &&
		unmoved status 0 pawl task amend A-1 --path a --path c --reason r \
			--json && answer '[.revision, .again]' '[2,true]' &&
		status 0 pawl task dispatch A-1 &&
		grep -q '"revision":2' "$rundir/capsules/A-1@2.json" &&
		mkdir "$(workspace A-1@2)/c" && works A-1@2 c/done &&
		status 0 pawl task sync && status 0 pawl task check A-1 &&
		status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && node_is A-1 PASSED &&
		status 0 pawl verify "$run"
}

# C013: the scope of one attempt, until it starts; its capsule, its proof and
# the repair of its work go by it, and the contract stays.
# Where letter case is folded: here the repository's own file has two names.
amended_paths_are_spelled_as_all_others_are() {
	repo() {
		git init -q -b main --separate-git-dir ../git . && ln .git .GIT &&
			echo .GIT >>../git/info/exclude && echo one >one &&
			git add one && git commit -q -m one
	}
	coordinated && unmoved status 1 pawl task amend A-1 --path B/x --reason r \
		--json && code invalid_path && grep -q "'B' of 'A-1' and 'b'" ../out &&
		status 0 pawl task amend A-1 --path A --reason r &&
		status 0 pawl task dispatch A-1 --defer &&
		unmoved status 1 pawl task amend A-1@1 --path c --path B --reason r \
			--json && code invalid_path && rm .GIT &&
		status 0 pawl task amend A-1@1 --path c --path B --reason r
}

a_scope_is_amended_before_the_start() {
	coordinated && mkdir c && status 0 pawl task dispatch A-1 B-2 --defer &&
		unmoved status 1 pawl task amend A-1@1 --path b/x --reason r --json &&
		code scope_overlap &&
		unmoved status 2 pawl task amend A-1@1 --reason r --json && code usage &&
		unmoved status 2 pawl task amend A-1@1 --path c --check x --reason r \
			--json && code usage &&
		unmoved status 3 pawl task amend A-1@2 --path c --reason r --json &&
		code attempt_not_found &&
		unmoved status 0 pawl task amend A-1@1 --path c --reason r --dry-run &&
		status 0 pawl task amend A-1@1 --path a --path ./c --reason r --json &&
		answer '[.attempt, .again]' '["A-1@1",false]' &&
		unmoved status 0 pawl task amend A-1@1 --path a --path c --reason r \
			--json && answer .again true &&
		status 0 pawl task recover attempt A-1@1 &&
		same "$(jq -c '[.scope, .contract.paths, .contract.revision]' \
			"$rundir/capsules/A-1@1.json")" '[["a","c"],["a"],null]' &&
		unmoved status 4 pawl task amend A-1@1 --path d --reason r --json &&
		code scope_frozen && mkdir "$(workspace A-1@1)/c" &&
		works A-1@1 c/wrong && status 0 pawl task sync &&
		status 1 pawl task check A-1 &&
		status 0 pawl task repair A-1 --hypothesis one &&
		status 0 pawl task dispatch A-1 &&
		same "$(jq -c .scope "$rundir/capsules/A-1@2.json")" '["a","c"]' &&
		works A-1@2 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && node_is A-1 PASSED &&
		status 0 pawl task abandon B-2@1 --reason r &&
		status 0 pawl task complete --outcome partial &&
		status 0 pawl verify "$run" &&
		pawl log "$run" >../log &&
		grep -q 'scope of A-1@1 was amended to a, c: r' ../log
}

hardening_is_carried_to_the_end() {
	coordinated && passed A-1@1 a && status 0 pawl task integrate A-1 &&
		status 0 pawl task finding A-1 --class hardening --summary y &&
		status 0 pawl task grade A-1 pass && passed B-2@1 b &&
		status 0 pawl task integrate B-2 && status 0 pawl task grade B-2 pass &&
		status 0 pawl task dispatch R-3 && reports R-3@1 &&
		status 0 pawl task sync && status 0 pawl task check R-3 &&
		status 0 pawl task grade R-3 pass && pawl next "$run" >../next &&
		grep -q 'task complete' ../next &&
		unmoved status 1 pawl task complete --outcome pass --json &&
		code carry_forward_findings &&
		status 0 pawl task complete --outcome partial
}

# A retry may come late: the key answers for what it did, and for that alone.
a_key_answers_whatever_came_after() {
	# shellcheck disable=SC2086 # words
	coordinated && failed A-1@1 a && repair='pawl task repair A-1 --json' &&
		status 0 $repair --hypothesis one --key k1 && failed A-1@2 a &&
		unmoved status 0 $repair --hypothesis one --key k1 &&
		answer .again true &&
		unmoved status 4 $repair --hypothesis two --key k1 &&
		code key_conflict && amend='pawl task amend B-2 --json --reason r' &&
		status 0 $amend --acceptance x --key k2 &&
		status 0 $amend --acceptance y --key k3 &&
		unmoved status 0 $amend --acceptance x --key k2 &&
		answer '[.revision, .again]' '[2,true]' &&
		decide='pawl task decide A-1 --json --note n' &&
		status 0 $decide --action regroup --key k4 &&
		status 0 $repair --hypothesis two && failed A-1@3 a &&
		status 0 $decide --action block --key k5 &&
		unmoved status 0 $decide --action regroup --key k4 &&
		answer '[.id, .again]' '["d1",true]' &&
		unmoved status 4 $decide --action block --key k4 &&
		code key_conflict
}

for case in a_failed_check_is_repaired_where_it_stands \
	a_fresh_repair_begins_from_the_base a_third_attempt_is_a_decision \
	a_finding_is_registered_once an_audit_rejects_what_had_passed \
	an_audit_of_the_last_attempt_fails_the_task \
	the_autopilot_heeds_a_finding \
	a_contract_is_amended_between_attempts \
	amended_paths_are_spelled_as_all_others_are \
	a_scope_is_amended_before_the_start hardening_is_carried_to_the_end \
	a_key_answers_whatever_came_after; do
	t $case
done
done_testing
