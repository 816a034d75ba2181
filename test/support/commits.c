#include "commits.h"

struct str
commit_events(struct buf *b, uint64_t n, size_t text)
{
	buf_clear(b);
	buf_add(b, STR("[{\"type\":\"noted\",\"data\":{\"n\":"));
	buf_addu(b, n);
	if (text > 0) {
		buf_add(b, STR(",\"text\":\""));
		for (size_t i = 0; i < text; i++)
			buf_addc(b, (char)('a' + (n + i) % 26));
		buf_addc(b, '"');
	}
	buf_add(b, STR("}}]"));
	return buf_str(b);
}

enum pawl_rc
commit_one(struct journal *j, struct str events, struct pawl_err *err)
{
	const struct journal_commit c = { .gen = 1,
		.at = COMMIT_AT,
		.actor = STR("coordinator:c1"),
		.events = events };
	struct journal_repaired repaired;
	enum pawl_rc rc;

	rc = journal_lock(j, 10000, err);
	if (rc != PAWL_OK)
		return rc;
	rc = journal_catch_up(j, NULL, NULL, &repaired, err);
	if (rc == PAWL_OK)
		rc = journal_append(j, &c, err);
	journal_unlock(j);
	return rc;
}

enum pawl_rc
commit_counted(void *arg, const struct journal_line *line, struct pawl_err *err)
{
	struct commit_count *count = arg;
	const struct json *data =
		json_get(json_first(line->line.events), STR("data"));

	(void)err;
	count->lines++;
	count->sum += (uint64_t)json_int(json_get(data, STR("n")));
	count->bytes += line->bytes;
	return PAWL_OK;
}

enum pawl_rc
commit_scan(const struct fs *fs, int dir, struct commit_count *ret_count,
	struct pawl_err *err)
{
	struct commit_count count = { 0 };
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, fs, dir);
	rc = journal_scan(&j, commit_counted, &count, &count.tail, err);
	count.at = j.at;
	journal_close(&j);
	if (rc == PAWL_OK)
		*ret_count = count;
	return rc;
}
