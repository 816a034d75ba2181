#include "child/job.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/bounds.h"
#include "base/num.h"

typedef enum pawl_rc option_fn(
	struct job *job, const char *value, struct pawl_err *err);

static enum pawl_rc
read_path(const char **ret_path, const char *value, struct pawl_err *err)
{
	if (value[0] != '/') {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"path '%s' is not absolute", value);
	}
	*ret_path = value;
	return PAWL_OK;
}

static enum pawl_rc
read_fd(int *ret_fd, const char *value, struct pawl_err *err)
{
	uint64_t fd = 0;
	enum pawl_rc rc = num_u64(str_from(value), 0, INT_MAX, &fd, err);

	if (rc == PAWL_OK)
		*ret_fd = (int)fd;
	return rc;
}

static enum pawl_rc
read_gate(struct job *job, const char *value, struct pawl_err *err)
{
	return read_fd(&job->gate, value, err);
}

static enum pawl_rc
read_exits(struct job *job, const char *value, struct pawl_err *err)
{
	return read_fd(&job->exits, value, err);
}

static enum pawl_rc
read_name(struct job *job, const char *value, struct pawl_err *err)
{
	if (value[0] == '\0' || strlen(value) > JOB_NAME_BYTES) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"a name has 1 to %d bytes", JOB_NAME_BYTES);
	}
	job->name = value;
	return PAWL_OK;
}

static enum pawl_rc
read_outbox(struct job *job, const char *value, struct pawl_err *err)
{
	return read_path(&job->outbox, value, err);
}

static enum pawl_rc
read_log(struct job *job, const char *value, struct pawl_err *err)
{
	return read_path(&job->log, value, err);
}

static enum pawl_rc
read_stdin(struct job *job, const char *value, struct pawl_err *err)
{
	job->input_ours = strcmp(value, "-") == 0;
	return job->input_ours ? PAWL_OK : read_path(&job->input, value, err);
}

static enum pawl_rc
read_cwd(struct job *job, const char *value, struct pawl_err *err)
{
	return read_path(&job->cwd, value, err);
}

static enum pawl_rc
read_deadline(struct job *job, const char *value, struct pawl_err *err)
{
	return num_u64(str_from(value), 1, BOUND_ATTEMPT_MS_MAX,
		&job->deadline_ms, err);
}

static enum pawl_rc
read_grace(struct job *job, const char *value, struct pawl_err *err)
{
	return num_u64(
		str_from(value), 0, JOB_GRACE_MS_MAX, &job->grace_ms, err);
}

/* A variable that isn't set has no value to hide. */
static enum pawl_rc
read_mask(struct job *job, const char *value, struct pawl_err *err)
{
	if (mask_add(&job->mask, str_from(getenv(value))))
		return PAWL_OK;
	return pawl_fail(err, ERR_LIMIT,
		"secrets are over the limit of %d lines or %d bytes",
		MASK_SECRETS_MAX, MASK_BYTES_MAX);
}

static enum pawl_rc
read_limit(struct job *job, const char *value, struct pawl_err *err)
{
	static const struct {
		struct str name;
		int resource;
	} limits[] = {
		{ { "as", 2 }, RLIMIT_AS },
		{ { "core", 4 }, RLIMIT_CORE },
		{ { "cpu", 3 }, RLIMIT_CPU },
		{ { "data", 4 }, RLIMIT_DATA },
		{ { "fsize", 5 }, RLIMIT_FSIZE },
		{ { "memlock", 7 }, RLIMIT_MEMLOCK },
		{ { "nofile", 6 }, RLIMIT_NOFILE },
		{ { "nproc", 5 }, RLIMIT_NPROC },
		{ { "stack", 5 }, RLIMIT_STACK },
	};
	struct str rest = str_from(value), name = str_cut(&rest, '=');
	struct proc_limit limit = { 0 };
	enum pawl_rc rc;

	rc = num_u64(rest, 0, INT64_MAX, &limit.value, err);
	if (rc != PAWL_OK)
		return rc;
	if (job->limit_count >= JOB_LIMITS_MAX) {
		return pawl_fail(
			err, ERR_LIMIT, "more than %d limits", JOB_LIMITS_MAX);
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (str_eq(limits[i].name, name)) {
			limit.resource = limits[i].resource;
			job->limits[job->limit_count++] = limit;
			return PAWL_OK;
		}
	}
	return pawl_fail(err, ERR_INVALID_ARGUMENT, "no limit '" STR_FMT "'",
		STR_ARG(name));
}

