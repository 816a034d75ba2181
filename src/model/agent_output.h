/*
 * agent_output: what the program of an agent says about how it ended.
 *
 * An exit status of 0 is no success: these programs end with it when they were
 * interrupted, were not allowed to do what they wanted, or had nobody to ask.
 * Each says in one of its last lines whether it came to its end; what it used
 * stands there, too.  The lines are JSON objects, read as they are in a
 * worker's log: cut in the middle when it was long, among other lines, with
 * keys in any order and of kinds that nobody knows yet.
 *
 * What is said decides only against the worker: its work is proven by pawl.
 */
#ifndef PAWL_MODEL_AGENT_OUTPUT_H
#define PAWL_MODEL_AGENT_OUTPUT_H

#include "model/agent_profile.h"
#include "model/event.h"

struct agent_outcome {
	bool finished;   /* it says that it came to its end, without an error */
	bool logged_out; /* the error is that nobody is logged in */
	struct str message; /* of the error; or empty */
	struct str session; /* with which it could be resumed; or empty */
	struct strs usage;  /* `input 1200`, `cost_usd 0.01`: what it says */
};

/*
 * `log` is what it printed, `code` its exit status; texts are in `mem`.  With
 * AGENT_FORMAT_NONE, status 0 is its end.
 */
void agent_output_read(enum agent_format format, struct str log, uint64_t code,
	struct arena *mem, struct agent_outcome *ret_outcome);

#endif
