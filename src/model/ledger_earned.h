/*
 * ledger_earned: the run status that a ledger's nodes earn (design 3.4).
 *
 * Of a ledger in which nothing is broken that is one status.  A node of which
 * some fields are broken may weigh differently, by what they would be mended
 * to; then there may be several, and each of them is earned by some mend.  The
 * set is exact, since what is broken in one node is mended independently of
 * the others: a node of no known status may as well be BLOCKED, which lets
 * nobody move and keeps no other status from being earned.
 */
#ifndef PAWL_MODEL_LEDGER_EARNED_H
#define PAWL_MODEL_LEDGER_EARNED_H

#include "model/ledger.h"

/* 1 << enum run_status of each that may be earned; all nodes must be here. */
unsigned ledger_may_earn(const struct ledger *l);

/*
 * The one that is, whatever is claimed, of a ledger in which nothing is broken:
 * RUNNING where something can still move and where no final one holds, PLANNING
 * without nodes.
 */
enum run_status ledger_earned(const struct ledger *l);

/* Whether a node goes on by itself, whatever is mended in it. */
bool can_ledger_node_move(const struct ledger *l, uint32_t node);

/* Whether a node is BLOCKED for certain. */
bool has_ledger_blocked(const struct ledger *l);

/*
 * Whether a node may wait for an approval while another one is BLOCKED, in a
 * ledger that may earn NEEDS_APPROVAL.
 */
bool may_ledger_wait_and_block(const struct ledger *l);

#endif
