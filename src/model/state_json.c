#include "model/state_json.h"

#include <string.h>

#include "model/column.h"
#include "model/contract.h"
#include "model/state_sound.h"

static const struct column run_columns[] = {
	COL(STR, state, run.run),
	COL(STR, state, run.list),
	COL(STR, state, run.list_sha256),
	COL(STR, state, run.decision_sha256),
	COL(STR, state, run.repo),
	COL(STR, state, run.base),
	COL(STR, state, run.branch),
	COL(STR, state, run.profile),
	COL(STR, state, run.filesystem),
	COL(STR, state, run.version),
	COL(STR, state, run.binary),
	COL(STR, state, run.author),
	COL(LIST, state, run.argv),
	COL(LIST, state, run.secrets),
	COL(LIST, state, run.dirty),
	COL(STR, state, run.sandbox),
	COL(LIST, state, run.reads),
	COL(LIST, state, run.writes),
	COL(BOOL, state, run.check_net),
	COL(STR, state, run.agents_sha256),
	COL(U64, state, run.slots),
	COL(LIST, state, run.capacity),
	COL(U64, state, run.device),
	COL(U64, state, run.list_bytes),
	COL(BOOL, state, run.allow_dirty),
	COL(BOOL, state, run.strict),
	COL(U8, state, run.placement),
	COL_OWNER(state, coordinator),
	COL(STR, state, coordinator_name),
	COL(STR, state, coordinator_for),
	COL(STR, state, coordinator_capsule),
	COL(U64, state, capsule_gen),
	COL(STR, state, token_sha256),
	COL(STR, state, driver),
	COL(STR, state, driver_asked),
	COL(STR, state, driver_receipt),
	COL(STR, state, selection),
	COL(BOOL, state, vacant),
	COL(STR, state, decision_sha256),
	COL(STR, state, decision_mode),
	COL(U64, state, decision_revision),
	COL(LIST, state, budget_lines),
	COL(U64, state, wall_ms),
	COL(BOOL, state, single_writer),
	COL(BOOL, state, reduced),
	COL(STR, state, breaker.cause),
	COL(U32, state, breaker.count),
	COL(U32, state, breaker.last_node),
	COL(BOOL, state, breaker.several),
	COL(U32, state, breaker.probes),
	COL(U32, state, breaker.row),
	COL(U64, state, seq),
	COL(U64, state, gen),
	COL(U64, state, lines_started),
	COL(STR, state, tip),
	COL(STR, state, outcome),
	COL(STR, state, at),
	COL(U32, state, unobserved),
	COL(U32, state, findings_carried),
	COL(U8, state, last_type),
};

static const struct column node_columns[] = {
	COL(U32, node_state, waiting),
	COL(U32, node_state, attempt_1),
	COL(U32, node_state, gate_1),
	COL(U32, node_state, block_1),
	COL(U32, node_state, amendment_1),
	COL(U64, node_state, seq),
	COL(U16, node_state, attempts),
	COL(U16, node_state, runs),
	COL(U8, node_state, status),
	COL(U8, node_state, block),
	COL(U8, node_state, grade),
	COL(U8, node_state, rejects),
	COL(U8, node_state, start_failures),
	COL(U8, node_state, ends),
	COL(U8, node_state, gates),
	COL(U8, node_state, cleanups),
	COL(U8, node_state, red),
	COL(U8, node_state, grants),
};

static const struct column attempt_columns[] = {
	COL(U32, attempt, node),
	COL(U32, attempt, number),
	COL(U8, attempt, status),
	COL(U8, attempt, placement),
	COL(U8, attempt, verdict),
	COL(BOOL, attempt, unreconciled),
	COL(BOOL, attempt, fresh),
	COL(U32, attempt, blocking),
	COL(U32, attempt, checks),
	COL(U32, attempt, voids),
	COL(U32, attempt, check_1),
	COL(STR, attempt, base),
	COL(STR, attempt, worktree),
	COL(U64, attempt, dev),
	COL(U64, attempt, ino),
	COL(STR, attempt, branch),
	COL(STR, attempt, before),
	COL(STR, attempt, after),
	COL(STR, attempt, hypothesis),
	COL(STR, attempt, cause),
	COL(STR, attempt, message),
	COL(STR, attempt, capsule_sha256),
	COL(STR, attempt, report_sha256),
	COL(STR, attempt, summary),
	COL(STR, attempt, commit),
	COL(U32, attempt, red_1),
	COL(STR, attempt, imported),
	COL(STR, attempt, artifact),
	COL_OWNER(attempt, monitor),
	COL(U64, attempt, deadline_ms),
	COL(U64, attempt, seq_reserved),
	COL(U64, attempt, seq_ended),
	COL(STR, attempt, at_started),
	COL(STR, attempt, at_ended),
	COL(STR, attempt, driver),
	COL(STR, attempt, refs),
	COL(BOOL, attempt, handed_in),
	COL(STR, attempt, worker),
	COL(STR, attempt, quarantined_sha256),
	COL(STR, attempt, quarantine_key),
	COL(STR, attempt, kept_sha256),
	COL(STR, attempt, at_reported),
	COL(STR, attempt, at_checked),
	COL(U32, attempt, revision),
	COL(LIST, attempt, scope),
	COL(STR, attempt, sandbox),
	COL(LIST, attempt, lacks),
	COL(LIST, attempt, widened),
	COL(STR, attempt, profile),
	COL(STR, attempt, session),
	COL(LIST, attempt, usage),
};

