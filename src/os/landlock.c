#include "os/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The kernel's numbers, in full: the headers of a distribution know fewer than
 * the kernel that we may run on.
 */
enum {
	CALL_CREATE = 444,
	CALL_ADD_RULE = 445,
	CALL_RESTRICT = 446,
	CREATE_VERSION = 1,    /* flag: only ask */
	RULE_PATH_BENEATH = 1, /* type of a rule */
};

enum fs_right {
	FS_EXECUTE,
	FS_WRITE_FILE,
	FS_READ_FILE,
	FS_READ_DIR,
	FS_REMOVE_DIR,
	FS_REMOVE_FILE,
	FS_MAKE_CHAR,
	FS_MAKE_DIR,
	FS_MAKE_REG,
	FS_MAKE_SOCK,
	FS_MAKE_FIFO,
	FS_MAKE_BLOCK,
	FS_MAKE_SYM,
	FS_REFER,     /* ABI 2 */
	FS_TRUNCATE,  /* ABI 3 */
	FS_IOCTL_DEV, /* ABI 5 */
};

#define BIT(n) (UINT64_C(1) << (n))

static const uint64_t read_rights =
	BIT(FS_EXECUTE) | BIT(FS_READ_FILE) | BIT(FS_READ_DIR);
/* Those that mean something for what is no folder. */
static const uint64_t file_rights = BIT(FS_EXECUTE) | BIT(FS_WRITE_FILE) |
	BIT(FS_READ_FILE) | BIT(FS_TRUNCATE) | BIT(FS_IOCTL_DEV);
static const uint64_t tcp_rights = BIT(0) | BIT(1); /* bind, connect */
static const uint64_t scopes = BIT(0) | BIT(1); /* abstract sockets, signals */

/* What each version is the first to have. */
static const struct {
	uint64_t fs;
	const char *word;
} versions[LANDLOCK_ABI_MAX + 1] = {
	[1] = { BIT(FS_REFER) - 1, "paths" },
	[2] = { BIT(FS_REFER), "rename" },
	[3] = { BIT(FS_TRUNCATE), "truncate" },
	[4] = { 0, "tcp" },
	[5] = { BIT(FS_IOCTL_DEV), "ioctl" },
	[6] = { 0, "signals" },
};

/* As the kernel has them; an older one takes the beginning. */
struct ruleset_attr {
	uint64_t fs, net, scoped;
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

unsigned
landlock_abi(void)
{
	long abi = syscall(CALL_CREATE, NULL, (size_t)0, CREATE_VERSION);

	if (abi < 0)
		return 0;
	return abi < LANDLOCK_ABI_MAX ? (unsigned)abi : LANDLOCK_ABI_MAX;
}

static uint64_t
rights_of(unsigned abi)
{
	uint64_t rights = 0;

	for (unsigned i = 1; i <= abi; i++)
		rights |= versions[i].fs;
	return rights;
}

/* What we can't reach ourselves is no loss to who is confined. */
static bool
is_out_of_reach(int error)
{
	return error == ENOENT || error == ENOTDIR || error == EACCES ||
		error == ELOOP;
}

static enum pawl_rc
add_path(const struct landlock *set, const struct landlock_path *p,
	struct pawl_err *err)
{
	struct path_beneath_attr attr = { .parent_fd = -1 };
	struct stat st;
	enum pawl_rc rc = PAWL_OK;

	if (p->path[0] != '/')
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'%s' is no absolute path", p->path);
	attr.parent_fd = open(p->path, O_PATH | O_CLOEXEC);
	if (attr.parent_fd < 0 && p->optional && is_out_of_reach(errno))
		return PAWL_OK;
	if (attr.parent_fd < 0 || fstat(attr.parent_fd, &st) != 0) {
		rc = pawl_fail_sys(err,
			errno == ENOENT           ? ERR_FILE_NOT_FOUND
				: errno == EACCES ? ERR_NOT_PERMITTED
						  : ERR_IO,
			"'%s'", p->path);
		goto out;
	}
	attr.allowed = p->grant == LANDLOCK_READ ? read_rights : UINT64_MAX;
	attr.allowed &= rights_of(set->abi);
	if (!S_ISDIR(st.st_mode))
		attr.allowed &= file_rights;
	if (syscall(CALL_ADD_RULE, set->fd, RULE_PATH_BENEATH, &attr, 0) != 0)
		rc = pawl_fail_sys(
			err, ERR_IO, "'%s' can't be granted", p->path);
out:
	if (attr.parent_fd >= 0)
		(void)close(attr.parent_fd);
	return rc;
}

enum pawl_rc
landlock_make(const struct landlock_spec *spec, struct landlock *ret_set,
	struct pawl_err *err)
{
	struct landlock set = { .fd = -1, .abi = landlock_abi() };
	struct ruleset_attr attr = { 0 };
	size_t bytes = sizeof(attr.fs);
	enum pawl_rc rc = PAWL_OK;

	if (spec->abi_max == LANDLOCK_ABI_NONE)
		set.abi = 0;
	else if (spec->abi_max > 0 && set.abi > spec->abi_max)
		set.abi = spec->abi_max;
	*ret_set = set;
	if (set.abi == 0)
		return PAWL_OK;
	attr.fs = rights_of(set.abi);
	if (set.abi >= 4) {
		attr.net = spec->tcp ? 0 : tcp_rights;
		bytes += sizeof(attr.net);
	}
	if (set.abi >= 6) {
		attr.scoped = scopes;
		bytes += sizeof(attr.scoped);
	}
	set.fd = (int)syscall(CALL_CREATE, &attr, bytes, 0);
	if (set.fd < 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not make a Landlock rule set");
	for (size_t i = 0; i < spec->count && rc == PAWL_OK; i++)
		rc = add_path(&set, &spec->paths[i], err);
	if (rc == PAWL_OK)
		*ret_set = set;
	else
		landlock_close(&set);
	return rc;
}

void
landlock_close(struct landlock *set)
{
	if (set->fd >= 0)
		(void)close(set->fd);
	set->fd = -1;
}

bool
landlock_enter(const struct landlock *set)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return false;
	return set->abi == 0 || syscall(CALL_RESTRICT, set->fd, 0) == 0;
}

const char *
landlock_lacks(unsigned abi, size_t *at)
{
	size_t i = *at > abi ? *at : abi;

	if (i >= LANDLOCK_ABI_MAX)
		return NULL;
	*at = i + 1;
	return versions[i + 1].word;
}
