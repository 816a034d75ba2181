#include "base/rand.h"

static uint64_t
splitmix64(struct rand *r)
{
	uint64_t z = (r->state += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

struct rand
rand_seeded(uint64_t seed)
{
	return (struct rand){ .next = splitmix64, .state = seed };
}
