#!/bin/sh
# Who may coordinate a run: start, claim, transfer, takeover, resume.  C032, C033,
# C036, C051, C092, C124.
. "$(dirname "$0")/lib.sh"

. "$(dirname "$0")/task_lib.sh"

lines() { wc -l <"$dir/events.jsonl"; }
events() { jq -r '.events[].type' "$dir/events.jsonl"; }

# The capsule is what the journal names by digest, and no transcript.
start_makes_a_run_that_waits() {
	begin && same "$(events)" run_started &&
		same "$(sha256sum <"$capsule" | cut -d' ' -f1)" \
			"$(jq -r .result.capsule.sha256 ../out)" &&
		same "$(jq -r '.events[0].data.capsule_sha256' "$dir/events.jsonl")" \
			"$(jq -r .result.capsule.sha256 ../out)" &&
		same "$(jq -r '.events[0].data | "\(.pid) \(.driver)"' \
			"$dir/events.jsonl")" '0 auto' &&
		same "$(jq -r '[.kind, .run, .generation, .for, .tasks] | tostring' \
			"$capsule")" "[\"coordinator\",\"$run\",1,null,2]" &&
		same "$(stat -c %a "$capsule")" 600 &&
		refuses 9 not_permitted pawl task transfer "$run" --as c1 &&
		jq -r .error.hint ../out | grep -q "^pawl.* task claim $run --as c1"
}

# The claim command that start printed is one that works, from anywhere.
the_printed_claim_works() {
	begin && claim=$(jq -r .result.claim ../out) && cd / &&
		status 0 sh -c "pawl() { '$PAWL' \"\$@\"; }; $(echo "$claim" |
			sed 's/ ID$/ lead/')"
}

start_of_a_bad_list_makes_nothing() {
	repo && list A | sed 's/Check.*/Check: TODO/' >tasks.md &&
		tree "$HOME" >../before && status 1 pawl task start tasks.md &&
		status 0 pawl task start --help && list A >tasks.md &&
		status 0 pawl task start tasks.md --dry-run &&
		status 2 pawl task start tasks.md --driver orca &&
		status 2 pawl task start tasks.md --driver process &&
		echo '{}' >d.json && status 1 pawl task start tasks.md --decision d.json &&
		tree "$HOME" >../after && cmp ../before ../after
}

# A decision that was written says what the list says, and is what is frozen.
# Told before anything is made, and only to runs that make branches.
a_branch_in_the_way_is_told_at_the_start() {
	repo && list A >tasks.md && git add . && git commit -q -m list &&
		git branch pawl && git pack-refs --all &&
		refuses 4 ref_moved pawl task start tasks.md -j2 &&
		jq -e '.error.hint == "git branch -m pawl OTHER"' ../out &&
		status 0 pawl task start tasks.md -j1 &&
		git branch -q -m pawl other && status 0 pawl task start tasks.md -j2
}

start_freezes_a_decision() {
	repo && list A B >tasks.md && git add . && git commit -q -m list &&
		status 0 pawl plan tasks.md --decision && cp ../out ../d.json &&
		status 0 pawl task start tasks.md --decision ../d.json --json && run_of &&
		cmp ../d.json "$dir/plan/process-decision.json" &&
		jq -c '.packets[0].id = "Z"' ../d.json >../bad.json &&
		refuses 4 decision_drift pawl task start tasks.md --decision ../bad.json
}

claim_is_by_name_and_token() {
	claimed && same "$(events | tail -3 | tr '\n' ' ')" \
		'coordinator_claimed driver_selection_reserved driver_selected ' &&
		same "$(lines)" 3 &&
		same "$(stat -c '%a %h' "$(token c1)")" '600 1' &&
		same "$(stat -c %a "$(dirname "$(token c1)")")" 700 &&
		same "$(tr -d '\n' <"$(token c1)" | sha256sum | cut -d' ' -f1)" \
			"$(jq -r 'select(.seq == 2) | .events[0].data.token_sha256' \
				"$dir/events.jsonl")" &&
		status 0 pawl verify "$run"
}

claim_again_is_the_same_answer() {
	claimed && tree "$HOME" >../before &&
		status 0 pawl task claim "$run" --as c1 --json && answer .again true &&
		tree "$HOME" >../after && cmp ../before ../after
}

