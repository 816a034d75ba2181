/*
 * mission_reader: what the two halves of reading a mission file share: the file
 * and how its steps follow from each other (mission.c), and the fields of one
 * step (mission_step.c).  Private to them.
 */
#ifndef PAWL_MODEL_MISSION_READER_H
#define PAWL_MODEL_MISSION_READER_H

#include "model/mission.h"

/* clang-format off */
#define MISSION_STATUS_MAP(X) \
	X(MISSION_PENDING, "pending") \
	X(MISSION_RUNNING, "running") \
	X(MISSION_VERIFIED, "verified") \
	X(MISSION_FAILED, "failed") \
	X(MISSION_REVERTED, "reverted") \
	X(MISSION_SKIPPED, "skipped") \
	X(MISSION_BLOCKED, "blocked")
/* clang-format on */

enum mission_status { MISSION_STATUS_MAP(STATE_ENUM2) MISSION_STATUS_COUNT };

/* What a step says that its node doesn't, or not yet. */
struct mission_step {
	const struct json *value;
	const struct json *depends; /* an array; or NULL */
	struct str depends_name;    /* of that member */
	uint32_t rounds;
	uint8_t status; /* enum mission_status */
};

struct mission_reader {
	struct arena *mem; /* of the document, pointers and losses */
	const struct mission_options *options;
	struct str text; /* as it was written */
	struct ledger *l;
	struct mission_losses *losses;
	struct mission_step *steps; /* of each node */
	const char *list;           /* the member that holds them */
	uint32_t max_attempts;      /* that the file's budget says */
	bool cyclic;                /* a cycle was found and reported */
	struct pawl_err *err;
};

/* One more loss, of the file (`node` UINT32_MAX) or of a node. */
void mission_lose(struct mission_reader *r, struct str pointer, uint32_t node,
	const char *fmt, ...) PAWL_PRINTF(4, 5);

/* Fail at a value, with its line, column and pointer. */
enum pawl_rc mission_refuse(struct mission_reader *r, enum pawl_code code,
	const struct json *at, struct str pointer, const char *fmt, ...)
	PAWL_PRINTF(5, 6);

/* "/steps/3/kind"; without a name (a ptr of NULL), "/steps/3". */
struct str mission_pointer(
	struct mission_reader *r, uint32_t node, struct str name);

/* null, "", [], {}, 0 and false say nothing. */
bool mission_is_nothing(const struct json *v);

/* Report a member that a ledger has no place for, unless it says nothing. */
void mission_lose_member(struct mission_reader *r, struct str pointer,
	uint32_t node, struct str name, const struct json *v);

/*
 * A text as a ledger may have it: on one line, as utf8_fold() makes it, and not
 * longer than `max`; what that takes is reported.  Empty when it is blank.
 */
struct str mission_text(struct mission_reader *r, struct str pointer,
	uint32_t node, struct str s, size_t max);

/* The id of a step or of what it depends on, in small letters, in the ledger's
 * memory; empty when `v` is none. */
struct str mission_id(struct mission_reader *r, const struct json *v);

/* All of a step but its edges and its status, which wait for the others. */
PAWL_MUST_CHECK enum pawl_rc mission_step_read(
	struct mission_reader *r, const struct json *step, uint32_t number);

#endif
