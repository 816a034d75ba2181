/*
 * judge_ledger: one checkpoint a line on stdin, `1` (of a good shape) or `0` a
 * line on stdout.  The rules that no schema can say don't count.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/ledger_read.h"

static bool
is_of_good_shape(struct str line)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct ledger_findings f;
	struct ledger l;
	bool good = true;

	if (ledger_read(&mem, line, false, &l, &f, &err) != PAWL_OK)
		return false;
	for (uint32_t i = 0; i < f.count; i++)
		good = good && f.items[i].rule > LEDGER_DUPLICATE_VALUE;
	ledger_findings_release(&f);
	ledger_release(&l);
	arena_reset(&mem);
	return good;
}

int
main(void)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	while ((len = getline(&line, &cap, stdin)) > 0) {
		if (line[len - 1] == '\n')
			len--;
		(void)puts(is_of_good_shape((struct str){ line, (size_t)len })
				? "1"
				: "0");
	}
	free(line);
	return 0;
}
