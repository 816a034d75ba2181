/*
 * Who may coordinate a run: which claim, transfer, takeover, resume and
 * selection is decided in which state, and what no version wrote.  C033, C036,
 * C049, C051.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "model/capability.h"
#include "model/handover.h"
#include "run_fixture.h"

static const struct plan_row rows[] = { { .id = "A", .paths = "src" } };

enum { STEPS_MAX = 6 };

typedef void twist_fn(struct command *cmd);

#define TWIST(name, change)                 \
	static void name(struct command *c) \
	{                                   \
		change;                     \
	}

TWIST(plain, (void)c)
TWIST(stale, c->gen--)
TWIST(from_the_future, c->gen++)
TWIST(by_human, c->actor = ACTOR_HUMAN)
TWIST(to_c2, EVENT_SET(&c->event, F_NAME, name, STR("c2")))
TWIST(to_nobody_valid, EVENT_SET(&c->event, F_NAME, name, STR("c 2")))
TWIST(as_c2, c->event.name = STR("c2"))
TWIST(as_nobody, c->event.name = STR(""))
TWIST(as_no_id, c->event.name = STR("../c2"))
TWIST(short_token, c->event.token_sha256 = STR("ab"))
TWIST(other_capsule, c->event.capsule_sha256 = STR("ab"))
TWIST(alive, c->owner_dead = false)
TWIST(forced, c->owner_dead = false;
	EVENT_SET(&c->event, F_FORCED, forced, true))
TWIST(forced_silently, forced(c); c->event.reason = STR(" \t"))
TWIST(forced_late, forced(c); c->gen--)
TWIST(forced_early, forced(c); c->gen++)
TWIST(named, EVENT_SET(&c->event, F_NAME, name, STR("c2"));
	EVENT_SET(&c->event, F_TOKEN_SHA256, token_sha256, c->event.binary))
TWIST(named_alive, named(c); c->owner_dead = false)
TWIST(named_without_token, EVENT_SET(&c->event, F_NAME, name, STR("c2")))
TWIST(token_without_name,
	EVENT_SET(&c->event, F_TOKEN_SHA256, token_sha256, c->event.binary))
TWIST(other_selection, c->event.selection = STR("driver-2"))
TWIST(no_selection, c->event.selection = STR(""))
TWIST(no_driver, c->event.driver = STR(""))
TWIST(short_receipt, c->event.receipt_sha256 = STR("ab"))

struct step {
	enum event_type type; /* EV_RUN_STARTED: no step */
	twist_fn *twist;      /* NULL: plain */
	const char *subject;  /* NULL: the run */
};

struct row {
	struct step steps[STEPS_MAX];
	struct step last;
	enum pawl_code code; /* PAWL_CODE_COUNT: it is decided */
	bool vacant;
};

#define YES PAWL_CODE_COUNT
#define CLAIM                                  \
	{                                      \
		.type = EV_COORDINATOR_CLAIMED \
	}
#define CLAIM_BY(who)                                          \
	{                                                      \
		.type = EV_COORDINATOR_CLAIMED, .twist = (who) \
	}
#define TRANSFER                                   \
	{                                          \
		.type = EV_COORDINATOR_TRANSFERRED \
	}
#define TRANSFER_TO(who)                                           \
	{                                                          \
		.type = EV_COORDINATOR_TRANSFERRED, .twist = (who) \
	}
#define TAKE(how)                                                 \
	{                                                         \
		.type = EV_COORDINATOR_TAKEN_OVER, .twist = (how) \
	}
#define RESUME(how)                                            \
	{                                                      \
		.type = EV_COORDINATOR_RESUMED, .twist = (how) \
	}
#define SELECT(how)                                                  \
	{                                                            \
		.type = EV_DRIVER_SELECTION_RESERVED, .twist = (how) \
	}
#define SELECTED(how)                                      \
	{                                                  \
		.type = EV_DRIVER_SELECTED, .twist = (how) \
	}
#define CLOSE                         \
	{                             \
		.type = EV_RUN_CLOSED \
	}
#define RESERVE(how)                                                          \
	{                                                                     \
		.type = EV_ATTEMPT_RESERVED, .twist = (how), .subject = "A@1" \
	}
#define NOTHING           \
	{                 \
		{         \
			0 \
		}         \
	}

