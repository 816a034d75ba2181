#include "child/exitfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

void
exitfile_format(const struct exitfile *e, struct buf *to)
{
	buf_add(to, STR("{\"v\":1"));
	add_cause(to, e);
	add_time(to, "started_at", e->started_us);
	add_time(to, "ended_at", e->ended_us);
	add_number(to, "duration_ms", e->duration_ms);
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

static bool
write_all(int fd, struct str text)
{
	while (text.len > 0) {
		ssize_t n = write(fd, text.ptr, text.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text = str_part(text, (size_t)n, text.len - (size_t)n);
	}
	return true;
}

/* A folder can't be renamed over; it changes places with our file instead. */
static bool
put(int outbox, const char *temp)
{
	if (renameat(outbox, temp, outbox, "exit.json") == 0)
		return true;
	return (errno == EISDIR || errno == ENOTEMPTY || errno == EEXIST) &&
		renameat2(outbox, temp, outbox, "exit.json", RENAME_EXCHANGE) ==
		0;
}

static enum pawl_rc
write_into(int outbox, struct str text, struct pawl_err *err)
{
	struct rand rand = clock_rand();
	enum pawl_rc rc = PAWL_OK;
	char temp[64];
	bool done;
	int fd;

	/* Whoever guesses the name can at most make us fail. */
	(void)snprintf(temp, sizeof(temp), ".exit-%d-%016llx", (int)getpid(),
		(unsigned long long)rand_u64(&rand));
	fd = openat(outbox, temp,
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return pawl_fail_sys(err, ERR_IO, "could not make '%s'", temp);
	done = write_all(fd, text) && put(outbox, temp);
	if (!done) {
		rc = pawl_fail_sys(err, ERR_IO, "could not write exit.json");
		(void)unlinkat(outbox, temp, 0);
	}
	(void)close(fd); /* synced */
	return rc;
}

enum pawl_rc
exitfile_write(
	int outbox, const char *path, struct str text, struct pawl_err *err)
{
	enum pawl_rc rc = write_into(outbox, text, err);
	int fd;

	if (rc == PAWL_OK)
		return rc;
	if (err->sys == EACCES && fchmod(outbox, 0700) == 0)
		return write_into(outbox, text, err);
	if (err->sys != ENOENT || (mkdir(path, 0700) != 0 && errno != EEXIST))
		return rc;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not make '%s' anew", path);
	}
	rc = write_into(fd, text, err);
	(void)close(fd); /* only looked through */
	return rc;
}
