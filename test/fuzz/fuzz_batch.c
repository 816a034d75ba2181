/*
 * Property: what is refused is refused with one of few codes, a message and
 * nothing handed out.  What is taken is as many new nodes as the document has,
 * each once and behind all that it depends on; where nothing has to move they
 * stand in the document's order.  Read again it is the same.  When the ledger
 * takes them all, too, it is sound as it stands.
 */
#include <string.h>

#include "fuzz.h"

#include "model/ledger_batch.h"
#include "model/ledger_edit.h"
#include "model/ledger_rules.h"

/* One batch, read for a ledger that has the node `z`. */
struct reading {
	struct ledger l;
	struct arena mem;
	struct events events;
	struct pawl_err err;
	enum pawl_rc rc;
};

static void
propose(struct ledger *l, const struct event *e, struct reading *r)
{
	struct command cmd = { .event = *e };

	r->rc = ledger_propose(l, &cmd, &r->err);
}

static void
reading_init(struct reading *r)
{
	struct event started = { .type = EV_LEDGER_STARTED };
	struct ledger_node_wanted z = ledger_node_preset();
	struct event added;

	*r = (struct reading){ .mem = ARENA_INIT };
	ledger_init(&r->l);
	EVENT_SET(&started, F_RUN, run, STR("g1"));
	EVENT_SET(&started, F_TASK, task, STR("T"));
	propose(&r->l, &started, r);
	FUZZ_CHECK(r->rc == PAWL_OK);
	z.id = STR("z");
	z.title = STR("Z");
	added = ledger_node_event(&z, &r->mem);
	propose(&r->l, &added, r);
	FUZZ_CHECK(r->rc == PAWL_OK);
	ledger_settle(&r->l);
}

static void
reading_release(struct reading *r)
{
	events_release(&r->events);
	ledger_release(&r->l);
	arena_reset(&r->mem);
}

static void
read_batch(struct reading *r, struct str text)
{
	reading_init(r);
	r->rc = ledger_batch_read(&r->l, &r->mem, arena_strdup(&r->mem, text),
		text.len, &r->events, &r->err);
}

static void
check_refusal(const struct reading *r)
{
	FUZZ_CHECK(r->events.count == 0 && r->err.msg[0] != '\0');
	if (r->err.code == ERR_NOT_JSON) {
		FUZZ_CHECK(r->err.detail.len > 0);
	} else if (r->err.code == ERR_CYCLE) {
		FUZZ_CHECK(str_starts(r->err.detail, STR("{\"cycle\":[")));
	} else {
		FUZZ_CHECK(r->err.code == ERR_INVALID_DOCUMENT ||
			r->err.code == ERR_ID_TAKEN ||
			r->err.code == ERR_UNKNOWN_DEPENDENCY ||
			r->err.code == ERR_LIMIT);
	}
}

/* Where the event of that id stands; the count when none does. */
static size_t
place_of(const struct events *all, struct str id)
{
	size_t i = 0;

	while (i < all->count && !str_eq(all->items[i].node, id))
		i++;
	return i;
}

static void
check_dependency(const struct events *all, size_t i, struct str id)
{
	size_t at = place_of(all, id);

	FUZZ_CHECK(at < i || (at == all->count && str_eq(id, STR("z"))));
}

static void
check_order(const struct events *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct event *e = &all->items[i];

		FUZZ_CHECK(e->type == EV_NODE_ADDED);
		FUZZ_CHECK(place_of(all, e->node) == i);
		for (uint32_t k = 0; k < e->depends_on.count; k++)
			check_dependency(all, i, e->depends_on.items[k]);
	}
}

/* Where the document has an id first; after its last item when nowhere. */
static uint32_t
document_place(const struct json *list, struct str id)
{
	const struct json *item = list + 1;
	uint32_t i = 0;

	while (i < list->count &&
		!str_eq(json_str(json_get(item, STR("id"))), id)) {
		item += item->span;
		i++;
	}
	return i;
}

/* The ids of the document, each in its place, unless one had to move. */
static void
check_as_it_stood(const struct reading *r, struct str text)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *list, *item;
	bool moved = false;
	enum pawl_rc rc = json_read(&mem, arena_strdup(&mem, text), text.len,
		JSON_PRISTINE, &list, &err);

	FUZZ_CHECK(rc == PAWL_OK && list->count == r->events.count);
	item = list + 1;
	for (uint32_t i = 0; i < list->count; i++, item += item->span) {
		struct str id = json_str(json_get(item, STR("id")));
		const struct json *on = json_get(item, STR("depends_on"));
		const struct json *dep = on != NULL ? on + 1 : NULL;

		for (uint32_t k = 0; on != NULL && k < on->count; k++, dep++) {
			uint32_t at = document_place(list, json_str(dep));

			moved |= at > i && at < list->count;
		}
		FUZZ_CHECK(place_of(&r->events, id) < r->events.count);
		FUZZ_CHECK(moved || place_of(&r->events, id) == i);
	}
	arena_reset(&mem);
}

/* All of them or none, and then no rule is broken. */
static void
check_ledger(struct reading *r)
{
	struct ledger_findings findings;

	for (size_t i = 0; i < r->events.count && r->rc == PAWL_OK; i++)
		propose(&r->l, &r->events.items[i], r);
	if (r->rc != PAWL_OK) {
		FUZZ_CHECK(r->err.msg[0] != '\0');
		return;
	}
	ledger_settle(&r->l);
	FUZZ_CHECK(r->l.count == r->events.count + 1);
	ledger_findings_init(&findings, STR(""), false);
	ledger_judge(&r->l, &findings);
	FUZZ_CHECK(findings.violations == 0);
	ledger_findings_release(&findings);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_str(data, size);
	struct reading first, second;

	read_batch(&first, text);
	read_batch(&second, text);
	FUZZ_CHECK(first.rc == second.rc);
	FUZZ_CHECK(first.events.count == second.events.count);
	if (first.rc != PAWL_OK) {
		check_refusal(&first);
		FUZZ_CHECK(strcmp(first.err.msg, second.err.msg) == 0);
	} else {
		for (size_t i = 0; i < first.events.count; i++)
			FUZZ_CHECK(str_eq(first.events.items[i].node,
				second.events.items[i].node));
		check_order(&first.events);
		check_as_it_stood(&first, text);
		check_ledger(&first);
	}
	reading_release(&first);
	reading_release(&second);
	return 0;
}
