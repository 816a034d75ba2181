
#include "base/map.h"
#include "model/check_argv.h"
#include "model/decision.h"
#include "model/scope.h"
#include "model/scope_trie.h"
#include "model/signal.h"

enum { OVERLAPS_MAX = 20 /* that are told */ };

static const struct str none = { NULL, 0 };

struct judge {
	const struct plan *p; /* NULL: the decision alone is judged */
	struct fields_doc doc;
	const struct decision_doc *d;
	struct arena *mem;
	struct decision_findings *found;
	struct pawl_err ignored;
};

static void
add(struct judge *j, enum decision_rule rule, const struct json *at,
	struct str pointer, struct str message, struct str hint)
{
	struct decision_finding *x = decision_findings_add(j->found, rule);

	if (x == NULL)
		return;
	x->pointer = pointer;
	x->message = message;
	x->hint = hint;
	if (j->doc.lines.count == 0)
		json_lines_find(
			&j->doc.lines, j->mem, j->doc.root, j->doc.text);
	json_where(&j->doc.lines, at ? at->at : j->doc.root->at, &x->line,
		&x->column);
}

/* A member of the document, or the document where it isn't. */
static const struct json *
member(const struct judge *j, struct str name)
{
	return json_get(j->doc.root, name);
}

static void
on_field(void *arg, const struct field_error *e)
{
	struct judge *j = arg;
	struct decision_finding *x =
		decision_findings_add(j->found, (enum decision_rule)e->fault);

	if (x == NULL)
		return;
	x->pointer = e->pointer;
	x->line = e->line;
	x->column = e->column;
	x->message = e->message;
	x->hint = e->hint;
}

/* Names that must each stand once; adds a finding for a second one. */
struct names {
	struct judge *j;
	const struct str *items;
	struct map map;
};

static struct str
name_at(const void *table, uint32_t index)
{
	return ((const struct str *)table)[index];
}

static bool
name_again(struct names *n, uint32_t index, const struct json *at,
	struct str pointer)
{
	uint32_t other;

	if (map_add(&n->map, name_at, n->items, n->items[index], index, &other))
		return false;
	add(n->j, DECISION_DUPLICATE_VALUE, at, pointer,
		arena_format(n->j->mem, "'" STR_FMT "' stands there twice",
			STR_ARG(n->items[index])),
		none);
	return true;
}

static void
judge_check(struct judge *j, struct str command, const struct json *at,
	struct str pointer)
{
	struct pawl_err why = { 0 };
	char **argv;
	size_t offset;

	if (check_argv(command, j->mem, &argv, &offset, &why) == PAWL_OK)
		return;
	add(j, DECISION_NOT_DIRECT, at, pointer,
		arena_copy(j->mem, str_from(why.msg)),
		arena_copy(j->mem, str_from(pawl_err_hint(&why))));
}

/* Paths in normal form, reduced; false when one of them is none. */
static bool
normal_paths(struct judge *j, const struct decision_packet *k, uint32_t i,
	struct scope **ret_scopes, size_t *ret_count)
{
	struct scope *scopes =
		arena_array(j->mem, k->paths_count, struct scope);
	bool good = true;

	for (uint32_t n = 0; n < k->paths_count; n++) {
		struct pawl_err why = { 0 };

		if (scope_normalise(k->paths[n], j->mem, &scopes[n], &why) ==
			PAWL_OK)
			continue;
		add(j, DECISION_PATH, k->self,
			arena_format(j->mem, "/packets/%u/paths/%u", i, n),
			arena_copy(j->mem, str_from(why.msg)),
			arena_copy(j->mem, str_from(pawl_err_hint(&why))));
		good = false;
	}
	*ret_scopes = scopes;
	*ret_count = good ? scope_reduce(scopes, k->paths_count) : 0;
	return good;
}

static void
judge_paths(struct judge *j, const struct decision_packet *k, uint32_t i,
	uint32_t node, const struct scope *scopes, size_t count)
{
	const struct contract *task = &j->p->nodes[node];
	bool equal = count == task->scopes_count;

	for (uint32_t n = 0; equal && n < count; n++)
		equal = str_eq(scopes[n].path,
			plan_scope_str(j->p, task->scopes_at + n));
	if (equal)
		return;
	add(j, DECISION_PACKET_PATHS, k->self,
		arena_format(j->mem, "/packets/%u/paths", i),
		arena_format(j->mem,
			"paths of packet '" STR_FMT
			"' are not those of its task",
			STR_ARG(k->id)),
		none);
}

