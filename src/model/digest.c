#include "model/digest.h"

#include "model/budget_use.h"
#include "text/utf8.h"

struct degradation_info {
	const char *word, *text;
};

#define DEGRADATION_ROW(name, word, text) [name] = { word, text },
static const struct degradation_info infos[] = { DEGRADATION_MAP(
	DEGRADATION_ROW) };

/* Called for each thing that is less than it looks. */
typedef void degraded_fn(
	void *arg, enum degradation kind, struct str subject, struct str more);

/* Its worker vanished, and nothing has settled the task since. */
static bool
is_unknown(const struct state *s, const struct attempt *a)
{
	return a->status == ATTEMPT_LOST &&
		s->nodes[a->node].status != NODE_PASSED;
}

/* The check that the last attempt's verdict rests on, or NULL. */
static const struct check *
last_check(const struct state *s, uint32_t node)
{
	const struct attempt *a = state_last_attempt(s, node);

	return a != NULL && a->check_1 != 0 ? &s->checks.items[a->check_1 - 1]
					    : NULL;
}

/* Advisory limits that are passed, or that nobody measures. */
static void
budget_each(
	const struct state *s, degraded_fn *fn, void *arg, struct arena *mem)
{
	uint32_t told[BUDGET_LIMITS_MAX];
	uint32_t count = budget_degraded(s, STR(""), told);

	for (uint32_t i = 0; i < count; i++)
		fn(arg, DEGRADED_BUDGET, s->run.run,
			budget_sentence(s, told[i], STR(""), mem));
}

static void
degradations_each(
	const struct state *s, degraded_fn *fn, void *arg, struct arena *mem)
{
	const struct rework_finding *f;
	const struct cleanup *c;

	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct check *check = last_check(s, i);

		if (s->nodes[i].grade == GRADE_UNOBSERVED)
			fn(arg, DEGRADED_UNOBSERVED, plan_id(s->plan, i),
				STR(""));
		if (s->nodes[i].grade == GRADE_PASS && check != NULL &&
			check->flagged.count > 0)
			fn(arg, DEGRADED_FLAGGED, plan_id(s->plan, i),
				check->flagged.items[0]);
	}
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		if (is_unknown(s, &s->attempts.items[i]))
			fn(arg, DEGRADED_UNKNOWN, state_attempt_id(s, i, mem),
				s->attempts.items[i].cause);
	}
	VEC_EACH (f, &s->findings) {
		if (f->overruled)
			fn(arg, DEGRADED_OVERRULED, f->id, f->summary);
		else if (f->class == FINDING_HARDENING)
			fn(arg, DEGRADED_CARRIED, f->id, f->summary);
	}
	VEC_EACH (c, &s->cleanups) {
		if (c->status == CLEANUP_RETAINED)
			fn(arg, DEGRADED_RETAINED, c->id, c->reason);
	}
	if (s->run.allow_dirty && s->run.dirty.count > 0)
		fn(arg, DEGRADED_DIRTY, s->run.run, s->run.dirty.items[0]);
	budget_each(s, fn, arg, mem);
}

static void
check_json(struct json_writer *w, const struct state *s, uint32_t node,
	struct arena *mem)
{
	const struct check *c = last_check(s, node);

	json_key(w, STR("check"));
	if (c == NULL) {
		json_put_null(w);
		return;
	}
	json_open(w, '{');
	json_pair_str(w, STR("id"),
		state_check_id(s, (uint32_t)(c - s->checks.items), mem));
	json_pair_str_or_null(w, STR("verdict"), verdict_word(c->verdict));
	json_pair_str_or_null(w, STR("ended"), c->ended);
	json_pair_u64(w, STR("duration_ms"), c->duration_ms);
	json_pair_str(w, STR("tree"), c->tree);
	json_pair_u64(w, STR("seq"), c->seq);
	json_close(w, '}');
}

static void
task_json(struct json_writer *w, const struct state *s, uint32_t node,
	struct arena *mem)
{
	const struct node_state *n = &s->nodes[node];
	const struct attempt *a = state_last_attempt(s, node);

