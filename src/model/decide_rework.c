#include "base/bounds.h"
#include "model/check_argv.h"
#include "model/contract.h"
#include "model/id.h"
#include "model/question.h"
#include "model/rework.h"

/*
 * Is a process, terminal or other thing of the attempt not settled yet?  Its
 * worktree may be: a repair goes on in it.  The node's open ones are counted,
 * and nearly always the last.
 */
static bool
is_unsettled(const struct state *s, uint32_t attempt)
{
	uint32_t open = s->nodes[s->attempts.items[attempt].node].cleanups;

	for (size_t i = s->cleanups.count; i-- > 0 && open > 0;) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (s->attempts.items[c->attempt].node !=
				s->attempts.items[attempt].node ||
			is_cleanup_settled(c))
			continue;
		if (c->attempt == attempt && !str_eq(c->kind, STR("worktree")))
			return true;
		open--;
	}
	return false;
}

/* Each finding that an audit rejects by, on its own. */
static enum pawl_rc
finding_rejects(struct question *q, struct str id)
{
	const struct rework_finding *f;
	uint32_t at;

	if (!state_find_finding(q->s, id, &at)) {
		return pawl_fail(q->err, ERR_FINDING_NOT_FOUND,
			"run '" STR_FMT "' has no finding '" STR_FMT "'",
			STR_ARG(q->s->run.run), STR_ARG(id));
	}
	f = &q->s->findings.items[at];
	if (f->attempt != q->attempt) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"finding '" STR_FMT "' is not of attempt '" STR_FMT "'",
			STR_ARG(id), STR_ARG(q->e->attempt));
	}
	if (is_finding_open(q->s, f))
		return PAWL_OK;
	return pawl_fail(q->err, ERR_FINDING_NOT_BLOCKING,
		"finding '" STR_FMT "' %s" STR_FMT, STR_ARG(id),
		f->overruled ? "was overruled; it is " : "is ",
		STR_ARG(finding_class_word((enum finding_class)f->class)));
}

static enum pawl_rc
audit_rejects(struct question *q)
{
	const struct strs *named = &q->e->findings;
	enum pawl_rc rc = PAWL_OK;

	if (question_attempt(q)->status != ATTEMPT_CHECKED)
		return decide_wrong_state(q, "checked");
	if (named->count == 0) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"an audit rejects '" STR_FMT
			"' for findings, and names none",
			STR_ARG(q->e->attempt));
	}
	for (uint32_t i = 0; rc == PAWL_OK && i < named->count; i++)
		rc = finding_rejects(q, named->items[i]);
	return rc;
}

/* A repair that tries what was tried is none. */
static enum pawl_rc
hypothesis_is_new(struct question *q)
{
	uint32_t earlier;

	if (!state_find_hypothesis(q->s, q->node, q->e->hypothesis, &earlier))
		return PAWL_OK;
	return pawl_fail(q->err, ERR_HYPOTHESIS_KNOWN,
		"'" STR_FMT "@%u' was rejected for the same hypothesis",
		STR_ARG(q->e->node), q->s->attempts.items[earlier].number);
}

enum pawl_rc
decide_rejected(struct question *q)
{
	const struct attempt *a = question_attempt(q);
	bool audit = str_eq(q->e->reason, REJECTED_BY_AUDIT);
	bool left = has_repair_left(q->s, q->node);
	enum pawl_rc rc = PAWL_OK;

	if (a->status != ATTEMPT_REPORTED && a->status != ATTEMPT_CHECKED)
		return decide_wrong_state(q, "reported");
	if (state_running_check(q->s, a) != NULL)
		return decide_checking(q);
	if (!left && !audit) {
		return pawl_fail(q->err, ERR_REPAIR_CAP_REACHED,
			"'" STR_FMT "' has no repair left of %u attempts",
			STR_ARG(q->e->node), state_allowance(q->s, q->node));
	}
	if (str_trim(q->e->hypothesis).len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"a rejection needs a hypothesis");
	if (audit) {
		rc = audit_rejects(q);
	} else if (str_eq(q->e->reason, REJECTED_BY_CHECK) &&
		a->verdict != VERDICT_FAIL) {
		rc = pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"no check of attempt '" STR_FMT "' has failed",
			STR_ARG(q->e->attempt));
	} else if (a->verdict == VERDICT_PASS && a->cause.len == 0) {
		rc = pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"the check of attempt '" STR_FMT
			"' passed: only findings reject it",
			STR_ARG(q->e->attempt));
	} else if (q->e->findings.count > 0) {
		rc = pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"only an audit rejects for findings");
	}
	if (rc == PAWL_OK && left)
		rc = hypothesis_is_new(q);
	if (rc == PAWL_OK && is_unsettled(q->s, q->attempt)) {
		rc = pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"a cleanup of attempt '" STR_FMT "' is open",
			STR_ARG(q->e->attempt));
	}
	return rc;
}

