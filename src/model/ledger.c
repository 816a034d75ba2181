#include "model/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD(name, word) [name] = { word, sizeof(word) - 1 },
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct str kind_words[] = { LEDGER_KIND_MAP(WORD) };
static const struct str role_words[] = { LEDGER_ROLE_MAP(WORD) };
static const struct str approval_words[] = { LEDGER_APPROVAL_MAP(WORD) };

struct str
ledger_kind_word(enum ledger_kind k)
{
	return kind_words[k];
}

struct str
ledger_role_word(enum ledger_role r)
{
	return role_words[r];
}

struct str
ledger_approval_word(enum ledger_approval a)
{
	return approval_words[a];
}

void
ledger_init(struct ledger *l)
{
	*l = (struct ledger){ .status = RUN_PLANNING };
}

void
ledger_release(struct ledger *l)
{
	free(l->nodes);
	map_release(&l->index);
	arena_reset(&l->mem);
	*l = (struct ledger){ 0 };
}

static struct str
id_of(const void *table, uint32_t node)
{
	const struct ledger *l = table;

	return l->nodes[node].id;
}

bool
ledger_find(const struct ledger *l, struct str id, uint32_t *ret_node)
{
	return map_get(&l->index, id_of, l, id, ret_node);
}

void
ledger_reserve(struct ledger *l, uint32_t count)
{
	map_reserve(&l->index, count);
	if (count <= l->cap)
		return;
	l->cap = count;
	l->nodes = die_realloc(l->nodes, l->cap, sizeof(*l->nodes));
}

static void
make_room(struct ledger *l)
{
	if (l->count < l->cap)
		return;
	l->cap = l->cap ? l->cap * 2 : 16;
	l->nodes = die_realloc(l->nodes, l->cap, sizeof(*l->nodes));
}

uint32_t
ledger_add_nameless(struct ledger *l)
{
	make_room(l);
	l->nodes[l->count] = (struct ledger_node){ 0 };
	return l->count++;
}

bool
ledger_add(struct ledger *l, struct str id, uint32_t *ret_node)
{
	make_room(l);
	l->nodes[l->count] = (struct ledger_node){ .id = id };
	if (!map_add(&l->index, id_of, l, id, l->count, ret_node))
		return false;
	*ret_node = l->count++;
	return true;
}

#define TO(status) (1u << NODE_##status)

/* Design 3.3. */
static const unsigned steps[NODE_STATUS_COUNT] = {
	[NODE_PENDING] =
		TO(READY) | TO(NEEDS_APPROVAL) | TO(SKIPPED) | TO(BLOCKED),
	[NODE_READY] = TO(RUNNING) | TO(SKIPPED) | TO(BLOCKED),
	[NODE_RUNNING] = TO(PASSED) | TO(FAILED) | TO(READY) |
		TO(NEEDS_APPROVAL) | TO(BLOCKED),
	[NODE_NEEDS_APPROVAL] = TO(PENDING) | TO(BLOCKED) | TO(SKIPPED),
	[NODE_BLOCKED] = TO(PENDING) | TO(SKIPPED),
	[NODE_FAILED] = TO(READY),
};

bool
is_ledger_step(enum node_status from, enum node_status to)
{
	return (steps[from] >> to & 1) != 0;
}

bool
is_ledger_way(enum node_status from, enum node_status to, uint32_t unknown)
{
	unsigned reached = steps[from];

	for (; unknown > 0; unknown--) {
		unsigned next = reached;

		for (unsigned s = 0; s < NODE_STATUS_COUNT; s++)
			next |= reached >> s & 1 ? steps[s] : 0;
		if (next == reached)
			break;
		reached = next;
	}
	return (reached >> to & 1) != 0;
}

