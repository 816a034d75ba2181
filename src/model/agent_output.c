#include "model/agent_output.h"

#include <string.h>

#include "text/utf8.h"

enum { MESSAGE_MAX = 200, SESSION_MAX = 128 };

/* What is counted, in the order in which it is told. */
enum count { COUNT_INPUT, COUNT_CACHED, COUNT_OUTPUT, COUNT_REASONING, COUNTS };

static const char *const count_words[COUNTS] = {
	[COUNT_INPUT] = "input",
	[COUNT_CACHED] = "cached",
	[COUNT_OUTPUT] = "output",
	[COUNT_REASONING] = "reasoning",
};

struct reading {
	struct agent_outcome *out;
	int64_t counts[COUNTS]; /* tokens */
	bool counted[COUNTS];
	struct str cost; /* US dollars, as it stands */
};

typedef void reader_fn(struct reading *r, const struct json *v);

static const struct json *
at(const struct json *v, const char *key)
{
	return json_get(v, str_from(key));
}

static bool
is_kind(const struct json *v, const char *type)
{
	return str_eq(json_str(at(v, "type")), str_from(type));
}

/* One more; a number that can't be one is none. */
static void
count(struct reading *r, enum count c, const struct json *n, bool more)
{
	int64_t had = more ? r->counts[c] : 0;

	if (n == NULL || n->kind != JSON_INT || n->n < 0 ||
		n->n > INT64_MAX - had)
		return;
	r->counts[c] = had + n->n;
	r->counted[c] = true;
}

static void
session(struct reading *r, const struct json *id)
{
	struct str s = json_str(id);

	if (s.len > 0 && s.len <= SESSION_MAX)
		r->out->session = s;
}

static void
ended(struct reading *r, bool well, struct str message)
{
	r->out->finished = well;
	r->out->message = well ? STR("") : message;
}

/* Several results may come; each replaces the one before. */
static void
claude(struct reading *r, const struct json *v)
{
	const struct json *usage = at(v, "usage"), *errors = at(v, "errors");
	const struct json *cost = at(v, "total_cost_usd");
	struct str message = json_str(at(v, "result"));

	session(r, at(v, "session_id"));
	if (!is_kind(v, "result"))
		return;
	if (message.len == 0 && errors != NULL && errors->kind == JSON_ARRAY)
		message = json_str(json_first(errors));
	if (message.len == 0)
		message = json_str(at(v, "subtype"));
	ended(r, !json_bool(at(v, "is_error")), message);
	count(r, COUNT_INPUT, at(usage, "input_tokens"), false);
	count(r, COUNT_INPUT, at(usage, "cache_creation_input_tokens"), true);
	count(r, COUNT_CACHED, at(usage, "cache_read_input_tokens"), false);
	count(r, COUNT_OUTPUT, at(usage, "output_tokens"), false);
	if (cost != NULL && cost->kind == JSON_REAL)
		r->cost = cost->text;
}

/* An `error` may be a notice; what counts is how the turn ended. */
static void
codex(struct reading *r, const struct json *v)
{
	const struct json *usage = at(v, "usage");

	if (is_kind(v, "thread.started")) {
		session(r, at(v, "thread_id"));
	} else if (is_kind(v, "error")) {
		r->out->message = json_str(at(v, "message"));
	} else if (is_kind(v, "turn.failed")) {
		ended(r, false, json_str(at(at(v, "error"), "message")));
	} else if (is_kind(v, "turn.completed")) {
		ended(r, true, STR(""));
		count(r, COUNT_INPUT, at(usage, "input_tokens"), false);
		count(r, COUNT_CACHED, at(usage, "cached_input_tokens"), false);
		count(r, COUNT_OUTPUT, at(usage, "output_tokens"), false);
		count(r, COUNT_REASONING, at(usage, "reasoning_output_tokens"),
			false);
	}
}

static void
cursor(struct reading *r, const struct json *v)
{
	const struct json *usage = at(v, "usage");

	session(r, at(v, "session_id"));
	if (!is_kind(v, "result"))
		return;
	ended(r, !json_bool(at(v, "is_error")), json_str(at(v, "result")));
	count(r, COUNT_INPUT, at(usage, "inputTokens"), false);
	count(r, COUNT_CACHED, at(usage, "cacheReadTokens"), false);
	count(r, COUNT_OUTPUT, at(usage, "outputTokens"), false);
}

static void
gemini(struct reading *r, const struct json *v)
{
	const struct json *stats = at(v, "stats"), *error = at(v, "error");

	session(r, at(v, "session_id"));
	if (error != NULL && !is_kind(v, "result"))
		r->out->message = json_str(at(error, "message"));
	if (!is_kind(v, "result"))
		return;
	ended(r, str_eq(json_str(at(v, "status")), STR("success")),
		json_str(at(error, "message")));
	count(r, COUNT_INPUT, at(stats, "input_tokens"), false);
	count(r, COUNT_CACHED, at(stats, "cached"), false);
	count(r, COUNT_OUTPUT, at(stats, "output_tokens"), false);
}

