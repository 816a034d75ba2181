#include "text/fields_decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/die.h"
#include "text/utf8.h"

enum {
	SHOWN_BYTES = 64, /* of a document's text in a message */
};

const char *
field_fault_word(enum field_fault fault)
{
	static const char *const words[] = {
		[FAULT_UNKNOWN_FIELD] = "unknown_field",
		[FAULT_MISSING_FIELD] = "missing_field",
		[FAULT_DUPLICATE_FIELD] = "duplicate_field",
		[FAULT_WRONG_TYPE] = "wrong_type",
		[FAULT_OUT_OF_BOUNDS] = "out_of_bounds",
		[FAULT_INVALID_VALUE] = "invalid_value",
		[FAULT_DUPLICATE_VALUE] = "duplicate_value",
	};

	assert(fault < sizeof(words) / sizeof(words[0]));
	return words[fault];
}

struct str
decode_shown(struct str s)
{
	return utf8_cut(s, SHOWN_BYTES);
}

/* Append a step as RFC 6901 writes it. */
static void
add_step(struct buf *out, const struct step *s)
{
	buf_addc(out, '/');
	if (s->indexed) {
		buf_addu(out, s->index);
		return;
	}
	for (size_t i = 0; i < s->key.len; i++) {
		if (s->key.ptr[i] == '~') {
			buf_add(out, STR("~0"));
		} else if (s->key.ptr[i] == '/') {
			buf_add(out, STR("~1"));
		} else {
			buf_addc(out, s->key.ptr[i]);
		}
	}
}

static struct str
pointer_of(struct arena *mem, const struct step *path)
{
	/* A list of objects is two steps; tables nest less than documents. */
	const struct step *steps[BOUND_JSON_DEPTH];
	struct buf out = { 0 };
	struct str pointer;
	size_t n = 0;

	for (; path != NULL; path = path->up) {
		assert(n < BOUND_JSON_DEPTH);
		steps[n++] = path;
	}
	while (n > 0)
		add_step(&out, steps[--n]);
	pointer = arena_copy(mem, buf_str(&out));
	buf_release(&out);
	return pointer;
}

static void refuse(struct fields_doc *doc, struct field_error e,
	struct pawl_err *err, const char *fmt, va_list ap) PAWL_PRINTF(4, 0);

static void
refuse(struct fields_doc *doc, struct field_error e, struct pawl_err *err,
	const char *fmt, va_list ap)
{
	char message[300];

	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		die("could not format '%s'", fmt);
	if (doc->text.len > 0) {
		if (doc->lines.count == 0) {
			json_lines_find(
				&doc->lines, doc->mem, doc->root, doc->text);
		}
		json_where(&doc->lines, e.at, &e.line, &e.column);
	}
	e.message = arena_copy(
		doc->mem, utf8_cut(str_from(message), sizeof(message) - 1));
	if (doc->errors++ == 0) {
		struct str place =
			e.pointer.len ? e.pointer : STR("the document");

		(void)pawl_fail(err, doc->code,
			STR_FMT " (line %" PRIu32 ", column %" PRIu32
				"): " STR_FMT,
			STR_ARG(utf8_cut(place, 120)), e.line, e.column,
			STR_ARG(e.message));
		err->field = e.pointer;
		if (e.hint.len > 0)
			(void)pawl_hint(err, STR_FMT, STR_ARG(e.hint));
	}
	if (doc->report != NULL)
		doc->report(doc->arg, &e);
}

void
/* NOLINTNEXTLINE(readability-function-size): an error has that many parts */
fields_refuse(struct fields_doc *doc, enum field_fault fault,
	const struct json *at, struct str pointer, struct str hint,
	struct pawl_err *err, const char *fmt, ...)
{
	struct field_error e = {
		.fault = fault,
		.pointer = pointer,
		.at = at ? at->at : doc->root->at,
		.hint = hint,
	};
	va_list ap;

	va_start(ap, fmt);
	refuse(doc, e, err, fmt, ap);
	va_end(ap);
}

bool
decode_fault(struct decode *d, const struct step *path, enum field_fault fault,
	const struct json *at, struct str hint, const char *fmt, ...)
{
	struct field_error e = {
		.fault = fault,
		.pointer = pointer_of(d->doc->mem, path),
		.missing = d->missing,
		.at = at->at,
		.hint = hint,
	};
	va_list ap;

	va_start(ap, fmt);
	refuse(d->doc, e, d->err, fmt, ap);
	va_end(ap);
	return false;
}

static const struct str no_hint = { NULL, 0 };

static const char *
kind_name(const struct json *v)
{
	static const char *const names[] = {
		[JSON_NULL] = "null",
		[JSON_BOOL] = "true or false",
		[JSON_INT] = "a number",
		[JSON_REAL] = "a number that is no 64-bit integer",
		[JSON_STRING] = "a text",
		[JSON_ARRAY] = "a list",
		[JSON_OBJECT] = "an object",
	};

	return names[v->kind];
}

