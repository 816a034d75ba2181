#include "model/event_plain.h"

#include <stdlib.h>

#include "base/die.h"
#include "base/num.h"
#include "model/event_table.h"
#include "text/json_plain.h"
#include "text/utf8.h"

enum { DIGITS_SAFE = 19 }; /* always fit 64 bits */

/* Where reading stands. */
struct cursor {
	const char *p, *end;
};

/* memcmp for the few bytes of a name: without a call, by words that overlap. */
static inline bool
is_same(const char *a, const char *b, size_t len)
{
	uint64_t x, y;
	uint32_t s, t;

	if (len < 8) {
		if (len < 4)
			return memcmp(a, b, len) == 0;
		memcpy(&s, a, 4);
		memcpy(&t, b, 4);
		if (s != t)
			return false;
		memcpy(&s, a + len - 4, 4);
		memcpy(&t, b + len - 4, 4);
		return s == t;
	}
	for (size_t i = 0; i + 8 < len; i += 8) {
		memcpy(&x, a + i, 8);
		memcpy(&y, b + i, 8);
		if (x != y)
			return false;
	}
	memcpy(&x, a + len - 8, 8);
	memcpy(&y, b + len - 8, 8);
	return x == y;
}

static inline bool
take(struct cursor *c, struct str want)
{
	if ((size_t)(c->end - c->p) < want.len ||
		!is_same(c->p, want.ptr, want.len))
		return false;
	c->p += want.len;
	return true;
}

static inline bool
take_char(struct cursor *c, char want)
{
	if (c->p == c->end || *c->p != want)
		return false;
	c->p++;
	return true;
}

/* What follows an opening quote, and the closing one. */
static inline bool
take_rest(struct cursor *c, struct str *ret_text)
{
	const char *start = c->p;

	for (;;) {
		uint32_t code;
		size_t len;

		c->p += json_plain_len(c->p, c->end);
		if (c->p == c->end)
			return false;
		if (*c->p == '"')
			break;
		if ((unsigned char)*c->p < 0x80)
			return false;
		len = utf8_next(
			(struct str){ c->p, (size_t)(c->end - c->p) }, &code);
		if (len == 0)
			return false;
		c->p += len;
	}
	*ret_text = (struct str){ start, (size_t)(c->p - start) };
	c->p++;
	return true;
}

static inline bool
take_text(struct cursor *c, struct str *ret_text)
{
	return take_char(c, '"') && take_rest(c, ret_text);
}

/* No sign, no leading zero; all of 64 bits. */
static inline bool
take_number(struct cursor *c, uint64_t *ret_n)
{
	const char *start = c->p, *p = start;
	uint64_t n = 0;

	for (; p < c->end && *p >= '0' && *p <= '9'; p++)
		n = n * 10 + (uint64_t)(*p - '0');
	c->p = p;
	if (p == start || (*start == '0' && p - start > 1))
		return false;
	if (p - start > DIGITS_SAFE)
		return num_digits(
			(struct str){ start, (size_t)(p - start) }, ret_n);
	*ret_n = n;
	return true;
}

static bool
take_bool(struct cursor *c, bool *ret_yes)
{
	bool yes = take(c, STR("true"));

	if (!yes && !take(c, STR("false")))
		return false;
	*ret_yes = yes;
	return true;
}

static bool
take_list(struct cursor *c, struct arena *mem, struct strs *ret_list)
{
	struct cursor ahead = *c;
	struct strs list = { .count = 0 };
	struct str text;

	if (!take_char(&ahead, '['))
		return false;
	if (!take_char(&ahead, ']')) {
		do {
			if (!take_text(&ahead, &text))
				return false;
			list.count++;
		} while (take_char(&ahead, ','));
		if (!take_char(&ahead, ']'))
			return false;
	}
	list.items = arena_array(mem, list.count, struct str);
	for (uint32_t i = 0; i < list.count; i++) {
		c->p++; /* the bracket, or a comma */
		if (!take_text(c, &list.items[i]))
			return false;
	}
	*c = ahead;
	*ret_list = list;
	return true;
}

