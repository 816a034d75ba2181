#include "engine/exit.h"

#include <fcntl.h>
#include <string.h>

#include "text/json.h"
#include "text/utf8.h"

enum {
	EXIT_CHUNK = 64 << 10,
	EXIT_LOG_MAX = 1 << 20,
	EXIT_LINE_MAX = 200,
};

static uint64_t
count_of(const struct json *v, struct str key)
{
	int64_t n = json_int(json_get(v, key));

	return n > 0 ? (uint64_t)n : 0;
}

/* `cpu 12 s`; at an end that was ours. */
static void
silent_of(const struct json *v, struct arena *mem, struct strs *ret_silent)
{
	static const struct {
		struct str key;
		const char *word;
	} signs[] = {
		{ { "heartbeat_ms", 12 }, "heartbeat" },
		{ { "output_ms", 9 }, "output" },
		{ { "cpu_ms", 6 }, "cpu" },
		{ { "files_ms", 8 }, "files" },
	};
	enum { SIGNS = sizeof(signs) / sizeof(signs[0]) };

	if (v == NULL)
		return;
	ret_silent->items = arena_array(mem, SIGNS, struct str);
	for (size_t i = 0; i < SIGNS; i++) {
		const struct json *ms = json_get(v, signs[i].key);
		uint64_t n = count_of(v, signs[i].key);

		if (ms == NULL)
			continue;
		ret_silent->items[ret_silent->count++] =
			arena_format(mem, "%s %llu.%llu s", signs[i].word,
				(unsigned long long)(n / 1000),
				(unsigned long long)(n % 1000 / 100));
	}
}

static bool
facts_of(const struct json *v, struct arena *mem, struct exit_facts *x)
{
	const struct json *out = json_get(v, STR("stdout"));
	const struct json *errs = json_get(v, STR("stderr"));
	const struct json *left = json_get(v, STR("remaining"));

	if (v->kind != JSON_OBJECT)
		return false;
	if (json_bool(json_get(v, STR("timeout")))) {
		x->kind = EXIT_TIMEOUT;
	} else if (json_bool(json_get(v, STR("interrupted")))) {
		x->kind = EXIT_ASKED;
	} else if (json_get(v, STR("start_failed")) != NULL) {
		x->kind = EXIT_START_FAILED;
		x->message = json_str(json_get(v, STR("start_failed")));
	} else if (json_get(v, STR("signal")) != NULL) {
		x->kind = EXIT_SIGNAL;
		x->code = count_of(v, STR("signal"));
	} else if (json_get(v, STR("exit")) != NULL) {
		x->kind = EXIT_CODE;
		x->code = count_of(v, STR("exit"));
	} else {
		return false;
	}
	x->duration_ms = count_of(v, STR("duration_ms"));
	x->held_ms = count_of(v, STR("held_ms"));
	x->stdout_bytes = count_of(out, STR("bytes"));
	x->stdout_sha256 = json_str(json_get(out, STR("sha256")));
	x->stderr_bytes = count_of(errs, STR("bytes"));
	x->stderr_sha256 = json_str(json_get(errs, STR("sha256")));
	x->survivors = count_of(v, STR("survivor_count"));
	x->remaining = left != NULL ? left->count : 0;
	silent_of(json_get(v, STR("silent")), mem, &x->silent);
	return true;
}

enum pawl_rc
exit_open(const struct fs *fs, int run_dir, int *ret_fd, struct pawl_err *err)
{
	struct stat st;
	enum pawl_rc rc = fs_make_view_dir(fs, run_dir, "outbox", err);

	if (rc == PAWL_OK)
		rc = fs_open(fs, run_dir, "outbox/exits",
			O_RDWR | O_CREAT | O_APPEND, ret_fd, err);
	if (rc == PAWL_OK)
		rc = fs_fstat(fs, *ret_fd, &st, err);
	if (rc == PAWL_OK && !S_ISREG(st.st_mode))
		rc = pawl_fail(
			err, ERR_CORRUPT, "'outbox/exits' is no regular file");
	return rc;
}

