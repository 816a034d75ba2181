#include "os/lock.h"

#include <errno.h>
#include <stdio.h>

#include <sys/file.h>
#include <sys/sysmacros.h>

#include "base/num.h"

enum {
	LOCK_PAUSE_MIN = 200, /* microseconds */
	LOCK_PAUSE_MAX = 10000,
	LOCK_REOPENS = 8, /* the path led elsewhere */
	LOCK_INTERRUPTS = 1000,
	LOCK_TABLE_MAX = 4 << 20, /* bytes of /proc/locks that are looked at */
};

struct want {
	const struct fs *fs;
	int dir;
	const char *name;
	int op; /* LOCK_SH or LOCK_EX */
	unsigned timeout_ms;
};

/*
 * The process that holds a flock on the file, by the kernel's table; 0 where
 * it isn't told.  A row: `1: FLOCK  ADVISORY  WRITE 4711 08:01:1234 0 EOF`.
 */
static uint64_t
holder_pid(const struct fs *fs, const struct stat *st)
{
	struct pawl_err unused;
	struct buf table = { 0 };
	uint64_t pid = 0;
	struct str rest;
	char file[64];

	(void)snprintf(file, sizeof(file), "%02x:%02x:%llu", major(st->st_dev),
		minor(st->st_dev), (unsigned long long)st->st_ino);
	if (fs_read_proc(fs, AT_FDCWD, "/proc/locks", LOCK_TABLE_MAX, &table,
		    &unused) != PAWL_OK)
		goto out;
	rest = buf_str(&table);
	while (pid == 0 && rest.len > 0) {
		struct str row = str_cut(&rest, '\n'), word[6];
		size_t count = 0;

		while (count < 6 && row.len > 0) {
			struct str w = str_cut(&row, ' ');

			if (w.len > 0)
				word[count++] = w;
		}
		if (count < 6 || !str_eq(word[1], STR("FLOCK")) ||
			!str_eq(word[5], str_from(file)))
			continue;
		if (num_u64(word[4], 1, UINT32_MAX, &pid, &unused) != PAWL_OK)
			pid = 0; /* of another pid namespace */
	}
out:
	buf_release(&table);
	return pid;
}

static enum pawl_rc
busy(const struct fs *fs, int fd, const char *name, struct pawl_err *err)
{
	struct pawl_err unused;
	struct buf comm = { 0 };
	uint64_t pid = 0;
	char path[64];
	struct stat st;

	if (fs_fstat(fs, fd, &st, &unused) == PAWL_OK)
		pid = holder_pid(fs, &st);
	if (pid == 0) {
		return pawl_fail(
			err, ERR_BUSY, "'%s' is held by another process", name);
	}
	(void)snprintf(
		path, sizeof(path), "/proc/%llu/comm", (unsigned long long)pid);
	if (fs_read_proc(fs, AT_FDCWD, path, 64, &comm, &unused) != PAWL_OK)
		buf_clear(&comm);
	while (comm.len > 0 && comm.data[comm.len - 1] == '\n')
		comm.len--;
	pawl_fail(err, ERR_BUSY, "'%s' is held by process %llu (" STR_FMT ")",
		name, (unsigned long long)pid, STR_ARG(buf_str(&comm)));
	buf_release(&comm);
	return err->rc;
}

static enum pawl_rc
take(const struct want *w, int fd, struct pawl_err *err)
{
	unsigned pause = LOCK_PAUSE_MIN, interrupts = 0;
	uint64_t left_us = (uint64_t)w->timeout_ms * 1000;

	while (w->fs->ops->flock(w->fs->state, fd, w->op | LOCK_NB) < 0) {
		if (errno == EINTR && ++interrupts < LOCK_INTERRUPTS)
			continue;
		if (errno != EWOULDBLOCK) {
			return pawl_fail_sys(err, ERR_NO_LOCKS,
				"could not lock '%s'", w->name);
		}
		if (left_us == 0)
			return busy(w->fs, fd, w->name, err);
		if (pause > left_us)
			pause = (unsigned)left_us;
		w->fs->ops->pause(w->fs->state, pause);
		left_us -= pause;
		pause = pause * 2 < LOCK_PAUSE_MAX ? pause * 2 : LOCK_PAUSE_MAX;
	}
	return PAWL_OK;
}

