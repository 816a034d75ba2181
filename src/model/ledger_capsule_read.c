#include <assert.h>

#include "base/bounds.h"
#include "base/num.h"
#include "base/sha256.h"
#include "base/vec.h"
#include "model/id.h"
#include "model/ledger_capsule_code.h"
#include "text/utf8.h"

/* A line as it was written, and where it stands now. */
struct capsule_line {
	struct str text;
	uint32_t number; /* from 1 */
};

VEC_DEF(capsule_lines, struct capsule_line);

struct reader {
	struct ledger *l;
	struct ledger_capsule_loss *loss;
	struct capsule_lines lines; /* without the last one */
	struct str end;
	size_t at; /* of the line that is read */
	uint64_t edges;
	uint32_t declared; /* nodes that the first line says */
	struct buf text;   /* an undone text */
	struct pawl_err *err;
};

static enum pawl_rc
refuse(struct reader *r, const char *why)
{
	assert(r->at < r->lines.count);
	assert(r->lines.items != NULL);
	return pawl_fail(r->err, ERR_INVALID_DOCUMENT, "line %u: %s",
		r->lines.items[r->at].number, why);
}

/* A number of digits only, between `min` and `max`? */
static bool
number(struct str s, uint64_t min, uint64_t max, uint64_t *ret_n)
{
	uint64_t n;

	if (!num_digits(s, &n) || n < min || n > max)
		return false;
	*ret_n = n;
	return true;
}

/* Without what a quotation, an indent or an editor adds. */
static struct str
bare(struct str line)
{
	line = str_trim(line);
	while (line.len > 0 &&
		(line.ptr[0] == '>' || line.ptr[0] == ' ' ||
			line.ptr[0] == '\t'))
		line = str_part(line, 1, line.len);
	return line;
}

/* The lines of the first capsule. */
static enum pawl_rc
lines_find(struct reader *r, struct str text)
{
	uint32_t number = 0;

	while (text.ptr) {
		struct str line = bare(str_cut(&text, '\n'));

		number++;
		if (r->lines.count == 0 &&
			!str_starts(line, STR("pawl-ledger ")))
			continue;
		if (str_starts(line, STR("end "))) {
			r->end = line;
			return PAWL_OK;
		}
		if (line.len > 0)
			capsule_lines_push(&r->lines,
				(struct capsule_line){ line, number });
	}
	if (r->lines.count == 0) {
		(void)pawl_fail(r->err, ERR_INVALID_DOCUMENT,
			"no capsule in this text: no line begins with "
			"'pawl-ledger'");
		return pawl_hint(r->err, "pawl ledger capsule");
	}
	return pawl_fail(r->err, ERR_INVALID_DOCUMENT,
		"the capsule that begins on line %u is cut: its last line, "
		"which begins with 'end', is missing",
		r->lines.items[0].number);
}

