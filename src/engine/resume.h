/*
 * resume: a named coordinator goes on, whatever has happened meanwhile.
 *
 * Its token is proved first.  Then everything is read: chain, signatures, fold,
 * frozen inputs, capsules and artifacts (engine/audit.h), the slots of reports
 * (engine/handed.h), and truth that is damaged refuses.  What can be mended is:
 * a torn tail is archived and cut, a poisoned journal is copied, a projection
 * that disagrees and the mark in active/ are made anew.  One commit says what
 * is new: the repair, another program, another process, another boot.  With
 * nothing new nothing is appended.
 */
#ifndef PAWL_ENGINE_RESUME_H
#define PAWL_ENGINE_RESUME_H

#include "engine/audit.h"
#include "engine/coordinator.h"

struct resumed {
	struct audit audit; /* as it was found; audit_release()d by who asked */
	bool recorded;      /* something was new: `coordinator_resumed` */
	bool projected;     /* the projection was made anew */
	uint64_t repaired_bytes; /* of a torn tail */
};

/*
 * Go on with an open run as who->name; sets run->gen and run->actor.
 *
 * Errors: those of coordinator_prove; ERR_CORRUPT, ERR_DIGEST_MISMATCH and
 * others of the first finding that is serious (ret->audit has all of them);
 * ERR_RESULT_SLOT; ERR_BUSY; those of the journal.
 */
PAWL_MUST_CHECK enum pawl_rc resume_run(struct run *r,
	const struct candidate *who, struct resumed *ret_resumed,
	struct pawl_err *err);

/* Would it be refused?  Writes nothing; `recorded` says whether it would. */
PAWL_MUST_CHECK enum pawl_rc resume_rehearse(struct run *r,
	const struct candidate *who, struct resumed *ret_resumed,
	struct pawl_err *err);

/* Are the bytes that an attempt was told those that were reserved? */
enum resume_capsule { CAPSULE_NONE, CAPSULE_GOOD, CAPSULE_CHANGED };
enum resume_capsule resume_capsule_of(const struct run *r, uint32_t attempt);

#endif
