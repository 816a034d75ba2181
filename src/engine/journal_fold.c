#include "engine/journal_fold.h"

#include <string.h>

#include "text/utf8.h"

enum pawl_rc
journal_fold_events(const struct journal_line *jl, struct arena *mem,
	struct journal_events *ret_events, struct pawl_err *err)
{
	const struct line *l = &jl->line;
	struct journal_events events = {
		.line = { l->seq, l->gen, l->at, l->actor },
	};
	const struct json *v;
	struct event *read;
	enum pawl_rc rc = PAWL_OK;

	if (l->plain != NULL) {
		events.items = l->plain->items;
		events.count = l->plain->count;
	} else {
		events.count = l->events->count;
		read = arena_array(mem, events.count, struct event);
		events.items = read;
		v = json_first(l->events);
		for (uint32_t i = 0; rc == PAWL_OK && i < events.count; i++) {
			rc = event_read(v, mem, &read[i], err);
			v += v->span;
		}
	}
	if (rc == PAWL_OK)
		*ret_events = events;
	return rc;
}

struct journal_tail
journal_fold_unfit(const struct journal_line *line, const struct pawl_err *why)
{
	struct journal_tail tail = { .end = JOURNAL_CORRUPT,
		.line = line->line.seq,
		.offset = line->offset,
		.bytes = line->bytes,
		.newer = why->code == ERR_NEWER_FORMAT };
	struct str text = utf8_cut(str_from(why->msg), sizeof(tail.why) - 1);

	memcpy(tail.why, text.ptr, text.len);
	return tail;
}

enum pawl_rc
journal_fold_fail(
	struct str run, const struct journal_tail *tail, struct pawl_err *err)
{
	return pawl_fail(err, tail->newer ? ERR_NEWER_FORMAT : ERR_CORRUPT,
		"the journal of run '" STR_FMT
		"' is corrupt from line %llu (byte %llu) on: %s",
		STR_ARG(run), (unsigned long long)tail->line,
		(unsigned long long)tail->offset, tail->why);
}

enum pawl_rc
journal_fold_draft(struct buf *draft, const struct event *e, struct arena *mem,
	struct event *ret_event, struct pawl_err *err)
{
	struct json_writer w = { .out = draft };
	const struct json *v;
	struct str text;
	size_t at;
	enum pawl_rc rc;

	buf_addc(draft, draft->len == 0 ? '[' : ',');
	at = draft->len;
	event_write(&w, e);
	text = arena_copy(mem, str_part(buf_str(draft), at, draft->len));
	rc = json_read(mem, (char *)(uintptr_t)text.ptr, text.len, JSON_STRICT,
		&v, err);
	return rc == PAWL_OK ? event_read(v, mem, ret_event, err) : rc;
}

struct event
journal_fold_repaired(
	const struct journal_repaired *repaired, struct arena *mem)
{
	struct event e = { .type = EV_JOURNAL_REPAIRED };

	EVENT_SET(&e, F_ARTIFACT, artifact,
		arena_copy(mem, str_from(repaired->artifact)));
	EVENT_SET(&e, F_BYTES, bytes, repaired->bytes);
	return e;
}
