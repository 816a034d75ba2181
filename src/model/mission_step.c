#include "base/bounds.h"
#include "model/id.h"
#include "model/mission_reader.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD(name, word) [name] = { word, sizeof(word) - 1 },
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct str status_words[] = { MISSION_STATUS_MAP(WORD) };

/* The format's kinds, and what they are in a ledger. */
static const struct kind_row {
	struct str word;
	enum ledger_kind kind;
	bool other; /* it means something else there: reported */
} kinds[] = {
	{ { "recon", 5 }, LEDGER_EXPLORE, false },
	{ { "build", 5 }, LEDGER_EXECUTE, false },
	{ { "verify", 6 }, LEDGER_VERIFY, false },
	{ { "gate", 4 }, LEDGER_APPROVE, false },
	{ { "decide", 6 }, LEDGER_SYNTHESIZE, true },
	{ { "reduce", 6 }, LEDGER_SYNTHESIZE, true },
	{ { "write-back", 10 }, LEDGER_EXECUTE, true },
};

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

/* What other tools say, for a hint; it is never taken by itself. */
static const struct {
	const char *word;
	enum mission_status status;
} synonyms[] = {
	{ "done", MISSION_VERIFIED },
	{ "completed", MISSION_VERIFIED },
	{ "complete", MISSION_VERIFIED },
	{ "closed", MISSION_VERIFIED },
	{ "kept", MISSION_VERIFIED },
	{ "passed", MISSION_VERIFIED },
	{ "success", MISSION_VERIFIED },
	{ "todo", MISSION_PENDING },
	{ "open", MISSION_PENDING },
	{ "ready", MISSION_PENDING },
	{ "dispatched", MISSION_RUNNING },
	{ "in_progress", MISSION_RUNNING },
	{ "in-progress", MISSION_RUNNING },
	{ "crash", MISSION_FAILED },
	{ "error", MISSION_FAILED },
	{ "cancelled", MISSION_SKIPPED },
	{ "waiting", MISSION_BLOCKED },
};

static bool
status_of(struct str word, uint8_t *ret_status)
{
	for (int s = 0; s < MISSION_STATUS_COUNT; s++) {
		if (str_eq(word, status_words[s])) {
			*ret_status = (uint8_t)s;
			return true;
		}
	}
	return false;
}

/* The format's own kinds, then those of a ledger. */
static bool
kind_of(struct str word, struct kind_row *ret_row)
{
	for (size_t i = 0; i < KIND_COUNT; i++) {
		if (str_eq(word, kinds[i].word)) {
			*ret_row = kinds[i];
			return true;
		}
	}
	for (int k = 0; k < LEDGER_KIND_COUNT; k++) {
		if (str_eq(word, ledger_kind_word((enum ledger_kind)k))) {
			*ret_row = (struct kind_row){ word, (enum ledger_kind)k,
				false };
			return true;
		}
	}
	return false;
}

bool
mission_is_word(struct str to)
{
	struct kind_row row;
	uint8_t status;

	return status_of(to, &status) || kind_of(to, &row);
}

/* The word that the caller means by this one. */
static struct str
mapped(const struct mission_reader *r, struct str word)
{
	for (size_t i = 0; i < r->options->word_count; i++) {
		if (str_eq(r->options->words[i].from, word))
			return r->options->words[i].to;
	}
	return word;
}

/* The first member of one of the names; `*ret_name` is its name. */
static const struct json *
member(const struct json *step, const char *name, const char *older,
	struct str *ret_name)
{
	const struct json *v = json_get(step, str_from(name));

	*ret_name = str_from(name);
	if ((!v || v->kind == JSON_NULL) && older) {
		const struct json *w = json_get(step, str_from(older));

		if (w && w->kind != JSON_NULL) {
			*ret_name = str_from(older);
			return w;
		}
	}
	return v && v->kind != JSON_NULL ? v : NULL;
}

