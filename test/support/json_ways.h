/*
 * json_ways: one document read in every way that there is.
 *
 * In place, with the text left as it is, and with its first list handed out:
 * all must say the same, of what is good and of what is refused.
 */
#ifndef PAWL_TEST_JSON_WAYS_H
#define PAWL_TEST_JSON_WAYS_H

#include "text/json.h"

/* In what two ways differ, in a word or two; NULL when they don't. */
const char *json_ways_differ(struct str text, enum json_flags flags);

#endif
