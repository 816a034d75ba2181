#include "engine/asking.h"

#include <sys/inotify.h>

#include "base/bounds.h"
#include "engine/delegating.h"
#include "engine/outbox.h"
#include "engine/patience.h"
#include "model/ask_doc.h"
#include "text/utf8.h"

enum { MESSAGE_BYTES = 200 };

static bool
is_recorded(const struct state *s, uint32_t attempt, uint32_t number)
{
	const struct ask *q;
	uint32_t at;

	VEC_EACH (q, &s->asks) {
		if (q->attempt_1 == attempt + 1 && q->number == number)
			return true;
	}
	return state_asked_delegation(s, attempt, number, &at);
}

/* `number` is that of its message; 0: it stands in the report. */
static enum pawl_rc
propose_opened(struct pilot *p, uint32_t attempt, uint32_t number,
	const struct ask_doc *doc, struct pawl_err *err)
{
	struct command cmd = run_command(
		p->run, EV_QUESTION_OPENED, pilot_node_id(p, attempt), STR(""));
	struct event *e = &cmd.event;
	struct str id = pilot_attempt_id(p, attempt);

	EVENT_SET(e, F_QUESTION, question,
		state_ask_id((uint32_t)p->run->state.asks.count, &p->mem));
	EVENT_SET(e, F_KIND, kind, ask_kind_word(doc->kind));
	EVENT_SET(e, F_PROMPT, prompt, doc->text);
	EVENT_SET(e, F_BY, by,
		arena_format(&p->mem, "worker:" STR_FMT, STR_ARG(id)));
	EVENT_SET(e, F_ASKED, asked, id);
	if (number != 0)
		EVENT_SET(e, F_ASK, ask, number);
	return pilot_propose(p, &cmd, err);
}

enum message {
	MESSAGE_NONE,
	MESSAGE_OTHER, /* something lies there, and is neither of both */
	MESSAGE_ASKED,
};

static enum pawl_rc
take_one(struct pilot *p, int dir, uint32_t attempt, uint32_t number,
	enum message *ret_message, struct pawl_err *err)
{
	char name[OUTBOX_NAME_BYTES];
	struct str id = pilot_attempt_id(p, attempt);
	struct buf bytes = { 0 };
	struct delegation_intent intent;
	struct ask_doc doc;
	struct pawl_err why;
	bool found = false, is_doc, is_intent;
	enum pawl_rc rc;

	outbox_ask_name(number, name);
	rc = outbox_take(p->run->place->fs, dir, name, ASK_DOC_BYTES, &bytes,
		&found, &why);
	found = rc == PAWL_OK && found;
	is_doc = found &&
		ask_doc_read(&p->mem, buf_str(&bytes), id, &doc, &why) ==
			PAWL_OK;
	is_intent = found && !is_doc &&
		delegation_intent_read(
			&p->mem, buf_str(&bytes), id, &intent, &why) == PAWL_OK;
	buf_release(&bytes);
	if (rc == PAWL_EIO)
		return pawl_fail(err, why.code, "%s", why.msg);
	*ret_message = rc == PAWL_OK && !found ? MESSAGE_NONE : MESSAGE_OTHER;
	if (is_intent)
		return delegating_take(p, attempt, number, &intent, err);
	if (!is_doc)
		return PAWL_OK;
	*ret_message = MESSAGE_ASKED;
	return propose_opened(p, attempt, number, &doc, err);
}

enum pawl_rc
asking_take(struct pilot *p, uint32_t attempt, uint32_t *ret_opened,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	enum message message = MESSAGE_OTHER;
	int dir = -1;
	enum pawl_rc rc = outbox_enter(
		fs, p->run->dir, pilot_attempt_id(p, attempt), &dir, err);

	*ret_opened = 0;
	if (rc == PAWL_ENOENT || (rc != PAWL_OK && is_outbox_spoilt(err)))
		return PAWL_OK; /* nobody asks from there */
	for (uint32_t n = 1;
		rc == PAWL_OK && message != MESSAGE_NONE && n <= BOUND_ASKS;
		n++) {
		if (is_recorded(&p->run->state, attempt, n))
			continue;
		rc = take_one(p, dir, attempt, n, &message, err);
		*ret_opened += rc == PAWL_OK && message == MESSAGE_ASKED;
	}
	fs_close(fs, &dir);
	return rc;
}

enum pawl_rc
asking_turn(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < p->slot_count; i++) {
		struct slot *slot = &p->slots[i];
		uint32_t opened;

		if (!slot->used || !slot->told)
			continue;
		slot->told = false;
		/* What it asked before its end is taken in with that. */
		if (slot->ended)
			continue;
		rc = asking_take(p, slot->attempt, &opened, err);
		if (rc == PAWL_OK)
			rc = pilot_commit(p, err);
		/* What it would delegate may have been answered at once. */
		if (rc == PAWL_OK)
			rc = delegating_deliver_all(p->run, err);
	}
	return rc;
}

/* A worker may say in its report what it has asked before. */
static bool
is_asked(const struct state *s, uint32_t attempt, struct str prompt)
{
	const struct ask *q;

	VEC_EACH (q, &s->asks) {
		if (q->attempt_1 == attempt + 1 && str_eq(q->prompt, prompt))
			return true;
	}
	return false;
}

uint32_t
asking_reported(
	const struct pilot *p, uint32_t attempt, const struct result *result)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < result->questions_count; i++)
		count += !is_asked(
			&p->run->state, attempt, result->questions[i]);
	return count;
}

