#include "base/bounds.h"
#include "model/id.h"
#include "model/intake.h"
#include "model/scope.h"

#define SIGNALS struct intake_signals

static const struct field path_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE | FIELD_FILLED,
	.min = 1,
	.max = BOUND_PATH_BYTES,
};

static const struct field packet_rows[] = {
	{ FIELD_NAME("id"), .type = FIELD_TEXT, .min = 1, .max = BOUND_ID_BYTES,
		.check = id_fault, .pattern = ID_PATTERN,
		FIELD_AT(struct intake_packet, id) },
	{ FIELD_NAME("paths"), .type = FIELD_LIST, .flags = FIELD_UNIQUE,
		.item = &path_item, .max = BOUND_SCOPES,
		FIELD_ITEMS(struct intake_packet, paths) },
	{ FIELD_NAME("check"), .type = FIELD_TEXT, .flags = FIELD_FILLED,
		.min = 1, .max = BOUND_CHECK_BYTES,
		FIELD_AT(struct intake_packet, check) },
	{ .type = FIELD_SELF, FIELD_AT(struct intake_packet, self) },
};

static const struct field permission_rows[] = {
	{ FIELD_NAME("granted"), .type = FIELD_BOOL, .flags = FIELD_REQUIRED,
		FIELD_AT(struct intake_permission, granted) },
	{ FIELD_NAME("by"), .about = "Whose act it is.", .type = FIELD_TEXT,
		.flags = FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES,
		FIELD_AT(struct intake_permission, by) },
};

static const struct field effect_item = {
	.type = FIELD_ENUM,
	.words = decision_effect_words,
};

static const struct field ambiguity_rows[] = {
	{ FIELD_NAME("id"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct intake_ambiguity, id) },
	{ FIELD_NAME("question"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct intake_ambiguity, question) },
	{ FIELD_NAME("affects"),
		.about = "What the answer changes; with nothing it isn't"
			 " material, and isn't asked.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &effect_item, .max = 5,
		FIELD_ITEMS(struct intake_ambiguity, affects) },
	{ FIELD_NAME("repository_fact"),
		.about = "What the repository answers.", .type = FIELD_TEXT,
		.flags = FIELD_FILLED, .min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct intake_ambiguity, repository_fact) },
	{ FIELD_NAME("answer"), .about = "The owner's.", .type = FIELD_TEXT,
		.flags = FIELD_FILLED, .min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct intake_ambiguity, answer) },
	{ FIELD_NAME("safe_default"),
		.about = "The answer that nobody is harmed by.",
		.type = FIELD_TEXT, .flags = FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct intake_ambiguity, safe_default) },
	{ .type = FIELD_SELF, FIELD_AT(struct intake_ambiguity, self) },
};

#define INNER(rows, type)                                     \
	{                                                     \
		FIELD_ROWS(rows), .size = sizeof(struct type) \
	}
static const struct field_table packet_table =
	INNER(packet_rows, intake_packet);
static const struct field_table permission_table =
	INNER(permission_rows, intake_permission);
static const struct field_table ambiguity_table =
	INNER(ambiguity_rows, intake_ambiguity);

static const struct field packet_item = { .type = FIELD_OBJECT,
	.table = &packet_table };
static const struct field ambiguity_item = { .type = FIELD_OBJECT,
	.table = &ambiguity_table };

#define FLAG(word, signal)                                         \
	{                                                          \
		FIELD_NAME(word), .type = FIELD_BOOL,              \
				  FIELD_AT(SIGNALS, flags[signal]) \
	}
#define VALUE(word, signal, list)                                      \
	{                                                              \
		FIELD_NAME(word), .type = FIELD_ENUM, .words = (list), \
				  FIELD_AT(SIGNALS, values[signal])    \
	}

