#include "cli/args.h"

#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/num.h"
#include "cli/table.h"
#include "model/id.h"

/* Where the reader is. */
struct reader {
	struct args *args;
	int argc;
	char **argv;
	int at;       /* the next word */
	size_t words; /* of a command with several, in args->words so far */
	bool ended;   /* by `--` */
};

static enum pawl_rc
unknown_option(const struct reader *r, struct str name, struct pawl_err *err)
{
	const struct cmd *cmd = r->args->cmd;
	const char *near = table_nearest_option(cmd, name);
	const char *dashes = name.len > 1 ? "--" : "-";

	if (cmd == NULL) {
		(void)pawl_fail(err, ERR_UNKNOWN_OPTION,
			"no option '%s" STR_FMT "' before the command", dashes,
			STR_ARG(name));
	} else {
		(void)pawl_fail(err, ERR_UNKNOWN_OPTION,
			"'pawl %s' has no option '%s" STR_FMT "'", cmd->name,
			dashes, STR_ARG(name));
	}
	if (near != NULL && name.len > 1)
		return pawl_hint(err, "--%s", near);
	return cmd ? pawl_hint(err, "pawl help %s", cmd->name) : err->rc;
}

static enum pawl_rc
unknown_command(const char *word, const char *first, struct pawl_err *err)
{
	char name[128];
	const char *near;

	(void)snprintf(name, sizeof(name), "%s%s%s", first ? first : "",
		first ? " " : "", word);
	near = table_nearest(str_from(name));
	(void)pawl_fail(err, ERR_UNKNOWN_COMMAND, "no command '%s'", name);
	if (near != NULL)
		return pawl_hint(err, "pawl %s", near);
	return first ? pawl_hint(err, "pawl help %s", first) : err->rc;
}

static enum pawl_rc
check_as(const char *text, struct pawl_err *err)
{
	enum pawl_rc rc = id_check(str_from(text), err);

	if (rc != PAWL_OK)
		err->field = STR("--as");
	return rc;
}

static enum pawl_rc
check_key(const char *text, struct pawl_err *err)
{
	size_t len, i = 0;

	assert(text != NULL);
	len = strlen(text);
	while (i < len && text[i] > ' ' && text[i] < 0x7f)
		i++;
	if (len >= 1 && len <= BOUND_ID_BYTES && i == len)
		return PAWL_OK;
	(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
		"key '%.200s' isn't 1 to %d printable ASCII characters without "
		"spaces",
		text, BOUND_ID_BYTES);
	err->field = STR("--key");
	return err->rc;
}

static enum pawl_rc
check_dir(const char *option, struct str field, const char *text,
	struct pawl_err *err)
{
	size_t len;

	assert(text != NULL);
	len = strlen(text);
	if (len >= 1 && len < BOUND_PATH_BYTES)
		return PAWL_OK;
	if (len == 0) {
		(void)pawl_fail(err, ERR_INVALID_PATH,
			"option '%s' needs a folder, not an empty value",
			option);
	} else {
		(void)pawl_fail(err, ERR_LIMIT,
			"path for '%s' of %zu bytes is over the limit of %d",
			option, len, BOUND_PATH_BYTES - 1);
	}
	err->field = field;
	return err->rc;
}

/* Keep what was given for one option. */
static enum pawl_rc
take(struct reader *r, const struct cmd_option *o, const char *text,
	struct pawl_err *err)
{
	struct args *a = r->args;
	struct str name = str_from(o->name);

	assert((o->arg == NULL) == (text == NULL));
	if (table_option(NULL, name) != o) {
		if (!o->repeatable && args_has(a, o->name)) {
			return pawl_fail(err, ERR_USAGE,
				"option '--%s' was given twice", o->name);
		}
		arg_values_push(&a->options, (struct arg_value){ o, text });
		return PAWL_OK;
	}
	if (str_eq(name, STR("repo"))) {
		a->repo = text;
		return check_dir("--repo", STR("--repo"), text, err);
	}
	if (str_eq(name, STR("state"))) {
		a->state = text;
		return check_dir("--state", STR("--state"), text, err);
	}
	if (str_eq(name, STR("as"))) {
		a->as = text;
		return check_as(text, err);
	}
	if (str_eq(name, STR("key"))) {
		a->key = text;
		return check_key(text, err);
	}
	if (str_eq(name, STR("json"))) {
		a->json = true;
	} else if (str_eq(name, STR("dry-run"))) {
		a->dry_run = true;
	} else {
		a->help = true;
	}
	return PAWL_OK;
}

