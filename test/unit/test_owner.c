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

#include "os/owner.h"
#include "os/pstat.h"

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

/* Over every real id, so that kill() can't find anybody by accident. */
enum { PID = 2000000000 };

static void
put_stat(const char *comm, char kind, int threads, uint64_t start)
{
	char name[64], text[512];

	(void)snprintf(name, sizeof(name), "%d/stat", PID);
	(void)snprintf(text, sizeof(text),
		"%d (%s) %c 11 22 33 0 -1 4194304 1 2 3 4 100 20 3 1 20 0 %d 0 "
		"%llu 1 2 18446744073709551615 0\n",
		PID, comm, kind, threads, (unsigned long long)start);
	put(name, text);
}

static int
root_make(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/pawl-owner-XXXXXX");
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

static void
stat_is_read_whatever_the_name_holds(void **state)
{
	static const char *const names[] = { "sh", "a b", "x) Z 1 (", "((",
		"))", "", "new\nline", "123456789012345" };
	struct pstat p;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put_stat(names[i], 'S', 5, 77);
		assert_int_equal(pstat_read(root, PID, &p), PSTAT_HERE);
		assert_string_equal(p.comm, names[i]);
		assert_int_equal(p.pid, PID);
		assert_int_equal(p.state, 'S');
		assert_int_equal(p.parent, 11);
		assert_int_equal(p.group, 22);
		assert_int_equal(p.session, 33);
		assert_int_equal(p.cpu, 124);
		assert_int_equal(p.threads, 5);
		assert_int_equal(p.start, 77);
	}
}

static void
what_is_no_stat_is_hidden(void **state)
{
	static const char *const texts[] = { "", "1", "1 (", "1 (a", "1 (a)",
		"1 (a) S", "1 (a) S 1 2 3", ")(", "(a) S 1 2 3 4 5 6",
		"1 (a) SS 1 2 3 0 -1 4 1 2 3 4 5 6 7 8 20 0 1 0 9 1\n" };
	struct pstat p;
	char name[64];

	(void)state;
	(void)snprintf(name, sizeof(name), "%d/stat", PID);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		put(name, texts[i]);
		assert_int_equal(pstat_read(root, PID, &p), PSTAT_HIDDEN);
	}
	assert_int_equal(pstat_read(root, PID + 1, &p), PSTAT_GONE);
	/* With hidepid: no folder, but somebody answers to the id. */
	assert_int_equal(pstat_read(root, 1, &p), PSTAT_HIDDEN);
}

static void
this_process_is_seen(void **state)
{
	struct pstat p;

	(void)state;
	assert_int_equal(pstat_read("/proc", getpid(), &p), PSTAT_HERE);
	assert_int_equal(p.parent, getppid());
	assert_int_equal(p.group, getpgrp());
	assert_string_equal(p.comm, "test_owner");
	assert_false(pstat_is_dead(&p));
}

static void
a_signal_reaches_only_the_same_start(void **state)
{
	struct pstat p, other;
	int status;
	pid_t pid = fork();

	(void)state;
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	assert_int_equal(pstat_read("/proc", pid, &p), PSTAT_HERE);
	other = p;
	other.start++;
	assert_false(pstat_signal("/proc", &other, SIGKILL));
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	assert_true(pstat_signal("/proc", &p, SIGKILL));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_false(pstat_signal("/proc", &p, SIGKILL));
}

static const struct owner self = {
	.machine = "m1",
	.boot = "b1",
	.pid_ns = 7,
	.pid = 5,
	.start = 50,
};

/* C028, C029, C037, C048: only proof makes an owner dead. */
static void
each_owner_is_judged_by_the_rule(void **state)
{
	static const struct {
		const char *what;
		struct owner owner;
		char kind; /* of the process, or 0 for none */
		int threads;
		enum owner_state is;
	} rows[] = {
		{ "runs", { "m1", "b1", 7, PID, 77 }, 'S', 1, OWNER_ALIVE },
		{ "stopped", { "m1", "b1", 7, PID, 77 }, 'T', 1, OWNER_ALIVE },
		{ "traced", { "m1", "b1", 7, PID, 77 }, 't', 1, OWNER_ALIVE },
		{ "in the kernel", { "m1", "b1", 7, PID, 77 }, 'D', 1,
			OWNER_ALIVE },
		{ "leader ended, threads run", { "m1", "b1", 7, PID, 77 }, 'Z',
			2, OWNER_ALIVE },
		{ "zombie", { "m1", "b1", 7, PID, 77 }, 'Z', 1, OWNER_DEAD },
		{ "id used again", { "m1", "b1", 7, PID, 76 }, 'S', 1,
			OWNER_DEAD },
		{ "no process", { "m1", "b1", 7, PID, 77 }, 0, 0, OWNER_DEAD },
		{ "earlier boot", { "m1", "b0", 7, PID, 77 }, 'S', 1,
			OWNER_DEAD },
		{ "earlier boot, other namespace", { "m1", "b0", 8, PID, 77 },
			'S', 1, OWNER_DEAD },
		{ "other machine", { "m2", "b0", 7, PID, 77 }, 0, 0,
			OWNER_UNKNOWN },
		{ "machine not known", { "", "b0", 7, PID, 77 }, 0, 0,
			OWNER_UNKNOWN },
		{ "boot not known", { "m1", "", 7, PID, 77 }, 0, 0,
			OWNER_UNKNOWN },
		{ "same boot is same machine", { "", "b1", 7, PID, 77 }, 'S', 1,
			OWNER_ALIVE },
		{ "other namespace", { "m1", "b1", 8, PID, 77 }, 0, 0,
			OWNER_UNKNOWN },
		{ "namespace not known", { "m1", "b1", 0, PID, 77 }, 0, 0,
			OWNER_UNKNOWN },
		{ "no process named", { "m1", "b1", 7, 0, 0 }, 0, 0,
			OWNER_UNKNOWN },
		{ "no process named, earlier boot", { "m1", "b0", 7, 0, 0 }, 0,
			0, OWNER_UNKNOWN },
	};
	const struct owner_place place = { root, "/no/machine-id" };
	struct owner blind = self, other = { "m1", "b1", 0, PID, 77 };
	char path[200];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/%d/stat", root, PID);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum owner_state is;

		if (rows[i].kind != 0) {
			put_stat("pawl", rows[i].kind, rows[i].threads, 77);
		} else {
			(void)remove(path);
		}
		is = owner_state(&place, &self, &rows[i].owner);
		if (is != rows[i].is) {
			fail_msg(
				"%s is %s", rows[i].what, owner_state_word(is));
		}
	}
	/* Two namespaces that aren't known are not the same one. */
	blind.pid_ns = 0;
	(void)remove(path);
	assert_int_equal(owner_state(&place, &blind, &other), OWNER_UNKNOWN);
	other.pid_ns = self.pid_ns;
	assert_int_equal(owner_state(&place, &self, &other), OWNER_DEAD);
}

