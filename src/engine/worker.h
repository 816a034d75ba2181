/*
 * worker: the part of an attempt that a worker does: reserve, start, end.
 */
#ifndef PAWL_ENGINE_WORKER_H
#define PAWL_ENGINE_WORKER_H

#include "engine/pilot.h"

/*
 * Propose the reservation of a node's next attempt, with the cleanups of what it
 * will own.  Only decides; touches nothing.
 */
PAWL_MUST_CHECK enum pawl_rc worker_reserve(
	struct pilot *p, uint32_t node, struct pawl_err *err);

/*
 * Make workspace, capsule and monitor of a reserved attempt, record `started`,
 * open the gate.  What fails before that is recorded as `start_failed`.
 */
PAWL_MUST_CHECK enum pawl_rc worker_start(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* A started attempt of an earlier coordinator: watch it, or read its end. */
PAWL_MUST_CHECK enum pawl_rc worker_adopt(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* The monitor is gone: prove the scope, record the report or the end. */
PAWL_MUST_CHECK enum pawl_rc worker_end(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

#endif
