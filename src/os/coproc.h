/*
 * coproc: a child that answers questions, one after the other.
 *
 * For a program that serves many requests in one process (`cat-file --batch`).
 * A question is bytes to its standard input; the caller's `whole` says when
 * what came back is the answer.  A child is trusted with nothing: the answer is
 * bounded, has a deadline, and what isn't an answer ends the child.
 *
 * It leads a session of its own, as every child.  Its input is a socket, so a
 * child that is gone raises no SIGPIPE; when we end, however we end, that
 * socket closes, which is the end of the input that ends such a program.
 *
 * After any outcome but COPROC_ANSWERED the child has been ended and reaped.
 */
#ifndef PAWL_OS_COPROC_H
#define PAWL_OS_COPROC_H

#include "os/proc.h"

enum { COPROC_WORDS_MAX = 64 << 10, COPROC_GRACE_MS = 2000 };

struct coproc {
	struct proc proc;
	int to;           /* its standard input */
	int from;         /* its standard output */
	int words_from;   /* its standard error */
	bool up;          /* false: none runs, and the rest means nothing */
	uint64_t born_ms; /* since boot, suspend included */
};

enum coproc_outcome {
	COPROC_ANSWERED,
	COPROC_ENDED, /* by itself, or by somebody else */
	COPROC_LATE,  /* no whole answer before the deadline */
	COPROC_WRONG, /* what it said is no answer */
	COPROC_OVER,  /* longer than `answer_max` */
};

enum coproc_whole {
	COPROC_MORE,      /* it may become an answer */
	COPROC_WHOLE,     /* it is one */
	COPROC_NO_ANSWER, /* it can't become one; also: there is more than one
			   */
};

/* Looks at all bytes that have come since the question. */
typedef enum coproc_whole coproc_whole_fn(const void *arg, struct str got);

struct coproc_question {
	struct str bytes;
	coproc_whole_fn *whole;
	const void *arg; /* of whole */
	size_t answer_max;
	uint64_t deadline_ms; /* from now, suspend included */
};

struct coproc_answer {
	enum coproc_outcome outcome;
	struct buf bytes;    /* when COPROC_ANSWERED */
	struct buf words;    /* what it said on standard error meanwhile */
	struct proc_end end; /* unless COPROC_ANSWERED */
};

/* Start one; the descriptors of `child` are not looked at.
 * Errors: ERR_SPAWN, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc coproc_start(const struct proc_spec *child,
	struct coproc *ret_coproc, struct pawl_err *err);

/* It runs, has said nothing unasked, and isn't older than `age_ms_max`. */
bool coproc_is_ready(const struct coproc *c, uint64_t age_ms_max);

/* A deadline; in a build with the hooks at most what PAWL_COPROC_MS says, so
 * that a test needn't wait for a real one. */
uint64_t coproc_deadline(uint64_t ms);

/*
 * Ask one that runs; release the answer with coproc_answer_release().
 *
 * Errors: ERR_IO when the child can't be reaped.
 */
PAWL_MUST_CHECK enum pawl_rc coproc_ask(struct coproc *c,
	const struct coproc_question *question,
	struct coproc_answer *ret_answer, struct pawl_err *err);

void coproc_answer_release(struct coproc_answer *answer);

/* End its input, wait COPROC_GRACE_MS for it, then as for any child. */
void coproc_close(struct coproc *c);

/*
 * The same, and how it ended: PROC_TIMEOUT when it had to be ended.
 * Errors: ERR_IO when it can't be reaped.
 */
PAWL_MUST_CHECK enum pawl_rc coproc_end(
	struct coproc *c, struct proc_end *ret_end, struct pawl_err *err);

#endif
