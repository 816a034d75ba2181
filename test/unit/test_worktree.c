#include "repo_fixture.h"

#include <signal.h>
#include <sys/wait.h>

#include "engine/integrate.h"
#include "engine/worktree.h"

static struct worktree_spec
spec_for(struct fixture *f, const char *name)
{
	struct str branch = arena_format(&f->mem, "refs/heads/pawl/r/%s", name);

	return (struct worktree_spec){
		.parent = fx_path(f, "wt"),
		.name = name,
		.branch = arena_strdup(&f->mem, branch),
		.lock_dir = fx_path(f, "locks"),
		.base = f->head.commit,
		.marker = STR("run r, attempt n@1\n"),
	};
}

static void
a_worktree_is_made_and_opened_and_removed(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = { 0 }, again = { 0 };
	struct worktree_removal removal;
	struct oid tree;

	FX_OK(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err));
	assert_string_equal(w.repo.top, fx_path(f, "wt/n-1/tree"));
	assert_true(fx_is_there(fx_path(f, "wt/n-1/tree/d/b")));
	assert_string_equal(
		fx_says(f, "git -C ../wt/n-1/tree status --porcelain"), "");
	assert_string_equal(
		fx_says(f, "git -C ../wt/n-1/tree symbolic-ref HEAD"),
		"refs/heads/pawl/r/n-1");
	FX_OK(f, snapshot_take(&w.repo, w.index, &tree, &f->err));
	assert_string_equal(
		tree.hex, fx_says(f, "git rev-parse 'HEAD^{tree}'"));
	FX_OK(f, worktree_open(&f->repo, &spec, &f->mem, &again, &f->err));
	assert_string_equal(again.repo.git_dir, w.repo.git_dir);
	assert_int_equal(again.inode, w.inode);
	/* asked again, it is the same one */
	fx_sh(f, "echo mine >../wt/n-1/tree/new");
	FX_OK(f, worktree_add(&f->repo, &spec, &f->mem, &again, &f->err));
	assert_int_equal(again.inode, w.inode);
	assert_true(fx_is_there(fx_path(f, "wt/n-1/tree/new")));
	fx_sh(f, "rm ../wt/n-1/tree/new");
	removal = (struct worktree_removal){ &spec, w.dev, w.inode,
		"refs/heads/main", false };
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_false(fx_is_there(fx_path(f, "wt/n-1")));
	assert_string_equal(fx_says(f, "git worktree list | wc -l"), "1");
	/* gone already is success */
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	/* the branch stays */
	(void)fx_oid(f, "refs/heads/pawl/r/n-1");
}

static struct worktree
add(struct fixture *f, const struct worktree_spec *spec)
{
	struct worktree w = { 0 };

	FX_OK(f, worktree_add(&f->repo, spec, &f->mem, &w, &f->err));
	return w;
}

static struct worktree_removal
removal_of(const struct worktree_spec *spec, const struct worktree *w)
{
	return (struct worktree_removal){ spec, w->dev, w->inode,
		"refs/heads/pawl/r/main", false };
}

/* C062: kept, named, nothing stronger. */
static void
must_keep(struct fixture *f, const struct worktree_removal *removal,
	const char *why)
{
	FX_FAILS(f, worktree_remove(&f->repo, removal, &f->err),
		ERR_CLEANUP_BLOCKED);
	if (strstr(f->err.msg, why) == NULL)
		fail_msg("'%s' does not say '%s'", f->err.msg, why);
	assert_true(fx_is_there(fx_path(f, "wt/n-1/tree/d/b")));
	assert_true(fx_is_there(fx_path(f, "wt/n-1/.pawl-marker")));
	assert_string_equal(fx_says(f, "git worktree list | wc -l"), "2");
}

