#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "cli/answered.h"
#include "cli/place.h"
#include "cli/who.h"
#include "engine/asking.h"
#include "engine/human.h"
#include "model/confined.h"
#include "model/contract.h"
#include "model/id.h"
#include "model/subject.h"

static const struct cmd_option reason_option[] = {
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = NULL },
};

/* The run of a decision; a ledger's has verbs of its own. */
static enum pawl_rc
open_sound(struct cmd_ctx *ctx, struct run *ret_run, struct str *ret_subject,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		place_open_sound_subject(ctx, ret_run, ret_subject, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND) {
		bool unblocks = strcmp(ctx->cmd->name, "unblock") == 0;

		return pawl_hint(err, "pawl ledger %s %s%s",
			unblocks ? "set" : ctx->cmd->name,
			args_operand(&ctx->args, 0),
			unblocks ? " PENDING --reason TEXT" : "");
	}
	return rc;
}

/* What a human is asked to grant: a gate, or an act that was asked for. */
struct decided {
	bool is_act;
	uint32_t index; /* of the gate, or of the question */
};

/*
 * The gate of that id, or the open one of the node of that id, or the question.
 */
static enum pawl_rc
find_decided(const struct run *r, struct str subject,
	struct decided *ret_decided, struct pawl_err *err)
{
	const struct state *s = &r->state;
	struct subject sub = subject_of(subject);
	uint32_t node, ask = 0, gate = 0;
	bool is_gate = state_find_gate(s, sub.id, &gate);
	bool is_ask = subject_may_be(&sub, SUBJECT_QUESTION) &&
		state_find_ask(s, sub.id, &ask);

	if (!is_gate && subject_may_be(&sub, SUBJECT_NODE) &&
		plan_find(&r->plan, sub.id, &node) &&
		s->nodes[node].gate_1 != 0) {
		is_gate = true;
		gate = s->nodes[node].gate_1 - 1;
	}
	if (is_gate && is_ask)
		return subject_ambiguous(sub.id, SUBJECT_QUESTION, err);
	if (!is_gate && !is_ask)
		return pawl_fail(err, ERR_GATE_NOT_FOUND,
			"run '" STR_FMT "' has no gate '" STR_FMT "'",
			STR_ARG(r->id), STR_ARG(sub.id));
	*ret_decided = (struct decided){ is_ask, is_ask ? ask : gate };
	return PAWL_OK;
}

/* What the decision binds, before it is made. */
static void
show_gate(struct cmd_ctx *ctx, const struct run *r, uint32_t gate)
{
	const struct gate *g = &r->state.gates.items[gate];
	const struct contract *c = &r->plan.nodes[g->node];
	struct contract_view v = contract_of(&r->state, g->node);
	struct out *o = &ctx->out;

	out_data(o, plan_id(&r->plan, g->node));
	out_text(o, "  ");
	out_data(o, plan_title(&r->plan, g->node));
	out_f(o, "\n  access      %s\n  paths       ",
		plan_access_word((enum node_access)c->access));
	for (uint32_t i = 0; i < contract_scopes(&v); i++) {
		struct str path = contract_scope(&v, i);

		out_text(o, i ? ", " : "");
		out_data(o, path.len ? path : STR("."));
	}
	out_text(o, "\n  acceptance  ");
	out_data(o, contract_acceptance(&v, ctx->mem));
	out_text(o, "\n  check       ");
	out_data(o, contract_check(&v, ctx->mem));
	out_text(o, "\n  sandbox     ");
	out_data(o, confined_words(&r->state, ctx->mem));
	out_text(o, "\n  contract    ");
	out_data(o, g->contract_sha256);
	out_text(o, "\n");
}

static enum pawl_rc
act_of(struct cmd_ctx *ctx, struct human_act *ret_act, struct pawl_err *err)
{
	struct human_act act = {
		.by = who_local(ctx),
		.reason = str_from(args_value(&ctx->args, "reason")),
		.key = str_from(ctx->args.key),
		.dry_run = ctx->args.dry_run,
	};

	if (ctx->args.as != NULL && strcmp(ctx->cmd->name, "unblock") != 0) {
		(void)pawl_fail(err, ERR_SELF_APPROVAL,
			"a gate is a human's to decide, and this call is "
			"coordinator '%s'",
			ctx->args.as);
		return pawl_hint(err, "leave out --as and PAWL_AS");
	}
	if (act.reason.len > BOUND_TEXT_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"a reason of %zu bytes is over the limit of %d",
			act.reason.len, BOUND_TEXT_BYTES);
	*ret_act = act;
	return PAWL_OK;
}

static void
answer(struct cmd_ctx *ctx, const struct run *r, struct str subject,
	const char *done, bool again)
{
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_str(&ctx->json, STR("subject"), subject);
		json_pair_str(&ctx->json, STR("decision"), str_from(done));
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(&ctx->json, STR("seq"), r->state.seq);
		return;
	}
	out_f(&ctx->out, "%s%s " STR_FMT "/",
		ctx->args.dry_run ? "would be " : "", done, STR_ARG(r->id));
	out_data(&ctx->out, subject);
	out_text(&ctx->out, again ? ", before, by this key\n" : "\n");
}

