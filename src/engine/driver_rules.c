#include "engine/driver_kit.h"

#include <string.h>

#include "base/sha256.h"
#include "engine/afar_talk.h"
#include "engine/driver.h"
#include "model/capability.h"

/* Workers, for sh; each says first that it ran. */
#define RAN "cat >/dev/null; echo ran >>ran; "
#define QUICK RAN "exit 0"
#define LONG RAN "echo $$ >worker; sleep 60 & echo $! >child; wait"

enum { SETTLE_MS = 300 };

static bool
is_word(struct str word, const char *want)
{
	return str_eq(word, str_from(want));
}

static bool
describes_itself(struct driver_kit *k)
{
	const struct json *said;
	struct pawl_err err;

	return driver_describe(&k->client, &k->mem, &said, &err) == PAWL_OK ||
		kit_fail(k, "%s", err.msg);
}

/* Ask with raw bytes for an error with this code, or for an answer. */
static bool
raw(struct driver_kit *k, struct str line, const char *code)
{
	const struct json *answer;
	struct pawl_err err;

	if (driver_ask_raw(&k->client, line, &k->mem, &answer, &err) != PAWL_OK)
		return kit_fail(k, "%s", err.msg);
	if (code == NULL)
		return json_bool(json_get(answer, STR("ok"))) ||
			kit_fail(k, "it is refused");
	if (json_bool(json_get(answer, STR("ok"))))
		return kit_fail(k, "it is answered as if it were good");
	return is_word(kit_word(k, json_get(answer, STR("error")), "code"),
		       code) ||
		kit_fail(k, "the error isn't '%s'", code);
}

static bool
repeats_the_id(struct driver_kit *k)
{
	const struct json *answer;
	struct pawl_err err;

	if (driver_ask_raw(&k->client,
		    STR("{\"v\":1,\"id\":987654321,\"op\":\"describe\"}"),
		    &k->mem, &answer, &err) != PAWL_OK)
		return kit_fail(k, "%s", err.msg);
	return json_int(json_get(answer, STR("id"))) == 987654321 ||
		kit_fail(k, "the answer to 987654321 has another id");
}

static bool
passes_over_unknown_members(struct driver_kit *k)
{
	return raw(k,
		STR("{\"v\":1,\"id\":1,\"op\":\"describe\",\"later\":"
		    "{\"version\":[2]}}"),
		NULL);
}

static bool
says_that_it_cant(struct driver_kit *k)
{
	return raw(k, STR("{\"v\":1,\"id\":2,\"op\":\"no-such-operation\"}"),
		       "unsupported") &&
		describes_itself(k);
}

static bool
says_that_a_request_is_broken(struct driver_kit *k)
{
	return raw(k, STR("{\"v\":1,\"id\":3,\"op\""), "invalid") &&
		raw(k, STR("{\"v\":2,\"id\":4,\"op\":\"describe\"}"),
			"invalid") &&
		describes_itself(k);
}

/* As long as a line may be. */
static bool
takes_a_long_line(struct driver_kit *k)
{
	struct buf line = { 0 };
	bool kept;

	buf_add(&line, STR("{\"v\":1,\"id\":5,\"op\":\"describe\",\"pad\":\""));
	memset(buf_reserve(&line, SERVE_LINE_BYTES), 'x', SERVE_LINE_BYTES);
	line.len = SERVE_LINE_BYTES - 3;
	buf_add(&line, STR("\"}"));
	kept = raw(k, buf_str(&line), NULL);
	buf_release(&line);
	return kept;
}

static bool
is_ready_once(struct driver_kit *k, struct str *ret_refs)
{
	const struct json *answer;
	struct driver_talk t;

	driver_say(&t, &k->client, DRIVER_SELECT);
	json_pair_str(&t.w, STR("retry_id"),
		arena_format(&k->mem, STR_FMT "/driver-1", STR_ARG(k->prefix)));
	json_pair_str(&t.w, STR("run"), k->prefix);
	json_pair_str(&t.w, STR("repository"), str_from(k->client.dir));
	json_pair_str(&t.w, STR("base"), str_from(k->base));
	if (!kit_ask(k, &t, &answer))
		return false;
	if (!json_bool(json_get(answer, STR("ready"))))
		return kit_fail(k, "it isn't ready");
	*ret_refs = STR("");
	return json_get(answer, STR("refs")) == NULL ||
		afar_refs_read(
			json_get(answer, STR("refs")), &k->mem, ret_refs) ||
		kit_fail(k, "its references aren't flat");
}

