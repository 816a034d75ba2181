#include "text/fields.h"

#include <inttypes.h>

#include "base/bounds.h"
#include "base/die.h"

static void
put_pair(struct json_writer *w, struct str key, const char *text)
{
	json_pair_str(w, key, str_from(text));
}

/* "type", which may be null, too. */
static void
put_type(struct json_writer *w, const struct field *f, const char *type)
{
	if (!(f->flags & FIELD_NULL)) {
		put_pair(w, STR("type"), type);
		return;
	}
	json_key(w, STR("type"));
	json_open(w, '[');
	json_put_str(w, str_from(type));
	json_put_str(w, STR("null"));
	json_close(w, ']');
}

/* A default is of a field that may be absent; an item of a list can't be. */
static bool
has_default(const struct field *f)
{
	return f->name.len > 0 && !(f->flags & FIELD_REQUIRED);
}

static void
put_bound(struct json_writer *w, struct str key, int64_t n)
{
	json_key(w, key);
	json_put_i64(w, n);
}

static void
put_about(struct json_writer *w, const struct field *f)
{
	struct buf about = { 0 };

	if (f->about != NULL)
		buf_add(&about, str_from(f->about));
	if (f->type == FIELD_TEXT && !(f->flags & FIELD_POINTS)) {
		buf_addf(&about, "%sAt most %" PRId64 " bytes of UTF-8.",
			about.len ? " " : "", f->max);
	}
	if (f->type == FIELD_INT) {
		buf_addf(&about, "%sDigits only: no 1.0, no 1e0.",
			about.len ? " " : "");
	}
	if (about.len > 0)
		json_pair_str(w, STR("description"), buf_str(&about));
	buf_release(&about);
}

/* No control characters, in ECMA-262 with and without the u flag. */
static const char line_pattern[] = "^[^\\u0000-\\u001f\\u007f]*$";

/* The same, but LF, CR and tab. */
static const char lines_pattern[] =
	"^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f]*$";

static void
schema_text(const struct field *f, struct json_writer *w)
{
	const char *patterns[3];
	size_t count = 0;

	assert(f->min <= 1 || (f->flags & FIELD_POINTS));
	put_type(w, f, "string");
	if (f->min > 0)
		put_bound(w, STR("minLength"), f->min);
	put_bound(w, STR("maxLength"), f->max);
	if (f->pattern != NULL) {
		patterns[count++] = f->pattern;
	} else if (f->flags & FIELD_LINE) {
		patterns[count++] = line_pattern;
	} else {
		patterns[count++] = lines_pattern;
	}
	if (f->flags & FIELD_FILLED)
		patterns[count++] = "[^ \\t\\r\\n]";
	put_pair(w, STR("pattern"), patterns[0]);
	if (count == 1)
		return;
	json_key(w, STR("allOf"));
	json_open(w, '[');
	json_open(w, '{');
	put_pair(w, STR("pattern"), patterns[1]);
	json_close(w, '}');
	json_close(w, ']');
}

static void
schema_int(const struct field *f, struct json_writer *w)
{
	put_type(w, f, "integer");
	if (f->min == f->max && !(f->flags & FIELD_NULL)) {
		put_bound(w, STR("const"), f->min);
		return;
	}
	put_bound(w, STR("minimum"), f->min);
	put_bound(w, STR("maximum"), f->max);
	if (has_default(f) && f->preset >= f->min && f->preset <= f->max)
		put_bound(w, STR("default"), f->preset);
}

static void
schema_enum(const struct field *f, struct json_writer *w)
{
	json_key(w, STR("enum"));
	json_open(w, '[');
	for (size_t i = 0; f->words[i] != NULL; i++)
		json_put_str(w, str_from(f->words[i]));
	if (f->flags & FIELD_NULL)
		json_put_null(w);
	json_close(w, ']');
	if (has_default(f))
		put_pair(w, STR("default"), f->words[f->preset]);
}

