/*
 * self_main: prints what it calls itself.  With OTHER it is another program.
 */
#include <stdio.h>

#include "engine/self.h"

#ifndef OTHER
#define OTHER ""
#endif

int
main(void)
{
	struct arena mem = ARENA_INIT;
	struct str binary = self_binary(&fs_real, &mem);

	(void)printf(STR_FMT "\n", STR_ARG(binary));
	(void)fputs(OTHER, stderr);
	arena_reset(&mem);
	return 0;
}
