#include "model/mission.h"

#include "base/bounds.h"
#include "model/graph.h"
#include "model/id.h"
#include "model/ledger_earned.h"
#include "model/mission_reader.h"
#include "text/utf8.h"

enum { LOSS_VALUE_BYTES = 200 };

void
mission_lose(struct mission_reader *r, struct str pointer, uint32_t node,
	const char *fmt, ...)
{
	struct mission_loss loss = { .pointer = pointer };
	struct buf b = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	loss.message = arena_copy(r->mem, buf_str(&b));
	if (node < r->l->count)
		loss.node = arena_copy(r->mem, r->l->nodes[node].id);
	mission_losses_push(r->losses, loss);
	buf_release(&b);
}

enum pawl_rc
mission_refuse(struct mission_reader *r, enum pawl_code code,
	const struct json *at, struct str pointer, const char *fmt, ...)
{
	uint32_t line, column;
	struct buf b = { 0 };
	va_list ap;

	json_place(r->text, at->at, &line, &column);
	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	(void)pawl_fail(r->err, code, "%u:%u: " STR_FMT, line, column,
		STR_ARG(buf_str(&b)));
	r->err->field = pointer;
	buf_release(&b);
	return r->err->rc;
}

/* With RFC 6901's escapes. */
struct str
mission_pointer(struct mission_reader *r, uint32_t node, struct str name)
{
	struct buf b = { 0 };
	struct str s;

	if (node != UINT32_MAX)
		buf_addf(&b, "/%s/%u", r->list, node);
	if (name.ptr != NULL)
		buf_addc(&b, '/');
	for (size_t i = 0; name.ptr != NULL && i < name.len; i++) {
		if (name.ptr[i] == '~')
			buf_add(&b, STR("~0"));
		else if (name.ptr[i] == '/')
			buf_add(&b, STR("~1"));
		else
			buf_addc(&b, name.ptr[i]);
	}
	s = arena_copy(r->mem, buf_str(&b));
	buf_release(&b);
	return s;
}

bool
mission_is_nothing(const struct json *v)
{
	switch ((enum json_kind)v->kind) {
	case JSON_NULL:
		return true;
	case JSON_BOOL:
	case JSON_INT:
		return v->n == 0;
	case JSON_STRING:
		return v->text.len == 0;
	case JSON_ARRAY:
	case JSON_OBJECT:
		return v->count == 0;
	case JSON_REAL:
		break;
	}
	return false;
}

void
mission_lose_member(struct mission_reader *r, struct str pointer, uint32_t node,
	struct str name, const struct json *v)
{
	struct buf value = { 0 };
	struct json_writer w = { .out = &value };
	struct str shown;

	if (mission_is_nothing(v))
		return;
	json_put(&w, v);
	shown = utf8_cut(buf_str(&value), LOSS_VALUE_BYTES);
	mission_lose(r, pointer, node,
		STR_FMT " has no place in a ledger: " STR_FMT "%s",
		STR_ARG(name), STR_ARG(shown),
		shown.len < value.len ? "..." : "");
	buf_release(&value);
}

struct str
mission_text(struct mission_reader *r, struct str pointer, uint32_t node,
	struct str s, size_t max)
{
	struct buf b = { 0 };
	bool folded = utf8_fold(&b, str_trim(s));
	struct str kept = str_trim(utf8_cut(buf_str(&b), max));

	if (folded)
		mission_lose(r, pointer, node,
			"line ends and control characters became blanks");
	if (b.len > max)
		mission_lose(r, pointer, node, "%zu bytes beyond the first %zu",
			b.len - kept.len, kept.len);
	kept = arena_copy(&r->l->mem, kept);
	buf_release(&b);
	return kept;
}

struct str
mission_id(struct mission_reader *r, const struct json *v)
{
	char *id;

	if (v && v->kind == JSON_INT)
		return arena_format(&r->l->mem, "%lld", (long long)v->n);
	if (!v || v->kind != JSON_STRING)
		return STR("");
	id = arena_strdup(&r->l->mem, v->text);
	for (size_t i = 0; i < v->text.len; i++) {
		if (id[i] >= 'A' && id[i] <= 'Z')
			id[i] = (char)(id[i] - 'A' + 'a');
	}
	return (struct str){ id, v->text.len };
}

