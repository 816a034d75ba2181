#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "os/build_id.h"

#define A16 "0123456789abcdef"

enum { ID = 3 };

/* A note that isn't the last is padded. */
static void
add(struct buf *b, struct str name, uint32_t type, struct str value,
	size_t align)
{
	const uint32_t head[3] = { (uint32_t)name.len, (uint32_t)value.len,
		type };

	while (b->len % align != 0)
		buf_addc(b, '\0');
	buf_add(b, (struct str){ (const char *)head, sizeof(head) });
	buf_add(b, name);
	while (b->len % align != 0)
		buf_addc(b, '\0');
	buf_add(b, value);
}

/* In memory that ends where the notes do, so that a sanitizer sees more. */
static void
finds(const struct buf *b, size_t len, size_t align, struct str want)
{
	char *bytes = malloc(len > 0 ? len : 1);
	struct str found;

	assert_non_null(bytes);
	if (len > 0)
		memcpy(bytes, b->data, len);
	found = build_id_find((struct str){ bytes, len }, align);
	assert_int_equal(found.len, want.len);
	assert_true(str_eq(found, want));
	free(bytes);
}

static void
it_is_the_note_of_its_name_and_type(void **state)
{
	static const struct {
		struct str name, value;
		uint32_t type;
		bool is_one;
	} rows[] = {
		{ { "GNU", 4 }, { A16, 16 }, ID, true },
		{ { "GNU", 4 }, { A16 "0123", 20 }, ID, true },
		{ { "GNU", 4 }, { A16 A16 A16 A16, 64 }, ID, true },
		{ { "GNU", 4 }, { A16, 15 }, ID, false },
		{ { "GNU", 4 }, { A16 A16 A16 A16 "0", 65 }, ID, false },
		{ { "GNU", 4 }, { "", 0 }, ID, false },
		{ { "GNU", 4 }, { A16, 16 }, 1, false },
		{ { "GNU", 4 }, { A16, 16 }, 5, false },
		{ { "GNV", 4 }, { A16, 16 }, ID, false },
		{ { "GNU", 3 }, { A16, 16 }, ID, false },
		{ { "GNU\0x", 5 }, { A16, 16 }, ID, false },
		{ { "", 0 }, { A16, 16 }, ID, false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t align = 4; align <= 8; align += 4) {
			struct buf b = { 0 };

			add(&b, rows[i].name, rows[i].type, rows[i].value,
				align);
			finds(&b, b.len, align,
				rows[i].is_one ? rows[i].value : STR(""));
			buf_release(&b);
		}
	}
}

/* gcc's property note is before it, an odd one too; another one is after it. */
static void
it_is_found_among_others(void **state)
{
	const struct str gnu = { "GNU", 4 }, want = STR(A16 "wxyz");
	(void)state;

	for (size_t align = 4; align <= 8; align += 4) {
		struct buf b = { 0 };

		add(&b, gnu, 5, STR("propertypropert"), align);
		add(&b, (struct str){ "Linux", 6 }, ID, STR(A16 "x"), align);
		add(&b, gnu, ID, STR("short"), align);
		add(&b, gnu, ID, want, align);
		add(&b, gnu, 1, STR("abi"), align);
		finds(&b, b.len, align, want);
		buf_release(&b);
	}
}

/* However much of it is there, nothing behind it is read. */
static void
a_note_that_ends_too_early_is_none(void **state)
{
	const struct str gnu = { "GNU", 4 };
	struct buf b = { 0 };
	(void)state;

	add(&b, gnu, 1, STR("abi"), 4);
	add(&b, gnu, ID, STR(A16), 4);
	for (size_t len = 0; len < b.len; len++)
		finds(&b, len, 4, STR(""));
	finds(&b, b.len, 4, STR(A16));
	buf_release(&b);
}

static void
lengths_that_are_too_large_end_the_search(void **state)
{
	const struct str gnu = { "GNU", 4 };
	static const uint32_t lens[] = { 17, 4096, UINT32_MAX - 3, UINT32_MAX };
	(void)state;

	for (size_t i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		for (size_t field = 0; field < 2; field++) {
			struct buf b = { 0 };

			add(&b, gnu, ID, STR(A16), 4);
			memcpy(b.data + field * 4, &lens[i], 4);
			finds(&b, b.len, 4, STR(""));
			buf_release(&b);
		}
	}
}

/* The test programs are linked as pawl is; test/self says what it is. */
static void
this_program_has_one(void **state)
{
	(void)state;
	assert_int_equal(build_id_own().len, 20);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_the_note_of_its_name_and_type),
		cmocka_unit_test(it_is_found_among_others),
		cmocka_unit_test(a_note_that_ends_too_early_is_none),
		cmocka_unit_test(lengths_that_are_too_large_end_the_search),
		cmocka_unit_test(this_program_has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
