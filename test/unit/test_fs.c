#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "fs_fault.h"
#include "os/fs.h"
#include "os/lock.h"
#include "tempdir.h"

static void
links_are_not_followed(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct stat st;
	int fd = -1;

	(void)state;
	assert_int_equal(symlinkat("/etc/passwd", t.fd, "link"), 0);
	assert_int_equal(fs_open(&fs_real, t.fd, "link", O_RDONLY, &fd, &err),
		PAWL_EPERM);
	assert_int_equal(err.code, ERR_UNSAFE_PATH);
	assert_int_equal(fd, -1);
	assert_int_equal(
		fs_read(&fs_real, t.fd, "link", 1 << 20, &b, &err), PAWL_EPERM);
	assert_int_equal(b.len, 0);
	assert_int_equal(fs_stat(&fs_real, t.fd, "link", &st, &err), PAWL_OK);
	assert_true(S_ISLNK(st.st_mode));
	/* A replacement takes the link's place, not its target's. */
	assert_int_equal(
		fs_replace(&fs_real, t.fd, "link", STR("x"), FS_DURABLE, &err),
		PAWL_OK);
	assert_int_equal(fs_read(&fs_real, t.fd, "link", 1, &b, &err), PAWL_OK);
	assert_string_equal(b.data, "x");
	buf_release(&b);
	tempdir_close(&t);
}

/* Else a worker that hands in a pipe as its report would hold the run. */
static void
a_pipe_in_the_place_of_a_file_is_not_waited_for(void **state)
{
	static const int flags[] = { O_RDONLY, O_WRONLY, O_RDWR };
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(mkfifoat(t.fd, "pipe", 0600), 0);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		enum pawl_rc rc;
		int fd = -1;

		(void)alarm(5);
		rc = fs_open(&fs_real, t.fd, "pipe", flags[i], &fd, &err);
		(void)alarm(0);
		assert_int_equal(rc, flags[i] == O_WRONLY ? PAWL_EIO : PAWL_OK);
		fs_close(&fs_real, &fd);
	}
	(void)alarm(5);
	assert_int_equal(
		fs_read(&fs_real, t.fd, "pipe", 1, &b, &err), PAWL_EIO);
	(void)alarm(0);
	buf_release(&b);
	tempdir_close(&t);
}

/* A document may be named by anybody: nothing but a file is read at all. */
static void
a_document_is_a_file(void **state)
{
	static const struct {
		const char *name;
		size_t max;
		enum pawl_code code; /* ERR_INTERNAL: it is read */
		const char *says;
	} rows[] = {
		{ "four", 4, ERR_INTERNAL, "" },
		{ "four", 5, ERR_INTERNAL, "" },
		{ "four", 3, ERR_LIMIT, "over the limit of 3 bytes" },
		{ "folder", 9, ERR_INVALID_PATH, "is a folder, not a file" },
		{ "pipe", 9, ERR_INVALID_PATH, "is a pipe, not a file" },
		{ "socket", 9, ERR_INVALID_PATH, "is a socket, not a file" },
		{ "/dev/full", 9, ERR_INVALID_PATH, "is a device, not a file" },
		{ "/dev/null", 9, ERR_INVALID_PATH, "is a device, not a file" },
		{ "link", 9, ERR_UNSAFE_PATH, "" },
		{ "none", 9, ERR_FILE_NOT_FOUND, "" },
	};
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };

	(void)state;
	assert_int_equal(
		fs_create(&fs_real, t.fd, "four", STR("four"), &err), PAWL_OK);
	assert_int_equal(mkdirat(t.fd, "folder", 0700), 0);
	assert_int_equal(mkfifoat(t.fd, "pipe", 0600), 0);
	assert_int_equal(mknodat(t.fd, "socket", S_IFSOCK | 0600, 0), 0);
	assert_int_equal(symlinkat("four", t.fd, "link"), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf b = { 0 };
		enum pawl_rc rc;

		(void)alarm(5);
		rc = fs_read_document(
			&fs_real, t.fd, rows[i].name, rows[i].max, &b, &err);
		(void)alarm(0);
		if (rows[i].code == ERR_INTERNAL) {
			assert_int_equal(rc, PAWL_OK);
			assert_string_equal(b.data, "four");
		} else {
			assert_int_equal(err.code, rows[i].code);
			assert_non_null(strstr(err.msg, rows[i].says));
			assert_int_equal(b.len, 0);
		}
		buf_release(&b);
	}
	tempdir_close(&t);
}

