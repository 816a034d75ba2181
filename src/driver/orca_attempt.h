/*
 * orca_attempt: what stands in PAWL_DRIVER_STATE about one attempt.
 *
 * A folder, named by the digest of its identity (the retry id):
 *
 *	request   what was asked for, whole; durable before anything is made
 *	claim     who holds the attempt: "PID START" of the holder in orca's
 *	          terminal, or `never`, when nobody may any more
 *	refs      what `start` answered; durable before it did
 *	gate      `open` or `cancelled`
 *	monitor   "PID START" of the worker's monitor (os/monitor.h), before its
 *	          own gate is opened
 *	exits     how it ended (child/exitfile.h)
 *	log       what it printed
 *	released  it was let go of, and that was proven
 *
 * `claim`, `gate` and `released` are made once, by whoever comes first, and
 * never changed.  So a terminal that orca made twice, or late, has a holder
 * that finds the claim taken, and ends; and a gate isn't both.
 */
#ifndef PAWL_DRIVER_ORCA_ATTEMPT_H
#define PAWL_DRIVER_ORCA_ATTEMPT_H

#include <sys/types.h>

#include "driver/serve.h"

#define ORCA_CLAIM "claim"
#define ORCA_CLAIM_NEVER "never"
#define ORCA_GATE "gate"
#define ORCA_GATE_OPEN "open"
#define ORCA_GATE_CANCELLED "cancelled"
#define ORCA_REFS "refs"
#define ORCA_RELEASED "released"

enum { ORCA_KEY = 32, ORCA_FILE_BYTES = 4096 };

struct orca_attempt {
	int dir; /* of its folder; -1: none */
	char key[ORCA_KEY + 1];
	const char *path;           /* of its folder, absolute */
	const struct json *request; /* NULL: nothing was asked for */
};

/* A process that isn't mistaken for another; pid 0: none. */
struct orca_process {
	pid_t pid;
	uint64_t start;
	bool alive;
};

enum orca_life {
	ORCA_UNCLAIMED, /* no terminal has begun; one may yet */
	ORCA_NEVER,     /* none may any more */
	ORCA_HELD,      /* a holder lives; no worker yet */
	ORCA_RUNNING,
	ORCA_ENDED, /* `exits` says how */
	ORCA_VOID,  /* its holder is gone; nothing was executed */
	ORCA_LOST,  /* its monitor is gone and hasn't said how it ended */
};

struct orca_look {
	enum orca_life life;
	struct orca_process holder, monitor;
	const struct json *end; /* the line of its end; NULL: none */
};

/* The key of an identity. */
void orca_key(struct str identity, char ret_key[ORCA_KEY + 1]);

/*
 * Open the folder of a key below `state` (a path), or make it; without `make`
 * and a folder `ret_attempt` has none, and it is no failure.  Fails with
 * SERVE_UNAVAILABLE.
 */
bool orca_attempt_open(const char *state, const char *key, bool make,
	struct arena *mem, struct orca_attempt *ret_attempt,
	struct serve_failure *failure);
void orca_attempt_close(struct orca_attempt *a);

/* Of a small file; empty when it isn't there. */
struct str orca_file(
	const struct orca_attempt *a, const char *name, struct arena *mem);

/*
 * Make a small file, durable; one that is there stays, and `*ret_is` is
 * whether it is the same.  Fails with SERVE_UNKNOWN.
 */
bool orca_file_once(const struct orca_attempt *a, const char *name,
	struct str bytes, bool *ret_is, struct serve_failure *failure);

/* How far it has come. */
void orca_attempt_look(const struct orca_attempt *a, struct arena *mem,
	struct orca_look *ret_look);

/* "PID START" of this process or another; false: it is gone. */
bool orca_process_text(pid_t pid, struct arena *mem, struct str *ret_text);

#endif
