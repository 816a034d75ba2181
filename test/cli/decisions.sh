#!/bin/sh
# pawl intake and pawl decision: what is measured, what is refused, and that
# nothing is written but what was asked for.
. "$(dirname "$0")/lib.sh"

task() {
	printf -- '- [ ] %s Do it\n  Depends: []\n  Paths: [%s]\n  Mode: write\n' \
		"$1" "$2"
	printf '  Isolation: auto\n  Acceptance: x\n  Check: %s\n' "$3"
}

list() {
	task A src/a true && task B src/b true
}

signals() {
	jq -n '{graph_requested: true, integrator: "me", cleanup_plan: "p",
		budget: [{resource: "attempts", value: 6, unit: "attempts",
			class: "hard"}],
		permission: {granted: true, by: "ada"},
		packets: [{id: "A", paths: ["src/a"], check: "true"},
			{id: "B", paths: ["src/b"], check: "true"}]}'
}

amendment() {
	jq -n --arg mode "$1" '{mode: $mode, changed_evidence: ["file:one"],
		reason: "it grew", replacement_check: {command: "make check",
		oracle: "strong"}}'
}

# files of both packets in each of N commits
together() {
	mkdir -p src/a src/b && for i in $(seq "$1"); do
		echo "$i" >src/a/x && echo "$i" >src/b/y && git add . &&
			git commit -q -m "$i" || return 1
	done
}

# Commits alone make or unmake the graph; the limit is three.
coupling_is_measured() {
	repo && together 2 && signals >../s.json &&
		status 0 pawl intake --request x --check true --signals ../s.json \
			--json &&
		answer '[.status, .mode]' '["selected","graph"]' &&
		answer '.repository_facts.commits_read' 3 &&
		answer '.repository_facts.scopes' \
			'[{"path":"src/a","files":1,"dirty":0},{"path":"src/b","files":1,"dirty":0}]' &&
		together 1 && echo more >>src/a/x &&
		status 0 pawl intake --request x --check true --signals ../s.json \
			--json &&
		answer '[.mode, .blockers[].code]' \
			'["light_spec","shared_write_coupling"]' &&
		answer '.repository_facts.dirty_paths' 1 &&
		answer '.repository_facts.scopes[0].dirty' 1
}

# The names of files may hold line ends and quotes.
odd_names_are_read() {
	repo && mkdir -p src/a src/b && for i in 1 2 3; do
		echo $i >"src/a/x
y" && echo $i >'src/b/"q" é' && git add . && git commit -q -m $i || return 1
	done && signals >../s.json &&
		status 0 pawl intake --request x --check true --signals ../s.json \
			--json &&
		answer '.repository_facts.changed_together[0].together' 3
}

intake_writes_nothing() {
	repo && signals >../s.json && tree . >../before &&
		tree "$HOME" >../home-before &&
		status 0 pawl intake --request x --check true --signals ../s.json \
			--probe --json &&
		answer '.repository_facts.check_on_base' '"exit 0"' &&
		tree . >../after && cmp ../before ../after &&
		tree "$HOME" >../home-after && cmp ../home-before ../home-after
}

# What isn't committed doesn't count, and whatever it does with files or with git
# stays where nobody looks; the checkout is gone afterwards.
a_probe_is_of_the_base() {
	repo && mkdir tmp.d && mv tmp.d ../tmp && TMPDIR=$(cd ../tmp && pwd -P) &&
		export TMPDIR && cat >check.sh <<-'END' && chmod +x check.sh &&
			#!/bin/sh
			git log -1 --format=%s >made && git add -A &&
				git commit -qm made && git tag made && ! test -e new
		END
		git add . && git commit -qm base && echo 'exit 7' >check.sh &&
		echo new >new && tree . >../before &&
		status 0 pawl intake --request x --check ./check.sh --probe --json &&
		answer '.repository_facts.check_on_base' '"exit 0"' &&
		tree . >../after && cmp ../before ../after &&
		same "$(git tag)$(git log --format=%s | head -1)" base &&
		same "$(ls ../tmp)" '' && mkdir here && {
		TMPDIR=$PWD/here status 9 pawl intake --request x --check true \
			--probe --json && code unsafe_path
	}
}

