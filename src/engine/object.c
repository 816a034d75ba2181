#include "engine/object.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/num.h"

/* "<name> <type> <size>\n" of cat-file; false unless it is one. */
static bool
read_head(struct str got, struct object *o)
{
	struct str rest = got;
	struct str line = str_cut(&rest, '\n');
	struct str head = line;
	struct str name = str_cut(&head, ' ');
	struct str kind = str_cut(&head, ' ');
	struct pawl_err why;
	struct oid ignored;
	uint64_t len;

	if (!oid_read(name, &ignored) ||
		num_u64(head, 0, GIT_OUT_MAX, &len, &why) != PAWL_OK)
		return false;
	o->kind = str_eq(kind, STR("blob"))   ? OBJECT_BLOB
		: str_eq(kind, STR("tree"))   ? OBJECT_TREE
		: str_eq(kind, STR("commit")) ? OBJECT_COMMIT
					      : OBJECT_OTHER;
	o->at = line.len + 1;
	o->len = len;
	return true;
}

static enum coproc_whole
object_whole(const void *arg, struct str got)
{
	const struct oid *name = arg;
	struct object o;
	size_t line = str_find(got, '\n');

	if (line == got.len)
		return got.len > 256 ? COPROC_NO_ANSWER : COPROC_MORE;
	/* the answer is about what was asked */
	if (!str_starts(got, str_from(name->hex)))
		return COPROC_NO_ANSWER;
	if (!read_head(got, &o))
		return line + 1 == got.len ? COPROC_WHOLE : COPROC_NO_ANSWER;
	if (got.len < o.at + o.len + 1)
		return COPROC_MORE;
	return got.len == o.at + o.len + 1 && got.ptr[got.len - 1] == '\n'
		? COPROC_WHOLE
		: COPROC_NO_ANSWER;
}

enum pawl_rc
object_read(struct git_serve *s, const struct oid *name,
	struct object *ret_object, struct pawl_err *err)
{
	struct git_question q = {
		.kind = GIT_SERVE_OBJECTS, .whole = object_whole, .arg = name
	};
	struct buf bytes = { 0 };
	struct object o = { 0 };
	enum pawl_rc rc;

	buf_addf(&bytes, "%s\n", name->hex);
	q.bytes = buf_str(&bytes);
	rc = git_serve_ask(s, &q, &o.bytes, err);
	buf_release(&bytes);
	if (rc == PAWL_OK && !read_head(buf_str(&o.bytes), &o)) {
		rc = pawl_fail(err, ERR_GIT, "git cat-file: " STR_FMT,
			STR_ARG(str_trim(buf_str(&o.bytes))));
	}
	if (rc == PAWL_OK)
		*ret_object = o;
	else
		object_release(&o);
	return rc;
}

struct str
object_bytes(const struct object *o)
{
	return str_part(buf_str(&o->bytes), o->at, o->len);
}

void
object_release(struct object *o)
{
	buf_release(&o->bytes);
	*o = (struct object){ 0 };
}

/* A line of a commit's head: the object after `key`. */
static bool
commit_line(struct str bytes, struct str key, struct oid *ret_oid)
{
	while (bytes.len > 0) {
		struct str line = str_cut(&bytes, '\n');

		if (line.len == 0)
			return false; /* the message begins */
		if (str_starts(line, key))
			return oid_read(
				str_part(line, key.len, line.len), ret_oid);
	}
	return false;
}

enum pawl_rc
object_commit_read(struct git_serve *s, const struct oid *commit,
	struct oid *ret_tree, struct oid *ret_parent, struct pawl_err *err)
{
	struct object o = { 0 };
	enum pawl_rc rc = object_read(s, commit, &o, err);

	if (rc == PAWL_OK &&
		(o.kind != OBJECT_COMMIT ||
			!commit_line(
				object_bytes(&o), STR("tree "), ret_tree) ||
			!commit_line(
				object_bytes(&o), STR("parent "), ret_parent)))
		rc = pawl_fail(err, ERR_GIT, "'%s' is no commit with a parent",
			commit->hex);
	object_release(&o);
	return rc;
}

