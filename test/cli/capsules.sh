#!/bin/sh
# pawl ledger capsule and restore: a ledger goes into a text and comes back.
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2154 # here is lib.sh's
corpus=$here/../fuzz/corpus/mission

code() {
	[ "$(jq -r .error.code ../out)" = "$1" ] || { cat ../out; return 1; }
}

ledger() {
	pawl ledger import "$corpus/version-2" --file l.json >../notes
}

# many: a checkpoint of 40 nodes whose texts are as long as people's.
many() {
	jq -n '{objective: "Move the import of orders to the new service",
		steps: [range(40) | {id: "orders-\(.)", kind: "build",
		role: "worker", paths: ["src/"], status: "verified",
		action: "Read the orders of one customer and write them to tables",
		success: "The orders of that customer stand in the new table, and a second run changes none",
		evidence: "check: python3 -m unittest tests.orders",
		depends_on: (if . > 0 then ["orders-\(. - 1)"] else [] end)}]}' \
		>m.json && pawl ledger import m.json --id many --file "$1" >../notes
}

# C082: nothing is left out, and the file is the same.
what_fits_comes_back_as_the_same_bytes() {
	ledger && status 0 pawl ledger capsule --file l.json && cp ../out c &&
		[ ! -s ../err ] && [ "$(head -c 14 c)" = 'pawl-ledger 1 ' ] &&
		status 0 pawl ledger restore c && cmp ../out l.json &&
		status 0 pawl ledger restore - <c && cmp ../out l.json &&
		status 0 pawl ledger restore <c && cmp ../out l.json &&
		status 0 pawl ledger restore c --file again.json &&
		cmp again.json l.json &&
		[ "$(cat ../out)" = \
			'restored export-and-alerts: 4 nodes in again.json' ] &&
		status 0 pawl ledger capsule --file l.json --json &&
		jq -j .result.capsule ../out | cmp - c &&
		[ "$(jq -c '[.result.run, .result.nodes, .result.left_out]' \
			../out)" = '["export-and-alerts",4,{"task":false,"titles":0,"expected_outputs":0,"evidence_texts":0,"evidence_items":0}]' ]
}

# A run is the same ledger as the file that its capsule becomes.
a_run_has_a_capsule_too() {
	repo && pawl init 2>/dev/null && status 0 pawl ledger new 'All' --run &&
		status 0 pawl ledger add a --title 'Do a' &&
		status 0 pawl ledger add b --title 'Do b' --depends a --approval &&
		status 0 pawl ledger set a RUNNING &&
		run=$(ls .pawl/runs) && status 0 pawl ledger capsule &&
		cp ../out ../c && status 0 pawl ledger capsule "$run" &&
		cmp ../out ../c && status 0 pawl ledger restore ../c &&
		jq -c . ../out >../json && status 0 pawl ledger show --json &&
		jq -c .result.state ../out | cmp - ../json &&
		status 3 pawl ledger capsule r-none
}

a_text_around_it_is_passed_over() {
	ledger && pawl ledger capsule --file l.json >c &&
		{ printf '# Where we are\r\n\r\n' && sed 's/.*/  > &  \r/' c &&
			printf 'and so on'; } >text.md &&
		status 0 pawl ledger restore text.md && cmp ../out l.json
}

what_is_left_out_is_told_twice() {
	many l.json && status 0 pawl ledger capsule --file l.json &&
		cp ../out c && [ "$(wc -c <c)" -le 4096 ] &&
		grep -q '^left out|' c && grep -q '^pawl: note: left out: ' ../err &&
		status 0 pawl ledger restore c --json &&
		grep -q '^pawl: note: left out: ' ../err &&
		[ "$(jq '.result.left_out.expected_outputs' ../out)" = 40 ] &&
		jq '.result.ledger' ../out >r.json &&
		status 0 pawl ledger check r.json &&
		[ "$(jq -c '[.status, (.nodes[] | .id, .status, .status_history,
			.depends_on, .attempt)]' r.json)" = \
			"$(jq -c '[.status, (.nodes[] | .id, .status, .status_history,
			.depends_on, .attempt)]' l.json)" ] &&
		status 0 pawl ledger capsule --file l.json --full &&
		cp ../out c && [ ! -s ../err ] &&
		status 0 pawl ledger restore c && cmp ../out l.json
}

a_capsule_that_was_touched_is_refused_with_its_line() {
	ledger && pawl ledger capsule --file l.json >c &&
		sed '4s/pdate/xdate/;4s/endpoint/Endpoint/' c >changed &&
		status 1 pawl ledger restore changed --file r.json --json &&
		code invalid_document && [ ! -e r.json ] &&
		jq -r .error.message ../out | grep -q 'changed: line 4' &&
		sed 3d c >missing && status 1 pawl ledger restore missing --json &&
		jq -r .error.message ../out | grep -q 'line 3' &&
		head -n 5 c >half && status 1 pawl ledger restore half --json &&
		jq -r .error.message ../out | grep -q 'is cut' &&
		sed 's/^pawl-ledger 1/pawl-ledger 2/' c >newer &&
		status 1 pawl ledger restore newer &&
		echo nothing >none && status 1 pawl ledger restore none --json &&
		code invalid_document && status 3 pawl ledger restore absent
}

# The check runs first: on the way out, and on the way back.
what_breaks_a_rule_goes_no_way() {
	ledger && sed 's/"attempt": 1/"attempt": 7/' l.json >bad.json &&
		status 1 pawl ledger capsule --file bad.json --json &&
		code invalid_ledger &&
		status 1 pawl ledger restore "$corpus/../capsule/full-walk" \
			--file r.json --json && code invalid_ledger &&
		[ ! -e r.json ] && [ "$(jq -r .error.field ../out)" = \
			/nodes/0/evidence ] &&
		! jq -r .error.message ../out | grep -q '[0-9]:[0-9]'
}

a_file_is_made_once_and_only_where_it_may_lie() {
	ledger && pawl ledger capsule --file l.json >c &&
		status 0 pawl ledger restore c --file n.json --dry-run &&
		[ ! -e n.json ] && status 4 pawl ledger restore c --file l.json \
			--json && code id_taken && git init -q r && cp c r && cd r &&
		status 1 pawl ledger restore c --file n.json --json &&
		code not_ignored && [ ! -e n.json ] &&
		status 0 pawl ledger restore c
}

# At the bound, and over it: as a name that an edit would take.
no_file_is_made_that_no_edit_would_open() {
	ledger && status 0 pawl ledger capsule --file l.json && cp ../out c &&
		name=$(printf '%0128d' 7) && status 0 pawl ledger restore c --file "$name" &&
		status 0 pawl ledger add z --title Z --file "$name" &&
		for dry in '' --dry-run; do
			# shellcheck disable=SC2086 # or nothing
			status 1 pawl ledger restore c --file "0$name" --json $dry &&
				code limit && [ ! -e "0$name" ] || return 1
		done
}

t no_file_is_made_that_no_edit_would_open
t what_fits_comes_back_as_the_same_bytes
t a_run_has_a_capsule_too
t a_text_around_it_is_passed_over
t what_is_left_out_is_told_twice
t a_capsule_that_was_touched_is_refused_with_its_line
t what_breaks_a_rule_goes_no_way
t a_file_is_made_once_and_only_where_it_may_lie
done_testing
