#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/die.h"

void
golden_read(const char *name, struct buf *out)
{
	const char *source = getenv("PAWL_SOURCE");
	struct buf path = { 0 };
	char part[4096];
	size_t len;
	FILE *file;

	buf_addf(&path, "%s/test/golden/%s", source ? source : ".", name);
	file = fopen(path.data, "re");
	if (file == NULL)
		die("could not open '%s'; set PAWL_SOURCE", path.data);
	while ((len = fread(part, 1, sizeof(part), file)) > 0)
		buf_add(out, (struct str){ part, len });
	if (ferror(file) || fclose(file) != 0)
		die("could not read '%s'", path.data);
	buf_release(&path);
}
