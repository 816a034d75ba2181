/*
 * utf8: UTF-8 as RFC 3629 defines it.
 *
 * No overlong forms, no surrogates, nothing over U+10FFFF.  Texts are views;
 * positions are bytes.
 */
#ifndef PAWL_TEXT_UTF8_H
#define PAWL_TEXT_UTF8_H

#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Offset of the first byte that is not UTF-8; s.len when all of it is. */
size_t utf8_valid(struct str s);

/*
 * Bytes, 1 to 4, of the code point that `s` starts with, which goes to
 * `*ret_code`; 0 when `s` is empty or does not start with one.
 */
size_t utf8_next(struct str s, uint32_t *ret_code);

/* The bytes of a code point that is no surrogate; returns how many, 1 to 4. */
size_t utf8_encode(uint32_t code, char ret_bytes[4]);

/* The head of at most `max` bytes that does not end inside a code point. */
struct str utf8_cut(struct str s, size_t max);

/*
 * Columns that a terminal gives to `s`: two for wide and fullwidth characters
 * (Unicode UAX #11, as ranges of whole scripts), none for combining marks, one
 * for all others and for bytes that are not UTF-8.
 */
size_t utf8_columns(struct str s);

/*
 * Could it move a terminal's cursor, recolour it, reorder the text or hide in
 * it?  Control characters, separators, bidirectional controls, invisible ones.
 */
bool utf8_is_unsafe(uint32_t code);

/*
 * Add `s` as one line: of each run of blanks and control characters (line and
 * paragraph separators, and bytes that are not UTF-8, count as such) in which
 * there is one of the latter, one blank is left.  Whether there was such a run.
 */
bool utf8_fold(struct buf *out, struct str s);

enum utf8_show {
	UTF8_LINE,  /* one line: every control character is replaced */
	UTF8_LINES, /* LF and tab stay */
};

/*
 * Add `s` for people's eyes: what could move a terminal's cursor, recolour it
 * or reorder the text (control characters, DEL, line and paragraph separators,
 * bidirectional controls, invisible characters) and bytes that are not UTF-8
 * are shown as \x1b, \u202e.  Not reversible, since a backslash stays one.
 */
void utf8_show(struct buf *out, struct str s, enum utf8_show how);

#endif
