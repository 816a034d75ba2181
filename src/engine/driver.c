#include "engine/driver.h"

#include "model/capability.h"
#include "store/artifact.h"

#define AUTO "auto"

enum pawl_rc
driver_reserve(struct run *r, struct pawl_err *err)
{
	const struct state *s = &r->state;
	struct command cmd;

	if (s->driver.len > 0 || s->selection.len > 0)
		return PAWL_OK;
	cmd = run_command(r, EV_DRIVER_SELECTION_RESERVED, STR(""), STR(""));
	EVENT_SET(&cmd.event, F_SELECTION, selection,
		arena_format(
			&r->mem, "driver-%llu", (unsigned long long)s->gen));
	EVENT_SET(&cmd.event, F_DRIVER, driver,
		s->driver_asked.len > 0 ? arena_copy(&r->mem, s->driver_asked)
					: STR(AUTO));
	return run_propose(r, &cmd, err);
}

/* The same for the same state: a retry selects what was selected. */
static enum pawl_rc
choose(const struct state *s, enum driver *ret_driver, struct str *ret_reason,
	struct pawl_err *err)
{
	if (s->driver_asked.len > 0 && !str_eq(s->driver_asked, STR(AUTO))) {
		*ret_reason = STR("asked for");
		if (driver_from(s->driver_asked, ret_driver))
			return PAWL_OK;
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"driver '" STR_FMT "' isn't known",
			STR_ARG(s->driver_asked));
	}
	if (s->run.argv.count > 0) {
		*ret_driver = DRIVER_PROCESS;
		*ret_reason = STR("the run has a worker's command");
	} else {
		*ret_driver = DRIVER_HOST;
		*ret_reason = STR("the run has no worker's command");
	}
	return PAWL_OK;
}

static enum pawl_rc
receipt_put(struct run *r, enum driver driver, char ret_hex[SHA256_HEX + 1],
	struct pawl_err *err)
{
	struct buf bytes = { 0 };
	struct json_writer w = { .out = &bytes };
	enum pawl_rc rc;

	capability_receipt(&w, driver, r->state.selection);
	rc = artifact_put(r->place->fs, r->dir, buf_str(&bytes), ret_hex, err);
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
driver_select(struct run *r, bool *ret_done, struct pawl_err *err)
{
	char hex[SHA256_HEX + 1];
	struct str reason = { "", 0 };
	enum driver driver = DRIVER_HOST;
	struct command cmd;
	enum pawl_rc rc;

	if (r->state.selection.len == 0) {
		*ret_done = false;
		return PAWL_OK;
	}
	rc = choose(&r->state, &driver, &reason, err);
	if (rc == PAWL_OK)
		rc = receipt_put(r, driver, hex, err);
	if (rc != PAWL_OK)
		return rc;
	cmd = run_command(r, EV_DRIVER_SELECTED, STR(""), STR(""));
	EVENT_SET(&cmd.event, F_SELECTION, selection,
		arena_copy(&r->mem, r->state.selection));
	EVENT_SET(&cmd.event, F_DRIVER, driver, driver_word(driver));
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	EVENT_SET(&cmd.event, F_RECEIPT_SHA256, receipt_sha256, str_from(hex));
	rc = run_begin(r, err);
	if (rc != PAWL_OK)
		return rc;
	/* Another call of ours may have finished it meanwhile. */
	*ret_done = r->state.selection.len > 0 || r->gen != r->state.gen;
	if (*ret_done)
		rc = run_propose(r, &cmd, err);
	return rc == PAWL_OK ? run_commit(r, err) : run_give_up(r, rc, err);
}
