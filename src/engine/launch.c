#include "engine/launch.h"

#include <sys/stat.h>

#include "base/bounds.h"
#include "engine/agents.h"
#include "engine/coordinator.h"
#include "engine/owner_event.h"
#include "engine/self.h"
#include "engine/settings.h"
#include "engine/statedir.h"
#include "engine/survey.h"
#include "model/capability.h"
#include "model/id.h"
#include "store/rundir.h"

enum {
	ID_TRIES = 8,
	KEY_BYTES = 32,
};

/* Of this process; a vacant run has the machine, and no process. */
static enum pawl_rc
identity_set(const struct launch *l, struct run *r, struct event *e,
	struct pawl_err *err)
{
	struct owner self;
	enum pawl_rc rc = owner_of(&owner_here, 0, &self, err);

	if (rc != PAWL_OK)
		return rc;
	if (l->vacant)
		self.pid = 0, self.start = 0;
	EVENT_SET(e, F_VERSION, version, STR(PAWL_VERSION));
	EVENT_SET(e, F_BINARY, binary, self_binary(r->place->fs, l->mem));
	owner_event_set(e, &self, l->mem);
	return PAWL_OK;
}

/* What the claimer will be told, written before the line that names it. */
static enum pawl_rc
capsule_put(const struct launch *l, const struct run *r, struct event *e,
	struct pawl_err *err)
{
	const struct run_facts facts = {
		.run = r->id,
		.list = e->list,
		.list_sha256 = e->list_sha256,
		.decision_sha256 = e->decision_sha256,
		.repo = e->repo,
		.base = e->base,
		.branch = e->branch,
		.slots = e->slots,
		.strict = e->strict,
		.allow_dirty = e->allow_dirty,
		.placement = str_eq(e->placement, STR("worktree"))
			? PLACEMENT_WORKTREE
			: PLACEMENT_IN_PLACE,
	};
	const struct handover h = {
		.run = &facts,
		.driver = l->driver,
		.state_dir = str_from(l->place->state_path),
		.gen = 1,
		.tasks = r->plan.count,
	};
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = coordinator_capsule_put(r, &h, hex, err);

	if (rc == PAWL_OK)
		EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256,
			arena_copy(l->mem, str_from(hex)));
	return rc;
}

static void
cages_set(const struct cage_wish *wish, struct event *e)
{
	EVENT_SET(e, F_SANDBOX, sandbox, sandbox_level_word(wish->level));
	if (wish->reads.count > 0)
		EVENT_SET(e, F_READS, reads, wish->reads);
	if (wish->writes.count > 0)
		EVENT_SET(e, F_WRITES, writes, wish->writes);
	if (wish->check_net)
		EVENT_SET(e, F_CHECK_NET, check_net, true);
}

static enum pawl_rc
propose_started(const struct launch *l, struct survey *sv, struct run *r,
	struct pawl_err *err)
{
	struct command cmd = run_command(r, EV_RUN_STARTED, STR(""), STR(""));
	struct event *e = &cmd.event;
	char type[24];
	struct stat st;
	enum pawl_rc rc;

