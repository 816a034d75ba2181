/*
 * fields: documents described by one static table each.
 *
 * A table says for every field its name, type, bounds, whether it must stand,
 * and where it goes in a C struct.  From the same rows a document is decoded,
 * every error located, a struct written back, and the JSON Schema (2020-12) of
 * the document printed, so that these can't disagree.
 *
 *	struct card {
 *		struct str id;
 *		const struct str *tags;
 *		uint32_t tags_count;
 *	};
 *	static const struct field tag = { .type = FIELD_TEXT,
 *		.flags = FIELD_LINE, .min = 1, .max = 64 };
 *	static const struct field rows[] = {
 *		{ FIELD_NAME("id"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
 *			.min = 1, .max = 128, FIELD_AT(struct card, id) },
 *		{ FIELD_NAME("tags"), .type = FIELD_LIST, .max = 9,
 *			.item = &tag, FIELD_ITEMS(struct card, tags) },
 *	};
 *
 * Types and their members:
 *
 *	text     struct str; ptr is NULL when absent
 *	int      int64_t; `preset` when absent.  1.0 and 1e0 are no integers,
 *	         though a JSON Schema takes them for such
 *	bool     bool, likewise
 *	enum     an enum (4 bytes), the index of one of `words`; likewise
 *	object   const struct x *, by `table`; NULL when absent
 *	list     a pointer to an array, and `<member>_count`, uint32_t: texts,
 *	         ints, bools and enums as above; objects are the structs
 *	scalars  const struct json *: an object of texts, numbers, bools, nulls
 *	self     const struct json *: the object that the struct was read from;
 *	         no field of the document
 *
 * What is decoded are views into the document and the arena.  Recursion follows
 * the nesting of the static tables, never that of the document.
 */
#ifndef PAWL_TEXT_FIELDS_H
#define PAWL_TEXT_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "text/json.h"

enum {
	FIELD_SCALAR_BYTES = 4096, /* of a text in an object of scalars */
};

/* In a list of words, in place of an item that is none. */
#define FIELD_NO_WORD UINT32_MAX

enum field_type {
	FIELD_TEXT,
	FIELD_INT,
	FIELD_BOOL,
	FIELD_ENUM,
	FIELD_OBJECT,
	FIELD_LIST,
	FIELD_SCALARS,
	FIELD_SELF,
};

enum field_flags {
	FIELD_REQUIRED = 1,
	FIELD_NULL = 2,    /* null says the same as absence */
	FIELD_LINE = 4,    /* text: no control characters; else LF, CR, tab */
	FIELD_FILLED = 8,  /* text: more than white space */
	FIELD_POINTS = 16, /* text: bounds in code points instead of bytes */
	FIELD_UNIQUE = 32, /* list of texts: each once */
};

/* What is wrong with a text, in words that follow it; NULL when nothing is. */
typedef const char *field_check_fn(struct str s);

struct field {
	struct str name;
	const char *about; /* a sentence for the schema; may be NULL */
	enum field_type type;
	uint32_t flags;
	/* int: the value; text: bytes; list: items; scalars: members */
	int64_t min, max;
	int64_t preset; /* int, bool, enum: when absent */
	size_t offset, count_offset;
	const char *const *words;        /* enum; ends with NULL */
	const struct field *item;        /* list */
	const struct field_table *table; /* object */
	field_check_fn *check;           /* text */
	const char *pattern; /* what `check` takes, for the schema */
};

