#include "model/phrase.h"

#include "text/utf8.h"

enum {
	TEXT_MAX = 200, /* bytes of a text that somebody wrote */
	NAMES_MAX = 4,
	COMMIT_LEN = 12,
};

void
phrase_text(struct buf *b, struct str s)
{
	struct str head = utf8_cut(s, TEXT_MAX);

	utf8_show(b, head, UTF8_LINE);
	if (head.len < s.len)
		buf_add(b, STR("…"));
}

void
phrase_after(struct buf *b, const char *before, struct str s)
{
	if (s.len == 0)
		return;
	buf_add(b, str_from(before));
	phrase_text(b, s);
}

void
phrase_commit(struct buf *b, const char *before, struct str commit)
{
	phrase_after(b, before, str_part(commit, 0, COMMIT_LEN));
}

void
phrase_paths(struct buf *b, const struct strs *paths, uint64_t count)
{
	uint32_t shown = 0;

	for (; shown < paths->count && shown < NAMES_MAX; shown++)
		phrase_after(b, shown > 0 ? ", " : ": ", paths->items[shown]);
	if (count > shown && shown > 0)
		buf_addf(b, " and %llu more",
			(unsigned long long)(count - shown));
}

void
phrase_names(struct buf *b, const char *before, const struct strs *names)
{
	uint32_t shown = 0;

	for (; shown < names->count && shown < NAMES_MAX; shown++)
		phrase_after(b, shown > 0 ? ", " : before, names->items[shown]);
	if (names->count > shown)
		buf_addf(b, " and %u more", names->count - shown);
}

void
phrase_flagged(struct buf *b, const struct strs *flagged)
{
	uint32_t shown = 0;

	for (; shown < flagged->count && shown < NAMES_MAX; shown++) {
		struct str path = flagged->items[shown];
		size_t words = 2;

		if (path.len > 5 &&
			str_eq(str_part(path, path.len - 5, 5), STR(" same")))
			words = 1;
		for (size_t i = path.len; i > 0 && words > 0; i--) {
			if (path.ptr[i - 1] == ' ' && --words == 0)
				path = str_part(path, 0, i - 1);
		}
		phrase_after(b, shown > 0 ? ", " : ": ", path);
	}
	if (flagged->count > shown)
		buf_addf(b, " and %u more", flagged->count - shown);
}

void
phrase_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_addf(b, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void
phrase_ended(struct buf *b, const struct event *e)
{
	if (event_has(e, F_START_FAILED))
		phrase_after(b, ", start failed: ", e->start_failed);
	else if (event_has(e, F_TIMEOUT) && e->timeout)
		buf_add(b, STR(", timeout"));
	else if (event_has(e, F_SIGNAL))
		buf_addf(b, ", signal %llu", (unsigned long long)e->signal);
	else if (event_has(e, F_EXIT))
		buf_addf(b, ", exit %llu", (unsigned long long)e->exit);
	if (event_has(e, F_EXIT) && e->survivors > 0)
		buf_addf(b, ", %llu left behind",
			(unsigned long long)e->survivors);
	if (event_has(e, F_DURATION_MS))
		buf_addf(b, ", %llu.%llu s",
			(unsigned long long)(e->duration_ms / 1000),
			(unsigned long long)(e->duration_ms % 1000 / 100));
	if (event_has(e, F_HELD_MS))
		buf_addf(b, ", %llu.%llu s of it waiting for a human",
			(unsigned long long)(e->held_ms / 1000),
			(unsigned long long)(e->held_ms % 1000 / 100));
	for (uint32_t i = 0; event_has(e, F_SILENT) && i < e->silent.count; i++)
		phrase_after(
			b, i == 0 ? ", silent: " : ", ", e->silent.items[i]);
	for (uint32_t i = 0; event_has(e, F_USAGE) && i < e->usage.count; i++)
		phrase_after(b, i == 0 ? ", used " : ", ", e->usage.items[i]);
}
