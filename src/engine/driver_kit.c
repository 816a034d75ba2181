#include "engine/driver_kit.h"

#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/die.h"
#include "base/num.h"
#include "base/sha256.h"
#include "engine/afar_talk.h"
#include "engine/driver.h"
#include "engine/git.h"
#include "model/capability.h"
#include "os/fs.h"
#include "os/pstat.h"

enum {
	WAIT_MS = 20000, /* for what a worker does at once */
	STEP_MS = 20,
	DEADLINE_MS = 60000, /* of a worker: none outlives the kit for long */
	FILE_MAX = 1 << 20,
};

bool
kit_fail(struct driver_kit *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(k->why, sizeof(k->why), fmt, ap);
	va_end(ap);
	return false;
}

bool
kit_skip(struct driver_kit *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(k->why, sizeof(k->why), fmt, ap);
	va_end(ap);
	return true;
}

void
kit_pause(struct driver_kit *k, uint64_t ms)
{
	struct pollfd look = { .fd = k->loop.signals, .events = POLLIN };

	/* A signal cuts it short, and every rule after it. */
	if (k->signo == 0 && poll(&look, 1, (int)ms) > 0) {
		struct pawl_err ignored;
		enum pawl_rc rc = loop_step(&k->loop, &ignored);

		(void)rc; /* the callback has noted it */
	}
}

static bool
command(struct driver_kit *k, const char *const *args)
{
	static const struct git_ident ident = { .at_s = 1 };
	struct git_call call = {
		.args = args, .dir = k->scratch.dir, .ident = &ident
	};
	struct pawl_err err;

	return git_run_quiet(&call, &err) == PAWL_OK ||
		kit_fail(k, "%s", err.msg);
}

bool
kit_make(struct driver_kit *k, const char *script,
	struct kit_attempt **ret_attempt)
{
	struct kit_attempt *a = &k->attempts[k->count];
	const char *add[] = { "-C", "repo", "worktree", "add", "-q", "--detach",
		NULL, k->base, NULL };

	assert(k->count < KIT_ATTEMPTS_MAX);
	*a = (struct kit_attempt){ .script = script,
		.deadline_ms = DEADLINE_MS };
	a->id = arena_format(&k->mem, "K-%u@1", ++k->made);
	a->identity = arena_format(&k->mem, STR_FMT "/" STR_FMT,
		STR_ARG(k->prefix), STR_ARG(a->id));
	a->workspace =
		arena_format(&k->mem, "%s/tree-%u", k->scratch.dir, k->made)
			.ptr;
	a->outbox =
		arena_format(&k->mem, "%s/outbox-%u", k->scratch.dir, k->made)
			.ptr;
	add[6] = a->workspace;
	if (!command(k, add))
		return false;
	if (mkdir(a->outbox, 0700) != 0)
		return kit_fail(k, "could not make '%s'", a->outbox);
	k->count++;
	*ret_attempt = a;
	return true;
}

bool
kit_ask(struct driver_kit *k, struct driver_talk *t,
	const struct json **ret_answer)
{
	struct pawl_err err;

	return driver_ask(t, &k->mem, ret_answer, &err) == PAWL_OK ||
		kit_fail(k, "%s", err.msg);
}

bool
kit_refused(struct driver_kit *k, struct driver_talk *t, enum pawl_code code,
	const char *what)
{
	const struct json *answer;
	struct pawl_err err;

	if (driver_ask(t, &k->mem, &answer, &err) == PAWL_OK)
		return kit_fail(k, "%s was done", what);
	if (err.code != code)
		return kit_fail(k, "%s: %s", what, err.msg);
	return true;
}

struct str
kit_word(struct driver_kit *k, const struct json *answer, const char *name)
{
	(void)k;
	return json_str(json_get(answer, str_from(name)));
}

static void
about(struct driver_kit *k, struct driver_talk *t, enum driver_op op,
	const struct kit_attempt *a, struct str refs)
{
	driver_say(t, &k->client, op);
	json_pair_str(&t->w, STR("attempt"), a->id);
	json_key(&t->w, STR("refs"));
	json_put_raw(&t->w, refs.len > 0 ? refs : STR("{}"));
}

static void
put_place(struct json_writer *w, const char *key, const char *first,
	const char *first_value, const char *path)
{
	json_key(w, str_from(key));
	json_open(w, '{');
	if (first != NULL)
		json_pair_str(w, str_from(first), str_from(first_value));
	json_pair_str(w, STR("path"), str_from(path));
}

void
kit_say_start(struct driver_kit *k, const struct kit_attempt *a,
	struct driver_talk *t)
{
	struct json_writer *w = &t->w;
	char hex[SHA256_HEX + 1];
	const char *capsule =
		arena_format(&k->mem, "%s/capsule.json", k->scratch.dir).ptr;