/* An act that a worker or the coordinator asks for, granted or denied. */
static enum pawl_rc
decide_act(struct cmd_ctx *ctx, struct run *r, uint32_t ask, bool granted,
	const struct human_act *act, struct pawl_err *err)
{
	const struct ask *q = &r->state.asks.items[ask];
	const char *done = granted ? "granted" : "denied";
	struct asking_answer a = {
		.text = act->reason.len > 0 ? act->reason : str_from(done),
		.by = act->by,
		.assurance = STR("local"),
		.actor = ACTOR_HUMAN,
		.denied = !granted,
		.act = { .key = act->key, .dry_run = act->dry_run },
	};
	bool again = false;
	enum pawl_rc rc = PAWL_OK;

	if (q->kind != ASK_ACT) {
		(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
			"question 'q%u' asks for no act: it wants an answer",
			ask + 1);
		return pawl_hint(err, "pawl answer " STR_FMT "/q%u TEXT",
			STR_ARG(r->id), ask + 1);
	}
	if (!ctx->args.dry_run && q->status == ASK_OPEN) {
		if (!ctx->args.json && who_is_asked(ctx)) {
			out_data(&ctx->out, q->prompt);
			out_text(&ctx->out, "\n");
		}
		rc = who_confirms(ctx, granted ? "approve" : "deny", err);
	}
	r->actor = arena_format(&r->mem, "human:" STR_FMT, STR_ARG(act->by));
	if (rc == PAWL_OK)
		rc = asking_answer(r, ask, &a, &again, err);
	if (rc == PAWL_OK)
		answered_show(ctx, r, ask, done, again);
	return rc;
}

static enum pawl_rc
decide_gate(struct cmd_ctx *ctx, bool granted, struct pawl_err *err)
{
	const char *verb = granted ? "approve" : "deny";
	struct human_act act = { 0 };
	struct run r = { .dir = -1 };
	struct str subject;
	struct decided what = { 0 };
	bool again = false;
	enum pawl_rc rc;

	rc = act_of(ctx, &act, err);
	if (rc == PAWL_OK)
		rc = open_sound(ctx, &r, &subject, err);
	if (rc != PAWL_OK)
		return rc;
	rc = find_decided(&r, subject, &what, err);
	if (rc == PAWL_OK && what.is_act) {
		rc = decide_act(ctx, &r, what.index, granted, &act, err);
		run_close(&r);
		return rc;
	}
	if (rc == PAWL_OK) {
		subject = state_gate_id(&r.state, what.index, ctx->mem);
		if (!ctx->args.json)
			show_gate(ctx, &r, what.index);
		if (!ctx->args.dry_run)
			rc = who_confirms(ctx, verb, err);
	}
	if (rc == PAWL_OK)
		rc = human_decide(&r, what.index, granted, &act, &again, err);
	if (rc == PAWL_OK)
		answer(ctx, &r, subject, granted ? "granted" : "denied", again);
	run_close(&r);
	return rc;
}

static enum pawl_rc
run_approve(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return decide_gate(ctx, true, err);
}

static enum pawl_rc
run_deny(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return decide_gate(ctx, false, err);
}

static enum pawl_rc
run_unblock(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct human_act act;
	struct run r = { .dir = -1 };
	struct str subject;
	uint32_t node;
	bool again = false;
	enum pawl_rc rc;

	rc = act_of(ctx, &act, err);
	if (rc == PAWL_OK)
		rc = open_sound(ctx, &r, &subject, err);
	if (rc != PAWL_OK)
		return rc;
	rc = state_need_node(&r.state, subject, &node, err);
	if (rc == PAWL_OK)
		rc = human_unblock(&r, node, &act, &again, err);
	if (rc == PAWL_OK)
		answer(ctx, &r, subject, "unblocked", again);
	run_close(&r);
	return rc;
}

const struct cmd cmd_approve = {
	.name = "approve",
	.operands = "[RUN/]SUBJECT",
	.summary = "grant what a node waits for",
	.help = "Shows the contract that the gate binds and grants it. At a "
		"terminal\n"
		"the decision is asked for once more. Refused inside a worker. "
		"A question that\n"
		"asks for an act (q1) is granted the same way.",
	.options = reason_option,
	.page = "pawl-approve",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_HUMAN,
	.flags = CMD_MUTATES | CMD_ONLY_RUNS,
	.run = run_approve,
};

const struct cmd cmd_deny = {
	.name = "deny",
	.operands = "[RUN/]SUBJECT",
	.summary = "refuse what a node waits for",
	.help = "The node becomes BLOCKED; 'pawl unblock' opens a new gate. A "
		"question that asks\n"
		"for an act (q1) is denied for --reason: its worker is told, "
		"and the node goes\n"
		"on without the act; a coordinator's own (input_required) "
		"becomes BLOCKED.",
	.options = reason_option,
	.page = "pawl-approve",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_HUMAN,
	.flags = CMD_MUTATES | CMD_ONLY_RUNS,
	.run = run_deny,
};

const struct cmd cmd_unblock = {
	.name = "unblock",
	.operands = "[RUN/]NODE",
	.summary = "let a BLOCKED node go on",
	.help = "Say with --reason what changed; the node may then start "
		"again.",
	.options = reason_option,
	.page = "pawl-approve",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_HUMAN,
	.flags = CMD_MUTATES | CMD_ONLY_RUNS,
	.run = run_unblock,
};
