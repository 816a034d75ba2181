/*
 * rework_desk: where the verbs of rework work: a run that was entered by its
 * coordinator, and the repository that it is of.
 *
 *	rework_desk_open(&d, ctx, err)     `[RUN/]NODE` or `[RUN/]ATTEMPT`
 *	rework_desk_node(&d, &node, err)
 *	rework_...(&d.work, ...)
 *	rework_desk_answer(&d, ...)
 *	rework_desk_close(&d)
 */
#ifndef PAWL_CLI_REWORK_DESK_H
#define PAWL_CLI_REWORK_DESK_H

#include <limits.h>

#include "cli/cmd.h"
#include "engine/rework.h"

/* Not to be copied: `work` looks at what is beside it. */
struct rework_desk {
	struct cmd_ctx *ctx;
	struct run run;
	struct str subject; /* what stands after `RUN/` */
	struct pilot_config config;
	char child[PATH_MAX];
	struct rework work;
};

/* Errors: those of place_open_coordinated_subject. */
PAWL_MUST_CHECK enum pawl_rc rework_desk_open(
	struct rework_desk *d, struct cmd_ctx *ctx, struct pawl_err *err);
void rework_desk_close(struct rework_desk *d);

/* What the subject names.  Errors: ERR_NODE_NOT_FOUND; ERR_ATTEMPT_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc rework_desk_node(
	const struct rework_desk *d, uint32_t *ret_node, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc rework_desk_attempt(const struct rework_desk *d,
	uint32_t *ret_attempt, struct pawl_err *err);

/*
 * The value of an option that must be there and say something.
 * Errors: ERR_USAGE, ERR_INVALID_ARGUMENT, ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc rework_desk_text(const struct rework_desk *d,
	const char *option, struct str *ret_text, struct pawl_err *err);

/* Answer: what became of the node; `done` with the answer's id, if it has one.
 */
void rework_desk_answer(struct rework_desk *d, uint32_t node, const char *done,
	const struct rework_answer *answer);

#endif
