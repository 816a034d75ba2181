#include "model/contract.h"

#include "base/bounds.h"
#include "base/sha256.h"
#include "model/check_argv.h"
#include "model/scope.h"

static struct contract_view
amended_of(const struct state *s, uint32_t node)
{
	uint32_t at_1 = s->nodes[node].amendment_1;

	return contract_with(
		s, node, at_1 ? &s->amendments.items[at_1 - 1] : NULL);
}

static const struct strs *
own_scope(const struct attempt *a)
{
	return a->scope.count > 0 ? &a->scope : NULL;
}

/* Does the work of the attempt stand: is it done, or on the way, or what a
 * repair goes on with? */
static bool
is_work_kept(const struct attempt *a)
{
	return is_attempt_live(a) || a->status == ATTEMPT_SETTLED ||
		(a->status == ATTEMPT_REJECTED &&
			(!a->fresh || a->placement == PLACEMENT_IN_PLACE));
}

/* The last attempt of which anything ran, or that is about to. */
static const struct attempt *
last_at_work(const struct state *s, uint32_t node)
{
	for (uint32_t i = s->nodes[node].attempt_1; i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (a->node == node &&
			(is_attempt_live(a) || a->at_started.len > 0))
			return a;
	}
	return NULL;
}

struct contract_view
contract_of(const struct state *s, uint32_t node)
{
	struct contract_view v = amended_of(s, node);
	const struct attempt *a;

	if (!s->nodes[node].rescoped)
		return v;
	a = last_at_work(s, node);
	if (a != NULL && a->revision == contract_revision(&v) &&
		is_work_kept(a))
		v.scope = own_scope(a);
	return v;
}

struct contract_view
contract_of_attempt(const struct state *s, uint32_t attempt)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct contract_view v = amended_of(s, a->node);

	v.scope = own_scope(a);
	return v;
}

struct contract_view
contract_with(
	const struct state *s, uint32_t node, const struct amendment *amended)
{
	return (struct contract_view){ s->plan, node, amended, NULL };
}

uint32_t
contract_revision(const struct contract_view *v)
{
	return v->amended != NULL ? v->amended->revision : 1;
}

/* The paths that take the place of the plan's, or NULL. */
static const struct strs *
paths_of(const struct contract_view *v)
{
	if (v->scope != NULL)
		return v->scope;
	return v->amended != NULL && v->amended->paths.count > 0
		? &v->amended->paths
		: NULL;
}

uint32_t
contract_scopes(const struct contract_view *v)
{
	const struct strs *paths = paths_of(v);

	return paths != NULL ? paths->count
			     : v->plan->nodes[v->node].scopes_count;
}

/* An amended path stands as it is shown: `src/` asserts a directory. */
struct str
contract_scope(const struct contract_view *v, uint32_t i)
{
	const struct strs *paths = paths_of(v);

	if (paths == NULL)
		return plan_scope_str(
			v->plan, v->plan->nodes[v->node].scopes_at + i);
	return scope_unshown(paths->items[i]);
}

bool
contract_covers(const struct contract_view *v, struct str path)
{
	if (paths_of(v) == NULL)
		return plan_covers(v->plan, v->node, path);
	for (uint32_t i = 0; i < contract_scopes(v); i++) {
		if (scope_contains(contract_scope(v, i), path))
			return true;
	}
	return false;
}

struct str
contract_acceptance(const struct contract_view *v, struct arena *mem)
{
	return v->amended != NULL && v->amended->acceptance.len > 0
		? v->amended->acceptance
		: plan_acceptance(v->plan, v->node, mem);
}

struct str
contract_check(const struct contract_view *v, struct arena *mem)
{
	return v->amended != NULL && v->amended->check.len > 0
		? v->amended->check
		: plan_check(v->plan, v->node, mem);
}

bool
contract_sentinel(const struct contract_view *v)
{
	return v->amended != NULL && v->amended->check.len > 0
		? str_eq(str_trim(v->amended->check), PLAN_SENTINEL)
		: v->plan->nodes[v->node].sentinel != 0;
}

enum pawl_rc
contract_check_argv(const struct contract_view *v, struct arena *mem,
	char ***ret_argv, struct pawl_err *err)
{
	size_t at;

	if (v->amended == NULL || v->amended->check.len == 0)
		return plan_check_argv(v->plan, v->node, mem, ret_argv, err);
	return check_argv(v->amended->check, mem, ret_argv, &at, err);
}

void
contract_json(const struct contract_view *v, struct arena *mem, struct buf *out)
{
	const struct amendment *a = v->amended;
	struct plan_change change = { 0 };

	if (a == NULL) {
		plan_contract_json(v->plan, v->node, mem, out);
		return;
	}
	change.paths = a->paths.items;
	change.paths_count = a->paths.count;
	change.acceptance = a->acceptance;
	change.check = a->check;
	change.revision = a->revision;
	plan_contract_json_changed(v->plan, v->node, &change, mem, out);
}

static struct str
sha256_of(struct buf *text, struct arena *mem)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(buf_str(text), hex);
	buf_release(text);
	return arena_copy(mem, str_from(hex));
}

struct str
contract_sha256(const struct contract_view *v, struct arena *mem)
{
	struct buf json = { 0 };

	contract_json(v, mem, &json);
	return sha256_of(&json, mem);
}

struct str
contract_scope_sha256(const struct contract_view *v, struct arena *mem)
{
	struct buf text = { 0 };

	for (uint32_t i = 0; i < contract_scopes(v); i++) {
		buf_add(&text, contract_scope(v, i));
		buf_addc(&text, '\n');
	}
	return sha256_of(&text, mem);
}

enum pawl_rc
contract_paths(struct strs given, struct arena *mem, struct strs *ret_paths,
	struct pawl_err *err)
{
	struct scope *scopes = arena_array(mem, given.count, struct scope);
	struct strs paths = { 0 };
	size_t count;

	if (given.count > BOUND_SCOPES) {
		return pawl_fail(err, ERR_LIMIT,
			"%u paths are over the limit of %d", given.count,
			BOUND_SCOPES);
	}
	for (uint32_t i = 0; i < given.count; i++) {
		if (scope_normalise(given.items[i], mem, &scopes[i], err) !=
			PAWL_OK)
			return err->rc;
	}
	count = scope_reduce(scopes, given.count);
	paths.items = arena_array(mem, count, struct str);
	for (size_t i = 0; i < count; i++) {
		paths.items[paths.count++] =
			scopes[i].directory && scopes[i].path.len > 0
			? arena_format(
				  mem, STR_FMT "/", STR_ARG(scopes[i].path))
			: scope_shown(scopes[i].path);
	}
	*ret_paths = paths;
	return PAWL_OK;
}
