#include <unistd.h>

#include "base/bounds.h"
#include "cli/hint.h"
#include "cli/input.h"
#include "cli/ledger_door.h"
#include "cli/who.h"
#include "engine/evidence.h"
#include "engine/file.h"
#include "model/ledger_word.h"
#include "store/artifact.h"

#define REASON                                    \
	{                                         \
		.name = "reason", .arg = "TEXT",  \
		.help = "why; a journal keeps it" \
	}

static const struct cmd_option set_options[] = {
	LEDGER_DOOR_OPTIONS,
	REASON,
	{ .name = "evidence",
		.arg = "REF",
		.help = "add it first, in the same step",
		.repeatable = true },
	{ .name = NULL },
};

static const struct cmd_option evidence_options[] = {
	LEDGER_DOOR_OPTIONS,
	{ .name = "from",
		.arg = "FILE",
		.help = "keep the bytes of FILE beside the ledger" },
	{ .name = NULL },
};

static const struct cmd_option decide_options[] = {
	LEDGER_DOOR_OPTIONS,
	REASON,
	{ .name = NULL },
};

/* The node of that id, to look at; what isn't there is refused later. */
static const struct ledger_node *
node_of(const struct ledger_door *door, struct str id)
{
	uint32_t node;

	return ledger_find(door->ledger, id, &node) ? &door->ledger->nodes[node]
						    : NULL;
}

/* Where references of the node are looked up. */
static enum pawl_rc
scope_of(struct ledger_door *door, struct str id, struct evidence_scope *ret,
	struct pawl_err *err)
{
	const struct ledger_node *n = node_of(door, id);
	struct cmd_ctx *ctx = door->ctx;
	enum pawl_rc rc = ledger_door_look(door, err);

	if (rc != PAWL_OK)
		return rc;
	*ret = (struct evidence_scope){ .fs = ctx->fs,
		.mem = ctx->mem,
		.repo = door->has_repo ? &door->repo : NULL,
		.top = door->has_repo ? door->repo.top : NULL,
		.base = door->base };
	if (ret->top == NULL && door->base >= 0) {
		ret->top = file_real_path(
			arena_format(ctx->mem, "/proc/self/fd/%d", door->base)
				.ptr,
			ctx->mem);
	}
	if (ret->top == NULL)
		return pawl_fail_sys(err, ERR_IO,
			"could not tell where the ledger's folder is");
	if (n != NULL && n->attempt > 0 && door->attempts != NULL)
		ret->began_ns = evidence_attempt_began(
			ctx->fs, door->base, door->attempts, id, n->attempt);
	return PAWL_OK;
}

