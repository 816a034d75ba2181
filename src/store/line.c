#include "store/line.h"

#include <string.h>

#include "base/bounds.h"
#include "base/die.h"

/* Where reading stands. */
struct cursor {
	const char *start, *p, *end;
};

bool
line_is_word(struct str s)
{
	unsigned bad = 0;

	if (s.len == 0 || s.len > LINE_WORD_MAX)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		unsigned c = (unsigned char)s.ptr[i];

		bad |= (unsigned)(c - '!' > '~' - '!') | (c == '"') |
			(c == '\\');
	}
	return bad == 0;
}

/* The shape alone: edges of time are kept as they were written. */
static bool
is_time(struct str s)
{
	static const char shape[] = "0000-00-00T00:00:00.000000Z";
	uint8_t bad = 0;

	if (s.len != LINE_AT_BYTES)
		return false;
	for (size_t i = 0; i < LINE_AT_BYTES; i++) {
		uint8_t over = (uint8_t)(s.ptr[i] - shape[i]);

		bad |= over > (shape[i] == '0' ? 9 : 0);
	}
	return bad == 0;
}

static bool
is_request(struct str s)
{
	return s.len == LINE_REQUEST_HEX && is_lower_hex(s);
}

static void
chain_of(struct str prefix, const char *chain, char ret_hex[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, (struct str){ chain, SHA256_HEX });
	sha256_add(&s, prefix);
	sha256_end(&s, digest);
	sha256_hex_of(digest, ret_hex);
}

static void
mac_of(struct str prefix, struct str key, char ret_hex[SHA256_HEX + 1])
{
	uint8_t mac[SHA256_BYTES];

	hmac_sha256(key, prefix, mac);
	sha256_hex_of(mac, ret_hex);
}

static enum pawl_rc
check(const struct line *line, struct pawl_err *err)
{
	if (!is_time(line->at)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is no time in UTC with microseconds",
			STR_ARG(line->at));
	}
	if (!line_is_word(line->actor)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"actor '" STR_FMT "' is no word of 1 to %d printable "
			"characters",
			STR_ARG(line->actor), LINE_WORD_MAX);
	}
	if (line->key.len == 0)
		return PAWL_OK;
	if (!line_is_word(line->key)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"key '" STR_FMT "' is no word of 1 to %d printable "
			"characters",
			STR_ARG(line->key), LINE_WORD_MAX);
	}
	assert(is_request(line->request));
	return PAWL_OK;
}

enum pawl_rc
line_write(struct buf *out, const struct line *line, struct str events,
	struct str mac_key, char chain[SHA256_HEX + 1], struct pawl_err *err)
{
	size_t start = out->len;
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	assert(line->seq > 0 && line->seq <= INT64_MAX);
	assert(line->gen <= INT64_MAX);
	assert(events.len > 2 && events.ptr[0] == '[');
	assert(memchr(events.ptr, '\n', events.len) == NULL);
	rc = check(line, err);
	if (rc != PAWL_OK)
		return rc;
	if (events.len > BOUND_LINE_BYTES)
		goto over;
	buf_add(out, STR("{\"v\":1,\"seq\":"));
	buf_addu(out, line->seq);
	buf_add(out, STR(",\"at\":\""));
	buf_add(out, line->at);
	buf_add(out, STR("\",\"gen\":"));
	buf_addu(out, line->gen);
	buf_add(out, STR(",\"actor\":\""));
	buf_add(out, line->actor);
	if (line->key.len > 0) {
		buf_add(out, STR("\",\"key\":\""));
		buf_add(out, line->key);
		buf_add(out, STR("\",\"request\":\""));
		buf_add(out, line->request);
	}
	buf_add(out, STR("\",\"events\":"));
	buf_add(out, events);
	if (mac_key.len > 0) {
		mac_of((struct str){ out->data + start, out->len - start },
			mac_key, hex);
		buf_add(out, STR(",\"mac\":\""));
		buf_add(out, (struct str){ hex, SHA256_HEX });
		buf_addc(out, '"');
	}
	if (out->len - start + LINE_CHAIN_BYTES + 1 > BOUND_LINE_BYTES)
		goto over;
	chain_of((struct str){ out->data + start, out->len - start }, chain,
		hex);
	buf_add(out, STR(",\"chain\":\""));
	buf_add(out, (struct str){ hex, SHA256_HEX });
	buf_add(out, STR("\"}"));
	assert(buf_ok(out));
	memcpy(chain, hex, SHA256_HEX + 1);
	return PAWL_OK;
over:
	return pawl_fail(err, ERR_LIMIT,
		"one commit is over the limit of %d bytes", BOUND_LINE_BYTES);
}