static enum pawl_rc
edges_read(struct mission_reader *r, uint32_t node)
{
	struct ledger_node *n = &r->l->nodes[node];
	const struct json *list = r->steps[node].depends, *v;
	struct str name = r->steps[node].depends_name, pointer;

	if (!list)
		return PAWL_OK;
	v = json_first(list);
	n->depends = arena_array(&r->l->mem, list->count, uint32_t);
	for (uint32_t i = 0; i < list->count; i++, v += v->span) {
		struct str id = mission_id(r, v);
		bool twice = false;
		uint32_t to;

		pointer = arena_format(r->mem, STR_FMT "/%u",
			STR_ARG(mission_pointer(r, node, name)), i);
		if (!ledger_find(r->l, id, &to)) {
			return mission_refuse(r, ERR_UNKNOWN_DEPENDENCY, v,
				pointer,
				"'" STR_FMT "' depends on '" STR_FMT
				"', which is no step of this file",
				STR_ARG(n->id), STR_ARG(id));
		}
		for (uint32_t k = 0; k < n->depends_count; k++)
			twice = twice || n->depends[k] == to;
		if (twice)
			mission_lose(r, pointer, node,
				"'" STR_FMT "' stood there twice", STR_ARG(id));
		else
			n->depends[n->depends_count++] = to;
	}
	return PAWL_OK;
}

/* The first cycle fails the reader; the rest would say no more. */
static void
cycle_found(void *arg, const uint32_t *path, uint32_t count)
{
	struct mission_reader *r = arg;
	struct buf b = { 0 };

	if (r->cyclic)
		return;
	r->cyclic = true;
	for (uint32_t i = 0; i < count; i++) {
		buf_add(&b, r->l->nodes[path[i]].id);
		buf_add(&b, STR(" -> "));
	}
	buf_add(&b, r->l->nodes[path[0]].id);
	(void)mission_refuse(r, ERR_CYCLE, r->steps[path[0]].value,
		mission_pointer(r, path[0], STR("depends_on")),
		"steps wait for each other in a circle: " STR_FMT,
		STR_ARG(buf_str(&b)));
	buf_release(&b);
}

/* The nodes, each after all that it depends on. */
static enum pawl_rc
order_find(struct mission_reader *r, uint32_t *ret_order)
{
	struct ledger *l = r->l;
	uint32_t edges = 0, *at, *to, *back_at, *back_to;
	struct graph g, back;

	for (uint32_t i = 0; i < l->count; i++)
		edges += l->nodes[i].depends_count;
	at = arena_array(r->mem, l->count + 1, uint32_t);
	to = arena_array(r->mem, edges, uint32_t);
	back_at = arena_array(r->mem, l->count + 1, uint32_t);
	back_to = arena_array(r->mem, edges, uint32_t);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		for (uint32_t k = 0; k < n->depends_count; k++)
			to[at[i] + k] = n->depends[k];
		at[i + 1] = at[i] + n->depends_count;
	}
	g = (struct graph){ l->count, at, to };
	graph_reverse(&g, back_at, back_to);
	back = (struct graph){ l->count, back_at, back_to };
	if (graph_order(&g, &back, ret_order) < l->count)
		(void)graph_cycles(&g, cycle_found, r);
	return r->cyclic ? r->err->rc : PAWL_OK;
}

/* The usual walk to a status, with `attempts` times READY and RUNNING. */
static void
walk(struct mission_reader *r, uint32_t node, uint32_t attempts,
	enum node_status end)
{
	struct ledger_node *n = &r->l->nodes[node];

	n->history = (uint8_t *)arena_bytes(&r->l->mem, 2 + 2 * attempts);
	n->history[n->history_count++] = NODE_PENDING;
	for (uint32_t i = 0; i < attempts; i++) {
		n->history[n->history_count++] = NODE_READY;
		n->history[n->history_count++] = NODE_RUNNING;
	}
	if (n->history[n->history_count - 1] != end)
		n->history[n->history_count++] = (uint8_t)end;
	n->status = (uint8_t)end;
	n->attempt = attempts;
}

/* It waits: for others, for an approval, or for somebody who begins. */
static void
wait_for(struct mission_reader *r, uint32_t node)
{
	const struct ledger_node *n = &r->l->nodes[node];
	enum node_status status = NODE_PENDING;

	if (is_ledger_node_free(r->l, node))
		status = is_ledger_approval_open(n) ? NODE_NEEDS_APPROVAL
						    : NODE_READY;
	if (r->steps[node].rounds > 0)
		mission_lose(r, mission_pointer(r, node, STR("rounds")), node,
			"the %u rounds before this one don't count",
			r->steps[node].rounds);
	walk(r, node, 0, status);
}

