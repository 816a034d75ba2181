#include "model/ledger_earned.h"

#include "base/die.h"
#include "model/ledger_fact.h"

/* What a node does to its run's status. */
enum weight {
	WEIGHT_NONE = 1, /* waits for others, or may be decided upon */
	WEIGHT_MOVES = 2,
	WEIGHT_PASSED = 4,
	WEIGHT_SKIPPED = 8,
	WEIGHT_WAITS = 16, /* for an approval */
	WEIGHT_FAILED = 32,
	WEIGHT_BLOCKED = 64,
	WEIGHT_SETS = 128,
	WEIGHT_DONE = WEIGHT_PASSED | WEIGHT_SKIPPED,
	WEIGHT_ALL = WEIGHT_SETS - 1,
};

static unsigned
either(enum ledger_answer answer, unsigned yes, unsigned no)
{
	return (answer != LEDGER_NO ? yes : 0) |
		(answer != LEDGER_YES ? no : 0);
}

static unsigned
weigh_pending(const struct ledger *l, const struct ledger_node *n)
{
	return either(ledger_node_free(l, n),
		either(ledger_node_open(n), WEIGHT_WAITS, WEIGHT_MOVES),
		WEIGHT_NONE);
}

/* What it may weigh, by what is broken in it. */
static unsigned
weigh(const struct ledger *l, const struct ledger_node *n)
{
	if (is_ledger_broken(n, LEDGER_FIELD_STATUS)) {
		return WEIGHT_ALL &
			~(ledger_node_proven(n) == LEDGER_NO ? WEIGHT_PASSED
							     : 0u) &
			~(ledger_node_exhausted(n) == LEDGER_NO ? WEIGHT_FAILED
								: 0u);
	}
	switch ((enum node_status)n->status) {
	case NODE_PASSED:
		return either(
			ledger_node_proven(n), WEIGHT_PASSED, WEIGHT_NONE);
	case NODE_SKIPPED:
		return WEIGHT_SKIPPED;
	case NODE_READY:
	case NODE_RUNNING:
		return WEIGHT_MOVES;
	case NODE_PENDING:
		return weigh_pending(l, n);
	case NODE_NEEDS_APPROVAL:
		return WEIGHT_WAITS;
	case NODE_FAILED:
		return either(
			ledger_node_exhausted(n), WEIGHT_FAILED, WEIGHT_NONE);
	case NODE_BLOCKED:
		return WEIGHT_BLOCKED;
	case NODE_STATUS_COUNT:
		break;
	}
	return WEIGHT_NONE;
}

bool
can_ledger_node_move(const struct ledger *l, uint32_t node)
{
	return weigh(l, &l->nodes[node]) == WEIGHT_MOVES;
}

bool
has_ledger_blocked(const struct ledger *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (weigh(l, &l->nodes[i]) == WEIGHT_BLOCKED)
			return true;
	}
	return false;
}

/* Does a node certainly depend on another one, and not only by its name? */
static bool
is_held_by(const struct ledger *l, const struct ledger_node *n, uint32_t on)
{
	if (n->status != NODE_PENDING ||
		is_ledger_broken(&l->nodes[on], LEDGER_FIELD_ID))
		return false;
	for (uint32_t i = 0; i < n->depends_count; i++) {
		if (n->depends[i] == on)
			return true;
	}
	return false;
}

bool
may_ledger_wait_and_block(const struct ledger *l)
{
	bool blocked = has_ledger_blocked(l);
	uint32_t unknown = 0, unknowns = 0;

	for (uint32_t i = 0; i < l->count; i++) {
		if (is_ledger_broken(&l->nodes[i], LEDGER_FIELD_STATUS)) {
			unknown = i;
			unknowns++;
		}
	}
	if (unknowns > 1) /* one of them waits, one is BLOCKED */
		return true;
	if (unknowns == 0 && !blocked)
		return false;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		if ((weigh(l, n) & WEIGHT_WAITS) == 0)
			continue;
		if (blocked || (i != unknown && !is_held_by(l, n, unknown)))
			return true;
	}
	return false;
}

/* The sets of weights that nodes have, each once: nothing else counts. */
struct scale {
	uint8_t sets[WEIGHT_SETS];
	unsigned count;
	bool seen[WEIGHT_SETS];
};

static void
scale_put(struct scale *s, unsigned weights)
{
	if (s->seen[weights])
		return;
	s->seen[weights] = true;
	s->sets[s->count++] = (uint8_t)weights;
}

static bool
every(const struct scale *s, unsigned weights)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (!(s->sets[i] & weights))
			return false;
	}
	return true;
}

static bool
any(const struct scale *s, unsigned weights)
{
	for (unsigned i = 0; i < s->count; i++) {
		if (s->sets[i] & weights)
			return true;
	}
	return false;
}

/* May it be that nothing moves and no final status holds? */
static bool
may_idle(const struct scale *s)
{
	return every(s, WEIGHT_NONE | WEIGHT_DONE) &&
		(any(s, WEIGHT_NONE) || every(s, WEIGHT_SKIPPED));
}

#define EARNED(status) (1u << RUN_##status)

unsigned
ledger_may_earn(const struct ledger *l)
{
	const unsigned stands = WEIGHT_ALL & ~(unsigned)WEIGHT_MOVES;
	const unsigned given = stands & ~(unsigned)WEIGHT_WAITS;
	const unsigned left = given & ~(unsigned)WEIGHT_FAILED;
	struct scale s = { { 0 }, 0, { false } };
	unsigned may = 0;

	if (l->count == 0)
		return EARNED(PLANNING);
	for (uint32_t i = 0; i < l->count; i++)
		scale_put(&s, weigh(l, &l->nodes[i]));
	if (any(&s, WEIGHT_MOVES) || may_idle(&s))
		may |= EARNED(RUNNING);
	if (any(&s, WEIGHT_PASSED) && every(&s, WEIGHT_DONE))
		may |= EARNED(COMPLETE);
	if (any(&s, WEIGHT_WAITS) && every(&s, stands))
		may |= EARNED(NEEDS_APPROVAL);
	if (any(&s, WEIGHT_FAILED) && every(&s, given))
		may |= EARNED(FAILED);
	if (any(&s, WEIGHT_BLOCKED) && every(&s, left))
		may |= EARNED(BLOCKED);
	return may;
}

enum run_status
ledger_earned(const struct ledger *l)
{
	unsigned may = ledger_may_earn(l);
	enum run_status status = RUN_PLANNING;

	assert(may != 0 && (may & (may - 1)) == 0);
	while (may >> status != 1)
		status++;
	return status;
}
