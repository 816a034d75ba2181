#include "model/progress.h"

#include <stdlib.h>

#include "model/rework.h"
#include "model/stage.h"
#include "model/wall.h"
#include "text/utf8.h"

enum { TEXT_MAX = 512 }; /* bytes of what somebody wrote */

#define WORD(name, word) [name] = { word, sizeof(word) - 1 },
static const struct str state_words[] = { PROGRESS_STATE_MAP(WORD) };

struct str
progress_state_word(enum progress_state s)
{
	return state_words[s];
}

bool
is_anything_open(const struct state *s)
{
	const uint32_t *by = s->by_status;

	return by[NODE_PASSED] + by[NODE_SKIPPED] < s->plan->count ||
		by[NODE_PASSED] == 0 || s->live_attempts > 0 ||
		s->gates_open > 0 || s->asks_open > 0 ||
		s->delegations_open > 0 || s->cleanups_open > 0 ||
		s->unreconciled > 0 || s->findings_blocking > 0 ||
		s->findings_carried > 0;
}

static bool
is_cleanup_unproven(const struct state *s)
{
	const struct cleanup *c;

	if (s->cleanups_open == 0)
		return false;
	VEC_EACH (c, &s->cleanups) {
		if (c->status == CLEANUP_FAILED ||
			c->status == CLEANUP_UNVERIFIABLE)
			return true;
	}
	return false;
}

/* Of what was tried last nobody knows how it ended. */
static bool
is_outcome_unknown(const struct state *s)
{
	struct progress p;

	view_progress(s, &p);
	if (p.unobserved > 0 || is_cleanup_unproven(s))
		return true;
	if (s->unreconciled == 0)
		return false;
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct attempt *a = state_last_attempt(s, i);

		if (a != NULL && a->unreconciled &&
			(a->status == ATTEMPT_LOST ||
				a->status == ATTEMPT_WORKSPACE_LOST))
			return true;
	}
	return false;
}

enum progress_state
progress_state(const struct state *s)
{
	const uint32_t *by = s->by_status;
	bool open = is_anything_open(s);

	if (str_eq(s->outcome, STR("pass")) && !open)
		return PROGRESS_COMPLETE;
	if (str_eq(s->outcome, STR("failed")) || by[NODE_FAILED] > 0)
		return PROGRESS_FAILED;
	if (str_eq(s->outcome, STR("partial")))
		return PROGRESS_PARTIAL;
	if (is_outcome_unknown(s))
		return PROGRESS_OUTCOME_UNKNOWN;
	if (str_eq(s->outcome, STR("blocked")) || by[NODE_BLOCKED] > 0 ||
		is_breaker_tripped(s))
		return PROGRESS_BLOCKED;
	if (is_run_closed(s)) /* as pass, with something open */
		return PROGRESS_PARTIAL;
	if (by[NODE_NEEDS_APPROVAL] > 0 || s->gates_open > 0 ||
		s->asks_open > 0)
		return PROGRESS_INPUT_REQUIRED;
	return PROGRESS_ACTIVE;
}

uint32_t
progress_percent(const struct state *s)
{
	const uint32_t *by = s->by_status;
	uint64_t done = (uint64_t)by[NODE_PASSED] + by[NODE_SKIPPED];
	uint64_t percent = s->plan->count > 0 ? done * 100 / s->plan->count : 0;

	if (progress_state(s) == PROGRESS_COMPLETE)
		return 100;
	return percent > 99 ? 99 : (uint32_t)percent;
}

struct interval {
	uint64_t from, to;
};

