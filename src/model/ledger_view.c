#include "model/ledger_view.h"

#include "text/utf8.h"

enum {
	STATUS_COLUMN = 14,
	ID_COLUMN_MAX = 24,
	TITLE_BYTES_MAX = 120,
};

static void
count_statuses(const struct ledger *l, uint32_t have[NODE_STATUS_COUNT])
{
	for (uint32_t i = 0; i < NODE_STATUS_COUNT; i++)
		have[i] = 0;
	for (uint32_t i = 0; i < l->count; i++)
		have[l->nodes[i].status]++;
}

static void
part_add(struct buf *out, uint32_t count, const char *words)
{
	if (count > 0)
		buf_addf(out, ", %u %s", count, words);
}

void
ledger_view_summary(struct buf *out, const struct ledger_look *k)
{
	uint32_t have[NODE_STATUS_COUNT];

	count_statuses(k->ledger, have);
	utf8_show(out, k->ledger->run_id, UTF8_LINE);
	buf_addf(out, "  " STR_FMT "  %u/%u passed",
		STR_ARG(run_status_word((enum run_status)k->ledger->status)),
		have[NODE_PASSED], k->ledger->count);
	part_add(out, have[NODE_SKIPPED], "skipped");
	part_add(out, have[NODE_RUNNING], "running");
	part_add(out, have[NODE_FAILED], "failed");
	part_add(out, have[NODE_BLOCKED], "blocked");
	part_add(out, have[NODE_NEEDS_APPROVAL],
		have[NODE_NEEDS_APPROVAL] == 1 ? "waits for you"
					       : "wait for you");
	if (k->outcome.len > 0) {
		buf_add(out, STR(", closed as "));
		utf8_show(out, k->outcome, UTF8_LINE);
	}
	buf_addc(out, '\n');
}

/* Why a node stands where it does, and what to type; not for PENDING. */
struct stand {
	enum node_status status;
	enum cause_code code;
	const char *who;
	const char *words;   /* of the verb, before the node */
	const char *options; /* behind it */
};

static const struct stand stands[] = {
	{ NODE_RUNNING, CAUSE_RUNNING, "who works on it", "pawl ledger set",
		" PASSED --evidence REF" },
	{ NODE_NEEDS_APPROVAL, CAUSE_APPROVAL, "a human", "pawl ledger approve",
		"" },
	{ NODE_FAILED, CAUSE_FAILED, "who works on it", "pawl ledger repair",
		" --title TEXT" },
	{ NODE_BLOCKED, CAUSE_BLOCKED, "whoever provides what it wants",
		"pawl ledger set", " PENDING --reason TEXT" },
};

static struct str
subject(const struct ledger_look *k, uint32_t node, struct arena *mem)
{
	return arena_format(mem, STR_FMT "/" STR_FMT,
		STR_ARG(k->ledger->run_id), STR_ARG(k->ledger->nodes[node].id));
}

static struct str
command_on(const struct ledger_look *k, uint32_t node, const char *words,
	const char *options, struct arena *mem)
{
	return arena_format(mem, "%s " STR_FMT "%s", words,
		STR_ARG(subject(k, node, mem)), options);
}

static struct str
status_of(const struct ledger_node *n)
{
	return node_status_word((enum node_status)n->status);
}

static void
cause_push(struct explanation *ex, uint32_t max, struct cause c)
{
	if (ex->count < max)
		ex->causes[ex->count++] = c;
	ex->total++;
}

/* A node that waits names what it waits for; each has causes of its own. */
static void
explain_pending(const struct ledger_look *k, uint32_t node, uint32_t max,
	struct arena *mem, struct explanation *ex)
{
	const struct ledger_node *n = &k->ledger->nodes[node];

	for (uint32_t i = 0; i < n->depends_count; i++) {
		const struct ledger_node *on = &k->ledger->nodes[n->depends[i]];
		struct str words = status_of(on);

		if (on->status == NODE_PASSED || on->status == NODE_SKIPPED)
			continue;
		cause_push(ex, max,
			(struct cause){ .code = CAUSE_DEPENDENCY,
				.subject = on->id,
				.detail = words,
				.sentence = arena_format(mem,
					STR_FMT " is " STR_FMT, STR_ARG(on->id),
					STR_ARG(words)),
				.who = STR("who works on it"),
				.command = command_on(k, n->depends[i],
					"pawl explain", "", mem) });
	}
	if (is_ledger_approval_open(n)) {
		cause_push(ex, max,
			(struct cause){ .code = CAUSE_APPROVAL_AHEAD,
				.subject = n->id,
				.detail = STR("required"),
				.sentence = STR("it will need an approval"),
				.who = STR("a human"),
				.command = command_on(k, node,
					"pawl ledger approve", "", mem) });
	}
}

