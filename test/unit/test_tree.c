#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/tree.h"

static char root[64];

static void
put(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void
process(int pid, int parent, char kind)
{
	char name[64], text[200];

	(void)snprintf(name, sizeof(name), "%d/stat", pid);
	(void)snprintf(text, sizeof(text),
		"%d (p%d) %c %d %d %d 0 -1 0 0 0 0 0 1 2 3 4 20 0 1 0 9 0 0\n",
		pid, pid, kind, parent, pid, pid);
	put(name, text);
}

static void
children(int pid, int tid, const char *list)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "%d/task/%d/children", pid, tid);
	put(name, list);
}

static int
root_make(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/pawl-tree-XXXXXX");
	assert_non_null(mkdtemp(root));
	return 0;
}

static int
root_free(void **state)
{
	char command[128];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
	/* NOLINTNEXTLINE(cert-env33-c): a path that mkdtemp made */
	return system(command);
}

/* 10 -> 11 (a thread: 12) -> 13; 14 is a zombie; 20 is no relative. */
static void
family(void)
{
	process(10, 1, 'S');
	process(11, 10, 'S');
	process(12, 11, 'S');
	process(13, 12, 'R');
	process(14, 10, 'Z');
	process(20, 1, 'S');
}

static void
assert_family(void)
{
	static const pid_t pids[] = { 11, 12, 13, 14 };
	struct tree tree;
	size_t found = 0;

	tree_read(root, 10, &tree);
	assert_int_equal(tree.count, 4);
	for (size_t i = 0; i < tree.count; i++) {
		size_t parent = 0;

		for (size_t k = 0; k < 4; k++)
			found += tree.items[i].pid == pids[k] ? 1 : 0;
		while (tree.items[i].parent != 10 &&
			tree.items[parent].pid != tree.items[i].parent)
			parent++;
		assert_true(parent < i || tree.items[i].parent == 10);
	}
	assert_int_equal(found, 4);
	assert_int_equal(tree_alive(&tree), 3);
	assert_int_equal(tree_cpu(&tree), 40);
	tree_release(&tree);
}

static void
a_tree_is_found_by_children_files_of_all_threads(void **state)
{
	(void)state;
	family();
	children(10, 10, "11 ");
	children(10, 101, "14 ");
	children(11, 11, "12 ");
	children(12, 12, "13 ");
	/* Another's child by now: the list is older than the stat. */
	children(13, 13, "20 ");
	assert_family();
}

static void
a_tree_is_found_without_children_files(void **state)
{
	(void)state;
	family();
	assert_family();
}

/* What called setsid() twice over is found below a subreaper's child. */
static void
real_descendants_are_found(void **state)
{
	struct tree tree;
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		(void)setpgid(0, 0);
		if (fork() == 0) {
			(void)setsid();
			(void)pause();
		}
		(void)pause();
		_exit(0);
	}
	for (int i = 0; i < 500; i++) {
		tree_read("/proc", getpid(), &tree);
		if (tree.count == 2 &&
			tree.items[1].session == tree.items[1].pid)
			break;
		tree_release(&tree);
		(void)usleep(10000);
	}
	assert_int_equal(tree.count, 2);
	assert_int_equal(tree.items[0].pid, pid);
	assert_int_equal(tree.items[1].parent, pid);
	assert_true(pstat_signal("/proc", &tree.items[1], SIGKILL));
	assert_true(pstat_signal("/proc", &tree.items[0], SIGKILL));
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	tree_release(&tree);
	tree_read("/proc", getpid(), &tree);
	assert_int_equal(tree.count, 0);
	tree_release(&tree);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_tree_is_found_by_children_files_of_all_threads,
			root_make, root_free),
		cmocka_unit_test_setup_teardown(
			a_tree_is_found_without_children_files, root_make,
			root_free),
		cmocka_unit_test(real_descendants_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
