#include "base/sha256_blocks.h"

/* For processors without an implementation of their own. */
sha256_blocks_fn *
sha256_blocks_native(void)
{
	return NULL;
}
