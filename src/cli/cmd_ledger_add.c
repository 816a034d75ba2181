
#include "base/bounds.h"
#include "cli/hint.h"
#include "cli/input.h"
#include "cli/ledger_door.h"
#include "model/ledger_batch.h"
#include "model/ledger_word.h"

#define CONTRACT_OPTIONS                                                     \
	{ .name = "title", .arg = "TEXT", .help = "what it is, in a line" }, \
		{ .name = "role",                                            \
			.arg = "WORD",                                       \
			.help = "main, explorer, worker, reviewer, tool or " \
				"human" },                                   \
		{ .name = "access",                                          \
			.arg = "WORD",                                       \
			.help = "read-only, workspace-write, "               \
				"external-write, ..." },                     \
		{ .name = "expected",                                        \
			.arg = "TEXT",                                       \
			.help = "the output that is expected of it" },       \
		{ .name = "max-attempts",                                    \
			.arg = "N",                                          \
			.help = "how often it may be tried (2)" },           \
	{                                                                    \
		.name = "depends", .arg = "A,B",                             \
		.help = "what must be PASSED or SKIPPED first"               \
	}

static const struct cmd_option add_options[] = {
	LEDGER_DOOR_OPTIONS,
	CONTRACT_OPTIONS,
	{ .name = "kind",
		.arg = "WORD",
		.help = "scope, explore, execute, verify, review, ..." },
	{ .name = "no-evidence", .help = "it may PASS without evidence" },
	{ .name = "approval", .help = "a human has to approve it first" },
	{ .name = "batch",
		.arg = "FILE",
		.help = "add the nodes of a JSON array ('-': standard input)" },
	{ .name = NULL },
};

static const struct cmd_option repair_options[] = {
	LEDGER_DOOR_OPTIONS,
	CONTRACT_OPTIONS,
	{ .name = "id",
		.arg = "ID",
		.help = "its id, instead of "
			"NODE-repair" },
	{ .name = NULL },
};

static enum pawl_rc
word_option(const struct cmd_ctx *ctx, const char *name,
	enum ledger_vocabulary v, uint32_t *ret_number, struct pawl_err *err)
{
	const char *word = args_value(&ctx->args, name);
	struct hint_change meant = { .option = name };
	uint8_t number;
	enum pawl_rc rc;

	if (word == NULL)
		return PAWL_OK;
	rc = ledger_word_read(v, str_from(word), &number, err);
	if (rc == PAWL_OK) {
		*ret_number = number;
		return PAWL_OK;
	}
	meant.value = ledger_word_nearest(v, str_from(word));
	if (meant.value.len > 0)
		hint_call(ctx, &meant, err);
	return rc;
}

/* The options that `add` and `repair` share. */
static enum pawl_rc
read_contract(
	struct cmd_ctx *ctx, struct ledger_node_wanted *n, struct pawl_err *err)
{
	struct str rest = str_from(args_value(&ctx->args, "depends"));
	struct str *ids = arena_array(ctx->mem, rest.len + 1, struct str);
	uint64_t attempts = (uint64_t)n->max_attempts;
	enum pawl_rc rc;

	n->title = str_from(args_value(&ctx->args, "title"));
	n->expected_output = str_from(args_value(&ctx->args, "expected"));
	n->depends_on = ids;
	while (rest.ptr != NULL && rest.len > 0)
		ids[n->depends_on_count++] = str_trim(str_cut(&rest, ','));
	rc = word_option(ctx, "role", LEDGER_WORDS_ROLE, &n->role, err);
	if (rc == PAWL_OK)
		rc = word_option(
			ctx, "access", LEDGER_WORDS_ACCESS, &n->access, err);
	if (rc == PAWL_OK)
		rc = args_u64(&ctx->args, "max-attempts", 1,
			BOUND_LEDGER_ATTEMPTS, &attempts, err);
	n->max_attempts = (int64_t)attempts;
	return rc;
}

static enum pawl_rc
refuse_untitled(const struct ledger_door *door, struct pawl_err *err)
{
	(void)pawl_fail(err, ERR_USAGE, "a node needs a --title");
	return pawl_hint(
		err, "pawl %s NODE --title TEXT", door->ctx->cmd->name);
}

/* What there is already says what can be added. */
static enum pawl_rc
propose_added(
	struct ledger_door *door, const struct event *e, struct pawl_err *err)
{
	struct command cmd = { .event = *e };
	enum pawl_rc rc = ledger_door_propose(door, &cmd, err);

	if (rc != PAWL_OK && err->code == ERR_UNKNOWN_DEPENDENCY)
		return pawl_hint(err, "pawl ledger show");
	if (rc != PAWL_OK && err->code == ERR_ID_TAKEN)
		return pawl_hint(err, "pawl ledger show --node " STR_FMT,
			STR_ARG(e->node));
	return rc;
}

