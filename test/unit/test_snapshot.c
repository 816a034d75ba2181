#include "repo_fixture.h"

static const struct change *
find(const struct changes *list, const char *path)
{
	for (size_t i = 0; i < list->count; i++) {
		if (str_eq(list->items[i].path, str_from(path)))
			return &list->items[i];
	}
	return NULL;
}

static struct oid
take(struct fixture *f, const char *index)
{
	struct oid tree = { 0 };

	FX_OK(f, snapshot_take(&f->repo, fx_path(f, index), &tree, &f->err));
	return tree;
}

static struct changes
changes_of(struct fixture *f, const struct oid *from, const struct oid *to)
{
	struct changes list = { 0 };

	FX_OK(f, snapshot_changes(&f->repo, from, to, &f->mem, &list, &f->err));
	return list;
}

static void
a_clean_tree_is_heads(void **state)
{
	struct fixture *f = *state;
	struct oid tree = take(f, "index");
	struct changes list;

	assert_string_equal(
		tree.hex, fx_says(f, "git rev-parse 'HEAD^{tree}'"));
	list = changes_of(f, &f->head.commit, &tree);
	assert_int_equal(list.count, 0);
	changes_release(&list);
}

static void
each_kind_of_change_is_told(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *path;
		enum change_kind kind;
		bool symlink, submodule;
	} rows[] = {
		{ "mod", CHANGE_MODIFIED, false, false },
		{ "mode", CHANGE_MODE, false, false },
		{ "type", CHANGE_TYPE, true, false },
		{ "link", CHANGE_MODIFIED, true, false },
		{ "gone", CHANGE_DELETED, false, false },
		{ "moved-from", CHANGE_DELETED, false, false },
		{ "moved-to", CHANGE_ADDED, false, false },
		{ "new", CHANGE_ADDED, false, false },
		{ "new link", CHANGE_ADDED, true, false },
		{ "nested", CHANGE_ADDED, false, true },
		{ "staged", CHANGE_ADDED, false, false },
		{ "dir/was-file", CHANGE_ADDED, false, false },
		{ "dir", CHANGE_DELETED, false, false },
	};
	struct oid before, after;
	struct changes list;

	fx_sh(f,
		"for i in mod mode type gone moved-from dir; do echo $i >$i; "
		"done; ln -s a link; git add -A; git commit -qm more");
	before = take(f, "index");
	fx_sh(f,
		"echo x >>mod; chmod +x mode; ln -sf a type; "
		"ln -sfn /etc link; rm gone; mv moved-from moved-to; "
		"echo n >new; ln -s /etc/passwd 'new link'; "
		"git init -q nested; git -C nested commit -q --allow-empty "
		"-m x; echo s >staged; git add staged; echo o >d/x.o; "
		"rm dir; mkdir dir; echo y >dir/was-file");
	after = take(f, "index");
	list = changes_of(f, &before, &after);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct change *c = find(&list, rows[i].path);

		assert_non_null(c);
		if (c->kind != rows[i].kind || c->symlink != rows[i].symlink ||
			c->submodule != rows[i].submodule) {
			fail_msg("'%s' is %s", rows[i].path,
				change_kind_word(c->kind));
		}
	}
	assert_int_equal(list.count, sizeof(rows) / sizeof(rows[0]));
	changes_release(&list);
	/* the user's index saw nothing of it */
	assert_string_equal(
		fx_says(f, "git diff --cached --name-only"), "staged");
	assert_false(fx_is_there(fx_path(f, "repo/.git/index.lock")));
}

/* A git ahead of the real one that keeps a list of what it was asked. */
static void
log_gits(struct fixture *f)
{
	const char *path = getenv("PATH");

	fx_sh(f,
		"mkdir ../bin; printf '#!/bin/sh\\necho \"$*\" >>%s\\n"
		"exec %s \"$@\"\\n' \"$PWD/../gits\" \"$(command -v git)\" "
		">../bin/git; chmod +x ../bin/git");
	path = arena_strdup(&f->mem,
		arena_format(&f->mem, "%s:%s", fx_path(f, "bin"), path));
	assert_int_equal(setenv("PATH", path, 1), 0);
}

