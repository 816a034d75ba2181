/*
 * judge_result: one report a line on stdin, `1` (taken) or `0` a line on
 * stdout.  Which attempt it should name is read from the report itself, so that
 * only what a schema can say is judged.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/result.h"

static bool
is_taken(struct str line)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *json = NULL;
	struct result_of of = { 0 };
	struct result r;
	bool taken = false;

	if (json_read(&mem, arena_strdup(&mem, line), line.len, JSON_STRICT,
		    &json, &err) == PAWL_OK) {
		of.task_id = json_str(json_get(json, STR("task_id")));
		of.attempt_id = json_str(json_get(json, STR("attempt_id")));
		taken = result_read(&mem, line, of, RESULT_BY_WORKER, &r,
				&err) == PAWL_OK;
	}
	arena_reset(&mem);
	return taken;
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
		(void)puts(is_taken((struct str){ line, (size_t)len }) ? "1"
								       : "0");
	}
	free(line);
	return 0;
}
