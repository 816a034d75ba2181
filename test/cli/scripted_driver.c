/*
 * scripted_driver: a driver for tests, `pawl-driver-scripted`.
 *
 * It is a good one: each attempt is a folder below PAWL_DRIVER_STATE, what it
 * starts runs under a runner of its own, and nothing runs before `open`.  With
 * SCRIPT it misbehaves: "OP:WORD ...", where OP is an operation, or `any`, and
 * WORD one of those below; each once, the first time that the operation is
 * asked for (SCRIPT_ONCE names a folder that remembers it), or, with a '!'
 * behind it, always.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/sha256.h"
#include "driver/serve.h"
#include "os/pstat.h"

enum { PATHS = 4096, BYTES_MAX = 1 << 20 };

extern char **environ;

static bool
script_has(const char *op, const char *word)
{
	const char *script = getenv("SCRIPT"), *once = getenv("SCRIPT_ONCE");
	char want[128], always[130], path[PATHS];
	struct str rest = str_from(script != NULL ? script : "");
	bool is = false;
	int fd;

	(void)snprintf(want, sizeof(want), "%s:%s", op, word);
	(void)snprintf(always, sizeof(always), "%s!", want);
	while (rest.len > 0) {
		struct str one = str_cut(&rest, ' ');

		if (str_eq(one, str_from(always)))
			return true;
		is = is || str_eq(one, str_from(want));
	}
	if (!is || once == NULL)
		return is;
	(void)snprintf(path, sizeof(path), "%s/%s", once, want);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

static void
put_file(const char *dir, const char *name, struct str bytes)
{
	char path[2 * PATHS], made[2 * PATHS];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	(void)snprintf(made, sizeof(made), "%s/.%s", dir, name);
	f = fopen(made, "w");
	if (f == NULL || fwrite(bytes.ptr, 1, bytes.len, f) != bytes.len ||
		fclose(f) != 0 || rename(made, path) != 0)
		exit(3);
}

/* NULL when it isn't there. */
static char *
get_file(struct arena *mem, const char *dir, const char *name, size_t *ret_len)
{
	char path[2 * PATHS], *bytes;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "r");
	if (f == NULL)
		return NULL;
	bytes = arena_array(mem, BYTES_MAX + 1, char);
	*ret_len = fread(bytes, 1, BYTES_MAX, f);
	bytes[*ret_len] = '\0';
	(void)fclose(f);
	return bytes;
}

