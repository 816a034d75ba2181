/*
 * git: run the `git` command so that only what we ask for happens.
 *
 * A repository is hostile input: its configuration can name programs
 *(fsmonitor, hooks, external diff, textconv, transports, signing) and its state
 *can be half of a step that somebody else is making.  So each call
 *
 *	- is an argument vector, never a shell's text;
 *	- names GIT_DIR and GIT_WORK_TREE itself, so nothing is looked for;
 *	- has an environment of its own: a short list of the caller's variables,
 *no GIT_ variable but ours, messages in English, no prompts, no optional locks,
 *literal pathspecs, no transport, no replaced objects;
 *	- switches off, ahead of any configuration, what would run a program or
 *	  change the meaning of a stat;
 *	- has a deadline and bounded output.
 *
 * What still runs: clean and smudge filters and merge drivers that the user's
 * or the repository's configuration defines *and* an attribute names.  They are
 * part of what the content of a file means (git-lfs, for one).  That a worker
 * has planted none is what settings.h looks for first.
 *
 * Git's own lock files are waited for, with a bound, and never removed here: a
 * lock that stands may be held by a live git (the message says how to see).  A
 * git that fails without a word counts as a lock failure, since that is how
 * some versions report one.
 *
 * Paths are `const char *` in this layer: they go to libc and to git as they
 * are, and neither takes a NUL inside.
 */
#ifndef PAWL_ENGINE_GIT_H
#define PAWL_ENGINE_GIT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "os/coproc.h"

enum {
	GIT_OID_HEX_MAX = 64,          /* SHA-256 repositories; SHA-1: 40 */
	GIT_OUT_MAX = 64 << 20,        /* bytes of output, unless told */
	GIT_DEADLINE_MS = 300 * 1000,  /* unless told */
	GIT_BUSY_WAIT_MS = 5 * 1000,   /* spent waiting for git's locks */
	GIT_LOCK_WAIT_MS = 120 * 1000, /* spent waiting for ours */
	GIT_ARGS_MAX = 24,             /* of one call, ours not counted */
};

/* The name of an object: lower-case digits; "" is none. */
struct oid {
	char hex[GIT_OID_HEX_MAX + 1];
};

bool oid_is_none(const struct oid *o);
bool oid_eq(const struct oid *a, const struct oid *b);

/* False unless all of `text` is 40 or 64 lower-case hexadecimal digits. */
bool oid_read(struct str text, struct oid *ret_oid);

/* Who a commit is by; `at_s` makes a repeated commit the same object. */
struct git_ident {
	const char *name, *email; /* NULL: pawl <pawl@localhost> */
	uint64_t at_s;            /* seconds since the epoch, UTC */
};

/* A lock of ours; released with git_lock_release(). */
struct git_lock {
	int fd; /* -1 when not held; a zeroed one isn't held either */
	bool held;
};

struct git_call {
	const char *const *args;       /* "add", "-A", ..., NULL */
	const char *git_dir;           /* absolute; NULL: looked for from dir */
	const char *work_tree;         /* absolute; NULL: none */
	const char *index;             /* absolute; NULL: the git_dir's */
	const char *dir;               /* NULL: work_tree, else git_dir */
	const struct git_ident *ident; /* NULL: for calls without a commit */
	struct str input;              /* stdin */
	const struct git_lock *lock;   /* lasts as long as git does; or NULL */
	size_t out_max;                /* bytes; 0: GIT_OUT_MAX */
	uint64_t deadline_ms;          /* 0: GIT_DEADLINE_MS */
	bool pathspecs;   /* its paths are patterns: not taken literally */
	uint32_t answers; /* bit n: exit status n is an answer; 0 always is */
};

struct git_ran {
	int status; /* 0, or one of the call's `answers` */
	struct buf out, err;
};

/*
 * Run git to its end; release `ret_ran` with git_ran_release().
 *
 * Errors: ERR_GIT_BUSY when a lock of git's stood for GIT_BUSY_WAIT_MS;
 * ERR_LIMIT when there was more output than `out_max`; ERR_GIT with git's own
 * last words for any other end; ERR_SPAWN.
 */
PAWL_MUST_CHECK enum pawl_rc git_run(const struct git_call *call,
	struct git_ran *ret_ran, struct pawl_err *err);

void git_ran_release(struct git_ran *ran);

/* As git_run for a call whose whole answer is one object name on a line. */
PAWL_MUST_CHECK enum pawl_rc git_run_oid(
	const struct git_call *call, struct oid *ret_oid, struct pawl_err *err);

/* As git_run for a call whose output doesn't matter. */
PAWL_MUST_CHECK enum pawl_rc git_run_quiet(
	const struct git_call *call, struct pawl_err *err);

/*
 * Start a git that answers questions.  Of `call` counts what names it and where
 * it works.  Errors: ERR_SPAWN, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc git_start(const struct git_call *call,
	struct coproc *ret_git, struct pawl_err *err);

/*
 * What the end of a git means: that of `verb`, which said `words`.
 *
 * Errors: as git_run; PAWL_OK for an exit with 0 or with one of `answers`.
 */
PAWL_MUST_CHECK enum pawl_rc git_judge(const char *verb,
	const struct proc_end *end, const struct buf *words, uint32_t answers,
	struct pawl_err *err);

/* A while, which may be cut short by a signal. */
void git_pause(uint64_t ms);

/*
 * The lock that serialises git's administrative steps (worktrees, refs) between
 * all of our processes: `<dir>/git-<key>.lock`, held by flock, never deleted.
 * The key is the repository's (repo.h).
 *
 * Errors: ERR_GIT_BUSY after GIT_LOCK_WAIT_MS; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc git_lock_take(const char *dir, const char *key,
	struct git_lock *ret_lock, struct pawl_err *err);
/*
 * As git_lock_take, of a folder that is there, by its path.
 *
 * Errors: ERR_GIT_BUSY, also when another folder stands there meanwhile;
 * ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc git_lock_dir(
	const char *dir, struct git_lock *ret_lock, struct pawl_err *err);

void git_lock_release(struct git_lock *lock);

#endif
