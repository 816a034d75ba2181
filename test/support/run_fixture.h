/*
 * run_fixture: a run for tests that lives in memory: plan and state, and the
 * way a command takes through decide(), apply() and decide_due_gates().
 *
 * Events come from run_event(): every field that the kind needs is there, with
 * a value that the state accepts as far as one can be told from the names; a
 * test changes what it is about and hands the command to run_try() or run_do().
 * Commit n is at second n after 2026-11-30T11:00:00Z.
 */
#ifndef PAWL_TEST_RUN_FIXTURE_H
#define PAWL_TEST_RUN_FIXTURE_H

#include "model/apply.h"
#include "model/decide.h"
#include "plan_fixture.h"

/* An event as it stands in the journal. */
struct folded {
	struct line_facts line;
	struct event event;
};

VEC_DEF(folded_events, struct folded);

struct run_fixture {
	struct plan_fixture plan;
	struct state s;
	struct arena mem; /* events and ids; as long as the fixture */
	struct folded_events journal; /* all that was folded */
	struct pawl_err err;          /* of the last run_try() */
};

struct run_options {
	const char *placement; /* NULL: `worktree` */
	uint64_t slots;        /* 0: 8 */
};

/* Plan, state, and `run_started` folded. */
void run_fixture_init(struct run_fixture *f, const struct plan_row *rows,
	size_t count, const struct run_options *options);

/* The same without `run_started`. */
void run_fixture_init_planned(
	struct run_fixture *f, const struct plan_row *rows, size_t count);
void run_fixture_release(struct run_fixture *f);

/* A command of the right actor with an event of this type about `subject`: a
 * node, an attempt, or the run ("").  Strings live as long as the fixture. */
struct command run_command_of(
	struct run_fixture *f, enum event_type type, const char *subject);

/* Fold what is decided, and its gates; the class of a refusal, in f->err. */
enum pawl_rc run_try(struct run_fixture *f, const struct command *cmd);

/* As run_try; a refusal ends the test program. */
void run_do(struct run_fixture *f, const struct command *cmd);

/* run_command_of and run_do. */
void run_step(struct run_fixture *f, enum event_type type, const char *subject);

/* The same with one word: a verdict, grade, decision, status, cause, outcome.
 */
void run_step_word(struct run_fixture *f, enum event_type type,
	const char *subject, const char *word);

/* Drive a READY node through an attempt up to PASSED. */
void run_pass(struct run_fixture *f, const char *node);

/* Drive a READY node up to an attempt in this state (reserved to integrated).
 */
void run_until(
	struct run_fixture *f, const char *node, enum attempt_status status);

/* Number of the node; it must exist. */
uint32_t run_node(const struct run_fixture *f, const char *id);

/* The projection of a state, appended. */
void run_projection(const struct state *s, struct buf *out);

#endif
