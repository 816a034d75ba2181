#!/bin/sh
# Runs as earlier versions wrote them: verified, told and exported for ever as
# they were then.  C055.  test/cli/corpus_make.sh makes them, once a version.
. "$(dirname "$0")/lib.sh"
corpus=$(cd "$here/../golden/corpus" && pwd)

# placed FOLDER: its run is here; its name is $run.
placed() {
	run=$(cat "$1/run") && mkdir -m 700 ".pawl/runs/$run" && for part in \
		events.jsonl plan artifacts capsules results; do
		[ ! -e "$1/$part" ] || cp -R "$1/$part" ".pawl/runs/$run/" ||
			return 1
	done && chmod -R go-rwx ".pawl/runs/$run" && : >".pawl/runs/$run/lock" &&
		chmod 600 ".pawl/runs/$run/lock"
}

# as_it_was GOLDEN CMD...: it prints that.
as_it_was() {
	golden=$1
	shift
	status 0 "$@" || return 1
	[ "${UPDATE:-}" != 1 ] || cp ../out "$golden"
	diff -u "$golden" ../out
}

every_kind_is_read_as_it_was() {
	repo && pawl init 2>../err && mkdir -p .pawl/runs && count=0 &&
		for kind in "$corpus"/*/*; do
			placed "$kind" && status 0 pawl verify "$run" --repair &&
				status 0 pawl verify "$run" &&
				as_it_was "$kind/log" pawl log "$run" &&
				as_it_was "$kind/ledger" pawl export --ledger "$run" &&
				status 0 pawl ledger check "$kind/ledger" &&
				rm -rf ".pawl/runs/$run" || {
				echo "$kind"
				return 1
			}
			count=$((count + 1))
		done
	[ $count -ge 13 ]
}

t every_kind_is_read_as_it_was
done_testing