static enum pawl_rc
propose_evidence(struct ledger_door *door, struct str id, struct str *refs,
	uint32_t count, struct pawl_err *err)
{
	struct command cmd = { .event = { .type = EV_EVIDENCE_ADDED,
				       .node = id } };
	struct evidence_scope scope;
	enum pawl_rc rc = scope_of(door, id, &scope, err);

	for (uint32_t i = 0; rc == PAWL_OK && i < count; i++)
		rc = evidence_check(&scope, refs[i], err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(&cmd.event, F_EVIDENCE, evidence,
		((struct strs){ refs, count }));
	return ledger_door_propose(door, &cmd, err);
}

static enum pawl_rc
propose_step(struct ledger_door *door, struct str id, struct str status,
	struct str reason, struct pawl_err *err)
{
	struct command cmd = { .event = { .type = EV_NODE_MOVED, .node = id } };
	const struct ledger_node *n = node_of(door, id);
	bool decides = n != NULL &&
		(n->status == NODE_BLOCKED || n->status == NODE_NEEDS_APPROVAL);

	EVENT_SET(&cmd.event, F_STATUS, status, status);
	if (reason.ptr != NULL) {
		EVENT_SET(&cmd.event, F_REASON, reason, reason);
	}
	/* What only a human may do, a human does outside of a worker. */
	if (decides && door->ctx->env->worker == NULL)
		cmd.actor = ACTOR_HUMAN;
	if (decides || str_eq(status, STR("SKIPPED"))) {
		EVENT_SET(&cmd.event, F_BY, by, who_local(door->ctx));
	}
	return ledger_door_propose(door, &cmd, err);
}

/*
 * A repair that PASSED lets the node run again that it was for.  That it PASSED
 * is true all the same where the node may not: it then stays FAILED.
 */
static enum pawl_rc
propose_mended(struct ledger_door *door, struct str id, struct str *ret_mended,
	struct pawl_err *err)
{
	const struct ledger *l = door->ledger;
	struct pawl_err why = { 0 };
	struct command cmds[2];
	uint32_t repair, failed;
	struct str mended;
	enum pawl_rc rc;

	if (!ledger_find(l, id, &repair) || !ledger_mends(l, repair, &failed))
		return PAWL_OK;
	mended = l->nodes[failed].id;
	ledger_mend(mended, id, door->ctx->mem, cmds);
	for (int i = 0; i < 2; i++) {
		if (ledger_decide(l, &cmds[i], &why) == PAWL_OK)
			continue;
		cmd_notice(door->ctx, "'" STR_FMT "' stays FAILED: %s",
			STR_ARG(mended), why.msg);
		return PAWL_OK;
	}
	rc = ledger_door_propose(door, &cmds[0], err);
	if (rc == PAWL_OK)
		rc = ledger_door_propose(door, &cmds[1], err);
	if (rc == PAWL_OK)
		*ret_mended = mended;
	return rc;
}

/* "a RUNNING (attempt 1 of 2) in NAME", and what the run is now. */
static void
answer(struct ledger_door *door, struct str id)
{
	const struct ledger_node *n = node_of(door, id);
	struct cmd_ctx *ctx = door->ctx;
	struct str run = run_status_word((enum run_status)door->ledger->status);

	if (ctx->args.json) {
		struct json_writer *w = &ctx->json;

		json_pair_str(w, STR("ledger"), door->name);
		json_pair_str(w, STR("node"), id);
		json_pair_str(w, STR("status"),
			node_status_word((enum node_status)n->status));
		json_pair_u64(w, STR("attempt"), n->attempt);
		json_pair_u64(w, STR("max_attempts"), n->max_attempts);
		json_pair_u64(w, STR("evidence"), n->evidence_count);
		json_pair_str(w, STR("approval"),
			ledger_approval_word(
				(enum ledger_approval)n->approval));
		json_pair_str(w, STR("run_status"), run);
		json_pair_bool(w, STR("again"), door->again);
		json_pair_bool(w, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(w, STR("seq"), door->seq);
		return;
	}
	out_text(&ctx->out, ctx->args.dry_run ? "would be: " : "");
	out_data(&ctx->out, id);
	out_f(&ctx->out, "  " STR_FMT "  attempt %u of %u, %u evidence%s  (",
		STR_ARG(node_status_word((enum node_status)n->status)),
		n->attempt, n->max_attempts, n->evidence_count,
		door->again ? ", done before by this key" : "");
	out_data(&ctx->out, door->name);
	out_f(&ctx->out, " " STR_FMT ")\n", STR_ARG(run));
}

static void
answer_mended(
	struct cmd_ctx *ctx, const struct ledger_door *door, struct str mended)
{
	const struct ledger_node *n = node_of(door, mended);

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("mended"), mended);
		return;
	}
	out_data(&ctx->out, mended);
	out_f(&ctx->out, "  " STR_FMT "  attempt %u of %u: it is repaired\n",
		STR_ARG(node_status_word((enum node_status)n->status)),
		n->attempt, n->max_attempts);
}

/* A word that is nearly one is shown in the call that was meant. */
static enum pawl_rc
check_status(const struct cmd_ctx *ctx, struct str word, struct pawl_err *err)
{
	struct hint_change meant = { .status = ledger_word_nearest(
					     LEDGER_WORDS_STATUS, word) };
	uint8_t unused;
	enum pawl_rc rc =
		ledger_word_read(LEDGER_WORDS_STATUS, word, &unused, err);

	if (rc != PAWL_OK && meant.status.len > 0)
		hint_call(ctx, &meant, err);
	return rc;
}

