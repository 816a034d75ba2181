#include <errno.h>
#include <string.h>

#include "cli/hint.h"
#include "cli/ledger_door.h"
#include "engine/ledger_file.h"
#include "model/ledger_capsule.h"
#include "model/ledger_earned.h"
#include "os/fs.h"

#define PLACE ".codex/graph-runs"
#define FILE_NAME "state.json"

struct file_door {
	struct ledger_file file;
	bool refused;        /* no ledger may lie there; */
	struct pawl_err why; /* said when it would be written */
};

static enum pawl_rc
propose(struct ledger_door *door, const struct command *cmd,
	struct pawl_err *err)
{
	return ledger_propose(door->ledger, cmd, err);
}

/*
 * What may not be kept as a file is told as text that can go into the task
 * instead, with what was proposed.
 */
static enum pawl_rc
refuse(struct ledger_door *door, const struct file_door *self,
	struct pawl_err *err)
{
	const struct ledger *l = door->ledger;
	struct cmd_ctx *ctx = door->ctx;
	struct ledger_capsule_loss loss;
	struct buf text = { 0 }, lost = { 0 };
	enum pawl_rc rc;

	rc = ledger_capsule_write(
		l, ledger_capsule_room(l->count), &text, &loss, err);
	if (rc != PAWL_OK)
		goto out;
	if (is_ledger_capsule_lossy(&loss))
		ledger_capsule_loss_text(&loss, &lost);
	ctx->findings = true;
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("capsule"), buf_str(&text));
		json_pair_str(&ctx->json, STR("left_out"), buf_str(&lost));
	} else {
		out_text(&ctx->out, text.data);
	}
	*err = self->why;
	rc = err->rc;
out:
	buf_release(&text);
	buf_release(&lost);
	return rc;
}

static enum pawl_rc
commit(struct ledger_door *door, struct pawl_err *err)
{
	struct file_door *self = door->self;
	bool write = !self->refused && !door->ctx->args.dry_run;
	enum pawl_rc rc = ledger_file_commit(&self->file, write, err);

	if (rc == PAWL_OK && self->refused)
		rc = refuse(door, self, err);
	return rc;
}

static void
close_file(struct ledger_door *door)
{
	struct file_door *self = door->self;

	ledger_file_close(&self->file);
}

static const struct ledger_door_ops ops = { propose, commit, close_file };

/* May it lie there?  If not, it is opened all the same, only not to write. */
static enum pawl_rc
look_at_place(struct file_door *self, struct cmd_ctx *ctx, const char *path,
	struct pawl_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder = ".";
	enum pawl_rc rc;

	if (slash != NULL)
		folder = arena_strdup(ctx->mem,
			(struct str){ path,
				slash == path ? 1 : (size_t)(slash - path) });
	rc = ledger_file_permitted(folder, ctx->mem, err);
	if (rc == PAWL_OK || err->code != ERR_NOT_IGNORED)
		return rc;
	self->refused = true;
	self->why = *err;
	return PAWL_OK;
}

/* A file has no journal that could tell what was done before. */
static enum pawl_rc
check_options(const struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct cmd_option *o = ctx->cmd->options;

	if (ctx->args.key != NULL)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"--key is for a ledger run; a file doesn't keep keys");
	for (; o != NULL && o->name != NULL; o++) {
		if (strcmp(o->name, "if-seq") == 0 &&
			args_has(&ctx->args, "if-seq"))
			return pawl_fail(err, ERR_INVALID_ARGUMENT,
				"--if-seq is for a ledger run; a file has no "
				"lines");
	}
	return PAWL_OK;
}

static void
opened(struct ledger_door *door, struct file_door *self, struct str name)
{
	door->ops = &ops;
	door->self = self;
	door->ledger = &self->file.ledger;
	door->name = name;
	door->attempts = self->file.attempts;
	door->base = self->file.dir;
	door->is_file = true;
	door->writes = !self->refused && !door->ctx->args.dry_run;
}

/* What to type when the file at `path` isn't what was hoped for. */
static enum pawl_rc
hint_at_file(struct cmd_ctx *ctx, const char *path, struct pawl_err *err)
{
	const char *slash = strrchr(path, '/');
	struct str folder = { path, slash ? (size_t)(slash - path) : 0 };
	bool there = folder.len == 0 ||
		!fs_is_absent(
			ctx->fs, AT_FDCWD, arena_strdup(ctx->mem, folder));

	if (err->code == ERR_FILE_NOT_FOUND && there)
		hint_with(err, "pawl ledger new TASK --file", str_from(path));
	else if (err->code == ERR_FILE_NOT_FOUND)
		hint_with(err, "mkdir -p", folder);
	else if (err->code == ERR_NOT_JSON || err->code == ERR_INVALID_LEDGER)
		hint_with(err, "pawl ledger check", str_from(path));
	return err->rc;
}