enum pawl_rc
exit_size(const struct fs *fs, int fd, uint64_t *ret_size, struct pawl_err *err)
{
	struct stat st;
	enum pawl_rc rc = fs_fstat(fs, fd, &st, err);

	if (rc == PAWL_OK)
		*ret_size = (uint64_t)st.st_size;
	return rc;
}

/* A look through the file, and what was found so far. */
struct search {
	const struct exit_of *of;
	struct arena *mem;
	struct exit_facts facts;
};

/* One line; the last of several ends counts. */
static void
look(struct search *s, struct str line)
{
	const struct json *v, *monitor;
	struct exit_facts facts = { 0 };
	struct pawl_err torn;
	char *copy;

	if (line.len < s->of->name.len ||
		memmem(line.ptr, line.len, s->of->name.ptr, s->of->name.len) ==
			NULL)
		return;
	copy = arena_strdup(s->mem, line);
	if (json_read(s->mem, copy, line.len, JSON_STRICT, &v, &torn) !=
		PAWL_OK)
		return;
	monitor = json_get(v, STR("monitor"));
	if (!str_eq(json_str(json_get(v, STR("of"))), s->of->name) ||
		count_of(monitor, STR("pid")) != s->of->pid ||
		count_of(monitor, STR("start")) != s->of->start)
		return;
	if (facts_of(v, s->mem, &facts)) {
		facts.trace = EXIT_TRACE_ENDED;
		s->facts = facts;
	} else if (s->facts.trace == EXIT_TRACE_NONE) {
		s->facts.trace = EXIT_TRACE_OPENED;
	}
}

enum pawl_rc
exit_read(const struct fs *fs, int fd, const struct exit_of *of,
	struct arena *mem, struct exit_facts *ret_facts, struct pawl_err *err)
{
	struct search s = { .of = of, .mem = mem };
	struct buf bytes = { 0 };
	uint64_t at = 0;
	enum pawl_rc rc = exit_size(fs, fd, &at, err);

	/* One that is shorter than it was has been spoilt: look at all of it.
	 */
	at = at < of->from ? 0 : of->from;
	while (rc == PAWL_OK) {
		size_t want = EXIT_CHUNK - bytes.len, n = want;
		char *to = buf_reserve(&bytes, want);
		struct str rest;

		rc = fs_pread(fs, fd, at, to, &n, err);
		if (rc != PAWL_OK)
			break;
		at += n;
		bytes.len += n;
		rest = buf_str(&bytes);
		while (rest.len > 0 && str_find(rest, '\n') < rest.len)
			look(&s, str_cut(&rest, '\n'));
		if (n < want)
			break;
		/* No line is as long as a chunk: what is, is garbage. */
		if (rest.len == bytes.len)
			rest.len = 0;
		if (rest.len > 0)
			memmove(bytes.data, rest.ptr, rest.len);
		bytes.len = rest.len;
	}
	buf_release(&bytes);
	if (rc == PAWL_OK)
		*ret_facts = s.facts;
	return rc;
}

void
exit_set(struct event *e, const struct exit_facts *x)
{
	switch (x->kind) {
	case EXIT_CODE:
		EVENT_SET(e, F_EXIT, exit, x->code);
		break;
	case EXIT_SIGNAL:
		EVENT_SET(e, F_SIGNAL, signal, x->code);
		break;
	case EXIT_TIMEOUT:
		EVENT_SET(e, F_TIMEOUT, timeout, true);
		break;
	case EXIT_ASKED:
		break;
	case EXIT_START_FAILED:
		EVENT_SET(e, F_START_FAILED, start_failed, x->message);
		break;
	}
	EVENT_SET(e, F_DURATION_MS, duration_ms, x->duration_ms);
	if (x->held_ms > 0)
		EVENT_SET(e, F_HELD_MS, held_ms, x->held_ms);
	if (x->silent.count > 0)
		EVENT_SET(e, F_SILENT, silent, x->silent);
	if (x->session.len > 0)
		EVENT_SET(e, F_SESSION, session, x->session);
	if (x->usage.count > 0)
		EVENT_SET(e, F_USAGE, usage, x->usage);
	if (x->kind == EXIT_START_FAILED)
		return;
	EVENT_SET(e, F_STDOUT_BYTES, stdout_bytes, x->stdout_bytes);
	EVENT_SET(e, F_STDOUT_SHA256, stdout_sha256, x->stdout_sha256);
	EVENT_SET(e, F_STDERR_BYTES, stderr_bytes, x->stderr_bytes);
	EVENT_SET(e, F_STDERR_SHA256, stderr_sha256, x->stderr_sha256);
	EVENT_SET(e, F_SURVIVORS, survivors, x->survivors);
}

