#include "invariants_ledger.h"

#include "invariants.h"
#include "model/id.h"
#include "model/ledger_export.h"
#include "model/ledger_read.h"

#define HOLDS(condition, words)       \
	do {                          \
		if (!(condition))     \
			return words; \
	} while (0)

/* Of design 4.1, as far as an export could break it. */
enum {
	HISTORY_MAX = 4096,
	EVIDENCE_MAX = 256,
	EVIDENCE_BYTES = 4096,
	TEXT_BYTES = 16384,
	ATTEMPTS_MAX = 1000,
};

static bool
is_line(struct str s, size_t max)
{
	if (str_trim(s).len == 0 || s.len > max)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if (c < 0x20 || c == 0x7f)
			return false;
	}
	return true;
}

static const char *
history_broken(const struct ledger_node *n)
{
	uint32_t starts = 0;

	HOLDS(n->history_count > 0 && n->history_count <= HISTORY_MAX,
		"10: a history out of bounds");
	HOLDS(n->history[0] == NODE_PENDING, "10: begins not with PENDING");
	HOLDS(n->history[n->history_count - 1] == n->status,
		"10: ends not at the status");
	for (uint32_t i = 0; i < n->history_count; i++) {
		starts += n->history[i] == NODE_RUNNING;
		HOLDS(i == 0 || is_step(n->history[i - 1], n->history[i]),
			"10: not a step");
	}
	HOLDS(starts == n->attempt, "10: attempt isn't the RUNNING entries");
	HOLDS(n->attempt <= n->max_attempts && n->max_attempts >= 1 &&
			n->max_attempts <= ATTEMPTS_MAX,
		"10: attempts out of bounds");
	return NULL;
}

static const char *
gates_broken(const struct ledger *l, const struct ledger_node *n)
{
	bool goes = n->status == NODE_READY || n->status == NODE_RUNNING ||
		n->status == NODE_PASSED;
	bool wants = n->access == ACCESS_EXTERNAL_WRITE ||
		n->access == ACCESS_DESTRUCTIVE ||
		n->approval == LEDGER_REQUIRED || n->approval == LEDGER_DENIED;

	for (uint32_t i = 0; i < n->depends_count; i++) {
		const struct ledger_node *on;

		HOLDS(n->depends[i] < l->count, "10: an unknown dependency");
		on = &l->nodes[n->depends[i]];
		HOLDS(on != n, "10: depends on itself");
		HOLDS(!goes || on->status == NODE_PASSED ||
				on->status == NODE_SKIPPED,
			"10: goes on before a dependency");
		for (uint32_t k = 0; k < i; k++)
			HOLDS(n->depends[k] != n->depends[i],
				"10: depends twice");
	}
	HOLDS(!goes || !wants || n->approval == LEDGER_GRANTED,
		"10: goes on without its approval");
	HOLDS(n->status != NODE_NEEDS_APPROVAL ||
			n->approval == LEDGER_REQUIRED,
		"10: NEEDS_APPROVAL and not required");
	return NULL;
}

static const char *
node_broken(const struct ledger *l, uint32_t number)
{
	const struct ledger_node *n = &l->nodes[number];
	const char *broken;
	uint32_t found;

	HOLDS(id_is_valid(n->id) && ledger_find(l, n->id, &found) &&
			found == number,
		"10: an id that names nothing, or another");
	for (size_t i = 0; i < n->id.len; i++)
		HOLDS(n->id.ptr[i] < 'A' || n->id.ptr[i] > 'Z',
			"10: an id in upper case");
	HOLDS(is_line(n->title, 16384) &&
			is_line(n->expected_output, TEXT_BYTES),
		"10: a text that is no line");
	HOLDS(n->evidence_count <= EVIDENCE_MAX, "10: too much evidence");
	for (uint32_t i = 0; i < n->evidence_count; i++)
		HOLDS(is_line(n->evidence[i], EVIDENCE_BYTES),
			"10: evidence that is no line");
	HOLDS(n->status != NODE_PASSED || n->evidence_count > 0,
		"10: PASSED without evidence");
	broken = history_broken(n);
	return broken ? broken : gates_broken(l, n);
}

