#include "model/fold.h"

static void
ask_end(struct state *s, struct ask *q, enum ask_status status)
{
	assert(q->status == ASK_OPEN);
	q->status = (uint8_t)status;
	s->asks_open--;
	s->nodes[q->node].questions--;
}

void
fold_asks_end(struct fold *f)
{
	const struct attempt *a = &f->s->attempts.items[f->attempt];
	struct ask *q;

	if (f->s->nodes[f->node].questions == 0 ||
		(a->status == ATTEMPT_INTERRUPTED &&
			str_eq(a->cause, CAUSE_INPUT_REQUIRED)))
		return;
	VEC_EACH (q, &f->s->asks) {
		if (q->status == ASK_OPEN && q->attempt_1 == f->attempt + 1)
			ask_end(f->s, q, ASK_STALE);
	}
}

/* The worker that asks is of a live attempt of this node. */
static enum pawl_rc
asker_find(struct fold *f, struct ask *q)
{
	const struct state *s = f->s;
	const struct attempt *a;
	uint32_t at;

	if (!state_find_attempt(s, f->e->asked, &at))
		return fold_impossible(f, "no such attempt");
	a = &s->attempts.items[at];
	if (a->node != f->node || !is_attempt_live(a) ||
		a->status == ATTEMPT_RESERVED)
		return fold_impossible(f, "its attempt isn't at work");
	if (f->e->ask > UINT32_MAX)
		return fold_impossible(f, "its number is no number");
	q->attempt_1 = at + 1;
	q->number = (uint32_t)f->e->ask;
	return PAWL_OK;
}

enum pawl_rc
fold_question_opened(struct fold *f)
{
	struct node_state *n = &f->s->nodes[f->node];
	struct ask q = { .node = f->node };
	enum pawl_rc rc = PAWL_OK;

	if (f->s->asks.count >= UINT32_MAX || n->questions == UINT8_MAX)
		return fold_impossible(f, "too many questions are open");
	if (!is_numbered_id(f->e->question, STR(""), 'q',
		    (uint32_t)f->s->asks.count + 1))
		return fold_impossible(f, "the question's id is out of order");
	if (n->status == NODE_PASSED || n->status == NODE_SKIPPED)
		return fold_impossible(f, "the node is done");
	if (event_has(f->e, F_ASKED))
		rc = asker_find(f, &q);
	if (rc != PAWL_OK)
		return rc;
	q.kind = str_eq(f->e->kind, STR("act")) ? ASK_ACT : ASK_QUESTION;
	q.prompt = fold_keep(f, f->e->prompt);
	q.by = fold_keep(f, f->e->by);
	q.opened = fold_keep(f, f->line->at);
	asks_push(&f->s->asks, q);
	f->s->asks_open++;
	n->questions++;
	return PAWL_OK;
}

/* The coordinator's decision that is this question, and serves yet. */
static struct rework_decision *
decision_that_asked(struct fold *f, uint32_t ask)
{
	struct rework_decision *d;

	VEC_EACH (d, &f->s->decisions) {
		if (d->ask_1 == ask + 1 && d->attempt_1 == 0)
			return d;
	}
	return NULL;
}

/* What the coordinator wanted to go on with isn't to be: a node that has failed
 * stays so, one that waited is denied as at a gate. */
static enum pawl_rc
input_denied(struct fold *f, struct rework_decision *d, bool asking)
{
	d->attempt_1 = f->s->nodes[f->node].attempt_1;
	return asking ? fold_block(f, f->node, BLOCK_DENIED, f->e->answer)
		      : PAWL_OK;
}

enum pawl_rc
fold_question_answered(struct fold *f)
{
	const struct node_state *n = &f->s->nodes[f->node];
	bool denied = event_has(f->e, F_DECISION);
	struct rework_decision *d;
	struct ask *q;
	uint32_t at;
	bool asking;
	enum pawl_rc rc;

	if (denied && !str_eq(f->e->decision, STR("denied")))
		return fold_impossible(f, "the decision is no denial");
	if (!state_find_ask(f->s, f->e->question, &at) ||
		f->s->asks.items[at].node != f->node)
		return fold_impossible(f, "no such question");
	q = &f->s->asks.items[at];
	if (q->status != ASK_OPEN)
		return fold_impossible(f, "the question isn't open");
	asking = is_node_asking(f->s, f->node);
	q->answer = fold_keep(f, f->e->answer);
	q->answered_by = fold_keep(f, f->e->by);
	q->assurance = fold_keep(f, f->e->assurance);
	q->at = fold_keep(f, f->line->at);
	q->seq_answered = f->line->seq;
	ask_end(f->s, q, denied ? ASK_DENIED : ASK_ANSWERED);
	d = decision_that_asked(f, at);
	if (d != NULL && denied)
		return input_denied(f, d, asking);
	if (d != NULL && n->status == NODE_FAILED)
		return fold_granted(f);
	if (!asking || n->questions > 0)
		return PAWL_OK;
	/* An end that waited for it took nothing of the node's allowance. */
	rc = fold_step(f, f->node, NODE_PENDING);
	return rc == PAWL_OK ? fold_derive(f, f->node) : rc;
}
