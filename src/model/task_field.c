#include "model/task_field.h"

#include <stdarg.h>

#include "base/bounds.h"
#include "base/num.h"
#include "model/check_argv.h"
#include "model/id.h"
#include "model/list_value.h"
#include "model/need.h"
#include "model/scope.h"

enum {
	SCRATCH_BYTES = 64 << 10, /* then it is given back */
};

static size_t
offset(const struct tasks_reader *r, struct str value)
{
	return (size_t)(value.ptr - r->text.ptr);
}

static struct span
span_of(const struct tasks_reader *r, struct str value)
{
	return (struct span){ (uint32_t)offset(r, value), (uint32_t)value.len };
}

static struct contract *
newest(struct tasks_reader *r)
{
	return &r->nodes.items[r->nodes.count - 1];
}

static struct contract_extra *
extra(struct tasks_reader *r)
{
	struct contract *c = newest(r);

	if (c->extra_1 == 0) {
		(void)contract_extras_push(
			&r->extras, (struct contract_extra){ 0 });
		c->extra_1 = (uint32_t)r->extras.count;
	}
	return &r->extras.items[c->extra_1 - 1];
}

PAWL_PRINTF(5, 6)
PAWL_COLD static void
find(struct tasks_reader *r, size_t at, enum pawl_code code, const char *hint,
	const char *fmt, ...)
{
	struct pawl_err text = { 0 };
	va_list ap;
	struct buf message = { .max = sizeof(text.msg) - 1 };

	va_start(ap, fmt);
	buf_addv(&message, fmt, ap);
	va_end(ap);
	(void)pawl_fail(&text, code, STR_FMT, STR_ARG(buf_str(&message)));
	findings_add(r->errors, at, code, str_from(text.msg), str_from(hint));
	buf_release(&message);
}

/* The words a field may be, by number. */
struct words {
	const char *name;
	const char *hint;
	struct str word[3]; /* an empty one ends it */
};

static bool
read_word(struct tasks_reader *r, struct str value, const struct words *w,
	unsigned *ret_n)
{
	for (unsigned i = 0; i < 3 && w->word[i].len > 0; i++) {
		if (!id_equal_fold(value, w->word[i]))
			continue;
		*ret_n = i;
		return true;
	}
	find(r, offset(r, value), ERR_INVALID_TASKS, w->hint,
		"%s cannot be '" STR_FMT "'", w->name,
		STR_ARG(str_part(value, 0, 80)));
	return false;
}

static bool
read_bound(struct tasks_reader *r, struct str value, const char *name,
	size_t bound)
{
	size_t len = value.len;

	if (len > bound)
		len = plan_join(value, &r->scratch).len;
	if (len > bound) {
		find(r, offset(r, value), ERR_LIMIT, "",
			"%s of %zu bytes is over the limit of %zu", name, len,
			bound);
		return false;
	}
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		if ((c >= 0x20 && c != 0x7f) || c == '\t' || c == '\r' ||
			c == '\n')
			continue;
		find(r, offset(r, value) + i, ERR_INVALID_TASKS, "",
			"%s has a control character (0x%02x)", name, c);
		return false;
	}
	return true;
}

/* Step through a list; false at its end or at what is wrong in it. */
static bool
read_item(struct tasks_reader *r, struct list_value *l, const char *hint,
	struct str *ret_item)
{
	switch (list_next(l, ret_item)) {
	case LIST_ITEM:
		if (!str_eq(*ret_item, STR("TODO")))
			return true;
		find(r, offset(r, *ret_item), ERR_INVALID_TASKS, hint,
			"an item is still TODO");
		return false;
	case LIST_BAD:
		find(r, offset(r, l->text) + l->at, ERR_INVALID_TASKS, hint,
			"%s", l->why);
		return false;
	case LIST_END:
		break;
	}
	return false;
}

static void
read_depends(struct tasks_reader *r, struct str value)
{
	struct list_value l = { .text = value };
	struct str item;
	uint32_t count = 0;

	while (read_item(r, &l, "such as [] or [API-01, API-02]", &item)) {
		if (count++ == BOUND_DEPENDS) {
			find(r, offset(r, item), ERR_LIMIT, "",
				"more than %d dependencies", BOUND_DEPENDS);
			return;
		}
		(void)spans_push(&r->depends, span_of(r, item));
		newest(r)->depends_count++;
	}
}

static struct plan_scope
keep_scope(struct tasks_reader *r, struct scope scope)
{
	struct plan_scope kept = {
		.len = (uint32_t)scope.path.len & 0x3fffffffu,
		.directory = scope.directory,
	};

	if (scope.path.ptr >= r->text.ptr &&
		scope.path.ptr <= r->text.ptr + r->text.len) {
		kept.at = (uint32_t)offset(r, scope.path);
	} else {
		kept.copied = 1;
		kept.at = (uint32_t)r->scope_text.len;
		buf_add(&r->scope_text, scope.path);
	}
	return kept;
}

