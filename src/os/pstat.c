#include "os/pstat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/num.h"

/* Numbers of the fields after the name, as proc(5) counts from 1. */
enum {
	FIELD_STATE = 3,
	FIELD_PPID = 4,
	FIELD_PGRP = 5,
	FIELD_SESSION = 6,
	FIELD_UTIME = 14,
	FIELD_CSTIME = 17,
	FIELD_THREADS = 20,
	FIELD_START = 22,
	FIELD_COUNT,
};

static bool
read_stat(const char *proc, pid_t pid, char *text, size_t size, size_t *ret_len)
{
	char path[512];
	ssize_t n;
	int fd, sys;

	(void)snprintf(path, sizeof(path), "%s/%d/stat", proc, (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	do {
		n = read(fd, text, size);
	} while (n < 0 && errno == EINTR);
	sys = errno;
	(void)close(fd); /* only read */
	errno = sys;
	if (n >= 0)
		*ret_len = (size_t)n;
	return n >= 0;
}

static uint64_t
number(struct str s)
{
	struct pawl_err err;
	uint64_t n = 0;

	/* Fields such as tpgid may be negative; none that we keep is. */
	return num_u64(s, 0, UINT64_MAX, &n, &err) == PAWL_OK ? n : 0;
}

/* The name stands in brackets and may hold brackets, spaces, line ends. */
static bool
parse(struct str text, struct pstat *ret_stat)
{
	struct str field[FIELD_COUNT] = { { 0 } };
	struct pstat stat = { 0 };
	size_t open = str_find(text, '('), close = text.len;
	struct str rest, name;
	size_t at = FIELD_STATE;

	while (close > open && text.ptr[close - 1] != ')')
		close--;
	if (close <= open + 1 || open < 2 || close + 1 >= text.len)
		return false;
	name = str_part(text, open + 1, close - open - 2);
	if (name.len > PSTAT_COMM_BYTES)
		name.len = PSTAT_COMM_BYTES;
	if (name.len > 0)
		memcpy(stat.comm, name.ptr, name.len);
	rest = str_part(text, close + 1, text.len - close - 1);
	while (at < FIELD_COUNT && rest.ptr != NULL)
		field[at++] = str_cut(&rest, ' ');
	if (at < FIELD_COUNT || field[FIELD_STATE].len != 1)
		return false;
	stat.pid = (pid_t)number(str_part(text, 0, open - 1));
	stat.state = field[FIELD_STATE].ptr[0];
	stat.parent = (pid_t)number(field[FIELD_PPID]);
	stat.group = (pid_t)number(field[FIELD_PGRP]);
	stat.session = (pid_t)number(field[FIELD_SESSION]);
	stat.threads = (long)number(field[FIELD_THREADS]);
	stat.start = number(field[FIELD_START]);
	for (size_t i = FIELD_UTIME; i <= FIELD_CSTIME; i++)
		stat.cpu += number(field[i]);
	*ret_stat = stat;
	return true;
}

enum pstat_found
pstat_read(const char *proc, pid_t pid, struct pstat *ret_stat)
{
	char text[2048];
	size_t len = 0;

	if (!read_stat(proc, pid, text, sizeof(text), &len)) {
		if (errno != ENOENT && errno != ESRCH)
			return PSTAT_HIDDEN;
		/* With hidepid, a process of another user has no folder. */
		if (kill(pid, 0) == 0 || errno != ESRCH)
			return PSTAT_HIDDEN;
		return PSTAT_GONE;
	}
	return parse((struct str){ text, len }, ret_stat) ? PSTAT_HERE
							  : PSTAT_HIDDEN;
}

bool
pstat_is_dead(const struct pstat *stat)
{
	return stat->state == 'X' || (stat->state == 'Z' && stat->threads <= 1);
}

bool
pstat_signal(const char *proc, const struct pstat *stat, int signo)
{
	struct pstat now;
	bool sent = false;
	int fd = pidfd_open(stat->pid, 0);

	if (fd < 0)
		return false;
	/* The descriptor holds whoever it is: compare after it is open. */
	if (pstat_read(proc, stat->pid, &now) == PSTAT_HERE &&
		now.start == stat->start)
		sent = pidfd_send_signal(fd, signo, NULL, 0) == 0;
	(void)close(fd);
	return sent;
}
