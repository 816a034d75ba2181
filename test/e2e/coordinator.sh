#!/bin/sh
# Two coordinators carry the quickstart's list to its end by plumbing verbs
# alone, with workers of their own: pawl starts nothing but checks.
#
# Each act whose verb takes a key has one, and is written down with how it ended
# and with the lines that the journal had before and after it.  At the end the
# journal holds what was told to be done, and nothing else.
# shellcheck disable=SC2154 # run, rundir and journal are handout.sh's
. "$(dirname "$0")/../cli/handout.sh"
unset PAWL_NOW PAWL_SEED # time goes on, and each token is another
quickstart=$(cd "$here/../../examples/quickstart" && pwd)
QUICKSTART_PAUSE=0
export quickstart QUICKSTART_PAUSE

lines() { wc -l <"$journal"; }

# act STATUS VERB...: $who does it under the next key, and it ends so.
act() {
	acts=$((acts + 1)) && act_under "$who-$acts" "$@"
}

act_under() {
	key=$1 want=$2 got=0 from=$(lines)
	shift 2
	verb=$*
	case $1 in
	sync | resume | recover) ;;
	*) set -- "$@" --key "$key" ;;
	esac
	"$PAWL" task "$@" --as "$who" --json >../out 2>../err || got=$?
	noted "$who" "$key" "$got" "$from" "$(lines)" "$verb" <../out >>../acts
	[ "$got" = "$want" ] && return 0
	echo "$who: task $* ended with $got, not $want"
	cat ../out ../err
	return 1
}

# noted WHO KEY STATUS FROM TO VERB: an act as it is written down.  A check is
# done, too, when it failed: then its answer has a result.
noted() {
	jq -c --arg who "$1" --arg key "$2" --argjson got "$3" --argjson from "$4" \
		--argjson to "$5" --arg verb "$6" '{who: $who, key: $key,
		status: $got, code: .error.code, done: has("result"),
		again: (.result.again // false), from: $from, to: $to,
		verb: $verb}'
}

# refused STATUS CODE VERB...: it is, and the journal keeps its bytes.
refused() {
	refused_status=$1 refused_code=$2
	shift 2
	unmoved act "$refused_status" "$@" && code "$refused_code"
}

node_is() {
	same "$1 $(pawl show "$run/$1" --json | jq -r .result.detail.status)" \
		"$1 $2"
}

hand_out() { act 0 dispatch "$@" && cp ../out ../handed; }

# by_worker ATTEMPT CMD...: where its worker was told to work, with what it was
# handed.
by_worker() (
	jq -r --arg a "$1" '.result.attempts[] | select(.attempt == $a) |
		"there=\(.workspace | @sh)", (.environment | to_entries[] |
		"export \(.key)=\(.value | @sh)")' ../handed >../env && shift &&
		unset PAWL_AS && . ../env && cd "$there" && "$@"
)

