#include "model/ledger_read.h"

#include <inttypes.h>

#include "base/bounds.h"
#include "base/vec.h"
#include "model/ledger_fields.h"

enum {
	SCRATCH_BYTES = 4 << 10, /* of decoded nodes before they are dropped */
	NODE_BYTES = 400,        /* of text; about as few as there are */
	FIRST_NODES = 128,       /* by whose size the others are guessed */
	ALL_FIELDS = (1 << LEDGER_FIELD_COUNT) - 1,
};

/* A dependency whose node hasn't stood yet. */
struct ahead {
	struct str id;
	uint32_t node, index;
	uint32_t at; /* byte of the text */
};
VEC_DEF(aheads, struct ahead);

struct ledger_reader {
	struct ledger *l;
	struct ledger_findings *f;
	struct aheads aheads;
	struct arena scratch;
	struct fields_doc doc;
	struct pawl_err ignored; /* the first error; all are findings */
	uint32_t total;          /* nodes, with those over the bound */
	unsigned broken;         /* fields of the node that is being read */
	unsigned lost;           /* those of them of which no item is left */
};

static struct str
id_of(const struct ledger_reader *r, uint32_t node)
{
	return arena_copy(&r->f->mem, r->l->nodes[node].id);
}

/* Remember which field an error leaves without a good value. */
static void
mark_broken(struct ledger_reader *r, const struct field_error *e)
{
	struct str rest = e->pointer;
	struct str name = e->missing;
	enum ledger_field field;

	if (e->fault == FAULT_UNKNOWN_FIELD ||
		e->fault == FAULT_DUPLICATE_VALUE)
		return;
	(void)str_cut(&rest, '/');
	if (!str_starts(e->pointer, STR("/nodes/"))) {
		if (name.len == 0)
			name = rest;
		r->l->status_broken |= str_eq(name, STR("status"));
		r->l->nodes_broken |= str_eq(name, STR("nodes"));
		return;
	}
	(void)str_cut(&rest, '/');
	(void)str_cut(&rest, '/');
	if (name.len == 0)
		name = str_cut(&rest, '/');
	if (!ledger_field_find(name, &field))
		return; /* unknown, and twice */
	r->broken |= 1u << field;
	if (rest.ptr == NULL)
		r->lost |= 1u << field;
}

static void
on_fault(void *arg, const struct field_error *e)
{
	struct ledger_reader *r = arg;
	enum ledger_rule rule = (enum ledger_rule)e->fault;
	struct ledger_finding *x;

	_Static_assert((int)LEDGER_UNKNOWN_FIELD == (int)FAULT_UNKNOWN_FIELD &&
			(int)LEDGER_DUPLICATE_VALUE ==
				(int)FAULT_DUPLICATE_VALUE,
		"the rules of the shape are the faults of fields");
	mark_broken(r, e);
	if (!ledger_findings_want(r->f, rule))
		return;
	x = ledger_findings_add(r->f, rule, e->at);
	x->pointer = arena_copy(&r->f->mem, e->pointer);
	x->message = arena_copy(&r->f->mem, e->message);
	x->hint = arena_copy(&r->f->mem, e->hint);
}

/* The finding for a node of the document, or NULL when it isn't kept. */
static struct ledger_finding *
find(struct ledger_reader *r, enum ledger_rule rule, uint32_t at)
{
	return ledger_findings_want(r->f, rule)
		? ledger_findings_add(r->f, rule, at)
		: NULL;
}

/* Its number in the ledger; one that can't have its id has none. */
static uint32_t
add_node(struct ledger_reader *r, const struct json *v, struct str id,
	uint32_t index)
{
	struct ledger_finding *x;
	uint32_t node;

	if (id.ptr == NULL) /* not good, and named by others all the same */
		id = json_str(json_get(v, STR("id")));
	if (id.len > 0 && ledger_add(r->l, id, &node))
		return node;
	if (id.len > 0) {
		uint32_t other = node;

		/* Who is meant by the name isn't known any more. */
		r->broken |= 1u << LEDGER_FIELD_ID;
		r->l->nodes[other].broken |= 1u << LEDGER_FIELD_ID;
		x = find(r, LEDGER_DUPLICATE_ID, json_get(v, STR("id"))->at);
		if (x != NULL) {
			x->pointer = arena_format(
				&r->f->mem, "/nodes/%" PRIu32 "/id", index);
			x->message = arena_format(&r->f->mem,
				"the id is that of /nodes/%" PRIu32 ", too",
				other);
		}
	}
	node = ledger_add_nameless(r->l);
	r->l->nodes[node].id = id;
	return node;
}

