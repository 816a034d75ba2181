#!/bin/sh
# Agents as workers, by their profiles: what they are started with, what they
# can't reach, and what their last words are worth.  Their programs are scripts
# (agents_scripted.sh), which say what the real ones were seen to say.
. "$(dirname "$0")/lib.sh"
mkdir "$top/bin" || exit 99
for name in claude codex cursor-agent gemini opencode; do
	ln -s "$here/agents_scripted.sh" "$top/bin/$name" || exit 99
done
PATH=$top/bin:$PATH
unset CLAUDECODE CODEX_THREAD_ID OPENCODE CLAUDE_CONFIG_DIR CODEX_HOME MODE \
	GEMINI_CLI_HOME CURSOR_CONFIG_DIR XDG_CONFIG_HOME XDG_DATA_HOME \
	ANTHROPIC_API_KEY CODEX_API_KEY GEMINI_API_KEY CURSOR_API_KEY

confined=yes
"$PAWL" sandbox --sandbox=required -- true 2>/dev/null || confined=no

# by STATUS [OPTION...] [-- ARG...]: drive the list by agents.
by() {
	want=$1
	shift
	status "$want" pawl run ../tasks.md -j2 "$@"
}

# told NODE WHAT: what the agent of a node left about it.
told() {
	on_main "$1.txt" | sed -n "s/^$2: //p"
}

# logged_in: files as each of the programs keeps them.
logged_in() {
	for file in .claude/.credentials.json .codex/auth.json \
		.gemini/oauth_creds.json .local/share/opencode/auth.json \
		.cursor/cli-config.json; do
		mkdir -p "$HOME/${file%/*}" && echo "key of $file" >"$HOME/$file" ||
			return 1
	done
}

each_is_started_as_its_profile_says() {
	repo && logged_in && writes a &&
		for name in codex cursor-agent gemini opencode; do
			writes "$name" '' "Agent: $name"
		done &&
		CLAUDECODE=1 CODEX_THREAD_ID=1 OPENCODE=1 \
			by 0 --agent claude -- --model m && stands COMPLETE &&
		same "$(told a argv | sed 's/id [0-9a-f]\{8\}-[0-9a-f-]\{27\} /ID /')" \
			'-p --output-format stream-json --verbose --session-ID --setting-sources user --strict-mcp-config --dangerously-skip-permissions --model m' &&
		same "$(told codex argv | sed 's|/.*/tree|TREE|')" \
			'exec --json --skip-git-repo-check -C TREE --dangerously-bypass-approvals-and-sandbox -' &&
		same "$(told cursor-agent argv | sed 's|/.*/tree|TREE|')" \
			'-p --output-format stream-json --trust --force --workspace TREE --sandbox disabled' &&
		same "$(told opencode argv | sed 's|/.*/tree|TREE|')" \
			'run --format json --dir TREE --auto' &&
		same "$(told a login)" 'key of .claude/.credentials.json' &&
		same "$(told opencode login)" 'key of .local/share/opencode/auth.json' &&
		same "$(for id in a codex cursor-agent gemini opencode; do
			told "$id" inside
			[ "$confined" = no ] || told "$id" escaped
			told "$id" prompt
		done | sort -u | tr '\n' ';')" ';# Task;' || return 1
	same "$(events 'select(.type == "attempt_reported") | .data |
		.session + ": " + (.usage // [] | join(", "))' | sort)" \
		's-claude: input 10, output 4, cost_usd 0.5
s-codex: input 10, cached 2, output 4, reasoning 1
s-cursor-agent: 
s-gemini: input 10, cached 0, output 4
s-opencode: input 10, cached 0, output 4, reasoning 0' &&
		pawl show codex@1 | grep -qx 'agent           codex' &&
		# nothing of what it kept, or was logged in with, is left
		[ ! -e "$(rundir)/agents" ]
}