static void
a_dirty_worktree_is_kept_until_its_difference_is(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);
	static const char *const rows[][3] = {
		{ "echo x >../wt/n-1/tree/a", "'a' first",
			"git -C ../wt/n-1/tree checkout a" },
		{ "echo x >'../wt/n-1/tree/new file'", "'new file' first",
			"rm '../wt/n-1/tree/new file'" },
		{ "git -C ../wt/n-1/tree rm -q --cached a", "'a' first",
			"git -C ../wt/n-1/tree add a" },
	};

	fx_sh(f, "git branch pawl/r/main");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fx_sh(f, rows[i][0]);
		must_keep(f, &removal, rows[i][1]);
		fx_sh(f, rows[i][2]);
	}
	fx_sh(f, rows[1][0]);
	removal.preserved = true;
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_false(fx_is_there(fx_path(f, "wt/n-1")));
}

static void
an_unpushed_commit_is_kept(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);

	fx_sh(f,
		"cd ../wt/n-1/tree && echo x >x && git add x && "
		"git commit -qm x");
	/* there is no run branch at all */
	must_keep(f, &removal, "is not on 'refs/heads/pawl/r/main'");
	fx_sh(f, "git branch pawl/r/main");
	must_keep(f, &removal, "is not on 'refs/heads/pawl/r/main'");
	fx_sh(f, "git branch -f pawl/r/main pawl/r/n-1");
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
}

static void
a_locked_worktree_is_kept(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);

	removal.preserved = true;
	fx_sh(f, "git branch pawl/r/main; git worktree lock ../wt/n-1/tree");
	must_keep(f, &removal, "locked");
	fx_sh(f, "git worktree unlock ../wt/n-1/tree");
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
}

/* A process in the worktree; it leaves after `us`, or never (0). */
static pid_t
dweller(struct fixture *f, unsigned us)
{
	char in = 'n';
	int told[2];
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		in = chdir(fx_path(f, "wt/n-1/tree/d")) == 0 ? 'y' : 'n';
		(void)!write(told[1], &in, 1);
		if (us > 0) {
			(void)usleep(us);
			_exit(0);
		}
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(told[0], &in, 1), 1);
	assert_int_equal(in, 'y');
	(void)close(told[0]);
	(void)close(told[1]);
	return pid;
}

/* C058: no process is left in a folder that is gone. */
static void
a_worktree_with_a_process_in_it_is_kept(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);
	char at[32];
	pid_t pid;

	removal.preserved = true;
	fx_sh(f, "git branch pawl/r/main");
	pid = dweller(f, 0);
	(void)snprintf(at, sizeof(at), "process %d is in it", (int)pid);
	must_keep(f, &removal, at);
	/* nor does a removal that was cut short go on */
	fx_sh(f, ": >../wt/n-1/removing");
	must_keep(f, &removal, at);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_false(fx_is_there(fx_path(f, "wt/n-1")));
}

/* As a git of a remover that was killed does: it kept the worktree. */
static void
a_process_that_leaves_at_once_keeps_nothing(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);
	pid_t pid;

	removal.preserved = true;
	fx_sh(f, "git branch pawl/r/main");
	pid = dweller(f, 50 * 1000);
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_false(fx_is_there(fx_path(f, "wt/n-1")));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void
what_is_not_the_recorded_folder_is_kept(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);

	fx_sh(f, "git branch pawl/r/main");
	removal.preserved = true;
	removal.inode++;
	must_keep(f, &removal, "not the folder that was recorded");
	removal.inode--;
	spec.marker = STR("run r, attempt n@2\n");
	must_keep(f, &removal, "marker");
	spec.marker = STR("run r, attempt n@1\n");
	spec.parent = fx_path(f, "repo");
	FX_FAILS(f, worktree_remove(&f->repo, &removal, &f->err),
		ERR_CLEANUP_BLOCKED);
	spec.parent = fx_path(f, "wt");
	spec.name = "..";
	FX_FAILS(f, worktree_remove(&f->repo, &removal, &f->err),
		ERR_CLEANUP_BLOCKED);
	assert_true(fx_is_there(fx_path(f, "repo/.git/HEAD")));
}