enum pawl_rc
ledger_door_open_file(struct ledger_door *door, struct str name,
	const char *path, enum door_use use, struct pawl_err *err)
{
	struct cmd_ctx *ctx = door->ctx;
	struct file_door *self = arena_new(ctx->mem, struct file_door);
	bool edit = use == DOOR_EDIT;
	enum pawl_rc rc = check_options(ctx, err);

	if (rc == PAWL_OK && edit)
		rc = look_at_place(self, ctx, path, err);
	if (rc == PAWL_OK)
		rc = ledger_file_open(&self->file, ctx->fs, ctx->mem, path,
			edit && !self->refused && !ctx->args.dry_run, err);
	if (rc != PAWL_OK)
		return hint_at_file(ctx, path, err);
	opened(door, self, name);
	return PAWL_OK;
}

enum pawl_rc
ledger_door_new_file(struct ledger_door *door, struct cmd_ctx *ctx,
	const char *path, bool make, struct pawl_err *err)
{
	struct file_door *self = arena_new(ctx->mem, struct file_door);
	enum pawl_rc rc;
	bool write;
	int fd = -1;

	door->ctx = ctx;
	rc = check_options(ctx, err);
	if (rc == PAWL_OK)
		rc = look_at_place(self, ctx, path, err);
	write = !self->refused && !ctx->args.dry_run;
	if (rc == PAWL_OK && write && make) {
		struct str folder = { path,
			(size_t)(strrchr(path, '/') - path) };

		rc = statedir_make_path(
			ctx->fs, arena_strdup(ctx->mem, folder), &fd, err);
		fs_close(ctx->fs, &fd);
	}
	if (rc == PAWL_OK)
		rc = ledger_file_new(
			&self->file, ctx->fs, ctx->mem, path, write, err);
	if (rc == PAWL_OK)
		opened(door, self, str_from(path));
	else if (err->code == ERR_FILE_NOT_FOUND)
		rc = hint_at_file(ctx, path, err);
	return rc;
}

struct str
ledger_door_file_path(const struct ledger_door *door, struct str id)
{
	return arena_format(door->ctx->mem,
		"%s/" PLACE "/" STR_FMT "/" FILE_NAME, door->repo.top,
		STR_ARG(id));
}

/* Is something there, be it good or bad?  A file isn't a folder with one. */
static bool
is_there(const struct ledger_door *door, const char *path)
{
	struct pawl_err err = { 0 };
	struct stat st;

	return fs_stat(door->ctx->fs, AT_FDCWD, path, &st, &err) == PAWL_OK ||
		(err.sys != ENOENT && err.sys != ENOTDIR);
}

/* Open unless it says COMPLETE; what can't be read is not done, either. */
static bool
is_open(const struct ledger_door *door, const char *path)
{
	struct ledger_file f = LEDGER_FILE_INIT;
	struct pawl_err unused;
	bool open = true;

	if (ledger_file_open(&f, door->ctx->fs, door->ctx->mem, path, false,
		    &unused) == PAWL_OK)
		open = ledger_earned(&f.ledger) != RUN_COMPLETE;
	ledger_file_close(&f);
	return open;
}

static enum pawl_rc
list(struct ledger_door *door, struct door_names *names, struct pawl_err *err)
{
	const struct fs *fs = door->ctx->fs;
	struct buf entries = { 0 };
	struct str rest;
	enum pawl_rc rc;
	int dir = -1;

	rc = ledger_door_look(door, err);
	if (rc != PAWL_OK || !door->has_repo)
		return rc;
	rc = fs_open_dir(fs, AT_FDCWD,
		arena_format(door->ctx->mem, "%s/" PLACE, door->repo.top).ptr,
		&dir, err);
	if (rc == PAWL_OK)
		rc = fs_list(fs, dir, &entries, err);
	fs_close(fs, &dir);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)
		rc = PAWL_OK;
	rest = buf_str(&entries);
	while (rc == PAWL_OK && rest.len > 0) {
		struct str id = str_cut(&rest, '\0');
		const char *path = ledger_door_file_path(door, id).ptr;

		if (is_there(door, path)) {
			door_names_push(names,
				(struct door_name){
					arena_copy(door->ctx->mem, id),
					is_open(door, path) });
		}
	}
	buf_release(&entries);
	return rc;
}

static enum pawl_rc
open_id(struct ledger_door *door, struct str id, enum door_use use,
	struct pawl_err *err)
{
	enum pawl_rc rc = ledger_door_look(door, err);
	const char *path;

	if (rc != PAWL_OK)
		return rc;
	path = door->has_repo ? ledger_door_file_path(door, id).ptr : NULL;
	if (path == NULL || !is_there(door, path))
		return pawl_fail(err, ERR_RUN_NOT_FOUND,
			"no checkpoint '" STR_FMT "'", STR_ARG(id));
	return ledger_door_open_file(door, id, path, use, err);
}

const struct ledger_door_kind ledger_door_files = { list, open_id };
