#include "life.h"

#include <string.h>

#include "base/die.h"
#include "engine/human.h"
#include "engine/launch.h"
#include "engine/statedir.h"
#include "engine/takeover.h"
#include "run_fixture.h"
#include "store/artifact.h"
#include "store/rundir.h"

enum { BIG_ARGS = 24, BIG_ARG = 3000 };

#define STATE_PATH "/home/state"
#define KEYS_PATH "/home/keys"

static const char list_text[] =
	"- [ ] A Look at it\n"
	"  Depends: []\n  Paths: [src/]\n  Mode: read\n"
	"  Isolation: auto\n  Acceptance: seen\n  Check: true\n"
	"- [ ] B Look again\n"
	"  Depends: [A]\n  Paths: [src/]\n  Mode: read\n"
	"  Isolation: auto\n  Acceptance: seen\n  Check: true\n"
	"  Approval: required\n";

enum step_kind {
	STEP_CREATE,
	STEP_TAKE_OVER,
	STEP_EVENT,   /* the coordinator's, as run_fixture makes it */
	STEP_REPORT,  /* likewise, with a report among the artifacts */
	STEP_APPROVE, /* the human's */
	STEP_DENY,
	STEP_UNBLOCK,
	STEP_CLOSE, /* and the mark goes */
};

struct step {
	enum step_kind kind;
	enum event_type type;
	const char *subject;
	const char *word; /* as of fixture_command_word */
	const char *key;
};

static const struct step steps[] = {
	{ STEP_CREATE, EV_RUN_STARTED, "", NULL, NULL },
	{ STEP_EVENT, EV_ATTEMPT_RESERVED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_CLEANUP_REGISTERED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_ATTEMPT_STARTED, "A@1", NULL, NULL },
	{ STEP_TAKE_OVER, EV_COORDINATOR_TAKEN_OVER, "", NULL, NULL },
	{ STEP_REPORT, EV_ATTEMPT_REPORTED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_CLEANUP_SETTLED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_CHECK_STARTED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_CHECK_RECORDED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_INTEGRATED, "A@1", NULL, NULL },
	{ STEP_EVENT, EV_NODE_GRADED, "A@1", NULL, NULL },
	{ STEP_DENY, EV_GATE_DECIDED, "B", NULL, "deny-1" },
	{ STEP_UNBLOCK, EV_NODE_UNBLOCKED, "B", NULL, "unblock-1" },
	{ STEP_APPROVE, EV_GATE_DECIDED, "B", NULL, "approve-1" },
	{ STEP_EVENT, EV_ATTEMPT_RESERVED, "B@1", NULL, NULL },
	{ STEP_EVENT, EV_ATTEMPT_STARTED, "B@1", NULL, NULL },
	{ STEP_EVENT, EV_ATTEMPT_INTERRUPTED, "B@1", NULL, NULL },
	{ STEP_EVENT, EV_NODE_BLOCKED, "B", "environment", NULL },
	{ STEP_UNBLOCK, EV_NODE_UNBLOCKED, "B", NULL, NULL },
	{ STEP_EVENT, EV_ATTEMPT_RESERVED, "B@2", NULL, NULL },
	{ STEP_EVENT, EV_ATTEMPT_STARTED, "B@2", NULL, NULL },
	{ STEP_TAKE_OVER, EV_COORDINATOR_TAKEN_OVER, "", NULL, NULL },
	{ STEP_REPORT, EV_ATTEMPT_REPORTED, "B@2", NULL, NULL },
	{ STEP_EVENT, EV_CHECK_STARTED, "B@2", NULL, NULL },
	{ STEP_EVENT, EV_CHECK_RECORDED, "B@2", NULL, NULL },
	{ STEP_EVENT, EV_INTEGRATED, "B@2", NULL, NULL },
	{ STEP_EVENT, EV_NODE_GRADED, "B@2", NULL, NULL },
	{ STEP_CLOSE, EV_RUN_CLOSED, "", NULL, NULL },
};

size_t
life_steps(void)
{
	return sizeof(steps) / sizeof(steps[0]);
}

