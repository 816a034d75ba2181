#include "text/fields_decode.h"

#include <string.h>

#include "base/die.h"
#include "base/map.h"

enum {
	FEW_TEXTS = 16, /* up to which a list's texts are compared one by one */
};

static const struct str no_hint = { NULL, 0 };

static struct str
text_name(const void *table, uint32_t index)
{
	return ((const struct str *)table)[index];
}

/* Refuse texts that stand twice in the list, among those that are good. */
static void
check_unique(struct decode *d, const struct json *list, const struct str *texts,
	const struct step *path)
{
	const struct json *v = list + 1;
	struct map names = { 0 };

	for (uint32_t i = 0; i < list->count && decode_goes_on(d); i++) {
		struct step here = { .up = path, .index = i, .indexed = true };
		uint32_t first = i;

		if (texts[i].ptr == NULL) {
			v += v->span;
			continue;
		}
		if (list->count > FEW_TEXTS) {
			(void)map_add(
				&names, text_name, texts, texts[i], i, &first);
		} else {
			for (first = 0; !str_eq(texts[first], texts[i]);)
				first++;
		}
		if (first != i) {
			(void)decode_fault(d, &here, FAULT_DUPLICATE_VALUE, v,
				no_hint,
				"'" STR_FMT "' stands twice in the list",
				STR_ARG(decode_shown(texts[i])));
		}
		v += v->span;
	}
	map_release(&names);
}

size_t
field_item_size(const struct field *item)
{
	switch (item->type) {
	case FIELD_TEXT:
		return sizeof(struct str);
	case FIELD_INT:
		return sizeof(int64_t);
	case FIELD_BOOL:
		return sizeof(bool);
	case FIELD_ENUM:
		return sizeof(uint32_t);
	case FIELD_OBJECT:
		return item->table->size;
	case FIELD_LIST:
	case FIELD_SCALARS:
	case FIELD_SELF:
		break;
	}
	die("a list's items have a type that is not for items");
}

static void read_object(struct decode *d, const struct field_table *table,
	const struct json *v, const struct step *path, char *into);

/* The words of a list up to the first that isn't one. */
static uint32_t
read_words(const struct field *item, const struct json *list, char *to)
{
	const struct json *v = list + 1;
	uint32_t n = 0;

	for (; n < list->count && v->kind == JSON_STRING; n++, v++) {
		uint32_t word = decode_word(item, v->text);

		if (word == UINT32_MAX)
			break;
		memcpy(to + n * sizeof(word), &word, sizeof(word));
	}
	return n;
}

static void
no_word(char *to)
{
	const uint32_t none = FIELD_NO_WORD;

	memcpy(to, &none, sizeof(none));
}

static void
read_list(struct decode *d, const struct field *f, const struct json *list,
	const struct step *path, char *into)
{
	const struct field *item = f->item;
	size_t size = field_item_size(item);
	const struct json *v = list + 1;
	uint32_t i = 0;
	char *items;

	if (!decode_kind(d, f, list, path) || !decode_count(d, f, list, path))
		return;
	items = arena_alloc(d->doc->mem, list->count, size);
	if (item->type == FIELD_ENUM)
		i = read_words(item, list, items);
	for (v += i; i < list->count && decode_goes_on(d); i++) {
		struct step here = { .up = path, .index = i, .indexed = true };

		if (item->type != FIELD_OBJECT) {
			if (!decode_leaf(d, item, v, &here, items + i * size) &&
				item->type == FIELD_ENUM)
				no_word(items + i * size);
		} else if (decode_kind(d, item, v, &here)) {
			read_object(d, item->table, v, &here, items + i * size);
		}
		v += v->span;
	}
	if ((f->flags & FIELD_UNIQUE) && list->count > 1)
		check_unique(d, list, (const struct str *)(void *)items, path);
	decode_pointer(into + f->offset, items);
	memcpy(into + f->count_offset, &list->count, sizeof(list->count));
}

/* What the struct, which is zeroed, holds when the document says nothing. */
static void
preset(const struct field *f, const struct json *object, char *into)
{
	uint32_t word = (uint32_t)f->preset;
	bool yes = f->preset != 0;

	if (f->type == FIELD_SELF) {
		decode_pointer(into + f->offset, object);
	} else if (f->type == FIELD_INT) {
		memcpy(into + f->offset, &f->preset, sizeof(f->preset));
	} else if (f->type == FIELD_ENUM) {
		memcpy(into + f->offset, &word, sizeof(word));
	} else if (f->type == FIELD_BOOL) {
		memcpy(into + f->offset, &yes, sizeof(yes));
	}
}

static void
read_field(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path, char *into)
{
	char *inner;

	if (v->kind == JSON_NULL && (f->flags & FIELD_NULL)) {
		preset(f, v, into);
		return;
	}
	if (f->type == FIELD_LIST) {
		read_list(d, f, v, path, into);
	} else if (f->type == FIELD_OBJECT) {
		if (!decode_kind(d, f, v, path))
			return;
		inner = arena_alloc(d->doc->mem, 1, f->table->size);
		read_object(d, f->table, v, path, inner);
		decode_pointer(into + f->offset, inner);
	} else {
		(void)decode_leaf(d, f, v, path, into + f->offset);
	}
}