static const struct row table[] = {
	/* a claim: of a vacant run, by its capsule, once */
	{ NOTHING, CLAIM, YES, true },
	{ NOTHING, CLAIM, ERR_ALREADY_CLAIMED, false },
	{ { CLAIM }, CLAIM, ERR_ALREADY_CLAIMED, true },
	{ { CLAIM }, CLAIM_BY(as_c2), ERR_ALREADY_CLAIMED, true },
	{ NOTHING, CLAIM_BY(as_nobody), ERR_INVALID_ID, true },
	{ NOTHING, CLAIM_BY(as_no_id), ERR_INVALID_ID, true },
	{ NOTHING, CLAIM_BY(short_token), ERR_INVALID_ARGUMENT, true },
	{ NOTHING, CLAIM_BY(other_capsule), ERR_DIGEST_MISMATCH, true },
	{ NOTHING, CLAIM_BY(stale), ERR_STALE_COORDINATOR, true },
	{ NOTHING, CLAIM_BY(from_the_future), ERR_STALE_COORDINATOR, true },
	{ NOTHING, CLAIM_BY(by_human), ERR_NOT_PERMITTED, true },
	/* while nobody coordinates, nothing else is done */
	{ NOTHING, RESERVE(plain), ERR_STALE_COORDINATOR, true },
	{ NOTHING, TRANSFER, ERR_STALE_COORDINATOR, true },
	{ NOTHING, RESUME(plain), ERR_STALE_COORDINATOR, true },
	{ NOTHING, SELECT(plain), ERR_STALE_COORDINATOR, true },
	{ NOTHING, CLOSE, ERR_STALE_COORDINATOR, true },
	{ { CLAIM }, RESERVE(plain), YES, true },
	{ { CLAIM }, RESERVE(stale), ERR_STALE_COORDINATOR, true },
	/* a transfer: the run is vacant again, for one or for anybody */
	{ { CLAIM }, TRANSFER, YES, true },
	{ NOTHING, TRANSFER, YES, false },
	{ { CLAIM }, TRANSFER_TO(to_c2), YES, true },
	{ { CLAIM }, TRANSFER_TO(to_nobody_valid), ERR_INVALID_ID, true },
	{ { CLAIM }, TRANSFER_TO(other_capsule), ERR_INVALID_ARGUMENT, true },
	{ { CLAIM }, TRANSFER_TO(stale), ERR_STALE_COORDINATOR, true },
	{ { CLAIM, TRANSFER }, TRANSFER, ERR_STALE_COORDINATOR, true },
	{ { CLAIM, TRANSFER }, CLAIM_BY(stale), ERR_STALE_COORDINATOR, true },
	{ { CLAIM, TRANSFER }, RESERVE(stale), ERR_STALE_COORDINATOR, true },
	{ { CLAIM, TRANSFER }, CLAIM_BY(as_c2), YES, true },
	{ { CLAIM, TRANSFER_TO(to_c2) }, CLAIM, ERR_NOT_PERMITTED, true },
	{ { CLAIM, TRANSFER_TO(to_c2) }, CLAIM_BY(as_c2), YES, true },
	/* a takeover: of who is dead, of nobody, or by force with a reason */
	{ { CLAIM }, TAKE(plain), YES, true },
	{ { CLAIM }, TAKE(alive), ERR_RUN_HELD, true },
	{ { CLAIM }, TAKE(named_alive), ERR_RUN_HELD, true },
	{ { CLAIM }, TAKE(named), YES, true },
	{ { CLAIM }, TAKE(forced), YES, true },
	{ { CLAIM }, TAKE(forced_silently), ERR_REASON_NEEDED, true },
	{ { CLAIM }, TAKE(forced_late), ERR_STALE_COORDINATOR, true },
	{ { CLAIM }, TAKE(forced_early), ERR_STALE_COORDINATOR, true },
	{ { CLAIM }, TAKE(named_without_token), ERR_INVALID_ARGUMENT, true },
	{ { CLAIM }, TAKE(token_without_name), ERR_INVALID_ARGUMENT, true },
	{ NOTHING, TAKE(alive), ERR_RUN_HELD, false },
	{ NOTHING, TAKE(forced), YES, false },
	{ NOTHING, TAKE(alive), YES, true },
	{ NOTHING, TAKE(named_alive), YES, true },
	{ { CLAIM, TRANSFER_TO(to_c2) }, TAKE(alive), ERR_RUN_HELD, true },
	{ { CLAIM, TRANSFER_TO(to_c2) }, TAKE(named_alive), YES, true },
	{ { CLAIM, TRANSFER_TO(to_c2) }, TAKE(forced), YES, true },
	{ { CLAIM, TAKE(forced) }, CLAIM, ERR_ALREADY_CLAIMED, true },
	{ { CLAIM, TAKE(forced) }, RESERVE(stale), ERR_STALE_COORDINATOR,
		true },
	{ { CLAIM, TAKE(forced) }, RESERVE(plain), YES, true },
	/* going on */
	{ { CLAIM }, RESUME(plain), YES, true },
	{ { CLAIM }, RESUME(stale), ERR_STALE_COORDINATOR, true },
	{ { CLAIM }, RESUME(by_human), ERR_NOT_PERMITTED, true },
	/* a driver: reserved once, selected once, for good */
	{ { CLAIM }, SELECT(plain), YES, true },
	{ { CLAIM }, SELECT(no_selection), ERR_INVALID_ARGUMENT, true },
	{ { CLAIM, SELECT(plain) }, SELECT(plain), ERR_ID_TAKEN, true },
	{ { CLAIM }, SELECTED(plain), ERR_INVALID_ARGUMENT, true },
	{ { CLAIM, SELECT(plain) }, SELECTED(plain), YES, true },
	{ { CLAIM, SELECT(plain) }, SELECTED(other_selection),
		ERR_INVALID_ARGUMENT, true },
	{ { CLAIM, SELECT(plain) }, SELECTED(no_driver), ERR_INVALID_ARGUMENT,
		true },
	{ { CLAIM, SELECT(plain) }, SELECTED(short_receipt),
		ERR_INVALID_ARGUMENT, true },
	{ { CLAIM, SELECT(plain), TAKE(named) }, SELECTED(plain), YES, true },
	{ { CLAIM, SELECT(plain), SELECTED(plain) }, SELECT(plain),
		ERR_ID_TAKEN, true },
	{ { CLAIM, SELECT(plain), SELECTED(plain) }, SELECTED(plain),
		ERR_ID_TAKEN, true },
};

