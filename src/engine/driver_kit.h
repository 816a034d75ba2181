/*
 * driver_kit: does a driver keep what docs/driver-protocol.md says?
 *
 * The rules are tried on the driver itself: attempts of a scratch repository,
 * with workers of the kit's own, under identities that no run has.  Whatever
 * becomes of a rule, what it started is released at its end, and the folder
 * goes when all are through.
 *
 * A rule is kept, broken with a reason, or passed over with one: what the
 * driver's own receipt excludes isn't asked for, and what can't be seen from
 * here (a worker on another machine) isn't claimed.
 *
 * Files: driver_kit.c (the scratch, questions, what a rule is tried with),
 * driver_rules.c (the rules).
 */
#ifndef PAWL_ENGINE_DRIVER_KIT_H
#define PAWL_ENGINE_DRIVER_KIT_H

#include "engine/driver_client.h"
#include "engine/scratch.h"
#include "os/loop.h"

enum { KIT_ATTEMPTS_MAX = 8, KIT_WORDS = 400 };

enum kit_outcome { KIT_KEPT, KIT_BROKEN, KIT_SKIPPED };

/* An attempt that a rule asks for. */
struct kit_attempt {
	struct str id;       /* `K-7@1` */
	struct str identity; /* its retry id */
	const char *workspace, *outbox;
	const char *script; /* of its worker, for sh */
	uint64_t deadline_ms;
	struct str refs; /* JSON; once started */
	bool gated;      /* the driver says that it waits */
	bool released;
};

struct driver_kit {
	struct driver_client client;
	const struct json *capabilities; /* NULL until it described itself */
	bool local;                      /* workers are on this machine */
	struct scratch scratch;
	const char *base;  /* commit of the scratch repository */
	struct str prefix; /* of identities; no run has it */
	uint32_t made;     /* attempts so far */
	struct kit_attempt attempts[KIT_ATTEMPTS_MAX]; /* of this rule */
	uint32_t count;
	struct arena mem;    /* of one rule */
	struct arena keep;   /* of all */
	struct loop loop;    /* for signals */
	int signo;           /* the first; 0: none */
	char why[KIT_WORDS]; /* why a rule isn't kept, or was passed over */
};

/* Called once a rule, in order; `number` from 1. */
typedef void kit_told_fn(void *arg, uint32_t number, const char *rule,
	enum kit_outcome outcome, const char *why);

struct kit_choice {
	kit_told_fn *told;
	void *arg;
	uint64_t rules; /* bit a rule, number 1 the lowest; 0: all of them */
};

/* How many rules there are. */
uint32_t driver_kit_rules(void);

/*
 * Try a driver whose client was found (driver_client_find).  `*ret_broken` is
 * how many rules it doesn't keep.
 *
 * Errors: those of the scratch, and ERR_INTERRUPTED; a driver that doesn't
 * answer is no error.
 */
PAWL_MUST_CHECK enum pawl_rc driver_kit_run(const struct driver_client *client,
	const struct kit_choice *choice, uint32_t *ret_broken,
	struct pawl_err *err);

/*
 * For the rules.  Those that return a bool say with false, in `why`, what is
 * wrong; kit_fail() returns false, kit_skip() true.
 */
bool kit_fail(struct driver_kit *k, const char *fmt, ...) PAWL_PRINTF(2, 3);
bool kit_skip(struct driver_kit *k, const char *fmt, ...) PAWL_PRINTF(2, 3);

/* One more attempt, with a workspace of its own; nothing is asked yet. */
bool kit_make(struct driver_kit *k, const char *script,
	struct kit_attempt **ret_attempt);

/* Ask what begins with `t`; an answer that is an error is one here, too. */
bool kit_ask(struct driver_kit *k, struct driver_talk *t,
	const struct json **ret_answer);
/* The same, where the error `code` is the answer. */
bool kit_refused(struct driver_kit *k, struct driver_talk *t,
	enum pawl_code code, const char *what);

bool kit_start(struct driver_kit *k, struct kit_attempt *a);
void kit_say_start(struct driver_kit *k, const struct kit_attempt *a,
	struct driver_talk *t);
bool kit_open(struct driver_kit *k, const struct kit_attempt *a);
/* Made, started, opened. */
bool kit_begin(struct driver_kit *k, const char *script,
	struct kit_attempt **ret_attempt);
bool kit_poll(struct driver_kit *k, const struct kit_attempt *a,
	struct str cursor, const struct json **ret_answer);
/* Poll until it isn't running any more; `*ret_answer` is the last. */
bool kit_await(struct driver_kit *k, const struct kit_attempt *a,
	const struct json **ret_answer);
bool kit_release(struct driver_kit *k, struct kit_attempt *a, struct str refs,
	struct str *ret_word);
bool kit_reconcile(struct driver_kit *k, const struct kit_attempt *a,
	struct str refs, struct str *ret_state);

/* A text member of an answer, in the rule's arena. */
struct str kit_word(
	struct driver_kit *k, const struct json *answer, const char *name);

/* Lines of a file of its workspace; it counts those that its worker wrote. */
uint32_t kit_lines(
	struct driver_kit *k, const struct kit_attempt *a, const char *name);
/* Wait until that file has a line. */
bool kit_await_line(
	struct driver_kit *k, const struct kit_attempt *a, const char *name);
/* The process whose id stands in that file: does it live? */
bool kit_lives(
	struct driver_kit *k, const struct kit_attempt *a, const char *name);

void kit_pause(struct driver_kit *k, uint64_t ms);

struct kit_rule {
	const char *name;
	bool holds; /* it needs a driver that holds workers */
	bool (*fn)(struct driver_kit *k);
};

extern const struct kit_rule kit_rules[]; /* ends with a name of NULL */

#endif
