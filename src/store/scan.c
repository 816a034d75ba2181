#include "store/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"

enum {
	SCAN_STEP = 256 << 10, /* bytes read at once */
	SCAN_TAPE = 2 << 10,   /* bytes of parsed JSON that are kept */
	/* A line without LF that counts, an LF, and a torn line. */
	SCAN_REST_MAX = 2 * BOUND_LINE_BYTES + 1,
	/* What must stand before a place: the line's end with its LF. */
	SCAN_LINK = LINE_CHAIN_BYTES + 1,
};

struct scan {
	struct journal *j;
	const struct scan_how *how;
	struct journal_tail tail;
	bool done; /* `tail` is the verdict */
	struct arena mem;
	struct plain_events plain;
	uint64_t size; /* of the file */
	char *data;    /* bytes of the file from `data_at` */
	uint64_t data_at;
	size_t len, cap;
	size_t pos; /* of the next line in `data` */
};

static void
end(struct scan *s, enum journal_end kind)
{
	uint64_t at = s->j->at.offset;

	s->done = true;
	s->tail.end = kind;
	s->tail.line = s->j->at.seq + 1;
	s->tail.offset = at;
	s->tail.bytes = s->size > at ? s->size - at : 0;
}

static void corrupt(struct scan *s, const char *fmt, ...)
	PAWL_PRINTF(2, 3) PAWL_COLD;

/* Not told of a file that somebody may be appending to or replacing. */
static void
corrupt(struct scan *s, const char *fmt, ...)
{
	char why[160];
	va_list ap;

	end(s, s->how->judge ? JOURNAL_CORRUPT : JOURNAL_IN_FLIGHT);
	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap); /* may be cut short */
	va_end(ap);
	(void)snprintf(s->tail.why, sizeof(s->tail.why),
		"line %llu at byte %llu: %s", (unsigned long long)s->tail.line,
		(unsigned long long)s->tail.offset, why);
}

/* Read on; what lies before `pos` is given up. */
static enum pawl_rc
fill(struct scan *s, struct pawl_err *err)
{
	uint64_t left;
	size_t want, got;
	enum pawl_rc rc;

	if (s->pos > 0) {
		memmove(s->data, s->data + s->pos, s->len - s->pos);
		s->data_at += s->pos;
		s->len -= s->pos;
		s->pos = 0;
	}
	left = s->size - s->data_at - s->len;
	want = left < SCAN_STEP ? (size_t)left : SCAN_STEP;
	if (s->cap - s->len < want) {
		s->cap =
			s->len + want > 2 * s->cap ? s->len + want : 2 * s->cap;
		s->data = die_realloc(s->data, s->cap, 1);
	}
	got = want;
	rc = fs_pread(s->j->fs, s->j->fd, s->data_at + s->len, s->data + s->len,
		&got, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "events.jsonl");
	s->len += got;
	if (got < want)
		s->size = s->data_at + s->len; /* it became shorter */
	return PAWL_OK;
}

/*
 * Start at j->at, where the line before must end in its chain.  An LF that a
 * later append put after a line without one is passed over.
 */
static enum pawl_rc
find_place(struct scan *s, struct pawl_err *err)
{
	struct journal_at *at = &s->j->at;
	struct str link;
	enum pawl_rc rc;

	s->j->no_lf = false;
	if (at->offset == 0 && at->seq == 0)
		return PAWL_OK;
	if (at->offset < SCAN_LINK || at->seq == 0 || at->offset > s->size) {
		end(s, JOURNAL_ELSEWHERE);
		return PAWL_OK;
	}
	s->data_at = at->offset - SCAN_LINK;
	rc = fill(s, err);
	if (rc != PAWL_OK)
		return rc;
	assert(s->data != NULL);
	if (s->len < SCAN_LINK) {
		end(s, JOURNAL_ELSEWHERE);
		return PAWL_OK;
	}
	s->j->no_lf = s->data[SCAN_LINK - 1] != '\n';
	link = (struct str){ s->data + s->j->no_lf, LINE_CHAIN_BYTES };
	if (!str_starts(link, STR(",\"chain\":\"")) ||
		memcmp(link.ptr + 10, at->chain, SHA256_HEX) != 0 ||
		!str_ends(link, STR("\"}"))) {
		end(s, JOURNAL_ELSEWHERE);
		return PAWL_OK;
	}
	s->pos = SCAN_LINK;
	if (s->j->no_lf && s->len > SCAN_LINK && s->data[SCAN_LINK] == '\n') {
		s->pos++;
		at->offset++;
		s->j->no_lf = false;
	}
	return PAWL_OK;
}

/* Whether the line, which is read, may follow the ones before it. */
static bool
is_next(struct scan *s, const struct line *line)
{
	const struct journal_at *at = &s->j->at;

	if (line->seq != at->seq + 1) {
		corrupt(s, "it has the number %llu",
			(unsigned long long)line->seq);
	} else if (line->gen < at->gen) {
		corrupt(s, "generation %llu after %llu",
			(unsigned long long)line->gen,
			(unsigned long long)at->gen);
	}
	return !s->done;
}

/* A line whose chain verified, and is `chain`. */
static enum pawl_rc
take(struct scan *s, struct str bytes, bool has_lf, const char *chain,
	struct pawl_err *err)
{
	struct journal *j = s->j;
	struct journal_line l = {
		.offset = j->at.offset, .bytes = bytes.len, .chain = chain
	};
	struct pawl_err why;
	enum pawl_rc rc;

