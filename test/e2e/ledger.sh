#!/bin/sh
# An agent that knows nothing but `pawl ledger --help` keeps a long task in a
# ledger, is killed in the middle of its verbs, and goes on from what it finds.
#
# LEDGER_KILLS says how many kills a case makes (8), LEDGER_SEED when.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2154 # the runner's
notes=$top/notes
unset PAWL_SEED # what was killed isn't tried again under the same name
kills=${LEDGER_KILLS:-8}
seed=${LEDGER_SEED:-$(date +%s)}
echo "# seed $seed"

# place: a repository in which ledgers may lie, and the help.
place() {
	repo && echo .codex/ >.gitignore && git add .gitignore &&
		git commit -q -m ignore && pawl ledger --help >../help &&
		: >../killed && mortal=0 where= && awk -v seed="$seed" \
		'BEGIN { srand(seed)
			for (i = 0; i < 10000; i++) print int(rand() * 65536)
		}' >../random && exec 9<../random
}

# random BELOW: the next whole number of the seeded row.
random() {
	read -r next <&9
	echo $((next % $1))
}

# told VERB [WORD...]: the help lists the verb, and its own help each option.
told() {
	verb=$1
	shift
	grep -q "^  ledger $verb  *[a-z]" ../help || {
		echo "the help has no '$verb'"
		return 1
	}
	[ -s "../help.$verb" ] ||
		pawl ledger "$verb" --help >"../help.$verb" || return 1
	for word; do
		case $word in
		--) break ;;
		--*)
			grep -q "^ .*[ ,]${word%%=*}\( \|$\)" "../help.$verb" || {
				echo "the help of '$verb' has no '$word'"
				return 1
			}
			;;
		esac
	done
}

# agent VERB ARG...: one verb of the ledger `where`; while the agent is mortal
# it may be killed at any moment, which is 137.
agent() {
	# shellcheck disable=SC2086 # none or two words
	set -- "$@" $where
	told "$@" || return 1
	if [ "$(wc -l <../killed)" -ge "$mortal" ] || [ "$(random 3)" = 0 ]; then
		pawl ledger "$@"
		return
	fi
	got=0
	timeout -s KILL "0.00$(random 5)$(random 10)" "$PAWL" ledger "$@" || got=$?
	[ $got != 137 ] || echo "$1" >>../killed
	return $got
}

# ten_nodes: what the task needs, added one by one and as one.
ten_nodes() {
	agent add scope --title 'Resolve the scope' --kind scope --role main \
		--expected 'A bounded target' &&
		agent add explore-a --title 'Read the parser' --kind explore \
			--depends scope &&
		agent add explore-b --title 'Read the "writer"' --kind explore \
			--depends scope --no-evidence &&
		cat >../batch.json <<-'END' && agent add --batch ../batch.json
			[{"id": "report", "title": "Say what was done", "kind": "synthesize",
			  "depends_on": ["review", "release"]},
			 {"id": "plan", "title": "Decide \u00fcber alles", "kind": "synthesize",
			  "depends_on": ["explore-a", "explore-b"]},
			 {"id": "build", "title": "Write it", "kind": "execute",
			  "access": "workspace-write", "depends_on": ["plan"]},
			 {"id": "docs", "title": "Describe it", "kind": "execute",
			  "access": "workspace-write", "depends_on": ["plan"]},
			 {"id": "verify", "title": "Test it", "kind": "verify",
			  "depends_on": ["build"], "max_attempts": 1},
			 {"id": "review", "title": "Read it again", "kind": "review",
			  "depends_on": ["verify", "docs"]},
			 {"id": "release", "title": "Publish it", "kind": "execute",
			  "access": "external-write", "depends_on": ["verify"]}]
		END
}

# next_step: one step of the node that is furthest on, by what the ledger says.
next_step() {
	agent show --json >../seen.json || return
	jq -e .ok ../seen.json >/dev/null || return 1
	step=$(jq -r '.result.state | (.nodes | map(.id)) as $ids | .nodes |
		map(select(.status == ("RUNNING", "NEEDS_APPROVAL", "FAILED", "READY"))) |
		map(select((.status == "FAILED" and
			($ids | index("verify-repair"))) | not)) |
		sort_by(.status == "READY") | .[0] // empty |
		"\(.status) \(.id) \(.attempt)"' ../seen.json)
	# shellcheck disable=SC2086 # three words
	set -- $step
	case "$1 ${2:-} ${3:-}" in
	"RUNNING verify 1") agent set verify FAILED --reason 'exit 1' ;;
	"RUNNING "*) agent set "$2" PASSED --evidence "$2 did what it should" ;;
	"READY "*) agent set "$2" RUNNING ;;
	"NEEDS_APPROVAL "*) agent approve "$2" --reason 'go on' ;;
	"FAILED "*) agent repair "$2" --title 'Mend the test' ;;
	*)
		echo "no step: '$step'"
		return 1
		;;
	esac
}

