#include "base/bounds.h"
#include "cli/task_verb.h"
#include "engine/appraisal.h"
#include "engine/box.h"
#include "model/next_task.h"

static const struct cmd_option check_options[] = {
	{ .name = "rerun", .help = "run it again; the record before is kept" },
	{ .name = NULL },
};

static const struct cmd_option grade_options[] = {
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = NULL },
};

static const struct cmd_option import_options[] = {
	{ .name = "import-id",
		.arg = "ID",
		.help = "names this import; a retry with it runs nothing" },
	{ .name = "note", .arg = "TEXT", .help = "what is known of the work" },
	{ .name = NULL },
};

/* A text that an option has, within its limit. */
static enum pawl_rc
text_of(const struct cmd_ctx *ctx, const char *option, struct str *ret_text,
	struct pawl_err *err)
{
	struct str text = str_from(args_value(&ctx->args, option));

	if (text.len > BOUND_TEXT_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"--%s of %zu bytes is over the limit of %d", option,
			text.len, BOUND_TEXT_BYTES);
	*ret_text = text;
	return PAWL_OK;
}

/* Would an event about the last attempt of the node be recorded? */
static enum pawl_rc
rehearse(struct task_verb *v, struct command *cmd, uint32_t node,
	struct pawl_err *err)
{
	const struct state *s = &v->run->state;
	uint32_t attempt_1 = s->nodes[node].attempt_1;

	cmd->event.node = plan_id(&v->run->plan, node);
	if (cmd->event.attempt.len == 0 && attempt_1 == 0)
		return pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
			"'" STR_FMT "' has had no attempt",
			STR_ARG(cmd->event.node));
	if (cmd->event.attempt.len == 0)
		cmd->event.attempt =
			state_attempt_id(s, attempt_1 - 1, v->ctx->mem);
	return appraisal_rehearse(v->run, cmd, err);
}

/* How a check ended, with the exit status that says so. */
static enum pawl_rc
tell_check(
	struct task_verb *v, const struct appraisal *got, struct pawl_err *err)
{
	const struct state *s = &v->run->state;
	const struct check *c = &s->checks.items[got->check];
	struct str id = state_check_id(s, got->check, v->ctx->mem);
	struct cmd_ctx *ctx = v->ctx;

	if (ctx->args.json) {
		task_verb_json(v);
		json_pair_str(&ctx->json, STR("attempt"),
			state_attempt_id(s, c->attempt, ctx->mem));
		json_pair_str(&ctx->json, STR("check"), id);
		json_pair_str(
			&ctx->json, STR("verdict"), verdict_word(c->verdict));
		json_pair_str(&ctx->json, STR("ended"), c->ended);
		json_pair_str(&ctx->json, STR("tail"), c->tail);
		json_pair_u64(&ctx->json, STR("duration_ms"), c->duration_ms);
		json_pair_bool(&ctx->json, STR("again"), got->again);
		json_pair_bool(&ctx->json, STR("joined"), got->joined);
	} else {
		out_f(&ctx->out, "check " STR_FMT ": " STR_FMT, STR_ARG(id),
			STR_ARG(verdict_word(c->verdict)));
		if (c->ended.len > 0) {
			out_text(&ctx->out, ", ");
			out_data(&ctx->out, c->ended);
		}
		out_text(&ctx->out, got->again ? ", before\n" : "\n");
	}
	ctx->findings = c->verdict != VERDICT_PASS;
	if (c->verdict == VERDICT_VOID)
		return pawl_fail(err, ERR_CHECK_VOID,
			"check '" STR_FMT "' got no verdict", STR_ARG(id));
	if (c->verdict == VERDICT_FAIL) {
		return pawl_fail(err, ERR_CHECK_FAILED,
			"check '" STR_FMT "' failed: " STR_FMT "%s" STR_FMT,
			STR_ARG(id), STR_ARG(c->ended),
			c->tail.len > 0 ? ": " : "", STR_ARG(c->tail));
	}
	return PAWL_OK;
}

/* The check that was recorded by this line, or the node's last. */
static struct appraisal
check_of_line(const struct state *s, uint32_t node, uint64_t seq)
{
	struct appraisal got = { .again = true };
	const struct attempt *a = state_last_attempt(s, node);

	got.check = a != NULL && a->check_1 > 0 ? a->check_1 - 1 : 0;
	for (uint32_t i = 0; i < s->checks.count; i++) {
		if (s->checks.items[i].seq == seq &&
			s->attempts.items[s->checks.items[i].attempt].node ==
				node)
			got.check = i;
	}
	return got;
}

