#include "engine/statedir.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/sha256.h"
#include "text/json.h"

const char *
statedir_why_word(enum statedir_why why)
{
	static const char *const words[] = {
		[STATEDIR_OPTION] = "option",
		[STATEDIR_VARIABLE] = "variable",
		[STATEDIR_REPOSITORY] = "repository",
		[STATEDIR_XDG] = "xdg",
	};

	static_assert(sizeof(words) / sizeof(words[0]) == STATEDIR_WHY_COUNT,
		"a word is missing");
	return words[why];
}

const char *
statedir_why_text(enum statedir_why why)
{
	static const char *const texts[] = {
		[STATEDIR_OPTION] = "chosen by --state",
		[STATEDIR_VARIABLE] = "chosen by $PAWL_STATE",
		[STATEDIR_REPOSITORY] =
			"the repository's main worktree holds .pawl/format",
		[STATEDIR_XDG] = "the default below $XDG_STATE_HOME",
	};

	static_assert(sizeof(texts) / sizeof(texts[0]) == STATEDIR_WHY_COUNT,
		"a text is missing");
	return texts[why];
}

/* The real path of what exists, or the empty view with errno set. */
static struct str
real_path(struct arena *mem, struct str path)
{
	char *real = realpath(arena_strdup(mem, path), NULL);
	struct str s = arena_copy(mem, str_from(real));

	free(real);
	return real != NULL ? s : (struct str){ 0 };
}

static struct str
join(struct arena *mem, struct str a, const char *b)
{
	return arena_format(mem, STR_FMT "%s%s", STR_ARG(a),
		str_ends(a, STR("/")) ? "" : "/", b);
}

static struct str
parent_of(struct str path)
{
	size_t len = path.len;

	while (len > 1 && path.ptr[len - 1] == '/')
		len--;
	while (len > 0 && path.ptr[len - 1] != '/')
		len--;
	while (len > 1 && path.ptr[len - 1] == '/')
		len--;
	return str_part(path, 0, len);
}

static struct str
name_of(struct str path)
{
	struct str parent = parent_of(path);
	struct str name = str_part(path, parent.len, path.len);

	while (name.len > 0 && name.ptr[0] == '/')
		name = str_part(name, 1, name.len);
	return name;
}

static bool
is_dir(struct arena *mem, struct str path)
{
	struct stat st;

	return stat(arena_strdup(mem, path), &st) == 0 && S_ISDIR(st.st_mode);
}

static bool
is_file(struct arena *mem, struct str path)
{
	struct stat st;

	return stat(arena_strdup(mem, path), &st) == 0 && S_ISREG(st.st_mode);
}

