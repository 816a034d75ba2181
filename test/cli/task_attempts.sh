#!/bin/sh
# The attempt's way by plumbing: dispatch, report, sync, quarantine, recover,
# abandon.
. "$(dirname "$0")/handout.sh"

a_dispatch_hands_out_and_starts_nothing() {
	coordinated && status 0 pawl task ready --json && cp ../out ../ready &&
		status 0 pawl ready --json &&
		same "$(jq .result ../ready)" "$(jq .result ../out)" &&
		status 0 pawl task dispatch A-1 B-2 --worker w-1 --json &&
		answer '[.attempts[] | .attempt, .status, .driver, .worker]' \
			'["A-1@1","started","host","w-1","B-2@1","started","host","w-1"]' &&
		answer '[.attempts[0].environment | .PAWL_RUN, .PAWL_NODE,
			.PAWL_ATTEMPT]' "[\"$run\",\"A-1\",\"A-1@1\"]" &&
		for key in workspace capsule outbox; do
			[ -e "$(jq -r ".result.attempts[0].$key" ../out)" ] || return 1
		done
	same "$(jq -c '.events[] | select(.type == "attempt_started") |
		.data.pid' "$journal" | tr '\n' ' ')" '0 0 ' &&
		same "$(jq -r '[.events[].type] | join(" ")' "$journal" |
			grep -c 'attempt_reserved.*attempt_reserved')" 1 &&
		same "$(sha256sum <"$rundir/capsules/A-1@1.json" | cut -c1-64)" \
			"$(jq -r '.events[] | select(.type == "attempt_reserved" and
				.node == "A-1") | .data.capsule_sha256' "$journal")"
}

# Several are one commit: one that may not start keeps all from it.
all_or_none() {
	coordinated && unmoved status 1 pawl task dispatch A-1 R-3 --json &&
		code task_not_ready &&
		unmoved status 1 pawl task dispatch A-1 A-1 --json &&
		code invalid_argument &&
		unmoved status 3 pawl task dispatch A-1 B-2 X --json &&
		code node_not_found && same "$(happened attempt_reserved)" 0 &&
		status 0 pawl task dispatch B-2 A-1 &&
		same "$(happened attempt_reserved)" 2
}

# C052: an id that is missing or empty is refused when it is dispatched.
empty_ids_are_refused_at_once() {
	coordinated && unmoved status 1 pawl task dispatch '' --json &&
		code invalid_id && unmoved status 1 pawl task dispatch A-1 '' --json &&
		code invalid_id && unmoved status 3 pawl task dispatch X --json &&
		code node_not_found &&
		unmoved status 1 pawl task dispatch A-1 --worker '' --json &&
		code invalid_id && status 0 pawl task dispatch A-1 &&
		for id in '' A-1 A-1@ @1; do
			result A-1@1 | status 1 pawl task report --attempt "$id" \
				--result - --outbox "$rundir/outbox/A-1@1" || return 1
		done
	unmoved status 1 pawl task abandon '' --reason r --json &&
		code invalid_id &&
		unmoved status 3 pawl task abandon A-1@2 --reason r --json &&
		code attempt_not_found
}

nobody_else_dispatches() {
	coordinated && unmoved status 9 env -u PAWL_AS "$PAWL" task dispatch A-1 \
		--json && code not_permitted && for verb in 'dispatch A-1' sync \
		'abandon A-1@1 --reason r' 'recover attempt A-1@1' \
		'quarantine A-1@1 --candidate x --key k'; do
		# shellcheck disable=SC2086
		unmoved status 9 pawl task $verb --as other --json || return 1
	done
}

# A retry under the same key goes on from what stands there.
a_dispatch_goes_on_under_its_key() {
	coordinated && status 0 pawl task dispatch A-1 B-2 --defer --key k --json &&
		answer '[.again, .attempts[].status]' \
			'[false,"reserved","reserved"]' &&
		status 0 pawl task dispatch A-1 B-2 --key k --json &&
		answer '[.again, .attempts[].status]' '[true,"started","started"]' &&
		unmoved status 0 pawl task dispatch A-1 B-2 --key k --json &&
		answer '[.again, .attempts[].status]' '[true,"started","started"]' &&
		unmoved status 4 pawl task dispatch A-1 --key k --json &&
		code key_conflict && unmoved status 1 pawl task dispatch A-1 --json &&
		code task_not_ready
}

