#include "engine/closing.h"

#include <string.h>

#include "base/bounds.h"
#include "engine/landing.h"
#include "engine/ref.h"
#include "model/contract.h"

enum {
	PATHS_LISTED_MAX = 64, /* in details, and in the line */
	STASH_BYTES = 120,     /* of paths in a hint */
};

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

/*
 * What was uncommitted when the run began.  The journal lists the first of it;
 * of more the tree tells that the first attempt found.
 */
static enum pawl_rc
dirty_find(struct pilot *p, struct changes *ret_dirty, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	const struct attempt *first = NULL;
	struct oid base, found;
	enum pawl_rc rc;

	if (s->run.placement == PLACEMENT_WORKTREE ||
		s->run.dirty.count < BOUND_DIRTY)
		return PAWL_OK;
	for (size_t i = 0; first == NULL && i < s->attempts.count; i++) {
		if (s->attempts.items[i].before.len > 0)
			first = &s->attempts.items[i];
	}
	if (first == NULL)
		return PAWL_OK;
	rc = workspace_oid(s->run.base, &base, err);
	if (rc == PAWL_OK)
		rc = workspace_oid(first->before, &found, err);
	return rc == PAWL_OK ? snapshot_changes(&p->repo, &base, &found,
				       &p->mem, ret_dirty, err)
			     : rc;
}

/* `*at` goes on through `dirty`, since both are in path order. */
static bool
was_dirty(const struct state *s, const struct changes *dirty, struct str path,
	size_t *at)
{
	if (s->run.placement == PLACEMENT_WORKTREE)
		return false; /* nothing of it is in the run's commits */
	for (uint32_t i = 0; i < s->run.dirty.count; i++) {
		if (str_eq(s->run.dirty.items[i], path))
			return true;
	}
	while (*at < dirty->count && str_cmp(dirty->items[*at].path, path) < 0)
		++*at;
	return *at < dirty->count && str_eq(dirty->items[*at].path, path);
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
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];
		struct contract_view v = contract_of_attempt(s, i);

		if (a->commit.len > 0 &&
			(contract_covers(&v, path) ||
				ever_covered(s, a->node, path)))
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

/* The paths that no passed task answers for, in path order; in p->mem. */
static enum pawl_rc
unproven_find(struct pilot *p, struct strs *ret_paths, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct changes changes = { 0 }, dirty = { 0 };
	struct strs paths = { 0 };
	const struct change *c;
	uint32_t hint = 0;
	size_t at = 0;
	enum pawl_rc rc = PAWL_OK;

	if (p->repo.git_dir != NULL && has_written(s))
		rc = result_changes(p, &changes, err);
	if (rc == PAWL_OK && changes.count > 0)
		rc = dirty_find(p, &dirty, err);
	if (rc == PAWL_OK)
		paths.items = arena_array(&p->mem, changes.count, struct str);
	VEC_EACH (c, &changes) {
		if (rc == PAWL_OK && !was_dirty(s, &dirty, c->path, &at) &&
			!is_proven(s, c->path, &hint))
			paths.items[paths.count++] = c->path;
	}
	changes_release(&changes);
	changes_release(&dirty);
	if (rc == PAWL_OK)
		*ret_paths = paths;
	return rc;
}

/* Name the paths in the details of a refusal. */
static void
paths_detail(const struct strs *paths, struct arena *mem, struct pawl_err *err)
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
	err->detail = arena_copy(mem, buf_str(&json));
	buf_release(&json);
}

/* What somebody else put onto the run's branch, when that can be told. */
static enum pawl_rc
name_moved(struct pilot *p, struct arena *mem, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct changes changes = { 0 };
	struct strs paths = { 0 };
	struct oid tip, now;
	struct pawl_err ignored;
	enum pawl_rc rc = workspace_oid(
		s->tip.len > 0 ? s->tip : s->run.base, &tip, &ignored);

	if (rc == PAWL_OK)
		rc = ref_read(&p->repo, workspace_run_ref(p), &now, &ignored);
	if (rc == PAWL_OK && !oid_is_none(&now))
		rc = snapshot_changes(
			&p->repo, &tip, &now, &p->mem, &changes, &ignored);
	if (rc == PAWL_OK && changes.count > 0) {
		paths.items = arena_array(&p->mem, changes.count, struct str);
		for (size_t i = 0; i < changes.count; i++)
			paths.items[paths.count++] = changes.items[i].path;
		paths_detail(&paths, mem, err);
		(void)pawl_wrap(err, "'" STR_FMT "' was changed by others",
			STR_ARG(paths.items[0]));
	}
	changes_release(&changes);
	return err->rc;
}

static enum pawl_rc
unproven(struct pilot *p, struct arena *mem, struct strs *ret_paths,
	struct pawl_err *err)
{
	enum pawl_rc rc = unproven_find(p, ret_paths, err);

	return rc != PAWL_OK && err->code == ERR_REF_MOVED
		? name_moved(p, mem, err)
		: rc;
}

