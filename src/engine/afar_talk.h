/*
 * afar_talk: what is asked about one attempt of the driver that has it, and
 * what its answers hold, each looked at before it is believed.
 *
 * Errors of all of them: those of driver_ask; ERR_DRIVER_UNKNOWN for an answer
 * that lacks what it must have.
 */
#ifndef PAWL_ENGINE_AFAR_TALK_H
#define PAWL_ENGINE_AFAR_TALK_H

#include "engine/drivers.h"

/* Make the folder in which a driver keeps what it needs to find its own again;
 * its path is in `mem`. */
PAWL_MUST_CHECK enum pawl_rc afar_state_make(const struct run *r,
	const char *name, struct arena *mem, const char **ret_path,
	struct pawl_err *err);

/* `RUN/ATTEMPT`: the one name under which everything of it is asked for. */
struct str afar_identity(struct pilot *p, uint32_t attempt);

/* Errors besides: ERR_CONTEXT_MISMATCH when it isn't what was asked for; then
 * `*ret_begun` has its references all the same. */
PAWL_MUST_CHECK enum pawl_rc afar_start(struct pilot *p, uint32_t attempt,
	struct str prompt, struct begun *ret_begun, struct pawl_err *err);

PAWL_MUST_CHECK enum pawl_rc afar_open(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

enum afar_state { AFAR_RUNNING, AFAR_EXITED, AFAR_GONE };

struct afar_polled {
	enum afar_state state;
	bool news; /* the cursor moved */
	struct exit_facts exit;
};

/*
 * How it is; what it has brought lies in its outbox afterwards.  `w` has the
 * cursor.
 */
PAWL_MUST_CHECK enum pawl_rc afar_poll(struct pilot *p, uint32_t attempt,
	struct afar_watch *w, struct afar_polled *ret_polled,
	struct pawl_err *err);

/* `*ret_released` is false when it could not be proven; `*ret_why` says what
 * the driver said. */
PAWL_MUST_CHECK enum pawl_rc afar_release(struct pilot *p, uint32_t attempt,
	struct str refs, bool *ret_released, struct str *ret_why,
	struct pawl_err *err);

enum afar_presence { AFAR_PRESENT, AFAR_ABSENT, AFAR_UNKNOWN };

/* `*ret_refs` is what the driver has it under, when it is present. */
PAWL_MUST_CHECK enum pawl_rc afar_reconcile(struct pilot *p, uint32_t attempt,
	enum afar_presence *ret_presence, struct str *ret_refs,
	struct pawl_err *err);

/*
 * A driver's references, as one JSON text in `mem`: flat, within their bounds.
 * False when they aren't.
 */
bool afar_refs_read(
	const struct json *refs, struct arena *mem, struct str *ret_refs);

#endif
