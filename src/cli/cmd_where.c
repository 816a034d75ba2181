#include "cli/cmd.h"

/* The repository's folder for people: its main worktree, else itself. */
static const char *
repository(const struct statedir *d)
{
	if (!d->has_repo)
		return NULL;
	return d->repo.main_top ? d->repo.main_top : d->repo.common_dir;
}

static void
put_json(struct json_writer *w, const struct statedir *d)
{
	json_pair_str(w, STR("state"), str_from(d->path));
	json_pair_str(w, STR("why"), str_from(statedir_why_word(d->why)));
	json_pair_bool(w, STR("exists"), statedir_exists(d));
	json_key(w, STR("repository"));
	if (d->has_repo) {
		json_put_str(w, str_from(repository(d)));
	} else {
		json_put_null(w);
	}
	json_pair_str(w, STR("worktrees"), str_from(d->worktrees));
}

static void
put_line(struct out *o, const char *name, const char *value)
{
	out_f(o, "  %-10s ", name);
	out_data(o, str_from(value));
	out_text(o, "\n");
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct statedir *d = &ctx->state;

	(void)err;
	if (ctx->args.json) {
		put_json(&ctx->json, d);
		return PAWL_OK;
	}
	out_data(&ctx->out, str_from(d->path));
	out_text(&ctx->out, "\n");
	put_line(&ctx->out, "why", statedir_why_text(d->why));
	put_line(&ctx->out, "exists",
		statedir_exists(d) ? "yes" : "no: the first run makes it");
	put_line(&ctx->out, "repository", d->has_repo ? repository(d) : "none");
	put_line(&ctx->out, "worktrees", d->worktrees);
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
