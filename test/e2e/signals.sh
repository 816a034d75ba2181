#!/bin/sh
# A signal stops the run, not the work: what it interrupts is kept and undone,
# and the run goes on later.
. "$(dirname "$0")/lib.sh"

# slow ID: a task whose worker says that it works, then takes its time.
slow() {
	writes "$1" "${2:-}" && does "$1" <<-'END'
		echo half >"$PAWL_NODE.txt"
		touch "$does/$PAWL_ATTEMPT.on"
		case $PAWL_ATTEMPT in *@1) sleep 30 ;; esac
		echo whole >"$PAWL_NODE.txt"
	END
}

# stopped SIGNAL STATUS [OPTION...]: it stops within the grace, and then goes on.
stopped() {
	signal=$1 want=$2
	shift 2
	begin && slow a && writes b a && writes c a || return 1
	"$PAWL" run ../tasks.md --write .. "$@" -- ../worker >../out 2>../err &
	pid=$!
	until_true test -f ../does/a@1.on || return 1
	kill -s "$signal" $pid
	got=0
	wait $pid || got=$?
	same "$got" "$want" && same "$(strays)" "" && cat ../out ../err &&
		grep -q "pawl run $(rid)" ../err &&
		same "$(happened attempt_started)" 1 &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" coordinator_stopped &&
		same "$(git status --short)" "" && same "$(worktrees)" 1 &&
		stands RUNNING a=READY b=PENDING && kept +half &&
		status 0 pawl run "$(rid)" "$@" &&
		stands COMPLETE a=PASSED b=PASSED c=PASSED &&
		same "$(events 'select(.type == "attempt_reserved") |
			.attempt' | tr '\n' ' ')" "a@1 a@2 b@1 c@1 "
}

# C064: commits of workers that are stopped all at once are kept, and where they
# are is told in one place.
a_stop_of_many_sums_up_what_is_kept() {
	begin && writes z && for id in a b c d e f g h i j; do
		writes $id z && does $id <<-'END' || return 1
			echo half >"$PAWL_NODE.txt"
			git add -A && git commit -qm half
			touch "$does/$PAWL_ATTEMPT.on"
			sleep 60
		END
	done
	"$PAWL" run ../tasks.md --write .. -j10 -- ../worker >../out 2>../err &
	pid=$!
	for id in a b c d e f g h i j; do
		until_true test -f ../does/$id@1.on || return 1
	done
	kill -s TERM $pid
	got=0
	wait $pid || got=$?
	same "$got" 143 && same "$(grep -c '^  [a-j]@1  git apply /' ../out)" 10 &&
		grep -qx "  $(rid)  branch pawl/$(rid)/main" ../out &&
		same "$(on_main z.txt)" z &&
		same "$(grep -c 'changes kept as patch [0-9a-f]\{12\}' ../out)" 10 &&
		git checkout -q -b salvage "pawl/$(rid)/main" &&
		sed -n '/^kept:$/,$s/^  [a-j]@1  git apply //p' ../out |
		while read -r patch; do
			git apply "$patch" || return 1
		done && same "$(cat [a-j].txt | sort | uniq -c | tr -s ' ')" ' 10 half'
}

# kept LINE: the patch of what was interrupted holds it.
kept() {
	digest=$(events 'select(.type == "workspace_reconciled") |
		.data.patch_sha256' | head -n 1) &&
		grep -qxF "$1" "$(rundir)/artifacts/sha256/$digest"
}

# C059
int_stops_and_keeps_the_work_as_a_patch() {
	stopped INT 130
}

term_stops_and_keeps_the_work_as_a_patch() {
	stopped TERM 143
}

hup_stops_and_keeps_the_work_as_a_patch() {
	stopped HUP 129
}

int_undoes_the_work_in_place() {
	stopped INT 130 -j1
}

# C059: nothing starts after the signal, whenever it comes; each stop says so
# by its exit, and the run reaches its end.
at_any_moment_nothing_starts_after_it() {
	begin && for id in a b c d e f g h; do
		writes $id || return 1
	done && reads i a,b && writes j i && row=$(awk -v \
		seed="${PAWL_KILL_SEED:-$(date +%s)}" 'BEGIN { srand(seed)
		for (i = 0; i < 60; i++) printf "0.%03d ", rand() * 300 }') &&
		echo "$row" || return 1
	unset PAWL_SEED # ids of runs that were never started aren't tried again
	stops=0
	for delay in $row; do
		# A shell without jobs lets its children begin by ignoring INT.
		set -- TERM HUP
		shift $((stops % 2))
		# By its name: the list of a run that is closed is a new run.
		target=$(rid) || target=../tasks.md
		"$PAWL" run "$target" --write .. -- ../worker >>../log 2>&1 &
		pid=$!
		sleep "$delay"
		kill -s "$1" $pid 2>/dev/null
		got=0
		wait $pid || got=$?
		left=$(strays)
		case $1$got in
		TERM143 | HUP129) same "$left" "" || return 1 ;;
		TERM0 | HUP0) break ;;
		*)
			echo "$1 at $delay ended with $got"
			tail -n 20 ../log
			return 1
			;;
		esac
		stops=$((stops + 1))
	done
	[ -n "$(rid)" ] || run 0
	[ $stops -gt 0 ] &&
		status 0 pawl run "$(rid)" && stands COMPLETE &&
		same "$(worktrees)" 1 && same "$(branches)" main &&
		same "$(git status --short)" "" &&
		for id in a b c d e f g h j; do
			same "$(on_main $id.txt)" $id || return 1
		done
}

