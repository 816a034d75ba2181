#include "driver/orca.h"
#include "driver/orca_cli.h"

/* A row a capability; `can` is true only while orca answers. */
static const struct {
	const char *name;
	bool can;
	const char *words; /* what shows it; else why not */
} capabilities[] = {
	{ "local_checks", true, "workers work in pawl's own worktree" },
	{ "user_questions", true, "a worker's outbox is pawl's own" },
	{ "process_tree_cleanup", true, "a monitor below each terminal" },
	{ "isolated_workspace", true, "orca lists pawl's own worktree" },
	{ "visible_worker_dispatch", true, "a terminal for each attempt" },
	{ "durable_worker_handle", true, "incarnations and start times" },
	{ "browser_surface", false, "this driver has no surfaces" },
	{ "usage_metrics", false, "orca's command line tells none" },
	{ "cache_metrics", false, "orca's command line tells none" },
};

bool
orca_describe(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct serve_failure why = { .code = SERVE_UNAVAILABLE };
	struct orca_cli cli;
	struct str runtime = { "", 0 };
	bool down,
		is = orca_cli_find(&cli, q->mem, &why) &&
		orca_runtime(&cli, q->mem, &runtime, &down, &why);

	(void)arg;
	(void)failure;
	json_pair_str(w, STR("driver"), STR("orca"));
	json_pair_str(w, STR("version"), STR(PAWL_VERSION));
	json_pair_u64(w, STR("protocol"), DRIVER_PROTOCOL);
	json_pair_str(w, STR("workspace"), STR("local"));
	json_key(w, STR("capabilities"));
	json_open(w, '{');
	for (size_t i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]);
		i++) {
		const char *words = capabilities[i].words;

		json_key(w, str_from(capabilities[i].name));
		json_open(w, '{');
		if (capabilities[i].can && is) {
			json_pair_str(w, STR("status"), STR("supported"));
			json_key(w, STR("verification"));
			json_open(w, '{');
			json_pair_str(w, STR("method"), STR("provider"));
			json_pair_str(w, STR("evidence"),
				arena_format(q->mem, "runtime " STR_FMT ": %s",
					STR_ARG(runtime), words));
			json_close(w, '}');
		} else {
			json_pair_str(w, STR("status"),
				capabilities[i].can ? STR("unavailable")
						    : STR("unsupported"));
			json_pair_str(w, STR("reason"),
				str_from(capabilities[i].can ? why.message
							     : words));
		}
		json_close(w, '}');
	}
	json_close(w, '}');
	json_key(w, STR("extensions"));
	json_open(w, '{');
	json_close(w, '}');
	return true;
}

/* A runtime that is ready and has this repository. */
bool
orca_select(void *arg, const struct serve_request *q, struct json_writer *w,
	struct serve_failure *failure)
{
	struct str ignored, repository, runtime;
	struct orca_reply reply = { .value = NULL };
	struct orca_cli cli;
	const char *args[1];
	bool down;

	(void)arg;
	if (!serve_text(q, "retry_id", &ignored, failure) ||
		!serve_text(q, "repository", &repository, failure) ||
		!orca_cli_find(&cli, q->mem, failure) ||
		!orca_runtime(&cli, q->mem, &runtime, &down, failure))
		return false;
	args[0] =
		arena_format(q->mem, "path:" STR_FMT, STR_ARG(repository)).ptr;
	if (!orca_ask(
		    &cli, ORCA_WORKTREE_SHOW, args, q->mem, &reply, failure)) {
		if (failure->code == SERVE_NOT_FOUND)
			failure->code = SERVE_REFUSED;
		return false;
	}
	json_pair_bool(w, STR("ready"), true);
	json_key(w, STR("refs"));
	json_open(w, '{');
	json_pair_str(w, STR("runtime"), runtime);
	json_close(w, '}');
	return true;
}
