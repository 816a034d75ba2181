#include "model/intake.h"

/* A count, or null: what was not measured is not zero. */
static void
put_count(struct json_writer *w, struct str key, bool known, uint32_t n)
{
	json_key(w, key);
	if (known)
		json_put_u64(w, n);
	else
		json_put_null(w);
}

static void
put_facts(const struct intake_facts *f, struct json_writer *w)
{
	json_key(w, STR("repository_facts"));
	json_open(w, '{');
	json_pair_bool(w, STR("repository"), f->has_repository);
	json_pair_str_or_null(w, STR("base"), f->base);
	put_count(w, STR("dirty_paths"), f->has_dirty, f->dirty);
	json_key(w, STR("scopes"));
	json_open(w, '[');
	for (uint32_t i = 0; i < f->scopes_count; i++) {
		json_open(w, '{');
		json_pair_str(w, STR("path"), f->scopes[i].path);
		put_count(w, STR("files"), f->has_files, f->scopes[i].files);
		put_count(w, STR("dirty"), f->has_dirty, f->scopes[i].dirty);
		json_close(w, '}');
	}
	json_close(w, ']');
	put_count(w, STR("commits_read"), f->has_history, f->commits);
	json_key(w, STR("changed_together"));
	json_open(w, '[');
	for (uint32_t i = 0; i < f->couplings_count; i++) {
		const struct intake_coupling *c = &f->couplings[i];

		json_open(w, '{');
		json_pair_u64(w, STR("a"), c->a);
		json_pair_u64(w, STR("b"), c->b);
		json_pair_u64(w, STR("together"), c->together);
		json_pair_u64(w, STR("a_commits"), c->a_commits);
		json_pair_u64(w, STR("b_commits"), c->b_commits);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_key(w, STR("check_found"));
	if (f->has_check)
		json_put_bool(w, f->check_found);
	else
		json_put_null(w);
	json_pair_str_or_null(w, STR("check_on_base"), f->probe);
	json_close(w, '}');
}

static void
put_signals(const struct intake_result *r, struct json_writer *w)
{
	json_key(w, STR("signals"));
	json_open(w, '[');
	for (uint32_t i = 0; i < SIGNAL_COUNT; i++) {
		const struct intake_signal *x = &r->signals[i];

		json_open(w, '{');
		json_pair_str(w, STR("name"), signal_word(x->signal));
		json_pair_str(w, STR("value"),
			str_from(signal_values(x->signal)[x->value]));
		json_pair_str(w, STR("provenance"),
			!x->given ? STR("default")
				: x->provenance == PROVENANCE_MEASURED
				? STR("measured")
				: STR("reported"));
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
put_questions(const struct intake_result *r, struct json_writer *w)
{
	json_key(w, STR("questions"));
	json_open(w, '[');
	for (uint32_t i = 0; i < r->questions_count; i++) {
		const struct intake_ambiguity *a = r->questions[i];

		json_open(w, '{');
		json_pair_str(w, STR("id"), a->id);
		json_pair_str(w, STR("question"), a->question);
		json_key(w, STR("affects"));
		json_open(w, '[');
		for (uint32_t k = 0; k < a->affects_count; k++)
			json_put_str(w,
				str_from(decision_effect_words[a->affects[k]]));
		json_close(w, ']');
		json_pair_str_or_null(
			w, STR("repository_fact"), a->repository_fact);
		json_pair_str_or_null(w, STR("safe_default"), a->safe_default);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
put_blockers(const struct intake_result *r, struct json_writer *w)
{
	json_key(w, STR("blockers"));
	json_open(w, '[');
	for (uint32_t i = 0; i < r->blockers_count; i++) {
		json_open(w, '{');
		json_pair_str(w, STR("code"), r->blockers[i].code);
		json_pair_str(w, STR("message"), r->blockers[i].message);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
intake_json(const struct intake_result *r, const struct intake_facts *f,
	struct json_writer *w)
{
	json_pair_str(w, STR("status"),
		r->selected ? STR("selected") : STR("questions"));
	json_key(w, STR("mode"));
	if (r->selected)
		json_put_str(
			w, str_from(decision_mode_words[r->decision.mode]));
	else
		json_put_null(w);
	json_key(w, STR("reasons"));
	json_open(w, '[');
	for (uint32_t i = 0; i < r->reasons.count; i++)
		json_put_str(w, r->reasons.items[i]);
	json_close(w, ']');
	put_blockers(r, w);
	put_questions(r, w);
	put_signals(r, w);
	put_facts(f, w);
	json_key(w, STR("decision"));
	if (r->selected)
		fields_write(&decision_table, &r->decision, w);
	else
		json_put_null(w);
}
