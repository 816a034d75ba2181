/*
 * tempdir: a directory of a test's own, removed with all in it.
 */
#ifndef PAWL_TEST_TEMPDIR_H
#define PAWL_TEST_TEMPDIR_H

struct tempdir {
	char path[64];
	int fd;
};

struct tempdir tempdir_open(void);
void tempdir_close(struct tempdir *t);

#endif
