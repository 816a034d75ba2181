#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bounds.h"
#include "cli/input.h"
#include "cli/ledger_door.h"
#include "cli/ledger_look.h"
#include "cli/picture.h"
#include "cli/place.h"
#include "model/draw.h"
#include "model/ledger_read.h"
#include "model/tasks.h"

static const struct cmd_option options[] = {
	PICTURE_OPTIONS,
	{ .name = NULL },
};

static enum pawl_rc
put_state(struct cmd_ctx *ctx, const struct state *s, const char *name,
	struct pawl_err *err)
{
	struct draw d;
	uint32_t max = 0;
	enum pawl_rc rc = picture_max(ctx, &max, err);

	if (rc != PAWL_OK)
		return rc;
	draw_state(&d, s, max, ctx->mem);
	if (name != NULL)
		d.name = str_from(name);
	picture_put(ctx, &d);
	return PAWL_OK;
}

static enum pawl_rc
draw_checkpoint(struct cmd_ctx *ctx, struct str text, const char *name,
	struct pawl_err *err)
{
	struct ledger_findings findings;
	struct ledger l;
	enum pawl_rc rc =
		ledger_read(ctx->mem, text, false, &l, &findings, err);

	if (rc != PAWL_OK)
		return pawl_wrap(err, "%s", name);
	if (findings.violations > 0)
		rc = ledger_findings_fail(&findings, ctx->mem, name, err);
	ledger_findings_release(&findings);
	if (rc == PAWL_OK)
		rc = picture_ledger(ctx, &l, err);
	ledger_release(&l);
	return rc;
}

/* A task list, as a run of it would begin. */
static enum pawl_rc
draw_list(struct cmd_ctx *ctx, struct str text, const char *name,
	struct pawl_err *err)
{
	struct tasks_report report;
	struct plan plan = { 0 };
	struct state s;
	enum pawl_rc rc = tasks_parse(text, ctx->mem, &plan, &report, err);

	if (rc != PAWL_OK)
		return pawl_wrap(err, "%s", name);
	state_init(&s, &plan);
	rc = put_state(ctx, &s, name, err);
	state_release(&s);
	plan_release(&plan);
	return rc;
}

/* A document that begins with a brace is a checkpoint. */
static bool
is_object(struct str text)
{
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_part(text, 3, text.len);
	return str_starts(str_trim(text), STR("{"));
}

static enum pawl_rc
draw_file(struct cmd_ctx *ctx, const char *path, struct pawl_err *err)
{
	const char *name = input_name(path);
	struct buf text = { 0 };
	enum pawl_rc rc = input_read(ctx, path, BOUND_LEDGER_BYTES, &text, err);

	if (rc == PAWL_OK)
		rc = is_object(buf_str(&text))
			? draw_checkpoint(ctx, buf_str(&text), name, err)
			: draw_list(ctx, buf_str(&text), name, err);
	buf_release(&text);
	return rc;
}

static enum pawl_rc
draw_ledger_run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_run r = { .dir = -1 };
	enum pawl_rc rc = ledger_look_open(ctx, 0, &r, err);

	if (rc == PAWL_OK)
		rc = picture_ledger(ctx, &r.ledger, err);
	ledger_run_close(&r);
	return rc;
}

/* What `pawl ledger show` would show; `err` stays when there is nothing. */
static enum pawl_rc
draw_kept(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str id = str_from(args_operand(&ctx->args, 0));
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct pawl_err mine = { 0 };
	enum pawl_rc rc = ledger_door_open_id(&door, ctx, DOOR_READ, id, &mine);

	if (rc == PAWL_OK)
		rc = picture_ledger(ctx, door.ledger, err);
	else if (mine.code != ERR_RUN_NOT_FOUND)
		*err = mine;
	ledger_door_close(&door);
	return rc == PAWL_OK ? rc : err->rc;
}

static enum pawl_rc
draw_run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	enum pawl_rc rc = place_open_run(ctx, 0, &r, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return draw_ledger_run(ctx, err);
	if (rc != PAWL_OK && err->code == ERR_RUN_NOT_FOUND)
		return draw_kept(ctx, err);
	if (rc == PAWL_OK)
		rc = put_state(ctx, &r.state, NULL, err);
	run_close(&r);
	return rc;
}

/* A file of that name comes first: a run's name never holds a slash. */
static bool
is_file(const struct cmd_ctx *ctx, const char *operand)
{
	struct pawl_err unused;
	struct stat st;

	if (operand == NULL)
		return false;
	if (strcmp(operand, "-") == 0 || strchr(operand, '/') != NULL)
		return true;
	return fs_stat(ctx->fs, AT_FDCWD, operand, &st, &unused) == PAWL_OK &&
		!S_ISDIR(st.st_mode);
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *operand = args_operand(&ctx->args, 0);

	return is_file(ctx, operand) ? draw_file(ctx, operand, err)
				     : draw_run(ctx, err);
}

const struct cmd cmd_draw = {
	.name = "draw",
	.operands = "[RUN|FILE]",
	.summary = "show a run or a ledger as a picture",
	.help = "Arrows lead from what comes first to what waits for it; each "
		"node has\n"
		"the colour of its status, and one that needs an approval is "
		"a hexagon.\n"
		"Without --dot and --mermaid it is text, by waves. FILE is a "
		"ledger's\n"
		"checkpoint or a task list; a ledger in .codex/graph-runs/ is "
		"found by its\n"
		"name, and without one where no run is.",
	.options = options,
	.page = "pawl-draw",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run,
};
