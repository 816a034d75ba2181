# handout.sh: a run of driver `host` that `lead` coordinates, and its worker.
# shellcheck shell=sh
. "$(dirname "$0")/lib.sh"

# coordinated [WORDS...]: a repository with a run of tasks.md, claimed by lead;
# its id is $run.  Two writers and a reader, each in a folder of its own.
coordinated() {
	repo && mkdir a b && echo 1 >a/f && echo 1 >b/f && cat >tasks.md <<-'END' &&
		- [ ] A-1 First
		  Depends: []
		  Paths: [a]
		  Mode: write
		  Isolation: worktree
		  Acceptance: a is done
		  Check: test -f a/done
		- [ ] B-2 Second
		  Depends: []
		  Paths: [b]
		  Mode: write
		  Isolation: worktree
		  Acceptance: b is done
		  Check: test -f b/done
		- [ ] R-3 Look
		  Depends: [A-1]
		  Paths: [b]
		  Mode: read
		  Isolation: auto
		  Acceptance: looked
		  Check: test -f b/f
	END
		git add . && git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --driver "${DRIVER:-host}" "$@" >../start &&
		run=$(ls .pawl/runs) && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && one
}

# one: the only run's folder is there; for `&&` after assignments.
one() { [ -d "$rundir" ]; }

# workspace ATTEMPT: where it works.
workspace() {
	jq -r --arg a "$1" '.events[] | select(.type == "attempt_reserved" and
		.attempt == $a) | .data.worktree + "/tree"' "$journal"
}

# result ATTEMPT [FILE...]: a result that says so.
result() {
	attempt=$1
	shift
	for f in "$@"; do printf '%s\n' "$f"; done | jq -Rn --arg a "$attempt" \
		'{task_id: ($a | split("@")[0]), attempt_id: $a, outcome: "reported",
		summary: "did it", files_changed: [inputs], checks_run: ["make test"],
		evidence_refs: [], questions: [], external_refs: {}}'
}

# reports ATTEMPT [FILE...]: its worker hands that in.
reports() {
	result "$@" | env -u PAWL_AS PAWL_ATTEMPT="$1" \
		PAWL_OUTBOX="$rundir/outbox/$1" "$PAWL" task report --result -
}

# works ATTEMPT FILE: its worker makes the file and hands that in.
works() {
	echo 'done' >"$(workspace "$1")/$2" && reports "$1" "$2"
}

# happened TYPE: how many events of this type there are.
happened() {
	jq -c --arg t "$1" '.events[] | select(.type == $t)' "$journal" | wc -l
}

# unmoved CMD...: after the command the journal has the bytes that it had.
unmoved() {
	cp "$journal" ../journal.before && "$@" && cmp ../journal.before "$journal"
}

# stood ATTEMPT STATUS: so it stands.
stood() {
	same "$(pawl show "$1" --json | jq -r .result.detail.status)" "$2"
}
