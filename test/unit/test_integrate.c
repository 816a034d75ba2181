#include "repo_fixture.h"

#include <sys/wait.h>

#include "engine/integrate.h"
#include "engine/object.h"
#include "engine/tree_edit.h"
#include "engine/worktree.h"

#define LAND_SPEC(f, oid)                                       \
	&(struct land_spec)                                     \
	{                                                       \
		fx_path((f), "locks"), "refs/heads/main", (oid) \
	}

static const char run_main[] = "refs/heads/pawl/r/main";

static struct worktree
start(struct fixture *f, const char *name, const char *base)
{
	struct worktree_spec spec = { .parent = fx_path(f, "wt"),
		.name = name,
		.lock_dir = fx_path(f, "locks"),
		.base = fx_oid(f, base),
		.marker = STR("m") };
	struct worktree w = { 0 };

	spec.branch = arena_strdup(
		&f->mem, arena_format(&f->mem, "refs/heads/pawl/r/%s", name));
	FX_OK(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err));
	FX_OK(f,
		integrate_start(&f->repo, fx_path(f, "locks"), run_main,
			&f->head.commit, &f->err));
	return w;
}

static struct integrate_work
work_of(struct fixture *f, const struct worktree *w, const char *base)
{
	struct integrate_work work = { .base = fx_oid(f, base),
		.message = STR("task n\n\n`$(touch x)` -m \"\n"),
		.ident = { .at_s = 1700000000 } };

	FX_OK(f, snapshot_take(&w->repo, w->index, &work.tree, &f->err));
	return work;
}

static struct oid
commit_of(struct fixture *f, struct integrate_work *work)
{
	struct oid commit = { 0 };

	FX_OK(f, integrate_commit(&f->repo, work, &commit, &f->err));
	work->commit = commit;
	return commit;
}

static enum pawl_rc
publish(struct fixture *f, const struct oid *from, const struct oid *commit)
{
	struct integrate_publication pub = { fx_path(f, "locks"), run_main,
		*from, *commit, NULL };

	return integrate_publish(&f->repo, &pub, &f->err);
}

static void
work_on_the_tip_is_a_fast_forward(void **state)
{
	struct fixture *f = *state;
	struct worktree w = start(f, "n-1", "main");
	struct integrate_work work;
	struct oid commit, again;

	fx_sh(f, "cd ../wt/n-1/tree; echo x >new; rm a; chmod +x d/b");
	work = work_of(f, &w, "main");
	commit = commit_of(f, &work);
	/* the same step gives the same object */
	again = commit_of(f, &work);
	assert_true(oid_eq(&commit, &again));
	FX_OK(f, publish(f, &work.base, &commit));
	/* done already is success */
	FX_OK(f, publish(f, &work.base, &commit));
	assert_string_equal(
		fx_says(f, "git rev-parse pawl/r/main"), commit.hex);
	assert_string_equal(
		fx_says(f, "git diff --name-status main pawl/r/main"),
		"D\ta\nM\td/b\nA\tnew");
	assert_string_equal(
		fx_says(f,
			"git log -1 --format='%an <%ae> %cn %at%n%B' "
			"pawl/r/main"),
		"pawl <pawl@localhost> pawl 1700000000\n"
		"task n\n\n`$(touch x)` -m \"\n");
	/* neither the user's branch nor files moved */
	assert_string_equal(fx_says(f, "git status --porcelain"), "");
	assert_string_equal(
		fx_says(f, "git rev-parse main"), f->head.commit.hex);
}

static void
a_tip_that_moved_is_told(void **state)
{
	struct fixture *f = *state;
	struct worktree w = start(f, "n-1", "main");
	struct integrate_work work;
	struct oid commit;

	fx_sh(f, "echo x >../wt/n-1/tree/new");
	work = work_of(f, &w, "main");
	commit = commit_of(f, &work);
	fx_sh(f,
		"git commit -q --allow-empty -m other; "
		"git branch -f pawl/r/main main");
	FX_FAILS(f, publish(f, &work.base, &commit), ERR_REF_MOVED);
	assert_string_equal(fx_says(f, "git rev-parse pawl/r/main"),
		fx_says(f, "git rev-parse main"));
}