a_reservation_is_gone_on_from() {
	coordinated && status 0 pawl task dispatch A-1 --defer &&
		unmoved status 1 pawl task dispatch A-1 --json &&
		code task_not_ready && jq -e '.error.hint |
			test("recover attempt A-1@1")' ../out &&
		status 0 pawl task recover attempt A-1@1 --json &&
		answer '[.again, .attempts[0].status]' '[false,"started"]' &&
		unmoved status 0 pawl task recover attempt A-1@1 --json &&
		answer '[.again, .attempts[0].status]' '[true,"started"]' &&
		status 0 pawl task abandon A-1@1 --reason r &&
		unmoved status 4 pawl task recover attempt A-1@1 --json &&
		code attempt_state
}

# C038: no coordinator, no state folder, no lock: the report is delivered all
# the same, is found later, and counts once.
a_report_needs_nobody() {
	coordinated && status 0 pawl task dispatch A-1 &&
		echo 'done' >"$(workspace A-1@1)/a/done" &&
		result A-1@1 a/done >../result && box=$PWD/$rundir/outbox/A-1@1 && (
		exec 9<"$rundir/lock" && flock 9 && cd / &&
			env -i PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" "$PAWL" \
				task report --result "$OLDPWD/../result"
	) >../out && same "$(cat ../out)" delivered &&
		cmp ../result "$box/report.json" &&
		status 0 pawl task report --attempt A-1@1 --outbox "$box" \
			--result ../result --json && answer .again true &&
		status 0 pawl task sync --json &&
		answer '[.reason, .attempts[0].attempt, .attempts[0].was,
			.attempts[0].status]' '["change","A-1@1","started","reported"]' &&
		cmp ../result "$rundir/results/A-1@1.json" &&
		unmoved status 0 pawl task sync --json &&
		answer '[.reason, .attempts]' '["nothing",[]]' &&
		same "$(happened attempt_reported)" 1
}

other_bytes_are_kept_beside_the_report() {
	coordinated && status 0 pawl task dispatch A-1 && works A-1@1 a/done &&
		result A-1@1 a/done other >../other &&
		status 4 pawl task report --attempt A-1@1 --result ../other \
			--outbox "$rundir/outbox/A-1@1" --json &&
		code delivery_conflict && sum=$(sha256sum <../other | cut -c1-64) &&
		cmp ../other "$rundir/outbox/A-1@1/report.json.$sum" &&
		status 0 pawl task sync --json && stood A-1@1 reported
}

what_is_no_result_is_not_delivered() {
	coordinated && status 0 pawl task dispatch A-1 &&
		box=$rundir/outbox/A-1@1 && for bad in '' '{' '{"task_id":"A-1"}' \
		"$(result A-1@2)" "$(result B-2@1)" \
		"$(result A-1@1 | jq '.extra = 1')"; do
		printf '%s' "$bad" | status 1 pawl task report --attempt A-1@1 \
			--result - --outbox "$box" --json &&
			same "$(ls -A "$box")" '' || return 1
	done
	head -c 300000 /dev/zero | tr '\0' x | status 1 pawl task report \
		--attempt A-1@1 --result - --outbox "$box" --json && code limit &&
		result B-2@1 | status 9 env PAWL_ATTEMPT=A-1@1 "$PAWL" task report \
			--attempt B-2@1 --result - --outbox "$box" --json &&
		code worker_context && same "$(ls -A "$box")" ''
}

# A result names what its attempt may change: the worker is told by its capsule,
# and what gets past that is no result.
a_result_stays_within_its_scope() {
	coordinated && status 0 pawl task dispatch A-1 &&
		box=$rundir/outbox/A-1@1 && result A-1@1 a/done b/f >../far &&
		status 1 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			PAWL_CAPSULE="$rundir/capsules/A-1@1.json" \
			"$PAWL" task report --result ../far --json &&
		code invalid_result && same "$(jq -r .error.field ../out)" \
		/files_changed/1 && same "$(ls -A "$box")" '' &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			"$PAWL" task report --result ../far &&
		status 0 pawl task sync && stood A-1@1 quarantined
}

# The scope is proven, whatever the report says.
what_lies_outside_the_scope_condemns() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		echo x >"$(workspace A-1@1)/b/f" && works A-1@1 a/done &&
		status 0 pawl task sync --json && stood A-1@1 reported &&
		same "$(jq -c '.events[] | select(.type == "scope_violated") |
			.data.paths' "$journal")" '["b/f"]' &&
		same "$(happened attempt_rejected)" 0 &&
		same "$(happened check_started)" 0
}

