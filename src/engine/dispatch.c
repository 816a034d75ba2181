#include "engine/dispatch.h"

#include "engine/act.h"
#include "engine/drivers.h"
#include "engine/handed.h"
#include "engine/plumb.h"
#include "engine/red.h"
#include "engine/worker.h"
#include "engine/workspace.h"
#include "model/contract.h"
#include "model/id.h"
#include "os/lock.h"

/* The nodes that the spec names, each once. */
static enum pawl_rc
nodes_find(const struct run *r, const struct dispatch_spec *spec,
	uint32_t *ret_nodes, struct pawl_err *err)
{
	if (spec->count > DISPATCH_NODES_MAX)
		return pawl_fail(err, ERR_LIMIT,
			"%zu nodes are over the limit of %d", spec->count,
			DISPATCH_NODES_MAX);
	for (size_t i = 0; i < spec->count; i++) {
		struct str id = spec->nodes[i];
		enum pawl_rc rc = id_check(id, err);

		if (rc == PAWL_OK)
			rc = state_need_node(&r->state, id, &ret_nodes[i], err);
		if (rc != PAWL_OK)
			return rc;
		for (size_t k = 0; k < i; k++) {
			if (ret_nodes[k] == ret_nodes[i])
				return pawl_fail(err, ERR_INVALID_ARGUMENT,
					"'" STR_FMT "' is named twice",
					STR_ARG(id));
		}
	}
	return PAWL_OK;
}

enum pawl_rc
dispatch_rehearse(
	struct run *r, const struct dispatch_spec *spec, struct pawl_err *err)
{
	uint32_t nodes[DISPATCH_NODES_MAX];
	enum pawl_rc rc = nodes_find(r, spec, nodes, err);

	for (size_t i = 0; rc == PAWL_OK && i < spec->count; i++) {
		struct str id = plan_id(&r->plan, nodes[i]);
		struct command cmd = run_command(r, EV_ATTEMPT_RESERVED, id,
			arena_format(&r->mem, STR_FMT "@%u", STR_ARG(id),
				r->state.nodes[nodes[i]].attempts + 1u));
		struct contract_view v = contract_of(&r->state, nodes[i]);

		EVENT_SET(&cmd.event, F_REVISION, revision,
			contract_revision(&v));
		cmd.event.placement = placement_word(r->state.run.placement);
		rc = decide(&r->state, &cmd, err);
	}
	return rc;
}

/* What the key stands for. */
static void
request_of(const struct pilot *p, const struct dispatch_spec *spec,
	char ret_hex[LINE_REQUEST_HEX + 1])
{
	struct buf text = { 0 };

	buf_addf(&text, "dispatch " STR_FMT, STR_ARG(driver_name_of(p)));
	if (p->config.worker != NULL)
		buf_addf(&text, " %s", p->config.worker);
	for (size_t i = 0; i < spec->count; i++)
		buf_addf(&text, "\n" STR_FMT, STR_ARG(spec->nodes[i]));
	for (uint32_t i = 0; i < p->config.argv.count; i++) {
		buf_addc(&text, '\0');
		buf_add(&text, p->config.argv.items[i]);
	}
	keys_request(buf_str(&text), ret_hex);
	buf_release(&text);
}

/* The attempts that line `seq` reserved; some may have gone on since. */
static void
attempts_of(struct pilot *p, uint64_t seq, struct dispatched *ret)
{
	const struct state *s = &p->run->state;

	ret->count = 0;
	for (size_t i = 0; i < s->attempts.count; i++) {
		if (s->attempts.items[i].seq_reserved == seq &&
			ret->count < DISPATCH_NODES_MAX)
			ret->attempts[ret->count++] = (uint32_t)i;
	}
}

/* One that is reserved already wants to be gone on from. */
static enum pawl_rc
hint_reserved(const struct run *r, const uint32_t *nodes, size_t count,
	struct pawl_err *err)
{
	for (size_t i = 0; i < count; i++) {
		const struct attempt *a = state_live(&r->state, nodes[i]);

		if (a != NULL && a->status == ATTEMPT_RESERVED &&
			a->seq_reserved <= r->journal.at.seq) {
			return pawl_hint(err,
				"pawl task recover attempt " STR_FMT "@%u",
				STR_ARG(plan_id(&r->plan, nodes[i])),
				a->number);
		}
	}
	return err->rc;
}

