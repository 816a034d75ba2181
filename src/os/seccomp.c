#include "os/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "base/die.h"

#if defined(__x86_64__)
enum { FOREIGN_BIT = 0x40000000 }; /* x32: the same architecture, to audit */
static const uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
enum { FOREIGN_BIT = 0 };
static const uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
enum { FOREIGN_BIT = 0 };
static const uint32_t architecture = 0; /* not known here */
#endif

enum {
	NR = offsetof(struct seccomp_data, nr),
	ARCH = offsetof(struct seccomp_data, arch),
	ARGS = offsetof(struct seccomp_data, args),
};

static void
step(struct seccomp *f, struct sock_filter s)
{
	assert(f->count < SECCOMP_STEPS_MAX);
	f->steps[f->count++] = s;
}

static void
load(struct seccomp *f, uint32_t offset)
{
	step(f, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offset));
}

/* Go on when the value is it; else pass over the next `skip` steps. */
static void
only(struct seccomp *f, uint32_t value, uint8_t skip)
{
	step(f,
		(struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip));
}

static void
answer(struct seccomp *f, uint32_t what)
{
	step(f, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, what));
}

static void
refuse(struct seccomp *f, uint32_t sys)
{
	answer(f, SECCOMP_RET_ERRNO | sys);
}

static void
refuse_call(struct seccomp *f, long call, uint32_t sys)
{
	load(f, NR);
	only(f, (uint32_t)call, 1);
	refuse(f, sys);
}

/* When these bits of an argument's lower half are those. */
static void
refuse_when(struct seccomp *f, long call, unsigned arg, uint32_t mask,
	uint32_t bits)
{
	uint32_t low = ARGS + arg * (uint32_t)sizeof(uint64_t);

	load(f, NR);
	only(f, (uint32_t)call, 4);
	load(f, low);
	step(f, (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
	only(f, bits, 1);
	refuse(f, EPERM);
}

bool
seccomp_flag_from(struct str word, unsigned *flags)
{
	static const struct {
		struct str word;
		unsigned flag;
	} rows[] = {
		{ { "truncate", 8 }, SECCOMP_NO_TRUNCATE },
		{ { "unix", 4 }, SECCOMP_NO_UNIX },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (str_eq(rows[i].word, word)) {
			*flags |= rows[i].flag;
			return true;
		}
	}
	return false;
}

bool
seccomp_make(unsigned flags, struct seccomp *ret_filter)
{
	struct seccomp f = { .count = 0 };

	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		"the lower half of an argument comes first");
	*ret_filter = f;
	if (flags == 0 || architecture == 0)
		return flags == 0;
	load(&f, ARCH);
	step(&f,
		(struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0));
	refuse(&f, ENOSYS);
	if (FOREIGN_BIT != 0) {
		load(&f, NR);
		step(&f,
			(struct sock_filter)BPF_JUMP(
				BPF_JMP | BPF_JSET | BPF_K, FOREIGN_BIT, 0, 1));
		refuse(&f, ENOSYS);
	}
	refuse_call(&f, SYS_io_uring_setup, ENOSYS);
	if ((flags & SECCOMP_NO_UNIX) != 0)
		refuse_when(&f, SYS_socket, 0, UINT32_MAX, AF_UNIX);
	if ((flags & SECCOMP_NO_TRUNCATE) != 0) {
		const uint32_t mask = O_ACCMODE | O_TRUNC;

		refuse_call(&f, SYS_truncate, EPERM);
		refuse_call(&f, SYS_openat2, ENOSYS);
		refuse_when(&f, SYS_openat, 2, mask, O_RDONLY | O_TRUNC);
#ifdef SYS_open
		refuse_when(&f, SYS_open, 1, mask, O_RDONLY | O_TRUNC);
#endif
	}
	answer(&f, SECCOMP_RET_ALLOW);
	*ret_filter = f;
	return true;
}

bool
seccomp_enter(const struct seccomp *filter)
{
	struct sock_fprog program = {
		.len = filter->count,
		/* the kernel only reads it */
		.filter = (struct sock_filter *)(uintptr_t)filter->steps,
	};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		(filter->count == 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ==
				0);
}
