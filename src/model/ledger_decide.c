#include "base/bounds.h"
#include "model/id.h"
#include "model/ledger_earned.h"
#include "model/ledger_edit.h"
#include "model/ledger_step.h"
#include "model/ledger_text.h"
#include "model/ledger_word.h"

struct question {
	const struct ledger *l;
	const struct event *e;
	bool human;
	uint32_t node; /* valid when the event names one that must be there */
	struct pawl_err *err;
};

static enum pawl_rc
check_reason(const struct question *q)
{
	if (!event_has(q->e, F_REASON))
		return PAWL_OK;
	return ledger_text_check(
		"reason", q->e->reason, BOUND_TEXT_BYTES, q->err);
}

static enum pawl_rc
check_id(const struct question *q)
{
	struct str id = q->e->node;
	enum pawl_rc rc = id_check(id, q->err);

	if (rc != PAWL_OK)
		return rc;
	for (size_t i = 0; i < id.len; i++) {
		if (id.ptr[i] >= 'A' && id.ptr[i] <= 'Z') {
			return pawl_fail(q->err, ERR_INVALID_ID,
				"id '" STR_FMT "' has a capital letter; a "
				"ledger's ids are lower case",
				STR_ARG(id));
		}
	}
	return PAWL_OK;
}

static struct str
depends_id(const void *ids, uint32_t i)
{
	return ((const struct str *)ids)[i];
}

/* Known, each once, not the node itself; `seen` is the caller's to release. */
static enum pawl_rc
check_each_depends(const struct question *q, struct map *seen)
{
	const struct strs *ids = &q->e->depends_on;

	for (uint32_t i = 0; i < ids->count; i++) {
		struct str id = ids->items[i];
		uint32_t node;

		if (str_eq(id, q->e->node)) {
			return pawl_fail(q->err, ERR_CYCLE,
				"'" STR_FMT "' can't wait for itself: " STR_FMT
				" -> " STR_FMT,
				STR_ARG(id), STR_ARG(id), STR_ARG(id));
		}
		if (!ledger_find(q->l, id, &node)) {
			return pawl_fail(q->err, ERR_UNKNOWN_DEPENDENCY,
				"'" STR_FMT "' depends on '" STR_FMT
				"', which isn't there",
				STR_ARG(q->e->node),
				STR_ARG(str_part(id, 0, BOUND_ID_BYTES)));
		}
		if (!map_add(seen, depends_id, ids->items, id, i, &node)) {
			return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
				"'" STR_FMT "' depends on '" STR_FMT "' twice",
				STR_ARG(q->e->node), STR_ARG(id));
		}
	}
	return PAWL_OK;
}

/* `had`: so many the node has already. */
static enum pawl_rc
check_depends(const struct question *q, uint32_t had)
{
	uint64_t count = (uint64_t)had + q->e->depends_on.count;
	struct map seen = { 0 };
	enum pawl_rc rc;

	if (count > BOUND_DEPENDS) {
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' would depend on %llu nodes; the limit "
			"is %d",
			STR_ARG(q->e->node), (unsigned long long)count,
			BOUND_DEPENDS);
	}
	rc = check_each_depends(q, &seen);
	map_release(&seen);
	return rc;
}

static enum pawl_rc
check_words(const struct question *q)
{
	const struct {
		enum ledger_vocabulary v;
		struct str word;
	} words[] = {
		{ LEDGER_WORDS_KIND, q->e->kind },
		{ LEDGER_WORDS_ROLE, q->e->role },
		{ LEDGER_WORDS_ACCESS, q->e->access },
		{ LEDGER_WORDS_APPROVAL, q->e->approval },
	};
	enum pawl_rc rc = PAWL_OK;
	uint8_t number = 0;

	for (size_t i = 0; rc == PAWL_OK && i < 4; i++)
		rc = ledger_word_read(
			words[i].v, words[i].word, &number, q->err);
	if (rc != PAWL_OK)
		return rc;
	if (number == LEDGER_GRANTED || number == LEDGER_DENIED)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"a new node's approval is required or not-required; a "
			"human grants or denies it later");
	return PAWL_OK;
}

static enum pawl_rc
check_attempts(const struct question *q, uint64_t n)
{
	if (n >= 1 && n <= BOUND_LEDGER_ATTEMPTS)
		return PAWL_OK;
	q->err->field = STR("max_attempts");
	return pawl_fail(q->err, ERR_LIMIT,
		"max_attempts of %llu isn't from 1 to %d",
		(unsigned long long)n, BOUND_LEDGER_ATTEMPTS);
}

