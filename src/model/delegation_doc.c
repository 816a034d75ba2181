#include "model/delegation_doc.h"

#include "base/bounds.h"
#include "base/sha256.h"
#include "model/capsule.h"
#include "model/contract.h"

static const char *const roles[] = {
	[DELEGATION_NO_ROLE] = "any",
	[DELEGATION_RESEARCH] = "research",
	[DELEGATION_DOCUMENTATION] = "documentation",
	[DELEGATION_IMPLEMENTATION] = "implementation",
	[DELEGATION_REVIEW] = "review",
	[DELEGATION_VERIFICATION] = "verification",
	NULL,
};

static const struct field path_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE,
	.min = 1,
	.max = BOUND_PATH_BYTES,
};

static const struct field name_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE | FIELD_FILLED,
	.min = 1,
	.max = BOUND_ID_BYTES,
};

static const struct field rows[] = {
	{ FIELD_NAME("attempt_id"),
		.about = "The attempt that gives a part of its work away.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_ID_BYTES + 11, /* '@' and 32 bits */
		FIELD_AT(struct delegation_intent, attempt_id) },
	{ FIELD_NAME("purpose"), .about = "What is to be done, and what for.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct delegation_intent, purpose) },
	{ FIELD_NAME("role"), .about = "What kind of work it is.",
		.type = FIELD_ENUM, .words = roles,
		.preset = DELEGATION_NO_ROLE,
		FIELD_AT(struct delegation_intent, role) },
	{ FIELD_NAME("paths"),
		.about = "What it may touch: paths below the repository, each"
			 " with all that is below it.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &path_item, .min = 1, .max = BOUND_DELEGATION_ITEMS,
		FIELD_ITEMS(struct delegation_intent, paths) },
	{ FIELD_NAME("context_refs"),
		.about = "What it is to read: items of the task's Context, or"
			 " paths in its scope.",
		.type = FIELD_LIST, .flags = FIELD_UNIQUE, .item = &path_item,
		.max = BOUND_DELEGATION_ITEMS,
		FIELD_ITEMS(struct delegation_intent, context_refs) },
	{ FIELD_NAME("capabilities"),
		.about = "What it needs, of what the task's Needs names.",
		.type = FIELD_LIST, .flags = FIELD_UNIQUE, .item = &name_item,
		.max = BOUND_NAMES,
		FIELD_ITEMS(struct delegation_intent, capabilities) },
	{ FIELD_NAME("check"), .about = "What its worker is to run.",
		.type = FIELD_TEXT, .flags = FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct delegation_intent, check) },
	{ FIELD_NAME("expected_revision"),
		.about = "The line of the journal that it was made at; it is"
			 " stale after any other.",
		.type = FIELD_INT, .min = 1, .max = INT64_MAX,
		FIELD_AT(struct delegation_intent, expected_revision) },
};

static const struct field_table table = {
	.title = "Intent of a delegation",
	.about = "A part of an attempt's work that is to have a worker of its"
		 " own.",
	.id = "delegation-intent.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct delegation_intent),
};

enum pawl_rc
delegation_intent_read(struct arena *mem, struct str bytes, struct str attempt,
	struct delegation_intent *ret_intent, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_INTENT };
	struct delegation_intent in;
	struct strs given, paths;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "intent", bytes, BOUND_INTENT_BYTES, err);
	if (rc == PAWL_OK)
		rc = fields_read(&doc, &table, &in, err);
	if (rc != PAWL_OK)
		return rc;
	if (!str_eq(in.attempt_id, attempt)) {
		fields_refuse(&doc, FAULT_INVALID_VALUE,
			json_get(doc.root, STR("attempt_id")),
			STR("/attempt_id"),
			arena_format(
				mem, "write '" STR_FMT "'", STR_ARG(attempt)),
			err,
			"'" STR_FMT "' is not '" STR_FMT "', which delegates",
			STR_ARG(in.attempt_id), STR_ARG(attempt));
		return err->rc;
	}
	given = (struct strs){ arena_array(mem, in.paths_count, struct str),
		in.paths_count };
	for (uint32_t i = 0; i < in.paths_count; i++)
		given.items[i] = in.paths[i];
	rc = contract_paths(given, mem, &paths, err);
	if (rc != PAWL_OK) {
		err->field = STR("/paths");
		return rc;
	}
	in.paths = paths.items;
	in.paths_count = paths.count;
	*ret_intent = in;
	return PAWL_OK;
}

static struct str
intent_sha256(const struct delegation_intent *in, struct arena *mem)
{
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };
	char hex[SHA256_HEX + 1];

	fields_write(&table, in, &w);
	sha256_hex(buf_str(&json), hex);
	buf_release(&json);
	return arena_copy(mem, str_from(hex));
}

