#include "engine/statedir.h"

#include <errno.h>
#include <string.h>

#include <unistd.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/die.h"
#include "base/sha256.h"
#include "engine/file.h"
#include "engine/medium.h"
#include "os/lock.h"
#include "os/owner.h"
#include "store/rundir.h"

static const struct {
	const char *word, *text;
} whys[] = {
	[STATEDIR_OPTION] = { "option", "chosen by --state" },
	[STATEDIR_VARIABLE] = { "variable", "chosen by $PAWL_STATE" },
	[STATEDIR_REPOSITORY] = { "repository",
		"pawl init made it in the repository" },
	[STATEDIR_XDG] = { "xdg", "the default, below $XDG_STATE_HOME" },
};
static_assert(sizeof(whys) / sizeof(whys[0]) == STATEDIR_WHY_COUNT,
	"a reason is missing");

const char *
statedir_why_word(enum statedir_why why)
{
	return whys[why].word;
}

const char *
statedir_why_text(enum statedir_why why)
{
	return whys[why].text;
}

static const char *
join(struct arena *mem, const char *a, const char *b)
{
	return arena_format(
		mem, "%s%s%s", a, str_ends(str_from(a), STR("/")) ? "" : "/", b)
		.ptr;
}

/* S_IFREG and the like; 0 for nothing. */
static mode_t
kind_of(const char *path, int flags)
{
	struct stat st;

	return fstatat(AT_FDCWD, path, &st, flags) == 0 ? st.st_mode & S_IFMT
							: 0;
}

static bool
has_format(struct arena *mem, const char *dir)
{
	return kind_of(join(mem, dir, STATEDIR_FORMAT), 0) == S_IFREG;
}

/*
 * Absolute, and real as far as it exists: links are resolved in the longest
 * part that is there, the rest is kept as it was written.
 */
static const char *
absolute(struct arena *mem, const char *cwd, const char *path)
{
	char *whole = arena_strdup(
		mem, str_from(path[0] == '/' ? path : join(mem, cwd, path)));
	size_t len = strlen(whole);

	while (len > 1 && whole[len - 1] == '/')
		whole[--len] = '\0';
	for (size_t end = len; end > 0; end--) {
		const char *real;
		char kept = whole[end];

		if (kept != '/' && kept != '\0')
			continue;
		whole[end] = '\0';
		real = file_real_path(whole, mem);
		whole[end] = kept;
		if (real != NULL) {
			return end == len ? real
					  : join(mem, real, whole + end + 1);
		}
	}
	return whole;
}

/* Readable, and safe as one segment of a path. */
static const char *
segment(struct arena *mem, const char *name)
{
	struct buf b = { 0 };
	const char *ret;

	for (; *name != '\0' && b.len < 64; name++) {
		unsigned char c = (unsigned char)*name;
		bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z') || c == '_';

		if (word || (b.len > 0 && (c == '.' || c == '-'))) {
			buf_addc(&b, (char)c);
		} else if (b.len > 0 && b.data[b.len - 1] != '-') {
			buf_addc(&b, '-');
		}
	}
	ret = arena_strdup(mem, b.len > 0 ? buf_str(&b) : STR("repository"));
	buf_release(&b);
	return ret;
}

/*
 * No look into the password file: it would load libraries into a program that
 * has none, and who has no HOME can say --state.
 */
static enum pawl_rc
xdg_home(struct arena *mem, const struct statedir_env *env, const char **ret,
	struct pawl_err *err)
{
	const char *home = env->home;

	if (env->xdg_state_home != NULL && env->xdg_state_home[0] == '/') {
		*ret = env->xdg_state_home;
		return PAWL_OK;
	}
	if (home == NULL || home[0] != '/') {
		(void)pawl_fail(err, ERR_INVALID_PATH,
			"neither XDG_STATE_HOME nor HOME is an absolute path");
		return pawl_hint(err, "HOME=/home/NAME pawl ...");
	}
	*ret = join(mem, home, ".local/state");
	return PAWL_OK;
}

