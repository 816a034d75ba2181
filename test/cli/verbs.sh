#!/bin/sh
# What all verbs have in common: names, directions, documents, keys, and media
# that can't be written.
. "$(dirname "$0")/waiting.sh"

# C080: `B Depends: [A]`: A first.  The same in every word of every surface.
directions_are_the_same_everywhere() {
	project && cat >worker.sh <<-'END' &&
		#!/bin/sh
		exit 1
	END
		status 0 pawl plan tasks.md --json &&
		answer '[.plan.waves, .plan.critical_path]' \
			'[[["A-1"],["B-2"]],["A-1","B-2"]]' &&
		status 0 pawl plan tasks.md && grep -q 'A-1 -> B-2' ../out &&
		git commit -qam worker && status 1 pawl run tasks.md -- ./worker.sh &&
		status 0 pawl show B-2 --json &&
		answer '[.detail.depends_on, .detail.needed_by]' '[["A-1"],[]]' &&
		status 0 pawl show A-1 --json &&
		answer '[.detail.depends_on, .detail.needed_by]' '[[],["B-2"]]' &&
		status 0 pawl explain B-2 --json &&
		answer '[.explanation.causes[] | .code, .subject]' \
			'["dependency","A-1","approval_ahead","B-2"]' &&
		status 0 pawl status --json &&
		answer '[.nodes[] | .id, .status]' \
			'["A-1","FAILED","B-2","PENDING"]' &&
		man="$here/../../man/pawl-tasks.5" &&
		tr '\n' ' ' <"$man" | grep -q 'Tasks that must have passed before'
}

# C081: one resolver: reads take a beginning at a border, changes the whole id;
# what means nothing or several is refused.
names_are_resolved_one_way() {
	copied && for words in status next ready state log; do
		for name in "$run" "${run%-*}" r; do
			status 0 pawl $words "$name" || return 1
		done
		for name in "${run%?}" r-2 R "${run}x" x; do
			status 3 pawl $words "$name" --json && code run_not_found ||
				return 1
		done
	done
	for verb in explain show 'log --node'; do
		for name in A-1 A B-2 B; do
			# shellcheck disable=SC2086
			status 0 pawl $verb $name && [ -s ../out ] || return 1
		done
		for name in a-1 A- A-11 C b; do
			# shellcheck disable=SC2086
			status 3 pawl $verb $name || return 1
		done
	done
	bytes >../before && for name in B b-2 "${run%-*}/B-2" B-2!; do
		for verb in approve deny unblock; do
			status 3 pawl $verb "$name" --reason r || return 1
		done
	done
	bytes >../after && cmp ../before ../after
}

a_name_of_several_is_refused() {
	project && sed -i 's/B-2/A-2/g' tasks.md && git commit -qam list &&
		status 5 pawl run tasks.md -- ./worker.sh &&
		for verb in explain show 'log --node'; do
		# shellcheck disable=SC2086
		status 4 pawl $verb A --json && code ambiguous_id || return 1
	done
}

# every_verb: what reads and what decides, as words, on a run that waits.
every_verb() {
	printf '%s\n' status next ready list 'list -a' 'explain B-2' 'show A-1' \
		'show A-1@1' 'show B-2!1' log state verify 'plan tasks.md' \
		'plan bad.md' 'status nothing' 'approve C-3' 'unblock A-1' \
		'deny B-2 --dry-run' 'approve B-2 --dry-run' where version help \
		'run nothing.md' 'init'
}

# C118: whatever there is to say beside the answer, stdout is one document.
warnings_stay_beside_the_document() {
	copied && printf -- '- [ ] X\n' >bad.md &&
		printf '{"torn":' >>".pawl/runs/$run/events.jsonl" &&
		printf x >".pawl/runs/$run/state.json" && printf '{' >.pawl/medium &&
		cp -a .pawl ../saved && every_verb >../verbs &&
		while IFS= read -r words; do
		rm -rf .pawl && cp -a ../saved .pawl
		# shellcheck disable=SC2086
		pawl $words --json </dev/null >../out 2>../err
		case $words in log*) filter='all(has("seq"))' ;; *)
			filter='length == 1 and (.[0] | has("ok"))'
			;;
		esac
		jq -se "$filter" ../out >/dev/null || {
			echo "$words"
			cat ../out
			return 1
		}
		[ ! -s ../err ] || ! grep -v '^pawl: \|^  hint: ' ../err || return 1
	done <../verbs
	pawl status --json >/dev/null 2>../err && grep -q '^pawl: note: ' ../err
}

