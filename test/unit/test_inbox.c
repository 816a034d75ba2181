#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/inbox.h"
#include "run_fixture.h"
#include "tempdir.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "a" },
};

/* A run whose folder has nothing but an inbox. */
struct box {
	struct run_fixture f;
	struct tempdir dir;
	struct place place;
	struct run run;
	struct arena mem;
};

static void
box_open(struct box *b)
{
	*b = (struct box){ .dir = tempdir_open(),
		.place = { .fs = &fs_real },
		.mem = ARENA_INIT };
	fixture_init_of(&b->f, rows, 1);
	b->run = (struct run){ .place = &b->place,
		.id = b->f.s.run.run,
		.dir = b->dir.fd,
		.state = b->f.s };
	assert_int_equal(mkdirat(b->dir.fd, "inbox", 0700), 0);
}

static void
box_close(struct box *b)
{
	arena_reset(&b->mem);
	fixture_release(&b->f);
	tempdir_close(&b->dir);
}

static enum pawl_rc
put(struct box *b, const char *id, struct pawl_err *err)
{
	struct view_request q = { .schema_version = 1,
		.request_id = str_from(id),
		.run = b->run.id,
		.kind = VIEW_REQUEST_NOTE,
		.expected_revision = (int64_t)b->run.state.seq,
		.generation = (int64_t)b->run.state.gen };
	struct str sha256;
	bool made = false;
	enum pawl_rc rc = inbox_put(&b->run, &q, &b->mem, &sha256, &made, err);

	assert_true(rc != PAWL_OK || made);
	return rc;
}

static void
lay(struct box *b, const char *name, const char *bytes)
{
	struct pawl_err err = { 0 };
	int dir = -1;

	assert_int_equal(
		fs_open_dir(&fs_real, b->dir.fd, "inbox", &dir, &err), PAWL_OK);
	assert_int_equal(
		fs_create(&fs_real, dir, name, str_from(bytes), &err), PAWL_OK);
	fs_close(&fs_real, &dir);
}

static void
what_is_no_request_is_named_and_the_rest_is_read(void **state)
{
	static const char *const foreign[] = { "README", "a.json", "big.json",
		"folder.json", "link.json", "pipe.json", "q-2.json" };
	struct inbox_list list;
	struct pawl_err err = { 0 };
	struct buf big = { 0 };
	struct box b;

	(void)state;
	box_open(&b);
	assert_int_equal(put(&b, "q-1", &err), PAWL_OK);
	assert_int_equal(put(&b, "q-3", &err), PAWL_OK);
	lay(&b, "README", "about");
	lay(&b, "a.json", "{");
	lay(&b, ".q-4.json.0000000000000000.pawl-tmp", "{");
	(void)memset(buf_reserve(&big, VIEW_REQUEST_BYTES + 1), ' ',
		VIEW_REQUEST_BYTES + 1);
	big.len = VIEW_REQUEST_BYTES + 1;
	lay(&b, "big.json", big.data);
	assert_int_equal(linkat(b.dir.fd, "inbox/q-1.json", b.dir.fd,
				 "inbox/q-2.json", 0),
		0); /* of another name */
	assert_int_equal(mkdirat(b.dir.fd, "inbox/folder.json", 0700), 0);
	assert_int_equal(mkfifoat(b.dir.fd, "inbox/pipe.json", 0600), 0);
	assert_int_equal(symlinkat("q-1.json", b.dir.fd, "inbox/link.json"), 0);
	(void)alarm(5);
	assert_int_equal(inbox_list(&b.run, 100, &b.mem, &list, &err), PAWL_OK);
	(void)alarm(0);
	assert_int_equal(list.total, 2);
	assert_int_equal(list.count, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(str_eq(list.items[i].request.request_id,
			i ? STR("q-3") : STR("q-1")));
	assert_int_equal(list.foreign_count, 7);
	for (uint32_t i = 0; i < 7; i++) {
		assert_true(str_eq(list.foreign[i].name, str_from(foreign[i])));
		assert_true(list.foreign[i].why.len > 0);
		assert_int_equal(
			faccessat(b.dir.fd,
				arena_format(&b.mem, "inbox/%s", foreign[i])
					.ptr,
				F_OK, AT_SYMLINK_NOFOLLOW),
			0);
	}
	buf_release(&big);
	box_close(&b);
}

/* Marks of requests that somebody removed are no room, and no debt. */
static void
more_were_taken_than_there_are(void **state)
{
	struct pawl_err err = { 0 };
	struct box b;

	(void)state;
	box_open(&b);
	lay(&b, "x.taken", "{}");
	lay(&b, "y.taken", "{}");
	assert_int_equal(put(&b, "q-1", &err), PAWL_OK);
	box_close(&b);
}

/* Below, at and above. */
static void
as_many_wait_as_the_limit_says(void **state)
{
	struct pawl_err err = { 0 };
	struct box b;
	char id[16];

	(void)state;
	box_open(&b);
	for (int i = 0; i < INBOX_REQUESTS_MAX; i++) {
		(void)snprintf(id, sizeof(id), "q-%d", i);
		assert_int_equal(put(&b, id, &err), PAWL_OK);
	}
	assert_int_equal(put(&b, "more", &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	lay(&b, "q-7.taken", "{}");
	assert_int_equal(put(&b, "more", &err), PAWL_OK);
	box_close(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_no_request_is_named_and_the_rest_is_read),
		cmocka_unit_test(more_were_taken_than_there_are),
		cmocka_unit_test(as_many_wait_as_the_limit_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
