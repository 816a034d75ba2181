#include "model/subject.h"

#include "model/delegation.h"

struct str
subject_kind_word(enum subject_kind kind)
{
	switch (kind) {
	case SUBJECT_NODE:
		return STR("node");
	case SUBJECT_QUESTION:
		return STR("question");
	case SUBJECT_CLEANUP:
		return STR("cleanup");
	case SUBJECT_DELEGATION:
		return STR("delegation");
	case SUBJECT_ANY:
	case SUBJECT_KINDS:
		break;
	}
	return STR("");
}

struct subject
subject_of(struct str typed)
{
	struct str rest = typed;
	struct str word = str_cut(&rest, ':');

	for (int k = SUBJECT_NODE; rest.ptr != NULL && k < SUBJECT_KINDS; k++) {
		if (str_eq(word, subject_kind_word((enum subject_kind)k)))
			return (struct subject){ (enum subject_kind)k, rest };
	}
	return (struct subject){ SUBJECT_ANY, typed };
}

bool
subject_may_be(const struct subject *sub, enum subject_kind kind)
{
	return sub->kind == SUBJECT_ANY || sub->kind == kind;
}

bool
subject_find_numbered(const struct state *s, const struct subject *sub,
	enum subject_kind *ret_kind, uint32_t *ret_index)
{
	static bool (*const finds[SUBJECT_KINDS])(
		const struct state *, struct str, uint32_t *) = {
		[SUBJECT_QUESTION] = state_find_ask,
		[SUBJECT_CLEANUP] = state_find_cleanup,
		[SUBJECT_DELEGATION] = state_find_delegation,
	};

	for (int k = SUBJECT_QUESTION; k < SUBJECT_KINDS; k++) {
		if (subject_may_be(sub, (enum subject_kind)k) &&
			finds[k](s, sub->id, ret_index)) {
			*ret_kind = (enum subject_kind)k;
			return true;
		}
	}
	return false;
}

enum pawl_rc
subject_ambiguous(struct str id, enum subject_kind other, struct pawl_err *err)
{
	struct str word = subject_kind_word(other);

	(void)pawl_fail(err, ERR_AMBIGUOUS_ID,
		"'" STR_FMT "' is a node and a " STR_FMT, STR_ARG(id),
		STR_ARG(word));
	return pawl_hint(err, STR_FMT ":" STR_FMT ", or node:" STR_FMT,
		STR_ARG(word), STR_ARG(id), STR_ARG(id));
}