static void
the_run_branch_starts_once(void **state)
{
	struct fixture *f = *state;
	const char *locks = fx_path(f, "locks");
	struct oid other;

	FX_OK(f,
		integrate_start(
			&f->repo, locks, run_main, &f->head.commit, &f->err));
	fx_sh(f,
		"git checkout -q pawl/r/main; git commit -q --allow-empty "
		"-m w; git checkout -q main; git commit -q --allow-empty -m u");
	/* it moved on, and contains the base: a repetition */
	FX_OK(f,
		integrate_start(
			&f->repo, locks, run_main, &f->head.commit, &f->err));
	other = fx_oid(f, "main");
	FX_FAILS(f, integrate_start(&f->repo, locks, run_main, &other, &f->err),
		ERR_REF_MOVED);
}

/* C066: a second wave that began before the first one was integrated. */
static void
a_stale_base_takes_nothing_from_the_tip(void **state)
{
	struct fixture *f = *state;
	struct worktree w1 = start(f, "n-1", "main");
	struct worktree w2 = start(f, "n-2", "main");
	struct integrate_work one, two;
	struct integrate_rebased r = { 0 };
	struct oid c1, c2, now;

	fx_sh(f,
		"echo 1 >../wt/n-1/tree/first; rm ../wt/n-1/tree/a; "
		"mkdir ../wt/n-2/tree/e; echo 2 >../wt/n-2/tree/e/second");
	one = work_of(f, &w1, "main");
	two = work_of(f, &w2, "main");
	c1 = commit_of(f, &one);
	c2 = commit_of(f, &two);
	FX_OK(f, publish(f, &one.base, &c1));
	FX_FAILS(f, publish(f, &two.base, &c2), ERR_REF_MOVED);
	FX_OK(f, integrate_rebase(&f->repo, &two, &c1, &f->mem, &r, &f->err));
	assert_int_equal(r.outcome, INTEGRATE_DONE);
	/* checked again where it was made, then published */
	FX_OK(f, worktree_reset(&w2, &r.commit, &f->err));
	FX_OK(f, snapshot_take(&w2.repo, w2.index, &now, &f->err));
	assert_true(oid_eq(&now, &r.tree));
	FX_OK(f, publish(f, &c1, &r.commit));
	assert_string_equal(
		fx_says(f, "git diff --name-status main pawl/r/main"),
		"D\ta\nA\te/second\nA\tfirst");
	assert_string_equal(fx_says(f, "git rev-parse pawl/r/main^"), c1.hex);
	paths_release(&r.paths);
}

/* C065: named, and the branch keeps the work. */
static void
a_conflict_is_named_and_changes_nothing(void **state)
{
	struct fixture *f = *state;
	struct worktree w1 = start(f, "n-1", "main");
	struct worktree w2 = start(f, "n-2", "main");
	struct integrate_work one, two;
	struct integrate_rebased r = { 0 };
	struct oid c1;

	fx_sh(f,
		"echo 1 >../wt/n-1/tree/a; echo 1 >'../wt/n-1/tree/x\ny'; "
		"rm ../wt/n-1/tree/d/b; "
		"echo 2 >../wt/n-2/tree/a; echo 2 >'../wt/n-2/tree/x\ny'; "
		"echo 2 >../wt/n-2/tree/d/b; echo 2 >../wt/n-2/tree/fine");
	one = work_of(f, &w1, "main");
	two = work_of(f, &w2, "main");
	c1 = commit_of(f, &one);
	(void)commit_of(f, &two);
	FX_OK(f, publish(f, &one.base, &c1));
	FX_OK(f, integrate_rebase(&f->repo, &two, &c1, &f->mem, &r, &f->err));
	assert_int_equal(r.outcome, INTEGRATE_CONFLICT);
	assert_int_equal(r.paths.count, 3);
	assert_true(str_eq(r.paths.items[0], STR("a")));
	assert_true(str_eq(r.paths.items[1], STR("d/b")));
	assert_true(str_eq(r.paths.items[2], STR("x\ny")));
	assert_true(oid_is_none(&r.commit));
	paths_release(&r.paths);
	assert_string_equal(fx_says(f, "git rev-parse pawl/r/main"), c1.hex);
	assert_string_equal(fx_says(f, "git status --porcelain"), "");
}

