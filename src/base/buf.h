/*
 * buf: bytes that are being built.
 *
 * Always NUL-terminated once it holds anything, so `data` can go to libc.
 * A `max` other than 0 bounds the length: what does not fit is dropped and
 * sets `overflow`, so a writer makes many calls and one check at the end.
 */
#ifndef PAWL_BASE_BUF_H
#define PAWL_BASE_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attr.h"
#include "base/str.h"

struct buf {
	char *data;
	size_t len, cap;
	size_t max;    /* bytes; 0 is no bound */
	bool overflow; /* something was dropped */
};

void buf_add(struct buf *b, struct str s);
void buf_addc(struct buf *b, char c);
void buf_addf(struct buf *b, const char *fmt, ...) PAWL_PRINTF(2, 3);
void buf_addv(struct buf *b, const char *fmt, va_list ap) PAWL_PRINTF(2, 0);

/* Decimal digits; faster than buf_addf. */
void buf_addu(struct buf *b, unsigned long long n);

/* Lower-case hexadecimal, two digits a byte. */
void buf_addhex(struct buf *b, const void *bytes, size_t len);

/* Room for `len` more bytes to be written at data + b->len by the caller. */
char *buf_reserve(struct buf *b, size_t len);

struct str buf_str(const struct buf *b);
bool buf_ok(const struct buf *b); /* nothing was dropped */
void buf_clear(struct buf *b);    /* empty; keeps the memory and `max` */
void buf_release(struct buf *b);

#endif
