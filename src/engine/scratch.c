#include "engine/scratch.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "engine/repo.h"
#include "os/fs.h"
#include "os/rmtree.h"

#define MARKER ".marker"

enum pawl_rc
scratch_make(struct scratch *ret_scratch, const char *word, const char *outside,
	struct arena *mem, struct pawl_err *err)
{
	const char *tmp = getenv("TMPDIR");
	char *real = realpath(tmp != NULL && *tmp == '/' ? tmp : "/tmp", NULL);
	struct scratch s = { .name = NULL };
	struct stat st;
	char *dir;
	int fd = -1;
	enum pawl_rc rc;

	if (real == NULL)
		return pawl_fail_sys(
			err, ERR_IO, "there is no temporary folder");
	s.parent = arena_strdup(mem, str_from(real));
	free(real);
	if (outside != NULL && repo_path_is_below(s.parent, outside))
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"the temporary folder '%s' lies in the repository",
			s.parent);
	dir = arena_strdup(
		mem, arena_format(mem, "%s/pawl-%s-XXXXXX", s.parent, word));
	if (mkdtemp(dir) == NULL)
		return pawl_fail_sys(err, ERR_IO,
			"could not make a folder in '%s'", s.parent);
	s.dir = dir;
	rc = fs_open_dir(&fs_real, AT_FDCWD, dir, &fd, err);
	if (rc == PAWL_OK)
		rc = fs_fstat(&fs_real, fd, &st, err);
	if (rc == PAWL_OK)
		rc = fs_create(&fs_real, fd, MARKER, str_from(dir), err);
	fs_close(&fs_real, &fd);
	if (rc != PAWL_OK)
		return rc;
	s.name = dir + str_from(s.parent).len + 1;
	s.dev = (uint64_t)st.st_dev;
	s.inode = (uint64_t)st.st_ino;
	*ret_scratch = s;
	return PAWL_OK;
}

enum pawl_rc
scratch_drop(const struct scratch *s, const char *const *guards,
	struct pawl_err *err)
{
	const struct rmtree_spec spec = { .parent = s->parent,
		.name = s->name,
		.marker = MARKER,
		.evidence = str_from(s->dir),
		.dev = s->dev,
		.inode = s->inode,
		.guards = guards };
	struct rmtree tree;
	enum pawl_rc rc;

	if (s->name == NULL)
		return PAWL_OK;
	rc = rmtree_open(&spec, &tree, err);
	if (rc != PAWL_OK)
		return rc;
	rc = rmtree_all(&tree, err);
	rmtree_close(&tree);
	return rc;
}
