#include "engine/repo.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "base/sha256.h"
#include "engine/file.h"
#include "os/owner.h"

enum {
	REPO_LINK_MAX = 8 << 10, /* bytes of a `.git` file or commondir */
	REPO_CONFIG_MAX = 4 << 20,
	REPO_EXCLUDE_MAX = 4 << 20,
};

/* The keys of a configuration that change how the rest is read. */
struct config {
	bool bare;
	bool reftable;
	bool sha256;
};

bool
repo_path_is_below(const char *path, const char *top)
{
	size_t len = strlen(top);

	while (len > 0 && top[len - 1] == '/')
		len--;
	return strncmp(path, top, len) == 0 &&
		(path[len] == '/' || path[len] == '\0');
}

static const char *
join(struct arena *mem, const char *dir, struct str name)
{
	if (name.len > 0 && name.ptr[0] == '/')
		return arena_strdup(mem, name);
	return arena_strdup(
		mem, arena_format(mem, "%s/" STR_FMT, dir, STR_ARG(name)));
}

static enum pawl_rc
real_path(const char *path, struct arena *mem, const char **ret_path,
	struct pawl_err *err)
{
	const char *found = file_real_path(path, mem);

	if (found == NULL) {
		return pawl_fail_sys(err,
			errno == ENOENT || errno == ENOTDIR ? ERR_FILE_NOT_FOUND
							    : ERR_IO,
			"could not resolve '%s'", path);
	}
	*ret_path = found;
	return PAWL_OK;
}

static bool
value_is_true(struct str value)
{
	static const char *const words[] = { "true", "yes", "on", "1" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i]) == value.len &&
			strncasecmp(words[i], value.ptr, value.len) == 0)
			return true;
	}
	return false;
}

static bool
key_is(struct str key, const char *name)
{
	return key.len == strlen(name) &&
		strncasecmp(key.ptr, name, key.len) == 0;
}

/*
 * The keys, from the lines that git itself writes them as.  A value in an
 * included file isn't seen; git takes these from there neither when it
 * looks at what kind of repository it has.
 */
static struct config
config_scan(struct str text)
{
	struct config c = { 0 };
	struct str section = { 0 };

	while (text.ptr != NULL) {
		struct str line = str_trim(str_cut(&text, '\n'));
		struct str value = line;
		struct str key;

		if (line.len > 2 && line.ptr[0] == '[') {
			section = str_part(line, 1, str_find(line, ']') - 1);
			continue;
		}
		key = str_trim(str_cut(&value, '='));
		/* a key alone is true */
		value = value.ptr ? str_trim(value) : STR("true");
		if (key_is(section, "core") && key_is(key, "bare"))
			c.bare = value_is_true(value);
		if (key_is(section, "extensions") &&
			key_is(key, "objectformat"))
			c.sha256 = key_is(value, "sha256");
		if (key_is(section, "extensions") && key_is(key, "refstorage"))
			c.reftable = !key_is(value, "files");
	}
	return c;
}

static enum pawl_rc
config_read(const char *common_dir, struct arena *mem,
	struct config *ret_config, struct pawl_err *err)
{
	struct buf text = { .max = REPO_CONFIG_MAX };
	enum pawl_rc rc;
	bool found;

	rc = file_read(
		join(mem, common_dir, STR("config")), &text, &found, err);
	if (rc == PAWL_OK)
		*ret_config = config_scan(buf_str(&text));
	buf_release(&text);
	return rc;
}

/* `file` holds "<prefix>path\n"; the path counts from `dir`. */
static enum pawl_rc
link_read(const char *file, struct str prefix, const char *dir,
	struct arena *mem, const char **ret_path, struct pawl_err *err)
{
	struct buf text = { .max = REPO_LINK_MAX };
	struct str line;
	enum pawl_rc rc;
	bool found;

