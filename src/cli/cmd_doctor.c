#include <limits.h>

#include "cli/cmd.h"
#include "engine/agents.h"
#include "engine/sandbox.h"
#include "os/monitor.h"
#include "os/proc.h"
#include "os/program.h"

enum { VERSION_MS = 20 * 1000, VERSION_BYTES = 4096, NAME_WIDTH = 14 };

/* One thing that was looked for. */
struct finding {
	struct str name;
	const char *status; /* ok, lacking, logged_out, missing */
	struct str path;    /* of the program; or empty */
	struct str version;
	struct str note;
	bool needed; /* pawl runs nothing without it */
};

static void
tell(struct cmd_ctx *ctx, const struct finding *f)
{
	struct json_writer *w = &ctx->json;
	struct str parts[] = { f->version, f->path, f->note };

	if (ctx->args.json) {
		json_open(w, '{');
		json_pair_str(w, STR("name"), f->name);
		json_pair_str(w, STR("status"), str_from(f->status));
		json_pair_bool(w, STR("needed"), f->needed);
		json_pair_str_or_null(w, STR("path"), f->path);
		json_pair_str_or_null(w, STR("version"), f->version);
		json_pair_str_or_null(w, STR("note"), f->note);
		json_close(w, '}');
		return;
	}
	out_f(&ctx->out, "%-*.*s%-11s", NAME_WIDTH, (int)f->name.len,
		f->name.ptr, f->status);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].len == 0)
			continue;
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, parts[i]);
	}
	out_text(&ctx->out, "\n");
}

/* The first word with a digit in front in what it prints; else empty. */
static struct str
version_in(struct str text)
{
	while (text.len > 0) {
		struct str line = str_cut(&text, '\n');

		while (line.len > 0) {
			struct str word = str_cut(&line, ' ');

			if (word.len > 1 && word.ptr[0] == 'v')
				word = str_part(word, 1, word.len);
			if (word.len > 0 && word.ptr[0] >= '0' &&
				word.ptr[0] <= '9')
				return word;
		}
	}
	return STR("");
}

/* What it answers when it is asked for its version; false when it can't. */
static bool
ask_version(const char *program, const struct str *words, uint32_t count,
	struct arena *mem, struct str *ret_version)
{
	const char **argv = arena_array(mem, count + 2u, const char *);
	struct proc_run_spec spec = { .child = { .argv = argv },
		.deadline_ms = VERSION_MS,
		.out_max = VERSION_BYTES };
	struct pawl_err ignored;
	struct proc_ran ran;
	bool well;

	argv[0] = program;
	for (uint32_t i = 0; i < count; i++)
		argv[i + 1] = arena_strdup(mem, words[i]);
	argv[count + 1] = NULL;
	if (proc_run(&spec, &ran, &ignored) != PAWL_OK)
		return false;
	well = ran.end.kind == PROC_EXIT && ran.end.code == 0;
	*ret_version = arena_copy(mem, version_in(buf_str(&ran.out)));
	proc_ran_release(&ran);
	return well;
}

static bool
look_at_git(struct cmd_ctx *ctx)
{
	static const struct str words[] = { { "--version", 9 } };
	struct finding f = {
		.name = STR("git"), .status = "missing", .needed = true
	};
	char path[PATH_MAX];

	if (program_on_path("git", path)) {
		f.path = str_from(path);
		f.status = ask_version(path, words, 1, ctx->mem, &f.version)
			? "ok"
			: "lacking";
	}
	tell(ctx, &f);
	return f.version.len > 0;
}

static bool
look_at_monitor(struct cmd_ctx *ctx)
{
	struct finding f = {
		.name = STR("pawl-child"), .status = "missing", .needed = true
	};
	char path[PATH_MAX];
	struct pawl_err why;

	if (monitor_program(path, &why) == PAWL_OK) {
		f.path = str_from(path);
		f.status = "ok";
	} else {
		f.note = arena_copy(ctx->mem, str_from(why.msg));
	}
	tell(ctx, &f);
	return f.path.len > 0;
}

/* What the kernel would hold a check to, the most that is ever asked for. */
static void
look_at_sandbox(struct cmd_ctx *ctx)
{
	struct sandbox_spec spec = { .apart.net = true };
	struct finding f = { .name = STR("sandbox"), .status = "ok" };
	struct pawl_err why;
	struct sandbox sb;
	enum pawl_rc rc = sandbox_make(&spec, ctx->mem, &sb, &why);

	if (rc == PAWL_OK) {
		f.version = arena_format(ctx->mem, "Landlock %u", sb.files.abi);
		rc = sandbox_is_whole(&sb, &why);
		sandbox_close(&sb);
	}
	if (rc != PAWL_OK) {
		f.status = "lacking";
		f.note = arena_copy(ctx->mem, str_from(why.msg));
	}
	tell(ctx, &f);
}

static void
look_at_agent(struct cmd_ctx *ctx, struct str name)
{
	struct finding f = { .name = name, .status = "missing" };
	struct agent_profile profile;
	struct pawl_err why;
	char path[PATH_MAX];

	if (agents_find(ctx->fs, name, ctx->mem, &profile, &why) != PAWL_OK) {
		f.note = arena_copy(ctx->mem, str_from(why.msg));
	} else if (!agents_program(&profile, path)) {
		f.note = arena_format(ctx->mem,
			"no program '" STR_FMT "' is on PATH",
			STR_ARG(profile.programs[0]));
	} else {
		f.path = str_from(path);
		f.status = "ok";
		if (!ask_version(path, profile.version, profile.version_count,
			    ctx->mem, &f.version)) {
			f.status = "lacking";
			f.note = STR("it doesn't say its version");
		} else if (!agents_may_log_in(&profile)) {
			f.status = "logged_out";
			f.note = profile.login_count > 0
				? arena_format(ctx->mem,
					  "log in with it, or set " STR_FMT,
					  STR_ARG(profile.login[0]))
				: STR("log in with it");
		}
	}
	tell(ctx, &f);
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct strs names = { 0 };
	bool well;
	enum pawl_rc rc = agents_shipped(ctx->fs, ctx->mem, &names, err);

	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_key(&ctx->json, STR("findings"));
		json_open(&ctx->json, '[');
	}
	well = look_at_git(ctx);
	well = look_at_monitor(ctx) && well;
	look_at_sandbox(ctx);
	for (uint32_t i = 0; i < names.count; i++)
		look_at_agent(ctx, names.items[i]);
	if (ctx->args.json)
		json_close(&ctx->json, ']');
	if (well)
		return PAWL_OK;
	ctx->findings = true;
	return pawl_fail(err, ERR_FILE_NOT_FOUND,
		"something that pawl needs isn't there");
}

const struct cmd cmd_doctor = {
	.name = "doctor",
	.operands = "",
	.summary = "look for what pawl needs, and for agents",
	.help = "Says of git, pawl's monitor, the kernel's sandbox and each "
		"agent that pawl has\n"
		"a profile of ('--agent NAME') whether it is there, its "
		"version, and what is\n"
		"wrong: 'missing', 'lacking' (it does less), 'logged_out' (no "
		"file and no\n"
		"variable that would log it in).\n"
		"\n"
		"Exit status: 0, or 1 without what pawl itself needs.",
	.page = "pawl-init",
	.run = run,
};
