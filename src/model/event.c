#include "model/event_table.h"

#include "base/bounds.h"
#include "base/num.h"

#define FIELD_ROW(name, text, kind, member)                         \
	[name] = { { text, sizeof(text) - 1 },                      \
		{ "\"" text "\":", sizeof(text) + 2 }, TYPE_##kind, \
		offsetof(struct event, member) },
bool
strs_eq(const struct strs *a, const struct strs *b)
{
	bool eq = a->count == b->count;

	for (uint32_t i = 0; eq && i < a->count; i++)
		eq = str_eq(a->items[i], b->items[i]);
	return eq;
}

const struct event_field_info event_fields[] = { EVENT_FIELD_MAP(FIELD_ROW) };
static_assert(EVENT_FIELD_COUNT <= 256, "struct event's `has` is too small");

#define WORD_ROW(type, text) [type] = { text, sizeof(text) - 1 },
const struct str event_words[] = { EVENT_TYPE_MAP(WORD_ROW) };

enum { OPT = EVENT_OPTIONAL };

#define OWNER F_MACHINE, F_BOOT, F_PIDNS, F_PID, F_START
#define ENDED                                                                \
	OPT | F_EXIT, OPT | F_SIGNAL, OPT | F_TIMEOUT, OPT | F_START_FAILED, \
		OPT | F_DURATION_MS, OPT | F_HELD_MS, OPT | F_SILENT,        \
		OPT | F_STDOUT_BYTES, OPT | F_STDOUT_SHA256,                 \
		OPT | F_STDERR_BYTES, OPT | F_STDERR_SHA256, OPT | F_SURVIVORS
#define SAID OPT | F_SESSION, OPT | F_USAGE

