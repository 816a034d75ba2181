#!/bin/sh
# The kit that tries drivers: the built-in ones and a good one keep its rules,
# and for each rule there is a driver that it finds out.  SCRIPTED names the
# driver (scripted_driver.c).
. "$(dirname "$0")/lib.sh"
mkdir "$top/bin" "$top/tmp" && ln -s "$SCRIPTED" \
	"$top/bin/pawl-driver-scripted" || exit 99
PATH=$top/bin:$PATH TMPDIR=$top/tmp
export TMPDIR

# left: the processes that work in a folder of the kit's.
left() {
	for cwd in /proc/[0-9]*/cwd; do
		case $(readlink "$cwd") in
		"$TMPDIR"/*) cwd=${cwd%/cwd} && echo "${cwd#/proc/}" ;;
		esac
	done
}

# clean: nothing of the kit's is left.
clean() { same "$(ls "$TMPDIR")$(left)" ''; }

# keeps NAME SKIPPED: it keeps all rules but so many that are passed over.
keeps() {
	status 0 pawl driver test "$1" --json &&
		answer '[.broken, .skipped, (.rules | length)]' "[0,$2,30]" && clean
}

the_host_keeps_what_it_offers() { keeps host 21; }
processes_keep_the_rules() { keeps process 2; }
a_good_program_keeps_the_rules() { keeps scripted 0; }

# lies RULE SCRIPT: the kit finds that out.
lies() {
	echo "$2" && SCRIPT=$2 && export SCRIPT && PAWL_COPROC_MS=3000 &&
		export PAWL_COPROC_MS &&
		status 1 pawl driver test scripted --json --rule "$1" &&
		code driver_unsupported && same "$(jq -c \
			'[.result.rules[] | .number, .outcome]' ../out)" \
			"[$1,\"broken\"]" && same "$(ls "$TMPDIR")" '' &&
		for pid in $(left); do kill -9 "$pid"; done
}

each_rule_has_a_driver_that_breaks_it() {
	lies 1 'describe:eight!' && lies 1 'describe:garbage!' &&
		lies 2 'describe:wrong-id!' && lies 3 'any:strict!' &&
		lies 4 'any:lenient!' && lies 5 'any:lenient!' &&
		lies 6 'any:short!' && lies 7 'any:chatty!' &&
		lies 8 'any:no-end!' && lies 9 'select:not-ready!' &&
		lies 10 'start:profile!' && lies 10 'start:placement!' &&
		lies 11 'start:anew!' && lies 12 'start:early! open:again!' &&
		lies 13 'start:early! open:again!' && lies 14 'start:no-conflict!' &&
		lies 15 'start:early!' && lies 15 'open:again!' &&
		lies 16 'poll:restless!' && lies 17 'poll:life!' &&
		lies 18 'poll:exit-0!' && lies 19 'any:no-deadline!' &&
		lies 20 'poll:digest!' && lies 21 'release:lie!' &&
		lies 22 'release:unproven!' && lies 23 'release:unproven!' &&
		lies 24 'any:refs-ignored!' && lies 25 'any:orphans!' &&
		lies 26 'send:no-conflict!' && lies 27 'reconcile:absent!' &&
		lies 27 'reconcile:untold!' && lies 27 'reconcile:other!' &&
		lies 28 'reconcile:absent!' && lies 29 'any:tied!' &&
		lies 30 'any:tied!'
}

# A driver that ends, hangs or floods in an operation breaks a rule, not the kit.
no_operation_that_fails_ends_the_kit() {
	lies 10 'start:crash-before!' && lies 10 'start:crash-after!' &&
		lies 15 'open:half!' && lies 16 'poll:flood-out!' &&
		lies 22 'release:close!' && lies 26 'send:crash-after!' &&
		lies 27 'reconcile:twice!'
}

a_driver_shows_itself_in_the_list() {
	status 0 pawl driver list --json && answer '[.drivers[] | [.driver,
		(.capabilities | length)]] | tostring | test("scripted.,9")' true &&
		SCRIPT='describe:crash-before!' && export SCRIPT &&
		status 0 pawl driver list --json &&
		answer '.drivers[] | select(.driver == "scripted") | .capabilities' null
}

what_is_no_driver_is_refused() {
	status 3 pawl driver test none --json && code driver_not_found &&
		status 1 pawl driver test ../x --json && code invalid_argument &&
		status 2 pawl driver test host --rule 31 --json && code usage &&
		status 3 pawl driver serve scripted
}

a_kit_that_is_interrupted_leaves_nothing() {
	"$PAWL" driver test scripted >../out 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		[ -z "$(ls "$TMPDIR")" ] || break
		sleep 0.05
	done
	kill -TERM $pid && { wait $pid || true; } && clean
}

t the_host_keeps_what_it_offers
t processes_keep_the_rules
t a_good_program_keeps_the_rules
t each_rule_has_a_driver_that_breaks_it
t no_operation_that_fails_ends_the_kit
t a_driver_shows_itself_in_the_list
t what_is_no_driver_is_refused
t a_kit_that_is_interrupted_leaves_nothing
done_testing
