#include "engine/delegating.h"

#include "base/bounds.h"
#include "engine/handed.h"
#include "engine/outbox.h"
#include "engine/worker.h"
#include "model/contract.h"
#include "store/artifact.h"

static struct delegation *
delegation_of(const struct delegating *d)
{
	return &d->run->state.delegations.items[d->subject];
}

static struct str
next_id(const struct run *r, struct arena *mem)
{
	return state_delegation_id((uint32_t)r->state.delegations.count, mem);
}

/* A command about a delegation, with its parent as the attempt. */
static struct command
command_of(const struct delegating *d, enum event_type type)
{
	struct run *r = d->run;
	uint32_t attempt = delegation_of(d)->attempt;
	struct command cmd = run_command(r, type,
		plan_id(&r->plan, r->state.attempts.items[attempt].node),
		state_attempt_id(&r->state, attempt, &r->mem));

	EVENT_SET(&cmd.event, F_DELEGATION, delegation,
		state_delegation_id(d->subject, &r->mem));
	return cmd;
}

/* The line, or what the same words were answered before. */
static enum pawl_rc
say(const struct delegating *d, const struct command *cmd, uint32_t delegation,
	struct delegating_answer *ret_answer, struct pawl_err *err)
{
	struct delegating_answer answer = { .delegation = delegation };
	struct buf text = { 0 };
	struct json_writer json = { .out = &text };
	struct act act = d->act;
	enum pawl_rc rc;

	event_write(&json, &cmd->event);
	act.request = buf_str(&text);
	act.seen = d->run->state.seq;
	rc = act_commit(d->run, cmd, &act, &answer.again, err);
	buf_release(&text);
	if (rc == PAWL_OK)
		*ret_answer = answer;
	return rc;
}

/* An intent may be stale by itself, however often it is read anew. */
bool
delegating_is_outrun(
	struct delegating *d, enum pawl_rc rc, const struct pawl_err *err)
{
	bool moved = d->read != d->run->state.seq;

	d->read = d->run->state.seq;
	return moved && act_is_outrun(rc, err);
}

/* It was said before: answered only once it is on the disk. */
static enum pawl_rc
said_before(const struct delegating *d, uint32_t delegation,
	struct delegating_answer *ret_answer, struct pawl_err *err)
{
	enum pawl_rc rc = act_sync(d->run, &d->act, err);

	if (rc == PAWL_OK)
		*ret_answer = (struct delegating_answer){ delegation, true };
	return rc;
}

enum pawl_rc
delegating_take(struct pilot *p, uint32_t attempt, uint32_t number,
	const struct delegation_intent *intent, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_DELEGATION_REQUESTED, attempt);
	struct command no = pilot_command(p, EV_DELEGATION_REJECTED, attempt);
	struct delegation_intent asked = *intent;
	struct str reason = p->config.manual
		? STR("")
		: STR("nobody approves in a run that 'pawl run' coordinates");
	struct event *e = &cmd.event;
	enum pawl_rc rc;

	EVENT_SET(e, F_DELEGATION, delegation, next_id(p->run, &p->mem));
	EVENT_SET(e, F_BY, by,
		arena_format(&p->mem, "worker:" STR_FMT, STR_ARG(e->attempt)));
	EVENT_SET(e, F_ASK, ask, number);
	delegation_intent_set(e, &asked, &p->mem);
	EVENT_SET(&no.event, F_DELEGATION, delegation, e->delegation);
	EVENT_SET(&no.event, F_BY, by, p->run->actor);
	rc = pilot_propose(p, &cmd, err);
	if (rc != PAWL_OK && err->code == ERR_STALE_SEQ) {
		reason = arena_copy(&p->mem, str_from(err->msg));
		e->has[F_EXPECTED_REVISION / 64] &=
			~(UINT64_C(1) << (F_EXPECTED_REVISION % 64));
		rc = pilot_propose(p, &cmd, err);
	}
	if (rc != PAWL_OK)
		return err->code == ERR_LIMIT ? PAWL_OK : rc;
	EVENT_SET(&no.event, F_REASON, reason, reason);
	return reason.len > 0 ? pilot_propose(p, &no, err) : PAWL_OK;
}

