#include "cli/driver_serve.h"

#include <poll.h>
#include <stdlib.h>

#include "base/sha256.h"
#include "engine/child_env.h"
#include "engine/exit.h"
#include "engine/outbox.h"
#include "os/fs.h"
#include "os/monitor.h"

enum {
	GRACE_MS = 2000,
	END_MS = 5000, /* for a monitor that was told to end its worker */
	MONITORS_MAX = 64,
	RECORD_MAX = 4096,
};

/* A monitor whose gate we hold. */
struct held {
	struct monitor monitor;
	bool used;
};

struct server {
	enum builtin driver;
	char child[PATH_MAX];
	const char *path; /* of the folder of what is made; NULL: none */
	int dir;          /* likewise */
	int exits;
	struct held held[MONITORS_MAX];
};

/* What stands about an attempt. */
struct record {
	struct str name; /* of its file, and of its monitor's lines */
	struct str digest;
	struct str outbox;
	uint64_t pid, start;
	bool released;
};

static bool
broken(struct serve_failure *failure, enum serve_code code,
	const struct pawl_err *why)
{
	return serve_fail(failure, code, "%s", why->msg);
}

/* The file of an identity: its slashes are no folders. */
static struct str
name_of(struct str identity, struct arena *mem)
{
	char *name = arena_strdup(mem, identity);

	for (size_t i = 0; i < identity.len; i++) {
		if (name[i] == '/' || name[i] == '.')
			name[i] = '_';
	}
	return arena_format(mem, "%s.json", name);
}

static bool
record_read(struct server *s, struct str name, struct arena *mem,
	struct record *ret_record)
{
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	const struct json *v = NULL;
	enum pawl_rc rc = s->dir < 0 ? PAWL_ENOENT
				     : fs_read(&fs_real, s->dir, name.ptr,
					       RECORD_MAX, &bytes, &ignored);

	if (rc == PAWL_OK)
		rc = json_read(mem, arena_strdup(mem, buf_str(&bytes)),
			bytes.len, JSON_STRICT, &v, &ignored);
	buf_release(&bytes);
	if (rc != PAWL_OK)
		return false;
	*ret_record = (struct record){ .name = name,
		.digest = json_str(json_get(v, STR("digest"))),
		.outbox = json_str(json_get(v, STR("outbox"))),
		.pid = (uint64_t)json_int(json_get(v, STR("pid"))),
		.start = (uint64_t)json_int(json_get(v, STR("start"))),
		.released = json_bool(json_get(v, STR("released"))) };
	return true;
}

static enum pawl_rc
record_write(struct server *s, const struct record *r, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	enum pawl_rc rc;

	json_open(&w, '{');
	json_pair_str(&w, STR("digest"), r->digest);
	json_pair_str(&w, STR("outbox"), r->outbox);
	json_pair_u64(&w, STR("pid"), r->pid);
	json_pair_u64(&w, STR("start"), r->start);
	json_pair_bool(&w, STR("released"), r->released);
	json_close(&w, '}');
	rc = fs_replace(
		&fs_real, s->dir, r->name.ptr, buf_str(&text), FS_CACHE, err);
	buf_release(&text);
	return rc;
}

/* The one that the references of a request name, and no other. */
static bool
record_of(struct server *s, const struct serve_request *q,
	struct record *ret_record, struct serve_failure *failure)
{
	const struct json *refs = json_get(q->root, STR("refs"));
	struct str name = serve_ref(q, "record");

	if (name.len > 0 && str_find(name, '/') == name.len &&
		record_read(s, arena_copy(q->mem, name), q->mem, ret_record) &&
		(uint64_t)json_int(json_get(refs, STR("pid"))) ==
			ret_record->pid &&
		(uint64_t)json_int(json_get(refs, STR("start"))) ==
			ret_record->start)
		return true;
	return serve_fail(failure, SERVE_NOT_FOUND,
		"these references name nothing that was made here");
}

static struct held *
held_of(struct server *s, const struct record *r)
{
	for (int i = 0; i < MONITORS_MAX; i++) {
		struct held *h = &s->held[i];

		if (h->used && (uint64_t)h->monitor.pid == r->pid &&
			h->monitor.start == r->start)
			return h;
	}
	return NULL;
}

static void
let_go(struct held *h)
{
	if (h != NULL) {
		(void)monitor_reap(&h->monitor);
		h->used = false;
	}
}

