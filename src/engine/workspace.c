#include "engine/workspace.h"

#include "engine/integrate.h"
#include "engine/ref.h"
#include "engine/restore.h"
#include "engine/seen.h"
#include "engine/settings.h"
#include "engine/statedir.h"
#include "engine/tether.h"
#include "model/contract.h"
#include "store/artifact.h"

enum pawl_rc
workspace_oid(struct str text, struct oid *ret_oid, struct pawl_err *err)
{
	if (!oid_read(text, ret_oid))
		return pawl_fail(err, ERR_CORRUPT,
			"'" STR_FMT "' names no object", STR_ARG(text));
	return PAWL_OK;
}

/* "refs/heads/pawl/RUN/main" */
const char *
workspace_run_ref(struct pilot *p)
{
	return arena_format(&p->mem, "refs/heads/pawl/" STR_FMT "/main",
		STR_ARG(p->run->id))
		.ptr;
}

/*
 * Did a crash come between publishing an attempt's commit and its event?  Then
 * it is of the very tree that a check passed, on the tip.
 */
static bool
is_unrecorded(struct pilot *p, const struct oid *now, const struct oid *tip)
{
	const struct state *s = &p->run->state;
	const struct attempt *a;
	struct pawl_err ignored;
	struct oid tree, parent;

	if (integrate_look(&p->repo, now, &tree, &parent, &ignored) !=
			PAWL_OK ||
		!oid_eq(&parent, tip))
		return false;
	VEC_EACH (a, &s->attempts) {
		if (a->status == ATTEMPT_CHECKED && a->check_1 != 0 &&
			str_eq(s->checks.items[a->check_1 - 1].tree,
				str_from(tree.hex)))
			return true;
	}
	return false;
}

/*
 * Head of the run's branch, as the journal knows it.  One that somebody else
 * moved is nothing to build on: what it holds was never checked.
 */
enum pawl_rc
workspace_tip(struct pilot *p, struct oid *ret_tip, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct oid tip, now;
	enum pawl_rc rc;

	rc = workspace_oid(s->tip.len > 0 ? s->tip : s->run.base, &tip, err);
	if (rc == PAWL_OK)
		rc = ref_read(&p->repo, workspace_run_ref(p), &now, err);
	if (rc != PAWL_OK)
		return rc;
	if (!oid_eq(&now, &tip) &&
		(oid_is_none(&now) || !is_unrecorded(p, &now, &tip))) {
		(void)pawl_fail(err, ERR_REF_MOVED,
			"'%s' is %s%.12s, and the run's journal has it at"
			" %.12s",
			workspace_run_ref(p),
			oid_is_none(&now) ? "gone" : "at ", now.hex, tip.hex);
		return pawl_hint(err, "git update-ref %s %s",
			workspace_run_ref(p), tip.hex);
	}
	*ret_tip = tip;
	return PAWL_OK;
}

enum pawl_rc
workspace_spec(struct pilot *p, uint32_t attempt,
	struct worktree_spec *ret_spec, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str path = a->worktree;
	size_t name = path.len;
	struct worktree_spec spec = { .lock_dir = p->config.lock_dir };

	while (name > 0 && path.ptr[name - 1] != '/')
		name--;
	spec.parent =
		arena_strdup(&p->mem, str_part(path, 0, name ? name - 1 : 0));
	spec.name = arena_strdup(&p->mem, str_part(path, name, path.len));
	spec.branch = arena_strdup(&p->mem, a->branch);
	spec.marker =
		arena_format(&p->mem, "pawl run " STR_FMT " worktree %s\n",
			STR_ARG(p->run->id), spec.name);
	*ret_spec = spec;
	return workspace_oid(a->base, &ret_spec->base, err);
}

enum pawl_rc
workspace_make(struct pilot *p, uint32_t attempt, struct worktree *ret_worktree,
	struct pawl_err *err)
{
	struct worktree_spec spec;
	struct oid base;
	int fd = -1;
	enum pawl_rc rc;

