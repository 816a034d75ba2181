#include "store/journal.h"

#include <string.h>

#include "base/die.h"
#include "os/lock.h"
#include "store/scan.h"
#include "store/tail.h"

enum {
	READER_WAIT_MS = 2000, /* for an append that is under way */
};

struct journal_at
journal_start(void)
{
	struct journal_at at = { 0 };

	memset(at.chain, '0', SHA256_HEX);
	return at;
}

void
journal_init(struct journal *j, const struct fs *fs, int dir)
{
	*j = (struct journal){ .fs = fs,
		.dir = dir,
		.fd = -1,
		.lock_fd = -1,
		.kept_fd = -1,
		.at = journal_start() };
}

void
journal_seek(struct journal *j, const struct journal_at *at)
{
	j->at = *at;
	j->caught_up = false;
}

static enum pawl_rc
make_empty(const struct fs *fs, int dir, const char *name, struct pawl_err *err)
{
	enum pawl_rc rc;
	int fd = -1;

	rc = fs_open(fs, dir, name, O_WRONLY | O_CREAT, &fd, err);
	if (rc == PAWL_OK)
		rc = fs_sync(fs, fd, err);
	fs_close(fs, &fd);
	return rc;
}

enum pawl_rc
journal_create(const struct fs *fs, int dir, struct pawl_err *err)
{
	enum pawl_rc rc = make_empty(fs, dir, JOURNAL_LOCK, err);

	if (rc == PAWL_OK)
		rc = make_empty(fs, dir, JOURNAL_EVENTS, err);
	return rc == PAWL_OK ? fs_sync(fs, dir, err) : rc;
}

static enum pawl_rc
open_events(struct journal *j, bool writable, struct pawl_err *err)
{
	fs_close(j->fs, &j->fd);
	j->ino = 0;
	j->writable = writable;
	return fs_open(j->fs, j->dir, JOURNAL_EVENTS,
		writable ? O_RDWR | O_APPEND : O_RDONLY, &j->fd, err);
}

static enum pawl_rc
walk(struct journal *j, bool judge, journal_fn *fn, void *arg,
	struct journal_tail *ret_tail, struct pawl_err *err)
{
	struct scan_how how = { .judge = judge, .fn = fn, .arg = arg };
	struct stat st;
	enum pawl_rc rc = fs_fstat(j->fs, j->fd, &st, err);

	if (rc != PAWL_OK)
		return rc;
	if (!S_ISREG(st.st_mode)) {
		return pawl_fail(err, ERR_CORRUPT,
			"'" JOURNAL_EVENTS "' is no regular file");
	}
	j->dev = st.st_dev;
	j->ino = st.st_ino;
	how.size = (uint64_t)st.st_size;
	return scan_run(j, &how, ret_tail, err);
}

enum pawl_rc
journal_scan(struct journal *j, journal_fn *fn, void *arg,
	struct journal_tail *ret_tail, struct pawl_err *err)
{
	struct pawl_err why;
	enum pawl_rc rc = PAWL_OK, locked;
	struct journal_tail tail = { 0 };
	int lock_fd = -1;

	if (j->fd < 0)
		rc = open_events(j, false, err);
	if (rc == PAWL_OK)
		rc = walk(j, j->lock_fd >= 0, fn, arg, &tail, err);
	if (rc != PAWL_OK)
		return rc;
	if (tail.end != JOURNAL_IN_FLIGHT)
		goto out;
	locked = lock_shared(
		j->fs, j->dir, JOURNAL_LOCK, READER_WAIT_MS, &lock_fd, &why);
	/* Without a lock file or locks nobody can be appending. */
	if (locked == PAWL_OK || why.code != ERR_BUSY) {
		rc = open_events(j, false, err);
		if (rc == PAWL_OK)
			rc = walk(j, true, fn, arg, &tail, err);
	}
	lock_close(j->fs, &lock_fd);
	if (rc != PAWL_OK)
		return rc;
out:
	*ret_tail = tail;
	return PAWL_OK;
}

bool
journal_is_poisoned(const struct journal *j)
{
	return !fs_is_absent(j->fs, j->dir, JOURNAL_POISON);
}

