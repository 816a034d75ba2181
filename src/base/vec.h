/*
 * vec: growing arrays, one type each.
 *
 * VEC_DEF(edges, struct edge) defines struct edges with `items` and `count`,
 * edges_push() and edges_release().  A push may move the items: keep indexes
 * across it, not pointers.
 */
#ifndef PAWL_BASE_VEC_H
#define PAWL_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>

#include "base/die.h"

/* Room for as many at first: eight, or fewer where one is large. */
#define VEC_FIRST(type) (sizeof(type) > 512 ? 2 : 8)

/* NOLINTBEGIN(bugprone-macro-parentheses): a type cannot be in brackets */
#define VEC_DEF(name, type)                                                  \
	struct name {                                                        \
		type *items;                                                 \
		size_t count, cap;                                           \
	};                                                                   \
	static inline type *name##_push(struct name *v, type item)           \
	{                                                                    \
		if (v->count == v->cap) {                                    \
			v->cap = v->cap ? v->cap * 2 : VEC_FIRST(type);      \
			v->items =                                           \
				die_realloc(v->items, v->cap, sizeof(type)); \
		}                                                            \
		v->items[v->count] = item;                                   \
		return &v->items[v->count++];                                \
	}                                                                    \
	static inline void name##_release(struct name *v)                    \
	{                                                                    \
		free(v->items);                                              \
		*v = (struct name){ 0 };                                     \
	}                                                                    \
	struct name /* a semicolon follows the macro */
/* NOLINTEND(bugprone-macro-parentheses) */

#define VEC_EACH(p, v)                                                       \
	for ((p) = (v)->items; (p) != NULL && (p) < (v)->items + (v)->count; \
		(p)++)

#endif
