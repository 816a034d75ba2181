#!/bin/sh
# Killed at random moments and started again, a run ends as if nothing had been.
#
# PAWL_KILLS says how many kills a case makes (8), PAWL_KILL_SEED when.
. "$(dirname "$0")/lib.sh"

# shellcheck disable=SC2154 # the runner's
notes=$top/notes
unset PAWL_SEED # ids of runs that were never started aren't tried again
kills=${PAWL_KILLS:-8}
seed=${PAWL_KILL_SEED:-$(date +%s)}
echo "# seed $seed"

# A dozen tasks: a diamond, a chain, two that overlap, reads, one repair.
list() {
	writes a && writes b && writes c a,b && writes d c && reads e c &&
		writes f d && task g f 'deep/' write 'test -f deep/g' &&
		task h f 'deep/h' write 'test -f deep/h' && reads i g,h &&
		task j '' j.txt write 'grep -q good j.txt' && writes k j &&
		writes l &&
		does g <<-'END' && does h <<-'END2' && does j <<-'END3' &&
			sleep 0.05
			mkdir -p deep
			echo g >deep/g
			git rev-parse HEAD >/dev/null
		END
			mkdir -p deep
			echo h >deep/h
		END2
			[ -f j.txt ] && echo good >j.txt || echo bad >j.txt
		END3
		for id in a b c d f k l; do
			does $id <<-'END' || return 1
				sleep 0.1$(($$ % 10))
				echo "$PAWL_NODE" >"$PAWL_NODE.txt"
				sleep 0.0$(($$ % 7))
			END
		done
}

# Each start of a worker is written down by the worker itself.
count_starts() {
	sed -i '/^does=/a echo "$PAWL_ATTEMPT" >>"$does/started"' ../worker
}

# random BELOW: the next whole number of the seeded row.
random() {
	read -r next <&9
	echo $((next % $1))
}

# hit: kill a monitor, or what it watches, of a node that was spared so far.
hit() {
	pid=$(pgrep -f -- "--log $XDG_STATE_HOME" | shuf -n 1)
	[ -n "$pid" ] || return 0
	node=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null |
		sed -n 's|.*/logs/\([a-z]\)@.*|\1|p')
	[ -n "$node" ] && [ ! -e "../hit.$node" ] || return 0
	[ "$(random 2)" = 0 ] || pid=$(pgrep -P "$pid" | head -n 1)
	: >"../hit.$node"
	kill -9 "${pid:-none}" 2>/dev/null && echo "$node" >>../hits
	return 0
}

# drive MODE STATUS: start the run again until it ends by itself, so.
drive() {
	while :; do
		# By its name: the list of a run that is closed is a new run.
		target=$(rid) || target=../tasks.md
		"$PAWL" run "$target" --write .. -j2 -- ../worker >>../log 2>&1 &
		coordinator=$!
		if [ "$(wc -l <"$tally")" -lt "$kills" ]; then
			sleep "0.$(printf %03d "$(random 900)")"
			[ "$1" = coordinator ] || hit
			kill -9 $coordinator 2>/dev/null && echo >>"$tally"
		fi
		wait $coordinator
		case $? in
		"$2") return 0 ;;
		137) ;;
		*)
			tail -n 30 ../log
			return 1
			;;
		esac
	done
}

# ended TREE: everything is as after a run that nobody disturbed.
ended() {
	stands COMPLETE a=PASSED b=PASSED c=PASSED d=PASSED e=PASSED \
		f=PASSED g=PASSED h=PASSED i=PASSED j=PASSED k=PASSED \
		l=PASSED &&
		same "$(git rev-parse "pawl/$(rid)/main^{tree}")" "$1" &&
		same "$(branches)" main && same "$(worktrees)" 1 &&
		same "$(git status --short)" "" &&
		same "$(find "$XDG_STATE_HOME" -name tree -path '*/wt/*')" "" &&
		same "$(sort ../does/started | uniq -d)" "" && after
}

# refused_list: nothing of it can pass; what it did must not reach the branch.
refused_list() {
	task v '' v.txt write 'test -f v.txt' &&
		task n '' n.txt write 'test -f one' &&
		task x '' x.txt write 'sleep 0.1' 'Check-Timeout: 1ms' &&
		task s '' s.txt write 'missing validation evidence' &&
		writes ok && does v <<-'END' && does n <<-'END2'
			sleep 0.05
			echo v >v.txt
			echo w >w.txt
		END
			sleep 0.05
		END2
}

refused_ended() {
	stands FAILED v=FAILED n=FAILED x=FAILED ok=PASSED &&
		same "$(git ls-tree --name-only "pawl/$(rid)/main" |
			tr '\n' ' ')" "ok.txt one " &&
		same "$(worktrees)" 1 && same "$(git status --short)" "" &&
		same "$(branches | tr ' ' '\n' | sed 's/-[0-9]*$//' | sort -u |
			tr '\n' ' ')" "main n s v x " &&
		for b in $(branches); do
			case $b in
			v-*) same "$(git show "pawl/$(rid)/$b:w.txt")" w ;;
			x-*) same "$(git show "pawl/$(rid)/$b:x.txt")" x ;;
			esac || return 1
		done && same "$(sort ../does/started | uniq -d)" "" && after
}

# in_round NAME CMD...: in a repository and a home of its own.
in_round() {
	mkdir "../$1" "../$1/home" "../$1/w" && (
		HOME=$(cd "../$1/home" && pwd)
		XDG_STATE_HOME=$HOME/state
		cd "../$1/w" && shift && begin && count_starts && "$@"
	)
}

undisturbed() {
	list && "$PAWL" run ../tasks.md --write .. -j2 -- ../worker >../log 2>&1 &&
		tree=$(git rev-parse "pawl/$(rid)/main^{tree}") &&
		ended "$tree" && echo "$tree" >../../tree
}

disturbed() {
	list && drive "$1" 0 && ended "$(cat ../../tree)" || {
		tail -n 40 ../log
		return 1
	}
}

refused() {
	refused_list && drive "$1" 1 && refused_ended || {
		tail -n 40 ../log
		return 1
	}
}

# campaign MODE ROUND: rounds until there were enough kills.
campaign() {
	tally=$PWD/../tally && : >"$tally" && in_round calm undisturbed &&
		awk -v seed="$seed" 'BEGIN { srand(seed)
			for (i = 0; i < 100000; i++) print int(rand() * 65536)
		}' >../random && exec 9<../random || return 1
	rounds=0
	while [ "$(wc -l <"$tally")" -lt "$kills" ]; do
		rounds=$((rounds + 1))
		in_round $rounds "$2" "$1" || return 1
	done
	echo "# $1, $2: $(wc -l <"$tally") kills of the coordinator," \
		"$(cat ../*/hits 2>/dev/null | wc -l) of others," \
		"$rounds rounds," \
		"$(cat ../[0-9]*/does/started | wc -l) starts" >>"$notes"
}

# C001, C028, C037, C040
a_killed_coordinator_changes_nothing() {
	campaign coordinator disturbed
}

# C054, C040: those who watch the workers, and the workers, too.
killed_monitors_and_workers_change_nothing() {
	campaign everybody disturbed
}

# What was refused stays refused, whenever its coordinator is killed.
a_killed_coordinator_passes_nothing_that_was_refused() {
	campaign coordinator refused
}

: >"$notes"
t a_killed_coordinator_changes_nothing
t killed_monitors_and_workers_change_nothing
t a_killed_coordinator_passes_nothing_that_was_refused
cat "$notes"
done_testing
