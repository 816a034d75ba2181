/*
 * handout: the answer of what hands work on: where its worker is to look, and
 * the environment that it is to have.
 */
#ifndef PAWL_CLI_HANDOUT_H
#define PAWL_CLI_HANDOUT_H

#include "cli/out.h"
#include "engine/host.h"

/* As members of an object that is open; as lines. */
void handout_json(
	struct json_writer *w, const struct run *r, const struct handout *h);
void handout_text(struct out *o, const struct run *r, const struct handout *h);

#endif