enum pawl_rc
delegating_request(const struct delegating *d,
	const struct delegation_intent *intent,
	struct delegating_answer *ret_answer, struct pawl_err *err)
{
	struct run *r = d->run;
	const struct state *s = &r->state;
	struct command cmd = run_command(r, EV_DELEGATION_REQUESTED,
		plan_id(&r->plan, s->attempts.items[d->subject].node),
		state_attempt_id(s, d->subject, &r->mem));

	delegation_intent_set(&cmd.event, intent, &r->mem);
	for (uint32_t i = 0; i < s->delegations.count; i++) {
		const struct delegation *known = &s->delegations.items[i];

		if (known->attempt == d->subject &&
			str_eq(known->intent_sha256, cmd.event.intent_sha256))
			return said_before(d, i, ret_answer, err);
	}
	EVENT_SET(&cmd.event, F_DELEGATION, delegation, next_id(r, &r->mem));
	EVENT_SET(&cmd.event, F_BY, by, r->actor);
	return say(d, &cmd, (uint32_t)s->delegations.count, ret_answer, err);
}

enum pawl_rc
delegating_approve(const struct delegating *d,
	const struct delegating_grant *grant,
	struct delegating_answer *ret_answer, struct pawl_err *err)
{
	struct run *r = d->run;
	const struct delegation *known = delegation_of(d);
	uint32_t attempt = known->attempt;
	struct contract_view v =
		contract_of(&r->state, r->state.attempts.items[attempt].node);
	struct command cmd = command_of(d, EV_DELEGATION_APPROVED);
	struct event *e = &cmd.event;
	struct strs paths = known->paths;
	enum pawl_rc rc = PAWL_OK;

	if (grant->paths != NULL)
		rc = contract_paths(*grant->paths, &r->mem, &paths, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_REVISION, revision, contract_revision(&v));
	EVENT_SET(e, F_PATHS, paths, paths);
	EVENT_SET(e, F_CONTEXT_REFS, context_refs,
		grant->context_refs ? *grant->context_refs
				    : known->context_refs);
	EVENT_SET(e, F_CAPABILITIES, capabilities,
		grant->capabilities ? *grant->capabilities
				    : known->capabilities);
	if (known->status != DELEGATION_REQUESTED &&
		known->status != DELEGATION_REJECTED &&
		strs_eq(&known->paths, &e->paths) &&
		strs_eq(&known->context_refs, &e->context_refs) &&
		strs_eq(&known->capabilities, &e->capabilities))
		return said_before(d, d->subject, ret_answer, err);
	return say(d, &cmd, d->subject, ret_answer, err);
}

enum pawl_rc
delegating_reject(const struct delegating *d, struct str reason,
	struct delegating_answer *ret_answer, struct pawl_err *err)
{
	const struct delegation *known = delegation_of(d);
	struct command cmd = command_of(d, EV_DELEGATION_REJECTED);

	if (known->status == DELEGATION_REJECTED &&
		str_eq(known->reason, reason))
		return said_before(d, d->subject, ret_answer, err);
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	EVENT_SET(&cmd.event, F_BY, by, d->run->actor);
	return say(d, &cmd, d->subject, ret_answer, err);
}

static const char *
run_path(const struct delegating *d, const char *what, const char *end)
{
	const struct run *r = d->run;
	struct str id = state_delegation_id(d->subject, &d->run->mem);

	return arena_format(&d->run->mem,
		"%s/runs/" STR_FMT "/%s/" STR_FMT "%s", r->place->state_path,
		STR_ARG(r->id), what, STR_ARG(id), end)
		.ptr;
}

