/*
 * task_field: the fields of a task in a list, one table.
 *
 * A field is read into a contract when all of its value is known.  What is
 * wrong becomes a finding at its place; the rest of the list is still read.
 * Lists of names stay text here: dependencies are resolved when all tasks are
 * known.
 */
#ifndef PAWL_MODEL_TASK_FIELD_H
#define PAWL_MODEL_TASK_FIELD_H

#include "base/vec.h"
#include "model/finding.h"
#include "model/plan.h"

enum task_field {
	FIELD_DEPENDS,
	FIELD_PATHS,
	FIELD_MODE,
	FIELD_ISOLATION,
	FIELD_ACCEPTANCE,
	FIELD_CHECK, /* the six that every task has end here */
	FIELD_CONTEXT,
	FIELD_TIMEOUT,
	FIELD_CHECK_TIMEOUT,
	FIELD_PRIORITY,
	FIELD_LABELS,
	FIELD_RED,
	FIELD_AGENT,
	FIELD_NEEDS,
	FIELD_APPROVAL,
	FIELD_ACCESS,
	FIELD_VISUAL,
	FIELD_COUNT,
};

enum { FIELD_SIX = FIELD_CHECK + 1 };

VEC_DEF(contracts, struct contract);
VEC_DEF(spans, struct span);
VEC_DEF(plan_scopes, struct plan_scope);
VEC_DEF(contract_extras, struct contract_extra);

/* What is read so far; a plan's arrays while they grow. */
struct tasks_reader {
	struct str text;
	struct findings *errors, *warnings;
	struct contracts nodes;
	struct spans depends; /* names, grouped by node */
	struct plan_scopes scopes;
	struct buf scope_text;
	struct contract_extras extras;
	struct arena scratch; /* of one field */
};

const char *task_field_name(enum task_field field);

/* The field with this name; FIELD_COUNT when there is none. */
enum task_field task_field_find(struct str name);

/* The known name that is nearest to `name`, and how far it is. */
const char *task_field_nearest(struct str name, unsigned *ret_distance);

/* Read a value, a view of the text, into the newest contract. */
void task_field_read(
	struct tasks_reader *r, enum task_field field, struct str value);

#endif
