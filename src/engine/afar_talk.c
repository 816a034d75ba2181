#include "engine/afar_talk.h"

#include "base/sha256.h"
#include "engine/host.h"
#include "engine/outbox.h"
#include "engine/worker.h"
#include "model/ask_doc.h"
#include "model/contract.h"
#include "text/utf8.h"

enum { REASON_BYTES = 300 };

struct str
afar_identity(struct pilot *p, uint32_t attempt)
{
	return arena_format(&p->mem, STR_FMT "/" STR_FMT, STR_ARG(p->run->id),
		STR_ARG(pilot_attempt_id(p, attempt)));
}

bool
afar_refs_read(const struct json *refs, struct arena *mem, struct str *ret_refs)
{
	struct buf text = { .max = SERVE_REFS_BYTES };
	struct json_writer w = { .out = &text };
	bool good = refs != NULL && refs->kind == JSON_OBJECT &&
		refs->count <= SERVE_REFS_MAX;
	const struct json *key = good ? json_first(refs) : NULL;

	for (uint32_t i = 0; good && i < refs->count; i++) {
		const struct json *v = key + 1;

		good = v->kind == JSON_STRING || v->kind == JSON_INT;
		key = v + v->span;
	}
	if (good)
		json_put(&w, refs);
	good = good && buf_ok(&text);
	if (good)
		*ret_refs = arena_copy(mem, buf_str(&text));
	buf_release(&text);
	return good;
}

enum pawl_rc
afar_state_make(const struct run *r, const char *name, struct arena *mem,
	const char **ret_path, struct pawl_err *err)
{
	const struct fs *fs = r->place->fs;
	int fd = -1;
	enum pawl_rc rc = fs_make_dir(fs, r->dir, "drivers", err);

	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, r->dir, "drivers", &fd, err);
	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, fd, name, err);
	fs_close(fs, &fd);
	if (rc == PAWL_OK)
		*ret_path = arena_format(mem, "%s/runs/" STR_FMT "/drivers/%s",
			r->place->state_path, STR_ARG(r->id), name)
				    .ptr;
	return rc;
}

/* The conversation with an attempt's driver; one a driver, begun when needed.
 */
static enum pawl_rc
client_of(struct pilot *p, uint32_t attempt, struct driver_client **ret_client,
	struct pawl_err *err)
{
	struct str name = pilot_attempt(p, attempt)->driver;
	struct driver_client *c = NULL;
	enum pawl_rc rc;

	for (int i = 0; i < PILOT_DRIVERS_MAX; i++) {
		*ret_client = &p->drivers[i];
		if ((*ret_client)->name == NULL)
			c = c == NULL ? *ret_client : c;
		else if (str_eq(str_from((*ret_client)->name), name))
			return PAWL_OK;
	}
	if (c == NULL) {
		c = &p->drivers[PILOT_DRIVERS_MAX - 1];
		driver_client_close(c);
	}
	rc = driver_client_find(c, name, &p->keep, err);
	if (rc == PAWL_OK)
		rc = afar_state_make(p->run, c->name, &p->keep, &c->state, err);
	if (rc == PAWL_OK)
		c->dir = p->repo.top;
	else
		*c = (struct driver_client){ 0 };
	*ret_client = c;
	return rc;
}

/* Begin a question about an attempt; `refs` is empty when none are known. */
static enum pawl_rc
say(struct pilot *p, uint32_t attempt, enum driver_op op, struct str refs,
	struct driver_talk *t, struct pawl_err *err)
{
	struct driver_client *c;
	enum pawl_rc rc = client_of(p, attempt, &c, err);

	if (rc != PAWL_OK)
		return rc;
	driver_say(t, c, op);
	json_pair_str(&t->w, STR("attempt"), pilot_attempt_id(p, attempt));
	if (refs.len > 0) {
		json_key(&t->w, STR("refs"));
		json_put_raw(&t->w, refs);
	}
	return PAWL_OK;
}

