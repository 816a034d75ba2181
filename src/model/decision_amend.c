#include "model/decision_amend.h"

#include "base/bounds.h"

static const char *const executions[] = { [EXECUTION_AS_BEFORE] = "as_before",
	[CHANGE_SINGLE_WRITER] = "single_writer",
	[CHANGE_PARALLEL] = "parallel",
	NULL };

#define CHANGE struct decision_change

static const struct field rows[] = {
	{ FIELD_NAME("mode"), .about = "From now on.", .type = FIELD_ENUM,
		.flags = FIELD_REQUIRED, .words = decision_mode_words,
		FIELD_AT(CHANGE, mode) },
	{ FIELD_NAME("changed_evidence"),
		.about = "What is known now and wasn't before.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &decision_line_item, .min = 1,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(CHANGE, changed_evidence) },
	{ FIELD_NAME("reason"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES, FIELD_AT(CHANGE, reason) },
	{ FIELD_NAME("replacement_check"), .type = FIELD_OBJECT,
		.flags = FIELD_REQUIRED, .table = &decision_selected_table,
		FIELD_AT(CHANGE, replacement_check) },
	{ FIELD_NAME("reduction"),
		.about = "What stays of a run that leaves mode graph.",
		.type = FIELD_OBJECT, .table = &decision_reduction_table,
		FIELD_AT(CHANGE, reduction) },
	{ FIELD_NAME("scope"), .type = FIELD_LIST, .flags = FIELD_UNIQUE,
		.item = &decision_line_item, .min = 1, .max = BOUND_SCOPES,
		FIELD_ITEMS(CHANGE, scope) },
	{ FIELD_NAME("assumptions"), .type = FIELD_LIST,
		.item = &decision_assumption_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(CHANGE, assumptions) },
	{ FIELD_NAME("questions"), .type = FIELD_LIST,
		.item = &decision_question_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(CHANGE, questions) },
	{ FIELD_NAME("execution"), .type = FIELD_ENUM, .words = executions,
		FIELD_AT(CHANGE, execution) },
	{ FIELD_NAME("packets"), .type = FIELD_LIST,
		.item = &decision_packet_item, .min = 1, .max = BOUND_TASKS,
		FIELD_ITEMS(CHANGE, packets) },
	{ FIELD_NAME("integrator"), .type = FIELD_TEXT,
		.flags = FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES, FIELD_AT(CHANGE, integrator) },
	{ FIELD_NAME("budget"), .type = FIELD_LIST,
		.item = &decision_budget_item, .min = 1,
		.max = BUDGET_LIMITS_MAX, FIELD_ITEMS(CHANGE, budget) },
	{ FIELD_NAME("stop_conditions"), .type = FIELD_LIST,
		.flags = FIELD_UNIQUE, .item = &decision_line_item, .min = 1,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(CHANGE, stop_conditions) },
	{ FIELD_NAME("triggers"), .type = FIELD_LIST, .flags = FIELD_UNIQUE,
		.item = &decision_line_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(CHANGE, triggers) },
	{ FIELD_NAME("cleanup_plan"), .type = FIELD_TEXT, .flags = FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(CHANGE, cleanup_plan) },
	{ FIELD_NAME("permission"), .type = FIELD_OBJECT,
		.table = &decision_permission_table,
		FIELD_AT(CHANGE, permission) },
};

static const struct field_table change_table = {
	.title = "Amendment of a process decision",
	.about = "The next revision; parts that it doesn't name stay.",
	.id = "decision-amendment.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(CHANGE),
};

enum pawl_rc
decision_change_read(struct arena *mem, struct str bytes,
	struct decision_change *ret_change, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DECISION };
	enum pawl_rc rc;

	rc = fields_parse(&doc, "amendment", bytes, BOUND_LIST_BYTES, err);
	if (rc == PAWL_OK)
		rc = fields_read(&doc, &change_table, ret_change, err);
	if (rc != PAWL_OK && err->code == ERR_INVALID_DECISION)
		(void)pawl_hint(err, "man pawl-decision shows an amendment");
	return rc;
}

#define PUT(d, c, member)                                          \
	do {                                                       \
		if ((c)->member != NULL) {                         \
			(d)->member = (c)->member;                 \
			(d)->member##_count = (c)->member##_count; \
		}                                                  \
	} while (0)

/* The decision with what the change names, and its amendments as they are. */
static struct decision_doc
changed(const struct decision_doc *d, const struct decision_change *c)
{
	struct decision_doc n = *d;

	n.mode = c->mode;
	n.selected_check = c->replacement_check;
	PUT(&n, c, scope);
	PUT(&n, c, assumptions);
	PUT(&n, c, questions);
	PUT(&n, c, packets);
	PUT(&n, c, budget);
	PUT(&n, c, stop_conditions);
	PUT(&n, c, triggers);
	if (c->permission != NULL)
		n.permission = c->permission;
	if (c->integrator.len > 0)
		n.integrator = c->integrator;
	if (c->cleanup_plan.len > 0)
		n.cleanup_plan = c->cleanup_plan;
	if (c->execution != EXECUTION_AS_BEFORE)
		n.execution = c->execution == CHANGE_PARALLEL
			? EXECUTION_PARALLEL
			: EXECUTION_SINGLE_WRITER;
	if (c->mode != DECISION_GRAPH)
		n.execution = EXECUTION_SINGLE_WRITER;
	return n;
}

static void
write_doc(const struct decision_doc *d, struct buf *out)
{
	struct json_writer w = { .out = out };

	fields_write(&decision_table, d, &w);
}

static bool
items_eq(const struct str *a, uint32_t a_count, const struct str *b,
	uint32_t b_count)
{
	bool eq = a_count == b_count;

	for (uint32_t i = 0; eq && i < a_count; i++)
		eq = str_eq(a[i], b[i]);
	return eq;
}

static bool
reduction_eq(
	const struct decision_reduction *a, const struct decision_reduction *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return str_eq(a->integrator, b->integrator) &&
		str_eq(a->reason, b->reason) &&
		str_eq(a->cleanup_plan, b->cleanup_plan) &&
		items_eq(a->retained, a->retained_count, b->retained,
			b->retained_count);
}

/* Nothing else was changed by it, either? */
static bool
is_again(const struct decision_doc *d, const struct decision_doc *n,
	const struct decision_change *c)
{
	const struct decision_amendment *last;
	struct buf now = { 0 }, then = { 0 };
	bool same;

	if (d->amendments_count == 0)
		return false;
	last = &d->amendments[d->amendments_count - 1];
	if (last->to_mode != c->mode || !str_eq(last->reason, c->reason) ||
		!str_eq(last->replacement_check,
			c->replacement_check->command) ||
		!items_eq(last->changed_evidence, last->changed_evidence_count,
			c->changed_evidence, c->changed_evidence_count) ||
		!reduction_eq(last->reduction, c->reduction))
		return false;
	write_doc(d, &then);
	write_doc(n, &now);
	same = str_eq(buf_str(&then), buf_str(&now));
	buf_release(&then);
	buf_release(&now);
	return same;
}

enum pawl_rc
decision_change_apply(const struct decision_doc *d,
	const struct decision_change *change, struct arena *mem,
	struct buf *out, bool *ret_again, struct pawl_err *err)
{
	struct decision_doc n = changed(d, change);
	struct decision_amendment *all;

	*ret_again = is_again(d, &n, change);
	if (*ret_again) {
		write_doc(d, out);
		return PAWL_OK;
	}
	if (d->amendments_count == BOUND_AMENDMENTS)
		return pawl_fail(err, ERR_LIMIT,
			"decision '" STR_FMT "' has the limit of %d amendments",
			STR_ARG(d->id), BOUND_AMENDMENTS);
	all = arena_array(
		mem, d->amendments_count + 1u, struct decision_amendment);
	for (uint32_t i = 0; i < d->amendments_count; i++)
		all[i] = d->amendments[i];
	all[d->amendments_count] = (struct decision_amendment){
		.revision = d->revision + 1,
		.from_mode = d->mode,
		.to_mode = change->mode,
		.changed_evidence = change->changed_evidence,
		.changed_evidence_count = change->changed_evidence_count,
		.reason = change->reason,
		.replacement_check = change->replacement_check->command,
		.reduction = change->reduction,
	};
	n.amendments = all;
	n.amendments_count = d->amendments_count + 1;
	n.revision = d->revision + 1;
	write_doc(&n, out);
	return PAWL_OK;
}

static bool
amendment_eq(
	const struct decision_amendment *a, const struct decision_amendment *b)
{
	return a->revision == b->revision && a->from_mode == b->from_mode &&
		a->to_mode == b->to_mode && str_eq(a->reason, b->reason) &&
		str_eq(a->replacement_check, b->replacement_check) &&
		items_eq(a->changed_evidence, a->changed_evidence_count,
			b->changed_evidence, b->changed_evidence_count) &&
		reduction_eq(a->reduction, b->reduction);
}

static enum pawl_rc
drift(struct pawl_err *err, struct str field, const char *what)
{
	(void)pawl_fail(err, ERR_DECISION_DRIFT,
		"it isn't an amendment of the run's decision: %s", what);
	err->field = field;
	return err->rc;
}

enum pawl_rc
decision_extends(const struct decision_doc *d, const struct decision_doc *next,
	struct pawl_err *err)
{
	if (!str_eq(d->id, next->id))
		return drift(err, STR("/id"), "its id is another");
	if (!str_eq(d->request_digest, next->request_digest))
		return drift(err, STR("/request_digest"),
			"the request's digest is another");
	if (d->initial_mode != next->initial_mode)
		return drift(err, STR("/initial_mode"),
			"the initial mode is another");
	if (next->amendments_count <= d->amendments_count)
		return drift(err, STR("/amendments"),
			"it has no amendment that the run hasn't");
	for (uint32_t i = 0; i < d->amendments_count; i++) {
		if (!amendment_eq(&d->amendments[i], &next->amendments[i]))
			return drift(err, STR("/amendments"),
				"an amendment that the run has is another");
	}
	return PAWL_OK;
}

void
decision_change_schema(struct buf *out)
{
	fields_schema_text(&change_table, out);
}
