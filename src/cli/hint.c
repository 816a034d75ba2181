#include "cli/hint.h"

#include <string.h>

#include "cli/table.h"

#define PROGRAM "pawl "
#define GROUP "ledger "

/* How the call found what it works on. */
struct typed {
	struct str file; /* --file of a ledger; or empty */
	struct str run;  /* RUN, or empty */
	struct str node; /* NODE without its RUN/, or empty */
};

static bool
is_plain(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		char c = word.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
			!(c >= '0' && c <= '9') &&
			(c == '\0' || strchr("_-./:@%+,", c) == NULL))
			return false;
	}
	return word.len > 0;
}

void
hint_quote(struct buf *b, struct str word)
{
	if (is_plain(word)) {
		buf_add(b, word);
		return;
	}
	buf_addc(b, '\'');
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] == '\'')
			buf_add(b, STR("'\\''"));
		else
			buf_addc(b, word.ptr[i]);
	}
	buf_addc(b, '\'');
}

void
hint_with(struct pawl_err *err, const char *command, struct str word)
{
	struct buf b = { 0 };

	hint_quote(&b, word);
	if (strlen(command) + 1 + b.len < sizeof(err->hint))
		(void)pawl_hint(
			err, "%s " STR_FMT, command, STR_ARG(buf_str(&b)));
	buf_release(&b);
}

/* A name that can't be shown can't be typed, either. */
static bool
has_control(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 0x7f)
			return true;
	}
	return false;
}

static bool
has_word(struct str text, struct str word)
{
	while (text.len > 0) {
		if (str_eq(str_cut(&text, ' '), word))
			return true;
	}
	return false;
}

static struct str
option_text(const struct args *args, const char *name)
{
	const struct arg_value *v;

	VEC_EACH (v, &args->options) {
		if (strcmp(v->option->name, name) == 0)
			return str_from(v->text);
	}
	return (struct str){ 0 };
}

/* A verb on a ledger that is there, be it a file or a run. */
static bool
is_door_verb(const struct cmd *cmd)
{
	return cmd != NULL && str_starts(str_from(cmd->name), STR(GROUP)) &&
		str_starts(str_from(cmd->operands), STR("[RUN"));
}

static struct typed
typed_by(const struct cmd_ctx *ctx)
{
	const struct args *args = &ctx->args;
	struct str rest = str_from(args_operand(args, 0)), head;
	struct str shape = str_from(ctx->cmd->operands);
	bool with_node = str_starts(shape, STR("[RUN/]"));
	struct typed t = { 0 };

	if (is_door_verb(ctx->cmd) ||
		str_eq(str_from(ctx->cmd->name), STR("ledger new")))
		t.file = option_text(args, "file");
	head = str_cut(&rest, '/');
	if (with_node && rest.ptr != NULL)
		t = (struct typed){ t.file, head, rest };
	else if (with_node && option_text(args, "batch").len == 0)
		t.node = head;
	else if (with_node || str_starts(shape, STR("[RUN]")))
		t.run = head;
	return t;
}

static void
add_option(struct buf *b, const char *name, struct str value)
{
	buf_addf(b, " --%s%c", name, str_starts(value, STR("--")) ? '=' : ' ');
	hint_quote(b, value);
}

static void
add_operands(
	struct buf *b, const struct cmd_ctx *ctx, const struct hint_change *c)
{
	const struct arg_words *words = &ctx->args.operands;
	struct typed t = typed_by(ctx);
	bool has_run = c->run.len > 0 || t.run.len > 0;
	size_t i = t.run.len > 0 || t.node.len > 0 ? 1 : 0;

	if (has_run || t.node.len > 0)
		buf_addc(b, ' ');
	if (has_run)
		hint_quote(b, c->run.len > 0 ? c->run : t.run);
	if (has_run && t.node.len > 0)
		buf_addc(b, '/');
	if (t.node.len > 0)
		hint_quote(b, t.node);
	for (; i < words->count; i++) {
		buf_addc(b, ' ');
		hint_quote(b,
			i == 1 && c->status.len > 0
				? c->status
				: str_from(words->items[i]));
	}
}

void
hint_call(const struct cmd_ctx *ctx, const struct hint_change *c,
	struct pawl_err *err)
{
	struct buf b = { 0 };
	const struct arg_value *v;
	bool said = c->option == NULL;

