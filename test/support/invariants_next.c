#include "invariants_next.h"

#include <string.h>

#include "model/next.h"
#include "model/registered.h"
#include "model/rework.h"

/* What a command of `next` is taken apart into. */
struct told {
	struct str verb;    /* `task grade`, `approve` */
	struct str subject; /* without its run */
	struct str rest;    /* what stands behind it */
};

static bool
has_word(struct str text, const char *word)
{
	struct str rest = text;

	while (rest.len > 0) {
		if (str_eq(str_cut(&rest, ' '), str_from(word)))
			return true;
	}
	return false;
}

/* `pawl VERB... RUN/SUBJECT REST` */
static struct told
told_of(const struct state *s, struct str command)
{
	struct str rest = str_part(command, 5, command.len);
	struct told told = { .verb = rest };

	while (rest.len > 0) {
		size_t verb_len = (size_t)(rest.ptr - told.verb.ptr);
		struct str word = str_cut(&rest, ' ');

		if (!str_starts(word, s->run.run))
			continue;
		told.verb.len = verb_len > 0 ? verb_len - 1 : 0;
		told.subject = str_part(word, s->run.run.len + 1, word.len);
		told.rest = rest;
		return told;
	}
	rest = told.verb; /* `explain NODE` */
	told.verb = str_cut(&rest, ' ');
	return told;
}

/* The event that each verb proposes. */
static const struct verb {
	const char *verb;
	const char *with; /* a word behind the subject, or NULL */
	enum event_type type;
	const char *word; /* as fixture_command_word() takes it */
} verbs[] = {
	{ "task dispatch", NULL, EV_ATTEMPT_RESERVED, NULL },
	{ "task recover attempt", NULL, EV_ATTEMPT_STARTED, NULL },
	{ "task check", NULL, EV_CHECK_STARTED, NULL },
	{ "task integrate", NULL, EV_INTEGRATED, NULL },
	{ "task grade", "pass", EV_NODE_GRADED, "pass" },
	{ "task grade", "fail", EV_NODE_GRADED, "fail" },
	{ "task grade", "blocked", EV_NODE_GRADED, "blocked" },
	{ "task grade", "unobserved", EV_NODE_GRADED, "unobserved" },
	{ "task repair", NULL, EV_ATTEMPT_REJECTED, NULL },
	{ "task audit-reject", NULL, EV_ATTEMPT_REJECTED, NULL },
	{ "task decide", NULL, EV_DECISION_RECORDED, NULL },
	{ "task delegate approve", NULL, EV_DELEGATION_APPROVED, NULL },
	{ "task delegate reject", NULL, EV_DELEGATION_REJECTED, NULL },
	{ "task delegate start", NULL, EV_DELEGATION_STARTED, NULL },
	{ "task delegate report", NULL, EV_DELEGATION_REPORTED, NULL },
	{ "task delegate release", NULL, EV_DELEGATION_RELEASED, NULL },
	{ "task cleanup finish", NULL, EV_CLEANUP_SETTLED, NULL },
	{ "task complete", "pass", EV_RUN_CLOSED, "pass" },
	{ "task complete", "partial", EV_RUN_CLOSED, "partial" },
	{ "task claim", NULL, EV_COORDINATOR_CLAIMED, NULL },
	{ "approve", NULL, EV_GATE_DECIDED, "granted" },
	{ "answer", NULL, EV_QUESTION_ANSWERED, NULL },
	{ "unblock", NULL, EV_NODE_UNBLOCKED, NULL },
	/* Whether these are accepted turns on the world, or on a document. */
	{ "task sync", NULL, EVENT_TYPE_COUNT, NULL },
	{ "task takeover", NULL, EVENT_TYPE_COUNT, NULL },
	{ "task amend-decision", NULL, EVENT_TYPE_COUNT, NULL },
	{ "run", NULL, EVENT_TYPE_COUNT, NULL },
	{ "watch", NULL, EVENT_TYPE_COUNT, NULL },
	{ "explain", NULL, EVENT_TYPE_COUNT, NULL },
};

static const struct verb *
verb_find(const struct told *told)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (str_eq(told->verb, str_from(verbs[i].verb)) &&
			(verbs[i].with == NULL ||
				has_word(told->rest, verbs[i].with)))
			return &verbs[i];
	}
	return NULL;
}

static struct str
last_attempt(struct run_fixture *f, uint32_t node)
{
	return f->s.nodes[node].attempt_1 == 0
		? plan_id(f->s.plan, node)
		: state_attempt_id(
			  &f->s, f->s.nodes[node].attempt_1 - 1, &f->mem);
}

/* What the event is about: the verb names a node, a thing, or the run. */
static struct str
about(struct run_fixture *f, const struct told *told, enum event_type type,
	uint32_t *ret_node)
{
	const struct state *s = &f->s;
	struct str gate = told->subject;
	uint32_t at, attempt = 0;

	*ret_node = UINT32_MAX;
	if (type == EV_RUN_CLOSED || type == EV_COORDINATOR_CLAIMED)
		return STR("");
	if (type == EV_GATE_DECIDED)
		return str_cut(&gate, '!');
	if (type == EV_QUESTION_ANSWERED) {
		for (at = 0; at < s->asks.count; at++) {
			if (str_eq(state_ask_id(at, &f->mem), told->subject))
				return plan_id(s->plan, s->asks.items[at].node);
		}
	}
	if (state_find_delegation(s, told->subject, &at))
		attempt = s->delegations.items[at].attempt + 1;
	else if (state_find_cleanup(s, told->subject, &at))
		attempt = s->cleanups.items[at].attempt + 1;
	else if (state_find_attempt(s, told->subject, &at))
		attempt = at + 1;
	if (attempt > 0) {
		*ret_node = s->attempts.items[attempt - 1].node;
		return state_attempt_id(s, attempt - 1, &f->mem);
	}
	if (!plan_find(s->plan, told->subject, ret_node))
		return told->subject;
	if (type == EV_NODE_UNBLOCKED || type == EV_DECISION_RECORDED)
		return told->subject;
	if (type == EV_ATTEMPT_RESERVED)
		return arena_format(&f->mem, STR_FMT "@%u",
			STR_ARG(told->subject),
			s->nodes[*ret_node].attempts + 1u);
	return last_attempt(f, *ret_node);
}

