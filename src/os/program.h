/*
 * program: the other programs that belong to this one.
 *
 * Below libexec/pawl of the same prefix, or beside it in a build tree.
 */
#ifndef PAWL_OS_PROGRAM_H
#define PAWL_OS_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"

/* This one.  Errors: ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc program_self(
	char ret_path[PATH_MAX], struct pawl_err *err);

/*
 * The program `name`; `built` is the folder of a build tree that has it, next
 * to this program's.  Errors: ERR_FILE_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc program_beside(const char *name, const char *built,
	char ret_path[PATH_MAX], struct pawl_err *err);

/*
 * The folder `name` of data: in share/pawl of the same prefix, or at the top of
 * a build tree.  Errors: ERR_FILE_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc program_data(
	const char *name, char ret_path[PATH_MAX], struct pawl_err *err);

/* As program_beside(), or else one on PATH, whose relative folders are passed
 * over. */
PAWL_MUST_CHECK enum pawl_rc program_find(const char *name, const char *built,
	char ret_path[PATH_MAX], struct pawl_err *err);

/* The program `name` of PATH, whose relative folders are passed over. */
bool program_on_path(const char *name, char ret_path[PATH_MAX]);

/*
 * Called for each name that begins with `prefix` among the programs that
 * program_find() would find; several folders may have the same one.
 */
typedef void program_fn(void *arg, const char *name, const char *path);
void programs_each(
	const char *prefix, const char *built, program_fn *fn, void *arg);

#endif
