#!/bin/sh
# pawl-driver-orca over an orca that is scripted (ORCA, scripted_orca.sh): the
# kit's rules, and what it says when orca, or something else, misbehaves.
# DRIVER names the program.
. "$(dirname "$0")/lib.sh"
mkdir "$top/bin" "$top/tmp" && ln -s "$DRIVER" "$top/bin/pawl-driver-orca" &&
	ln -s "$ORCA" "$top/bin/orca" || exit 99
PATH=$top/bin:$PATH TMPDIR=$top/tmp ORCA_CLI_COMMAND=$top/bin/orca
export TMPDIR ORCA_CLI_COMMAND

# place: a repository, an outbox, and states of orca's and of the driver's.
place() {
	ORCA_STATE=$PWD/orca PAWL_DRIVER_STATE=$PWD/state
	export ORCA_STATE PAWL_DRIVER_STATE
	mkdir orca state outbox && git init -q tree
}

# misbehaves [WORD...]: from now on, each for the first time.
misbehaves() {
	rm -rf "$ORCA_STATE"/did-* && echo "$*" >"$ORCA_STATE/script"
}

# ask OP MEMBERS: the answer is in `answer`.
ask() {
	printf '{"v":1,"id":1,"op":"%s",%s}\n' "$1" "$(echo_line "$2")" |
		"$DRIVER" >answer && cat answer
}

# echo_line TEXT: on one line.
echo_line() { printf %s "$1" | tr -d '\n\t'; }

# start COMMAND [SANDBOX]
start() {
	ask start "$(jq -nc --arg tree "$PWD/tree" --arg outbox "$PWD/outbox" \
		--arg command "$1" --arg sandbox "${2:-off}" '{retry_id: "R/A@1", attempt: "A@1",
		run: "R", node: "A", generation: 1, access: "workspace-write",
		scopes: ["."], workspace: {placement: "worktree", path: $tree},
		prompt: "do it\n", outbox: $outbox, profile: {name: "command",
		argv: ["/bin/sh", "-c", $command], env: {COLOUR: "blue",
		PAWL_OUTBOX: $outbox}},
		deadline_ms: 60000, sandbox: $sandbox}' | sed 's/^{//; s/}$//')"
}

# about OP [MEMBERS]: about what was started, whose references are in `refs`.
about() {
	ask "$1" "\"attempt\":\"A@1\",\"refs\":$(cat refs)${2:-}"
}

# says FILTER VALUE: the answer, by jq.
says() { same "$(jq -c "$1" answer)" "$2"; }

# fails CODE: the answer is that error, of one line.
fails() { says '[.ok, .error.code, (.error.message | test("\n"))]' "[false,\"$1\",false]"; }

# started COMMAND: and the references kept.
started() {
	start "$1" && says .ok true && jq -c .refs answer >refs
}

# begun COMMAND: started, opened, and at work: it makes `at-work`.
begun() {
	started "echo \$\$ >at-work; $1" && about open ',"retry_id":"R/A@1"' &&
		says .ok true && wait_for tree/at-work
}

