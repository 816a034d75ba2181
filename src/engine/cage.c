#include "engine/cage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/vec.h"
#include "engine/agents.h"
#include "engine/room.h"
#include "model/contract.h"
#include "os/program.h"

/* Of the child's own: not what it may read, but what holds of it. */
static const char *const limits[] = { "core=0", NULL };

VEC_DEF(grants, struct landlock_path);

/* What a cage is made of; a path that isn't there is left out. */
struct plan_of {
	struct pilot *p;
	struct grants grants;
	const char *protect[4]; /* NULL-terminated, as open */
	size_t protect_count;
	const char *open[4];
	bool tcp, net;
};

static void
grant(struct plan_of *c, const char *path, enum landlock_grant kind)
{
	(void)grants_push(
		&c->grants, (struct landlock_path){ path, kind, true });
}

/* $HOME, what is above it, and the root are nobody's to have as a whole. */
static bool
is_too_much(const char *path)
{
	const char *home = getenv("HOME");

	return strcmp(path, "/") == 0 ||
		(home != NULL && *home == '/' &&
			repo_path_is_below(home, path));
}

/*
 * The folder that a program really lies in, or the program alone where that
 * folder is too much; a plain name is one of PATH, as execution has it.
 */
static void
grant_program(struct plan_of *c, const char *program)
{
	char found[PATH_MAX];
	char *real = NULL, *slash;
	const char *file;

	if (strchr(program, '/') != NULL)
		real = realpath(program, NULL);
	else if (program_on_path(program, found))
		real = realpath(found, NULL);
	if (real == NULL)
		return;
	file = arena_strdup(&c->p->mem, str_from(real));
	slash = strrchr(real, '/');
	*slash = '\0';
	grant(c,
		*real == '\0' || is_too_much(real)
			? file
			: arena_strdup(&c->p->mem, str_from(real)),
		LANDLOCK_READ);
	free(real);
}

/*
 * An agent's program may be a script that is installed with the packages that
 * it needs: then those are a part of it.
 */
static void
grant_package(struct plan_of *c, const struct strs *argv)
{
	static const char packages[] = "/node_modules/";
	char *real = argv->count == 0
		? NULL
		: realpath(arena_strdup(&c->p->mem, argv->items[0]), NULL);
	char *at = real == NULL ? NULL : strstr(real, packages);

	if (at != NULL) {
		at[sizeof(packages) - 2] = '\0';
		grant(c, arena_strdup(&c->p->mem, str_from(real)),
			LANDLOCK_READ);
	}
	free(real);
}

/* Where programs are looked for. */
static void
grant_path(struct plan_of *c)
{
	struct str rest = str_from(getenv("PATH"));

	while (rest.ptr != NULL && rest.len > 0) {
		const char *dir = arena_strdup(&c->p->mem, str_cut(&rest, ':'));

		if (*dir == '/' && !is_too_much(dir))
			grant(c, dir, LANDLOCK_READ);
	}
}

static void
grant_each(
	struct plan_of *c, const struct strs *paths, enum landlock_grant kind)
{
	for (uint32_t i = 0; i < paths->count; i++)
		grant(c, arena_strdup(&c->p->mem, paths->items[i]), kind);
}

/* What worker and check have in common. */
static void
common(struct plan_of *c, const char *workspace)
{
	struct pilot *p = c->p;
	const struct run_facts *facts = &p->run->state.run;

	grant(c, p->repo.top, LANDLOCK_READ);
	if (p->repo.common_dir != NULL)
		grant(c, p->repo.common_dir, LANDLOCK_READ);
	grant(c, workspace, LANDLOCK_READ);
	grant(c, pilot_path(p, "."), LANDLOCK_READ);
	grant_program(c, "/proc/self/exe"); /* it may call us */
	grant_path(c);
	grant_each(c, &facts->reads, LANDLOCK_READ);
	grant_each(c, &facts->writes, LANDLOCK_WRITE);
}

