#include "model/column.h"

#include "model/event.h"

static void
list_write(struct json_writer *w, const struct strs *list)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < list->count; i++)
		json_put_str(w, list->items[i]);
	json_close(w, ']');
}

void
columns_write(struct json_writer *w, const struct column *cols, size_t count,
	const void *record)
{
	for (size_t i = 0; i < count; i++) {
		const void *p = (const char *)record + cols[i].offset;

		switch ((enum column_type)cols[i].type) {
		case COL_STR:
			json_put_str(w, *(const struct str *)p);
			break;
		case COL_U64:
			json_put_u64(w, *(const uint64_t *)p);
			break;
		case COL_U32:
			json_put_u64(w, *(const uint32_t *)p);
			break;
		case COL_U16:
			json_put_u64(w, *(const uint16_t *)p);
			break;
		case COL_U8:
			json_put_u64(w, *(const uint8_t *)p);
			break;
		case COL_BOOL:
			json_put_bool(w, *(const bool *)p);
			break;
		case COL_LIST:
			list_write(w, p);
			break;
		}
	}
}

void
record_write(struct json_writer *w, const struct column *cols, size_t count,
	const void *record)
{
	json_open(w, '[');
	columns_write(w, cols, count, record);
	json_close(w, ']');
}

/* Inlined, it looks to gcc 12 as if records without lists had some. */
static PAWL_NOINLINE bool
list_read(struct arena *mem, const struct json *v, struct strs *ret_list)
{
	const struct json *item = v + 1;
	struct strs list = { .count = 0 };

	if (v->kind != JSON_ARRAY)
		return false;
	list.items = arena_array(mem, v->count, struct str);
	for (; list.count < v->count; item += item->span) {
		if (item->kind != JSON_STRING)
			return false;
		list.items[list.count++] = arena_copy(mem, item->text);
	}
	*ret_list = list;
	return true;
}

static bool
number_read(const struct json *v, uint64_t max, uint64_t *ret_n)
{
	return event_number(v, ret_n) && *ret_n <= max;
}

static bool
column_read(struct arena *mem, const struct column *col, const struct json *v,
	void *record)
{
	void *p = (char *)record + col->offset;
	uint64_t n;

	switch ((enum column_type)col->type) {
	case COL_STR:
		if (v->kind != JSON_STRING)
			return false;
		*(struct str *)p = v->text.len ? arena_copy(mem, v->text)
					       : (struct str){ "", 0 };
		return true;
	case COL_U64:
		return event_number(v, (uint64_t *)p);
	case COL_U32:
		if (!number_read(v, UINT32_MAX, &n))
			return false;
		*(uint32_t *)p = (uint32_t)n;
		return true;
	case COL_U16:
		if (!number_read(v, UINT16_MAX, &n))
			return false;
		*(uint16_t *)p = (uint16_t)n;
		return true;
	case COL_U8:
		if (!number_read(v, UINT8_MAX, &n))
			return false;
		*(uint8_t *)p = (uint8_t)n;
		return true;
	case COL_BOOL:
		if (v->kind != JSON_BOOL)
			return false;
		*(bool *)p = v->n != 0;
		return true;
	case COL_LIST:
		return list_read(mem, v, p);
	}
	return false;
}

bool
columns_read(struct arena *mem, const struct column *cols, size_t count,
	const struct json *v, void *record, const struct json **ret_rest)
{
	const struct json *item;

	if (v == NULL || v->kind != JSON_ARRAY || v->count < count)
		return false;
	item = v + 1;
	for (size_t i = 0; i < count; i++) {
		if (!column_read(mem, &cols[i], item, record))
			return false;
		item += item->span;
	}
	*ret_rest = item;
	return true;
}
