/*
 * json_doc: one JSON document of a test, and what became of it.
 *
 * Its bytes are a heap block of exactly their length, so that a sanitizer sees
 * a read beyond it.
 */
#ifndef PAWL_TEST_JSON_DOC_H
#define PAWL_TEST_JSON_DOC_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/die.h"
#include "json_ways.h"
#include "text/json.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct doc {
	struct arena mem;
	char *bytes;
	size_t len;
	struct buf written; /* again, when it was good */
	const struct json *json;
	struct pawl_err err;
};

static inline struct doc
doc_read(struct str text, enum json_flags flags)
{
	struct doc d = { .bytes = die_alloc(text.len, 1), .len = text.len };
	struct json_writer w = { 0 };
	const char *differs = json_ways_differ(text, flags);

	if (differs != NULL)
		fail_msg("the ways to read it differ: %s", differs);
	if (text.len > 0)
		memcpy(d.bytes, text.ptr, text.len);
	if (json_read(&d.mem, d.bytes, text.len, flags, &d.json, &d.err) !=
		PAWL_OK) {
		assert_null(d.json);
		return d;
	}
	w.out = &d.written;
	json_put(&w, d.json);
	return d;
}

static inline void
doc_release(struct doc *d)
{
	arena_reset(&d->mem);
	free(d->bytes);
	buf_release(&d->written);
}

/* A document with a bit of everything, as a journal has it. */
static const char sample[] =
	"{\"v\":1,\"seq\":17,\"at\":\"2026-11-30T11:24:23.123456Z\",\n"
	" \"events\":[{\"type\":\"started\",\"data\":{\"n\":-12,\"r\":1.5e3,"
	"\"t\":\"\xc3\xa4\\u20ac\\ud83d\\ude00\\n\",\"x\":[null,true,false]}}],"
	"\"chain\":\"00ff\"}";

#endif
