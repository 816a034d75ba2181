#include "engine/learning.h"

#include "base/sha256.h"
#include "store/artifact.h"
#include "store/rundir.h"

#define LEARNING "learning"
#define DRAFT "DRAFT_CANDIDATES.md"

enum { DRAFT_BYTES = 256 << 20, NAME_HEX = 32 };

/* A folder below learning/, or that itself (NULL); -1 when there is none. */
static enum pawl_rc
folder_open(const struct place *p, const char *name, bool make, int *ret_dir,
	struct pawl_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY;
	int top = -1;
	enum pawl_rc rc = PAWL_OK;

	*ret_dir = -1;
	if (make)
		rc = fs_make_dir(p->fs, p->state_dir, LEARNING, err);
	if (rc == PAWL_OK)
		rc = fs_open(p->fs, p->state_dir, LEARNING, flags, &top, err);
	if (rc == PAWL_OK && name != NULL && make)
		rc = fs_make_dir(p->fs, top, name, err);
	if (rc == PAWL_OK && name != NULL) {
		rc = fs_open(p->fs, top, name, flags, ret_dir, err);
		fs_close(p->fs, &top);
	} else if (rc == PAWL_OK) {
		*ret_dir = top;
	} else {
		fs_close(p->fs, &top);
	}
	if (rc != PAWL_OK && !make && err->code == ERR_FILE_NOT_FOUND)
		return PAWL_OK;
	return rc == PAWL_OK ? rc : pawl_wrap(err, LEARNING);
}

static const char *
json_name(struct arena *mem, struct str name)
{
	return arena_format(mem, STR_FMT ".json", STR_ARG(name)).ptr;
}

/* Do the run's bytes hash to what the journal names? */
static enum pawl_rc
evidence_prove(const struct fs *fs, int run_dir, struct arena *mem,
	struct learn_evidence *e, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	if (e->kind != 1) {
		rc = artifact_get(
			fs, run_dir, e->sha256, BOUND_LIST_BYTES, &bytes, err);
	} else {
		rc = fs_read(fs, run_dir,
			arena_format(mem, "capsules/" STR_FMT ".json",
				STR_ARG(e->attempt))
				.ptr,
			BOUND_LIST_BYTES, &bytes, err);
		if (rc == PAWL_OK) {
			sha256_hex(buf_str(&bytes), hex);
			if (!str_eq(str_from(hex), e->sha256)) {
				rc = pawl_fail(err, ERR_DIGEST_MISMATCH,
					"capsule of attempt '" STR_FMT
					"' isn't what the journal names",
					STR_ARG(e->attempt));
			}
		}
	}
	buf_release(&bytes);
	e->proof = rc == PAWL_OK ? LEARN_VERIFIED : LEARN_UNAVAILABLE;
	return rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND ? PAWL_OK : rc;
}

static enum pawl_rc
record_prove(const struct fs *fs, int run_dir, struct arena *mem,
	struct learn_record *record, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < record->tasks_count; i++) {
		struct learn_task *t = &record->tasks[i];

		for (uint32_t k = 0; rc == PAWL_OK && k < t->evidence_count;
			k++)
			rc = evidence_prove(
				fs, run_dir, mem, &t->evidence[k], err);
	}
	return rc;
}

static enum pawl_rc
file_put(const struct place *p, int dir, const char *name, struct str bytes,
	bool *ret_made, struct pawl_err *err)
{
	enum pawl_rc rc =
		fs_create_once(p->fs, dir, name, bytes, ret_made, err);

	return rc == PAWL_OK ? rc : pawl_wrap(err, LEARNING);
}

enum pawl_rc
learning_measure(struct run *r, struct arena *mem,
	struct learn_record *ret_record, struct pawl_err *err)
{
	struct learn_record record;
	enum pawl_rc rc;

	if (!is_run_closed(&r->state)) {
		return pawl_fail(err, ERR_RUN_OPEN,
			"run '" STR_FMT "' isn't closed: only then its facts "
			"stay as they are",
			STR_ARG(r->id));
	}
	learn_record_make(&r->state, mem, &record);
	rc = record_prove(r->place->fs, r->dir, mem, &record, err);
	if (rc == PAWL_OK)
		*ret_record = record;
	return rc;
}