/* The duplicate of a path among those before it, or NULL. */
static const struct scope *
find_scope(const struct scope *scopes, size_t count, struct str path)
{
	for (size_t i = 0; i < count; i++) {
		if (str_eq(scopes[i].path, path))
			return &scopes[i];
	}
	return NULL;
}

static void
read_paths(struct tasks_reader *r, struct str value)
{
	struct scope scopes[BOUND_SCOPES];
	struct list_value l = { .text = value };
	struct pawl_err err = { 0 };
	struct str item;
	size_t count = 0;

	while (read_item(r, &l, "such as [src/api/, tests/api.py]", &item)) {
		if (count == BOUND_SCOPES) {
			find(r, offset(r, item), ERR_LIMIT, "",
				"more than %d paths", BOUND_SCOPES);
			return;
		}
		if (scope_normalise(item, &r->scratch, &scopes[count], &err) !=
			PAWL_OK) {
			findings_take(r->errors, offset(r, item), &err);
			continue;
		}
		if (find_scope(scopes, count, scopes[count].path) != NULL) {
			find(r, offset(r, item), ERR_INVALID_TASKS, "",
				"path '" STR_FMT "' stands there twice",
				STR_ARG(str_part(item, 0, 200)));
			continue;
		}
		count++;
	}
	if (l.at == l.text.len && count == 0 && err.rc == PAWL_OK)
		find(r, offset(r, value), ERR_INVALID_TASKS,
			"[.] is the whole repository", "Paths is empty");
	count = scope_reduce(scopes, count);
	newest(r)->scopes_count = (uint32_t)count;
	for (size_t i = 0; i < count; i++)
		(void)plan_scopes_push(&r->scopes, keep_scope(r, scopes[i]));
}

static void
read_mode(struct tasks_reader *r, struct str value)
{
	static const struct words words = { "Mode", "read or write",
		{ { "read", 4 }, { "write", 5 }, { 0 } } };
	unsigned n;

	if (read_word(r, value, &words, &n))
		newest(r)->mode = n == 0 ? MODE_READ : MODE_WRITE;
}

static void
read_isolation(struct tasks_reader *r, struct str value)
{
	static const struct words words = { "Isolation", "auto or worktree",
		{ { "auto", 4 }, { "worktree", 8 }, { 0 } } };
	unsigned n;

	if (read_word(r, value, &words, &n))
		newest(r)->isolation =
			n == 0 ? ISOLATION_AUTO : ISOLATION_WORKTREE;
}

static void
read_acceptance(struct tasks_reader *r, struct str value)
{
	if (read_bound(r, value, "Acceptance", BOUND_TEXT_BYTES))
		newest(r)->acceptance = span_of(r, value);
}

/* Offset in `raw` of what plan_join put at `at`. */
static size_t
unjoin(struct str raw, size_t at)
{
	size_t i = 0;

	for (; i < raw.len; i++) {
		size_t next = i;

		while (next < raw.len &&
			(raw.ptr[next] == ' ' || raw.ptr[next] == '\t'))
			next++;
		if (next < raw.len &&
			(raw.ptr[next] == '\r' || raw.ptr[next] == '\n')) {
			/* All blanks around a line's end became one. */
			if (at == 0)
				return next;
			at--;
			while (next < raw.len &&
				str_trim(str_part(raw, next, 1)).len == 0)
				next++;
			i = next - 1;
			continue;
		}
		if (at == 0)
			return i;
		at--;
	}
	return i;
}

/* Offset of a backslash that a shell would take with the line's end, or the
 * value's length. */
static size_t
find_backslash(struct str value)
{
	for (size_t i = 0; i + 1 < value.len; i++) {
		if (value.ptr[i] == '\\' &&
			(value.ptr[i + 1] == '\n' || value.ptr[i + 1] == '\r'))
			return i;
	}
	return value.len;
}

static void
read_check(struct tasks_reader *r, struct str value)
{
	struct pawl_err err = { 0 };
	struct str line;
	char **argv;
	size_t at;

	if (!read_bound(r, value, "Check", BOUND_CHECK_BYTES))
		return;
	at = find_backslash(value);
	if (at < value.len) {
		find(r, offset(r, value) + at, ERR_INVALID_CHECK,
			"a deeper line continues the check by itself",
			"check has a backslash at the end of a line");
		return;
	}
	line = plan_join(value, &r->scratch);
	newest(r)->check = span_of(r, value);
	if (str_eq(line, PLAN_SENTINEL)) {
		newest(r)->sentinel = 1;
		findings_add(r->warnings, offset(r, value), ERR_INVALID_CHECK,
			STR("this gate can't pass: its check is 'missing "
			    "validation evidence'"),
			STR("name a command that shows the acceptance"));
		return;
	}
	if (check_argv(line, &r->scratch, &argv, &at, &err) != PAWL_OK)
		findings_take(
			r->errors, offset(r, value) + unjoin(value, at), &err);
}

