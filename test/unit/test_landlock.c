/* Each act is tried inside, with every version of the kernel's that we know. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/landlock.h"
#include "tempdir.h"

enum { NEVER = LANDLOCK_ABI_MAX + 1 };

struct world {
	struct tempdir dir;
	uint16_t port;          /* somebody listens here */
	struct sockaddr_un far; /* and at this abstract name */
	socklen_t far_len;
	int tcp, abstract; /* listening */
};

static int
made(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	if (fd < 0)
		return -1;
	(void)close(fd);
	return unlink(path);
}

static int
opened(const char *path, int flags)
{
	int fd = open(path, flags);

	if (fd < 0)
		return -1;
	(void)close(fd);
	return 0;
}

static int
act_read(struct world *w)
{
	(void)w;
	return opened("r/f", O_RDONLY);
}

static int
act_list(struct world *w)
{
	(void)w;
	return opened("r", O_RDONLY | O_DIRECTORY);
}

static int
act_read_file(struct world *w)
{
	(void)w;
	return opened("one", O_RDONLY);
}

static int
act_write(struct world *w)
{
	(void)w;
	return opened("w/f", O_WRONLY | O_TRUNC);
}

static int
act_make(struct world *w)
{
	(void)w;
	return made("w/new");
}

static int
act_folder(struct world *w)
{
	(void)w;
	return mkdir("w/d", 0700) != 0 ? -1 : rmdir("w/d");
}

static int
act_move(struct world *w)
{
	(void)w;
	return rename("w/f", "v/f") != 0 ? -1 : rename("v/f", "w/f");
}

static int
no_write(struct world *w)
{
	(void)w;
	return opened("r/f", O_WRONLY);
}

static int
cut_by_opening(struct world *w)
{
	(void)w;
	return opened("r/f", O_RDONLY | O_TRUNC);
}

static int
no_make(struct world *w)
{
	(void)w;
	return made("r/new");
}

static int
no_folder(struct world *w)
{
	(void)w;
	return mkdir("r/d", 0700);
}

static int
no_link(struct world *w)
{
	(void)w;
	return symlink("f", "r/l");
}

static int
no_removal(struct world *w)
{
	(void)w;
	return unlink("r/f");
}

static int
no_rename(struct world *w)
{
	(void)w;
	return rename("r/f", "r/g");
}

static int
no_hard_link_out(struct world *w)
{
	(void)w;
	return link("r/f", "w/g");
}

static int
no_look(struct world *w)
{
	(void)w;
	return opened("x/f", O_RDONLY);
}

static int
no_look_round_about(struct world *w)
{
	(void)w;
	return opened("r/../x/f", O_RDONLY);
}

static int
no_look_by_link(struct world *w)
{
	(void)w;
	return opened("w/out", O_RDONLY);
}

static int
no_mount(struct world *w)
{
	(void)w;
	return opened("/proc/self/root/etc/passwd", O_RDONLY);
}

static int
cut(struct world *w)
{
	(void)w;
	return truncate("r/f", 1);
}

static int
connected(struct world *w)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons(w->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return connect(fd, (struct sockaddr *)&to, sizeof(to));
}

static int
bound(struct world *w)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	(void)w;
	return bind(fd, (struct sockaddr *)&at, sizeof(at));
}

static int
signalled(struct world *w)
{
	(void)w;
	return kill(getppid(), 0);
}

static int
abstract_connected(struct world *w)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	return connect(fd, (struct sockaddr *)&w->far, w->far_len);
}

