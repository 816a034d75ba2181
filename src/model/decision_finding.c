#include "model/decision_finding.h"

#include <stdio.h>

#include "base/die.h"

#define INFO(name, word, class, sentence) [name] = { word, class, sentence },
static const struct decision_rule_info rules[DECISION_RULE_COUNT] = {
	DECISION_RULE_MAP(INFO)
};

const struct decision_rule_info *
decision_rule_info(enum decision_rule rule)
{
	assert(rule < DECISION_RULE_COUNT);
	return &rules[rule];
}

struct decision_finding *
decision_findings_add(struct decision_findings *f, enum decision_rule rule)
{
	struct decision_finding *x;

	switch (decision_rule_info(rule)->class) {
	case DECISION_VIOLATION:
		f->violations++;
		break;
	case DECISION_DRIFT:
		f->drifts++;
		break;
	case DECISION_NOTE:
		f->notes++;
		break;
	}
	if (f->count == DECISION_FINDINGS_MAX) {
		f->dropped++;
		return NULL;
	}
	if (f->items == NULL)
		f->items = arena_array(
			f->mem, DECISION_FINDINGS_MAX, struct decision_finding);
	x = &f->items[f->count++];
	*x = (struct decision_finding){ .rule = rule };
	return x;
}

enum pawl_rc
decision_findings_fail(const struct decision_findings *f, const char *path,
	struct pawl_err *err)
{
	const struct decision_finding *x = f->items;
	uint32_t bad = f->violations + f->drifts;
	char more[32] = "";

	assert(bad > 0);
	while (decision_rule_info(x->rule)->class == DECISION_NOTE)
		x++;
	if (bad > 1)
		(void)snprintf(more, sizeof(more), " (and %u more)", bad - 1);
	(void)pawl_fail(err,
		f->violations > 0 ? ERR_INVALID_DECISION : ERR_DECISION_DRIFT,
		"%s%s%u:%u: " STR_FMT "%s", path, *path == '\0' ? "" : ":",
		x->line, x->column, STR_ARG(str_part(x->message, 0, 300)),
		more);
	err->field = x->pointer;
	if (x->hint.len > 0)
		(void)pawl_hint(
			err, STR_FMT, STR_ARG(str_part(x->hint, 0, 230)));
	return err->rc;
}

static void
put_all(const struct decision_findings *f, bool notes, struct json_writer *w)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < f->count; i++) {
		const struct decision_finding *x = &f->items[i];
		const struct decision_rule_info *rule =
			decision_rule_info(x->rule);

		if ((rule->class == DECISION_NOTE) != notes)
			continue;
		json_open(w, '{');
		json_pair_str(w, STR("code"), str_from(rule->word));
		json_pair_str(w, STR("path"), x->pointer);
		json_pair_u64(w, STR("line"), x->line);
		json_pair_u64(w, STR("column"), x->column);
		json_pair_str(w, STR("message"), x->message);
		json_pair_str_or_null(w, STR("hint"), x->hint);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
decision_findings_json(const struct decision_findings *f, struct json_writer *w)
{
	json_key(w, STR("violations"));
	put_all(f, false, w);
	json_key(w, STR("notes"));
	put_all(f, true, w);
	if (f->dropped > 0)
		json_pair_u64(w, STR("dropped"), f->dropped);
}
