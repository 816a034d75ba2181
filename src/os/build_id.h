/*
 * build_id: what the linker calls the program that runs.
 *
 * A build id is a digest that the linker took of what it wrote; it lies in a
 * note (ELF gABI, "Note Section"; name "GNU", type 3, NT_GNU_BUILD_ID) that is
 * loaded with the program, so that knowing it costs no system call and not one
 * byte read:
 *
 *	4 bytes  length of the name, with its NUL
 *	4 bytes  length of the value
 *	4 bytes  type
 *	n bytes  name; zeros, so that the value is aligned
 *	n bytes  value; zeros, so that the next note is
 *
 * The lengths don't count the zeros.  Numbers are in the machine's order.  Two
 *programs with one build id are the same code and the same data, though one may
 *be stripped.  What changes a file after it was linked doesn't change its build
 *id.
 *
 * A linker can be told to write none, and lld's shortest has 8 bytes, which two
 * programs could share: such a program has none here.
 */
#ifndef PAWL_OS_BUILD_ID_H
#define PAWL_OS_BUILD_ID_H

#include "base/str.h"

enum {
	BUILD_ID_BYTES_MIN = 16, /* of MD5, and of a random UUID */
	BUILD_ID_BYTES_MAX = 64
};

/* The bytes of the running program's; empty where it has none. */
struct str build_id_own(void);

/*
 * The one that stands among notes that are aligned to `align` bytes (4 or 8);
 * empty where none does, or where they end too early.
 */
struct str build_id_find(struct str notes, size_t align);

#endif
