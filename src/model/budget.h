/*
 * budget: what a run may use up, as its decision says.
 *
 * A limit is of one resource: a number with a unit, and a class.  Past a *hard*
 * one nothing new is reserved; an *advisory* one is only told.  A limit is
 * written into the journal as one line of four words, so that a run's state
 * knows its budget without any other file:
 *
 *	hard attempts 12 attempts
 *	advisory wall_time 90 minutes
 *
 * Three resources are measured from the journal's own facts (budget_use.h):
 * attempts, workers and wall_time.  All others are unavailable, never zero.
 */
#ifndef PAWL_MODEL_BUDGET_H
#define PAWL_MODEL_BUDGET_H

#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* clang-format off */
#define BUDGET_RESOURCE_MAP(X) \
	X(BUDGET_TOKENS, "tokens") \
	X(BUDGET_SPEND, "spend") \
	X(BUDGET_CONTEXT, "context") \
	X(BUDGET_WALL_TIME, "wall_time") \
	X(BUDGET_ATTEMPTS, "attempts") \
	X(BUDGET_WORKERS, "workers") \
	X(BUDGET_TOOL_COST, "tool_cost") \
	X(BUDGET_CLEANUP, "cleanup")
/* clang-format on */

#define BUDGET_ENUM(name, word) name,
enum budget_resource { BUDGET_RESOURCE_MAP(BUDGET_ENUM) BUDGET_RESOURCE_COUNT };
enum budget_class { BUDGET_HARD, BUDGET_ADVISORY, BUDGET_CLASS_COUNT };

/* One a resource and class. */
enum { BUDGET_LIMITS_MAX = BUDGET_RESOURCE_COUNT * BUDGET_CLASS_COUNT };

/* Both end with NULL. */
extern const char *const budget_resource_words[];
extern const char *const budget_class_words[];

struct budget_limit {
	uint64_t value;  /* in `unit` */
	uint64_t amount; /* the same as it is measured: a count, or ms */
	struct str unit; /* a view of what it was read from */
	enum budget_resource resource;
	enum budget_class hardness;
};

struct budget {
	struct budget_limit limits[BUDGET_LIMITS_MAX];
	uint32_t count;
};

/* Is it one that pawl measures? */
bool is_budget_measured(enum budget_resource resource);

/*
 * How many of what is measured are one `unit` of the resource: 1 for counts;
 * milliseconds for wall_time; 1 for any word where nothing is measured.  False
 * for a word that is no unit of the resource.
 */
bool budget_unit(
	enum budget_resource resource, struct str unit, uint64_t *ret_scale);

/* The line, in `mem`. */
struct str budget_line(const struct budget_limit *limit, struct arena *mem);

/* Read one back; false when it is none. */
bool budget_limit_read(struct str line, struct budget_limit *ret_limit);

/* Read all; false when one is none, or there are too many. */
bool budget_limits_read(
	const struct str *lines, uint32_t count, struct budget *ret_budget);

#endif