/* What is done, from which version on it is granted and refused. */
static const struct {
	int (*act)(struct world *);
	unsigned granted_from, refused_from;
	const char *name;
} acts[] = {
	{ act_read, 0, NEVER, "read" },
	{ act_list, 0, NEVER, "list" },
	{ act_read_file, 0, NEVER, "read a file that is granted by itself" },
	{ act_write, 0, NEVER, "write" },
	{ act_make, 0, NEVER, "make a file" },
	{ act_folder, 0, NEVER, "make a folder" },
	{ act_move, 2, 1, "move between granted folders" },
	{ no_write, 0, 1, "write what is to be read" },
	{ cut_by_opening, 0, 3, "cut it by opening it to read" },
	{ no_make, 0, 1, "make a file there" },
	{ no_folder, 0, 1, "make a folder there" },
	{ no_link, 0, 1, "make a link there" },
	{ no_rename, 0, 1, "rename there" },
	{ no_hard_link_out, 0, 1, "link it to where writing is granted" },
	{ no_removal, 0, 1, "remove there" },
	{ no_look, 0, 1, "read what isn't granted" },
	{ no_look_round_about, 0, 1, "the same round about" },
	{ no_look_by_link, 0, 1, "the same by a link" },
	{ no_mount, 0, 1, "the same by /proc" },
	{ cut, 0, 3, "truncate what is to be read" },
	{ connected, 0, 4, "connect" },
	{ bound, 0, 4, "bind" },
	{ signalled, 0, 6, "signal who is outside" },
	{ abstract_connected, 0, 6, "connect to who is outside" },
};

enum { ACTS = sizeof(acts) / sizeof(acts[0]) };

static void
world_make(struct world *w)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);

	*w = (struct world){ .far = { .sun_family = AF_UNIX } };
	w->dir = tempdir_open();
	assert_int_equal(chdir(w->dir.path), 0);
	assert_int_equal(
		system("mkdir r w v x; for d in r w x; do echo 1 >$d/f; done; "
		       "ln -s ../x/f w/out; echo 1 >one"),
		0);
	w->tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(w->tcp, (struct sockaddr *)&at, sizeof(at)), 0);
	assert_int_equal(listen(w->tcp, 8), 0);
	assert_int_equal(getsockname(w->tcp, (struct sockaddr *)&at, &len), 0);
	w->port = ntohs(at.sin_port);
	(void)snprintf(w->far.sun_path + 1, sizeof(w->far.sun_path) - 1,
		"pawl-%d", (int)getpid());
	w->far_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
		strlen(w->far.sun_path + 1));
	w->abstract = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(
		bind(w->abstract, (struct sockaddr *)&w->far, w->far_len), 0);
	assert_int_equal(listen(w->abstract, 8), 0);
}

static void
world_end(struct world *w)
{
	(void)close(w->tcp);
	(void)close(w->abstract);
	assert_int_equal(chdir("/"), 0);
	tempdir_close(&w->dir);
}

/* In a process of its own: 0, or the number of the first act that isn't as the
 * table says. */
static int
inside(struct world *w, const struct landlock *set)
{
	if (!landlock_enter(set))
		return ACTS + 1;
	for (int i = 0; i < ACTS; i++) {
		bool refused = set->abi >= acts[i].refused_from &&
			(acts[i].granted_from == 0 ||
				set->abi < acts[i].granted_from);
		int rc = acts[i].act(w);

		if ((rc != 0) != refused)
			return i + 1;
		if (refused && errno != EACCES && errno != EPERM &&
			errno != EXDEV)
			return i + 1;
	}
	return 0;
}

static void
each_act_is_as_the_kernel_can(void **state)
{
	unsigned abi = landlock_abi();

	(void)state;
	if (abi == 0)
		skip();
	for (unsigned max = 1; max <= abi; max++) {
		struct world w;
		struct landlock set;
		struct pawl_err err;
		char paths[4][300];
		const char *const names[] = { "r", "w", "v", "one" };
		struct landlock_path grants[5] = { { 0 } };
		struct landlock_spec spec = {
			.paths = grants, .count = 5, .abi_max = max
		};
		int status;
		pid_t pid;

		world_make(&w);
		for (int i = 0; i < 4; i++) {
			(void)snprintf(paths[i], sizeof(paths[i]), "%s/%s",
				w.dir.path, names[i]);
			grants[i].path = paths[i];
			grants[i].grant = i == 1 || i == 2 ? LANDLOCK_WRITE
							   : LANDLOCK_READ;
		}
		grants[4] = (struct landlock_path){ "/is/not/there",
			LANDLOCK_READ, true };
		assert_int_equal(landlock_make(&spec, &set, &err), PAWL_OK);
		assert_int_equal(set.abi, max);
		pid = fork();
		if (pid == 0)
			_exit(inside(&w, &set));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
			fail_msg("with version %u: %s", max,
				!WIFEXITED(status) ? "a signal"
					: WEXITSTATUS(status) > ACTS
					? "could not enter"
					: acts[WEXITSTATUS(status) - 1].name);
		}
		landlock_close(&set);
		world_end(&w);
	}
}

