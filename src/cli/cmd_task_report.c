#include "base/bounds.h"
#include "base/sha256.h"
#include "cli/input.h"
#include "cli/place.h"
#include "cli/plumbing.h"
#include "engine/handed.h"
#include "engine/outbox.h"
#include "engine/quarantine.h"
#include "model/delegation.h"
#include "model/id.h"
#include "model/scope.h"

/* What is longer is left to the coordinator. */
enum { CAPSULE_BYTES_MAX = 1 << 20 };

static const struct cmd_option report_options[] = {
	{ .name = "attempt",
		.arg = "ID",
		.help = "whose result it is (default: $PAWL_ATTEMPT)" },
	{ .name = "task",
		.arg = "NODE",
		.help = "of a delegation: its task (default: $PAWL_NODE)" },
	{ .name = "result",
		.arg = "FILE",
		.help = "the result; - is standard input" },
	{ .name = "outbox",
		.arg = "DIR",
		.help = "the attempt's outbox (default: $PAWL_OUTBOX)" },
	{ .name = NULL },
};

static const struct cmd_option quarantine_options[] = {
	{ .name = "candidate",
		.arg = "FILE",
		.help = "the malformed result, in the attempt's outbox" },
	{ .name = NULL },
};

/* The option's value, or the variable's; one of them must say something. */
static enum pawl_rc
given(const struct cmd_ctx *ctx, const char *option, const char *otherwise,
	const char **ret_value, struct pawl_err *err)
{
	const char *value = args_value(&ctx->args, option);

	*ret_value = value != NULL ? value : otherwise;
	if (*ret_value != NULL && (*ret_value)[0] != '\0')
		return PAWL_OK;
	(void)pawl_fail(err, ERR_INVALID_ARGUMENT, "'pawl %s' needs --%s",
		ctx->cmd->name, option);
	err->field = str_from(option);
	return err->rc;
}

/* Nobody hands in for another worker. */
static enum pawl_rc
is_worker_of(
	const struct cmd_ctx *ctx, const char *attempt, struct pawl_err *err)
{
	const char *worker = ctx->env->worker;

	if (worker == NULL || str_eq(str_from(worker), str_from(attempt)))
		return PAWL_OK;
	return pawl_fail(err, ERR_WORKER_CONTEXT,
		"this is the worker of '%s', not of '%s'", worker, attempt);
}

/* `NODE@N`, the node that it names included; or a delegation. */
static enum pawl_rc
attempt_read(
	struct cmd_ctx *ctx, struct result_of *ret_of, struct pawl_err *err)
{
	const char *text, *node = NULL;
	struct str rest;
	enum pawl_rc rc = given(ctx, "attempt", ctx->env->worker, &text, err);

	if (rc != PAWL_OK)
		return rc;
	/* Of a delegation the task is its attempt's. */
	if (is_delegation_id(str_from(text))) {
		rc = given(ctx, "task", ctx->env->node, &node, err);
		*ret_of = (struct result_of){ str_from(node), str_from(text) };
		return rc == PAWL_OK ? is_worker_of(ctx, text, err) : rc;
	}
	rest = str_from(text);
	*ret_of = (struct result_of){ .attempt_id = rest };
	ret_of->task_id = str_cut(&rest, ID_ATTEMPT);
	rc = id_check(ret_of->task_id, err);
	if (rc == PAWL_OK && rest.len == 0)
		rc = pawl_fail(err, ERR_INVALID_ID,
			"'%s' is no attempt: NODE@NUMBER", text);
	return rc == PAWL_OK ? is_worker_of(ctx, text, err) : rc;
}

/* A word in the outbox says that its attempt has ended. */
static enum pawl_rc
must_be_open(
	struct cmd_ctx *ctx, int dir, struct str attempt, struct pawl_err *err)
{
	struct buf word = { 0 };
	bool closed = false;
	enum pawl_rc rc = outbox_take(
		ctx->fs, dir, OUTBOX_CLOSED, 64, &word, &closed, err);

	if (rc == PAWL_OK && closed) {
		rc = pawl_fail(err, ERR_RESULT_CLOSED,
			"attempt '" STR_FMT "' has ended (%s): nothing is"
			" taken any more",
			STR_ARG(attempt), word.data);
	}
	buf_release(&word);
	return rc;
}