/* Has it ended, within `ms`? */
static bool
has_ended(const struct monitor *m, int ms)
{
	struct pollfd look = { .fd = m->pidfd, .events = POLLIN };

	return poll(&look, 1, ms) > 0;
}

/* Its monitor, when it lives; it is closed by the caller. */
static bool
find(const struct record *r, struct monitor *ret_monitor, bool *ret_alive,
	struct serve_failure *failure)
{
	struct pawl_err err;

	*ret_alive = false;
	if (monitor_adopt((pid_t)r->pid, r->start, ret_alive, ret_monitor,
		    &err) != PAWL_OK)
		return broken(failure, SERVE_UNKNOWN, &err);
	/* One that ended is ours to reap, and does nothing any more. */
	if (*ret_alive && has_ended(ret_monitor, 0)) {
		monitor_close(ret_monitor);
		*ret_alive = false;
	}
	return true;
}

static bool
trace_of(struct server *s, const struct record *r, struct arena *mem,
	struct exit_facts *ret_facts, struct serve_failure *failure)
{
	const struct exit_of of = {
		.name = r->name, .pid = r->pid, .start = r->start
	};
	struct pawl_err err;

	if (exit_read(&fs_real, s->exits, &of, mem, ret_facts, &err) != PAWL_OK)
		return broken(failure, SERVE_UNKNOWN, &err);
	return true;
}

static bool
describe(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	const struct server *s = arg;

	(void)q;
	(void)failure;
	json_pair_str(w, STR("driver"), builtin_word(s->driver));
	json_pair_str(w, STR("version"), STR(PAWL_VERSION));
	json_pair_u64(w, STR("protocol"), DRIVER_PROTOCOL);
	json_pair_str(w, STR("workspace"), STR("local"));
	json_key(w, STR("capabilities"));
	capability_put_all(w, s->driver);
	json_key(w, STR("extensions"));
	json_open(w, '{');
	json_close(w, '}');
	return true;
}

static bool
choose(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct str ignored;

	(void)arg;
	if (!serve_text(q, "retry_id", &ignored, failure))
		return false;
	json_pair_bool(w, STR("ready"), true);
	json_key(w, STR("refs"));
	json_open(w, '{');
	json_close(w, '}');
	return true;
}

/* All that makes it the same request. */
static struct str
digest_of(const struct serve_request *q)
{
	static const char *const names[] = { "attempt", "run", "workspace",
		"capsule", "prompt", "outbox", "profile", "deadline_ms" };
	char hex[SHA256_HEX + 1];
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };

	json_open(&w, '[');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct json *v = json_get(q->root, str_from(names[i]));

		if (v != NULL)
			json_put(&w, v);
	}
	json_close(&w, ']');
	sha256_hex(buf_str(&text), hex);
	buf_release(&text);
	return arena_copy(q->mem, str_from(hex));
}

static const char *const *
argv_of(const struct json *list, struct arena *mem)
{
	uint32_t count =
		list != NULL && list->kind == JSON_ARRAY ? list->count : 0;
	const char **argv = arena_array(mem, count + 1u, const char *);
	const struct json *v = count > 0 ? json_first(list) : NULL;

	for (uint32_t i = 0; i < count; i++, v += v->span)
		argv[i] = arena_strdup(mem, json_str(v));
	return count > 0 ? argv : NULL;
}

/* Ours, with what the request adds. */
static const char *const *
env_of(const struct json *object, struct arena *mem)
{
	uint32_t more = object != NULL && object->kind == JSON_OBJECT
		? object->count
		: 0;
	const struct json *key = more > 0 ? json_first(object) : NULL;
	size_t count;
	const char **env = child_env(mem, false, more, &count);

	for (uint32_t i = 0; i < more; i++, key += 1 + (key + 1)->span)
		env[count++] = arena_format(mem, STR_FMT "=" STR_FMT,
			STR_ARG(key->text), STR_ARG(json_str(key + 1)))
				       .ptr;
	return env;
}

/* A monitor with a closed gate, and its record. */
static bool
make(struct server *s, const struct serve_request *q, struct record *r,
	struct serve_failure *failure)
{
	const struct json *profile = json_get(q->root, STR("profile"));
	struct held *h = NULL;
	struct monitor_spec spec = { .program = s->child,
		.argv = argv_of(json_get(profile, STR("argv")), q->mem),
		.envp = env_of(json_get(profile, STR("env")), q->mem),
		.name = r->name.ptr,
		.exits = s->exits,
		.outbox = arena_strdup(q->mem, r->outbox),
		.log = arena_format(q->mem, "%s/%s.log", s->path, r->name.ptr)
			       .ptr,
		.input_bytes = json_str(json_get(q->root, STR("prompt"))),
		.cwd = arena_strdup(q->mem,
			json_str(json_get(json_get(q->root, STR("workspace")),
				STR("path")))),
		.deadline_ms = (uint64_t)json_int(
			json_get(q->root, STR("deadline_ms"))),
		.grace_ms = GRACE_MS };
	struct pawl_err err;