/* The list, as `git diff-tree --raw -z` writes it, but for the status. */
static const char *
raw_of(struct fixture *f, const struct changes *list)
{
	static const char zeros[] = "0000000000000000000000000000000000000000";
	const struct change *c;
	struct buf raw = { 0 };
	const char *text;

	VEC_EACH (c, list) {
		buf_addf(&raw, ":%06o %06o %s %s|", c->old_mode, c->new_mode,
			oid_is_none(&c->old) ? zeros : c->old.hex,
			oid_is_none(&c->new) ? zeros : c->new.hex);
		buf_add(&raw, c->path);
		buf_addc(&raw, '|');
	}
	text = arena_strdup(&f->mem, buf_str(&raw));
	buf_release(&raw);
	return text;
}

static const char *
raw_of_git(struct fixture *f, const struct oid *from, const struct oid *to)
{
	struct str text = arena_format(&f->mem,
		"git diff-tree -r -z --raw --no-renames --no-abbrev %s %s | "
		"sed -z 's/ [A-Z]$//' | tr '\\0' '|'",
		from->hex, to->hex);

	return fx_says(f, text.ptr);
}

/* An edit of the last tree, and a walk over two trees, are what git makes. */
static void
trees_and_changes_are_as_git_makes_them(void **state)
{
	static const char *const steps[] = {
		("for i in mod mode type gone dir z; do echo $i >$i; done; "
		 "ln -s a link; mkdir -p deep/er/still; echo 1 "
		 ">deep/er/still/x; "
		 "echo 2 >deep/er-not"),
		("echo x >>mod; chmod +x mode; ln -sf a type; rm gone z; "
		 "ln -sfn /etc link; rm dir; mkdir dir; echo y >dir/file; "
		 "echo 'new' >'a b'; echo n >'new\nline'; echo 1 >a-; "
		 "git init -q nested; git -C nested commit -q --allow-empty "
		 "-m x"),
		/* a folder becomes a file, another goes with all it had */
		"rm -rf dir; echo f >dir; rm -rf deep; rm -rf nested",
		("rm dir; mkdir -p dir/dir/dir; echo 1 >dir/dir/dir/dir; "
		 "echo 2 >dir-; echo 3 >dir0; echo 4 >dir/dir.c"),
		"rm -rf dir/dir; rm dir- dir0; echo x >dir/dir",
		"rm -rf * .gitignore",
		"echo back >a",
	};
	struct fixture *f = *state;
	struct oid first = take(f, "index"), last = first;
	size_t made;

	log_gits(f);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct changes list;
		struct oid now;

		fx_sh(f, steps[i]);
		now = take(f, "index");
		assert_string_equal(now.hex,
			fx_says(f,
				"GIT_INDEX_FILE=../index "
				"$(sed -n 's/^exec \\([^ ]*\\).*/\\1/p' "
				"../bin/git) write-tree"));
		list = changes_of(f, &last, &now);
		assert_true(list.count > 0);
		assert_string_equal(
			raw_of(f, &list), raw_of_git(f, &last, &now));
		changes_release(&list);
		list = changes_of(f, &now, &first);
		assert_string_equal(
			raw_of(f, &list), raw_of_git(f, &now, &first));
		changes_release(&list);
		last = now;
	}
	/* git was asked once: an index with nothing in it is no start */
	made = strtoul(
		fx_says(f, "grep -c ' write-tree' ../gits || true"), NULL, 10);
	assert_int_equal(made, 1);
}

