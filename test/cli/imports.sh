#!/bin/sh
# pawl ledger import: mission files and checkpoints, all or nothing.
. "$(dirname "$0")/lib.sh"
corpus=$here/../fuzz/corpus/mission

# steps JSON...: a mission file m.json of these steps.
steps() {
	printf '%s\n' "$@" | jq -s '{schema_version: 2, mission: "m",
		objective: "o", steps: [.[] | {action: "Do", kind: "recon",
		role: "main", success: "It", status: "pending"} + .]}' >m.json
}

code() {
	[ "$(jq -r .error.code ../out)" = "$1" ] || { cat ../out; return 1; }
}

both_versions_become_sound_checkpoints() {
	for v in 1 2; do
		status 0 pawl ledger import "$corpus/version-$v" &&
			cp ../out l.json && status 0 pawl ledger check l.json &&
			grep -q ' 0 violations' ../out || return 1
	done
}

every_loss_is_a_line_and_an_item() {
	status 0 pawl ledger import "$corpus/version-2" --file l.json &&
		[ "$(head -n 1 ../out)" = \
			'imported export-and-alerts: 4 nodes in l.json' ] &&
		[ "$(tail -n 1 ../out)" = '10 losses' ] &&
		[ "$(wc -l <../out)" = 12 ] && [ ! -s ../err ] &&
		status 0 pawl ledger import "$corpus/version-2" --json &&
		[ "$(jq '.result.losses | length' ../out)" = 10 ] &&
		[ "$(jq -c '.result.losses[] | select(.path == "/steps/1/paths")' \
			../out)" = '{"path":"/steps/1/paths","node":"s2","message":"paths has no place in a ledger: [\"src/export/\"]"}' ] &&
		jq .result.ledger ../out | cmp - l.json &&
		status 0 pawl ledger import - <"$corpus/version-2" &&
		[ "$(grep -c '^pawl: note: ' ../err)" = 10 ] && cmp ../out l.json
}

# C082: a checkpoint that pawl wrote comes back as the same bytes.
a_checkpoint_is_taken_as_it_is() {
	pawl ledger import "$corpus/version-2" >l.json 2>../notes &&
		status 0 pawl ledger import l.json --file again.json &&
		cmp l.json again.json && [ "$(tail -n 1 ../out)" = '0 losses' ] &&
		jq -c . l.json >dense.json &&
		status 0 pawl ledger import dense.json && cmp ../out l.json &&
		status 0 pawl ledger import l.json --id other &&
		[ "$(jq -r .run_id ../out)" = other ] &&
		sed 's/"attempt": 1/"attempt": 7/' l.json >bad.json &&
		status 1 pawl ledger import bad.json --file b.json --json &&
		code invalid_ledger && [ ! -e b.json ]
}

# C077, C082, C088: refused with the reason, and nothing is there afterwards.
one_fault_refuses_the_whole_file() {
	refuse() {
		status "$1" pawl ledger import m.json --file l.json --json &&
			code "$2" && [ ! -e l.json ] &&
			jq -r .error.message ../out | grep -qF -- "$3"
	}
	steps '{"id":"a","depends_on":["b"]}' '{"id":"b","depends_on":["a"]}' &&
		refuse 1 cycle 'a -> b -> a' &&
		steps '{"id":"a","depends_on":["a"]}' && refuse 1 cycle 'a -> a' &&
		steps '{"id":"a"}' '{"id":"b","depends_on":["a","c"]}' &&
		refuse 1 unknown_dependency "'c', which is no step" &&
		steps '{"id":"A"}' '{"id":"a"}' && refuse 4 id_taken "'a'" &&
		for word in kept completed closed "done"; do
			steps "{\"id\":\"a\",\"status\":\"$word\",\"evidence\":\"e\"}" &&
				refuse 1 invalid_document "'$word' is no status" &&
				[ "$(jq -r .error.hint ../out)" = \
					"if it means that: --map $word=verified" ] &&
				status 0 pawl ledger import m.json --map "$word=verified" &&
				[ "$(jq -r '.nodes[0].status' ../out)" = PASSED ] ||
				return 1
		done &&
		status 1 pawl ledger import m.json --map kept=done --json &&
		code invalid_argument &&
		printf '{"objective":"o","steps":[' >m.json &&
		refuse 1 not_json 'm.json' &&
		printf '{"schema_version":3,"objective":"o","steps":[]}' >m.json &&
		refuse 8 newer_format 'versions 1 and 2' &&
		printf '' >m.json && refuse 1 not_json 'm.json' &&
		rm m.json && status 3 pawl ledger import m.json
}

# verified without evidence is a claim.
what_has_no_evidence_is_pending_again() {
	steps '{"id":"a","status":"verified"}' \
		'{"id":"b","status":"verified","evidence":"e","depends_on":["a"]}' &&
		status 0 pawl ledger import m.json &&
		[ "$(jq -c '[.nodes[].status]' ../out)" = '["READY","PENDING"]' ] &&
		grep -q 'verified became READY: it has no evidence' ../err
}

a_file_is_made_once_and_only_where_it_may_lie() {
	steps '{"id":"a"}' && status 0 pawl ledger import m.json --file l.json \
		--dry-run && [ ! -e l.json ] &&
		status 0 pawl ledger import m.json --file l.json &&
		[ "$(stat -c %a l.json)" = 600 ] && cp l.json ../kept &&
		status 4 pawl ledger import m.json --file l.json --json &&
		code id_taken && cmp l.json ../kept &&
		status 3 pawl ledger import m.json --file none/l.json &&
		git init -q r && cp m.json r && cd r &&
		status 1 pawl ledger import m.json --file l.json --json &&
		code not_ignored && [ ! -e l.json ] &&
		echo /kept/ >.git/info/exclude && mkdir kept &&
		status 0 pawl ledger import m.json --file kept/l.json &&
		[ -f kept/l.json ] && [ "$(ls -A kept)" = l.json ]
}

t both_versions_become_sound_checkpoints
t every_loss_is_a_line_and_an_item
t a_checkpoint_is_taken_as_it_is
t one_fault_refuses_the_whole_file
t what_has_no_evidence_is_pending_again
t a_file_is_made_once_and_only_where_it_may_lie
done_testing