	for (int i = 0; h == NULL && i < MONITORS_MAX; i++)
		h = s->held[i].used ? NULL : &s->held[i];
	if (spec.argv == NULL || *spec.cwd != '/' || spec.deadline_ms == 0)
		return serve_fail(failure, SERVE_INVALID,
			"a command, a workspace and a deadline must be there");
	if (h == NULL)
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"%d workers are held at once", MONITORS_MAX);
	if (monitor_spawn(&spec, &h->monitor, &err) != PAWL_OK)
		return broken(failure, SERVE_UNAVAILABLE, &err);
	h->used = true;
	r->pid = (uint64_t)h->monitor.pid;
	r->start = h->monitor.start;
	if (record_write(s, r, &err) == PAWL_OK)
		return true;
	monitor_close(&h->monitor); /* with its gate: it ends by itself */
	h->used = false;
	return broken(failure, SERVE_UNKNOWN, &err);
}

/*
 * What was made before is what is answered with; unless it ended with the
 * process that held its gate: nothing of it was executed.
 */
static bool
is_void(struct server *s, const struct record *r, struct arena *mem,
	bool *ret_void, struct serve_failure *failure)
{
	struct exit_facts x = { 0 };
	struct monitor m;
	bool alive;

	*ret_void = false;
	if (held_of(s, r) != NULL || r->released)
		return true;
	if (!find(r, &m, &alive, failure))
		return false;
	if (alive) {
		/* It sees its gate closed, or runs its worker. */
		if (trace_of(s, r, mem, &x, failure) &&
			x.trace == EXIT_TRACE_NONE)
			(void)has_ended(&m, END_MS);
		monitor_close(&m);
	}
	if (!trace_of(s, r, mem, &x, failure))
		return false;
	*ret_void = x.trace == EXIT_TRACE_NONE;
	return true;
}

static bool
start(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct server *s = arg;
	const struct json *profile = json_get(q->root, STR("profile"));
	struct record had, r = { .pid = 0 };
	struct str id;
	bool gone = true;

	if (s->dir < 0)
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"PAWL_DRIVER_STATE names no folder");
	if (!serve_text(q, "retry_id", &id, failure) ||
		!serve_text(q, "outbox", &r.outbox, failure))
		return false;
	r.name = name_of(id, q->mem);
	r.digest = digest_of(q);
	if (record_read(s, r.name, q->mem, &had)) {
		if (!str_eq(had.digest, r.digest))
			return serve_fail(failure, SERVE_CONFLICT,
				"'" STR_FMT "' was asked for otherwise",
				STR_ARG(id));
		if (!is_void(s, &had, q->mem, &gone, failure))
			return false;
		if (!gone)
			r = had;
	}
	if (gone && !make(s, q, &r, failure))
		return false;
	json_key(w, STR("refs"));
	json_open(w, '{');
	json_pair_str(w, STR("record"), r.name);
	json_pair_u64(w, STR("pid"), r.pid);
	json_pair_u64(w, STR("start"), r.start);
	json_close(w, '}');
	json_pair_str(w, STR("gate"), STR("closed"));
	json_key(w, STR("profile"));
	json_open(w, '{');
	json_pair_str(w, STR("name"), json_str(json_get(profile, STR("name"))));
	json_key(w, STR("argv"));
	json_put(w, json_get(profile, STR("argv")));
	json_close(w, '}');
	json_key(w, STR("placement"));
	json_open(w, '{');
	json_pair_str(w, STR("path"),
		json_str(json_get(
			json_get(q->root, STR("workspace")), STR("path"))));
	json_close(w, '}');
	return true;
}

