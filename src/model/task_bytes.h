/*
 * task_bytes: whether the bytes of a task list are text at all.
 */
#ifndef PAWL_MODEL_TASK_BYTES_H
#define PAWL_MODEL_TASK_BYTES_H

#include <stdbool.h>

#include "model/finding.h"

/*
 * Check for UTF-8 without NUL, and for the bound on a list's size.  The first
 * fault becomes a finding and false is returned.  `*ret_lone_cr` is whether a
 * CR stands anywhere without an LF behind it.
 */
bool task_bytes_check(
	struct str text, struct findings *errors, bool *ret_lone_cr);

#endif
