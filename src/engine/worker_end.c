
#include "engine/agents.h"
#include "engine/asking.h"
#include "engine/drivers.h"
#include "engine/exit.h"
#include "engine/ground.h"
#include "engine/landing.h"
#include "engine/outbox.h"
#include "engine/owner_event.h"
#include "engine/quarantine.h"
#include "engine/red.h"
#include "engine/verdict.h"
#include "engine/worker.h"

enum pawl_rc
worker_find_monitor(struct pilot *p, const struct owner_id *id, bool *ret_alive,
	struct monitor *ret_monitor, struct pawl_err *err)
{
	struct owner owner = owner_event_get(id);

	*ret_alive = false;
	switch (owner_state(&owner_here, &p->self, &owner)) {
	case OWNER_DEAD:
		return PAWL_OK;
	case OWNER_UNKNOWN:
		return pawl_fail(err, ERR_RUN_HELD,
			"can't tell whether process %d of this run lives: it"
			" belongs to another machine or container",
			(int)owner.pid);
	case OWNER_ALIVE:
		break;
	}
	return monitor_adopt(
		owner.pid, owner.start, ret_alive, ret_monitor, err);
}

enum pawl_rc
worker_adopt(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct monitor m;
	bool alive;
	enum pawl_rc rc = worker_find_monitor(p, &a->monitor, &alive, &m, err);

	if (rc != PAWL_OK)
		return rc;
	return alive ? pilot_watch(p, attempt, false, &m, err)
		     : worker_end(p, attempt, err);
}

