/*
 * event_table: which kind of event carries which fields, and what it is about.
 *
 * event.c has the table, writes by it and reads what the JSON reader made;
 * event_plain.c reads by it what stands as the writer puts it; apply.c asks it
 * which kinds name a node.
 */
#ifndef PAWL_MODEL_EVENT_TABLE_H
#define PAWL_MODEL_EVENT_TABLE_H

#include <stddef.h>

#include "model/event.h"

enum event_field_type { TYPE_STR, TYPE_INT, TYPE_BOOL, TYPE_LIST };

struct event_field_info {
	struct str word;
	struct str key; /* with quotes and colon */
	enum event_field_type type;
	size_t offset; /* of the member in struct event */
};

enum {
	EVENT_OPTIONAL = 0x8000, /* the field may be absent */
	EVENT_FIELDS_MAX = 40,
};

enum event_about { ABOUT_RUN, ABOUT_NODE, ABOUT_ATTEMPT };

struct event_kind {
	enum event_about about;
	uint8_t count;
	uint16_t fields[EVENT_FIELDS_MAX]; /* enum event_field, perhaps
					    * | EVENT_OPTIONAL */
};

extern const struct str event_words[EVENT_TYPE_COUNT];
extern const struct event_field_info event_fields[EVENT_FIELD_COUNT];
extern const struct event_kind event_kinds[EVENT_TYPE_COUNT];

static inline enum event_field
event_field_of(unsigned row)
{
	return (enum event_field)(row & ~(unsigned)EVENT_OPTIONAL);
}

static inline bool
is_event_field_required(unsigned row)
{
	return (row & EVENT_OPTIONAL) == 0;
}

/* The type with this word; false when there is none. */
static inline bool
event_type_find(struct str word, enum event_type *ret_type)
{
	for (size_t i = 0; i < EVENT_TYPE_COUNT; i++) {
		if (str_eq(event_words[i], word)) {
			*ret_type = (enum event_type)i;
			return true;
		}
	}
	return false;
}

#endif
