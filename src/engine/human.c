#include "engine/human.h"

#include "engine/act.h"
#include "model/approver.h"
#include "model/contract.h"

/* Append one human's event, or find that it was appended. */
static enum pawl_rc
human_commit(struct run *r, const struct command *cmd,
	const struct human_act *human, bool *ret_again, struct pawl_err *err)
{
	struct act act = { .key = human->key, .dry_run = human->dry_run };
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	enum pawl_rc rc;

	/* The head is what it was read at, not what was asked for. */
	struct event asked = cmd->event;

	asked.has[F_HEAD / 64] &= ~(UINT64_C(1) << (F_HEAD % 64));
	EVENT_SET(&asked, F_HEAD, head, STR(""));
	if (asked.type != EV_GATE_DECIDED)
		asked.has[F_HEAD / 64] &= ~(UINT64_C(1) << (F_HEAD % 64));
	event_write(&w, &asked);
	act.request = buf_str(&text);
	r->actor = arena_format(&r->mem, "human:" STR_FMT, STR_ARG(human->by));
	rc = act_commit(r, cmd, &act, ret_again, err);
	buf_release(&text);
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
	struct contract_view v = contract_of(&r->state, g->node);

	EVENT_SET(e, F_GATE, gate, state_gate_id(&r->state, gate, &r->mem));
	EVENT_SET(e, F_DECISION, decision,
		granted ? STR("granted") : STR("denied"));
	EVENT_SET(e, F_BY, by, act->by);
	EVENT_SET(e, F_ASSURANCE, assurance, STR("local"));
	EVENT_SET(e, F_POLICY, policy,
		approver_policy(&r->state, g->node, act->by));
	if (act->reason.len > 0)
		EVENT_SET(e, F_REASON, reason, act->reason);
	EVENT_SET(e, F_REVISION, revision, contract_revision(&v));
	EVENT_SET(e, F_CONTRACT_SHA256, contract_sha256,
		arena_copy(&r->mem, g->contract_sha256));
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256,
		arena_copy(&r->mem, g->scope_sha256));
	EVENT_SET(e, F_HEAD, head,
		arena_copy(&r->mem, str_from(r->journal.at.chain)));
	return human_commit(r, &cmd, act, ret_again, err);
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
	return human_commit(r, &cmd, act, ret_again, err);
}
