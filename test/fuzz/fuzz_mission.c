/*
 * Property: what is refused has a message.  What is taken is a sound ledger:
 * acyclic, each history from PENDING to the node's status, as many attempts as
 * it ran, within their bound; nobody is READY, RUNNING or PASSED before what it
 * depends on or without a required approval, and nobody PASSED without
 * evidence.  Each loss has a pointer and a message.
 */
#include "fuzz.h"

#include "model/id.h"
#include "model/ledger_earned.h"
#include "model/mission.h"

static void
check_node(const struct ledger *l, uint32_t node)
{
	const struct ledger_node *n = &l->nodes[node];
	uint32_t runs = 0, found;

	FUZZ_CHECK(id_is_valid(n->id) && n->title.len > 0 &&
		n->expected_output.len > 0);
	FUZZ_CHECK(ledger_find(l, n->id, &found) && found == node);
	FUZZ_CHECK(n->history_count > 0 && n->history[0] == NODE_PENDING);
	FUZZ_CHECK(n->history[n->history_count - 1] == n->status);
	for (uint32_t i = 0; i < n->history_count; i++)
		runs += n->history[i] == NODE_RUNNING;
	FUZZ_CHECK(runs == n->attempt && n->attempt <= n->max_attempts);
	if (n->status == NODE_READY || n->status == NODE_RUNNING ||
		n->status == NODE_PASSED) {
		FUZZ_CHECK(is_ledger_node_free(l, node));
		FUZZ_CHECK(!is_ledger_approval_open(n));
	}
	if (n->status == NODE_PASSED)
		FUZZ_CHECK(n->evidence_count > 0);
	for (uint32_t i = 0; i < n->depends_count; i++)
		FUZZ_CHECK(n->depends[i] < l->count && n->depends[i] != node);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct mission_word words[] = { { { "done", 4 },
		{ "verified", 8 } } };
	const struct mission_options options = {
		.run_id = STR("r"), .words = words, .word_count = 1
	};
	struct mission_losses losses = { 0 };
	struct pawl_err err = { 0 };
	struct arena mem = ARENA_INIT;
	struct ledger l;

	ledger_init(&l);
	(void)mission_form_of(fuzz_str(data, size));
	if (mission_read(&mem, fuzz_str(data, size), &options, &l, &losses,
		    &err) == PAWL_OK) {
		for (uint32_t i = 0; i < l.count; i++)
			check_node(&l, i);
		FUZZ_CHECK(l.status == ledger_earned(&l));
		FUZZ_CHECK(id_is_valid(l.run_id) && l.task.len > 0);
	} else {
		FUZZ_CHECK(err.msg[0] != '\0');
	}
	for (size_t i = 0; i < losses.count; i++)
		FUZZ_CHECK(losses.items[i].message.len > 0 &&
			losses.items[i].pointer.len > 0);
	mission_losses_release(&losses);
	ledger_release(&l);
	arena_reset(&mem);
	return 0;
}
