#include "driver/orca.h"

#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "base/sha256.h"
#include "driver/orca_attempt.h"
#include "driver/orca_terminal.h"
#include "os/clock.h"
#include "os/fs.h"
#include "os/monitor.h"
#include "os/pstat.h"

enum {
	END_MS = 8000, /* for a worker that was told to end */
	FORCE_MS = 4000,
	LOOK_MS = 20,
	CLOSE_MS = 4000, /* until a closed terminal is off orca's list */
	CLOSE_LOOK_MS = 100,
};

/* One that was started. */
struct made {
	struct orca_attempt attempt;
	struct orca_terminal terminal;
	struct str refs; /* as `start` answered */
	bool released;
};

/* Are these references those ones: no more, no fewer, no other? */
static bool
is_refs(const struct json *given, const struct json *kept)
{
	const struct json *key;

	if (given == NULL || given->kind != JSON_OBJECT ||
		kept->kind != JSON_OBJECT || given->count != kept->count ||
		kept->count == 0)
		return false;
	key = json_first(kept);
	for (uint32_t i = 0; i < kept->count; i++, key += 1 + key[1].span) {
		const struct json *v = json_get(given, key->text);

		if (v == NULL || v->kind != key[1].kind ||
			!str_eq(json_str(v), json_str(key + 1)) ||
			json_int(v) != json_int(key + 1))
			return false;
	}
	return true;
}

static bool
is_key(struct str key)
{
	for (size_t i = 0; i < key.len; i++) {
		if (strchr("0123456789abcdef", key.ptr[i]) == NULL)
			return false;
	}
	return key.len == ORCA_KEY;
}

/* What is known about an attempt that has a folder. */
static const struct json *
read_made(struct made *m, struct arena *mem)
{
	const struct json *kept = NULL;
	struct pawl_err ignored;

	m->refs = orca_file(&m->attempt, ORCA_REFS, mem);
	m->released = !fs_is_absent(&fs_real, m->attempt.dir, ORCA_RELEASED);
	if (m->refs.len == 0 ||
		json_read(mem, arena_strdup(mem, m->refs), m->refs.len,
			JSON_STRICT, &kept, &ignored) != PAWL_OK)
		return NULL;
	m->terminal = (struct orca_terminal){
		.runtime = json_str(json_get(kept, STR("runtime"))),
		.worktree = json_str(json_get(kept, STR("worktree"))),
		.handle = json_str(json_get(kept, STR("terminal"))),
		.incarnation = json_str(json_get(kept, STR("incarnation"))),
		.pty = json_str(json_get(kept, STR("pty"))),
	};
	return kept;
}

/* The one that the references of a request name; the caller closes it. */
static bool
find(const struct orca *o, const struct serve_request *q, struct made *ret_made,
	struct serve_failure *failure)
{
	struct str name = serve_ref(q, "key");
	const struct json *kept = NULL;
	struct made m = { .attempt = { .dir = -1 } };

	*ret_made = m;
	if (o->state == NULL)
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"PAWL_DRIVER_STATE names no folder");
	if (is_key(name)) {
		if (!orca_attempt_open(o->state, arena_strdup(q->mem, name),
			    false, q->mem, &m.attempt, failure))
			return false;
		if (m.attempt.dir >= 0)
			kept = read_made(&m, q->mem);
	}
	if (kept != NULL && is_refs(json_get(q->root, STR("refs")), kept)) {
		*ret_made = m;
		return true;
	}
	orca_attempt_close(&m.attempt);
	return serve_fail(failure, SERVE_NOT_FOUND,
		"these references name nothing that was made here");
}

static bool
find_unreleased(const struct orca *o, const struct serve_request *q,
	struct made *ret_made, struct serve_failure *failure)
{
	if (!find(o, q, ret_made, failure))
		return false;
	if (!ret_made->released)
		return true;
	orca_attempt_close(&ret_made->attempt);
	return serve_fail(failure, SERVE_NOT_FOUND, "it was released");
}

