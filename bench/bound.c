/*
 * bound: the least that driving tasks can cost, when each has a worker and a
 * check, each of the two has a monitor, and what happens is written down.
 *
 *	bound TASKS LANES FILE MONITOR PROGRAM
 *
 * A lane starts a task when its last one ended.  A task is: a commit, `MONITOR
 * -- PROGRAM` from start to end, a commit, the same once more, a commit, in
 * which the next task of the lane begins, too; one more commit stands between
 * the start of its first monitor and that monitor's work, which isn't waited
 * for here.  A commit is a write of 700 bytes to FILE and an fdatasync.
 * Nothing is decided, nothing else is written, no folder is made.
 */
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/die.h"
#include "base/num.h"

extern char **environ;

enum { LANES_MAX = 64, COMMIT_BYTES = 700 };

struct bound {
	uint64_t left; /* tasks that no lane has begun */
	int file;
	char *argv[4];
	struct pollfd lanes[LANES_MAX];
	pid_t pids[LANES_MAX];
	bool checking[LANES_MAX];
};

static void
commit(const struct bound *b)
{
	static const char bytes[COMMIT_BYTES];

	if (write(b->file, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes) ||
		fdatasync(b->file) != 0)
		die("could not commit");
}

static void
start(struct bound *b, size_t lane)
{
	if (posix_spawn(&b->pids[lane], b->argv[0], NULL, NULL, b->argv,
		    environ) != 0)
		die("could not start '%s'", b->argv[0]);
	b->lanes[lane].fd = pidfd_open(b->pids[lane], 0);
	if (b->lanes[lane].fd < 0)
		die("could not hold a process");
	commit(b);
}

/* The worker of a new task, if there is one. */
static void
begin(struct bound *b, size_t lane)
{
	b->checking[lane] = false;
	commit(b); /* the end of the last task, and the reservation */
	if (b->left == 0)
		return;
	b->left--;
	start(b, lane);
}

static void
ended(struct bound *b, size_t lane)
{
	int status = 0;

	if (waitpid(b->pids[lane], &status, 0) != b->pids[lane] || status != 0)
		die("'%s' failed", b->argv[0]);
	(void)close(b->lanes[lane].fd); /* nothing was written through it */
	b->lanes[lane].fd = -1;
	if (b->checking[lane]) {
		begin(b, lane);
		return;
	}
	b->checking[lane] = true;
	start(b, lane);
}

int
main(int argc, char **argv)
{
	struct bound b = { 0 };
	struct pawl_err err;
	uint64_t lanes = 0;
	bool busy = true;
	char dashes[] = "--";

	if (argc != 6)
		die("usage: bound TASKS LANES FILE MONITOR PROGRAM");
	if (num_u64(str_from(argv[1]), 1, 1000000, &b.left, &err) != PAWL_OK ||
		num_u64(str_from(argv[2]), 1, LANES_MAX, &lanes, &err) !=
			PAWL_OK)
		die("%s", err.msg);
	b.file = open(argv[3], O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (b.file < 0)
		die("could not open '%s'", argv[3]);
	b.argv[0] = argv[4];
	b.argv[1] = dashes;
	b.argv[2] = argv[5];
	for (size_t i = 0; i < lanes; i++) {
		b.lanes[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
		begin(&b, i);
	}
	while (busy) {
		busy = false;
		for (size_t i = 0; i < lanes; i++)
			busy = busy || b.lanes[i].fd >= 0;
		if (busy && poll(b.lanes, lanes, -1) < 0)
			die("could not wait");
		for (size_t i = 0; i < lanes; i++) {
			if (b.lanes[i].fd >= 0 && b.lanes[i].revents != 0)
				ended(&b, i);
		}
	}
	return 0;
}
