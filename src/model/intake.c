#include "model/intake.h"

#include "base/die.h"
#include "model/scope.h"

enum {
	QUESTIONS_MAX = 64,
	BLOCKERS_MAX = 128,
	REASONS_MAX = 16,
	OBSERVATIONS_MAX = SIGNAL_COUNT + 8,
};

struct intake {
	const struct intake_request *request;
	const struct intake_signals *s;
	const struct intake_facts *f;
	struct arena *mem;
	struct intake_result *r;
	struct intake_blocker *blockers;
	struct decision_observation *observations;
};

static bool
is_flag(enum signal signal)
{
	return signal_values(signal) == signal_flag_words;
}

/* As it was reported, or the value that asks for nothing. */
static void
signals_reported(struct intake *in)
{
	for (uint32_t i = 0; i < SIGNAL_COUNT; i++) {
		enum signal signal = (enum signal)i;

		in->r->signals[i] = (struct intake_signal){
			.signal = signal,
			.value = is_flag(signal) ? in->s->flags[i]
						 : in->s->values[i],
			.provenance = PROVENANCE_REPORTED,
			.given = in->s->reported[i],
		};
	}
}

static void
measure(struct intake *in, enum signal signal, uint32_t value)
{
	in->r->signals[signal] = (struct intake_signal){
		.signal = signal,
		.value = value,
		.provenance = PROVENANCE_MEASURED,
		.given = true,
	};
}

static bool
has_scope(const struct intake_signals *s)
{
	if (s->scope_count > 0)
		return true;
	for (uint32_t i = 0; i < s->packets_count; i++) {
		if (s->packets[i].paths_count > 0)
			return true;
	}
	return false;
}

/* The share of the rarer packet's commits that changed the other, too. */
static bool
is_coupled(const struct intake_coupling *c)
{
	uint32_t rarer =
		c->a_commits < c->b_commits ? c->a_commits : c->b_commits;

	return c->together >= INTAKE_COUPLED_COMMITS &&
		(uint64_t)c->together * 100 >=
		(uint64_t)rarer * INTAKE_COUPLED_PERCENT;
}

static bool
has_coupling(const struct intake_facts *f)
{
	for (uint32_t i = 0; i < f->couplings_count; i++) {
		if (is_coupled(&f->couplings[i]))
			return true;
	}
	return false;
}

/* What was measured stands, unless the report is the graver one. */
static void
signals_measured(struct intake *in)
{
	const struct intake_facts *f = in->f;
	struct intake_signal *known = &in->r->signals[SIGNAL_KNOWN_SCOPE];

	/* A scope is known when it is named; its paths needn't exist yet. */
	if (!known->given || known->value == SIGNAL_YES) {
		bool named = has_scope(in->s);

		known->value = named ? SIGNAL_YES : SIGNAL_NO;
		known->given = true;
		if (!named)
			known->provenance = PROVENANCE_MEASURED;
	}
	if (f->has_history && in->s->packets_count > 1 &&
		in->r->signals[SIGNAL_COUPLING].value == SIGNAL_NO)
		measure(in, SIGNAL_COUPLING,
			has_coupling(f) ? SIGNAL_YES : SIGNAL_NO);
	/* A check that can't run judges nothing, whatever is said of it. */
	if ((f->has_check && !f->check_found) ||
		(f->has_probe && f->probe_unusable))
		measure(in, SIGNAL_ORACLE, ORACLE_ABSENT);
}

static bool
is_material(const struct intake_ambiguity *a)
{
	return a->affects_count > 0;
}

/* The answer that settles it, and who gave it; false when nobody did. */
static bool
answer_of(const struct intake *in, const struct intake_ambiguity *a,
	struct str *ret_answer, enum decision_source *ret_source)
{
	if (a->repository_fact.len > 0) {
		*ret_answer = a->repository_fact;
		*ret_source = SOURCE_REPOSITORY;
		return true;
	}
	if (a->answer.len > 0) {
		*ret_answer = a->answer;
		*ret_source = SOURCE_OWNER;
		return true;
	}
	if (in->request->safe_defaults && a->safe_default.len > 0) {
		*ret_answer = a->safe_default;
		*ret_source = SOURCE_SAFE_DEFAULT;
		return true;
	}
	return false;
}

static void
questions_find(struct intake *in)
{
	const struct intake_ambiguity **open = arena_array(in->mem,
		in->s->ambiguities_count, const struct intake_ambiguity *);

	in->r->questions_count = 0;
	for (uint32_t i = 0; i < in->s->ambiguities_count; i++) {
		const struct intake_ambiguity *a = &in->s->ambiguities[i];
		enum decision_source source;
		struct str answer;

		if (is_material(a) && !answer_of(in, a, &answer, &source))
			open[in->r->questions_count++] = a;
	}
	in->r->questions = open;
}

