#include "model/status.h"

#include "model/word.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD2(name, word) [name] = { word, sizeof(word) - 1 },
#define WORD3(name, word, who) [name] = { word, sizeof(word) - 1 },
#define WHO3(name, word, who) [name] = who,
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct str node_words[] = { NODE_STATUS_MAP(WORD2) };
static const struct str run_words[] = { RUN_STATUS_MAP(WORD2) };
static const struct str attempt_words[] = { ATTEMPT_STATUS_MAP(WORD2) };
static const struct str block_words[] = { BLOCK_REASON_MAP(WORD3) };
static const char *const block_who[] = { BLOCK_REASON_MAP(WHO3) };
static const struct str breach_words[] = { BREACH_MAP(WORD3) };
static const char *const breach_phrases[] = { BREACH_MAP(WHO3) };

struct str
node_status_word(enum node_status s)
{
	return node_words[s];
}

struct str
run_status_word(enum run_status s)
{
	return run_words[s];
}

struct str
attempt_status_word(enum attempt_status s)
{
	return attempt_words[s];
}

struct str
block_reason_word(enum block_reason r)
{
	return block_words[r];
}

const char *
block_reason_who(enum block_reason r)
{
	return block_who[r];
}

enum block_reason
block_reason_from(struct str word)
{
	for (size_t i = BLOCK_NONE + 1; i < BLOCK_REASON_COUNT; i++) {
		if (str_eq(word, block_words[i]))
			return (enum block_reason)i;
	}
	return BLOCK_PREREQUISITE;
}

static const struct str grade_words[] = {
	[GRADE_NONE] = { "", 0 },
	[GRADE_PASS] = { "pass", 4 },
	[GRADE_FAIL] = { "fail", 4 },
	[GRADE_UNOBSERVED] = { "unobserved", 10 },
	[GRADE_BLOCKED] = { "blocked", 7 },
};

struct str
breach_word(enum breach b)
{
	return breach_words[b];
}

const char *
breach_phrase(enum breach b)
{
	return breach_phrases[b];
}

bool
breach_from(struct str word, enum breach *ret_breach)
{
	for (size_t i = 0; i < BREACH_COUNT; i++) {
		if (word.len == 0 || str_eq(word, breach_words[i])) {
			*ret_breach = (enum breach)i;
			return true;
		}
	}
	return false;
}

struct str
grade_word(enum grade g)
{
	return grade_words[g];
}

struct str
verdict_word(enum verdict v)
{
	static const struct str words[] = {
		[VERDICT_NONE] = { "", 0 },
		[VERDICT_PASS] = { "pass", 4 },
		[VERDICT_FAIL] = { "fail", 4 },
		[VERDICT_VOID] = { "void", 4 },
	};

	return words[v];
}

struct str
cleanup_status_word(enum cleanup_status s)
{
	static const struct str words[] = {
		[CLEANUP_PENDING] = { "pending", 7 },
		[CLEANUP_VERIFIED] = { "verified", 8 },
		[CLEANUP_FAILED] = { "failed", 6 },
		[CLEANUP_RETAINED] = { "retained", 8 },
		[CLEANUP_DONE] = { "done", 4 },
		[CLEANUP_UNVERIFIABLE] = { "unverifiable", 12 },
	};

	return words[s];
}

static const struct {
	struct str word;
	bool provable;
} cleanup_kinds[] = {
#define KIND_ROW(name, text, provable) \
	[name] = { { text, sizeof(text) - 1 }, provable },
	CLEANUP_KIND_MAP(KIND_ROW)
};

bool
cleanup_kind_from(struct str word, enum cleanup_kind *ret_kind)
{
	for (size_t i = 0; i < CLEANUP_KIND_COUNT; i++) {
		if (str_eq(word, cleanup_kinds[i].word)) {
			*ret_kind = (enum cleanup_kind)i;
			return true;
		}
	}
	return false;
}

enum pawl_rc
cleanup_kind_read(
	struct str word, enum cleanup_kind *ret_kind, struct pawl_err *err)
{
#define KIND_WORD(name, word, provable) [name] = { word, sizeof(word) - 1 },
	static const struct str words[] = { CLEANUP_KIND_MAP(KIND_WORD) };
#undef KIND_WORD

	if (cleanup_kind_from(word, ret_kind))
		return PAWL_OK;
	return word_unknown("kind", word, words, CLEANUP_KIND_COUNT,
		ERR_INVALID_ARGUMENT, err);
}

bool
is_cleanup_provable(enum cleanup_kind kind)
{
	return cleanup_kinds[kind].provable;
}

struct str
placement_word(enum placement p)
{
	return p == PLACEMENT_WORKTREE ? STR("worktree") : STR("in_place");
}

bool
grade_from(struct str word, enum grade *ret_grade)
{
	for (enum grade g = GRADE_PASS; g <= GRADE_BLOCKED; g++) {
		if (str_eq(word, grade_word(g))) {
			*ret_grade = g;
			return true;
		}
	}
	return false;
}

enum pawl_rc
grade_read(struct str word, enum grade *ret_grade, struct pawl_err *err)
{
	if (grade_from(word, ret_grade))
		return PAWL_OK;
	return word_unknown("grade", word, grade_words + GRADE_PASS,
		GRADE_BLOCKED - GRADE_PASS + 1, ERR_INVALID_ARGUMENT, err);
}

enum pawl_rc
outcome_check(struct str word, struct pawl_err *err)
{
	static const struct str words[] = { { "pass", 4 }, { "partial", 7 },
		{ "blocked", 7 }, { "failed", 6 } };
	enum { COUNT = sizeof(words) / sizeof(words[0]) };

	for (size_t i = 0; i < COUNT; i++) {
		if (str_eq(word, words[i]))
			return PAWL_OK;
	}
	return word_unknown(
		"outcome", word, words, COUNT, ERR_INVALID_ARGUMENT, err);
}

struct str
gate_status_word(enum gate_status s)
{
	static const struct str words[] = {
		[GATE_OPEN] = { "open", 4 },
		[GATE_GRANTED] = { "granted", 7 },
		[GATE_DENIED] = { "denied", 6 },
		[GATE_STALE] = { "stale", 5 },
	};

	return words[s];
}

struct str
ask_status_word(enum ask_status status)
{
	static const struct str words[] = {
		[ASK_OPEN] = { "open", 4 },
		[ASK_ANSWERED] = { "answered", 8 },
		[ASK_STALE] = { "stale", 5 },
		[ASK_DENIED] = { "denied", 6 },
	};

	return words[status];
}

struct str
ask_kind_word(enum ask_kind kind)
{
	return kind == ASK_ACT ? STR("act") : STR("question");
}
