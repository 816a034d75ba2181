# task_lib.sh: after lib.sh: runs that a named coordinator may claim.
# shellcheck shell=sh

# list [ID]...: a task list of independent tasks.
list() {
	for id in "$@"; do
		cat <<END
- [ ] $id Do it
  Depends: []
  Paths: [$id]
  Mode: write
  Isolation: auto
  Acceptance: there is $id
  Check: test -e $id
END
	done
}

# begin: a repository with a list, and a vacant run of it in $run.
begin() {
	repo && list A B >tasks.md && git add tasks.md && git commit -q -m list &&
		status 0 pawl task start tasks.md --write .. --json && run_of
}
run_of() {
	# shellcheck disable=SC2034 # who includes this looks into it
	run=$(jq -r .result.run ../out) &&
		capsule=$(jq -r '.result.capsule.path' ../out) && dir=${capsule%/capsules/*}
}
claimed() { begin && status 0 pawl task claim "$run" --as c1; }
# token ID: the file of its token of $run.
token() { echo "$XDG_STATE_HOME"/pawl/w-*/keys/"$run.as/$1"; }
