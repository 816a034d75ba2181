#include "json_ways.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"

struct way {
	struct arena mem;
	char *bytes; /* a block of exactly the text's length */
	const struct json *json;
	struct pawl_err err;
	enum pawl_rc rc;
	struct buf out; /* written again; of a list, its elements */
	uint32_t handed;
};

static void
begin(struct way *w, struct str text)
{
	*w = (struct way){ .bytes = die_alloc(text.len ? text.len : 1, 1) };
	if (text.len > 0)
		memcpy(w->bytes, text.ptr, text.len);
}

static void
end(struct way *w)
{
	arena_reset(&w->mem);
	buf_release(&w->out);
	free(w->bytes);
}

static void
put(struct way *w, const struct json *v)
{
	struct json_writer to = { .out = &w->out };

	json_put(&to, v);
}

static enum pawl_rc
on_element(
	void *arg, const struct json *v, uint32_t index, struct pawl_err *err)
{
	struct way *w = arg;

	(void)err;
	if (index != w->handed++)
		die("an element is handed out in another order");
	put(w, v);
	buf_addc(&w->out, '\n');
	return PAWL_OK;
}

/* The first list in the outermost object, or NULL. */
static const struct json *
find_list(const struct json *root, struct str *ret_key)
{
	const struct json *key = root + 1;

	if (root->kind != JSON_OBJECT)
		return NULL;
	for (uint32_t i = 0; i < root->count; i++) {
		/* Of several lists under a key the first is meant. */
		if (key[1].kind == JSON_ARRAY) {
			*ret_key = key->text;
			return key + 1;
		}
		key += 1 + key[1].span;
	}
	return NULL;
}

static bool
same_error(const struct way *a, const struct way *b)
{
	return a->rc == b->rc && a->err.code == b->err.code &&
		strcmp(a->err.msg, b->err.msg) == 0 &&
		str_eq(a->err.detail, b->err.detail);
}

static bool
same_places(const struct json *a, const struct json *b)
{
	for (uint32_t i = 0; i < a->span; i++) {
		if (a[i].at != b[i].at || a[i].kind != b[i].kind ||
			a[i].span != b[i].span || a[i].count != b[i].count ||
			a[i].duplicate != b[i].duplicate)
			return false;
	}
	return true;
}

static const char *
pristine_differs(
	const struct way *plain, struct str text, enum json_flags flags)
{
	const char *differs = NULL;
	struct way w;

	begin(&w, text);
	w.rc = json_read(&w.mem, w.bytes, text.len, flags | JSON_PRISTINE,
		&w.json, &w.err);
	if (!same_error(plain, &w))
		differs = "the pristine way's error";
	else if (text.len > 0 && memcmp(w.bytes, text.ptr, text.len) != 0)
		differs = "the text, which isn't pristine";
	if (differs == NULL && w.rc == PAWL_OK) {
		put(&w, w.json);
		if (!str_eq(buf_str(&w.out), buf_str(&plain->out)) ||
			!same_places(plain->json, w.json))
			differs = "the pristine way's tape";
	}
	end(&w);
	return differs;
}

/* Elements one by one, and the list empty in what is left. */
static const char *
list_differs(struct str key, const struct json *list, const struct way *w)
{
	struct way one = { .handed = 0 };
	const struct json *v = list + 1;
	const struct json *left = json_get(w->json, key);
	const char *differs = NULL;

	for (uint32_t i = 0; i < list->count; i++, v += v->span)
		(void)on_element(&one, v, i, NULL);
	if (one.handed != w->handed ||
		!str_eq(buf_str(&one.out), buf_str(&w->out)))
		differs = "the elements";
	/* The key may have stood before, with another value. */
	if (left->kind == JSON_ARRAY && (left->count != 0 || left->span != 1))
		differs = "the list that is left";
	buf_release(&one.out);
	return differs;
}

static const char *
each_differs(const struct way *plain, struct str text, enum json_flags flags)
{
	struct json_each each = { .key = STR("nodes"), .fn = on_element };
	const struct json *list =
		plain->rc == PAWL_OK ? find_list(plain->json, &each.key) : NULL;
	const char *differs = NULL;
	struct str bytes;
	struct way w;

	begin(&w, text);
	bytes = (struct str){ w.bytes, text.len };
	each.arg = &w;
	w.rc = json_read_each(&w.mem, bytes, flags, &each, &w.json, &w.err);
	if (!same_error(plain, &w))
		differs = "the error with a list handed out";
	else if (text.len > 0 && memcmp(w.bytes, text.ptr, text.len) != 0)
		differs = "the text, which isn't pristine";
	else if (list != NULL)
		differs = list_differs(each.key, list, &w);
	else if (w.rc == PAWL_OK && w.handed > 0)
		differs = "elements of no list";
	end(&w);
	return differs;
}

/* A part that is read again is what it was. */
static const char *
again_differs(const struct way *plain, struct str text, enum json_flags flags)
{
	const struct json *v = plain->json + (plain->json->span - 1) / 2;
	const struct json *again = NULL;
	struct way a = { .handed = 0 }, b = { .handed = 0 };
	const char *differs = NULL;

	if (json_read_again(&a.mem, text, v->at, flags, &again, &a.err) !=
		PAWL_OK) {
		differs = "a part read again";
	} else {
		put(&a, again);
		put(&b, v);
		if (!str_eq(buf_str(&a.out), buf_str(&b.out)) ||
			again->at != v->at || again->span != v->span)
			differs = "the tape of a part read again";
	}
	arena_reset(&a.mem);
	buf_release(&a.out);
	buf_release(&b.out);
	return differs;
}

const char *
json_ways_differ(struct str text, enum json_flags flags)
{
	const char *differs;
	struct way plain;

	begin(&plain, text);
	plain.rc = json_read(&plain.mem, plain.bytes, text.len, flags,
		&plain.json, &plain.err);
	if (plain.rc == PAWL_OK)
		put(&plain, plain.json);
	differs = pristine_differs(&plain, text, flags);
	if (differs == NULL)
		differs = each_differs(&plain, text, flags);
	if (differs == NULL && plain.rc == PAWL_OK)
		differs = again_differs(&plain, text, flags);
	end(&plain);
	return differs;
}
