/*
 * ledger_fact: what is certain of a node, though some of it be broken.
 *
 * A document's fields are facts where they are good.  What is broken may be
 * mended to any good value: a word to any word, a number to any number within
 * its bounds, an item of a list to another one, or to none.  An answer is
 * LEDGER_YES or LEDGER_NO when it is the same whatever is mended; of a node in
 * which nothing is broken it always is.
 *
 * A dependency is broken as well when it names no node, or one of several; and
 * an id is for those who depend on it when it stands twice or breaks its
 * grammar: whom they mean isn't known.  A reference that is blank is none, by
 * the rule about evidence itself, so that is a fact.
 */
#ifndef PAWL_MODEL_LEDGER_FACT_H
#define PAWL_MODEL_LEDGER_FACT_H

#include "model/ledger.h"

enum ledger_answer { LEDGER_NO, LEDGER_MAYBE, LEDGER_YES };

/* Is the one at `index` of what it depends on PASSED or SKIPPED? */
enum ledger_answer ledger_dependency_done(
	const struct ledger *l, const struct ledger_node *n, uint32_t index);

/* Are all of them? */
enum ledger_answer ledger_node_free(
	const struct ledger *l, const struct ledger_node *n);

/* Is its approval wanted by its contract and not given? */
enum ledger_answer ledger_node_open(const struct ledger_node *n);

/* Has it the evidence that it requires? */
enum ledger_answer ledger_node_proven(const struct ledger_node *n);

/* Has it no attempt left? */
enum ledger_answer ledger_node_exhausted(const struct ledger_node *n);

/* How often its history is RUNNING: so often, and perhaps more. */
struct ledger_starts {
	uint32_t least, most;
};

struct ledger_starts ledger_node_starts(const struct ledger_node *n);

#endif
