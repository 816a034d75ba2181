#include "model/ledger_capsule.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/die.h"
#include "base/sha256.h"
#include "model/ledger_capsule_code.h"
#include "text/utf8.h"

static_assert(sizeof(CAPSULE_STATUS_CODES) - 1 == NODE_STATUS_COUNT, "status");
static_assert(sizeof(CAPSULE_WALK_CODES) - 1 == NODE_STATUS_COUNT, "walk");
static_assert(sizeof(CAPSULE_KIND_CODES) - 1 == LEDGER_KIND_COUNT, "kind");
static_assert(sizeof(CAPSULE_ROLE_CODES) - 1 == LEDGER_ROLE_COUNT, "role");
static_assert(sizeof(CAPSULE_ACCESS_CODES) - 1 == ACCESS_DESTRUCTIVE + 1, "");
static_assert(sizeof(CAPSULE_APPROVAL_CODES) - 1 == LEDGER_APPROVAL_COUNT, "");

/* What may be shortened: texts to a number of bytes, items to a number. */
enum part {
	PART_ITEMS_DONE, /* of nodes that are PASSED or SKIPPED */
	PART_ITEMS_OPEN, /* of all others */
	PART_EXPECTED_DONE,
	PART_EXPECTED_OPEN,
	PART_EVIDENCE_DONE,
	PART_EVIDENCE_OPEN,
	PART_TITLE_DONE,
	PART_TITLE_OPEN,
	PART_TASK,
	PART_COUNT,
};

/* What a capsule leaves of each part. */
struct limits {
	size_t of[PART_COUNT];
};

/*
 * The fixed order: each step takes its part down as far as is needed and no
 * further than to its floor, then the next one begins.  First goes what is of
 * least use to whoever goes on: the details of what is done.
 */
static const struct step {
	enum part part;
	size_t floor;
} steps[] = {
	{ PART_ITEMS_DONE, 1 },
	{ PART_EXPECTED_DONE, 24 },
	{ PART_EVIDENCE_DONE, 48 },
	{ PART_ITEMS_OPEN, 1 },
	{ PART_TITLE_DONE, 24 },
	{ PART_EXPECTED_OPEN, 40 },
	{ PART_EVIDENCE_OPEN, 48 },
	{ PART_TASK, 400 },
	{ PART_EXPECTED_DONE, 8 },
	{ PART_EVIDENCE_DONE, 12 },
	{ PART_EXPECTED_OPEN, 8 },
	{ PART_EVIDENCE_OPEN, 12 },
	{ PART_TITLE_OPEN, 32 },
	{ PART_TITLE_DONE, 8 },
	{ PART_TASK, 60 },
	{ PART_TITLE_OPEN, 8 },
};

enum { STEP_COUNT = sizeof(steps) / sizeof(steps[0]) };

struct str
capsule_walk(enum node_status s)
{
	static const struct str walks[] = {
		[NODE_PENDING] = { "P", 1 },
		[NODE_READY] = { "PR", 2 },
		[NODE_RUNNING] = { "PRU", 3 },
		[NODE_PASSED] = { "PRUD", 4 },
		[NODE_FAILED] = { "PRUF", 4 },
		[NODE_BLOCKED] = { "PB", 2 },
		[NODE_NEEDS_APPROVAL] = { "PA", 2 },
		[NODE_SKIPPED] = { "PS", 2 },
	};

	return walks[s];
}

char
capsule_mark(struct str line)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
				       "nopqrstuvwxyz0123456789-_";

	return alphabet[str_hash(line) & 63];
}

bool
is_ledger_capsule_lossy(const struct ledger_capsule_loss *loss)
{
	return loss->titles > 0 || loss->expected > 0 || loss->evidence > 0 ||
		loss->items > 0 || loss->task;
}

