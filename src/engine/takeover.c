#include "engine/takeover.h"

#include "engine/act.h"
#include "engine/audit.h"
#include "engine/driver.h"
#include "engine/owner_event.h"

static enum owner_state
old_owner(const struct run *r)
{
	struct owner owner = owner_event_get(&r->state.coordinator);
	struct owner self;
	struct pawl_err ignored;

	if (owner_of(&owner_here, 0, &self, &ignored) != PAWL_OK)
		return OWNER_UNKNOWN;
	return owner_state(&owner_here, &self, &owner);
}

/* Of whom nothing can be told, and what is to be typed. */
static enum pawl_rc
unknown(const struct run *r, struct pawl_err *err)
{
	const struct state *s = &r->state;

	if (s->coordinator.pid == 0)
		return err->rc; /* decide() said it */
	(void)pawl_fail(err, ERR_RUN_HELD,
		"can't tell whether process %llu, which holds run "
		"'" STR_FMT "', lives: it is of another machine, "
		"another container, or"
		" of a machine without an id before it was restarted",
		(unsigned long long)s->coordinator.pid, STR_ARG(r->id));
	return pawl_hint(err, "see whether it runs where it was started");
}

/* Named ones are asked to hand over; all others are taken over by force. */
static enum pawl_rc
refused(const struct run *r, const struct takeover *t, enum owner_state old,
	struct pawl_err *err)
{
	struct str name = t->who.name;

	if (err->code != ERR_RUN_HELD)
		return err->rc;
	if (old == OWNER_UNKNOWN && !r->state.vacant)
		(void)unknown(r, err);
	if (name.len > 0) {
		return pawl_hint(err,
			"pawl task takeover " STR_FMT " --as " STR_FMT
			" --force --reason TEXT",
			STR_ARG(r->id), STR_ARG(name));
	}
	if (r->state.coordinator_name.len > 0) {
		return pawl_hint(err,
			"pawl task transfer " STR_FMT " --as " STR_FMT
			", or pawl run " STR_FMT " --force --reason TEXT",
			STR_ARG(r->id), STR_ARG(r->state.coordinator_name),
			STR_ARG(r->id));
	}
	return err->rc;
}

static enum pawl_rc
command_make(struct run *r, const struct takeover *t, struct token *ret_token,
	struct command *ret_cmd, struct pawl_err *err)
{
	enum owner_state old = old_owner(r);
	struct event *e = &ret_cmd->event;
	enum pawl_rc rc = PAWL_OK;

	r->gen = r->state.gen + 1;
	r->actor = coordinator_actor(r, t->who.name);
	*ret_cmd = run_command(r, EV_COORDINATOR_TAKEN_OVER, STR(""), STR(""));
	ret_cmd->owner_dead = old == OWNER_DEAD;
	EVENT_SET(e, F_REASON, reason,
		t->reason.len > 0         ? t->reason
			: t->force        ? STR("")
			: r->state.vacant ? STR("nobody coordinated it")
					  : STR("its process is gone"));
	if (t->force && old != OWNER_DEAD)
		EVENT_SET(e, F_FORCED, forced, true);
	if (t->slots != 0)
		EVENT_SET(e, F_SLOTS, slots, t->slots);
	if (t->capacity.count != 0)
		EVENT_SET(e, F_CAPACITY, capacity, t->capacity);
	if (t->argv.count != 0)
		EVENT_SET(e, F_ARGV, argv, t->argv);
	if (t->who.name.len > 0) {
		rc = coordinator_token(r, &t->who, r->gen, ret_token, err);
		if (rc == PAWL_OK) {
			EVENT_SET(e, F_NAME, name, t->who.name);
			EVENT_SET(e, F_TOKEN_SHA256, token_sha256,
				arena_copy(
					&r->mem, str_from(ret_token->sha256)));
		}
	}
	if (rc == PAWL_OK)
		rc = coordinator_identify(r, &t->who, e, err);
	if (rc == PAWL_OK && decide(&r->state, ret_cmd, err) != PAWL_OK)
		rc = refused(r, t, old, err);
	return rc;
}

