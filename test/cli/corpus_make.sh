#!/bin/sh
# Runs of each kind as this version of pawl writes them:
#
#	corpus_make.sh FOLDER [KIND...]
#
# Each becomes FOLDER/KIND: what of its folder is truth (journal, frozen plan,
# evidence), and what is told of it.  A folder is made once a version, by PAWL
# built with -Dtest_hooks=true, and never again: test/cli/corpus.sh and
# test/unit/test_corpus.c hold later versions to it.
to=$(mkdir -p "$1" && cd "$1" && pwd) || exit 2
shift
. "$(dirname "$0")/handout.sh"
rm -rf "$top"
top=/tmp/pawl-corpus
rm -rf "$top" && mkdir "$top" || exit 2

by_hand() { "$PAWL" task "$@" >../said || { cat ../said && return 1; }; }
may_fail() { "$PAWL" task "$@" >../said 2>&1 || [ $? = 1 ]; }

# handed_in NODE@N FILE: worked on, reported and taken in.
handed_in() {
	by_hand dispatch "${1%@*}" && works "$1" "$2" >../said && by_hand sync
}

complete() {
	auto && pawl run tasks.md -- ../worker >../said 2>&1
	run=$(ls .pawl/runs) && pawl approve "$run/B-2!1" >../said &&
		pawl run "$run" -- ../worker >../said 2>&1
}

blocked() {
	auto && pawl run tasks.md -- ../worker >../said 2>&1
	run=$(ls .pawl/runs) && pawl deny "$run/B-2" --reason 'not yet' >../said
}

auto() {
	repo && printf '%s\n' '#!/bin/sh' 'echo x >"$PAWL_NODE"' >../worker &&
		chmod +x ../worker && for id in A-1 B-2; do
		printf -- '- [ ] %s Make it\n  Depends: []\n  Paths: [%s]\n' $id $id
		printf '  Mode: write\n  Isolation: auto\n  Acceptance: made\n'
		printf '  Check: test -f %s\n' $id
		[ $id = A-1 ] || echo '  Approval: required'
	done >tasks.md && git add . && git commit -qm list &&
		pawl init 2>../said
}

takeover() {
	coordinated && handed_in A-1@1 a/done && by_hand dispatch B-2 --defer &&
		truncate -s -40 "$journal" && by_hand resume &&
		by_hand takeover --force --reason 'gone' --as next &&
		by_hand transfer --to last --as next && by_hand claim --as last &&
		PAWL_AS=last && by_hand check A-1 && by_hand integrate A-1 &&
		by_hand grade A-1 pass && by_hand complete --outcome partial
}

quarantine() {
	coordinated && by_hand dispatch A-1 B-2 &&
		echo junk >"$rundir/outbox/A-1@1/report.json" &&
		by_hand quarantine A-1@1 --key k \
			--candidate "$rundir/outbox/A-1@1/report.json" &&
		by_hand sync && env -u PAWL_AS PAWL_ATTEMPT=B-2@1 \
			PAWL_OUTBOX="$rundir/outbox/B-2@1" "$PAWL" task ask \
			--question 'Which?' >../said && by_hand sync &&
		by_hand answer q1 'this one' && by_hand cleanup register B-2@1 \
			--kind session --target s && by_hand cleanup finish c3 &&
		result B-2@1 >../late &&
		by_hand abandon B-2@1 --reason 'wrong way' &&
		cp ../late "$rundir/outbox/B-2@1/report.json" && by_hand sync
}

rework() {
	coordinated && handed_in A-1@1 a/wrong && may_fail check A-1 &&
		by_hand repair A-1 --hypothesis 'the name' &&
		by_hand amend A-1 --reason 'wider' --path a --path c &&
		handed_in A-1@2 a/done && by_hand check A-1 &&
		by_hand finding A-1 --class security_or_integrity \
			--summary 's' --acceptance 'a' --path a/done \
			--reproduction 'r' --repair 'r' --gap 'g' &&
		by_hand audit-reject A-1@2 --finding f1 --hypothesis 'two' &&
		by_hand decide A-1 --action regroup --note 'n' &&
		handed_in A-1@3 a/more && may_fail check A-1 &&
		by_hand grade A-1 fail && cp "$rundir/plan/process-decision.json" \
			../next.json && jq -n '{mode: "graph",
			changed_evidence: ["file:a/f"], reason: "r",
			replacement_check: {command: "true", oracle: "strong"}}' \
			>../amendment && pawl decision amend ../next.json \
			--amendment ../amendment >../said &&
		by_hand amend-decision --decision ../next.json
}

# What an attempt changed outside its scope, and a node that a human frees.
violated() {
	coordinated && by_hand dispatch A-1 && echo x >"$(workspace A-1@1)/b/f" &&
		works A-1@1 a/done >../said && by_hand sync &&
		by_hand grade A-1 fail && by_hand grade B-2 blocked --reason 'no key' &&
		env -u PAWL_AS "$PAWL" unblock "$run/B-2" --reason 'here it is' >../said
}

# Workers that end without a word.
died() {
	auto && printf '%s\n' '#!/bin/sh' 'kill -9 $$' >../worker
	pawl run tasks.md -- ../worker >../said 2>&1
	run=$(ls .pawl/runs)
}

