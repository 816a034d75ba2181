#include "model/view.h"

#include "model/budget_use.h"
#include "model/cause.h"
#include "model/confined.h"
#include "model/detail.h"
#include "model/progress.h"
#include "model/rework.h"
#include "text/utf8.h"

enum {
	CAUSES_MAX = 4,     /* of a node */
	BOARD_OPEN_MAX = 5, /* gates, and cleanups, on a board */
};

/* The gates that somebody must decide, with the command. */
static void
gates_add(
	struct buf *out, const struct state *s, uint32_t max, struct arena *mem)
{
	uint32_t left = max;

	for (uint32_t i = 0; i < s->gates.count; i++) {
		const struct gate *g = &s->gates.items[i];
		struct str id = plan_id(s->plan, g->node);

		if (g->status != GATE_OPEN)
			continue;
		if (left-- == 0) {
			buf_addf(out, "and %u more gates\n",
				s->gates_open - max);
			return;
		}
		buf_addf(out, "waits for you: gate " STR_FMT "!%u, ",
			STR_ARG(id), g->number);
		utf8_show(out, utf8_cut(plan_title(s->plan, g->node), 120),
			UTF8_LINE);
		buf_addf(out, "  (pawl approve " STR_FMT "/" STR_FMT ")\n",
			STR_ARG(s->run.run), STR_ARG(state_gate_id(s, i, mem)));
	}
}

/* What somebody must answer, with the command. */
static void
asks_add(
	struct buf *out, const struct state *s, uint32_t max, struct arena *mem)
{
	uint32_t left = max;

	for (uint32_t i = 0; s->asks_open > 0 && i < s->asks.count; i++) {
		struct cause cause;

		if (s->asks.items[i].status != ASK_OPEN)
			continue;
		if (left-- == 0) {
			buf_addf(out, "and %u more questions\n",
				s->asks_open - max);
			return;
		}
		cause = cause_question(s, i, mem);
		buf_addf(out, "waits for you: " STR_FMT ", ",
			STR_ARG(plan_id(s->plan, s->asks.items[i].node)));
		utf8_show(out, cause.sentence, UTF8_LINE);
		buf_addf(out, "  (" STR_FMT ")\n", STR_ARG(cause.command));
	}
}

/* What was given away, with the verb that takes it on. */
static void
delegations_add(
	struct buf *out, const struct state *s, uint32_t max, struct arena *mem)
{
	uint32_t left = max;

	for (uint32_t i = 0;
		s->delegations_open > 0 && i < s->delegations.count; i++) {
		struct cause cause;

		if (!is_delegation_open(&s->delegations.items[i]))
			continue;
		if (left-- == 0) {
			buf_addf(out, "and %u more delegations\n",
				s->delegations_open - max);
			return;
		}
		cause = cause_delegation(s, i, mem);
		utf8_show(out, cause.sentence, UTF8_LINE);
		buf_addf(out, "  (" STR_FMT ")\n", STR_ARG(cause.command));
	}
}

static void
cleanups_add(
	struct buf *out, const struct state *s, uint32_t max, struct arena *mem)
{
	uint32_t left = max;

	for (uint32_t i = 0; i < s->cleanups.count; i++) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (is_cleanup_settled(c))
			continue;
		if (left-- == 0) {
			buf_addf(out, "and %u more cleanups\n",
				s->cleanups_open - max);
			return;
		}
		buf_addf(out, "cleanup " STR_FMT " of " STR_FMT " is %s: ",
			STR_ARG(c->id),
			STR_ARG(state_attempt_id(s, c->attempt, mem)),
			c->status == CLEANUP_PENDING          ? "pending"
				: c->status == CLEANUP_FAILED ? "still there"
							      : "not proven");
		utf8_show(out, c->kind, UTF8_LINE);
		buf_addc(out, ' ');
		utf8_show(out, c->target, UTF8_LINE);
		buf_addc(out, '\n');
	}
}

