#include "repo_fixture.h"

static void
finds_the_top_from_below(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };

	fx_sh(f, "mkdir -p 'd/x y'");
	FX_OK(f, repo_find(fx_path(f, "repo/d/x y"), &f->mem, &r, &f->err));
	assert_string_equal(r.top, fx_path(f, "repo"));
	assert_string_equal(r.git_dir, fx_path(f, "repo/.git"));
	assert_string_equal(r.common_dir, r.git_dir);
	assert_string_equal(r.main_top, r.top);
	assert_string_equal(r.name, "repo");
	assert_false(r.is_worktree);
	assert_string_equal(r.key,
		fx_says(f, "printf %s \"$PWD/.git\" | sha256sum | cut -c1-8"));
}

static void
finds_through_a_link_to_the_folder(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };

	fx_sh(f, "ln -s repo ../link");
	FX_OK(f, repo_find(fx_path(f, "link/d"), &f->mem, &r, &f->err));
	assert_string_equal(r.top, fx_path(f, "repo"));
}

static void
a_worktree_shares_key_and_main_top(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };
	struct ref_head head = { 0 };

	fx_sh(f, "git worktree add -q -b side ../side");
	FX_OK(f, repo_find(fx_path(f, "side/d"), &f->mem, &r, &f->err));
	assert_true(r.is_worktree);
	assert_string_equal(r.top, fx_path(f, "side"));
	assert_string_equal(r.main_top, fx_path(f, "repo"));
	assert_string_equal(r.key, f->repo.key);
	assert_string_equal(r.name, "repo");
	FX_OK(f, ref_must_head(&r, &f->mem, &head, &f->err));
	assert_string_equal(head.branch, "refs/heads/side");
	assert_true(oid_eq(&head.commit, &f->head.commit));
}

static void
a_bare_repository_with_worktrees_has_no_main_top(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };

	fx_sh(f,
		"git clone -q --bare . ../x/.bare && "
		"printf 'gitdir: ./.bare\\n' >../x/.git && "
		"git -C ../x worktree add -q side main");
	FX_OK(f, repo_find(fx_path(f, "x/side"), &f->mem, &r, &f->err));
	assert_null(r.main_top);
	assert_true(r.is_worktree);
	FX_FAILS(f, repo_find(fx_path(f, "x"), &f->mem, &r, &f->err),
		ERR_NEEDS_REPOSITORY);
}

static void
names_what_is_no_repository(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };
	static const struct {
		const char *make, *at;
		enum pawl_code code;
	} rows[] = {
		{ "mkdir ../none", "none", ERR_NEEDS_REPOSITORY },
		{ "git init -q --bare ../bare.git", "bare.git",
			ERR_NEEDS_REPOSITORY },
		{ "true", "repo/.git/refs", ERR_NEEDS_REPOSITORY },
		{ "true", "absent", ERR_FILE_NOT_FOUND },
		{ "mkdir ../odd; echo hello >../odd/.git", "odd", ERR_CORRUPT },
		{ "mkdir ../cut; echo 'gitdir: ' >../cut/.git", "cut",
			ERR_CORRUPT },
		{ "mkdir ../lost; echo 'gitdir: /nowhere/x' >../lost/.git",
			"lost", ERR_FILE_NOT_FOUND },
		{ "mkdir -p ../hollow/.git", "hollow", ERR_NEEDS_REPOSITORY },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fx_sh(f, rows[i].make);
		FX_FAILS(f,
			repo_find(fx_path(f, rows[i].at), &f->mem, &r, &f->err),
			rows[i].code);
	}
	assert_null(r.top);
}

static void
somebody_elses_repository_needs_safe_directory(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };

	if (geteuid() != 0)
		skip();
	fx_sh(f, "chown -R 12345 .");
	FX_FAILS(f, repo_find(fx_path(f, "repo"), &f->mem, &r, &f->err),
		ERR_NOT_PERMITTED);
	fx_sh(f, "git config --global safe.directory \"$PWD\"");
	FX_OK(f, repo_find(fx_path(f, "repo"), &f->mem, &r, &f->err));
}

static void
an_unborn_head_has_a_branch_and_no_commit(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };
	struct ref_head head = { 0 };

	fx_sh(f, "git init -q -b trunk ../empty");
	FX_OK(f, repo_find(fx_path(f, "empty"), &f->mem, &r, &f->err));
	FX_OK(f, ref_head(&r, &f->mem, &head, &f->err));
	assert_string_equal(head.branch, "refs/heads/trunk");
	assert_true(oid_is_none(&head.commit));
	FX_FAILS(f, ref_must_head(&r, &f->mem, &head, &f->err),
		ERR_NEEDS_REPOSITORY);
}