static void
block(struct intake *in, const char *code, struct str message)
{
	if (in->r->blockers_count == BLOCKERS_MAX)
		return;
	in->blockers[in->r->blockers_count++] =
		(struct intake_blocker){ str_from(code), message };
}

static struct str
packet_name(const struct intake *in, uint32_t i)
{
	const struct intake_packet *k = &in->s->packets[i];

	return k->id.len > 0 ? k->id
			     : arena_format(in->mem, "packet %u", i + 1);
}

static void
block_incomplete(struct intake *in)
{
	for (uint32_t i = 0; i < in->s->packets_count; i++) {
		const struct intake_packet *k = &in->s->packets[i];
		const char *lacks = k->id.len == 0 ? "id"
			: k->paths_count == 0      ? "paths"
			: k->check.len == 0        ? "check"
						   : NULL;

		if (lacks != NULL)
			block(in, "packet_incomplete",
				arena_format(in->mem,
					"packet '" STR_FMT "' has no %s",
					STR_ARG(packet_name(in, i)), lacks));
	}
}

/* The first paths that two packets have in common. */
static bool
paths_overlap(
	const struct intake *in, uint32_t a, uint32_t b, struct str *ret_path)
{
	const struct intake_packet *x = &in->s->packets[a];
	const struct intake_packet *y = &in->s->packets[b];

	for (uint32_t i = 0; i < x->paths_count; i++) {
		for (uint32_t k = 0; k < y->paths_count; k++) {
			struct pawl_err ignored;
			struct scope p, q;

			if (scope_normalise(x->paths[i], in->mem, &p,
				    &ignored) != PAWL_OK ||
				scope_normalise(y->paths[k], in->mem, &q,
					&ignored) != PAWL_OK)
				continue; /* refused when it was read */
			if (!scope_overlaps(p.path, q.path))
				continue;
			*ret_path = scope_shown(
				p.path.len > q.path.len ? p.path : q.path);
			return true;
		}
	}
	return false;
}

static void
block_overlaps(struct intake *in)
{
	for (uint32_t a = 0; a < in->s->packets_count; a++) {
		for (uint32_t b = a + 1; b < in->s->packets_count; b++) {
			struct str path;

			if (!paths_overlap(in, a, b, &path))
				continue;
			block(in, "packets_overlap",
				arena_format(in->mem,
					"packets '" STR_FMT "' and '" STR_FMT
					"' both have '" STR_FMT "'",
					STR_ARG(packet_name(in, a)),
					STR_ARG(packet_name(in, b)),
					STR_ARG(path)));
		}
	}
}

static void
block_coupling(struct intake *in)
{
	const struct intake_facts *f = in->f;
	const struct intake_signal *x = &in->r->signals[SIGNAL_COUPLING];

	if (x->value == SIGNAL_NO)
		return;
	if (x->provenance == PROVENANCE_REPORTED) {
		block(in, "shared_write_coupling",
			STR("packets write something in common, as reported"));
		return;
	}
	for (uint32_t i = 0; i < f->couplings_count; i++) {
		const struct intake_coupling *c = &f->couplings[i];

		if (!is_coupled(c))
			continue;
		block(in, "shared_write_coupling",
			arena_format(in->mem,
				"packets '" STR_FMT "' and '" STR_FMT
				"' were changed together in %u of the last"
				" %u commits",
				STR_ARG(packet_name(in, c->a)),
				STR_ARG(packet_name(in, c->b)), c->together,
				f->commits));
	}
}

static void
blockers_find(struct intake *in)
{
	const struct intake_signals *s = in->s;

	if (s->packets_count < 2)
		block(in, "too_few_packets",
			arena_format(in->mem,
				"a graph is of 2 packets and more, not of %u",
				s->packets_count));
	block_incomplete(in);
	block_overlaps(in);
	block_coupling(in);
	if (s->integrator.len == 0)
		block(in, "integrator_missing",
			STR("nobody is named who puts the parts together"));
	if (s->budget_count == 0)
		block(in, "budget_missing", STR("no limit is named"));
	if (s->cleanup_plan.len == 0)
		block(in, "cleanup_plan_missing",
			STR("nothing says what is cleaned up and how"));
	if (s->permission == NULL || !s->permission->granted)
		block(in, "permission_missing",
			STR("nobody has given permission"));
}

static void
reason_add(struct intake *in, enum signal signal)
{
	const struct intake_signal *x = &in->r->signals[signal];

	in->r->reasons.items[in->r->reasons.count++] = arena_format(in->mem,
		STR_FMT " is %s", STR_ARG(signal_word(signal)),
		signal_values(signal)[x->value]);
}

/* Of the mode: a signal, and the value from which on it wants it. */
struct want {
	enum signal signal;
	uint32_t at_least;
};

