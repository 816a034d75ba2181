#include "model/agent_view.h"

#include "model/stage.h"
#include "text/utf8.h"

/* Which nodes a view has room for first. */
enum rank { RANK_NOW, RANK_NEXT, RANK_LATER, RANK_DONE, RANK_COUNT };

static enum rank
rank_of(const struct state *s, uint32_t node)
{
	switch ((enum node_status)s->nodes[node].status) {
	case NODE_RUNNING:
	case NODE_NEEDS_APPROVAL:
	case NODE_BLOCKED:
	case NODE_FAILED:
		return RANK_NOW;
	case NODE_READY:
		return RANK_NEXT;
	case NODE_PENDING:
		return RANK_LATER;
	case NODE_PASSED:
	case NODE_SKIPPED:
	case NODE_STATUS_COUNT:
		break;
	}
	return RANK_DONE;
}

/*
 * The numbers of at most AGENT_VIEW_NODES nodes, in document order; all of the
 * ranks before `last`, and of that as many as there is room for.
 */
static uint32_t *
nodes_choose(const struct state *s, struct arena *mem, uint32_t *ret_count)
{
	uint32_t *chosen = arena_array(mem, AGENT_VIEW_NODES, uint32_t);
	uint32_t of[RANK_COUNT] = { 0 }, room = AGENT_VIEW_NODES, count = 0;

	for (uint32_t i = 0; i < s->plan->count; i++)
		of[rank_of(s, i)]++;
	for (uint32_t r = 0; r < RANK_COUNT; r++) {
		of[r] = of[r] < room ? of[r] : room;
		room -= of[r];
	}
	for (uint32_t i = 0; i < s->plan->count && count < AGENT_VIEW_NODES;
		i++) {
		enum rank r = rank_of(s, i);

		if (of[r] == 0)
			continue;
		of[r]--;
		chosen[count++] = i;
	}
	*ret_count = count;
	return chosen;
}

/* Of a journal that no pawl wrote, numbers may be over it. */
static int64_t
number_of(uint64_t n)
{
	return n > INT64_MAX ? INT64_MAX : (int64_t)n;
}

/* Absent when there is nothing to say. */
static struct str
text_of(struct str s)
{
	return s.len > 0 ? utf8_cut(s, AGENT_VIEW_TEXT) : (struct str){ 0 };
}

static void
node_fill(const struct state *s, uint32_t node, struct arena *mem,
	struct agent_view_node *to)
{
	const struct node_state *n = &s->nodes[node];
	struct str unused;

	*to = (struct agent_view_node){
		.id = plan_id(s->plan, node),
		.title = text_of(plan_title(s->plan, node)),
		.status = n->status,
		.access = s->plan->nodes[node].access,
		.changed = number_of(n->seq),
	};
	if (n->attempt_1 != 0)
		to->attempt = state_attempt_id(s, n->attempt_1 - 1, mem);
	if (state_live(s, node) != NULL)
		to->stage = stage_of(s, n->attempt_1 - 1, &unused);
	if (n->gate_1 != 0 && s->gates.items[n->gate_1 - 1].status == GATE_OPEN)
		to->gate = state_gate_id(s, n->gate_1 - 1, mem);
	if (n->status == NODE_BLOCKED)
		to->block = block_reason_word(n->block);
}

static void
nodes_fill(const struct state *s, const uint32_t *chosen, uint32_t count,
	struct arena *mem, struct agent_view *view)
{
	struct agent_view_node *nodes =
		arena_array(mem, count, struct agent_view_node);

	for (uint32_t i = 0; i < count; i++)
		node_fill(s, chosen[i], mem, &nodes[i]);
	view->nodes = nodes;
	view->nodes_count = count;
}

/* Those between two nodes that are shown; the others aren't counted. */
static void
edges_fill(const struct state *s, const uint32_t *chosen, uint32_t count,
	struct arena *mem, struct agent_view *view)
{
	const struct plan *p = s->plan;
	struct agent_view_edge *edges =
		arena_array(mem, AGENT_VIEW_EDGES, struct agent_view_edge);
	bool *shown = arena_array(mem, p->count, bool);

	view->edges = edges;
	for (uint32_t i = 0; i < count; i++)
		shown[chosen[i]] = true;
	for (uint32_t i = 0; i < count; i++) {
		const struct contract *c = &p->nodes[chosen[i]];

		for (uint32_t d = 0; d < c->depends_count; d++) {
			uint32_t to = p->depends[c->depends_at + d];

			if (!shown[to])
				continue;
			if (view->edges_count >= AGENT_VIEW_EDGES) {
				view->edges_left_out++;
				continue;
			}
			edges[view->edges_count++] = (struct agent_view_edge){
				.source = plan_id(p, chosen[i]),
				.target = plan_id(p, to),
			};
		}
	}
}

