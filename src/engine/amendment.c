#include "engine/amendment.h"

#include "base/bounds.h"
#include "model/decision_amend.h"
#include "store/artifact.h"

/* Append the bytes of the decision that holds, verified. */
static enum pawl_rc
amendment_current(const struct run *r, struct buf *to, struct pawl_err *err)
{
	const struct state *s = &r->state;
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	if (!str_eq(s->decision_sha256, s->run.decision_sha256))
		return artifact_get(r->place->fs, r->dir, s->decision_sha256,
			BOUND_LIST_BYTES, to, err);
	rc = fs_read(r->place->fs, r->dir, "plan/process-decision.json",
		BOUND_LIST_BYTES, to, err);
	if (rc != PAWL_OK)
		return rc;
	sha256_hex(buf_str(to), hex);
	if (!str_eq(str_from(hex), s->decision_sha256)) {
		return pawl_fail(err, ERR_DIGEST_MISMATCH,
			"the decision that run '" STR_FMT
			"' froze has been changed",
			STR_ARG(r->id));
	}
	return PAWL_OK;
}

/* Judge a document; what is wrong with it is a failure. */
static enum pawl_rc
judge(struct run *r, const struct plan *p, struct str text,
	struct decision_doc *ret_doc, struct pawl_err *err)
{
	struct decision_findings found;
	enum pawl_rc rc = decision_judge(p, arena_strdup(&r->mem, text),
		text.len, &r->mem, ret_doc, &found, err);

	if (rc == PAWL_OK && found.violations + found.drifts > 0)
		rc = decision_findings_fail(&found, "", err);
	return rc;
}

/* The next decision: sound in itself, of the list, and of this run's. */
static enum pawl_rc
next_read(struct run *r, struct str text, struct decision_doc *ret_doc,
	struct pawl_err *err)
{
	struct decision_doc now = { .revision = 0 };
	struct buf bytes = { 0 };
	struct strs stops;
	enum pawl_rc rc;

	rc = judge(r, NULL, text, ret_doc, err);
	if (rc == PAWL_OK && ret_doc->mode == DECISION_GRAPH)
		rc = judge(r, &r->plan, text, ret_doc, err);
	if (rc == PAWL_OK)
		rc = amendment_current(r, &bytes, err);
	if (rc == PAWL_OK)
		rc = judge(r, NULL, buf_str(&bytes), &now, err);
	buf_release(&bytes);
	if (rc == PAWL_OK)
		rc = decision_extends(&now, ret_doc, err);
	if (rc != PAWL_OK || ret_doc->mode != DECISION_GRAPH)
		return rc;
	stops = decision_stops(ret_doc, &r->mem);
	if (stops.count > 0)
		return pawl_fail(err, ERR_STOP_CONDITION, STR_FMT,
			STR_ARG(stops.items[0]));
	return PAWL_OK;
}

static struct command
amended(struct run *r, const struct decision_doc *d, const struct decision *now,
	struct str sha256)
{
	const struct decision_amendment *last =
		&d->amendments[d->amendments_count - 1];
	struct command cmd =
		run_command(r, EV_DECISION_AMENDED, STR(""), STR(""));
	struct event *e = &cmd.event;

	EVENT_SET(e, F_DECISION_SHA256, decision_sha256, sha256);
	EVENT_SET(e, F_REVISION, revision, (uint64_t)d->revision);
	EVENT_SET(e, F_MODE, mode, str_from(decision_mode_words[d->mode]));
	EVENT_SET(e, F_EXECUTION, execution,
		now->single_writer ? STR("single_writer") : STR("parallel"));
	EVENT_SET(e, F_BUDGET, budget, now->budget);
	EVENT_SET(e, F_REASON, reason, last->reason);
	if (d->mode != DECISION_GRAPH && last->reduction != NULL) {
		const struct decision_reduction *x = last->reduction;
		struct strs retained = { arena_array(&r->mem, x->retained_count,
						 struct str),
			x->retained_count };

		for (uint32_t i = 0; i < retained.count; i++)
			retained.items[i] = x->retained[i];
		EVENT_SET(e, F_REASON, reason, x->reason);
		EVENT_SET(e, F_RETAINED, retained, retained);
		EVENT_SET(e, F_INTEGRATOR, integrator, x->integrator);
		EVENT_SET(e, F_CLEANUP_PLAN, cleanup_plan, x->cleanup_plan);
	}
	return cmd;
}

static enum pawl_rc
commit_once(struct run *r, struct str document, const struct act *act,
	struct amendment_answer *ret_answer, struct pawl_err *err)
{
	struct amendment_answer a = { .again = false };
	struct act asked = *act;
	char hex[SHA256_HEX + 1];
	struct decision_doc d;
	struct command cmd;
	enum pawl_rc rc;

	sha256_hex(document, hex);
	a.sha256 = arena_copy(&r->mem, str_from(hex));
	asked.request = a.sha256;
	asked.seen = r->state.seq;
	if (str_eq(a.sha256, r->state.decision_sha256)) {
		rc = judge(r, NULL, document, &d, err);
		if (rc == PAWL_OK)
			rc = act_sync(r, act, err);
		if (rc != PAWL_OK)
			return rc;
		decision_of(&d, &r->mem, &a.decision);
		a.again = true;
		*ret_answer = a;
		return PAWL_OK;
	}
	rc = next_read(r, document, &d, err);
	if (rc != PAWL_OK)
		return rc;
	decision_of(&d, &r->mem, &a.decision);
	cmd = amended(r, &d, &a.decision, a.sha256);
	/* A refusal leaves no artifact, either. */
	rc = act_rehearse(r, &cmd, &asked, &a.again, err);
	if (rc == PAWL_OK && !asked.dry_run && !a.again)
		rc = artifact_put(r->place->fs, r->dir, document, hex, err);
	if (rc == PAWL_OK && !asked.dry_run)
		rc = act_commit(r, &cmd, &asked, &a.again, err);
	if (rc == PAWL_OK)
		*ret_answer = a;
	return rc;
}

enum pawl_rc
amendment_commit(struct run *r, struct str document, const struct act *act,
	struct amendment_answer *ret_answer, struct pawl_err *err)
{
	enum pawl_rc rc;

	do
		rc = commit_once(r, document, act, ret_answer, err);
	while (act_is_outrun(rc, err));
	return rc;
}