void
ledger_capsule_loss_text(
	const struct ledger_capsule_loss *loss, struct buf *out)
{
	const struct {
		uint64_t count;
		const char *one, *many;
	} parts[] = {
		{ loss->task, "the end of the task", "" },
		{ loss->titles, "the end of 1 title", "titles" },
		{ loss->expected, "the end of 1 expected output",
			"expected outputs" },
		{ loss->evidence, "the end of 1 evidence text",
			"evidence texts" },
		{ loss->items, "1 piece of evidence", "pieces of evidence" },
	};
	size_t start = out->len;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].count == 0)
			continue;
		if (out->len > start)
			buf_add(out, STR(", "));
		if (parts[i].count == 1)
			buf_add(out, str_from(parts[i].one));
		else {
			buf_addf(out, "%s%llu %s",
				&parts[i] == &parts[4] ? "" : "the ends of ",
				(unsigned long long)parts[i].count,
				parts[i].many);
		}
	}
}

size_t
ledger_capsule_room(uint32_t count)
{
	size_t room = BOUND_CAPSULE_BYTES;

	if (count > 40)
		room += (size_t)(count - 40) * (BOUND_CAPSULE_BYTES / 40);
	return room;
}

/* Would the code point be lost, or mistaken for one of ours? */
static bool
is_escaped(uint32_t code, bool at_edge)
{
	if (code == ' ')
		return at_edge;
	return code == '%' || code == '|' || code == '`' || code == 0x2026 ||
		utf8_is_unsafe(code);
}

/* All of `s`, or its beginning and the mark; whether it was cut. */
static bool
text_put(struct buf *out, struct str s, size_t max)
{
	/* What the mark is as long as is not worth cutting. */
	bool cut = s.len > max && s.len - max > sizeof(CAPSULE_CUT) - 1;
	bool edge = true; /* a blank here would be lost */

	if (cut)
		s = utf8_cut(s, max);
	while (s.len > 0) {
		uint32_t code = 0;
		size_t len = utf8_next(s, &code);

		len = len > 0 ? len : 1;
		if (is_escaped(code, edge || s.len == len)) {
			for (size_t i = 0; i < len; i++)
				buf_addf(
					out, "%%%02x", (unsigned char)s.ptr[i]);
		} else {
			buf_add(out, str_part(s, 0, len));
		}
		edge = code == ' ';
		s = str_part(s, len, s.len);
	}
	if (cut)
		buf_add(out, STR(CAPSULE_CUT));
	return cut;
}

/* How often the walk of `period` steps at `at` stands there in a row. */
static uint32_t
repeats(const struct ledger_node *n, uint32_t at, uint32_t period)
{
	uint32_t times = 1;

	while (at + (times + 1) * period <= n->history_count &&
		memcmp(n->history + at,
			n->history + at + (size_t)times * period, period) == 0)
		times++;
	return times;
}

static void
letters_put(
	struct buf *out, const struct ledger_node *n, uint32_t at, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		buf_addc(out, CAPSULE_STATUS_CODES[n->history[at + i]]);
}

static bool
is_usual(const struct ledger_node *n)
{
	struct str walk = capsule_walk((enum node_status)n->status);

	if (walk.len != n->history_count)
		return false;
	for (uint32_t i = 0; i < n->history_count; i++) {
		if (CAPSULE_STATUS_CODES[n->history[i]] != walk.ptr[i])
			return false;
	}
	return true;
}

static void
walk_put(struct buf *out, const struct ledger_node *n)
{
	uint32_t at = 0;

	if (is_usual(n)) {
		buf_addc(out, CAPSULE_WALK_CODES[n->status]);
		return;
	}
	while (at < n->history_count) {
		uint32_t best = 1, times = 1;

		for (uint32_t p = 1;
			p <= CAPSULE_PERIOD && at + 2 * p <= n->history_count;
			p++) {
			uint32_t k = repeats(n, at, p);

			if (k > 1 && k * p > times * best) {
				best = p;
				times = k;
			}
		}
		if (times * best <= best + 4)
			times = 1;
		if (times > 1)
			buf_addf(out, "%u(", times);
		letters_put(out, n, at, times > 1 ? best : 1);
		if (times > 1)
			buf_addc(out, ')');
		at += times > 1 ? times * best : 1;
	}
}

