#!/bin/sh
# `ledger check`: what it prints, how it ends, and input that is bad.
. "$(dirname "$0")/lib.sh"

# A good node that is PENDING.
good='{"id":"a","title":"Do it","kind":"execute","role":"worker",
"access":"read-only","status":"PENDING","status_history":["PENDING"],
"depends_on":[],"expected_output":"A list","evidence_required":true,
"evidence":[],"attempt":0,"max_attempts":2,"approval":"not-required"}'

# ledger FILTER: a checkpoint of one node, changed by FILTER.
ledger() {
	echo "$good" | jq '{schema_version: 1, run_id: "r-1", task: "A task",
		status: "RUNNING", nodes: [.]} | '"$1"
}

sound() { ledger . >good.json && expect 0 ledger/sound pawl ledger check good.json; }

noted() {
	ledger '.nodes[0] |= (.status = "BLOCKED" |
		.status_history = ["PENDING", "RUNNING", "BLOCKED"] | .attempt = 1)' \
		>noted.json &&
		expect 0 ledger/noted pawl ledger check noted.json &&
		expect 1 ledger/strict pawl ledger check --strict noted.json &&
		status 0 pawl ledger check noted.json --json &&
		answer '[.status, .earned, (.violations | length),
			[.notes[].code]]' \
			'["RUNNING","BLOCKED",0,["run_unclaimed","unknown_step"]]' &&
		status 1 pawl ledger check noted.json --json --strict &&
		code invalid_ledger
}

faulty='.status = "COMPLETE" | .nodes[0] |= (.kind = "exeute" | .titles = 1 |
	.depends_on = ["b"]) | .nodes[1] = (.nodes[0] | .id = "c" |
	.depends_on = ["c"] | del(.titles))'

refused() {
	ledger "$faulty" >bad.json &&
		expect 1 ledger/refused pawl ledger check bad.json &&
		status 1 pawl ledger check bad.json --json && code invalid_ledger &&
		jq -c '.result | [.violations[] | .code, .path, .line, .column, .node]' \
			../out >../seen && cat ../seen && same "$(cat ../seen)" "$(
				tr -d '\n\t' <<-'END'
					["run_unearned","/status",5,13,null,
					"invalid_value","/nodes/0/kind",10,15,"a",
					"unknown_dependency","/nodes/0/depends_on/0",18,9,"a",
					"unknown_field","/nodes/0/titles",26,7,"a",
					"invalid_value","/nodes/1/kind",31,15,"c",
					"dependency_cycle","/nodes/1/depends_on/0",39,9,"c"]
				END
			)"
}

from_standard_input() {
	ledger . | pawl ledger check - >../out && head -1 ../out &&
		grep -q '^ok  <stdin>  1 node, 0 violations' ../out &&
		ledger "$faulty" >bad.json && status 1 pawl ledger check - <bad.json &&
		grep -q '^<stdin>:10:15: a: ' ../out &&
		status 1 pawl ledger check - </dev/null --json && code not_json &&
		jq -e '.error.hint | test("ledger restore")' ../out >/dev/null
}

# The worst decides: 3 over 1 over 0; each stands in the answer.
several_files() {
	ledger . >good.json && ledger "$faulty" >bad.json && echo '[' >cut.json &&
		status 0 pawl ledger check good.json good.json --json &&
		answer '[.files[] | .file, .ok]' '["good.json",true,"good.json",true]' &&
		status 1 pawl ledger check good.json bad.json cut.json --json &&
		code invalid_ledger &&
		same "$(jq -c '[.result.files[] | .ok, .error.code]' ../out)" \
			'[true,null,false,null,false,"not_json"]' &&
		expect 3 ledger/several pawl ledger check good.json cut.json none.json
}

