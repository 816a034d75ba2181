/*
 * json: RFC 8259 in UTF-8, read in place and written as a stream.
 *
 * The reader is iterative and works in situ: escapes are undone inside the
 * caller's bytes, and every string of the result is a view into them.  The
 * result is a tape: one `struct json` per value in document order, an object's
 * members as a string (the key) followed by its value.  `span` counts the
 * entries of a value with all that lies in it, so the next sibling of `v` is
 * v + v->span, and the first child of a container is v + 1.
 *
 * Who needs the text afterwards, too, to say where something stands, asks for
 * JSON_PRISTINE; a document with a list of any length has json_read_each().
 *
 * Refused: anything that RFC 8259 refuses, bytes that are not UTF-8, NUL (also
 * as \u0000), lone surrogates, duplicate keys, depth over a bound, text after
 * the value.  One byte order mark at the start is passed over; UTF-16 and
 * UTF-32 are refused by name.  Numbers: an integer that fits int64 is JSON_INT;
 * all others, and -0, are JSON_REAL, with the text kept as it stands.
 *
 * An error names line and column (in bytes), both from 1, and the byte from 0,
 * and has the three in `detail`.
 */
#ifndef PAWL_TEXT_JSON_H
#define PAWL_TEXT_JSON_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_INT,
	JSON_REAL,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT,
};

struct json {
	uint8_t kind;   /* enum json_kind */
	bool duplicate; /* on a key: it stood before (JSON_KEEP_DUPLICATES) */
	uint32_t at;    /* byte offset of its first character in the document */
	uint32_t span;  /* tape entries of it and all within */
	uint32_t count; /* elements, or members */
	union {
		struct str text; /* string: unescaped; real: its characters */
		int64_t n;       /* int; bool: 0 or 1 */
	};
};

enum json_flags {
	JSON_STRICT = 0,
	JSON_KEEP_DUPLICATES = 1, /* mark them instead of refusing */
	JSON_KEEP_NUL = 2,        /* let \u0000 stand in a string */
	JSON_PRISTINE = 4,        /* undo escapes in `mem`, not in place */
};

/*
 * Read one document from `bytes`, which is changed in place (not when it is to
 * stay pristine) and must live as long as the result; the tape is in `mem`.
 *
 * Errors: ERR_NOT_JSON; ERR_INVALID_DOCUMENT for a duplicate key and \u0000;
 * ERR_LIMIT for depth, and for documents of 4 GiB and more.
 */
PAWL_MUST_CHECK enum pawl_rc json_read(struct arena *mem, char *bytes,
	size_t len, enum json_flags flags, const struct json **ret_json,
	struct pawl_err *err);

/*
 * An element of a list: a tape of its own, gone once this returns; its texts
 * stay.  A failure ends the reading.
 */
typedef enum pawl_rc json_each_fn(
	void *arg, const struct json *v, uint32_t index, struct pawl_err *err);

struct json_each {
	struct str key; /* of the list, in the document's outermost object */
	json_each_fn *fn;
	void *arg;
};

/*
 * The same for a document with one long list: each element is handed out as
 * soon as it is read, and dropped, so that the tape stays as small as what else
 * is in the document.  In it, the list is an empty one.  Of several lists under
 * that key the first is meant.
 *
 * `text` stays as it is (JSON_PRISTINE is implied).  Errors: of json_read(),
 * found wherever they are: what was handed out by then may be wrong; and what
 * `fn` failed with.
 */
PAWL_MUST_CHECK enum pawl_rc json_read_each(struct arena *mem, struct str text,
	enum json_flags flags, const struct json_each *each,
	const struct json **ret_json, struct pawl_err *err);

/*
 * Read once more the value that starts at `at` in a text that was read before,
 * which stays as it is; the rest of the text isn't looked at.
 */
PAWL_MUST_CHECK enum pawl_rc json_read_again(struct arena *mem, struct str text,
	uint32_t at, enum json_flags flags, const struct json **ret_json,
	struct pawl_err *err);

/* The value under `key` (the first) of an object, or NULL; `v` may be NULL. */
const struct json *json_get(const struct json *v, struct str key);

/* First child of an array, or first key of an object; NULL when it has none. */
static inline const struct json *
json_first(const struct json *v)
{
	return v->count ? v + 1 : NULL;
}

/* Line and column (in bytes), from 1, of a byte offset in a text as it was
 * before json_read(). */
void json_place(
	struct str text, size_t at, uint32_t *ret_line, uint32_t *ret_column);

/*
 * The same for a document that was read, whose strings may hold line ends by
 * now: where its lines start, found in one walk, for any number of questions.
 */
struct json_lines {
	const uint32_t *starts;
	uint32_t count; /* 0 before json_lines_find() */
};

void json_lines_find(struct json_lines *lines, struct arena *mem,
	const struct json *root, struct str text);

/* `at` is the `at` of an entry. */
void json_where(const struct json_lines *lines, uint32_t at, uint32_t *ret_line,
	uint32_t *ret_column);

/* As text; the empty view, 0, false when `v` is NULL or of another kind. */
struct str json_str(const struct json *v);
int64_t json_int(const struct json *v);
bool json_bool(const struct json *v);

/*
 * The writer: no spaces, no line ends (unless `pretty`), keys in the order of
 * the calls.
 *
 *	json_open(&w, '{'); json_key(&w, STR("seq")); json_put_u64(&w, 17);
 *	json_close(&w, '}');
 *
 * Commas are the writer's.  Strings must be UTF-8: other bytes are written as
 * U+FFFD.  Asserted: balance, a key before each member, depth.
 */
enum { JSON_WRITER_DEPTH = 63 };

struct json_writer {
	struct buf *out;
	uint32_t depth;
	uint64_t comma;  /* bit a level: something stands there already */
	uint64_t object; /* bit a level: it has keys */
	bool keyed;      /* a key was written and waits for its value */
	bool pretty;     /* for people: lines, two spaces a level */
};

void json_open(struct json_writer *w, char bracket);
void json_close(struct json_writer *w, char bracket);
void json_key(struct json_writer *w, struct str key);
void json_put_str(struct json_writer *w, struct str s);
void json_put_u64(struct json_writer *w, uint64_t n);
void json_put_i64(struct json_writer *w, int64_t n);
void json_put_bool(struct json_writer *w, bool b);
void json_put_null(struct json_writer *w);
void json_put_raw(
	struct json_writer *w, struct str json); /* written JSON, as is */
void json_put(struct json_writer *w,
	const struct json *v); /* a value that was read */

/* Key and value in one call. */
void json_pair_str(struct json_writer *w, struct str key, struct str s);
void json_pair_u64(struct json_writer *w, struct str key, uint64_t n);
void json_pair_bool(struct json_writer *w, struct str key, bool b);

/* A null when it is empty. */
void json_pair_str_or_null(struct json_writer *w, struct str key, struct str s);

#endif