# C118: closed, full, and gone at once: said by the status alone.
no_answer_can_be_given() {
	copied && printf -- '- [ ] X\n' >bad.md && bytes >../before &&
		every_verb >../verbs && while IFS= read -r words; do
		got=0
		# shellcheck disable=SC2086
		pawl $words --json </dev/null >&- 2>../err || got=$?
		same "$words $got" "$words 7" || return 1
		got=0
		# shellcheck disable=SC2086
		pawl $words --json </dev/null >/dev/full 2>../err || got=$?
		same "$words $got" "$words 7" || return 1
	done <../verbs
	bytes >../after && cmp ../before ../after
}

# C118: each document comes whole through a pipe that is full.
slow_readers_get_it_whole() {
	copied && for n in $(seq 400); do
		printf -- '- [ ] T-%s Title\n  Depends: []\n  Paths: [p/%s]\n' \
			"$n" "$n"
		printf '  Mode: write\n  Isolation: auto\n  Acceptance: x\n'
		printf '  Check: true\n'
	done >long.md && for words in 'plan long.md' 'plan --decision long.md' \
		'help' 'state'; do
		# shellcheck disable=SC2086
		pawl $words --json >../want &&
			pawl $words --json | { sleep 0.1; dd bs=512 2>/dev/null; } \
				>../got && cmp ../want ../got || return 1
	done
}

# C119: the same key does it once, for each verb that decides.
each_decision_has_its_key() {
	copied && status 0 pawl deny B-2 --key k1 --reason r --json &&
		answer '[.again, .decision]' '[false,"denied"]' && bytes >../before &&
		status 0 pawl deny "$run/B-2!1" --key k1 --reason r --json &&
		answer '[.again, .decision]' '[true,"denied"]' &&
		status 4 pawl deny "$run/B-2!1" --key k1 --reason other --json &&
		code key_conflict &&
		status 4 pawl approve "$run/B-2!1" --key k1 --reason r --json &&
		code key_conflict &&
		status 4 pawl unblock B-2 --key k1 --reason r --json &&
		code key_conflict && bytes >../after && cmp ../before ../after &&
		status 0 pawl unblock B-2 --key k2 --reason r --json &&
		answer .again false && bytes >../before &&
		status 0 pawl unblock B-2 --key k2 --reason r --json &&
		answer .again true && status 4 pawl unblock B-2 --key k2 \
		--reason s --json && code key_conflict && bytes >../after &&
		cmp ../before ../after && status 0 pawl approve B-2 --key k3 &&
		same "$(grep -c '"key":"k' ".pawl/runs/$run/events.jsonl")" 3
}

# C098: each reason to stand still has a word, who can change it, and what they
# type, in the document that programs read.
causes_come_with_who_and_command() {
	copied && status 0 pawl explain B-2 --json &&
		answer '.explanation.causes[0] | [.code, .who, .command]' \
			"[\"approval\",\"a human\",\"pawl approve $run/B-2!1\"]" &&
		status 0 pawl deny B-2 --reason r &&
		status 0 pawl explain B-2 --json &&
		answer '.explanation.causes[0] | [.code, .detail, .who, .command]' \
			"[\"blocked\",\"denied\",\"a human\",\"pawl unblock $run/B-2 --reason …\"]"
}

# C086, C087: the seed makes each run draw the first one's id again; ids are of
# the repository, as the branches are that carry them.
an_id_that_is_taken_is_drawn_again() {
	project && sed 's/first/1st/' tasks.md >other.md &&
		status 5 pawl run tasks.md -- ./worker.sh &&
		status 5 pawl run other.md -- ./worker.sh &&
		status 5 pawl run tasks.md --state ../elsewhere -- ./worker.sh &&
		find .pawl/runs ../elsewhere/runs -name 'r-*' -printf '%f\n' |
		sort -u >../ids && same "$(wc -l <../ids)" 3 &&
		while IFS= read -r id; do
		git rev-parse -q --verify "pawl/$id/main" || return 1
		[ ! -d ".pawl/runs/$id" ] || status 0 pawl verify "$id" ||
			return 1
	done <../ids
}

