#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fs_sim.h"
#include "store/projection.h"

#define BODY STR("{\"nodes\":[1,2,3]}")

struct disk {
	struct fs_sim *sim;
	struct fs fs;
	int root;
	struct pawl_err err;
};

static struct disk
disk_new(void)
{
	struct disk d = { .sim = fs_sim_new() };

	d.fs = fs_sim_fs(d.sim);
	d.root = fs_sim_root(d.sim);
	return d;
}

static struct journal_at
place(void)
{
	struct journal_at at = journal_start();

	at.seq = 17;
	at.gen = 2;
	at.offset = 5123;
	at.chain[0] = 'f';
	return at;
}

static void
save(struct disk *d, uint64_t fold)
{
	struct journal_at at = place();

	assert_int_equal(
		projection_save(&d->fs, d->root, fold, &at, BODY, &d->err),
		PAWL_OK);
}

static void
put(struct disk *d, struct str bytes)
{
	assert_int_equal(fs_replace(&d->fs, d->root, "state.json", bytes,
				 FS_CACHE, &d->err),
		PAWL_OK);
}

static enum projection_found
found(struct disk *d, uint64_t fold)
{
	struct projection p;
	enum projection_found f;

	projection_load(&d->fs, d->root, fold, &p);
	f = p.found;
	assert_true((f == PROJECTION_OTHER || f == PROJECTION_DRIFT) ==
		(p.why[0] != '\0'));
	projection_release(&p);
	return f;
}

static void
what_was_saved_is_loaded_with_its_place(void **state)
{
	struct disk d = disk_new();
	struct journal_at at = place();
	struct projection p;

	(void)state;
	assert_int_equal(found(&d, 1), PROJECTION_ABSENT);
	save(&d, 1);
	projection_load(&d.fs, d.root, 1, &p);
	assert_int_equal(p.found, PROJECTION_GOOD);
	assert_true(str_eq(p.body, BODY));
	assert_int_equal(p.at.seq, at.seq);
	assert_int_equal(p.at.gen, at.gen);
	assert_int_equal(p.at.offset, at.offset);
	assert_string_equal(p.at.chain, at.chain);
	projection_release(&p);
	assert_int_equal(found(&d, 2), PROJECTION_OTHER);
	fs_sim_free(d.sim);
}

/* C004, C005, C019, C022: each bit, each length, all NUL, garbage. */
static void
damage_is_never_believed(void **state)
{
	static const struct str garbage[] = { { "", 0 }, { "{}", 2 },
		{ "{\"format\":1,", 12 }, { "null\n", 5 }, { "\xff\xfe", 2 } };
	struct disk d = disk_new();
	struct buf all = { 0 };

	(void)state;
	save(&d, 1);
	assert_int_equal(
		fs_read(&d.fs, d.root, "state.json", 1 << 20, &all, &d.err),
		PAWL_OK);
	for (size_t bit = 0; bit < all.len * 8; bit++) {
		unsigned char *p = (unsigned char *)all.data + bit / 8;

		*p = (unsigned char)(*p ^ 1U << (bit % 8));
		put(&d, buf_str(&all));
		assert_int_not_equal(found(&d, 1), PROJECTION_GOOD);
		*p = (unsigned char)(*p ^ 1U << (bit % 8));
	}
	for (size_t len = 0; len < all.len; len++) {
		put(&d, str_part(buf_str(&all), 0, len));
		assert_int_equal(found(&d, 1), PROJECTION_DRIFT);
	}
	for (size_t i = 0; i < sizeof(garbage) / sizeof(garbage[0]); i++) {
		put(&d, garbage[i]);
		assert_int_equal(found(&d, 1), PROJECTION_DRIFT);
	}
	put(&d, buf_str(&all));
	assert_int_equal(found(&d, 1), PROJECTION_GOOD);
	memset(all.data, 0, all.len);
	put(&d, buf_str(&all));
	assert_int_equal(found(&d, 1), PROJECTION_DRIFT);
	/* A later format is no damage. */
	put(&d, STR("{\"format\":2,\"else\":1}\n"));
	assert_int_equal(found(&d, 1), PROJECTION_OTHER);
	buf_release(&all);
	fs_sim_free(d.sim);
}

static void
one_is_due_when_the_tail_is_longer_than_it_and_than_64_kib(void **state)
{
	(void)state;
	assert_false(projection_is_due(0, 0));
	assert_false(projection_is_due(65536, 0));
	assert_true(projection_is_due(65537, 0));
	assert_true(projection_is_due(65537, 65536));
	assert_false(projection_is_due(65537, 65537));
	assert_true(projection_is_due(65538, 65537));
}

/* C026: it costs what is said, no sync; leftovers of killed writers go. */
static void
a_save_syncs_nothing_and_sweeps(void **state)
{
	struct disk d = disk_new();
	struct buf names = { 0 };
	int fd = -1;

	(void)state;
	assert_int_equal(fs_open(&d.fs, d.root, ".state.json.77.pawl-tmp",
				 O_WRONLY | O_CREAT, &fd, &d.err),
		PAWL_OK);
	fs_close(&d.fs, &fd);
	fs_sim_fail_syncs(d.sim, 0, 99, 0);
	save(&d, 1);
	assert_int_equal(fs_list(&d.fs, d.root, &names, &d.err), PAWL_OK);
	assert_string_equal(names.data, "state.json");
	assert_int_equal(names.len, sizeof("state.json"));
	buf_release(&names);
	fs_sim_free(d.sim);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_saved_is_loaded_with_its_place),
		cmocka_unit_test(damage_is_never_believed),
		cmocka_unit_test(
			one_is_due_when_the_tail_is_longer_than_it_and_than_64_kib),
		cmocka_unit_test(a_save_syncs_nothing_and_sweeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