imported() {
	repo && printf -- '- [x] A-1 Made\n  Depends: []\n  Paths: [one]\n' >tasks.md &&
		printf '  Mode: write\n  Isolation: auto\n  Acceptance: made\n' >>tasks.md &&
		printf '  Check: test -f one\n' >>tasks.md && git add . &&
		git commit -qm list && pawl init 2>../said &&
		by_hand start tasks.md --driver host && run=$(ls .pawl/runs) &&
		by_hand claim --as lead && by_hand import-checked A-1 --import-id i --as lead &&
		by_hand complete --outcome pass --as lead
}

# The monitor of one is killed, and the next one's branch is taken.
lost() {
	coordinated && printf '%s\n' '#!/bin/sh' 'sleep 60' >../worker &&
		chmod +x ../worker && first=$run && by_hand start tasks.md \
		--driver process -- ../worker && run=$(other_run "$first") &&
		rundir=.pawl/runs/$run && journal=$rundir/events.jsonl &&
		by_hand claim "$run" && by_hand dispatch "$run/A-1" &&
		kill -9 "$(jq '.events[] | select(.type == "attempt_started") |
			.data.pid' "$journal")" &&
		until [ "$(happened attempt_lost)" = 1 ]; do
			by_hand sync "$run" --wait 1
		done && git branch "pawl/$run/B-2-1" HEAD~1 &&
		! "$PAWL" task dispatch "$run/B-2" >../said 2>&1 &&
		[ "$(happened attempt_start_failed)" = 1 ]
}

# What two attempts made of one file doesn't go together.
conflicted() {
	coordinated && handed_in A-1@1 a/same && may_fail check A-1 &&
		by_hand repair A-1 --hypothesis 'not done' &&
		by_hand amend B-2 --reason 'both' --path a --path b &&
		by_hand dispatch B-2 --defer && by_hand amend B-2@1 \
		--reason 'less' --path a/same --path b/done &&
		by_hand recover attempt B-2@1 &&
		echo other >"$(workspace B-2@1)/a/same" &&
		works B-2@1 b/done >../said && by_hand sync &&
		by_hand check B-2 && by_hand integrate B-2 &&
		by_hand grade B-2 pass && handed_in A-1@2 a/done &&
		may_fail check A-1
	[ "$(happened integration_failed)" = 1 ]
}

delegated() {
	coordinated && by_hand dispatch A-1 && for id in g1 g2 g3; do
		echo "{\"attempt_id\":\"A-1@1\",\"purpose\":\"$id\",
			\"paths\":[\"a/$id\"]}" >../intent &&
			by_hand delegate request A-1@1 --intent ../intent ||
			return 1
	done && by_hand delegate approve g1 --path a/g1/x &&
		by_hand delegate reject g2 --reason 'not needed' &&
		by_hand delegate approve g3 && by_hand delegate start g1 \
		--worker w-1 && by_hand delegate start g3 --worker w-3 &&
		result g1 a/g1/x | jq '.task_id = "A-1"' \
			>"$rundir/outbox/g1/report.json" &&
		by_hand delegate report g1 && by_hand delegate release g1 \
		--reason 'taken over' && by_hand delegate release g3 \
		--reason 'gone' && works A-1@1 a/done >../said && by_hand sync
}

ledger() {
	repo && pawl init 2>../said && pawl ledger new 'Audit it' --run --id audit \
		>../said && run=audit && for id in look mend; do
		pawl ledger add audit/$id --title "$id it" --max-attempts 1 >../said || return 1
	done && pawl ledger add audit/send --title Send --approval >../said &&
		pawl ledger approve audit/send >../said &&
		pawl ledger set audit/mend RUNNING >../said &&
		pawl ledger set audit/mend FAILED >../said &&
		pawl ledger repair audit/mend --title Again >../said &&
		pawl ledger set audit/look RUNNING >../said &&
		pawl ledger evidence audit/look url:https://example.org/a >../said &&
		pawl ledger set audit/look PASSED >../said &&
		pawl ledger complete audit --outcome partial >../said
}

ledger_mended() {
	repo && pawl init 2>../said && pawl ledger new 'Mend it' --run --id mend \
		>../said && run=mend && pawl ledger add mend/part --title Part \
		--max-attempts 1 >../said && pawl ledger set mend/part RUNNING >../said &&
		pawl ledger set mend/part FAILED >../said &&
		pawl ledger repair mend/part --title Again >../said &&
		pawl ledger set mend/part-repair RUNNING >../said &&
		pawl ledger evidence mend/part-repair url:https://example.org/b \
			>../said && pawl ledger set mend/part-repair PASSED >../said
}

# kept KIND: the run's folder without what is no truth.
kept() {
	rm -rf "${to:?}/$1" && mkdir "$to/$1" && d=.pawl/runs/$run &&
		for part in events.jsonl plan artifacts capsules results; do
			[ ! -e "$d/$part" ] || cp -R "$d/$part" "$to/$1/" || return 1
		done && echo "$run" >"$to/$1/run"
}

[ $# != 0 ] || set -- complete blocked died takeover quarantine rework violated \
	imported ledger lost conflicted delegated ledger_mended
for kind; do
	mkdir -p "$top/$kind/home" "$top/$kind/w" && (
		HOME=$top/$kind/home XDG_STATE_HOME=$HOME/state
		export HOME XDG_STATE_HOME
		cd "$top/$kind/w" && $kind && kept $kind
	) || { echo "corpus_make.sh: $kind failed" && exit 1; }
done