static const struct column check_columns[] = {
	COL(U32, check, attempt),
	COL(U32, check, number),
	COL(U8, check, verdict),
	COL(BOOL, check, red),
	COL(U64, check, seq),
	COL_OWNER(check, monitor),
	COL(STR, check, tree),
	COL(STR, check, tail),
	COL(STR, check, ended),
	COL(U64, check, duration_ms),
	COL(LIST, check, flagged),
	COL(STR, check, sandbox),
	COL(LIST, check, lacks),
};

static const struct column gate_columns[] = {
	COL(U32, gate, node),
	COL(U32, gate, number),
	COL(U8, gate, status),
	COL(STR, gate, reason),
	COL(STR, gate, contract_sha256),
	COL(STR, gate, scope_sha256),
	COL(STR, gate, by),
	COL(STR, gate, at),
	COL(STR, gate, assurance),
	COL(STR, gate, policy),
	COL(STR, gate, why),
};

static const struct column ask_columns[] = {
	COL(U32, ask, node),
	COL(U32, ask, attempt_1),
	COL(U32, ask, number),
	COL(U8, ask, status),
	COL(U8, ask, kind),
	COL(STR, ask, prompt),
	COL(STR, ask, by),
	COL(STR, ask, opened),
	COL(STR, ask, answer),
	COL(STR, ask, answered_by),
	COL(STR, ask, assurance),
	COL(STR, ask, at),
	COL(U64, ask, seq_answered),
};

static const struct column delegation_columns[] = {
	COL(U32, delegation, attempt),
	COL(U32, delegation, number),
	COL(U8, delegation, status),
	COL(STR, delegation, purpose),
	COL(STR, delegation, role),
	COL(STR, delegation, check),
	COL(STR, delegation, by),
	COL(STR, delegation, intent_sha256),
	COL(LIST, delegation, paths),
	COL(LIST, delegation, context_refs),
	COL(LIST, delegation, capabilities),
	COL(STR, delegation, worker),
	COL(STR, delegation, cleanup),
	COL(STR, delegation, capsule_sha256),
	COL(STR, delegation, report_sha256),
	COL(STR, delegation, summary),
	COL(U64, delegation, files),
	COL(STR, delegation, settled),
	COL(STR, delegation, reason),
	COL(STR, delegation, settled_by),
};

static const struct column cleanup_columns[] = {
	COL(STR, cleanup, id),
	COL(STR, cleanup, kind),
	COL(STR, cleanup, target),
	COL(STR, cleanup, reason),
	COL(U32, cleanup, attempt),
	COL(U8, cleanup, status),
	COL(U64, cleanup, dev),
	COL(U64, cleanup, ino),
	COL(STR, cleanup, by),
	COL(STR, cleanup, settled_by),
	COL(STR, cleanup, receipt),
	COL_OWNER(cleanup, owner),
};

static const struct column block_columns[] = {
	COL(U32, block, node),
	COL(STR, block, message),
};

static const struct column finding_columns[] = {
	COL(U32, rework_finding, attempt),
	COL(U8, rework_finding, class),
	COL(BOOL, rework_finding, overruled),
	COL(STR, rework_finding, id),
	COL(STR, rework_finding, sha256),
	COL(STR, rework_finding, summary),
};

static const struct column decision_columns[] = {
	COL(U32, rework_decision, node),
	COL(U32, rework_decision, attempt_1),
	COL(U8, rework_decision, action),
	COL(U32, rework_decision, ask_1),
	COL(STR, rework_decision, id),
	COL(STR, rework_decision, note),
};

static const struct column amendment_columns[] = {
	COL(U32, amendment, node),
	COL(U32, amendment, revision),
	COL(LIST, amendment, paths),
	COL(STR, amendment, acceptance),
	COL(STR, amendment, check),
	COL(STR, amendment, reason),
};

static const struct column command_columns[] = {
	COL(U32, attempt_command, attempt),
	COL(LIST, attempt_command, argv),
};

static const struct column coordinator_columns[] = {
	COL(STR, coordinator, name),
};

