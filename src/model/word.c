#include "model/word.h"

#include "base/buf.h"

enum { WORD_SHOWN_MAX = 64 }; /* bytes of the wrong one */

enum pawl_rc
word_unknown(const char *what, struct str word, const struct str *words,
	size_t count, enum pawl_code code, struct pawl_err *err)
{
	struct buf list = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_add(&list, i > 0 ? STR(", ") : STR(""));
		buf_add(&list, words[i]);
	}
	(void)pawl_fail(err, code, "%s '" STR_FMT "' is none of " STR_FMT, what,
		STR_ARG(str_part(word, 0, WORD_SHOWN_MAX)),
		STR_ARG(buf_str(&list)));
	buf_release(&list);
	return err->rc;
}
