#include "base/sha256.h"
#include "model/id.h"
#include "model/question.h"

static enum pawl_rc
check_digest(struct question *q, struct str digest, const char *what)
{
	if (digest.len == SHA256_HEX)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
		"digest of %s '" STR_FMT "' isn't %d digits", what,
		STR_ARG(digest), SHA256_HEX);
}

/* A name and the digest of its token. */
static enum pawl_rc
check_name(struct question *q)
{
	enum pawl_rc rc = id_check(q->e->name, q->err);

	return rc == PAWL_OK ? check_digest(q, q->e->token_sha256, "a token")
			     : rc;
}

static bool
may_claim(const struct state *s, struct str name)
{
	return s->coordinator_for.len == 0 || str_eq(s->coordinator_for, name);
}

/* Who stands in the way of a takeover. */
static enum pawl_rc
held(struct question *q)
{
	const struct state *s = q->s;

	if (s->vacant) {
		return pawl_fail(q->err, ERR_RUN_HELD,
			"run '" STR_FMT "' waits for a claim by '" STR_FMT "'",
			STR_ARG(s->run.run), STR_ARG(s->coordinator_for));
	}
	if (s->coordinator_name.len > 0) {
		return pawl_fail(q->err, ERR_RUN_HELD,
			"run '" STR_FMT "' is coordinated by '" STR_FMT
			"', of whom nothing proves that it is gone",
			STR_ARG(s->run.run), STR_ARG(s->coordinator_name));
	}
	return pawl_fail(q->err, ERR_RUN_HELD,
		"run '" STR_FMT "' is held by process %llu",
		STR_ARG(s->run.run), (unsigned long long)s->coordinator.pid);
}

enum pawl_rc
decide_taken_over(struct question *q)
{
	const struct event *e = q->e;
	bool free = q->s->vacant && may_claim(q->s, e->name);

	if (e->forced && str_trim(e->reason).len == 0)
		return pawl_fail(q->err, ERR_REASON_NEEDED,
			"a takeover by force needs a reason");
	if (!q->cmd->owner_dead && !e->forced && !free)
		return held(q);
	if (q->cmd->gen != q->s->gen + 1)
		return pawl_fail(q->err, ERR_STALE_COORDINATOR,
			"the run is at generation %llu already",
			(unsigned long long)q->s->gen);
	if (e->name.len > 0)
		return check_name(q);
	if (e->token_sha256.len > 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"a token without a name opens nothing");
	return PAWL_OK;
}

enum pawl_rc
decide_claimed(struct question *q)
{
	const struct state *s = q->s;
	const struct event *e = q->e;

	if (!s->vacant && s->coordinator_name.len > 0) {
		return pawl_fail(q->err, ERR_ALREADY_CLAIMED,
			"run '" STR_FMT "' was claimed by '" STR_FMT "'",
			STR_ARG(s->run.run), STR_ARG(s->coordinator_name));
	}
	if (!s->vacant) {
		return pawl_fail(q->err, ERR_ALREADY_CLAIMED,
			"run '" STR_FMT "' is coordinated by process %llu",
			STR_ARG(s->run.run),
			(unsigned long long)s->coordinator.pid);
	}
	if (!may_claim(s, e->name)) {
		return pawl_fail(q->err, ERR_NOT_PERMITTED,
			"run '" STR_FMT "' was handed over to '" STR_FMT
			"', not to '" STR_FMT "'",
			STR_ARG(s->run.run), STR_ARG(s->coordinator_for),
			STR_ARG(e->name));
	}
	if (!str_eq(e->capsule_sha256, s->coordinator_capsule)) {
		return pawl_fail(q->err, ERR_DIGEST_MISMATCH,
			"the coordinator capsule of run '" STR_FMT
			"' isn't the one that its journal names",
			STR_ARG(s->run.run));
	}
	return check_name(q);
}

enum pawl_rc
decide_transferred(struct question *q)
{
	if (q->e->name.len > 0 && id_check(q->e->name, q->err) != PAWL_OK)
		return q->err->rc;
	return check_digest(q, q->e->capsule_sha256, "a capsule");
}

static enum pawl_rc
check_unselected(struct question *q)
{
	if (q->s->driver.len == 0)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_ID_TAKEN,
		"run '" STR_FMT "' has its driver, '" STR_FMT "'",
		STR_ARG(q->s->run.run), STR_ARG(q->s->driver));
}

enum pawl_rc
decide_driver_reserved(struct question *q)
{
	if (check_unselected(q) != PAWL_OK)
		return q->err->rc;
	if (q->s->selection.len > 0) {
		return pawl_fail(q->err, ERR_ID_TAKEN,
			"selection '" STR_FMT "' is open already",
			STR_ARG(q->s->selection));
	}
	if (q->e->selection.len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"a selection needs a name");
	return PAWL_OK;
}

enum pawl_rc
decide_driver_selected(struct question *q)
{
	if (check_unselected(q) != PAWL_OK)
		return q->err->rc;
	if (!str_eq(q->e->selection, q->s->selection) ||
		q->s->selection.len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"no selection '" STR_FMT "' is open",
			STR_ARG(q->e->selection));
	if (q->e->driver.len == 0)
		return pawl_fail(
			q->err, ERR_INVALID_ARGUMENT, "no driver was selected");
	return check_digest(q, q->e->receipt_sha256, "a receipt");
}