static bool
open_gate(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct server *s = arg;
	struct record r;
	struct held *h;
	struct pawl_err err;
	bool gone;

	(void)w;
	if (!record_of(s, q, &r, failure))
		return false;
	if (r.released)
		return serve_fail(failure, SERVE_NOT_FOUND, "it was released");
	h = held_of(s, &r);
	if (h != NULL && h->monitor.gate >= 0 &&
		monitor_open(&h->monitor, &err) != PAWL_OK)
		return broken(failure, SERVE_UNKNOWN, &err);
	if (h != NULL)
		return true;
	if (!is_void(s, &r, q->mem, &gone, failure))
		return false;
	return !gone ||
		serve_fail(failure, SERVE_NOT_FOUND,
			"it ended with who held its gate; nothing was"
			" executed");
}

static void
put_exit(struct json_writer *w, const struct exit_facts *x)
{
	json_key(w, STR("exit"));
	json_open(w, '{');
	switch (x->kind) {
	case EXIT_CODE:
		json_pair_u64(w, STR("exit"), x->code);
		break;
	case EXIT_SIGNAL:
	case EXIT_ASKED:
		json_pair_u64(w, STR("signal"),
			x->kind == EXIT_SIGNAL ? x->code : 15);
		break;
	case EXIT_TIMEOUT:
		json_pair_bool(w, STR("timeout"), true);
		break;
	case EXIT_START_FAILED:
		json_pair_str(w, STR("start_failed"), x->message);
		break;
	}
	json_pair_u64(w, STR("survivors"), x->survivors);
	json_close(w, '}');
}

/* What its worker handed in; nothing, when it isn't a file of a good size. */
static struct str
report_of(const struct record *r, struct arena *mem)
{
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	struct str report = { "", 0 };
	bool found = false;
	int fd = -1;
	enum pawl_rc rc = outbox_open(
		&fs_real, arena_strdup(mem, r->outbox), &fd, &ignored);

	if (rc == PAWL_OK)
		rc = outbox_take(&fs_real, fd, OUTBOX_REPORT,
			SERVE_RESULT_BYTES, &bytes, &found, &ignored);
	if (rc == PAWL_OK && found && bytes.len > 0)
		report = arena_copy(mem, buf_str(&bytes));
	fs_close(&fs_real, &fd);
	buf_release(&bytes);
	return report;
}

static bool
poll_it(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct server *s = arg;
	struct str was = json_str(json_get(q->root, STR("cursor"))), report;
	struct exit_facts x = { 0 };
	char hex[SHA256_HEX + 1];
	struct record r;
	struct monitor m;
	bool alive;

	if (!record_of(s, q, &r, failure))
		return false;
	if (r.released)
		return serve_fail(failure, SERVE_NOT_FOUND, "it was released");
	if (!find(&r, &m, &alive, failure))
		return false;
	if (alive)
		monitor_close(&m);
	else if (!trace_of(s, &r, q->mem, &x, failure))
		return false;
	report = report_of(&r, q->mem);
	sha256_hex(report, hex);
	json_pair_str(w, STR("cursor"),
		arena_format(q->mem, "%s %s", alive ? "running" : "over",
			report.len > 0 ? hex : "-"));
	json_pair_str(w, STR("state"),
		alive                                 ? STR("running")
			: x.trace == EXIT_TRACE_ENDED ? STR("exited")
						      : STR("gone"));
	if (!alive && x.trace == EXIT_TRACE_ENDED)
		put_exit(w, &x);
	json_key(w, STR("results"));
	json_open(w, '[');
	if (report.len > 0 && !str_ends(was, str_from(hex))) {
		json_open(w, '{');
		json_pair_str(w, STR("bytes"), report);
		json_pair_str(w, STR("sha256"), str_from(hex));
		json_close(w, '}');
	}
	json_close(w, ']');
	return true;
}

static bool
send_it(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct record r;

	if (!record_of(arg, q, &r, failure))
		return false;
	json_pair_bool(w, STR("delivered"), false);
	json_pair_str(w, STR("reason"),
		STR("a worker's standard input is its prompt alone"));
	return true;
}

/* Its monitor ends the worker and all below it, then itself. */
static bool
release(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct server *s = arg;
	struct exit_facts x = { 0 };
	struct record r;
	struct monitor m;
	struct pawl_err err;
	bool alive, ended, before;

	if (!record_of(s, q, &r, failure) || !find(&r, &m, &alive, failure))
		return false;
	before = r.released;
	ended = !alive;
	if (alive) {
		monitor_end(&m);
		ended = has_ended(&m, GRACE_MS + END_MS);
		if (!ended) {
			monitor_force(&m);
			ended = has_ended(&m, END_MS);
		}
		monitor_close(&m);
	}
	if (ended)
		let_go(held_of(s, &r));
	if (!trace_of(s, &r, q->mem, &x, failure))
		return false;
	/* A monitor that was killed has left what can't be told. */
	ended = ended && x.trace != EXIT_TRACE_OPENED && x.remaining == 0;
	r.released = r.released || ended;
	if (ended && !before && record_write(s, &r, &err) != PAWL_OK)
		return broken(failure, SERVE_UNKNOWN, &err);
	json_pair_str(w, STR("released"),
		!ended           ? STR("unproven")
			: before ? STR("already")
				 : STR("released"));
	json_pair_str(w, STR("proof"),
		ended ? STR("the monitor and all below it have ended")
		      : STR("a process may be left"));
	json_pair_u64(w, STR("survivors"), x.remaining);
	return true;
}

