#include "engine/worker.h"

#include <sys/stat.h>

#include "base/bounds.h"
#include "engine/agents.h"
#include "engine/cage.h"
#include "engine/child_env.h"
#include "engine/context_source.h"
#include "engine/drivers.h"
#include "engine/exit.h"
#include "engine/landing.h"
#include "engine/outbox.h"
#include "engine/owner_event.h"
#include "engine/verdict.h"
#include "engine/worktree.h"
#include "model/capability.h"
#include "model/capsule.h"
#include "model/confined.h"
#include "model/contract.h"
#include "model/result.h"
#include "model/scope.h"

enum {
	PROMPT_TAIL_MAX = 16 << 10, /* of the failed check's output */
};

static uint64_t
deadline_of(const struct plan *plan, uint32_t node)
{
	const struct contract_extra *extra = plan_extra(plan, node);

	return extra != NULL && extra->timeout_ms != 0 ? extra->timeout_ms
						       : BOUND_ATTEMPT_MS;
}

/* Where the next attempt of a node works, and from which commit. */
struct seat {
	enum placement placement;
	struct str worktree, branch; /* full reference; empty in place */
	struct str base;
	struct str hypothesis;      /* of a repair; or empty */
	const struct attempt *last; /* whose workspace it goes on with */
};

/*
 * The rejected attempt that attempt `number` of a node is to repair, or NULL.
 * Attempts between them that ended without a verdict change nothing about that;
 * `*ret_kept` is false when one of them ran, since its workspace was undone.
 */
static const struct attempt *
repaired_by(
	const struct state *s, uint32_t node, uint32_t number, bool *ret_kept)
{
	*ret_kept = true;
	for (uint32_t i = s->nodes[node].attempt_1; number > 1 && i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (a->node != node)
			continue;
		if (a->number < number && a->at_started.len > 0) {
			if (a->status == ATTEMPT_REJECTED)
				return a;
			if (!is_ended_without_verdict(a))
				return NULL;
			*ret_kept = false;
		}
		if (a->number == 1)
			break;
	}
	return NULL;
}

bool
worker_is_placed(const struct state *s, uint32_t node)
{
	return s->run.placement == PLACEMENT_IN_PLACE ||
		(s->plan->nodes[node].mode != MODE_WRITE && s->tip.len == 0);
}

static struct seat
seat_of(struct pilot *p, uint32_t node, uint32_t number)
{
	const struct state *s = &p->run->state;
	bool kept;
	const struct attempt *last = repaired_by(s, node, number, &kept);
	struct str id = plan_id(s->plan, node);
	struct seat seat = { .placement = PLACEMENT_IN_PLACE };

	seat.base = s->tip.len > 0 ? s->tip : s->run.base;
	if (worker_is_placed(s, node))
		return seat;
	seat.placement = PLACEMENT_WORKTREE;
	if (last != NULL && kept && !last->fresh && last->worktree.len > 0) {
		seat.worktree = last->worktree;
		seat.branch = last->branch;
		seat.base = last->base;
		seat.last = last;
		return seat;
	}
	seat.worktree = arena_format(&p->mem, "%s/" STR_FMT "-%u",
		p->config.worktrees, STR_ARG(id), number);
	seat.branch = arena_format(&p->mem,
		"refs/heads/pawl/" STR_FMT "/" STR_FMT "-%u",
		STR_ARG(s->run.run), STR_ARG(id), number);
	return seat;
}

const char *
worker_workspace(struct pilot *p, const struct attempt *a)
{
	if (a->placement == PLACEMENT_IN_PLACE)
		return p->repo.top;
	return arena_strdup(&p->mem,
		arena_format(&p->mem, STR_FMT "/tree", STR_ARG(a->worktree)));
}