	rc = settings_hold(&p->repo, pilot_path(p, SETTINGS_FILE), err);
	if (rc == PAWL_OK)
		rc = workspace_spec(p, attempt, &spec, err);
	if (rc == PAWL_OK)
		rc = statedir_make_path(
			p->run->place->fs, spec.parent, &fd, err);
	fs_close(p->run->place->fs, &fd);
	if (rc == PAWL_OK)
		rc = workspace_oid(p->run->state.run.base, &base, err);
	if (rc == PAWL_OK)
		rc = integrate_start(&p->repo, p->config.lock_dir,
			workspace_run_ref(p), &base, err);
	if (rc == PAWL_OK &&
		worktree_open(&p->repo, &spec, &p->mem, ret_worktree, err) ==
			PAWL_OK)
		return PAWL_OK;
	if (rc == PAWL_OK)
		rc = worktree_add(&p->repo, &spec, &p->mem, ret_worktree, err);
	return rc;
}

/*
 * The receipt of an attempt's worktree: what `started` recorded, or, for one
 * that nobody was let into yet, what stands there (its marker must be ours).
 */
static void
receipt_set(const struct fs *fs, const struct attempt *a, const char *dir,
	struct worktree_removal *removal)
{
	struct pawl_err ignored;
	struct stat st;

	removal->dev = a->dev;
	removal->inode = a->ino;
	if (a->ino == 0 &&
		fs_stat(fs, AT_FDCWD, dir, &st, &ignored) == PAWL_OK) {
		removal->dev = st.st_dev;
		removal->inode = st.st_ino;
	}
}

/* Remove an attempt's worktree and its branch, once `onto` has its commits. */
/* Whoever said that it is to be kept is told so in the journal. */
static const struct cleanup *
retained_worktree(const struct state *s, struct str path)
{
	const struct cleanup *c;

	VEC_EACH (c, &s->cleanups) {
		if (c->status == CLEANUP_RETAINED &&
			str_eq(c->kind, STR("worktree")) &&
			str_eq(c->target, path))
			return c;
	}
	return NULL;
}

enum pawl_rc
workspace_drop(struct pilot *p, uint32_t attempt, const char *onto,
	bool preserved, bool branch, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct cleanup *kept =
		retained_worktree(&p->run->state, a->worktree);
	struct worktree_spec spec;
	struct worktree_removal removal = {
		.spec = &spec, .onto = onto, .preserved = preserved
	};
	enum pawl_rc rc;

	if (kept != NULL)
		return pawl_fail(err, ERR_CLEANUP_BLOCKED,
			"cleanup '" STR_FMT "' retains it", STR_ARG(kept->id));
	rc = workspace_spec(p, attempt, &spec, err);
	if (rc != PAWL_OK)
		return rc;
	receipt_set(p->run->place->fs, a, arena_strdup(&p->mem, a->worktree),
		&removal);
	rc = worktree_remove(&p->repo, &removal, err);
	if (rc == PAWL_OK && branch)
		rc = integrate_drop(&p->repo, p->config.lock_dir, spec.branch,
			workspace_run_ref(p), err);
	return rc;
}

enum pawl_rc
workspace_settle(struct pilot *p, uint32_t attempt, struct str removed,
	const struct pawl_err *why, struct pawl_err *err)
{
	if (why == NULL)
		return pilot_settle(p, attempt, STR("worktree"),
			STR("verified"), removed, err);
	/* What never began ends at once: nothing of it is worth another try. */
	if (fs_may_pass(why) &&
		pilot_attempt(p, attempt)->status != ATTEMPT_RESERVED) {
		*err = *why;
		return err->rc;
	}
	return pilot_settle(p, attempt, STR("worktree"), STR("retained"),
		arena_format(&p->mem, "kept: %s", why->msg), err);
}

/* Is its worktree that of an earlier attempt, which it repairs? */
static bool
is_shared(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	for (uint32_t i = attempt; a->hypothesis.len > 0 && i-- > 0;) {
		const struct attempt *earlier = pilot_attempt(p, i);

		if (earlier->node == a->node)
			return str_eq(earlier->worktree, a->worktree);
	}
	return false;
}