/* What stands between `label` and `close`, which end `bytes`; or nothing. */
static struct str
tail_of(struct str bytes, struct str label, struct str close)
{
	size_t all = label.len + SHA256_HEX + close.len;
	struct str tail;

	if (bytes.len < all)
		return (struct str){ 0 };
	tail = str_part(bytes, bytes.len - all, all);
	if (!str_starts(tail, label) || !str_ends(tail, close))
		return (struct str){ 0 };
	return str_part(tail, label.len, SHA256_HEX);
}

static struct str
mac_tail(struct str bytes)
{
	struct str mac = tail_of(bytes, STR(",\"mac\":\""), STR("\""));

	return is_lower_hex(mac) ? mac : (struct str){ 0 };
}

bool
line_verify(struct str bytes, char chain[SHA256_HEX + 1])
{
	struct str claimed = tail_of(bytes, STR(",\"chain\":\""), STR("\"}"));
	char hex[SHA256_HEX + 1];

	if (claimed.len == 0)
		return false;
	chain_of(str_part(bytes, 0, bytes.len - LINE_CHAIN_BYTES), chain, hex);
	if (memcmp(hex, claimed.ptr, SHA256_HEX) != 0)
		return false;
	memcpy(chain, hex, SHA256_HEX + 1);
	return true;
}

bool
line_has_mac_of(struct str bytes, struct str mac_key)
{
	struct str prefix, claimed;
	char hex[SHA256_HEX + 1];

	assert(bytes.len >= LINE_CHAIN_BYTES);
	prefix = str_part(bytes, 0, bytes.len - LINE_CHAIN_BYTES);
	claimed = mac_tail(prefix);
	if (claimed.len == 0)
		return false;
	mac_of(str_part(prefix, 0, prefix.len - LINE_MAC_BYTES), mac_key, hex);
	return memcmp(hex, claimed.ptr, SHA256_HEX) == 0;
}

static bool
take(struct cursor *c, struct str literal)
{
	if ((size_t)(c->end - c->p) < literal.len ||
		memcmp(c->p, literal.ptr, literal.len) != 0)
		return false;
	c->p += literal.len;
	return true;
}

/* As the writer puts it: no sign, no leading zero. */
static bool
take_number(struct cursor *c, uint64_t *ret_n)
{
	const char *start = c->p;
	uint64_t n = 0;

	while (c->p < c->end && *c->p >= '0' && *c->p <= '9') {
		uint64_t digit = (uint64_t)(*c->p++ - '0');

		if (n > (INT64_MAX - digit) / 10)
			return false;
		n = n * 10 + digit;
	}
	*ret_n = n;
	return c->p > start && (*start != '0' || c->p == start + 1);
}

/* Up to the next quote, which is passed. */
static bool
take_text(struct cursor *c, struct str *ret_text)
{
	const char *quote = memchr(c->p, '"', (size_t)(c->end - c->p));

	if (quote == NULL)
		return false;
	*ret_text = (struct str){ c->p, (size_t)(quote - c->p) };
	c->p = quote + 1;
	return true;
}

static enum pawl_rc
wrong(const struct cursor *c, const char *what, struct pawl_err *err)
{
	return pawl_fail(err, ERR_CORRUPT, "no %s at its byte %zu", what,
		(size_t)(c->p - c->start));
}