static void
judge_task(struct judge *j, const struct decision_packet *k, uint32_t i,
	const struct scope *scopes, size_t count, bool *packed)
{
	uint32_t node;

	if (!plan_find(j->p, k->id, &node) ||
		!str_eq(plan_id(j->p, node), k->id)) {
		add(j, DECISION_PACKET_UNKNOWN, k->self,
			arena_format(j->mem, "/packets/%u", i),
			arena_format(j->mem,
				"packet '" STR_FMT "' is no task of the list",
				STR_ARG(k->id)),
			none);
		return;
	}
	packed[node] = true;
	if (!str_eq(k->check, plan_check(j->p, node, j->mem))) {
		add(j, DECISION_PACKET_CHECK, k->self,
			arena_format(j->mem, "/packets/%u/check", i),
			arena_format(j->mem,
				"check of packet '" STR_FMT
				"' is not that of its task",
				STR_ARG(k->id)),
			none);
	}
	if (count > 0)
		judge_paths(j, k, i, node, scopes, count);
}

/* Told, not refused: what overlaps is kept apart when the run goes. */
static void
judge_overlap(struct judge *j, struct scope_trie *taken,
	const struct decision_packet *k, uint32_t i, const struct scope *scopes,
	size_t count)
{
	uint32_t other = 0;
	bool clash = false;

	for (size_t n = 0; !clash && n < count; n++)
		clash = scope_trie_conflict(
			taken, scopes[n].path, true, &other);
	for (size_t n = 0; n < count; n++)
		scope_trie_add(taken, scopes[n].path, true, i);
	if (!clash || j->found->notes >= OVERLAPS_MAX)
		return;
	add(j, DECISION_OVERLAP, k->self,
		arena_format(j->mem, "/packets/%u/paths", i),
		arena_format(j->mem,
			"packets '" STR_FMT "' and '" STR_FMT
			"' have paths in common",
			STR_ARG(j->d->packets[other].id), STR_ARG(k->id)),
		none);
}

static void
judge_unpacked(struct judge *j, const bool *packed)
{
	for (uint32_t i = 0; i < j->p->count; i++) {
		if (packed[i])
			continue;
		add(j, DECISION_UNPACKED, member(j, STR("packets")),
			STR("/packets"),
			arena_format(j->mem, "task '" STR_FMT "' has no packet",
				STR_ARG(plan_id(j->p, i))),
			none);
	}
}

static void
judge_packets(struct judge *j)
{
	const struct decision_doc *d = j->d;
	struct str *ids = arena_array(j->mem, d->packets_count, struct str);
	struct names seen = { .j = j, .items = ids };
	struct scope_trie taken;
	bool *packed =
		arena_array(j->mem, j->p != NULL ? j->p->count : 0, bool);

	scope_trie_init(&taken);
	for (uint32_t i = 0; i < d->packets_count; i++) {
		const struct decision_packet *k = &d->packets[i];
		struct scope *scopes;
		size_t count;

		ids[i] = k->id;
		(void)name_again(&seen, i, k->self,
			arena_format(j->mem, "/packets/%u", i));
		judge_check(j, k->check, k->self,
			arena_format(j->mem, "/packets/%u/check", i));
		(void)normal_paths(j, k, i, &scopes, &count);
		if (j->p != NULL)
			judge_task(j, k, i, scopes, count, packed);
		else
			judge_overlap(j, &taken, k, i, scopes, count);
	}
	if (j->p != NULL)
		judge_unpacked(j, packed);
	scope_trie_release(&taken);
	map_release(&seen.map);
}

