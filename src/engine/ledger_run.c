#include "engine/ledger_run.h"

#include "engine/journal_fold.h"
#include "engine/self.h"
#include "model/id.h"
#include "os/owner.h"
#include "store/rundir.h"

enum {
	GENERATION = 1, /* the only one */
	ID_TRIES = 8,
	LINE_MEM_MAX = 64 << 10, /* of lines, until it is given back */
};

bool
is_ledger_run_closed(const struct ledger_run *r)
{
	return r->outcome.len > 0;
}

uint64_t
ledger_run_seq(const struct ledger_run *r)
{
	return r->journal.at.seq;
}

static enum pawl_rc
nonsense(const struct line_facts *line, const char *why, struct pawl_err *err)
{
	return pawl_fail(err, ERR_CORRUPT, "line %llu: %s",
		(unsigned long long)line->seq, why);
}

/* What an event does to the run beside the ledger. */
static enum pawl_rc
event_fold(struct ledger_run *r, const struct line_facts *line,
	const struct event *e, struct pawl_err *err)
{
	bool starts = e->type == EV_LEDGER_STARTED;
	enum pawl_rc rc;

	if (line->seq == 1 && !starts && r->ledger.run_id.len == 0)
		r->other_kind = true;
	if (starts != (r->ledger.run_id.len == 0))
		return nonsense(line, "a ledger starts once, at first", err);
	if (starts && !str_eq(e->run, r->id))
		return nonsense(line, "it is another run's journal", err);
	if (line->gen != GENERATION)
		return nonsense(line, "a ledger has one generation", err);
	if (is_ledger_run_closed(r) && e->type != EV_JOURNAL_REPAIRED)
		return nonsense(line, "the run is closed", err);
	rc = ledger_apply(&r->ledger, line, e, err);
	if (rc != PAWL_OK)
		return rc;
	if (starts)
		r->repo = arena_copy(&r->mem, e->repo);
	if (e->type == EV_RUN_CLOSED)
		r->outcome = arena_copy(&r->mem, e->outcome);
	return PAWL_OK;
}

/* The good part ends before a line that can't be folded. */
static void
unfit(struct ledger_run *r, const struct journal_line *jl, struct pawl_err *err)
{
	r->unfit = journal_fold_unfit(jl, err);
	r->stopped = true;
}

static enum pawl_rc
line_fold(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	struct ledger_run *r = arg;
	struct journal_events events = { .count = 0 };
	enum pawl_rc rc;

	if (jl->line.seq == r->unfit.line) {
		r->stopped = true;
		return pawl_fail(err,
			r->unfit.newer ? ERR_NEWER_FORMAT : ERR_CORRUPT, "%s",
			r->unfit.why);
	}
	rc = journal_fold_events(jl, &r->line, &events, err);
	for (uint32_t i = 0; rc == PAWL_OK && i < events.count; i++)
		rc = event_fold(r, &events.line, &events.items[i], err);
	if (rc != PAWL_OK)
		unfit(r, jl, err);
	if (rc == PAWL_OK && jl->line.key.len > 0)
		keys_add(
			&r->keys, jl->line.key, jl->line.request, jl->line.seq);
	if (rc == PAWL_OK)
		r->at = arena_copy(&r->mem, jl->line.at);
	if (r->line.bytes > LINE_MEM_MAX)
		arena_reset(&r->line);
	return rc;
}

static void
forget(struct ledger_run *r)
{
	struct journal_at start = journal_start();

	keys_release(&r->keys);
	ledger_release(&r->ledger);
	ledger_init(&r->ledger);
	journal_seek(&r->journal, &start);
	r->outcome = r->repo = r->at = (struct str){ "", 0 };
	buf_clear(&r->draft);
	r->folded = r->human = false;
}

/*
 * Read on, up to a line that can't be folded.  When it is met for the first
 * time, events before the bad one are in the ledger already: read up to the
 * line before it once more.
 */
static enum pawl_rc
read_on(struct ledger_run *r, struct pawl_err *err)
{
	uint64_t known = r->unfit.line;
	enum pawl_rc rc;

	r->stopped = false;
	rc = journal_scan(&r->journal, line_fold, r, &r->tail, err);
	if (r->stopped && r->unfit.line != known) {
		forget(r);
		rc = journal_scan(&r->journal, line_fold, r, &r->tail, err);
	}
	if (rc == PAWL_OK && r->tail.end == JOURNAL_ELSEWHERE) {
		forget(r);
		rc = journal_scan(&r->journal, line_fold, r, &r->tail, err);
	}
	if (rc != PAWL_OK && r->stopped) {
		r->tail = r->unfit;
		rc = PAWL_OK;
	}
	ledger_settle(&r->ledger);
	return rc;
}

