/*
 * index: read git's index file, to know what is in it without a process.
 *
 * Versions 2, 3 and 4, entries in path order:
 *
 *	offset  size  what (big-endian)
 *	0       12    "DIRC", version, number of entries
 *	then, for each entry:
 *	0       40    times, device, inode, mode (at 24), owner, group, size
 *	40      20|32 object name
 *	+       2     flags: 0x4000 two more bytes follow, 0x3000 stage
 *	+       n     path; NUL; in 2 and 3 padded to a multiple of 8 bytes, in
 *4 a count of bytes to drop from the path before, then the rest then
 *extensions: four letters, length, bytes; at the end a checksum
 *
 * Two extensions change what the entries mean: "link" (the rest is in another
 * file) and "sdir" (an entry can be a whole folder).  An index with one of
 *them, or of another version, is *not plain*: ask git instead. Source: git's
 *Documentation/gitformat-index, git 2.39.
 */
#ifndef PAWL_ENGINE_INDEX_H
#define PAWL_ENGINE_INDEX_H

#include "base/arena.h"
#include "base/vec.h"
#include "engine/git.h"

enum { INDEX_BYTES_MAX = 1 << 30, INDEX_OID_MAX = 32 };

struct index_entry {
	struct str path;            /* in the arena that was given */
	uint32_t mode;              /* 0100644, 0100755, 0120000, 0160000 */
	uint8_t stage;              /* 0; 1 to 3 in a conflict */
	uint8_t oid[INDEX_OID_MAX]; /* the rest is 0 in a SHA-1 repository */
};

VEC_DEF(index_entries, struct index_entry);

/* The name of its object, as text. */
struct oid index_oid(const struct index_entry *e, size_t oid_bytes);

/*
 * Read the entries of an index's bytes; `oid_bytes` is 20 or 32.
 *
 * `*ret_plain` is false, and there are no entries, for one that isn't plain.
 * Errors: ERR_CORRUPT when the bytes are no index.
 */
PAWL_MUST_CHECK enum pawl_rc index_parse(struct str bytes, size_t oid_bytes,
	struct arena *mem, struct index_entries *ret_entries, bool *ret_plain,
	struct pawl_err *err);

/* As index_parse, of a file; one that isn't there is plain and empty. */
PAWL_MUST_CHECK enum pawl_rc index_read(const char *path, size_t oid_bytes,
	struct arena *mem, struct index_entries *ret_entries, bool *ret_plain,
	struct pawl_err *err);

#endif
