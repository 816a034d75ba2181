#include "os/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/num.h"

static void
take(const char *proc, struct str name, pid_t parent, struct tree *to)
{
	struct pawl_err err;
	struct pstat stat;
	uint64_t pid;

	if (to->count >= TREE_MAX ||
		num_u64(name, 1, INT32_MAX, &pid, &err) != PAWL_OK)
		return;
	if (pstat_read(proc, (pid_t)pid, &stat) == PSTAT_HERE &&
		stat.parent == parent)
		(void)tree_push(to, stat);
}

static void
slurp(int fd, struct buf *to)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) != 0) {
		if (n > 0) {
			buf_add(to, (struct str){ bytes, (size_t)n });
		} else if (errno != EINTR) {
			return;
		}
	}
}

/* Children of one thread, numbers with a space after each. */
static void
take_children(const char *proc, pid_t pid, const char *tid, struct tree *to)
{
	char path[512];
	struct buf text = { .max = (size_t)TREE_MAX * 12 };
	struct str rest;
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%d/task/%s/children", proc,
		(int)pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	slurp(fd, &text);
	(void)close(fd);
	rest = buf_str(&text);
	while (rest.ptr != NULL)
		take(proc, str_trim(str_cut(&rest, ' ')), pid, to);
	buf_release(&text);
}

static void
each_entry(const char *path, const char *proc, pid_t pid,
	void (*fn)(const char *, pid_t, const char *, struct tree *),
	struct tree *to)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (isdigit((unsigned char)entry->d_name[0]))
			fn(proc, pid, entry->d_name, to);
	}
	(void)closedir(dir);
}

static void
take_by_parent(const char *proc, pid_t pid, const char *name, struct tree *to)
{
	take(proc, str_from(name), pid, to);
}

/* Kernels without CONFIG_PROC_CHILDREN don't say: look at every process. */
static bool
has_children_files(const char *proc, pid_t root)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%d/task/%d/children", proc,
		(int)root, (int)root);
	return access(path, F_OK) == 0;
}

void
tree_read(const char *proc, pid_t root, struct tree *ret_tree)
{
	bool listed = has_children_files(proc, root);
	struct tree tree = { 0 };
	pid_t pid = root;
	size_t next = 0;

	for (;;) {
		char path[512];

		if (listed) {
			(void)snprintf(path, sizeof(path), "%s/%d/task", proc,
				(int)pid);
			each_entry(path, proc, pid, take_children, &tree);
		} else {
			each_entry(proc, proc, pid, take_by_parent, &tree);
		}
		if (next == tree.count)
			break;
		pid = tree.items[next++].pid;
	}
	*ret_tree = tree;
}

uint64_t
tree_cpu(const struct tree *tree)
{
	uint64_t cpu = 0;

	for (size_t i = 0; i < tree->count; i++)
		cpu += tree->items[i].cpu;
	return cpu;
}

size_t
tree_alive(const struct tree *tree)
{
	size_t alive = 0;

	for (size_t i = 0; i < tree->count; i++)
		alive += pstat_is_dead(&tree->items[i]) ? 0 : 1;
	return alive;
}
