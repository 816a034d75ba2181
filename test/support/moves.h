/*
 * moves: random runs for property tests.
 *
 * A plan is made from a seed; a move is a small number that becomes a command
 * on whatever state it meets, so that a sequence of moves can be replayed, and
 * cut down by leaving moves out.  move_next() mostly proposes what fits the
 * state, sometimes anything at all, and sometimes twists what fits: another
 * generation, actor, id, word.
 */
#ifndef PAWL_TEST_MOVES_H
#define PAWL_TEST_MOVES_H

#include "base/rand.h"
#include "run_fixture.h"

enum {
	MOVES_NODES_MAX = 8,
	MOVES_MAX = 40, /* of a sequence */
};

struct move {
	uint8_t type;    /* enum event_type */
	uint8_t node;    /* number */
	uint8_t number;  /* of its attempt */
	uint8_t variant; /* which word, of those that the type knows */
	uint8_t twist;   /* 0: none */
	bool ends;       /* the line, too */
};

/* A number below `n`. */
uint32_t rand_below(struct rand *r, uint32_t n);

/* A plan of 1 to MOVES_NODES_MAX nodes, and its run, started. */
void moves_fixture_init(struct run_fixture *f, uint64_t seed);

struct move move_next(const struct state *s, struct rand *r);
struct command move_command(struct run_fixture *f, struct move move);

/* For the message of a failure: `check_recorded N-1@2 variant 1 twist 0`. */
void move_show(struct buf *out, struct move move);

#endif
