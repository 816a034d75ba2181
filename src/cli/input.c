#include "cli/input.h"

#include <fcntl.h>
#include <string.h>

#include "cli/stdin.h"

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
	return stdin_read(max, to, err);
}
