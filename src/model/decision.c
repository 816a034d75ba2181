#include "model/decision.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/die.h"
#include "model/scope.h"
#include "model/signal.h"

/* The scopes of all tasks, reduced; the whole repository when too many. */
static void
set_scope(struct decision_doc *d, const struct plan *p, struct arena *mem)
{
	struct scope *all =
		die_alloc(p->scope_count ? p->scope_count : 1, sizeof(*all));
	struct str *scope;
	size_t count;

	for (uint32_t i = 0; i < p->scope_count; i++)
		all[i] = (struct scope){ plan_scope_str(p, i), false };
	count = scope_reduce(all, p->scope_count);
	if (count > BOUND_SCOPES) {
		count = 1;
		all[0].path = (struct str){ 0 };
	}
	scope = arena_array(mem, count, struct str);
	for (size_t i = 0; i < count; i++)
		scope[i] = scope_shown(all[i].path);
	free(all);
	d->scope = scope;
	d->scope_count = (uint32_t)count;
}

static struct decision_observation
measured(struct str name, struct str value)
{
	return (struct decision_observation){
		.name = name, .value = value, .provenance = PROVENANCE_MEASURED
	};
}

static void
set_observations(struct decision_doc *d, const struct plan *p,
	const struct waves *w, const struct decision_facts *f,
	struct arena *mem)
{
	struct decision_observation *o =
		arena_array(mem, 8, struct decision_observation);
	uint32_t writes = 0;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->count; i++)
		writes += p->nodes[i].mode == MODE_WRITE;
	o[n++] = measured(STR("tasks"), arena_format(mem, "%u", p->count));
	o[n++] = measured(
		STR("dependencies"), arena_format(mem, "%u", p->edge_count));
	o[n++] =
		measured(STR("write_packets"), arena_format(mem, "%u", writes));
	o[n++] = measured(
		STR("writers_at_once"), arena_format(mem, "%u", w->writers));
	o[n++] = measured(
		STR("dirty_paths"), arena_format(mem, "%u", f->dirty_paths));
	if (f->base.len > 0)
		o[n++] = measured(STR("base_commit"), f->base);
	o[n++] = (struct decision_observation){
		.name = signal_word(SIGNAL_GRAPH),
		.value = STR("true"),
		.provenance = PROVENANCE_REPORTED,
	};
	assert(n <= 8);
	d->observations = o;
	d->observations_count = n;
}

static void
set_packets(struct decision_doc *d, const struct plan *p, struct arena *mem)
{
	struct decision_packet *packets =
		arena_array(mem, p->count, struct decision_packet);

	for (uint32_t n = 0; n < p->count; n++) {
		const struct contract *c = &p->nodes[n];
		struct str *paths =
			arena_array(mem, c->scopes_count, struct str);

		for (uint32_t i = 0; i < c->scopes_count; i++)
			paths[i] = scope_shown(
				plan_scope_str(p, c->scopes_at + i));
		packets[n] = (struct decision_packet){
			.id = plan_id(p, n),
			.paths = paths,
			.paths_count = c->scopes_count,
			.check = plan_check(p, n, mem),
		};
	}
	d->packets = packets;
	d->packets_count = p->count;
}

/* The last task of a longest chain: the check that all work leads to. */
static uint32_t
last_node(const struct plan *p)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i < p->count; i++) {
		if (p->nodes[i].path_length > p->nodes[n].path_length)
			n = i;
	}
	while (p->nodes[n].dependants_count > 0) {
		const struct contract *c = &p->nodes[n];
		uint32_t next = UINT32_MAX;

		for (uint32_t i = 0; i < c->dependants_count; i++) {
			uint32_t to = p->dependants[c->dependants_at + i];

			if (to < next &&
				p->nodes[to].path_length + 1 == c->path_length)
				next = to;
		}
		assert(next != UINT32_MAX);
		n = next;
	}
	return n;
}

void
decision_derive(const struct plan *p, const struct waves *w,
	const struct decision_facts *facts, struct arena *mem, struct buf *out,
	struct decision *ret_decision)
{
	static const struct str stops[] = { { "missing_permission", 18 },
		{ "budget_exhausted", 16 }, { "same_cause_across_nodes", 23 } };
	static const struct str triggers[] = { { "third_attempt", 13 } };
	uint32_t last = last_node(p);
	const struct decision_selected selected = { plan_check(p, last, mem),
		p->nodes[last].sentinel ? ORACLE_ABSENT : ORACLE_DECLARED };
	/* Nobody typed these, so they are told and stop nothing. */
	const struct decision_budget budget[] = {
		{ .resource = BUDGET_ATTEMPTS,
			.value = (int64_t)p->count * BOUND_ATTEMPTS,
			.unit = STR("attempts"),
			.hardness = BUDGET_ADVISORY },
		{ .resource = BUDGET_WORKERS,
			.value = facts->slots,
			.unit = STR("slots"),
			.hardness = BUDGET_ADVISORY },
	};
	const struct decision_permission permission = { true, facts->permission,
		PROVENANCE_REPORTED };
	struct decision_doc d = {
		.schema_version = 1,
		.id = arena_format(mem, "decision-" STR_FMT,
			STR_ARG(str_part(facts->request_sha256, 0, 16))),
		.request_digest = facts->request_sha256,
		.revision = 1,
		.execution = w->writers < 2 ? EXECUTION_SINGLE_WRITER
					    : EXECUTION_PARALLEL,
		.selected_check = &selected,
		.integrator = STR("coordinator"),
		.budget = budget,
		.budget_count = 2,
		.stop_conditions = stops,
		.stop_conditions_count = 3,
		.triggers = triggers,
		.triggers_count = 1,
		.cleanup_plan =
			STR("what is started is registered before, and proven "
			    "gone or kept with a reason before the run closes"),
		.permission = &permission,
	};
	struct json_writer writer = { .out = out };

