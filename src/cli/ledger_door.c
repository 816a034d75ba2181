#include "cli/ledger_door.h"

#include "base/sha256.h"
#include "cli/hint.h"
#include "cli/ledger_door_run.h"
#include "model/id.h"

enum { NAMES_SHOWN = 20 };

static const struct ledger_door_kind *const kinds[] = {
	&ledger_door_files,
	&ledger_door_runs,
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

enum pawl_rc
ledger_door_look(struct ledger_door *door, struct pawl_err *err)
{
	struct cmd_ctx *ctx = door->ctx;
	enum pawl_rc rc;

	if (door->has_looked)
		return PAWL_OK;
	rc = repo_find(ctx->args.repo != NULL ? ctx->args.repo : ".", ctx->mem,
		&door->repo, err);
	door->has_repo = rc == PAWL_OK;
	if (rc != PAWL_OK && err->code != ERR_NEEDS_REPOSITORY)
		return rc;
	door->has_looked = true;
	return PAWL_OK;
}

enum pawl_rc
ledger_door_state(struct ledger_door *door, struct pawl_err *err)
{
	struct cmd_ctx *ctx = door->ctx;
	enum pawl_rc rc;

	if (ctx->state_fd >= 0 || ctx->state.path != NULL)
		return PAWL_OK;
	rc = statedir_find(ctx->mem, &ctx->env->state, ctx->args.state,
		ctx->args.repo, &ctx->state, err);
	if (rc == PAWL_OK)
		rc = statedir_open(ctx->fs, &ctx->state, &ctx->state_fd, err);
	return rc;
}

struct str
ledger_door_request(const struct ledger_door *door)
{
	const struct cmd_ctx *ctx = door->ctx;
	char digest[SHA256_HEX + 1];
	struct buf text = { 0 };
	const struct arg_value *v;
	struct str kept;

	buf_add(&text, str_from(ctx->cmd->name));
	for (size_t i = 0; i < ctx->args.operands.count; i++)
		buf_addf(&text, "%c%s", 0x1f, ctx->args.operands.items[i]);
	VEC_EACH (v, &ctx->args.options)
		buf_addf(&text, "%c--%s=%s", 0x1f, v->option->name,
			v->text != NULL ? v->text : "");
	if (door->content.ptr != NULL) {
		sha256_hex(door->content, digest);
		buf_addf(&text, "%c%s", 0x1f, digest);
	}
	kept = arena_copy(ctx->mem, buf_str(&text));
	buf_release(&text);
	return kept;
}

/* Those that may be meant, of all kinds; `kind_of` says which each is. */
struct candidates {
	struct door_names names;
	size_t until[KINDS]; /* where the names of each kind end */
	size_t open;
};

static enum pawl_rc
list_all(struct ledger_door *door, struct candidates *c, struct pawl_err *err)
{
	const struct door_name *n;
	enum pawl_rc rc = PAWL_OK;

	for (size_t k = 0; rc == PAWL_OK && k < KINDS; k++) {
		rc = kinds[k]->list(door, &c->names, err);
		c->until[k] = c->names.count;
	}
	VEC_EACH (n, &c->names)
		c->open += n->open;
	return rc;
}

/* The first names that may be meant, as text; how many there are. */
static size_t
add_names(const struct candidates *c, struct buf *text)
{
	const struct door_name *n;
	size_t count = 0;

	VEC_EACH (n, &c->names) {
		if (c->open > 0 && !n->open)
			continue;
		if (count < NAMES_SHOWN)
			buf_addf(text, "%s" STR_FMT, count > 0 ? ", " : "",
				STR_ARG(n->id));
		count++;
	}
	if (count > NAMES_SHOWN)
		buf_add(text, STR(", …"));
	return count;
}

static enum pawl_rc
ambiguous(const struct ledger_door *door, const struct candidates *c,
	struct pawl_err *err)
{
	struct buf text = { 0 }, json = { 0 };
	struct json_writer w = { .out = &json };
	struct hint_change one = { .run = STR("RUN") };
	const struct door_name *n;
	size_t count = add_names(c, &text);

	json_open(&w, '{');
	json_key(&w, STR("runs"));
	json_open(&w, '[');
	VEC_EACH (n, &c->names) {
		if (c->open == 0 || n->open)
			json_put_str(&w, n->id);
	}
	json_close(&w, ']');
	json_close(&w, '}');
	(void)pawl_fail(err, ERR_AMBIGUOUS_RUN,
		"%zu ledgers may be meant: " STR_FMT, count,
		STR_ARG(buf_str(&text)));
	hint_call(door->ctx, &one, err);
	err->detail = arena_copy(door->ctx->mem, buf_str(&json));
	buf_release(&text);
	buf_release(&json);
	return err->rc;
}

/* In a repository a new ledger has a place. */
static enum pawl_rc
hint_new(const struct ledger_door *door, struct pawl_err *err)
{
	return pawl_hint(err, "pawl ledger new TASK%s",
		door->has_repo ? "" : " --file FILE");
}

/* There is none, but perhaps others; what that list costs is no matter here. */
static enum pawl_rc
none_named(struct ledger_door *door, struct str id, struct pawl_err *err)
{
	struct candidates c = { 0 };
	struct hint_change one = { .run = STR("RUN") };
	struct buf text = { 0 };
	struct pawl_err unused;

	(void)(list_all(door, &c, &unused) == PAWL_OK);
	(void)add_names(&c, &text);
	(void)pawl_fail(err, ERR_RUN_NOT_FOUND,
		"there is no ledger '" STR_FMT "'%s" STR_FMT, STR_ARG(id),
		text.len > 0 ? "; there are: " : "", STR_ARG(buf_str(&text)));
	if (text.len > 0)
		hint_call(door->ctx, &one, err);
	else
		(void)hint_new(door, err);
	buf_release(&text);
	door_names_release(&c.names);
	return err->rc;
}

/* Where the first stands that is open, or the first of all. */
static size_t
meant(const struct candidates *c)
{
	for (size_t i = 0; c->open > 0 && i < c->names.count; i++) {
		if (c->names.items[i].open)
			return i;
	}
	return 0;
}

/* The only one that is open; to read, the only one at all will do. */
static enum pawl_rc
open_only(struct ledger_door *door, enum door_use use, struct pawl_err *err)
{
	struct candidates c = { 0 };
	enum pawl_rc rc = list_all(door, &c, err);
	size_t count = c.open, at = 0, kind = 0;

	if (count == 0 && use == DOOR_READ)
		count = c.names.count;
	if (rc != PAWL_OK)
		goto out;
	if (count == 0) {
		(void)pawl_fail(err, ERR_RUN_NOT_FOUND, "no ledger is open");
		rc = hint_new(door, err);
		goto out;
	}
	if (count > 1) {
		rc = ambiguous(door, &c, err);
		goto out;
	}
	at = meant(&c);
	while (kind + 1 < KINDS && at >= c.until[kind])
		kind++;
	rc = kinds[kind]->open(door, c.names.items[at].id, use, err);
out:
	door_names_release(&c.names);
	return rc;
}

static enum pawl_rc
open_named(struct ledger_door *door, struct str id, enum door_use use,
	struct pawl_err *err)
{
	enum pawl_rc rc = id_check(id, err);

	if (rc != PAWL_OK)
		return rc;
	for (size_t k = 0; k < KINDS; k++) {
		rc = kinds[k]->open(door, id, use, err);
		if (rc == PAWL_OK || err->code != ERR_RUN_NOT_FOUND)
			return rc;
	}
	return none_named(door, id, err);
}

enum pawl_rc
ledger_door_open_id(struct ledger_door *door, struct cmd_ctx *ctx,
	enum door_use use, struct str id, struct pawl_err *err)
{
	door->ctx = ctx;
	return id.ptr == NULL ? open_only(door, use, err)
			      : open_named(door, id, use, err);
}

enum pawl_rc
ledger_door_open(struct ledger_door *door, struct cmd_ctx *ctx,
	enum door_use use, struct str *ret_subject, struct pawl_err *err)
{
	struct str rest = str_from(args_operand(&ctx->args, 0)), head = rest;
	const char *file = args_value(&ctx->args, "file");

	door->ctx = ctx;
	if (ret_subject != NULL) {
		head = str_cut(&rest, '/');
		*ret_subject = rest.ptr != NULL ? rest : head;
		if (rest.ptr == NULL)
			head = (struct str){ 0 };
	}
	if (file != NULL && head.ptr != NULL)
		return pawl_fail(err, ERR_USAGE,
			"'" STR_FMT "' names a run, and --file a file",
			STR_ARG(head));
	if (file != NULL)
		return ledger_door_open_file(
			door, str_from(file), file, use, err);
	return ledger_door_open_id(door, ctx, use, head, err);
}

enum pawl_rc
ledger_door_propose(struct ledger_door *door, const struct command *cmd,
	struct pawl_err *err)
{
	enum pawl_rc rc = door->ops->propose(door, cmd, err);

	if (rc == PAWL_OK)
		door->proposed++;
	return rc;
}

enum pawl_rc
ledger_door_commit(struct ledger_door *door, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (door->proposed == 0)
		return PAWL_OK;
	rc = door->ops->commit(door, err);
	if (rc == PAWL_OK)
		door->proposed = 0;
	return rc;
}

void
ledger_door_close(struct ledger_door *door)
{
	if (door->ops != NULL)
		door->ops->close(door);
	*door = (struct ledger_door)LEDGER_DOOR_INIT;
}