static enum pawl_rc
set_node(struct ledger_door *door, struct str id, struct str *ret_mended,
	struct pawl_err *err)
{
	const struct args *args = &door->ctx->args;
	struct str status = str_from(args_operand(args, 1));
	struct str refs[BOUND_LEDGER_EVIDENCE];
	const struct ledger_node *n;
	uint32_t count = 0;
	const char *ref;
	enum pawl_rc rc;

	while ((ref = args_value_at(args, "evidence", count)) != NULL) {
		if (count == BOUND_LEDGER_EVIDENCE)
			return pawl_fail(err, ERR_LIMIT,
				"more references than the limit of %d",
				BOUND_LEDGER_EVIDENCE);
		refs[count++] = str_from(ref);
	}
	rc = check_status(door->ctx, status, err);
	if (rc == PAWL_OK && count > 0)
		rc = propose_evidence(door, id, refs, count, err);
	if (rc == PAWL_OK)
		rc = propose_step(door, id, status,
			str_from(args_value(args, "reason")), err);
	if (rc != PAWL_OK)
		return rc;
	n = node_of(door, id);
	if (n->status == NODE_RUNNING && door->attempts != NULL &&
		door->writes && door->base >= 0)
		evidence_attempt_begins(door->ctx->fs, door->base,
			door->attempts, id, n->attempt);
	return n->status == NODE_PASSED
		? propose_mended(door, id, ret_mended, err)
		: PAWL_OK;
}

static enum pawl_rc
run_set(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct str id, mended = { 0 };
	enum pawl_rc rc = ledger_door_open(&door, ctx, DOOR_EDIT, &id, err);

	if (rc == PAWL_OK && !door.again)
		rc = set_node(&door, id, &mended, err);
	if (rc == PAWL_OK)
		rc = ledger_door_commit(&door, err);
	if (rc == PAWL_OK)
		answer(&door, id);
	if (rc == PAWL_OK && mended.len > 0)
		answer_mended(ctx, &door, mended);
	ledger_door_close(&door);
	return rc;
}

/* What --from names. */
static enum pawl_rc
read_from(const struct cmd_ctx *ctx, const char *path, struct buf *bytes,
	struct pawl_err *err)
{
	enum pawl_rc rc = input_read(ctx, path, EVIDENCE_BYTES_MAX, bytes, err);

	if (rc == PAWL_OK && bytes->len == 0)
		rc = pawl_fail(err, ERR_EVIDENCE_EMPTY,
			"'%s' is empty and proves nothing", path);
	return rc;
}

/* Keep bytes beside the ledger; `ret_ref` names them. */
static enum pawl_rc
keep_bytes(struct ledger_door *door, struct str bytes, struct str *ret_ref,
	struct pawl_err *err)
{
	struct cmd_ctx *ctx = door->ctx;
	char digest[SHA256_HEX + 1];
	enum pawl_rc rc = PAWL_OK;

	if (door->base < 0)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"this ledger has no folder to keep artifacts in");
	if (door->writes)
		rc = artifact_put(ctx->fs, door->base, bytes, digest, err);
	else
		sha256_hex(bytes, digest);
	if (rc == PAWL_OK)
		*ret_ref = arena_format(ctx->mem, "sha256:%s", digest);
	return rc;
}

