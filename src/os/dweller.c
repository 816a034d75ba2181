#include "os/dweller.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"

static bool
is_inside(int proc, const char *pid, const char *dir)
{
	char name[32], cwd[PATH_MAX];
	size_t len = strlen(dir);
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%.16s/cwd", pid);
	n = readlinkat(proc, name, cwd, sizeof(cwd));
	if (n < 0 || (size_t)n < len || memcmp(cwd, dir, len) != 0)
		return false;
	return (size_t)n == len || cwd[len] == '/';
}

pid_t
dweller_find(const char *proc, const char *dir)
{
	DIR *all = opendir(proc);
	struct dirent *entry;
	uint64_t found = 0;

	if (all == NULL)
		return 0;
	while ((entry = readdir(all)) != NULL) {
		struct pawl_err err;
		uint64_t pid;

		if (num_u64(str_from(entry->d_name), 1, INT_MAX, &pid, &err) ==
				PAWL_OK &&
			(found == 0 || pid < found) &&
			is_inside(dirfd(all), entry->d_name, dir))
			found = pid;
	}
	(void)closedir(all); /* was only read */
	return (pid_t)found;
}
