#include "engine/plumb.h"

#include "os/lock.h"

enum pawl_rc
plumb_open(struct pilot *ret_pilot, struct run *run, const struct repo *repo,
	const struct pilot_config *config, struct pawl_err *err)
{
	struct pilot_config manual = *config;

	manual.manual = true;
	return pilot_open(ret_pilot, run, repo, &manual, err);
}

void
plumb_close(struct pilot *p)
{
	pilot_close(p);
}

enum pawl_rc
plumb_attempt(const struct run *r, struct str id, uint32_t *ret_attempt,
	struct pawl_err *err)
{
	if (id.len == 0)
		return pawl_fail(
			err, ERR_INVALID_ID, "an attempt's id is empty");
	return state_need_attempt(&r->state, id, ret_attempt, err);
}

/* An answer is only given once it is synced. */
static enum pawl_rc
find_key(struct pilot *p, uint64_t *ret_seq, struct pawl_err *err)
{
	struct run *r = p->run;
	uint64_t seq = 0;
	enum pawl_rc rc = run_begin(r, err);

	if (rc != PAWL_OK)
		return rc;
	rc = keys_find(&r->keys, &r->journal, p->key, p->request, &seq, err);
	if (rc == PAWL_OK && seq != 0)
		rc = journal_sync(&r->journal, err);
	rc = run_give_up(r, rc, err);
	if (rc == PAWL_OK)
		*ret_seq = seq;
	return rc;
}

enum pawl_rc
plumb_ask(struct pilot *p, struct str key, struct str request,
	uint64_t *ret_seq, struct pawl_err *err)
{
	char hex[LINE_REQUEST_HEX + 1];

	*ret_seq = 0;
	if (key.len == 0)
		return PAWL_OK;
	keys_request(request, hex);
	p->key = arena_copy(&p->keep, key);
	p->request = arena_copy(&p->keep, str_from(hex));
	return find_key(p, ret_seq, err);
}

enum pawl_rc
plumb_finish(struct pilot *p, struct pawl_err *err)
{
	if (!p->open)
		return PAWL_OK;
	p->open = false;
	return run_commit_key(p->run, p->key, p->request, err);
}

enum pawl_rc
plumb_lock(struct pilot *p, const char *name, unsigned timeout_ms, int *ret_fd,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	int logs = -1;
	enum pawl_rc rc = fs_open_dir(fs, p->run->dir, "logs", &logs, err);

	if (rc == PAWL_OK)
		rc = lock_exclusive(fs, logs, name, timeout_ms, ret_fd, err);
	fs_close(fs, &logs);
	if (rc != PAWL_OK && err->code == ERR_BUSY) {
		return pawl_hint(err,
			"pawl task takeover " STR_FMT
			" --as ID --force --reason TEXT, if it is stopped",
			STR_ARG(p->run->id));
	}
	return rc;
}

enum pawl_rc
plumb_reread(struct pilot *p, struct pawl_err *err)
{
	p->changed = true;
	return pilot_refresh(p, err);
}

enum pawl_rc
plumb_turn(struct pilot *p, int *ret_turn, struct pawl_err *err)
{
	enum pawl_rc rc =
		plumb_lock(p, "turn.lock", RUN_LOCK_MS, ret_turn, err);

	if (rc != PAWL_OK)
		return rc;
	rc = plumb_reread(p, err);
	if (rc != PAWL_OK)
		lock_close(p->run->place->fs, ret_turn);
	return rc;
}

enum pawl_rc
plumb_flight(struct pilot *p, uint32_t attempt, unsigned timeout_ms,
	int *ret_flight, struct pawl_err *err)
{
	return plumb_lock(p,
		arena_format(&p->mem, STR_FMT ".lock",
			STR_ARG(pilot_attempt_id(p, attempt)))
			.ptr,
		timeout_ms, ret_flight, err);
}

enum pawl_rc
plumb_hold(struct pilot *p, uint32_t attempt, struct plumb_hold *hold,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		plumb_flight(p, attempt, RUN_LOCK_MS, &hold->flight, err);

	if (rc == PAWL_OK)
		rc = plumb_turn(p, &hold->turn, err);
	if (rc != PAWL_OK)
		plumb_let_go(p, hold);
	return rc;
}

void
plumb_let_go(struct pilot *p, struct plumb_hold *hold)
{
	lock_close(p->run->place->fs, &hold->turn);
	lock_close(p->run->place->fs, &hold->flight);
}

bool
plumb_is_overtaken(struct pilot *p, uint32_t attempt, enum attempt_status was)
{
	struct pawl_err ignored;
	enum pawl_rc rc = PAWL_OK;

	if (p->open) {
		p->open = false;
		rc = run_abort(p->run, &ignored);
	}
	return rc == PAWL_OK && run_refresh(p->run, &ignored) == PAWL_OK &&
		pilot_attempt(p, attempt)->status != was;
}

enum pawl_rc
plumb_step(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = pilot_look(p, err);

	if (rc == PAWL_OK)
		rc = loop_step(&p->loop, err);
	if (rc == PAWL_OK && p->stop_signal != 0)
		rc = pawl_fail(err, ERR_INTERRUPTED,
			"interrupted by signal %d; what was started goes on",
			p->stop_signal);
	return rc == PAWL_OK ? pilot_refresh(p, err) : rc;
}

enum pawl_rc
plumb_await(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct slot *slot = pilot_slot(p, attempt);
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK && slot != NULL && !slot->ended) {
		rc = plumb_step(p, err);
		slot = pilot_slot(p, attempt);
	}
	return rc;
}