static enum pawl_rc
add_evidence(struct ledger_door *door, struct str id, struct pawl_err *err)
{
	struct cmd_ctx *ctx = door->ctx;
	const struct arg_words *words = &ctx->args.operands;
	struct str *refs = arena_array(ctx->mem, words->count, struct str);
	struct command kept = { .event = { .type = EV_EVIDENCE_ADDED,
					.node = id } };
	struct str ref;
	enum pawl_rc rc = PAWL_OK;
	uint32_t count = 0;

	for (size_t i = 1; i < words->count; i++)
		refs[count++] = str_from(words->items[i]);
	if (count > 0)
		rc = propose_evidence(door, id, refs, count, err);
	if (rc != PAWL_OK || door->content.ptr == NULL)
		return rc;
	rc = keep_bytes(door, door->content, &ref, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(
		&kept.event, F_EVIDENCE, evidence, ((struct strs){ &ref, 1 }));
	return ledger_door_propose(door, &kept, err);
}

static enum pawl_rc
run_evidence(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *from = args_value(&ctx->args, "from");
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct buf bytes = { 0 };
	struct str id = { 0 };
	enum pawl_rc rc = PAWL_OK;

	if (ctx->args.operands.count == 1 && from == NULL)
		return pawl_fail(err, ERR_USAGE,
			"name what the evidence is, or keep it with --from");
	/* Who writes it may be slow; the lock isn't held meanwhile. */
	if (from != NULL) {
		rc = read_from(ctx, from, &bytes, err);
		door.content = buf_str(&bytes);
	}
	if (rc == PAWL_OK)
		rc = ledger_door_open(&door, ctx, DOOR_EDIT, &id, err);
	if (rc == PAWL_OK && !door.again)
		rc = add_evidence(&door, id, err);
	if (rc == PAWL_OK)
		rc = ledger_door_commit(&door, err);
	if (rc == PAWL_OK)
		answer(&door, id);
	ledger_door_close(&door);
	buf_release(&bytes);
	return rc;
}

/* What is approved, before it is. */
static void
show_gate(struct cmd_ctx *ctx, const struct ledger_door *door, struct str id)
{
	const struct ledger_node *n = node_of(door, id);
	struct out *o = &ctx->out;

	if (n == NULL || ctx->args.json)
		return;
	out_data(o, n->id);
	out_text(o, "  ");
	out_data(o, n->title);
	out_f(o, "\n  kind        " STR_FMT "\n  access      %s\n",
		STR_ARG(ledger_kind_word((enum ledger_kind)n->kind)),
		plan_access_word((enum node_access)n->access));
	out_text(o, "  expected    ");
	out_data(o, n->expected_output);
	out_f(o, "\n  attempt     %u of %u\n", n->attempt, n->max_attempts);
	for (uint32_t i = 0; i < n->evidence_count; i++) {
		out_text(o, "  evidence    ");
		out_data(o, n->evidence[i]);
		out_text(o, "\n");
	}
}

/* All of the node, as text; empty when it isn't there. */
static struct str
text_of(struct ledger_door *door, struct str id)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	struct str kept = STR("");
	uint32_t node;

	if (ledger_find(door->ledger, id, &node)) {
		ledger_node_write(door->ledger, node, &w);
		kept = arena_copy(door->ctx->mem, buf_str(&text));
	}
	buf_release(&text);
	return kept;
}

/*
 * Show it to who sits at the terminal, and ask; `ret_shown` is what was seen.
 * That takes as long as it takes: the lock isn't held.
 */
static enum pawl_rc
ask(struct cmd_ctx *ctx, const char *verb, struct str *ret_shown,
	struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct str id;
	enum pawl_rc rc = ledger_door_open(&door, ctx, DOOR_READ, &id, err);

	if (rc == PAWL_OK) {
		ledger_settle(door.ledger);
		show_gate(ctx, &door, id);
		rc = who_confirms(ctx, verb, err);
	}
	if (rc == PAWL_OK)
		*ret_shown = text_of(&door, id);
	ledger_door_close(&door);
	return rc;
}

/* Is it still what was shown?  Without a terminal it is shown only now. */
static enum pawl_rc
check_shown(struct cmd_ctx *ctx, struct ledger_door *door, struct str id,
	struct str shown, struct pawl_err *err)
{
	ledger_settle(door->ledger);
	if (shown.ptr == NULL)
		show_gate(ctx, door, id);
	else if (!str_eq(text_of(door, id), shown))
		return pawl_fail(err, ERR_APPROVAL_STALE,
			"'" STR_FMT "' has changed since it was shown",
			STR_ARG(id));
	return PAWL_OK;
}

