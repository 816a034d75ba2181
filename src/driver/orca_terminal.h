/*
 * orca_terminal: the terminal of one attempt, as orca lists it.
 *
 * A handle names a terminal for one runtime of orca's; what tells two terminals
 * apart is the incarnation (or, from an orca that has none, the pty).  One
 * that can't be told apart from another is unknown: neither used nor closed.
 */
#ifndef PAWL_DRIVER_ORCA_TERMINAL_H
#define PAWL_DRIVER_ORCA_TERMINAL_H

#include "driver/orca_cli.h"

struct orca_terminal {
	struct str runtime, worktree, handle;
	struct str incarnation, pty; /* empty: orca doesn't say */
};

enum orca_found {
	ORCA_HERE,
	ORCA_GONE,    /* proven: orca's whole list is without it */
	ORCA_UNCLEAR, /* another runtime, or a list that isn't whole */
};

/*
 * Look for the one with this identity; what it goes by now is in `*ret_handle`
 * when it is there.  Fails as orca_ask().
 */
bool orca_terminal_find(const struct orca_cli *cli,
	const struct orca_terminal *t, struct arena *mem,
	enum orca_found *ret_found, struct str *ret_handle,
	struct serve_failure *failure);

/*
 * Complete `t`, of which runtime and worktree are known, with what is listed
 * under its handle or, when that is empty, under `title`: exactly one.
 * ORCA_GONE: there is none.  Fails as orca_ask(), and with SERVE_UNKNOWN.
 */
bool orca_terminal_read(const struct orca_cli *cli, struct orca_terminal *t,
	struct str title, struct arena *mem, enum orca_found *ret_found,
	struct serve_failure *failure);

#endif
