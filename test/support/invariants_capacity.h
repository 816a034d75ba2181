/*
 * invariants_capacity: no class that tasks need is handed out twice.
 */
#ifndef PAWL_TEST_INVARIANTS_CAPACITY_H
#define PAWL_TEST_INVARIANTS_CAPACITY_H

#include "model/state.h"

/* What is broken, in words; NULL when nothing is.  `mem` is scratch. */
const char *invariants_capacity(const struct state *s, struct arena *mem);

#endif
