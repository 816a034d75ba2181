#include "model/decision_record.h"

#include "base/num.h"

bool
decision_wants_record(const struct decision_doc *d)
{
	if (d->initial_mode == DECISION_LIGHT_SPEC)
		return true;
	for (uint32_t i = 0; i < d->amendments_count; i++) {
		if (d->amendments[i].to_mode == DECISION_LIGHT_SPEC)
			return true;
	}
	return false;
}

static void
add_line(struct buf *out, const char *before, struct str text)
{
	buf_add(out, str_from(before));
	/* A text of several lines stays one item of its list. */
	for (size_t i = 0; i < text.len; i++) {
		buf_addc(out, text.ptr[i]);
		if (text.ptr[i] == '\n')
			buf_add(out, STR("  "));
	}
	buf_addc(out, '\n');
}

static void
add_code(struct buf *out, const char *before, struct str code)
{
	bool ticks = str_find(code, '`') < code.len;

	buf_add(out, str_from(before));
	buf_add(out, ticks ? STR("`` ") : STR("`"));
	buf_add(out, code);
	buf_add(out, ticks ? STR(" ``\n") : STR("`\n"));
}

static void
add_observations(const struct decision_doc *d, struct buf *out)
{
	if (d->observations_count > 0)
		buf_add(out, STR("\nObserved:\n\n"));
	for (uint32_t i = 0; i < d->observations_count; i++) {
		const struct decision_observation *o = &d->observations[i];

		buf_addf(out, "- " STR_FMT ": ", STR_ARG(o->name));
		buf_add(out, o->value);
		buf_addf(out, " (%s)\n",
			o->provenance == PROVENANCE_MEASURED ? "measured"
							     : "reported");
	}
}

static void
add_questions(const struct decision_doc *d, struct buf *out)
{
	if (d->questions_count > 0)
		buf_add(out, STR("\nQuestions and answers:\n\n"));
	for (uint32_t i = 0; i < d->questions_count; i++) {
		add_line(out, "- ", d->questions[i].question);
		add_line(out, "  Answer: ", d->questions[i].answer);
	}
	if (d->assumptions_count > 0)
		buf_add(out, STR("\nAssumed:\n\n"));
	for (uint32_t i = 0; i < d->assumptions_count; i++)
		add_line(out, "- ", d->assumptions[i].statement);
}

static void
add_first(const struct decision_doc *d, struct buf *out)
{
	struct str check =
		d->amendments_count > 0 ? STR("") : d->selected_check->command;

	buf_addf(out, "## Revision 1\n\nMode: %s\n",
		decision_mode_words[d->initial_mode]);
	if (check.len > 0)
		add_code(out, "Check: ", check);
}

static void
add_amendment(const struct decision_amendment *a, struct buf *out)
{
	buf_addf(out, "\n## Revision %lld\n\nMode: %s (before: %s)\n",
		(long long)a->revision, decision_mode_words[a->to_mode],
		decision_mode_words[a->from_mode]);
	add_code(out, "Check: ", a->replacement_check);
	add_line(out, "Reason: ", a->reason);
	buf_add(out, STR("\nChanged evidence:\n\n"));
	for (uint32_t i = 0; i < a->changed_evidence_count; i++)
		add_line(out, "- ", a->changed_evidence[i]);
}

void
decision_record_write(const struct decision_doc *d, struct buf *out)
{
	buf_addf(out, "# Decision " STR_FMT "\n\n", STR_ARG(d->id));
	buf_addf(out, "Request: sha256:" STR_FMT "\nScope:",
		STR_ARG(d->request_digest));
	for (uint32_t i = 0; i < d->scope_count; i++) {
		buf_add(out, i ? STR(", ") : STR(" "));
		buf_add(out, d->scope[i]);
	}
	buf_add(out, STR("\n\n"));
	add_first(d, out);
	add_observations(d, out);
	add_questions(d, out);
	for (uint32_t i = 0; i < d->amendments_count; i++)
		add_amendment(&d->amendments[i], out);
}

/* The highest revision that a record has a section of; 0 when it is none. */
static uint64_t
last_section(struct str text)
{
	uint64_t last = 0;

	while (text.ptr != NULL) {
		struct str line = str_trim(str_cut(&text, '\n'));
		struct str mark = STR("## Revision ");
		uint64_t n;

		if (str_starts(line, mark) &&
			num_digits(str_part(line, mark.len, line.len), &n) &&
			n > last)
			last = n;
	}
	return last;
}

enum pawl_rc
decision_record_extend(const struct decision_doc *d, struct str old,
	struct buf *out, uint32_t *ret_added, struct pawl_err *err)
{
	struct str rest = old;
	struct str title = str_trim(str_cut(&rest, '\n'));
	struct str mark = STR("# Decision ");
	uint64_t last = last_section(old);

	if (!str_starts(title, mark) ||
		!str_eq(str_part(title, mark.len, title.len), d->id) ||
		last == 0)
		return pawl_fail(err, ERR_ID_TAKEN,
			"it is there, and no record of decision '" STR_FMT "'",
			STR_ARG(d->id));
	if (last > (uint64_t)d->revision)
		return pawl_fail(err, ERR_ID_TAKEN,
			"it has revision %llu, and the decision is at %lld",
			(unsigned long long)last, (long long)d->revision);
	buf_add(out, old);
	if (old.len > 0 && old.ptr[old.len - 1] != '\n')
		buf_addc(out, '\n');
	*ret_added = 0;
	for (uint32_t i = 0; i < d->amendments_count; i++) {
		if ((uint64_t)d->amendments[i].revision <= last)
			continue;
		add_amendment(&d->amendments[i], out);
		(*ret_added)++;
	}
	return PAWL_OK;
}