static void
head_fill(const struct state *s, struct arena *mem, struct agent_view *view)
{
	struct agent_view_progress *progress =
		arena_new(mem, struct agent_view_progress);
	struct progress p;

	view_progress(s, &p);
	*progress = (struct agent_view_progress){
		.state = progress_state(s),
		.percent = progress_percent(s),
		.total = p.total,
		.passed = p.passed,
		.running = p.running,
		.input_required = p.needs_approval,
		.blocked = p.blocked,
		.pending = (int64_t)p.pending + p.ready,
		.failed = p.failed,
	};
	*view = (struct agent_view){
		.protocol = STR(AGENT_VIEW_PROTOCOL),
		.run = s->run.run,
		.status = p.status,
		.outcome = text_of(s->outcome),
		.from = -1,
		.cursor = number_of(s->seq),
		.revision = number_of(s->seq),
		.generation = number_of(s->gen),
		.progress = progress,
	};
}

enum agent_view_reason
agent_view_reach(const struct state *s, uint64_t from)
{
	if (from > s->seq)
		return AGENT_VIEW_CURSOR_AHEAD;
	return s->seq - from > AGENT_VIEW_HISTORY ? AGENT_VIEW_CURSOR_EXPIRED
						  : AGENT_VIEW_NO_REASON;
}

void
agent_view_whole(const struct state *s, enum agent_view_reason reason,
	struct arena *mem, struct agent_view *ret_view)
{
	uint32_t count;
	const uint32_t *chosen = nodes_choose(s, mem, &count);

	head_fill(s, mem, ret_view);
	ret_view->kind = reason == AGENT_VIEW_NO_REASON ? AGENT_VIEW_SNAPSHOT
							: AGENT_VIEW_RESET;
	ret_view->reason = reason;
	nodes_fill(s, chosen, count, mem, ret_view);
	edges_fill(s, chosen, count, mem, ret_view);
	ret_view->nodes_left_out = (int64_t)s->plan->count - count;
}

void
agent_view_since(const struct state *s, uint64_t from, struct arena *mem,
	struct agent_view *ret_view)
{
	enum agent_view_reason reason = agent_view_reach(s, from);

	if (reason != AGENT_VIEW_NO_REASON)
		agent_view_whole(s, reason, mem, ret_view);
	else
		agent_view_changes(s, from, mem, ret_view);
}

void
agent_view_changes(const struct state *s, uint64_t from, struct arena *mem,
	struct agent_view *ret_view)
{
	uint32_t *changed = arena_array(mem, AGENT_VIEW_NODES, uint32_t);
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->plan->count; i++) {
		if (s->nodes[i].seq <= from)
			continue;
		if (count >= AGENT_VIEW_NODES) {
			agent_view_whole(s, AGENT_VIEW_TOO_MANY, mem, ret_view);
			return;
		}
		changed[count++] = i;
	}
	head_fill(s, mem, ret_view);
	ret_view->kind = AGENT_VIEW_DELTA;
	ret_view->from = number_of(from);
	ret_view->edges = arena_array(mem, 0, struct agent_view_edge);
	nodes_fill(s, changed, count, mem, ret_view);
}

void
agent_view_text(struct buf *out, const struct agent_view *view)
{
	static const char *const kinds[] = { "snapshot", "delta", "reset" };

	utf8_show(out, view->run, UTF8_LINE);
	buf_addf(out, "  %s at line %lld", kinds[view->kind],
		(long long)view->cursor);
	if (view->kind == AGENT_VIEW_RESET)
		buf_addf(out, " (" STR_FMT ")",
			STR_ARG(agent_view_reason_word(view->reason)));
	buf_addc(out, '\n');
	for (uint32_t i = 0; i < view->nodes_count; i++) {
		const struct agent_view_node *n = &view->nodes[i];
		struct str status = node_status_word(n->status);

		buf_addf(out, "%-15.*s " STR_FMT "  ", STR_ARG(status),
			STR_ARG(n->id));
		utf8_show(out, utf8_cut(n->title, 120), UTF8_LINE);
		if (n->stage.len > 0)
			buf_addf(out, "  (" STR_FMT ")", STR_ARG(n->stage));
		buf_addc(out, '\n');
	}
	if (view->nodes_left_out > 0)
		buf_addf(out, "and %lld more\n",
			(long long)view->nodes_left_out);
}
