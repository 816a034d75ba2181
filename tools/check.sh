#!/bin/sh
# Everything that a change must pass: tools/check.sh [--soak]
#
# Builds of tools/build.sh, every test in each that it is for, the static
# tools, short fuzz runs; --soak adds what takes longer: all files through
# clang-tidy, the tests named `soak`, long fuzz runs, valgrind.  One line a
# step with its seconds; what failed shows its output.  The last line sums the
# cases of all tests and the steps: N passed, N failed.
set -u
cd "$(dirname "$0")/.." || exit 99
soak=
[ "${1:-}" != --soak ] || soak=1

# The conformance suites that are too large to be ours lie beside the repository.
if [ -z "${PAWL_TEST_DATA:-}" ] && [ -d ../shared/data ]; then
	PAWL_TEST_DATA=$(cd ../shared/data && pwd)
	export PAWL_TEST_DATA
fi
LC_ALL=C.UTF-8
ASAN_OPTIONS=allow_user_segv_handler=0:detect_stack_use_after_return=1
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LC_ALL ASAN_OPTIONS UBSAN_OPTIONS

top=$(mktemp -d "${TMPDIR:-/tmp}/pawlcheck.XXXXXX") || exit 99
trap 'rm -rf "$top"' EXIT
trap 'exit 130' INT TERM
passed=0 failed=0 skipped=0
start=$(date +%s)

# say SECONDS NAME STATE
say() {
	printf '%5ds  %-28s %s\n' "$1" "$2" "$3"
}

# step NAME CMD...: run it; its exit status decides, its output shows only then.
step() {
	name=$1 from=$(date +%s)
	shift
	if "$@" >"$top/log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		say $(($(date +%s) - from)) "$name" ok
	else
		failed=$((failed + 1))
		say $(($(date +%s) - from)) "$name" FAILED
		tail -100 "$top/log"
		return 1
	fi
}

# Sum what a build's tests said as "passed failed skipped"; name what failed
# on stderr, with the comments that came with it.  A program that ends badly
# without a failed case is one failure, and its last words are shown.
tally() {
	python3 - "$1" <<'PYTHON'
import json, re, sys
passed = failed = skipped = 0
for line in open(sys.argv[1]):
    test = json.loads(line)
    ok = bad = left = 0
    said = (test.get("stdout") or "") + (test.get("stderr") or "")
    for case in re.finditer(r"^(not )?ok \d+(.*)((?:\n#.*)*)", said, re.M):
        if re.search(r"# *(skip|todo)", case[2], re.I):
            left += 1
        elif case[1]:
            bad += 1
            print(f"failed: {test['name']}{case[2]}{case[3][-8000:]}", file=sys.stderr)
        else:
            ok += 1
    result = test["result"]
    if result == "SKIP" and ok + left == 0:
        left += 1
    elif result not in ("OK", "SKIP") and bad == 0:
        bad += 1
        print(said[-4000:], file=sys.stderr)
        print(f"failed: {test['name']} - {result} (status {test['returncode']})", file=sys.stderr)
    elif result == "OK" and ok + bad + left == 0:
        ok += 1
    passed, failed, skipped = passed + ok, failed + bad, skipped + left
print(passed, failed, skipped)
PYTHON
}

# tests BUILD MESON-ARG...: every case of the build's tests counts.  Many of
# them wait for processes, so more of them run than there are processors.
tests() {
	b=$1 from=$(date +%s) rc=0
	shift
	rm -f "$b/meson-logs/testlog.json"
	# A time limit ends what hangs; how fast a machine is decides nothing.
	meson test -C "$b" --no-rebuild --print-errorlogs --timeout-multiplier 4 \
		--num-processes $((2 * $(nproc))) "$@" >"$top/log" 2>&1 </dev/null || rc=$?
	set -- 0 0 0
	if [ -f "$b/meson-logs/testlog.json" ]; then
		# shellcheck disable=SC2046 # three numbers
		set -- $(tally "$b/meson-logs/testlog.json" 2>"$top/failed")
	fi
	# Meson's own word counts too, and a run without any test failed.
	if [ "$2" -eq 0 ] && { [ $rc -ne 0 ] || [ "$1" -eq 0 ]; }; then
		set -- "$1" 1 "$3"
	fi
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
	say $(($(date +%s) - from)) "tests $b" "$1 passed, $2 failed, $3 skipped"
	[ "$2" -eq 0 ] || { [ -s "$top/failed" ] && cat "$top/failed"; } || tail -200 "$top/log"
}

# Nothing of what only tests may do is in what ships.
ship_is_clean() {
	bad=0
	for bin in b-ship/src/cli/pawl b-ship/src/child/pawl-child; do
		[ -x "$bin" ] || { echo "$bin was not built"; return 1; }
		for hook in PAWL_NOW PAWL_SEED; do
			if grep -q "$hook" "$bin"; then
				echo "$bin knows $hook"
				bad=1
			fi
		done
	done
	b-ship/src/cli/pawl version || bad=1
	return $bad
}

