/*
 * cause: what the parts of explain share: the command that a cause names, and
 * the causes of more than one of them.
 *
 * Private to model/explain.c, model/next.c and the views.
 */
#ifndef PAWL_MODEL_CAUSE_H
#define PAWL_MODEL_CAUSE_H

#include "model/explain.h"

/* `pawl VERB RUN` or `pawl VERB RUN/SUBJECT`, and the rest. */
struct str cause_command(const struct state *s, const char *verb,
	struct str subject, const char *rest, struct arena *mem);

/* By what name its coordinator acts; `ID` when none is known. */
struct str cause_coordinator(const struct state *s);

/* What starts a READY node: the process that drives the run, or a verb. */
struct str cause_command_start(
	const struct state *s, uint32_t node, struct arena *mem);

/* A run can't go on with what has failed for good; a new one can. */
struct str cause_command_new_run(const struct state *s, struct arena *mem);

/* The way on from FAILED, and who can take it: a named coordinator decides
 * about it, once; else only a new run helps. */
struct str cause_command_failed(const struct state *s, uint32_t node,
	struct str *ret_who, struct arena *mem);

/* An open question: what is asked, who may answer, by which command. */
struct cause cause_question(
	const struct state *s, uint32_t ask, struct arena *mem);

/* A cleanup that its coordinator registered and left open: what, whose, and the
 * verb to settle it. */
struct cause cause_cleanup(
	const struct state *s, uint32_t cleanup, struct arena *mem);

/* An open delegation: where it stands, and by which verb it goes on. */
struct cause cause_delegation(
	const struct state *s, uint32_t delegation, struct arena *mem);

#endif
