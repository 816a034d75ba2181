/*
 * fs: the file system as a parameter.
 *
 * Everything that must survive a power cut goes through `struct fs`, so that a
 * test can fail operation N or cut the power before it (test/support/).  The
 * table's functions are system calls: -1 with errno, short reads and writes,
 * EINTR.  Callers use the functions below it, which loop, add the name to the
 * message and return `enum pawl_rc`.
 *
 * Names are relative to a directory's descriptor.  Each descriptor is
 * close-on-exec from birth, -1 when absent.
 *
 * Errors of all functions: ERR_FILE_NOT_FOUND for ENOENT, ERR_NOT_PERMITTED for
 * EACCES and EPERM, ERR_UNSAFE_PATH for ELOOP (a link where none may be),
 * ERR_IO for the rest, EROFS and ENOSPC with it; err->sys has the errno.
 */
#ifndef PAWL_OS_FS_H
#define PAWL_OS_FS_H

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

/*
 * Is it the machine that is in the way (no room, no descriptor, a medium that
 * fails or may not be written), and not what was asked for?  Then the same may
 * go well another time.
 */
bool fs_may_pass(const struct pawl_err *err);

struct fs_ops {
	int (*open)(
		void *st, int dir, const char *name, int flags, mode_t mode);
	int (*close)(void *st, int fd);
	ssize_t (*pread)(void *st, int fd, void *p, size_t n, uint64_t offset);
	ssize_t (*write)(void *st, int fd, const void *p, size_t n);
	int (*datasync)(void *st, int fd);
	int (*sync)(void *st, int fd); /* also of a directory */
	int (*truncate)(void *st, int fd, uint64_t size);
	int (*rename)(void *st, int from_dir, const char *from, int to_dir,
		const char *to);
	int (*link)(void *st, int from_dir, const char *from, int to_dir,
		const char *to);
	int (*unlink)(void *st, int dir, const char *name, int flags);
	int (*mkdir)(void *st, int dir, const char *name, mode_t mode);
	int (*fstat)(void *st, int fd, struct stat *ret_stat);
	int (*stat)(void *st, int dir, const char *name, struct stat *ret_stat);
	int (*flock)(void *st, int fd, int op);
	/* Append each name but "." and ".." with a NUL after it. */
	int (*list)(void *st, int dir, struct buf *ret_names);
	uint64_t (*magic)(void *st, int dir); /* statfs f_type; 0: unknown */
	void (*pause)(void *st, unsigned us); /* let others go on */
	uint64_t (*unique)(void *st);         /* for names that nobody has */
};

struct fs {
	const struct fs_ops *ops;
	void *state; /* of the implementation; the real one has none */
};

/* The kernel's. */
extern const struct fs fs_real;

/*
 * Open `name`.  O_CLOEXEC is added; so is O_NOFOLLOW: a link is refused in the
 * last component; and O_NONBLOCK, which means nothing to a file and makes a
 * pipe an error of whoever reads it.  What O_CREAT makes is 0600.
 */
PAWL_MUST_CHECK enum pawl_rc fs_open(const struct fs *fs, int dir,
	const char *name, int flags, int *ret_fd, struct pawl_err *err);

/* Open a directory to name things in; symbolic links are followed. */
PAWL_MUST_CHECK enum pawl_rc fs_open_dir(const struct fs *fs, int dir,
	const char *name, int *ret_fd, struct pawl_err *err);

/* Close if it is open; it becomes -1. */
void fs_close(const struct fs *fs, int *fd);

/* All of `bytes`, at the descriptor's place. */
PAWL_MUST_CHECK enum pawl_rc fs_write(
	const struct fs *fs, int fd, struct str bytes, struct pawl_err *err);

/* All of `bytes` by one call; a short write is ERR_IO, and not repeated. */
PAWL_MUST_CHECK enum pawl_rc fs_append(
	const struct fs *fs, int fd, struct str bytes, struct pawl_err *err);

/*
 * Read from `offset`.  `*len` says how many bytes are wanted and becomes how
 * many there were: fewer only at the end of the file.
 */
PAWL_MUST_CHECK enum pawl_rc fs_pread(const struct fs *fs, int fd,
	uint64_t offset, void *p, size_t *len, struct pawl_err *err);

/*
 * Append the whole file to `to`; ERR_LIMIT when it is over `max` bytes.  It is
 * one that lies on a disk: a small one costs one read.
 */
PAWL_MUST_CHECK enum pawl_rc fs_read(const struct fs *fs, int dir,
	const char *name, size_t max, struct buf *to, struct pawl_err *err);

