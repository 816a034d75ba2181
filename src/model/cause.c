#include "model/cause.h"

#include <string.h>

#include "base/bounds.h"
#include "text/utf8.h"

enum { PROMPT_SHOWN = 200 }; /* bytes of a text in a sentence */

#define CAUSE_WORD(name, word) [name] = { word, sizeof(word) - 1 },
static const struct str words[] = { CAUSE_MAP(CAUSE_WORD) };

struct str
cause_word(enum cause_code code)
{
	return words[code];
}

struct str
cause_command(const struct state *s, const char *verb, struct str subject,
	const char *rest, struct arena *mem)
{
	return arena_format(mem, "pawl %s " STR_FMT "%s" STR_FMT "%s", verb,
		STR_ARG(s->run.run), subject.len > 0 ? "/" : "",
		STR_ARG(subject), rest);
}

struct str
cause_coordinator(const struct state *s)
{
	return s->coordinator_name.len > 0 ? s->coordinator_name : STR("ID");
}

struct str
cause_command_start(const struct state *s, uint32_t node, struct arena *mem)
{
	if (s->coordinator_name.len == 0)
		return cause_command(s, "run", STR(""), "", mem);
	return cause_command(s, "task dispatch", plan_id(s->plan, node),
		arena_format(
			mem, " --as " STR_FMT, STR_ARG(s->coordinator_name))
			.ptr,
		mem);
}

/* A word as a shell takes it. */
static struct str
shell_word(struct str s, struct arena *mem)
{
	const struct str plain =
		STR("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		    "0123456789_-./@:+,%");
	struct buf quoted = { 0 };
	struct str word;
	size_t i = 0;

	while (i < s.len && str_find(plain, s.ptr[i]) < plain.len)
		i++;
	if (i == s.len && s.len > 0)
		return s;
	buf_addc(&quoted, '\'');
	for (i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\'')
			buf_add(&quoted, STR("'\\''"));
		else
			buf_addc(&quoted, s.ptr[i]);
	}
	buf_addc(&quoted, '\'');
	word = arena_copy(mem, buf_str(&quoted));
	buf_release(&quoted);
	return word;
}

struct str
cause_command_new_run(const struct state *s, struct arena *mem)
{
	struct str list = shell_word(s->run.list, mem);

	return arena_format(mem, "pawl run " STR_FMT, STR_ARG(list));
}

struct str
cause_command_failed(const struct state *s, uint32_t node, struct str *ret_who,
	struct arena *mem)
{
	struct str rest;

	*ret_who = STR("whoever owns the list");
	if (s->coordinator_name.len == 0 ||
		s->nodes[node].grants >= BOUND_GRANTS)
		return cause_command_new_run(s, mem);
	*ret_who = STR("the coordinator");
	rest = arena_format(mem, " --action ACTION --note TEXT --as " STR_FMT,
		STR_ARG(s->coordinator_name));
	return cause_command(
		s, "task decide", plan_id(s->plan, node), rest.ptr, mem);
}

struct cause
cause_question(const struct state *s, uint32_t ask, struct arena *mem)
{
	const struct ask *q = &s->asks.items[ask];
	struct str id = state_ask_id(ask, mem);
	struct str head = utf8_cut(q->prompt, PROMPT_SHOWN);

	return (struct cause){ CAUSE_QUESTION, id, ask_kind_word(q->kind),
		arena_format(mem,
			"%s " STR_FMT " waits for an answer: " STR_FMT "%s",
			q->kind == ASK_ACT ? "act" : "question", STR_ARG(id),
			STR_ARG(head), head.len < q->prompt.len ? "…" : ""),
		q->kind == ASK_ACT ? STR("a human")
				   : STR("a human or the coordinator"),
		cause_command(s, "answer", id, " TEXT", mem) };
}

