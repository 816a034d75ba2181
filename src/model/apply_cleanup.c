#include "model/fold.h"

enum pawl_rc
fold_cleanup_registered(struct fold *f)
{
	struct cleanup c = { .attempt = f->attempt };
	uint32_t at;

	if (f->s->nodes[f->node].cleanups == UINT8_MAX)
		return fold_impossible(f, "too many cleanups are open");
	if (state_find_cleanup(f->s, f->e->cleanup, &at))
		return fold_impossible(f, "the cleanup is registered already");
	c.id = fold_keep(f, f->e->cleanup);
	c.kind = fold_keep(f, f->e->kind);
	c.target = fold_keep(f, f->e->target);
	c.dev = f->e->dev;
	c.ino = f->e->ino;
	c.by = fold_keep(f, f->e->by);
	c.owner = fold_keep_owner(f);
	cleanups_push(&f->s->cleanups, c);
	f->s->cleanups_open++;
	f->s->nodes[f->node].cleanups++;
	if (!state_find_cleanup(f->s, c.id, &at) ||
		at + 1 != f->s->cleanups.count)
		return fold_impossible(f, "the cleanup's id is out of order");
	return PAWL_OK;
}

static enum cleanup_status
status_from(struct str word)
{
	for (enum cleanup_status i = CLEANUP_VERIFIED;
		i <= CLEANUP_UNVERIFIABLE; i++) {
		if (str_eq(word, cleanup_status_word(i)))
			return i;
	}
	return CLEANUP_FAILED; /* a word that a newer version wrote */
}

enum pawl_rc
fold_cleanup_settled(struct fold *f)
{
	struct cleanup *c;
	uint32_t at;

	if (!state_find_cleanup(f->s, f->e->cleanup, &at))
		return fold_impossible(f, "no such cleanup");
	c = &f->s->cleanups.items[at];
	if (c->attempt != f->attempt)
		return fold_impossible(f, "the cleanup is of another attempt");
	if (is_cleanup_settled(c))
		return fold_impossible(f, "the cleanup is settled already");
	c->status = (uint8_t)status_from(f->e->status);
	c->reason = fold_keep(f, f->e->reason);
	c->settled_by = fold_keep(f, f->e->by);
	c->receipt = fold_keep(f, f->e->artifact);
	if (is_cleanup_settled(c)) {
		f->s->cleanups_open--;
		f->s->nodes[f->s->attempts.items[c->attempt].node].cleanups--;
	}
	return PAWL_OK;
}