/* What stands beside the index may be gone, or of another time. */
static void
a_tree_is_right_without_the_last_one(void **state)
{
	struct fixture *f = *state;
	struct oid first, second, tree;

	first = take(f, "index");
	fx_sh(f, "echo x >>a");
	second = take(f, "index");
	fx_sh(f, "rm ../index.last");
	tree = take(f, "index");
	assert_true(oid_eq(&tree, &second));
	fx_sh(f, "rm ../index.tree; echo y >>a");
	tree = take(f, "index");
	assert_string_equal(
		tree.hex, fx_says(f, "GIT_INDEX_FILE=../index git write-tree"));
	/* a name that no object has */
	fx_sh(f,
		"ln -sfn 1234567890123456789012345678901234567890 "
		"../index.tree; git checkout -q a");
	tree = take(f, "index");
	assert_true(oid_eq(&tree, &first));
}

/* C117 */
static void
names_of_any_bytes_come_through(void **state)
{
	struct fixture *f = *state;
	static const char *const names[] = {
		"with space",
		"quote\"and'",
		"new\nline",
		"tab\tin",
		"-rf",
		"--help",
		"-",
		"\xc3\xa9t\xc3\xa9",
		"bad\xff\xfe",
		"$(touch x)`y`;z",
		"*?[a]",
		":(glob)x",
		":/x",
		"\\back",
		"#hash",
		"!bang",
		"...",
		"d/ lead",
		"trail ",
	};
	struct oid before = take(f, "index"), after;
	struct changes list = { 0 };
	size_t count = sizeof(names) / sizeof(names[0]);

	for (size_t i = 0; i < count; i++) {
		char path[200];
		FILE *file;

		(void)snprintf(
			path, sizeof(path), "%s/repo/%s", f->top, names[i]);
		/* ":/x" is a file in a folder called ":" */
		if (strcmp(names[i], ":/x") == 0)
			fx_sh(f, "mkdir :");
		file = fopen(path, "w");
		assert_non_null(file);
		assert_int_equal(fclose(file), 0);
	}
	after = take(f, "index");
	list = changes_of(f, &before, &after);
	assert_int_equal(list.count, count);
	for (size_t i = 0; i < count; i++)
		assert_non_null(find(&list, names[i]));
	changes_release(&list);
	FX_OK(f, snapshot_dirty(&f->repo, &f->mem, &list, &f->err));
	assert_int_equal(list.count, count);
	for (size_t i = 0; i < count; i++)
		assert_non_null(find(&list, names[i]));
	changes_release(&list);
}

static void
dirt_against_head_is_told_in_one_look(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *path;
		enum change_kind kind;
	} rows[] = {
		{ "a", CHANGE_MODIFIED },
		{ "d/b", CHANGE_DELETED },
		{ "staged", CHANGE_ADDED },
		{ "new/in/here", CHANGE_ADDED },
		{ "both", CHANGE_MODIFIED },
		{ "x", CHANGE_MODIFIED },
	};
	struct changes list = { 0 };

	FX_OK(f, snapshot_dirty(&f->repo, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 0);
	fx_sh(f,
		"echo 1 >both; echo 1 >x; git add -A; git commit -qm both; "
		"echo z >a; rm d/b; echo s >staged; git add staged; "
		"mkdir -p new/in; echo h >new/in/here; echo 2 >both; "
		"git add both; echo 1 >both; chmod +x x");
	FX_OK(f, snapshot_dirty(&f->repo, &f->mem, &list, &f->err));
	assert_int_equal(list.count, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < list.count; i++) {
		const struct change *c = find(&list, rows[i].path);

		assert_non_null(c);
		if (rows[i].kind != c->kind) {
			fail_msg("'%s' is %s", rows[i].path,
				change_kind_word(c->kind));
		}
	}
	changes_release(&list);
}

static void
conflicts_and_moved_submodules_are_dirt(void **state)
{
	struct fixture *f = *state;
	struct changes list = { 0 };
	const struct change *c;

	fx_sh(f,
		"git checkout -qb x; echo x >a; git commit -qam x; "
		"git checkout -q main; echo y >a; git commit -qam y; "
		"git init -q ../sub; git -C ../sub commit -q --allow-empty "
		"-m s; git -c protocol.file.allow=always submodule --quiet "
		"add ../sub sub; git commit -qm sub; git -C sub commit -q "
		"--allow-empty -m s2; "
		"! git merge -q x");
	FX_OK(f, snapshot_dirty(&f->repo, &f->mem, &list, &f->err));
	assert_non_null(find(&list, "a"));
	c = find(&list, "sub");
	assert_non_null(c);
	assert_true(c->submodule);
	assert_int_equal(list.count, 2);
	changes_release(&list);
}