static struct command
command_of(struct run_fixture *f, const struct step *s)
{
	struct command cmd =
		fixture_command_word(f, s->type, s->subject ? s->subject : "",
			s->type == EV_RUN_CLOSED ? "partial" : NULL);

	if (s->twist != NULL)
		s->twist(&cmd);
	return cmd;
}

static void
prepare(struct run_fixture *f, bool vacant, const struct step *steps)
{
	const struct run_options options = { .vacant = vacant };

	fixture_init(f, rows, 1, &options);
	for (size_t i = 0; i < STEPS_MAX && steps[i].type != 0; i++) {
		struct command cmd = command_of(f, &steps[i]);

		fixture_do(f, &cmd);
	}
}

static void
authority_is_decided_by_the_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *row = &table[i];
		struct buf before = { 0 }, after = { 0 };
		struct run_fixture f;
		struct command cmd;
		enum pawl_rc rc;

		prepare(&f, row->vacant, row->steps);
		cmd = command_of(&f, &row->last);
		fixture_projection(&f.s, &before);
		rc = fixture_try(&f, &cmd);
		fixture_projection(&f.s, &after);
		if ((rc == PAWL_OK) != (row->code == YES) ||
			(rc != PAWL_OK && f.err.code != row->code))
			fail_msg("row %zu: %s", i,
				rc == PAWL_OK ? "decided" : f.err.msg);
		if (f.broken != NULL)
			fail_msg("row %zu: %s", i, f.broken);
		if (str_eq(buf_str(&before), buf_str(&after)) !=
			(rc != PAWL_OK))
			fail_msg("row %zu: state and answer differ", i);
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

