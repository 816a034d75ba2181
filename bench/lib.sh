# lib.sh: what the bench_*.sh share.  Each works in a folder of its own, $top.
# shellcheck shell=sh
set -eu
LC_ALL=C
export LC_ALL
: "${PAWL:?bench/run.sh sets it}"
# shellcheck disable=SC2034 # of those who source this
bin=$(cd "$(dirname "$PAWL")/../../bench" && pwd)
top=$(mktemp -d "${TMPDIR:-/tmp}/pawl-bench.XXXXXX")
trap 'rm -rf "$top"' EXIT
HOME=$top/home XDG_STATE_HOME=$top/state GIT_CONFIG_NOSYSTEM=1
export HOME XDG_STATE_HOME GIT_CONFIG_NOSYSTEM
unset PAWL_STATE PAWL_RUN PAWL_NODE PAWL_ATTEMPT

# new_repo NAME: an empty repository with one commit, and pawl's folder in it.
new_repo() {
	mkdir -p "$HOME" "$top/$1/src"
	cd "$top/$1"
	git init -q -b main
	git config user.name bench
	git config user.email bench@localhost
	echo x >src/x.c
	git add -A
	git commit -q -m base
	"$PAWL" init >"$top/init.log" 2>&1
}

# calls CMD...: its system calls, as strace -c counts them; nothing without it.
calls() {
	if ! command -v strace >/dev/null; then
		echo "no strace"
		return
	fi
	strace -c -o "$top/calls" "$@" >/dev/null 2>&1
	awk '$NF == "total" { print $(NF - ($(NF - 1) ~ /^[0-9]+$/ && NF > 5 ? 2 : 1)) }' "$top/calls"
}

# reach VALUE MAX: says whether a value is as low as it should be.
reach() {
	awk -v v="$1" -v max="$2" 'BEGIN {
		printf "reach %s%s", max, v + 0 <= max + 0 ? "" : ": missed" }'
}