static int
interval_compare(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* How long at least one of them lasted. */
static uint64_t
covered(struct interval *all, size_t count)
{
	uint64_t sum = 0, seen = 0;

	qsort(all, count, sizeof(*all), interval_compare);
	for (size_t i = 0; i < count; i++) {
		uint64_t from = all[i].from > seen ? all[i].from : seen;

		if (all[i].to <= from)
			continue;
		sum += all[i].to - from;
		seen = all[i].to;
	}
	return sum;
}

static struct str
first_of(struct str a, struct str b, struct str c)
{
	if (a.len > 0)
		return a;
	return b.len > 0 ? b : c;
}

void
progress_walls(const struct state *s, struct progress_walls *ret_walls)
{
	struct progress_walls walls = { 0 };
	struct arena mem = ARENA_INIT;
	struct interval *at_work =
		arena_array(&mem, s->attempts.count, struct interval);
	size_t count = 0;
	const struct attempt *a;
	const struct check *c;

	VEC_EACH (a, &s->attempts) {
		struct str end = first_of(a->at_reported, a->at_ended, s->at);
		struct interval i;

		if (wall_ms(a->at_started, &i.from) && wall_ms(end, &i.to) &&
			i.from < i.to) {
			walls.implementation_ms += i.to - i.from;
			at_work[count++] = i;
		}
		walls.audit_ms += wall_between(
			a->at_checked, first_of(a->at_ended, s->at, STR("")));
	}
	VEC_EACH (c, &s->checks) {
		walls.check_ms += c->duration_ms;
	}
	walls.waiting_ms = covered(at_work, count);
	arena_reset(&mem);
	*ret_walls = walls;
}

/* A list of the form that all have; between the two, its items. */
static void
list_open(struct json_writer *w, struct str key)
{
	json_key(w, key);
	json_open(w, '{');
	json_key(w, STR("items"));
	json_open(w, '[');
}

static void
list_close(struct json_writer *w, uint32_t shown, uint32_t count)
{
	json_close(w, ']');
	json_pair_u64(w, STR("count"), count);
	json_pair_bool(w, STR("truncated"), shown < count);
	json_close(w, '}');
}

static void
counts_json(struct json_writer *w, const struct state *s)
{
	struct progress p;

	view_progress(s, &p);
	json_key(w, STR("counts"));
	json_open(w, '{');
	json_pair_u64(w, STR("total"), p.total);
	json_pair_u64(w, STR("passed"), p.passed);
	json_pair_u64(w, STR("skipped"), p.skipped);
	json_pair_u64(w, STR("running"), p.running);
	json_pair_u64(w, STR("input_required"), p.needs_approval);
	json_pair_u64(w, STR("blocked"), p.blocked);
	json_pair_u64(w, STR("pending"), p.pending + p.ready);
	json_pair_u64(w, STR("failed"), p.failed);
	json_pair_u64(w, STR("unobserved"), p.unobserved);
	json_close(w, '}');
}

/* In document order; the walk ends with the last one that is shown. */
static void
current_json(struct json_writer *w, const struct state *s, struct arena *mem)
{
	uint32_t shown = 0;

	list_open(w, STR("current"));
	for (uint32_t i = 0; i < s->plan->count && shown < s->live_attempts &&
		shown < PROGRESS_NOW;
		i++) {
		const struct attempt *a = state_live(s, i);
		uint32_t at;
		struct str unused;

		if (a == NULL)
			continue;
		at = s->nodes[i].attempt_1 - 1;
		json_open(w, '{');
		json_pair_str(w, STR("node"), plan_id(s->plan, i));
		json_pair_str(w, STR("attempt"), state_attempt_id(s, at, mem));
		json_pair_str(w, STR("stage"), stage_of(s, at, &unused));
		json_close(w, '}');
		shown++;
	}
	list_close(w, shown, s->live_attempts);
}

static void
next_nodes_json(struct json_writer *w, const struct state *s)
{
	uint32_t shown = 0, rank;

	list_open(w, STR("next"));
	for (uint32_t from = 0;
		shown < PROGRESS_NOW && rankset_next(&s->ready, from, &rank);
		from = rank + 1) {
		json_put_str(w, plan_id(s->plan, s->node_at[rank]));
		shown++;
	}
	list_close(w, shown, s->ready.count);
}

/* One entry of blockers or findings, when there is room. */
static void
entry_json(struct json_writer *w, uint32_t *count, const char *kind,
	struct str subject, struct str detail)
{
	if ((*count)++ >= PROGRESS_LIST)
		return;
	json_open(w, '{');
	json_pair_str(w, STR("kind"), str_from(kind));
	json_pair_str(w, STR("subject"), subject);
	json_pair_str(w, STR("detail"), utf8_cut(detail, TEXT_MAX));
	json_close(w, '}');
}

static void
blockers_json(struct json_writer *w, const struct state *s, struct arena *mem)
{
	uint32_t count = 0;

	list_open(w, STR("blockers"));
	if (is_breaker_tripped(s))
		entry_json(
			w, &count, "environment", s->run.run, s->breaker.cause);
	for (uint32_t i = 0; i < s->gates.count; i++) {
		if (s->gates.items[i].status == GATE_OPEN)
			entry_json(w, &count, "approval",
				state_gate_id(s, i, mem),
				s->gates.items[i].reason);
	}
	for (uint32_t i = 0; s->asks_open > 0 && i < s->asks.count; i++) {
		if (s->asks.items[i].status == ASK_OPEN)
			entry_json(w, &count,
				ask_kind_word(s->asks.items[i].kind).ptr,
				state_ask_id(i, mem), s->asks.items[i].prompt);
	}
	for (uint32_t i = 0;
		s->delegations_open > 0 && i < s->delegations.count; i++) {
		const struct delegation *d = &s->delegations.items[i];

		if (is_delegation_open(d))
			entry_json(w, &count, "delegation",
				state_delegation_id(i, mem), d->purpose);
	}
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct node_state *n = &s->nodes[i];
		const struct attempt *a = state_last_attempt(s, i);

		if (n->status == NODE_BLOCKED)
			entry_json(w, &count, "blocked", plan_id(s->plan, i),
				block_reason_word(n->block));
		if (n->status == NODE_FAILED)
			entry_json(w, &count, "failed", plan_id(s->plan, i),
				a != NULL ? a->cause : STR(""));
	}
	list_close(w, count < PROGRESS_LIST ? count : PROGRESS_LIST, count);
}

