#!/bin/sh
# What pawl says to wrong words, wrong options and hostile values.
. "$(dirname "$0")/lib.sh"

no_words_is_help() { expect 0 help pawl; }
help_command() { expect 0 help pawl help; }
help_option() { expect 0 help pawl --help; }
help_of_a_command() { expect 0 help-where pawl help where; }
help_option_of_a_command() { expect 0 help-where pawl where --help; }
help_option_wins_over_missing_operands() { status 0 pawl completion -h; }
help_errors() { expect 0 help-errors pawl help errors; }
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
nothing_after_double_dash() { expect 0 help pawl --; }
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

t no_words_is_help
t help_command
t help_option
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
t nothing_after_double_dash
t lone_dash_is_an_operand
t empty_command
t globals_anywhere
t json_of_every_usage_error
t hostile_coordinators
t coordinator_at_its_limit
t hostile_keys
t hostile_folders
done_testing
