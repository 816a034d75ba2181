/*
 * owner_event: a process as an event's fields name it, and back.
 */
#ifndef PAWL_ENGINE_OWNER_EVENT_H
#define PAWL_ENGINE_OWNER_EVENT_H

#include "model/state.h"
#include "os/owner.h"

/* Strings lie in `mem`. */
void owner_event_set(struct event *e, const struct owner *o, struct arena *mem);
struct owner owner_event_get(const struct owner_id *id);

#endif
