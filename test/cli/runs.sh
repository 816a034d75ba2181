#!/bin/sh
# The verbs that read a run, and those by which a human decides, on a small one.
. "$(dirname "$0")/gated.sh"

run_until_it_waits() {
	waiting && grep -q NEEDS_APPROVAL ../out &&
		grep -q "pawl approve $run/B-2!1" ../err
}

run_json_has_error_and_result() {
	project && status 5 pawl run tasks.md --json -- ./worker.sh &&
		same "$(jq -sc 'length, (.[0] | .ok, .command, .error.code,
			.result.run.status)' ../out | tr '\n' ' ')" \
			'1 false "run" "approval_needed" "NEEDS_APPROVAL" '
}

approved_it_completes() {
	waiting && status 0 pawl approve "$run/B-2!1" --reason 'seen' &&
		status 0 pawl run "$run" && grep -q COMPLETE ../out &&
		same "$(git show "pawl/$run/main:B-2")" work &&
		[ ! -e B-2 ] && same "$(git worktree list | wc -l)" 1 &&
		status 0 pawl verify "$run"
}

approve_by_node() {
	copied && status 0 pawl approve B-2 --json && answer .decision '"granted"'
}

denied_it_is_blocked() {
	waiting && status 0 pawl deny B-2 --reason 'not now' &&
		status 1 pawl run "$run" && grep -q BLOCKED ../out &&
		status 0 pawl unblock B-2 --reason 'now' &&
		status 5 pawl run "$run"
}

# C099: what acts as a coordinator decides no gate; the record says by which
# policy somebody did.
a_coordinator_decides_no_gate() {
	copied && bytes >../before &&
		status 9 pawl approve B-2 --as c1 --json && code self_approval &&
		PAWL_AS=c1 status 9 pawl deny B-2 --json && code self_approval &&
		bytes >../after && cmp ../before ../after &&
		status 0 pawl approve B-2 && pawl log >../log &&
		grep -q 'granted by local:.* (local, solo)' ../log
}

# Who made the run in a coordinator's name doesn't approve it as a human; who
# made it as themselves may, and the record says so.
who_made_the_run_in_a_name_decides_no_gate() {
	project && me=$(id -un) && sed -i 's/Depends: .*/Depends: []/' tasks.md &&
		PAWL_AS=$me status 0 pawl task start tasks.md &&
		run=$(ls .pawl/runs) && status 0 pawl task claim "$run" --as c9 &&
		same "$(jq -r '.events[0].data.by' .pawl/runs/*/events.jsonl |
			head -1)" "coordinator:$me" && bytes >../before &&
		status 9 pawl approve B-2 --json && code self_approval &&
		bytes >../after && cmp ../before ../after
}

# Nor does who coordinated it before somebody else did.
who_has_coordinated_decides_no_gate() {
	project && me=$(id -un) && sed -i 's/Depends: .*/Depends: []/' tasks.md &&
		status 0 pawl task start tasks.md && run=$(ls .pawl/runs) &&
		status 0 pawl task claim "$run" --as "$me" &&
		status 0 pawl task transfer "$run" --as "$me" &&
		status 0 pawl task claim "$run" --as c9 && bytes >../before &&
		status 9 pawl approve B-2 --json && code self_approval &&
		bytes >../after && cmp ../before ../after
}

# The list names who may: others are refused, also the one who made the run.
the_list_names_who_may_approve() {
	project && sed -i 's/required$/required [somebody-else]/' tasks.md &&
		status 5 pawl run tasks.md -- ./worker.sh && bytes >../before &&
		status 9 pawl approve B-2 --json && code not_an_approver &&
		bytes >../after && cmp ../before ../after &&
		rm -r .pawl && sed -i "s/somebody-else/$(id -un)/" tasks.md &&
		status 5 pawl run tasks.md -- ./worker.sh &&
		status 0 pawl approve B-2 && pawl log >../log &&
		grep -q '(local, named)' ../log
}

decided_once() {
	copied && status 0 pawl approve B-2 && bytes >../before &&
		status 4 pawl deny "$run/B-2!1" --json && code gate_decided &&
		bytes >../after && cmp ../before ../after
}

