/*
 * judge_document KIND: one document a line on stdin, `1` (of a good shape) or
 * `0` a line on stdout, for the documents that are read by a table of fields.
 * The rules that no schema can say don't count: what a question is of is read
 * from it, and of an intake and a decision only the shape is judged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "model/agent_view.h"
#include "model/ask_doc.h"
#include "model/decision.h"
#include "model/decision_amend.h"
#include "model/delegation_doc.h"
#include "model/finding_doc.h"
#include "model/intake.h"
#include "model/learn_candidate.h"
#include "model/view_request.h"

typedef enum pawl_rc judge_fn(
	struct arena *mem, struct str line, struct pawl_err *err);

static enum pawl_rc
table_judge(const struct field_table *table, struct arena *mem, struct str line,
	struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DOCUMENT };
	enum pawl_rc rc =
		fields_parse(&doc, "document", line, BOUND_LIST_BYTES, err);

	return rc == PAWL_OK
		? fields_read(&doc, table, arena_bytes(mem, table->size), err)
		: rc;
}

static enum pawl_rc
agent_view_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct agent_view view;

	return agent_view_read(mem, line, &view, err);
}

static enum pawl_rc
amendment_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct decision_change change;

	return decision_change_read(mem, line, &change, err);
}

static enum pawl_rc
answers_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	return table_judge(&intake_answers_table, mem, line, err);
}

static enum pawl_rc
candidate_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct learn_candidate candidate;

	return learn_candidate_read(mem, line, &candidate, err);
}

static enum pawl_rc
decision_shape_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct decision_findings found;
	struct decision_doc d;
	enum pawl_rc rc = decision_judge(
		NULL, arena_strdup(mem, line), line.len, mem, &d, &found, err);

	for (uint32_t i = 0; rc == PAWL_OK && i < found.count; i++) {
		if (found.items[i].rule < DECISION_DUPLICATE_VALUE)
			rc = pawl_fail(err, ERR_INVALID_DECISION, STR_FMT,
				STR_ARG(found.items[i].message));
	}
	return rc == PAWL_OK && !found.read ? PAWL_ENO : rc;
}

static enum pawl_rc
finding_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct finding_doc finding;

	return finding_doc_read(mem, line, &finding, err);
}

static enum pawl_rc
intent_of_delegation_judge(
	struct arena *mem, struct str line, struct pawl_err *err)
{
	struct delegation_intent intent;
	const struct json *json;
	enum pawl_rc rc = json_read(mem, arena_strdup(mem, line), line.len,
		JSON_STRICT, &json, err);

	if (rc != PAWL_OK)
		return rc;
	rc = delegation_intent_read(mem, line,
		json_str(json_get(json, STR("attempt_id"))), &intent, err);
	/* Which paths are paths no pattern says. */
	return rc != PAWL_OK && err->code == ERR_INVALID_PATH ? PAWL_OK : rc;
}

static enum pawl_rc
question_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	const struct json *json;
	struct ask_doc ask;
	enum pawl_rc rc = json_read(mem, arena_strdup(mem, line), line.len,
		JSON_STRICT, &json, err);

	return rc == PAWL_OK
		? ask_doc_read(mem, line,
			  json_str(json_get(json, STR("attempt_id"))), &ask,
			  err)
		: rc;
}

static enum pawl_rc
record_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct learn_record record;

	return learn_record_read(mem, line, &record, err);
}

static enum pawl_rc
request_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	struct view_request request;

	return view_request_read(mem, line, &request, err);
}

static enum pawl_rc
signals_judge(struct arena *mem, struct str line, struct pawl_err *err)
{
	return table_judge(&intake_signals_table, mem, line, err);
}

static const struct {
	const char *kind;
	judge_fn *judge;
} kinds[] = {
	{ "agent-graph-view", agent_view_judge },
	{ "decision-amendment", amendment_judge },
	{ "delegation-intent", intent_of_delegation_judge },
	{ "finding", finding_judge },
	{ "intake-answers", answers_judge },
	{ "intake-signals", signals_judge },
	{ "learning-candidate", candidate_judge },
	{ "learning-record", record_judge },
	{ "process-decision", decision_shape_judge },
	{ "question", question_judge },
	{ "view-request", request_judge },
};

static void
judge_all(judge_fn *judge)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };

		if (line[len - 1] == '\n')
			len--;
		(void)puts(judge(&mem, (struct str){ line, (size_t)len },
				   &err) == PAWL_OK
				? "1"
				: "0");
		arena_reset(&mem);
	}
	free(line);
}

int
main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (argc == 2 && strcmp(argv[1], kinds[i].kind) == 0) {
			judge_all(kinds[i].judge);
			return 0;
		}
	}
	return 2;
}
