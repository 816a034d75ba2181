#!/bin/sh
# The scope proof in its hostile forms: what an attempt does to its worktree,
# and the verdict.  Each form is a task of one run with the scope in/FORM;
# beside it lies out/FORM, which is nobody's.  Both begin with a file f, a folder
# d with a file g, and sub, another repository that isn't checked out; in/FORM
# also has links to-f and to-d to what out/FORM has.
# shellcheck disable=SC2154 # journal and run are handout.sh's
. "$(dirname "$0")/handout.sh"

# The form, its verdict (`ok`, or the reason and the paths as the journal has
# them, with I and O for the two folders), and what is done, with i and o for
# them.
forms() {
	cat <<'END'
add-in|ok|echo x >$i/new
add-out|outside O/new|echo x >$o/new
add-top|outside new|echo x >new
change-in|ok|echo x >$i/f
change-out|outside O/f|echo x >$o/f
delete-in|ok|rm $i/f
delete-out|outside O/f|rm $o/f
move-in|ok|mv $i/f $i/new
move-to-out|outside O/new|mv $i/f $o/new
move-from-out|outside O/f|mv $o/f $i/new
move-over-out|outside O/f|mv $i/f $o/f
folder-to-out|outside O/new/g|mv $i/d $o/new
folder-from-out|outside O/d/g|mv $o/d $i/new
swap|outside O/f|mv $i/f t; mv $o/f $i/f; mv t $o/f
mode-in|ok|chmod +x $i/f
mode-out|outside O/f|chmod +x $o/f
empty-folder-out|ok|mkdir $o/new
link-to-in|ok|ln -s f $i/l
link-to-out|ok|ln -s ../../$o/f $i/l
link-dangling|ok|ln -s nowhere $i/l
link-up|ok|ln -s ../../../../../.. $i/l
link-to-itself|ok|ln -s l $i/l
link-in-out|outside O/l|ln -s f $o/l
through-link|outside O/f|echo x >$i/to-f
through-linked-folder|outside O/d/new|echo x >$i/to-d/new
delete-through-link|outside O/d/g|rm $i/to-d/g
link-retargeted|ok|ln -sfn nowhere $i/to-f
link-to-file|ok|rm $i/to-f; echo x >$i/to-f
file-to-link|ok|ln -sf d $i/f
file-to-link-out|outside O/f|ln -sf d $o/f
folder-to-link|ok|rm -r $i/d; ln -s ../../$o/d $i/d
folder-to-link-out|outside O/d O/d/g|rm -r $o/d; ln -s ../../$i/d $o/d
scope-to-link|ok|rm -r $i; ln -s ../$o $i
file-to-folder|ok|rm $i/f; mkdir $i/f; echo x >$i/f/x
folder-to-file|ok|rm -r $i/d; echo x >$i/d
file-to-folder-out|outside O/f O/f/x|rm $o/f; mkdir $o/f; echo x >$o/f/x
folder-to-file-out|outside O/d O/d/g|rm -r $o/d; echo x >$o/d
hard-link-in|ok|ln $i/f $i/new
hard-link-to-out|ok|ln $o/f $i/new
through-hard-link|outside O/f|ln $o/f $i/new; echo x >>$i/new
hard-link-away|linked I/new|echo x >../away; ln ../away $i/new
hard-link-away-out|outside O/new|echo x >../away2; ln ../away2 $o/new
repository|repository I/new|git init -q $i/new; git -C $i/new commit -q --allow-empty -m x
repository-unborn|repository I/new|git init -q $i/new; echo x >$i/new/x
repository-out|outside O/new|git init -q $o/new; git -C $o/new commit -q --allow-empty -m x
repository-over-folder|ok|git init -q $i/d; git -C $i/d add g; git -C $i/d commit -qm x; echo x >$i/d/new
repository-over-folder-out|outside O/d/new|git init -q $o/d; git -C $o/d add g; git -C $o/d commit -qm x; echo x >$o/d/new
submodule-moved|repository I/sub|git init -q $i/sub; git -C $i/sub commit -q --allow-empty -m x
submodule-moved-out|outside O/sub|git init -q $o/sub; git -C $o/sub commit -q --allow-empty -m x
submodule-removed|ok|rmdir $i/sub
submodule-removed-out|outside O/sub|rmdir $o/sub
submodule-to-file|ok|rmdir $i/sub; echo x >$i/sub
submodule-to-file-out|outside O/sub|rmdir $o/sub; echo x >$o/sub
submodule-to-link-out|outside O/sub|rmdir $o/sub; ln -s f $o/sub
submodule-in-the-index|ok|git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),$o/new
gitmodules|outside .gitmodules|printf '[submodule "x"]\n\tpath = x\n\turl = /x\n' >.gitmodules
gitmodules-in|ok|echo x >$i/.gitmodules
ignored|ok|echo '*.o' >$i/.gitignore; echo x >$i/x.o
ignored-out|ok|echo x >$o/x.ignored
ignored-and-declared|ignored I/x.ignored|echo x >$i/x.ignored; echo $i/x.ignored
ignored-and-committed|ok|echo x >$o/x.ignored; git add -f $o/x.ignored; git commit -qm x
unignored|outside .gitignore O/x.ignored|echo '!*.ignored' >>.gitignore; echo x >$o/x.ignored
case-in|ok|mv $i/f $i/F
case-out|outside O/F O/f|mv $o/f $o/F
case-of-the-scope|outside In/x|mkdir In; echo x >In/x
beside-the-scope|outside Ix/x|mkdir ${i}x; echo x >${i}x/x
names-in|ok|for n in '-r' '--' ':(glob)**' ':!f' 'a"b' "a'b" 'a\b' 'a	b' 'a?' '*' '$(x)' ' ' 'é'; do echo x >"$i/$n"; done
newline-in|ok|echo x >"$i/a$(printf '\nb')"
newline-out|outside O/a\nb|echo x >"$o/a$(printf '\nb')"
dash-out|outside -r|echo x >./-r
glob-out|outside :(glob)**|echo x >':(glob)**'
quote-out|outside O/a\"b|echo x >$o/'a"b'
bytes-in|ok|echo x >$i/$(printf '\377')
intent-to-add-out|outside O/new|echo x >$o/new; git add -N $o/new
intent-to-add-alone|ok|echo x >$o/new; git add -N $o/new; rm $o/new
staged-and-gone|ok|echo x >$o/new; git add $o/new; rm $o/new
staged-deletion|ok|git rm -q --cached $o/f
assumed-unchanged|outside O/f|git update-index --assume-unchanged $o/f; echo x >$o/f
skipped|outside O/f|git update-index --skip-worktree $o/f; echo x >$o/f
skipped-and-deleted|outside O/f|git update-index --skip-worktree $o/f; rm $o/f
excluded|ok|echo hidden >>"$(git rev-parse --git-path info/exclude)"; echo x >$o/hidden
same-time|outside O/f|touch -r $o/f t; tr a-z A-Z <$o/f >u; cat u >$o/f; touch -r t $o/f; rm t u
fifo-in|ok|mkfifo $i/pipe
fifo-over-a-file|ok|rm $i/f; mkfifo $i/f
fifo-over-a-file-out|outside O/f|rm $o/f; mkfifo $o/f
committed-out|outside O/f|echo x >$o/f; git commit -qam x
END
}