/*
 * With renames followed, the change would land in a path nobody declared: git
 * either doesn't follow them (and says conflict), or its result is refused.
 */
static void
a_rename_on_the_tip_is_no_guess(void **state)
{
	struct fixture *f = *state;
	struct worktree w1, w2;
	struct integrate_work one, two;
	struct integrate_rebased r = { 0 };
	struct oid c1;

	fx_sh(f,
		"seq 50 >long; git add long; git commit -qm long; "
		"git config merge.renames true; "
		"git config merge.directoryRenames true");
	f->head.commit = fx_oid(f, "main");
	w1 = start(f, "n-1", "main");
	w2 = start(f, "n-2", "main");
	fx_sh(f,
		"cd ../wt/n-1/tree; mkdir e; mv long e/long; "
		"mv d/b e/b; cd ../../n-2/tree; echo 51 >>long; "
		"echo new >d/new");
	one = work_of(f, &w1, "main");
	two = work_of(f, &w2, "main");
	c1 = commit_of(f, &one);
	(void)commit_of(f, &two);
	FX_OK(f, publish(f, &one.base, &c1));
	FX_OK(f, integrate_rebase(&f->repo, &two, &c1, &f->mem, &r, &f->err));
	assert_int_not_equal(r.outcome, INTEGRATE_DONE);
	assert_int_equal(r.paths.count, 1);
	assert_true(str_ends(r.paths.items[0], STR("long")));
	paths_release(&r.paths);
}

/*
 * A merge that changes another path than the attempt's is refused.  A commit
 * that isn't the one of the work's tree stands for a merge that went astray.
 */
static void
a_merge_that_changes_alien_paths_is_refused(void **state)
{
	struct fixture *f = *state;
	struct worktree w1 = start(f, "n-1", "main");
	struct worktree w2 = start(f, "n-2", "main");
	struct integrate_work one, two;
	struct integrate_rebased r = { 0 };
	struct oid c1;

	/* both make `both`, so it is git that merges */
	fx_sh(f,
		"echo 1 >../wt/n-1/tree/first; echo 2 >../wt/n-2/tree/a; "
		"echo b >../wt/n-1/tree/both; echo b >../wt/n-2/tree/both");
	one = work_of(f, &w1, "main");
	two = work_of(f, &w2, "main");
	c1 = commit_of(f, &one);
	FX_OK(f, publish(f, &one.base, &c1));
	fx_sh(f,
		"git checkout -qb astray; rm a d/b; echo x >alien; "
		"git add -A; git commit -qm astray; git checkout -q main");
	two.commit = fx_oid(f, "astray");
	FX_OK(f, integrate_rebase(&f->repo, &two, &c1, &f->mem, &r, &f->err));
	assert_int_equal(r.outcome, INTEGRATE_ALIEN);
	assert_int_equal(r.paths.count, 3);
	/* the attempt modified it; a deletion isn't that */
	assert_true(str_eq(r.paths.items[0], STR("a")));
	assert_true(str_eq(r.paths.items[1], STR("alien")));
	assert_true(str_eq(r.paths.items[2], STR("d/b")));
	assert_true(oid_is_none(&r.commit));
	paths_release(&r.paths);
}

/* What a step of shell text makes of main, as a commit on it. */
static struct integrate_work
work_here(struct fixture *f, const char *text)
{
	struct integrate_work work = { .base = f->head.commit };
	struct str t = arena_format(
		&f->mem, "git checkout -qf main; git clean -fdq; %s", text);

	fx_sh(f, t.ptr);
	FX_OK(f,
		snapshot_take(
			&f->repo, fx_path(f, "ours"), &work.tree, &f->err));
	(void)commit_of(f, &work);
	return work;
}

static bool
does_fit(struct fixture *f, const struct integrate_work *work,
	const struct oid *tip)
{
	struct git_serve serve = { .git_dir = f->repo.common_dir };
	struct changes own = { 0 };
	struct oid edited;
	bool fits;

	FX_OK(f,
		snapshot_changes(&f->repo, &work->base, &work->tree, &f->mem,
			&own, &f->err));
	FX_OK(f, tree_edit(&serve, tip, &own, &edited, &fits, &f->err));
	git_serve_close(&serve);
	changes_release(&own);
	return fits;
}