run_status() {
	# shellcheck disable=SC2086
	pawl ledger show --json $where | jq -r .result.state.status
}

# walk STATUS [STEPS]: step by step until the ledger is at STATUS, or for so
# many steps.  After a kill the ledger is whole.
walk() {
	for _ in $(seq "${2:-400}"); do
		[ "$(run_status)" != "$1" ] || return 0
		got=0
		next_step >../said 2>&1 || got=$?
		case $got in
		0) ;;
		137) is_whole || return 1 ;;
		*)
			echo "a step ended with $got"
			cat ../said ../seen.json
			return 1
			;;
		esac
	done
	[ -n "${2:-}" ] || {
		echo "it never was $1"
		return 1
	}
}

# is_whole: no violation, and no step outside the table of statuses.
is_whole() {
	if [ -n "$(rid)" ]; then
		pawl verify "$(rid)" && pawl export --ledger "$(rid)" >../export.json &&
			pawl ledger check --strict ../export.json
	else
		pawl ledger check --strict "$(find .codex .. -maxdepth 3 \
			-name l.json -o -name state.json)"
	fi >../whole 2>&1 || {
		cat ../whole
		return 1
	}
}

# ended: COMPLETE by the way that was asked for, and nothing left beside it.
ended() {
	# shellcheck disable=SC2086
	pawl ledger show --json $where >../end.json && is_whole &&
		same "$(jq -r .result.state.status ../end.json)" COMPLETE &&
		same "$(jq -r '[.result.state.nodes[] | select(.status != "PASSED").id] |
			join(" ")' ../end.json)" "" &&
		same "$(jq '.result.state.nodes | length' ../end.json)" 11 &&
		same "$(jq -r '.result.state.nodes[] | select(.id == "verify") |
			"\(.attempt) \(.depends_on | join(","))"' ../end.json)" \
			"2 build,verify-repair" &&
		same "$(jq -r '.result.state.nodes[] | select(.id == "release") |
			.approval' ../end.json)" granted &&
		same "$(find .. -name '*.pawl-tmp')" "" &&
		{ [ ! -s ../killed ] || echo "# killed: $(sort ../killed |
			uniq -c | tr -s ' \n' ' ')" >>"$notes"; }
}

in_file() {
	where="--file $1"
}

ten_nodes_walk_to_the_end_by_what_the_help_says() {
	place && told new --file && pawl ledger new 'Ten nodes' --file ../l.json &&
		in_file ../l.json && ten_nodes && walk COMPLETE && ended
}

the_default_place_is_found_without_a_name() {
	place && pawl ledger new 'Ten nodes' && ten_nodes && walk COMPLETE && ended &&
		same "$(find .codex/graph-runs -name state.json | wc -l)" 1 &&
		same "$(git status --short)" ""
}

# Killed anywhere, the file is whole and the agent goes on.
a_killed_agent_goes_on_from_the_file() {
	place && pawl ledger new 'Ten nodes' --file ../l.json && in_file ../l.json &&
		ten_nodes && mortal=$kills && walk COMPLETE && ended
}

# The file is lost half-way; what was put into the task's text is not.
a_killed_agent_goes_on_from_the_capsule() {
	place && pawl ledger new 'Ten nodes' --file ../l.json && in_file ../l.json &&
		ten_nodes && mortal=$kills && walk COMPLETE 12 && mortal=0 &&
		pawl ledger capsule --file ../l.json >../capsule &&
		[ "$(wc -c <../capsule)" -le 4096 ] &&
		cp ../l.json ../before.json && rm ../l.json &&
		told restore --file &&
		pawl ledger restore ../capsule --file ../l.json &&
		same "$(jq -S . ../l.json)" "$(jq -S . ../before.json)" &&
		mortal=$((kills * 2)) && walk COMPLETE && ended
}

a_killed_agent_goes_on_from_its_run() {
	place && told new --run && pawl ledger new 'Ten nodes' --run &&
		ten_nodes && mortal=$kills && walk COMPLETE && ended &&
		told complete && pawl ledger complete &&
		status 1 pawl ledger set "$(rid)/scope" RUNNING &&
		pawl ledger show "$(rid)" &&
		pawl list --all | grep -q "$(rid)  COMPLETE"
}

