#!/bin/sh
# Make the builds that the checks use, by name: tools/build.sh b-asan...
#
#	b-asan   gcc, address and undefined sanitizers: every test
#	b-clang  clang, the same, with the fuzzers: unit tests, fuzzing, clang-tidy
#	b-rel    gcc, optimised and fortified, with the test hooks: every test
#	b-ship   what is installed: no hooks
set -eu
cd "$(dirname "$0")/.."

make_build() { # NAME COMPILER OPTION...
	name=$1
	export CC="$2"
	shift 2
	log=$name.log
	set -- "$name" -Dwerror=true "$@"
	{
		if [ -f "$name/build.ninja" ]; then
			meson configure "$@"
		else
			meson setup "$@"
		fi && ninja -C "$name"
	} >"$log" 2>&1 || {
		grep -A15 -E 'FAILED|ERROR|error:' "$log" || tail -40 "$log"
		exit 1
	}
	mv "$log" "$name/build.log"
}

sanitize=-Db_sanitize=address,undefined
for b; do
	case $b in
	b-asan)
		make_build "$b" gcc -Dtest_hooks=true $sanitize
		;;
	b-clang)
		make_build "$b" clang-14 -Dtest_hooks=true $sanitize -Db_lundef=false -Dfuzz=true
		;;
	b-rel)
		# Fortified headers don't take (void) for an answer; b-asan looks at
		# results that must not be ignored.
		make_build "$b" gcc -Dtest_hooks=true -Dbuildtype=release \
			-Dc_args='-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -Wno-unused-result'
		;;
	b-ship)
		make_build "$b" gcc -Dbuildtype=release
		;;
	*)
		sed -n '2,7p' "$0"
		exit 2
		;;
	esac
done