static enum pawl_rc
wrong(struct pilot *p, uint32_t attempt, const char *op, const char *what,
	struct pawl_err *err)
{
	return pawl_fail(err, ERR_DRIVER_UNKNOWN,
		"driver '" STR_FMT "', %s of '" STR_FMT "': %s",
		STR_ARG(pilot_attempt(p, attempt)->driver), op,
		STR_ARG(pilot_attempt_id(p, attempt)), what);
}

/* A text of theirs, as one line of ours. */
static struct str
one_line(struct pilot *p, struct str text)
{
	struct str rest = text;

	return arena_copy(&p->mem,
		utf8_cut(str_trim(str_cut(&rest, '\n')), REASON_BYTES));
}

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
	if (list->count < SERVE_REFS_MAX && what.len > 0)
		list->items[list->count++] = arena_format(&p->mem,
			STR_FMT "%s" STR_FMT "%s" STR_FMT,
			STR_ARG(one_line(p, what)), instead.len > 0 ? ": " : "",
			STR_ARG(one_line(p, instead)),
			why.len > 0 ? ", since " : "",
			STR_ARG(one_line(p, why)));
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
		for (uint32_t i = 0; i < list->count; i++, v += v->span)
			degraded_add(p, begun,
				json_str(json_get(v, STR("capability"))),
				json_str(json_get(v, STR("alternative"))),
				json_str(json_get(v, STR("reason"))));
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
		c->lacks.items[c->lacks.count++] = one_line(p, json_str(v));
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
	enum pawl_rc rc = say(p, attempt, DRIVER_START, STR(""), &t, err);

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
		return wrong(p, attempt, "start", "no references", err);
	gate = json_str(json_get(answer, STR("gate")));
	if (!str_eq(gate, STR("closed")) && !str_eq(gate, STR("none")))
		return wrong(p, attempt, "start", "no gate", err);
	degraded_read(p, answer, ret_begun);
	confined_read(p, answer, ret_begun);
	rc = match(p, attempt, answer, err);
	return rc == PAWL_OK
		? confined_enough(p, &ret_begun->confined, attempt, err)
		: rc;
}

enum pawl_rc
afar_open(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct json *answer;
	struct driver_talk t;
	enum pawl_rc rc = say(p, attempt, DRIVER_OPEN,
		pilot_attempt(p, attempt)->refs, &t, err);

	if (rc != PAWL_OK)
		return rc;
	json_pair_str(&t.w, STR("retry_id"), afar_identity(p, attempt));
	return driver_ask(&t, &p->mem, &answer, err);
}

/* Into the outbox, as if its worker had put it there. */
static enum pawl_rc
take_result(struct pilot *p, int dir, uint32_t attempt, const struct json *v,
	struct pawl_err *err)
{
	struct str bytes = json_str(json_get(v, STR("bytes")));
	char hex[SHA256_HEX + 1];
	bool again;
	enum pawl_rc rc;

	sha256_hex(bytes, hex);
	if (bytes.len == 0 || bytes.len > SERVE_RESULT_BYTES ||
		!str_eq(json_str(json_get(v, STR("sha256"))), str_from(hex)))
		return wrong(p, attempt, "poll",
			"a result whose bytes aren't those of its digest", err);
	rc = outbox_put(
		p->run->place->fs, dir, OUTBOX_REPORT, bytes, &again, err);
	/* The first one counts; ours lies beside it. */
	return rc != PAWL_OK && err->code == ERR_DELIVERY_CONFLICT ? PAWL_OK
								   : rc;
}

static enum pawl_rc
take_question(struct pilot *p, int dir, uint32_t attempt, const struct json *v,
	struct pawl_err *err)
{
	const struct ask_doc doc = { .attempt_id = pilot_attempt_id(p, attempt),
		.kind = ASK_QUESTION,
		.text = json_str(json_get(v, STR("text"))) };
	struct buf bytes = { 0 };
	uint32_t number;
	bool again;
	enum pawl_rc rc = ask_doc_write(&doc, &bytes, err);

