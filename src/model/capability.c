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
	[BUILTIN_HOST] = { "host", 4 },
	[BUILTIN_PROCESS] = { "process", 7 },
};

#define NO_METRICS "no provider gives a receipt of it"
#define NO_BROWSER "there is no browser of pawl's"

static const struct cell cells[BUILTIN_COUNT][CAPABILITY_COUNT] = {
	[BUILTIN_HOST] = {
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
	[BUILTIN_PROCESS] = {
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
builtin_word(enum builtin d)
{
	assert(d < BUILTIN_COUNT);
	return drivers[d];
}

bool
builtin_from(struct str word, enum builtin *ret_driver)
{
	for (int d = 0; d < BUILTIN_COUNT; d++) {
		if (str_eq(drivers[d], word)) {
			*ret_driver = (enum builtin)d;
			return true;
		}
	}
	return false;
}

bool
builtin_can(enum builtin d, enum capability c)
{
	return cells[d][c].status == SUPPORTED;
}

struct str
builtin_says(enum builtin d, enum capability c)
{
	return str_from(cells[d][c].text);
}

struct str
capability_word(enum capability c)
{
	assert(c < CAPABILITY_COUNT);
	return words[c];
}

bool
driver_hands_on(struct str name)
{
	enum builtin d;

	return builtin_from(name, &d) &&
		!builtin_can(d, CAP_DURABLE_WORKER_HANDLE);
}

enum pawl_rc
driver_name_check(struct str name, struct pawl_err *err)
{
	bool good = name.len > 0 && name.len <= DRIVER_NAME_BYTES &&
		name.ptr[0] >= 'a' && name.ptr[0] <= 'z' &&
		!str_eq(name, DRIVER_AUTO);

	for (size_t i = 0; good && i < name.len; i++) {
		char c = name.ptr[i];

		good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
			c == '-';
	}
	if (good)
		return PAWL_OK;
	return pawl_fail(err, ERR_INVALID_ARGUMENT,
		"'" STR_FMT "' is no name of a driver: a small letter, then"
		" small letters, digits and '-', at most %d",
		STR_ARG(name), DRIVER_NAME_BYTES);
}

static const char *const status_words[] = { [UNSUPPORTED] = "unsupported",
	[UNAVAILABLE] = "unavailable",
	[SUPPORTED] = "supported" };

static void
put_cell(struct json_writer *w, const struct cell *cell)
{
	json_open(w, '{');
	json_pair_str(w, STR("status"), str_from(status_words[cell->status]));
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
capability_put_all(struct json_writer *w, enum builtin d)
{
	json_open(w, '{');
	for (int c = 0; c < CAPABILITY_COUNT; c++) {
		json_key(w, words[c]);
		put_cell(w, &cells[d][c]);
	}
	json_close(w, '}');
}

void
capability_receipt(struct json_writer *w, enum builtin d, struct str id)
{
	json_open(w, '{');
	json_pair_u64(w, STR("schema_version"), 1);
	json_pair_str(w, STR("id"), id);
	json_pair_str(w, STR("driver"), drivers[d]);
	json_pair_str(w, STR("version"), STR(PAWL_VERSION));
	json_key(w, STR("capabilities"));
	capability_put_all(w, d);
	json_key(w, STR("extensions"));
	json_open(w, '{');
	json_close(w, '}');
	json_close(w, '}');
}

static bool
is_verified(const struct json *v)
{
	static const char *const methods[] = { "observed", "probe", "provider",
		"configuration" };
	struct str method = json_str(json_get(v, STR("method")));
	bool known = false;

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		known = known || str_eq(method, str_from(methods[i]));
	return known && json_str(json_get(v, STR("evidence"))).len > 0;
}

enum pawl_rc
capability_check(const struct json *capabilities, struct pawl_err *err)
{
	for (int c = 0; c < CAPABILITY_COUNT; c++) {
		const struct json *cell = json_get(capabilities, words[c]);
		struct str status = json_str(json_get(cell, STR("status")));
		const char *fault = NULL;

		if (cell == NULL)
			fault = "isn't there";
		else if (str_eq(status, str_from(status_words[SUPPORTED])))
			fault = is_verified(json_get(cell, STR("verification")))
				? NULL
				: "doesn't say how that is known";
		else if (!str_eq(status, str_from(status_words[UNSUPPORTED])) &&
			!str_eq(status, str_from(status_words[UNAVAILABLE])))
			fault = "has no status";
		else if (json_str(json_get(cell, STR("reason"))).len == 0)
			fault = "doesn't say why it isn't there";
		if (fault != NULL)
			return pawl_fail(err, ERR_INVALID_DOCUMENT,
				"capability '" STR_FMT "' %s",
				STR_ARG(words[c]), fault);
	}
	return PAWL_OK;
}

bool
capability_has(const struct json *capabilities, enum capability c)
{
	return str_eq(json_str(json_get(
			      json_get(capabilities, words[c]), STR("status"))),
		str_from(status_words[SUPPORTED]));
}