	rc = file_read(file, &text, &found, err);
	if (rc != PAWL_OK)
		goto out;
	line = buf_str(&text);
	while (line.len > 0 &&
		(line.ptr[line.len - 1] == '\n' ||
			line.ptr[line.len - 1] == '\r'))
		line.len--;
	if (!found || line.len <= prefix.len || !str_starts(line, prefix)) {
		rc = pawl_fail(err, ERR_CORRUPT,
			"'%s' does not name a git folder", file);
		goto out;
	}
	line = str_part(line, prefix.len, line.len);
	rc = real_path(join(mem, dir, line), mem, ret_path, err);
out:
	buf_release(&text);
	return rc;
}

static bool
is_git_dir(const char *dir, struct arena *mem)
{
	struct stat st;

	return lstat(join(mem, dir, STR("HEAD")), &st) == 0 &&
		stat(join(mem, dir, STR("objects")), &st) == 0 &&
		S_ISDIR(st.st_mode) &&
		stat(join(mem, dir, STR("refs")), &st) == 0 &&
		S_ISDIR(st.st_mode);
}

/* What the search has learnt on its way, and nothing asks for again. */
struct seen {
	uid_t top_uid;
	struct stat dot; /* `.git` itself */
};

/* Walk up from `start`, a real path, to the folder that holds a `.git`. */
static enum pawl_rc
find_top(const char *start, struct arena *mem, struct repo *r,
	struct seen *ret_seen, struct pawl_err *err)
{
	char *dir = arena_strdup(mem, str_from(start));
	struct stat st, linked, here;
	dev_t dev;

	if (stat(dir, &here) != 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not look at '%s'", dir);
	}
	dev = here.st_dev;
	for (;;) {
		const char *dot = join(mem, dir, STR(".git"));
		char *slash;

		if (lstat(dot, &st) == 0 &&
			(!S_ISLNK(st.st_mode) || stat(dot, &linked) == 0)) {
			r->top = arena_strdup(mem, str_from(dir));
			*ret_seen = (struct seen){ here.st_uid, st };
			if (S_ISDIR(st.st_mode)) {
				r->git_dir = dot;
				return PAWL_OK;
			}
			if (S_ISLNK(st.st_mode) && S_ISDIR(linked.st_mode))
				return real_path(dot, mem, &r->git_dir, err);
			return link_read(dot, STR("gitdir: "), dir, mem,
				&r->git_dir, err);
		}
		if (is_git_dir(dir, mem)) {
			return pawl_fail(err, ERR_NEEDS_REPOSITORY,
				"'%s' is a git folder without a working tree",
				dir);
		}
		slash = strrchr(dir, '/');
		if (slash == NULL || dir[1] == '\0')
			break;
		slash[slash == dir ? 1 : 0] = '\0';
		/* as git: not across a mount */
		if (stat(dir, &here) != 0 || here.st_dev != dev)
			break;
	}
	return pawl_fail(
		err, ERR_NEEDS_REPOSITORY, "no git repository at '%s'", start);
}

static bool
is_owner(const char *path, uid_t uid)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == uid;
}

/* Top, git folder and common folder are all this user's. */
static bool
is_ours(const struct repo *r, const struct seen *seen)
{
	uid_t uid = owner_uid();

	return seen->top_uid == uid &&
		(S_ISDIR(seen->dot.st_mode) ? seen->dot.st_uid == uid
					    : is_owner(r->git_dir, uid)) &&
		(r->common_dir == r->git_dir || is_owner(r->common_dir, uid));
}

/* Git's rule for whom it trusts: ours, or named by safe.directory. */
static enum pawl_rc
check_owner(const struct repo *r, const struct seen *seen, struct pawl_err *err)
{
	static const char *const args[] = { "rev-parse", "--git-dir", NULL };
	struct git_call call = { .args = args, .dir = r->top };

	if (is_ours(r, seen))
		return PAWL_OK;
	if (git_run_quiet(&call, err) == PAWL_OK)
		return PAWL_OK;
	(void)pawl_fail(err, ERR_NOT_PERMITTED,
		"the repository at '%s' belongs to another user", r->top);
	return pawl_hint(
		err, "git config --global --add safe.directory '%s'", r->top);
}