static enum pawl_rc
id_read(struct mission_reader *r, const struct json *step, uint32_t number)
{
	struct str pointer = mission_pointer(r, number, STR("id"));
	const struct json *v = json_get(step, STR("id"));
	struct str id = mission_id(r, v);
	uint32_t node;

	if (!v || id.len == 0)
		return mission_refuse(r, ERR_INVALID_DOCUMENT, v ? v : step,
			pointer, "a step has no id");
	if (!id_is_valid(id)) {
		return mission_refuse(r, ERR_INVALID_ID, v, pointer,
			"'" STR_FMT "' is no id: letters and digits, with "
			"single dots, lines or dashes between them",
			STR_ARG(id));
	}
	if (!ledger_add(r->l, id, &node)) {
		return mission_refuse(r, ERR_ID_TAKEN, v, pointer,
			"two steps have the id '" STR_FMT
			"' (ids of a ledger are in small letters)",
			STR_ARG(id));
	}
	if (v->kind == JSON_STRING && !str_eq(v->text, id))
		mission_lose(r, pointer, number,
			"id '" STR_FMT "' became '" STR_FMT "'",
			STR_ARG(v->text), STR_ARG(id));
	return PAWL_OK;
}

/* Kind, access and approval; `paths` may be NULL. */
static enum pawl_rc
kind_read(struct mission_reader *r, const struct json *step, uint32_t node,
	const struct json *paths)
{
	struct ledger_node *n = &r->l->nodes[node];
	struct str pointer = mission_pointer(r, node, STR("kind")), name;
	const struct json *v = member(step, "kind", NULL, &name);
	bool writes = paths && !mission_is_nothing(paths);
	struct kind_row row;

	n->access = writes ? ACCESS_WORKSPACE_WRITE : ACCESS_READ_ONLY;
	if (!v) {
		n->kind = writes ? LEDGER_EXECUTE : LEDGER_EXPLORE;
		mission_lose(r, pointer, node,
			"no kind; taken for '" STR_FMT "', since it has %s",
			STR_ARG(ledger_kind_word((enum ledger_kind)n->kind)),
			writes ? "paths" : "no paths");
		return PAWL_OK;
	}
	if (!kind_of(mapped(r, json_str(v)), &row)) {
		(void)mission_refuse(r, ERR_INVALID_DOCUMENT, v, pointer,
			"'" STR_FMT "' is no kind of a step; they are recon, "
			"build, verify, gate, decide, reduce, write-back",
			STR_ARG(json_str(v)));
		return pawl_hint(
			r->err, "--map " STR_FMT "=KIND", STR_ARG(json_str(v)));
	}
	n->kind = (uint8_t)row.kind;
	if (row.other || !str_eq(json_str(v), row.word)) {
		mission_lose(r, pointer, node,
			"kind '" STR_FMT "' became '" STR_FMT "'",
			STR_ARG(json_str(v)),
			STR_ARG(ledger_kind_word(row.kind)));
	}
	if (row.kind == LEDGER_APPROVE)
		n->approval = LEDGER_REQUIRED;
	return PAWL_OK;
}

static void
role_read(struct mission_reader *r, const struct json *step, uint32_t node)
{
	static const uint8_t by_kind[] = {
		[LEDGER_SCOPE] = LEDGER_MAIN,
		[LEDGER_EXPLORE] = LEDGER_EXPLORER,
		[LEDGER_EXECUTE] = LEDGER_WORKER,
		[LEDGER_VERIFY] = LEDGER_REVIEWER,
		[LEDGER_REVIEW] = LEDGER_REVIEWER,
		[LEDGER_SYNTHESIZE] = LEDGER_WORKER,
		[LEDGER_APPROVE] = LEDGER_HUMAN,
		[LEDGER_MONITOR] = LEDGER_TOOL,
		[LEDGER_REPAIR] = LEDGER_WORKER,
	};
	struct ledger_node *n = &r->l->nodes[node];
	struct str name;
	const struct json *v = member(step, "role", "owner", &name);
	struct str word = json_str(v);

	n->role = by_kind[n->kind];
	for (int k = 0; k < LEDGER_ROLE_COUNT; k++) {
		if (str_eq(word, ledger_role_word((enum ledger_role)k))) {
			n->role = (uint8_t)k;
			return;
		}
	}
	if (str_eq(word, STR("self")))
		n->role = LEDGER_MAIN;
	mission_lose(r, mission_pointer(r, node, name), node,
		"%s '" STR_FMT "' became '" STR_FMT "'",
		v ? "role" : "no role:", STR_ARG(word),
		STR_ARG(ledger_role_word((enum ledger_role)n->role)));
}

