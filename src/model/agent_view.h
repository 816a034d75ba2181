/*
 * agent_view: the graph of a run as another program shows it: AgentGraphView,
 * version 1.
 *
 * A closed document (schemas/agent-graph-view.schema.json) without prompts,
 * output or bodies: ids, titles, statuses, edges.  It is bounded:
 * AGENT_VIEW_NODES nodes, those that are at work or wait for somebody before
 * those that are to come, and these before those that are done;
 *AGENT_VIEW_EDGES edges between them; texts of AGENT_VIEW_TEXT bytes.  What is
 *left out is counted.
 *
 *	snapshot  all of it
 *	delta     the nodes that changed after the cursor `from`; edges are
 *those of the snapshot reset     all of it again, with the reason why a delta
 *wasn't possible
 *
 * `cursor` is where the next delta begins, `revision` what a request for a
 * change names as the one that it was made on (model/view_request.h): today
 *both are the number of the last line of the journal.  A consumer that keeps
 *the last view and applies each delta to it, node by node, has the snapshot.
 */
#ifndef PAWL_MODEL_AGENT_VIEW_H
#define PAWL_MODEL_AGENT_VIEW_H

#include "model/progress.h"

enum {
	AGENT_VIEW_NODES = 1000,
	AGENT_VIEW_EDGES = 3000,
	AGENT_VIEW_TEXT = 2048,  /* bytes of one text */
	AGENT_VIEW_HISTORY = 64, /* lines that a delta reaches back over */
};

#define AGENT_VIEW_PROTOCOL "agent-graph-view/v1"

enum agent_view_kind {
	AGENT_VIEW_SNAPSHOT,
	AGENT_VIEW_DELTA,
	AGENT_VIEW_RESET
};

/* Why a delta was asked for and a reset is the answer. */
enum agent_view_reason {
	AGENT_VIEW_NO_REASON,
	AGENT_VIEW_REQUESTED,      /* the caller wanted one */
	AGENT_VIEW_CURSOR_AHEAD,   /* the journal doesn't reach so far */
	AGENT_VIEW_CURSOR_EXPIRED, /* over AGENT_VIEW_HISTORY lines ago */
	AGENT_VIEW_TOO_MANY,       /* more nodes changed than a view holds */
};

struct agent_view_node {
	struct str id, title;
	enum node_status status;
	enum node_access access;
	struct str attempt; /* the last one; NULL before */
	struct str stage;   /* of a live attempt; or NULL */
	struct str gate;    /* that is open; or NULL */
	struct str block;   /* why it is BLOCKED; or NULL */
	int64_t changed;    /* line of the journal */
};

struct agent_view_edge {
	uint32_t type;             /* the only one: depends_on */
	struct str source, target; /* the source waits for the target */
};

struct agent_view_progress {
	enum progress_state state;
	int64_t percent, total, passed, running, input_required, blocked,
		pending, failed;
};

struct agent_view {
	struct str protocol;
	enum agent_view_kind kind;
	enum agent_view_reason reason;
	struct str run;
	enum run_status status;
	struct str outcome; /* once closed; else NULL */
	int64_t from;       /* of a delta; else -1 */
	int64_t cursor, revision, generation;
	const struct agent_view_progress *progress;
	const struct agent_view_node *nodes;
	uint32_t nodes_count;
	const struct agent_view_edge *edges;
	uint32_t edges_count;
	int64_t nodes_left_out, edges_left_out;
};

/*
 * What stands between a cursor and now: AGENT_VIEW_NO_REASON when a delta can
 * tell it.
 */
enum agent_view_reason agent_view_reach(const struct state *s, uint64_t from);
struct str agent_view_reason_word(enum agent_view_reason reason);

/* A whole view; `reason` makes it a reset.  All in `mem`. */
void agent_view_whole(const struct state *s, enum agent_view_reason reason,
	struct arena *mem, struct agent_view *ret_view);

/* What changed after the cursor; a reset where that can't be told. */
void agent_view_since(const struct state *s, uint64_t from, struct arena *mem,
	struct agent_view *ret_view);

/* The same for who has followed the run since then, however far back it is. */
void agent_view_changes(const struct state *s, uint64_t from, struct arena *mem,
	struct agent_view *ret_view);

void agent_view_json(struct json_writer *w, const struct agent_view *view);

/* Its nodes alone, as an array. */
void agent_view_nodes_json(
	struct json_writer *w, const struct agent_view *view);

/* One row a node. */
void agent_view_text(struct buf *out, const struct agent_view *view);

/* For programs of ours that read one.
 * Errors: ERR_NOT_JSON, ERR_LIMIT, ERR_INVALID_DOCUMENT. */
PAWL_MUST_CHECK enum pawl_rc agent_view_read(struct arena *mem,
	struct str bytes, struct agent_view *ret_view, struct pawl_err *err);

/* The document's schema, for people, with its last LF. */
void agent_view_schema(struct buf *out);

#endif
