/*
 * token: what a named coordinator shows to be who it says.
 *
 * `<keys>/<run>.as/<ID>`, beside the runs' keys and outside of all that a
 * worker may read; the folder is 0700, the file 0600 and one line:
 *
 *	<64 hex, random> <generation>
 *
 * The journal holds the SHA-256 of that line.  A verb reads the file by the
 * name that it was told, and looks for no other.  The tokens of generations
 * that have ended stay, so that their owners hear so.
 */
#ifndef PAWL_ENGINE_TOKEN_H
#define PAWL_ENGINE_TOKEN_H

#include "base/rand.h"
#include "base/sha256.h"
#include "engine/run.h"

enum { TOKEN_TEXT = SHA256_HEX + 1 + 20 };

struct token {
	char text[TOKEN_TEXT + 1]; /* the line, without LF */
	char sha256[SHA256_HEX + 1];
	uint64_t gen;
};

struct token token_new(struct rand *rand, uint64_t gen);

/* Make it the one of `name`, durable. */
PAWL_MUST_CHECK enum pawl_rc token_save(const struct run *r, struct str name,
	const struct token *token, struct pawl_err *err);

/*
 * Read the one of `name`.
 *
 * Errors: ERR_FILE_NOT_FOUND; ERR_INVALID_ID; ERR_NOT_PERMITTED when it or its
 * folder belongs to another user, or others may look into it; ERR_UNSAFE_PATH
 * for a link; ERR_WRONG_TOKEN for what no version wrote.
 */
PAWL_MUST_CHECK enum pawl_rc token_load(const struct run *r, struct str name,
	struct token *ret_token, struct pawl_err *err);

#endif
