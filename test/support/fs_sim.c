#include "fs_sim.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sys/file.h>
#include <unistd.h>

#include "base/die.h"
#include "base/rand.h"
#include "base/vec.h"

enum {
	SECTOR = 512,
	NAME_MAX_BYTES = 200,
	FD_BASE = 1000, /* no number that the kernel would give */
	ROOT_FD = FD_BASE,
};

struct entry {
	char name[NAME_MAX_BYTES];
	size_t node;
};
VEC_DEF(entries, struct entry);

enum pending_kind {
	PENDING_SIZE,   /* `at` is the new size */
	PENDING_SECTOR, /* the bytes of one sector, as they were then */
	PENDING_SET,    /* `name` leads to `node` */
	PENDING_DROP,   /* `name` leads nowhere */
	PENDING_MOVE,   /* both: `name` is dropped, `to` set */
};

struct pending {
	enum pending_kind kind;
	uint64_t at;
	size_t len, node;
	char bytes[SECTOR];
	char name[NAME_MAX_BYTES], to[NAME_MAX_BYTES];
};
VEC_DEF(pendings, struct pending);

struct node {
	bool is_dir;
	struct buf seen, disk;            /* of a file */
	struct entries names, disk_names; /* of a directory */
	struct pendings log;
	long shared;
	bool exclusive;
};
VEC_DEF(nodes, struct node);

struct open_file {
	bool used, append;
	size_t node;
	uint64_t pos;
	int lock; /* LOCK_SH, LOCK_EX, or 0 */
};
VEC_DEF(open_files, struct open_file);

struct fs_sim {
	struct nodes nodes; /* the first is the root */
	struct open_files files;
	long cut_left, sync_left, sync_fails, changes;
	bool dead;
	uint64_t sync_seed, unique;
};

/* True when the power is there for one more change. */
static bool
change(struct fs_sim *s)
{
	if (!s->dead && s->cut_left == 0)
		s->dead = true;
	if (s->dead) {
		errno = EIO;
		return false;
	}
	if (s->cut_left > 0)
		s->cut_left--;
	s->changes++;
	return true;
}

static bool
alive(const struct fs_sim *s)
{
	errno = EIO;
	return !s->dead;
}

static struct open_file *
file_of(struct fs_sim *s, int fd)
{
	size_t i = (size_t)(fd - FD_BASE);

	assert(fd >= FD_BASE && i < s->files.count);
	assert(s->files.items[i].used);
	return &s->files.items[i];
}

static struct node *
node_of(struct fs_sim *s, int fd)
{
	return &s->nodes.items[file_of(s, fd)->node];
}

static struct entry *
entry_find(struct entries *names, const char *name)
{
	struct entry *e;

	VEC_EACH (e, names) {
		if (strcmp(e->name, name) == 0)
			return e;
	}
	return NULL;
}

static void
name_put(char to[NAME_MAX_BYTES], const char *name)
{
	assert(strlen(name) < NAME_MAX_BYTES);
	memcpy(to, name, strlen(name) + 1);
}

static void
entry_set(struct entries *names, const char *name, size_t node)
{
	struct entry *e = entry_find(names, name);

	if (e == NULL)
		e = entries_push(names, (struct entry){ 0 });
	name_put(e->name, name);
	e->node = node;
}

static void
entry_drop(struct entries *names, const char *name)
{
	struct entry *e = entry_find(names, name);

	if (e != NULL)
		*e = names->items[--names->count];
}

static void
size_set(struct buf *b, uint64_t size)
{
	if (size > b->len) {
		size_t more = (size_t)size - b->len;

		memset(buf_reserve(b, more + 1), 0, more + 1);
	}
	b->len = (size_t)size;
}

/* Put one record on the disk. */
static void
apply(struct node *n, const struct pending *p)
{
	size_t len;

	switch (p->kind) {
	case PENDING_SIZE:
		size_set(&n->disk, p->at);
		break;
	case PENDING_SECTOR:
		if (p->at >= n->disk.len)
			break;
		len = n->disk.len - (size_t)p->at;
		memcpy(n->disk.data + p->at, p->bytes,
			len < p->len ? len : p->len);
		break;
	case PENDING_MOVE:
		entry_drop(&n->disk_names, p->name);
		entry_set(&n->disk_names, p->to, p->node);
		break;
	case PENDING_SET:
		entry_set(&n->disk_names, p->name, p->node);
		break;
	case PENDING_DROP:
		entry_drop(&n->disk_names, p->name);
		break;
	}
}

