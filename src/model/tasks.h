/*
 * tasks: a Markdown task list, read into a plan.
 *
 * A task starts at a box, `- [ ] ID Title`, and ends at the next box, heading
 * or unindented line.  Its fields are indented lines `Name: value`; a deeper
 * line right after a field continues its value; any other line in a task is an
 * error.  Headings, prose and fenced code between tasks are passed over.
 *
 * The plan holds views of the caller's bytes, which must stay as long as it
 * does and are not changed.  A byte order mark, CR LF, lone CR, tabs, trailing
 * blanks and a missing final newline make no difference to what is read.
 */
#ifndef PAWL_MODEL_TASKS_H
#define PAWL_MODEL_TASKS_H

#include "model/finding.h"
#include "model/plan.h"

struct tasks_report {
	struct findings errors;
	struct findings warnings;
};

/*
 * Read a list.  On PAWL_OK `*ret_plan` is a plan to be released, its graph
 * complete: dependants, order and path lengths.  `*ret_report` is filled either
 * way, in order of place, its texts in `mem`; warnings alone are no failure.
 *
 * Errors: those of the first finding, as "LINE:COLUMN: message":
 * ERR_INVALID_TASKS, ERR_INVALID_ID, ERR_INVALID_PATH, ERR_INVALID_CHECK,
 * ERR_UNKNOWN_DEPENDENCY, ERR_CYCLE, ERR_LIMIT.
 * Cost: in proportion to the bytes; constant stack.
 */
PAWL_MUST_CHECK enum pawl_rc tasks_parse(struct str text, struct arena *mem,
	struct plan *ret_plan, struct tasks_report *ret_report,
	struct pawl_err *err);

#endif
