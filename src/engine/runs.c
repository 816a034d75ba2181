#include "engine/runs.h"

#include <stdio.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/vec.h"
#include "model/id.h"
#include "store/rundir.h"
#include "text/json.h"

enum {
	RUNS_SHOWN = 20, /* names that an error lists */
};

VEC_DEF(run_ids, struct str);

static enum pawl_rc
list(const struct runs *runs, enum rundir_which which, struct run_ids *ids,
	struct pawl_err *err)
{
	struct buf names = { 0 };
	enum pawl_rc rc = PAWL_OK;
	struct str rest;

	if (runs->state >= 0)
		rc = rundir_list(runs->fs, runs->state, which, &names, err);
	rest = buf_str(&names);
	while (rc == PAWL_OK && rest.len > 0)
		run_ids_push(ids, arena_copy(runs->mem, str_cut(&rest, '\0')));
	buf_release(&names);
	return rc;
}

/* A run of exactly this name: a look at one entry, however many there are. */
static bool
is_there(const struct runs *runs, struct str name)
{
	char path[8 + BOUND_ID_BYTES];
	struct pawl_err ignored;
	struct stat st;

	if (runs->state < 0 || !rundir_is_id(name))
		return false;
	(void)snprintf(path, sizeof(path), "runs/" STR_FMT, STR_ARG(name));
	return fs_stat(runs->fs, runs->state, path, &st, &ignored) == PAWL_OK;
}

/* Several may be meant: list them, for people and for programs. */
static enum pawl_rc
ambiguous(struct arena *mem, const struct run_ids *ids, enum pawl_code code,
	const char *what, struct pawl_err *err)
{
	struct buf text = { 0 }, json = { 0 };
	struct json_writer w = { .out = &json };
	struct str *id;

	json_open(&w, '{');
	json_key(&w, STR("runs"));
	json_open(&w, '[');
	VEC_EACH (id, ids) {
		if (id - ids->items < RUNS_SHOWN) {
			buf_addf(&text, "%s" STR_FMT, text.len ? ", " : "",
				STR_ARG(*id));
			json_put_str(&w, *id);
		}
	}
	json_close(&w, ']');
	json_pair_u64(&w, STR("count"), ids->count);
	json_close(&w, '}');
	if (ids->count > RUNS_SHOWN)
		buf_add(&text, STR(", ..."));
	(void)pawl_fail(
		err, code, "%s %zu runs: %s", what, ids->count, text.data);
	err->detail = arena_copy(mem, buf_str(&json));
	buf_release(&text);
	buf_release(&json);
	return err->rc;
}

static enum pawl_rc
no_active(struct pawl_err *err)
{
	(void)pawl_fail(err, ERR_RUN_NOT_FOUND, "no run is active here");
	return pawl_hint(err, "pawl list --all");
}

/* When the run's journal was last written to; false when it holds nothing. */
static bool
last_change(const struct runs *runs, struct str id, struct timespec *ret_at)
{
	struct pawl_err ignored;
	struct stat st;
	int dir = -1;
	bool found =
		rundir_open(runs->fs, runs->state, arena_strdup(runs->mem, id),
			&dir, &ignored) == PAWL_OK &&
		fs_stat(runs->fs, dir, "events.jsonl", &st, &ignored) ==
			PAWL_OK &&
		st.st_size > 0;

	if (found)
		*ret_at = st.st_mtim;
	fs_close(runs->fs, &dir);
	return found;
}

/* For a read: who asks after the end means the run that has just ended. */
static enum pawl_rc
find_newest(const struct runs *runs, struct str *ret_id, struct pawl_err *err)
{
	struct run_ids ids = { 0 };
	struct timespec newest = { 0 }, at;
	struct str *id;
	bool found = false;
	enum pawl_rc rc = list(runs, RUNDIR_ALL, &ids, err);

	VEC_EACH (id, &ids) {
		if (rc != PAWL_OK || !last_change(runs, *id, &at))
			continue;
		if (found &&
			(at.tv_sec < newest.tv_sec ||
				(at.tv_sec == newest.tv_sec &&
					at.tv_nsec < newest.tv_nsec)))
			continue;
		found = true;
		newest = at;
		*ret_id = *id;
	}
	run_ids_release(&ids);
	if (rc == PAWL_OK && !found)
		rc = no_active(err);
	return rc;
}

static enum pawl_rc
find_active(const struct runs *runs, enum runs_match match, struct str *ret_id,
	struct pawl_err *err)
{
	struct run_ids ids = { 0 };
	enum pawl_rc rc = list(runs, RUNDIR_STARTED, &ids, err);

	if (rc == PAWL_OK && ids.count == 0) {
		rc = match == RUNS_PREFIX ? find_newest(runs, ret_id, err)
					  : no_active(err);
	} else if (rc == PAWL_OK && ids.count > 1) {
		rc = ambiguous(runs->mem, &ids, ERR_AMBIGUOUS_RUN,
			"a RUN must be named; active are", err);
	} else if (rc == PAWL_OK) {
		*ret_id = ids.items[0];
	}
	run_ids_release(&ids);
	return rc;
}

static enum pawl_rc
find_named(const struct runs *runs, struct str name, enum runs_match match,
	struct str *ret_id, struct pawl_err *err)
{
	struct run_ids ids = { 0 }, hits = { 0 };
	enum pawl_rc rc;
	struct str *id;

	if (is_there(runs, name)) {
		*ret_id = name;
		return PAWL_OK;
	}
	rc = list(runs, RUNDIR_ALL, &ids, err);
	VEC_EACH (id, &ids) {
		if (rc == PAWL_OK && id_has_prefix(*id, name))
			run_ids_push(&hits, *id);
	}
	if (rc != PAWL_OK)
		goto out;
	if (hits.count == 0) {
		rc = pawl_fail(err, ERR_RUN_NOT_FOUND, "no run '" STR_FMT "'",
			STR_ARG(name));
	} else if (hits.count > 1) {
		rc = ambiguous(runs->mem, &hits, ERR_AMBIGUOUS_ID,
			"it is the beginning of", err);
		(void)pawl_wrap(err, "run '" STR_FMT "'", STR_ARG(name));
	} else if (match == RUNS_WHOLE && !str_eq(hits.items[0], name)) {
		(void)pawl_fail(err, ERR_RUN_NOT_FOUND,
			"no run '" STR_FMT "'; a change needs the whole name",
			STR_ARG(name));
		rc = pawl_hint(err, STR_FMT, STR_ARG(hits.items[0]));
	} else {
		*ret_id = hits.items[0];
	}
out:
	run_ids_release(&ids);
	run_ids_release(&hits);
	return rc;
}

enum pawl_rc
runs_find(const struct runs *runs, const char *name, enum runs_match match,
	struct str *ret_id, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (name == NULL)
		return find_active(runs, match, ret_id, err);
	rc = id_check(str_from(name), err);
	if (rc == PAWL_OK)
		rc = find_named(runs, str_from(name), match, ret_id, err);
	if (rc != PAWL_OK)
		err->field = STR("RUN");
	return rc;
}
