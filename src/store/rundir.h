/*
 * rundir: where runs live below the state directory.
 *
 *	format                  `pawl 1`: this is a state directory
 *	runs/ID/                one run: events.jsonl, lock, state.json, plan/,
 *	                        capsules/, outbox/, results/, artifacts/sha256/,
 *	                        logs/
 *	active/ID               an empty file: the run isn't closed
 *
 * Directories are 0700, files 0600.  A run is made in this order, each step
 * synced: its directory, its frozen inputs in plan/, the empty journal, the
 * mark in active/; the first event is the caller's.  A run whose journal holds
 * no line, or a torn one, was never started: its maker died or failed on the
 * way.
 *
 * `state` is the state directory's descriptor.
 */
#ifndef PAWL_STORE_RUNDIR_H
#define PAWL_STORE_RUNDIR_H

#include "os/fs.h"

/* Bytes that are frozen when a run starts: plan/NAME. */
struct rundir_input {
	const char *name;
	struct str bytes;
};

struct rundir_inputs {
	const struct rundir_input *items;
	size_t count;
};

/*
 * Make the state directory's own parts, and prove that locks work there.
 * Repeating it does no harm.  Errors: ERR_NO_LOCKS; ERR_NEWER_FORMAT when
 * another version made it; ERR_IO, ERR_NOT_PERMITTED.
 */
PAWL_MUST_CHECK enum pawl_rc rundir_init_state(
	const struct fs *fs, int state, struct pawl_err *err);

/*
 * Is it one?  Errors: ERR_FILE_NOT_FOUND when it has no `format`;
 * ERR_NEWER_FORMAT; ERR_IO, ERR_NOT_PERMITTED.
 */
PAWL_MUST_CHECK enum pawl_rc rundir_check_state(
	const struct fs *fs, int state, struct pawl_err *err);

/* A name of one component that can't lead elsewhere:
 * [A-Za-z0-9_-][A-Za-z0-9._-]* of at most BOUND_ID_BYTES. */
bool rundir_is_id(struct str id);

/*
 * Make the run `id`, up to its first event.
 * Errors: ERR_INVALID_ID; ERR_ID_TAKEN; ERR_NO_LOCKS; ERR_IO and others of fs.
 */
PAWL_MUST_CHECK enum pawl_rc rundir_create(const struct fs *fs, int state,
	const char *id, const struct rundir_inputs *inputs, int *ret_dir,
	struct pawl_err *err);

/*
 * The same for a folder without inputs that is there already: what its maker
 * didn't come to is made, the rest stays as it is.  Several may try at once;
 * who has the journal's lock first begins the run.  Errors: as rundir_create,
 * and ERR_RUN_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc rundir_complete(
	const struct fs *fs, int state, const char *id, struct pawl_err *err);

/* Errors: ERR_RUN_NOT_FOUND, also for what can't be a run's id. */
PAWL_MUST_CHECK enum pawl_rc rundir_open(const struct fs *fs, int state,
	const char *id, int *ret_dir, struct pawl_err *err);

enum rundir_which {
	RUNDIR_ALL,
	RUNDIR_ACTIVE,  /* by the marks, which `verify` can rebuild */
	RUNDIR_STARTED, /* of those, the ones whose journal holds a line */
};

/* Append the ids, sorted, each with a NUL.  No state directory, no runs. */
PAWL_MUST_CHECK enum pawl_rc rundir_list(const struct fs *fs, int state,
	enum rundir_which which, struct buf *ret_ids, struct pawl_err *err);

/* Make or remove the mark in active/, synced; repeating it does no harm. */
PAWL_MUST_CHECK enum pawl_rc rundir_mark_active(const struct fs *fs, int state,
	const char *id, bool active, struct pawl_err *err);

#endif
