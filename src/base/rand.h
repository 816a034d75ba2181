/*
 * rand: where random bits come from, as a parameter.
 *
 * The real one asks the kernel (os/clock.h); a test's is seeded, so that the
 * same input gives the same bytes.
 */
#ifndef PAWL_BASE_RAND_H
#define PAWL_BASE_RAND_H

#include <stdint.h>

struct rand {
	uint64_t (*next)(struct rand *r);
	uint64_t state; /* of the seeded one */
};

/* splitmix64 from `seed`; deterministic. Source: Steele, Lea, Flood 2014. */
struct rand rand_seeded(uint64_t seed);

static inline uint64_t
rand_u64(struct rand *r)
{
	return r->next(r);
}

#endif