/* What stays behind on purpose, once nothing else is under way. */
static void
retained_add(
	struct buf *out, const struct state *s, uint32_t max, struct arena *mem)
{
	uint32_t left = max;

	for (uint32_t i = 0; s->live_attempts == 0 && i < s->cleanups.count;
		i++) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (c->status != CLEANUP_RETAINED)
			continue;
		if (left-- == 0) {
			buf_add(out, STR("and more that is kept\n"));
			return;
		}
		buf_addf(out, "kept: " STR_FMT " of " STR_FMT ", ",
			STR_ARG(c->id),
			STR_ARG(state_attempt_id(s, c->attempt, mem)));
		utf8_show(out, c->kind, UTF8_LINE);
		buf_addc(out, ' ');
		utf8_show(out, c->target, UTF8_LINE);
		buf_add(out, STR(": "));
		utf8_show(out, utf8_cut(c->reason, 200), UTF8_LINE);
		buf_addc(out, '\n');
	}
}

static void
breaker_add(struct buf *out, const struct state *s)
{
	if (!is_breaker_open(s))
		return;
	buf_addf(out, "%u attempts in a row ended with '", s->breaker.count);
	utf8_show(out, s->breaker.cause, UTF8_LINE);
	buf_addf(out, "'; %s\n",
		is_breaker_tripped(s) ? "nothing starts until that is mended"
				      : "one at a time tries again");
}

/* What the record says of it; nothing for a run of before there was any. */
static void
confined_add(struct buf *out, const struct state *s, struct arena *mem)
{
	if (s->run.sandbox.len == 0 || is_confined(s))
		return;
	buf_add(out, STR("sandbox: "));
	utf8_show(out, confined_words(s, mem), UTF8_LINE);
	buf_addc(out, '\n');
}

void
view_status(struct buf *out, const struct state *s, bool driven, uint32_t max,
	uint32_t columns)
{
	struct arena mem = ARENA_INIT;
	struct next next;

	view_summary(out, s);
	view_table_within(out, s, max, columns);
	gates_add(out, s, max, &mem);
	asks_add(out, s, max, &mem);
	delegations_add(out, s, max, &mem);
	cleanups_add(out, s, max, &mem);
	retained_add(out, s, max, &mem);
	confined_add(out, s, &mem);
	breaker_add(out, s);
	next_find(s, driven, &mem, &next);
	next_text(out, &next);
	arena_reset(&mem);
}

void
view_board(struct buf *out, const struct state *s, bool driven,
	uint32_t columns, uint32_t rows)
{
	struct arena mem = ARENA_INIT;
	struct buf head = { 0 }, foot = { 0 };
	struct next next;
	uint32_t feet = 0, left;

	view_summary(&head, s);
	gates_add(&foot, s, BOARD_OPEN_MAX, &mem);
	asks_add(&foot, s, BOARD_OPEN_MAX, &mem);
	delegations_add(&foot, s, BOARD_OPEN_MAX, &mem);
	if (s->live_attempts == 0)
		cleanups_add(&foot, s, BOARD_OPEN_MAX, &mem);
	breaker_add(&foot, s);
	next_find(s, driven, &mem, &next);
	if (next.kind != NEXT_WATCH)
		next_text(&foot, &next);
	for (size_t i = 0; i < foot.len; i++)
		feet += foot.data[i] == '\n';
	/* The summary, the table's head, `and N more`, the cursor's line. */
	left = rows > feet + 4 ? rows - feet - 4 : 1;
	view_table_within(&head, s, left, columns);
	buf_add(&head, buf_str(&foot));
	view_clip(out, buf_str(&head), columns, rows > 1 ? rows - 1 : 1);
	buf_release(&head);
	buf_release(&foot);
	arena_reset(&mem);
}

