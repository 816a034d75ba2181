/*
 * ledger_rules: what must hold among the fields of a ledger.
 *
 * Whoever has a ledger in hand asks here whether it is consistent: the reader
 * of a checkpoint (model/ledger_read.h, which also finds what is wrong with its
 * shape) and whoever has changed one.  Gates look at present values, not at
 * history.  The rules are the rows of LEDGER_RULE_MAP from LEDGER_CYCLE on;
 * before that, a struct can't break them.
 */
#ifndef PAWL_MODEL_LEDGER_RULES_H
#define PAWL_MODEL_LEDGER_RULES_H

#include "model/ledger.h"
#include "model/ledger_finding.h"

/*
 * Add what is wrong to `f`, which was made for the text that `l` was read from,
 * or for none, and sort it.  Nodes that are unsound are passed over.
 */
void ledger_judge(const struct ledger *l, struct ledger_findings *f);

#endif
