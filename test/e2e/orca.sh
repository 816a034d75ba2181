#!/bin/sh
# Whole runs whose workers are in terminals of a scripted orca (ORCA, see
# test/support/scripted_orca.sh); DRIVER names pawl-driver-orca.
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2154 # the runner's
mkdir "$top/bin" && ln -s "$DRIVER" "$top/bin/pawl-driver-orca" &&
	ln -s "$ORCA" "$top/bin/orca" || exit 99
PATH=$top/bin:$PATH ORCA_CLI_COMMAND=$top/bin/orca
export ORCA_CLI_COMMAND
unset PAWL_SEED

# orca: one of the case's own, with a repository.
orca() {
	begin && mkdir ../orca && ORCA_STATE=$(cd ../orca && pwd) &&
		export ORCA_STATE
}

misbehaves() { echo "$*" >"$ORCA_STATE/script"; }

terminals() { find "$ORCA_STATE/terminals" -mindepth 1 -maxdepth 1 | wc -l; }

# slow ID: its worker says that it began, and waits until it may go on.
slow() {
	does "$1" <<-'END'
		echo "$PAWL_ATTEMPT" >>"$does/began.$PAWL_NODE"
		for _ in $(seq 300); do
			[ ! -e "$does/go" ] || break
			sleep 0.1
		done
		echo "$PAWL_NODE" >"$PAWL_NODE.txt"
	END
}

# clean: nothing of orca's is left, and each cleanup was proven.
clean() {
	same "$(terminals)" 0 && same "$(events 'select(.type ==
		"cleanup_settled") | .data.status' | grep -cvx 'done\|verified')" 0
}

a_list_is_worked_through() {
	orca && writes a && writes b a && reads c b &&
		run 0 --driver orca && stands COMPLETE a=PASSED b=PASSED c=PASSED &&
		same "$(on_main a.txt)" a && same "$(events 'select(.type ==
			"attempt_started") | .data.refs | fromjson |
			[.runtime, .terminal != ""] | join(" ")' | sort -u)" \
			'runtime-1 true' && clean
}

# at_work STATUS-FILE: the run is under way, and its first worker has begun.
at_work() {
	"$PAWL" run ../tasks.md --write .. --driver orca -- ../worker \
		>../run.out 2>&1 &
	pid=$!
	until_true test -s ../does/began.a
}

once() { same "$(cat ../does/began.a)" a@1; }

a_driver_that_is_killed_is_started_again() {
	orca && writes a && slow a && at_work &&
		kill -9 "$(pgrep -P "$pid" -f pawl-driver-orca)" && : >../does/go &&
		wait "$pid" && stands COMPLETE a=PASSED && once && clean
}

a_pawl_that_is_killed_leaves_a_worker_that_is_gone_on_with() {
	orca && writes a && slow a && at_work && kill -9 "$pid" &&
		{ wait "$pid" || true; } && : >../does/go &&
		run 0 --driver orca && stands COMPLETE a=PASSED && once && clean
}

# An orca that was started anew took its terminals along.
an_orca_that_restarts_ends_the_attempt_and_not_the_run() {
	orca && writes a && slow a && at_work && : >../does/go &&
		echo runtime-2 >"$ORCA_STATE/runtime" &&
		kill -HUP "$(cat "$ORCA_STATE/terminals/term_1/pid")" &&
		rm -rf "$ORCA_STATE/terminals/term_1" && wait "$pid" &&
		stands COMPLETE a=PASSED && clean
}

an_answer_that_was_lost_makes_nothing_twice() {
	orca && writes a && slow a && : >../does/go &&
		misbehaves create:silent-after && run 0 --driver orca &&
		stands COMPLETE a=PASSED && once && clean
}

an_orca_that_doesnt_run_is_no_other_driver() {
	orca && writes a && slow a && misbehaves 'status:down!' &&
		! "$PAWL" run ../tasks.md --write .. --driver orca -- \
			../worker >../run.out 2>&1 &&
		same "$(cat ../does/began.a 2>/dev/null)" '' &&
		grep -q "orca" ../run.out
}

# What orca can't show to be gone stays open; the work counts all the same.
a_terminal_that_isnt_shown_to_be_gone_stays_open() {
	orca && writes a && slow a && : >../does/go && misbehaves 'close:lie!' &&
		"$PAWL" run ../tasks.md --write .. --driver orca -- ../worker \
			>../run.out 2>&1
	once && same "$(events 'select(.type == "cleanup_settled" and
		.data.status == "failed") | .type' | sort -u)" cleanup_settled
}

all orca slow clean at_work
done_testing
