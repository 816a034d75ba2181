#include "driver/orca_terminal.h"

enum { HANDLE_MAX = 256 };

/* The terminals of a worktree, and who says so. */
static bool
list_of(const struct orca_cli *cli, const struct orca_terminal *t,
	struct arena *mem, struct orca_reply *ret_reply,
	struct serve_failure *failure)
{
	const char *args[] = {
		arena_format(mem, "id:" STR_FMT, STR_ARG(t->worktree)).ptr
	};

	return orca_ask(cli, ORCA_TERMINAL_LIST, args, mem, ret_reply, failure);
}

static struct str
word_of(const struct json *v, const char *name)
{
	return json_str(json_get(v, str_from(name)));
}

bool
orca_terminal_find(const struct orca_cli *cli, const struct orca_terminal *t,
	struct arena *mem, enum orca_found *ret_found, struct str *ret_handle,
	struct serve_failure *failure)
{
	struct orca_reply reply = { .value = NULL };
	const struct json *v;

	*ret_found = ORCA_UNCLEAR;
	if (!list_of(cli, t, mem, &reply, failure)) {
		/* With its worktree orca has let all its terminals go. */
		if (failure->code != SERVE_NOT_FOUND)
			return false;
		*ret_found = ORCA_GONE;
		return true;
	}
	if (!str_eq(reply.runtime, t->runtime))
		return true;
	v = json_first(reply.value);
	for (uint32_t i = 0; i < reply.value->count; i++, v += v->span) {
		bool same = t->incarnation.len > 0
			? str_eq(word_of(v, "incarnationId"), t->incarnation)
			: str_eq(word_of(v, "handle"), t->handle) &&
				str_eq(word_of(v, "ptyId"), t->pty);

		if (!same || !str_eq(word_of(v, "worktreeId"), t->worktree))
			continue;
		*ret_handle = word_of(v, "handle");
		*ret_found = ret_handle->len > 0 ? ORCA_HERE : ORCA_UNCLEAR;
		return true;
	}
	*ret_found = reply.whole ? ORCA_GONE : ORCA_UNCLEAR;
	return true;
}

bool
orca_terminal_read(const struct orca_cli *cli, struct orca_terminal *t,
	struct str title, struct arena *mem, enum orca_found *ret_found,
	struct serve_failure *failure)
{
	struct orca_reply reply = { .value = NULL };
	const struct json *v, *found = NULL;
	uint32_t count = 0;

	if (!list_of(cli, t, mem, &reply, failure))
		return false;
	if (!str_eq(reply.runtime, t->runtime)) {
		return serve_fail(failure, SERVE_UNKNOWN,
			"another runtime of orca's answers");
	}
	v = json_first(reply.value);
	for (uint32_t i = 0; i < reply.value->count; i++, v += v->span) {
		if (!str_eq(word_of(v, "worktreeId"), t->worktree) ||
			(t->handle.len > 0
					? !str_eq(word_of(v, "handle"),
						  t->handle)
					: !str_eq(word_of(v, "title"), title)))
			continue;
		found = v;
		count++;
	}
	*ret_found = ORCA_GONE;
	if (count == 0 && reply.whole)
		return true;
	if (count != 1) {
		return serve_fail(failure, SERVE_UNKNOWN,
			"orca lists %u terminals where one is meant", count);
	}
	t->handle = word_of(found, "handle");
	t->incarnation = word_of(found, "incarnationId");
	t->pty = word_of(found, "ptyId");
	if (t->handle.len == 0 || t->handle.len > HANDLE_MAX ||
		t->incarnation.len > HANDLE_MAX || t->pty.len > HANDLE_MAX ||
		t->incarnation.len + t->pty.len == 0) {
		return serve_fail(failure, SERVE_UNKNOWN,
			"orca lists a terminal without an identity");
	}
	*ret_found = ORCA_HERE;
	return true;
}
