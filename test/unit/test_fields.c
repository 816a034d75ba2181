/* Field tables: one that has every type, read, judged, written, described. */
#include "golden.h"
#include "json_doc.h"

#include <stdio.h>

#include "text/fields.h"

enum colour { RED, GREEN, BLUE };

struct part {
	struct str id;
	int64_t weight;
};

struct card {
	int64_t version;
	struct str id;
	struct str title;
	struct str note;
	int64_t count;
	bool open;
	enum colour colour;
	const struct part *owner;
	const struct str *tags;
	uint32_t tags_count;
	const int64_t *sizes;
	uint32_t sizes_count;
	const enum colour *colours;
	uint32_t colours_count;
	const bool *marks;
	uint32_t marks_count;
	const struct part *parts;
	uint32_t parts_count;
	const struct json *refs;
	const struct json *self;
};

static const char *
id_fault(struct str s)
{
	return s.ptr[0] == '-' ? "starts with '-'" : NULL;
}

static const char *const colours[] = { "red", "green", "blue", NULL };

static const struct field part_rows[] = {
	{ FIELD_NAME("id"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 1, .max = 8,
		FIELD_AT(struct part, id) },
	{ FIELD_NAME("weight"), .type = FIELD_INT, .min = INT64_MIN,
		.max = INT64_MAX, .preset = 1, FIELD_AT(struct part, weight) },
};

static const struct field_table part_table = {
	FIELD_ROWS(part_rows),
	.size = sizeof(struct part),
};

static const struct field tag_item = {
	.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1, .max = 16
};
static const struct field size_item = { .type = FIELD_INT, .max = 99 };
static const struct field colour_item = { .type = FIELD_ENUM,
	.words = colours };
static const struct field mark_item = { .type = FIELD_BOOL };
static const struct field part_item = { .type = FIELD_OBJECT,
	.table = &part_table };

static const struct field card_rows[] = {
	{ FIELD_NAME("version"), .type = FIELD_INT, .flags = FIELD_REQUIRED,
		.min = 1, .max = 1, FIELD_AT(struct card, version) },
	{ FIELD_NAME("id"), .about = "Its name.", .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 1, .max = 8,
		.check = id_fault, .pattern = "^[^-]",
		FIELD_AT(struct card, id) },
	{ FIELD_NAME("title"), .type = FIELD_TEXT, .flags = FIELD_POINTS,
		.min = 2, .max = 4, FIELD_AT(struct card, title) },
	{ FIELD_NAME("note"), .type = FIELD_TEXT,
		.flags = FIELD_FILLED | FIELD_NULL, .max = 20,
		FIELD_AT(struct card, note) },
	{ FIELD_NAME("count"), .about = "How many.", .type = FIELD_INT,
		.min = 1, .max = 10, .preset = 3,
		FIELD_AT(struct card, count) },
	{ FIELD_NAME("open"), .type = FIELD_BOOL, .preset = 1,
		FIELD_AT(struct card, open) },
	{ FIELD_NAME("colour"), .type = FIELD_ENUM, .words = colours,
		.preset = GREEN, FIELD_AT(struct card, colour) },
	{ FIELD_NAME("owner"), .type = FIELD_OBJECT, .flags = FIELD_NULL,
		.table = &part_table, FIELD_AT(struct card, owner) },
	{ FIELD_NAME("tags"), .type = FIELD_LIST, .flags = FIELD_UNIQUE,
		.item = &tag_item, .max = 20, FIELD_ITEMS(struct card, tags) },
	{ FIELD_NAME("sizes"), .type = FIELD_LIST, .item = &size_item, .min = 1,
		.max = 3, FIELD_ITEMS(struct card, sizes) },
	{ FIELD_NAME("colours"), .type = FIELD_LIST, .item = &colour_item,
		.max = 3, FIELD_ITEMS(struct card, colours) },
	{ FIELD_NAME("marks"), .type = FIELD_LIST, .item = &mark_item, .max = 3,
		FIELD_ITEMS(struct card, marks) },
	{ FIELD_NAME("parts"), .type = FIELD_LIST, .item = &part_item, .max = 3,
		FIELD_ITEMS(struct card, parts) },
	{ FIELD_NAME("refs"), .type = FIELD_SCALARS, .max = 5,
		FIELD_AT(struct card, refs) },
	{ .type = FIELD_SELF, FIELD_AT(struct card, self) },
};

static const struct field_table card_table = {
	.title = "Card",
	.about = "A card of the test.",
	.id = "card.schema.json",
	.rules = "[{\"not\":{\"required\":[\"open\",\"note\"]}}]",
	FIELD_ROWS(card_rows),
	.size = sizeof(struct card),
};

/* The same, from a newer version: what is unknown stays. */
static const struct field_table loose_table = {
	.title = "Card",
	FIELD_ROWS(card_rows),
	.keep = true,
	.size = sizeof(struct card),
};

/* All that was reported. */
struct log {
	struct buf text;
};

static void
log_error(void *arg, const struct field_error *e)
{
	struct log *log = arg;

	buf_addf(&log->text, "%s " STR_FMT " %u:%u " STR_FMT "|" STR_FMT "\n",
		field_fault_word(e->fault), STR_ARG(e->pointer), e->line,
		e->column, STR_ARG(e->message), STR_ARG(e->hint));
}

static enum pawl_rc
card_read(struct doc *d, const struct field_table *table, struct log *log,
	struct card *c)
{
	struct fields_doc doc = {
		.mem = &d->mem,
		.root = d->json,
		.code = ERR_INVALID_DOCUMENT,
		.report = log ? log_error : NULL,
		.arg = log,
	};

	assert_non_null(d->json);
	doc.text = (struct str){ d->bytes, d->len };
	return fields_read(&doc, table, c, &d->err);
}

static const char whole[] =
	"{\"version\":1,\"id\":\"a\",\"title\":\"\xc3\xa4\xc3\xa4\","
	"\"note\":\"n\\tn\",\"count\":10,\"open\":false,\"colour\":\"blue\","
	"\"owner\":{\"id\":\"o\",\"weight\":-5},\"tags\":[\"x\",\"y\"],"
	"\"sizes\":[0,99],\"colours\":[\"blue\",\"red\"],"
	"\"marks\":[true,false,true],"
	"\"parts\":[{\"id\":\"p\"},{\"id\":\"q\",\"weight\":7}],"
	"\"refs\":{\"a\":1,\"b\":\"x\",\"c\":null,\"d\":true,\"e\":1.5}}";

static void
every_type_is_decoded(void **state)
{
	struct doc d = doc_read(str_from(whole), JSON_STRICT);
	struct card c;

	(void)state;
	assert_int_equal(card_read(&d, &card_table, NULL, &c), PAWL_OK);
	assert_true(c.version == 1);
	assert_true(str_eq(c.id, STR("a")));
	assert_true(str_eq(c.title, STR("\xc3\xa4\xc3\xa4")));
	assert_true(str_eq(c.note, STR("n\tn")));
	assert_true(c.count == 10);
	assert_false(c.open);
	assert_int_equal(c.colour, BLUE);
	assert_true(str_eq(c.owner->id, STR("o")));
	assert_true(c.owner->weight == -5);
	assert_int_equal(c.tags_count, 2);
	assert_true(str_eq(c.tags[1], STR("y")));
	assert_int_equal(c.sizes_count, 2);
	assert_true(c.sizes[0] == 0 && c.sizes[1] == 99);
	assert_int_equal(c.colours_count, 2);
	assert_int_equal(c.colours[0], BLUE);
	assert_int_equal(c.colours[1], RED);
	assert_int_equal(c.marks_count, 3);
	assert_true(c.marks[0] && !c.marks[1] && c.marks[2]);
	assert_int_equal(c.parts_count, 2);
	assert_true(str_eq(c.parts[1].id, STR("q")));
	assert_true(c.parts[0].weight == 1 && c.parts[1].weight == 7);
	assert_int_equal(c.refs->count, 5);
	assert_ptr_equal(c.self, d.json);
	doc_release(&d);
}

static void
absent_fields_have_their_presets(void **state)
{
	static const char *const rows[] = {
		"{\"version\":1,\"id\":\"a\"}",
		"{\"id\":\"a\",\"owner\":null,\"note\":null,\"version\":1}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct doc d = doc_read(str_from(rows[i]), JSON_STRICT);
		struct card c;

		assert_int_equal(card_read(&d, &card_table, NULL, &c), PAWL_OK);
		assert_null(c.title.ptr);
		assert_null(c.note.ptr);
		assert_true(c.count == 3);
		assert_true(c.open);
		assert_int_equal(c.colour, GREEN);
		assert_null(c.owner);
		assert_null(c.tags);
		assert_int_equal(c.tags_count, 0);
		assert_null(c.parts);
		assert_null(c.refs);
		doc_release(&d);
	}
}

/* So that what is good in it can be told from what isn't. */
static void
a_list_keeps_the_places_of_items_that_are_not_good(void **state)
{
	struct doc d = doc_read(STR("{\"version\":1,\"id\":\"a\",\"colours\":"
				    "[\"blue\",\"pink\",1],\"tags\":[\"x\",1,"
				    "\"\",\"y\"]}"),
		JSON_STRICT);
	struct log log = { 0 };
	struct card c;

	(void)state;
	assert_true(card_read(&d, &card_table, &log, &c) != PAWL_OK);
	assert_int_equal(c.colours_count, 3);
	assert_int_equal(c.colours[0], BLUE);
	assert_int_equal(c.colours[1], FIELD_NO_WORD);
	assert_int_equal(c.colours[2], FIELD_NO_WORD);
	assert_int_equal(c.tags_count, 4);
	assert_null(c.tags[1].ptr);
	assert_null(c.tags[2].ptr);
	assert_true(str_eq(c.tags[3], STR("y")));
	buf_release(&log.text);
	doc_release(&d);
}

/* A missing field is named, for who doesn't read messages. */
static void
log_missing(void *arg, const struct field_error *e)
{
	struct log *log = arg;

	buf_addf(&log->text, "%s " STR_FMT "\n", field_fault_word(e->fault),
		STR_ARG(e->missing));
}

static void
a_missing_field_is_named(void **state)
{
	struct doc d = doc_read(STR("{\"x\":1,\"open\":1}"), JSON_STRICT);
	struct log log = { 0 };
	struct card c;
	struct fields_doc doc = {
		.mem = &d.mem,
		.root = d.json,
		.code = ERR_INVALID_DOCUMENT,
		.report = log_missing,
		.arg = &log,
	};

	(void)state;
	assert_true(fields_read(&doc, &card_table, &c, &d.err) != PAWL_OK);
	assert_string_equal(log.text.data,
		"unknown_field \nwrong_type \n"
		"missing_field version\nmissing_field id\n");
	buf_release(&log.text);
	doc_release(&d);
}

/* Texts are looked at eight bytes at a time. */
static void
a_control_character_is_found_wherever_it_stands(void **state)
{
	static const char bytes[] = { 0x00, 0x09, 0x1f, 0x20, 0x7e, 0x7f };
	char text[40];

	(void)state;
	for (size_t i = 0; i < COUNT(bytes) * 20 * 20; i++) {
		size_t len = i % 20 + 1, at = i / 20 % 20;
		char c = bytes[i / 400];
		struct json v[2] = {
			{ .kind = JSON_ARRAY, .count = 1, .span = 2 },
			{ .kind = JSON_STRING, .span = 1 }
		};
		struct card card;
		struct pawl_err err = { 0 };
		struct arena mem = ARENA_INIT;
		static const struct field item = {
			.type = FIELD_TEXT, .flags = FIELD_LINE, .max = 40
		};
		static const struct field rows[] = { { FIELD_NAME("tags"),
			.type = FIELD_LIST, .item = &item, .max = 1,
			FIELD_ITEMS(struct card, tags) } };
		static const struct field_table table = { FIELD_ROWS(rows),
			.size = sizeof(struct card) };
		struct json tape[4] = {
			{ .kind = JSON_OBJECT, .count = 1, .span = 4 },
			{ .kind = JSON_STRING, .span = 1, .text = STR("tags") },
			v[0], v[1]
		};
		struct fields_doc doc = {
			.mem = &mem, .root = tape, .code = ERR_INVALID_DOCUMENT
		};

		if (at >= len)
			continue;
		memset(text, 'x', sizeof(text));
		text[at] = c;
		tape[3].text = (struct str){ text, len };
		assert_int_equal(
			fields_read(&doc, &table, &card, &err) == PAWL_OK,
			c == 0x20 || c == 0x7e);
		arena_reset(&mem);
	}
}

/* `in` stands in {"version":1,"id":"a",HERE}, on a line of its own. */
static void
assert_faults(const char *in, const char *wanted)
{
	struct log log = { 0 };
	struct buf text = { 0 };
	struct card c;
	struct doc d;
	enum pawl_rc rc;

	buf_addf(&text, "{\"version\":1,\"id\":\"a\",\n%s}", in);
	d = doc_read(buf_str(&text), JSON_KEEP_DUPLICATES);
	rc = card_read(&d, &card_table, &log, &c);
	if (wanted == NULL) {
		if (rc != PAWL_OK)
			fail_msg("%s: %s", in, log.text.data);
	} else {
		if (rc == PAWL_OK)
			fail_msg("%s was read", in);
		assert_string_equal(log.text.data, wanted);
		assert_int_equal(d.err.code, ERR_INVALID_DOCUMENT);
	}
	buf_release(&log.text);
	buf_release(&text);
	doc_release(&d);
}

static const char *const faults[][2] = {
	{ "\"colr\":1",
		"unknown_field /colr 2:1 unknown field 'colr'|"
		"did you mean 'colour'?\n" },
	{ "\"zzzz\":1", "unknown_field /zzzz 2:1 unknown field 'zzzz'|\n" },
	{ "\"a/b~c\":1",
		"unknown_field /a~1b~0c 2:1 unknown field 'a/b~c'|\n" },
	{ "\"open\":\"no\"",
		"wrong_type /open 2:8 expected true or "
		"false, found a text|\n" },
	{ "\"count\":1.0",
		"wrong_type /count 2:9 expected an integer, found a "
		"number that is no 64-bit integer|\n" },
	{ "\"count\":null",
		"wrong_type /count 2:9 expected an "
		"integer, found null|\n" },
	{ "\"title\":7",
		"wrong_type /title 2:9 expected a text, found "
		"a number|\n" },
	{ "\"tags\":{}",
		"wrong_type /tags 2:8 expected a list, found "
		"an object|\n" },
	{ "\"tags\":[\"x\",[]]",
		"wrong_type /tags/1 2:13 expected a "
		"text, found a list|\n" },
	{ "\"owner\":true",
		"wrong_type /owner 2:9 expected an object, found true "
		"or false|\n" },
	{ "\"owner\":{}", "missing_field /owner 2:9 missing field 'id'|\n" },
	{ "\"parts\":[{\"id\":\"p\"},{\"id\":\"\"}]",
		"out_of_bounds /parts/1/id 2:27 text of 0 bytes is "
		"under the limit of 1|\n" },
	{ "\"parts\":[7]",
		"wrong_type /parts/0 2:10 expected an "
		"object, found a number|\n" },
	{ "\"parts\":[{\"id\":\"p\",\"weigth\":1}]",
		"unknown_field /parts/0/weigth 2:20 unknown field "
		"'weigth'|did you mean 'weight'?\n" },
	{ "\"colour\":\"bleu\"",
		"invalid_value /colour 2:10 'bleu' is none of red, "
		"green, blue|did you mean 'blue'?\n" },
	{ "\"colours\":[\"red\",\"\"]",
		"invalid_value /colours/1 2:18 '' is none of red, "
		"green, blue|\n" },
	{ "\"note\":\" \\n\"", "invalid_value /note 2:8 the text is blank|\n" },
	{ "\"note\":\"\\u001b[0m\"",
		"invalid_value /note 2:8 control character 0x1b in "
		"the text|\n" },
	{ "\"tags\":[\"a\\tb\"]",
		"invalid_value /tags/0 2:9 control character 0x09 in "
		"the text|\n" },
	{ "\"refs\":{\"a\":[1]}",
		"wrong_type /refs/a 2:13 expected a text, a number, "
		"true, false or null, found a list|\n" },
	{ "\"refs\":{\"a\":\"\\u0007\"}",
		"invalid_value /refs/a 2:13 control character 0x07 in the "
		"text|\n" },
	{ "\"refs\":{\"\":1}",
		"invalid_value /refs 2:9 '' is not a name of 1 to 128 "
		"bytes|\n" },
	{ "\"refs\":{\"a\":1,\"a\":2}",
		"duplicate_field /refs/a 2:15 the field stands "
		"twice|\n" },
	{ "\"open\":true,\"open\":true",
		"duplicate_field /open 2:13 the field stands "
		"twice|\n" },
	{ "\"tags\":[\"x\",\"y\",\"x\"]",
		"duplicate_value /tags/2 2:17 'x' stands twice in the "
		"list|\n" },
	{ "\"zz\":1,\"zz\":2,\"zz\":2",
		"unknown_field /zz 2:1 unknown field 'zz'|\n"
		"duplicate_field /zz 2:8 the field stands twice|\n"
		"duplicate_field /zz 2:15 the field stands twice|\n" },
	/* those that are good, among others */
	{ "\"tags\":[\"x\",\"\",1,\"x\",\"\"]",
		"out_of_bounds /tags/1 2:13 text of 0 bytes is under the "
		"limit of 1|\n"
		"wrong_type /tags/2 2:16 expected a text, found a number|\n"
		"out_of_bounds /tags/4 2:22 text of 0 bytes is under the "
		"limit of 1|\n"
		"duplicate_value /tags/3 2:18 'x' stands twice in the "
		"list|\n" },
	/* all of them */
	{ "\"count\":0,\"owner\":{\"weight\":\"\"},\n\"x\\ny\":1,"
	  "\"sizes\":[100,\"\"]",
		"out_of_bounds /count 2:9 0 is not from 1 to 10|\n"
		"wrong_type /owner/weight 2:29 expected an integer, "
		"found a text|\n"
		"missing_field /owner 2:19 missing field 'id'|\n"
		"unknown_field /x\ny 3:1 unknown field 'x\ny'|\n"
		"out_of_bounds /sizes/0 3:19 100 is not from 0 to "
		"99|\n"
		"wrong_type /sizes/1 3:23 expected an integer, found "
		"a text|\n" },
};

static void
errors_name_place_and_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(faults); i++)
		assert_faults(faults[i][0], faults[i][1]);
}

