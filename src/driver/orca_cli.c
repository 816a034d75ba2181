#include "driver/orca_cli.h"

#include <stdlib.h>

#include "os/proc.h"
#include "os/program.h"

enum { ARGS_MAX = 3, ARGV_MAX = ORCA_WORDS_MAX + 2 + 2 * ARGS_MAX + 2 };

/* What is asked, and what of the reply is relied on. */
static const struct {
	const char *words[2];
	const char *options[ARGS_MAX + 1]; /* one an argument */
	const char *member;                /* of `result`; NULL: all of it */
	enum json_kind kind;
	uint32_t limit_ms;
	bool makes; /* without a reply it is unknown what was done */
} calls[ORCA_CALL_COUNT] = {
	[ORCA_STATUS] = { { "status" }, { NULL }, "runtime", JSON_OBJECT, 8000,
		false },
	[ORCA_WORKTREE_SHOW] = { { "worktree", "show" }, { "--worktree" },
		"worktree", JSON_OBJECT, 15000, false },
	[ORCA_TERMINAL_CREATE] = { { "terminal", "create" },
		{ "--worktree", "--title", "--command" }, "terminal",
		JSON_OBJECT, 40000, true },
	[ORCA_TERMINAL_LIST] = { { "terminal", "list" }, { "--worktree" },
		"terminals", JSON_ARRAY, 10000, false },
	[ORCA_TERMINAL_CLOSE] = { { "terminal", "close" }, { "--terminal" },
		NULL, JSON_OBJECT, 10000, true },
};

/* orca's errors that mean more than that it refused. */
static const struct {
	const char *word;
	enum serve_code code;
} codes[] = {
	{ "runtime_unavailable", SERVE_UNAVAILABLE },
	{ "runtime_timeout", SERVE_UNKNOWN },
	{ "selector_not_found", SERVE_NOT_FOUND },
	{ "terminal_not_found", SERVE_NOT_FOUND },
	{ "terminal_handle_stale", SERVE_NOT_FOUND },
	{ "terminal_gone", SERVE_NOT_FOUND },
	{ "terminal_exited", SERVE_NOT_FOUND },
};

bool
orca_cli_find(struct orca_cli *ret_cli, struct arena *mem,
	struct serve_failure *failure)
{
	static const char *const names[] = { "orca-dev", "orca-ide", "orca" };
	const char *own = getenv("ORCA_CLI_COMMAND");
	struct str rest = str_from(own != NULL ? own : "");
	char path[PATH_MAX];

	*ret_cli = (struct orca_cli){ .count = 0 };
	while (rest.len > 0) {
		struct str word = str_cut(&rest, ' ');

		if (word.len == 0)
			continue;
		if (ret_cli->count == ORCA_WORDS_MAX) {
			return serve_fail(failure, SERVE_UNAVAILABLE,
				"ORCA_CLI_COMMAND has over %d words",
				ORCA_WORDS_MAX);
		}
		ret_cli->words[ret_cli->count++] = arena_strdup(mem, word);
	}
	for (size_t i = 0;
		ret_cli->count == 0 && i < sizeof(names) / sizeof(names[0]);
		i++) {
		if (program_on_path(names[i], path)) {
			ret_cli->words[0] = arena_strdup(mem, str_from(path));
			ret_cli->count = 1;
		}
	}
	return ret_cli->count > 0 ||
		serve_fail(failure, SERVE_UNAVAILABLE,
			"there is no orca on PATH, and ORCA_CLI_COMMAND names"
			" none");
}

/* `ok` is false: what orca says about it. */
static bool
refused(enum orca_call call, const struct json *root,
	struct serve_failure *failure)
{
	const struct json *error = json_get(root, STR("error"));
	struct str word = json_str(json_get(error, STR("code")));
	struct str text = json_str(json_get(error, STR("message")));
	enum serve_code code = SERVE_REFUSED;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (str_eq(word, str_from(codes[i].word)))
			code = codes[i].code;
	}
	if (code == SERVE_UNKNOWN && !calls[call].makes)
		code = SERVE_UNAVAILABLE;
	/* The first line alone: an error of the protocol is one. */
	text = str_cut(&text, '\n');
	text = str_part(text, 0, text.len < 300 ? text.len : 300);
	return serve_fail(failure, code, "orca: " STR_FMT "%s" STR_FMT,
		STR_ARG(word), text.len > 0 ? ": " : "", STR_ARG(text));
}

