/*
 * ledger_file: a ledger's checkpoint as a file that is edited under the rules.
 *
 * The file is the truth, and there is no journal beside it.  So each edit reads
 * it whole under a lock, judges it, decides (model/ledger_edit.h), folds,
 * judges what came out, and replaces it as one step: whoever reads at any
 * moment, or after a power cut, sees the old bytes or the new ones.  Bytes that
 * aren't a sound ledger are refused with what is wrong and where, and nothing
 * is written over them.
 *
 *	struct ledger_file f = LEDGER_FILE_INIT;
 *
 *	rc = ledger_file_open(&f, fs, mem, "dir/state.json", true, err);
 *	...
 *	rc = ledger_propose(&f.ledger, &cmd, err);
 *	...
 *	rc = ledger_file_commit(&f, true, err);
 *	...
 *	ledger_file_close(&f);
 *
 * Beside `state.json` there are `.state.json.lock`, which is empty and never
 * deleted, `.state.json.attempts`, which says when attempts began (it is only
 * looked at, see engine/evidence.h), and for a moment, or after a kill until
 * the next edit, `.state.json.<16 hex>.pawl-tmp`.  A symbolic link is no
 * ledger.  What is made is 0600.
 */
#ifndef PAWL_ENGINE_LEDGER_FILE_H
#define PAWL_ENGINE_LEDGER_FILE_H

#include "model/ledger_edit.h"
#include "os/fs.h"

enum {
	LEDGER_FILE_LOCK_MS = 60 * 1000, /* many short edits stand before us */
	LEDGER_FILE_NAME_MAX = 128,      /* bytes, without the folder */
};

struct ledger_file {
	struct ledger ledger; /* settled at each commit */
	const struct fs *fs;
	struct arena *mem;    /* the caller's: of names and of errors' texts */
	const char *path;     /* as it was given */
	const char *name;     /* in its folder */
	const char *attempts; /* likewise, `.NAME.attempts` */
	int dir;              /* the folder; -1 when not open */
	int lock;             /* -1 when it is only read */
	bool fresh;           /* not there yet; the first commit makes it */
	bool has_ledger;
	struct buf text; /* what was read; the ledger has views of it */
};

#define LEDGER_FILE_INIT               \
	{                              \
		.dir = -1, .lock = -1, \
	}

/*
 * Open one that is there, to read or to edit.
 *
 * Errors: ERR_FILE_NOT_FOUND; ERR_UNSAFE_PATH for a link; ERR_NOT_JSON;
 * ERR_INVALID_LEDGER with the first violation; ERR_LIMIT; ERR_BUSY; ERR_IO.
 * Nothing is open then.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_file_open(struct ledger_file *f,
	const struct fs *fs, struct arena *mem, const char *path, bool edit,
	struct pawl_err *err);

/*
 * Begin one that must not be there: an empty ledger, for which a
 * `ledger_started` is to be proposed first.  Without `edit` it can't be
 * written, and its folder needn't be there.  Errors: ERR_ID_TAKEN; as above.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_file_new(struct ledger_file *f,
	const struct fs *fs, struct arena *mem, const char *path, bool edit,
	struct pawl_err *err);

/*
 * Settle, judge, and replace the file; without `write` only say whether that
 * would do, also of one that was opened to read.
 *
 * Errors: ERR_INVALID_LEDGER when the change would break a rule, and then
 * nothing was written; ERR_LIMIT; ERR_ID_TAKEN when a new one is there by now;
 * ERR_IO: the old file stands unless only the last sync failed.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_file_commit(
	struct ledger_file *f, bool write, struct pawl_err *err);

/* Also of one that isn't open. */
void ledger_file_close(struct ledger_file *f);

/* The bytes of the file for a ledger: one line a member, and an LF. */
void ledger_file_bytes(const struct ledger *l, struct buf *out);

/*
 * May a ledger lie in this folder, which needn't be there yet?  Inside a Git
 * repository it must be ignored already, so that nothing of it gets into a
 * commit by accident; no policy is touched to make it so.
 *
 * Errors: ERR_NOT_IGNORED; ERR_GIT; those of repo_find.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_file_permitted(
	const char *folder, struct arena *mem, struct pawl_err *err);

#endif