#define FIELD_NAME(lit) .name = { "" lit, sizeof(lit) - 1 }
#define FIELD_AT(type, member) .offset = offsetof(type, member)
#define FIELD_ITEMS(type, member)         \
	.offset = offsetof(type, member), \
	.count_offset = offsetof(type, member##_count)

struct field_table {
	const char *title; /* of the schema */
	const char *about; /* its description */
	const char *id;    /* its $id; NULL in inner tables */
	const char *rules; /* the schema's allOf, as JSON, or NULL */
	const struct field *fields;
	uint32_t count; /* at most 64 */
	bool keep;      /* unknown fields may stand; else they are refused */
	size_t size;    /* of the struct */
};

#define FIELD_ROWS(rows) \
	.fields = (rows), .count = sizeof(rows) / sizeof((rows)[0])

enum field_fault {
	FAULT_UNKNOWN_FIELD,
	FAULT_MISSING_FIELD,
	FAULT_DUPLICATE_FIELD,
	FAULT_WRONG_TYPE,
	FAULT_OUT_OF_BOUNDS,
	FAULT_INVALID_VALUE,
	FAULT_DUPLICATE_VALUE,
};

/* Its word in JSON: "unknown_field" and so on. */
const char *field_fault_word(enum field_fault fault);

struct field_error {
	enum field_fault fault;
	struct str pointer; /* RFC 6901; "" is the document */
	struct str missing; /* the field that is; or empty */
	uint32_t at;        /* byte of the document */
	uint32_t line, column;
	struct str message;
	struct str hint; /* may be empty */
};

/* `e` and its texts live in the document's arena. */
typedef void field_error_fn(void *arg, const struct field_error *e);

/* A document that is being judged. */
struct fields_doc {
	struct arena *mem;
	const struct json *root;
	struct str text; /* the bytes it was read from: for line and column */
	enum pawl_code code;    /* of all its errors */
	field_error_fn *report; /* gets all errors; NULL: stop at the first */
	void *arg;
	uint32_t errors;         /* so far */
	struct json_lines lines; /* the callee's */
};

/*
 * Parse the bytes of a document that `name` names in messages: doc->root and
 * doc->text are of a copy in doc->mem.
 *
 * Errors: ERR_LIMIT over `max` bytes; those of json_read with JSON_STRICT.
 */
PAWL_MUST_CHECK enum pawl_rc fields_parse(struct fields_doc *doc,
	const char *name, struct str bytes, size_t max, struct pawl_err *err);

/*
 * Decode the whole document into `into`, a struct of table->size bytes, which
 * is zeroed first.  With a `report` it is filled as far as the document is
 * good, and `err` is the first error.  In a list, the place of an item that
 * isn't good stays: zeroed (a text has no ptr), or FIELD_NO_WORD.
 *
 * Errors: doc->code, with the JSON Pointer in err->field.
 */
PAWL_MUST_CHECK enum pawl_rc fields_read(struct fields_doc *doc,
	const struct field_table *table, void *into, struct pawl_err *err);

/*
 * The same for one object of the document, the item `index` of the list `list`
 * in the outermost object, whose tape needn't be a part of doc->root's.
 */
PAWL_MUST_CHECK enum pawl_rc fields_read_item(struct fields_doc *doc,
	const struct field *list, const struct json *item, uint32_t index,
	void *into, struct pawl_err *err);

/*
 * One more error of the document, of a rule that no table says: at the value
 * `at` (NULL is the root), whose pointer is `pointer`.  `err` is set when it is
 * the first.
 */
void fields_refuse(struct fields_doc *doc, enum field_fault fault,
	const struct json *at, struct str pointer, struct str hint,
	struct pawl_err *err, const char *fmt, ...) PAWL_PRINTF(7, 8);

/*
 * Write the struct in table order.  An optional field that is absent, or has
 * its preset, is left out; unknown fields of a table that keeps them and has a
 * FIELD_SELF follow the known ones.
 */
void fields_write(const struct field_table *table, const void *from,
	struct json_writer *w);

/* The JSON Schema of the document. */
void fields_schema(const struct field_table *table, struct json_writer *w);

/* The same for people, with its last LF. */
void fields_schema_text(const struct field_table *table, struct buf *out);

/* The row of `name`, or NULL. */
const struct field *fields_find(
	const struct field_table *table, struct str name);

/* The name nearest to `name`, for "did you mean"; empty when none is near. */
struct str fields_nearest(const struct field_table *table, struct str name);

/* Bytes of an item in the array of a list. */
size_t field_item_size(const struct field *item);

#endif