	driver_say(t, &k->client, DRIVER_START);
	json_pair_str(w, STR("retry_id"), a->identity);
	json_pair_str(w, STR("attempt"), a->id);
	json_pair_str(w, STR("run"), k->prefix);
	json_pair_str(w, STR("node"), str_part(a->id, 0, str_find(a->id, '@')));
	json_pair_u64(w, STR("generation"), 1);
	json_pair_str(w, STR("access"), STR("workspace-write"));
	json_key(w, STR("scopes"));
	json_open(w, '[');
	json_put_str(w, STR("."));
	json_close(w, ']');
	json_pair_str(w, STR("base"), str_from(k->base));
	put_place(w, "workspace", "placement", "worktree", a->workspace);
	json_close(w, '}');
	put_place(w, "capsule", NULL, NULL, capsule);
	sha256_hex(STR("{}\n"), hex);
	json_pair_str(w, STR("sha256"), str_from(hex));
	json_close(w, '}');
	json_pair_str(w, STR("prompt"), STR("a prompt\n"));
	json_pair_str(w, STR("outbox"), str_from(a->outbox));
	json_key(w, STR("profile"));
	json_open(w, '{');
	json_pair_str(w, STR("name"), STR("command"));
	json_key(w, STR("argv"));
	json_open(w, '[');
	json_put_str(w, STR("/bin/sh"));
	json_put_str(w, STR("-c"));
	json_put_str(w, str_from(a->script));
	json_close(w, ']');
	json_key(w, STR("env"));
	json_open(w, '{');
	json_pair_str(w, STR("PAWL_ATTEMPT"), a->id);
	json_pair_str(w, STR("PAWL_OUTBOX"), str_from(a->outbox));
	json_close(w, '}');
	json_close(w, '}');
	json_pair_u64(w, STR("deadline_ms"), a->deadline_ms);
	json_pair_str(w, STR("sandbox"), STR("off"));
}

bool
kit_start(struct driver_kit *k, struct kit_attempt *a)
{
	const struct json *answer;
	struct driver_talk t;
	struct str gate;

	kit_say_start(k, a, &t);
	if (!kit_ask(k, &t, &answer))
		return false;
	if (!afar_refs_read(json_get(answer, STR("refs")), &k->mem, &a->refs))
		return kit_fail(k,
			"'refs' isn't a flat object of at most %d"
			" strings and numbers",
			SERVE_REFS_MAX);
	gate = kit_word(k, answer, "gate");
	a->gated = str_eq(gate, STR("closed"));
	if (!a->gated && !str_eq(gate, STR("none")))
		return kit_fail(k, "'gate' is neither closed nor none");
	return true;
}

bool
kit_open(struct driver_kit *k, const struct kit_attempt *a)
{
	const struct json *answer;
	struct driver_talk t;

	about(k, &t, DRIVER_OPEN, a, a->refs);
	json_pair_str(&t.w, STR("retry_id"), a->identity);
	return kit_ask(k, &t, &answer);
}

bool
kit_begin(struct driver_kit *k, const char *script,
	struct kit_attempt **ret_attempt)
{
	return kit_make(k, script, ret_attempt) && kit_start(k, *ret_attempt) &&
		kit_open(k, *ret_attempt);
}

bool
kit_poll(struct driver_kit *k, const struct kit_attempt *a, struct str cursor,
	const struct json **ret_answer)
{
	struct driver_talk t;
	struct str state;

	about(k, &t, DRIVER_POLL, a, a->refs);
	json_pair_str(&t.w, STR("cursor"), cursor);
	json_pair_u64(&t.w, STR("wait_ms"), 0);
	if (!kit_ask(k, &t, ret_answer))
		return false;
	state = kit_word(k, *ret_answer, "state");
	if (!str_eq(state, STR("running")) && !str_eq(state, STR("exited")) &&
		!str_eq(state, STR("gone")))
		return kit_fail(k, "'state' is none of running, exited, gone");
	if (kit_word(k, *ret_answer, "cursor").len > SERVE_CURSOR_BYTES)
		return kit_fail(k, "a cursor is over the limit of %d bytes",
			SERVE_CURSOR_BYTES);
	return true;
}

bool
kit_await(struct driver_kit *k, const struct kit_attempt *a,
	const struct json **ret_answer)
{
	for (uint64_t ms = 0; ms < WAIT_MS && k->signo == 0; ms += STEP_MS) {
		if (!kit_poll(k, a, STR(""), ret_answer))
			return false;
		if (!str_eq(kit_word(k, *ret_answer, "state"), STR("running")))
			return true;
		kit_pause(k, STEP_MS);
	}
	return kit_fail(k, "it runs after %d s", WAIT_MS / 1000);
}

