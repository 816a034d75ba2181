#include "driver/orca_attempt.h"

#include <string.h>

#include "base/num.h"
#include "base/sha256.h"
#include "os/fs.h"
#include "os/pstat.h"

enum { EXITS_MAX = 1 << 20 };

void
orca_key(struct str identity, char ret_key[ORCA_KEY + 1])
{
	char hex[SHA256_HEX + 1];

	sha256_hex(identity, hex);
	memcpy(ret_key, hex, ORCA_KEY);
	ret_key[ORCA_KEY] = '\0';
}

/* A document of its folder; NULL when it isn't there, or isn't whole. */
static const struct json *
document(const struct orca_attempt *a, const char *name, size_t max,
	struct arena *mem)
{
	struct buf bytes = { 0 };
	const struct json *v = NULL;
	struct pawl_err ignored;

	if (fs_read(&fs_real, a->dir, name, max, &bytes, &ignored) != PAWL_OK ||
		json_read(mem, arena_strdup(mem, buf_str(&bytes)), bytes.len,
			JSON_STRICT, &v, &ignored) != PAWL_OK)
		v = NULL;
	buf_release(&bytes);
	return v;
}

bool
orca_attempt_open(const char *state, const char *key, bool make,
	struct arena *mem, struct orca_attempt *ret_attempt,
	struct serve_failure *failure)
{
	struct orca_attempt a = { .dir = -1 };
	struct pawl_err err;
	enum pawl_rc rc;
	int dir = -1;

	memcpy(a.key, key, ORCA_KEY);
	a.path = arena_format(mem, "%s/%s", state, a.key).ptr;
	rc = fs_open_dir(&fs_real, AT_FDCWD, state, &dir, &err);
	if (rc == PAWL_OK && make)
		rc = fs_make_dir(&fs_real, dir, a.key, &err);
	if (rc == PAWL_OK && (make || !fs_is_absent(&fs_real, dir, a.key)))
		rc = fs_open_dir(&fs_real, dir, a.key, &a.dir, &err);
	fs_close(&fs_real, &dir);
	if (rc != PAWL_OK)
		return serve_fail(failure, SERVE_UNAVAILABLE, "%s", err.msg);
	if (a.dir >= 0)
		a.request = document(&a, "request", SERVE_LINE_BYTES, mem);
	*ret_attempt = a;
	return true;
}

void
orca_attempt_close(struct orca_attempt *a)
{
	if (a->path != NULL)
		fs_close(&fs_real, &a->dir);
}

struct str
orca_file(const struct orca_attempt *a, const char *name, struct arena *mem)
{
	struct buf bytes = { 0 };
	struct str text = { "", 0 };
	struct pawl_err ignored;

	if (fs_read(&fs_real, a->dir, name, ORCA_FILE_BYTES, &bytes,
		    &ignored) == PAWL_OK)
		text = arena_copy(mem, buf_str(&bytes));
	buf_release(&bytes);
	return text;
}

bool
orca_file_once(const struct orca_attempt *a, const char *name, struct str bytes,
	bool *ret_is, struct serve_failure *failure)
{
	struct pawl_err err;
	bool made;
	enum pawl_rc rc =
		fs_create_once(&fs_real, a->dir, name, bytes, &made, &err);

	*ret_is = rc == PAWL_OK;
	return rc == PAWL_OK || err.code == ERR_ID_TAKEN ||
		serve_fail(failure, SERVE_UNKNOWN, "%s", err.msg);
}

bool
orca_process_text(pid_t pid, struct arena *mem, struct str *ret_text)
{
	struct pstat stat;

	if (pstat_read("/proc", pid, &stat) != PSTAT_HERE)
		return false;
	*ret_text = arena_format(
		mem, "%d %llu", (int)pid, (unsigned long long)stat.start);
	return true;
}

static struct orca_process
process_of(struct str text)
{
	struct orca_process p = { .pid = 0 };
	struct str rest = text, first = str_cut(&rest, ' ');
	struct pstat stat;
	struct pawl_err ignored;
	uint64_t pid, start;

	if (num_u64(first, 2, INT32_MAX, &pid, &ignored) != PAWL_OK ||
		!num_digits(rest, &start))
		return p;
	p.pid = (pid_t)pid;
	p.start = start;
	switch (pstat_read("/proc", p.pid, &stat)) {
	case PSTAT_HERE:
		p.alive = stat.start == start && !pstat_is_dead(&stat);
		break;
	case PSTAT_HIDDEN:
		p.alive = true; /* nobody has seen it go */
		break;
	case PSTAT_GONE:
		break;
	}
	return p;
}

/* Of its monitor alone: did it open its gate, and how did its worker end? */
static bool
was_opened(const struct orca_attempt *a, const struct orca_process *monitor,
	struct arena *mem, const struct json **ret_end)
{
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	struct str rest;
	bool opened = false;

	if (fs_read(&fs_real, a->dir, "exits", EXITS_MAX, &bytes, &ignored) !=
		PAWL_OK) {
		buf_release(&bytes);
		return false;
	}
	rest = arena_copy(mem, buf_str(&bytes));
	buf_release(&bytes);
	while (rest.len > 0) {
		struct str line = str_cut(&rest, '\n');
		const struct json *v, *of;

		if (line.len == 0 ||
			json_read(mem, arena_strdup(mem, line), line.len,
				JSON_STRICT, &v, &ignored) != PAWL_OK)
			continue;
		of = json_get(v, STR("monitor"));
		if (json_int(json_get(of, STR("pid"))) != monitor->pid ||
			(uint64_t)json_int(json_get(of, STR("start"))) !=
				monitor->start)
			continue;
		opened = true;
		if (!json_bool(json_get(v, STR("opened"))))
			*ret_end = v;
	}
	return opened;
}

void
orca_attempt_look(const struct orca_attempt *a, struct arena *mem,
	struct orca_look *ret_look)
{
	struct orca_look look = { .life = ORCA_UNCLAIMED };
	struct str claim = orca_file(a, ORCA_CLAIM, mem);

	look.holder = process_of(claim);
	/* After its holder: one that is gone makes no monitor any more. */
	look.monitor = process_of(orca_file(a, "monitor", mem));
	if (str_eq(claim, STR(ORCA_CLAIM_NEVER)))
		look.life = ORCA_NEVER;
	else if (look.monitor.alive)
		look.life = ORCA_RUNNING;
	else if (look.monitor.pid != 0 &&
		was_opened(a, &look.monitor, mem, &look.end))
		look.life = look.end != NULL ? ORCA_ENDED : ORCA_LOST;
	else if (look.holder.alive)
		look.life = ORCA_HELD;
	else if (claim.len > 0)
		look.life = ORCA_VOID;
	*ret_look = look;
}