static void
schema_scalars(const struct field *f, struct json_writer *w)
{
	put_type(w, f, "object");
	if (f->min > 0)
		put_bound(w, STR("minProperties"), f->min);
	put_bound(w, STR("maxProperties"), f->max);
	json_key(w, STR("propertyNames"));
	json_open(w, '{');
	put_bound(w, STR("minLength"), 1);
	put_bound(w, STR("maxLength"), BOUND_ID_BYTES);
	put_pair(w, STR("pattern"), line_pattern);
	json_close(w, '}');
	json_key(w, STR("additionalProperties"));
	json_open(w, '{');
	json_key(w, STR("type"));
	json_put_raw(w, STR("[\"string\",\"number\",\"boolean\",\"null\"]"));
	put_bound(w, STR("maxLength"), FIELD_SCALAR_BYTES);
	put_pair(w, STR("pattern"), lines_pattern);
	json_close(w, '}');
}

static void schema_members(
	const struct field_table *table, struct json_writer *w);

static void schema_value(const struct field *f, struct json_writer *w);

static void
schema_list(const struct field *f, struct json_writer *w)
{
	put_type(w, f, "array");
	if (f->min > 0)
		put_bound(w, STR("minItems"), f->min);
	put_bound(w, STR("maxItems"), f->max);
	if (f->flags & FIELD_UNIQUE)
		json_pair_bool(w, STR("uniqueItems"), true);
	json_key(w, STR("items"));
	schema_value(f->item, w);
}

static void
schema_value(const struct field *f, struct json_writer *w)
{
	json_open(w, '{');
	put_about(w, f);
	switch (f->type) {
	case FIELD_TEXT:
		schema_text(f, w);
		break;
	case FIELD_INT:
		schema_int(f, w);
		break;
	case FIELD_BOOL:
		put_type(w, f, "boolean");
		if (has_default(f))
			json_pair_bool(w, STR("default"), f->preset != 0);
		break;
	case FIELD_ENUM:
		schema_enum(f, w);
		break;
	case FIELD_OBJECT:
		put_type(w, f, "object");
		schema_members(f->table, w);
		break;
	case FIELD_LIST:
		schema_list(f, w);
		break;
	case FIELD_SCALARS:
		schema_scalars(f, w);
		break;
	case FIELD_SELF:
		assert(false);
	}
	json_close(w, '}');
}

/* What says which members an object has. */
static void
schema_members(const struct field_table *table, struct json_writer *w)
{
	if (!table->keep)
		json_pair_bool(w, STR("additionalProperties"), false);
	json_key(w, STR("required"));
	json_open(w, '[');
	for (uint32_t i = 0; i < table->count; i++) {
		if (table->fields[i].flags & FIELD_REQUIRED)
			json_put_str(w, table->fields[i].name);
	}
	json_close(w, ']');
	json_key(w, STR("properties"));
	json_open(w, '{');
	for (uint32_t i = 0; i < table->count; i++) {
		if (table->fields[i].type == FIELD_SELF)
			continue;
		json_key(w, table->fields[i].name);
		schema_value(&table->fields[i], w);
	}
	json_close(w, '}');
}

void
fields_schema(const struct field_table *table, struct json_writer *w)
{
	json_open(w, '{');
	put_pair(w, STR("$schema"),
		"https://json-schema.org/draft/2020-12/schema");
	if (table->id != NULL)
		put_pair(w, STR("$id"), table->id);
	put_pair(w, STR("title"), table->title);
	if (table->about != NULL)
		put_pair(w, STR("description"), table->about);
	put_pair(w, STR("type"), "object");
	schema_members(table, w);
	if (table->rules != NULL) {
		json_key(w, STR("allOf"));
		json_put_raw(w, str_from(table->rules));
	}
	json_close(w, '}');
}

void
fields_schema_text(const struct field_table *table, struct buf *out)
{
	struct json_writer w = { .out = out, .pretty = true };

	fields_schema(table, &w);
	buf_addc(out, '\n');
}
