#include "engine/patience.h"

#include "engine/owner_event.h"
#include "model/wall.h"

static bool
has_asked(const struct state *s, uint32_t attempt)
{
	const struct ask *q;

	VEC_EACH (q, &s->asks) {
		if (q->attempt_1 == attempt + 1)
			return true;
	}
	return false;
}

static void
tell(const struct monitor *m, bool waits)
{
	if (waits)
		monitor_hold(m);
	else
		monitor_unhold(m);
}

void
patience_turn(struct pilot *p)
{
	const struct state *s = &p->run->state;

	if (s->asks.count == 0)
		return;
	for (uint32_t i = 0; i < p->slot_count; i++) {
		struct slot *slot = &p->slots[i];
		enum slot_clock clock;

		if (!slot->used || slot->checking || slot->afar ||
			slot->ended || !has_asked(s, slot->attempt))
			continue;
		clock = is_attempt_asking(s, slot->attempt) ? SLOT_HELD
							    : SLOT_RUNS;
		if (slot->clock == clock)
			continue;
		if (slot->host)
			slot->ended = true;
		else
			tell(&slot->monitor, clock == SLOT_HELD);
		slot->clock = clock;
	}
}

void
patience_tell(const struct run *r, uint32_t attempt)
{
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct owner owner, self;
	struct pawl_err ignored;
	struct monitor m;
	bool alive = false;

	if (a->status != ATTEMPT_STARTED || is_attempt_afar(a) ||
		is_attempt_unmonitored(a) ||
		owner_of(&owner_here, 0, &self, &ignored) != PAWL_OK)
		return;
	owner = owner_event_get(&a->monitor);
	if (owner_state(&owner_here, &self, &owner) != OWNER_ALIVE ||
		monitor_adopt(owner.pid, owner.start, &alive, &m, &ignored) !=
			PAWL_OK ||
		!alive)
		return;
	tell(&m, is_attempt_asking(&r->state, attempt));
	monitor_close(&m);
}

uint64_t
patience_waited_ms(const struct state *s, uint32_t attempt)
{
	struct str until = STR(""); /* as text these times sort */
	const struct ask *q;
	uint64_t waited_ms = 0;

	VEC_EACH (q, &s->asks) {
		struct str from = q->opened;

		if (q->attempt_1 != attempt + 1 || !is_ask_answered(q))
			continue;
		if (str_cmp(from, until) < 0)
			from = until;
		if (str_cmp(from, q->at) >= 0)
			continue;
		waited_ms += wall_between(from, q->at);
		until = q->at;
	}
	return waited_ms;
}