# C012, C020: at every system call that looks at a file or writes.
a_verb_killed_anywhere_leaves_the_old_file_or_the_new() {
	place && pawl ledger new 'Ten nodes' --file ../l.json && in_file ../l.json &&
		ten_nodes && cp ../l.json ../old.json || return 1
	# The sanitizer for leaks is a tracer, too.
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
	export ASAN_OPTIONS
	strace -qq -o ../trace "$PAWL" ledger set scope RUNNING --file ../l.json &&
		cp ../l.json ../new.json && grep -q '^renameat' ../trace &&
		awk -F'(' '{ n[$1]++ } $1 ~ /^(open|rename|unlink)(at)?$/ ||
			$1 ~ /^(flock|p?write.*|f(data)?sync|close|exit_group)$/ {
			print $1 ":signal=KILL:when=" n[$1] }' ../trace >../points &&
		old=0 new=0 || return 1
	while read -r point; do
		cp ../old.json ../l.json
		# strace ends as what it traces did.
		(exec strace -qq -o /dev/null -e "inject=$point" "$PAWL" ledger set \
			scope RUNNING --file ../l.json >/dev/null 2>&1)
		[ $? = 137 ] || {
			echo "not killed at $point"
			return 1
		}
		if cmp -s ../l.json ../old.json; then
			old=$((old + 1))
			pawl ledger set scope RUNNING --file ../l.json || return 1
		else
			new=$((new + 1))
		fi
		cmp ../l.json ../new.json &&
			same "$(find .. -name '*.pawl-tmp' | wc -l)" 0 || return 1
	done <../points
	echo "# a verb killed at $((old + new)) system calls: $old old, $new new" \
		>>"$notes"
	[ $old -gt 5 ] && [ $new -gt 3 ]
}

