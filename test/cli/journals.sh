#!/bin/sh
# Journals and frozen lists that were made by hand: named, never obeyed.
. "$(dirname "$0")/waiting.sh"

# verbs_say STATUS WORD...: every verb that folds the journal ends so and says
# each word; nothing is changed.
verbs_say() {
	want=$1
	shift
	bytes >../before
	for verb in status next ready state 'explain A-1' 'show A-1' \
		'approve B-2' 'unblock A-1' "run $run" verify; do
		# shellcheck disable=SC2086
		status "$want" pawl $verb || return 1
		cat ../out ../err >../said
		for word; do
			grep -qF -- "$word" ../said || {
				echo "$verb doesn't say '$word'"
				cat ../said
				return 1
			}
		done
	done
	bytes >../after && cmp ../before ../after
}

# C078: a cycle in what is stored is found at load, with one path, always the
# same, of each component; nothing stands still without a word.
a_stored_cycle_is_named() {
	copied && sed -i '0,/Depends: \[\]/s//Depends: [B-2]/' \
		".pawl/runs/$run/plan/tasks.md" && refrozen &&
		verbs_say 8 'A-1 -> B-2 -> A-1' 'plan/tasks.md' &&
		status 8 pawl verify --json && cp ../out ../first &&
		status 8 pawl verify --json && cmp ../first ../out &&
		status 0 pawl list && grep -q "$run.*A-1 -> B-2 -> A-1" ../out
}

every_component_has_one_path() {
	copied && sed -e 1d -e "s/A-1/C-3/g" -e "s/B-2/D-4/g" tasks.md >more.md &&
		cat more.md >>tasks.md &&
		sed -i 's/Depends: \[\]/Depends: [D-4]/' tasks.md &&
		sed -i '0,/\[D-4\]/s//[B-2]/' tasks.md &&
		status 1 pawl plan tasks.md && cp ../out ../first &&
		same "$(grep -c 'in a circle' ../out)" 2 &&
		grep -q 'A-1 -> B-2 -> A-1' ../out &&
		grep -q 'C-3 -> D-4 -> C-3' ../out &&
		status 1 pawl plan tasks.md && cmp ../first ../out
}

# The journal is the truth about its list, also where a projection stands.
another_list_is_refused() {
	copied && echo '# more' >>".pawl/runs/$run/plan/tasks.md" &&
		verbs_say 8 "isn't the list that it started with"
}

# project_state: the view of the run, written as pawl itself writes it: once the
# journal's tail is long.
project_state() {
	for n in 1 2 3 4 5 6; do
		reason=$(head -c 15000 /dev/zero | tr '\0' x)
		pawl deny B-2 --reason "$reason" >/dev/null &&
			pawl unblock B-2 --reason "$reason" >/dev/null || return 1
	done
	[ -s ".pawl/runs/$run/state.json" ]
}

another_list_is_refused_beside_a_projection() {
	copied && project_state &&
		echo '# more' >>".pawl/runs/$run/plan/tasks.md" &&
		verbs_say 8 "isn't the list that it started with"
}

the_journal_of_another_run_is_refused() {
	copied && cp -a ".pawl/runs/$run" .pawl/runs/r-20200101-aaaaaa &&
		run=r-20200101-aaaaaa && rm -r .pawl/active &&
		mkdir -m 700 .pawl/active && : >".pawl/active/$run" &&
		chmod 600 ".pawl/active/$run" && verbs_say 8 "is run 'r-"
}

# Lines that don't carry the mark of the run's key, though the key is there.
unsigned_lines_are_named() {
	waiting && lines=$(wc -l <".pawl/runs/$run/events.jsonl") &&
		forge <".pawl/runs/$run/events.jsonl" >../forged &&
		cat ../forged >".pawl/runs/$run/events.jsonl" &&
		status 8 pawl verify --json && grep -q "$lines of the" ../out &&
		jq -e '.result.violations | length == 1' ../out
}

