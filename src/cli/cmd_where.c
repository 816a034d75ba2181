#include "cli/cmd.h"

static void
put_line(struct out *o, const char *name, struct str value, const char *absent)
{
	out_f(o, "  %-10s ", name);
	if (value.len > 0)
		out_data(o, value);
	else
		out_text(o, absent);
	out_text(o, "\n");
}

static void
put_json(struct json_writer *w, const struct statedir *d)
{
	json_pair_str(w, STR("state"), d->path);
	json_pair_str(w, STR("why"), str_from(statedir_why_word(d->why)));
	json_pair_bool(w, STR("exists"), d->exists);
	json_key(w, STR("repository"));
	if (d->common.len > 0)
		json_put_str(w, d->top.len > 0 ? d->top : d->common);
	else
		json_put_null(w);
	json_pair_str(w, STR("worktrees"), d->worktrees);
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct statedir d;
	enum pawl_rc rc;

	rc = statedir_find(
		ctx->mem, ctx->env, ctx->args.state, ctx->args.repo, &d, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		put_json(&ctx->json, &d);
		return PAWL_OK;
	}
	out_data(&ctx->out, d.path);
	out_f(&ctx->out, "\n  %-10s %s\n", "why", statedir_why_text(d.why));
	out_f(&ctx->out, "  %-10s %s\n", "exists",
		d.exists ? "yes" : "no; the first run makes it");
	put_line(&ctx->out, "repository", d.top.len > 0 ? d.top : d.common,
		"none");
	put_line(&ctx->out, "worktrees", d.worktrees, "");
	return PAWL_OK;
}

const struct cmd cmd_where = {
	.name = "where",
	.operands = "",
	.summary = "say where runs are kept, and why there",
	.help = "Prints the state folder: that of --state, else $PAWL_STATE, "
		"else .pawl/ of the\nrepository's main worktree if it holds "
		"`format` (pawl init makes it), else a\nfolder of the "
		"repository's own below $XDG_STATE_HOME/pawl.  Makes nothing.",
	.page = "pawl-init",
	.needs = CMD_NEEDS_REPOSITORY,
	.run = run,
};