/* C067: removal that removes nothing is no success. */
static void
an_immutable_entry_blocks_and_a_repetition_finishes(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);

	fx_sh(f, "git branch pawl/r/main");
	if (fx_status(f, "chattr +i ../wt/n-1/tree/d/b") != 0)
		skip();
	must_keep(f, &removal, "could not remove '/tree/d/b'");
	fx_sh(f, "chattr -i ../wt/n-1/tree/d/b");
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_false(fx_is_there(fx_path(f, "wt/n-1")));
	assert_string_equal(fx_says(f, "git worktree list | wc -l"), "1");
}

/* Git refuses its part: the entry stays listed, and that is no success. */
static void
an_entry_that_git_keeps_blocks(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);

	fx_sh(f, "git branch pawl/r/main");
	if (fx_status(f, "chattr +i .git/worktrees/tree/HEAD") != 0)
		skip();
	FX_FAILS(f, worktree_remove(&f->repo, &removal, &f->err),
		ERR_CLEANUP_BLOCKED);
	fx_sh(f, "chattr -i .git/worktrees/tree/HEAD");
	assert_true(fx_is_there(fx_path(f, "wt/n-1/.pawl-marker")));
}

static void
a_tree_that_was_tampered_with_is_not_opened(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);
	struct worktree again = { 0 };
	static const char *const rows[][2] = {
		{ "echo 'gitdir: /tmp/evil' >.git", NULL },
		{ "printf ' ' >>.git", NULL },
		{ "rm .git; ln -s ../ready .git", NULL },
		{ "rm .git; git init -q .", NULL },
		{ "rm .git", NULL },
	};

	fx_sh(f, "git branch pawl/r/main; cp ../wt/n-1/tree/.git ../link");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str text = arena_format(
			&f->mem, "cd ../wt/n-1/tree && %s", rows[i][0]);

		fx_sh(f, arena_strdup(&f->mem, text));
		FX_FAILS(f,
			worktree_open(
				&f->repo, &spec, &f->mem, &again, &f->err),
			ERR_UNSAFE_PATH);
		FX_FAILS(f,
			worktree_add(&f->repo, &spec, &f->mem, &again, &f->err),
			ERR_UNSAFE_PATH);
		FX_FAILS(f, worktree_remove(&f->repo, &removal, &f->err),
			ERR_CLEANUP_BLOCKED);
		fx_sh(f,
			"rm -rf ../wt/n-1/tree/.git; "
			"cp ../link ../wt/n-1/tree/.git");
		FX_OK(f,
			worktree_open(
				&f->repo, &spec, &f->mem, &again, &f->err));
	}
	/* git's own folder led elsewhere */
	fx_sh(f, "echo /tmp/evil >.git/worktrees/tree/commondir");
	FX_FAILS(f, worktree_open(&f->repo, &spec, &f->mem, &again, &f->err),
		ERR_UNSAFE_PATH);
	removal.preserved = true;
	fx_sh(f,
		"echo ../.. >.git/worktrees/tree/commondir; "
		"echo x >../wt/n-1/tree/.git");
	/* what was kept may go, also without a look by git */
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
}

static void
a_worktree_is_never_made_inside_the_repository(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = { 0 };
	static const char *const parents[] = { "repo", "repo/d", "repo/.git",
		"link" };

	fx_sh(f, "ln -s wt ../link");
	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		spec.parent = fx_path(f, parents[i]);
		FX_FAILS(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err),
			ERR_UNSAFE_PATH);
	}
}

static void
something_else_at_the_path_is_left_alone(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = { 0 };
	static const char *const rows[] = {
		"mkdir ../wt/n-1; echo mine >../wt/n-1/file",
		"rm -r ../wt/n-1; mkdir ../wt/n-1; echo other "
		">../wt/n-1/.pawl-marker; mkdir ../wt/n-1/tree; "
		"echo mine >../wt/n-1/tree/file",
		"rm -r ../wt/n-1; ln -s ../repo ../wt/n-1",
		"rm ../wt/n-1; echo mine >../wt/n-1",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *before;

		fx_sh(f, rows[i]);
		before = fx_says(f, "ls -laR ../wt | cksum");
		FX_FAILS(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err),
			ERR_UNSAFE_PATH);
		assert_string_equal(
			fx_says(f, "ls -laR ../wt | cksum"), before);
	}
}

