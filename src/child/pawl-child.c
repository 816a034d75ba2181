/*
 * pawl-child: the monitor of one worker or check.
 *
 * Spawned with its gate closed, so that its identity can be written down before
 * anything is executed; outlives whoever spawned it; see child/guard.h for what
 * it does and child/exitfile.h for what it leaves.  Exit status: 0 when the
 * gate closed or the outcome is written, the class of the error otherwise.
 */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "child/guard.h"
#include "child/job.h"

/*
 * Move the arguments out of what /proc/PID/cmdline shows, from the "--" on.
 *
 * The worker's command line stands in ours, too; a worker that looks for its
 * own server by name (pkill -f) must not find and end its monitor.
 */
static const char *const *
hide(int argc, char **argv, struct arena *mem)
{
	const char **copy = arena_array(mem, (size_t)argc + 1, const char *);
	bool after = false;

	for (int i = 0; i < argc; i++) {
		copy[i] = arena_strdup(mem, str_from(argv[i]));
		if (after)
			memset(argv[i], 0, strlen(argv[i]));
		after = after || strcmp(argv[i], "--") == 0;
	}
	return copy;
}

int
main(int argc, char **argv)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct job job;
	enum pawl_rc rc;

	if (argc < 1)
		return PAWL_EUSAGE;
	rc = job_read(&job, hide(argc, argv, &mem), &err);
	if (rc == PAWL_OK)
		rc = guard_run(&job, &err);
	job_release(&job);
	arena_reset(&mem);
	if (rc != PAWL_OK)
		(void)fprintf(stderr, "pawl-child: %s\n", err.msg);
	return (int)rc;
}
