#include "engine/inbox.h"

#include <errno.h>

#include "base/sha256.h"
#include "model/id.h"

#define INBOX "inbox"

enum { TAKEN_BYTES = 4096 };

static const char *
file_name(struct arena *mem, struct str id, const char *end)
{
	return arena_format(mem, STR_FMT "%s", STR_ARG(id), end).ptr;
}

/* `*ret_dir` is -1 when there is none and none is to be made. */
static enum pawl_rc
inbox_open(struct run *r, bool make, int *ret_dir, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	*ret_dir = -1;
	if (make)
		rc = fs_make_dir(r->place->fs, r->dir, INBOX, err);
	if (rc == PAWL_OK)
		rc = fs_open(r->place->fs, r->dir, INBOX,
			O_RDONLY | O_DIRECTORY, ret_dir, err);
	if (rc != PAWL_OK && !make && err->code == ERR_FILE_NOT_FOUND)
		return PAWL_OK;
	if (rc != PAWL_OK && err->sys == ENOTDIR) /* a link, too */
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'inbox' of run '" STR_FMT "' is no folder",
			STR_ARG(r->id));
	return rc == PAWL_OK ? rc : pawl_wrap(err, "inbox");
}

static struct str
digest(struct arena *mem, struct str bytes)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(bytes, hex);
	return arena_copy(mem, str_from(hex));
}

/* Who took it, when somebody did. */
static enum pawl_rc
taken_read(struct run *r, int dir, struct arena *mem, struct inbox_entry *e,
	struct pawl_err *err)
{
	const char *name = file_name(mem, e->request.request_id, ".taken");
	const struct json *v;
	struct buf bytes = { 0 };
	enum pawl_rc rc = fs_read_document(
		r->place->fs, dir, name, TAKEN_BYTES, &bytes, err);

	if (rc == PAWL_OK) {
		struct str copy = arena_copy(mem, buf_str(&bytes));

		rc = json_read(mem, (char *)(uintptr_t)copy.ptr, copy.len,
			JSON_STRICT, &v, err);
		if (rc == PAWL_OK) {
			e->taken_by = json_str(json_get(v, STR("by")));
			e->taken_at = json_str(json_get(v, STR("at")));
		} else {
			rc = pawl_fail(err, ERR_CORRUPT,
				"inbox: '%s' says not who took it", name);
		}
	} else if (err->code == ERR_FILE_NOT_FOUND) {
		rc = PAWL_OK;
	}
	buf_release(&bytes);
	return rc;
}

static enum pawl_rc
entry_read(struct run *r, int dir, struct str id, struct arena *mem,
	struct inbox_entry *ret_entry, struct pawl_err *err)
{
	struct inbox_entry e = { 0 };
	struct buf bytes = { 0 };
	enum pawl_rc rc = PAWL_ENOENT;

	err->code = ERR_FILE_NOT_FOUND;
	if (dir >= 0)
		rc = fs_read_document(r->place->fs, dir,
			file_name(mem, id, ".json"), VIEW_REQUEST_BYTES, &bytes,
			err);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND) {
		rc = pawl_fail(err, ERR_REQUEST_NOT_FOUND,
			"run '" STR_FMT "' has no request '" STR_FMT "'",
			STR_ARG(r->id), STR_ARG(id));
	} else if (rc == PAWL_OK) {
		struct pawl_err why;

		e.sha256 = digest(mem, buf_str(&bytes));
		if (view_request_read(mem, buf_str(&bytes), &e.request, &why) !=
				PAWL_OK ||
			!str_eq(e.request.request_id, id))
			rc = pawl_fail(err, ERR_CORRUPT,
				"inbox: '" STR_FMT ".json' is no such request",
				STR_ARG(id));
	}
	if (rc == PAWL_OK)
		rc = taken_read(r, dir, mem, &e, err);
	buf_release(&bytes);
	if (rc == PAWL_OK)
		*ret_entry = e;
	return rc;
}

/* How many requests there are, how many were taken. */
static enum pawl_rc
names_read(struct run *r, int dir, struct buf *ret_names, uint32_t *ret_there,
	uint32_t *ret_taken, struct pawl_err *err)
{
	enum pawl_rc rc = fs_list(r->place->fs, dir, ret_names, err);
	struct str rest = buf_str(ret_names);

	*ret_there = *ret_taken = 0;
	while (rc == PAWL_OK && rest.len > 0) {
		struct str name = str_cut(&rest, '\0');

		*ret_there += str_ends(name, STR(".json"));
		*ret_taken += str_ends(name, STR(".taken"));
	}
	return rc;
}

