#include "engine/launch.h"

#include <sys/stat.h>

#include "base/bounds.h"
#include "engine/coordinator.h"
#include "engine/owner_event.h"
#include "engine/ref.h"
#include "engine/self.h"
#include "engine/snapshot.h"
#include "engine/statedir.h"

#include "model/decision.h"
#include "model/id.h"
#include "model/spelling.h"
#include "model/tasks.h"
#include "model/waves.h"
#include "store/rundir.h"

enum {
	ID_TRIES = 8,
	KEY_BYTES = 32,
};

/* What is measured before the first event. */
struct survey {
	struct plan plan;
	struct tasks_report report;
	struct ref_head head;
	struct strs dirty;
	enum placement placement;
	struct buf decision;
	struct decision decided;
	bool handed; /* the decision was; else it is derived */
	char list_sha256[SHA256_HEX + 1];
	char decision_sha256[SHA256_HEX + 1];
};

/* A field whose effect doesn't exist yet is refused, not passed over. */
static enum pawl_rc
fields_supported(
	const struct launch *l, const struct plan *p, struct pawl_err *err)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct contract_extra *x = plan_extra(p, i);
		const char *field = NULL;

		if (x != NULL && x->agent.len > 0)
			field = "Agent";
		else if (x != NULL && x->needs.len > 0)
			field = "Needs";
		else if (x != NULL && x->visual.len > 0)
			field = "Visual";
		if (field != NULL) {
			return pawl_fail(err, ERR_UNSUPPORTED_FIELD,
				"%s:%u: '" STR_FMT
				"' has '%s', which this version doesn't honour",
				l->list_path, p->nodes[i].line,
				STR_ARG(plan_id(p, i)), field);
		}
	}
	return PAWL_OK;
}

/*
 * A commit carries a gate for each node that it makes due, and a line is
 * bounded: so are they.
 */
static enum pawl_rc
gates_bounded(
	const struct launch *l, const struct plan *p, struct pawl_err *err)
{
	uint32_t gates = 0;

	for (uint32_t i = 0; i < p->count; i++)
		gates += p->nodes[i].approval;
	if (gates > BOUND_GATES) {
		return pawl_fail(err, ERR_LIMIT,
			"%s: %u tasks that need an approval are over the limit"
			" of %d",
			l->list_path, gates, BOUND_GATES);
	}
	return PAWL_OK;
}

/* Is there a task whose work or check is told from a base? */
static bool
needs_base(const struct plan *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->nodes[i].mode == MODE_WRITE || p->nodes[i].red)
			return true;
	}
	return false;
}

/* One writer in place, many in worktrees: the same for the whole run. */
static enum placement
placement_of(const struct launch *l, const struct plan *p)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->nodes[i].mode == MODE_WRITE &&
			(l->slots > 1 ||
				p->nodes[i].isolation == ISOLATION_WORKTREE))
			return PLACEMENT_WORKTREE;
	}
	return PLACEMENT_IN_PLACE;
}

/* A reference is no folder of others: a branch `pawl` leaves no room for ours.
 */
static enum pawl_rc
branches_free(
	const struct launch *l, const struct survey *sv, struct pawl_err *err)
{
	bool wanted = sv->placement == PLACEMENT_WORKTREE;
	struct oid taken = { 0 };
	enum pawl_rc rc;

	for (uint32_t i = 0; i < sv->plan.count; i++)
		wanted = wanted || sv->plan.nodes[i].red;
	if (!wanted)
		return PAWL_OK;
	rc = ref_read(l->repo, "refs/heads/pawl", &taken, err);
	if (rc != PAWL_OK || oid_is_none(&taken))
		return rc;
	(void)pawl_fail(err, ERR_REF_MOVED,
		"the branch 'pawl' is in the way of the run's, which begin with"
		" 'pawl/'");
	return pawl_hint(err, "git branch -m pawl OTHER");
}

/* A dirty path that a task may write would be mixed with the task's work. */
static enum pawl_rc
dirty_survey(const struct launch *l, struct survey *sv, struct pawl_err *err)
{
	struct changes changes = { 0 };
	struct scope_trie writes;
	uint32_t node;
	enum pawl_rc rc;

	rc = snapshot_dirty(l->repo, l->mem, &changes, err);
	if (rc != PAWL_OK)
		return rc;
	scope_trie_init(&writes);
	for (uint32_t i = 0; i < sv->plan.count; i++) {
		const struct contract *c = &sv->plan.nodes[i];

		for (uint32_t k = 0;
			c->mode == MODE_WRITE && k < c->scopes_count; k++)
			scope_trie_add(&writes,
				plan_scope_str(&sv->plan, c->scopes_at + k),
				true, i);
	}
	sv->dirty.items = arena_array(l->mem, BOUND_DIRTY, struct str);
	for (size_t i = 0; rc == PAWL_OK && i < changes.count; i++) {
		struct str path = changes.items[i].path;

		if (!l->allow_dirty &&
			scope_trie_conflict(&writes, path, false, &node)) {
			rc = pawl_fail(err, ERR_DIRTY_SCOPE,
				"'" STR_FMT "' isn't committed and lies in the "
				"scope of '" STR_FMT "'",
				STR_ARG(path),
				STR_ARG(plan_id(&sv->plan, node)));
		}
		if (sv->dirty.count < BOUND_DIRTY)
			sv->dirty.items[sv->dirty.count++] = path;
	}
	scope_trie_release(&writes);
	changes_release(&changes);
	return rc;
}