static void
reads_heads_of_each_kind_as_git_does(void **state)
{
	struct fixture *f = *state;
	static const char *const rows[] = {
		"true",
		"git pack-refs --all",
		"git checkout -q --detach",
		"git checkout -q main; git commit -q --allow-empty -m n",
		"git symbolic-ref refs/heads/alias refs/heads/main; "
		"git symbolic-ref HEAD refs/heads/alias",
		/* the old form: HEAD as a symbolic link */
		"git pack-refs --all; git checkout -q main; "
		"rm .git/HEAD; git pack-refs --all --no-prune; "
		"mkdir -p .git/refs/heads; git --version; "
		"printf '%s\\n' \"$(sed -n 's, refs/heads/main,,p' "
		".git/packed-refs)\" >.git/refs/heads/main; "
		"ln -s refs/heads/main .git/HEAD",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ref_head head = { 0 };

		fx_sh(f, rows[i]);
		FX_OK(f, ref_head(&f->repo, &f->mem, &head, &f->err));
		assert_string_equal(
			head.commit.hex, fx_says(f, "git rev-parse HEAD"));
		assert_string_equal(head.branch ? head.branch : "",
			fx_says(f, "git symbolic-ref -q HEAD || true"));
	}
}

static void
an_absent_reference_is_none_and_odd_names_are_refused(void **state)
{
	struct fixture *f = *state;
	struct oid oid = f->head.commit;
	static const char *const bad[] = { "HEAD", "main",
		"refs/../../etc/passwd", "" };

	FX_OK(f, ref_read(&f->repo, "refs/heads/none", &oid, &f->err));
	assert_true(oid_is_none(&oid));
	/* a folder of references isn't one */
	fx_sh(f, "git branch x/y");
	FX_OK(f, ref_read(&f->repo, "refs/heads/x", &oid, &f->err));
	assert_true(oid_is_none(&oid));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		FX_FAILS(f, ref_read(&f->repo, bad[i], &oid, &f->err),
			ERR_INVALID_ARGUMENT);
	}
}

static void
a_ref_moves_only_from_where_it_was_said_to_be(void **state)
{
	struct fixture *f = *state;
	struct oid first = f->head.commit, second, now = { 0 };
	struct ref_update u[2] = { 0 };

	fx_sh(f, "git commit -q --allow-empty -m next");
	second = fx_oid(f, "HEAD");
	u[0] = (struct ref_update){ "refs/heads/x", first, { "" } };
	FX_OK(f, ref_update(&f->repo, u, 1, &f->err));
	/* it is there now */
	FX_FAILS(f, ref_update(&f->repo, u, 1, &f->err), ERR_REF_MOVED);
	/* all or nothing: the second one is wrong */
	u[0] = (struct ref_update){ "refs/heads/x", second, first };
	u[1] = (struct ref_update){ "refs/heads/y", second, first };
	FX_FAILS(f, ref_update(&f->repo, u, 2, &f->err), ERR_REF_MOVED);
	FX_OK(f, ref_read(&f->repo, "refs/heads/x", &now, &f->err));
	assert_true(oid_eq(&now, &first));
	FX_OK(f, ref_update(&f->repo, u, 1, &f->err));
	FX_OK(f, ref_read(&f->repo, "refs/heads/x", &now, &f->err));
	assert_true(oid_eq(&now, &second));
	/* deletion compares, too */
	u[0] = (struct ref_update){ "refs/heads/x", { "" }, first };
	FX_FAILS(f, ref_update(&f->repo, u, 1, &f->err), ERR_REF_MOVED);
	u[0].from = second;
	FX_OK(f, ref_update(&f->repo, u, 1, &f->err));
	FX_OK(f, ref_read(&f->repo, "refs/heads/x", &now, &f->err));
	assert_true(oid_is_none(&now));
}

/* C076: a lock that stands is waited for, reported, and never removed. */
static void
a_lock_of_gits_is_reported_as_busy_and_left_alone(void **state)
{
	struct fixture *f = *state;
	struct ref_update u = { "refs/heads/x", f->head.commit, { "" } };

	fx_sh(f, "mkdir -p .git/refs/heads && : >.git/refs/heads/x.lock");
	FX_FAILS(f, ref_update(&f->repo, &u, 1, &f->err), ERR_GIT_BUSY);
	assert_int_equal(f->err.rc, PAWL_EBUSY);
	assert_non_null(strstr(pawl_err_hint(&f->err), "by hand"));
	assert_true(fx_is_there(fx_path(f, "repo/.git/refs/heads/x.lock")));
}