static bool
is_file(const char *dir, const char *name)
{
	char path[2 * PATHS];

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

/* The folder of an attempt: its identity, without slashes. */
static void
folder_of(struct str identity, char ret_path[PATHS])
{
	const char *state = getenv("PAWL_DRIVER_STATE");
	int n = snprintf(ret_path, PATHS, "%s/" STR_FMT,
		state != NULL ? state : ".", STR_ARG(identity));

	for (int i = n - (int)identity.len; i < n; i++) {
		if (ret_path[i] == '/')
			ret_path[i] = '_';
	}
}

/* Of one that was made, as its references say. */
static bool
find(const struct serve_request *r, char ret_path[PATHS],
	struct serve_failure *failure)
{
	size_t len;
	const char *mark = NULL;
	struct str key = serve_ref(r, "key");

	folder_of(key, ret_path);
	if (key.len > 0 && str_find(key, '/') == key.len)
		mark = get_file(r->mem, ret_path, "mark", &len);
	if (mark != NULL &&
		(script_has("any", "refs-ignored") ||
			str_eq(str_from(mark),
				arena_format(r->mem, "%lld",
					(long long)json_int(json_get(
						json_get(r->root, STR("refs")),
						STR("mark")))))))
		return true;
	return serve_fail(failure, SERVE_NOT_FOUND, "no such attempt");
}

static bool
describe(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	static const char *const words[] = { "local_checks", "user_questions",
		"process_tree_cleanup", "isolated_workspace",
		"visible_worker_dispatch", "durable_worker_handle",
		"browser_surface", "usage_metrics", "cache_metrics" };
	size_t count = script_has("describe", "eight") ? 8 : 9;

	(void)arg;
	(void)r;
	(void)failure;
	json_pair_str(w, STR("driver"), STR("scripted"));
	json_pair_str(w, STR("version"), STR("1"));
	json_pair_u64(w, STR("protocol"), 1);
	json_pair_str(w, STR("workspace"), STR("local"));
	json_key(w, STR("capabilities"));
	json_open(w, '{');
	for (size_t i = 0; i < count; i++) {
		bool is = i < 6 && i != 4 &&
			!(i == 5 && script_has("describe", "no-handle"));

		json_key(w, str_from(words[i]));
		json_open(w, '{');
		json_pair_str(w, STR("status"),
			is ? STR("supported") : STR("unavailable"));
		if (is) {
			json_key(w, STR("verification"));
			json_open(w, '{');
			json_pair_str(w, STR("method"), STR("configuration"));
			json_pair_str(w, STR("evidence"), STR("the test"));
			json_close(w, '}');
		} else {
			json_pair_str(w, STR("reason"), STR("it is a test"));
		}
		json_close(w, '}');
	}
	json_close(w, '}');
	json_key(w, STR("extensions"));
	json_open(w, '{');
	json_close(w, '}');
	return true;
}

static bool
choose(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	struct str ignored;

	(void)arg;
	if (!serve_text(r, "retry_id", &ignored, failure))
		return false;
	json_pair_bool(w, STR("ready"), !script_has("select", "not-ready"));
	json_key(w, STR("refs"));
	json_open(w, '{');
	json_pair_u64(w, STR("lease"), 7);
	json_close(w, '}');
	return true;
}

/* What makes it the same request: all of it but its number. */
static struct str
digest_of(const struct serve_request *r)
{
	char hex[SHA256_HEX + 1];
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };

	json_open(&w, '[');
	json_put(&w, json_get(r->root, STR("attempt")));
	json_put(&w, json_get(r->root, STR("workspace")));
	json_put(&w, json_get(r->root, STR("profile")));
	json_put(&w, json_get(r->root, STR("prompt")));
	json_close(&w, ']');
	sha256_hex(buf_str(&text), hex);
	buf_release(&text);
	return arena_copy(r->mem, str_from(hex));
}

static void run(const char *dir);

static void
put_refs(struct json_writer *w, const char *dir, struct arena *mem)
{
	const char *name = strrchr(dir, '/') + 1;
	struct pawl_err ignored;
	uint64_t mark = 0;
	size_t len;
	const char *text = get_file(mem, dir, "mark", &len);

	if (text != NULL &&
		num_u64(str_from(text), 0, INT64_MAX, &mark, &ignored) !=
			PAWL_OK)
		exit(3);
	json_key(w, STR("refs"));
	json_open(w, '{');
	json_pair_str(w, STR("key"), str_from(name));
	json_pair_u64(w, STR("mark"), mark);
	json_close(w, '}');
}

