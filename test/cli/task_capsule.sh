#!/bin/sh
# What a worker's capsule refers to, and what of it is told: sources as the base
# commit has them, in one order, within budgets.
# shellcheck disable=SC2154 # journal and run are handout.sh's
. "$(dirname "$0")/handout.sh"

# listed: a task list with a context; its second task waits for the first.
listed() {
	cat <<-END
		- [ ] A-1 First
		  Depends: []
		  Paths: [a]
		  Mode: write
		  Isolation: worktree
		  Acceptance: a is done
		  Check: test -f a/done
		  Context: $1
		- [ ] B-2 Second
		  Depends: [A-1]
		  Paths: [b]
		  Mode: write
		  Isolation: worktree
		  Acceptance: b is done
		  Check: test -f b/done
		  Context: [docs/b.md]
	END
}

# led: a run of tasks.md, claimed by lead.
led() {
	git add -A && git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --driver host >../start &&
		run=$(ls .pawl/runs) && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one
}

# told ATTEMPT: its capsule's references, a line each.
told() {
	jq -r '.context.references[] | [.kind, .id, .omitted //
		(if .excerpt then "shown" else "-" end)] | join(" ")' \
		"$rundir/capsules/$1.json"
}

# ref ATTEMPT ID FIELD: of one reference.
ref() {
	jq -r --arg id "$2" --arg f "$3" '.context.references[] |
		select(.id == $id) | .[$f]' "$rundir/capsules/$1.json"
}

# Each form of a source: those that are text are shown, none is followed, and
# each is named by the object that the base commit has there.
a_source_is_what_the_base_has() {
	repo && mkdir a b docs docs/dir && echo 1 >a/f && echo 1 >b/f &&
		echo secret >../outside && echo 'read me' >docs/text.md &&
		printf '\033[31mred\n' >docs/control && printf 'a\377b' >docs/bytes &&
		printf 'a\0b' >docs/nul && : >docs/empty && echo x >docs/dir/x &&
		ln -s ../../outside docs/out && ln -s text.md docs/in &&
		ln -s nowhere docs/dangling && ln -s dir docs/linkdir &&
		head -c 1048576 /dev/zero | tr '\0' y >docs/large &&
		git init -q sub && git -C sub commit -q --allow-empty -m sub &&
		listed '[docs/text.md, ./docs/empty, docs/control, docs/bytes, docs/nul, docs/dir/, docs/out, docs/in, docs/dangling, docs/linkdir/x, docs/large, sub, docs/gone, docs/text.md/x, ../outside, /etc/passwd, .git/config]' \
			>tasks.md && led && echo changed >docs/text.md &&
		status 0 pawl task dispatch A-1 && same "$(told A-1@1)" \
			"task A-1 -
note A-1/Context -
decision process-decision -
source docs/bytes not_text
source docs/control not_text
source docs/dangling link
source docs/dir folder
source docs/empty shown
source docs/in link
source docs/large shown
source docs/nul not_text
source docs/out link
source docs/text.md shown
source sub repository" &&
		same "$(ref A-1@1 docs/text.md excerpt)" 'read me' &&
		same "$(ref A-1@1 docs/large bytes)" 1048576 &&
		same "$(ref A-1@1 docs/large truncated)" true &&
		same "$(ref A-1@1 docs/large excerpt | tr -d '\n' | wc -c)" 2048 &&
		for path in docs/bytes docs/control docs/dangling docs/dir \
			docs/empty docs/in docs/large docs/nul docs/out docs/text.md sub
		do
			same "$(ref A-1@1 $path digest)" \
				"git:$(git rev-parse "HEAD:$path")" || return 1
		done && ! grep -q secret "$rundir/capsules/A-1@1.json"
}

# It comes with what the work before it left, by digest and without its words;
# and a source as the run's branch has it, where it starts from.
what_came_before_is_named_and_not_told() {
	repo && mkdir a b docs && echo 1 >a/f && echo old >docs/b.md && echo 1 >b/f &&
		listed '[docs/b.md]' | sed 's/Paths: \[a\]/Paths: [a, docs]/' >tasks.md &&
		led && status 0 pawl task dispatch A-1 && at=$(workspace A-1@1) &&
		echo new >"$at/docs/b.md" && echo x >"$at/a/done" &&
		reports A-1@1 a/done docs/b.md && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		status 0 pawl task grade A-1 pass && status 0 pawl task dispatch B-2 &&
		same "$(told B-2@1)" "task B-2 -
note B-2/Context -
note A-1/Context -
dependency A-1 -
decision process-decision -
source docs/b.md shown
evidence A-1@1/commit -
evidence A-1@1/report -" && same "$(ref A-1@1 docs/b.md excerpt)" old &&
		same "$(ref B-2@1 docs/b.md excerpt)" new &&
		same "$(ref B-2@1 A-1 digest)" \
			"sha256:$(sha256sum <"$rundir/capsules/A-1@1.json" | cut -c1-64)" &&
		same "$(ref B-2@1 A-1@1/commit digest)" \
			"git:$(git rev-parse "pawl/$run/main")" &&
		same "$(ref B-2@1 A-1@1/report digest)" "sha256:$(jq -r '.events[] |
			select(.type == "attempt_reported") | .data.report_sha256' \
			"$journal")" &&
		! grep -q 'did it' "$rundir/capsules/B-2@1.json"
}

# Whoever takes up a reservation writes the bytes that it named, whatever
# happened to the working tree in between.
a_deferred_start_writes_what_was_reserved() {
	repo && mkdir a b docs && echo 1 >a/f && echo one >docs/a.md &&
		listed '[docs/a.md]' >tasks.md && led &&
		status 0 pawl task dispatch A-1 --defer && [ ! -e "$rundir/capsules/A-1@1.json" ] &&
		rm docs/a.md && ln -s /etc/passwd docs/a.md && git add docs &&
		git commit -qm later && status 0 pawl task recover attempt A-1@1 &&
		same "$(sha256sum <"$rundir/capsules/A-1@1.json" | cut -c1-64)" \
			"$(jq -r '.events[] | select(.type == "attempt_reserved") |
				.data.capsule_sha256' "$journal")" &&
		same "$(ref A-1@1 docs/a.md excerpt)" one
}

# Many sources: the nearest have their excerpts, each has its digest.
over_the_budget_digests_stay() {
	repo && mkdir a b docs && echo 1 >a/f && for i in $(seq 10 49); do
		echo "source $i" >docs/$i
	done && listed "[$(seq -s ', ' -f 'docs/%g' 10 49)]" >tasks.md && led &&
		status 0 pawl task dispatch A-1 &&
		same "$(told A-1@1 | grep -c '^source .* shown$')" 32 &&
		same "$(told A-1@1 | grep '^source .* items$' | tr '\n' ,)" \
			"$(seq -f 'source docs/%g items' 42 49 | tr '\n' ,)" &&
		same "$(ref A-1@1 docs/49 digest)" \
			"git:$(git rev-parse HEAD:docs/49)"
}

t a_source_is_what_the_base_has
t what_came_before_is_named_and_not_told
t a_deferred_start_writes_what_was_reserved
t over_the_budget_digests_stay
done_testing