static enum pawl_rc
rule_started(struct question *q)
{
	enum pawl_rc rc;

	if (q->l->run_id.len > 0)
		return pawl_fail(q->err, ERR_ID_TAKEN,
			"ledger '" STR_FMT "' has started",
			STR_ARG(q->l->run_id));
	rc = id_check(q->e->run, q->err);
	return rc != PAWL_OK ? rc
			     : ledger_text_check("task", q->e->task,
				       BOUND_TEXT_BYTES, q->err);
}

static enum pawl_rc
rule_added(struct question *q)
{
	const struct event *e = q->e;
	uint32_t taken;
	enum pawl_rc rc = check_id(q);

	if (rc == PAWL_OK && ledger_find(q->l, e->node, &taken)) {
		return pawl_fail(q->err, ERR_ID_TAKEN,
			"there is a node '" STR_FMT "' already: " STR_FMT,
			STR_ARG(e->node),
			STR_ARG(str_part(q->l->nodes[taken].title, 0, 80)));
	}
	if (rc == PAWL_OK && q->l->count >= BOUND_LEDGER_NODES)
		return pawl_fail(q->err, ERR_LIMIT,
			"a ledger has at most %d nodes", BOUND_LEDGER_NODES);
	if (rc == PAWL_OK)
		rc = ledger_title_check(e->title, q->err);
	if (rc == PAWL_OK)
		rc = ledger_text_check("expected_output", e->expected_output,
			BOUND_TEXT_BYTES, q->err);
	if (rc == PAWL_OK)
		rc = check_words(q);
	if (rc == PAWL_OK)
		rc = check_attempts(q, e->max_attempts);
	return rc == PAWL_OK ? check_depends(q, 0) : rc;
}

/* Where the node may go, for the refusal. */
static void
say_ways(const struct question *q, struct buf *out)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	const struct ledger_step *rows;
	uint32_t count, said = 0;

	rows = ledger_steps(&count);
	for (uint32_t i = 0; i < count; i++) {
		if (rows[i].from != n->status || (rows[i].needs & STEP_FOLLOWS))
			continue;
		buf_add(out, said++ > 0 ? STR(", ") : STR(""));
		if (rows[i].needs & STEP_DECIDED) {
			buf_add(out,
				rows[i].to == NODE_BLOCKED
					? STR("deny to ")
					: STR("approve to "));
		}
		buf_add(out, node_status_word((enum node_status)rows[i].to));
	}
	if (said == 0)
		buf_add(out, STR("nowhere"));
}

/* The first of its dependencies that isn't resolved. */
static enum pawl_rc
fail_waits(const struct question *q, enum node_status to)
{
	const struct ledger *l = q->l;
	const struct ledger_node *n = &l->nodes[q->node];

	for (uint32_t i = 0; i < n->depends_count; i++) {
		const struct ledger_node *d = &l->nodes[n->depends[i]];

		if (d->status == NODE_PASSED || d->status == NODE_SKIPPED)
			continue;
		(void)pawl_fail(q->err, ERR_TASK_NOT_READY,
			"'" STR_FMT "' can't be " STR_FMT
			": it depends on '" STR_FMT "', which is " STR_FMT,
			STR_ARG(n->id), STR_ARG(node_status_word(to)),
			STR_ARG(d->id),
			STR_ARG(node_status_word((enum node_status)d->status)));
		return pawl_hint(q->err, "pawl ledger show");
	}
	(void)pawl_fail(q->err, ERR_APPROVAL_NEEDED,
		"'" STR_FMT "' can't be " STR_FMT
		": its approval is outstanding",
		STR_ARG(n->id), STR_ARG(node_status_word(to)));
	return pawl_hint(
		q->err, "pawl ledger approve " STR_FMT, STR_ARG(n->id));
}

/* What mostly comes next for a node, as `pawl ledger VERB NODE REST`. */
static const struct {
	const char *verb, *rest;
} usual[NODE_STATUS_COUNT] = {
	[NODE_READY] = { "set", "RUNNING" },
	[NODE_RUNNING] = { "set", "PASSED --evidence REF" },
	[NODE_FAILED] = { "repair", "--title TEXT" },
	[NODE_BLOCKED] = { "set", "PENDING --reason TEXT" },
};

