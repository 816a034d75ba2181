/*
 * seen: what a working folder holds, as long as nothing is written there.
 *
 * The tree of a folder is remembered beside the folder's fingerprint
 * (os/fingerprint.h); git is asked only when something may have been written
 * since it was asked last.  So that a process which only takes one step knows
 *it too, it stands beside the folder's index, as the target of a link:
 *
 *	<index>.seen -> BOOT:ENTRIES:DIGEST:TREE
 *
 * It counts within one boot and for whoever sees the same fingerprint; an old
 * one, or none, costs a look by git.  It is believed as the index is, which
 *lies where only pawl writes.
 *
 * A checkout that git itself moves from one tree to another is known, too,
 * without asking: seen_move_begin() before, seen_move_end() after.  Between the
 * two nothing else may have been written, which is proven: beside the paths
 * that the trees differ in the fingerprint is the same, and these paths hold
 * what the tree says, byte by byte.  Where that can't be shown (a filter makes
 * other bytes, for one), nothing is remembered and the next look asks git.
 */
#ifndef PAWL_ENGINE_SEEN_H
#define PAWL_ENGINE_SEEN_H

#include "engine/workspace.h"

enum {
	SEEN_MOVE_PATHS_MAX = 1000,    /* more are left to git */
	SEEN_MOVE_BYTES_MAX = 8 << 20, /* of one file */
};

/*
 * The tree of the folder that `repo` has for its top; a folder that was written
 * to a moment ago is given the moment that its times need to tell.
 *
 * Errors: as snapshot_take and settings_hold.
 */
PAWL_MUST_CHECK enum pawl_rc seen_take(struct pilot *p, const struct repo *repo,
	const char *index, struct oid *ret_tree, struct pawl_err *err);

struct seen_move {
	struct changes changes; /* released by seen_move_end() */
	struct fingerprint_paths paths;
	struct fingerprint beside; /* before the move */
	struct oid to;
	const char *index; /* of the workspace's snapshots */
};

/*
 * The folder, which holds `from` now, will be moved to the tree `to`.
 *
 * Errors: ERR_DIRTY_SCOPE when it holds something else; as seen_take.
 */
PAWL_MUST_CHECK enum pawl_rc seen_move_begin(struct pilot *p,
	const struct workspace *ws, const struct oid *to,
	struct seen_move *ret_move, struct pawl_err *err);

/* It was moved, or not: `moved`. */
void seen_move_end(struct pilot *p, const struct repo *repo,
	struct seen_move *move, bool moved);

#endif
