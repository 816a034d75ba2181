/*
 * list_value: a value of the form `[a, b, "c, d"]`.
 *
 * Items are divided by commas and may stand on several lines.  One in single or
 * double quotes is taken as it stands between them.  Items are views.
 */
#ifndef PAWL_MODEL_LIST_VALUE_H
#define PAWL_MODEL_LIST_VALUE_H

#include "base/str.h"

struct list_value {
	struct str text;
	size_t at;       /* of the next character */
	const char *why; /* what is wrong at `at` */
};

enum list_step { LIST_END, LIST_ITEM, LIST_BAD };

/* Zeroed but for `text`, then called until the result is not LIST_ITEM. */
enum list_step list_next(struct list_value *l, struct str *ret_item);

#endif
