/*
 * signal: what the choice of a mode is made from.
 *
 * A signal has a name and one of a few values; the first is the one that asks
 * for nothing.  What is *measured* stands before what is *reported*.  Who works
 * (provider, model, number of workers) and what draws it are no signals: the
 * mode follows from the work.
 */
#ifndef PAWL_MODEL_SIGNAL_H
#define PAWL_MODEL_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* clang-format off */
#define SIGNAL_MAP(X) \
	X(SIGNAL_KNOWN_SCOPE, "known_scope", signal_flag_words) \
	X(SIGNAL_SMALL_CHANGE, "small_change", signal_flag_words) \
	X(SIGNAL_NEEDS_ITERATION, "needs_iteration", signal_flag_words) \
	X(SIGNAL_COHESION, "cohesion", signal_cohesion_words) \
	X(SIGNAL_UNCERTAINTY, "architecture_uncertainty", signal_uncertainty_words) \
	X(SIGNAL_REVERSIBILITY, "reversibility", signal_reversibility_words) \
	X(SIGNAL_BLAST_RADIUS, "blast_radius", signal_radius_words) \
	X(SIGNAL_ORACLE, "oracle_strength", signal_oracle_words) \
	X(SIGNAL_CONTEXT, "context_pressure", signal_pressure_words) \
	X(SIGNAL_EXTERNAL, "external_effects", signal_effect_words) \
	X(SIGNAL_UNATTENDED, "unattended_execution", signal_flag_words) \
	X(SIGNAL_COUPLING, "shared_write_coupling", signal_flag_words) \
	X(SIGNAL_GRAPH, "graph_requested", signal_flag_words)
/* clang-format on */

/* The values, in order; each list ends with NULL. */
extern const char *const signal_flag_words[],
	*const signal_cohesion_words[],
		*const signal_uncertainty_words[],
			*const signal_reversibility_words[],
				*const signal_radius_words[],
					*const signal_oracle_words[],
						*const signal_pressure_words[],
							*const signal_effect_words
								[];

#define SIGNAL_ENUM(name, word, values) name,
enum signal { SIGNAL_MAP(SIGNAL_ENUM) SIGNAL_COUNT };

/* Values by their place; those of oracle_strength are enum decision_oracle. */
enum { SIGNAL_NO, SIGNAL_YES };
enum { COHESION_COHESIVE, COHESION_MIXED, COHESION_INDEPENDENT };
enum { UNCERTAINTY_KNOWN, UNCERTAINTY_MATERIAL };
enum { REVERSIBLE, REVERSIBLE_COSTLY, IRREVERSIBLE };
enum { RADIUS_LOCAL, RADIUS_MULTI_SURFACE, RADIUS_EXTERNAL };
enum { PRESSURE_LOW, PRESSURE_MEDIUM, PRESSURE_HIGH };
enum { EFFECTS_NONE, EFFECTS_REVERSIBLE, EFFECTS_IRREVERSIBLE };

struct str signal_word(enum signal signal);

/* Its values in order; ends with NULL. */
const char *const *signal_values(enum signal signal);

bool signal_find(struct str name, enum signal *ret_signal);
bool signal_value_find(
	enum signal signal, struct str word, uint32_t *ret_value);

/* Is it a name that is no signal, on purpose? */
bool is_signal_refused(struct str name);

#endif
