/*
 * journal: a run's append-only file of commits, the only source of truth.
 *
 * `events.jsonl` in the run's directory; one commit is one line (line.h), and
 * its bytes stand in docs/journal-format.md.  `lock` beside it is held, by
 * flock, from catching up to the sync; `poison` says that a failed append could
 * not be undone.
 *
 *	reading                         changing
 *	journal_init(&j, fs, dir)       journal_init(&j, fs, dir)
 *	journal_seek(&j, &projected)    journal_seek(&j, &projected)
 *	journal_scan(&j, fn, …, &tail)  journal_lock(&j, 5000, …)
 *	journal_close(&j)               journal_catch_up(&j, fn, …, &repaired)
 *	                                journal_append(&j, &commit, …)
 *	                                journal_unlock(&j) or journal_close(&j)
 *
 * A reader takes no lock and changes nothing.  Only when the end of the file
 * isn't a whole line does it take a shared lock and look again, since an append
 * may be under way; then it works on the good lines and tells the rest.
 *
 * What stands at the end of the file (enum journal_end) is judged so: without
 * an LF, but with a chain that verifies, a line counts, and the next append
 * begins with the LF.  Otherwise a line without LF, or a last line whose chain
 * fails and that holds a NUL (a sector that never reached the disk), is torn.
 * Everything else is corrupt, and nothing is appended after it.
 *
 * `j` isn't for two at once: after journal_lock catch up, before appending.
 */
#ifndef PAWL_STORE_JOURNAL_H
#define PAWL_STORE_JOURNAL_H

#include "base/bounds.h"
#include "os/fs.h"
#include "store/line.h"

/* A place between two lines. */
struct journal_at {
	uint64_t seq;               /* of the line before; 0 at the start */
	uint64_t gen;               /* likewise */
	uint64_t offset;            /* bytes of the file before this place */
	char chain[SHA256_HEX + 1]; /* of the line before */
};

/* Before the first line. */
struct journal_at journal_start(void);

enum journal_mac {
	JOURNAL_MAC_NONE,      /* the line carries none */
	JOURNAL_MAC_UNCHECKED, /* there was no key to check it with */
	JOURNAL_MAC_GOOD,
	JOURNAL_MAC_BAD,
};

/* One line; the views live until the callback returns. */
struct journal_line {
	struct line line;
	uint64_t offset; /* of its first byte in the file */
	size_t bytes;    /* without LF */
	enum journal_mac mac;
	const char *chain; /* 64 hex, of this line */
};

/* Called once a whole line, in order; a non-OK result stops the scan. */
typedef enum pawl_rc journal_fn(
	void *arg, const struct journal_line *line, struct pawl_err *err);

enum journal_end {
	JOURNAL_WHOLE,     /* the last line ends in LF */
	JOURNAL_NO_LF,     /* it lacks its LF, and counts */
	JOURNAL_IN_FLIGHT, /* somebody is appending now: not judged */
	JOURNAL_TORN,      /* bytes of an append that a crash cut */
	JOURNAL_CORRUPT,   /* see `why`; lines before it are good */
	JOURNAL_ELSEWHERE, /* the place that was sought isn't in this file */
};

/* How a scan ended; `at` of the journal is the end of the good lines. */
struct journal_tail {
	enum journal_end end;
	uint64_t line;   /* number of the torn or corrupt line */
	uint64_t offset; /* of its first byte */
	uint64_t bytes;  /* from there to the end of the file */
	bool newer;      /* JOURNAL_CORRUPT, because a newer version wrote it */
	char why[200];   /* for people; of JOURNAL_CORRUPT */
};

/* A torn tail that was archived and cut off. */
struct journal_repaired {
	char artifact[SHA256_HEX + 1]; /* digest of the bytes; "" when none */
	uint64_t bytes;                /* 0: nothing was repaired */
};

struct journal_commit {
	uint64_t gen;
	struct str at;      /* RFC 3339, UTC, microseconds */
	struct str actor;   /* one word */
	struct str key;     /* idempotency key, one word, or empty */
	struct str request; /* 16 hex of the command's digest, with `key` */
	struct str events;  /* a JSON array without spaces */
	struct str mac_key; /* signs the line; empty: no mac */
};

