#include "store/lately.h"

#include "base/die.h"

enum { STEP = 64 << 10 };

/* Reads the file from its end, a step at a time. */
struct backward {
	const struct journal *j;
	char *bytes;    /* STEP of them */
	uint64_t begin; /* of the file: where `bytes` starts */
	size_t len;
};

static enum pawl_rc
step_back(struct backward *b, struct pawl_err *err)
{
	uint64_t from = b->begin > STEP ? b->begin - STEP : 0;
	size_t wanted = (size_t)(b->begin - from);
	enum pawl_rc rc;

	b->len = wanted;
	b->begin = from;
	rc = fs_pread(b->j->fs, b->j->fd, from, b->bytes, &b->len, err);
	if (rc == PAWL_OK && b->len < wanted)
		return pawl_fail(err, ERR_IO,
			"the journal became shorter while it was read");
	return rc;
}

/* The offset behind the LF that ends the line before the last `lines`. */
static enum pawl_rc
find_line(struct backward *b, uint64_t lines, uint64_t *ret_offset,
	struct pawl_err *err)
{
	uint64_t end = b->begin, found = 0;

	while (b->begin > 0) {
		enum pawl_rc rc = step_back(b, err);

		if (rc != PAWL_OK)
			return rc;
		for (size_t i = b->len; i-- > 0;) {
			uint64_t after = b->begin + i + 1;

			if (b->bytes[i] != '\n' || after == end)
				continue;
			if (++found == lines) {
				*ret_offset = after;
				return PAWL_OK;
			}
		}
	}
	return pawl_fail(
		err, ERR_CORRUPT, "the journal has fewer lines than it said");
}

/* The chain of the line that ends before `at`, which is its LF's end. */
static enum pawl_rc
read_chain(const struct journal *j, struct journal_at *at, struct pawl_err *err)
{
	char link[LINE_CHAIN_BYTES + 1];
	size_t len = sizeof(link);
	enum pawl_rc rc;

	if (at->offset < len)
		return pawl_fail(err, ERR_CORRUPT,
			"the journal's lines are"
			" too short");
	rc = fs_pread(j->fs, j->fd, at->offset - len, link, &len, err);
	if (rc != PAWL_OK)
		return rc;
	if (len < sizeof(link) ||
		!str_starts((struct str){ link, len }, STR(",\"chain\":\"")))
		return pawl_fail(err, ERR_CORRUPT,
			"a line of the journal doesn't end in its chain");
	memcpy(at->chain, link + 10, SHA256_HEX);
	at->chain[SHA256_HEX] = '\0';
	return PAWL_OK;
}

enum pawl_rc
lately_find(const struct journal *j, uint64_t lines, struct journal_at *ret_at,
	struct pawl_err *err)
{
	struct buf bytes = { 0 };
	struct backward b = { .j = j, .begin = j->at.offset };
	struct journal_at at = { 0 };
	enum pawl_rc rc;

	if (lines >= j->at.seq) {
		*ret_at = journal_start();
		return PAWL_OK;
	}
	if (lines == 0) {
		*ret_at = j->at;
		return PAWL_OK;
	}
	assert(j->fd >= 0);
	b.bytes = buf_reserve(&bytes, STEP);
	at.seq = j->at.seq - lines;
	rc = find_line(&b, lines, &at.offset, err);
	if (rc == PAWL_OK)
		rc = read_chain(j, &at, err);
	if (rc == PAWL_OK)
		*ret_at = at;
	buf_release(&bytes);
	return rc;
}
