/*
 * git_serve: gits that live as long as a run and answer many questions.
 *
 * One process a kind of question, started when the first one comes:
 *
 *	GIT_SERVE_OBJECTS  cat-file --batch       an object by its name
 *	GIT_SERVE_REFS     update-ref --stdin     a transaction of references
 *	GIT_SERVE_TREES    hash-object -t tree    write a tree
 *	GIT_SERVE_COMMITS  hash-object -t commit  write a commit
 *
 * They get what git_run() gives a git: arguments, environment, settings (those
 * of core.fsync too), bounds, a deadline; and they end with us.  They work in
 * the common folder of a repository, on what is shared by its worktrees.
 *
 * One that ended between two questions is replaced without a word; one that is
 * ended in the middle of a question by something else than its own refusal is
 * asked once more, in a new process, so a question must bear being asked twice.
 * A refusal, a wrong answer and a late one are errors as of git_run().  After
 * an hour a process is replaced: git takes the time of reference logs and the
 * configuration only at its start.
 *
 * No value of a reference is remembered, only what can't change: lineage.h.
 */
#ifndef PAWL_ENGINE_GIT_SERVE_H
#define PAWL_ENGINE_GIT_SERVE_H

#include "engine/lineage.h"
#include "os/coproc.h"

enum { GIT_SERVE_AGE_MS_MAX = 3600 * 1000 };

enum git_serve_kind {
	GIT_SERVE_OBJECTS,
	GIT_SERVE_REFS,
	GIT_SERVE_TREES,
	GIT_SERVE_COMMITS,
	GIT_SERVE_KINDS,
};

/* Zeroed, but for git_dir, it is ready; git_serve_close() ends it. */
struct git_serve {
	const char *git_dir; /* absolute; the caller's */
	struct coproc gits[GIT_SERVE_KINDS];
	struct lineage lineage;
	uint64_t deadline_ms; /* of a question; 0: GIT_DEADLINE_MS */
};

struct git_question {
	enum git_serve_kind kind;
	struct str bytes;
	coproc_whole_fn *whole;
	const void *arg; /* of whole */
	bool *ret_twice; /* set when it was asked twice; may be NULL */
};

/*
 * Ask; `ret_answer` is the caller's to release.
 *
 * Errors: as git_run.
 */
PAWL_MUST_CHECK enum pawl_rc git_serve_ask(struct git_serve *s,
	const struct git_question *q, struct buf *ret_answer,
	struct pawl_err *err);

/*
 * `shared`, or when that is NULL `own`, made ready for `git_dir`: for a caller
 * of a few questions, who closes `own` in either case.
 */
struct git_serve *git_serve_or(
	struct git_serve *shared, struct git_serve *own, const char *git_dir);

void git_serve_close(struct git_serve *s);

#endif
