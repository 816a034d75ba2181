/*
 * outbox: the one folder that a worker may write, and what it puts there.
 *
 *	<run>/outbox/API-01@1/
 *	  report.json         its result, once
 *	  ask-1.json …        its questions, and what it would delegate, in the
 *			      order that they were asked
 *	  answers/q1.json …   the answers, written by pawl
 *
 * A delivery is a durable append to this folder alone: a file that nobody has,
 * written, synced, linked to its name, the folder synced.  It takes no lock,
 * reads no run and needs no state folder, so a worker can deliver whatever the
 * coordinator is doing, and nothing is lost when both are killed.
 *
 * A name is written once.  The same bytes again are no second delivery; other
 * bytes under a name that is taken are kept beside it, under their digest, and
 * refused.  What lies here is a message: nothing moves because of it before the
 * coordinator took it in.
 */
#ifndef PAWL_ENGINE_OUTBOX_H
#define PAWL_ENGINE_OUTBOX_H

#include "os/fs.h"

#define OUTBOX_REPORT "report.json"
#define OUTBOX_ANSWERS "answers"

enum { OUTBOX_NAME_BYTES = 128 }; /* of a file's name, with its NUL */

/*
 * Open the folder at `path`; it must be there, and be one.
 *
 * Errors: ERR_FILE_NOT_FOUND with what to set; ERR_NOT_PERMITTED; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc outbox_open(const struct fs *fs, const char *path,
	int *ret_fd, struct pawl_err *err);

/*
 * As the run's coordinator: the outbox of `attempt`, below the run's folder.
 * Its worker may have put anything in its place; no link is followed.
 *
 * Errors: ERR_FILE_NOT_FOUND; ERR_UNSAFE_PATH for what is no folder; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc outbox_enter(const struct fs *fs, int run_dir,
	struct str attempt, int *ret_fd, struct pawl_err *err);

/* The same for its `answers`, which is made when there is nothing. */
PAWL_MUST_CHECK enum pawl_rc outbox_enter_answers(const struct fs *fs,
	int run_dir, struct str attempt, int *ret_fd, struct pawl_err *err);

/* Make the outbox of `attempt`, unless something is there. */
PAWL_MUST_CHECK enum pawl_rc outbox_make(const struct fs *fs, int run_dir,
	struct str attempt, struct pawl_err *err);

/*
 * Is it about one attempt alone, that something in its outbox, or the outbox
 * itself, isn't what it must be?  Then the others go on.
 */
bool is_outbox_spoilt(const struct pawl_err *err);

/*
 * Put `bytes` under `name`, durable.  `*ret_again` is true when exactly these
 * bytes lay there before; they are then made durable once more, since who put
 * them there may have been killed before that.
 *
 * Errors: ERR_DELIVERY_CONFLICT when other bytes, or no regular file, lie
 * there: ours are kept as `NAME.<64 hex>`; those of fs_create.
 */
PAWL_MUST_CHECK enum pawl_rc outbox_put(const struct fs *fs, int dir,
	const char *name, struct str bytes, bool *ret_again,
	struct pawl_err *err);

/*
 * Put `bytes` as the next question, `ask-N.json`; when a question with these
 * bytes lies there, that is the one.
 *
 * Errors: ERR_LIMIT after BOUND_ASKS of them; those of fs_create.
 */
PAWL_MUST_CHECK enum pawl_rc outbox_ask(const struct fs *fs, int dir,
	struct str bytes, uint32_t *ret_number, bool *ret_again,
	struct pawl_err *err);

/* `ask-3.json`. */
void outbox_ask_name(uint32_t number, char ret_name[OUTBOX_NAME_BYTES]);

/*
 * Append what lies under `name` to `to`; `*ret_found` is false when there is
 * nothing.  A link, a pipe, a folder or more than `max` bytes are an error:
 * nobody but a worker can have put that there.
 *
 * Errors: ERR_UNSAFE_PATH, ERR_LIMIT, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc outbox_take(const struct fs *fs, int dir,
	const char *name, size_t max, struct buf *to, bool *ret_found,
	struct pawl_err *err);

#endif