static enum pawl_rc
propose_node(struct ledger_door *door, const struct ledger_node_wanted *n,
	struct pawl_err *err)
{
	struct event e = ledger_node_event(n, door->ctx->mem);

	return n->title.ptr == NULL ? refuse_untitled(door, err)
				    : propose_added(door, &e, err);
}

static enum pawl_rc
add_one(struct ledger_door *door, struct str id, struct pawl_err *err)
{
	struct ledger_node_wanted n = ledger_node_preset();
	const struct args *args = &door->ctx->args;
	enum pawl_rc rc = read_contract(door->ctx, &n, err);

	n.id = id;
	n.evidence_required = !args_has(args, "no-evidence");
	if (args_has(args, "approval"))
		n.approval = LEDGER_REQUIRED;
	if (rc == PAWL_OK)
		rc = word_option(
			door->ctx, "kind", LEDGER_WORDS_KIND, &n.kind, err);
	return rc == PAWL_OK ? propose_node(door, &n, err) : rc;
}

static enum pawl_rc
add_batch(
	struct ledger_door *door, const struct buf *text, struct pawl_err *err)
{
	struct events events = { 0 };
	enum pawl_rc rc = ledger_batch_read(door->ledger, door->ctx->mem,
		text->data, text->len, &events, err);

	if (rc != PAWL_OK &&
		(err->code == ERR_NOT_JSON ||
			err->code == ERR_INVALID_DOCUMENT))
		rc = pawl_wrap(err, "%s",
			input_name(args_value(&door->ctx->args, "batch")));
	for (size_t i = 0; rc == PAWL_OK && i < events.count; i++)
		rc = propose_added(door, &events.items[i], err);
	events_release(&events);
	return rc;
}

