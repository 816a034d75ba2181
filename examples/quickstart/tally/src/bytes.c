#include "tally.h"

unsigned long
tally_bytes(const char *text, size_t len)
{
	(void)text;
	return len;
}
