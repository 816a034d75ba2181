#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "os/rmtree.h"

static const char marker[] = ".mark";
static const char evidence[] = "made by a test\n";

/* <top>/p is the parent; <top>/p/t the tree; <top>/keep what must stay. */
struct ground {
	char top[64];
	struct arena mem;
	struct pawl_err err;
};

static const char *
path(struct ground *g, const char *name)
{
	return arena_strdup(
		&g->mem, arena_format(&g->mem, "%s/%s", g->top, name));
}

static void
make_dir(struct ground *g, const char *name)
{
	assert_int_equal(mkdir(path(g, name), 0755), 0);
}

static void
make_file(struct ground *g, const char *name, const char *text)
{
	FILE *f = fopen(path(g, name), "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static bool
is_there(struct ground *g, const char *name)
{
	struct stat st;

	return lstat(path(g, name), &st) == 0;
}

static int
setup(void **state)
{
	struct ground *g = calloc(1, sizeof(*g));
	char *real;

	assert_non_null(g);
	*state = g;
	(void)snprintf(g->top, sizeof(g->top), "/tmp/pawl-rmtree-XXXXXX");
	assert_non_null(mkdtemp(g->top));
	real = realpath(g->top, NULL);
	assert_non_null(real);
	(void)snprintf(g->top, sizeof(g->top), "%s", real);
	free(real);
	make_dir(g, "p");
	make_dir(g, "p/t");
	make_file(g, "p/t/.mark", evidence);
	make_dir(g, "keep");
	make_file(g, "keep/file", "kept");
	return 0;
}

static int
teardown(void **state)
{
	struct ground *g = *state;

	/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
	assert_int_equal(system(arena_strdup(&g->mem,
				 arena_format(&g->mem, "rm -rf '%s'", g->top))),
		0);
	arena_reset(&g->mem);
	free(g);
	*state = NULL;
	return 0;
}

static struct rmtree_spec
spec_for(struct ground *g)
{
	struct rmtree_spec spec = { .parent = path(g, "p"),
		.name = "t",
		.marker = marker,
		.evidence = str_from(evidence) };
	struct stat st;

	if (lstat(path(g, "p/t"), &st) == 0) {
		spec.dev = st.st_dev;
		spec.inode = st.st_ino;
	}
	return spec;
}

static enum pawl_rc
remove_it(struct ground *g, const struct rmtree_spec *spec)
{
	struct rmtree tree = { 0 };
	enum pawl_rc rc;

	rc = rmtree_open(spec, &tree, &g->err);
	if (rc == PAWL_OK)
		rc = rmtree_all(&tree, &g->err);
	rmtree_close(&tree);
	return rc;
}

static void
must_refuse(struct ground *g, const struct rmtree_spec *spec)
{
	if (remove_it(g, spec) == PAWL_OK)
		fail_msg("'%s' in '%s' was removed", spec->name, spec->parent);
	if (g->err.code != ERR_UNSAFE_PATH) {
		fail_msg("%s: %s", pawl_code_info(g->err.code)->word,
			g->err.msg);
	}
	assert_true(is_there(g, "keep/file"));
}

static void
a_whole_tree_goes(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);

	make_dir(g, "p/t/d");
	make_dir(g, "p/t/d/e");
	make_file(g, "p/t/d/e/f", "x");
	make_dir(g, "p/t/empty");
	make_file(g, "p/t/-rf", "x");
	make_file(g, "p/t/new\nline", "x");
	assert_int_equal(symlink("../../keep", path(g, "p/t/link")), 0);
	assert_int_equal(symlink("/", path(g, "p/t/d/root")), 0);
	assert_int_equal(mkfifo(path(g, "p/t/fifo"), 0600), 0);
	assert_int_equal(chmod(path(g, "p/t/d/e"), 0500), 0);
	if (remove_it(g, &spec) != PAWL_OK)
		fail_msg("%s", g->err.msg);
	assert_false(is_there(g, "p/t"));
	assert_true(is_there(g, "p"));
	assert_true(is_there(g, "keep/file"));
	assert_int_equal(remove_it(g, &spec), PAWL_ENOENT);
}

/* C061: the hostile inputs. */
static void
names_that_lead_elsewhere_are_refused(void **state)
{
	struct ground *g = *state;
	static const char *const names[] = { "", ".", "..", "/", "t/", "t/..",
		"../keep", "/etc" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct rmtree_spec spec = spec_for(g);

		spec.name = names[i];
		must_refuse(g, &spec);
	}
	assert_true(is_there(g, "p/t/.mark"));
}

static void
parents_that_are_not_absolute_are_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);
	static const char *const parents[] = { "", ".", "p", "../p" };

	assert_int_equal(chdir(g->top), 0);
	for (size_t i = 0; i < sizeof(parents) / sizeof(parents[0]); i++) {
		spec.parent = parents[i];
		must_refuse(g, &spec);
	}
	assert_int_equal(chdir("/"), 0);
	assert_true(is_there(g, "p/t/.mark"));
}