static bool
any_wants(struct intake *in, const struct want *wants, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (in->r->signals[wants[i].signal].value >= wants[i].at_least)
			reason_add(in, wants[i].signal);
	}
	return in->r->reasons.count > 0;
}

/* Signals whose `false` is the graver value. */
static bool
lacks(struct intake *in, enum signal signal)
{
	if (in->r->signals[signal].value == SIGNAL_YES)
		return false;
	reason_add(in, signal);
	return true;
}

static bool
wants_spec(struct intake *in)
{
	static const struct want wants[] = {
		{ SIGNAL_UNCERTAINTY, UNCERTAINTY_MATERIAL },
		{ SIGNAL_REVERSIBILITY, IRREVERSIBLE },
		{ SIGNAL_BLAST_RADIUS, RADIUS_MULTI_SURFACE },
		{ SIGNAL_ORACLE, ORACLE_WEAK },
		{ SIGNAL_EXTERNAL, EFFECTS_IRREVERSIBLE },
	};
	bool yes = any_wants(in, wants, sizeof(wants) / sizeof(wants[0]));

	return lacks(in, SIGNAL_KNOWN_SCOPE) || yes;
}

static bool
wants_iteration(struct intake *in)
{
	static const struct want wants[] = {
		{ SIGNAL_NEEDS_ITERATION, SIGNAL_YES },
		{ SIGNAL_CONTEXT, PRESSURE_MEDIUM },
		{ SIGNAL_COHESION, COHESION_MIXED },
	};
	bool yes = any_wants(in, wants, sizeof(wants) / sizeof(wants[0]));

	return lacks(in, SIGNAL_SMALL_CHANGE) || yes;
}

/* The table of modes; the first row that holds. */
static enum decision_mode
mode_choose(struct intake *in)
{
	if (in->r->signals[SIGNAL_GRAPH].value == SIGNAL_YES) {
		blockers_find(in);
		reason_add(in, SIGNAL_GRAPH);
		if (in->r->blockers_count == 0)
			return DECISION_GRAPH;
		in->r->reasons.items[in->r->reasons.count++] = arena_format(
			in->mem, "%u %s in the way of a graph",
			in->r->blockers_count,
			in->r->blockers_count == 1 ? "thing is" : "things are");
		return DECISION_LIGHT_SPEC;
	}
	if (wants_spec(in))
		return DECISION_LIGHT_SPEC;
	if (wants_iteration(in))
		return DECISION_VERIFIED_SINGLE;
	in->r->reasons.items[in->r->reasons.count++] =
		STR("nothing asks for more");
	return DECISION_DIRECT;
}

static void
observe(struct intake *in, struct str name, struct str value,
	enum decision_provenance provenance)
{
	struct decision_doc *d = &in->r->decision;

	assert(d->observations_count < OBSERVATIONS_MAX);
	in->observations[d->observations_count++] =
		(struct decision_observation){
			.name = name, .value = value, .provenance = provenance
		};
}

static void
observe_count(struct intake *in, struct str name, uint32_t n)
{
	observe(in, name, arena_format(in->mem, "%u", n), PROVENANCE_MEASURED);
}

static void
observations_set(struct intake *in)
{
	const struct intake_facts *f = in->f;

	in->observations = arena_array(
		in->mem, OBSERVATIONS_MAX, struct decision_observation);
	in->r->decision.observations = in->observations;
	for (uint32_t i = 0; i < SIGNAL_COUNT; i++) {
		const struct intake_signal *x = &in->r->signals[i];

		if (x->given)
			observe(in, signal_word(x->signal),
				str_from(signal_values(x->signal)[x->value]),
				x->provenance);
	}
	observe(in, STR("repository"),
		f->has_repository ? STR("present") : STR("none"),
		PROVENANCE_MEASURED);
	if (f->base.len > 0)
		observe(in, STR("base_commit"), f->base, PROVENANCE_MEASURED);
	if (f->has_dirty)
		observe_count(in, STR("dirty_paths"), f->dirty);
	if (f->has_history)
		observe_count(in, STR("commits_read"), f->commits);
	if (f->has_check)
		observe(in, STR("check_program"),
			f->check_found ? STR("found") : STR("not found"),
			PROVENANCE_MEASURED);
	if (f->has_probe)
		observe(in, STR("check_on_base"), f->probe,
			PROVENANCE_MEASURED);
}

static void
questions_set(struct intake *in)
{
	struct decision_question *all = arena_array(
		in->mem, in->s->ambiguities_count, struct decision_question);
	uint32_t count = 0;

	for (uint32_t i = 0; i < in->s->ambiguities_count; i++) {
		const struct intake_ambiguity *a = &in->s->ambiguities[i];
		struct decision_question q = { .id = a->id,
			.question = a->question,
			.affects = a->affects,
			.affects_count = a->affects_count,
			.safe_default = a->safe_default };

		if (is_material(a) &&
			answer_of(in, a, &q.answer, &q.provenance))
			all[count++] = q;
	}
	in->r->decision.questions = all;
	in->r->decision.questions_count = count;
}

