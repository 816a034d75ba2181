#include "engine/integrate.h"

#include "engine/object.h"
#include "engine/ref.h"
#include "engine/tree_edit.h"

enum pawl_rc
integrate_contains(const struct repo *repo, const struct oid *tip,
	const struct oid *commit, bool *ret_contains, struct pawl_err *err)
{
	const char *const args[] = { "merge-base", "--is-ancestor", commit->hex,
		tip->hex, NULL };
	struct git_call call = {
		.args = args, .git_dir = repo->common_dir, .answers = 1u << 1
	};
	struct git_ran ran = { 0 };
	enum pawl_rc rc;

	if (oid_eq(tip, commit) ||
		(repo->serve != NULL &&
			lineage_knows(&repo->serve->lineage, tip, commit))) {
		*ret_contains = true;
		return PAWL_OK;
	}
	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	*ret_contains = ran.status == 0;
	if (ran.status == 0 && repo->serve != NULL)
		lineage_add(&repo->serve->lineage, tip, commit);
	git_ran_release(&ran);
	return PAWL_OK;
}

enum pawl_rc
integrate_look(const struct repo *repo, const struct oid *commit,
	struct oid *ret_tree, struct oid *ret_parent, struct pawl_err *err)
{
	struct git_serve own;
	enum pawl_rc rc = object_commit_read(
		git_serve_or(repo->serve, &own, repo->common_dir), commit,
		ret_tree, ret_parent, err);

	git_serve_close(&own);
	return rc;
}

