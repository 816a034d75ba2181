#include "engine/inquiry.h"

#include "engine/plumb.h"
#include "engine/workspace.h"

/* The question that the decision is: an act, since only a human grants one
 * attempt more. */
static struct command
question_of(struct run *r, uint32_t node, struct str prompt, struct str id)
{
	struct command cmd = run_command(
		r, EV_QUESTION_OPENED, plan_id(&r->plan, node), STR(""));
	struct event *e = &cmd.event;

	EVENT_SET(e, F_QUESTION, question, id);
	EVENT_SET(e, F_KIND, kind, ask_kind_word(ASK_ACT));
	EVENT_SET(e, F_PROMPT, prompt, prompt);
	EVENT_SET(e, F_BY, by, r->actor);
	return cmd;
}

/* Decided on what was read, folded in memory alone, and forgotten again. */
static enum pawl_rc
ask_rehearsed(const struct rework *w, const struct command *cmds,
	bool *ret_again, struct pawl_err *err)
{
	enum pawl_rc rc =
		act_rehearse(w->run, &cmds[0], &w->act, ret_again, err);

	if (rc != PAWL_OK || *ret_again)
		return rc;
	for (size_t i = 0; rc == PAWL_OK && i < 2; i++)
		rc = run_propose(w->run, &cmds[i], err);
	return run_give_up(w->run, rc, err);
}

/* Question and decision as one commit; then the workspace is put in order. */
static enum pawl_rc
ask_committed(const struct rework *w, uint32_t node, const struct command *cmds,
	bool *ret_again, struct pawl_err *err)
{
	const struct act *act = &w->act;
	bool live = state_live(&w->run->state, node) != NULL;
	uint32_t attempt = w->run->state.nodes[node].attempt_1 - 1;
	struct plumb_hold hold = PLUMB_HOLD_NONE;
	struct pilot p = { 0 };
	uint64_t seq = 0;
	enum pawl_rc rc = plumb_open(&p, w->run, w->repo, w->config, err);

	if (rc != PAWL_OK)
		return rc;
	if (live)
		rc = plumb_hold(&p, attempt, &hold, err);
	if (rc == PAWL_OK)
		rc = plumb_ask(&p, act->key, act->request, &seq, err);
	*ret_again = seq != 0;
	if (rc == PAWL_OK && seq == 0)
		rc = pilot_begin(&p, err);
	if (rc == PAWL_OK && seq == 0)
		rc = act_check_seen(w->run, act, err);
	for (size_t i = 0; rc == PAWL_OK && seq == 0 && i < 2; i++)
		rc = pilot_propose(&p, &cmds[i], err);
	if (rc == PAWL_OK)
		rc = plumb_finish(&p, err);
	if (rc == PAWL_OK && live && pilot_attempt(&p, attempt)->unreconciled)
		rc = workspace_reconcile(&p, attempt, err);
	plumb_let_go(&p, &hold);
	plumb_close(&p);
	return rc;
}

enum pawl_rc
inquiry_decide(const struct rework *w, uint32_t node, struct command *cmd,
	struct rework_answer *answer, struct pawl_err *err)
{
	struct run *r = w->run;
	struct command cmds[2];
	struct rework seen = *w;

	seen.act.seen = r->state.seq;
	answer->question = state_ask_id((uint32_t)r->state.asks.count, &r->mem);
	EVENT_SET(&cmd->event, F_QUESTION, question, answer->question);
	cmds[0] = question_of(r, node, cmd->event.reason, answer->question);
	cmds[1] = *cmd;
	return w->act.dry_run
		? ask_rehearsed(&seen, cmds, &answer->again, err)
		: ask_committed(&seen, node, cmds, &answer->again, err);
}
