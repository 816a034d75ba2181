/* tally [MEASURE...] <TEXT: print each measure of a text, or all of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tally.h"

struct measure {
	const char *name;
	unsigned long (*count)(const char *text, size_t len);
	const char *meaning;
};

static const struct measure measures[] = {
	{ "bytes", tally_bytes, "length in bytes" },
};

enum { MEASURES = sizeof(measures) / sizeof(measures[0]) };

static char *
read_all(FILE *in, size_t *len)
{
	size_t room = 4096;
	char *text = malloc(room);

	for (*len = 0; text != NULL;) {
		size_t got = fread(text + *len, 1, room - *len, in);

		*len += got;
		if (got == 0)
			break;
		if (*len == room)
			text = realloc(text, room *= 2);
	}
	return text;
}

static int
is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return 1;
	return argc < 2;
}

int
main(int argc, char **argv)
{
	size_t len;
	char *text;

	text = read_all(stdin, &len);
	if (text == NULL)
		return 1;
	for (size_t i = 0; i < MEASURES; i++)
		if (is_wanted(measures[i].name, argc, argv))
			printf("%s %lu\n", measures[i].name,
				measures[i].count(text, len));
	free(text);
	return 0;
}
