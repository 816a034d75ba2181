#include "repo_fixture.h"

#include "engine/tether.h"
#include "engine/worktree.h"

#define BRANCH "refs/heads/pawl/r-1/A-1"

struct tied {
	struct worktree w;
	struct tether t;
	const char *tree; /* its path */
};

/* A worktree at the base, of a run whose branch is one commit further. */
static struct tied
tie(struct fixture *f)
{
	struct tied x = { .t = { .branch = BRANCH } };
	const struct worktree_spec spec = { .parent = fx_path(f, "wt"),
		.name = "A-1",
		.branch = BRANCH,
		.lock_dir = fx_path(f, "locks"),
		.base = f->head.commit,
		.marker = STR("A@1\n") };

	FX_OK(f, worktree_add(&f->repo, &spec, &f->mem, &x.w, &f->err));
	fx_sh(f,
		"git branch run; git worktree add -q ../wt/run run; "
		"git -C ../wt/run commit -q --allow-empty -m tip");
	x.t.base = f->head.commit;
	x.t.tip = fx_oid(f, "run");
	x.tree = x.w.repo.top;
	return x;
}

/* Workers commit, on any branch, and rewrite, and delete. */
static void
a_worker_that_moves_its_branch_is_compared_with_where_it_began(void **state)
{
	static const struct {
		const char *act;
		bool at_tip; /* it holds the run's newest commit */
	} rows[] = {
		{ "true", false },
		{ "echo x >>a; git commit -qam mine", false },
		{ "git commit -q --allow-empty -m 1; git checkout -q -b own; "
		  "git commit -q --allow-empty -m 2",
			false },
		{ "git symbolic-ref HEAD refs/heads/main", false },
		{ "git update-ref -d " BRANCH, false },
		{ "git checkout -q --orphan lone; git commit -qm lone; "
		  "git update-ref " BRANCH " HEAD",
			false },
		{ "git merge -q run", true },
		{ "git merge -q run; git commit -q --allow-empty -m 3", true },
	};
	struct fixture *f = *state;
	struct tied x = tie(f);
	const char *main_at = fx_says(f, "git rev-parse main");

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct oid *want = rows[i].at_tip ? &x.t.tip : &x.t.base;
		struct oid at = { 0 };

		fx_sh(f,
			arena_format(
				&f->mem, "cd '%s'; %s", x.tree, rows[i].act)
				.ptr);
		FX_OK(f, tether_settle(&x.w, &x.t, &at, &f->err));
		assert_string_equal(at.hex, want->hex);
		assert_string_equal(fx_oid(f, BRANCH).hex, want->hex);
		assert_string_equal(
			fx_says(f,
				arena_format(&f->mem,
					"git -C '%s' symbolic-ref HEAD", x.tree)
					.ptr),
			BRANCH);
		assert_string_equal(fx_says(f, "git rev-parse main"), main_at);
	}
}

static void
files_of_the_worktree_stay_as_the_worker_left_them(void **state)
{
	struct fixture *f = *state;
	struct tied x = tie(f);
	struct oid at = { 0 };

	fx_sh(f,
		arena_format(&f->mem,
			"cd '%s'; echo x >>a; git commit -qam mine; echo y >>a",
			x.tree)
			.ptr);
	FX_OK(f, tether_settle(&x.w, &x.t, &at, &f->err));
	assert_string_equal(
		fx_says(f, arena_format(&f->mem, "cat '%s/a'", x.tree).ptr),
		"one\nx\ny");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(a_worker_that_moves_its_branch_is_compared_with_where_it_began),
		FX_TEST(files_of_the_worktree_stay_as_the_worker_left_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
