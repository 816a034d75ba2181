#include "gated_run.h"

#include <string.h>

#include "base/die.h"
#include "engine/launch.h"
#include "engine/takeover.h"
#include "store/rundir.h"

const char *const gated_words[GATED_VERBS] = {
	[GATED_APPROVE] = "approve",
	[GATED_DENY] = "deny",
	[GATED_UNBLOCK] = "unblock",
	[GATED_TAKE_OVER] = "take over",
};

static void
list_make(struct buf *list, uint32_t nodes)
{
	for (uint32_t i = 0; i < nodes; i++) {
		buf_addf(list,
			"- [ ] N-%u Look\n"
			"  Depends: []\n"
			"  Paths: [src/n%u]\n"
			"  Mode: read\n"
			"  Isolation: auto\n"
			"  Acceptance: It was looked at.\n"
			"  Check: true\n"
			"  Approval: required\n\n",
			i, i);
	}
}

enum pawl_rc
gated_run_init(struct gated_run *g, const struct fs *fs, int dir,
	uint32_t nodes, struct pawl_err *err)
{
	struct rand rand = rand_seeded(5);
	struct arena mem = ARENA_INIT;
	struct buf list = { 0 };
	struct str argv = STR("true");
	struct launch l = { .place = &g->place,
		.rand = &rand,
		.mem = &mem,
		.list_path = "tasks.md",
		.argv = { &argv, 1 },
		.permission = STR("local:ada"),
		.slots = 2 };
	struct run r = { .dir = -1 };
	enum pawl_rc rc;

	*g = (struct gated_run){ .clock = clock_real() };
	g->place = (struct place){ .fs = fs,
		.clock = &g->clock,
		.state_dir = dir,
		.state_path = "/state" };
	list_make(&list, nodes);
	l.list = buf_str(&list);
	rc = rundir_init_state(fs, dir, err);
	if (rc == PAWL_OK)
		rc = launch_create(&l, &r, err);
	if (rc == PAWL_OK)
		memcpy(g->id, r.id.ptr, r.id.len + 1);
	run_close(&r);
	buf_release(&list);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
gated_run_open(
	const struct gated_run *g, struct run *ret_run, struct pawl_err *err)
{
	return run_open(ret_run, &g->place, str_from(g->id), err);
}

static enum pawl_rc
decide_gate(struct run *r, uint32_t node, bool granted,
	const struct human_act *act, struct pawl_err *err)
{
	uint32_t gate_1 = r->state.nodes[node].gate_1;
	bool again;

	if (gate_1 == 0)
		return pawl_fail(err, ERR_GATE_NOT_FOUND, "no gate is open");
	return human_decide(r, gate_1 - 1, granted, act, &again, err);
}

/* Whoever asks lives, so the one before is made out to be dead. */
static enum pawl_rc
take_over(struct run *r, struct pawl_err *err)
{
	/* This very process id, of one that began at another time. */
	r->state.coordinator.start++;
	return takeover_run(
		r, &(struct takeover){ .slots = 0 }, &(struct taken){ 0 }, err);
}

enum pawl_rc
gated_run_act(const struct gated_run *g, enum gated_verb verb, uint32_t node,
	struct pawl_err *err)
{
	const struct human_act act = { .by = STR("local:ada"),
		.reason = STR("it was seen") };
	struct run r = { .dir = -1 };
	bool again;
	enum pawl_rc rc = gated_run_open(g, &r, err);

	if (rc != PAWL_OK)
		return rc;
	switch (verb) {
	case GATED_APPROVE:
	case GATED_DENY:
		rc = decide_gate(&r, node, verb == GATED_APPROVE, &act, err);
		break;
	case GATED_UNBLOCK:
		rc = human_unblock(&r, node, &act, &again, err);
		break;
	case GATED_TAKE_OVER:
		rc = take_over(&r, err);
		break;
	case GATED_VERBS:
		die("no such verb");
	}
	run_close(&r);
	return rc;
}

struct count {
	enum event_type type;
	uint64_t found;
	struct arena mem;
};

static enum pawl_rc
count_line(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	struct count *c = arg;
	const struct json *v = json_first(l->line.events);
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < l->line.events->count; i++) {
		struct event e;

		rc = event_read(v, &c->mem, &e, err);
		c->found += rc == PAWL_OK && e.type == c->type;
		v += v->span;
	}
	arena_reset(&c->mem);
	return rc;
}

uint64_t
gated_run_count(const struct gated_run *g, enum event_type type)
{
	struct count c = { .type = type };
	struct journal_tail tail;
	struct journal j;
	struct pawl_err err;
	int dir = -1;

	if (rundir_open(g->place.fs, g->place.state_dir, g->id, &dir, &err) !=
		PAWL_OK)
		die("no run: %s", err.msg);
	journal_init(&j, g->place.fs, dir);
	if (journal_scan(&j, count_line, &c, &tail, &err) != PAWL_OK)
		die("could not read the journal: %s", err.msg);
	journal_close(&j);
	fs_close(g->place.fs, &dir);
	return c.found;
}