static enum pawl_rc
fail_step(const struct question *q, enum node_status to)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	struct str from = node_status_word((enum node_status)n->status);
	const struct ledger_step *row =
		ledger_step((enum node_status)n->status, to);
	struct buf ways = { 0 };

	if (n->status == NODE_PENDING &&
		(to == NODE_READY || to == NODE_RUNNING) &&
		!is_ledger_node_free(q->l, q->node))
		return fail_waits(q, to);
	if (n->status == NODE_NEEDS_APPROVAL &&
		(to == NODE_READY || to == NODE_RUNNING || row != NULL)) {
		pawl_fail(q->err, ERR_APPROVAL_NEEDED,
			"'" STR_FMT "' waits for a human's approval",
			STR_ARG(n->id));
		return pawl_hint(
			q->err, "pawl ledger approve " STR_FMT, STR_ARG(n->id));
	}
	say_ways(q, &ways);
	pawl_fail(q->err, ERR_STEP_NOT_ALLOWED,
		"'" STR_FMT "' is " STR_FMT " and doesn't go to " STR_FMT
		"; it goes to: " STR_FMT,
		STR_ARG(n->id), STR_ARG(from), STR_ARG(node_status_word(to)),
		STR_ARG(buf_str(&ways)));
	buf_release(&ways);
	if (usual[n->status].verb != NULL)
		(void)pawl_hint(q->err, "pawl ledger %s " STR_FMT " %s",
			usual[n->status].verb, STR_ARG(n->id),
			usual[n->status].rest);
	return q->err->rc;
}

static enum pawl_rc
fail_attempts(const struct question *q, enum node_status to)
{
	const struct ledger_node *n = &q->l->nodes[q->node];

	pawl_fail(q->err, ERR_ATTEMPTS_EXHAUSTED,
		"'" STR_FMT "' can't be " STR_FMT
		": all of its %u attempts are used",
		STR_ARG(n->id), STR_ARG(node_status_word(to)), n->max_attempts);
	if (n->status == NODE_RUNNING)
		return pawl_hint(q->err, "pawl ledger set " STR_FMT " FAILED",
			STR_ARG(n->id));
	return pawl_hint(q->err,
		"pawl ledger set " STR_FMT " BLOCKED --reason TEXT",
		STR_ARG(n->id));
}

/* What the row asks of who takes the step. */
static enum pawl_rc
check_actor(const struct question *q, const struct ledger_step *row)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	struct str from = node_status_word((enum node_status)n->status);
	struct str to = node_status_word((enum node_status)row->to);
	bool denied = n->status == NODE_BLOCKED && n->approval == LEDGER_DENIED;

	if ((row->needs & STEP_REASON) && str_trim(q->e->reason).len == 0) {
		(void)pawl_fail(q->err, ERR_REASON_NEEDED,
			"'" STR_FMT "' goes from " STR_FMT " to " STR_FMT
			" only with a reason",
			STR_ARG(n->id), STR_ARG(from), STR_ARG(to));
		return pawl_hint(q->err,
			"pawl ledger set " STR_FMT " " STR_FMT " --reason TEXT",
			STR_ARG(n->id), STR_ARG(to));
	}
	if (((row->needs & STEP_HUMAN) || denied) && !q->human) {
		return pawl_fail(q->err, ERR_NOT_PERMITTED,
			"only a human takes '" STR_FMT "' from %s to " STR_FMT,
			STR_ARG(n->id), denied ? "a denial" : from.ptr,
			STR_ARG(to));
	}
	return PAWL_OK;
}

static enum pawl_rc
check_step(const struct question *q, const struct ledger_step *row)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	enum node_status to = (enum node_status)row->to;

	/* One more may follow of itself before it, and one behind it. */
	if (n->history_count + 3 > BOUND_LEDGER_HISTORY)
		return pawl_fail(q->err, ERR_LIMIT,
			"the history of '" STR_FMT "' is at its limit of %d",
			STR_ARG(n->id), BOUND_LEDGER_HISTORY);
	if ((row->needs & STEP_FREE) &&
		(!is_ledger_node_free(q->l, q->node) ||
			is_ledger_approval_open(n)))
		return fail_waits(q, to);
	if ((row->needs & STEP_ATTEMPT) && n->attempt >= n->max_attempts)
		return fail_attempts(q, to);
	if ((row->needs & STEP_EXHAUSTED) && n->attempt < n->max_attempts) {
		pawl_fail(q->err, ERR_STEP_NOT_ALLOWED,
			"'" STR_FMT "' isn't FAILED while %u of its %u "
			"attempts are left",
			STR_ARG(n->id), n->max_attempts - n->attempt,
			n->max_attempts);
		return pawl_hint(q->err, "pawl ledger set " STR_FMT " READY",
			STR_ARG(n->id));
	}
	if (row->needs & STEP_GRANTS)
		return check_attempts(q, (uint64_t)n->max_attempts + 1);
	if ((row->needs & STEP_EVIDENCE) && n->evidence_required &&
		n->evidence_count == 0) {
		pawl_fail(q->err, ERR_EVIDENCE_NEEDED,
			"'" STR_FMT "' has no evidence and can't be PASSED",
			STR_ARG(n->id));
		return pawl_hint(q->err,
			"pawl ledger set " STR_FMT " PASSED --evidence REF",
			STR_ARG(n->id));
	}
	return PAWL_OK;
}