/*
 * Who coordinates already has nothing to take over, by force or without: that
 * would end its own generation.  Another process of it is recorded by a resume.
 */
static bool
is_taken(const struct run *r, const struct takeover *t)
{
	return coordinator_is(r, t->who.name) &&
		(t->who.owner_pid == 0 ||
			t->who.owner_pid == r->state.coordinator.pid) &&
		(!t->force || t->reason.len > 0);
}

enum pawl_rc
takeover_rehearse(struct run *r, const struct takeover *t, bool *ret_again,
	struct pawl_err *err)
{
	struct command cmd;
	struct token token;

	*ret_again = is_taken(r, t);
	if (*ret_again)
		return coordinator_prove(r, t->who.name, err);
	return command_make(r, t, &token, &cmd, err);
}

/* The lock; by force also from one who doesn't let it go. */
static enum pawl_rc
begin(struct run *r, bool force, struct keepers *killed, struct pawl_err *err)
{
	enum pawl_rc rc = run_begin(r, err);

	if (rc == PAWL_OK || err->code != ERR_BUSY)
		return rc;
	if (!force) {
		return pawl_hint(err,
			"pawl task takeover " STR_FMT
			" --as ID --force --reason TEXT kills it",
			STR_ARG(r->id));
	}
	return keeper_kill(r, killed) ? run_begin(r, err) : rc;
}

/* Under the lock, up to the commit. */
static enum pawl_rc
propose(struct run *r, const struct takeover *t, struct pawl_err *err)
{
	bool named = t->who.name.len > 0;
	struct command cmd;
	struct token token;
	enum pawl_rc rc = command_make(r, t, &token, &cmd, err);

	if (rc == PAWL_OK && named)
		rc = token_save(r, t->who.name, &token, err);
	if (rc == PAWL_OK)
		rc = run_propose(r, &cmd, err);
	if (rc == PAWL_OK && named && !is_run_closed(&r->state))
		rc = driver_reserve(r, err);
	return rc;
}

/* What a name has beyond the generation: its token proved, and a driver. */
static enum pawl_rc
finish(struct run *r, const struct takeover *t, bool again,
	struct pawl_err *err)
{
	bool selected;
	enum pawl_rc rc = PAWL_OK;

	if (t->who.name.len == 0)
		return rc;
	if (again)
		rc = coordinator_prove(r, t->who.name, err);
	return rc == PAWL_OK ? driver_select(r, &selected, err) : rc;
}

enum pawl_rc
takeover_run(struct run *r, const struct takeover *t, struct taken *ret_taken,
	struct pawl_err *err)
{
	const struct act act = { .key = t->who.key,
		.request = arena_format(&r->mem,
			"takeover " STR_FMT " %d " STR_FMT,
			STR_ARG(t->who.name), t->force, STR_ARG(t->reason)) };
	bool again = false;
	enum pawl_rc rc = PAWL_OK;

	*ret_taken = (struct taken){ .again = false };
	if (t->who.name.len > 0)
		rc = audit_must_be_sound(r->place, r->id, err);
	if (rc == PAWL_OK)
		rc = act_look(r, &act, &again, err);
	/* Before anybody is killed, and before the lock: whoever has that cuts
	 * a torn tail, and a refusal changes nothing. */
	if (rc == PAWL_OK && !again && (t->force || t->who.name.len > 0))
		rc = takeover_rehearse(r, t, &again, err);
	if (rc == PAWL_OK)
		rc = begin(r, t->force, &ret_taken->killed, err);
	if (rc != PAWL_OK)
		return rc;
	rc = act_find(r, &act, &again, err);
	if (rc == PAWL_OK && !again && is_taken(r, t)) {
		again = true;
		rc = journal_sync(&r->journal, err);
	}
	if (rc == PAWL_OK && !again)
		rc = propose(r, t, err);
	rc = act_end(r, &act, again, rc, err);
	ret_taken->again = again;
	if (rc == PAWL_OK && t->force)
		keepers_kill_stopped(r, &ret_taken->killed);
	return rc == PAWL_OK ? finish(r, t, again, err) : rc;
}