# What the help shows is what is taken.
the_helps_example_is_a_result() {
	coordinated && status 0 pawl help task report &&
		sed -n '/^  {/,/}$/p' ../out >../example &&
		status 0 jq -e .task_id ../example &&
		status 0 pawl task report --outbox "$PWD" --dry-run \
			--attempt API-01@1 --result ../example &&
		jq 'del(.summary)' ../example >../short &&
		status 1 pawl task report --outbox "$PWD" \
			--attempt API-01@1 --result ../short &&
		grep -q "hint: pawl help task report" ../err
}

a_malformed_result_is_set_aside_by_sync() {
	coordinated && status 0 pawl task dispatch A-1 &&
		echo work >"$(workspace A-1@1)/a/done" &&
		echo junk >"$rundir/outbox/A-1@1/report.json" &&
		status 0 pawl task sync --json && stood A-1@1 quarantined &&
		sum=$(echo junk | sha256sum | cut -c1-64) &&
		same "$(cat "$rundir/artifacts/sha256/$sum")" junk &&
		same "$(jq -r .sha256 "$rundir/artifacts/quarantine/A-1@1.json")" \
			"$sum" && [ ! -e "$rundir/outbox/A-1@1/report.json" ] &&
		same "$(happened workspace_reconciled)" 1 &&
		result A-1@1 a/done | status 4 pawl task report --attempt A-1@1 \
			--result - --outbox "$rundir/outbox/A-1@1" --json &&
		code result_closed && unmoved status 0 pawl task sync &&
		status 0 pawl task dispatch A-1 --json &&
		answer '.attempts[0].attempt' '"A-1@2"' && status 0 pawl verify
}

a_quarantine_has_its_key() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		box=$rundir/outbox/A-1@1 && q="pawl task quarantine A-1@1 --json" &&
		unmoved status 3 $q --key k --candidate "$box/report.json" &&
		code file_not_found && echo junk >"$box/report.json" &&
		echo junk >../report.json &&
		unmoved status 9 $q --key k --candidate ../report.json &&
		code foreign_path &&
		unmoved status 9 $q --key k --candidate \
			"$rundir/outbox/B-2@1/report.json" && code foreign_path &&
		unmoved status 2 $q --candidate "$box/report.json" &&
		receipt=$rundir/artifacts/quarantine/A-1@1.json &&
		mkdir "${receipt%/*}" && echo '{"key":"another"}' >"$receipt" &&
		unmoved status 4 $q --key k --candidate "$box/report.json" &&
		code key_conflict && rm "$receipt" &&
		status 0 $q --key k --candidate "$box/report.json" &&
		answer .again false && jq -e '.key == "k"' "$receipt" && [ ! -e "$box/report.json" ] &&
		unmoved status 0 $q --key k --candidate "$box/report.json" &&
		answer .again true &&
		unmoved status 4 $q --key other --candidate "$box/report.json" &&
		code result_closed && echo other >"$box/report.json" &&
		unmoved status 4 $q --key k --candidate "$box/report.json" &&
		code key_conflict
}

neither_a_link_nor_a_result_is_set_aside() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		box=$rundir/outbox/A-1@1 && echo junk >../junk &&
		ln -s "$PWD/../junk" "$box/report.json" &&
		unmoved status 9 pawl task quarantine A-1@1 --key k --candidate \
			"$box/report.json" --json && code unsafe_path &&
		works B-2@1 b/done && unmoved status 4 pawl task quarantine B-2@1 \
			--key k --json --candidate "$rundir/outbox/B-2@1/report.json" &&
		code not_malformed && [ ! -e "$rundir/results/B-2@1.json" ]
}

# What can't be read in one outbox doesn't keep the others waiting.
a_link_in_place_of_a_result_is_refused() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && works B-2@1 b/done &&
		result A-1@1 >../result &&
		ln -s "$PWD/../result" "$rundir/outbox/A-1@1/report.json" &&
		status 9 pawl task sync --json &&
		same "$(jq -r '.error.code, .result.reason' ../out | tr '\n' ' ')" \
			'unsafe_path change ' &&
		stood A-1@1 started && stood B-2@1 reported &&
		unmoved status 9 pawl task sync --json &&
		rm "$rundir/outbox/A-1@1/report.json" && status 0 pawl task sync
}