# C069: where `.GIT` is `.git`, as a second name of it makes it look like here,
# `Src` is `src`.
case_is_folded_where_the_file_system_does() {
	project && sed -i 's/\[B-2\]/[a-1]/; s/Check: .*/Check: true/' tasks.md &&
		git commit -qam list && git worktree add -q ../linked &&
		cd ../linked && ln .git .GIT && tree . >../before &&
		status 1 pawl run tasks.md --json -- ./worker.sh &&
		code invalid_path && grep -q "'a-1' of 'B-2' and 'A-1' of 'A-1'" \
		../out && tree . >../after && cmp ../before ../after &&
		same "$(ls ../w/.pawl/runs)" '' && rm .GIT &&
		status 5 pawl run tasks.md --json -- ./worker.sh
}

# refused STATUS CMD...: each verb that changes something ends with a status that
# says so, and changes nothing; each that reads answers as before.
refused() {
	want=$1
	shift
	bytes >../before
	for words in 'approve B-2' 'deny B-2' 'unblock B-2' "run $run" \
		'verify --repair'; do
		got=0
		# shellcheck disable=SC2086
		"$@" "$PAWL" $words --json >../out 2>../err || got=$?
		same "$words $got" "$words $want" &&
			jq -e '.ok == false' ../out >/dev/null || {
			cat ../out ../err
			return 1
		}
	done
	bytes >../after && cmp ../before ../after
}

readable() {
	for words in status next ready list log state verify 'explain B-2' \
		'show A-1' where 'plan tasks.md'; do
		# shellcheck disable=SC2086
		"$@" "$PAWL" $words >../out 2>../err </dev/null || {
			echo "$words"
			cat ../out ../err
			return 1
		}
	done
}

# In a mount namespace of its own, everything here can only be read.
frozen() {
	# shellcheck disable=SC2016 # the inner shell's
	unshare -m sh -c 'mount --bind "$0" "$0" &&
		mount -o remount,bind,ro "$0" && cd "$0" && "$@"' "$PWD" "$@"
}

# Without the rights of root, which reads and writes all.
plain() {
	setpriv --bounding-set=-all --inh-caps=-all "$@"
}

# C123
a_read_only_mount() {
	copied && readable frozen && refused 7 frozen &&
		same "$(frozen "$PAWL" run tasks.md --json -- ./worker.sh 2>/dev/null |
			jq -r .ok)" false
}

folders_that_cannot_be_written() {
	copied && chmod 500 ".pawl/runs/$run" && chmod 400 .pawl/runs/*/lock \
		.pawl/runs/*/events.jsonl && readable plain && refused 9 plain
}

a_file_that_cannot_be_read() {
	copied && chmod 000 ".pawl/runs/$run/events.jsonl" && refused 9 plain &&
		status 9 plain "$PAWL" status --json && code not_permitted &&
		grep -q events.jsonl ../out && status 0 plain "$PAWL" list &&
		chmod 600 ".pawl/runs/$run/events.jsonl" &&
		chmod 000 ".pawl/runs/$run/plan/tasks.md" && refused 9 plain &&
		grep -q tasks.md ../out
}

a_folder_of_somebody_else() {
	copied && chown -R 12345 .pawl && for words in status list 'approve B-2' \
		"run $run"; do
		# shellcheck disable=SC2086
		status 9 pawl $words --json && code not_permitted || return 1
	done
}

an_immutable_journal() {
	copied && chattr +i ".pawl/runs/$run/events.jsonl" && readable &&
		refused 9
	got=$?
	chattr -i ".pawl/runs/$run/events.jsonl"
	return $got
}

for case in directions_are_the_same_everywhere names_are_resolved_one_way \
	a_name_of_several_is_refused warnings_stay_beside_the_document \
	no_answer_can_be_given slow_readers_get_it_whole \
	each_decision_has_its_key causes_come_with_who_and_command \
	an_id_that_is_taken_is_drawn_again \
	case_is_folded_where_the_file_system_does; do
	t $case
done
if unshare -m true 2>/dev/null; then
	t a_read_only_mount
else
	skip a_read_only_mount 'no mount namespace of our own'
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	t folders_that_cannot_be_written
	t a_file_that_cannot_be_read
	t a_folder_of_somebody_else
else
	plain() { "$@"; }
	t folders_that_cannot_be_written
	t a_file_that_cannot_be_read
	skip a_folder_of_somebody_else 'not root'
fi
if touch "$top/i" && chattr +i "$top/i" 2>/dev/null; then
	chattr -i "$top/i"
	t an_immutable_journal
else
	skip an_immutable_journal 'no immutable files here'
fi
done_testing
