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

enum driver {
	DRIVER_HOST,    /* the caller starts workers; pawl hands out capsules */
	DRIVER_PROCESS, /* pawl starts the run's command */
	DRIVER_COUNT,
};

struct str driver_word(enum driver d);
/* False for a word that names none. */
bool driver_from(struct str word, enum driver *ret_driver);

/* Is it supported by the driver? */
bool driver_can(enum driver d, enum capability c);

/* `id` is what asks for it again: the selection's name. */
void capability_receipt(struct json_writer *w, enum driver d, struct str id);

#endif
