/*
 * repo_fixture: a temp folder with a real repository in it, for tests.
 *
 * Each test gets its own: <top>/repo with one commit, <top>/home as $HOME,
 * <top>/locks, <top>/wt.  Commands are shell text, since they are the test's
 * own.
 */
#ifndef PAWL_TEST_REPO_FIXTURE_H
#define PAWL_TEST_REPO_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/ref.h"
#include "engine/repo.h"
#include "engine/snapshot.h"

struct fixture {
	char top[64];
	char path[512]; /* of fx_path */
	struct arena mem;
	struct repo repo;
	struct ref_head head;
	struct pawl_err err;
};

/* `<top>/<name>`, in one of a fixture's texts: copy it to keep it. */
static inline const char *
fx_path(struct fixture *f, const char *name)
{
	return arena_strdup(
		&f->mem, arena_format(&f->mem, "%s/%s", f->top, name));
}

/* Run shell text in <top>/repo; its exit status. */
static inline int
fx_status(struct fixture *f, const char *text)
{
	struct str s =
		arena_format(&f->mem, "cd '%s/repo' && { %s\n} >>'%s/log' 2>&1",
			f->top, text, f->top);

	/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
	return system(arena_strdup(&f->mem, s));
}

static inline void
fx_sh(struct fixture *f, const char *text)
{
	if (fx_status(f, text) != 0)
		fail_msg("failed: %s (see %s/log)", text, f->top);
}

/* What shell text prints, without the last newline; in the arena. */
static inline const char *
fx_says(struct fixture *f, const char *text)
{
	struct str s =
		arena_format(&f->mem, "cd '%s/repo' && { %s\n}", f->top, text);
	struct buf out = { 0 };
	char part[4096];
	size_t n;
	const char *said;
	/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
	FILE *p = popen(arena_strdup(&f->mem, s), "r");

	assert_non_null(p);
	while ((n = fread(part, 1, sizeof(part), p)) > 0)
		buf_add(&out, (struct str){ part, n });
	assert_int_equal(pclose(p), 0);
	if (out.len > 0 && out.data[out.len - 1] == '\n')
		out.len--;
	said = arena_strdup(&f->mem, buf_str(&out));
	buf_release(&out);
	return said;
}

static inline struct oid
fx_oid(struct fixture *f, const char *rev)
{
	struct str s = arena_format(&f->mem, "git rev-parse '%s'", rev);
	struct oid oid = { 0 };

	assert_true(
		oid_read(str_from(fx_says(f, arena_strdup(&f->mem, s))), &oid));
	return oid;
}

static inline bool
fx_is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

#define FX_OK(f, call)                                           \
	do {                                                     \
		if ((call) != PAWL_OK)                           \
			fail_msg("%s: %s", #call, (f)->err.msg); \
	} while (0)

#define FX_FAILS(f, call, with)                                      \
	do {                                                         \
		if ((call) == PAWL_OK)                               \
			fail_msg("%s did not fail", #call);          \
		if ((f)->err.code != (with))                         \
			fail_msg("%s: not %s but %s: %s", #call,     \
				pawl_code_info(with)->word,          \
				pawl_code_info((f)->err.code)->word, \
				(f)->err.msg);                       \
	} while (0)

static inline int
fx_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char *real;

	assert_non_null(f);
	*state = f;
	(void)snprintf(f->top, sizeof(f->top), "/tmp/pawl-git-XXXXXX");
	assert_non_null(mkdtemp(f->top));
	real = realpath(f->top, NULL);
	assert_non_null(real);
	(void)snprintf(f->top, sizeof(f->top), "%s", real);
	free(real);
	for (size_t i = 0; i < 4; i++) {
		static const char *const dirs[] = { "repo", "home", "locks",
			"wt" };

		assert_int_equal(mkdir(fx_path(f, dirs[i]), 0700), 0);
	}
	assert_int_equal(setenv("HOME", fx_path(f, "home"), 1), 0);
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	fx_sh(f,
		"git config --global user.name T; "
		"git config --global user.email t@example.org; "
		"git config --global init.defaultBranch main; "
		"git init -q . && printf 'one\\n' >a && mkdir d && "
		"printf 'two\\n' >d/b && printf '*.o\\n' >.gitignore && "
		"git add -A && git commit -qm base");
	FX_OK(f, repo_find(fx_path(f, "repo"), &f->mem, &f->repo, &f->err));
	FX_OK(f, ref_head(&f->repo, &f->mem, &f->head, &f->err));
	return 0;
}

static inline int
fx_teardown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(chdir("/"), 0);
	(void)fx_status(f, "chmod -R u+rwx ..; cd /");
	/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
	assert_int_equal(system(arena_strdup(&f->mem,
				 arena_format(&f->mem, "rm -rf '%s'", f->top))),
		0);
	arena_reset(&f->mem);
	free(f);
	*state = NULL;
	return 0;
}

#define FX_TEST(name) \
	cmocka_unit_test_setup_teardown(name, fx_setup, fx_teardown)

#endif
