/*
 * driver_record: what a built-in driver that is served keeps of an attempt, a
 * file a retry id, as long as its folder stands.
 */
#ifndef PAWL_CLI_DRIVER_RECORD_H
#define PAWL_CLI_DRIVER_RECORD_H

#include "base/arena.h"
#include "base/err.h"
#include "text/json.h"

struct driver_record {
	struct str name;   /* of its file, and of its monitor's lines */
	struct str digest; /* of what was asked for */
	struct str outbox;
	uint64_t pid, start; /* of its monitor */
	bool released;
};

/* The file of an identity: its slashes are no folders. */
struct str driver_record_name(struct str identity, struct arena *mem);

/* False when there is none, or `dir` is no folder. */
bool driver_record_read(int dir, struct str name, struct arena *mem,
	struct driver_record *ret_record);

/* Of all that makes a start the same request. */
struct str driver_record_digest(const struct json *request, struct arena *mem);

/* What its worker handed in, in `mem`; empty when that is no file of a good
 * size. */
struct str driver_record_report(
	const struct driver_record *r, struct arena *mem);

/* Errors: those of fs_replace. */
PAWL_MUST_CHECK enum pawl_rc driver_record_write(
	int dir, const struct driver_record *r, struct pawl_err *err);

#endif