# C119: the same key does it once; for something else it is a conflict.
decided_by_key() {
	copied && status 0 pawl approve B-2 --key k --json && answer .again false &&
		bytes >../before && status 0 pawl approve "$run/B-2!1" --key k --json &&
		answer .again true && bytes >../after && cmp ../before ../after &&
		status 4 pawl deny "$run/B-2!1" --key k --json && code key_conflict
}

decision_dry_run_writes_nothing() {
	copied && bytes >../before && status 0 pawl approve B-2 --dry-run &&
		status 0 pawl deny B-2 --dry-run && bytes >../after &&
		cmp ../before ../after && status 0 pawl approve B-2
}

no_decision_inside_a_worker_or_a_check() {
	copied && bytes >../before && for verb in approve deny unblock; do
		PAWL_ATTEMPT=A-1@1 status 9 pawl $verb B-2 --json &&
			code worker_context &&
			PAWL_CHECK=A-1@1.check-1 status 9 pawl $verb B-2 --json &&
			code worker_context || return 1
	done && bytes >../after && cmp ../before ../after
}

unknown_gates_and_nodes() {
	copied && status 3 pawl approve C-3 --json && code gate_not_found &&
		status 3 pawl approve 'B-2!9' --json && code gate_not_found &&
		status 3 pawl unblock C-3 --json && code node_not_found &&
		status 3 pawl approve r-20200101-aaaaaa/B-2 --json &&
		code run_not_found
}

reason_at_its_limit() {
	copied && text=$(head -c 16385 /dev/zero | tr '\0' x) &&
		status 1 pawl approve B-2 --json --reason "$text" && code limit &&
		status 0 pawl approve B-2 --reason "${text%x}"
}

# C011, C018
reads_write_nothing() {
	copied && reading >../verbs && tree . >../before &&
		while IFS= read -r words; do
		# shellcheck disable=SC2086
		status 0 pawl $words </dev/null && [ -s ../out ] || return 1
	done <../verbs && tree . >../after && cmp ../before ../after
}

reads_answer_in_json() {
	copied && reading | grep -v '^log' >../verbs &&
		while IFS= read -r words; do
		# shellcheck disable=SC2086
		status 0 pawl $words --json && answer type '"object"' &&
			[ ! -s ../err ] || return 1
	done <../verbs && tree . >../before && for words in log 'log --node A-1'; do
		status 0 pawl $words --json && [ -s ../out ] &&
			jq -e 'has("seq") and has("event")' ../out >/dev/null || return 1
	done
}

reads_to_a_full_disk() {
	copied && reading >../verbs && while IFS= read -r words; do
		got=0
		# shellcheck disable=SC2086
		pawl $words >/dev/full 2>../err || got=$?
		same "$words $got" "$words 7" || return 1
	done <../verbs
}

# C111: whatever the zone, with Z.
times_are_utc() {
	copied && for words in log state 'status --json' 'show A-1@1' 'show B-2!1' \
		'log --json'; do
		# shellcheck disable=SC2086
		pawl $words >../utc && TZ=Asia/Shanghai pawl $words >../there &&
			cmp ../utc ../there &&
			! grep -E '[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([^0-9Z.]|$)' ../utc ||
			return 1
	done && pawl log | grep -q '2023-11-14T22:13:20Z'
}

nothing_is_active() {
	project && for words in status next ready log state verify watch; do
		# shellcheck disable=SC2086
		status 3 pawl $words --json && code run_not_found || return 1
	done && status 0 pawl list
}

without_any_state() {
	repo && for words in status next ready log state verify watch; do
		# shellcheck disable=SC2086
		status 3 pawl $words --json && code run_not_found || return 1
	done && status 0 pawl list --json && answer .runs '[]' &&
		[ ! -e "$XDG_STATE_HOME" ]
}

several_are_active() {
	copied && cp -a ".pawl/runs/$run" .pawl/runs/r-20200101-aaaaaa &&
		: >.pawl/active/r-20200101-aaaaaa &&
		status 4 pawl status --json && code ambiguous_run &&
		same "$(jq -c .error.details.count ../out)" 2 &&
		status 4 pawl approve B-2 --json && code ambiguous_run &&
		status 0 pawl status "$run" &&
		status 0 pawl status "${run%-*}"
}

