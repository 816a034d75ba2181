/*
 * medium: on which device and kind of file system a state folder lies.
 *
 *	{"fs":"ext4","device":"8:1"}
 *
 * The file `medium` says where the folder lay when its locks were proven to be
 * real.  A folder that lies elsewhere now is proven again before anything is
 * written: what flock promises is the file system's to keep.
 */
#ifndef PAWL_ENGINE_MEDIUM_H
#define PAWL_ENGINE_MEDIUM_H

#include "base/err.h"
#include "os/fs.h"

enum {
	MEDIUM_WORD = 24, /* bytes of a word with its NUL */
};

struct medium {
	char fs[MEDIUM_WORD]; /* "ext4"; or the kernel's number: "0x794c7630" */
	char device[MEDIUM_WORD]; /* "8:1" */
};

/* What is true of an open directory; "unknown" where nobody tells. */
struct medium medium_measure(const struct fs *fs, int dir);

bool medium_eq(const struct medium *a, const struct medium *b);

/*
 * Read the file of `dir`; `*ret_found` is false when there is none, or none
 * that can be read as one: it is only ever compared, and then written anew.
 *
 * Errors: those of fs_read.
 */
PAWL_MUST_CHECK enum pawl_rc medium_read(const struct fs *fs, int dir,
	struct medium *ret_medium, bool *ret_found, struct pawl_err *err);

/* Write it, durably, as one step.  Errors: those of fs_replace. */
PAWL_MUST_CHECK enum pawl_rc medium_write(const struct fs *fs, int dir,
	const struct medium *medium, struct pawl_err *err);

#endif