# worker [SCRIPT]: do as the quickstart's worker does, or as SCRIPT says; then
# hand in a result that names what changed.
worker() {
	if [ $# = 0 ]; then
		sh "$quickstart/worker.sh" <"$PAWL_CAPSULE"
	else
		eval "$1"
	fi && git status --porcelain -uall >../changed || return 1
	# shellcheck disable=SC2046 # no blank in these paths
	result "$PAWL_ATTEMPT" $(cut -c4- ../changed) |
		"$PAWL" task report --result -
}

# taken_in NODE@N [SCRIPT]: handed out, worked on, reported and taken in.
taken_in() {
	attempt=$1
	shift
	hand_out "${attempt%@*}" && by_worker "$attempt" worker "$@" &&
		act 0 sync && stood "$attempt" reported
}

landed() { act 0 check "$1" && act 0 integrate "$1" && act 0 grade "$1" pass; }

# --- The story.

it_begins() {
	cp -R "$quickstart/tally" ../repo && cd ../repo && git init -q -b main . &&
		# The list has no ticked box: somebody looked around before.
		sed '/\] survey/s/\[ \]/[x]/' "$quickstart/tasks.md" >tasks.md &&
		git add -A && git commit -qm 'tally 0.1.0' && pawl init 2>../err &&
		acts=0 who=ada && : >../acts &&
		status 0 pawl task start tasks.md --write .. --driver host -j 3 --json &&
		run=$(jq -r .result.run ../out) && rundir=$PWD/.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one && act 0 claim "$run"
}

a_ticked_box_is_checked_before_it_counts() {
	refused 1 task_not_ready dispatch lines &&
		act 0 import-checked survey --import-id before &&
		node_is survey PASSED
}

a_malformed_result_closes_its_slot() {
	hand_out lines && echo '{ "task_id": "lines"' \
		>"$rundir/outbox/lines@1/report.json" &&
		act 0 quarantine lines@1 --candidate \
			"$rundir/outbox/lines@1/report.json" &&
		stood lines@1 quarantined && act 0 sync &&
		taken_in lines@2 && landed lines
}

a_worker_asks_and_is_answered() {
	hand_out words && by_worker words@1 "$PAWL" task ask \
		--question 'Is a no-break space white?' && act 0 sync &&
		act 0 answer q1 'What isspace() says: no' &&
		by_worker words@1 grep -q 'isspace()' \
			"$rundir/outbox/words@1/answers/q1.json" &&
		by_worker words@1 worker && act 0 sync && landed words
}

a_failed_check_is_repaired() {
	taken_in longest@1 && act 1 check longest && code check_failed &&
		refused 1 check_failed grade longest pass &&
		act 0 repair longest --hypothesis 'a last line without a newline' &&
		taken_in longest@2 && landed longest
}

an_audit_rejects_what_had_passed() {
	taken_in program@1 'sh "$quickstart/worker.sh" </dev/null &&
		sed -i s/number.of.words/nunber/ src/tally.c' &&
		act 0 check program && act 0 finding program --id spelling \
		--class acceptance_violation --summary 'a word is misspelt' \
		--acceptance 'all measures' --path src/tally.c \
		--reproduction 'grep nunber' --repair 'one letter' \
		--gap 'no test reads the meaning' &&
		act 0 audit-reject program@1 --finding spelling \
			--hypothesis 'typed in a hurry' &&
		taken_in program@2 'sed -i "s/nunber/number of words/" src/tally.c' &&
		landed program
}

a_third_attempt_is_decided() {
	for attempt_no in 1 2; do
		taken_in usage@$attempt_no 'echo "/* $PAWL_ATTEMPT */" >>src/tally.c' &&
			act 1 check usage && code check_failed || return 1
		[ $attempt_no = 2 ] ||
			act 0 repair usage --hypothesis 'it says nothing' --fresh ||
			return 1
	done
	refused 1 repair_cap_reached repair usage --hypothesis 'nor does this' &&
		act 0 grade usage fail && node_is usage FAILED &&
		act 0 decide usage --action regroup --note 'by another worker' &&
		taken_in usage@3 && landed usage
}

# insist VERB...: one more act of ada's, beside all others; it is judged later.
insist() {
	turn=$((turn + 1)) got=0 from=$(lines)
	"$PAWL" task "$@" --as ada --key "insists-$turn" --json \
		>../out.ada 2>../err.ada || got=$?
	noted ada "insists-$turn" "$got" "$from" "$(lines)" "$*" \
		<../out.ada >>../insisted
}

# ada knows of no other and goes on, until ../over is there.
ada_goes_on() {
	turn=0
	until [ -e ../over ]; do
		insist finding edge-cases --class advisory --summary "no $turn"
		[ -e ../taken ] || continue
		insist dispatch blank-lines --defer
		insist check edge-cases
		insist transfer
	done
}

# insisted FILTER: two of her acts were so.
insisted() { jq -es "[.[] | select($1)] | length > 1" ../insisted >../enough; }

until_true() {
	for _ in $(seq 100); do
		"$@" 2>../err && return 0
		sleep 0.1
	done
	echo "never came true: $*"
	return 1
}

another_takes_over_while_the_first_goes_on() {
	taken_in edge-cases@1 && : >../insisted || return 1
	ada_goes_on &
	until_true insisted .done && who=bea &&
		act 9 check edge-cases && code not_permitted &&
		act 0 takeover --force --reason 'ada answers nobody' && : >../taken &&
		until_true insisted '.verb == "transfer"' &&
		landed edge-cases && a_part_is_delegated &&
		: >../over && wait && jq -es 'all(.done and .from < .to or
			.code == "stale_coordinator")' ../insisted
}

# The last line is cut in its middle, as if bea had been killed while it was
# written: the act wasn't done, and is done again.
a_torn_line_is_set_aside() {
	act 0 dispatch docs --defer && cp ../acts ../acts.torn &&
		sed '$d' ../acts.torn >../acts && torn=$key &&
		last=$(tail -n 1 "$journal" | wc -c) &&
		truncate -s -$((last / 2)) "$journal" &&
		act 0 resume &&
		act_under "$torn" 0 dispatch docs --defer &&
		act 0 recover attempt docs@1 && cp ../out ../handed &&
		by_worker docs@1 worker && act 0 sync && landed docs
}