/* All but its context. */
static struct capsule_facts
bare_facts(struct pilot *p, uint32_t node, uint32_t number,
	const struct seat *seat, struct str hypothesis)
{
	const struct state *s = &p->run->state;
	bool kept;
	const struct attempt *last = repaired_by(s, node, number, &kept);
	struct capsule_facts f = {
		.node = node,
		.number = number,
		.base = seat->base,
		.hypothesis = hypothesis,
		.deadline_ms = deadline_of(s->plan, node),
	};
	const char *outbox = pilot_path(p, "outbox/" STR_FMT "@%u",
		STR_ARG(plan_id(s->plan, node)), number);

	f.outbox = str_from(outbox);
	f.workspace = seat->placement == PLACEMENT_IN_PLACE
		? str_from(p->repo.top)
		: arena_format(
			  &p->mem, STR_FMT "/tree", STR_ARG(seat->worktree));
	if (last != NULL)
		f.confined =
			confined_hint(s, (uint32_t)(last - s->attempts.items));
	if (last != NULL && last->check_1 != 0) {
		const struct check *c = &s->checks.items[last->check_1 - 1];
		struct str log = arena_format(&p->mem, STR_FMT "@%u.check-%u",
			STR_ARG(plan_id(s->plan, node)), last->number,
			c->number);

		f.failed_check = c->ended;
		f.failed_tail = exit_tail(p->run->place->fs,
			pilot_path(p, "logs"), arena_strdup(&p->mem, log),
			PROMPT_TAIL_MAX, &p->mem);
	}
	return f;
}

/*
 * What a worker is told; the same bytes whenever it is asked for.  The context
 * is the caller's to release, also after a failure.
 */
static enum pawl_rc
facts_of(struct pilot *p, const struct context_of *of, const struct seat *seat,
	struct context *ret_context, struct capsule_facts *ret_facts,
	struct pawl_err *err)
{
	*ret_facts =
		bare_facts(p, of->node, of->number, seat, seat->hypothesis);
	ret_facts->seq_reserved = of->seq_reserved;
	ret_facts->context = ret_context;
	return context_gather(p, of, seat->base, ret_context, err);
}

static struct str
capsule_digest(struct pilot *p, const struct capsule_facts *f)
{
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };
	char hex[SHA256_HEX + 1];

	capsule_write(&w, &p->run->state, f, &p->mem);
	sha256_hex(buf_str(&json), hex);
	buf_release(&json);
	return arena_copy(&p->mem, str_from(hex));
}

/* Of an attempt that is reserved. */
static enum pawl_rc
facts_of_attempt(struct pilot *p, const struct attempt *a,
	struct context *ret_context, struct capsule_facts *ret_facts,
	struct pawl_err *err)
{
	const struct seat seat = { .placement = (enum placement)a->placement,
		.worktree = a->worktree,
		.branch = a->branch,
		.base = a->base,
		.hypothesis = a->hypothesis };
	const struct context_of of = { a->node, a->number, a->seq_reserved };

	return facts_of(p, &of, &seat, ret_context, ret_facts, err);
}

enum pawl_rc
worker_capsule_sha256(struct pilot *p, uint32_t attempt,
	const struct strs *scope, struct str *ret_sha256, struct pawl_err *err)
{
	struct context context = { 0 };
	struct capsule_facts facts;
	enum pawl_rc rc = facts_of_attempt(
		p, pilot_attempt(p, attempt), &context, &facts, err);

	if (rc == PAWL_OK) {
		facts.scope = scope;
		*ret_sha256 = capsule_digest(p, &facts);
	}
	context_release(&context);
	return rc;
}

enum pawl_rc
worker_register(struct pilot *p, uint32_t attempt, struct str kind,
	struct str target, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_CLEANUP_REGISTERED, attempt);

	EVENT_SET(&cmd.event, F_CLEANUP, cleanup,
		arena_format(
			&p->mem, "c%zu", p->run->state.cleanups.count + 1));
	EVENT_SET(&cmd.event, F_KIND, kind, kind);
	EVENT_SET(&cmd.event, F_TARGET, target, target);
	return pilot_propose(p, &cmd, err);
}

/* Whose profile it has, and a command of its own, if any. */
static enum pawl_rc
command_set(struct pilot *p, uint32_t node, struct str driver, struct event *e,
	struct pawl_err *err)
{
	const struct agent_profile *agent = agents_named(p, node);
	struct strs argv = p->config.argv;
	struct str profile = p->run->state.run.profile;

	if (argv.count > 0)
		profile = STR("command");
	if (driver_hands_on(driver)) {
		profile = driver;
	} else if (agent != NULL && argv.count == 0) {
		enum pawl_rc rc = agents_command(
			agent, (struct strs){ 0 }, &p->mem, &argv, err);

		if (rc != PAWL_OK)
			return rc;
		profile = agent->name;
	}
	EVENT_SET(e, F_PROFILE, profile, profile);
	if (argv.count > 0)
		EVENT_SET(e, F_ARGV, argv, argv);
	return PAWL_OK;
}