# Nor does what isn't an outbox any more; and nothing is written through it.
an_outbox_that_is_no_folder_concerns_its_attempt_alone() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && mkdir ../other &&
		result A-1@1 a/done >../other/report.json &&
		box=$rundir/outbox/A-1@1 && rmdir "$box" &&
		ln -s "$PWD/../other" "$box" && works B-2@1 b/done &&
		status 9 pawl task sync --json &&
		same "$(jq -r .error.code ../out)" unsafe_path &&
		stood A-1@1 started && stood B-2@1 reported &&
		rm "$box" && : >"$box" && unmoved status 9 pawl task sync --json &&
		same "$(jq -r .result.reason ../out)" nothing &&
		status 0 pawl task abandon A-1@1 --reason spoilt &&
		unmoved status 0 pawl task sync && rm "$box" &&
		ln -s "$PWD/../other" "$box" && unmoved status 0 pawl task sync &&
		same "$(ls -A ../other)" report.json
}

a_slot_that_was_changed_stops_everything() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && works A-1@1 a/done &&
		status 0 pawl task sync && slot=$rundir/results/A-1@1.json &&
		cp "$slot" ../slot && works B-2@1 b/done && echo >>"$slot" &&
		unmoved status 8 pawl task sync --json &&
		code result_slot_integrity && rm "$slot" &&
		unmoved status 8 pawl task sync --json &&
		code result_slot_integrity && cp ../slot "$slot" &&
		status 0 pawl task sync && stood B-2@1 reported
}

# A slot that was filled by who was killed before the record counts.
a_filled_slot_counts_before_the_outbox() {
	coordinated && status 0 pawl task dispatch A-1 && works A-1@1 a/done &&
		mkdir -p "$rundir/results" &&
		cp "$rundir/outbox/A-1@1/report.json" "$rundir/results/A-1@1.json" &&
		echo junk >"$rundir/outbox/A-1@1/report.json" &&
		status 0 pawl task sync --json && stood A-1@1 reported
}

# C033, C036, C047: what comes after the end is kept, once, and changes nothing.
a_late_result_is_kept() {
	coordinated && status 0 pawl task dispatch A-1 &&
		result A-1@1 a/done >../late &&
		status 0 pawl task abandon A-1@1 --reason 'took too long' &&
		status 4 pawl task report --attempt A-1@1 --result ../late \
			--outbox "$rundir/outbox/A-1@1" --json && code result_closed &&
		status 0 pawl task dispatch A-1 && works A-1@2 a/done &&
		status 0 pawl task sync && stood A-1@2 reported &&
		cp ../late "$rundir/outbox/A-1@1/report.json" &&
		status 0 pawl task sync --json && answer '[.reason,
			.attempts[0].attempt, .attempts[0].status]' \
			'["change","A-1@1","abandoned"]' && stood A-1@1 abandoned &&
		stood A-1@2 reported && same "$(happened result_kept)" 1 &&
		sum=$(sha256sum <../late | cut -c1-64) &&
		cmp ../late "$rundir/artifacts/sha256/$sum" &&
		unmoved status 0 pawl task sync &&
		echo twice >"$rundir/outbox/A-1@1/report.json" &&
		status 0 pawl task sync && same "$(happened result_kept)" 2 &&
		stood A-1@2 reported && status 0 pawl verify
}

what_is_given_up_leaves_a_patch() {
	coordinated && status 0 pawl task dispatch A-1 &&
		there=$(workspace A-1@1) && echo half >"$there/a/half" &&
		unmoved status 1 pawl task abandon A-1@1 --json &&
		code invalid_argument &&
		unmoved status 1 pawl task abandon A-1@1 --reason ' ' --json &&
		status 0 pawl task abandon A-1@1 --reason 'wrong way' --json &&
		answer .again false && stood A-1@1 abandoned && [ ! -e "$there" ] &&
		patch=$(jq -r '.events[] | select(.type ==
			"workspace_reconciled") | .data.patch_sha256' "$journal") &&
		grep -q '^+half' "$rundir/artifacts/sha256/$patch" &&
		unmoved status 0 pawl task abandon A-1@1 --reason 'wrong way' --json &&
		answer .again true &&
		unmoved status 4 pawl task abandon A-1@1 --reason other --json &&
		code attempt_state && same "$(pawl status --json |
			jq '[.result.cleanups[]?] | length')" 0 &&
		status 0 pawl task dispatch A-1 --json &&
		answer '.attempts[0].attempt' '"A-1@2"'
}

