#include "cli/ledger_door_run.h"

#include <string.h>

#include "cli/place.h"
#include "cli/who.h"
#include "engine/journal_fold.h"
#include "store/rundir.h"

#define ATTEMPTS "attempts" /* of engine/evidence.h, in the run's folder */

struct run_door {
	struct ledger_run run;
	char request[LINE_REQUEST_HEX + 1];
};

static enum pawl_rc
propose(struct ledger_door *door, const struct command *cmd,
	struct pawl_err *err)
{
	struct run_door *self = door->self;

	return ledger_run_propose(&self->run, cmd, err);
}

static enum pawl_rc
commit(struct ledger_door *door, struct pawl_err *err)
{
	struct run_door *self = door->self;
	enum pawl_rc rc;

	if (door->ctx->args.dry_run) {
		ledger_settle(door->ledger);
		return PAWL_OK;
	}
	rc = ledger_run_commit(&self->run, str_from(door->ctx->args.key),
		str_from(self->request), err);
	door->seq = ledger_run_seq(&self->run);
	return rc;
}

static void
close_run(struct ledger_door *door)
{
	struct run_door *self = door->self;

	ledger_run_close(&self->run);
}

static const struct ledger_door_ops ops = { propose, commit, close_run };

struct ledger_run *
ledger_door_as_run(const struct ledger_door *door)
{
	struct run_door *self = door->self;

	return door->ops == &ops ? &self->run : NULL;
}

static void
opened(struct ledger_door *door, struct run_door *self)
{
	struct ledger_run *r = &self->run;

	door->ops = &ops;
	door->self = self;
	door->ledger = &r->ledger;
	door->name = r->id;
	door->base = r->dir;
	door->attempts = ATTEMPTS;
	door->seq = ledger_run_seq(r);
	door->is_file = false;
	door->writes = !door->ctx->args.dry_run;
}

/* Whose lines they are; a run without a lock holder has no coordinator. */
static void
sign(struct ledger_run *r, struct cmd_ctx *ctx)
{
	struct str user = who_local(ctx);

	r->human_name = arena_format(&r->mem, "human:" STR_FMT, STR_ARG(user));
	r->actor = ctx->args.as != NULL
		? arena_format(&r->mem, "coordinator:%s", ctx->args.as)
		: arena_format(&r->mem, "coordinator:" STR_FMT, STR_ARG(user));
}

static bool
knows_if_seq(const struct cmd_ctx *ctx)
{
	const struct cmd_option *o = ctx->cmd->options;

	while (o != NULL && o->name != NULL && strcmp(o->name, "if-seq") != 0)
		o++;
	return o != NULL && o->name != NULL;
}

/* Is the journal still where the caller has read it? */
static enum pawl_rc
check_seq(const struct cmd_ctx *ctx, const struct ledger_run *r,
	struct pawl_err *err)
{
	uint64_t seq = ledger_run_seq(r), wanted = seq;
	enum pawl_rc rc;

	if (!knows_if_seq(ctx))
		return PAWL_OK;
	rc = args_u64(&ctx->args, "if-seq", 0, UINT64_MAX, &wanted, err);
	if (rc != PAWL_OK || wanted == seq)
		return rc;
	(void)pawl_fail(err, ERR_STALE_SEQ,
		"the journal of run '" STR_FMT "' ends at line %llu, not %llu",
		STR_ARG(r->id), (unsigned long long)seq,
		(unsigned long long)wanted);
	return pawl_hint(err, "pawl ledger show " STR_FMT, STR_ARG(r->id));
}

/* Nothing is rehearsed on the good part of a journal that isn't good. */
static enum pawl_rc
check_sound(const struct ledger_run *r, struct pawl_err *err)
{
	if (journal_is_poisoned(&r->journal)) {
		return pawl_fail(err, ERR_POISONED,
			"a failed append of run '" STR_FMT
			"' could not be undone",
			STR_ARG(r->id));
	}
	if (r->tail.end != JOURNAL_CORRUPT)
		return PAWL_OK;
	return journal_fold_fail(r->id, &r->tail, err);
}

/* Take the lock; --dry-run works on what was read. */
static enum pawl_rc
begin_edit(
	struct ledger_door *door, struct run_door *self, struct pawl_err *err)
{
	const struct args *args = &door->ctx->args;
	struct ledger_run *r = &self->run;
	enum pawl_rc rc =
		args->dry_run ? check_sound(r, err) : ledger_run_begin(r, err);

	if (rc == PAWL_OK && args->key != NULL)
		rc = ledger_run_find_key(r, str_from(args->key),
			str_from(self->request), &door->again, err);
	if (rc != PAWL_OK || door->again)
		return rc;
	if (is_ledger_run_closed(r)) {
		(void)pawl_fail(err, ERR_RUN_CLOSED,
			"run '" STR_FMT "' is closed, with outcome " STR_FMT,
			STR_ARG(r->id), STR_ARG(r->outcome));
		return pawl_hint(err, "pawl ledger new --run TASK");
	}
	return check_seq(door->ctx, r, err);
}

