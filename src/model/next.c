#include "model/next.h"

#include "model/budget_use.h"
#include "model/cause.h"
#include "model/next_task.h"
#include "model/rework.h"

#include "text/utf8.h"

#define NEXT_WORD(name, word) [name] = { word, sizeof(word) - 1 },
static const struct str words[] = { NEXT_KIND_MAP(NEXT_WORD) };

struct str
next_word(enum next_kind kind)
{
	return words[kind];
}

/* The open gate whose node stands first in the list; false without one. */
static bool
gate_first(const struct state *s, uint32_t *ret_gate)
{
	bool found = false;

	for (uint32_t i = 0; i < s->gates.count; i++) {
		const struct gate *g = &s->gates.items[i];

		if (g->status != GATE_OPEN ||
			(found && g->node > s->gates.items[*ret_gate].node))
			continue;
		*ret_gate = i;
		found = true;
	}
	return found;
}

/* The first node in the list with this status; there must be one. */
static uint32_t
node_first(const struct state *s, enum node_status status)
{
	uint32_t node = 0;

	while (s->nodes[node].status != status)
		node++;
	return node;
}

static struct next
next_about_run(const struct state *s, enum next_kind kind, struct str why,
	struct arena *mem)
{
	return (struct next){ kind, s->run.run, why,
		arena_format(mem, "pawl " STR_FMT " " STR_FMT,
			STR_ARG(words[kind]), STR_ARG(s->run.run)) };
}

/* It would be run, unless somebody coordinates it by name. */
static struct next
next_drive(const struct state *s, struct str why, struct arena *mem)
{
	if (s->coordinator_name.len == 0)
		return next_about_run(s, NEXT_RUN, why, mem);
	return next_about_run(s, NEXT_WATCH,
		arena_format(mem, STR_FMT ", which '" STR_FMT "' coordinates",
			STR_ARG(why), STR_ARG(s->coordinator_name)),
		mem);
}

static struct next
next_claim(const struct state *s, struct arena *mem)
{
	struct str only = s->coordinator_for;

	return (struct next){ NEXT_CLAIM, s->run.run,
		STR("nobody coordinates the run"),
		arena_format(mem, "pawl task claim " STR_FMT " --as " STR_FMT,
			STR_ARG(s->run.run),
			STR_ARG(only.len > 0 ? only : STR("ID"))) };
}

/* About the node, with the command of its first cause. */
static struct next
next_about_node(const struct state *s, enum next_kind kind, uint32_t node,
	struct arena *mem)
{
	struct explanation ex;
	struct str id = plan_id(s->plan, node);
	struct next next = { .kind = kind };

	explain_node(s, node, 1, mem, &ex);
	next.why = arena_format(mem, STR_FMT ": " STR_FMT, STR_ARG(ex.verdict),
		STR_ARG(ex.causes[0].sentence));
	if (kind == NEXT_EXPLAIN) {
		next.subject = id;
		next.command =
			arena_format(mem, "pawl explain " STR_FMT, STR_ARG(id));
		return next;
	}
	next.subject = arena_format(
		mem, STR_FMT "/" STR_FMT, STR_ARG(s->run.run), STR_ARG(id));
	next.command = ex.causes[0].command;
	return next;
}

static struct next
next_gate(const struct state *s, uint32_t gate, struct arena *mem)
{
	struct str subject = arena_format(mem, STR_FMT "/" STR_FMT,
		STR_ARG(s->run.run), STR_ARG(state_gate_id(s, gate, mem)));

	return (struct next){ NEXT_APPROVE, subject,
		arena_format(mem, STR_FMT " waits for an approval",
			STR_ARG(plan_id(s->plan, s->gates.items[gate].node))),
		arena_format(mem, "pawl approve " STR_FMT, STR_ARG(subject)) };
}

/* The oldest question that is open; false without one. */
static bool
ask_first(const struct state *s, uint32_t *ret_ask)
{
	for (uint32_t i = 0; s->asks_open > 0 && i < s->asks.count; i++) {
		if (s->asks.items[i].status == ASK_OPEN) {
			*ret_ask = i;
			return true;
		}
	}
	return false;
}

/* The oldest delegation that is open; there is one. */
static uint32_t
delegation_first(const struct state *s)
{
	uint32_t at = 0;

	while (!is_delegation_open(&s->delegations.items[at]))
		at++;
	return at;
}

static struct next
next_ask(const struct state *s, uint32_t ask, struct arena *mem)
{
	struct cause cause = cause_question(s, ask, mem);

	return (struct next){ NEXT_ANSWER,
		arena_format(mem, STR_FMT "/" STR_FMT, STR_ARG(s->run.run),
			STR_ARG(cause.subject)),
		arena_format(mem, STR_FMT ": " STR_FMT,
			STR_ARG(plan_id(s->plan, s->asks.items[ask].node)),
			STR_ARG(cause.sentence)),
		cause.command };
}

