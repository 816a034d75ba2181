#!/bin/sh
# The names that users of other runtimes type: each leads to the command that
# means the same.
. "$(dirname "$0")/lib.sh"

# Alias, then the command that it is another name of.
aliases() {
	cat <<'END2'
recover-driver-selection task recover driver
recover-attempt task recover attempt
recover-cleanup task cleanup recover
recover-check-execution task recover check
abandon-attempt task abandon
record-result task report
quarantine-result task quarantine
import-checked-task task import-checked
audit-reject-attempt task audit-reject
run-check task check
record-repair task repair
record-finding task finding
finding-record task finding
record-decision task decide
amend-decision task amend-decision
amend-graph task amend
claim-coordinator task claim
bootstrap task start
request-delegation task delegate request
approve-delegation task delegate approve
reject-delegation task delegate reject
start-delegation task delegate start
report-delegation task delegate report
release-delegation task delegate release
cleanup-register task cleanup register
add-cleanup task cleanup register
cleanup-finish task cleanup finish
finish-cleanup task cleanup finish
cleanup-retain task cleanup retain
reply task answer
stop-hook task stop-hook
maestro-view task view
maestro-submit task view request
maestro-consume task view take
maestro-ack task view take
add-candidate task learn candidate
takeover task takeover
resume task resume
grade task grade
digest task digest
complete task complete
validate plan
register-delegation-cleanup task cleanup register
finding-decision task decide
coordinator-decision task decide
END2
}

# A command that is there has its aliases; one that isn't there yet has none.
every_alias_leads_to_its_command() {
	pawl help --json | jq -r '.result.commands[].name' >../names &&
		[ -s ../names ] && bad=0
	aliases >../aliases
	while read -r alias name; do
		pawl help "$alias" --json >../out 2>/dev/null
		got=$(jq -r '.result.name // "none"' ../out)
		if ! grep -qxF "$name" ../names; then
			echo "missing: $name ($alias)"
			[ "$got" = none ] || bad=1
		elif [ "$got" != "$name" ]; then
			echo "$alias is $got, not $name"
			bad=1
		fi
	done <../aliases
	[ $bad = 0 ]
}

# No alias hides a command, and none stands for two.
aliases_are_told_apart() {
	aliases | cut -d' ' -f1 | sort >../words && uniq -d ../words >../twice &&
		[ ! -s ../twice ] && pawl help --json |
		jq -r '.result.commands[].name' | sort >../names &&
		comm -12 ../words ../names >../both && [ ! -s ../both ]
}

t every_alias_leads_to_its_command
t aliases_are_told_apart
done_testing