# A part of a task is another's: its worker asks, it is granted and handed on,
# and reported and released before the task can pass.
a_part_is_delegated() {
	hand_out blank-lines && jq -n '{attempt_id: "blank-lines@1",
		purpose: "two empty lines", paths: ["test/cases/lines.txt"]}' \
		>../intent && by_worker blank-lines@1 "$PAWL" task ask \
		--delegate "$PWD/../intent" && act 0 sync &&
		act 0 delegate approve g1 && act 0 delegate start g1 &&
		result g1 | jq '.task_id = "blank-lines"' >../part &&
		env -u PAWL_AS PAWL_NODE=blank-lines PAWL_ATTEMPT=g1 \
			PAWL_OUTBOX="$rundir/outbox/g1" "$PAWL" task report \
			--result ../part &&
		act 0 delegate report g1 && act 0 delegate release g1 \
		--reason 'its part is in the tree' &&
		by_worker blank-lines@1 worker && act 0 sync &&
		landed blank-lines
}

# The gate is a human's, and isn't among the coordinators' acts.
a_human_releases() {
	taken_in review@1 true && act 0 check review && act 0 grade review pass &&
		taken_in changelog@1 && landed changelog &&
		refused 5 gates_open complete --outcome pass &&
		status 0 pawl approve "$run/release!1" --key human-1 &&
		taken_in release@1 && landed release
}

it_ends() {
	act 0 complete --outcome pass && status 0 pawl task digest "$run" --json &&
		answer '[.run.outcome, .cleanups.pending]' '["pass",[]]'
}

# --- The account.

# Each line that a coordinator wrote is of one act that was done: by its key,
# or, without one, by where it stands.  Each act that was done has lines; what
# was refused, or done before, has none.
every_act_is_accounted_for() {
	cat ../acts ../insisted | jq -cs . >../all &&
		jq -cs '[.[] | {seq, actor, key, gen}]' "$journal" >../lines &&
		jq -ne --slurpfile all ../all --slurpfile lines ../lines '
			$all[0] as $acts | $lines[0] as $lines |
			def owns($l): .done and "coordinator:" + .who == $l.actor and
				(if $l.key then .key == $l.key
				else .from < $l.seq and $l.seq <= .to end);
			([$lines[1:][] | . as $l | select([$acts[] |
				select(owns($l))] | length != 1) |
				select(.key != "human-1")]) as $foreign |
			([$acts[] | . as $a | [$lines[] | . as $l |
				select($a | owns($l))] | length | select((. > 0) !=
				($a.done and ($a.again | not))) | $a]) as $untrue |
			{$foreign, $untrue} | ., $foreign + $untrue == []' \
			>../account || { cat ../account && return 1; }
}

# What the list allowed is what changed, and what was made works.
what_was_made_is_what_the_list_allowed() {
	git diff -z --name-only main "pawl/$run/main" | tr '\0' '\n' >../changed &&
		sed -n 's/^  Paths: \[\(.*\)\]$/\1/p' tasks.md | tr -d ' ' |
		tr , '\n' >../scopes && while read -r path; do
			grep -qxF -e "$path" -e "${path%/*}/" ../scopes || {
				echo "$path is in no scope" && return 1
			}
		done <../changed && git worktree add -q ../made "pawl/$run/main" &&
		status 0 sh ../made/test/run.sh all release &&
		git worktree remove ../made &&
		same "$(git worktree list | wc -l)" 1 &&
		same "$(git status --porcelain)" ''
}

the_journal_tells_it_all() {
	status 0 pawl verify "$run" && git fsck --no-progress &&
		status 0 pawl export --ledger "$run" && cp ../out ../ledger &&
		status 0 pawl ledger check ../ledger &&
		for type in result_quarantined question_answered node_imported \
			coordinator_taken_over decision_recorded gate_decided \
			delegation_requested delegation_released \
			journal_repaired; do
			same "$type $(happened $type)" "$type 1" || return 1
		done
}

two_coordinators_carry_a_list_to_its_end() {
	for step in it_begins a_ticked_box_is_checked_before_it_counts \
		a_malformed_result_closes_its_slot a_worker_asks_and_is_answered \
		a_failed_check_is_repaired an_audit_rejects_what_had_passed \
		a_third_attempt_is_decided \
		another_takes_over_while_the_first_goes_on \
		a_torn_line_is_set_aside a_human_releases it_ends \
		every_act_is_accounted_for what_was_made_is_what_the_list_allowed \
		the_journal_tells_it_all; do
		$step || {
			echo "in $step"
			: >../over && wait
			return 1
		}
	done
}

t two_coordinators_carry_a_list_to_its_end
done_testing
