/*
 * dispatch: attempts begun and given up by whoever coordinates by hand.
 *
 * Several nodes are reserved by one commit, all of them or none, decided as the
 * autopilot's are; then each is started.  A crash leaves reservations, of which
 * nothing ran: the same call with the same key goes on from there, and so does
 * dispatch_recover(), under the same identity.
 */
#ifndef PAWL_ENGINE_DISPATCH_H
#define PAWL_ENGINE_DISPATCH_H

#include "engine/pilot.h"

enum { DISPATCH_NODES_MAX = 1024 };

struct dispatch_spec {
	const struct str *nodes;
	size_t count;
	struct str key; /* of the commit; or empty */
	bool defer;     /* reserve only */
};

struct dispatched {
	uint32_t attempts[DISPATCH_NODES_MAX];
	size_t count;
	bool again; /* the key did it before */
};

/*
 * Errors: ERR_INVALID_ID for an empty or malformed id, ERR_NODE_NOT_FOUND,
 * ERR_INVALID_ARGUMENT for one named twice, ERR_LIMIT; those of a reservation;
 * ERR_KEY_CONFLICT, ERR_KEY_EXPIRED.  An attempt that could not start is in the
 * answer, as start_failed.
 */
PAWL_MUST_CHECK enum pawl_rc dispatch_nodes(struct pilot *p,
	const struct dispatch_spec *spec, struct dispatched *ret_dispatched,
	struct pawl_err *err);

/* Would it be done, each node by itself?  Of an open run; writes nothing. */
PAWL_MUST_CHECK enum pawl_rc dispatch_rehearse(
	struct run *r, const struct dispatch_spec *spec, struct pawl_err *err);

/*
 * Go on from a reservation.  `*ret_again` is true for one that had started.
 * Errors: ERR_ATTEMPT_STATE for one that ended, or whose place changed since.
 */
PAWL_MUST_CHECK enum pawl_rc dispatch_recover(struct pilot *p, uint32_t attempt,
	bool *ret_again, struct pawl_err *err);

/*
 * Give an attempt up: what it owned is proven gone, its changes are kept as a
 * patch and undone.  `*ret_again` is true when that was said before, in the
 * same words or under the same key, which may be empty.
 *
 * Errors: ERR_KEY_CONFLICT; ERR_CLEANUP_BLOCKED while a process of it lives, or
 * another cleanup is open; ERR_RUN_HELD when that can't be told from here;
 * ERR_ATTEMPT_STATE; ERR_INVALID_ARGUMENT without a reason.
 */
PAWL_MUST_CHECK enum pawl_rc dispatch_abandon(struct pilot *p, uint32_t attempt,
	struct str reason, struct str key, bool *ret_again,
	struct pawl_err *err);

/* Would it be given up?  Writes nothing; a process of it isn't looked for. */
PAWL_MUST_CHECK enum pawl_rc dispatch_rehearse_abandon(struct run *r,
	uint32_t attempt, struct str reason, struct pawl_err *err);

#endif