/* A ledger can move while a node is under way or may start. */
static bool
can_move(const struct ledger *l, const struct ledger_node *n)
{
	if (n->status == NODE_READY || n->status == NODE_RUNNING)
		return true;
	if (n->status != NODE_PENDING ||
		(n->approval != LEDGER_GRANTED &&
			(n->approval != LEDGER_NOT_REQUIRED ||
				n->access == ACCESS_EXTERNAL_WRITE ||
				n->access == ACCESS_DESTRUCTIVE)))
		return false;
	for (uint32_t i = 0; i < n->depends_count; i++) {
		uint8_t on = l->nodes[n->depends[i]].status;

		if (on != NODE_PASSED && on != NODE_SKIPPED)
			return false;
	}
	return true;
}

static const char *
status_broken(const struct ledger *l, const struct state *s)
{
	uint32_t have[NODE_STATUS_COUNT] = { 0 };
	enum run_status own = state_run_status(s);

	if (l->status == RUN_PLANNING || l->status == RUN_RUNNING)
		return NULL;
	for (uint32_t i = 0; i < l->count; i++) {
		have[l->nodes[i].status]++;
		HOLDS(!can_move(l, &l->nodes[i]),
			"10: final, and something can move");
	}
	HOLDS(l->status != RUN_COMPLETE ||
			(own == RUN_COMPLETE &&
				have[NODE_PASSED] + have[NODE_SKIPPED] ==
					l->count),
		"10: COMPLETE and not all is done");
	HOLDS(l->status != RUN_FAILED || have[NODE_FAILED] > 0,
		"10: FAILED by no node");
	HOLDS(l->status != RUN_BLOCKED || have[NODE_BLOCKED] > 0,
		"10: BLOCKED by no node");
	HOLDS(l->status != RUN_NEEDS_APPROVAL || have[NODE_NEEDS_APPROVAL] > 0,
		"10: NEEDS_APPROVAL of no node");
	return NULL;
}

/* Nodes in an order in which each stands behind what it depends on. */
static const char *
order_broken(const struct ledger *l, struct arena *mem)
{
	bool *done = arena_array(mem, l->count, bool);
	uint32_t left = l->count, before;

	do {
		before = left;
		for (uint32_t i = 0; i < l->count; i++) {
			const struct ledger_node *n = &l->nodes[i];
			bool free = !done[i];

			for (uint32_t k = 0; k < n->depends_count; k++)
				free = free && done[n->depends[k]];
			left -= free;
			done[i] = done[i] || free;
		}
	} while (left < before);
	return left > 0 ? "10: dependencies in a circle" : NULL;
}

/* The program's own gate lets it in, and what was read is what was written. */
static const char *
round_trip_broken(const struct ledger *l, struct arena *mem)
{
	struct buf first = { 0 }, second = { 0 };
	struct json_writer to_first = { .out = &first };
	struct json_writer to_second = { .out = &second };
	struct ledger_findings findings;
	struct pawl_err err = { 0 };
	const char *broken = NULL;
	struct ledger back;

	ledger_write(l, &to_first);
	if (ledger_read(mem, buf_str(&first), true, &back, &findings, &err) !=
		PAWL_OK) {
		buf_release(&first);
		return "10: not JSON";
	}
	ledger_write(&back, &to_second);
	if (findings.violations > 0)
		broken = "10: it is refused";
	else if (!str_eq(buf_str(&first), buf_str(&second)))
		broken = "10: what is read isn't what was written";
	ledger_findings_release(&findings);
	ledger_release(&back);
	buf_release(&first);
	buf_release(&second);
	return broken;
}

static const char *
export_broken(const struct state *s, bool repairs)
{
	const char *broken = NULL;
	struct arena mem = { 0 };
	uint32_t repaired = 0;
	struct ledger l;

	ledger_init(&l);
	ledger_export(s, repairs, &l);
	for (uint32_t i = 0; broken == NULL && i < l.count; i++) {
		repaired += l.nodes[i].kind == LEDGER_REPAIR;
		broken = node_broken(&l, i);
	}
	if (broken == NULL && l.count != s->plan->count + repaired)
		broken = "10: a node that is neither a task nor a repair";
	if (broken == NULL && repaired > 0 && !repairs)
		broken = "10: a repair as a node that nobody asked for";
	if (broken == NULL)
		broken = order_broken(&l, &mem);
	if (broken == NULL)
		broken = status_broken(&l, s);
	if (broken == NULL)
		broken = round_trip_broken(&l, &mem);
	ledger_release(&l);
	arena_reset(&mem);
	return broken;
}

const char *
invariants_ledger(const struct state *s)
{
	const char *broken = export_broken(s, false);

	return broken ? broken : export_broken(s, true);
}
