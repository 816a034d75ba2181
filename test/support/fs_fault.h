/*
 * fs_fault: another file system of which one operation fails.
 *
 * Number `left` from now, counted from 0 over operations of all kinds, fails
 * with an errno and does nothing; with FAULT_SHORT the next write from there on
 * does half of its bytes.  The others go through.  Operations are named as the
 * members of struct fs_ops.
 */
#ifndef PAWL_TEST_FS_FAULT_H
#define PAWL_TEST_FS_FAULT_H

#include "os/fs.h"

enum {
	FAULT_SHORT = -1, /* in place of an errno */
};

struct fs_fault {
	struct fs under;
	long left;         /* -1: none fails any more */
	int sys;           /* errno, or FAULT_SHORT */
	bool stays;        /* all from there on fail, too */
	const char *only;  /* count operations of this name; NULL: all */
	const char *fired; /* the name of the one that failed; NULL: none did */
};

/* `f` must live as long as the result. */
struct fs fs_fault_over(struct fs_fault *f);

#endif