a_signal_ends_a_probe_and_nothing_stays() {
	repo && mkdir ../tmp && TMPDIR=$(cd ../tmp && pwd -P) && export TMPDIR && {
		"$PAWL" intake --request x --check 'sleep 60' --probe &
		pid=$!
	} && for _ in $(seq 100); do
		pgrep -P "$pid" sleep >/dev/null && break
		sleep 0.1
	done
	kill -TERM "$pid" && got=0 && { wait "$pid" || got=$?; } &&
		same "$got" 143 && same "$(ls ../tmp)" ''
}

without_a_repository() {
	status 0 pawl intake --request x --check true --json &&
		answer '[.mode, .repository_facts.repository,
			.repository_facts.dirty_paths]' '["light_spec",false,null]'
}

a_check_that_is_not_there_is_no_oracle() {
	repo && status 0 pawl intake --request x --check ./none --json &&
		answer '[.repository_facts.check_found,
			(.signals[] | select(.name == "oracle_strength") |
			[.value, .provenance])]' '[false,["absent","measured"]]' &&
		status 1 pawl intake --request x --check 'a | b' --json &&
		code invalid_check
}

questions_and_answers() {
	repo && jq -n '{scope: ["a"], small_change: true, ambiguities: [{id: "q1",
		question: "Which?", affects: ["scope"], safe_default: "none"}]}' \
		>../s.json && status 0 pawl intake --request x --check true \
		--signals ../s.json --json &&
		answer '[.status, .decision, .questions]' \
			'["questions",null,[{"id":"q1","question":"Which?","affects":["scope"],"repository_fact":null,"safe_default":"none"}]]' &&
		expect 0 decisions/questions pawl intake --request x --check true \
			--signals ../s.json &&
		echo '{"answers":[{"id":"q1","answer":"all"}]}' >../a.json &&
		status 0 pawl intake --request x --check true \
			--signals ../s.json --answers ../a.json --json &&
		answer '[.mode, .decision.questions[0].provenance]' \
			'["direct","owner"]' &&
		status 0 pawl intake --request x --check true \
			--signals ../s.json --use-safe-defaults --json &&
		answer '.decision.questions[0] | [.answer, .provenance]' \
			'["none","safe_default"]'
}

who_works_is_no_signal() {
	repo && for name in provider model workers worker_count canvas; do
		echo "{\"$name\":1}" >../s.json &&
			status 1 pawl intake --request x --check true \
				--signals ../s.json --json &&
			code invalid_signals || return 1
	done
}

usage_is_said() {
	status 2 pawl intake --check true && status 2 pawl intake --request x &&
		status 2 pawl intake --request x --request-file y --check true &&
		status 1 pawl intake --request ' ' --check true --json &&
		code invalid_argument
}

# What intake selects is what decision check takes, with its list, too.
an_intake_goes_with_its_list() {
	repo && signals >../s.json && list >../list.md &&
		status 0 pawl intake --request x --check true --signals ../s.json \
			--json && jq .result.decision ../out >../d.json &&
		status 0 pawl decision check ../d.json ../list.md --json &&
		answer '[.mode, .revision, .violations, .notes]' \
			'["graph",1,[],[]]'
}

# A decision whose packets are not the list's any more has its own code.
drift_has_its_own_code() {
	list >list.md && status 0 pawl plan list.md --decision &&
		cp ../out d.json && expect 0 decisions/check-ok \
			pawl decision check d.json list.md &&
		task A src/a true >list.md && task B src/c false >>list.md &&
		status 4 pawl decision check d.json list.md --json &&
		code decision_drift &&
		same "$(jq -c '[.result.violations[] | [.code, .path]]' ../out)" \
			'[["packet_check","/packets/1/check"],["packet_paths","/packets/1/paths"]]' &&
		expect 4 decisions/check-drift pawl decision check d.json list.md &&
		jq '.revision = 2 | .mode = "direct"' d.json >e.json &&
		status 1 pawl decision check e.json list.md --json &&
		code invalid_decision && status 1 pawl decision check - <e.json
}