static void
make(const struct serve_request *r, const char *dir)
{
	struct timespec now;
	char mark[32], outbox[PATHS + 64];
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };

	(void)clock_gettime(CLOCK_BOOTTIME, &now);
	(void)snprintf(mark, sizeof(mark), "%lld",
		(long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
	(void)mkdir(dir, 0700);
	(void)snprintf(outbox, sizeof(outbox), "%s/outbox", dir);
	(void)mkdir(outbox, 0700);
	json_put(&w, r->root);
	put_file(dir, "request", buf_str(&text));
	buf_release(&text);
	put_file(dir, "digest", digest_of(r));
	put_file(dir, "mark", str_from(mark));
}

static bool
start(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	const struct json *profile = json_get(r->root, STR("profile"));
	char dir[PATHS];
	struct str id;
	size_t len;
	const char *had;

	(void)arg;
	if (!serve_text(r, "retry_id", &id, failure))
		return false;
	folder_of(id, dir);
	had = get_file(r->mem, dir, "digest", &len);
	if (had != NULL && !str_eq(str_from(had), digest_of(r)) &&
		!script_has("start", "no-conflict"))
		return serve_fail(failure, SERVE_CONFLICT,
			"'" STR_FMT "' was asked for otherwise", STR_ARG(id));
	if (had == NULL || script_has("start", "anew"))
		make(r, dir);
	if (script_has("start", "early"))
		run(dir);
	put_refs(w, dir, r->mem);
	json_pair_str(w, STR("gate"),
		script_has("start", "no-gate") ? STR("none") : STR("closed"));
	json_key(w, STR("profile"));
	json_open(w, '{');
	json_pair_str(w, STR("name"),
		script_has("start", "profile")
			? STR("another")
			: json_str(json_get(profile, STR("name"))));
	json_key(w, STR("argv"));
	json_put(w, json_get(profile, STR("argv")));
	json_close(w, '}');
	json_key(w, STR("placement"));
	json_open(w, '{');
	json_pair_str(w, STR("path"),
		script_has("start", "placement")
			? STR("/elsewhere")
			: json_str(json_get(json_get(r->root, STR("workspace")),
				  STR("path"))));
	json_close(w, '}');
	return true;
}

static const char *const *
words_of(const struct json *list, struct arena *mem)
{
	const char **words = arena_array(mem, list->count + 1u, const char *);
	const struct json *v = json_first(list);

	for (uint32_t i = 0; i < list->count; i++, v += v->span)
		words[i] = arena_strdup(mem, json_str(v));
	return words;
}

/* In the worker's own process. */
static void
become(const char *dir, const struct json *request, struct arena *mem)
{
	const struct json *profile = json_get(request, STR("profile"));
	const struct json *env = json_get(profile, STR("env"));
	const struct json *key = json_first(env);
	const char *const *argv = words_of(json_get(profile, STR("argv")), mem);
	char path[2 * PATHS];
	int in;

	put_file(dir, "prompt", json_str(json_get(request, STR("prompt"))));
	(void)snprintf(path, sizeof(path), "%s/prompt", dir);
	in = open(path, O_RDONLY);
	for (uint32_t i = 0; i < env->count; i++) {
		(void)setenv(arena_strdup(mem, key->text),
			arena_strdup(mem, json_str(key + 1)), 1);
		key += 1 + (key + 1)->span;
	}
	(void)snprintf(path, sizeof(path), "%s/outbox", dir);
	(void)setenv("PAWL_OUTBOX", path, 1);
	if (in < 0 || dup2(in, 0) < 0 ||
		chdir(arena_strdup(mem,
			json_str(json_get(json_get(request, STR("workspace")),
				STR("path"))))) != 0)
		_exit(125);
	/* NOLINTNEXTLINE(clang-diagnostic-cast-qual): execvp keeps them */
	(void)execvp(argv[0], (char *const *)(uintptr_t)argv);
	_exit(127);
}

/* The runner: see one worker through. */
static void
see_through(const char *dir)
{
	struct arena mem = ARENA_INIT;
	const struct json *request;
	struct pawl_err err;
	struct pstat stat;
	char text[128];
	size_t len;
	char *bytes = get_file(&mem, dir, "request", &len);
	int status = 0, gate[2];
	pid_t pid;
	int64_t deadline_ms;

	if (bytes == NULL ||
		json_read(&mem, bytes, len, JSON_STRICT, &request, &err) !=
			PAWL_OK ||
		pipe(gate) != 0)
		_exit(3);
	deadline_ms = json_int(json_get(request, STR("deadline_ms")));
	pid = fork();
	if (pid == 0) {
		if (!script_has("any", "tied"))
			(void)setsid();
		(void)close(gate[1]);
		if (read(gate[0], text, 1) != 1)
			_exit(126);
		(void)close(gate[0]);
		become(dir, request, &mem);
	}
	if (pid < 0 || pstat_read("/proc", pid, &stat) != PSTAT_HERE)
		_exit(3);
	(void)snprintf(text, sizeof(text), "%d %llu", (int)pid,
		(unsigned long long)stat.start);
	put_file(dir, "worker", str_from(text));
	if (write(gate[1], "g", 1) != 1)
		_exit(3);
	for (int64_t ms = 0; waitpid(pid, &status, WNOHANG) == 0; ms += 10) {
		(void)poll(NULL, 0, 10);
		if (deadline_ms > 0 && ms > deadline_ms &&
			!script_has("any", "no-deadline")) {
			(void)kill(-pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			(void)snprintf(text, sizeof(text),
				"{\"timeout\":true,\"survivors\":0}");
			goto out;
		}
	}
	if (WIFEXITED(status))
		(void)snprintf(text, sizeof(text),
			"{\"exit\":%d,\"survivors\":0}", WEXITSTATUS(status));
	else
		(void)snprintf(text, sizeof(text),
			"{\"signal\":%d,\"survivors\":0}", WTERMSIG(status));
out:
	if (!script_has("any", "orphans"))
		(void)kill(-pid, SIGKILL);
	put_file(dir, "exit", str_from(text));
	_exit(0);
}

/* Once, whoever asks and however often. */
static void
run(const char *dir)
{
	char path[2 * PATHS];
	int fd;
	pid_t pid;

	(void)snprintf(path, sizeof(path), "%s/begun", dir);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0 && !script_has("open", "again"))
		return;
	if (fd >= 0)
		(void)close(fd);
	pid = fork();
	if (pid == 0) {
		if (!script_has("any", "tied"))
			(void)setsid();
		(void)signal(SIGTERM, SIG_DFL);
		for (fd = 0; fd < 64; fd++)
			(void)close(fd);
		(void)open("/dev/null", O_RDWR);
		(void)dup(0);
		(void)dup(0);
		if (fork() == 0)
			see_through(dir);
		_exit(0);
	}
	(void)waitpid(pid, NULL, 0);
}

static bool
open_gate(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	char dir[PATHS];

	(void)arg;
	(void)w;
	if (!find(r, dir, failure))
		return false;
	if (is_file(dir, "released"))
		return serve_fail(failure, SERVE_NOT_FOUND, "it was released");
	run(dir);
	return true;
}

static bool
poll_it(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	char dir[PATHS], outbox[PATHS + 64], hex[SHA256_HEX + 1];
	const char *report, *ended;
	struct str cursor, was = json_str(json_get(r->root, STR("cursor")));
	size_t report_len = 0, len;

	(void)arg;
	if (!find(r, dir, failure))
		return false;
	if (is_file(dir, "released"))
		return serve_fail(failure, SERVE_NOT_FOUND, "it was released");
	ended = get_file(r->mem, dir, "exit", &len);
	(void)snprintf(outbox, sizeof(outbox), "%s/outbox", dir);
	report = get_file(r->mem, outbox, "report.json", &report_len);
	cursor = script_has("poll", "restless")
		? arena_format(r->mem, "%llu",
			  (unsigned long long)json_int(
				  json_get(r->root, STR("id"))))
		: arena_format(r->mem, "%d%d", report != NULL, ended != NULL);
	json_pair_str(w, STR("cursor"), cursor);
	json_pair_str(w, STR("state"),
		ended != NULL ? STR("exited") : STR("running"));
	json_key(w, STR("life"));
	json_open(w, '{');
	if (script_has("poll", "life"))
		json_pair_str(w, STR("heartbeat_ms"), STR("soon"));
	else
		json_pair_u64(w, STR("heartbeat_ms"), 5);
	json_close(w, '}');
	if (ended != NULL) {
		json_key(w, STR("exit"));
		json_put_raw(w,
			script_has("poll", "exit-0")
				? STR("{\"exit\":0,\"survivors\":0}")
				: str_from(ended));
	}
	json_key(w, STR("results"));
	json_open(w, '[');
	if (report != NULL && (was.len == 0 || was.ptr[0] == '0')) {
		struct str bytes = { report, report_len };

		sha256_hex(bytes, hex);
		if (script_has("poll", "digest"))
			hex[0] = hex[0] == '0' ? '1' : '0';
		json_open(w, '{');
		json_pair_str(w, STR("bytes"), bytes);
		json_pair_str(w, STR("sha256"), str_from(hex));
		json_close(w, '}');
	}
	json_close(w, ']');
	return true;
}

static bool
send_it(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	char dir[PATHS];
	struct str key, message;
	struct str name;
	size_t len;
	const char *had;

	(void)arg;
	if (!serve_text(r, "key", &key, failure) ||
		!serve_text(r, "message", &message, failure) ||
		!find(r, dir, failure))
		return false;
	name = arena_format(r->mem, "sent-" STR_FMT, STR_ARG(key));
	had = get_file(r->mem, dir, name.ptr, &len);
	if (had != NULL && !str_eq(str_from(had), message) &&
		!script_has("send", "no-conflict"))
		return serve_fail(failure, SERVE_CONFLICT,
			"the key was used for another message");
	if (had == NULL)
		put_file(dir, name.ptr, message);
	json_pair_bool(w, STR("delivered"), true);
	return true;
}

/* End its worker, if it is exactly that. */
static void
end_worker(const char *dir, struct arena *mem)
{
	struct pawl_err err;
	struct pstat stat;
	size_t len;
	const char *text = get_file(mem, dir, "worker", &len);
	struct str rest = str_from(text != NULL ? text : "");
	uint64_t pid = 0, begun = 0;
	struct str first = str_cut(&rest, ' ');

	if (num_u64(first, 2, INT32_MAX, &pid, &err) != PAWL_OK ||
		num_u64(rest, 0, INT64_MAX, &begun, &err) != PAWL_OK ||
		pstat_read("/proc", (pid_t)pid, &stat) != PSTAT_HERE ||
		stat.start != begun)
		return;
	(void)kill(-(pid_t)pid, SIGKILL);
}

static bool
release(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	char dir[PATHS];
	bool before;

	(void)arg;
	if (!find(r, dir, failure))
		return false;
	before = is_file(dir, "released");
	if (script_has("release", "unproven")) {
		json_pair_str(w, STR("released"), STR("unproven"));
		json_pair_str(w, STR("proof"), STR("it can't be told"));
		return true;
	}
	if (!script_has("release", "lie")) {
		if (!is_file(dir, "begun"))
			put_file(dir, "begun", STR("never"));
		else
			for (int i = 0; i < 500 && !is_file(dir, "worker") &&
				is_file(dir, "begun") && !before;
				i++)
				(void)poll(NULL, 0, 10);
		end_worker(dir, r->mem);
		for (int i = 0; i < 500 && is_file(dir, "worker") &&
			!is_file(dir, "exit");
			i++)
			(void)poll(NULL, 0, 10);
		put_file(dir, "released", STR(""));
	}
	json_pair_str(
		w, STR("released"), before ? STR("already") : STR("released"));
	json_pair_str(w, STR("proof"), STR("its process has ended"));
	json_pair_u64(w, STR("survivors"), 0);
	return true;
}

static bool
reconcile(void *arg, const struct serve_request *r, struct json_writer *w,
	struct serve_failure *failure)
{
	const struct json *list = json_get(r->root, STR("attempts"));
	const struct json *v = list != NULL ? json_first(list) : NULL;

	(void)arg;
	(void)failure;
	json_key(w, STR("attempts"));
	json_open(w, '[');
	for (uint32_t i = 0; list != NULL && i < list->count; i++) {
		char dir[PATHS];
		struct str word = STR("absent");
		struct str key = json_str(
			json_get(json_get(v, STR("refs")), STR("key")));
		bool known;

		folder_of(json_str(json_get(v, STR("retry_id"))), dir);
		known = is_file(dir, "mark");
		if (known && !is_file(dir, "released"))
			word = STR("present");
		/* What never was one of ours can't be proven gone. */
		if (key.len > 0 &&
			!str_eq(key, str_from(strrchr(dir, '/') + 1)))
			word = STR("unknown");
		if (script_has("reconcile", "absent"))
			word = STR("absent");
		if (script_has("reconcile", "untold"))
			word = STR("unknown");
		json_open(w, '{');
		json_pair_str(w, STR("attempt"),
			script_has("reconcile", "other")
				? STR("X@9")
				: json_str(json_get(v, STR("attempt"))));
		json_pair_str(w, STR("state"), word);
		if (known) {
			put_refs(w, dir, r->mem);
		} else {
			json_key(w, STR("refs"));
			json_open(w, '{');
			json_close(w, '}');
		}
		json_close(w, '}');
		v += v->span;
	}
	json_close(w, ']');
	return true;
}

static void
say(struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes.ptr, bytes.len);

		if (n < 0)
			exit(4);
		bytes = str_part(bytes, (size_t)n, bytes.len - (size_t)n);
	}
}