static const char *
base_name(struct arena *mem, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str name = str_from(slash ? slash + 1 : path);

	if (str_ends(name, STR(".git")) && name.len > 4)
		name.len -= 4;
	return arena_strdup(mem, name.len > 0 ? name : STR("root"));
}

enum pawl_rc
repo_locate(const char *start, struct arena *mem, struct repo *ret_repo,
	struct pawl_err *err)
{
	struct repo r = { 0 };
	struct seen seen = { 0 };
	struct stat st;
	struct str common;
	const char *link;
	enum pawl_rc rc;

	rc = find_top(start, mem, &r, &seen, err);
	if (rc != PAWL_OK)
		return rc;
	assert(r.git_dir != NULL);
	if (!S_ISDIR(seen.dot.st_mode) &&
		(stat(r.git_dir, &st) != 0 || !S_ISDIR(st.st_mode))) {
		return pawl_fail(
			err, ERR_CORRUPT, "'%s' is not a folder", r.git_dir);
	}
	link = join(mem, r.git_dir, STR("commondir"));
	if (lstat(link, &st) == 0) {
		rc = link_read(
			link, STR(""), r.git_dir, mem, &r.common_dir, err);
	} else {
		r.common_dir = r.git_dir;
	}
	if (rc != PAWL_OK)
		return rc;
	assert(r.common_dir != NULL);
	rc = check_owner(&r, &seen, err);
	if (rc != PAWL_OK)
		return rc;
	common = str_from(r.common_dir);
	r.is_worktree = strcmp(r.git_dir, r.common_dir) != 0;
	if (!r.is_worktree) {
		r.main_top = r.top;
	} else if (str_ends(common, STR("/.git"))) {
		common.len -= 5;
		r.main_top =
			arena_strdup(mem, common.len > 0 ? common : STR("/"));
	}
	*ret_repo = r;
	return PAWL_OK;
}

enum pawl_rc
repo_prove(struct repo *r, struct arena *mem, struct pawl_err *err)
{
	struct config config = { 0 };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	rc = config_read(r->common_dir, mem, &config, err);
	if (rc != PAWL_OK)
		return rc;
	if (!is_git_dir(r->common_dir, mem)) {
		return pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"'%s' is not a git folder", r->common_dir);
	}
	if (config.bare && !r->is_worktree) {
		return pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"the repository at '%s' is bare", r->top);
	}
	if (config.bare)
		r->main_top = NULL;
	r->name = base_name(mem, r->main_top ? r->main_top : r->common_dir);
	sha256_hex(str_from(r->common_dir), hex);
	memcpy(r->key, hex, REPO_KEY_HEX);
	r->key[REPO_KEY_HEX] = '\0';
	r->refs_are_files = !config.reftable;
	r->oid_bytes = config.sha256 ? 32 : 20;
	return PAWL_OK;
}

enum pawl_rc
repo_find(const char *start, struct arena *mem, struct repo *ret_repo,
	struct pawl_err *err)
{
	struct repo r = { 0 };
	const char *path = NULL;
	enum pawl_rc rc = real_path(start, mem, &path, err);

	if (rc == PAWL_OK)
		rc = repo_locate(path, mem, &r, err);
	if (rc == PAWL_OK)
		rc = repo_prove(&r, mem, err);
	if (rc == PAWL_OK)
		*ret_repo = r;
	return rc;
}

enum pawl_rc
repo_identity(const struct repo *repo, struct arena *mem,
	struct git_ident *ret_ident, struct pawl_err *err)
{
	static const char *const args[] = { "config", "-z", "--get-regexp",
		"^user\\.(name|email)$", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.dir = repo->top,
		.answers = 1u << 1 };
	struct git_ident found = { 0 };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str value = str_cut(&rest, '\0');
		struct str key = str_cut(&value, '\n');

