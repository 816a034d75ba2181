#!/bin/sh
# pawl draw: runs, checkpoints and task lists as pictures.
. "$(dirname "$0")/waiting.sh"
# shellcheck disable=SC2154 # here is lib.sh's
corpus=$here/../fuzz/corpus/mission

# ledger: a checkpoint in l.json, whose titles try to get out.
ledger() {
	jq '.steps[0].action = "\"]; evil [label=\"\\ %%{init: {}}%% `x` <b>" |
		.steps[1].action = "end\\" |
		.steps[2].action = "#quot; &lt; style x:#1;"' "$corpus/version-2" \
		>m.json && pawl ledger import m.json >l.json 2>../notes
}

# dot: whoever has graphviz lets it read the picture.
is_dot() {
	command -v dot >../dot-path || return 0
	dot -Tplain <../out >../plain 2>../err && [ ! -s ../err ] || return 1
	# As many nodes and edges as there are, and none that a title made.
	[ "$(grep -c '^node n' ../plain)" = "$1" ] &&
		[ "$(grep -c '^node' ../plain)" = "$1" ] &&
		[ "$(grep -c '^edge' ../plain)" = "$2" ]
}

a_checkpoint_is_drawn_in_each_form() {
	ledger && status 0 pawl draw l.json --dot && is_dot 4 3 &&
		status 0 pawl draw --mermaid ./l.json &&
		[ "$(head -n 1 ../out)" = 'flowchart LR' ] &&
		[ "$(grep -c -- '-->' ../out)" = 3 ] &&
		! grep -q '[%`]' ../out &&
		status 0 pawl draw - <l.json &&
		grep -q '^wave 3$' ../out &&
		grep -q '^  NEEDS_APPROVAL  s4  Push  (approval)  after s1$' ../out &&
		status 0 pawl draw l.json --json &&
		[ "$(jq -c '.result | [.run, .form, .nodes, .drawn]' ../out)" = \
			'["export-and-alerts","text",4,4]' ]
}

a_run_is_drawn_as_it_stands() {
	waiting && status 0 pawl draw && cp ../out ../first &&
		grep -q '^wave 1$' ../out && grep -q NEEDS_APPROVAL ../out &&
		status 0 pawl draw "$run" && cmp ../out ../first &&
		status 0 pawl draw --dot "$run" && is_dot 2 1 &&
		grep -q 'shape=hexagon' ../out &&
		status 0 pawl draw tasks.md && grep -q 'PLANNING' ../out &&
		status 3 pawl draw r-none && status 3 pawl draw ./none.json
}

too_many_nodes_are_counted() {
	ledger && status 0 pawl draw l.json --max 2 --dot &&
		[ "$(grep -c ' -> ' ../out)" = 1 ] &&
		grep -q 'rest \[label="2 more"' ../out &&
		status 0 pawl draw l.json --max 3 && grep -q '^and 1 more$' ../out &&
		grep -q '3 of 4 nodes are drawn' ../err &&
		status 0 pawl draw l.json --max 4 && [ ! -s ../err ] &&
		status 1 pawl draw l.json --max 0 &&
		status 1 pawl draw l.json --max 1000001
}

a_ledger_run_is_drawn_too() {
	repo && pawl init 2>/dev/null && status 0 pawl ledger new 'All' --run &&
		status 0 pawl ledger add a --title 'Do a' &&
		status 0 pawl ledger add b --title 'Do b' --depends a --approval &&
		status 0 pawl draw && cp ../out ../want &&
		grep -q '^  READY  .* a  Do a$' ../out &&
		grep -q '^  PENDING .* b  Do b  (approval)  after a$' ../out &&
		status 0 pawl draw "$(ls .pawl/runs)" && cmp ../out ../want &&
		status 0 pawl draw --dot && is_dot 2 1
}

# ledger show has the same pictures.
a_ledger_that_is_shown_is_drawn_alike() {
	ledger && for form in --dot --mermaid '--dot --max 2'; do
		# shellcheck disable=SC2086 # words
		status 0 pawl draw l.json $form && cp ../out ../want &&
			status 0 pawl ledger show --file l.json $form &&
			cmp ../out ../want || return 1
	done
	status 2 pawl ledger show --file l.json --dot --mermaid
}

what_is_no_graph_is_refused() {
	ledger && status 2 pawl draw l.json --dot --mermaid &&
		sed 's/"PASSED"$/"DONE"/' l.json >bad.json &&
		status 1 pawl draw bad.json --json &&
		[ "$(jq -r .error.code ../out)" = invalid_ledger ] &&
		echo '{"a":' >cut.json && status 1 pawl draw cut.json --json &&
		[ "$(jq -r .error.code ../out)" = not_json ] &&
		echo 'no task' >list.md && status 1 pawl draw list.md
}

# Without an operand: the run, else the ledger that `ledger show` means.
a_ledger_in_its_place_is_found() {
	repo && echo .codex >.gitignore && status 3 pawl draw --json &&
		code run_not_found && status 0 pawl ledger new --id g1 T &&
		status 0 pawl ledger add a --title A &&
		status 0 pawl ledger show --dot && cp ../out ../dot &&
		status 0 pawl draw --dot && cmp ../out ../dot &&
		mkdir sub && (cd sub && status 0 pawl draw --dot g1) && cmp ../out ../dot &&
		status 0 pawl ledger new --id g2 T &&
		status 4 pawl draw --json && code ambiguous_run &&
		status 3 pawl draw g3 --json && code run_not_found &&
		status 0 pawl draw g2 && same "$(head -n 1 ../out)" 'g2  PLANNING  0/0 passed' &&
		status 0 pawl ledger new --run --id r1 T &&
		status 0 pawl draw && same "$(head -n 1 ../out)" 'r1  PLANNING  0/0 passed'
}

t a_checkpoint_is_drawn_in_each_form
t a_run_is_drawn_as_it_stands
t too_many_nodes_are_counted
t a_ledger_run_is_drawn_too
t a_ledger_that_is_shown_is_drawn_alike
t what_is_no_graph_is_refused
t a_ledger_in_its_place_is_found
done_testing
