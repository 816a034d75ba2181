#include "engine/outbox.h"

#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/bounds.h"
#include "base/sha256.h"

enum pawl_rc
outbox_open(const struct fs *fs, const char *path, int *ret_fd,
	struct pawl_err *err)
{
	enum pawl_rc rc = fs_open_dir(fs, AT_FDCWD, path, ret_fd, err);

	if (rc == PAWL_OK)
		return rc;
	(void)pawl_wrap(err, "outbox");
	if (err->code == ERR_FILE_NOT_FOUND)
		return pawl_hint(err,
			"set PAWL_OUTBOX to the folder that the attempt was"
			" given, or --outbox DIR");
	return err->rc;
}

/* A worker may write here: a link of its is not followed. */
static enum pawl_rc
enter(const struct fs *fs, int dir, const char *name, int *ret_fd,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		fs_open(fs, dir, name, O_RDONLY | O_DIRECTORY, ret_fd, err);

	if (rc != PAWL_OK && err->sys == ENOTDIR) /* a link, too */
		return pawl_fail(
			err, ERR_UNSAFE_PATH, "'%s' is no folder", name);
	return rc;
}

enum pawl_rc
outbox_make(const struct fs *fs, int run_dir, struct str attempt,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	int fd = -1;
	enum pawl_rc rc = fs_make_view_dir(fs, run_dir, "outbox", err);

	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, run_dir, "outbox", &fd, err);
	if (rc == PAWL_OK)
		rc = fs_make_view_dir(fs, fd, arena_strdup(&mem, attempt), err);
	fs_close(fs, &fd);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
outbox_enter(const struct fs *fs, int run_dir, struct str attempt, int *ret_fd,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	enum pawl_rc rc = enter(fs, run_dir,
		arena_format(&mem, "outbox/" STR_FMT, STR_ARG(attempt)).ptr,
		ret_fd, err);

	arena_reset(&mem);
	return rc;
}

enum pawl_rc
outbox_enter_answers(const struct fs *fs, int run_dir, struct str attempt,
	int *ret_fd, struct pawl_err *err)
{
	int outbox = -1;
	enum pawl_rc rc = outbox_enter(fs, run_dir, attempt, &outbox, err);

	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, outbox, OUTBOX_ANSWERS, err);
	if (rc == PAWL_OK)
		rc = enter(fs, outbox, OUTBOX_ANSWERS, ret_fd, err);
	fs_close(fs, &outbox);
	return rc;
}

bool
is_outbox_spoilt(const struct pawl_err *err)
{
	return err->code == ERR_UNSAFE_PATH || err->code == ERR_LIMIT;
}

/* NOLINTBEGIN(readability-function-size): a place, a bound and an answer */
enum pawl_rc
outbox_take(const struct fs *fs, int dir, const char *name, size_t max,
	struct buf *to, bool *ret_found, struct pawl_err *err)
{
	enum pawl_rc rc = fs_read_document(fs, dir, name, max, to, err);

	*ret_found = rc == PAWL_OK;
	if (rc == PAWL_ENOENT)
		return PAWL_OK;
	if (rc != PAWL_OK && err->code == ERR_INVALID_PATH)
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' in the outbox is no regular file", name);
	return rc;
}
/* NOLINTEND(readability-function-size) */

/* Keep what can't be delivered, as evidence of what was tried. */
static enum pawl_rc
keep_beside(const struct fs *fs, int dir, const char *name, struct str bytes,
	struct pawl_err *err)
{
	char beside[OUTBOX_NAME_BYTES + SHA256_HEX + 2];
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	sha256_hex(bytes, hex);
	(void)snprintf(beside, sizeof(beside), "%.*s.%s", OUTBOX_NAME_BYTES - 1,
		name, hex);
	rc = fs_create(fs, dir, beside, bytes, err);
	if (rc != PAWL_OK && err->code == ERR_ID_TAKEN)
		rc = PAWL_OK;
	if (rc != PAWL_OK)
		return rc;
	return pawl_fail(err, ERR_DELIVERY_CONFLICT,
		"'%s' was delivered before, with other bytes; these are kept"
		" as '%s'",
		name, beside);
}

enum pawl_rc
outbox_put(const struct fs *fs, int dir, const char *name, struct str bytes,
	bool *ret_again, struct pawl_err *err)
{
	bool made = false;
	enum pawl_rc rc = fs_create_once(fs, dir, name, bytes, &made, err);

	if (rc != PAWL_OK && err->code == ERR_ID_TAKEN)
		return keep_beside(fs, dir, name, bytes, err);
	*ret_again = !made;
	return rc;
}

void
outbox_ask_name(uint32_t number, char ret_name[OUTBOX_NAME_BYTES])
{
	(void)snprintf(ret_name, OUTBOX_NAME_BYTES, "ask-%u.json", number);
}

enum pawl_rc
outbox_ask(const struct fs *fs, int dir, struct str bytes, uint32_t *ret_number,
	bool *ret_again, struct pawl_err *err)
{
	char name[OUTBOX_NAME_BYTES];

	/* Another question of this worker may take a number meanwhile. */
	for (uint32_t n = 1; n <= BOUND_ASKS; n++) {
		bool made = false;
		enum pawl_rc rc;

		outbox_ask_name(n, name);
		rc = fs_create_once(fs, dir, name, bytes, &made, err);
		if (rc != PAWL_OK && err->code == ERR_ID_TAKEN)
			continue;
		*ret_again = !made;
		*ret_number = n;
		return rc;
	}
	return pawl_fail(err, ERR_LIMIT,
		"an attempt can't ask more than %d questions", BOUND_ASKS);
}
