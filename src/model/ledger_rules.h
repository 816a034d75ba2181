/*
 * ledger_rules: what must hold among the fields of a ledger.
 *
 * Whoever has a ledger in hand asks here whether it is consistent: the reader
 * of a checkpoint (model/ledger_read.h, which also finds what is wrong with its
 * shape) and whoever has changed one.  Gates look at present values, not at
 * history.  The rules are the rows of LEDGER_RULE_MAP from LEDGER_CYCLE on;
 * before that, a struct can't break them.
 *
 * A document with broken fields is judged by its good ones: a rule is told when
 * it stays broken whatever the others are mended to (model/ledger_fact.h,
 * docs/decisions/015).  So the repair of one field may bring new findings, and
 * never proves that one was wrong.
 */
#ifndef PAWL_MODEL_LEDGER_RULES_H
#define PAWL_MODEL_LEDGER_RULES_H

#include "model/ledger.h"
#include "model/ledger_finding.h"

/*
 * Add what is wrong to `f`, which was made for the text that `l` was read from,
 * or for none, and sort it.
 */
void ledger_judge(const struct ledger *l, struct ledger_findings *f);

#endif
