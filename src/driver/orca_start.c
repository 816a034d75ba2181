#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "driver/orca.h"
#include "driver/orca_attempt.h"
#include "driver/orca_terminal.h"

enum { CLAIM_MS = 15000, LOOK_MS = 50 };

/* One start that is under way. */
struct starting {
	const struct orca *orca;
	const struct serve_request *q;
	struct orca_attempt attempt;
	struct orca_cli cli;
	struct orca_terminal terminal;
	struct str path;  /* of the workspace */
	struct str title; /* of the terminal */
};

/* What makes it the same request, whoever asks. */
static bool
is_same(const struct json *a, const struct json *b)
{
	static const char *const names[] = { "retry_id", "attempt", "run",
		"workspace", "capsule", "prompt", "outbox", "profile",
		"deadline_ms" };
	struct buf text[2] = { { 0 }, { 0 } };
	bool same = true;

	for (size_t i = 0; same && i < sizeof(names) / sizeof(names[0]); i++) {
		const struct json *v[] = { json_get(a, str_from(names[i])),
			json_get(b, str_from(names[i])) };

		for (int k = 0; k < 2; k++) {
			struct json_writer w = { .out = &text[k] };

			buf_clear(&text[k]);
			if (v[k] != NULL)
				json_put(&w, v[k]);
		}
		same = str_eq(buf_str(&text[0]), buf_str(&text[1]));
	}
	buf_release(&text[0]);
	buf_release(&text[1]);
	return same;
}

static bool
is_command(const struct json *argv)
{
	const struct json *v;

	if (argv == NULL || argv->kind != JSON_ARRAY || argv->count == 0)
		return false;
	v = json_first(argv);
	for (uint32_t i = 0; i < argv->count; i++, v += v->span) {
		if (v->kind != JSON_STRING)
			return false;
	}
	return true;
}

/* Is it a request that can be kept? */
static bool
look_at(struct starting *s, struct serve_failure *failure)
{
	const struct json *root = s->q->root;
	struct str ignored;

	s->path = json_str(
		json_get(json_get(root, STR("workspace")), STR("path")));
	if (!serve_text(s->q, "attempt", &ignored, failure) ||
		!serve_text(s->q, "outbox", &ignored, failure))
		return false;
	if (!is_command(
		    json_get(json_get(root, STR("profile")), STR("argv"))) ||
		!str_starts(s->path, STR("/")) ||
		json_int(json_get(root, STR("deadline_ms"))) <= 0) {
		return serve_fail(failure, SERVE_INVALID,
			"a command, a workspace and a deadline must be there");
	}
	if (str_eq(json_str(json_get(root, STR("sandbox"))), STR("required"))) {
		return serve_fail(failure, SERVE_REFUSED,
			"a worker in a terminal of orca's isn't confined, as"
			" the run requires");
	}
	return true;
}

/* The intent, durable; or what was asked for before, which must be the same. */
static bool
keep_request(struct starting *s, struct serve_failure *failure)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	bool is = false, kept;

	if (s->attempt.request != NULL) {
		return is_same(s->attempt.request, s->q->root) ||
			serve_fail(failure, SERVE_CONFLICT,
				"this identity was asked for otherwise");
	}
	json_put(&w, s->q->root);
	kept = orca_file_once(
		&s->attempt, "request", buf_str(&text), &is, failure);
	buf_release(&text);
	if (kept && !is) {
		return serve_fail(failure, SERVE_UNKNOWN,
			"another process asks under this identity");
	}
	return kept;
}

/* The runtime, and the worktree that it has where the workspace is. */
static bool
find_place(struct starting *s, struct serve_failure *failure)
{
	struct arena *mem = s->q->mem;
	const char *args[] = {
		arena_format(mem, "path:" STR_FMT, STR_ARG(s->path)).ptr
	};
	struct orca_reply reply = { .value = NULL };
	bool down;

	if (!orca_cli_find(&s->cli, mem, failure) ||
		!orca_runtime(
			&s->cli, mem, &s->terminal.runtime, &down, failure))
		return false;
	if (!orca_ask(
		    &s->cli, ORCA_WORKTREE_SHOW, args, mem, &reply, failure)) {
		if (failure->code == SERVE_NOT_FOUND)
			failure->code = SERVE_REFUSED;
		return false;
	}
	s->terminal.worktree = json_str(json_get(reply.value, STR("id")));
	if (s->terminal.worktree.len == 0 ||
		s->terminal.worktree.len > ORCA_FILE_BYTES / 2 ||
		!str_eq(reply.runtime, s->terminal.runtime)) {
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"orca doesn't say which worktree '" STR_FMT "' is",
			STR_ARG(s->path));
	}
	return str_eq(json_str(json_get(reply.value, STR("path"))), s->path) ||
		serve_fail(failure, SERVE_CONTEXT_MISMATCH,
			"orca's worktree isn't at '" STR_FMT "'",
			STR_ARG(s->path));
}