	json_open(w, '{');
	json_pair_str(w, STR("task"), plan_id(s->plan, node));
	json_pair_str(w, STR("status"), node_status_word(n->status));
	json_pair_str_or_null(w, STR("grade"), grade_word(n->grade));
	json_pair_u64(w, STR("attempts"), n->attempts);
	json_pair_str_or_null(w, STR("attempt"),
		a != NULL ? state_attempt_id(s, n->attempt_1 - 1, mem)
			  : STR(""));
	json_pair_str_or_null(w, STR("attempt_status"),
		a != NULL ? attempt_status_word(a->status) : STR(""));
	check_json(w, s, node, mem);
	json_pair_str_or_null(w, STR("report_sha256"),
		a != NULL ? a->report_sha256 : STR(""));
	json_pair_str_or_null(
		w, STR("commit"), a != NULL ? a->commit : STR(""));
	json_pair_str_or_null(
		w, STR("import"), a != NULL ? a->imported : STR(""));
	json_pair_str_or_null(
		w, STR("artifact"), a != NULL ? a->artifact : STR(""));
	json_close(w, '}');
}

static void
cleanups_json(struct json_writer *w, const struct state *s, bool retained,
	uint32_t max, struct arena *mem)
{
	const struct cleanup *c;

	json_open(w, '[');
	VEC_EACH (c, &s->cleanups) {
		if (retained ? c->status != CLEANUP_RETAINED
			     : is_cleanup_settled(c))
			continue;
		if (max-- == 0)
			break;
		json_open(w, '{');
		json_pair_str(w, STR("cleanup"), c->id);
		json_pair_str(w, STR("attempt"),
			state_attempt_id(s, c->attempt, mem));
		json_pair_str(w, STR("kind"), c->kind);
		json_pair_str(w, STR("target"), c->target);
		json_pair_str_or_null(w, STR("reason"), c->reason);
		json_close(w, '}');
	}
	json_close(w, ']');
}

struct degraded_out {
	struct json_writer *w;
	struct buf *text;
	uint32_t left;
};

static void
degraded_json(
	void *arg, enum degradation kind, struct str subject, struct str more)
{
	struct degraded_out *out = arg;

	if (out->left == 0)
		return;
	out->left--;
	json_open(out->w, '{');
	json_pair_str(out->w, STR("code"), str_from(infos[kind].word));
	json_pair_str(out->w, STR("subject"), subject);
	json_pair_str(out->w, STR("message"), str_from(infos[kind].text));
	json_pair_str_or_null(out->w, STR("detail"), more);
	json_close(out->w, '}');
}

static void
run_json(struct json_writer *w, const struct state *s)
{
	json_key(w, STR("run"));
	json_open(w, '{');
	json_pair_str(w, STR("run"), s->run.run);
	json_pair_str(w, STR("status"), run_status_word(state_run_status(s)));
	json_pair_str_or_null(w, STR("outcome"), s->outcome);
	json_pair_u64(w, STR("generation"), s->gen);
	json_pair_u64(w, STR("seq"), s->seq);
	json_pair_str(w, STR("base"), s->run.base);
	json_pair_str_or_null(w, STR("head"), s->tip);
	json_close(w, '}');
}

