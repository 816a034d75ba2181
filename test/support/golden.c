#include "golden.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/die.h"

static FILE *
golden_open(const char *name, const char *mode)
{
	const char *source = getenv("PAWL_SOURCE");
	struct buf path = { 0 };
	FILE *file;

	buf_addf(&path, "%s/test/golden/%s", source ? source : ".", name);
	file = fopen(path.data, mode);
	if (file == NULL)
		die("could not open '%s'; set PAWL_SOURCE", path.data);
	buf_release(&path);
	return file;
}

void
golden_read(const char *name, struct buf *out)
{
	FILE *file = golden_open(name, "re");
	char part[4096];
	size_t len;

	while ((len = fread(part, 1, sizeof(part), file)) > 0)
		buf_add(out, (struct str){ part, len });
	if (ferror(file) || fclose(file) != 0)
		die("could not read '%s'", name);
}

static void
golden_write(const char *name, struct str bytes)
{
	FILE *file = golden_open(name, "we");

	if (fwrite(bytes.ptr, 1, bytes.len, file) != bytes.len ||
		fclose(file) != 0)
		die("could not write '%s'", name);
}

bool
golden_is(const char *name, struct str bytes)
{
	const char *update = getenv("UPDATE");
	struct buf want = { 0 };
	bool same;

	if (update != NULL && str_eq(str_from(update), STR("1")))
		golden_write(name, bytes);
	golden_read(name, &want);
	same = str_eq(buf_str(&want), bytes);
	buf_release(&want);
	return same;
}