/* Only what can be told without looking at the world. */
static enum pawl_rc
rehearse_check(struct task_verb *v, uint32_t node, struct pawl_err *err)
{
	struct command cmd =
		run_command(v->run, EV_CHECK_STARTED, STR(""), STR(""));
	const struct state *s = &v->run->state;
	const struct attempt *a = state_last_attempt(s, node);
	enum pawl_rc rc = PAWL_OK;

	if (a != NULL) {
		EVENT_SET(&cmd.event, F_CHECK, check,
			arena_format(v->ctx->mem, STR_FMT "#%u",
				STR_ARG(state_attempt_id(s,
					s->nodes[node].attempt_1 - 1,
					v->ctx->mem)),
				a->checks + 1));
		if (is_red_wanted(s, node))
			EVENT_SET(&cmd.event, F_RED, red, true);
	}
	if (a == NULL || state_running_check(s, a) == NULL)
		rc = rehearse(v, &cmd, node, err);
	if (rc == PAWL_OK && v->ctx->args.json)
		task_verb_json(v);
	else if (rc == PAWL_OK)
		out_f(&v->ctx->out, "would check " STR_FMT "\n",
			STR_ARG(plan_id(&v->run->plan, node)));
	return rc;
}

static enum pawl_rc
check(struct task_verb *v, struct pawl_err *err)
{
	bool rerun = args_has(&v->ctx->args, "rerun");
	struct appraisal got;
	uint64_t seq = 0;
	uint32_t node;
	enum pawl_rc rc = task_verb_node(v, &node, err);

	if (rc == PAWL_OK && v->ctx->args.dry_run)
		return rehearse_check(v, node, err);
	if (rc == PAWL_OK)
		rc = task_verb_ask(v, rerun ? "rerun" : "", &seq, err);
	if (rc == PAWL_OK && seq == 0)
		rc = appraisal_check(v->pilot, node, rerun, &got, err);
	if (rc != PAWL_OK)
		return rc;
	if (seq != 0)
		got = check_of_line(&v->run->state, node, seq);
	return tell_check(v, &got, err);
}

static enum pawl_rc
recover_check(struct task_verb *v, struct pawl_err *err)
{
	struct cmd_ctx *ctx = v->ctx;
	uint32_t count = 0;
	uint64_t seq = 0;
	enum pawl_rc rc = PAWL_OK;

	if (!ctx->args.dry_run) {
		rc = task_verb_ask(v, "", &seq, err);
		if (rc == PAWL_OK && seq == 0)
			rc = appraisal_recover(
				v->pilot, v->subject, &count, err);
	} else {
		const struct check *c;

		VEC_EACH (c, &v->run->state.checks)
			count += c->verdict == VERDICT_NONE;
	}
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		task_verb_json(v);
		json_pair_u64(&ctx->json, STR("recorded"), count);
		json_pair_bool(&ctx->json, STR("again"), seq != 0);
	} else {
		out_f(&ctx->out, "%s%u %s\n",
			ctx->args.dry_run ? "would record " : "recorded ",
			count, count == 1 ? "check" : "checks");
	}
	return PAWL_OK;
}

static enum pawl_rc
integrate(struct task_verb *v, struct pawl_err *err)
{
	struct command cmd =
		run_command(v->run, EV_INTEGRATED, STR(""), STR(""));
	struct cmd_ctx *ctx = v->ctx;
	struct appraisal got = { .again = true };
	const struct attempt *a;
	uint64_t seq = 0;
	uint32_t node;
	enum pawl_rc rc = task_verb_node(v, &node, err);

	if (rc == PAWL_OK && ctx->args.dry_run)
		rc = rehearse(v, &cmd, node, err);
	else if (rc == PAWL_OK)
		rc = task_verb_ask(v, "", &seq, err);
	if (rc == PAWL_OK && seq == 0 && !ctx->args.dry_run)
		rc = appraisal_integrate(v->pilot, node, &got, err);
	if (rc != PAWL_OK)
		return rc;
	a = state_last_attempt(&v->run->state, node);
	if (ctx->args.json) {
		task_verb_json(v);
		json_pair_str(&ctx->json, STR("node"), v->subject);
		json_pair_str(&ctx->json, STR("commit"), a->commit);
		json_pair_bool(&ctx->json, STR("again"),
			got.again && !ctx->args.dry_run);
	} else if (ctx->args.dry_run) {
		out_f(&ctx->out, "would integrate " STR_FMT "\n",
			STR_ARG(v->subject));
	} else {
		out_f(&ctx->out, STR_FMT " integrated as " STR_FMT "%s\n",
			STR_ARG(v->subject), STR_ARG(a->commit),
			got.again ? ", before" : "");
	}
	return PAWL_OK;
}