# every_verb FILE PATTERN: each verb that reads FILE refuses it, and says what
# the pattern does; FILE and all beside it stay as they are.
every_verb() {
	file=$1 pattern=$2
	before=$(tree "${file%/*}" | grep -v '\.lock')
	for verb in "check $file" "import $file" "show --file $file" "capsule --file $file" \
		"add a --title A --file $file" "set a RUNNING --file $file" \
		"evidence a x --file $file" "approve a --file $file" \
		"deny a --file $file" "repair a --title A --file $file"; do
		# shellcheck disable=SC2086 # words
		status 1 pawl ledger $verb || return 1
		cat ../out ../err | grep -q "$pattern" || {
			echo "'$verb' doesn't say '$pattern':"
			cat ../out ../err
			return 1
		}
		same "$(tree "${file%/*}" | grep -v '\.lock')" "$before" || return 1
	done
}

# C022, C012: what can't be read is never taken for nothing, or replaced.
garbage_is_located_and_stays() {
	place && mkdir ../l && f=../l/l.json && : >$f &&
		every_verb $f 'line 1, column 1' && echo '{"run_id": "x", ]' >$f &&
		every_verb $f 'line 1, column 17' &&
		head -c 4096 /dev/zero >$f && every_verb $f 'line 1, column 1' &&
		pawl ledger new 'A task' --file ../good.json &&
		pawl ledger add a --title A --file ../good.json &&
		head -c -9 ../good.json >$f && every_verb $f 'line [0-9]*, column' &&
		{ cat ../good.json && printf '\0\0\0'; } >$f &&
		every_verb $f 'line [0-9]*, column' &&
		sed 's/PENDING/DONE/' ../good.json >$f &&
		every_verb $f "l.json:[0-9]*:[0-9]*: .*'DONE'" &&
		status 3 pawl ledger set a RUNNING --file ../l/none.json &&
		[ ! -e ../l/none.json ]
}

# says FILE: what the check says of it, without its name and columns.
says() {
	pawl ledger check "$1" --json | jq -c '.result | del(.. | .line?, .column?)'
}

# C113
line_ends_and_byte_order_marks_are_read_or_refused_by_name() {
	place && pawl ledger new 'A task' --file ../lf.json &&
		pawl ledger add a --title A --file ../lf.json &&
		jq . ../lf.json >../pretty.json && want=$(says ../pretty.json) &&
		same "$(says ../lf.json)" "$want" &&
		sed 's/$/\r/' ../pretty.json >../crlf.json &&
		tr '\n' '\r' <../pretty.json >../cr.json &&
		{ printf '\357\273\277' && cat ../crlf.json; } >../bom.json &&
		printf %s "$(cat ../pretty.json)" >../short.json &&
		sed 's/$/ \t /' ../pretty.json >../blanks.json || return 1
	for name in crlf cr bom short blanks; do
		same "$name $(says ../$name.json)" "$name $want" &&
			pawl ledger set a RUNNING --file ../$name.json &&
			pawl ledger check ../$name.json || return 1
	done
	for to in UTF-16 UTF-16LE UTF-16BE; do
		iconv -t $to ../lf.json >../wide.json &&
			cp ../wide.json ../was.json &&
			status 1 pawl ledger check ../wide.json &&
			grep -q UTF-16 ../err &&
			status 1 pawl ledger add b --title B --file ../wide.json &&
			grep -q UTF-16 ../err && cmp ../wide.json ../was.json || return 1
	done
	{ printf '\357\273\277\357\273\277' && cat ../lf.json; } >../two.json &&
		status 1 pawl ledger check ../two.json &&
		grep -q 'byte order mark\|line 1, column' ../err
}

# hostile: names that would leave the folder, or be taken for something else.
hostile() {
	printf '%s\n' ../x .. . a/b 'a\b' /etc/x -rf 'a b' a..b a.lock 'a@1' \
		'a!1' 'a~1' '$(touch pwned)' '`touch pwned`' 'a;touch pwned' \
		"$(printf 'a\tb')" "$(printf 'a\033[31mb')" \
		"$(printf '\303\251')" A "$(head -c 10000 /dev/zero | tr '\0' q)"
}

# files: all that is there beside what this suite notes.
files() {
	(cd .. && tree l && find . -maxdepth 1 -newer names -type f ! -name out \
		! -name err ! -name files) | grep -v '\.lock'
	tree .
	[ ! -d "$XDG_STATE_HOME" ] || find "$XDG_STATE_HOME" -type f ! -name '*lock*'
}

# refuses CMD...: with an error, not a crash; nothing is made anywhere.
refuses() {
	got=0
	"$@" >../out 2>../err </dev/null || got=$?
	case $got in
	[123459]) ;;
	*)
		echo "status $got: $*"
		cat ../out ../err
		return 1
		;;
	esac
	if grep -q "$(printf '\033')" ../out ../err; then
		echo "an escape went through: $*"
		return 1
	fi
}

# C115: in every operand and option that names something.
hostile_names_are_refused_and_make_nothing() {
	place && mkdir ../l && l='--file ../l/l.json' &&
		pawl ledger new 'A task' $l && pawl ledger add a --title A $l &&
		pawl ledger set a RUNNING $l && hostile >../names &&
		printf '\n' >>../names && files >../files || return 1
	while IFS= read -r name; do
		refuses pawl ledger add --title T $l -- "$name" &&
			refuses pawl ledger add b --title T --depends "$name," $l &&
			refuses pawl ledger set $l -- "$name" PASSED &&
			refuses pawl ledger set $l a "$name" &&
			refuses pawl ledger evidence $l -- "$name" x &&
			refuses pawl ledger evidence $l a "file:$name" &&
			refuses pawl ledger evidence $l a "sha256:$name" &&
			refuses pawl ledger evidence $l a "commit:$name" &&
			refuses pawl ledger approve $l -- "$name" &&
			refuses pawl ledger repair --title T $l -- "$name" &&
			refuses pawl ledger show -- "$name" &&
			refuses pawl ledger set -- "$name/a" RUNNING &&
			refuses pawl export --ledger -- "$name" || return 1
		# As a run's id that one is good.
		[ "$name" = A ] ||
			refuses pawl ledger new T --id "$name" || return 1
		files | diff ../files - || {
			echo "for $name"
			return 1
		}
	done <../names
}

# C115: the same in a file that somebody else wrote.
hostile_names_in_a_file_are_refused() {
	place && pawl ledger new 'A task' --file ../l.json &&
		pawl ledger add a --title A --file ../l.json && hostile >../names &&
		mkdir ../in || return 1
	while IFS= read -r name; do
		for at in .run_id '.nodes[0].id' '.nodes[0].depends_on[0]' .status \
			'.nodes[0].status' '.nodes[0].kind' '.nodes[0].access' \
			'.nodes[0].approval' '.nodes[0].role'; do
			case "$name $at" in
			'A .run_id') continue ;;
			esac
			jq --arg name "$name" "$at = \$name" ../l.json >../in/bad.json &&
				status 1 pawl ledger check ../in/bad.json --json &&
				jq -e '.result.violations | length > 0' ../out >/dev/null &&
				status 1 pawl ledger restore ../in/bad.json --file ../in/r.json &&
				[ ! -e ../in/r.json ] && [ ! -e pwned ] || {
				echo "taken at $at: $name"
				return 1
			}
		done
	done <../names
}

: >"$notes"
t ten_nodes_walk_to_the_end_by_what_the_help_says
t the_default_place_is_found_without_a_name
t a_killed_agent_goes_on_from_the_file
t a_killed_agent_goes_on_from_the_capsule
t a_killed_agent_goes_on_from_its_run
if strace -o /dev/null true 2>/dev/null; then
	t a_verb_killed_anywhere_leaves_the_old_file_or_the_new
else
	skip a_verb_killed_anywhere_leaves_the_old_file_or_the_new 'no strace'
fi
t garbage_is_located_and_stays
t line_ends_and_byte_order_marks_are_read_or_refused_by_name
t hostile_names_are_refused_and_make_nothing
t hostile_names_in_a_file_are_refused
cat "$notes"
done_testing