static void
descriptors_are_close_on_exec(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	int fd = -1;

	(void)state;
	assert_int_equal(
		fs_open(&fs_real, t.fd, "f", O_CREAT | O_RDWR, &fd, &err),
		PAWL_OK);
	assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	fs_close(&fs_real, &fd);
	assert_int_equal(fd, -1);
	fs_close(&fs_real, &fd);
	assert_int_equal(fs_open_dir(&fs_real, t.fd, ".", &fd, &err), PAWL_OK);
	assert_true((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	fs_close(&fs_real, &fd);
	tempdir_close(&t);
}

/* Below, at and above; also over the step in which files are read. */
static void
a_file_over_the_limit_is_not_read(void **state)
{
	static const size_t sizes[] = { 0, 1, 4096, 8191, 8192, 65535, 65536,
		65537, 200000 };
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct buf in = { 0 }, out = { 0 };

		memset(buf_reserve(&in, sizes[i] + 1), 'x', sizes[i] + 1);
		in.len = sizes[i];
		assert_int_equal(fs_replace(&fs_real, t.fd, "f", buf_str(&in),
					 FS_CACHE, &err),
			PAWL_OK);
		assert_int_equal(
			fs_read(&fs_real, t.fd, "f", sizes[i], &out, &err),
			PAWL_OK);
		assert_true(str_eq(buf_str(&in), buf_str(&out)));
		if (sizes[i] > 0) {
			assert_int_equal(fs_read(&fs_real, t.fd, "f",
						 sizes[i] - 1, &out, &err),
				PAWL_ENO);
			assert_int_equal(err.code, ERR_LIMIT);
			assert_int_equal(out.len, sizes[i]);
		}
		buf_release(&in);
		buf_release(&out);
	}
	tempdir_close(&t);
}

/* A file of `size` letters, of which one read gives at most `most`. */
struct slow {
	size_t size, most;
	size_t bad; /* reads from here on fail; 0: none does */
	unsigned reads;
};

static int
slow_open(void *st, int dir, const char *name, int flags, mode_t mode)
{
	(void)st;
	(void)dir;
	(void)name;
	(void)flags;
	(void)mode;
	return 99;
}

static int
slow_close(void *st, int fd)
{
	(void)st;
	(void)fd;
	return 0;
}

static ssize_t
slow_pread(void *st, int fd, void *p, size_t n, uint64_t offset)
{
	struct slow *s = st;
	size_t left = s->size - offset;

	(void)fd;
	s->reads++;
	if (s->bad > 0 && offset >= s->bad) {
		errno = EIO;
		return -1;
	}
	n = n < left ? n : left;
	n = n < s->most ? n : s->most;
	if (s->bad > 0 && n > s->bad - offset)
		n = s->bad - offset;
	memset(p, 'x', n);
	return (ssize_t)n;
}

static const struct fs_ops slow_ops = {
	.open = slow_open,
	.close = slow_close,
	.pread = slow_pread,
};

static void
a_small_file_costs_one_read(void **state)
{
	static const struct {
		size_t size;
		unsigned reads;
	} rows[] = {
		{ 0, 1 },
		{ 1, 1 },
		{ 4095, 1 },
		{ 4096, 2 }, /* the next page could have failed */
		{ 4097, 1 },
		{ 8190, 1 },
		{ 8191, 2 },
		{ 8192, 3 },
		{ 8193, 2 },
		{ 8191 + 65536, 3 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slow slow = { .size = rows[i].size, .most = SIZE_MAX };
		const struct fs fs = { .ops = &slow_ops, .state = &slow };
		struct pawl_err err = { 0 };
		struct buf b = { 0 };

		assert_int_equal(
			fs_read(&fs, -1, "f", 1 << 20, &b, &err), PAWL_OK);
		assert_int_equal(b.len, rows[i].size);
		assert_int_equal(slow.reads, rows[i].reads);
		buf_release(&b);
	}
}

static void
a_page_that_cannot_be_read_is_not_the_end(void **state)
{
	struct slow slow = { .size = 8000, .most = SIZE_MAX, .bad = 4096 };
	const struct fs fs = { .ops = &slow_ops, .state = &slow };
	struct pawl_err err = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(fs_read(&fs, -1, "f", 1 << 20, &b, &err), PAWL_EIO);
	assert_int_equal(err.sys, EIO);
	assert_int_equal(b.len, 0);
	buf_release(&b);
}

static void
what_comes_in_parts_is_read_to_its_end(void **state)
{
	struct slow slow = { .size = 10000, .most = 1000 };
	const struct fs fs = { .ops = &slow_ops, .state = &slow };
	struct pawl_err err = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(fs_read_proc(&fs, -1, "f", 10000, &b, &err), PAWL_OK);
	assert_int_equal(b.len, 10000);
	assert_int_equal(fs_read_proc(&fs, -1, "f", 9999, &b, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(b.len, 10000);
	buf_release(&b);
}

static void
what_is_there_is_not_made_again(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(
		fs_create(&fs_real, t.fd, "once", STR("a"), &err), PAWL_OK);
	assert_int_equal(fs_create(&fs_real, t.fd, "once", STR("b"), &err),
		PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_ID_TAKEN);
	assert_int_equal(fs_read(&fs_real, t.fd, "once", 9, &b, &err), PAWL_OK);
	assert_string_equal(b.data, "a");
	assert_int_equal(fs_make_dir(&fs_real, t.fd, "d", &err), PAWL_OK);
	assert_int_equal(fs_make_dir(&fs_real, t.fd, "d", &err), PAWL_OK);
	assert_int_equal(
		fs_make_new_dir(&fs_real, t.fd, "d", &err), PAWL_ECONFLICT);
	buf_clear(&b);
	assert_int_equal(fs_list(&fs_real, t.fd, &b, &err), PAWL_OK);
	assert_int_equal(b.len, 7);
	assert_memory_equal(b.data, "d\0once", 7);
	assert_int_equal(fs_remove(&fs_real, t.fd, "once", &err), PAWL_OK);
	assert_int_equal(fs_remove(&fs_real, t.fd, "once", &err), PAWL_OK);
	buf_release(&b);
	tempdir_close(&t);
}

/* Who died after it made a file does it again; nobody else's is taken. */
static void
the_same_bytes_made_again_are_synced(void **state)
{
	static const struct {
		const char *name, *bytes;
		enum pawl_rc rc;
		bool made;
	} rows[] = {
		{ "f", "abc", PAWL_OK, true },
		{ "f", "abc", PAWL_OK, false },
		{ "f", "abd", PAWL_ECONFLICT, true },
		{ "f", "ab", PAWL_ECONFLICT, true },
		{ "f", "abcd", PAWL_ECONFLICT, true },
		{ "link", "abc", PAWL_ECONFLICT, true },
		{ "folder", "abc", PAWL_ECONFLICT, true },
	};
	struct tempdir t = tempdir_open();
	struct fs_fault fault = { .under = fs_real, .left = -1 };
	struct fs fs = fs_fault_over(&fault);
	struct pawl_err err = { 0 };
	bool made;

	(void)state;
	assert_int_equal(symlinkat("f", t.fd, "link"), 0);
	assert_int_equal(fs_make_dir(&fs_real, t.fd, "folder", &err), PAWL_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		made = true;
		assert_int_equal(fs_create_once(&fs, t.fd, rows[i].name,
					 str_from(rows[i].bytes), &made, &err),
			rows[i].rc);
		assert_int_equal(made, rows[i].made);
		if (rows[i].rc != PAWL_OK)
			assert_int_equal(err.code, ERR_ID_TAKEN);
	}
	/* The first sync is that of the file that was not needed. */
	fault.only = "sync";
	fault.left = 1;
	fault.sys = EIO;
	assert_int_equal(
		fs_create_once(&fs, t.fd, "f", STR("abc"), &made, &err),
		PAWL_EIO);
	assert_string_equal(fault.fired, "sync");
	tempdir_close(&t);
}

struct twin {
	struct fs_fault fault;
	uint64_t next;
};

static uint64_t
same_three_times(void *st)
{
	struct twin *t = st;

	return t->next++ / 3;
}

/* C007: a name that somebody has is never opened; another is taken. */
static void
a_temporary_name_that_is_taken_is_left_alone(void **state)
{
	struct tempdir t = tempdir_open();
	struct twin twin = { .fault = { .under = fs_real, .left = -1 } };
	struct fs fs = fs_fault_over(&twin.fault);
	struct fs_ops ops = *fs.ops;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };

	(void)state;
	ops.unique = same_three_times;
	fs.ops = &ops;
	fs.state = &twin;
	assert_int_equal(
		fs_create(&fs_real, t.fd, ".f.0000000000000000.pawl-tmp",
			STR("mine"), &err),
		PAWL_OK);
	assert_int_equal(
		fs_replace(&fs, t.fd, "f", STR("new"), FS_DURABLE, &err),
		PAWL_OK);
	assert_int_equal(fs_read(&fs_real, t.fd, ".f.0000000000000000.pawl-tmp",
				 9, &b, &err),
		PAWL_OK);
	assert_string_equal(b.data, "mine");
	assert_int_equal(fs_sweep(&fs_real, t.fd, &err), PAWL_OK);
	buf_clear(&b);
	assert_int_equal(fs_list(&fs_real, t.fd, &b, &err), PAWL_OK);
	assert_int_equal(b.len, 2);
	buf_release(&b);
	tempdir_close(&t);
}

static void
shared_locks_live_together_and_exclusive_ones_alone(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	int a = -1, b = -1, c = -1;

	(void)state;
	assert_int_equal(lock_probe(&fs_real, t.fd, &err), PAWL_OK);
	assert_int_equal(
		lock_shared(&fs_real, t.fd, "l", 0, &a, &err), PAWL_ENOENT);
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 0, &a, &err), PAWL_OK);
	assert_int_equal(
		lock_shared(&fs_real, t.fd, "l", 0, &b, &err), PAWL_EBUSY);
	lock_close(&fs_real, &a);
	assert_int_equal(
		lock_shared(&fs_real, t.fd, "l", 0, &a, &err), PAWL_OK);
	assert_int_equal(
		lock_shared(&fs_real, t.fd, "l", 0, &b, &err), PAWL_OK);
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 1, &c, &err), PAWL_EBUSY);
	assert_int_equal(err.code, ERR_BUSY);
	lock_close(&fs_real, &a);
	lock_close(&fs_real, &b);
	lock_close(&fs_real, &b);
	tempdir_close(&t);
}