static void
read_context(struct tasks_reader *r, struct str value)
{
	if (read_bound(r, value, "Context", BOUND_TEXT_BYTES))
		extra(r)->context = span_of(r, value);
}

static void
read_duration(struct tasks_reader *r, struct str value, uint64_t max_ms,
	uint64_t *ret_ms)
{
	struct pawl_err err = { 0 };

	if (num_duration_ms(value, max_ms, ret_ms, &err) != PAWL_OK)
		find(r, offset(r, value), ERR_INVALID_TASKS,
			"such as 90s, 15m or 3h", "%s", err.msg);
}

static void
read_timeout(struct tasks_reader *r, struct str value)
{
	read_duration(r, value, BOUND_ATTEMPT_MS_MAX, &extra(r)->timeout_ms);
}

static void
read_check_timeout(struct tasks_reader *r, struct str value)
{
	read_duration(
		r, value, BOUND_CHECK_MS_MAX, &extra(r)->check_timeout_ms);
}

static void
read_priority(struct tasks_reader *r, struct str value)
{
	bool minus = str_starts(value, STR("-"));
	struct pawl_err err = { 0 };
	uint64_t n = 0;

	if (num_u64(str_part(value, minus, value.len), 0, BOUND_PRIORITY, &n,
		    &err) != PAWL_OK) {
		find(r, offset(r, value), ERR_INVALID_TASKS,
			"higher goes first; 0 is the default",
			"Priority '" STR_FMT "' is not a number from -%d to %d",
			STR_ARG(str_part(value, 0, 40)), BOUND_PRIORITY,
			BOUND_PRIORITY);
		return;
	}
	extra(r)->priority = minus ? -(int32_t)n : (int32_t)n;
}

/* The name of an item; of one that is counted, without its amount. */
static struct str
read_name(struct tasks_reader *r, struct str item, bool counted)
{
	struct pawl_err err = { 0 };
	struct need need;

	if (counted && need_read(item, &need))
		return need.class;
	if (counted && str_find(item, ':') < item.len) {
		find(r, offset(r, item), ERR_INVALID_TASKS,
			"such as gpu or gpu:2", "'" STR_FMT "' has no amount",
			STR_ARG(str_part(item, 0, 140)));
	} else if (id_check(item, &err) != PAWL_OK) {
		findings_take(r->errors, offset(r, item), &err);
	}
	return item;
}

/* A list of ids without doubles; one alone may stand without brackets. */
static void
read_names(struct tasks_reader *r, struct str value, bool counted,
	struct span *ret_span)
{
	struct list_value l = { .text = value };
	struct str items[BOUND_NAMES];
	size_t count = 0;
	struct str item;

	if (value.ptr[0] != '[') {
		(void)read_name(r, value, counted);
		*ret_span = span_of(r, value);
		return;
	}
	while (read_item(r, &l, "such as [one, two]", &item)) {
		if (count == BOUND_NAMES) {
			find(r, offset(r, item), ERR_LIMIT, "",
				"more than %d names", BOUND_NAMES);
			return;
		}
		items[count] = read_name(r, item, counted);
		for (size_t i = 0; i < count; i++) {
			if (str_eq(items[i], items[count]))
				find(r, offset(r, item), ERR_INVALID_TASKS, "",
					"'" STR_FMT "' stands there twice",
					STR_ARG(str_part(item, 0, 140)));
		}
		count++;
	}
	*ret_span = span_of(r, value);
}

static void
read_labels(struct tasks_reader *r, struct str value)
{
	read_names(r, value, false, &extra(r)->labels);
}

static void
read_needs(struct tasks_reader *r, struct str value)
{
	read_names(r, value, true, &extra(r)->needs);
}

static void
read_agent(struct tasks_reader *r, struct str value)
{
	struct pawl_err err = { 0 };

	if (id_check(value, &err) != PAWL_OK)
		findings_take(r->errors, offset(r, value), &err);
	extra(r)->agent = span_of(r, value);
}

static void
read_red(struct tasks_reader *r, struct str value)
{
	static const struct words words = { "Red", "true or false",
		{ { "false", 5 }, { "true", 4 }, { 0 } } };
	unsigned n;

	if (read_word(r, value, &words, &n))
		newest(r)->red = n == 1;
}

