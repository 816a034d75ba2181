#include "engine/box.h"
#include "engine/cage.h"

#include <sys/epoll.h>

#include "base/bounds.h"
#include "engine/exit.h"
#include "engine/verdict.h"
#include "model/contract.h"
#include "model/id.h"
#include "os/lock.h"
#include "store/artifact.h"

/* One run of the check, in the place. */
struct flight {
	char **argv;
	const char *name;         /* in `exits` and `logs` */
	struct str before, after; /* trees */
	struct exit_facts exit;
	bool ended;
};

/* The attempt that imported under this id, or that of the node; or NULL. */
static const struct attempt *
find_import(struct pilot *p, const struct box *box)
{
	const struct state *s = &p->run->state;
	const struct attempt *last = state_last_attempt(s, box->node);
	const struct attempt *a;

	VEC_EACH (a, &s->attempts) {
		if (str_eq(a->imported, box->import))
			return a;
	}
	return last != NULL && last->imported.len > 0 ? last : NULL;
}

/* Is what it left still what it left? */
static enum pawl_rc
verify(struct pilot *p, const struct box *box, const struct attempt *a,
	struct pawl_err *err)
{
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	if (a->node != box->node || !str_eq(a->imported, box->import)) {
		return pawl_fail(err, ERR_IMPORT_CONFLICT,
			"'" STR_FMT "' was imported as '" STR_FMT "'",
			STR_ARG(plan_id(&p->run->plan, a->node)),
			STR_ARG(a->imported));
	}
	rc = artifact_get(p->run->place->fs, p->run->dir, a->artifact,
		BOUND_RESULT_BYTES, &bytes, err);
	buf_release(&bytes);
	return rc == PAWL_OK
		? PAWL_OK
		: pawl_wrap(err, "the evidence of import '" STR_FMT "'",
			  STR_ARG(box->import));
}

static struct command
command_of(struct pilot *p, const struct box *box)
{
	struct str node = plan_id(&p->run->plan, box->node);
	struct command cmd = run_command(p->run, EV_NODE_IMPORTED, node,
		arena_format(&p->mem, STR_FMT "@%u", STR_ARG(node),
			p->run->state.nodes[box->node].attempts + 1u));

	EVENT_SET(&cmd.event, F_IMPORT, import, box->import);
	if (box->note.len > 0)
		EVENT_SET(&cmd.event, F_REASON, reason, box->note);
	return cmd;
}

/* The place holds what the run's branch holds. */
static enum pawl_rc
place_is_tip(struct pilot *p, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	struct changes changes = { 0 };
	struct oid tip, tree;
	enum pawl_rc rc;

	if (s->run.placement != PLACEMENT_WORKTREE || p->repo.git_dir == NULL)
		return PAWL_OK;
	rc = workspace_oid(s->tip.len > 0 ? s->tip : s->run.base, &tip, err);
	if (rc == PAWL_OK)
		rc = workspace_oid(p->tree, &tree, err);
	if (rc == PAWL_OK)
		rc = snapshot_changes(
			&p->repo, &tip, &tree, &p->mem, &changes, err);
	if (rc == PAWL_OK && changes.count > 0) {
		(void)pawl_fail(err, ERR_CHECK_STALE,
			"the check would see another tree than the run's"
			" other tasks begin with: '" STR_FMT
			"' differs from commit %.12s",
			STR_ARG(changes.items[0].path), tip.hex);
		rc = pawl_hint(err, "git switch --detach %s", tip.hex);
	}
	changes_release(&changes);
	return rc;
}

static enum pawl_rc
on_end(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct flight *f = arg;

	(void)event;
	(void)err;
	f->ended = true;
	return PAWL_OK;
}

/* Run it under a monitor, and wait. */
static enum pawl_rc
fly(struct pilot *p, uint32_t node, struct flight *f, struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	struct exit_of of = { .name = str_from(f->name) };
	struct verdict_trial trial = { .node = node,
		.name = f->name,
		.cwd = p->repo.top,
		.argv = f->argv };
	struct verdict_gated gated;
	struct monitor m;
	uint64_t source = 0;
	enum pawl_rc rc = exit_size(fs, p->exits, &of.from, err);

	if (rc == PAWL_OK)
		rc = verdict_spawn(p, &trial, &gated, err);
	if (rc != PAWL_OK)
		return rc;
	m = gated.monitor;
	of.pid = (uint64_t)m.pid;
	of.start = m.start;
	rc = loop_fd(&p->loop, m.pidfd, EPOLLIN,
		(struct loop_call){ on_end, f }, &source, err);
	if (rc == PAWL_OK)
		rc = monitor_open(&m, err);
	while (rc == PAWL_OK && !f->ended)
		rc = plumb_step(p, err);
	loop_drop(&p->loop, source);
	if (!f->ended)
		monitor_end(&m); /* nobody would record what it finds */
	else
		(void)monitor_reap(&m);
	monitor_close(&m);
	cage_clean(p, f->name);
	return rc == PAWL_OK
		? exit_read(fs, p->exits, &of, &p->mem, &f->exit, err)
		: rc;
}

