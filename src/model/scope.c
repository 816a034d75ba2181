#include "model/scope.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/bounds.h"
#include "base/die.h"

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_glob(char c)
{
	return c != '\0' && strchr("*?[]{}", c) != NULL;
}

/* Also in other case: Git itself takes no such entry into a tree. */
static bool
is_git(struct str segment)
{
	return segment.len == 4 && segment.ptr[0] == '.' &&
		(segment.ptr[1] | 0x20) == 'g' &&
		(segment.ptr[2] | 0x20) == 'i' &&
		(segment.ptr[3] | 0x20) == 't';
}

/*
 * What `raw` was probably meant to be, for the hint.  Not NUL-terminated; the
 * length, or 0 when there is no guess.
 */
static size_t
guess(struct str raw, char to[BOUND_PATH_BYTES])
{
	size_t len = 0;
	struct str rest = raw;

	if (rest.len >= 2 && is_letter(rest.ptr[0]) && rest.ptr[1] == ':')
		rest = str_part(rest, 2, rest.len);
	while (rest.len > 0) {
		size_t n = 0;

		while (n < rest.len && rest.ptr[n] != '/' &&
			rest.ptr[n] != '\\' && !is_glob(rest.ptr[n]))
			n++;
		if (n < rest.len && is_glob(rest.ptr[n]))
			break;
		if (n == 2 && memcmp(rest.ptr, "..", 2) == 0) {
			if (len == 0)
				return 0;
			while (len > 0 && to[len - 1] != '/')
				len--;
			len -= len > 0;
		} else if (n > 0 && !(n == 1 && rest.ptr[0] == '.')) {
			if (len > 0)
				to[len++] = '/';
			memcpy(to + len, rest.ptr, n);
			len += n;
		}
		rest = str_part(rest, n + 1, rest.len);
	}
	if (len == 0)
		to[len++] = '.';
	return len;
}

PAWL_COLD static enum pawl_rc
refuse(struct str raw, const char *why, bool guessable, struct pawl_err *err)
{
	char normal[BOUND_PATH_BYTES];
	struct str shown = str_part(raw, 0, 200);
	size_t len = guessable ? guess(raw, normal) : 0;

	(void)pawl_fail(err, ERR_INVALID_PATH, "path '" STR_FMT "' %s",
		STR_ARG(shown), why);
	if (len > 0)
		(void)pawl_hint(err, STR_FMT, (int)len, normal);
	return err->rc;
}

/* One pass over the bytes; `*ret_ascii` is whether all are ASCII. */
static enum pawl_rc
check_bytes(struct str raw, bool *ret_ascii, struct pawl_err *err)
{
	bool ascii = true;

	for (size_t i = 0; i < raw.len; i++) {
		unsigned char c = (unsigned char)raw.ptr[i];

		if (c < 0x20 || c == 0x7f ||
			(c == 0xc2 && i + 1 < raw.len &&
				(unsigned char)raw.ptr[i + 1] < 0xa0))
			return refuse(
				raw, "has a control character", false, err);
		if (c == '\\') {
			return refuse(raw,
				"has a '\\'; segments are joined by '/'", true,
				err);
		}
		if (is_glob((char)c)) {
			return refuse(raw,
				"has a glob character; a path covers all that "
				"is below it",
				true, err);
		}
		ascii = ascii && c < 0x80;
	}
	*ret_ascii = ascii;
	return PAWL_OK;
}

/* Segments of a path without `./` in front and `/` at the end. */
static enum pawl_rc
check_segments(struct str raw, struct str path, struct pawl_err *err)
{
	size_t start = 0;

	for (size_t i = 0; i <= path.len; i++) {
		struct str segment;

		if (i < path.len && path.ptr[i] != '/')
			continue;
		segment = (struct str){ path.ptr + start, i - start };
		start = i + 1;
		if (segment.len == 0)
			return refuse(raw, "has '//'", true, err);
		if (segment.len == 1 && segment.ptr[0] == '.')
			return refuse(raw, "has a '.' segment", true, err);
		if (segment.len == 2 && memcmp(segment.ptr, "..", 2) == 0)
			return refuse(raw, "has a '..' segment", true, err);
		if (is_git(segment))
			return refuse(raw, "is in '.git', which is Git's own",
				false, err);
	}
	return PAWL_OK;
}

/* utf8proc's result as a view in `mem`; false when `s` is not UTF-8. */
static bool
mapped(struct str s, utf8proc_option_t options, struct arena *mem,
	struct str *ret_s)
{
	utf8proc_uint8_t *to = NULL;
	utf8proc_ssize_t len = utf8proc_map((const utf8proc_uint8_t *)s.ptr,
		(utf8proc_ssize_t)s.len, &to, options);

