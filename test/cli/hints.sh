#!/bin/sh
# Hints of the verbs of a ledger: each is what to type next, as the caller has
# to type it to reach the same ledger.
. "$(dirname "$0")/lib.sh"

# hints CODE HINT WORD...: a call that is refused so.
hints() {
	want=$1 hint=$2
	shift 2
	"$PAWL" --json "$@" >../out 2>../err
	code "$want" && same "$(jq -r .error.hint ../out)" "$hint" || {
		echo "of: $*"
		return 1
	}
}

# follow: the last hint works, with some text for what it leaves open.
follow() {
	echo "pawl() { '$PAWL' \"\$@\"; }" >../type &&
		jq -r .error.hint ../out |
		sed "s/^.*: pawl /pawl /; s|\\b\\(TEXT\\|TASK\\|REF\\)\\b|text|g" \
			>>../type &&
		status 0 sh -e ../type
}

# A name that a shell would take apart.
odd="my l'edger.json"
quoted="'my l'\\''edger.json'"

a_file_is_named_again() {
	status 0 pawl ledger new T --id t1 --file "$odd" &&
		same "$(tail -n 1 ../out)" \
			"next: pawl ledger add ID --title TEXT --file $quoted" &&
		F="--file $quoted" &&
		hints usage "pawl ledger add a --title TEXT $F" \
			ledger add a --file "$odd" && follow &&
		hints id_taken "pawl ledger show --node a $F" \
			ledger add a --title A --file "$odd" && follow &&
		hints unknown_dependency "pawl ledger show $F" \
			ledger add b --title B --depends zz --file "$odd" && follow &&
		echo '[{"id":"a","title":"A"}]' >nodes &&
		hints id_taken "pawl ledger show --node a $F" \
			ledger add --batch nodes --file "$odd" && follow &&
		echo '[{"id":"c","tilte":"A"}]' >nodes &&
		hints invalid_document "did you mean 'title'?" \
			ledger add --batch nodes --file "$odd" && same \
		"$(jq -r .error.message ../out)" "nodes: node 1 of the batch: /tilte \
(line 1, column 12): unknown field 'tilte'" &&
		hints step_not_allowed "pawl ledger set a RUNNING $F" \
			ledger set a PASSED --file "$odd" && follow &&
		hints evidence_needed "pawl ledger set a PASSED --evidence REF $F" \
			ledger set a PASSED --file "$odd" &&
		hints step_not_allowed "pawl ledger set a READY $F" \
			ledger set a FAILED --file "$odd" &&
		hints reason_needed "pawl ledger set a BLOCKED --reason TEXT $F" \
			ledger set a BLOCKED --file "$odd" && follow &&
		hints step_not_allowed "pawl ledger set a PENDING --reason TEXT $F" \
			ledger set a RUNNING --file "$odd" && follow &&
		hints node_not_found "pawl ledger show $F" \
			ledger set zz RUNNING --file "$odd" && follow &&
		hints node_not_found "pawl ledger show $F" \
			ledger show --node zz --file "$odd" &&
		hints node_not_found "pawl ledger show $F" \
			ledger repair zz --title R --file "$odd" &&
		hints gate_not_found "pawl ledger show $F" \
			ledger approve a --file "$odd" && follow &&
		hints run_kind "pawl ledger show $F" ledger complete --file "$odd"
}

a_run_is_named_again() {
	status 0 pawl ledger new --run --id r1 T && status 0 pawl ledger new --run --id r2 T &&
		status 0 pawl ledger add r1/a --title A --max-attempts 1 &&
		status 0 pawl ledger add r1/b --title B --approval &&
		hints approval_needed 'pawl ledger approve r1/b' ledger set r1/b RUNNING &&
		follow && status 0 pawl ledger add r1/c --title C --depends a &&
		hints task_not_ready 'pawl ledger show r1' ledger set r1/c RUNNING &&
		follow && status 0 pawl ledger set r1/a RUNNING &&
		hints evidence_missing 'pawl ledger evidence r1/a --from FILE' \
			ledger set r1/a PASSED --evidence "sha256:$(printf '%064d' 1)" &&
		hints evidence_unproven "say so, or keep its output by --from FILE: pawl \
ledger evidence r1/a 'make check: exit 0'" \
			ledger set r1/a PASSED --evidence 'make check' && follow &&
		status 0 pawl ledger set r1/a FAILED &&
		hints step_not_allowed 'pawl ledger repair r1/a --title TEXT' \
			ledger set r1/a PASSED && follow &&
		hints stale_seq 'pawl ledger show r1' ledger add r1/d --title D --if-seq 1 &&
		follow &&
		hints step_not_allowed \
			'to end it as it is: pawl ledger complete r1 --outcome partial' \
			ledger complete r1 && follow &&
		hints run_closed 'pawl ledger new --run TASK' ledger add r1/x --title X &&
		follow &&
		hints run_kind 'pawl ledger approve r2/x' approve r2/x &&
		hints run_kind 'pawl ledger set r2/x PENDING --reason TEXT' unblock r2/x
}

