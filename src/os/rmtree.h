/*
 * rmtree: delete a tree that we made, and nothing else.
 *
 * What may be deleted is a folder that holds a marker file with the bytes that
 * were recorded when it was made, and that has the device and inode that were
 * recorded.  It is named by its parent's path and one component, opened by
 * descriptor, and from then on every step is relative to a descriptor: links
 * are removed, never followed; a mount point below stops the deletion, a bind
 * mount too (by mount id); a folder that somebody moves away meanwhile stops it
 * as well, since the way up is compared with the way down.
 *
 * Some folders are never deleted, whatever the marker says: the file system's
 * root, and each of the caller's guards (a repository's top, its git folder)
 * with every folder above them.
 *
 * The marker goes last, so that a deletion that was cut short can be repeated.
 * Iterative, two descriptors at any depth.  Folders that were made read-only
 * inside the tree are made writable first; they are ours.  Nothing stronger is
 * ever tried: the first entry that can't be removed ends it, and is named.
 */
#ifndef PAWL_OS_RMTREE_H
#define PAWL_OS_RMTREE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum { RMTREE_MARKER_MAX = 4096, RMTREE_DEPTH_MAX = 65536 };

struct rmtree_spec {
	const char *parent;        /* absolute; itself no link */
	const char *name;          /* one component */
	const char *marker;        /* name of the marker file in it */
	struct str evidence;       /* the marker's bytes; not empty */
	uint64_t dev, inode;       /* of the folder */
	const char *const *guards; /* absolute, NULL-terminated; may be NULL */
};

/* A tree that was proven ours and is open. */
struct rmtree {
	int parent; /* descriptors; owned */
	int root;
	uint64_t dev, inode, mount;
	const char *name, *marker; /* the spec's */
};

/*
 * Prove that the folder is ours and open it; close with rmtree_close().
 *
 * An empty folder with the right device and inode counts as marked: it is what
 * is left when the deletion was cut short before its last step.
 * Errors: ERR_FILE_NOT_FOUND when it isn't there; ERR_UNSAFE_PATH when it isn't
 * provably ours or contains a guard; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc rmtree_open(const struct rmtree_spec *spec,
	struct rmtree *ret_tree, struct pawl_err *err);

/*
 * Delete one entry of the root with all below it; one that isn't there is no
 * failure.
 *
 * Errors: ERR_UNSAFE_PATH at a mount point or when the tree moved; ERR_IO with
 * the entry's path and the cause.
 */
PAWL_MUST_CHECK enum pawl_rc rmtree_entry(
	struct rmtree *tree, const char *name, struct pawl_err *err);

/* Delete all that is left and the folder itself.  Errors: as rmtree_entry. */
PAWL_MUST_CHECK enum pawl_rc rmtree_all(
	struct rmtree *tree, struct pawl_err *err);

void rmtree_close(struct rmtree *tree);

#endif