enum pawl_rc
workspace_discard(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct pawl_err why;
	enum pawl_rc rc;

	if (a->placement != PLACEMENT_WORKTREE)
		return PAWL_OK;
	if (a->status == ATTEMPT_RESERVED && is_shared(p, attempt))
		return PAWL_OK; /* it holds the last attempt's changes */
	rc = workspace_drop(p, attempt, workspace_run_ref(p), true, true, &why);
	return workspace_settle(
		p, attempt, STR("removed"), rc == PAWL_OK ? NULL : &why, err);
}

/* It outlives the turn. */
static void
place_known(struct pilot *p, const struct oid *tree)
{
	if (!str_eq(p->tree, str_from(tree->hex)))
		p->tree = arena_copy(&p->keep, str_from(tree->hex));
}

enum pawl_rc
workspace_snapshot_place(struct pilot *p, struct pawl_err *err)
{
	struct oid tree;
	enum pawl_rc rc;

	if (p->repo.git_dir == NULL) {
		p->tree = STR("none"); /* outside a repository: only reads */
		return PAWL_OK;
	}
	rc = seen_take(p, &p->repo, pilot_path(p, "index"), &tree, err);
	if (rc == PAWL_OK)
		place_known(p, &tree);
	return rc;
}

/*
 * Where the attempt's branch is: for a worker that has just ended, or ended
 * without a verdict, after it was put back to where it was.
 */
static enum pawl_rc
branch_read(struct pilot *p, uint32_t attempt, const struct worktree_spec *spec,
	const struct worktree *w, struct oid *ret_at, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct state *s = &p->run->state;
	struct tether t = { .branch = spec->branch, .base = spec->base };
	enum pawl_rc rc;

	if (a->status != ATTEMPT_STARTED && !a->unreconciled)
		return ref_read(&p->repo, spec->branch, ret_at, err);
	rc = workspace_oid(s->tip.len > 0 ? s->tip : s->run.base, &t.tip, err);
	return rc == PAWL_OK ? tether_settle(w, &t, ret_at, err) : rc;
}

enum pawl_rc
workspace_look(struct pilot *p, uint32_t attempt, struct workspace *ret_ws,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct workspace ws = { .repo = p->repo };
	struct worktree_spec spec;
	struct worktree w;
	enum pawl_rc rc;

	if (p->repo.git_dir == NULL) {
		*ret_ws = ws;
		return PAWL_OK;
	}
	if (a->placement == PLACEMENT_IN_PLACE) {
		ws.index = pilot_path(p, "index");
		rc = a->before.len > 0
			? workspace_oid(a->before, &ws.before, err)
			: workspace_oid(a->base, &ws.before, err);
	} else {
		rc = workspace_spec(p, attempt, &spec, err);
		if (rc == PAWL_OK)
			rc = worktree_open(&p->repo, &spec, &p->mem, &w, err);
		if (rc == PAWL_OK)
			rc = worktree_await(&w, err);
		if (rc == PAWL_OK) {
			ws.repo = w.repo;
			ws.index = w.index;
			rc = branch_read(
				p, attempt, &spec, &w, &ws.before, err);
		}
	}
	if (rc == PAWL_OK)
		rc = seen_take(p, &ws.repo, ws.index, &ws.after, err);
	if (rc != PAWL_OK)
		return rc;
	if (a->placement == PLACEMENT_IN_PLACE)
		place_known(p, &ws.after);
	*ret_ws = ws;
	return PAWL_OK;
}

bool
workspace_is_lost(struct pilot *p, uint32_t attempt, enum pawl_rc rc,
	const struct pawl_err *err)
{
	return rc != PAWL_OK &&
		pilot_attempt(p, attempt)->placement == PLACEMENT_WORKTREE &&
		(err->code == ERR_FILE_NOT_FOUND ||
			err->code == ERR_UNSAFE_PATH);
}