static bool
selects_the_same_again(struct driver_kit *k)
{
	struct str first, second;

	return is_ready_once(k, &first) && is_ready_once(k, &second) &&
		(str_eq(first, second) ||
			kit_fail(k, "asked again its references are others"));
}

static bool
has_words(const struct json *list, const char *script)
{
	const struct json *v;

	if (list == NULL || list->kind != JSON_ARRAY || list->count != 3)
		return false;
	v = json_first(list);
	return is_word(json_str(v), "/bin/sh") &&
		is_word(json_str(v + 1), "-c") &&
		is_word(json_str(v + 2), script);
}

static bool
starts_what_was_asked_for(struct driver_kit *k)
{
	const struct json *answer, *profile;
	struct kit_attempt *a;
	struct driver_talk t;

	if (!kit_make(k, QUICK, &a) || !kit_start(k, a))
		return false;
	kit_say_start(k, a, &t);
	if (!kit_ask(k, &t, &answer))
		return false;
	profile = json_get(answer, STR("profile"));
	if (!is_word(kit_word(k, profile, "name"), "command") ||
		!has_words(json_get(profile, STR("argv")), a->script))
		return kit_fail(k, "its profile is another");
	return is_word(kit_word(k, json_get(answer, STR("placement")), "path"),
		       a->workspace) ||
		kit_fail(k, "its placement is another");
}

/* The same identity: the same references, and one worker. */
static bool
starts_once(struct driver_kit *k, struct kit_attempt *a)
{
	struct str refs = a->refs;
	const struct json *end;

	if (!kit_start(k, a))
		return false;
	if (!str_eq(refs, a->refs))
		return kit_fail(k, "asked again its references are others");
	if (!kit_open(k, a) || !kit_await(k, a, &end))
		return false;
	return kit_lines(k, a, "ran") == 1 ||
		kit_fail(k, "its worker ran %u times", kit_lines(k, a, "ran"));
}

static bool
starts_the_same_again(struct driver_kit *k)
{
	struct kit_attempt *a;

	return kit_make(k, QUICK, &a) && kit_start(k, a) && starts_once(k, a);
}

/* What can't be there any more, since it ended with the one that made it, may
 * be made once more; nothing runs twice. */
static bool
starts_once_through(struct driver_kit *k, bool killed)
{
	struct kit_attempt *a;
	const struct json *end;
	uint32_t ran;

	if (!kit_make(k, QUICK, &a) || !kit_start(k, a))
		return false;
	if (killed)
		driver_client_kill(&k->client);
	else
		coproc_close(&k->client.child);
	if (!kit_start(k, a) || !kit_open(k, a) || !kit_await(k, a, &end))
		return false;
	ran = kit_lines(k, a, "ran");
	return ran == 1 || kit_fail(k, "its worker ran %u times", ran);
}

static bool
starts_the_same_by_another_process(struct driver_kit *k)
{
	return starts_once_through(k, false);
}

static bool
starts_the_same_after_a_kill(struct driver_kit *k)
{
	return starts_once_through(k, true);
}

static bool
refuses_another_content(struct driver_kit *k)
{
	struct kit_attempt *a;
	struct driver_talk t;

	if (!kit_make(k, QUICK, &a) || !kit_start(k, a))
		return false;
	a->script = RAN "exit 3";
	kit_say_start(k, a, &t);
	return kit_refused(k, &t, ERR_DRIVER_CONFLICT,
		"the same identity with another command");
}

static bool
keeps_its_gate(struct driver_kit *k)
{
	struct kit_attempt *a;
	const struct json *end;

	if (!kit_make(k, QUICK, &a) || !kit_start(k, a))
		return false;
	if (!a->gated)
		return kit_skip(k, "it says that it has no gate");
	if (!k->local)
		return kit_skip(k, "its workers can't be seen from here");
	kit_pause(k, SETTLE_MS);
	if (kit_lines(k, a, "ran") != 0)
		return kit_fail(k, "its worker ran before 'open'");
	return kit_open(k, a) && kit_open(k, a) && kit_await(k, a, &end) &&
		(kit_lines(k, a, "ran") == 1 ||
			kit_fail(k, "its worker ran %u times",
				kit_lines(k, a, "ran")));
}

