/*
 * ledger_run: a ledger with a journal of its own.
 *
 * A run of kind `ledger`: a folder in <state>/runs/ as any other run's, with
 * `ledger_started` in its first line and without a frozen list.  Its state is a
 * struct ledger, folded by ledger_apply().
 *
 *	reading                            changing
 *	ledger_run_open(&r, &place, id)    ledger_run_open(&r, &place, id)
 *	… r.ledger …                       ledger_run_begin(&r)      lock, read
 *on ledger_run_close(&r)               ledger_run_propose(&r, &cmd)  again
 *	                                   ledger_run_commit(&r)     one line
 *	                                   ledger_run_close(&r)
 *
 * Whoever holds the lock is its coordinator: there is no token, no generation
 * but the first, and no line is signed.  Between begin and commit nothing but
 * the decision happens.  What was proposed is in the ledger at once, and true
 * when the commit has returned; after a failed commit, and after
 * ledger_run_abort(), the journal is read again from its first line.
 *
 * There is no projection: a ledger is kept by one agent and short, and folding
 * it costs less than a process does.
 */
#ifndef PAWL_ENGINE_LEDGER_RUN_H
#define PAWL_ENGINE_LEDGER_RUN_H

#include "base/rand.h"
#include "engine/run.h"
#include "model/ledger_edit.h"

/* Not to be copied. */
struct ledger_run {
	const struct place *place;
	struct str id;
	int dir;              /* descriptor of the run's folder */
	struct ledger ledger; /* settled but between proposals */
	struct str repo;      /* top of the repository it is about, or empty */
	struct str outcome;   /* run_closed; empty while open */
	struct str at;        /* of the last line */
	struct journal journal;
	struct keys keys;
	struct journal_tail tail; /* how the last reading ended */
	struct journal_tail
		unfit; /* a line that can't be folded; line 0: none */
	struct journal_repaired repaired; /* to be told by the next commit */
	bool locked;
	bool other_kind;       /* the journal is no ledger's */
	bool stopped;          /* reading met `unfit` */
	bool folded;           /* proposals were folded and are not committed */
	bool human;            /* one of them is a human's */
	struct str actor;      /* of a coordinator's lines; one word */
	struct str human_name; /* of a human's */
	char now[CLOCK_TEXT_BYTES + 1]; /* of the commit under way */
	struct buf draft;               /* what it will say, as JSON */
	struct arena mem;               /* lives as long as the run */
	struct arena line;              /* of one line that is being read */
};

struct ledger_run_new {
	struct str id;      /* empty: a new one */
	struct str task;    /* a line of text */
	struct str repo;    /* absolute, or empty */
	struct str key;     /* idempotency key, or empty; finds a run by `id` */
	struct str request; /* what it stands for */
	struct rand *rand;
};

/*
 * Make a run and open it, with the lock held and `ledger_started` proposed: the
 * caller may propose the first nodes, too, and commits.  A folder whose maker
 * died before its first line is used.  `*ret_again`: the key has made the run
 * before; nothing is proposed.
 *
 * Errors: ERR_ID_TAKEN, ERR_INVALID_ID; those of ledger_decide, keys_find,
 * rundir_create and journal_lock.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_run_create(struct ledger_run *r,
	const struct place *place, const struct ledger_run_new *wanted,
	bool *ret_again, struct pawl_err *err);

/* Would it be made?  Only proposals may follow.  Errors: as above. */
PAWL_MUST_CHECK enum pawl_rc ledger_run_rehearse(struct ledger_run *r,
	const struct place *place, const struct ledger_run_new *wanted,
	struct pawl_err *err);

/*
 * Open and read a run, without a lock.  A journal with a torn or corrupt end is
 * opened as far as it is good; `tail` says the rest.
 *
 * Errors: ERR_RUN_NOT_FOUND, also for one that was never started;
 * ERR_RUN_KIND when it isn't a ledger's; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_run_open(struct ledger_run *r,
	const struct place *place, struct str id, struct pawl_err *err);
void ledger_run_close(struct ledger_run *r);

/* Does the journal in this run's folder begin as a ledger's? */
bool is_ledger_run(const struct fs *fs, int run_dir);

bool is_ledger_run_closed(const struct ledger_run *r);

/* Number of the last line that is in the ledger. */
uint64_t ledger_run_seq(const struct ledger_run *r);

/*
 * Lock and read on.  Errors: those of journal_lock and journal_catch_up;
 * ERR_CORRUPT, ERR_NEWER_FORMAT for lines that can't be folded.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_run_begin(
	struct ledger_run *r, struct pawl_err *err);

/*
 * Was it committed before, under this key?  Under the lock; an answer of yes is
 * on the disk.  Errors: those of keys_find and journal_sync.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_run_find_key(struct ledger_run *r,
	struct str key, struct str request, bool *ret_again,
	struct pawl_err *err);

/*
 * Decide and fold one more.  After a refusal nothing of it is in the ledger.
 * Without the lock this rehearses: nothing can be committed.
 *
 * Errors: ERR_RUN_CLOSED; those of ledger_decide.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_run_propose(
	struct ledger_run *r, const struct command *cmd, struct pawl_err *err);

/*
 * Append what was proposed as one line, and unlock; nothing proposed, nothing
 * appended.  `key` may be empty, with `request` then.  Errors: those of
 * journal_append.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_run_commit(struct ledger_run *r,
	struct str key, struct str request, struct pawl_err *err);

/* Unlock without a commit; proposals are forgotten by reading again. */
PAWL_MUST_CHECK enum pawl_rc ledger_run_abort(
	struct ledger_run *r, struct pawl_err *err);

#endif
