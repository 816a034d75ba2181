#include "engine/survey.h"

#include "base/bounds.h"
#include "engine/agents.h"
#include "engine/driver.h"
#include "engine/ref.h"
#include "engine/snapshot.h"
#include "model/capability.h"
#include "model/capacity.h"
#include "model/scope_trie.h"
#include "model/spelling.h"
#include "model/waves.h"

/* A field whose effect doesn't exist yet is refused, not passed over. */
static enum pawl_rc
fields_supported(
	const struct launch *l, const struct plan *p, struct pawl_err *err)
{
	for (uint32_t i = 0; i < p->count; i++) {
		const struct contract_extra *x = plan_extra(p, i);
		const char *field = NULL;

		if (x != NULL && x->visual.len > 0)
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

/* Room for those that were named, and for more of the tasks. */
static enum pawl_rc
agent_add(const struct launch *l, struct agent_profile *all, uint32_t *count,
	struct str name, struct pawl_err *err)
{
	char path[PATH_MAX];
	enum pawl_rc rc;

	for (uint32_t i = 0; i < *count; i++) {
		if (str_eq(all[i].name, name))
			return PAWL_OK;
	}
	if (*count == AGENT_PROFILES_MAX) {
		return pawl_fail(err, ERR_LIMIT,
			"the tasks name more than %d agents",
			AGENT_PROFILES_MAX);
	}
	rc = agents_find(l->place->fs, name, l->mem, &all[*count], err);
	if (rc == PAWL_OK && !agents_program(&all[*count], path)) {
		rc = pawl_fail(err, ERR_AGENT_NOT_FOUND,
			"agent '" STR_FMT "' can't start: no program '" STR_FMT
			"' is on PATH",
			STR_ARG(name), STR_ARG(all[*count].programs[0]));
	}
	*count += rc == PAWL_OK;
	return rc;
}

/*
 * Whose programs the run needs.  Of a run whose tasks are handed on, their
 * Agent is a word for whoever takes them.
 */
static enum pawl_rc
agents_survey(const struct launch *l, struct survey *sv, struct pawl_err *err)
{
	struct agent_profile *all =
		arena_array(l->mem, AGENT_PROFILES_MAX, struct agent_profile);
	struct agent_profiles agents = { all, l->agents.count };
	struct json_writer w = { .out = &sv->agents };

	if (driver_hands_on(l->driver) || (l->vacant && l->argv.count == 0))
		return PAWL_OK;
	for (uint32_t i = 0; i < l->agents.count; i++)
		all[i] = l->agents.items[i];
	for (uint32_t i = 0; i < sv->plan.count; i++) {
		struct str name = plan_agent(&sv->plan, i);

		if (name.len == 0 && (l->argv.count > 0 || !l->drives))
			continue;
		if (name.len == 0) {
			(void)pawl_fail(err, ERR_USAGE,
				"a new run needs a worker command");
			return pawl_hint(err, "pawl run %s -- ./my-agent.sh",
				l->list_path);
		}
		if (agent_add(l, all, &agents.count, name, err) != PAWL_OK)
			return pawl_wrap(err, "%s:%u", l->list_path,
				sv->plan.nodes[i].line);
	}
	if (agents.count == 0)
		return PAWL_OK;
	if (driver_is_program(l->driver)) {
		return pawl_fail(err, ERR_USAGE,
			"driver '" STR_FMT "' takes a command, not an agent",
			STR_ARG(l->driver));
	}
	agent_profiles_write(&agents, &w);
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

enum pawl_rc
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
		rc = agents_survey(l, sv, err);
	if (rc == PAWL_OK)
		rc = gates_bounded(l, &sv->plan, err);
	if (rc == PAWL_OK &&
		capacity_suffices(&sv->plan, &l->capacity, err) != PAWL_OK) {
		(void)pawl_wrap(err, "%s", l->list_path);
		rc = pawl_hint(err, "--capacity CLASS=N");
	}
	if (rc == PAWL_OK && l->repo == NULL && needs_base(&sv->plan)) {
		rc = pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"'%s' has tasks that write or want a check to fail"
			" first, and this is no git repository",
			l->list_path);
	}
	if (rc == PAWL_OK)
		rc = cage_rehearse(&l->cages, l->mem, err);
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

void
survey_release(struct survey *sv)
{
	plan_release(&sv->plan);
	buf_release(&sv->decision);
	buf_release(&sv->agents);
}
