#include "engine/self.h"

#include <sys/stat.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "os/build_id.h"

enum { BINARY_BYTES_MAX = 64 << 20 };

/* Reads all of it, and takes its digest: some milliseconds. */
static struct str
file_digest(const struct fs *fs, struct arena *mem)
{
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	char hex[SHA256_HEX + 1] = "";
	struct stat st;
	int fd;

	/* A link of the kernel's: fs_open would not follow it. */
	fd = fs->ops->open(fs->state, AT_FDCWD, "/proc/self/exe", O_RDONLY, 0);
	if (fd >= 0 && fs->ops->fstat(fs->state, fd, &st) == 0 &&
		st.st_size < BINARY_BYTES_MAX) {
		size_t n = (size_t)st.st_size;
		char *to = buf_reserve(&bytes, n + 1);

		if (fs_pread(fs, fd, 0, to, &n, &ignored) == PAWL_OK)
			sha256_hex((struct str){ to, n }, hex);
	}
	fs_close(fs, &fd);
	buf_release(&bytes);
	return arena_copy(mem, str_from(hex));
}

struct str
self_binary(const struct fs *fs, struct arena *mem)
{
	struct buf hex = { 0 };
	struct str id = build_id_own(), copy;

	if (id.len == 0)
		return file_digest(fs, mem);
	buf_addhex(&hex, id.ptr, id.len);
	copy = arena_copy(mem, buf_str(&hex));
	buf_release(&hex);
	return copy;
}
