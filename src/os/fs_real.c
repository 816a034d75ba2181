#include "os/fs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sys/file.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <unistd.h>

enum { LIST_BYTES = 32 << 10 };

static int
real_open(void *st, int dir, const char *name, int flags, mode_t mode)
{
	(void)st;
	return openat(dir, name, flags, mode);
}

static int
real_close(void *st, int fd)
{
	(void)st;
	return close(fd);
}

static ssize_t
real_pread(void *st, int fd, void *p, size_t n, uint64_t offset)
{
	(void)st;
	return pread(fd, p, n, (off_t)offset);
}

static ssize_t
real_write(void *st, int fd, const void *p, size_t n)
{
	(void)st;
	return write(fd, p, n);
}

static int
real_datasync(void *st, int fd)
{
	(void)st;
	return fdatasync(fd);
}

static int
real_sync(void *st, int fd)
{
	(void)st;
	return fsync(fd);
}

static int
real_truncate(void *st, int fd, uint64_t size)
{
	(void)st;
	return ftruncate(fd, (off_t)size);
}

static int
real_rename(
	void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	(void)st;
	return renameat(from_dir, from, to_dir, to);
}

static int
real_link(void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	(void)st;
	return linkat(from_dir, from, to_dir, to, 0);
}

static int
real_unlink(void *st, int dir, const char *name, int flags)
{
	(void)st;
	return unlinkat(dir, name, flags);
}

static int
real_mkdir(void *st, int dir, const char *name, mode_t mode)
{
	(void)st;
	return mkdirat(dir, name, mode);
}

static int
real_fstat(void *st, int fd, struct stat *ret_stat)
{
	(void)st;
	return fstat(fd, ret_stat);
}

static int
real_stat(void *st, int dir, const char *name, struct stat *ret_stat)
{
	(void)st;
	return fstatat(dir, name, ret_stat, AT_SYMLINK_NOFOLLOW);
}

static int
real_flock(void *st, int fd, int op)
{
	(void)st;
	return flock(fd, op);
}

/* Without a stream, which would ask the kernel about the folder first. */
static int
real_list(void *st, int dir, struct buf *ret_names)
{
	_Alignas(struct dirent64) char entries[LIST_BYTES];
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int failed;
	ssize_t n;

	(void)st;
	if (fd < 0)
		return -1;
	while ((n = getdents64(fd, entries, sizeof(entries))) > 0) {
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *e = (const void *)(entries + at);

			at += e->d_reclen;
			if (strcmp(e->d_name, ".") == 0 ||
				strcmp(e->d_name, "..") == 0)
				continue;
			buf_add(ret_names,
				(struct str){
					e->d_name, strlen(e->d_name) + 1 });
		}
	}
	failed = errno;
	(void)close(fd); /* only read from */
	errno = failed;
	return n < 0 ? -1 : 0;
}

static uint64_t
real_magic(void *st, int dir)
{
	struct statfs f;

	(void)st;
	return fstatfs(dir, &f) == 0 ? (uint64_t)f.f_type : 0;
}

static void
real_pause(void *st, unsigned us)
{
	struct timespec t = { .tv_sec = us / 1000000,
		.tv_nsec = (long)(us % 1000000) * 1000 };

	(void)st;
	(void)nanosleep(&t, NULL); /* a signal may end it early */
}

static uint64_t
real_unique(void *st)
{
	uint64_t n;
	struct timespec t;

	(void)st;
	if (getrandom(&n, sizeof(n), GRND_NONBLOCK) == (ssize_t)sizeof(n))
		return n;
	/* Before the pool is filled at boot: O_EXCL finds a doublet. */
	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* can't fail */
	return (uint64_t)t.tv_nsec << 32 ^ (uint64_t)getpid();
}

static const struct fs_ops real_ops = {
	.open = real_open,
	.close = real_close,
	.pread = real_pread,
	.write = real_write,
	.datasync = real_datasync,
	.sync = real_sync,
	.truncate = real_truncate,
	.rename = real_rename,
	.link = real_link,
	.unlink = real_unlink,
	.mkdir = real_mkdir,
	.fstat = real_fstat,
	.stat = real_stat,
	.flock = real_flock,
	.list = real_list,
	.magic = real_magic,
	.pause = real_pause,
	.unique = real_unique,
};

const struct fs fs_real = { .ops = &real_ops };
