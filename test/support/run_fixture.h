/*
 * run_fixture: a run for tests that lives in memory: plan and state, and the
 * way a command takes through decide(), apply() and decide_due_gates().
 *
 * Events come from run_event(): every field that the kind needs is there, with
 * a value that the state accepts as far as one can be told from the names; a
 * test changes what it is about and hands the command to fixture_try() or
 * fixture_do(). Commit n is at second n after 2026-11-30T11:00:00Z.
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
	struct line_facts line;       /* of the events since the last commit */
	bool open;                    /* there are some */
	struct pawl_err err;          /* of the last fixture_try() */
	const char *broken; /* what was decided and could not be folded */
};

struct run_options {
	const char *placement; /* NULL: `worktree` */
	uint64_t slots;        /* 0: 8 */
	const char *capacity;  /* one CLASS=N; NULL: none */
	bool vacant;           /* it waits for a claim */
};

/* Plan, state, and `run_started` folded. */
void fixture_init(struct run_fixture *f, const struct plan_row *rows,
	size_t count, const struct run_options *options);

/* With the usual options. */
void fixture_init_of(
	struct run_fixture *f, const struct plan_row *rows, size_t count);

/* The same without `run_started`. */
void fixture_init_planned(
	struct run_fixture *f, const struct plan_row *rows, size_t count);
void fixture_release(struct run_fixture *f);

/* A command of the right actor with an event of this type about `subject`: a
 * node, an attempt, or the run ("").  Strings live as long as the fixture. */
struct command fixture_command(
	struct run_fixture *f, enum event_type type, const char *subject);

/*
 * Decide, and fold into the line that fixture_commit() ends, with the gates
 * that became due; the class of a refusal, details in f->err.  An event that is
 * decided and can't be folded sets f->broken.
 */
enum pawl_rc fixture_propose(struct run_fixture *f, const struct command *cmd);
void fixture_commit(struct run_fixture *f);

/* A line of one command. */
enum pawl_rc fixture_try(struct run_fixture *f, const struct command *cmd);

/* As fixture_try; a refusal, or f->broken, ends the test program. */
void fixture_do(struct run_fixture *f, const struct command *cmd);

/* fixture_command and fixture_do. */
void fixture_step(
	struct run_fixture *f, enum event_type type, const char *subject);

/* The same with one word: a verdict, grade, decision, cause or outcome; the
 * status or kind of a cleanup, the reason of a block, the command of a
 * reservation.  NULL: the usual one. */
struct command fixture_command_word(struct run_fixture *f, enum event_type type,
	const char *subject, const char *word);
void fixture_step_word(struct run_fixture *f, enum event_type type,
	const char *subject, const char *word);

/* Drive a READY node through an attempt up to PASSED. */
void fixture_pass(struct run_fixture *f, const char *node);

/* Drive a READY node up to an attempt in this state (reserved to integrated).
 */
void fixture_until(
	struct run_fixture *f, const char *node, enum attempt_status status);

/* Number of the node; it must exist. */
uint32_t fixture_node(const struct run_fixture *f, const char *id);

/* The projection of a state, appended. */
void fixture_projection(const struct state *s, struct buf *out);

#endif
