# gated.sh: a small run that stands before a gate, for suites of verbs.
# shellcheck shell=sh
. "$(dirname "$0")/lib.sh"

worker() {
	printf '%s\n' '#!/bin/sh' 'echo work >"$PAWL_NODE"'
}

# project: a repository with a list of two tasks, the second to be approved.
project() {
	repo && cat >tasks.md <<'END' &&
# Two tasks
- [ ] A-1 Write the first
  Depends: []
  Paths: [A-1]
  Mode: write
  Isolation: auto
  Acceptance: A-1 is there
  Check: test -f A-1

- [ ] B-2 Write the second
  Depends: [A-1]
  Paths: [B-2]
  Mode: write
  Isolation: auto
  Acceptance: B-2 is there
  Check: test -f B-2
  Approval: required
END
	worker >worker.sh && chmod +x worker.sh && git add . &&
		git commit -q -m list && pawl init 2>/dev/null
}

# waiting: the run of it stands before the gate; its name is in $run.
waiting() {
	project && status 5 pawl run tasks.md -- ./worker.sh &&
		run=$(pawl list --json | jq -r '.result.runs[0].run') &&
		[ -d ".pawl/runs/$run" ]
}

# copied: as waiting, made once and copied: for what doesn't go on with the run.
copied() {
	if [ ! -d "$top/made" ]; then
		mkdir "$top/made" && (cd "$top/made" && waiting) || return 1
	fi
	cp -a "$top/made/." . && run=$(ls .pawl/runs)
}

bytes() { tree .pawl | grep -v 'state.json'; }

# Every verb that reads: text, one JSON document, nothing written.
reading() {
	printf '%s\n' status "status $run" next "next $run" ready list 'list -a' \
		'explain B-2' "explain $run/A-1" 'show A-1' 'show A-1@1' \
		'show A-1@1#1' 'show B-2!1' 'show c1' log "log $run" \
		'log --node A-1' 'log --at 2' state draw 'draw --dot' "draw --mermaid $run" 'draw tasks.md' 'export --ledger' verify 'plan tasks.md' \
		'plan --decision tasks.md' where version help
}

# events: the journal of the run.
events() { echo ".pawl/runs/$run/events.jsonl"; }

# lines: how many commits it has.
lines() { wc -l <"$(events)"; }