static void
reject(struct run_fixture *f, struct event *e, const struct told *told,
	uint32_t node)
{
	const struct attempt *a = state_last_attempt(&f->s, node);
	struct str rest = told->rest;

	EVENT_SET(e, F_HYPOTHESIS, hypothesis,
		STR("unlike all that was tried before"));
	EVENT_SET(e, F_REASON, reason,
		a->verdict == VERDICT_FAIL ? REJECTED_BY_CHECK
					   : REJECTED_BY_REPORT);
	if (!str_eq(told->verb, STR("task audit-reject")))
		return;
	EVENT_SET(e, F_REASON, reason, REJECTED_BY_AUDIT);
	(void)str_cut(&rest, ' '); /* `--finding` */
	e->findings = (struct strs){ arena_array(&f->mem, 1, struct str), 1 };
	e->findings.items[0] = str_cut(&rest, ' ');
	event_mark(e, F_FINDINGS);
}

/* The word in which what was named is released or settled. */
static void
settle(struct run_fixture *f, struct event *e, const struct told *told)
{
	const struct state *s = &f->s;
	enum cleanup_kind kind;
	const struct delegation *d;
	uint32_t at;

	if (e->type == EV_CLEANUP_SETTLED &&
		state_find_cleanup(s, told->subject, &at)) {
		e->cleanup = told->subject;
		e->status =
			cleanup_kind_from(s->cleanups.items[at].kind, &kind) &&
				is_cleanup_provable(kind)
			? STR("verified")
			: STR("done");
	}
	if (e->type < EV_DELEGATION_APPROVED ||
		e->type > EV_DELEGATION_RELEASED ||
		!state_find_delegation(s, told->subject, &at))
		return;
	e->delegation = told->subject;
	if (e->type == EV_DELEGATION_APPROVED)
		e->paths = s->delegations.items[at].paths;
	if (e->type != EV_DELEGATION_RELEASED)
		return;
	d = &s->delegations.items[at];
	e->status = d->status == DELEGATION_APPROVED ? DELEGATION_UNSTARTED
						     : DELEGATION_RETAINED;
	if (!state_find_cleanup(s, d->cleanup, &at))
		return;
	EVENT_SET(e, F_CLEANUP, cleanup, d->cleanup);
	e->status = cleanup_status_word(s->cleanups.items[at].status);
}

/* What the verb does about it before it proposes its event. */
static bool
is_settled_first(
	const struct run_fixture *f, enum event_type type, uint32_t node)
{
	const struct attempt *a;
	uint32_t cleanup;

	if (node == UINT32_MAX)
		return false;
	a = state_last_attempt(&f->s, node);
	if (type == EV_CHECK_STARTED)
		return is_attempt_checking(&f->s, a);
	if (type == EV_NODE_GRADED)
		return f->err.code == ERR_CLEANUP_PENDING &&
			!registered_first(&f->s, node, &cleanup);
	return type == EV_ATTEMPT_REJECTED && f->s.nodes[node].cleanups > 0 &&
		!registered_holds(&f->s, node, &cleanup);
}

const char *
invariants_next(struct run_fixture *f)
{
	const struct verb *verb;
	struct command cmd;
	struct next next;
	struct told told;
	uint32_t node;

	next_find(&f->s, true, &f->mem, &next);
	told = told_of(&f->s, next.command);
	verb = verb_find(&told);
	if (next.kind == NEXT_SYNC && f->s.live_attempts == 0 &&
		f->s.unreconciled == 0)
		return "next: a sync of nothing";
	if (next.kind == NEXT_NOTHING)
		return NULL;
	if (verb == NULL)
		return arena_format(&f->mem, "next: what is '" STR_FMT "'?",
			STR_ARG(next.command))
			.ptr;
	if (verb->type == EVENT_TYPE_COUNT)
		return NULL;
	cmd = fixture_command_word(f, verb->type,
		arena_strdup(&f->mem, about(f, &told, verb->type, &node)),
		verb->word);
	if (verb->type == EV_CHECK_STARTED && is_red_wanted(&f->s, node))
		EVENT_SET(&cmd.event, F_RED, red, true);
	if (verb->type == EV_ATTEMPT_REJECTED)
		reject(f, &cmd.event, &told, node);
	if (verb->type == EV_COORDINATOR_CLAIMED &&
		f->s.coordinator_for.len > 0)
		cmd.event.name = f->s.coordinator_for;
	if (verb->type == EV_NODE_GRADED)
		EVENT_SET(&cmd.event, F_REASON, reason, STR("it stands"));
	if (verb->type == EV_QUESTION_ANSWERED)
		cmd.event.question = told.subject;
	settle(f, &cmd.event, &told);
	if (decide(&f->s, &cmd, &f->err) == PAWL_OK ||
		is_settled_first(f, verb->type, node))
		return NULL;
	return arena_format(&f->mem, "next: '" STR_FMT "' is refused: %s",
		STR_ARG(next.command), f->err.msg)
		.ptr;
}