amending() {
	list >list.md && status 0 pawl plan list.md --decision &&
		cp ../out d.json && cp d.json first.json &&
		amendment graph >am.json &&
		status 0 pawl decision amend d.json --amendment am.json --dry-run \
			--json && answer '[.revision, .dry_run]' '[2,true]' &&
		cmp d.json first.json &&
		status 0 pawl decision amend d.json --amendment am.json --json &&
		answer '[.mode, .revision, .again]' '["graph",2,false]' &&
		cp d.json second.json &&
		status 0 pawl decision amend d.json --amendment am.json --json &&
		answer '[.revision, .again]' '[2,true]' &&
		cmp d.json second.json &&
		status 0 pawl decision check d.json list.md &&
		same "$(jq -c '.selected_check' d.json)" \
			'{"command":"make check","oracle":"strong"}' &&
		jq '.replacement_check.command = "a; b"' am.json >bad.json &&
		status 1 pawl decision amend d.json --amendment bad.json --json &&
		code invalid_decision && cmp d.json second.json &&
		jq 'del(.changed_evidence)' am.json >bad.json &&
		status 1 pawl decision amend d.json --amendment bad.json --json &&
		code invalid_decision && cmp d.json second.json &&
		status 2 pawl decision amend d.json
}

a_record_is_appended_to() {
	repo && status 0 pawl intake --request x --check true --json &&
		jq .result.decision ../out >d.json &&
		status 0 pawl decision record d.json --to r.md --dry-run &&
		[ ! -e r.md ] && status 0 pawl decision record d.json --to r.md \
			--json && answer '[.revision, .added]' '[1,1]' &&
		grep -q '^## Revision 1$' r.md && echo 'By hand.' >>r.md &&
		amendment light_spec >am.json &&
		status 0 pawl decision amend d.json --amendment am.json &&
		status 0 pawl decision record d.json --to r.md --json &&
		answer '[.revision, .added]' '[2,1]' && grep -q '^By hand' r.md &&
		grep -q '^## Revision 2$' r.md && cp r.md before &&
		status 0 pawl decision record d.json --to r.md --json &&
		answer .added 0 && cmp r.md before && echo mine >other.md &&
		status 4 pawl decision record d.json --to other.md --json &&
		code id_taken && same "$(cat other.md)" mine &&
		status 2 pawl decision record d.json
}

only_a_light_spec_is_recorded() {
	list >list.md && status 0 pawl plan list.md --decision &&
		cp ../out d.json &&
		status 1 pawl decision record d.json --to r.md --json &&
		code invalid_argument && [ ! -e r.md ]
}

# given FILTER: a repository with a list, and its decision changed by FILTER.
given() {
	repo && status 0 pawl init && list >list.md && git add . &&
		git commit -q -m list && status 0 pawl plan list.md --decision &&
		jq -c "$1" ../out >d.json
}

# works ARGS...: pawl run with a worker that changes what its task may.
works() {
	pawl run "$@" -- sh -c 'mkdir -p src && echo x >"src/$(echo "$PAWL_NODE" |
		tr AB ab)"'
}

