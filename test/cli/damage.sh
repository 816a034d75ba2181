#!/bin/sh
# What lies on the disk isn't what was written there.
. "$(dirname "$0")/gated.sh"

rechain() { python3 "$here/rechain.py" "$(events)" "$@"; }

state_json() { echo ".pawl/runs/$run/state.json"; }

# projected: as copied, with a projection, and the gate asked for anew.
projected() {
	copied && echo '{' >"$(state_json)" && pawl deny B-2 2>/dev/null &&
		pawl unblock B-2 --reason again && gate='B-2!2' &&
		jq -e .format "$(state_json)" >/dev/null
}

# forge OLD NEW: edit the projection, with a digest that is right again.
forge() {
	python3 - "$(state_json)" "$1" "$2" <<'END'
import hashlib, re, sys
path, old, new = sys.argv[1:]
text = open(path).read()
head, rest = text.split(',"sha256":"', 1)
body = rest[64 + len('","state":'):].rstrip("\n")[:-1]
assert old in body, body
body = body.replace(old, new)
digest = hashlib.sha256((head + body).encode()).hexdigest()
open(path, "w").write('%s,"sha256":"%s","state":%s}\n' % (head, digest, body))
END
}

# each_read CMD...: run it with the words of each verb that reads a run; lists
# and files are no runs.
each_read() {
	reading | grep -v -e '^plan' -e '^where' -e '^version' -e '^help' \
		-e '^log' -e '^verify' -e ' tasks\.md$' >../verbs &&
		while IFS= read -r words; do
		"$@" "$words" || return 1
	done <../verbs
}

says() {
	# shellcheck disable=SC2086
	status 0 pawl $2 </dev/null && case $2 in
	list*) ;;
	*) grep -q "$1" ../err || {
		echo "$2 is silent about it"
		return 1
	} ;;
	esac
}

# C004: an older snapshot, touched, changes nothing.
an_old_projection_reverts_nothing() {
	projected && cp "$(state_json)" ../old && status 0 pawl approve "$gate" &&
		pawl status --json >../want && cp ../old "$(state_json)" &&
		touch -d '+1 hour' "$(state_json)" && pawl status --json >../got &&
		cmp ../want ../got && status 4 pawl deny "$gate" --json &&
		code gate_decided && status 0 pawl verify
}

# C004, C005: told by every verb that reads the run, and mended by the next
# change.
an_edited_projection_is_told_and_made_anew() {
	projected && pawl status --json >../want &&
		sed -i 's/"A-1"/"A-9"/; s/"PASSED"/"FAILED"/; s/,1,/,2,/' "$(state_json)" &&
		each_read says 'disagreed with the journal' &&
		pawl status --json >../got 2>../err && cmp ../want ../got &&
		status 1 pawl verify --json && same "$(jq -r .error.code ../out)" drift &&
		status 0 pawl approve "$gate" && status 0 pawl status &&
		! grep -q disagreed ../err && status 0 pawl verify
}

# C004: a digest that is right again deceives no verify.
a_forged_projection_is_found_and_made_anew() {
	projected && forge '"exit 0"' '"exit 0"' && status 0 pawl verify &&
		forge '"exit 0"' '"exit 9"' &&
		status 1 pawl verify --json &&
		same "$(jq -r .error.code ../out)" drift &&
		status 0 pawl verify --repair && status 0 pawl verify &&
		! grep -q "exit 9" "$(state_json)"
}

# C004: one whose place isn't in this journal.
a_projection_of_another_history_is_told() {
	projected && cp "$(state_json)" ../other && copied &&
		pawl status --json >../want && cp ../other "$(state_json)" &&
		pawl status --json >../got 2>../err && cmp ../want ../got &&
		grep -q disagreed ../err
}

# C009: nobody repairs while reading.
twenty_readers_of_garbage_write_nothing() {
	projected && pawl status --json >../want && echo '{"format":' >"$(state_json)" &&
		tree . >../before || return 1
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		pawl status --json >"../got$i" 2>"../err$i" &
	done
	wait
	for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		cmp ../want "../got$i" && same "$(wc -l <"../err$i")" 1 || return 1
	done
	tree . >../after && cmp ../before ../after
}

torn() {
	printf '{"v":1,"seq":%d,"at":"20' $(($(lines) + 1)) >>"$(events)"
}

# C014, C018: told by all, changed by none; the next change keeps the bytes.
a_torn_end_is_told_and_not_touched_by_reads() {
	copied && torn && tree . >../before && each_read says 'torn append' &&
		tree . >../after && cmp ../before ../after &&
		status 0 pawl log && grep -q 'torn append' ../err &&
		status 1 pawl verify
}

# C018
a_dry_run_leaves_a_torn_end() {
	copied && torn && tree . >../before && for words in 'approve B-2' \
		'deny B-2' 'verify --repair' "run $run" 'run other.md -- true'; do
		# shellcheck disable=SC2086
		pawl --dry-run $words >../out 2>../err
		tree . >../after && cmp ../before ../after || {
			echo "$words wrote"
			return 1
		}
	done && status 0 pawl approve B-2 --dry-run && grep -q would ../out &&
		status 0 pawl run "$run" --dry-run && grep -q would ../out
}

