#include "child/mask.h"

#include <string.h>

static bool
push(struct mask *m, struct str secret)
{
	if (m->secrets.count >= MASK_SECRETS_MAX ||
		secret.len > MASK_BYTES_MAX - m->bytes)
		return false;
	m->bytes += secret.len;
	m->starts[(unsigned char)secret.ptr[0]] = true;
	(void)mask_secrets_push(&m->secrets, secret);
	return true;
}

bool
mask_add(struct mask *m, struct str secret)
{
	struct str rest = secret;

	if (secret.len == 0)
		return true;
	if (!push(m, secret))
		return false;
	if (str_find(secret, '\n') == secret.len)
		return true;
	while (rest.ptr != NULL) {
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (line.len >= MASK_LINE_BYTES && !push(m, line))
			return false;
	}
	return true;
}

void
mask_release(struct mask *m)
{
	mask_secrets_release(&m->secrets);
	*m = (struct mask){ 0 };
}

/*
 * Length of the longest secret that starts here, 0 for none; `*ret_open` when
 * one may start here whose rest hasn't come yet.
 */
static size_t
match(const struct mask *m, struct str here, bool *ret_open)
{
	size_t longest = 0;

	*ret_open = false;
	if (!m->starts[(unsigned char)here.ptr[0]])
		return 0;
	for (size_t i = 0; i < m->secrets.count; i++) {
		struct str secret = m->secrets.items[i];
		bool whole = secret.len <= here.len;

		if (memcmp(here.ptr, secret.ptr,
			    whole ? secret.len : here.len) != 0)
			continue;
		if (!whole) {
			*ret_open = true;
		} else if (secret.len > longest) {
			longest = secret.len;
		}
	}
	return longest;
}

/* How many bytes from `at` on can't belong to any secret. */
static size_t
plain_run(const struct mask *m, struct str text, size_t at)
{
	size_t end = at;

	while (end < text.len && !m->starts[(unsigned char)text.ptr[end]])
		end++;
	return end - at;
}

void
mask_feed(const struct mask *m, struct mask_stream *s, struct str bytes,
	bool end, struct buf *out)
{
	size_t at = 0;
	struct str text;

	if (m->secrets.count == 0) {
		buf_add(out, bytes);
		return;
	}
	buf_add(&s->held, bytes);
	text = buf_str(&s->held);
	while (at < text.len) {
		size_t run = at < s->covered ? 0 : plain_run(m, text, at);
		size_t len;
		bool open;

		if (run > 0) {
			buf_add(out, str_part(text, at, run));
			s->inside = false;
			at += run;
			continue;
		}
		len = match(m, str_part(text, at, text.len - at), &open);
		if (open && !end)
			break;
		if (len > 0 && at + len > s->covered)
			s->covered = at + len;
		if (at >= s->covered) {
			buf_addc(out, text.ptr[at]);
			s->inside = false;
		} else if (!s->inside) {
			buf_add(out, STR("***"));
			s->inside = true;
			s->hits++;
		}
		at++;
	}
	s->covered = s->covered > at ? s->covered - at : 0;
	if (at > 0 && s->held.data != NULL)
		memmove(s->held.data, s->held.data + at, s->held.len - at);
	s->held.len -= at;
}

void
mask_stream_release(struct mask_stream *s)
{
	buf_release(&s->held);
	*s = (struct mask_stream){ 0 };
}
