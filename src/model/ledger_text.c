#include "model/ledger_text.h"

#include "base/bounds.h"
#include "text/utf8.h"

enum pawl_rc
ledger_text_check(const char *field, struct str text, size_t bytes_max,
	struct pawl_err *err)
{
	err->field = str_from(field);
	if (text.len > bytes_max)
		return pawl_fail(err, ERR_LIMIT,
			"%s of %zu bytes is over the limit of %zu", field,
			text.len, bytes_max);
	if (utf8_valid(text) < text.len)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"%s isn't UTF-8 at byte %zu", field, utf8_valid(text));
	for (struct str rest = text; rest.len > 0;) {
		uint32_t code = 0;
		size_t len = utf8_next(rest, &code);

		if (code < ' ' || (code >= 0x7f && code < 0xa0)) {
			(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
				"%s has a control character, U+%04X, at byte "
				"%zu",
				field, (unsigned)code, text.len - rest.len);
			return pawl_hint(err,
				"texts of a ledger are one line: write blanks "
				"for line ends and tabs");
		}
		rest = str_part(rest, len, rest.len);
	}
	if (str_trim(text).len == 0)
		return pawl_fail(
			err, ERR_INVALID_ARGUMENT, "%s is blank", field);
	err->field = (struct str){ 0 };
	return PAWL_OK;
}

enum pawl_rc
ledger_title_check(struct str title, struct pawl_err *err)
{
	size_t points = 0;

	for (size_t i = 0; i < title.len; i++)
		points += ((unsigned char)title.ptr[i] & 0xc0) != 0x80;
	if (points > BOUND_TITLE_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"title of %zu characters is over the limit of %d",
			points, BOUND_TITLE_BYTES);
	return ledger_text_check(
		"title", title, (size_t)4 * BOUND_TITLE_BYTES, err);
}
