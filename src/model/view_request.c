#include "model/view_request.h"

#include "base/bounds.h"
#include "model/id.h"
#include "text/fields.h"

/* NOLINTNEXTLINE(bugprone-macro-parentheses): an initialiser */
#define WORD2(name, word) [name] = word,
static const char *const kind_words[] = { VIEW_REQUEST_KIND_MAP(WORD2) NULL };

static const struct field rows[] = {
	{ FIELD_NAME("schema_version"), .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = 1, .max = 1,
		FIELD_AT(struct view_request, schema_version) },
	{ FIELD_NAME("request_id"),
		.about = "The caller's name for it; a retry has the same.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED, .min = 1,
		.max = BOUND_ID_BYTES, .check = id_fault, .pattern = ID_PATTERN,
		FIELD_AT(struct view_request, request_id) },
	{ FIELD_NAME("run"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct view_request, run) },
	{ FIELD_NAME("kind"), .about = "What the coordinator is asked for.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = kind_words, FIELD_AT(struct view_request, kind) },
	{ FIELD_NAME("target"),
		.about = "A node, an attempt or a gate; without, the run.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1,
		.max = BOUND_ID_BYTES + 11, /* a sign and 32 bits */
		FIELD_AT(struct view_request, target) },
	{ FIELD_NAME("expected_revision"),
		.about = "Of the view that it was made on.", .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = 0, .max = INT64_MAX,
		FIELD_AT(struct view_request, expected_revision) },
	{ FIELD_NAME("generation"), .about = "Of that view, too.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 0,
		.max = INT64_MAX, FIELD_AT(struct view_request, generation) },
	{ FIELD_NAME("note"), .about = "For people; not carried out.",
		.type = FIELD_TEXT, .flags = FIELD_FILLED, .min = 1,
		.max = VIEW_REQUEST_NOTE_BYTES,
		FIELD_AT(struct view_request, note) },
};

static const struct field_table table = {
	.title = "View request",
	.about = "What the user of an AgentGraphView asks the coordinator for.",
	.id = "view-request.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct view_request),
};

struct str
view_request_kind_word(enum view_request_kind kind)
{
	return str_from(kind_words[kind]);
}

enum pawl_rc
view_request_read(struct arena *mem, struct str bytes,
	struct view_request *ret_request, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DOCUMENT };
	struct view_request q;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "request", bytes, VIEW_REQUEST_BYTES, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fields_read(&doc, &table, &q, err);
	if (rc == PAWL_OK)
		*ret_request = q;
	return rc;
}

void
view_request_write(const struct view_request *q, struct buf *out)
{
	struct json_writer w = { .out = out };

	fields_write(&table, q, &w);
	buf_addc(out, '\n');
}

bool
is_view_request_current(const struct view_request *q, const struct state *s)
{
	return (uint64_t)q->expected_revision == s->seq &&
		(uint64_t)q->generation == s->gen && !is_run_closed(s);
}

static enum pawl_rc
stale(const struct view_request *q, const struct state *s, struct arena *mem,
	struct pawl_err *err)
{
	uint64_t revision = (uint64_t)q->expected_revision;
	bool reset = (uint64_t)q->generation != s->gen ||
		agent_view_reach(s, revision) != AGENT_VIEW_NO_REASON;

	(void)pawl_fail(err, ERR_STALE_SEQ,
		"the request was made on revision %llu of generation %lld; "
		"the run is at %llu of %llu",
		(unsigned long long)revision, (long long)q->generation,
		(unsigned long long)s->seq, (unsigned long long)s->gen);
	err->field = STR("/expected_revision");
	err->detail = arena_format(mem,
		"{\"current_revision\":%llu,\"generation\":%llu,"
		"\"reset_required\":%s}",
		(unsigned long long)s->seq, (unsigned long long)s->gen,
		reset ? "true" : "false");
	if (reset)
		return pawl_hint(
			err, "pawl task view " STR_FMT, STR_ARG(s->run.run));
	return pawl_hint(err, "pawl task view " STR_FMT " --from %llu",
		STR_ARG(s->run.run), (unsigned long long)revision);
}

static enum pawl_rc
target_find(const struct view_request *q, const struct state *s,
	struct pawl_err *err)
{
	enum pawl_code code = ERR_NODE_NOT_FOUND;
	const char *what = "node";
	uint32_t unused;
	bool found;

	if (q->target.ptr == NULL)
		return PAWL_OK;
	if (str_find(q->target, '@') < q->target.len) {
		found = state_find_attempt(s, q->target, &unused);
		code = ERR_ATTEMPT_NOT_FOUND;
		what = "attempt";
	} else if (str_find(q->target, '!') < q->target.len) {
		found = state_find_gate(s, q->target, &unused);
		code = ERR_GATE_NOT_FOUND;
		what = "gate";
	} else {
		found = plan_find(s->plan, q->target, &unused);
	}
	if (found)
		return PAWL_OK;
	(void)pawl_fail(err, code, "run '" STR_FMT "' has no %s '" STR_FMT "'",
		STR_ARG(s->run.run), what, STR_ARG(q->target));
	err->field = STR("/target");
	return err->rc;
}

enum pawl_rc
view_request_fits(const struct view_request *q, const struct state *s,
	struct arena *mem, struct pawl_err *err)
{
	if (!str_eq(q->run, s->run.run)) {
		(void)pawl_fail(err, ERR_INVALID_DOCUMENT,
			"the request is of run '" STR_FMT "', not of '" STR_FMT
			"'",
			STR_ARG(q->run), STR_ARG(s->run.run));
		err->field = STR("/run");
		return err->rc;
	}
	if (is_run_closed(s)) {
		return pawl_fail(err, ERR_RUN_CLOSED,
			"run '" STR_FMT "' is closed with outcome '" STR_FMT
			"'",
			STR_ARG(s->run.run), STR_ARG(s->outcome));
	}
	if (!is_view_request_current(q, s))
		return stale(q, s, mem, err);
	return target_find(q, s, err);
}

void
view_request_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
