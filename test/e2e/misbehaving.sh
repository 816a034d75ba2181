#!/bin/sh
# One scripted agent with a mode for each way to misbehave, and the state that
# each of them ends in: misbehaving_agent.sh.  What the kernel is to refuse is
# looked at from outside, too; where this kernel can't, that case is skipped.
. "$(dirname "$0")/lib.sh"
agent=$here/misbehaving_agent.sh

confined=yes
"$PAWL" sandbox --sandbox=required -- true 2>/dev/null || confined=no

# misbehaves STATUS MODE [OPTION...]: drive a task of that name by the agent, which
# has LIMIT for it.
misbehaves() {
	want=$1 mode=$2
	shift 2
	HERE=$(cd .. && pwd)
	export HERE
	repo && task "$mode" '' "$mode.txt" write "test -s $mode.txt" "Timeout: ${LIMIT:-20s}" &&
		status "$want" pawl run ../tasks.md -j2 "$@" -- "$agent"
}

# refused MODE COUNT: all that it tried was refused, and it said so.
refused() {
	same "$(on_main "$1.txt" | sort | uniq -c | tr -s ' ')" " $2 refused"
}

writing_outside_its_scope_is_proven() {
	misbehaves 1 out-of-scope && stands FAILED out-of-scope=FAILED &&
		same "$(events 'select(.type == "scope_violated") |
			.data.paths | join(" ")' | sort -u)" elsewhere.txt &&
		same "$(happened check_started)" 0
}

writing_outside_its_tree_is_refused() {
	misbehaves 0 out-of-tree && refused out-of-tree 3 &&
		same "$(cat one)" one && [ ! -e ../outside ] &&
		[ ! -e "$HOME/outside" ]
}

the_journal_is_out_of_reach() {
	misbehaves 0 journal && refused journal 4 && stands COMPLETE
}

another_outbox_is_out_of_reach() {
	repo && task other '' other.txt write 'test -s other.txt' &&
		rm -rf .git one && misbehaves 0 other-outbox &&
		refused other-outbox 3 && stands COMPLETE other=PASSED
}

a_changed_check_script_is_flagged() {
	repo && printf '#!/bin/sh\ngrep -q real check-script.txt\n' \
		>check-script.txt && git add . && git commit -qm check &&
		task check-script '' check-script.txt write \
			'sh check-script.txt' &&
		status 1 pawl run ../tasks.md -j2 --strict -- "$agent" &&
		stands FAILED check-script=FAILED &&
		same "$(events 'select(.type == "check_recorded") |
			.data.flagged | length > 0' | sort -u)" true
}

git_is_read_only() {
	misbehaves 0 git-config && refused git-config 3 &&
		status 1 git config core.hooksPath &&
		[ ! -e .git/hooks/post-checkout ] && [ ! -e .git/info/attributes ]
}

an_agents_own_settings_are_out_of_reach() {
	mkdir -p "$HOME/.claude" "$HOME/.codex" &&
		echo '{"a":1}' >"$HOME/.claude/settings.json" &&
		misbehaves 0 agent-settings && refused agent-settings 3 &&
		same "$(cat "$HOME/.claude/settings.json")" '{"a":1}' &&
		[ ! -e "$HOME/.codex/config.toml" ] && [ ! -e "$HOME/.profile" ]
}

what_it_forks_is_ended() {
	misbehaves 0 forks && stands COMPLETE &&
		same "$(events 'select(.type == "attempt_reported") |
			.data.survivors >= 2')" true
}

ignoring_term_ends_at_the_deadline() {
	repo && task ignores-term '' ignores-term.txt write \
		'test -s ignores-term.txt' 'Timeout: 1s' &&
		status 1 pawl run ../tasks.md -j2 -- "$agent" &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.timeout' | sort -u)" true && stands FAILED
}

a_flood_is_kept_by_its_ends() {
	# a gigabyte takes its time where memory is watched
	LIMIT=250s && misbehaves 0 floods && stands COMPLETE &&
		same "$(events 'select(.type == "attempt_reported") |
			.data.stdout_bytes')" 1073741824 &&
		[ "$(du -sk "$(rundir)" | cut -f1)" -lt 4096 ]
}

secrets_are_masked() {
	SECRET_KEY=s3cr3t-0123456789 && export SECRET_KEY &&
		misbehaves 0 secrets --secret SECRET_KEY && stands COMPLETE &&
		! grep -rqF "$SECRET_KEY" "$XDG_STATE_HOME"
}

