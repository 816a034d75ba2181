#include <errno.h>
#include <sys/epoll.h>
#include <sys/inotify.h>

#include "engine/asking.h"
#include "engine/cage.h"
#include "engine/ground.h"
#include "engine/handed.h"
#include "engine/outbox.h"

struct slot *
pilot_slot(struct pilot *p, uint32_t attempt)
{
	for (uint32_t i = 0; i < p->slot_count; i++) {
		if (p->slots[i].used && p->slots[i].attempt == attempt)
			return &p->slots[i];
	}
	return NULL;
}

static enum pawl_rc
monitor_ended(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct slot *slot = arg;

	(void)event;
	(void)err;
	slot->ended = true;
	loop_drop(&slot->pilot->loop, slot->source);
	slot->source = 0;
	return PAWL_OK;
}

static struct slot *
slot_free(struct pilot *p, uint32_t attempt)
{
	struct slot *slot = NULL;

	assert(pilot_slot(p, attempt) == NULL);
	for (uint32_t i = 0; slot == NULL && i < p->slot_count; i++) {
		if (!p->slots[i].used)
			slot = &p->slots[i];
	}
	assert(slot != NULL);
	return slot;
}

static enum pawl_rc
outbox_changed(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct slot *slot = arg;

	(void)err;
	slot->told = slot->told || asking_is_told(event);
	if (is_handed_in(slot->pilot, slot->attempt))
		slot->ended = true;
	return PAWL_OK;
}

static enum pawl_rc
deadline_passed(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct slot *slot = arg;

	(void)event;
	(void)err;
	slot->timer = 0;
	slot->ended = true;
	return PAWL_OK;
}

enum pawl_rc
pilot_watch_outbox(struct pilot *p, uint32_t attempt, uint32_t mask,
	struct loop_call call, uint64_t *ret_source, struct pawl_err *err)
{
	struct str id = pilot_attempt_id(p, attempt);
	const char *path = pilot_path(p, "outbox/" STR_FMT, STR_ARG(id));
	enum pawl_rc rc;

	mask |= IN_DONT_FOLLOW;
	rc = loop_watch(&p->loop, path, mask, call, ret_source, err);
	/* Its worker may have removed it, or put something in its place. */
	if (rc != PAWL_OK && err->sys == ENOENT) {
		rc = outbox_make(p->run->place->fs, p->run->dir, id, err);
		if (rc == PAWL_OK)
			rc = loop_watch(
				&p->loop, path, mask, call, ret_source, err);
	}
	return rc != PAWL_OK && err->sys == ENOTDIR ? PAWL_OK : rc;
}

enum pawl_rc
pilot_watch_host(
	struct pilot *p, uint32_t attempt, uint64_t at_ms, struct pawl_err *err)
{
	struct slot *slot = slot_free(p, attempt);
	enum pawl_rc rc;

	*slot = (struct slot){ .attempt = attempt,
		.used = true,
		.host = true,
		.told = true,
		.clock = is_attempt_asking(&p->run->state, attempt) ? SLOT_HELD
								    : SLOT_RUNS,
		.monitor = { .pidfd = -1, .gate = -1 },
		.pilot = p };
	rc = pilot_watch_outbox(p, attempt,
		IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE,
		(struct loop_call){ outbox_changed, slot }, &slot->source, err);
	if (rc == PAWL_OK)
		rc = loop_timer(&p->loop, at_ms,
			(struct loop_call){ deadline_passed, slot },
			&slot->timer, err);
	if (rc != PAWL_OK) {
		pilot_unwatch(p, slot);
		return rc;
	}
	/* What was there before the watch tells nobody. */
	slot->ended = is_handed_in(p, attempt);
	return PAWL_OK;
}

enum pawl_rc
pilot_watch_afar(
	struct pilot *p, uint32_t attempt, uint64_t at_ms, struct pawl_err *err)
{
	struct slot *slot = pilot_slot(p, attempt);
	enum pawl_rc rc;

	if (slot == NULL) {
		slot = slot_free(p, attempt);
		*slot = (struct slot){ .attempt = attempt,
			.used = true,
			.afar = true,
			.monitor = { .pidfd = -1, .gate = -1 },
			.pilot = p };
	}
	loop_drop(&p->loop, slot->timer);
	slot->timer = 0;
	slot->ended = false;
	rc = loop_timer(&p->loop, at_ms,
		(struct loop_call){ deadline_passed, slot }, &slot->timer, err);
	if (rc != PAWL_OK)
		pilot_unwatch(p, slot);
	return rc;
}

enum pawl_rc
pilot_watch(struct pilot *p, uint32_t attempt, bool checking,
	const struct monitor *m, struct pawl_err *err)
{
	struct slot *slot = slot_free(p, attempt);
	enum pawl_rc rc;

	*slot = (struct slot){ .attempt = attempt,
		.used = true,
		.checking = checking,
		.monitor = *m,
		.pilot = p };
	/* One that was adopted wrote its first line at any time before. */
	rc = m->gate < 0 ? PAWL_OK
			 : exit_size(p->run->place->fs, p->exits,
				   &slot->exits_from, err);
	if (rc == PAWL_OK)
		rc = loop_fd(&p->loop, m->pidfd, EPOLLIN,
			(struct loop_call){ monitor_ended, slot },
			&slot->source, err);
	if (rc == PAWL_OK && !checking)
		rc = asking_watch(p, slot, err);
	if (rc == PAWL_OK && !checking)
		rc = ground_watch(p, slot, err);
	if (rc != PAWL_OK) { /* the monitor stays the caller's */
		slot->monitor = (struct monitor){ .pidfd = -1, .gate = -1 };
		pilot_unwatch(p, slot);
	}
	return rc;
}

enum pawl_rc
pilot_open_gate(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum pawl_rc rc = monitor_open(&pilot_slot(p, attempt)->monitor, err);

	return rc != PAWL_OK && err->code == ERR_SPAWN ? PAWL_OK : rc;
}

enum pawl_rc
pilot_exit(struct pilot *p, uint32_t attempt, struct str name,
	const struct owner_id *id, struct exit_facts *ret_facts,
	struct pawl_err *err)
{
	struct exit_of of = {
		.name = name, .pid = id->pid, .start = id->start
	};
	struct slot *slot = pilot_slot(p, attempt);

	if (slot != NULL) {
		of.from = slot->exits_from;
		(void)monitor_reap(&slot->monitor);
		pilot_unwatch(p, slot);
	}
	cage_clean(p, arena_strdup(&p->mem, name));
	return exit_read(
		p->run->place->fs, p->exits, &of, &p->mem, ret_facts, err);
}

void
pilot_unwatch(struct pilot *p, struct slot *slot)
{
	loop_drop(&p->loop, slot->source);
	loop_drop(&p->loop, slot->outbox);
	loop_drop(&p->loop, slot->ground[0]);
	loop_drop(&p->loop, slot->ground[1]);
	loop_drop(&p->loop, slot->timer);
	monitor_close(&slot->monitor);
	*slot = (struct slot){ 0 };
}