/* For the shell of a terminal: one word, whatever stands in it. */
static void
put_quoted(struct buf *to, struct str word)
{
	buf_addc(to, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == '\'')
			buf_add(to, STR("'\\''"));
		else
			buf_addc(to, word.ptr[i]);
	}
	buf_addc(to, '\'');
}

static bool
create(struct starting *s, struct serve_failure *failure)
{
	struct arena *mem = s->q->mem;
	struct orca_reply reply = { .value = NULL };
	struct buf command = { 0 };
	const char *args[3];
	bool is;

	/* From here on there may be one. */
	if (!orca_file_once(&s->attempt, "asked", STR("1"), &is, failure))
		return false;
	buf_add(&command, STR("exec "));
	put_quoted(&command, str_from(s->orca->program));
	buf_add(&command, STR(" --hold "));
	put_quoted(&command, str_from(s->attempt.path));
	args[0] =
		arena_format(mem, "id:" STR_FMT, STR_ARG(s->terminal.worktree))
			.ptr;
	args[1] = arena_strdup(mem, s->title);
	args[2] = arena_strdup(mem, buf_str(&command));
	buf_release(&command);
	if (!orca_ask(&s->cli, ORCA_TERMINAL_CREATE, args, mem, &reply,
		    failure)) {
		if (failure->code == SERVE_NOT_FOUND)
			failure->code = SERVE_REFUSED;
		return false;
	}
	s->terminal.handle = json_str(json_get(reply.value, STR("handle")));
	return s->terminal.handle.len > 0 ||
		serve_fail(failure, SERVE_UNKNOWN,
			"orca doesn't say which terminal it made");
}

/* The terminal: one that is there by our title, or a new one. */
static bool
have_terminal(struct starting *s, bool claimed, struct serve_failure *failure)
{
	enum orca_found found = ORCA_GONE;

	if (!orca_terminal_read(&s->cli, &s->terminal, s->title, s->q->mem,
		    &found, failure))
		return false;
	if (found == ORCA_HERE)
		return true;
	if (claimed) {
		return serve_fail(failure, SERVE_UNKNOWN,
			"orca doesn't list the terminal that holds this"
			" attempt");
	}
	if (!create(s, failure))
		return false;
	if (!orca_terminal_read(&s->cli, &s->terminal, s->title, s->q->mem,
		    &found, failure)) {
		failure->code = SERVE_UNKNOWN;
		return false;
	}
	return found == ORCA_HERE ||
		serve_fail(failure, SERVE_UNKNOWN,
			"orca doesn't list the terminal that it made");
}

/* Wait until what runs there holds the attempt. */
static bool
await_holder(struct starting *s, struct orca_look *look,
	struct serve_failure *failure)
{
	for (int ms = 0; ms < CLAIM_MS; ms += LOOK_MS) {
		orca_attempt_look(&s->attempt, s->q->mem, look);
		if (look->life != ORCA_UNCLAIMED)
			return true;
		(void)poll(NULL, 0, LOOK_MS);
	}
	return serve_fail(failure, SERVE_REFUSED,
		"the terminal that orca made hasn't begun after %d s",
		CLAIM_MS / 1000);
}

static bool
keep_refs(struct starting *s, const struct orca_look *look,
	struct serve_failure *failure)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	bool is = false, kept;

	json_open(&w, '{');
	json_pair_str(&w, STR("key"), str_from(s->attempt.key));
	json_pair_str(&w, STR("runtime"), s->terminal.runtime);
	json_pair_str(&w, STR("worktree"), s->terminal.worktree);
	json_pair_str(&w, STR("terminal"), s->terminal.handle);
	json_pair_str(&w, STR("incarnation"), s->terminal.incarnation);
	json_pair_str(&w, STR("pty"), s->terminal.pty);
	json_pair_u64(&w, STR("pid"), (uint64_t)look->holder.pid);
	json_pair_u64(&w, STR("start"), look->holder.start);
	json_close(&w, '}');
	kept = text.len <= ORCA_FILE_BYTES &&
		orca_file_once(
			&s->attempt, ORCA_REFS, buf_str(&text), &is, failure);
	if (text.len > ORCA_FILE_BYTES)
		(void)serve_fail(failure, SERVE_UNKNOWN,
			"what orca says about its terminal is too long");
	buf_release(&text);
	return kept;
}

