#include "engine/coordinator.h"

#include <string.h>

#include "base/bounds.h"
#include "engine/act.h"
#include "engine/driver.h"
#include "engine/owner_event.h"
#include "engine/self.h"

struct str
coordinator_actor(struct run *r, struct str name)
{
	return name.len > 0
		? arena_format(&r->mem, "coordinator:" STR_FMT, STR_ARG(name))
		: STR("coordinator:run");
}

/* No token by this name: say whose the run is, and what helps. */
static enum pawl_rc
tokenless(const struct run *r, struct str name, struct pawl_err *err)
{
	const struct state *s = &r->state;

	if (s->vacant) {
		(void)pawl_fail(err, ERR_NOT_PERMITTED,
			"'" STR_FMT "' didn't claim run '" STR_FMT "'",
			STR_ARG(name), STR_ARG(r->id));
		return pawl_hint(err,
			"pawl task claim " STR_FMT " --as " STR_FMT,
			STR_ARG(r->id), STR_ARG(name));
	}
	if (s->coordinator_name.len > 0) {
		(void)pawl_fail(err, ERR_NOT_PERMITTED,
			"'" STR_FMT "' has no token of run '" STR_FMT
			"', which '" STR_FMT "' coordinates",
			STR_ARG(name), STR_ARG(r->id),
			STR_ARG(s->coordinator_name));
	} else {
		(void)pawl_fail(err, ERR_NOT_PERMITTED,
			"'" STR_FMT "' has no token of run '" STR_FMT
			"', which a process of 'pawl run' coordinates",
			STR_ARG(name), STR_ARG(r->id));
	}
	return pawl_hint(err, "pawl task takeover " STR_FMT " --as " STR_FMT,
		STR_ARG(r->id), STR_ARG(name));
}

static enum pawl_rc
token_check(const struct run *r, struct str name, const struct token *token,
	struct pawl_err *err)
{
	const struct state *s = &r->state;

	if (token->gen < s->gen) {
		return pawl_fail(err, ERR_STALE_COORDINATOR,
			"generation %llu of '" STR_FMT
			"' has ended; run '" STR_FMT "' is at %llu",
			(unsigned long long)token->gen, STR_ARG(name),
			STR_ARG(r->id), (unsigned long long)s->gen);
	}
	if (s->vacant || !str_eq(s->coordinator_name, name))
		return tokenless(r, name, err);
	if (!str_eq(s->token_sha256, str_from(token->sha256))) {
		return pawl_fail(err, ERR_WRONG_TOKEN,
			"the token of '" STR_FMT
			"' isn't the one that run '" STR_FMT "' names",
			STR_ARG(name), STR_ARG(r->id));
	}
	return PAWL_OK;
}

enum pawl_rc
coordinator_prove(struct run *r, struct str name, struct pawl_err *err)
{
	struct token token;
	enum pawl_rc rc = token_load(r, name, &token, err);

	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)
		return tokenless(r, name, err);
	if (rc == PAWL_OK)
		rc = token_check(r, name, &token, err);
	if (rc != PAWL_OK)
		return rc;
	r->gen = token.gen;
	r->actor = coordinator_actor(r, name);
	return PAWL_OK;
}

enum pawl_rc
coordinator_enter(struct run *r, struct str name, struct pawl_err *err)
{
	const struct run_facts *facts = &r->state.run;
	struct arena mem = ARENA_INIT;
	enum pawl_rc rc = coordinator_prove(r, name, err);

	if (rc == PAWL_OK &&
		(!str_eq(facts->version, STR(PAWL_VERSION)) ||
			!str_eq(facts->binary,
				self_binary(r->place->fs, &mem)))) {
		(void)pawl_fail(err, ERR_OTHER_BINARY,
			"run '" STR_FMT "' is coordinated by pawl '" STR_FMT
			"', binary '" STR_FMT
			"'; this is another, pawl " PAWL_VERSION,
			STR_ARG(r->id), STR_ARG(facts->version),
			STR_ARG(str_part(facts->binary, 0, 12)));
		rc = pawl_hint(err,
			"pawl task resume " STR_FMT " --as " STR_FMT,
			STR_ARG(r->id), STR_ARG(name));
	}
	arena_reset(&mem);
	return rc;
}

/* A named one has no process, unless it names one. */
static enum pawl_rc
owner_find(const struct candidate *who, struct owner *ret_owner,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		owner_of(&owner_here, (pid_t)who->owner_pid, ret_owner, err);

	if (rc == PAWL_OK && who->name.len > 0 && who->owner_pid == 0) {
		ret_owner->pid = 0;
		ret_owner->start = 0;
	}
	return rc;
}

enum pawl_rc
coordinator_identify(struct run *r, const struct candidate *who,
	struct event *e, struct pawl_err *err)
{
	struct owner owner;
	enum pawl_rc rc = owner_find(who, &owner, err);

	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_VERSION, version, STR(PAWL_VERSION));
	EVENT_SET(e, F_BINARY, binary, self_binary(r->place->fs, &r->mem));
	owner_event_set(e, &owner, &r->mem);
	return PAWL_OK;
}

