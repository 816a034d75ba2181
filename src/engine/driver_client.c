#include "engine/driver_client.h"

#include <signal.h>
#include <stdio.h>

#include "base/die.h"
#include "engine/child_env.h"
#include "model/capability.h"
#include "os/program.h"
#include "text/utf8.h"

enum {
	ARGS_MAX = 8,
	AGE_MS_MAX = 3600 * 1000, /* then another one is started */
	WORDS_TAIL = 200,
};

#define OP_WORD(name, word, limit) [name] = { #word, sizeof(#word) - 1 },
static const struct str op_words[] = { DRIVER_OP_MAP(OP_WORD) };

#define OP_LIMIT(name, word, limit) [name] = (limit),
static const uint32_t op_limits_ms[] = { DRIVER_OP_MAP(OP_LIMIT) };

#define CODE_WORD(name, word) [name] = { word, sizeof(word) - 1 },
static const struct str code_words[] = { SERVE_CODE_MAP(CODE_WORD) };

static const enum pawl_code codes[SERVE_CODE_COUNT] = {
	[SERVE_UNSUPPORTED] = ERR_DRIVER_UNSUPPORTED,
	[SERVE_UNAVAILABLE] = ERR_DRIVER_UNAVAILABLE,
	[SERVE_UNKNOWN] = ERR_DRIVER_UNKNOWN,
	[SERVE_CONFLICT] = ERR_DRIVER_CONFLICT,
	[SERVE_REFUSED] = ERR_DRIVER_REFUSED,
	[SERVE_CONTEXT_MISMATCH] = ERR_CONTEXT_MISMATCH,
	[SERVE_NOT_FOUND] = ERR_DRIVER_LOST,
	[SERVE_INVALID] = ERR_DRIVER_CONFLICT,
};

struct str
driver_op_word(enum driver_op op)
{
	return op_words[op];
}

/* A word that isn't known says that it failed, and not how. */
enum pawl_code
driver_code(struct str word)
{
	for (int i = 0; i < SERVE_CODE_COUNT; i++) {
		if (str_eq(code_words[i], word))
			return codes[i];
	}
	return ERR_DRIVER_UNKNOWN;
}

enum pawl_rc
driver_client_find(struct driver_client *c, struct str name, struct arena *mem,
	struct pawl_err *err)
{
	char path[PATH_MAX];
	struct pawl_err why;
	enum pawl_rc rc = driver_name_check(name, err);

	if (rc != PAWL_OK)
		return rc;
	if (program_find(
		    arena_format(mem, "pawl-driver-" STR_FMT, STR_ARG(name))
			    .ptr,
		    "driver", path, &why) != PAWL_OK)
		return pawl_fail(err, ERR_DRIVER_NOT_FOUND,
			"driver '" STR_FMT "': %s", STR_ARG(name), why.msg);
	*c = (struct driver_client){ .name = arena_strdup(mem, name),
		.program = arena_strdup(mem, str_from(path)) };
	return PAWL_OK;
}

void
driver_client_close(struct driver_client *c)
{
	coproc_close(&c->child);
	*c = (struct driver_client){ 0 };
}

void
driver_client_kill(struct driver_client *c)
{
	if (c->child.up)
		(void)kill(
			-c->child.proc.pid, SIGKILL); /* it leads its group */
	coproc_close(&c->child);
}

void
driver_say(struct driver_talk *t, struct driver_client *c, enum driver_op op)
{
	*t = (struct driver_talk){
		.client = c, .op = op, .bytes.max = SERVE_LINE_BYTES
	};
	t->w = (struct json_writer){ .out = &t->bytes };
	json_open(&t->w, '{');
	json_pair_u64(&t->w, STR("v"), DRIVER_PROTOCOL);
	json_pair_u64(&t->w, STR("id"), ++c->asked);
	json_pair_str(&t->w, STR("op"), op_words[op]);
}

/* One that runs, and has said nothing unasked. */
static enum pawl_rc
make_ready(struct driver_client *c, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *argv[ARGS_MAX + 2] = { c->program };
	struct proc_spec child = { .argv = argv, .dir = c->dir };
	const char **env;
	size_t count;
	enum pawl_rc rc;

	if (coproc_is_ready(&c->child, AGE_MS_MAX))
		return PAWL_OK;
	coproc_close(&c->child);
	for (int i = 0; c->args != NULL && c->args[i] != NULL; i++) {
		assert(i < ARGS_MAX);
		argv[i + 1] = c->args[i];
	}
	env = child_env(&mem, false, 1, &count);
	if (c->state != NULL)
		env[count++] =
			arena_format(&mem, "PAWL_DRIVER_STATE=%s", c->state)
				.ptr;
	child.envp = env;
	rc = coproc_start(&child, &c->child, err);
	if (rc != PAWL_OK && err->code == ERR_SPAWN) {
		struct pawl_err why = *err;

		rc = pawl_fail(err, ERR_DRIVER_NOT_FOUND,
			"driver '%s' can't be started: %s", c->name, why.msg);
	}
	arena_reset(&mem);
	return rc;
}

/* What an answer must be. */
struct expected {
	uint64_t id; /* 0: any */
};

static bool
is_answer(const struct json *v, const struct expected *e)
{
	const struct json *id = json_get(v, STR("id"));
	const struct json *ok = json_get(v, STR("ok"));
	const struct json *error = json_get(v, STR("error"));

	if (id == NULL || id->kind != JSON_INT || ok == NULL ||
		ok->kind != JSON_BOOL)
		return false;
	if (e->id != 0 && (uint64_t)id->n != e->id)
		return false;
	return json_bool(ok) || json_str(json_get(error, STR("code"))).len > 0;
}

