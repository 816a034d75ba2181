#include "cli/stdin.h"

#include <errno.h>
#include <unistd.h>

enum { STEP = 1 << 16 };

enum pawl_rc
stdin_read(size_t max, struct buf *to, struct pawl_err *err)
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