/* What is decided without git is what git decides, tree for tree. */
static void
each_merge_is_as_git_makes_it(void **state)
{
	static const struct {
		const char *tip, *own;
		bool fits; /* it needs no merge by git */
		bool clean;
	} rows[] = {
		{ "echo 1 >new", "echo 2 >other", true, true },
		{ "rm a", "rm -rf d", true, true },
		{ "chmod +x a", "chmod +x d/b", true, true },
		{ "ln -sf x a", "mkdir -p p/q; echo >p/q/r", true, true },
		{ "mkdir p; echo 1 >p/x", "mkdir p; echo 2 >p/y", true, true },
		{ "rm -rf d", "echo 2 >d/c", true, true },
		/* the same on both sides */
		{ "echo 1 >a", "echo 1 >a", false, true },
		{ "rm a", "rm a; echo >n", false, true },
		/* to the same path */
		{ "echo 1 >a", "echo 2 >a", false, false },
		{ "rm a", "echo 2 >a", false, false },
		{ "chmod +x a", "echo 2 >a", false, true },
		/* a file where the other has a folder */
		{ "echo 1 >p", "mkdir p; echo 2 >p/q", false, false },
		{ "mkdir p; echo 2 >p/q", "echo 1 >p", false, false },
		{ "rm -rf d; echo 1 >d", "echo 2 >d/c", false, false },
		{ "rm a; mkdir a; echo 1 >a/x", "echo >other", true, true },
		{ "echo >other", "rm -rf d; echo 1 >d", true, true },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct integrate_work one = work_here(f, rows[i].tip);
		struct integrate_work two = work_here(f, rows[i].own);
		struct integrate_rebased r = { 0 };
		struct str t;

		fx_sh(f, "git checkout -qf main; git clean -fdq");
		FX_OK(f,
			integrate_rebase(&f->repo, &two, &one.commit, &f->mem,
				&r, &f->err));
		if ((r.outcome == INTEGRATE_DONE) != rows[i].clean)
			fail_msg("'%s' and '%s': %d", rows[i].tip, rows[i].own,
				r.outcome);
		if (rows[i].clean) {
			t = arena_format(&f->mem,
				"git -c merge.renames=false merge-tree "
				"--write-tree %s %s",
				one.commit.hex, two.commit.hex);
			assert_string_equal(r.tree.hex, fx_says(f, t.ptr));
		}
		if (does_fit(f, &two, &one.commit) != rows[i].fits)
			fail_msg("'%s' and '%s'", rows[i].tip, rows[i].own);
		paths_release(&r.paths);
	}
}

/* A commit of ours is, byte for byte, the one that commit-tree makes. */
static void
a_commit_is_as_git_makes_it(void **state)
{
	static const struct git_ident idents[] = {
		{ NULL, NULL, 0 },
		{ "A U Thor", "a@example.org", 1700000000 },
		{ " <A> \"U\" Thor, Jr. ", "<a b@example.org>,", 1 },
		{ "\xc3\x84.; x:", "x", 4102444800 },
	};
	static const char *const messages[] = { "one\n", "two",
		"t\n\nbody  \n\n\n", "\n lead", "# not a comment\n" };
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir };
	struct oid tree = fx_oid(f, "main^{tree}");

	for (size_t i = 0; i < 20; i++) {
		const char *message = messages[i % 5];
		const char *const args[] = { "commit-tree", "-p",
			f->head.commit.hex, "-F", "-", tree.hex, NULL };
		struct git_call call = { .args = args,
			.git_dir = f->repo.common_dir,
			.ident = &idents[i / 5],
			.input = str_from(message) };
		struct object_commit commit = { &tree, &f->head.commit,
			&idents[i / 5], str_from(message) };
		struct oid want, got;

		FX_OK(f, git_run_oid(&call, &want, &f->err));
		FX_OK(f, object_write_commit(&serve, &commit, &got, &f->err));
		assert_string_equal(got.hex, want.hex);
	}
	git_serve_close(&serve);
}

