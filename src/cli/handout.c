#include "cli/handout.h"

void
handout_json(
	struct json_writer *w, const struct run *r, const struct handout *h)
{
	struct handout_var vars[HANDOUT_VARS];

	json_pair_str(w, STR("workspace"), str_from(h->workspace));
	json_pair_str(w, STR("capsule"), str_from(h->capsule));
	json_pair_str(w, STR("outbox"), str_from(h->outbox));
	if (h->deadline_ms != 0)
		json_pair_u64(w, STR("deadline_ms"), h->deadline_ms);
	json_key(w, STR("environment"));
	json_open(w, '{');
	handout_env(r, h, vars);
	for (size_t i = 0; i < HANDOUT_VARS; i++)
		json_pair_str(w, str_from(vars[i].name), vars[i].value);
	json_close(w, '}');
}

void
handout_text(struct out *o, const struct run *r, const struct handout *h)
{
	struct handout_var vars[HANDOUT_VARS];

	out_text(o, "  workspace  ");
	out_data(o, str_from(h->workspace));
	out_text(o, "\n  capsule    ");
	out_data(o, str_from(h->capsule));
	out_text(o, "\n  outbox     ");
	out_data(o, str_from(h->outbox));
	out_text(o, "\n  environment\n");
	handout_env(r, h, vars);
	for (size_t i = 0; i < HANDOUT_VARS; i++) {
		out_f(o, "    %s=", vars[i].name);
		out_data(o, vars[i].value);
		out_text(o, "\n");
	}
}
