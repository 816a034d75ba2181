#!/bin/sh
# What a program calls itself.  SELF_OWN prints it, linked as pawl's tests are;
# SELF_STATIC is linked as pawl is, SELF_NONE without a build id, SELF_OTHER is
# of another source.
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/../cli/task_lib.sh"

build_id() { readelf -n "$1" 2>../err | sed -n 's/.*Build ID: //p'; }

it_is_the_build_id() {
	for program in "$SELF_OWN" "$SELF_STATIC" "$SELF_OTHER"; do
		"$program" | grep -qxE '[0-9a-f]{40}' &&
			same "$("$program")" "$(build_id "$program")" || return 1
	done
}

other_sources_are_another() {
	[ "$("$SELF_OWN")" != "$("$SELF_OTHER")" ]
}

a_stripped_one_is_the_same() {
	for program in "$SELF_OWN" "$SELF_STATIC"; do
		strip -o stripped "$program" && ! cmp -s stripped "$program" &&
			same "$(./stripped)" "$("$program")" || return 1
	done
}

without_a_build_id_it_is_the_files_digest() {
	same "$(build_id "$SELF_NONE")" '' &&
		same "$("$SELF_NONE")" "$(sha256sum <"$SELF_NONE" | cut -d ' ' -f 1)" &&
		cp "$SELF_NONE" changed && printf x >>changed &&
		same "$(./changed)" "$(sha256sum <changed | cut -d ' ' -f 1)"
}

pawl_says_so_in_its_journal() {
	begin &&
		same "$(jq -r '.events[0].data.binary' "$dir/events.jsonl")" \
			"$(build_id "$PAWL")"
}

for name in it_is_the_build_id other_sources_are_another \
	a_stripped_one_is_the_same without_a_build_id_it_is_the_files_digest \
	pawl_says_so_in_its_journal; do
	t "$name"
done
done_testing
