#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 1 << 16 };

/* A pipe, a terminal or a device is read as far as it goes. */
static enum pawl_rc
must_be_readable(struct pawl_err *err)
{
	struct stat st;

	if (fstat(STDIN_FILENO, &st) == 0 && S_ISDIR(st.st_mode))
		return pawl_fail(
			err, ERR_INVALID_PATH, "standard input is a folder");
	return PAWL_OK;
}

static enum pawl_rc
read_stdin(size_t max, struct buf *to, struct pawl_err *err)
{
	size_t start = to->len;
	ssize_t n = 1;

	while (n > 0 && to->len - start <= max) {
		char *room = buf_reserve(to, STEP);

		n = read(STDIN_FILENO, room, STEP);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < 0)
			return pawl_fail_sys(
				err, ERR_IO, "could not read standard input");
		else
			to->len += (size_t)n;
	}
	if (to->len - start <= max)
		return PAWL_OK;
	return pawl_fail(err, ERR_LIMIT,
		"standard input is over the limit of %zu bytes", max);
}

const char *
input_name(const char *path)
{
	return path == NULL || strcmp(path, "-") == 0 ? "<stdin>" : path;
}

enum pawl_rc
input_read(const struct cmd_ctx *ctx, const char *path, size_t max,
	struct buf *to, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (path != NULL && strcmp(path, "-") != 0)
		return fs_read_document(ctx->fs, AT_FDCWD, path, max, to, err);
	rc = must_be_readable(err);
	return rc == PAWL_OK ? read_stdin(max, to, err) : rc;
}
