#include "engine/ref.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/die.h"
#include "engine/file.h"

enum {
	REF_FILE_MAX = 4 << 10,
	REF_PACKED_MAX = 256 << 20,
	REF_SYMBOLIC_DEPTH = 5, /* as git */
};

/* What a loose reference's file says; both empty: there is none. */
struct loose {
	char target[REF_NAME_MAX]; /* of a symbolic one */
	struct oid oid;
	bool odd; /* not a file of the simple form: ask git */
};

static struct git_call
call_for(const struct repo *repo, const char *const *args)
{
	return (struct git_call){
		.args = args, .git_dir = repo->git_dir, .dir = repo->top
	};
}

static enum pawl_rc
loose_read(const char *dir, const char *name, struct loose *ret_loose,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { .max = REF_FILE_MAX };
	struct loose l = { 0 };
	const char *path;
	struct str line;
	struct stat st;
	enum pawl_rc rc = PAWL_OK;
	bool found = false;

	path = arena_strdup(&mem, arena_format(&mem, "%s/%s", dir, name));
	if (lstat(path, &st) != 0) {
		l.odd = errno != ENOENT && errno != ENOTDIR;
	} else if (S_ISREG(st.st_mode)) {
		rc = file_read(path, &text, &found, err);
	} else {
		l.odd = !S_ISDIR(st.st_mode);
	}
	if (rc != PAWL_OK || !found)
		goto out;
	line = str_trim(buf_str(&text));
	if (str_starts(line, STR("ref: "))) {
		line = str_trim(str_part(line, 5, line.len));
		if (line.len == 0 || line.len >= sizeof(l.target)) {
			l.odd = true;
		} else {
			memcpy(l.target, line.ptr, line.len);
		}
	} else if (!oid_read(line, &l.oid)) {
		l.odd = true;
	}
out:
	if (rc == PAWL_OK)
		*ret_loose = l;
	buf_release(&text);
	arena_reset(&mem);
	return rc;
}

static enum pawl_rc
packed_read(const struct repo *repo, struct str name, struct oid *ret_oid,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { .max = REF_PACKED_MAX };
	struct str rest;
	enum pawl_rc rc;
	bool found;

	*ret_oid = (struct oid){ 0 };
	rc = file_read(
		arena_strdup(&mem,
			arena_format(&mem, "%s/packed-refs", repo->common_dir)),
		&text, &found, err);
	if (rc != PAWL_OK)
		goto out;
	rest = buf_str(&text);
	while (rest.len > 0) {
		struct str line = str_cut(&rest, '\n');
		struct str hex = str_cut(&line, ' ');

		/* comments and peeled tags have no such second part */
		if (line.ptr != NULL && str_eq(line, name) &&
			oid_read(hex, ret_oid))
			break;
	}
out:
	buf_release(&text);
	arena_reset(&mem);
	return rc;
}

static enum pawl_rc
ask_git(const struct repo *repo, const char *name, struct oid *ret_oid,
	struct pawl_err *err)
{
	const char *const args[] = { "rev-parse", "--verify", "-q",
		"--end-of-options", name, NULL };
	struct git_call call = call_for(repo, args);
	struct git_ran ran = { 0 };
	struct oid oid = { 0 };
	enum pawl_rc rc;

	call.answers = 1u << 1;
	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	if (ran.status == 0 && !oid_read(str_trim(buf_str(&ran.out)), &oid)) {
		rc = pawl_fail(
			err, ERR_GIT, "git gave no value for '%s'", name);
	} else {
		*ret_oid = oid;
	}
	git_ran_release(&ran);
	return rc;
}

static bool
is_ref_name(const char *name)
{
	return strncmp(name, "refs/", 5) == 0 && strstr(name, "..") == NULL &&
		strlen(name) < REF_NAME_MAX;
}

/* Follow symbolic references; `at` becomes the name of the last one. */
static enum pawl_rc
resolve(const struct repo *repo, char at[REF_NAME_MAX], struct oid *ret_oid,
	struct pawl_err *err)
{
	struct loose loose = { 0 };
	enum pawl_rc rc;

	for (int depth = 0; depth <= REF_SYMBOLIC_DEPTH; depth++) {
		rc = loose_read(repo->common_dir, at, &loose, err);
		if (rc != PAWL_OK)
			return rc;
		if (loose.odd)
			return ask_git(repo, at, ret_oid, err);
		if (!oid_is_none(&loose.oid)) {
			*ret_oid = loose.oid;
			return PAWL_OK;
		}
		if (loose.target[0] == '\0')
			return packed_read(repo, str_from(at), ret_oid, err);
		if (!is_ref_name(loose.target))
			break;
		memcpy(at, loose.target, REF_NAME_MAX);
	}
	return pawl_fail(err, ERR_CORRUPT, "reference '%s' leads nowhere", at);
}

