/*
 * ledger_step: the rows of design 3.3, as a ledger's nodes walk them.
 *
 * Private to model/ledger_edit.c (the fold) and model/ledger_decide.c.
 */
#ifndef PAWL_MODEL_LEDGER_STEP_H
#define PAWL_MODEL_LEDGER_STEP_H

#include "model/event.h"
#include "model/ledger.h"

enum ledger_step_needs {
	STEP_FOLLOWS = 1,  /* derived; nobody takes it */
	STEP_DECIDED = 2,  /* by a human's approve or deny */
	STEP_REASON = 4,   /* named, with a reason */
	STEP_HUMAN = 8,    /* by a human */
	STEP_FREE = 16,    /* dependencies resolved, approval not outstanding */
	STEP_ATTEMPT = 32, /* an attempt must be left */
	STEP_EVIDENCE = 64,   /* unless the node needs none */
	STEP_GRANTS = 128,    /* gives one more attempt */
	STEP_EXHAUSTED = 256, /* no attempt may be left */
};

struct ledger_step {
	uint8_t from, to; /* enum node_status */
	uint16_t needs;   /* of enum ledger_step_needs */
};

/* The row, or NULL. */
const struct ledger_step *ledger_step(
	enum node_status from, enum node_status to);

/* All rows in order of `from`; `*ret_count` of them. */
const struct ledger_step *ledger_steps(uint32_t *ret_count);

/* The status that follows for the node now: its own, if nothing does. */
enum node_status ledger_follows(const struct ledger *l, uint32_t node);

/* Did its work meet an act that wants authority (RUNNING came before)? */
bool is_ledger_approval_midway(const struct ledger_node *n);

/*
 * Is a kind of event about a node that must be there?  An empty name is one
 * that no node has.
 */
bool is_ledger_event_of_node(enum event_type type);

#endif
