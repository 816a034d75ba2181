#include "engine/format.h"

#include <stdio.h>
#include <string.h>

#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/bounds.h"
#include "text/json.h"

/* statfs(2) and linux/magic.h; a name where people know one. */
static const struct {
	unsigned long magic;
	const char *name;
} kinds[] = {
	{ 0xef53, "ext4" },
	{ 0x58465342, "xfs" },
	{ 0x9123683e, "btrfs" },
	{ 0x01021994, "tmpfs" },
	{ 0x794c7630, "overlay" },
	{ 0x6969, "nfs" },
	{ 0xff534d42, "cifs" },
	{ 0xfe534d42, "smb2" },
	{ 0x01021997, "9p" },
	{ 0x65735546, "fuse" },
	{ 0x2fc12fc1, "zfs" },
	{ 0xf2f52010, "f2fs" },
	{ 0x73717368, "squashfs" },
	{ 0x4d44, "vfat" },
};

static void
kind_of(int dir, char ret_kind[FORMAT_WORD])
{
	struct statfs st;

	(void)snprintf(ret_kind, FORMAT_WORD, "unknown");
	if (fstatfs(dir, &st) != 0)
		return;
	(void)snprintf(ret_kind, FORMAT_WORD, "0x%lx",
		(unsigned long)st.f_type & 0xffffffff);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].magic == ((unsigned long)st.f_type & 0xffffffff)) {
			(void)snprintf(
				ret_kind, FORMAT_WORD, "%s", kinds[i].name);
		}
	}
}

struct format
format_measure(const struct fs *fs, int dir)
{
	struct format f = { .version = FORMAT_VERSION, .device = "unknown" };
	struct pawl_err unused;
	struct stat st;

	kind_of(dir, f.fs);
	if (fs_fstat(fs, dir, &st, &unused) == PAWL_OK) {
		(void)snprintf(f.device, sizeof(f.device), "%u:%u",
			major(st.st_dev), minor(st.st_dev));
	}
	return f;
}

bool
format_same_place(const struct format *a, const struct format *b)
{
	return strcmp(a->fs, b->fs) == 0 && strcmp(a->device, b->device) == 0;
}

static enum pawl_rc
bad(struct pawl_err *err, const char *what)
{
	(void)pawl_fail(err, ERR_CORRUPT, "'" FORMAT_NAME "' %s", what);
	return pawl_hint(err,
		"pawl where; a state folder's " FORMAT_NAME
		" begins {\"format\":%d",
		FORMAT_VERSION);
}

static enum pawl_rc
decode(struct arena *mem, struct buf *b, struct format *ret_format,
	struct pawl_err *err)
{
	struct format f = { 0 };
	const struct json *doc, *version;

	if (b->len == 0)
		return bad(err, "is empty");
	if (json_read(mem, b->data, b->len, JSON_STRICT, &doc, err) !=
		PAWL_OK) {
		char msg[sizeof(err->msg)];

		memcpy(msg, err->msg, sizeof(msg));
		return bad(err, msg);
	}
	version = json_get(doc, STR("format"));
	if (version == NULL || version->kind != JSON_INT || version->n < 1)
		return bad(err, "has no positive number 'format'");
	f.version = (uint64_t)version->n;
	if (f.version > FORMAT_VERSION) {
		return pawl_fail(err, ERR_NEWER_FORMAT,
			"'" FORMAT_NAME
			"' says version %llu; this pawl knows %d",
			(unsigned long long)f.version, FORMAT_VERSION);
	}
	(void)snprintf(f.fs, sizeof(f.fs), STR_FMT,
		STR_ARG(json_str(json_get(doc, STR("fs")))));
	(void)snprintf(f.device, sizeof(f.device), STR_FMT,
		STR_ARG(json_str(json_get(doc, STR("device")))));
	*ret_format = f;
	return PAWL_OK;
}

enum pawl_rc
format_read(const struct fs *fs, int dir, struct format *ret_format,
	bool *ret_found, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct buf b = { 0 };
	enum pawl_rc rc;

	rc = fs_read(fs, dir, FORMAT_NAME, BOUND_FORMAT_BYTES, &b, err);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND) {
		*ret_found = false;
		rc = PAWL_OK;
	} else if (rc != PAWL_OK && err->code == ERR_LIMIT) {
		rc = bad(err, "is larger than one ever is");
	} else if (rc == PAWL_OK) {
		rc = decode(&mem, &b, ret_format, err);
		if (rc == PAWL_OK)
			*ret_found = true;
	}
	buf_release(&b);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
format_write(const struct fs *fs, int dir, const struct format *format,
	struct pawl_err *err)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum pawl_rc rc;

	json_open(&w, '{');
	json_pair_u64(&w, STR("format"), format->version);
	json_pair_str(&w, STR("pawl"), STR(PAWL_VERSION));
	json_pair_str(&w, STR("fs"), str_from(format->fs));
	json_pair_str(&w, STR("device"), str_from(format->device));
	json_close(&w, '}');
	buf_addc(&b, '\n');
	rc = fs_replace(fs, dir, FORMAT_NAME, buf_str(&b), FS_DURABLE, err);
	buf_release(&b);
	return rc;
}