static bool
says_nothing_new(struct driver_kit *k)
{
	const struct json *first, *second;
	struct kit_attempt *a;
	struct str cursor;

	if (!kit_begin(k, LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")) ||
		!kit_poll(k, a, STR(""), &first))
		return false;
	if (!is_word(kit_word(k, first, "state"), "running"))
		return kit_fail(k, "a worker that runs isn't 'running'");
	kit_pause(k, SETTLE_MS);
	cursor = kit_word(k, first, "cursor");
	return kit_poll(k, a, cursor, &second) &&
		(str_eq(kit_word(k, second, "cursor"), cursor) ||
			kit_fail(k, "nothing is new, and its cursor moved"));
}

static bool
shows_signs_of_life(struct driver_kit *k)
{
	static const char *const names[] = { "output_ms", "heartbeat_ms",
		"cpu_ms" };
	const struct json *answer, *life;
	struct kit_attempt *a;
	uint32_t shown = 0;

	if (!kit_begin(k, LONG, &a) || !kit_poll(k, a, STR(""), &answer))
		return false;
	life = json_get(answer, STR("life"));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct json *v = json_get(life, str_from(names[i]));

		if (v != NULL && (v->kind != JSON_INT || json_int(v) < 0))
			return kit_fail(k, "'%s' is no number of ms", names[i]);
		shown += v != NULL;
	}
	return shown > 0 || kit_skip(k, "it sees no sign of life");
}

/* How an end is told, for a script that ends so. */
static bool
ends_as(struct driver_kit *k, const char *script, uint64_t deadline_ms,
	const char *name, int64_t value)
{
	const struct json *answer, *end;
	struct kit_attempt *a;

	if (!kit_make(k, script, &a))
		return false;
	if (deadline_ms > 0)
		a->deadline_ms = deadline_ms;
	if (!kit_start(k, a) || !kit_open(k, a) || !kit_await(k, a, &answer))
		return false;
	end = json_get(json_get(answer, STR("exit")), str_from(name));
	if (!is_word(kit_word(k, answer, "state"), "exited") || end == NULL)
		return kit_fail(k, "an end as '%s' isn't told so", name);
	return (end->kind == JSON_BOOL ? json_bool(end) == (value != 0)
				       : json_int(end) == value) ||
		kit_fail(k, "an end as '%s' %d is told as %d", name, (int)value,
			(int)json_int(end));
}

static bool
tells_how_it_ended(struct driver_kit *k)
{
	return ends_as(k, QUICK, 0, "exit", 0) &&
		ends_as(k, RAN "exit 7", 0, "exit", 7) &&
		ends_as(k, RAN "kill -9 $$", 0, "signal", 9);
}

static bool
ends_it_at_its_deadline(struct driver_kit *k)
{
	return ends_as(k, RAN "sleep 5", 1000, "timeout", 1);
}

/* The text that its worker hands in. */
static bool
brings_results(struct driver_kit *k)
{
	static const char *const text = "{\"kit\":1}";
	const struct json *first, *second, *list, *v;
	struct kit_attempt *a;
	char hex[SHA256_HEX + 1];
	struct str bytes;

	if (!kit_begin(k,
		    RAN "printf '{\"kit\":1}' >\"$PAWL_OUTBOX/report.json\"",
		    &a) ||
		!kit_await(k, a, &first))
		return false;
	list = json_get(first, STR("results"));
	if (list == NULL || list->kind != JSON_ARRAY || list->count != 1)
		return kit_fail(k, "it brought no result, or several");
	v = json_first(list);
	bytes = kit_word(k, v, "bytes");
	sha256_hex(bytes, hex);
	if (!is_word(bytes, text))
		return kit_fail(k, "its result has other bytes");
	if (!is_word(kit_word(k, v, "sha256"), hex))
		return kit_fail(k, "the digest isn't that of the bytes");
	if (!kit_poll(k, a, kit_word(k, first, "cursor"), &second))
		return false;
	list = json_get(second, STR("results"));
	return list == NULL || list->count == 0 ||
		kit_fail(k, "it brought a result that was read");
}

