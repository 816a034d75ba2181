#include "engine/landing.h"
#include "engine/agents.h"
#include "engine/cage.h"

#include "engine/cleaning.h"
#include "engine/integrate.h"
#include "engine/red.h"
#include "engine/ref.h"
#include "engine/seen.h"
#include "engine/verdict.h"
#include "model/registered.h"
#include "store/rundir.h"

enum pawl_rc
landing_identify(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	if (!p->identified)
		rc = repo_identity(&p->repo, &p->keep, &p->ident, err);
	p->identified = rc == PAWL_OK;
	return rc;
}

/* The commit of an attempt's work on `base`; the same bytes every time. */
static enum pawl_rc
work_of(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct integrate_work *ret_work, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct integrate_work work = { .tree = ws->after, .base = ws->before };
	uint64_t at_us = 0;
	enum pawl_rc rc;

	work.message = arena_format(&p->mem,
		STR_FMT ": " STR_FMT "\n\nPawl-Run: " STR_FMT
			"\nPawl-Attempt: " STR_FMT "\n",
		STR_ARG(pilot_node_id(p, attempt)),
		STR_ARG(plan_title(&p->run->plan, a->node)),
		STR_ARG(p->run->id), STR_ARG(pilot_attempt_id(p, attempt)));
	rc = landing_identify(p, err);
	work.ident = p->ident;
	if (rc == PAWL_OK)
		rc = clock_parse(a->at_started, &at_us, err);
	work.ident.at_s = at_us / 1000000;
	if (rc == PAWL_OK)
		rc = integrate_commit(&p->repo, &work, &work.commit, err);
	if (rc == PAWL_OK)
		*ret_work = work;
	return rc;
}

/* The attempt ends INTEGRATION_FAILED: its branch keeps the work. */
static enum pawl_rc
integration_failed(struct pilot *p, uint32_t attempt, struct str reason,
	const struct paths *paths, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_INTEGRATION_FAILED, attempt);
	struct strs list = { 0 };
	const struct str *path;
	enum pawl_rc rc;

	rc = landing_give_up(p, attempt, err);
	if (rc != PAWL_OK)
		return rc;
	VEC_EACH (path, paths)
		event_list_path(&p->mem, &list, *path);
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	EVENT_SET(&cmd.event, F_PATHS, paths, list);
	EVENT_SET(&cmd.event, F_BRANCH, branch,
		pilot_attempt(p, attempt)->branch);
	p->landing_1 = 0;
	rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

/* The worktree becomes `tip` plus the merged changes, uncommitted. */
static enum pawl_rc
worktree_move(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	const struct integrate_rebased *rebased, const struct oid *tip,
	struct pawl_err *err)
{
	struct ref_update back = { .to = *tip, .from = rebased->commit };
	struct seen_move move;
	struct worktree_spec spec;
	struct worktree w;
	enum pawl_rc rc;

	rc = workspace_spec(p, attempt, &spec, err);
	if (rc == PAWL_OK)
		rc = worktree_open(&p->repo, &spec, &p->mem, &w, err);
	if (rc == PAWL_OK)
		rc = seen_move_begin(p, ws, &rebased->tree, &move, err);
	if (rc != PAWL_OK)
		return rc;
	rc = worktree_reset(&w, &rebased->commit, err);
	seen_move_end(p, &w.repo, &move, rc == PAWL_OK);
	back.name = spec.branch;
	return rc == PAWL_OK ? ref_update(&p->repo, &back, 1, err) : rc;
}

/* A crash in worktree_move left the branch at the merged commit: undo that. */
static enum pawl_rc
branch_settle(struct pilot *p, uint32_t attempt, const struct oid *tip,
	struct workspace *ws, struct pawl_err *err)
{
	struct ref_update back = { .from = ws->before };
	struct worktree_spec spec;
	struct oid tree;
	bool contained = false;
	enum pawl_rc rc;

	rc = integrate_contains(&p->repo, tip, &ws->before, &contained, err);
	if (rc != PAWL_OK || contained)
		return rc;
	rc = workspace_spec(p, attempt, &spec, err);
	if (rc != PAWL_OK)
		return rc;
	back.name = spec.branch;
	back.to = *tip;
	rc = integrate_look(&p->repo, &ws->before, &tree, &back.to, err);
	if (rc == PAWL_OK)
		rc = ref_update(&p->repo, &back, 1, err);
	if (rc == PAWL_OK)
		ws->before = back.to;
	return rc;
}

enum pawl_rc
landing_rebase(struct pilot *p, uint32_t attempt, bool *ret_ready,
	struct pawl_err *err)
{
	struct integrate_rebased rebased = { 0 };
	struct integrate_work work;
	struct workspace ws;
	struct oid tip;
	enum pawl_rc rc;

