#!/bin/sh
# pawl export --ledger: a run as a ledger's checkpoint.
. "$(dirname "$0")/waiting.sh"

# nodes FILTER WANT: what FILTER picks from the exported document.
picked() {
	same "$(jq -c "$1" ../out)" "$2"
}

a_run_is_a_checkpoint() {
	copied && status 0 pawl export --ledger "$run" &&
		picked '[.schema_version, .run_id, .task, .status]' \
			"[1,\"$run\",\"Task list tasks.md\",\"NEEDS_APPROVAL\"]" &&
		picked '.nodes[0] | keys_unsorted' '["id","title","kind","role","access","status","status_history","depends_on","expected_output","evidence_required","evidence","attempt","max_attempts","approval"]' &&
		picked '[.nodes[] | .id, .status, .approval, .attempt]' \
			'["a-1","PASSED","not-required",1,"b-2","NEEDS_APPROVAL","required",0]' &&
		picked '.nodes[0].evidence[0]' '"check:A-1@1#1"' &&
		commit=$(jq -r '.nodes[0].evidence[1]' ../out) &&
		same "$commit" "commit:$(git rev-parse "pawl/$run/main")"
}

# What is evidence can be looked up.
evidence_leads_to_what_it_names() {
	copied && status 0 pawl export --ledger &&
		id=$(jq -r '.nodes[0].evidence[0]' ../out) &&
		status 0 pawl show "$run/${id#check:}" --json &&
		answer .detail.verdict '"pass"'
}

the_same_in_json_and_in_a_file() {
	copied && status 0 pawl export --ledger && cp ../out ../want &&
		status 0 pawl export --ledger --json && jq .result ../out >../json &&
		cmp ../json ../want && status 0 pawl export --ledger -o ../f &&
		same "$(cat ../out)" 'wrote ../f, 2 nodes' && cmp ../f ../want &&
		echo old >../f && status 0 pawl export --ledger -o "$(cd .. && pwd)/f" &&
		cmp ../f ../want && status 0 pawl export --ledger -o f --json &&
		answer '[.run, .file, .nodes, .dry_run]' "[\"$run\",\"f\",2,false]"
}

# C082: export, check, import, export: the same bytes.
accepted_and_imported_as_it_is() {
	copied && status 0 pawl export --ledger -o ../f.json &&
		status 0 pawl ledger check --strict ../f.json &&
		status 0 pawl ledger import ../f.json --file ../g.json &&
		cmp ../f.json ../g.json &&
		status 0 pawl export --ledger --repairs -o ../r.json &&
		status 0 pawl ledger check --strict ../r.json
}

# A rename onto /dev/full would take it from the whole machine.
only_a_regular_file_is_replaced() {
	copied && mkfifo ../pipe && ln -s nowhere ../link && mkdir ../dir &&
		for path in ../pipe ../link ../dir; do
			for dry in '' --dry-run; do
				# shellcheck disable=SC2086 # or nothing
				status 9 pawl export --ledger -o "$path" --json $dry &&
					code unsafe_path || return 1
			done
		done &&
		status 1 pawl export --ledger -o ../dir/ --json && code invalid_path &&
		[ -p ../pipe ] && [ -L ../link ] && [ -d ../dir ]
}

dry_run_writes_nothing() {
	copied && tree . >../before &&
		status 0 pawl export --ledger -o f --dry-run &&
		same "$(cat ../out)" 'would write f, 2 nodes' &&
		tree . >../after && cmp ../before ../after
}

# C018: whoever holds the lock; and nothing is written.
it_reads_beside_a_writer() {
	copied && tree . >../before &&
		status 0 flock ".pawl/runs/$run/lock" "$PAWL" export --ledger &&
		tree . >../after && cmp ../before ../after
}

repairs_are_attempts_or_nodes() {
	project && cat >worker.sh <<-'END' &&
		#!/bin/sh
		[ "$PAWL_ATTEMPT" = A-1@1 ] && exit 0
		echo work >"$PAWL_NODE"
	END
		sed -i 's/^  Approval: .*//' tasks.md && git commit -qam repair &&
		status 0 pawl run tasks.md -- ./worker.sh &&
		status 0 pawl export --ledger &&
		picked '[.status, (.nodes[] | .id, .attempt, .max_attempts)]' \
			'["COMPLETE","a-1",2,2,"b-2",1,2]' &&
		status 0 pawl export --ledger --repairs &&
		picked '[.status, (.nodes[] | .id, .kind, .status, .depends_on)]' \
			'["COMPLETE","a-1","execute","PASSED",["a-1-repair"],"b-2","execute","PASSED",["a-1"],"a-1-repair","repair","PASSED",[]]' &&
		picked '.nodes[2].title | startswith("Repair A-1: auto: ")' true
}

of_a_torn_journal_the_good_lines_are_told() {
	copied && printf '{"v":1' >>".pawl/runs/$run/events.jsonl" &&
		status 0 pawl export --ledger && picked '.nodes | length' 2 &&
		grep -q 'torn append' ../err
}

# A projection isn't believed, however good it looks.
the_journal_is_read_not_the_projection() {
	copied && status 0 pawl export --ledger && cp ../out ../want &&
		file=.pawl/runs/$run/state.json && echo >"$file" &&
		status 0 pawl verify --repair && grep -q tasks.md "$file" &&
		status 0 pawl export --ledger && cmp ../out ../want &&
		same "$(cat ../err)" '' && sed -i 's/tasks\.md/other.md/' "$file" &&
		status 0 pawl export --ledger && cmp ../out ../want &&
		grep -q 'not believed' ../err
}

refusals() {
	copied && status 2 pawl export --json && code usage &&
		status 2 pawl export --ledger a b --json &&
		status 3 pawl export --ledger r-20200101-aaaaaa --json &&
		code run_not_found && status 1 pawl export --ledger ../x --json &&
		code invalid_id && status 3 pawl export --ledger -o no/f --json &&
		code file_not_found && status 1 pawl export --ledger -o d/ --json &&
		code invalid_path
}

t a_run_is_a_checkpoint
t evidence_leads_to_what_it_names
t the_same_in_json_and_in_a_file
t accepted_and_imported_as_it_is
t only_a_regular_file_is_replaced
t dry_run_writes_nothing
t it_reads_beside_a_writer
t repairs_are_attempts_or_nodes
t of_a_torn_journal_the_good_lines_are_told
t the_journal_is_read_not_the_projection
t refusals
done_testing
