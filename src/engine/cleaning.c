#include "engine/cleaning.h"

#include <errno.h>

#include "base/bounds.h"
#include "engine/owner_event.h"
#include "store/artifact.h"

enum cleaning_proof {
	CLEANING_GONE,
	CLEANING_THERE,
	CLEANING_UNKNOWN, /* it can't be told, or never by pawl */
};

/* Does git's folder name a worktree at this path, or below it? */
static enum cleaning_proof
git_names(const struct fs *fs, const char *git_dir, struct str path,
	struct arena *mem)
{
	enum cleaning_proof proof = CLEANING_GONE;
	struct buf names = { 0 };
	struct pawl_err why;
	int dir = -1, list = -1;
	enum pawl_rc rc = fs_open_dir(fs, AT_FDCWD, git_dir, &dir, &why);

	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, dir, "worktrees", &list, &why);
	if (rc == PAWL_ENOENT && dir >= 0)
		goto out; /* git has none */
	if (rc == PAWL_OK)
		rc = fs_list(fs, list, &names, &why);
	proof = rc == PAWL_OK ? CLEANING_GONE : CLEANING_UNKNOWN;
	for (size_t at = 0; proof == CLEANING_GONE && at < names.len;) {
		const char *name = names.data + at;
		struct buf bytes = { 0 };
		struct str link;

		at += str_from(name).len + 1;
		rc = fs_read(fs, list, arena_format(mem, "%s/gitdir", name).ptr,
			BOUND_PATH_BYTES + 16, &bytes, &why);
		link = str_trim(buf_str(&bytes));
		if (rc != PAWL_OK && rc != PAWL_ENOENT)
			proof = CLEANING_UNKNOWN;
		else if (str_starts(link, path) && link.len > path.len &&
			link.ptr[path.len] == '/')
			proof = CLEANING_THERE;
		buf_release(&bytes);
	}
out:
	buf_release(&names);
	fs_close(fs, &list);
	fs_close(fs, &dir);
	return proof;
}

static enum cleaning_proof
look_path(const struct fs *fs, const struct cleanup *c, struct arena *mem,
	struct str *ret_why)
{
	struct stat st;
	struct pawl_err why;
	enum pawl_rc rc =
		fs_stat(fs, AT_FDCWD, arena_strdup(mem, c->target), &st, &why);

	if (rc == PAWL_ENOENT || (rc != PAWL_OK && why.sys == ENOTDIR)) {
		*ret_why = STR("there is nothing at its path");
		return CLEANING_GONE;
	}
	if (rc != PAWL_OK) {
		*ret_why = arena_copy(mem, str_from(why.msg));
		return CLEANING_UNKNOWN;
	}
	if (c->ino != 0 &&
		(c->ino != (uint64_t)st.st_ino ||
			c->dev != (uint64_t)st.st_dev)) {
		*ret_why = STR("something else stands at its path");
		return CLEANING_UNKNOWN;
	}
	*ret_why = STR("it is still there");
	return CLEANING_THERE;
}

static enum cleaning_proof
look_worktree(const struct fs *fs, const struct cleanup *c, const char *git_dir,
	struct arena *mem, struct str *ret_why)
{
	enum cleaning_proof proof = look_path(fs, c, mem, ret_why);

	if (proof != CLEANING_GONE)
		return proof;
	if (git_dir == NULL) {
		*ret_why = STR("its repository can't be asked");
		return CLEANING_UNKNOWN;
	}
	proof = git_names(fs, git_dir, c->target, mem);
	*ret_why = proof == CLEANING_GONE
		? STR("neither the disk nor git has it")
		: proof == CLEANING_THERE ? STR("git still has it")
					  : STR("git's list can't be read");
	return proof;
}

static enum cleaning_proof
look_process(
	const struct state *s, const struct cleanup *c, struct str *ret_why)
{
	const struct attempt *a = &s->attempts.items[c->attempt];
	const struct owner_id *id = c->by.len > 0 ? &c->owner : &a->monitor;
	struct owner self, owner = owner_event_get(id);
	struct pawl_err why;

	if (id->pid == 0) {
		/* Of a reservation the workers are still to come. */
		bool none = c->by.len == 0 && !is_attempt_live(a);

		*ret_why = none ? STR("pawl started none")
				: STR("it has no process to look for");
		return none ? CLEANING_GONE : CLEANING_UNKNOWN;
	}
	if (owner_of(&owner_here, 0, &self, &why) != PAWL_OK) {
		*ret_why = STR("processes can't be looked at");
		return CLEANING_UNKNOWN;
	}
	switch (owner_state(&owner_here, &self, &owner)) {
	case OWNER_DEAD:
		*ret_why = STR("the process has ended");
		return CLEANING_GONE;
	case OWNER_ALIVE:
		*ret_why = STR("the process lives");
		return CLEANING_THERE;
	case OWNER_UNKNOWN:
		break;
	}
	*ret_why = STR("the process is of another machine or container");
	return CLEANING_UNKNOWN;
}

