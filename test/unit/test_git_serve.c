#include "repo_fixture.h"

#include <signal.h>

#include "engine/git_serve.h"
#include "engine/integrate.h"
#include "engine/object.h"

/*
 * A git ahead of the real one, as shell text; `$real` is the real one, and each
 * start adds a line to ../starts.
 */
static const char *
fake_git(struct fixture *f, const char *text)
{
	const char *path = getenv("PATH");
	struct str s = arena_format(&f->mem,
		"real=$(command -v git); mkdir -p ../bin; "
		"cat >../bin/git <<END\n#!/bin/sh\nreal=$real top='%s'\n"
		"echo x >>'%s/starts'\nEND\ncat >>../bin/git <<'END'\n%s\nEND\n"
		"chmod +x ../bin/git",
		f->top, f->top, text);

	path = arena_strdup(&f->mem, str_from(path ? path : ""));
	fx_sh(f, s.ptr);
	s = arena_format(&f->mem, "%s:%s", fx_path(f, "bin"), path);
	assert_int_equal(setenv("PATH", s.ptr, 1), 0);
	return path;
}

static void
real_git(const char *path)
{
	assert_int_equal(setenv("PATH", path, 1), 0);
}

static const char *
starts(struct fixture *f)
{
	return fx_says(f, "wc -l <../starts");
}

static void
many_questions_take_one_process_a_kind(void **state)
{
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir,
		.deadline_ms = 20000 };
	struct repo repo = f->repo;
	const char *path = fake_git(f, "exec $real \"$@\"");
	struct oid tree = { 0 }, none = { "" }, commit = f->head.commit;

	repo.serve = &serve;
	for (int i = 0; i < 20; i++) {
		struct git_ident ident = { .at_s = (uint64_t)i };
		struct object_commit c = { &tree, &commit, &ident, STR("m") };
		struct ref_update u = { "refs/heads/x", commit, none };
		struct tree_entries entries = { 0 };
		struct oid next;

		FX_OK(f,
			object_read_tree(
				&serve, &commit, &f->mem, &entries, &f->err));
		FX_OK(f, object_write_tree(&serve, &entries, &tree, &f->err));
		FX_OK(f, object_write_commit(&serve, &c, &next, &f->err));
		if (i > 0)
			u.from = commit;
		u.to = next;
		FX_OK(f, ref_update(&repo, &u, 1, &f->err));
		tree_entries_release(&entries);
		commit = next;
	}
	assert_string_equal(starts(f), "4");
	git_serve_close(&serve);
	real_git(path);
	assert_string_equal(fx_says(f, "git rev-parse x"), commit.hex);
	assert_string_equal(fx_says(f, "git rev-list --count main..x"), "20");
	assert_string_equal(fx_says(f, "git diff main x"), "");
	fx_sh(f, "git fsck --strict");
}

