#include "engine/trial.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>

#include "engine/child_env.h"
#include "engine/git.h"
#include "os/fs.h"
#include "os/loop.h"
#include "os/rmtree.h"

enum { GRACE_MS = 2000, OUT_MAX = 4096 };

#define MARKER ".marker"

/* The folder, once it is there. */
struct place {
	const char *parent, *name; /* NULL: not made */
	const char *dir, *tree;
	uint64_t dev, inode;
};

static enum pawl_rc
place_make(const struct trial *t, struct place *ret_place, struct pawl_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *real = realpath(tmp != NULL && *tmp == '/' ? tmp : "/tmp", NULL);
	struct place p = { .name = NULL };
	struct stat st;
	char *dir;
	int fd = -1;
	enum pawl_rc rc;

	if (real == NULL)
		return pawl_fail_sys(
			err, ERR_IO, "there is no temporary folder");
	p.parent = arena_strdup(t->mem, str_from(real));
	free(real);
	if (repo_path_is_below(p.parent, t->repo->top))
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"the temporary folder '%s' lies in the repository",
			p.parent);
	dir = arena_strdup(
		t->mem, arena_format(t->mem, "%s/pawl-base-XXXXXX", p.parent));
	if (mkdtemp(dir) == NULL)
		return pawl_fail_sys(err, ERR_IO,
			"could not make a folder in '%s'", p.parent);
	p.dir = dir;
	p.tree = arena_format(t->mem, "%s/tree", dir).ptr;
	rc = fs_open_dir(&fs_real, AT_FDCWD, dir, &fd, err);
	if (rc == PAWL_OK)
		rc = fs_fstat(&fs_real, fd, &st, err);
	if (rc == PAWL_OK)
		rc = fs_create(&fs_real, fd, MARKER, str_from(dir), err);
	fs_close(&fs_real, &fd);
	if (rc != PAWL_OK)
		return rc;
	p.name = dir + str_from(p.parent).len + 1;
	p.dev = (uint64_t)st.st_dev;
	p.inode = (uint64_t)st.st_ino;
	*ret_place = p;
	return PAWL_OK;
}

static enum pawl_rc
place_drop(const struct trial *t, const struct place *p, struct pawl_err *err)
{
	const char *const guards[] = { t->repo->top, t->repo->common_dir,
		NULL };
	const struct rmtree_spec spec = { .parent = p->parent,
		.name = p->name,
		.marker = MARKER,
		.evidence = str_from(p->dir),
		.dev = p->dev,
		.inode = p->inode,
		.guards = guards };
	struct rmtree tree;
	enum pawl_rc rc;

	if (p->name == NULL)
		return PAWL_OK;
	rc = rmtree_open(&spec, &tree, err);
	if (rc != PAWL_OK)
		return rc;
	rc = rmtree_all(&tree, err);
	rmtree_close(&tree);
	return rc;
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
		&(struct git_call){ .args = init, .dir = p->dir }, err);

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
	struct place place = { .name = NULL };
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