static struct str
presence_of(struct server *s, const struct json *v, const struct record *r,
	const struct serve_request *q)
{
	const struct json *refs = json_get(v, STR("refs"));
	struct serve_failure ignored;
	bool gone;

	/* References of something else prove nothing about this. */
	if (refs != NULL && refs->count > 0 &&
		(!str_eq(json_str(json_get(refs, STR("record"))), r->name) ||
			(uint64_t)json_int(json_get(refs, STR("pid"))) !=
				r->pid ||
			(uint64_t)json_int(json_get(refs, STR("start"))) !=
				r->start))
		return STR("unknown");
	if (r->released)
		return STR("absent");
	if (!is_void(s, r, q->mem, &gone, &ignored))
		return STR("unknown");
	return gone ? STR("absent") : STR("present");
}

static bool
reconcile(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct server *s = arg;
	const struct json *list = json_get(q->root, STR("attempts"));
	const struct json *v;

	if (list == NULL || list->kind != JSON_ARRAY)
		return serve_fail(
			failure, SERVE_INVALID, "'attempts' must be a list");
	json_key(w, STR("attempts"));
	json_open(w, '[');
	v = json_first(list);
	for (uint32_t i = 0; i < list->count; i++, v += v->span) {
		struct record r = {
			.name = name_of(
				json_str(json_get(v, STR("retry_id"))), q->mem)
		};
		const struct json *refs = json_get(v, STR("refs"));
		bool known = record_read(s, r.name, q->mem, &r);
		struct str word = known ? presence_of(s, v, &r, q)
			: refs != NULL && refs->count > 0 ? STR("unknown")
							  : STR("absent");

		json_open(w, '{');
		json_pair_str(w, STR("attempt"),
			json_str(json_get(v, STR("attempt"))));
		json_pair_str(w, STR("state"), word);
		json_key(w, STR("refs"));
		json_open(w, '{');
		if (str_eq(word, STR("present"))) {
			json_pair_str(w, STR("record"), r.name);
			json_pair_u64(w, STR("pid"), r.pid);
			json_pair_u64(w, STR("start"), r.start);
		}
		json_close(w, '}');
		json_close(w, '}');
	}
	json_close(w, ']');
	return true;
}

enum pawl_rc
driver_serve(enum builtin d, struct pawl_err *err)
{
	/* Whoever coordinates starts its workers: there is nothing to ask. */
	static const struct serve_ops host = {
		.describe = describe, .select = choose, .reconcile = reconcile
	};
	static const struct serve_ops process = { .describe = describe,
		.select = choose,
		.start = start,
		.open = open_gate,
		.poll = poll_it,
		.send = send_it,
		.release = release,
		.reconcile = reconcile };
	struct server s = { .driver = d,
		.path = getenv("PAWL_DRIVER_STATE"),
		.dir = -1,
		.exits = -1 };
	enum pawl_rc rc = monitor_program(s.child, err);
	int status;

	if (rc == PAWL_OK && s.path != NULL)
		rc = fs_open_dir(&fs_real, AT_FDCWD, s.path, &s.dir, err);
	if (rc == PAWL_OK && s.path != NULL)
		rc = exit_open(&fs_real, s.dir, &s.exits, err);
	if (rc == PAWL_OK) {
		status = serve(builtin_can(d, CAP_DURABLE_WORKER_HANDLE)
				? &process
				: &host,
			&s);
		if (status != 0)
			rc = pawl_fail(err, ERR_IO,
				"the conversation ended before its end");
	}
	for (int i = 0; i < MONITORS_MAX; i++) {
		if (s.held[i].used)
			monitor_close(&s.held[i].monitor);
	}
	fs_close(&fs_real, &s.exits);
	fs_close(&fs_real, &s.dir);
	return rc;
}