/* C051: who it is, and what the breaker knew, is of the coordinator. */
static void
each_change_of_authority_is_in_the_state(void **state)
{
	static const struct step none[STEPS_MAX] = { { 0 } };
	struct run_fixture f;

	(void)state;
	prepare(&f, true, none);
	assert_true(f.s.vacant && f.s.gen == 1);
	assert_true(str_eq(f.s.coordinator_capsule,
		STR("cccccccccccccccccccc"
		    "cccccccccccccccccccccccccccccccccccccccccccc")));
	fixture_step(&f, EV_COORDINATOR_CLAIMED, "");
	assert_true(!f.s.vacant && f.s.gen == 1 && f.s.coordinator.pid == 0);
	assert_true(str_eq(f.s.coordinator_name, STR("c1")));
	assert_int_equal(f.s.token_sha256.len, 64);
	fixture_step(&f, EV_COORDINATOR_TRANSFERRED, "");
	assert_true(f.s.vacant && f.s.gen == 2 && f.s.capsule_gen == 2);
	assert_int_equal(f.s.coordinator_name.len + f.s.token_sha256.len, 0);
	fixture_step(&f, EV_COORDINATOR_TAKEN_OVER, "");
	assert_true(!f.s.vacant && f.s.gen == 3);
	assert_int_equal(f.s.coordinator.pid, 101);
	assert_int_equal(f.s.coordinator_name.len + f.s.token_sha256.len, 0);
	fixture_step(&f, EV_COORDINATOR_RESUMED, "");
	assert_int_equal(f.s.coordinator.pid, 0);
	assert_int_equal(f.s.gen, 3);
	fixture_release(&f);
}

/* What the fold refuses, by itself, of each kind. */
static const struct {
	bool vacant;
	struct step steps[STEPS_MAX];
	struct step last;
	uint64_t gen; /* of the line */
	const char *why;
} wrongs[] = {
	{ false, NOTHING, CLAIM, 1, "somebody coordinates" },
	{ true, NOTHING, CLAIM_BY(as_nobody), 1, "no name or no token" },
	{ true, NOTHING, CLAIM_BY(other_capsule), 1, "another" },
	{ true, NOTHING, CLAIM, 2, "can't raise" },
	{ true, NOTHING, TRANSFER, 2, "nobody coordinates" },
	{ false, NOTHING, TRANSFER, 1, "by one" },
	{ false, NOTHING, TRANSFER, 3, "by one" },
	{ false, NOTHING, TAKE(named_without_token), 2, "go together" },
	{ false, NOTHING, TAKE(token_without_name), 2, "go together" },
	{ true, NOTHING, RESUME(plain), 1, "nobody coordinates" },
	{ false, NOTHING, RESUME(plain), 2, "can't raise" },
	{ false, { SELECT(plain) }, SELECT(plain), 1, "selected once" },
	{ false, NOTHING, SELECT(no_selection), 1, "no name" },
	{ false, NOTHING, SELECTED(plain), 1, "no such selection" },
	{ false, { SELECT(plain) }, SELECTED(other_selection), 1,
		"no such selection" },
	{ false, { SELECT(plain) }, SELECTED(no_driver), 1, "no name" },
};

static void
what_no_version_wrote_is_corrupt(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct run_fixture f;
		struct command cmd;
		struct line_facts line;
		struct pawl_err err;

		prepare(&f, wrongs[i].vacant, wrongs[i].steps);
		cmd = command_of(&f, &wrongs[i].last);
		line = (struct line_facts){ .seq = f.s.seq + 1,
			.gen = wrongs[i].gen,
			.at = STR("2026-11-30T11:00:00.000000Z"),
			.actor = STR("coordinator:c1") };
		if (apply(&f.s, &line, &cmd.event, &err) == PAWL_OK)
			fail_msg("row %zu was folded", i);
		assert_int_equal(err.code, ERR_CORRUPT);
		if (strstr(err.msg, wrongs[i].why) == NULL)
			fail_msg("row %zu: '%s' doesn't say '%s'", i, err.msg,
				wrongs[i].why);
		fixture_release(&f);
	}
}

/* The same run at the same place gives the same bytes. */
static void
a_coordinator_is_told_the_golden_bytes(void **state)
{
	static const struct step none[STEPS_MAX] = { { 0 } };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct run_fixture f;
	struct handover h;

	(void)state;
	prepare(&f, true, none);
	h = (struct handover){ .run = &f.s.run,
		.driver = STR("host"),
		.state_dir = STR("/state"),
		.gen = 1,
		.tasks = 1 };
	handover_write(&w, &h);
	buf_addc(&out, '\n');
	w = (struct json_writer){ .out = &out };
	h.only = STR("c2");
	h.gen = 2;
	handover_write(&w, &h);
	buf_addc(&out, '\n');
	golden_check("test/golden/handovers.jsonl", buf_str(&out));
	buf_release(&out);
	fixture_release(&f);
}