static void
confined_json(struct json_writer *w, const struct state *s)
{
	struct arena mem = ARENA_INIT;
	struct strs lacks = confined_lacks(s, &mem);

	json_pair_str_or_null(w, STR("sandbox"), s->run.sandbox);
	json_key(w, STR("not_enforced"));
	json_open(w, '[');
	for (uint32_t i = 0; i < lacks.count; i++)
		json_put_str(w, lacks.items[i]);
	json_close(w, ']');
	arena_reset(&mem);
}

void
view_run_json(struct json_writer *w, const struct state *s)
{
	const struct run_facts *r = &s->run;

	json_open(w, '{');
	json_pair_str(w, STR("id"), r->run);
	json_pair_str(w, STR("status"), run_status_word(state_run_status(s)));
	json_pair_bool(w, STR("closed"), is_run_closed(s));
	json_pair_str(w, STR("outcome"), s->outcome);
	json_pair_str(w, STR("list"), r->list);
	json_pair_str(w, STR("list_sha256"), r->list_sha256);
	json_pair_str(w, STR("repo"), r->repo);
	json_pair_str(w, STR("base"), r->base);
	json_pair_str(w, STR("branch"), r->branch);
	json_pair_str(w, STR("tip"), s->tip);
	json_pair_str(w, STR("profile"), r->profile);
	json_pair_str(w, STR("placement"), placement_word(r->placement));
	json_pair_u64(w, STR("slots"), r->slots);
	json_pair_bool(w, STR("strict"), r->strict);
	json_pair_bool(w, STR("allow_dirty"), r->allow_dirty);
	confined_json(w, s);
	json_pair_u64(w, STR("generation"), s->gen);
	json_pair_u64(w, STR("seq"), s->seq);
	json_pair_str(w, STR("at"), s->at);
	json_close(w, '}');
}

static void
counts_json(struct json_writer *w, const struct state *s)
{
	struct progress p;

	view_progress(s, &p);
	json_open(w, '{');
	json_pair_u64(w, STR("total"), p.total);
	json_pair_u64(w, STR("passed"), p.passed);
	json_pair_u64(w, STR("skipped"), p.skipped);
	json_pair_u64(w, STR("running"), p.running);
	json_pair_u64(w, STR("unobserved"), p.unobserved);
	json_pair_u64(w, STR("ready"), p.ready);
	json_pair_u64(w, STR("pending"), p.pending);
	json_pair_u64(w, STR("failed"), p.failed);
	json_pair_u64(w, STR("blocked"), p.blocked);
	json_pair_u64(w, STR("needs_approval"), p.needs_approval);
	json_pair_u64(w, STR("attempts_alive"), s->live_attempts);
	json_pair_u64(w, STR("cleanups_open"), s->cleanups_open);
	json_close(w, '}');
}

static void
node_json(struct json_writer *w, const struct state *s, uint32_t node,
	struct arena *mem)
{
	const struct node_state *n = &s->nodes[node];
	struct explanation ex;

	explain_node(s, node, CAUSES_MAX, mem, &ex);
	json_open(w, '{');
	json_pair_str(w, STR("id"), plan_id(s->plan, node));
	json_pair_str(w, STR("title"), plan_title(s->plan, node));
	json_pair_str(w, STR("status"), node_status_word(n->status));
	json_pair_u64(w, STR("attempt"), view_tries(s, node));
	json_pair_u64(w, STR("max_attempts"), state_allowance(s, node));
	json_key(w, STR("last_attempt"));
	if (n->attempt_1 != 0)
		json_put_str(w, state_attempt_id(s, n->attempt_1 - 1, mem));
	else
		json_put_null(w);
	json_pair_bool(w, STR("may_start"), ex.may_start);
	json_pair_u64(w, STR("cause_count"), ex.total);
	json_key(w, STR("causes"));
	explain_causes_json(w, &ex);
	json_close(w, '}');
}

