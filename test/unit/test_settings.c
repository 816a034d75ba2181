#include "repo_fixture.h"

#include "engine/integrate.h"
#include "engine/settings.h"
#include "engine/worktree.h"

static enum pawl_rc
hold(struct fixture *f)
{
	return settings_hold(&f->repo, fx_path(f, "settings"), &f->err);
}

/* Each is noticed by name, and is right again once it is put back. */
static void
what_runs_a_program_or_blinds_git_is_refused(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *set, *back, *name;
	} rows[] = {
		{ "git config filter.x.clean evil",
			"git config --unset "
			"filter.x.clean",
			"filter.x.clean" },
		{ "git config filter.a.b.smudge evil",
			"git config --unset filter.a.b.smudge",
			"filter.a.b.smudge" },
		{ "git config filter.x.process evil",
			"git config --unset filter.x.process",
			"filter.x.process" },
		{ "git config merge.x.driver evil",
			"git config --unset merge.x.driver", "merge.x.driver" },
		{ "git config merge.default x",
			"git config --unset merge.default", "merge.default" },
		{ "git config core.attributesFile /x",
			"git config --unset core.attributesFile",
			"core.attributesfile" },
		{ "git config core.fileMode false",
			"git config core.fileMode true", "core.filemode" },
		{ "git config core.symlinks false",
			"git config --unset core.symlinks", "core.symlinks" },
		{ "git config core.ignoreCase true",
			"git config --unset core.ignoreCase",
			"core.ignorecase" },
		{ "git config core.autocrlf input",
			"git config --unset core.autocrlf", "core.autocrlf" },
		{ "git config core.sparseCheckout true",
			"git config --unset core.sparseCheckout",
			"core.sparsecheckout" },
		{ "git config --unset filter.mine.clean",
			"git config filter.mine.clean cat",
			"filter.mine.clean" },
		{ "git config filter.mine.clean evil",
			"git config filter.mine.clean cat",
			"filter.mine.clean" },
		{ "git config --add filter.mine.clean evil",
			"git config --replace-all filter.mine.clean cat",
			"filter.mine.clean" },
		{ "mkdir -p .git/info; echo '* merge=mine' "
		  ">.git/info/attributes",
			"rm .git/info/attributes", "info/attributes" },
		{ "printf '[filter \"i\"]\\nclean = evil\\n' >part; "
		  "git config include.path ../part",
			"git config --unset include.path", "filter.i.clean" },
		{ "git config extensions.worktreeConfig true; "
		  "git config --worktree filter.w.clean evil",
			"rm .git/config.worktree", "filter.w.clean" },
	};

	fx_sh(f, "git config filter.mine.clean cat");
	FX_OK(f, hold(f));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fx_sh(f, rows[i].set);
		FX_FAILS(f, hold(f), ERR_SETTINGS_CHANGED);
		if (strstr(f->err.msg, rows[i].name) == NULL)
			fail_msg("'%s' does not name '%s'", f->err.msg,
				rows[i].name);
		/* a refusal makes it no better */
		FX_FAILS(f, hold(f), ERR_SETTINGS_CHANGED);
		fx_sh(f, rows[i].back);
		FX_OK(f, hold(f));
	}
}

/* The file that is included says it later: no file of git's own differs. */
static void
what_an_included_file_says_later_is_refused(void **state)
{
	struct fixture *f = *state;

	fx_sh(f, "touch part; git config include.path ../part");
	FX_OK(f, hold(f));
	fx_sh(f, "printf '[filter \"i\"]\\nclean = evil\\n' >part");
	FX_FAILS(f, hold(f), ERR_SETTINGS_CHANGED);
	fx_sh(f, "printf '[user]\\nname = me\\n' >part");
	FX_OK(f, hold(f));
}

static void
any_other_setting_may_change(void **state)
{
	struct fixture *f = *state;
	static const char *const rows[] = {
		"git config user.name other",
		"git config branch.main.merge refs/heads/main",
		"git remote add origin ../other",
		"git config filter.note.description x",
		"git config core.fsmonitor /evil", /* off in each of our calls
						    */
		"git worktree add -q ../other",
		"git config --global filter.user.clean cat",
	};

	FX_OK(f, hold(f));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fx_sh(f, rows[i]);
		FX_OK(f, hold(f));
	}
}

static void
an_unchanged_file_asks_no_git(void **state)
{
	struct fixture *f = *state;
	const char *path = getenv("PATH");

	FX_OK(f, hold(f));
	fx_sh(f, "git config user.name other");
	FX_OK(f, hold(f));
	assert_string_equal(fx_says(f, "stat -c %a ../settings"), "600");
	path = arena_strdup(&f->mem, str_from(path));
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	FX_OK(f, hold(f));
	assert_int_equal(setenv("PATH", path, 1), 0);
	/* and it is the file, not a memory, that says so */
	fx_sh(f, "rm ../settings");
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	assert_int_not_equal(hold(f), PAWL_OK);
	assert_int_equal(setenv("PATH", path, 1), 0);
}