/* All nine, whatever the driver; what isn't there has its reason. */
static void
a_receipt_is_the_golden_one(void **state)
{
	struct buf out = { 0 };
	enum builtin driver;

	(void)state;
	for (int d = 0; d < BUILTIN_COUNT; d++) {
		struct json_writer w = { .out = &out };

		capability_receipt(&w, (enum builtin)d, STR("driver-1"));
		buf_addc(&out, '\n');
		assert_true(
			builtin_from(builtin_word((enum builtin)d), &driver));
		assert_int_equal(driver, d);
	}
	assert_false(builtin_from(STR("orca"), &driver));
	assert_true(builtin_can(BUILTIN_PROCESS, CAP_DURABLE_WORKER_HANDLE));
	assert_false(builtin_can(BUILTIN_HOST, CAP_DURABLE_WORKER_HANDLE));
	golden_check("test/golden/receipts.jsonl", buf_str(&out));
	buf_release(&out);
}

/* Names of drivers, at and above their limit. */
static void
a_driver_has_a_small_name(void **state)
{
	static const char *const good[] = { "host", "process", "a", "ssh",
		"orca-2", "abcdefghijklmnopqrstuvwxyz012345" };
	static const char *const bad[] = { "", "auto", "2a", "-a", "A", "a_b",
		"a/b", "../a", "a.b", "abcdefghijklmnopqrstuvwxyz0123456" };
	struct pawl_err err;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_int_equal(
			driver_name_check(str_from(good[i]), &err), PAWL_OK);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			driver_name_check(str_from(bad[i]), &err), PAWL_ENO);
	assert_true(driver_hands_on(STR("host")));
	assert_false(driver_hands_on(STR("process")));
	assert_false(driver_hands_on(STR("ssh")));
}

/* The nine of each built-in one are good; without one, or of one without how it
 * is known, they aren't. */
static void
a_receipt_has_all_nine(void **state)
{
	static const struct {
		const char *from, *to, *words;
	} twists[] = {
		{ "\"usage_metrics\"", "\"usage\"",
			"'usage_metrics' isn't there" },
		{ "\"unsupported\"", "\"maybe\"", "has no status" },
		{ "\"configuration\"", "\"hearsay\"",
			"doesn't say how that is known" },
		{ "\"reason\"", "\"because\"", "doesn't say why" },
	};
	struct arena mem = ARENA_INIT;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const struct json *v;
	struct pawl_err err;

	(void)state;
	capability_put_all(&w, BUILTIN_HOST);
	assert_int_equal(json_read(&mem, arena_strdup(&mem, buf_str(&out)),
				 out.len, JSON_STRICT, &v, &err),
		PAWL_OK);
	assert_int_equal(capability_check(v, &err), PAWL_OK);
	assert_true(capability_has(v, CAP_LOCAL_CHECKS));
	assert_false(capability_has(v, CAP_DURABLE_WORKER_HANDLE));
	assert_int_equal(capability_check(NULL, &err), PAWL_ENO);
	for (size_t i = 0; i < sizeof(twists) / sizeof(twists[0]); i++) {
		const char *at = strstr(out.data, twists[i].from);
		struct buf text = { 0 };

		assert_non_null(at);
		buf_add(&text,
			(struct str){ out.data, (size_t)(at - out.data) });
		buf_addf(&text, "%s%s", twists[i].to,
			at + strlen(twists[i].from));
		assert_int_equal(json_read(&mem, text.data, text.len,
					 JSON_STRICT, &v, &err),
			PAWL_OK);
		assert_int_equal(capability_check(v, &err), PAWL_ENO);
		assert_non_null(strstr(err.msg, twists[i].words));
		buf_release(&text);
	}
	buf_release(&out);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(authority_is_decided_by_the_table),
		cmocka_unit_test(each_change_of_authority_is_in_the_state),
		cmocka_unit_test(what_no_version_wrote_is_corrupt),
		cmocka_unit_test(a_coordinator_is_told_the_golden_bytes),
		cmocka_unit_test(a_receipt_is_the_golden_one),
		cmocka_unit_test(a_driver_has_a_small_name),
		cmocka_unit_test(a_receipt_has_all_nine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