hostile_names() {
	copied && printf '%s\n' '../x' '..' '.' '/etc/x' '-rf' 'a.lock' \
		'$(touch pwned)' ';touch pwned' 'a b' 'é' >../names &&
		bytes >../before && while IFS= read -r bad; do
		for verb in status next ready log state verify watch; do
			got=0
			pawl $verb --json -- "$bad" >../out 2>../err || got=$?
			case $got in 1 | 3) ;; *)
				echo "$verb '$bad': $got"
				return 1
				;;
			esac
		done
		for verb in explain show approve deny unblock; do
			got=0
			pawl $verb --json -- "$bad" >../out 2>../err || got=$?
			case $got in 1 | 3) ;; *)
				echo "$verb '$bad': $got"
				return 1
				;;
			esac
		done
	done <../names && bytes >../after && cmp ../before ../after &&
		[ ! -e pwned ]
}

run_of_nothing() {
	project && status 3 pawl run nothing.md --json -- true &&
		same "$(jq -r .ok ../out)" false
}

bad_list_is_refused_whole() {
	project && printf -- '- [ ] X\n  Nonsense: 1\n' >bad.md && tree . >../before &&
		status 1 pawl plan bad.md --json &&
		jq -e '.ok == false and (.result | type == "object")' ../out &&
		status 1 pawl plan bad.md && grep -q 'bad.md:[0-9]*:[0-9]*: ' ../out &&
		status 1 pawl run bad.md --json -- true && tree . >../after &&
		cmp ../before ../after
}

numbers_out_of_range() {
	project && for n in 0 1025 -1 x 1x '' 99999999999999999999; do
		status 1 pawl run tasks.md "-j$n" --json -- true 2>/dev/null ||
			status 2 pawl run tasks.md "-j$n" --json -- true || return 1
	done
	for n in -1 x 18446744073709551616; do
		status 1 pawl log "--at=$n" --json && code invalid_argument || return 1
	done
}

# A changed byte in the journal is found and named; nothing is appended then.
tampered_journal() {
	copied && sed -i '2s/A-1/A-7/' ".pawl/runs/$run/events.jsonl" &&
		bytes >../before && status 8 pawl verify --json &&
		status 8 pawl approve B-2 --json && bytes >../after &&
		cmp ../before ../after
}

# A view that disagrees is not believed (law 1).
garbage_projection() {
	copied && pawl status --json >../want && for text in '' x '{}' '[1]'; do
		printf '%s' "$text" >".pawl/runs/$run/state.json"
		pawl status --json >../got 2>../err && cmp ../want ../got || return 1
	done
}

state_folder_of_others() {
	copied && chmod g+w .pawl && for words in status list log 'approve B-2'; do
		# shellcheck disable=SC2086
		status 9 pawl $words --json && code not_permitted || return 1
	done
}

# C031: nothing stays locked, whatever the end.
no_lock_is_held() {
	copied && status 4 pawl approve "$run/B-2!1" --key k --json
	pawl approve "$run/B-2!9" >/dev/null 2>&1
	pawl status >/dev/null && find .pawl -name lock >../locks && [ -s ../locks ] &&
		while IFS= read -r lock; do
		flock -n "$lock" true || return 1
	done <../locks
}

log_ends_quietly() {
	copied && pawl log --json | head -n 1 >../out && same "$(wc -l <../out)" 1
}

for case in run_until_it_waits run_json_has_error_and_result \
	approved_it_completes approve_by_node denied_it_is_blocked decided_once \
	a_coordinator_decides_no_gate who_made_the_run_in_a_name_decides_no_gate \
	who_has_coordinated_decides_no_gate \
	the_list_names_who_may_approve \
	decided_by_key decision_dry_run_writes_nothing \
	no_decision_inside_a_worker_or_a_check unknown_gates_and_nodes \
	reason_at_its_limit reads_write_nothing reads_answer_in_json \
	reads_to_a_full_disk times_are_utc nothing_is_active \
	without_any_state several_are_active hostile_names run_of_nothing \
	bad_list_is_refused_whole numbers_out_of_range tampered_journal \
	garbage_projection state_folder_of_others no_lock_is_held \
	log_ends_quietly; do
	t $case
done
done_testing