enum pawl_rc
worker_reserve(struct pilot *p, uint32_t node, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	uint32_t number = s->nodes[node].attempts + 1u;
	bool kept;
	const struct attempt *last = repaired_by(s, node, number, &kept);
	struct str id = plan_id(s->plan, node);
	struct str attempt =
		arena_format(&p->mem, STR_FMT "@%u", STR_ARG(id), number);
	struct seat seat = seat_of(p, node, number);
	struct command cmd =
		run_command(p->run, EV_ATTEMPT_RESERVED, id, attempt);
	struct event *e = &cmd.event;
	struct contract_view v = contract_of(s, node);
	struct context context = { 0 };
	struct capsule_facts facts;
	struct str capsule = { "", 0 };
	struct str driver = driver_name_of(p);
	enum pawl_rc rc;

	if (last != NULL)
		seat.hypothesis = last->cause;
	rc = facts_of(p, &(struct context_of){ node, number, 0 }, &seat,
		&context, &facts, err);
	if (rc == PAWL_OK)
		capsule = capsule_digest(p, &facts);
	context_release(&context);
	if (rc == PAWL_OK)
		rc = command_set(p, node, driver, e, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_DRIVER, driver, driver);
	if (p->config.worker != NULL)
		EVENT_SET(e, F_WORKER, worker, str_from(p->config.worker));
	EVENT_SET(e, F_BASE, base, seat.base);
	EVENT_SET(e, F_REVISION, revision, contract_revision(&v));
	EVENT_SET(e, F_CONTRACT_SHA256, contract_sha256,
		contract_sha256(&v, &p->mem));
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256,
		contract_scope_sha256(&v, &p->mem));
	EVENT_SET(e, F_PLACEMENT, placement,
		seat.placement == PLACEMENT_WORKTREE ? STR("worktree")
						     : STR("in_place"));
	if (seat.placement == PLACEMENT_WORKTREE) {
		EVENT_SET(e, F_WORKTREE, worktree, seat.worktree);
		EVENT_SET(e, F_BRANCH, branch, seat.branch);
	} else if (last != NULL && kept && last->before.len > 0) {
		/* A repair goes on with the changes, so it answers for them. */
		EVENT_SET(e, F_TREE, tree, last->before);
	} else if (p->tree.len > 0) {
		EVENT_SET(e, F_TREE, tree, p->tree);
	}
	EVENT_SET(e, F_DEADLINE_MS, deadline_ms, facts.deadline_ms);
	EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256, capsule);
	if (seat.hypothesis.len > 0)
		EVENT_SET(e, F_HYPOTHESIS, hypothesis, seat.hypothesis);
	rc = pilot_propose(p, &cmd, err);
	if (rc != PAWL_OK)
		return rc;
	if (driver_named(driver)->cleanup != NULL)
		rc = worker_register(p, (uint32_t)s->attempts.count - 1,
			str_from(driver_named(driver)->cleanup), attempt, err);
	if (rc == PAWL_OK && seat.placement == PLACEMENT_WORKTREE &&
		seat.last == NULL)
		rc = worker_register(p, (uint32_t)s->attempts.count - 1,
			STR("worktree"), seat.worktree, err);
	return rc;
}

enum pawl_rc
worker_write_view(const struct run *r, const char *dir, const char *name,
	struct str bytes, struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	int fd = -1;
	enum pawl_rc rc;

	rc = fs_make_view_dir(fs, r->dir, dir, err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, r->dir, dir, &fd, err);
	if (rc == PAWL_OK)
		rc = fs_replace(fs, fd, name, bytes, FS_CACHE, err);
	fs_close(fs, &fd);
	return rc;
}

/* What an attempt's worker is started by. */
static const struct strs *
command_of(const struct pilot *p, const struct attempt *a)
{
	const struct state *s = &p->run->state;
	const struct strs *own =
		state_command(s, (uint32_t)(a - s->attempts.items));

	return own != NULL ? own : &s->run.argv;
}

static bool
has_word(const struct strs *words, struct str word)
{
	for (uint32_t i = 0; i < words->count; i++) {
		if (str_eq(words->items[i], word))
			return true;
	}
	return false;
}

/* The prompt is a file only for a worker that is given its name. */
static enum pawl_rc
write_capsule(struct pilot *p, const struct attempt *a, struct str id,
	struct str *ret_prompt, struct pawl_err *err)
{
	struct context context = { 0 };
	struct capsule_facts facts;
	struct buf json = { 0 }, prompt = { 0 };
	struct json_writer w = { .out = &json };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = facts_of_attempt(p, a, &context, &facts, err);