	rc = fs_fstat(l->place->fs, r->dir, &st, err);
	if (rc == PAWL_OK)
		rc = identity_set(l, r, e, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_RUN, run, r->id);
	EVENT_SET(e, F_KIND, kind, STR("tasks"));
	EVENT_SET(e, F_LIST, list, str_from(l->list_path));
	EVENT_SET(e, F_LIST_SHA256, list_sha256, str_from(sv->list_sha256));
	EVENT_SET(e, F_LIST_BYTES, list_bytes, l->list.len);
	EVENT_SET(e, F_DECISION_SHA256, decision_sha256,
		str_from(sv->decision_sha256));
	EVENT_SET(e, F_BUDGET, budget, sv->decided.budget);
	if (sv->handed) {
		EVENT_SET(e, F_REVISION, revision,
			(uint64_t)sv->decided.revision);
		EVENT_SET(e, F_EXECUTION, execution,
			sv->decided.single_writer ? STR("single_writer")
						  : STR("parallel"));
	}
	EVENT_SET(e, F_REPO, repo,
		l->repo != NULL ? str_from(l->repo->top) : STR(""));
	EVENT_SET(e, F_BASE, base, str_from(sv->head.commit.hex));
	if (sv->head.branch != NULL)
		EVENT_SET(e, F_BRANCH, branch, str_from(sv->head.branch));
	EVENT_SET(e, F_PLACEMENT, placement,
		sv->placement == PLACEMENT_WORKTREE ? STR("worktree")
						    : STR("in_place"));
	EVENT_SET(e, F_SLOTS, slots, l->slots);
	if (l->capacity.count > 0)
		EVENT_SET(e, F_CAPACITY, capacity, l->capacity);
	EVENT_SET(e, F_PROFILE, profile,
		l->agent.len > 0            ? l->agent
			: l->argv.count > 0 ? STR("command")
					    : builtin_word(BUILTIN_HOST));
	if (sv->agents.len > 0) {
		char hex[SHA256_HEX + 1];

		sha256_hex(buf_str(&sv->agents), hex);
		EVENT_SET(e, F_AGENTS_SHA256, agents_sha256,
			arena_copy(l->mem, str_from(hex)));
	}
	EVENT_SET(e, F_ARGV, argv, l->argv);
	if (l->secrets.count > 0)
		EVENT_SET(e, F_SECRETS, secrets, l->secrets);
	if (sv->dirty.count > 0)
		EVENT_SET(e, F_DIRTY, dirty, sv->dirty);
	if (l->allow_dirty)
		EVENT_SET(e, F_ALLOW_DIRTY, allow_dirty, true);
	if (l->strict)
		EVENT_SET(e, F_STRICT, strict, true);
	cages_set(&l->cages, e);
	EVENT_SET(e, F_BY, by, l->author);
	if (l->driver.len > 0)
		EVENT_SET(e, F_DRIVER, driver, l->driver);
	EVENT_SET(e, F_FILESYSTEM, filesystem,
		str_from(fs_type_name(l->place->fs, r->dir, type)));
	EVENT_SET(e, F_DEVICE, device, (uint64_t)st.st_dev);
	if (l->vacant)
		rc = capsule_put(l, r, e, err);
	return rc == PAWL_OK ? run_propose(r, &cmd, err) : rc;
}

static enum pawl_rc
key_make(const struct launch *l, const char *id, struct pawl_err *err)
{
	const struct fs *fs = l->place->fs;
	struct buf hex = { 0 };
	int fd = -1;
	enum pawl_rc rc;

	if (l->place->keys_path == NULL)
		return PAWL_OK;
	rc = statedir_make_path(fs, l->place->keys_path, &fd, err);
	for (int i = 0; i < KEY_BYTES / 8; i++) {
		uint64_t bits = rand_u64(l->rand);

		buf_addhex(&hex, &bits, sizeof(bits));
	}
	if (rc == PAWL_OK)
		rc = fs_create(fs, fd, id, buf_str(&hex), err);
	fs_close(fs, &fd);
	buf_release(&hex);
	return rc;
}

/* One that stays all the same opens nothing: no run has it. */
static void
key_drop(const struct launch *l, const char *id)
{
	const struct fs *fs = l->place->fs;
	struct pawl_err ignored;
	enum pawl_rc rc;
	int fd = -1;

	if (l->place->keys_path == NULL)
		return;
	rc = fs_open_dir(fs, AT_FDCWD, l->place->keys_path, &fd, &ignored);
	if (rc == PAWL_OK)
		rc = fs_remove(fs, fd, id, &ignored);
	(void)rc;
	fs_close(fs, &fd);
}

/*
 * An id that nobody has yet, and the run's folder under it.  The key comes
 * first: it is one a repository, as branches are, and state folders may be
 * several.
 */
