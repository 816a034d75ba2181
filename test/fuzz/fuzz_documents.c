/*
 * Property, for each kind of document that a table of fields reads: what is
 * taken and written is taken again as the same bytes; a refusal says why; the
 * input's bytes never change.
 *
 * The first byte says the kind, the rest is the document.
 */

#include "fuzz.h"

#include "model/agent_view.h"
#include "model/ask_doc.h"
#include "model/decision.h"
#include "model/decision_amend.h"
#include "model/delegation_doc.h"
#include "model/finding_doc.h"
#include "model/intake.h"
#include "model/learn_candidate.h"
#include "model/view_request.h"

/* Read `text`; what it is as it is written goes to `out`, if it is written. */
typedef enum pawl_rc document_fn(struct arena *mem, struct str text,
	struct buf *out, struct pawl_err *err);

static enum pawl_rc
on_amendment(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct decision_doc d = { .revision = 1 };
	struct decision_change change;
	bool again;
	enum pawl_rc rc = decision_change_read(mem, text, &change, err);

	(void)out;
	if (rc == PAWL_OK) {
		struct buf next = { 0 };

		rc = decision_change_apply(
			&d, &change, mem, &next, &again, err);
		buf_release(&next);
	}
	return rc;
}

static enum pawl_rc
on_answers(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct intake_ambiguity asked[] = { { .id = STR("a") },
		{ .id = STR("b") } };
	struct intake_signals signals = { .ambiguities = asked,
		.ambiguities_count = 2 };

	(void)out;
	return intake_answers_read(mem, text, &signals, err);
}

static enum pawl_rc
on_candidate(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct learn_candidate candidate;
	enum pawl_rc rc = learn_candidate_read(mem, text, &candidate, err);

	if (rc == PAWL_OK)
		learn_candidate_write(&candidate, out);
	return rc;
}

static enum pawl_rc
on_decision(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct decision_findings found;
	struct decision_doc d;
	struct decision decision;
	enum pawl_rc rc = decision_judge(
		NULL, arena_strdup(mem, text), text.len, mem, &d, &found, err);

	(void)out;
	if (rc != PAWL_OK)
		return rc;
	FUZZ_CHECK(found.read || found.violations > 0);
	if (found.violations > 0)
		return decision_findings_fail(&found, "", err);
	decision_of(&d, mem, &decision);
	return PAWL_OK;
}

static enum pawl_rc
on_finding(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct event e = { .type = EV_FINDING_RECORDED };
	struct finding_doc finding;
	enum pawl_rc rc = finding_doc_read(mem, text, &finding, err);

	(void)out;
	if (rc != PAWL_OK)
		return rc;
	FUZZ_CHECK(str_trim(finding.summary).len > 0);
	FUZZ_CHECK(!is_finding_blocking(finding.class) ||
		(finding.file.len > 0 && finding.check_gap.len > 0));
	finding_doc_set(&e, &finding, mem);
	FUZZ_CHECK(e.finding_sha256.len == 64);
	return PAWL_OK;
}

static enum pawl_rc
on_question(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct ask_doc ask;
	enum pawl_rc rc = ask_doc_read(mem, text, STR("A@1"), &ask, err);

	if (rc != PAWL_OK)
		return rc;
	FUZZ_CHECK(str_eq(ask.attempt_id, STR("A@1")));
	return ask_doc_write(&ask, out, err);
}

static enum pawl_rc
on_record(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct learn_record record;
	enum pawl_rc rc = learn_record_read(mem, text, &record, err);

	if (rc == PAWL_OK)
		learn_record_write(&record, out);
	return rc;
}

static enum pawl_rc
on_request(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct view_request request;
	enum pawl_rc rc = view_request_read(mem, text, &request, err);

	if (rc == PAWL_OK)
		view_request_write(&request, out);
	return rc;
}

static enum pawl_rc
on_signals(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	const struct intake_request request = { .sha256 = STR(""),
		.check = STR("make") };
	struct intake_facts facts = { 0 };
	struct intake_signals signals;
	struct intake_result result;
	enum pawl_rc rc = intake_signals_read(mem, text, &signals, err);

	(void)out;
	if (rc == PAWL_OK)
		intake_decide(&request, &signals, &facts, mem, &result);
	return rc;
}

static enum pawl_rc
on_view(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct json_writer w = { .out = out };
	struct agent_view view;
	enum pawl_rc rc = agent_view_read(mem, text, &view, err);

	if (rc == PAWL_OK)
		agent_view_json(&w, &view);
	return rc;
}

static enum pawl_rc
on_intent(struct arena *mem, struct str text, struct buf *out,
	struct pawl_err *err)
{
	struct delegation_intent intent;

	(void)out;
	return delegation_intent_read(mem, text, STR("A@1"), &intent, err);
}

static document_fn *const kinds[] = { on_amendment, on_answers, on_candidate,
	on_decision, on_finding, on_question, on_record, on_request, on_signals,
	on_view, on_intent };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = ARENA_INIT;
	struct buf first = { 0 }, second = { 0 };
	struct pawl_err err = { 0 };
	struct str text = fuzz_str(data, size);
	document_fn *kind;

	if (size == 0)
		return 0;
	kind = kinds[data[0] % (sizeof(kinds) / sizeof(kinds[0]))];
	text = str_part(text, 1, size - 1);
	if (kind(&mem, text, &first, &err) != PAWL_OK) {
		FUZZ_CHECK(err.msg[0] != '\0');
	} else if (first.len > 0) {
		FUZZ_CHECK(
			kind(&mem, buf_str(&first), &second, &err) == PAWL_OK);
		FUZZ_CHECK(str_eq(buf_str(&first), buf_str(&second)));
	}
	buf_release(&first);
	buf_release(&second);
	arena_reset(&mem);
	return 0;
}