#define KIND(type, subject, ...)                                        \
	[type] = { subject,                                             \
		sizeof((uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t), \
		{ __VA_ARGS__ } }

/* clang-format off */
const struct event_kind event_kinds[] = {
	KIND(EV_RUN_STARTED, ABOUT_RUN,
		F_RUN, F_KIND, F_LIST, F_LIST_SHA256, F_LIST_BYTES,
		F_DECISION_SHA256, OPT | F_REVISION, OPT | F_EXECUTION,
		OPT | F_BUDGET, F_REPO, F_BASE, OPT | F_BRANCH, F_PLACEMENT,
		F_SLOTS, OPT | F_CAPACITY, F_PROFILE, F_ARGV, OPT | F_SECRETS, OPT | F_DIRTY, OPT | F_ALLOW_DIRTY,
		OPT | F_STRICT, OPT | F_SANDBOX, OPT | F_READS, OPT | F_WRITES,
		OPT | F_CHECK_NET, OPT | F_AGENTS_SHA256, OPT | F_DRIVER, OPT | F_CAPSULE_SHA256, OPT | F_BY,
		F_FILESYSTEM, F_DEVICE, F_VERSION, F_BINARY, OWNER),
	KIND(EV_COORDINATOR_TAKEN_OVER, ABOUT_RUN,
		F_REASON, OPT | F_NAME, OPT | F_TOKEN_SHA256, OPT | F_FORCED,
		OPT | F_SLOTS, OPT | F_CAPACITY, OPT | F_ARGV, F_VERSION, F_BINARY, OWNER),
	KIND(EV_COORDINATOR_CLAIMED, ABOUT_RUN,
		F_NAME, F_TOKEN_SHA256, F_CAPSULE_SHA256, F_VERSION, F_BINARY,
		OWNER),
	KIND(EV_COORDINATOR_TRANSFERRED, ABOUT_RUN,
		OPT | F_NAME, F_CAPSULE_SHA256),
	KIND(EV_COORDINATOR_RESUMED, ABOUT_RUN, F_VERSION, F_BINARY, OWNER),
	KIND(EV_DRIVER_SELECTION_RESERVED, ABOUT_RUN, F_SELECTION, F_DRIVER),
	KIND(EV_DRIVER_SELECTED, ABOUT_RUN,
		F_SELECTION, F_DRIVER, F_REASON, F_RECEIPT_SHA256,
		OPT | F_REFS, OPT | F_DEGRADED),
	KIND(EV_DECISION_AMENDED, ABOUT_RUN,
		F_DECISION_SHA256, F_REVISION, F_MODE, F_EXECUTION, F_BUDGET,
		F_REASON, OPT | F_RETAINED, OPT | F_INTEGRATOR,
		OPT | F_CLEANUP_PLAN),
	KIND(EV_ATTEMPT_RESERVED, ABOUT_ATTEMPT,
		F_DRIVER, F_PROFILE, F_BASE, F_REVISION, F_CONTRACT_SHA256,
		F_SCOPE_SHA256, F_PLACEMENT, OPT | F_WORKTREE, OPT | F_BRANCH,
		F_DEADLINE_MS, OPT | F_CAPSULE_SHA256, OPT | F_HYPOTHESIS,
		OPT | F_TREE, OPT | F_WORKER, OPT | F_ARGV),
	KIND(EV_ATTEMPT_STARTED, ABOUT_ATTEMPT, OPT | F_DEV, OPT | F_INO,
		OPT | F_REFS, OPT | F_DEGRADED, OPT | F_SANDBOX, OPT | F_LACKS,
		OPT | F_WIDENED, OWNER),
	KIND(EV_ATTEMPT_START_FAILED, ABOUT_ATTEMPT,
		F_CAUSE, OPT | F_MESSAGE),
	KIND(EV_ATTEMPT_REPORTED, ABOUT_ATTEMPT,
		F_REPORT_SHA256, F_SYNTHESIZED, F_SUMMARY, F_TREE,
		F_FILE_COUNT, F_FILES, ENDED, SAID),
	KIND(EV_ATTEMPT_INTERRUPTED, ABOUT_ATTEMPT,
		F_CAUSE, OPT | F_MESSAGE, ENDED, SAID),
	KIND(EV_ATTEMPT_LOST, ABOUT_ATTEMPT,
		F_CAUSE, OPT | F_MESSAGE),
	KIND(EV_ATTEMPT_ABANDONED, ABOUT_ATTEMPT, F_REASON),
	KIND(EV_RESULT_QUARANTINED, ABOUT_ATTEMPT,
		F_ARTIFACT, F_BYTES, F_KEY, F_CAUSE, OPT | F_MESSAGE, ENDED, SAID),
	KIND(EV_RESULT_KEPT, ABOUT_ATTEMPT, F_ARTIFACT, F_BYTES, F_REASON),
	KIND(EV_ATTEMPT_REJECTED, ABOUT_ATTEMPT,
		F_REASON, OPT | F_CHECK, F_HYPOTHESIS, OPT | F_FINDINGS,
		OPT | F_FRESH),
	KIND(EV_WORKSPACE_RECONCILED, ABOUT_ATTEMPT,
		OPT | F_PATCH_SHA256, F_RESTORED, OPT | F_LEFT),
	KIND(EV_CHECK_STARTED, ABOUT_ATTEMPT,
		F_CHECK, F_ARGV, F_TREE, F_DEADLINE_MS, OPT | F_RED,
		OPT | F_SANDBOX, OPT | F_LACKS, OWNER),
	KIND(EV_CHECK_RECORDED, ABOUT_ATTEMPT,
		F_CHECK, F_VERDICT, OPT | F_REASON, OPT | F_TREE, OPT | F_TAIL,
		OPT | F_FLAGGED, ENDED),
	KIND(EV_INTEGRATED, ABOUT_ATTEMPT,
		F_COMMIT, F_ONTO, F_BRANCH),
	KIND(EV_INTEGRATION_FAILED, ABOUT_ATTEMPT,
		F_REASON, OPT | F_PATHS, F_BRANCH),
	KIND(EV_NODE_GRADED, ABOUT_ATTEMPT,
		F_GRADE, OPT | F_CHECK, OPT | F_REASON),
	KIND(EV_NODE_BLOCKED, ABOUT_NODE,
		F_REASON, F_MESSAGE),
	KIND(EV_NODE_UNBLOCKED, ABOUT_NODE, F_BY, F_REASON),
	KIND(EV_GATE_OPENED, ABOUT_NODE,
		F_GATE, F_REASON, F_REVISION, F_CONTRACT_SHA256, F_SCOPE_SHA256),
	KIND(EV_GATE_DECIDED, ABOUT_NODE,
		F_GATE, F_DECISION, F_BY, F_ASSURANCE, OPT | F_POLICY, OPT | F_REASON,
		F_REVISION, F_CONTRACT_SHA256, F_SCOPE_SHA256, F_HEAD),
	KIND(EV_QUESTION_OPENED, ABOUT_NODE,
		F_QUESTION, F_KIND, F_PROMPT, F_BY, OPT | F_ASKED, OPT | F_ASK),
	KIND(EV_QUESTION_ANSWERED, ABOUT_NODE,
		F_QUESTION, OPT | F_DECISION, F_ANSWER, F_BY, F_ASSURANCE),
	KIND(EV_DELEGATION_REQUESTED, ABOUT_ATTEMPT,
		F_DELEGATION, F_PURPOSE, OPT | F_ROLE, F_PATHS,
		OPT | F_CONTEXT_REFS, OPT | F_CAPABILITIES, OPT | F_CHECK,
		F_INTENT_SHA256, F_BY, OPT | F_ASK, OPT | F_EXPECTED_REVISION),
	KIND(EV_DELEGATION_APPROVED, ABOUT_ATTEMPT,
		F_DELEGATION, F_REVISION, F_PATHS, OPT | F_CONTEXT_REFS,
		OPT | F_CAPABILITIES),
	KIND(EV_DELEGATION_REJECTED, ABOUT_ATTEMPT,
		F_DELEGATION, F_REASON, F_BY),
	KIND(EV_DELEGATION_STARTED, ABOUT_ATTEMPT,
		F_DELEGATION, F_CAPSULE_SHA256, OPT | F_WORKER, OPT | F_CLEANUP),
	KIND(EV_DELEGATION_REPORTED, ABOUT_ATTEMPT,
		F_DELEGATION, F_REPORT_SHA256, F_SUMMARY, F_FILES),
	KIND(EV_DELEGATION_RELEASED, ABOUT_ATTEMPT,
		F_DELEGATION, F_STATUS, F_BY, OPT | F_CLEANUP, OPT | F_REASON),
	KIND(EV_CLEANUP_REGISTERED, ABOUT_ATTEMPT,
		F_CLEANUP, F_KIND, F_TARGET, OPT | F_DEV, OPT | F_INO,
		OPT | F_BY, OPT | F_MACHINE, OPT | F_BOOT, OPT | F_PIDNS,
		OPT | F_PID, OPT | F_START),
	KIND(EV_CLEANUP_SETTLED, ABOUT_ATTEMPT,
		F_CLEANUP, F_STATUS, F_REASON, OPT | F_BY, OPT | F_ARTIFACT),
	KIND(EV_SCOPE_AMENDED, ABOUT_ATTEMPT,
		F_PATHS, F_SCOPE_SHA256, F_CAPSULE_SHA256, F_REASON),
	KIND(EV_SCOPE_VIOLATED, ABOUT_ATTEMPT,
		F_PATH_COUNT, F_PATHS, OPT | F_REASON),
	KIND(EV_JOURNAL_REPAIRED, ABOUT_RUN,
		F_ARTIFACT, F_BYTES),
	KIND(EV_FINDING_RECORDED, ABOUT_ATTEMPT,
		F_FINDING, F_CLASS, F_SUMMARY, OPT | F_ACCEPTANCE, OPT | F_FILE,
		OPT | F_REPRODUCTION, OPT | F_SMALLEST_REPAIR, OPT | F_CHECK_GAP,
		F_FINDING_SHA256),
	KIND(EV_DECISION_RECORDED, ABOUT_NODE,
		F_DECISION, F_ACTION, OPT | F_QUESTION, F_REASON),
	KIND(EV_CONTRACT_AMENDED, ABOUT_NODE,
		F_REVISION, F_REASON, OPT | F_PATHS, OPT | F_ACCEPTANCE, OPT | F_CHECK),
	KIND(EV_RUN_CLOSED, ABOUT_RUN,
		F_OUTCOME, OPT | F_REASON, OPT | F_PATH_COUNT, OPT | F_PATHS),
	KIND(EV_NODE_IMPORTED, ABOUT_ATTEMPT,
		F_IMPORT, F_ARTIFACT, F_ARGV, F_TREE, OPT | F_REASON, ENDED),
	KIND(EV_LEDGER_STARTED, ABOUT_RUN,
		F_RUN, F_TASK, OPT | F_REPO, F_VERSION, F_BINARY, F_MACHINE),
	KIND(EV_NODE_ADDED, ABOUT_NODE,
		F_TITLE, F_KIND, F_ROLE, F_ACCESS, F_EXPECTED_OUTPUT,
		F_EVIDENCE_REQUIRED, F_MAX_ATTEMPTS, F_APPROVAL, F_DEPENDS_ON),
	KIND(EV_NODE_MOVED, ABOUT_NODE, F_STATUS, OPT | F_REASON, OPT | F_BY),
	KIND(EV_EVIDENCE_ADDED, ABOUT_NODE, F_EVIDENCE),
	KIND(EV_APPROVAL_DECIDED, ABOUT_NODE,
		F_DECISION, F_BY, F_ASSURANCE, OPT | F_REASON),
	KIND(EV_DEPENDENCY_ADDED, ABOUT_NODE, F_DEPENDS_ON),
};
/* clang-format on */
static_assert(sizeof(event_kinds) / sizeof(event_kinds[0]) == EVENT_TYPE_COUNT,
	"an event kind is missing");

struct str
event_word(enum event_type type)
{
	return type < EVENT_TYPE_COUNT ? event_words[type] : STR("");
}

bool
event_number(const struct json *v, uint64_t *ret_n)
{
	struct pawl_err ignored;

	if (v->kind == JSON_REAL)
		return num_u64(v->text, 0, UINT64_MAX, ret_n, &ignored) ==
			PAWL_OK;
	if (v->kind != JSON_INT || v->n < 0)
		return false;
	*ret_n = (uint64_t)v->n;
	return true;
}

/* Decode a value into the member of `f`; false when it has another type. */
static bool
member_read(enum event_field f, const struct json *v, struct arena *mem,
	struct event *e)
{
	void *member = (char *)e + event_fields[f].offset;

	switch (event_fields[f].type) {
	case TYPE_STR:
		if (v->kind != JSON_STRING)
			return false;
		*(struct str *)member = v->text;
		return true;
	case TYPE_INT:
		return event_number(v, member);
	case TYPE_BOOL:
		if (v->kind != JSON_BOOL)
			return false;
		*(bool *)member = v->n != 0;
		return true;
	case TYPE_LIST: {
		struct strs list = { .count = 0 };
		const struct json *item = v + 1;

		if (v->kind != JSON_ARRAY)
			return false;
		list.items = arena_array(mem, v->count, struct str);
		for (; list.count < v->count; item += item->span) {
			if (item->kind != JSON_STRING)
				return false;
			list.items[list.count++] = item->text;
		}
		*(struct strs *)member = list;
		return true;
	}
	}
	return false;
}

/*
 * Decode `data`.  Members come in the table's order from every version that
 * wrote them, so each is looked for from where the last one was found.
 */
static enum pawl_rc
data_read(const struct event_kind *kind, const struct json *data,
	struct arena *mem, struct event *e, struct pawl_err *err)
{
	const struct json *key = data + 1;
	uint8_t from = 0;

	for (uint32_t m = 0; m < data->count; m++) {
		const struct json *value = key + 1;

		for (uint8_t i = 0; i < kind->count; i++) {
			uint8_t at = (uint8_t)((from + i) % kind->count);
			enum event_field f = event_field_of(kind->fields[at]);

			if (!str_eq(event_fields[f].word, key->text))
				continue;
			if (!member_read(f, value, mem, e)) {
				return pawl_fail(err, ERR_CORRUPT,
					"event '" STR_FMT "' has a '" STR_FMT
					"' of another type",
					STR_ARG(event_words[e->type]),
					STR_ARG(key->text));
			}
			event_mark(e, f);
			from = (uint8_t)(at + 1);
			break;
		}
		key = value + value->span;
	}
	for (uint8_t i = 0; i < kind->count; i++) {
		enum event_field f = event_field_of(kind->fields[i]);

		if (is_event_field_required(kind->fields[i]) &&
			!event_has(e, f)) {
			return pawl_fail(err, ERR_CORRUPT,
				"event '" STR_FMT "' lacks '" STR_FMT "'",
				STR_ARG(event_words[e->type]),
				STR_ARG(event_fields[f].word));
		}
	}
	return PAWL_OK;
}

enum pawl_rc
event_read(const struct json *v, struct arena *mem, struct event *ret_event,
	struct pawl_err *err)
{
	const struct json *data = json_get(v, STR("data"));
	struct str word = json_str(json_get(v, STR("type")));
	struct event e = { .node = json_str(json_get(v, STR("node"))),
		.attempt = json_str(json_get(v, STR("attempt"))) };
	const struct event_kind *kind;
	enum pawl_rc rc;

	if (word.len == 0 || data == NULL || data->kind != JSON_OBJECT)
		return pawl_fail(
			err, ERR_CORRUPT, "an event has no type or no data");
	if (!event_type_find(word, &e.type)) {
		return pawl_fail(err, ERR_NEWER_FORMAT,
			"event type '" STR_FMT
			"' is not known to pawl " PAWL_VERSION,
			STR_ARG(word));
	}
	kind = &event_kinds[e.type];
	if ((kind->about != ABOUT_RUN && e.node.len == 0) ||
		(kind->about == ABOUT_ATTEMPT && e.attempt.len == 0))
		return pawl_fail(err, ERR_CORRUPT,
			"event '" STR_FMT "' names no node or no attempt",
			STR_ARG(word));
	rc = data_read(kind, data, mem, &e, err);
	if (rc != PAWL_OK)
		return rc;
	*ret_event = e;
	return PAWL_OK;
}

static void
member_write(struct json_writer *w, enum event_field f, const struct event *e)
{
	const void *member = (const char *)e + event_fields[f].offset;

	json_key(w, event_fields[f].word);
	switch (event_fields[f].type) {
	case TYPE_STR:
		json_put_str(w, *(const struct str *)member);
		break;
	case TYPE_INT:
		json_put_u64(w, *(const uint64_t *)member);
		break;
	case TYPE_BOOL:
		json_put_bool(w, *(const bool *)member);
		break;
	case TYPE_LIST: {
		const struct strs *list = member;

		json_open(w, '[');
		for (uint32_t i = 0; i < list->count; i++)
			json_put_str(w, list->items[i]);
		json_close(w, ']');
		break;
	}
	}
}

void
event_write(struct json_writer *w, const struct event *e)
{
	const struct event_kind *kind = &event_kinds[e->type];

	assert(kind->about == ABOUT_RUN || e->node.len > 0);
	assert(kind->about != ABOUT_ATTEMPT || e->attempt.len > 0);
	json_open(w, '{');
	json_pair_str(w, STR("type"), event_words[e->type]);
	if (kind->about != ABOUT_RUN)
		json_pair_str(w, STR("node"), e->node);
	if (kind->about == ABOUT_ATTEMPT)
		json_pair_str(w, STR("attempt"), e->attempt);
	json_key(w, STR("data"));
	json_open(w, '{');
	for (uint8_t i = 0; i < kind->count; i++) {
		enum event_field f = event_field_of(kind->fields[i]);

		if (event_has(e, f))
			member_write(w, f, e);
		else
			assert(!is_event_field_required(kind->fields[i]));
	}
	json_close(w, '}');
	json_close(w, '}');
}

void
event_table_write(struct buf *out)
{
	static const char *const about[] = { "run", "node", "attempt" };
	static const char *const types[] = { "", ":int", ":bool", ":list" };

	buf_add(out,
		STR("| type | about | data (`?`: may be absent) |\n"
		    "| --- | --- | --- |\n"));
	for (size_t k = 0; k < EVENT_TYPE_COUNT; k++) {
		const struct event_kind *kind = &event_kinds[k];

		buf_addf(out, "| `" STR_FMT "` | %s |", STR_ARG(event_words[k]),
			about[kind->about]);
		for (uint8_t i = 0; i < kind->count; i++) {
			enum event_field f = event_field_of(kind->fields[i]);

			buf_addf(out, " %s%s%s", event_fields[f].word.ptr,
				types[event_fields[f].type],
				is_event_field_required(kind->fields[i]) ? ""
									 : "?");
		}
		buf_add(out, STR(" |\n"));
	}
}

void
event_list_path(struct arena *mem, struct strs *list, struct str path)
{
	size_t bytes = path.len;

	if (list->items == NULL)
		list->items = arena_array(mem, BOUND_EVENT_PATHS, struct str);
	for (uint32_t i = 0; i < list->count; i++)
		bytes += list->items[i].len;
	if (list->count < BOUND_EVENT_PATHS && bytes <= BOUND_EVENT_PATHS_BYTES)
		list->items[list->count++] = path;
}