/* C074: waited for, and then it works. */
static void
a_lock_that_goes_away_is_outlasted(void **state)
{
	struct fixture *f = *state;
	struct oid tree;

	fx_sh(f,
		": >../index.lock; (sleep 0.4; rm ../index.lock) "
		">/dev/null 2>&1 &");
	FX_OK(f, snapshot_take(&f->repo, fx_path(f, "index"), &tree, &f->err));
}

static void
ignored_paths_and_the_exclude_file(void **state)
{
	struct fixture *f = *state;
	bool ignored = true;

	FX_OK(f, repo_is_ignored(&f->repo, ".pawl/", &ignored, &f->err));
	assert_false(ignored);
	FX_OK(f, repo_is_ignored(&f->repo, "d/x.o", &ignored, &f->err));
	assert_true(ignored);
	fx_sh(f, "rm -rf .git/info");
	FX_OK(f, repo_exclude(&f->repo, STR("/.pawl/"), &f->err));
	FX_OK(f, repo_exclude(&f->repo, STR("/.pawl/"), &f->err));
	assert_string_equal(fx_says(f, "cat .git/info/exclude"), "/.pawl/");
	FX_OK(f, repo_is_ignored(&f->repo, ".pawl/", &ignored, &f->err));
	assert_true(ignored);
	/* a last line without an end stays a line of its own */
	fx_sh(f, "printf 'x' >.git/info/exclude");
	FX_OK(f, repo_exclude(&f->repo, STR("/.pawl/"), &f->err));
	assert_string_equal(fx_says(f, "cat .git/info/exclude"), "x\n/.pawl/");
	FX_FAILS(f, repo_exclude(&f->repo, STR("a\nb"), &f->err),
		ERR_INVALID_ARGUMENT);
	FX_FAILS(f, repo_exclude(&f->repo, STR(""), &f->err),
		ERR_INVALID_ARGUMENT);
	assert_string_equal(fx_says(f, "git status --porcelain"), "");
}

static void
the_identity_is_the_users_or_ours(void **state)
{
	struct fixture *f = *state;
	struct git_ident ident = { 0 };

	FX_OK(f, repo_identity(&f->repo, &f->mem, &ident, &f->err));
	assert_string_equal(ident.name, "T");
	assert_string_equal(ident.email, "t@example.org");
	fx_sh(f, "git config --global --unset user.email");
	FX_OK(f, repo_identity(&f->repo, &f->mem, &ident, &f->err));
	assert_null(ident.name);
	assert_null(ident.email);
}

static void
a_path_is_below_a_folder_by_components(void **state)
{
	static const struct {
		const char *path, *top;
		bool below;
	} rows[] = {
		{ "/a/b", "/a", true },
		{ "/a", "/a", true },
		{ "/ab", "/a", false },
		{ "/a", "/a/b", false },
		{ "/a", "/", true },
		{ "/a/b", "/a/", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(repo_path_is_below(rows[i].path, rows[i].top),
			rows[i].below);
	}
}

/* An event may name a commit only once a cut of the power can't take it. */
static void
git_syncs_objects_whatever_the_users_settings_are(void **state)
{
	static const char *const args[] = { "config", "--get-regexp",
		"^core[.]fsync", NULL };
	struct fixture *f = *state;
	struct git_call call = { .args = args, .git_dir = f->repo.git_dir };
	struct git_ran ran = { 0 };
	struct str lines;

	fx_sh(f,
		"git config core.fsync none; "
		"git config core.fsyncMethod writeout-only");
	FX_OK(f, git_run(&call, &ran, &f->err));
	/* The last one that git reads counts. */
	lines = str_trim(buf_str(&ran.out));
	assert_true(str_ends(
		lines, STR("core.fsync committed\ncore.fsyncmethod fsync")));
	git_ran_release(&ran);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(finds_the_top_from_below),
		FX_TEST(finds_through_a_link_to_the_folder),
		FX_TEST(a_worktree_shares_key_and_main_top),
		FX_TEST(a_bare_repository_with_worktrees_has_no_main_top),
		FX_TEST(names_what_is_no_repository),
		FX_TEST(somebody_elses_repository_needs_safe_directory),
		FX_TEST(an_unborn_head_has_a_branch_and_no_commit),
		FX_TEST(reads_heads_of_each_kind_as_git_does),
		FX_TEST(an_absent_reference_is_none_and_odd_names_are_refused),
		FX_TEST(a_ref_moves_only_from_where_it_was_said_to_be),
		FX_TEST(a_lock_of_gits_is_reported_as_busy_and_left_alone),
		FX_TEST(a_lock_that_goes_away_is_outlasted),
		FX_TEST(ignored_paths_and_the_exclude_file),
		FX_TEST(the_identity_is_the_users_or_ours),
		cmocka_unit_test(a_path_is_below_a_folder_by_components),
		FX_TEST(git_syncs_objects_whatever_the_users_settings_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