static enum pawl_rc
folder_make(const struct launch *l, const struct survey *sv,
	char ret_id[ID_RUN_BYTES + 1], struct pawl_err *err)
{
	struct rundir_input inputs[] = {
		{ "tasks.md", l->list },
		{ "process-decision.json", buf_str(&sv->decision) },
		{ AGENTS_FILE, buf_str(&sv->agents) },
	};
	struct rundir_inputs all = { inputs, sv->agents.len > 0 ? 3 : 2 };
	uint64_t now_s = clock_wall_us(l->place->clock) / 1000000;
	enum pawl_rc rc = PAWL_OK;

	for (int i = 0; i < ID_TRIES; i++) {
		int dir = -1;

		id_run_new(now_s, l->rand, ret_id);
		rc = key_make(l, ret_id, err);
		if (rc == PAWL_ECONFLICT)
			continue;
		if (rc == PAWL_OK) {
			rc = rundir_create(l->place->fs, l->place->state_dir,
				ret_id, &all, &dir, err);
			if (rc != PAWL_OK)
				key_drop(l, ret_id);
		}
		fs_close(l->place->fs, &dir);
		if (rc != PAWL_ECONFLICT)
			break;
	}
	return rc;
}

/* What a key stands for: 16 hex of all that was handed in. */
static void
request_of(const struct launch *l, char ret_hex[LINE_REQUEST_HEX + 1])
{
	const struct strs lists[] = { l->argv, l->secrets, l->cages.reads,
		l->cages.writes, l->capacity };
	struct buf text = { 0 };

	buf_addf(&text, "start %s %llu %d %d %d %d " STR_FMT " " STR_FMT,
		l->list_path, (unsigned long long)l->slots, l->allow_dirty,
		l->strict, (int)l->cages.level, l->cages.check_net,
		STR_ARG(l->driver), STR_ARG(l->author));
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		for (uint32_t k = 0; k < lists[i].count; k++) {
			buf_addc(&text, '\0');
			buf_add(&text, lists[i].items[k]);
		}
		buf_addc(&text, '\n');
	}
	buf_add(&text, l->list);
	buf_addc(&text, '\0');
	buf_add(&text, l->decision);
	if (l->agents.count > 0) {
		struct json_writer w = { .out = &text };

		buf_addc(&text, '\0');
		agent_profiles_write(&l->agents, &w);
	}
	keys_request(buf_str(&text), ret_hex);
	buf_release(&text);
}

/* What the first line of a journal was written under. */
struct first {
	struct arena *mem;
	struct str key, request;
	bool read;
};

static enum pawl_rc
on_first(void *arg, const struct journal_line *line, struct pawl_err *err)
{
	struct first *f = arg;

	f->key = arena_copy(f->mem, line->line.key);
	f->request = arena_copy(f->mem, line->line.request);
	f->read = true;
	return pawl_fail(err, ERR_INTERRUPTED, "one line is enough");
}

static struct first
first_of(const struct launch *l, struct str id)
{
	struct first f = { .mem = l->mem };
	struct journal_tail tail;
	struct pawl_err ignored;
	struct journal j;
	int dir = -1;

	if (rundir_open(l->place->fs, l->place->state_dir, id.ptr, &dir,
		    &ignored) != PAWL_OK)
		return f;
	journal_init(&j, l->place->fs, dir);
	if (journal_scan(&j, on_first, &f, &tail, &ignored) == PAWL_OK)
		f.read = false;
	journal_close(&j);
	fs_close(l->place->fs, &dir);
	return f;
}

enum pawl_rc
launch_again(const struct launch *l, struct str *ret_id, struct pawl_err *err)
{
	char request[LINE_REQUEST_HEX + 1];
	struct buf ids = { 0 };
	struct str rest, found = { "", 0 };
	enum pawl_rc rc = PAWL_OK;

	if (l->key.len > 0) {
		request_of(l, request);
		rc = rundir_list(l->place->fs, l->place->state_dir, RUNDIR_ALL,
			&ids, err);
	}
	rest = buf_str(&ids);
	while (rc == PAWL_OK && rest.len > 0 && found.len == 0) {
		struct str id = str_cut(&rest, '\0');
		struct first f = first_of(l, id);

		if (!f.read || !str_eq(f.key, l->key))
			continue;
		found = arena_copy(l->mem, id);
		if (!str_eq(f.request, str_from(request))) {
			rc = pawl_fail(err, ERR_KEY_CONFLICT,
				"key '" STR_FMT
				"' was used for another run, '" STR_FMT "'",
				STR_ARG(l->key), STR_ARG(found));
		}
	}
	buf_release(&ids);
	*ret_id = found;
	return rc;
}