static enum pawl_rc
read_again(struct ledger_run *r, struct pawl_err *err)
{
	forget(r);
	return read_on(r, err);
}

/* What the first event of a journal says that it is of. */
static enum pawl_rc
first_look(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	const struct json *v = json_first(jl->line.events);
	bool *is_ledger = arg;

	*is_ledger = str_eq(json_str(json_get(v, STR("type"))),
		event_word(EV_LEDGER_STARTED));
	return pawl_fail(err, ERR_INTERNAL, "one line is enough");
}

bool
is_ledger_run(const struct fs *fs, int run_dir)
{
	struct journal_tail tail;
	struct pawl_err ignored;
	struct journal j;
	bool is_ledger = false;

	journal_init(&j, fs, run_dir);
	(void)(journal_scan(&j, first_look, &is_ledger, &tail, &ignored) ==
		PAWL_OK);
	journal_close(&j);
	return is_ledger;
}

static void
begin_empty(struct ledger_run *r, const struct place *place, struct str id)
{
	*r = (struct ledger_run){ .place = place, .dir = -1 };
	r->id = arena_copy(&r->mem, id);
	r->actor = STR("coordinator:ledger");
	r->human_name = STR("human:local");
	ledger_init(&r->ledger);
}

static enum pawl_rc
folder_open(struct ledger_run *r, const struct place *place, struct str id,
	struct pawl_err *err)
{
	begin_empty(r, place, id);
	return rundir_open(
		place->fs, place->state_dir, r->id.ptr, &r->dir, err);
}

/* Why nothing of a ledger is there. */
static enum pawl_rc
not_started(const struct ledger_run *r, struct pawl_err *err)
{
	if (r->other_kind) {
		(void)pawl_fail(err, ERR_RUN_KIND,
			"run '" STR_FMT "' is no ledger", STR_ARG(r->id));
		return pawl_hint(err, "pawl status " STR_FMT, STR_ARG(r->id));
	}
	if (r->tail.end == JOURNAL_CORRUPT)
		return journal_fold_fail(r->id, &r->tail, err);
	return pawl_fail(err, ERR_RUN_NOT_FOUND,
		"run '" STR_FMT
		"' was never started: its maker stopped on the way",
		STR_ARG(r->id));
}

enum pawl_rc
ledger_run_open(struct ledger_run *r, const struct place *place, struct str id,
	struct pawl_err *err)
{
	enum pawl_rc rc = folder_open(r, place, id, err);

	if (rc != PAWL_OK)
		goto out;
	journal_init(&r->journal, place->fs, r->dir);
	rc = read_on(r, err);
	if (rc == PAWL_OK && r->ledger.run_id.len == 0)
		rc = not_started(r, err);
out:
	if (rc != PAWL_OK)
		ledger_run_close(r);
	return rc;
}

void
ledger_run_close(struct ledger_run *r)
{
	if (r->place == NULL)
		return;
	if (r->journal.fs != NULL)
		journal_close(&r->journal);
	ledger_release(&r->ledger);
	keys_release(&r->keys);
	buf_release(&r->draft);
	fs_close(r->place->fs, &r->dir);
	arena_reset(&r->mem);
	arena_reset(&r->line);
	*r = (struct ledger_run){ .dir = -1 };
}

static void
unlock(struct ledger_run *r)
{
	journal_unlock(&r->journal);
	r->locked = false;
}

enum pawl_rc
ledger_run_begin(struct ledger_run *r, struct pawl_err *err)
{
	enum pawl_rc rc;

	assert(!r->folded);
	rc = journal_lock(&r->journal, RUN_LOCK_MS, err);
	if (rc != PAWL_OK)
		return rc;
	r->locked = true;
	rc = journal_catch_up(&r->journal, line_fold, r, &r->repaired, err);
	if (rc == PAWL_ECONFLICT && err->code == ERR_STALE_SEQ) {
		forget(r);
		rc = journal_catch_up(
			&r->journal, line_fold, r, &r->repaired, err);
	}
	if (rc != PAWL_OK) {
		unlock(r);
		return rc;
	}
	ledger_settle(&r->ledger);
	clock_format(clock_wall_us(r->place->clock), r->now);
	return PAWL_OK;
}

enum pawl_rc
ledger_run_find_key(struct ledger_run *r, struct str key, struct str request,
	bool *ret_again, struct pawl_err *err)
{
	uint64_t seq = 0;
	enum pawl_rc rc =
		keys_find(&r->keys, &r->journal, key, request, &seq, err);

	if (rc == PAWL_OK && seq != 0 && r->locked)
		rc = journal_sync(&r->journal, err);
	if (rc == PAWL_OK)
		*ret_again = seq != 0;
	return rc;
}