static void
explain_stand(const struct ledger_look *k, uint32_t node,
	const struct stand *stand, struct arena *mem, struct explanation *ex)
{
	const struct ledger_node *n = &k->ledger->nodes[node];

	cause_push(ex, 1,
		(struct cause){ .code = stand->code,
			.subject = n->id,
			.detail = status_of(n),
			.sentence = arena_format(mem,
				"it is " STR_FMT ", attempt %u of %u",
				STR_ARG(status_of(n)), n->attempt,
				n->max_attempts),
			.who = str_from(stand->who),
			.command = command_on(
				k, node, stand->words, stand->options, mem) });
}

static struct str
verdict_of(const struct explanation *ex, const struct ledger_node *n,
	struct arena *mem)
{
	const char *words = "isn't ready";

	if (ex->done)
		words = n->status == NODE_PASSED ? "has PASSED" : "is SKIPPED";
	else if (ex->may_start)
		words = "is READY and may start";
	else if (n->status == NODE_RUNNING)
		words = "isn't done";
	return arena_format(mem, STR_FMT " %s", STR_ARG(n->id), words);
}

void
ledger_explain(const struct ledger_look *k, uint32_t node, uint32_t max,
	struct arena *mem, struct explanation *ret_explanation)
{
	const struct ledger_node *n = &k->ledger->nodes[node];
	struct explanation ex = { .node = node,
		.done = n->status == NODE_PASSED || n->status == NODE_SKIPPED,
		.may_start = n->status == NODE_READY && k->outcome.len == 0,
		.causes = arena_array(mem, max, struct cause) };

	if (!ex.done && k->outcome.len > 0) {
		cause_push(&ex, max,
			(struct cause){ .code = CAUSE_RUN_CLOSED,
				.subject = k->ledger->run_id,
				.detail = k->outcome,
				.sentence = STR("the run is closed"),
				.who = STR("nobody"),
				.command = STR("pawl ledger new TASK --run") });
	} else if (n->status == NODE_PENDING) {
		explain_pending(k, node, max, mem, &ex);
	}
	for (size_t i = 0;
		k->outcome.len == 0 && i < sizeof(stands) / sizeof(stands[0]);
		i++) {
		if (stands[i].status == n->status)
			explain_stand(k, node, &stands[i], mem, &ex);
	}
	ex.verdict = verdict_of(&ex, n, mem);
	*ret_explanation = ex;
}

void
ledger_explain_text(struct buf *out, const struct explanation *ex)
{
	buf_add(out, ex->verdict);
	if (ex->count > 0) {
		buf_add(out, STR(": "));
		utf8_show(out, ex->causes[0].sentence, UTF8_LINE);
	}
	if (ex->total > 1)
		buf_addf(out, ", and %u more", ex->total - 1);
	buf_addc(out, '\n');
	for (uint32_t i = 0; i < ex->count; i++) {
		buf_add(out, STR("  "));
		utf8_show(out, ex->causes[i].sentence, UTF8_LINE);
		buf_addf(out, "; " STR_FMT ":  ", STR_ARG(ex->causes[i].who));
		utf8_show(out, ex->causes[i].command, UTF8_LINE);
		buf_addc(out, '\n');
	}
	if (ex->total > ex->count)
		buf_addf(out, "  and %u more\n", ex->total - ex->count);
}

void
ledger_explain_json(struct json_writer *w, const struct ledger_look *k,
	const struct explanation *ex)
{
	const struct ledger_node *n = &k->ledger->nodes[ex->node];

	json_open(w, '{');
	json_pair_str(w, STR("run"), k->ledger->run_id);
	json_pair_str(w, STR("node"), n->id);
	json_pair_str(w, STR("status"), status_of(n));
	json_pair_bool(w, STR("done"), ex->done);
	json_pair_bool(w, STR("may_start"), ex->may_start);
	json_pair_str(w, STR("verdict"), ex->verdict);
	json_pair_u64(w, STR("cause_count"), ex->total);
	json_key(w, STR("causes"));
	explain_causes_json(w, ex);
	json_close(w, '}');
}

