#include "engine/intake_facts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/die.h"
#include "engine/git.h"
#include "engine/ref.h"
#include "engine/snapshot.h"
#include "engine/trial.h"
#include "model/scope.h"
#include "os/proc.h"

enum { PROBE_OUT_MAX = 4096 };

/* The paths of a packet, or of the scope, in normal form. */
struct group {
	struct scope *scopes;
	uint32_t count;
};

struct measuring {
	const struct intake_measure *m;
	struct intake_facts *f;
	struct group *packets;
	struct intake_scope_fact *scopes;
};

static struct group
group_of(const struct str *paths, uint32_t count, struct arena *mem)
{
	struct group g = { arena_array(mem, count, struct scope), 0 };

	for (uint32_t i = 0; i < count; i++) {
		struct pawl_err ignored;

		if (scope_normalise(paths[i], mem, &g.scopes[g.count],
			    &ignored) == PAWL_OK)
			g.count++;
	}
	return g;
}

static bool
group_has(const struct group *g, struct str path)
{
	for (uint32_t i = 0; i < g->count; i++) {
		if (scope_contains(g->scopes[i].path, path))
			return true;
	}
	return false;
}

/* Every path that is named, once. */
static void
scopes_gather(struct measuring *x)
{
	const struct intake_signals *s = x->m->signals;
	struct group own = group_of(s->scope, s->scope_count, x->m->mem);
	uint32_t count = own.count;
	struct scope *all;
	size_t n = 0;

	x->packets = arena_array(x->m->mem, s->packets_count, struct group);
	for (uint32_t i = 0; i < s->packets_count; i++) {
		x->packets[i] = group_of(s->packets[i].paths,
			s->packets[i].paths_count, x->m->mem);
		count += x->packets[i].count;
	}
	all = arena_array(x->m->mem, count, struct scope);
	for (uint32_t i = 0; i < own.count; i++)
		all[n++] = own.scopes[i];
	for (uint32_t i = 0; i < s->packets_count; i++) {
		for (uint32_t k = 0; k < x->packets[i].count; k++)
			all[n++] = x->packets[i].scopes[k];
	}
	n = scope_reduce(all, n);
	if (n > BOUND_DECISION_ITEMS)
		n = BOUND_DECISION_ITEMS;
	x->scopes = arena_array(x->m->mem, n, struct intake_scope_fact);
	for (size_t i = 0; i < n; i++)
		x->scopes[i].path = scope_shown(all[i].path);
	x->f->scopes = x->scopes;
	x->f->scopes_count = (uint32_t)n;
}

static struct str
bare(struct str shown)
{
	return str_eq(shown, STR(".")) ? STR("") : shown;
}

/* Git, whose output may be over its bound: then nothing is known. */
static enum pawl_rc
ask(const struct measuring *x, const char *const *args, size_t max,
	bool *ret_known, struct git_ran *ret_ran, struct pawl_err *err)
{
	const struct repo *repo = x->m->repo;
	const struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.out_max = max };
	enum pawl_rc rc = git_run(&call, ret_ran, err);

	*ret_known = rc == PAWL_OK;
	return rc != PAWL_OK && err->code == ERR_LIMIT ? PAWL_OK : rc;
}

static enum pawl_rc
files_count(struct measuring *x, struct pawl_err *err)
{
	static const char *const args[] = { "ls-files", "-z", "--cached",
		NULL };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

	rc = ask(x, args, INTAKE_FILES_BYTES, &x->f->has_files, &ran, err);
	if (rc != PAWL_OK || !x->f->has_files)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str path = str_cut(&rest, '\0');

		for (uint32_t i = 0; i < x->f->scopes_count; i++)
			x->scopes[i].files +=
				scope_contains(bare(x->scopes[i].path), path);
	}
	git_ran_release(&ran);
	return PAWL_OK;
}

