#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "cli/cmd.h"
#include "engine/driver.h"
#include "model/capability.h"
#include "os/program.h"

#define PREFIX "pawl-driver-"

enum { DRIVERS_MAX = 256 };

/* Programs that were found, by name; of several of a name the first counts. */
struct found {
	struct arena *mem;
	struct str names[DRIVERS_MAX];
	struct str paths[DRIVERS_MAX];
	size_t count;
};

static void
on_program(void *arg, const char *name, const char *path)
{
	struct found *f = arg;
	struct str own = str_from(name + strlen(PREFIX));
	struct pawl_err ignored;
	enum builtin d;
	size_t at = 0;

	if (driver_name_check(own, &ignored) != PAWL_OK ||
		builtin_from(own, &d) || f->count == DRIVERS_MAX)
		return;
	while (at < f->count && str_cmp(f->names[at], own) < 0)
		at++;
	if (at < f->count && str_eq(f->names[at], own))
		return;
	memmove(&f->names[at + 1], &f->names[at],
		(f->count - at) * sizeof(f->names[0]));
	memmove(&f->paths[at + 1], &f->paths[at],
		(f->count - at) * sizeof(f->paths[0]));
	f->names[at] = arena_copy(f->mem, own);
	f->paths[at] = arena_copy(f->mem, str_from(path));
	f->count++;
}

static void
row(struct cmd_ctx *ctx, struct str name, struct str version, struct str where,
	struct str capabilities)
{
	struct json_writer *w = &ctx->json;

	if (!ctx->args.json) {
		out_data(&ctx->out, name);
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, version);
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, where);
		out_text(&ctx->out, "\n");
		return;
	}
	json_open(w, '{');
	json_pair_str(w, STR("driver"), name);
	json_pair_str(w, STR("version"), version);
	json_pair_str(w, STR("program"), where);
	json_key(w, STR("capabilities"));
	json_put_raw(w, capabilities);
	json_close(w, '}');
}

static void
show_builtin(struct cmd_ctx *ctx, enum builtin d)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };

	capability_put_all(&w, d);
	row(ctx, builtin_word(d), STR(PAWL_VERSION), STR("built in"),
		buf_str(&text));
	buf_release(&text);
}

/* One that doesn't describe itself is shown with why. */
static void
show_program(struct cmd_ctx *ctx, struct str name, struct str path)
{
	struct driver_client client = { 0 };
	const struct json *said;
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	struct pawl_err why;
	enum pawl_rc rc = driver_client_find(&client, name, ctx->mem, &why);

	if (rc == PAWL_OK)
		rc = driver_describe(&client, ctx->mem, &said, &why);
	if (rc == PAWL_OK)
		json_put(&w, json_get(said, STR("capabilities")));
	row(ctx, name,
		rc == PAWL_OK ? json_str(json_get(said, STR("version")))
			      : str_from(why.msg),
		path, rc == PAWL_OK ? buf_str(&text) : STR("null"));
	driver_client_close(&client);
	buf_release(&text);
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct found *f = arena_new(ctx->mem, struct found);

	(void)err;
	f->mem = ctx->mem;
	programs_each(PREFIX, "driver", on_program, f);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("drivers"));
		json_open(&ctx->json, '[');
	}
	for (int d = 0; d < BUILTIN_COUNT; d++)
		show_builtin(ctx, (enum builtin)d);
	for (size_t i = 0; i < f->count; i++)
		show_program(ctx, f->names[i], f->paths[i]);
	if (ctx->args.json)
		json_close(&ctx->json, ']');
	return PAWL_OK;
}

const struct cmd cmd_driver_list = {
	.name = "driver list",
	.operands = "",
	.summary = "show the drivers that can be found, and what they can do",
	.help = "The built-in ones, then each program 'pawl-driver-NAME' "
		"beside "
		"pawl's own and\n"
		"on PATH, with the version that it gives itself. With --json "
		"also what each\n"
		"says about the nine capabilities.",
	.page = "pawl-driver",
	.run = run,
};
