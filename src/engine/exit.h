/*
 * exit: what a monitor left behind about how its child ended.
 *
 * `exit.json` in the outbox, written by pawl-child by rename, last of all; its
 * fields stand in child/exitfile.h.  When it is missing and the monitor is
 * gone, the monitor itself was killed and the outcome is unknown.
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

struct exit_facts {
	enum exit_kind kind;
	uint64_t code;      /* exit status or signal */
	struct str message; /* EXIT_START_FAILED: why */
	uint64_t duration_ms;
	uint64_t stdout_bytes, stderr_bytes;
	struct str stdout_sha256, stderr_sha256;
	uint64_t survivors; /* processes that outlived the child; ended */
	uint64_t remaining; /* that even KILL didn't end */
};

/*
 * Read `<dir>/exit.json`, texts in `mem`.
 * Errors: ERR_FILE_NOT_FOUND when it isn't there; ERR_CORRUPT for another form.
 */
PAWL_MUST_CHECK enum pawl_rc exit_read(const struct fs *fs, const char *dir,
	struct arena *mem, struct exit_facts *ret_facts, struct pawl_err *err);

/* Put the facts into an event that has the fields of an end. */
void exit_set(struct event *e, const struct exit_facts *x);

/* `exit 1`, `signal 9`, `timeout`, `start failed: …`, in `mem`. */
struct str exit_words(const struct exit_facts *x, struct arena *mem);

/* The last non-empty line of a log, at most 200 bytes; empty when none. */
struct str exit_last_line(const struct fs *fs, const char *dir, const char *log,
	struct arena *mem);

/* At most `max` bytes from the end of a log, from a line's start on. */
struct str exit_tail(const struct fs *fs, const char *dir, const char *log,
	size_t max, struct arena *mem);

#endif
