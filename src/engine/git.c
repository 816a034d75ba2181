#include "engine/git.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/die.h"
#include "os/proc.h"

/* Ahead of every configuration file; each is here for what it prevents. */
static const char *const settings[] = {
	/* programs */
	"core.fsmonitor=false",
	"core.hooksPath=/dev/null",
	"commit.gpgSign=false",
	"tag.gpgSign=false",
	"merge.verifySignatures=false",
	"log.showSignature=false",
	"gc.auto=0",
	"maintenance.auto=false",
	"submodule.recurse=false",
	/* a look for dirt inside would run git by a nested configuration */
	"diff.ignoreSubmodules=dirty",
	/* a stat that lies */
	"core.trustctime=true",
	"core.checkStat=default",
	"core.ignoreStat=false",
	"core.untrackedCache=false",
	"core.splitIndex=false",
	/* objects that an event will name are on the disk before it */
	"core.fsync=committed",
	"core.fsyncMethod=fsync",
	/* refusals and extras that depend on taste */
	"core.safecrlf=false",
	"add.ignoreErrors=false",
	"merge.renames=false",
	"merge.directoryRenames=false",
	"merge.autoStash=false",
	"branch.autoSetupMerge=false",
	"worktree.guessRemote=false",
	"worktree.useRelativePaths=false",
	"advice.addEmbeddedRepo=false",
};

static const char *const fixed_env[] = {
	"LC_ALL=C",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_ASKPASS=/bin/false",
	"SSH_ASKPASS=/bin/false",
	"GIT_EDITOR=/bin/false",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_NO_REPLACE_OBJECTS=1",
	/* a promisor remote would be a transport, and a transport a program */
	"GIT_ALLOW_PROTOCOL=none",
};

/* What git needs of the caller's: programs, the user's configuration, temp. */
static const char *const kept_env[] = {
	"PATH",
	"HOME",
	"XDG_CONFIG_HOME",
	"TMPDIR",
};

enum {
	SETTINGS = sizeof(settings) / sizeof(settings[0]),
	FIXED_ARGS = 2 + 2 * SETTINGS,
	FIXED_ENV = sizeof(fixed_env) / sizeof(fixed_env[0]),
	KEPT_ENV = sizeof(kept_env) / sizeof(kept_env[0]),
	OWN_ENV = 10, /* literal, three places, six of ident */
	BUSY_PAUSE_MS = 20,
	LAST_WORDS = 300, /* bytes of git's message in ours */
};

struct env {
	struct arena mem;
	const char *items[FIXED_ENV + KEPT_ENV + OWN_ENV + 1];
	size_t count;
};

bool
oid_is_none(const struct oid *o)
{
	return o->hex[0] == '\0';
}

bool
oid_eq(const struct oid *a, const struct oid *b)
{
	return strcmp(a->hex, b->hex) == 0;
}

bool
oid_read(struct str text, struct oid *ret_oid)
{
	if (text.len != 40 && text.len != 64)
		return false;
	if (!is_lower_hex(text))
		return false;
	memcpy(ret_oid->hex, text.ptr, text.len);
	ret_oid->hex[text.len] = '\0';
	return true;
}

static void
env_set(struct env *e, const char *name, const char *value)
{
	struct str pair;

	if (value == NULL)
		return;
	assert(e->count + 1 < sizeof(e->items) / sizeof(e->items[0]));
	pair = arena_format(&e->mem, "%s=%s", name, value);
	e->items[e->count++] = arena_strdup(&e->mem, pair);
}

static void
env_ident(struct env *e, const struct git_ident *ident)
{
	const char *name = ident->name ? ident->name : "pawl";
	const char *email = ident->email ? ident->email : "pawl@localhost";
	struct str date;
	const char *at;

	date = arena_format(
		&e->mem, "@%llu +0000", (unsigned long long)ident->at_s);
	at = arena_strdup(&e->mem, date);
	env_set(e, "GIT_AUTHOR_NAME", name);
	env_set(e, "GIT_AUTHOR_EMAIL", email);
	env_set(e, "GIT_AUTHOR_DATE", at);
	env_set(e, "GIT_COMMITTER_NAME", name);
	env_set(e, "GIT_COMMITTER_EMAIL", email);
	env_set(e, "GIT_COMMITTER_DATE", at);
}

static void
env_make(struct env *e, const struct git_call *call)
{
	for (size_t i = 0; i < FIXED_ENV; i++)
		e->items[e->count++] = fixed_env[i];
	for (size_t i = 0; i < KEPT_ENV; i++)
		env_set(e, kept_env[i], getenv(kept_env[i]));
	env_set(e, "GIT_LITERAL_PATHSPECS", call->pathspecs ? NULL : "1");
	env_set(e, "GIT_DIR", call->git_dir);
	env_set(e, "GIT_WORK_TREE", call->work_tree);
	env_set(e, "GIT_INDEX_FILE", call->index);
	if (call->ident != NULL)
		env_ident(e, call->ident);
	e->items[e->count] = NULL;
}

