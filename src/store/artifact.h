/*
 * artifact: bytes of a run under the name of their own digest.
 *
 * `artifacts/sha256/<64 hex>` in the run's directory: evidence, torn tails,
 * quarantined results, patches.  Made whole and synced, never changed; putting
 * the same bytes again makes sure that they are there, undamaged and synced.
 */
#ifndef PAWL_STORE_ARTIFACT_H
#define PAWL_STORE_ARTIFACT_H

#include "base/sha256.h"
#include "os/fs.h"

/* Make the directories of a new run, synced. */
PAWL_MUST_CHECK enum pawl_rc artifact_init(
	const struct fs *fs, int run_dir, struct pawl_err *err);

/* Store `bytes`; their digest in hex goes to `ret_digest`. */
PAWL_MUST_CHECK enum pawl_rc artifact_put(const struct fs *fs, int run_dir,
	struct str bytes, char ret_digest[SHA256_HEX + 1],
	struct pawl_err *err);

/*
 * Append the bytes of a digest to `to`, verified.
 * Errors: ERR_INVALID_ARGUMENT for what is no digest; ERR_FILE_NOT_FOUND;
 * ERR_DIGEST_MISMATCH; ERR_LIMIT for more than `max` bytes.
 */
PAWL_MUST_CHECK enum pawl_rc artifact_get(const struct fs *fs, int run_dir,
	struct str digest, size_t max, struct buf *to, struct pawl_err *err);

#endif