	set_scope(&d, p, mem);
	set_observations(&d, p, w, facts, mem);
	set_packets(&d, p, mem);
	fields_write(&decision_table, &d, &writer);
	decision_of(&d, mem, ret_decision);
}

/* The limits as the journal has them. */
static struct strs
budget_lines(const struct decision_doc *d, struct arena *mem)
{
	struct strs lines = { arena_array(mem, d->budget_count, struct str),
		d->budget_count };

	for (uint32_t i = 0; i < d->budget_count; i++) {
		struct budget_limit limit = {
			.value = (uint64_t)d->budget[i].value,
			.unit = d->budget[i].unit,
			.resource = d->budget[i].resource,
			.hardness = d->budget[i].hardness,
		};

		lines.items[i] = budget_line(&limit, mem);
	}
	return lines;
}

void
decision_of(const struct decision_doc *d, struct arena *mem,
	struct decision *ret_decision)
{
	*ret_decision = (struct decision){
		.id = d->id,
		.request_digest = d->request_digest,
		.revision = d->revision,
		.mode = d->mode,
		.single_writer = d->execution == EXECUTION_SINGLE_WRITER ||
			d->mode != DECISION_GRAPH,
		.permitted = d->permission != NULL && d->permission->granted,
		.budget = budget_lines(d, mem),
	};
}

enum pawl_rc
decision_check(const struct plan *p, char *bytes, size_t len, struct arena *mem,
	struct decision *ret_decision, struct pawl_err *err)
{
	struct decision_findings found;
	struct decision_doc d;
	enum pawl_rc rc;

	rc = decision_judge(p, bytes, len, mem, &d, &found, err);
	if (rc == PAWL_OK && found.violations + found.drifts > 0)
		rc = decision_findings_fail(&found, "", err);
	if (rc == PAWL_OK)
		decision_of(&d, mem, ret_decision);
	return rc;
}

static const struct decision_observation *
observation(const struct decision_doc *d, enum signal signal)
{
	for (uint32_t i = 0; i < d->observations_count; i++) {
		if (str_eq(d->observations[i].name, signal_word(signal)))
			return &d->observations[i];
	}
	return NULL;
}

struct strs
decision_stops(const struct decision_doc *d, struct arena *mem)
{
	const struct decision_observation *o =
		observation(d, SIGNAL_BLAST_RADIUS);
	struct strs reasons = {
		arena_array(mem, d->budget_count + 2, struct str), 0
	};

	if (d->permission == NULL || !d->permission->granted)
		reasons.items[reasons.count++] = STR("missing_permission");
	if (o != NULL && !str_eq(o->value, STR("local")) &&
		(d->selected_check->oracle == ORACLE_WEAK ||
			d->selected_check->oracle == ORACLE_ABSENT))
		reasons.items[reasons.count++] =
			STR("insufficient_oracle_for_blast_radius");
	for (uint32_t i = 0; i < d->budget_count; i++) {
		const struct decision_budget *b = &d->budget[i];
		bool measured = is_budget_measured(b->resource);

		if (b->hardness != BUDGET_HARD || (measured && b->value > 0))
			continue;
		reasons.items[reasons.count++] = arena_format(mem,
			measured ? "budget_exhausted:%s"
				 : "budget_unavailable:%s",
			budget_resource_words[b->resource]);
	}
	return reasons;
}

static enum pawl_rc
stopped(const struct strs *stops, const char *path, struct arena *mem,
	struct pawl_err *err)
{
	struct buf json = { 0 }, text = { 0 };
	struct json_writer w = { .out = &json };

	json_open(&w, '{');
	json_key(&w, STR("stop_reasons"));
	json_open(&w, '[');
	for (uint32_t i = 0; i < stops->count; i++) {
		json_put_str(&w, stops->items[i]);
		buf_add(&text, i ? STR(", ") : STR(""));
		buf_add(&text, stops->items[i]);
	}
	json_close(&w, ']');
	json_close(&w, '}');
	(void)pawl_fail(err, ERR_STOP_CONDITION, "%s: " STR_FMT, path,
		STR_ARG(buf_str(&text)));
	err->detail = arena_copy(mem, buf_str(&json));
	buf_release(&json);
	buf_release(&text);
	return err->rc;
}

enum pawl_rc
decision_fit(const struct plan *p, struct str bytes, const char *path,
	struct arena *mem, struct decision_doc *ret_doc, struct pawl_err *err)
{
	struct decision_findings found;
	struct strs stops = { 0 };
	enum pawl_rc rc = decision_judge(p, arena_strdup(mem, bytes), bytes.len,
		mem, ret_doc, &found, err);

	if (rc != PAWL_OK)
		return pawl_wrap(err, "%s", path);
	if (found.read)
		stops = decision_stops(ret_doc, mem);
	if (stops.count > 0)
		return stopped(&stops, path, mem, err);
	return found.violations + found.drifts > 0
		? decision_findings_fail(&found, path, err)
		: PAWL_OK;
}

void
decision_schema(struct buf *out)
{
	fields_schema_text(&decision_table, out);
}