a_second_claimer_is_refused() {
	claimed && refuses 4 already_claimed pawl task claim "$run" --as c2 &&
		jq -r .error.hint ../out | grep -q "pawl.* task takeover $run --as c2" &&
		refuses 9 not_permitted pawl task claim "$run" &&
		PAWL_AS=c1 status 0 pawl task claim "$run"
}

# The capsule's bytes are compared before anybody claims by them.
claim_by_another_capsule_is_refused() {
	begin && echo ' ' >>"$capsule" &&
		refuses 8 digest_mismatch pawl task claim "$run" --as c1 &&
		status 8 pawl verify "$run" && rm "$capsule" &&
		refuses 8 digest_mismatch pawl task claim "$run" --as c1
}

# A crash between the token and the commit: the same token is used.
claim_goes_on_from_a_token() {
	claimed && cp "$(token c1)" ../token && head -1 "$dir/events.jsonl" >../one &&
		cp ../one "$dir/events.jsonl" && rm -f "$dir/state.json" &&
		PAWL_SEED=77 status 0 pawl task claim "$run" --as c1 --json &&
		answer .again false && cmp ../token "$(token c1)"
}

# A crash between reservation and selection: the same selection goes on.
a_torn_selection_is_recovered() {
	claimed && cp "$dir/events.jsonl" ../whole &&
		head -2 ../whole >"$dir/events.jsonl" && rm -f "$dir/state.json" &&
		status 0 pawl task resume "$run" --as c1 --json &&
		answer .selection '"driver-1"' &&
		status 0 pawl task recover driver "$run" --as c1 --json &&
		answer '[.driver, .again]' '["host",false]' &&
		same "$(jq -c '.events' "$dir/events.jsonl" | tail -1)" \
			"$(jq -c .events ../whole | tail -1)" &&
		tree "$HOME" >../before &&
		status 0 pawl recover-driver-selection "$run" --as c1 --json &&
		answer '[.driver, .again]' '["host",true]' &&
		tree "$HOME" >../after && cmp ../before ../after &&
		head -2 ../whole >"$dir/events.jsonl" && rm -f "$dir/state.json" &&
		status 0 pawl task claim "$run" --as c1 --json &&
		answer '[.driver, .again]' '["host",true]'
}

the_receipt_names_nine_capabilities() {
	claimed && jq -r '.events[] | select(.type == "driver_selected") |
		.data.receipt_sha256' "$dir/events.jsonl" >../digest &&
		receipt=$dir/artifacts/sha256/$(cat ../digest) &&
		same "$(jq '.capabilities | length' "$receipt")" 9 &&
		same "$(jq -c '[.capabilities[] | select((.status == "supported") !=
			has("verification") or (.status == "supported") == has("reason"))]' \
			"$receipt")" '[]' && rm "$receipt" && status 8 pawl verify "$run"
}

the_process_driver_needs_a_command() {
	repo && list A >tasks.md && git add . && git commit -q -m list &&
		status 0 pawl task start tasks.md --json -- true && run_of &&
		status 0 pawl task claim "$run" --as c1 --json && answer .driver '"process"'
}

transfer_hands_over_to_one_alone() {
	claimed && refuses 1 invalid_id pawl task transfer "$run" --as c1 --to '' &&
		status 0 pawl task transfer "$run" --as c1 --to c2 --json &&
		answer .generation 2 && run_of &&
		same "${capsule##*/}" coordinator-2.json &&
		refuses 4 stale_coordinator pawl task transfer "$run" --as c1 &&
		refuses 9 not_permitted pawl task claim "$run" --as c1 &&
		refuses 6 run_held pawl task takeover "$run" --as c3 &&
		status 0 pawl task claim "$run" --as c2 --json && answer .generation 2 &&
		refuses 4 stale_coordinator pawl task transfer "$run" --as c1 &&
		status 0 pawl task transfer "$run" --as c2 &&
		status 0 pawl task claim "$run" --as c1 && status 0 pawl verify "$run"
}

