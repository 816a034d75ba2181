#!/bin/sh
# What only a human may decide, and how a run waits for it.
. "$(dirname "$0")/lib.sh"

# waiting: a run of which `deploy` waits for an approval.
waiting() {
	begin && writes a && writes deploy a 'Approval: required' &&
		writes last deploy && run 5 &&
		stands NEEDS_APPROVAL a=PASSED deploy=NEEDS_APPROVAL \
			last=PENDING
}

# code_of CODE STATUS CMD...: it refuses so, and appends nothing.
refuses() {
	word=$1 want=$2
	shift 2
	before=$(sha256sum <"$(rundir)/events.jsonl")
	status "$want" "$@" --json && code "$word" &&
		same "$(sha256sum <"$(rundir)/events.jsonl")" "$before"
}

# C098: who and how is said.
a_run_that_waits_for_a_human_exits_5_and_says_how() {
	waiting && grep -q "pawl approve $(rid)/deploy!1" ../err &&
		pawl explain deploy >../why && cat ../why &&
		grep -q "pawl approve $(rid)/deploy!1" ../why &&
		status 5 pawl run "$(rid)"
}

an_approval_lets_it_go_on() {
	waiting && status 0 pawl approve "$(rid)/deploy!1" --reason "looks good" &&
		cat ../out && status 0 pawl run "$(rid)" && stands COMPLETE &&
		same "$(events 'select(.type == "gate_decided") |
			[.data.decision, .data.reason] | join(" ")')" \
			"granted looks good"
}

# C098, C095
a_denial_blocks_until_a_human_unblocks_it() {
	waiting && status 0 pawl deny "$(rid)/deploy!1" --reason no &&
		stands BLOCKED deploy=BLOCKED last=PENDING &&
		status 1 pawl run "$(rid)" &&
		grep -q "pawl unblock $(rid)/deploy" ../err &&
		status 0 pawl unblock "$(rid)/deploy" --reason "talked it over" &&
		stands NEEDS_APPROVAL deploy=NEEDS_APPROVAL &&
		refuses gate_decided 4 pawl approve "$(rid)/deploy!1" &&
		status 0 pawl approve "$(rid)/deploy!2" &&
		status 0 pawl run "$(rid)" && stands COMPLETE
}

# C094
an_answer_that_nobody_waits_for_is_refused() {
	waiting && refuses gate_not_found 3 pawl approve "$(rid)/deploy!7" &&
		refuses gate_not_found 3 pawl approve "$(rid)/nobody" &&
		refuses gate_not_found 3 pawl approve "$(rid)/a" &&
		refuses run_not_found 3 pawl approve "r-20000101-aaaaaa/deploy!1" &&
		refuses run_not_found 3 pawl approve "r-2023/deploy!1" &&
		refuses node_not_found 3 pawl unblock "$(rid)/nobody" --reason x &&
		refuses attempt_state 4 pawl unblock "$(rid)/a" --reason x
}

# C094
a_decided_gate_stays_decided() {
	waiting && status 0 pawl approve "$(rid)/deploy!1" &&
		refuses gate_decided 4 pawl approve "$(rid)/deploy!1" &&
		refuses gate_decided 4 pawl deny "$(rid)/deploy!1" &&
		stands RUNNING deploy=READY
}

an_unblocking_wants_a_reason() {
	waiting && status 0 pawl deny "$(rid)/deploy!1" &&
		refuses invalid_argument 1 pawl unblock "$(rid)/deploy" &&
		refuses invalid_argument 1 pawl unblock "$(rid)/deploy" \
			--reason '  '
}