static bool
open_gate(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct made m;
	struct orca_look look;
	bool is = false, done = false;

	(void)w;
	if (!find_unreleased(arg, q, &m, failure))
		return false;
	orca_attempt_look(&m.attempt, q->mem, &look);
	if (look.life == ORCA_VOID || look.life == ORCA_NEVER)
		(void)serve_fail(failure, SERVE_NOT_FOUND,
			"it ended with its terminal; nothing was executed");
	else if (orca_file_once(&m.attempt, ORCA_GATE, STR(ORCA_GATE_OPEN), &is,
			 failure))
		done = is ||
			serve_fail(failure, SERVE_NOT_FOUND,
				"its release was asked for");
	orca_attempt_close(&m.attempt);
	return done;
}

static void
put_exit(struct json_writer *w, const struct orca_look *look)
{
	const struct json *end = look->end;
	const struct json *last = json_get(end, STR("last"));
	const struct json *signal = json_get(end, STR("signal"));

	json_key(w, STR("exit"));
	json_open(w, '{');
	if (end == NULL) {
		json_pair_str(w, STR("start_failed"),
			STR("its terminal ended before the worker began"));
	} else if (json_get(end, STR("exit")) != NULL) {
		json_pair_u64(w, STR("exit"),
			(uint64_t)json_int(json_get(end, STR("exit"))));
	} else if (json_get(end, STR("timeout")) != NULL) {
		json_pair_bool(w, STR("timeout"), true);
	} else if (json_get(end, STR("start_failed")) != NULL) {
		json_pair_str(w, STR("start_failed"),
			json_str(json_get(end, STR("start_failed"))));
	} else {
		/* One that was asked to end and did isn't one that ended well.
		 */
		if (signal == NULL)
			signal = json_get(last, STR("signal"));
		json_pair_u64(w, STR("signal"),
			signal != NULL ? (uint64_t)json_int(signal) : SIGTERM);
	}
	json_pair_u64(w, STR("survivors"),
		(uint64_t)json_int(json_get(end, STR("survivor_count"))));
	json_close(w, '}');
}

/* For how long it has said nothing, from its beginning on. */
static void
put_life(const struct made *m, struct json_writer *w)
{
	static const char *const names[] = { "log", "monitor", ORCA_GATE };
	struct clock clock = clock_real();
	uint64_t now_ms = clock_wall_us(&clock) / 1000, at_ms = 0;
	struct pawl_err ignored;
	struct stat st;

	for (size_t i = 0; at_ms == 0 && i < sizeof(names) / sizeof(names[0]);
		i++) {
		if (fs_stat(&fs_real, m->attempt.dir, names[i], &st,
			    &ignored) == PAWL_OK)
			at_ms = (uint64_t)st.st_mtim.tv_sec * 1000 +
				(uint64_t)st.st_mtim.tv_nsec / 1000000;
	}
	json_key(w, STR("life"));
	json_open(w, '{');
	if (at_ms > 0)
		json_pair_u64(w, STR("output_ms"),
			now_ms > at_ms ? now_ms - at_ms : 0);
	json_close(w, '}');
}

/* Its result, from the outbox that the request named; empty: none. */
static struct str
report_of(const struct made *m, struct arena *mem)
{
	struct str outbox =
		json_str(json_get(m->attempt.request, STR("outbox")));
	struct buf bytes = { 0 };
	struct str report = { "", 0 };
	struct pawl_err ignored;
	int dir = -1;

	if (fs_open_dir(&fs_real, AT_FDCWD, arena_strdup(mem, outbox), &dir,
		    &ignored) == PAWL_OK &&
		fs_read_document(&fs_real, dir, "report.json",
			SERVE_RESULT_BYTES, &bytes, &ignored) == PAWL_OK)
		report = arena_copy(mem, buf_str(&bytes));
	fs_close(&fs_real, &dir);
	buf_release(&bytes);
	return report;
}

static bool
poll_it(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct str was = json_str(json_get(q->root, STR("cursor"))), report;
	char hex[SHA256_HEX + 1];
	struct orca_look look;
	struct made m;
	bool over;

	if (!find_unreleased(arg, q, &m, failure))
		return false;
	orca_attempt_look(&m.attempt, q->mem, &look);
	over = look.life == ORCA_ENDED || look.life == ORCA_VOID;
	report = report_of(&m, q->mem);
	sha256_hex(report, hex);
	json_pair_str(w, STR("cursor"),
		arena_format(q->mem, "%d %s", (int)look.life,
			report.len > 0 ? hex : "-"));
	json_pair_str(w, STR("state"),
		over                             ? STR("exited")
			: look.life == ORCA_LOST ? STR("gone")
						 : STR("running"));
	put_life(&m, w);
	if (over)
		put_exit(w, &look);
	json_key(w, STR("results"));
	json_open(w, '[');
	if (report.len > 0 && !str_ends(was, str_from(hex))) {
		json_open(w, '{');
		json_pair_str(w, STR("bytes"), report);
		json_pair_str(w, STR("sha256"), str_from(hex));
		json_close(w, '}');
	}
	json_close(w, ']');
	orca_attempt_close(&m.attempt);
	return true;
}