enum pawl_rc
worker_never_started(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_START_FAILED, attempt);
	enum pawl_rc rc = workspace_discard(p, attempt, err);

	EVENT_SET(&cmd.event, F_CAUSE, cause, CAUSE_COORDINATOR_STOPPED);
	if (rc == PAWL_OK)
		rc = driver_of(pilot_attempt(p, attempt))
			     ->undone(p, attempt, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

enum pawl_rc
worker_settle_processes(struct pilot *p, uint32_t attempt,
	const struct exit_facts *x, struct pawl_err *err)
{
	if (x != NULL && x->remaining > 0) {
		return pilot_settle(p, attempt, STR("process"), STR("retained"),
			arena_format(&p->mem,
				"%llu processes could not be ended",
				(unsigned long long)x->remaining),
			err);
	}
	return pilot_settle(p, attempt, STR("process"), STR("verified"),
		STR("the monitor and all below it have ended"), err);
}

/* An end without a verdict; what it left is put in order next. */
static enum pawl_rc
interrupted(struct pilot *p, uint32_t attempt, struct str cause,
	struct str message, const struct exit_facts *x, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_INTERRUPTED, attempt);
	enum pawl_rc rc = red_settle(p, attempt, err);

	if (rc == PAWL_OK)
		rc = worker_settle_processes(p, attempt, x, err);
	EVENT_SET(&cmd.event, F_CAUSE, cause, cause);
	if (message.len > 0)
		EVENT_SET(&cmd.event, F_MESSAGE, message, message);
	if (x != NULL)
		exit_set(&cmd.event, x);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

enum pawl_rc
worker_interrupt(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	return interrupted(p, attempt, CAUSE_COORDINATOR_STOPPED,
		STR("stopped before its check"), NULL, err);
}

enum pawl_rc
worker_stopped(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	return interrupted(
		p, attempt, CAUSE_COORDINATOR_STOPPED, STR(""), NULL, err);
}

enum pawl_rc
worker_lost_workspace(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	return interrupted(p, attempt, CAUSE_WORKSPACE_LOST,
		arena_copy(&p->mem, str_from(err->msg)), NULL, err);
}

enum pawl_rc
worker_lost(struct pilot *p, uint32_t attempt, struct str cause, struct str why,
	struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_LOST, attempt);
	enum pawl_rc rc;

	EVENT_SET(&cmd.event, F_CAUSE, cause, cause);
	EVENT_SET(&cmd.event, F_MESSAGE, message, why);
	rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

/* The monitor left no end: either it never opened its gate, or was killed. */
static enum pawl_rc
lost(struct pilot *p, uint32_t attempt, enum exit_trace trace,
	struct pawl_err *err)
{
	enum pawl_rc rc;

	if (trace == EXIT_TRACE_NONE)
		return interrupted(p, attempt, CAUSE_COORDINATOR_STOPPED,
			STR("nothing was executed"), NULL, err);
	rc = worker_end_strays(p, attempt, err);
	if (rc != PAWL_OK)
		return rc;
	return worker_lost(p, attempt, STR("monitor_killed"),
		STR("its monitor ended without a word; the outcome is "
		    "unknown"),
		err);
}

/* The report that pawl makes of the measured difference. */
static enum pawl_rc
report_make(struct pilot *p, uint32_t attempt, const struct changes *changes,
	struct handed_in *in, struct pawl_err *err)
{
	struct str *files = arena_array(&p->mem, changes->count, struct str);
	struct buf json = { 0 };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	for (size_t i = 0; i < changes->count; i++)
		files[i] = changes->items[i].path;
	in->result = (struct result){
		.task_id = pilot_node_id(p, attempt),
		.attempt_id = pilot_attempt_id(p, attempt),
		.summary = STR("the worker ended with status 0"),
		.files_changed = files,
		.files_changed_count = (uint32_t)changes->count,
	};
	rc = result_write(&in->result, &json, err);
	sha256_hex(buf_str(&json), hex);
	in->sha256 = arena_copy(&p->mem, str_from(hex));
	buf_release(&json);
	return rc;
}

static struct strs
paths_list(struct pilot *p, const struct changes *changes)
{
	struct strs list = { 0 };
	const struct change *c;

	VEC_EACH (c, changes)
		event_list_path(&p->mem, &list, c->path);
	return list;
}

/* What stands in a report: what was handed in, and what pawl measured. */
struct reported {
	const struct handed_in *in;
	const struct changes *changes;
	const struct workspace *ws;
	const struct exit_facts *exit;
};

static enum pawl_rc
propose_reported(struct pilot *p, uint32_t attempt, const struct reported *r,
	struct pawl_err *err)
{
	const struct handed_in *in = r->in;
	const struct changes *changes = r->changes;
	struct command cmd = pilot_command(p, EV_ATTEMPT_REPORTED, attempt);
	struct event *e = &cmd.event;

	EVENT_SET(e, F_REPORT_SHA256, report_sha256, in->sha256);
	EVENT_SET(e, F_SYNTHESIZED, synthesized, !in->present);
	EVENT_SET(e, F_SUMMARY, summary, in->result.summary);
	EVENT_SET(e, F_TREE, tree,
		arena_copy(&p->mem, str_from(r->ws->after.hex)));
	EVENT_SET(e, F_FILE_COUNT, file_count, changes->count);
	EVENT_SET(e, F_FILES, files, paths_list(p, changes));
	if (r->exit != NULL)
		exit_set(e, r->exit);
	return pilot_propose(p, &cmd, err);
}

/* What the report means by itself: an end, or nothing yet. */
static enum pawl_rc
judge(struct pilot *p, uint32_t attempt, const struct scope_breach *breach,
	struct pawl_err *err)
{
	if (breach->count > 0)
		return verdict_condemn(p, attempt, breach, err);
	if (pilot_attempt(p, attempt)->cause.len > 0 && !p->config.manual)
		return verdict_reject(p, attempt, STR("no change"),
			pilot_attempt(p, attempt)->cause, err);
	return PAWL_OK;
}

/* Is a check what comes next, as far as the report tells? */
static bool
is_for_check(struct pilot *p, uint32_t attempt, const struct handed_in *in,
	const struct changes *changes, const struct scope_breach *breach)
{
	return p->run->state.nodes[pilot_attempt(p, attempt)->node].questions ==
		0 &&
		asking_reported(p, attempt, &in->result) == 0 &&
		breach->count == 0 &&
		(changes->count > 0 || !pilot_writes(p, attempt) ||
			in->present);
}

/*
 * The worker ended well or handed something in: a report, and its first trial.
 * Its check may stand in the same commit: the monitor is spawned before, and
 * waits at its gate.
 */
static enum pawl_rc
reported(struct pilot *p, uint32_t attempt, struct handed_in *in,
	const struct exit_facts *x, struct pawl_err *err)
{
	struct changes changes = { 0 };
	struct scope_breach breach;
	struct verdict_gated gated;
	struct workspace ws;
	bool checked = false;
	enum pawl_rc rc;

	rc = workspace_look(p, attempt, &ws, err);
	if (workspace_is_lost(p, attempt, rc, err))
		return interrupted(p, attempt, CAUSE_WORKSPACE_LOST,
			arena_copy(&p->mem, str_from(err->msg)), x, err);
	if (rc == PAWL_OK && !oid_eq(&ws.before, &ws.after))
		rc = snapshot_changes(&ws.repo, &ws.before, &ws.after, &p->mem,
			&changes, err);
	if (rc == PAWL_OK && !in->present)
		rc = report_make(p, attempt, &changes, in, err);
	if (rc == PAWL_OK) {
		rc = scope_prove(p, attempt,
			&(struct scope_work){ &ws, &changes,
				in->present ? &in->result : NULL },
			&breach, err);
	}
	if (rc == PAWL_OK && !p->config.manual &&
		is_for_check(p, attempt, in, &changes, &breach))
		checked = verdict_gate(p, attempt, &ws, &gated);
	if (rc == PAWL_OK)
		rc = worker_settle_processes(p, attempt, x, err);
	if (rc == PAWL_OK)
		rc = propose_reported(p, attempt,
			&(struct reported){ in, &changes, &ws, x }, err);
	if (rc == PAWL_OK)
		rc = asking_take_reported(p, attempt, &in->result, err);
	if (rc == PAWL_OK && checked)
		rc = verdict_gate_open(p, attempt, &ws, &gated, err);
	else if (rc == PAWL_OK)
		rc = judge(p, attempt, &breach, err);
	else if (checked)
		monitor_close(&gated.monitor);
	changes_release(&changes);
	return rc;
}

/*
 * Take in what lies in the outbox; `x` is how the worker ended, NULL when pawl
 * ran none.  `*ret_none` is true, and nothing is done, when nothing lies there.
 */
static enum pawl_rc
take_in(struct pilot *p, uint32_t attempt, const struct exit_facts *x,
	bool *ret_none, struct handed_in *ret_in, struct pawl_err *err)
{
	struct quarantine q = { .in = ret_in, .exit = x, .renew = true };
	enum pawl_rc rc = handed_read(p, attempt, ret_in, err);

	*ret_none = rc == PAWL_OK && !ret_in->present;
	if (rc != PAWL_OK || *ret_none)
		return rc;
	if (!ret_in->malformed)
		return reported(p, attempt, ret_in, x, err);
	q.key = arena_format(&p->mem, "sync-" STR_FMT,
		STR_ARG(pilot_attempt_id(p, attempt)));
	return quarantine_put(p, attempt, &q, err);
}

enum pawl_rc
worker_collect(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct handed_in in = { 0 };
	bool none;
	enum pawl_rc rc = pilot_commit(p, err);

	if (rc == PAWL_OK)
		rc = take_in(p, attempt, NULL, &none, &in, err);
	if (rc != PAWL_OK && !p->config.manual && is_outbox_spoilt(err))
		return interrupted(p, attempt, STR("malformed report"),
			arena_copy(&p->mem, str_from(err->msg)), NULL, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

enum pawl_rc
worker_expire(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	if (asking_waits(p, attempt, false))
		return interrupted(p, attempt, CAUSE_INPUT_REQUIRED,
			asking_message(p, attempt), NULL, err);
	return interrupted(p, attempt, STR("timeout"),
		STR("its deadline passed without a report"), NULL, err);
}

enum pawl_rc
worker_end(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct exit_facts x = { 0 };
	enum pawl_rc rc = pilot_commit(p, err);

	if (rc == PAWL_OK)
		rc = pilot_exit(p, attempt, pilot_attempt_id(p, attempt),
			&pilot_attempt(p, attempt)->monitor, &x, err);
	if (rc != PAWL_OK)
		return rc;
	if (x.trace != EXIT_TRACE_ENDED)
		return lost(p, attempt, x.trace, err);
	return worker_ended(p, attempt, &x, err);
}

/*
 * What is against the word of an agent's program, whatever its status; empty
 * when nothing is.  Who isn't logged in was never started.
 */
static struct str
agent_wrong(struct pilot *p, uint32_t attempt,
	const struct agent_profile *agent, struct exit_facts *x)
{
	struct agent_outcome out;

	agents_ended(p, attempt, agent, x, &out);
	if (x->kind != EXIT_CODE)
		return STR("");
	if (out.message.len > 0)
		return out.message;
	if (!out.finished && x->code == 0)
		return STR("it never said that it came to its end");
	if (x->code == 0 && agent->report == AGENT_REPORT_REQUIRED)
		return STR("it handed in no report");
	return STR("");
}

enum pawl_rc
worker_ended(struct pilot *p, uint32_t attempt, const struct exit_facts *x,
	struct pawl_err *err)
{
	struct str id = pilot_attempt_id(p, attempt);
	const struct agent_profile *agent = agents_of(p, attempt);
	struct exit_facts told = *x;
	struct str wrong = { "", 0 };
	struct handed_in in = { 0 };
	struct str cause, line = { "", 0 };
	bool none;
	uint32_t asked;
	enum pawl_rc rc;

	if (x->kind == EXIT_ASKED && ground_is_gone(p, attempt))
		return interrupted(p, attempt, CAUSE_WORKSPACE_LOST,
			STR("its worktree was removed while it worked"), x,
			err);
	if (x->kind == EXIT_ASKED)
		return interrupted(
			p, attempt, CAUSE_COORDINATOR_STOPPED, STR(""), x, err);
	rc = asking_take(p, attempt, &asked, err);
	/* C093: an end while it waits for an answer completes nothing. */
	if (rc == PAWL_OK && asking_waits(p, attempt, is_handed_in(p, attempt)))
		return interrupted(p, attempt, CAUSE_INPUT_REQUIRED,
			asking_message(p, attempt), x, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc != PAWL_OK)
		return rc;
	if (agent != NULL) {
		wrong = agent_wrong(p, attempt, agent, &told);
		x = &told;
	}
	if (x->kind == EXIT_CODE) {
		rc = take_in(p, attempt, x, &none, &in, err);
		if (rc != PAWL_OK && is_outbox_spoilt(err))
			return interrupted(p, attempt, STR("malformed report"),
				arena_copy(&p->mem, str_from(err->msg)), x,
				err);
		if (rc != PAWL_OK || !none)
			return rc;
		if (x->code == 0 && wrong.len == 0)
			return reported(p, attempt, &in, x, err);
	}
	if (wrong.len > 0) {
		return interrupted(p, attempt,
			arena_format(&p->mem, STR_FMT ": " STR_FMT,
				STR_ARG(exit_words(x, &p->mem)),
				STR_ARG(wrong)),
			wrong, x, err);
	}
	/* Of an agent, its own words say why. */
	if (agent == NULL || x->kind != EXIT_START_FAILED)
		line = exit_last_line(p->run->place->fs, pilot_path(p, "logs"),
			arena_strdup(&p->mem, id), &p->mem);
	cause = arena_format(&p->mem, STR_FMT "%s" STR_FMT,
		STR_ARG(exit_words(x, &p->mem)), line.len ? ": " : "",
		STR_ARG(line));
	return interrupted(p, attempt, cause, line, x, err);
}