static void
judge_amendments(struct judge *j)
{
	const struct decision_doc *d = j->d;
	enum decision_mode mode = d->initial_mode;

	for (uint32_t i = 0; i < d->amendments_count; i++) {
		const struct decision_amendment *a = &d->amendments[i];

		if (a->revision != (int64_t)i + 2) {
			add(j, DECISION_GAP, a->self,
				arena_format(
					j->mem, "/amendments/%u/revision", i),
				arena_format(j->mem,
					"amendments are not contiguous:"
					" revision %lld where %u is wanted",
					(long long)a->revision, i + 2),
				none);
		}
		if (a->from_mode != mode) {
			add(j, DECISION_CHAIN, a->self,
				arena_format(
					j->mem, "/amendments/%u/from_mode", i),
				arena_format(j->mem,
					"it amends mode '%s', and '%s' was"
					" before",
					decision_mode_words[a->from_mode],
					decision_mode_words[mode]),
				none);
		}
		mode = a->to_mode;
	}
	if (mode != d->mode) {
		add(j, DECISION_CHAIN, member(j, STR("mode")), STR("/mode"),
			arena_format(j->mem,
				"mode is '%s', and the amendments lead to '%s'",
				decision_mode_words[d->mode],
				decision_mode_words[mode]),
			none);
	}
	if (d->revision != (int64_t)d->amendments_count + 1) {
		add(j, DECISION_REVISION, member(j, STR("revision")),
			STR("/revision"),
			arena_format(j->mem, "revision is %lld with %u %s",
				(long long)d->revision, d->amendments_count,
				d->amendments_count == 1 ? "amendment"
							 : "amendments"),
			none);
	}
	if (d->amendments_count > 0 &&
		!str_eq(d->selected_check->command,
			d->amendments[d->amendments_count - 1]
				.replacement_check)) {
		add(j, DECISION_REPLACED, member(j, STR("selected_check")),
			STR("/selected_check/command"),
			STR("the last amendment replaced the check by another"),
			none);
	}
}

static void
judge_retained(struct judge *j)
{
	for (uint32_t i = 0; i < j->d->amendments_count; i++) {
		const struct decision_amendment *a = &j->d->amendments[i];
		uint32_t count =
			a->reduction ? a->reduction->retained_count : 0;

		for (uint32_t n = 0; n < count; n++) {
			struct str id = a->reduction->retained[n];
			uint32_t node;

			if (plan_find(j->p, id, &node) &&
				str_eq(plan_id(j->p, node), id))
				continue;
			add(j, DECISION_RETAINED, a->self,
				arena_format(j->mem,
					"/amendments/%u/reduction/retained/%u",
					i, n),
				arena_format(j->mem,
					"'" STR_FMT "' is no task of the list",
					STR_ARG(id)),
				none);
		}
	}
}

static void
judge_questions(struct judge *j)
{
	const struct decision_doc *d = j->d;
	struct str *ids = arena_array(j->mem, d->questions_count, struct str);
	struct names seen = { .j = j, .items = ids };

	for (uint32_t i = 0; i < d->questions_count; i++) {
		const struct decision_question *q = &d->questions[i];

		ids[i] = q->id;
		(void)name_again(&seen, i, q->self,
			arena_format(j->mem, "/questions/%u/id", i));
		if (q->provenance != SOURCE_SAFE_DEFAULT ||
			str_eq(q->answer, q->safe_default))
			continue;
		add(j, DECISION_PROVENANCE, q->self,
			arena_format(j->mem, "/questions/%u/provenance", i),
			arena_format(j->mem,
				"the answer to '" STR_FMT
				"' is not its safe default",
				STR_ARG(q->id)),
			none);
	}
	map_release(&seen.map);
}

static void
judge_observations(struct judge *j)
{
	const struct decision_doc *d = j->d;
	struct str *names =
		arena_array(j->mem, d->observations_count, struct str);
	struct names seen = { .j = j, .items = names };

	for (uint32_t i = 0; i < d->observations_count; i++) {
		const struct decision_observation *o = &d->observations[i];
		enum signal signal;
		uint32_t value;

		names[i] = o->name;
		(void)name_again(&seen, i, o->self,
			arena_format(j->mem, "/observations/%u/name", i));
		if (is_signal_refused(o->name)) {
			add(j, DECISION_SIGNAL, o->self,
				arena_format(
					j->mem, "/observations/%u/name", i),
				arena_format(j->mem,
					"'" STR_FMT "' is no signal: the mode"
					" follows from the work, not from who"
					" does it",
					STR_ARG(o->name)),
				none);
		} else if (signal_find(o->name, &signal) &&
			!signal_value_find(signal, o->value, &value)) {
			add(j, DECISION_SIGNAL, o->self,
				arena_format(
					j->mem, "/observations/%u/value", i),
				arena_format(j->mem,
					"'" STR_FMT "' is no value of '" STR_FMT
					"'",
					STR_ARG(o->value), STR_ARG(o->name)),
				none);
		}
	}
	map_release(&seen.map);
}

