#include "engine/sandbox.h"

#include <string.h>

#include "engine/child_env.h"

/* What a program needs of a system to run at all; not all have all. */
static const struct landlock_path system_paths[] = {
	{ "/usr", LANDLOCK_READ, true },
	{ "/bin", LANDLOCK_READ, true },
	{ "/sbin", LANDLOCK_READ, true },
	{ "/lib", LANDLOCK_READ, true },
	{ "/lib32", LANDLOCK_READ, true },
	{ "/lib64", LANDLOCK_READ, true },
	{ "/libx32", LANDLOCK_READ, true },
	{ "/opt", LANDLOCK_READ, true },
	{ "/etc", LANDLOCK_READ, true },
	{ "/nix/store", LANDLOCK_READ, true },
	{ "/run/systemd/resolve", LANDLOCK_READ, true },
	{ "/proc", LANDLOCK_READ, true },
	{ "/sys", LANDLOCK_READ, true },
	{ "/dev/random", LANDLOCK_READ, true },
	{ "/dev/urandom", LANDLOCK_READ, true },
	{ "/dev/null", LANDLOCK_WRITE, true },
	{ "/dev/zero", LANDLOCK_WRITE, true },
	{ "/dev/full", LANDLOCK_WRITE, true },
	{ "/dev/tty", LANDLOCK_WRITE, true },
	{ "/dev/ptmx", LANDLOCK_WRITE, true },
	{ "/dev/pts", LANDLOCK_WRITE, true },
};

enum { SYSTEM_PATHS = sizeof(system_paths) / sizeof(system_paths[0]) };

/* Variables that lead to an agent, a bus or a server of the user's session. */
static const char *const session_variables[] = { "SSH_AUTH_SOCK=",
	"SSH_AGENT_PID=", "GPG_AGENT_INFO=", "DBUS_", "TMUX", "STY=", "DOCKER_",
	"XAUTHORITY=", "WAYLAND_" };

const char *const *
sandbox_env(struct arena *mem)
{
	static const struct env_prefixes out = { session_variables,
		sizeof(session_variables) / sizeof(session_variables[0]) };
	size_t count;

	return child_env_without(&out, mem, 0, &count);
}

static void
lack(struct sandbox *sb, const char *word)
{
	sb->lacks[sb->lack_count++] = word;
}

/* What was wanted and isn't enforced. */
static void
lacks_find(const struct sandbox_spec *spec, bool filtered, struct sandbox *sb)
{
	size_t at = 0;
	const char *word;

	while ((word = landlock_lacks(sb->files.abi, &at)) != NULL) {
		bool is_wanted = strcmp(word, "tcp") == 0 ? !spec->tcp
			: strcmp(word, "truncate") == 0   ? !filtered
							  : true;

		/* without it nothing moves between folders at all */
		if (strcmp(word, "rename") == 0)
			is_wanted = sb->files.abi == 0;
		if (is_wanted)
			lack(sb, word);
	}
	if (!filtered)
		lack(sb, "sockets");
}

enum pawl_rc
sandbox_make(const struct sandbox_spec *spec, struct arena *mem,
	struct sandbox *ret_sandbox, struct pawl_err *err)
{
	size_t count = SYSTEM_PATHS + spec->read_count + spec->write_count;
	struct landlock_path *paths =
		arena_array(mem, count, struct landlock_path);
	const struct landlock_spec files = { .paths = paths,
		.count = count,
		.tcp = spec->tcp,
		.abi_max = spec->abi_max };
	struct sandbox sb = { .lack_count = 0 };
	unsigned flags = SECCOMP_NO_UNIX;
	enum pawl_rc rc;
	size_t n = SYSTEM_PATHS;

	memcpy(paths, system_paths, sizeof(system_paths));
	for (size_t i = 0; i < spec->read_count; i++)
		paths[n++] = (struct landlock_path){ spec->reads[i],
			LANDLOCK_READ, false };
	for (size_t i = 0; i < spec->write_count; i++)
		paths[n++] = (struct landlock_path){ spec->writes[i],
			LANDLOCK_WRITE, false };
	rc = landlock_make(&files, &sb.files, err);
	if (rc != PAWL_OK)
		return rc;
	if (sb.files.abi > 0 && sb.files.abi < 3)
		flags |= SECCOMP_NO_TRUNCATE;
	lacks_find(spec, seccomp_make(flags, &sb.calls), &sb);
	*ret_sandbox = sb;
	return PAWL_OK;
}

void
sandbox_close(struct sandbox *sb)
{
	landlock_close(&sb->files);
}