	if (rc == PAWL_OK)
		rc = outbox_ask(p->run->place->fs, dir, buf_str(&bytes),
			&number, &again, err);
	else
		rc = wrong(
			p, attempt, "poll", "a question without a text", err);
	buf_release(&bytes);
	return rc;
}

typedef enum pawl_rc take_fn(struct pilot *p, int dir, uint32_t attempt,
	const struct json *v, struct pawl_err *err);

/* Each of a list, into the outbox; one that its worker spoilt holds nothing up,
 * since who looks into it is told. */
static enum pawl_rc
take_all(struct pilot *p, uint32_t attempt, const struct json *list,
	take_fn *take, struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	struct str id = pilot_attempt_id(p, attempt);
	const struct json *v;
	int dir = -1;
	enum pawl_rc rc;

	if (list == NULL || list->kind != JSON_ARRAY || list->count == 0)
		return PAWL_OK;
	rc = outbox_make(fs, p->run->dir, id, err);
	if (rc == PAWL_OK)
		rc = outbox_enter(fs, p->run->dir, id, &dir, err);
	v = json_first(list);
	for (uint32_t i = 0; rc == PAWL_OK && i < list->count; i++) {
		rc = take(p, dir, attempt, v, err);
		v += v->span;
	}
	fs_close(fs, &dir);
	return rc != PAWL_OK && is_outbox_spoilt(err) ? PAWL_OK : rc;
}

static uint64_t
count_of(const struct json *v, struct str key)
{
	int64_t n = json_int(json_get(v, key));

	return n > 0 ? (uint64_t)n : 0;
}

static bool
exit_of(struct pilot *p, const struct json *v, struct exit_facts *x)
{
	const struct json *code = json_get(v, STR("exit"));
	const struct json *signo = json_get(v, STR("signal"));
	struct str failed = json_str(json_get(v, STR("start_failed")));

	*x = (struct exit_facts){ .trace = EXIT_TRACE_ENDED,
		.survivors = count_of(v, STR("survivors")) };
	if (json_bool(json_get(v, STR("timeout")))) {
		x->kind = EXIT_TIMEOUT;
	} else if (failed.len > 0) {
		x->kind = EXIT_START_FAILED;
		x->message = one_line(p, failed);
	} else if (signo != NULL && json_int(signo) > 0) {
		x->kind = EXIT_SIGNAL;
		x->code = (uint64_t)json_int(signo);
	} else if (code != NULL && code->kind == JSON_INT &&
		json_int(code) >= 0) {
		x->kind = EXIT_CODE;
		x->code = (uint64_t)json_int(code);
	} else {
		return false;
	}
	return true;
}

static bool
state_of(struct str word, enum afar_state *ret_state)
{
	static const struct {
		const char *word;
		enum afar_state state;
	} states[] = { { "running", AFAR_RUNNING }, { "exited", AFAR_EXITED },
		{ "gone", AFAR_GONE } };

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if (str_eq(word, str_from(states[i].word))) {
			*ret_state = states[i].state;
			return true;
		}
	}
	return false;
}

enum pawl_rc
afar_poll(struct pilot *p, uint32_t attempt, struct afar_watch *w,
	struct afar_polled *ret_polled, struct pawl_err *err)
{
	struct afar_polled polled = { .state = AFAR_RUNNING };
	const struct json *answer = NULL;
	struct driver_talk t;
	struct str cursor;
	enum pawl_rc rc = say(p, attempt, DRIVER_POLL,
		pilot_attempt(p, attempt)->refs, &t, err);