static void
delivered(struct cmd_ctx *ctx, struct str attempt, struct str bytes, bool again)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(bytes, hex);
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("delivered"), STR(OUTBOX_REPORT));
		json_pair_str(&ctx->json, STR("attempt"), attempt);
		json_pair_str(&ctx->json, STR("sha256"), str_from(hex));
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		return;
	}
	out_f(&ctx->out, "%sdelivered%s\n",
		ctx->args.dry_run ? "would be " : "", again ? ", before" : "");
}

/* The paths of a capsule, and whether its worker may change them. */
static bool
capsule_scopes(struct cmd_ctx *ctx, struct str attempt, struct strs *ret_scopes,
	bool *ret_writes)
{
	struct buf bytes = { 0 };
	const struct json *doc, *list, *mode, *at;
	struct pawl_err ignored;
	struct strs scopes = { 0 };
	bool known = ctx->env->capsule != NULL &&
		fs_read(ctx->fs, AT_FDCWD, ctx->env->capsule, CAPSULE_BYTES_MAX,
			&bytes, &ignored) == PAWL_OK &&
		json_read(ctx->mem, arena_strdup(ctx->mem, buf_str(&bytes)),
			bytes.len, JSON_STRICT, &doc, &ignored) == PAWL_OK &&
		str_eq(json_str(json_get(doc, STR("attempt"))), attempt);

	buf_release(&bytes);
	if (!known)
		return false;
	/* A delegation's has no contract of its own. */
	list = json_get(doc, STR("scope"));
	list = list != NULL ? list : json_get(doc, STR("paths"));
	mode = json_get(json_get(doc, STR("contract")), STR("mode"));
	mode = mode != NULL ? mode : json_get(doc, STR("mode"));
	if (list == NULL || list->kind != JSON_ARRAY)
		return false;
	scopes.items = arena_array(ctx->mem, list->count, struct str);
	at = json_first(list);
	for (uint32_t i = 0; i < list->count; i++, at += at->span)
		scopes.items[scopes.count++] = scope_unshown(json_str(at));
	*ret_scopes = scopes;
	*ret_writes = str_eq(json_str(mode), STR("write"));
	return true;
}

/* As far as its worker was told; the coordinator knows for sure. */
static enum pawl_rc
within_scope(
	struct cmd_ctx *ctx, const struct result *result, struct pawl_err *err)
{
	struct strs scopes;
	bool writes;

	return capsule_scopes(ctx, result->attempt_id, &scopes, &writes)
		? result_within(result, scopes, writes, ctx->mem, err)
		: PAWL_OK;
}

static enum pawl_rc
run_report(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = NULL, *file = NULL;
	struct buf bytes = { 0 };
	struct result_of of = { 0 };
	struct result result;
	bool again = false;
	int dir = -1;
	enum pawl_rc rc = attempt_read(ctx, &of, err);

	if (rc == PAWL_OK)
		rc = given(ctx, "result", NULL, &file, err);
	if (rc == PAWL_OK)
		rc = given(ctx, "outbox", ctx->env->outbox, &path, err);
	if (rc == PAWL_OK)
		rc = input_read(ctx, file, BOUND_RESULT_BYTES, &bytes, err);
	/* What the coordinator would refuse is refused here. */
	if (rc == PAWL_OK)
		rc = result_read(ctx->mem, buf_str(&bytes), of,
			RESULT_BY_WORKER, &result, err);
	if (rc == PAWL_OK)
		rc = within_scope(ctx, &result, err);
	if (rc == PAWL_OK)
		rc = outbox_open(ctx->fs, path, &dir, err);
	if (rc == PAWL_OK)
		rc = must_be_open(ctx, dir, of.attempt_id, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = outbox_put(ctx->fs, dir, OUTBOX_REPORT, buf_str(&bytes),
			&again, err);
	if (rc == PAWL_OK)
		delivered(ctx, of.attempt_id, buf_str(&bytes), again);
	fs_close(ctx->fs, &dir);
	buf_release(&bytes);
	return rc;
}

static void
set_aside(
	struct cmd_ctx *ctx, const struct run *r, uint32_t attempt, bool again)
{
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct str id = state_attempt_id(&r->state, attempt, ctx->mem);

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_str(&ctx->json, STR("attempt"), id);
		json_pair_str(&ctx->json, STR("sha256"), a->quarantined_sha256);
		json_pair_str(&ctx->json, STR("receipt"),
			arena_format(ctx->mem,
				"artifacts/quarantine/" STR_FMT ".json",
				STR_ARG(id)));
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_u64(&ctx->json, STR("seq"), r->state.seq);
		return;
	}
	out_data(&ctx->out, id);
	out_f(&ctx->out, "  quarantined%s\n", again ? ", before" : "");
}