enum pawl_rc
integrate_start(const struct repo *repo, const char *lock_dir, const char *ref,
	const struct oid *base, struct pawl_err *err)
{
	struct ref_update make = { .name = ref, .to = *base };
	struct git_lock lock = { 0 };
	struct oid now = { 0 };
	bool contains = true;
	enum pawl_rc rc;

	rc = git_lock_take(lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = ref_read(repo, ref, &now, err);
	if (rc != PAWL_OK)
		goto out;
	if (oid_is_none(&now)) {
		rc = ref_update(repo, &make, 1, err);
	} else {
		rc = integrate_contains(repo, &now, base, &contains, err);
	}
	if (rc == PAWL_OK && !contains) {
		rc = pawl_fail(err, ERR_REF_MOVED,
			"'%s' is at %.12s, which does not contain %.12s", ref,
			now.hex, base->hex);
	}
out:
	git_lock_release(&lock);
	return rc;
}

static enum pawl_rc
commit_tree(const struct repo *repo, const struct oid *tree,
	const struct oid *parent, const struct integrate_work *work,
	struct oid *ret_commit, struct pawl_err *err)
{
	struct object_commit commit = { .tree = tree,
		.parent = parent,
		.ident = &work->ident,
		.message = work->message };
	struct git_serve own;
	enum pawl_rc rc = object_write_commit(
		git_serve_or(repo->serve, &own, repo->common_dir), &commit,
		ret_commit, err);

	git_serve_close(&own);
	return rc;
}

enum pawl_rc
integrate_commit(const struct repo *repo, const struct integrate_work *work,
	struct oid *ret_commit, struct pawl_err *err)
{
	return commit_tree(
		repo, &work->tree, &work->base, work, ret_commit, err);
}

/* What the merge changes of the tip must be what the attempt changed. */
static enum pawl_rc
find_aliens(const struct repo *repo, const struct changes *own,
	const struct oid *tip, struct integrate_rebased *r, struct arena *mem,
	struct pawl_err *err)
{
	struct changes merged = { 0 };
	enum pawl_rc rc;

	rc = snapshot_changes(repo, tip, &r->tree, mem, &merged, err);
	if (rc != PAWL_OK)
		return rc;
	for (size_t i = 0; i < merged.count; i++) {
		const struct change *c = &merged.items[i];
		const struct change *of = changes_find(own, c->path);

		if (of != NULL &&
			(c->kind != CHANGE_DELETED || of->kind == c->kind))
			continue;
		r->outcome = INTEGRATE_ALIEN;
		(void)paths_push(&r->paths, c->path);
	}
	changes_release(&merged);
	return PAWL_OK;
}

static enum pawl_rc
merge_trees(const struct repo *repo, const struct oid *tip,
	const struct oid *commit, struct integrate_rebased *r,
	struct arena *mem, struct pawl_err *err)
{
	const char *const args[] = { "merge-tree", "--write-tree", "-z",
		"--name-only", "--no-messages", tip->hex, commit->hex, NULL };
	struct git_call call = {
		.args = args, .git_dir = repo->common_dir, .answers = 1u << 1
	};
	struct git_ran ran = { 0 };
	struct str rest, first;
	enum pawl_rc rc;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	first = str_trim(str_cut(&rest, '\0'));
	/* status 1 is a conflict only when it says so with a tree */
	if (!oid_read(first, &r->tree)) {
		rc = pawl_fail(err, ERR_GIT, "git merge-tree: " STR_FMT,
			STR_ARG(str_trim(buf_str(&ran.err))));
		goto out;
	}
	if (ran.status == 1)
		r->outcome = INTEGRATE_CONFLICT;
	while (ran.status == 1 && rest.len > 0) {
		struct str path = str_cut(&rest, '\0');

		if (path.len > 0)
			(void)paths_push(&r->paths, arena_copy(mem, path));
	}
out:
	git_ran_release(&ran);
	return rc;
}

/*
 * What the attempt changed, put onto the tip.  Where nobody else touched these
 * paths that is the merge, and nothing is asked; else git merges.
 */
static enum pawl_rc
merge(const struct repo *repo, const struct integrate_work *work,
	const struct oid *tip, struct integrate_rebased *r, struct arena *mem,
	struct pawl_err *err)
{
	struct git_serve own;
	struct changes changes = { 0 };
	bool fits = false;
	enum pawl_rc rc;

	rc = snapshot_changes(
		repo, &work->base, &work->tree, mem, &changes, err);
	if (rc == PAWL_OK) {
		rc = tree_edit(
			git_serve_or(repo->serve, &own, repo->common_dir), tip,
			&changes, &r->tree, &fits, err);
		git_serve_close(&own);
	}
	if (rc == PAWL_OK && !fits) {
		rc = merge_trees(repo, tip, &work->commit, r, mem, err);
		if (rc == PAWL_OK && r->outcome == INTEGRATE_DONE)
			rc = find_aliens(repo, &changes, tip, r, mem, err);
	}
	changes_release(&changes);
	return rc;
}

enum pawl_rc
integrate_rebase(const struct repo *repo, const struct integrate_work *work,
	const struct oid *tip, struct arena *mem,
	struct integrate_rebased *ret_rebased, struct pawl_err *err)
{
	struct integrate_rebased r = { 0 };
	bool contains = false;
	enum pawl_rc rc;

	rc = integrate_contains(repo, tip, &work->base, &contains, err);
	if (rc == PAWL_OK && !contains) {
		rc = pawl_fail(err, ERR_REF_MOVED,
			"the tip %.12s does not contain the base %.12s",
			tip->hex, work->base.hex);
	}
	if (rc == PAWL_OK)
		rc = merge(repo, work, tip, &r, mem, err);
	if (rc == PAWL_OK && r.outcome == INTEGRATE_DONE)
		rc = commit_tree(repo, &r.tree, tip, work, &r.commit, err);
	if (rc != PAWL_OK) {
		paths_release(&r.paths);
		return rc;
	}
	if (r.outcome != INTEGRATE_DONE)
		r.tree = (struct oid){ 0 };
	*ret_rebased = r;
	return PAWL_OK;
}

/* Whoever looks at it would see all that landed since as deleted. */
static enum pawl_rc
refuse_checked_out(
	const struct repo *repo, const char *ref, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *top;
	enum pawl_rc rc = ref_checkout(repo, ref, &mem, &top, err);

	if (rc == PAWL_OK && top != NULL) {
		(void)pawl_fail(err, ERR_REF_IN_USE,
			"'%s' is checked out in '%s', so it can't move", ref,
			top);
		rc = pawl_hint(err, "git -C %s switch --detach", top);
	}
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
integrate_publish(const struct repo *repo,
	const struct integrate_publication *pub, struct pawl_err *err)
{
	struct ref_update updates[2] = {
		{ .name = pub->ref, .to = pub->commit, .from = pub->from },
		{ .name = pub->branch, .to = pub->commit },
	};
	struct git_lock lock = { 0 };
	struct oid now = { 0 };
	size_t count = 1;
	enum pawl_rc rc;

	rc = git_lock_take(pub->lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = ref_read(repo, pub->ref, &now, err);
	if (rc == PAWL_OK && pub->branch != NULL)
		rc = ref_read(repo, pub->branch, &updates[1].from, err);
	if (rc != PAWL_OK)
		goto out;
	if (pub->branch != NULL && !oid_eq(&updates[1].from, &pub->commit))
		count = 2;
	if (oid_eq(&now, &pub->commit)) {
		updates[0].from = now;
	} else if (!oid_eq(&now, &pub->from)) {
		rc = pawl_fail(err, ERR_REF_MOVED,
			"'%s' is at %.12s, not at %.12s", pub->ref, now.hex,
			pub->from.hex);
		goto out;
	}
	if (!oid_eq(&now, &pub->commit))
		rc = refuse_checked_out(repo, pub->ref, err);
	if (rc == PAWL_OK && (count == 2 || !oid_eq(&now, &pub->commit)))
		rc = ref_update(repo, updates, count, err);
out:
	git_lock_release(&lock);
	return rc;
}

enum pawl_rc
integrate_drop(const struct repo *repo, const char *lock_dir,
	const char *branch, const char *onto, struct pawl_err *err)
{
	struct ref_update drop = { .name = branch };
	struct git_lock lock = { 0 };
	struct oid tip = { 0 };
	bool contains = false;
	enum pawl_rc rc;

	rc = git_lock_take(lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = ref_read(repo, branch, &drop.from, err);
	if (rc != PAWL_OK || oid_is_none(&drop.from))
		goto out;
	rc = ref_read(repo, onto, &tip, err);
	if (rc == PAWL_OK && !oid_is_none(&tip))
		rc = integrate_contains(repo, &tip, &drop.from, &contains, err);
	if (rc == PAWL_OK && !contains) {
		rc = pawl_fail(err, ERR_CLEANUP_BLOCKED,
			"the branch '%s' was kept: '%s' does not contain it",
			branch, onto);
	}
	if (rc == PAWL_OK)
		rc = ref_update(repo, &drop, 1, err);
out:
	git_lock_release(&lock);
	return rc;
}
