# waiting.sh: a run before a gate whose journal can be made anew by hand.
# shellcheck shell=sh disable=SC2154 # top is lib.sh's
. "$(dirname "$0")/gated.sh"

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
