#include "engine/restore.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/die.h"
#include "base/num.h"

enum { MODE_LINK = 0120000, MODE_EXEC = 0100755, MODE_TYPE = 0170000 };

static const char temp_name[] = ".pawl-restore";

struct restore {
	const struct repo *repo;
	int top; /* descriptor of the repository's top */
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

static bool
write_file(const struct spot *at, uint32_t mode, struct str bytes)
{
	bool written = true;
	int fd = openat(at->dir, temp_name,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		mode == MODE_EXEC ? 0777 : 0666);

	if (fd < 0)
		return false;
	while (written && bytes.len > 0) {
		ssize_t n = write(fd, bytes.ptr, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		written = n > 0;
		if (written)
			bytes = str_part(bytes, (size_t)n, bytes.len);
	}
	if (close(fd) != 0)
		written = false;
	return written;
}

static bool
write_link(const struct spot *at, struct str target)
{
	char text[PATH_MAX];

	if (target.len == 0 || target.len >= sizeof(text)) {
		errno = ENAMETOOLONG;
		return false;
	}
	memcpy(text, target.ptr, target.len);
	text[target.len] = '\0';
	return symlinkat(text, at->dir, temp_name) == 0;
}

/* The change modified or deleted something: write what was there. */
static void
write_one(struct restore *r, const struct change *c, struct str bytes)
{
	struct spot at;
	bool done;

	if (!find_spot(r->top, c->path, true, &at)) {
		miss(r, c, strerror(errno));
		return;
	}
	/* what an earlier try left */
	(void)unlinkat(at.dir, temp_name, 0);
	if ((c->old_mode & MODE_TYPE) == MODE_LINK)
		done = write_link(&at, bytes);
	else
		done = write_file(&at, c->old_mode, bytes);
	/* a folder that the attempt put here, and emptied above */
	if (done && renameat(at.dir, temp_name, at.dir, at.name) != 0)
		done = errno == EISDIR &&
			unlinkat(at.dir, at.name, AT_REMOVEDIR) == 0 &&
			renameat(at.dir, temp_name, at.dir, at.name) == 0;
	if (!done) {
		miss(r, c, strerror(errno));
		(void)unlinkat(at.dir, temp_name, 0);
	}
	(void)close(at.dir); /* was only looked at */
}

/* "<name> blob <size>\n<bytes>\n" for each that was asked, in order. */
static bool
cut_answer(struct str *rest, struct str *ret_bytes)
{
	struct str head = str_cut(rest, '\n');
	struct pawl_err why;
	uint64_t size;

	(void)str_cut(&head, ' ');
	if (!str_eq(str_cut(&head, ' '), STR("blob")) || rest->ptr == NULL ||
		num_u64(head, 0, RESTORE_BYTES_MAX, &size, &why) != PAWL_OK ||
		size >= rest->len || rest->ptr[size] != '\n')
		return false;
	*ret_bytes = str_part(*rest, 0, size);
	*rest = str_part(*rest, size + 1, rest->len);
	return true;
}

/* Links are kept as they are; files as a checkout would write them. */
static enum pawl_rc
fetch(struct restore *r, const struct change *const *list, size_t count,
	bool links, struct git_ran *ret_ran, struct pawl_err *err)
{
	const char *const files[] = { "cat-file", "--batch", "--filters", "-z",
		NULL };
	const char *const plain[] = { "cat-file", "--batch", "-z", NULL };
	struct buf input = { 0 };
	struct git_call call = { .args = links ? plain : files,
		.git_dir = r->repo->git_dir,
		.work_tree = r->repo->top,
		.out_max = RESTORE_BYTES_MAX };
	enum pawl_rc rc;

	for (size_t i = 0; i < count; i++) {
		buf_add(&input, str_from(list[i]->old.hex));
		if (!links) {
			buf_addc(&input, ' ');
			buf_add(&input, list[i]->path);
		}
		buf_addc(&input, '\0');
	}
	call.input = buf_str(&input);
	rc = git_run(&call, ret_ran, err);
	buf_release(&input);
	return rc;
}

static enum pawl_rc
write_batch(struct restore *r, const struct change *const *list, size_t count,
	bool links, struct pawl_err *err)
{
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

	rc = fetch(r, list, count, links, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	for (size_t i = 0; i < count; i++) {
		struct str bytes;

		if (!cut_answer(&rest, &bytes)) {
			rc = pawl_fail(err, ERR_GIT,
				"git cat-file has no content for '" STR_FMT "'",
				STR_ARG(list[i]->path));
			break;
		}
		write_one(r, list[i], bytes);
	}
	git_ran_release(&ran);
	return rc;
}

/* What fails together, for its size or one bad object, is tried one by one. */
static void
write_all(struct restore *r, const struct change *const *list, size_t count,
	bool links)
{
	struct pawl_err why;

	if (count == 0 || write_batch(r, list, count, links, &why) == PAWL_OK)
		return;
	for (size_t i = 0; i < count; i++) {
		if (write_batch(r, &list[i], 1, links, &why) != PAWL_OK)
			miss(r, list[i], why.msg);
	}
}

static void
write_old(struct restore *r, const struct changes *changes, bool links)
{
	const struct change *batch[RESTORE_BATCH_MAX];
	const struct change *c;
	size_t count = 0;

	VEC_EACH (c, changes) {
		bool link = (c->old_mode & MODE_TYPE) == MODE_LINK;

		if (c->submodule || c->old_mode == 0 || link != links)
			continue;
		batch[count++] = c;
		if (count == RESTORE_BATCH_MAX) {
			write_all(r, batch, count, links);
			count = 0;
		}
	}
	write_all(r, batch, count, links);
}

enum pawl_rc
restore_paths(const struct repo *repo, const struct changes *changes,
	struct restore_misses *ret_misses, struct pawl_err *err)
{
	struct restore r = { .repo = repo };
	const struct change *c;

	r.top = open(repo->top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (r.top < 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not open '%s'", repo->top);
	/* first what is too much: it may stand where something comes back */
	VEC_EACH (c, changes) {
		if (c->submodule)
			miss(&r, c, "it is another repository");
		else if (c->old_mode == 0)
			remove_one(&r, c);
	}
	write_old(&r, changes, false);
	write_old(&r, changes, true);
	(void)close(r.top); /* was only looked at */
	*ret_misses = r.misses;
	return PAWL_OK;
}