# Law 2, C062: no worker decides, whatever it calls.
a_decision_inside_a_worker_is_refused() {
	waiting && rm ../does/* && does deploy <<-'END' &&
		echo deploy >deploy.txt
		"$PROGRAM" approve "$PAWL_RUN/other!1" --json \
			>"$does/answer" || echo $? >>"$does/answer"
	END
		for verb in approve deny unblock; do
			PAWL_ATTEMPT=deploy@1 refuses worker_context 9 \
				pawl $verb "$(rid)/deploy!1" --reason x ||
				return 1
		done && status 0 pawl approve "$(rid)/deploy!1" &&
		PROGRAM=$PAWL && export PROGRAM &&
		status 0 pawl run "$(rid)" &&
		grep -q worker_context ../does/answer &&
		grep -qx 9 ../does/answer
}

# The one that waits notices what another process appended.
waiting_notices_an_approval() {
	begin && writes a && writes deploy a 'Approval: required' &&
		writes last deploy || return 1
	"$PAWL" run ../tasks.md --write .. --wait -- ../worker >../first 2>&1 &
	pid=$!
	until_true grep -q gate_opened "$XDG_STATE_HOME"/pawl/*/runs/*/events.jsonl ||
		until_true sh -c 'grep -q gate_opened \
			"$XDG_STATE_HOME"/pawl/*/runs/*/events.jsonl' &&
		sleep 0.3 && kill -0 $pid &&
		status 0 pawl approve "$(rid)/deploy!1" && wait $pid &&
		stands COMPLETE last=PASSED &&
		same "$(happened coordinator_taken_over)" 0
}

# ... and while it works on something else.
a_working_run_notices_an_approval() {
	begin && writes deploy '' 'Approval: required' && writes a &&
		echo 'until [ -f "$does/go" ]; do sleep 0.1; done; echo a >a.txt' |
		does a || return 1
	"$PAWL" run ../tasks.md --write .. -- ../worker >../first 2>&1 &
	pid=$!
	until_true test -f ../does/a@1.prompt &&
		status 0 pawl approve "$(rid)/deploy!1" &&
		until_true test -f ../does/deploy@1.prompt && touch ../does/go &&
		wait $pid && stands COMPLETE deploy=PASSED a=PASSED
}

# C095: a gate as the last node of each of two branches.
an_open_gate_is_never_complete() {
	begin && writes a && writes b && writes x a 'Approval: required' &&
		writes y b 'Approval: required' && run 5 &&
		status 0 pawl approve "$(rid)/x!1" && status 5 pawl run "$(rid)" &&
		stands NEEDS_APPROVAL x=PASSED y=NEEDS_APPROVAL &&
		status 0 pawl approve "$(rid)/y!1" &&
		status 0 pawl run "$(rid)" && stands COMPLETE
}

# An access beyond the repository wants an approval without being told.
external_access_wants_an_approval() {
	begin && writes a '' 'Access: external-write' &&
		writes b '' 'Access: destructive' && run 5 &&
		same "$(happened attempt_reserved)" 0 &&
		status 0 pawl approve "$(rid)/a!1" &&
		status 0 pawl approve "$(rid)/b!1" && status 0 pawl run "$(rid)" &&
		stands COMPLETE
}

# C003: "ok" comes after the record is durable; the same key, the same answer.
a_repeated_request_with_its_key_is_done_once() {
	waiting && status 0 pawl approve "$(rid)/deploy!1" --key k1 --json &&
		answer .again false &&
		status 0 pawl approve "$(rid)/deploy!1" --key k1 --json &&
		answer .again true && same "$(happened gate_decided)" 1 &&
		refuses key_conflict 4 pawl deny "$(rid)/deploy!1" --key k1
}

a_dry_run_decides_nothing() {
	waiting && before=$(tree "$(rundir)") &&
		status 0 pawl approve "$(rid)/deploy!1" --dry-run --json &&
		answer .dry_run true && same "$(tree "$(rundir)")" "$before"
}

# C003: many in a row, none lost.
a_hundred_decisions_in_a_row_are_all_kept() {
	begin && writes a '' 'Approval: required' && run 5 || return 1
	for n in $(seq 1 50); do
		pawl deny "$(rid)/a!$n" --reason "no $n" >../out &&
			pawl unblock "$(rid)/a" --reason "again $n" >../out ||
			return 1
	done
	same "$(happened gate_decided)" 50 && same "$(happened node_unblocked)" 50 &&
		same "$(events 'select(.type == "gate_decided") | .data.reason' |
			tail -n 1)" "no 50"
}

# C111, C109: whatever the clock and the zone, times carry a Z and seq orders.
time_is_for_people_and_seq_for_order() {
	TZ=Asia/Shanghai && export TZ && waiting &&
		PAWL_NOW=1000000000000 status 0 pawl approve "$(rid)/deploy!1" &&
		PAWL_NOW=4000000000000 status 0 pawl run "$(rid)" &&
		stands COMPLETE && pawl verify "$(rid)" &&
		same "$(jq -r .seq "$(rundir)/events.jsonl" | sort -nc && echo in order)" \
			"in order" &&
		same "$(jq -r .at "$(rundir)/events.jsonl" |
			grep -vc '^20[0-9-]*T[0-9:.]*Z$')" 0 &&
		! pawl log "$(rid)" | grep '+08'
}

all waiting refuses
