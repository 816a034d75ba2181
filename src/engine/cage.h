/*
 * cage: what the worker of an attempt, or a check, may touch.
 *
 * Both read the repository, their workspace, the run's folder, the folders of
 * PATH and of the program that is started; both write a temporary folder of
 * their own and what the run names (`--read`, `--write`).  Besides, these
 * write:
 *
 *	worker		its outbox; unless its task only reads: in a worktree
 *			that, in place the folders of its scopes
 *	check		the whole tree that it runs in
 *
 * A file can't be granted so that a program may replace it by a rename: the
 * nearest folder is, and what is more than the scope is named in `widened`.
 * Git's folder and the state folder stay read-only inside of a granted one.
 *
 * A worker may use TCP, since agents need their model; a check has no network
 * but a loopback of its own, unless the run gives it one.
 *
 * With the level `off` there is no cage, and nothing is lacking.
 */
#ifndef PAWL_ENGINE_CAGE_H
#define PAWL_ENGINE_CAGE_H

#include "engine/pilot.h"
#include "engine/sandbox.h"

struct cage {
	enum sandbox_level level;
	struct sandbox box;  /* unless it is off */
	const char *temp;    /* of the child; NULL: as ours */
	struct strs widened; /* folders below the repository; `.` is all */
};

/* How a worker or a check is confined, as the record has it. */
struct confined {
	struct str level;  /* empty: off */
	struct strs lacks; /* words of what isn't enforced */
	struct strs widened;
};

/* What a run asks of its cages. */
struct cage_wish {
	enum sandbox_level level;
	struct strs reads, writes; /* absolute */
	bool check_net;
};

/*
 * Would they be whole where we are?  Errors: ERR_SANDBOX_UNAVAILABLE when the
 * wish requires it; those of sandbox_make() for the wish's paths.
 */
PAWL_MUST_CHECK enum pawl_rc cage_rehearse(
	const struct cage_wish *wish, struct arena *mem, struct pawl_err *err);

/*
 * Make one, in the pilot's arena; drop with cage_drop().  Its temporary folder
 * is made with it, named as the child, and stays until cage_clean().
 *
 * Errors: ERR_SANDBOX_UNAVAILABLE; those of sandbox_make() and scratch_make().
 */
PAWL_MUST_CHECK enum pawl_rc cage_worker(struct pilot *p, uint32_t attempt,
	struct cage *ret_cage, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc cage_check(struct pilot *p, const char *name,
	const char *program, const char *tree, struct cage *ret_cage,
	struct pawl_err *err);

/* Does the kernel hold it to its paths? */
bool cage_holds(const struct cage *cage);

/* Have the monitor's child live in it. */
void cage_put(const struct cage *cage, struct monitor_spec *spec);

struct confined cage_confined(struct pilot *p, const struct cage *cage);

/* Put it into an event, if the run has a level. */
void cage_tell(
	struct pilot *p, const struct confined *confined, struct event *e);

void cage_drop(struct cage *cage);

/* None of a run's children is left. */
void cage_clean_all(const struct run *run);

/* The child `name` is gone: so is its temporary folder, as far as it can be. */
void cage_clean(struct pilot *p, const char *name);

#endif