/* For good: even TERM is ignored. */
static void
hang(void)
{
	(void)signal(SIGTERM, SIG_IGN);
	for (;;)
		(void)poll(NULL, 0, 1000);
}

static void
flood(int fd)
{
	char noise[4096];

	memset(noise, 'x', sizeof(noise));
	for (int i = 0; i < 1024; i++) {
		if (write(fd, noise, sizeof(noise)) < 0)
			exit(4);
	}
}

/* Answer one line, as the script says. */
static void
answer(const struct serve_ops *ops, struct str line)
{
	struct buf out = { 0 };
	struct arena mem = ARENA_INIT;
	const struct json *root = NULL;
	struct pawl_err err;
	const char *op = "";
	struct str word;
	static const char *const codes[] = { "unavailable", "unknown",
		"conflict", "refused", "context_mismatch", "not_found",
		"invalid", "unsupported" };

	if (json_read(&mem, arena_strdup(&mem, line), line.len, JSON_STRICT,
		    &root, &err) == PAWL_OK) {
		word = json_str(json_get(root, STR("op")));
		op = arena_strdup(&mem, word);
	}
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (!script_has(op, codes[i]))
			continue;
		buf_addf(&out,
			"{\"id\":%lld,\"ok\":false,\"error\":{\"code\":\"%s\","
			"\"message\":\"as scripted\"}}\n",
			(long long)json_int(json_get(root, STR("id"))),
			codes[i]);
		say(buf_str(&out));
		goto done;
	}
	if (script_has(op, "crash-before"))
		_exit(9);
	if (script_has(op, "hang-before"))
		hang();
	if (script_has("any", "short") && line.len > 4096)
		_exit(9);
	serve_line(ops, NULL, line, &out);
	if (script_has("any", "strict") &&
		json_get(root, STR("later")) != NULL) {
		buf_clear(&out);
		buf_add(&out,
			STR("{\"id\":1,\"ok\":false,\"error\":{\"code\":"
			    "\"refused\",\"message\":\"\"}}\n"));
	}
	if (script_has("any", "lenient") &&
		(json_int(json_get(root, STR("v"))) != 1 ||
			str_starts(str_from(op), STR("no-such")))) {
		buf_clear(&out);
		buf_add(&out, STR("{\"id\":1,\"ok\":true}\n"));
	}
	if (script_has(op, "crash-after"))
		_exit(9);
	if (script_has(op, "hang-after"))
		hang();
	if (script_has(op, "late"))
		(void)poll(NULL, 0, 3000);
	if (script_has(op, "garbage")) {
		say(STR("what?\n"));
	} else if (script_has(op, "half")) {
		say(str_part(buf_str(&out), 0, out.len / 2));
		hang();
	} else if (script_has(op, "close")) {
		(void)close(STDOUT_FILENO);
		hang();
	} else if (script_has(op, "wrong-id")) {
		say(STR("{\"id\":99999,\"ok\":true}\n"));
	} else {
		if (script_has(op, "flood-out"))
			flood(STDOUT_FILENO);
		if (script_has(op, "flood-err"))
			flood(STDERR_FILENO);
		say(buf_str(&out));
		if (script_has(op, "twice"))
			say(buf_str(&out));
		if (script_has("any", "chatty")) {
			(void)poll(NULL, 0, 50);
			say(STR("by the way\n"));
		}
	}
done:
	buf_release(&out);
	arena_reset(&mem);
}

int
main(void)
{
	static const struct serve_ops ops = { .describe = describe,
		.select = choose,
		.start = start,
		.open = open_gate,
		.poll = poll_it,
		.send = send_it,
		.release = release,
		.reconcile = reconcile };
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;

	while ((n = getline(&line, &cap, stdin)) > 0) {
		if (line[n - 1] == '\n')
			n--;
		answer(&ops, (struct str){ line, (size_t)n });
	}
	free(line);
	if (script_has("any", "no-end"))
		hang();
	return 0;
}