enum pawl_rc
coordinator_token(struct run *r, const struct candidate *who, uint64_t gen,
	struct token *ret_token, struct pawl_err *err)
{
	enum pawl_rc rc = token_load(r, who->name, ret_token, err);

	if (rc == PAWL_OK && ret_token->gen == gen)
		return PAWL_OK;
	if (rc != PAWL_OK && err->code != ERR_FILE_NOT_FOUND &&
		err->code != ERR_WRONG_TOKEN)
		return rc;
	*ret_token = token_new(who->rand, gen);
	return PAWL_OK;
}

struct handover
coordinator_handover(const struct run *r, uint64_t gen, struct str only)
{
	const struct state *s = &r->state;

	return (struct handover){
		.run = &s->run,
		.driver = s->driver.len > 0 ? s->driver : s->driver_asked,
		.state_dir = str_from(r->place->state_path),
		.only = only,
		.gen = gen,
		.tasks = r->plan.count,
	};
}

enum pawl_rc
coordinator_capsule_put(const struct run *r, const struct handover *h,
	char ret_hex[SHA256_HEX + 1], struct pawl_err *err)
{
	struct buf bytes = { 0 };
	struct json_writer w = { .out = &bytes };
	struct arena mem = ARENA_INIT;
	const char *name = handover_path(h->gen, &mem).ptr;
	int dir = -1;
	enum pawl_rc rc;

	handover_write(&w, h);
	rc = fs_open_dir(r->place->fs, r->dir, "capsules", &dir, err);
	if (rc == PAWL_OK)
		rc = fs_replace(r->place->fs, dir, strchr(name, '/') + 1,
			buf_str(&bytes), FS_DURABLE, err);
	if (rc == PAWL_OK)
		sha256_hex(buf_str(&bytes), ret_hex);
	fs_close(r->place->fs, &dir);
	buf_release(&bytes);
	arena_reset(&mem);
	return rc;
}

/*
 * Compare the present capsule's bytes with the journal's digest.
 * Errors: ERR_DIGEST_MISMATCH; PAWL_OK for a run that never had one.
 */
static enum pawl_rc
coordinator_capsule_verify(const struct run *r, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	struct arena mem = ARENA_INIT;
	const char *path = handover_path(r->state.capsule_gen, &mem).ptr;
	char hex[SHA256_HEX + 1] = "";
	enum pawl_rc rc = PAWL_OK;

	if (r->state.coordinator_capsule.len == 0)
		goto out;
	rc = fs_read(
		r->place->fs, r->dir, path, BOUND_HANDOVER_BYTES, &bytes, err);
	if (rc == PAWL_OK)
		sha256_hex(buf_str(&bytes), hex);
	else if (err->code == ERR_FILE_NOT_FOUND || err->code == ERR_LIMIT)
		rc = PAWL_OK;
	if (rc == PAWL_OK &&
		!str_eq(str_from(hex), r->state.coordinator_capsule)) {
		rc = pawl_fail(err, ERR_DIGEST_MISMATCH,
			"'%s' of run '" STR_FMT
			"' isn't the one that its journal names",
			path, STR_ARG(r->id));
	}
out:
	buf_release(&bytes);
	arena_reset(&mem);
	return rc;
}

bool
coordinator_is(const struct run *r, struct str name)
{
	struct pawl_err ignored;
	struct token token;

	return !r->state.vacant && name.len > 0 &&
		str_eq(r->state.coordinator_name, name) &&
		token_load(r, name, &token, &ignored) == PAWL_OK &&
		str_eq(str_from(token.sha256), r->state.token_sha256);
}

/* Sets who acts, too. */
static enum pawl_rc
claim_command(struct run *r, const struct candidate *who,
	struct token *ret_token, struct command *ret_cmd, struct pawl_err *err)
{
	struct event *e = &ret_cmd->event;
	enum pawl_rc rc;

	r->gen = r->state.gen;
	r->actor = coordinator_actor(r, who->name);
	*ret_cmd = run_command(r, EV_COORDINATOR_CLAIMED, STR(""), STR(""));
	rc = coordinator_token(r, who, r->gen, ret_token, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_NAME, name, who->name);
	EVENT_SET(e, F_TOKEN_SHA256, token_sha256,
		arena_copy(&r->mem, str_from(ret_token->sha256)));
	EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256,
		arena_copy(&r->mem, r->state.coordinator_capsule));
	rc = coordinator_identify(r, who, e, err);
	return rc == PAWL_OK ? decide(&r->state, ret_cmd, err) : rc;
}

/* A refusal names who may go on, and how. */
static enum pawl_rc
claim_refused(const struct run *r, struct str name, struct pawl_err *err)
{
	if (err->code == ERR_ALREADY_CLAIMED)
		return pawl_hint(err,
			"pawl task takeover " STR_FMT " --as " STR_FMT,
			STR_ARG(r->id), STR_ARG(name));
	return err->rc;
}

