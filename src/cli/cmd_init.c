#include <string.h>

#include "cli/cmd.h"
#include "engine/repo.h"
#include "os/lock.h"

enum {
	INIT_LOCK_MS = 5000,
};

/* What init is about to do, or did. */
struct init {
	struct statedir dir;
	struct repo main; /* where the exclude file is, when `inside` */
	bool inside;      /* the folder lies in the main worktree */
	bool ignored;     /* git ignores it already */
	bool made;
};

/* Without --state or a variable: .pawl of the main worktree. */
static enum pawl_rc
choose(struct cmd_ctx *ctx, struct init *in, struct pawl_err *err)
{
	struct statedir *d = &in->dir;
	struct stat st;

	*d = ctx->state;
	if (d->why == STATEDIR_XDG) {
		if (!d->has_repo || d->repo.main_top == NULL) {
			(void)pawl_fail(err, ERR_NEEDS_REPOSITORY,
				"no repository with a worktree to make "
				"'" STATEDIR_NAME "' in");
			return pawl_hint(err,
				"git init, or pawl init --state "
				"DIR");
		}
		d->why = STATEDIR_REPOSITORY;
		d->path = arena_format(
			ctx->mem, "%s/" STATEDIR_NAME, d->repo.main_top)
				  .ptr;
		if (lstat(d->path, &st) == 0 && S_ISLNK(st.st_mode)) {
			return pawl_fail(err, ERR_UNSAFE_PATH,
				"'%s' is a symbolic link", d->path);
		}
	}
	in->inside = d->has_repo && d->repo.main_top != NULL &&
		repo_path_is_below(d->path, d->repo.main_top);
	return PAWL_OK;
}

/* Ask git once whether it would show the folder as untracked. */
static enum pawl_rc
ask_git(struct cmd_ctx *ctx, struct init *in, struct pawl_err *err)
{
	const char *path;
	enum pawl_rc rc;

	if (!in->inside)
		return PAWL_OK;
	rc = repo_find(in->dir.repo.main_top, ctx->mem, &in->main, err);
	if (rc != PAWL_OK)
		return rc;
	path = in->dir.path + strlen(in->dir.repo.main_top);
	while (*path == '/')
		path++;
	path = arena_format(ctx->mem, "%s/", path).ptr;
	return repo_is_ignored(&in->main, path, &in->ignored, err);
}

/* Escape what a pattern of gitignore(5) would read as more than a name. */
static enum pawl_rc
exclude(struct cmd_ctx *ctx, const struct init *in, struct pawl_err *err)
{
	const char *path = in->dir.path + strlen(in->dir.repo.main_top);
	struct buf b = { 0 };
	enum pawl_rc rc;

	for (; *path != '\0'; path++) {
		if (strchr("*?[]\\ ", *path) != NULL)
			buf_addc(&b, '\\');
		buf_addc(&b, *path);
	}
	buf_addc(&b, '/');
	cmd_notice(ctx,
		"adding '%s' to %s/info/exclude, so that git ignores it",
		b.data, in->main.common_dir);
	rc = repo_exclude(&in->main, buf_str(&b), err);
	buf_release(&b);
	return rc;
}

static void
put_answer(struct cmd_ctx *ctx, const struct init *in)
{
	bool excluded = in->inside && !in->ignored;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("state"), str_from(in->dir.path));
		json_pair_str(&ctx->json, STR("why"),
			str_from(statedir_why_word(in->dir.why)));
		json_pair_bool(&ctx->json, STR("made"), in->made);
		json_pair_bool(&ctx->json, STR("excluded"), excluded);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		return;
	}
	if (!in->made) {
		out_text(&ctx->out, "nothing to do: runs are kept in ");
	} else if (ctx->args.dry_run) {
		out_text(&ctx->out, "would make ");
	} else {
		out_text(&ctx->out, "runs are now kept in ");
	}
	out_data(&ctx->out, str_from(in->dir.path));
	out_text(&ctx->out, "\n");
	if (excluded && ctx->args.dry_run) {
		out_text(&ctx->out,
			"would add it to the repository's info/exclude\n");
	}
}

/*
 * Make it, then tell git.  A lock keeps two calls from adding the line twice;
 * who dies in between leaves a folder that the next call tells git about.
 */
static enum pawl_rc
make(struct cmd_ctx *ctx, struct init *in, struct pawl_err *err)
{
	int fd = -1, lock = -1;
	enum pawl_rc rc;

	rc = statedir_make(ctx->fs, &in->dir, &fd, &in->made, err);
	if (rc == PAWL_OK && in->inside && !in->ignored) {
		rc = lock_exclusive(
			ctx->fs, fd, STATEDIR_FORMAT, INIT_LOCK_MS, &lock, err);
		if (rc == PAWL_OK)
			rc = exclude(ctx, in, err);
	}
	lock_close(ctx->fs, &lock);
	fs_close(ctx->fs, &fd);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct init in = { .main = { 0 } };
	enum pawl_rc rc = choose(ctx, &in, err);

	if (rc == PAWL_OK)
		rc = statedir_would_make(ctx->fs, &in.dir, &in.made, err);
	if (rc == PAWL_OK)
		rc = ask_git(ctx, &in, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = make(ctx, &in, err);
	if (rc == PAWL_OK)
		put_answer(ctx, &in);
	return rc;
}

const struct cmd cmd_init = {
	.name = "init",
	.operands = "",
	.summary = "keep this repository's runs in .pawl",
	.help = "Makes .pawl at the top of the repository's main worktree, so "
		"that runs are kept\nthere and all worktrees share them.  If "
		"git doesn't ignore the folder, it is\nadded to the "
		"repository's own info/exclude; no tracked file is changed.\n"
		"Proves that locks work there.  Done twice, it changes "
		"nothing.  Without it,\nruns are kept below $XDG_STATE_HOME "
		"(pawl where).",
	.page = "pawl-init",
	.needs = CMD_NEEDS_REPOSITORY,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run,
};
