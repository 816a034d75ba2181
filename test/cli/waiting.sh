# waiting.sh: a run that stands before a gate, for the suites that read or decide.
# shellcheck shell=sh disable=SC2154 # top is lib.sh's

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

# forge: the journal of standard input with its chain made anew, unsigned; what
# stands there may be changed by hand.
forge() {
	prev=$(printf '%064d' 0)
	while IFS= read -r line; do
		line=${line%,\"chain\":*}
		line=${line%,\"mac\":*}
		prev=$(printf '%s%s' "$prev" "$line" | sha256sum | cut -c1-64)
		printf '%s,"chain":"%s"}\n' "$line" "$prev"
	done
}

# forged SED...: the run's journal as sed changes it, chained, with no key to
# tell the difference.
forged() {
	sed "$@" ".pawl/runs/$run/events.jsonl" | forge >../forged &&
		cat ../forged >".pawl/runs/$run/events.jsonl" &&
		rm -rf "$XDG_STATE_HOME"/pawl/*/keys
}

# refrozen: the journal names the frozen list as it is now.
refrozen() {
	list=.pawl/runs/$run/plan/tasks.md
	sum=$(sha256sum <"$list" | cut -c1-64)
	size=$(wc -c <"$list")
	forged -e "1s/\"list_sha256\":\"[^\"]*\"/\"list_sha256\":\"$sum\"/" \
		-e "1s/\"list_bytes\":[0-9]*/\"list_bytes\":$size/"
}
