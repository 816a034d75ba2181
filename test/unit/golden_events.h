/*
 * golden_events: the lines of test/golden/events.jsonl, as a group's state.
 *
 * The file has each kind of event twice: with all that it may carry, then with
 * what it must; once, when the two are the same.
 */
#ifndef PAWL_TEST_GOLDEN_EVENTS_H
#define PAWL_TEST_GOLDEN_EVENTS_H

#include "golden.h"
#include "model/event.h"

struct golden {
	struct buf text;
	struct str lines[2 * EVENT_TYPE_COUNT];
	size_t count;
};

static inline int
golden_open(void **state)
{
	static struct golden g;
	char path[4096];
	struct str rest;

	g = (struct golden){ 0 };
	golden_path(path, sizeof(path), "test/golden/events.jsonl");
	golden_read(path, &g.text);
	rest = buf_str(&g.text);
	while (rest.len > 0)
		g.lines[g.count++] = str_cut(&rest, '\n');
	*state = &g;
	return 0;
}

static inline int
golden_close(void **state)
{
	buf_release(&((struct golden *)*state)->text);
	return 0;
}

#endif