/* Why a step can't be as far as it says; NULL when it can. */
static const char *
overclaim(const struct mission_reader *r, uint32_t node)
{
	const struct ledger_node *n = &r->l->nodes[node];
	bool verified = r->steps[node].status == MISSION_VERIFIED;

	if (verified && n->evidence_count == 0)
		return "it has no evidence";
	if (!is_ledger_node_free(r->l, node))
		return "what it depends on hasn't passed";
	if (!verified && is_ledger_approval_open(n))
		return "its approval isn't given";
	return NULL;
}

/* Its status and history; what it depends on has its own. */
static void
status_settle(struct mission_reader *r, uint32_t node)
{
	struct ledger_node *n = &r->l->nodes[node];
	const struct mission_step *s = &r->steps[node];
	struct str pointer = mission_pointer(r, node, STR("status"));
	const char *why;

	n->max_attempts = r->max_attempts;
	switch ((enum mission_status)s->status) {
	case MISSION_RUNNING:
	case MISSION_VERIFIED:
		why = overclaim(r, node);
		if (why) {
			wait_for(r, node);
			mission_lose(r, pointer, node,
				"%s became " STR_FMT ": %s",
				s->status == MISSION_VERIFIED ? "verified"
							      : "running",
				STR_ARG(node_status_word(
					(enum node_status)n->status)),
				why);
			break;
		}
		if (n->approval == LEDGER_REQUIRED)
			n->approval = LEDGER_GRANTED;
		walk(r, node, s->rounds + 1,
			s->status == MISSION_RUNNING ? NODE_RUNNING
						     : NODE_PASSED);
		break;
	case MISSION_REVERTED:
		mission_lose(r, pointer, node,
			"reverted became FAILED: that its changes were taken "
			"back isn't said");
		walk(r, node, s->rounds + 1, NODE_FAILED);
		break;
	case MISSION_FAILED:
		walk(r, node, s->rounds + 1, NODE_FAILED);
		break;
	case MISSION_SKIPPED:
		walk(r, node, 0, NODE_SKIPPED);
		break;
	case MISSION_BLOCKED:
		if (n->approval == LEDGER_NOT_REQUIRED)
			walk(r, node, 0, NODE_BLOCKED);
		else
			wait_for(r, node);
		if (n->status == NODE_PENDING)
			mission_lose(r, pointer, node,
				"blocked became PENDING: what it depends on "
				"hasn't passed");
		break;
	case MISSION_PENDING:
	case MISSION_STATUS_COUNT:
		wait_for(r, node);
		break;
	}
	/* A step that failed there isn't tried again by itself here. */
	if (n->status == NODE_FAILED || n->max_attempts < n->attempt)
		n->max_attempts = n->attempt;
}

/* How often a step may be tried, from the file's budget. */
static void
budget_read(struct mission_reader *r, const struct json *budget)
{
	const struct json *key = json_first(budget);

	for (uint32_t i = 0; i < budget->count; i++) {
		const struct json *v = key + 1;

		if (str_eq(key->text, STR("max_rounds")) &&
			v->kind == JSON_INT && v->n >= 1 &&
			v->n <= BOUND_LEDGER_ATTEMPTS)
			r->max_attempts = (uint32_t)v->n;
		else {
			mission_lose_member(r,
				arena_format(r->mem, "/budget" STR_FMT,
					STR_ARG(mission_pointer(
						r, UINT32_MAX, key->text))),
				UINT32_MAX, key->text, v);
		}
		key = v + v->span;
	}
}

static enum pawl_rc
name_read(struct mission_reader *r, const struct json *root)
{
	const struct json *mission = json_get(root, STR("mission"));
	const struct json *objective = json_get(root, STR("objective"));
	bool named = mission && mission->kind == JSON_STRING &&
		mission->text.len > 0;

	r->l->run_id = arena_copy(&r->l->mem, r->options->run_id);
	if (named && !r->options->rename && id_is_valid(mission->text))
		r->l->run_id = arena_copy(&r->l->mem, mission->text);
	else if (named)
		mission_lose(r, STR("/mission"), UINT32_MAX,
			"the mission '" STR_FMT "' became '" STR_FMT "'",
			STR_ARG(mission->text), STR_ARG(r->l->run_id));
	r->l->task = mission_text(r, STR("/objective"), UINT32_MAX,
		json_str(objective), BOUND_TEXT_BYTES);
	if (r->l->task.len == 0)
		return mission_refuse(r, ERR_INVALID_DOCUMENT,
			objective ? objective : root, STR("/objective"),
			"the file says no objective");
	return PAWL_OK;
}

