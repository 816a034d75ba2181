/*
 * exitfile: how workers and checks ended, as lines of one file of the run.
 *
 * Each monitor appends two lines, each by one write with O_APPEND and each
 * behind an empty line, so that one that was cut off spoils no other: the first
 * before anything is executed, the second last of all.  A line is one JSON
 * object.  Both have "v":1, "of" (the name of the worker or check) and
 * "monitor" {"pid","start"}; the first has "opened":true, and the second
 * exactly one of these:
 *
 *	"exit":N                the worker's exit status
 *	"signal":N              a signal that wasn't ours ended it
 *	"timeout":true          its deadline passed; "limit_ms", and in "last"
 *	                        how it ended then: {"exit":N} or {"signal":N}
 *	"interrupted":true      we were asked to end it; "last" as above
 *	"start_failed":"text"   nothing was executed; "errno":N
 *
 * and always: "started_at", "ended_at", "duration_ms" (of the worker),
 * "held_ms" (for how long its deadline stood still for a human),
 * "settle_ms" (from its end until nothing below us lived), "user_us",
 * "system_us", "rss_max_kib" (of the whole tree), "stdout" and "stderr"
 * {"bytes","sha256"} of all of the stream after masking, "log" {"head","tail",
 * "dropped"} in bytes and "failed":"text" when it couldn't be written,
 * "masked" (how often), "survivors" [{"pid","start","comm"}] that outlived the
 * worker or the grace and that we ended, "survivor_count" (the list is
 * bounded), "remaining" [the same] that even KILL didn't end, "silent"
 * {"output_ms","heartbeat_ms","cpu_ms"} at a timeout or interruption, and
 * "worker" {"pid","start"} when it was started.
 *
 * It is written after the tree is gone and the log is complete; not synced,
 * since a power cut ends the worker, too.  The file is opened by whoever
 * spawns, so its name may be gone by then.  A worker could write to it: of
 * several lines the last counts, and only once the monitor has ended.
 */
#ifndef PAWL_CHILD_EXITFILE_H
#define PAWL_CHILD_EXITFILE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/sha256.h"
#include "os/tree.h"

enum { EXITFILE_LIST_MAX = 64 };

enum end_cause {
	CAUSE_OWN, /* it ended by itself, or from outside */
	CAUSE_TIMEOUT,
	CAUSE_INTERRUPTED,
	CAUSE_START_FAILED,
};

struct stream_total {
	uint64_t bytes;
	uint8_t digest[SHA256_BYTES];
};

struct exitfile {
	const char *name; /* of the worker or check */
	enum end_cause cause;
	int status;                /* as wait(2); when it was started */
	struct pawl_err start_err; /* CAUSE_START_FAILED */
	uint64_t limit_ms;
	uint64_t started_us, ended_us; /* wall time */
	uint64_t duration_ms, held_ms, settle_ms;
	uint64_t user_us, system_us, rss_max_kib;
	struct stream_total out, err;
	uint64_t log_head, log_tail, log_dropped;
	int log_sys; /* errno, or 0 */
	uint64_t masked;
	const struct tree *survivors, *remaining;
	uint64_t silent_output_ms, silent_heartbeat_ms, silent_cpu_ms;
	pid_t worker_pid, monitor_pid;
	uint64_t worker_start, monitor_start;
};

/* The line of an end, and that of a gate that was opened; both with LF. */
void exitfile_format(const struct exitfile *e, struct buf *to);
void exitfile_format_opened(const struct exitfile *e, struct buf *to);

/* Append a line to the file.  Errors: ERR_IO, also when not all of it fits. */
PAWL_MUST_CHECK enum pawl_rc exitfile_append(
	int fd, struct str line, struct pawl_err *err);

#endif