/*
 * It failed.  Where a terminal may have been made, "nothing was made" is true
 * only once none can hold the attempt any more.
 */
static bool
give_up(struct starting *s, struct serve_failure *failure)
{
	struct serve_failure other = { .code = SERVE_UNKNOWN };
	struct orca_reply reply = { .value = NULL };
	struct str handle = s->terminal.handle;
	const char *args[1];
	bool is = false;

	if (failure->code == SERVE_UNKNOWN ||
		orca_file(&s->attempt, "asked", s->q->mem).len == 0)
		return false;
	if (!orca_file_once(&s->attempt, ORCA_CLAIM, STR(ORCA_CLAIM_NEVER), &is,
		    &other) ||
		!is) {
		failure->code = SERVE_UNKNOWN;
		return false;
	}
	if (handle.len > 0) {
		args[0] = arena_strdup(s->q->mem, handle);
		if (!orca_ask(&s->cli, ORCA_TERMINAL_CLOSE, args, s->q->mem,
			    &reply, &other))
			failure->code = SERVE_REFUSED; /* a tab may be left */
	}
	return false;
}

static bool
make(struct starting *s, struct serve_failure *failure)
{
	struct orca_look look;

	orca_attempt_look(&s->attempt, s->q->mem, &look);
	if (look.life == ORCA_NEVER) {
		return serve_fail(failure, SERVE_REFUSED,
			"the terminal of this attempt never began");
	}
	if (!find_place(s, failure))
		return false;
	return have_terminal(s, look.life != ORCA_UNCLAIMED, failure) &&
		await_holder(s, &look, failure) && keep_refs(s, &look, failure);
}

static void
put_answer(const struct starting *s, struct str refs, struct json_writer *w)
{
	const struct json *profile =
		json_get(s->attempt.request, STR("profile"));

	json_key(w, STR("refs"));
	json_put_raw(w, refs);
	json_pair_str(w, STR("gate"), STR("closed"));
	json_key(w, STR("profile"));
	json_open(w, '{');
	json_pair_str(w, STR("name"), json_str(json_get(profile, STR("name"))));
	json_key(w, STR("argv"));
	json_put(w, json_get(profile, STR("argv")));
	json_close(w, '}');
	json_key(w, STR("placement"));
	json_open(w, '{');
	json_pair_str(w, STR("path"), s->path);
	json_close(w, '}');
	json_key(w, STR("sandbox"));
	json_put_raw(w, STR("{\"level\":\"off\",\"lacks\":[]}"));
	json_key(w, STR("degraded"));
	json_put_raw(w,
		STR("[{\"capability\":\"supervised_start\",\"alternative\":"
		    "\"a tracked terminal\",\"reason\":\"orca supervises its "
		    "own agents alone\"}]"));
}

bool
orca_start(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct starting s = { .orca = arg, .q = q, .attempt = { .dir = -1 } };
	struct str id, refs;
	char key[ORCA_KEY + 1];
	bool started = false;

	if (!serve_text(q, "retry_id", &id, failure) || !look_at(&s, failure))
		return false;
	if (s.orca->state == NULL)
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"PAWL_DRIVER_STATE names no folder");
	orca_key(id, key);
	s.title = arena_format(q->mem, "pawl " STR_FMT " %.12s",
		STR_ARG(json_str(json_get(q->root, STR("attempt")))), key);
	if (!orca_attempt_open(
		    s.orca->state, key, true, q->mem, &s.attempt, failure))
		return false;
	if (!keep_request(&s, failure))
		goto out;
	s.attempt.request = q->root; /* the same */
	refs = orca_file(&s.attempt, ORCA_REFS, q->mem);
	if (refs.len == 0 && !make(&s, failure)) {
		(void)give_up(&s, failure);
		goto out;
	}
	put_answer(&s, orca_file(&s.attempt, ORCA_REFS, q->mem), w);
	started = true;
out:
	orca_attempt_close(&s.attempt);
	return started;
}