static enum pawl_rc
read_confine(struct job *job, const char *value, struct pawl_err *err)
{
	job->confine.abi = 1; /* any but none */
	return read_fd(&job->confine.fd, value, err);
}

static enum pawl_rc
read_refuse(struct job *job, const char *value, struct pawl_err *err)
{
	if (seccomp_flag_from(str_from(value), &job->refused))
		return PAWL_OK;
	return pawl_fail(
		err, ERR_INVALID_ARGUMENT, "no system call '%s'", value);
}

static enum pawl_rc
add_path(struct job_paths *paths, const char *value, struct pawl_err *err)
{
	if (paths->count >= JOB_PROTECT_MAX) {
		return pawl_fail(
			err, ERR_LIMIT, "more than %d paths", JOB_PROTECT_MAX);
	}
	return read_path(&paths->items[paths->count++], value, err);
}

static enum pawl_rc
read_protect(struct job *job, const char *value, struct pawl_err *err)
{
	return add_path(&job->protect, value, err);
}

static enum pawl_rc
read_open(struct job *job, const char *value, struct pawl_err *err)
{
	return add_path(&job->open, value, err);
}

static enum pawl_rc
read_net(struct job *job, const char *value, struct pawl_err *err)
{
	job->no_net = strcmp(value, "none") == 0;
	if (job->no_net || strcmp(value, "ours") == 0)
		return PAWL_OK;
	return pawl_fail(err, ERR_INVALID_ARGUMENT, "no network '%s'", value);
}

static const struct {
	const char *name;
	option_fn *read;
} options[] = {
	{ "--confine", read_confine },
	{ "--cwd", read_cwd },
	{ "--deadline-ms", read_deadline },
	{ "--exits", read_exits },
	{ "--gate", read_gate },
	{ "--grace-ms", read_grace },
	{ "--limit", read_limit },
	{ "--log", read_log },
	{ "--mask", read_mask },
	{ "--name", read_name },
	{ "--net", read_net },
	{ "--open", read_open },
	{ "--outbox", read_outbox },
	{ "--protect", read_protect },
	{ "--refuse", read_refuse },
	{ "--stdin", read_stdin },
};

static enum pawl_rc
read_option(struct job *job, const char *name, const char *value,
	struct pawl_err *err)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (strcmp(options[i].name, name) != 0)
			continue;
		if (value == NULL) {
			return pawl_fail(err, ERR_USAGE,
				"option '%s' has no value", name);
		}
		if (options[i].read(job, value, err) != PAWL_OK)
			return pawl_wrap(err, "%s", name);
		return PAWL_OK;
	}
	return pawl_fail(err, ERR_USAGE, "no option '%s'", name);
}

enum pawl_rc
job_read(struct job *job, const char *const *argv, struct pawl_err *err)
{
	*job = (struct job){ .gate = -1,
		.exits = -1,
		.cwd = "/",
		.grace_ms = JOB_GRACE_MS,
		.confine.fd = -1 };
	for (argv++; *argv != NULL && strcmp(*argv, "--") != 0; argv += 2) {
		enum pawl_rc rc = read_option(job, argv[0], argv[1], err);

		if (rc != PAWL_OK)
			return rc;
	}
	if (*argv == NULL || argv[1] == NULL)
		return pawl_fail(err, ERR_USAGE, "no program after '--'");
	job->argv = argv + 1;
	if (job->gate < 0 || job->exits < 0 || job->name == NULL ||
		job->log == NULL || job->deadline_ms == 0) {
		return pawl_fail(err, ERR_USAGE,
			"--gate, --exits, --name, --log and --deadline-ms are"
			" needed");
	}
	if (!seccomp_make(job->refused, &job->filter)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"--refuse: this machine has no filter");
	}
	return PAWL_OK;
}

void
job_release(struct job *job)
{
	mask_release(&job->mask);
}