const uint8_t decode_kinds[] = {
	[FIELD_TEXT] = JSON_STRING,
	[FIELD_INT] = JSON_INT,
	[FIELD_BOOL] = JSON_BOOL,
	[FIELD_ENUM] = JSON_STRING,
	[FIELD_OBJECT] = JSON_OBJECT,
	[FIELD_LIST] = JSON_ARRAY,
	[FIELD_SCALARS] = JSON_OBJECT,
};

bool
decode_wrong_kind(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	static const char *const names[] = {
		[FIELD_TEXT] = "a text",
		[FIELD_INT] = "an integer",
		[FIELD_BOOL] = "true or false",
		[FIELD_ENUM] = "a word",
		[FIELD_OBJECT] = "an object",
		[FIELD_LIST] = "a list",
		[FIELD_SCALARS] = "an object",
	};

	return decode_fault(d, path, FAULT_WRONG_TYPE, v, no_hint,
		"expected %s, found %s", names[f->type], kind_name(v));
}

/*
 * Has its top bit set in each byte that is not of ASCII or a control character,
 * and may have it in those above: adding 1 carries 0x7f into the top bit,
 * taking 0x20 away borrows it for what is less.
 */
static inline uint64_t
unplain(const char *bytes)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t w;

	memcpy(&w, bytes, sizeof(w));
	return w | (w + ones) | (w - ones * ' ');
}

/*
 * Whether all bytes are of ASCII and none is a control character: most texts.
 * Eight at a time, and the last eight once more: a carry or a borrow of a byte
 * below it only stands above one that has its top bit set as well.
 */
static bool
is_plain(struct str s)
{
	const uint64_t tops = 0x8080808080808080u;
	uint64_t found = 0;

	if (s.len < 8) {
		for (size_t i = 0; i < s.len; i++) {
			uint64_t w = (unsigned char)s.ptr[i];

			found |= w | (w + 1) | (w - ' ');
		}
		return (found & 0x80) == 0;
	}
	for (size_t i = 0; i < s.len - 8; i += 8)
		found |= unplain(s.ptr + i);
	found |= unplain(s.ptr + s.len - 8);
	return (found & tops) == 0;
}

/* The first control character that the text may not have, or s.len. */
static size_t
find_control(struct str s, bool line)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if ((c < ' ' || c == 0x7f) &&
			(line || (c != '\n' && c != '\r' && c != '\t')))
			return i;
	}
	return s.len;
}

static size_t
count_points(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.len; i++)
		n += ((unsigned char)s.ptr[i] & 0xc0) != 0x80;
	return n;
}

static bool
is_blank(struct str s)
{
	return s.len == 0 ||
		((unsigned char)s.ptr[0] <= ' ' && str_trim(s).len == 0);
}

/* For prose that its author wrote in several lines or columns. */
static struct str
prose_hint(const struct field *f, char control)
{
	const unsigned prose = FIELD_LINE | FIELD_FILLED;

	if ((f->flags & prose) != prose ||
		(control != '\n' && control != '\r' && control != '\t'))
		return no_hint;
	return STR("the text is one line: write blanks for line ends and tabs");
}

static bool
check_text(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	struct str s = v->text;
	bool plain = is_plain(s);
	bool points = (f->flags & FIELD_POINTS) != 0;
	size_t len = points && !plain ? count_points(s) : s.len;
	const char *unit = points ? "code points" : "bytes";
	size_t control = plain ? s.len : find_control(s, f->flags & FIELD_LINE);
	const char *wrong;

	assert(f->max > 0);
	if (len > (size_t)f->max) {
		return decode_fault(d, path, FAULT_OUT_OF_BOUNDS, v, no_hint,
			"text of %zu %s is over the limit of %" PRId64, len,
			unit, f->max);
	}
	if (len < (size_t)f->min) {
		return decode_fault(d, path, FAULT_OUT_OF_BOUNDS, v, no_hint,
			"text of %zu %s is under the limit of %" PRId64, len,
			unit, f->min);
	}
	if (control < s.len) {
		return decode_fault(d, path, FAULT_INVALID_VALUE, v,
			prose_hint(f, s.ptr[control]),
			"control character 0x%02x in the text",
			(unsigned char)s.ptr[control]);
	}
	if ((f->flags & FIELD_FILLED) && is_blank(s)) {
		return decode_fault(d, path, FAULT_INVALID_VALUE, v, no_hint,
			"the text is blank");
	}
	wrong = f->check ? f->check(s) : NULL;
	if (wrong != NULL) {
		return decode_fault(d, path, FAULT_INVALID_VALUE, v, no_hint,
			"'" STR_FMT "' %s", STR_ARG(decode_shown(s)), wrong);
	}
	return true;
}

static bool
check_int(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	if (v->n >= f->min && v->n <= f->max)
		return true;
	if (f->min == f->max) {
		return decode_fault(d, path, FAULT_OUT_OF_BOUNDS, v, no_hint,
			"%" PRId64 " is not %" PRId64, v->n, f->min);
	}
	return decode_fault(d, path, FAULT_OUT_OF_BOUNDS, v, no_hint,
		"%" PRId64 " is not from %" PRId64 " to %" PRId64, v->n, f->min,
		f->max);
}

