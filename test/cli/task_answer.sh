#!/bin/sh
# A coordinator's replies to the worker of a host.  C093, C094.
# shellcheck disable=SC2154 # rundir and journal are handout.sh's
. "$(dirname "$0")/handout.sh"

# By hand: a host's worker asks, sync takes it in, the coordinator replies.
a_coordinator_takes_in_and_replies() {
	coordinated && status 0 pawl task dispatch A-1 &&
		box=$rundir/outbox/A-1@1 && status 0 env -u PAWL_AS \
			PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" "$PAWL" task ask \
			--question 'Which one?' &&
		status 0 env -u PAWL_AS PAWL_ATTEMPT=A-1@1 PAWL_OUTBOX="$box" \
			"$PAWL" task ask --act 'May I publish?' &&
		echo '{' >"$box/ask-3.json" && ln -s "$journal" "$box/ask-4.json" &&
		status 0 pawl task sync && same "$(happened question_opened)" 2 &&
		unmoved status 0 pawl task sync &&
		unmoved status 9 pawl task answer q2 yes --json &&
		code not_permitted &&
		unmoved status 9 pawl task answer q1 x --as other --json &&
		code not_permitted &&
		status 0 pawl reply q1 'this one' --json &&
		answer '[.by, .assurance, .delivered]' \
			'["coordinator:lead","coordinator",true]' &&
		same "$(jq -r .answer "$box/answers/q1.json")" 'this one' &&
		rm "$box/answers/q1.json" && unmoved status 0 pawl task sync &&
		same "$(jq -r .answer "$box/answers/q1.json")" 'this one' &&
		works A-1@1 a/done && status 0 pawl task sync &&
		status 0 pawl task check A-1 && status 0 pawl task integrate A-1 &&
		unmoved status 5 pawl task grade A-1 pass --json &&
		code question_open && status 0 env -u PAWL_AS "$PAWL" answer q2 yes &&
		status 0 pawl task grade A-1 pass
}

t a_coordinator_takes_in_and_replies
done_testing