a_reservation_is_given_up() {
	coordinated && status 0 pawl task dispatch A-1 --defer &&
		status 0 pawl task abandon A-1@1 --reason 'not now' &&
		stood A-1@1 abandoned && same "$(happened cleanup_settled)" 1 &&
		status 0 pawl task dispatch A-1 --json &&
		answer '.attempts[0] | [.attempt, .status]' '["A-1@2","started"]'
}

waiting_ends_with_what_changed() {
	coordinated && status 0 pawl task dispatch A-1 &&
		status 0 pawl task sync --wait 1 --json && answer .reason '"timeout"' &&
		{ (sleep 0.5 && works A-1@1 a/done) >/dev/null 2>&1 & } &&
		status 0 pawl task sync --wait 30 --json && answer '[.reason,
			.attempts[0].status]' '["change","reported"]' &&
		unmoved status 0 pawl task sync --wait 30 --json &&
		answer '[.reason, .pending]' '["attention",["A-1@1"]]' &&
		status 1 pawl task sync --wait 3601 --json && code invalid_argument
}

# at_once VERB...: three calls of it side by side, each of which must say ok.
at_once() {
	for at in 1 2 3; do
		"$PAWL" task "$@" --json >../at"$at" 2>&1 &
	done
	wait
	jq -se 'length == 3 and all(.[]; .ok)' ../at1 ../at2 ../at3 ||
		{ cat ../at?; return 1; }
}

# Who comes second to an act finds it done, and takes nothing apart twice.
acts_at_once_are_one_act() {
	coordinated && status 0 pawl task dispatch A-1 B-2 && works A-1@1 a/done &&
		echo junk >"$rundir/outbox/B-2@1/report.json" &&
		echo work >"$(workspace B-2@1)/b/done" && at_once sync &&
		same "$(happened result_quarantined)" 1 &&
		patch=$(jq -r '.events[] | select(.type ==
			"workspace_reconciled") | .data.patch_sha256' "$journal") &&
		grep -q '^+work' "$rundir/artifacts/sha256/$patch" &&
		at_once check A-1 && at_once integrate A-1 &&
		at_once grade A-1 pass && same "$(happened integrated)" 1 &&
		same "$(jq -r '.events[] | select(.type == "cleanup_settled" and
			.data.reason == "removed") | .attempt' "$journal" |
			sort | tr '\n' ' ')" 'A-1@1 B-2@1 ' &&
		at_once dispatch B-2 --key k &&
		same "$(happened attempt_started)" 3
}

# What another act holds is waited for, and its holder named.
an_act_waits_for_its_turn() {
	coordinated && status 0 pawl task dispatch A-1 && (
		exec 9<"$rundir/logs/turn.lock" && flock 9 &&
			unmoved status 6 pawl task sync --json && code busy &&
			unmoved status 6 pawl task abandon A-1@1 --reason r --json
	) && code busy && status 0 pawl task abandon A-1@1 --reason r
}

# In place there is no worktree, and a reservation of an older tree is refused.
in_place_the_tree_must_be_the_one_reserved() {
	repo && mkdir a && echo 1 >a/f && printf '%s\n' '- [ ] A-1 First' \
		'  Depends: []' '  Paths: [a]' '  Mode: write' '  Isolation: auto' \
		'  Acceptance: done' '  Check: test -f a/done' >tasks.md &&
		git add . && git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --write .. --driver host -j 1 >/dev/null &&
		run=$(ls .pawl/runs) && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS &&
		status 0 pawl task dispatch A-1 --defer && echo 2 >one &&
		unmoved status 4 pawl task recover attempt A-1@1 --json &&
		code attempt_state && git checkout -q one &&
		status 0 pawl task recover attempt A-1@1 && echo 'done' >a/done &&
		reports A-1@1 a/done && status 0 pawl task sync &&
		stood A-1@1 reported && status 0 pawl task abandon A-1@1 --reason r &&
		[ ! -e a/done ] && same "$(git status --porcelain)" ''
}

