#include "base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"

char *
buf_reserve(struct buf *b, size_t len)
{
	size_t cap = b->cap ? b->cap : 64;

	assert(len < SIZE_MAX / 4 && b->len < SIZE_MAX / 4);
	while (cap - b->len <= len)
		cap *= 2;
	if (cap != b->cap) {
		b->data = die_realloc(b->data, cap, 1);
		b->cap = cap;
		b->data[b->len] = '\0';
	}
	return b->data + b->len;
}

void
buf_add(struct buf *b, struct str s)
{
	if (b->max != 0 && s.len > b->max - b->len) {
		b->overflow = true;
		s.len = b->max - b->len;
	}
	(void)buf_reserve(b, s.len);
	if (s.len > 0)
		memcpy(b->data + b->len, s.ptr, s.len);
	b->len += s.len;
	b->data[b->len] = '\0';
}

void
buf_addc(struct buf *b, char c)
{
	if (b->len + 1 < b->cap && b->max == 0) {
		b->data[b->len++] = c;
		b->data[b->len] = '\0';
		return;
	}
	buf_add(b, (struct str){ &c, 1 });
}

void
buf_addv(struct buf *b, const char *fmt, va_list ap)
{
	char small[512];
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	if (n < 0)
		die("could not format '%s'", fmt);
	if ((size_t)n < sizeof(small)) {
		buf_add(b, (struct str){ small, (size_t)n });
	} else {
		char *big = die_alloc((size_t)n + 1, 1);

		if (vsnprintf(big, (size_t)n + 1, fmt, again) != n)
			die("could not format '%s'", fmt);
		buf_add(b, (struct str){ big, (size_t)n });
		free(big);
	}
	va_end(again);
}

void
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(b, fmt, ap);
	va_end(ap);
}

void
buf_addu(struct buf *b, unsigned long long n)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n != 0);
	buf_add(b, (struct str){ digits + at, sizeof(digits) - at });
}

void
buf_addhex(struct buf *b, const void *bytes, size_t len)
{
	static const char digit[] = "0123456789abcdef";
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++) {
		char two[2] = { digit[p[i] >> 4], digit[p[i] & 15] };

		buf_add(b, (struct str){ two, 2 });
	}
}

struct str
buf_str(const struct buf *b)
{
	return (struct str){ b->data, b->len };
}

bool
buf_ok(const struct buf *b)
{
	return !b->overflow;
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	b->overflow = false;
	if (b->data != NULL)
		b->data[0] = '\0';
}

void
buf_release(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}