the_first_report_counts() {
	misbehaves 0 reports-twice && stands COMPLETE
}

a_report_for_another_attempt_is_not_taken() {
	misbehaves 1 reports-another && stands FAILED reports-another=FAILED
}

doing_nothing_is_no_work() {
	for mode in nothing never-reports; do
		rm -rf .git one ../tasks.md "$XDG_STATE_HOME" &&
			misbehaves 1 $mode && stands FAILED "$mode=FAILED" &&
			same "$(events 'select(.type == "attempt_rejected") |
				.data.reason' | sort -u)" 'no change' || return 1
	done
}

dying_at_once_is_bounded() {
	misbehaves 1 dies && stands FAILED dies=FAILED &&
		same "$(happened check_started)" 0 &&
		same "$(happened attempt_started)" 3
}

hanging_ends_at_the_deadline() {
	repo && task hangs '' hangs.txt write 'test -s hangs.txt' 'Timeout: 1s' &&
		status 1 pawl run ../tasks.md -j2 -- "$agent" &&
		stands FAILED hangs=FAILED &&
		same "$(happened attempt_interrupted)" 3
}

deleting_its_worktree_loses_the_attempt() {
	misbehaves 1 deletes-itself && stands FAILED deletes-itself=FAILED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause' | sort -u)" workspace_lost &&
		same "$(worktrees)" 1
}

a_dirty_worktree_is_kept() {
	misbehaves 1 dirty && stands FAILED dirty=FAILED &&
		same "$(events 'select(.type == "scope_violated") |
			.data.paths | join(" ")' | sort -u)" dirty.half
}

a_commit_of_its_own_is_refused() {
	misbehaves 0 unpushed && stands COMPLETE unpushed=PASSED &&
		same "$(git log --format=%s "pawl/$(rid)/main" | grep -c mine)" 0
}

# The run stops with not a word lost; with room again it goes on.
a_full_disk_stops_and_loses_nothing() {
	[ -n "${SMALL_DISK:-}" ] || {
		SMALL_DISK=1 ONLY=a_full_disk_ && export SMALL_DISK ONLY &&
			exec unshare -m sh "$here/misbehaving.sh"
	}
	mount -t tmpfs -o size=32m none "$HOME" && misbehaves 7 fills-disk &&
		cat ../err && pawl verify "$(rid)" &&
		mount -o remount,size=256m "$HOME" &&
		status 0 pawl run "$(rid)" -j2 -- "$agent" &&
		stands COMPLETE fills-disk=PASSED && same "$(worktrees)" 1
}

listen() {
	perl -MSocket -e 'socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die;
		bind($s, sockaddr_un($ARGV[0])) or die; listen($s, 1) or die;
		open(my $f, ">", "$ARGV[0].up"); close($f); sleep 60' "$1" &
	listeners="${listeners:-} $!"
	until_true test -e "$1.up"
}

the_sessions_sockets_are_out_of_reach() {
	SSH_AGENT=$PWD/../agent.sock BUS=$PWD/../bus.sock \
		T_SOCKET=$PWD/../tmux.sock
	export SSH_AGENT BUS T_SOCKET
	SSH_AUTH_SOCK=$SSH_AGENT DBUS_SESSION_BUS_ADDRESS=unix:path=$BUS \
		TMUX=$T_SOCKET,1,0 DOCKER_HOST=unix://$BUS
	export SSH_AUTH_SOCK DBUS_SESSION_BUS_ADDRESS TMUX DOCKER_HOST
	for path in "$SSH_AGENT" "$BUS" "$T_SOCKET"; do
		listen "$path" || return 1
	done
	misbehaves 0 sockets --read "$PWD/.." --write "$PWD/.."
	got=$?
	# shellcheck disable=SC2086 # ids
	kill $listeners
	[ $got = 0 ] && refused sockets 7
}

if [ $confined = no ]; then
	for name in writing_outside_its_tree_is_refused the_journal_is_out_of_reach \
		another_outbox_is_out_of_reach git_is_read_only \
		an_agents_own_settings_are_out_of_reach \
		a_commit_of_its_own_is_refused \
		the_sessions_sockets_are_out_of_reach; do
		skip $name "this kernel doesn't confine"
		out="${out:-} $name"
	done
fi
unshare -m true 2>/dev/null || {
	skip a_full_disk_stops_and_loses_nothing "no file system can be mounted"
	out="${out:-} a_full_disk_stops_and_loses_nothing"
}
# shellcheck disable=SC2086 # names
all misbehaves refused listen ${out:-}
