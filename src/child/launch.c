#include "child/launch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static enum pawl_rc
open_input(const char *path, int *ret_fd, struct pawl_err *err)
{
	struct stat st;
	int fd;

	if (path == NULL)
		return PAWL_OK;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		return pawl_fail_sys(
			err, ERR_SPAWN, "could not open input '%s'", path);
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		(void)close(fd);
		return pawl_fail(
			err, ERR_SPAWN, "input '%s' is no regular file", path);
	}
	*ret_fd = fd;
	return PAWL_OK;
}

enum pawl_rc
launch_worker(const struct job *job, struct stream *out, struct stream *errs,
	struct proc *ret_worker, struct pawl_err *err)
{
	int fds[3] = { -1, -1, -1 };
	const struct isolate apart = { .net = job->no_net,
		.protect = job->protect.items,
		.open = job->open.items };
	struct proc_spec spec = { .argv = job->argv,
		.isolate = &apart,
		.confine = job->confine.fd < 0 ? NULL : &job->confine,
		.filter = job->refused == 0 ? NULL : &job->filter,
		.dir = job->cwd,
		.fds = fds,
		.fd_count = 3,
		.limits = job->limits,
		.limit_count = job->limit_count,
		.dies_with_us = true,
		.signals_are_default = true };
	enum pawl_rc rc = open_input(job->input, &fds[0], err);

	if (job->input_ours)
		fds[0] = STDIN_FILENO;
	if (rc == PAWL_OK)
		rc = stream_open(out, &fds[1], err);
	if (rc == PAWL_OK)
		rc = stream_open(errs, &fds[2], err);
	if (rc == PAWL_OK)
		rc = proc_fork(&spec, ret_worker, err);
	for (size_t i = 0; i < 3; i++) {
		if (fds[i] >= 0)
			(void)close(fds[i]); /* the worker has its own */
	}
	return rc;
}
