/*
 * lineage: which commit has which for an ancestor, as far as is known.
 *
 * Who descends from whom never changes, so what was seen once is true for good;
 * nothing else about a repository may be remembered.  A commit has one link to
 * one of its ancestors: its parent when we made it, else what git has said.
 */
#ifndef PAWL_ENGINE_LINEAGE_H
#define PAWL_ENGINE_LINEAGE_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/git.h"

struct lineage_link {
	struct oid commit;
	struct oid ancestor;
};

VEC_DEF(lineage_links, struct lineage_link);

struct lineage {
	struct lineage_links links;
	struct map by_commit;
};

enum { LINEAGE_LINKS_MAX = 1 << 20 };

/* Remember that `commit` has `ancestor`; at most LINEAGE_LINKS_MAX of them. */
void lineage_add(struct lineage *l, const struct oid *commit,
	const struct oid *ancestor);

/* Is `ancestor` known to be one of `commit`, or the same?  False: ask git. */
bool lineage_knows(const struct lineage *l, const struct oid *commit,
	const struct oid *ancestor);

void lineage_release(struct lineage *l);

#endif
