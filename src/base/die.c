#include "base/die.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void
die(const char *fmt, ...)
{
	va_list ap;

	(void)fputs("pawl: ", stderr);
	va_start(ap, fmt);
	(void)vfprintf(stderr, fmt, ap);
	va_end(ap);
	(void)fputc('\n', stderr);
	exit(70);
}

void *
die_alloc(size_t count, size_t size)
{
	return die_realloc(NULL, count, size);
}

void *
die_realloc(void *old, size_t count, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(count, size, &bytes))
		die("out of memory: %zu elements of %zu bytes", count, size);
	p = realloc(old, bytes ? bytes : 1);
	if (p == NULL)
		die("out of memory: %zu bytes", bytes);
	return p;
}
