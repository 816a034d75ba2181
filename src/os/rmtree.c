#include "os/rmtree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/die.h"
#include "base/vec.h"

enum { RMTREE_SHOWN_MAX = 300, RMTREE_GUARD_DEPTH = 4096 };

struct place {
	uint64_t dev, inode, mount;
};

/* A folder on the way down; `path_len` cuts the path back to it. */
struct level {
	struct place place;
	size_t path_len;
};

VEC_DEF(levels, struct level);

/* One deletion under way. */
struct walk {
	struct levels up; /* the folders above the current one */
	struct place here;
	int fd;          /* of the current folder */
	struct buf path; /* of the current folder from the root, for messages */
	const char *keep; /* an entry of the first folder that stays; or NULL */
};

static bool
place_eq(const struct place *a, const struct place *b)
{
	return a->dev == b->dev && a->inode == b->inode && a->mount == b->mount;
}

/* The mount id tells a bind mount of the same device apart. */
static enum pawl_rc
place_of(int fd, struct place *ret_place, struct pawl_err *err)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &st) != 0)
		return pawl_fail_sys(err, ERR_IO, "could not look at a folder");
	if ((st.stx_mask & STATX_MNT_ID) == 0) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"this kernel does not tell mounts apart; nothing was "
			"deleted");
	}
	*ret_place = (struct place){
		.dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.inode = st.stx_ino,
		.mount = st.stx_mnt_id,
	};
	return PAWL_OK;
}

static int
open_dir(int dir, const char *name)
{
	return openat(
		dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool
is_component(const char *name)
{
	return name[0] != '\0' && strcmp(name, ".") != 0 &&
		strcmp(name, "..") != 0 && strchr(name, '/') == NULL;
}

/* Is the folder `root` the guard or above it? */
static enum pawl_rc
check_guard(const char *guard, const struct place *root, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;
	int fd = open(guard, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not look at '%s'", guard);
	}
	for (int depth = 0; depth < RMTREE_GUARD_DEPTH; depth++) {
		struct stat here, above;
		int up;

		if (fstat(fd, &here) != 0) {
			rc = pawl_fail_sys(
				err, ERR_IO, "could not look at '%s'", guard);
			break;
		}
		/* not the mount: a bind mount of a guard is the guard */
		if (here.st_dev == root->dev && here.st_ino == root->inode) {
			rc = pawl_fail(err, ERR_UNSAFE_PATH,
				"the folder to delete contains '%s'", guard);
			break;
		}
		up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (up < 0 || fstat(up, &above) != 0) {
			rc = pawl_fail_sys(err, ERR_IO,
				"could not look above '%s'", guard);
			if (up >= 0)
				(void)close(up); /* was only looked at */
			break;
		}
		(void)close(fd); /* was only looked at */
		fd = up;
		if (above.st_dev == here.st_dev && above.st_ino == here.st_ino)
			break;
	}
	(void)close(fd); /* was only looked at */
	return rc;
}

static bool
is_empty(int root)
{
	int fd = open_dir(root, ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	size_t count = 0;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd); /* was only looked at */
		return false;
	}
	while (count < 3 && readdir(dir) != NULL)
		count++;
	(void)closedir(dir); /* was only read */
	return count == 2;
}

static enum pawl_rc
check_marker(const struct rmtree_spec *spec, int root, struct pawl_err *err)
{
	char text[RMTREE_MARKER_MAX + 1] = "";
	ssize_t n = -1;
	int fd = openat(root, spec->marker,
		O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT && is_empty(root))
		return PAWL_OK;
	if (fd >= 0) {
		n = read(fd, text, sizeof(text));
		(void)close(fd); /* was only read */
	}
	if (n < 0 || !str_eq((struct str){ text, (size_t)n }, spec->evidence)) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s/%s' does not hold the marker of what pawl made",
			spec->parent, spec->name);
	}
	return PAWL_OK;
}

static enum pawl_rc
check_root(const struct rmtree_spec *spec, int root, struct place *ret_place,
	struct pawl_err *err)
{
	struct stat top;
	enum pawl_rc rc;

	rc = place_of(root, ret_place, err);
	if (rc != PAWL_OK)
		return rc;
	if (ret_place->dev != spec->dev || ret_place->inode != spec->inode) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s/%s' is not the folder that was recorded",
			spec->parent, spec->name);
	}
	if (stat("/", &top) != 0)
		return pawl_fail_sys(err, ERR_IO, "could not look at '/'");
	if (top.st_dev == spec->dev && top.st_ino == spec->inode) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"the folder to delete is the root of the file system");
	}
	for (size_t i = 0; spec->guards != NULL && spec->guards[i] != NULL;
		i++) {
		rc = check_guard(spec->guards[i], ret_place, err);
		if (rc != PAWL_OK)
			return rc;
	}
	return check_marker(spec, root, err);
}