void
delegating_handout(const struct delegating *d, struct handout *ret_handout)
{
	struct run *r = d->run;
	const struct attempt *a =
		&r->state.attempts.items[delegation_of(d)->attempt];

	*ret_handout = (struct handout){
		.attempt = state_delegation_id(d->subject, &r->mem),
		.node = plan_id(&r->plan, a->node),
		.workspace = a->placement == PLACEMENT_IN_PLACE
			? d->top
			: arena_format(&r->mem, STR_FMT "/tree",
				  STR_ARG(a->worktree))
				  .ptr,
		.capsule = run_path(d, "capsules", ".json"),
		.outbox = run_path(d, "outbox", ""),
	};
}

/* Capsule and outbox; made again by whoever asks again. */
static enum pawl_rc
hand_out(const struct delegating *d, struct buf *capsule, bool make,
	struct pawl_err *err)
{
	struct run *r = d->run;
	struct json_writer w = { .out = capsule };
	struct delegation_places at;
	struct handout h;
	enum pawl_rc rc;

	delegating_handout(d, &h);
	at.workspace = str_from(h.workspace);
	at.outbox = str_from(h.outbox);
	delegation_capsule_write(&w, &r->state, d->subject, &at, &r->mem);
	if (!make)
		return PAWL_OK;
	rc = worker_write_view(r, "capsules",
		arena_format(&r->mem, STR_FMT ".json", STR_ARG(h.attempt)).ptr,
		buf_str(capsule), err);
	return rc == PAWL_OK ? outbox_make(r->place->fs, r->dir, h.attempt, err)
			     : rc;
}

enum pawl_rc
delegating_start(const struct delegating *d, struct str worker,
	struct str cleanup, struct delegating_answer *ret_answer,
	struct pawl_err *err)
{
	const struct delegation *known = delegation_of(d);
	bool again = (known->status == DELEGATION_STARTED ||
			     known->status == DELEGATION_REPORTED) &&
		str_eq(known->worker, worker) &&
		str_eq(known->cleanup, cleanup);
	struct command cmd = command_of(d, EV_DELEGATION_STARTED);
	struct buf capsule = { 0 };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	rc = hand_out(d, &capsule, false, err);
	sha256_hex(buf_str(&capsule), hex);
	buf_release(&capsule);
	EVENT_SET(&cmd.event, F_CAPSULE_SHA256, capsule_sha256,
		arena_copy(&d->run->mem, str_from(hex)));
	if (worker.len > 0)
		EVENT_SET(&cmd.event, F_WORKER, worker, worker);
	if (cleanup.len > 0)
		EVENT_SET(&cmd.event, F_CLEANUP, cleanup, cleanup);
	/* Decided before anything is made, and once more under the lock. */
	if (rc == PAWL_OK && !again)
		rc = decide(&d->run->state, &cmd, err);
	if (rc == PAWL_OK && !d->act.dry_run)
		rc = hand_out(d, &capsule, true, err);
	buf_release(&capsule);
	if (rc != PAWL_OK)
		return rc;
	return again ? said_before(d, d->subject, ret_answer, err)
		     : say(d, &cmd, d->subject, ret_answer, err);
}

/* What lies in its outbox. */
static enum pawl_rc
outbox_bytes(
	const struct delegating *d, struct str *ret_bytes, struct pawl_err *err)
{
	const struct fs *fs = d->run->place->fs;
	struct str id = state_delegation_id(d->subject, &d->run->mem);
	struct buf bytes = { 0 };
	bool found = false;
	int fd = -1;
	enum pawl_rc rc = outbox_enter(fs, d->run->dir, id, &fd, err);

	if (rc == PAWL_OK)
		rc = outbox_take(fs, fd, OUTBOX_REPORT, BOUND_RESULT_BYTES,
			&bytes, &found, err);
	if (rc == PAWL_OK && !found)
		rc = pawl_fail(err, ERR_FILE_NOT_FOUND,
			"delegation '" STR_FMT "' has reported nothing",
			STR_ARG(id));
	if (rc == PAWL_OK)
		*ret_bytes = arena_copy(&d->run->mem, buf_str(&bytes));
	buf_release(&bytes);
	fs_close(fs, &fd);
	return rc;
}

