/* tally: what can be counted in a text. */
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>

/* Each looks at `len` bytes and never reads past them. */
unsigned long tally_bytes(const char *text, size_t len);
unsigned long tally_lines(const char *text, size_t len);
unsigned long tally_words(const char *text, size_t len);
unsigned long tally_longest(const char *text, size_t len); /* line, in bytes */

#endif