/* What a class that blocks must name, and the others may. */
static enum pawl_rc
finding_is_whole(struct question *q)
{
	const struct event *e = q->e;
	const struct {
		const char *name;
		struct str text;
	} needs[] = {
		{ "acceptance", e->acceptance },
		{ "file", e->file },
		{ "reproduction", e->reproduction },
		{ "smallest_repair", e->smallest_repair },
		{ "check_gap", e->check_gap },
	};

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		if (str_trim(needs[i].text).len > 0)
			continue;
		return pawl_fail(q->err, ERR_INVALID_FINDING,
			"a finding of class '" STR_FMT "' names its '%s'",
			STR_ARG(e->class), needs[i].name);
	}
	return PAWL_OK;
}

enum pawl_rc
decide_finding(struct question *q)
{
	const struct attempt *a = question_attempt(q);
	enum finding_class class;
	uint32_t at;

	if (finding_class_read(q->e->class, &class, q->err) != PAWL_OK)
		return q->err->rc;
	if (str_trim(q->e->summary).len == 0)
		return pawl_fail(q->err, ERR_INVALID_FINDING,
			"a finding says in its summary what it is");
	if (a->report_sha256.len == 0 ||
		(!is_attempt_live(a) && a->status != ATTEMPT_SETTLED))
		return decide_wrong_state(q, "reported or settled");
	if (id_check(q->e->finding, q->err) != PAWL_OK)
		return q->err->rc;
	if (state_find_finding(q->s, q->e->finding, &at)) {
		return pawl_fail(q->err, ERR_ID_TAKEN,
			"finding '" STR_FMT "' is recorded with other content",
			STR_ARG(q->e->finding));
	}
	if (q->s->findings.count >= BOUND_FINDINGS)
		return pawl_fail(q->err, ERR_LIMIT,
			"the run has the limit of %d findings", BOUND_FINDINGS);
	return is_finding_blocking(class) ? finding_is_whole(q) : PAWL_OK;
}

/* A human's answer would grant the attempt. */
static enum pawl_rc
input_fits(struct question *q, const struct attempt *live)
{
	uint32_t at;

	if (q->s->nodes[q->node].grants >= BOUND_ANSWERS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' has had the limit of %d attempts by"
			" decision",
			STR_ARG(q->e->node), BOUND_ANSWERS);
	}
	if (live != NULL &&
		(live->status == ATTEMPT_INTEGRATED ||
			is_attempt_checking(q->s, live))) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "@%u' is %s and can't be given up",
			STR_ARG(q->e->node), live->number,
			live->status == ATTEMPT_INTEGRATED ? "integrated"
							   : "being checked");
	}
	if (!state_find_ask(q->s, q->e->question, &at) ||
		!is_ask_for_decision(q->s, q->node, at)) {
		return pawl_fail(q->err, ERR_QUESTION_NOT_FOUND,
			"'" STR_FMT "' is no open question to a human about"
			" '" STR_FMT "'",
			STR_ARG(q->e->question), STR_ARG(q->e->node));
	}
	return PAWL_OK;
}

/* The decision of one action, once the allowance of the node is used. */
static enum pawl_rc
action_fits(struct question *q, enum rework_action action,
	const struct attempt *live)
{
	const struct node_state *n = &q->s->nodes[q->node];

	if (is_rework_grant(action) && n->grants >= BOUND_GRANTS) {
		(void)pawl_fail(q->err, ERR_REPAIR_CAP_REACHED,
			"'" STR_FMT "' has had the %u attempts that a decision"
			" can give it",
			STR_ARG(q->e->node), state_allowance(q->s, q->node));
		return pawl_hint(q->err, "pawl task grade " STR_FMT " fail",
			STR_ARG(q->e->node));
	}
	if (is_rework_grant(action) && live != NULL &&
		live->verdict != VERDICT_FAIL && live->cause.len == 0 &&
		live->blocking == 0) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"nothing stands against the last attempt of '" STR_FMT
			"'",
			STR_ARG(q->e->node));
	}
	if (action == REWORK_ACCEPT_CHECK &&
		(live == NULL || live->verdict != VERDICT_PASS ||
			live->blocking == 0)) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"no finding stands against a passed check of '" STR_FMT
			"'",
			STR_ARG(q->e->node));
	}
	if (action == REWORK_INPUT_REQUIRED)
		return input_fits(q, live);
	if (action == REWORK_BLOCK && live == NULL) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"'" STR_FMT "' is " STR_FMT " and can't be blocked",
			STR_ARG(q->e->node),
			STR_ARG(node_status_word(n->status)));
	}
	return PAWL_OK;
}