static enum pawl_rc
decide_node(struct cmd_ctx *ctx, bool granted, struct pawl_err *err)
{
	struct command cmd = { .event = { .type = EV_APPROVAL_DECIDED },
		.actor = ACTOR_HUMAN };
	struct str reason = str_from(args_value(&ctx->args, "reason"));
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct str id, shown = { 0 };
	enum pawl_rc rc = PAWL_OK;

	if (who_is_asked(ctx))
		rc = ask(ctx, granted ? "approve" : "deny", &shown, err);
	if (rc == PAWL_OK)
		rc = ledger_door_open(&door, ctx, DOOR_EDIT, &id, err);
	if (rc == PAWL_OK && !door.again)
		rc = check_shown(ctx, &door, id, shown, err);
	if (rc == PAWL_OK && !door.again) {
		cmd.event.node = id;
		EVENT_SET(&cmd.event, F_DECISION, decision,
			granted ? STR("granted") : STR("denied"));
		EVENT_SET(&cmd.event, F_BY, by, who_local(ctx));
		EVENT_SET(&cmd.event, F_ASSURANCE, assurance, STR("local"));
		if (reason.ptr != NULL) {
			EVENT_SET(&cmd.event, F_REASON, reason, reason);
		}
		rc = ledger_door_propose(&door, &cmd, err);
	}
	if (rc == PAWL_OK)
		rc = ledger_door_commit(&door, err);
	if (rc == PAWL_OK)
		answer(&door, id);
	ledger_door_close(&door);
	return rc;
}

static enum pawl_rc
run_approve(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return decide_node(ctx, true, err);
}

static enum pawl_rc
run_deny(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return decide_node(ctx, false, err);
}

const struct cmd cmd_ledger_set = {
	.name = "ledger set",
	.operands = "[RUN/]NODE STATUS",
	.summary = "take a node of a ledger one step on",
	.help = "STATUS is RUNNING, PASSED, FAILED, READY, BLOCKED, SKIPPED, "
		"PENDING or\n"
		"NEEDS_APPROVAL; only the steps of the table of statuses are "
		"taken.\n"
		"READY follows by itself when all that a node depends on has "
		"PASSED.\n"
		"BLOCKED and SKIPPED want a --reason; so does READY after "
		"FAILED, which\n"
		"grants one more attempt. PASSED wants evidence:\n"
		"  pawl ledger set api PASSED --evidence 'make check: exit 0'",
	.options = set_options,
	.page = "pawl-ledger",
	.args_min = 2,
	.args_max = 2,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES,
	.run = run_set,
};

const struct cmd cmd_ledger_evidence = {
	.name = "ledger evidence",
	.operands = "[RUN/]NODE [REF...]",
	.summary = "say what shows that a node's work is done",
	.help = "REF is file:PATH (from the repository's top), commit:OID, "
		"sha256:HEX,\n"
		"check:ID, url:URL, or a sentence. A file must be there, with "
		"bytes in\n"
		"it, and not be older than the attempt; a command must say how "
		"it ended.\n"
		"--from keeps long output in artifacts/ and names it by its "
		"digest.",
	.options = evidence_options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = -1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES,
	.run = run_evidence,
};

const struct cmd cmd_ledger_approve = {
	.name = "ledger approve",
	.operands = "[RUN/]NODE",
	.summary = "grant what a node of a ledger waits for",
	.help = "Shows what is approved; at a terminal the decision is asked "
		"for once\n"
		"more. A grant in mid-work gives one more attempt. Refused "
		"inside a\n"
		"worker.",
	.options = decide_options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_HUMAN,
	.flags = CMD_MUTATES,
	.run = run_approve,
};

const struct cmd cmd_ledger_deny = {
	.name = "ledger deny",
	.operands = "[RUN/]NODE",
	.summary = "refuse what a node of a ledger waits for",
	.help = "The node becomes BLOCKED; 'pawl ledger set NODE PENDING "
		"--reason TEXT'\n"
		"by a human asks again.",
	.options = decide_options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_HUMAN,
	.flags = CMD_MUTATES,
	.run = run_deny,
};
