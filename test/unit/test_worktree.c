#include "repo_fixture.h"

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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(a_worktree_is_made_and_opened_and_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