static enum pawl_rc
needs_value(const struct cmd_option *o, const char *next, struct pawl_err *err)
{
	(void)pawl_fail(err, ERR_USAGE, "option '--%s' needs a value", o->name);
	if (next == NULL)
		return pawl_hint(err, "--%s %s", o->name, o->arg);
	return pawl_hint(
		err, "--%s=%s, if '%s' is the value", o->name, next, next);
}

static enum pawl_rc
read_long(struct reader *r, const char *word, struct pawl_err *err)
{
	struct str rest = str_from(word + 2);
	struct str name = str_cut(&rest, '=');
	const struct cmd_option *o;
	const char *next;

	if (str_eq(name, STR("version")) && rest.ptr == NULL &&
		r->args->cmd == NULL) {
		r->args->version = true;
		return PAWL_OK;
	}
	o = table_option(r->args->cmd, name);
	if (o == NULL || name.len == 0)
		return unknown_option(r, name, err);
	if (o->arg == NULL) {
		if (rest.ptr != NULL) {
			return pawl_fail(err, ERR_USAGE,
				"option '--%s' takes no value", o->name);
		}
		return take(r, o, NULL, err);
	}
	if (rest.ptr != NULL)
		return take(r, o, rest.ptr, err);
	next = r->at < r->argc ? r->argv[r->at] : NULL;
	if (next == NULL || strncmp(next, "--", 2) == 0)
		return needs_value(o, next, err);
	r->at++;
	return take(r, o, next, err);
}

/* `-j4`, `-j 4`; flags may stand together: `-hq`. */
static enum pawl_rc
read_short(struct reader *r, const char *word, struct pawl_err *err)
{
	for (const char *p = word + 1; *p != '\0'; p++) {
		const struct cmd_option *o = table_letter(r->args->cmd, *p);
		enum pawl_rc rc;

		if (o == NULL)
			return unknown_option(r, (struct str){ p, 1 }, err);
		if (o->arg != NULL) {
			if (p[1] != '\0')
				return take(r, o, p + 1, err);
			if (r->at >= r->argc)
				return needs_value(o, NULL, err);
			return take(r, o, r->argv[r->at++], err);
		}
		rc = take(r, o, NULL, err);
		if (rc != PAWL_OK)
			return rc;
	}
	return PAWL_OK;
}

/* `task view request`, where `task view` is a command, too. */
static bool
read_more_words(struct args *a, const char *word)
{
	char name[128];
	const struct cmd *longer;

	if (a->operands.count > 0 || a->options.count > 0)
		return false;
	(void)snprintf(name, sizeof(name), "%s %s", a->cmd->name, word);
	longer = table_find(str_from(name));
	if (longer != NULL)
		a->cmd = longer;
	return longer != NULL;
}

static enum pawl_rc
read_operand(struct reader *r, const char *word, struct pawl_err *err)
{
	struct args *a = r->args;
	char name[128];

	if (a->cmd != NULL) {
		if (!read_more_words(a, word))
			arg_words_push(&a->operands, word);
		return PAWL_OK;
	}
	(void)snprintf(name, sizeof(name), "%s%s%s", a->words,
		r->words > 0 ? " " : "", word);
	a->cmd = table_find(str_from(name));
	if (a->cmd != NULL)
		return PAWL_OK;
	if (strlen(name) >= sizeof(a->words) ||
		!table_has_first(str_from(name)))
		return unknown_command(
			word, r->words > 0 ? a->words : NULL, err);
	memcpy(a->words, name, strlen(name) + 1);
	r->words++;
	return PAWL_OK;
}

static enum pawl_rc
check_counts(const struct args *a, struct pawl_err *err)
{
	const struct cmd *cmd = a->cmd;
	size_t count = a->operands.count;
	struct buf b = { 0 };

	if (a->help ||
		(count >= (size_t)cmd->args_min &&
			(cmd->args_max < 0 || count <= (size_t)cmd->args_max)))
		return PAWL_OK;
	if (count < (size_t)cmd->args_min) {
		(void)pawl_fail(err, ERR_USAGE, "'pawl %s' needs %s", cmd->name,
			cmd->operands);
	} else {
		(void)pawl_fail(err, ERR_USAGE,
			"'pawl %s' has no place for '%s'", cmd->name,
			a->operands.items[cmd->args_max]);
	}
	cmd_synopsis(cmd, &b);
	(void)pawl_hint(err, "%s", b.data);
	buf_release(&b);
	return err->rc;
}