enum pawl_rc
launch_rehearse(
	const struct launch *l, uint32_t *ret_tasks, struct pawl_err *err)
{
	struct survey sv = { 0 };
	enum pawl_rc rc = survey_make(l, &sv, err);

	if (rc == PAWL_OK)
		*ret_tasks = sv.plan.count;
	survey_release(&sv);
	return rc;
}

/* Before anybody works in it: what the repository makes git run. */
static enum pawl_rc
settings_keep(const struct launch *l, const char *id, struct pawl_err *err)
{
	struct str file = arena_format(
		l->mem, "%s/runs/%s/" SETTINGS_FILE, l->place->state_path, id);

	return l->repo == NULL ? PAWL_OK
			       : settings_hold(l->repo, file.ptr, err);
}

enum pawl_rc
launch_create(const struct launch *l, struct run *ret_run, struct pawl_err *err)
{
	struct survey sv = { 0 };
	char id[ID_RUN_BYTES + 1], request[LINE_REQUEST_HEX + 1] = "";
	enum pawl_rc rc;

	if (l->key.len > 0)
		request_of(l, request);
	rc = survey_make(l, &sv, err);
	if (rc == PAWL_OK)
		rc = folder_make(l, &sv, id, err);
	if (rc == PAWL_OK)
		rc = settings_keep(l, id, err);
	if (rc == PAWL_OK)
		rc = run_open(ret_run, l->place, str_from(id), err);
	if (rc != PAWL_OK)
		goto out;
	ret_run->gen = 1;
	ret_run->actor =
		l->vacant ? STR("coordinator:start") : STR("coordinator:run");
	rc = run_begin(ret_run, err);
	if (rc == PAWL_OK)
		rc = propose_started(l, &sv, ret_run, err);
	if (rc == PAWL_OK)
		rc = run_commit_key(ret_run, l->key, str_from(request), err);
	if (rc != PAWL_OK)
		run_close(ret_run);
out:
	survey_release(&sv);
	return rc;
}

enum pawl_rc
launch_same_decision(
	const struct run *r, struct str decision, struct pawl_err *err)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(decision, hex);
	if (str_eq(str_from(hex), r->state.run.decision_sha256))
		return PAWL_OK;
	(void)pawl_fail(err, ERR_DECISION_STALE,
		"run '" STR_FMT "' froze another decision", STR_ARG(r->id));
	return pawl_hint(err,
		"pawl task amend-decision " STR_FMT " --decision F --as ID",
		STR_ARG(r->id));
}

bool
launch_is_driven(const struct run *r)
{
	struct owner owner = owner_event_get(&r->state.coordinator);

	return !is_run_closed(&r->state) && owner_is_alive(&owner_here, &owner);
}

enum pawl_rc
launch_find(const struct place *place, struct str list, struct arena *mem,
	struct str *ret_id, struct pawl_err *err)
{
	struct buf ids = { 0 };
	struct str found = { "", 0 }, rest;
	enum pawl_rc rc;

	rc = rundir_list(
		place->fs, place->state_dir, RUNDIR_STARTED, &ids, err);
	rest = buf_str(&ids);
	while (rc == PAWL_OK && rest.len > 0) {
		struct str id = str_cut(&rest, '\0');
		struct buf bytes = { 0 };
		struct pawl_err ignored;
		int dir = -1, plan = -1;

		if (rundir_open(place->fs, place->state_dir, id.ptr, &dir,
			    &ignored) == PAWL_OK &&
			fs_open_dir(place->fs, dir, "plan", &plan, &ignored) ==
				PAWL_OK &&
			fs_read(place->fs, plan, "tasks.md", BOUND_LIST_BYTES,
				&bytes, &ignored) == PAWL_OK &&
			str_eq(buf_str(&bytes), list)) {
			if (found.len > 0) {
				rc = pawl_fail(err, ERR_AMBIGUOUS_RUN,
					"runs '" STR_FMT "' and '" STR_FMT
					"' both have this list",
					STR_ARG(found), STR_ARG(id));
			}
			found = arena_copy(mem, id);
		}
		fs_close(place->fs, &plan);
		fs_close(place->fs, &dir);
		buf_release(&bytes);
	}
	buf_release(&ids);
	if (rc == PAWL_OK)
		*ret_id = found;
	return rc;
}