/* C076, for a git that serves: wrong, late, dead or silent is a failed git. */
static void
each_bad_answer_is_a_failed_git(void **state)
{
	static const struct {
		const char *git;
		const char *says;
		const char *starts; /* of processes */
	} rows[] = {
		/* lies */
		{ "while read -r n; do echo nonsense; done", "isn't one", "1" },
		{ "while read -r n; do echo \"$n blob x\"; done",
			"git cat-file", "1" },
		{ "while read -r n; do printf '%s blob 3\\nab' \"$n\"; "
		  "printf 'cd\\n'; done",
			"isn't one", "1" },
		/* the answer to another question */
		{ "while read -r n; do echo "
		  "1234567890123456789012345678901234567890 missing; done",
			"isn't one", "1" },
		{ "while read -r n; do echo \"$n missing\"; done", "missing",
			"1" },
		/* dies: of itself with a word, or without one */
		{ "read -r n; echo 'fatal: no disk' >&2; exit 128", "no disk",
			"1" },
		{ "read -r n; kill -9 $$", "ended by signal 9", "2" },
		{ "read -r n; exit 0", "without an answer", "2" },
		{ "exit 0", "without an answer", "2" },
		/* hangs, silent or in the middle */
		{ "read -r n; exec sleep 600", "deadline", "1" },
		{ "read -r n; printf '%s blob 5\\nab' \"$n\"; exec sleep 600",
			"deadline", "1" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct git_serve serve = { .git_dir = f->repo.common_dir,
			.deadline_ms = 500 };
		const char *path = fake_git(f, rows[i].git);
		struct object o;
		enum pawl_rc rc =
			object_read(&serve, &f->head.commit, &o, &f->err);

		if (rc != PAWL_EIO || f->err.code != ERR_GIT ||
			strstr(f->err.msg, rows[i].says) == NULL ||
			strcmp(starts(f), rows[i].starts) != 0)
			fail_msg("'%s': %d, %s starts: %s", rows[i].git, rc,
				starts(f), f->err.msg);
		git_serve_close(&serve);
		real_git(path);
		fx_sh(f, "rm ../starts");
	}
}

/* A git that is killed is replaced, between questions and in one. */
static void
a_killed_git_is_replaced(void **state)
{
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir };
	struct oid commit, parent, tree;
	const char *path;
	struct object o;

	fx_sh(f, "git commit -q --allow-empty -m second");
	commit = fx_oid(f, "main");
	for (int i = 0; i < 3; i++) {
		FX_OK(f,
			object_commit_read(
				&serve, &commit, &tree, &parent, &f->err));
		assert_true(oid_eq(&parent, &f->head.commit));
		assert_int_equal(
			kill(serve.gits[GIT_SERVE_OBJECTS].proc.pid, SIGKILL),
			0);
	}
	git_serve_close(&serve);
	/* the first one is killed while it is asked */
	path = fake_git(f,
		"[ $(wc -l <$top/starts) -gt 1 ] || { read -r n; kill -9 $$; "
		"}\n"
		"exec $real \"$@\"");
	FX_OK(f, object_read(&serve, &f->head.commit, &o, &f->err));
	assert_int_equal(o.kind, OBJECT_COMMIT);
	object_release(&o);
	git_serve_close(&serve);
	real_git(path);
	assert_string_equal(starts(f), "2");
}

/*
 * A git that moved the references and was killed before it could say so is
 * asked again, finds them moved, and that is success; but one that refuses, and
 * wasn't killed, is believed.
 */
static void
an_update_is_made_once(void **state)
{
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir,
		.deadline_ms = 20000 };
	struct repo repo = f->repo;
	struct oid second;
	struct ref_update u = { "refs/heads/x", f->head.commit, { "" } };
	const char *path;

	fx_sh(f, "git commit -q --allow-empty -m second");
	second = fx_oid(f, "main");
	repo.serve = &serve;
	path = fake_git(f,
		"[ $(wc -l <$top/starts) -gt 1 ] && exec $real \"$@\"\n"
		"$real update-ref refs/heads/x refs/heads/main~\nkill -9 $$");
	FX_OK(f, ref_update(&repo, &u, 1, &f->err));
	assert_string_equal(starts(f), "2");
	FX_FAILS(f, ref_update(&repo, &u, 1, &f->err), ERR_REF_MOVED);
	/* and after a refusal the next one is served */
	u.from = u.to;
	u.to = second;
	FX_OK(f, ref_update(&repo, &u, 1, &f->err));
	git_serve_close(&serve);
	real_git(path);
	assert_string_equal(fx_says(f, "git rev-parse x"), second.hex);
}

