#include "os/program.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OWN_PLACES = 3 };

enum pawl_rc
program_self(char ret_path[PATH_MAX], struct pawl_err *err)
{
	ssize_t n = readlink("/proc/self/exe", ret_path, PATH_MAX - 1);

	if (n < 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not find this program");
	ret_path[n] = '\0';
	return PAWL_OK;
}

/* Its folder, without its last '/'. */
static enum pawl_rc
own_folder(char ret_path[PATH_MAX], struct pawl_err *err)
{
	enum pawl_rc rc = program_self(ret_path, err);
	char *slash = rc == PAWL_OK ? strrchr(ret_path, '/') : NULL;

	if (slash != NULL)
		*slash = '\0';
	return rc;
}

/* The folder at `index` of those beside; false after the last. */
static bool
beside(const char *own, const char *built, int index, char ret_path[PATH_MAX])
{
	int n;

	if (index >= OWN_PLACES)
		return false;
	if (index == 0)
		n = snprintf(ret_path, PATH_MAX, "%s/../libexec/pawl", own);
	else if (index == 1)
		n = snprintf(ret_path, PATH_MAX, "%s/../%s", own, built);
	else
		n = snprintf(ret_path, PATH_MAX, "%s", own);
	if (n < 0 || n >= PATH_MAX)
		ret_path[0] = '\0';
	return true;
}

/* The next absolute folder of `*rest`; false after the last. */
static bool
next_of_path(const char **rest, char ret_path[PATH_MAX])
{
	while (**rest != '\0') {
		size_t len = strcspn(*rest, ":");
		const char *at = *rest;

		*rest += len + (at[len] == ':');
		if (*at != '/' || len >= PATH_MAX)
			continue;
		memcpy(ret_path, at, len);
		ret_path[len] = '\0';
		return true;
	}
	return false;
}

static bool
is_there(const char *folder, const char *name, char ret_path[PATH_MAX])
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", folder, name);

	if (*folder == '\0' || n < 0 || n >= PATH_MAX ||
		access(path, X_OK) != 0)
		return false;
	memcpy(ret_path, path, (size_t)n + 1);
	return true;
}

enum pawl_rc
program_beside(const char *name, const char *built, char ret_path[PATH_MAX],
	struct pawl_err *err)
{
	char own[PATH_MAX], folder[PATH_MAX];
	enum pawl_rc rc = own_folder(own, err);

	if (rc != PAWL_OK)
		return rc;
	for (int i = 0; beside(own, built, i, folder); i++) {
		if (is_there(folder, name, ret_path))
			return PAWL_OK;
	}
	return pawl_fail(err, ERR_FILE_NOT_FOUND,
		"no %s in '%s/../libexec/pawl'", name, own);
}

enum pawl_rc
program_data(const char *name, char ret_path[PATH_MAX], struct pawl_err *err)
{
	static const char *const places[] = { "../share/pawl", "../.." };
	char own[PATH_MAX], folder[PATH_MAX];
	enum pawl_rc rc = own_folder(own, err);

	for (size_t i = 0; rc == PAWL_OK && i < 2; i++) {
		int n = snprintf(
			folder, sizeof(folder), "%s/%s", own, places[i]);

		if (n > 0 && n < PATH_MAX && is_there(folder, name, ret_path))
			return PAWL_OK;
	}
	return rc != PAWL_OK
		? rc
		: pawl_fail(err, ERR_FILE_NOT_FOUND,
			  "no %s in '%s/../share/pawl'", name, own);
}

bool
program_on_path(const char *name, char ret_path[PATH_MAX])
{
	const char *rest = getenv("PATH");
	char folder[PATH_MAX];

	while (rest != NULL && next_of_path(&rest, folder)) {
		if (is_there(folder, name, ret_path))
			return true;
	}
	return false;
}

enum pawl_rc
program_find(const char *name, const char *built, char ret_path[PATH_MAX],
	struct pawl_err *err)
{
	enum pawl_rc rc = program_beside(name, built, ret_path, err);

	if (rc != PAWL_ENOENT)
		return rc;
	if (program_on_path(name, ret_path))
		return PAWL_OK;
	return pawl_fail(err, ERR_FILE_NOT_FOUND, "%s, nor on PATH", err->msg);
}

static void
look(const char *folder, const char *prefix, program_fn *fn, void *arg)
{
	char path[PATH_MAX];
	DIR *dir = *folder != '\0' ? opendir(folder) : NULL;
	struct dirent *e;

	while (dir != NULL && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
			is_there(folder, e->d_name, path))
			fn(arg, e->d_name, path);
	}
	if (dir != NULL)
		(void)closedir(dir); /* it was only read */
}

void
programs_each(const char *prefix, const char *built, program_fn *fn, void *arg)
{
	const char *rest = getenv("PATH");
	char own[PATH_MAX], folder[PATH_MAX];

	struct pawl_err ignored;
	bool known = own_folder(own, &ignored) == PAWL_OK;

	for (int i = 0; known && beside(own, built, i, folder); i++)
		look(folder, prefix, fn, arg);
	while (rest != NULL && next_of_path(&rest, folder))
		look(folder, prefix, fn, arg);
}