# What was answered and lost is answered again by its key, and done once.
a_key_does_each_once() {
	begin && status 0 pawl task claim "$run" --as c1 --key k1 &&
		tree "$HOME" >../before &&
		status 0 pawl task claim "$run" --as c1 --key k1 --json &&
		answer .again true && tree "$HOME" >../after && cmp ../before ../after &&
		refuses 4 key_conflict pawl task transfer "$run" --as c1 --key k1 &&
		status 0 pawl task transfer "$run" --as c1 --key k2 --json &&
		answer '[.again, .generation]' '[false,2]' && tree "$HOME" >../before &&
		status 0 pawl task transfer "$run" --as c1 --key k2 --json &&
		answer '[.again, .generation]' '[true,2]' &&
		tree "$HOME" >../after && cmp ../before ../after &&
		refuses 4 stale_coordinator pawl task transfer "$run" --as c1 --key k3 &&
		status 0 pawl task takeover "$run" --as c2 --key k4 --json &&
		answer '[.again, .generation]' '[false,3]' && tree "$HOME" >../before &&
		status 0 pawl task takeover "$run" --as c2 --key k4 --json &&
		answer '[.again, .generation]' '[true,3]' &&
		tree "$HOME" >../after && cmp ../before ../after
}

# Who is refused doesn't even set a torn tail aside.
a_refusal_leaves_a_torn_tail() {
	claimed && printf '{"v":1,"seq":4' >>"$dir/events.jsonl" &&
		refuses 4 already_claimed pawl task claim "$run" --as c2 &&
		refuses 6 run_held pawl task takeover "$run" --as c2 &&
		refuses 9 not_permitted pawl task transfer "$run" --as c2 &&
		refuses 9 not_permitted pawl task resume "$run" --as c2 &&
		status 0 pawl task transfer "$run" --as c1 &&
		same "$(events | tail -2 | tr '\n' ' ')" \
			'coordinator_transferred journal_repaired ' &&
		status 0 pawl verify "$run"
}

# Truth that is damaged isn't taken over by name.
takeover_reads_everything() {
	claimed && echo ' ' >>"$dir/plan/process-decision.json" &&
		refuses 8 digest_mismatch pawl task takeover "$run" --as c2 --force \
			--reason test
}

# A name without a process is never proven dead.
takeover_of_a_name_needs_force() {
	claimed && refuses 6 run_held pawl task takeover "$run" --as c2 &&
		refuses 1 reason_needed pawl task takeover "$run" --as c2 --force &&
		refuses 1 reason_needed pawl task takeover "$run" --as c2 --force \
			--reason ' ' &&
		status 0 pawl task takeover "$run" --as c2 --force --reason 'c1 is silent' &&
		refuses 4 stale_coordinator pawl task transfer "$run" --as c1 &&
		same "$(jq -r 'select(.gen == 2) | .events[0].data |
			"\(.forced) \(.reason)"' "$dir/events.jsonl")" 'true c1 is silent' &&
		status 0 pawl verify "$run"
}

# C033, C036: a process that it named is gone, so nobody has to be forced.
takeover_of_a_dead_process() {
	sleep 30 &
	pid=$!
	begin && status 0 pawl task claim "$run" --as c1 --owner-pid "$pid" &&
		refuses 6 run_held pawl task takeover "$run" --as c2 &&
		kill "$pid" && { wait "$pid" || :; } &&
		status 0 pawl task takeover "$run" --as c2 &&
		refuses 4 stale_coordinator pawl task resume "$run" --as c1
}

an_owner_that_is_no_process_is_refused() {
	begin && refuses 1 invalid_argument pawl task claim "$run" --as c1 \
		--owner-pid 4194304
}

# A vacant run is free to whoever wants it; its capsule claims nothing then.
takeover_of_a_vacant_run() {
	begin && status 0 pawl task takeover "$run" --as c2 --json &&
		answer '[.generation, .driver]' '[2,"host"]' &&
		refuses 4 already_claimed pawl task claim "$run" --as c1
}

# holds FILE [stop]: a process that has locked FILE, as $holder; stopped, or it
# sleeps.
holds() {
	rm -f ../held && python3 -c 'import fcntl, os, signal, sys, time
fcntl.flock(os.open(sys.argv[1], os.O_RDWR | os.O_CREAT), fcntl.LOCK_EX)
open("../held", "w").close()
if len(sys.argv) > 2: os.kill(os.getpid(), signal.SIGSTOP)
time.sleep(60)' "$@" &
	holder=$!
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -e ../held ] && return
		sleep 0.2
	done
	return 1
}
# killed: it was; or it is now.
killed() { { wait "$holder" || [ $? = 137 ]; } }
unheld() {
	kill -KILL "$holder" 2>/dev/null
	return "$1"
}