static enum pawl_rc
room_check(struct run *r, int dir, struct pawl_err *err)
{
	struct buf names = { 0 };
	uint32_t there, taken;
	enum pawl_rc rc = names_read(r, dir, &names, &there, &taken, err);

	buf_release(&names);
	/* Somebody may have removed requests that were taken. */
	if (taken > there)
		taken = there;
	if (rc == PAWL_OK && there - taken >= INBOX_REQUESTS_MAX)
		return pawl_fail(err, ERR_LIMIT,
			"%u requests wait for the coordinator; the limit is %d",
			there - taken, INBOX_REQUESTS_MAX);
	return rc;
}

/* A request on its way in. */
struct put {
	struct run *run;
	const struct view_request *request;
	struct arena *mem;
	struct str sha256; /* of its bytes */
	bool there;        /* it was in already */
};

/* An exact replay is the same request; all else under its id is another. */
static enum pawl_rc
replay(struct put *p, int dir, struct pawl_err *err)
{
	struct str id = p->request->request_id;
	struct inbox_entry old;
	enum pawl_rc rc = entry_read(p->run, dir, id, p->mem, &old, err);

	p->there = rc == PAWL_OK;
	if (rc != PAWL_OK)
		return err->code == ERR_REQUEST_NOT_FOUND ? PAWL_OK : rc;
	if (str_eq(old.sha256, p->sha256))
		return PAWL_OK;
	return pawl_fail(err, ERR_ID_TAKEN,
		"request '" STR_FMT "' is there with other content",
		STR_ARG(id));
}

