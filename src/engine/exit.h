/*
 * exit: what a monitor left behind about how its child ended.
 *
 * Two lines of the run's `outbox/exits`, one before anything is executed and
 * one at the end; their fields stand in child/exitfile.h.  When the monitor is
 * gone and the second is missing, the monitor itself was killed and the outcome
 * is unknown; when the first is missing, too, nothing was executed.
 */
#ifndef PAWL_ENGINE_EXIT_H
#define PAWL_ENGINE_EXIT_H

#include "model/event.h"
#include "os/fs.h"

enum exit_kind {
	EXIT_CODE,
	EXIT_SIGNAL,
	EXIT_TIMEOUT,
	EXIT_ASKED,
	EXIT_START_FAILED
};

enum exit_trace {
	EXIT_TRACE_NONE,   /* nothing was executed */
	EXIT_TRACE_OPENED, /* the gate was opened, and no end is known */
	EXIT_TRACE_ENDED,
};

struct exit_facts {
	enum exit_trace trace; /* ENDED: the rest says how */
	enum exit_kind kind;
	uint64_t code;      /* exit status or signal */
	struct str message; /* EXIT_START_FAILED: why */
	uint64_t duration_ms;
	uint64_t held_ms;   /* of it, with the deadline standing still */
	struct strs silent; /* how long which sign of life was missing */
	struct str session; /* what an agent's program said:
			       model/agent_output.h */
	struct strs usage;
	uint64_t stdout_bytes, stderr_bytes;
	struct str stdout_sha256, stderr_sha256;
	uint64_t survivors; /* processes that outlived the child; ended */
	uint64_t remaining; /* that even KILL didn't end */
};

/* Whose end is looked for. */
struct exit_of {
	struct str name;     /* of the worker or check */
	uint64_t pid, start; /* of its monitor */
	uint64_t from;       /* offset before which it wrote nothing */
};

/* Open the run's file for its monitors.  Errors: those of fs_open. */
PAWL_MUST_CHECK enum pawl_rc exit_open(
	const struct fs *fs, int run_dir, int *ret_fd, struct pawl_err *err);

/* Its size: what a monitor that isn't open yet will write comes behind. */
PAWL_MUST_CHECK enum pawl_rc exit_size(
	const struct fs *fs, int fd, uint64_t *ret_size, struct pawl_err *err);

/*
 * Look for what a monitor that is gone has left; texts are in `mem`.  A line
 * that isn't whole is none.  Errors: ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc exit_read(const struct fs *fs, int fd,
	const struct exit_of *of, struct arena *mem,
	struct exit_facts *ret_facts, struct pawl_err *err);

/* Put the facts into an event that has the fields of an end. */
void exit_set(struct event *e, const struct exit_facts *x);

/*
 * It ended with 0, and so did all that it started.  What still ran then may be
 * the very work that it was to wait for.
 */
bool exit_is_success(const struct exit_facts *x);

/* `exit 1`, `signal 9`, `timeout`, `start failed: …`, in `mem`. */
struct str exit_words(const struct exit_facts *x, struct arena *mem);

/* The last non-empty line of a log, at most 200 bytes; empty when none. */
struct str exit_last_line(const struct fs *fs, const char *dir, const char *log,
	struct arena *mem);

/* At most `max` bytes from the end of a log, from a line's start on. */
struct str exit_tail(const struct fs *fs, const char *dir, const char *log,
	size_t max, struct arena *mem);

#endif