enum pawl_rc
ref_read(const struct repo *repo, const char *name, struct oid *ret_oid,
	struct pawl_err *err)
{
	char at[REF_NAME_MAX];

	if (!is_ref_name(name)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'%s' is not a full reference name", name);
	}
	if (!repo->refs_are_files)
		return ask_git(repo, name, ret_oid, err);
	memcpy(at, name, strlen(name) + 1);
	return resolve(repo, at, ret_oid, err);
}

static enum pawl_rc
head_of_git(const struct repo *repo, struct arena *mem,
	struct ref_head *ret_head, struct pawl_err *err)
{
	static const char *const args[] = { "symbolic-ref", "-q", "HEAD",
		NULL };
	struct git_call call = call_for(repo, args);
	struct git_ran ran = { 0 };
	struct ref_head head = { 0 };
	enum pawl_rc rc;

	call.answers = 1u << 1;
	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	if (ran.status == 0)
		head.branch = arena_strdup(mem, str_trim(buf_str(&ran.out)));
	git_ran_release(&ran);
	rc = ask_git(repo, "HEAD", &head.commit, err);
	if (rc == PAWL_OK)
		*ret_head = head;
	return rc;
}

enum pawl_rc
ref_head(const struct repo *repo, struct arena *mem, struct ref_head *ret_head,
	struct pawl_err *err)
{
	struct loose loose = { 0 };
	struct ref_head head = { 0 };
	enum pawl_rc rc;

	rc = loose_read(repo->git_dir, "HEAD", &loose, err);
	if (rc != PAWL_OK)
		return rc;
	if (loose.odd || !repo->refs_are_files)
		return head_of_git(repo, mem, ret_head, err);
	if (loose.target[0] != '\0') {
		if (!is_ref_name(loose.target)) {
			return pawl_fail(err, ERR_CORRUPT,
				"HEAD of '%s' leads to '%s'", repo->git_dir,
				loose.target);
		}
		rc = resolve(repo, loose.target, &head.commit, err);
		head.branch = arena_strdup(mem, str_from(loose.target));
	} else if (!oid_is_none(&loose.oid)) {
		head.commit = loose.oid;
	} else {
		rc = pawl_fail(
			err, ERR_CORRUPT, "'%s' has no HEAD", repo->git_dir);
	}
	if (rc == PAWL_OK)
		*ret_head = head;
	return rc;
}

enum pawl_rc
ref_must_head(const struct repo *repo, struct arena *mem,
	struct ref_head *ret_head, struct pawl_err *err)
{
	struct ref_head head = { 0 };
	enum pawl_rc rc;

	rc = ref_head(repo, mem, &head, err);
	if (rc != PAWL_OK)
		return rc;
	if (oid_is_none(&head.commit)) {
		(void)pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"the repository at '%s' has no commit yet", repo->top);
		return pawl_hint(err, "git commit");
	}
	*ret_head = head;
	return PAWL_OK;
}

/* update-ref -z wants every field; all zeros is "absent". */
static void
add_oid(struct buf *to, const struct oid *oid, size_t hex)
{
	if (oid_is_none(oid)) {
		for (size_t i = 0; i < hex; i++)
			buf_addc(to, '0');
	} else {
		buf_add(to, str_from(oid->hex));
	}
	buf_addc(to, '\0');
}

/* "start: ok", "prepare: ok", "commit: ok": a line each. */
static enum coproc_whole
update_whole(const void *arg, struct str got)
{
	static const char whole[] = "start: ok\nprepare: ok\ncommit: ok\n";
	struct str want = str_from(whole);

	(void)arg;
	if (got.len > want.len || !str_starts(want, got))
		return COPROC_NO_ANSWER;
	return got.len == want.len ? COPROC_WHOLE : COPROC_MORE;
}

/*
 * After a refusal: is one of them not where it had to be?  When a git was ended
 * in the middle, and all are where they should go to, it was done by that one.
 */