/* Fold an event that was decided, and keep it for the line. */
static enum pawl_rc
fold(struct ledger_run *r, const struct event *proposed, struct pawl_err *err)
{
	struct line_facts facts = { .seq = r->journal.at.seq + 1,
		.gen = GENERATION,
		.at = str_from(r->now),
		.actor = r->actor };
	struct event e;
	enum pawl_rc rc =
		journal_fold_draft(&r->draft, proposed, &r->line, &e, err);

	r->folded = true;
	if (rc == PAWL_OK)
		rc = event_fold(r, &facts, &e, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "decided, but not to be folded");
	return PAWL_OK;
}

enum pawl_rc
ledger_run_propose(
	struct ledger_run *r, const struct command *cmd, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (is_ledger_run_closed(r)) {
		return pawl_fail(err, ERR_RUN_CLOSED,
			"run '" STR_FMT "' is closed, with outcome " STR_FMT,
			STR_ARG(r->id), STR_ARG(r->outcome));
	}
	/* A new node looks at no status; thousands may come in a row. */
	if (cmd->event.type != EV_NODE_ADDED)
		ledger_settle(&r->ledger);
	rc = ledger_decide(&r->ledger, cmd, err);
	if (rc == PAWL_OK)
		rc = fold(r, &cmd->event, err);
	r->human = r->human || cmd->actor == ACTOR_HUMAN;
	return rc;
}

static enum pawl_rc
append(struct ledger_run *r, struct str key, struct str request,
	struct pawl_err *err)
{
	struct journal_commit commit = {
		.gen = GENERATION,
		.at = str_from(r->now),
		.actor = r->human ? r->human_name : r->actor,
		.key = key,
		.request = key.len > 0 ? request : STR(""),
		.mac_key = { "", 0 },
	};
	enum pawl_rc rc = PAWL_OK;

	if (r->repaired.bytes > 0) {
		struct event e = journal_fold_repaired(&r->repaired, &r->line);

		rc = fold(r, &e, err);
	}
	if (rc != PAWL_OK)
		return rc;
	buf_addc(&r->draft, ']');
	commit.events = buf_str(&r->draft);
	return journal_append(&r->journal, &commit, err);
}

/* A mark that stays all the same is put in order by `verify --repair`. */
static void
mark_closed(struct ledger_run *r)
{
	struct pawl_err ignored;

	if (is_ledger_run_closed(r))
		(void)(rundir_mark_active(r->place->fs, r->place->state_dir,
			       r->id.ptr, false, &ignored) == PAWL_OK);
}

enum pawl_rc
ledger_run_commit(struct ledger_run *r, struct str key, struct str request,
	struct pawl_err *err)
{
	struct pawl_err again;
	enum pawl_rc rc;

	assert(r->locked);
	if (!r->folded) {
		unlock(r);
		return PAWL_OK;
	}
	rc = append(r, key, request, err);
	if (rc != PAWL_OK) {
		unlock(r);
		if (read_again(r, &again) != PAWL_OK)
			(void)pawl_wrap(err, "and could not read again");
		return rc;
	}
	mark_closed(r);
	unlock(r);
	ledger_settle(&r->ledger);
	if (key.len > 0)
		keys_add(&r->keys, key, request, r->journal.at.seq);
	r->repaired = (struct journal_repaired){ 0 };
	r->folded = r->human = false;
	r->at = arena_copy(&r->mem, str_from(r->now));
	buf_clear(&r->draft);
	arena_reset(&r->line);
	return PAWL_OK;
}

enum pawl_rc
ledger_run_abort(struct ledger_run *r, struct pawl_err *err)
{
	unlock(r);
	return r->folded ? read_again(r, err) : PAWL_OK;
}

static enum pawl_rc
propose_started(struct ledger_run *r, const struct ledger_run_new *wanted,
	struct pawl_err *err)
{
	struct command cmd = {
		.event = { .type = EV_LEDGER_STARTED },
		.actor = ACTOR_COORDINATOR,
		.gen = GENERATION,
	};
	struct event *e = &cmd.event;
	struct owner self;
	enum pawl_rc rc = owner_of(&owner_here, 0, &self, err);

	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_RUN, run, r->id);
	EVENT_SET(e, F_TASK, task, wanted->task);
	if (wanted->repo.len > 0)
		EVENT_SET(e, F_REPO, repo, wanted->repo);
	EVENT_SET(e, F_VERSION, version, STR(PAWL_VERSION));
	EVENT_SET(e, F_BINARY, binary, self_binary(r->place->fs, &r->mem));
	EVENT_SET(e, F_MACHINE, machine,
		arena_copy(&r->mem, str_from(self.machine)));
	return ledger_run_propose(r, &cmd, err);
}