/* "<octal mode> <name>\0<name of the object, binary>", again and again */
static bool
parse_tree(struct str bytes, size_t oid_bytes, struct arena *mem,
	struct tree_entries *list)
{
	while (bytes.len > 0) {
		struct tree_entry e = { 0 };
		struct str name = str_cut(&bytes, '\0');
		struct str mode = str_cut(&name, ' ');
		struct buf hex = { 0 };

		if (bytes.len < oid_bytes || name.len == 0 || mode.len == 0 ||
			mode.len > 6)
			return false;
		for (size_t i = 0; i < mode.len; i++) {
			if (mode.ptr[i] < '0' || mode.ptr[i] > '7')
				return false;
			e.mode = e.mode * 8 + (uint32_t)(mode.ptr[i] - '0');
		}
		buf_addhex(&hex, bytes.ptr, oid_bytes);
		(void)oid_read(buf_str(&hex), &e.oid);
		buf_release(&hex);
		e.name = arena_copy(mem, name);
		bytes = str_part(bytes, oid_bytes, bytes.len);
		(void)tree_entries_push(list, e);
	}
	return true;
}

static int
by_name(const void *a, const void *b)
{
	return str_cmp(((const struct tree_entry *)a)->name,
		((const struct tree_entry *)b)->name);
}

enum pawl_rc
object_read_tree(struct git_serve *s, const struct oid *name, struct arena *mem,
	struct tree_entries *ret_entries, struct pawl_err *err)
{
	struct tree_entries list = { 0 };
	struct object o = { 0 };
	struct oid tree;
	enum pawl_rc rc = object_read(s, name, &o, err);

	if (rc == PAWL_OK && o.kind == OBJECT_COMMIT &&
		commit_line(object_bytes(&o), STR("tree "), &tree)) {
		object_release(&o);
		rc = object_read(s, &tree, &o, err);
	}
	if (rc == PAWL_OK &&
		(o.kind != OBJECT_TREE ||
			!parse_tree(object_bytes(&o), strlen(name->hex) / 2,
				mem, &list)))
		rc = pawl_fail(err, ERR_GIT, "'%s' is no tree", name->hex);
	object_release(&o);
	if (rc == PAWL_OK) {
		if (list.count > 1)
			qsort(list.items, list.count, sizeof(list.items[0]),
				by_name);
		*ret_entries = list;
	} else {
		tree_entries_release(&list);
	}
	return rc;
}

/* The name of an object on a line. */
static enum coproc_whole
name_whole(const void *arg, struct str got)
{
	size_t line = str_find(got, '\n');
	struct oid ignored;

	(void)arg;
	if (line == got.len)
		return got.len > GIT_OID_HEX_MAX ? COPROC_NO_ANSWER
						 : COPROC_MORE;
	return line + 1 == got.len && oid_read(str_part(got, 0, line), &ignored)
		? COPROC_WHOLE
		: COPROC_NO_ANSWER;
}

static enum pawl_rc
ask_name(struct git_serve *s, enum git_serve_kind kind, struct str bytes,
	struct oid *ret_oid, struct pawl_err *err)
{
	struct git_question q = {
		.kind = kind, .bytes = bytes, .whole = name_whole
	};
	struct buf answer = { 0 };
	enum pawl_rc rc = git_serve_ask(s, &q, &answer, err);

	if (rc == PAWL_OK && !oid_read(str_trim(buf_str(&answer)), ret_oid))
		rc = pawl_fail(err, ERR_GIT, "git gave no object's name");
	buf_release(&answer);
	return rc;
}

/* What git itself takes off the ends of a name (ident.c there). */
static bool
is_crud(char c)
{
	return (unsigned char)c <= ' ' || strchr(".,:;<>\"\\'", c) != NULL;
}

static void
add_clean(struct buf *to, struct str s)
{
	while (s.len > 0 && is_crud(s.ptr[0]))
		s = str_part(s, 1, s.len);
	while (s.len > 0 && is_crud(s.ptr[s.len - 1]))
		s.len--;
	for (size_t i = 0; i < s.len; i++) {
		if (strchr("<>\n", s.ptr[i]) == NULL)
			buf_addc(to, s.ptr[i]);
	}
}

