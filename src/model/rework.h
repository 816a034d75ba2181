/*
 * rework: what stands between a rejected attempt and the next one.
 *
 * A node has one implementation and one repair; each rejection names a
 * hypothesis that no earlier one of the node had.  An attempt whose check
 * passed is rejected only for findings that are registered and block.  When the
 * allowance is used, the node fails, and one decision (REWORK_ACTION_MAP) may
 * grant one attempt more; each decision serves one attempt.  `input_required`
 * leaves that to a human: it is a question, and the answer is the grant.
 *
 * A finding stands as long as its attempt lives or is what the node was graded
 * by.  One that blocks keeps the attempt from passing and the run from being
 * COMPLETE; `hardening` is carried to the end of the run and keeps only that
 * from being COMPLETE; `advisory` keeps nothing.
 */
#ifndef PAWL_MODEL_REWORK_H
#define PAWL_MODEL_REWORK_H

#include "model/state.h"

/* Reasons of a rejection: the attempt's own check, what was found in work whose
 * check had passed, and what the report showed before any check. */
#define REJECTED_BY_CHECK STR("check")
#define REJECTED_BY_AUDIT STR("audit")
#define REJECTED_BY_REPORT STR("report")

struct str finding_class_word(enum finding_class c);
bool is_finding_blocking(enum finding_class c);
struct str rework_action_word(enum rework_action a);
bool is_rework_grant(enum rework_action a);

/* By their words; false when there is none. */
bool finding_class_from(struct str word, enum finding_class *ret_class);
bool rework_action_from(struct str word, enum rework_action *ret_action);

/*
 * The same; what is none is refused with the list of those that are.
 * Errors: ERR_INVALID_FINDING; ERR_INVALID_ARGUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc finding_class_read(
	struct str word, enum finding_class *ret_class, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc rework_action_read(
	struct str word, enum rework_action *ret_action, struct pawl_err *err);

/* By their ids. */
bool state_find_finding(
	const struct state *s, struct str id, uint32_t *ret_index);
bool state_find_decision(
	const struct state *s, struct str id, uint32_t *ret_index);

/* It keeps its attempt from passing: blocking, standing, and not overruled. */
bool is_finding_open(const struct state *s, const struct rework_finding *f);

/* Attempts that a verdict may end before the node fails. */
uint32_t state_allowance(const struct state *s, uint32_t node);

/* A rejection of the live attempt would leave the node another one. */
bool has_repair_left(const struct state *s, uint32_t node);

/*
 * Was an attempt of the node rejected for this already, white space aside?
 * `*ret_attempt` is the last such one.
 */
bool state_find_hypothesis(const struct state *s, uint32_t node,
	struct str hypothesis, uint32_t *ret_attempt);

/* Is it an open question about the node, by its coordinator and to a human, and
 * of no decision yet? */
bool is_ask_for_decision(const struct state *s, uint32_t node, uint32_t ask);

/* Ids of the next ones, in `mem`: `f3`, `d1`. */
struct str state_next_finding(const struct state *s, struct arena *mem);
struct str state_next_decision(const struct state *s, struct arena *mem);

/* Words apart by one space, none around them; in `mem`. */
struct str hypothesis_canonical(struct str text, struct arena *mem);

#endif