static bool
send_it(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct made m;

	if (!find_unreleased(arg, q, &m, failure))
		return false;
	orca_attempt_close(&m.attempt);
	json_pair_bool(w, STR("delivered"), false);
	json_pair_str(w, STR("reason"),
		STR("a worker's standard input is its prompt alone; answers"
		    " lie in its outbox"));
	return true;
}

/* Wait until neither its holder nor its monitor lives. */
static bool
await_end(const struct made *m, int limit_ms, struct arena *mem,
	struct orca_look *look)
{
	for (int ms = 0;; ms += LOOK_MS) {
		orca_attempt_look(&m->attempt, mem, look);
		if (!look->holder.alive && !look->monitor.alive)
			return true;
		if (ms >= limit_ms)
			return false;
		(void)poll(NULL, 0, LOOK_MS);
	}
}

/* Tell its monitor, if it is exactly that. */
static void
tell_monitor(const struct orca_look *look, void (*tell)(const struct monitor *))
{
	struct monitor m = { .pidfd = -1, .gate = -1 };
	struct pawl_err ignored;
	bool alive = false;

	if (look->monitor.alive &&
		monitor_adopt(look->monitor.pid, look->monitor.start, &alive,
			&m, &ignored) == PAWL_OK &&
		alive) {
		tell(&m);
		monitor_close(&m);
	}
}

/* End the worker and its holder; true once nothing of them lives. */
static bool
end_processes(const struct made *m, struct arena *mem, struct orca_look *look)
{
	const struct json *left; /* what even KILL didn't end */
	struct serve_failure ignored;
	struct pstat holder;
	bool is;

	/* One that wasn't opened never will be. */
	if (!orca_file_once(&m->attempt, ORCA_GATE, STR(ORCA_GATE_CANCELLED),
		    &is, &ignored))
		return false;
	orca_attempt_look(&m->attempt, mem, look);
	if (look->monitor.alive)
		tell_monitor(look, monitor_end);
	else if (look->holder.alive &&
		pstat_read("/proc", look->holder.pid, &holder) == PSTAT_HERE &&
		holder.start == look->holder.start)
		(void)pstat_signal("/proc", &holder, SIGTERM);
	if (!await_end(m, END_MS, mem, look)) {
		tell_monitor(look, monitor_force);
		if (!await_end(m, FORCE_MS, mem, look))
			return false;
	}
	left = json_get(look->end, STR("remaining"));
	/* A monitor that was killed has left what can't be told. */
	return look->life != ORCA_LOST && (left == NULL || left->count == 0);
}

/*
 * Close its terminal, and see that orca's list is without it.  A runtime that
 * has ended, or began after it, has none of its terminals.
 */
static bool
close_terminal(const struct made *m, struct arena *mem, const char **ret_proof)
{
	struct serve_failure why = { .code = SERVE_UNKNOWN };
	struct orca_reply reply = { .value = NULL };
	enum orca_found found = ORCA_UNCLEAR;
	struct str handle = { "", 0 }, runtime;
	struct orca_cli cli;
	const char *args[1];
	bool down = false, asked = false;

	*ret_proof = "its processes have ended; orca can't be asked about its"
		     " terminal";
	if (!orca_cli_find(&cli, mem, &why))
		return false;
	if (!orca_runtime(&cli, mem, &runtime, &down, &why)) {
		if (down)
			*ret_proof = "its processes have ended, and orca"
				     " doesn't run";
		return down;
	}
	if (!str_eq(runtime, m->terminal.runtime)) {
		*ret_proof = "its processes have ended, and so has the runtime"
			     " that had its terminal";
		return true;
	}
	for (int ms = 0; ms <= CLOSE_MS; ms += CLOSE_LOOK_MS) {
		if (!orca_terminal_find(
			    &cli, &m->terminal, mem, &found, &handle, &why))
			return false;
		if (found != ORCA_HERE)
			break;
		args[0] = arena_strdup(mem, handle);
		if (!asked &&
			!orca_ask(&cli, ORCA_TERMINAL_CLOSE, args, mem, &reply,
				&why) &&
			why.code != SERVE_NOT_FOUND)
			return false;
		asked = true;
		(void)poll(NULL, 0, CLOSE_LOOK_MS);
	}
	if (found == ORCA_HERE)
		*ret_proof = "its processes have ended; orca still lists its"
			     " terminal";
	if (found == ORCA_GONE)
		*ret_proof = "its processes have ended, and its terminal is off"
			     " orca's list";
	return found == ORCA_GONE;
}

