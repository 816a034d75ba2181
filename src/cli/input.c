#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 1 << 16 };

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
	if (path != NULL && strcmp(path, "-") != 0)
		return fs_read(ctx->fs, AT_FDCWD, path, max, to, err);
	return read_stdin(max, to, err);
}
