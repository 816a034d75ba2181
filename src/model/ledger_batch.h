/*
 * ledger_batch: many new nodes of a ledger, as one JSON array.
 *
 *	[{"id":"api","title":"Build it","depends_on":["scope"]}, ...]
 *
 * Only `id` and `title` must stand; the rest has the presets of `pawl ledger
 * add`.  Nodes may name each other in any order: they come out so that each
 * stands behind all that it depends on, and otherwise as they stood.  It is one
 * step: everything is added, or nothing.
 */
#ifndef PAWL_MODEL_LEDGER_BATCH_H
#define PAWL_MODEL_LEDGER_BATCH_H

#include "model/ledger.h"

/* What is said of a new node; texts that are empty have a preset. */
struct ledger_node_wanted {
	struct str id, title;
	struct str expected_output;    /* preset: the title */
	uint32_t kind, role, approval; /* the enums of a ledger */
	uint32_t access; /* enum node_access, or LEDGER_ACCESS_OF_KIND */
	const struct str *depends_on;
	uint32_t depends_on_count;
	int64_t max_attempts;
	bool evidence_required;
};

enum {
	LEDGER_MAX_ATTEMPTS_PRESET = 2,
	LEDGER_ACCESS_OF_KIND = 255, /* what the kind of the node implies */
};

/* All presets, of a node that is nothing yet. */
struct ledger_node_wanted ledger_node_preset(void);

/*
 * The `node_added` event of it; its texts are those of `wanted`.  An access
 * that writes beyond the workspace makes the approval required.
 */
struct event ledger_node_event(
	const struct ledger_node_wanted *wanted, struct arena *mem);

/*
 * Read a batch for `l` and append its events, in order, to `out`.  `bytes` is
 * changed, and must live as long as the events.
 *
 * Errors: ERR_NOT_JSON; ERR_INVALID_DOCUMENT with pointer, line and column;
 * ERR_ID_TAKEN for an id that stands twice in the batch; ERR_UNKNOWN_DEPENDENCY
 * for a name that neither the ledger nor the batch has; ERR_CYCLE with the
 * whole path; ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_batch_read(const struct ledger *l,
	struct arena *mem, char *bytes, size_t len, struct events *out,
	struct pawl_err *err);

#endif