/* What others do to the repository meanwhile is seen: no value is kept. */
static void
others_may_pack_and_move_references(void **state)
{
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir,
		.deadline_ms = 20000 };
	struct repo repo = f->repo;
	struct oid second, now;
	struct ref_update u = { "refs/heads/x", f->head.commit, { "" } };
	struct object o;

	repo.serve = &serve;
	FX_OK(f, ref_update(&repo, &u, 1, &f->err));
	FX_OK(f, object_read(&serve, &f->head.commit, &o, &f->err));
	object_release(&o);
	fx_sh(f,
		"git commit -q --allow-empty -m second; git pack-refs --all; "
		"git gc -q --prune=now");
	second = fx_oid(f, "main");
	/* the object came after its start, and lies in a pack by now */
	FX_OK(f, object_read(&serve, &second, &o, &f->err));
	object_release(&o);
	FX_OK(f, object_read(&serve, &f->head.commit, &o, &f->err));
	object_release(&o);
	u.from = u.to;
	u.to = second;
	FX_OK(f, ref_update(&repo, &u, 1, &f->err));
	fx_sh(f, "git branch -f x main~");
	u.from = second;
	u.to = f->head.commit;
	FX_FAILS(f, ref_update(&repo, &u, 1, &f->err), ERR_REF_MOVED);
	FX_OK(f, ref_read(&repo, "refs/heads/x", &now, &f->err));
	assert_true(oid_eq(&now, &f->head.commit));
	git_serve_close(&serve);
}

/* Objects that an event will name are on the disk before it, whoever writes. */
static void
what_serves_syncs_what_it_writes(void **state)
{
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir };
	struct git_ident ident = { .at_s = 7 };
	struct tree_entries entries = { 0 };
	struct oid tree, commit;
	struct object_commit c = { &tree, &f->head.commit, &ident, STR("m") };
	const char *path;

	if (fx_status(f, "strace -o /dev/null true") != 0)
		skip();
	path = fake_git(f,
		"exec strace -f -o \"$top/trace.$$\" -e trace=fsync,fdatasync "
		"$real \"$@\"");
	FX_OK(f,
		object_read_tree(
			&serve, &f->head.commit, &f->mem, &entries, &f->err));
	entries.count--; /* a tree that isn't there yet */
	FX_OK(f, object_write_tree(&serve, &entries, &tree, &f->err));
	FX_OK(f, object_write_commit(&serve, &c, &commit, &f->err));
	git_serve_close(&serve);
	real_git(path);
	tree_entries_release(&entries);
	assert_string_equal(
		fx_says(f, "cat ../trace.* | grep -c 'sync('"), "2");
}

/* C076: as for a git of one question. */
static void
a_lock_is_waited_for_and_left_alone(void **state)
{
	struct fixture *f = *state;
	struct git_serve serve = { .git_dir = f->repo.common_dir,
		.deadline_ms = 20000 };
	struct repo repo = f->repo;
	struct ref_update u = { "refs/heads/x", f->head.commit, { "" } };

	repo.serve = &serve;
	fx_sh(f,
		": >.git/refs/heads/x.lock; (sleep 1; rm "
		".git/refs/heads/x.lock) &");
	FX_OK(f, ref_update(&repo, &u, 1, &f->err));
	git_serve_close(&serve);
}

static void
lineage_knows_what_it_was_told(void **state)
{
	struct lineage l = { 0 };
	struct oid ids[6];

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		memset(&ids[i], 0, sizeof(ids[i]));
		memset(ids[i].hex, "abcdef"[i], 40);
	}
	for (size_t i = 4; i > 0; i--)
		lineage_add(&l, &ids[i], &ids[i - 1]);
	for (size_t i = 0; i < 6; i++) {
		for (size_t k = 0; k < 6; k++) {
			bool known = i == k || (k < i && i < 5);

			assert_int_equal(
				lineage_knows(&l, &ids[i], &ids[k]), known);
		}
	}
	/* links that can't be true end the walk */
	lineage_add(&l, &ids[0], &ids[4]);
	lineage_add(&l, &ids[5], &ids[5]);
	assert_false(lineage_knows(&l, &ids[0], &ids[5]));
	assert_false(lineage_knows(&l, &ids[5], &ids[0]));
	lineage_release(&l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(many_questions_take_one_process_a_kind),
		FX_TEST(each_bad_answer_is_a_failed_git),
		FX_TEST(a_killed_git_is_replaced),
		FX_TEST(an_update_is_made_once),
		FX_TEST(others_may_pack_and_move_references),
		FX_TEST(what_serves_syncs_what_it_writes),
		FX_TEST(a_lock_is_waited_for_and_left_alone),
		cmocka_unit_test(lineage_knows_what_it_was_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