static void
unknown_json(struct json_writer *w, const struct state *s, uint32_t max,
	struct arena *mem)
{
	json_key(w, STR("unknown"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->attempts.count && max > 0; i++) {
		if (!is_unknown(s, &s->attempts.items[i]))
			continue;
		json_put_str(w, state_attempt_id(s, i, mem));
		max--;
	}
	json_close(w, ']');
}

void
digest_json(struct json_writer *w, const struct state *s, uint32_t max)
{
	struct arena mem = ARENA_INIT;
	struct degraded_out degraded = { .w = w, .left = max };
	uint32_t count = s->plan->count;

	json_open(w, '{');
	run_json(w, s);
	json_key(w, STR("tasks"));
	json_open(w, '[');
	for (uint32_t i = 0; i < count && i < max; i++)
		task_json(w, s, i, &mem);
	json_close(w, ']');
	json_pair_u64(w, STR("omitted"), count > max ? count - max : 0);
	unknown_json(w, s, max, &mem);
	json_key(w, STR("cleanups"));
	json_open(w, '{');
	json_key(w, STR("pending"));
	cleanups_json(w, s, false, max, &mem);
	json_key(w, STR("retained"));
	cleanups_json(w, s, true, max, &mem);
	json_close(w, '}');
	json_key(w, STR("gates"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->gates.count; i++) {
		if (s->gates.items[i].status == GATE_OPEN)
			json_put_str(w, state_gate_id(s, i, &mem));
	}
	json_close(w, ']');
	json_key(w, STR("budget"));
	budget_json(w, s, STR(""));
	json_key(w, STR("degradations"));
	json_open(w, '[');
	degradations_each(s, degraded_json, &degraded, &mem);
	json_close(w, ']');
	json_close(w, '}');
	arena_reset(&mem);
}

static void
task_text(struct buf *out, const struct state *s, uint32_t node,
	struct arena *mem)
{
	const struct node_state *n = &s->nodes[node];
	const struct attempt *a = state_last_attempt(s, node);
	const struct check *c = last_check(s, node);

	buf_addf(out, "  %-14s %-10s ", node_status_word(n->status).ptr,
		n->grade == GRADE_NONE ? "-" : grade_word(n->grade).ptr);
	utf8_show(out, plan_id(s->plan, node), UTF8_LINE);
	buf_addf(out, "  %u %s", n->attempts,
		n->attempts == 1 ? "attempt" : "attempts");
	if (c != NULL) {
		struct str id =
			state_check_id(s, (uint32_t)(c - s->checks.items), mem);

		buf_addf(out, ", check " STR_FMT ": " STR_FMT, STR_ARG(id),
			STR_ARG(c->verdict == VERDICT_NONE
					? STR("running")
					: verdict_word(c->verdict)));
		if (c->ended.len > 0) {
			buf_add(out, STR(", "));
			utf8_show(out, c->ended, UTF8_LINE);
		}
	}
	if (a != NULL && a->imported.len > 0)
		buf_addf(out, ", imported as " STR_FMT, STR_ARG(a->imported));
	buf_addc(out, '\n');
}

static void
degraded_text(
	void *arg, enum degradation kind, struct str subject, struct str more)
{
	struct degraded_out *out = arg;

	if (out->left == 0)
		return;
	out->left--;
	buf_add(out->text, STR("  "));
	utf8_show(out->text, subject, UTF8_LINE);
	buf_addf(out->text, ": %s", infos[kind].text);
	if (more.len > 0) {
		buf_add(out->text, STR(" ("));
		utf8_show(out->text, more, UTF8_LINE);
		buf_addc(out->text, ')');
	}
	buf_addc(out->text, '\n');
}

void
digest_text(struct buf *out, const struct state *s, uint32_t max)
{
	struct arena mem = ARENA_INIT;
	struct degraded_out degraded = { .text = out, .left = max };
	struct buf lines = { 0 };
	const struct cleanup *c;
	uint32_t count = s->plan->count;

	buf_addf(out, STR_FMT "  " STR_FMT, STR_ARG(s->run.run),
		STR_ARG(run_status_word(state_run_status(s))));
	if (is_run_closed(s))
		buf_addf(out, ", closed as " STR_FMT, STR_ARG(s->outcome));
	buf_addc(out, '\n');
	for (uint32_t i = 0; i < count && i < max; i++)
		task_text(out, s, i, &mem);
	if (count > max)
		buf_addf(out, "  and %u more\n", count - max);
	VEC_EACH (c, &s->cleanups) {
		if (is_cleanup_settled(c))
			continue;
		buf_addf(&lines, "  " STR_FMT " ", STR_ARG(c->id));
		utf8_show(&lines, c->kind, UTF8_LINE);
		buf_addc(&lines, ' ');
		utf8_show(&lines, c->target, UTF8_LINE);
		buf_addc(&lines, '\n');
	}
	if (lines.len > 0)
		buf_addf(out, "to be cleaned up:\n%s", lines.data);
	buf_release(&lines);
	degraded.text = &lines;
	degradations_each(s, degraded_text, &degraded, &mem);
	if (lines.len > 0)
		buf_addf(out, "less than it looks:\n%s", lines.data);
	buf_release(&lines);
	arena_reset(&mem);
}