bool
decode_count(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	const char *unit = f->type == FIELD_LIST ? "items" : "members";

	assert(f->max > 0);
	if (v->count > f->max) {
		return decode_fault(d, path, FAULT_OUT_OF_BOUNDS, v, no_hint,
			"%" PRIu32 " %s are over the limit of %" PRId64,
			v->count, unit, f->max);
	}
	if (v->count < f->min) {
		return decode_fault(d, path, FAULT_OUT_OF_BOUNDS, v, no_hint,
			"%" PRIu32 " %s are under the limit of %" PRId64,
			v->count, unit, f->min);
	}
	return true;
}

/* A name is near when a third of its bytes, or two, are other. */
static bool
is_nearer(struct str name, struct str known, unsigned *best)
{
	unsigned distance = str_distance(name, known);
	unsigned limit = known.len < 6 ? 2 : (unsigned)known.len / 3;

	if (distance > limit || distance >= known.len || distance >= *best)
		return false;
	*best = distance;
	return true;
}

struct str
fields_nearest(const struct field_table *table, struct str name)
{
	struct str near = { NULL, 0 };
	unsigned best = UINT32_MAX;

	for (uint32_t i = 0; i < table->count; i++) {
		if (table->fields[i].type != FIELD_SELF &&
			is_nearer(name, table->fields[i].name, &best))
			near = table->fields[i].name;
	}
	return near;
}

struct str
decode_hint(struct arena *mem, struct str near)
{
	return near.len ? arena_format(mem, "did you mean '" STR_FMT "'?",
				  STR_ARG(near))
			: no_hint;
}

static PAWL_COLD bool
refuse_word(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	struct buf all = { 0 };
	struct str near = { NULL, 0 };
	unsigned best = UINT32_MAX;

	for (uint32_t i = 0; f->words[i] != NULL; i++) {
		struct str word = str_from(f->words[i]);

		if (is_nearer(v->text, word, &best))
			near = word;
		buf_addf(&all, i ? ", %s" : "%s", f->words[i]);
	}
	(void)decode_fault(d, path, FAULT_INVALID_VALUE, v,
		decode_hint(d->doc->mem, near),
		"'" STR_FMT "' is none of " STR_FMT,
		STR_ARG(decode_shown(v->text)), STR_ARG(buf_str(&all)));
	buf_release(&all);
	return false;
}

static bool
read_enum(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path, void *to)
{
	uint32_t i = decode_word(f, v->text);

	if (i != UINT32_MAX) {
		memcpy(to, &i, sizeof(i));
		return true;
	}
	return refuse_word(d, f, v, path);
}

static __attribute__((noinline)) bool
check_scalars(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	static const struct field text = { .type = FIELD_TEXT,
		.max = FIELD_SCALAR_BYTES };
	const struct json *key = v + 1;

	if (!decode_count(d, f, v, path))
		return false;
	for (uint32_t i = 0; i < v->count && decode_goes_on(d); i++) {
		const struct json *value = key + 1;
		struct step here = { .up = path, .key = key->text };

		if (key->duplicate) {
			(void)decode_fault(d, &here, FAULT_DUPLICATE_FIELD, key,
				no_hint, "the field stands twice");
		}
		if (key->text.len == 0 || key->text.len > BOUND_ID_BYTES ||
			find_control(key->text, true) < key->text.len) {
			(void)decode_fault(d, path, FAULT_INVALID_VALUE, key,
				no_hint,
				"'" STR_FMT "' is not a name of 1 to %d bytes",
				STR_ARG(decode_shown(key->text)),
				BOUND_ID_BYTES);
		}
		if (value->kind == JSON_STRING) {
			(void)check_text(d, &text, value, &here);
		} else if (value->kind == JSON_ARRAY ||
			value->kind == JSON_OBJECT) {
			(void)decode_fault(d, &here, FAULT_WRONG_TYPE, value,
				no_hint,
				"expected a text, a number, true, false or "
				"null, found %s",
				kind_name(value));
		}
		key = value + value->span;
	}
	return true;
}

bool
decode_leaf(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path, void *to)
{
	bool yes;

	if (!decode_kind(d, f, v, path))
		return false;
	switch (f->type) {
	case FIELD_TEXT:
		if (!check_text(d, f, v, path))
			return false;
		memcpy(to, &v->text, sizeof(v->text));
		return true;
	case FIELD_INT:
		if (!check_int(d, f, v, path))
			return false;
		memcpy(to, &v->n, sizeof(v->n));
		return true;
	case FIELD_BOOL:
		yes = v->n != 0;
		memcpy(to, &yes, sizeof(yes));
		return true;
	case FIELD_ENUM:
		return read_enum(d, f, v, path, to);
	case FIELD_SCALARS:
		if (!check_scalars(d, f, v, path))
			return false;
		decode_pointer(to, v);
		return true;
	case FIELD_OBJECT:
	case FIELD_LIST:
	case FIELD_SELF:
		break;
	}
	die("a field's type is not for values");
}
