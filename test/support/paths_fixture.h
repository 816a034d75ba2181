/*
 * paths_fixture: the paths of a proposed scope, and the digest that goes with
 * them.
 */
#ifndef PAWL_TEST_PATHS_FIXTURE_H
#define PAWL_TEST_PATHS_FIXTURE_H

#include "run_fixture.h"

/* Words apart by one blank; `e` is a `scope_amended`. */
void paths_fixture(struct run_fixture *f, struct event *e, const char *paths);

#endif
