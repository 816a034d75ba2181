/*
 * isolate: namespaces of its own, for a process that is about to execute.
 *
 *	net      no network but a loopback of its own: neither the machine's
 *	         addresses nor its abstract sockets are there
 *	protect  paths below which nothing can be written, whatever a rule set
 *	         (landlock.h, which can't take back what it grants) says
 *
 * Entered before a rule set, since who is confined can mount nothing, and can
 * undo none of this.  A process that may do it as it is does; any other makes a
 * user namespace first, in which it stays who it was.
 *
 * Source: Linux, namespaces(7), user_namespaces(7), mount_namespaces(7).
 */
#ifndef PAWL_OS_ISOLATE_H
#define PAWL_OS_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>

struct isolate {
	bool net;
	const char *const *protect; /* NULL-terminated; or NULL */
	const char *const *open;    /* below those, and not protected */
};

/* Is there anything to be done? */
bool isolate_is_wanted(const struct isolate *i);

/*
 * For good, in this process and all that it starts.  Safe between fork and
 * exec.  False, with errno, when the kernel or its owner doesn't allow it; some
 * of it may be done then.  proc_can_isolate() (os/proc.h) tells beforehand.
 */
bool isolate_enter(const struct isolate *i);

#endif
