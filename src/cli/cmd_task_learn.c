#include "cli/place.h"
#include "engine/learning.h"

static const struct cmd_option candidate_options[] = {
	{ .name = "kind", .arg = "KIND", .help = "rule, gate or skill" },
	{ .name = "scope",
		.arg = "S",
		.help = "what it is about: a path, or a word",
		.repeatable = true },
	{ .name = "statement", .arg = "T", .help = "what it says" },
	{ .name = "stance", .arg = "S", .help = "support or oppose" },
	{ .name = "origin",
		.arg = "O",
		.help = "check, diff, repair or review" },
	{ .name = "evidence",
		.arg = "SHA256",
		.help = "a digest of the run's record",
		.repeatable = true },
	{ .name = "task-ref",
		.arg = "ID",
		.help = "a task that it comes from",
		.repeatable = true },
	{ .name = NULL },
};

static const struct cmd_option compare_options[] = {
	{ .name = "candidate", .arg = "KEY", .help = "what made a difference" },
	{ .name = "off-state", .arg = "RUN", .help = "a run without it" },
	{ .name = "on-state", .arg = "RUN", .help = "a run with it" },
	{ .name = NULL },
};

static enum pawl_rc
need_state(const struct cmd_ctx *ctx, struct pawl_err *err)
{
	return ctx->state_fd >= 0
		? PAWL_OK
		: pawl_fail(err, ERR_RECORD_NOT_FOUND,
			  "nothing was recorded: there is no state folder");
}

