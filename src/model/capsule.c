#include "model/capsule.h"

#include "model/contract.h"

const struct str capsule_policy = {
#define POLICY                                                                \
	"Make no new test suite and no supplemental Markdown file. Reuse or " \
	"extend an existing artifact first. Add at most one focused "         \
	"regression test for a reproducible defect, and only when the "       \
	"acceptance, a security or data-integrity invariant or a public "     \
	"contract asks for it. Write no tests for constants, trivial "        \
	"passthroughs, type guarantees, implementation details or behaviour " \
	"that left the scope. Keep no status logs, duplicate plans or "       \
	"narrative check reports: the receipts and the result are the "       \
	"evidence. Run the declared check first; validate more widely only "  \
	"for broad or high-risk changes."
	POLICY, sizeof(POLICY) - 1
#undef POLICY
};

static struct contract_view
view_of(const struct state *s, const struct capsule_facts *f)
{
	struct contract_view v = contract_of(s, f->node);

	if (f->scope != NULL)
		v.scope = f->scope;
	return v;
}

static void
scopes_write(struct json_writer *w, const struct contract_view *v)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < contract_scopes(v); i++) {
		struct str scope = contract_scope(v, i);

		json_put_str(w, scope.len ? scope : STR("."));
	}
	json_close(w, ']');
}

