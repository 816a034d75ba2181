#include "made_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "base/sha256.h"
#include "run_fixture.h"
#include "store/journal.h"
#include "store/rundir.h"

enum { TEXT_MAX = 4 << 20 }; /* of lines that wait to be written */

struct maker {
	struct run_fixture f;
	struct buf text;
	char chain[SHA256_HEX + 1];
	int fd;
	struct made_size size;
};

static void
must(enum pawl_rc rc, const struct pawl_err *err)
{
	if (rc != PAWL_OK)
		die("%s", err->msg);
}

static void
flush(struct maker *m)
{
	struct pawl_err err;

	must(fs_write(&fs_real, m->fd, buf_str(&m->text), &err), &err);
	m->size.bytes += m->text.len;
	buf_clear(&m->text);
}

/* What was proposed since the last line is the next one. */
static void
line_end(struct maker *m)
{
	struct buf events = { 0 };
	struct json_writer w = { .out = &events };
	const struct folded *e;
	struct line line;
	struct pawl_err err;

	fixture_commit(&m->f);
	assert(m->f.journal.count > 0);
	e = &m->f.journal.items[0];
	line = (struct line){ .seq = e->line.seq,
		.gen = e->line.gen,
		.at = e->line.at,
		.actor = e->line.actor };
	json_open(&w, '[');
	VEC_EACH (e, &m->f.journal)
		event_write(&w, &e->event);
	json_close(&w, ']');
	must(line_write(&m->text, &line, buf_str(&events), (struct str){ 0 },
		     m->chain, &err),
		&err);
	buf_addc(&m->text, '\n');
	buf_release(&events);
	m->size.events += m->f.journal.count;
	m->size.lines++;
	m->f.journal.count = 0;
	arena_reset(&m->f.mem);
	if (m->text.len > TEXT_MAX)
		flush(m);
}

static void
propose(struct maker *m, const struct command *cmd)
{
	if (fixture_propose(&m->f, cmd) != PAWL_OK || m->f.broken != NULL)
		die("the made run can't go on: %s", m->f.err.msg);
}

static void
step(struct maker *m, enum event_type type, const char *subject)
{
	struct command cmd = fixture_command(&m->f, type, subject);

	propose(m, &cmd);
}

static void
pass(struct maker *m, uint32_t node)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "N%u@1", node);
	step(m, EV_ATTEMPT_RESERVED, name);
	step(m, EV_CLEANUP_REGISTERED, name);
	line_end(m);
	step(m, EV_ATTEMPT_STARTED, name);
	line_end(m);
	step(m, EV_CLEANUP_SETTLED, name);
	step(m, EV_ATTEMPT_REPORTED, name);
	line_end(m);
	step(m, EV_CHECK_STARTED, name);
	line_end(m);
	step(m, EV_CHECK_RECORDED, name);
	step(m, EV_NODE_GRADED, name);
	line_end(m);
}

static void
plan_make(struct maker *m, const struct made_run *spec)
{
	struct arena mem = ARENA_INIT;
	size_t count = spec->nodes + spec->gated;
	struct plan_row *rows = arena_array(&mem, count, struct plan_row);

	for (uint32_t i = 0; i < count; i++) {
		bool gated = i >= spec->nodes;

		rows[i].mode = "read";
		rows[i].paths = "src/";
		if (spec->linked && i >= 13)
			rows[i].depends = arena_strdup(&mem,
				arena_format(&mem, "N%u, N%u, N%u", i - 7,
					i - 11, i - 13));
		rows[i].more = gated ? "Approval: required" : NULL;
		rows[i].id = arena_strdup(&mem,
			arena_format(&mem, "%c%u", gated ? 'G' : 'N',
				gated ? i - spec->nodes : i));
	}
	fixture_init_planned(&m->f, rows, count);
	m->size.list_bytes = m->f.plan.text.len;
	arena_reset(&mem);
}

static void
start(struct maker *m, const char *id)
{
	struct command cmd = fixture_command(&m->f, EV_RUN_STARTED, "");
	char hex[SHA256_HEX + 1];

	sha256_hex(buf_str(&m->f.plan.text), hex);
	cmd.event.run = str_from(id);
	cmd.event.list_sha256 = arena_copy(&m->f.mem, str_from(hex));
	cmd.event.placement = STR("in_place");
	propose(m, &cmd);
	line_end(m);
}

struct made_size
made_run(int state, const char *id, const struct made_run *spec)
{
	struct maker *m = die_alloc(1, sizeof(*m));
	struct journal_at at;
	struct rundir_input list = { .name = "tasks.md" };
	struct pawl_err err;
	struct made_size size;
	int dir = -1;

	*m = (struct maker){ .fd = -1 };
	at = journal_start();
	memcpy(m->chain, at.chain, sizeof(m->chain));
	plan_make(m, spec);
	list.bytes = buf_str(&m->f.plan.text);
	must(rundir_create(&fs_real, state, id,
		     &(struct rundir_inputs){ &list, 1 }, &dir, &err),
		&err);
	must(fs_open(&fs_real, dir, "events.jsonl", O_WRONLY, &m->fd, &err),
		&err);
	start(m, id);
	for (uint32_t i = 0; i < spec->passed; i++)
		pass(m, i);
	for (uint32_t i = 0; i < spec->takeovers; i++) {
		step(m, EV_COORDINATOR_TAKEN_OVER, "");
		line_end(m);
	}
	flush(m);
	must(fs_sync(&fs_real, m->fd, &err), &err);
	fs_close(&fs_real, &m->fd);
	fs_close(&fs_real, &dir);
	size = m->size;
	buf_release(&m->text);
	fixture_release(&m->f);
	free(m);
	return size;
}