static bool
coin(struct rand *r, uint64_t seed)
{
	return seed == 1 || (seed > 1 && (rand_u64(r) & 1) != 0);
}

/* As apply, for what a crash or a failed sync may have kept. */
static void
apply_some(
	struct node *n, const struct pending *p, struct rand *r, uint64_t seed)
{
	struct pending part = *p;

	if (p->kind == PENDING_SIZE && p->at > n->disk.len && seed > 1 &&
		coin(r, seed)) {
		/* A part of the growth. */
		part.at = n->disk.len + rand_u64(r) % (p->at - n->disk.len + 1);
		if (coin(r, seed) && part.at / SECTOR * SECTOR > n->disk.len)
			part.at = part.at / SECTOR * SECTOR;
		apply(n, &part);
	} else if (coin(r, seed)) {
		apply(n, p);
	}
}

static int
sim_sync(void *st, int fd)
{
	struct fs_sim *s = st;
	struct node *n = node_of(s, fd);
	const struct pending *p;

	if (!change(s))
		return -1;
	if (s->sync_left == 0) {
		struct rand r = rand_seeded(s->sync_seed);

		s->sync_left = --s->sync_fails > 0 ? 0 : -1;
		VEC_EACH (p, &n->log)
			apply_some(n, p, &r, s->sync_seed);
		n->log.count = 0;
		if (!n->is_dir && (rand_u64(&r) & 1) != 0) {
			buf_clear(&n->seen);
			buf_add(&n->seen, buf_str(&n->disk));
		} else if (!n->is_dir && n->seen.len != n->disk.len) {
			/* The size is metadata, and still to be written. */
			pendings_push(&n->log,
				(struct pending){ .kind = PENDING_SIZE,
					.at = n->seen.len });
		}
		errno = EIO;
		return -1;
	}
	if (s->sync_left > 0)
		s->sync_left--;
	VEC_EACH (p, &n->log)
		apply(n, p);
	n->log.count = 0;
	return 0;
}

/* The directory and the last component that a path names. */
static bool
walk(struct fs_sim *s, int dir, const char *path, size_t *ret_dir,
	const char **ret_name)
{
	size_t at = 0;
	const char *slash;

	errno = ENOENT;
	if (dir != AT_FDCWD && path[0] != '/')
		at = file_of(s, dir)->node;
	while (path[0] == '/')
		path++;
	while ((slash = strchr(path, '/')) != NULL) {
		char name[NAME_MAX_BYTES] = { 0 };
		const struct entry *e;

		assert((size_t)(slash - path) < sizeof(name));
		memcpy(name, path, (size_t)(slash - path));
		e = entry_find(&s->nodes.items[at].names, name);
		if (e == NULL || !s->nodes.items[e->node].is_dir)
			return false;
		at = e->node;
		path = slash + 1;
	}
	*ret_dir = at;
	*ret_name = path;
	return true;
}

static int
fd_new(struct fs_sim *s, size_t node, int flags)
{
	const struct open_file f = {
		.used = true, .append = (flags & O_APPEND) != 0, .node = node
	};

	for (size_t i = 0; i < s->files.count; i++) {
		if (!s->files.items[i].used) {
			s->files.items[i] = f;
			return FD_BASE + (int)i;
		}
	}
	open_files_push(&s->files, f);
	return FD_BASE + (int)s->files.count - 1;
}

static void
log_name(struct fs_sim *s, size_t dir, enum pending_kind kind, const char *name,
	size_t node)
{
	struct pending p = { .kind = kind, .node = node };

	name_put(p.name, name);
	pendings_push(&s->nodes.items[dir].log, p);
}

static size_t
node_new(struct fs_sim *s, size_t dir, const char *name, bool is_dir)
{
	size_t node = s->nodes.count;

	nodes_push(&s->nodes, (struct node){ .is_dir = is_dir });
	entry_set(&s->nodes.items[dir].names, name, node);
	log_name(s, dir, PENDING_SET, name, node);
	return node;
}