	if (len == UTF8PROC_ERROR_NOMEM)
		die("out of memory: %zu bytes of text", s.len);
	if (len < 0)
		return false;
	*ret_s = arena_copy(mem, (struct str){ (const char *)to, (size_t)len });
	free(to);
	return true;
}

static enum pawl_rc
compose(struct str raw, struct str *path, struct arena *mem,
	struct pawl_err *err)
{
	struct str nfc;

	if (!mapped(*path, UTF8PROC_STABLE | UTF8PROC_COMPOSE, mem, &nfc))
		return refuse(raw, "is not UTF-8", false, err);
	if (nfc.len > BOUND_PATH_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"path of %zu bytes is over the limit of %d", nfc.len,
			BOUND_PATH_BYTES);
	if (!str_eq(nfc, *path))
		*path = nfc;
	return PAWL_OK;
}

enum pawl_rc
scope_normalise(struct str raw, struct arena *mem, struct scope *ret_scope,
	struct pawl_err *err)
{
	struct str path = raw;
	bool directory = false;
	bool ascii = false;

	if (raw.len == 0)
		return refuse(raw, "is empty", true, err);
	if (raw.len > BOUND_PATH_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"path of %zu bytes is over the limit of %d", raw.len,
			BOUND_PATH_BYTES);
	if (check_bytes(raw, &ascii, err) != PAWL_OK)
		return err->rc;
	if (raw.ptr[0] == '/')
		return refuse(raw, "is absolute", true, err);
	if (raw.len >= 2 && is_letter(raw.ptr[0]) && raw.ptr[1] == ':')
		return refuse(raw, "names a drive", true, err);
	if (str_starts(path, STR("./")))
		path = str_part(path, 2, path.len);
	if (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--, directory = true;
	if (path.len == 0 || (path.len == 1 && path.ptr[0] == '.')) {
		*ret_scope = (struct scope){ { raw.ptr, 0 }, true };
		return PAWL_OK;
	}
	if (check_segments(raw, path, err) != PAWL_OK)
		return err->rc;
	if (!ascii && compose(raw, &path, mem, err) != PAWL_OK)
		return err->rc;
	*ret_scope = (struct scope){ path, directory };
	return PAWL_OK;
}

bool
scope_contains(struct str outer, struct str inner)
{
	return outer.len == 0 ||
		(str_starts(inner, outer) &&
			(inner.len == outer.len ||
				inner.ptr[outer.len] == '/'));
}

bool
scope_overlaps(struct str a, struct str b)
{
	return a.len <= b.len ? scope_contains(a, b) : scope_contains(b, a);
}

int
scope_cmp(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;

	for (size_t i = 0; i < n; i++) {
		unsigned char x = (unsigned char)a.ptr[i];
		unsigned char y = (unsigned char)b.ptr[i];

		if (x == y)
			continue;
		if (x == '/' || y == '/')
			return x == '/' ? -1 : 1;
		return x < y ? -1 : 1;
	}
	return (a.len > b.len) - (a.len < b.len);
}

struct str
scope_fold(struct str path, struct arena *mem)
{
	struct str folded;
	bool valid;

	if (path.len == 0)
		return path;
	valid = mapped(path,
		UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD, mem,
		&folded);
	assert(valid); /* a normal form is UTF-8 */
	return folded;
}

static int
scope_order(const void *a, const void *b)
{
	const struct scope *x = a;
	const struct scope *y = b;

	return scope_cmp(x->path, y->path);
}

size_t
scope_reduce(struct scope *scopes, size_t count)
{
	size_t kept = 0;

	if (count < 2)
		return count;
	qsort(scopes, count, sizeof(*scopes), scope_order);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 &&
			scope_contains(scopes[kept - 1].path, scopes[i].path)) {
			/* The same path twice: the assertion stays. */
			if (scopes[kept - 1].path.len == scopes[i].path.len)
				scopes[kept - 1].directory |=
					scopes[i].directory;
			continue;
		}
		scopes[kept++] = scopes[i];
	}
	return kept;
}

struct str
scope_shown(struct str path)
{
	return path.len == 0 ? STR(".") : path;
}

struct str
scope_unshown(struct str shown)
{
	if (str_eq(shown, STR(".")))
		return (struct str){ "", 0 };
	return str_ends(shown, STR("/")) ? str_part(shown, 0, shown.len - 1)
					 : shown;
}