/* What is granted may hold what nobody but pawl may change. */
static void
protect_in(struct plan_of *c, const char *granted)
{
	const char *const kept[] = { c->p->repo.git_dir, c->p->repo.common_dir,
		c->p->run->place->state_path };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		bool again = false;

		if (kept[i] == NULL || !repo_path_is_below(kept[i], granted) ||
			access(kept[i], F_OK) != 0)
			continue;
		for (size_t k = 0; k < c->protect_count; k++)
			again = again || strcmp(kept[i], c->protect[k]) == 0;
		if (!again) /* so there are at most as many as kept */
			c->protect[c->protect_count++] = kept[i];
	}
}

/* Below a folder that stays read-only, the child's own stay open. */
static void
open_up(struct plan_of *c, const char *one, const char *other,
	const char *third)
{
	const char *const own[] = { one, other, third };
	size_t count = 0;

	for (size_t i = 0; i < 3; i++) {
		bool below = false;

		for (size_t k = 0; own[i] != NULL && c->protect[k] != NULL; k++)
			below = below ||
				repo_path_is_below(own[i], c->protect[k]);
		if (below)
			c->open[count++] = own[i];
	}
	c->open[count] = NULL;
}

/* The nearest folder that is there, with the path below the repository. */
static struct str
nearest(struct pilot *p, struct str scope)
{
	char *path = arena_strdup(&p->mem,
		arena_format(
			&p->mem, "%s/" STR_FMT, p->repo.top, STR_ARG(scope)));
	size_t top = strlen(p->repo.top);
	struct stat st;

	while (strlen(path) > top &&
		(lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)))
		*strrchr(path, '/') = '\0';
	return strlen(path) > top ? str_from(path + top + 1) : STR(".");
}

/* In place: the folders of an attempt's scopes. */
static void
grant_scopes(struct plan_of *c, uint32_t attempt, struct strs *ret_widened)
{
	struct pilot *p = c->p;
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct strs widened = {
		arena_array(&p->mem, contract_scopes(&v) + 1u, struct str), 0
	};

	for (uint32_t i = 0; i < contract_scopes(&v); i++) {
		struct str scope = contract_scope(&v, i);
		struct str folder = nearest(p, scope);
		bool again = str_eq(folder, scope);
		const char *path = arena_strdup(&p->mem,
			arena_format(&p->mem, "%s/" STR_FMT, p->repo.top,
				STR_ARG(folder)));

		if (str_eq(folder, STR(".")))
			path = p->repo.top;
		for (uint32_t k = 0; !again && k < widened.count; k++)
			again = str_eq(widened.items[k], folder);
		if (!again)
			widened.items[widened.count++] = folder;
		grant(c, path, LANDLOCK_WRITE);
		protect_in(c, path);
	}
	*ret_widened = widened;
}

/*
 * For tests: as a kernel would that has less.  PAWL_LANDLOCK_ABI is its version
 * of Landlock, with 0 for none, and a `-` behind it is one without namespaces.
 */
static void
as_if(struct sandbox_spec *spec)
{
#ifdef PAWL_TEST_HOOKS
	struct str text = str_from(getenv("PAWL_LANDLOCK_ABI"));
	struct pawl_err ignored;
	uint64_t abi;

	spec->lacks_namespaces = str_ends(text, STR("-"));
	text.len -= spec->lacks_namespaces;
	if (text.len > 0 &&
		num_u64(text, 0, LANDLOCK_ABI_MAX, &abi, &ignored) == PAWL_OK)
		spec->abi_max = abi == 0 ? LANDLOCK_ABI_NONE : (unsigned)abi;
#else
	(void)spec;
#endif
}

