#include "model/stage.h"

#include "model/contract.h"
#include "model/registered.h"

static struct str
stage_reported(const struct state *s, const struct attempt *a,
	struct str *ret_sentence)
{
	struct contract_view v = contract_of(s, a->node);

	if (is_attempt_checking(s, a)) {
		*ret_sentence = STR("is being checked");
		return STR("checking");
	}
	if (a->verdict == VERDICT_FAIL) {
		*ret_sentence = STR("has failed its check");
		return STR("judging");
	}
	if (s->nodes[a->node].red == VERDICT_PASS) {
		*ret_sentence = STR("has a check that passed on its base");
		return STR("judging");
	}
	if (a->cause.len > 0) {
		*ret_sentence = STR("has reported what can't pass");
		return STR("judging");
	}
	if (contract_sentinel(&v)) {
		*ret_sentence = STR("has reported what no check can judge");
		return STR("judging");
	}
	*ret_sentence = a->verdict == VERDICT_VOID
		? STR("is checked again, since its last check was void")
		: STR("has reported and is checked next");
	return STR("checking");
}

/* By hand pawl's own cleanups are the grade's to settle. */
static bool
is_cleaning_up(const struct state *s, const struct attempt *a)
{
	uint32_t cleanup;

	return s->nodes[a->node].cleanups > 0 &&
		(s->coordinator_name.len == 0 ||
			registered_first(s, a->node, &cleanup));
}

struct str
stage_of(const struct state *s, uint32_t attempt, struct str *ret_sentence)
{
	const struct attempt *a = &s->attempts.items[attempt];
	bool integrates = s->plan->nodes[a->node].mode == MODE_WRITE &&
		a->placement == PLACEMENT_WORKTREE;

	if (a->status == ATTEMPT_RESERVED) {
		*ret_sentence = STR("is about to start");
		return STR("starting");
	}
	if (a->status == ATTEMPT_STARTED) {
		*ret_sentence = STR("is at work");
		return STR("working");
	}
	if (a->status == ATTEMPT_REPORTED)
		return stage_reported(s, a, ret_sentence);
	if (a->cause.len > 0) {
		*ret_sentence = STR("can't pass any more");
		return STR("judging");
	}
	if (a->blocking > 0) {
		*ret_sentence = STR("has passed its check, and a finding stands"
				    " against it");
		return STR("judging");
	}
	if (a->status == ATTEMPT_CHECKED && integrates) {
		*ret_sentence =
			STR("has passed its check and is integrated next");
		return STR("integrating");
	}
	if (is_cleaning_up(s, a)) {
		*ret_sentence = STR("is being cleaned up");
		return STR("cleaning_up");
	}
	*ret_sentence = STR("has passed its check and is graded next");
	return STR("grading");
}
