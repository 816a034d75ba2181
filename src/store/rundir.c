#include "store/rundir.h"

#include <stdio.h>

#include "base/bounds.h"
#include "os/lock.h"
#include "store/artifact.h"
#include "store/journal.h"

#define FORMAT "pawl 1\n"

static const char *const state_parts[] = { "runs", "active" };
static const char *const run_parts[] = { "plan", "capsules", "outbox",
	"results", "logs" };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum pawl_rc
rundir_check_state(const struct fs *fs, int state, struct pawl_err *err)
{
	struct buf format = { 0 };
	enum pawl_rc rc;

	rc = fs_read(fs, state, "format", 255, &format, err);
	if (rc == PAWL_OK && !str_eq(buf_str(&format), STR(FORMAT))) {
		rc = pawl_fail(err,
			str_starts(buf_str(&format), STR("pawl "))
				? ERR_NEWER_FORMAT
				: ERR_CORRUPT,
			"the state directory's 'format' isn't 'pawl 1'");
	}
	buf_release(&format);
	return rc;
}

enum pawl_rc
rundir_init_state(const struct fs *fs, int state, struct pawl_err *err)
{
	enum pawl_rc rc = lock_probe(fs, state, err);

	if (rc == PAWL_OK) {
		rc = fs_make_dirs(
			fs, state, state_parts, COUNT(state_parts), err);
	}
	if (rc != PAWL_OK)
		return rc;
	rc = fs_create(fs, state, "format", STR(FORMAT), err);
	return rc == PAWL_OK || err->code == ERR_ID_TAKEN
		? rundir_check_state(fs, state, err)
		: rc;
}

bool
rundir_is_id(struct str id)
{
	for (size_t i = 0; i < id.len; i++) {
		char c = id.ptr[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') || c == '_' || c == '-';

		if (!word && (c != '.' || i == 0))
			return false;
	}
	return id.len > 0 && id.len <= BOUND_ID_BYTES;
}

static enum pawl_rc
write_inputs(const struct fs *fs, int dir, const struct rundir_inputs *inputs,
	struct pawl_err *err)
{
	enum pawl_rc rc;
	int plan = -1;

	rc = fs_open_dir(fs, dir, "plan", &plan, err);
	for (size_t i = 0; rc == PAWL_OK && i < inputs->count; i++) {
		rc = fs_create(fs, plan, inputs->items[i].name,
			inputs->items[i].bytes, err);
	}
	fs_close(fs, &plan);
	return rc;
}

static enum pawl_rc
fill(const struct fs *fs, int dir, const struct rundir_inputs *inputs,
	struct pawl_err *err)
{
	enum pawl_rc rc = lock_probe(fs, dir, err);

	if (rc == PAWL_OK)
		rc = fs_make_dirs(fs, dir, run_parts, COUNT(run_parts), err);
	if (rc == PAWL_OK)
		rc = artifact_init(fs, dir, err);
	if (rc == PAWL_OK)
		rc = write_inputs(fs, dir, inputs, err);
	return rc == PAWL_OK ? journal_create(fs, dir, err) : rc;
}

enum pawl_rc
rundir_create(const struct fs *fs, int state, const char *id,
	const struct rundir_inputs *inputs, int *ret_dir, struct pawl_err *err)
{
	int runs = -1, dir = -1;
	enum pawl_rc rc;

	if (!rundir_is_id(str_from(id))) {
		return pawl_fail(err, ERR_INVALID_ID,
			"'%.128s' can't be a run's id", id);
	}
	rc = fs_make_dirs(fs, state, state_parts, COUNT(state_parts), err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, state, "runs", &runs, err);
	if (rc == PAWL_OK)
		rc = fs_make_new_dir(fs, runs, id, err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, runs, id, &dir, err);
	if (rc == PAWL_OK)
		rc = fill(fs, dir, inputs, err);
	if (rc == PAWL_OK)
		rc = rundir_mark_active(fs, state, id, true, err);
	fs_close(fs, &runs);
	if (rc != PAWL_OK) {
		fs_close(fs, &dir);
		return rc;
	}
	*ret_dir = dir;
	return PAWL_OK;
}

enum pawl_rc
rundir_complete(
	const struct fs *fs, int state, const char *id, struct pawl_err *err)
{
	const struct rundir_inputs none = { NULL, 0 };
	int runs = -1, dir = -1;
	enum pawl_rc rc;

	rc = fs_make_dirs(fs, state, state_parts, COUNT(state_parts), err);
	if (rc == PAWL_OK)
		rc = rundir_open(fs, state, id, &dir, err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, state, "runs", &runs, err);
	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, runs, id, err); /* syncs its name */
	if (rc == PAWL_OK)
		rc = fill(fs, dir, &none, err);
	if (rc == PAWL_OK)
		rc = rundir_mark_active(fs, state, id, true, err);
	fs_close(fs, &runs);
	fs_close(fs, &dir);
	return rc;
}