static void
add_ident(struct buf *to, const char *key, const struct git_ident *ident)
{
	const char *name = ident->name ? ident->name : "pawl";
	const char *email = ident->email ? ident->email : "pawl@localhost";

	buf_addf(to, "%s ", key);
	add_clean(to, str_from(name));
	buf_add(to, STR(" <"));
	add_clean(to, str_from(email));
	buf_addf(to, "> %llu +0000\n", (unsigned long long)ident->at_s);
}

/* hash-object reads files only: one in memory, by the name that we have it. */
static enum pawl_rc
write_from_memory(struct git_serve *s, enum git_serve_kind kind,
	struct str bytes, struct oid *ret_oid, struct pawl_err *err)
{
	int fd = memfd_create("pawl-object", MFD_CLOEXEC);
	struct buf path = { 0 };
	enum pawl_rc rc = PAWL_OK;

	if (fd < 0)
		return pawl_fail_sys(err, ERR_IO, "could not keep an object");
	while (rc == PAWL_OK && bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n >= 0)
			bytes = str_part(bytes, (size_t)n, bytes.len);
		else if (errno != EINTR)
			rc = pawl_fail_sys(
				err, ERR_IO, "could not keep an object");
	}
	buf_addf(&path, "/proc/%d/fd/%d\n", (int)getpid(), fd);
	if (rc == PAWL_OK)
		rc = ask_name(s, kind, buf_str(&path), ret_oid, err);
	buf_release(&path);
	(void)close(fd); /* a file in memory */
	return rc;
}

/* As git orders a tree: a folder's name counts with a '/' at its end. */
static int
by_tree_name(const void *a, const void *b)
{
	const struct tree_entry *x = a, *y = b;
	size_t len = x->name.len < y->name.len ? x->name.len : y->name.len;
	int order = memcmp(x->name.ptr, y->name.ptr, len);
	int end[2];

	if (order != 0)
		return order;
	end[0] = x->name.len > len            ? (unsigned char)x->name.ptr[len]
		: x->mode == OBJECT_MODE_TREE ? '/'
					      : 0;
	end[1] = y->name.len > len            ? (unsigned char)y->name.ptr[len]
		: y->mode == OBJECT_MODE_TREE ? '/'
					      : 0;
	return end[0] - end[1];
}

static int
digit(char c)
{
	return c <= '9' ? c - '0' : c - 'a' + 10;
}

enum pawl_rc
object_write_tree(struct git_serve *s, struct tree_entries *entries,
	struct oid *ret_tree, struct pawl_err *err)
{
	const struct tree_entry *e;
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	if (entries->count > 1)
		qsort(entries->items, entries->count, sizeof(entries->items[0]),
			by_tree_name);
	VEC_EACH (e, entries) {
		buf_addf(&bytes, "%o ", e->mode);
		buf_add(&bytes, e->name);
		buf_addc(&bytes, '\0');
		for (const char *hex = e->oid.hex; *hex != '\0'; hex += 2)
			buf_addc(&bytes,
				(char)(digit(hex[0]) << 4 | digit(hex[1])));
	}
	rc = write_from_memory(
		s, GIT_SERVE_TREES, buf_str(&bytes), ret_tree, err);
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
object_write_commit(struct git_serve *s, const struct object_commit *commit,
	struct oid *ret_commit, struct pawl_err *err)
{
	struct str message = commit->message;
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	if (str_find(message, '\0') < message.len) {
		return pawl_fail(err, ERR_GIT,
			"a NUL byte in a commit's message is not allowed");
	}
	buf_addf(&bytes, "tree %s\nparent %s\n", commit->tree->hex,
		commit->parent->hex);
	add_ident(&bytes, "author", commit->ident);
	add_ident(&bytes, "committer", commit->ident);
	buf_addc(&bytes, '\n');
	buf_add(&bytes, message);
	rc = write_from_memory(
		s, GIT_SERVE_COMMITS, buf_str(&bytes), ret_commit, err);
	if (rc == PAWL_OK)
		lineage_add(&s->lineage, ret_commit, commit->parent);
	buf_release(&bytes);
	return rc;
}
