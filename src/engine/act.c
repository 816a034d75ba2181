#include "engine/act.h"

enum pawl_rc
act_look(struct run *r, const struct act *act, bool *ret_again,
	struct pawl_err *err)
{
	char request[LINE_REQUEST_HEX + 1];
	uint64_t seq = 0;
	enum pawl_rc rc = PAWL_OK;

	keys_request(act->request, request);
	if (act->key.len > 0)
		rc = keys_find(&r->keys, &r->journal, act->key,
			str_from(request), &seq, err);
	*ret_again = seq != 0;
	return rc;
}

enum pawl_rc
act_find(struct run *r, const struct act *act, bool *ret_again,
	struct pawl_err *err)
{
	enum pawl_rc rc = act_look(r, act, ret_again, err);

	return rc == PAWL_OK && *ret_again ? journal_sync(&r->journal, err)
					   : rc;
}

enum pawl_rc
act_end(struct run *r, const struct act *act, bool again, enum pawl_rc rc,
	struct pawl_err *err)
{
	char request[LINE_REQUEST_HEX + 1];

	if (rc != PAWL_OK || again)
		return run_give_up(r, rc, err);
	keys_request(act->request, request);
	return run_commit_key(r, act->key,
		act->key.len > 0 ? str_from(request) : STR(""), err);
}

enum pawl_rc
act_check_seen(const struct run *r, const struct act *act, struct pawl_err *err)
{
	if (act->seen == 0 || act->seen == r->state.seq)
		return PAWL_OK;
	return pawl_fail(err, ERR_STALE_SEQ,
		"run '" STR_FMT "' has gone on since it was read",
		STR_ARG(r->id));
}

enum pawl_rc
act_rehearse(struct run *r, const struct command *cmd, const struct act *act,
	bool *ret_again, struct pawl_err *err)
{
	enum pawl_rc rc = run_refresh(r, err);

	*ret_again = false;
	if (rc == PAWL_OK && journal_is_poisoned(&r->journal)) {
		rc = pawl_fail(err, ERR_POISONED,
			"a failed append of run '" STR_FMT
			"' could not be undone",
			STR_ARG(r->id));
	}
	if (rc == PAWL_OK)
		rc = act_look(r, act, ret_again, err);
	if (rc == PAWL_OK && !*ret_again)
		rc = act_check_seen(r, act, err);
	return rc == PAWL_OK && !*ret_again ? decide(&r->state, cmd, err) : rc;
}

enum pawl_rc
act_commit(struct run *r, const struct command *cmd, const struct act *act,
	bool *ret_again, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (act->dry_run)
		return act_rehearse(r, cmd, act, ret_again, err);
	rc = run_begin(r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = act_find(r, act, ret_again, err);
	if (rc == PAWL_OK && !*ret_again)
		rc = act_check_seen(r, act, err);
	if (rc == PAWL_OK && !*ret_again)
		rc = run_propose(r, cmd, err);
	return act_end(r, act, *ret_again, rc, err);
}

bool
act_is_outrun(enum pawl_rc rc, const struct pawl_err *err)
{
	return rc == PAWL_ECONFLICT && err->code == ERR_STALE_SEQ;
}

enum pawl_rc
act_sync(struct run *r, const struct act *act, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	if (act->dry_run)
		return rc;
	rc = run_begin(r, err);

	if (rc != PAWL_OK)
		return rc;
	return run_give_up(r, journal_sync(&r->journal, err), err);
}