/*
 * Look for what a cleanup names; `*ret_why` says what was seen, in `mem`.
 */
static enum cleaning_proof
cleaning_look(const struct state *s, uint32_t cleanup, const struct fs *fs,
	const char *git_dir, struct arena *mem, struct str *ret_why)
{
	const struct cleanup *c = &s->cleanups.items[cleanup];
	enum cleanup_kind kind;

	if (!cleanup_kind_from(c->kind, &kind) || !is_cleanup_provable(kind)) {
		*ret_why = STR("pawl can't look for it");
		return CLEANING_UNKNOWN;
	}
	if (kind == CLEANUP_PROCESS)
		return look_process(s, c, ret_why);
	return kind == CLEANUP_WORKTREE
		? look_worktree(fs, c, git_dir, mem, ret_why)
		: look_path(fs, c, mem, ret_why);
}

static enum pawl_rc
commit(struct run *r, const struct command *cmd, const struct act *act,
	bool *ret_again, struct pawl_err *err)
{
	struct act with = *act;

	with.seen = r->state.seq;
	return act_commit(r, cmd, &with, ret_again, err);
}

/*
 * Was it done under its key, which stands for what was asked for and not for
 * what was measured meanwhile?  Before all else: a key of something else is
 * refused though nothing would change.
 */
static enum pawl_rc
asked_before(struct run *r, const struct act *act, bool *ret_again,
	struct pawl_err *err)
{
	enum pawl_rc rc = act_look(r, act, ret_again, err);

	return rc == PAWL_OK && *ret_again ? act_sync(r, act, err) : rc;
}

/*
 * The open cleanup of ours that exactly this intent has made, or the last one
 * that it has made at all; false when none.
 */
static bool
find_intent(const struct run *r, const struct cleaning_intent *in,
	struct str target, bool any, uint32_t *ret_cleanup)
{
	const struct state *s = &r->state;

	for (uint32_t i = (uint32_t)s->cleanups.count; i-- > 0;) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (c->attempt == in->attempt && str_eq(c->kind, in->kind) &&
			str_eq(c->target, target) && c->owner.pid == in->pid &&
			(any ||
				(!is_cleanup_settled(c) &&
					str_eq(c->by, r->actor)))) {
			*ret_cleanup = i;
			return true;
		}
	}
	return false;
}

/* What identifies the target on this machine, as far as it is there yet. */
static enum pawl_rc
identify(struct run *r, const struct cleaning_intent *in, struct event *e,
	struct pawl_err *err)
{
	struct owner owner;
	struct stat st;
	struct pawl_err absent;
	enum cleanup_kind kind;
	bool known = cleanup_kind_from(in->kind, &kind);
	enum pawl_rc rc = PAWL_OK;

	if (known && kind == CLEANUP_PROCESS) {
		if (in->pid == 0)
			return pawl_fail(err, ERR_INVALID_ARGUMENT,
				"a process is registered by its --pid");
		rc = owner_of(&owner_here, (pid_t)in->pid, &owner, err);
		if (rc == PAWL_OK)
			owner_event_set(e, &owner, &r->mem);
		return rc;
	}
	if (in->pid != 0)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"only a process has a --pid");
	if (!known || !is_cleanup_provable(kind))
		return PAWL_OK;
	if (e->target.len == 0 || e->target.ptr[0] != '/')
		return pawl_fail(err, ERR_INVALID_PATH,
			"'" STR_FMT "' is no absolute path",
			STR_ARG(e->target));
	if (fs_stat(r->place->fs, AT_FDCWD, arena_strdup(&r->mem, e->target),
		    &st, &absent) == PAWL_OK) {
		EVENT_SET(e, F_DEV, dev, (uint64_t)st.st_dev);
		EVENT_SET(e, F_INO, ino, (uint64_t)st.st_ino);
	}
	return PAWL_OK;
}

static enum pawl_rc
register_once(struct run *r, const struct cleaning_intent *in,
	const struct act *act, uint32_t *ret_cleanup, bool *ret_again,
	struct pawl_err *err)
{
	const struct attempt *a = &r->state.attempts.items[in->attempt];
	struct str id = state_attempt_id(&r->state, in->attempt, &r->mem);
	struct command cmd = run_command(
		r, EV_CLEANUP_REGISTERED, plan_id(&r->plan, a->node), id);
	struct event *e = &cmd.event;
	struct str target = in->target.len > 0 || in->pid == 0
		? in->target
		: arena_format(&r->mem, "%llu", (unsigned long long)in->pid);
	enum pawl_rc rc;

