/*
 * asking: questions on their way: from a worker's outbox into the journal, and
 * answers back into the outbox.  An intent of a delegation lies among a
 * worker's questions; it is handed to engine/delegating.h.
 *
 * A worker's message counts once it is recorded as `question_opened`; which of
 * its messages are recorded already stands in the state, by number, so taking
 * them in again changes nothing.  One that is no question (engine/outbox.h says
 * what else may lie there) is passed over.
 *
 * An answer is true when its commit is.  Its file in the outbox is a view, made
 * from the state after that commit and again whenever it is missing.
 */
#ifndef PAWL_ENGINE_ASKING_H
#define PAWL_ENGINE_ASKING_H

#include "engine/act.h"
#include "engine/pilot.h"

/*
 * Propose what the worker of a live attempt has asked since; part of the commit
 * under way.  `*ret_opened` says how many.
 *
 * Errors: those of decide() and of reading; a message that can't be read as one
 * is no error.
 */
PAWL_MUST_CHECK enum pawl_rc asking_take(struct pilot *p, uint32_t attempt,
	uint32_t *ret_opened, struct pawl_err *err);

/* Take in what lies in the outboxes that have told so; commits. */
PAWL_MUST_CHECK enum pawl_rc asking_turn(struct pilot *p, struct pawl_err *err);

/* Does this event of an outbox's watch say that something may be asked? */
bool asking_is_told(const struct loop_event *event);

/* Look at the outbox of a slot's worker from now on; at once, too. */
PAWL_MUST_CHECK enum pawl_rc asking_watch(
	struct pilot *p, struct slot *slot, struct pawl_err *err);

/*
 * The end of a worker that has an open question and handed in nothing: propose
 * its end as one that waits for the answer.  `message` is what is asked.
 */
bool asking_waits(const struct pilot *p, uint32_t attempt, bool handed_in);
struct str asking_message(struct pilot *p, uint32_t attempt);

struct asking_answer {
	struct str text;
	struct str by; /* as a word: `local:ada`, `coordinator:c1` */
	struct str assurance;
	enum actor_kind actor;
	struct act act; /* its `request` is made here */
};

/*
 * Answer the question `ask`, as one commit; `run->actor` says whose line it is.
 * The same answer by the same one once more is no second one: `*ret_again`.
 *
 * Errors: ERR_QUESTION_ANSWERED, ERR_QUESTION_STALE, ERR_NOT_PERMITTED for a
 * coordinator that would allow an act; those of act_commit.
 */
PAWL_MUST_CHECK enum pawl_rc asking_answer(struct run *r, uint32_t ask,
	const struct asking_answer *a, bool *ret_again, struct pawl_err *err);

/* Put the answer of a question into its worker's outbox, durable; nothing for
 * a question that no worker asked. */
PAWL_MUST_CHECK enum pawl_rc asking_deliver(
	const struct run *r, uint32_t ask, struct pawl_err *err);

/* The same for every answer to a live attempt that isn't there, and for where
 * its delegations stand. */
PAWL_MUST_CHECK enum pawl_rc asking_deliver_all(
	const struct run *r, struct pawl_err *err);

#endif
