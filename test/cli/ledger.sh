#!/bin/sh
# The verbs that open, edit and show a ledger's file.
. "$(dirname "$0")/lib.sh"

# opened: a repository whose .codex/ is ignored, with the ledger g1.
opened() {
	repo && echo .codex/ >.gitignore &&
		status 0 pawl ledger new --id g1 'Audit the project' &&
		file=.codex/graph-runs/g1/state.json
}

# add ID OPTION...: a node with a title.
add() {
	id=$1
	shift
	status 0 pawl ledger add "$id" --title "Node $id" "$@"
}

# refused CODE WORD...: a verb that says no, and no byte of the folder changes.
refused() {
	want=$1
	shift
	cp -a .codex ../kept || return 1
	"$PAWL" --json "$@" >../out 2>../err
	code "$want" && (cd .. && diff -r kept w/.codex)
	got=$?
	rm -rf ../kept
	return $got
}

# node ID FILTER: of the file.
node() {
	jq -c --arg id "$1" ".nodes[] | select(.id == \$id) | $2" "$file"
}

a_ledger_is_walked_to_its_end() {
	opened && add a && add b --depends a --approval &&
		status 0 pawl ledger set a RUNNING &&
		status 0 pawl ledger set a PASSED --evidence 'make check: exit 0' &&
		status 5 pawl ledger set b RUNNING &&
		status 0 pawl ledger approve b --reason fine &&
		status 0 pawl ledger set b RUNNING &&
		status 0 pawl ledger evidence b 'read it twice' &&
		status 0 pawl ledger set b PASSED &&
		same "$(jq -r .status "$file")" COMPLETE &&
		same "$(node b .status_history)" \
			'["PENDING","NEEDS_APPROVAL","PENDING","READY","RUNNING","PASSED"]' &&
		status 0 pawl ledger check "$file" &&
		status 0 pawl ledger show --json &&
		answer '[.earned, (.state.nodes | length)]' '["COMPLETE",2]' &&
		status 0 pawl ledger show --dot && cp ../out ../dot &&
		status 0 pawl draw --dot "$file" && cmp ../out ../dot &&
		status 0 pawl ledger show &&
		same "$(head -n 1 ../out)" 'g1  COMPLETE  2/2 passed'
}

a_failed_node_is_repaired() {
	opened && add a --max-attempts 1 && status 0 pawl ledger set a RUNNING &&
		refused step_not_allowed ledger repair a --title Mend &&
		status 0 pawl ledger set a FAILED &&
		refused reason_needed ledger set a READY &&
		status 0 pawl ledger repair a --title Mend --json &&
		answer .added '[{"node":"a-repair","status":"READY"}]' &&
		status 0 pawl ledger set a-repair RUNNING &&
		status 0 pawl ledger set a-repair PASSED --evidence 'mended it' --json &&
		answer .mended '"a"' &&
		same "$(node a '[.status, .depends_on, .max_attempts]')" \
			'["READY",["a-repair"],2]' &&
		status 0 pawl ledger set a RUNNING && status 0 pawl ledger set a FAILED &&
		status 0 pawl ledger repair a --title Again --id other &&
		status 0 pawl ledger set other RUNNING &&
		status 0 pawl ledger set other PASSED --evidence 'mended it' &&
		same "$(node a .status)" '"FAILED"' &&
		status 0 pawl ledger repair a --id other &&
		same "$(node a '[.status, .depends_on]')" '["READY",["a-repair","other"]]'
}

# What the repair waited for was SKIPPED, and waits for the node itself.
a_repair_makes_no_cycle() {
	opened && add a --max-attempts 1 && add b --depends a &&
		status 0 pawl ledger set b SKIPPED --reason 'no need' &&
		status 0 pawl ledger set a RUNNING && status 0 pawl ledger set a FAILED &&
		refused cycle ledger repair a --title Mend --depends b &&
		refused cycle ledger repair a --title Mend --depends a &&
		add a-repair --kind repair --depends b &&
		status 0 pawl ledger set a-repair RUNNING &&
		status 0 pawl ledger set a-repair PASSED --evidence 'mended it' &&
		grep -q "'a' stays FAILED" ../err &&
		same "$(node a '[.status, .depends_on]')" '["FAILED",[]]' &&
		same "$(node a-repair .status)" '"PASSED"' &&
		refused cycle ledger repair a --id a-repair &&
		status 0 pawl ledger check "$file"
}

