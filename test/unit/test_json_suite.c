/*
 * JSONTestSuite (Nicolas Seriot), from $PAWL_TEST_DATA/json-test-suite: what
 * starts with y_ is read, n_ is refused, and each i_ is decided here.
 */
#include "golden.h"
#include "json_doc.h"

#include <dirent.h>
#include <stdio.h>

/* The suite leaves it to the reader; numbers keep their text. */
static const char *const i_read[] = {
	"i_number_double_huge_neg_exp.json",
	"i_number_huge_exp.json",
	"i_number_neg_int_huge_exp.json",
	"i_number_pos_double_huge_exp.json",
	"i_number_real_neg_overflow.json",
	"i_number_real_pos_overflow.json",
	"i_number_real_underflow.json",
	"i_number_too_big_neg_int.json",
	"i_number_too_big_pos_int.json",
	"i_number_very_big_negative_int.json",
	"i_structure_UTF-8_BOM_empty_object.json",
};

/* Bytes that are not UTF-8, half surrogate pairs, too deep. */
static const char *const i_refused[] = {
	"i_object_key_lone_2nd_surrogate.json",
	"i_string_1st_surrogate_but_2nd_missing.json",
	"i_string_1st_valid_surrogate_2nd_invalid.json",
	"i_string_UTF-16LE_with_BOM.json",
	"i_string_UTF-8_invalid_sequence.json",
	"i_string_UTF8_surrogate_U+D800.json",
	"i_string_incomplete_surrogate_and_escape_valid.json",
	"i_string_incomplete_surrogate_pair.json",
	"i_string_incomplete_surrogates_escape_valid.json",
	"i_string_invalid_lonely_surrogate.json",
	"i_string_invalid_surrogate.json",
	"i_string_invalid_utf-8.json",
	"i_string_inverted_surrogates_U+1D11E.json",
	"i_string_iso_latin_1.json",
	"i_string_lone_second_surrogate.json",
	"i_string_lone_utf8_continuation_byte.json",
	"i_string_not_in_unicode_range.json",
	"i_string_overlong_sequence_2_bytes.json",
	"i_string_overlong_sequence_6_bytes.json",
	"i_string_overlong_sequence_6_bytes_null.json",
	"i_string_truncated-utf-8.json",
	"i_string_utf16BE_no_BOM.json",
	"i_string_utf16LE_no_BOM.json",
	"i_structure_500_nested_arrays.json",
};

/* They are JSON, and refused all the same unless a flag lets them stand. */
static const char *const y_refused_strictly[] = {
	"y_object_duplicated_key.json",
	"y_object_duplicated_key_and_value.json",
	"y_object_escaped_null_in_key.json",
	"y_string_null_escape.json",
};

static bool
is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

static void
judge(const char *name, struct str text)
{
	enum json_flags loose = JSON_KEEP_DUPLICATES | JSON_KEEP_NUL;
	struct doc d = doc_read(text, loose);
	struct doc strict = doc_read(text, JSON_STRICT);
	bool wanted = name[0] == 'y' ||
		(name[0] == 'i' && is_one_of(name, i_read, COUNT(i_read)));

	if (name[0] == 'i' && !wanted &&
		!is_one_of(name, i_refused, COUNT(i_refused)))
		fail_msg("%s is not decided", name);
	if (wanted != (d.json != NULL))
		fail_msg("%s: %s", name, wanted ? d.err.msg : "was read");
	if (d.json == NULL && d.err.code != ERR_LIMIT)
		assert_int_equal(d.err.code, ERR_NOT_JSON);
	if (is_one_of(name, y_refused_strictly, COUNT(y_refused_strictly))) {
		assert_null(strict.json);
		assert_int_equal(strict.err.code, ERR_INVALID_DOCUMENT);
	} else if (wanted) {
		assert_non_null(strict.json);
		assert_string_equal(strict.written.data, d.written.data);
	} else {
		assert_null(strict.json);
	}
	doc_release(&d);
	doc_release(&strict);
}

static void
the_suite_is_decided_file_by_file(void **state)
{
	const char *data = getenv("PAWL_TEST_DATA");
	struct dirent *entry;
	char folder[2048], path[4096];
	unsigned count = 0;
	DIR *dir;

	(void)state;
	if (data == NULL || data[0] == '\0')
		skip();
	(void)snprintf(folder, sizeof(folder),
		"%s/json-test-suite/test_parsing", data);
	dir = opendir(folder);
	if (dir == NULL) {
		fail_msg("cannot open %s", folder);
		return; /* never: for the analyser */
	}
	while ((entry = readdir(dir)) != NULL) {
		struct buf text = { 0 };

		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(
			path, sizeof(path), "%s/%s", folder, entry->d_name);
		golden_read(path, &text);
		judge(entry->d_name, buf_str(&text));
		buf_release(&text);
		count++;
	}
	(void)closedir(dir);
	assert_true(count >= 318);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_suite_is_decided_file_by_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
