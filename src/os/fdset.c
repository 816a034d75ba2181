#include "os/fdset.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/die.h"

static int
lift(int fd, size_t above)
{
	return fcntl(fd, F_DUPFD_CLOEXEC, (int)above);
}

bool
fdset_init(struct fdset *set, const int *fds, size_t count, int dir_fd)
{
	size_t targets = count < 3 ? 3 : count;

	assert(count <= FDSET_MAX);
	*set = (struct fdset)FDSET_INIT;
	for (size_t i = 0; i < targets; i++) {
		int fd = i < count ? fds[i] : -1;
		int copy = fd < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC)
				  : lift(fd, targets);

		if (copy >= 0 && (size_t)copy < targets) {
			int low = copy;

			copy = lift(low, targets);
			(void)close(low);
		}
		if (copy < 0)
			goto fail;
		set->fds[set->count++] = copy;
	}
	if (dir_fd > 0) {
		set->dir = lift(dir_fd, targets);
		if (set->dir < 0)
			goto fail;
	}
	return true;
fail:
	fdset_release(set);
	return false;
}

void
fdset_release(struct fdset *set)
{
	int sys = errno;

	for (size_t i = 0; i < set->count; i++)
		(void)close(set->fds[i]); /* copies: nothing is lost */
	if (set->dir >= 0)
		(void)close(set->dir);
	*set = (struct fdset)FDSET_INIT;
	errno = sys;
}
