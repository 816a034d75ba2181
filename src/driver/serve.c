#include "driver/serve.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/die.h"

#define CODE_WORD(name, word) [name] = { word, sizeof(word) - 1 },
static const struct str code_words[] = { SERVE_CODE_MAP(CODE_WORD) };

#define OP_ROW(name, word, limit) { #word, offsetof(struct serve_ops, word) },
static const struct {
	const char *name;
	size_t offset; /* in struct serve_ops */
} operations[] = { DRIVER_OP_MAP(OP_ROW) };

struct str
serve_code_word(enum serve_code code)
{
	assert(code < SERVE_CODE_COUNT);
	return code_words[code];
}

bool
serve_fail(struct serve_failure *failure, enum serve_code code, const char *fmt,
	...)
{
	va_list ap;

	failure->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(failure->message, sizeof(failure->message), fmt, ap);
	va_end(ap);
	return false;
}

bool
serve_text(const struct serve_request *request, const char *name,
	struct str *ret_text, struct serve_failure *failure)
{
	*ret_text = json_str(json_get(request->root, str_from(name)));
	if (ret_text->len > 0)
		return true;
	return serve_fail(failure, SERVE_INVALID, "'%s' must be a text", name);
}

struct str
serve_ref(const struct serve_request *request, const char *name)
{
	return json_str(
		json_get(json_get(request->root, STR("refs")), str_from(name)));
}

static serve_fn *
operation_of(const struct serve_ops *ops, struct str name)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]);
		i++) {
		serve_fn *fn;

		if (!str_eq(str_from(operations[i].name), name))
			continue;
		memcpy(&fn, (const char *)ops + operations[i].offset,
			sizeof(fn));
		return fn;
	}
	return NULL;
}

/* The operation's members, or why there are none. */
static bool
act(const struct serve_ops *ops, void *arg, const struct serve_request *request,
	struct json_writer *w, struct serve_failure *failure)
{
	struct str op = json_str(json_get(request->root, STR("op")));
	serve_fn *fn = operation_of(ops, op);

	if (json_int(json_get(request->root, STR("v"))) != DRIVER_PROTOCOL) {
		return serve_fail(failure, SERVE_INVALID, "'v' must be %d",
			DRIVER_PROTOCOL);
	}
	if (op.len == 0)
		return serve_fail(failure, SERVE_INVALID, "no 'op'");
	if (fn == NULL) {
		return serve_fail(failure, SERVE_UNSUPPORTED,
			"operation '" STR_FMT "' isn't offered", STR_ARG(op));
	}
	return fn(arg, request, w, failure);
}

static void
put_answer(struct buf *out, const struct json *id, struct str members,
	const struct serve_failure *failure)
{
	struct json_writer w = { .out = out };

	json_open(&w, '{');
	json_key(&w, STR("id"));
	json_put_i64(&w, json_int(id));
	json_pair_bool(&w, STR("ok"), failure == NULL);
	if (failure != NULL) {
		json_key(&w, STR("error"));
		json_open(&w, '{');
		json_pair_str(&w, STR("code"), serve_code_word(failure->code));
		json_pair_str(&w, STR("message"), str_from(failure->message));
		json_close(&w, '}');
	} else if (members.len > 2) {
		buf_addc(out, ',');
		buf_add(out, str_part(members, 1, members.len - 2));
	}
	json_close(&w, '}');
	buf_addc(out, '\n');
}

void
serve_line(const struct serve_ops *ops, void *arg, struct str line,
	struct buf *out)
{
	struct arena mem = ARENA_INIT;
	struct serve_request request = { .mem = &mem };
	struct serve_failure failure = { .code = SERVE_UNKNOWN };
	struct buf members = { .max = SERVE_LINE_BYTES };
	struct json_writer w = { .out = &members };
	char *bytes = arena_strdup(&mem, line);
	struct pawl_err err = { 0 };
	bool done;

	if (json_read(&mem, bytes, line.len, JSON_STRICT, &request.root,
		    &err) != PAWL_OK) {
		done = serve_fail(&failure, SERVE_INVALID, "%s", err.msg);
	} else {
		json_open(&w, '{');
		done = act(ops, arg, &request, &w, &failure);
		if (done)
			json_close(&w, '}');
	}
	if (done && (!buf_ok(&members) || members.len > SERVE_LINE_BYTES - 64))
		done = serve_fail(&failure, SERVE_UNKNOWN,
			"the answer is over the limit of %d bytes",
			SERVE_LINE_BYTES);
	put_answer(out, json_get(request.root, STR("id")), buf_str(&members),
		done ? NULL : &failure);
	buf_release(&members);
	arena_reset(&mem);
}

static bool
put_all(struct str bytes)
{
	while (bytes.len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes.ptr, bytes.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes = str_part(bytes, (size_t)n, bytes.len - (size_t)n);
	}
	return true;
}

/* Answer each whole line of `in`, which keeps what stands behind the last. */
static bool
answer_lines(const struct serve_ops *ops, void *arg, struct buf *in)
{
	struct str rest = buf_str(in);
	struct buf out = { 0 }, kept = { .max = in->max };
	bool sent = true;
	size_t end;

	while (sent && (end = str_find(rest, '\n')) < rest.len) {
		serve_line(ops, arg, str_part(rest, 0, end), &out);
		sent = put_all(buf_str(&out));
		buf_clear(&out);
		rest = str_part(rest, end + 1, rest.len - end - 1);
	}
	buf_add(&kept, rest);
	buf_release(in);
	buf_release(&out);
	*in = kept;
	return sent;
}

int
serve(const struct serve_ops *ops, void *arg)
{
	struct buf in = { .max = SERVE_LINE_BYTES + 1 };
	const char *fault = NULL;

	while (fault == NULL) {
		size_t room = SERVE_LINE_BYTES + 1 - in.len;
		ssize_t n;

		if (room > 64 << 10)
			room = 64 << 10;
		n = read(STDIN_FILENO, buf_reserve(&in, room), room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			break;
		if (n < 0) {
			fault = "can't read a request";
			break;
		}
		in.len += (size_t)n;
		if (!answer_lines(ops, arg, &in))
			fault = "can't write an answer";
		else if (in.len > SERVE_LINE_BYTES)
			fault = "a request is too long";
	}
	buf_release(&in);
	if (fault != NULL)
		(void)fprintf(stderr, "driver: %s\n", fault);
	return fault == NULL ? 0 : 1;
}
