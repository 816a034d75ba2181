/*
 * brood: the worker and everything that came from it.
 *
 * The monitor is the subreaper of all its descendants: a process whose parent
 * ends becomes its child, also after setsid() or a double fork.  So it has no
 * child exactly when nothing that it started lives, and only the kernel's word
 * for that (ECHILD) is taken.
 *
 * As long as the worker isn't reaped its id is its own, and its group can be
 * signalled at once; everybody else is signalled one by one, by id and start
 * time.
 */
#ifndef PAWL_CHILD_BROOD_H
#define PAWL_CHILD_BROOD_H

#include <stdbool.h>
#include <sys/types.h>

#include "os/tree.h"

struct brood {
	pid_t worker; /* 0 before the start; leads its group */
	bool ended;   /* the worker, and it is reaped */
	int status;   /* of the worker, as wait(2), when it ended */
	bool alone;   /* nothing lives below us */
};

/* Take in everyone who ended. */
void brood_reap(struct brood *b);

void brood_signal(const struct brood *b, int signo);

/* KILL and reap, a few times over without a pause; see `alone` after it. */
void brood_kill(struct brood *b);

/* Append those that live now. */
void brood_living(struct tree *to);

#endif