/* What is hidden from git in the user's index isn't hidden from ours. */
static void
marks_in_the_users_index_hide_nothing_later(void **state)
{
	struct fixture *f = *state;
	struct oid before = take(f, "index"), after;
	struct changes list;

	fx_sh(f,
		"git update-index --assume-unchanged a; "
		"git update-index --skip-worktree d/b; echo x >a; echo y >d/b");
	after = take(f, "index");
	list = changes_of(f, &before, &after);
	assert_int_equal(list.count, 2);
	changes_release(&list);
}

/* A change of the same size in the same tick as the index is seen. */
static void
a_racy_change_is_seen(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 20; i++) {
		struct oid tree;

		fx_sh(f,
			"rm -f ../index; echo 1111 >a; git add a; echo 2222 "
			">a");
		tree = take(f, "index");
		assert_string_equal(
			fx_says(f,
				arena_strdup(&f->mem,
					arena_format(&f->mem,
						"git cat-file -p %s:a",
						tree.hex))),
			"2222");
	}
}

/* What the tree holds below n/: paths, each with what it is. */
static const char *
held(struct fixture *f, const struct oid *tree)
{
	return fx_says(f,
		arena_strdup(&f->mem,
			arena_format(&f->mem,
				"git ls-tree -r %s n | tr '\\t' ' ' | sed "
				"'s/^160000 commit 4b825dc[0-9a-f]*/unborn/; "
				"s/^160000 commit [0-9a-f]*/commit/; "
				"s/^100644 blob [0-9a-f]*/file/'",
				tree->hex)));
}

/* It may get a commit, go, come back, and be no repository any more. */
static void
a_nested_repository_without_a_commit_is_seen(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *then, *want;
	} rows[] = {
		{ "mkdir n; git init -q n/a; echo x >n/a/x; echo x >n/f",
			"unborn n/a\nfile n/f" },
		{ "git init -q n/b; rm n/f", "unborn n/a\nunborn n/b" },
		{ "rm -rf n/a/.git; git -C n/b commit -q --allow-empty -m 1",
			"file n/a/x\ncommit n/b" },
		{ "rm -rf n", "" },
		{ "mkdir n; git init -q n/a; echo x >n/a/x", "unborn n/a" },
		{ "rm -rf n", "" },
	};
	struct oid tree;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fx_sh(f, rows[i].then);
		FX_OK(f,
			snapshot_take(
				&f->repo, fx_path(f, "index"), &tree, &f->err));
		assert_string_equal(held(f, &tree), rows[i].want);
	}
}

