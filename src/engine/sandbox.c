#include "engine/sandbox.h"

#include <string.h>

#include "base/buf.h"
#include "base/die.h"
#include "os/proc.h"

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

static const struct str levels[SANDBOX_LEVELS] = {
	[SANDBOX_OFF] = { "off", 3 },
	[SANDBOX_BEST_EFFORT] = { "best-effort", 11 },
	[SANDBOX_REQUIRED] = { "required", 8 },
};

bool
sandbox_level_from(struct str word, enum sandbox_level *ret_level)
{
	for (int i = 0; i < SANDBOX_LEVELS; i++) {
		if (str_eq(levels[i], word)) {
			*ret_level = (enum sandbox_level)i;
			return true;
		}
	}
	return false;
}

struct str
sandbox_level_word(enum sandbox_level level)
{
	assert(level < SANDBOX_LEVELS);
	return levels[level];
}

static void
lack(struct sandbox *sb, const char *word)
{
	sb->lacks[sb->lack_count++] = word;
}

static bool
can_isolate(const struct sandbox_spec *spec, const struct isolate *apart)
{
	return !spec->lacks_namespaces && proc_can_isolate(apart);
}

/*
 * What of the namespaces works here; each by itself when not all do.
 * `net` is not so bad without one when TCP can't be used either.
 */
static void
apart_find(const struct sandbox_spec *spec, struct sandbox *sb)
{
	const struct isolate net = { .net = spec->apart.net };
	struct isolate files = spec->apart;

	files.net = false;
	sb->apart = spec->apart;
	if (!isolate_is_wanted(&spec->apart) || can_isolate(spec, &spec->apart))
		return;
	if (isolate_is_wanted(&net) && !can_isolate(spec, &net)) {
		sb->apart.net = false;
		lack(sb, "network");
	}
	if (isolate_is_wanted(&files) && !can_isolate(spec, &files)) {
		sb->apart.protect = NULL;
		sb->apart.open = NULL;
		lack(sb, "protect");
	}
}

/* What was wanted and isn't enforced. */
static void
lacks_find(const struct sandbox_spec *spec, bool filtered, struct sandbox *sb)
{
	size_t at = 0;
	const char *word;

	while ((word = landlock_lacks(sb->files.abi, &at)) != NULL) {
		bool is_wanted = strcmp(word, "tcp") == 0
			? !spec->tcp && !sb->apart.net
			: strcmp(word, "truncate") == 0 ? !filtered
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
	size_t count = SYSTEM_PATHS + spec->count;
	struct landlock_path *paths =
		arena_array(mem, count, struct landlock_path);
	const struct landlock_spec files = { .paths = paths,
		.count = count,
		.tcp = spec->tcp,
		.abi_max = spec->abi_max };
	struct sandbox sb = { .refused = SECCOMP_NO_UNIX };
	struct seccomp filter;
	bool filtered;
	enum pawl_rc rc;

	memcpy(paths, system_paths, sizeof(system_paths));
	for (size_t i = 0; i < spec->count; i++)
		paths[SYSTEM_PATHS + i] = spec->paths[i];
	rc = landlock_make(&files, &sb.files, err);
	if (rc != PAWL_OK)
		return rc;
	if (sb.files.abi > 0 && sb.files.abi < 3)
		sb.refused |= SECCOMP_NO_TRUNCATE;
	filtered = seccomp_make(sb.refused, &filter);
	if (!filtered)
		sb.refused = 0;
	apart_find(spec, &sb);
	lacks_find(spec, filtered, &sb);
	*ret_sandbox = sb;
	return PAWL_OK;
}

enum pawl_rc
sandbox_is_whole(const struct sandbox *sb, struct pawl_err *err)
{
	struct buf words = { 0 };
	enum pawl_rc rc = PAWL_OK;

	for (size_t i = 0; i < sb->lack_count; i++)
		buf_addf(&words, "%s%s", i > 0 ? ", " : "", sb->lacks[i]);
	if (words.len > 0) {
		rc = pawl_fail(err, ERR_SANDBOX_UNAVAILABLE,
			"this kernel doesn't enforce: " STR_FMT,
			STR_ARG(buf_str(&words)));
	}
	buf_release(&words);
	return rc;
}

void
sandbox_close(struct sandbox *sb)
{
	landlock_close(&sb->files);
}