struct cause
cause_cleanup(const struct state *s, uint32_t cleanup, struct arena *mem)
{
	const struct cleanup *c = &s->cleanups.items[cleanup];
	struct str by = c->by, name = s->coordinator_name, rest = by;

	(void)str_cut(&rest, ':'); /* `coordinator:lead` */
	return (struct cause){ CAUSE_CLEANUP,
		state_attempt_id(s, c->attempt, mem), c->kind,
		arena_format(mem,
			"cleanup " STR_FMT " (" STR_FMT " " STR_FMT
			"), which " STR_FMT
			" registered, is open: it is finished or retained by"
			" a coordinator by name",
			STR_ARG(c->id), STR_ARG(c->kind), STR_ARG(c->target),
			STR_ARG(by)),
		STR("a coordinator by name"),
		name.len > 0
			? arena_format(mem,
				  "pawl task cleanup finish " STR_FMT
				  "/" STR_FMT " --as " STR_FMT,
				  STR_ARG(s->run.run), STR_ARG(c->id),
				  STR_ARG(name))
			: arena_format(mem,
				  "pawl task takeover " STR_FMT
				  " --as " STR_FMT,
				  STR_ARG(s->run.run),
				  STR_ARG(rest.len > 0 ? rest : STR("ID"))) };
}

/* The verb that takes an open delegation on.  One of an attempt that is being
 * judged, or has ended, isn't handed on any more. */
static const char *
delegation_verb(const struct state *s, const struct delegation *d)
{
	enum attempt_status parent = s->attempts.items[d->attempt].status;
	bool goes_on = parent == ATTEMPT_STARTED || parent == ATTEMPT_REPORTED;

	if (d->status == DELEGATION_REQUESTED)
		return goes_on ? "approve" : "reject";
	if (d->status == DELEGATION_APPROVED)
		return goes_on ? "start" : "release";
	return d->status == DELEGATION_STARTED ? "report" : "release";
}

/* The command with that verb; one that is released by a cleanup waits for it.
 */
static struct str
delegation_command(
	const struct state *s, uint32_t delegation, struct arena *mem)
{
	const struct delegation *d = &s->delegations.items[delegation];
	const char *verb = delegation_verb(s, d);
	bool releases = strcmp(verb, "release") == 0;
	uint32_t cleanup;

	if (releases && state_find_cleanup(s, d->cleanup, &cleanup) &&
		!is_cleanup_settled(&s->cleanups.items[cleanup])) {
		return arena_format(mem,
			"pawl task cleanup finish " STR_FMT "/" STR_FMT
			" --as " STR_FMT,
			STR_ARG(s->run.run), STR_ARG(d->cleanup),
			STR_ARG(cause_coordinator(s)));
	}
	return arena_format(mem,
		"pawl task delegate %s " STR_FMT "/" STR_FMT "%s --as " STR_FMT,
		verb, STR_ARG(s->run.run),
		STR_ARG(state_delegation_id(delegation, mem)),
		strcmp(verb, "reject") == 0 || (releases && d->cleanup.len == 0)
			? " --reason TEXT"
			: "",
		STR_ARG(cause_coordinator(s)));
}

struct cause
cause_delegation(const struct state *s, uint32_t delegation, struct arena *mem)
{
	const struct delegation *d = &s->delegations.items[delegation];
	struct str id = state_delegation_id(delegation, mem);
	struct str head = utf8_cut(d->purpose, PROMPT_SHOWN);
	struct str status = delegation_status_word(d->status);

	assert(is_delegation_open(d));
	return (struct cause){ CAUSE_DELEGATION, id, status,
		arena_format(mem,
			"delegation " STR_FMT " of " STR_FMT " is " STR_FMT
			": " STR_FMT "%s",
			STR_ARG(id),
			STR_ARG(state_attempt_id(s, d->attempt, mem)),
			STR_ARG(status), STR_ARG(head),
			head.len < d->purpose.len ? "…" : ""),
		STR("the coordinator"),
		delegation_command(s, delegation, mem) };
}
