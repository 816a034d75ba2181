#include "model/learn_candidate.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/sha256.h"
#include "model/id.h"
#include "model/rework.h"
#include "text/fields.h"
#include "text/utf8.h"

static const char *const kind_words[] = { [LEARN_RULE] = "rule",
	[LEARN_GATE] = "gate",
	[LEARN_SKILL] = "skill",
	NULL };
static const char *const stance_words[] = {
	[LEARN_SUPPORT] = "support", [LEARN_OPPOSE] = "oppose", NULL
};
static const char *const origin_words[] = { [LEARN_CHECK] = "check",
	[LEARN_DIFF] = "diff",
	[LEARN_REPAIR] = "repair",
	[LEARN_REVIEW] = "review",
	NULL };
static const char *const status_words[] = {
	[LEARN_WEAK_SAMPLE] = "weak-sample",
	[LEARN_RECURRING_DRAFT] = "recurring-draft",
	[LEARN_CONTESTED] = "contested",
	[LEARN_CONFLICTING] = "conflicting-definitions",
};

static const struct field text_item = { .type = FIELD_TEXT,
	.flags = FIELD_LINE | FIELD_FILLED,
	.min = 1,
	.max = LEARN_TEXT };
static const struct field id_item = { .type = FIELD_TEXT,
	.min = 1,
	.max = BOUND_ID_BYTES,
	.check = id_fault,
	.pattern = ID_PATTERN };
static const struct field digest_item = { .type = FIELD_TEXT,
	.min = 1,
	.max = 64,
	.check = sha256_fault,
	.pattern = SHA256_PATTERN };

