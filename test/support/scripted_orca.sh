#!/bin/sh
# scripted_orca: an `orca` for tests, as far as pawl-driver-orca asks it.
#
# ORCA_STATE names its folder: `runtime` (its id), a folder for each terminal
# below `terminals`, `calls` (a line a call), and `script`: words "CALL:WORD",
# where CALL is `status`, `show`, `create`, `list` or `close`, and WORD is how it
# misbehaves; the first time it is asked, or always with a '!' behind it.
set -eu
state=$ORCA_STATE
mkdir -p "$state/terminals"
[ -f "$state/runtime" ] || echo runtime-1 >"$state/runtime"
runtime=$(cat "$state/runtime")

# does WORD: is that to happen in this call?
does() {
	for word in $(cat "$state/script" 2>/dev/null); do
		case $word in
		"$call:$1!") return 0 ;;
		"$call:$1") mkdir "$state/did-$call-$1" 2>/dev/null && return 0 ;;
		esac
	done
	return 1
}

good() {
	! does silent-after || exit 1
	printf '{"id":"1","ok":true,"result":%s,"_meta":{"runtimeId":"%s"}}\n' \
		"$1" "$runtime"
	exit 0
}

bad() {
	printf '{"id":"1","ok":false,"error":{"code":"%s","message":"%s"},%s}\n' \
		"$1" "as scripted" "\"_meta\":{\"runtimeId\":\"$runtime\"}"
	exit 1
}

# one NAME: the object of a terminal.
one() {
	t=$state/terminals/$1 live=true
	kill -0 "$(cat "$t/pid")" 2>/dev/null || live=false
	handle=$1 incarnation=$(cat "$t/incarnation")
	! does renumber || handle=term_9$1
	! does reused || incarnation=another
	printf '{"handle":"%s","ptyId":"pty-%s","incarnationId":"%s",' \
		"$handle" "$1" "$incarnation"
	printf '"worktreeId":"%s","title":"%s","connected":%s}' \
		"$(cat "$t/worktree")" "$(cat "$t/title")" "$live"
}

terminals() {
	comma=
	for t in "$state"/terminals/*; do
		[ -f "$t/pid" ] || continue
		[ "$(cat "$t/worktree")" = "$worktree" ] || continue
		printf '%s%s' "$comma" "$(one "${t##*/}")"
		comma=,
	done
}

case "$1 ${2:-}" in
"status "*) call=status ;;
"worktree show") call=show ;;
"terminal create") call=create ;;
"terminal list") call=list ;;
"terminal close") call=close ;;
*) exit 64 ;;
esac
echo "$call" >>"$state/calls"
worktree='' title='' command='' terminal=''
while [ $# -gt 0 ]; do
	case $1 in
	--worktree) worktree=${2#id:} ;;
	--title) title=$2 ;;
	--command) command=$2 ;;
	--terminal) terminal=$2 ;;
	esac
	shift
done

! does slow || exec sleep 30
! does silent || exit 1
if does garbage; then echo 'what?' && exit 0; fi
if does types; then echo '{"ok":"true","result":[]}' && exit 0; fi
if does empty; then good '{}'; fi
if does huge; then exec head -c 6000000 /dev/zero; fi
! does unavailable || bad runtime_unavailable
! does refused || bad not_permitted
! does gone || bad selector_not_found
! does restarted || runtime="another"

case $call in
status)
	if does down; then
		good '{"runtime":{"state":"not_running","reachable":false,"runtimeId":null}}'
	fi
	good "{\"runtime\":{\"state\":\"ready\",\"reachable\":true,\"runtimeId\":\"$runtime\"}}"
	;;
show)
	path=${worktree#path:}
	[ "$(git -C "$path" rev-parse --show-toplevel 2>/dev/null)" = "$path" ] ||
		bad selector_not_found
	id=repo-1::$path
	! does elsewhere || path=/elsewhere
	good "{\"worktree\":{\"id\":\"$id\",\"path\":\"$path\"}}"
	;;
create)
	n=1
	while ! mkdir "$state/terminals/term_$n" 2>/dev/null; do
		n=$((n + 1))
	done
	t=$state/terminals/term_$n
	echo "$worktree" >"$t/worktree"
	echo "$title" >"$t/title"
	echo "incarnation-$n" >"$t/incarnation"
	! does idle || command='exec sleep 100'
	(
		cd "${worktree#*::}"
		# Of its own session before we end: who asked ends our group.
		exec setsid sh -c 'echo $$ >"$1/pid.new" && mv "$1/pid.new" "$1/pid"
			eval "$2"' sh "$t" "$command"
	) </dev/null >"$t/output" 2>&1 &
	while [ ! -f "$t/pid" ]; do sleep 0.01; done
	good "{\"terminal\":{\"handle\":\"term_$n\",\"worktreeId\":\"$worktree\"}}"
	;;
list)
	cut=false
	! does truncated || cut=true
	good "{\"terminals\":[$(terminals)],\"truncated\":$cut}"
	;;
close)
	terminal=${terminal#term_9term_}
	terminal=term_${terminal#term_}
	[ -d "$state/terminals/$terminal" ] || bad terminal_handle_stale
	if ! does lie; then
		kill -HUP "$(cat "$state/terminals/$terminal/pid")" 2>/dev/null || :
		rm -rf "${state:?}/terminals/$terminal"
	fi
	good '{"close":{"ptyKilled":true}}'
	;;
esac
