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
		buf_add(&b, rest);
	hint = arena_strdup(ctx->mem, buf_str(&b));
	buf_release(&b);
	return hint;
}
