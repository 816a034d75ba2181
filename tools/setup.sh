#!/bin/sh
# Install what is missing on Debian: tools/setup.sh [--check] SET...
#
# Sets: build, check, soak, bench.  Silent when all is there; apt is asked (its
# lists fetched first, through sudo when not root) only when something isn't.
# --check only says what is missing, and fails then.
set -eu

# What shows that it is there (a command, or a file), and the package.
needs() {
	case $1 in
	build)
		echo git git
		echo gcc gcc
		echo /usr/include/stdio.h libc6-dev
		echo meson meson
		echo ninja ninja-build
		echo pkg-config pkg-config
		echo /usr/include/utf8proc.h libutf8proc-dev
		;;
	check)
		echo clang-14 clang-14
		echo /usr/lib/llvm-14/lib/clang/14*/lib/linux/libclang_rt.fuzzer-"$(uname -m)".a libclang-rt-14-dev
		echo clang-tidy-14 clang-tidy-14
		echo clang-format-14 clang-format-14
		echo cppcheck cppcheck
		echo /usr/include/cmocka.h libcmocka-dev
		echo jq jq
		echo node nodejs
		echo ps procps
		echo strace strace
		echo mandoc mandoc
		echo shellcheck shellcheck
		echo spin spin
		echo codespell codespell
		;;
	soak)
		echo valgrind valgrind
		;;
	bench)
		echo strace strace
		;;
	*)
		echo "setup.sh: no set '$1'; there are build, check, soak and bench" >&2
		return 2
		;;
	esac
}

check=
[ "${1:-}" != --check ] || { check=1; shift; }

missing=
for set_name; do
	list=$(needs "$set_name")
	while read -r sign package; do
		case $sign in
		/*) [ ! -e "$sign" ] || continue ;;
		*) command -v "$sign" >/dev/null && continue ;;
		esac
		missing="$missing $package"
	done <<LIST
$list
LIST
done
[ -n "$missing" ] || exit 0

if [ -n "$check" ] || ! command -v apt-get >/dev/null; then
	echo "missing:$missing" >&2
	echo "on Debian: apt-get install$missing" >&2
	exit 1
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
	command -v sudo >/dev/null || {
		echo "missing:$missing; neither root nor sudo is at hand to install them" >&2
		exit 1
	}
	as_root=sudo
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
	$as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=300 \
		"$@" </dev/null >"$log" 2>&1 || {
		tail -20 "$log" >&2
		echo "setup.sh: apt-get $1 failed" >&2
		exit 1
	}
}
echo "installing:$missing"
apt update
# shellcheck disable=SC2086 # a list of words
apt install --no-install-recommends $missing