static void
contract_put(struct buf *out, const struct ledger_node *n)
{
	buf_addc(out, CAPSULE_KIND_CODES[n->kind]);
	buf_addc(out, CAPSULE_ROLE_CODES[n->role]);
	buf_addc(out, CAPSULE_ACCESS_CODES[n->access]);
	if (!n->evidence_required)
		buf_addc(out, '-');
	if (n->approval != LEDGER_NOT_REQUIRED)
		buf_addc(out, CAPSULE_APPROVAL_CODES[n->approval]);
	if (n->max_attempts != CAPSULE_ATTEMPTS)
		buf_addu(out, n->max_attempts);
}

static void
depends_put(struct buf *out, const struct ledger_node *n)
{
	for (uint32_t i = 0; i < n->depends_count;) {
		uint32_t first = n->depends[i], len = 1;

		while (i + len < n->depends_count &&
			n->depends[i + len] == first + len)
			len++;
		if (len == 2)
			len = 1; /* "1,2" is as short as "1-2" */
		if (i > 0)
			buf_addc(out, ',');
		buf_addu(out, first + 1);
		if (len > 1) {
			buf_addc(out, '-');
			buf_addu(out, first + len);
		}
		i += len;
	}
}

/* What is never left out of a node, and so is written once. */
struct draft {
	const struct ledger *l;
	struct buf heads; /* of all nodes: id, walk, contract, depends_on */
	uint32_t *ends;   /* where each of them ends */
};

static void
draft_init(struct draft *d, const struct ledger *l)
{
	*d = (struct draft){ .l = l };
	d->ends = die_alloc(l->count, sizeof(*d->ends));
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		buf_add(&d->heads, n->id);
		buf_addc(&d->heads, '|');
		walk_put(&d->heads, n);
		buf_addc(&d->heads, '|');
		contract_put(&d->heads, n);
		buf_addc(&d->heads, '|');
		depends_put(&d->heads, n);
		buf_addc(&d->heads, '|');
		d->ends[i] = (uint32_t)d->heads.len;
	}
}

static void
draft_release(struct draft *d)
{
	buf_release(&d->heads);
	free(d->ends);
}

static void
node_put(struct buf *out, const struct draft *d, uint32_t node,
	const struct limits *limits, struct ledger_capsule_loss *loss)
{
	const struct ledger_node *n = &d->l->nodes[node];
	uint32_t start = node > 0 ? d->ends[node - 1] : 0;
	bool done = n->status == NODE_PASSED || n->status == NODE_SKIPPED;
	const size_t *of = limits->of + (done ? 0 : 1);
	size_t items = of[PART_ITEMS_DONE];

	buf_add(out,
		str_part(buf_str(&d->heads), start, d->ends[node] - start));
	loss->titles += text_put(out, n->title, of[PART_TITLE_DONE]);
	buf_addc(out, '|');
	loss->expected +=
		text_put(out, n->expected_output, of[PART_EXPECTED_DONE]);
	for (uint32_t i = 0; i < n->evidence_count && i < items; i++) {
		buf_addc(out, '|');
		loss->evidence +=
			text_put(out, n->evidence[i], of[PART_EVIDENCE_DONE]);
	}
	if (n->evidence_count > items) {
		buf_addf(
			out, "|" CAPSULE_CUT "+%zu", n->evidence_count - items);
		loss->items += n->evidence_count - items;
	}
	buf_addc(out, '\n');
}

/* The checksum and the marks of the lines from `start` on. */
static void
end_put(struct buf *out, size_t start)
{
	struct str body = str_part(buf_str(out), start, out->len);
	char hex[SHA256_HEX + 1];
	struct buf marks = { 0 };

	sha256_hex(body, hex);
	while (body.len > 0)
		buf_addc(&marks, capsule_mark(str_cut(&body, '\n')));
	buf_addf(out, "end %.*s ", CAPSULE_SUM, hex);
	buf_add(out, buf_str(&marks));
	buf_addc(out, '\n');
	buf_release(&marks);
}