/* Reserve all, or find that the key did. */
static enum pawl_rc
reserve(struct pilot *p, const struct dispatch_spec *spec,
	const uint32_t *nodes, struct dispatched *ret, struct pawl_err *err)
{
	struct run *r = p->run;
	char request[LINE_REQUEST_HEX + 1];
	uint64_t seq = 0;
	enum pawl_rc rc = run_begin(r, err);

	if (rc != PAWL_OK)
		return rc;
	p->open = true;
	request_of(p, spec, request);
	if (spec->key.len > 0)
		rc = keys_find(&r->keys, &r->journal, spec->key,
			str_from(request), &seq, err);
	if (rc == PAWL_OK && seq != 0)
		rc = journal_sync(&r->journal, err);
	for (size_t i = 0; rc == PAWL_OK && seq == 0 && i < spec->count; i++)
		rc = worker_reserve(p, nodes[i], err);
	p->open = false;
	if (rc != PAWL_OK && err->code == ERR_TASK_NOT_READY)
		(void)hint_reserved(r, nodes, spec->count, err);
	if (rc == PAWL_OK && seq == 0) {
		rc = run_commit_key(r, spec->key,
			spec->key.len > 0 ? str_from(request) : STR(""), err);
		if (rc == PAWL_OK)
			attempts_of(p, r->state.seq, ret);
		return rc;
	}
	rc = run_give_up(r, rc, err);
	if (rc == PAWL_OK) {
		ret->again = true;
		attempts_of(p, seq, ret);
	}
	return rc;
}

enum pawl_rc
dispatch_nodes(struct pilot *p, const struct dispatch_spec *spec,
	struct dispatched *ret_dispatched, struct pawl_err *err)
{
	uint32_t nodes[DISPATCH_NODES_MAX];
	int turn = -1;
	enum pawl_rc rc = nodes_find(p->run, spec, nodes, err);

	ret_dispatched->count = 0;
	ret_dispatched->again = false;
	if (rc == PAWL_OK)
		rc = plumb_turn(p, &turn, err);
	/* One snapshot for all of them. */
	for (size_t i = 0; rc == PAWL_OK && i < spec->count; i++) {
		if (!worker_is_placed(&p->run->state, nodes[i]))
			continue;
		rc = workspace_snapshot_place(p, err);
		break;
	}
	if (rc == PAWL_OK)
		rc = reserve(p, spec, nodes, ret_dispatched, err);
	for (size_t i = 0;
		rc == PAWL_OK && !spec->defer && i < ret_dispatched->count;
		i++) {
		uint32_t attempt = ret_dispatched->attempts[i];

		if (pilot_attempt(p, attempt)->status != ATTEMPT_RESERVED)
			continue;
		rc = worker_is_outdated(p, attempt)
			? worker_never_started(p, attempt, err)
			: worker_start(p, attempt, err);
	}
	lock_close(p->run->place->fs, &turn);
	return rc;
}

/* In its turn. */
static enum pawl_rc
recover(struct pilot *p, uint32_t attempt, bool *ret_again,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str id = pilot_attempt_id(p, attempt);
	enum pawl_rc rc = PAWL_OK;

	*ret_again = a->status != ATTEMPT_RESERVED;
	if (!is_attempt_live(a))
		return pawl_fail(err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "' has ended: " STR_FMT,
			STR_ARG(id), STR_ARG(attempt_status_word(a->status)));
	if (*ret_again)
		return PAWL_OK;
	if (a->placement == PLACEMENT_IN_PLACE)
		rc = workspace_snapshot_place(p, err);
	if (rc == PAWL_OK && worker_is_outdated(p, attempt)) {
		(void)pawl_fail(err, ERR_ATTEMPT_STATE,
			"the working tree changed since '" STR_FMT
			"' was reserved",
			STR_ARG(id));
		return pawl_hint(err,
			"pawl task abandon " STR_FMT " --reason TEXT",
			STR_ARG(id));
	}
	return rc == PAWL_OK ? worker_start(p, attempt, err) : rc;
}

