/*
 * tasks_fill: a task list with what its tasks lack, for its author to complete.
 */
#ifndef PAWL_MODEL_TASKS_FILL_H
#define PAWL_MODEL_TASKS_FILL_H

#include "base/buf.h"
#include "base/str.h"

/*
 * Append the list to `out` with a line for each of the six fields that a task
 * does not have: `Depends: []`, `Mode: write`, and TODO for the others.  They
 * come after the task's last line, indented as its last field is (two columns
 * deeper than the box when there are none), with the line ends of the list; all
 * else stays byte for byte.  Filling twice changes nothing more.
 */
void tasks_fill(struct str text, struct buf *out);

#endif