static enum pawl_rc
run_snapshot(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct learn_record record;
	bool made = false;
	enum pawl_rc rc = place_open_run(ctx, 0, &r, err);

	if (rc == PAWL_OK)
		rc = learning_measure(&r, ctx->mem, &record, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = learning_keep(
			place_of(ctx), &record, ctx->mem, &made, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_bool(&ctx->json, STR("made"), made);
		json_pair_str(&ctx->json, STR("run"), record.run);
		json_pair_str(&ctx->json, STR("change"), record.change);
		json_pair_u64(&ctx->json, STR("tasks"), record.tasks_count);
		json_pair_u64(&ctx->json, STR("tasks_left_out"),
			(uint64_t)record.tasks_left_out);
	} else if (rc == PAWL_OK) {
		out_f(&ctx->out, "%u tasks of run '" STR_FMT "' %s\n",
			record.tasks_count, STR_ARG(record.run),
			ctx->args.dry_run ? "would be recorded"
				: made    ? "are recorded"
					  : "were recorded before");
	}
	run_close(&r);
	return rc;
}

/* All values of an option, in order. */
static const struct str *
values(struct cmd_ctx *ctx, const char *name, uint32_t *ret_count)
{
	uint32_t count = 0;
	struct str *items;

	while (args_value_at(&ctx->args, name, count) != NULL)
		count++;
	items = arena_array(ctx->mem, count, struct str);
	for (uint32_t i = 0; i < count; i++)
		items[i] = str_from(args_value_at(&ctx->args, name, i));
	*ret_count = count;
	return items;
}

static enum pawl_rc
need_word(const struct cmd_ctx *ctx, const char *name, bool good,
	struct pawl_err *err)
{
	const char *text = args_value(&ctx->args, name);

	if (good)
		return PAWL_OK;
	if (text == NULL) {
		(void)pawl_fail(err, ERR_USAGE, "'pawl %s' needs --%s",
			ctx->cmd->name, name);
		return pawl_hint(err, "--%s ...", name);
	}
	(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
		"'%.64s' is no value of option '--%s'", text, name);
	err->field = str_from(name);
	return err->rc;
}

static enum pawl_rc
candidate_read(
	struct cmd_ctx *ctx, struct learn_candidate *c, struct pawl_err *err)
{
	const struct args *a = &ctx->args;
	enum pawl_rc rc;

	*c = (struct learn_candidate){
		.schema_version = 1,
		.key = str_from(a->key),
		.statement = str_from(args_value(a, "statement")),
		.run = str_from(args_operand(a, 0)),
	};
	if (a->key == NULL)
		return pawl_fail(err, ERR_USAGE, "'pawl %s' needs --key",
			ctx->cmd->name);
	rc = need_word(ctx, "kind",
		learn_kind_from(str_from(args_value(a, "kind")), &c->kind),
		err);
	if (rc == PAWL_OK) {
		rc = need_word(ctx, "stance",
			learn_stance_from(
				str_from(args_value(a, "stance")), &c->stance),
			err);
	}
	if (rc == PAWL_OK) {
		rc = need_word(ctx, "origin",
			learn_origin_from(
				str_from(args_value(a, "origin")), &c->origin),
			err);
	}
	if (rc == PAWL_OK)
		rc = need_word(ctx, "statement", c->statement.len > 0, err);
	c->scope = values(ctx, "scope", &c->scope_count);
	c->evidence = values(ctx, "evidence", &c->evidence_count);
	c->task_refs = values(ctx, "task-ref", &c->task_refs_count);
	return rc;
}

static enum pawl_rc
run_candidate(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct learn_candidate c;
	struct str name = { 0 };
	bool made = false;
	enum pawl_rc rc = candidate_read(ctx, &c, err);

	if (rc == PAWL_OK)
		rc = need_state(ctx, err);
	if (rc == PAWL_OK)
		rc = learning_judge(place_of(ctx), &c, ctx->mem, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = learning_keep_candidate(
			place_of(ctx), &c, ctx->mem, &name, &made, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("candidate"), name);
		json_pair_str(&ctx->json, STR("key"), c.key);
		json_pair_bool(&ctx->json, STR("made"), made);
	} else {
		out_f(&ctx->out, "candidate for '" STR_FMT "' is %s\n",
			STR_ARG(c.key),
			ctx->args.dry_run ? "good"
				: made    ? "kept"
					  : "there already");
	}
	return PAWL_OK;
}

static enum pawl_rc
run_compile(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct learning_draft d = { 0 };
	enum pawl_rc rc = need_state(ctx, err);

	if (rc == PAWL_OK)
		rc = learning_draft_make(place_of(ctx), ctx->mem, &d, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = learning_draft_write(place_of(ctx), &d, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_bool(&ctx->json, STR("active"), false);
		json_key(&ctx->json, STR("groups"));
		json_open(&ctx->json, '[');
	}
	for (uint32_t i = 0; rc == PAWL_OK && i < d.groups_count; i++) {
		const struct learn_group *g = &d.groups[i];

		if (!ctx->args.json) {
			out_f(&ctx->out, STR_FMT "  %s  %u for, %u against\n",
				STR_ARG(g->key), learn_status_word(g->status),
				g->support, g->oppose);
			continue;
		}
		json_open(&ctx->json, '{');
		json_pair_str(&ctx->json, STR("key"), g->key);
		json_pair_str(&ctx->json, STR("status"),
			str_from(learn_status_word(g->status)));
		json_pair_u64(&ctx->json, STR("support"), g->support);
		json_pair_u64(&ctx->json, STR("oppose"), g->oppose);
		json_pair_u64(&ctx->json, STR("candidates"), g->count);
		json_close(&ctx->json, '}');
	}
	if (rc == PAWL_OK && ctx->args.json)
		json_close(&ctx->json, ']');
	buf_release(&d.text);
	return rc;
}

static enum pawl_rc
run_check(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct learning_problem *problems = NULL;
	uint32_t total = 0;
	enum pawl_rc rc = need_state(ctx, err);

	if (rc == PAWL_OK)
		rc = learning_check(
			place_of(ctx), ctx->mem, &problems, &total, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_pair_u64(&ctx->json, STR("problem_count"), total);
		json_key(&ctx->json, STR("problems"));
		json_open(&ctx->json, '[');
	}
	for (uint32_t i = 0; i < total && i < LEARNING_PROBLEMS_MAX; i++) {
		const struct learning_problem *p = &problems[i];
		const char *word = pawl_code_info(p->code)->word;

		if (!ctx->args.json) {
			out_data(&ctx->out, p->subject);
			out_f(&ctx->out, ": %s: ", word);
			out_data(&ctx->out, p->message);
			out_text(&ctx->out, "\n");
			continue;
		}
		json_open(&ctx->json, '{');
		json_pair_str(&ctx->json, STR("code"), str_from(word));
		json_pair_str(&ctx->json, STR("subject"), p->subject);
		json_pair_str(&ctx->json, STR("message"), p->message);
		json_close(&ctx->json, '}');
	}
	if (ctx->args.json)
		json_close(&ctx->json, ']');
	else if (total == 0)
		out_text(&ctx->out, "records and draft are as they were\n");
	if (total == 0)
		return PAWL_OK;
	ctx->findings = true;
	return pawl_fail(err, ERR_EVIDENCE_STALE,
		"%u of the records and drafts aren't what they were", total);
}

static enum pawl_rc
run_compare(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *key = args_value(&ctx->args, "candidate");
	struct str off = str_from(args_value(&ctx->args, "off-state"));
	struct str on = str_from(args_value(&ctx->args, "on-state"));
	struct learn_record records[2];
	struct buf counts = { 0 };
	struct json_writer w = { .out = &counts };
	enum pawl_rc rc = need_word(ctx, "candidate", key != NULL, err);

	if (rc == PAWL_OK)
		rc = need_word(ctx, "off-state", off.len > 0, err);
	if (rc == PAWL_OK)
		rc = need_word(ctx, "on-state", on.len > 0, err);
	if (rc == PAWL_OK)
		rc = need_state(ctx, err);
	if (rc == PAWL_OK)
		rc = learning_record(
			place_of(ctx), off, ctx->mem, &records[0], err);
	if (rc == PAWL_OK)
		rc = learning_record(
			place_of(ctx), on, ctx->mem, &records[1], err);
	if (rc == PAWL_OK)
		rc = learn_record_compare(&records[0], &records[1], &w, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("candidate"), str_from(key));
		json_key(&ctx->json, STR("counts"));
		json_put_raw(&ctx->json, buf_str(&counts));
	} else if (rc == PAWL_OK) {
		out_f(&ctx->out, "%s, without and with it; no verdict\n", key);
		for (int i = 0; i < 2; i++) {
			const struct learn_telemetry *t = records[i].telemetry;

			out_f(&ctx->out,
				STR_FMT ": %lld attempts, %lld rejected, "
					"checks took %lld ms\n",
				STR_ARG(records[i].run), (long long)t->attempts,
				(long long)t->rework, (long long)t->check_ms);
		}
	}
	buf_release(&counts);
	return rc;
}

const struct cmd cmd_task_learn_snapshot = {
	.name = "task learn snapshot",
	.operands = "RUN",
	.summary = "record the facts of a closed run",
	.help = "Bounded facts from its journal and the digests of its "
		"evidence, which is\n"
		"hashed again. What no receipt tells is unavailable. Shadow "
		"only: nothing\n"
		"in pawl acts on a record.",
	.page = "pawl-task",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS | CMD_WRITES,
	.run = run_snapshot,
};

const struct cmd cmd_task_learn_candidate = {
	.name = "task learn candidate",
	.operands = "RUN",
	.summary = "keep what somebody thinks a recorded run teaches",
	.help = "Under the key of --key KEY, for it or against it, with tasks "
		"and verified\n"
		"evidence of the run's record.",
	.options = candidate_options,
	.page = "pawl-task",
	.aliases = "add-candidate",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS | CMD_WRITES,
	.run = run_candidate,
};

const struct cmd cmd_task_learn_compile = {
	.name = "task learn compile",
	.operands = "",
	.summary = "draft all candidates, grouped by their keys",
	.help = "Writes learning/DRAFT_CANDIDATES.md below the state folder, "
		"which says that\n"
		"nothing in it is active. A key is recurring-draft from five "
		"different changes\n"
		"on, else weak-sample; contested when somebody is against it; "
		"and\n"
		"conflicting-definitions when supporters mean different "
		"things.",
	.page = "pawl-task",
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS | CMD_WRITES,
	.run = run_compile,
};

const struct cmd cmd_task_learn_check = {
	.name = "task learn check",
	.operands = "",
	.summary = "see whether records, evidence and draft are as they were",
	.help = "Hashes the evidence again, and makes the draft again to "
		"compare.",
	.page = "pawl-task",
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_check,
};

const struct cmd cmd_task_learn_compare = {
	.name = "task learn compare",
	.operands = "",
	.summary = "count two recorded runs of the same checks",
	.help = "One without a candidate and one with it. It prints counts, "
		"and "
		"no verdict.",
	.options = compare_options,
	.page = "pawl-task",
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_compare,
};