enum pawl_rc
decide_decision(struct question *q)
{
	const struct node_state *n = &q->s->nodes[q->node];
	const struct attempt *live = state_live(q->s, q->node);
	enum rework_action action;
	uint32_t at;

	if (rework_action_read(q->e->action, &action, q->err) != PAWL_OK)
		return q->err->rc;
	if (str_trim(q->e->reason).len == 0) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"a decision about '" STR_FMT "' needs a note",
			STR_ARG(q->e->node));
	}
	if (id_check(q->e->decision, q->err) != PAWL_OK)
		return q->err->rc;
	if (state_find_decision(q->s, q->e->decision, &at)) {
		return pawl_fail(q->err, ERR_ID_TAKEN,
			"decision '" STR_FMT "' is recorded already",
			STR_ARG(q->e->decision));
	}
	if (q->s->decisions.count >= BOUND_REWORK_DECISIONS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"the run has the limit of %d decisions",
			BOUND_REWORK_DECISIONS);
	}
	if (n->status != NODE_FAILED &&
		(live == NULL || live->status < ATTEMPT_REPORTED ||
			has_repair_left(q->s, q->node))) {
		(void)pawl_fail(q->err, ERR_ALLOWANCE_LEFT,
			"'" STR_FMT "' has not used its %u attempts",
			STR_ARG(q->e->node), state_allowance(q->s, q->node));
		if (live == NULL)
			return pawl_hint(q->err, "pawl task dispatch " STR_FMT,
				STR_ARG(q->e->node));
		return live->status < ATTEMPT_REPORTED
			? pawl_hint(q->err, "pawl status")
			: q->err->rc;
	}
	return action_fits(q, action, live);
}

enum pawl_rc
decide_paths(struct question *q)
{
	const struct strs *dirty = &q->s->run.dirty;
	struct arena mem = ARENA_INIT;
	struct strs normal = { 0 };
	enum pawl_rc rc = contract_paths(q->e->paths, &mem, &normal, q->err);

	if (rc == PAWL_OK &&
		(normal.count == 0 || normal.count != q->e->paths.count)) {
		rc = pawl_fail(q->err, ERR_INVALID_PATH,
			"the paths of '" STR_FMT "' are none, or lie in each"
			" other",
			STR_ARG(q->e->node));
	}
	for (uint32_t i = 0; rc == PAWL_OK && i < normal.count; i++) {
		struct contract_view v = contract_with(q->s, q->node,
			&(struct amendment){
				.paths = { &normal.items[i], 1 } });

		if (!str_eq(normal.items[i], q->e->paths.items[i])) {
			rc = pawl_fail(q->err, ERR_INVALID_PATH,
				"path '" STR_FMT "' is not in normal form",
				STR_ARG(q->e->paths.items[i]));
		}
		for (uint32_t k = 0; rc == PAWL_OK && k < dirty->count; k++) {
			if (contract_covers(&v, dirty->items[k])) {
				rc = pawl_fail(q->err, ERR_DIRTY_SCOPE,
					"'" STR_FMT
					"' was changed before the run",
					STR_ARG(dirty->items[k]));
			}
		}
	}
	arena_reset(&mem);
	return rc;
}

static enum pawl_rc
check_fits(struct question *q)
{
	struct arena mem = ARENA_INIT;
	char **argv;
	size_t at;
	enum pawl_rc rc = check_argv(q->e->check, &mem, &argv, &at, q->err);

	arena_reset(&mem);
	return rc;
}

enum pawl_rc
decide_amended(struct question *q)
{
	const struct node_state *n = &q->s->nodes[q->node];
	struct contract_view old = contract_of(q->s, q->node);
	const struct event *e = q->e;
	enum pawl_rc rc = PAWL_OK;

	if (state_live(q->s, q->node) != NULL ||
		(n->status != NODE_PENDING && n->status != NODE_READY &&
			n->status != NODE_NEEDS_APPROVAL &&
			n->status != NODE_BLOCKED)) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"'" STR_FMT "' is " STR_FMT " and keeps its contract",
			STR_ARG(e->node), STR_ARG(node_status_word(n->status)));
	}
	if (n->gates == UINT8_MAX ||
		q->s->amendments.count >= BOUND_AMENDMENTS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"the run has had its %d amendments, or '" STR_FMT
			"' its gates",
			BOUND_AMENDMENTS, STR_ARG(e->node));
	}
	if (str_trim(e->reason).len == 0) {
		return pawl_fail(q->err, ERR_REASON_NEEDED,
			"amending '" STR_FMT "' needs a reason",
			STR_ARG(e->node));
	}
	if (!event_has(e, F_PATHS) && str_trim(e->acceptance).len == 0 &&
		str_trim(e->check).len == 0) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"an amendment of '" STR_FMT "' changes nothing",
			STR_ARG(e->node));
	}
	if (e->revision != contract_revision(&old) + 1u) {
		return pawl_fail(q->err, ERR_STALE_REVISION,
			"the contract of '" STR_FMT "' is at revision %u",
			STR_ARG(e->node), contract_revision(&old));
	}
	if (event_has(e, F_PATHS))
		rc = decide_paths(q);
	if (rc == PAWL_OK && event_has(e, F_CHECK))
		rc = check_fits(q);
	return rc;
}
