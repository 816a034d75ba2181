#include "engine/driver.h"

#include "engine/afar_talk.h"
#include "model/capability.h"
#include "store/artifact.h"

enum pawl_rc
driver_reserve(struct run *r, struct pawl_err *err)
{
	const struct state *s = &r->state;
	struct command cmd;

	if (s->driver.len > 0 || s->selection.len > 0)
		return PAWL_OK;
	cmd = run_command(r, EV_DRIVER_SELECTION_RESERVED, STR(""), STR(""));
	EVENT_SET(&cmd.event, F_SELECTION, selection,
		arena_format(
			&r->mem, "driver-%llu", (unsigned long long)s->gen));
	EVENT_SET(&cmd.event, F_DRIVER, driver,
		s->driver_asked.len > 0 ? arena_copy(&r->mem, s->driver_asked)
					: DRIVER_AUTO);
	return run_propose(r, &cmd, err);
}

/* What was selected, and how that is told. */
struct choice {
	struct str driver;
	struct str reason;
	struct str refs; /* of a program's selection; or empty */
	struct strs degraded;
	struct buf receipt;
};

/* What a run needs of whoever starts its workers. */
static bool
is_needed(const struct state *s, enum capability c)
{
	switch (c) {
	case CAP_DURABLE_WORKER_HANDLE:
		return true;
	case CAP_ISOLATED_WORKSPACE:
		return s->run.placement == PLACEMENT_WORKTREE;
	case CAP_LOCAL_CHECKS:
	case CAP_USER_QUESTIONS:
	case CAP_PROCESS_TREE_CLEANUP:
	case CAP_VISIBLE_WORKER_DISPATCH:
	case CAP_BROWSER_SURFACE:
	case CAP_USAGE_METRICS:
	case CAP_CACHE_METRICS:
	case CAPABILITY_COUNT:
		break;
	}
	return false;
}

static void
choose_builtin(struct run *r, enum builtin d, struct choice *c)
{
	struct json_writer w = { .out = &c->receipt };

	c->driver = builtin_word(d);
	capability_receipt(&w, d, r->state.selection);
}

/*
 * The first that can do what the run needs; without a command nothing can be
 * started, and what that does without is said.  The same for the same state: a
 * retry selects what was selected.
 */
static void
choose_any(struct run *r, struct choice *c)
{
	bool commanded = r->state.run.argv.count > 0;
	enum builtin d = commanded ? BUILTIN_PROCESS : BUILTIN_HOST;

	c->reason = commanded ? STR("the run has a worker's command")
			      : STR("the run has no worker's command");
	choose_builtin(r, d, c);
	c->degraded.items = arena_array(&r->mem, CAPABILITY_COUNT, struct str);
	for (int i = 0; i < CAPABILITY_COUNT; i++) {
		if (!is_needed(&r->state, (enum capability)i) ||
			builtin_can(d, (enum capability)i))
			continue;
		c->degraded.items[c->degraded.count++] =
			arena_format(&r->mem, STR_FMT ": " STR_FMT,
				STR_ARG(capability_word((enum capability)i)),
				STR_ARG(builtin_says(d, (enum capability)i)));
	}
}

/* As a built-in one's, of what the program says about itself. */
static void
receipt_write(struct run *r, const struct json *said, struct str name,
	struct buf *out)
{
	const struct json *extensions = json_get(said, STR("extensions"));
	struct json_writer w = { .out = out };

	json_open(&w, '{');
	json_pair_u64(&w, STR("schema_version"), 1);
	json_pair_str(&w, STR("id"), r->state.selection);
	json_pair_str(&w, STR("driver"), name);
	json_pair_str(
		&w, STR("version"), json_str(json_get(said, STR("version"))));
	json_key(&w, STR("capabilities"));
	json_put(&w, json_get(said, STR("capabilities")));
	json_key(&w, STR("extensions"));
	if (extensions != NULL && extensions->kind == JSON_OBJECT) {
		json_put(&w, extensions);
	} else {
		json_open(&w, '{');
		json_close(&w, '}');
	}
	json_close(&w, '}');
}

enum pawl_rc
driver_describe(struct driver_client *client, struct arena *mem,
	const struct json **ret_said, struct pawl_err *err)
{
	const struct json *said;
	struct driver_talk t;
	struct pawl_err why;
	enum pawl_rc rc;

	driver_say(&t, client, DRIVER_DESCRIBE);
	rc = driver_ask(&t, mem, &said, err);
	if (rc != PAWL_OK)
		return rc;
	if (json_int(json_get(said, STR("protocol"))) != DRIVER_PROTOCOL)
		return pawl_fail(err, ERR_DRIVER_UNSUPPORTED,
			"driver '%s' doesn't speak protocol %d", client->name,
			DRIVER_PROTOCOL);
	if (!str_eq(json_str(json_get(said, STR("driver"))),
		    str_from(client->name)))
		return pawl_fail(err, ERR_DRIVER_UNSUPPORTED,
			"driver '%s' calls itself '" STR_FMT "'", client->name,
			STR_ARG(json_str(json_get(said, STR("driver")))));
	rc = capability_check(json_get(said, STR("capabilities")), &why);
	if (rc != PAWL_OK)
		return pawl_fail(err, ERR_DRIVER_UNSUPPORTED, "driver '%s': %s",
			client->name, why.msg);
	*ret_said = said;
	return PAWL_OK;
}

