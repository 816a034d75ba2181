/*
 * column: a record of C as an array of JSON values, by a table of its members.
 *
 *	static const struct column gate_columns[] = {
 *		COL(U32, gate, node),
 *		COL(STR, gate, reason),
 *	};
 *
 * The array is in the table's order and has no names, so the table is the
 * format: who changes one raises the version of what is written with it.  What
 * is read is copied into the caller's arena; a value of another kind, or a
 * number that the member has no room for, is refused.
 */
#ifndef PAWL_MODEL_COLUMN_H
#define PAWL_MODEL_COLUMN_H

#include <stddef.h>

#include "base/arena.h"
#include "text/json.h"

enum column_type {
	COL_STR,
	COL_U64,
	COL_U32,
	COL_U16,
	COL_U8,
	COL_BOOL,
	COL_LIST
};

struct column {
	uint8_t type; /* enum column_type */
	size_t offset;
};

/* NOLINTBEGIN(bugprone-macro-parentheses): names of members and types */
#define COL(kind, record, member)                           \
	{                                                   \
		COL_##kind, offsetof(struct record, member) \
	}
#define COL_OWNER(record, member)                                             \
	COL(STR, record, member.machine), COL(STR, record, member.boot),      \
		COL(U64, record, member.pidns), COL(U64, record, member.pid), \
		COL(U64, record, member.start)
/* NOLINTEND(bugprone-macro-parentheses) */

#define COLUMN_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The values of a record, into an array that is open. */
void columns_write(struct json_writer *w, const struct column *cols,
	size_t count, const void *record);

/* The record as an array of its own. */
void record_write(struct json_writer *w, const struct column *cols,
	size_t count, const void *record);

/* Fill the record from the start of an array; `*ret_rest` is what follows the
 * last column.  False when the array isn't of this table; the record may then
 * be half filled. */
bool columns_read(struct arena *mem, const struct column *cols, size_t count,
	const struct json *v, void *record, const struct json **ret_rest);

#endif
