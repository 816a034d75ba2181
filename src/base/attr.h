/*
 * attr: what the compiler is told beyond the standard, in one place.
 */
#ifndef PAWL_BASE_ATTR_H
#define PAWL_BASE_ATTR_H

#define PAWL_MUST_CHECK __attribute__((warn_unused_result))
#define PAWL_PRINTF(fmt, args) \
	__attribute__((format(printf, fmt, args), nonnull(fmt)))
#define PAWL_NORETURN __attribute__((noreturn))
#define PAWL_COLD __attribute__((cold))
#define PAWL_NOINLINE __attribute__((noinline))

#endif