/* Below, at and above each bound of the table. */
static void
bounds_hold(void **state)
{
	static const struct {
		const char *in;
		const char *wanted;
	} rows[] = {
		{ "\"count\":0", "/count 2:9 0 is not from 1 to 10" },
		{ "\"count\":1", NULL },
		{ "\"count\":10", NULL },
		{ "\"count\":11", "/count 2:9 11 is not from 1 to 10" },
		{ "\"title\":\"\xf0\x9f\x98\x80\"",
			"/title 2:9 text of 1 code points is under the limit "
			"of 2" },
		{ "\"title\":\"\xf0\x9f\x98\x80z\"", NULL },
		{ "\"title\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"", NULL },
		{ "\"title\":\"abcde\"",
			"/title 2:9 text of 5 code points is over the limit "
			"of 4" },
		{ "\"note\":\"1234567890123456789\"", NULL },
		{ "\"note\":\"123456789012345678\xc3\xa4\"", NULL },
		{ "\"note\":\"1234567890123456789\xc3\xa4\"",
			"/note 2:8 text of 21 bytes is over the limit of 20" },
		{ "\"sizes\":[]",
			"/sizes 2:9 0 items are under the limit of 1" },
		{ "\"sizes\":[1]", NULL },
		{ "\"sizes\":[1,2,3]", NULL },
		{ "\"sizes\":[1,2,3,4]",
			"/sizes 2:9 4 items are over the limit of 3" },
		{ "\"refs\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}", NULL },
		{ "\"refs\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1}",
			"/refs 2:8 6 members are over the limit of 5" },
		{ "\"owner\":{\"id\":\"a\",\"weight\":-9223372036854775808}",
			NULL },
		{ "\"owner\":{\"id\":\"a\",\"weight\":9223372036854775807}",
			NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char wanted[200];

		(void)snprintf(wanted, sizeof(wanted), "out_of_bounds %s|\n",
			rows[i].wanted ? rows[i].wanted : "");
		assert_faults(rows[i].in, rows[i].wanted ? wanted : NULL);
	}
}

static void
scalars_are_bounded(void **state)
{
	(void)state;
	for (int over = 0; over <= 1; over++) {
		struct buf text = { 0 }, name = { 0 };

		buf_add(&text, STR("\"refs\":{\"a\":\""));
		for (int i = 0; i < FIELD_SCALAR_BYTES + over; i++)
			buf_addc(&text, 'x');
		buf_add(&text, STR("\"}"));
		assert_faults(text.data,
			over ? "out_of_bounds /refs/a 2:13 text of 4097 bytes "
			       "is over the limit of 4096|\n"
			     : NULL);
		buf_add(&name, STR("\"refs\":{\""));
		for (int i = 0; i < 128 + over; i++)
			buf_addc(&name, 'x');
		buf_add(&name, STR("\":0}"));
		assert_faults(name.data,
			over ? "invalid_value /refs 2:9 'xxxxxxxxxxxxxxxxxxxx"
			       "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' "
			       "is not a name of 1 to 128 bytes|\n"
			     : NULL);
		buf_release(&text);
		buf_release(&name);
	}
}

/* Few texts are compared one by one, many by a hash. */
static void
equal_texts_are_found_at_every_size(void **state)
{
	(void)state;
	for (unsigned count = 2; count <= 20; count++) {
		for (unsigned twice = 0; twice < count; twice++) {
			struct buf text = { 0 };
			char wanted[100];

			buf_add(&text, STR("\"tags\":["));
			for (unsigned i = 0; i < count; i++) {
				buf_addf(&text, "%s\"t%02u\"", i ? "," : "",
					i == twice ? 0 : i);
			}
			buf_add(&text, STR("]"));
			(void)snprintf(wanted, sizeof(wanted),
				"duplicate_value /tags/%u 2:%u 't00' stands "
				"twice in the list|\n",
				twice, 9 + 6 * twice);
			assert_faults(text.data, twice ? wanted : NULL);
			buf_release(&text);
		}
	}
}

static void
the_first_error_ends_it_when_nobody_collects(void **state)
{
	struct doc d =
		doc_read(STR("{\"id\":\"-x\",\n \"tags\":[1,2],\"bad\":1}"),
			JSON_STRICT);
	struct card c;

	(void)state;
	assert_int_equal(card_read(&d, &card_table, NULL, &c), PAWL_ENO);
	assert_string_equal(
		d.err.msg, "/id (line 1, column 7): '-x' starts with '-'");
	assert_true(str_eq(d.err.field, STR("/id")));
	assert_int_equal(d.err.code, ERR_INVALID_DOCUMENT);
	doc_release(&d);

	d = doc_read(
		STR("{\"version\":1,\"id\":\"a\",\"tgs\":[]}"), JSON_STRICT);
	assert_int_equal(card_read(&d, &card_table, NULL, &c), PAWL_ENO);
	assert_string_equal(
		d.err.msg, "/tgs (line 1, column 23): unknown field 'tgs'");
	assert_string_equal(pawl_err_hint(&d.err), "did you mean 'tags'?");
	doc_release(&d);

	d = doc_read(STR("[]"), JSON_STRICT);
	assert_int_equal(card_read(&d, &card_table, NULL, &c), PAWL_ENO);
	assert_string_equal(d.err.msg,
		"the document (line 1, column 1): expected an object, found a "
		"list");
	assert_int_equal(d.err.field.len, 0);
	doc_release(&d);
}

static void
every_required_field_is_asked_for(void **state)
{
	struct doc d = doc_read(STR("{}"), JSON_STRICT);
	struct log log = { 0 };
	struct card c;

	(void)state;
	assert_int_equal(card_read(&d, &card_table, &log, &c), PAWL_ENO);
	assert_string_equal(log.text.data,
		"missing_field  1:1 missing field 'version'|\n"
		"missing_field  1:1 missing field 'id'|\n");
	buf_release(&log.text);
	doc_release(&d);
}

/* Lines are found once, however many errors there are and in any order. */
static void
a_hundred_thousand_errors_are_collected(void **state)
{
	struct buf text = { 0 };
	struct log log = { 0 };
	struct card c;
	struct doc d;

	(void)state;
	buf_add(&text, STR("{\"id\":\"a\",\"version\":1"));
	for (unsigned i = 0; i < 100000; i++)
		buf_addf(&text, ",\n\"unknown-%u\":\"\\n\"", i);
	buf_add(&text, STR("}"));
	d = doc_read(buf_str(&text), JSON_STRICT);
	assert_int_equal(card_read(&d, &card_table, &log, &c), PAWL_ENO);
	assert_non_null(strstr(log.text.data,
		"unknown_field /unknown-99999 100001:1 unknown field "
		"'unknown-99999'|\n"));
	buf_release(&log.text);
	buf_release(&text);
	doc_release(&d);
}

static void
assert_writes(struct str in, const struct field_table *table, const char *out)
{
	struct doc d = doc_read(in, JSON_STRICT);
	struct buf written = { 0 };
	struct json_writer w = { .out = &written };
	struct card c;

	assert_int_equal(card_read(&d, table, NULL, &c), PAWL_OK);
	fields_write(table, &c, &w);
	assert_string_equal(written.data, out);
	buf_release(&written);
	doc_release(&d);
}

static void
what_was_read_is_written_in_table_order(void **state)
{
	(void)state;
	assert_writes(str_from(whole), &card_table, whole);
	assert_writes(STR("{\"tags\":[],\"id\":\"a\",\"colour\":\"green\","
			  "\"open\":true,\"owner\":null,\"version\":1}"),
		&card_table, "{\"version\":1,\"id\":\"a\",\"tags\":[]}");
}

static void
unknown_fields_are_kept_where_they_may(void **state)
{
	(void)state;
	assert_writes(STR("{\"new\":{\"a\":[1]},\"version\":1,\"id\":\"a\","
			  "\"newer\":null}"),
		&loose_table,
		"{\"version\":1,\"id\":\"a\",\"new\":{\"a\":[1]},"
		"\"newer\":null}");
}

/* Golden: what is published changes only when somebody wants it to. */
static void
the_schema_says_what_the_table_says(void **state)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .pretty = true };

	(void)state;
	fields_schema(&card_table, &w);
	buf_addc(&out, '\n');
	golden_check("test/golden/card.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_decoded),
		cmocka_unit_test(absent_fields_have_their_presets),
		cmocka_unit_test(
			a_list_keeps_the_places_of_items_that_are_not_good),
		cmocka_unit_test(a_missing_field_is_named),
		cmocka_unit_test(
			a_control_character_is_found_wherever_it_stands),
		cmocka_unit_test(errors_name_place_and_reason),
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(scalars_are_bounded),
		cmocka_unit_test(equal_texts_are_found_at_every_size),
		cmocka_unit_test(the_first_error_ends_it_when_nobody_collects),
		cmocka_unit_test(every_required_field_is_asked_for),
		cmocka_unit_test(a_hundred_thousand_errors_are_collected),
		cmocka_unit_test(what_was_read_is_written_in_table_order),
		cmocka_unit_test(unknown_fields_are_kept_where_they_may),
		cmocka_unit_test(the_schema_says_what_the_table_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