static const struct field rows[] = {
	{ FIELD_NAME("scope"), .about = "Paths that the work may change.",
		.type = FIELD_LIST, .flags = FIELD_UNIQUE, .item = &path_item,
		.max = BOUND_SCOPES, FIELD_ITEMS(SIGNALS, scope) },
	FLAG("known_scope", SIGNAL_KNOWN_SCOPE),
	FLAG("small_change", SIGNAL_SMALL_CHANGE),
	FLAG("needs_iteration", SIGNAL_NEEDS_ITERATION),
	VALUE("cohesion", SIGNAL_COHESION, signal_cohesion_words),
	VALUE("architecture_uncertainty", SIGNAL_UNCERTAINTY,
		signal_uncertainty_words),
	VALUE("reversibility", SIGNAL_REVERSIBILITY,
		signal_reversibility_words),
	VALUE("blast_radius", SIGNAL_BLAST_RADIUS, signal_radius_words),
	VALUE("oracle_strength", SIGNAL_ORACLE, signal_oracle_words),
	VALUE("context_pressure", SIGNAL_CONTEXT, signal_pressure_words),
	VALUE("external_effects", SIGNAL_EXTERNAL, signal_effect_words),
	FLAG("unattended_execution", SIGNAL_UNATTENDED),
	FLAG("shared_write_coupling", SIGNAL_COUPLING),
	FLAG("graph_requested", SIGNAL_GRAPH),
	{ FIELD_NAME("packets"),
		.about = "Parts that could be worked on side by side.",
		.type = FIELD_LIST, .item = &packet_item,
		.max = BOUND_DECISION_ITEMS, FIELD_ITEMS(SIGNALS, packets) },
	{ FIELD_NAME("integrator"), .type = FIELD_TEXT,
		.flags = FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES, FIELD_AT(SIGNALS, integrator) },
	{ FIELD_NAME("budget"), .type = FIELD_LIST,
		.item = &decision_budget_item, .max = BUDGET_LIMITS_MAX,
		FIELD_ITEMS(SIGNALS, budget) },
	{ FIELD_NAME("cleanup_plan"), .type = FIELD_TEXT, .flags = FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(SIGNALS, cleanup_plan) },
	{ FIELD_NAME("permission"), .type = FIELD_OBJECT,
		.table = &permission_table, FIELD_AT(SIGNALS, permission) },
	{ FIELD_NAME("assumptions"), .type = FIELD_LIST,
		.item = &decision_assumption_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(SIGNALS, assumptions) },
	{ FIELD_NAME("ambiguities"), .about = "What the request leaves open.",
		.type = FIELD_LIST, .item = &ambiguity_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(SIGNALS, ambiguities) },
};

const struct field_table intake_signals_table = {
	.title = "Intake signals",
	.about = "What a caller reports of the work when a mode is chosen.",
	.id = "intake-signals.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(SIGNALS),
};

static const struct field answer_rows[] = {
	{ FIELD_NAME("id"), .about = "Of the question.", .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED, .min = 1, .max = BOUND_ID_BYTES,
		.check = id_fault, .pattern = ID_PATTERN,
		FIELD_AT(struct intake_answer, id) },
	{ FIELD_NAME("answer"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct intake_answer, answer) },
	{ .type = FIELD_SELF, FIELD_AT(struct intake_answer, self) },
};

static const struct field_table answer_table =
	INNER(answer_rows, intake_answer);
static const struct field answer_item = { .type = FIELD_OBJECT,
	.table = &answer_table };

static const struct field answers_rows[] = {
	{ FIELD_NAME("answers"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &answer_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct intake_answers, answers) },
};

const struct field_table intake_answers_table = {
	.title = "Intake answers",
	.about = "What the owner answered to the questions of an intake.",
	.id = "intake-answers.schema.json",
	FIELD_ROWS(answers_rows),
	.size = sizeof(struct intake_answers),
};

static enum pawl_rc
/* NOLINTNEXTLINE(readability-function-size): an error has that many parts */
refuse(struct fields_doc *doc, enum field_fault fault, const struct json *at,
	struct str pointer, struct str message, struct str hint,
	struct pawl_err *err)
{
	fields_refuse(
		doc, fault, at, pointer, hint, err, STR_FMT, STR_ARG(message));
	return err->rc;
}

/* A name that is no signal on purpose is told from one that is misspelt. */
static enum pawl_rc
refuse_names(struct fields_doc *doc, struct pawl_err *err)
{
	const struct json *key = json_first(doc->root);

	for (uint32_t i = 0; doc->root->kind == JSON_OBJECT && key != NULL &&
		i < doc->root->count;
		i++) {
		if (is_signal_refused(key->text)) {
			return refuse(doc, FAULT_UNKNOWN_FIELD, key,
				arena_format(doc->mem, "/" STR_FMT,
					STR_ARG(key->text)),
				arena_format(doc->mem,
					"'" STR_FMT
					"' is no signal: the mode follows from"
					" the work, not from who does it",
					STR_ARG(key->text)),
				STR("leave it out"), err);
		}
		key += 1 + key[1].span;
	}
	return PAWL_OK;
}

static enum pawl_rc
paths_check(struct fields_doc *doc, const struct str *paths, uint32_t count,
	const struct json *at, const char *where, struct pawl_err *err)
{
	for (uint32_t i = 0; i < count; i++) {
		struct pawl_err why = { 0 };
		struct scope scope;

		if (scope_normalise(paths[i], doc->mem, &scope, &why) ==
			PAWL_OK)
			continue;
		return refuse(doc, FAULT_INVALID_VALUE, at,
			arena_format(doc->mem, "%s/%u", where, i),
			arena_copy(doc->mem, str_from(why.msg)),
			arena_copy(doc->mem, str_from(pawl_err_hint(&why))),
			err);
	}
	return PAWL_OK;
}

static enum pawl_rc
all_paths_check(struct fields_doc *doc, const struct intake_signals *s,
	struct pawl_err *err)
{
	enum pawl_rc rc = paths_check(doc, s->scope, s->scope_count,
		json_get(doc->root, STR("scope")), "/scope", err);