		if (value.len == 0)
			continue;
		if (key_is(key, "user.name")) {
			found.name = arena_strdup(mem, value);
		} else {
			found.email = arena_strdup(mem, value);
		}
	}
	git_ran_release(&ran);
	if (found.name == NULL || found.email == NULL)
		found = (struct git_ident){ 0 };
	*ret_ident = found;
	return PAWL_OK;
}

enum pawl_rc
repo_is_ignored(const struct repo *repo, const char *path, bool *ret_ignored,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	/* with "./" ahead, no path reads as a pattern with a prefix */
	const char *const args[] = { "check-ignore", "-q", "--no-index", "--",
		join(&mem, ".", str_from(path)), NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.pathspecs = true,
		.answers = 1u << 1 };
	struct git_ran ran = { 0 };
	enum pawl_rc rc;

	rc = git_run(&call, &ran, err);
	if (rc == PAWL_OK) {
		*ret_ignored = ran.status == 0;
		git_ran_release(&ran);
	}
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
repo_holds(const struct repo *repo, const char *commit, const char *path,
	bool *ret_held, struct pawl_err *err)
{
	const char *const args[] = { "ls-tree", "--full-tree", "--name-only",
		commit, "--", path, NULL };
	struct git_call call = { .args = args, .git_dir = repo->git_dir };
	struct git_ran ran = { 0 };
	enum pawl_rc rc = git_run(&call, &ran, err);

	if (rc == PAWL_OK) {
		*ret_held = ran.out.len > 0;
		git_ran_release(&ran);
	}
	return rc;
}

static bool
has_line(struct str text, struct str line)
{
	while (text.ptr != NULL) {
		if (str_eq(str_trim(str_cut(&text, '\n')), line))
			return true;
	}
	return false;
}

enum pawl_rc
repo_exclude(const struct repo *repo, struct str pattern, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { .max = REPO_EXCLUDE_MAX };
	struct buf added = { 0 };
	struct git_lock lock = { .fd = -1 };
	const char *info, *file;
	enum pawl_rc rc;
	bool found;

	if (pattern.len == 0 || str_find(pattern, '\n') < pattern.len) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"an exclude pattern is one line that is not empty");
	}
	info = join(&mem, repo->common_dir, STR("info"));
	if (mkdir(info, 0777) != 0 && errno != EEXIST) {
		rc = pawl_fail_sys(err, ERR_IO, "could not make '%s'", info);
		goto out;
	}
	/* Two who find the line missing would both add it. */
	rc = git_lock_dir(repo->common_dir, &lock, err);
	if (rc != PAWL_OK)
		goto out;
	file = join(&mem, info, STR("exclude"));
	rc = file_read(file, &text, &found, err);
	if (rc != PAWL_OK || has_line(buf_str(&text), pattern))
		goto out;
	if (text.len > 0 && text.data[text.len - 1] != '\n')
		buf_addc(&added, '\n');
	buf_add(&added, pattern);
	buf_addc(&added, '\n');
	rc = file_append(file, buf_str(&added), err);
out:
	git_lock_release(&lock);
	buf_release(&text);
	buf_release(&added);
	arena_reset(&mem);
	return rc;
}

bool
repo_folds_case(const struct repo *repo, const struct fs *fs)
{
	struct pawl_err ignored;
	struct stat lower, upper;
	int top = -1;
	bool folds;

	folds = fs_open_dir(fs, AT_FDCWD, repo->top, &top, &ignored) ==
			PAWL_OK &&
		fs_stat(fs, top, ".git", &lower, &ignored) == PAWL_OK &&
		fs_stat(fs, top, ".GIT", &upper, &ignored) == PAWL_OK &&
		lower.st_dev == upper.st_dev && lower.st_ino == upper.st_ino;
	fs_close(fs, &top);
	return folds;
}
