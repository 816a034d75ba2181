/*
 * monitor: pawl-child seen from whoever spawns it (child/guard.h is its
 *inside).
 *
 *	monitor_spawn()   nothing is executed yet; the identity is known
 *	   write down {pid, start}
 *	monitor_open()    the worker starts
 *	   wait for pidfd to become readable
 *	monitor_reap()    then look for its end in `exits`
 *
 * A spawner that ends before monitor_open() closes the gate, and the monitor
 * ends without a trace.  One that ends later changes nothing: its successor
 * takes the monitor over with monitor_adopt().
 *
 * An end in `exits` (child/exitfile.h) counts only once the monitor has ended.
 * None then means that the outcome is unknown, unless the line of the opened
 * gate isn't there either.
 */
#ifndef PAWL_OS_MONITOR_H
#define PAWL_OS_MONITOR_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "os/isolate.h"
#include "os/landlock.h"

struct monitor_spec {
	const char *program;     /* pawl-child; see monitor_program() */
	const char *const *argv; /* of the worker; NULL-terminated */
	const char *const *envp; /* of the worker: all of it */
	const char *name;        /* in the lines that it appends to `exits` */
	int exits;               /* a file opened to append */
	const char *outbox;      /* absolute, as all paths here; may be NULL */
	const char *log;
	const char *input;              /* stdin of the worker; NULL for none */
	struct str input_bytes;         /* instead of it, unless empty */
	const char *cwd;                /* NULL is / */
	uint64_t deadline_ms;           /* from the opening of the gate */
	uint64_t grace_ms;              /* between TERM and KILL */
	const char *const *masks;       /* names of secret variables; or NULL */
	const char *const *limits;      /* such as "nofile=256"; or NULL */
	const struct landlock *confine; /* the worker; NULL: not */
	unsigned refused;               /* flags of os/seccomp.h */
	struct isolate apart;
};

struct monitor {
	pid_t pid;
	uint64_t start; /* clock ticks since boot; names it with the pid */
	int pidfd;      /* readable when it ended */
	int gate;       /* -1 once open, and when adopted */
};

/*
 * The pawl-child that belongs to this program: below libexec/pawl of the same
 * prefix, or beside it in a build tree.  Errors: ERR_FILE_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc monitor_program(
	char ret_path[PATH_MAX], struct pawl_err *err);

/* Errors: ERR_SPAWN, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc monitor_spawn(const struct monitor_spec *spec,
	struct monitor *ret_monitor, struct pawl_err *err);

/* Let the worker start.  Errors: ERR_SPAWN when the monitor has ended. */
PAWL_MUST_CHECK enum pawl_rc monitor_open(
	struct monitor *m, struct pawl_err *err);

/*
 * Take over a monitor that another process spawned; `*ret_alive` is false, and
 * `*ret_monitor` untouched, when none with this id and start time lives.
 * Errors: ERR_IO when that can't be told.
 */
PAWL_MUST_CHECK enum pawl_rc monitor_adopt(pid_t pid, uint64_t start,
	bool *ret_alive, struct monitor *ret_monitor, struct pawl_err *err);

/* Ask it to end the worker: TERM, grace, KILL.  Ended already is fine. */
void monitor_end(const struct monitor *m);

/* As monitor_end() without grace; also a monitor that was stopped goes on. */
void monitor_force(const struct monitor *m);

/* Ctrl-Z and fg: the worker's group, and its deadline with it. */
void monitor_pause(const struct monitor *m);
void monitor_continue(const struct monitor *m);

/*
 * Its deadline stands still while a human is to answer, and goes on; the worker
 * goes on in both.  To say it again changes nothing.
 */
void monitor_hold(const struct monitor *m);
void monitor_unhold(const struct monitor *m);

/*
 * After its end: leave no zombie, close what is open.  Its exit status (a class
 * of base/err.h, 128 + signal), or -1 when it isn't a child of ours.
 */
int monitor_reap(struct monitor *m);

/* Let it go on without us; a gate that isn't open closes for ever. */
void monitor_close(struct monitor *m);

#endif