/* Is the file that is open still the one that the path leads to? */
static bool
is_current(const struct journal *j)
{
	struct pawl_err unused;
	struct stat st;

	return fs_stat(j->fs, j->dir, JOURNAL_EVENTS, &st, &unused) ==
		PAWL_OK &&
		j->dev == st.st_dev && j->ino == st.st_ino;
}

enum pawl_rc
journal_lock(struct journal *j, unsigned timeout_ms, struct pawl_err *err)
{
	int fd = j->kept_fd;
	enum pawl_rc rc;

	assert(j->lock_fd < 0);
	if (j->failed) {
		return pawl_fail(err, ERR_POISONED,
			"a sync of this journal failed in this process");
	}
	j->kept_fd = -1;
	rc = fd < 0
		? lock_exclusive(
			  j->fs, j->dir, JOURNAL_LOCK, timeout_ms, &fd, err)
		: lock_again(j->fs, j->dir, JOURNAL_LOCK, timeout_ms, &fd, err);
	if (rc != PAWL_OK)
		return rc;
	j->lock_fd = fd;
	j->caught_up = false;
	if (journal_is_poisoned(j)) {
		rc = pawl_fail(err, ERR_POISONED,
			"an append failed and could not be undone");
	} else if (j->fd < 0 || !j->writable || !is_current(j)) {
		rc = open_events(j, true, err);
	}
	if (rc != PAWL_OK)
		journal_unlock(j);
	return rc;
}

enum pawl_rc
journal_catch_up(struct journal *j, journal_fn *fn, void *arg,
	struct journal_repaired *ret_repaired, struct pawl_err *err)
{
	struct journal_repaired repaired = { 0 };
	struct journal_tail tail = { 0 };
	enum pawl_rc rc;

	assert(j->lock_fd >= 0 && j->writable);
	j->caught_up = false;
	rc = walk(j, true, fn, arg, &tail, err);
	if (rc != PAWL_OK)
		return rc;
	switch (tail.end) {
	case JOURNAL_WHOLE:
	case JOURNAL_NO_LF:
		break;
	case JOURNAL_TORN:
		rc = tail_cut(j, &tail, &repaired, err);
		break;
	case JOURNAL_ELSEWHERE:
		rc = pawl_fail(err, ERR_STALE_SEQ,
			"line %llu of the projection isn't in the journal",
			(unsigned long long)j->at.seq);
		break;
	case JOURNAL_CORRUPT:
	case JOURNAL_IN_FLIGHT:
		rc = pawl_fail(err, tail.newer ? ERR_NEWER_FORMAT : ERR_CORRUPT,
			"journal: %s", tail.why);
		break;
	}
	if (rc != PAWL_OK)
		return rc;
	j->caught_up = true;
	*ret_repaired = repaired;
	return PAWL_OK;
}

/*
 * Leave a mark that no opener passes.  Nothing is checked: if the mark only
 * lives in memory it is there as long as the pages that it warns of.
 */
static void
poison(struct journal *j, const struct pawl_err *cause)
{
	struct pawl_err unused;
	enum pawl_rc rc;
	int fd = -1;

	rc = fs_open(j->fs, j->dir, JOURNAL_POISON, O_WRONLY | O_CREAT, &fd,
		&unused);
	if (rc == PAWL_OK)
		rc = fs_write(j->fs, fd, str_from(cause->msg), &unused);
	if (rc == PAWL_OK)
		rc = fs_write(j->fs, fd, STR("\n"), &unused);
	if (rc == PAWL_OK)
		rc = fs_sync(j->fs, fd, &unused);
	fs_close(j->fs, &fd);
	if (rc == PAWL_OK)
		rc = fs_sync(j->fs, j->dir, &unused);
	(void)rc;
}

/*
 * Cut to the length before the append.  The cut is synced: if a crash brought
 * back bytes of this append below those of the next, the line would be corrupt.
 */