	if (find_intent(r, in, target, false, ret_cleanup)) {
		*ret_again = true;
		return act_sync(r, act, err);
	}
	*ret_cleanup = (uint32_t)r->state.cleanups.count;
	EVENT_SET(e, F_CLEANUP, cleanup,
		arena_format(&r->mem, "c%u", *ret_cleanup + 1));
	EVENT_SET(e, F_KIND, kind, in->kind);
	EVENT_SET(e, F_TARGET, target, target);
	EVENT_SET(e, F_BY, by, r->actor);
	rc = identify(r, in, e, err);
	if (rc != PAWL_OK)
		return rc;
	rc = commit(r, &cmd, act, ret_again, err);
	/* What was made under the key may be settled by now. */
	if (rc == PAWL_OK && *ret_again &&
		!find_intent(r, in, target, true, ret_cleanup))
		return pawl_fail(err, ERR_CLEANUP_NOT_FOUND,
			"no cleanup was registered under key '" STR_FMT "'",
			STR_ARG(act->key));
	return rc;
}

enum pawl_rc
cleaning_register(struct run *r, const struct cleaning_intent *in,
	const struct act *act, uint32_t *ret_cleanup, bool *ret_again,
	struct pawl_err *err)
{
	struct act asked = *act;
	enum pawl_rc rc;

	asked.request = arena_format(&r->mem,
		"cleanup " STR_FMT " " STR_FMT " " STR_FMT " %llu",
		STR_ARG(state_attempt_id(&r->state, in->attempt, &r->mem)),
		STR_ARG(in->kind), STR_ARG(in->target),
		(unsigned long long)in->pid);
	rc = act_look(r, &asked, ret_again, err);
	if (rc != PAWL_OK)
		return rc;
	do
		rc = register_once(r, in, &asked, ret_cleanup, ret_again, err);
	while (act_is_outrun(rc, err));
	return rc;
}

static struct command
settle_command(
	struct run *r, uint32_t cleanup, struct str status, struct str reason)
{
	const struct cleanup *c = &r->state.cleanups.items[cleanup];
	const struct attempt *a = &r->state.attempts.items[c->attempt];
	struct command cmd =
		run_command(r, EV_CLEANUP_SETTLED, plan_id(&r->plan, a->node),
			state_attempt_id(&r->state, c->attempt, &r->mem));
	struct event *e = &cmd.event;

	EVENT_SET(e, F_CLEANUP, cleanup, c->id);
	EVENT_SET(e, F_STATUS, status, status);
	EVENT_SET(e, F_REASON, reason, reason);
	EVENT_SET(e, F_BY, by, r->actor);
	return cmd;
}

/* Settled already as it would be now: no second fact. */
static bool
is_settled_so(const struct cleanup *c, struct str status, struct str reason)
{
	return str_eq(cleanup_status_word(c->status), status) &&
		(reason.len == 0 || str_eq(c->reason, reason));
}

static enum pawl_rc
settle(struct run *r, uint32_t cleanup, const struct command *cmd,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	const struct cleanup *c = &r->state.cleanups.items[cleanup];
	const struct event *e = &cmd->event;

	if (is_settled_so(c, e->status, e->reason) &&
		str_eq(c->receipt, e->artifact)) {
		*ret_again = true;
		return act_sync(r, act, err);
	}
	return commit(r, cmd, act, ret_again, err);
}

static enum pawl_rc
keep_receipt(struct run *r, const struct cleaning_end *end,
	const struct act *act, struct event *e, struct pawl_err *err)
{
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = PAWL_OK;

	if (end->receipt.len == 0)
		return PAWL_OK;
	if (act->dry_run)
		sha256_hex(end->receipt, hex);
	else
		rc = artifact_put(r->place->fs, r->dir, end->receipt, hex, err);
	if (rc == PAWL_OK)
		EVENT_SET(e, F_ARTIFACT, artifact,
			arena_copy(&r->mem, str_from(hex)));
	return rc;
}