/* There is no last line: the last step says `stop`.  Each counts its own. */
static void
opencode(struct reading *r, const struct json *v)
{
	const struct json *part = at(v, "part");
	const struct json *tokens = at(part, "tokens");
	const struct json *error = at(v, "error");

	session(r, at(v, "sessionID"));
	if (is_kind(v, "error")) {
		struct str message = json_str(at(at(error, "data"), "message"));

		ended(r, false,
			message.len > 0 ? message
					: json_str(at(error, "name")));
	} else if (is_kind(v, "step_finish")) {
		ended(r, str_eq(json_str(at(part, "reason")), STR("stop")),
			STR(""));
		count(r, COUNT_INPUT, at(tokens, "input"), true);
		count(r, COUNT_CACHED, at(at(tokens, "cache"), "read"), true);
		count(r, COUNT_OUTPUT, at(tokens, "output"), true);
		count(r, COUNT_REASONING, at(tokens, "reasoning"), true);
	}
}

static reader_fn *const readers[] = {
	[AGENT_FORMAT_CLAUDE] = claude,
	[AGENT_FORMAT_CODEX] = codex,
	[AGENT_FORMAT_CURSOR] = cursor,
	[AGENT_FORMAT_GEMINI] = gemini,
	[AGENT_FORMAT_OPENCODE] = opencode,
};

/* By what it can be told that nobody is logged in: words, or a status. */
static const struct {
	enum agent_format format;
	const char *words;
	uint64_t code;
} logged_out[] = {
	{ AGENT_FORMAT_CLAUDE, "Not logged in", 0 },
	{ AGENT_FORMAT_CLAUDE, "/login", 0 },
	{ AGENT_FORMAT_CLAUDE, "Invalid API key", 0 },
	{ AGENT_FORMAT_CLAUDE, "authentication_error", 0 },
	{ AGENT_FORMAT_CODEX, "401 Unauthorized", 0 },
	{ AGENT_FORMAT_CODEX, "Not logged in", 0 },
	{ AGENT_FORMAT_CURSOR, "Authentication required", 0 },
	{ AGENT_FORMAT_GEMINI, NULL, 41 },
	{ AGENT_FORMAT_GEMINI, NULL, 145 }, /* the status 401, cut to a byte */
	{ AGENT_FORMAT_OPENCODE, "ProviderAuthError", 0 },
	{ AGENT_FORMAT_OPENCODE, "AI_LoadAPIKeyError", 0 },
};

enum { LOGGED_OUT = sizeof(logged_out) / sizeof(logged_out[0]) };

static bool
has_words(struct str text, const char *words)
{
	return words != NULL && text.len > 0 &&
		memmem(text.ptr, text.len, words, strlen(words)) != NULL;
}

/* The words may stand in its message, or in a line that is none of JSON. */
static bool
is_logged_out(enum agent_format format, struct str message, struct str plain,
	uint64_t code)
{
	for (size_t i = 0; i < LOGGED_OUT; i++) {
		if (logged_out[i].format != format)
			continue;
		if (has_words(message, logged_out[i].words) ||
			has_words(plain, logged_out[i].words) ||
			(logged_out[i].code != 0 && logged_out[i].code == code))
			return true;
	}
	return false;
}

static void
tell_usage(const struct reading *r, struct arena *mem, struct strs *ret_usage)
{
	ret_usage->items = arena_array(mem, COUNTS + 1, struct str);
	for (int i = 0; i < COUNTS; i++) {
		if (r->counted[i])
			ret_usage->items[ret_usage->count++] =
				arena_format(mem, "%s %lld", count_words[i],
					(long long)r->counts[i]);
	}
	if (r->cost.len > 0 && r->cost.len <= 32)
		ret_usage->items[ret_usage->count++] = arena_format(
			mem, "cost_usd " STR_FMT, STR_ARG(r->cost));
}

/* One line of text, cut at a character. */
static struct str
one_line(struct str s, struct arena *mem)
{
	struct str cut = utf8_cut(s, MESSAGE_MAX);
	char *line = arena_strdup(mem, cut);

	for (size_t i = 0; i < cut.len; i++) {
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f)
			line[i] = ' ';
	}
	return (struct str){ line, cut.len };
}

void
agent_output_read(enum agent_format format, struct str log, uint64_t code,
	struct arena *mem, struct agent_outcome *ret_outcome)
{
	struct agent_outcome out = { .message = STR("") };
	struct reading r = { .out = &out };
	struct buf plain = { 0 };
	struct str rest = log;

	if (format == AGENT_FORMAT_NONE)
		out.finished = code == 0;
	while (format != AGENT_FORMAT_NONE && rest.len > 0) {
		struct str line = str_trim(str_cut(&rest, '\n'));
		struct pawl_err ignored;
		const struct json *v;

		if (line.len == 0)
			continue;
		if (line.ptr[0] == '{' &&
			json_read(mem, arena_strdup(mem, line), line.len,
				JSON_KEEP_DUPLICATES, &v, &ignored) == PAWL_OK)
			readers[format](&r, v);
		else if (line.ptr[0] != '{')
			buf_addf(&plain, STR_FMT "\n", STR_ARG(line));
	}
	out.finished = out.finished && code == 0;
	if (!out.finished)
		out.logged_out = is_logged_out(
			format, out.message, buf_str(&plain), code);
	out.message = one_line(out.message, mem);
	tell_usage(&r, mem, &out.usage);
	buf_release(&plain);
	*ret_outcome = out;
}
