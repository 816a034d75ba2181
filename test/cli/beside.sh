#!/bin/sh
# Verbs beside others: who holds a lock, who died, what is full, who reads.
. "$(dirname "$0")/gated.sh"

# cycle N: deny and unblock the gate, which is asked for anew each time.
cycle() {
	pawl deny "B-2!$1" --reason "no $1" >/dev/null &&
		pawl unblock B-2 --reason "yes $1" >/dev/null
}

# C003: no pauses, and each "denied" is one in the journal, in order.
a_shell_loop_loses_nothing() {
	copied && before=$(lines) && times=${PAWL_LOOP:-12} && i=0 &&
		while [ $i -lt "$times" ]; do
			i=$((i + 1)) && cycle $i || return 1
		done && same "$(lines)" $((before + 2 * times)) &&
		same "$(jq -r '.events[] | select(.type == "gate_decided" or
			.type == "node_unblocked") | .data.reason' "$(events)")" \
			"$(i=0 && while [ $i -lt "$times" ]; do
				i=$((i + 1)) && echo "no $i" && echo "yes $i"
			done)" && status 0 pawl verify
}

# C003, C020: the record is written, synced, and only then said.
ok_is_said_after_the_sync() {
	copied && strace -f -qq -s 12 -o ../trace \
		-e trace=openat,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,flock \
		"$PAWL" approve B-2 >../out &&
		sed -n 's/^[0-9]* *//p' ../trace >../calls &&
		journal=$(sed -n 's/.*"events.jsonl", O_RDWR.*= \([0-9]*\)$/\1/p' \
			../calls | tail -n 1) &&
		grep -n -e "^write($journal, " -e "^fdatasync($journal)" \
			-e '^write(1, ' -e LOCK_EX -e LOCK_UN ../calls |
		sed 's/^[0-9]*:\([a-z]*\)(\([0-9]*\).*\(LOCK_[EU][XN]\).*/\1 \3/
			s/^[0-9]*:\([a-z]*\)(\([0-9]*\).*/\1 \2/
			s/ '"$journal"'$/ journal/; s/ 1$/ stdout/' >../order &&
		same "$(tr '\n' ,  <../order)" \
			'flock LOCK_EX,write journal,fdatasync journal,flock LOCK_UN,write stdout,'
}

# C020: each folder that got a name is synced before the first event says that
# there is a run.
a_new_run_syncs_what_it_makes() {
	project && strace -f -y -qq -s 64 -o ../trace \
		-e trace=openat,mkdirat,write,renameat2,renameat,linkat,fsync,fdatasync \
		"$PAWL" run tasks.md --write .. -- true >../out 2>../err
	python3 - "$PWD/.pawl" ../trace <<'END'
import re, sys
top, named, ok = sys.argv[1], set(), 0
for line in open(sys.argv[2]):
    call = re.sub(r"^\d+ +", "", line)
    if "= -1" in call:
        continue
    if re.match(r"write\(\d+<[^>]*/events.jsonl>", call):
        break
    m = re.match(r'(openat|mkdirat|renameat2?|linkat)\(\d+<([^>]*)>, "([^"]*)"', call)
    # The lock's file is there already; it is opened so lest it isn't.
    if m and m[2].startswith(top) and m[3] != "lock":
        if m[1] != "openat" or "O_CREAT" in call:
            named.add(m[2])
            ok += 1
    m = re.match(r"(?:fsync|fdatasync)\(\d+<([^>]*)>", call)
    if m:
        named.discard(m[1])
print(ok, sorted(named))
sys.exit(ok < 8 or any("/runs" in d or d == top for d in named))
END
}

# C029, C031: bounded, and whoever holds it is named; even when it is stopped.
a_stopped_holder_is_named_and_not_robbed() {
	copied && lock=.pawl/runs/$run/lock && mkfifo ../go &&
		flock "$lock" sh -c ': >../go; exec sleep 60' &
	holder=$!
	until [ -p ../go ]; do sleep 0.05; done
	: <../go
	copied_run=$(ls .pawl/runs) && run=$copied_run
	pkill -STOP -P $holder 2>/dev/null
	from=$(date +%s) && bytes >../before &&
		status 6 pawl approve B-2 --json && code busy &&
		grep -q 'held by process [0-9]* (' ../out &&
		[ $(($(date +%s) - from)) -lt 30 ] && status 0 pawl status &&
		bytes >../after && cmp ../before ../after
	got=$?
	pkill -KILL -P $holder
	wait $holder
	[ $got = 0 ] && status 0 pawl approve B-2
}

# no_locks: nobody holds one of the state's.
no_locks() {
	find .pawl -name '*lock*' >../locks && [ -s ../locks ] &&
		while IFS= read -r lock; do
		flock -n "$lock" true || {
			echo "$lock is held"
			return 1
		}
	done <../locks
}

# C031: whatever way a verb ends, the next one needs no patience.
no_verb_leaves_a_lock() {
	copied && reading >../verbs && printf '%s\n' 'approve B-2 --dry-run' \
		'deny B-9' 'unblock A-1 --reason x' 'verify --repair' 'run nothing' \
		'approve B-2 --key a/b' 'status r-none' "run $run" >>../verbs &&
		while IFS= read -r words; do
		# shellcheck disable=SC2086
		pawl $words </dev/null >/dev/null 2>&1
		# shellcheck disable=SC2086
		timeout -s INT 0.02 "$PAWL" $words </dev/null >/dev/null 2>&1
		no_locks || return 1
	done <../verbs
}

# driven: a run whose worker waits for ../release; its coordinator is $pid.
driven() {
	project && cat >worker.sh <<-END &&
		#!/bin/sh
		: >"$PWD/../on"
		until [ -e "$PWD/../release" ]; do sleep 0.05; done
		echo work >"\$PAWL_NODE"
	END
		git commit -qam worker || return 1
	"$PAWL" run tasks.md --write .. -- ./worker.sh >../first 2>&1 &
	pid=$!
	i=0
	until [ -e ../on ]; do
		i=$((i + 1)) && [ $i -lt 400 ] && sleep 0.05 || return 1
	done
	run=$(ls .pawl/runs)
}

dead() {
	kill -9 $pid && wait $pid
	[ $? = 137 ]
}

# C028, C037: no daemon, no coordinator: each verb answers, and says what to do.
a_dead_coordinator_is_told_by_the_next_verb() {
	driven && status 0 pawl next && grep -q '^next: watch' ../out && dead &&
		status 0 pawl next && grep -q "pawl run $run" ../out &&
		status 0 pawl next --json && answer .next.why '"nobody drives the run"' &&
		status 0 pawl status && grep -q "pawl run $run" ../out &&
		reading | grep -v -e 'B-2!1' -e '@1#1' >../verbs &&
		while IFS= read -r words; do
			# shellcheck disable=SC2086
			status 0 pawl $words </dev/null || return 1
		done <../verbs && no_locks && : >../release && status 5 pawl run "$run" &&
		same "$(jq -r '.events[] | select(.type == "attempt_reserved") |
			.attempt' "$(events)")" A-1@1
}

# C048: after a restart of the machine its processes are gone, whoever has
# their numbers now.  (The boot is changed by hand, which verify sees.)
an_owner_of_an_earlier_boot_is_dead() {
	driven && boot=$(cat /proc/sys/kernel/random/boot_id) &&
		kill -STOP $pid &&
		grep -q "$boot" "$(events)" &&
		python3 "$here/rechain.py" "$(events)" sub "$boot" \
			00000000-0000-0000-0000-000000000000 &&
		status 0 pawl next --json &&
		answer .next.why '"nobody drives the run"'
	got=$?
	kill -9 $pid
	wait $pid
	: >../release
	[ $got = 0 ] && sleep 0.3 && status 5 pawl run "$run" &&
		jq -r '.events[].type' "$(events)" >../types &&
		grep -q coordinator_taken_over ../types &&
		grep -q -e attempt_lost -e attempt_reported ../types &&
		status 8 pawl verify && grep -q "aren't signed" ../out
}

# C008: what no record of the run names is nobody's to delete, though it lies
# where the run's own things lie; nor is another run, in whatever state.
what_no_record_names_is_left() {
	driven && wt=$(find "$XDG_STATE_HOME" -type d -path "*/wt/$run" | head -n 1) &&
		[ -n "$wt" ] && mkdir -p "$wt/A-1-2/tree" "$wt/mine" \
		".pawl/runs/$run/outbox/B-2@9" .pawl/runs/r-20200101-aaaaaa &&
		for file in "$wt/A-1-2/tree/x" "$wt/mine/x" "$wt/loose" \
			".pawl/runs/$run/outbox/B-2@9/x" ".pawl/runs/$run/logs/mine" \
			".pawl/runs/$run/capsules/mine.json" \
			.pawl/runs/r-20200101-aaaaaa/events.jsonl; do
		echo keep >"$file" && echo "$file" >>../kept || return 1
	done && git branch "pawl/$run/mine" && : >../release
	wait $pid
	[ $? = 5 ] && status 0 pawl approve "$run/B-2" &&
		status 0 pawl run "$run" && grep -q COMPLETE ../out &&
		while IFS= read -r file; do
		same "$file $(cat "$file")" "$file keep" || return 1
	done <../kept && git rev-parse -q --verify "pawl/$run/mine"
}

# C039: cut off after 200 bytes, a refusal is still told.
a_refusal_stands_in_the_first_line() {
	copied && printf '%s\n' 'approve B-2!9' 'deny C-3' 'unblock A-1' \
		'run nothing.md -- true' 'status r-20200101-aaaaaa' 'frob' >../verbs &&
		while IFS= read -r words; do
		got=0
		# shellcheck disable=SC2086
		{ pawl $words 2>&1 >/dev/null || echo $? >../got; } |
			head -c 200 >../head
		[ "$(cat ../got)" -gt 0 ] && head -n 1 ../head | grep -q '^pawl: ' &&
			rm ../got || return 1
		# shellcheck disable=SC2086
		{ pawl --json $words || echo $? >../got; } | head -c 200 >../head
		[ "$(cat ../got)" -gt 0 ] &&
			grep -q '^{"ok":false,"command":[^,]*,"error":{"code":"' ../head &&
			rm ../got || return 1
	done <../verbs
}

# C039: the slot of what passed is given on in the same line.
a_slot_is_free_with_the_grade() {
	project && sed -i '/Approval/d' tasks.md && git commit -qam list &&
		status 0 pawl run tasks.md -j1 --write .. -- ./worker.sh &&
		run=$(ls .pawl/runs) &&
		same "$(jq -c 'select(any(.events[]; .type == "node_graded" and
			.node == "A-1")) | [.events[] | select(.type ==
			"attempt_reserved") | .node]' "$(events)")" '["B-2"]'
}