static void
a_wrong_path_is_named_before_anything_starts(void **state)
{
	static const struct {
		struct landlock_path path;
		enum pawl_code code;
	} rows[] = {
		{ { "/is/not/there", LANDLOCK_READ, false },
			ERR_FILE_NOT_FOUND },
		{ { "relative", LANDLOCK_READ, true }, ERR_INVALID_ARGUMENT },
		{ { "/etc/passwd/x", LANDLOCK_READ, false }, ERR_IO },
	};

	(void)state;
	if (landlock_abi() == 0)
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct landlock_spec spec = { .paths = &rows[i].path,
			.count = 1 };
		struct landlock set;
		struct pawl_err err;

		assert_int_not_equal(landlock_make(&spec, &set, &err), PAWL_OK);
		assert_int_equal(err.code, rows[i].code);
		assert_non_null(strstr(err.msg, rows[i].path.path));
	}
}

/* A folder of PATH that is another user's is no reason to start nothing. */
static void
what_is_out_of_reach_is_left_out_if_it_may_be(void **state)
{
	struct tempdir dir = tempdir_open();
	char closed[300], loop[300];
	const char *const paths[] = { "/is/not/there", "/etc/passwd/x", loop,
		closed };

	(void)state;
	assert_int_equal(chdir(dir.path), 0);
	assert_int_equal(
		system("mkdir -p shut/in; chmod 0 shut; ln -s l l"), 0);
	(void)snprintf(loop, sizeof(loop), "%s/l/x", dir.path);
	(void)snprintf(closed, sizeof(closed), "%s/shut/in", dir.path);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		const struct landlock_path path = { paths[i], LANDLOCK_READ,
			true };
		struct landlock_spec spec = { .paths = &path, .count = 1 };
		struct landlock set;
		struct pawl_err err;

		assert_int_equal(landlock_make(&spec, &set, &err), PAWL_OK);
		landlock_close(&set);
	}
	assert_int_equal(system("chmod 700 shut"), 0);
	assert_int_equal(chdir("/"), 0);
	tempdir_close(&dir);
}

/* For tests of what runs without it. */
static void
none_can_be_pretended(void **state)
{
	struct landlock_spec spec = { .abi_max = LANDLOCK_ABI_NONE };
	struct landlock set;
	struct pawl_err err;

	(void)state;
	assert_int_equal(landlock_make(&spec, &set, &err), PAWL_OK);
	assert_int_equal(set.abi, 0);
	assert_int_equal(set.fd, -1);
}

/* What isn't enforced can be told, in words. */
static void
what_a_version_lacks_has_names(void **state)
{
	static const char *const wanted[LANDLOCK_ABI_MAX + 1] = {
		"paths rename truncate tcp ioctl signals ",
		"rename truncate tcp ioctl signals ",
		"truncate tcp ioctl signals ",
		"tcp ioctl signals ",
		"ioctl signals ",
		"signals ",
		"",
	};

	(void)state;
	for (unsigned abi = 0; abi <= LANDLOCK_ABI_MAX; abi++) {
		struct buf text = { 0 };
		size_t at = 0;

		for (const char *word; (word = landlock_lacks(abi, &at));)
			buf_addf(&text, "%s ", word);
		assert_true(str_eq(buf_str(&text), str_from(wanted[abi])));
		buf_release(&text);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_act_is_as_the_kernel_can),
		cmocka_unit_test(a_wrong_path_is_named_before_anything_starts),
		cmocka_unit_test(what_is_out_of_reach_is_left_out_if_it_may_be),
		cmocka_unit_test(none_can_be_pretended),
		cmocka_unit_test(what_a_version_lacks_has_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