	if (rc != PAWL_OK)
		return rc;
	json_pair_str(&t.w, STR("cursor"), str_from(w->cursor));
	json_pair_u64(&t.w, STR("wait_ms"), 0);
	rc = driver_ask(&t, &p->mem, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	cursor = json_str(json_get(answer, STR("cursor")));
	if (!state_of(json_str(json_get(answer, STR("state"))), &polled.state))
		return wrong(p, attempt, "poll", "no state", err);
	if (cursor.len > SERVE_CURSOR_BYTES)
		return wrong(
			p, attempt, "poll", "a cursor over its limit", err);
	if (polled.state == AFAR_EXITED &&
		!exit_of(p, json_get(answer, STR("exit")), &polled.exit))
		return wrong(
			p, attempt, "poll", "an end without its exit", err);
	rc = take_all(
		p, attempt, json_get(answer, STR("results")), take_result, err);
	if (rc == PAWL_OK)
		rc = take_all(p, attempt, json_get(answer, STR("questions")),
			take_question, err);
	if (rc != PAWL_OK)
		return rc;
	/* Only what is safe with us counts as read. */
	polled.news = !str_eq(cursor, str_from(w->cursor));
	memcpy(w->cursor, cursor.ptr, cursor.len);
	w->cursor[cursor.len] = '\0';
	*ret_polled = polled;
	return PAWL_OK;
}

enum pawl_rc
afar_release(struct pilot *p, uint32_t attempt, struct str refs,
	bool *ret_released, struct str *ret_why, struct pawl_err *err)
{
	const struct json *answer = NULL;
	struct driver_talk t;
	struct str word, proof;
	enum pawl_rc rc = say(p, attempt, DRIVER_RELEASE, refs, &t, err);

	if (rc != PAWL_OK)
		return rc;
	json_pair_str(&t.w, STR("key"),
		arena_format(&p->mem, STR_FMT "/release",
			STR_ARG(afar_identity(p, attempt))));
	rc = driver_ask(&t, &p->mem, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	word = json_str(json_get(answer, STR("released")));
	proof = one_line(p, json_str(json_get(answer, STR("proof"))));
	*ret_released =
		str_eq(word, STR("released")) || str_eq(word, STR("already"));
	if (!*ret_released && !str_eq(word, STR("unproven")))
		return wrong(p, attempt, "release", "no outcome", err);
	*ret_why = arena_format(&p->mem,
		"driver '" STR_FMT "' says: " STR_FMT "%s" STR_FMT,
		STR_ARG(pilot_attempt(p, attempt)->driver), STR_ARG(word),
		proof.len > 0 ? ", " : "", STR_ARG(proof));
	return PAWL_OK;
}

enum pawl_rc
afar_reconcile(struct pilot *p, uint32_t attempt,
	enum afar_presence *ret_presence, struct str *ret_refs,
	struct pawl_err *err)
{
	struct str refs = pilot_attempt(p, attempt)->refs, word;
	struct str id = pilot_attempt_id(p, attempt);
	const struct json *answer = NULL, *list, *v;
	struct driver_client *c;
	struct driver_talk t;
	enum pawl_rc rc = client_of(p, attempt, &c, err);

	if (rc != PAWL_OK)
		return rc;
	driver_say(&t, c, DRIVER_RECONCILE);
	json_key(&t.w, STR("attempts"));
	json_open(&t.w, '[');
	json_open(&t.w, '{');
	json_pair_str(&t.w, STR("attempt"), id);
	json_pair_str(&t.w, STR("retry_id"), afar_identity(p, attempt));
	json_key(&t.w, STR("refs"));
	json_put_raw(&t.w, refs.len > 0 ? refs : STR("{}"));
	json_close(&t.w, '}');
	json_close(&t.w, ']');
	rc = driver_ask(&t, &p->mem, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	list = json_get(answer, STR("attempts"));
	v = list != NULL && list->kind == JSON_ARRAY && list->count == 1
		? json_first(list)
		: NULL;
	word = json_str(json_get(v, STR("state")));
	if (!str_eq(json_str(json_get(v, STR("attempt"))), id))
		return wrong(p, attempt, "reconcile", "another attempt", err);
	*ret_presence = str_eq(word, STR("absent")) ? AFAR_ABSENT
		: str_eq(word, STR("present"))      ? AFAR_PRESENT
						    : AFAR_UNKNOWN;
	if (*ret_presence == AFAR_PRESENT &&
		!afar_refs_read(json_get(v, STR("refs")), &p->mem, ret_refs))
		return wrong(p, attempt, "reconcile", "no references", err);
	return PAWL_OK;
}