the_inner_sandbox_is_on_when_ours_is_off() {
	repo && writes a && writes codex '' 'Agent: codex' &&
		by 0 --agent claude --sandbox=off && stands COMPLETE &&
		told a argv | grep -q -- '--permission-mode acceptEdits$' &&
		told codex argv | grep -q -- '-s workspace-write -$' &&
		! told codex argv | grep -q bypass
}

# It never did anything: the tasks wait for somebody who logs it in.
who_is_not_logged_in_was_never_started() {
	repo && writes a && export MODE=logged-out && by 1 --agent claude &&
		stands BLOCKED a=BLOCKED && same "$(happened check_started)" 0 &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.start_failed' | sort -u)" \
			"claude isn't logged in: Not logged in · Please run /login" &&
		pawl explain a | grep -q "claude isn't logged in"
}

status_0_without_an_end_is_no_success() {
	repo && writes a && writes b '' 'Agent: gemini' &&
		export MODE=once:no-end && by 0 --agent claude && stands COMPLETE &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.message' | sort -u)" \
			'it never said that it came to its end' &&
		same "$(happened attempt_reported)" 2
}

an_error_in_its_words_is_a_failure() {
	repo && writes a && export MODE=once:error && by 0 --agent claude &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" 'exit 0: API Error: 529 overloaded'
}

# What one attempt keeps the next one finds; nobody else does.
a_private_state_lasts_as_long_as_its_run() {
	repo && writes a && writes b a && by 0 --agent claude &&
		same "$(told a kept)$(told b kept)" a@1
}

a_link_in_the_private_state_leads_nowhere() {
	repo && logged_in && writes a && export MODE=once:plant &&
		by 0 --agent gemini && stands COMPLETE &&
		same "$(happened attempt_start_failed)" 0 &&
		same "$(cat "$HOME/.gemini/oauth_creds.json")" \
			'key of .gemini/oauth_creds.json'
}

# A profile is what it was when the run began.
a_run_keeps_the_profile_that_it_froze() {
	repo && writes a && mkdir ../mine && cat >../mine/own.json <<-'END' &&
		{"v": 1, "name": "own", "programs": ["own"], "argv": ["{args}", "one"], "prompt": "file"}
	END
		printf '#!/bin/sh\necho "argv: $*" >$PAWL_NODE.txt; cat\n' \
			>../mine/own && chmod +x ../mine/own &&
		PATH=$PWD/../mine:$PATH && export PATH &&
		by 0 --once --agent ../mine/own.json -- zero &&
		same "$(told a argv)" 'zero one'
}

# A profile may want more than an end: a report of the worker's own.
a_report_that_must_come_and_does_not_is_no_end() {
	repo && writes a && mkdir ../mine && cat >../mine/own.json <<-'END' &&
		{"v": 1, "name": "own", "programs": ["own"], "argv": [], "report": "required"}
	END
		cat >../mine/own <<-'END' && chmod +x ../mine/own &&
			#!/bin/sh
			echo made >a.txt
			[ "$PAWL_ATTEMPT" != a@1 ] || exit 0
			sleep 0.2
			printf '{"task_id":"a","attempt_id":"%s","outcome":"reported","summary":"made","files_changed":["a.txt"],"checks_run":["looked"],"evidence_refs":[],"questions":[],"external_refs":{}}' \
				"$PAWL_ATTEMPT" >"$PAWL_OUTBOX/part" &&
				mv "$PAWL_OUTBOX/part" "$PAWL_OUTBOX/report.json"
		END
		PATH=$PWD/../mine:$PATH && export PATH &&
		by 0 --agent ../mine/own.json && stands COMPLETE &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.cause')" 'exit 0: it handed in no report' &&
		same "$(events 'select(.type == "attempt_reported") |
			.data | [.synthesized, .summary] | join(" ")')" 'false made'
}

