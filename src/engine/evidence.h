/*
 * evidence: is what is named as evidence really there?
 *
 * A claim is not a verdict, and a reference is only worth something when there
 * is something at its end.  By how it begins:
 *
 *	file:PATH    a regular file with bytes in it, by its path from the top
 *	             of the repository (without one: from the ledger's folder);
 *	             it lies below that, also when links are followed, and was
 *	             not written before the node's attempt began
 *	commit:OID   a commit of the repository, 7 digits at least
 *	sha256:HEX   an artifact beside the ledger that has this digest
 *	check:ID     an id without blanks; nothing here knows the check
 *	url:URL      with a scheme; nobody follows it
 *	             anything else is a sentence.  One that is a command line
 *and doesn't say how it ended proves nothing: `make check: exit 0`
 *
 * When an attempt began is known from a list of ours beside the ledger, by the
 * clock that gives files their times.  Without a line there (another program
 * set the node RUNNING, or the ledger was moved) nothing is provably old.
 */
#ifndef PAWL_ENGINE_EVIDENCE_H
#define PAWL_ENGINE_EVIDENCE_H

#include "engine/repo.h"
#include "os/fs.h"

enum {
	/* of an artifact that is made or verified */
	EVIDENCE_BYTES_MAX = 256 << 20,
	EVIDENCE_ATTEMPTS_MAX = 64 << 20, /* bytes of the list */
};

/* What references are looked up in. */
struct evidence_scope {
	const struct fs *fs;
	struct arena *mem;
	const struct repo *repo; /* NULL: there is none */
	const char *top;         /* what paths begin at; a real path */
	int base;                /* the folder of `artifacts/` */
	uint64_t began_ns;       /* when the attempt did; 0: not known */
};

/*
 * Errors, each for one reason: ERR_EVIDENCE_MISSING, ERR_EVIDENCE_EMPTY,
 * ERR_EVIDENCE_STALE, ERR_EVIDENCE_OUTSIDE, ERR_EVIDENCE_MISMATCH,
 * ERR_EVIDENCE_UNPROVEN; ERR_NEEDS_REPOSITORY; ERR_INVALID_ARGUMENT; ERR_GIT.
 */
PAWL_MUST_CHECK enum pawl_rc evidence_check(
	const struct evidence_scope *s, struct str ref, struct pawl_err *err);

/*
 * Note in the list `name` that an attempt of a node begins now.  The list is a
 * help: what can't be written is left out.
 */
void evidence_attempt_begins(const struct fs *fs, int dir, const char *name,
	struct str node, uint32_t attempt);

/* When it began, as nanoseconds since the epoch; 0: not known. */
uint64_t evidence_attempt_began(const struct fs *fs, int dir, const char *name,
	struct str node, uint32_t attempt);

#endif