/* There is no reply; the reason is the rest of a sentence. */
static bool
mute(enum orca_call call, const char *why, struct serve_failure *failure)
{
	return serve_fail(failure,
		calls[call].makes ? SERVE_UNKNOWN : SERVE_UNAVAILABLE,
		"'orca %s%s%s' %s", calls[call].words[0],
		calls[call].words[1] != NULL ? " " : "",
		calls[call].words[1] != NULL ? calls[call].words[1] : "", why);
}

static bool
take(enum orca_call call, const struct proc_ran *ran, struct arena *mem,
	struct orca_reply *ret_reply, struct serve_failure *failure)
{
	const struct json *root = NULL, *result, *ok, *truncated;
	struct pawl_err ignored;

	if (ran->end.kind == PROC_TIMEOUT)
		return mute(call, "didn't answer in time", failure);
	if (ran->out.overflow || ran->out.len > ORCA_REPLY_BYTES)
		return mute(call, "said too much", failure);
	if (json_read(mem, arena_strdup(mem, buf_str(&ran->out)), ran->out.len,
		    JSON_STRICT, &root, &ignored) != PAWL_OK)
		return mute(call, "said what is no JSON", failure);
	ok = json_get(root, STR("ok"));
	if (ok == NULL || ok->kind != JSON_BOOL)
		return mute(call, "said what is no reply", failure);
	if (!json_bool(ok))
		return refused(call, root, failure);
	result = json_get(root, STR("result"));
	truncated = json_get(result, STR("truncated"));
	if (calls[call].member != NULL)
		result = json_get(result, str_from(calls[call].member));
	if (result == NULL || result->kind != calls[call].kind)
		return mute(call, "said a reply without its result", failure);
	ret_reply->value = result;
	ret_reply->whole = truncated != NULL && truncated->kind == JSON_BOOL &&
		!json_bool(truncated);
	ret_reply->runtime = json_str(
		json_get(json_get(root, STR("_meta")), STR("runtimeId")));
	return true;
}

bool
orca_ask(const struct orca_cli *cli, enum orca_call call,
	const char *const *args, struct arena *mem,
	struct orca_reply *ret_reply, struct serve_failure *failure)
{
	const char *argv[ARGV_MAX];
	struct proc_run_spec spec = { .child = { .argv = argv },
		.deadline_ms = calls[call].limit_ms,
		.out_max = ORCA_REPLY_BYTES };
	struct proc_ran ran;
	struct pawl_err err;
	uint32_t n = 0;
	bool taken;

	for (uint32_t i = 0; i < cli->count; i++)
		argv[n++] = cli->words[i];
	for (uint32_t i = 0; i < 2 && calls[call].words[i] != NULL; i++)
		argv[n++] = calls[call].words[i];
	for (uint32_t i = 0; args != NULL && calls[call].options[i] != NULL;
		i++) {
		argv[n++] = calls[call].options[i];
		argv[n++] = args[i];
	}
	argv[n++] = "--json";
	argv[n] = NULL;
	if (proc_run(&spec, &ran, &err) != PAWL_OK)
		return serve_fail(failure, SERVE_UNAVAILABLE, "%s", err.msg);
	if (ran.end.kind == PROC_START_FAILED)
		taken = serve_fail(failure, SERVE_UNAVAILABLE,
			"'%s' can't be started", argv[0]);
	else
		taken = take(call, &ran, mem, ret_reply, failure);
	proc_ran_release(&ran);
	return taken;
}

bool
orca_runtime(const struct orca_cli *cli, struct arena *mem,
	struct str *ret_runtime, bool *ret_down, struct serve_failure *failure)
{
	struct orca_reply reply = { .value = NULL };
	struct str state, id;
	bool reachable;

	*ret_down = false;
	if (!orca_ask(cli, ORCA_STATUS, NULL, mem, &reply, failure))
		return false;
	state = json_str(json_get(reply.value, STR("state")));
	id = json_str(json_get(reply.value, STR("runtimeId")));
	reachable = json_bool(json_get(reply.value, STR("reachable")));
	*ret_down = !reachable && str_eq(state, STR("not_running"));
	if (!reachable || !str_eq(state, STR("ready")) || id.len == 0 ||
		id.len > 200) {
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"orca's runtime isn't ready: '" STR_FMT "'",
			STR_ARG(str_part(
				state, 0, state.len < 64 ? state.len : 64)));
	}
	*ret_runtime = id;
	return true;
}
