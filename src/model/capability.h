/*
 * capability: what a driver can do, said once when it is selected.
 *
 * A receipt names all nine capabilities (design 4.5), each `supported` with how
 * that is known, `unsupported` or `unavailable` with the reason; what isn't
 * there is never left out and never zero.  A run's receipt lies among its
 * artifacts under its digest, which `driver_selected` names.
 */
#ifndef PAWL_MODEL_CAPABILITY_H
#define PAWL_MODEL_CAPABILITY_H

#include "text/json.h"

/* clang-format off */
#define CAPABILITY_MAP(X) \
	X(CAP_LOCAL_CHECKS, "local_checks") \
	X(CAP_USER_QUESTIONS, "user_questions") \
	X(CAP_PROCESS_TREE_CLEANUP, "process_tree_cleanup") \
	X(CAP_ISOLATED_WORKSPACE, "isolated_workspace") \
	X(CAP_VISIBLE_WORKER_DISPATCH, "visible_worker_dispatch") \
	X(CAP_DURABLE_WORKER_HANDLE, "durable_worker_handle") \
	X(CAP_BROWSER_SURFACE, "browser_surface") \
	X(CAP_USAGE_METRICS, "usage_metrics") \
	X(CAP_CACHE_METRICS, "cache_metrics")
/* clang-format on */

#define CAPABILITY_ENUM(name, word) name,
enum capability { CAPABILITY_MAP(CAPABILITY_ENUM) CAPABILITY_COUNT };

struct str capability_word(enum capability c);

/*
 * The drivers that are built in; here alone they have names.  All others are
 * programs (docs/driver-protocol.md), and nothing is known of them but what
 * they say.
 */
enum builtin {
	BUILTIN_HOST, /* the caller starts workers; pawl hands out capsules */
	BUILTIN_PROCESS, /* pawl starts the run's command */
	BUILTIN_COUNT,
};

struct str builtin_word(enum builtin d);
/* False for a word that names none. */
bool builtin_from(struct str word, enum builtin *ret_driver);

/* Is it supported by the driver? */
bool builtin_can(enum builtin d, enum capability c);
/* Why it is, or isn't. */
struct str builtin_says(enum builtin d, enum capability c);

enum { DRIVER_NAME_BYTES = 32 };

/*
 * May a driver be called so?  A built-in one, or `[a-z][a-z0-9-]*`; not what
 * asks for a choice.  Errors: ERR_INVALID_ARGUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc driver_name_check(
	struct str name, struct pawl_err *err);

/* Instead of a name: whichever can do what the run needs. */
#define DRIVER_AUTO STR("auto")

/*
 * Of a driver, by its name: are its attempts handed on by who coordinates, so
 * that nothing is started for them?  Programs start what they are given.
 */
bool driver_hands_on(struct str name);

/* `id` is what asks for it again: the selection's name. */
void capability_receipt(struct json_writer *w, enum builtin d, struct str id);

/* The nine of a built-in driver, as an object. */
void capability_put_all(struct json_writer *w, enum builtin d);

/*
 * Are these the nine, each with what it must have?  `capabilities` is what a
 * driver said, or NULL.  Errors: ERR_INVALID_DOCUMENT with the first that
 * isn't.
 */
PAWL_MUST_CHECK enum pawl_rc capability_check(
	const struct json *capabilities, struct pawl_err *err);

/* Is it `supported`, in what a driver said? */
bool capability_has(const struct json *capabilities, enum capability c);

#endif