	*ret_ready = true;
	if (pilot_attempt(p, attempt)->placement != PLACEMENT_WORKTREE ||
		!pilot_writes(p, attempt))
		return PAWL_OK;
	*ret_ready = false;
	rc = workspace_tip(p, &tip, err);
	if (rc == PAWL_OK)
		rc = workspace_look(p, attempt, &ws, err);
	if (rc == PAWL_OK)
		rc = branch_settle(p, attempt, &tip, &ws, err);
	if (rc != PAWL_OK)
		return rc;
	if (oid_eq(&tip, &ws.before)) {
		*ret_ready = true;
		return PAWL_OK;
	}
	if (p->landing_1 != 0 && p->landing_1 != attempt + 1)
		return PAWL_OK;
	p->landing_1 = attempt + 1;
	rc = work_of(p, attempt, &ws, &work, err);
	if (rc == PAWL_OK)
		rc = integrate_rebase(
			&p->repo, &work, &tip, &p->mem, &rebased, err);
	if (rc == PAWL_OK && rebased.outcome == INTEGRATE_DONE) {
		rc = worktree_move(p, attempt, &ws, &rebased, &tip, err);
		*ret_ready = rc == PAWL_OK;
	} else if (rc == PAWL_OK) {
		rc = integration_failed(p, attempt,
			rebased.outcome == INTEGRATE_CONFLICT
				? STR("conflict")
				: STR("the merge would change other paths"),
			&rebased.paths, err);
	}
	paths_release(&rebased.paths);
	return rc;
}

bool
landing_waits(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	return p->landing_1 != 0 && p->landing_1 != attempt + 1 &&
		a->placement == PLACEMENT_WORKTREE &&
		pilot_writes(p, attempt) &&
		(a->status == ATTEMPT_REPORTED || a->status == ATTEMPT_CHECKED);
}

enum pawl_rc
landing_pass(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_NODE_GRADED, attempt);
	const struct attempt *a = pilot_attempt(p, attempt);

	if (a->blocking > 0 && !p->config.manual)
		return verdict_found(p, attempt, err);
	EVENT_SET(&cmd.event, F_GRADE, grade, STR("pass"));
	if (a->check_1 != 0)
		EVENT_SET(&cmd.event, F_CHECK, check,
			state_check_id(
				&p->run->state, a->check_1 - 1, &p->mem));
	return pilot_propose(p, &cmd, err);
}

/* What was checked isn't what would land: it is to be checked again. */
static enum pawl_rc
moved(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct str id = pilot_attempt_id(p, attempt);
	bool ready;
	enum pawl_rc rc;

	if (!p->config.manual)
		return verdict_start(p, attempt, err);
	rc = landing_rebase(p, attempt, &ready, err);
	if (rc != PAWL_OK)
		return rc;
	if (!is_attempt_live(pilot_attempt(p, attempt))) {
		return pawl_fail(err, ERR_INTEGRATION_FAILED,
			"the work of '" STR_FMT "' doesn't go onto the run's"
			" branch: " STR_FMT,
			STR_ARG(id), STR_ARG(pilot_attempt(p, attempt)->cause));
	}
	(void)pawl_fail(err, ERR_CHECK_STALE,
		"'" STR_FMT "' isn't any more what its check saw: the run's"
		" branch or the worktree changed; check it again",
		STR_ARG(id));
	return pawl_hint(err, "pawl task check " STR_FMT " --rerun",
		STR_ARG(pilot_node_id(p, attempt)));
}

/* Is what lies in the workspace the tree that the last check saw? */
static bool
is_as_checked(struct pilot *p, uint32_t attempt, const struct workspace *ws)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	return a->check_1 != 0 &&
		str_eq(p->run->state.checks.items[a->check_1 - 1].tree,
			str_from(ws->after.hex));
}

enum pawl_rc
landing_integrate(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct integrate_publication pub = { .lock_dir = p->config.lock_dir,
		.ref = workspace_run_ref(p) };
	struct command cmd = pilot_command(p, EV_INTEGRATED, attempt);
	struct integrate_work work;
	struct workspace ws;
	enum pawl_rc rc;

	/* Before the branch moves. */
	rc = decide(&p->run->state, &cmd, err);
	if (rc == PAWL_OK)
		rc = workspace_look(p, attempt, &ws, err);
	if (rc == PAWL_OK)
		rc = work_of(p, attempt, &ws, &work, err);
	if (rc != PAWL_OK)
		return rc;
	if (!is_as_checked(p, attempt, &ws))
		return moved(p, attempt, err);
	pub.from = ws.before;
	pub.commit = work.commit;
	rc = integrate_publish(&p->repo, &pub, err);
	if (rc == PAWL_ECONFLICT && err->code == ERR_REF_MOVED)
		return moved(p, attempt, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(&cmd.event, F_COMMIT, commit,
		arena_copy(&p->mem, str_from(pub.commit.hex)));
	EVENT_SET(&cmd.event, F_ONTO, onto,
		arena_copy(&p->mem, str_from(pub.from.hex)));
	EVENT_SET(&cmd.event, F_BRANCH, branch, str_from(pub.ref));
	p->landing_1 = 0;
	rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK && !p->config.manual ? pilot_commit(p, err) : rc;
}

enum pawl_rc
landing_finish(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct workspace ws;
	enum pawl_rc rc;

	if (a->placement == PLACEMENT_IN_PLACE && pilot_writes(p, attempt)) {
		rc = workspace_look(p, attempt, &ws, err);
		if (rc != PAWL_OK)
			return rc;
		if (!is_as_checked(p, attempt, &ws))
			return moved(p, attempt, err);
	}
	if (a->placement == PLACEMENT_WORKTREE) {
		rc = pilot_commit(p, err);
		if (rc == PAWL_OK)
			rc = workspace_discard(p, attempt, err);
		if (rc != PAWL_OK)
			return rc;
	}
	return landing_pass(p, attempt, err);
}

enum pawl_rc
landing_advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	if (p->config.manual || is_attempt_held(&p->run->state, a))
		return PAWL_OK;
	if (a->blocking > 0)
		return verdict_found(p, attempt, err);
	if (a->status == ATTEMPT_CHECKED && pilot_writes(p, attempt) &&
		a->placement == PLACEMENT_WORKTREE) {
		if (landing_waits(p, attempt))
			return PAWL_OK;
		return landing_integrate(p, attempt, err);
	}
	return landing_finish(p, attempt, err);
}

