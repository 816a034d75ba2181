#!/bin/sh
# The autopilot against make: worker and check of no-op tasks, two at a time.
#
#	bench_pilot.sh [READS [WRITES]]
#
# READS tasks once, and a tenth of them in several rounds.
. "$(dirname "$0")/lib.sh"
reads=${1:-1000}
writes=${2:-20}
real_git=$(command -v git)

# tasks COUNT MODE: a list; the tasks depend on nothing.
tasks() {
	awk -v n="$1" -v mode="$2" 'BEGIN {
		for (i = 1; i <= n; i++)
			printf "- [ ] T%d Do part %d\n  Depends: []\n  Paths: [src/f%d.c]\n  Mode: %s\n  Isolation: auto\n  Acceptance: Part %d is done.\n  Check: true\n\n",
				i, i, i, mode, i }'
}

# makefile COUNT: a target a task, whose worker and check make starts itself.
makefile() {
	awk -v n="$1" 'BEGIN {
		printf "all:"
		for (i = 1; i <= n; i++) printf " t%d", i
		print "\n"
		for (i = 1; i <= n; i++) printf "t%d:\n\ttrue\n\ttrue\n", i }'
}

new_repo repo
cat >"$top/drive" <<'EOF'
#!/bin/sh
list=$1
shift
exec "$@" "$PAWL" run "$list" -j 2 -- true
EOF
chmod +x "$top/drive"

# against_make COUNT ROUNDS
against_make() {
	tasks "$1" read >"$top/reads.md"
	makefile "$1" >"$top/Makefile"
	# shellcheck disable=SC2046
	set -- "$1" "$2" $("$bin/pairs" "$2" "$top/out" "$top/drive" "$top/reads.md" -- make -s -f "$top/Makefile" -j 2 all)
	# shellcheck disable=SC2046
	set -- "$@" $("$bin/pairs" 20 "$top/out" "$bin/bare" "$top/bare" 700 -- "$bin/bare")
	echo "autopilot: $1 no-op read tasks, -j 2, rounds: $2; $(($3 / 1000)) ms; worker and check through make -j 2: $(($4 / 1000)) ms, ratio $5 ($(reach "$5" 2.5))"
	echo "  a task beyond make's: $((($3 - $4) / $1)) us; one sync as a process beside it: $(($6 - $7)) us"
	for syncs in 2 3; do
		# shellcheck disable=SC2046
		set -- "$1" "$2" $("$bin/pairs" "$2" "$top/out" "$bin/bound" "$1" 2 "$syncs" "$top/bound" "$bin/bare" true -- make -s -f "$top/Makefile" -j 2 all)
		echo "  a monitor that only waits for each and $syncs syncs a task, without anything else: ratio to make $5"
	done
}
against_make $((reads / 10)) 5
against_make "$reads" 1

if command -v strace >/dev/null; then
	tasks 100 read >"$top/few.md"
	strace -f --seccomp-bpf -e trace=fdatasync,fsync -o "$top/trace" "$PAWL" run "$top/few.md" -j 2 -- true >/dev/null
	syncs=$(grep -c 'sync(' "$top/trace")
	syncs=$(awk -v n="$syncs" 'BEGIN { printf "%.1f", n / 100 }')
	echo "  syncs a task, over 100 tasks with the run's beginning and end: $syncs ($(reach "$syncs" 4))"
	makefile 100 >"$top/Makefile"
	# shellcheck disable=SC2046
	set -- $("$bin/pairs" 1 "$top/out" "$top/drive" "$top/few.md" strace -f --seccomp-bpf -o /dev/null -e trace=fdatasync -e inject=fdatasync:delay_exit=5000 -- make -s -f "$top/Makefile" -j 2 all)
	max=$(awk -v make="$2" 'BEGIN { printf "%.0f", (make + 100 * 5 * 5000) / 1000 }')
	echo "  with syncs of 5 ms more, 100 tasks: $(($1 / 1000)) ms; make and 5 such syncs a task: $max ms ($(reach "$(($1 / 1000))" "$max"))"
fi

# Writes: each git process is counted by a git ahead of the real one.
new_repo writes
tasks "$writes" write >"$top/writes.md"
mkdir "$top/bin"
cat >"$top/bin/git" <<EOF
#!/bin/sh
echo "\$@" >>"$top/git.log"
exec "$real_git" "\$@"
EOF
cat >"$top/worker" <<'EOF'
#!/bin/sh
echo "$PAWL_NODE" >"src/f${PAWL_NODE#T}.c"
EOF
chmod +x "$top/bin/git" "$top/worker"
PATH=$top/bin:$PATH "$PAWL" run "$top/writes.md" -j 2 -- "$top/worker" >/dev/null
all=$(wc -l <"$top/git.log")
trees=$(grep -cE 'worktree (add|remove)|(^| )worktree$' "$top/git.log" || true)
a=$(awk -v n="$all" -v t="$trees" -v w="$writes" 'BEGIN { printf "%.1f", (n - t) / w }')
echo "  git processes a write task beyond worktree add and remove, over $writes tasks: $a ($(reach "$a" 2))"
sed 's/^\(-[cC] [^ ]* \|--no-pager \)*//; s/ .*//' "$top/git.log" | sort | uniq -c | sort -rn | awk '{ printf "%s%s %d", (NR > 1 ? ", " : "    of all: "), $2, $1 } END { print "" }'
