#!/bin/sh
# What pawl says to wrong words, wrong options and hostile values.
. "$(dirname "$0")/lib.sh"

# Every command stands in it, on one line of 80 columns at most.
help_lists_every_command() {
	status 0 pawl help --json && cp ../out ../json && status 0 pawl help &&
		! grep -E '.{81}' ../out &&
		jq -r '.result.commands[] | "  \(.name) +\(.summary)$"' ../json \
			>../lines && [ -s ../lines ] && while IFS= read -r line; do
		grep -Eq "$line" ../out || { echo "missing: $line"; return 1; }
	done <../lines
}

no_words_is_help() {
	pawl help >../want && for words in '' '--help' '-h' '--' '-C .'; do
		# shellcheck disable=SC2086
		status 0 pawl $words && cmp ../out ../want || return 1
	done
}

# Each command explains itself, within 80 columns, with its synopsis first.
help_of_every_command() {
	pawl help --json | jq -r '.result.commands[] | .name + "\t" + .synopsis' \
		>../all && while IFS='	' read -r name synopsis; do
		# shellcheck disable=SC2086
		status 0 pawl help $name && ! grep -E '.{81}' ../out &&
			same "$(sed '/^$/q' ../out | tr -s ' \n' ' ')" \
				"usage: $synopsis " &&
			cp ../out ../want && status 0 pawl $name --help &&
			cmp ../out ../want || return 1
	done <../all
}

every_command_has_a_page() {
	pawl help --json | jq -e '[.result.commands[] | .page] | all(test("^pawl"))'
}

help_of_a_command() { expect 0 help-where pawl help where; }
help_option_of_a_command() { expect 0 help-where pawl where --help; }
help_option_wins_over_missing_operands() { status 0 pawl completion -h; }
help_errors() {
	status 0 pawl help errors && ! grep -E '.{100}' ../out &&
		[ "$(grep -c '^ *[0-9]*[+ ] [a-z_]*' ../out)" = \
			"$(pawl help errors --json | jq '.result.errors | length')" ] &&
		grep -q '^ 6+ busy$' ../out && grep -q '^ 2  usage  *pawl help$' ../out
}
help_of_nothing() { expect 2 help-of-nothing pawl help whre; }
unknown_command() { expect 2 unknown-command pawl frobnicate; }
near_command() { expect 2 near-command pawl wherr; }
unknown_option() { expect 2 unknown-option pawl where --frobnicate; }
near_option() { expect 2 near-option pawl where --jsn; }
option_before_command() { expect 2 option-before pawl --frobnicate where; }
unknown_letter() { expect 2 unknown-letter pawl where -x; }
option_without_value() { expect 2 without-value pawl where --state; }
option_takes_no_value() { expect 2 takes-no-value pawl where --json=yes; }
value_that_looks_like_option() {
	expect 2 looks-like-option pawl where --state --json-dir &&
		status 0 pawl where --state=--json-dir
}
too_few() { expect 2 too-few pawl completion; }
too_many() { expect 2 too-many pawl where here; }
after_double_dash_are_operands() {
	expect 2 after-double-dash pawl where -- --json
}
lone_dash_is_an_operand() { status 2 pawl where -; }
empty_command() { expect 2 empty-command pawl ''; }

globals_anywhere() {
	status 0 pawl --json where && cp ../out ../first &&
		status 0 pawl where --json && cmp ../out ../first &&
		status 0 pawl -C . --json where --dry-run && cmp ../out ../first &&
		status 0 pawl -C. where --json && cmp ../out ../first &&
		status 0 pawl --repo=. where --json && cmp ../out ../first
}

json_of_every_usage_error() {
	status 2 pawl --json && return 1
	for words in frobnicate 'where --frob' 'where x' 'where -x' \
		'completion' 'where --state' '--frob' 'help whre'; do
		# shellcheck disable=SC2086
		status 2 pawl $words --json || return 1
		[ ! -s ../err ] || return 1
		jq -e '.ok == false and .error.retryable == false' ../out || return 1
	done
	status 2 pawl where --frob --json && code unknown_option &&
		status 2 pawl frob --json && code unknown_command &&
		status 2 pawl where x --json && code usage
}

# C115, C117: each in every option that reaches a path or a name.
hostile() {
	# shellcheck disable=SC2016
	printf '%s\n' '../x' '..' '.' 'a/b' 'a\b' '/etc/x' '' '-rf' 'a.lock' \
		'$(touch pwned)' '`touch pwned`' ';touch pwned' "a'b" 'a"b' \
		'C-c' 'a b' 'a..b' '.a' 'a.' '-a' 'é' 'a	b'
	head -c 10000 /dev/zero | tr '\0' a
	echo
}

hostile_coordinators() {
	hostile >../hostile
	while IFS= read -r bad; do
		case $bad in C-c) continue ;; esac # an identifier like another
		status 1 pawl where --json "--as=$bad" && code invalid_id &&
			[ "$(jq -r .error.field ../out)" = --as ] || return 1
	done <../hostile
	status 1 pawl where --json --as "a
b" && code invalid_id && [ -z "$(ls -A .)" ]
}

coordinator_at_its_limit() {
	id=$(head -c 128 /dev/zero | tr '\0' a)
	status 0 pawl where --as "$id" && status 1 pawl where --as "${id}a" &&
		status 0 pawl where --as a && status 0 pawl where --as C-c.1_x
}

hostile_keys() {
	key=$(head -c 128 /dev/zero | tr '\0' k)
	status 0 pawl where --key "$key" &&
		status 1 pawl where --json --key "${key}k" && code invalid_argument &&
		status 1 pawl where --json --key '' && code invalid_argument &&
		status 1 pawl where --json --key 'a b' && code invalid_argument &&
		status 1 pawl where --json --key 'a
b' && code invalid_argument
}

hostile_folders() {
	status 1 pawl where --json --state '' && code invalid_path &&
		status 1 pawl where --json --repo '' && code invalid_path &&
		long=$(head -c 10000 /dev/zero | tr '\0' a) &&
		status 1 pawl where --json --state "$long" && code limit &&
		status 1 pawl where --json --repo "$long" && code limit &&
		status 3 pawl where --json --repo ./nothing && code file_not_found &&
		status 3 pawl where --json -C "$PAWL" && code file_not_found
}

# Wherever a document is named: what is no file is refused before it is read.
a_document_that_is_no_file() {
	repo && mkdir folder && mkfifo pipe && : >../list && for doc in folder pipe /dev/full; do
		for verb in plan 'ledger check' 'ledger show --file' 'ledger import' \
			'decision check' 'intake --check true --request-file' 'task start' run \
			'task start ../list --decision'; do
			# shellcheck disable=SC2086
			refuses 1 invalid_path pawl $verb $doc || return 1
		done
	done
}

t help_lists_every_command
t no_words_is_help
t help_of_every_command
t every_command_has_a_page
t help_of_a_command
t help_option_of_a_command
t help_option_wins_over_missing_operands
t help_errors
t help_of_nothing
t unknown_command
t near_command
t unknown_option
t near_option
t option_before_command
t unknown_letter
t option_without_value
t option_takes_no_value
t value_that_looks_like_option
t too_few
t too_many
t after_double_dash_are_operands
t lone_dash_is_an_operand
t empty_command
t globals_anywhere
t json_of_every_usage_error
t hostile_coordinators
t coordinator_at_its_limit
t hostile_keys
t hostile_folders
t a_document_that_is_no_file
done_testing
