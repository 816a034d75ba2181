/*
 * bounds: every limit of the program, one table.
 *
 * Over a limit is ERR_LIMIT (or a code of the document's own) with the limit in
 * the message.  Each row has a test below, at and above it.
 */
#ifndef PAWL_BASE_BOUNDS_H
#define PAWL_BASE_BOUNDS_H

#include <stdint.h>

enum {
	BOUND_JSON_DEPTH = 32,
	BOUND_LINE_BYTES = 1 << 20,  /* a journal line with its LF */
	BOUND_STATE_BYTES = 1 << 30, /* a projection */
	BOUND_ID_BYTES = 128,
	BOUND_TITLE_BYTES = 4096,
	BOUND_TEXT_BYTES = 16 << 10, /* acceptance, context, reason */
	BOUND_CHECK_BYTES = 8 << 10, /* a check's command line */
	BOUND_CHECK_ARGS = 256,
	BOUND_PATH_BYTES = 4096,
	BOUND_SCOPES = 1024,       /* of one task */
	BOUND_DEPENDS = 65536,     /* of one task */
	BOUND_NAMES = 64,          /* labels, needs or approvers of one task */
	BOUND_PRIORITY = 1000000,  /* and down to minus that */
	BOUND_DECISION_ITEMS = 64, /* observations, questions and their kin */
	BOUND_AMENDMENTS = 1000,   /* of one process decision */
	BOUND_RETAINED = 4096,     /* tasks that a reduction names */
	BOUND_TASKS = 1000000,
	BOUND_LIST_BYTES = 1 << 30, /* a task list */
	BOUND_CONFIG_BYTES = 1 << 20,
	BOUND_MEDIUM_BYTES = 4096,      /* the state folder's `medium` */
	BOUND_RESULT_BYTES = 256 << 10, /* a worker's report */
	BOUND_RESULT_FILES = 65536,     /* changed by one attempt */
	BOUND_EVENT_PATHS = 256, /* that an event lists of what it counts */
	/* of these; a line has room for two such lists, escaped */
	BOUND_EVENT_PATHS_BYTES = 64 << 10,
	BOUND_RESULT_ITEMS = 256,   /* a report's checks, references */
	BOUND_RESULT_EXTERNAL = 64, /* external_refs of a report */
	BOUND_ASKS = 32,        /* questions of an attempt, and of a report */
	BOUND_DELEGATIONS = 16, /* open, of one attempt */
	BOUND_DELEGATION_ITEMS = 256,     /* paths, references; files changed */
	BOUND_INTENT_BYTES = 128 << 10,   /* an intent's document */
	BOUND_CONTEXT_REFS = 256,         /* that a worker's capsule lists */
	BOUND_CONTEXT_ITEMS = 32,         /* of them with an excerpt */
	BOUND_EXCERPT_BYTES = 2048,       /* one excerpt */
	BOUND_CONTEXT_BYTES = 32 << 10,   /* all of them, as JSON */
	BOUND_CONTEXT_TOKENS = 24 << 10,  /* all of them; none is over a byte */
	BOUND_CAPSULE_BYTES = 4096,       /* of up to 40 nodes */
	BOUND_CAPSULE_NODES = 10000,      /* that a capsule may hold */
	BOUND_CAPSULE_EDGES = 1000000,    /* between them */
	BOUND_CAPSULE_TEXT = 16 << 20,    /* a text that one is looked for in */
	BOUND_HANDOVER_BYTES = 256 << 10, /* a coordinator's capsule */
	BOUND_MISSION_BYTES = 16 << 20,   /* a mission file */
	BOUND_MISSION_STEPS = 10000,
	BOUND_DRAW_NODES = 500, /* in a picture, unless --max says another */
	BOUND_OUTPUT_HEAD = 32 << 10, /* kept of a child's output */
	BOUND_OUTPUT_TAIL = 32 << 10,
	BOUND_KEYS = 4096,   /* idempotency keys kept a run */
	BOUND_ATTEMPTS = 2,  /* implementation and one repair */
	BOUND_GRANTS = 1,    /* attempts that a decision adds, a node */
	BOUND_ANSWERS = 200, /* or that such decisions and answers add */
	BOUND_FINDING_BYTES = 128 << 10, /* a finding's document */
	BOUND_FINDINGS = 1000,           /* of one run */
	BOUND_REWORK_DECISIONS = 1000,   /* of one run */
	BOUND_ENDS_WITHOUT_VERDICT = 3,  /* a node, of each kind */
	BOUND_GATES = 2000,  /* tasks of a list that need an approval */
	BOUND_SLOTS = 1024,  /* -j */
	BOUND_CLASSES = 256, /* that the tasks of a list need; --capacity */
	BOUND_DIRTY = 256,   /* paths of `run_started` that weren't committed */
	BOUND_LEDGER_BYTES = 1 << 30,  /* a ledger's checkpoint */
	BOUND_LEDGER_NODES = 1000000,  /* of one ledger */
	BOUND_LEDGER_HISTORY = 4096,   /* statuses of one node */
	BOUND_LEDGER_EVIDENCE = 256,   /* references of one node */
	BOUND_LEDGER_REF_BYTES = 4096, /* one reference */
	BOUND_LEDGER_ATTEMPTS = 1000,  /* of one node */
	BOUND_LEDGER_FINDINGS = 10000, /* kept of each class */
};

#define BOUND_ATTEMPT_MS_MAX (UINT64_C(7) * 24 * 3600 * 1000)
#define BOUND_ATTEMPT_MS (UINT64_C(4) * 3600 * 1000)
#define BOUND_CHECK_MS (UINT64_C(300) * 1000)
#define BOUND_CHECK_MS_MAX (UINT64_C(3600) * 1000)

#endif