static const struct column history_columns[] = {
	COL(U32, history_entry, node),
	COL(U8, history_entry, status),
};

static void
retained_write(struct json_writer *w, const struct state *s)
{
	json_key(w, STR("retained"));
	json_open(w, '[');
	for (size_t i = 0; i < s->retained.count; i++)
		json_put_u64(w, s->retained.items[i]);
	json_close(w, ']');
}

#define TABLE_WRITE(w, name, vec, cols)                               \
	do {                                                          \
		json_key((w), STR(name));                             \
		json_open((w), '[');                                  \
		for (size_t row = 0; row < (vec)->count; row++)       \
			record_write((w), (cols), COLUMN_COUNT(cols), \
				&(vec)->items[row]);                  \
		json_close((w), ']');                                 \
	} while (0)

static void
nodes_write(struct json_writer *w, const struct state *s)
{
	json_key(w, STR("nodes"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct node_state *n = &s->nodes[i];
		char history[HISTORY_INLINE];

		for (uint8_t k = 0; k < n->history_count; k++)
			history[k] = (char)('0' + n->history[k]);
		json_open(w, '[');
		columns_write(w, node_columns, COLUMN_COUNT(node_columns), n);
		json_put_str(w, (struct str){ history, n->history_count });
		json_close(w, ']');
	}
	json_close(w, ']');
}

void
state_json_write(struct json_writer *w, const struct state *s)
{
	json_open(w, '{');
	json_key(w, STR("run"));
	record_write(w, run_columns, COLUMN_COUNT(run_columns), s);
	nodes_write(w, s);
	TABLE_WRITE(w, "attempts", &s->attempts, attempt_columns);
	TABLE_WRITE(w, "checks", &s->checks, check_columns);
	TABLE_WRITE(w, "gates", &s->gates, gate_columns);
	TABLE_WRITE(w, "asks", &s->asks, ask_columns);
	TABLE_WRITE(w, "delegations", &s->delegations, delegation_columns);
	TABLE_WRITE(w, "cleanups", &s->cleanups, cleanup_columns);
	TABLE_WRITE(w, "blocks", &s->blocks, block_columns);
	TABLE_WRITE(w, "findings", &s->findings, finding_columns);
	TABLE_WRITE(w, "decisions", &s->decisions, decision_columns);
	TABLE_WRITE(w, "amendments", &s->amendments, amendment_columns);
	TABLE_WRITE(w, "commands", &s->commands, command_columns);
	TABLE_WRITE(w, "history", &s->history, history_columns);
	TABLE_WRITE(w, "coordinators", &s->coordinators, coordinator_columns);
	retained_write(w, s);
	json_close(w, '}');
}

/* Defines the reader of the table under `field`, a vec of its own type. */
#define TABLE_READER(field, vec, record, cols)                               \
	static bool field##_read(struct state *s, const struct json *v)      \
	{                                                                    \
		const struct json *table = json_get(v, STR(#field));         \
		const struct json *row, *rest;                               \
                                                                             \
		if (table == NULL || table->kind != JSON_ARRAY)              \
			return false;                                        \
		row = table + 1;                                             \
		for (uint32_t i = 0; i < table->count; i++) {                \
			struct record r = { 0 };                             \
                                                                             \
			if (!columns_read(&s->mem, cols, COLUMN_COUNT(cols), \
				    row, &r, &rest) ||                       \
				row->count != COLUMN_COUNT(cols))            \
				return false;                                \
			vec##_push(&s->field, r);                            \
			row += row->span;                                    \
		}                                                            \
		return true;                                                 \
	}

TABLE_READER(attempts, attempts, attempt, attempt_columns)
TABLE_READER(checks, checks, check, check_columns)
TABLE_READER(gates, gates, gate, gate_columns)
TABLE_READER(asks, asks, ask, ask_columns)
TABLE_READER(delegations, delegations, delegation, delegation_columns)
TABLE_READER(cleanups, cleanups, cleanup, cleanup_columns)
TABLE_READER(blocks, blocks, block, block_columns)
TABLE_READER(findings, rework_findings, rework_finding, finding_columns)
TABLE_READER(decisions, rework_decisions, rework_decision, decision_columns)
TABLE_READER(amendments, amendments, amendment, amendment_columns)
TABLE_READER(commands, attempt_commands, attempt_command, command_columns)
TABLE_READER(history, history_entries, history_entry, history_columns)
TABLE_READER(coordinators, coordinators, coordinator, coordinator_columns)

/* Numbers of nodes, each higher than the one before; and the budget's lines. */
static bool
decision_read(struct state *s, const struct json *v)
{
	const struct json *item;

	if (v == NULL || v->kind != JSON_ARRAY ||
		!budget_limits_read(s->budget_lines.items,
			s->budget_lines.count, &s->budget))
		return false;
	item = v + 1;
	for (uint32_t i = 0; i < v->count; i++, item += item->span) {
		uint64_t n;

		if (!event_number(item, &n) || n >= s->plan->count ||
			(i > 0 && n <= s->retained.items[i - 1]))
			return false;
		node_numbers_push(&s->retained, (uint32_t)n);
	}
	return s->reduced == (v->count > 0);
}

static bool
node_read(struct state *s, const struct json *v, struct node_state *n)
{
	const struct json *rest;

	if (!columns_read(&s->mem, node_columns, COLUMN_COUNT(node_columns), v,
		    n, &rest) ||
		v->count != COLUMN_COUNT(node_columns) + 1 ||
		rest->kind != JSON_STRING || rest->text.len == 0 ||
		rest->text.len > HISTORY_INLINE)
		return false;
	if (n->status >= NODE_STATUS_COUNT || n->block >= BLOCK_REASON_COUNT ||
		n->grade > GRADE_BLOCKED || n->red > VERDICT_VOID)
		return false;
	n->history_count = (uint8_t)rest->text.len;
	for (size_t i = 0; i < rest->text.len; i++) {
		uint8_t status = (uint8_t)(rest->text.ptr[i] - '0');

		if (status >= NODE_STATUS_COUNT)
			return false;
		n->history[i] = status;
	}
	return true;
}

static bool
nodes_read(struct state *s, const struct json *v)
{
	const struct json *row;

	if (v == NULL || v->kind != JSON_ARRAY || v->count != s->plan->count)
		return false;
	row = v + 1;
	memset(s->by_status, 0, sizeof(s->by_status));
	for (uint32_t i = 0; i < v->count; i++) {
		if (!node_read(s, row, &s->nodes[i]))
			return false;
		s->by_status[s->nodes[i].status]++;
		row += row->span;
	}
	return true;
}

static void
counters_derive(struct state *s)
{
	const struct cleanup *k;
	const struct gate *g;
	struct contract_view v;
	const struct ask *q;

	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];
		const struct contract *c = &s->plan->nodes[a->node];

		s->unreconciled += a->unreconciled;
		if (a->scope.count > 0)
			s->nodes[a->node].rescoped = true;
		if (is_attempt_live(a) || a->status == ATTEMPT_SETTLED)
			s->findings_blocking += a->blocking;
		if (!is_attempt_live(a))
			continue;
		s->live_attempts++;
		s->live_writers += c->mode == MODE_WRITE;
		s->live_in_place += a->placement == PLACEMENT_IN_PLACE;
		v = contract_of_attempt(s, i);
		for (uint32_t k2 = 0; k2 < contract_scopes(&v); k2++)
			scope_trie_add(&s->active, contract_scope(&v, k2),
				c->mode == MODE_WRITE, i);
	}
	VEC_EACH (k, &s->cleanups) {
		s->cleanups_open += !is_cleanup_settled(k);
	}
	VEC_EACH (g, &s->gates) {
		s->gates_open += g->status == GATE_OPEN;
	}
	VEC_EACH (q, &s->asks) {
		if (q->status != ASK_OPEN)
			continue;
		s->asks_open++;
		s->nodes[q->node].questions++;
	}
	delegations_count(s);
	for (uint32_t i = 0; i < s->plan->count; i++) {
		if (s->nodes[i].status == NODE_READY &&
			state_live(s, i) == NULL)
			rankset_add(&s->ready, s->rank_of[i]);
	}
}

enum pawl_rc
state_json_read(struct state *s, const struct json *v, struct pawl_err *err)
{
	const struct json *rest;

	if (!columns_read(&s->mem, run_columns, COLUMN_COUNT(run_columns),
		    json_get(v, STR("run")), s, &rest) ||
		!nodes_read(s, json_get(v, STR("nodes"))) ||
		!decision_read(s, json_get(v, STR("retained"))) ||
		!attempts_read(s, v) || !checks_read(s, v) ||
		!gates_read(s, v) || !asks_read(s, v) ||
		!delegations_read(s, v) || !cleanups_read(s, v) ||
		!blocks_read(s, v) || !findings_read(s, v) ||
		!decisions_read(s, v) || !amendments_read(s, v) ||
		!commands_read(s, v) || !history_read(s, v) ||
		!coordinators_read(s, v) || !is_state_sound(s))
		return pawl_fail(err, ERR_CORRUPT,
			"the projection isn't of this plan or version");
	counters_derive(s);
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct node_state *n = &s->nodes[i];

		/* It waits for a gate, or for an answer. */
		if (n->status == NODE_NEEDS_APPROVAL && n->gate_1 == 0 &&
			n->questions == 0)
			return pawl_fail(err, ERR_CORRUPT,
				"the projection has a node that waits for"
				" nothing");
	}
	return PAWL_OK;
}
