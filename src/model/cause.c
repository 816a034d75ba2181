#include "model/cause.h"

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
	return (struct cause){ CAUSE_RUNNING,
		state_attempt_id(s, c->attempt, mem), STR("cleaning_up"),
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

struct cause
cause_delegation(const struct state *s, uint32_t delegation, struct arena *mem)
{
	/* The verb that takes it on from each status that is open. */
	static const char *const verbs[] = {
		[DELEGATION_REQUESTED] = "task delegate approve",
		[DELEGATION_APPROVED] = "task delegate start",
		[DELEGATION_STARTED] = "task delegate report",
		[DELEGATION_REPORTED] = "task delegate release",
	};
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
		cause_command(s, verbs[d->status], id, " --as ID", mem) };
}
