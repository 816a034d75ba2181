#include "engine/token.h"

#include <string.h>
#include <sys/stat.h>

#include "base/num.h"
#include "engine/statedir.h"
#include "model/id.h"
#include "os/owner.h"

enum { WORDS = SHA256_HEX / 16 };

static void
digest_set(struct token *t)
{
	sha256_hex(str_from(t->text), t->sha256);
}

struct token
token_new(struct rand *rand, uint64_t gen)
{
	struct token t = { .gen = gen };
	struct buf text = { 0 };

	for (int i = 0; i < WORDS; i++) {
		uint64_t bits = rand_u64(rand);

		buf_addhex(&text, &bits, sizeof(bits));
	}
	buf_addf(&text, " %llu", (unsigned long long)gen);
	assert(text.len <= TOKEN_TEXT);
	memcpy(t.text, text.data, text.len + 1);
	buf_release(&text);
	digest_set(&t);
	return t;
}

static struct str
folder_name(const struct run *r, struct arena *mem)
{
	return arena_format(mem, STR_FMT ".as", STR_ARG(r->id));
}

/* Nobody else may have written or seen what lies there. */
static enum pawl_rc
check_private(const struct fs *fs, int fd, mode_t type, struct str what,
	struct pawl_err *err)
{
	struct stat st;
	enum pawl_rc rc = fs_fstat(fs, fd, &st, err);

	if (rc != PAWL_OK)
		return rc;
	if ((st.st_mode & S_IFMT) == type && st.st_uid == owner_uid() &&
		(st.st_mode & 077) == 0)
		return PAWL_OK;
	return pawl_fail(err, ERR_NOT_PERMITTED,
		"token '" STR_FMT "' isn't this user's alone: mode %04o",
		STR_ARG(what), (unsigned)(st.st_mode & 07777));
}

static enum pawl_rc
check_keys(const struct run *r, struct str name, struct pawl_err *err)
{
	if (r->place->keys_path == NULL)
		return pawl_fail(err, ERR_NOT_PERMITTED,
			"this call has no folder of keys");
	return id_check(name, err);
}

enum pawl_rc
token_save(const struct run *r, struct str name, const struct token *token,
	struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	struct arena mem = ARENA_INIT;
	struct buf line = { 0 };
	const char *folder = folder_name(r, &mem).ptr;
	int keys = -1, dir = -1;
	enum pawl_rc rc = check_keys(r, name, err);

	if (rc == PAWL_OK)
		rc = statedir_make_path(fs, r->place->keys_path, &keys, err);
	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, keys, folder, err);
	if (rc == PAWL_OK)
		rc = fs_open(
			fs, keys, folder, O_RDONLY | O_DIRECTORY, &dir, err);
	if (rc == PAWL_OK)
		rc = check_private(fs, dir, S_IFDIR, name, err);
	if (rc == PAWL_OK) {
		buf_addf(&line, "%s\n", token->text);
		rc = fs_replace(fs, dir, arena_strdup(&mem, name),
			buf_str(&line), FS_DURABLE, err);
	}
	fs_close(fs, &dir);
	fs_close(fs, &keys);
	buf_release(&line);
	arena_reset(&mem);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "coordinator's token");
}

static enum pawl_rc
parse(struct str bytes, struct str name, struct token *ret_token,
	struct pawl_err *err)
{
	struct str rest = bytes, line = str_cut(&rest, '\n'), gen = line;
	struct str secret = str_cut(&gen, ' ');
	struct token t = { .gen = 0 };

	if (rest.ptr == NULL || rest.len > 0 || line.len > TOKEN_TEXT ||
		secret.len != SHA256_HEX ||
		num_u64(gen, 1, UINT64_MAX, &t.gen, err) != PAWL_OK)
		return pawl_fail(err, ERR_WRONG_TOKEN,
			"token of '" STR_FMT "' isn't one", STR_ARG(name));
	memcpy(t.text, line.ptr, line.len);
	digest_set(&t);
	*ret_token = t;
	return PAWL_OK;
}

/* Bytes of a token's file; at most one more than a token has. */
static enum pawl_rc
read_private(const struct fs *fs, int dir, const char *name, char *to,
	size_t *len, struct pawl_err *err)
{
	int fd = -1;
	enum pawl_rc rc = fs_open(fs, dir, name, O_RDONLY, &fd, err);

	if (rc == PAWL_OK)
		rc = check_private(fs, fd, S_IFREG, str_from(name), err);
	if (rc == PAWL_OK)
		rc = fs_pread(fs, fd, 0, to, len, err);
	fs_close(fs, &fd);
	return rc;
}

enum pawl_rc
token_load(const struct run *r, struct str name, struct token *ret_token,
	struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	struct arena mem = ARENA_INIT;
	char bytes[TOKEN_TEXT + 2];
	size_t len = sizeof(bytes);
	int keys = -1, dir = -1;
	enum pawl_rc rc = check_keys(r, name, err);

	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, AT_FDCWD, r->place->keys_path, &keys, err);
	if (rc == PAWL_OK)
		rc = fs_open(fs, keys, folder_name(r, &mem).ptr,
			O_RDONLY | O_DIRECTORY, &dir, err);
	if (rc == PAWL_OK)
		rc = check_private(fs, dir, S_IFDIR, name, err);
	if (rc == PAWL_OK)
		rc = read_private(
			fs, dir, arena_strdup(&mem, name), bytes, &len, err);
	if (rc == PAWL_OK)
		rc = parse((struct str){ bytes, len }, name, ret_token, err);
	fs_close(fs, &dir);
	fs_close(fs, &keys);
	arena_reset(&mem);
	return rc;
}