/* The decision that holds, its budget, and what of it only is told. */
static void
decision_json(struct json_writer *w, const struct state *s)
{
	uint32_t told[BUDGET_LIMITS_MAX];
	uint32_t count = budget_degraded(s, STR(""), told);

	json_key(w, STR("decision"));
	json_open(w, '{');
	json_pair_str(w, STR("sha256"), s->decision_sha256);
	json_pair_str(w, STR("mode"),
		s->decision_mode.len ? s->decision_mode : STR("graph"));
	json_pair_u64(w, STR("revision"),
		s->decision_revision ? s->decision_revision : 1);
	json_pair_bool(w, STR("single_writer"), s->single_writer);
	json_key(w, STR("retained"));
	if (s->reduced) {
		json_open(w, '[');
		for (size_t i = 0; i < s->retained.count; i++)
			json_put_str(w, plan_id(s->plan, s->retained.items[i]));
		json_close(w, ']');
	} else {
		json_put_null(w);
	}
	json_close(w, '}');
	json_key(w, STR("budget"));
	budget_json(w, s, STR(""));
	json_key(w, STR("degradations"));
	json_open(w, '[');
	for (uint32_t i = 0; i < count; i++)
		budget_limit_json(w, s, told[i], STR(""));
	json_close(w, ']');
}

static void
open_json(struct json_writer *w, const struct state *s)
{
	json_key(w, STR("gates"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->gates.count; i++) {
		if (s->gates.items[i].status == GATE_OPEN)
			detail_json(w, s, &(struct detail){ DETAIL_GATE, i });
	}
	json_close(w, ']');
	json_key(w, STR("questions"));
	json_open(w, '[');
	for (uint32_t i = 0; s->asks_open > 0 && i < s->asks.count; i++) {
		if (s->asks.items[i].status == ASK_OPEN)
			detail_json(w, s, &(struct detail){ DETAIL_ASK, i });
	}
	json_close(w, ']');
	json_key(w, STR("delegations"));
	json_open(w, '[');
	for (uint32_t i = 0;
		s->delegations_open > 0 && i < s->delegations.count; i++) {
		if (is_delegation_open(&s->delegations.items[i]))
			detail_json(
				w, s, &(struct detail){ DETAIL_DELEGATION, i });
	}
	json_close(w, ']');
	json_key(w, STR("cleanups"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->cleanups.count; i++) {
		if (!is_cleanup_settled(&s->cleanups.items[i]))
			detail_json(
				w, s, &(struct detail){ DETAIL_CLEANUP, i });
	}
	json_close(w, ']');
	json_key(w, STR("retained"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->cleanups.count; i++) {
		if (s->cleanups.items[i].status == CLEANUP_RETAINED)
			detail_json(
				w, s, &(struct detail){ DETAIL_CLEANUP, i });
	}
	json_close(w, ']');
	decision_json(w, s);
	json_key(w, STR("breaker"));
	if (!is_breaker_open(s)) {
		json_put_null(w);
		return;
	}
	json_open(w, '{');
	json_pair_str(w, STR("cause"), s->breaker.cause);
	json_pair_u64(w, STR("count"), s->breaker.count);
	json_pair_bool(w, STR("tripped"), is_breaker_tripped(s));
	json_close(w, '}');
}

void
view_status_json(
	struct json_writer *w, const struct state *s, bool driven, uint32_t max)
{
	uint32_t rows = s->plan->count < max ? s->plan->count : max;
	struct arena mem = ARENA_INIT;
	struct next next;

	json_open(w, '{');
	json_key(w, STR("run"));
	view_run_json(w, s);
	json_key(w, STR("progress"));
	counts_json(w, s);
	json_key(w, STR("summary"));
	progress_json(w, s);
	json_key(w, STR("nodes"));
	json_open(w, '[');
	for (uint32_t i = 0; i < rows; i++) {
		node_json(w, s, i, &mem);
		arena_reset(&mem);
	}
	json_close(w, ']');
	json_pair_u64(w, STR("nodes_left_out"), s->plan->count - rows);
	open_json(w, s);
	next_find(s, driven, &mem, &next);
	json_key(w, STR("next"));
	next_json(w, &next);
	json_close(w, '}');
	arena_reset(&mem);
}