static void
a_branch_at_another_commit_is_refused(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = { 0 };

	fx_sh(f, "git branch pawl/r/n-1; git commit -q --allow-empty -m n");
	spec.base = fx_oid(f, "HEAD");
	FX_FAILS(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err),
		ERR_REF_MOVED);
	/* the same commit is an earlier try of ours */
	spec.base = fx_oid(f, "HEAD^");
	FX_OK(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err));
}

/*
 * Each state that a crash can leave behind, made by hand out of a whole one;
 * asking again ends in a whole one.
 */
static void
making_it_again_after_a_crash_ends_well(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	static const char *const rows[] = {
		/* the folder under its first name, without and with a marker */
		"mv ../wt/n-1 ../wt/n-1.making; rm -rf ../wt/n-1.making/*; "
		"rm ../wt/n-1.making/.pawl-marker; git worktree prune",
		"mv ../wt/n-1 ../wt/n-1.making; rm -rf ../wt/n-1.making/*; "
		"git worktree prune",
		/* the folder is there, git did nothing yet */
		"rm -rf ../wt/n-1/*; git worktree prune; "
		"git branch -q -D pawl/r/n-1",
		/* the branch is there, no worktree */
		"rm -rf ../wt/n-1/*; git worktree prune",
		/* git was killed after its entry, before `.git` */
		"rm -rf ../wt/n-1/*; printf initializing "
		">.git/worktrees/tree/locked",
		/* ... with an empty tree */
		"rm -rf ../wt/n-1/*; mkdir ../wt/n-1/tree; "
		"printf initializing >.git/worktrees/tree/locked",
		/* half checked out */
		"rm ../wt/n-1/ready ../wt/n-1/tree/a; echo h >../wt/n-1/tree/x",
		/* git's reset was killed: its lock is in our own entry */
		"rm ../wt/n-1/ready; : >.git/worktrees/tree/index.lock",
		/* all but the last step */
		"rm ../wt/n-1/ready",
		/* in the midst of the last step */
		"rm ../wt/n-1/ready; : >../wt/n-1/ready.making",
		/* the index was copied, not renamed */
		"rm ../wt/n-1/ready; mv ../wt/n-1/index ../wt/n-1/index.new",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct worktree w = add(f, &spec);
		struct worktree_removal removal;

		fx_sh(f, rows[i]);
		w = add(f, &spec);
		assert_string_equal(
			fx_says(f,
				"git -C ../wt/n-1/tree status --porcelain; "
				"ls ../wt/n-1 | grep -v index[.]; ls ../wt; "
				"git worktree list | wc -l"),
			"index\nready\ntree\nn-1\n2");
		assert_true(fx_is_there(fx_path(f, "wt/n-1/tree/a")));
		removal = removal_of(&spec, &w);
		removal.preserved = true;
		FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
		fx_sh(f, "git branch -q -D pawl/r/n-1");
	}
}

/* The same for removal. */
static void
removing_it_again_after_a_crash_ends_well(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	static const char *const rows[] = {
		": >../wt/n-1/removing",
		/* in the middle of the tree, and of what git needs */
		": >../wt/n-1/removing; rm ../wt/n-1/tree/a",
		": >../wt/n-1/removing; rm ../wt/n-1/tree/.git",
		": >../wt/n-1/removing; rm -r ../wt/n-1/tree",
		": >../wt/n-1/removing; rm -r ../wt/n-1/tree; "
		"git worktree prune",
		/* of ours */
		"rm -r ../wt/n-1/tree; git worktree prune; rm ../wt/n-1/*",
		"rm -r ../wt/n-1/tree; git worktree prune; rm ../wt/n-1/*; "
		"rm ../wt/n-1/.pawl-marker",
		/* somebody else did all of it, but for git's list */
		"rm -r ../wt/n-1",
	};

	fx_sh(f, "git branch pawl/r/main");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct worktree w = add(f, &spec);
		struct worktree_removal removal = removal_of(&spec, &w);

		fx_sh(f, rows[i]);
		FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
		assert_string_equal(fx_says(f,
					    "ls -A ../wt; "
					    "git worktree list | wc -l"),
			"1");
	}
}

