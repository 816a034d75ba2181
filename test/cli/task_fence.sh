#!/bin/sh
# The fence before every verb that is a coordinator's, from the table of
# commands.  C049, C092.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/task_lib.sh"

# args_of VERB: operands and options with which the verb would go on; a text is
# one word, a file is there.
args_of() {
	jq -r --arg name "$1" '.result.commands[] |
		select(.name == $name) | (.options[] | select(.repeatable | not) |
			if .value == "FILE" then "--\(.name) tasks.md"
			elif .value == "TEXT" then "--\(.name) because"
			else empty end), (.synopsis | split(" ")[] |
			if . == "[RUN]" or . == "RUN" then "RUN"
			elif startswith("[RUN/]") then "RUN/\(.[6:])"
			elif . == "TEXT" then "x"
			elif test("^[a-z]+([|][a-z]+)+$") then split("|")[0]
			else empty end)' ../help |
		sed "s,NODE.*,A,; s,ATTEMPT.*,A@1,; s,CHECK.*,A@1#1,; s,QUESTION.*,q1,; s,CLEANUP.*,c1,; s,^RUN,$run,"
}

# Every verb of a coordinator, from the table: without a name, with the token of
# a generation that ended, of another run, one that others may read, one that
# isn't one, and inside a worker.  C049: who holds it is stored, not recomputed.
the_fence_stands_before_every_verb() {
	claimed && other=$run && unset PAWL_SEED && status 0 pawl task start tasks.md --json &&
		run_of && status 0 pawl task claim "$run" --as c1 &&
		status 0 pawl task takeover "$run" --as c2 --force --reason test &&
		mine=$(token c2) && cp "$mine" ../mine &&
		pawl help --json >../help && jq -r '.result.commands[] |
			select(.needs == "coordinator") | .name' ../help >../verbs &&
		[ "$(wc -l <../verbs)" -ge 3 ] && while read -r verb; do
		fence_before || { echo "verb: $verb"; return 1; }
	done <../verbs
}
fence_before() {
	operand=$(args_of "$verb")
	# shellcheck disable=SC2086 # words
	set -- $verb $operand
	jq -e --arg name "$verb" '.result.commands[] | select(.name == $name) |
		.keyed' ../help >/dev/null && set -- "$@" --key fence
	refuses 9 not_permitted pawl "$@" &&
		refuses 4 stale_coordinator pawl "$@" --as c1 &&
		PAWL_AS=c1 refuses 4 stale_coordinator pawl "$@" &&
		refuses 9 not_permitted pawl "$@" --as c3 &&
		PAWL_ATTEMPT=A@1 refuses 9 worker_context pawl "$@" --as c2 &&
		PAWL_CHECK=A@1 refuses 9 worker_context pawl "$@" --as c2 &&
		fence_token "$@"
}
fence_token() {
	run_before=$run run=$other && cp "$(token c1)" ../other && run=$run_before &&
		sed "s/ 1$/ 2/" ../other >"$mine" &&
		refuses 9 wrong_token pawl "$@" --as c2 &&
		cp ../other "$mine" && refuses 4 stale_coordinator pawl "$@" --as c2 &&
		cp ../mine "$mine" && chmod 644 "$mine" &&
		refuses 9 not_permitted pawl "$@" --as c2 && chmod 600 "$mine" &&
		chmod 755 "$(dirname "$mine")" &&
		refuses 9 not_permitted pawl "$@" --as c2 &&
		chmod 700 "$(dirname "$mine")" &&
		echo x >"$mine" && refuses 9 wrong_token pawl "$@" --as c2 &&
		rm "$mine" && ln -s ../../mine "$mine" &&
		refuses 9 unsafe_path pawl "$@" --as c2 && rm "$mine" &&
		refuses 9 not_permitted pawl "$@" --as c2 && cp ../mine "$mine" &&
		chmod 600 "$mine"
}

t the_fence_stands_before_every_verb
done_testing
