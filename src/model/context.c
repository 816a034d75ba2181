#include "model/context.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/sha256.h"
#include "model/contract.h"
#include "model/rework.h"
#include "model/scope.h"
#include "text/utf8.h"

static const char *const kind_words[] = {
	[CONTEXT_TASK] = "task",
	[CONTEXT_NOTE] = "note",
	[CONTEXT_DEPENDENCY] = "dependency",
	[CONTEXT_DECISION] = "decision",
	[CONTEXT_SOURCE] = "source",
	[CONTEXT_EVIDENCE] = "evidence",
};

static const char *const omitted_words[] = {
	[CONTEXT_OMITTED_NOT] = NULL,
	[CONTEXT_OMITTED_FOLDER] = "folder",
	[CONTEXT_OMITTED_LINK] = "link",
	[CONTEXT_OMITTED_REPOSITORY] = "repository",
	[CONTEXT_OMITTED_NOT_TEXT] = "not_text",
	[CONTEXT_OMITTED_TOO_LARGE] = "too_large",
	[CONTEXT_OMITTED_ITEMS] = "items",
	[CONTEXT_OMITTED_BYTES] = "bytes",
	[CONTEXT_OMITTED_TOKENS] = "tokens",
};

static const char depends_on[] = "depends_on";
static const char context_for[] = "context_for";
static const char produces[] = "produces";

/* A task that is reached. */
struct reached {
	uint32_t node, depth;
};

struct walk {
	struct context *c;
	const struct state *s;
	const struct context_of *of;
	struct arena *mem;
	struct reached tasks[BOUND_CONTEXT_REFS];
	uint32_t count;
};

static bool
ref_add(struct context *c, struct context_ref ref)
{
	if (c->refs.count == BOUND_CONTEXT_REFS) {
		c->cut = true;
		return false;
	}
	(void)context_refs_push(&c->refs, ref);
	return true;
}

static struct str
sha256_named(struct str hex, struct arena *mem)
{
	return arena_format(mem, "sha256:" STR_FMT, STR_ARG(hex));
}

static struct str
sha256_of(struct str bytes, struct arena *mem)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(bytes, hex);
	return sha256_named(str_from(hex), mem);
}

static bool
has_ref(const struct context *c, enum context_kind kind, struct str id)
{
	const struct context_ref *ref;

	VEC_EACH (ref, &c->refs) {
		if (ref->kind == kind && str_eq(ref->id, id))
			return true;
	}
	return false;
}

/* One item of a task's `Context`: another task, a path, or words. */
static void
add_item(struct walk *w, const struct reached *t, struct str item)
{
	const struct plan *p = w->s->plan;
	struct pawl_err ignored = { 0 };
	struct context_ref ref = {
		.kind = CONTEXT_SOURCE,
		.depth = t->depth + 1,
		.edge = context_for,
	};
	struct scope scope;
	uint32_t other;

	if (plan_find(p, item, &other)) {
		struct buf json = { 0 };

		if (has_ref(w->c, CONTEXT_NOTE, plan_id(p, other)))
			return;
		/* As it stands in the list: that it is amended, while it isn't
		 * waited for, moves nothing here. */
		plan_contract_json(p, other, w->mem, &json);
		ref.kind = CONTEXT_NOTE;
		ref.id = plan_id(p, other);
		ref.digest = sha256_of(buf_str(&json), w->mem);
		buf_release(&json);
		(void)ref_add(w->c, ref);
		return;
	}
	if (scope_normalise(item, w->mem, &scope, &ignored) != PAWL_OK ||
		scope.path.len == 0 ||
		has_ref(w->c, CONTEXT_SOURCE, scope.path))
		return;
	ref.id = scope.path;
	(void)ref_add(w->c, ref);
}

