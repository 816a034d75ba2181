#include "base/bounds.h"
#include "model/contract.h"
#include "model/question.h"
#include "model/scope.h"

static enum pawl_rc
count_check(struct question *q, const struct strs *list, const char *what)
{
	if (list->count <= BOUND_DELEGATION_ITEMS)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_LIMIT,
		"a delegation with %u %s is over the limit of %d", list->count,
		what, BOUND_DELEGATION_ITEMS);
}

/* Only an attempt whose work isn't judged yet gives a part of it away. */
static enum pawl_rc
parent_check(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->status != ATTEMPT_STARTED && a->status != ATTEMPT_REPORTED)
		return decide_wrong_state(q, "started or reported");
	return PAWL_OK;
}

/* The delegation that the event names, in the state that it wants. */
static enum pawl_rc
find(struct question *q, enum delegation_status wanted,
	const struct delegation **ret_delegation)
{
	const struct delegation *d;
	uint32_t at;

	if (!state_find_delegation(q->s, q->e->delegation, &at) ||
		q->s->delegations.items[at].attempt != q->attempt) {
		return pawl_fail(q->err, ERR_DELEGATION_NOT_FOUND,
			"attempt '" STR_FMT "' has no delegation '" STR_FMT "'",
			STR_ARG(q->e->attempt), STR_ARG(q->e->delegation));
	}
	d = &q->s->delegations.items[at];
	*ret_delegation = d;
	if (wanted == DELEGATION_STATUS_COUNT || d->status == wanted)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_DELEGATION_STATE,
		"delegation '" STR_FMT "' is " STR_FMT ", not " STR_FMT,
		STR_ARG(q->e->delegation),
		STR_ARG(delegation_status_word(d->status)),
		STR_ARG(delegation_status_word(wanted)));
}

/* Each message of a worker counts once; one that is a question doesn't. */
static enum pawl_rc
message_check(struct question *q)
{
	const struct ask *ask;
	uint64_t number = q->e->ask;
	uint32_t at;
	bool known;

	if (!event_has(q->e, F_ASK))
		return PAWL_OK;
	if (number == 0 || number > BOUND_ASKS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"an attempt can't ask more than %d times", BOUND_ASKS);
	}
	known = state_asked_delegation(q->s, q->attempt, (uint32_t)number, &at);
	VEC_EACH (ask, &q->s->asks) {
		known = known ||
			(ask->attempt_1 == q->attempt + 1 &&
				ask->number == number);
	}
	if (!known)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_ID_TAKEN,
		"ask-%llu of '" STR_FMT "' is recorded already",
		(unsigned long long)number, STR_ARG(q->e->attempt));
}

static enum pawl_rc
intent_check(struct question *q)
{
	const struct event *e = q->e;
	enum pawl_rc rc = decide_text(q, e->purpose, "purpose");

	if (rc == PAWL_OK && e->paths.count == 0)
		rc = pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"a delegation names the paths that it is about");
	if (rc == PAWL_OK)
		rc = count_check(q, &e->paths, "paths");
	if (rc == PAWL_OK)
		rc = count_check(q, &e->context_refs, "references");
	if (rc == PAWL_OK)
		rc = count_check(q, &e->capabilities, "capabilities");
	if (rc == PAWL_OK && e->check.len > BOUND_CHECK_BYTES)
		rc = pawl_fail(q->err, ERR_LIMIT,
			"check of %zu bytes is over the limit of %d",
			e->check.len, BOUND_CHECK_BYTES);
	return rc;
}

/* Of this attempt, and open; those of earlier attempts are left. */
static uint32_t
open_count(const struct question *q)
{
	uint32_t count = 0;
	const struct delegation *d;

	VEC_EACH (d, &q->s->delegations) {
		count += d->attempt == q->attempt && is_delegation_open(d);
	}
	return count;
}