# C023, C024: whatever a worker and a check print.
what_workers_print_stays_out_of_the_journal_as_bytes() {
	project && sed -i '/Approval/d; s/Check: test -f B-2/Check: sh check.sh/' \
		tasks.md && cat >check.sh <<'END' &&
i=0
while [ $i -lt 70 ]; do printf '\360\237\230\200'; i=$((i + 1)); done >&2
printf '\360\237\230' >&2
exit 1
END
	cat >worker.sh <<'END' &&
#!/bin/sh
printf 'caf\351 \377\376 \300\257 \355\240\275 \000 \033[2J\n' >&2
printf '\\ud83d alone, and cut: \360\237\n'
case $PAWL_ATTEMPT in A-1@1) exit 3 ;; esac
echo work >"$PAWL_NODE"
END
	git add . && git commit -qm list && status 1 pawl run tasks.md --write .. -- ./worker.sh &&
		run=$(ls .pawl/runs) && grep -q attempt_rejected "$(events)" &&
		python3 - "$(events)" <<'END' &&
import json, sys
for line in open(sys.argv[1], encoding="utf-8", errors="strict"):
    text = json.dumps(json.loads(line), ensure_ascii=False)
    text.encode("utf-8")  # no half of a pair
    assert "\\u0000" not in line and "\\u001b" not in line, line
