#include "engine/red.h"

#include "engine/integrate.h"
#include "engine/landing.h"
#include "engine/statedir.h"
#include "engine/worker.h"

static void
spec_of(struct pilot *p, uint32_t attempt, uint32_t number,
	struct worktree_spec *ret_spec)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str node = pilot_node_id(p, attempt);
	struct worktree_spec spec = { .lock_dir = p->config.lock_dir,
		.parent = p->config.worktrees };

	spec.name = arena_format(
		&p->mem, STR_FMT "-%u.red-%u", STR_ARG(node), a->number, number)
			    .ptr;
	spec.branch = arena_format(&p->mem, "refs/heads/pawl/" STR_FMT "/%s",
		STR_ARG(p->run->id), spec.name)
			      .ptr;
	spec.marker =
		arena_format(&p->mem, "pawl run " STR_FMT " worktree %s\n",
			STR_ARG(p->run->id), spec.name);
	*ret_spec = spec;
}

static struct str
path_of(struct pilot *p, const struct worktree_spec *spec)
{
	return arena_format(&p->mem, "%s/%s", spec->parent, spec->name);
}

/* The cleanup of that worktree, while it is open; or NULL. */
static const struct cleanup *
open_cleanup(struct pilot *p, struct str path)
{
	const struct cleanup *c;

	VEC_EACH (c, &p->run->state.cleanups) {
		if (str_eq(c->target, path) && !is_cleanup_settled(c))
			return c;
	}
	return NULL;
}

/* As a commit: in place the attempt began with a tree that has none. */
static enum pawl_rc
base_of(struct pilot *p, uint32_t attempt, struct oid *ret_base,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct integrate_work work = { .message = STR("base\n") };
	uint64_t at_us = 0;
	struct workspace ws;
	enum pawl_rc rc;

	rc = workspace_look(p, attempt, &ws, err);
	if (rc != PAWL_OK)
		return rc;
	if (a->placement == PLACEMENT_WORKTREE || a->before.len == 0) {
		*ret_base = ws.before;
		return PAWL_OK;
	}
	work.tree = ws.before;
	rc = workspace_oid(a->base, &work.base, err);
	if (rc == PAWL_OK)
		rc = landing_identify(p, err);
	if (rc == PAWL_OK)
		rc = clock_parse(a->at_started, &at_us, err);
	work.ident = p->ident;
	work.ident.at_s = at_us / 1000000;
	return rc == PAWL_OK ? integrate_commit(&p->repo, &work, ret_base, err)
			     : rc;
}

enum pawl_rc
red_make(struct pilot *p, uint32_t attempt, struct workspace *ret_ws,
	struct pawl_err *err)
{
	struct workspace ws = { 0 };
	struct worktree_spec spec;
	struct worktree w;
	struct str path;
	int fd = -1;
	enum pawl_rc rc = PAWL_OK;

	if (p->repo.git_dir == NULL)
		return pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"'Red' needs a base to run the check on");
	spec_of(p, attempt, pilot_attempt(p, attempt)->checks + 1, &spec);
	path = path_of(p, &spec);
	rc = base_of(p, attempt, &spec.base, err);
	if (rc == PAWL_OK && open_cleanup(p, path) == NULL)
		rc = worker_register(p, attempt, STR("worktree"), path, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc == PAWL_OK)
		rc = statedir_make_path(
			p->run->place->fs, spec.parent, &fd, err);
	fs_close(p->run->place->fs, &fd);
	if (rc == PAWL_OK)
		rc = worktree_add(&p->repo, &spec, &p->mem, &w, err);
	if (rc != PAWL_OK)
		return rc;
	ws.repo = w.repo;
	ws.index = w.index;
	ws.before = ws.after = spec.base;
	*ret_ws = ws;
	return PAWL_OK;
}

/* Gone already is success: a call before this one may have died here. */
static enum pawl_rc
remove_worktree(struct pilot *p, const struct worktree_spec *spec,
	struct str path, struct pawl_err *err)
{
	struct worktree_removal removal = {
		.spec = spec, .onto = spec->branch, .preserved = true
	};
	struct pawl_err ignored;
	struct stat st;
	enum pawl_rc rc;

	if (fs_stat(p->run->place->fs, AT_FDCWD, arena_strdup(&p->mem, path),
		    &st, &ignored) == PAWL_OK) {
		removal.dev = st.st_dev;
		removal.inode = st.st_ino;
	}
	rc = worktree_remove(&p->repo, &removal, err);
	/* It has no commit but the one that it was made at. */
	return rc == PAWL_OK ? integrate_drop(&p->repo, p->config.lock_dir,
				       spec->branch, spec->branch, err)
			     : rc;
}

enum pawl_rc
red_drop(struct pilot *p, uint32_t attempt, uint32_t number,
	struct pawl_err *err)
{
	struct command cmd;
	const struct cleanup *c;
	struct worktree_spec spec;
	struct pawl_err why;
	struct str path;
	bool gone;

	spec_of(p, attempt, number, &spec);
	path = path_of(p, &spec);
	c = open_cleanup(p, path);
	if (c == NULL)
		return PAWL_OK;
	gone = remove_worktree(p, &spec, path, &why) == PAWL_OK;
	if (!gone && fs_may_pass(&why)) {
		*err = why;
		return err->rc;
	}
	cmd = pilot_command(p, EV_CLEANUP_SETTLED, attempt);
	EVENT_SET(&cmd.event, F_CLEANUP, cleanup, c->id);
	EVENT_SET(&cmd.event, F_STATUS, status,
		gone ? STR("verified") : STR("retained"));
	EVENT_SET(&cmd.event, F_REASON, reason,
		gone ? STR("removed")
		     : arena_format(&p->mem, "kept: %s", why.msg));
	return pilot_propose(p, &cmd, err);
}

enum pawl_rc
red_settle(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	uint32_t checks = a->checks;
	enum pawl_rc rc = PAWL_OK;

	if (!p->run->plan.nodes[a->node].red)
		return PAWL_OK;
	for (uint32_t k = 1; rc == PAWL_OK && k <= checks + 1; k++)
		rc = red_drop(p, attempt, k, err);
	return rc;
}