enum pawl_rc
coordinator_rehearse_claim(struct run *r, const struct candidate *who,
	bool *ret_again, struct pawl_err *err)
{
	struct command cmd;
	struct token token;
	enum pawl_rc rc = coordinator_capsule_verify(r, err);

	*ret_again = coordinator_is(r, who->name);
	if (rc != PAWL_OK || *ret_again)
		return rc;
	rc = claim_command(r, who, &token, &cmd, err);
	return rc == PAWL_OK ? rc : claim_refused(r, who->name, err);
}

/* Under the lock, up to the commit. */
static enum pawl_rc
claim_commit(struct run *r, const struct candidate *who, struct pawl_err *err)
{
	struct command cmd;
	struct token token;
	enum pawl_rc rc = coordinator_capsule_verify(r, err);

	if (rc == PAWL_OK)
		rc = claim_command(r, who, &token, &cmd, err);
	if (rc == PAWL_OK)
		rc = token_save(r, who->name, &token, err);
	if (rc == PAWL_OK)
		rc = run_propose(r, &cmd, err);
	if (rc == PAWL_OK)
		rc = driver_reserve(r, err);
	return rc;
}

enum pawl_rc
coordinator_claim(struct run *r, const struct candidate *who, bool *ret_again,
	struct pawl_err *err)
{
	const struct act act = { .key = who->key,
		.request = arena_format(
			&r->mem, "claim " STR_FMT, STR_ARG(who->name)) };
	bool again, selected;
	enum pawl_rc rc = act_look(r, &act, &again, err);

	/* A refusal changes nothing: the lock's owner cuts a torn tail. */
	if (rc == PAWL_OK && !again)
		rc = coordinator_rehearse_claim(r, who, &again, err);
	if (rc == PAWL_OK)
		rc = run_begin(r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = act_find(r, &act, &again, err);
	if (rc == PAWL_OK && !again && coordinator_is(r, who->name)) {
		again = true;
		rc = journal_sync(&r->journal, err);
	}
	if (rc == PAWL_OK && !again)
		rc = claim_commit(r, who, err);
	rc = act_end(r, &act, again, rc, err);
	if (rc != PAWL_OK)
		return claim_refused(r, who->name, err);
	if (again)
		rc = coordinator_prove(r, who->name, err);
	if (rc == PAWL_OK)
		rc = driver_select(r, &selected, err);
	if (rc == PAWL_OK)
		*ret_again = again;
	return rc;
}

/* Any digest: the capsule is written once all the rest was decided. */
static struct command
transfer_command(struct run *r, struct str only)
{
	struct command cmd =
		run_command(r, EV_COORDINATOR_TRANSFERRED, STR(""), STR(""));

	if (only.len > 0)
		EVENT_SET(&cmd.event, F_NAME, name, only);
	EVENT_SET(&cmd.event, F_CAPSULE_SHA256, capsule_sha256,
		STR("00000000000000000000000000000000"
		    "00000000000000000000000000000000"));
	return cmd;
}

enum pawl_rc
coordinator_rehearse_transfer(
	struct run *r, struct str only, struct pawl_err *err)
{
	struct command cmd = transfer_command(r, only);

	return decide(&r->state, &cmd, err);
}

/* Under the lock, up to the commit. */
static enum pawl_rc
transfer_propose(struct run *r, struct str only, struct pawl_err *err)
{
	struct command cmd = transfer_command(r, only);
	char hex[SHA256_HEX + 1];
	struct handover h;
	enum pawl_rc rc = decide(&r->state, &cmd, err);

	h = coordinator_handover(r, r->state.gen + 1, only);
	if (rc == PAWL_OK)
		rc = coordinator_capsule_put(r, &h, hex, err);
	if (rc != PAWL_OK)
		return rc;
	cmd.event.capsule_sha256 = arena_copy(&r->mem, str_from(hex));
	return run_propose(r, &cmd, err);
}

enum pawl_rc
coordinator_transfer(struct run *r, const struct candidate *from,
	struct str only, bool *ret_again, struct pawl_err *err)
{
	const struct act act = { .key = from->key,
		.request =
			arena_format(&r->mem, "transfer " STR_FMT " " STR_FMT,
				STR_ARG(from->name), STR_ARG(only)) };
	bool again;
	enum pawl_rc rc = act_look(r, &act, &again, err);

	/* A refusal changes nothing: the lock's owner cuts a torn tail. */
	if (rc == PAWL_OK && !again)
		rc = coordinator_enter(r, from->name, err);
	if (rc == PAWL_OK)
		rc = run_begin(r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = act_find(r, &act, &again, err);
	if (rc == PAWL_OK && !again)
		rc = coordinator_prove(r, from->name, err);
	if (rc == PAWL_OK && !again)
		rc = transfer_propose(r, only, err);
	rc = act_end(r, &act, again, rc, err);
	if (rc == PAWL_OK)
		*ret_again = again;
	return rc;
}