static void
add_context(struct walk *w, const struct reached *t)
{
	const struct plan *p = w->s->plan;
	struct str text = plan_context(p, t->node, w->mem);
	struct str *items;
	uint32_t count;

	if (text.len == 0)
		return;
	(void)ref_add(w->c,
		(struct context_ref){
			.kind = CONTEXT_NOTE,
			.depth = t->depth + 1,
			.edge = context_for,
			.id = arena_format(w->mem, STR_FMT "/Context",
				STR_ARG(plan_id(p, t->node))),
			.digest = sha256_of(text, w->mem),
		});
	items = arena_array(w->mem, BOUND_CONTEXT_REFS, struct str);
	count = plan_context_items(p, t->node, items, BOUND_CONTEXT_REFS);
	if (count > BOUND_CONTEXT_REFS) {
		w->c->cut = true;
		count = BOUND_CONTEXT_REFS;
	}
	for (uint32_t i = 0; i < count; i++)
		add_item(w, t, items[i]);
}

/*
 * Was it decided before the attempt was reserved?  Decisions that grant an
 * attempt are bound to it by its reservation, all others to the one before.
 */
static bool
is_decided_for(const struct walk *w, const struct reached *t,
	const struct rework_decision *d)
{
	uint32_t number;

	if (d->node != t->node)
		return false;
	if (t->depth > 0)
		return true; /* it passed: nothing comes after */
	if (d->attempt_1 == 0)
		return w->of->seq_reserved == 0;
	number = w->s->attempts.items[d->attempt_1 - 1].number;
	return number < w->of->number ||
		(number == w->of->number &&
			(is_rework_grant((enum rework_action)d->action) ||
				d->ask_1 != 0));
}

static void
add_decisions(struct walk *w, const struct reached *t)
{
	const struct rework_decision *d;

	VEC_EACH (d, &w->s->decisions) {
		struct buf json = { 0 };
		struct json_writer out = { .out = &json };

		if (!is_decided_for(w, t, d))
			continue;
		json_open(&out, '{');
		json_pair_str(&out, STR("id"), d->id);
		json_pair_str(&out, STR("action"),
			rework_action_word((enum rework_action)d->action));
		json_pair_str(&out, STR("note"), d->note);
		json_close(&out, '}');
		(void)ref_add(w->c,
			(struct context_ref){
				.kind = CONTEXT_DECISION,
				.depth = t->depth + 1,
				.id = d->id,
				.digest = sha256_of(buf_str(&json), w->mem),
			});
		buf_release(&json);
	}
}

/* What the last attempt of a task that passed brought. */
static void
add_evidence(struct walk *w, const struct reached *t)
{
	const struct attempt *a = state_last_attempt(w->s, t->node);
	struct context_ref ref = {
		.kind = CONTEXT_EVIDENCE,
		.depth = t->depth + 1,
		.edge = produces,
	};
	struct str id = plan_id(w->s->plan, t->node);

	if (a == NULL)
		return;
	if (a->report_sha256.len > 0) {
		ref.id = arena_format(
			w->mem, STR_FMT "@%u/report", STR_ARG(id), a->number);
		ref.digest = sha256_named(a->report_sha256, w->mem);
		(void)ref_add(w->c, ref);
	}
	if (a->commit.len > 0) {
		ref.id = arena_format(
			w->mem, STR_FMT "@%u/commit", STR_ARG(id), a->number);
		ref.digest = arena_format(
			w->mem, "git:" STR_FMT, STR_ARG(a->commit));
		(void)ref_add(w->c, ref);
	}
}

static void
add_task(struct walk *w, const struct reached *t)
{
	const struct plan *p = w->s->plan;
	const struct attempt *a = state_last_attempt(w->s, t->node);
	struct context_ref ref = { .id = plan_id(p, t->node) };
	struct contract_view v = contract_of(w->s, t->node);

	ref.depth = t->depth;
	if (t->depth > 0) {
		ref.kind = CONTEXT_DEPENDENCY;
		ref.edge = depends_on;
	}
	ref.digest = sha256_named(
		t->depth > 0 && a != NULL && a->capsule_sha256.len > 0
			? a->capsule_sha256
			: contract_sha256(&v, w->mem),
		w->mem);
	(void)ref_add(w->c, ref);
	if (t->depth > 0)
		add_evidence(w, t);
	add_context(w, t);
	add_decisions(w, t);
}

static bool
is_reached(const struct walk *w, uint32_t node)
{
	for (uint32_t i = 0; i < w->count; i++) {
		if (w->tasks[i].node == node)
			return true;
	}
	return false;
}

