#include "engine/run.h"

#include "engine/journal_fold.h"
#include "engine/ledger_run.h"
#include "model/state_json.h"
#include "model/tasks.h"
#include "store/projection.h"
#include "store/rundir.h"

enum { LINE_MEM_MAX = 2 << 10 }; /* of lines, until it is given back */

static struct str
list_digest(struct run *r)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(buf_str(&r->list), hex);
	return arena_copy(&r->mem, str_from(hex));
}

static enum pawl_rc
list_differs(const struct run *r, const char *why, struct pawl_err *err)
{
	return pawl_fail(err, ERR_DIGEST_MISMATCH,
		"plan/tasks.md of run '" STR_FMT
		"' isn't the list that it started with: %s",
		STR_ARG(r->id), why);
}

/* The first line is of this run, and of the bytes of this frozen list. */
static enum pawl_rc
start_verify(struct run *r, const struct event *started, struct pawl_err *err)
{
	if (!str_eq(r->id, started->run)) {
		return pawl_fail(err, ERR_CORRUPT,
			"the journal of run '" STR_FMT "' is run '" STR_FMT
			"'s",
			STR_ARG(r->id), STR_ARG(started->run));
	}
	return str_eq(list_digest(r), started->list_sha256)
		? PAWL_OK
		: list_differs(r, "its digest is another", err);
}

/* The good part ends before a line that can't be folded. */
static void
unfit(struct run *r, const struct journal_line *jl, struct pawl_err *err)
{
	if (err->code == ERR_NEWER_FORMAT) {
		(void)pawl_wrap(err, "line %llu, written by pawl '" STR_FMT "'",
			(unsigned long long)jl->line.seq,
			STR_ARG(r->state.run.version));
	} else {
		(void)pawl_wrap(
			err, "line %llu", (unsigned long long)jl->line.seq);
	}
	r->unfit = journal_fold_unfit(jl, err);
	r->stopped = true;
}

/* Fold the events of one line, whichever way it was read. */
static enum pawl_rc
line_fold(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	struct run *r = arg;
	struct journal_events events = { .count = 0 };
	enum pawl_rc rc;

	if (jl->line.seq == r->unfit.line) {
		r->stopped = true;
		return pawl_fail(err,
			r->unfit.newer ? ERR_NEWER_FORMAT : ERR_CORRUPT, "%s",
			r->unfit.why);
	}
	rc = journal_fold_events(jl, &r->line, &events, err);
	if (rc != PAWL_OK)
		unfit(r, jl, err);
	for (uint32_t i = 0; rc == PAWL_OK && i < events.count; i++) {
		const struct event *e = &events.items[i];

		rc = apply(&r->state, &events.line, e, err);
		if (rc != PAWL_OK)
			unfit(r, jl, err);
		else if (e->type == EV_RUN_STARTED)
			rc = start_verify(r, e, err);
	}
	if (rc == PAWL_OK && jl->line.key.len > 0)
		keys_add(
			&r->keys, jl->line.key, jl->line.request, jl->line.seq);
	if (rc == PAWL_OK && r->watch != NULL)
		r->watch(
			r->watch_arg, &events.line, events.items, events.count);
	if (r->line.bytes > LINE_MEM_MAX)
		arena_reset(&r->line);
	return rc;
}

/* The body of the projection: the keys that were used, and the state. */
static enum pawl_rc
projection_take(struct run *r, struct projection *p, struct pawl_err *err)
{
	const struct json *v;
	enum pawl_rc rc;

	rc = json_read(&r->line, (char *)(uintptr_t)p->body.ptr, p->body.len,
		JSON_STRICT, &v, err);
	if (rc == PAWL_OK)
		rc = keys_read(json_get(v, STR("keys")), &r->keys, err);
	if (rc == PAWL_OK)
		rc = state_json_read(&r->state, json_get(v, STR("run")), err);
	/* Else the journal's first line has to be looked at, and says it. */
	if (rc == PAWL_OK && r->state.run.list_sha256.len > 0 &&
		!str_eq(list_digest(r), r->state.run.list_sha256))
		rc = pawl_fail(err, ERR_DRIFT, "it is of another list");
	return rc;
}

