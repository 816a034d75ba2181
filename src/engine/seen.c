#include "engine/seen.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/object.h"
#include "engine/settings.h"
#include "engine/statedir.h"

static const struct fingerprint_paths none = { 0 };

static struct seen_tree *
seen_find(struct pilot *p, struct str top)
{
	for (uint32_t i = 0; i < PILOT_SEEN_MAX; i++) {
		if (p->seen[i].top.len > 0 && str_eq(p->seen[i].top, top))
			return &p->seen[i];
	}
	return NULL;
}

/* Two names at most that aren't looked at, and the end. */
struct skips {
	const char *names[3];
};

/* Our own files change all the time, and git ignores them. */
static struct skips
skips_of(struct pilot *p, const struct repo *repo)
{
	struct skips skip = { { ".git", NULL, NULL } };

	if (str_eq(arena_format(&p->mem, "%s/" STATEDIR_NAME, repo->top),
		    str_from(p->run->place->state_path)))
		skip.names[1] = STATEDIR_NAME;
	return skip;
}

/* A settled fingerprint, or one that isn't when the folder doesn't rest. */
static struct fingerprint
print_of(struct pilot *p, const struct repo *repo,
	const struct fingerprint_paths *beside)
{
	struct skips skip = skips_of(p, repo);
	struct fingerprint print = { .settled = false };
	struct pawl_err ignored;

	if (fingerprint_take(repo->top, skip.names, beside, &print, &ignored) ==
			PAWL_OK &&
		!print.settled) {
		(void)poll(NULL, 0, (int)fingerprint_settle_ms());
		if (fingerprint_take(repo->top, skip.names, beside, &print,
			    &ignored) != PAWL_OK)
			print.settled = false;
	}
	return print;
}

/* What the link says before the tree: the boot and the fingerprint. */
static struct str
link_key(struct pilot *p, const struct fingerprint *print)
{
	char hex[SHA256_HEX + 1];

	sha256_hex_of(print->digest, hex);
	return arena_format(&p->mem, "%s:%llu:%s:", p->self.boot,
		(unsigned long long)print->entries, hex);
}

/*
 * Beside the index, for the next process.  Not past a boot: what was written
 * before a power cut may be lost, though its time isn't.  Only a saving depends
 * on it, so what fails is left.
 */
static void
link_put(struct pilot *p, const char *index, const struct fingerprint *print,
	const struct oid *tree)
{
	const char *name = arena_format(&p->mem, "%s.seen", index).ptr;

	if (p->self.boot[0] == '\0' || !print->settled ||
		(unlink(name) != 0 && errno != ENOENT))
		return;
	(void)!symlink(arena_format(&p->mem, STR_FMT "%s",
			       STR_ARG(link_key(p, print)), tree->hex)
			       .ptr,
		name);
}

static bool
link_get(struct pilot *p, const char *index, const struct fingerprint *print,
	struct oid *ret_tree)
{
	char text[OWNER_BOOT_BYTES + 128 + SHA256_HEX + GIT_OID_HEX_MAX];
	struct str key = link_key(p, print), found = { text, 0 };
	ssize_t len = readlink(arena_format(&p->mem, "%s.seen", index).ptr,
		text, sizeof(text));

	if (len <= 0 || p->self.boot[0] == '\0' || !print->settled)
		return false;
	found.len = (size_t)len;
	return str_starts(found, key) &&
		oid_read(str_part(found, key.len, found.len), ret_tree);
}

static void
seen_set(struct pilot *p, struct str top, const struct fingerprint *print,
	const struct oid *tree)
{
	struct seen_tree *seen = seen_find(p, top);

	if (seen == NULL) {
		seen = &p->seen[p->seen_next++ % PILOT_SEEN_MAX];
		seen->top = arena_copy(&p->keep, top);
	}
	seen->print = *print;
	seen->tree = *tree;
}

enum pawl_rc
seen_take(struct pilot *p, const struct repo *repo, const char *index,
	struct oid *ret_tree, struct pawl_err *err)
{
	struct str top = str_from(repo->top);
	struct fingerprint print = print_of(p, repo, &none);
	const struct seen_tree *seen = seen_find(p, top);
	enum pawl_rc rc =
		settings_hold(repo, pilot_path(p, SETTINGS_FILE), err);

