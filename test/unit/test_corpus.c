/*
 * Journals as earlier versions wrote them: read for ever, to the same state.
 * C055.
 *
 * UPDATE=1 writes the states anew, which is right only when the fold means
 * another thing on purpose (STATE_FOLD_VERSION).
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/arena.h"
#include "golden.h"
#include "model/apply.h"
#include "model/state_json.h"
#include "model/tasks.h"
#include "store/line.h"

#define CORPUS "test/golden/corpus"

struct kept {
	struct arena mem;
	char folder[512];
	struct buf list, journal;
	struct plan plan;
	struct state state;
	char chain[SHA256_HEX + 1];
};

static const char *
in_folder(struct kept *k, const char *name)
{
	return arena_format(&k->mem, "%s/%s", k->folder, name).ptr;
}

static void
file_read(struct buf *to, const char *name)
{
	char path[4096];

	golden_path(path, sizeof(path), name);
	golden_read(path, to);
}

static void
kept_init(struct kept *k)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };

	file_read(&k->list, in_folder(k, "plan/tasks.md"));
	file_read(&k->journal, in_folder(k, "events.jsonl"));
	if (tasks_parse(buf_str(&k->list), &k->mem, &k->plan, &report, &err) !=
		PAWL_OK)
		fail_msg("%s: %s", k->folder, err.msg);
	state_init(&k->state, &k->plan);
	memset(k->chain, '0', SHA256_HEX);
	k->chain[SHA256_HEX] = '\0';
}

static void
kept_release(struct kept *k)
{
	state_release(&k->state);
	plan_release(&k->plan);
	buf_release(&k->list);
	buf_release(&k->journal);
	arena_reset(&k->mem);
}

static void
body_write(const struct state *s, struct buf *out)
{
	struct json_writer w = { .out = out };

	state_json_write(&w, s);
}

/* The projection of this prefix gives the state back. */
static void
prefix_check(struct kept *k, uint64_t seq)
{
	struct buf body = { 0 }, again = { 0 };
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *v = NULL;
	struct state s;

	body_write(&k->state, &body);
	if (json_read(&mem, arena_strdup(&mem, buf_str(&body)), body.len,
		    JSON_STRICT, &v, &err) != PAWL_OK)
		fail_msg("%s, line %d: %s", k->folder, (int)seq, err.msg);
	state_init(&s, &k->plan);
	if (state_json_read(&s, v, &err) != PAWL_OK)
		fail_msg("%s, line %d: %s", k->folder, (int)seq, err.msg);
	body_write(&s, &again);
	assert_true(str_eq(buf_str(&body), buf_str(&again)));
	state_release(&s);
	buf_release(&body);
	buf_release(&again);
	arena_reset(&mem);
}

static void
line_fold(struct kept *k, struct str bytes)
{
	struct pawl_err err = { 0 };
	struct line_facts facts;
	struct line line;
	const struct json *v;

	assert_true(line_verify(bytes, k->chain));
	assert_int_equal(line_read(&k->mem, arena_strdup(&k->mem, bytes),
				 bytes.len, &line, &err),
		PAWL_OK);
	facts = (struct line_facts){ line.seq, line.gen, line.at, line.actor };
	v = line.events + 1;
	for (uint32_t i = 0; i < line.events->count; i++, v += v->span) {
		struct event e;

		if (event_read(v, &k->mem, &e, &err) != PAWL_OK ||
			apply(&k->state, &facts, &e, &err) != PAWL_OK)
			fail_msg("%s, line %d: %s", k->folder, (int)line.seq,
				err.msg);
	}
	prefix_check(k, line.seq);
}

static void
kind_check(const char *version, const char *kind)
{
	struct kept k = { .mem = ARENA_INIT };
	struct buf body = { 0 };
	struct str rest;

	(void)snprintf(
		k.folder, sizeof(k.folder), CORPUS "/%s/%s", version, kind);
	kept_init(&k);
	rest = buf_str(&k.journal);
	while (rest.len > 0)
		line_fold(&k, str_cut(&rest, '\n'));
	body_write(&k.state, &body);
	buf_addc(&body, '\n');
	golden_check(in_folder(&k, "state"), buf_str(&body));
	buf_release(&body);
	kept_release(&k);
}

/* Calls `each` for what is in a folder of the corpus; how many there were. */
static size_t
folders(const char *of, void (*each)(const char *of, const char *name))
{
	char path[4096];
	struct dirent *d;
	size_t count = 0;
	DIR *dir;

	golden_path(path, sizeof(path), of);
	dir = opendir(path);
	if (dir == NULL) {
		fail_msg("cannot open %s", path);
		return 0;
	}
	while ((d = readdir(dir)) != NULL) {
		if (d->d_name[0] == '.')
			continue;
		each(of, d->d_name);
		count++;
	}
	(void)closedir(dir);
	return count;
}

/* Which types of events there were. */
static bool met[EVENT_TYPE_COUNT];

static void
kind_meet(const char *of, const char *kind)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct buf journal = { 0 };
	struct line line;
	struct str rest;

	file_read(&journal,
		arena_format(&mem, "%s/%s/events.jsonl", of, kind).ptr);
	rest = buf_str(&journal);
	while (rest.len > 0) {
		struct str bytes = str_cut(&rest, '\n');
		const struct json *v;
		struct event e;

		assert_int_equal(line_read(&mem, arena_strdup(&mem, bytes),
					 bytes.len, &line, &err),
			PAWL_OK);
		v = line.events + 1;
		for (uint32_t i = 0; i < line.events->count;
			i++, v += v->span) {
			assert_int_equal(
				event_read(v, &mem, &e, &err), PAWL_OK);
			met[e.type] = true;
		}
	}
	buf_release(&journal);
	arena_reset(&mem);
}

static void
each_kind(const char *of, const char *kind)
{
	/* Of a ledger there is no list; test/cli/corpus.sh reads it. */
	if (strncmp(kind, "ledger", 6) != 0)
		kind_check(strrchr(of, '/') + 1, kind);
}

static void
each_version(const char *of, const char *version)
{
	char path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", of, version);
	assert_true(folders(path, each_kind) >= 13);
}

static void
old_journals_fold_to_the_state_that_they_were(void **state)
{
	(void)state;
	assert_true(folders(CORPUS, each_version) >= 1);
}

static void
version_meet(const char *of, const char *version)
{
	char path[1024];

	(void)snprintf(path, sizeof(path), "%s/%s", of, version);
	(void)folders(path, kind_meet);
}

static void
every_type_of_event_is_among_them(void **state)
{
	(void)state;
	(void)folders(CORPUS, version_meet);
	for (size_t i = 0; i < EVENT_TYPE_COUNT; i++) {
		if (!met[i])
			fail_msg("no '" STR_FMT "'",
				STR_ARG(event_word((enum event_type)i)));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(old_journals_fold_to_the_state_that_they_were),
		cmocka_unit_test(every_type_of_event_is_among_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
