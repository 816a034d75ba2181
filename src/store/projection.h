/*
 * projection: `state.json`, the folded state of a run, as a cache.
 *
 * The journal is the truth; this spares reading it from the start.  One JSON
 * document, LF at its end:
 *
 *	{"format":1,"fold":1,"seq":17,"gen":2,"offset":5123,"chain":"<64 hex>",
 *	 "sha256":"<64 hex>","state":BODY}
 *
 * `fold` is the version of the code that folds, `seq` to `chain` the place in
 * the journal that BODY stands for, `sha256` the digest of all bytes before
 * `,"sha256"` followed by BODY.  The store doesn't look into BODY.
 *
 * It is replaced as a whole and never synced.  Whatever is wrong with it
 * (absent, empty, cut, all NUL, a flipped bit, another fold) never fails a
 * command: the caller reads the journal from the start and, unless the file was
 * only absent, tells the drift.  That the place is in the journal shows when
 * the journal is read from it (JOURNAL_ELSEWHERE, ERR_STALE_SEQ).
 */
#ifndef PAWL_STORE_PROJECTION_H
#define PAWL_STORE_PROJECTION_H

#include "store/journal.h"

enum {
	PROJECTION_FORMAT = 1,
	PROJECTION_TAIL_MIN = 64 << 10, /* bytes */
};

enum projection_found {
	PROJECTION_ABSENT,
	PROJECTION_GOOD,
	PROJECTION_OTHER, /* another format or fold: not damage */
	PROJECTION_DRIFT, /* it isn't what was written; see `why` */
};

struct projection {
	enum projection_found found;
	struct journal_at at; /* what `body` stands for */
	struct str body;      /* a view into `bytes`; may be changed in place */
	struct buf bytes;     /* the file */
	char why[160];        /* one line, of OTHER and DRIFT */
};

/* Load and verify.  The caller releases it. */
void projection_load(const struct fs *fs, int run_dir, uint64_t fold,
	struct projection *ret_projection);

void projection_release(struct projection *p);

/*
 * Is a new one worth its bytes?  `tail` is what was read of the journal beyond
 * the one at hand, which has `bytes` bytes (0: there is none).
 */
bool projection_is_due(uint64_t tail, uint64_t bytes);

/*
 * Replace it, not synced.  Call it after "ok" was said, with the run's lock
 * held.  `body` is JSON without LF.  A failure is none of the command's.
 */
PAWL_MUST_CHECK enum pawl_rc projection_save(const struct fs *fs, int run_dir,
	uint64_t fold, const struct journal_at *at, struct str body,
	struct pawl_err *err);

#endif