static void
a_link_to_the_repository_is_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec;

	make_file(g, "keep/.mark", evidence);
	assert_int_equal(symlink("../keep", path(g, "p/l")), 0);
	spec = spec_for(g);
	spec.name = "l";
	must_refuse(g, &spec);
	/* also as the parent */
	assert_int_equal(symlink("p", path(g, "q")), 0);
	spec = spec_for(g);
	spec.parent = path(g, "q");
	must_refuse(g, &spec);
	assert_true(is_there(g, "p/t/.mark"));
}

static void
another_folder_in_its_place_is_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);

	assert_int_equal(rename(path(g, "p/t"), path(g, "p/old")), 0);
	make_dir(g, "p/t");
	make_file(g, "p/t/.mark", evidence);
	must_refuse(g, &spec);
	assert_true(is_there(g, "p/t/.mark"));
}

static void
a_folder_without_the_right_marker_is_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);
	static const char *const texts[] = { "", "made by a test",
		"made by a test\n\n", "made by somebody\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		make_file(g, "p/t/.mark", texts[i]);
		must_refuse(g, &spec);
		assert_true(is_there(g, "p/t/.mark"));
	}
	/* a marker that is a link to a right one */
	assert_int_equal(unlink(path(g, "p/t/.mark")), 0);
	make_file(g, "keep/mark", evidence);
	assert_int_equal(
		symlink(path(g, "keep/mark"), path(g, "p/t/.mark")), 0);
	must_refuse(g, &spec);
	/* none, and something in it */
	assert_int_equal(unlink(path(g, "p/t/.mark")), 0);
	make_file(g, "p/t/file", "x");
	must_refuse(g, &spec);
	assert_true(is_there(g, "p/t/file"));
	/* none, and empty: what an earlier removal left */
	assert_int_equal(unlink(path(g, "p/t/file")), 0);
	assert_int_equal(remove_it(g, &spec), PAWL_OK);
	assert_false(is_there(g, "p/t"));
}

static void
a_guard_and_all_above_it_are_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);
	const char *guards[3] = { NULL };

	make_dir(g, "p/t/repo");
	make_dir(g, "p/t/repo/.git");
	spec.guards = guards;
	guards[0] = path(g, "p/t/repo/.git");
	must_refuse(g, &spec);
	guards[0] = path(g, "p/t");
	must_refuse(g, &spec);
	guards[0] = path(g, "keep");
	guards[1] = path(g, "p/t/repo");
	must_refuse(g, &spec);
	assert_true(is_there(g, "p/t/repo/.git"));
	/* beside and above it there is no harm */
	guards[1] = path(g, "p");
	assert_int_equal(remove_it(g, &spec), PAWL_OK);
}

static void
the_root_of_the_file_system_is_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);
	struct stat st;

	assert_int_equal(stat("/", &st), 0);
	spec.dev = st.st_dev;
	spec.inode = st.st_ino;
	spec.parent = "/";
	spec.name = ".";
	must_refuse(g, &spec);
}

static bool
bind(struct ground *g, const char *from, const char *to)
{
	if (mount(path(g, from), path(g, to), "", MS_BIND, NULL) == 0)
		return true;
	assert_true(errno == EPERM || errno == EACCES || errno == ENOSYS);
	return false;
}

/* C061: the same device, so only the mount tells. */
static void
a_bind_mount_below_stops_it(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);

	make_dir(g, "p/t/a");
	make_dir(g, "p/t/a/m");
	if (!bind(g, "keep", "p/t/a/m"))
		skip();
	must_refuse(g, &spec);
	assert_true(is_there(g, "p/t/.mark"));
	assert_int_equal(umount2(path(g, "p/t/a/m"), 0), 0);
	assert_int_equal(remove_it(g, &spec), PAWL_OK);
	assert_true(is_there(g, "keep/file"));
}