/*
 * The same for a document that somebody hands in, under whatever name: a
 * folder, a pipe, a socket or a device is refused before a byte is read, and so
 * is a file whose size is over `max`.
 * Errors: ERR_INVALID_PATH for what is no file; those of fs_read.
 */
PAWL_MUST_CHECK enum pawl_rc fs_read_document(const struct fs *fs, int dir,
	const char *name, size_t max, struct buf *to, struct pawl_err *err);

/* The same for what the kernel makes up, which may stop early: /proc. */
PAWL_MUST_CHECK enum pawl_rc fs_read_proc(const struct fs *fs, int dir,
	const char *name, size_t max, struct buf *to, struct pawl_err *err);

PAWL_MUST_CHECK enum pawl_rc fs_datasync(
	const struct fs *fs, int fd, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc fs_sync(
	const struct fs *fs, int fd, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc fs_truncate(
	const struct fs *fs, int fd, uint64_t size, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc fs_fstat(const struct fs *fs, int fd,
	struct stat *ret_stat, struct pawl_err *err);

/* Of a name; a link is not followed. */
PAWL_MUST_CHECK enum pawl_rc fs_stat(const struct fs *fs, int dir,
	const char *name, struct stat *ret_stat, struct pawl_err *err);

/* Is there surely nothing of that name?  What can't be looked at is there. */
bool fs_is_absent(const struct fs *fs, int dir, const char *name);

/* Remove a file; one that isn't there is no failure.  Not synced. */
PAWL_MUST_CHECK enum pawl_rc fs_remove(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err);

/*
 * Make a directory, 0700, and sync `dir`; one that is there is no failure, and
 * is synced, too, because who made it may have died before.
 */
PAWL_MUST_CHECK enum pawl_rc fs_make_dir(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err);

/* Unsynced: for folders of views, which are made again. */
PAWL_MUST_CHECK enum pawl_rc fs_make_view_dir(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err);

/* Make several as one step: each made, then one sync. */
PAWL_MUST_CHECK enum pawl_rc fs_make_dirs(const struct fs *fs, int dir,
	const char *const *names, size_t count, struct pawl_err *err);

/* As fs_make_dir, for one that nobody has; ERR_ID_TAKEN when it is there. */
PAWL_MUST_CHECK enum pawl_rc fs_make_new_dir(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err);

/* Append the names in a directory to `ret_names`, sorted, each with a NUL. */
PAWL_MUST_CHECK enum pawl_rc fs_list(const struct fs *fs, int dir,
	struct buf *ret_names, struct pawl_err *err);

enum fs_durability {
	FS_DURABLE, /* file and directory are synced: for documents that count
		     */
	FS_CACHE,   /* neither: whole or old for whoever reads, not for a cut */
};

/*
 * Make `name` hold `bytes`, as one step: a temporary name that nobody has, made
 * with O_EXCL and 0600, written, synced, renamed, the directory synced.  On
 * failure the old file is untouched, unless only the last sync failed.
 */
PAWL_MUST_CHECK enum pawl_rc fs_replace(const struct fs *fs, int dir,
	const char *name, struct str bytes, enum fs_durability durability,
	struct pawl_err *err);

/* Likewise, FS_DURABLE, with the first `len` bytes of an open file. */
PAWL_MUST_CHECK enum pawl_rc fs_replace_by_head(const struct fs *fs, int dir,
	const char *name, int fd, uint64_t len, struct pawl_err *err);

/*
 * Make `name` with `bytes`, durable; it must not be there (ERR_ID_TAKEN).  On
 * failure the name is absent or, when only the last sync failed, whole.
 */
PAWL_MUST_CHECK enum pawl_rc fs_create(const struct fs *fs, int dir,
	const char *name, struct str bytes, struct pawl_err *err);

/*
 * The same; one that is there with just these bytes is synced, and is a
 * success: `*ret_made` is false.
 */
PAWL_MUST_CHECK enum pawl_rc fs_create_once(const struct fs *fs, int dir,
	const char *name, struct str bytes, bool *ret_made,
	struct pawl_err *err);

/*
 * Remove what fs_replace and fs_create left behind when they were killed.
 * Only for who keeps all others from writing in `dir`.
 */
PAWL_MUST_CHECK enum pawl_rc fs_sweep(
	const struct fs *fs, int dir, struct pawl_err *err);

/* The file system's name, such as `ext4`; a number where we know none. */
const char *fs_type_name(const struct fs *fs, int dir, char ret_name[24]);

#endif