	if (bytes.len + 1 > BOUND_LINE_BYTES) {
		corrupt(s, "it is over the limit of %d bytes",
			BOUND_LINE_BYTES);
		return PAWL_OK;
	}
	if (j->mac_key.len > 0) {
		l.mac = line_has_mac_of(bytes, j->mac_key) ? JOURNAL_MAC_GOOD
							   : JOURNAL_MAC_BAD;
	}
	if (s->mem.bytes > SCAN_TAPE)
		arena_reset(&s->mem);
	rc = PAWL_OK;
	if (!j->plain || !line_read_plain(&s->mem, bytes, &s->plain, &l.line))
		rc = line_read(
			&s->mem, s->data + s->pos, bytes.len, &l.line, &why);
	if (rc != PAWL_OK) {
		corrupt(s, "%s", why.msg);
		s->tail.newer = why.code == ERR_NEWER_FORMAT;
		return PAWL_OK;
	}
	if (!is_next(s, &l.line))
		return PAWL_OK;
	if (l.line.mac.len == 0) {
		l.mac = JOURNAL_MAC_NONE;
	} else if (j->mac_key.len == 0) {
		l.mac = JOURNAL_MAC_UNCHECKED;
	}
	if (s->how->fn != NULL) {
		rc = s->how->fn(s->how->arg, &l, err);
		if (rc != PAWL_OK)
			return rc;
	}
	j->at.seq = l.line.seq;
	j->at.gen = l.line.gen;
	j->at.offset += bytes.len + has_lf;
	memcpy(j->at.chain, chain, SHA256_HEX + 1);
	j->no_lf = !has_lf;
	s->pos += bytes.len + has_lf;
	return PAWL_OK;
}

/*
 * The last bytes of the file, which don't verify as they are, are torn.  When
 * an append began with the LF that the line before lacks, and the sector with
 * both was lost, that line stands before the first NUL: it counts.
 */
static enum pawl_rc
take_torn(struct scan *s, struct str rest, struct pawl_err *err)
{
	struct str head = str_part(rest, 0, str_find(rest, '\0'));
	char chain[SHA256_HEX + 1];
	enum pawl_rc rc = PAWL_OK;

	memcpy(chain, s->j->at.chain, sizeof(chain));
	if (head.len < rest.len && line_verify(head, chain))
		rc = take(s, head, false, chain, err);
	if (rc == PAWL_OK && !s->done)
		end(s, JOURNAL_TORN);
	return rc;
}

/* All bytes to the end of the file, none of which is an LF. */
static enum pawl_rc
take_rest(struct scan *s, struct str rest, struct pawl_err *err)
{
	char chain[SHA256_HEX + 1];
	enum pawl_rc rc;

	if (!s->how->judge && rest.len > 0) {
		end(s, JOURNAL_IN_FLIGHT);
		return PAWL_OK;
	}
	memcpy(chain, s->j->at.chain, sizeof(chain));
	if (rest.len > 0 && !line_verify(rest, chain))
		return take_torn(s, rest, err);
	if (rest.len > 0) {
		rc = take(s, rest, false, chain, err);
		if (rc != PAWL_OK || s->done)
			return rc;
	}
	end(s, s->j->no_lf ? JOURNAL_NO_LF : JOURNAL_WHOLE);
	return PAWL_OK;
}

static enum pawl_rc
take_line(struct scan *s, struct str bytes, struct pawl_err *err)
{
	bool last = s->data_at + s->pos + bytes.len + 1 == s->size;
	char chain[SHA256_HEX + 1];

	memcpy(chain, s->j->at.chain, sizeof(chain));
	if (line_verify(bytes, chain))
		return take(s, bytes, true, chain, err);
	if (last && s->how->judge && str_find(bytes, '\0') < bytes.len)
		return take_torn(s, bytes, err);
	corrupt(s,
		"its chain doesn't follow from its bytes and the line "
		"before");
	return PAWL_OK;
}

static enum pawl_rc
run(struct scan *s, struct pawl_err *err)
{
	size_t seen = 0; /* bytes from `pos` that are no LF */
	enum pawl_rc rc = find_place(s, err);

	while (rc == PAWL_OK && !s->done) {
		struct str held = { s->data, s->len };
		struct str rest = str_part(held, s->pos, s->len);
		size_t lf =
			seen + str_find(str_part(rest, seen, rest.len), '\n');

		seen = 0;
		if (lf < rest.len) {
			rc = take_line(s, str_part(rest, 0, lf), err);
		} else if (s->data_at + s->len == s->size) {
			rc = take_rest(s, rest, err);
		} else if (rest.len > SCAN_REST_MAX) {
			corrupt(s, "it is over the limit of %d bytes",
				BOUND_LINE_BYTES);
		} else {
			seen = rest.len;
			rc = fill(s, err);
		}
	}
	return rc;
}

enum pawl_rc
scan_run(struct journal *j, const struct scan_how *how,
	struct journal_tail *ret_tail, struct pawl_err *err)
{
	struct scan s = { .j = j, .how = how, .size = how->size };
	enum pawl_rc rc = run(&s, err);

	arena_reset(&s.mem);
	plain_events_release(&s.plain);
	free(s.data);
	if (rc == PAWL_OK)
		*ret_tail = s.tail;
	return rc;
}