/* A worktree of the user's on a disk that isn't mounted now stays listed. */
static void
other_worktrees_are_not_pruned(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w;
	struct worktree_removal removal;

	fx_sh(f,
		"git worktree add -q ../far; mv ../far ../away; "
		"git branch pawl/r/main");
	w = add(f, &spec);
	fx_sh(f, "rm ../wt/n-1/ready");
	w = add(f, &spec);
	removal = removal_of(&spec, &w);
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_string_equal(fx_says(f, "git worktree list | wc -l"), "2");
}

static void
a_reset_leaves_the_commit_and_nothing_else(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct oid held, next, now;

	fx_sh(f, "echo 2 >second; git add second; git commit -qm second");
	next = fx_oid(f, "HEAD");
	fx_sh(f, "echo x >../wt/n-1/tree/second; rm ../wt/n-1/tree/a");
	FX_OK(f, snapshot_take(&w.repo, w.index, &held, &f->err));
	FX_OK(f, worktree_reset(&w, &next, &f->err));
	FX_OK(f, snapshot_take(&w.repo, w.index, &now, &f->err));
	assert_string_equal(now.hex, fx_says(f, "git rev-parse 'HEAD^{tree}'"));
	assert_string_equal(fx_says(f, "git rev-parse pawl/r/n-1"), next.hex);
	assert_string_equal(
		fx_says(f, "git -C ../wt/n-1/tree status --porcelain"), "");
}

/* What a maker or a remover does; `w` is its result or its receipt. */
static enum pawl_rc
work_once(struct fixture *f, const struct worktree_spec *spec,
	struct worktree *w, bool removing)
{
	struct worktree_removal removal = removal_of(spec, w);

	if (removing)
		return worktree_remove(&f->repo, &removal, &f->err);
	return worktree_add(&f->repo, spec, &f->mem, w, &f->err);
}