/* Start from the projection when it can be believed, else from nothing. */
static void
projection_use(struct run *r)
{
	struct projection p;
	struct pawl_err why;

	projection_load(r->place->fs, r->dir, STATE_FOLD_VERSION, &p);
	r->drift = p.found == PROJECTION_DRIFT;
	if (p.found == PROJECTION_GOOD &&
		projection_take(r, &p, &why) != PAWL_OK) {
		keys_release(&r->keys);
		state_release(&r->state);
		state_init(&r->state, &r->plan);
		r->drift = true;
	} else if (p.found == PROJECTION_GOOD) {
		journal_seek(&r->journal, &p.at);
		r->projected = p.at.offset;
		r->projection_bytes = p.bytes.len;
	}
	arena_reset(&r->line);
	projection_release(&p);
}

/* Forget the state; reading begins at the first line. */
static void
forget(struct run *r)
{
	struct journal_at start = journal_start();

	keys_release(&r->keys);
	state_release(&r->state);
	state_init(&r->state, &r->plan);
	journal_seek(&r->journal, &start);
	events_release(&r->draft);
	buf_release(&r->draft_json);
	r->folded = false;
}

/*
 * Read on, up to a line that can't be folded.  When it is met for the first
 * time, the events before the bad one are in the state already: read up to the
 * line before it once more.
 */
static enum pawl_rc
read_on(struct run *r, struct pawl_err *err)
{
	uint64_t known = r->unfit.line;
	run_watch_fn *watch = r->watch;
	enum pawl_rc rc;

	r->stopped = false;
	rc = journal_scan(&r->journal, line_fold, r, &r->tail, err);
	if (r->stopped && r->unfit.line != known) {
		forget(r);
		r->watch = NULL; /* it was told of these */
		rc = journal_scan(&r->journal, line_fold, r, &r->tail, err);
		r->watch = watch;
	}
	if (rc == PAWL_OK || !r->stopped)
		return rc;
	r->tail = r->unfit;
	return PAWL_OK;
}

/* Forget the state and read everything that counts. */
static enum pawl_rc
read_again(struct run *r, struct pawl_err *err)
{
	forget(r);
	return read_on(r, err);
}

enum pawl_rc
run_refresh(struct run *r, struct pawl_err *err)
{
	enum pawl_rc rc = read_on(r, err);

	if (rc == PAWL_OK && r->tail.end == JOURNAL_ELSEWHERE) {
		r->drift = r->drift || r->projected > 0;
		rc = read_again(r, err);
	}
	return rc;
}

/*
 * The key is there only for who may sign; nobody else needs it.  One that is
 * there and can't be read now is a failure: else lines would go out unsigned.
 */
enum pawl_rc
run_mac_key(struct run *r, struct str *ret_key, struct pawl_err *err)
{
	struct buf key = { 0 };
	int dir = -1;
	enum pawl_rc rc;

	if (r->place->keys_path == NULL || r->mac_key.ptr != NULL) {
		*ret_key = r->mac_key;
		return PAWL_OK;
	}
	rc = fs_open_dir(
		r->place->fs, AT_FDCWD, r->place->keys_path, &dir, err);
	if (rc == PAWL_OK)
		rc = fs_read(r->place->fs, dir, arena_strdup(&r->mem, r->id),
			1024, &key, err);
	if (rc == PAWL_OK && key.len > 0)
		r->mac_key = arena_copy(&r->mem, buf_str(&key));
	fs_close(r->place->fs, &dir);
	buf_release(&key);
	if (rc != PAWL_OK && err->code != ERR_FILE_NOT_FOUND &&
		err->code != ERR_NOT_PERMITTED)
		return pawl_wrap(
			err, "key of run '" STR_FMT "'", STR_ARG(r->id));
	if (r->mac_key.ptr == NULL)
		r->mac_key = STR("");
	*ret_key = r->mac_key;
	return PAWL_OK;
}

/* A ledger has no list; what else has none was never started. */
static enum pawl_rc
list_absent(const struct run *r, struct pawl_err *err)
{
	if (is_ledger_run(r->place->fs, r->dir)) {
		(void)pawl_fail(err, ERR_RUN_KIND,
			"run '" STR_FMT "' is a ledger: it has no task list",
			STR_ARG(r->id));
		return pawl_hint(
			err, "pawl ledger show " STR_FMT, STR_ARG(r->id));
	}
	return pawl_fail(err, ERR_RUN_NOT_FOUND,
		"run '" STR_FMT
		"' was never started: its maker stopped on the way",
		STR_ARG(r->id));
}

static enum pawl_rc
list_read(struct run *r, struct pawl_err *err)
{
	struct tasks_report report;
	struct pawl_err why;
	enum pawl_rc rc = fs_read(r->place->fs, r->dir, "plan/tasks.md",
		BOUND_LIST_BYTES, &r->list, err);

	if (rc == PAWL_ENOENT)
		return list_absent(r, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "frozen list of run '" STR_FMT "'",
			STR_ARG(r->id));
	/* Only a list that could be parsed started a run. */
	rc = tasks_parse(buf_str(&r->list), &r->line, &r->plan, &report, &why);
	return rc == PAWL_OK ? rc : list_differs(r, why.msg, err);
}