struct journal {
	const struct fs *fs;
	int dir;        /* the run's directory; the caller's */
	int fd;         /* events.jsonl; -1 until it is needed */
	int lock_fd;    /* -1 without the lock */
	int kept_fd;    /* of the lock's file, between two locks; or -1 */
	dev_t dev;      /* of the file that `fd` is, */
	ino_t ino;      /* once it was read from; else 0 */
	bool writable;  /* `fd` is open for appending */
	bool caught_up; /* under this lock, up to the end of the file */
	bool no_lf;     /* the next append begins with it */
	bool failed;    /* a sync failed: no further append by this process */
	bool plain;     /* the reader takes plain lines (line.plain), too */
	struct journal_at at; /* how far lines were read */
	struct str mac_key;   /* to check macs with; empty: they aren't */
	struct buf out;       /* the line that is being appended */
};

/* Nothing is opened yet.  `dir` must stay open as long as the journal. */
void journal_init(struct journal *j, const struct fs *fs, int dir);

/* Start from `at` (a projection's place) instead of the first line. */
void journal_seek(struct journal *j, const struct journal_at *at);

/*
 * Make the empty journal and its lock file in a new run's directory, synced.
 * What is there already stays as it is: its maker may have died on the way.
 */
PAWL_MUST_CHECK enum pawl_rc journal_create(
	const struct fs *fs, int dir, struct pawl_err *err);

/*
 * Read the lines after j->at, which moves to the end of the good ones.
 *
 * `fn` may be NULL: lines are then only verified.  PAWL_OK for every state of
 * the file, which `*ret_tail` tells.  With JOURNAL_ELSEWHERE nothing was read:
 * seek the start and read everything.  Errors: those of `fn`; ERR_IO,
 * ERR_FILE_NOT_FOUND, ERR_NOT_PERMITTED.
 */
PAWL_MUST_CHECK enum pawl_rc journal_scan(struct journal *j, journal_fn *fn,
	void *arg, struct journal_tail *ret_tail, struct pawl_err *err);

/*
 * Take the run's lock and open the file for appending.
 * Errors: ERR_BUSY after `timeout_ms`, with the holder; ERR_NO_LOCKS;
 * ERR_POISONED; ERR_FILE_NOT_FOUND, ERR_NOT_PERMITTED, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc journal_lock(
	struct journal *j, unsigned timeout_ms, struct pawl_err *err);

/*
 * Under the lock: read the lines after j->at, archive and cut a torn tail.
 *
 * `*ret_repaired` says what was cut, for the journal_repaired event of the next
 * commit.  Errors: ERR_CORRUPT with line and byte, ERR_NEWER_FORMAT (`fn` got
 * the lines before it); ERR_STALE_SEQ when j->at isn't in this file: seek the
 * start; those of `fn`, of artifact_put; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc journal_catch_up(struct journal *j, journal_fn *fn,
	void *arg, struct journal_repaired *ret_repaired, struct pawl_err *err);

/*
 * Append one commit: one write, one fdatasync.  j->at becomes its end.
 *
 * Under the lock, caught up.  On failure the file is cut to its old length,
 * synced; if that fails, `poison` is made.  Errors: ERR_LIMIT,
 * ERR_INVALID_ARGUMENT: nothing was written; ERR_IO: the write failed and was
 * undone; ERR_OUTCOME_UNKNOWN: the commit may surface, ask again by its key.
 */
PAWL_MUST_CHECK enum pawl_rc journal_append(struct journal *j,
	const struct journal_commit *commit, struct pawl_err *err);

/*
 * Sync what is there, under the lock: for an answer that was found in the
 * journal, whose writer may have died before its own sync.
 */
PAWL_MUST_CHECK enum pawl_rc journal_sync(
	struct journal *j, struct pawl_err *err);

/*
 * Find the commit of an idempotency key by reading everything; `*ret_seq` is 0
 * when there is none.  For keys older than those that struct keys has.
 */
PAWL_MUST_CHECK enum pawl_rc journal_find_key(struct journal *j, struct str key,
	uint64_t *ret_seq, struct pawl_err *err);

/*
 * Undo a poisoning, with the lock not held: copy the good lines to a new file,
 * sync it, rename it over the journal, remove `poison`.  A torn tail is
 * archived first.  A journal that isn't poisoned is only caught up.
 * Errors: as journal_lock, without ERR_POISONED, and journal_catch_up.
 */
PAWL_MUST_CHECK enum pawl_rc journal_repair(struct journal *j,
	unsigned timeout_ms, struct journal_repaired *ret_repaired,
	struct pawl_err *err);

bool journal_is_poisoned(const struct journal *j);

/* Let the lock go; the place and the open file are kept for the next time. */
void journal_unlock(struct journal *j);

/* Let everything go. */
void journal_close(struct journal *j);

#endif
