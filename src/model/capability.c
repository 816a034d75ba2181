#include "model/capability.h"

#include "base/die.h"

enum status { UNSUPPORTED, UNAVAILABLE, SUPPORTED };

struct cell {
	enum status status;
	const char *text; /* how it is known; or why it isn't there */
};

#define WORD_ROW(name, text) [name] = { text, sizeof(text) - 1 },
static const struct str words[] = { CAPABILITY_MAP(WORD_ROW) };

static const struct str drivers[] = {
	[DRIVER_HOST] = { "host", 4 },
	[DRIVER_PROCESS] = { "process", 7 },
};

#define NO_METRICS "no provider gives a receipt of it"
#define NO_BROWSER "there is no browser of pawl's"

static const struct cell cells[DRIVER_COUNT][CAPABILITY_COUNT] = {
	[DRIVER_HOST] = {
		[CAP_LOCAL_CHECKS] = { SUPPORTED,
			"checks run here, under a monitor" },
		[CAP_USER_QUESTIONS] = { SUPPORTED,
			"questions are recorded and answered by pawl" },
		[CAP_PROCESS_TREE_CLEANUP] = { SUPPORTED,
			"a check's process tree is ended by its monitor" },
		[CAP_ISOLATED_WORKSPACE] = { UNSUPPORTED,
			"the host decides where its workers run" },
		[CAP_VISIBLE_WORKER_DISPATCH] = { UNSUPPORTED,
			"pawl starts nothing: the host does" },
		[CAP_DURABLE_WORKER_HANDLE] = { UNSUPPORTED,
			"the host's workers have no process that pawl knows" },
		[CAP_BROWSER_SURFACE] = { UNSUPPORTED, NO_BROWSER },
		[CAP_USAGE_METRICS] = { UNAVAILABLE, NO_METRICS },
		[CAP_CACHE_METRICS] = { UNAVAILABLE, NO_METRICS },
	},
	[DRIVER_PROCESS] = {
		[CAP_LOCAL_CHECKS] = { SUPPORTED,
			"checks run here, under a monitor" },
		[CAP_USER_QUESTIONS] = { SUPPORTED,
			"questions are recorded and answered by pawl" },
		[CAP_PROCESS_TREE_CLEANUP] = { SUPPORTED,
			"a worker's process tree is ended by its monitor" },
		[CAP_ISOLATED_WORKSPACE] = { SUPPORTED,
			"an attempt can work in a worktree of its own" },
		[CAP_VISIBLE_WORKER_DISPATCH] = { UNSUPPORTED,
			"workers have no terminal" },
		[CAP_DURABLE_WORKER_HANDLE] = { SUPPORTED,
			"a monitor outlives its coordinator and is recorded" },
		[CAP_BROWSER_SURFACE] = { UNSUPPORTED, NO_BROWSER },
		[CAP_USAGE_METRICS] = { UNAVAILABLE, NO_METRICS },
		[CAP_CACHE_METRICS] = { UNAVAILABLE, NO_METRICS },
	},
};

struct str
driver_word(enum driver d)
{
	assert(d < DRIVER_COUNT);
	return drivers[d];
}

bool
driver_from(struct str word, enum driver *ret_driver)
{
	for (int d = 0; d < DRIVER_COUNT; d++) {
		if (str_eq(drivers[d], word)) {
			*ret_driver = (enum driver)d;
			return true;
		}
	}
	return false;
}

bool
driver_can(enum driver d, enum capability c)
{
	return cells[d][c].status == SUPPORTED;
}

static void
put_cell(struct json_writer *w, const struct cell *cell)
{
	static const char *const status[] = { [UNSUPPORTED] = "unsupported",
		[UNAVAILABLE] = "unavailable",
		[SUPPORTED] = "supported" };

	json_open(w, '{');
	json_pair_str(w, STR("status"), str_from(status[cell->status]));
	if (cell->status == SUPPORTED) {
		json_key(w, STR("verification"));
		json_open(w, '{');
		json_pair_str(w, STR("method"), STR("configuration"));
		json_pair_str(w, STR("evidence"), str_from(cell->text));
		json_close(w, '}');
	} else {
		json_pair_str(w, STR("reason"), str_from(cell->text));
	}
	json_close(w, '}');
}

void
capability_receipt(struct json_writer *w, enum driver d, struct str id)
{
	json_open(w, '{');
	json_pair_u64(w, STR("schema_version"), 1);
	json_pair_str(w, STR("id"), id);
	json_pair_str(w, STR("driver"), drivers[d]);
	json_pair_str(w, STR("version"), STR(PAWL_VERSION));
	json_key(w, STR("capabilities"));
	json_open(w, '{');
	for (int c = 0; c < CAPABILITY_COUNT; c++) {
		json_key(w, words[c]);
		put_cell(w, &cells[d][c]);
	}
	json_close(w, '}');
	json_key(w, STR("extensions"));
	json_open(w, '{');
	json_close(w, '}');
	json_close(w, '}');
}