/* C065 */
static void
unrelated_history_is_refused(void **state)
{
	struct fixture *f = *state;
	struct worktree w = start(f, "n-1", "main");
	struct integrate_work work;
	struct integrate_rebased r = { 0 };
	struct oid tip;

	fx_sh(f,
		"echo x >../wt/n-1/tree/new; git checkout -q --orphan o; "
		"git commit -qm orphan; git branch -f pawl/r/main o");
	work = work_of(f, &w, "main");
	(void)commit_of(f, &work);
	tip = fx_oid(f, "o");
	FX_FAILS(f,
		integrate_rebase(&f->repo, &work, &tip, &f->mem, &r, &f->err),
		ERR_REF_MOVED);
	tip = (struct oid){ "1111111111111111111111111111111111111111" };
	FX_FAILS(f,
		integrate_rebase(&f->repo, &work, &tip, &f->mem, &r, &f->err),
		ERR_GIT);
}

/* C065: hooks neither run nor stop anything. */
static void
hooks_and_signing_stop_nothing(void **state)
{
	struct fixture *f = *state;
	struct worktree w;
	struct integrate_work work;
	struct landing l = { 0 };
	struct oid commit;

	fx_sh(f,
		"for h in pre-commit commit-msg pre-merge-commit post-merge "
		"reference-transaction post-checkout; do "
		"printf '#!/bin/sh\\necho $0 >>\"%s\"\\nexit 1\\n' "
		"\"$PWD/../marker\" >.git/hooks/$h; chmod +x .git/hooks/$h; "
		"done; git config commit.gpgSign true; "
		"git config gpg.program /bin/false; "
		"git config merge.verifySignatures true; "
		"git config merge.ff false");
	w = start(f, "n-1", "main");
	fx_sh(f, "echo x >../wt/n-1/tree/new");
	work = work_of(f, &w, "main");
	commit = commit_of(f, &work);
	FX_OK(f, publish(f, &work.base, &commit));
	FX_OK(f,
		integrate_land(
			&f->repo, LAND_SPEC(f, commit), &f->mem, &l, &f->err));
	assert_int_equal(l.outcome, LAND_DONE);
	assert_false(fx_is_there(fx_path(f, "marker")));
	assert_true(fx_is_there(fx_path(f, "repo/new")));
}

static void
a_branch_is_dropped_only_when_contained(void **state)
{
	struct fixture *f = *state;
	const char *locks = fx_path(f, "locks");
	struct worktree w = start(f, "n-1", "main");
	struct integrate_work work;
	struct integrate_publication pub;
	struct oid commit;

	fx_sh(f, "echo x >../wt/n-1/tree/new");
	work = work_of(f, &w, "main");
	commit = commit_of(f, &work);
	fx_sh(f,
		arena_strdup(&f->mem,
			arena_format(
				&f->mem, "git branch keep %s", commit.hex)));
	FX_FAILS(f,
		integrate_drop(
			&f->repo, locks, "refs/heads/keep", run_main, &f->err),
		ERR_CLEANUP_BLOCKED);
	FX_FAILS(f,
		integrate_drop(&f->repo, locks, "refs/heads/keep",
			"refs/heads/none", &f->err),
		ERR_CLEANUP_BLOCKED);
	/* both references move in one step */
	pub = (struct integrate_publication){ locks, run_main, work.base,
		commit, "refs/heads/pawl/r/n-1" };
	FX_OK(f, integrate_publish(&f->repo, &pub, &f->err));
	FX_OK(f, integrate_publish(&f->repo, &pub, &f->err));
	assert_string_equal(fx_says(f, "git rev-parse pawl/r/n-1"), commit.hex);
	FX_OK(f,
		integrate_drop(
			&f->repo, locks, "refs/heads/keep", run_main, &f->err));
	FX_OK(f,
		integrate_drop(
			&f->repo, locks, "refs/heads/keep", run_main, &f->err));
	assert_string_equal(fx_says(f, "git branch --list keep"), "");
}

