#include "model/fold.h"

/* The work was there before the run: an attempt that pawl has only checked. */
enum pawl_rc
fold_node_imported(struct fold *f)
{
	struct state *s = f->s;
	struct node_state *n = &s->nodes[f->node];
	struct attempt a = { .node = f->node, .number = n->attempts + 1u };
	struct check c = { .number = 1, .verdict = VERDICT_PASS };
	enum pawl_rc rc;

	if (n->status != NODE_READY || state_live(s, f->node) != NULL)
		return fold_impossible(f, "the node isn't READY");
	if (n->attempts == UINT16_MAX)
		return fold_impossible(f, "too many attempts");
	if (!is_numbered_id(f->e->attempt, f->e->node, '@', a.number))
		return fold_impossible(f, "the attempt's id is out of order");
	if (f->e->import.len == 0)
		return fold_impossible(f, "the import has no id");
	c.attempt = (uint32_t)s->attempts.count;
	c.tree = fold_keep(f, f->e->tree);
	c.ended = fold_ended_words(f);
	c.duration_ms = f->e->duration_ms;
	c.seq = f->line->seq;
	checks_push(&s->checks, c);
	a.status = ATTEMPT_SETTLED;
	a.verdict = VERDICT_PASS;
	a.checks = 1;
	a.check_1 = (uint32_t)s->checks.count;
	a.base = s->run.base;
	a.after = c.tree;
	a.summary = fold_keep(f, f->e->reason);
	a.imported = fold_keep(f, f->e->import);
	a.artifact = fold_keep(f, f->e->artifact);
	a.seq_reserved = a.seq_ended = f->line->seq;
	a.at_started = a.at_ended = fold_keep(f, f->line->at);
	n->attempts++;
	attempts_push(&s->attempts, a);
	n->attempt_1 = (uint32_t)s->attempts.count;
	rc = fold_step(f, f->node, NODE_RUNNING);
	if (rc != PAWL_OK)
		return rc;
	n->grade = GRADE_PASS;
	return fold_passed(f, f->node);
}
