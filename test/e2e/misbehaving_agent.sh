#!/bin/sh
# An agent that misbehaves: the name of its task says how.  What it tries to do
# outside of its place it tells in NODE.txt, as `done` or `refused`; a test then
# looks whether that is true.  $HERE is the case's folder, $HOME the home.
set -u
cat >/dev/null

# attempt CMD...: try it, and write down how it went.
attempt() {
	if "$@" >/dev/null 2>&1; then
		echo 'done' >>"$PAWL_NODE.txt"
	else
		echo refused >>"$PAWL_NODE.txt"
	fi
}

# put TEXT FILE: add a line to a file, as a command that may fail.
put() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	attempt sh -c 'echo "$1" >>"$2"' sh "$1" "$2"
}

# claim FILE...: hand in a report about these.
claim() {
	files=$(printf '"%s",' "$@")
	echo '{"task_id":"'"$PAWL_NODE"'","attempt_id":"'"$PAWL_ATTEMPT"'",
		"outcome":"reported","summary":"'"$1"' is made",
		"files_changed":['"${files%,}"'],"checks_run":["true"],
		"evidence_refs":[],"questions":[]}' >"$PAWL_OUTBOX/part" &&
		mv "$PAWL_OUTBOX/part" "$PAWL_OUTBOX/report.json"
}

# socket PATH: can it be reached?
socket() {
	attempt perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0) or exit 1;
		connect($s, sockaddr_un($ARGV[0])) or exit 1' "$1"
}

case $PAWL_NODE in
out-of-scope)
	echo mine >out-of-scope.txt
	echo theirs >elsewhere.txt
	;;
out-of-tree)
	put theirs "$HERE/w/one"
	put theirs "$HERE/outside"
	put theirs "$HOME/outside"
	;;
journal)
	run=${PAWL_OUTBOX%/outbox/*}
	put '{}' "$run/events.jsonl"
	put '{}' "$run/state.json"
	attempt rm "$run/events.jsonl"
	attempt mv "$run/plan" "$run/plan2"
	;;
other-outbox)
	put '{}' "${PAWL_OUTBOX%/*}/other@1/report.json"
	put '{}' "${PAWL_OUTBOX%/*}/exits"
	attempt mkdir "${PAWL_OUTBOX%/*}/mine"
	;;
check-script)
	printf '#!/bin/sh\nexit 0\n' >check-script.txt
	;;
git-config)
	attempt git config core.hooksPath "$PWD"
	put 'echo planted >&2' "$HERE/w/.git/hooks/post-checkout"
	put '*.txt filter=planted' "$HERE/w/.git/info/attributes"
	;;
agent-settings)
	put '{}' "$HOME/.claude/settings.json"
	put '{}' "$HOME/.codex/config.toml"
	put 'planted' "$HOME/.profile"
	;;
forks)
	setsid sh -c 'exec sleep 300' &
	(setsid sh -c 'sleep 300 & wait' &)
	echo made >forks.txt
	;;
ignores-term)
	trap '' TERM INT HUP
	echo made >ignores-term.txt
	while :; do sleep 1; done
	;;
floods)
	echo made >floods.txt
	head -c 1073741824 /dev/zero | tr '\0' x
	head -c 1048576 /dev/zero | tr '\0' y >&2
	;;
secrets)
	echo "the key is $SECRET_KEY" | tee secrets.out >&2
	echo "and again: $SECRET_KEY"
	rm secrets.out
	echo made >secrets.txt
	;;
reports-twice)
	echo made >reports-twice.txt
	claim reports-twice.txt
	sed 's/is made/is better/' "$PAWL_OUTBOX/report.json" >again
	mv again "$PAWL_OUTBOX/report.json"
	;;
reports-another)
	echo made >reports-another.txt
	PAWL_NODE=other PAWL_ATTEMPT=other@1
	claim reports-another.txt
	;;
never-reports | nothing) ;;
dies)
	exit 3
	;;
hangs)
	sleep 300
	;;
fills-disk)
	case $PAWL_ATTEMPT in
	*@1) head -c 1073741824 /dev/zero >fills-disk.txt || exit 1 ;;
	esac
	echo made >fills-disk.txt
	;;
deletes-itself)
	rm -rf "$PWD" 2>/dev/null || :
	;;
dirty)
	echo made >dirty.txt
	echo half >dirty.half
	;;
unpushed)
	echo made >unpushed.txt
	git add unpushed.txt 2>/dev/null
	git -c user.name=x -c user.email=x@localhost commit -qm mine 2>/dev/null || :
	;;
sockets)
	for path in "$SSH_AGENT" "$BUS" "$T_SOCKET"; do
		socket "$path"
	done
	for name in SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS TMUX DOCKER_HOST; do
		attempt printenv "$name"
	done
	;;
*)
	echo "$PAWL_NODE" >"$PAWL_NODE.txt"
	;;
esac