# A reader beside worktrees works in the user's tree, and answers for what
# changed since it was reserved, not for what was there.
a_reader_in_place_answers_for_its_own_changes() {
	repo && mkdir a && echo 1 >a/f && printf '%s\n' '- [ ] R-1 Look' \
		'  Depends: []' '  Paths: [a]' '  Mode: read' '  Isolation: auto' \
		'  Acceptance: looked' '  Check: test -f a/f' >tasks.md &&
		sed 's/R-1/R-2/' tasks.md >more.md && cat more.md >>tasks.md && rm more.md &&
		git add . && git commit -qm list && echo mine >one &&
		pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --write .. --driver host -j 2 >/dev/null &&
		run=$(ls .pawl/runs) && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS &&
		status 0 pawl task dispatch R-1 R-2 --defer &&
		status 0 pawl task recover attempt R-1@1 && reports R-1@1 &&
		status 0 pawl task sync && same "$(happened scope_violated)" 0 &&
		echo 2 >a/f && unmoved status 4 pawl task recover attempt R-2@1 \
		--json && code attempt_state
}

a_rehearsal_writes_nothing() {
	coordinated && status 0 pawl task dispatch A-1 --defer &&
		tree .pawl >../before && for verb in 'dispatch B-2' sync \
		'abandon A-1@1 --reason r' 'recover attempt A-1@1'; do
		# shellcheck disable=SC2086
		status 0 pawl task $verb --dry-run --json || return 1
	done
	tree .pawl >../after && cmp ../before ../after &&
		status 1 pawl task dispatch R-3 --dry-run --json &&
		code task_not_ready
}

# What was done while nobody looked is taken in, once; what stands is listed.
resume_takes_in_and_lists() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		works A-1@1 a/done >/dev/null &&
		env -u PAWL_AS PAWL_ATTEMPT=B-2@1 PAWL_OUTBOX="$rundir/outbox/B-2@1" \
			"$PAWL" task ask --question 'Which name?' >/dev/null &&
		unmoved status 0 pawl task resume --dry-run --json &&
		answer .reconciled '[]' &&
		status 0 pawl task resume --json &&
		answer '[.reconciled[] | .attempt, .was, .status]' \
			'["A-1@1","started","reported"]' &&
		answer '[.questions[] | .question, .node, .prompt]' \
			'["q1","B-2","Which name?"]' &&
		answer '[.attempts[].attempt]' '["A-1@1","B-2@1"]' &&
		answer '[.cleanups[].kind] | unique' '["worktree"]' &&
		unmoved status 0 pawl task resume && grep -q 'question q1 of B-2' \
			../out && slot=$rundir/results/A-1@1.json && echo >>"$slot" &&
		unmoved status 8 pawl task resume --json &&
		code result_slot_integrity && unmoved status 8 pawl task resume \
			--dry-run --json && code result_slot_integrity
}

# One outbox that holds no file keeps nothing else from being taken in or told.
resume_tells_the_rest_beside_an_unsafe_outbox() {
	coordinated && status 0 pawl task dispatch A-1 B-2 &&
		works B-2@1 b/done >/dev/null &&
		ln -s /etc/hostname "$rundir/outbox/A-1@1/report.json" &&
		status 9 pawl task resume --json && code unsafe_path &&
		same "$(jq -c '[.result.reconciled[] | .attempt, .status]' ../out)" \
			'["B-2@1","reported"]'
}

t a_dispatch_hands_out_and_starts_nothing
t resume_takes_in_and_lists
t resume_tells_the_rest_beside_an_unsafe_outbox
t all_or_none
t empty_ids_are_refused_at_once
t nobody_else_dispatches
t a_dispatch_goes_on_under_its_key
t a_reservation_is_gone_on_from
t a_report_needs_nobody
t other_bytes_are_kept_beside_the_report
t what_is_no_result_is_not_delivered
t a_result_stays_within_its_scope
t what_lies_outside_the_scope_condemns
t the_helps_example_is_a_result
t a_malformed_result_is_set_aside_by_sync
t a_quarantine_has_its_key
t neither_a_link_nor_a_result_is_set_aside
t a_link_in_place_of_a_result_is_refused
t an_outbox_that_is_no_folder_concerns_its_attempt_alone
t a_slot_that_was_changed_stops_everything
t a_filled_slot_counts_before_the_outbox
t a_late_result_is_kept
t what_is_given_up_leaves_a_patch
t a_reservation_is_given_up
t waiting_ends_with_what_changed
t acts_at_once_are_one_act
t an_act_waits_for_its_turn
t in_place_the_tree_must_be_the_one_reserved
t a_reader_in_place_answers_for_its_own_changes
t a_rehearsal_writes_nothing
done_testing