/* The tasks right before this one that weren't reached yet. */
static void
reach(struct walk *w, const struct reached *t)
{
	const struct contract *c = &w->s->plan->nodes[t->node];

	for (uint32_t i = 0; i < c->depends_count; i++) {
		uint32_t dep = w->s->plan->depends[c->depends_at + i];

		if (is_reached(w, dep))
			continue;
		if (w->count == BOUND_CONTEXT_REFS) {
			w->c->cut = true;
			return;
		}
		w->tasks[w->count++] = (struct reached){ dep, t->depth + 1 };
	}
}

static int
ref_cmp(const void *a, const void *b)
{
	const struct context_ref *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	return str_cmp(x->id, y->id);
}

void
context_collect(struct context *c, const struct state *s,
	const struct context_of *of, struct arena *mem)
{
	struct walk w = { .c = c, .s = s, .of = of, .mem = mem };
	uint32_t i;

	w.tasks[w.count++] = (struct reached){ of->node, 0 };
	for (i = 0; i < w.count && c->refs.count < BOUND_CONTEXT_REFS; i++) {
		add_task(&w, &w.tasks[i]);
		if (i == 0 && s->run.decision_sha256.len > 0) {
			(void)ref_add(c,
				(struct context_ref){
					.kind = CONTEXT_DECISION,
					.id = STR("process-decision"),
					.digest = sha256_named(
						s->run.decision_sha256, mem),
				});
		}
		reach(&w, &w.tasks[i]);
	}
	if (i < w.count)
		c->cut = true;
	if (c->refs.count > 0)
		qsort(c->refs.items, c->refs.count, sizeof(*c->refs.items),
			ref_cmp);
}

void
context_drop_unresolved(struct context *c)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->refs.count; i++) {
		if (c->refs.items[i].digest.len > 0)
			c->refs.items[kept++] = c->refs.items[i];
	}
	c->refs.count = kept;
}

bool
context_has_room(struct context *c, struct context_ref *ref)
{
	if (c->items >= BOUND_CONTEXT_ITEMS)
		ref->omitted = CONTEXT_OMITTED_ITEMS;
	else if (c->excerpt_bytes >= BOUND_CONTEXT_BYTES)
		ref->omitted = CONTEXT_OMITTED_BYTES;
	else if (c->tokens >= BOUND_CONTEXT_TOKENS)
		ref->omitted = CONTEXT_OMITTED_TOKENS;
	else
		return true;
	return false;
}

/* Is it text that neither a terminal nor a reader is led astray by? */
static bool
is_text(struct str bytes)
{
	while (bytes.len > 0) {
		uint32_t code;
		size_t len = utf8_next(bytes, &code);

		if (len == 0 ||
			(utf8_is_unsafe(code) && code != '\n' && code != '\t' &&
				code != '\r'))
			return false;
		bytes = str_part(bytes, len, bytes.len);
	}
	return true;
}

/* What a character of such a text takes as JSON. */
static size_t
written(struct str text, size_t len)
{
	char first = text.ptr[0];

	if (len > 1)
		return len;
	return first == '"' || first == '\\' || first == '\n' ||
			first == '\r' || first == '\t'
		? 2
		: 1;
}

/* The longest head that, written, has at most `max` bytes. */
static size_t
fit(struct str text, size_t max, size_t *ret_written)
{
	size_t at = 0;

	*ret_written = 0;
	while (at < text.len) {
		struct str rest = str_part(text, at, text.len);
		uint32_t code;
		size_t len = utf8_next(rest, &code);
		size_t more = written(rest, len);

		if (len == 0 || *ret_written + more > max)
			break;
		*ret_written += more;
		at += len;
	}
	return at;
}

void
context_excerpt(struct context *c, struct context_ref *ref, struct str bytes,
	struct arena *mem)
{
	size_t tokens = BOUND_CONTEXT_TOKENS - c->tokens;
	size_t len, used;
	struct str head;