bool
kit_release(struct driver_kit *k, struct kit_attempt *a, struct str refs,
	struct str *ret_word)
{
	const struct json *answer;
	struct driver_talk t;

	about(k, &t, DRIVER_RELEASE, a, refs);
	json_pair_str(&t.w, STR("key"),
		arena_format(
			&k->mem, STR_FMT "/release", STR_ARG(a->identity)));
	if (!kit_ask(k, &t, &answer))
		return false;
	*ret_word = kit_word(k, answer, "released");
	if (str_eq(*ret_word, STR("released")) ||
		str_eq(*ret_word, STR("already"))) {
		a->released = true;
		return true;
	}
	return str_eq(*ret_word, STR("unproven")) ||
		kit_fail(
			k, "'released' is none of released, already, unproven");
}

bool
kit_reconcile(struct driver_kit *k, const struct kit_attempt *a,
	struct str refs, struct str *ret_state)
{
	const struct json *answer, *list;
	struct driver_talk t;

	driver_say(&t, &k->client, DRIVER_RECONCILE);
	json_key(&t.w, STR("attempts"));
	json_open(&t.w, '[');
	json_open(&t.w, '{');
	json_pair_str(&t.w, STR("attempt"), a->id);
	json_pair_str(&t.w, STR("retry_id"), a->identity);
	json_key(&t.w, STR("refs"));
	json_put_raw(&t.w, refs.len > 0 ? refs : STR("{}"));
	json_close(&t.w, '}');
	json_close(&t.w, ']');
	if (!kit_ask(k, &t, &answer))
		return false;
	list = json_get(answer, STR("attempts"));
	if (list == NULL || list->kind != JSON_ARRAY || list->count != 1 ||
		!str_eq(kit_word(k, json_first(list), "attempt"), a->id))
		return kit_fail(k, "'attempts' isn't what was asked for");
	*ret_state = kit_word(k, json_first(list), "state");
	if (!str_eq(*ret_state, STR("present")) &&
		!str_eq(*ret_state, STR("absent")) &&
		!str_eq(*ret_state, STR("unknown")))
		return kit_fail(
			k, "'state' is none of present, absent, unknown");
	return true;
}

static struct str
file_of(struct driver_kit *k, const struct kit_attempt *a, const char *name)
{
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	struct str text = { "", 0 };

	if (fs_read(&fs_real, AT_FDCWD,
		    arena_format(&k->mem, "%s/%s", a->workspace, name).ptr,
		    FILE_MAX, &bytes, &ignored) == PAWL_OK)
		text = arena_copy(&k->mem, buf_str(&bytes));
	buf_release(&bytes);
	return text;
}

uint32_t
kit_lines(struct driver_kit *k, const struct kit_attempt *a, const char *name)
{
	struct str rest = file_of(k, a, name);
	uint32_t count = 0;

	while (rest.len > 0) {
		(void)str_cut(&rest, '\n');
		count++;
	}
	return count;
}

bool
kit_await_line(
	struct driver_kit *k, const struct kit_attempt *a, const char *name)
{
	for (uint64_t ms = 0; ms < WAIT_MS && k->signo == 0; ms += STEP_MS) {
		if (kit_lines(k, a, name) > 0)
			return true;
		kit_pause(k, STEP_MS);
	}
	return kit_fail(
		k, "its worker hasn't begun after %d s", WAIT_MS / 1000);
}

bool
kit_lives(struct driver_kit *k, const struct kit_attempt *a, const char *name)
{
	struct str rest = file_of(k, a, name);
	struct pawl_err ignored;
	struct pstat stat;
	uint64_t pid;

	return num_u64(str_cut(&rest, '\n'), 2, INT32_MAX, &pid, &ignored) ==
		PAWL_OK &&
		pstat_read("/proc", (pid_t)pid, &stat) == PSTAT_HERE &&
		!pstat_is_dead(&stat);
}

static enum pawl_rc
on_signal(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	(void)err;
	*(int *)arg = event->signo;
	return PAWL_OK;
}

