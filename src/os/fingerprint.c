#include "os/fingerprint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/vec.h"

VEC_DEF(dirs, char *);
VEC_DEF(names, char *);

/* Folders that are still to be looked at, as paths from the top. */
struct walk {
	struct sha256 digest;
	struct dirs todo;
	uint64_t entries;
	uint64_t newest_ns;      /* of all change and modification times */
	const char *const *skip; /* at the top; the last is NULL */
	struct fingerprint_paths paths; /* not to be digested */
	int top;
};

static uint64_t
nanoseconds(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t
tick_ns(void)
{
	struct timespec t = { .tv_nsec = 10000000 };

	(void)clock_getres(CLOCK_REALTIME_COARSE, &t);
	return nanoseconds(t);
}

unsigned
fingerprint_settle_ms(void)
{
	return (unsigned)(2 * tick_ns() / 1000000) + 1;
}

static void
add_stat(struct walk *w, const char *path, const struct stat *st)
{
	uint64_t facts[] = { st->st_mode, (uint64_t)st->st_size, st->st_ino,
		st->st_dev, nanoseconds(st->st_mtim),
		nanoseconds(st->st_ctim) };

	sha256_add(&w->digest, (struct str){ path, strlen(path) + 1 });
	sha256_add(&w->digest, (struct str){ (char *)facts, sizeof(facts) });
	if (facts[4] > w->newest_ns)
		w->newest_ns = facts[4];
	if (facts[5] > w->newest_ns)
		w->newest_ns = facts[5];
}

static char *
join(const char *dir, const char *name)
{
	struct buf path = { 0 };

	if (dir[0] != '\0')
		buf_addf(&path, "%s/", dir);
	buf_add(&path, str_from(name));
	return path.data;
}

static int
name_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool
is_skipped(const struct walk *w, const char *name)
{
	for (const char *const *skip = w->skip; *skip != NULL; skip++) {
		if (strcmp(name, *skip) == 0)
			return true;
	}
	return false;
}

/* The names in an open folder, sorted; the stream is closed. */
static bool
read_names(struct walk *w, DIR *stream, bool top, struct names *ret_names)
{
	const struct dirent *entry;
	bool is_whole;

	errno = 0;
	while ((entry = readdir(stream)) != NULL) {
		const char *name = entry->d_name;

		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			(top && is_skipped(w, name)))
			continue;
		names_push(ret_names, strdup(name));
	}
	is_whole = errno == 0;
	(void)closedir(stream);
	if (!is_whole)
		return false;
	if (ret_names->count > 1)
		qsort(ret_names->items, ret_names->count, sizeof(char *),
			name_order);
	return true;
}

/* Is the first one of the paths that isn't before `text` equal to it, or, when
 * `text` ends with '/', below it? */
static bool
is_among(const struct fingerprint_paths *paths, const char *text)
{
	size_t low = 0, high = paths->count, len = strlen(text);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strcmp(paths->items[mid], text) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == paths->count)
		return false;
	return len > 0 && text[len - 1] == '/'
		? strncmp(paths->items[low], text, len) == 0
		: strcmp(paths->items[low], text) == 0;
}

static bool
is_passed_over(const struct walk *w, const char *path)
{
	struct buf folder = { 0 };
	bool is = is_among(&w->paths, path);

	if (!is && w->paths.count > 0) {
		buf_addf(&folder, "%s/", path);
		is = is_among(&w->paths, folder.data);
		buf_release(&folder);
	}
	return is;
}

/* One folder: its entries into the digest, its folders onto the list. */
static enum pawl_rc
look(struct walk *w, const char *dir, struct pawl_err *err)
{
	struct names names = { 0 };
	enum pawl_rc rc = PAWL_OK;
	int fd = openat(w->top, dir[0] ? dir : ".",
		O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *stream = fd >= 0 ? fdopendir(fd) : NULL;

	if (stream == NULL || !read_names(w, stream, dir[0] == '\0', &names))
		rc = pawl_fail_sys(err, ERR_IO, "could not list '%s'", dir);
	for (size_t i = 0; i < names.count; i++) {
		char *path = join(dir, names.items[i]);
		struct stat st;

		if (rc == PAWL_OK &&
			fstatat(w->top, path, &st, AT_SYMLINK_NOFOLLOW) != 0)
			rc = pawl_fail_sys(
				err, ERR_IO, "could not look at '%s'", path);
		if (rc == PAWL_OK && ++w->entries > FINGERPRINT_ENTRIES_MAX)
			rc = pawl_fail(err, ERR_LIMIT,
				"more than %d entries below a folder",
				FINGERPRINT_ENTRIES_MAX);
		if (rc == PAWL_OK && !is_passed_over(w, path))
			add_stat(w, path, &st);
		if (rc == PAWL_OK && S_ISDIR(st.st_mode))
			dirs_push(&w->todo, path);
		else
			free(path);
		free(names.items[i]);
	}
	if (stream == NULL && fd >= 0)
		(void)close(fd);
	names_release(&names);
	return rc;
}

enum pawl_rc
fingerprint_take(const char *top, const char *const *skip,
	const struct fingerprint_paths *paths, struct fingerprint *ret_print,
	struct pawl_err *err)
{
	struct walk w = { .skip = skip, .paths = *paths, .top = -1 };
	struct timespec now;
	enum pawl_rc rc = PAWL_OK;

	sha256_init(&w.digest);
	if (clock_gettime(CLOCK_REALTIME, &now) != 0)
		return pawl_fail_sys(err, ERR_IO, "could not read the clock");
	w.top = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (w.top < 0)
		return pawl_fail_sys(err, ERR_IO, "could not open '%s'", top);
	dirs_push(&w.todo, strdup(""));
	while (w.todo.count > 0) {
		char *dir = w.todo.items[--w.todo.count];

		if (rc == PAWL_OK)
			rc = look(&w, dir, err);
		free(dir);
	}
	dirs_release(&w.todo);
	(void)close(w.top);
	if (rc != PAWL_OK)
		return rc;
	*ret_print = (struct fingerprint){ .entries = w.entries };
	sha256_end(&w.digest, ret_print->digest);
	ret_print->settled = w.newest_ns + 2 * tick_ns() < nanoseconds(now);
	return PAWL_OK;
}

bool
fingerprint_same(const struct fingerprint *a, const struct fingerprint *b)
{
	return a->settled && b->settled &&
		memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;
}