static void
take_history(struct ledger *l, struct ledger_node *n,
	const struct ledger_node_doc *d)
{
	_Static_assert((uint8_t)FIELD_NO_WORD == LEDGER_NO_STATUS,
		"what is no word is no status");
	n->history_count = d->status_history_count;
	n->history = (uint8_t *)arena_bytes(&l->mem, n->history_count);
	for (uint32_t i = 0; i < n->history_count; i++)
		n->history[i] = (uint8_t)d->status_history[i];
}

/*
 * Whether all references that aren't good are blank ones.  These prove nothing,
 * by the rule about evidence itself; what others would prove isn't known.
 */
static PAWL_COLD bool
is_rest_blank(const struct json *v, const struct ledger_node_doc *d)
{
	const struct json *item = json_get(v, STR("evidence")) + 1;

	for (uint32_t i = 0; i < d->evidence_count; i++) {
		if (d->evidence[i].ptr == NULL &&
			(item->kind != JSON_STRING ||
				str_trim(item->text).len > 0))
			return false;
		item += item->span;
	}
	return true;
}

/* References that are good; a bad one was left empty. */
static void
take_evidence(struct ledger *l, struct ledger_node *n,
	const struct ledger_node_doc *d)
{
	if (d->evidence_count == 0)
		return;
	n->evidence = arena_array(&l->mem, d->evidence_count, struct str);
	for (uint32_t i = 0; i < d->evidence_count; i++) {
		if (d->evidence[i].len > 0)
			n->evidence[n->evidence_count++] = d->evidence[i];
	}
}

static void
take_depends(struct ledger_reader *r, uint32_t node, const struct json *v,
	const struct ledger_node_doc *d)
{
	struct ledger_node *n = &r->l->nodes[node];
	const struct json *at = NULL;
	uint32_t walked = 0;

	if (d->depends_on_count == 0)
		return;
	n->depends = arena_array(&r->l->mem, d->depends_on_count, uint32_t);
	n->depends_count = d->depends_on_count;
	for (uint32_t i = 0; i < n->depends_count; i++) {
		n->depends[i] = LEDGER_NO_NODE;
		if (d->depends_on[i].len == 0 ||
			ledger_find(r->l, d->depends_on[i], &n->depends[i]))
			continue;
		if (at == NULL)
			at = json_get(v, STR("depends_on")) + 1;
		for (; walked < i; walked++)
			at += at->span;
		aheads_push(&r->aheads,
			(struct ahead){ d->depends_on[i], node, i, at->at });
	}
}

static void
take(struct ledger_reader *r, uint32_t node, const struct json *v,
	const struct ledger_node_doc *d)
{
	struct ledger_node *n = &r->l->nodes[node];

	n->title = d->title;
	n->expected_output = d->expected_output;
	n->kind = (uint8_t)d->kind;
	n->role = (uint8_t)d->role;
	n->access = (uint8_t)d->access;
	n->status = (uint8_t)d->status;
	n->approval = (uint8_t)d->approval;
	n->evidence_required = d->evidence_required;
	n->attempt = (uint32_t)d->attempt;
	n->max_attempts = (uint32_t)d->max_attempts;
	n->at = v->at;
	n->broken |= (uint16_t)r->broken;
	take_history(r->l, n, d);
	take_evidence(r->l, n, d);
	take_depends(r, node, v, d);
}

/* Room for as many nodes as the text has when all are like the first. */
static void
reserve(struct ledger_reader *r, uint32_t at)
{
	size_t len = r->f->text.len;
	size_t count = len / NODE_BYTES;

	if (r->total >= FIRST_NODES) {
		count = len / (at / FIRST_NODES + 1);
		count += count / 16;
	} else if (count > FIRST_NODES) {
		count = FIRST_NODES;
	}
	if (count > BOUND_LEDGER_NODES)
		count = BOUND_LEDGER_NODES;
	ledger_reserve(r->l, (uint32_t)count);
}

/* Of lists that aren't good, leave what is certain. */
static PAWL_COLD void
keep_facts(struct ledger_reader *r, const struct json *v,
	struct ledger_node_doc *d)
{
	const unsigned evidence = 1u << LEDGER_FIELD_EVIDENCE;

	if (r->lost >> LEDGER_FIELD_HISTORY & 1)
		d->status_history_count = 0;
	if (r->lost >> LEDGER_FIELD_DEPENDS & 1)
		d->depends_on_count = 0;
	if (r->lost & evidence)
		d->evidence_count = 0;
	else if ((r->broken & evidence) && is_rest_blank(v, d))
		r->broken &= ~evidence;
}