static enum pawl_rc
dirty_count(struct measuring *x, struct pawl_err *err)
{
	struct changes changes = { 0 };
	enum pawl_rc rc;

	rc = snapshot_dirty(x->m->repo, x->m->mem, &changes, err);
	if (rc != PAWL_OK)
		return err->code == ERR_LIMIT ? PAWL_OK : rc;
	x->f->has_dirty = true;
	x->f->dirty = (uint32_t)changes.count;
	for (size_t i = 0; i < changes.count; i++) {
		for (uint32_t k = 0; k < x->f->scopes_count; k++)
			x->scopes[k].dirty += scope_contains(
				bare(x->scopes[k].path), changes.items[i].path);
	}
	changes_release(&changes);
	return PAWL_OK;
}

/* Which packets the commits so far touched, alone and together. */
struct history {
	uint32_t packets;
	uint32_t commits;
	uint32_t *alone;    /* commits a packet */
	uint32_t *together; /* packets × packets, the lower one first */
	bool *touched;      /* by the commit that is being read */
};

static void
commit_end(struct history *h)
{
	for (uint32_t a = 0; a < h->packets; a++) {
		if (!h->touched[a])
			continue;
		h->alone[a]++;
		for (uint32_t b = a + 1; b < h->packets; b++)
			h->together[a * h->packets + b] += h->touched[b];
	}
	memset(h->touched, 0, h->packets * sizeof(*h->touched));
}

/*
 * `--format=%x01 -z --name-only`: a commit is "\1", then its names, each with a
 * NUL; the first name of a commit has a LF before it.
 */
static void
history_read(const struct measuring *x, struct str rest, struct history *h)
{
	while (rest.len > 0) {
		struct str word = str_cut(&rest, '\0');

		if (str_starts(word, STR("\n")))
			word = str_part(word, 1, word.len);
		if (str_eq(word, STR("\1"))) {
			commit_end(h);
			h->commits++;
			continue;
		}
		for (uint32_t i = 0; word.len > 0 && i < h->packets; i++) {
			if (!h->touched[i])
				h->touched[i] = group_has(&x->packets[i], word);
		}
	}
	commit_end(h);
}

static void
couplings_set(struct measuring *x, const struct history *h)
{
	struct intake_coupling *all = arena_array(x->m->mem,
		(size_t)h->packets * h->packets, struct intake_coupling);
	uint32_t n = 0;

	for (uint32_t a = 0; a < h->packets; a++) {
		for (uint32_t b = a + 1; b < h->packets; b++) {
			uint32_t together = h->together[a * h->packets + b];

			if (together > 0)
				all[n++] = (struct intake_coupling){ a, b,
					together, h->alone[a], h->alone[b] };
		}
	}
	x->f->couplings = all;
	x->f->couplings_count = n;
	x->f->commits = h->commits;
}

static enum pawl_rc
history_measure(struct measuring *x, struct pawl_err *err)
{
	static const char *const args[] = { "log", "-n", "500", "--no-merges",
		"--no-renames", "--format=%x01", "--name-only", "-z", "HEAD",
		"--", NULL };
	struct git_ran ran = { 0 };
	struct history h = { .packets = x->m->signals->packets_count };
	enum pawl_rc rc;

	static_assert(INTAKE_COMMITS_MAX == 500, "it stands in args");
	rc = ask(x, args, INTAKE_LOG_BYTES, &x->f->has_history, &ran, err);
	if (rc != PAWL_OK || !x->f->has_history)
		return rc;
	h.alone = arena_array(x->m->mem, h.packets, uint32_t);
	h.together =
		arena_array(x->m->mem, (size_t)h.packets * h.packets, uint32_t);
	h.touched = arena_array(x->m->mem, h.packets, bool);
	history_read(x, buf_str(&ran.out), &h);
	couplings_set(x, &h);
	git_ran_release(&ran);
	return PAWL_OK;
}