static enum pawl_rc
rehearse(struct cmd_ctx *ctx, struct run *r, uint32_t attempt, struct str key,
	struct pawl_err *err)
{
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct command cmd = run_command(r, EV_RESULT_QUARANTINED,
		plan_id(&r->plan, a->node),
		state_attempt_id(&r->state, attempt, ctx->mem));
	enum pawl_rc rc;

	EVENT_SET(&cmd.event, F_KEY, key, key);
	rc = decide(&r->state, &cmd, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_bool(&ctx->json, STR("dry_run"), true);
		return rc;
	}
	out_text(&ctx->out, "would be quarantined, if it is malformed\n");
	return rc;
}

static enum pawl_rc
run_quarantine(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str key = str_from(ctx->args.key);
	struct plumbing pl = PLUMBING_NONE;
	const char *candidate = NULL;
	struct str subject;
	uint32_t attempt = 0;
	bool again = false;
	enum pawl_rc rc =
		place_open_coordinated_subject(ctx, &pl.run, &subject, err);

	if (rc == PAWL_OK)
		rc = given(ctx, "candidate", NULL, &candidate, err);
	if (rc == PAWL_OK && key.len == 0)
		rc = pawl_fail(
			err, ERR_USAGE, "'pawl task quarantine' needs --key");
	if (rc == PAWL_OK)
		rc = plumb_attempt(&pl.run, subject, &attempt, err);
	if (rc == PAWL_OK && ctx->args.dry_run) {
		rc = rehearse(ctx, &pl.run, attempt, key, err);
		goto out;
	}
	if (rc == PAWL_OK)
		rc = plumbing_open(ctx, &pl, err);
	if (rc == PAWL_OK)
		rc = quarantine_candidate(
			&pl.pilot, attempt, candidate, key, &again, err);
	if (rc == PAWL_OK)
		set_aside(ctx, &pl.run, attempt, again);
out:
	plumbing_close(&pl);
	return rc;
}

const struct cmd cmd_task_report = {
	.name = "task report",
	.operands = "",
	.summary = "hand in the result, as the worker of an attempt",
	.help = "Checks the result and puts it, durable, into the attempt's "
		"outbox: no\n"
		"lock, no state folder and no coordinator are needed. It is "
		"written once:\n"
		"the same bytes again are fine, others are kept beside it and "
		"refused. A\n"
		"malformed one is refused with the place, and nothing is "
		"delivered.\n"
		"\n"
		"All of these fields; checks_run names one at least when "
		"files changed:\n"
		"\n"
		"  {\"task_id\":\"API-01\",\"attempt_id\":\"API-01@1\","
		"\"outcome\":\"reported\",\n"
		"   \"summary\":\"Parses dates as RFC 3339 has them.\",\n"
		"   \"files_changed\":[\"src/date.c\"],\"checks_run\":"
		"[\"make test\"],\n"
		"   \"evidence_refs\":[\"file:src/date.c\"]}",
	.options = report_options,
	.page = "pawl-task",
	.aliases = "record-result",
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_WRITES,
	.run = run_report,
};

const struct cmd cmd_task_quarantine = {
	.name = "task quarantine",
	.operands = "[RUN/]ATTEMPT",
	.summary = "set a malformed result aside and close its slot",
	.help = "FILE must be the attempt's own report and no result. Its "
		"bytes are kept by\n"
		"digest with a receipt, the attempt ends as quarantined, and "
		"nothing more is\n"
		"taken from it. The same --key again comes to the same end; "
		"another, or other\n"
		"bytes, is a conflict. 'task sync' does the same by itself.",
	.options = quarantine_options,
	.page = "pawl-task",
	.aliases = "quarantine-result",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_quarantine,
};
