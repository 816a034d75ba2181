#include "model/rework.h"

#include "base/bounds.h"
#include "model/word.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD_ROW(name, word, flag) [name] = { word, sizeof(word) - 1 },
#define FLAG_ROW(name, word, flag) [name] = flag,
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct str class_words[] = { FINDING_CLASS_MAP(WORD_ROW) };
static const bool class_blocks[] = { FINDING_CLASS_MAP(FLAG_ROW) };
static const struct str action_words[] = { REWORK_ACTION_MAP(WORD_ROW) };
static const bool action_grants[] = { REWORK_ACTION_MAP(FLAG_ROW) };

struct str
finding_class_word(enum finding_class c)
{
	return class_words[c];
}

bool
is_finding_blocking(enum finding_class c)
{
	return class_blocks[c];
}

struct str
rework_action_word(enum rework_action a)
{
	return action_words[a];
}

bool
is_rework_grant(enum rework_action a)
{
	return action_grants[a];
}

bool
finding_class_from(struct str word, enum finding_class *ret_class)
{
	for (size_t i = 0; i < FINDING_CLASS_COUNT; i++) {
		if (!str_eq(word, class_words[i]))
			continue;
		*ret_class = (enum finding_class)i;
		return true;
	}
	return false;
}

bool
rework_action_from(struct str word, enum rework_action *ret_action)
{
	for (size_t i = 0; i < REWORK_ACTION_COUNT; i++) {
		if (!str_eq(word, action_words[i]))
			continue;
		*ret_action = (enum rework_action)i;
		return true;
	}
	return false;
}

enum pawl_rc
finding_class_read(
	struct str word, enum finding_class *ret_class, struct pawl_err *err)
{
	if (finding_class_from(word, ret_class))
		return PAWL_OK;
	return word_unknown("class", word, class_words, FINDING_CLASS_COUNT,
		ERR_INVALID_FINDING, err);
}

enum pawl_rc
rework_action_read(
	struct str word, enum rework_action *ret_action, struct pawl_err *err)
{
	if (rework_action_from(word, ret_action))
		return PAWL_OK;
	return word_unknown("action", word, action_words, REWORK_ACTION_COUNT,
		ERR_INVALID_ARGUMENT, err);
}

/* A run has at most BOUND_FINDINGS, and asked for is nearly always a late one.
 */
bool
state_find_finding(const struct state *s, struct str id, uint32_t *ret_index)
{
	for (size_t i = s->findings.count; i-- > 0;) {
		if (!str_eq(s->findings.items[i].id, id))
			continue;
		*ret_index = (uint32_t)i;
		return true;
	}
	return false;
}

bool
state_find_decision(const struct state *s, struct str id, uint32_t *ret_index)
{
	for (size_t i = s->decisions.count; i-- > 0;) {
		if (!str_eq(s->decisions.items[i].id, id))
			continue;
		*ret_index = (uint32_t)i;
		return true;
	}
	return false;
}

bool
is_ask_for_decision(const struct state *s, uint32_t node, uint32_t ask)
{
	const struct ask *q = &s->asks.items[ask];
	const struct rework_decision *d;

	if (q->node != node || q->status != ASK_OPEN || q->kind != ASK_ACT ||
		q->attempt_1 != 0)
		return false;
	VEC_EACH (d, &s->decisions) {
		if (d->ask_1 == ask + 1)
			return false;
	}
	return true;
}

bool
is_finding_open(const struct state *s, const struct rework_finding *f)
{
	const struct attempt *a = &s->attempts.items[f->attempt];

	return is_finding_blocking((enum finding_class)f->class) &&
		!f->overruled &&
		(is_attempt_live(a) || a->status == ATTEMPT_SETTLED);
}

uint32_t
state_allowance(const struct state *s, uint32_t node)
{
	return BOUND_ATTEMPTS + s->nodes[node].grants;
}

bool
has_repair_left(const struct state *s, uint32_t node)
{
	return s->nodes[node].rejects + 1u < state_allowance(s, node);
}

static bool
is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Skip blanks; false at the end. */
static bool
blanks_skip(struct str *rest)
{
	while (rest->len > 0 && is_blank(rest->ptr[0]))
		*rest = str_part(*rest, 1, rest->len);
	return rest->len > 0;
}

static bool
is_same_hypothesis(struct str a, struct str b)
{
	for (;;) {
		bool more_a = blanks_skip(&a), more_b = blanks_skip(&b);

		if (!more_a || !more_b)
			return !more_a && !more_b;
		while (a.len > 0 && b.len > 0 && a.ptr[0] == b.ptr[0] &&
			!is_blank(a.ptr[0])) {
			a = str_part(a, 1, a.len);
			b = str_part(b, 1, b.len);
		}
		if ((a.len > 0 && !is_blank(a.ptr[0])) ||
			(b.len > 0 && !is_blank(b.ptr[0])))
			return false;
	}
}

bool
state_find_hypothesis(const struct state *s, uint32_t node,
	struct str hypothesis, uint32_t *ret_attempt)
{
	for (uint32_t i = s->nodes[node].attempt_1; i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (a->node != node || a->status != ATTEMPT_REJECTED ||
			!is_same_hypothesis(a->cause, hypothesis))
			continue;
		*ret_attempt = i;
		return true;
	}
	return false;
}

struct str
hypothesis_canonical(struct str text, struct arena *mem)
{
	char *out = arena_bytes(mem, text.len + 1);
	size_t len = 0;

	while (blanks_skip(&text)) {
		if (len > 0)
			out[len++] = ' ';
		while (text.len > 0 && !is_blank(text.ptr[0])) {
			out[len++] = text.ptr[0];
			text = str_part(text, 1, text.len);
		}
	}
	return (struct str){ out, len };
}

struct str
state_next_finding(const struct state *s, struct arena *mem)
{
	return arena_format(mem, "f%zu", s->findings.count + 1);
}

struct str
state_next_decision(const struct state *s, struct arena *mem)
{
	return arena_format(mem, "d%zu", s->decisions.count + 1);
}