enum pawl_rc
rmtree_open(const struct rmtree_spec *spec, struct rmtree *ret_tree,
	struct pawl_err *err)
{
	struct place above = { 0 }, place = { 0 };
	int parent, root = -1;
	enum pawl_rc rc;

	if (spec->parent == NULL || spec->parent[0] != '/' ||
		spec->name == NULL || !is_component(spec->name) ||
		!is_component(spec->marker) || spec->evidence.len == 0 ||
		spec->evidence.len > RMTREE_MARKER_MAX) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' in '%s' names nothing that may be deleted",
			spec->name ? spec->name : "",
			spec->parent ? spec->parent : "");
	}
	parent = open_dir(AT_FDCWD, spec->parent);
	if (parent >= 0)
		root = open_dir(parent, spec->name);
	if (root < 0) {
		enum pawl_code code = ERR_IO;

		if (errno == ENOENT) {
			code = ERR_FILE_NOT_FOUND;
		} else if (errno == ELOOP || errno == ENOTDIR) {
			code = ERR_UNSAFE_PATH;
		}
		rc = pawl_fail_sys(err, code, "could not open '%s/%s'",
			spec->parent, spec->name);
		goto out;
	}
	rc = place_of(parent, &above, err);
	if (rc == PAWL_OK)
		rc = check_root(spec, root, &place, err);
	if (rc == PAWL_OK && place.mount != above.mount) {
		rc = pawl_fail(err, ERR_UNSAFE_PATH, "'%s/%s' is a mount point",
			spec->parent, spec->name);
	}
out:
	if (rc == PAWL_OK) {
		*ret_tree = (struct rmtree){ parent, root, place.dev,
			place.inode, place.mount, spec->name, spec->marker };
		return PAWL_OK;
	}
	if (root >= 0)
		(void)close(root); /* was only looked at */
	if (parent >= 0)
		(void)close(parent); /* was only looked at */
	return rc;
}

static enum pawl_rc
fail_at(const struct walk *w, const char *name, enum pawl_code code,
	const char *what, struct pawl_err *err)
{
	return pawl_fail_sys(err, code, "could not %s '%.*s/%s'", what,
		w->path.len > RMTREE_SHOWN_MAX ? RMTREE_SHOWN_MAX
					       : (int)w->path.len,
		w->path.data ? w->path.data : "", name);
}

