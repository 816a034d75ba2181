/*
 * task_verb: one verb of a coordinator by hand, from its call to a pilot.
 *
 *	task_verb_open(&v, ctx, TASK_VERB_SUBJECT, err)
 *	... v.run, v.subject; v.pilot unless --dry-run
 *	task_verb_close(&v)
 *
 * With --dry-run only the run is open: a pilot writes.
 */
#ifndef PAWL_CLI_TASK_VERB_H
#define PAWL_CLI_TASK_VERB_H

#include "cli/plumbing.h"

enum task_verb_operand {
	TASK_VERB_RUN,     /* [RUN] */
	TASK_VERB_SUBJECT, /* [RUN/]SUBJECT */
};

/* Not to be copied. */
struct task_verb {
	struct cmd_ctx *ctx;
	struct run *run;
	struct pilot *pilot; /* NULL with --dry-run */
	struct str subject;
	struct plumbing plumbing;
};

/*
 * Open the run as the coordinator that --as names.  After a failure nothing is
 * open.  Errors: those of place_open_coordinated and plumb_open.
 */
PAWL_MUST_CHECK enum pawl_rc task_verb_open(struct task_verb *v,
	struct cmd_ctx *ctx, enum task_verb_operand operand,
	struct pawl_err *err);
void task_verb_close(struct task_verb *v);

/* The node that the subject names.  Errors: ERR_NODE_NOT_FOUND. */
PAWL_MUST_CHECK enum pawl_rc task_verb_node(
	const struct task_verb *v, uint32_t *ret_node, struct pawl_err *err);

/*
 * Was this verb done under its --key?  `words` is what it was asked for, beside
 * its name and subject; `*ret_seq` as of plumb_ask.
 */
PAWL_MUST_CHECK enum pawl_rc task_verb_ask(struct task_verb *v,
	const char *words, uint64_t *ret_seq, struct pawl_err *err);

/* Members of every answer: run, dry_run, seq. */
void task_verb_json(const struct task_verb *v);

#endif