wait_for() {
	for _ in $(seq 200); do
		[ ! -s "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

# becomes STATE: within ten seconds a poll says so.
becomes() {
	for _ in $(seq 100); do
		about poll ',"cursor":"","wait_ms":0' >/dev/null
		[ "$(jq -r .state answer)" != "$1" ] || return 0
		sleep 0.1
	done
	cat answer
	return 1
}

# released WORD: a release says that.
released() {
	about release ',"key":"R/A@1/release"' && says .released "\"$1\""
}

# calls NAME: how often orca was asked for that.
calls() { grep -cx "$1" "$ORCA_STATE/calls"; }

terminals() { find "$ORCA_STATE/terminals" -mindepth 1 -maxdepth 1 | wc -l; }

# lives FILE: the process whose id stands in it.
lives() { kill -0 "$(cat "$1")" 2>/dev/null; }

ended() {
	for _ in $(seq 100); do
		lives "$1" || return 0
		sleep 0.05
	done
	return 1
}

it_keeps_the_rules() {
	place && status 0 pawl driver test orca --json &&
		answer '[.broken, .skipped, (.rules | length)]' '[0,1,30]' &&
		same "$(terminals)" 0
}

what_runs_has_its_place_and_its_words() {
	place && begun 'pwd; cat; echo $COLOUR; printf "{}" >"$PAWL_OUTBOX/x"' &&
		becomes exited && says .exit '{"exit":0,"survivors":0}' &&
		same "$(cat state/*/log)" "$PWD/tree
do it
blue" && same "$(sed 1d orca/terminals/term_1/output)" "$(cat state/*/log)" &&
		released released && same "$(terminals)" 0 && released already &&
		about poll ',"cursor":"","wait_ms":0' && fails not_found
}

without_an_orca_nothing_is_made() {
	place && PATH=/usr/bin:/bin && unset ORCA_CLI_COMMAND &&
		start true && fails unavailable &&
		ask select '"retry_id":"R/driver-1","repository":"/"' &&
		fails unavailable && ask describe '"x":1' &&
		says '[.capabilities[].status] | unique' \
			'["unavailable","unsupported"]' &&
		ORCA_CLI_COMMAND=/none && export ORCA_CLI_COMMAND &&
		start true && fails unavailable
}

# What a worker does that is to run once: say so, and stay.
once='echo $$ >at-work; echo x >>ran; sleep 60'

# refuses CODE WORD: start with that fails so, and nothing runs.
refuses() {
	echo "$2" && rm -rf orca state outbox tree && place &&
		misbehaves "$2" && start "$once" && fails "$1" &&
		[ ! -e tree/ran ]
}

# ran_once: it is asked for again, runs once, and is let go of.
ran_once() {
	started "$once" && about open ',"retry_id":"R/A@1"' && says .ok true &&
		wait_for tree/at-work && wait_for tree/ran && sleep 0.3 &&
		same "$(wc -l <tree/ran)" 1 && released released &&
		ended tree/at-work
}

an_orca_that_doesnt_answer_makes_nothing() {
	for word in garbage types empty huge silent slow unavailable down; do
		refuses unavailable "status:$word" && same "$(terminals)" 0 ||
			return 1
	done
	for word in garbage types empty silent unavailable restarted; do
		refuses unavailable "show:$word" && same "$(terminals)" 0 ||
			return 1
	done
	refuses refused show:gone && refuses context_mismatch show:elsewhere &&
		refuses unavailable list:garbage && refuses unknown list:truncated &&
		refuses unknown list:restarted && same "$(terminals)" 0
}

# What it asked for and got no answer about is asked for again, and is one.
a_terminal_whose_making_wasnt_told_is_found_again() {
	for word in silent-after garbage silent types huge; do
		refuses unknown "create:$word" && ran_once &&
			same "$(terminals)" 0 || return 1
	done
}

what_orca_refuses_stays_refused() {
	refuses refused create:refused && start "$once" && fails refused &&
		refuses unavailable create:unavailable && start "$once" &&
		fails refused && same "$(calls create)" 1
}

a_terminal_that_doesnt_begin_is_given_up() {
	refuses refused create:idle && same "$(terminals)" 0 &&
		start "$once" && fails refused && [ ! -e tree/ran ]
}

a_driver_that_is_killed_starts_one_all_the_same() {
	place && misbehaves create:slow && (
		start "$once" >/dev/null &
		for _ in $(seq 100); do
			[ ! -d orca/did-create-slow ] || break
			sleep 0.05
		done
		pkill -9 -P $! || true
		wait
	) && ran_once
}

a_handle_that_was_renumbered_is_found_by_its_incarnation() {
	place && begun 'sleep 60' && misbehaves 'list:renumber!' &&
		released released && same "$(terminals)" 0 &&
		ended tree/at-work
}

another_incarnation_is_never_closed() {
	place && begun 'sleep 60' && misbehaves 'list:reused!' &&
		released released && same "$(calls close)" 0 &&
		same "$(terminals)" 1 && ended tree/at-work
}

# A runtime that ended took its terminals along; its handles mean nothing.
another_runtime_is_never_asked_to_close() {
	place && begun 'sleep 60' && misbehaves 'status:restarted!' &&
		becomes running && released released &&
		same "$(calls close)" 0 && ended tree/at-work
}

what_cant_be_proven_isnt_released() {
	place && begun 'sleep 60' && misbehaves 'close:lie!' &&
		released unproven && ended tree/at-work || return 1
	for word in list:garbage list:types list:huge list:silent \
		list:restarted status:garbage status:silent close:refused \
		list:truncated; do
		echo "$word" && misbehaves "$word!" && becomes exited &&
			released unproven || return 1
	done
	misbehaves && released released && same "$(terminals)" 0
}

an_orca_that_ended_has_no_terminals() {
	place && begun 'sleep 60' && misbehaves 'status:down!' &&
		released released && ended tree/at-work
}

a_terminal_that_is_closed_ends_its_worker() {
	place && begun 'sleep 60' &&
		kill -HUP "$(cat orca/terminals/term_1/pid)" && becomes exited &&
		says '.exit.signal > 0' true && ended tree/at-work &&
		released released
}

a_terminal_that_is_closed_before_the_gate_opens_runs_nothing() {
	place && started 'touch ran' &&
		kill -9 "$(cat orca/terminals/term_1/pid)" && becomes exited &&
		says '.exit.start_failed != null' true &&
		about open ',"retry_id":"R/A@1"' && fails not_found &&
		[ ! -e tree/ran ] && released released
}

a_holder_that_is_killed_leaves_a_worker_that_is_known() {
	place && begun 'sleep 60' &&
		kill -9 "$(cat orca/terminals/term_1/pid)" && sleep 0.3 &&
		becomes running && lives tree/at-work && released released &&
		ended tree/at-work
}

a_monitor_that_is_killed_proves_nothing() {
	place && begun 'sleep 3' && kill -9 "$(cut -d' ' -f1 state/*/monitor)" &&
		becomes gone && released unproven
}

# One that was released can't be opened, one that was opened isn't stopped by
# a second open.
a_gate_is_open_or_cancelled() {
	place && started 'touch ran' && misbehaves 'list:garbage!' &&
		released unproven && about open ',"retry_id":"R/A@1"' &&
		fails not_found && [ ! -e tree/ran ]
}

references_of_something_else_are_unknown() {
	place && begun 'sleep 60' &&
		a='"attempt":"A@1","retry_id":"R/A@1","refs"' &&
		b='"attempt":"B@1","retry_id":"R/B@1","refs"' &&
		ask reconcile "\"attempts\":[{$a:{}},{$a:{\"key\":\"x\"}},
			{$b:{}},{$b:$(cat refs)}]" &&
		says '[.attempts[].state]' \
			'["present","unknown","absent","unknown"]' &&
		says '.attempts[0].refs' "$(cat refs)" &&
		jq -c '.runtime = "another"' refs >other && mv refs kept &&
		mv other refs && about release ',"key":"k"' && fails not_found &&
		lives tree/at-work && mv kept refs && released released
}

what_must_be_confined_is_refused() {
	place && start true required && fails refused && [ ! -e orca/calls ]
}

t it_keeps_the_rules
t what_runs_has_its_place_and_its_words
t without_an_orca_nothing_is_made
t an_orca_that_doesnt_answer_makes_nothing
t a_terminal_whose_making_wasnt_told_is_found_again
t what_orca_refuses_stays_refused
t a_terminal_that_doesnt_begin_is_given_up
t a_driver_that_is_killed_starts_one_all_the_same
t a_handle_that_was_renumbered_is_found_by_its_incarnation
t another_incarnation_is_never_closed
t another_runtime_is_never_asked_to_close
t what_cant_be_proven_isnt_released
t an_orca_that_ended_has_no_terminals
t a_terminal_that_is_closed_ends_its_worker
t a_terminal_that_is_closed_before_the_gate_opens_runs_nothing
t a_holder_that_is_killed_leaves_a_worker_that_is_known
t a_monitor_that_is_killed_proves_nothing
t a_gate_is_open_or_cancelled
t references_of_something_else_are_unknown
t what_must_be_confined_is_refused
done_testing