static enum pawl_rc
check_length(const struct statedir *d, struct pawl_err *err)
{
	/* room for "/runs/<id>/artifacts/sha256/<digest>" behind it */
	size_t max = BOUND_PATH_BYTES - BOUND_ID_BYTES - 128;
	size_t a = strlen(d->path);
	size_t b = d->worktrees != NULL ? strlen(d->worktrees) : 0;

	if (a < max && b < max)
		return PAWL_OK;
	return pawl_fail(err, ERR_LIMIT,
		"state folder's path of %zu bytes is over the limit of %zu",
		a > b ? a : b, max - 1);
}

/* The folder that the search starts in, as a real path. */
static enum pawl_rc
start_folder(struct arena *mem, const char *dir, const char **ret_cwd,
	const char **ret_start, struct pawl_err *err)
{
	char here[BOUND_PATH_BYTES];
	const char *start;
	struct stat st;

	if (getcwd(here, sizeof(here)) == NULL) {
		return pawl_fail_sys(
			err, ERR_IO, "could not find the current folder");
	}
	*ret_cwd = arena_strdup(mem, str_from(here));
	*ret_start = *ret_cwd;
	if (dir == NULL)
		return PAWL_OK;
	start = file_real_path(dir, mem);
	if (start != NULL && stat(start, &st) == 0 && S_ISDIR(st.st_mode)) {
		*ret_start = start;
		return PAWL_OK;
	}
	if (start != NULL)
		errno = ENOTDIR;
	(void)pawl_fail_sys(err,
		errno == ENOENT || errno == ENOTDIR ? ERR_FILE_NOT_FOUND
						    : ERR_IO,
		"could not use the folder '%s'", dir);
	err->field = STR("--repo");
	return err->rc;
}

/* `<name>-<8 hex>` of the repository, or of the folder in its place. */
static const char *
own_name(struct arena *mem, const struct statedir *d, const char *start)
{
	char hex[SHA256_HEX + 1];

	if (d->has_repo) {
		return arena_format(
			mem, "%s-%s", segment(mem, d->repo.name), d->repo.key)
			.ptr;
	}
	sha256_hex(str_from(start), hex);
	return arena_format(
		mem, "%s-%.8s", segment(mem, strrchr(start, '/') + 1), hex)
		.ptr;
}

/* What a search begins with. */
struct look {
	const char *cwd;
	const char *start;
	struct repo repo; /* located, when it has a top */
};

static enum pawl_rc
look(struct arena *mem, const char *dir, struct look *ret_look,
	struct pawl_err *err)
{
	struct look l = { 0 };
	struct pawl_err none = { 0 };
	enum pawl_rc rc = start_folder(mem, dir, &l.cwd, &l.start, err);

	if (rc != PAWL_OK)
		return rc;
	assert(l.start != NULL);
	rc = repo_locate(l.start, mem, &l.repo, &none);
	if (rc != PAWL_OK && none.code != ERR_NEEDS_REPOSITORY) {
		*err = none;
		return rc;
	}
	*ret_look = l;
	return PAWL_OK;
}

/* The repository, when it is one. */
static enum pawl_rc
prove(struct arena *mem, const struct look *l, struct statedir *d,
	struct pawl_err *err)
{
	struct pawl_err none = { 0 };

	d->repo = l->repo;
	d->has_repo = d->repo.top != NULL &&
		repo_prove(&d->repo, mem, &none) == PAWL_OK;
	if (none.rc == PAWL_OK || none.code == ERR_NEEDS_REPOSITORY)
		return PAWL_OK;
	*err = none;
	return err->rc;
}

static enum pawl_rc
find(struct arena *mem, const struct statedir_search *s, const struct look *l,
	struct statedir *ret_dir, struct pawl_err *err)
{
	struct statedir d = { 0 };
	const char *xdg = NULL, *own = NULL, *state = s->env->state;
	enum pawl_rc rc;

