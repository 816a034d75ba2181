/*
 * ledger_capsule_code: the letters of a capsule; private to its writer and its
 * reader.  Each table is a string in the order of its enum.
 */
#ifndef PAWL_MODEL_LEDGER_CAPSULE_CODE_H
#define PAWL_MODEL_LEDGER_CAPSULE_CODE_H

#include "model/ledger_capsule.h"

#define CAPSULE_STATUS_CODES "PRUDFBAS"
#define CAPSULE_WALK_CODES "prudfbas"
#define CAPSULE_KIND_CODES "SXEVRYAMF"
#define CAPSULE_ROLE_CODES "mxwrth"
#define CAPSULE_ACCESS_CODES "rwxd"
#define CAPSULE_APPROVAL_CODES " qgn" /* the first is never written */
#define CAPSULE_CUT "\xe2\x80\xa6"    /* U+2026 */

enum {
	CAPSULE_VERSION = 1,
	CAPSULE_ATTEMPTS = 2, /* max_attempts when none is written */
	CAPSULE_SUM = 16,     /* digits of the checksum */
	CAPSULE_PERIOD = 8,   /* the longest walk that is written as k(...) */
};

/* The usual walk to a status, in capital letters. */
struct str capsule_walk(enum node_status s);

/* The character for a line. */
char capsule_mark(struct str line);

#endif