# The journal of the only run, wherever it is.
journal() {
	cat .pawl/runs/*/events.jsonl
}

# What the decision says itself stops the run before anything is made.
stops_come_before_the_run() {
	given . && tree . >../before && for stop in \
		'.permission.granted = false|missing_permission' \
		'.budget[0] |= (.value = 0 | .class = "hard")|budget_exhausted:attempts' \
		'.budget[0] = {resource: "tokens", value: 9, unit: "k", class: "hard"}|budget_unavailable:tokens' \
		'.observations[6] = {name: "blast_radius", value: "external", provenance: "reported"} | .selected_check.oracle = "weak"|insufficient_oracle_for_blast_radius'; do
		jq -c "${stop%|*}" d.json >../e.json || return 1
		for verb in 'run' 'task start'; do
			# shellcheck disable=SC2086
			status 1 pawl $verb list.md --decision ../e.json --json -- true &&
				code process_stop_condition &&
				same "$(jq -c .error.details ../out)" \
					"{\"stop_reasons\":[\"${stop##*|}\"]}" || return 1
		done
	done && tree . >../after && cmp ../before ../after
}

# Packets that drifted from the list make no run, and nothing at all.
drift_makes_no_run() {
	given '.packets[0].paths = ["src/z"]' && tree . >../before &&
		status 4 pawl run list.md --decision d.json --json -- true &&
		code decision_drift &&
		same "$(jq -r .error.field ../out)" /packets/0/paths &&
		status 3 pawl run list.md --decision none.json --json -- true &&
		tree . >../after && cmp ../before ../after
}

# A hard limit holds; what is done is kept, and it is said why the run stands.
a_hard_limit_ends_the_run() {
	given '.budget = [{resource: "attempts", value: 1, unit: "attempts",
		class: "hard"}, {resource: "tokens", value: 5, unit: "k",
		class: "advisory"}]' &&
		status 1 works list.md --decision d.json --json &&
		code budget_exhausted &&
		same "$(jq -c '[.result.run.status, .result.progress.passed]' ../out)" \
			'["BLOCKED",1]' &&
		same "$(jq -c '[.result.budget[] | [.resource, .used, .state]]' ../out)" \
			'[["attempts",1,"exhausted"],["tokens","unavailable","unavailable"]]' &&
		same "$(jq -c '[.result.degradations[].resource]' ../out)" \
			'["tokens"]' &&
		same "$(jq -c '[.result.nodes[1].causes[].code]' ../out)" \
			'["budget"]' &&
		status 0 pawl task digest --json &&
		answer '[.budget[0].state, (.degradations[] | [.code, .detail])]' \
			'["exhausted",["budget","the advisory limit of tokens can'"'"'t be measured here"]]' &&
		status 1 pawl run list.md --json && code budget_exhausted
}

# Time goes on without any line: the clock is asked before something starts.
time_that_is_over_ends_the_run() {
	given '.budget = [{resource: "wall_time", value: 30, unit: "minutes",
		class: "hard"}]' &&
		works list.md --decision d.json --once -j 1 >/dev/null 2>&1 &&
		status 0 pawl status --json &&
		answer '[.run.status, .progress.passed]' '["RUNNING",1]' &&
		PAWL_NOW=1700001800000 status 1 pawl run list.md --json &&
		code budget_exhausted &&
		same "$(jq -c '.result.progress.passed' ../out)" 1 &&
		PAWL_NOW=1700001799999 status 1 pawl run list.md --json &&
		code budget_exhausted
}

# The decision that a run froze is the one that it goes on with.
another_decision_is_stale() {
	given '.budget = [{resource: "attempts", value: 1, unit: "attempts",
		class: "hard"}]' &&
		status 1 works list.md --decision d.json &&
		journal >../before &&
		status 1 pawl run list.md --decision d.json --json &&
		code budget_exhausted && journal >../between &&
		jq -c '.budget[0].value = 2' d.json >e.json &&
		status 4 pawl run list.md --decision e.json --json &&
		code decision_stale && journal >../after &&
		cmp ../between ../after
}

# A list without a decision has limits that stop nothing.
derived_limits_are_told() {
	repo && list >list.md && git add . && git commit -q -m list &&
		status 0 works list.md --json &&
		answer '[.budget[] | [.resource, .class, .used]]' \
			'[["attempts","advisory",2],["workers","advisory",0]]'
}

# coordinated: a run of the list under d.json, claimed by c1; its name is $run.
coordinated() {
	given "${1:-.}" && status 0 pawl task start list.md --decision d.json \
		--json -- true && run=$(jq -r .result.run ../out) &&
		status 0 pawl task claim "$run" --as c1
}

# reduce RETAINED: d.json with an amendment out of mode graph, as e.json.
reduce() {
	jq -n --arg id "$1" '{mode: "verified_single", reason: "it is small",
		changed_evidence: ["file:one"], replacement_check:
		{command: "true", oracle: "strong"}, reduction: {integrator: "ada",
		reason: "one is enough", cleanup_plan: "none", retained: [$id]}}' \
		>am.json && cp d.json e.json &&
		status 0 pawl decision amend e.json --amendment am.json
}

unchanged() {
	journal >../after && cmp ../before ../after
}

a_run_goes_on_under_the_next_revision() {
	coordinated && reduce A && journal >../before &&
		status 0 pawl task amend-decision "$run" --decision e.json \
			--as c1 --dry-run --json &&
		answer '[.revision, .mode, .dry_run]' '[2,"verified_single",true]' &&
		unchanged &&
		status 0 pawl task amend-decision "$run" --decision e.json \
			--as c1 --json &&
		answer '[.revision, .mode, .retained, .again]' \
			'[2,"verified_single",["A"],false]' &&
		same "$(journal | tail -n 1 | jq -c '[.events[0].type,
			.events[0].data.revision, .events[0].data.retained]')" \
			'["decision_amended",2,["A"]]' &&
		journal >../before &&
		status 0 pawl amend-decision "$run" --decision e.json --as c1 \
			--json && answer .again true && unchanged &&
		status 0 pawl status "$run" --json &&
		answer '[.decision.revision, .decision.retained,
			[.nodes[] | [.id, .status]]]' \
			'[2,["A"],[["A","READY"],["B","BLOCKED"]]]' &&
		status 0 pawl explain B --json &&
		answer '[.explanation.causes[] | .code, .detail]' \
			'["blocked","reduced"]' &&
		status 4 pawl unblock "$run/B" --reason why --json &&
		code attempt_state && status 0 pawl verify "$run" &&
		cp e.json back.json && amendment graph |
		jq '.replacement_check.command = "true"' >am.json &&
		status 0 pawl decision amend back.json --amendment am.json &&
		status 0 pawl task amend-decision "$run" --decision back.json \
			--as c1 --key k1 && journal >../before &&
		status 0 pawl task amend-decision "$run" --decision back.json \
			--as c1 --key k1 && unchanged &&
		status 0 pawl status "$run" --json &&
		answer '[.nodes[].status]' '["READY","READY"]' &&
		status 0 pawl verify "$run" &&
		rm .pawl/runs/"$run"/artifacts/sha256/"$(sha256sum <e.json |
			cut -d' ' -f1)" && status 8 pawl verify "$run"
}

# Nothing that is refused changes a byte of the run's folder.
refused_amendments_change_nothing() {
	coordinated && reduce A && d=.pawl/runs/$run && [ -f "$d/events.jsonl" ] &&
		tree "$d" >../before && go() {
			want=$1 word=$2
			shift 2
			status "$want" pawl task amend-decision "$run" --json "$@" &&
				code "$word" && tree "$d" >../after &&
				cmp ../before ../after
		} && go 9 not_permitted --decision e.json &&
		go 9 not_permitted --decision e.json --as c2 &&
		go 3 file_not_found --decision none.json --as c1 &&
		echo '{' >bad.json && go 1 not_json --decision bad.json --as c1 &&
		jq '.revision = 9' e.json >bad.json &&
		go 1 invalid_decision --decision bad.json --as c1 &&
		jq '.id = "decision-x"' e.json >bad.json &&
		go 4 decision_drift --decision bad.json --as c1 &&
		jq '.scope = ["x"]' d.json >bad.json &&
		go 4 decision_drift --decision bad.json --as c1 &&
		jq 'del(.amendments[0].reduction)' e.json >bad.json &&
		go 1 invalid_decision --decision bad.json --as c1 &&
		jq '.amendments[0].reduction.retained = ["Z"]' e.json >bad.json &&
		go 3 node_not_found --decision bad.json --as c1 &&
		amendment graph >am.json && cp d.json bad.json &&
		status 0 pawl decision amend bad.json --amendment am.json &&
		jq '.packets[0].paths = ["z"]' bad.json >worse.json &&
		go 4 decision_drift --decision worse.json --as c1 &&
		jq '.permission.granted = false' bad.json >worse.json &&
		go 1 invalid_decision --decision worse.json --as c1 &&
		jq '.budget[0] |= (.value = 0 | .class = "hard")' bad.json \
			>worse.json &&
		go 1 process_stop_condition --decision worse.json --as c1
}

# A frozen decision that was changed on the disk is not what is amended.
a_changed_frozen_decision_is_seen() {
	coordinated && reduce A && f=.pawl/runs/$run/plan/process-decision.json &&
		chmod u+w "$f" && jq '.scope = ["x"]' "$f" >x && cp x "$f" &&
		journal >../before && status 8 pawl task amend-decision "$run" \
		--decision e.json --as c1 --json && code digest_mismatch && unchanged
}

# A limit that is raised lets the run go on.
a_raised_limit_lets_go_on() {
	coordinated '.budget = [{resource: "attempts", value: 1,
		unit: "attempts", class: "hard"}]' &&
		status 0 pawl task dispatch A --as c1 && journal >../before &&
		status 1 pawl task dispatch B --as c1 --json &&
		code budget_exhausted &&
		same "$(jq -r .error.field ../out)" attempts && unchanged &&
		amendment graph | jq '.replacement_check.command = "true" | .budget =
			[{resource: "attempts", value: 2, unit: "attempts",
			class: "hard"}]' >am.json && cp d.json e.json &&
		status 0 pawl decision amend e.json --amendment am.json &&
		status 0 pawl task amend-decision "$run" --decision e.json --as c1 &&
		status 0 pawl task dispatch B --as c1
}

# One beside the list is what a run of it freezes, and plan looks at it, too.
a_decision_beside_the_list_is_the_runs() {
	given . && dir=openspec/changes/x && mkdir -p $dir &&
		cp list.md $dir/tasks.md && amendment graph >am.json &&
		status 0 pawl decision amend d.json --amendment am.json &&
		cp d.json $dir/process-decision.json &&
		status 0 pawl plan $dir/tasks.md --json &&
		answer '[.process_decision | .path, .revision]' \
			"[\"$dir/process-decision.json\",2]" &&
		status 0 pawl plan list.md --json && answer .process_decision null &&
		status 0 pawl task start $dir/tasks.md --json &&
		grep -q "decision is '$dir/process-decision.json'" ../err &&
		same "$(jq -r '.events[0].data.decision_sha256' .pawl/runs/*/events.jsonl)" \
			"$(sha256sum <$dir/process-decision.json | cut -c1-64)" &&
		same "$(jq -r '.events[0].data.revision' .pawl/runs/*/events.jsonl)" 2 &&
		jq '.packets[1].check = "false"' d.json >$dir/process-decision.json &&
		echo 'Another list.' >>$dir/tasks.md && tree . >../before &&
		for verb in "plan $dir/tasks.md" "task start $dir/tasks.md" \
			"run $dir/tasks.md -- true"; do
			# shellcheck disable=SC2086
			status 4 pawl --json $verb && code decision_drift && same "$(jq -r .error.field ../out)" \
				/packets/1/check || return 1
		done
	tree . >../after && cmp ../before ../after &&
		jq '.permission.granted = false' d.json >$dir/process-decision.json &&
		status 1 pawl plan $dir/tasks.md --json && code process_stop_condition &&
		: >$dir/process-decision.json &&
		status 1 pawl plan $dir/tasks.md --json && code invalid_decision &&
		status 0 pawl run $dir/tasks.md --dry-run --decision d.json -- true
}

t coupling_is_measured
t odd_names_are_read
t intake_writes_nothing
t a_probe_is_of_the_base
t a_signal_ends_a_probe_and_nothing_stays
t without_a_repository
t a_check_that_is_not_there_is_no_oracle
t questions_and_answers
t who_works_is_no_signal
t usage_is_said
t an_intake_goes_with_its_list
t drift_has_its_own_code
t amending
t a_record_is_appended_to
t only_a_light_spec_is_recorded
t stops_come_before_the_run
t drift_makes_no_run
t a_hard_limit_ends_the_run
t time_that_is_over_ends_the_run
t another_decision_is_stale
t a_decision_beside_the_list_is_the_runs
t derived_limits_are_told
t a_run_goes_on_under_the_next_revision
t refused_amendments_change_nothing
t a_changed_frozen_decision_is_seen
t a_raised_limit_lets_go_on
done_testing