/* All that stands before `,"events"`. */
static enum pawl_rc
read_head(struct cursor *c, struct line *l, struct pawl_err *err)
{
	uint64_t version;

	if (!take(c, STR("{\"v\":")) || !take_number(c, &version))
		return wrong(c, "version", err);
	if (version != LINE_VERSION) {
		return pawl_fail(err, ERR_NEWER_FORMAT,
			"version %llu of the journal format, this program "
			"knows %d",
			(unsigned long long)version, LINE_VERSION);
	}
	if (!take(c, STR(",\"seq\":")) || !take_number(c, &l->seq))
		return wrong(c, "sequence number", err);
	if (!take(c, STR(",\"at\":\"")) || !take_text(c, &l->at) ||
		!is_time(l->at))
		return wrong(c, "time", err);
	if (!take(c, STR(",\"gen\":")) || !take_number(c, &l->gen))
		return wrong(c, "generation", err);
	if (!take(c, STR(",\"actor\":\"")) || !take_text(c, &l->actor) ||
		!line_is_word(l->actor))
		return wrong(c, "actor", err);
	if (!take(c, STR(",\"key\":\"")))
		return PAWL_OK;
	if (!take_text(c, &l->key) || !line_is_word(l->key))
		return wrong(c, "key", err);
	if (!take(c, STR(",\"request\":\"")) || !take_text(c, &l->request) ||
		!is_request(l->request))
		return wrong(c, "request", err);
	return PAWL_OK;
}

/*
 * The rest up to mac and chain, as an object of its own: the comma before
 * `"events"` becomes its bracket, and so does the byte after it.
 */
static enum pawl_rc
read_body(struct arena *mem, char *bytes, size_t at, size_t end, struct line *l,
	struct pawl_err *err)
{
	const struct json *body, *key;
	enum pawl_rc rc;

	bytes[at] = '{';
	bytes[end] = '}';
	rc = json_read(mem, bytes + at, end + 1 - at, JSON_STRICT, &body, err);
	if (rc != PAWL_OK) {
		struct pawl_err why = *err;

		return pawl_fail(
			err, ERR_CORRUPT, "from its byte %zu: %s", at, why.msg);
	}
	key = json_first(body);
	l->body = body;
	l->events = key + 1;
	if (l->events->kind != JSON_ARRAY || l->events->count == 0)
		return pawl_fail(err, ERR_CORRUPT, "no events");
	return PAWL_OK;
}

/*
 * All but the events: the head, and the mac before the chain.  `c` is then at
 * `,"events":[`, and ends where they do.
 */
static enum pawl_rc
read_frame(struct str bytes, struct cursor *c, struct line *l,
	struct pawl_err *err)
{
	struct str prefix = { bytes.ptr, bytes.len - LINE_CHAIN_BYTES };
	struct cursor events;
	enum pawl_rc rc;

	assert(bytes.len >= LINE_CHAIN_BYTES);
	*c = (struct cursor){ bytes.ptr, bytes.ptr, bytes.ptr + prefix.len };
	rc = read_head(c, l, err);
	if (rc != PAWL_OK)
		return rc;
	events = *c;
	if (!take(&events, STR(",\"events\":[")))
		return wrong(c, "events", err);
	l->mac = mac_tail(prefix);
	if (l->mac.len > 0)
		c->end -= LINE_MAC_BYTES;
	return PAWL_OK;
}

enum pawl_rc
line_read(struct arena *mem, char *bytes, size_t len, struct line *ret_line,
	struct pawl_err *err)
{
	struct line l = { 0 };
	struct cursor c;
	enum pawl_rc rc;

	rc = read_frame((struct str){ bytes, len }, &c, &l, err);
	if (rc == PAWL_OK)
		rc = read_body(mem, bytes, (size_t)(c.p - bytes),
			(size_t)(c.end - bytes), &l, err);
	if (rc != PAWL_OK)
		return rc;
	*ret_line = l;
	return PAWL_OK;
}

bool
line_read_plain(struct arena *mem, struct str bytes,
	struct plain_events *events, struct line *ret_line)
{
	struct line l = { .plain = events };
	struct pawl_err ignored;
	struct cursor c;

	if (read_frame(bytes, &c, &l, &ignored) != PAWL_OK ||
		!take(&c, STR(",\"events\":")) ||
		!plain_events_read(events,
			(struct str){ c.p, (size_t)(c.end - c.p) }, mem))
		return false;
	*ret_line = l;
	return true;
}