enum pawl_rc
run_open(struct run *r, const struct place *place, struct str id,
	struct pawl_err *err)
{
	enum pawl_rc rc;

	*r = (struct run){ .place = place, .dir = -1 };
	r->id = arena_copy(&r->mem, id);
	rc = rundir_open(place->fs, place->state_dir, r->id.ptr, &r->dir, err);
	if (rc != PAWL_OK)
		goto out;
	journal_init(&r->journal, place->fs, r->dir);
	r->journal.plain = true;
	rc = list_read(r, err);
	if (rc != PAWL_OK)
		goto out;
	state_init(&r->state, &r->plan);
	projection_use(r);
	rc = run_refresh(r, err);
out:
	if (rc != PAWL_OK)
		run_close(r);
	return rc;
}

void
run_close(struct run *r)
{
	if (r->place == NULL)
		return;
	journal_close(&r->journal);
	if (r->state.plan != NULL)
		state_release(&r->state);
	plan_release(&r->plan);
	keys_release(&r->keys);
	events_release(&r->draft);
	buf_release(&r->draft_json);
	buf_release(&r->list);
	fs_close(r->place->fs, &r->dir);
	arena_reset(&r->mem);
	arena_reset(&r->line);
	*r = (struct run){ .dir = -1 };
}

enum pawl_rc
run_begin(struct run *r, struct pawl_err *err)
{
	enum pawl_rc rc;

	assert(!r->folded && r->draft.count == 0);
	rc = journal_lock(&r->journal, RUN_LOCK_MS, err);
	if (rc != PAWL_OK)
		return rc;
	rc = journal_catch_up(&r->journal, line_fold, r, &r->repaired, err);
	if (rc == PAWL_ECONFLICT && err->code == ERR_STALE_SEQ) {
		rc = read_again(r, err);
		if (rc == PAWL_OK)
			rc = journal_catch_up(
				&r->journal, line_fold, r, &r->repaired, err);
	}
	if (rc != PAWL_OK) {
		journal_unlock(&r->journal);
		return rc;
	}
	clock_format(clock_wall_us(r->place->clock), r->at);
	return PAWL_OK;
}

/* Fold an event that was decided, and keep it for the line. */
static enum pawl_rc
fold(struct run *r, const struct event *proposed, struct pawl_err *err)
{
	struct event e;
	struct line_facts facts = {
		.seq = r->journal.at.seq + 1,
		.gen = r->state.gen + event_begins_generation(proposed->type),
		.at = str_from(r->at),
		.actor = r->actor,
	};
	enum pawl_rc rc =
		journal_fold_draft(&r->draft_json, proposed, &r->line, &e, err);

	r->folded = true;
	if (rc == PAWL_OK)
		rc = apply(&r->state, &facts, &e, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "decided, but not to be folded");
	events_push(&r->draft, e);
	return PAWL_OK;
}

enum pawl_rc
run_propose(struct run *r, const struct command *cmd, struct pawl_err *err)
{
	struct command now = *cmd;
	enum pawl_rc rc;

	now.at = str_from(r->at);
	rc = decide(&r->state, &now, err);
	return rc == PAWL_OK ? fold(r, &cmd->event, err) : rc;
}

/* What only the line itself can say: a repair, and gates that are due. */
static enum pawl_rc
draft_complete(struct run *r, struct pawl_err *err)
{
	struct events gates = { 0 };
	enum pawl_rc rc = PAWL_OK;

	if (r->repaired.bytes > 0) {
		struct event e = journal_fold_repaired(&r->repaired, &r->line);

		rc = fold(r, &e, err);
	}
	if (rc != PAWL_OK)
		return rc;
	decide_due_gates(&r->state, &r->line, &gates);
	for (size_t i = 0; rc == PAWL_OK && i < gates.count; i++)
		rc = fold(r, &gates.items[i], err);
	events_release(&gates);
	return rc;
}

static void
body_write(struct run *r, struct buf *to)
{
	struct json_writer w = { .out = to };

	json_open(&w, '{');
	json_key(&w, STR("keys"));
	keys_write(&r->keys, &w);
	json_key(&w, STR("run"));
	state_json_write(&w, &r->state);
	json_close(&w, '}');
}