static enum pawl_rc
explain_update(const struct repo *repo, const struct ref_update *updates,
	size_t count, bool twice, struct pawl_err *err)
{
	const struct ref_update *moved = NULL;
	struct oid at = { 0 };
	size_t done = 0;

	for (size_t i = 0; i < count; i++) {
		const struct ref_update *u = &updates[i];
		struct pawl_err why;
		struct oid now = { 0 };

		if (ref_read(repo, u->name, &now, &why) != PAWL_OK)
			continue;
		done += oid_eq(&now, &u->to);
		if (moved == NULL && !oid_eq(&now, &u->from)) {
			moved = u;
			at = now;
		}
	}
	if (twice && done == count)
		return PAWL_OK;
	if (moved == NULL)
		return err->rc;
	return pawl_fail(err, ERR_REF_MOVED, "'%s' is at %.12s, not at %.12s",
		moved->name, oid_is_none(&at) ? "nothing" : at.hex,
		oid_is_none(&moved->from) ? "nothing" : moved->from.hex);
}

static enum pawl_rc
is_at(const char *git_dir, const char *name, bool *ret_at, struct pawl_err *err)
{
	struct loose head;
	enum pawl_rc rc = loose_read(git_dir, "HEAD", &head, err);

	*ret_at = rc == PAWL_OK && strcmp(head.target, name) == 0;
	return rc;
}

/* Where a linked worktree stands: its `gitdir` names the `.git` in it. */
static const char *
linked_top(const char *git_dir, struct arena *mem)
{
	struct buf text = { .max = REF_FILE_MAX };
	struct pawl_err ignored;
	struct str path = str_from(git_dir);
	bool found;

	if (file_read(arena_format(mem, "%s/gitdir", git_dir).ptr, &text,
		    &found, &ignored) == PAWL_OK &&
		found)
		path = str_trim(buf_str(&text));
	if (str_ends(path, STR("/.git")))
		path.len -= strlen("/.git");
	path = arena_copy(mem, path);
	buf_release(&text);
	return arena_strdup(mem, path);
}

enum pawl_rc
ref_checkout(const struct repo *repo, const char *name, struct arena *mem,
	const char **ret_top, struct pawl_err *err)
{
	const char *linked =
		arena_format(mem, "%s/worktrees", repo->common_dir).ptr;
	const struct dirent *entry;
	enum pawl_rc rc;
	bool at = false;
	DIR *dir;

	*ret_top = NULL;
	rc = is_at(repo->common_dir, name, &at, err);
	if (at)
		*ret_top = repo->main_top ? repo->main_top : repo->common_dir;
	dir = rc == PAWL_OK && !at ? opendir(linked) : NULL;
	while (dir != NULL && rc == PAWL_OK && !at &&
		(entry = readdir(dir)) != NULL) {
		const char *git_dir =
			arena_format(mem, "%s/%s", linked, entry->d_name).ptr;

		if (entry->d_name[0] != '.')
			rc = is_at(git_dir, name, &at, err);
		if (at)
			*ret_top = linked_top(git_dir, mem);
	}
	if (dir != NULL)
		(void)closedir(dir);
	return rc;
}

enum pawl_rc
ref_update(const struct repo *repo, const struct ref_update *updates,
	size_t count, struct pawl_err *err)
{
	bool twice = false;
	struct git_question q = { .kind = GIT_SERVE_REFS,
		.whole = update_whole,
		.ret_twice = &twice };
	struct buf bytes = { 0 }, answer = { 0 };
	struct git_serve own;
	enum pawl_rc rc;

	assert(count > 0 && count <= REF_UPDATES_MAX);
	buf_add(&bytes, STR("start"));
	buf_addc(&bytes, '\0');
	for (size_t i = 0; i < count; i++) {
		const struct ref_update *u = &updates[i];
		size_t hex =
			strlen(oid_is_none(&u->to) ? u->from.hex : u->to.hex);

		assert(hex > 0);
		buf_addf(&bytes, "update %s", u->name);
		buf_addc(&bytes, '\0');
		add_oid(&bytes, &u->to, hex);
		add_oid(&bytes, &u->from, hex);
	}
	buf_add(&bytes, STR("prepare"));
	buf_addc(&bytes, '\0');
	buf_add(&bytes, STR("commit"));
	buf_addc(&bytes, '\0');
	q.bytes = buf_str(&bytes);
	rc = git_serve_ask(git_serve_or(repo->serve, &own, repo->common_dir),
		&q, &answer, err);
	git_serve_close(&own);
	if (rc != PAWL_OK && err->code == ERR_GIT)
		rc = explain_update(repo, updates, count, twice, err);
	buf_release(&bytes);
	buf_release(&answer);
	return rc;
}
