/* Print MEASURE of standard input; test/run.sh says which one that is. */
#include <stdio.h>

#include "../src/tally.h"

int
main(void)
{
	static char text[4096];
	size_t len = fread(text, 1, sizeof(text), stdin);

	printf("%lu\n", MEASURE(text, len));
	return 0;
}