	if (rc != PAWL_OK)
		return rc;
	if (seen != NULL && fingerprint_same(&seen->print, &print)) {
		*ret_tree = seen->tree;
		return PAWL_OK;
	}
	if (!link_get(p, index, &print, ret_tree)) {
		rc = snapshot_take(repo, index, ret_tree, err);
		if (rc == PAWL_OK)
			link_put(p, index, &print, ret_tree);
	}
	if (rc == PAWL_OK)
		seen_set(p, top, &print, ret_tree);
	return rc;
}

enum pawl_rc
seen_move_begin(struct pilot *p, const struct workspace *ws,
	const struct oid *to, struct seen_move *ret_move, struct pawl_err *err)
{
	struct seen_move m = { .to = *to, .index = ws->index };
	const char **paths;
	struct oid now;
	enum pawl_rc rc;

	rc = snapshot_changes(
		&ws->repo, &ws->after, to, &p->mem, &m.changes, err);
	if (rc != PAWL_OK)
		return rc;
	paths = arena_array(&p->mem, m.changes.count, const char *);
	for (size_t i = 0; i < m.changes.count; i++)
		paths[i] = arena_strdup(&p->mem, m.changes.items[i].path);
	m.paths = (struct fingerprint_paths){ paths, m.changes.count };
	m.beside = print_of(p, &ws->repo, &m.paths);
	/* after that print, so that what comes between is seen by one of them
	 */
	rc = seen_take(p, &ws->repo, ws->index, &now, err);
	if (rc == PAWL_OK && !oid_eq(&now, &ws->after)) {
		rc = pawl_fail(err, ERR_DIRTY_SCOPE,
			"the worktree at '%s' holds work that was not kept",
			ws->repo.top);
	}
	if (rc == PAWL_OK)
		*ret_move = m;
	else
		changes_release(&m.changes);
	return rc;
}

/* Every folder above the path is one, and no link to one; or is missing. */
static bool
is_reached_by_folders(const char *top, struct str path, struct arena *mem)
{
	for (size_t i = 0; i < path.len; i++) {
		struct stat st;

		if (path.ptr[i] != '/')
			continue;
		if (lstat(arena_format(mem, "%s/" STR_FMT, top,
				  STR_ARG(str_part(path, 0, i)))
				    .ptr,
			    &st) != 0)
			return errno == ENOENT;
		if (!S_ISDIR(st.st_mode))
			return false;
	}
	return true;
}

/* Does the path hold what the change's new side says? */
static bool
holds(struct pilot *p, const char *top, const struct change *c)
{
	const char *path =
		arena_format(&p->mem, "%s/" STR_FMT, top, STR_ARG(c->path)).ptr;
	struct buf bytes = { .max = SEEN_MOVE_BYTES_MAX };
	struct object blob = { 0 };
	struct pawl_err ignored;
	struct stat st;
	bool is, there = false;

	if (!is_reached_by_folders(top, c->path, &p->mem))
		return false;
	if (lstat(path, &st) != 0)
		return c->new_mode == 0 && errno == ENOENT;
	if (c->new_mode == 0)
		return S_ISDIR(st.st_mode); /* what is in it isn't this path */
	is = (c->new_mode & OBJECT_MODE_TYPE) == OBJECT_MODE_FILE &&
		S_ISREG(st.st_mode) &&
		(c->new_mode & S_IXUSR) == (st.st_mode & S_IXUSR) &&
		file_read(path, &bytes, &there, &ignored) == PAWL_OK && there &&
		object_read(&p->serve, &c->new, &blob, &ignored) == PAWL_OK &&
		blob.kind == OBJECT_BLOB &&
		str_eq(buf_str(&bytes), object_bytes(&blob));
	object_release(&blob);
	buf_release(&bytes);
	return is;
}

static bool
is_as_moved(struct pilot *p, const struct repo *repo, const struct seen_move *m)
{
	const struct change *c;

	VEC_EACH (c, &m->changes) {
		if (!holds(p, repo->top, c))
			return false;
	}
	return true;
}

void
seen_move_end(struct pilot *p, const struct repo *repo, struct seen_move *move,
	bool moved)
{
	struct fingerprint all, beside;

	if (moved && move->beside.settled &&
		move->changes.count <= SEEN_MOVE_PATHS_MAX) {
		/* the contents after it: a later write changes the print */
		all = print_of(p, repo, &none);
		beside = print_of(p, repo, &move->paths);
		if (all.settled && fingerprint_same(&beside, &move->beside) &&
			is_as_moved(p, repo, move)) {
			link_put(p, move->index, &all, &move->to);
			seen_set(p, str_from(repo->top), &all, &move->to);
		}
	}
	changes_release(&move->changes);
}
