/*
 * The `main` of a fuzzer in the normal test run, under any compiler: runs it
 * over the files and folders that the arguments name, one TAP line an input.
 * What a fuzzer found once stays fixed, because its input lies in the corpus.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

enum { INPUT_MAX = 1 << 20 }; /* bytes */

struct replay {
	unsigned inputs;
	bool failed; /* an input could not be read */
};

/*
 * Of exactly the input's size, so that the address sanitizer sees a read past
 * its end.  NULL when the file can't be read.
 */
static uint8_t *
input_read(const char *path, size_t *ret_len)
{
	static uint8_t room[INPUT_MAX];
	FILE *f = fopen(path, "rb");
	uint8_t *copy = NULL;
	size_t len;

	if (f == NULL)
		return NULL;
	len = fread(room, 1, sizeof(room), f);
	if (!ferror(f))
		copy = malloc(len > 0 ? len : 1);
	if (copy != NULL) {
		memcpy(copy, room, len);
		*ret_len = len;
	}
	(void)fclose(f); /* only read from */
	return copy;
}

static void
replay_file(struct replay *r, const char *path)
{
	size_t len = 0;
	uint8_t *input = input_read(path, &len);

	r->inputs++;
	if (input == NULL) {
		r->failed = true;
		printf("not ok %u - %s: could not be read\n", r->inputs, path);
		return;
	}
	/* Said before the run: a crash ends the process. */
	printf("# %s\n", path);
	(void)fflush(stdout);
	LLVMFuzzerTestOneInput(input, len);
	free(input);
	printf("ok %u - %s\n", r->inputs, path);
}

static int
is_visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void
replay_folder(struct replay *r, const char *path)
{
	struct dirent **names = NULL;
	int count = scandir(path, &names, is_visible, alphasort);

	for (int i = 0; i < count; i++) {
		char file[4096];
		int len = snprintf(
			file, sizeof(file), "%s/%s", path, names[i]->d_name);

		if (len > 0 && (size_t)len < sizeof(file))
			replay_file(r, file);
		free(names[i]);
	}
	free(names);
}

int
main(int argc, char **argv)
{
	struct replay r = { 0 };

	for (int i = 1; i < argc; i++) {
		struct stat st;

		if (stat(argv[i], &st) == 0 && S_ISDIR(st.st_mode)) {
			replay_folder(&r, argv[i]);
		} else {
			replay_file(&r, argv[i]);
		}
	}
	if (r.inputs == 0) {
		/* An empty corpus proves nothing. */
		printf("not ok 1 - there is an input\n1..1\n");
		return EXIT_FAILURE;
	}
	printf("1..%u\n", r.inputs);
	return r.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
