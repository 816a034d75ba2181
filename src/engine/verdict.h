/*
 * verdict: checks; the only thing that can move a node forward.
 *
 * A check is an argument vector, run by the coordinator in the attempt's
 * workspace under a monitor of its own, one at a time for an attempt.  The
 * snapshot before and after must be the same, else the verdict is void and the
 * check is run again, three times at the most.
 */
#ifndef PAWL_ENGINE_VERDICT_H
#define PAWL_ENGINE_VERDICT_H

#include "engine/cage.h"
#include "engine/landing.h"
#include "engine/scope_proof.h"

/*
 * A reported attempt: start its check, adopt one that an earlier coordinator
 * started, or record the one that has ended, with what follows from it.  A
 * manual pilot starts none, and nothing follows.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_advance(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* One execution of a node's check. */
struct verdict_trial {
	uint32_t node;
	const char *name; /* of its log, and in the lines of `exits` */
	const char *cwd;
	char *const *argv;
};

/* The monitor of a check, waiting at its gate: nothing of the check has run. */
struct verdict_gated {
	char **argv; /* of the check */
	bool red;    /* on the base */
	struct monitor monitor;
	struct confined confined;
};

/*
 * Spawn its monitor, which waits at its gate; monitor and confined of
 * `*ret_gated` are set.  Errors: of cage_check and monitor_spawn.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_spawn(struct pilot *p,
	const struct verdict_trial *trial, struct verdict_gated *ret_gated,
	struct pawl_err *err);

/* A check's argument vector as an event has it. */
struct strs verdict_argv(struct pilot *p, char *const *argv);

/*
 * Spawn the monitor of the first check of an attempt whose report is about to
 * be proposed, so that the report and `check_started` can be one commit.  False
 * when something else must come before the check (verdict_advance then does
 * it), or when it could not be spawned.
 */
bool verdict_gate(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct verdict_gated *ret_gated);

/*
 * Propose `check_started`, commit, open the gate.  The monitor is the pilot's,
 * or has been let go.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_gate_open(struct pilot *p,
	uint32_t attempt, const struct workspace *ws,
	struct verdict_gated *gated, struct pawl_err *err);

/*
 * Start a check of an attempt that has reported, on the run's tip of now; once
 * more, when the tip moved under one that was checked.  The attempt may end
 * here: when its work doesn't go onto the tip, or its workspace is gone.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_start(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * Give an attempt up with the grade `word`, which is none of a pass: its work
 * is kept on its branch, its worktree removed.  Proposed, not committed.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_grade(struct pilot *p, uint32_t attempt,
	struct str word, struct str reason, struct pawl_err *err);

/*
 * Propose what ends an attempt that was judged and didn't pass: `rejected`
 * while a repair is left, else the grade `fail`.  `why` names the cause.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_reject(struct pilot *p, uint32_t attempt,
	struct str reason, struct str why, struct pawl_err *err);

/* Record what condemns an attempt; the autopilot rejects it for that. */
PAWL_MUST_CHECK enum pawl_rc verdict_condemn(struct pilot *p, uint32_t attempt,
	const struct scope_breach *breach, struct pawl_err *err);

/*
 * Findings that block stand against an attempt whose check passed: an audit
 * rejects it; what is integrated already leaves the node BLOCKED.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_found(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

#endif
