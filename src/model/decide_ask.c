#include "base/bounds.h"
#include "model/question.h"

enum pawl_rc
decide_text(struct question *q, struct str text, const char *what)
{
	if (str_trim(text).len == 0)
		return pawl_fail(
			q->err, ERR_INVALID_ARGUMENT, "the %s is empty", what);
	if (text.len > BOUND_TEXT_BYTES) {
		return pawl_fail(q->err, ERR_LIMIT,
			"%s of %zu bytes is over the limit of %d", what,
			text.len, BOUND_TEXT_BYTES);
	}
	return PAWL_OK;
}

/* A worker asks while its attempt lives; each of its messages counts once. */
static enum pawl_rc
asker_check(struct question *q)
{
	const struct state *s = q->s;
	const struct event *e = q->e;
	const struct attempt *a;
	const struct ask *other;
	uint32_t at;

	if (state_need_attempt(s, e->asked, &at, q->err) != PAWL_OK)
		return q->err->rc;
	a = &s->attempts.items[at];
	if (a->node != q->node) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"attempt '" STR_FMT "' is not of node '" STR_FMT "'",
			STR_ARG(e->asked), STR_ARG(e->node));
	}
	if (!is_attempt_live(a) || a->status == ATTEMPT_RESERVED) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "' is " STR_FMT
			": its worker can't ask",
			STR_ARG(e->asked),
			STR_ARG(attempt_status_word(a->status)));
	}
	if (e->ask == 0)
		return PAWL_OK;
	if (e->ask > BOUND_ASKS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"an attempt can't ask more than %d questions",
			BOUND_ASKS);
	}
	VEC_EACH (other, &s->asks) {
		if (other->attempt_1 == at + 1 && other->number == e->ask) {
			return pawl_fail(q->err, ERR_ID_TAKEN,
				"ask-%u of '" STR_FMT "' is recorded already",
				other->number, STR_ARG(e->asked));
		}
	}
	return PAWL_OK;
}

enum pawl_rc
decide_question_opened(struct question *q)
{
	enum node_status status = q->s->nodes[q->node].status;
	size_t number = q->s->asks.count + 1;
	const struct event *e = q->e;
	enum pawl_rc rc = decide_text(q, e->prompt, "question");

	if (rc != PAWL_OK)
		return rc;
	if (!str_eq(e->kind, STR("question")) && !str_eq(e->kind, STR("act"))) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"kind '" STR_FMT "' is none of question, act",
			STR_ARG(e->kind));
	}
	if (number > UINT32_MAX ||
		!is_numbered_id(e->question, STR(""), 'q', (uint32_t)number)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the next question is 'q%zu', not '" STR_FMT "'",
			number, STR_ARG(e->question));
	}
	if (q->s->nodes[q->node].questions == UINT8_MAX) {
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' has the limit of %d questions open",
			STR_ARG(e->node), UINT8_MAX);
	}
	if (status == NODE_PASSED || status == NODE_SKIPPED) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"'" STR_FMT "' is " STR_FMT
			": there is nothing to ask about it",
			STR_ARG(e->node), STR_ARG(node_status_word(status)));
	}
	return event_has(e, F_ASKED) ? asker_check(q) : PAWL_OK;
}

enum pawl_rc
decide_question_answered(struct question *q)
{
	const struct event *e = q->e;
	const struct ask *a;
	uint32_t at;

	if (!state_find_ask(q->s, e->question, &at) ||
		q->s->asks.items[at].node != q->node) {
		return pawl_fail(q->err, ERR_QUESTION_NOT_FOUND,
			"run '" STR_FMT "' has no question '" STR_FMT "'",
			STR_ARG(q->s->run.run), STR_ARG(e->question));
	}
	a = &q->s->asks.items[at];
	if (is_ask_answered(a)) {
		return pawl_fail(q->err, ERR_QUESTION_ANSWERED,
			"question '" STR_FMT "' was %s by " STR_FMT
			" at " STR_FMT,
			STR_ARG(e->question),
			a->status == ASK_DENIED ? "denied" : "answered",
			STR_ARG(a->answered_by), STR_ARG(a->at));
	}
	if (a->status == ASK_STALE) {
		return pawl_fail(q->err, ERR_QUESTION_STALE,
			"question '" STR_FMT
			"' is stale: the attempt that asked has ended",
			STR_ARG(e->question));
	}
	if (a->kind == ASK_ACT && q->cmd->actor != ACTOR_HUMAN) {
		(void)pawl_fail(q->err, ERR_NOT_PERMITTED,
			"question '" STR_FMT
			"' asks for an act: only a human may allow it",
			STR_ARG(e->question));
		return pawl_hint(q->err,
			"pawl answer " STR_FMT "/" STR_FMT " TEXT",
			STR_ARG(q->s->run.run), STR_ARG(e->question));
	}
	if (event_has(e, F_DECISION) && !str_eq(e->decision, STR("denied")))
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"decision '" STR_FMT "' is not 'denied'",
			STR_ARG(e->decision));
	if (event_has(e, F_DECISION) && a->kind != ASK_ACT) {
		(void)pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"question '" STR_FMT "' asks for no act that could be"
			" denied",
			STR_ARG(e->question));
		return pawl_hint(q->err,
			"pawl answer " STR_FMT "/" STR_FMT " TEXT",
			STR_ARG(q->s->run.run), STR_ARG(e->question));
	}
	return decide_text(q, e->answer, "answer");
}

enum pawl_rc
decide_no_question(struct question *q)
{
	uint32_t at;

	if (!state_open_ask(q->s, q->node, &at))
		return PAWL_OK;
	(void)pawl_fail(q->err, ERR_QUESTION_OPEN,
		"question 'q%u' of '" STR_FMT "' is open", at + 1,
		STR_ARG(q->e->node));
	return pawl_hint(q->err, "pawl answer " STR_FMT "/q%u TEXT",
		STR_ARG(q->s->run.run), at + 1);
}
