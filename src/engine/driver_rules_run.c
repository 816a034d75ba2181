#include "engine/driver_rules.h"

#include "base/sha256.h"
#include "model/capability.h"

bool
rule_says_nothing_new(struct driver_kit *k)
{
	const struct json *first, *second;
	struct kit_attempt *a;
	struct str cursor;

	if (!kit_begin(k, KIT_LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")) ||
		!kit_poll(k, a, STR(""), &first))
		return false;
	if (!rule_is_word(kit_word(k, first, "state"), "running"))
		return kit_fail(k, "a worker that runs isn't 'running'");
	kit_pause(k, KIT_SETTLE_MS);
	cursor = kit_word(k, first, "cursor");
	return kit_poll(k, a, cursor, &second) &&
		(str_eq(kit_word(k, second, "cursor"), cursor) ||
			kit_fail(k, "nothing is new, and its cursor moved"));
}

bool
rule_shows_signs_of_life(struct driver_kit *k)
{
	static const char *const names[] = { "output_ms", "heartbeat_ms",
		"cpu_ms" };
	const struct json *answer, *life;
	struct kit_attempt *a;
	uint32_t shown = 0;

	if (!kit_begin(k, KIT_LONG, &a) || !kit_poll(k, a, STR(""), &answer))
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
	if (!rule_is_word(kit_word(k, answer, "state"), "exited") ||
		end == NULL)
		return kit_fail(k, "an end as '%s' isn't told so", name);
	return (end->kind == JSON_BOOL ? json_bool(end) == (value != 0)
				       : json_int(end) == value) ||
		kit_fail(k, "an end as '%s' %d is told as %d", name, (int)value,
			(int)json_int(end));
}

bool
rule_tells_how_it_ended(struct driver_kit *k)
{
	return ends_as(k, KIT_QUICK, 0, "exit", 0) &&
		ends_as(k, KIT_RAN "exit 7", 0, "exit", 7) &&
		ends_as(k, KIT_RAN "kill -9 $$", 0, "signal", 9);
}

bool
rule_ends_it_at_its_deadline(struct driver_kit *k)
{
	return ends_as(k, KIT_RAN "sleep 5", 1000, "timeout", 1);
}

/* The text that its worker hands in. */
bool
rule_brings_results(struct driver_kit *k)
{
	static const char *const text = "{\"kit\":1}";
	const struct json *first, *second, *list, *v;
	struct kit_attempt *a;
	char hex[SHA256_HEX + 1];
	struct str bytes;

	if (!kit_begin(k,
		    KIT_RAN
		    "printf '{\"kit\":1}' >\"$PAWL_OUTBOX/report.json\"",
		    &a) ||
		!kit_await(k, a, &first))
		return false;
	list = json_get(first, STR("results"));
	if (list == NULL || list->kind != JSON_ARRAY || list->count != 1)
		return kit_fail(k, "it brought no result, or several");
	v = json_first(list);
	bytes = kit_word(k, v, "bytes");
	sha256_hex(bytes, hex);
	if (!rule_is_word(bytes, text))
		return kit_fail(k, "its result has other bytes");
	if (!rule_is_word(kit_word(k, v, "sha256"), hex))
		return kit_fail(k, "the digest isn't that of the bytes");
	if (!kit_poll(k, a, kit_word(k, first, "cursor"), &second))
		return false;
	list = json_get(second, STR("results"));
	return list == NULL || list->count == 0 ||
		kit_fail(k, "it brought a result that was read");
}

bool
rule_releases_what_runs(struct driver_kit *k)
{
	const struct json *answer;
	struct kit_attempt *a;
	struct driver_talk t;
	struct pawl_err err;
	struct str word = { "", 0 };

	if (!kit_begin(k, KIT_LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")) ||
		!kit_release(k, a, a->refs, &word))
		return false;
	if (!rule_is_word(word, "released"))
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
	return !rule_is_word(kit_word(k, answer, "state"), "running") ||
		kit_fail(k, "it says released, and then running");
}

bool
rule_releases_again(struct driver_kit *k)
{
	const struct json *end;
	struct kit_attempt *a;
	struct str word = { "", 0 };

	return kit_begin(k, KIT_QUICK, &a) && kit_await(k, a, &end) &&
		kit_release(k, a, a->refs, &word) &&
		(!rule_is_word(word, "unproven") ||
			kit_fail(k, "it can't release what ended")) &&
		kit_release(k, a, a->refs, &word) &&
		(!rule_is_word(word, "unproven") ||
			kit_fail(k, "asked again it can't prove it"));
}

/* Only started: it has nothing that runs, and nothing runs later. */
bool
rule_releases_what_never_began(struct driver_kit *k)
{
	struct kit_attempt *a;
	struct str word = { "", 0 };

	if (!kit_make(k, KIT_QUICK, &a) || !kit_start(k, a) ||
		!kit_release(k, a, a->refs, &word))
		return false;
	if (rule_is_word(word, "unproven"))
		return kit_fail(k, "it can't release what never began");
	kit_pause(k, KIT_SETTLE_MS);
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
bool
rule_leaves_alone_what_isnt_its_own(struct driver_kit *k)
{
	const struct json *answer;
	struct kit_attempt *a;
	struct str other;

	if (!kit_begin(k, KIT_LONG, &a) ||
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
			rule_is_word(kit_word(k, said, "released"), "released"))
			return kit_fail(
				k, "with other references it released it");
		if (!kit_poll(k, a, STR(""), &answer))
			return false;
		if (!rule_is_word(kit_word(k, answer, "state"), "running"))
			return kit_fail(k, "with other references it ended it");
	}
	return true;
}

bool
rule_leaves_no_descendants(struct driver_kit *k)
{
	const struct json *end;
	struct kit_attempt *a;

	if (!capability_has(k->capabilities, CAP_PROCESS_TREE_CLEANUP))
		return kit_skip(k, "it doesn't clean process trees up");
	if (!k->local)
		return kit_skip(k, "its workers can't be seen from here");
	if (!kit_begin(k, KIT_RAN "sleep 60 & echo $! >child", &a) ||
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

bool
rule_sends_once(struct driver_kit *k)
{
	const struct json *first, *second, *delivered;
	struct kit_attempt *a;
	struct driver_talk t;

	if (!kit_begin(k, KIT_LONG, &a) || !send_once(k, a, "hello", &first) ||
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
	struct str state = { "", 0 };

	return kit_reconcile(k, a, refs, &state) &&
		(rule_is_word(state, want) ||
			kit_fail(k, "%s is " STR_FMT ", not %s", what,
				STR_ARG(state), want));
}

bool
rule_proves_absence(struct driver_kit *k)
{
	struct kit_attempt *never, *a;
	struct str word = { "", 0 };

	return kit_make(k, KIT_QUICK, &never) &&
		is_found_as(k, never, STR(""), "absent",
			"what was never started") &&
		kit_begin(k, KIT_LONG, &a) &&
		is_found_as(k, a, STR(""), "present",
			"what runs, by its identity,") &&
		is_found_as(k, a, a->refs, "present", "what runs") &&
		kit_release(k, a, a->refs, &word) &&
		is_found_as(k, a, a->refs, "absent", "what was released");
}

/* What it never made can't be proven absent. */
bool
rule_doesnt_prove_what_it_doesnt_know(struct driver_kit *k)
{
	struct kit_attempt *a, *other;
	struct str state = { "", 0 };

	if (!kit_begin(k, KIT_LONG, &a) || !kit_make(k, KIT_QUICK, &other))
		return false;
	/* The references of one, under the identity of another. */
	return kit_reconcile(k, other, a->refs, &state) &&
		(!rule_is_word(state, "absent") ||
			kit_fail(k,
				"what runs is absent under another"
				" identity"));
}

static bool
lets_workers_live_on(struct driver_kit *k, bool killed)
{
	const struct json *answer;
	struct kit_attempt *a;

	if (!kit_begin(k, KIT_LONG, &a) ||
		(k->local && !kit_await_line(k, a, "child")))
		return false;
	if (killed)
		driver_client_kill(&k->client);
	else
		coproc_close(&k->client.child);
	kit_pause(k, KIT_SETTLE_MS); /* what was told to end, ends */
	if (k->local && !kit_lives(k, a, "worker"))
		return kit_fail(k, "its worker ended with it");
	if (!kit_poll(k, a, STR(""), &answer))
		return false;
	return rule_is_word(kit_word(k, answer, "state"), "running") ||
		kit_fail(k, "another process doesn't find what runs");
}

bool
rule_lets_workers_live_on_at_its_end(struct driver_kit *k)
{
	return lets_workers_live_on(k, false);
}

bool
rule_lets_workers_live_on_when_killed(struct driver_kit *k)
{
	return lets_workers_live_on(k, true);
}