# Its dependency was never done: somebody else's file, and a sound one.
a_repair_passes_though_its_node_may_not_run() {
	opened && add z && add a --max-attempts 1 &&
		status 0 pawl ledger set a RUNNING && status 0 pawl ledger set a FAILED &&
		status 0 pawl ledger repair a --title Mend &&
		status 0 pawl ledger set a-repair RUNNING &&
		jq '.nodes[1].depends_on = ["z"]' "$file" >../f && cp ../f "$file" &&
		status 0 pawl ledger check "$file" &&
		status 0 pawl ledger set a-repair PASSED --evidence 'mended it' --json &&
		answer '[.status, .mended]' '["PASSED",null]' &&
		grep -q "'a' stays FAILED" ../err &&
		same "$(node a .status)" '"FAILED"' &&
		status 0 pawl ledger set z SKIPPED --reason 'no need' &&
		status 0 pawl ledger repair a --id a-repair &&
		same "$(node a '[.status, .depends_on]')" '["READY",["z","a-repair"]]'
}

# C090: each refusal has a reason of its own, and the node stays RUNNING.
evidence_that_is_none_is_refused() {
	opened && add a && add b && echo old >old && touch -d '1 hour ago' old &&
		: >empty && ln -s /etc/passwd out && mkdir dir && ln -s /etc dir/up &&
		status 0 pawl ledger set a RUNNING &&
		refused evidence_needed ledger set a PASSED &&
		refused evidence_missing ledger set a PASSED --evidence file:none &&
		refused evidence_empty ledger set a PASSED --evidence file:empty &&
		refused evidence_stale ledger set a PASSED --evidence file:old &&
		for path in ../w/one /etc/passwd out dir/../../x dir/up/passwd; do
			refused evidence_outside ledger set a PASSED \
				--evidence "file:$path" || return 1
		done &&
		refused evidence_unproven ledger set a PASSED --evidence 'make check' &&
		refused evidence_missing ledger set a PASSED --evidence file:dir &&
		refused evidence_missing ledger set a PASSED --evidence commit:1234567 &&
		refused invalid_argument ledger set a PASSED --evidence commit:main &&
		refused evidence_missing ledger set a PASSED \
			--evidence "sha256:$(printf '%064d' 1)" &&
		refused invalid_argument ledger set a PASSED --evidence sha256:12 &&
		refused invalid_argument ledger set a PASSED --evidence url:nowhere &&
		refused evidence_needed ledger set a PASSED --evidence ' ' &&
		same "$(node a '[.status, .evidence]')" '["RUNNING",[]]' &&
		echo new >new &&
		status 0 pawl ledger evidence a file:new "commit:$(git rev-parse HEAD)" \
			check:unit@1 url:https://example.org/1 'make check: exit 0' &&
		status 0 pawl ledger set a PASSED &&
		same "$(node a '.evidence | length')" 5
}

texts_are_one_line() {
	opened && add a &&
		lines=$(printf 'one\ntwo') && tab=$(printf 'one\ttwo') &&
		refused invalid_argument ledger add b --title b \
			--expected "$lines" &&
		same "$(jq -r .error.hint ../out)" \
			'texts of a ledger are one line: write blanks for line ends and tabs' &&
		refused invalid_argument ledger evidence a "$tab" &&
		refused invalid_argument ledger new --id g2 "$lines" &&
		jq '.nodes[0].expected_output = "one\ntwo"' "$file" >../bad &&
		cp ../bad "$file" &&
		refused invalid_ledger ledger evidence a x &&
		status 1 pawl ledger check "$file" --json &&
		same "$(jq -r '.result.violations[0].hint' ../out)" \
			'the text is one line: write blanks for line ends and tabs'
}

