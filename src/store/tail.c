#include "store/tail.h"

#include "base/die.h"
#include "os/lock.h"
#include "store/artifact.h"

/* Put the torn bytes into the run's artifacts. */
static enum pawl_rc
tail_archive(const struct journal *j, const struct journal_tail *tail,
	struct journal_repaired *ret_repaired, struct pawl_err *err)
{
	struct journal_repaired repaired = { .bytes = tail->bytes };
	struct buf bytes = { 0 };
	enum pawl_rc rc;
	size_t got = (size_t)tail->bytes;

	assert(tail->end == JOURNAL_TORN && tail->bytes > 0);
	assert(tail->bytes < SIZE_MAX / 2);
	rc = fs_pread(j->fs, j->fd, tail->offset, buf_reserve(&bytes, got),
		&got, err);
	if (rc == PAWL_OK && got < tail->bytes) {
		rc = pawl_fail(err, ERR_IO,
			"the journal became shorter while it was held");
	}
	if (rc == PAWL_OK) {
		bytes.len = got;
		rc = artifact_put(
			j->fs, j->dir, buf_str(&bytes), repaired.artifact, err);
	}
	buf_release(&bytes);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "could not archive the torn end");
	*ret_repaired = repaired;
	return PAWL_OK;
}

enum pawl_rc
tail_cut(const struct journal *j, const struct journal_tail *tail,
	struct journal_repaired *ret_repaired, struct pawl_err *err)
{
	struct journal_repaired repaired;
	enum pawl_rc rc = tail_archive(j, tail, &repaired, err);

	if (rc == PAWL_OK)
		rc = fs_truncate(j->fs, j->fd, tail->offset, err);
	/* Before the next append: a crash must not mix the two. */
	if (rc == PAWL_OK)
		rc = fs_datasync(j->fs, j->fd, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "journal");
	*ret_repaired = repaired;
	return PAWL_OK;
}

/* Under the lock: what a poisoned journal holds, in a new file. */
static enum pawl_rc
copy_good(struct journal *j, struct journal_repaired *ret_repaired,
	struct pawl_err *err)
{
	struct journal_tail tail = { 0 };
	enum pawl_rc rc;

	rc = fs_sweep(j->fs, j->dir, err); /* of a copy that was killed */
	if (rc == PAWL_OK)
		rc = journal_scan(j, NULL, NULL, &tail, err);
	if (rc != PAWL_OK)
		return rc;
	if (tail.end == JOURNAL_CORRUPT) {
		return pawl_fail(err,
			tail.newer ? ERR_NEWER_FORMAT : ERR_CORRUPT,
			"journal: %s", tail.why);
	}
	if (tail.end == JOURNAL_TORN) {
		rc = tail_archive(j, &tail, ret_repaired, err);
		if (rc != PAWL_OK)
			return rc;
	}
	rc = fs_replace_by_head(
		j->fs, j->dir, JOURNAL_EVENTS, j->fd, j->at.offset, err);
	if (rc == PAWL_OK)
		rc = fs_remove(j->fs, j->dir, JOURNAL_POISON, err);
	return rc == PAWL_OK ? fs_sync(j->fs, j->dir, err) : rc;
}

enum pawl_rc
journal_repair(struct journal *j, unsigned timeout_ms,
	struct journal_repaired *ret_repaired, struct pawl_err *err)
{
	struct journal_repaired repaired = { 0 };
	struct journal all;
	enum pawl_rc rc;

	assert(j->lock_fd < 0);
	journal_init(&all, j->fs, j->dir);
	rc = journal_lock(&all, timeout_ms, err);
	if (rc == PAWL_OK) {
		rc = journal_catch_up(&all, NULL, NULL, &repaired, err);
	} else if (err->code == ERR_POISONED) {
		rc = lock_exclusive(j->fs, j->dir, JOURNAL_LOCK, timeout_ms,
			&all.lock_fd, err);
		if (rc == PAWL_OK)
			rc = copy_good(&all, &repaired, err);
	}
	journal_close(&all);
	if (rc != PAWL_OK)
		return rc;
	/* The path may lead to another file now, all of which was synced. */
	fs_close(j->fs, &j->fd);
	j->failed = false;
	*ret_repaired = repaired;
	return PAWL_OK;
}