enum pawl_rc
learning_keep(const struct place *place, const struct learn_record *record,
	struct arena *mem, bool *ret_made, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	int dir = -1;
	enum pawl_rc rc = folder_open(place, "runs", true, &dir, err);

	if (rc == PAWL_OK) {
		learn_record_write(record, &bytes);
		rc = file_put(place, dir, json_name(mem, record->run),
			buf_str(&bytes), ret_made, err);
	}
	fs_close(place->fs, &dir);
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
learning_record(const struct place *place, struct str run, struct arena *mem,
	struct learn_record *ret_record, struct pawl_err *err)
{
	struct learn_record record;
	struct buf bytes = { 0 };
	int dir = -1;
	enum pawl_rc rc = folder_open(place, "runs", false, &dir, err);
	bool there = rc == PAWL_OK && dir >= 0 && rundir_is_id(run);

	if (there)
		rc = fs_read(place->fs, dir, json_name(mem, run),
			LEARN_RECORD_BYTES, &bytes, err);
	if ((rc == PAWL_OK && !there) ||
		(rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)) {
		rc = pawl_fail(err, ERR_RECORD_NOT_FOUND,
			"run '" STR_FMT "' has no record", STR_ARG(run));
	} else if (rc == PAWL_OK &&
		(learn_record_read(mem, buf_str(&bytes), &record, err) !=
				PAWL_OK ||
			!str_eq(record.run, run))) {
		rc = pawl_fail(err, ERR_CORRUPT,
			LEARNING ": the record of run '" STR_FMT
				 "' can't be read",
			STR_ARG(run));
	}
	fs_close(place->fs, &dir);
	buf_release(&bytes);
	if (rc == PAWL_OK)
		*ret_record = record;
	return rc;
}

enum pawl_rc
learning_judge(const struct place *place, struct learn_candidate *c,
	struct arena *mem, struct pawl_err *err)
{
	struct learn_record record;
	struct buf bytes = { 0 };
	enum pawl_rc rc = learning_record(place, c->run, mem, &record, err);

	if (rc != PAWL_OK)
		return rc;
	c->change = record.change;
	/* What was put together here is read as any other. */
	learn_candidate_write(c, &bytes);
	rc = learn_candidate_read(mem, buf_str(&bytes), c, err);
	buf_release(&bytes);
	return rc == PAWL_OK ? learn_candidate_fits(c, &record, err) : rc;
}

enum pawl_rc
learning_keep_candidate(const struct place *place,
	const struct learn_candidate *c, struct arena *mem,
	struct str *ret_name, bool *ret_made, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	char hex[SHA256_HEX + 1];
	struct str name = { 0 };
	int dir = -1;
	enum pawl_rc rc = folder_open(place, "candidates", true, &dir, err);

	if (rc == PAWL_OK) {
		learn_candidate_write(c, &bytes);
		sha256_hex(buf_str(&bytes), hex);
		name = arena_copy(mem, (struct str){ hex, NAME_HEX });
		rc = file_put(place, dir, json_name(mem, name), buf_str(&bytes),
			ret_made, err);
	}
	fs_close(place->fs, &dir);
	buf_release(&bytes);
	if (rc == PAWL_OK)
		*ret_name = name;
	return rc;
}

static enum pawl_rc
names_read(const struct place *place, const char *folder, int *ret_dir,
	struct buf *names, uint32_t *ret_count, struct pawl_err *err)
{
	enum pawl_rc rc = folder_open(place, folder, false, ret_dir, err);
	struct str rest;
	uint32_t count = 0;

	if (rc == PAWL_OK && *ret_dir >= 0)
		rc = fs_list(place->fs, *ret_dir, names, err);
	rest = buf_str(names);
	while (rc == PAWL_OK && rest.len > 0)
		count += str_ends(str_cut(&rest, '\0'), STR(".json"));
	*ret_count = count;
	return rc;
}

static enum pawl_rc
candidate_load(const struct place *place, int dir, struct str name,
	struct arena *mem, struct learn_candidate *ret_candidate,
	struct pawl_err *err)
{
	struct buf bytes = { 0 };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = fs_read(place->fs, dir, arena_strdup(mem, name),
		LEARN_CANDIDATE_BYTES, &bytes, err);

	if (rc == PAWL_OK) {
		sha256_hex(buf_str(&bytes), hex);
		if (!str_eq((struct str){ name.ptr, name.len - 5 },
			    (struct str){ hex, NAME_HEX })) {
			rc = pawl_fail(err, ERR_DIGEST_MISMATCH,
				LEARNING ": candidate '" STR_FMT
					 "' isn't what its name says",
				STR_ARG(name));
		}
	}
	if (rc == PAWL_OK)
		rc = learn_candidate_read(
			mem, buf_str(&bytes), ret_candidate, err);
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
learning_draft_make(const struct place *place, struct arena *mem,
	struct learning_draft *ret_draft, struct pawl_err *err)
{
	struct learning_draft d = { 0 };
	struct buf names = { 0 };
	struct str rest;
	uint32_t there = 0;
	int dir = -1;
	enum pawl_rc rc =
		names_read(place, "candidates", &dir, &names, &there, err);

	if (rc == PAWL_OK && there > LEARN_CANDIDATES)
		rc = pawl_fail(err, ERR_LIMIT,
			"%u candidates are over the limit of %d", there,
			LEARN_CANDIDATES);
	if (rc != PAWL_OK)
		goto out;
	d.candidates = arena_array(mem, there, struct learn_candidate);
	rest = buf_str(&names);
	while (rc == PAWL_OK && rest.len > 0) {
		struct str name = str_cut(&rest, '\0');

		if (str_ends(name, STR(".json")))
			rc = candidate_load(place, dir, name, mem,
				&d.candidates[d.candidates_count++], err);
	}
	if (rc != PAWL_OK)
		goto out;
	d.groups = learn_candidate_group(
		d.candidates, d.candidates_count, mem, &d.groups_count);
	learn_candidate_draft(d.candidates, d.groups, d.groups_count, &d.text);
	*ret_draft = d;
out:
	fs_close(place->fs, &dir);
	buf_release(&names);
	return rc;
}

enum pawl_rc
learning_draft_write(const struct place *place,
	const struct learning_draft *draft, struct pawl_err *err)
{
	int dir = -1;
	enum pawl_rc rc = folder_open(place, NULL, true, &dir, err);

	if (rc == PAWL_OK)
		rc = fs_replace(place->fs, dir, DRAFT, buf_str(&draft->text),
			FS_DURABLE, err);
	fs_close(place->fs, &dir);
	return rc;
}

/* Problems as they are found. */
struct problems {
	struct arena *mem;
	struct learning_problem *items;
	uint32_t total;
};

static void
problem_add(struct problems *p, struct str subject, const struct pawl_err *err)
{
	if (p->total++ >= LEARNING_PROBLEMS_MAX)
		return;
	p->items[p->total - 1] = (struct learning_problem){ err->code,
		arena_copy(p->mem, subject),
		arena_copy(p->mem, str_from(err->msg)) };
}

/* One record: what it called verified is so still. */
static void
record_check(const struct place *place, struct str run, struct problems *p)
{
	struct learn_record record;
	struct pawl_err err;
	int dir = -1;
	enum pawl_rc rc = learning_record(place, run, p->mem, &record, &err);

	if (rc == PAWL_OK)
		rc = rundir_open(place->fs, place->state_dir,
			arena_strdup(p->mem, run), &dir, &err);
	for (uint32_t i = 0; rc == PAWL_OK && i < record.tasks_count; i++) {
		struct learn_task *t = &record.tasks[i];

		for (uint32_t k = 0; rc == PAWL_OK && k < t->evidence_count;
			k++) {
			enum learn_proof was = t->evidence[k].proof;

			rc = evidence_prove(
				place->fs, dir, p->mem, &t->evidence[k], &err);
			if (rc == PAWL_OK && was != t->evidence[k].proof) {
				rc = pawl_fail(&err, ERR_EVIDENCE_MISSING,
					"evidence " STR_FMT " of '" STR_FMT
					"' was there and isn't, or the other "
					"way round",
					STR_ARG(t->evidence[k].sha256),
					STR_ARG(t->evidence[k].attempt));
			}
		}
	}
	if (rc != PAWL_OK)
		problem_add(p, run, &err);
	fs_close(place->fs, &dir);
}

static void
draft_check(const struct place *place, struct problems *p)
{
	struct learning_draft d = { 0 };
	struct buf there = { 0 };
	struct pawl_err err;
	int dir = -1;
	enum pawl_rc rc = learning_draft_make(place, p->mem, &d, &err);

	for (uint32_t i = 0; rc == PAWL_OK && i < d.candidates_count; i++) {
		const struct learn_candidate *c = &d.candidates[i];
		struct learn_record record;

		if (learning_record(place, c->run, p->mem, &record, &err) !=
				PAWL_OK ||
			learn_candidate_fits(c, &record, &err) != PAWL_OK)
			problem_add(p, c->key, &err);
	}
	if (rc == PAWL_OK)
		rc = folder_open(place, NULL, false, &dir, &err);
	if (rc == PAWL_OK && dir >= 0)
		rc = fs_read(place->fs, dir, DRAFT, DRAFT_BYTES, &there, &err);
	/* Before the first candidate there is none. */
	if (rc != PAWL_OK && err.code == ERR_FILE_NOT_FOUND &&
		d.candidates_count == 0) {
		rc = PAWL_OK;
		fs_close(place->fs, &dir);
	}
	if (rc == PAWL_OK && dir >= 0 &&
		!str_eq(buf_str(&there), buf_str(&d.text)))
		rc = pawl_fail(&err, ERR_EVIDENCE_STALE,
			"the draft isn't what the candidates give");
	if (rc != PAWL_OK)
		problem_add(p, STR(DRAFT), &err);
	fs_close(place->fs, &dir);
	buf_release(&there);
	buf_release(&d.text);
}

enum pawl_rc
learning_check(const struct place *place, struct arena *mem,
	struct learning_problem **ret_problems, uint32_t *ret_total,
	struct pawl_err *err)
{
	struct problems p = { .mem = mem };
	struct buf names = { 0 };
	struct str rest;
	uint32_t count;
	int dir = -1;
	enum pawl_rc rc = names_read(place, "runs", &dir, &names, &count, err);

	p.items = arena_array(
		mem, LEARNING_PROBLEMS_MAX, struct learning_problem);
	rest = buf_str(&names);
	while (rc == PAWL_OK && rest.len > 0) {
		struct str name = str_cut(&rest, '\0');

		if (!str_ends(name, STR(".json")))
			continue;
		name.len -= sizeof(".json") - 1;
		record_check(place, name, &p);
	}
	if (rc == PAWL_OK)
		draft_check(place, &p);
	fs_close(place->fs, &dir);
	buf_release(&names);
	if (rc == PAWL_OK) {
		*ret_problems = p.items;
		*ret_total = p.total;
	}
	return rc;
}
