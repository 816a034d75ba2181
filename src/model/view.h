/*
 * view: where a run stands, as people and programs read it.
 *
 * Pure functions from a state into a buffer or a JSON writer; `status`, `list`,
 * `ready`, the board and the service print what these give, so they can't
 * disagree: all ask state_run_status(), ready_hold() and explain_node().
 *
 * Text is for people: control characters in titles, paths and messages are
 * neutralised (text/utf8.h), lines end with LF, columns are a terminal's.  JSON
 * holds the data as it is.  Output is bounded: a list has at most `max` rows,
 * and says how many it leaves out.
 */
#ifndef PAWL_MODEL_VIEW_H
#define PAWL_MODEL_VIEW_H

#include "model/next.h"

struct progress {
	enum run_status status;
	uint32_t total;
	uint32_t passed;
	uint32_t skipped;
	uint32_t running;    /* with an attempt that has started */
	uint32_t unobserved; /* RUNNING without an attempt */
	uint32_t ready;
	uint32_t pending;
	uint32_t failed;
	uint32_t blocked;
	uint32_t needs_approval;
	uint32_t waits;     /* gates and questions that are open */
	uint32_t may_start; /* of `ready`: without an attempt alive */
};

void view_progress(const struct state *s, struct progress *ret_progress);

/* `r-20261130-k3x7qa  RUNNING  7/12 passed, 2 running, 1 waits for you` */
void view_summary(struct buf *out, const struct state *s);

/* One row a node, in document order: status, id, title, attempt, what it waits
 * for.  Where there is no room for all, those that run or wait for a human come
 * before those that wait, and these before those that are done. */
void view_table(struct buf *out, const struct state *s, uint32_t max);

/* The same, with titles that leave a screen of `columns` room for the rest. */
void view_table_within(
	struct buf *out, const struct state *s, uint32_t max, uint32_t columns);

/* The lines of `text`, at most `rows`, each cut to `columns`. */
void view_clip(
	struct buf *out, struct str text, uint32_t columns, uint32_t rows);

/* Summary, table for a screen of `columns`, what is open, and the next thing to
 * do; UINT32_MAX is no screen. */
void view_status(struct buf *out, const struct state *s, bool driven,
	uint32_t max, uint32_t columns);

/*
 * The same for a screen of `columns` and `rows` that is drawn again and again:
 * lines are cut, titles give way to what a node waits for, rows that don't fit
 * are counted, and what is only being waited for isn't named as open.
 */
void view_board(struct buf *out, const struct state *s, bool driven,
	uint32_t columns, uint32_t rows);

/*
 * {"run":{…},"progress":{…},"summary":{…},"nodes":[…],"gates":[…],
 * "questions":[…],"cleanups":[…],"retained":[…],"breaker":{…} or null,
 * "next":{…}}; the summary is progress_json()'s; gates, questions and cleanups
 * are the open ones, as detail_json() prints them.
 */
void view_status_json(struct json_writer *w, const struct state *s, bool driven,
	uint32_t max);

/* What may start now, and why the other READY ones may not. */
void view_ready(struct buf *out, const struct state *s, uint32_t max);
void view_ready_json(
	struct json_writer *w, const struct state *s, uint32_t max);

/* The run's facts: one object. */
void view_run_json(struct json_writer *w, const struct state *s);

/* Which implementation of the node this is: 0 before, 2 while repaired. */
uint32_t view_tries(const struct state *s, uint32_t node);

#endif