/* The line that says it; nothing is kept yet. */
static enum pawl_rc
report_command(const struct delegating *d, struct str bytes,
	struct command *ret_cmd, struct pawl_err *err)
{
	struct arena *mem = &d->run->mem;
	struct command cmd = command_of(d, EV_DELEGATION_REPORTED);
	struct result_of of = { cmd.event.node, cmd.event.delegation };
	struct result result;
	struct strs files;
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc =
		result_read(mem, bytes, of, RESULT_BY_WORKER, &result, err);

	if (rc != PAWL_OK)
		return rc;
	files = (struct strs){ arena_array(mem, result.files_changed_count,
				       struct str),
		result.files_changed_count };
	for (uint32_t i = 0; i < files.count; i++)
		files.items[i] = result.files_changed[i];
	sha256_hex(bytes, hex);
	EVENT_SET(&cmd.event, F_REPORT_SHA256, report_sha256,
		arena_copy(mem, str_from(hex)));
	EVENT_SET(&cmd.event, F_SUMMARY, summary, result.summary);
	EVENT_SET(&cmd.event, F_FILES, files, files);
	*ret_cmd = cmd;
	return PAWL_OK;
}

enum pawl_rc
delegating_report(const struct delegating *d, struct str bytes,
	struct delegating_answer *ret_answer, struct pawl_err *err)
{
	const struct delegation *known = delegation_of(d);
	struct command cmd;
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = PAWL_OK;

	if (bytes.len == 0)
		rc = outbox_bytes(d, &bytes, err);
	if (rc == PAWL_OK)
		rc = report_command(d, bytes, &cmd, err);
	if (rc != PAWL_OK)
		return rc;
	if (known->report_sha256.len > 0 &&
		str_eq(known->report_sha256, cmd.event.report_sha256))
		return said_before(d, d->subject, ret_answer, err);
	rc = decide(&d->run->state, &cmd, err);
	if (rc == PAWL_OK && !d->act.dry_run)
		rc = artifact_put(
			d->run->place->fs, d->run->dir, bytes, hex, err);
	return rc == PAWL_OK ? say(d, &cmd, d->subject, ret_answer, err) : rc;
}

/* Is it what was handed in that is wrong? */
static bool
is_unfit(enum pawl_rc rc)
{
	return rc == PAWL_ENO || rc == PAWL_EPERM;
}

static enum pawl_rc
collect(struct pilot *p, uint32_t delegation, struct pawl_err *err)
{
	struct delegating d = {
		.run = p->run, .top = p->repo.top, .subject = delegation
	};
	struct delegating_answer ignored;
	struct str id = state_delegation_id(delegation, &p->mem);
	enum pawl_rc rc;

	do
		rc = delegating_report(&d, STR(""), &ignored, err);
	while (delegating_is_outrun(&d, rc, err));
	if (rc == PAWL_ENOENT)
		return PAWL_OK;
	if (!is_unfit(rc))
		return rc;
	(void)pawl_wrap(err, "delegation '" STR_FMT "'", STR_ARG(id));
	return pawl_hint(err,
		"pawl task delegate release " STR_FMT "/" STR_FMT
		" --reason TEXT --as ID",
		STR_ARG(p->run->id), STR_ARG(id));
}

enum pawl_rc
delegating_collect(struct pilot *p, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	enum pawl_rc first = PAWL_OK;
	struct pawl_err why;

	for (uint32_t i = 0; i < s->delegations.count; i++) {
		enum pawl_rc rc = PAWL_OK;

		if (s->delegations.items[i].status == DELEGATION_STARTED)
			rc = collect(p, i, &why);
		if (rc == PAWL_OK || (is_unfit(rc) && first != PAWL_OK))
			continue;
		*err = why;
		first = rc;
		if (!is_unfit(rc))
			break;
	}
	return first;
}