static void
a_lock_that_was_kept_is_taken_again(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	int fd = -1, kept = -1, other = -1;
	int number;

	(void)state;
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 0, &fd, &err), PAWL_OK);
	number = fd;
	lock_keep(&fs_real, &fd, &kept);
	assert_int_equal(fd, -1);
	assert_int_equal(kept, number);
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 0, &other, &err), PAWL_OK);
	/* held by another */
	fd = kept;
	assert_int_equal(
		lock_again(&fs_real, t.fd, "l", 0, &fd, &err), PAWL_EBUSY);
	assert_int_equal(fd, -1);
	assert_int_equal(fcntl(kept, F_GETFD), -1);
	/* free, and still the file that the path leads to */
	lock_keep(&fs_real, &other, &kept);
	fd = kept;
	assert_int_equal(
		lock_again(&fs_real, t.fd, "l", 0, &fd, &err), PAWL_OK);
	assert_int_equal(fd, kept);
	assert_int_equal(lock_exclusive(&fs_real, t.fd, "l", 0, &other, &err),
		PAWL_EBUSY);
	/* replaced meanwhile: a lock on the old file would be nobody's */
	lock_keep(&fs_real, &fd, &kept);
	assert_int_equal(unlinkat(t.fd, "l", 0), 0);
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 0, &other, &err), PAWL_OK);
	fd = kept;
	assert_int_equal(
		lock_again(&fs_real, t.fd, "l", 0, &fd, &err), PAWL_EBUSY);
	lock_close(&fs_real, &other);
	tempdir_close(&t);
}

