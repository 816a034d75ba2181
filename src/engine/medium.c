#include "engine/medium.h"

#include <stdio.h>
#include <string.h>

#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/bounds.h"
#include "text/json.h"

#define MEDIUM_NAME "medium"

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
kind_of(int dir, char ret_kind[MEDIUM_WORD])
{
	struct statfs st;

	(void)snprintf(ret_kind, MEDIUM_WORD, "unknown");
	if (fstatfs(dir, &st) != 0)
		return;
	(void)snprintf(ret_kind, MEDIUM_WORD, "0x%lx",
		(unsigned long)st.f_type & 0xffffffff);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].magic == ((unsigned long)st.f_type & 0xffffffff)) {
			(void)snprintf(
				ret_kind, MEDIUM_WORD, "%s", kinds[i].name);
		}
	}
}

struct medium
medium_measure(const struct fs *fs, int dir)
{
	struct medium m = { .device = "unknown" };
	struct pawl_err unused;
	struct stat st;

	kind_of(dir, m.fs);
	if (fs_fstat(fs, dir, &st, &unused) == PAWL_OK) {
		(void)snprintf(m.device, sizeof(m.device), "%u:%u",
			major(st.st_dev), minor(st.st_dev));
	}
	return m;
}

bool
medium_eq(const struct medium *a, const struct medium *b)
{
	return strcmp(a->fs, b->fs) == 0 && strcmp(a->device, b->device) == 0;
}

enum pawl_rc
medium_read(const struct fs *fs, int dir, struct medium *ret_medium,
	bool *ret_found, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err bad;
	struct buf b = { 0 };
	const struct json *doc;
	enum pawl_rc rc;

	*ret_found = false;
	rc = fs_read(fs, dir, MEDIUM_NAME, BOUND_MEDIUM_BYTES, &b, err);
	if (rc != PAWL_OK &&
		(err->code == ERR_FILE_NOT_FOUND || err->code == ERR_LIMIT)) {
		rc = PAWL_OK;
	} else if (rc == PAWL_OK && b.len > 0 &&
		json_read(&mem, b.data, b.len, JSON_STRICT, &doc, &bad) ==
			PAWL_OK) {
		struct str kind = json_str(json_get(doc, STR("fs")));
		struct str device = json_str(json_get(doc, STR("device")));

		(void)snprintf(ret_medium->fs, sizeof(ret_medium->fs), STR_FMT,
			STR_ARG(kind));
		(void)snprintf(ret_medium->device, sizeof(ret_medium->device),
			STR_FMT, STR_ARG(device));
		*ret_found = true;
	}
	buf_release(&b);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
medium_write(const struct fs *fs, int dir, const struct medium *medium,
	struct pawl_err *err)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum pawl_rc rc;

	json_open(&w, '{');
	json_pair_str(&w, STR("fs"), str_from(medium->fs));
	json_pair_str(&w, STR("device"), str_from(medium->device));
	json_close(&w, '}');
	buf_addc(&b, '\n');
	rc = fs_replace(fs, dir, MEDIUM_NAME, buf_str(&b), FS_DURABLE, err);
	buf_release(&b);
	return rc;
}
