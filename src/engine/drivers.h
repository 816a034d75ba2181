/*
 * drivers: what the core knows of a driver, whichever it is.
 *
 * A driver carries an attempt to its worker and says how it ended; it decides
 * nothing.  Each is a row of operations: two are built in, and one stands for
 * all that are programs of their own (engine/afar.h).  Their names stand in
 * model/capability.c and nowhere else; what depends on a driver asks one of
 * these operations, or for a capability.
 *
 *	reserved  begin → the record of `started` → open
 *	started   advance, until its end is recorded
 *	          released, before it is given up
 */
#ifndef PAWL_ENGINE_DRIVERS_H
#define PAWL_ENGINE_DRIVERS_H

#include "engine/cage.h"
#include "engine/pilot.h"

/* What stands before an attempt is recorded as started. */
struct begun {
	struct owner owner;     /* who is recorded; pid 0: no process of ours */
	struct monitor monitor; /* of that process */
	struct str refs;        /* JSON; empty: no program has it */
	struct strs degraded;   /* what the attempt does without */
	struct confined confined; /* its worker, as the driver has it */
	bool unsure; /* after a failure: it may be there, and is asked for
		      * again under the same identity */
};

struct driver {
	/* Kind of what its attempts own until it is proven gone; NULL: they
	 * own nothing. */
	const char *cleanup;
	/*
	 * All that must stand before anything of the worker's may run.  A
	 * failure means that nothing will, unless it is `unsure`.
	 */
	enum pawl_rc (*begin)(struct pilot *p, uint32_t attempt,
		struct begun *ret_begun, struct pawl_err *err);
	/* It is recorded: let the worker start, and watch it. */
	enum pawl_rc (*open)(struct pilot *p, uint32_t attempt,
		struct begun *begun, struct pawl_err *err);
	/* It could not be recorded; who recovers it begins again. */
	void (*drop)(struct begun *begun);
	/* Propose how what `begin` may have made is gone: it never started. */
	enum pawl_rc (*undone)(
		struct pilot *p, uint32_t attempt, struct pawl_err *err);
	/* One that started and isn't watched, or has ended under our eyes: take
	 * in what there is, record its end, or watch it. */
	enum pawl_rc (*advance)(
		struct pilot *p, uint32_t attempt, struct pawl_err *err);
	/*
	 * Before a live one is given up: propose that nothing of it runs.
	 * Errors: ERR_CLEANUP_BLOCKED while something may.
	 */
	enum pawl_rc (*released)(
		struct pilot *p, uint32_t attempt, struct pawl_err *err);
};

/* By name, as an event has it; a program for all that aren't built in. */
const struct driver *driver_named(struct str name);
const struct driver *driver_of(const struct attempt *a);

/* Of what a pilot reserves. */
struct str driver_name_of(const struct pilot *p);

#endif
