#include "tempdir.h"

#include <stdio.h>
#include <stdlib.h>

#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

#include "base/die.h"

struct tempdir
tempdir_open(void)
{
	struct tempdir t = { .path = "/tmp/pawl-test.XXXXXX" };

	if (mkdtemp(t.path) == NULL)
		die("could not make a directory below /tmp");
	t.fd = open(t.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (t.fd < 0)
		die("could not open '%s'", t.path);
	return t;
}

static int
drop(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
tempdir_close(struct tempdir *t)
{
	(void)close(t->fd); /* only names were looked up in it */
	(void)nftw(t->path, drop, 8, FTW_DEPTH | FTW_PHYS); /* best effort */
	*t = (struct tempdir){ .fd = -1 };
}