static enum coproc_whole
line_whole(const void *arg, struct str got)
{
	const struct expected *e = arg;
	struct arena mem = ARENA_INIT;
	const struct json *v;
	struct pawl_err why;
	size_t at = str_find(got, '\n');
	bool is = false;

	if (at == got.len)
		return COPROC_MORE;
	if (at + 1 == got.len &&
		json_read(&mem, arena_strdup(&mem, got), at, JSON_STRICT, &v,
			&why) == PAWL_OK)
		is = is_answer(v, e);
	arena_reset(&mem);
	return is ? COPROC_WHOLE : COPROC_NO_ANSWER;
}

/* The last of what it said to people, as one line. */
static struct str
last_words(const struct coproc_answer *a, struct arena *mem)
{
	struct str words = str_trim(buf_str(&a->words)), line = words;

	while (words.len > 0) {
		struct str next = str_trim(str_cut(&words, '\n'));

		line = next.len > 0 ? next : line;
	}
	return arena_format(mem, "%s" STR_FMT, line.len > 0 ? ": " : "",
		STR_ARG(utf8_cut(line, WORDS_TAIL)));
}

/* What was no answer, as an error. */
static enum pawl_rc
judge(const struct driver_client *c, const char *op, uint64_t limit_ms,
	const struct coproc_answer *a, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct str words = last_words(a, &mem);
	char how[64] = "";

	switch (a->outcome) {
	case COPROC_ANSWERED:
		break;
	case COPROC_ENDED:
		(void)snprintf(how, sizeof(how), "it ended (%s %d)",
			a->end.kind == PROC_EXIT ? "status" : "signal",
			a->end.code);
		break;
	case COPROC_LATE:
		(void)snprintf(how, sizeof(how), "no answer within %llu ms",
			(unsigned long long)limit_ms);
		break;
	case COPROC_WRONG:
		(void)snprintf(how, sizeof(how), "what it said is no answer");
		break;
	case COPROC_OVER:
		(void)snprintf(how, sizeof(how),
			"an answer over the limit of %d bytes",
			SERVE_LINE_BYTES);
		break;
	}
	(void)pawl_fail(err, ERR_DRIVER_UNKNOWN, "driver '%s', %s: %s" STR_FMT,
		c->name, op, how, STR_ARG(words));
	arena_reset(&mem);
	return err->rc;
}

/* `line` has its LF. */
static enum pawl_rc
converse(struct driver_client *c, struct str line, const char *op,
	const struct expected *expected, uint64_t limit_ms, struct arena *mem,
	const struct json **ret_answer, struct pawl_err *err)
{
	struct coproc_question q = { .bytes = line,
		.whole = line_whole,
		.arg = expected,
		.answer_max = SERVE_LINE_BYTES,
		.deadline_ms = coproc_deadline(limit_ms) };
	struct coproc_answer a = { 0 };
	char *bytes;
	enum pawl_rc rc = make_ready(c, err);

	if (rc == PAWL_OK)
		rc = coproc_ask(&c->child, &q, &a, err);
	if (rc != PAWL_OK)
		return rc;
	if (a.outcome == COPROC_ANSWERED) {
		bytes = arena_strdup(mem, buf_str(&a.bytes));
		rc = json_read(
			mem, bytes, a.bytes.len, JSON_STRICT, ret_answer, err);
	} else {
		rc = judge(c, op, q.deadline_ms, &a, err);
	}
	coproc_answer_release(&a);
	return rc;
}

enum pawl_rc
driver_ask(struct driver_talk *t, struct arena *mem,
	const struct json **ret_answer, struct pawl_err *err)
{
	const struct expected expected = { .id = t->client->asked };
	const struct json *error;
	const char *op = op_words[t->op].ptr;
	enum pawl_rc rc;

	*ret_answer = NULL;
	json_close(&t->w, '}');
	buf_addc(&t->bytes, '\n');
	if (!buf_ok(&t->bytes)) {
		rc = pawl_fail(err, ERR_LIMIT,
			"what is asked of driver '%s' is over the limit of %d"
			" bytes",
			t->client->name, SERVE_LINE_BYTES);
	} else {
		rc = converse(t->client, buf_str(&t->bytes), op, &expected,
			op_limits_ms[t->op] + t->wait_ms, mem, ret_answer, err);
	}
	buf_release(&t->bytes);
	if (rc != PAWL_OK || json_bool(json_get(*ret_answer, STR("ok"))))
		return rc;
	error = json_get(*ret_answer, STR("error"));
	*ret_answer = NULL;
	return pawl_fail(err,
		driver_code(json_str(json_get(error, STR("code")))),
		"driver '%s', %s: " STR_FMT, t->client->name, op,
		STR_ARG(utf8_cut(
			json_str(json_get(error, STR("message"))), 400)));
}

enum pawl_rc
driver_ask_raw(struct driver_client *c, struct str line, struct arena *mem,
	const struct json **ret_answer, struct pawl_err *err)
{
	const struct expected any = { .id = 0 };
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	*ret_answer = NULL;
	buf_add(&bytes, line);
	buf_addc(&bytes, '\n');
	rc = converse(c, buf_str(&bytes), "a line", &any,
		op_limits_ms[DRIVER_POLL], mem, ret_answer, err);
	buf_release(&bytes);
	return rc;
}
