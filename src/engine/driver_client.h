/*
 * driver_client: our side of the conversation with a driver that is a program
 * of its own (docs/driver-protocol.md).
 *
 *	struct driver_talk t;
 *
 *	driver_say(&t, client, DRIVER_OPEN);
 *	json_pair_str(&t.w, STR("attempt"), id);
 *	rc = driver_ask(&t, mem, &answer, err);
 *
 * Nothing of what it says is believed before it was looked at: an answer is one
 * line within its bounds, in time, with the id that was asked.  A driver that
 *is late, ends or says anything else is ended, with its process group, and
 *started again for the next question; what was asked is unknown then, never
 *undone.
 */
#ifndef PAWL_ENGINE_DRIVER_CLIENT_H
#define PAWL_ENGINE_DRIVER_CLIENT_H

#include "os/coproc.h"
#include "text/driver_protocol.h"
#include "text/json.h"

struct driver_client {
	const char *name;        /* NULL: not in use */
	const char *program;     /* absolute */
	const char *const *args; /* behind it, up to a NULL; or NULL */
	const char *dir;         /* where it works: the repository */
	const char *state;       /* its folder; NULL: none, for describe */
	struct coproc child;
	uint64_t asked; /* the id of the last question */
};

/*
 * Find the program of the driver `name`; the texts are in `mem`, and `dir` and
 * `state` must live as long as the client.  Nothing is started yet.
 *
 * Errors: ERR_INVALID_ARGUMENT for what is no name; ERR_DRIVER_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc driver_client_find(struct driver_client *c,
	struct str name, struct arena *mem, struct pawl_err *err);

/* It ends at the end of its input, and is ended when it doesn't.  Also of one
 * that is zero. */
void driver_client_close(struct driver_client *c);

/* Without a word, as if the machine had taken it: for those who try it. */
void driver_client_kill(struct driver_client *c);

/* A question on its way. */
struct driver_talk {
	struct driver_client *client;
	enum driver_op op;
	uint64_t wait_ms; /* that the operation may take besides its limit */
	struct buf bytes;
	struct json_writer w; /* inside the request's object */
};

void driver_say(
	struct driver_talk *t, struct driver_client *c, enum driver_op op);

/*
 * Ask it; `t` is done with then.  The answer is in `mem`, or NULL after a
 * failure.
 *
 * Errors: one a code of the protocol's, by engine/driver_client.c's table; of
 * what was no answer ERR_DRIVER_UNKNOWN, or ERR_DRIVER_NOT_FOUND when the
 * program can't be started; ERR_LIMIT for a question that is too long.
 */
PAWL_MUST_CHECK enum pawl_rc driver_ask(struct driver_talk *t,
	struct arena *mem, const struct json **ret_answer,
	struct pawl_err *err);

/* Ask with these bytes, whatever they are, which get their LF here: for those
 * who try it.  The answer has any id. */
PAWL_MUST_CHECK enum pawl_rc driver_ask_raw(struct driver_client *c,
	struct str line, struct arena *mem, const struct json **ret_answer,
	struct pawl_err *err);

/* `not_found`, …; the code in an answer that is an error, as an error of ours.
 */
enum pawl_code driver_code(struct str word);

struct str driver_op_word(enum driver_op op);

#endif
