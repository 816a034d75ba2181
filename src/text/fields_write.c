#include "text/fields.h"

#include <inttypes.h>
#include <string.h>

#include "base/die.h"

/* The pointer that the struct has there, whatever it points to. */
static const void *
get_pointer(const char *at)
{
	const void *pointer;

	memcpy(&pointer, at, sizeof(pointer));
	return pointer;
}

static void write_object(const struct field_table *table, const char *from,
	struct json_writer *w);

/* A value that is there, of any type but list. */
static void
write_value(const struct field *f, const char *at, struct json_writer *w)
{
	struct str text;
	uint32_t word;
	int64_t n;
	bool yes;

	switch (f->type) {
	case FIELD_TEXT:
		memcpy(&text, at, sizeof(text));
		json_put_str(w, text);
		return;
	case FIELD_INT:
		memcpy(&n, at, sizeof(n));
		json_put_i64(w, n);
		return;
	case FIELD_BOOL:
		memcpy(&yes, at, sizeof(yes));
		json_put_bool(w, yes);
		return;
	case FIELD_ENUM:
		memcpy(&word, at, sizeof(word));
		json_put_str(w, str_from(f->words[word]));
		return;
	case FIELD_SCALARS:
		json_put(w, get_pointer(at));
		return;
	case FIELD_OBJECT:
		write_object(f->table, at, w);
		return;
	case FIELD_LIST:
	case FIELD_SELF:
		break;
	}
	die("a field's type is not for values");
}

static void
write_list(const struct field *f, const char *from, struct json_writer *w)
{
	size_t size = field_item_size(f->item);
	const char *items;
	uint32_t count;

	items = get_pointer(from + f->offset);
	memcpy(&count, from + f->count_offset, sizeof(count));
	json_open(w, '[');
	for (uint32_t i = 0; i < count; i++)
		write_value(f->item, items + i * size, w);
	json_close(w, ']');
}

/* Whether the struct holds what it would without the field. */
static bool
is_absent(const struct field *f, const char *from)
{
	const char *at = from + f->offset;
	uint32_t word;
	int64_t n;
	bool yes;

	switch (f->type) {
	case FIELD_INT:
		memcpy(&n, at, sizeof(n));
		return n == f->preset;
	case FIELD_BOOL:
		memcpy(&yes, at, sizeof(yes));
		return yes == (f->preset != 0);
	case FIELD_ENUM:
		memcpy(&word, at, sizeof(word));
		return word == (uint32_t)f->preset;
	case FIELD_TEXT: /* a text starts with its pointer */
	case FIELD_OBJECT:
	case FIELD_LIST:
	case FIELD_SCALARS:
		return get_pointer(at) == NULL;
	case FIELD_SELF:
		break;
	}
	return true;
}

static void
write_field(const struct field *f, const char *from, struct json_writer *w)
{
	bool absent = is_absent(f, from);

	if (f->type == FIELD_SELF || (absent && !(f->flags & FIELD_REQUIRED)))
		return;
	json_key(w, f->name);
	if (f->type == FIELD_LIST && !(absent && (f->flags & FIELD_NULL))) {
		write_list(f, from, w);
	} else if (f->type == FIELD_OBJECT && !absent) {
		write_object(f->table, get_pointer(from + f->offset), w);
	} else if (absent && f->type == FIELD_SCALARS) {
		json_open(w, '{');
		json_close(w, '}');
	} else if (absent && (f->flags & FIELD_NULL)) {
		json_put_null(w);
	} else {
		assert(f->type != FIELD_OBJECT);
		write_value(f, from + f->offset, w);
	}
}

/* The members that the table does not know. */
static void
write_unknown(const struct field_table *table, const struct json *self,
	struct json_writer *w)
{
	const struct json *key = self + 1;

	for (uint32_t i = 0; i < self->count; i++) {
		if (!fields_find(table, key->text)) {
			json_key(w, key->text);
			json_put(w, key + 1);
		}
		key += 1 + key[1].span;
	}
}

static void
write_object(const struct field_table *table, const char *from,
	struct json_writer *w)
{
	const struct json *self = NULL;

	json_open(w, '{');
	for (uint32_t i = 0; i < table->count; i++) {
		const struct field *f = &table->fields[i];

		if (f->type == FIELD_SELF)
			self = get_pointer(from + f->offset);
		write_field(f, from, w);
	}
	if (table->keep && self != NULL)
		write_unknown(table, self, w);
	json_close(w, '}');
}

void
fields_write(const struct field_table *table, const void *from,
	struct json_writer *w)
{
	write_object(table, from, w);
}