# hand SED: in a fresh copy, what sed makes of the journal is corrupt, and
# nothing is made, changed or removed anywhere.
hand() {
	rm -rf .pawl && cp -a "$top/made/.pawl" . && forged -e "$1" &&
		bytes >../before && status 8 pawl verify &&
		status 8 pawl run "$run" && bytes >../after &&
		cmp ../before ../after && [ ! -e ../x ] && [ ! -e pwned ]
}

# C115: in each field of a journal that names something; all kinds of names
# have been tried on the grammar itself.
hostile_names_in_a_journal() {
	copied || return 1
	for bad in '..\/x' '' '-rf' 'A-1\\u0000'; do
		hand "s/\"node\":\"A-1\"/\"node\":\"$bad\"/" &&
			hand "s/\"attempt\":\"A-1@1\"/\"attempt\":\"$bad@1\"/" &&
			hand "s/\"check\":\"A-1@1#1\"/\"check\":\"$bad@1#1\"/" &&
			hand "s/\"gate\":\"B-2!1\"/\"gate\":\"$bad!1\"/" &&
			hand "s/\"cleanup\":\"c1\"/\"cleanup\":\"$bad\"/" &&
			hand "s/\"run\":\"r-[^\"]*\"/\"run\":\"$bad\"/" || return 1
	done
}

# C115: a workspace that a journal names and that we didn't make.
a_workspace_made_by_hand_is_left_alone() {
	copied && mkdir ../victim && echo precious >../victim/f &&
		tree ../victim >../want &&
		sed -i '4,$d' ".pawl/runs/$run/events.jsonl" &&
		for place in "$top/$n/victim" "$PWD" / "$PWD/.git"; do
			forged -e "s#\"[^\"]*/A-1-1\"#\"$place\"#g" \
				-e 's/"pid":[0-9]*/"pid":3999999/g' || return 1
			pawl run "$run" >../out 2>../err
			tree ../victim >../got && cmp ../want ../got &&
				git fsck --no-progress && [ -x worker.sh ] || return 1
		done
}

# C109, C110, C112: lines are ordered by their number, whatever their times are.
times_of_all_kinds_order_nothing() {
	copied && pawl status --json | jq -c .result.nodes >../want &&
		for at in 0000-01-01T00:00:00.000000Z 1969-12-31T23:59:59.999999Z \
			2016-12-31T23:59:60.000000Z 2000-02-29T00:00:00.000000Z \
			9999-12-31T23:59:59.999999Z; do
		forged -e "4s/\"at\":\"[^\"]*\"/\"at\":\"$at\"/" &&
			status 0 pawl verify && status 0 pawl log --json &&
			same "$(jq -r .seq ../out | uniq | tr '\n' ' ')" \
				"1 2 3 4 5 6 7 8 " &&
			same "$(jq -r 'select(.seq == 4) | .at' ../out |
				sort -u)" $at &&
			pawl status --json | jq -c .result.nodes >../got &&
			cmp ../want ../got || return 1
	done
}

# C111: a time without its zone is none.
times_without_a_zone_are_refused() {
	copied && for at in 2026-11-30T11:24:23.123456 \
		2026-11-30T11:24:23.123456+08:00 '2026-11-30 11:24:23.123456Z' \
		2026-11-30T11:24:23Z 2026-11-30T11:24:23.123456z yesterday ''; do
		rm -rf .pawl && cp -a "$top/made/.pawl" . &&
			forged -e "4s/\"at\":\"[^\"]*\"/\"at\":\"$at\"/" &&
			status 8 pawl verify && grep -q 'line 4' ../out &&
			status 8 pawl approve B-2 || return 1
	done
}

# C109: ten years ahead and back again: both are seen, and nothing repeats.
a_clock_that_jumps_is_seen_and_orders_nothing() {
	waiting && PAWL_NOW=2000000000000 status 0 pawl approve B-2 &&
		PAWL_NOW=1000000000000 status 0 pawl run "$run" &&
		PAWL_NOW=1000000000000 status 0 pawl verify "$run" &&
		status 0 pawl log "$run" --json &&
		same "$(jq -r .seq ../out | sort -nc && echo sorted)" sorted &&
		same "$(jq -r '.at[0:4]' ../out | uniq | tr '\n' ' ')" \
			'2023 2033 2001 ' &&
		same "$(jq -r '.event.type' ../out | grep -c coordinator_taken)" 1 &&
		[ "$(wc -l <../out)" -lt 40 ] &&
		status 0 pawl status "$run" && grep -q COMPLETE ../out
}