/* Everything beside the steps. */
static enum pawl_rc
root_read(struct mission_reader *r, const struct json *root)
{
	const struct json *version = json_get(root, STR("schema_version"));
	const struct json *key = json_first(root);
	enum pawl_rc rc;

	if (version && version->kind != JSON_NULL &&
		(version->kind != JSON_INT || version->n < 1 ||
			version->n > 2)) {
		return mission_refuse(r,
			json_int(version) > 2 ? ERR_NEWER_FORMAT
					      : ERR_INVALID_DOCUMENT,
			version, STR("/schema_version"),
			"mission files of the versions 1 and 2 are known");
	}
	rc = name_read(r, root);
	if (rc != PAWL_OK)
		return rc;
	for (uint32_t i = 0; i < root->count; i++) {
		const struct json *v = key + 1;

		if (str_eq(key->text, STR("budget")) && v->kind == JSON_OBJECT)
			budget_read(r, v);
		else if (!str_eq(key->text, STR("schema_version")) &&
			!str_eq(key->text, STR("mission")) &&
			!str_eq(key->text, STR("objective")) &&
			!str_eq(key->text, str_from(r->list)))
			mission_lose_member(r,
				mission_pointer(r, UINT32_MAX, key->text),
				UINT32_MAX, key->text, v);
		key = v + v->span;
	}
	return PAWL_OK;
}

static enum pawl_rc
steps_read(struct mission_reader *r, const struct json *steps)
{
	const struct json *step = json_first(steps);
	enum pawl_rc rc = PAWL_OK;
	uint32_t *order;

	if (steps->count > BOUND_MISSION_STEPS) {
		return mission_refuse(r, ERR_LIMIT, steps,
			arena_format(r->mem, "/%s", r->list),
			"%u steps are over the limit of %d", steps->count,
			BOUND_MISSION_STEPS);
	}
	r->steps = arena_array(r->mem, steps->count, struct mission_step);
	for (uint32_t i = 0; rc == PAWL_OK && i < steps->count; i++) {
		rc = mission_step_read(r, step, i);
		step += step->span;
	}
	for (uint32_t i = 0; rc == PAWL_OK && i < steps->count; i++)
		rc = edges_read(r, i);
	if (rc != PAWL_OK)
		return rc;
	order = arena_array(r->mem, r->l->count, uint32_t);
	rc = order_find(r, order);
	for (uint32_t i = 0; rc == PAWL_OK && i < r->l->count; i++)
		status_settle(r, order[i]);
	r->l->status = (uint8_t)ledger_earned(r->l);
	return rc;
}

enum mission_form
mission_form_of(struct str text)
{
	enum mission_form form = MISSION_OTHER;
	struct arena mem = ARENA_INIT;
	const struct json *root;
	struct pawl_err err = { 0 };

	if (text.len <= BOUND_MISSION_BYTES &&
		json_read(&mem, arena_strdup(&mem, text), text.len,
			JSON_KEEP_DUPLICATES, &root, &err) == PAWL_OK &&
		root->kind == JSON_OBJECT) {
		if (json_get(root, STR("run_id")))
			form = MISSION_LEDGER;
		else if (json_get(root, STR("steps")) ||
			json_get(root, STR("objective")))
			form = MISSION_STEPS;
	}
	arena_reset(&mem);
	return form;
}

enum pawl_rc
mission_read(struct arena *mem, struct str text,
	const struct mission_options *options, struct ledger *l,
	struct mission_losses *losses, struct pawl_err *err)
{
	struct mission_reader r = { .mem = mem,
		.options = options,
		.text = text,
		.l = l,
		.losses = losses,
		.list = "steps",
		.max_attempts = 2,
		.err = err };
	const struct json *root, *steps;
	enum pawl_rc rc;

	if (text.len > BOUND_MISSION_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"a mission file of %zu bytes is over the limit of %d",
			text.len, BOUND_MISSION_BYTES);
	rc = json_read(mem, arena_strdup(mem, text), text.len, JSON_STRICT,
		&root, err);
	if (rc != PAWL_OK)
		return rc;
	steps = json_get(root, STR("steps"));
	if (!steps && json_get(root, STR("nodes"))) {
		r.list = "nodes";
		steps = json_get(root, STR("nodes"));
	}
	if (root->kind != JSON_OBJECT || !steps || steps->kind != JSON_ARRAY)
		return mission_refuse(&r, ERR_INVALID_DOCUMENT, root,
			STR("/steps"), "a mission file has a list of steps");
	rc = root_read(&r, root);
	return rc == PAWL_OK ? steps_read(&r, steps) : rc;
}