/* The first node of that status. */
static bool
find_first(const struct ledger *l, enum node_status status, uint32_t *ret_node)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->nodes[i].status != status)
			continue;
		*ret_node = i;
		return true;
	}
	return false;
}

static struct next
next_of_run(const struct ledger_look *k, struct arena *mem)
{
	struct str run = k->ledger->run_id;

	if (k->outcome.len > 0)
		return (struct next){ .kind = NEXT_NOTHING,
			.subject = run,
			.why = STR("the run is closed") };
	if (k->ledger->status == RUN_COMPLETE) {
		return (struct next){ .kind = NEXT_CLOSE,
			.subject = run,
			.why = STR("all is done"),
			.command = arena_format(mem,
				"pawl ledger complete " STR_FMT,
				STR_ARG(run)) };
	}
	return (struct next){ .kind = NEXT_ADD,
		.subject = run,
		.why = STR("nothing in it can move"),
		.command = arena_format(mem,
			"pawl ledger add " STR_FMT "/ID --title TEXT",
			STR_ARG(run)) };
}

void
ledger_next(
	const struct ledger_look *k, struct arena *mem, struct next *ret_next)
{
	static const struct {
		enum node_status status;
		enum next_kind kind;
		const char *why, *words, *options;
	} rows[] = {
		{ NODE_RUNNING, NEXT_FINISH, "is RUNNING", "pawl ledger set",
			" PASSED --evidence REF" },
		{ NODE_READY, NEXT_START, "is READY", "pawl ledger set",
			" RUNNING" },
		{ NODE_NEEDS_APPROVAL, NEXT_APPROVE, "waits for an approval",
			"pawl ledger approve", "" },
		{ NODE_FAILED, NEXT_REPAIR, "FAILED", "pawl ledger repair",
			" --title TEXT" },
		{ NODE_BLOCKED, NEXT_UNBLOCK, "is BLOCKED", "pawl ledger set",
			" PENDING --reason TEXT" },
	};
	uint32_t node;

	for (size_t i = 0;
		k->outcome.len == 0 && i < sizeof(rows) / sizeof(rows[0]);
		i++) {
		if (!find_first(k->ledger, rows[i].status, &node))
			continue;
		*ret_next = (struct next){
			.kind = rows[i].kind,
			.subject = subject(k, node, mem),
			.why = arena_format(mem, STR_FMT " %s",
				STR_ARG(k->ledger->nodes[node].id),
				rows[i].why),
			.command = command_on(
				k, node, rows[i].words, rows[i].options, mem),
		};
		return;
	}
	*ret_next = next_of_run(k, mem);
}

static void
pad(struct buf *out, size_t from, size_t width)
{
	do {
		buf_addc(out, ' ');
	} while (out->len < from + width + 2);
}

static void
row_add(struct buf *out, const struct ledger_node *n, size_t id_width)
{
	size_t at = out->len;

	buf_add(out, status_of(n));
	pad(out, at, STATUS_COLUMN);
	at = out->len;
	buf_add(out, n->id);
	pad(out, at, id_width);
	at = out->len;
	buf_addf(out, "%u/%u", n->attempt, n->max_attempts);
	pad(out, at, sizeof("ATTEMPT") - 1);
	utf8_show(out, utf8_cut(n->title, TITLE_BYTES_MAX), UTF8_LINE);
	buf_addc(out, '\n');
}

static void
table_add(struct buf *out, const struct ledger *l, uint32_t max)
{
	uint32_t rows = l->count < max ? l->count : max;
	size_t width = 2, at = out->len;

	for (uint32_t i = 0; i < rows; i++) {
		if (l->nodes[i].id.len > width)
			width = l->nodes[i].id.len;
	}
	if (width > ID_COLUMN_MAX)
		width = ID_COLUMN_MAX;
	buf_add(out, STR("STATUS"));
	pad(out, at, STATUS_COLUMN);
	at = out->len;
	buf_add(out, STR("ID"));
	pad(out, at, width);
	buf_add(out, STR("ATTEMPT  TITLE\n"));
	for (uint32_t i = 0; i < rows; i++)
		row_add(out, &l->nodes[i], width);
	if (rows < l->count)
		buf_addf(out, "and %u more\n", l->count - rows);
}

