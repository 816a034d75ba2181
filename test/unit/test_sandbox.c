/* What is granted to all, and what is said to be missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/child_env.h"
#include "engine/sandbox.h"
#include "os/proc.h"

static void
what_is_wanted_and_not_enforced_is_named(void **state)
{
	static const struct {
		unsigned abi;
		bool tcp;
		const char *lacks;
	} rows[] = {
		{ 1, false, "tcp ioctl signals " },
		{ 2, false, "tcp ioctl signals " },
		{ 3, false, "tcp ioctl signals " },
		{ 3, true, "ioctl signals " },
		{ 4, false, "ioctl signals " },
		{ 5, false, "signals " },
		{ 6, false, "" },
		{ LANDLOCK_ABI_NONE, false, "paths rename tcp ioctl signals " },
		{ LANDLOCK_ABI_NONE, true, "paths rename ioctl signals " },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sandbox_spec spec = { .abi_max = rows[i].abi,
			.tcp = rows[i].tcp };
		struct buf words = { 0 };
		struct sandbox sb;
		struct pawl_err err;

		if (rows[i].abi != LANDLOCK_ABI_NONE &&
			landlock_abi() < rows[i].abi)
			continue;
		assert_int_equal(sandbox_make(&spec, &mem, &sb, &err), PAWL_OK);
		for (size_t k = 0; k < sb.lack_count; k++)
			buf_addf(&words, "%s ", sb.lacks[k]);
		assert_true(str_eq(buf_str(&words), str_from(rows[i].lacks)));
		assert_int_not_equal(sb.refused, 0);
		sandbox_close(&sb);
		buf_release(&words);
	}
	arena_reset(&mem);
}

/* A network of its own is as good as no TCP, where there is one. */
static void
without_a_network_no_version_lacks_tcp(void **state)
{
	const struct sandbox_spec spec = { .abi_max = 1, .apart.net = true };
	const bool works = proc_can_isolate(&spec.apart);
	struct arena mem = ARENA_INIT;
	struct pawl_err err;
	struct sandbox sb;
	bool tcp = false, network = false;

	(void)state;
	if (landlock_abi() == 0)
		skip();
	assert_int_equal(sandbox_make(&spec, &mem, &sb, &err), PAWL_OK);
	for (size_t i = 0; i < sb.lack_count; i++) {
		tcp = tcp || str_eq(str_from(sb.lacks[i]), STR("tcp"));
		network = network ||
			str_eq(str_from(sb.lacks[i]), STR("network"));
	}
	assert_int_equal(sb.apart.net, works);
	assert_int_equal(tcp, !works);
	assert_int_equal(network, !works);
	assert_int_equal(sandbox_is_whole(&sb, &err), PAWL_EPERM);
	assert_int_equal(err.code, ERR_SANDBOX_UNAVAILABLE);
	sandbox_close(&sb);
	arena_reset(&mem);
}

/* TCP is refused by Landlock then, where that can. */
static void
without_namespaces_that_is_named(void **state)
{
	static const char *const kept[] = { "/etc", NULL };
	static const struct {
		struct isolate apart;
		const char *lacks;
	} rows[] = {
		{ { .net = true }, "network " },
		{ { .protect = kept }, "protect " },
		{ { .net = true, .protect = kept }, "network protect " },
		{ { .net = false }, "" },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	if (landlock_abi() < LANDLOCK_ABI_MAX)
		skip();
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sandbox_spec spec = { .apart = rows[i].apart,
			.lacks_namespaces = true };
		struct buf words = { 0 };
		struct sandbox sb;
		struct pawl_err err;

		assert_int_equal(sandbox_make(&spec, &mem, &sb, &err), PAWL_OK);
		for (size_t k = 0; k < sb.lack_count; k++)
			buf_addf(&words, "%s ", sb.lacks[k]);
		assert_true(str_eq(buf_str(&words), str_from(rows[i].lacks)));
		assert_false(isolate_is_wanted(&sb.apart));
		sandbox_close(&sb);
		buf_release(&words);
	}
	arena_reset(&mem);
}

static void
what_leads_to_a_session_is_left_out(void **state)
{
	static const char *const out[] = { "SSH_AUTH_SOCK", "TMUX_PANE",
		"DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST" };
	static const char *const in[] = { "PATH", "DOCKERFILE", "SSH_TTY" };
	struct arena mem = ARENA_INIT;
	const char *const *env;
	size_t left = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		assert_int_equal(setenv(out[i], "x", 1), 0);
	for (size_t i = 1; i < sizeof(in) / sizeof(in[0]); i++)
		assert_int_equal(setenv(in[i], "x", 1), 0);
	env = child_env_command(&mem);
	for (; *env != NULL; env++) {
		struct str rest = str_from(*env);
		struct str name = str_cut(&rest, '=');

		for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
			assert_false(str_eq(name, str_from(out[i])));
		for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
			left += str_eq(name, str_from(in[i]));
	}
	assert_int_equal(left, sizeof(in) / sizeof(in[0]));
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_wanted_and_not_enforced_is_named),
		cmocka_unit_test(without_a_network_no_version_lacks_tcp),
		cmocka_unit_test(without_namespaces_that_is_named),
		cmocka_unit_test(what_leads_to_a_session_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
