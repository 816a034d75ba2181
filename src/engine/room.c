#include "engine/room.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "os/rmtree.h"

static const char marker[] = ".scratch";

#define EVIDENCE STR("scratch\n")

enum pawl_rc
room_drop(const char *parent, const char *name, struct pawl_err *err)
{
	struct rmtree_spec spec = { .parent = parent,
		.name = name,
		.marker = marker,
		.evidence = EVIDENCE };
	struct rmtree tree = { 0 };
	char path[PATH_MAX];
	struct stat st;
	enum pawl_rc rc;
	int n = snprintf(path, sizeof(path), "%s/%s", parent, name);

	if (n < 0 || (size_t)n >= sizeof(path) || lstat(path, &st) != 0)
		return PAWL_OK;
	spec.dev = st.st_dev;
	spec.inode = st.st_ino;
	rc = rmtree_open(&spec, &tree, err);
	if (rc != PAWL_OK)
		return err->code == ERR_FILE_NOT_FOUND ? PAWL_OK : rc;
	rc = rmtree_all(&tree, err);
	rmtree_close(&tree);
	return rc;
}

void
room_drop_all(const struct fs *fs, const char *parent)
{
	struct buf names = { 0 };
	struct pawl_err ignored;
	struct str rest;
	int fd = -1;
	enum pawl_rc rc = fs_open_dir(fs, AT_FDCWD, parent, &fd, &ignored);

	if (rc == PAWL_OK)
		rc = fs_list(fs, fd, &names, &ignored);
	rest = buf_str(&names);
	while (rc == PAWL_OK && rest.len > 0)
		rc = room_drop(parent, str_cut(&rest, '\0').ptr, &ignored);
	/* Not ours to remove when it isn't empty: then it stays. */
	if (rc == PAWL_OK)
		(void)rmdir(parent);
	fs_close(fs, &fd);
	buf_release(&names);
}

enum pawl_rc
room_keep(const char *parent, const char *name, struct arena *mem,
	const char **ret_dir, struct pawl_err *err)
{
	struct str dir = arena_format(mem, "%s/%s", parent, name);
	struct stat st;

	if (lstat(arena_format(mem, STR_FMT "/%s", STR_ARG(dir), marker).ptr,
		    &st) != 0 ||
		!S_ISREG(st.st_mode))
		return room_make(parent, name, mem, ret_dir, err);
	*ret_dir = dir.ptr;
	return PAWL_OK;
}

enum pawl_rc
room_make(const char *parent, const char *name, struct arena *mem,
	const char **ret_dir, struct pawl_err *err)
{
	const char *dir =
		arena_strdup(mem, arena_format(mem, "%s/%s", parent, name));
	const char *proof =
		arena_strdup(mem, arena_format(mem, "%s/%s", dir, marker));
	enum pawl_rc rc = room_drop(parent, name, err);

	if (rc == PAWL_OK && mkdir(dir, 0700) != 0)
		rc = pawl_fail_sys(err, ERR_IO, "could not make '%s'", dir);
	if (rc == PAWL_OK)
		rc = file_create(proof, EVIDENCE, err);
	if (rc == PAWL_OK)
		*ret_dir = dir;
	return rc;
}