const char *
life_step_word(size_t step)
{
	return event_word(steps[step].type).ptr;
}

bool
life_step_is_big(size_t step)
{
	return steps[step].kind == STEP_CREATE ||
		steps[step].kind == STEP_TAKE_OVER;
}

bool
life_step_has_key(size_t step)
{
	return steps[step].key != NULL;
}

void
life_init(struct life *l, const struct fs *fs, bool big)
{
	*l = (struct life){ .fs = fs,
		.clock = clock_fixed(1764501600000000, 1000),
		.rand = rand_seeded(7),
		.big = big };
	l->place = (struct place){ .fs = fs,
		.clock = &l->clock,
		.state_dir = -1,
		.state_path = STATE_PATH,
		.keys_path = KEYS_PATH };
}

void
life_release(struct life *l)
{
	fs_close(l->fs, &l->place.state_dir);
	arena_reset(&l->mem);
}

/* As the command line does it: to write, the state folder is made. */
static enum pawl_rc
place_open(struct life *l, bool to_write)
{
	const struct statedir dir = { .path = STATE_PATH };
	bool made;

	fs_close(l->fs, &l->place.state_dir);
	return to_write
		? statedir_make(
			  l->fs, &dir, &l->place.state_dir, &made, &l->err)
		: statedir_open(l->fs, &dir, &l->place.state_dir, &l->err);
}

static struct strs
argv_of(struct life *l)
{
	struct strs argv = { arena_array(&l->mem, BIG_ARGS, struct str), 1 };
	char *bytes = arena_bytes(&l->mem, BIG_ARG);

	argv.items[0] = STR("./agent.sh");
	memset(bytes, 'x', BIG_ARG);
	while (l->big && argv.count < BIG_ARGS)
		argv.items[argv.count++] = (struct str){ bytes, BIG_ARG };
	return argv;
}

static enum pawl_rc
create(struct life *l)
{
	struct launch launch = {
		.place = &l->place,
		.rand = &l->rand,
		.mem = &l->mem,
		.list_path = "tasks.md",
		.list = str_from(list_text),
		.argv = argv_of(l),
		.permission = STR("local:ada"),
		.slots = 2,
	};
	struct run r = { .dir = -1 };
	enum pawl_rc rc;

	rc = place_open(l, true);
	if (rc == PAWL_OK)
		rc = launch_create(&launch, &r, &l->err);
	if (rc == PAWL_OK)
		l->id = arena_copy(&l->mem, r.id);
	run_close(&r);
	return rc;
}

/* Bytes that an event is going to name. */
static enum pawl_rc
evidence(struct life *l, struct run *r, struct str *ret_digest)
{
	struct str bytes = arena_format(&l->mem, "{\"line\":%llu}%1500s",
		(unsigned long long)r->state.seq, "");
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = artifact_put(l->fs, r->dir, bytes, hex, &l->err);

	if (rc == PAWL_OK)
		*ret_digest = arena_copy(&l->mem, str_from(hex));
	return rc;
}

static enum pawl_rc
coordinate(struct life *l, struct run *r, const struct step *s)
{
	struct run_fixture f = { .s = r->state };
	struct str digest = { "", 0 };
	struct command cmd;
	enum pawl_rc rc = PAWL_OK;

	f.plan.plan = r->plan;
	cmd = fixture_command_word(&f, s->type, s->subject, s->word);
	r->gen = r->state.gen;
	r->actor = STR("coordinator:run");
	if (s->kind == STEP_REPORT)
		rc = evidence(l, r, &digest);
	if (s->kind == STEP_REPORT) {
		EVENT_SET(&cmd.event, F_REPORT_SHA256, report_sha256, digest);
		EVENT_SET(&cmd.event, F_SYNTHESIZED, synthesized, false);
	}
	if (rc == PAWL_OK)
		rc = run_begin(r, &l->err);
	if (rc == PAWL_OK)
		rc = run_propose(r, &cmd, &l->err);
	if (rc == PAWL_OK)
		rc = run_commit(r, &l->err);
	if (rc == PAWL_OK && s->kind == STEP_CLOSE)
		rc = rundir_mark_active(
			l->fs, l->place.state_dir, r->id.ptr, false, &l->err);
	arena_reset(&f.mem);
	return rc;
}