static enum pawl_rc
rule_moved(struct question *q)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	const struct ledger_step *row;
	enum pawl_rc rc;
	uint8_t to;

	rc = ledger_word_read(LEDGER_WORDS_STATUS, q->e->status, &to, q->err);
	if (rc != PAWL_OK)
		return rc;
	row = ledger_step((enum node_status)n->status, (enum node_status)to);
	if (row == NULL || (row->needs & (STEP_FOLLOWS | STEP_DECIDED)))
		return fail_step(q, (enum node_status)to);
	rc = check_reason(q);
	if (rc == PAWL_OK)
		rc = check_actor(q, row);
	return rc == PAWL_OK ? check_step(q, row) : rc;
}

static enum pawl_rc
rule_evidence(struct question *q)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	const struct strs *list = &q->e->evidence;
	enum pawl_rc rc = PAWL_OK;

	if (n->status == NODE_PASSED || n->status == NODE_SKIPPED) {
		return pawl_fail(q->err, ERR_STEP_NOT_ALLOWED,
			"'" STR_FMT "' is " STR_FMT
			"; what it rests on doesn't change any more",
			STR_ARG(n->id),
			STR_ARG(node_status_word((enum node_status)n->status)));
	}
	if (list->count == 0)
		return pawl_fail(q->err, ERR_EVIDENCE_NEEDED,
			"no evidence was named for '" STR_FMT "'",
			STR_ARG(n->id));
	if ((uint64_t)n->evidence_count + list->count > BOUND_LEDGER_EVIDENCE) {
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT
			"' has %u references; %u more are over the limit of %d",
			STR_ARG(n->id), n->evidence_count, list->count,
			BOUND_LEDGER_EVIDENCE);
	}
	for (uint32_t i = 0; rc == PAWL_OK && i < list->count; i++)
		rc = ledger_text_check("evidence", list->items[i],
			BOUND_LEDGER_REF_BYTES, q->err);
	return rc;
}

static enum pawl_rc
fail_no_gate(const struct question *q)
{
	const struct ledger_node *n = &q->l->nodes[q->node];

	if (n->approval == LEDGER_GRANTED || n->approval == LEDGER_DENIED) {
		return pawl_fail(q->err, ERR_GATE_DECIDED,
			"'" STR_FMT "' is " STR_FMT
			" and its approval was " STR_FMT,
			STR_ARG(n->id),
			STR_ARG(node_status_word((enum node_status)n->status)),
			STR_ARG(ledger_approval_word(
				(enum ledger_approval)n->approval)));
	}
	return pawl_fail(q->err, ERR_GATE_NOT_FOUND,
		"'" STR_FMT "' is " STR_FMT " and waits for no approval%s",
		STR_ARG(n->id),
		STR_ARG(node_status_word((enum node_status)n->status)),
		is_ledger_approval_open(n) ? " yet" : "");
}

static enum pawl_rc
rule_approval(struct question *q)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	bool granted = str_eq(q->e->decision, STR("granted"));
	enum pawl_rc rc;

	if (!q->human)
		return pawl_fail(q->err, ERR_NOT_PERMITTED,
			"only a human decides on '" STR_FMT "'",
			STR_ARG(n->id));
	if (!granted && !str_eq(q->e->decision, STR("denied")))
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"decision '" STR_FMT "' is neither granted nor denied",
			STR_ARG(q->e->decision));
	if (n->status != NODE_NEEDS_APPROVAL)
		return fail_no_gate(q);
	rc = check_reason(q);
	if (rc == PAWL_OK)
		rc = check_step(q,
			ledger_step(NODE_NEEDS_APPROVAL,
				granted ? NODE_PENDING : NODE_BLOCKED));
	if (rc == PAWL_OK && granted && is_ledger_approval_midway(n))
		rc = check_attempts(q, (uint64_t)n->max_attempts + 1);
	return rc;
}

