/*
 * tree: all processes below one.
 *
 * Parents come before their children.  A process that double-forked or called
 * setsid() is still found below a subreaper (PR_SET_CHILD_SUBREAPER), which is
 * what pawl-child is: whose parent ends becomes its child.
 *
 * The list is a snapshot that may miss what is being forked while it is taken;
 * whoever ends a tree looks again until nothing is left.
 */
#ifndef PAWL_OS_TREE_H
#define PAWL_OS_TREE_H

#include "base/vec.h"
#include "os/pstat.h"

enum { TREE_MAX = 1 << 16 }; /* processes listed */

VEC_DEF(tree, struct pstat);

/* The living and the zombies below `root`, without itself. */
void tree_read(const char *proc, pid_t root, struct tree *ret_tree);

/* Clock ticks of all of them. */
uint64_t tree_cpu(const struct tree *tree);

/* How many aren't dead. */
size_t tree_alive(const struct tree *tree);

#endif
