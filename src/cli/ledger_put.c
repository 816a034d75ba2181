#include "cli/ledger_put.h"

#include <fcntl.h>
#include <string.h>

#include "engine/ledger_file.h"
#include "model/ledger_read.h"

/* All the rules, those of shape, too: by reading what would be written. */
static enum pawl_rc
judge(struct cmd_ctx *ctx, struct str bytes, struct pawl_err *err)
{
	struct ledger_findings findings;
	struct ledger read;
	enum pawl_rc rc =
		ledger_read(ctx->mem, bytes, false, &read, &findings, err);

	if (rc != PAWL_OK)
		return rc;
	/* Nobody has seen these bytes: the node and the pointer are the place.
	 */
	for (uint32_t i = 0; i < findings.count; i++) {
		findings.items[i].line = 0;
		findings.items[i].column = 0;
	}
	if (findings.violations > 0) {
		(void)ledger_findings_fail(&findings, ctx->mem, "", err);
		rc = pawl_wrap(err, "no sound ledger comes of it");
	}
	ledger_findings_release(&findings);
	ledger_release(&read);
	return rc;
}

static enum pawl_rc
write_file(struct cmd_ctx *ctx, const char *path, struct str bytes,
	struct pawl_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;
	const char *folder = ".";
	enum pawl_rc rc;
	int dir = -1;

	if (slash != NULL)
		folder = arena_strdup(ctx->mem,
			(struct str){ path,
				slash == path ? 1 : (size_t)(slash - path) });
	if (name[0] == '\0')
		return pawl_fail(err, ERR_INVALID_PATH,
			"'%s' doesn't name a file", path);
	if (strlen(name) > LEDGER_FILE_NAME_MAX) {
		return pawl_fail(err, ERR_LIMIT,
			"a ledger's file name of %zu bytes is over the limit "
			"of %d",
			strlen(name), LEDGER_FILE_NAME_MAX);
	}
	rc = ledger_file_permitted(folder, ctx->mem, err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(ctx->fs, AT_FDCWD, folder, &dir, err);
	if (rc == PAWL_OK && !fs_is_absent(ctx->fs, dir, name))
		rc = pawl_fail(
			err, ERR_ID_TAKEN, "'%s' is there already", path);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = fs_create(ctx->fs, dir, name, bytes, err);
	fs_close(ctx->fs, &dir);
	return rc;
}

static void
say(struct cmd_ctx *ctx, const struct ledger *l, const char *verb,
	struct str bytes)
{
	const char *path = args_value(&ctx->args, "file");

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), l->run_id);
		json_pair_str(&ctx->json, STR("status"),
			run_status_word((enum run_status)l->status));
		json_pair_u64(&ctx->json, STR("nodes"), l->count);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		if (path != NULL) {
			json_pair_str(&ctx->json, STR("file"), str_from(path));
			return;
		}
		json_key(&ctx->json, STR("ledger"));
		ledger_write(l, &ctx->json);
		return;
	}
	if (path == NULL) {
		ctx->out.json = true;
		out_text(&ctx->out, arena_strdup(ctx->mem, bytes));
		return;
	}
	out_f(&ctx->out, "%s%s ", ctx->args.dry_run ? "would have " : "", verb);
	out_data(&ctx->out, l->run_id);
	out_f(&ctx->out, ": %u %s in ", l->count,
		l->count == 1 ? "node" : "nodes");
	out_data(&ctx->out, str_from(path));
	out_text(&ctx->out, "\n");
}

enum pawl_rc
ledger_put(struct cmd_ctx *ctx, const struct ledger *l, const char *verb,
	struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "file");
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	ledger_file_bytes(l, &bytes);
	rc = judge(ctx, buf_str(&bytes), err);
	if (rc == PAWL_OK && path != NULL)
		rc = write_file(ctx, path, buf_str(&bytes), err);
	if (rc == PAWL_OK)
		say(ctx, l, verb, buf_str(&bytes));
	buf_release(&bytes);
	return rc;
}