/* A global option may stand before the command that it is none of. */
static enum pawl_rc
check_globals(const struct args *a, struct pawl_err *err)
{
	const struct cmd_option *o = table_option(NULL, STR("key"));

	if (a->key == NULL || a->help || (o->lacked & a->cmd->flags) == 0)
		return PAWL_OK;
	(void)pawl_fail(err, ERR_UNKNOWN_OPTION,
		"'pawl %s' has no option '--key'", a->cmd->name);
	return pawl_hint(err, "pawl help %s", a->cmd->name);
}

/* Errors are written as JSON even when they come before the word itself. */
static bool
wants_json(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], "--json") == 0)
			return true;
	}
	return false;
}

enum pawl_rc
args_parse(int argc, char **argv, const char *as, struct args *ret_args,
	struct pawl_err *err)
{
	struct reader r = {
		.args = ret_args, .argc = argc, .argv = argv, .at = 1
	};
	struct args *a = ret_args;
	enum pawl_rc rc = PAWL_OK;

	*a = (struct args){ .json = wants_json(argc, argv) };
	while (r.at < argc && rc == PAWL_OK) {
		const char *word = argv[r.at++];

		if (strcmp(word, "--") == 0) {
			r.ended = true;
			break;
		}
		if (strncmp(word, "--", 2) == 0) {
			rc = read_long(&r, word, err);
		} else if (word[0] == '-' && word[1] != '\0') {
			rc = read_short(&r, word, err);
		} else {
			rc = read_operand(&r, word, err);
		}
	}
	if (rc == PAWL_OK && a->as == NULL && as != NULL && *as != '\0') {
		a->as = as;
		rc = check_as(as, err);
	}
	if (rc != PAWL_OK)
		return rc;
	if (a->cmd == NULL && r.words == 0) {
		if (r.at < argc)
			return unknown_command(argv[r.at], NULL, err);
		return PAWL_OK;
	}
	if (a->cmd == NULL) {
		a->group = a->words;
		return PAWL_OK;
	}
	if (r.ended && (a->cmd->flags & CMD_REST) != 0)
		a->rest = argv + r.at;
	while (r.ended && a->rest == NULL && r.at < argc)
		arg_words_push(&a->operands, argv[r.at++]);
	if (a->rest != NULL && a->rest[0] == NULL && !a->help) {
		return pawl_fail(err, ERR_USAGE,
			"'pawl %s' needs a command after '--'", a->cmd->name);
	}
	rc = check_globals(a, err);
	return rc == PAWL_OK ? check_counts(a, err) : rc;
}

void
args_release(struct args *args)
{
	arg_words_release(&args->operands);
	arg_values_release(&args->options);
	*args = (struct args){ 0 };
}

const char *
args_value_at(const struct args *args, const char *name, size_t index)
{
	const struct arg_value *v;

	assert(table_option(args->cmd, str_from(name)) != NULL);
	VEC_EACH (v, &args->options) {
		if (strcmp(v->option->name, name) == 0 && index-- == 0)
			return v->text;
	}
	return NULL;
}

const char *
args_value(const struct args *args, const char *name)
{
	return args_value_at(args, name, 0);
}

bool
args_has(const struct args *args, const char *name)
{
	const struct arg_value *v;

	assert(table_option(args->cmd, str_from(name)) != NULL);
	VEC_EACH (v, &args->options) {
		if (strcmp(v->option->name, name) == 0)
			return true;
	}
	return false;
}

enum pawl_rc
args_u64(const struct args *args, const char *name, uint64_t min, uint64_t max,
	uint64_t *ret_n, struct pawl_err *err)
{
	const char *text = args_value(args, name);

	if (text == NULL)
		return PAWL_OK;
	if (num_u64(str_from(text), min, max, ret_n, err) == PAWL_OK)
		return PAWL_OK;
	err->field = str_from(name);
	return pawl_wrap(err, "option '--%s'", name);
}

const char *
args_operand(const struct args *args, size_t index)
{
	return index < args->operands.count ? args->operands.items[index]
					    : NULL;
}
