/*
 * lately: a place some lines before the end of a journal.
 *
 * For who has read a journal by its projection and wants to see the last lines
 * again: the file is read backwards from where the reader is, as far as these
 * lines go and not a byte of what is before them.
 */
#ifndef PAWL_STORE_LATELY_H
#define PAWL_STORE_LATELY_H

#include "store/journal.h"

/*
 * The place before the last `lines` lines that `j` has read; the start when
 * there aren't so many.  journal_seek() to it, and a scan gives these lines and
 * what came since.  Its `gen` is 0, which is below all.
 *
 * Errors: ERR_CORRUPT when what stands there are no lines; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc lately_find(const struct journal *j,
	uint64_t lines, struct journal_at *ret_at, struct pawl_err *err);

#endif
