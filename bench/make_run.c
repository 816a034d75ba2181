/*
 * make_run: a run with a history, for the benches that start programs.
 *
 *	make_run STATE ID NODES PASSED TAKEOVERS GATED
 *
 * See made_run.h.  Prints events, and bytes of journal and list.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/die.h"
#include "base/num.h"
#include "made_run.h"
#include "os/fs.h"

static uint32_t
number(const char *text)
{
	struct pawl_err err;
	uint64_t n = 0;

	if (num_u64(str_from(text), 0, 2000000, &n, &err) != PAWL_OK)
		die("%s", err.msg);
	return (uint32_t)n;
}

int
main(int argc, char **argv)
{
	struct made_run m;
	struct made_size size;
	struct pawl_err err;
	int state = -1;

	if (argc != 7)
		die("usage: make_run STATE ID NODES PASSED TAKEOVERS GATED");
	m = (struct made_run){ .nodes = number(argv[3]),
		.passed = number(argv[4]),
		.takeovers = number(argv[5]),
		.gated = number(argv[6]) };
	if (fs_open_dir(&fs_real, AT_FDCWD, argv[1], &state, &err) != PAWL_OK)
		die("%s", err.msg);
	size = made_run(state, argv[2], &m);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", size.events, size.bytes,
		size.list_bytes);
	(void)close(state);
	return 0;
}