enum pawl_rc
rundir_open(const struct fs *fs, int state, const char *id, int *ret_dir,
	struct pawl_err *err)
{
	char path[8 + BOUND_ID_BYTES];
	enum pawl_rc rc;

	if (!rundir_is_id(str_from(id)))
		return pawl_fail(err, ERR_RUN_NOT_FOUND, "no run '%.128s'", id);
	(void)snprintf(path, sizeof(path), "runs/%s", id); /* it fits */
	rc = fs_open_dir(fs, state, path, ret_dir, err);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)
		return pawl_fail(err, ERR_RUN_NOT_FOUND, "no run '%s'", id);
	return rc;
}

/* The first whole line is enough. */
static enum pawl_rc
on_first(void *arg, const struct journal_line *line, struct pawl_err *err)
{
	bool *found = arg;

	(void)line;
	*found = true;
	return pawl_fail(err, ERR_INTERRUPTED, "there is a line");
}

/*
 * Its maker died between the mark and the first event, or in the middle of
 * that: a torn first line is none.  What can't be read is not judged.
 */
static bool
was_never_started(const struct fs *fs, int state, const char *id)
{
	struct journal_tail tail = { .end = JOURNAL_WHOLE };
	struct pawl_err ignored;
	struct journal j;
	bool found = false, read;
	int dir = -1;

	if (rundir_open(fs, state, id, &dir, &ignored) != PAWL_OK)
		return false;
	journal_init(&j, fs, dir);
	read = journal_scan(&j, on_first, &found, &tail, &ignored) == PAWL_OK;
	journal_close(&j);
	fs_close(fs, &dir);
	return read && !found &&
		(tail.end == JOURNAL_WHOLE || tail.end == JOURNAL_TORN);
}

enum pawl_rc
rundir_list(const struct fs *fs, int state, enum rundir_which which,
	struct buf *ret_ids, struct pawl_err *err)
{
	struct buf names = { 0 };
	enum pawl_rc rc;
	int dir = -1;

	rc = fs_open_dir(
		fs, state, state_parts[which != RUNDIR_ALL], &dir, err);
	if (rc != PAWL_OK)
		return err->code == ERR_FILE_NOT_FOUND ? PAWL_OK : rc;
	rc = fs_list(fs, dir, &names, err);
	for (size_t at = 0; rc == PAWL_OK && at < names.len;) {
		struct str name = str_from(names.data + at);

		at += name.len + 1;
		if (rundir_is_id(name) &&
			(which != RUNDIR_STARTED ||
				!was_never_started(fs, state, name.ptr))) {
			buf_add(ret_ids,
				(struct str){ name.ptr, name.len + 1 });
		}
	}
	buf_release(&names);
	fs_close(fs, &dir);
	return rc;
}

enum pawl_rc
rundir_mark_active(const struct fs *fs, int state, const char *id, bool active,
	struct pawl_err *err)
{
	enum pawl_rc rc;
	int dir = -1, fd = -1;

	if (!rundir_is_id(str_from(id))) {
		return pawl_fail(err, ERR_INVALID_ID,
			"'%.128s' can't be a run's id", id);
	}
	rc = fs_open_dir(fs, state, "active", &dir, err);
	if (rc != PAWL_OK)
		return rc;
	if (active) {
		rc = fs_open(fs, dir, id, O_WRONLY | O_CREAT, &fd, err);
	} else {
		rc = fs_remove(fs, dir, id, err);
	}
	if (rc == PAWL_OK)
		rc = fs_sync(fs, dir, err);
	fs_close(fs, &fd);
	fs_close(fs, &dir);
	return rc;
}
