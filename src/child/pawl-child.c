/*
 * pawl-child: the monitor of one worker or check.
 *
 * Spawned with its gate closed, so that its identity can be written down before
 * anything is executed; outlives whoever spawned it; see child/guard.h for what
 * it does and child/exitfile.h for what it leaves.  Exit status: 0 when the
 * gate closed or the outcome is written, the class of the error otherwise.
 */
#include <stdio.h>

#include "child/guard.h"
#include "child/job.h"

int
main(int argc, char **argv)
{
	struct pawl_err err = { 0 };
	struct job job;
	enum pawl_rc rc = PAWL_EUSAGE;

	if (argc < 1)
		return PAWL_EUSAGE;
	rc = job_read(&job, (const char *const *)argv, &err);
	if (rc == PAWL_OK)
		rc = guard_run(&job, &err);
	job_release(&job);
	if (rc != PAWL_OK)
		(void)fprintf(stderr, "pawl-child: %s\n", err.msg);
	return (int)rc;
}
