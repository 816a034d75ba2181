/*
 * nested: repositories inside of a working tree, as an index has them.
 *
 * Of a nested repository an index holds a link: the commit that is checked out
 * there (gitlink, mode 0160000), be it a submodule or one that somebody made.
 * One without a commit is what `git add` refuses.  In an index of ours it
 * stands as a link to the empty tree, which no commit can have for its name:
 * update-index leaves a link alone as long as there is no commit, and puts the
 * commit in as soon as there is one.
 */
#ifndef PAWL_ENGINE_NESTED_H
#define PAWL_ENGINE_NESTED_H

#include "base/vec.h"
#include "engine/repo.h"

struct nested {
	struct str path;
	bool unborn; /* it stands for a repository without a commit */
};

VEC_DEF(nesteds, struct nested);

/*
 * The links of an index, in path order; the list is the caller's to release.
 *
 * Errors: ERR_GIT, ERR_IO.  Cost: no process where the index is plain.
 */
PAWL_MUST_CHECK enum pawl_rc nested_links(const struct repo *repo,
	const char *index, struct arena *mem, struct nesteds *ret_list,
	struct pawl_err *err);

/*
 * The repositories in the working tree that aren't ignored and that the index
 * has nothing of.  Errors: ERR_GIT, ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc nested_unknown(const struct repo *repo,
	const char *index, struct arena *mem, struct nesteds *ret_list,
	struct pawl_err *err);

/* Put these into the index as unborn, or take them out.  Errors: ERR_GIT. */
PAWL_MUST_CHECK enum pawl_rc nested_put(const struct repo *repo,
	const char *index, const struct nesteds *list, bool in,
	struct pawl_err *err);

/*
 * The first link of the index where a repository lies in the working tree; an
 * empty path when there is none.  Errors: as nested_links.
 */
PAWL_MUST_CHECK enum pawl_rc nested_first_there(const struct repo *repo,
	const char *index, struct arena *mem, struct str *ret_path,
	struct pawl_err *err);

#endif
