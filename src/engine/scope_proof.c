#include "engine/scope_proof.h"

#include <sys/stat.h>

#include "engine/handed.h"
#include "engine/object.h"
#include "model/contract.h"
#include "os/hardlink.h"

static void
breach_add(struct pilot *p, struct scope_breach *b, struct str path)
{
	event_list_path(&p->mem, &b->paths, path);
	b->count++;
}

static const char *
path_in(struct pilot *p, const struct workspace *ws, struct str path)
{
	return arena_strdup(&p->mem,
		arena_format(
			&p->mem, "%s/" STR_FMT, ws->repo.top, STR_ARG(path)));
}

/*
 * A submodule that moved to another commit is a change like any other, but in
 * a worktree it is checked out with its own folder of git's beside the
 * worktree's: one that has it inside was made there.
 */
static bool
is_new_repository(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	const struct change *c)
{
	struct stat st;

	if ((c->new_mode & OBJECT_MODE_TYPE) != OBJECT_MODE_REPO)
		return false;
	if ((c->old_mode & OBJECT_MODE_TYPE) != OBJECT_MODE_REPO)
		return true;
	return pilot_attempt(p, attempt)->placement == PLACEMENT_WORKTREE &&
		lstat(path_in(p, ws,
			      arena_format(&p->mem, STR_FMT "/.git",
				      STR_ARG(c->path))),
			&st) == 0 &&
		S_ISDIR(st.st_mode);
}

/* The entry of a folder, or NULL. */
static const struct tree_entry *
entry_of(const struct tree_entries *entries, struct str name)
{
	const struct tree_entry *e;

	VEC_EACH (e, entries) {
		if (str_eq(e->name, name))
			return e;
	}
	return NULL;
}

/* Does the tree have the path, or a submodule that moved have it within? */
static enum pawl_rc
tree_has(struct git_serve *serve, const struct scope_work *work,
	struct str path, struct arena *mem, bool *ret_has, struct pawl_err *err)
{
	struct oid at = work->ws->after;
	struct str rest = path;

	*ret_has = false;
	for (;;) {
		struct str name = str_cut(&rest, '/');
		struct str down = str_part(path, 0, path.len - rest.len - 1);
		struct tree_entries entries = { 0 };
		const struct tree_entry *e;
		struct tree_entry found;
		enum pawl_rc rc =
			object_read_tree(serve, &at, mem, &entries, err);

		if (rc != PAWL_OK)
			return rc;
		e = entry_of(&entries, name);
		if (e != NULL)
			found = *e;
		tree_entries_release(&entries);
		if (e == NULL || rest.len == 0) {
			*ret_has = e != NULL;
			return PAWL_OK;
		}
		if (found.mode != OBJECT_MODE_TREE) {
			*ret_has = found.mode == OBJECT_MODE_REPO &&
				changes_find(work->changes, down) != NULL;
			return PAWL_OK;
		}
		at = found.oid;
	}
}

static enum pawl_rc
find_ignored(struct pilot *p, const struct scope_work *work,
	struct scope_breach *b, struct pawl_err *err)
{
	const struct workspace *ws = work->ws;
	const struct result *declared = work->declared;
	struct git_serve own;
	struct git_serve *serve =
		git_serve_or(ws->repo.serve, &own, ws->repo.common_dir);
	enum pawl_rc rc = PAWL_OK;

	b->why = BREACH_IGNORED;
	for (uint32_t i = 0; i < declared->files_changed_count && rc == PAWL_OK;
		i++) {
		struct str path = declared->files_changed[i];
		struct stat st;
		bool has = true;

		if (changes_find(work->changes, path) != NULL ||
			lstat(path_in(p, ws, path), &st) != 0)
			continue;
		rc = tree_has(serve, work, path, &p->mem, &has, err);
		if (rc == PAWL_OK && !has)
			breach_add(p, b, path);
	}
	git_serve_close(&own);
	return rc;
}