static inline bool
is_row(const struct field *f, struct str name)
{
	return decode_same(name, f->name.ptr, f->name.len) &&
		f->type != FIELD_SELF;
}

/* The row of `name`; most documents have their fields in table order, so the
 * search starts at `guess`. */
static uint32_t
find_row(const struct field_table *table, struct str name, uint32_t guess)
{
	for (uint32_t i = 0; i < table->count; i++) {
		uint32_t at = guess + i < table->count
			? guess + i
			: guess + i - table->count;

		if (is_row(&table->fields[at], name))
			return at;
	}
	return table->count;
}

const struct field *
fields_find(const struct field_table *table, struct str name)
{
	uint32_t row = find_row(table, name, 0);

	return row < table->count ? &table->fields[row] : NULL;
}

static PAWL_COLD void
stands_twice(struct decode *d, const struct json *key, const struct step *path)
{
	(void)decode_fault(d, path, FAULT_DUPLICATE_FIELD, key, no_hint,
		"the field stands twice");
}

static PAWL_COLD void
missing_field(struct decode *d, const struct field *f, const struct json *v,
	const struct step *path)
{
	d->missing = f->name;
	(void)decode_fault(d, path, FAULT_MISSING_FIELD, v, no_hint,
		"missing field '" STR_FMT "'", STR_ARG(f->name));
	d->missing = no_hint;
}

static PAWL_COLD void
unknown_field(struct decode *d, const struct field_table *table,
	const struct json *key, const struct step *path)
{
	(void)decode_fault(d, path, FAULT_UNKNOWN_FIELD, key,
		decode_hint(d->doc->mem, fields_nearest(table, key->text)),
		"unknown field '" STR_FMT "'",
		STR_ARG(decode_shown(key->text)));
}

static void
read_object(struct decode *d, const struct field_table *table,
	const struct json *v, const struct step *path, char *into)
{
	const struct json *key = v + 1;
	const uint64_t all = table->count < 64
		? (UINT64_C(1) << table->count) - 1
		: UINT64_MAX;
	uint64_t seen = 0;
	uint32_t row = 0;

	for (uint32_t i = 0; i < v->count && decode_goes_on(d); i++) {
		struct step here = { .up = path, .key = key->text };

		if (row >= table->count ||
			!is_row(&table->fields[row], key->text))
			row = find_row(table, key->text, row);
		if (row < table->count) {
			if (key->duplicate) {
				stands_twice(d, key, &here);
			} else {
				read_field(d, &table->fields[row], key + 1,
					&here, into);
			}
			seen |= UINT64_C(1) << row++;
		} else if (key->duplicate) {
			stands_twice(d, key, &here);
		} else if (!table->keep) {
			unknown_field(d, table, key, &here);
		}
		key += 1 + key[1].span;
	}
	if (seen == all)
		return;
	for (row = 0; row < table->count; row++) {
		const struct field *f = &table->fields[row];

		if (seen >> row & 1)
			continue;
		preset(f, v, into);
		if ((f->flags & FIELD_REQUIRED) && decode_goes_on(d))
			missing_field(d, f, v, path);
	}
}

enum pawl_rc
fields_parse(struct fields_doc *doc, const char *name, struct str bytes,
	size_t max, struct pawl_err *err)
{
	char *copy;

	if (bytes.len > max) {
		return pawl_fail(err, ERR_LIMIT,
			"%s of %zu bytes is over the limit of %zu", name,
			bytes.len, max);
	}
	copy = arena_strdup(doc->mem, bytes);
	doc->text = (struct str){ copy, bytes.len };
	return json_read(
		doc->mem, copy, bytes.len, JSON_STRICT, &doc->root, err);
}

enum pawl_rc
fields_read(struct fields_doc *doc, const struct field_table *table, void *into,
	struct pawl_err *err)
{
	static const struct field whole = { .type = FIELD_OBJECT };
	struct decode d = { .doc = doc, .err = err };

	assert(table->count <= 64);
	memset(into, 0, table->size);
	if (decode_kind(&d, &whole, doc->root, NULL))
		read_object(&d, table, doc->root, NULL, into);
	return doc->errors == 0 ? PAWL_OK : err->rc;
}

enum pawl_rc
fields_read_item(struct fields_doc *doc, const struct field *list,
	const struct json *item, uint32_t index, void *into,
	struct pawl_err *err)
{
	const struct field_table *table = list->item->table;
	const struct step in = { .key = list->name };
	const struct step here = { .up = &in, .index = index, .indexed = true };
	struct decode d = { .doc = doc, .err = err };
	uint32_t errors = doc->errors;

	assert(table->count <= 64);
	memset(into, 0, table->size);
	if (decode_kind(&d, list->item, item, &here))
		read_object(&d, table, item, &here, into);
	return doc->errors == errors ? PAWL_OK : err->rc;
}