static void
a_file_at_its_bound_is_read(void **state)
{
	struct fixture *f = *state;

	fx_sh(f,
		"n=$(wc -c <.git/config); head -c $((1048576 - n - 1)) "
		"/dev/zero | tr '\\0' '#' >>.git/config; echo >>.git/config; "
		"[ $(wc -c <.git/config) = 1048576 ]");
	FX_OK(f, hold(f));
	fx_sh(f, "echo >>.git/config");
	FX_FAILS(f, hold(f), ERR_LIMIT);
}

/*
 * Every step of git's that an attempt goes through, with all that a repository
 * may name and that is switched off: hooks, fsmonitor, external programs.
 */
static void
nothing_planted_runs_from_worktree_to_landing(void **state)
{
	struct fixture *f = *state;
	struct worktree_spec spec = {
		.parent = fx_path(f, "wt"),
		.name = "n-1",
		.branch = "refs/heads/pawl/r/n-1",
		.lock_dir = fx_path(f, "locks"),
		.base = f->head.commit,
		.marker = STR("run r, attempt n@1\n"),
	};
	struct land_spec land = { .lock_dir = fx_path(f, "locks"),
		.branch = "refs/heads/main" };
	struct worktree w = { 0 };
	struct worktree_removal removal;
	struct landing landed = { 0 };
	struct oid tree;

	fx_sh(f,
		"printf '#!/bin/sh\\necho \"$0 $*\" >>\"%s\"\\n' "
		"\"$PWD/../marker\" >../evil; chmod +x ../evil; "
		"mkdir -p .git/hooks; "
		"for h in post-checkout post-commit post-index-change "
		"post-merge pre-commit pre-merge-commit reference-transaction "
		"commit-msg prepare-commit-msg post-rewrite pre-auto-gc "
		"fsmonitor-watchman; do cp ../evil .git/hooks/$h; done; "
		"git checkout -q -b next 2>/dev/null; rm -f ../marker; "
		"e=\"$PWD/../evil\"; git config core.fsmonitor \"$e\"; "
		"git config core.hooksPath \"$PWD/.git/hooks\"; "
		"git config extensions.worktreeConfig true; "
		"git config --worktree core.alternateRefsCommand \"$e\"; "
		"git config alias.worktree \"!$e\"; "
		"git config diff.external \"$e\"; "
		"git config submodule.recurse true; "
		"git config core.editor \"$e\"; rm -f ../marker");
	FX_OK(f, worktree_add(&f->repo, &spec, &f->mem, &w, &f->err));
	/* what a worker can reach of its own worktree's folder */
	fx_sh(f,
		"d=$(git -C ../wt/n-1/tree -c core.hooksPath=/dev/null -c "
		"core.fsmonitor=false rev-parse --absolute-git-dir); "
		"mkdir -p \"$d/hooks\" \"$d/info\"; "
		"cp ../evil \"$d/hooks/post-checkout\"; "
		"echo '* filter=w' >\"$d/info/attributes\"; "
		"printf '[core]\\nfsmonitor = %s\\n' \"$PWD/../evil\" "
		">\"$d/config.worktree\"; "
		"echo x >../wt/n-1/tree/a; rm -f ../marker");
	FX_OK(f, snapshot_take(&w.repo, w.index, &tree, &f->err));
	FX_OK(f, worktree_reset(&w, &f->head.commit, &f->err));
	fx_sh(f,
		"git -c core.hooksPath=/dev/null -c core.fsmonitor=false "
		"commit -q --allow-empty -m next; "
		"git -c core.hooksPath=/dev/null -c core.fsmonitor=false "
		"checkout -q main; rm -f ../marker");
	land.head = fx_oid(f, "next");
	FX_OK(f, integrate_land(&f->repo, &land, &f->mem, &landed, &f->err));
	assert_int_equal(landed.outcome, LAND_DONE);
	removal = (struct worktree_removal){ &spec, w.dev, w.inode,
		"refs/heads/main", false };
	FX_OK(f, worktree_remove(&f->repo, &removal, &f->err));
	if (fx_is_there(fx_path(f, "marker")))
		fail_msg("%s", fx_says(f, "cat ../marker"));
	/* the trap works: plain git falls into it */
	fx_sh(f, "git checkout -q -b trap");
	assert_true(fx_is_there(fx_path(f, "marker")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(what_runs_a_program_or_blinds_git_is_refused),
		FX_TEST(what_an_included_file_says_later_is_refused),
		FX_TEST(any_other_setting_may_change),
		FX_TEST(an_unchanged_file_asks_no_git),
		FX_TEST(a_file_at_its_bound_is_read),
		FX_TEST(nothing_planted_runs_from_worktree_to_landing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
