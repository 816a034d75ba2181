/*
 * bare: the least that a program can cost.
 *
 *	bare              nothing: start and end
 *	bare FILE BYTES   append so many bytes to FILE, one write, one fdatasync
 *	bare -- PROGRAM   start PROGRAM, wait for it
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int
start(char **argv)
{
	int status = 1;
	pid_t pid;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0 ||
		waitpid(pid, &status, 0) != pid)
		return 1;
	return status != 0;
}

int
main(int argc, char **argv)
{
	static char bytes[1 << 16];
	size_t count = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 0;
	int fd;

	if (argc < 3)
		return 0;
	if (strcmp(argv[1], "--") == 0)
		return start(argv + 2);
	if (count > sizeof(bytes))
		return 2;
	fd = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count ||
		fdatasync(fd) != 0)
		return 1;
	return 0;
}