/* Is each line the one that was written? */
static enum pawl_rc
lines_check(struct reader *r)
{
	struct str rest = r->end, sum, marks;
	char hex[SHA256_HEX + 1];
	struct buf body = { 0 };

	assert(r->lines.items != NULL); /* there is a first line */
	(void)str_cut(&rest, ' ');
	sum = str_cut(&rest, ' ');
	marks = str_trim(rest);
	for (r->at = 0; r->at < r->lines.count; r->at++) {
		struct str line = r->lines.items[r->at].text;

		if (r->at >= marks.len ||
			capsule_mark(line) != marks.ptr[r->at]) {
			buf_release(&body);
			return refuse(r,
				"this line isn't the one that was written: it "
				"was changed, or one before it is missing");
		}
		buf_add(&body, line);
		buf_addc(&body, '\n');
	}
	sha256_hex(buf_str(&body), hex);
	buf_release(&body);
	r->at = r->lines.count - 1;
	if (marks.len > r->lines.count)
		return refuse(r, "lines are missing after this one");
	if (!str_eq(sum, (struct str){ hex, CAPSULE_SUM })) {
		return pawl_fail(r->err, ERR_INVALID_DOCUMENT,
			"a line of the capsule between line %u and line %u "
			"was changed",
			r->lines.items[0].number, r->lines.items[r->at].number);
	}
	return PAWL_OK;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Undo a text into the ledger's memory; `*ret_cut` when its end was left out,
 * and then it ends with the mark.
 */
static enum pawl_rc
text_read(
	struct reader *r, struct str field, struct str *ret_text, bool *ret_cut)
{
	buf_clear(&r->text);
	for (size_t i = 0; i < field.len; i++) {
		int high, low;

		if ((unsigned char)field.ptr[i] < ' ')
			return refuse(r, "a control character");
		if (field.ptr[i] != '%') {
			buf_addc(&r->text, field.ptr[i]);
			continue;
		}
		high = i + 2 < field.len ? hex_digit(field.ptr[i + 1]) : -1;
		low = i + 2 < field.len ? hex_digit(field.ptr[i + 2]) : -1;
		if (high < 0 || low < 0 || high * 16 + low == 0)
			return refuse(r, "after '%' come two digits");
		buf_addc(&r->text, (char)(high * 16 + low));
		i += 2;
	}
	if (utf8_valid(buf_str(&r->text)) != r->text.len)
		return refuse(r, "a text isn't UTF-8");
	if (r->text.len > BOUND_TEXT_BYTES)
		return refuse(r, "a text is over the limit of 16384 bytes");
	*ret_cut = str_ends(field, STR(CAPSULE_CUT));
	*ret_text = arena_copy(&r->l->mem, buf_str(&r->text));
	return PAWL_OK;
}

/* The index of a letter in a table, or -1. */
static int
code_of(char c, const char *codes)
{
	const char *found = c ? strchr(codes, c) : NULL;

	return found ? (int)(found - codes) : -1;
}

static enum pawl_rc
header_read(struct reader *r)
{
	struct str rest = r->lines.items[0].text, version, word, count;
	uint64_t n = 0;

	r->at = 0;
	(void)str_cut(&rest, ' ');
	version = str_cut(&rest, ' ');
	r->l->run_id = arena_copy(&r->l->mem, str_cut(&rest, ' '));
	word = str_cut(&rest, ' ');
	count = rest;
	if (!str_eq(version, STR("1"))) {
		return pawl_fail(r->err, ERR_NEWER_FORMAT,
			"line %u: a capsule of version '" STR_FMT "'; this "
			"version of pawl reads 1",
			r->lines.items[0].number, STR_ARG(version));
	}
	if (id_check(r->l->run_id, r->err) != PAWL_OK)
		return pawl_wrap(r->err, "line %u", r->lines.items[0].number);
	for (r->l->status = 0; r->l->status < RUN_STATUS_COUNT;
		r->l->status++) {
		if (str_eq(word,
			    run_status_word((enum run_status)r->l->status)))
			break;
	}
	if (r->l->status == RUN_STATUS_COUNT) {
		r->l->status = RUN_PLANNING;
		return refuse(r, "no status of a run");
	}
	if (!number(count, 0, BOUND_CAPSULE_NODES, &n))
		return refuse(r, "no number of nodes, 0 to 10000");
	r->declared = (uint32_t)n;
	return PAWL_OK;
}

/* A walk as it is written, into `into` (or nowhere); its length, 0 if bad. */
static uint32_t
walk_read(struct str field, uint8_t *into)
{
	uint32_t count = 0;

	for (size_t i = 0; i < field.len;) {
		uint64_t times = 1;
		size_t digits = 0;
		struct str part;

		while (i + digits < field.len && field.ptr[i + digits] >= '0' &&
			field.ptr[i + digits] <= '9')
			digits++;
		part = str_part(field, i, 1);
		if (digits > 0) {
			size_t close;

			part = str_part(field, i + digits, field.len);
			close = str_find(part, ')');
			if (close == part.len || close < 2 ||
				part.ptr[0] != '(' ||
				!number(str_part(field, i, digits), 2,
					BOUND_LEDGER_HISTORY, &times))
				return 0;
			i += digits + close + 1;
			part = str_part(part, 1, close - 1);
		} else {
			i++;
		}
		if (times * part.len > BOUND_LEDGER_HISTORY - count)
			return 0;
		for (uint64_t k = 0; k < times * part.len; k++) {
			int s = code_of(
				part.ptr[k % part.len], CAPSULE_STATUS_CODES);

			if (s < 0)
				return 0;
			if (into)
				into[count] = (uint8_t)s;
			count++;
		}
	}
	return count;
}

static enum pawl_rc
history_read(struct reader *r, struct str field, struct ledger_node *n)
{
	int usual =
		field.len == 1 ? code_of(field.ptr[0], CAPSULE_WALK_CODES) : -1;
	struct str walk =
		usual >= 0 ? capsule_walk((enum node_status)usual) : field;
	uint32_t count = walk_read(walk, NULL);

	if (count == 0)
		return refuse(r, "no walk of a node");
	n->history = (uint8_t *)arena_bytes(&r->l->mem, count);
	n->history_count = walk_read(walk, n->history);
	n->status = n->history[count - 1];
	for (uint32_t i = 0; i < count; i++)
		n->attempt += n->history[i] == NODE_RUNNING;
	return PAWL_OK;
}

static enum pawl_rc
contract_read(struct reader *r, struct str field, struct ledger_node *n)
{
	int kind = -1, role = -1, access = -1, approval;
	uint64_t attempts = CAPSULE_ATTEMPTS;

	if (field.len >= 3) {
		kind = code_of(field.ptr[0], CAPSULE_KIND_CODES);
		role = code_of(field.ptr[1], CAPSULE_ROLE_CODES);
		access = code_of(field.ptr[2], CAPSULE_ACCESS_CODES);
	}
	if (kind < 0 || role < 0 || access < 0)
		return refuse(r, "no kind, role and access of a node");
	field = str_part(field, 3, field.len);
	n->kind = (uint8_t)kind;
	n->role = (uint8_t)role;
	n->access = (uint8_t)access;
	n->evidence_required = !str_starts(field, STR("-"));
	if (!n->evidence_required)
		field = str_part(field, 1, field.len);
	approval = field.len > 0 ? code_of(field.ptr[0], CAPSULE_APPROVAL_CODES)
				 : -1;
	if (approval > LEDGER_NOT_REQUIRED) {
		n->approval = (uint8_t)approval;
		field = str_part(field, 1, field.len);
	}
	if (field.len > 0 &&
		!number(field, 1, BOUND_LEDGER_ATTEMPTS, &attempts))
		return refuse(r, "no max_attempts, 1 to 1000");
	n->max_attempts = (uint32_t)attempts;
	return PAWL_OK;
}

/* "1,3-5" into `into` (or nowhere); how many, UINT32_MAX when it is bad. */
static uint32_t
depends_read(struct str field, uint32_t nodes, uint32_t *into)
{
	uint32_t count = 0;

	while (field.len > 0) {
		struct str last = str_cut(&field, ',');
		struct str first = str_cut(&last, '-');
		uint64_t from = 0, to = 0;

		if (!number(first, 1, nodes, &from))
			return UINT32_MAX;
		to = from;
		if (last.ptr && !number(last, from, nodes, &to))
			return UINT32_MAX;
		if (to - from >= nodes - count)
			return UINT32_MAX;
		for (uint64_t d = from; d <= to; d++) {
			if (into)
				into[count] = (uint32_t)d - 1;
			count++;
		}
	}
	return count;
}

static enum pawl_rc
evidence_read(struct reader *r, struct str rest, struct ledger_node *n)
{
	struct str fields = rest;
	uint32_t count = 0;

	while (fields.ptr) {
		(void)str_cut(&fields, '|');
		count++;
	}
	if (count > BOUND_LEDGER_EVIDENCE)
		return refuse(r, "more than 256 pieces of evidence");
	n->evidence = arena_array(&r->l->mem, count, struct str);
	while (rest.ptr) {
		struct str field = str_cut(&rest, '|');
		struct str *e = &n->evidence[n->evidence_count];
		enum pawl_rc rc;
		uint64_t more;
		bool cut;

		if (!rest.ptr && str_starts(field, STR(CAPSULE_CUT "+"))) {
			field = str_part(field, sizeof(CAPSULE_CUT), field.len);
			if (!number(field, 1, BOUND_LEDGER_EVIDENCE, &more))
				return refuse(
					r, "no number of what is missing");
			r->loss->items += more;
			break;
		}
		rc = text_read(r, field, e, &cut);
		if (rc != PAWL_OK)
			return rc;
		r->loss->evidence += cut;
		n->evidence_count++;
	}
	return PAWL_OK;
}

static enum pawl_rc
node_read(struct reader *r)
{
	struct str rest = r->lines.items[r->at].text, field;
	struct ledger_node *n;
	enum pawl_rc rc;
	uint32_t node;
	bool cut;

	field = str_cut(&rest, '|');
	if (id_check(field, r->err) != PAWL_OK)
		return pawl_wrap(
			r->err, "line %u", r->lines.items[r->at].number);
	if (!ledger_add(r->l, arena_copy(&r->l->mem, field), &node))
		return refuse(r, "this id stands on a line before, too");
	n = &r->l->nodes[node];
	rc = history_read(r, str_cut(&rest, '|'), n);
	if (rc == PAWL_OK)
		rc = contract_read(r, str_cut(&rest, '|'), n);
	if (rc != PAWL_OK)
		return rc;
	field = str_cut(&rest, '|');
	n->depends_count = depends_read(field, r->declared, NULL);
	if (n->depends_count == UINT32_MAX) {
		n->depends_count = 0;
		return refuse(r, "no numbers of nodes that it depends on");
	}
	r->edges += n->depends_count;
	if (r->edges > BOUND_CAPSULE_EDGES)
		return refuse(r, "more than 1000000 dependencies so far");
	n->depends = arena_array(&r->l->mem, n->depends_count, uint32_t);
	(void)depends_read(field, r->declared, n->depends);
	rc = text_read(r, str_cut(&rest, '|'), &n->title, &cut);
	if (rc != PAWL_OK)
		return rc;
	r->loss->titles += cut;
	if (!rest.ptr)
		return refuse(r, "fields are missing");
	rc = text_read(r, str_cut(&rest, '|'), &n->expected_output, &cut);
	if (rc != PAWL_OK)
		return rc;
	r->loss->expected += cut;
	return rest.ptr ? evidence_read(r, rest, n) : PAWL_OK;
}

static enum pawl_rc
body_read(struct reader *r)
{
	enum pawl_rc rc = header_read(r);
	struct str line;

	if (rc != PAWL_OK)
		return rc;
	if (r->lines.count < 2 ||
		!str_starts(r->lines.items[1].text, STR("task|")))
		return refuse(r, "no line 'task|' follows");
	r->at = 1;
	line = r->lines.items[1].text;
	rc = text_read(
		r, str_part(line, 5, line.len), &r->l->task, &r->loss->task);
	r->at = 2;
	if (r->at < r->lines.count &&
		str_starts(r->lines.items[r->at].text, STR("left out|")))
		r->at++;
	if (rc == PAWL_OK && r->lines.count - r->at != r->declared) {
		r->at = 0;
		return refuse(r, "another number of nodes follows");
	}
	for (; rc == PAWL_OK && r->at < r->lines.count; r->at++)
		rc = node_read(r);
	return rc;
}

enum pawl_rc
ledger_capsule_read(struct str text, struct ledger *l,
	struct ledger_capsule_loss *ret_loss, struct pawl_err *err)
{
	struct ledger_capsule_loss loss = { 0 };
	struct reader r = { .l = l, .loss = &loss, .err = err };
	enum pawl_rc rc;

	if (text.len > BOUND_CAPSULE_TEXT)
		return pawl_fail(err, ERR_LIMIT,
			"a text of %zu bytes is over the limit of %d", text.len,
			BOUND_CAPSULE_TEXT);
	rc = lines_find(&r, text);
	if (rc == PAWL_OK)
		rc = lines_check(&r);
	if (rc == PAWL_OK)
		rc = body_read(&r);
	if (rc == PAWL_OK)
		*ret_loss = loss;
	capsule_lines_release(&r.lines);
	buf_release(&r.text);
	return rc;
}
