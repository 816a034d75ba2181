#include "engine/lineage.h"

static struct str
key_of(const void *table, uint32_t index)
{
	const struct lineage *l = table;

	return str_from(l->links.items[index].commit.hex);
}

void
lineage_add(
	struct lineage *l, const struct oid *commit, const struct oid *ancestor)
{
	struct lineage_link link = { *commit, *ancestor };
	uint32_t at = (uint32_t)l->links.count, found;

	/* a link to itself would be walked for ever */
	if (oid_eq(commit, ancestor) || at >= LINEAGE_LINKS_MAX)
		return;
	(void)lineage_links_push(&l->links, link);
	if (!map_add(&l->by_commit, key_of, l, str_from(commit->hex), at,
		    &found))
		l->links.count--;
}

bool
lineage_knows(const struct lineage *l, const struct oid *commit,
	const struct oid *ancestor)
{
	const struct oid *at = commit;
	uint32_t index;

	/* true links can't lead in a circle; the count is for wrong ones */
	for (size_t i = 0; i <= l->links.count; i++) {
		if (oid_eq(at, ancestor))
			return true;
		if (!map_get(&l->by_commit, key_of, l, str_from(at->hex),
			    &index))
			return false;
		at = &l->links.items[index].ancestor;
	}
	return false;
}

void
lineage_release(struct lineage *l)
{
	lineage_links_release(&l->links);
	map_release(&l->by_commit);
	*l = (struct lineage){ 0 };
}