/* The first line of a small file, or the empty view. */
static struct str
first_line(struct arena *mem, struct str path)
{
	char bytes[BOUND_PATH_BYTES + 64];
	struct str s = { 0 };
	ssize_t n = 0;
	int fd = open(arena_strdup(mem, path), O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return s;
	n = read(fd, bytes, sizeof(bytes));
	(void)close(fd); /* only read */
	if (n <= 0)
		return s;
	s = (struct str){ bytes, (size_t)n };
	return arena_copy(mem, str_trim(str_cut(&s, '\n')));
}

/* `path` as it stands in a file of `base`: relative to it, or absolute. */
static struct str
resolve(struct arena *mem, struct str base, struct str path)
{
	if (!str_starts(path, STR("/")))
		path = arena_format(
			mem, STR_FMT "/" STR_FMT, STR_ARG(base), STR_ARG(path));
	return real_path(mem, path);
}

/* Whether `dir` looks like a git directory, as git's own discovery decides. */
static bool
is_git_dir(struct arena *mem, struct str dir)
{
	return is_file(mem, join(mem, dir, "HEAD")) &&
		is_dir(mem, join(mem, dir, "objects")) &&
		is_dir(mem, join(mem, dir, "refs"));
}

/* The common directory for a `.git` entry at `top`; empty when it is none. */
static struct str
common_of(struct arena *mem, struct str top)
{
	struct str git = join(mem, top, ".git");
	struct str line, common;

	if (is_git_dir(mem, git))
		return real_path(mem, git);
	line = first_line(mem, git);
	if (!str_starts(line, STR("gitdir: ")))
		return (struct str){ 0 };
	git = resolve(mem, top, str_part(line, 8, line.len));
	if (git.len == 0)
		return git;
	common = first_line(mem, join(mem, git, "commondir"));
	if (common.len > 0)
		return resolve(mem, git, common);
	return is_git_dir(mem, git) ? git : (struct str){ 0 };
}

/* Walk upward from `dir` to a repository; leaves `ret` alone without one. */
static void
find_repository(struct arena *mem, struct str dir, struct statedir *ret)
{
	for (struct str at = dir; at.len > 0; at = parent_of(at)) {
		struct str common = common_of(mem, at);

		if (common.len > 0) {
			ret->common = common;
			if (str_eq(name_of(common), STR(".git")))
				ret->top = parent_of(common);
			else if (!is_file(mem, join(mem, at, ".git")))
				ret->top = at;
			return;
		}
		if (is_git_dir(mem, at)) {
			ret->common = real_path(mem, at);
			return;
		}
		if (at.len == 1)
			return;
	}
}

/* Absolute, and real as far as it exists. */
static struct str
absolute(struct arena *mem, struct str cwd, const char *path)
{
	struct str p = str_from(path);
	struct str real;

	if (!str_starts(p, STR("/")))
		p = join(mem, cwd, path);
	while (p.len > 1 && str_ends(p, STR("/")))
		p.len--;
	real = real_path(mem, p);
	return real.len > 0 ? real : p;
}

/* `<name>-<8 hex>`: readable, safe as one path segment, and the repository's
 * own. */
static struct str
folder_name(struct arena *mem, struct str name, struct str identity)
{
	char hex[SHA256_HEX + 1];
	struct buf b = { 0 };
	struct str ret;

	if (str_ends(name, STR(".git")))
		name.len -= 4;
	for (size_t i = 0; i < name.len && b.len < 64; i++) {
		unsigned char c = (unsigned char)name.ptr[i];
		bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z') || c == '_';

		if (word || (b.len > 0 && (c == '.' || c == '-')))
			buf_addc(&b, (char)c);
		else if (b.len > 0 && b.data[b.len - 1] != '-')
			buf_addc(&b, '-');
	}
	if (b.len == 0)
		buf_add(&b, STR("repository"));
	sha256_hex(identity, hex);
	ret = arena_format(mem, STR_FMT "-%.8s", STR_ARG(buf_str(&b)), hex);
	buf_release(&b);
	return ret;
}

static enum pawl_rc
xdg_folder(struct arena *mem, const struct statedir_env *env, struct str *ret,
	struct pawl_err *err)
{
	struct str home = str_from(env->home);

	if (env->xdg_state_home != NULL && env->xdg_state_home[0] == '/') {
		*ret = str_from(env->xdg_state_home);
		return PAWL_OK;
	}
	if (!str_starts(home, STR("/"))) {
		const struct passwd *pw = getpwuid(geteuid());

		home = str_from(pw ? pw->pw_dir : NULL);
	}
	if (!str_starts(home, STR("/"))) {
		(void)pawl_fail(err, ERR_INVALID_PATH,
			"no home folder to keep the state in");
		return pawl_hint(err, "pawl --state DIR");
	}
	*ret = join(mem, home, ".local/state");
	return PAWL_OK;
}

static enum pawl_rc
check_length(const struct statedir *d, struct pawl_err *err)
{
	/* room for "/runs/<id>/artifacts/sha256/<digest>" behind it */
	size_t max = BOUND_PATH_BYTES - BOUND_ID_BYTES - 128;

	if (d->path.len < max && d->worktrees.len < max)
		return PAWL_OK;
	return pawl_fail(err, ERR_LIMIT,
		"state folder's path of %zu bytes is over the limit of %zu",
		d->path.len > d->worktrees.len ? d->path.len : d->worktrees.len,
		max - 1);
}

static enum pawl_rc
start_folder(struct arena *mem, const char *dir, struct str *ret_cwd,
	struct str *ret_start, struct pawl_err *err)
{
	struct str cwd = real_path(mem, STR("."));

	if (cwd.len == 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not find the current folder");
	*ret_cwd = cwd;
	*ret_start = cwd;
	if (dir == NULL)
		return PAWL_OK;
	*ret_start = real_path(mem, str_from(dir));
	if (ret_start->len > 0 && is_dir(mem, *ret_start))
		return PAWL_OK;
	if (ret_start->len > 0)
		errno = ENOTDIR;
	(void)pawl_fail_sys(err, ERR_FILE_NOT_FOUND, "no folder '%s'", dir);
	err->field = STR("--repo");
	return err->rc;
}

enum pawl_rc
statedir_find(struct arena *mem, const struct statedir_env *env,
	const char *option, const char *dir, struct statedir *ret_dir,
	struct pawl_err *err)
{
	struct statedir d = { 0 };
	struct str cwd, start, xdg, own, name;
	enum pawl_rc rc;

	rc = start_folder(mem, dir, &cwd, &start, err);
	if (rc != PAWL_OK)
		return rc;
	find_repository(mem, start, &d);
	rc = xdg_folder(mem, env, &xdg, err);
	if (rc != PAWL_OK)
		return rc;
	name = d.common.len == 0
		? folder_name(mem, name_of(start), start)
		: folder_name(
			  mem, name_of(d.top.len ? d.top : d.common), d.common);
	xdg = join(mem, xdg,
		arena_format(mem, "pawl/" STR_FMT, STR_ARG(name)).ptr);
	xdg = absolute(mem, cwd, xdg.ptr);
	d.worktrees = join(mem, xdg, "wt");
	own = d.top.len > 0 ? join(mem, d.top, ".pawl") : (struct str){ 0 };
	if (option != NULL) {
		d.why = STATEDIR_OPTION;
		d.path = absolute(mem, cwd, option);
	} else if (env->state != NULL && *env->state != '\0') {
		d.why = STATEDIR_VARIABLE;
		d.path = absolute(mem, cwd, env->state);
	} else if (own.len > 0 && is_file(mem, join(mem, own, "format"))) {
		d.why = STATEDIR_REPOSITORY;
		d.path = own;
	} else {
		d.why = STATEDIR_XDG;
		d.path = xdg;
	}
	rc = check_length(&d, err);
	if (rc != PAWL_OK)
		return rc;
	d.exists = is_dir(mem, d.path);
	*ret_dir = d;
	return PAWL_OK;
}
