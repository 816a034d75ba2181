#include "model/task_bytes.h"

#include <string.h>

#include "base/bounds.h"
#include "text/utf8.h"

/* UTF-16 and UTF-32 by their mark, or by NULs beside ASCII. */
static const char *
other_encoding(struct str t)
{
	if (str_starts(t, STR("\xff\xfe\0\0")) ||
		str_starts(t, STR("\0\0\xfe\xff")))
		return "UTF-32";
	if (str_starts(t, STR("\xff\xfe")) || str_starts(t, STR("\xfe\xff")))
		return "UTF-16";
	if (t.len >= 4 &&
		((t.ptr[0] == 0 && t.ptr[1] != 0 && t.ptr[2] == 0 &&
			 t.ptr[3] != 0) ||
			(t.ptr[0] != 0 && t.ptr[1] == 0 && t.ptr[2] != 0 &&
				t.ptr[3] == 0)))
		return "UTF-16";
	return NULL;
}

/* Eight bytes of ASCII without NUL and CR. */
static bool
is_plain(const char *p)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t tops = 0x8080808080808080u;
	uint64_t w;
	uint64_t cr;

	memcpy(&w, p, sizeof(w));
	cr = w ^ (ones * '\r');
	return ((w | (w - ones) | ((cr - ones) & ~cr)) & tops) == 0;
}

PAWL_COLD static bool
refuse_byte(struct str text, size_t at, struct findings *errors)
{
	struct pawl_err err = { 0 };

	if (text.ptr[at] == '\0')
		(void)pawl_fail(&err, ERR_INVALID_TASKS, "NUL byte");
	else
		(void)pawl_fail(&err, ERR_INVALID_TASKS,
			"not UTF-8: byte 0x%02x", (unsigned char)text.ptr[at]);
	(void)pawl_hint(&err, "save the list as UTF-8 text");
	findings_take(errors, at, &err);
	return false;
}

bool
task_bytes_check(struct str text, struct findings *errors, bool *ret_lone_cr)
{
	const char *other = other_encoding(text);
	struct pawl_err err = { 0 };
	bool lone_cr = false;
	size_t at = 0;

	if (text.len > BOUND_LIST_BYTES) {
		(void)pawl_fail(&err, ERR_LIMIT,
			"list of %zu bytes is over the limit of %d", text.len,
			BOUND_LIST_BYTES);
		findings_take(errors, 0, &err);
		return false;
	}
	if (other != NULL) {
		(void)pawl_fail(
			&err, ERR_INVALID_TASKS, "the list is %s", other);
		(void)pawl_hint(&err, "iconv -f %s -t UTF-8 LIST", other);
		findings_take(errors, 0, &err);
		return false;
	}
	while (at < text.len) {
		uint32_t code;
		size_t n;

		if (text.len - at >= 8 && is_plain(text.ptr + at)) {
			at += 8;
			continue;
		}
		n = utf8_next(str_part(text, at, 4), &code);
		if (n == 0 || code == 0)
			return refuse_byte(text, at, errors);
		if (code == '\r' &&
			(at + 1 == text.len || text.ptr[at + 1] != '\n'))
			lone_cr = true;
		at += n;
	}
	*ret_lone_cr = lone_cr;
	return true;
}