# part: those of this case: every fourth.
part() { forms | awk -v part="$part" 'NR % 4 == part'; }

# list: the task list of these.
list() {
	part | while IFS='|' read -r form _; do
		cat <<-END
			- [ ] $form Do
			  Depends: []
			  Paths: [in/$form]
			  Mode: write
			  Isolation: worktree
			  Acceptance: done
			  Check: test -d in
		END
	done
}

folders() {
	git init -q ../sub && git -C ../sub commit -q --allow-empty -m sub &&
		sub=$(git -C ../sub rev-parse HEAD) &&
		echo '*.ignored' >.gitignore && part |
		while IFS='|' read -r form _; do
			for at in "in/$form" "out/$form"; do
				mkdir -p "$at/d" && echo "$at" >"$at/f" && echo g >"$at/d/g" &&
					printf '160000 %s\t%s/sub\n' "$sub" "$at" >>../subs
			done
			ln -s "../../out/$form/f" "in/$form/to-f" &&
				ln -s "../../out/$form/d" "in/$form/to-d" || return 1
		done && git add . && git update-index --index-info <../subs &&
		git commit -qm folders && git checkout -q -- .
}

# act FORM SCRIPT: do it, and hand in what it says it changed.
act() {
	# shellcheck disable=SC2034 # they are the script's
	i=in/$1 o=out/$1 && declared=$(cd "$(workspace "$1@1")" && eval "$2") &&
		if [ -n "$declared" ]; then
			reports "$1@1" "$declared" >/dev/null
		else
			reports "$1@1" >/dev/null
		fi
}

# verdicts: of each form, as the table has them.
verdicts() {
	jq -r '.events as $all | $all[] | select(.type == "attempt_reported" or
		.type == "scope_violated") | .node as $node | [$all[] |
		select(.type == "scope_violated" and .node == $node) |
		[.data.reason // "outside"] + .data.paths | map(tojson[1:-1]) |
		join(" ")] + ["ok"] | $node + "|" + .[0]' "$journal" | sort -u
}

each_has_its_verdict() {
	part=$1
	repo && folders && list >tasks.md && git add tasks.md &&
		git commit -qm list && pawl init >/dev/null 2>&1 &&
		pawl task start tasks.md --driver host -j 100 >/dev/null &&
		run=$(ls .pawl/runs) && rundir=.pawl/runs/$run &&
		journal=$rundir/events.jsonl && pawl task claim --as lead >/dev/null &&
		PAWL_AS=lead && export PAWL_AS || return 1
	# shellcheck disable=SC2046 # ids have no blanks
	status 0 pawl task dispatch $(part | cut -d'|' -f1) && part |
		while IFS='|' read -r form _ script; do
			act "$form" "$script" || return 1
		done && status 0 pawl task sync && verdicts >../found || return 1
	part | while IFS='|' read -r form verdict _; do
		printf '%s\n' "$form|$verdict" |
			sed "s%\([| ]\)I\([/x]\)%\1in/$form\2%g; s%\([| ]\)O/%\1out/$form/%g"
	done | sort >../wanted
	diff ../wanted ../found
}

forms_0() { each_has_its_verdict 0; }
forms_1() { each_has_its_verdict 1; }
forms_2() { each_has_its_verdict 2; }
forms_3() { each_has_its_verdict 3; }

t forms_0
t forms_1
t forms_2
t forms_3
done_testing