/* What keeps its task from passing, or the run from being complete. */
static bool
is_finding_shown(const struct state *s, const struct rework_finding *f)
{
	uint32_t node = s->attempts.items[f->attempt].node;

	return is_finding_open(s, f) ||
		(f->class == FINDING_HARDENING && s->findings_carried > 0 &&
			s->nodes[node].attempt_1 == f->attempt + 1);
}

static void
findings_json(struct json_writer *w, const struct state *s)
{
	uint32_t count = 0;
	const struct rework_finding *f;

	list_open(w, STR("findings"));
	VEC_EACH (f, &s->findings) {
		if (is_finding_shown(s, f))
			entry_json(w, &count, finding_class_word(f->class).ptr,
				f->id, f->summary);
	}
	for (uint32_t i = 0; s->unobserved > 0 && i < s->plan->count; i++) {
		const struct attempt *a = state_last_attempt(s, i);

		if (s->nodes[i].status == NODE_RUNNING && a != NULL &&
			!is_attempt_live(a))
			entry_json(w, &count, "unobserved", plan_id(s->plan, i),
				a->cause);
	}
	list_close(w, count < PROGRESS_LIST ? count : PROGRESS_LIST, count);
}

static void
cleanups_json(struct json_writer *w, const struct state *s)
{
	json_key(w, STR("cleanups"));
	json_open(w, '{');
	for (enum cleanup_status word = CLEANUP_PENDING;
		word <= CLEANUP_UNVERIFIABLE; word++) {
		uint32_t count = 0;
		const struct cleanup *c;

		list_open(w, cleanup_status_word(word));
		VEC_EACH (c, &s->cleanups) {
			if (c->status != word || count++ >= PROGRESS_LIST)
				continue;
			json_put_str(w, c->id);
		}
		list_close(w, count < PROGRESS_LIST ? count : PROGRESS_LIST,
			count);
	}
	json_close(w, '}');
}

static void
durations_json(struct json_writer *w, const struct state *s)
{
	struct progress_walls walls;

	progress_walls(s, &walls);
	json_key(w, STR("durations"));
	json_open(w, '{');
	json_pair_u64(w, STR("implementation_ms"), walls.implementation_ms);
	json_pair_u64(w, STR("waiting_ms"), walls.waiting_ms);
	json_pair_u64(w, STR("check_ms"), walls.check_ms);
	json_pair_u64(w, STR("audit_ms"), walls.audit_ms);
	json_close(w, '}');
}

void
progress_json(struct json_writer *w, const struct state *s)
{
	struct arena mem = ARENA_INIT;

	json_open(w, '{');
	json_pair_str(w, STR("state"), state_words[progress_state(s)]);
	json_pair_u64(w, STR("percent"), progress_percent(s));
	counts_json(w, s);
	current_json(w, s, &mem);
	next_nodes_json(w, s);
	blockers_json(w, s, &mem);
	findings_json(w, s);
	cleanups_json(w, s);
	durations_json(w, s);
	json_pair_str(w, STR("tokens"), STR("unavailable"));
	json_key(w, STR("last_activity"));
	json_open(w, '{');
	json_pair_u64(w, STR("seq"), s->seq);
	json_pair_str(w, STR("at"), s->at);
	json_pair_str(w, STR("type"),
		s->seq > 0 ? event_word(s->last_type) : STR(""));
	json_close(w, '}');
	json_close(w, '}');
	arena_reset(&mem);
}

static void
wall_text(struct buf *out, const char *what, uint64_t ms)
{
	buf_addf(out, "  %-15s %llu.%03llu s\n", what,
		(unsigned long long)(ms / 1000),
		(unsigned long long)(ms % 1000));
}

void
progress_text(struct buf *out, const struct state *s)
{
	struct progress_walls walls;

	progress_walls(s, &walls);
	utf8_show(out, s->run.run, UTF8_LINE);
	buf_addf(out, "  " STR_FMT ", %u %%, at line %llu\n",
		STR_ARG(state_words[progress_state(s)]), progress_percent(s),
		(unsigned long long)s->seq);
	wall_text(out, "implementation", walls.implementation_ms);
	wall_text(out, "waiting", walls.waiting_ms);
	wall_text(out, "checks", walls.check_ms);
	wall_text(out, "audit", walls.audit_ms);
}
