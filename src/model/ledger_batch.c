#include "model/ledger_batch.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/die.h"
#include "model/graph.h"
#include "text/fields.h"

#define NONE UINT32_MAX

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD(name, word) [name] = (word),
/* NOLINTEND(bugprone-macro-parentheses) */
static const char *const kind_words[] = { LEDGER_KIND_MAP(WORD) NULL };
static const char *const role_words[] = { LEDGER_ROLE_MAP(WORD) NULL };
static const char *const approval_words[] = { LEDGER_APPROVAL_MAP(WORD) NULL };
static const char *const access_words[] = {
	[ACCESS_READ_ONLY] = "read-only",
	[ACCESS_WORKSPACE_WRITE] = "workspace-write",
	[ACCESS_EXTERNAL_WRITE] = "external-write",
	[ACCESS_DESTRUCTIVE] = "destructive",
	NULL,
};

static const struct field id_item = {
	.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1, .max = BOUND_ID_BYTES
};

/* Bounds and grammar are ledger_decide()'s; these only keep it small. */
static const struct field rows[] = {
	{ FIELD_NAME("id"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct ledger_node_wanted, id) },
	{ FIELD_NAME("title"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct ledger_node_wanted, title) },
	{ FIELD_NAME("kind"), .type = FIELD_ENUM, .words = kind_words,
		.preset = LEDGER_EXECUTE,
		FIELD_AT(struct ledger_node_wanted, kind) },
	{ FIELD_NAME("role"), .type = FIELD_ENUM, .words = role_words,
		.preset = LEDGER_MAIN,
		FIELD_AT(struct ledger_node_wanted, role) },
	{ FIELD_NAME("access"), .type = FIELD_ENUM, .words = access_words,
		.preset = LEDGER_ACCESS_OF_KIND,
		FIELD_AT(struct ledger_node_wanted, access) },
	{ FIELD_NAME("depends_on"), .type = FIELD_LIST, .item = &id_item,
		.flags = FIELD_UNIQUE, .max = BOUND_DEPENDS,
		FIELD_ITEMS(struct ledger_node_wanted, depends_on) },
	{ FIELD_NAME("expected_output"), .type = FIELD_TEXT,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct ledger_node_wanted, expected_output) },
	{ FIELD_NAME("evidence_required"), .type = FIELD_BOOL, .preset = 1,
		FIELD_AT(struct ledger_node_wanted, evidence_required) },
	{ FIELD_NAME("max_attempts"), .type = FIELD_INT, .min = 1,
		.max = BOUND_LEDGER_ATTEMPTS,
		.preset = LEDGER_MAX_ATTEMPTS_PRESET,
		FIELD_AT(struct ledger_node_wanted, max_attempts) },
	{ FIELD_NAME("approval"), .type = FIELD_ENUM, .words = approval_words,
		.preset = LEDGER_NOT_REQUIRED,
		FIELD_AT(struct ledger_node_wanted, approval) },
};

static const struct field_table table = {
	.title = "New node",
	FIELD_ROWS(rows),
	.size = sizeof(struct ledger_node_wanted),
};

struct ledger_node_wanted
ledger_node_preset(void)
{
	return (struct ledger_node_wanted){ .kind = LEDGER_EXECUTE,
		.role = LEDGER_MAIN,
		.access = LEDGER_ACCESS_OF_KIND,
		.max_attempts = LEDGER_MAX_ATTEMPTS_PRESET,
		.evidence_required = true };
}

static enum node_access
access_of(const struct ledger_node_wanted *wanted)
{
	if (wanted->access != LEDGER_ACCESS_OF_KIND)
		return (enum node_access)wanted->access;
	if (wanted->kind == LEDGER_EXECUTE || wanted->kind == LEDGER_REPAIR)
		return ACCESS_WORKSPACE_WRITE;
	return ACCESS_READ_ONLY;
}