/* `required`, and who may approve: `required [alice, bob]`. */
static void
read_approval(struct tasks_reader *r, struct str value)
{
	static const struct words words = { "Approval",
		"required, or required [NAME, …]",
		{ { "required", 8 }, { 0 } } };
	size_t end = str_find(value, '[');
	struct str list = str_part(value, end, value.len);
	unsigned n;

	if (!read_word(r, str_trim(str_part(value, 0, end)), &words, &n))
		return;
	newest(r)->approval = 1;
	if (list.len == 0)
		return;
	if (str_starts(str_trim(str_part(list, 1, list.len)), STR("]"))) {
		find(r, offset(r, list), ERR_INVALID_TASKS,
			"name an approver, or leave the list out",
			"nobody is on the list of approvers, so the gate "
			"could never pass");
		return;
	}
	read_names(r, list, false, &extra(r)->approvers);
}

static void
read_access(struct tasks_reader *r, struct str value)
{
	static const struct words words = { "Access",
		"external-write or destructive; Mode says the rest",
		{ { "external-write", 14 }, { "destructive", 11 }, { 0 } } };
	unsigned n;

	if (!read_word(r, value, &words, &n))
		return;
	newest(r)->access = n == 0 ? ACCESS_EXTERNAL_WRITE : ACCESS_DESTRUCTIVE;
	newest(r)->approval = 1;
}

static void
read_visual(struct tasks_reader *r, struct str value)
{
	if (read_bound(r, value, "Visual", BOUND_TEXT_BYTES))
		extra(r)->visual = span_of(r, value);
}

static const struct {
	struct str name;
	void (*read)(struct tasks_reader *r, struct str value);
} fields[FIELD_COUNT] = {
	[FIELD_DEPENDS] = { { "Depends", 7 }, read_depends },
	[FIELD_PATHS] = { { "Paths", 5 }, read_paths },
	[FIELD_MODE] = { { "Mode", 4 }, read_mode },
	[FIELD_ISOLATION] = { { "Isolation", 9 }, read_isolation },
	[FIELD_ACCEPTANCE] = { { "Acceptance", 10 }, read_acceptance },
	[FIELD_CHECK] = { { "Check", 5 }, read_check },
	[FIELD_CONTEXT] = { { "Context", 7 }, read_context },
	[FIELD_TIMEOUT] = { { "Timeout", 7 }, read_timeout },
	[FIELD_CHECK_TIMEOUT] = { { "Check-Timeout", 13 }, read_check_timeout },
	[FIELD_PRIORITY] = { { "Priority", 8 }, read_priority },
	[FIELD_LABELS] = { { "Labels", 6 }, read_labels },
	[FIELD_RED] = { { "Red", 3 }, read_red },
	[FIELD_AGENT] = { { "Agent", 5 }, read_agent },
	[FIELD_NEEDS] = { { "Needs", 5 }, read_needs },
	[FIELD_APPROVAL] = { { "Approval", 8 }, read_approval },
	[FIELD_ACCESS] = { { "Access", 6 }, read_access },
	[FIELD_VISUAL] = { { "Visual", 6 }, read_visual },
};

const char *
task_field_name(enum task_field field)
{
	return fields[field].name.ptr;
}

enum task_field
task_field_find(struct str name)
{
	for (unsigned i = 0; i < FIELD_COUNT; i++) {
		if (str_eq(name, fields[i].name))
			return (enum task_field)i;
	}
	return FIELD_COUNT;
}

const char *
task_field_nearest(struct str name, unsigned *ret_distance)
{
	const char *nearest = fields[0].name.ptr;

	*ret_distance = UINT32_MAX;
	for (unsigned i = 0; i < FIELD_COUNT; i++) {
		struct str known = fields[i].name;
		unsigned d = str_distance(name, known);

		if (id_equal_fold(name, known))
			d = 0;
		if (d >= *ret_distance)
			continue;
		*ret_distance = d;
		nearest = fields[i].name.ptr;
	}
	return nearest;
}

void
task_field_read(struct tasks_reader *r, enum task_field field, struct str value)
{
	if (str_eq(value, STR("TODO"))) {
		find(r, offset(r, value), ERR_INVALID_TASKS, "",
			"%s is still TODO", fields[field].name.ptr);
	} else if (value.len == 0) {
		find(r, offset(r, value), ERR_INVALID_TASKS,
			field == FIELD_DEPENDS ? "[] is no dependency" : "",
			"%s has no value", fields[field].name.ptr);
	} else {
		fields[field].read(r, value);
	}
	if (r->scratch.bytes > SCRATCH_BYTES)
		arena_reset(&r->scratch);
}
