/*
 * next: the one thing to do now.
 *
 * The first that holds: a run that hasn't started is run; a closed one needs
 * nothing; an open gate is decided, an open question answered; a vacant run is
 * claimed; a delegation is taken on when nothing else moves; while something
 * can move without a human the run is watched, or run when nobody drives it (a
 * named coordinator does); what a coordinator registered and left open is
 * settled; what is BLOCKED is unblocked; a run whose nodes all
 * passed and over which a finding stands is closed; what FAILED for good, or
 * stayed unobserved, is explained.  The kinds from NEXT_ADD on are of ledgers
 * (model/ledger_view.h).
 */
#ifndef PAWL_MODEL_NEXT_H
#define PAWL_MODEL_NEXT_H

#include "model/explain.h"

/* clang-format off */
#define NEXT_KIND_MAP(X) \
	X(NEXT_NOTHING, "nothing") \
	X(NEXT_RUN, "run") \
	X(NEXT_WATCH, "watch") \
	X(NEXT_APPROVE, "approve") \
	X(NEXT_ANSWER, "answer") \
	X(NEXT_DELEGATE, "delegate") \
	X(NEXT_UNBLOCK, "unblock") \
	X(NEXT_EXPLAIN, "explain") \
	X(NEXT_CLAIM, "claim") \
	X(NEXT_DISPATCH, "dispatch") \
	X(NEXT_SYNC, "sync") \
	X(NEXT_RECOVER, "recover attempt") \
	X(NEXT_CHECK, "check") \
	X(NEXT_INTEGRATE, "integrate") \
	X(NEXT_GRADE, "grade") \
	X(NEXT_REWORK, "repair") \
	X(NEXT_AUDIT, "audit-reject") \
	X(NEXT_DECIDE, "decide") \
	X(NEXT_COMPLETE, "complete") \
	X(NEXT_CLEANUP, "clean up") \
	X(NEXT_ADD, "add") \
	X(NEXT_START, "start") \
	X(NEXT_FINISH, "finish") \
	X(NEXT_REPAIR, "repair") \
	X(NEXT_CLOSE, "close")
/* clang-format on */

#define NEXT_ENUM(name, word) name,
enum next_kind { NEXT_KIND_MAP(NEXT_ENUM) NEXT_KIND_COUNT };

struct next {
	enum next_kind kind;
	struct str subject; /* what the verb is about: a run, RUN/GATE,
			     * RUN/QUESTION, a node */
	struct str why;     /* one sentence */
	struct str command; /* empty for NEXT_NOTHING */
};

struct str next_word(enum next_kind kind);

/* `driven`: a coordinator of the run is known to be alive.  Strings in `mem`.
 */
void next_find(const struct state *s, bool driven, struct arena *mem,
	struct next *ret_next);

/* One line: `next: approve r-…/DEPLOY!1  (pawl approve r-…/DEPLOY!1)`. */
void next_text(struct buf *out, const struct next *next);

/* {"do":"approve","subject":…,"why":…,"command":…} */
void next_json(struct json_writer *w, const struct next *next);

#endif