# A stopped process that holds the lock is named, and killed by force alone.
force_kills_exactly_the_holder() {
	claimed && holds "$dir/lock" stop || return 1
	refuses 6 busy pawl task transfer "$run" --as c1 &&
		jq -r .error.message ../out | grep -q "process $holder " &&
		kill -0 "$holder" && status 0 pawl task takeover "$run" --as c2 --force \
			--reason 'it is stopped' &&
		grep -q "process $holder held a lock of the run's and was killed" ../err &&
		killed
	unheld $?
}

# The same of one that holds the turn of the verbs, by who coordinates already.
force_kills_a_stopped_holder_of_the_turn() {
	claimed && status 0 pawl task sync "$run" --as c1 &&
		holds "$dir/logs/turn.lock" stop || return 1
	refuses 6 busy pawl task sync "$run" --as c1 &&
		jq -r .error.message ../out | grep -q "process $holder " &&
		jq -r .error.hint ../out | grep -q "^pawl task takeover $run --as" &&
		cp "$dir/events.jsonl" ../before &&
		status 0 pawl task takeover "$run" --as c1 --force --reason stopped \
			--json && answer '[.generation, .again]' '[1,true]' &&
		grep -q "process $holder held" ../err && killed &&
		cmp ../before "$dir/events.jsonl" &&
		status 0 pawl task sync "$run" --as c1
	unheld $?
}

# One that works is waited for, or fenced, and never killed.
force_leaves_a_holder_that_works() {
	claimed && holds "$dir/logs/turn.lock" || return 1
	status 0 pawl task takeover "$run" --as c2 --force --reason r &&
		! grep -q killed ../err && kill -0 "$holder"
	unheld $?
}

# Repeated by who coordinates already, it ends no generation.
takeover_of_what_is_taken_changes_nothing() {
	claimed && status 0 pawl task takeover "$run" --as c2 --force --reason r &&
		tree "$HOME" >../before && for force in '' '--force --reason r' \
		'--force --reason other --dry-run'; do
		# shellcheck disable=SC2086
		status 0 pawl task takeover "$run" --as c2 $force --json &&
			answer '[.coordinator, .generation, .again]' '["c2",2,true]' ||
			return 1
	done && tree "$HOME" >../after && cmp ../before ../after &&
		refuses 1 reason_needed pawl task takeover "$run" --as c2 --force &&
		rm "$(token c2)" && status 0 pawl task takeover "$run" --as c2 \
			--force --reason 'the token is lost' --json &&
		answer '[.generation, .again]' '[3,false]'
}

# `pawl run` neither takes a named run over by itself nor ends one by force
# without a reason.
run_of_a_named_run_is_refused() {
	claimed && refuses 6 run_held pawl run "$run" -- true &&
		jq -r .error.hint ../out | grep -q "task transfer" &&
		refuses 6 run_held pawl run "$run" &&
		refuses 1 reason_needed pawl run "$run" --force -- true &&
		printf '#!/bin/sh\ntouch "$PAWL_NODE"\n' >../w.sh && chmod +x ../w.sh &&
		status 0 pawl run "$run" --force --reason 'by hand' -- ../w.sh &&
		refuses 4 stale_coordinator pawl task transfer "$run" --as c1 &&
		status 0 pawl verify "$run"
}

run_of_a_vacant_run_needs_a_worker() {
	begin && status 2 pawl run "$run" &&
		printf '#!/bin/sh\ntouch "$PAWL_NODE"\n' >../w.sh && chmod +x ../w.sh &&
		status 0 pawl run "$run" -- ../w.sh && status 0 pawl verify "$run"
}

# C051: what is other than recorded is recorded with the resume, once.
resume_records_what_is_new_once() {
	sleep 30 &
	pid=$!
	claimed && tree "$HOME" >../before &&
		status 0 pawl task resume "$run" --as c1 --json &&
		answer .recorded false && tree "$HOME" >../after &&
		cmp ../before ../after &&
		status 0 pawl task resume "$run" --as c1 --owner-pid "$pid" --json &&
		answer .recorded true &&
		same "$(jq -r '.events[] | select(.type == "coordinator_resumed") |
			.data.pid' "$dir/events.jsonl")" "$pid" &&
		status 0 pawl task resume "$run" --as c1 --owner-pid "$pid" --json &&
		answer .recorded false &&
		refuses 6 run_held pawl task takeover "$run" --as c2 &&
		kill "$pid" && { wait "$pid" || :; } &&
		status 0 pawl task takeover "$run" --as c2
}

