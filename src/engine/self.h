/*
 * self: which program this is.
 */
#ifndef PAWL_ENGINE_SELF_H
#define PAWL_ENGINE_SELF_H

#include "base/arena.h"
#include "os/fs.h"

/*
 * The identity of the running program as hex, in `mem`: its build id
 * (os/build_id.h); where it was linked without one, the SHA-256 of its file;
 * empty where that can't be read.  A run's journal names the binary that wrote
 * it by this, and another one resumes before it acts.
 */
struct str self_binary(const struct fs *fs, struct arena *mem);

#endif