static void
packets_set(struct intake *in)
{
	struct decision_packet *all = arena_array(
		in->mem, in->s->packets_count, struct decision_packet);

	for (uint32_t i = 0; i < in->s->packets_count; i++) {
		const struct intake_packet *k = &in->s->packets[i];

		all[i] = (struct decision_packet){ .id = k->id,
			.paths = k->paths,
			.paths_count = k->paths_count,
			.check = k->check };
	}
	in->r->decision.packets = all;
	in->r->decision.packets_count = in->s->packets_count;
}

/* The paths that are named, reduced; the whole repository without any. */
static void
scope_set(struct intake *in)
{
	const struct intake_signals *s = in->s;
	uint32_t count = s->scope_count;
	struct scope *all;
	struct str *shown;
	size_t n = 0;

	for (uint32_t i = 0; i < s->packets_count; i++)
		count += s->packets[i].paths_count;
	all = arena_array(in->mem, count + 1, struct scope);
	for (uint32_t i = 0; i < s->scope_count; i++) {
		struct pawl_err ignored;

		if (scope_normalise(s->scope[i], in->mem, &all[n], &ignored) ==
			PAWL_OK)
			n++;
	}
	for (uint32_t i = 0; i < s->packets_count; i++) {
		for (uint32_t k = 0; k < s->packets[i].paths_count; k++) {
			struct pawl_err ignored;

			if (scope_normalise(s->packets[i].paths[k], in->mem,
				    &all[n], &ignored) == PAWL_OK)
				n++;
		}
	}
	if (n == 0)
		all[n++] = (struct scope){ .path = { "", 0 } };
	n = scope_reduce(all, n);
	shown = arena_array(in->mem, n, struct str);
	for (size_t i = 0; i < n; i++)
		shown[i] = scope_shown(all[i].path);
	in->r->decision.scope = shown;
	in->r->decision.scope_count = (uint32_t)n;
}

static void
decision_set(struct intake *in, enum decision_mode mode)
{
	static const struct str stops[] = { { "missing_permission", 18 },
		{ "insufficient_oracle_for_blast_radius", 36 },
		{ "budget_exhausted", 16 } };
	const struct intake_signals *s = in->s;
	struct decision_doc *d = &in->r->decision;
	struct decision_selected *check =
		arena_new(in->mem, struct decision_selected);

	*check = (struct decision_selected){ in->request->check,
		(enum decision_oracle)in->r->signals[SIGNAL_ORACLE].value };
	*d = (struct decision_doc){
		.schema_version = 1,
		.id = arena_format(in->mem, "decision-" STR_FMT,
			STR_ARG(str_part(in->request->sha256, 0, 16))),
		.request_digest = in->request->sha256,
		.mode = mode,
		.initial_mode = mode,
		.revision = 1,
		.execution = mode == DECISION_GRAPH ? EXECUTION_PARALLEL
						    : EXECUTION_SINGLE_WRITER,
		.selected_check = check,
		.assumptions = s->assumptions,
		.assumptions_count = s->assumptions_count,
		.integrator = s->integrator,
		.budget = s->budget,
		.budget_count = s->budget_count,
		.stop_conditions = stops,
		.stop_conditions_count = 3,
		.cleanup_plan = s->cleanup_plan,
	};
	if (s->permission != NULL) {
		struct decision_permission *p =
			arena_new(in->mem, struct decision_permission);

		*p = (struct decision_permission){ s->permission->granted,
			s->permission->by.len > 0 ? s->permission->by
						  : STR("the caller"),
			PROVENANCE_REPORTED };
		d->permission = p;
	}
	scope_set(in);
	observations_set(in);
	questions_set(in);
	if (mode == DECISION_GRAPH)
		packets_set(in);
}

void
intake_decide(const struct intake_request *request,
	const struct intake_signals *signals, const struct intake_facts *facts,
	struct arena *mem, struct intake_result *ret_result)
{
	struct intake in = {
		.request = request,
		.s = signals,
		.f = facts,
		.mem = mem,
		.r = ret_result,
		.blockers =
			arena_array(mem, BLOCKERS_MAX, struct intake_blocker),
	};

	*ret_result = (struct intake_result){ .blockers = in.blockers,
		.reasons = { arena_array(mem, REASONS_MAX, struct str), 0 } };
	signals_reported(&in);
	signals_measured(&in);
	questions_find(&in);
	if (ret_result->questions_count > 0)
		return;
	ret_result->selected = true;
	decision_set(&in, mode_choose(&in));
}