bool
exit_is_success(const struct exit_facts *x)
{
	return x->kind == EXIT_CODE && x->code == 0 && x->survivors == 0;
}

struct str
exit_words(const struct exit_facts *x, struct arena *mem)
{
	switch (x->kind) {
	case EXIT_CODE:
		return x->code == 0 && x->survivors > 0
			? arena_format(mem, "exit 0, %llu left behind",
				  (unsigned long long)x->survivors)
			: arena_format(mem, "exit %llu",
				  (unsigned long long)x->code);
	case EXIT_SIGNAL:
		return arena_format(
			mem, "signal %llu", (unsigned long long)x->code);
	case EXIT_TIMEOUT:
		return STR("timeout");
	case EXIT_ASKED:
		return STR("interrupted");
	case EXIT_START_FAILED:
		return arena_format(
			mem, "start failed: " STR_FMT, STR_ARG(x->message));
	}
	return STR("");
}

/* Bytes that may be anything, as UTF-8 without controls but LF and tab. */
static struct str
clean(struct str bytes, struct arena *mem)
{
	struct buf text = { 0 };
	struct str copy;

	while (bytes.len > 0) {
		uint32_t code = 0;
		size_t n = utf8_next(bytes, &code);

		if (n == 0)
			buf_add(&text, STR("\xef\xbf\xbd"));
		else if (code >= ' ' || code == '\n' || code == '\t')
			buf_add(&text, str_part(bytes, 0, n));
		bytes = str_part(bytes, n ? n : 1, bytes.len);
	}
	copy = text.len ? arena_copy(mem, buf_str(&text)) : STR("");
	buf_release(&text);
	return copy;
}

/* The last `max` bytes, from the start of a line on; of a line that is longer
 * than that, from the start of a character on. */
static struct str
head_cut(struct str s, size_t max)
{
	struct str tail = str_part(s, s.len > max ? s.len - max : 0, s.len);
	size_t lf = str_find(tail, '\n');

	if (tail.len == s.len)
		return s;
	if (lf + 1 < tail.len)
		return str_part(tail, lf + 1, tail.len);
	while (tail.len > 0 && (tail.ptr[0] & 0xc0) == 0x80)
		tail = str_part(tail, 1, tail.len);
	return tail;
}

struct str
exit_tail(const struct fs *fs, const char *dir, const char *log, size_t max,
	struct arena *mem)
{
	struct buf bytes = { 0 };
	struct str tail = { "", 0 };
	struct pawl_err ignored;
	int fd = -1;

	/* A log is a diagnostic: without it the verdict is the same. */
	if (fs_open_dir(fs, AT_FDCWD, dir, &fd, &ignored) == PAWL_OK &&
		fs_read(fs, fd, log, EXIT_LOG_MAX, &bytes, &ignored) ==
			PAWL_OK) {
		struct str all = buf_str(&bytes);

		tail = head_cut(clean(head_cut(all, max), mem), max);
	}
	fs_close(fs, &fd);
	buf_release(&bytes);
	return tail;
}

struct str
exit_last_line(const struct fs *fs, const char *dir, const char *log,
	struct arena *mem)
{
	struct str rest = str_trim(exit_tail(fs, dir, log, 4096, mem));
	struct str line = { "", 0 };

	while (rest.len > 0) {
		struct str next = str_trim(str_cut(&rest, '\n'));

		if (next.len > 0)
			line = next;
	}
	return utf8_cut(line, EXIT_LINE_MAX);
}