void
ledger_view_status(struct buf *out, const struct ledger_look *k, uint32_t max)
{
	struct arena mem = ARENA_INIT;
	struct next next;

	ledger_view_summary(out, k);
	if (k->ledger->count > 0)
		table_add(out, k->ledger, max);
	ledger_next(k, &mem, &next);
	next_text(out, &next);
	arena_reset(&mem);
}

static void
progress_json(struct json_writer *w, const struct ledger *l)
{
	static const struct {
		enum node_status status;
		const char *word;
	} counts[] = {
		{ NODE_PASSED, "passed" },
		{ NODE_SKIPPED, "skipped" },
		{ NODE_RUNNING, "running" },
		{ NODE_READY, "ready" },
		{ NODE_PENDING, "pending" },
		{ NODE_FAILED, "failed" },
		{ NODE_BLOCKED, "blocked" },
		{ NODE_NEEDS_APPROVAL, "needs_approval" },
	};
	uint32_t have[NODE_STATUS_COUNT];

	count_statuses(l, have);
	json_open(w, '{');
	json_pair_u64(w, STR("total"), l->count);
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		json_pair_u64(
			w, str_from(counts[i].word), have[counts[i].status]);
	json_close(w, '}');
}

void
ledger_view_status_json(struct json_writer *w, const struct ledger_look *k)
{
	const struct ledger *l = k->ledger;
	struct arena mem = ARENA_INIT;
	struct next next;

	json_open(w, '{');
	json_key(w, STR("run"));
	json_open(w, '{');
	json_pair_str(w, STR("id"), l->run_id);
	json_pair_str(w, STR("kind"), STR("ledger"));
	json_pair_str(
		w, STR("status"), run_status_word((enum run_status)l->status));
	json_pair_bool(w, STR("closed"), k->outcome.len > 0);
	json_pair_str(w, STR("outcome"), k->outcome);
	json_pair_str(w, STR("task"), l->task);
	json_pair_u64(w, STR("seq"), k->seq);
	json_close(w, '}');
	json_key(w, STR("progress"));
	progress_json(w, l);
	json_key(w, STR("nodes"));
	ledger_nodes_write(l, w);
	json_key(w, STR("next"));
	ledger_next(k, &mem, &next);
	next_json(w, &next);
	json_close(w, '}');
	arena_reset(&mem);
}

void
ledger_view_ready(struct buf *out, const struct ledger_look *k, uint32_t max)
{
	uint32_t have[NODE_STATUS_COUNT], shown = 0;

	count_statuses(k->ledger, have);
	if (k->outcome.len > 0) {
		buf_add(out, STR("nothing may start: the run is closed\n"));
		return;
	}
	if (have[NODE_READY] == 0)
		buf_add(out, STR("nothing may start now\n"));
	else
		buf_addf(out, "%u may start now\n", have[NODE_READY]);
	for (uint32_t i = 0; i < k->ledger->count && shown < max; i++) {
		const struct ledger_node *n = &k->ledger->nodes[i];

		if (n->status != NODE_READY)
			continue;
		shown++;
		buf_addf(out, "  " STR_FMT "  ", STR_ARG(n->id));
		utf8_show(out, utf8_cut(n->title, TITLE_BYTES_MAX), UTF8_LINE);
		buf_addc(out, '\n');
	}
	if (have[NODE_READY] > shown)
		buf_addf(out, "and %u more READY\n", have[NODE_READY] - shown);
}

void
ledger_view_ready_json(struct json_writer *w, const struct ledger_look *k)
{
	json_open(w, '{');
	json_pair_str(w, STR("run"), k->ledger->run_id);
	json_key(w, STR("ready"));
	json_open(w, '[');
	for (uint32_t i = 0; k->outcome.len == 0 && i < k->ledger->count; i++) {
		if (k->ledger->nodes[i].status == NODE_READY)
			json_put_str(w, k->ledger->nodes[i].id);
	}
	json_close(w, ']');
	json_close(w, '}');
}
