/*
 * learn_record: the bounded facts of one closed run, to learn from.
 *
 * Shadow only: a record is read by people and by `pawl task learn`; nothing in
 * pawl acts on one.  It holds what the journal says, no prompt, output or body:
 * for each task (LEARN_TASKS at most) how often it was tried, what its checks
 * said and took, the hypotheses of its repairs, its statuses in order, and the
 * digests of its evidence.  What a receipt of a provider would have to tell is
 * `unavailable` where there is none, never 0.
 */
#ifndef PAWL_MODEL_LEARN_RECORD_H
#define PAWL_MODEL_LEARN_RECORD_H

#include "model/state.h"

enum {
	LEARN_TASKS = 256,
	LEARN_TEXT = 512, /* bytes of one text */
	LEARN_LIST = 32,  /* hypotheses, evidence of one task */
	LEARN_LIFECYCLE = 64,
	LEARN_RECORD_BYTES = 8 << 20,
};

enum learn_proof {
	LEARN_UNAVAILABLE, /* the run holds no such bytes */
	LEARN_VERIFIED,    /* it does, and they hash to the digest */
};

struct learn_evidence {
	uint32_t kind;      /* 0: report, 1: capsule, 2: of an import */
	struct str attempt; /* `node@n` */
	struct str sha256;
	enum learn_proof proof;
};

struct learn_task {
	struct str id, title;
	struct str check_sha256; /* of the check's text */
	enum node_status status;
	int64_t attempts, rejects, checks, check_ms;
	struct str check_ended;       /* of the last one; or NULL */
	const struct str *hypotheses; /* of repairs */
	uint32_t hypotheses_count;
	const enum node_status *lifecycle;
	uint32_t lifecycle_count;
	int64_t lifecycle_left_out;
	struct learn_evidence *evidence; /* `proof` is the caller's to fill */
	uint32_t evidence_count;
};

struct learn_telemetry {
	int64_t attempts, rework, ends_without_verdict, implementation_ms,
		waiting_ms, check_ms, audit_ms, coordination_overhead;
	struct str provider_usage, provider_cache; /* `unavailable` */
};

struct learn_record {
	int64_t schema_version;
	bool shadow_only;
	struct str run;
	struct str change; /* SHA-256 of the list: what was to be done */
	struct str base;   /* commit; or NULL */
	struct str outcome;
	int64_t seq, generation;
	const struct learn_telemetry *telemetry;
	struct learn_task *tasks;
	uint32_t tasks_count;
	int64_t tasks_left_out;
};

/* Of a closed run.  All in `mem`, or views of the state and its plan. */
void learn_record_make(const struct state *s, struct arena *mem,
	struct learn_record *ret_record);

/* The task with this id, or NULL. */
const struct learn_task *learn_record_task(
	const struct learn_record *r, struct str id);

/*
 * What it holds are views of a copy in `mem`.
 * Errors: ERR_LIMIT, ERR_NOT_JSON, ERR_INVALID_DOCUMENT with the place.
 */
PAWL_MUST_CHECK enum pawl_rc learn_record_read(struct arena *mem,
	struct str bytes, struct learn_record *ret_record,
	struct pawl_err *err);

/* As canonical JSON, one line with its LF. */
void learn_record_write(const struct learn_record *r, struct buf *out);

/*
 * Counts of two runs of the same checks, without a verdict: {"off":{…},
 * "on":{…}}.  Errors: ERR_INVALID_ARGUMENT when their tasks or checks differ.
 */
PAWL_MUST_CHECK enum pawl_rc learn_record_compare(
	const struct learn_record *off, const struct learn_record *on,
	struct json_writer *w, struct pawl_err *err);

/* The document's schema, for people, with its last LF. */
void learn_record_schema(struct buf *out);

#endif