/* Git refuses to have it named: "beyond a symbolic link". */
static void
a_submodule_beyond_a_link_is_gone(void **state)
{
	struct fixture *f = *state;
	struct oid before, after;
	struct changes list = { 0 };

	fx_sh(f,
		"git update-index --add --cacheinfo "
		"160000,$(git rev-parse HEAD),deep/er/sub && "
		"mkdir -p deep/er/sub");
	before = take(f, "index");
	fx_sh(f, "rm -r deep/er && mkdir -p d/sub && ln -s ../d deep/er");
	after = take(f, "index");
	FX_OK(f,
		snapshot_changes(
			&f->repo, &before, &after, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 2);
	assert_true(str_eq(list.items[0].path, STR("deep/er")));
	assert_true(list.items[0].symlink);
	assert_true(str_eq(list.items[1].path, STR("deep/er/sub")));
	assert_int_equal(list.items[1].kind, CHANGE_DELETED);
	changes_release(&list);
}

/* Git passes over those that it doesn't know, and refuses one in the place of
 * a file. */
static void
a_pipe_in_the_place_of_a_file_is_a_deletion(void **state)
{
	struct fixture *f = *state;
	struct oid before = take(f, "index"), after;
	struct changes list = { 0 };

	fx_sh(f, "rm a d/b && mkfifo a d/b other && printf 'x\n' >'new\nline'");
	after = take(f, "index");
	FX_OK(f,
		snapshot_changes(
			&f->repo, &before, &after, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 3);
	assert_true(str_eq(list.items[0].path, STR("a")));
	assert_int_equal(list.items[0].kind, CHANGE_DELETED);
	assert_true(str_eq(list.items[1].path, STR("d/b")));
	assert_int_equal(list.items[1].kind, CHANGE_DELETED);
	assert_int_equal(list.items[2].kind, CHANGE_ADDED);
	fx_sh(f, "rm a d/b other && git checkout -q -- a d && rm new*");
	after = take(f, "index");
	assert_true(oid_eq(&before, &after));
	changes_release(&list);
}

static void
an_empty_repository_has_a_snapshot(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };
	struct oid tree = { 0 };
	struct changes list = { 0 };

	fx_sh(f, "git init -q ../empty");
	FX_OK(f, repo_find(fx_path(f, "empty"), &f->mem, &r, &f->err));
	FX_OK(f, snapshot_take(&r, fx_path(f, "index"), &tree, &f->err));
	assert_string_equal(
		tree.hex, "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
	fx_sh(f, "echo x >../empty/x");
	FX_OK(f, snapshot_take(&r, fx_path(f, "index"), &tree, &f->err));
	FX_OK(f, snapshot_dirty(&r, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 1);
	changes_release(&list);
}

static void
a_repository_of_sha256_works_too(void **state)
{
	struct fixture *f = *state;
	struct repo r = { 0 };
	struct ref_head head = { 0 };
	struct oid tree = { 0 };
	struct changes list = { 0 };
	struct ref_update u;

	fx_sh(f,
		"git init -q --object-format=sha256 ../long && cd ../long && "
		"echo x >x && git add x && git commit -qm x && echo y >y");
	FX_OK(f, repo_find(fx_path(f, "long"), &f->mem, &r, &f->err));
	FX_OK(f, ref_must_head(&r, &f->mem, &head, &f->err));
	assert_int_equal(strlen(head.commit.hex), 64);
	FX_OK(f, snapshot_take(&r, fx_path(f, "index"), &tree, &f->err));
	FX_OK(f,
		snapshot_changes(
			&r, &head.commit, &tree, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 1);
	changes_release(&list);
	u = (struct ref_update){ "refs/heads/n", head.commit, { "" } };
	FX_OK(f, ref_update(&r, &u, 1, &f->err));
}

static void
split_sparse_and_version_4_indexes_are_read(void **state)
{
	struct fixture *f = *state;
	static const char *const rows[] = {
		"git update-index --split-index",
		"git update-index --no-split-index --index-version 4",
		"git sparse-checkout set --cone --sparse-index x",
		"git sparse-checkout set --no-cone '/a'",
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct oid tree;

		fx_sh(f, "rm -f ../index");
		fx_sh(f, rows[i]);
		tree = take(f, "index");
		assert_string_equal(
			tree.hex, fx_says(f, "git rev-parse 'HEAD^{tree}'"));
	}
}

static void
the_patch_gives_the_second_tree(void **state)
{
	struct fixture *f = *state;
	struct oid before = take(f, "index"), after;
	struct buf patch = { 0 };
	FILE *file;

	fx_sh(f,
		"printf '\\0\\1\\2binary' >bin; echo x >>a; rm d/b; "
		"ln -s a l; echo n >'new\nline'; chmod +x .gitignore");
	after = take(f, "index");
	FX_OK(f, snapshot_patch(&f->repo, &before, &after, 0, &patch, &f->err));
	file = fopen(fx_path(f, "patch"), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(patch.data, 1, patch.len, file), patch.len);
	assert_int_equal(fclose(file), 0);
	assert_string_equal(
		fx_says(f,
			"git worktree add -q --detach ../other HEAD && "
			"cd ../other && git apply --index ../patch && "
			"git write-tree"),
		after.hex);
	/* at the limit, and one below it */
	{
		size_t len = patch.len;

		buf_release(&patch);
		FX_OK(f,
			snapshot_patch(&f->repo, &before, &after, len, &patch,
				&f->err));
		buf_release(&patch);
		FX_FAILS(f,
			snapshot_patch(&f->repo, &before, &after, len - 1,
				&patch, &f->err),
			ERR_LIMIT);
	}
}

/*
 * The repository's configuration names programs; none of them runs.  A clean
 * filter is the exception, and documented: it is what the content means.
 */
static void
a_hostile_configuration_runs_nothing(void **state)
{
	struct fixture *f = *state;
	struct oid before, after;
	struct changes list = { 0 };
	struct buf patch = { 0 };
	struct git_ident ident = { 0 };
	struct ref_update u = { "refs/heads/n", f->head.commit, { "" } };
	bool ignored;

	fx_sh(f,
		"printf '#!/bin/sh\\necho ran \"$0\" \"$@\" >>\"%s\"\\n"
		"cat\\n' \"$PWD/../marker\" >../evil && chmod +x ../evil && "
		"mkdir ../hooks && for h in pre-commit post-checkout "
		"post-index-change reference-transaction fsmonitor-watchman "
		"post-merge pre-auto-gc; do cp ../evil ../hooks/$h; "
		"cp ../evil .git/hooks/$h; done; e=\"$PWD/../evil\"; "
		"git config core.fsmonitor \"$e\"; "
		"git config core.hooksPath \"$PWD/../hooks\"; "
		"git config diff.external \"$e\"; "
		"git config diff.evil.textconv \"$e\"; "
		"git config diff.evil.command \"$e\"; "
		"git config core.pager \"$e\"; git config core.editor \"$e\"; "
		"git config core.sshCommand \"$e\"; "
		"git config core.askPass \"$e\"; "
		"git config credential.helper \"$e\"; "
		"git config gpg.program \"$e\"; "
		"git config commit.gpgSign true; "
		"git config remote.origin.promisor true; "
		"git config remote.origin.url \"ext::$e\"; "
		"git config protocol.ext.allow always; "
		"git config extensions.partialClone origin; "
		"git config core.repositoryFormatVersion 1; "
		"git config gc.auto 1; "
		"printf '* diff=evil\\n' >.gitattributes");
	before = take(f, "index");
	fx_sh(f, "echo x >>a; echo n >new");
	after = take(f, "index");
	FX_OK(f,
		snapshot_changes(
			&f->repo, &before, &after, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 2);
	changes_release(&list);
	FX_OK(f, snapshot_patch(&f->repo, &before, &after, 0, &patch, &f->err));
	assert_true(patch.len > 0);
	buf_release(&patch);
	FX_OK(f, snapshot_dirty(&f->repo, &f->mem, &list, &f->err));
	changes_release(&list);
	FX_OK(f, repo_is_ignored(&f->repo, "x", &ignored, &f->err));
	FX_OK(f, repo_identity(&f->repo, &f->mem, &ident, &f->err));
	FX_OK(f, ref_update(&f->repo, &u, 1, &f->err));
	/* an object that isn't there is not fetched */
	before = (struct oid){ "1111111111111111111111111111111111111111" };
	FX_FAILS(f,
		snapshot_changes(
			&f->repo, &before, &after, &f->mem, &list, &f->err),
		ERR_GIT);
	if (fx_is_there(fx_path(f, "marker")))
		fail_msg("%s", fx_says(f, "cat ../marker"));
	/* the trap works: plain git falls into it */
	fx_sh(f, "git -c core.pager=cat status >/dev/null </dev/null; true");
	assert_true(fx_is_there(fx_path(f, "marker")));
}

/*
 * A nested repository is whatever a worker wrote, its configuration too: git
 * must not be run by it, or the worker's program runs outside of its sandbox.
 */
static void
a_nested_configuration_runs_nothing(void **state)
{
	struct fixture *f = *state;
	struct oid before = take(f, "index"), after;
	struct changes list = { 0 };

	fx_sh(f,
		"printf '#!/bin/sh\\necho ran >>\"%s\"\\ncat\\n' "
		"\"$PWD/../marker\" >../evil && chmod +x ../evil && "
		"git init -q nested && cd nested && echo x >x && "
		"git add x && git commit -qm x && e=\"$PWD/../../evil\" && "
		"echo '* filter=evil diff=evil' >.gitattributes && "
		"git config filter.evil.clean \"$e\" && "
		"git config filter.evil.required true && "
		"git config diff.evil.textconv \"$e\" && "
		"git config core.fsmonitor \"$e\" && echo y >x");
	after = take(f, "index");
	/* the second time it is a submodule for our index */
	fx_sh(f, "echo z >nested/x; touch -d yesterday nested/x");
	after = take(f, "index");
	list = changes_of(f, &before, &after);
	assert_int_equal(list.count, 1);
	assert_true(list.items[0].submodule);
	changes_release(&list);
	fx_sh(f,
		"git add nested 2>/dev/null; rm -f ../marker; "
		"echo w >nested/x; touch -d yesterday nested/x");
	FX_OK(f, snapshot_dirty(&f->repo, &f->mem, &list, &f->err));
	assert_int_equal(list.count, 1);
	changes_release(&list);
	after = take(f, "other index");
	assert_false(fx_is_there(fx_path(f, "marker")));
	/* the trap works: plain git falls into it */
	fx_sh(f, "git status >/dev/null");
	assert_true(fx_is_there(fx_path(f, "marker")));
	(void)after;
}

static void
variables_of_the_callers_do_not_lead_astray(void **state)
{
	struct fixture *f = *state;
	struct oid tree;

	assert_int_equal(setenv("GIT_DIR", "/nowhere", 1), 0);
	assert_int_equal(setenv("GIT_WORK_TREE", "/", 1), 0);
	assert_int_equal(setenv("GIT_INDEX_FILE", "/nowhere/i", 1), 0);
	assert_int_equal(setenv("GIT_EXTERNAL_DIFF", "false", 1), 0);
	assert_int_equal(setenv("GIT_OBJECT_DIRECTORY", "/nowhere", 1), 0);
	tree = take(f, "index");
	assert_int_equal(unsetenv("GIT_DIR"), 0);
	assert_int_equal(unsetenv("GIT_WORK_TREE"), 0);
	assert_int_equal(unsetenv("GIT_INDEX_FILE"), 0);
	assert_int_equal(unsetenv("GIT_EXTERNAL_DIFF"), 0);
	assert_int_equal(unsetenv("GIT_OBJECT_DIRECTORY"), 0);
	assert_string_equal(
		tree.hex, fx_says(f, "git rev-parse 'HEAD^{tree}'"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(a_clean_tree_is_heads),
		FX_TEST(each_kind_of_change_is_told),
		FX_TEST(trees_and_changes_are_as_git_makes_them),
		FX_TEST(a_tree_is_right_without_the_last_one),
		FX_TEST(names_of_any_bytes_come_through),
		FX_TEST(dirt_against_head_is_told_in_one_look),
		FX_TEST(conflicts_and_moved_submodules_are_dirt),
		FX_TEST(marks_in_the_users_index_hide_nothing_later),
		FX_TEST(a_racy_change_is_seen),
		FX_TEST(a_nested_repository_without_a_commit_is_seen),
		FX_TEST(a_submodule_beyond_a_link_is_gone),
		FX_TEST(a_pipe_in_the_place_of_a_file_is_a_deletion),
		FX_TEST(an_empty_repository_has_a_snapshot),
		FX_TEST(a_repository_of_sha256_works_too),
		FX_TEST(split_sparse_and_version_4_indexes_are_read),
		FX_TEST(the_patch_gives_the_second_tree),
		FX_TEST(a_hostile_configuration_runs_nothing),
		FX_TEST(a_nested_configuration_runs_nothing),
		FX_TEST(variables_of_the_callers_do_not_lead_astray),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
