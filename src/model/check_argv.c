#include "model/check_argv.h"

#include <string.h>

#include "base/bounds.h"

struct splitter {
	struct str line;
	size_t at;
	char *to;   /* where the next byte of a word goes */
	size_t bad; /* offset of what is refused */
	struct pawl_err *err;
};

static bool
is_space(char c)
{
	return c == ' ' || c == '\t';
}

PAWL_COLD static enum pawl_rc
refuse(struct splitter *s, size_t at, const char *why)
{
	s->bad = at;
	return pawl_fail(s->err, ERR_INVALID_CHECK, "check %s", why);
}

/* A character that only a shell gives its meaning. */
PAWL_COLD static enum pawl_rc
refuse_shell(struct splitter *s, size_t at)
{
	s->bad = at;
	return pawl_fail(s->err, ERR_INVALID_CHECK,
		"check needs a shell for '%c'; checks are run without one",
		s->line.ptr[at]);
}

static enum pawl_rc
single_quoted(struct splitter *s)
{
	size_t open = s->at++;

	while (s->at < s->line.len && s->line.ptr[s->at] != '\'')
		*s->to++ = s->line.ptr[s->at++];
	if (s->at == s->line.len)
		return refuse(s, open, "has a quote that is not closed");
	s->at++;
	return PAWL_OK;
}

static enum pawl_rc
double_quoted(struct splitter *s)
{
	size_t open = s->at++;

	while (s->at < s->line.len && s->line.ptr[s->at] != '"') {
		char c = s->line.ptr[s->at];

		if (c == '$' || c == '`')
			return refuse_shell(s, s->at);
		if (c == '\\' && s->at + 1 < s->line.len &&
			strchr("$`\"\\", s->line.ptr[s->at + 1]) != NULL)
			c = s->line.ptr[++s->at];
		*s->to++ = c;
		s->at++;
	}
	if (s->at == s->line.len)
		return refuse(s, open, "has a quote that is not closed");
	s->at++;
	return PAWL_OK;
}

/* Whether the word at `s->at` assigns a variable, as the first word would. */
static bool
is_assignment(const struct splitter *s)
{
	size_t i = s->at;

	while (i < s->line.len) {
		char c = s->line.ptr[i];
		bool digit = c >= '0' && c <= '9';

		if (c == '=')
			return i > s->at;
		if (c != '_' && !(digit && i > s->at) &&
			!((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			return false;
		i++;
	}
	return false;
}

static enum pawl_rc
word_start(struct splitter *s, bool first)
{
	char c = s->line.ptr[s->at];

	if (c == '~' || c == '#')
		return refuse_shell(s, s->at);
	if (first && is_assignment(s))
		return refuse(s, s->at,
			"sets a variable in front of its command, which needs "
			"a shell");
	if (first && c == '!' &&
		(s->at + 1 == s->line.len || is_space(s->line.ptr[s->at + 1])))
		return refuse_shell(s, s->at);
	return PAWL_OK;
}

static enum pawl_rc
word(struct splitter *s, bool first)
{
	if (word_start(s, first) != PAWL_OK)
		return s->err->rc;
	while (s->at < s->line.len && !is_space(s->line.ptr[s->at])) {
		char c = s->line.ptr[s->at];
		enum pawl_rc rc = PAWL_OK;

		if (c == '\'') {
			rc = single_quoted(s);
		} else if (c == '"') {
			rc = double_quoted(s);
		} else if (strchr("|&;<>()$*?[{}`", c) != NULL) {
			rc = refuse_shell(s, s->at);
		} else if (c == '\\' && s->at + 1 == s->line.len) {
			rc = refuse(s, s->at, "ends in a backslash");
		} else {
			s->at += c == '\\';
			*s->to++ = s->line.ptr[s->at++];
		}
		if (rc != PAWL_OK)
			return rc;
	}
	*s->to++ = '\0';
	return PAWL_OK;
}

static enum pawl_rc
check_bytes(struct splitter *s)
{
	if (s->line.len > BOUND_CHECK_BYTES) {
		s->bad = 0;
		return pawl_fail(s->err, ERR_LIMIT,
			"check of %zu bytes is over the limit of %d",
			s->line.len, BOUND_CHECK_BYTES);
	}
	for (size_t i = 0; i < s->line.len; i++) {
		unsigned char c = (unsigned char)s->line.ptr[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return refuse(s, i, "has a control character");
	}
	return PAWL_OK;
}

static enum pawl_rc
split(struct splitter *s, struct arena *mem, char ***ret_argv)
{
	char *words[BOUND_CHECK_ARGS + 1];
	size_t count = 0;

	if (check_bytes(s) != PAWL_OK)
		return s->err->rc;
	/* A word is not longer than its source, and its NUL takes the place
	 * of the blank or the end behind it. */
	s->to = arena_bytes(mem, s->line.len + 1);
	for (;;) {
		while (s->at < s->line.len && is_space(s->line.ptr[s->at]))
			s->at++;
		if (s->at == s->line.len)
			break;
		if (count == BOUND_CHECK_ARGS) {
			s->bad = s->at;
			return pawl_fail(s->err, ERR_LIMIT,
				"check has more than %d words",
				BOUND_CHECK_ARGS);
		}
		words[count] = s->to;
		if (word(s, count == 0) != PAWL_OK)
			return s->err->rc;
		count++;
	}
	if (count == 0 || words[0][0] == '\0')
		return refuse(s, 0, "names no command");
	words[count] = NULL;
	*ret_argv = arena_array(mem, count + 1, char *);
	memcpy(*ret_argv, words, (count + 1) * sizeof(*words));
	return PAWL_OK;
}

enum pawl_rc
check_argv(struct str line, struct arena *mem, char ***ret_argv, size_t *ret_at,
	struct pawl_err *err)
{
	struct splitter s = { .line = line, .err = err };
	enum pawl_rc rc = split(&s, mem, ret_argv);

	if (rc != PAWL_OK)
		*ret_at = s.bad;
	return rc;
}