	if (rc != PAWL_OK) {
		context_release(&context);
		return rc;
	}
	capsule_write(&w, &p->run->state, &facts, &p->mem);
	capsule_prompt(&prompt, &p->run->state, &facts, &p->mem);
	context_release(&context);
	sha256_hex(buf_str(&json), hex);
	if (!str_eq(str_from(hex), a->capsule_sha256)) {
		rc = pawl_fail(err, ERR_DIGEST_MISMATCH,
			"the capsule of '" STR_FMT
			"' isn't the one that was reserved",
			STR_ARG(id));
	} else {
		rc = worker_write_view(p->run, "capsules",
			arena_strdup(&p->mem,
				arena_format(
					&p->mem, STR_FMT ".json", STR_ARG(id))),
			buf_str(&json), err);
	}
	if (rc == PAWL_OK && has_word(command_of(p, a), STR("{prompt_file}"))) {
		rc = worker_write_view(p->run, "capsules",
			arena_strdup(&p->mem,
				arena_format(
					&p->mem, STR_FMT ".md", STR_ARG(id))),
			buf_str(&prompt), err);
	}
	if (rc == PAWL_OK)
		*ret_prompt = arena_copy(&p->mem, buf_str(&prompt));
	buf_release(&json);
	buf_release(&prompt);
	return rc;
}

/* With the attempt's own. */
static const char *const *
worker_env(struct pilot *p, const struct attempt *a, struct str id,
	const struct agent_profile *agent, const struct cage *cage)
{
	struct str node = plan_id(&p->run->plan, a->node);
	struct str run = p->run->id;
	struct arena *mem = &p->mem;
	size_t more = agent != NULL ? agents_env_max(agent) : 0, count;
	const char **env = child_env(mem, cage->level != SANDBOX_OFF,
		5 + CHILD_ENV_TEMP + more, &count);

	if (agent != NULL)
		agents_env(p, agent, cage->temp, env, &count);
	env[count++] = arena_format(mem, "PAWL_RUN=" STR_FMT, STR_ARG(run)).ptr;
	env[count++] =
		arena_format(mem, "PAWL_NODE=" STR_FMT, STR_ARG(node)).ptr;
	env[count++] =
		arena_format(mem, "PAWL_ATTEMPT=" STR_FMT, STR_ARG(id)).ptr;
	env[count++] = arena_format(mem, "PAWL_CAPSULE=%s",
		pilot_path(p, "capsules/" STR_FMT ".json", STR_ARG(id)))
			       .ptr;
	env[count++] = arena_format(mem, "PAWL_OUTBOX=%s",
		pilot_path(p, "outbox/" STR_FMT, STR_ARG(id)))
			       .ptr;
	child_env_temp(env, &count, cage->temp, mem);
	return env;
}

const char *const *
worker_argv(struct pilot *p, const struct attempt *a)
{
	struct str id = pilot_attempt_id(
		p, (uint32_t)(a - p->run->state.attempts.items));
	const struct strs *words = command_of(p, a);
	const char **argv =
		arena_array(&p->mem, words->count + 1u, const char *);

	for (uint32_t i = 0; i < words->count; i++) {
		if (str_eq(words->items[i], STR("{prompt_file}")))
			argv[i] = pilot_path(
				p, "capsules/" STR_FMT ".md", STR_ARG(id));
		else if (str_eq(words->items[i], STR("{capsule}")))
			argv[i] = pilot_path(
				p, "capsules/" STR_FMT ".json", STR_ARG(id));
		else
			argv[i] = arena_strdup(&p->mem, words->items[i]);
	}
	return argv;
}

const char *const *
worker_masks(struct pilot *p)
{
	const struct strs *names = &p->run->state.run.secrets;
	const char **masks =
		arena_array(&p->mem, names->count + 1u, const char *);

	for (uint32_t i = 0; i < names->count; i++)
		masks[i] = arena_strdup(&p->mem, names->items[i]);
	return masks;
}

enum pawl_rc
worker_prepare(struct pilot *p, uint32_t attempt, struct str *ret_prompt,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str id = pilot_attempt_id(p, attempt);
	enum pawl_rc rc = write_capsule(p, a, id, ret_prompt, err);

	return rc == PAWL_OK
		? outbox_make(p->run->place->fs, p->run->dir, id, err)
		: rc;
}