static enum pawl_rc
ask_program(struct run *r, struct driver_client *client, struct choice *c,
	struct pawl_err *err)
{
	const struct json *said, *answer, *refs;
	struct driver_talk t;
	enum pawl_rc rc = driver_describe(client, &r->mem, &said, err);

	if (rc != PAWL_OK)
		return rc;
	if (!capability_has(json_get(said, STR("capabilities")),
		    CAP_DURABLE_WORKER_HANDLE))
		return pawl_fail(err, ERR_DRIVER_UNSUPPORTED,
			"driver '%s' holds no worker: '" STR_FMT "' isn't"
			" supported",
			client->name,
			STR_ARG(capability_word(CAP_DURABLE_WORKER_HANDLE)));
	driver_say(&t, client, DRIVER_SELECT);
	json_pair_str(&t.w, STR("retry_id"),
		arena_format(&r->mem, STR_FMT "/" STR_FMT, STR_ARG(r->id),
			STR_ARG(r->state.selection)));
	json_pair_str(&t.w, STR("run"), r->id);
	json_pair_str(&t.w, STR("repository"), r->state.run.repo);
	json_pair_str(&t.w, STR("base"), r->state.run.base);
	rc = driver_ask(&t, &r->mem, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	if (!json_bool(json_get(answer, STR("ready"))))
		return pawl_fail(err, ERR_DRIVER_UNAVAILABLE,
			"driver '%s' isn't ready for this run", client->name);
	refs = json_get(answer, STR("refs"));
	if (refs != NULL && !afar_refs_read(refs, &r->mem, &c->refs))
		return pawl_fail(err, ERR_DRIVER_UNKNOWN,
			"driver '%s', select: no references", client->name);
	receipt_write(r, said, str_from(client->name), &c->receipt);
	return PAWL_OK;
}

/* Named by whoever made the run: that one or none. */
static enum pawl_rc
choose_named(
	struct run *r, struct str name, struct choice *c, struct pawl_err *err)
{
	struct driver_client client = { 0 };
	enum builtin d;
	enum pawl_rc rc;

	c->driver = name;
	c->reason = STR("asked for");
	if (builtin_from(name, &d)) {
		choose_builtin(r, d, c);
		return PAWL_OK;
	}
	rc = driver_client_find(&client, name, &r->mem, err);
	if (rc == PAWL_OK)
		rc = afar_state_make(
			r, client.name, &r->mem, &client.state, err);
	if (rc == PAWL_OK) {
		if (r->state.run.repo.len > 0)
			client.dir = arena_strdup(&r->mem, r->state.run.repo);
		rc = ask_program(r, &client, c, err);
	}
	driver_client_close(&client);
	return rc;
}

static enum pawl_rc
choose(struct run *r, struct choice *ret_choice, struct pawl_err *err)
{
	struct str asked = arena_copy(&r->mem, r->state.driver_asked);

	if (asked.len > 0 && !str_eq(asked, DRIVER_AUTO))
		return choose_named(r, asked, ret_choice, err);
	choose_any(r, ret_choice);
	return PAWL_OK;
}

bool
driver_is_program(struct str name)
{
	enum builtin d;

	return name.len > 0 && !str_eq(name, DRIVER_AUTO) &&
		!builtin_from(name, &d);
}

enum pawl_rc
driver_finish_selection(struct run *r, struct pawl_err *err)
{
	bool done;

	return driver_is_program(r->state.driver_asked)
		? driver_select(r, &done, err)
		: PAWL_OK;
}

enum pawl_rc
driver_select(struct run *r, bool *ret_done, struct pawl_err *err)
{
	char hex[SHA256_HEX + 1];
	struct choice c = { 0 };
	struct command cmd;
	enum pawl_rc rc;

	if (r->state.selection.len == 0) {
		*ret_done = false;
		return PAWL_OK;
	}
	rc = choose(r, &c, err);
	if (rc == PAWL_OK)
		rc = artifact_put(
			r->place->fs, r->dir, buf_str(&c.receipt), hex, err);
	buf_release(&c.receipt);
	if (rc != PAWL_OK)
		return rc;
	cmd = run_command(r, EV_DRIVER_SELECTED, STR(""), STR(""));
	EVENT_SET(&cmd.event, F_SELECTION, selection,
		arena_copy(&r->mem, r->state.selection));
	EVENT_SET(&cmd.event, F_DRIVER, driver, c.driver);
	EVENT_SET(&cmd.event, F_REASON, reason, c.reason);
	EVENT_SET(&cmd.event, F_RECEIPT_SHA256, receipt_sha256, str_from(hex));
	if (c.refs.len > 0)
		EVENT_SET(&cmd.event, F_REFS, refs, c.refs);
	if (c.degraded.count > 0)
		EVENT_SET(&cmd.event, F_DEGRADED, degraded, c.degraded);
	rc = run_begin(r, err);
	if (rc != PAWL_OK)
		return rc;
	/* Another call of ours may have finished it meanwhile. */
	*ret_done = r->state.selection.len > 0 || r->gen != r->state.gen;
	if (*ret_done)
		rc = run_propose(r, &cmd, err);
	return rc == PAWL_OK ? run_commit(r, err) : run_give_up(r, rc, err);
}