static void
judge_budget(struct judge *j)
{
	const struct decision_doc *d = j->d;
	bool seen[BUDGET_RESOURCE_COUNT][BUDGET_CLASS_COUNT] = { { false } };

	for (uint32_t i = 0; i < d->budget_count; i++) {
		const struct decision_budget *b = &d->budget[i];
		uint64_t scale;

		if (seen[b->resource][b->hardness]) {
			add(j, DECISION_DUPLICATE_VALUE, b->self,
				arena_format(j->mem, "/budget/%u", i),
				arena_format(j->mem,
					"a limit of class '%s' for '%s' stands"
					" there twice",
					budget_class_words[b->hardness],
					budget_resource_words[b->resource]),
				none);
		}
		seen[b->resource][b->hardness] = true;
		if (budget_unit(b->resource, b->unit, &scale) &&
			str_find(b->unit, ' ') == b->unit.len)
			continue;
		add(j, DECISION_UNIT, b->self,
			arena_format(j->mem, "/budget/%u/unit", i),
			arena_format(j->mem, "'" STR_FMT "' is no unit of '%s'",
				STR_ARG(b->unit),
				budget_resource_words[b->resource]),
			STR("attempts; slots or workers; ms, seconds, minutes"
			    " or hours; one word"));
	}
}

/* What mode graph wants beyond the table of fields. */
static void
judge_graph(struct judge *j)
{
	const struct decision_doc *d = j->d;
	const struct {
		struct str name;
		bool there;
	} wanted[] = {
		{ STR("packets"), d->packets_count > 0 },
		{ STR("integrator"), d->integrator.len > 0 },
		{ STR("budget"), d->budget_count > 0 },
		{ STR("cleanup_plan"), d->cleanup_plan.len > 0 },
		{ STR("permission"), d->permission != NULL },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (wanted[i].there)
			continue;
		add(j, DECISION_MISSING_FIELD, NULL,
			arena_format(
				j->mem, "/" STR_FMT, STR_ARG(wanted[i].name)),
			arena_format(j->mem, "mode graph wants '" STR_FMT "'",
				STR_ARG(wanted[i].name)),
			none);
	}
	if (d->permission != NULL && !d->permission->granted)
		add(j, DECISION_PERMISSION, member(j, STR("permission")),
			STR("/permission/granted"),
			STR("permission is not granted"), none);
}

static void
judge_execution(struct judge *j)
{
	struct waves w;
	uint32_t writers;

	if (j->d->execution != EXECUTION_PARALLEL)
		return;
	waves_init(&w, j->p);
	writers = w.writers;
	waves_release(&w);
	if (writers < 2) {
		add(j, DECISION_EXECUTION, member(j, STR("execution")),
			STR("/execution"),
			STR("no two tasks that write could run side by side"),
			STR("single_writer"));
	}
}

static void
judge_all(struct judge *j)
{
	if (j->p != NULL && j->d->mode != DECISION_GRAPH) {
		add(j, DECISION_MODE, member(j, STR("mode")), STR("/mode"),
			STR("only a decision of mode 'graph' creates a run"),
			none);
	} else if (j->d->mode == DECISION_GRAPH) {
		judge_graph(j);
	}
	judge_amendments(j);
	judge_observations(j);
	judge_questions(j);
	judge_check(j, j->d->selected_check->command,
		member(j, STR("selected_check")),
		STR("/selected_check/command"));
	judge_budget(j);
	judge_packets(j);
	if (j->p != NULL) {
		judge_execution(j);
		judge_retained(j);
	}
}

enum pawl_rc
/* NOLINTNEXTLINE(readability-function-size): two inputs, three outputs */
decision_judge(const struct plan *p, char *bytes, size_t len, struct arena *mem,
	struct decision_doc *ret_doc, struct decision_findings *ret_findings,
	struct pawl_err *err)
{
	struct decision_findings found = { .mem = mem };
	struct decision_doc d;
	struct judge j = {
		.p = p,
		.doc = { .mem = mem,
			.text = { bytes, len },
			.code = ERR_INVALID_DECISION,
			.report = on_field,
			.arg = &j },
		.d = &d,
		.mem = mem,
		.found = &found,
	};
	enum pawl_rc rc;

	rc = json_read(mem, bytes, len, JSON_STRICT, &j.doc.root, err);
	if (rc != PAWL_OK)
		return rc;
	found.read =
		fields_read(&j.doc, &decision_table, &d, &j.ignored) == PAWL_OK;
	if (found.read)
		judge_all(&j);
	*ret_doc = d;
	*ret_findings = found;
	return PAWL_OK;
}
