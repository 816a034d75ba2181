/*
 * self: which program this is.
 */
#ifndef PAWL_ENGINE_SELF_H
#define PAWL_ENGINE_SELF_H

#include "base/arena.h"
#include "os/fs.h"

/*
 * SHA-256 of the running program's file as hex, in `mem`; empty where it can't
 * be read.  A run's journal names the binary that wrote it.
 */
struct str self_binary(const struct fs *fs, struct arena *mem);

#endif
