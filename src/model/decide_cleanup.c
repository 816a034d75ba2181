#include "base/bounds.h"
#include "model/question.h"

/* What must be proven gone has one identity, however often it is asked for. */
static enum pawl_rc
target_check(struct question *q)
{
	const struct event *e = q->e;
	uint32_t open = q->s->cleanups_open;
	enum cleanup_kind kind;

	if (cleanup_kind_read(e->kind, &kind, q->err) != PAWL_OK)
		return q->err->rc;
	if (str_trim(e->target).len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the target of a cleanup is empty");
	if (e->target.len > BOUND_PATH_BYTES) {
		return pawl_fail(q->err, ERR_LIMIT,
			"target of %zu bytes is over the limit of %d",
			e->target.len, BOUND_PATH_BYTES);
	}
	/* The open ones are nearly always the last. */
	for (size_t i = q->s->cleanups.count; i-- > 0 && open > 0;) {
		const struct cleanup *c = &q->s->cleanups.items[i];

		if (is_cleanup_settled(c))
			continue;
		open--;
		if (str_eq(c->kind, e->kind) && str_eq(c->target, e->target)) {
			return pawl_fail(q->err, ERR_CLEANUP_TAKEN,
				STR_FMT " '" STR_FMT
					"' is registered as '" STR_FMT "'",
				STR_ARG(e->kind), STR_ARG(e->target),
				STR_ARG(c->id));
		}
	}
	return PAWL_OK;
}

enum pawl_rc
decide_cleanup_registered(struct question *q)
{
	size_t number = q->s->cleanups.count + 1;

	if (!is_attempt_live(question_attempt(q))) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "' has ended",
			STR_ARG(q->e->attempt));
	}
	if (q->s->nodes[q->node].cleanups == UINT8_MAX) {
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' has the limit of %d cleanups open",
			STR_ARG(q->e->node), UINT8_MAX);
	}
	if (number > UINT32_MAX ||
		!is_numbered_id(
			q->e->cleanup, STR(""), 'c', (uint32_t)number)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the next cleanup is 'c%zu', not '" STR_FMT "'", number,
			STR_ARG(q->e->cleanup));
	}
	return target_check(q);
}

/* Nobody's word is a proof, and pawl's silence is none either. */
static enum pawl_rc
word_check(struct question *q, const struct cleanup *c)
{
	struct str status = q->e->status;
	enum cleanup_kind kind;
	bool provable =
		cleanup_kind_from(c->kind, &kind) && is_cleanup_provable(kind);

	if (str_eq(status, STR("failed")) ||
		str_eq(status, STR("unverifiable")))
		return PAWL_OK;
	if (str_eq(status, STR("retained"))) {
		if (str_trim(q->e->reason).len > 0)
			return PAWL_OK;
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"retaining '" STR_FMT "' needs a reason",
			STR_ARG(q->e->cleanup));
	}
	if (!str_eq(status, STR("verified")) && !str_eq(status, STR("done"))) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"status '" STR_FMT "' is none of verified, done,"
			" unverifiable, failed, retained",
			STR_ARG(status));
	}
	if (provable != str_eq(status, STR("verified"))) {
		return pawl_fail(q->err, ERR_CLEANUP_UNPROVEN,
			provable
				? "whether '" STR_FMT "' of kind " STR_FMT
				  " is gone is pawl's to prove, nobody's to say"
				: "pawl can't prove '" STR_FMT
				  "' of kind " STR_FMT " gone",
			STR_ARG(q->e->cleanup), STR_ARG(c->kind));
	}
	return PAWL_OK;
}

enum pawl_rc
decide_cleanup_settled(struct question *q)
{
	const struct cleanup *c;
	uint32_t at;

	if (!state_find_cleanup(q->s, q->e->cleanup, &at)) {
		return pawl_fail(q->err, ERR_CLEANUP_NOT_FOUND,
			"run '" STR_FMT "' has no cleanup '" STR_FMT "'",
			STR_ARG(q->s->run.run), STR_ARG(q->e->cleanup));
	}
	c = &q->s->cleanups.items[at];
	if (c->attempt != q->attempt) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"cleanup '" STR_FMT "' is not of attempt '" STR_FMT "'",
			STR_ARG(q->e->cleanup), STR_ARG(q->e->attempt));
	}
	if (is_cleanup_settled(c)) {
		return pawl_fail(q->err, ERR_CLEANUP_SETTLED,
			"cleanup '" STR_FMT "' is settled: " STR_FMT,
			STR_ARG(q->e->cleanup),
			STR_ARG(cleanup_status_word(c->status)));
	}
	return word_check(q, c);
}