	buf_addf(&b, PROGRAM "%s", ctx->cmd->name);
	add_operands(&b, ctx, c);
	VEC_EACH (v, &ctx->args.options) {
		const char *name = v->option->name;
		bool other = c->option != NULL && strcmp(name, c->option) == 0;

		said = said || other;

		if (v->text == NULL)
			buf_addf(&b, " --%s", name);
		else
			add_option(
				&b, name, other ? c->value : str_from(v->text));
	}
	if (!said)
		add_option(&b, c->option, c->value);
	if (ctx->args.key != NULL)
		add_option(&b, "key", str_from(ctx->args.key));
	if (b.len < sizeof(err->hint))
		(void)pawl_hint(err, STR_FMT, STR_ARG(buf_str(&b)));
	buf_release(&b);
}

/* The words behind "pawl ledger VERB" of a verb that works on a ledger. */
static void
add_door_words(struct buf *b, const struct cmd *verb, struct str rest,
	const struct typed *t)
{
	bool wants_node = str_starts(str_from(verb->operands), STR("[RUN/]"));
	struct str ahead = rest, first = str_cut(&ahead, ' ');
	bool has_operand = first.len > 0 && first.ptr[0] != '-';

	if (has_operand && (first.ptr[0] == '[' || first.ptr[0] == '\'')) {
		buf_addc(b, ' ');
		buf_add(b, rest); /* a synopsis, or no id: as it is */
		return;
	}
	if (wants_node && has_operand) {
		if (str_eq(first, STR("NODE")) && t->node.len > 0)
			first = t->node;
		buf_addc(b, ' ');
		if (t->run.len > 0 && str_find(first, '/') == first.len) {
			hint_quote(b, t->run);
			buf_addc(b, '/');
		}
		hint_quote(b, first);
		rest = ahead;
	} else if (!wants_node && !has_operand && t->run.len > 0) {
		buf_addc(b, ' ');
		hint_quote(b, t->run);
	}
	if (rest.len > 0) {
		buf_addc(b, ' ');
		buf_add(b, rest);
	}
	if (t->file.len > 0 && table_option(verb, STR("file")) != NULL &&
		!has_word(rest, STR("--file")))
		add_option(b, "file", t->file);
}

/* What stands behind "pawl ledger ". */
static void
add_ledger(struct buf *b, struct str rest, const struct typed *t)
{
	struct str all = rest, verb = str_cut(&rest, ' ');
	const struct cmd *cmd;
	struct buf name = { 0 };

	buf_addf(&name, GROUP STR_FMT, STR_ARG(verb));
	cmd = table_find(buf_str(&name));
	buf_release(&name);
	buf_add(b, STR(GROUP));
	if (is_door_verb(cmd)) {
		buf_add(b, verb);
		add_door_words(b, cmd, rest, t);
	} else if (str_eq(all, STR("check FILE")) && t->file.len > 0) {
		buf_add(b, STR("check "));
		hint_quote(b, t->file);
	} else {
		buf_add(b, all);
	}
}

/* The command that a text begins with; `*ret_rest` is what stands behind. */
static const struct cmd *
command_of(struct str text, struct str *ret_rest)
{
	const struct cmd *found = NULL;
	struct str rest = text;

	for (size_t end = 0; rest.len > 0;) {
		const struct cmd *cmd;

		end += str_cut(&rest, ' ').len;
		cmd = table_find(str_part(text, 0, end));
		if (cmd != NULL) {
			found = cmd;
			*ret_rest = rest;
		}
		end++;
	}
	return found;
}

/* A word that stands for what the caller typed, such as NODE. */
static bool
is_left_open(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		if (word.ptr[i] < 'A' || word.ptr[i] > 'Z')
			return false;
	}
	return word.len > 0;
}

/* What a verb of this shape calls what the caller typed. */
static struct str
kind_of(struct str typed, struct str shape)
{
	if (str_find(typed, '#') < typed.len)
		return STR("CHECK");
	if (str_find(typed, '@') < typed.len)
		return STR("ATTEMPT");
	if (str_find(typed, '!') < typed.len)
		return STR("GATE");
	for (size_t i = 0; i < shape.len; i++) {
		if (shape.ptr[i] < 'A' || shape.ptr[i] > 'Z')
			shape.len = i;
	}
	return str_eq(shape, STR("SUBJECT")) || str_eq(shape, STR("ID"))
		? STR("NODE")
		: shape;
}

/* What is left open is what the caller named, or the node that it is of. */
static struct str
filled(struct str word, const struct cmd_ctx *ctx, const struct typed *t)
{
	struct str ours = str_from(ctx->cmd->operands), kind;
	size_t end = 0;

	if (!is_left_open(word) || t->node.len == 0 ||
		!str_starts(ours, STR("[RUN/]")))
		return word;
	kind = kind_of(t->node, str_part(ours, strlen("[RUN/]"), SIZE_MAX));
	if (str_eq(word, kind))
		return t->node;
	while (end < t->node.len && strchr("@#!", t->node.ptr[end]) == NULL)
		end++;
	return str_eq(word, STR("NODE")) && end < t->node.len
		? str_part(t->node, 0, end)
		: word;
}