static bool
releases_what_runs(struct driver_kit *k)
{
	const struct json *answer;
	struct kit_attempt *a;
	struct driver_talk t;
	struct pawl_err err;
	struct str word;

	if (!kit_begin(k, LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")) ||
		!kit_release(k, a, a->refs, &word))
		return false;
	if (!is_word(word, "released"))
		return kit_fail(k, "it released what runs as '" STR_FMT "'",
			STR_ARG(word));
	if (k->local && kit_lives(k, a, "worker"))
		return kit_fail(k, "it says released, and the worker lives");
	if (k->local && kit_lives(k, a, "child"))
		return kit_fail(k,
			"it says released, and a child of the"
			" worker lives");
	driver_say(&t, &k->client, DRIVER_POLL);
	json_pair_str(&t.w, STR("attempt"), a->id);
	json_key(&t.w, STR("refs"));
	json_put_raw(&t.w, a->refs);
	json_pair_str(&t.w, STR("cursor"), STR(""));
	json_pair_u64(&t.w, STR("wait_ms"), 0);
	if (driver_ask(&t, &k->mem, &answer, &err) != PAWL_OK)
		return err.code == ERR_DRIVER_LOST ||
			kit_fail(k, "%s", err.msg);
	return !is_word(kit_word(k, answer, "state"), "running") ||
		kit_fail(k, "it says released, and then running");
}

static bool
releases_again(struct driver_kit *k)
{
	const struct json *end;
	struct kit_attempt *a;
	struct str word;

	return kit_begin(k, QUICK, &a) && kit_await(k, a, &end) &&
		kit_release(k, a, a->refs, &word) &&
		(!is_word(word, "unproven") ||
			kit_fail(k, "it can't release what ended")) &&
		kit_release(k, a, a->refs, &word) &&
		(!is_word(word, "unproven") ||
			kit_fail(k, "asked again it can't prove it"));
}

/* Only started: it has nothing that runs, and nothing runs later. */
static bool
releases_what_never_began(struct driver_kit *k)
{
	struct kit_attempt *a;
	struct str word;

	if (!kit_make(k, QUICK, &a) || !kit_start(k, a) ||
		!kit_release(k, a, a->refs, &word))
		return false;
	if (is_word(word, "unproven"))
		return kit_fail(k, "it can't release what never began");
	kit_pause(k, SETTLE_MS);
	return !a->gated || kit_lines(k, a, "ran") == 0 ||
		kit_fail(k, "its worker ran");
}

/* The references with each number one more, in the order that they have. */
static struct str
altered(struct driver_kit *k, struct str refs, uint32_t which)
{
	const struct json *v, *key;
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	struct pawl_err err;
	struct str out = { "", 0 };
	uint32_t at = 0;

	if (json_read(&k->mem, arena_strdup(&k->mem, refs), refs.len,
		    JSON_STRICT, &v, &err) != PAWL_OK)
		return out;
	key = json_first(v);
	json_open(&w, '{');
	for (uint32_t i = 0; i < v->count; i++, key += 1 + (key + 1)->span) {
		bool is = key[1].kind == JSON_INT && at++ == which;

		json_key(&w, key->text);
		if (is) {
			json_put_i64(&w, json_int(key + 1) + 1);
			out = key->text;
		} else {
			json_put(&w, key + 1);
		}
	}
	json_close(&w, '}');
	if (out.len > 0)
		out = arena_copy(&k->mem, buf_str(&text));
	buf_release(&text);
	return out;
}

/* A process id is used again: who has it then isn't ours. */
static bool
leaves_alone_what_isnt_its_own(struct driver_kit *k)
{
	const struct json *answer;
	struct kit_attempt *a;
	struct str other;

	if (!kit_begin(k, LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")))
		return false;
	if (altered(k, a->refs, 0).len == 0)
		return kit_skip(k, "its references have no numbers");
	for (uint32_t i = 0; (other = altered(k, a->refs, i)).len > 0; i++) {
		const struct json *said;
		struct driver_talk t;
		struct pawl_err ignored;
		enum pawl_rc rc;

		driver_say(&t, &k->client, DRIVER_RELEASE);
		json_pair_str(&t.w, STR("attempt"), a->id);
		json_key(&t.w, STR("refs"));
		json_put_raw(&t.w, other);
		json_pair_str(&t.w, STR("key"),
			arena_format(&k->mem, STR_FMT "/other-%u",
				STR_ARG(a->identity), i));
		rc = driver_ask(&t, &k->mem, &said, &ignored);
		if (rc == PAWL_OK &&
			is_word(kit_word(k, said, "released"), "released"))
			return kit_fail(
				k, "with other references it released it");
		if (!kit_poll(k, a, STR(""), &answer))
			return false;
		if (!is_word(kit_word(k, answer, "state"), "running"))
			return kit_fail(k, "with other references it ended it");
	}
	return true;
}

static bool
leaves_no_descendants(struct driver_kit *k)
{
	const struct json *end;
	struct kit_attempt *a;

	if (!capability_has(k->capabilities, CAP_PROCESS_TREE_CLEANUP))
		return kit_skip(k, "it doesn't clean process trees up");
	if (!k->local)
		return kit_skip(k, "its workers can't be seen from here");
	if (!kit_begin(k, RAN "sleep 60 & echo $! >child", &a) ||
		!kit_await(k, a, &end))
		return false;
	return !kit_lives(k, a, "child") ||
		kit_fail(k, "it says exited, and a child of the worker lives");
}

static bool
send_once(struct driver_kit *k, const struct kit_attempt *a,
	const char *message, const struct json **ret_answer)
{
	struct driver_talk t;

	driver_say(&t, &k->client, DRIVER_SEND);
	json_pair_str(&t.w, STR("attempt"), a->id);
	json_key(&t.w, STR("refs"));
	json_put_raw(&t.w, a->refs);
	json_pair_str(&t.w, STR("message"), str_from(message));
	json_pair_str(&t.w, STR("key"), STR("kit-1"));
	return kit_ask(k, &t, ret_answer);
}

static bool
sends_once(struct driver_kit *k)
{
	const struct json *first, *second, *delivered;
	struct kit_attempt *a;
	struct driver_talk t;

	if (!kit_begin(k, LONG, &a) || !send_once(k, a, "hello", &first) ||
		!send_once(k, a, "hello", &second))
		return false;
	delivered = json_get(first, STR("delivered"));
	if (delivered == NULL || delivered->kind != JSON_BOOL)
		return kit_fail(k, "it doesn't say whether it was delivered");
	if (!json_bool(delivered))
		return kit_word(k, first, "reason").len > 0
			? kit_skip(k, "it delivers nothing")
			: kit_fail(k, "it doesn't say why it wasn't delivered");
	if (!json_bool(json_get(second, STR("delivered"))))
		return kit_fail(k, "asked again it wasn't delivered");
	driver_say(&t, &k->client, DRIVER_SEND);
	json_pair_str(&t.w, STR("attempt"), a->id);
	json_key(&t.w, STR("refs"));
	json_put_raw(&t.w, a->refs);
	json_pair_str(&t.w, STR("message"), STR("another"));
	json_pair_str(&t.w, STR("key"), STR("kit-1"));
	return kit_refused(k, &t, ERR_DRIVER_CONFLICT,
		"the same key with another message");
}

static bool
is_found_as(struct driver_kit *k, const struct kit_attempt *a, struct str refs,
	const char *want, const char *what)
{
	struct str state;

	return kit_reconcile(k, a, refs, &state) &&
		(is_word(state, want) ||
			kit_fail(k, "%s is " STR_FMT ", not %s", what,
				STR_ARG(state), want));
}

static bool
proves_absence(struct driver_kit *k)
{
	struct kit_attempt *never, *a;
	struct str word;

	return kit_make(k, QUICK, &never) &&
		is_found_as(k, never, STR(""), "absent",
			"what was never started") &&
		kit_begin(k, LONG, &a) &&
		is_found_as(k, a, STR(""), "present",
			"what runs, by its identity,") &&
		is_found_as(k, a, a->refs, "present", "what runs") &&
		kit_release(k, a, a->refs, &word) &&
		is_found_as(k, a, a->refs, "absent", "what was released");
}

/* What it never made can't be proven absent. */
static bool
doesnt_prove_what_it_doesnt_know(struct driver_kit *k)
{
	struct kit_attempt *a, *other;
	struct str state;

	if (!kit_begin(k, LONG, &a) || !kit_make(k, QUICK, &other))
		return false;
	/* The references of one, under the identity of another. */
	return kit_reconcile(k, other, a->refs, &state) &&
		(!is_word(state, "absent") ||
			kit_fail(k,
				"what runs is absent under another"
				" identity"));
}

static bool
lets_workers_live_on(struct driver_kit *k, bool killed)
{
	const struct json *answer;
	struct kit_attempt *a;

	if (!kit_begin(k, LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")))
		return false;
	if (killed)
		driver_client_kill(&k->client);
	else
		coproc_close(&k->client.child);
	kit_pause(k, SETTLE_MS); /* what was told to end, ends */
	if (k->local && !kit_lives(k, a, "worker"))
		return kit_fail(k, "its worker ended with it");
	if (!kit_poll(k, a, STR(""), &answer))
		return false;
	return is_word(kit_word(k, answer, "state"), "running") ||
		kit_fail(k, "another process doesn't find what runs");
}

static bool
lets_workers_live_on_at_its_end(struct driver_kit *k)
{
	return lets_workers_live_on(k, false);
}

static bool
lets_workers_live_on_when_killed(struct driver_kit *k)
{
	return lets_workers_live_on(k, true);
}

/* An operation that makes nothing, so that it is there. */
static bool
ends_at_the_end_of_its_input(struct driver_kit *k)
{
	struct proc_end end;
	struct pawl_err err;

	if (!describes_itself(k))
		return false;
	if (coproc_end(&k->client.child, &end, &err) != PAWL_OK)
		return kit_fail(k, "%s", err.msg);
	if (end.kind == PROC_TIMEOUT)
		return kit_fail(k, "it still runs after 2 s");
	return (end.kind == PROC_EXIT && end.code == 0) ||
		kit_fail(k, "it ends with %s %d",
			end.kind == PROC_EXIT ? "status" : "signal", end.code);
}

static bool
says_nothing_unasked(struct driver_kit *k)
{
	if (!describes_itself(k))
		return false;
	kit_pause(k, SETTLE_MS);
	return coproc_is_ready(&k->client.child, UINT64_MAX) ||
		kit_fail(k, "it said something, or ended, unasked");
}

const struct kit_rule kit_rules[] = {
	{ "it describes itself, and names the nine capabilities", false,
		describes_itself },
	{ "an answer repeats the id of its question", false, repeats_the_id },
	{ "members that it doesn't know are passed over", false,
		passes_over_unknown_members },
	{ "an operation that it doesn't know is unsupported", false,
		says_that_it_cant },
	{ "a broken request is invalid, and the next one is answered", false,
		says_that_a_request_is_broken },
	{ "a line of 1 MiB is taken", false, takes_a_long_line },
	{ "it says nothing unasked", false, says_nothing_unasked },
	{ "it ends at the end of its input", false,
		ends_at_the_end_of_its_input },
	{ "it is ready, and selected once", false, selects_the_same_again },
	{ "it starts what was asked for, and proves profile and placement",
		true, starts_what_was_asked_for },
	{ "the same identity starts the same", true, starts_the_same_again },
	{ "the same identity starts the same by another process", true,
		starts_the_same_by_another_process },
	{ "killed before 'open', it starts one worker all the same", true,
		starts_the_same_after_a_kill },
	{ "the same identity with other content is a conflict", true,
		refuses_another_content },
	{ "nothing runs before 'open', which may be asked for again", true,
		keeps_its_gate },
	{ "nothing new is the same cursor", true, says_nothing_new },
	{ "signs of life are numbers", true, shows_signs_of_life },
	{ "an exit status and a signal are told as they were", true,
		tells_how_it_ended },
	{ "a deadline ends the worker, and is told", true,
		ends_it_at_its_deadline },
	{ "a result is brought once, with its digest", true, brings_results },
	{ "a worker that runs is released, and gone", true,
		releases_what_runs },
	{ "what ended is released, and again", true, releases_again },
	{ "what never began is released", true, releases_what_never_began },
	{ "references that name another process end nothing", true,
		leaves_alone_what_isnt_its_own },
	{ "no process outlives its worker", true, leaves_no_descendants },
	{ "a message is sent once a key", true, sends_once },
	{ "absence is proven, and presence found", true, proves_absence },
	{ "what runs is absent under no identity", true,
		doesnt_prove_what_it_doesnt_know },
	{ "workers live on when it ends", true,
		lets_workers_live_on_at_its_end },
	{ "workers live on when it is killed", true,
		lets_workers_live_on_when_killed },
	{ NULL, false, NULL },
};
