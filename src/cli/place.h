/*
 * place: from a command's context to open runs.
 */
#ifndef PAWL_CLI_PLACE_H
#define PAWL_CLI_PLACE_H

#include "cli/cmd.h"
#include "engine/keeper.h"

/* What the engine needs to know of where this call stands; in ctx->mem. */
struct place *place_of(struct cmd_ctx *ctx);

/*
 * Open the run that the operand at `index` means (none: the only active one).
 * What is wrong with its end or its projection is said as a notice.
 */
PAWL_MUST_CHECK enum pawl_rc place_open_run(struct cmd_ctx *ctx, size_t index,
	struct run *ret_run, struct pawl_err *err);

/* Say what is wrong with the end of a run's journal, as a notice. */
void place_say_tail(const struct cmd_ctx *ctx, struct str run,
	const struct journal_tail *tail);

/* Say whom a takeover by force has killed, as notices. */
void place_say_killed(const struct cmd_ctx *ctx, const struct keepers *killed);

/*
 * As place_open_run, for a first operand of the form [RUN/]SUBJECT; the subject
 * is what stands after the slash.
 */
PAWL_MUST_CHECK enum pawl_rc place_open_subject(struct cmd_ctx *ctx,
	struct run *ret_run, struct str *ret_subject, struct pawl_err *err);

/*
 * Whom this call acts as, by --as or PAWL_AS.
 * Errors: ERR_NOT_PERMITTED without one; ERR_WORKER_CONTEXT inside a worker.
 */
PAWL_MUST_CHECK enum pawl_rc place_as(
	const struct cmd_ctx *ctx, struct str *ret_name, struct pawl_err *err);

/*
 * As place_open_run and place_open_subject, and act as the coordinator that
 * the call names: run->gen and run->actor are set.  A journal with a corrupt
 * end is refused.  Errors: those of place_as and coordinator_enter.
 */
PAWL_MUST_CHECK enum pawl_rc place_open_coordinated(struct cmd_ctx *ctx,
	size_t index, struct run *ret_run, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc place_open_coordinated_subject(struct cmd_ctx *ctx,
	struct run *ret_run, struct str *ret_subject, struct pawl_err *err);

/*
 * As place_open_run and place_open_subject, to change the run: nothing is
 * decided on the good part of a journal with a corrupt end.
 */
PAWL_MUST_CHECK enum pawl_rc place_open_sound(struct cmd_ctx *ctx, size_t index,
	struct run *ret_run, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc place_open_sound_subject(struct cmd_ctx *ctx,
	struct run *ret_run, struct str *ret_subject, struct pawl_err *err);

#endif
