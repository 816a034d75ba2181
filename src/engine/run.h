/*
 * run: one run, open: its journal, its frozen plan and its state together.
 *
 *	reading                       changing
 *	run_open(&r, &place, id)      run_open(&r, &place, id)
 *	… run_state(&r) …             run_begin(&r)          lock, catch up
 *	run_close(&r)                 run_propose(&r, &cmd)  decide, fold; again
 *	                              run_commit(&r)         one line, one sync
 *	                              run_close(&r)
 *
 * Between run_begin() and run_commit() the lock is held: no check, no driver,
 * no network call happens there.  run_commit() returns after the line is on the
 * disk; what was proposed is true only then.  A commit that fails, and a
 * proposal that was folded and never committed (run_abort), leave a state that
 * the journal doesn't know, so the run is read again from the disk.
 *
 * Several proposals of one commit are decided one after the other, each on the
 * state that the ones before it made; the gates that became due are added.
 */
#ifndef PAWL_ENGINE_RUN_H
#define PAWL_ENGINE_RUN_H

#include "model/apply.h"
#include "model/decide.h"
#include "os/clock.h"
#include "os/fs.h"
#include "store/journal.h"
#include "store/keys.h"

enum { RUN_LOCK_MS = 5000 };

/* Where a process stands; the same for every run that it opens. */
struct place {
	const struct fs *fs;
	const struct clock *clock;
	int state_dir;          /* descriptor of <state> */
	const char *state_path; /* absolute */
	const char *keys_path;  /* folder of the runs' keys; absolute */
};

/* Called for each commit as it is folded: ours, and others' as they are read.
 */
typedef void run_watch_fn(void *arg, const struct line_facts *line,
	const struct event *events, size_t count);

/* Not to be copied: the state looks into the plan beside it. */
struct run {
	const struct place *place;
	struct str id;
	int dir; /* descriptor of the run's folder */
	struct plan plan;
	struct state state;
	struct journal journal;
	struct keys keys;                 /* idempotency keys of commits */
	struct journal_tail tail;         /* how the last reading ended */
	struct journal_repaired repaired; /* to be told by the next commit */
	struct journal_tail
		unfit;      /* a line that can't be folded; line 0: none */
	bool stopped;       /* reading met it */
	bool drift;         /* the projection disagreed and wasn't believed */
	bool folded;        /* proposals were folded and are not committed */
	uint64_t projected; /* offset that the projection on disk reaches */
	uint64_t projection_bytes;
	struct str actor;   /* of our lines, one word */
	uint64_t gen;       /* our generation, as a coordinator */
	struct str mac_key; /* of run_mac_key(), once it was asked for */
	char at[CLOCK_TEXT_BYTES + 1]; /* of the commit under way */
	struct events draft;           /* what it will say */
	struct buf draft_json;         /* the same, as it will be written */
	struct buf list;               /* the frozen list's bytes */
	run_watch_fn *watch;
	void *watch_arg;
	struct arena mem;  /* lives as long as the run */
	struct arena line; /* of one line that is being read */
};

/*
 * Open and read a run: projection, then the journal's tail.  Takes no lock.
 *
 * A journal with a torn or corrupt end is opened as far as it is good; `tail`
 * says the rest.  A line whose events can't be folded (a newer version's, or
 * nonsense under a good chain) ends the good part, too, as JOURNAL_CORRUPT.
 * Errors: ERR_RUN_NOT_FOUND; ERR_RUN_KIND for a ledger's; ERR_DIGEST_MISMATCH
 * when the frozen list isn't the
 * one that the run started with; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc run_open(struct run *r, const struct place *place,
	struct str id, struct pawl_err *err);
void run_close(struct run *r);

/* Read what others have appended since.  Errors: as run_open. */
PAWL_MUST_CHECK enum pawl_rc run_refresh(struct run *r, struct pawl_err *err);

/*
 * Does what was read by way of the projection agree with the journal read from
 * its first line?  Afterwards the state is the journal's.  Takes no lock.
 */
PAWL_MUST_CHECK enum pawl_rc run_prove(
	struct run *r, bool *ret_agrees, struct pawl_err *err);

/* Make the projection anew, under the lock.  Errors: those of run_begin. */
PAWL_MUST_CHECK enum pawl_rc run_project(struct run *r, struct pawl_err *err);

/*
 * Lock and catch up.  Errors: those of journal_lock and journal_catch_up;
 * ERR_CORRUPT, ERR_NEWER_FORMAT for events that can't be folded.
 */
PAWL_MUST_CHECK enum pawl_rc run_begin(struct run *r, struct pawl_err *err);

/* Decide and fold one more.  After a refusal nothing of it is in the state. */
PAWL_MUST_CHECK enum pawl_rc run_propose(
	struct run *r, const struct command *cmd, struct pawl_err *err);

/*
 * Append what was proposed, with the gates that became due, and unlock.  With
 * nothing proposed only unlocks.  Errors: those of journal_append; the run has
 * then been read again.
 */
PAWL_MUST_CHECK enum pawl_rc run_commit(struct run *r, struct pawl_err *err);

/* With an idempotency key: `request` is what the key stands for. */
PAWL_MUST_CHECK enum pawl_rc run_commit_key(struct run *r, struct str key,
	struct str request, struct pawl_err *err);

/* Unlock without a commit; folded proposals are forgotten by reading again. */
PAWL_MUST_CHECK enum pawl_rc run_abort(struct run *r, struct pawl_err *err);

/*
 * The same after `rc`, which is the answer unless it was PAWL_OK and the run
 * can't be read again: what went wrong first is told.
 */
PAWL_MUST_CHECK enum pawl_rc run_give_up(
	struct run *r, enum pawl_rc rc, struct pawl_err *err);

/*
 * The key that signs coordinators' lines, read when it is first asked for;
 * empty where it isn't there.  Errors: ERR_IO when it is there and can't be
 * read.
 */
PAWL_MUST_CHECK enum pawl_rc run_mac_key(
	struct run *r, struct str *ret_key, struct pawl_err *err);

/* A command of this coordinator with `type`, for node and attempt. */
struct command run_command(struct run *r, enum event_type type, struct str node,
	struct str attempt);

#endif