struct event
ledger_node_event(const struct ledger_node_wanted *wanted, struct arena *mem)
{
	struct event e = { .type = EV_NODE_ADDED, .node = wanted->id };
	enum node_access access = access_of(wanted);
	enum ledger_approval approval = (enum ledger_approval)wanted->approval;
	struct strs depends = { arena_array(mem, wanted->depends_on_count,
					struct str),
		wanted->depends_on_count };

	if (access >= ACCESS_EXTERNAL_WRITE && approval == LEDGER_NOT_REQUIRED)
		approval = LEDGER_REQUIRED;
	for (uint32_t i = 0; i < depends.count; i++)
		depends.items[i] = wanted->depends_on[i];
	EVENT_SET(&e, F_TITLE, title, wanted->title);
	EVENT_SET(&e, F_KIND, kind,
		ledger_kind_word((enum ledger_kind)wanted->kind));
	EVENT_SET(&e, F_ROLE, role,
		ledger_role_word((enum ledger_role)wanted->role));
	EVENT_SET(&e, F_ACCESS, access, str_from(plan_access_word(access)));
	EVENT_SET(&e, F_EXPECTED_OUTPUT, expected_output,
		wanted->expected_output.len > 0 ? wanted->expected_output
						: wanted->title);
	EVENT_SET(&e, F_EVIDENCE_REQUIRED, evidence_required,
		wanted->evidence_required);
	EVENT_SET(&e, F_MAX_ATTEMPTS, max_attempts,
		(uint64_t)wanted->max_attempts);
	EVENT_SET(&e, F_APPROVAL, approval, ledger_approval_word(approval));
	EVENT_SET(&e, F_DEPENDS_ON, depends_on, depends);
	return e;
}

struct batch {
	const struct ledger *l;
	struct arena *mem;
	struct ledger_node_wanted *nodes;
	uint32_t count;
	struct map index;     /* from ids */
	struct graph depends; /* among the batch's own */
	bool told;            /* of a cycle */
	struct pawl_err *err;
};

static struct str
id_of(const void *nodes, uint32_t node)
{
	return ((const struct ledger_node_wanted *)nodes)[node].id;
}

static enum pawl_rc
read_nodes(struct batch *b, const struct json *list, struct str text)
{
	const struct json *item = list + 1;

	b->nodes = arena_array(b->mem, list->count, struct ledger_node_wanted);
	for (uint32_t i = 0; i < list->count; i++, item += item->span) {
		struct fields_doc doc = { .mem = b->mem,
			.root = item,
			.text = text,
			.code = ERR_INVALID_DOCUMENT };
		enum pawl_rc rc =
			fields_read(&doc, &table, &b->nodes[i], b->err);
		uint32_t other;

		if (rc != PAWL_OK) {
			b->err->field = arena_format(b->mem, "/%u" STR_FMT, i,
				STR_ARG(b->err->field));
			return pawl_wrap(b->err, "node %u of the batch", i + 1);
		}
		if (!map_add(&b->index, id_of, b->nodes, b->nodes[i].id, i,
			    &other)) {
			return pawl_fail(b->err, ERR_ID_TAKEN,
				"nodes %u and %u of the batch have the id "
				"'" STR_FMT "'",
				other + 1, i + 1, STR_ARG(b->nodes[i].id));
		}
		b->count++;
	}
	return PAWL_OK;
}

/* What the batch's nodes wait for among themselves. */
static enum pawl_rc
link_nodes(struct batch *b)
{
	uint32_t *at = arena_array(b->mem, (size_t)b->count + 1, uint32_t);
	uint32_t *to, edges = 0, other;

	for (uint32_t i = 0; i < b->count; i++)
		edges += b->nodes[i].depends_on_count;
	to = arena_array(b->mem, edges, uint32_t);
	edges = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		const struct ledger_node_wanted *n = &b->nodes[i];

		at[i] = edges;
		for (uint32_t k = 0; k < n->depends_on_count; k++) {
			struct str id = n->depends_on[k];

			if (map_get(&b->index, id_of, b->nodes, id, &other))
				to[edges++] = other;
			else if (!ledger_find(b->l, id, &other)) {
				return pawl_fail(b->err, ERR_UNKNOWN_DEPENDENCY,
					"'" STR_FMT "' depends on '" STR_FMT
					"', which neither the ledger nor the "
					"batch has",
					STR_ARG(n->id), STR_ARG(id));
			}
		}
	}
	at[b->count] = edges;
	b->depends = (struct graph){ b->count, at, to };
	return PAWL_OK;
}

