#include "os/fs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "os/fs_retry.h"

enum {
	FS_READ_FIRST = (8 << 10) - 1, /* bytes, with a NUL behind them */
	FS_READ_STEP = 64 << 10,
	FS_PAGE = 4096, /* the least that any machine of ours has */
};

enum pawl_code
fs_code_of(int sys)
{
	switch (sys) {
	case ENOENT:
		return ERR_FILE_NOT_FOUND;
	case EACCES:
	case EPERM:
		return ERR_NOT_PERMITTED;
	case ELOOP:
		return ERR_UNSAFE_PATH;
	default:
		return ERR_IO;
	}
}

enum pawl_rc
fs_fail(struct pawl_err *err, const char *what, const char *name)
{
	return pawl_fail_sys(
		err, fs_code_of(errno), "could not %s '%s'", what, name);
}

enum pawl_rc
fs_open(const struct fs *fs, int dir, const char *name, int flags, int *ret_fd,
	struct pawl_err *err)
{
	int fd;

	/* A pipe in the place of a file would hold us until it has a writer. */
	FS_RETRY(fd,
		fs->ops->open(fs->state, dir, name,
			flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
	if (fd < 0)
		return fs_fail(err, flags & O_CREAT ? "make" : "open", name);
	*ret_fd = fd;
	return PAWL_OK;
}

enum pawl_rc
fs_open_dir(const struct fs *fs, int dir, const char *name, int *ret_fd,
	struct pawl_err *err)
{
	int fd;

	FS_RETRY(fd,
		fs->ops->open(fs->state, dir, name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
	if (fd < 0)
		return fs_fail(err, "open", name);
	*ret_fd = fd;
	return PAWL_OK;
}

void
fs_close(const struct fs *fs, int *fd)
{
	/* What must be on the disk was synced: nothing is learnt here. */
	if (*fd >= 0)
		(void)fs->ops->close(fs->state, *fd);
	*fd = -1;
}

enum pawl_rc
fs_write(const struct fs *fs, int fd, struct str bytes, struct pawl_err *err)
{
	while (bytes.len > 0) {
		ssize_t n;

		FS_RETRY(
			n, fs->ops->write(fs->state, fd, bytes.ptr, bytes.len));
		if (n < 0) {
			return pawl_fail_sys(err, fs_code_of(errno),
				"could not write %zu bytes", bytes.len);
		}
		if (n == 0) {
			return pawl_fail(err, ERR_IO,
				"could not write %zu bytes", bytes.len);
		}
		bytes = str_part(bytes, (size_t)n, bytes.len);
	}
	return PAWL_OK;
}

enum pawl_rc
fs_append(const struct fs *fs, int fd, struct str bytes, struct pawl_err *err)
{
	ssize_t n;

	FS_RETRY(n, fs->ops->write(fs->state, fd, bytes.ptr, bytes.len));
	if (n < 0) {
		return pawl_fail_sys(err, fs_code_of(errno),
			"could not write %zu bytes", bytes.len);
	}
	if ((size_t)n < bytes.len) {
		return pawl_fail(err, ERR_IO,
			"could not write %zu bytes, only %zd", bytes.len, n);
	}
	return PAWL_OK;
}

enum pawl_rc
fs_pread(const struct fs *fs, int fd, uint64_t offset, void *p, size_t *len,
	struct pawl_err *err)
{
	size_t got = 0;

	while (got < *len) {
		ssize_t n;

		FS_RETRY(n,
			fs->ops->pread(fs->state, fd, (char *)p + got,
				*len - got, offset + got));
		if (n < 0) {
			return pawl_fail_sys(
				err, fs_code_of(errno), "could not read");
		}
		if (n == 0)
			break;
		got += (size_t)n;
	}
	*len = got;
	return PAWL_OK;
}

/* What is wanted of a file. */
struct whole {
	const char *name;
	size_t max;  /* bytes */
	bool stored; /* on a disk */
	bool given;  /* by somebody: anything may lie under the name */
};

/*
 * A read of a file on a disk stops early only where a page does, because the
 * next could not be had, or at the end of the file: what is short and stops
 * inside a page has met the end.  What the kernel makes up as it is read
 * (/proc) may stop anywhere.  One byte over `max` ends it, too.
 */
static enum pawl_rc
read_to_end(const struct fs *fs, int fd, const struct whole *w, struct buf *to,
	struct pawl_err *err)
{
	size_t size = 0, want;
	ssize_t n;

	do {
		want = size == 0 ? FS_READ_FIRST : FS_READ_STEP;
		if (want > w->max - size)
			want = w->max - size + 1;
		(void)buf_reserve(to, want);
		FS_RETRY(n,
			fs->ops->pread(
				fs->state, fd, to->data + to->len, want, size));
		if (n < 0) {
			return pawl_fail_sys(
				err, fs_code_of(errno), "could not read");
		}
		size += (size_t)n;
		to->len += (size_t)n;
		to->data[to->len] = '\0';
	} while (n > 0 && size <= w->max &&
		(!w->stored || (size_t)n == want || size % FS_PAGE == 0));
	return PAWL_OK;
}

static const char *
kind_of(mode_t mode)
{
	return S_ISDIR(mode)     ? "a folder"
		: S_ISFIFO(mode) ? "a pipe"
		: S_ISSOCK(mode) ? "a socket"
				 : "a device";
}

static enum pawl_rc
over_limit(const struct whole *w, struct pawl_err *err)
{
	return pawl_fail(err, ERR_LIMIT, "'%s' is over the limit of %zu bytes",
		w->name, w->max);
}

static enum pawl_rc
open_whole(const struct fs *fs, int dir, const struct whole *w, int *ret_fd,
	struct pawl_err *err)
{
	struct stat st = { .st_mode = S_IFSOCK };
	enum pawl_rc rc = fs_open(fs, dir, w->name, O_RDONLY, ret_fd, err);

	if (!w->given)
		return rc;
	if (rc == PAWL_OK)
		rc = fs_fstat(fs, *ret_fd, &st, err);
	else if (err->sys == ENXIO) /* open(2): nobody opens a socket */
		rc = PAWL_OK;
	if (rc == PAWL_OK && !S_ISREG(st.st_mode))
		rc = pawl_fail(err, ERR_INVALID_PATH, "'%s' is %s, not a file",
			w->name, kind_of(st.st_mode));
	if (rc == PAWL_OK && (uint64_t)st.st_size > w->max)
		rc = over_limit(w, err);
	if (rc != PAWL_OK)
		fs_close(fs, ret_fd);
	return rc;
}

static enum pawl_rc
read_whole(const struct fs *fs, int dir, const struct whole *w, struct buf *to,
	struct pawl_err *err)
{
	size_t start = to->len;
	enum pawl_rc rc;
	int fd = -1;

	rc = open_whole(fs, dir, w, &fd, err);
	if (rc != PAWL_OK)
		return rc;
	rc = read_to_end(fs, fd, w, to, err);
	fs_close(fs, &fd);
	if (rc != PAWL_OK) {
		(void)pawl_wrap(err, "'%s'", w->name);
	} else if (to->len - start > w->max) {
		rc = over_limit(w, err);
	}
	if (rc != PAWL_OK)
		to->len = start;
	return rc;
}

enum pawl_rc
fs_read(const struct fs *fs, int dir, const char *name, size_t max,
	struct buf *to, struct pawl_err *err)
{
	const struct whole w = { name, max, .stored = true };

	return read_whole(fs, dir, &w, to, err);
}

enum pawl_rc
fs_read_document(const struct fs *fs, int dir, const char *name, size_t max,
	struct buf *to, struct pawl_err *err)
{
	const struct whole w = { name, max, .stored = true, .given = true };

	return read_whole(fs, dir, &w, to, err);
}

enum pawl_rc
fs_read_proc(const struct fs *fs, int dir, const char *name, size_t max,
	struct buf *to, struct pawl_err *err)
{
	const struct whole w = { name, max, .stored = false };

	return read_whole(fs, dir, &w, to, err);
}

enum pawl_rc
fs_datasync(const struct fs *fs, int fd, struct pawl_err *err)
{
	/* Never asked twice: a second sync may claim success for lost pages. */
	if (fs->ops->datasync(fs->state, fd) < 0)
		return pawl_fail_sys(err, ERR_IO, "could not sync");
	return PAWL_OK;
}

enum pawl_rc
fs_sync(const struct fs *fs, int fd, struct pawl_err *err)
{
	if (fs->ops->sync(fs->state, fd) < 0)
		return pawl_fail_sys(err, ERR_IO, "could not sync");
	return PAWL_OK;
}

enum pawl_rc
fs_truncate(const struct fs *fs, int fd, uint64_t size, struct pawl_err *err)
{
	int rc;

	FS_RETRY(rc, fs->ops->truncate(fs->state, fd, size));
	if (rc < 0) {
		return pawl_fail_sys(err, fs_code_of(errno),
			"could not cut to %llu bytes",
			(unsigned long long)size);
	}
	return PAWL_OK;
}

enum pawl_rc
fs_fstat(const struct fs *fs, int fd, struct stat *ret_stat,
	struct pawl_err *err)
{
	struct stat st;
	int rc;

	FS_RETRY(rc, fs->ops->fstat(fs->state, fd, &st));
	if (rc < 0) {
		return pawl_fail_sys(
			err, fs_code_of(errno), "could not ask for the size");
	}
	*ret_stat = st;
	return PAWL_OK;
}

enum pawl_rc
fs_stat(const struct fs *fs, int dir, const char *name, struct stat *ret_stat,
	struct pawl_err *err)
{
	struct stat st;
	int rc;

	FS_RETRY(rc, fs->ops->stat(fs->state, dir, name, &st));
	if (rc < 0)
		return fs_fail(err, "find", name);
	*ret_stat = st;
	return PAWL_OK;
}

bool
fs_may_pass(const struct pawl_err *err)
{
	static const int passing[] = { ENOSPC, EDQUOT, EROFS, EIO, EMFILE,
		ENFILE, ENOMEM };

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++) {
		if (err->rc != PAWL_OK && err->sys == passing[i])
			return true;
	}
	return false;
}

bool
fs_is_absent(const struct fs *fs, int dir, const char *name)
{
	struct stat st;
	int rc;

	FS_RETRY(rc, fs->ops->stat(fs->state, dir, name, &st));
	return rc < 0 && errno == ENOENT;
}

enum pawl_rc
fs_remove(const struct fs *fs, int dir, const char *name, struct pawl_err *err)
{
	int rc;

	FS_RETRY(rc, fs->ops->unlink(fs->state, dir, name, 0));
	if (rc < 0 && errno != ENOENT)
		return fs_fail(err, "remove", name);
	return PAWL_OK;
}

enum pawl_rc
fs_make_dirs(const struct fs *fs, int dir, const char *const *names,
	size_t count, struct pawl_err *err)
{
	for (size_t i = 0; i < count; i++) {
		int rc;

		FS_RETRY(rc, fs->ops->mkdir(fs->state, dir, names[i], 0700));
		if (rc < 0 && errno != EEXIST)
			return fs_fail(err, "make", names[i]);
	}
	return fs_sync(fs, dir, err);
}

enum pawl_rc
fs_make_dir(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err)
{
	return fs_make_dirs(fs, dir, &name, 1, err);
}

enum pawl_rc
fs_make_view_dir(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err)
{
	int rc;

	FS_RETRY(rc, fs->ops->mkdir(fs->state, dir, name, 0700));
	return rc < 0 && errno != EEXIST ? fs_fail(err, "make", name) : PAWL_OK;
}

enum pawl_rc
fs_make_new_dir(
	const struct fs *fs, int dir, const char *name, struct pawl_err *err)
{
	int rc;

	FS_RETRY(rc, fs->ops->mkdir(fs->state, dir, name, 0700));
	if (rc < 0 && errno == EEXIST)
		return pawl_fail(err, ERR_ID_TAKEN, "'%s' exists", name);
	if (rc < 0)
		return fs_fail(err, "make", name);
	return fs_sync(fs, dir, err);
}

static int
name_order(const void *a, const void *b)
{
	const char *const *x = a;
	const char *const *y = b;

	return strcmp(*x, *y);
}

enum pawl_rc
fs_list(const struct fs *fs, int dir, struct buf *ret_names,
	struct pawl_err *err)
{
	struct buf raw = { 0 };
	const char **names;
	size_t count = 0, i = 0;
	int rc;

	FS_RETRY(rc, fs->ops->list(fs->state, dir, &raw));
	if (rc < 0) {
		enum pawl_rc failed = pawl_fail_sys(
			err, fs_code_of(errno), "could not list a directory");

		buf_release(&raw);
		return failed;
	}
	for (size_t at = 0; at < raw.len; at++)
		count += raw.data[at] == '\0';
	names = die_alloc(count + 1, sizeof(*names));
	for (size_t at = 0; at < raw.len; at += strlen(names[i++]) + 1)
		names[i] = raw.data + at;
	qsort(names, count, sizeof(*names), name_order);
	for (i = 0; i < count; i++) {
		buf_add(ret_names,
			(struct str){ names[i], strlen(names[i]) + 1 });
	}
	free(names);
	buf_release(&raw);
	return PAWL_OK;
}

const char *
fs_type_name(const struct fs *fs, int dir, char ret_name[24])
{
	/* Linux, include/uapi/linux/magic.h and fs/smb/client/cifsfs.h. */
	static const struct {
		uint64_t magic;
		const char *name;
	} types[] = {
		{ 0xef53, "ext4" },
		{ 0x58465342, "xfs" },
		{ 0x9123683e, "btrfs" },
		{ 0x01021994, "tmpfs" },
		{ 0x794c7630, "overlay" },
		{ 0x2fc12fc1, "zfs" },
		{ 0xf2f52010, "f2fs" },
		{ 0xca451a4e, "bcachefs" },
		{ 0x4d44, "vfat" },
		{ 0x5346544e, "ntfs" },
		{ 0x6969, "nfs" },
		{ 0x01021997, "9p" },
		{ 0x65735546, "fuse" },
		{ 0xff534d42, "cifs" },
		{ 0xfe534d42, "smb" },
	};
	uint64_t magic = fs->ops->magic(fs->state, dir);

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].magic == magic)
			return types[i].name;
	}
	(void)snprintf(
		ret_name, 24, "%#llx", (unsigned long long)magic); /* fits */
	return ret_name;
}