static enum pawl_rc
decide_as_human(struct life *l, struct run *r, const struct step *s)
{
	const struct human_act act = {
		.by = STR("local:ada"),
		.reason = STR("seen"),
		.key = s->key ? str_from(s->key) : STR(""),
	};
	uint32_t node;

	l->again = false;
	if (!plan_find(&r->plan, str_from(s->subject), &node))
		die("no node '%s'", s->subject);
	if (s->kind == STEP_UNBLOCK)
		return human_unblock(r, node, &act, &l->again, &l->err);
	return human_decide(r, r->state.nodes[node].gate_1 - 1,
		s->kind == STEP_APPROVE, &act, &l->again, &l->err);
}

static enum pawl_rc
act(struct life *l, const struct step *s)
{
	struct run r = { .dir = -1 };
	enum pawl_rc rc;

	if (s->kind == STEP_CREATE)
		return create(l);
	rc = place_open(l, true);
	if (rc == PAWL_OK)
		rc = run_open(&r, &l->place, l->id, &l->err);
	if (rc != PAWL_OK)
		return rc;
	if (s->kind == STEP_TAKE_OVER) {
		/* Another process had its id; so the old one is dead. */
		r.state.coordinator.start++;
		rc = takeover_run(&r,
			&(struct takeover){ .argv = argv_of(l), .slots = 2 },
			&(struct taken){ 0 }, &l->err);
	} else if (s->type == EV_GATE_DECIDED || s->type == EV_NODE_UNBLOCKED) {
		rc = decide_as_human(l, &r, s);
	} else {
		rc = coordinate(l, &r, s);
	}
	run_close(&r);
	return rc;
}

enum pawl_rc
life_step(struct life *l, size_t step)
{
	enum pawl_rc rc;

	l->err = (struct pawl_err){ 0 };
	rc = act(l, &steps[step]);
	if (rc == PAWL_OK && l->acked < step + 1)
		l->acked = step + 1;
	fs_close(l->fs, &l->place.state_dir);
	return rc;
}

enum pawl_rc
life_look(struct life *l, uint64_t *ret_lines)
{
	struct run r = { .dir = -1 };
	struct str found = { "", 0 };
	enum pawl_rc rc;

	*ret_lines = 0;
	rc = place_open(l, false);
	if (rc != PAWL_OK || l->place.state_dir < 0)
		return rc;
	rc = launch_find(
		&l->place, str_from(list_text), &l->mem, &found, &l->err);
	/* A closed one has no mark: by its id, which its maker printed. */
	if (rc == PAWL_OK && found.len > 0)
		l->id = found;
	if (rc == PAWL_OK && l->id.len > 0) {
		rc = run_open(&r, &l->place, l->id, &l->err);
		if (rc == PAWL_OK)
			*ret_lines = r.state.seq;
		run_close(&r);
	}
	fs_close(l->fs, &l->place.state_dir);
	return rc;
}

const char *
life_audit(struct life *l, bool repair, bool whole)
{
	struct audit a = { 0 };
	const struct audit_finding *f;
	struct str bad = { NULL, 0 };

	if (place_open(l, false) != PAWL_OK ||
		audit_run(&a, &l->place, l->id, repair, &l->err) != PAWL_OK) {
		fs_close(l->fs, &l->place.state_dir);
		return l->err.msg;
	}
	VEC_EACH (f, &a.findings) {
		/* A poisoning says what it must; a repair ends it. */
		if (whole || (f->serious && f->code != ERR_POISONED))
			bad = arena_copy(&l->mem, f->message);
	}
	if (a.macs_missing > 0 || a.chain_only)
		bad = STR("a coordinator's line isn't signed");
	audit_release(&a);
	fs_close(l->fs, &l->place.state_dir);
	return bad.ptr;
}