enum pawl_rc
dispatch_recover(struct pilot *p, uint32_t attempt, bool *ret_again,
	struct pawl_err *err)
{
	int turn = -1;
	enum pawl_rc rc = plumb_turn(p, &turn, err);

	if (rc == PAWL_OK)
		rc = recover(p, attempt, ret_again, err);
	lock_close(p->run->place->fs, &turn);
	return rc;
}

/* The worktree that was registered for an attempt of which nothing ran. */
static enum pawl_rc
discard_unused(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct cleanup *c;
	bool owns = false;
	enum pawl_rc rc;

	VEC_EACH (c, &p->run->state.cleanups)
		owns = owns ||
			(c->attempt == attempt &&
				str_eq(c->kind, STR("worktree")) &&
				c->by.len == 0 && !is_cleanup_settled(c));
	if (!owns)
		return PAWL_OK;
	rc = workspace_discard(p, attempt, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

/* After the record: what it left is put in order. */
static enum pawl_rc
put_in_order(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum pawl_rc rc = pilot_attempt(p, attempt)->unreconciled
		? workspace_reconcile(p, attempt, err)
		: discard_unused(p, attempt, err);

	if (rc == PAWL_OK)
		handed_close(p, attempt);
	return rc;
}

enum pawl_rc
dispatch_rehearse_abandon(struct run *r, uint32_t attempt, struct str reason,
	struct pawl_err *err)
{
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct command cmd =
		run_command(r, EV_ATTEMPT_ABANDONED, plan_id(&r->plan, a->node),
			state_attempt_id(&r->state, attempt, &r->mem));
	enum pawl_rc rc;

	if (a->status == ATTEMPT_ABANDONED && str_eq(a->cause, reason))
		return PAWL_OK;
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	rc = decide(&r->state, &cmd, err);
	return rc != PAWL_OK && err->code == ERR_CLEANUP_BLOCKED ? PAWL_OK : rc;
}

static enum pawl_rc
abandon(struct pilot *p, uint32_t attempt, struct str reason, bool *ret_again,
	struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_ABANDONED, attempt);
	const struct attempt *a = pilot_attempt(p, attempt);
	struct pawl_err why;
	enum pawl_rc rc;

	*ret_again = a->status == ATTEMPT_ABANDONED && str_eq(a->cause, reason);
	if (*ret_again)
		return put_in_order(p, attempt, err);
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	/* What its driver has is proven gone; all else is refused before that.
	 */
	if (decide(&p->run->state, &cmd, &why) != PAWL_OK &&
		why.code != ERR_CLEANUP_BLOCKED) {
		*err = why;
		return why.rc;
	}
	rc = driver_of(a)->released(p, attempt, err);
	if (rc == PAWL_OK)
		rc = red_settle(p, attempt, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	if (rc == PAWL_OK)
		rc = plumb_finish(p, err);
	return rc == PAWL_OK ? put_in_order(p, attempt, err) : rc;
}

enum pawl_rc
dispatch_abandon(struct pilot *p, uint32_t attempt, struct str reason,
	struct str key, bool *ret_again, struct pawl_err *err)
{
	const struct act act = { .key = key,
		.request = arena_format(&p->mem, "abandon " STR_FMT " " STR_FMT,
			STR_ARG(pilot_attempt_id(p, attempt)),
			STR_ARG(reason)) };
	struct plumb_hold hold = PLUMB_HOLD_NONE;
	uint64_t seq = 0;
	bool again;
	enum pawl_rc rc = act_look(p->run, &act, &again, err);

	/* A refusal takes no lock: whoever has that cuts a torn tail. */
	if (rc == PAWL_OK && !again)
		rc = dispatch_rehearse_abandon(p->run, attempt, reason, err);
	if (rc == PAWL_OK)
		rc = plumb_hold(p, attempt, &hold, err);
	if (rc == PAWL_OK)
		rc = plumb_ask(p, key, act.request, &seq, err);
	*ret_again = seq != 0;
	if (rc == PAWL_OK)
		rc = seq != 0 ? put_in_order(p, attempt, err)
			      : abandon(p, attempt, reason, ret_again, err);
	plumb_let_go(p, &hold);
	return rc;
}
