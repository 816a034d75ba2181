#include "engine/resume.h"

#include "base/bounds.h"
#include "engine/handed.h"
#include "store/rundir.h"

static bool
is_same(const struct owner_id *o, const struct event *e)
{
	return str_eq(o->machine, e->machine) && str_eq(o->boot, e->boot) &&
		o->pidns == e->pidns && o->pid == e->pid &&
		o->start == e->start;
}

/* Does the journal say otherwise than it is now? */
static bool
is_new(const struct state *s, const struct event *e)
{
	return !str_eq(s->run.version, e->version) ||
		!str_eq(s->run.binary, e->binary) ||
		!is_same(&s->coordinator, e);
}

static enum pawl_rc
command_make(struct run *r, const struct candidate *who,
	struct command *ret_cmd, struct pawl_err *err)
{
	*ret_cmd = run_command(r, EV_COORDINATOR_RESUMED, STR(""), STR(""));
	return coordinator_identify(r, who, &ret_cmd->event, err);
}

/* The first serious finding is the refusal. */
static enum pawl_rc
look(struct run *r, struct audit *ret_audit, struct pawl_err *err)
{
	enum pawl_rc rc = audit_run(ret_audit, r->place, r->id, false, err);

	if (rc == PAWL_OK)
		rc = audit_is_sound(ret_audit, err);
	return rc == PAWL_OK ? handed_verify(r, err) : rc;
}

static enum pawl_rc
unpoison(struct run *r, struct pawl_err *err)
{
	struct journal j;
	enum pawl_rc rc;

	if (!journal_is_poisoned(&r->journal))
		return PAWL_OK;
	journal_init(&j, r->place->fs, r->dir);
	rc = journal_repair(&j, RUN_LOCK_MS, &r->repaired, err);
	journal_close(&j);
	return rc == PAWL_OK ? run_refresh(r, err) : rc;
}

/* A repair that was made before the lock is told with this commit, too. */
static enum pawl_rc
record(struct run *r, const struct candidate *who, struct resumed *res,
	struct pawl_err *err)
{
	struct journal_repaired before = r->repaired;
	struct command cmd;
	enum pawl_rc rc = run_begin(r, err);

	if (rc != PAWL_OK)
		return rc;
	if (r->repaired.bytes == 0)
		r->repaired = before;
	res->repaired_bytes = r->repaired.bytes;
	rc = command_make(r, who, &cmd, err);
	res->recorded = rc == PAWL_OK && !is_run_closed(&r->state) &&
		(is_new(&r->state, &cmd.event) || r->repaired.bytes > 0);
	if (rc == PAWL_OK && res->recorded)
		rc = run_propose(r, &cmd, err);
	if (rc == PAWL_OK && res->recorded)
		return run_commit(r, err);
	return run_give_up(r, rc, err);
}

/* Views: the projection and the mark. */
static enum pawl_rc
views_renew(struct run *r, struct resumed *res, struct pawl_err *err)
{
	bool agrees = true;
	enum pawl_rc rc = run_prove(r, &agrees, err);

	res->projected = r->drift || !agrees;
	if (rc == PAWL_OK && res->projected)
		rc = run_project(r, err);
	if (rc == PAWL_OK && res->audit.findings.count > 0)
		rc = rundir_mark_active(r->place->fs, r->place->state_dir,
			r->id.ptr, !is_run_closed(&r->state), err);
	return rc;
}

enum pawl_rc
resume_run(struct run *r, const struct candidate *who,
	struct resumed *ret_resumed, struct pawl_err *err)
{
	struct resumed res = { .recorded = false };
	enum pawl_rc rc = coordinator_prove(r, who->name, err);

	if (rc == PAWL_OK)
		rc = look(r, &res.audit, err);
	if (rc == PAWL_OK)
		rc = unpoison(r, err);
	if (rc == PAWL_OK)
		rc = record(r, who, &res, err);
	if (rc == PAWL_OK)
		rc = views_renew(r, &res, err);
	*ret_resumed = res;
	return rc;
}

enum pawl_rc
resume_rehearse(struct run *r, const struct candidate *who,
	struct resumed *ret_resumed, struct pawl_err *err)
{
	struct resumed res = { .recorded = false };
	struct command cmd;
	enum pawl_rc rc = coordinator_prove(r, who->name, err);

	if (rc == PAWL_OK)
		rc = look(r, &res.audit, err);
	if (rc == PAWL_OK)
		rc = command_make(r, who, &cmd, err);
	if (rc == PAWL_OK && !is_run_closed(&r->state)) {
		res.recorded = is_new(&r->state, &cmd.event) ||
			r->tail.end == JOURNAL_TORN;
		rc = decide(&r->state, &cmd, err);
	}
	*ret_resumed = res;
	return rc;
}

enum resume_capsule
resume_capsule_of(const struct run *r, uint32_t attempt)
{
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct arena mem = ARENA_INIT;
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	char hex[SHA256_HEX + 1];
	enum resume_capsule found = CAPSULE_NONE;
	const char *path = arena_format(&mem, "capsules/" STR_FMT ".json",
		STR_ARG(state_attempt_id(&r->state, attempt, &mem)))
				   .ptr;

	if (a->capsule_sha256.len > 0 &&
		fs_read(r->place->fs, r->dir, path, BOUND_LIST_BYTES, &bytes,
			&ignored) == PAWL_OK) {
		sha256_hex(buf_str(&bytes), hex);
		found = str_eq(str_from(hex), a->capsule_sha256)
			? CAPSULE_GOOD
			: CAPSULE_CHANGED;
	}
	buf_release(&bytes);
	arena_reset(&mem);
	return found;
}
