#include "base/bounds.h"
#include "cli/answered.h"
#include "cli/place.h"
#include "cli/who.h"
#include "engine/asking.h"
#include "model/subject.h"

/* The question of that id, or the only open one of the node of that id. */
static enum pawl_rc
find_ask(const struct run *r, struct str subject, uint32_t *ret_ask,
	struct pawl_err *err)
{
	const struct state *s = &r->state;
	struct subject sub = subject_of(subject);
	uint32_t node, ask = 0;
	bool is_node = subject_may_be(&sub, SUBJECT_NODE) &&
		plan_find(&r->plan, sub.id, &node);
	bool is_ask = subject_may_be(&sub, SUBJECT_QUESTION) &&
		state_find_ask(s, sub.id, &ask);

	/* A node that asks nothing isn't meant. */
	if (is_ask && is_node && s->nodes[node].questions > 0 &&
		s->asks.items[ask].node != node)
		return subject_ambiguous(sub.id, SUBJECT_QUESTION, err);
	if (!is_ask && is_node && s->nodes[node].questions == 1)
		is_ask = state_open_ask(s, node, &ask);
	if (is_ask) {
		*ret_ask = ask;
		return PAWL_OK;
	}
	if (is_node)
		return pawl_fail(err, ERR_QUESTION_NOT_FOUND,
			"'" STR_FMT "' has %u open questions; name the one",
			STR_ARG(sub.id), s->nodes[node].questions);
	return pawl_fail(err, ERR_QUESTION_NOT_FOUND,
		"run '" STR_FMT "' has no question '" STR_FMT "'",
		STR_ARG(r->id), STR_ARG(sub.id));
}

static enum pawl_rc
answer_text(
	const struct cmd_ctx *ctx, struct str *ret_text, struct pawl_err *err)
{
	struct str text = str_from(args_operand(&ctx->args, 1));

	if (text.len > BOUND_TEXT_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"an answer of %zu bytes is over the limit of %d",
			text.len, BOUND_TEXT_BYTES);
	*ret_text = text;
	return PAWL_OK;
}

/* Opens the run for whoever answers. */
typedef enum pawl_rc open_fn(struct cmd_ctx *ctx, struct run *ret_run,
	struct str *ret_subject, struct pawl_err *err);

static enum pawl_rc
answer(struct cmd_ctx *ctx, open_fn *open, struct asking_answer *a,
	struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct str subject;
	uint32_t ask = 0;
	bool again = false;
	enum pawl_rc rc = answer_text(ctx, &a->text, err);

	a->act = (struct act){ .key = str_from(ctx->args.key),
		.dry_run = ctx->args.dry_run };
	if (rc == PAWL_OK)
		rc = open(ctx, &r, &subject, err);
	if (rc != PAWL_OK)
		return rc;
	if (a->actor == ACTOR_HUMAN) {
		a->by = who_local(ctx);
		r.actor =
			arena_format(&r.mem, "human:" STR_FMT, STR_ARG(a->by));
	} else {
		a->by = r.actor;
	}
	rc = find_ask(&r, subject, &ask, err);
	if (rc == PAWL_OK)
		rc = asking_answer(&r, ask, a, &again, err);
	if (rc == PAWL_OK)
		answered_show(ctx, &r, ask, "answered", again);
	run_close(&r);
	return rc;
}

static enum pawl_rc
run_answer(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct asking_answer a = {
		.assurance = STR("local"),
		.actor = ACTOR_HUMAN,
	};

	return answer(ctx, place_open_sound_subject, &a, err);
}

static enum pawl_rc
run_task_answer(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct asking_answer a = {
		.assurance = STR("coordinator"),
		.actor = ACTOR_COORDINATOR,
	};

	return answer(ctx, place_open_coordinated_subject, &a, err);
}

const struct cmd cmd_task_answer = {
	.name = "task answer",
	.operands = "[RUN/]QUESTION TEXT",
	.summary = "answer a worker's question as the coordinator",
	.help = "As 'pawl answer', and recorded as the coordinator's word. "
		"What "
		"asks for an\n"
		"act is refused: only a human may allow it.",
	.page = "pawl-task",
	.aliases = "reply",
	.args_min = 2,
	.args_max = 2,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_task_answer,
};

const struct cmd cmd_answer = {
	.name = "answer",
	.operands = "[RUN/]QUESTION TEXT",
	.summary = "answer what a worker or a coordinator asks",
	.help = "The answer is recorded with your name and put into the "
		"worker's "
		"outbox; what\n"
		"waited for it goes on. Of a node with one open question the "
		"node's id is enough.\n"
		"Only a human answers a question that asks for an act. Refused "
		"inside a worker.",
	.page = "pawl-approve",
	.args_min = 2,
	.args_max = 2,
	.needs = CMD_NEEDS_HUMAN,
	.flags = CMD_MUTATES | CMD_ONLY_RUNS,
	.run = run_answer,
};