static inline bool
take_member(struct cursor *c, const struct event_field_info *f,
	struct arena *mem, struct event *e)
{
	void *member = (char *)e + f->offset;

	switch (f->type) {
	case TYPE_STR:
		return take_text(c, member);
	case TYPE_INT:
		return take_number(c, member);
	case TYPE_BOOL:
		return take_bool(c, member);
	case TYPE_LIST:
		return take_list(c, mem, member);
	}
	return false;
}

/* The fields of the kind in the table's order, and the bracket behind them. */
static bool
take_data(struct cursor *c, const struct event_kind *kind, struct arena *mem,
	struct event *e)
{
	bool first = true;

	for (unsigned i = 0; i < kind->count; i++) {
		unsigned row = kind->fields[i];
		enum event_field f = event_field_of(row);
		const struct event_field_info *field = &event_fields[f];
		struct cursor here = *c;

		if ((first || take_char(&here, ',')) &&
			take(&here, field->key)) {
			if (!take_member(&here, field, mem, e))
				return false;
			event_mark(e, f);
			*c = here;
			first = false;
		} else if (is_event_field_required(row)) {
			return false;
		}
	}
	return take_char(c, '}');
}

static bool
take_event(struct cursor *c, struct arena *mem, struct event *e)
{
	const struct event_kind *kind;
	struct str word;

	if (!take(c, STR("{\"type\":\"")) || !take_rest(c, &word) ||
		!event_type_find(word, &e->type))
		return false;
	kind = &event_kinds[e->type];
	if (kind->about != ABOUT_RUN &&
		(!take(c, STR(",\"node\":\"")) || !take_rest(c, &e->node) ||
			e->node.len == 0))
		return false;
	if (kind->about == ABOUT_ATTEMPT &&
		(!take(c, STR(",\"attempt\":\"")) ||
			!take_rest(c, &e->attempt) || e->attempt.len == 0))
		return false;
	return take(c, STR(",\"data\":{")) && take_data(c, kind, mem, e) &&
		take_char(c, '}');
}

/* Zero what the event has: cheaper than all that it could have. */
static void
clear(struct event *e)
{
	const struct event_kind *kind = &event_kinds[e->type];

	for (uint8_t i = 0; i < kind->count; i++) {
		enum event_field f = event_field_of(kind->fields[i]);
		void *member = (char *)e + event_fields[f].offset;

		if (!event_has(e, f))
			continue;
		switch (event_fields[f].type) {
		case TYPE_STR:
			*(struct str *)member = (struct str){ 0 };
			break;
		case TYPE_INT:
			*(uint64_t *)member = 0;
			break;
		case TYPE_BOOL:
			*(bool *)member = false;
			break;
		case TYPE_LIST:
			*(struct strs *)member = (struct strs){ 0 };
			break;
		}
	}
	e->node = e->attempt = (struct str){ 0 };
	memset(e->has, 0, sizeof(e->has));
}

/* Room for one more, zeroed. */
static struct event *
next(struct plain_events *events)
{
	struct event *e;

	if (events->count == events->cap) {
		uint32_t cap = events->cap ? events->cap * 2 : 2;

		events->items =
			die_realloc(events->items, cap, sizeof(*events->items));
		memset(events->items + events->cap, 0,
			(cap - events->cap) * sizeof(*events->items));
		events->cap = cap;
	}
	e = &events->items[events->count++];
	clear(e);
	return e;
}

bool
plain_events_read(
	struct plain_events *events, struct str bytes, struct arena *mem)
{
	struct cursor c = { bytes.ptr, bytes.ptr + bytes.len };

	events->count = 0;
	if (!take_char(&c, '['))
		return false;
	do {
		if (!take_event(&c, mem, next(events)))
			goto refused;
	} while (take_char(&c, ','));
	if (take_char(&c, ']') && c.p == c.end)
		return true;
refused:
	events->count = 0;
	return false;
}

void
plain_events_release(struct plain_events *events)
{
	free(events->items);
	*events = (struct plain_events){ 0 };
}