/* Into the folder, which is made when it isn't there (-1). */
static enum pawl_rc
put_new(struct put *p, int *dir, struct str bytes, struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	const char *name = file_name(p->mem, p->request->request_id, ".json");
	enum pawl_rc rc =
		view_request_fits(p->request, &p->run->state, p->mem, err);

	if (rc == PAWL_OK && *dir < 0)
		rc = inbox_open(p->run, true, dir, err);
	if (rc == PAWL_OK)
		rc = room_check(p->run, *dir, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fs_create(fs, *dir, name, bytes, err);
	/* Somebody was faster; with the same bytes that is no difference. */
	if (rc != PAWL_OK && err->code == ERR_ID_TAKEN)
		rc = replay(p, *dir, err);
	return rc;
}

enum pawl_rc
inbox_put(struct run *r, const struct view_request *q, struct arena *mem,
	struct str *ret_sha256, bool *ret_made, struct pawl_err *err)
{
	struct put p = { .run = r, .request = q, .mem = mem };
	struct buf bytes = { 0 };
	int dir = -1;
	enum pawl_rc rc;

	view_request_write(q, &bytes);
	p.sha256 = digest(mem, buf_str(&bytes));
	rc = inbox_open(r, false, &dir, err);
	if (rc == PAWL_OK && dir >= 0)
		rc = replay(&p, dir, err);
	if (rc == PAWL_OK && !p.there)
		rc = put_new(&p, &dir, buf_str(&bytes), err);
	fs_close(r->place->fs, &dir);
	buf_release(&bytes);
	if (rc == PAWL_OK) {
		*ret_sha256 = p.sha256;
		*ret_made = !p.there;
	}
	return rc;
}

enum pawl_rc
inbox_get(struct run *r, struct str id, struct arena *mem,
	struct inbox_entry *ret_entry, struct pawl_err *err)
{
	int dir = -1;
	enum pawl_rc rc = id_check(id, err);

	if (rc == PAWL_OK)
		rc = inbox_open(r, false, &dir, err);
	if (rc == PAWL_OK)
		rc = entry_read(r, dir, id, mem, ret_entry, err);
	fs_close(r->place->fs, &dir);
	return rc;
}

/* What is wrong with the bytes, and not with reading them. */
static bool
is_foreign(const struct pawl_err *err)
{
	return err->code == ERR_CORRUPT || err->code == ERR_LIMIT ||
		err->code == ERR_INVALID_PATH || err->code == ERR_UNSAFE_PATH;
}

/* One file, as a request or as what is none. */
static enum pawl_rc
list_add(struct run *r, int dir, struct str name, struct arena *mem,
	struct inbox_list *list, struct pawl_err *err)
{
	struct pawl_err why;
	enum pawl_rc rc = PAWL_ENO;

	if (str_ends(name, STR(".json")))
		rc = entry_read(r, dir, str_part(name, 0, name.len - 5), mem,
			&list->items[list->count], &why);
	else
		(void)pawl_fail(&why, ERR_CORRUPT,
			"inbox: '" STR_FMT "' is no request", STR_ARG(name));
	if (rc == PAWL_OK) {
		list->count++;
	} else if (is_foreign(&why)) {
		list->foreign[list->foreign_count++] =
			(struct inbox_foreign){ arena_copy(mem, name),
				arena_copy(mem, str_from(why.msg)) };
	} else if (why.code != ERR_REQUEST_NOT_FOUND) { /* gone meanwhile */
		*err = why;
		return rc;
	}
	return PAWL_OK;
}

/* A mark of one that was taken, or what an append that died has left. */
static bool
is_beside(struct str name)
{
	return str_ends(name, STR(".taken")) || name.ptr[0] == '.';
}

enum pawl_rc
inbox_list(struct run *r, uint32_t max, struct arena *mem,
	struct inbox_list *ret_list, struct pawl_err *err)
{
	struct inbox_list list = {
		.items = arena_array(mem, max, struct inbox_entry),
		.foreign = arena_array(mem, max, struct inbox_foreign),
	};
	struct buf names = { 0 };
	struct str rest;
	uint32_t taken;
	int dir = -1;
	enum pawl_rc rc = inbox_open(r, false, &dir, err);

	if (rc == PAWL_OK && dir >= 0)
		rc = names_read(r, dir, &names, &list.total, &taken, err);
	rest = buf_str(&names);
	while (rc == PAWL_OK && rest.len > 0 && list.count < max &&
		list.foreign_count < max) {
		struct str name = str_cut(&rest, '\0');

		if (!is_beside(name))
			rc = list_add(r, dir, name, mem, &list, err);
	}
	if (rest.len == 0)
		list.total = list.count;
	fs_close(r->place->fs, &dir);
	buf_release(&names);
	if (rc == PAWL_OK)
		*ret_list = list;
	return rc;
}

static enum pawl_rc
already_taken(const struct inbox_entry *e, struct pawl_err *err)
{
	return pawl_fail(err, ERR_REQUEST_TAKEN,
		"request '" STR_FMT "' was taken by '" STR_FMT "' at " STR_FMT,
		STR_ARG(e->request.request_id), STR_ARG(e->taken_by),
		STR_ARG(e->taken_at));
}

static enum pawl_rc
taken_write(struct run *r, int dir, struct arena *mem,
	const struct inbox_entry *e, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	struct json_writer w = { .out = &bytes };
	enum pawl_rc rc;

	json_open(&w, '{');
	json_pair_str(&w, STR("by"), e->taken_by);
	json_pair_str(&w, STR("at"), e->taken_at);
	json_pair_str(&w, STR("sha256"), e->sha256);
	json_close(&w, '}');
	buf_addc(&bytes, '\n');
	rc = fs_create(r->place->fs, dir,
		file_name(mem, e->request.request_id, ".taken"),
		buf_str(&bytes), err);
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
inbox_take(struct run *r, struct str id, struct str by, struct arena *mem,
	struct inbox_entry *ret_entry, struct pawl_err *err)
{
	char at[CLOCK_TEXT_BYTES + 1];
	struct inbox_entry e;
	int dir = -1;
	enum pawl_rc rc = id_check(id, err);

	if (rc == PAWL_OK)
		rc = inbox_open(r, false, &dir, err);
	if (rc == PAWL_OK)
		rc = entry_read(r, dir, id, mem, &e, err);
	if (rc == PAWL_OK && e.taken_by.len > 0)
		rc = already_taken(&e, err);
	if (rc != PAWL_OK)
		goto out;
	clock_format(clock_wall_us(r->place->clock), at);
	e.taken_by = arena_copy(mem, by);
	e.taken_at = arena_copy(mem, str_from(at));
	rc = taken_write(r, dir, mem, &e, err);
	if (rc != PAWL_OK && err->code == ERR_ID_TAKEN) {
		rc = entry_read(r, dir, id, mem, &e, err);
		if (rc == PAWL_OK)
			rc = already_taken(&e, err);
	}
	if (rc == PAWL_OK)
		*ret_entry = e;
out:
	fs_close(r->place->fs, &dir);
	return rc;
}
