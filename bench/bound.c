/*
 * bound: the least that driving tasks can cost, when each has a worker and a
 * check, each of the two has a monitor, and what happens is written down.
 *
 *	bound TASKS LANES SYNCS FILE MONITOR PROGRAM
 *
 * Each of the LANES starts a task when its last one ended.  A task is `MONITOR
 * -- PROGRAM` twice, one after the other, each behind a commit, which is a
 * write of 700 bytes to FILE and an fdatasync; with 3 SYNCS instead of 2 there
 * is one more before the first.  Nothing is decided, nothing else is written,
 * no folder is made, nothing is looked at.
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
	uint64_t left;  /* tasks that no lane has begun */
	uint64_t syncs; /* of a task */
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
}

/* The worker of a new task, if there is one. */
static void
begin(struct bound *b, size_t lane)
{
	b->checking[lane] = false;
	for (uint64_t i = 1; i < b->syncs; i++)
		commit(b);
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
	commit(b);
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

	if (argc != 7)
		die("usage: bound TASKS LANES SYNCS FILE MONITOR PROGRAM");
	if (num_u64(str_from(argv[1]), 1, 1000000, &b.left, &err) != PAWL_OK ||
		num_u64(str_from(argv[2]), 1, LANES_MAX, &lanes, &err) !=
			PAWL_OK ||
		num_u64(str_from(argv[3]), 2, 3, &b.syncs, &err) != PAWL_OK)
		die("%s", err.msg);
	b.file = open(argv[4], O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (b.file < 0)
		die("could not open '%s'", argv[4]);
	b.argv[0] = argv[5];
	b.argv[1] = dashes;
	b.argv[2] = argv[6];
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
