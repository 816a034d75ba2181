/*
 * commits: a journal for tests, one call a step.
 */
#ifndef PAWL_TEST_COMMITS_H
#define PAWL_TEST_COMMITS_H

#include "store/journal.h"

#define COMMIT_AT STR("2026-11-30T11:24:23.123456Z")

/* Events whose one member holds `n` and so many bytes of text. */
struct str commit_events(struct buf *b, uint64_t n, size_t text);

/* Lock, catch up, append one commit of these events, unlock. */
PAWL_MUST_CHECK enum pawl_rc commit_one(
	struct journal *j, struct str events, struct pawl_err *err);

/* What a scan found: how many lines, and the sum of the events' numbers. */
struct commit_count {
	uint64_t lines, sum, bytes;
	struct journal_tail tail;
	struct journal_at at;
};

/* Scan a run's directory from the start. */
PAWL_MUST_CHECK enum pawl_rc commit_scan(const struct fs *fs, int dir,
	struct commit_count *ret_count, struct pawl_err *err);

/* The callback of commit_scan; `arg` is a struct commit_count. */
enum pawl_rc commit_counted(
	void *arg, const struct journal_line *line, struct pawl_err *err);

#endif