enum pawl_rc
decide_delegation_requested(struct question *q)
{
	size_t number = q->s->delegations.count + 1;
	const struct event *e = q->e;
	enum pawl_rc rc = parent_check(q);

	if (rc != PAWL_OK)
		return rc;
	if (event_has(e, F_EXPECTED_REVISION) &&
		e->expected_revision != q->s->seq) {
		return pawl_fail(q->err, ERR_STALE_SEQ,
			"the intent was made at line %llu; the run is at %llu",
			(unsigned long long)e->expected_revision,
			(unsigned long long)q->s->seq);
	}
	if (number > UINT32_MAX ||
		!is_numbered_id(
			e->delegation, STR(""), 'g', (uint32_t)number)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the next delegation is 'g%zu', not '" STR_FMT "'",
			number, STR_ARG(e->delegation));
	}
	if (open_count(q) >= BOUND_DELEGATIONS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' has the limit of %d delegations open",
			STR_ARG(e->attempt), BOUND_DELEGATIONS);
	}
	rc = intent_check(q);
	return rc == PAWL_OK ? message_check(q) : rc;
}

static enum pawl_rc
widens(struct question *q, const char *what, struct str item, const char *than)
{
	return pawl_fail(q->err, ERR_DELEGATION_WIDENS,
		"%s '" STR_FMT "' isn't %s '" STR_FMT "'", what, STR_ARG(item),
		than, STR_ARG(q->e->attempt));
}

static bool
has_item(const struct strs *list, struct str item)
{
	for (uint32_t i = 0; i < list->count; i++) {
		if (str_eq(list->items[i], item))
			return true;
	}
	return false;
}

static enum pawl_rc
paths_narrow(struct question *q, const struct delegation *d)
{
	struct contract_view v = contract_of_attempt(q->s, q->attempt);

	if (q->e->paths.count == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"an approval grants at least one path");
	for (uint32_t i = 0; i < q->e->paths.count; i++) {
		struct str shown = q->e->paths.items[i];
		struct str path = scope_unshown(shown);

		if (!delegation_covers(d, path))
			return widens(q, "path", shown, "in what was asked of");
		if (!contract_covers(&v, path))
			return widens(q, "path", shown, "in the scope of");
	}
	return PAWL_OK;
}

/* What a parent can show its child: its context, and what lies in its scope. */
static enum pawl_rc
context_narrows(struct question *q, const struct delegation *d)
{
	struct contract_view v = contract_of_attempt(q->s, q->attempt);

	for (uint32_t i = 0; i < q->e->context_refs.count; i++) {
		struct str ref = q->e->context_refs.items[i];

		if (!has_item(&d->context_refs, ref))
			return widens(
				q, "reference", ref, "in what was asked of");
		if (!plan_has_context(q->s->plan, q->node, ref) &&
			!contract_covers(&v, ref))
			return widens(q, "reference", ref, "in the context of");
	}
	return PAWL_OK;
}

static enum pawl_rc
capabilities_narrow(struct question *q, const struct delegation *d)
{
	for (uint32_t i = 0; i < q->e->capabilities.count; i++) {
		struct str name = q->e->capabilities.items[i];

		if (!has_item(&d->capabilities, name))
			return widens(
				q, "capability", name, "in what was asked of");
		if (!plan_needs(q->s->plan, q->node, name))
			return widens(q, "capability", name, "one of");
	}
	return PAWL_OK;
}

enum pawl_rc
decide_delegation_approved(struct question *q)
{
	struct contract_view v = contract_of(q->s, q->node);
	const struct delegation *d;
	enum pawl_rc rc = find(q, DELEGATION_REQUESTED, &d);

	if (rc == PAWL_OK)
		rc = parent_check(q);
	if (rc == PAWL_OK && q->e->revision != contract_revision(&v))
		rc = pawl_fail(q->err, ERR_STALE_REVISION,
			"the contract of '" STR_FMT "' is at revision %u",
			STR_ARG(q->e->node), contract_revision(&v));
	if (rc == PAWL_OK)
		rc = paths_narrow(q, d);
	if (rc == PAWL_OK)
		rc = context_narrows(q, d);
	return rc == PAWL_OK ? capabilities_narrow(q, d) : rc;
}

enum pawl_rc
decide_delegation_rejected(struct question *q)
{
	const struct delegation *d;
	enum pawl_rc rc = find(q, DELEGATION_REQUESTED, &d);

	return rc == PAWL_OK ? decide_text(q, q->e->reason, "reason") : rc;
}