static enum pawl_rc
status_read(struct mission_reader *r, const struct json *step, uint32_t node)
{
	struct str pointer = mission_pointer(r, node, STR("status")), word;
	const struct json *v = json_get(step, STR("status"));
	struct mission_step *s = &r->steps[node];

	if (!v || v->kind != JSON_STRING)
		return mission_refuse(r, ERR_INVALID_DOCUMENT, v ? v : step,
			pointer, "a step has no status");
	word = mapped(r, v->text);
	if (status_of(word, &s->status)) {
		if (!str_eq(word, v->text)) {
			mission_lose(r, pointer, node,
				"status '" STR_FMT "' is taken for '" STR_FMT
				"'",
				STR_ARG(v->text), STR_ARG(word));
		}
		return PAWL_OK;
	}
	(void)mission_refuse(r, ERR_INVALID_DOCUMENT, v, pointer,
		"'" STR_FMT "' is no status of a step; they are pending, "
		"running, verified, failed, reverted, skipped, blocked",
		STR_ARG(v->text));
	word = STR("STATUS");
	for (size_t i = 0; i < sizeof(synonyms) / sizeof(synonyms[0]); i++) {
		if (str_eq(v->text, str_from(synonyms[i].word)))
			word = status_words[synonyms[i].status];
	}
	return pawl_hint(r->err, "if it means that: --map " STR_FMT "=" STR_FMT,
		STR_ARG(v->text), STR_ARG(word));
}

static enum pawl_rc
rounds_read(struct mission_reader *r, const struct json *step, uint32_t node)
{
	struct str name;
	const struct json *v = member(step, "rounds", NULL, &name);
	int64_t n = json_int(v);

	if (v && (v->kind != JSON_INT || n < 0 || n >= BOUND_LEDGER_ATTEMPTS)) {
		return mission_refuse(r, ERR_INVALID_DOCUMENT, v,
			mission_pointer(r, node, name),
			"rounds is a number between 0 and %d",
			BOUND_LEDGER_ATTEMPTS - 1);
	}
	r->steps[node].rounds = (uint32_t)n;
	return PAWL_OK;
}

/* A text as it is, anything else as its JSON, which is reported. */
static struct str
value_read(struct mission_reader *r, uint32_t node, struct str pointer,
	const struct json *v, size_t max)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	struct str s;

	if (!v || v->kind == JSON_NULL)
		return STR("");
	if (v->kind == JSON_STRING)
		return mission_text(r, pointer, node, v->text, max);
	json_put(&w, v);
	mission_lose(r, pointer, node, "this is no text; it became its JSON");
	s = mission_text(r, pointer, node, buf_str(&text), max);
	buf_release(&text);
	return s;
}

static void
evidence_add(struct mission_reader *r, uint32_t node, const struct json *v,
	struct str pointer)
{
	struct ledger_node *n = &r->l->nodes[node];
	struct str s = value_read(r, node, pointer, v, BOUND_LEDGER_REF_BYTES);

	if (s.len > 0)
		n->evidence[n->evidence_count++] = s;
}