/* Does the path still lead to the file that we locked? */
static bool
is_current(const struct fs *fs, int dir, const char *name, int fd)
{
	struct pawl_err unused;
	struct stat a, b;

	return fs_fstat(fs, fd, &a, &unused) == PAWL_OK &&
		fs_stat(fs, dir, name, &b, &unused) == PAWL_OK &&
		a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static void
drop(const struct fs *fs, int fd)
{
	unsigned interrupts = 0;

	while (fs->ops->flock(fs->state, fd, LOCK_UN) < 0 && errno == EINTR &&
		++interrupts < LOCK_INTERRUPTS)
		continue;
}

void
lock_close(const struct fs *fs, int *fd)
{
	/* Explicit: a child may have inherited the open file description. */
	if (*fd >= 0)
		drop(fs, *fd);
	fs_close(fs, fd);
}

/* `fd`: the file, when it is open already; or -1. */
static enum pawl_rc
open_and_take(const struct want *w, int flags, int fd, int *ret_fd,
	struct pawl_err *err)
{
	for (int i = 0; i < LOCK_REOPENS; i++) {
		enum pawl_rc rc = PAWL_OK;

		if (fd < 0)
			rc = fs_open(w->fs, w->dir, w->name, flags, &fd, err);
		if (rc != PAWL_OK)
			return rc;
		rc = take(w, fd, err);
		if (rc == PAWL_OK && is_current(w->fs, w->dir, w->name, fd)) {
			*ret_fd = fd;
			return PAWL_OK;
		}
		lock_close(w->fs, &fd);
		if (rc != PAWL_OK)
			return rc;
	}
	return pawl_fail(err, ERR_BUSY,
		"'%s' was replaced %d times while it was being locked", w->name,
		LOCK_REOPENS);
}

enum pawl_rc
lock_shared(const struct fs *fs, int dir, const char *name, unsigned timeout_ms,
	int *ret_fd, struct pawl_err *err)
{
	const struct want w = { fs, dir, name, LOCK_SH, timeout_ms };

	return open_and_take(&w, O_RDONLY, -1, ret_fd, err);
}

enum pawl_rc
lock_exclusive(const struct fs *fs, int dir, const char *name,
	unsigned timeout_ms, int *ret_fd, struct pawl_err *err)
{
	const struct want w = { fs, dir, name, LOCK_EX, timeout_ms };

	return open_and_take(&w, O_RDWR | O_CREAT, -1, ret_fd, err);
}

void
lock_keep(const struct fs *fs, int *fd, int *ret_kept)
{
	drop(fs, *fd);
	*ret_kept = *fd;
	*fd = -1;
}

enum pawl_rc
lock_again(const struct fs *fs, int dir, const char *name, unsigned timeout_ms,
	int *fd, struct pawl_err *err)
{
	const struct want w = { fs, dir, name, LOCK_EX, timeout_ms };
	int kept = *fd;

	*fd = -1;
	return open_and_take(&w, O_RDWR | O_CREAT, kept, fd, err);
}

uint64_t
lock_holder(const struct fs *fs, int dir, const char *name)
{
	struct pawl_err unused;
	struct stat st;

	return fs_stat(fs, dir, name, &st, &unused) == PAWL_OK
		? holder_pid(fs, &st)
		: 0;
}

static enum pawl_rc
probe(const struct fs *fs, int a, int b, struct pawl_err *err)
{
	const struct want w = { fs, -1, "probe", LOCK_EX, 0 };
	struct pawl_err why;

	if (take(&w, a, err) != PAWL_OK) {
		return err->code == ERR_BUSY
			? pawl_fail(err, ERR_NO_LOCKS, "a new file is locked")
			: err->rc;
	}
	if (take(&w, b, &why) == PAWL_OK) {
		return pawl_fail(err, ERR_NO_LOCKS,
			"locks have no effect: two held one at once");
	}
	if (why.code != ERR_BUSY) {
		*err = why;
		return err->rc;
	}
	drop(fs, a);
	if (take(&w, b, err) != PAWL_OK) {
		return pawl_fail(err, ERR_NO_LOCKS,
			"locks have no effect: an unlocked file stays locked");
	}
	return PAWL_OK;
}

enum pawl_rc
lock_probe(const struct fs *fs, int dir, struct pawl_err *err)
{
	struct pawl_err unused;
	enum pawl_rc rc, removed;
	int a = -1, b = -1;
	char name[64];

	(void)snprintf(name, sizeof(name), ".lock.%016llx.pawl-tmp",
		(unsigned long long)fs->ops->unique(fs->state));
	rc = fs_open(fs, dir, name, O_RDWR | O_CREAT | O_EXCL, &a, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fs_open(fs, dir, name, O_RDWR, &b, err);
	if (rc == PAWL_OK)
		rc = probe(fs, a, b, err);
	lock_close(fs, &a);
	lock_close(fs, &b);
	removed = fs_remove(fs, dir, name, rc == PAWL_OK ? err : &unused);
	return rc != PAWL_OK ? rc : removed;
}