static enum pawl_rc
judge(struct pilot *p, const struct flight *f, struct pawl_err *err)
{
	struct str line = exit_last_line(
		p->run->place->fs, pilot_path(p, "logs"), f->name, &p->mem);

	if (f->exit.trace != EXIT_TRACE_ENDED || f->exit.kind == EXIT_ASKED)
		return pawl_fail(err, ERR_CHECK_VOID,
			"the check was ended before it gave a verdict");
	if (!str_eq(f->before, f->after))
		return pawl_fail(err, ERR_CHECK_VOID,
			"the working tree changed during the check");
	if (!exit_is_success(&f->exit)) {
		return pawl_fail(err, ERR_CHECK_FAILED,
			"the check failed: " STR_FMT "%s" STR_FMT,
			STR_ARG(exit_words(&f->exit, &p->mem)),
			line.len > 0 ? ": " : "", STR_ARG(line));
	}
	return PAWL_OK;
}

/* What the check saw, by digest: the evidence of the import. */
static enum pawl_rc
keep_evidence(struct pilot *p, const struct box *box, const struct flight *f,
	struct command *cmd, struct pawl_err *err)
{
	struct event *e = &cmd->event;
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	json_open(&w, '{');
	json_pair_str(&w, STR("import"), box->import);
	json_pair_str(&w, STR("attempt"), e->attempt);
	json_key(&w, STR("argv"));
	json_open(&w, '[');
	for (uint32_t i = 0; i < e->argv.count; i++)
		json_put_str(&w, e->argv.items[i]);
	json_close(&w, ']');
	json_pair_str(&w, STR("tree"), f->before);
	json_pair_str(&w, STR("ended"), exit_words(&f->exit, &p->mem));
	json_pair_u64(&w, STR("duration_ms"), f->exit.duration_ms);
	json_pair_u64(&w, STR("stdout_bytes"), f->exit.stdout_bytes);
	json_pair_str(&w, STR("stdout_sha256"), f->exit.stdout_sha256);
	json_pair_u64(&w, STR("stderr_bytes"), f->exit.stderr_bytes);
	json_pair_str(&w, STR("stderr_sha256"), f->exit.stderr_sha256);
	json_pair_str(&w, STR("output"),
		exit_tail(p->run->place->fs, pilot_path(p, "logs"), f->name,
			BOUND_OUTPUT_TAIL, &p->mem));
	json_close(&w, '}');
	rc = artifact_put(
		p->run->place->fs, p->run->dir, buf_str(&json), hex, err);
	buf_release(&json);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(e, F_ARTIFACT, artifact, arena_copy(&p->mem, str_from(hex)));
	EVENT_SET(e, F_TREE, tree, f->before);
	exit_set(e, &f->exit);
	return PAWL_OK;
}

static enum pawl_rc
snapshot(struct pilot *p, struct str *ret_tree, struct pawl_err *err)
{
	enum pawl_rc rc;

	p->tree = STR("");
	rc = workspace_snapshot_place(p, err);
	if (rc == PAWL_OK)
		*ret_tree = p->tree;
	return rc;
}

static enum pawl_rc
import(struct pilot *p, const struct box *box, struct pawl_err *err)
{
	struct flight f = { .name = arena_format(&p->mem, "import-" STR_FMT,
				    STR_ARG(plan_id(&p->run->plan, box->node)))
					    .ptr };
	struct contract_view v = contract_of(&p->run->state, box->node);
	struct command cmd = command_of(p, box);
	enum pawl_rc rc = decide(&p->run->state, &cmd, err);

	if (rc == PAWL_OK)
		rc = contract_check_argv(&v, &p->mem, &f.argv, err);
	if (rc == PAWL_OK)
		rc = snapshot(p, &f.before, err);
	if (rc == PAWL_OK)
		rc = place_is_tip(p, err);
	if (rc == PAWL_OK)
		rc = fly(p, box->node, &f, err);
	if (rc == PAWL_OK)
		rc = snapshot(p, &f.after, err);
	if (rc == PAWL_OK)
		rc = judge(p, &f, err);
	if (rc != PAWL_OK)
		return rc;
	EVENT_SET(&cmd.event, F_ARGV, argv, verdict_argv(p, f.argv));
	rc = keep_evidence(p, box, &f, &cmd, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? plumb_finish(p, err) : rc;
}

enum pawl_rc
box_import(struct pilot *p, const struct box *box, bool *ret_again,
	struct pawl_err *err)
{
	const struct attempt *a;
	int lock = -1;
	enum pawl_rc rc = id_check(box->import, err);

	/* Two calls at a time would run the check twice: one of them waits. */
	if (rc == PAWL_OK)
		rc = plumb_lock(p, "import.lock", RUN_LOCK_MS, &lock, err);
	if (rc == PAWL_OK)
		rc = plumb_reread(p, err);
	if (rc != PAWL_OK)
		goto out;
	a = find_import(p, box);
	*ret_again = a != NULL;
	rc = a != NULL ? verify(p, box, a, err) : import(p, box, err);
out:
	lock_close(p->run->place->fs, &lock);
	return rc;
}
