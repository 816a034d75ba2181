/*
 * ledger_word: the closed sets of words that a node of a ledger is told in.
 *
 * There is one word for one thing: what other tools call `done`, `completed` or
 * `verified` isn't understood, it is refused with the list of what is.
 */
#ifndef PAWL_MODEL_LEDGER_WORD_H
#define PAWL_MODEL_LEDGER_WORD_H

#include "base/err.h"

enum ledger_vocabulary {
	LEDGER_WORDS_KIND,     /* enum ledger_kind */
	LEDGER_WORDS_ROLE,     /* enum ledger_role */
	LEDGER_WORDS_ACCESS,   /* enum node_access */
	LEDGER_WORDS_APPROVAL, /* enum ledger_approval */
	LEDGER_WORDS_STATUS,   /* enum node_status */
	LEDGER_VOCABULARY_COUNT,
};

/* The number of a word; false when it is none of them. */
bool ledger_word_find(
	enum ledger_vocabulary v, struct str word, uint8_t *ret_number);

/* The one that was probably meant; empty when none is near. */
struct str ledger_word_nearest(enum ledger_vocabulary v, struct str word);

/* Errors: ERR_INVALID_ARGUMENT, with all words, and as hint the nearest. */
PAWL_MUST_CHECK enum pawl_rc ledger_word_read(enum ledger_vocabulary v,
	struct str word, uint8_t *ret_number, struct pawl_err *err);

#endif
