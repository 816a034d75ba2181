/*
 * scope: which part of the repository a task may touch.
 *
 * A scope is a path relative to the repository; it covers that path and all
 * below it.  The normal form is NFC, with `/` between segments, without `./` in
 * front or `/` at the end; the whole repository is written `.` and is the empty
 * view here.  All functions but scope_normalise take the normal form.  A `/` at
 * the end asserts a directory, which only the file system can tell.
 *
 * Two scopes overlap when one contains the other, by segments: `src` contains
 * `src/config` and not `srcx.ts`.
 */
#ifndef PAWL_MODEL_SCOPE_H
#define PAWL_MODEL_SCOPE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct scope {
	struct str path; /* normal form; "" is the whole repository */
	bool directory;  /* written with a `/` at the end */
};

/*
 * The normal form of a path as a person wrote it: a view of `raw`, or of a copy
 * in `mem` when characters had to be composed.
 *
 * Errors: ERR_INVALID_PATH for what is absolute, leaves the repository, names a
 * drive, has `\`, `//`, `.` or `..` segments, globs, control characters or
 * bytes that are not UTF-8, and for `.git` and what is in it; ERR_LIMIT for
 * over BOUND_PATH_BYTES.  The hint is the normal form when there is one; for a
 * glob it is the fixed part before it.
 */
PAWL_MUST_CHECK enum pawl_rc scope_normalise(struct str raw, struct arena *mem,
	struct scope *ret_scope, struct pawl_err *err);

/* Whether all of `inner` lies in `outer`; equal scopes contain each other. */
bool scope_contains(struct str outer, struct str inner);

/* Whether one contains the other. */
bool scope_overlaps(struct str a, struct str b);

/* Order by segments: a scope comes right before all that it contains. */
int scope_cmp(struct str a, struct str b);

/* The scope with letter case folded, for file systems that fold it: scopes of
 * such a repository are compared in this form. */
struct str scope_fold(struct str path, struct arena *mem);

/*
 * Sort `count` scopes by scope_cmp and drop those contained in another of them;
 * the number left.
 */
size_t scope_reduce(struct scope *scopes, size_t count);

/* As a person writes it: `.` for the whole repository. */
struct str scope_shown(struct str path);

/* The normal form of one that is shown, perhaps with the `/` that asserts a
 * directory. */
struct str scope_unshown(struct str shown);

#endif