static void
evidence_read(struct mission_reader *r, const struct json *step, uint32_t node)
{
	struct str pointer = mission_pointer(r, node, STR("evidence")), name;
	const struct json *v = member(step, "evidence", NULL, &name), *item;
	struct ledger_node *n = &r->l->nodes[node];
	uint32_t count = v && v->kind == JSON_ARRAY ? v->count : 1;

	if (!v || mission_is_nothing(v))
		return;
	if (count > BOUND_LEDGER_EVIDENCE) {
		mission_lose(r, pointer, node,
			"%u pieces of evidence beyond the first %d",
			count - BOUND_LEDGER_EVIDENCE, BOUND_LEDGER_EVIDENCE);
		count = BOUND_LEDGER_EVIDENCE;
	}
	n->evidence = arena_array(&r->l->mem, count, struct str);
	if (v->kind != JSON_ARRAY) {
		evidence_add(r, node, v, pointer);
		return;
	}
	item = json_first(v);
	for (uint32_t i = 0; i < count; i++, item += item->span)
		evidence_add(r, node, item,
			arena_format(
				r->mem, STR_FMT "/%u", STR_ARG(pointer), i));
}

/* Title and expected output, under the names of both versions. */
static enum pawl_rc
texts_read(struct mission_reader *r, const struct json *step, uint32_t node)
{
	struct ledger_node *n = &r->l->nodes[node];
	struct str name;
	const struct json *v = member(step, "action", "title", &name);

	n->title = value_read(
		r, node, mission_pointer(r, node, name), v, BOUND_TITLE_BYTES);
	if (n->title.len == 0)
		return mission_refuse(r, ERR_INVALID_DOCUMENT, v ? v : step,
			mission_pointer(r, node, name),
			"a step says no action");
	v = member(step, "success", NULL, &name);
	n->expected_output = value_read(
		r, node, mission_pointer(r, node, name), v, BOUND_TEXT_BYTES);
	if (n->expected_output.len == 0) {
		n->expected_output = n->title;
		mission_lose(r, mission_pointer(r, node, name), node,
			"no success criterion; its action stands for it");
	}
	return PAWL_OK;
}

/* Whatever was used stands nowhere else. */
static bool
is_used(const struct json *step, struct str name)
{
	static const char *const names[] = { "id", "kind", "action", "success",
		"status", "evidence", "rounds", "depends_on", "role" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (str_eq(name, str_from(names[i])))
			return true;
	}
	if (str_eq(name, STR("title")))
		return !json_get(step, STR("action"));
	return str_eq(name, STR("owner")) && !json_get(step, STR("role"));
}

static void
rest_read(struct mission_reader *r, const struct json *step, uint32_t node)
{
	const struct json *key = json_first(step);

	for (uint32_t i = 0; i < step->count; i++) {
		const struct json *v = key + 1;

		if (!is_used(step, key->text))
			mission_lose_member(r,
				mission_pointer(r, node, key->text), node,
				key->text, v);
		key = v + v->span;
	}
}

enum pawl_rc
mission_step_read(
	struct mission_reader *r, const struct json *step, uint32_t number)
{
	struct mission_step *s = &r->steps[number];
	enum pawl_rc rc;

	if (step->kind != JSON_OBJECT)
		return mission_refuse(r, ERR_INVALID_DOCUMENT, step,
			mission_pointer(r, number, (struct str){ 0 }),
			"a step is an object");
	s->value = step;
	rc = id_read(r, step, number);
	if (rc != PAWL_OK)
		return rc;
	r->l->nodes[number].at = step->at;
	r->l->nodes[number].evidence_required = true;
	s->depends = member(step, "depends_on", NULL, &s->depends_name);
	if (s->depends && s->depends->kind != JSON_ARRAY)
		return mission_refuse(r, ERR_INVALID_DOCUMENT, s->depends,
			mission_pointer(r, number, s->depends_name),
			"depends_on is a list of ids");
	rc = texts_read(r, step, number);
	if (rc == PAWL_OK)
		rc = kind_read(r, step, number, json_get(step, STR("paths")));
	if (rc == PAWL_OK)
		rc = status_read(r, step, number);
	if (rc == PAWL_OK)
		rc = rounds_read(r, step, number);
	if (rc != PAWL_OK)
		return rc;
	role_read(r, step, number);
	evidence_read(r, step, number);
	rest_read(r, step, number);
	return PAWL_OK;
}