a_frozen_profile_that_was_changed_is_refused() {
	repo && writes a && writes b a && by 0 --once --agent claude &&
		sed -i s/claude/clause/ "$(rundir)/plan/agents.json" &&
		status 8 pawl run "$(rid)" --json && code digest_mismatch &&
		sed -i s/clause/claude/ "$(rundir)/plan/agents.json" &&
		status 0 pawl run "$(rid)"
}

a_run_keeps_its_agent() {
	repo && writes a && writes b a && by 0 --once --agent claude &&
		status 2 pawl run "$(rid)" --agent codex &&
		status 2 pawl run "$(rid)" --agent claude -- --model x &&
		status 0 pawl run "$(rid)" --agent claude
}

a_program_that_is_missing_is_said_before_anything_starts() {
	repo && writes a '' 'Agent: codex' && mkdir ../bin &&
		ln -s "$here/agents_scripted.sh" ../bin/claude &&
		PATH=$PWD/../bin:/usr/bin:/bin && export PATH &&
		status 3 pawl run ../tasks.md --json --agent claude &&
		code agent_not_found && grep -q "tasks.md:1: agent 'codex'" ../out &&
		status 3 pawl run ../tasks.md --json --agent nobody &&
		code agent_not_found && [ -z "$(rundir)" ]
}

a_bad_profile_is_located() {
	repo && writes a && echo '{"v":1,"name":"x","programs":[],"argv":[]}' \
		>../x.json && status 1 pawl run ../tasks.md --json \
		--agent ../x.json && code invalid_profile &&
		same "$(jq -r .error.field ../out)" /programs && [ -z "$(rundir)" ]
}

doctor_says_what_is_there() {
	mkdir -p "$HOME/.claude" && echo {} >"$HOME/.claude/.credentials.json" &&
		status 0 pawl doctor --json &&
		same "$(jq -r '.result.findings[] | [.name, .status] | join(" ")' \
			../out | sed -n '1,2p;4,5p' | tr '\n' ';')" \
			'git ok;pawl-child ok;claude lacking;codex lacking;' &&
		PATH=/usr/bin:/bin status 0 pawl doctor &&
		grep -q '^gemini  *missing' ../out
}

# serving: a server on loopback whose every answer is 401; its port in ../port.
serving() {
	cat >../401.js <<-'END' &&
		const server = require('http').createServer((request, answer) => {
			request.resume().on('end', () => {
				answer.writeHead(401, {'content-type': 'application/json'})
				answer.end('{"error":{"message":"Missing bearer"}}')
			})
		})
		server.listen(0, '127.0.0.1', () => console.log(server.address().port))
	END
	{ node ../401.js >../port & } && server=$! && until_true test -s ../port
}

# The real ones, of npm, without anything that logs them in: what they are
# given is taken, and what they say is understood.
the_real_ones_refuse_without_credentials() {
	repo && PATH=$PAWL_AGENTS:$PATH && export PATH &&
		task a '' one read 'test -f one' 'Timeout: 120s' &&
		by 1 --agent claude && stands BLOCKED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.start_failed' | sort -u | cut -c1-22)" \
			"claude isn't logged in" && rm -rf "$XDG_STATE_HOME" &&
		serving && by 1 --agent codex -- -c model_provider=p \
		-c "model_providers.p={name=\"p\",base_url=\"http://127.0.0.1:$(cat ../port)/v1\",wire_api=\"responses\",request_max_retries=0,stream_max_retries=0}"
	well=$?
	[ -z "${server:-}" ] || kill "$server"
	[ $well = 0 ] && stands BLOCKED &&
		same "$(events 'select(.type == "attempt_interrupted") |
			.data.start_failed' | sort -u | cut -c1-21)" \
			"codex isn't logged in"
}

if [ -n "${PAWL_AGENTS:-}" ]; then
	all by told logged_in serving
else
	skip the_real_ones_refuse_without_credentials \
		'PAWL_AGENTS names no folder with claude and codex'
	all by told logged_in serving the_real_ones_refuse_without_credentials
fi
