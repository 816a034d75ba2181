#include <stdlib.h>

#include "model/fold.h"

/* What both kinds of event carry; a limit that is none is from nowhere. */
static enum pawl_rc
decision_keep(struct fold *f)
{
	const struct event *e = f->e;
	struct state *s = f->s;

	s->decision_sha256 = fold_keep(f, e->decision_sha256);
	s->decision_revision = e->revision;
	s->single_writer = str_eq(e->execution, STR("single_writer"));
	s->budget_lines = fold_keep_list(f, e->budget);
	if (!budget_limits_read(
		    s->budget_lines.items, s->budget_lines.count, &s->budget))
		return fold_impossible(f, "a limit of its budget is none");
	return PAWL_OK;
}

enum pawl_rc
fold_decision_begun(struct fold *f)
{
	return decision_keep(f);
}

static int
number_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static enum pawl_rc
retained_keep(struct fold *f)
{
	struct state *s = f->s;

	s->retained.count = 0;
	for (uint32_t i = 0; i < f->e->retained.count; i++) {
		uint32_t node;

		if (!plan_find(s->plan, f->e->retained.items[i], &node))
			return fold_impossible(f, "it retains no task");
		node_numbers_push(&s->retained, node);
	}
	if (s->retained.count > 0)
		qsort(s->retained.items, s->retained.count,
			sizeof(*s->retained.items), number_compare);
	return PAWL_OK;
}

/* What is left out stands still; what is let in again goes on. */
static enum pawl_rc
reduction_apply(struct fold *f)
{
	struct state *s = f->s;
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < s->plan->count; i++) {
		const struct node_state *n = &s->nodes[i];
		bool surplus = is_surplus(s, i);

		if (surplus && state_live(s, i) != NULL)
			return fold_impossible(f,
				"an attempt of a task that it leaves out"
				" is alive");
		if (surplus &&
			(n->status == NODE_PENDING ||
				n->status == NODE_READY)) {
			rc = fold_block(f, i, BLOCK_REDUCED, f->e->reason);
		} else if (!surplus && n->status == NODE_BLOCKED &&
			n->block == BLOCK_REDUCED) {
			rc = fold_step(f, i, NODE_PENDING);
			if (rc == PAWL_OK)
				rc = fold_derive(f, i);
		}
	}
	return rc;
}

enum pawl_rc
fold_decision_amended(struct fold *f)
{
	struct state *s = f->s;
	enum pawl_rc rc;

	if (f->e->revision <= (s->decision_revision ? s->decision_revision : 1))
		return fold_impossible(f, "its revision isn't a later one");
	rc = decision_keep(f);
	if (rc != PAWL_OK)
		return rc;
	s->decision_mode = fold_keep(f, f->e->mode);
	s->reduced = f->e->retained.count > 0;
	rc = retained_keep(f);
	return rc == PAWL_OK ? reduction_apply(f) : rc;
}
