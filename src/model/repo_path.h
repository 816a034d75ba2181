/*
 * repo_path: the path of a file below the repository, as documents name it.
 *
 * Relative, `/` between segments, none of them empty, `.` or `..`.  Any
 * characters may stand in it, also such as globs have: it is compared, never
 * expanded.
 */
#ifndef PAWL_MODEL_REPO_PATH_H
#define PAWL_MODEL_REPO_PATH_H

#include "base/str.h"

/* The same for a schema, and without control characters, which FIELD_LINE
 * refuses. */
#define REPO_PATH_PLAIN "[^/\\u0000-\\u001f\\u007f]"
#define REPO_PATH_SEGMENT                                  \
	"([^./\\u0000-\\u001f\\u007f]" REPO_PATH_PLAIN "*" \
	"|\\.[^./\\u0000-\\u001f\\u007f]" REPO_PATH_PLAIN  \
	"*|\\.\\." REPO_PATH_PLAIN "+)"
#define REPO_PATH_PATTERN REPO_PATH_SEGMENT "(/" REPO_PATH_SEGMENT ")*"

/* What is wrong with it, in words that follow it; NULL when nothing is. */
const char *repo_path_fault(struct str path);

#endif