/* One that somebody registered for the parent, and for no other delegation. */
static enum pawl_rc
cleanup_find(struct question *q, const struct delegation *d,
	const struct cleanup **ret_cleanup)
{
	struct str id = q->e->cleanup;
	const struct delegation *other;
	const struct cleanup *c;
	uint32_t at;

	if (!state_find_cleanup(q->s, id, &at) ||
		q->s->cleanups.items[at].attempt != q->attempt) {
		return pawl_fail(q->err, ERR_CLEANUP_NOT_FOUND,
			"attempt '" STR_FMT "' has no cleanup '" STR_FMT "'",
			STR_ARG(q->e->attempt), STR_ARG(id));
	}
	c = &q->s->cleanups.items[at];
	if (c->by.len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"cleanup '" STR_FMT "' is the attempt's own",
			STR_ARG(id));
	VEC_EACH (other, &q->s->delegations) {
		if (other != d && str_eq(other->cleanup, id)) {
			return pawl_fail(q->err, ERR_CLEANUP_TAKEN,
				"cleanup '" STR_FMT
				"' is of another delegation",
				STR_ARG(id));
		}
	}
	*ret_cleanup = c;
	return PAWL_OK;
}

/* It is registered before its thing is made. */
static enum pawl_rc
cleanup_check(struct question *q, const struct delegation *d)
{
	const struct cleanup *c = NULL;
	enum pawl_rc rc = cleanup_find(q, d, &c);

	if (rc == PAWL_OK && is_cleanup_settled(c)) {
		rc = pawl_fail(q->err, ERR_CLEANUP_SETTLED,
			"cleanup '" STR_FMT "' is settled: " STR_FMT,
			STR_ARG(c->id),
			STR_ARG(cleanup_status_word(c->status)));
	}
	return rc;
}

enum pawl_rc
decide_delegation_started(struct question *q)
{
	const struct delegation *d;
	enum pawl_rc rc = find(q, DELEGATION_APPROVED, &d);

	if (rc == PAWL_OK)
		rc = parent_check(q);
	if (rc == PAWL_OK && q->e->worker.len > BOUND_ID_BYTES)
		rc = pawl_fail(q->err, ERR_LIMIT,
			"a worker's name of %zu bytes is over the limit of %d",
			q->e->worker.len, BOUND_ID_BYTES);
	if (rc == PAWL_OK && event_has(q->e, F_CLEANUP))
		rc = cleanup_check(q, d);
	return rc;
}

enum pawl_rc
decide_delegation_reported(struct question *q)
{
	bool writes = q->s->plan->nodes[q->node].mode == MODE_WRITE;
	const struct delegation *d;
	enum pawl_rc rc = find(q, DELEGATION_STARTED, &d);

	if (rc == PAWL_OK)
		rc = decide_text(q, q->e->summary, "summary");
	if (rc == PAWL_OK)
		rc = count_check(q, &q->e->files, "files that changed");
	for (uint32_t i = 0; rc == PAWL_OK && i < q->e->files.count; i++) {
		struct str file = q->e->files.items[i];

		if (!writes) {
			rc = pawl_fail(q->err, ERR_DELEGATION_WIDENS,
				"'" STR_FMT "' only reads, and '" STR_FMT
				"' changed",
				STR_ARG(q->e->node), STR_ARG(file));
		} else if (!delegation_covers(d, file)) {
			rc = pawl_fail(q->err, ERR_DELEGATION_WIDENS,
				"'" STR_FMT "' isn't in what '" STR_FMT
				"' was granted",
				STR_ARG(file), STR_ARG(q->e->delegation));
		}
	}
	return rc;
}