static bool
says(const struct buf *text, const char *words)
{
	return text->data != NULL && strstr(text->data, words) != NULL;
}

/* A lock stood in the way; not: a ref had another value than we said. */
static bool
is_busy(const struct buf *words)
{
	if (words->len == 0)
		return true;
	if (says(words, "but expected") || says(words, "reference already"))
		return false;
	return says(words, ".lock': File exists") ||
		says(words, "could not lock config file") ||
		says(words, "Another git process seems to be running");
}

/* The last line that has something to say, without its prefix. */
static struct str
last_words(const struct buf *words)
{
	struct str rest = buf_str(words);
	struct str found = STR("no message");

	while (rest.ptr != NULL) {
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (line.len > 0)
			found = line;
		if (str_starts(line, STR("fatal: ")) ||
			str_starts(line, STR("error: ")))
			break;
	}
	return str_part(found, 0, LAST_WORDS);
}

void
git_pause(uint64_t ms)
{
	struct timespec ts = { .tv_sec = (time_t)(ms / 1000),
		.tv_nsec = (long)(ms % 1000) * 1000000 };

	/* Cut short by a signal is as good: the caller looks again. */
	(void)nanosleep(&ts, NULL);
}

static const char *
dir_of(const struct git_call *call)
{
	if (call->dir != NULL)
		return call->dir;
	return call->work_tree ? call->work_tree : call->git_dir;
}

static enum pawl_rc
run_once(const struct git_call *call, const char *const *argv,
	const char *const *envp, struct proc_ran *ret_ran, struct pawl_err *err)
{
	struct proc_run_spec spec = {
		.child = { .argv = argv, .envp = envp, .dir = dir_of(call) },
		.input = call->input,
		.deadline_ms =
			call->deadline_ms ? call->deadline_ms : GIT_DEADLINE_MS,
		.grace_ms = 2000,
		.held = call->lock != NULL && call->lock->held ? call->lock->fd
							       : 0,
		.out_max = call->out_max ? call->out_max : GIT_OUT_MAX,
	};
	return proc_run(&spec, ret_ran, err);
}

/* PAWL_EBUSY is the one that is tried again. */
enum pawl_rc
git_judge(const char *verb, const struct proc_end *end, const struct buf *words,
	uint32_t answers, struct pawl_err *err)
{
	if (end->kind == PROC_TIMEOUT) {
		return pawl_fail(
			err, ERR_GIT, "git %s passed its deadline", verb);
	}
	if (end->kind == PROC_SIGNAL) {
		return pawl_fail(err, ERR_GIT, "git %s was ended by signal %d",
			verb, end->code);
	}
	if (end->kind == PROC_START_FAILED) {
		return pawl_fail(err, ERR_SPAWN, "could not start git: %s",
			strerror(end->code));
	}
	if (end->code == 0 || (end->code <= 31 && (answers >> end->code & 1)))
		return PAWL_OK;
	if (!is_busy(words)) {
		return pawl_fail(err, ERR_GIT, "git %s: " STR_FMT, verb,
			STR_ARG(last_words(words)));
	}
	(void)pawl_fail(err, ERR_GIT_BUSY,
		"a lock of git's stands in the way of git %s: " STR_FMT, verb,
		STR_ARG(last_words(words)));
	return pawl_hint(err,
		"see whether a git process runs (ps -C git); only "
		"when none does, remove the .lock file by hand");
}

static enum pawl_rc
judge(const struct git_call *call, const struct proc_ran *ran,
	struct pawl_err *err)
{
	enum pawl_rc rc = git_judge(
		call->args[0], &ran->end, &ran->err, call->answers, err);

	if (rc == PAWL_OK && !buf_ok(&ran->out)) {
		rc = pawl_fail(err, ERR_LIMIT,
			"output of git %s is over the limit of %zu bytes",
			call->args[0],
			call->out_max ? call->out_max : (size_t)GIT_OUT_MAX);
	}
	return rc;
}

static void
args_make(const char **argv, const struct git_call *call)
{
	size_t n = 0;

	argv[n++] = "git";
	argv[n++] = "--no-pager";
	for (size_t i = 0; i < SETTINGS; i++) {
		argv[n++] = "-c";
		argv[n++] = settings[i];
	}
	assert(n == FIXED_ARGS);
	for (size_t i = 0; call->args[i] != NULL; i++) {
		assert(i < GIT_ARGS_MAX);
		argv[n++] = call->args[i];
	}
	argv[n] = NULL;
}

enum pawl_rc
git_start(const struct git_call *call, struct coproc *ret_git,
	struct pawl_err *err)
{
	const char *argv[FIXED_ARGS + GIT_ARGS_MAX + 1];
	struct env env = { 0 };
	struct proc_spec child = { .argv = argv, .dir = dir_of(call) };
	enum pawl_rc rc;

