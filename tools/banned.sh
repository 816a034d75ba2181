#!/bin/sh
# Fail on calls that this project doesn't make: tools/banned.sh [--self-test]
#
# Findings are file:line with what to use instead.  Comments and string
# literals don't count as calls.  --self-test shows that it can find.
set -eu
cd "$(dirname "$0")/.."

# Names (a regular expression), files that may, and why not; by tabs.
# The first part is for every file, the second (after the ruler) for src/ only.
table() {
	cat <<'TABLE'
v?sprintf|strn?cpy|strn?cat|stpn?cpy|strtok(_r)?|gets|alloca	^$	has no bound; use struct str and struct buf
localtime|gmtime|ctime|asctime|tmpnam|mktemp	^$	shares a buffer or a name
--
system|popen	^$	runs a shell; use os/proc.h
ato(i|l|ll|f)|strto(l|ll|ul|ull|imax|umax|d|f)|v?f?s?scanf	^src/base/num\.c$	hides bad digits; use base/num.h
v?fork|clone3?|exec(l|lp|le|v|vp|ve|vpe)|fexecve|execveat|posix_spawnp?	^src/(os/proc\.c|child/)	starts a process; use os/proc.h
fsync|fdatasync|syncfs|sync_file_range|sync	^src/(os|store|child)/	is an order of durability; use store/ or os/fs.h
rename(at2?)?	^src/(os|store|child)/|^src/engine/(file|restore|worktree)\.c$	is an order of durability; use store/ or os/fs.h
time|clock_gettime|gettimeofday|clock|getrandom|getentropy|s?rand(om)?	^src/(os|child)/	is the world; take it as an argument
pthread_[a-z_]+|thrd_[a-z]+|mtx_[a-z]+	^$	is a thread; there are none
setjmp|longjmp	^$	leaves without releasing; use err.h
TABLE
}

check() { # FILE...
	table | awk '
	BEGIN { FS = "\t" }
	# One line without comments and literals; `comment` keeps what was in comments.
	function strip(line,    out, c, two, i) {
		out = comment = ""
		for (i = 1; i <= length(line); i++) {
			c = substr(line, i, 1)
			two = substr(line, i, 2)
			if (inside) {
				if (two == "*/") { inside = 0; i++ } else comment = comment c
			} else if (two == "/*") { inside = 1; i++
			} else if (two == "//") { comment = comment substr(line, i + 2); break
			} else if (c == "\"" || c == "\047") {
				for (i++; i <= length(line) && substr(line, i, 1) != c; i++)
					if (substr(line, i, 1) == "\\") i++
				out = out c c
			} else out = out c
		}
		return out
	}
	function finding(text) { print FILENAME ":" FNR ": " text; bad = 1 }
	FILENAME == "-" {
		if ($0 == "--") { only_src = 1; next }
		n++
		name[n] = "(^|[^A-Za-z0-9_.>])(" $1 ")[ \t]*[(]"
		may[n] = $2; why[n] = $3; src[n] = only_src
		next
	}
	FNR == 1 {
		inside = 0
		path = FILENAME
		sub(/^.*\/tree\//, "", path)
	}
	{
		code = strip($0)
		if ((comment ~ /(^|[^A-Za-z])(TODO|FIXME|XXX|HACK) *[:(]/ ||
		     comment ~ /^[ \t*]*(TODO|FIXME|XXX|HACK)([^A-Za-z]|$)/) &&
		    comment !~ /(TODO|FIXME)\(#[0-9]+\)/)
			finding("a note of work to do names its issue: TODO(#12)")
		if (code ~ /^[ \t]*#[ \t]*if[ \t]+0[ \t]*$/)
			finding("#if 0: code that no build compiles")
		if (code ~ /^[ \t]*#[ \t]*include[ \t]*<(pthread|threads)\.h>/)
			finding("there are no threads")
		for (i = 1; i <= n; i++) {
			if (src[i] && path !~ /^src\//) continue
			if (path ~ may[i] || !match(code, name[i])) continue
			called = substr(code, RSTART, RLENGTH)
			gsub(/[^A-Za-z0-9_]/, "", called)
			finding(called "() " why[i])
		}
	}
	END { exit bad }' - "$@"
}

self_test() {
	top=$(mktemp -d)
	trap 'rm -rf "$top"' EXIT
	mkdir -p "$top/tree/src/base" "$top/tree/src/os" "$top/tree/src/child" "$top/tree/src/store" \
		"$top/tree/src/engine" "$top/tree/src/cli" "$top/tree/test/unit"
	n=0
	expect() { # FILE LINE yes|no
		n=$((n + 1))
		printf '\n%s\n' "$2" >"$top/tree/$1"
		found=$(check "$top/tree/$1") || true
		case $3:$found in
		no: | yes:"$top/tree/$1:2: "*) ;;
		*)
			echo "banned.sh self-test $n: $1 with '$2' gave '$found'" >&2
			exit 1
			;;
		esac
	}
	for call in strcpy strcat sprintf vsprintf strtok strncpy stpcpy alloca localtime; do
		expect src/cli/a.c "	x = $call(a);" yes
		expect src/os/a.c "	x = $call (a);" yes
		expect test/unit/a.c "	$call(a);" yes
		expect src/cli/a.c "	x = my_$call(a);" no
		expect src/cli/a.c "	x = ops->$call(a);" no
		expect src/cli/a.c "	/* $call(a) */ x(\"$call(a)\");" no
	done
	for call in system popen atoi atol strtol strtoull strtod sscanf; do
		expect src/cli/a.c "	x = $call(a);" yes
		expect test/unit/a.c "	x = $call(a);" no
	done
	expect src/base/num.c '	x = strtoull(a);' no
	expect src/base/num.c '	x = system(a);' yes
	for call in fork vfork execve execvp posix_spawn; do
		expect src/cli/a.c "	x = $call(a);" yes
		expect src/os/a.c "	x = $call(a);" yes
		expect src/os/proc.c "	x = $call(a);" no
		expect src/child/a.c "	x = $call(a);" no
	done
	for call in rename renameat fsync fdatasync; do
		expect src/cli/a.c "	x = $call(a);" yes
		expect src/os/a.c "	x = $call(a);" no
		expect src/store/a.c "	x = $call(a);" no
		expect src/child/a.c "	x = $call(a);" no
	done
	expect src/engine/worktree.c '	x = rename(a, b);' no
	expect src/engine/worktree.c '	x = fsync(a);' yes
	for call in time clock_gettime getrandom rand random; do
		expect src/store/a.c "	x = $call(a);" yes
		expect src/os/a.c "	x = $call(a);" no
	done
	expect src/os/a.c '	pthread_create(&t);' yes
	expect src/os/a.c '#include <pthread.h>' yes
	expect src/os/a.c '#if 0' yes
	expect src/os/a.c '#if 01' no
	expect src/os/a.c '/* TODO: later */' yes
	expect src/os/a.c '// FIXME' yes
	expect src/os/a.c '/* says TODO for the rest */' no
	expect src/os/a.c '/* TODO(#12): later */' no
	expect src/os/a.c '	x = "TODO";' no
	expect src/os/a.c '/* \\uXXXX */' no
	expect src/os/a.c "	x = '\"'; strcpy(a, b); y = '\"';" yes
	expect src/os/a.c '	x = "\"strcpy(a)";' no
	echo "$n lines judged as they should be"
}

if [ "${1:-}" = --self-test ]; then
	self_test
	exit
fi
# shellcheck disable=SC2046 # no file of ours has a space in its name
check $(tools/files.sh c h | grep -E '^(src|test|bench)/')
