#include <fcntl.h>
#include <sys/stat.h>

#include "base/bounds.h"
#include "cli/ledger_look.h"
#include "cli/place.h"
#include "model/ledger_export.h"

static const struct cmd_option options[] = {
	{ .name = "ledger", .help = "as a ledger's checkpoint" },
	{ .name = "repairs", .help = "each repair as a node of its own" },
	{ .name = "output",
		.letter = 'o',
		.arg = "FILE",
		.help = "replace FILE instead of printing" },
	{ .name = NULL },
};

/* What a rename would take away for good: a device, a pipe, a link. */
static enum pawl_rc
check_replaceable(const struct fs *fs, int dir, const char *name,
	struct str path, struct pawl_err *err)
{
	struct stat st;
	enum pawl_rc rc = fs_stat(fs, dir, name, &st, err);

	if (rc != PAWL_OK)
		return err->code == ERR_FILE_NOT_FOUND ? PAWL_OK : rc;
	if (S_ISREG(st.st_mode))
		return PAWL_OK;
	return pawl_fail(err, ERR_UNSAFE_PATH,
		"'" STR_FMT "' is there and no regular file", STR_ARG(path));
}

/* Replace the file as one step, unless --dry-run; its folder must be there. */
static enum pawl_rc
file_put(struct cmd_ctx *ctx, struct str path, struct str bytes,
	struct pawl_err *err)
{
	size_t at = path.len;
	int dir = -1;
	const char *folder, *name;
	enum pawl_rc rc;

	while (at > 0 && path.ptr[at - 1] != '/')
		at--;
	if (at == path.len)
		return pawl_fail(err, ERR_INVALID_PATH,
			"'" STR_FMT "' names no file", STR_ARG(path));
	folder = at > 0 ? arena_strdup(ctx->mem, str_part(path, 0, at)) : ".";
	name = arena_strdup(ctx->mem, str_part(path, at, path.len));
	rc = fs_open_dir(ctx->fs, AT_FDCWD, folder, &dir, err);
	if (rc == PAWL_OK)
		rc = check_replaceable(ctx->fs, dir, name, path, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = fs_replace(ctx->fs, dir, name, bytes, FS_DURABLE, err);
	fs_close(ctx->fs, &dir);
	return rc;
}

/* All of the journal was read and verified; what a projection said isn't. */
static enum pawl_rc
task_run_export(struct cmd_ctx *ctx, struct ledger *l, struct run *r,
	struct pawl_err *err)
{
	bool agrees = true;
	enum pawl_rc rc = run_prove(r, &agrees, err);

	if (rc != PAWL_OK)
		return rc;
	if (r->state.lines_started == 0) {
		return pawl_fail(err, ERR_RUN_NOT_FOUND,
			"run '" STR_FMT "' was never started", STR_ARG(r->id));
	}
	if (!agrees) {
		cmd_notice(ctx,
			"state.json of run '" STR_FMT
			"' disagreed with the journal and was not believed",
			STR_ARG(r->id));
	}
	ledger_export(&r->state, args_has(&ctx->args, "repairs"), l);
	if (l->count > BOUND_TASKS) {
		(void)pawl_fail(err, ERR_LIMIT,
			"%u nodes with repairs are over the limit of %d",
			l->count, BOUND_TASKS);
		return pawl_hint(err, "export without --repairs");
	}
	return PAWL_OK;
}

static enum pawl_rc
say(struct cmd_ctx *ctx, const struct ledger *l, struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "output");
	struct buf text = { 0 };
	struct json_writer w = { .out = &text, .pretty = true };
	enum pawl_rc rc = PAWL_OK;

	if (path == NULL && ctx->args.json) {
		ledger_write(l, cmd_whole(ctx));
		return PAWL_OK;
	}
	ledger_write(l, &w);
	buf_addc(&text, '\n');
	if (path == NULL) {
		ctx->out.json = true;
		out_text(&ctx->out, text.data);
		goto out;
	}
	rc = file_put(ctx, str_from(path), buf_str(&text), err);
	if (rc != PAWL_OK)
		goto out;
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), l->run_id);
		json_pair_str(&ctx->json, STR("file"), str_from(path));
		json_pair_u64(&ctx->json, STR("nodes"), l->count);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
	} else {
		out_f(&ctx->out, "%s ",
			ctx->args.dry_run ? "would write" : "wrote");
		out_data(&ctx->out, str_from(path));
		out_f(&ctx->out, ", %u node%s\n", l->count,
			l->count == 1 ? "" : "s");
	}
out:
	buf_release(&text);
	return rc;
}

/* A ledger run is one already; its repairs are nodes in any case. */
static enum pawl_rc
ledger_run_export(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_run r = { .dir = -1 };
	enum pawl_rc rc = ledger_look_open(ctx, 0, &r, err);

	if (rc == PAWL_OK)
		rc = say(ctx, &r.ledger, err);
	ledger_run_close(&r);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct ledger l;
	enum pawl_rc rc;

	if (!args_has(&ctx->args, "ledger")) {
		(void)pawl_fail(err, ERR_USAGE, "there is one form: --ledger");
		return pawl_hint(err, "pawl export --ledger RUN");
	}
	rc = place_open_run(ctx, 0, &r, err);
	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_run_export(ctx, err);
	ledger_init(&l);
	if (rc == PAWL_OK)
		rc = task_run_export(ctx, &l, &r, err);
	if (rc == PAWL_OK)
		rc = say(ctx, &l, err);
	ledger_release(&l);
	run_close(&r);
	return rc;
}

const struct cmd cmd_export = {
	.name = "export",
	.operands = "[RUN]",
	.summary = "print a run as a ledger",
	.help = "One node a task, with its history, attempts, approval and "
		"evidence, as\n"
		"a checkpoint that 'pawl ledger check' accepts. The whole "
		"journal is read\n"
		"and verified; nothing is locked and no run is changed.",
	.options = options,
	.page = "pawl-ledger",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS | CMD_WRITES,
	.run = run,
};
