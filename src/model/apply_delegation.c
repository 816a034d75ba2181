#include "model/fold.h"

/* It has no status but an end. */
static void
end(struct fold *f, struct delegation *d, enum delegation_status status)
{
	struct state *s = f->s;

	assert(is_delegation_open(d) && status >= DELEGATION_REJECTED);
	s->delegations_left -= is_delegation_left(s, d);
	s->delegations_open--;
	s->nodes[s->attempts.items[d->attempt].node].delegations--;
	d->status = (uint8_t)status;
}

void
fold_delegations_end(struct fold *f)
{
	struct state *s = f->s;
	struct delegation *d;

	if (s->nodes[f->node].delegations == 0)
		return;
	VEC_EACH (d, &s->delegations) {
		if (d->attempt != f->attempt || !is_delegation_open(d))
			continue;
		/* Counted from here on: its parent isn't alive any more. */
		s->delegations_left += is_delegation_left(s, d);
		if (d->status > DELEGATION_APPROVED)
			continue;
		d->reason = STR("its attempt has ended");
		if (d->status == DELEGATION_REQUESTED) {
			end(f, d, DELEGATION_REJECTED);
		} else {
			d->settled = DELEGATION_UNSTARTED;
			end(f, d, DELEGATION_RELEASED);
		}
	}
}

static bool
is_parent_working(const struct fold *f)
{
	const struct attempt *a = &f->s->attempts.items[f->attempt];

	return a->status == ATTEMPT_STARTED || a->status == ATTEMPT_REPORTED;
}

/* The one that the event names, in this state. */
static enum pawl_rc
find(struct fold *f, enum delegation_status wanted, struct delegation **ret_d)
{
	struct delegation *d;
	uint32_t at;

	if (!state_find_delegation(f->s, f->e->delegation, &at))
		return fold_impossible(f, "no such delegation");
	d = &f->s->delegations.items[at];
	if (d->attempt != f->attempt)
		return fold_impossible(f, "the delegation is of another one");
	if (d->status != wanted && wanted != DELEGATION_STATUS_COUNT)
		return fold_impossible(f, "the delegation is in another state");
	*ret_d = d;
	return PAWL_OK;
}

enum pawl_rc
fold_delegation_requested(struct fold *f)
{
	struct state *s = f->s;
	struct node_state *n = &s->nodes[f->node];
	struct delegation d = { .attempt = f->attempt };

	if (s->delegations.count >= UINT32_MAX || n->delegations == UINT8_MAX ||
		f->e->ask > UINT32_MAX)
		return fold_impossible(f, "too many delegations are open");
	if (!is_numbered_id(f->e->delegation, STR(""), 'g',
		    (uint32_t)s->delegations.count + 1))
		return fold_impossible(f, "the delegation is out of order");
	if (!is_parent_working(f))
		return fold_impossible(f, "its attempt isn't at work");
	if (f->e->paths.count == 0)
		return fold_impossible(f, "it names no path");
	d.number = (uint32_t)f->e->ask;
	d.purpose = fold_keep(f, f->e->purpose);
	d.role = fold_keep(f, f->e->role);
	d.check = fold_keep(f, f->e->check);
	d.by = fold_keep(f, f->e->by);
	d.intent_sha256 = fold_keep(f, f->e->intent_sha256);
	d.paths = fold_keep_list(f, f->e->paths);
	d.context_refs = fold_keep_list(f, f->e->context_refs);
	d.capabilities = fold_keep_list(f, f->e->capabilities);
	delegations_push(&s->delegations, d);
	s->delegations_open++;
	n->delegations++;
	return PAWL_OK;
}

enum pawl_rc
fold_delegation_approved(struct fold *f)
{
	struct delegation *d;
	enum pawl_rc rc = find(f, DELEGATION_REQUESTED, &d);

	if (rc != PAWL_OK)
		return rc;
	if (!is_parent_working(f))
		return fold_impossible(f, "its attempt isn't at work");
	if (f->e->paths.count == 0)
		return fold_impossible(f, "it grants no path");
	d->status = DELEGATION_APPROVED;
	d->paths = fold_keep_list(f, f->e->paths);
	d->context_refs = fold_keep_list(f, f->e->context_refs);
	d->capabilities = fold_keep_list(f, f->e->capabilities);
	return PAWL_OK;
}

enum pawl_rc
fold_delegation_rejected(struct fold *f)
{
	struct delegation *d;
	enum pawl_rc rc = find(f, DELEGATION_REQUESTED, &d);

	if (rc != PAWL_OK)
		return rc;
	d->reason = fold_keep(f, f->e->reason);
	d->settled_by = fold_keep(f, f->e->by);
	end(f, d, DELEGATION_REJECTED);
	return PAWL_OK;
}

enum pawl_rc
fold_delegation_started(struct fold *f)
{
	struct delegation *d;
	enum pawl_rc rc = find(f, DELEGATION_APPROVED, &d);

	if (rc != PAWL_OK)
		return rc;
	if (!is_parent_working(f))
		return fold_impossible(f, "its attempt isn't at work");
	d->status = DELEGATION_STARTED;
	d->capsule_sha256 = fold_keep(f, f->e->capsule_sha256);
	d->worker = fold_keep(f, f->e->worker);
	d->cleanup = fold_keep(f, f->e->cleanup);
	return PAWL_OK;
}

enum pawl_rc
fold_delegation_reported(struct fold *f)
{
	struct delegation *d;
	enum pawl_rc rc = find(f, DELEGATION_STARTED, &d);

	if (rc != PAWL_OK)
		return rc;
	d->status = DELEGATION_REPORTED;
	d->report_sha256 = fold_keep(f, f->e->report_sha256);
	d->summary = fold_keep(f, f->e->summary);
	d->files = f->e->files.count;
	return PAWL_OK;
}

enum pawl_rc
fold_delegation_released(struct fold *f)
{
	struct delegation *d;
	enum pawl_rc rc = find(f, DELEGATION_STATUS_COUNT, &d);

	if (rc != PAWL_OK)
		return rc;
	if (d->status == DELEGATION_REQUESTED || !is_delegation_open(d))
		return fold_impossible(f, "the delegation is in another state");
	d->settled = fold_keep(f, f->e->status);
	d->settled_by = fold_keep(f, f->e->by);
	d->reason = fold_keep(f, f->e->reason);
	d->cleanup = fold_keep(f, f->e->cleanup);
	end(f, d, DELEGATION_RELEASED);
	return PAWL_OK;
}