/* Somebody deleted the lock file: the next holder's is another file, and who
 * still has the old one open doesn't count. */
static void
a_lock_file_that_was_replaced_is_taken_anew(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	int old = -1, now = -1, other = -1;

	(void)state;
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 0, &old, &err), PAWL_OK);
	assert_int_equal(unlinkat(t.fd, "l", 0), 0);
	assert_int_equal(
		lock_exclusive(&fs_real, t.fd, "l", 0, &now, &err), PAWL_OK);
	assert_int_equal(lock_exclusive(&fs_real, t.fd, "l", 0, &other, &err),
		PAWL_EBUSY);
	lock_close(&fs_real, &old);
	assert_int_equal(lock_exclusive(&fs_real, t.fd, "l", 0, &other, &err),
		PAWL_EBUSY);
	lock_close(&fs_real, &now);
	tempdir_close(&t);
}

static int
no_effect(void *st, int fd, int op)
{
	(void)st;
	(void)fd;
	(void)op;
	return 0;
}

/* C030: where flock succeeds and does nothing, that is found. */
static void
locks_without_effect_are_found(void **state)
{
	struct tempdir t = tempdir_open();
	struct fs_ops ops = *fs_real.ops;
	struct fs fs = { .ops = &ops };
	struct pawl_err err = { 0 };
	struct buf names = { 0 };

	(void)state;
	ops.flock = no_effect;
	assert_int_equal(lock_probe(&fs, t.fd, &err), PAWL_EIO);
	assert_int_equal(err.code, ERR_NO_LOCKS);
	assert_non_null(strstr(err.msg, "no effect"));
	assert_int_equal(fs_list(&fs_real, t.fd, &names, &err), PAWL_OK);
	assert_int_equal(names.len, 0);
	buf_release(&names);
	tempdir_close(&t);
}

