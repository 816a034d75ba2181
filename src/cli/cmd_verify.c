#include "cli/place.h"
#include "engine/audit.h"

static const struct cmd_option options[] = {
	{ .name = "repair",
		.help = "mend a torn or poisoned journal, and the marks" },
	{ .name = "head",
		.arg = "HEX",
		.help = "the chain's head as it was noted elsewhere" },
	{ .name = NULL },
};

static void
show(struct cmd_ctx *ctx, struct str id, const struct audit *a)
{
	const struct audit_finding *f;
	struct json_writer *w = &ctx->json;

	if (ctx->args.json) {
		json_pair_str(w, STR("run"), id);
		json_pair_u64(w, STR("lines"), a->lines);
		json_pair_str(w, STR("head"), str_from(a->head));
		json_pair_bool(w, STR("chain_only"), a->chain_only);
		json_pair_u64(w, STR("macs"), a->macs_good);
		json_key(w, STR("violations"));
		json_open(w, '[');
		VEC_EACH (f, &a->findings) {
			json_open(w, '{');
			json_pair_str(w, STR("code"),
				str_from(pawl_code_info(f->code)->word));
			json_pair_str(w, STR("message"), f->message);
			json_pair_bool(w, STR("serious"), f->serious);
			json_close(w, '}');
		}
		json_close(w, ']');
		return;
	}
	out_data(&ctx->out, id);
	out_f(&ctx->out, "  %s  %llu lines, %s, head %.16s\n",
		a->findings.count ? "NOT IN ORDER" : "in order",
		(unsigned long long)a->lines,
		a->chain_only ? "chain only" : "chain and signatures",
		a->lines ? a->head : "none");
	VEC_EACH (f, &a->findings) {
		out_f(&ctx->out, "  %s  ", pawl_code_info(f->code)->word);
		out_data(&ctx->out, f->message);
		out_text(&ctx->out, "\n");
	}
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *head = args_value(&ctx->args, "head");
	bool repair = args_has(&ctx->args, "repair");
	const struct audit_finding *f;
	struct runs runs = {
		.fs = ctx->fs, .state = ctx->state_fd, .mem = ctx->mem
	};
	struct audit a;
	struct str id;
	bool serious = false;
	enum pawl_rc rc;

	/* Only a repair changes anything; else the last run will do, too. */
	if (args_operand(&ctx->args, 0) == NULL && !repair)
		rc = runs_find(&runs, NULL, RUNS_PREFIX, &id, err);
	else
		rc = cmd_run_id(ctx, 0, &id, err);
	if (rc == PAWL_OK)
		rc = audit_run(&a, place_of(ctx), id,
			repair && !ctx->args.dry_run, err);
	if (rc != PAWL_OK)
		return rc;
	show(ctx, id, &a);
	VEC_EACH (f, &a.findings) {
		serious = serious || f->serious;
	}
	if (serious) {
		rc = pawl_fail(err, ERR_CORRUPT,
			"run '" STR_FMT "' isn't what its journal says",
			STR_ARG(id));
	} else if (a.findings.count > 0 && !repair) {
		rc = pawl_fail(err, ERR_DRIFT,
			"run '" STR_FMT "' needs to be put in order",
			STR_ARG(id));
	} else if (head != NULL && !str_eq(str_from(head), str_from(a.head))) {
		rc = pawl_fail(err, ERR_DIGEST_MISMATCH,
			"the head is %s, not '%s'", a.head, head);
	}
	ctx->findings = rc != PAWL_OK;
	audit_release(&a);
	return rc;
}

const struct cmd cmd_verify = {
	.name = "verify",
	.operands = "[RUN]",
	.summary = "prove that a run is what its journal says",
	.help = "Reads everything: chain, signatures, fold, frozen inputs, "
		"artifacts,\n"
		"projection and marks. Says 'chain only' where the run's key "
		"isn't at\n"
		"hand. --repair cuts a torn tail (its bytes are kept), undoes "
		"a\n"
		"poisoning and makes the marks anew.",
	.options = options,
	.page = "pawl-init",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run,
};