	rc = prove(mem, l, &d, err);
	if (rc == PAWL_OK)
		rc = xdg_home(mem, s->env, &xdg, err);
	if (rc != PAWL_OK)
		return rc;
	xdg = absolute(mem, l->cwd,
		join(mem, join(mem, xdg, "pawl"), own_name(mem, &d, l->start)));
	d.worktrees = join(mem, xdg, "wt");
	d.keys = join(mem, xdg, "keys");
	if (l->repo.main_top != NULL)
		own = join(mem, l->repo.main_top, STATEDIR_NAME);
	if (s->option != NULL) {
		d.why = STATEDIR_OPTION;
		d.path = absolute(mem, l->cwd, s->option);
	} else if (state != NULL && *state != '\0') {
		d.why = STATEDIR_VARIABLE;
		d.path = absolute(mem, l->cwd, state);
	} else if (own != NULL && has_format(mem, own)) {
		d.why = STATEDIR_REPOSITORY;
		d.path = own;
	} else {
		d.why = STATEDIR_XDG;
		d.path = xdg;
	}
	rc = check_length(&d, err);
	if (rc == PAWL_OK && d.why == STATEDIR_REPOSITORY &&
		kind_of(d.path, AT_SYMLINK_NOFOLLOW) == S_IFLNK) {
		rc = pawl_fail(err, ERR_UNSAFE_PATH, "'%s' is a symbolic link",
			d.path);
	}
	if (rc != PAWL_OK)
		return rc;
	*ret_dir = d;
	return PAWL_OK;
}

enum pawl_rc
statedir_find(struct arena *mem, const struct statedir_env *env,
	const char *option, const char *dir, struct statedir *ret_dir,
	struct pawl_err *err)
{
	const struct statedir_search search = { env, option, dir };
	struct look l = { 0 };
	enum pawl_rc rc = look(mem, dir, &l, err);

	return rc == PAWL_OK ? find(mem, &search, &l, ret_dir, err) : rc;
}

bool
statedir_exists(const struct statedir *dir)
{
	struct arena mem = ARENA_INIT;
	bool exists =
		dir->why == STATEDIR_REPOSITORY || has_format(&mem, dir->path);

	arena_reset(&mem);
	return exists;
}

/* Ours, and nobody else's to write to. */
static enum pawl_rc
check_owner(const struct fs *fs, int fd, struct pawl_err *err)
{
	struct stat st;
	enum pawl_rc rc = fs_fstat(fs, fd, &st, err);

	if (rc != PAWL_OK)
		return rc;
	if (st.st_uid != owner_uid()) {
		return pawl_fail(err, ERR_NOT_PERMITTED,
			"belongs to user %u; you are user %u",
			(unsigned)st.st_uid, (unsigned)owner_uid());
	}
	if ((st.st_mode & (S_IWGRP | S_IWOTH)) == 0)
		return PAWL_OK;
	(void)pawl_fail(err, ERR_NOT_PERMITTED,
		"others may write to it (mode %04o)",
		(unsigned)st.st_mode & 07777);
	return pawl_hint(err, "chmod go-w it, after a look at what is in it");
}

/* A `format` that isn't there is no failure; one that is something else is. */
static enum pawl_rc
check_format(const struct fs *fs, int fd, bool *ret_found, struct pawl_err *err)
{
	enum pawl_rc rc = rundir_check_state(fs, fd, err);

	*ret_found = rc == PAWL_OK;
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)
		return PAWL_OK;
	if (rc != PAWL_OK && err->code == ERR_LIMIT) {
		return pawl_fail(err, ERR_CORRUPT,
			"'" STATEDIR_FORMAT "' is larger than one ever is");
	}
	return rc;
}

enum pawl_rc
statedir_open(const struct fs *fs, const struct statedir *dir, int *ret_fd,
	struct pawl_err *err)
{
	bool found = false;
	int fd = -1;
	enum pawl_rc rc;