/* Is `name` in a folder of PATH, as execvp looks for it? */
static bool
is_on_path(const char *name, struct arena *mem)
{
	const char *path = getenv("PATH");
	struct str rest = str_from(path ? path : "/usr/bin:/bin");

	while (rest.ptr != NULL) {
		struct str dir = str_cut(&rest, ':');
		struct str full = arena_format(mem, STR_FMT "/%s",
			STR_ARG(dir.len ? dir : STR(".")), name);

		if (access(full.ptr, X_OK) == 0)
			return true;
	}
	return false;
}

static void
check_find(struct measuring *x)
{
	const char *program = x->m->check[0];
	struct str path = str_from(program);

	x->f->has_check = true;
	x->f->program = path;
	if (str_find(path, '/') == path.len) {
		x->f->check_found = is_on_path(program, x->m->mem);
		return;
	}
	if (*program != '/')
		path = arena_format(x->m->mem, "%s/%s", x->m->here, program);
	x->f->check_found = access(path.ptr, X_OK) == 0;
}

/* Without a commit there is only what stands here. */
static enum pawl_rc
run_here(struct measuring *x, struct proc_end *ret_end, struct pawl_err *err)
{
	const struct proc_run_spec spec = {
		.child = { .argv = (const char *const *)x->m->check,
			.dir = x->m->here },
		.deadline_ms = BOUND_CHECK_MS,
		.grace_ms = 2000,
		.out_max = PROBE_OUT_MAX,
	};
	struct proc_ran ran = { 0 };
	enum pawl_rc rc = proc_run(&spec, &ran, err);

	if (rc == PAWL_OK)
		*ret_end = ran.end;
	proc_ran_release(&ran);
	return rc;
}

/* How the check ends on the base, before the work. */
static enum pawl_rc
probe(struct measuring *x, struct pawl_err *err)
{
	struct intake_facts *f = x->f;
	const struct trial trial = { .repo = x->m->repo,
		.commit = arena_strdup(x->m->mem, f->base),
		.argv = (const char *const *)x->m->check,
		.deadline_ms = BOUND_CHECK_MS,
		.mem = x->m->mem };
	struct proc_end end = { .kind = PROC_EXIT };
	enum pawl_rc rc = f->base.len > 0
		? trial_run(&trial, &end, x->m->stop_signal, err)
		: run_here(x, &end, err);

	if (rc != PAWL_OK)
		return rc;
	f->has_probe = true;
	switch (end.kind) {
	case PROC_EXIT:
		f->probe = arena_format(x->m->mem, "exit %d", end.code);
		break;
	case PROC_SIGNAL:
		f->probe = arena_format(x->m->mem, "signal %d", end.code);
		break;
	case PROC_TIMEOUT:
		f->probe = STR("timeout");
		f->probe_unusable = true;
		break;
	case PROC_START_FAILED:
		f->probe = STR("could not start");
		f->probe_unusable = true;
		break;
	}
	return PAWL_OK;
}

static enum pawl_rc
repository_measure(struct measuring *x, struct pawl_err *err)
{
	struct ref_head head = { 0 };
	enum pawl_rc rc = ref_head(x->m->repo, x->m->mem, &head, err);

	x->f->has_repository = true;
	if (rc == PAWL_OK && !oid_is_none(&head.commit))
		x->f->base = arena_copy(x->m->mem, str_from(head.commit.hex));
	if (rc == PAWL_OK)
		rc = files_count(x, err);
	if (rc == PAWL_OK && x->f->base.len > 0)
		rc = dirty_count(x, err);
	if (rc == PAWL_OK && x->f->base.len > 0)
		rc = history_measure(x, err);
	return rc;
}

enum pawl_rc
intake_facts_measure(const struct intake_measure *m,
	struct intake_facts *ret_facts, struct pawl_err *err)
{
	struct measuring x = { .m = m, .f = ret_facts };
	enum pawl_rc rc = PAWL_OK;

	*ret_facts = (struct intake_facts){ 0 };
	scopes_gather(&x);
	if (m->repo != NULL)
		rc = repository_measure(&x, err);
	check_find(&x);
	if (rc == PAWL_OK && m->probe && ret_facts->check_found)
		rc = probe(&x, err);
	return rc;
}