format() {
	tools/files.sh c h | xargs -r clang-format-14 --dry-run --Werror 2>"$top/format" || {
		sed -n 's/^\([^ :]*\.[ch]\):[0-9]*:.*/\1: make format/p' "$top/format" | sort -u
		return 1
	}
}

# The sources that this change touches, a header by its module: against the
# branch's base, on the main branch against ten commits ago.  All with --soak.
tidy_files() {
	base=$(git merge-base HEAD origin/main 2>/dev/null) || base=
	if [ -z "$base" ] || [ "$base" = "$(git rev-parse HEAD)" ]; then
		base=$(git rev-parse -q --verify HEAD~10) || base=
	fi
	if [ -n "$soak" ] || [ -z "$base" ]; then
		tools/files.sh c
	else
		{
			git diff --name-only "$base" -- '*.c' '*.h'
			git ls-files -o --exclude-standard -- '*.c' '*.h'
		} | sed 's/\.h$/.c/' | sort -u
	fi | while read -r file; do
		# Only what is compiled: the build's own list knows the options.
		[ ! -f "$file" ] || ! grep -q "\"\.\./$file\"" b-clang/compile_commands.json || echo "$file"
	done
}

# One file a call: with several, version 14 reports va_lists falsely.
tidy() {
	tidy_files >"$top/tidy"
	echo "$(wc -l <"$top/tidy") files"
	xargs -r -P 2 -n 1 clang-tidy-14 --quiet -p b-clang <"$top/tidy" 2>"$top/tidy.err" || {
		grep -v 'warnings\{0,1\} generated' "$top/tidy.err"
		return 1
	}
}

cppcheck_all() {
	cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c17 -j 2 -D__GNUC__=12 \
		-D__linux__ -D__x86_64__ -DPAWL_VERSION='""' -Isrc \
		--enable=warning,performance,portability \
		--suppress=missingIncludeSystem --suppress=normalCheckLevelMaxBranches src
}

# In tests, functions are called by name and subshells are meant.
shell_all() {
	tools/files.sh sh >"$top/sh"
	{ grep -Ev '^(test|bench)/' "$top/sh" && echo .ci/run; } | xargs shellcheck || return 1
	grep -E '^(test|bench)/' "$top/sh" | xargs -r shellcheck -S warning -x -P SCRIPTDIR
}

man_all() {
	find man -type f -name '*.[1-9]' 2>/dev/null | sort >"$top/man"
	[ -s "$top/man" ] || { echo "no man page"; return 1; }
	xargs mandoc -T lint -W warning <"$top/man"
}

spell() {
	git ls-files -- . ':!LICENSE' ':!test/*/corpus/*' ':!test/*' |
		xargs codespell --ignore-words-list=nd
}

# The tests of suite `soak` take minutes each.  Those of `slow` start hundreds of
# processes to show what the program says: one build is enough for that.
short() {
	[ -n "$soak" ] || echo --no-suite=soak
}

step layers tools/layers.sh
step "layers can fail" tools/layers.sh --self-test
step "banned calls" tools/banned.sh
step "banned calls can fail" tools/banned.sh --self-test
step clang-format format
step shellcheck shell_all
step "man pages" man_all
step codespell spell
step cppcheck cppcheck_all
# shellcheck disable=SC2046 # none or one option
step "build b-asan" tools/build.sh b-asan && tests b-asan --no-suite=slow $(short)
# shellcheck disable=SC2046
step "build b-rel" tools/build.sh b-rel && tests b-rel $(short)
step "build b-ship" tools/build.sh b-ship && step "b-ship has no hooks" ship_is_clean
if step "build b-clang" tools/build.sh b-clang; then
	if [ -n "$soak" ]; then
		tests b-clang
	else
		tests b-clang --suite unit --suite fuzz
	fi
	step clang-tidy tidy
	fuzz_s=10
	[ -z "$soak" ] || fuzz_s=120
	tools/fuzz.sh --list | xargs -n "$(nproc)" >"$top/fuzz"
	while read -r names; do
		# shellcheck disable=SC2086 # a name is a word
		step "fuzz $names" tools/fuzz.sh "$fuzz_s" $names
	done <"$top/fuzz"
fi
[ -z "$soak" ] || step valgrind meson test -C b-rel --no-rebuild --suite pure \
	--timeout-multiplier 20 --wrapper 'valgrind -q --error-exitcode=99'

say $(($(date +%s) - start)) all ""
line="$passed passed, $failed failed"
[ $skipped -eq 0 ] || line="$line, $skipped skipped"
echo "$line"
[ $failed -eq 0 ]