static enum pawl_rc
rule_dependency(struct question *q)
{
	const struct ledger_node *n = &q->l->nodes[q->node];
	const struct strs *ids = &q->e->depends_on;
	enum pawl_rc rc;

	if (n->status != NODE_FAILED) {
		return pawl_fail(q->err, ERR_STEP_NOT_ALLOWED,
			"'" STR_FMT "' is " STR_FMT
			"; only a FAILED node gains a repair",
			STR_ARG(n->id),
			STR_ARG(node_status_word((enum node_status)n->status)));
	}
	rc = check_depends(q, n->depends_count);
	for (uint32_t i = 0; rc == PAWL_OK && i < ids->count; i++) {
		const struct ledger_node *d;
		uint32_t at = 0;

		if (!ledger_find(q->l, ids->items[i], &at))
			continue; /* check_depends() saw it */
		d = &q->l->nodes[at];
		if (d->kind != LEDGER_REPAIR || d->status != NODE_PASSED) {
			return pawl_fail(q->err, ERR_STEP_NOT_ALLOWED,
				"'" STR_FMT "' gains only a repair that has "
				"PASSED; '" STR_FMT "' is a " STR_FMT
				" node and " STR_FMT,
				STR_ARG(n->id), STR_ARG(d->id),
				STR_ARG(ledger_kind_word(
					(enum ledger_kind)d->kind)),
				STR_ARG(node_status_word(
					(enum node_status)d->status)));
		}
		if (is_ledger_node_behind(q->l, at, q->node)) {
			return pawl_fail(q->err, ERR_CYCLE,
				"'" STR_FMT "' can't wait for '" STR_FMT
				"', which waits for it",
				STR_ARG(n->id), STR_ARG(d->id));
		}
		for (uint32_t k = 0; k < n->depends_count; k++) {
			if (n->depends[k] == at) {
				return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
					"'" STR_FMT "' depends on '" STR_FMT
					"' already",
					STR_ARG(n->id), STR_ARG(d->id));
			}
		}
	}
	return rc;
}

static enum pawl_rc
rule_closed(struct question *q)
{
	struct str outcome = q->e->outcome;
	enum run_status earned = ledger_earned(q->l);
	enum pawl_rc rc = outcome_check(outcome, q->err);

	if (rc != PAWL_OK)
		return rc;
	if (str_eq(outcome, STR("pass")) != (earned == RUN_COMPLETE)) {
		return pawl_fail(q->err, ERR_STEP_NOT_ALLOWED,
			"outcome '" STR_FMT
			"' doesn't go with a ledger that is " STR_FMT,
			STR_ARG(outcome), STR_ARG(run_status_word(earned)));
	}
	return check_reason(q);
}

static enum pawl_rc
rule_repaired(struct question *q)
{
	(void)q; /* a fact about the file */
	return PAWL_OK;
}

typedef enum pawl_rc rule_fn(struct question *q);

static rule_fn *const rules[EVENT_TYPE_COUNT] = {
	[EV_JOURNAL_REPAIRED] = rule_repaired,
	[EV_RUN_CLOSED] = rule_closed,
	[EV_LEDGER_STARTED] = rule_started,
	[EV_NODE_ADDED] = rule_added,
	[EV_NODE_MOVED] = rule_moved,
	[EV_EVIDENCE_ADDED] = rule_evidence,
	[EV_APPROVAL_DECIDED] = rule_approval,
	[EV_DEPENDENCY_ADDED] = rule_dependency,
};

enum pawl_rc
ledger_decide(
	const struct ledger *l, const struct command *cmd, struct pawl_err *err)
{
	struct question q = { .l = l,
		.e = &cmd->event,
		.human = cmd->actor == ACTOR_HUMAN,
		.err = err };

	if (rules[q.e->type] == NULL)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is a task run's",
			STR_ARG(event_word(q.e->type)));
	if (is_ledger_event_of_node(q.e->type) &&
		!ledger_find(l, q.e->node, &q.node)) {
		pawl_fail(err, ERR_NODE_NOT_FOUND,
			"ledger '" STR_FMT "' has no node '" STR_FMT "'",
			STR_ARG(l->run_id),
			STR_ARG(str_part(q.e->node, 0, BOUND_ID_BYTES)));
		return pawl_hint(err, "pawl ledger show");
	}
	return rules[q.e->type](&q);
}
