#include "engine/afar_talk.h"

#include "engine/cage.h"
#include "engine/host.h"
#include "engine/worker.h"
#include "model/contract.h"

static void
put_words(struct json_writer *w, const char *const *words)
{
	json_open(w, '[');
	for (; *words != NULL; words++)
		json_put_str(w, str_from(*words));
	json_close(w, ']');
}

/* What is to be made, in the order of the protocol. */
static void
put_start(struct pilot *p, uint32_t attempt, struct str prompt,
	struct json_writer *w)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct handout_var vars[HANDOUT_VARS];
	struct handout h;

	handout_of(p, attempt, &h);
	handout_env(p->run, &h, vars);
	json_pair_str(w, STR("retry_id"), afar_identity(p, attempt));
	json_pair_str(w, STR("run"), p->run->id);
	json_pair_str(w, STR("node"), h.node);
	json_pair_u64(w, STR("generation"), p->run->gen);
	json_pair_str(w, STR("access"),
		pilot_writes(p, attempt) ? STR("workspace-write")
					 : STR("read-only"));
	json_key(w, STR("scopes"));
	json_open(w, '[');
	for (uint32_t i = 0; i < contract_scopes(&v); i++)
		json_put_str(w, contract_scope(&v, i));
	json_close(w, ']');
	json_pair_str(w, STR("base"), a->base);
	json_key(w, STR("workspace"));
	json_open(w, '{');
	json_pair_str(w, STR("placement"),
		placement_word((enum placement)a->placement));
	json_pair_str(w, STR("path"), str_from(h.workspace));
	json_close(w, '}');
	json_key(w, STR("capsule"));
	json_open(w, '{');
	json_pair_str(w, STR("path"), str_from(h.capsule));
	json_pair_str(w, STR("sha256"), a->capsule_sha256);
	json_close(w, '}');
	json_pair_str(w, STR("prompt"), prompt);
	json_pair_str(w, STR("outbox"), str_from(h.outbox));
	json_key(w, STR("profile"));
	json_open(w, '{');
	json_pair_str(w, STR("name"), p->run->state.run.profile);
	json_key(w, STR("argv"));
	put_words(w, worker_argv(p, a));
	json_key(w, STR("env"));
	json_open(w, '{');
	for (size_t i = 0; i < HANDOUT_VARS; i++)
		json_pair_str(w, str_from(vars[i].name), vars[i].value);
	json_close(w, '}');
	json_close(w, '}');
	json_pair_u64(w, STR("deadline_ms"), a->deadline_ms);
	json_pair_str(w, STR("sandbox"),
		p->run->state.run.sandbox.len > 0
			? p->run->state.run.sandbox
			: sandbox_level_word(SANDBOX_OFF));
}

static void
degraded_add(struct pilot *p, struct begun *begun, struct str what,
	struct str instead, struct str why)
{
	struct strs *list = &begun->degraded;

	if (list->items == NULL)
		list->items = arena_array(&p->mem, SERVE_REFS_MAX, struct str);
	if (list->count == SERVE_REFS_MAX || what.len == 0)
		return;
	list->items[list->count++] = arena_format(&p->mem,
		STR_FMT "%s" STR_FMT "%s" STR_FMT, STR_ARG(afar_line(p, what)),
		instead.len > 0 ? ": " : "", STR_ARG(afar_line(p, instead)),
		why.len > 0 ? ", since " : "", STR_ARG(afar_line(p, why)));
}

/* What the attempt does without, as its driver says. */
static void
degraded_read(struct pilot *p, const struct json *answer, struct begun *begun)
{
	const struct json *list = json_get(answer, STR("degraded"));
	const struct json *v;

	if (!str_eq(json_str(json_get(answer, STR("gate"))), STR("closed")))
		degraded_add(p, begun, STR("gate"),
			STR("it began before it was recorded"), STR(""));
	if (list != NULL && list->kind == JSON_ARRAY) {
		v = json_first(list);
		for (uint32_t i = 0; i < list->count; i++, v += v->span) {
			degraded_add(p, begun,
				json_str(json_get(v, STR("capability"))),
				json_str(json_get(v, STR("alternative"))),
				json_str(json_get(v, STR("reason"))));
		}
	}
}

/* How its worker is confined, as its driver says; a level that is none is that
 * it isn't. */