# C109
mtimes_in_the_future_change_nothing() {
	copied && pawl status --json >../want &&
		find .pawl -exec touch -d '2099-01-01' {} + && bytes >../before &&
		pawl status --json >../got && cmp ../want ../got &&
		status 0 pawl verify && bytes >../after && cmp ../before ../after &&
		status 0 pawl approve B-2
}

# C113: what is ours is written one way; another is named, never guessed.
line_ends_of_a_journal_are_ours() {
	copied && file=.pawl/runs/$run/events.jsonl && cp "$file" ../good &&
		for change in 's/$/\r/' '1s/^/\xef\xbb\xbf/' 's/,"seq"/, "seq"/' \
			's/$/ /' '3s/^/\t/'; do
		sed "$change" ../good >"$file" && bytes >../before &&
			status 8 pawl verify && status 8 pawl approve B-2 &&
			bytes >../after && cmp ../before ../after || return 1
	done
	iconv -f UTF-8 -t UTF-16 ../good >"$file" &&
		status 8 pawl approve B-2 && status 8 pawl verify &&
		tr '\n' '\r' <../good >"$file" && bytes >../before &&
		! pawl verify && ! pawl approve B-2 && bytes >../after &&
		cmp ../before ../after
}

# C113, C015: only the last line end is missing: whole, and goes on cleanly.
a_journal_without_its_last_line_end_is_whole() {
	copied && file=.pawl/runs/$run/events.jsonl &&
		lines=$(wc -l <"$file") && pawl status --json >../want &&
		truncate -s -1 "$file" && pawl status --json >../got &&
		cmp ../want ../got && status 0 pawl approve B-2 &&
		same "$(wc -l <"$file")" $((lines + 1)) && status 0 pawl verify
}

# C113: a view in another shape isn't believed.
line_ends_of_a_projection() {
	copied && project_state && file=.pawl/runs/$run/state.json &&
		cp "$file" ../good && pawl status --json >../want &&
		for change in 's/$/\r/' '1s/^/\xef\xbb\xbf/' 's/:/: /' 's/$/ /'; do
		sed "$change" ../good >"$file" &&
			pawl status --json >../got 2>../err &&
			cmp ../want ../got || return 1
	done
	iconv -f UTF-8 -t UTF-16 ../good >"$file" &&
		pawl status --json >../got 2>../err && cmp ../want ../got
}

# C113: a list in other clothes makes the same plan.
line_ends_of_a_list() {
	project && pawl plan tasks.md --json >../want &&
		for change in 's/$/\r/' '1s/^/\xef\xbb\xbf/' 's/$/  /' 's/$/\t/'; do
		sed "$change" tasks.md >other.md &&
			pawl plan other.md --json >../got && cmp ../want ../got ||
			return 1
	done
	tr '\n' '\r' <tasks.md >other.md && pawl plan other.md --json >../got &&
		cmp ../want ../got &&
		printf '%s' "$(cat tasks.md)" >other.md &&
		pawl plan other.md --json >../got && cmp ../want ../got &&
		iconv -f UTF-8 -t UTF-16 tasks.md >other.md &&
		status 1 pawl plan other.md && grep -q 'UTF-16' ../out
}

for case in a_stored_cycle_is_named every_component_has_one_path \
	another_list_is_refused another_list_is_refused_beside_a_projection \
	the_journal_of_another_run_is_refused unsigned_lines_are_named \
	hostile_names_in_a_journal a_workspace_made_by_hand_is_left_alone \
	times_of_all_kinds_order_nothing times_without_a_zone_are_refused \
	a_clock_that_jumps_is_seen_and_orders_nothing \
	mtimes_in_the_future_change_nothing line_ends_of_a_journal_are_ours \
	a_journal_without_its_last_line_end_is_whole line_ends_of_a_projection \
	line_ends_of_a_list; do
	t $case
done
done_testing
