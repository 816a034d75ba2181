/*
 * handover: what whoever is to coordinate a run is told, and nothing else.
 *
 * The coordinator capsule, one JSON document a generation that begins vacant:
 * `capsules/coordinator-<generation>.json` in the run's folder, whose digest
 * the journal names.  It says which run, which frozen inputs, which generation,
 * how to claim it and what to read.  No transcript and no secret.  The same run
 * at the same place gives the same bytes.
 */
#ifndef PAWL_MODEL_HANDOVER_H
#define PAWL_MODEL_HANDOVER_H

#include "model/state.h"
#include "text/json.h"

struct handover {
	const struct run_facts *run;
	struct str driver;    /* asked for, or selected */
	struct str state_dir; /* absolute */
	struct str only;      /* who alone may claim; empty: anybody */
	uint64_t gen;         /* the one that begins */
	uint32_t tasks;
};

void handover_write(struct json_writer *w, const struct handover *h);

/* Add the words of the command that claims; `ID` where nobody is named. */
void handover_claim(
	const struct handover *h, struct arena *mem, struct strs *ret_argv);

/* Its name in the run's folder, in `mem`. */
struct str handover_path(uint64_t gen, struct arena *mem);

#endif
