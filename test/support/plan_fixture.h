/*
 * plan_fixture: plans for tests, from a few words a task.
 *
 *	static const struct plan_row rows[] = {
 *		{ .id = "A-1" },
 *		{ .id = "B-1", .depends = "A-1", .mode = "read" },
 *	};
 *	plan_fixture_init(&f, rows, 2);
 *
 * The rows are written as a Markdown list and read by the real parser.
 */
#ifndef PAWL_TEST_PLAN_FIXTURE_H
#define PAWL_TEST_PLAN_FIXTURE_H

#include "model/plan.h"

struct plan_row {
	const char *id;
	const char *depends; /* "A-1, B-1"; NULL is none */
	const char *paths;   /* NULL: `src/<id>` */
	const char *mode;    /* NULL: `write` */
	const char *title;   /* NULL: `Do <id>` */
	const char *check;   /* NULL: `make test-<id>` */
	const char *more;    /* further lines, such as "Approval: required" */
	bool ticked;         /* its box */
};

struct plan_fixture {
	struct buf text;
	struct arena mem;
	struct plan plan;
};

/* Ends the test program when the parser refuses the list. */
void plan_fixture_init(
	struct plan_fixture *f, const struct plan_row *rows, size_t count);
void plan_fixture_release(struct plan_fixture *f);

#endif