static const struct field rows[] = {
	{ FIELD_NAME("schema_version"), .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = 1, .max = 1,
		FIELD_AT(struct learn_candidate, schema_version) },
	{ FIELD_NAME("key"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct learn_candidate, key) },
	{ FIELD_NAME("kind"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = kind_words, FIELD_AT(struct learn_candidate, kind) },
	{ FIELD_NAME("stance"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = stance_words,
		FIELD_AT(struct learn_candidate, stance) },
	{ FIELD_NAME("origin"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = origin_words,
		FIELD_AT(struct learn_candidate, origin) },
	{ FIELD_NAME("statement"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = LEARN_TEXT,
		FIELD_AT(struct learn_candidate, statement) },
	{ FIELD_NAME("scope"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE, .item = &text_item,
		.min = 1, .max = LEARN_LIST,
		FIELD_ITEMS(struct learn_candidate, scope) },
	{ FIELD_NAME("run"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct learn_candidate, run) },
	{ FIELD_NAME("change"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = 64, .check = sha256_fault,
		.pattern = SHA256_PATTERN,
		FIELD_AT(struct learn_candidate, change) },
	{ FIELD_NAME("task_refs"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE, .item = &id_item,
		.min = 1, .max = LEARN_LIST,
		FIELD_ITEMS(struct learn_candidate, task_refs) },
	{ FIELD_NAME("evidence"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE, .item = &digest_item,
		.min = 1, .max = LEARN_LIST,
		FIELD_ITEMS(struct learn_candidate, evidence) },
};

static const struct field_table table = {
	.title = "Learning candidate",
	.about = "What somebody thinks one run teaches. Shadow only.",
	.id = "learning-candidate.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct learn_candidate),
};

const char *
learn_status_word(enum learn_status status)
{
	return status_words[status];
}

static bool
word_find(const char *const *words, struct str word, uint32_t *ret_number)
{
	for (uint32_t i = 0; words[i] != NULL; i++) {
		if (!str_eq(word, str_from(words[i])))
			continue;
		*ret_number = i;
		return true;
	}
	return false;
}

bool
learn_kind_from(struct str word, enum learn_kind *ret_kind)
{
	return word_find(kind_words, word, ret_kind);
}

bool
learn_stance_from(struct str word, enum learn_stance *ret_stance)
{
	return word_find(stance_words, word, ret_stance);
}

bool
learn_origin_from(struct str word, enum learn_origin *ret_origin)
{
	return word_find(origin_words, word, ret_origin);
}

enum pawl_rc
learn_candidate_read(struct arena *mem, struct str bytes,
	struct learn_candidate *ret_candidate, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DOCUMENT };
	struct learn_candidate c;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "candidate", bytes, LEARN_CANDIDATE_BYTES, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fields_read(&doc, &table, &c, err);
	if (rc == PAWL_OK)
		*ret_candidate = c;
	return rc;
}

void
learn_candidate_write(const struct learn_candidate *c, struct buf *out)
{
	struct json_writer w = { .out = out };

	fields_write(&table, c, &w);
	buf_addc(out, '\n');
}

void
learn_candidate_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}

/* The record's evidence with this digest, of one of the candidate's tasks. */
static const struct learn_evidence *
evidence_find(const struct learn_candidate *c, const struct learn_record *r,
	struct str sha256)
{
	for (uint32_t i = 0; i < c->task_refs_count; i++) {
		const struct learn_task *t =
			learn_record_task(r, c->task_refs[i]);

		for (uint32_t k = 0; t != NULL && k < t->evidence_count; k++) {
			if (str_eq(t->evidence[k].sha256, sha256))
				return &t->evidence[k];
		}
	}
	return NULL;
}

enum pawl_rc
learn_candidate_fits(const struct learn_candidate *c,
	const struct learn_record *r, struct pawl_err *err)
{
	if (!str_eq(c->run, r->run) || !str_eq(c->change, r->change)) {
		return pawl_fail(err, ERR_INVALID_DOCUMENT,
			"the candidate isn't of the record of run '" STR_FMT
			"'",
			STR_ARG(r->run));
	}
	for (uint32_t i = 0; i < c->task_refs_count; i++) {
		if (learn_record_task(r, c->task_refs[i]) == NULL) {
			return pawl_fail(err, ERR_NODE_NOT_FOUND,
				"the record of run '" STR_FMT
				"' has no task '" STR_FMT "'",
				STR_ARG(r->run), STR_ARG(c->task_refs[i]));
		}
	}
	for (uint32_t i = 0; i < c->evidence_count; i++) {
		const struct learn_evidence *e =
			evidence_find(c, r, c->evidence[i]);

		if (e == NULL || e->proof != LEARN_VERIFIED) {
			return pawl_fail(err, ERR_EVIDENCE_UNPROVEN,
				"'" STR_FMT "' is no verified evidence of the "
				"tasks that are named",
				STR_ARG(c->evidence[i]));
		}
	}
	return PAWL_OK;
}

static int
scope_compare(const struct learn_candidate *a, const struct learn_candidate *b)
{
	if (a->scope_count != b->scope_count)
		return a->scope_count < b->scope_count ? -1 : 1;
	for (uint32_t i = 0; i < a->scope_count; i++) {
		int order = str_cmp(a->scope[i], b->scope[i]);

		if (order != 0)
			return order;
	}
	return 0;
}

/* By key; then by change, so that equal changes stand together. */
static int
candidate_compare(const void *x, const void *y)
{
	const struct learn_candidate *a = x, *b = y;
	int order = str_cmp(a->key, b->key);

	if (order == 0)
		order = (int)a->stance - (int)b->stance;
	if (order == 0)
		order = str_cmp(a->change, b->change);
	if (order == 0)
		order = str_cmp(a->run, b->run);
	if (order == 0)
		order = (int)a->kind - (int)b->kind;
	if (order == 0)
		order = str_cmp(a->statement, b->statement);
	if (order == 0)
		order = (int)a->origin - (int)b->origin;
	return order != 0 ? order : scope_compare(a, b);
}

/* White space makes no difference. */
static bool
is_same_definition(const struct learn_candidate *a,
	const struct learn_candidate *b, struct arena *mem)
{
	return a->kind == b->kind && scope_compare(a, b) == 0 &&
		str_eq(hypothesis_canonical(a->statement, mem),
			hypothesis_canonical(b->statement, mem));
}

/* Supporters stand before those who are against it, sorted by change. */
static void
group_judge(const struct learn_candidate *of, struct learn_group *g,
	struct arena *mem)
{
	bool conflict = false;

	for (uint32_t i = 0; i < g->count; i++) {
		if (of[i].stance == LEARN_OPPOSE) {
			g->oppose++;
			continue;
		}
		if (i == 0 || !str_eq(of[i].change, of[i - 1].change))
			g->support++;
		if (!is_same_definition(&of[0], &of[i], mem))
			conflict = true;
	}
	if (conflict)
		g->status = LEARN_CONFLICTING;
	else if (g->oppose > 0)
		g->status = LEARN_CONTESTED;
	else if (g->support >= LEARN_RECURRING)
		g->status = LEARN_RECURRING_DRAFT;
}

struct learn_group *
learn_candidate_group(struct learn_candidate *all, uint32_t count,
	struct arena *mem, uint32_t *ret_count)
{
	struct learn_group *groups =
		arena_array(mem, count, struct learn_group);
	uint32_t n = 0;

	qsort(all, count, sizeof(*all), candidate_compare);
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || !str_eq(all[i].key, all[i - 1].key))
			groups[n++] = (struct learn_group){ .key = all[i].key,
				.first = i };
		groups[n - 1].count++;
	}
	for (uint32_t i = 0; i < n; i++)
		group_judge(&all[groups[i].first], &groups[i], mem);
	*ret_count = n;
	return groups;
}

static void
candidate_draft(const struct learn_candidate *c, struct buf *out)
{
	buf_addf(out, "- %s, %s, from %s of run ", stance_words[c->stance],
		kind_words[c->kind], origin_words[c->origin]);
	utf8_show(out, c->run, UTF8_LINE);
	buf_add(out, STR(": "));
	utf8_show(out, c->statement, UTF8_LINE);
	buf_add(out, STR("\n  - scope:"));
	for (uint32_t i = 0; i < c->scope_count; i++) {
		buf_addc(out, ' ');
		utf8_show(out, c->scope[i], UTF8_LINE);
	}
	buf_add(out, STR("\n  - tasks:"));
	for (uint32_t i = 0; i < c->task_refs_count; i++)
		buf_addf(out, " " STR_FMT, STR_ARG(c->task_refs[i]));
	buf_add(out, STR("\n  - evidence:"));
	for (uint32_t i = 0; i < c->evidence_count; i++)
		buf_addf(out, " sha256:" STR_FMT, STR_ARG(c->evidence[i]));
	buf_addc(out, '\n');
}

void
learn_candidate_draft(const struct learn_candidate *all,
	const struct learn_group *groups, uint32_t count, struct buf *out)
{
	buf_add(out,
		STR("# Draft candidates\n\n"
		    "Nothing in this file is active. It is made from records "
		    "of closed runs, for\n"
		    "people to read; pawl applies none of it.\n"));
	for (uint32_t i = 0; i < count; i++) {
		const struct learn_group *g = &groups[i];

		buf_addf(out,
			"\n## " STR_FMT "\n\n%s: %u different changes for it, "
			"%u against it.\n\n",
			STR_ARG(g->key), status_words[g->status], g->support,
			g->oppose);
		for (uint32_t k = 0; k < g->count; k++)
			candidate_draft(&all[g->first + k], out);
	}
}
