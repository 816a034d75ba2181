/*
 * invariants_ledger: the export of any state is a ledger without violations
 * (design 3.11, 10), said without the model's own rules.
 */
#ifndef PAWL_TEST_INVARIANTS_LEDGER_H
#define PAWL_TEST_INVARIANTS_LEDGER_H

#include "model/state.h"

/* NULL, or what is wrong with the export, with repairs as nodes or without. */
const char *invariants_ledger(const struct state *s);

#endif
