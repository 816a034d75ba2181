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
	struct str missing; /* the field whose absence is being told */
};

/* Store a pointer where the struct has one, whatever it points to. */
static inline void
decode_pointer(char *to, const void *pointer)
{
	memcpy(to, &pointer, sizeof(pointer));
}

/*
 * Whether two names are the same.  They are short: two loads that overlap are
 * all that most need.
 */
static inline bool
decode_same(struct str a, const char *b, size_t len)
{
	uint64_t a8[2], b8[2];
	uint32_t a4[2], b4[2];

	if (a.len != len)
		return false;
	if (len > 16)
		return memcmp(a.ptr, b, len) == 0;
	if (len < 4) {
		return len == 0 ||
			(a.ptr[0] == b[0] && a.ptr[len / 2] == b[len / 2] &&
				a.ptr[len - 1] == b[len - 1]);
	}
	if (len < 8) {
		memcpy(&a4[0], a.ptr, 4);
		memcpy(&a4[1], a.ptr + len - 4, 4);
		memcpy(&b4[0], b, 4);
		memcpy(&b4[1], b + len - 4, 4);
		return a4[0] == b4[0] && a4[1] == b4[1];
	}
	memcpy(&a8[0], a.ptr, 8);
	memcpy(&a8[1], a.ptr + len - 8, 8);
	memcpy(&b8[0], b, 8);
	memcpy(&b8[1], b + len - 8, 8);
	return a8[0] == b8[0] && a8[1] == b8[1];
}

/* Which of the words a text is, or UINT32_MAX. */
static inline uint32_t
decode_word(const struct field *f, struct str s)
{
	for (uint32_t i = 0; s.len > 0 && f->words[i] != NULL; i++) {
		const char *word = f->words[i];

		if (word[0] == s.ptr[0] &&
			(s.len == 1 || word[1] == s.ptr[1]) &&
			decode_same(s, word, strlen(word)))
			return i;
	}
	return UINT32_MAX;
}

/* Record an error of the value `at`; returns false: the value is not good. */
bool decode_fault(struct decode *d, const struct step *path,
	enum field_fault fault, const struct json *at, struct str hint,
	const char *fmt, ...) PAWL_PRINTF(6, 7) PAWL_COLD;

/* Whether to go on: after an error only when all are wanted. */
static inline bool
decode_goes_on(const struct decode *d)
{
	return d->doc->errors == 0 || d->doc->report != NULL;
}

/* A hint that names `near`, or none when that is empty. */
struct str decode_hint(struct arena *mem, struct str near);

/* As much of a text of the document as a message shows. */
struct str decode_shown(struct str s);

/* The kind of value that a type of field takes. */
extern const uint8_t decode_kinds[];

/* Always false: says what kind was wanted. */
bool decode_wrong_kind(struct decode *d, const struct field *f,
	const struct json *v, const struct step *path) PAWL_COLD;

static inline bool
decode_kind(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	return v->kind == decode_kinds[f->type] ||
		decode_wrong_kind(d, f, v, path);
}

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
