. "$(dirname "$0")/handout.sh"
x() {
	cat >../worker.sh <<-'END' && chmod +x ../worker.sh
		#!/bin/sh
		cat >/dev/null
		case $PAWL_NODE in
		A-1) echo done >a/done ;;
		B-2) echo done >b/done ;;
		esac
	END
	coordinated && mkdir ../scratch && pawl task dispatch A-1 >/dev/null && pawl task cleanup register A-1@1 --kind temp_path --target "$(cd ../scratch && pwd -P)" && pawl task cleanup register A-1@1 --kind terminal --target t1
	works A-1@1 a/done; unset PAWL_AS
	timeout 20 "$PAWL" run "$run" --force --reason r -- ../worker.sh; echo "== $?"
	pawl status; pawl explain A-1; pawl next; rmdir ../scratch
	timeout 20 "$PAWL" run "$run" -- ../worker.sh; echo "== $?"
	pawl status; false
}
t x
done_testing
