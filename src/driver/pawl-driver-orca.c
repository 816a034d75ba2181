/* pawl-driver-orca: docs/driver-protocol.md on standard input and output; with
 * --hold FOLDER what runs in a terminal of orca's (orca_holder.h). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/orca.h"
#include "driver/orca_holder.h"
#include "os/program.h"

int
main(int argc, char **argv)
{
	struct orca orca = { .state = getenv("PAWL_DRIVER_STATE") };
	char self[PATH_MAX];
	struct pawl_err err;

	if (argc == 3 && strcmp(argv[1], "--hold") == 0)
		return orca_hold(argv[2]);
	if (argc != 1) {
		(void)fprintf(stderr,
			"pawl-driver-orca: pawl starts this program; see"
			" 'pawl driver list'\n");
		return 2;
	}
	if (program_self(self, &err) != PAWL_OK) {
		(void)fprintf(stderr, "pawl-driver-orca: %s\n", err.msg);
		return 1;
	}
	orca.program = self;
	return serve(&orca_ops, &orca);
}
