#include "store/artifact.h"

#include <errno.h>
#include <string.h>

#define ARTIFACTS "artifacts"

/* Beside a ledger anybody may have put a link there. */
static enum pawl_rc
open_real(const struct fs *fs, int dir, const char *name, int *ret_dir,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		fs_open(fs, dir, name, O_RDONLY | O_DIRECTORY, ret_dir, err);

	if (rc != PAWL_OK && (err->sys == ENOTDIR || err->sys == ELOOP))
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is there and no folder", name);
	return rc;
}

static enum pawl_rc
open_there(const struct fs *fs, int run_dir, int *ret_dir, struct pawl_err *err)
{
	int dir = -1;
	enum pawl_rc rc = open_real(fs, run_dir, ARTIFACTS, &dir, err);

	if (rc == PAWL_OK)
		rc = open_real(fs, dir, "sha256", ret_dir, err);
	fs_close(fs, &dir);
	return rc;
}

enum pawl_rc
artifact_init(const struct fs *fs, int run_dir, struct pawl_err *err)
{
	enum pawl_rc rc;
	int dir = -1;

	rc = fs_make_dir(fs, run_dir, ARTIFACTS, err);
	if (rc == PAWL_OK)
		rc = open_real(fs, run_dir, ARTIFACTS, &dir, err);
	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, dir, "sha256", err);
	fs_close(fs, &dir);
	return rc;
}

/* Made again where a copy of the run came without its empty directories. */
static enum pawl_rc
open_or_make(
	const struct fs *fs, int run_dir, int *ret_dir, struct pawl_err *err)
{
	enum pawl_rc rc = open_there(fs, run_dir, ret_dir, err);

	if (rc == PAWL_OK || err->code != ERR_FILE_NOT_FOUND)
		return rc;
	rc = artifact_init(fs, run_dir, err);
	return rc == PAWL_OK ? open_there(fs, run_dir, ret_dir, err) : rc;
}

/* Is the file there with these very bytes?  If so, sync it and its name. */
static bool
is_there(const struct fs *fs, int dir, const char *name, struct str bytes)
{
	struct pawl_err unused;
	struct buf old = { 0 };
	bool same;
	int fd = -1;

	same = fs_read(fs, dir, name, bytes.len, &old, &unused) == PAWL_OK &&
		str_eq(buf_str(&old), bytes);
	buf_release(&old);
	if (same) {
		same = fs_open(fs, dir, name, O_RDONLY, &fd, &unused) ==
				PAWL_OK &&
			fs_sync(fs, fd, &unused) == PAWL_OK &&
			fs_sync(fs, dir, &unused) == PAWL_OK;
	}
	fs_close(fs, &fd);
	return same;
}

enum pawl_rc
artifact_put(const struct fs *fs, int run_dir, struct str bytes,
	char ret_digest[SHA256_HEX + 1], struct pawl_err *err)
{
	char name[SHA256_HEX + 1];
	enum pawl_rc rc;
	int dir = -1;

	sha256_hex(bytes, name);
	rc = open_or_make(fs, run_dir, &dir, err);
	if (rc == PAWL_OK && !is_there(fs, dir, name, bytes))
		rc = fs_replace(fs, dir, name, bytes, FS_DURABLE, err);
	fs_close(fs, &dir);
	if (rc != PAWL_OK)
		return rc;
	memcpy(ret_digest, name, sizeof(name));
	return PAWL_OK;
}

static bool
is_digest(struct str s)
{
	return s.len == SHA256_HEX && is_lower_hex(s);
}

enum pawl_rc
artifact_get(const struct fs *fs, int run_dir, struct str digest, size_t max,
	struct buf *to, struct pawl_err *err)
{
	char name[SHA256_HEX + 1], hex[SHA256_HEX + 1];
	size_t start = to->len;
	enum pawl_rc rc;
	int dir = -1;

	if (!is_digest(digest)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is no SHA-256 in hex", STR_ARG(digest));
	}
	memcpy(name, digest.ptr, SHA256_HEX);
	name[SHA256_HEX] = '\0';
	rc = open_there(fs, run_dir, &dir, err);
	if (rc == PAWL_OK)
		rc = fs_read(fs, dir, name, max, to, err);
	fs_close(fs, &dir);
	if (rc != PAWL_OK)
		return rc;
	sha256_hex((struct str){ to->data + start, to->len - start }, hex);
	if (memcmp(hex, name, SHA256_HEX) == 0)
		return PAWL_OK;
	to->len = start;
	if (to->data != NULL)
		to->data[start] = '\0';
	return pawl_fail(err, ERR_DIGEST_MISMATCH,
		"artifact '%s' has the digest %s", name, hex);
}
