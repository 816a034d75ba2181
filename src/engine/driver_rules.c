#include "engine/driver_rules.h"

#include <string.h>

#include "engine/afar_talk.h"
#include "engine/driver.h"

bool
rule_is_word(struct str word, const char *want)
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
	return rule_is_word(kit_word(k, json_get(answer, STR("error")), "code"),
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
	kit_pause(k, KIT_SETTLE_MS);
	return coproc_is_ready(&k->client.child, UINT64_MAX) ||
		kit_fail(k, "it said something, or ended, unasked");
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
	struct str first = { "", 0 }, second = { "", 0 };

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
	return rule_is_word(json_str(v), "/bin/sh") &&
		rule_is_word(json_str(v + 1), "-c") &&
		rule_is_word(json_str(v + 2), script);
}

static bool
starts_what_was_asked_for(struct driver_kit *k)
{
	const struct json *answer, *profile;
	struct kit_attempt *a;
	struct driver_talk t;

	if (!kit_make(k, KIT_QUICK, &a) || !kit_start(k, a))
		return false;
	kit_say_start(k, a, &t);
	if (!kit_ask(k, &t, &answer))
		return false;
	profile = json_get(answer, STR("profile"));
	if (!rule_is_word(kit_word(k, profile, "name"), "command") ||
		!has_words(json_get(profile, STR("argv")), a->script))
		return kit_fail(k, "its profile is another");
	return rule_is_word(
		       kit_word(k, json_get(answer, STR("placement")), "path"),
		       a->workspace) ||
		kit_fail(k, "its placement is another");
}

/* See it through; a second worker had its time, too. */
static bool
ran_once(struct driver_kit *k, const struct kit_attempt *a)
{
	const struct json *end;
	uint32_t ran;

	if (!kit_await(k, a, &end))
		return false;
	kit_pause(k, KIT_SETTLE_MS);
	ran = kit_lines(k, a, "ran");
	return ran == 1 || kit_fail(k, "its worker ran %u times", ran);
}

/* The same identity: the same references, and one worker. */
static bool
starts_once(struct driver_kit *k, struct kit_attempt *a)
{
	struct str refs = a->refs;

	if (!kit_start(k, a))
		return false;
	if (!str_eq(refs, a->refs))
		return kit_fail(k, "asked again its references are others");
	return kit_open(k, a) && ran_once(k, a);
}

static bool
starts_the_same_again(struct driver_kit *k)
{
	struct kit_attempt *a;

	return kit_make(k, KIT_QUICK, &a) && kit_start(k, a) &&
		starts_once(k, a);
}

/* What can't be there any more, since it ended with the one that made it, may
 * be made once more; nothing runs twice. */
static bool
starts_once_through(struct driver_kit *k, bool killed)
{
	struct kit_attempt *a;

	if (!kit_make(k, KIT_QUICK, &a) || !kit_start(k, a))
		return false;
	if (killed)
		driver_client_kill(&k->client);
	else
		coproc_close(&k->client.child);
	return kit_start(k, a) && kit_open(k, a) && ran_once(k, a);
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

	if (!kit_make(k, KIT_QUICK, &a) || !kit_start(k, a))
		return false;
	a->script = KIT_RAN "exit 3";
	kit_say_start(k, a, &t);
	return kit_refused(k, &t, ERR_DRIVER_CONFLICT,
		"the same identity with another command");
}

static bool
keeps_its_gate(struct driver_kit *k)
{
	struct kit_attempt *a;

	if (!kit_make(k, KIT_QUICK, &a) || !kit_start(k, a))
		return false;
	if (!a->gated)
		return kit_skip(k, "it says that it has no gate");
	if (!k->local)
		return kit_skip(k, "its workers can't be seen from here");
	kit_pause(k, KIT_SETTLE_MS);
	if (kit_lines(k, a, "ran") != 0)
		return kit_fail(k, "its worker ran before 'open'");
	if (!kit_open(k, a))
		return false;
	return kit_open(k, a) && ran_once(k, a);
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
	{ "nothing new is the same cursor", true, rule_says_nothing_new },
	{ "signs of life are numbers", true, rule_shows_signs_of_life },
	{ "an exit status and a signal are told as they were", true,
		rule_tells_how_it_ended },
	{ "a deadline ends the worker, and is told", true,
		rule_ends_it_at_its_deadline },
	{ "a result is brought once, with its digest", true,
		rule_brings_results },
	{ "a worker that runs is released, and gone", true,
		rule_releases_what_runs },
	{ "what ended is released, and again", true, rule_releases_again },
	{ "what never began is released", true,
		rule_releases_what_never_began },
	{ "references that name another process end nothing", true,
		rule_leaves_alone_what_isnt_its_own },
	{ "no process outlives its worker", true, rule_leaves_no_descendants },
	{ "a message is sent once a key", true, rule_sends_once },
	{ "absence is proven, and presence found", true, rule_proves_absence },
	{ "what runs is absent under no identity", true,
		rule_doesnt_prove_what_it_doesnt_know },
	{ "workers live on when it ends", true,
		rule_lets_workers_live_on_at_its_end },
	{ "workers live on when it is killed", true,
		rule_lets_workers_live_on_when_killed },
	{ NULL, false, NULL },
};