static int
sim_open(void *st, int dir, const char *name, int flags, mode_t mode)
{
	struct fs_sim *s = st;
	const struct entry *e;
	size_t at;

	(void)mode;
	if (!alive(s) || !walk(s, dir, name, &at, &name))
		return -1;
	if (name[0] == '\0')
		return fd_new(s, at, flags);
	e = entry_find(&s->nodes.items[at].names, name);
	if (e != NULL && (flags & O_CREAT) && (flags & O_EXCL)) {
		errno = EEXIST;
		return -1;
	}
	if (e != NULL && (flags & O_DIRECTORY) &&
		!s->nodes.items[e->node].is_dir) {
		errno = ENOTDIR;
		return -1;
	}
	if (e != NULL)
		return fd_new(s, e->node, flags);
	if (!(flags & O_CREAT)) {
		errno = ENOENT;
		return -1;
	}
	if (!change(s))
		return -1;
	return fd_new(s, node_new(s, at, name, false), flags);
}

static void
unlock(struct fs_sim *s, struct open_file *f)
{
	struct node *n = &s->nodes.items[f->node];

	if (f->lock == LOCK_SH) {
		n->shared--;
	} else if (f->lock == LOCK_EX) {
		n->exclusive = false;
	}
	f->lock = 0;
}

static int
sim_close(void *st, int fd)
{
	struct open_file *f = file_of(st, fd);

	assert(fd != ROOT_FD);
	unlock(st, f);
	*f = (struct open_file){ 0 };
	return 0;
}

static ssize_t
sim_pread(void *st, int fd, void *p, size_t n, uint64_t offset)
{
	struct fs_sim *s = st;
	const struct node *node = node_of(s, fd);
	struct str part;

	if (!alive(s))
		return -1;
	if (offset > node->seen.len)
		return 0;
	part = str_part(buf_str(&node->seen), (size_t)offset, n);
	if (part.len > 0)
		memcpy(p, part.ptr, part.len);
	return (ssize_t)part.len;
}

static ssize_t
sim_write(void *st, int fd, const void *p, size_t n)
{
	struct fs_sim *s = st;
	struct open_file *f = file_of(s, fd);
	struct node *node = &s->nodes.items[f->node];
	uint64_t at;

	if (!change(s))
		return -1;
	at = f->append ? node->seen.len : f->pos;
	f->pos = at + n;
	if (at + n > node->seen.len) {
		size_set(&node->seen, at + n);
		pendings_push(&node->log,
			(struct pending){ .kind = PENDING_SIZE, .at = at + n });
	}
	memcpy(node->seen.data + at, p, n);
	for (uint64_t sector = at / SECTOR * SECTOR; sector < at + n;
		sector += SECTOR) {
		struct str now =
			str_part(buf_str(&node->seen), (size_t)sector, SECTOR);
		struct pending *w = pendings_push(&node->log,
			(struct pending){ .kind = PENDING_SECTOR,
				.at = sector,
				.len = now.len });

		memcpy(w->bytes, now.ptr, now.len);
	}
	return (ssize_t)n;
}

static int
sim_truncate(void *st, int fd, uint64_t size)
{
	struct fs_sim *s = st;
	struct node *n = node_of(s, fd);

	if (!change(s))
		return -1;
	size_set(&n->seen, size);
	pendings_push(
		&n->log, (struct pending){ .kind = PENDING_SIZE, .at = size });
	return 0;
}

static int
sim_rename(void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	struct fs_sim *s = st;
	const struct entry *e;
	size_t a, b, node;
	struct pending *p;

	if (!alive(s) || !walk(s, from_dir, from, &a, &from) ||
		!walk(s, to_dir, to, &b, &to))
		return -1;
	assert(a == b);
	e = entry_find(&s->nodes.items[a].names, from);
	if (e == NULL) {
		errno = ENOENT;
		return -1;
	}
	if (!change(s))
		return -1;
	node = e->node;
	entry_drop(&s->nodes.items[a].names, from);
	entry_set(&s->nodes.items[a].names, to, node);
	log_name(s, a, PENDING_MOVE, from, node);
	p = &s->nodes.items[a].log.items[s->nodes.items[a].log.count - 1];
	name_put(p->to, to);
	return 0;
}

