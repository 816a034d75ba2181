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

static void fill(char *to, size_t size, const char *fmt, va_list ap)
	PAWL_PRINTF(3, 0);

static void
fill(char *to, size_t size, const char *fmt, va_list ap)
{
	if (vsnprintf(to, size, fmt, ap) < 0)
		die("could not format '%s'", fmt);
	for (char *p = to; *p != '\0'; p++) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	}
}

static enum pawl_rc
start(struct pawl_err *err, enum pawl_code code, int sys)
{
	*err = (struct pawl_err){
		.rc = pawl_code_info(code)->rc, .code = code, .sys = sys
	};
	return err->rc;
}

enum pawl_rc
pawl_fail(struct pawl_err *err, enum pawl_code code, const char *fmt, ...)
{
	enum pawl_rc rc = start(err, code, 0);
	va_list ap;

	va_start(ap, fmt);
	fill(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return rc;
}

enum pawl_rc
pawl_fail_sys(struct pawl_err *err, enum pawl_code code, const char *fmt, ...)
{
	int sys = errno;
	enum pawl_rc rc = start(err, code, sys);
	size_t len;
	va_list ap;

	va_start(ap, fmt);
	fill(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	(void)snprintf(
		err->msg + len, sizeof(err->msg) - len, ": %s", strerror(sys));
	return rc;
}

enum pawl_rc
pawl_wrap(struct pawl_err *err, const char *fmt, ...)
{
	char old[sizeof(err->msg)];
	size_t len;
	va_list ap;

	assert(err->rc != PAWL_OK);
	memcpy(old, err->msg, sizeof(old));
	va_start(ap, fmt);
	fill(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	(void)snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", old);
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
