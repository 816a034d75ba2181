#include "engine/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"

enum { FILE_PART = 64 << 10 };

/* A descriptor; or -1 with errno, which is EINVAL for what isn't a file. */
static int
open_regular(const char *path, struct stat *ret_stat)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret_stat) == 0 && S_ISREG(ret_stat->st_mode))
		return fd;
	(void)close(fd); /* was only read */
	errno = EINVAL;
	return -1;
}

static bool
is_absent(int sys)
{
	return sys == ENOENT || sys == ENOTDIR;
}

static bool
write_all(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= (size_t)n;
	}
	return true;
}

const char *
file_real_path(const char *path, struct arena *mem)
{
	char link[64], real[BOUND_PATH_BYTES];
	int fd = open(path, O_PATH | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return NULL;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real));
	(void)close(fd); /* only looked at */
	if (n > 0 && (size_t)n < sizeof(real) && real[0] == '/')
		return arena_strdup(mem, (struct str){ real, (size_t)n });
	if (realpath(path, real) == NULL) /* without /proc */
		return NULL;
	return arena_strdup(mem, str_from(real));
}

enum pawl_rc
file_read(
	const char *path, struct buf *to, bool *ret_found, struct pawl_err *err)
{
	struct stat st;
	enum pawl_rc rc = PAWL_OK;
	size_t start = to->len;
	int fd = open_regular(path, &st);

	if (fd < 0 && is_absent(errno)) {
		*ret_found = false;
		return PAWL_OK;
	}
	if (fd < 0)
		return pawl_fail_sys(err, ERR_IO, "could not read '%s'", path);
	for (;;) {
		char part[FILE_PART];
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rc = pawl_fail_sys(
				err, ERR_IO, "could not read '%s'", path);
		}
		if (n <= 0)
			break;
		buf_add(to, (struct str){ part, (size_t)n });
		if (!buf_ok(to)) {
			rc = pawl_fail(err, ERR_LIMIT,
				"'%s' is over the limit of %zu bytes", path,
				to->max);
			break;
		}
		/* all that it was when it was opened */
		if (to->len - start == (size_t)st.st_size)
			break;
	}
	(void)close(fd); /* was only read */
	if (rc == PAWL_OK)
		*ret_found = true;
	return rc;
}

static enum pawl_rc
write_file(const char *path, int flags, struct str bytes, struct pawl_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags,
		0600);
	bool written;

	if (fd < 0) {
		return pawl_fail_sys(err,
			errno == EEXIST ? ERR_ID_TAKEN : ERR_IO,
			"could not make '%s'", path);
	}
	written = write_all(fd, bytes.ptr, bytes.len);
	if (!written)
		(void)pawl_fail_sys(err, ERR_IO, "could not write '%s'", path);
	if (close(fd) != 0 && written) {
		(void)pawl_fail_sys(err, ERR_IO, "could not write '%s'", path);
		written = false;
	}
	return written ? PAWL_OK : err->rc;
}

enum pawl_rc
file_create(const char *path, struct str bytes, struct pawl_err *err)
{
	return write_file(path, O_EXCL, bytes, err);
}

enum pawl_rc
file_replace(const char *path, struct str bytes, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *making = arena_strdup(
		&mem, arena_format(&mem, "%s.%ld", path, (long)getpid()));
	enum pawl_rc rc;

	(void)unlink(making); /* of an earlier process with our number */
	rc = file_create(making, bytes, err);
	if (rc == PAWL_OK &&
		(chmod(making, S_IRUSR | S_IWUSR) != 0 ||
			rename(making, path) != 0))
		rc = pawl_fail_sys(err, ERR_IO, "could not make '%s'", path);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
file_append(const char *path, struct str bytes, struct pawl_err *err)
{
	return write_file(path, O_APPEND, bytes, err);
}

bool
file_copy_bytes(int from, int to)
{
	for (;;) {
		char part[FILE_PART];
		ssize_t n = read(from, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0;
		if (!write_all(to, part, (size_t)n))
			return false;
	}
}

enum pawl_rc
file_copy(
	const char *from, const char *to, bool *ret_found, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *temp = arena_strdup(&mem, arena_format(&mem, "%s.new", to));
	struct stat st;
	enum pawl_rc rc = PAWL_OK;
	int in, out = -1;

	in = open_regular(from, &st);
	if (in < 0 && is_absent(errno)) {
		*ret_found = false;
		goto out;
	}
	if (in >= 0) {
		out = open(temp,
			O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
			0600);
	}
	if (out < 0 || !file_copy_bytes(in, out) ||
		futimens(out, (struct timespec[]){ st.st_atim, st.st_mtim }) !=
			0 ||
		rename(temp, to) != 0) {
		rc = pawl_fail_sys(
			err, ERR_IO, "could not copy '%s' to '%s'", from, to);
		goto out;
	}
	*ret_found = true;
out:
	if (in >= 0)
		(void)close(in); /* was only read */
	if (out >= 0)
		(void)close(out); /* the rename stands; nothing is synced */
	arena_reset(&mem);
	return rc;
}