/* Give ourselves back a folder of ours that was made unreadable. */
static bool
make_usable(int dir, const char *name)
{
	char link[64];
	bool done = false;
	int fd = openat(
		dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	done = chmod(link, 0700) == 0;
	(void)close(fd); /* was only looked at */
	return done;
}

static enum pawl_rc
go_down(struct walk *w, const char *name, struct pawl_err *err)
{
	struct place place = { 0 };
	struct stat st;
	enum pawl_rc rc;
	int fd = open_dir(w->fd, name);

	if (fd < 0 && errno == EACCES && make_usable(w->fd, name))
		fd = open_dir(w->fd, name);
	if (fd < 0)
		return fail_at(w, name, ERR_IO, "open", err);
	rc = place_of(fd, &place, err);
	if (rc == PAWL_OK && place.mount != w->here.mount) {
		errno = EXDEV;
		rc = fail_at(
			w, name, ERR_UNSAFE_PATH, "cross the mount at", err);
	}
	if (rc == PAWL_OK && w->up.count >= RMTREE_DEPTH_MAX) {
		rc = pawl_fail(err, ERR_LIMIT,
			"a tree is deeper than the limit of %d folders",
			RMTREE_DEPTH_MAX);
	}
	if (rc == PAWL_OK && fstat(fd, &st) == 0 &&
		(st.st_mode & S_IRWXU) != S_IRWXU && fchmod(fd, 0700) != 0)
		rc = fail_at(w, name, ERR_IO, "make writable", err);
	if (rc != PAWL_OK) {
		(void)close(fd); /* was only looked at */
		return rc;
	}
	(void)levels_push(&w->up, (struct level){ w->here, w->path.len });
	buf_addc(&w->path, '/');
	buf_add(&w->path, str_from(name));
	(void)close(w->fd); /* was only read */
	w->fd = fd;
	w->here = place;
	return PAWL_OK;
}

/* Back to the folder above, and remove the one we come from. */
static enum pawl_rc
go_up(struct walk *w, struct pawl_err *err)
{
	struct level above = w->up.items[w->up.count - 1];
	char name[NAME_MAX + 1];
	struct place place = { 0 };
	enum pawl_rc rc;
	int fd = open_dir(w->fd, "..");

	if (fd < 0)
		return fail_at(w, "..", ERR_IO, "open", err);
	rc = place_of(fd, &place, err);
	if (rc == PAWL_OK && !place_eq(&place, &above.place)) {
		errno = ESTALE;
		rc = fail_at(w, "..", ERR_UNSAFE_PATH, "go back to", err);
	}
	if (rc != PAWL_OK) {
		(void)close(fd); /* was only looked at */
		return rc;
	}
	(void)close(w->fd); /* was only read */
	w->fd = fd;
	w->here = place;
	w->up.count--;
	(void)snprintf(
		name, sizeof(name), "%s", w->path.data + above.path_len + 1);
	w->path.len = above.path_len;
	w->path.data[w->path.len] = '\0';
	if (unlinkat(w->fd, name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		return fail_at(w, name, ERR_IO, "remove", err);
	return PAWL_OK;
}

/*
 * Remove what lies in the current folder.  Ends early, with `*ret_deeper`, when
 * it went down into a folder: that one comes first.
 */
static enum pawl_rc
clear_here(struct walk *w, bool *ret_deeper, struct pawl_err *err)
{
	int fd = open_dir(w->fd, ".");
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	enum pawl_rc rc = PAWL_OK;
	bool deeper = false;

	if (dir == NULL) {
		rc = fail_at(w, ".", ERR_IO, "read", err);
		if (fd >= 0)
			(void)close(fd); /* was only looked at */
		return rc;
	}
	while (rc == PAWL_OK && !deeper) {
		struct dirent *e;

		errno = 0;
		e = readdir(dir);
		if (e == NULL) {
			if (errno != 0)
				rc = fail_at(w, ".", ERR_IO, "read", err);
			break;
		}
		if (!is_component(e->d_name) ||
			(w->up.count == 0 && w->keep != NULL &&
				strcmp(e->d_name, w->keep) == 0))
			continue;
		if (e->d_type != DT_DIR && unlinkat(w->fd, e->d_name, 0) == 0)
			continue;
		if (e->d_type != DT_DIR && errno == ENOENT)
			continue;
		if (e->d_type != DT_DIR && errno != EISDIR) {
			rc = fail_at(w, e->d_name, ERR_IO, "remove", err);
			break;
		}
		rc = go_down(w, e->d_name, err);
		deeper = rc == PAWL_OK;
	}
	(void)closedir(dir); /* was only read */
	if (rc == PAWL_OK)
		*ret_deeper = deeper;
	return rc;
}

/* Empty the folder that the walk begins in, but for its `keep`. */
static enum pawl_rc
clear_all(struct walk *w, struct pawl_err *err)
{
	for (;;) {
		bool deeper = false;
		enum pawl_rc rc = clear_here(w, &deeper, err);

		if (rc == PAWL_OK && !deeper) {
			if (w->up.count == 0)
				return PAWL_OK;
			rc = go_up(w, err);
		}
		if (rc != PAWL_OK)
			return rc;
	}
}

static enum pawl_rc
walk_start(const struct rmtree *tree, struct walk *w, struct pawl_err *err)
{
	w->fd = open_dir(tree->root, ".");
	w->here = (struct place){ tree->dev, tree->inode, tree->mount };
	if (w->fd < 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not open '%s'", tree->name);
	}
	return PAWL_OK;
}

static void
walk_release(struct walk *w)
{
	if (w->fd >= 0)
		(void)close(w->fd); /* was only read */
	levels_release(&w->up);
	buf_release(&w->path);
}

enum pawl_rc
rmtree_entry(struct rmtree *tree, const char *name, struct pawl_err *err)
{
	struct walk w = { .fd = -1 };
	enum pawl_rc rc;
	bool deeper = false;

	assert(is_component(name));
	rc = walk_start(tree, &w, err);
	if (rc != PAWL_OK)
		goto out;
	if (unlinkat(w.fd, name, 0) == 0 || errno == ENOENT)
		goto out;
	if (errno != EISDIR) {
		rc = fail_at(&w, name, ERR_IO, "remove", err);
		goto out;
	}
	rc = go_down(&w, name, err);
	while (rc == PAWL_OK && w.up.count > 0) {
		rc = clear_here(&w, &deeper, err);
		if (rc == PAWL_OK && !deeper)
			rc = go_up(&w, err);
	}
out:
	walk_release(&w);
	return rc;
}

enum pawl_rc
rmtree_all(struct rmtree *tree, struct pawl_err *err)
{
	struct walk w = { .fd = -1, .keep = tree->marker };
	enum pawl_rc rc;

	rc = walk_start(tree, &w, err);
	if (rc == PAWL_OK)
		rc = clear_all(&w, err);
	if (rc != PAWL_OK)
		goto out;
	if (unlinkat(tree->root, tree->marker, 0) != 0 && errno != ENOENT) {
		rc = fail_at(&w, tree->marker, ERR_IO, "remove", err);
		goto out;
	}
	if (unlinkat(tree->parent, tree->name, AT_REMOVEDIR) != 0 &&
		errno != ENOENT)
		rc = fail_at(&w, tree->name, ERR_IO, "remove", err);
out:
	walk_release(&w);
	return rc;
}

void
rmtree_close(struct rmtree *tree)
{
	if (tree->name != NULL) {
		(void)close(tree->root); /* were only read */
		(void)close(tree->parent);
	}
	*tree = (struct rmtree){ .parent = -1, .root = -1 };
}