	rc = fs_open_dir(fs, AT_FDCWD, dir->path, &fd, err);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND) {
		*ret_fd = -1;
		return PAWL_OK;
	}
	if (rc != PAWL_OK)
		return rc;
	rc = check_owner(fs, fd, err);
	if (rc == PAWL_OK)
		rc = check_format(fs, fd, &found, err);
	if (rc != PAWL_OK || !found)
		fs_close(fs, &fd);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "state folder '%s'", dir->path);
	*ret_fd = fd;
	return PAWL_OK;
}

/*
 * The repository's own, when all is as it should be; whatever isn't is found
 * again, and told, on the long way.
 */
static bool
enter_own(const struct fs *fs, struct arena *mem, const struct look *l,
	struct statedir *ret_dir, int *ret_fd)
{
	struct statedir d = { .why = STATEDIR_REPOSITORY };
	struct pawl_err unused = { 0 };
	bool found = false;
	int fd = -1;

	if (l->repo.main_top == NULL)
		return false;
	d.path = join(mem, l->repo.main_top, STATEDIR_NAME);
	if (check_length(&d, &unused) == PAWL_OK &&
		fs_open(fs, AT_FDCWD, d.path, O_RDONLY | O_DIRECTORY, &fd,
			&unused) == PAWL_OK &&
		check_owner(fs, fd, &unused) == PAWL_OK &&
		check_format(fs, fd, &found, &unused) == PAWL_OK && found) {
		*ret_dir = d;
		*ret_fd = fd;
		return true;
	}
	fs_close(fs, &fd);
	return false;
}

enum pawl_rc
statedir_enter(const struct fs *fs, struct arena *mem,
	const struct statedir_search *search, struct statedir *ret_dir,
	int *ret_fd, struct pawl_err *err)
{
	const char *state = search->env->state;
	bool chosen =
		search->option != NULL || (state != NULL && *state != '\0');
	struct look l = { 0 };
	enum pawl_rc rc = look(mem, search->dir, &l, err);

	if (rc == PAWL_OK && !chosen && enter_own(fs, mem, &l, ret_dir, ret_fd))
		return PAWL_OK;
	if (rc == PAWL_OK)
		rc = find(mem, search, &l, ret_dir, err);
	return rc == PAWL_OK ? statedir_open(fs, ret_dir, ret_fd, err) : rc;
}

/*
 * Whether `name` is something that a half-made state folder may hold; `format`
 * is there when another has made it whole since it was missed.
 */
static bool
is_own_name(struct str name)
{
	static const char *const own[] = { "runs", "active", "log", "medium",
		"wt", "keys", STATEDIR_FORMAT };

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (str_eq(name, str_from(own[i])))
			return true;
	}
	return str_starts(name, STR(".")) && str_ends(name, STR(".pawl-tmp"));
}

/* A folder without `format` may become one only if nothing else is in it. */
static enum pawl_rc
check_empty(const struct fs *fs, int fd, struct pawl_err *err)
{
	struct buf names = { 0 };
	enum pawl_rc rc = fs_list(fs, fd, &names, err);
	struct str rest = buf_str(&names);

	while (rc == PAWL_OK && rest.len > 0) {
		struct str name = str_cut(&rest, '\0');

		if (is_own_name(name))
			continue;
		rc = pawl_fail(err, ERR_INVALID_PATH,
			"has no '" STATEDIR_FORMAT "' but holds '" STR_FMT "'",
			STR_ARG(name));
		(void)pawl_hint(err, "choose a folder that is empty or new");
	}
	buf_release(&names);
	return rc;
}

/*
 * One folder on the way.  `*parent` is open when it can be: what may only be
 * searched holds nothing that this user made.
 */
static enum pawl_rc
make_step(const struct fs *fs, const char *path, const char *name, int *parent,
	struct pawl_err *err)
{
	int next = -1;
	enum pawl_rc rc = fs_open_dir(fs, AT_FDCWD, path, &next, err);

	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND && *parent >= 0) {
		rc = fs_make_dir(fs, *parent, name, err);
		if (rc == PAWL_OK)
			rc = fs_open_dir(fs, *parent, name, &next, err);
	} else if (rc == PAWL_OK && *parent >= 0) {
		/* Whoever made it may have died before this. */
		rc = fs_sync(fs, *parent, err);
	}
	fs_close(fs, parent);
	*parent = next;
	return rc;
}

