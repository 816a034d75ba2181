#!/bin/sh
# pawl sandbox: what a command may touch is what was named, by the kernel.
. "$(dirname "$0")/lib.sh"

world() { mkdir r w x && for d in r w x; do echo "$d" >$d/f || return 1; done; }

# boxed STATUS WORD...: in the sandbox, with these words before the command.
boxed() {
	want=$1
	shift
	status "$want" pawl sandbox "$@"
}

what_is_not_named_is_refused() {
	world && boxed 0 -- cat /etc/passwd && boxed 1 -- cat r/f &&
		boxed 1 --read r -- cat x/f && boxed 1 --read r -- cat r/../x/f &&
		ln -s "$PWD/x/f" w/l && boxed 1 --write w -- cat w/l
}

what_is_named_to_read_is_read_alone() {
	world && boxed 0 --read r -- cat r/f && same "$(cat ../out)" r &&
		boxed 0 --read r/f -- cat r/f && boxed 2 --read r/f -- ls r &&
		for words in 'touch r/g' 'rm r/f' 'mv r/f r/g' 'mkdir r/d' \
			'ln -s f r/g' 'ln r/f w/g' 'truncate -s 0 r/f' 'tee r/f'; do
			# shellcheck disable=SC2086 # words
			boxed 1 --read r --write w -- $words || return 1
		done && same "$(ls r w)" "$(printf 'r:\nf\n\nw:\nf')" &&
		same "$(cat r/f)" r
}

what_is_named_to_write_is_written() {
	world && boxed 0 --write w -- sh -c 'echo y >w/f && mkdir w/d && mv w/f w/d' &&
		same "$(cat w/d/f)" y && ln -s w l && boxed 0 --write l -- touch w/g &&
		boxed 0 -- sh -c 'echo x >/dev/null'
}

# Whatever it starts, and however often it asks.
it_is_handed_down() {
	world && boxed 1 --read r -- sh -c '(setsid sh -c "cat x/f")' &&
		boxed 1 --read r --read "$PAWL" -- "$PAWL" sandbox --read x -- cat x/f &&
		boxed 0 --read x --read "$PAWL" -- "$PAWL" sandbox --read x -- cat x/f
}

its_end_is_ours() {
	boxed 7 -- sh -c 'exit 7' && boxed 143 -- sh -c 'kill -TERM $$' &&
		SSH_AUTH_SOCK=/x TMUX=y boxed 0 -- sh -c \
			'[ "${SSH_AUTH_SOCK-}${TMUX-}" = "" ] && [ -n "$HOME" ]' &&
		boxed 7 -- /is/not/there && grep -q "could not start '/is/not/there'" ../err
}

what_is_wrong_is_told_before_anything_runs() {
	boxed 3 --read no/such --json -- touch x && code file_not_found &&
		boxed 2 --sandbox=none --json -- touch x && code usage &&
		boxed 2 --json && code usage && boxed 2 --json -- && code usage &&
		[ ! -e x ]
}

# A kernel of today does all of it, or says what it doesn't.
what_is_required_is_there() {
	if pawl sandbox --sandbox=required --no-tcp -- true 2>../err; then
		[ ! -s ../err ]
	else
		boxed 9 --sandbox=required --no-tcp --json -- touch x &&
			code sandbox_unavailable && [ ! -e x ] &&
			boxed 0 --no-tcp -- true && grep -q "doesn't enforce" ../err
	fi
}

if pawl sandbox -- true 2>&1 | grep -q paths; then
	skip sandbox "no Landlock in this kernel"
else
	t what_is_not_named_is_refused
	t what_is_named_to_read_is_read_alone
	t what_is_named_to_write_is_written
	t it_is_handed_down
	t its_end_is_ours
	t what_is_wrong_is_told_before_anything_runs
	t what_is_required_is_there
fi
done_testing