static struct strs
list_copy(const struct str *items, uint32_t count, struct arena *mem)
{
	struct strs list = { arena_array(mem, count, struct str), count };

	for (uint32_t i = 0; i < count; i++)
		list.items[i] = items[i];
	return list;
}

void
delegation_intent_set(
	struct event *e, const struct delegation_intent *in, struct arena *mem)
{
	EVENT_SET(e, F_PURPOSE, purpose, in->purpose);
	if (in->role != DELEGATION_NO_ROLE)
		EVENT_SET(e, F_ROLE, role, str_from(roles[in->role]));
	EVENT_SET(
		e, F_PATHS, paths, list_copy(in->paths, in->paths_count, mem));
	if (in->context_refs_count > 0)
		EVENT_SET(e, F_CONTEXT_REFS, context_refs,
			list_copy(
				in->context_refs, in->context_refs_count, mem));
	if (in->capabilities_count > 0)
		EVENT_SET(e, F_CAPABILITIES, capabilities,
			list_copy(
				in->capabilities, in->capabilities_count, mem));
	if (in->check.len > 0)
		EVENT_SET(e, F_CHECK, check, in->check);
	if (in->expected_revision > 0)
		EVENT_SET(e, F_EXPECTED_REVISION, expected_revision,
			(uint64_t)in->expected_revision);
	EVENT_SET(e, F_INTENT_SHA256, intent_sha256, intent_sha256(in, mem));
}

void
delegation_intent_schema(struct buf *out)
{
	struct json_writer w = { .out = out, .pretty = true };

	fields_schema(&table, &w);
	buf_addc(out, '\n');
}

void
delegation_list_write(
	struct json_writer *w, struct str key, const struct strs *list)
{
	json_key(w, key);
	json_open(w, '[');
	for (uint32_t i = 0; i < list->count; i++)
		json_put_str(w, list->items[i]);
	json_close(w, ']');
}

static void
granted_write(struct json_writer *w, const struct delegation *d)
{
	delegation_list_write(w, STR("paths"), &d->paths);
	delegation_list_write(w, STR("context_refs"), &d->context_refs);
	delegation_list_write(w, STR("capabilities"), &d->capabilities);
}

void
delegation_capsule_write(struct json_writer *w, const struct state *s,
	uint32_t delegation, const struct delegation_places *at,
	struct arena *mem)
{
	const struct delegation *d = &s->delegations.items[delegation];
	const struct attempt *a = &s->attempts.items[d->attempt];
	bool writes = s->plan->nodes[a->node].mode == MODE_WRITE;
	struct contract_view v = contract_of(s, a->node);

	json_open(w, '{');
	json_pair_u64(w, STR("capsule_version"), 1);
	json_pair_str(w, STR("run"), s->run.run);
	json_pair_str(w, STR("node"), plan_id(s->plan, a->node));
	json_pair_str(w, STR("attempt"), state_delegation_id(delegation, mem));
	json_pair_str(w, STR("parent"), state_attempt_id(s, d->attempt, mem));
	json_pair_str(w, STR("purpose"), d->purpose);
	json_pair_str(w, STR("role"), d->role);
	json_pair_str(w, STR("mode"), writes ? STR("write") : STR("read"));
	granted_write(w, d);
	json_pair_str(w, STR("check"), d->check);
	json_pair_str(w, STR("acceptance"), contract_acceptance(&v, mem));
	json_pair_str(w, STR("base"), a->base);
	json_pair_str(w, STR("workspace"), at->workspace);
	json_pair_str(w, STR("artifact_policy"), STR("minimal-by-default-v1"));
	json_pair_str(w, STR("artifact_policy_text"), capsule_policy);
	json_pair_str(w, STR("report"),
		arena_format(mem, STR_FMT "/report.json", STR_ARG(at->outbox)));
	json_close(w, '}');
}

void
delegation_answer_write(const struct state *s, uint32_t delegation,
	struct arena *mem, struct buf *out)
{
	const struct delegation *d = &s->delegations.items[delegation];
	struct json_writer w = { .out = out };

	json_open(&w, '{');
	json_pair_str(
		&w, STR("delegation"), state_delegation_id(delegation, mem));
	json_pair_str(&w, STR("attempt"), state_attempt_id(s, d->attempt, mem));
	if (d->number != 0)
		json_pair_u64(&w, STR("ask"), d->number);
	json_pair_str(&w, STR("answer"), delegation_status_word(d->status));
	granted_write(&w, d);
	json_pair_str(&w, STR("summary"), d->summary);
	json_pair_str(&w, STR("report_sha256"), d->report_sha256);
	json_pair_str(&w, STR("reason"), d->reason);
	json_close(&w, '}');
	buf_addc(out, '\n');
}