static int
sim_link(void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	struct fs_sim *s = st;
	const struct entry *e;
	size_t a, b, node;

	if (!alive(s) || !walk(s, from_dir, from, &a, &from) ||
		!walk(s, to_dir, to, &b, &to))
		return -1;
	e = entry_find(&s->nodes.items[a].names, from);
	if (e == NULL) {
		errno = ENOENT;
		return -1;
	}
	node = e->node;
	if (entry_find(&s->nodes.items[b].names, to) != NULL) {
		errno = EEXIST;
		return -1;
	}
	if (!change(s))
		return -1;
	entry_set(&s->nodes.items[b].names, to, node);
	log_name(s, b, PENDING_SET, to, node);
	return 0;
}

static int
sim_unlink(void *st, int dir, const char *name, int flags)
{
	struct fs_sim *s = st;
	size_t at;

	assert(flags == 0);
	if (!alive(s) || !walk(s, dir, name, &at, &name))
		return -1;
	if (entry_find(&s->nodes.items[at].names, name) == NULL) {
		errno = ENOENT;
		return -1;
	}
	if (!change(s))
		return -1;
	entry_drop(&s->nodes.items[at].names, name);
	log_name(s, at, PENDING_DROP, name, 0);
	return 0;
}

static int
sim_mkdir(void *st, int dir, const char *name, mode_t mode)
{
	struct fs_sim *s = st;
	size_t at;

	(void)mode;
	if (!alive(s) || !walk(s, dir, name, &at, &name))
		return -1;
	if (entry_find(&s->nodes.items[at].names, name) != NULL) {
		errno = EEXIST;
		return -1;
	}
	if (!change(s))
		return -1;
	node_new(s, at, name, true);
	return 0;
}

static void
stat_of(struct fs_sim *s, size_t node, struct stat *ret_stat)
{
	const struct node *n = &s->nodes.items[node];

	*ret_stat = (struct stat){ .st_ino = node + 1,
		.st_dev = 1,
		.st_uid = geteuid(),
		.st_mode = n->is_dir ? S_IFDIR | 0700 : S_IFREG | 0600,
		.st_size = (off_t)n->seen.len };
}

static int
sim_fstat(void *st, int fd, struct stat *ret_stat)
{
	struct fs_sim *s = st;

	if (!alive(s))
		return -1;
	stat_of(s, file_of(s, fd)->node, ret_stat);
	return 0;
}

static int
sim_stat(void *st, int dir, const char *name, struct stat *ret_stat)
{
	struct fs_sim *s = st;
	const struct entry *e;
	size_t at;

	if (!alive(s) || !walk(s, dir, name, &at, &name))
		return -1;
	e = entry_find(&s->nodes.items[at].names, name);
	if (e == NULL) {
		errno = ENOENT;
		return -1;
	}
	stat_of(s, e->node, ret_stat);
	return 0;
}

static int
sim_flock(void *st, int fd, int op)
{
	struct fs_sim *s = st;
	struct open_file *f = file_of(s, fd);
	struct node *n = &s->nodes.items[f->node];
	int old = f->lock;

	unlock(s, f);
	if (op == LOCK_UN)
		return 0;
	op &= ~LOCK_NB;
	if (n->exclusive || (op == LOCK_EX && n->shared > 0)) {
		/* The kernel, too, gives up the old one first. */
		(void)old;
		errno = EWOULDBLOCK;
		return -1;
	}
	if (op == LOCK_SH) {
		n->shared++;
	} else {
		n->exclusive = true;
	}
	f->lock = op;
	return 0;
}

static int
sim_list(void *st, int dir, struct buf *ret_names)
{
	struct fs_sim *s = st;
	const struct node *n = node_of(s, dir);
	const struct entry *e;

	if (!alive(s))
		return -1;
	VEC_EACH (e, &n->names)
		buf_add(ret_names,
			(struct str){ e->name, strlen(e->name) + 1 });
	return 0;
}

static uint64_t
sim_magic(void *st, int dir)
{
	(void)st;
	(void)dir;
	return 0xef53;
}

static void
sim_pause(void *st, unsigned us)
{
	(void)st;
	(void)us;
}

