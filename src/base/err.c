#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/die.h"

#define PAWL_CODE_ROW(name, word, rc, retry, hint) \
	[name] = { word, rc, retry, hint },
static const struct pawl_code_info codes[] = { PAWL_CODE_MAP(PAWL_CODE_ROW) };

const struct pawl_code_info *
pawl_code_info(enum pawl_code code)
{
	assert(code < PAWL_CODE_COUNT);
	return &codes[code];
}

/* Text that was cut short at `len` bytes ends between two characters. */
static void
end_whole(char *text, size_t len)
{
	size_t at = len; /* where the last character's following bytes begin */
	unsigned char lead;

	while (at > 0 && len - at < 3 && (text[at - 1] & 0xc0) == 0x80)
		at--;
	if (at == 0)
		return;
	lead = (unsigned char)text[at - 1];
	if (lead >= 0xc0 &&
		len - at < (lead >= 0xf0                  ? 3u
					   : lead >= 0xe0 ? 2u
							  : 1u))
		text[at - 1] = '\0';
}

static void fill(char *to, size_t size, const char *fmt, va_list ap)
	PAWL_PRINTF(3, 0);

static void
fill(char *to, size_t size, const char *fmt, va_list ap)
{
	int n = vsnprintf(to, size, fmt, ap);

	if (n < 0)
		die("could not format '%s'", fmt);
	if ((size_t)n >= size)
		end_whole(to, size - 1);
	for (char *p = to; *p != '\0'; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
}

/* Put ": text" behind the message. */
static void
add(struct pawl_err *err, const char *text)
{
	size_t len = strlen(err->msg);
	int n = snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", text);

	if (n < 0)
		die("could not format '%s'", text);
	if ((size_t)n >= sizeof(err->msg) - len)
		end_whole(err->msg, sizeof(err->msg) - 1);
}

static enum pawl_rc
start(struct pawl_err *err, enum pawl_code code, int sys)
{
	*err = (struct pawl_err){
		.rc = pawl_code_info(code)->rc, .code = code, .sys = sys
	};
	return err->rc;
}

enum pawl_rc(pawl_fail)(
	struct pawl_err *err, enum pawl_code code, const char *fmt, ...)
{
	enum pawl_rc rc = start(err, code, 0);
	va_list ap;

	va_start(ap, fmt);
	fill(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return rc;
}

enum pawl_rc(pawl_fail_sys)(
	struct pawl_err *err, enum pawl_code code, const char *fmt, ...)
{
	int sys = errno;
	enum pawl_rc rc = start(err, code, sys);
	/* the text of strerror, without a search for a translation */
	const char *text = strerrordesc_np(sys);
	va_list ap;

	va_start(ap, fmt);
	fill(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	add(err, text != NULL ? text : strerror(sys));
	return rc;
}

enum pawl_rc(pawl_wrap)(struct pawl_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	va_list ap;

	assert(err->rc != PAWL_OK);
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	fill(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	add(err, old);
	return err->rc;
}

enum pawl_rc
pawl_hint(struct pawl_err *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return err->rc;
}

const char *
pawl_err_hint(const struct pawl_err *err)
{
	return err->hint[0] != '\0' ? err->hint
				    : pawl_code_info(err->code)->hint;
}