static void
a_bind_mount_on_the_tree_is_refused(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec;

	make_file(g, "keep/.mark", evidence);
	if (!bind(g, "keep", "p/t"))
		skip();
	/* even with the identity of what is mounted there */
	spec = spec_for(g);
	must_refuse(g, &spec);
	assert_int_equal(umount2(path(g, "p/t"), 0), 0);
	assert_true(is_there(g, "p/t/.mark"));
}

static bool
set_immutable(const char *name, bool on)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	int flags = 0;
	bool done;

	assert_true(fd >= 0);
	done = ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
	flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
	done = done && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0;
	assert_int_equal(close(fd), 0);
	return done;
}

/* C067: what can't be removed is a failure that names it. */
static void
an_immutable_file_stops_it_and_a_repetition_ends_it(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);

	make_dir(g, "p/t/d");
	make_file(g, "p/t/d/stone", "x");
	if (!set_immutable(path(g, "p/t/d/stone"), true))
		skip();
	assert_int_equal(remove_it(g, &spec), PAWL_EIO);
	assert_non_null(strstr(g->err.msg, "/d/stone"));
	assert_true(is_there(g, "p/t/.mark"));
	assert_true(set_immutable(path(g, "p/t/d/stone"), false));
	assert_int_equal(remove_it(g, &spec), PAWL_OK);
	assert_false(is_there(g, "p/t"));
}

static void
one_entry_goes_and_the_rest_stays(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);
	struct rmtree tree = { 0 };

	make_dir(g, "p/t/tree");
	make_dir(g, "p/t/tree/sub");
	make_file(g, "p/t/tree/sub/f", "x");
	make_file(g, "p/t/other", "x");
	assert_int_equal(rmtree_open(&spec, &tree, &g->err), PAWL_OK);
	assert_int_equal(rmtree_entry(&tree, "tree", &g->err), PAWL_OK);
	assert_int_equal(rmtree_entry(&tree, "tree", &g->err), PAWL_OK);
	assert_false(is_there(g, "p/t/tree"));
	assert_true(is_there(g, "p/t/other"));
	assert_int_equal(rmtree_entry(&tree, "other", &g->err), PAWL_OK);
	assert_false(is_there(g, "p/t/other"));
	assert_true(is_there(g, "p/t/.mark"));
	rmtree_close(&tree);
	rmtree_close(&tree);
}

/* Deeper than PATH_MAX and than the descriptors that a process may have. */
static void
a_very_deep_tree_goes(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);
	int fd = open(path(g, "p/t"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	for (int i = 0; i < 1000; i++) {
		int next;

		assert_int_equal(mkdirat(fd, "deep", 0755), 0);
		next = openat(fd, "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(next >= 0);
		assert_int_equal(close(fd), 0);
		fd = next;
	}
	assert_int_equal(close(fd), 0);
	assert_int_equal(remove_it(g, &spec), PAWL_OK);
	assert_false(is_there(g, "p/t"));
}

static void
many_folders_side_by_side_go(void **state)
{
	struct ground *g = *state;
	struct rmtree_spec spec = spec_for(g);

	for (int i = 0; i < 300; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "p/t/dir-%d", i);
		make_dir(g, name);
		(void)snprintf(name, sizeof(name), "p/t/file-%d", i);
		make_file(g, name, "");
	}
	assert_int_equal(remove_it(g, &spec), PAWL_OK);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_whole_tree_goes),
		TEST(names_that_lead_elsewhere_are_refused),
		TEST(parents_that_are_not_absolute_are_refused),
		TEST(a_link_to_the_repository_is_refused),
		TEST(another_folder_in_its_place_is_refused),
		TEST(a_folder_without_the_right_marker_is_refused),
		TEST(a_guard_and_all_above_it_are_refused),
		TEST(the_root_of_the_file_system_is_refused),
		TEST(a_bind_mount_below_stops_it),
		TEST(a_bind_mount_on_the_tree_is_refused),
		TEST(an_immutable_file_stops_it_and_a_repetition_ends_it),
		TEST(one_entry_goes_and_the_rest_stays),
		TEST(a_very_deep_tree_goes),
		TEST(many_folders_side_by_side_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
