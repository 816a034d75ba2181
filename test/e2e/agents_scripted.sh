#!/bin/sh
# Stands for the program of each agent, by the name that it is called by: leaves
# NODE.txt, which tells how it was started, and ends as MODE says in the words
# of that agent.
set -u
name=${0##*/}
case $name in
claude) state=$CLAUDE_CONFIG_DIR login=.credentials.json ;;
codex) state=$CODEX_HOME login=auth.json ;;
gemini) state=$GEMINI_CLI_HOME login=.gemini/oauth_creds.json ;;
opencode) state=${XDG_DATA_HOME%/share} login=share/opencode/auth.json ;;
cursor-agent) state=$CURSOR_CONFIG_DIR login=cli-config.json ;;
esac
mode=${MODE:-well}
case $mode in
once:*)
	# the first attempt of a node; from the second on all is well
	case $PAWL_ATTEMPT in
	*@1) mode=${mode#once:} ;;
	*) mode=well ;;
	esac
	;;
esac

# says: one line of its output.
says() { printf '%s\n' "$1"; }

{
	echo "argv: $*"
	echo "prompt: $(head -c 6 | tr '\n' ' ')"
	echo "login: $(cat "$state/$login" 2>/dev/null)"
	echo "kept: $(cat "$state/kept" 2>/dev/null)"
	echo "inside: ${CLAUDECODE-}${CODEX_THREAD_ID-}${OPENCODE-}"
	for real in .claude .codex .gemini .cursor .config; do
		(echo planted >"$HOME/$real/hooks") 2>/dev/null && echo "escaped: $real"
	done
} >"$PAWL_NODE.txt"
echo "$PAWL_ATTEMPT" >"$state/kept" || says "its private state can't be written"

case $mode in
no-end)
	says '{"type":"system","subtype":"init","session_id":"s"}'
	exit 0
	;;
plant)
	rm -rf "$state/.gemini" "$state/share"
	ln -s "$HOME/.gemini" "$state/.gemini"
	says '{"type":"result","status":"error","error":{"message":"no"}}'
	exit 1
	;;
esac

case $name:$mode in
claude:well)
	says '{"type":"system","subtype":"init","session_id":"s-claude"}'
	says '{"is_error":false,"result":"ok","type":"result","session_id":"s-claude","total_cost_usd":0.5,"usage":{"input_tokens":10,"output_tokens":4}}'
	;;
claude:error)
	says '{"type":"result","subtype":"success","is_error":true,"result":"API Error: 529 overloaded"}'
	;;
claude:logged-out)
	says '{"type":"result","subtype":"success","is_error":true,"result":"Not logged in · Please run /login"}'
	exit 1
	;;
codex:well)
	says '{"type":"thread.started","thread_id":"s-codex"}'
	says '{"type":"turn.completed","usage":{"input_tokens":10,"cached_input_tokens":2,"output_tokens":4,"reasoning_output_tokens":1}}'
	;;
gemini:well)
	says '{"type":"init","session_id":"s-gemini"}'
	says '{"type":"result","status":"success","stats":{"input_tokens":10,"output_tokens":4,"cached":0}}'
	;;
opencode:well)
	says '{"type":"step_finish","sessionID":"s-opencode","part":{"reason":"stop","tokens":{"input":10,"output":4,"reasoning":0,"cache":{"read":0}}}}'
	;;
cursor-agent:well)
	says '{"type":"result","subtype":"success","is_error":false,"session_id":"s-cursor-agent","result":"ok"}'
	;;
*)
	echo "no mode $mode of $name" >&2
	exit 2
	;;
esac
