/*
 * fs_sim: a file system in memory that can lose its power.
 *
 * What processes see and what is on the disk are two things.  A write changes
 * what is seen and leaves pending one record a sector of 512 bytes, and one for
 * the size; names that are made, moved and removed are pending in their
 * directory.  A sync of a file or of a directory puts its pending records on
 * the disk.  At a crash any subset of the pending records is kept, by a seed:
 * sectors in any order, sizes also in part, names without their files' bytes.
 * A sector that was not kept below a size that was reads as NUL.
 *
 * Seed 0 keeps nothing, seed 1 everything.  Absolute paths, and those of
 * AT_FDCWD, begin at the root, too.
 */
#ifndef PAWL_TEST_FS_SIM_H
#define PAWL_TEST_FS_SIM_H

#include "os/fs.h"

struct fs_sim;

struct fs_sim *fs_sim_new(void);
void fs_sim_free(struct fs_sim *s);

/* Another one that holds the same; nothing but its root is open. */
struct fs_sim *fs_sim_copy(const struct fs_sim *s);

struct fs fs_sim_fs(struct fs_sim *s);
int fs_sim_root(struct fs_sim *s); /* stays open, over crashes too */

/* The power goes before change number `left` from now, counted from 0; -1:
 * never.  From then on every operation fails with EIO. */
void fs_sim_cut_before(struct fs_sim *s, long left);

/* Did the power go? */
bool fs_sim_is_dead(const struct fs_sim *s);

/*
 * From sync number `left` on `count` syncs fail with EIO and lose pages: by the
 * seed some reach the disk, the others are taken for clean and are never
 * written. What processes see stays (as on ext4), or becomes what is on the
 * disk.
 */
void fs_sim_fail_syncs(struct fs_sim *s, long left, long count, uint64_t seed);

/* How many changes there were: writes, syncs, names made, moved, removed. */
long fs_sim_changes(const struct fs_sim *s);

/* The power comes back: what the seed kept is there, nothing is open. */
void fs_sim_crash(struct fs_sim *s, uint64_t seed);

/* Locks that somebody holds. */
long fs_sim_locks(const struct fs_sim *s);

/* Descriptors that are open, but for the root's. */
long fs_sim_open_count(const struct fs_sim *s);

#endif
