/*
 * keeper: a process that keeps a lock of a run's and doesn't let it go.
 *
 * Locks die with their process, but a stopped one (SIGSTOP) keeps them for as
 * long as it stands: the journal's own, the turn that verbs take
 * (`logs/turn.lock`), the flight of an attempt (`logs/NODE@N.lock`).  Whoever
 * takes a run over by force ends exactly these: by a descriptor, after the
 * start time was compared, and only while the lock is still theirs.
 *
 * What the kernel doesn't tell (another pid namespace) is left alone.
 */
#ifndef PAWL_ENGINE_KEEPER_H
#define PAWL_ENGINE_KEEPER_H

#include "engine/run.h"

enum { KEEPERS_MAX = 16 };

/* Those that were killed. */
struct keepers {
	uint64_t pids[KEEPERS_MAX];
	uint32_t count;
};

/* Kill who holds the journal's lock; false when nobody was. */
bool keeper_kill(const struct run *r, struct keepers *killed);

/* Kill whoever is stopped and holds a turn or a flight of the run. */
void keepers_kill_stopped(const struct run *r, struct keepers *killed);

#endif