enum pawl_rc
landing_give_up(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt a = *pilot_attempt(p, attempt);
	struct ref_update keep = { 0 };
	struct pawl_err ignored;
	struct oid kept = { 0 };
	struct integrate_work work;
	struct workspace ws;
	struct pawl_err why;
	enum pawl_rc rc;

	if (p->landing_1 == attempt + 1)
		p->landing_1 = 0;
	rc = red_settle(p, attempt, err);
	if (rc != PAWL_OK || a.placement != PLACEMENT_WORKTREE)
		return rc;
	rc = pilot_commit(p, err);
	if (rc != PAWL_OK)
		return rc;
	keep.name = arena_strdup(&p->mem, a.branch);
	rc = workspace_look(p, attempt, &ws, &why);
	if (rc == PAWL_OK)
		rc = work_of(p, attempt, &ws, &work, &why);
	if (workspace_is_lost(p, attempt, rc, &why) &&
		ref_read(&p->repo, keep.name, &kept, &ignored) == PAWL_OK &&
		!oid_is_none(&kept) && !str_eq(str_from(kept.hex), a.base)) {
		/* An earlier coordinator kept it, and was killed after that. */
		rc = PAWL_OK;
	} else if (rc == PAWL_OK) {
		keep.from = ws.before;
		keep.to = work.commit;
		rc = ref_update(&p->repo, &keep, 1, &why);
	}
	if (rc == PAWL_OK)
		rc = workspace_drop(p, attempt, keep.name, true, false, &why);
	return workspace_settle(p, attempt,
		arena_format(&p->mem, "removed; the work is on " STR_FMT,
			STR_ARG(a.branch)),
		rc == PAWL_OK ? NULL : &why, err);
}

/* Logs are diagnostics of what runs; what counts of them is in the journal. */
static void
logs_remove(const struct run *run, struct arena *mem)
{
	const struct fs *fs = run->place->fs;
	const struct state *s = &run->state;
	struct pawl_err ignored;
	int fd = -1;
	enum pawl_rc rc = fs_open_dir(fs, run->dir, "logs", &fd, &ignored);

	/* A view: what can't be removed stays and does no harm. */
	for (uint32_t i = 0; rc == PAWL_OK && i < s->attempts.count; i++) {
		struct str id = state_attempt_id(s, i, mem);
		const struct attempt *a = &s->attempts.items[i];

		rc = fs_remove(fs, fd, id.ptr, &ignored);
		if (rc == PAWL_OK) {
			rc = fs_remove(fs, fd,
				arena_format(mem, STR_FMT ".lock", STR_ARG(id))
					.ptr,
				&ignored);
		}
		for (uint32_t k = 1; rc == PAWL_OK && k <= a->checks; k++) {
			rc = fs_remove(fs, fd,
				arena_format(mem, STR_FMT ".check-%u",
					STR_ARG(id), k)
					.ptr,
				&ignored);
		}
		arena_reset(mem);
	}
	fs_close(fs, &fd);
}

bool
landing_kept_open(const struct pilot *p, uint32_t attempt)
{
	const struct state *s = &p->run->state;
	uint32_t cleanup;

	return !p->config.manual &&
		is_attempt_kept_open(s, &s->attempts.items[attempt], &cleanup);
}

enum pawl_rc
landing_look_registered(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum pawl_rc rc = cleaning_retry_registered(
		p, pilot_attempt(p, attempt)->node, err);

	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

enum pawl_rc
landing_look_ended(struct pilot *p, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	enum pawl_rc rc = PAWL_OK;

	for (size_t i = 0; rc == PAWL_OK && i < s->cleanups.count; i++) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (c->by.len > 0 && !is_cleanup_settled(c) &&
			!is_attempt_live(&s->attempts.items[c->attempt]))
			rc = landing_look_registered(p, c->attempt, err);
	}
	return rc;
}

enum pawl_rc
landing_closed(const struct run *run, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;

	logs_remove(run, &mem);
	cage_clean_all(run);
	agents_clean(run);
	return rundir_mark_active(
		run->place->fs, run->place->state_dir, run->id.ptr, false, err);
}
