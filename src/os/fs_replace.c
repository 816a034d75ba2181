#include <stdio.h>

#include "os/fs.h"
#include "os/fs_retry.h"

enum {
	COPY_STEP = 256 << 10, /* bytes */
	NAME_TRIES = 16,
	NAME_ROOM = 256,
};

#define FS_TEMP_SUFFIX ".pawl-tmp"

/* What a new file is to hold. */
struct source {
	int fd; /* -1, or the file whose first `len` bytes are taken */
	uint64_t len;
	struct str bytes;
	enum fs_durability durability;
};

/* A new file under a name that nobody has: `.NAME.<16 hex>.pawl-tmp`. */
static enum pawl_rc
temp_open(const struct fs *fs, int dir, const char *name, char temp[NAME_ROOM],
	int *ret_fd, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	for (int i = 0; i < NAME_TRIES; i++) {
		unsigned long long n = fs->ops->unique(fs->state);
		int len = snprintf(temp, NAME_ROOM,
			".%.128s.%016llx" FS_TEMP_SUFFIX, name, n);

		if (len < 0 || len >= NAME_ROOM) {
			return pawl_fail(err, ERR_LIMIT,
				"file name '%s' is too long", name);
		}
		rc = fs_open(fs, dir, temp, O_WRONLY | O_CREAT | O_EXCL, ret_fd,
			err);
		if (rc == PAWL_OK || err->sys != EEXIST)
			return rc;
	}
	return rc;
}

/* What can't be removed now stays for fs_sweep. */
static void
temp_drop(const struct fs *fs, int dir, const char *temp)
{
	int rc;

	FS_RETRY(rc, fs->ops->unlink(fs->state, dir, temp, 0));
}

static enum pawl_rc
copy(const struct fs *fs, int from, uint64_t len, int to, struct pawl_err *err)
{
	struct buf step = { 0 };
	enum pawl_rc rc = PAWL_OK;
	uint64_t at = 0;

	while (rc == PAWL_OK && at < len) {
		size_t want =
			len - at < COPY_STEP ? (size_t)(len - at) : COPY_STEP;
		char *room = buf_reserve(&step, COPY_STEP);
		size_t got = want;

		rc = fs_pread(fs, from, at, room, &got, err);
		if (rc == PAWL_OK && got < want) {
			rc = pawl_fail(err, ERR_IO,
				"the file became shorter while it was copied");
		}
		if (rc == PAWL_OK)
			rc = fs_write(fs, to, (struct str){ room, got }, err);
		at += got;
	}
	buf_release(&step);
	return rc;
}

/* Write a temporary file; on failure none is left. */
static enum pawl_rc
temp_write(const struct fs *fs, int dir, const char *name,
	const struct source *from, char temp[NAME_ROOM], struct pawl_err *err)
{
	enum pawl_rc rc;
	int fd = -1;

	rc = temp_open(fs, dir, name, temp, &fd, err);
	if (rc != PAWL_OK)
		return rc;
	if (from->fd >= 0) {
		rc = copy(fs, from->fd, from->len, fd, err);
	} else {
		rc = fs_write(fs, fd, from->bytes, err);
	}
	if (rc == PAWL_OK && from->durability == FS_DURABLE)
		rc = fs_sync(fs, fd, err);
	fs_close(fs, &fd);
	if (rc == PAWL_OK)
		return PAWL_OK;
	temp_drop(fs, dir, temp);
	return pawl_wrap(err, "'%s'", name);
}

static enum pawl_rc
replace(const struct fs *fs, int dir, const char *name,
	const struct source *from, struct pawl_err *err)
{
	char temp[NAME_ROOM];
	enum pawl_rc rc;
	int sys;

	rc = temp_write(fs, dir, name, from, temp, err);
	if (rc != PAWL_OK)
		return rc;
	FS_RETRY(sys, fs->ops->rename(fs->state, dir, temp, dir, name));
	if (sys < 0) {
		rc = fs_fail(err, "replace", name);
		temp_drop(fs, dir, temp);
		return rc;
	}
	if (from->durability == FS_CACHE)
		return PAWL_OK;
	rc = fs_sync(fs, dir, err);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "'%s'", name);
}

enum pawl_rc
fs_replace(const struct fs *fs, int dir, const char *name, struct str bytes,
	enum fs_durability durability, struct pawl_err *err)
{
	const struct source from = {
		.fd = -1, .bytes = bytes, .durability = durability
	};

	return replace(fs, dir, name, &from, err);
}

enum pawl_rc
fs_replace_by_head(const struct fs *fs, int dir, const char *name, int fd,
	uint64_t len, struct pawl_err *err)
{
	const struct source from = { .fd = fd, .len = len };

	return replace(fs, dir, name, &from, err);
}

enum pawl_rc
fs_create(const struct fs *fs, int dir, const char *name, struct str bytes,
	struct pawl_err *err)
{
	const struct source from = { .fd = -1, .bytes = bytes };
	char temp[NAME_ROOM];
	enum pawl_rc rc;
	int sys;

	rc = temp_write(fs, dir, name, &from, temp, err);
	if (rc != PAWL_OK)
		return rc;
	/* A link is never made over a file; a rename is. */
	FS_RETRY(sys, fs->ops->link(fs->state, dir, temp, dir, name));
	if (sys < 0 && errno == EEXIST) {
		rc = pawl_fail(
			err, ERR_ID_TAKEN, "'%s' is there already", name);
	} else if (sys < 0) {
		rc = fs_fail(err, "make", name);
	}
	temp_drop(fs, dir, temp);
	if (rc != PAWL_OK)
		return rc;
	rc = fs_sync(fs, dir, err);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "'%s'", name);
}

enum pawl_rc
fs_create_once(const struct fs *fs, int dir, const char *name, struct str bytes,
	bool *ret_made, struct pawl_err *err)
{
	struct buf there = { 0 };
	struct pawl_err why = { 0 };
	enum pawl_rc rc = fs_create(fs, dir, name, bytes, err), read;
	bool made = rc == PAWL_OK;

	if (!made && err->code == ERR_ID_TAKEN) {
		read = fs_read(fs, dir, name, bytes.len, &there, &why);
		if (read == PAWL_EIO && why.sys != EISDIR) {
			*err = why;
			rc = read;
		} else if (read == PAWL_OK && str_eq(buf_str(&there), bytes)) {
			rc = fs_sync(fs, dir, err);
		} else {
			(void)pawl_fail(err, ERR_ID_TAKEN,
				"'%s' is there with other content", name);
		}
	}
	buf_release(&there);
	if (rc == PAWL_OK)
		*ret_made = made;
	return rc;
}

enum pawl_rc
fs_sweep(const struct fs *fs, int dir, struct pawl_err *err)
{
	struct buf names = { 0 };
	enum pawl_rc rc;

	rc = fs_list(fs, dir, &names, err);
	for (size_t at = 0; rc == PAWL_OK && at < names.len;) {
		struct str name = str_from(names.data + at);

		at += name.len + 1;
		if (str_starts(name, STR(".")) &&
			str_ends(name, STR(FS_TEMP_SUFFIX)))
			rc = fs_remove(fs, dir, name.ptr, err);
	}
	buf_release(&names);
	return rc;
}