a_torn_end_is_kept_by_its_digest() {
	copied && torn && tail -n 1 "$(events)" >../torn && before=$(lines) &&
		status 0 pawl approve B-2 && same "$(lines)" $((before + 1)) &&
		digest=$(tail -n 1 "$(events)" | jq -r '.events[] |
			select(.type == "journal_repaired") | .data.artifact') &&
		cmp ../torn ".pawl/runs/$run/artifacts/sha256/$digest" &&
		status 0 pawl verify && [ ! -s ../err ]
}

# C015: whole, of a type that nobody here knows: read up to it, and kept.
an_unknown_event_stops_changes_and_not_reads() {
	copied && pawl status --json >../want &&
		rechain add '[{"type":"node_teleported","node":"A-1","data":{}}]' &&
		tree . >../before && each_read says "node_teleported" &&
		pawl status --json >../got 2>../err && cmp ../want ../got &&
		same "$(wc -l <../err)" 1 && grep -q "written by pawl '0" ../err &&
		for words in 'approve B-2' 'deny B-2' "run $run" 'verify'; do
			# shellcheck disable=SC2086
			status 8 pawl $words --json || return 1
			case $words in
			verify) grep -q node_teleported ../out || return 1 ;;
			*) code newer_format || return 1 ;;
			esac
		done && tree . >../after && cmp ../before ../after
}

# C015: the events before it in its line are no half of a commit.
a_line_is_folded_whole_or_not_at_all() {
	copied && pawl status --json >../want &&
		decided=$(pawl show 'B-2!1' --json | jq -c .result.detail) &&
		scope=$(echo "$decided" | jq -r .scope_sha256) &&
		contract=$(echo "$decided" | jq -r .contract_sha256) &&
		rechain add '[{"type":"gate_decided","node":"B-2","data":{"gate":"B-2!1","decision":"granted","by":"local:x","assurance":"local","revision":1,"contract_sha256":"'"$contract"'","scope_sha256":"'"$scope"'","head":"'"$scope"'"}}]' &&
		status 0 pawl status --json && ! cmp -s ../want ../out && copied &&
		rechain add '[{"type":"gate_decided","node":"B-2","data":{"gate":"B-2!1","decision":"granted","by":"local:x","assurance":"local","revision":1,"contract_sha256":"'"$contract"'","scope_sha256":"'"$scope"'","head":"'"$scope"'"}},{"type":"node_teleported","data":{}}]' &&
		pawl status --json >../got 2>../err && cmp ../want ../got
}

# C016: the same at each start, and nothing is cut or added.
a_wrong_record_in_the_middle_is_named_at_each_start() {
	copied && rechain add '[{"type":"node_unblocked","node":"A-1","data":{"by":"local:x","reason":"no"}}]' &&
		rechain add '[{"type":"node_unblocked","node":"B-2","data":{"by":"local:x","reason":"no"}}]' &&
		at=$(($(lines) - 1)) && tree . >../before &&
		for i in 1 2 3; do
			status 8 pawl approve B-2 --json && code corrupt &&
				grep -q "line $at" ../out &&
				pawl status --json >"../got$i" 2>../err &&
				grep -q "line $at" ../err && cmp ../got1 "../got$i" ||
				return 1
		done && tree . >../after && cmp ../before ../after
}

# C016: a tail that was set aside is set aside once; what comes after stays.
what_follows_a_repair_survives_three_starts() {
	copied && torn && for i in 1 2 3 4 5; do
		pawl deny "B-2!$i" >../out && pawl unblock B-2 --reason "round $i" ||
			return 1
	done && after=$(lines) && pawl status --json >../want && for i in 1 2 3; do
		status 0 pawl status --json && [ ! -s ../err ] && cmp ../want ../out &&
			same "$(lines)" "$after" || return 1
	done && same "$(jq -r '.events[].type' "$(events)" |
		grep -c journal_repaired)" 1 && status 0 pawl verify
}

# C022: garbage is named, and never taken for absence.
garbage_in_what_counts_is_named() {
	copied && while read -r file name; do
		copied && for text in '' x '{' '[1]' '{"a":1}'; do
			printf '%s' "$text" >"$file" && got=0 &&
				{ pawl status --json >../out 2>../err || got=$?; } &&
				same "$file $got" "$file 8" &&
				grep -q "$name" ../out && got=0 &&
				{ pawl approve B-2 --json >../out 2>../err || got=$?; } &&
				same "$file $got" "$file 8" || return 1
		done
	done <<-END
		.pawl/runs/$run/plan/tasks.md plan/tasks.md
		.pawl/format format
	END
}

# C022: a run that can't be read is a row of its own, and the others are read.
a_list_shows_what_it_cannot_read() {
	copied && mkdir .pawl/runs/r-20200101-aaaaaa && echo x >.pawl/active/r-20200101-aaaaaa &&
		echo x >.pawl/runs/r-20200101-aaaaaa/events.jsonl &&
		status 0 pawl list -a --json &&
		answer '[.runs[] | has("error")] | sort' '[false,true]'
}

# Too small a limit of a file's size is an error of the write, not the end of
# the process, and what was begun is taken back.
a_size_limit_is_an_error_like_any() {
	copied && cp "$(events)" ../before &&
		(ulimit -f 1 && exec "$PAWL" approve B-2 --json >/dev/null 2>&1)
	same $? 7 && cmp ../before "$(events)" && status 0 pawl approve B-2
}

for case in an_old_projection_reverts_nothing \
	an_edited_projection_is_told_and_made_anew \
	a_forged_projection_is_found_and_made_anew \
	a_projection_of_another_history_is_told \
	twenty_readers_of_garbage_write_nothing \
	a_torn_end_is_told_and_not_touched_by_reads \
	a_dry_run_leaves_a_torn_end a_torn_end_is_kept_by_its_digest \
	an_unknown_event_stops_changes_and_not_reads \
	a_line_is_folded_whole_or_not_at_all \
	a_wrong_record_in_the_middle_is_named_at_each_start \
	what_follows_a_repair_survives_three_starts \
	garbage_in_what_counts_is_named \
	a_list_shows_what_it_cannot_read \
	a_size_limit_is_an_error_like_any; do
	t $case
done
done_testing
