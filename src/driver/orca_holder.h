/*
 * orca_holder: what runs in orca's terminal, `pawl-driver-orca --hold FOLDER`.
 *
 * It claims the attempt, or ends; waits for the gate; has the worker run below
 * a monitor (os/monitor.h); shows what that prints; and ends when it has ended.
 * A terminal that is closed ends the worker with it.
 */
#ifndef PAWL_DRIVER_ORCA_HOLDER_H
#define PAWL_DRIVER_ORCA_HOLDER_H

/* The exit status: 0, also when the claim is another's; 1 with a word on
 * standard error. */
int orca_hold(const char *folder);

#endif
