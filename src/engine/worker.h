/*
 * worker: the part of an attempt that a worker does: reserve, start, end.
 */
#ifndef PAWL_ENGINE_WORKER_H
#define PAWL_ENGINE_WORKER_H

#include "engine/drivers.h"

/*
 * Propose the reservation of a node's next attempt, with the cleanups of what
 * it will own.  Only decides; touches nothing.
 */
PAWL_MUST_CHECK enum pawl_rc worker_reserve(
	struct pilot *p, uint32_t node, struct pawl_err *err);

/*
 * Digest of the capsule that a reserved attempt would get with this scope, in
 * the pilot's arena.
 *
 * Errors: ERR_GIT, of its context.
 */
PAWL_MUST_CHECK enum pawl_rc worker_capsule_sha256(struct pilot *p,
	uint32_t attempt, const struct strs *scope, struct str *ret_sha256,
	struct pawl_err *err);

/* Propose a cleanup of what an attempt will own. */
PAWL_MUST_CHECK enum pawl_rc worker_register(struct pilot *p, uint32_t attempt,
	struct str kind, struct str target, struct pawl_err *err);

/*
 * Make workspace, capsule and monitor of a reserved attempt, record `started`,
 * open the gate.  What fails before that is recorded as `start_failed`.
 */
PAWL_MUST_CHECK enum pawl_rc worker_start(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* What a worker is given: its capsule, its outbox, and what it is told. */
PAWL_MUST_CHECK enum pawl_rc worker_prepare(struct pilot *p, uint32_t attempt,
	struct str *ret_prompt, struct pawl_err *err);

/* Its command, with `{prompt_file}` and `{capsule}`, which must be whole
 * arguments, in place. */
const char *const *worker_argv(struct pilot *p, const struct attempt *a);

/* Its monitor, with a closed gate, and how its worker is confined; with all
 * that stands before that. */
PAWL_MUST_CHECK enum pawl_rc worker_gate(struct pilot *p, uint32_t attempt,
	struct begun *ret_begun, struct pawl_err *err);

/* A file of the run's folder that only its coordinator writes; no truth. */
PAWL_MUST_CHECK enum pawl_rc worker_write_view(const struct run *r,
	const char *dir, const char *name, struct str bytes,
	struct pawl_err *err);

/* Absolute path of what an attempt works in. */
const char *worker_workspace(struct pilot *p, const struct attempt *a);

/* May an attempt of it be placed in the user's working tree? */
bool worker_is_placed(const struct state *s, uint32_t node);

/*
 * Has what a reserved attempt is to work in moved on since?  A manual pilot has
 * taken a snapshot before (workspace_snapshot_place).
 */
bool worker_is_outdated(struct pilot *p, uint32_t attempt);

/* A started attempt of an earlier coordinator: watch it, or read its end. */
PAWL_MUST_CHECK enum pawl_rc worker_adopt(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* The monitor is gone: prove the scope, record the report or the end. */
PAWL_MUST_CHECK enum pawl_rc worker_end(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* The same of one whose end is known: it is one that opened its gate. */
PAWL_MUST_CHECK enum pawl_rc worker_ended(struct pilot *p, uint32_t attempt,
	const struct exit_facts *x, struct pawl_err *err);

/* A stop ended it before its own end. */
PAWL_MUST_CHECK enum pawl_rc worker_stopped(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Nobody knows how it ended; `why` says so. */
PAWL_MUST_CHECK enum pawl_rc worker_lost(struct pilot *p, uint32_t attempt,
	struct str cause, struct str why, struct pawl_err *err);

/*
 * An attempt without a process of ours: take in what lies in its outbox, as
 * worker_end() does; nothing when nothing lies there.
 *
 * Errors: ERR_UNSAFE_PATH, ERR_LIMIT for what can't be read as a file, when the
 * pilot is manual.
 */
PAWL_MUST_CHECK enum pawl_rc worker_collect(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Its deadline passed, and nothing lies there. */
PAWL_MUST_CHECK enum pawl_rc worker_expire(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Propose that its processes are gone, or what of them stays behind; `x` is
 * NULL when there was nothing to see. */
PAWL_MUST_CHECK enum pawl_rc worker_settle_processes(struct pilot *p,
	uint32_t attempt, const struct exit_facts *x, struct pawl_err *err);

/* Reserved, and whoever reserved it has stopped: nothing ran. */
PAWL_MUST_CHECK enum pawl_rc worker_never_started(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* A stop came between the report and its check. */
PAWL_MUST_CHECK enum pawl_rc worker_interrupt(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* What it worked in is gone or not ours any more, as `err` says. */
PAWL_MUST_CHECK enum pawl_rc worker_lost_workspace(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * The monitor that an event names, if it lives.
 * Errors: ERR_RUN_HELD when that can't be told from here; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc worker_find_monitor(struct pilot *p,
	const struct owner_id *id, bool *ret_alive, struct monitor *ret_monitor,
	struct pawl_err *err);

/* The monitor was killed: find what it left by its environment, and end it. */
PAWL_MUST_CHECK enum pawl_rc worker_end_strays(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Names of the variables that logs must not show; NULL-terminated. */
const char *const *worker_masks(struct pilot *p);

#endif