static enum pawl_rc
open_id(struct ledger_door *door, struct str id, enum door_use use,
	struct pawl_err *err)
{
	struct cmd_ctx *ctx = door->ctx;
	struct run_door *self = arena_new(ctx->mem, struct run_door);
	enum pawl_rc rc = ledger_door_state(door, err);
	struct runs runs = {
		.fs = ctx->fs, .state = ctx->state_fd, .mem = ctx->mem
	};

	if (rc == PAWL_OK)
		rc = runs_find(&runs, arena_strdup(ctx->mem, id),
			use == DOOR_EDIT ? RUNS_WHOLE : RUNS_PREFIX, &id, err);
	if (rc == PAWL_OK)
		rc = ledger_run_open(&self->run, place_of(ctx), id, err);
	if (rc != PAWL_OK)
		return rc;
	keys_request(ledger_door_request(door), self->request);
	sign(&self->run, ctx);
	if (use == DOOR_EDIT) {
		rc = begin_edit(door, self, err);
	} else {
		place_say_tail(ctx, self->run.id, &self->run.tail);
		rc = check_seq(ctx, &self->run, err);
	}
	if (rc == PAWL_OK)
		opened(door, self);
	else
		ledger_run_close(&self->run);
	return rc;
}

/* Is the journal of that run a ledger's? */
static bool
is_ledger(struct ledger_door *door, struct str id)
{
	const struct cmd_ctx *ctx = door->ctx;
	struct pawl_err ignored;
	bool is = false;
	int dir = -1;

	if (rundir_open(ctx->fs, ctx->state_fd, arena_strdup(ctx->mem, id),
		    &dir, &ignored) == PAWL_OK)
		is = is_ledger_run(ctx->fs, dir);
	fs_close(ctx->fs, &dir);
	return is;
}

static enum pawl_rc
list(struct ledger_door *door, struct door_names *names, struct pawl_err *err)
{
	const struct cmd_ctx *ctx = door->ctx;
	struct buf all = { 0 }, active = { 0 };
	struct str rest, open_rest;
	enum pawl_rc rc = ledger_door_state(door, err);

	if (rc == PAWL_OK && ctx->state_fd >= 0)
		rc = rundir_list(ctx->fs, ctx->state_fd, RUNDIR_ALL, &all, err);
	if (rc == PAWL_OK && ctx->state_fd >= 0)
		rc = rundir_list(
			ctx->fs, ctx->state_fd, RUNDIR_STARTED, &active, err);
	rest = buf_str(&all);
	open_rest = buf_str(&active);
	/* Both are sorted. */
	while (rc == PAWL_OK && rest.len > 0) {
		struct str id = str_cut(&rest, '\0');
		struct str ahead = open_rest;
		bool is_open = str_eq(str_cut(&ahead, '\0'), id);

		if (is_open)
			open_rest = ahead;
		if (is_ledger(door, id))
			door_names_push(names,
				(struct door_name){
					arena_copy(ctx->mem, id), is_open });
	}
	buf_release(&all);
	buf_release(&active);
	return rc;
}

const struct ledger_door_kind ledger_door_runs = { list, open_id };

enum pawl_rc
ledger_door_new_run(struct ledger_door *door, struct cmd_ctx *ctx,
	struct str id, struct str task, struct pawl_err *err)
{
	struct run_door *self = arena_new(ctx->mem, struct run_door);
	struct ledger_run_new wanted = { .id = id,
		.task = task,
		.key = str_from(ctx->args.key),
		.rand = &ctx->rand };
	bool made = false;
	enum pawl_rc rc;

	door->ctx = ctx;
	rc = ledger_door_look(door, err);
	if (rc == PAWL_OK)
		rc = ledger_door_state(door, err);
	if (rc == PAWL_OK && !ctx->args.dry_run) {
		fs_close(ctx->fs, &ctx->state_fd);
		rc = statedir_make(
			ctx->fs, &ctx->state, &ctx->state_fd, &made, err);
	}
	if (rc != PAWL_OK)
		return rc;
	if (door->has_repo)
		wanted.repo = str_from(door->repo.top);
	keys_request(ledger_door_request(door), self->request);
	wanted.request = str_from(self->request);
	rc = ctx->args.dry_run
		? ledger_run_rehearse(&self->run, place_of(ctx), &wanted, err)
		: ledger_run_create(&self->run, place_of(ctx), &wanted,
			  &door->again, err);
	if (rc != PAWL_OK)
		return rc;
	sign(&self->run, ctx);
	opened(door, self);
	door->proposed = !door->again;
	return PAWL_OK;
}