enum pawl_rc
statedir_make_path(const struct fs *fs, const char *path, int *ret_fd,
	struct pawl_err *err)
{
	char part[BOUND_PATH_BYTES];
	size_t len = strlen(path), start = 1;
	int fd = -1;
	enum pawl_rc rc = fs_open_dir(fs, AT_FDCWD, "/", &fd, err);

	assert(len < sizeof(part) && path[0] == '/'); /* statedir_find's */
	memcpy(part, path, len + 1);
	for (size_t end = 1; rc == PAWL_OK && end <= len; end++) {
		if (part[end] != '/' && part[end] != '\0')
			continue;
		if (end > start) {
			part[end] = '\0';
			rc = make_step(fs, part, part + start, &fd, err);
			part[end] = path[end];
		}
		start = end + 1;
		if (rc != PAWL_OK && err->code == ERR_NOT_PERMITTED &&
			end < len)
			rc = PAWL_OK;
	}
	if (rc == PAWL_OK) {
		*ret_fd = fd;
	} else {
		fs_close(fs, &fd);
	}
	return rc;
}

/* Make what is missing in an open folder; `*ret_made` when that was `format`.
 */
static enum pawl_rc
complete(const struct fs *fs, int fd, bool *ret_made, struct pawl_err *err)
{
	struct medium old, now = medium_measure(fs, fd);
	bool found = false, known = false;
	enum pawl_rc rc;

	rc = check_owner(fs, fd, err);
	if (rc == PAWL_OK)
		rc = check_format(fs, fd, &found, err);
	if (rc == PAWL_OK)
		rc = medium_read(fs, fd, &old, &known, err);
	if (rc != PAWL_OK)
		return rc;
	*ret_made = !found;
	if (found && known && medium_eq(&old, &now))
		return PAWL_OK;
	if (!found)
		rc = check_empty(fs, fd, err);
	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, fd, "log", err);
	if (rc == PAWL_OK)
		rc = lock_probe(fs, fd, err);
	if (rc == PAWL_OK)
		rc = medium_write(fs, fd, &now, err);
	if (rc == PAWL_OK)
		rc = rundir_init_state(fs, fd, err);
	return rc;
}

enum pawl_rc
statedir_make(const struct fs *fs, const struct statedir *dir, int *ret_fd,
	bool *ret_made, struct pawl_err *err)
{
	int fd = -1;
	bool made = false;
	enum pawl_rc rc = statedir_open(fs, dir, &fd, err);

	if (rc == PAWL_OK && fd < 0)
		rc = statedir_make_path(fs, dir->path, &fd, err);
	else if (rc != PAWL_OK)
		return rc;
	if (rc == PAWL_OK)
		rc = complete(fs, fd, &made, err);
	if (rc != PAWL_OK) {
		fs_close(fs, &fd);
		return pawl_wrap(err, "state folder '%s'", dir->path);
	}
	*ret_fd = fd;
	*ret_made = made;
	return PAWL_OK;
}

enum pawl_rc
statedir_would_make(const struct fs *fs, const struct statedir *dir,
	bool *ret_made, struct pawl_err *err)
{
	int fd = -1;
	enum pawl_rc rc = statedir_open(fs, dir, &fd, err);

	if (rc != PAWL_OK)
		return rc;
	*ret_made = fd < 0;
	fs_close(fs, &fd);
	if (!*ret_made)
		return PAWL_OK;
	rc = fs_open_dir(fs, AT_FDCWD, dir->path, &fd, err);
	if (rc != PAWL_OK)
		return err->code == ERR_FILE_NOT_FOUND ? PAWL_OK : rc;
	rc = check_empty(fs, fd, err);
	fs_close(fs, &fd);
	return rc == PAWL_OK ? rc
			     : pawl_wrap(err, "state folder '%s'", dir->path);
}