/* Released by a cleanup: the word is how that was settled. */
static enum pawl_rc
settled_check(struct question *q, const struct delegation *d)
{
	const struct cleanup *c = NULL;
	enum pawl_rc rc = cleanup_find(q, d, &c);

	if (rc != PAWL_OK)
		return rc;
	if (d->cleanup.len > 0 && !str_eq(d->cleanup, q->e->cleanup)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"delegation '" STR_FMT "' is released by '" STR_FMT
			"', not by '" STR_FMT "'",
			STR_ARG(q->e->delegation), STR_ARG(d->cleanup),
			STR_ARG(q->e->cleanup));
	}
	if (!is_cleanup_settled(c)) {
		return pawl_fail(q->err, ERR_CLEANUP_PENDING,
			"cleanup '" STR_FMT "' of delegation '" STR_FMT
			"' is open",
			STR_ARG(c->id), STR_ARG(q->e->delegation));
	}
	if (!str_eq(q->e->status, cleanup_status_word(c->status))) {
		return pawl_fail(q->err, ERR_CLEANUP_UNPROVEN,
			"cleanup '" STR_FMT "' is " STR_FMT ", not " STR_FMT,
			STR_ARG(c->id), STR_ARG(cleanup_status_word(c->status)),
			STR_ARG(q->e->status));
	}
	return PAWL_OK;
}

/* Is it one of the words of a release? */
static bool
is_release(struct str word)
{
	return str_eq(word, DELEGATION_VERIFIED) ||
		str_eq(word, DELEGATION_DONE) ||
		str_eq(word, DELEGATION_RETAINED) ||
		str_eq(word, DELEGATION_UNSTARTED);
}

enum pawl_rc
decide_delegation_released(struct question *q)
{
	const struct event *e = q->e;
	const struct delegation *d = NULL;
	enum pawl_rc rc = find(q, DELEGATION_STATUS_COUNT, &d);
	bool unstarted = str_eq(e->status, DELEGATION_UNSTARTED);
	bool gone = str_eq(e->status, DELEGATION_VERIFIED) ||
		str_eq(e->status, DELEGATION_DONE);

	if (rc != PAWL_OK)
		return rc;
	if (d->status == DELEGATION_REQUESTED || !is_delegation_open(d))
		return find(q, DELEGATION_REPORTED, &d);
	if (!is_release(e->status)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"status '" STR_FMT
			"' is none of verified, done, retained, unstarted",
			STR_ARG(e->status));
	}
	if (unstarted != (d->status == DELEGATION_APPROVED))
		return find(q,
			unstarted ? DELEGATION_APPROVED : DELEGATION_STARTED,
			&d);
	/* Nobody's word for what is gone, and none for what never reported. */
	if (gone || d->cleanup.len > 0 || event_has(e, F_CLEANUP))
		rc = settled_check(q, d);
	if (rc != PAWL_OK || (gone && d->status == DELEGATION_REPORTED))
		return rc;
	if (str_trim(e->reason).len == 0) {
		return pawl_fail(q->err, ERR_REASON_NEEDED,
			"releasing '" STR_FMT "', which is " STR_FMT
			", needs a reason",
			STR_ARG(e->delegation),
			STR_ARG(delegation_status_word(d->status)));
	}
	return decide_text(q, e->reason, "reason");
}

static enum pawl_rc
is_open(struct question *q, uint32_t delegation)
{
	const struct state *s = q->s;
	const struct delegation *d = &s->delegations.items[delegation];
	const struct attempt *a = &s->attempts.items[d->attempt];

	(void)pawl_fail(q->err, ERR_DELEGATION_OPEN,
		"delegation 'g%u' of '" STR_FMT "@%u' is " STR_FMT,
		delegation + 1, STR_ARG(plan_id(s->plan, a->node)), a->number,
		STR_ARG(delegation_status_word(d->status)));
	return pawl_hint(q->err,
		d->status == DELEGATION_REQUESTED
			? "pawl task delegate reject " STR_FMT
			  "/g%u --reason TEXT --as ID"
			: "pawl task delegate release " STR_FMT
			  "/g%u --reason TEXT --as ID",
		STR_ARG(s->run.run), delegation + 1);
}

enum pawl_rc
decide_no_delegation(struct question *q)
{
	uint32_t at;

	return state_open_delegation(q->s, q->node, &at) ? is_open(q, at)
							 : PAWL_OK;
}

enum pawl_rc
decide_no_delegations(struct question *q)
{
	uint32_t at = 0;

	if (q->s->delegations_open == 0)
		return PAWL_OK;
	while (!is_delegation_open(&q->s->delegations.items[at]))
		at++;
	return is_open(q, at);
}
