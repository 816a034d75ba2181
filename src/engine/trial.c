#include "engine/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "engine/child_env.h"
#include "engine/git.h"
#include "engine/scratch.h"
#include "os/fs.h"
#include "os/loop.h"

enum { GRACE_MS = 2000, OUT_MAX = 4096 };

/* Where it is tried. */
struct place {
	struct scratch scratch;
	const char *tree;
};

static enum pawl_rc
place_make(const struct trial *t, struct place *ret_place, struct pawl_err *err)
{
	enum pawl_rc rc = scratch_make(
		&ret_place->scratch, "base", t->repo->top, t->mem, err);

	if (rc == PAWL_OK)
		ret_place->tree =
			arena_format(t->mem, "%s/tree", ret_place->scratch.dir)
				.ptr;
	return rc;
}

static enum pawl_rc
place_drop(const struct trial *t, const struct place *p, struct pawl_err *err)
{
	const char *const guards[] = { t->repo->top, t->repo->common_dir,
		NULL };

	return scratch_drop(&p->scratch, guards, err);
}

/* Its own repository, which has the other's objects. */
static enum pawl_rc
checkout(const struct trial *t, const struct place *p, struct pawl_err *err)
{
	const char *git_dir = arena_format(t->mem, "%s/.git", p->tree).ptr;
	const char *format = t->repo->oid_bytes == 32 ? "--object-format=sha256"
						      : "--object-format=sha1";
	const char *const init[] = { "init", "-q", "--template=", format,
		p->tree, NULL };
	const char *const check_out[] = { "checkout", "-q", "--detach",
		t->commit, NULL };
	struct str objects =
		arena_format(t->mem, "%s/objects\n", t->repo->common_dir);
	int fd = -1;
	enum pawl_rc rc = git_run_quiet(
		&(struct git_call){ .args = init, .dir = p->scratch.dir }, err);

	if (rc == PAWL_OK)
		rc = fs_make_view_dir(&fs_real, AT_FDCWD,
			arena_format(t->mem, "%s/objects/info", git_dir).ptr,
			err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(&fs_real, AT_FDCWD,
			arena_format(t->mem, "%s/objects/info", git_dir).ptr,
			&fd, err);
	if (rc == PAWL_OK)
		rc = fs_create(&fs_real, fd, "alternates", objects, err);
	fs_close(&fs_real, &fd);
	if (rc != PAWL_OK)
		return rc;
	return git_run_quiet(&(struct git_call){ .args = check_out,
				     .git_dir = git_dir,
				     .work_tree = p->tree },
		err);
}

static enum pawl_rc
on_signal(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	(void)err;
	*(int *)arg = event->signo;
	return PAWL_OK;
}

static enum pawl_rc
command_run(const struct trial *t, const struct place *p, struct loop *loop,
	struct proc_end *ret_end, struct pawl_err *err)
{
	const struct proc_run_spec spec = {
		.child = { .argv = t->argv,
			.envp = child_env_check(t->mem, "probe", false, NULL),
			.dir = p->tree },
		.deadline_ms = t->deadline_ms,
		.grace_ms = GRACE_MS,
		.out_max = OUT_MAX,
		.stop = loop->signals,
	};
	struct proc_ran ran = { 0 };
	enum pawl_rc rc = proc_run(&spec, &ran, err);

	if (rc == PAWL_OK) {
		*ret_end = ran.end;
		/* What woke it is there to be read. */
		if (ran.stopped)
			rc = loop_step(loop, err);
	}
	proc_ran_release(&ran);
	return rc;
}

enum pawl_rc
trial_run(const struct trial *t, struct proc_end *ret_end, int *ret_signo,
	struct pawl_err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct loop loop = { .epoll = -1 };
	struct place place = { .tree = NULL };
	struct proc_end end = { .kind = PROC_EXIT };
	struct pawl_err why;
	enum pawl_rc rc = loop_open(&loop, err);

	*ret_signo = 0;
	if (rc != PAWL_OK)
		return rc;
	rc = loop_signals(&loop, signals, sizeof(signals) / sizeof(signals[0]),
		(struct loop_call){ on_signal, ret_signo }, err);
	if (rc == PAWL_OK)
		rc = place_make(t, &place, err);
	if (rc == PAWL_OK)
		rc = checkout(t, &place, err);
	if (rc == PAWL_OK)
		rc = command_run(t, &place, &loop, &end, err);
	if (place_drop(t, &place, &why) != PAWL_OK && rc == PAWL_OK) {
		*err = why;
		rc = why.rc;
	}
	loop_close(&loop);
	if (rc == PAWL_OK && *ret_signo != 0)
		return pawl_fail(err, ERR_INTERRUPTED,
			"interrupted by signal %d", *ret_signo);
	if (rc == PAWL_OK)
		*ret_end = end;
	return rc;
}
