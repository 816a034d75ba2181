#include "model/ledger_word.h"

#include "base/buf.h"
#include "model/ledger.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD(name, word) [name] = { word, sizeof(word) - 1 },
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct str kinds[] = { LEDGER_KIND_MAP(WORD) };
static const struct str roles[] = { LEDGER_ROLE_MAP(WORD) };
static const struct str approvals[] = { LEDGER_APPROVAL_MAP(WORD) };
static const struct str statuses[] = { NODE_STATUS_MAP(WORD) };

struct vocabulary {
	const char *name;
	uint8_t count;
	const struct str *words; /* NULL: plan_access_word() has them */
};

static const struct vocabulary vocabularies[LEDGER_VOCABULARY_COUNT] = {
	[LEDGER_WORDS_KIND] = { "kind", LEDGER_KIND_COUNT, kinds },
	[LEDGER_WORDS_ROLE] = { "role", LEDGER_ROLE_COUNT, roles },
	[LEDGER_WORDS_ACCESS] = { "access", ACCESS_DESTRUCTIVE + 1, NULL },
	[LEDGER_WORDS_APPROVAL] = { "approval", LEDGER_APPROVAL_COUNT,
		approvals },
	[LEDGER_WORDS_STATUS] = { "status", NODE_STATUS_COUNT, statuses },
};

static struct str
word_at(const struct vocabulary *v, uint8_t number)
{
	if (v->words != NULL)
		return v->words[number];
	return str_from(plan_access_word((enum node_access)number));
}

bool
ledger_word_find(enum ledger_vocabulary v, struct str word, uint8_t *ret_number)
{
	const struct vocabulary *set = &vocabularies[v];

	for (uint8_t i = 0; i < set->count; i++) {
		if (!str_eq(word_at(set, i), word))
			continue;
		*ret_number = i;
		return true;
	}
	return false;
}

enum { NEAR = 3 }; /* edits at most between what was meant and what was said */

struct str
ledger_word_nearest(enum ledger_vocabulary v, struct str word)
{
	const struct vocabulary *set = &vocabularies[v];
	char folded[32];
	struct str best = { 0 };
	unsigned least = NEAR + 1;

	if (word.len > sizeof(folded))
		return best;
	for (uint8_t i = 0; i < set->count; i++) {
		struct str known = word_at(set, i);
		bool upper = known.ptr[0] <= 'Z';
		unsigned distance;

		for (size_t k = 0; k < word.len; k++) {
			char c = word.ptr[k];

			if (upper && c >= 'a' && c <= 'z')
				c = (char)(c - 'a' + 'A');
			if (!upper && c >= 'A' && c <= 'Z')
				c = (char)(c - 'A' + 'a');
			folded[k] = c;
		}
		distance =
			str_distance((struct str){ folded, word.len }, known);
		if (distance < least) {
			least = distance;
			best = known;
		}
	}
	return best;
}

enum pawl_rc
ledger_word_read(enum ledger_vocabulary v, struct str word, uint8_t *ret_number,
	struct pawl_err *err)
{
	const struct vocabulary *set = &vocabularies[v];
	struct buf all = { 0 };
	struct str near;
	enum pawl_rc rc;

	if (ledger_word_find(v, word, ret_number))
		return PAWL_OK;
	for (uint8_t i = 0; i < set->count; i++) {
		if (i > 0)
			buf_add(&all, STR(", "));
		buf_add(&all, word_at(set, i));
	}
	rc = pawl_fail(err, ERR_INVALID_ARGUMENT,
		"'" STR_FMT "' is no %s: there are " STR_FMT,
		STR_ARG(str_part(word, 0, 64)), set->name,
		STR_ARG(buf_str(&all)));
	buf_release(&all);
	err->field = str_from(set->name);
	near = ledger_word_nearest(v, word);
	if (near.len > 0)
		pawl_hint(err, "'" STR_FMT "'?", STR_ARG(near));
	return rc;
}
