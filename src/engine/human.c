#include "engine/human.h"

/* The commit under the key, or 0: an answer is only given once it is synced. */
static enum pawl_rc
find_key(struct run *r, const struct human_act *act, struct str request,
	bool *ret_again, struct pawl_err *err)
{
	uint64_t seq = 0;
	enum pawl_rc rc;

	*ret_again = false;
	if (act->key.len == 0)
		return PAWL_OK;
	rc = keys_find(&r->keys, &r->journal, act->key, request, &seq, err);
	if (rc == PAWL_OK && seq != 0) {
		*ret_again = true;
		rc = journal_sync(&r->journal, err);
	}
	return rc;
}

/* What would be answered, from reading alone: catching up under the lock would
 * cut a torn tail. */
static enum pawl_rc
rehearse(struct run *r, const struct command *cmd, const struct human_act *act,
	struct str request, bool *ret_again, struct pawl_err *err)
{
	uint64_t seq = 0;
	enum pawl_rc rc = run_refresh(r, err);

	*ret_again = false;
	if (rc == PAWL_OK && journal_is_poisoned(&r->journal)) {
		rc = pawl_fail(err, ERR_POISONED,
			"a failed append of run '" STR_FMT
			"' could not be undone",
			STR_ARG(r->id));
	}
	if (rc == PAWL_OK && act->key.len > 0)
		rc = keys_find(
			&r->keys, &r->journal, act->key, request, &seq, err);
	*ret_again = seq != 0;
	return rc == PAWL_OK && seq == 0 ? decide(&r->state, cmd, err) : rc;
}

/* Append one human's event, or find that it was appended. */
static enum pawl_rc
act_commit(struct run *r, const struct command *cmd,
	const struct human_act *act, bool *ret_again, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	char request[LINE_REQUEST_HEX + 1];
	struct pawl_err ignored;
	enum pawl_rc rc;

	/* The head is what it was read at, not what was asked for. */
	struct event asked = cmd->event;

	asked.has[F_HEAD / 64] &= ~(UINT64_C(1) << (F_HEAD % 64));
	EVENT_SET(&asked, F_HEAD, head, STR(""));
	if (asked.type != EV_GATE_DECIDED)
		asked.has[F_HEAD / 64] &= ~(UINT64_C(1) << (F_HEAD % 64));
	event_write(&w, &asked);
	keys_request(buf_str(&text), request);
	buf_release(&text);
	r->actor = arena_format(&r->mem, "human:" STR_FMT, STR_ARG(act->by));
	if (act->dry_run)
		return rehearse(r, cmd, act, str_from(request), ret_again, err);
	rc = run_begin(r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = find_key(r, act, str_from(request), ret_again, err);
	if (rc == PAWL_OK && !*ret_again)
		rc = run_propose(r, cmd, err);
	if (rc == PAWL_OK && !*ret_again)
		return run_commit_key(r, act->key,
			act->key.len ? str_from(request) : STR(""), err);
	if (run_abort(r, &ignored) != PAWL_OK && rc == PAWL_OK)
		rc = pawl_fail(err, ignored.code, "%s", ignored.msg);
	return rc;
}

enum pawl_rc
human_decide(struct run *r, uint32_t gate, bool granted,
	const struct human_act *act, bool *ret_again, struct pawl_err *err)
{
	const struct gate *g = &r->state.gates.items[gate];
	struct command cmd = {
		.event = { .type = EV_GATE_DECIDED,
			.node = plan_id(&r->plan, g->node) },
		.actor = ACTOR_HUMAN,
	};
	struct event *e = &cmd.event;

	EVENT_SET(e, F_GATE, gate, state_gate_id(&r->state, gate, &r->mem));
	EVENT_SET(e, F_DECISION, decision,
		granted ? STR("granted") : STR("denied"));
	EVENT_SET(e, F_BY, by, act->by);
	EVENT_SET(e, F_ASSURANCE, assurance, STR("local"));
	if (act->reason.len > 0)
		EVENT_SET(e, F_REASON, reason, act->reason);
	EVENT_SET(e, F_REVISION, revision, 1);
	EVENT_SET(e, F_CONTRACT_SHA256, contract_sha256,
		arena_copy(&r->mem, g->contract_sha256));
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256,
		arena_copy(&r->mem, g->scope_sha256));
	EVENT_SET(e, F_HEAD, head,
		arena_copy(&r->mem, str_from(r->journal.at.chain)));
	return act_commit(r, &cmd, act, ret_again, err);
}

enum pawl_rc
human_unblock(struct run *r, uint32_t node, const struct human_act *act,
	bool *ret_again, struct pawl_err *err)
{
	struct command cmd = {
		.event = { .type = EV_NODE_UNBLOCKED,
			.node = plan_id(&r->plan, node) },
		.actor = ACTOR_HUMAN,
	};

	EVENT_SET(&cmd.event, F_BY, by, act->by);
	EVENT_SET(&cmd.event, F_REASON, reason, act->reason);
	return act_commit(r, &cmd, act, ret_again, err);
}