static enum pawl_rc
close_in(struct plan_of *c, struct cage *cage, struct pawl_err *err)
{
	const char **protect = arena_array(&c->p->mem, 4, const char *);
	const char **open = arena_array(&c->p->mem, 4, const char *);
	struct sandbox_spec spec = { .paths = c->grants.items,
		.count = c->grants.count,
		.tcp = c->tcp,
		.apart = { .net = !c->net, .protect = protect, .open = open } };
	enum pawl_rc rc;

	memcpy(protect, c->protect, sizeof(c->protect));
	memcpy(open, c->open, sizeof(c->open));
	as_if(&spec);
	rc = sandbox_make(&spec, &c->p->mem, &cage->box, err);
	if (rc != PAWL_OK || cage->level != SANDBOX_REQUIRED)
		return rc;
	rc = sandbox_is_whole(&cage->box, err);
	if (rc != PAWL_OK)
		sandbox_close(&cage->box);
	return rc;
}

/* The child's own temporary folder. */
static enum pawl_rc
temp_make(struct pilot *p, const char *name, struct cage *cage,
	struct pawl_err *err)
{
	const char *dir;
	enum pawl_rc rc = fs_make_view_dir(
		p->run->place->fs, p->run->dir, "scratch", err);

	if (rc == PAWL_OK)
		rc = room_make(
			pilot_path(p, "scratch"), name, &p->mem, &dir, err);
	if (rc != PAWL_OK)
		return rc;
	cage->temp = pilot_path(p, "scratch/%s/tmp", name);
	if (mkdir(cage->temp, 0700) != 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not make '%s'", cage->temp);
	return PAWL_OK;
}

static enum sandbox_level
level_of(const struct pilot *p)
{
	enum sandbox_level level = SANDBOX_OFF;

	(void)sandbox_level_from(p->run->state.run.sandbox, &level);
	return level;
}

enum pawl_rc
cage_worker(struct pilot *p, uint32_t attempt, struct cage *ret_cage,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const char *id = arena_strdup(&p->mem, pilot_attempt_id(p, attempt));
	const char *workspace = a->placement == PLACEMENT_IN_PLACE
		? p->repo.top
		: arena_strdup(&p->mem,
			  arena_format(&p->mem, STR_FMT "/tree",
				  STR_ARG(a->worktree)));
	const char *outbox = pilot_path(p, "outbox/%s", id);
	const struct agent_profile *agent = agents_of(p, attempt);
	const char *state = agent != NULL ? agents_state(p, agent) : NULL;
	const struct strs *argv = state_command(&p->run->state, attempt);
	struct plan_of c = { .p = p, .tcp = true, .net = true };
	struct cage cage = { .level = level_of(p) };
	enum pawl_rc rc = PAWL_OK;

	if (argv == NULL)
		argv = &p->run->state.run.argv;
	if (cage.level != SANDBOX_OFF) {
		common(&c, workspace);
		if (argv->count > 0)
			grant_program(
				&c, arena_strdup(&p->mem, argv->items[0]));
		if (pilot_writes(p, attempt) &&
			a->placement == PLACEMENT_IN_PLACE)
			grant_scopes(&c, attempt, &cage.widened);
		else if (pilot_writes(p, attempt))
			grant(&c, workspace, LANDLOCK_WRITE);
		grant(&c, outbox, LANDLOCK_WRITE);
		if (state != NULL) {
			grant(&c, state, LANDLOCK_WRITE);
			grant_package(&c, argv);
		}
		rc = temp_make(p, id, &cage, err);
		if (rc == PAWL_OK) {
			grant(&c, cage.temp, LANDLOCK_WRITE);
			open_up(&c, outbox, cage.temp, state);
			rc = close_in(&c, &cage, err);
		}
	}
	grants_release(&c.grants);
	if (rc == PAWL_OK)
		*ret_cage = cage;
	return rc;
}

enum pawl_rc
cage_check(struct pilot *p, const char *name, const char *program,
	const char *tree, struct cage *ret_cage, struct pawl_err *err)
{
	bool net = p->run->state.run.check_net;
	struct plan_of c = { .p = p, .tcp = net, .net = net };
	struct cage cage = { .level = level_of(p) };
	enum pawl_rc rc = PAWL_OK;

	if (cage.level != SANDBOX_OFF) {
		common(&c, tree);
		grant_program(&c, program);
		grant(&c, tree, LANDLOCK_WRITE);
		protect_in(&c, tree);
		rc = temp_make(p, name, &cage, err);
		if (rc == PAWL_OK) {
			grant(&c, cage.temp, LANDLOCK_WRITE);
			open_up(&c, NULL, cage.temp, NULL);
			rc = close_in(&c, &cage, err);
		}
	}
	grants_release(&c.grants);
	if (rc == PAWL_OK)
		*ret_cage = cage;
	return rc;
}

enum pawl_rc
cage_rehearse(
	const struct cage_wish *wish, struct arena *mem, struct pawl_err *err)
{
	const struct strs *lists[] = { &wish->reads, &wish->writes };
	struct grants grants = { 0 };
	struct sandbox_spec spec = { .tcp = wish->check_net,
		.apart = { .net = !wish->check_net } };
	struct sandbox box;
	enum pawl_rc rc;

	if (wish->level == SANDBOX_OFF)
		return PAWL_OK;
	for (size_t i = 0; i < 2; i++) {
		for (uint32_t k = 0; k < lists[i]->count; k++) {
			(void)grants_push(&grants,
				(struct landlock_path){
					arena_strdup(mem, lists[i]->items[k]),
					i == 0 ? LANDLOCK_READ : LANDLOCK_WRITE,
					false });
		}
	}
	spec.paths = grants.items;
	spec.count = grants.count;
	as_if(&spec);
	rc = sandbox_make(&spec, mem, &box, err);
	grants_release(&grants);
	if (rc != PAWL_OK)
		return rc;
	if (wish->level == SANDBOX_REQUIRED)
		rc = sandbox_is_whole(&box, err);
	sandbox_close(&box);
	return rc;
}

bool
cage_holds(const struct cage *cage)
{
	return cage->level != SANDBOX_OFF && cage->box.files.abi > 0;
}

void
cage_put(const struct cage *cage, struct monitor_spec *spec)
{
	if (cage->level == SANDBOX_OFF)
		return;
	spec->confine = &cage->box.files;
	spec->refused = cage->box.refused;
	spec->apart = cage->box.apart;
	spec->limits = limits;
}

struct confined
cage_confined(struct pilot *p, const struct cage *cage)
{
	struct confined c = { .level = sandbox_level_word(cage->level),
		.widened = cage->widened };

	if (cage->level == SANDBOX_OFF)
		return c;
	c.lacks.items = arena_array(&p->mem, cage->box.lack_count, struct str);
	for (size_t i = 0; i < cage->box.lack_count; i++)
		c.lacks.items[c.lacks.count++] = str_from(cage->box.lacks[i]);
	return c;
}

void
cage_tell(struct pilot *p, const struct confined *confined, struct event *e)
{
	if (p->run->state.run.sandbox.len == 0)
		return;
	EVENT_SET(e, F_SANDBOX, sandbox,
		confined->level.len > 0 ? confined->level
					: sandbox_level_word(SANDBOX_OFF));
	if (confined->lacks.count > 0)
		EVENT_SET(e, F_LACKS, lacks, confined->lacks);
	if (confined->widened.count > 0)
		EVENT_SET(e, F_WIDENED, widened, confined->widened);
}

void
cage_drop(struct cage *cage)
{
	if (cage->level != SANDBOX_OFF)
		sandbox_close(&cage->box);
}

void
cage_clean(struct pilot *p, const char *name)
{
	struct pawl_err ignored;

	/* What can't be removed now goes with the run's folder. */
	if (level_of(p) != SANDBOX_OFF &&
		room_drop(pilot_path(p, "scratch"), name, &ignored) != PAWL_OK)
		return;
}

void
cage_clean_all(const struct run *run)
{
	struct arena mem = ARENA_INIT;

	room_drop_all(run->place->fs,
		arena_format(&mem, "%s/runs/" STR_FMT "/scratch",
			run->place->state_path, STR_ARG(run->id))
			.ptr);
	arena_reset(&mem);
}