/* One attempt of eight: commit, and onto the tip wherever that is by then. */
static enum pawl_rc
integrate_until_done(struct fixture *f, const struct worktree *w)
{
	struct integrate_work work = work_of(f, w, "main");
	struct oid tip = work.base, next = commit_of(f, &work);

	for (int try = 0; try < 50; try++) {
		struct integrate_rebased r = { 0 };

		if (publish(f, &tip, &next) == PAWL_OK)
			return PAWL_OK;
		if (f->err.code != ERR_REF_MOVED)
			return f->err.rc;
		FX_OK(f, ref_read(&f->repo, run_main, &tip, &f->err));
		FX_OK(f,
			integrate_rebase(
				&f->repo, &work, &tip, &f->mem, &r, &f->err));
		if (r.outcome != INTEGRATE_DONE)
			return PAWL_ECONFLICT;
		next = r.commit;
	}
	return PAWL_EBUSY;
}

/* C074: commits of many processes into one repository at once. */
static void
eight_attempts_integrate_at_once(void **state)
{
	struct fixture *f = *state;
	enum { MANY = 8 };
	struct worktree w[MANY];
	pid_t pids[MANY];

	for (int i = 0; i < MANY; i++) {
		char *name = arena_bytes(&f->mem, 16);

		(void)snprintf(name, 16, "n-%d", i);
		w[i] = start(f, name, "main");
	}
	fx_sh(f, "for i in ../wt/n-*; do echo x >$i/tree/${i##*/}; done");
	for (int i = 0; i < MANY; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			_exit((int)integrate_until_done(f, &w[i]));
	}
	for (int i = 0; i < MANY; i++) {
		int status = -1;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_int_equal(status, 0);
	}
	assert_string_equal(fx_says(f,
				    "git rev-list --count main..pawl/r/main; "
				    "git diff --name-status main pawl/r/main"),
		"8\nA\tn-0\nA\tn-1\nA\tn-2\nA\tn-3\nA\tn-4\nA\tn-5\nA\tn-6\n"
		"A\tn-7");
}

static struct landing
land(struct fixture *f, const char *head)
{
	struct landing l = { 0 };
	struct oid oid = fx_oid(f, head);

	FX_OK(f,
		integrate_land(
			&f->repo, LAND_SPEC(f, oid), &f->mem, &l, &f->err));
	return l;
}

/* Branch `done` has everything that a run can do to a tree. */
static void
make_done(struct fixture *f)
{
	fx_sh(f,
		"echo o >other; echo r >removed; git add -A; "
		"git commit -qm o; git checkout -qb done; echo 2 >a; "
		"git rm -q removed; echo n >new; mkdir deep; echo n >deep/n; "
		"echo i >x.o; git add -f x.o; git add -A; git commit -qm done; "
		"git checkout -q main");
}

/* Never over a file of the user's, whatever kind it is. */
static void
landing_is_blocked_by_files_of_the_users(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *make, *path, *undo;
	} rows[] = {
		{ "echo mine >a", "a", "git checkout -q a" },
		{ "echo mine >a; git add a", "a", "git reset -q --hard" },
		{ "echo mine >removed", "removed", "git checkout -q removed" },
		{ "rm a", "a", "git checkout -q a" },
		{ "echo mine >new", "new", "rm new" },
		{ "ln -s /nowhere new", "new", "rm new" },
		{ "echo mine >deep", "deep", "rm deep" },
		{ "mkdir new; echo mine >new/x", "new/x", "rm -r new" },
		/* ignored: git itself would write over it */
		{ "echo mine >x.o", "x.o", "rm x.o" },
	};

	make_done(f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct landing l;
		const char *before;

		fx_sh(f, rows[i].make);
		before = fx_says(f,
			"git status --porcelain; ls -lR; "
			"git rev-parse main; cat a new x.o deep "
			"2>/dev/null; true");
		l = land(f, "done");
		assert_int_equal(l.outcome, LAND_BLOCKED);
		if (l.paths.count != 1 ||
			!str_eq(l.paths.items[0], str_from(rows[i].path)))
			fail_msg("%s: %zu paths", rows[i].make, l.paths.count);
		paths_release(&l.paths);
		assert_string_equal(
			fx_says(f,
				"git status --porcelain; ls -lR; "
				"git rev-parse main; cat a new x.o deep "
				"2>/dev/null; true"),
			before);
		fx_sh(f, rows[i].undo);
	}
}