/* Has somebody committed one of the paths since the run began? */
static bool
is_committed(struct pilot *p, const struct strs *paths)
{
	struct changes changes = { 0 };
	struct pawl_err ignored;
	struct ref_head head;
	const struct change *c;
	struct oid base;
	uint32_t at = 0;
	bool is = false;
	enum pawl_rc rc =
		workspace_oid(p->run->state.run.base, &base, &ignored);

	if (rc == PAWL_OK)
		rc = ref_must_head(&p->repo, &p->mem, &head, &ignored);
	if (rc == PAWL_OK)
		rc = snapshot_changes(&p->repo, &base, &head.commit, &p->mem,
			&changes, &ignored);
	VEC_EACH (c, &changes) {
		while (at < paths->count &&
			str_cmp(paths->items[at], c->path) < 0)
			at++;
		is = is ||
			(rc == PAWL_OK && at < paths->count &&
				str_eq(paths->items[at], c->path));
	}
	changes_release(&changes);
	return is;
}

/* Words of a shell that need no quotes. */
static bool
is_plain(struct str path)
{
	for (size_t i = 0; i < path.len; i++) {
		char c = path.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			    (c >= '0' && c <= '9') ||
			    (c != '\0' && strchr("/._-+,", c) != NULL)))
			return false;
	}
	return true;
}

/*
 * What isn't committed can be put out of the way: these paths alone, since the
 * tasks' own work lies beside them.  What was committed stays, and the run is
 * closed over it, for a reason.
 */
static enum pawl_rc
way_out(struct pilot *p, const struct strs *paths, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct str run = p->run->id, name = s->coordinator_name;
	struct buf words = { 0 };
	bool plain = s->run.placement == PLACEMENT_IN_PLACE;

	if (plain && !is_committed(p, paths)) {
		for (uint32_t i = 0; i < paths->count; i++) {
			plain = plain && is_plain(paths->items[i]) &&
				words.len + paths->items[i].len < STASH_BYTES;
			if (plain)
				buf_addf(&words, " " STR_FMT,
					STR_ARG(paths->items[i]));
		}
		(void)pawl_hint(err, "git stash push -u --%s",
			plain ? words.data : " PATH..., those of the details");
	} else if (name.len > 0) {
		(void)pawl_hint(err,
			"pawl task complete " STR_FMT " --as " STR_FMT
			" --outcome partial --reason TEXT",
			STR_ARG(run), STR_ARG(name));
	} else {
		(void)pawl_hint(err,
			"pawl task takeover " STR_FMT
			" --as ID, then pawl task complete " STR_FMT
			" --as ID --outcome partial --reason TEXT",
			STR_ARG(run), STR_ARG(run));
	}
	buf_release(&words);
	return err->rc;
}

enum pawl_rc
closing_prove(struct pilot *p, struct arena *mem, struct pawl_err *err)
{
	struct strs paths = { 0 };
	enum pawl_rc rc = unproven(p, mem, &paths, err);

	if (rc != PAWL_OK || paths.count == 0)
		return rc;
	(void)pawl_fail(err, ERR_CHANGED_PATH_UNPROVEN,
		"'" STR_FMT "' changed, and no task that passed answers for it"
		" (%u such path%s)",
		STR_ARG(paths.items[0]), paths.count,
		paths.count == 1 ? "" : "s");
	paths_detail(&paths, mem, err);
	return way_out(p, &paths, err);
}

/* For a reason a run that didn't pass is closed over them: they are named. */
static enum pawl_rc
unproven_set(struct pilot *p, struct arena *mem, struct event *e,
	struct pawl_err *err)
{
	struct strs paths = { 0 };
	enum pawl_rc rc = unproven(p, mem, &paths, err);

	if (rc != PAWL_OK || paths.count == 0)
		return rc;
	EVENT_SET(e, F_PATH_COUNT, path_count, paths.count);
	if (paths.count > PATHS_LISTED_MAX)
		paths.count = PATHS_LISTED_MAX;
	EVENT_SET(e, F_PATHS, paths, paths);
	return PAWL_OK;
}

enum pawl_rc
closing_complete(struct pilot *p, struct str outcome, struct str reason,
	struct arena *mem, bool *ret_again, struct pawl_err *err)
{
	struct command cmd =
		run_command(p->run, EV_RUN_CLOSED, STR(""), STR(""));
	const struct state *s = &p->run->state;
	bool over = reason.len > 0 && !str_eq(outcome, STR("pass"));
	enum pawl_rc rc = PAWL_OK;

	*ret_again = is_run_closed(s) && str_eq(s->outcome, outcome);
	if (*ret_again)
		return landing_closed(p->run, err);
	EVENT_SET(&cmd.event, F_OUTCOME, outcome, outcome);
	if (reason.len > 0)
		EVENT_SET(&cmd.event, F_REASON, reason, reason);
	if (over)
		rc = unproven_set(p, mem, &cmd.event, err);
	if (rc == PAWL_OK)
		rc = decide(s, &cmd, err);
	if (rc == PAWL_OK && !over)
		rc = closing_prove(p, mem, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	if (rc == PAWL_OK)
		rc = plumb_finish(p, err);
	return rc == PAWL_OK ? landing_closed(p->run, err) : rc;
}
