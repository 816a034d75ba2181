/*
 * format: the file that says that a folder is a state folder.
 *
 *	{"format":1,"pawl":"0.1.0","fs":"ext4","device":"8:1"}
 *
 * `fs` and `device` say where it lay when its locks were proven to be real; a
 * folder that has moved since is proven again before anything is written.
 * Unknown members are kept for later versions, and ignored.
 */
#ifndef PAWL_ENGINE_FORMAT_H
#define PAWL_ENGINE_FORMAT_H

#include "base/err.h"
#include "os/fs.h"

enum {
	FORMAT_VERSION = 1,
	FORMAT_WORD = 24, /* bytes of `fs` and `device` with their NUL */
};

#define FORMAT_NAME "format"

struct format {
	uint64_t version;
	char fs[FORMAT_WORD]; /* "ext4", or the kernel's number: "0x794c7630" */
	char device[FORMAT_WORD]; /* "8:1" */
};

/* What is true of an open directory now; "unknown" where nobody tells. */
struct format format_measure(const struct fs *fs, int dir);

/* Whether two lie on the same device and kind of file system. */
bool format_same_place(const struct format *a, const struct format *b);

/*
 * Read the file of `dir`.  `*ret_found` is false when there is none.
 *
 * Errors: ERR_CORRUPT with the byte; ERR_NEWER_FORMAT; those of fs_read.
 */
PAWL_MUST_CHECK enum pawl_rc format_read(const struct fs *fs, int dir,
	struct format *ret_format, bool *ret_found, struct pawl_err *err);

/* Write it, durably, as one step.  Errors: those of fs_replace. */
PAWL_MUST_CHECK enum pawl_rc format_write(const struct fs *fs, int dir,
	const struct format *format, struct pawl_err *err);

#endif
