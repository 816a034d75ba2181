/*
 * survey: what is measured and judged of a list before its run begins.
 *
 * The list is parsed, what it wants is compared with what this version can do,
 * and the repository is looked at: its head, its dirty paths, how it spells.
 * The decision is the one that was handed in, or derived from all that.
 * Nothing is written.
 */
#ifndef PAWL_ENGINE_SURVEY_H
#define PAWL_ENGINE_SURVEY_H

#include "base/sha256.h"
#include "engine/launch.h"
#include "engine/ref.h"
#include "model/decision.h"
#include "model/tasks.h"

struct survey {
	struct plan plan;
	struct tasks_report report;
	struct ref_head head;
	struct strs dirty;        /* the first of them */
	enum placement placement; /* of all that write */
	struct buf decision;      /* its bytes */
	struct decision decided;
	bool handed;       /* the decision was; else it is derived */
	struct buf agents; /* the profiles that the run freezes; empty: none */
	char list_sha256[SHA256_HEX + 1];
	char decision_sha256[SHA256_HEX + 1];
};

/*
 * Measure; `*sv` is zero before, and released by the caller also after a
 * failure.  Errors: those of launch_create up to its first effect.
 */
PAWL_MUST_CHECK enum pawl_rc survey_make(
	const struct launch *l, struct survey *sv, struct pawl_err *err);
void survey_release(struct survey *sv);

#endif
