/*
 * ledger_view: where a ledger run stands, as people and programs read it.
 *
 * What model/view.h, next.h and explain.h are for task runs: the same forms,
 * with the verbs of ledgers in them.  Pure; text is neutralised and ends with
 * LF, JSON holds the data as it is.
 */
#ifndef PAWL_MODEL_LEDGER_VIEW_H
#define PAWL_MODEL_LEDGER_VIEW_H

#include "model/ledger.h"
#include "model/next.h"

/* A ledger, settled, with what only its journal knows. */
struct ledger_look {
	const struct ledger *ledger;
	struct str outcome; /* of run_closed; empty while open */
	uint64_t seq;       /* of the last line */
};

/* `r-20261130-k3x7qa  RUNNING  7/12 passed, 1 running, 1 waits for you` */
void ledger_view_summary(struct buf *out, const struct ledger_look *k);

/* The summary, a row a node (at most `max`), and the next thing to do. */
void ledger_view_status(
	struct buf *out, const struct ledger_look *k, uint32_t max);

/* {"run":{…},"progress":{…},"nodes":[…],"next":{…}}; the nodes are those of the
 * checkpoint. */
void ledger_view_status_json(
	struct json_writer *w, const struct ledger_look *k);

/* What may start now, in document order. */
void ledger_view_ready(
	struct buf *out, const struct ledger_look *k, uint32_t max);
void ledger_view_ready_json(struct json_writer *w, const struct ledger_look *k);

/*
 * The one thing to do now: finish what runs, start what is READY, decide what
 * waits for an approval, repair what FAILED, unblock, close.
 */
void ledger_next(
	const struct ledger_look *k, struct arena *mem, struct next *ret_next);

/* Why a node isn't ready or done; at most `max` (at least 1) causes. */
void ledger_explain(const struct ledger_look *k, uint32_t node, uint32_t max,
	struct arena *mem, struct explanation *ret_explanation);
void ledger_explain_text(struct buf *out, const struct explanation *ex);
void ledger_explain_json(struct json_writer *w, const struct ledger_look *k,
	const struct explanation *ex);

#endif
