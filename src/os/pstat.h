/*
 * pstat: what the kernel says about one process: /proc/PID/stat.
 *
 * A process id alone names nobody: it is used again.  The pair of id and start
 * time (field 22, in clock ticks since the machine started) does.
 *
 * `proc` is where procfs is, "/proc" outside tests.
 */
#ifndef PAWL_OS_PSTAT_H
#define PAWL_OS_PSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { PSTAT_COMM_BYTES = 63 };

struct pstat {
	pid_t pid;
	uint64_t start; /* clock ticks since boot */
	pid_t parent;
	pid_t group;
	pid_t session;
	char state;   /* R S D T t Z X … */
	long threads; /* a leader may have ended before its threads */
	uint64_t cpu; /* clock ticks; of itself and of what it waited for */
	char comm[PSTAT_COMM_BYTES + 1]; /* any bytes but NUL */
};

enum pstat_found {
	PSTAT_HERE,
	PSTAT_GONE,
	PSTAT_HIDDEN, /* there or not: we can't see */
};

enum pstat_found pstat_read(
	const char *proc, pid_t pid, struct pstat *ret_stat);

/* Ended, but not waited for: it does nothing any more. */
bool pstat_is_dead(const struct pstat *stat);

/*
 * Send a signal to exactly this process; false when it is gone.  A process that
 * has got the same id since is left alone.
 */
bool pstat_signal(const char *proc, const struct pstat *stat, int signo);

#endif