bool
is_ledger_approval_open(const struct ledger_node *n)
{
	if (n->approval == LEDGER_GRANTED)
		return false;
	return n->approval != LEDGER_NOT_REQUIRED ||
		n->access == ACCESS_EXTERNAL_WRITE ||
		n->access == ACCESS_DESTRUCTIVE;
}

static bool
is_done(const struct ledger_node *n)
{
	return n->status == NODE_PASSED || n->status == NODE_SKIPPED;
}

bool
is_ledger_node_free(const struct ledger *l, uint32_t node)
{
	const struct ledger_node *n = &l->nodes[node];

	for (uint32_t i = 0; i < n->depends_count; i++) {
		if (!is_done(&l->nodes[n->depends[i]]))
			return false;
	}
	return true;
}

bool
is_ledger_node_behind(const struct ledger *l, uint32_t node, uint32_t other)
{
	uint32_t *open = die_alloc(l->count, sizeof(*open)), count = 0;
	bool *seen = die_alloc(l->count, sizeof(*seen));
	bool is_behind = false;

	memset(seen, 0, l->count * sizeof(*seen));
	seen[node] = true;
	open[count++] = node;
	while (count > 0 && !is_behind) {
		const struct ledger_node *n = &l->nodes[open[--count]];

		for (uint32_t i = 0; i < n->depends_count; i++) {
			uint32_t d = n->depends[i];

			is_behind = is_behind || d == other;
			if (!seen[d])
				open[count++] = d;
			seen[d] = true;
		}
	}
	free(open);
	free(seen);
	return is_behind;
}

static void
strs_put(struct json_writer *w, struct str key, const struct str *items,
	uint32_t count)
{
	json_key(w, key);
	json_open(w, '[');
	for (uint32_t i = 0; i < count; i++)
		json_put_str(w, items[i]);
	json_close(w, ']');
}

void
ledger_node_write(const struct ledger *l, uint32_t node, struct json_writer *w)
{
	const struct ledger_node *n = &l->nodes[node];

	json_open(w, '{');
	json_pair_str(w, STR("id"), n->id);
	json_pair_str(w, STR("title"), n->title);
	json_pair_str(w, STR("kind"), kind_words[n->kind]);
	json_pair_str(w, STR("role"), role_words[n->role]);
	json_pair_str(w, STR("access"),
		str_from(plan_access_word((enum node_access)n->access)));
	json_pair_str(w, STR("status"), node_status_word(n->status));
	json_key(w, STR("status_history"));
	json_open(w, '[');
	for (uint32_t i = 0; i < n->history_count; i++)
		json_put_str(w, node_status_word(n->history[i]));
	json_close(w, ']');
	json_key(w, STR("depends_on"));
	json_open(w, '[');
	for (uint32_t i = 0; i < n->depends_count; i++)
		json_put_str(w, l->nodes[n->depends[i]].id);
	json_close(w, ']');
	json_pair_str(w, STR("expected_output"), n->expected_output);
	json_pair_bool(w, STR("evidence_required"), n->evidence_required);
	strs_put(w, STR("evidence"), n->evidence, n->evidence_count);
	json_pair_u64(w, STR("attempt"), n->attempt);
	json_pair_u64(w, STR("max_attempts"), n->max_attempts);
	json_pair_str(w, STR("approval"), approval_words[n->approval]);
	json_close(w, '}');
}

void
ledger_nodes_write(const struct ledger *l, struct json_writer *w)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < l->count; i++)
		ledger_node_write(l, i, w);
	json_close(w, ']');
}

void
ledger_write(const struct ledger *l, struct json_writer *w)
{
	json_open(w, '{');
	json_pair_u64(w, STR("schema_version"), LEDGER_SCHEMA_VERSION);
	json_pair_str(w, STR("run_id"), l->run_id);
	json_pair_str(w, STR("task"), l->task);
	json_pair_str(w, STR("status"), run_status_word(l->status));
	json_key(w, STR("nodes"));
	ledger_nodes_write(l, w);
	json_close(w, '}');
}
