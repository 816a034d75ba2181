#include "cli/driver_record.h"

#include "base/sha256.h"
#include "engine/outbox.h"
#include "os/fs.h"
#include "text/driver_protocol.h"

enum { RECORD_MAX = 4096 + 1024 };

struct str
driver_record_name(struct str identity, struct arena *mem)
{
	char *name = arena_strdup(mem, identity);

	for (size_t i = 0; i < identity.len; i++) {
		if (name[i] == '/' || name[i] == '.')
			name[i] = '_';
	}
	return arena_format(mem, "%s.json", name);
}

bool
driver_record_read(int dir, struct str name, struct arena *mem,
	struct driver_record *ret_record)
{
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	const struct json *v = NULL;
	enum pawl_rc rc = dir < 0 ? PAWL_ENOENT
				  : fs_read(&fs_real, dir, name.ptr, RECORD_MAX,
					    &bytes, &ignored);

	if (rc == PAWL_OK)
		rc = json_read(mem, arena_strdup(mem, buf_str(&bytes)),
			bytes.len, JSON_STRICT, &v, &ignored);
	buf_release(&bytes);
	if (rc != PAWL_OK)
		return false;
	*ret_record = (struct driver_record){ .name = name,
		.digest = json_str(json_get(v, STR("digest"))),
		.outbox = json_str(json_get(v, STR("outbox"))),
		.pid = (uint64_t)json_int(json_get(v, STR("pid"))),
		.start = (uint64_t)json_int(json_get(v, STR("start"))),
		.released = json_bool(json_get(v, STR("released"))) };
	return true;
}

enum pawl_rc
driver_record_write(
	int dir, const struct driver_record *r, struct pawl_err *err)
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
		&fs_real, dir, r->name.ptr, buf_str(&text), FS_CACHE, err);
	buf_release(&text);
	return rc;
}

struct str
driver_record_digest(const struct json *request, struct arena *mem)
{
	static const char *const names[] = { "attempt", "run", "workspace",
		"capsule", "prompt", "outbox", "profile", "deadline_ms" };
	char hex[SHA256_HEX + 1];
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };

	json_open(&w, '[');
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct json *v = json_get(request, str_from(names[i]));

		if (v != NULL)
			json_put(&w, v);
	}
	json_close(&w, ']');
	sha256_hex(buf_str(&text), hex);
	buf_release(&text);
	return arena_copy(mem, str_from(hex));
}

struct str
driver_record_report(const struct driver_record *r, struct arena *mem)
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