static bool
is_plain_file(const struct change *c)
{
	return (c->new_mode & OBJECT_MODE_TYPE) == OBJECT_MODE_FILE;
}

/* Changed files of a worktree that have a name outside of it. */
static void
find_linked(
	struct pilot *p, const struct scope_work *work, struct scope_breach *b)
{
	const char *top = work->ws->repo.top;
	struct hardlink *links =
		arena_array(&p->mem, work->changes->count, struct hardlink);
	uint64_t *names = arena_array(&p->mem, work->changes->count, uint64_t);
	struct str *paths =
		arena_array(&p->mem, work->changes->count, struct str);
	const struct change *c;
	size_t count = 0;

	VEC_EACH (c, work->changes) {
		struct stat st;

		if (!is_plain_file(c) ||
			lstat(path_in(p, work->ws, c->path), &st) != 0 ||
			!S_ISREG(st.st_mode) || st.st_nlink < 2)
			continue;
		links[count] = (struct hardlink){ st.st_dev, st.st_ino, 0 };
		names[count] = st.st_nlink;
		paths[count++] = c->path;
	}
	b->why = BREACH_LINKED;
	if (count == 0)
		return;
	hardlink_count(top, links, count);
	for (size_t i = 0; i < count; i++) {
		if (links[i].found < names[i])
			breach_add(p, b, paths[i]);
	}
}

enum pawl_rc
scope_prove(struct pilot *p, uint32_t attempt, const struct scope_work *work,
	struct scope_breach *ret_breach, struct pawl_err *err)
{
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct scope_breach outside = { .why = BREACH_OUTSIDE };
	struct scope_breach made = { .why = BREACH_REPOSITORY };
	bool writes = pilot_writes(p, attempt);
	const struct change *c;

	VEC_EACH (c, work->changes) {
		if (!writes || !contract_covers(&v, c->path))
			breach_add(p, &outside, c->path);
		if (is_new_repository(p, attempt, work->ws, c))
			breach_add(p, &made, c->path);
	}
	*ret_breach = outside.count > 0 ? outside : made;
	if (ret_breach->count == 0 &&
		pilot_attempt(p, attempt)->placement == PLACEMENT_WORKTREE)
		find_linked(p, work, ret_breach);
	if (ret_breach->count > 0 || work->declared == NULL ||
		work->ws->repo.git_dir == NULL)
		return PAWL_OK;
	return find_ignored(p, work, ret_breach, err);
}

enum pawl_rc
scope_prove_again(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct scope_breach *ret_breach, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct changes changes = { 0 };
	struct handed_in in = { 0 };
	enum pawl_rc rc = PAWL_OK;

	*ret_breach = (struct scope_breach){ .why = BREACH_OUTSIDE };
	if (!pilot_writes(p, attempt) ||
		str_eq(a->after, str_from(ws->after.hex)))
		return PAWL_OK;
	if (a->handed_in)
		rc = handed_look(p, attempt, &in, err);
	if (rc == PAWL_OK)
		rc = snapshot_changes(&ws->repo, &ws->before, &ws->after,
			&p->mem, &changes, err);
	if (rc == PAWL_OK) {
		rc = scope_prove(p, attempt,
			&(struct scope_work){ ws, &changes,
				in.present && !in.malformed ? &in.result
							    : NULL },
			ret_breach, err);
	}
	changes_release(&changes);
	return rc;
}

enum pawl_rc
scope_condemn(struct pilot *p, uint32_t attempt,
	const struct scope_breach *breach, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_SCOPE_VIOLATED, attempt);

	EVENT_SET(&cmd.event, F_PATH_COUNT, path_count, breach->count);
	EVENT_SET(&cmd.event, F_PATHS, paths, breach->paths);
	if (breach->why != BREACH_OUTSIDE)
		EVENT_SET(
			&cmd.event, F_REASON, reason, breach_word(breach->why));
	return pilot_propose(p, &cmd, err);
}