/* Under the lock. */
static enum pawl_rc
project(struct run *r, struct pawl_err *err)
{
	struct buf body = { 0 };
	enum pawl_rc rc;

	body_write(r, &body);
	rc = projection_save(r->place->fs, r->dir, STATE_FOLD_VERSION,
		&r->journal.at, buf_str(&body), err);
	if (rc == PAWL_OK) {
		r->projected = r->journal.at.offset;
		r->projection_bytes = body.len;
		r->drift = false;
	}
	buf_release(&body);
	return rc;
}

/* Under the lock, after "ok": a cache, whose failure is nobody's.  One that
 * was found to be bad is always due. */
static void
projection_renew(struct run *r)
{
	struct pawl_err ignored;

	if (r->drift ||
		projection_is_due(r->journal.at.offset - r->projected,
			r->projection_bytes))
		(void)(project(r, &ignored) == PAWL_OK);
}

enum pawl_rc
run_prove(struct run *r, bool *ret_agrees, struct pawl_err *err)
{
	struct buf believed = { 0 }, folded = { 0 };
	enum pawl_rc rc;

	body_write(r, &believed);
	rc = read_again(r, err);
	if (rc == PAWL_OK) {
		body_write(r, &folded);
		*ret_agrees = str_eq(buf_str(&believed), buf_str(&folded));
	}
	buf_release(&believed);
	buf_release(&folded);
	return rc;
}

enum pawl_rc
run_project(struct run *r, struct pawl_err *err)
{
	enum pawl_rc rc = run_begin(r, err);

	if (rc != PAWL_OK)
		return rc;
	rc = project(r, err);
	journal_unlock(&r->journal);
	return rc;
}

static enum pawl_rc
append(struct run *r, struct str key, struct str request, struct pawl_err *err)
{
	struct journal_commit commit = {
		.gen = r->state.gen,
		.at = str_from(r->at),
		.actor = r->actor,
		.key = key,
		.request = request,
		.mac_key = { "", 0 },
	};
	enum pawl_rc rc = PAWL_OK;

	if (str_starts(r->actor, STR("coordinator:")))
		rc = run_mac_key(r, &commit.mac_key, err);
	if (rc != PAWL_OK)
		return rc;
	buf_addc(&r->draft_json, ']');
	commit.events = buf_str(&r->draft_json);
	return journal_append(&r->journal, &commit, err);
}

static void
draft_tell(struct run *r)
{
	struct line_facts facts = {
		.seq = r->state.seq,
		.gen = r->state.gen,
		.at = str_from(r->at),
		.actor = r->actor,
	};

	if (r->watch != NULL)
		r->watch(r->watch_arg, &facts, r->draft.items, r->draft.count);
}

enum pawl_rc
run_commit_key(
	struct run *r, struct str key, struct str request, struct pawl_err *err)
{
	struct pawl_err again;
	enum pawl_rc rc;

	if (r->draft.count == 0) {
		journal_unlock(&r->journal);
		return PAWL_OK;
	}
	rc = draft_complete(r, err);
	if (rc == PAWL_OK)
		rc = append(r, key, request, err);
	if (rc != PAWL_OK) {
		journal_unlock(&r->journal);
		if (read_again(r, &again) != PAWL_OK)
			(void)pawl_wrap(err, "and could not read again");
		return rc;
	}
	if (key.len > 0)
		keys_add(&r->keys, key, request, r->journal.at.seq);
	r->repaired = (struct journal_repaired){ 0 };
	r->folded = false;
	projection_renew(r);
	journal_unlock(&r->journal);
	draft_tell(r);
	r->draft.count = 0;
	buf_clear(&r->draft_json);
	arena_reset(&r->line);
	return PAWL_OK;
}

enum pawl_rc
run_commit(struct run *r, struct pawl_err *err)
{
	return run_commit_key(r, STR(""), STR(""), err);
}

enum pawl_rc
run_abort(struct run *r, struct pawl_err *err)
{
	journal_unlock(&r->journal);
	if (!r->folded)
		return PAWL_OK;
	return read_again(r, err);
}

enum pawl_rc
run_give_up(struct run *r, enum pawl_rc rc, struct pawl_err *err)
{
	struct pawl_err why;

	if (run_abort(r, &why) == PAWL_OK || rc != PAWL_OK)
		return rc;
	return pawl_fail(err, why.code, "%s", why.msg);
}

struct command
run_command(struct run *r, enum event_type type, struct str node,
	struct str attempt)
{
	return (struct command){
		.event = { .type = type, .node = node, .attempt = attempt },
		.actor = ACTOR_COORDINATOR,
		.gen = r->gen,
	};
}
