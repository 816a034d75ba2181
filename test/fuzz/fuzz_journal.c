/*
 * Property: what scans as good is written again, byte for byte, from what was
 * read; a scan accounts for every byte of the file; after an appender caught
 * up, the file is whole and the next commit follows it.
 *
 * The input is a journal's bytes.  Its chains would hardly ever be right, so a
 * line that begins with `!` is given the right chain before it is scanned.
 */
#include <string.h>

#include "commits.h"
#include "fs_sim.h"
#include "fuzz.h"
#include "store/artifact.h"

struct check {
	struct str file;
	char chain[SHA256_HEX + 1]; /* of the line before */
	uint64_t seq, end;
};

/* The input with the chains of the lines that ask for it. */
static void
seal(struct str input, struct buf *file)
{
	struct journal_at at = journal_start();

	while (input.ptr != NULL && input.len > 0) {
		size_t lf = str_find(input, '\n');
		struct str line = str_cut(&input, '\n');
		size_t start = file->len;

		if (line.len > 0 && line.ptr[0] == '!') {
			uint8_t digest[SHA256_BYTES];
			struct sha256 s;

			line = str_part(line, 1, line.len);
			sha256_init(&s);
			sha256_add(&s, (struct str){ at.chain, SHA256_HEX });
			sha256_add(&s, line);
			sha256_end(&s, digest);
			buf_add(file, line);
			buf_add(file, STR(",\"chain\":\""));
			buf_addhex(file, digest, sizeof(digest));
			buf_add(file, STR("\"}"));
		} else {
			buf_add(file, line);
		}
		(void)line_verify(
			str_part(buf_str(file), start, file->len - start),
			at.chain);
		if (input.ptr != NULL || lf < line.len)
			buf_addc(file, '\n');
	}
}

static void
same_event(const struct event *plain, const struct json *v, struct arena *mem)
{
	struct buf a = { 0 }, b = { 0 };
	struct json_writer w = { .out = &a }, x = { .out = &b };
	struct pawl_err err;
	struct event e;

	FUZZ_CHECK(event_read(v, mem, &e, &err) == PAWL_OK);
	event_write(&w, plain);
	event_write(&x, &e);
	FUZZ_CHECK(str_eq(buf_str(&a), buf_str(&b)));
	buf_release(&a);
	buf_release(&b);
}

static void
plain_again(struct str bytes, const struct line *l)
{
	const struct json *v = json_first(l->events);
	struct plain_events plain = { 0 };
	struct arena mem = ARENA_INIT;
	struct line line;

	if (line_read_plain(&mem, bytes, &plain, &line)) {
		FUZZ_CHECK(line.seq == l->seq && line.gen == l->gen);
		FUZZ_CHECK(str_eq(line.mac, l->mac));
		FUZZ_CHECK(plain.count == l->events->count);
	}
	for (uint32_t i = 0; i < plain.count; i++, v += v->span)
		same_event(&plain.items[i], v, &mem);
	plain_events_release(&plain);
	arena_reset(&mem);
}

static enum pawl_rc
again(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	struct check *c = arg;
	struct str bytes = str_part(c->file, (size_t)l->offset, l->bytes);
	size_t mac = l->line.mac.len > 0 ? LINE_MAC_BYTES : 0;
	struct buf out = { 0 };
	struct str body;
	size_t at = 0;

	FUZZ_CHECK(bytes.len == l->bytes && l->line.seq == c->seq + 1);
	FUZZ_CHECK(l->offset >= c->end && l->offset <= c->end + 1);
	plain_again(bytes, &l->line);
	while (!str_starts(
		str_part(bytes, at, bytes.len), STR(",\"events\":[")))
		at++;
	at += strlen(",\"events\":");
	/* A mac can't be made without its key: it goes along as it is. */
	body = str_part(bytes, at, bytes.len - at - LINE_CHAIN_BYTES);
	FUZZ_CHECK(body.len > mac);
	FUZZ_CHECK(line_write(&out, &l->line, body, (struct str){ 0 }, c->chain,
			   err) == PAWL_OK);
	FUZZ_CHECK(str_eq(buf_str(&out), bytes));
	FUZZ_CHECK(strcmp(c->chain, l->chain) == 0);
	c->seq = l->line.seq;
	c->end = l->offset + l->bytes;
	buf_release(&out);
	return PAWL_OK;
}