enum pawl_rc
worker_gate(struct pilot *p, uint32_t attempt, struct begun *ret_begun,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str id = pilot_attempt_id(p, attempt);
	struct monitor_spec spec = {
		.program = p->config.child,
		.name = arena_strdup(&p->mem, id),
		.exits = p->exits,
		.outbox = pilot_path(p, "outbox/" STR_FMT, STR_ARG(id)),
		.log = pilot_path(p, "logs/" STR_FMT, STR_ARG(id)),
		.cwd = worker_workspace(p, a),
		.deadline_ms = a->deadline_ms,
		.grace_ms = p->config.grace_ms,
		.masks = worker_masks(p),
	};
	const struct agent_profile *agent = agents_of(p, attempt);
	struct cage cage;
	enum pawl_rc rc = worker_prepare(p, attempt, &spec.input_bytes, err);

	if (rc == PAWL_OK && agent != NULL)
		rc = agents_prepare(p, agent, err);
	if (rc == PAWL_OK)
		rc = cage_worker(p, attempt, &cage, err);
	if (rc != PAWL_OK)
		return rc;
	if (agent != NULL && agent->prompt == AGENT_PROMPT_FILE)
		spec.input_bytes = STR("");
	spec.argv = agent != NULL ? agents_words(p, attempt, agent,
					    command_of(p, a), cage_holds(&cage))
				  : worker_argv(p, a);
	spec.envp = worker_env(p, a, id, agent, &cage);
	cage_put(&cage, &spec);
	rc = monitor_spawn(&spec, &ret_begun->monitor, err);
	cage_drop(&cage);
	ret_begun->confined = cage_confined(p, &cage);
	return rc;
}

static enum pawl_rc
start_failed(struct pilot *p, uint32_t attempt, const struct pawl_err *why,
	struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_START_FAILED, attempt);
	enum pawl_rc rc;

	rc = workspace_discard(p, attempt, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(&cmd.event, F_CAUSE, cause,
		str_from(pawl_code_info(why->code)->word));
	EVENT_SET(&cmd.event, F_MESSAGE, message,
		arena_copy(&p->mem, str_from(why->msg)));
	rc = driver_of(pilot_attempt(p, attempt))->undone(p, attempt, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

static enum pawl_rc
propose_started(struct pilot *p, uint32_t attempt, const struct begun *begun,
	const struct worktree *w, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_STARTED, attempt);

	if (w != NULL && w->dir != NULL) {
		EVENT_SET(&cmd.event, F_DEV, dev, w->dev);
		EVENT_SET(&cmd.event, F_INO, ino, w->inode);
	}
	if (begun->refs.len > 0)
		EVENT_SET(&cmd.event, F_REFS, refs, begun->refs);
	if (begun->degraded.count > 0)
		EVENT_SET(&cmd.event, F_DEGRADED, degraded, begun->degraded);
	cage_tell(p, &begun->confined, &cmd.event);
	owner_event_set(&cmd.event, &begun->owner, &p->mem);
	return pilot_propose(p, &cmd, err);
}

/*
 * One that was reserved by who is gone is started under the same identity; in
 * place its snapshot may be too old for that.
 */
bool
worker_is_outdated(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	if (a->placement != PLACEMENT_IN_PLACE ||
		a->seq_reserved > p->first_seq)
		return false;
	if (!p->config.manual)
		return true;
	/* A repair answers for all that changed since the first attempt. */
	return a->hypothesis.len == 0 && !str_eq(a->before, p->tree);
}

enum pawl_rc
worker_start(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct driver *driver;
	struct begun begun = { .monitor = { .pidfd = -1, .gate = -1 } };
	struct worktree w = { 0 };
	struct pawl_err why;
	enum pawl_rc rc;

	rc = pilot_commit(p, err);
	if (rc != PAWL_OK)
		return rc;
	if (p->stop_signal != 0 || worker_is_outdated(p, attempt))
		return worker_never_started(p, attempt, err);
	driver = driver_of(pilot_attempt(p, attempt));
	if (pilot_attempt(p, attempt)->placement == PLACEMENT_WORKTREE &&
		workspace_make(p, attempt, &w, &why) != PAWL_OK)
		return start_failed(p, attempt, &why, err);
	if (driver->begin(p, attempt, &begun, &why) != PAWL_OK) {
		if (!begun.unsure)
			return start_failed(p, attempt, &why, err);
		*err = why;
		return why.rc;
	}
	/* Its identity is durable before its gate opens. */
	rc = propose_started(p, attempt, &begun, &w, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc == PAWL_OK)
		return driver->open(p, attempt, &begun, err);
	driver->drop(&begun);
	return rc;
}
