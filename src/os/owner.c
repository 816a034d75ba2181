#include "os/owner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/pstat.h"

const struct owner_place owner_here = { "/proc", "/etc/machine-id" };

/*
 * The first word of a file when it is made of letters, digits and hyphens, as
 * both ids are; otherwise "": an id that could be anything proves nothing.
 */
static void
read_id(const char *path, char *ret_id, size_t size)
{
	char text[128];
	ssize_t n;
	size_t len = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ret_id[0] = '\0';
	if (fd < 0)
		return;
	do {
		n = read(fd, text, sizeof(text));
	} while (n < 0 && errno == EINTR);
	(void)close(fd);
	while (n > 0 && len < (size_t)n &&
		(isalnum((unsigned char)text[len]) || text[len] == '-'))
		len++;
	if (len == 0 || len >= size || (len < (size_t)n && text[len] != '\n'))
		return;
	memcpy(ret_id, text, len);
	ret_id[len] = '\0';
}

static uint64_t
read_ns(const char *proc, pid_t pid)
{
	char path[512];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%d/ns/pid", proc, (int)pid);
	return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

static void
read_boot(const struct owner_place *place, char ret_id[OWNER_BOOT_BYTES + 1])
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/sys/kernel/random/boot_id",
		place->proc);
	read_id(path, ret_id, OWNER_BOOT_BYTES + 1);
}

enum pawl_rc
owner_of(const struct owner_place *place, pid_t pid, struct owner *ret_owner,
	struct pawl_err *err)
{
	struct owner owner = { .pid = pid == 0 ? getpid() : pid };
	struct pstat stat;

	if (pstat_read(place->proc, owner.pid, &stat) != PSTAT_HERE ||
		pstat_is_dead(&stat)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"no process %d can be seen", (int)owner.pid);
	}
	owner.start = stat.start;
	owner.pid_ns = read_ns(place->proc, owner.pid);
	read_boot(place, owner.boot);
	read_id(place->machine_id, owner.machine, sizeof(owner.machine));
	*ret_owner = owner;
	return PAWL_OK;
}

static bool
is_same(const char *a, const char *b)
{
	return a[0] != '\0' && strcmp(a, b) == 0;
}

/* Of a process of this boot and pid namespace. */
static enum owner_state
look_at(const char *proc, const struct owner *owner)
{
	struct pstat stat;

	switch (pstat_read(proc, owner->pid, &stat)) {
	case PSTAT_HERE:
		return stat.start == owner->start && !pstat_is_dead(&stat)
			? OWNER_ALIVE
			: OWNER_DEAD;
	case PSTAT_GONE:
		return OWNER_DEAD;
	case PSTAT_HIDDEN:
		break;
	}
	return OWNER_UNKNOWN;
}

/* A boot id is random, so an equal one is the same machine by itself. */
enum owner_state
owner_state(const struct owner_place *place, const struct owner *self,
	const struct owner *owner)
{
	if (owner->pid <= 0 || owner->boot[0] == '\0' || self->boot[0] == '\0')
		return OWNER_UNKNOWN;
	if (!is_same(self->boot, owner->boot)) {
		return is_same(self->machine, owner->machine) ? OWNER_DEAD
							      : OWNER_UNKNOWN;
	}
	if (owner->pid_ns == 0 || owner->pid_ns != self->pid_ns)
		return OWNER_UNKNOWN;
	return look_at(place->proc, owner);
}

bool
owner_is_alive(const struct owner_place *place, const struct owner *owner)
{
	char boot[OWNER_BOOT_BYTES + 1];

	if (owner->pid <= 0 || owner->pid_ns == 0 || owner->boot[0] == '\0')
		return false;
	read_boot(place, boot);
	return is_same(boot, owner->boot) &&
		owner->pid_ns == read_ns(place->proc, getpid()) &&
		look_at(place->proc, owner) == OWNER_ALIVE;
}

uid_t
owner_uid(void)
{
	unsigned long uid;

	errno = 0;
	uid = getauxval(AT_EUID);
	/* 0 is root, too */
	return uid != 0 || errno == 0 ? (uid_t)uid : geteuid();
}

const char *
owner_state_word(enum owner_state state)
{
	static const char *const words[] = { [OWNER_UNKNOWN] = "unknown",
		[OWNER_ALIVE] = "alive",
		[OWNER_DEAD] = "dead" };

	return words[state];
}

void
owner_format(const struct owner *owner, struct buf *to)
{
	/* Both ids are letters, digits and hyphens: nothing to escape. */
	buf_addf(to, "{\"machine\":\"%s\",\"boot\":\"%s\"", owner->machine,
		owner->boot);
	buf_addf(to, ",\"pid_ns\":%llu,\"pid\":%d,\"start\":%llu}",
		(unsigned long long)owner->pid_ns, (int)owner->pid,
		(unsigned long long)owner->start);
}