static void
an_owner_is_collected_from_the_place(void **state)
{
	const struct owner_place place = { root, "/etc/machine-id" };
	struct owner_place mine = place;
	struct pawl_err err = { 0 };
	struct owner owner;
	char machine[100];

	(void)state;
	(void)snprintf(machine, sizeof(machine), "%s/machine-id", root);
	mine.machine_id = machine;
	put("machine-id", "0123456789abcdef0123456789abcdef\n");
	put("sys/kernel/random/boot_id",
		"11111111-2222-3333-4444-555555555555\n");
	put_stat("pawl", 'S', 1, 77);
	assert_int_equal(owner_of(&mine, PID, &owner, &err), PAWL_OK);
	assert_string_equal(owner.machine, "0123456789abcdef0123456789abcdef");
	assert_string_equal(owner.boot, "11111111-2222-3333-4444-555555555555");
	assert_int_equal(owner.pid, PID);
	assert_int_equal(owner.start, 77);
	assert_int_equal(owner.pid_ns, 0);
	/* What is no id proves nothing. */
	put("machine-id", "unini\"tialized\n");
	put("sys/kernel/random/boot_id", "\n");
	assert_int_equal(owner_of(&mine, PID, &owner, &err), PAWL_OK);
	assert_string_equal(owner.machine, "");
	assert_string_equal(owner.boot, "");
	put_stat("pawl", 'Z', 1, 77);
	assert_int_equal(owner_of(&mine, PID, &owner, &err), PAWL_ENO);
	assert_int_equal(owner_of(&mine, PID + 1, &owner, &err), PAWL_ENO);
}

static void
this_process_is_alive_and_a_reaped_one_dead(void **state)
{
	struct pawl_err err = { 0 };
	struct owner me, child;
	pid_t pid;

	(void)state;
	assert_int_equal(owner_of(&owner_here, 0, &me, &err), PAWL_OK);
	assert_int_equal(me.pid, getpid());
	assert_true(me.start > 0);
	assert_true(me.pid_ns > 0);
	assert_int_equal(strlen(me.boot), 36);
	assert_int_equal(owner_state(&owner_here, &me, &me), OWNER_ALIVE);
	assert_true(owner_is_alive(&owner_here, &me));
	assert_int_equal(owner_uid(), geteuid());
	for (int i = 0; i < 5; i++) {
		struct owner other = me;

		other.pid = i == 0 ? 0 : me.pid;
		other.pid_ns = i == 1 ? 0 : i == 2 ? me.pid_ns + 1 : me.pid_ns;
		if (i == 3)
			other.boot[0] = '\0';
		other.start = i == 4 ? me.start + 1 : me.start;
		assert_false(owner_is_alive(&owner_here, &other));
	}
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)pause();
		_exit(0);
	}
	assert_int_equal(owner_of(&owner_here, pid, &child, &err), PAWL_OK);
	assert_int_equal(owner_state(&owner_here, &me, &child), OWNER_ALIVE);
	assert_true(owner_is_alive(&owner_here, &child));
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(owner_state(&owner_here, &me, &child), OWNER_ALIVE);
	assert_true(owner_is_alive(&owner_here, &child));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(owner_state(&owner_here, &me, &child), OWNER_DEAD);
	assert_false(owner_is_alive(&owner_here, &child));
}

static void
the_text_of_an_owner(void **state)
{
	struct buf b = { 0 };

	(void)state;
	owner_format(&self, &b);
	assert_string_equal(b.data,
		"{\"machine\":\"m1\",\"boot\":\"b1\","
		"\"pid_ns\":7,\"pid\":5,\"start\":50}");
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_is_read_whatever_the_name_holds),
		cmocka_unit_test(what_is_no_stat_is_hidden),
		cmocka_unit_test(this_process_is_seen),
		cmocka_unit_test(a_signal_reaches_only_the_same_start),
		cmocka_unit_test(each_owner_is_judged_by_the_rule),
		cmocka_unit_test(an_owner_is_collected_from_the_place),
		cmocka_unit_test(this_process_is_alive_and_a_reaped_one_dead),
		cmocka_unit_test(the_text_of_an_owner),
	};

	return cmocka_run_group_tests(tests, root_make, root_free);
}