END
		status 0 pawl verify && for words in status log 'show A-1@1' 'explain B-2'; do
		# shellcheck disable=SC2086
		pawl $words >../out && iconv -f UTF-8 -t UTF-8 ../out >/dev/null &&
			! grep -q "$(printf '\033')" ../out || return 1
	done
}

# C021: the real thing, where root may mount it: no page is left.
a_full_disk_changes_nothing() {
	mkdir ../disk && mount -t tmpfs -o size=400k,mode=700 tmpfs ../disk || return 1
	full_disk
	got=$?
	umount ../disk
	return $got
}

full_disk() {
	project && rm -rf .pawl && PAWL_STATE=$PWD/../disk && export PAWL_STATE &&
		pawl init && status 5 pawl run tasks.md --write .. -- ./worker.sh &&
		run=$(pawl list --json | jq -r '.result.runs[0].run') &&
		log=../disk/runs/$run/events.jsonl &&
		# Fill the last page of the journal by changes, then the disk.
		i=0 && while [ $((4096 - $(stat -c %s "$log") % 4096)) -gt 500 ]; do
			i=$((i + 1)) && cycle $i || return 1
		done && gate="B-2!$((i + 1))" &&
		{ cat /dev/zero >../disk/filler 2>/dev/null || :; } &&
		sha256sum "$log" >../before && for words in "deny $gate" \
		"approve $gate" 'init' 'verify' "run $run -- ./worker.sh" \
		'run other.md -- ./worker.sh'; do
		got=0
		cp tasks.md other.md && echo >>other.md
		# shellcheck disable=SC2086
		pawl $words --json >../out 2>../err || got=$?
		sha256sum "$log" >../after
		case "$words $got" in
		"deny $gate 7" | "approve $gate 7" | 'init 0' | 'verify 0' | run*7) ;;
		*)
			echo "$words: $got"
			cat ../out ../err
			return 1
			;;
		esac
		cmp ../before ../after && status 0 pawl status "$run" || return 1
	done && rm ../disk/filler && status 0 pawl approve "$gate" &&
		status 0 pawl verify "$run"
}

t a_shell_loop_loses_nothing
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
	export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
	t ok_is_said_after_the_sync
	t a_new_run_syncs_what_it_makes
else
	skip ok_is_said_after_the_sync 'no strace'
	skip a_new_run_syncs_what_it_makes 'no strace'
fi
for case in a_stopped_holder_is_named_and_not_robbed no_verb_leaves_a_lock \
	a_dead_coordinator_is_told_by_the_next_verb \
	what_no_record_names_is_left \
	a_refusal_stands_in_the_first_line \
	a_slot_is_free_with_the_grade \
	what_workers_print_stays_out_of_the_journal_as_bytes; do
	t $case
done
if [ -s /etc/machine-id ]; then
	t an_owner_of_an_earlier_boot_is_dead
else
	skip an_owner_of_an_earlier_boot_is_dead 'the machine has no id'
fi
if [ "$(id -u)" = 0 ] && mkdir "$top/m" && mount -t tmpfs tmpfs "$top/m" \
	2>/dev/null && umount "$top/m"; then
	t a_full_disk_changes_nothing
else
	skip a_full_disk_changes_nothing 'nothing can be mounted here'
fi
done_testing