	for (uint32_t i = 0; rc == PAWL_OK && i < s->packets_count; i++) {
		const struct intake_packet *k = &s->packets[i];
		struct str where =
			arena_format(doc->mem, "/packets/%u/paths", i);

		rc = paths_check(
			doc, k->paths, k->paths_count, k->self, where.ptr, err);
	}
	return rc;
}

static enum pawl_rc
ids_check(struct fields_doc *doc, const struct intake_signals *s,
	struct pawl_err *err)
{
	for (uint32_t i = 0; i < s->ambiguities_count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (str_eq(s->ambiguities[i].id,
				    s->ambiguities[k].id)) {
				return refuse(doc, FAULT_DUPLICATE_VALUE,
					s->ambiguities[i].self,
					arena_format(doc->mem,
						"/ambiguities/%u/id", i),
					STR("two ambiguities have this id"),
					STR(""), err);
			}
		}
	}
	for (uint32_t i = 0; i < s->packets_count; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (s->packets[i].id.len > 0 &&
				str_eq(s->packets[i].id, s->packets[k].id)) {
				return refuse(doc, FAULT_DUPLICATE_VALUE,
					s->packets[i].self,
					arena_format(
						doc->mem, "/packets/%u/id", i),
					STR("two packets have this id"),
					STR(""), err);
			}
		}
	}
	return PAWL_OK;
}

static enum pawl_rc
budget_check(struct fields_doc *doc, const struct intake_signals *s,
	struct pawl_err *err)
{
	for (uint32_t i = 0; i < s->budget_count; i++) {
		const struct decision_budget *b = &s->budget[i];
		uint64_t scale;

		if (!budget_unit(b->resource, b->unit, &scale)) {
			return refuse(doc, FAULT_INVALID_VALUE, b->self,
				arena_format(doc->mem, "/budget/%u/unit", i),
				arena_format(doc->mem,
					"'" STR_FMT "' is no unit of '%s'",
					STR_ARG(b->unit),
					budget_resource_words[b->resource]),
				STR(""), err);
		}
	}
	return PAWL_OK;
}

enum pawl_rc
intake_signals_read(struct arena *mem, struct str bytes,
	struct intake_signals *ret_signals, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_SIGNALS };
	struct intake_signals s;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "signals", bytes, BOUND_LIST_BYTES, err);
	if (rc == PAWL_OK)
		rc = refuse_names(&doc, err);
	if (rc == PAWL_OK)
		rc = fields_read(&doc, &intake_signals_table, &s, err);
	if (rc == PAWL_OK)
		rc = all_paths_check(&doc, &s, err);
	if (rc == PAWL_OK)
		rc = ids_check(&doc, &s, err);
	if (rc == PAWL_OK)
		rc = budget_check(&doc, &s, err);
	if (rc != PAWL_OK)
		return rc;
	for (size_t i = 0; i < SIGNAL_COUNT; i++)
		s.reported[i] =
			json_get(doc.root, signal_word((enum signal)i)) != NULL;
	*ret_signals = s;
	return PAWL_OK;
}

static bool
ambiguity_find(
	const struct intake_signals *s, struct str id, uint32_t *ret_index)
{
	for (uint32_t i = 0; i < s->ambiguities_count; i++) {
		if (str_eq(s->ambiguities[i].id, id)) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

enum pawl_rc
intake_answers_read(struct arena *mem, struct str bytes,
	struct intake_signals *signals, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_SIGNALS };
	struct intake_ambiguity *all = arena_array(
		mem, signals->ambiguities_count, struct intake_ambiguity);
	struct intake_answers a;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "answers", bytes, BOUND_LIST_BYTES, err);
	if (rc == PAWL_OK)
		rc = fields_read(&doc, &intake_answers_table, &a, err);
	if (rc != PAWL_OK)
		return rc;
	for (uint32_t i = 0; i < signals->ambiguities_count; i++)
		all[i] = signals->ambiguities[i];
	for (uint32_t i = 0; i < a.answers_count; i++) {
		uint32_t at;

		if (!ambiguity_find(signals, a.answers[i].id, &at)) {
			return refuse(&doc, FAULT_INVALID_VALUE,
				a.answers[i].self,
				arena_format(mem, "/answers/%u/id", i),
				arena_format(mem, "nothing asked '" STR_FMT "'",
					STR_ARG(a.answers[i].id)),
				STR(""), err);
		}
		for (uint32_t k = 0; k < i; k++) {
			if (str_eq(a.answers[k].id, a.answers[i].id)) {
				return refuse(&doc, FAULT_DUPLICATE_VALUE,
					a.answers[i].self,
					arena_format(mem, "/answers/%u/id", i),
					STR("it is answered twice"), STR(""),
					err);
			}
		}
		all[at].answer = a.answers[i].answer;
	}
	signals->ambiguities = all;
	return PAWL_OK;
}

void
intake_signals_schema(struct buf *out)
{
	fields_schema_text(&intake_signals_table, out);
}

void
intake_answers_schema(struct buf *out)
{
	fields_schema_text(&intake_answers_table, out);
}