enum pawl_rc
asking_take_reported(struct pilot *p, uint32_t attempt,
	const struct result *result, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < result->questions_count;
		i++) {
		struct ask_doc doc = { .kind = ASK_QUESTION,
			.text = result->questions[i] };

		if (!is_asked(&p->run->state, attempt, doc.text))
			rc = propose_opened(p, attempt, 0, &doc, err);
	}
	return rc;
}

bool
asking_is_told(const struct loop_event *event)
{
	return str_starts(event->name, STR("ask-")) ||
		(event->events & IN_Q_OVERFLOW) != 0;
}

static enum pawl_rc
on_outbox(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct slot *slot = arg;

	(void)err;
	slot->told = slot->told || asking_is_told(event);
	return PAWL_OK;
}

enum pawl_rc
asking_watch(struct pilot *p, struct slot *slot, struct pawl_err *err)
{
	slot->told = true;
	return pilot_watch_outbox(p, slot->attempt, IN_CREATE | IN_MOVED_TO,
		(struct loop_call){ on_outbox, slot }, &slot->outbox, err);
}

bool
asking_waits(const struct pilot *p, uint32_t attempt, bool handed_in)
{
	const struct attempt *a = &p->run->state.attempts.items[attempt];

	return !handed_in && a->status == ATTEMPT_STARTED &&
		p->run->state.nodes[a->node].questions > 0;
}

struct str
asking_message(struct pilot *p, uint32_t attempt)
{
	const struct state *s = &p->run->state;
	uint32_t at;

	if (!state_open_ask(s, pilot_attempt(p, attempt)->node, &at))
		return STR("");
	return arena_format(&p->mem, "q%u: " STR_FMT, at + 1,
		STR_ARG(utf8_cut(s->asks.items[at].prompt, MESSAGE_BYTES)));
}

enum pawl_rc
asking_answer(struct run *r, uint32_t ask, const struct asking_answer *a,
	bool *ret_again, struct pawl_err *err)
{
	struct command cmd = run_command(r, EV_QUESTION_ANSWERED,
		plan_id(&r->plan, r->state.asks.items[ask].node), STR(""));
	struct event *e = &cmd.event;
	struct act act = a->act;
	struct buf request = { 0 };
	struct json_writer w = { .out = &request };
	const struct ask *q;
	enum pawl_rc rc;

	cmd.actor = a->actor;
	EVENT_SET(e, F_QUESTION, question, state_ask_id(ask, &r->mem));
	if (a->denied)
		EVENT_SET(e, F_DECISION, decision, STR("denied"));
	EVENT_SET(e, F_ANSWER, answer, a->text);
	EVENT_SET(e, F_BY, by, a->by);
	EVENT_SET(e, F_ASSURANCE, assurance, a->assurance);
	event_write(&w, e);
	act.request = buf_str(&request);
	rc = act_commit(r, &cmd, &act, ret_again, err);
	buf_release(&request);
	if (rc == PAWL_OK || err->code != ERR_QUESTION_ANSWERED)
		return rc;
	q = &r->state.asks.items[ask];
	if (!str_eq(q->answer, a->text) || !str_eq(q->answered_by, a->by) ||
		(q->status == ASK_DENIED) != a->denied)
		return rc;
	*ret_again = true;
	return act_sync(r, &act, err);
}

enum pawl_rc
asking_deliver(const struct run *r, uint32_t ask, struct pawl_err *err)
{
	const struct ask *q = &r->state.asks.items[ask];
	struct arena mem = ARENA_INIT;
	struct buf bytes = { 0 };
	int dir = -1;
	enum pawl_rc rc = PAWL_OK;

	if (q->attempt_1 != 0 && is_ask_answered(q)) {
		struct str name = arena_format(&mem, STR_FMT ".json",
			STR_ARG(state_ask_id(ask, &mem)));

		ask_answer_write(&r->state, ask, &mem, &bytes);
		rc = outbox_enter_answers(r->place->fs, r->dir,
			state_attempt_id(&r->state, q->attempt_1 - 1, &mem),
			&dir, err);
		if (rc == PAWL_OK)
			rc = fs_replace(r->place->fs, dir, name.ptr,
				buf_str(&bytes), FS_DURABLE, err);
		patience_tell(r, q->attempt_1 - 1);
	}
	fs_close(r->place->fs, &dir);
	buf_release(&bytes);
	arena_reset(&mem);
	return rc;
}

static bool
is_delivered(const struct run *r, uint32_t ask)
{
	const struct ask *q = &r->state.asks.items[ask];
	struct arena mem = ARENA_INIT;
	struct str name = arena_format(&mem,
		"outbox/" STR_FMT "/" OUTBOX_ANSWERS "/" STR_FMT ".json",
		STR_ARG(state_attempt_id(&r->state, q->attempt_1 - 1, &mem)),
		STR_ARG(state_ask_id(ask, &mem)));
	bool delivered = !fs_is_absent(r->place->fs, r->dir, name.ptr);

	arena_reset(&mem);
	return delivered;
}

enum pawl_rc
asking_deliver_all(const struct run *r, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < r->state.asks.count; i++) {
		const struct ask *q = &r->state.asks.items[i];

		if (is_ask_answered(q) && q->attempt_1 != 0 &&
			is_attempt_live(
				&r->state.attempts.items[q->attempt_1 - 1]) &&
			!is_delivered(r, i))
			rc = asking_deliver(r, i, err);
		/* A view: who spoilt the place of an answer goes without. */
		if (rc != PAWL_OK &&
			(rc == PAWL_ENOENT || is_outbox_spoilt(err)))
			rc = PAWL_OK;
	}
	return rc == PAWL_OK ? delegating_deliver_all(r, err) : rc;
}
