/*
 * spelling: scopes that differ in letter case alone.
 *
 * Where the file system folds case, `Src` and `src` are one folder, and scopes,
 * which are compared as bytes, wouldn't notice that two tasks write to the same
 * place.  There a list must spell each path in one way, in all scopes that lead
 * through it; then comparing bytes is right again.
 */
#ifndef PAWL_MODEL_SPELLING_H
#define PAWL_MODEL_SPELLING_H

#include "model/state.h"

struct spelling_clash {
	uint32_t node, other;        /* the later one, and the one before it */
	struct str path, other_path; /* the same path, spelled by each */
};

/* The first path, in document order, that is spelled in two ways. */
bool spelling_clashes(const struct plan *p, struct arena *mem,
	struct spelling_clash *ret_clash);

/*
 * The same of a run whose node `node` gets these paths, in normal form, in
 * place of what it has: how they are spelled in what all others have now.
 */
bool spelling_clashes_amended(const struct state *s, uint32_t node,
	const struct strs *paths, struct arena *mem,
	struct spelling_clash *ret_clash);

/* Fail with ERR_INVALID_PATH, which names both. */
enum pawl_rc spelling_fail(const struct plan *p,
	const struct spelling_clash *clash, struct pawl_err *err);

#endif