static void
confined_read(struct pilot *p, const struct json *answer, struct begun *begun)
{
	const struct json *sandbox = json_get(answer, STR("sandbox"));
	const struct json *lacks = json_get(sandbox, STR("lacks"));
	struct confined *c = &begun->confined;
	enum sandbox_level level = SANDBOX_OFF;
	const struct json *v;

	(void)sandbox_level_from(
		json_str(json_get(sandbox, STR("level"))), &level);
	c->level = sandbox_level_word(level);
	if (lacks == NULL || lacks->kind != JSON_ARRAY)
		return;
	c->lacks.items = arena_array(&p->mem, SERVE_REFS_MAX, struct str);
	v = json_first(lacks);
	for (uint32_t i = 0; i < lacks->count && i < SERVE_REFS_MAX;
		i++, v += v->span)
		c->lacks.items[c->lacks.count++] = afar_line(p, json_str(v));
}

/* What the run requires, its driver has to have. */
static enum pawl_rc
confined_enough(struct pilot *p, const struct confined *c, uint32_t attempt,
	struct pawl_err *err)
{
	struct str required = sandbox_level_word(SANDBOX_REQUIRED);

	if (!str_eq(p->run->state.run.sandbox, required) ||
		(str_eq(c->level, required) && c->lacks.count == 0))
		return PAWL_OK;
	return pawl_fail(err, ERR_SANDBOX_UNAVAILABLE,
		"driver '" STR_FMT "' doesn't confine '" STR_FMT
		"' as the run requires",
		STR_ARG(pilot_attempt(p, attempt)->driver),
		STR_ARG(pilot_attempt_id(p, attempt)));
}

static bool
has_words(const struct json *list, const char *const *words)
{
	const struct json *v;
	uint32_t count = 0;

	while (words[count] != NULL)
		count++;
	if (list == NULL || list->kind != JSON_ARRAY || list->count != count)
		return false;
	v = json_first(list);
	for (uint32_t i = 0; i < count; i++, v += v->span) {
		if (!str_eq(json_str(v), str_from(words[i])))
			return false;
	}
	return true;
}

/* Is what it made what was asked for? */
static enum pawl_rc
match(struct pilot *p, uint32_t attempt, const struct json *answer,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct json *profile = json_get(answer, STR("profile"));
	struct str path = json_str(
		json_get(json_get(answer, STR("placement")), STR("path")));
	const char *fault = NULL;

	if (!str_eq(json_str(json_get(profile, STR("name"))),
		    p->run->state.run.profile) ||
		!has_words(json_get(profile, STR("argv")), worker_argv(p, a)))
		fault = "profile";
	else if (!str_eq(path, str_from(worker_workspace(p, a))))
		fault = "placement";
	if (fault == NULL)
		return PAWL_OK;
	return pawl_fail(err, ERR_CONTEXT_MISMATCH,
		"driver '" STR_FMT "' started '" STR_FMT "' with another %s",
		STR_ARG(a->driver), STR_ARG(pilot_attempt_id(p, attempt)),
		fault);
}

static enum pawl_rc
start_once(struct pilot *p, uint32_t attempt, struct str prompt,
	const struct json **ret_answer, struct pawl_err *err)
{
	struct driver_talk t;
	enum pawl_rc rc = afar_say(p, attempt, DRIVER_START, STR(""), &t, err);

	if (rc != PAWL_OK)
		return rc;
	put_start(p, attempt, prompt, &t.w);
	return driver_ask(&t, &p->mem, ret_answer, err);
}

enum pawl_rc
afar_start(struct pilot *p, uint32_t attempt, struct str prompt,
	struct begun *ret_begun, struct pawl_err *err)
{
	const struct json *answer = NULL;
	struct str gate;
	enum pawl_rc rc = start_once(p, attempt, prompt, &answer, err);

	/* Whether it had an effect shows when it is asked for again. */
	if (rc != PAWL_OK && err->code == ERR_DRIVER_UNKNOWN)
		rc = start_once(p, attempt, prompt, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	if (!afar_refs_read(
		    json_get(answer, STR("refs")), &p->mem, &ret_begun->refs))
		return afar_wrong(p, attempt, "start", "no references", err);
	gate = json_str(json_get(answer, STR("gate")));
	if (!str_eq(gate, STR("closed")) && !str_eq(gate, STR("none")))
		return afar_wrong(p, attempt, "start", "no gate", err);
	degraded_read(p, answer, ret_begun);
	confined_read(p, answer, ret_begun);
	rc = match(p, attempt, answer, err);
	return rc == PAWL_OK
		? confined_enough(p, &ret_begun->confined, attempt, err)
		: rc;
}