	args_make(argv, call);
	env_make(&env, call);
	child.envp = env.items;
	rc = coproc_start(&child, ret_git, err);
	arena_reset(&env.mem);
	return rc;
}

enum pawl_rc
git_run(const struct git_call *call, struct git_ran *ret_ran,
	struct pawl_err *err)
{
	const char *argv[FIXED_ARGS + GIT_ARGS_MAX + 1];
	struct env env = { 0 };
	struct proc_ran ran = { 0 };
	uint64_t waited_ms = 0, pause = BUSY_PAUSE_MS;
	enum pawl_rc rc;

	args_make(argv, call);
	env_make(&env, call);
	for (;;) {
		rc = run_once(call, argv, env.items, &ran, err);
		if (rc != PAWL_OK)
			goto out;
		rc = judge(call, &ran, err);
		if (rc != PAWL_EBUSY || waited_ms >= GIT_BUSY_WAIT_MS)
			goto out;
		proc_ran_release(&ran);
		ran = (struct proc_ran){ 0 };
		git_pause(pause);
		waited_ms += pause;
		if (pause < 500)
			pause *= 2;
	}
out:
	if (rc == PAWL_OK) {
		*ret_ran = (struct git_ran){ ran.end.code, ran.out, ran.err };
	} else {
		proc_ran_release(&ran);
	}
	arena_reset(&env.mem);
	return rc;
}

void
git_ran_release(struct git_ran *ran)
{
	buf_release(&ran->out);
	buf_release(&ran->err);
	*ran = (struct git_ran){ 0 };
}

enum pawl_rc
git_run_oid(
	const struct git_call *call, struct oid *ret_oid, struct pawl_err *err)
{
	struct git_ran ran = { 0 };
	struct oid oid;
	enum pawl_rc rc;

	rc = git_run(call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	if (ran.status != 0 || !oid_read(str_trim(buf_str(&ran.out)), &oid)) {
		rc = pawl_fail(err, ERR_GIT, "git %s gave no object name",
			call->args[0]);
	} else {
		*ret_oid = oid;
	}
	git_ran_release(&ran);
	return rc;
}

enum pawl_rc
git_run_quiet(const struct git_call *call, struct pawl_err *err)
{
	struct git_ran ran = { 0 };
	enum pawl_rc rc;

	rc = git_run(call, &ran, err);
	if (rc == PAWL_OK)
		git_ran_release(&ran);
	return rc;
}

/* Wait for the lock on an open file or folder, which becomes the lock's. */
static enum pawl_rc
lock_wait(int fd, const char *name, struct git_lock *ret_lock,
	struct pawl_err *err)
{
	uint64_t waited_ms = 0;
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			rc = pawl_fail_sys(
				err, ERR_NO_LOCKS, "could not lock '%s'", name);
		} else if (waited_ms >= GIT_LOCK_WAIT_MS) {
			rc = pawl_fail(err, ERR_GIT_BUSY,
				"'%s' was held for %d ms", name,
				GIT_LOCK_WAIT_MS);
		} else {
			git_pause(5);
			waited_ms += 5;
		}
	}
	if (rc != PAWL_OK) {
		(void)close(fd); /* nothing was written */
		return rc;
	}
	*ret_lock = (struct git_lock){ .fd = fd, .held = true };
	return PAWL_OK;
}

enum pawl_rc
git_lock_take(const char *dir, const char *key, struct git_lock *ret_lock,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct str path = arena_format(&mem, "%s/git-%s.lock", dir, key);
	const char *name = arena_strdup(&mem, path);
	enum pawl_rc rc;
	int fd;

	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		rc = pawl_fail_sys(err, ERR_IO, "could not open '%s'", name);
	else
		rc = lock_wait(fd, name, ret_lock, err);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
git_lock_dir(const char *dir, struct git_lock *ret_lock, struct pawl_err *err)
{
	struct git_lock lock = { 0 };
	struct stat mine, now;
	enum pawl_rc rc;
	int fd;

	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		return pawl_fail_sys(err,
			errno == ENOTDIR || errno == ELOOP ? ERR_UNSAFE_PATH
							   : ERR_IO,
			"could not open '%s'", dir);
	}
	rc = lock_wait(fd, dir, &lock, err);
	if (rc == PAWL_OK &&
		(fstat(lock.fd, &mine) != 0 || lstat(dir, &now) != 0 ||
			mine.st_dev != now.st_dev || mine.st_ino != now.st_ino))
		rc = pawl_fail(err, ERR_GIT_BUSY,
			"'%s' went away while it was locked", dir);
	if (rc == PAWL_OK)
		*ret_lock = lock;
	else
		git_lock_release(&lock);
	return rc;
}

void
git_lock_release(struct git_lock *lock)
{
	if (lock->held)
		(void)close(lock->fd); /* the lock goes with the descriptor */
	*lock = (struct git_lock){ .fd = -1 };
}
