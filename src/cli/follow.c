#include "cli/follow.h"

#include <errno.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

static enum pawl_rc
on_change(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct follow *f = arg;

	if (!str_eq(event->name, STR("events.jsonl")) &&
		(event->events & IN_Q_OVERFLOW) == 0)
		return PAWL_OK;
	if ((event->events & IN_DELETE) != 0)
		return pawl_fail(err, ERR_RUN_NOT_FOUND,
			"the journal of run '" STR_FMT "' was removed",
			STR_ARG(f->run));
	return f->show(f->arg, err);
}

static enum pawl_rc
on_reader(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	(void)arg, (void)event;
	errno = EPIPE;
	return pawl_fail_sys(err, ERR_OUTPUT, "nobody reads any more");
}

/* An end of a pipe says by itself that the other one is closed. */
static enum pawl_rc
watch_reader(struct loop *loop, struct pawl_err *err)
{
	struct loop_call call = { on_reader, NULL };
	struct stat st;
	uint64_t id;

	if (fstat(STDOUT_FILENO, &st) != 0 ||
		(!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return PAWL_OK;
	return loop_fd(loop, STDOUT_FILENO, 0, call, &id, err);
}

enum pawl_rc
follow_begin(struct follow *f, struct loop *loop, struct pawl_err *err)
{
	const char *path = arena_format(f->ctx->mem, "%s/runs/" STR_FMT,
		f->ctx->state.path, STR_ARG(f->run))
				   .ptr;
	uint64_t id;
	enum pawl_rc rc =
		loop_watch(loop, path, IN_MODIFY | IN_MOVED_TO | IN_DELETE,
			(struct loop_call){ on_change, f }, &id, err);

	if (rc == PAWL_OK)
		rc = watch_reader(loop, err);
	return rc == PAWL_OK ? f->show(f->arg, err) : rc;
}