# A second Ctrl-C doesn't leave anything behind either.
# A stop in the middle of a repair doesn't make the next attempt forget why.
a_stopped_repair_is_still_told_why() {
	begin && task a '' a.txt write 'sh check.sh' &&
		echo 'grep -q good a.txt || { echo "a is not good yet"; exit 3; }' \
			>check.sh && git add check.sh && git commit -qm check &&
		does a <<-'END' || return 1
			case $PAWL_ATTEMPT in
			*@1) echo bad >a.txt ;;
			*@2) touch "$does/on"; while :; do sleep 0.1; done ;;
			*@3) echo good >a.txt ;;
			esac
		END
	"$PAWL" run ../tasks.md --write .. "$@" -- ../worker >../out 2>../err &
	pid=$!
	until_true test -f ../does/on || return 1
	kill -TERM $pid
	got=0
	wait $pid || got=$?
	same $got 143 && status 0 pawl run "$(rid)" && stands COMPLETE a=PASSED &&
		grep -q 'a is not good yet' ../does/a@3.prompt &&
		same "$(happened attempt_reserved)" 3 && same "$(worktrees)" 1
}

a_stopped_repair_in_place_is_still_told_why() {
	a_stopped_repair_is_still_told_why -j1
}

a_second_signal_changes_nothing() {
	begin && writes a && does a <<-'END' || return 1
		trap '' TERM
		touch "$does/on"
		while :; do sleep 0.1; done
	END
	"$PAWL" run ../tasks.md --write .. -- ../worker >../out 2>../err &
	pid=$!
	until_true test -f ../does/on || return 1
	kill -INT $pid
	sleep 0.5
	kill -INT $pid
	kill -TERM $pid
	got=0
	wait $pid || got=$?
	same $got 130 && same "$(strays)" ""
}

# stopped_state PID...: all of them are stopped.
are_stopped() {
	for p; do
		case $(ps -o stat= -p "$p") in
		T*) ;;
		*) return 1 ;;
		esac
	done
}

are_going() {
	! are_stopped "$1" && ! are_stopped "$2"
}

# Ctrl-Z and fg: the workers stop and go on with us.
ctrl_z_stops_the_workers_and_fg_lets_them_go_on() {
	begin && writes a && does a <<-'END' || return 1
		echo $$ >"$does/pid"
		while [ ! -f "$does/go" ]; do sleep 0.1; done
		echo a >a.txt
	END
	"$PAWL" run ../tasks.md --write .. -- ../worker >../out 2>../err &
	pid=$!
	until_true test -s ../does/pid && worker=$(cat ../does/pid) &&
		kill -TSTP $pid && until_true are_stopped $pid "$worker" &&
		kill -CONT $pid && until_true are_going $pid "$worker" &&
		touch ../does/go && wait $pid && stands COMPLETE a=PASSED
}

# A closed reader of the live view doesn't stop the run.
a_reader_that_goes_away_doesnt_stop_the_run() {
	begin && writes a && writes b a &&
		{
			"$PAWL" run ../tasks.md --write .. -- ../worker 2>../err
			echo $? >../got
		} | head -n 1 && stands COMPLETE a=PASSED b=PASSED
}

all slow stopped kept are_stopped are_going
