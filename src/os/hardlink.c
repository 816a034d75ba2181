#include "os/hardlink.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"

VEC_DEF(folders, const char *);

struct walk {
	struct arena mem;
	struct folders todo;     /* paths from the top */
	struct hardlink **links; /* by inode */
	size_t count;
	size_t entries;
	int top;
};

static int
by_inode(const void *a, const void *b)
{
	uint64_t x = (*(struct hardlink *const *)a)->inode;
	uint64_t y = (*(struct hardlink *const *)b)->inode;

	return (x > y) - (x < y);
}

/* The first with this inode, or where it would be. */
static size_t
first_with(const struct walk *w, uint64_t inode)
{
	size_t low = 0, high = w->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (w->links[mid]->inode < inode)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool
is_wanted(const struct walk *w, uint64_t inode)
{
	size_t i = first_with(w, inode);

	return i < w->count && w->links[i]->inode == inode;
}

static void
count_name(struct walk *w, const struct stat *st)
{
	for (size_t i = first_with(w, st->st_ino);
		i < w->count && w->links[i]->inode == st->st_ino; i++) {
		if (w->links[i]->dev == st->st_dev)
			w->links[i]->found++;
	}
}

/* Most entries are told by their type and number alone. */
static void
take(struct walk *w, DIR *dir, const char *path, const struct dirent *entry)
{
	struct stat st;

	if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
		return;
	if (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN &&
		!is_wanted(w, entry->d_ino))
		return;
	if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return;
	if (S_ISDIR(st.st_mode)) {
		(void)folders_push(&w->todo,
			arena_strdup(&w->mem,
				arena_format(&w->mem, "%s%s%s", path,
					path[0] != '\0' ? "/" : "",
					entry->d_name)));
	} else {
		count_name(w, &st);
	}
}

static void
look(struct walk *w, const char *path)
{
	int fd = openat(w->top, path[0] != '\0' ? path : ".",
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd); /* was only looked at */
		return;
	}
	while (w->entries < HARDLINK_ENTRIES_MAX &&
		(entry = readdir(dir)) != NULL) {
		w->entries++;
		take(w, dir, path, entry);
	}
	(void)closedir(dir); /* was only read */
}

void
hardlink_count(const char *top, struct hardlink *links, size_t count)
{
	struct walk w = { .mem = ARENA_INIT, .count = count };

	w.top = open(top, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (w.top < 0)
		return;
	w.links = arena_array(&w.mem, count, struct hardlink *);
	for (size_t i = 0; i < count; i++)
		w.links[i] = &links[i];
	qsort(w.links, count, sizeof(struct hardlink *), by_inode);
	(void)folders_push(&w.todo, "");
	while (w.todo.count > 0 && w.entries < HARDLINK_ENTRIES_MAX)
		look(&w, w.todo.items[--w.todo.count]);
	(void)close(w.top); /* was only looked at */
	folders_release(&w.todo);
	arena_reset(&w.mem);
}