/* Tell a worker that delivers from now on.  A courtesy, no record. */
static void
close_outbox(const struct delegating *d)
{
	const struct fs *fs = d->run->place->fs;
	struct pawl_err ignored;
	int fd = -1;
	enum pawl_rc rc = outbox_enter(fs, d->run->dir,
		state_delegation_id(d->subject, &d->run->mem), &fd, &ignored);

	if (rc == PAWL_OK)
		rc = fs_replace(fs, fd, OUTBOX_CLOSED, STR("released"),
			FS_CACHE, &ignored);
	(void)rc; /* nothing that comes later is taken */
	fs_close(fs, &fd);
}

enum pawl_rc
delegating_release(const struct delegating *d, struct str cleanup,
	struct str reason, struct delegating_answer *ret_answer,
	struct pawl_err *err)
{
	const struct state *s = &d->run->state;
	const struct delegation *known = delegation_of(d);
	struct command cmd = command_of(d, EV_DELEGATION_RELEASED);
	struct str status = DELEGATION_RETAINED;
	struct event *e = &cmd.event;
	enum pawl_rc rc;
	uint32_t at;

	if (cleanup.len == 0)
		cleanup = known->cleanup;
	if (known->status == DELEGATION_APPROVED) {
		status = DELEGATION_UNSTARTED;
	} else if (state_find_cleanup(s, cleanup, &at) &&
		is_cleanup_settled(&s->cleanups.items[at])) {
		status = cleanup_status_word(s->cleanups.items[at].status);
		/* Kept on purpose: the purpose was said then. */
		if (s->cleanups.items[at].status == CLEANUP_RETAINED &&
			reason.len == 0)
			reason = s->cleanups.items[at].reason;
	}
	if (known->status == DELEGATION_RELEASED && known->settled_by.len > 0 &&
		str_eq(known->cleanup, cleanup) &&
		str_eq(known->reason, reason))
		return said_before(d, d->subject, ret_answer, err);
	EVENT_SET(e, F_STATUS, status, status);
	EVENT_SET(e, F_BY, by, d->run->actor);
	if (cleanup.len > 0)
		EVENT_SET(e, F_CLEANUP, cleanup, cleanup);
	if (reason.len > 0)
		EVENT_SET(e, F_REASON, reason, reason);
	rc = say(d, &cmd, d->subject, ret_answer, err);
	if (rc == PAWL_OK && !d->act.dry_run)
		close_outbox(d);
	return rc;
}

/* Its file in the parent's outbox, when that doesn't say so already. */
static enum pawl_rc
deliver(const struct run *r, uint32_t delegation, struct arena *mem,
	struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	const struct delegation *d = &r->state.delegations.items[delegation];
	const char *name = arena_format(mem, STR_FMT ".json",
		STR_ARG(state_delegation_id(delegation, mem)))
				   .ptr;
	struct buf bytes = { 0 }, there = { 0 };
	struct pawl_err ignored;
	bool found = false;
	int dir = -1;
	enum pawl_rc rc = outbox_enter_answers(fs, r->dir,
		state_attempt_id(&r->state, d->attempt, mem), &dir, err);

	delegation_answer_write(&r->state, delegation, mem, &bytes);
	if (rc == PAWL_OK &&
		outbox_take(fs, dir, name, bytes.len, &there, &found,
			&ignored) == PAWL_OK &&
		found && str_eq(buf_str(&there), buf_str(&bytes)))
		goto out;
	if (rc == PAWL_OK)
		rc = fs_replace(
			fs, dir, name, buf_str(&bytes), FS_DURABLE, err);
out:
	fs_close(fs, &dir);
	buf_release(&bytes);
	buf_release(&there);
	return rc;
}

enum pawl_rc
delegating_deliver_all(const struct run *r, struct pawl_err *err)
{
	const struct state *s = &r->state;
	struct arena mem = ARENA_INIT;
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < s->delegations.count; i++) {
		uint32_t parent = s->delegations.items[i].attempt;

		if (is_attempt_live(&s->attempts.items[parent]))
			rc = deliver(r, i, &mem, err);
		/* A view: who spoilt the place of it goes without. */
		if (rc != PAWL_OK &&
			(rc == PAWL_ENOENT || is_outbox_spoilt(err)))
			rc = PAWL_OK;
	}
	arena_reset(&mem);
	return rc;
}
