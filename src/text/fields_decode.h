/*
 * fields_decode: what the two halves of the decoder share; for nobody else.
 *
 * fields_check.c judges single values and says what is wrong with them;
 * fields_read.c walks the document and fills the struct.
 */
#ifndef PAWL_TEXT_FIELDS_DECODE_H
#define PAWL_TEXT_FIELDS_DECODE_H

#include <string.h>

#include "text/fields.h"

/* Where in the document: a key or an index, and what it lies in. */
struct step {
	const struct step *up;
	struct str key;
	uint32_t index;
	bool indexed;
};

struct decode {
	struct fields_doc *doc;
	struct pawl_err *err;
};

/* Store a pointer where the struct has one, whatever it points to. */
static inline void
decode_pointer(char *to, const void *pointer)
{
	memcpy(to, &pointer, sizeof(pointer));
}

/* Record an error of the value `at`; returns false: the value is not good. */
bool decode_fault(struct decode *d, const struct step *path,
	enum field_fault fault, const struct json *at, struct str hint,
	const char *fmt, ...) PAWL_PRINTF(6, 7);

/* Whether to go on: after an error only when all are wanted. */
bool decode_goes_on(const struct decode *d);

/* A hint that names `near`, or none when that is empty. */
struct str decode_hint(struct arena *mem, struct str near);

/* As much of a text of the document as a message shows. */
struct str decode_shown(struct str s);

bool decode_kind(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path);

/* Of a list or an object of scalars. */
bool decode_count(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path);

/*
 * Every value but objects and lists, into `to`, by the field's type; false when
 * it is not good.
 */
bool decode_leaf(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path, void *to);

#endif
