#include "fs_fault.h"

#include <errno.h>
#include <string.h>

/* True when this operation is the one. */
static bool
hit(struct fs_fault *f, const char *op)
{
	bool now;

	if (f->only != NULL && strcmp(f->only, op) != 0)
		return false;
	now = f->left == 0;
	if (f->left > 0)
		f->left--;
	if (!now || (f->sys == FAULT_SHORT && strcmp(op, "write") != 0))
		return false;
	if (!f->stays)
		f->left = -1;
	f->fired = op;
	errno = f->sys;
	return true;
}

static int
fault_open(void *st, int dir, const char *name, int flags, mode_t mode)
{
	struct fs_fault *f = st;

	return hit(f, "open")
		? -1
		: f->under.ops->open(f->under.state, dir, name, flags, mode);
}

/* The descriptor is gone whatever close says, as on Linux. */
static int
fault_close(void *st, int fd)
{
	struct fs_fault *f = st;
	int rc = f->under.ops->close(f->under.state, fd);

	return hit(f, "close") ? -1 : rc;
}

static ssize_t
fault_pread(void *st, int fd, void *p, size_t n, uint64_t offset)
{
	struct fs_fault *f = st;

	return hit(f, "pread")
		? -1
		: f->under.ops->pread(f->under.state, fd, p, n, offset);
}

static ssize_t
fault_write(void *st, int fd, const void *p, size_t n)
{
	struct fs_fault *f = st;

	if (!hit(f, "write"))
		return f->under.ops->write(f->under.state, fd, p, n);
	if (f->sys != FAULT_SHORT)
		return -1;
	return f->under.ops->write(f->under.state, fd, p, n / 2);
}

static int
fault_datasync(void *st, int fd)
{
	struct fs_fault *f = st;

	return hit(f, "datasync") ? -1
				  : f->under.ops->datasync(f->under.state, fd);
}

static int
fault_sync(void *st, int fd)
{
	struct fs_fault *f = st;

	return hit(f, "sync") ? -1 : f->under.ops->sync(f->under.state, fd);
}

static int
fault_truncate(void *st, int fd, uint64_t size)
{
	struct fs_fault *f = st;

	return hit(f, "truncate")
		? -1
		: f->under.ops->truncate(f->under.state, fd, size);
}

static int
fault_rename(
	void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	struct fs_fault *f = st;

	return hit(f, "rename") ? -1
				: f->under.ops->rename(f->under.state, from_dir,
					  from, to_dir, to);
}

static int
fault_link(void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	struct fs_fault *f = st;

	return hit(f, "link") ? -1
			      : f->under.ops->link(f->under.state, from_dir,
					from, to_dir, to);
}

static int
fault_unlink(void *st, int dir, const char *name, int flags)
{
	struct fs_fault *f = st;

	return hit(f, "unlink")
		? -1
		: f->under.ops->unlink(f->under.state, dir, name, flags);
}

static int
fault_mkdir(void *st, int dir, const char *name, mode_t mode)
{
	struct fs_fault *f = st;

	return hit(f, "mkdir")
		? -1
		: f->under.ops->mkdir(f->under.state, dir, name, mode);
}

static int
fault_fstat(void *st, int fd, struct stat *ret_stat)
{
	struct fs_fault *f = st;

	return hit(f, "fstat")
		? -1
		: f->under.ops->fstat(f->under.state, fd, ret_stat);
}

static int
fault_stat(void *st, int dir, const char *name, struct stat *ret_stat)
{
	struct fs_fault *f = st;

	return hit(f, "stat")
		? -1
		: f->under.ops->stat(f->under.state, dir, name, ret_stat);
}

static int
fault_flock(void *st, int fd, int op)
{
	struct fs_fault *f = st;

	return hit(f, "flock") ? -1
			       : f->under.ops->flock(f->under.state, fd, op);
}

static int
fault_list(void *st, int dir, struct buf *ret_names)
{
	struct fs_fault *f = st;

	return hit(f, "list")
		? -1
		: f->under.ops->list(f->under.state, dir, ret_names);
}

static uint64_t
fault_magic(void *st, int dir)
{
	struct fs_fault *f = st;

	return f->under.ops->magic(f->under.state, dir);
}

static void
fault_pause(void *st, unsigned us)
{
	struct fs_fault *f = st;

	f->under.ops->pause(f->under.state, us);
}

static uint64_t
fault_unique(void *st)
{
	struct fs_fault *f = st;

	return f->under.ops->unique(f->under.state);
}

static const struct fs_ops fault_ops = {
	.open = fault_open,
	.close = fault_close,
	.pread = fault_pread,
	.write = fault_write,
	.datasync = fault_datasync,
	.sync = fault_sync,
	.truncate = fault_truncate,
	.rename = fault_rename,
	.link = fault_link,
	.unlink = fault_unlink,
	.mkdir = fault_mkdir,
	.fstat = fault_fstat,
	.stat = fault_stat,
	.flock = fault_flock,
	.list = fault_list,
	.magic = fault_magic,
	.pause = fault_pause,
	.unique = fault_unique,
};

struct fs
fs_fault_over(struct fs_fault *f)
{
	return (struct fs){ .ops = &fault_ops, .state = f };
}
