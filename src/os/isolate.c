#include "os/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

bool
isolate_is_wanted(const struct isolate *i)
{
	return i->net || (i->protect != NULL && i->protect[0] != NULL);
}

static bool
put(const char *file, const char *text)
{
	size_t len = strlen(text);
	int fd = open(file, O_WRONLY | O_CLOEXEC);
	bool done;

	if (fd < 0)
		return false;
	done = write(fd, text, len) == (ssize_t)len;
	(void)close(fd); /* the kernel has judged the write */
	return done;
}

/* We stay who we were: each id stands for itself. */
static bool
put_map(const char *file, unsigned id)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%u %u 1\n", id, id);
	return put(file, text);
}

static bool
unshare_all(int flags)
{
	unsigned uid = geteuid(), gid = getegid();

	if (unshare(flags) == 0)
		return true;
	if (errno != EPERM || unshare(flags | CLONE_NEWUSER) != 0)
		return false;
	return put("/proc/self/setgroups", "deny") &&
		put_map("/proc/self/uid_map", uid) &&
		put_map("/proc/self/gid_map", gid);
}

static bool
loopback_up(void)
{
	struct ifreq r = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool done;

	if (fd < 0)
		return false;
	done = ioctl(fd, SIOCGIFFLAGS, &r) == 0;
	r.ifr_flags = (short)(r.ifr_flags | IFF_UP);
	done = done && ioctl(fd, SIOCSIFFLAGS, &r) == 0;
	(void)close(fd); /* nothing was sent */
	return done;
}

/* What a mount forbids already can't be taken back by us, so it is named. */
static unsigned long
kept_flags(unsigned long has)
{
	static const struct {
		unsigned long has, keep;
	} rows[] = {
		{ ST_NOSUID, MS_NOSUID },
		{ ST_NODEV, MS_NODEV },
		{ ST_NOEXEC, MS_NOEXEC },
		{ ST_NOATIME, MS_NOATIME },
		{ ST_NODIRATIME, MS_NODIRATIME },
		{ ST_RELATIME, MS_RELATIME },
	};
	unsigned long keep = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (has & rows[i].has)
			keep |= rows[i].keep;
	}
	return keep;
}

/* A mount of its own over a path, with these flags for all that it had. */
static bool
mount_over(const char *path, unsigned long flags)
{
	struct statvfs fs;

	return mount(path, path, NULL, MS_BIND | MS_REC, NULL) == 0 &&
		statvfs(path, &fs) == 0 &&
		mount(NULL, path, NULL,
			MS_BIND | MS_REMOUNT | flags | kept_flags(fs.f_flag),
			NULL) == 0;
}

bool
isolate_enter(const struct isolate *i)
{
	bool mounts = i->protect != NULL && i->protect[0] != NULL;
	int flags = (i->net ? CLONE_NEWNET : 0) | (mounts ? CLONE_NEWNS : 0);

	if (flags == 0)
		return true;
	if (!unshare_all(flags) || (i->net && !loopback_up()))
		return false;
	/* What we mount is seen by nobody else. */
	if (mounts && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return false;
	for (size_t n = 0; mounts && i->protect[n] != NULL; n++) {
		if (!mount_over(i->protect[n], MS_RDONLY))
			return false;
	}
	for (size_t n = 0; mounts && i->open != NULL && i->open[n] != NULL;
		n++) {
		if (!mount_over(i->open[n], 0))
			return false;
	}
	return true;
}