/* The folder of an id that is given, or of a new one that nobody has. */
static enum pawl_rc
folder_make(const struct place *place, const struct ledger_run_new *wanted,
	struct arena *mem, struct str *ret_id, struct pawl_err *err)
{
	struct rundir_inputs none = { NULL, 0 };
	uint64_t now_s = clock_wall_us(place->clock) / 1000000;
	char id[ID_RUN_BYTES + 1];
	enum pawl_rc rc = PAWL_OK;
	int dir = -1;

	*ret_id = wanted->id;
	for (int i = 0; i < ID_TRIES; i++) {
		if (wanted->id.len == 0) {
			id_run_new(now_s, wanted->rand, id);
			*ret_id = arena_copy(mem, str_from(id));
		}
		rc = rundir_create(place->fs, place->state_dir,
			arena_strdup(mem, *ret_id), &none, &dir, err);
		fs_close(place->fs, &dir);
		if (rc != PAWL_ECONFLICT || wanted->id.len > 0)
			break;
	}
	return rc;
}

static enum pawl_rc
id_taken(struct str id, struct pawl_err *err)
{
	return pawl_fail(
		err, ERR_ID_TAKEN, "there is a run '" STR_FMT "'", STR_ARG(id));
}

/* A folder that is there: nobody's yet only when nothing has begun in it. */
static enum pawl_rc
folder_complete(struct ledger_run *r, struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	struct pawl_err ignored;
	struct stat st;

	if (!fs_is_absent(fs, r->dir, "plan/tasks.md"))
		return id_taken(r->id, err);
	if (fs_stat(fs, r->dir, "events.jsonl", &st, &ignored) == PAWL_OK &&
		st.st_size > 0)
		return PAWL_OK;
	return rundir_complete(fs, r->place->state_dir, r->id.ptr, err);
}

/*
 * Take a folder whose journal has no line yet: the one just made, or one whose
 * maker died.  Of two who try, the one that gets the lock first has it.
 */
static enum pawl_rc
folder_take(struct ledger_run *r, const struct ledger_run_new *wanted,
	bool *ret_again, struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	enum pawl_rc rc;

	journal_init(&r->journal, fs, r->dir);
	rc = ledger_run_begin(r, err);
	if (r->other_kind)
		return id_taken(r->id, err);
	if (rc != PAWL_OK)
		return rc;
	if (ledger_run_seq(r) > 0) {
		if (wanted->key.len > 0)
			rc = ledger_run_find_key(r, wanted->key,
				wanted->request, ret_again, err);
		return rc != PAWL_OK || *ret_again ? rc : id_taken(r->id, err);
	}
	if (!fs_is_absent(fs, r->dir, "plan/tasks.md"))
		return id_taken(r->id, err);
	rc = rundir_mark_active(fs, r->place->state_dir, r->id.ptr, true, err);
	return rc == PAWL_OK ? propose_started(r, wanted, err) : rc;
}

enum pawl_rc
ledger_run_create(struct ledger_run *r, const struct place *place,
	const struct ledger_run_new *wanted, bool *ret_again,
	struct pawl_err *err)
{
	struct arena mem = { 0 };
	struct str id = { 0 };
	bool there;
	enum pawl_rc rc = PAWL_OK;

	*r = (struct ledger_run){ .dir = -1 };
	*ret_again = false;
	if (wanted->id.len > 0)
		rc = id_check(wanted->id, err);
	if (rc == PAWL_OK)
		rc = folder_make(place, wanted, &mem, &id, err);
	there = rc != PAWL_OK && err->code == ERR_ID_TAKEN && id.len > 0;
	if (rc == PAWL_OK || there)
		rc = folder_open(r, place, id, err);
	if (rc == PAWL_OK && there)
		rc = folder_complete(r, err);
	if (rc == PAWL_OK)
		rc = folder_take(r, wanted, ret_again, err);
	if (rc != PAWL_OK)
		ledger_run_close(r);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
ledger_run_rehearse(struct ledger_run *r, const struct place *place,
	const struct ledger_run_new *wanted, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	*r = (struct ledger_run){ .dir = -1 };
	if (wanted->id.len > 0)
		rc = id_check(wanted->id, err);
	if (rc != PAWL_OK)
		return rc;
	if (wanted->id.len > 0 && place->state_dir >= 0 &&
		folder_open(r, place, wanted->id, err) == PAWL_OK) {
		rc = id_taken(r->id, err);
		ledger_run_close(r);
		return rc;
	}
	ledger_run_close(r);
	begin_empty(r, place, wanted->id.len > 0 ? wanted->id : STR("r-new"));
	rc = propose_started(r, wanted, err);
	if (rc != PAWL_OK)
		ledger_run_close(r);
	return rc;
}
