#include "model/ledger_fact.h"

#include "base/bounds.h"

enum ledger_answer
ledger_dependency_done(
	const struct ledger *l, const struct ledger_node *n, uint32_t index)
{
	const unsigned needed =
		1u << LEDGER_FIELD_ID | 1u << LEDGER_FIELD_STATUS;
	const struct ledger_node *on;

	if (n->depends[index] == LEDGER_NO_NODE)
		return LEDGER_MAYBE;
	on = &l->nodes[n->depends[index]];
	if (on->broken & needed)
		return LEDGER_MAYBE;
	return on->status == NODE_PASSED || on->status == NODE_SKIPPED
		? LEDGER_YES
		: LEDGER_NO;
}

enum ledger_answer
ledger_node_free(const struct ledger *l, const struct ledger_node *n)
{
	enum ledger_answer all = is_ledger_broken(n, LEDGER_FIELD_DEPENDS)
		? LEDGER_MAYBE
		: LEDGER_YES;

	for (uint32_t i = 0; i < n->depends_count; i++) {
		enum ledger_answer one = ledger_dependency_done(l, n, i);

		if (one < all)
			all = one;
		if (all == LEDGER_NO)
			break;
	}
	return all;
}

enum ledger_answer
ledger_node_open(const struct ledger_node *n)
{
	if (is_ledger_broken(n, LEDGER_FIELD_APPROVAL))
		return LEDGER_MAYBE;
	if (n->approval == LEDGER_NOT_REQUIRED &&
		is_ledger_broken(n, LEDGER_FIELD_ACCESS))
		return LEDGER_MAYBE;
	return is_ledger_approval_open(n) ? LEDGER_YES : LEDGER_NO;
}

enum ledger_answer
ledger_node_proven(const struct ledger_node *n)
{
	if (n->evidence_count > 0)
		return LEDGER_YES;
	if (is_ledger_broken(n, LEDGER_FIELD_EVIDENCE_REQUIRED))
		return LEDGER_MAYBE;
	if (!n->evidence_required)
		return LEDGER_YES;
	return is_ledger_broken(n, LEDGER_FIELD_EVIDENCE) ? LEDGER_MAYBE
							  : LEDGER_NO;
}

/* A bound that isn't known is at least 1, and not over its own. */
enum ledger_answer
ledger_node_exhausted(const struct ledger_node *n)
{
	if (is_ledger_broken(n, LEDGER_FIELD_ATTEMPT))
		return LEDGER_MAYBE;
	if (!is_ledger_broken(n, LEDGER_FIELD_MAX_ATTEMPTS))
		return n->attempt < n->max_attempts ? LEDGER_NO : LEDGER_YES;
	if (n->attempt == 0)
		return LEDGER_NO;
	return n->attempt < BOUND_LEDGER_ATTEMPTS ? LEDGER_MAYBE : LEDGER_YES;
}

struct ledger_starts
ledger_node_starts(const struct ledger_node *n)
{
	struct ledger_starts s = { 0, 0 };
	uint32_t unknown = 0;

	for (uint32_t i = 0; i < n->history_count; i++) {
		s.least += n->history[i] == NODE_RUNNING;
	}
	if (is_ledger_broken(n, LEDGER_FIELD_HISTORY)) {
		for (uint32_t i = 0; i < n->history_count; i++)
			unknown += n->history[i] == LEDGER_NO_STATUS;
		if (n->history_count == 0)
			unknown = BOUND_LEDGER_HISTORY;
	}
	s.most = s.least + unknown;
	return s;
}