static uint64_t
magic_of(void *st, int dir)
{
	(void)dir;
	return *(const uint64_t *)st;
}

static void
file_systems_have_names(void **state)
{
	static const struct {
		uint64_t magic;
		const char *name;
	} rows[] = {
		{ 0xef53, "ext4" },
		{ 0x6969, "nfs" },
		{ 0x01021994, "tmpfs" },
		{ 0x12345, "0x12345" },
		{ UINT64_MAX, "0xffffffffffffffff" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct fs_ops ops = { .magic = magic_of };
		uint64_t magic = rows[i].magic;
		const struct fs fs = { .ops = &ops, .state = &magic };
		char room[24];

		assert_string_equal(fs_type_name(&fs, 0, room), rows[i].name);
	}
}

/* A path that is wrong stays wrong; a disk that is full needn't. */
static void
what_the_machine_refuses_may_pass(void **state)
{
	static const struct {
		int sys;
		bool may_pass;
	} rows[] = { { ENOSPC, true }, { EDQUOT, true }, { EROFS, true },
		{ EIO, true }, { EMFILE, true }, { ENFILE, true },
		{ ENOMEM, true }, { 0, false }, { ENOENT, false },
		{ EACCES, false }, { ELOOP, false }, { ENOTEMPTY, false } };
	struct pawl_err none = { 0 };

	(void)state;
	assert_false(fs_may_pass(&none));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pawl_err err = { .rc = PAWL_EIO, .sys = rows[i].sys };

		if (fs_may_pass(&err) != rows[i].may_pass)
			fail_msg("errno %d", rows[i].sys);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(links_are_not_followed),
		cmocka_unit_test(
			a_pipe_in_the_place_of_a_file_is_not_waited_for),
		cmocka_unit_test(a_document_is_a_file),
		cmocka_unit_test(descriptors_are_close_on_exec),
		cmocka_unit_test(a_file_over_the_limit_is_not_read),
		cmocka_unit_test(a_small_file_costs_one_read),
		cmocka_unit_test(a_page_that_cannot_be_read_is_not_the_end),
		cmocka_unit_test(what_comes_in_parts_is_read_to_its_end),
		cmocka_unit_test(what_is_there_is_not_made_again),
		cmocka_unit_test(the_same_bytes_made_again_are_synced),
		cmocka_unit_test(a_temporary_name_that_is_taken_is_left_alone),
		cmocka_unit_test(
			shared_locks_live_together_and_exclusive_ones_alone),
		cmocka_unit_test(a_lock_that_was_kept_is_taken_again),
		cmocka_unit_test(a_lock_file_that_was_replaced_is_taken_anew),
		cmocka_unit_test(locks_without_effect_are_found),
		cmocka_unit_test(file_systems_have_names),
		cmocka_unit_test(what_the_machine_refuses_may_pass),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