static enum pawl_rc
finish_once(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	const struct cleanup *c = &r->state.cleanups.items[end->cleanup];
	struct str why, status = STR("verified");
	struct command cmd;
	enum cleanup_kind kind;
	enum pawl_rc rc;

	if (c->status == CLEANUP_VERIFIED) {
		*ret_again = true;
		return act_sync(r, act, err);
	}
	if (!cleanup_kind_from(c->kind, &kind) || !is_cleanup_provable(kind)) {
		status = STR("done");
		why = STR("the coordinator says so");
	} else {
		switch (cleaning_look(&r->state, end->cleanup, r->place->fs,
			end->git_dir, &r->mem, &why)) {
		case CLEANING_GONE:
			break;
		case CLEANING_THERE:
			return pawl_fail(err, ERR_CLEANUP_UNPROVEN,
				"cleanup '" STR_FMT "' (" STR_FMT " '" STR_FMT
				"'): " STR_FMT,
				STR_ARG(c->id), STR_ARG(c->kind),
				STR_ARG(c->target), STR_ARG(why));
		case CLEANING_UNKNOWN:
			status = STR("unverifiable");
			break;
		}
	}
	cmd = settle_command(r, end->cleanup, status, why);
	/* What is to be refused leaves no artifact behind. */
	rc = is_cleanup_settled(c) ? PAWL_OK
				   : keep_receipt(r, end, act, &cmd.event, err);
	if (rc == PAWL_OK && c->status == CLEANUP_DONE &&
		end->receipt.len == 0) {
		*ret_again = true;
		return act_sync(r, act, err);
	}
	return rc == PAWL_OK
		? settle(r, end->cleanup, &cmd, act, ret_again, err)
		: rc;
}

static enum pawl_rc
retain_once(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	struct command cmd =
		settle_command(r, end->cleanup, STR("retained"), end->reason);

	return settle(r, end->cleanup, &cmd, act, ret_again, err);
}

static enum pawl_rc
recover_once(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	static const char *const status[] = {
		[CLEANING_GONE] = "verified",
		[CLEANING_THERE] = "failed",
		[CLEANING_UNKNOWN] = "unverifiable",
	};
	const struct cleanup *c = &r->state.cleanups.items[end->cleanup];
	enum cleaning_proof proof;
	struct command cmd;
	struct str why;

	if (is_cleanup_settled(c)) {
		*ret_again = true;
		return act_sync(r, act, err);
	}
	proof = cleaning_look(&r->state, end->cleanup, r->place->fs,
		end->git_dir, &r->mem, &why);
	cmd = settle_command(r, end->cleanup, str_from(status[proof]), why);
	return settle(r, end->cleanup, &cmd, act, ret_again, err);
}

typedef enum pawl_rc end_fn(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err);

static const struct {
	const char *verb;
	end_fn *fn;
} ends[] = {
	{ "finish", finish_once },
	{ "retain", retain_once },
	{ "recover", recover_once },
};

enum { END_FINISH, END_RETAIN, END_RECOVER };

static enum pawl_rc
end_by(int how, struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	struct act asked = *act;
	char receipt[SHA256_HEX + 1];
	enum pawl_rc rc;

	sha256_hex(end->receipt, receipt);
	asked.request = arena_format(&r->mem,
		"cleanup %s " STR_FMT " %s " STR_FMT, ends[how].verb,
		STR_ARG(r->state.cleanups.items[end->cleanup].id), receipt,
		STR_ARG(end->reason));
	rc = asked_before(r, &asked, ret_again, err);
	if (rc != PAWL_OK || *ret_again)
		return rc;
	do
		rc = ends[how].fn(r, end, &asked, ret_again, err);
	while (act_is_outrun(rc, err));
	return rc;
}

enum pawl_rc
cleaning_finish(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	return end_by(END_FINISH, r, end, act, ret_again, err);
}

enum pawl_rc
cleaning_retain(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	return end_by(END_RETAIN, r, end, act, ret_again, err);
}

enum pawl_rc
cleaning_recover(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err)
{
	return end_by(END_RECOVER, r, end, act, ret_again, err);
}

/* Propose that it is gone, if it is. */
static enum pawl_rc
retry_one(struct pilot *p, uint32_t cleanup, struct pawl_err *err)
{
	struct run *r = p->run;
	struct command cmd;
	struct str why;

	if (cleaning_look(&r->state, cleanup, r->place->fs, p->repo.common_dir,
		    &r->mem, &why) != CLEANING_GONE)
		return PAWL_OK;
	cmd = settle_command(r, cleanup, STR("verified"), why);
	return pilot_propose(p, &cmd, err);
}

enum pawl_rc
cleaning_retry_registered(struct pilot *p, uint32_t node, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < s->cleanups.count; i++) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (c->by.len > 0 && !is_cleanup_settled(c) &&
			s->attempts.items[c->attempt].node == node)
			rc = retry_one(p, i, err);
	}
	return rc;
}

enum pawl_rc
cleaning_retry(struct pilot *p, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0;
		rc == PAWL_OK && s->cleanups_open > 0 && i < s->cleanups.count;
		i++) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (!is_cleanup_settled(c) &&
			!is_attempt_live(&s->attempts.items[c->attempt]))
			rc = retry_one(p, i, err);
	}
	return rc;
}