resume_sets_a_torn_tail_aside() {
	claimed && printf '{"v":1,"seq":4' >>"$dir/events.jsonl" &&
		status 0 pawl task resume "$run" --as c1 --dry-run --json &&
		answer .recorded true && status 0 pawl task resume "$run" --as c1 --json &&
		answer '[.recorded, .repaired_bytes]' '[true,14]' &&
		same "$(events | tail -2 | tr '\n' ' ')" \
			'coordinator_resumed journal_repaired ' &&
		status 0 pawl verify "$run" &&
		status 0 pawl task resume "$run" --as c1 --json && answer .recorded false
}

resume_mends_a_projection_that_drifted() {
	claimed && status 0 pawl verify "$run" --repair &&
		status 0 pawl task resume "$run" --as c1 --json &&
		answer .projection_renewed false
}

# Truth that is damaged isn't gone on from.
resume_refuses_what_was_changed() {
	claimed && cp "$dir/plan/process-decision.json" ../d &&
		echo ' ' >>"$dir/plan/process-decision.json" &&
		refuses 8 digest_mismatch pawl task resume "$run" --as c1 &&
		cp ../d "$dir/plan/process-decision.json" &&
		status 0 pawl task resume "$run" --as c1 &&
		sed -i 's/coordinator_claimed/coordinator_clAimed/' "$dir/events.jsonl" &&
		refuses 8 corrupt pawl task resume "$run" --as c1
}

# another FILE: a pawl that was linked from something else, as far as it knows.
another() {
	objcopy --dump-section .note.gnu.build-id=../note "$PAWL" "$1" &&
		printf 'another program than it' | dd of=../note bs=1 seek=16 \
		count=20 conv=notrunc 2>../err && objcopy --update-section \
		.note.gnu.build-id=../note "$1"
}

# C032, C124: another program than the recorded one acts only after a resume.
another_binary_resumes_first() {
	claimed && another ../pawl2 && refuses 4 other_binary ../pawl2 task transfer "$run" --as c1 &&
		jq -r .error.message ../out | grep -q 'pawl .0.*binary .*another, pawl 0' &&
		status 0 ../pawl2 task resume "$run" --as c1 --json &&
		answer .recorded true &&
		refuses 4 other_binary pawl task transfer "$run" --as c1 &&
		status 0 ../pawl2 task transfer "$run" --as c1
}

# C092: what has no token isn't the coordinator, whatever it can write.
a_forged_line_breaks_verification() {
	claimed && seq=$(lines) && sed "s/\"seq\":$seq,/\"seq\":$((seq + 1)),/" \
		"$dir/events.jsonl" | tail -1 >../forged &&
		cat ../forged >>"$dir/events.jsonl" && status 8 pawl verify "$run" &&
		refuses 8 corrupt pawl task transfer "$run" --as c1
}

for name in start_makes_a_run_that_waits the_printed_claim_works \
	start_of_a_bad_list_makes_nothing \
	a_branch_in_the_way_is_told_at_the_start start_freezes_a_decision \
	claim_is_by_name_and_token claim_again_is_the_same_answer \
	a_second_claimer_is_refused claim_by_another_capsule_is_refused \
	claim_goes_on_from_a_token a_torn_selection_is_recovered \
	the_receipt_names_nine_capabilities the_process_driver_needs_a_command \
	a_key_does_each_once takeover_reads_everything \
	a_refusal_leaves_a_torn_tail \
	transfer_hands_over_to_one_alone takeover_of_a_name_needs_force \
	takeover_of_a_dead_process an_owner_that_is_no_process_is_refused \
	takeover_of_a_vacant_run force_kills_exactly_the_holder \
	force_kills_a_stopped_holder_of_the_turn \
	force_leaves_a_holder_that_works \
	takeover_of_what_is_taken_changes_nothing \
	run_of_a_named_run_is_refused run_of_a_vacant_run_needs_a_worker \
	resume_records_what_is_new_once resume_sets_a_torn_tail_aside \
	resume_mends_a_projection_that_drifted resume_refuses_what_was_changed \
	another_binary_resumes_first a_forged_line_breaks_verification; do
	t "$name"
done
done_testing