static enum pawl_rc
on_node(void *arg, const struct json *v, uint32_t index, struct pawl_err *err)
{
	struct ledger_reader *r = arg;
	uint32_t first = r->f->count;
	struct ledger_node_doc d;
	enum pawl_rc rc;
	uint32_t node;

	(void)err;
	if (++r->total > BOUND_LEDGER_NODES)
		return PAWL_OK;
	if (index == 0 || index == FIRST_NODES)
		reserve(r, v->at);
	r->broken = r->lost = v->kind == JSON_OBJECT ? 0 : ALL_FIELDS;
	rc = fields_read_item(
		&r->doc, ledger_nodes_field, v, index, &d, &r->ignored);
	(void)rc; /* all errors are findings */
	if (r->broken != 0)
		keep_facts(r, v, &d);
	node = add_node(r, v, d.id, index);
	take(r, node, v, &d);
	for (; first < r->f->count; first++)
		r->f->items[first].node = id_of(r, node);
	if (r->scratch.bytes > SCRATCH_BYTES)
		arena_reset(&r->scratch);
	return PAWL_OK;
}

/* Dependencies on nodes that came later, and on none. */
static void
resolve(struct ledger_reader *r)
{
	const struct ahead *a;

	VEC_EACH (a, &r->aheads) {
		struct ledger_node *n = &r->l->nodes[a->node];
		struct ledger_finding *x;

		if (ledger_find(r->l, a->id, &n->depends[a->index]))
			continue;
		n->depends[a->index] = LEDGER_NO_NODE;
		n->broken |= 1u << LEDGER_FIELD_DEPENDS;
		x = find(r, LEDGER_UNKNOWN_DEPENDENCY, a->at);
		if (x == NULL)
			continue;
		x->pointer = arena_format(&r->f->mem,
			"/nodes/%" PRIu32 "/depends_on/%" PRIu32, a->node,
			a->index);
		x->node = id_of(r, a->node);
		x->message = arena_format(&r->f->mem,
			"depends on '" STR_FMT "', and no node has that id",
			STR_ARG(a->id));
	}
}

static void
check_total(struct ledger_reader *r)
{
	const struct json *list = json_get(r->doc.root, STR("nodes"));
	struct ledger_finding *x;

	if (r->total <= BOUND_LEDGER_NODES)
		return;
	r->l->nodes_broken = true;
	x = find(r, LEDGER_OUT_OF_BOUNDS, list->at);
	if (x == NULL)
		return;
	x->pointer = STR("/nodes");
	x->message = arena_format(&r->f->mem,
		"%" PRIu32 " items are over the limit of %d", r->total,
		BOUND_LEDGER_NODES);
}

/* All but the nodes. */
static void
read_root(struct ledger_reader *r)
{
	struct ledger_doc d;
	const struct json *status = json_get(r->doc.root, STR("status"));
	enum pawl_rc rc = fields_read(&r->doc, &ledger_table, &d, &r->ignored);

	(void)rc; /* all errors are findings */
	check_total(r);
	r->l->status_at = status ? status->at : r->doc.root->at;
	r->l->run_id = d.run_id;
	r->l->task = d.task;
	r->l->status = (uint8_t)d.status;
	if (r->doc.root->kind != JSON_OBJECT)
		r->l->status_broken = r->l->nodes_broken = true;
}

static enum pawl_rc
read_all(struct ledger_reader *r, struct str text, struct pawl_err *err)
{
	const struct json_each nodes = { ledger_nodes_field->name, on_node, r };
	enum pawl_rc rc;

	if (text.len > BOUND_LEDGER_BYTES) {
		return pawl_fail(err, ERR_LIMIT,
			"ledger of %zu bytes is over the limit of %d", text.len,
			BOUND_LEDGER_BYTES);
	}
	rc = json_read_each(&r->l->mem, text,
		JSON_KEEP_DUPLICATES | JSON_KEEP_NUL, &nodes, &r->doc.root,
		err);
	if (rc != PAWL_OK)
		return rc;
	read_root(r);
	resolve(r);
	ledger_judge(r->l, r->f);
	return PAWL_OK;
}

enum pawl_rc
ledger_read(struct arena *mem, struct str text, bool strict,
	struct ledger *ret_ledger, struct ledger_findings *ret_findings,
	struct pawl_err *err)
{
	struct ledger l;
	struct ledger_findings f;
	struct ledger_reader r = { .l = &l, .f = &f };
	enum pawl_rc rc;

	ledger_init(&l);
	ledger_findings_init(&f, text, strict);
	r.doc = (struct fields_doc){
		.mem = &r.scratch,
		.code = ERR_INVALID_LEDGER,
		.report = on_fault,
		.arg = &r,
	};
	rc = read_all(&r, text, err);
	aheads_release(&r.aheads);
	arena_reset(&r.scratch);
	if (rc != PAWL_OK) {
		err->detail = arena_copy(mem, err->detail);
		ledger_findings_release(&f);
		ledger_release(&l);
		return rc;
	}
	*ret_ledger = l;
	*ret_findings = f;
	return PAWL_OK;
}