/* What the node's dependencies left: their grade, report and commit. */
static void
dependencies_write(struct json_writer *w, const struct state *s, uint32_t node)
{
	const struct contract *c = &s->plan->nodes[node];

	json_open(w, '[');
	for (uint32_t i = 0; i < c->depends_count; i++) {
		uint32_t dep = s->plan->depends[c->depends_at + i];
		const struct attempt *a = state_last_attempt(s, dep);

		json_open(w, '{');
		json_pair_str(w, STR("node"), plan_id(s->plan, dep));
		json_pair_str(w, STR("status"),
			node_status_word(s->nodes[dep].status));
		if (a != NULL && a->report_sha256.len > 0)
			json_pair_str(
				w, STR("report_sha256"), a->report_sha256);
		if (a != NULL && a->commit.len > 0)
			json_pair_str(w, STR("commit"), a->commit);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
contract_put(
	struct json_writer *w, const struct contract_view *v, struct arena *mem)
{
	struct buf json = { 0 };

	contract_json(v, mem, &json);
	json_put_raw(w, buf_str(&json));
	buf_release(&json);
}

static void
repair_write(struct json_writer *w, const struct capsule_facts *f)
{
	json_key(w, STR("repair"));
	json_open(w, '{');
	json_pair_str(w, STR("hypothesis"), f->hypothesis);
	json_pair_str(w, STR("check_ended"), f->failed_check);
	json_pair_str(w, STR("check_output_tail"), f->failed_tail);
	if (f->confined.len > 0)
		json_pair_str(w, STR("note"), f->confined);
	json_close(w, '}');
}

/* Was it answered about this node before the attempt was reserved? */
static bool
is_answer_for(const struct ask *q, const struct capsule_facts *f)
{
	return q->node == f->node && is_ask_answered(q) &&
		(f->seq_reserved == 0 || q->seq_answered < f->seq_reserved);
}

static bool
has_answers(const struct state *s, const struct capsule_facts *f)
{
	const struct ask *q;

	VEC_EACH (q, &s->asks) {
		if (is_answer_for(q, f))
			return true;
	}
	return false;
}

static void
answers_write(struct json_writer *w, const struct state *s,
	const struct capsule_facts *f)
{
	const struct ask *q;

	json_key(w, STR("answers"));
	json_open(w, '[');
	VEC_EACH (q, &s->asks) {
		if (!is_answer_for(q, f))
			continue;
		json_open(w, '{');
		json_pair_str(w, STR("kind"), ask_kind_word(q->kind));
		json_pair_str(w, STR("prompt"), q->prompt);
		if (q->status == ASK_DENIED)
			json_pair_bool(w, STR("denied"), true);
		json_pair_str(w, STR("answer"), q->answer);
		json_pair_str(w, STR("by"), q->answered_by);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
capsule_write(struct json_writer *w, const struct state *s,
	const struct capsule_facts *f, struct arena *mem)
{
	struct contract_view v = view_of(s, f);
	struct str id = plan_id(s->plan, f->node);

	json_open(w, '{');
	json_pair_u64(w, STR("capsule_version"), 2);
	json_pair_str(w, STR("run"), s->run.run);
	json_pair_str(w, STR("node"), id);
	json_pair_str(w, STR("attempt"),
		arena_format(mem, STR_FMT "@%u", STR_ARG(id), f->number));
	json_key(w, STR("contract"));
	contract_put(w, &v, mem);
	json_pair_str(w, STR("contract_sha256"), contract_sha256(&v, mem));
	json_key(w, STR("scope"));
	scopes_write(w, &v);
	json_pair_str(w, STR("scope_sha256"), contract_scope_sha256(&v, mem));
	json_pair_str(w, STR("base"), f->base);
	json_pair_str(w, STR("workspace"), f->workspace);
	json_key(w, STR("dependencies"));
	dependencies_write(w, s, f->node);
	if (f->hypothesis.len > 0)
		repair_write(w, f);
	if (has_answers(s, f))
		answers_write(w, s, f);
	if (f->context != NULL) {
		json_key(w, STR("context"));
		context_write(w, f->context);
	}
	json_pair_str(w, STR("artifact_policy"), STR("minimal-by-default-v1"));
	json_pair_str(w, STR("artifact_policy_text"), capsule_policy);
	json_pair_str(w, STR("report"),
		arena_format(mem, STR_FMT "/report.json", STR_ARG(f->outbox)));
	json_pair_str(w, STR("report_command"),
		STR("pawl task report --result FILE"));
	json_pair_u64(w, STR("deadline_ms"), f->deadline_ms);
	json_close(w, '}');
}

static void
prompt_scopes(struct buf *out, const struct contract_view *v)
{
	for (uint32_t i = 0; i < contract_scopes(v); i++) {
		struct str scope = contract_scope(v, i);

		buf_addf(out, "%s" STR_FMT, i ? ", " : "",
			STR_ARG(scope.len ? scope : STR(".")));
	}
}

static void
prompt_answers(
	struct buf *out, const struct state *s, const struct capsule_facts *f)
{
	const struct ask *q;

	buf_add(out, STR("\n# What was asked before, and the answers\n"));
	VEC_EACH (q, &s->asks) {
		if (!is_answer_for(q, f))
			continue;
		buf_addc(out, '\n');
		buf_add(out, q->prompt);
		buf_add(out,
			q->status == ASK_DENIED ? STR("\nDenied: ")
						: STR("\nAnswer: "));
		buf_add(out, q->answer);
		buf_addc(out, '\n');
	}
}

void
capsule_prompt(struct buf *out, const struct state *s,
	const struct capsule_facts *f, struct arena *mem)
{
	struct contract_view v = view_of(s, f);
	const struct plan *p = s->plan;
	bool writes = p->nodes[f->node].mode == MODE_WRITE;
	struct str context = plan_context(p, f->node, mem);

	buf_addf(out, "# Task " STR_FMT ": " STR_FMT "\n\n",
		STR_ARG(plan_id(p, f->node)), STR_ARG(plan_title(p, f->node)));
	buf_addf(out, "Acceptance: " STR_FMT "\n",
		STR_ARG(contract_acceptance(&v, mem)));
	if (context.len > 0)
		buf_addf(out, "Context: " STR_FMT "\n", STR_ARG(context));
	buf_add(out, writes ? STR("You may change: ") : STR("You look at: "));
	prompt_scopes(out, &v);
	buf_add(out,
		writes ? STR(". Nothing else may change.\n")
		       : STR(". Change no file.\n"));
	buf_addf(out, "Check: " STR_FMT "\n", STR_ARG(contract_check(&v, mem)));
	buf_addf(out,
		"Attempt %u. Work in the current directory. Git is for reading"
		" only: commit nothing.\n",
		f->number);
	if (f->hypothesis.len > 0) {
		buf_addf(out,
			"\n# The last attempt was rejected\n\n" STR_FMT "\n",
			STR_ARG(f->hypothesis));
		if (f->failed_tail.len > 0) {
			buf_addf(out,
				"\nThe check ended with %.*s. Its output "
				"ended so:\n\n",
				STR_ARG(f->failed_check));
		}
		buf_add(out, f->failed_tail);
		buf_add(out, STR("\n"));
		if (f->confined.len > 0)
			buf_addf(out, "Note: " STR_FMT ".\n",
				STR_ARG(f->confined));
	}
	if (has_answers(s, f))
		prompt_answers(out, s, f);
	if (f->context != NULL)
		context_prompt(out, f->context);
	buf_addf(out, "\n# Artifact policy\n\n" STR_FMT "\n",
		STR_ARG(capsule_policy));
	buf_addf(out,
		"\nWhen you are done, exit with status 0. To say more, write a"
		" result to " STR_FMT "/report.json.\n",
		STR_ARG(f->outbox));
}