/* Start it in a process of its own, and kill that after a while. */
static void
kill_after(struct fixture *f, const struct worktree_spec *spec,
	struct worktree *w, bool removing, unsigned us)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit((int)work_once(f, spec, w, removing));
	assert_int_equal(usleep(us), 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/*
 * The maker is killed at any moment, and another one asks again at once, while
 * a git of the first one may still run; the same for the remover.
 */
static void
a_killed_maker_or_remover_is_made_good(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");

	fx_sh(f, "git branch pawl/r/main");
	for (unsigned i = 0; i < 14; i++) {
		struct worktree w = { 0 };
		bool removing = i % 2 == 1;

		if (removing)
			w = add(f, &spec);
		kill_after(f, &spec, &w, removing, i * 2500);
		FX_OK(f, work_once(f, &spec, &w, removing));
		if (!removing) {
			assert_string_equal(
				fx_says(f,
					"git -C ../wt/n-1/tree status "
					"--porcelain; cat ../wt/n-1/tree/a"),
				"one");
		}
		/* gone already is success */
		FX_OK(f, work_once(f, &spec, &w, true));
		assert_string_equal(fx_says(f,
					    "ls -A ../wt; "
					    "git worktree list | wc -l"),
			"1");
	}
}

/* What a worker leaves in its tree isn't run by any step of ours. */
static void
a_nested_repository_in_the_tree_runs_nothing(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = spec_for(f, "n-1");
	struct worktree w = add(f, &spec);
	struct worktree_removal removal = removal_of(&spec, &w);
	struct oid held, again;

	fx_sh(f,
		"git branch pawl/r/main; printf '#!/bin/sh\necho ran "
		">>\"%s\"\ncat\n' \"$PWD/../marker\" >../evil && "
		"chmod +x ../evil && cd ../wt/n-1/tree && "
		"git init -q nested && cd nested && echo x >x && "
		"git add x && git commit -qm x && e=\"$PWD/../../../../evil\" "
		"&& echo '* filter=evil diff=evil merge=evil' "
		">.gitattributes && cp .gitattributes .. && "
		"git config filter.evil.clean \"$e\" && "
		"git config filter.evil.smudge \"$e\" && "
		"git config filter.evil.required true && "
		"git config core.fsmonitor \"$e\" && "
		"cp ../../../../evil .git/hooks/post-index-change && "
		"touch -d yesterday x");
	for (int i = 0; i < 3; i++) {
		FX_OK(f, snapshot_take(&w.repo, w.index, &held, &f->err));
		fx_sh(f,
			"echo z >>../wt/n-1/tree/nested/x; "
			"touch -d yesterday ../wt/n-1/tree/nested/x");
	}
	FX_FAILS(f, worktree_remove(&f->repo, &removal, &f->err),
		ERR_CLEANUP_BLOCKED);
	FX_OK(f, worktree_reset(&w, &spec.base, &f->err));
	FX_OK(f, snapshot_take(&w.repo, w.index, &again, &f->err));
	/* a patch of it would say no more than a commit */
	removal.preserved = true;
	FX_FAILS(f, worktree_remove(&f->repo, &removal, &f->err),
		ERR_CLEANUP_BLOCKED);
	assert_non_null(strstr(f->err.msg, "'nested' in it is a repository"));
	fx_sh(f, "rm -rf ../wt/n-1/tree/nested/.git");
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	assert_false(fx_is_there(fx_path(f, "marker")));
}

/* C074: many at once, by many processes. */
static void
thirty_two_worktrees_at_once(void **state)
{
	struct fixture *f = *state;
	enum { MANY = 32 };
	pid_t pids[MANY];

	for (int i = 0; i < MANY; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "n-%d", i);
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			struct worktree_spec spec = spec_for(f, name);
			struct worktree w = { 0 };
			enum pawl_rc rc = worktree_add(
				&f->repo, &spec, &f->mem, &w, &f->err);

			if (rc != PAWL_OK)
				(void)fprintf(stderr, "%s\n", f->err.msg);
			_exit((int)rc);
		}
	}
	for (int i = 0; i < MANY; i++) {
		int status = -1;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_string_equal(fx_says(f, "git worktree list | wc -l"), "33");
	assert_string_equal(
		fx_says(f, "git for-each-ref refs/heads/pawl | wc -l"), "32");
	assert_string_equal(fx_says(f,
				    "for i in ../wt/*/tree; do "
				    "git -C $i status --porcelain; done"),
		"");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(a_worktree_is_made_and_opened_and_removed),
		FX_TEST(a_dirty_worktree_is_kept_until_its_difference_is),
		FX_TEST(an_unpushed_commit_is_kept),
		FX_TEST(a_locked_worktree_is_kept),
		FX_TEST(a_worktree_with_a_process_in_it_is_kept),
		FX_TEST(a_process_that_leaves_at_once_keeps_nothing),
		FX_TEST(what_is_not_the_recorded_folder_is_kept),
		FX_TEST(an_immutable_entry_blocks_and_a_repetition_finishes),
		FX_TEST(an_entry_that_git_keeps_blocks),
		FX_TEST(a_tree_that_was_tampered_with_is_not_opened),
		FX_TEST(a_worktree_is_never_made_inside_the_repository),
		FX_TEST(something_else_at_the_path_is_left_alone),
		FX_TEST(a_branch_at_another_commit_is_refused),
		FX_TEST(making_it_again_after_a_crash_ends_well),
		FX_TEST(removing_it_again_after_a_crash_ends_well),
		FX_TEST(other_worktrees_are_not_pruned),
		FX_TEST(a_reset_leaves_the_commit_and_nothing_else),
		FX_TEST(a_killed_maker_or_remover_is_made_good),
		FX_TEST(a_nested_repository_in_the_tree_runs_nothing),
		FX_TEST(thirty_two_worktrees_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