/* The first one, whole: in the message as far as it has room. */
static void
on_cycle(void *arg, const uint32_t *path, uint32_t count)
{
	struct batch *b = arg;
	struct buf text = { 0 }, json = { 0 };
	struct json_writer w = { .out = &json };

	if (b->told)
		return;
	b->told = true;
	json_open(&w, '{');
	json_key(&w, STR("cycle"));
	json_open(&w, '[');
	for (uint32_t i = 0; i <= count; i++) {
		struct str id = b->nodes[path[i % count]].id;

		json_put_str(&w, id);
		buf_addf(&text, "%s" STR_FMT, i > 0 ? " -> " : "", STR_ARG(id));
	}
	json_close(&w, ']');
	json_close(&w, '}');
	(void)pawl_fail(b->err, ERR_CYCLE,
		"the batch has a cycle of dependencies: " STR_FMT,
		STR_ARG(buf_str(&text)));
	b->err->detail = arena_copy(b->mem, buf_str(&json));
	buf_release(&text);
	buf_release(&json);
}

/*
 * Each node behind what it depends on: in the order of the document, with what
 * is missing fetched before.  There is no cycle.
 */
static void
order_nodes(const struct batch *b, struct events *out)
{
	uint32_t *next = die_alloc((size_t)b->count + 1, sizeof(*next));
	uint32_t *stack = die_alloc((size_t)b->count + 1, sizeof(*stack));

	for (uint32_t i = 0; i < b->count; i++)
		next[i] = b->depends.at[i];
	for (uint32_t i = 0; i < b->count; i++) {
		uint32_t depth = 0;

		if (next[i] != NONE)
			stack[depth++] = i;
		while (depth > 0) {
			uint32_t n = stack[depth - 1];

			if (next[n] < b->depends.at[n + 1]) {
				uint32_t to = b->depends.to[next[n]++];

				if (next[to] != NONE)
					stack[depth++] = to;
				continue;
			}
			next[n] = NONE;
			depth--;
			events_push(
				out, ledger_node_event(&b->nodes[n], b->mem));
		}
	}
	free(next);
	free(stack);
}

enum pawl_rc
ledger_batch_read(const struct ledger *l, struct arena *mem, char *bytes,
	size_t len, struct events *out, struct pawl_err *err)
{
	struct batch b = { .l = l, .mem = mem, .err = err };
	const struct json *list;
	enum pawl_rc rc;

	rc = json_read(mem, bytes, len, JSON_PRISTINE, &list, err);
	if (rc != PAWL_OK)
		return rc;
	if (list->kind != JSON_ARRAY)
		return pawl_fail(err, ERR_INVALID_DOCUMENT,
			"a batch is a JSON array of nodes: "
			"[{\"id\":…,\"title\":…},…]");
	if (list->count > BOUND_LEDGER_NODES)
		return pawl_fail(err, ERR_LIMIT,
			"a batch of %u nodes is over the limit of %d",
			list->count, BOUND_LEDGER_NODES);
	rc = read_nodes(&b, list, (struct str){ bytes, len });
	if (rc == PAWL_OK)
		rc = link_nodes(&b);
	if (rc == PAWL_OK && graph_cycles(&b.depends, on_cycle, &b) > 0)
		rc = err->rc;
	if (rc == PAWL_OK)
		order_nodes(&b, out);
	map_release(&b.index);
	return rc;
}