static void
landing_keeps_other_changes_of_the_users(void **state)
{
	struct fixture *f = *state;
	struct landing l;

	make_done(f);
	fx_sh(f,
		"echo mine >other; echo mine >staged; git add staged; "
		"echo mine >untracked; echo mine >y.o");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_DONE);
	assert_string_equal(fx_says(f, "git rev-parse main"),
		fx_says(f, "git rev-parse done"));
	assert_string_equal(fx_says(f, "git status --porcelain"),
		" M other\nA  staged\n?? untracked");
	assert_string_equal(
		fx_says(f, "cat other y.o a deep/n"), "mine\nmine\n2\nn");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_NOTHING);
}

static void
landing_is_fast_forward_only(void **state)
{
	struct fixture *f = *state;
	struct landing l;

	make_done(f);
	fx_sh(f, "git commit -q --allow-empty -m mine");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_NOT_FAST_FORWARD);
	/* ahead of it isn't a step back */
	fx_sh(f, "git merge -q -m m done");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_NOT_FAST_FORWARD);
	assert_string_equal(fx_says(f, "git status --porcelain"), "");
}

static void
landing_finds_the_branchs_checkout(void **state)
{
	struct fixture *f = *state;
	struct landing l;

	make_done(f);
	/* nowhere: only the branch moves */
	fx_sh(f, "git checkout -q -b elsewhere; git branch first main");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_DONE);
	assert_string_equal(fx_says(f, "git rev-parse main"),
		fx_says(f, "git rev-parse done"));
	assert_string_equal(fx_says(f, "git status --porcelain; cat a"), "one");
	/* in another worktree: there */
	fx_sh(f,
		"git branch -f main first; git worktree add -q ../side main; "
		"echo mine >../side/new");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_BLOCKED);
	paths_release(&l.paths);
	fx_sh(f, "rm ../side/new");
	l = land(f, "done");
	assert_int_equal(l.outcome, LAND_DONE);
	assert_string_equal(
		fx_says(f,
			"git -C ../side status --porcelain; "
			"cat ../side/new a; git branch --show-current"),
		"n\none\nelsewhere");
}

static void
an_unfinished_merge_of_the_users_stops_landing(void **state)
{
	struct fixture *f = *state;
	struct landing l = { 0 };
	struct oid head;

	make_done(f);
	fx_sh(f,
		"git checkout -qb c1; echo 1 >other; git commit -qam 1; "
		"git checkout -q main; echo 2 >other; git commit -qam 2; "
		"git checkout -q done; git merge -q -m m main; "
		"git checkout -q main; ! git merge -q c1");
	head = fx_oid(f, "done");
	FX_FAILS(f,
		integrate_land(
			&f->repo, LAND_SPEC(f, head), &f->mem, &l, &f->err),
		ERR_GIT);
	assert_true(fx_is_there(fx_path(f, "repo/.git/MERGE_HEAD")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(work_on_the_tip_is_a_fast_forward),
		FX_TEST(a_tip_that_moved_is_told),
		FX_TEST(the_run_branch_starts_once),
		FX_TEST(a_stale_base_takes_nothing_from_the_tip),
		FX_TEST(a_conflict_is_named_and_changes_nothing),
		FX_TEST(a_rename_on_the_tip_is_no_guess),
		FX_TEST(a_merge_that_changes_alien_paths_is_refused),
		FX_TEST(each_merge_is_as_git_makes_it),
		FX_TEST(a_commit_is_as_git_makes_it),
		FX_TEST(unrelated_history_is_refused),
		FX_TEST(hooks_and_signing_stop_nothing),
		FX_TEST(a_branch_is_dropped_only_when_contained),
		FX_TEST(eight_attempts_integrate_at_once),
		FX_TEST(landing_is_blocked_by_files_of_the_users),
		FX_TEST(landing_keeps_other_changes_of_the_users),
		FX_TEST(landing_is_fast_forward_only),
		FX_TEST(landing_finds_the_branchs_checkout),
		FX_TEST(an_unfinished_merge_of_the_users_stops_landing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