static bool
release(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	const char *proof = "a process of its may be left";
	struct orca_look look = { .life = ORCA_UNCLAIMED };
	struct made m;
	bool done, is, written;

	if (!find(arg, q, &m, failure))
		return false;
	done = m.released ||
		(end_processes(&m, q->mem, &look) &&
			close_terminal(&m, q->mem, &proof));
	if (m.released)
		proof = "it was released, and that was proven then";
	written = !done ||
		orca_file_once(
			&m.attempt, ORCA_RELEASED, STR("1"), &is, failure);
	orca_attempt_close(&m.attempt);
	if (!written)
		return false;
	json_pair_str(w, STR("released"),
		!done                ? STR("unproven")
			: m.released ? STR("already")
				     : STR("released"));
	json_pair_str(w, STR("proof"), str_from(proof));
	json_pair_u64(w, STR("survivors"),
		(uint64_t)look.holder.alive + (uint64_t)look.monitor.alive);
	return true;
}

/* How one stands, by its identity and by what pawl has of it. */
static struct str
presence_of(
	const struct made *m, const struct json *kept, const struct json *refs)
{
	bool given = refs != NULL && refs->count > 0;

	if (m->attempt.dir < 0)
		return given ? STR("unknown") : STR("absent");
	/* Asked for, and not answered: `start` finds out. */
	if (kept == NULL) {
		return m->attempt.request == NULL && !given ? STR("absent")
							    : STR("unknown");
	}
	if (given && !is_refs(refs, kept))
		return STR("unknown");
	return m->released ? STR("absent") : STR("present");
}

static void
put_presence(const struct orca *o, const struct json *v, struct arena *mem,
	struct json_writer *w)
{
	struct made m = { .attempt = { .dir = -1 } };
	struct serve_failure ignored;
	const struct json *kept = NULL;
	struct str word = STR("unknown");
	char key[ORCA_KEY + 1];

	orca_key(json_str(json_get(v, STR("retry_id"))), key);
	if (o->state != NULL &&
		orca_attempt_open(
			o->state, key, false, mem, &m.attempt, &ignored)) {
		if (m.attempt.dir >= 0)
			kept = read_made(&m, mem);
		word = presence_of(&m, kept, json_get(v, STR("refs")));
		orca_attempt_close(&m.attempt);
	}
	json_open(w, '{');
	json_pair_str(w, STR("attempt"), json_str(json_get(v, STR("attempt"))));
	json_pair_str(w, STR("state"), word);
	json_key(w, STR("refs"));
	if (str_eq(word, STR("present")))
		json_put_raw(w, m.refs);
	else
		json_put_raw(w, STR("{}"));
	json_close(w, '}');
}

static bool
reconcile(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	const struct json *list = json_get(q->root, STR("attempts"));
	const struct json *v;

	if (list == NULL || list->kind != JSON_ARRAY)
		return serve_fail(
			failure, SERVE_INVALID, "'attempts' must be a list");
	json_key(w, STR("attempts"));
	json_open(w, '[');
	v = json_first(list);
	for (uint32_t i = 0; i < list->count; i++, v += v->span)
		put_presence(arg, v, q->mem, w);
	json_close(w, ']');
	return true;
}

const struct serve_ops orca_ops = { .describe = orca_describe,
	.select = orca_select,
	.start = orca_start,
	.open = open_gate,
	.poll = poll_it,
	.send = send_it,
	.release = release,
	.reconcile = reconcile };