	/* The head that may be told is looked at, not more: a file's first
	 * bytes show what it is, and the rest may be large. */
	head = utf8_cut(bytes, BOUND_EXCERPT_BYTES);
	if (!is_text(head) || (head.len == 0 && bytes.len > 0)) {
		ref->omitted = CONTEXT_OMITTED_NOT_TEXT;
		return;
	}
	if (!context_has_room(c, ref))
		return;
	head = utf8_cut(head, tokens);
	len = fit(head, BOUND_CONTEXT_BYTES - c->excerpt_bytes, &used);
	if (len == 0 && bytes.len > 0) {
		ref->omitted = head.len == 0 ? CONTEXT_OMITTED_TOKENS
					     : CONTEXT_OMITTED_BYTES;
		return;
	}
	ref->excerpt = arena_copy(mem, str_part(head, 0, len));
	ref->truncated = len < bytes.len;
	c->items++;
	c->excerpt_bytes += (uint32_t)used;
	c->tokens += (uint32_t)len;
}

static bool
has_excerpt(const struct context_ref *ref)
{
	return ref->kind == CONTEXT_SOURCE &&
		ref->omitted == CONTEXT_OMITTED_NOT;
}

static void
ref_write(struct json_writer *w, const struct context_ref *ref)
{
	const char *omitted = omitted_words[ref->omitted];

	json_open(w, '{');
	json_pair_str(w, STR("kind"), str_from(kind_words[ref->kind]));
	json_pair_str(w, STR("id"), ref->id);
	if (ref->edge != NULL)
		json_pair_str(w, STR("edge"), str_from(ref->edge));
	json_pair_u64(w, STR("depth"), ref->depth);
	json_pair_str(w, STR("digest"), ref->digest);
	if (has_excerpt(ref) || ref->bytes > 0)
		json_pair_u64(w, STR("bytes"), ref->bytes);
	if (omitted != NULL)
		json_pair_str(w, STR("omitted"), str_from(omitted));
	if (has_excerpt(ref)) {
		json_pair_str(w, STR("excerpt"), ref->excerpt);
		json_pair_bool(w, STR("truncated"), ref->truncated);
	}
	json_close(w, '}');
}

void
context_write(struct json_writer *w, const struct context *c)
{
	const struct context_ref *ref;

	json_open(w, '{');
	json_key(w, STR("budget"));
	json_open(w, '{');
	json_pair_u64(w, STR("references"), BOUND_CONTEXT_REFS);
	json_pair_u64(w, STR("items"), BOUND_CONTEXT_ITEMS);
	json_pair_u64(w, STR("item_bytes"), BOUND_EXCERPT_BYTES);
	json_pair_u64(w, STR("bytes"), BOUND_CONTEXT_BYTES);
	json_pair_u64(w, STR("tokens"), BOUND_CONTEXT_TOKENS);
	json_close(w, '}');
	json_pair_bool(w, STR("cut"), c->cut);
	json_key(w, STR("references"));
	json_open(w, '[');
	VEC_EACH (ref, &c->refs)
		ref_write(w, ref);
	json_close(w, ']');
	json_close(w, '}');
}

/* Set in, so that no line of it is taken for one of ours. */
static void
excerpt_lines(struct buf *out, struct str text)
{
	while (text.len > 0) {
		struct str line = str_cut(&text, '\n');

		buf_add(out, STR("    "));
		utf8_show(out, line, UTF8_LINES);
		buf_addc(out, '\n');
	}
}

void
context_prompt(struct buf *out, const struct context *c)
{
	const struct context_ref *ref;
	bool begun = false;

	VEC_EACH (ref, &c->refs) {
		const char *omitted = omitted_words[ref->omitted];

		if (ref->kind != CONTEXT_SOURCE)
			continue;
		if (!begun) {
			buf_add(out,
				STR("\n# Sources, as of the base commit\n"));
		}
		begun = true;
		buf_addf(out, "\n" STR_FMT " (" STR_FMT ")", STR_ARG(ref->id),
			STR_ARG(ref->digest));
		if (omitted != NULL)
			buf_addf(out, ", not shown: %s", omitted);
		else if (ref->truncated)
			buf_addf(out, ", the first %zu of %llu bytes",
				ref->excerpt.len,
				(unsigned long long)ref->bytes);
		buf_addc(out, '\n');
		excerpt_lines(out, ref->excerpt);
	}
}

void
context_release(struct context *c)
{
	context_refs_release(&c->refs);
	*c = (struct context){ 0 };
}