/* The whole capsule under these limits. */
static void
capsule_put(const struct draft *d, const struct limits *limits, struct buf *out,
	struct ledger_capsule_loss *ret_loss)
{
	const struct ledger *l = d->l;
	struct ledger_capsule_loss loss = { 0 };
	struct buf task = { 0 }, nodes = { 0 };
	size_t start = out->len;

	loss.task = text_put(&task, l->task, limits->of[PART_TASK]);
	for (uint32_t i = 0; i < l->count; i++)
		node_put(&nodes, d, i, limits, &loss);
	buf_addf(out, "pawl-ledger %d " STR_FMT " " STR_FMT " %u\ntask|",
		CAPSULE_VERSION, STR_ARG(l->run_id),
		STR_ARG(run_status_word((enum run_status)l->status)), l->count);
	buf_add(out, buf_str(&task));
	if (is_ledger_capsule_lossy(&loss)) {
		buf_add(out, STR("\nleft out|"));
		ledger_capsule_loss_text(&loss, out);
	}
	buf_addc(out, '\n');
	buf_add(out, buf_str(&nodes));
	end_put(out, start);
	buf_release(&task);
	buf_release(&nodes);
	*ret_loss = loss;
}

static size_t
size_under(const struct draft *d, const struct limits *limits)
{
	struct ledger_capsule_loss loss;
	struct buf b = { 0 };
	size_t size;

	capsule_put(d, limits, &b, &loss);
	size = b.len;
	buf_release(&b);
	return size;
}

/* Limits that fit; the least that the last step has to take is taken. */
static bool
limits_find(const struct draft *d, size_t max, struct limits *limits)
{
	size_t i = 0;

	for (; i < STEP_COUNT && size_under(d, limits) > max; i++) {
		size_t *limit = &limits->of[steps[i].part];
		size_t low = steps[i].floor, high = *limit;

		*limit = low;
		if (size_under(d, limits) > max)
			continue;
		while (high - low > 1) { /* low fits, high doesn't */
			*limit = low + (high - low) / 2;
			if (size_under(d, limits) <= max)
				low = *limit;
			else
				high = *limit;
		}
		*limit = low;
		return true;
	}
	return i < STEP_COUNT;
}

enum pawl_rc
ledger_capsule_write(const struct ledger *l, size_t max, struct buf *out,
	struct ledger_capsule_loss *ret_loss, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;
	struct limits limits;
	uint64_t edges = 0;
	struct draft d;

	for (uint32_t i = 0; i < l->count; i++)
		edges += l->nodes[i].depends_count;
	if (l->count > BOUND_CAPSULE_NODES || edges > BOUND_CAPSULE_EDGES) {
		(void)pawl_fail(err, ERR_LIMIT,
			"a capsule of %u nodes and %llu dependencies is over "
			"the limit of %d and %d",
			l->count, (unsigned long long)edges,
			BOUND_CAPSULE_NODES, BOUND_CAPSULE_EDGES);
		return pawl_hint(err, "keep the ledger in a file or a run");
	}
	for (size_t i = 0; i < PART_COUNT; i++)
		limits.of[i] = BOUND_TEXT_BYTES;
	draft_init(&d, l);
	if (max > 0 && !limits_find(&d, max, &limits)) {
		(void)pawl_fail(err, ERR_LIMIT,
			"the shortest capsule of these %u nodes has %zu "
			"bytes, which is over the limit of %zu",
			l->count, size_under(&d, &limits), max);
		rc = pawl_hint(err, "pawl ledger capsule --full");
	} else {
		capsule_put(&d, &limits, out, ret_loss);
	}
	draft_release(&d);
	return rc;
}
