#include "engine/owner_event.h"

#include <string.h>

void
owner_event_set(struct event *e, const struct owner *o, struct arena *mem)
{
	EVENT_SET(e, F_MACHINE, machine, arena_copy(mem, str_from(o->machine)));
	EVENT_SET(e, F_BOOT, boot, arena_copy(mem, str_from(o->boot)));
	EVENT_SET(e, F_PIDNS, pidns, o->pid_ns);
	EVENT_SET(e, F_PID, pid, (uint64_t)o->pid);
	EVENT_SET(e, F_START, start, o->start);
}

struct owner
owner_event_get(const struct owner_id *id)
{
	struct owner o = {
		.pid_ns = id->pidns, .pid = (pid_t)id->pid, .start = id->start
	};

	if (id->machine.len > 0 && id->machine.len <= OWNER_MACHINE_BYTES)
		memcpy(o.machine, id->machine.ptr, id->machine.len);
	if (id->boot.len > 0 && id->boot.len <= OWNER_BOOT_BYTES)
		memcpy(o.boot, id->boot.ptr, id->boot.len);
	return o;
}
