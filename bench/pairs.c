/*
 * pairs: two commands in turns, so that what disturbs one disturbs the other.
 *
 *	pairs ROUNDS FILE A... -- B...
 *
 * Starts A, waits for it, starts B, waits for it, ROUNDS times; output goes to
 * /dev/null.  `{}` in an argument is the number of the round.  Prints the
 * medians in microseconds and the median of the rounds' ratios A/B.  A command
 * that ends with another status than 0 ends this one, which then shows FILE's
 * name: what the commands said lies there.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/die.h"
#include "base/num.h"

extern char **environ;

static double
now_us(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		die("no clock");
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return values[count / 2];
}

static char *
replaced(struct arena *mem, const char *arg, uint64_t round)
{
	const char *hole = strstr(arg, "{}");

	if (hole == NULL)
		return arena_strdup(mem, str_from(arg));
	return arena_strdup(mem,
		arena_format(mem, "%.*s%" PRIu64 "%s", (int)(hole - arg), arg,
			round, hole + 2));
}

static double
run(char **args, size_t count, uint64_t round, const char *file,
	const posix_spawn_file_actions_t *to)
{
	struct arena mem = ARENA_INIT;
	char **argv = arena_array(&mem, count + 1, char *);
	double start;
	int status = 0;
	pid_t pid;

	for (size_t i = 0; i < count; i++)
		argv[i] = replaced(&mem, args[i], round);
	start = now_us();
	if (posix_spawnp(&pid, argv[0], to, NULL, argv, environ) != 0)
		die("could not start '%s'", argv[0]);
	if (waitpid(pid, &status, 0) != pid)
		die("could not wait for '%s'", argv[0]);
	start = now_us() - start;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		die("'%s' failed in round %" PRIu64 "; see %s", argv[0], round,
			file);
	arena_reset(&mem);
	return start;
}

int
main(int argc, char **argv)
{
	posix_spawn_file_actions_t to;
	struct pawl_err err;
	uint64_t rounds = 0;
	double *a, *b, *ratio;
	int at = 3;

	while (at < argc && strcmp(argv[at], "--") != 0)
		at++;
	if (at < 4 || at + 1 >= argc)
		die("usage: pairs ROUNDS FILE A... -- B...");
	if (num_u64(str_from(argv[1]), 1, 1000000, &rounds, &err) != PAWL_OK)
		die("%s", err.msg);
	a = die_alloc(rounds, sizeof(*a));
	b = die_alloc(rounds, sizeof(*b));
	ratio = die_alloc(rounds, sizeof(*ratio));
	if (posix_spawn_file_actions_init(&to) != 0 ||
		posix_spawn_file_actions_addopen(&to, 1, argv[2],
			O_WRONLY | O_CREAT | O_TRUNC, 0600) != 0 ||
		posix_spawn_file_actions_adddup2(&to, 1, 2) != 0)
		die("could not set up the output");
	for (uint64_t i = 0; i < rounds; i++) {
		a[i] = run(argv + 3, (size_t)at - 3, i, argv[2], &to);
		b[i] = run(argv + at + 1, (size_t)(argc - at) - 1, i, argv[2],
			&to);
		ratio[i] = a[i] / b[i];
	}
	printf("%.0f %.0f %.2f\n", median(a, rounds), median(b, rounds),
		median(ratio, rounds));
	(void)posix_spawn_file_actions_destroy(&to);
	free(a);
	free(b);
	free(ratio);
	return 0;
}
