#include "engine/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/room.h"

enum { MODE_LINK = 0120000, MODE_EXEC = 0100755, MODE_TYPE = 0170000 };

static const char temp_name[] = ".pawl-restore";
static const char scratch_name[] = "restore";

struct restore {
	const struct repo *repo;
	int top; /* descriptor of the repository's top */
	struct arena mem;
	struct restore_misses misses;
};

/* Where a path's last component stands; the descriptor is open. */
struct spot {
	int dir;
	char name[NAME_MAX + 1];
};

static void
miss(struct restore *r, const struct change *c, const char *why)
{
	struct restore_miss m = { .path = c->path };

	(void)snprintf(m.why, sizeof(m.why), "%s", why);
	(void)restore_misses_push(&r->misses, m);
}

/*
 * Walk to the folder of `path`, one component a step and through no link.
 * False with errno; ENOENT where a folder is missing and isn't to be made.
 */
static bool
find_spot(int top, struct str path, bool make, struct spot *ret_spot)
{
	struct spot at = { .dir = openat(top, ".",
				   O_RDONLY | O_DIRECTORY | O_CLOEXEC) };

	while (at.dir >= 0) {
		struct str part = str_cut(&path, '/');
		int next;

		if (part.len == 0 || part.len > NAME_MAX ||
			str_eq(part, STR(".")) || str_eq(part, STR("..")) ||
			str_eq(part, STR(".git"))) {
			errno = EINVAL;
			break;
		}
		memcpy(at.name, part.ptr, part.len);
		at.name[part.len] = '\0';
		if (path.ptr == NULL) {
			*ret_spot = at;
			return true;
		}
		if (make && mkdirat(at.dir, at.name, 0777) != 0 &&
			errno != EEXIST)
			break;
		next = openat(at.dir, at.name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			break;
		(void)close(at.dir); /* was only looked at */
		at.dir = next;
	}
	if (at.dir >= 0) {
		int sys = errno;

		(void)close(at.dir); /* was only looked at */
		errno = sys;
	}
	return false;
}

/* Remove the folders above `path` that have become empty. */
static void
prune(int top, struct str path)
{
	for (;;) {
		struct spot at;
		size_t len = path.len;
		int sys;

		while (len > 0 && path.ptr[len - 1] != '/')
			len--;
		if (len == 0)
			return;
		path.len = len - 1;
		if (!find_spot(top, path, false, &at))
			return;
		sys = unlinkat(at.dir, at.name, AT_REMOVEDIR);
		(void)close(at.dir); /* was only looked at */
		if (sys != 0)
			return;
	}
}

/* The change added something: away with it. */
static void
remove_one(struct restore *r, const struct change *c)
{
	struct spot at;
	bool gone;

	if (!find_spot(r->top, c->path, false, &at)) {
		/* no such folder, or a link that another change removes */
		if (errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
			miss(r, c, strerror(errno));
		return;
	}
	gone = unlinkat(at.dir, at.name, 0) == 0 || errno == ENOENT;
	if (!gone)
		miss(r, c, strerror(errno));
	(void)close(at.dir); /* was only looked at */
	if (gone)
		prune(r->top, c->path);
}

/* Beside its place, with the rights of a checkout. */
static bool
copy_file(const struct spot *at, const char *from, uint32_t mode)
{
	int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int out = -1;
	bool copied = false;

	if (in >= 0) {
		out = openat(at->dir, temp_name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			mode == MODE_EXEC ? 0777 : 0666);
	}
	if (out >= 0)
		copied = file_copy_bytes(in, out);
	if (out >= 0 && close(out) != 0)
		copied = false;
	if (in >= 0) {
		int sys = errno;

		(void)close(in); /* was only read */
		errno = sys;
	}
	return copied;
}

static bool
copy_link(const struct spot *at, const char *from)
{
	char target[PATH_MAX];
	ssize_t len = readlink(from, target, sizeof(target));

	if (len < 0)
		return false;
	if (len == sizeof(target)) {
		errno = ENAMETOOLONG;
		return false;
	}
	target[len] = '\0';
	return symlinkat(target, at->dir, temp_name) == 0;
}

/* The change modified or deleted something: put back what was there. */
static void
write_one(struct restore *r, const struct change *c, const char *from)
{
	struct spot at;
	bool done;

	if (!find_spot(r->top, c->path, true, &at)) {
		miss(r, c, strerror(errno));
		return;
	}
	/* what an earlier try left */
	(void)unlinkat(at.dir, temp_name, 0);
	if ((c->old_mode & MODE_TYPE) == MODE_LINK) {
		done = copy_link(&at, from);
	} else {
		done = copy_file(&at, from, c->old_mode);
	}
	/* a folder that the attempt put here, and emptied above */
	if (done && renameat(at.dir, temp_name, at.dir, at.name) != 0) {
		done = errno == EISDIR &&
			unlinkat(at.dir, at.name, AT_REMOVEDIR) == 0 &&
			renameat(at.dir, temp_name, at.dir, at.name) == 0;
	}
	if (!done) {
		miss(r, c, strerror(errno));
		(void)unlinkat(at.dir, temp_name, 0);
	}
	(void)close(at.dir); /* was only looked at */
}

/* Attributes say how the rest is written, so they come back first. */
static bool
is_of_pass(const struct change *c, bool attributes)
{
	return !c->submodule && c->old_mode != 0 &&
		attributes ==
		(str_eq(c->path, STR(".gitattributes")) ||
			str_ends(c->path, STR("/.gitattributes")));
}

/* An index of the old sides alone, as --index-info lines. */
static void
list_old(const struct changes *changes, bool attributes, struct buf *to)
{
	const struct change *c;

	VEC_EACH (c, changes) {
		if (!is_of_pass(c, attributes))
			continue;
		buf_addf(to, "%o %s\t", c->old_mode, c->old.hex);
		buf_add(to, c->path);
		buf_addc(to, '\0');
	}
}

/* Git writes what it can below <dir>/files/; `why` says why not the rest. */
static enum pawl_rc
check_out(struct restore *r, struct str list, const char *dir,
	struct pawl_err *why, struct pawl_err *err)
{
	const char *const prefix = arena_strdup(
		&r->mem, arena_format(&r->mem, "--prefix=%s/files/", dir));
	const char *const index[] = { "update-index", "-z", "--index-info",
		NULL };
	const char *const write[] = { "checkout-index", "-a", "-f", "-q",
		prefix, NULL };
	struct git_call call = { .args = index,
		.git_dir = r->repo->git_dir,
		.work_tree = r->repo->top,
		.index = arena_strdup(
			&r->mem, arena_format(&r->mem, "%s/index", dir)),
		.input = list };
	enum pawl_rc rc;

	rc = git_run_quiet(&call, err);
	if (rc != PAWL_OK)
		return rc;
	call.args = write;
	call.input = (struct str){ 0 };
	if (git_run_quiet(&call, why) != PAWL_OK && why->code != ERR_GIT) {
		*err = *why;
		return err->rc;
	}
	return PAWL_OK;
}

static enum pawl_rc
write_pass(struct restore *r, const struct changes *changes, bool attributes,
	const char *dir, struct pawl_err *err)
{
	struct pawl_err why = { .msg = "git has no content for it" };
	struct buf list = { 0 };
	const struct change *c;
	enum pawl_rc rc = PAWL_OK;

	list_old(changes, attributes, &list);
	if (list.len > 0)
		rc = check_out(r, buf_str(&list), dir, &why, err);
	if (rc != PAWL_OK)
		goto out;
	VEC_EACH (c, changes) {
		struct buf from = { .max = PATH_MAX - 1 };
		struct stat st;

		if (!is_of_pass(c, attributes))
			continue;
		buf_addf(&from, "%s/files/", dir);
		buf_add(&from, c->path);
		if (buf_ok(&from) && lstat(from.data, &st) == 0) {
			write_one(r, c, from.data);
		} else {
			miss(r, c, why.msg);
		}
		buf_release(&from);
	}
out:
	buf_release(&list);
	return rc;
}

static void
remove_new(struct restore *r, const struct changes *changes)
{
	const struct change *c;

	/* first what is too much: it may stand where something comes back */
	VEC_EACH (c, changes) {
		if (c->submodule) {
			miss(r, c, "it is another repository");
		} else if (c->old_mode == 0) {
			remove_one(r, c);
		}
	}
}

enum pawl_rc
restore_paths(const struct repo *repo, const char *scratch,
	const struct changes *changes, struct restore_misses *ret_misses,
	struct pawl_err *err)
{
	struct restore r = { .repo = repo };
	const char *dir;
	enum pawl_rc rc;

	r.top = open(repo->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.top < 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not open '%s'", repo->top);
	}
	rc = room_make(scratch, scratch_name, &r.mem, &dir, err);
	if (rc != PAWL_OK)
		goto out;
	remove_new(&r, changes);
	rc = write_pass(&r, changes, true, dir, err);
	if (rc == PAWL_OK)
		rc = room_make(scratch, scratch_name, &r.mem, &dir, err);
	if (rc == PAWL_OK)
		rc = write_pass(&r, changes, false, dir, err);
	if (rc == PAWL_OK)
		rc = room_drop(scratch, scratch_name, err);
out:
	(void)close(r.top); /* was only looked at */
	if (rc == PAWL_OK) {
		*ret_misses = r.misses;
	} else {
		restore_misses_release(&r.misses);
	}
	arena_reset(&r.mem);
	return rc;
}
