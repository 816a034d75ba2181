#include "model/decision.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/die.h"
#include "model/decision_doc.h"
#include "model/scope.h"

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
	o[n++] = (struct decision_observation){ STR("tasks"),
		arena_format(mem, "%u", p->count), PROVENANCE_MEASURED };
	o[n++] = (struct decision_observation){ STR("dependencies"),
		arena_format(mem, "%u", p->edge_count), PROVENANCE_MEASURED };
	o[n++] = (struct decision_observation){ STR("write_packets"),
		arena_format(mem, "%u", writes), PROVENANCE_MEASURED };
	o[n++] = (struct decision_observation){ STR("writers_at_once"),
		arena_format(mem, "%u", w->writers), PROVENANCE_MEASURED };
	o[n++] = (struct decision_observation){ STR("dirty_paths"),
		arena_format(mem, "%u", f->dirty_paths), PROVENANCE_MEASURED };
	if (f->base.len > 0)
		o[n++] = (struct decision_observation){ STR("base_commit"),
			f->base, PROVENANCE_MEASURED };
	o[n++] = (struct decision_observation){ STR("graph_requested"),
		STR("true"), PROVENANCE_REPORTED };
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
	const struct decision_facts *facts, struct arena *mem, struct buf *out)
{
	static const struct str stops[] = { { "missing_permission", 18 },
		{ "budget_exhausted", 16 }, { "same_cause_across_nodes", 23 } };
	static const struct str triggers[] = { { "third_attempt", 13 } };
	uint32_t last = last_node(p);
	const struct decision_selected selected = { plan_check(p, last, mem),
		p->nodes[last].sentinel ? ORACLE_ABSENT : ORACLE_DECLARED };
	const struct decision_budget budget[] = {
		{ STR("attempts"), (int64_t)p->count * BOUND_ATTEMPTS,
			STR("attempts"), BUDGET_HARD },
		{ STR("workers"), facts->slots, STR("slots"), BUDGET_HARD },
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
}

struct checker {
	const struct plan *p;
	struct fields_doc doc;
	struct arena *mem;
	struct pawl_err *err;
};

/* Paths in normal form, reduced; in `mem`. */
static enum pawl_rc
normal_paths(struct checker *c, const struct decision_packet *k, uint32_t i,
	struct scope **ret_scopes, size_t *ret_count)
{
	struct scope *scopes =
		arena_array(c->mem, k->paths_count, struct scope);
	struct pawl_err why = { 0 };

	for (uint32_t j = 0; j < k->paths_count; j++) {
		if (scope_normalise(k->paths[j], c->mem, &scopes[j], &why) ==
			PAWL_OK)
			continue;
		fields_refuse(&c->doc, FAULT_INVALID_VALUE, k->self,
			arena_format(c->mem, "/packets/%u/paths/%u", i, j),
			str_from(pawl_err_hint(&why)), c->err, "%s", why.msg);
		return c->err->rc;
	}
	*ret_scopes = scopes;
	*ret_count = scope_reduce(scopes, k->paths_count);
	return PAWL_OK;
}

static enum pawl_rc
check_paths(struct checker *c, const struct decision_packet *k, uint32_t i,
	uint32_t node)
{
	const struct contract *task = &c->p->nodes[node];
	struct scope *scopes = NULL;
	size_t count = 0;
	bool equal;

	if (normal_paths(c, k, i, &scopes, &count) != PAWL_OK)
		return c->err->rc;
	equal = count == task->scopes_count;
	for (uint32_t j = 0; equal && j < count; j++)
		equal = str_eq(scopes[j].path,
			plan_scope_str(c->p, task->scopes_at + j));
	if (equal)
		return PAWL_OK;
	fields_refuse(&c->doc, FAULT_INVALID_VALUE, k->self,
		arena_format(c->mem, "/packets/%u/paths", i), (struct str){ 0 },
		c->err,
		"paths of packet '" STR_FMT "' are not those of its task",
		STR_ARG(k->id));
	return c->err->rc;
}

static enum pawl_rc
check_packet(struct checker *c, const struct decision_packet *k, uint32_t i,
	bool *seen)
{
	struct str pointer = arena_format(c->mem, "/packets/%u", i);
	uint32_t node;

	if (!plan_find(c->p, k->id, &node)) {
		fields_refuse(&c->doc, FAULT_INVALID_VALUE, k->self, pointer,
			(struct str){ 0 }, c->err,
			"packet '" STR_FMT "' is no task of the list",
			STR_ARG(k->id));
		return c->err->rc;
	}
	if (seen[node]) {
		fields_refuse(&c->doc, FAULT_DUPLICATE_VALUE, k->self, pointer,
			(struct str){ 0 }, c->err,
			"packet '" STR_FMT "' stands there twice",
			STR_ARG(k->id));
		return c->err->rc;
	}
	seen[node] = true;
	if (!str_eq(k->check, plan_check(c->p, node, c->mem))) {
		fields_refuse(&c->doc, FAULT_INVALID_VALUE, k->self,
			arena_format(c->mem, "/packets/%u/check", i),
			(struct str){ 0 }, c->err,
			"check of packet '" STR_FMT "' is not that of its task",
			STR_ARG(k->id));
		return c->err->rc;
	}
	return check_paths(c, k, i, node);
}

static enum pawl_rc
check_amendments(struct checker *c, const struct decision_doc *d)
{
	for (uint32_t i = 0; i < d->amendments_count; i++) {
		const struct decision_amendment *a = &d->amendments[i];

		if (a->revision == (int64_t)i + 2)
			continue;
		fields_refuse(&c->doc, FAULT_INVALID_VALUE, a->self,
			arena_format(c->mem, "/amendments/%u/revision", i),
			(struct str){ 0 }, c->err,
			"amendments are not contiguous: revision %lld where "
			"%u is wanted",
			(long long)a->revision, i + 2);
		return c->err->rc;
	}
	if (d->revision == (int64_t)d->amendments_count + 1)
		return PAWL_OK;
	fields_refuse(&c->doc, FAULT_INVALID_VALUE,
		json_get(c->doc.root, STR("revision")), STR("/revision"),
		(struct str){ 0 }, c->err,
		"revision is %lld with %u amendments", (long long)d->revision,
		d->amendments_count);
	return c->err->rc;
}

/* What holds of every decision that creates a run. */
static enum pawl_rc
check_rules(struct checker *c, const struct decision_doc *d)
{
	if (d->mode != DECISION_GRAPH) {
		fields_refuse(&c->doc, FAULT_INVALID_VALUE,
			json_get(c->doc.root, STR("mode")), STR("/mode"),
			(struct str){ 0 }, c->err,
			"only a decision of mode 'graph' creates a run");
		return c->err->rc;
	}
	if (!d->permission->granted) {
		fields_refuse(&c->doc, FAULT_INVALID_VALUE,
			json_get(c->doc.root, STR("permission")),
			STR("/permission/granted"), (struct str){ 0 }, c->err,
			"permission is not granted");
		return c->err->rc;
	}
	return check_amendments(c, d);
}

enum pawl_rc
decision_check(const struct plan *p, char *bytes, size_t len, struct arena *mem,
	struct decision *ret_decision, struct pawl_err *err)
{
	struct checker c = {
		.p = p,
		.doc = { .mem = mem,
			.text = { bytes, len },
			.code = ERR_INVALID_DECISION },
		.mem = mem,
		.err = err,
	};
	struct decision_doc d;
	bool *seen;

	if (json_read(mem, bytes, len, JSON_STRICT, &c.doc.root, err) !=
			PAWL_OK ||
		fields_read(&c.doc, &decision_table, &d, err) != PAWL_OK ||
		check_rules(&c, &d) != PAWL_OK)
		return err->rc;
	seen = arena_array(mem, p->count, bool);
	for (uint32_t i = 0; i < d.packets_count; i++) {
		if (check_packet(&c, &d.packets[i], i, seen) != PAWL_OK)
			return err->rc;
	}
	*ret_decision = (struct decision){
		.id = d.id,
		.request_digest = d.request_digest,
		.revision = d.revision,
		.single_writer = d.execution == EXECUTION_SINGLE_WRITER,
		.permitted = d.permission->granted,
	};
	return PAWL_OK;
}

void
decision_schema(struct buf *out)
{
	struct json_writer w = { .out = out, .pretty = true };

	fields_schema(&decision_table, &w);
	buf_addc(out, '\n');
}