/* A repository with one commit, and a folder for what the driver keeps. */
static enum pawl_rc
prepare(struct driver_kit *k, struct pawl_err *err)
{
	static const char *const init[] = { "init", "-q", "--template=", "repo",
		NULL };
	static const char *const commit[] = { "-C", "repo", "commit", "-q",
		"--allow-empty", "-m", "base", NULL };
	static const char *const head[] = { "-C", "repo", "rev-parse", "HEAD",
		NULL };
	struct oid oid;
	int fd = -1;
	enum pawl_rc rc =
		scratch_make(&k->scratch, "driver", NULL, &k->keep, err);

	if (rc == PAWL_OK)
		rc = fs_open_dir(&fs_real, AT_FDCWD, k->scratch.dir, &fd, err);
	if (rc == PAWL_OK)
		rc = fs_make_dir(&fs_real, fd, "state", err);
	if (rc == PAWL_OK)
		rc = fs_create(&fs_real, fd, "capsule.json", STR("{}\n"), err);
	fs_close(&fs_real, &fd);
	if (rc == PAWL_OK && (!command(k, init) || !command(k, commit)))
		rc = pawl_fail(err, ERR_GIT, "%s", k->why);
	if (rc == PAWL_OK)
		rc = git_run_oid(&(struct git_call){ .args = head,
					 .dir = k->scratch.dir },
			&oid, err);
	if (rc != PAWL_OK)
		return rc;
	k->base = arena_strdup(&k->keep, str_from(oid.hex));
	k->prefix = arena_format(
		&k->keep, "kit-%s", k->scratch.name + sizeof("pawl-driver"));
	k->client.dir = arena_format(&k->keep, "%s/repo", k->scratch.dir).ptr;
	k->client.state =
		arena_format(&k->keep, "%s/state", k->scratch.dir).ptr;
	return PAWL_OK;
}

/* What its receipt says decides what is asked for. */
static void
look(struct driver_kit *k)
{
	const struct json *said;
	struct pawl_err ignored;

	if (driver_describe(&k->client, &k->keep, &said, &ignored) != PAWL_OK)
		return;
	k->capabilities = json_get(said, STR("capabilities"));
	k->local = !str_eq(
		json_str(json_get(said, STR("workspace"))), STR("remote"));
}

/* What a rule started is let go of, whatever became of it. */
static void
rule_end(struct driver_kit *k)
{
	char why[KIT_WORDS];
	struct str ignored;
	bool gone;

	memcpy(why, k->why, sizeof(why));
	for (uint32_t i = 0; i < k->count; i++) {
		struct kit_attempt *a = &k->attempts[i];

		gone = a->released || a->refs.len == 0 ||
			kit_release(k, a, a->refs, &ignored);
		(void)gone; /* its worker's deadline ends it all the same */
	}
	memcpy(k->why, why, sizeof(why));
	k->count = 0;
	arena_reset(&k->mem);
}

static enum kit_outcome
try_rule(struct driver_kit *k, const struct kit_rule *rule)
{
	bool kept;

	k->why[0] = '\0';
	if (rule->holds && k->capabilities == NULL) {
		(void)kit_fail(k, "it doesn't describe itself");
		return KIT_BROKEN;
	}
	if (rule->holds &&
		!capability_has(k->capabilities, CAP_DURABLE_WORKER_HANDLE)) {
		(void)kit_skip(k, "it holds no workers");
		return KIT_SKIPPED;
	}
	kept = rule->fn(k);
	rule_end(k);
	if (!kept)
		return KIT_BROKEN;
	return k->why[0] != '\0' ? KIT_SKIPPED : KIT_KEPT;
}

uint32_t
driver_kit_rules(void)
{
	uint32_t count = 0;

	while (kit_rules[count].name != NULL)
		count++;
	assert(count < 64);
	return count;
}

enum pawl_rc
driver_kit_run(const struct driver_client *client,
	const struct kit_choice *choice, uint32_t *ret_broken,
	struct pawl_err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct driver_kit k = { .client = *client, .loop = { .epoll = -1 } };
	struct pawl_err why;
	enum pawl_rc rc = loop_open(&k.loop, err);

	if (rc != PAWL_OK)
		return rc;
	*ret_broken = 0;
	rc = loop_signals(&k.loop, signals, sizeof(signals) / sizeof(int),
		(struct loop_call){ on_signal, &k.signo }, err);
	if (rc == PAWL_OK)
		rc = prepare(&k, err);
	if (rc == PAWL_OK)
		look(&k);
	for (uint32_t i = 0; rc == PAWL_OK && kit_rules[i].name != NULL; i++) {
		enum kit_outcome outcome;

		if (choice->rules != 0 && (choice->rules >> i & 1) == 0)
			continue;
		outcome = try_rule(&k, &kit_rules[i]);
		kit_pause(&k, 0);
		if (k.signo != 0) {
			rc = pawl_fail(err, ERR_INTERRUPTED,
				"interrupted by signal %d", k.signo);
			break;
		}
		*ret_broken += outcome == KIT_BROKEN;
		choice->told(
			choice->arg, i + 1, kit_rules[i].name, outcome, k.why);
	}
	driver_client_close(&k.client);
	if (scratch_drop(&k.scratch, NULL, &why) != PAWL_OK && rc == PAWL_OK) {
		*err = why;
		rc = why.rc;
	}
	loop_close(&k.loop);
	arena_reset(&k.mem);
	arena_reset(&k.keep);
	return rc;
}
