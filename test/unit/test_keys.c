#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "commits.h"
#include "fs_sim.h"
#include "store/keys.h"

#define REQUEST STR("0123456789abcdef")
#define OTHER STR("fedcba9876543210")

struct world {
	struct fs_sim *sim;
	struct fs fs;
	struct journal j;
	struct keys keys;
	struct pawl_err err;
};

static void
world_open(struct world *w)
{
	*w = (struct world){ .sim = fs_sim_new() };
	w->fs = fs_sim_fs(w->sim);
	assert_int_equal(
		journal_create(&w->fs, fs_sim_root(w->sim), &w->err), PAWL_OK);
	journal_init(&w->j, &w->fs, fs_sim_root(w->sim));
}

static void
world_close(struct world *w)
{
	journal_close(&w->j);
	keys_release(&w->keys);
	fs_sim_free(w->sim);
}

static struct str
name(char room[16], unsigned n)
{
	int len = snprintf(room, 16, "key-%u", n);

	return (struct str){ room, (size_t)len };
}

/* Commit number n under the key of that number. */
static void
add(struct world *w, unsigned n)
{
	char room[16];
	const struct journal_commit c = { .gen = 1,
		.at = COMMIT_AT,
		.actor = STR("c"),
		.key = name(room, n),
		.request = REQUEST,
		.events = STR("[{}]") };
	struct journal_repaired r;

	assert_int_equal(journal_lock(&w->j, 0, &w->err), PAWL_OK);
	assert_int_equal(
		journal_catch_up(&w->j, NULL, NULL, &r, &w->err), PAWL_OK);
	assert_int_equal(journal_append(&w->j, &c, &w->err), PAWL_OK);
	journal_unlock(&w->j);
	keys_add(&w->keys, c.key, c.request, w->j.at.seq);
}

static enum pawl_rc
find(struct world *w, unsigned n, struct str request, uint64_t *ret_seq)
{
	char room[16];

	return keys_find(
		&w->keys, &w->j, name(room, n), request, ret_seq, &w->err);
}

static void
a_key_is_new_then_answered_then_in_conflict(void **state)
{
	struct world w;
	uint64_t seq = 99;

	(void)state;
	world_open(&w);
	assert_int_equal(find(&w, 1, REQUEST, &seq), PAWL_OK);
	assert_int_equal(seq, 0);
	add(&w, 1);
	assert_int_equal(find(&w, 1, REQUEST, &seq), PAWL_OK);
	assert_int_equal(seq, 1);
	assert_int_equal(find(&w, 1, OTHER, &seq), PAWL_ECONFLICT);
	assert_int_equal(w.err.code, ERR_KEY_CONFLICT);
	assert_int_equal(find(&w, 2, OTHER, &seq), PAWL_OK);
	assert_int_equal(seq, 0);
	assert_int_equal(
		keys_find(&w.keys, &w.j, STR("a b"), OTHER, &seq, &w.err),
		PAWL_ENO);
	world_close(&w);
}

/* At the limit the first is known; one over, it is expired, and stays so in the
 * projection; a fresh one is never taken for expired. */
static void
the_last_4096_are_known_and_older_ones_expired(void **state)
{
	struct buf out = { 0 };
	struct json_writer writer = { .out = &out };
	struct arena mem = ARENA_INIT;
	const struct json *v;
	struct world w;
	uint64_t seq = 0;

	(void)state;
	world_open(&w);
	for (unsigned n = 1; n <= BOUND_KEYS; n++)
		add(&w, n);
	assert_int_equal(find(&w, 1, REQUEST, &seq), PAWL_OK);
	assert_int_equal(seq, 1);
	assert_int_equal(w.keys.dropped, 0);
	for (unsigned n = BOUND_KEYS + 1; n <= BOUND_KEYS + 100; n++)
		add(&w, n);
	keys_write(&w.keys, &writer);
	keys_release(&w.keys);
	assert_int_equal(
		json_read(&mem, out.data, out.len, JSON_STRICT, &v, &w.err),
		PAWL_OK);
	assert_int_equal(keys_read(v, &w.keys, &w.err), PAWL_OK);
	assert_int_equal(w.keys.dropped, 100);
	for (unsigned n = 1; n <= 100; n++) {
		assert_int_equal(find(&w, n, REQUEST, &seq), PAWL_ECONFLICT);
		assert_int_equal(w.err.code, ERR_KEY_EXPIRED);
	}
	for (unsigned n = 101; n <= BOUND_KEYS + 100; n++) {
		assert_int_equal(find(&w, n, REQUEST, &seq), PAWL_OK);
		assert_int_equal(seq, n);
	}
	for (unsigned n = BOUND_KEYS + 101; n <= BOUND_KEYS + 200; n++) {
		assert_int_equal(find(&w, n, REQUEST, &seq), PAWL_OK);
		assert_int_equal(seq, 0);
	}
	/* The order outlives the projection: the oldest goes first. */
	add(&w, BOUND_KEYS + 101);
	assert_int_equal(find(&w, 101, REQUEST, &seq), PAWL_ECONFLICT);
	assert_int_equal(find(&w, 102, REQUEST, &seq), PAWL_OK);
	arena_reset(&mem);
	buf_release(&out);
	world_close(&w);
}

static void
damaged_keys_of_a_projection_are_refused(void **state)
{
	static const char twice[] =
		"{\"dropped\":0,\"last\":[[\"k\",\"0123456789abcdef\",1],"
		"[\"k\",\"0123456789abcdef\",2]]}";
	static const char *const rows[] = {
		"{}",
		"[]",
		"{\"dropped\":0}",
		"{\"dropped\":-1,\"last\":[]}",
		"{\"dropped\":1,\"last\":[]}",
		"{\"dropped\":0,\"last\":[[\"k\"]]}",
		"{\"dropped\":0,\"last\":[[\"k\",\"0123456789abcdef\",0]]}",
		"{\"dropped\":0,\"last\":[[\"k\",\"0123\",1]]}",
		"{\"dropped\":0,\"last\":[[\"k k\",\"0123456789abcdef\",1]]}",
		twice,
		"{\"dropped\":1,\"last\":[],\"old\":\"00\"}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct keys keys = { 0 };
		struct pawl_err err = { 0 };
		const struct json *v;
		char *text = arena_strdup(&mem, str_from(rows[i]));

		assert_int_equal(json_read(&mem, text, strlen(text),
					 JSON_STRICT, &v, &err),
			PAWL_OK);
		assert_int_equal(keys_read(v, &keys, &err), PAWL_ECORRUPT);
		assert_null(keys.items);
		arena_reset(&mem);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_is_new_then_answered_then_in_conflict),
		cmocka_unit_test(
			the_last_4096_are_known_and_older_ones_expired),
		cmocka_unit_test(damaged_keys_of_a_projection_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
