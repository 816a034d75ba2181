#include "child/exitfile.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"

/* Bytes over 127 are written one by one, so that any name is valid JSON. */
static void
add_text(struct buf *to, struct str text)
{
	buf_addc(to, '"');
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c == '"' || c == '\\') {
			buf_addf(to, "\\%c", c);
		} else if (c < ' ' || c >= 0x7f) {
			buf_addf(to, "\\u%04x", c);
		} else {
			buf_addc(to, (char)c);
		}
	}
	buf_addc(to, '"');
}

static void
add_number(struct buf *to, const char *key, uint64_t n)
{
	buf_addf(to, ",\"%s\":%llu", key, (unsigned long long)n);
}

static void
add_time(struct buf *to, const char *key, uint64_t us)
{
	char text[CLOCK_TEXT_BYTES + 1];

	clock_format(us, text);
	buf_addf(to, ",\"%s\":\"%s\"", key, text);
}

static void
add_status(struct buf *to, int status)
{
	if (WIFEXITED(status)) {
		buf_addf(to, "\"exit\":%d", WEXITSTATUS(status));
	} else {
		buf_addf(to, "\"signal\":%d", WTERMSIG(status));
	}
}

static void
add_cause(struct buf *to, const struct exitfile *e)
{
	switch (e->cause) {
	case CAUSE_OWN:
		buf_addc(to, ',');
		add_status(to, e->status);
		return;
	case CAUSE_START_FAILED:
		buf_add(to, STR(",\"start_failed\":"));
		add_text(to, str_from(e->start_err.msg));
		buf_addf(to, ",\"errno\":%d", e->start_err.sys);
		return;
	case CAUSE_TIMEOUT:
		buf_add(to, STR(",\"timeout\":true"));
		add_number(to, "limit_ms", e->limit_ms);
		break;
	case CAUSE_INTERRUPTED:
		buf_add(to, STR(",\"interrupted\":true"));
		break;
	}
	buf_add(to, STR(",\"last\":{"));
	add_status(to, e->status);
	buf_addc(to, '}');
}

static void
add_stream(struct buf *to, const char *key, const struct stream_total *total)
{
	char hex[SHA256_HEX + 1];

	sha256_hex_of(total->digest, hex);
	buf_addf(to, ",\"%s\":{\"bytes\":%llu,\"sha256\":\"%s\"}", key,
		(unsigned long long)total->bytes, hex);
}

static void
add_process(struct buf *to, const char *key, pid_t pid, uint64_t start)
{
	buf_addf(to, ",\"%s\":{\"pid\":%d,\"start\":%llu}", key, (int)pid,
		(unsigned long long)start);
}

static void
add_list(struct buf *to, const char *key, const struct tree *tree)
{
	buf_addf(to, ",\"%s\":[", key);
	for (size_t i = 0; i < tree->count && i < EXITFILE_LIST_MAX; i++) {
		const struct pstat *p = &tree->items[i];

		buf_addf(to, "%s{\"pid\":%d,\"start\":%llu,\"comm\":",
			i > 0 ? "," : "", (int)p->pid,
			(unsigned long long)p->start);
		add_text(to, str_from(p->comm));
		buf_addc(to, '}');
	}
	buf_addc(to, ']');
}

static void
add_log(struct buf *to, const struct exitfile *e)
{
	buf_addf(to, ",\"log\":{\"head\":%llu,\"tail\":%llu,\"dropped\":%llu",
		(unsigned long long)e->log_head,
		(unsigned long long)e->log_tail,
		(unsigned long long)e->log_dropped);
	if (e->log_sys != 0) {
		buf_add(to, STR(",\"failed\":"));
		add_text(to, str_from(strerror(e->log_sys)));
	}
	buf_addc(to, '}');
}

static void
begin(struct buf *to, const char *name)
{
	buf_add(to, STR("{\"v\":1,\"of\":"));
	add_text(to, str_from(name));
}

void
exitfile_format(const struct exitfile *e, struct buf *to)
{
	begin(to, e->name);
	add_cause(to, e);
	add_time(to, "started_at", e->started_us);
	add_time(to, "ended_at", e->ended_us);
	add_number(to, "duration_ms", e->duration_ms);
	add_number(to, "held_ms", e->held_ms);
	add_number(to, "settle_ms", e->settle_ms);
	add_number(to, "user_us", e->user_us);
	add_number(to, "system_us", e->system_us);
	add_number(to, "rss_max_kib", e->rss_max_kib);
	add_stream(to, "stdout", &e->out);
	add_stream(to, "stderr", &e->err);
	add_log(to, e);
	add_number(to, "masked", e->masked);
	add_list(to, "survivors", e->survivors);
	add_number(to, "survivor_count", e->survivors->count);
	add_list(to, "remaining", e->remaining);
	if (e->cause == CAUSE_TIMEOUT || e->cause == CAUSE_INTERRUPTED) {
		buf_addf(to,
			",\"silent\":{\"output_ms\":%llu,\"heartbeat_ms\":%llu,"
			"\"cpu_ms\":%llu}",
			(unsigned long long)e->silent_output_ms,
			(unsigned long long)e->silent_heartbeat_ms,
			(unsigned long long)e->silent_cpu_ms);
	}
	if (e->cause != CAUSE_START_FAILED)
		add_process(to, "worker", e->worker_pid, e->worker_start);
	add_process(to, "monitor", e->monitor_pid, e->monitor_start);
	buf_add(to, STR("}\n"));
}

void
exitfile_format_opened(const struct exitfile *e, struct buf *to)
{
	begin(to, e->name);
	buf_add(to, STR(",\"opened\":true"));
	add_process(to, "monitor", e->monitor_pid, e->monitor_start);
	buf_add(to, STR("}\n"));
}

enum pawl_rc
exitfile_append(int fd, struct str line, struct pawl_err *err)
{
	struct buf text = { 0 };
	enum pawl_rc rc = PAWL_OK;
	ssize_t n;

	buf_addc(&text, '\n');
	buf_add(&text, line);
	do {
		n = write(fd, text.data, text.len);
	} while (n < 0 && errno == EINTR);
	if (n >= 0 && (size_t)n != text.len) {
		rc = pawl_fail(err, ERR_IO, "could not write all of an end");
	} else if (n < 0) {
		rc = pawl_fail_sys(err, ERR_IO, "could not write an end");
	}
	buf_release(&text);
	return rc;
}