/* What an appender does with the same file. */
static void
append(struct fs_sim *sim, const struct fs *fs, const struct journal_tail *tail)
{
	const struct journal_commit c = { .gen = INT64_MAX,
		.at = COMMIT_AT,
		.actor = STR("fuzz"),
		.events = STR("[{}]") };
	int dir = fs_sim_root(sim);
	struct journal_repaired r = { 0 };
	struct journal_tail after;
	struct pawl_err err;
	struct buf torn = { 0 };
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, fs, dir);
	FUZZ_CHECK(journal_lock(&j, 0, &err) == PAWL_OK);
	rc = journal_catch_up(&j, NULL, NULL, &r, &err);
	FUZZ_CHECK((rc == PAWL_ECORRUPT) == (tail->end == JOURNAL_CORRUPT));
	if (rc == PAWL_OK) {
		FUZZ_CHECK((r.bytes > 0) == (tail->end == JOURNAL_TORN));
		FUZZ_CHECK(r.bytes == (r.bytes ? tail->bytes : 0));
		if (r.bytes > 0)
			FUZZ_CHECK(artifact_get(fs, dir, str_from(r.artifact),
					   (size_t)r.bytes, &torn,
					   &err) == PAWL_OK);
		FUZZ_CHECK(journal_append(&j, &c, &err) == PAWL_OK);
	}
	journal_close(&j);
	if (rc == PAWL_OK) {
		journal_init(&j, fs, dir);
		FUZZ_CHECK(
			journal_scan(&j, NULL, NULL, &after, &err) == PAWL_OK);
		FUZZ_CHECK(after.end == JOURNAL_WHOLE);
		journal_close(&j);
	}
	buf_release(&torn);
	FUZZ_CHECK(fs_sim_open_count(sim) == 0 && fs_sim_locks(sim) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fs_sim *sim = fs_sim_new();
	struct fs fs = fs_sim_fs(sim);
	struct journal_tail tail = { 0 };
	struct buf file = { 0 };
	struct check c = { 0 };
	struct pawl_err err;
	struct journal j;
	long changes;
	int fd = -1;

	seal(fuzz_str(data, size), &file);
	FUZZ_CHECK(journal_create(&fs, fs_sim_root(sim), &err) == PAWL_OK);
	FUZZ_CHECK(fs_open(&fs, fs_sim_root(sim), "events.jsonl", O_WRONLY, &fd,
			   &err) == PAWL_OK);
	FUZZ_CHECK(fs_write(&fs, fd, buf_str(&file), &err) == PAWL_OK);
	fs_close(&fs, &fd);
	changes = fs_sim_changes(sim);

	c.file = buf_str(&file);
	memcpy(c.chain, journal_start().chain, sizeof(c.chain));
	journal_init(&j, &fs, fs_sim_root(sim));
	FUZZ_CHECK(journal_scan(&j, again, &c, &tail, &err) == PAWL_OK);
	FUZZ_CHECK(tail.end != JOURNAL_IN_FLIGHT);
	FUZZ_CHECK(tail.end != JOURNAL_ELSEWHERE);
	FUZZ_CHECK(j.at.seq == c.seq && j.at.offset + tail.bytes == file.len);
	FUZZ_CHECK((tail.bytes > 0) == (tail.end > JOURNAL_NO_LF));
	FUZZ_CHECK((tail.end == JOURNAL_CORRUPT) == (tail.why[0] != '\0'));
	FUZZ_CHECK(fs_sim_changes(sim) == changes);
	journal_close(&j);

	append(sim, &fs, &tail);
	buf_release(&file);
	fs_sim_free(sim);
	return 0;
}