/* What a dry run of a grade asks of the rules. */
static enum pawl_rc
rehearse_grade(struct task_verb *v, uint32_t node, enum grade grade,
	struct str reason, struct pawl_err *err)
{
	bool blocks = grade == GRADE_BLOCKED &&
		state_live(&v->run->state, node) == NULL;
	struct command cmd =
		run_command(v->run, blocks ? EV_NODE_BLOCKED : EV_NODE_GRADED,
			plan_id(&v->run->plan, node), STR(""));

	if (v->run->state.nodes[node].grade == grade)
		return PAWL_OK;
	EVENT_SET(&cmd.event, F_GRADE, grade, grade_word(grade));
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	return blocks ? appraisal_rehearse(v->run, &cmd, err)
		      : rehearse(v, &cmd, node, err);
}

static enum pawl_rc
grade(struct task_verb *v, struct pawl_err *err)
{
	struct cmd_ctx *ctx = v->ctx;
	const char *word = args_operand(&ctx->args, 1);
	enum grade grade = GRADE_NONE;
	struct str reason;
	bool again = true;
	uint64_t seq = 0;
	uint32_t node;
	enum pawl_rc rc = text_of(ctx, "reason", &reason, err);

	if (rc == PAWL_OK)
		rc = task_verb_node(v, &node, err);
	if (rc == PAWL_OK)
		rc = grade_read(str_from(word), &grade, err);
	if (rc == PAWL_OK && ctx->args.dry_run)
		rc = rehearse_grade(v, node, grade, reason, err);
	else if (rc == PAWL_OK)
		rc = task_verb_ask(v, word, &seq, err);
	if (rc == PAWL_OK && seq == 0 && !ctx->args.dry_run)
		rc = appraisal_grade(
			v->pilot, node, grade, reason, &again, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		task_verb_json(v);
		json_pair_str(&ctx->json, STR("node"), v->subject);
		json_pair_str(&ctx->json, STR("grade"), grade_word(grade));
		json_pair_str(&ctx->json, STR("status"),
			node_status_word(v->run->state.nodes[node].status));
		json_pair_bool(
			&ctx->json, STR("again"), again && !ctx->args.dry_run);
		return PAWL_OK;
	}
	out_f(&ctx->out, "%s" STR_FMT " graded %s%s\n",
		ctx->args.dry_run ? "would have " : "", STR_ARG(v->subject),
		word, again && !ctx->args.dry_run ? ", before" : "");
	return PAWL_OK;
}

static enum pawl_rc
rehearse_import(
	struct task_verb *v, const struct box *box, struct pawl_err *err)
{
	struct command cmd =
		run_command(v->run, EV_NODE_IMPORTED, STR(""), STR(""));

	cmd.event.attempt =
		arena_format(v->ctx->mem, STR_FMT "@%u", STR_ARG(v->subject),
			v->run->state.nodes[box->node].attempts + 1u);
	EVENT_SET(&cmd.event, F_IMPORT, import, box->import);
	return rehearse(v, &cmd, box->node, err);
}

static enum pawl_rc
import(struct task_verb *v, struct pawl_err *err)
{
	struct cmd_ctx *ctx = v->ctx;
	struct box box = { .import = str_from(
				   args_value(&ctx->args, "import-id")) };
	const struct attempt *a;
	bool again = true;
	uint64_t seq = 0;
	enum pawl_rc rc = text_of(ctx, "note", &box.note, err);

	if (rc == PAWL_OK && box.import.len == 0)
		rc = pawl_fail(err, ERR_USAGE,
			"'pawl task import-checked' needs --import-id ID");
	if (rc == PAWL_OK)
		rc = task_verb_node(v, &box.node, err);
	if (rc == PAWL_OK && ctx->args.dry_run)
		rc = rehearse_import(v, &box, err);
	else if (rc == PAWL_OK)
		rc = task_verb_ask(
			v, args_value(&ctx->args, "import-id"), &seq, err);
	if (rc == PAWL_OK && seq == 0 && !ctx->args.dry_run)
		rc = box_import(v->pilot, &box, &again, err);
	if (rc != PAWL_OK)
		return rc;
	a = state_last_attempt(&v->run->state, box.node);
	if (ctx->args.json) {
		task_verb_json(v);
		json_pair_str(&ctx->json, STR("node"), v->subject);
		json_pair_str(&ctx->json, STR("import"), box.import);
		json_pair_str(&ctx->json, STR("artifact"),
			a != NULL ? a->artifact : STR(""));
		json_pair_bool(
			&ctx->json, STR("again"), again && !ctx->args.dry_run);
		return PAWL_OK;
	}
	out_f(&ctx->out, "%s" STR_FMT " imported as " STR_FMT "%s\n",
		ctx->args.dry_run ? "would have " : "", STR_ARG(v->subject),
		STR_ARG(box.import),
		again && !ctx->args.dry_run ? ", before" : "");
	return PAWL_OK;
}

