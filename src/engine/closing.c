#include "engine/closing.h"

#include "engine/landing.h"
#include "model/contract.h"

enum { PATHS_LISTED_MAX = 64 };

/* What differs between the run's base and its result. */
static enum pawl_rc
result_changes(
	struct pilot *p, struct changes *ret_changes, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct oid base, result;
	enum pawl_rc rc = workspace_oid(s->run.base, &base, err);

	if (rc == PAWL_OK && s->run.placement == PLACEMENT_WORKTREE) {
		if (s->tip.len == 0)
			return PAWL_OK;
		rc = workspace_tip(p, &result, err);
	} else if (rc == PAWL_OK) {
		rc = workspace_snapshot_place(p, err);
		if (rc == PAWL_OK)
			rc = workspace_oid(p->tree, &result, err);
	}
	return rc == PAWL_OK ? snapshot_changes(&p->repo, &base, &result,
				       &p->mem, ret_changes, err)
			     : rc;
}

static bool
has_written(const struct state *s)
{
	const struct attempt *a;

	VEC_EACH (a, &s->attempts) {
		if (s->plan->nodes[a->node].mode == MODE_WRITE)
			return true;
	}
	return false;
}

static bool
was_dirty(const struct state *s, struct str path)
{
	if (s->run.placement == PLACEMENT_WORKTREE)
		return false; /* nothing of it is in the run's commits */
	for (uint32_t i = 0; i < s->run.dirty.count; i++) {
		if (str_eq(s->run.dirty.items[i], path))
			return true;
	}
	return false;
}

/* Did the node's contract cover it, in any revision? */
static bool
ever_covered(const struct state *s, uint32_t node, struct str path)
{
	struct contract_view v = contract_with(s, node, NULL);
	const struct amendment *a;

	if (contract_covers(&v, path))
		return true;
	VEC_EACH (a, &s->amendments) {
		v = contract_with(s, node, a);
		if (a->node == node && contract_covers(&v, path))
			return true;
	}
	return false;
}

/*
 * What was integrated was proven then, and no grade that came after it takes it
 * off the run's branch: it must not keep the run open for ever.
 */
static bool
is_integrated(const struct state *s, struct str path)
{
	const struct attempt *a;

	VEC_EACH (a, &s->attempts) {
		if (a->commit.len > 0 && ever_covered(s, a->node, path))
			return true;
	}
	return false;
}

/* `hint` is the task that answered for the path before: most often again. */
static bool
is_proven(const struct state *s, struct str path, uint32_t *hint)
{
	for (uint32_t i = 0; i < s->plan->count; i++) {
		uint32_t node = (*hint + i) % s->plan->count;
		struct contract_view v = contract_of(s, node);

		if (s->nodes[node].status == NODE_PASSED &&
			s->plan->nodes[node].mode == MODE_WRITE &&
			contract_covers(&v, path)) {
			*hint = node;
			return true;
		}
	}
	return is_integrated(s, path);
}

enum pawl_rc
closing_unproven(struct pilot *p, struct strs *ret_paths, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct changes changes = { 0 };
	struct strs paths = { 0 };
	const struct change *c;
	uint32_t hint = 0;
	enum pawl_rc rc = PAWL_OK;

	if (p->repo.git_dir != NULL && has_written(s))
		rc = result_changes(p, &changes, err);
	if (rc == PAWL_OK)
		paths.items = arena_array(&p->mem, changes.count, struct str);
	VEC_EACH (c, &changes) {
		if (rc == PAWL_OK && !was_dirty(s, c->path) &&
			!is_proven(s, c->path, &hint))
			paths.items[paths.count++] = c->path;
	}
	changes_release(&changes);
	if (rc == PAWL_OK)
		*ret_paths = paths;
	return rc;
}

static enum pawl_rc
refuse_unproven(
	struct arena *mem, const struct strs *paths, struct pawl_err *err)
{
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };

	json_open(&w, '{');
	json_pair_u64(&w, STR("count"), paths->count);
	json_key(&w, STR("paths"));
	json_open(&w, '[');
	for (uint32_t i = 0; i < paths->count && i < PATHS_LISTED_MAX; i++)
		json_put_str(&w, paths->items[i]);
	json_close(&w, ']');
	json_close(&w, '}');
	(void)pawl_fail(err, ERR_CHANGED_PATH_UNPROVEN,
		"'" STR_FMT "' changed, and no task that passed answers for it"
		" (%u such paths)",
		STR_ARG(paths->items[0]), paths->count);
	err->detail = arena_copy(mem, buf_str(&json));
	buf_release(&json);
	return err->rc;
}

enum pawl_rc
closing_complete(struct pilot *p, struct str outcome, struct str reason,
	struct arena *mem, bool *ret_again, struct pawl_err *err)
{
	struct command cmd =
		run_command(p->run, EV_RUN_CLOSED, STR(""), STR(""));
	const struct state *s = &p->run->state;
	struct strs unproven;
	enum pawl_rc rc;

	*ret_again = is_run_closed(s) && str_eq(s->outcome, outcome);
	if (*ret_again)
		return landing_closed(p->run, err);
	EVENT_SET(&cmd.event, F_OUTCOME, outcome, outcome);
	if (reason.len > 0)
		EVENT_SET(&cmd.event, F_REASON, reason, reason);
	rc = decide(s, &cmd, err);
	if (rc == PAWL_OK)
		rc = closing_unproven(p, &unproven, err);
	if (rc == PAWL_OK && unproven.count > 0)
		rc = refuse_unproven(mem, &unproven, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	if (rc == PAWL_OK)
		rc = plumb_finish(p, err);
	return rc == PAWL_OK ? landing_closed(p->run, err) : rc;
}
