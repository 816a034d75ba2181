/*
 * audit: is a run what it says it is?
 *
 * Reads everything: every line's chain, number and generation, the macs where
 * the run's key is at hand, the fold, the frozen inputs, the capsules of
 * coordinators and the artifacts that events name by digest, the projection,
 * the mark in active/.
 */
#ifndef PAWL_ENGINE_AUDIT_H
#define PAWL_ENGINE_AUDIT_H

#include "engine/run.h"

enum { AUDIT_FINDINGS_MAX = 100 };

struct audit_finding {
	enum pawl_code code;
	struct str message; /* one line */
	bool serious;       /* truth is damaged; otherwise a view */
};

VEC_DEF(audit_findings, struct audit_finding);

struct audit {
	uint64_t lines;
	char head[SHA256_HEX + 1]; /* chain of the last good line */
	uint64_t macs_good, macs_missing, macs_unchecked;
	uint64_t mac_missing_first;     /* line; 0: none is missing */
	bool chain_only;                /* no key: macs were not checked */
	struct audit_findings findings; /* texts in `mem` */
	struct arena mem;
};

/*
 * Look at a run; PAWL_OK whatever is found.  With `repair` a torn tail and a
 * poisoned journal are put in order, the projection and the mark are made anew.
 * Errors: ERR_RUN_NOT_FOUND, ERR_IO, ERR_NOT_PERMITTED, ERR_BUSY (repair).
 */
PAWL_MUST_CHECK enum pawl_rc audit_run(struct audit *ret_audit,
	const struct place *place, struct str id, bool repair,
	struct pawl_err *err);

/*
 * Fail as the first finding does that is serious, a poisoning aside: whoever
 * changes the run next sees to that.  Errors: those of audit_run.
 */
PAWL_MUST_CHECK enum pawl_rc audit_must_be_sound(
	const struct place *place, struct str id, struct pawl_err *err);

/* The same of an audit that was made. */
PAWL_MUST_CHECK enum pawl_rc audit_is_sound(
	const struct audit *a, struct pawl_err *err);

void audit_release(struct audit *a);

#endif