/* Which nodes there are since the ledger had `before` of them. */
static void
answer(struct ledger_door *door, uint32_t before)
{
	const struct ledger *l = door->ledger;
	struct cmd_ctx *ctx = door->ctx;
	struct json_writer *w = &ctx->json;

	if (ctx->args.json) {
		json_pair_str(w, STR("ledger"), door->name);
		json_key(w, STR("added"));
		json_open(w, '[');
		for (uint32_t i = before; i < l->count; i++) {
			const struct ledger_node *n = &l->nodes[i];

			json_open(w, '{');
			json_pair_str(w, STR("node"), n->id);
			json_pair_str(w, STR("status"),
				node_status_word((enum node_status)n->status));
			json_close(w, '}');
		}
		json_close(w, ']');
		json_pair_u64(w, STR("nodes"), l->count);
		json_pair_str(w, STR("run_status"),
			run_status_word((enum run_status)l->status));
		json_pair_bool(w, STR("again"), door->again);
		json_pair_bool(w, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(w, STR("seq"), door->seq);
		return;
	}
	for (uint32_t i = before; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		out_text(
			&ctx->out, ctx->args.dry_run ? "would add " : "added ");
		out_data(&ctx->out, n->id);
		out_f(&ctx->out, "  " STR_FMT "\n",
			STR_ARG(node_status_word((enum node_status)n->status)));
	}
	if (door->again)
		out_text(&ctx->out, "added before, by this key\n");
}

static enum pawl_rc
run_add(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	const char *batch = args_value(&ctx->args, "batch");
	bool has_id = args_operand(&ctx->args, 0) != NULL;
	struct buf text = { 0 };
	struct str id = { 0 };
	uint32_t before = 0;
	enum pawl_rc rc = PAWL_OK;

	if (batch == NULL && !has_id)
		return pawl_fail(
			err, ERR_USAGE, "name the node, or give a --batch");
	/* Who writes it may be slow; the lock isn't held meanwhile. */
	if (batch != NULL) {
		rc = input_read(ctx, batch, BOUND_LEDGER_BYTES, &text, err);
		door.content = buf_str(&text);
	}
	if (rc == PAWL_OK)
		rc = ledger_door_open(
			&door, ctx, DOOR_EDIT, batch == NULL ? &id : NULL, err);
	if (rc != PAWL_OK)
		goto out;
	before = door.ledger->count;
	if (!door.again && batch != NULL)
		rc = add_batch(&door, &text, err);
	else if (!door.again)
		rc = add_one(&door, id, err);
	if (rc == PAWL_OK)
		rc = ledger_door_commit(&door, err);
	if (rc == PAWL_OK)
		answer(&door, before);
out:
	ledger_door_close(&door);
	buf_release(&text);
	return rc;
}

/* The repair of that id has PASSED: what it was for gains it and runs again. */
static enum pawl_rc
gain(struct ledger_door *door, struct str id, struct str repair,
	struct pawl_err *err)
{
	struct command cmds[2];
	enum pawl_rc rc;

	ledger_mend(id, repair, door->ctx->mem, cmds);
	rc = ledger_door_propose(door, &cmds[0], err);
	return rc == PAWL_OK ? ledger_door_propose(door, &cmds[1], err) : rc;
}

/* A repair that waits for what it is to repair would never begin. */
static enum pawl_rc
check_waits(const struct ledger *l, uint32_t failed,
	const struct ledger_node_wanted *n, struct pawl_err *err)
{
	for (uint32_t i = 0; i < n->depends_on_count; i++) {
		struct str id = n->depends_on[i];
		uint32_t at;

		if (!ledger_find(l, id, &at) ||
			(at != failed && !is_ledger_node_behind(l, at, failed)))
			continue;
		return pawl_fail(err, ERR_CYCLE,
			"a repair of '" STR_FMT "' can't wait for '" STR_FMT
			"'%s",
			STR_ARG(l->nodes[failed].id), STR_ARG(id),
			at != failed ? ", which waits for it" : "");
	}
	return PAWL_OK;
}

static enum pawl_rc
repair(struct ledger_door *door, struct str id, bool *ret_gained,
	struct pawl_err *err)
{
	struct ledger_node_wanted n = ledger_node_preset();
	const struct ledger *l = door->ledger;
	const char *named = args_value(&door->ctx->args, "id");
	uint32_t node, known;
	enum pawl_rc rc;

	if (!ledger_find(l, id, &node)) {
		(void)pawl_fail(err, ERR_NODE_NOT_FOUND,
			"ledger '" STR_FMT "' has no node '" STR_FMT "'",
			STR_ARG(l->run_id),
			STR_ARG(str_part(id, 0, BOUND_ID_BYTES)));
		return pawl_hint(err, "pawl ledger show");
	}
	if (l->nodes[node].status != NODE_FAILED) {
		return pawl_fail(err, ERR_STEP_NOT_ALLOWED,
			"'" STR_FMT "' is " STR_FMT
			"; a repair is for a node that FAILED",
			STR_ARG(id),
			STR_ARG(node_status_word(
				(enum node_status)l->nodes[node].status)));
	}
	if (named != NULL && ledger_find(l, str_from(named), &known) &&
		l->nodes[known].kind == LEDGER_REPAIR &&
		args_value(&door->ctx->args, "title") == NULL) {
		*ret_gained = true;
		return gain(door, id, str_from(named), err);
	}
	rc = read_contract(door->ctx, &n, err);
	if (rc == PAWL_OK)
		rc = check_waits(l, node, &n, err);
	n.kind = LEDGER_REPAIR;
	n.id = named != NULL ? str_from(named)
			     : ledger_repair_id(l, node, door->ctx->mem);
	return rc == PAWL_OK ? propose_node(door, &n, err) : rc;
}

static enum pawl_rc
run_repair(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	bool gained = false;
	struct str id;
	uint32_t before;
	enum pawl_rc rc = ledger_door_open(&door, ctx, DOOR_EDIT, &id, err);

	if (rc != PAWL_OK)
		return rc;
	before = door.ledger->count;
	if (!door.again)
		rc = repair(&door, id, &gained, err);
	if (rc == PAWL_OK)
		rc = ledger_door_commit(&door, err);
	if (rc == PAWL_OK)
		answer(&door, before);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("repairs"), id);
		json_pair_bool(&ctx->json, STR("mended"), gained);
	} else if (rc == PAWL_OK && gained) {
		out_data(&ctx->out, id);
		out_text(&ctx->out, "  READY: it is repaired\n");
	}
	ledger_door_close(&door);
	return rc;
}

const struct cmd cmd_ledger_add = {
	.name = "ledger add",
	.operands = "[RUN/]ID|RUN",
	.summary = "add a node to a ledger, or many at once",
	.help = "A node waits for what it --depends on and is READY after "
		"that. A\n"
		"--batch is one step: [{\"id\":\"a\",\"title\":\"A\","
		"\"depends_on\":[\"b\"]},...]\n"
		"in any order, with the fields of the ledger; a cycle or an "
		"unknown\n"
		"dependency refuses all of it.",
	.options = add_options,
	.page = "pawl-ledger",
	.args_min = 0,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES,
	.run = run_add,
};

const struct cmd cmd_ledger_repair = {
	.name = "ledger repair",
	.operands = "[RUN/]NODE",
	.summary = "add the repair of a node that FAILED",
	.help = "A new node of kind repair, NODE-repair, with attempts of its "
		"own.\n"
		"When it has PASSED, NODE depends on it and is READY again, "
		"with one\n"
		"more attempt. Under another --id that takes a second call, "
		"without\n"
		"--title, after it has PASSED.",
	.options = repair_options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES,
	.run = run_repair,
};