static bool
undo(struct journal *j, const struct pawl_err *cause)
{
	struct pawl_err unused;

	j->caught_up = false;
	if (fs_truncate(j->fs, j->fd, j->at.offset, &unused) == PAWL_OK &&
		fs_datasync(j->fs, j->fd, &unused) == PAWL_OK)
		return true;
	j->failed = true;
	poison(j, cause);
	return false;
}

/* Write and sync what is in j->out. */
static enum pawl_rc
commit(struct journal *j, struct pawl_err *err)
{
	struct pawl_err cause;
	enum pawl_rc rc;

	rc = fs_append(j->fs, j->fd, buf_str(&j->out), &cause);
	if (rc != PAWL_OK && undo(j, &cause)) {
		*err = cause;
		return pawl_wrap(err, "journal: nothing was changed");
	}
	if (rc == PAWL_OK) {
		rc = fs_datasync(j->fs, j->fd, &cause);
		if (rc == PAWL_OK)
			return PAWL_OK;
		(void)undo(j, &cause); /* the outcome is unknown either way */
		j->failed = true;
	}
	pawl_fail(err, ERR_OUTCOME_UNKNOWN,
		"journal: it is not known whether line %llu will last: %s",
		(unsigned long long)j->at.seq + 1, cause.msg);
	err->sys = cause.sys;
	return err->rc;
}

enum pawl_rc
journal_append(
	struct journal *j, const struct journal_commit *c, struct pawl_err *err)
{
	struct journal_at next = j->at;
	const struct line line = { .seq = j->at.seq + 1,
		.gen = c->gen,
		.at = c->at,
		.actor = c->actor,
		.key = c->key,
		.request = c->request };
	enum pawl_rc rc;

	assert(j->lock_fd >= 0 && j->caught_up && !j->failed);
	assert(c->gen >= j->at.gen);
	buf_clear(&j->out);
	if (j->no_lf)
		buf_addc(&j->out, '\n');
	rc = line_write(&j->out, &line, c->events, c->mac_key, next.chain, err);
	if (rc != PAWL_OK)
		return rc;
	buf_addc(&j->out, '\n');
	rc = commit(j, err);
	if (rc != PAWL_OK)
		return rc;
	next.seq++;
	next.gen = c->gen;
	next.offset += j->out.len;
	j->at = next;
	j->no_lf = false;
	return PAWL_OK;
}

enum pawl_rc
journal_sync(struct journal *j, struct pawl_err *err)
{
	struct pawl_err cause;

	assert(j->lock_fd >= 0 && j->writable);
	if (fs_datasync(j->fs, j->fd, &cause) == PAWL_OK)
		return PAWL_OK;
	j->failed = true;
	pawl_fail(err, ERR_OUTCOME_UNKNOWN, "journal: %s", cause.msg);
	err->sys = cause.sys;
	return err->rc;
}

struct key_search {
	struct str key;
	uint64_t seq;
};

static enum pawl_rc
key_match(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	struct key_search *search = arg;

	(void)err;
	if (str_eq(l->line.key, search->key))
		search->seq = l->line.seq;
	return PAWL_OK;
}

enum pawl_rc
journal_find_key(struct journal *j, struct str key, uint64_t *ret_seq,
	struct pawl_err *err)
{
	struct key_search search = { .key = key };
	struct journal_tail tail;
	struct journal all;
	enum pawl_rc rc;

	journal_init(&all, j->fs, j->dir);
	all.lock_fd = j->lock_fd; /* judged under the caller's lock */
	rc = journal_scan(&all, key_match, &search, &tail, err);
	all.lock_fd = -1;
	journal_close(&all);
	if (rc == PAWL_OK)
		*ret_seq = search.seq;
	return rc;
}

void
journal_unlock(struct journal *j)
{
	j->caught_up = false;
	if (j->lock_fd >= 0)
		lock_keep(j->fs, &j->lock_fd, &j->kept_fd);
}

void
journal_close(struct journal *j)
{
	if (j->fs == NULL)
		return;
	lock_close(j->fs, &j->lock_fd);
	fs_close(j->fs, &j->kept_fd);
	fs_close(j->fs, &j->fd);
	buf_release(&j->out);
	journal_init(j, j->fs, j->dir);
}
