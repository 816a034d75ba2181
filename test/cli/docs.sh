#!/bin/sh
# What stands in man/ and docs/ is what the program says of itself.
. "$(dirname "$0")/lib.sh"
src=$(cd "$here/../.." && pwd)

# docs/errors.md; UPDATE=1 writes it anew.
errors_md() {
	{
		cat <<'END' &&
# Errors

Each error has a code. Programs act on it: `error.code` of the `--json` answer is one of these words, and each keeps its
meaning. The message is for people. The exit status is the code's class (`pawl help` and pawl(1) list them); *retry*
says that the same command may succeed later without any change. The hint is what to do next, unless the error has a
better one. `pawl help errors` prints this table.

| code | exit | retry | hint |
| --- | --: | --- | --- |
END
			pawl help errors --json | jq -r '.result.errors[] |
				"| `\(.code)` | \(.exit) | " +
				(if .retryable then "yes" else "" end) + " | " +
				(if .hint == "" then "" else "`\(.hint)`" end) + " |"'
	} >../errors.md
	if [ "${UPDATE:-}" = 1 ]; then
		cp ../errors.md "$src/docs/errors.md"
	fi
	diff -u "$src/docs/errors.md" ../errors.md ||
		{ echo "write it anew: UPDATE=1 PAWL=... sh test/cli/docs.sh"; return 1; }
}

# The table of events in docs/journal-format.md; UPDATE=1 writes it anew.
events_table() {
	doc=$src/docs/journal-format.md
	pawl help events >../events && [ "$(wc -l <../events)" -gt 20 ] || return 1
	if [ "${UPDATE:-}" = 1 ]; then
		awk -v new=../events '
		/^\| type \| about \|/ { while ((getline line <new) > 0) print line; skip = 1 }
		!/^\|/ { skip = 0 }
		!skip' "$doc" >../doc && cat ../doc >"$doc"
	fi
	sed -n '/^| type | about |/,/^$/{/^|/p}' "$doc" >../written &&
		diff -u ../written ../events
}

# SYNOPSIS of a page, one command a line.
synopsis() {
	mandoc -T ascii -O width=500 "$src/man/$1.1" | sed 's/.\x08//g' |
		sed -n '/^SYNOPSIS/,/^DESCRIPTION/{s/^ *pawl /pawl /p}'
}

# Each command stands in its page's SYNOPSIS exactly as help shows it.
every_command_has_its_synopsis() {
	bad=0
	pawl help --json | jq -r '.result.commands[] | "\(.page)\t\(.synopsis)"' \
		>../commands || return 1
	while IFS='	' read -r page line; do
		if [ ! -f "$src/man/$page.1" ]; then
			echo "$line: no page $page.1"
			bad=1
		elif ! synopsis "$page" | grep -qxF -- "$line"; then
			echo "$page.1 lacks: $line"
			bad=1
		fi
	done <../commands
	return $bad
}

# Each option is explained in its command's page.
every_option_is_explained() {
	bad=0
	pawl help --json | jq -r '(.result | .global_options[] |
		"pawl\t\(.name)"), (.result.commands[] | .page as $p |
		.options[] | "\($p)\t\(.name)")' >../options || return 1
	while IFS='	' read -r page name; do
		grep -q "^\.It.*Fl -$name\>" "$src/man/$page.1" && continue
		echo "$page.1 has no item for --$name"
		bad=1
	done <../options
	return $bad
}

pages_are_sound() {
	for page in "$src"/man/*.[15]; do
		mandoc -T lint -W warning "$page" || return 1
	done
}

# No page names a page of ours that isn't there.
references_lead_somewhere() {
	sed -n 's/^\.Xr \(pawl[a-z-]*\) \([0-9]\).*/\1.\2/p' "$src"/man/*.[15] |
		sort -u >../refs && while read -r ref; do
		[ -f "$src/man/$ref" ] || { echo "no page $ref"; return 1; }
	done <../refs
}

t errors_md
t events_table
if command -v mandoc >/dev/null; then
	t every_command_has_its_synopsis
	t pages_are_sound
else
	skip every_command_has_its_synopsis 'no mandoc'
	skip pages_are_sound 'no mandoc'
fi
t every_option_is_explained
t references_lead_somewhere
done_testing
