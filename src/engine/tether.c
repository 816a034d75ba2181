#include "engine/tether.h"

#include "engine/file.h"
#include "engine/git.h"
#include "engine/ref.h"

enum { HEAD_BYTES_MAX = 4096 };

/* HEAD may name another branch now, which a reset would move. */
static enum pawl_rc
settle_head(
	const struct worktree *w, const struct tether *t, struct pawl_err *err)
{
	const char *const args[] = { "symbolic-ref", "-m", "pawl", "HEAD",
		t->branch, NULL };
	struct git_call call = { .args = args, .git_dir = w->repo.git_dir };
	struct buf head = { .max = HEAD_BYTES_MAX }, want = { 0 };
	struct arena mem = ARENA_INIT;
	enum pawl_rc rc;
	bool there, same;

	buf_addf(&want, "ref: %s\n", t->branch);
	rc = file_read(arena_format(&mem, "%s/HEAD", w->repo.git_dir).ptr,
		&head, &there, err);
	same = rc == PAWL_OK && there && str_eq(buf_str(&head), buf_str(&want));
	if (rc == PAWL_OK && !same)
		rc = git_run_quiet(&call, err);
	buf_release(&head);
	buf_release(&want);
	arena_reset(&mem);
	return rc;
}

/* The newest commit of the run's that `now` holds; the base without one. */
static enum pawl_rc
find_own(const struct worktree *w, const struct tether *t,
	const struct oid *now, struct oid *ret_at, struct pawl_err *err)
{
	const char *const args[] = { "merge-base", now->hex, t->tip.hex, NULL };
	struct git_call call = {
		.args = args, .git_dir = w->repo.common_dir, .answers = 1u << 1
	};
	struct git_ran ran = { 0 };
	enum pawl_rc rc;

	*ret_at = t->base;
	if (oid_is_none(now))
		return PAWL_OK;
	if (oid_eq(now, &t->base) || oid_eq(now, &t->tip)) {
		*ret_at = *now;
		return PAWL_OK;
	}
	rc = git_run(&call, &ran, err);
	if (rc == PAWL_OK && ran.status == 0 &&
		!oid_read(str_trim(buf_str(&ran.out)), ret_at))
		rc = pawl_fail(err, ERR_GIT, "git merge-base named no commit");
	git_ran_release(&ran);
	return rc;
}

enum pawl_rc
tether_settle(const struct worktree *w, const struct tether *t,
	struct oid *ret_at, struct pawl_err *err)
{
	struct ref_update back = { .name = t->branch };
	enum pawl_rc rc = settle_head(w, t, err);

	if (rc == PAWL_OK)
		rc = ref_read(&w->repo, t->branch, &back.from, err);
	if (rc == PAWL_OK)
		rc = find_own(w, t, &back.from, &back.to, err);
	if (rc == PAWL_OK && !oid_eq(&back.from, &back.to))
		rc = ref_update(&w->repo, &back, 1, err);
	if (rc == PAWL_OK)
		*ret_at = back.to;
	return rc;
}