static uint64_t
sim_unique(void *st)
{
	struct fs_sim *s = st;

	return ++s->unique;
}

static const struct fs_ops sim_ops = {
	.open = sim_open,
	.close = sim_close,
	.pread = sim_pread,
	.write = sim_write,
	.datasync = sim_sync,
	.sync = sim_sync,
	.truncate = sim_truncate,
	.rename = sim_rename,
	.link = sim_link,
	.unlink = sim_unlink,
	.mkdir = sim_mkdir,
	.fstat = sim_fstat,
	.stat = sim_stat,
	.flock = sim_flock,
	.list = sim_list,
	.magic = sim_magic,
	.pause = sim_pause,
	.unique = sim_unique,
};

struct fs
fs_sim_fs(struct fs_sim *s)
{
	return (struct fs){ .ops = &sim_ops, .state = s };
}

struct fs_sim *
fs_sim_new(void)
{
	struct fs_sim *s = die_alloc(1, sizeof(*s));

	*s = (struct fs_sim){ .cut_left = -1, .sync_left = -1 };
	nodes_push(&s->nodes, (struct node){ .is_dir = true });
	open_files_push(&s->files, (struct open_file){ .used = true });
	return s;
}

struct fs_sim *
fs_sim_copy(const struct fs_sim *s)
{
	struct fs_sim *copy = fs_sim_new();
	const struct node *n;

	copy->unique = s->unique;
	copy->nodes.count = 0;
	VEC_EACH (n, &s->nodes) {
		struct node *to = nodes_push(
			&copy->nodes, (struct node){ .is_dir = n->is_dir });
		const struct pending *p;
		const struct entry *e;

		buf_add(&to->seen, buf_str(&n->seen));
		buf_add(&to->disk, buf_str(&n->disk));
		VEC_EACH (e, &n->names)
			entries_push(&to->names, *e);
		VEC_EACH (e, &n->disk_names)
			entries_push(&to->disk_names, *e);
		VEC_EACH (p, &n->log)
			pendings_push(&to->log, *p);
	}
	return copy;
}

void
fs_sim_free(struct fs_sim *s)
{
	struct node *n;

	VEC_EACH (n, &s->nodes) {
		buf_release(&n->seen);
		buf_release(&n->disk);
		entries_release(&n->names);
		entries_release(&n->disk_names);
		pendings_release(&n->log);
	}
	nodes_release(&s->nodes);
	open_files_release(&s->files);
	free(s);
}

int
fs_sim_root(struct fs_sim *s)
{
	(void)s;
	return ROOT_FD;
}

void
fs_sim_cut_before(struct fs_sim *s, long left)
{
	s->cut_left = left;
}

bool
fs_sim_is_dead(const struct fs_sim *s)
{
	return s->dead;
}

void
fs_sim_fail_syncs(struct fs_sim *s, long left, long count, uint64_t seed)
{
	s->sync_left = left;
	s->sync_fails = count;
	s->sync_seed = seed;
}

long
fs_sim_changes(const struct fs_sim *s)
{
	return s->changes;
}

void
fs_sim_crash(struct fs_sim *s, uint64_t seed)
{
	struct rand r = rand_seeded(seed);
	struct node *n;

	VEC_EACH (n, &s->nodes) {
		const struct pending *p;
		const struct entry *e;

		VEC_EACH (p, &n->log)
			apply_some(n, p, &r, seed);
		n->log.count = 0;
		buf_clear(&n->seen);
		buf_add(&n->seen, buf_str(&n->disk));
		n->names.count = 0;
		VEC_EACH (e, &n->disk_names)
			entries_push(&n->names, *e);
		n->shared = 0;
		n->exclusive = false;
	}
	for (size_t i = 1; i < s->files.count; i++)
		s->files.items[i] = (struct open_file){ 0 };
	s->dead = false;
	s->cut_left = s->sync_left = -1;
}

long
fs_sim_locks(const struct fs_sim *s)
{
	const struct node *n;
	long count = 0;

	VEC_EACH (n, &s->nodes)
		count += n->shared + n->exclusive;
	return count;
}

long
fs_sim_open_count(const struct fs_sim *s)
{
	long count = 0;

	for (size_t i = 1; i < s->files.count; i++)
		count += s->files.items[i].used;
	return count;
}
