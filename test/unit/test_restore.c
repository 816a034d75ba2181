#include "repo_fixture.h"

#include "engine/restore.h"

static struct oid
take(struct fixture *f)
{
	struct oid tree = { 0 };

	FX_OK(f, snapshot_take(&f->repo, fx_path(f, "index"), &tree, &f->err));
	return tree;
}

/* Undo everything since `before`; the number of misses. */
static size_t
undo(struct fixture *f, const struct oid *before)
{
	struct changes list = { 0 };
	struct restore_misses misses = { 0 };
	struct oid now = take(f);
	size_t count;

	FX_OK(f,
		snapshot_changes(
			&f->repo, before, &now, &f->mem, &list, &f->err));
	FX_OK(f, restore_paths(&f->repo, f->top, &list, &misses, &f->err));
	count = misses.count;
	changes_release(&list);
	restore_misses_release(&misses);
	return count;
}

static void
whatever_was_done_is_undone(void **state)
{
	struct fixture *f = *state;
	static const char *const rows[] = {
		"echo x >a",
		"rm a",
		"rm -r d",
		"chmod +x a",
		"chmod -x exec",
		"rm a; ln -s /etc/passwd a",
		"rm a; mkdir a; echo x >a/in; mkdir a/deep; echo x >a/deep/x",
		"rm -r d; echo x >d",
		"rm -r d; ln -s /tmp d",
		"rm link; echo x >link",
		"ln -sfn elsewhere link",
		"mkdir -p n/m; echo x >n/m/o; echo x >'n/new\nline'",
		"mv a z; mv d e",
		"echo x >-rf; echo x >'--help'",
		"rm 'odd\nname'; echo x >'sp ace'",
		("i=0; while [ $i -lt 300 ]; do echo x >many/$i; "
		 "echo x >many/n$i; i=$((i+1)); done"),
	};
	struct oid before;

	fx_sh(f,
		"ln -s a link; echo e >exec; chmod +x exec; echo o "
		">'odd\nname'; echo s >'sp ace'; mkdir many; i=0; "
		"while [ $i -lt 300 ]; do echo $i >many/$i; i=$((i+1)); done; "
		"git add -A; git commit -qm more; echo untracked >u");
	before = take(f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct oid after;

		fx_sh(f, rows[i]);
		after = take(f);
		if (oid_eq(&before, &after))
			fail_msg("nothing done: %s", rows[i]);
		assert_int_equal(undo(f, &before), 0);
		after = take(f);
		if (!oid_eq(&before, &after))
			fail_msg("not undone: %s", rows[i]);
		assert_string_equal(
			fx_says(f, "git status --porcelain"), "?? u");
	}
	assert_string_equal(fx_says(f, "ls -A | wc -l"), "11");
}

static void
only_the_given_paths_are_written(void **state)
{
	struct fixture *f = *state;
	struct oid before = take(f), now;
	struct changes list = { 0 }, one = { 0 };
	struct restore_misses misses = { 0 };

	fx_sh(f, "echo x >a; echo y >d/b; echo n >new");
	now = take(f);
	FX_OK(f,
		snapshot_changes(
			&f->repo, &before, &now, &f->mem, &list, &f->err));
	(void)changes_push(&one, list.items[0]);
	FX_OK(f, restore_paths(&f->repo, f->top, &one, &misses, &f->err));
	assert_int_equal(misses.count, 0);
	assert_string_equal(fx_says(f, "cat a d/b new"), "one\ny\nn");
	changes_release(&list);
	changes_release(&one);
}

/* A link on the way leads out of the repository: nothing is written there. */
static void
links_on_the_way_are_not_followed(void **state)
{
	struct fixture *f = *state;
	struct oid before = take(f), now;
	struct changes list = { 0 };
	struct restore_misses misses = { 0 };

	fx_sh(f, "echo y >d/b; echo n >d/new");
	now = take(f);
	FX_OK(f,
		snapshot_changes(
			&f->repo, &before, &now, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 2);
	fx_sh(f,
		"mkdir ../out; echo out >../out/b; echo out >../out/new; "
		"rm -r d; ln -s ../out d");
	FX_OK(f, restore_paths(&f->repo, f->top, &list, &misses, &f->err));
	assert_int_equal(misses.count, 1);
	assert_true(str_eq(misses.items[0].path, STR("d/b")));
	assert_string_equal(
		fx_says(f, "cat ../out/*; ls ../out"), "out\nout\nb\nnew");
	changes_release(&list);
	restore_misses_release(&misses);
}

static void
paths_that_lead_out_are_misses(void **state)
{
	struct fixture *f = *state;
	static const char *const paths[] = { "../out", "/etc/x", "d/../../out",
		"./a", "", "d//b", ".git/config", "d/.git/x" };
	struct changes list = { 0 };
	struct restore_misses misses = { 0 };
	struct oid blob = fx_oid(f, "HEAD:a");

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		(void)changes_push(&list,
			(struct change){ .path = str_from(paths[i]),
				.kind = CHANGE_MODIFIED,
				.old_mode = 0100644,
				.old = blob });
	}
	FX_OK(f, restore_paths(&f->repo, f->top, &list, &misses, &f->err));
	assert_int_equal(misses.count, sizeof(paths) / sizeof(paths[0]));
	assert_string_equal(fx_says(f, "ls -A ..; git status --porcelain"),
		"home\nlocks\nlog\nrepo\nwt");
	changes_release(&list);
	restore_misses_release(&misses);
}

static void
what_can_not_be_restored_is_a_miss_and_the_rest_is(void **state)
{
	struct fixture *f = *state;
	struct oid before, after;

	fx_sh(f,
		"git init -q nested; git -C nested commit -q --allow-empty "
		"-m 1; git add nested; git commit -qm nested");
	before = take(f);
	fx_sh(f,
		"git -C nested commit -q --allow-empty -m 2; echo x >a; "
		"rm d/b; mkdir d/b; echo i >d/b/kept.o; echo n >new");
	/* another repository, and a folder with an ignored file in it */
	assert_int_equal(undo(f, &before), 2);
	after = take(f);
	assert_string_equal(
		fx_says(f, "cat a d/b/kept.o; ls"), "one\ni\na\nd\nnested");
	assert_false(oid_eq(&before, &after));
}

/* Content comes back as a checkout would write it, by the user's filters. */
static void
content_is_written_through_the_filters(void **state)
{
	struct fixture *f = *state;
	struct oid before;

	fx_sh(f,
		"printf '*.t text eol=crlf\\n*.f filter=up\\n' "
		">.gitattributes; git config filter.up.clean 'tr A-Z a-z'; "
		"git config filter.up.smudge 'tr a-z A-Z'; "
		"printf 'l\\r\\n' >x.t; printf 'BIG' >x.f; git add -A; "
		"git commit -qm f");
	before = take(f);
	fx_sh(f, "rm x.t; echo y >x.f");
	assert_int_equal(undo(f, &before), 0);
	assert_string_equal(fx_says(f,
				    "od -c x.t | head -1; cat x.f; "
				    "git status --porcelain"),
		"0000000   l  \\r  \\n\nBIG");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(whatever_was_done_is_undone),
		FX_TEST(only_the_given_paths_are_written),
		FX_TEST(links_on_the_way_are_not_followed),
		FX_TEST(paths_that_lead_out_are_misses),
		FX_TEST(what_can_not_be_restored_is_a_miss_and_the_rest_is),
		FX_TEST(content_is_written_through_the_filters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