# C022: corrupt isn't absent; nothing is written whatever the file is.
bad_files() {
	ledger . >good.json && size=$(wc -c <good.json) &&
		head -c $((size - 3)) good.json >cut.json &&
		{ cat good.json && head -c 512 /dev/zero; } >nul.json &&
		printf '\357\273\277\357\273\277{}' >boms.json &&
		iconv -t UTF-16 good.json >utf16.json && : >empty.json &&
		tree . >../before &&
		for f in cut nul boms utf16 empty; do
			status 1 pawl ledger check "$f.json" --json && code not_json &&
				jq -e '.error.details | .byte >= 0 and .line >= 1 and
					.column >= 1' ../out >/dev/null || return 1
		done &&
		status 3 pawl ledger check none.json --json && code file_not_found &&
		status 1 pawl ledger check . --json && code invalid_path &&
		tree . >../after && cmp ../before ../after
}

deep_nesting() {
	awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }' >deep.json &&
		status 1 pawl ledger check deep.json --json && code limit &&
		grep -q 'line 1, column 33' ../out
}

# A sparse file: its zeros are read, and are no JSON; a larger one isn't read.
a_gigabyte() {
	truncate -s 1000000000 gb.json && status 1 pawl ledger check gb.json --json &&
		code not_json && truncate -s 1100000000 gb.json &&
		status 1 pawl ledger check gb.json --json && code limit &&
		rm gb.json
}

a_long_history() {
	ledger '.nodes[0].status_history = [range(100000) | "PENDING"]' >long.json &&
		status 1 pawl ledger check long.json --json &&
		same "$(jq -c '[.result.violations[] | .code, .path]' ../out)" \
			'["out_of_bounds","/nodes/0/status_history"]' &&
		grep -q '100000 items are over the limit of 4096' ../out
}

# A title can't steer a terminal or break the lines of the answer.
hostile_texts() {
	ledger '.nodes[0].id = "a\nok  x" | .nodes[0].kind = "\u001b[2J"' >x.json &&
		status 1 pawl ledger check x.json && same "$(wc -l <../out)" 3 &&
		! grep -q "$(printf '\033')" ../out
}

# shown N: wait until N reports stand in ../seen.
shown() {
	tries=0
	until [ "$(wc -l <../seen)" -ge "$1" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || { echo "no report $1"; cat ../seen; return 1; }
		sleep 0.05
	done
}

watched() {
	ledger . >w.json && cp w.json ../good && : >../seen && {
		"$PAWL" ledger check --watch --json w.json >../seen 2>../err &
		watcher=$!
	} && shown 1 && ledger "$faulty" >../bad && mv ../bad w.json && shown 2 &&
		: >other.json && echo '{' >w.json && shown 3 && cp ../good new &&
		mv new w.json && shown 4
	got=$?
	kill "$watcher"
	wait "$watcher"
	[ "$got" = 0 ] && jq -c '[.file, .ok, .error.code]' ../seen >../all &&
		tail -1 ../all | grep -qF '["w.json",true,null]' &&
		sort -u ../all | same "$(cat)" "$(printf '%s\n' \
			'["w.json",false,"not_json"]' '["w.json",false,null]' \
			'["w.json",true,null]')"
}

standard_input_is_not_watched() {
	status 2 pawl ledger check --watch - --json && code usage
}

# pawl-ledger.1 explains each code that the program has.
each_code_is_explained() {
	src=$(cd "$here/../.." && pwd)
	sed -n 's/^	X(LEDGER_[A-Z_]*, "\([a-z_]*\)".*/\1/p' \
		"$src/src/model/ledger_finding.h" >../codes && [ -s ../codes ] &&
		while read -r word; do
			grep -qx ".It Ql $word" "$src/man/pawl-ledger.1" ||
				{ echo "pawl-ledger.1 lacks $word"; return 1; }
		done <../codes
}

t sound
t noted
t refused
t from_standard_input
t several_files
t bad_files
t deep_nesting
t a_gigabyte
t a_long_history
t hostile_texts
t watched
t standard_input_is_not_watched
t each_code_is_explained
done_testing
