#include "model/ask_doc.h"

#include "base/bounds.h"

static const char *const kinds[] = {
	[ASK_QUESTION] = "question",
	[ASK_ACT] = "act",
	NULL,
};

static const struct field rows[] = {
	{ FIELD_NAME("attempt_id"),
		.about = "The attempt, as the capsule names it.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_ID_BYTES + 11, /* '@' and 32 bits */
		FIELD_AT(struct ask_doc, attempt_id) },
	{ FIELD_NAME("kind"),
		.about = "An act is one that only a human may allow.",
		.type = FIELD_ENUM, .words = kinds, .preset = ASK_QUESTION,
		FIELD_AT(struct ask_doc, kind) },
	{ FIELD_NAME("text"), .about = "What is to be decided.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct ask_doc, text) },
};

static const struct field_table table = {
	.title = "Question of a worker",
	.about = "What 'pawl task ask' puts into the outbox of an attempt.",
	.id = "question.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct ask_doc),
};

enum pawl_rc
ask_doc_read(struct arena *mem, struct str bytes, struct str attempt,
	struct ask_doc *ret_doc, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DOCUMENT };
	struct ask_doc d;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "question", bytes, ASK_DOC_BYTES, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fields_read(&doc, &table, &d, err);
	if (rc != PAWL_OK)
		return rc;
	if (!str_eq(d.attempt_id, attempt)) {
		fields_refuse(&doc, FAULT_INVALID_VALUE,
			json_get(doc.root, STR("attempt_id")),
			STR("/attempt_id"),
			arena_format(
				mem, "write '" STR_FMT "'", STR_ARG(attempt)),
			err, "'" STR_FMT "' is not '" STR_FMT "', which asks",
			STR_ARG(d.attempt_id), STR_ARG(attempt));
		return err->rc;
	}
	*ret_doc = d;
	return PAWL_OK;
}

enum pawl_rc
ask_doc_write(const struct ask_doc *doc, struct buf *out, struct pawl_err *err)
{
	struct json_writer w = { .out = out };

	if (str_trim(doc->text).len == 0)
		return pawl_fail(
			err, ERR_INVALID_ARGUMENT, "the question is empty");
	if (doc->text.len > BOUND_TEXT_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"question of %zu bytes is over the limit of %d",
			doc->text.len, BOUND_TEXT_BYTES);
	fields_write(&table, doc, &w);
	buf_addc(out, '\n');
	return PAWL_OK;
}

void
ask_answer_write(
	const struct state *s, uint32_t ask, struct arena *mem, struct buf *out)
{
	const struct ask *q = &s->asks.items[ask];
	struct json_writer w = { .out = out };

	json_open(&w, '{');
	json_pair_str(&w, STR("question"), state_ask_id(ask, mem));
	if (q->attempt_1 != 0)
		json_pair_str(&w, STR("attempt"),
			state_attempt_id(s, q->attempt_1 - 1, mem));
	if (q->number != 0)
		json_pair_u64(&w, STR("ask"), q->number);
	json_pair_str(&w, STR("prompt"), q->prompt);
	if (q->status == ASK_DENIED)
		json_pair_bool(&w, STR("denied"), true);
	json_pair_str(&w, STR("answer"), q->answer);
	json_pair_str(&w, STR("by"), q->answered_by);
	json_pair_str(&w, STR("assurance"), q->assurance);
	json_pair_str(&w, STR("at"), q->at);
	json_close(&w, '}');
	buf_addc(out, '\n');
}

void
ask_doc_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