/*
 * The first operand: the run that was typed is named again.
 */
static void
add_subject(struct buf *b, const struct cmd_ctx *ctx, const struct cmd *cmd,
	struct str *rest, const struct typed *t)
{
	struct str shape = str_from(cmd->operands);
	struct str ahead = *rest, first = str_cut(&ahead, ' ');
	bool given = first.len > 0 && first.ptr[0] != '-';

	if (first.len > 0 && first.ptr[0] == '[')
		return; /* a synopsis: as it is */
	if (str_starts(shape, STR("[RUN/]")) && given) {
		*rest = ahead;
		first = filled(first, ctx, t);
		buf_addc(b, ' ');
		if (t->run.len > 0 && str_find(first, '/') == first.len) {
			hint_quote(b, t->run);
			buf_addc(b, '/');
		}
		buf_add(b, first);
	} else if (str_starts(shape, STR("[RUN]"))) {
		bool open = str_eq(first, STR("RUN"));

		if (open)
			*rest = ahead;
		if (t->run.len > 0 && (open || !given)) {
			buf_addc(b, ' ');
			hint_quote(b, t->run);
		}
	}
}

/* Any other command: the run, the subject and the coordinator of this call. */
static void
add_command(struct buf *b, const struct cmd_ctx *ctx, struct str text,
	const struct typed *t)
{
	struct str rest = { "", 0 }, as = str_from(ctx->args.as);
	const struct cmd *cmd = command_of(text, &rest);
	bool named = false;

	if (cmd == NULL || has_control(as)) {
		buf_add(b, text);
		return;
	}
	buf_addf(b, "%s", cmd->name);
	add_subject(b, ctx, cmd, &rest, t);
	while (rest.len > 0) {
		struct str word = str_cut(&rest, ' ');

		buf_addc(b, ' ');
		buf_add(b, word);
		if (!str_eq(word, STR("--as")))
			continue;
		named = true;
		if (as.len > 0 && str_starts(rest, STR("ID"))) {
			rest = str_part(rest, strlen("ID"), SIZE_MAX);
			buf_addc(b, ' ');
			hint_quote(b, as);
			buf_add(b, str_cut(&rest, ' ')); /* a comma */
		}
	}
	if (!named && as.len > 0 && cmd->needs == CMD_NEEDS_COORDINATOR &&
		ctx->args.as != ctx->env->as)
		add_option(b, "as", as);
}

/* Where "pawl " begins as a word, or the length. */
static size_t
command_at(struct str hint)
{
	for (size_t i = 0; i < hint.len; i++) {
		if ((i == 0 || hint.ptr[i - 1] == ' ') &&
			str_starts(str_part(hint, i, SIZE_MAX), STR(PROGRAM)))
			return i;
	}
	return hint.len;
}

const char *
hint_as_typed(const struct cmd_ctx *ctx, const char *hint)
{
	struct str text = str_from(hint), rest;
	struct str repo = str_from(ctx->args.repo);
	struct str state = str_from(ctx->args.state);
	size_t at = command_at(text);
	struct buf b = { 0 };
	struct typed t;

	if (ctx->cmd == NULL || at == text.len)
		return hint;
	t = typed_by(ctx);
	if (has_control(repo) || has_control(state) || has_control(t.file) ||
		has_control(t.run) || has_control(t.node))
		return hint;
	rest = str_part(text, at + strlen(PROGRAM), SIZE_MAX);
	if (is_door_verb(ctx->cmd) && str_eq(rest, STR("status")))
		rest = STR("ledger show"); /* a file has no status verb */
	buf_add(&b, str_part(text, 0, at));
	buf_add(&b, STR("pawl"));
	if (repo.len > 0) {
		buf_add(&b, STR(" -C "));
		hint_quote(&b, repo);
	}
	if (state.len > 0 && !has_word(rest, STR("--state")))
		add_option(&b, "state", state);
	buf_addc(&b, ' ');
	if (str_starts(rest, STR(GROUP)))
		add_ledger(&b, str_part(rest, strlen(GROUP), SIZE_MAX), &t);
	else
		add_command(&b, ctx, rest, &t);
	hint = arena_strdup(ctx->mem, buf_str(&b));
	buf_release(&b);
	return hint;
}