/* Undo in place: paths inside the scope go back, others are left and named. */
static enum pawl_rc
undo_in_place(struct pilot *p, uint32_t attempt, const struct changes *changes,
	uint64_t *ret_restored, struct strs *ret_left, struct pawl_err *err)
{
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct restore_misses misses = { 0 };
	struct changes ours = { 0 };
	const struct restore_miss *miss;
	struct strs left = { 0 };
	enum pawl_rc rc;

	for (size_t i = 0; i < changes->count; i++) {
		if (contract_covers(&v, changes->items[i].path))
			changes_push(&ours, changes->items[i]);
		else
			event_list_path(&p->mem, &left, changes->items[i].path);
	}
	rc = restore_paths(
		&p->repo, pilot_path(p, "logs"), &ours, &misses, err);
	VEC_EACH (miss, &misses)
		event_list_path(&p->mem, &left, miss->path);
	*ret_restored = ours.count - misses.count;
	*ret_left = left;
	restore_misses_release(&misses);
	changes_release(&ours);
	return rc;
}

/* The difference as a patch among the artifacts; its digest, or empty. */
static enum pawl_rc
keep_patch(struct pilot *p, const struct workspace *ws, struct str *ret_digest,
	struct pawl_err *err)
{
	struct buf patch = { 0 };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	rc = snapshot_patch(&ws->repo, &ws->before, &ws->after, 0, &patch, err);
	if (rc == PAWL_OK)
		rc = artifact_put(p->run->place->fs, p->run->dir,
			buf_str(&patch), hex, err);
	if (rc == PAWL_OK)
		*ret_digest = arena_copy(&p->mem, str_from(hex));
	buf_release(&patch);
	return rc;
}

/*
 * What can't be looked into has no patch: a worktree that stands all the same,
 * with a repository in it that can't be recorded, isn't thrown away unseen.
 */
static enum pawl_rc
give_up_unseen(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct worktree_spec spec;
	struct worktree w;
	struct pawl_err ignored;
	enum pawl_rc rc = workspace_spec(p, attempt, &spec, &ignored);

	if (rc == PAWL_OK)
		rc = worktree_open(&p->repo, &spec, &p->mem, &w, &ignored);
	if (rc != PAWL_OK)
		return workspace_discard(p, attempt, err);
	return pilot_settle(p, attempt, STR("worktree"), STR("retained"),
		arena_format(&p->mem, "kept: %s", err->msg), err);
}

enum pawl_rc
workspace_reconcile(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_WORKSPACE_RECONCILED, attempt);
	const struct attempt *a = pilot_attempt(p, attempt);
	struct changes changes = { 0 };
	struct strs left = { 0 };
	struct str patch = { "", 0 };
	uint64_t restored = 0;
	struct workspace ws;
	enum pawl_rc rc;

	rc = pilot_commit(p, err);
	if (rc == PAWL_OK)
		rc = workspace_look(p, attempt, &ws, err);
	if (workspace_is_lost(p, attempt, rc, err)) {
		rc = give_up_unseen(p, attempt, err);
		goto record;
	}
	if (rc == PAWL_OK)
		rc = snapshot_changes(&ws.repo, &ws.before, &ws.after, &p->mem,
			&changes, err);
	if (rc == PAWL_OK && changes.count > 0)
		rc = keep_patch(p, &ws, &patch, err);
	if (rc == PAWL_OK && a->placement == PLACEMENT_IN_PLACE) {
		rc = undo_in_place(p, attempt, &changes, &restored, &left, err);
		p->tree = STR("");
	} else if (rc == PAWL_OK) {
		rc = workspace_discard(p, attempt, err);
	}
record:
	if (rc == PAWL_OK) {
		if (patch.len > 0)
			EVENT_SET(&cmd.event, F_PATCH_SHA256, patch_sha256,
				patch);
		EVENT_SET(&cmd.event, F_RESTORED, restored, restored);
		if (left.count > 0)
			EVENT_SET(&cmd.event, F_LEFT, left, left);
		rc = pilot_propose(p, &cmd, err);
	}
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	changes_release(&changes);
	return rc;
}