/* Two spellings of one path: scopes are compared as bytes. */
static enum pawl_rc
spellings_one(
	const struct launch *l, const struct plan *p, struct pawl_err *err)
{
	struct spelling_clash clash;

	if (!repo_folds_case(l->repo, l->place->fs) ||
		!spelling_clashes(p, l->mem, &clash))
		return PAWL_OK;
	(void)spelling_fail(p, &clash, err);
	return pawl_wrap(err, "%s:%u", l->list_path, p->nodes[clash.node].line);
}

/* A decision that was handed in says what the list says. */
static enum pawl_rc
decision_take(const struct launch *l, struct survey *sv, struct pawl_err *err)
{
	struct decision_doc d;
	enum pawl_rc rc = decision_fit(
		&sv->plan, l->decision, l->decision_path, l->mem, &d, err);

	if (rc != PAWL_OK)
		return rc;
	decision_of(&d, l->mem, &sv->decided);
	sv->handed = true;
	buf_add(&sv->decision, l->decision);
	sha256_hex(l->decision, sv->decision_sha256);
	return PAWL_OK;
}

static void
decision_make(const struct launch *l, struct survey *sv)
{
	struct decision_facts facts = {
		.request_sha256 = str_from(sv->list_sha256),
		.base = str_from(sv->head.commit.hex),
		.permission = l->permission,
		.dirty_paths = sv->dirty.count,
		.slots = (uint32_t)l->slots,
	};
	struct waves waves;

	waves_init(&waves, &sv->plan);
	decision_derive(
		&sv->plan, &waves, &facts, l->mem, &sv->decision, &sv->decided);
	waves_release(&waves);
	sha256_hex(buf_str(&sv->decision), sv->decision_sha256);
}

static enum pawl_rc
survey_make(const struct launch *l, struct survey *sv, struct pawl_err *err)
{
	enum pawl_rc rc;

	rc = tasks_parse(l->list, l->mem, &sv->plan, &sv->report, err);
	if (rc != PAWL_OK && sv->report.errors.count > 0)
		return findings_fail(&sv->report.errors, l->list_path, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "%s", l->list_path);
	rc = fields_supported(l, &sv->plan, err);
	if (rc == PAWL_OK)
		rc = gates_bounded(l, &sv->plan, err);
	if (rc == PAWL_OK && l->repo == NULL && needs_base(&sv->plan)) {
		rc = pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"'%s' has tasks that write or want a check to fail"
			" first, and this is no git repository",
			l->list_path);
	}
	sha256_hex(l->list, sv->list_sha256);
	sv->placement = placement_of(l, &sv->plan);
	if (rc == PAWL_OK && l->repo != NULL)
		rc = ref_must_head(l->repo, l->mem, &sv->head, err);
	if (rc == PAWL_OK && l->repo != NULL)
		rc = branches_free(l, sv, err);
	if (rc == PAWL_OK && l->repo != NULL)
		rc = spellings_one(l, &sv->plan, err);
	if (rc == PAWL_OK && l->repo != NULL)
		rc = dirty_survey(l, sv, err);
	if (rc == PAWL_OK && l->decision.len > 0)
		return decision_take(l, sv, err);
	if (rc == PAWL_OK)
		decision_make(l, sv);
	return rc;
}

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
	EVENT_SET(e, F_PROFILE, profile,
		l->argv.count > 0 ? STR("command") : STR("host"));
	EVENT_SET(e, F_ARGV, argv, l->argv);
	if (l->secrets.count > 0)
		EVENT_SET(e, F_SECRETS, secrets, l->secrets);
	if (sv->dirty.count > 0)
		EVENT_SET(e, F_DIRTY, dirty, sv->dirty);
	if (l->allow_dirty)
		EVENT_SET(e, F_ALLOW_DIRTY, allow_dirty, true);
	if (l->strict)
		EVENT_SET(e, F_STRICT, strict, true);
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
	};
	struct rundir_inputs all = { inputs, 2 };
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

enum pawl_rc
launch_rehearse(
	const struct launch *l, uint32_t *ret_tasks, struct pawl_err *err)
{
	struct survey sv = { 0 };
	enum pawl_rc rc = survey_make(l, &sv, err);

	if (rc == PAWL_OK)
		*ret_tasks = sv.plan.count;
	plan_release(&sv.plan);
	buf_release(&sv.decision);
	return rc;
}

enum pawl_rc
launch_create(const struct launch *l, struct run *ret_run, struct pawl_err *err)
{
	struct survey sv = { 0 };
	char id[ID_RUN_BYTES + 1];
	enum pawl_rc rc;

	rc = survey_make(l, &sv, err);
	if (rc == PAWL_OK)
		rc = folder_make(l, &sv, id, err);
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
		rc = run_commit(ret_run, err);
	if (rc != PAWL_OK)
		run_close(ret_run);
out:
	plan_release(&sv.plan);
	buf_release(&sv.decision);
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
