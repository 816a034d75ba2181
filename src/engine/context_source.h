/*
 * context_source: the context of an attempt's capsule, with what the
 * repository holds of it.
 *
 * Sources are read from git's objects at the attempt's base commit, never from
 * a folder: so the same attempt gets the same bytes whenever it is asked for,
 * whatever lies in the working tree, and no link is followed.  A link, another
 * repository and a folder are named by their objects and have no excerpt.
 */
#ifndef PAWL_ENGINE_CONTEXT_SOURCE_H
#define PAWL_ENGINE_CONTEXT_SOURCE_H

#include "engine/pilot.h"
#include "model/context.h"

/*
 * Collect and resolve; texts live in the turn's arena, the list is the
 * caller's to release, also after a failure.
 *
 * Errors: ERR_GIT when the base or an object of it can't be read.  Cost: no
 * process of its own; for each source a question a folder on the way, and one
 * for its bytes while there is room.
 */
PAWL_MUST_CHECK enum pawl_rc context_gather(struct pilot *p,
	const struct context_of *of, struct str base,
	struct context *ret_context, struct pawl_err *err);

#endif