# What is near a word of the format is put into the whole call.
a_misspelt_word_is_put_right() {
	status 0 pawl ledger new T --file l && status 0 pawl ledger add a --title A --file l &&
		hints invalid_argument 'pawl ledger set a RUNNING --file l' \
			ledger set --file l a running && same \
		"$(jq -r .error.field ../out)" status && follow &&
		hints invalid_argument "pawl ledger set a PASSED --file l --evidence \
'it'\\''s so'" ledger set a PASSD --file l --evidence "it's so" &&
		follow &&
		hints invalid_argument \
			"pawl ledger add b --title 'B b' --kind verify --no-evidence --file l" \
			ledger add b --title 'B b' --kind verifi --no-evidence --file l &&
		follow && hints invalid_argument null ledger set b elsewhere --file l
}

# Nothing is picked for who names none of several.
which_ledger_is_asked_for() {
	repo && echo .codex >.gitignore &&
		hints run_not_found 'pawl ledger new TASK' ledger show && follow &&
		status 0 pawl ledger new --id g2 T &&
		hints ambiguous_run "pawl ledger add RUN/b --title 'B b' --key k" \
			ledger add b --title 'B b' --key k &&
		hints ambiguous_run 'pawl ledger show RUN' ledger show &&
		hints run_not_found 'pawl ledger set RUN/a RUNNING' ledger set zz/a RUNNING &&
		jq -r .error.message ../out | grep -q "'zz'; there are: .*g2"
}

# -C and --state are said again, too.
where_it_lies_is_named_again() {
	mkdir 'a b' && (cd 'a b' && repo && echo .codex >.gitignore) &&
		hints run_not_found "pawl -C 'a b' ledger new TASK" -C 'a b' ledger show &&
		follow && hints node_not_found "pawl -C 'a b' ledger show" \
		-C 'a b' ledger set zz RUNNING && follow &&
		hints run_not_found "pawl --state 'a b/st' list --all" --state 'a b/st' status &&
		hints usage "pawl -C 'a b' help ledger evidence" \
			-C 'a b' ledger evidence zz && follow
}

a_file_that_is_not_one_has_its_next_step() {
	hints file_not_found 'pawl ledger new TASK --file l.json' \
		ledger add a --title A --file l.json && follow &&
		hints file_not_found "mkdir -p 'no such'" \
			ledger new T --file 'no such/l.json' && follow &&
		hints file_not_found "pawl ledger new TASK --file 'no such/l.json'" \
			ledger show --file 'no such/l.json' && follow &&
		hints run_not_found 'pawl ledger new TASK --file FILE' ledger capsule &&
		hints needs_repository 'pawl ledger new TASK --file FILE' ledger new T &&
		hints invalid_document 'pawl ledger show --file l.json' \
			ledger restore l.json && follow &&
		echo '{' >bad && hints not_json 'pawl ledger check bad' ledger show --file bad &&
		hints not_json 'if it holds a capsule: pawl ledger restore bad' \
			ledger check bad &&
		sed 's/"nodes"/"nope": 1, &/' l.json >wrong &&
		hints invalid_ledger 'pawl ledger check wrong' \
			ledger add a --title A --file wrong
}

# What does nothing for a command isn't offered by its help.
help_offers_what_works() {
	for verb in capsule check; do
		status 0 pawl ledger $verb --help && ! grep -e --if-seq ../out || return 1
	done
	for verb in show capsule check; do
		status 0 pawl ledger $verb --help &&
			! grep -e '--key\|--dry-run\|--as' ../out || return 1
	done
	for verb in add set evidence approve deny repair complete; do
		status 0 pawl ledger $verb --help && grep -q -e --if-seq ../out &&
			grep -q -e --key ../out && grep -q -e --dry-run ../out || return 1
	done
	status 0 pawl export --help && grep -q -e --dry-run ../out &&
		! grep -e --key ../out &&
		hints unknown_option 'pawl help ledger capsule' ledger capsule --if-seq 3
}

t a_file_is_named_again
t a_run_is_named_again
t a_misspelt_word_is_put_right
t which_ledger_is_asked_for
t where_it_lies_is_named_again
t a_file_that_is_not_one_has_its_next_step
t help_offers_what_works
done_testing
