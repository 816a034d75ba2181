#!/bin/sh
# Where answers go, and what happens when they can't.
. "$(dirname "$0")/lib.sh"

version() { expect 0 version pawl version; }
version_option() { expect 0 version pawl --version; }
version_json() {
	status 0 pawl version --json &&
		answer '[.journal_version, .state_format, .test_hooks]' '[1,1,true]'
}

full_disk() {
	got=0
	pawl version >/dev/full 2>../err || got=$?
	same $got 7 && grep -q 'could not write the answer: No space' ../err &&
		got=0 && { pawl version --json >/dev/full 2>../err || got=$?; } &&
		same $got 7 && grep -q 'No space' ../err
}

refusal_to_a_full_disk() {
	got=0
	pawl where --frob --json >/dev/full 2>../err || got=$?
	same $got 7
}

closed_stdout() {
	got=0
	pawl version >&- 2>../err || got=$?
	same $got 7 && grep -q 'could not write' ../err
}

closed_everything() {
	got=0
	pawl version <&- >&- 2>&- || got=$?
	same $got 7
}

closed_stderr_keeps_the_answer() {
	same "$(pawl version 2>&-)" "$(pawl version)"
}

# C118: the reader goes away before we write.
reader_gone() {
	mkfifo ../pipe
	{ exec 3<../pipe; exec 3<&-; : >../gone; } &
	got=0
	{
		while [ ! -e ../gone ]; do sleep 0.01; done
		pawl help errors 2>../err || got=$?
		echo "$got" >../got
	} >../pipe
	wait
	same "$(cat ../got)" 141 && same "$(cat ../err)" ''
}

# C118: a pipe that is full and read slowly; the whole answer comes.
slow_reader() {
	pawl help --json >../want &&
		pawl help --json | { sleep 0.2; dd bs=64 2>/dev/null; } >../got &&
		cmp ../want ../got
}

nonblocking_pipe() {
	command -v python3 >/dev/null || return 0
	pawl help --json >../want && python3 - "$PAWL" >../got <<'END' &&
import fcntl, os, subprocess, sys, time
r, w = os.pipe()
fcntl.fcntl(w, 1031, 4096)  # F_SETPIPE_SZ
fcntl.fcntl(w, fcntl.F_SETFL, os.O_NONBLOCK)
p = subprocess.Popen([sys.argv[1], "help", "--json"], stdout=w)
os.close(w)
time.sleep(0.2)
with os.fdopen(r, "rb") as f:
    sys.stdout.buffer.write(f.read())
sys.exit(p.wait())
END
	cmp ../want ../got
}

nothing_on_stdout_when_it_fails() {
	for words in frob 'where --frob' 'where -C nothing' 'completion fish'; do
		# shellcheck disable=SC2086
		pawl $words >../out 2>../err && return 1
		[ ! -s ../out ] && [ "$(head -c 6 ../err)" = 'pawl: ' ] || return 1
	done
}

errors_are_one_line_and_a_hint() {
	expect 1 completion-fish pawl completion fish
}

json_is_one_line() {
	for words in version where help 'help errors' 'help where' \
		'completion bash'; do
		# shellcheck disable=SC2086
		status 0 pawl $words --json && answer type '"object"' &&
			same "$(wc -l <../out)" 1 && same "$(cat ../err)" '' ||
			return 1
	done
}

# Colours are for terminals; escapes in data are for nobody.
terminal() {
	script -qec "$1" /dev/null </dev/null | tr -d '\r'
}

colours_only_on_a_terminal() {
	esc=$(printf '\033')
	pawl help | grep -q "$esc" && return 1
	terminal "TERM=xterm '$PAWL' help" | grep -q "$esc\[1m" &&
		! terminal "TERM=dumb '$PAWL' help" | grep -q "$esc" &&
		! terminal "NO_COLOR=1 TERM=xterm '$PAWL' help" | grep -q "$esc" &&
		terminal "NO_COLOR= TERM=xterm '$PAWL' help" | grep -q "$esc"
}

names_cannot_steer_a_terminal() {
	esc=$(printf '\033') csi=$(printf '\302\233')
	mkdir "a${esc}[2J${csi}31m" && cd "a${esc}[2J${csi}31m" || return 1
	for words in 'where' 'where --json' "where -C 'x${esc}[2Jy'"; do
		terminal "TERM=xterm '$PAWL' $words --state ./x" >../shown
		! grep -q -e "$esc" -e "$csi" ../shown || return 1
	done
	terminal "TERM=xterm '$PAWL' where --json --state ./x" | jq -e .ok
}

completion_is_a_script() {
	command -v bash >/dev/null || return 0
	pawl completion bash >../c && bash -n ../c && bash -c '
		. ../c
		complete_with() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
			COMPREPLY=(); _pawl 2>/dev/null; echo "${COMPREPLY[*]}"; }
		complete_with pawl wh
		complete_with pawl where --sta
		complete_with pawl -C where vers' >../got &&
		same "$(cat ../got)" 'where
--state
version'
}

t version
t version_option
t version_json
t full_disk
t refusal_to_a_full_disk
t closed_stdout
t closed_everything
t closed_stderr_keeps_the_answer
t reader_gone
t slow_reader
t nonblocking_pipe
t nothing_on_stdout_when_it_fails
t errors_are_one_line_and_a_hint
t json_is_one_line
if command -v script >/dev/null; then
	t colours_only_on_a_terminal
	t names_cannot_steer_a_terminal
else
	skip colours_only_on_a_terminal 'no script(1)'
	skip names_cannot_steer_a_terminal 'no script(1)'
fi
t completion_is_a_script
done_testing