/* What the attempt waits for, to whom asked for another step, or was told that
 * its check failed. */
static void
way_on(const struct task_verb *v, struct pawl_err *err)
{
	const struct state *s = &v->run->state;
	struct next next;
	uint32_t node;

	if (err->hint[0] != '\0' ||
		(err->code != ERR_CHECK_FAILED &&
			err->code != ERR_ATTEMPT_STATE) ||
		s->coordinator_name.len == 0 || is_run_closed(s) ||
		!plan_find(s->plan, v->subject, &node) ||
		state_live(s, node) == NULL ||
		!next_of_attempt(
			s, s->nodes[node].attempt_1 - 1, v->ctx->mem, &next) ||
		next.command.len >= sizeof(err->hint))
		return;
	(void)pawl_hint(err, STR_FMT, STR_ARG(next.command));
}

/* One verb over an open run. */
static enum pawl_rc
over_run(struct cmd_ctx *ctx,
	enum pawl_rc (*verb)(struct task_verb *, struct pawl_err *),
	struct pawl_err *err)
{
	struct task_verb v;
	enum pawl_rc rc = task_verb_open(&v, ctx, TASK_VERB_SUBJECT, err);

	if (rc != PAWL_OK)
		return rc;
	rc = verb(&v, err);
	if (rc != PAWL_OK)
		way_on(&v, err);
	task_verb_close(&v);
	return rc;
}

static enum pawl_rc
run_check(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return over_run(ctx, check, err);
}

static enum pawl_rc
run_recover(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return over_run(ctx, recover_check, err);
}

static enum pawl_rc
run_integrate(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return over_run(ctx, integrate, err);
}

static enum pawl_rc
run_grade(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return over_run(ctx, grade, err);
}

static enum pawl_rc
run_import(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return over_run(ctx, import, err);
}

const struct cmd cmd_task_check = {
	.name = "task check",
	.operands = "[RUN/]NODE",
	.summary = "run the check of what was reported",
	.help = "Runs the check of the node's last attempt in its workspace, "
		"waits for it\n"
		"and records what it gave. Where one runs already, its record "
		"is waited\n"
		"for; a recorded verdict is the answer, unless --rerun. "
		"Nothing follows\n"
		"from the record by itself: integrate, grade or repair.\n"
		"\n"
		"Exit status: 0 passed, 1 failed (check_failed) or without a "
		"verdict\n"
		"(check_void).",
	.options = check_options,
	.page = "pawl-task",
	.aliases = "run-check",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_check,
};

const struct cmd cmd_task_recover_check = {
	.name = "task recover check",
	.operands = "[RUN/][CHECK]",
	.summary = "record the checks whose caller died",
	.help = "Finds the checks that have no record. One whose monitor lives "
		"is waited\n"
		"for; of one that is gone, what it left is recorded, or that "
		"it left no\n"
		"verdict. With nothing to record nothing is written.",
	.page = "pawl-task",
	.aliases = "recover-check-execution",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_recover,
};

const struct cmd cmd_task_integrate = {
	.name = "task integrate",
	.operands = "[RUN/]NODE",
	.summary = "put checked work onto the run's branch",
	.help = "Commits what the node's checked attempt did in its worktree "
		"and moves the\n"
		"run's branch to it. When that moved since, the work is put "
		"onto it, and\n"
		"is to be checked again (check_stale). Work in place needs no "
		"such step.",
	.page = "pawl-task",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_integrate,
};

const struct cmd cmd_task_grade = {
	.name = "task grade",
	.operands = "[RUN/]NODE pass|fail|unobserved|blocked",
	.summary = "say what has become of a node",
	.help = "pass wants a passing check of the last attempt, its "
		"integration, and\n"
		"settled cleanups; fail a failed check; blocked names with "
		"--reason what is\n"
		"missing; unobserved says that nothing shows whether it is "
		"done, and keeps\n"
		"the run from being COMPLETE. The same grade again is the "
		"same answer,\n"
		"another is refused.",
	.options = grade_options,
	.page = "pawl-task",
	.aliases = "grade",
	.args_min = 2,
	.args_max = 2,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_grade,
};

const struct cmd cmd_task_import_checked = {
	.name = "task import-checked",
	.operands = "[RUN/]NODE",
	.summary = "check the work behind a ticked box and take it over",
	.help = "A ticked box proves nothing. Runs the node's check where "
		"pawl was called;\n"
		"when it passes, evidence, check and grade are recorded as "
		"one event. A\n"
		"retry with the same --import-id verifies that evidence and "
		"runs nothing.",
	.options = import_options,
	.page = "pawl-task",
	.aliases = "import-checked-task",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_import,
};