/* All is done, and what was found keeps the run from being COMPLETE. */
static struct next
next_finding(const struct state *s, struct arena *mem)
{
	const struct rework_finding *f = s->findings.items;

	while (f->class != FINDING_HARDENING && !is_finding_open(s, f))
		f++;
	return (struct next){ NEXT_CLOSE, s->run.run,
		arena_format(mem,
			"finding " STR_FMT " of " STR_FMT " stands: " STR_FMT,
			STR_ARG(f->id),
			STR_ARG(state_attempt_id(s, f->attempt, mem)),
			STR_ARG(f->summary)),
		arena_format(mem,
			"pawl task complete " STR_FMT " --outcome partial",
			STR_ARG(s->run.run)) };
}

/* Nothing moves, and nobody is asked for anything. */
static struct next
next_standing(const struct state *s, struct arena *mem)
{
	const uint32_t *by = s->by_status;
	enum node_status last =
		by[NODE_FAILED] > 0 ? NODE_FAILED : NODE_RUNNING;

	if (by[NODE_PASSED] + by[NODE_SKIPPED] == s->plan->count)
		return next_finding(s, mem);
	if (by[NODE_BLOCKED] > 0)
		return next_about_node(
			s, NEXT_UNBLOCK, node_first(s, NODE_BLOCKED), mem);
	return next_about_node(s, NEXT_EXPLAIN, node_first(s, last), mem);
}

void
next_find(const struct state *s, bool driven, struct arena *mem,
	struct next *ret_next)
{
	enum run_status status = state_run_status(s);
	const uint32_t *by = s->by_status;
	struct next next;
	uint32_t gate = 0, ask = 0;
	uint32_t limit;

	if (s->lines_started == 0)
		next = (struct next){ NEXT_RUN, STR("LIST"),
			STR("the run hasn't started"), STR("pawl run LIST") };
	else if (is_run_closed(s)) {
		next = (struct next){ NEXT_NOTHING, s->run.run,
			arena_format(mem,
				"the run is closed with outcome '" STR_FMT "'",
				STR_ARG(s->outcome)),
			STR("") };
	} else if (gate_first(s, &gate)) {
		next = next_gate(s, gate, mem);
	} else if (ask_first(s, &ask)) {
		next = next_ask(s, ask, mem);
	} else if (s->vacant) {
		next = next_claim(s, mem);
	} else if (is_breaker_tripped(s) && by[NODE_READY] > 0) {
		next = next_drive(s,
			arena_format(mem,
				"nothing starts until '" STR_FMT "' is mended",
				STR_ARG(s->breaker.cause)),
			mem);
	} else if (by[NODE_READY] > 0 && s->live_attempts == 0 &&
		budget_holds(s, STR(""), &limit)) {
		next = next_about_node(
			s, NEXT_EXPLAIN, node_first(s, NODE_READY), mem);
	} else if (status == RUN_NEEDS_APPROVAL && s->delegations_open > 0) {
		next = next_delegation(s, delegation_first(s), mem);
	} else if (next_by_hand(s, mem, &next)) {
		/* that verb takes it on */
	} else if (status == RUN_COMPLETE && s->coordinator_name.len > 0) {
		next = (struct next){ NEXT_COMPLETE, s->run.run,
			STR("the run is complete and can be closed"),
			arena_format(mem,
				"pawl task complete " STR_FMT
				" --outcome pass --as " STR_FMT,
				STR_ARG(s->run.run),
				STR_ARG(s->coordinator_name)) };
	} else if (status == RUN_COMPLETE) {
		next = next_drive(
			s, STR("the run is complete and can be closed"), mem);
	} else if (status == RUN_RUNNING) {
		next = driven ? next_about_run(s, NEXT_WATCH,
					STR("the run goes on by itself"), mem)
			      : next_drive(s,
					s->coordinator_name.len > 0
						? STR("the run goes on")
						: STR("nobody drives the run"),
					mem);
	} else {
		next = next_standing(s, mem);
	}
	*ret_next = next;
}

void
next_text(struct buf *out, const struct next *next)
{
	buf_addf(out, "next: " STR_FMT, STR_ARG(words[next->kind]));
	if (next->kind == NEXT_NOTHING) {
		buf_add(out, STR(", "));
		utf8_show(out, next->why, UTF8_LINE);
	} else {
		buf_addf(out, " " STR_FMT "  (", STR_ARG(next->subject));
		utf8_show(out, next->command, UTF8_LINE);
		buf_addc(out, ')');
	}
	buf_addc(out, '\n');
}

void
next_json(struct json_writer *w, const struct next *next)
{
	json_open(w, '{');
	json_pair_str(w, STR("do"), words[next->kind]);
	json_pair_str(w, STR("subject"), next->subject);
	json_pair_str(w, STR("why"), next->why);
	json_pair_str(w, STR("command"), next->command);
	json_close(w, '}');
}