# What is old is known of attempts that pawl began; of others nothing is.
an_attempt_of_others_makes_nothing_old() {
	opened && add a && echo old >old && touch -d '1 hour ago' old &&
		status 0 pawl ledger set a RUNNING &&
		rm .codex/graph-runs/g1/.state.json.attempts &&
		status 0 pawl ledger set a PASSED --evidence file:old
}

long_output_is_kept_by_its_digest() {
	opened && add a && status 0 pawl ledger set a RUNNING &&
		seq 1000 >../log && sum=$(sha256sum <../log | cut -c1-64) &&
		status 0 pawl ledger evidence a --from ../log --dry-run &&
		[ ! -e .codex/graph-runs/g1/artifacts ] &&
		status 0 pawl ledger evidence a --from - <../log &&
		cmp ../log ".codex/graph-runs/g1/artifacts/sha256/$sum" &&
		same "$(node a .evidence)" "[\"sha256:$sum\"]" &&
		status 0 pawl ledger evidence a "sha256:$sum" &&
		echo x >>".codex/graph-runs/g1/artifacts/sha256/$sum" &&
		refused evidence_mismatch ledger evidence a "sha256:$sum" &&
		: >../none && refused evidence_empty ledger evidence a --from ../none
}

# A link would lead the bytes to where git sees them.
artifacts_are_kept_in_no_other_folder() {
	opened && add a && seq 9 >../log && mkdir sub sub/sha256 && dir=${file%/*} &&
		sum=$(sha256sum <../log | cut -c1-64) &&
		cp ../log "sub/sha256/$sum" && ln -s "$PWD/sub" "$dir/artifacts" &&
		seq 8 >../more && tree sub >../before &&
		status 9 pawl ledger evidence a --from ../more --json &&
		code unsafe_path &&
		status 9 pawl ledger evidence a "sha256:$sum" --json &&
		code unsafe_path && rm "$dir/artifacts" && mkdir "$dir/artifacts" &&
		ln -s "$PWD/sub/sha256" "$dir/artifacts/sha256" &&
		status 9 pawl ledger evidence a --from ../more &&
		tree sub >../after && cmp ../before ../after &&
		rm "$dir/artifacts/sha256" && status 0 pawl ledger evidence a --from ../more
}

# C077, C082: in any order, one step, or nothing.
a_batch_is_one_step() {
	opened && add z &&
		cat >../batch <<'END' &&
[{"id":"c","title":"C","depends_on":["b","z"]},{"id":"b","title":"B",
"depends_on":["a"],"kind":"verify","evidence_required":false,"max_attempts":5},
{"id":"a","title":"A","access":"external-write"}]
END
		status 0 pawl ledger add --batch ../batch --json &&
		answer '[.added[].node]' '["a","b","c"]' &&
		same "$(node c .depends_on)" '["b","z"]' &&
		same "$(node a '[.status, .approval]')" '["NEEDS_APPROVAL","required"]' &&
		same "$(node b '[.kind, .access, .max_attempts]')" '["verify","read-only",5]' &&
		refused id_taken ledger add --batch ../batch &&
		echo '[{"id":"d","title":"D"},{"id":"d","title":"D"}]' >../batch &&
		refused id_taken ledger add --batch ../batch &&
		echo '[{"id":"d","title":"D","depends_on":["nope"]}]' >../batch &&
		refused unknown_dependency ledger add --batch ../batch &&
		echo '[{"id":"d","title":"D","depends_on":["d"]}]' >../batch &&
		refused cycle ledger add --batch ../batch &&
		echo '[{"id":"d","title":"D"},{"id":"e","title":"E","depends_on":["f"]},
			{"id":"f","title":"F","depends_on":["g","d"]},
			{"id":"g","title":"G","depends_on":["e"]}]' >../batch &&
		refused cycle ledger add --batch ../batch &&
		same "$(jq -c '[.error.message, .error.details]' ../out)" \
			'["the batch has a cycle of dependencies: e -> f -> g -> e",{"cycle":["e","f","g","e"]}]' &&
		echo '[{"id":"d","title":"D"},{"id":"e","title":"E","status":"PASSED"}]' >../batch &&
		refused invalid_document ledger add --batch ../batch &&
		same "$(jq -r .error.field ../out)" /1/status &&
		echo '[{"id":"d","title":"D"},{"id":"E","title":"E"}]' >../batch &&
		refused invalid_id ledger add --batch ../batch &&
		echo '[{"id":"d","title":"D"}' >../batch &&
		refused not_json ledger add --batch ../batch &&
		echo '{"nodes":[]}' >../batch &&
		refused invalid_document ledger add --batch ../batch &&
		echo '[]' >../batch && status 0 pawl ledger add --batch - <../batch &&
		same "$(jq '.nodes | length' "$file")" 4
}

# C088: in the verb and in the file.
other_words_are_refused_with_the_list() {
	opened && add a && status 0 pawl ledger set a RUNNING &&
		for word in 'done' completed closed kept verified passed; do
			refused invalid_argument ledger set a "$word" &&
				jq -e '.error.message | test("PENDING, READY, RUNNING, PASSED")' \
					../out >/dev/null &&
				jq --arg w "$word" '.nodes[0].status = $w' "$file" >../bad &&
				cp ../bad "$file" &&
				refused invalid_ledger ledger set a READY &&
				jq '.nodes[0].status = "RUNNING"' ../bad >"$file" || return 1
		done
}

# C115: an id never leads anywhere.
hostile_ids_are_refused() {
	opened && long=$(printf '%0200d' 7) &&
		for id in ../x .. . 'a\b' '' '-rf' 'a b' A.lock x.lock "$long" 'é' '~'; do
			refused invalid_id ledger add --title T -- "$id" || return 1
		done &&
		for id in ../x .. . a/b '' '-rf' "$long"; do
			refused invalid_id ledger new T "--id=$id" || return 1
		done &&
		refused invalid_id ledger add /etc/x --title T &&
		refused invalid_id ledger add ../g1/x --title T &&
		refused run_not_found ledger add nope/x --title T &&
		same "$(jq '.nodes | length' "$file")" 0
}

# C022: what isn't a ledger is told with its place, and stays as it is.
garbage_is_never_written_over() {
	opened && add a &&
		for bytes in '' '{' 'null' '[]' '{"schema_version":1}' '\0\0\0' 'x'; do
			printf "$bytes" >"$file" && cp "$file" ../bytes &&
				{ status 1 pawl ledger set a RUNNING &&
				status 1 pawl ledger add b --title B &&
				status 1 pawl ledger evidence a x &&
				status 1 pawl ledger approve a &&
				status 1 pawl ledger show; } && cmp "$file" ../bytes || return 1
		done
}

a_link_is_no_ledger() {
	opened && mv "$file" ../real && ln -s "$PWD/../real" "$file" &&
		refused unsafe_path ledger add a --title A
}

who_may_decide() {
	opened && add a --approval && add b &&
		PAWL_ATTEMPT=X@1 refused worker_context ledger approve a &&
		PAWL_ATTEMPT=X@1 refused worker_context ledger deny a &&
		PAWL_ATTEMPT=X@1 refused not_permitted ledger set a SKIPPED --reason r &&
		refused gate_not_found ledger approve b &&
		status 0 pawl ledger deny a --reason 'not now' &&
		refused gate_decided ledger approve a &&
		PAWL_ATTEMPT=X@1 refused not_permitted ledger set a PENDING --reason r &&
		status 0 pawl ledger set a PENDING --reason 'asked again' &&
		same "$(node a '[.status, .approval]')" '["NEEDS_APPROVAL","required"]' &&
		status 0 pawl ledger set a SKIPPED --reason 'no need'
}

# asked ANSWER: a human at a terminal is asked about a, and a rival edits ../in.
asked() {
	mkfifo ../typed && { script -qec "'$PAWL' ledger approve a" ../seen \
		<../typed >/dev/null & } && human=$! && exec 3>../typed || return 1
	timeout 10 sh -c "until grep -qs \"type 'approve'\" ../seen; do sleep 0.1; done"
	"$@"
	got=$?
	echo approve >&3
	exec 3>&-
	wait $human
	decided=$?
	rm ../typed
	return $got
}

# What is decided on is what was shown.
nobody_waits_for_a_human() {
	opened && add a --approval && add b &&
		asked status 0 timeout 5 "$PAWL" ledger set b RUNNING &&
		same $decided 0 && same "$(node a .approval)" '"granted"' &&
		same "$(node b .status)" '"RUNNING"' && rm ../seen &&
		status 0 pawl ledger set a RUNNING &&
		status 0 pawl ledger set a NEEDS_APPROVAL &&
		asked status 0 timeout 5 "$PAWL" ledger evidence a 'and that' &&
		same $decided 4 && grep -q 'has changed since' ../seen &&
		same "$(node a .approval)" '"required"'
}

# Nothing is kept where git would see it; the answer has what was asked for.
a_folder_that_is_not_ignored_gets_no_file() {
	repo && git status --porcelain --ignored >../before &&
		status 1 pawl ledger new 'Secret plan' --id s1 &&
		grep -q '^pawl-ledger 1 s1 PLANNING 0$' ../out &&
		[ ! -e .codex ] && mkdir sub &&
		status 1 pawl ledger new 'Secret plan' --id s1 --file sub/l.json --json &&
		code not_ignored && same "$(ls -A sub)" '' &&
		status 1 pawl ledger new 'Secret plan' --id s1 --file l.json &&
		git status --porcelain --ignored >../after && cmp ../before ../after &&
		status 0 pawl ledger new 'Secret plan' --id s1 --file ../l.json &&
		cp ../l.json sub/ &&
		status 1 pawl ledger add a --title Later --file sub/l.json &&
		grep -q '|Later' ../out && cmp ../l.json sub/l.json &&
		same "$(ls -A sub)" l.json &&
		echo sub/ >.gitignore && status 0 pawl ledger add a --title A --file sub/l.json
}

# Neither the ledger nor anything beside it: no artifact, no list of attempts.
nothing_is_kept_beside_a_refused_ledger() {
	repo && mkdir sub && status 0 pawl ledger new T --file ../l.json &&
		status 0 pawl ledger add a --title A --file ../l.json &&
		status 0 pawl ledger add b --title B --file ../l.json &&
		status 0 pawl ledger set b RUNNING --file ../l.json &&
		cp ../l.json sub/ && tree . >../before &&
		status 1 pawl ledger set a RUNNING --file sub/l.json --json &&
		code not_ignored &&
		status 1 pawl ledger evidence b --from one --file sub/l.json --json &&
		code not_ignored &&
		status 1 pawl ledger set b PASSED --evidence 'read it' \
			--file sub/l.json --json && code not_ignored &&
		tree . >../after && cmp ../before ../after
}

outside_of_a_repository_a_file_will_do() {
	status 1 pawl ledger new T --json && code needs_repository &&
		status 0 pawl ledger new T --file l.json --id t1 &&
		status 4 pawl ledger new T --file l.json --json && code id_taken &&
		status 0 pawl ledger add a --title A --file l.json &&
		status 0 pawl ledger set a RUNNING --file l.json && echo x >f &&
		status 0 pawl ledger set a PASSED --evidence file:f --file l.json &&
		status 1 pawl ledger set a PASSED --evidence file:../1/w/f --file l.json &&
		status 3 pawl ledger show --file none.json --json && code file_not_found &&
		status 1 pawl ledger add b --title B --file l.json --key k --json &&
		code invalid_argument &&
		status 1 pawl ledger add b --title B --file l.json --if-seq 3 --json &&
		code invalid_argument &&
		status 2 pawl ledger set x/a RUNNING --file l.json --json && code usage
}

the_only_open_ledger_is_meant() {
	opened && status 0 pawl ledger new --id g2 Other && add g2/x &&
		status 4 pawl ledger add a --title A --json && code ambiguous_run &&
		same "$(jq -c '.error.details.runs | sort' ../out)" '["g1","g2"]' &&
		status 0 pawl ledger set g2/x SKIPPED --reason r &&
		add g2/y && status 0 pawl ledger set g2/y RUNNING &&
		status 0 pawl ledger set g2/y PASSED --evidence 'read it' &&
		add a && same "$(node a .id)" '"a"' &&
		mkdir sub && (cd sub && status 0 pawl ledger set a RUNNING) &&
		status 0 pawl ledger show g2 && rm -r .codex/graph-runs/g1 &&
		status 0 pawl ledger show && status 3 pawl ledger add b --title B --json &&
		code run_not_found
}

dry_run_writes_nothing() {
	opened && add a && tree . >../before &&
		status 0 pawl ledger set a RUNNING --dry-run &&
		status 0 pawl ledger add b --title B --dry-run &&
		status 0 pawl ledger new T --dry-run &&
		status 0 pawl ledger new T --file ../x.json --dry-run &&
		status 1 pawl ledger set a PASSED --dry-run &&
		tree . >../after && cmp ../before ../after && [ ! -e ../x.json ]
}

# C003: no pauses; each that was said is there, in order.
a_shell_loop_loses_nothing() {
	opened && for n in 1 2 3 4; do
		add "n$n" || return 1
	done && loop=${PAWL_LOOP:-25} && for n in 1 2 3 4; do
		i=0
		while [ $i -lt "$loop" ]; do
			i=$((i + 1))
			"$PAWL" ledger evidence "n$n" "number $i" >/dev/null || return 1
		done
		same "$(node "n$n" '.evidence | join(",")')" \
			"\"$(seq -f 'number %g' "$loop" | paste -sd ,)\"" || return 1
	done
}

# read_on: parse the file again and again until ../stop goes.
read_on() {
	while [ -e ../stop ]; do
		jq -e '.nodes | length >= 0' "$file" >/dev/null 2>&1 ||
			echo unreadable >>../torn
	done
}

# C001, C012: many at once, while somebody reads.
rivals_lose_nothing() {
	opened || return 1
	each=${PAWL_EACH:-3} writers=${PAWL_WRITERS:-16} pids=
	: >../stop
	read_on &
	reader=$!
	for w in $(seq 1 "$writers"); do
		(for i in $(seq 1 "$each"); do
			"$PAWL" ledger add "w$w-$i" --title T >/dev/null &&
				echo "w$w-$i" >>../said
		done) &
		pids="$pids $!"
	done
	# shellcheck disable=SC2086 # several
	wait $pids
	rm ../stop
	wait $reader
	[ ! -e ../torn ] && same "$(sort ../said)" \
		"$(jq -r '.nodes[].id' "$file" | sort)" &&
		same "$(wc -l <../said)" $((writers * each)) &&
		same "$(find .codex -name '*.pawl-tmp')" ''
}

# A temporary file of who was killed goes with the next edit; others' stay.
what_a_kill_left_is_swept() {
	opened && dir=.codex/graph-runs/g1 &&
		: >$dir/.state.json.0123456789abcdef.pawl-tmp &&
		: >$dir/.other.json.0123456789abcdef.pawl-tmp &&
		: >$dir/.state.json.pawl-tmp && : >.codex/graph-runs/stray &&
		add a && same "$(find . -name '*.pawl-tmp' -printf '%f\n' | sort |
			paste -sd ' ')" \
			'.other.json.0123456789abcdef.pawl-tmp .state.json.pawl-tmp'
}

t a_ledger_is_walked_to_its_end
t a_failed_node_is_repaired
t a_repair_makes_no_cycle
t a_repair_passes_though_its_node_may_not_run
t evidence_that_is_none_is_refused
t texts_are_one_line
t an_attempt_of_others_makes_nothing_old
t long_output_is_kept_by_its_digest
t artifacts_are_kept_in_no_other_folder
t a_batch_is_one_step
t other_words_are_refused_with_the_list
t hostile_ids_are_refused
t garbage_is_never_written_over
t a_link_is_no_ledger
t who_may_decide
t nobody_waits_for_a_human
t a_folder_that_is_not_ignored_gets_no_file
t nothing_is_kept_beside_a_refused_ledger
t outside_of_a_repository_a_file_will_do
t the_only_open_ledger_is_meant
t dry_run_writes_nothing
t a_shell_loop_loses_nothing
t rivals_lose_nothing
t what_a_kill_left_is_swept
done_testing
