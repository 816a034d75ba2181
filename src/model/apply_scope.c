#include "model/contract.h"
#include "model/fold.h"

void
fold_scopes_hold(struct fold *f, bool hold)
{
	struct state *s = f->s;
	struct contract_view v = contract_of_attempt(s, f->attempt);
	bool writer = s->plan->nodes[v.node].mode == MODE_WRITE;

	for (uint32_t i = 0; i < contract_scopes(&v); i++) {
		struct str scope = contract_scope(&v, i);

		if (hold)
			scope_trie_add(&s->active, scope, writer, f->attempt);
		else
			scope_trie_remove(
				&s->active, scope, writer, f->attempt);
	}
}

enum pawl_rc
fold_scope_amended(struct fold *f)
{
	struct attempt *a = &f->s->attempts.items[f->attempt];

	if (a->status != ATTEMPT_RESERVED)
		return fold_impossible(f, "the attempt isn't reserved");
	if (f->e->paths.count == 0)
		return fold_impossible(f, "the scope is empty");
	fold_scopes_hold(f, false);
	a->scope = fold_keep_list(f, f->e->paths);
	a->capsule_sha256 = fold_keep(f, f->e->capsule_sha256);
	f->s->nodes[f->node].rescoped = true;
	fold_scopes_hold(f, true);
	return PAWL_OK;
}
