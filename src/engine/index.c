#include "engine/index.h"

#include <string.h>

#include "engine/file.h"

enum {
	HEADER = 12,
	MODE_AT = 24,
	STAT_BYTES = 40,
	FLAG_EXTENDED = 0x4000,
	STAGE_SHIFT = 12,
	STAGE_MASK = 3,
	VERSION_MIN = 2,
	VERSION_MAX = 4,
	PATH_MAX_BYTES = 1 << 16, /* git's own paths are shorter */
};

/* What is left to read. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

static uint32_t
be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
		(uint32_t)p[2] << 8 | p[3];
}

static void
skip(struct cursor *c, size_t len)
{
	c->at += len;
	c->left -= len;
}

/* Git's own variable-length number: base 128, each step adds one. */
static bool
read_varint(struct cursor *c, size_t *ret_n)
{
	size_t n;
	uint8_t byte;

	if (c->left == 0)
		return false;
	byte = *c->at;
	n = byte & 0x7f;
	skip(c, 1);
	while (byte & 0x80) {
		if (c->left == 0 || n > PATH_MAX_BYTES)
			return false;
		byte = *c->at;
		n = ((n + 1) << 7) | (byte & 0x7f);
		skip(c, 1);
	}
	*ret_n = n;
	return true;
}

/* The path of an entry that began at `start`; `last` is the one before. */
static bool
read_path(struct cursor *c, uint32_t version, const uint8_t *start,
	struct buf *last)
{
	const uint8_t *end;
	size_t drop = last->len, len;

	if (version == VERSION_MAX &&
		(!read_varint(c, &drop) || drop > last->len))
		return false;
	end = memchr(c->at, '\0', c->left);
	if (end == NULL)
		return false;
	len = (size_t)(end - c->at);
	last->len -= drop;
	buf_add(last, (struct str){ (const char *)c->at, len });
	if (last->len > PATH_MAX_BYTES)
		return false;
	skip(c, len + 1);
	if (version != VERSION_MAX) {
		size_t odd = (size_t)(c->at - start) % 8;
		size_t pad = odd ? 8 - odd : 0;

		if (pad > c->left)
			return false;
		skip(c, pad);
	}
	return true;
}

static bool
read_entry(struct cursor *c, uint32_t version, size_t oid_bytes,
	struct buf *last, struct index_entry *e)
{
	const uint8_t *start = c->at;
	size_t fixed = STAT_BYTES + oid_bytes + 2;
	uint32_t flags;

	if (c->left < fixed + 2)
		return false;
	e->mode = be32(start + MODE_AT);
	memcpy(e->oid, start + STAT_BYTES, oid_bytes);
	flags = (uint32_t)start[fixed - 2] << 8 | start[fixed - 1];
	e->stage = (uint8_t)(flags >> STAGE_SHIFT & STAGE_MASK);
	if (flags & FLAG_EXTENDED)
		fixed += 2;
	skip(c, fixed);
	return read_path(c, version, start, last);
}

/* The extensions: does one of them change what the entries mean? */
static bool
is_plain(struct cursor c, size_t oid_bytes)
{
	while (c.left >= oid_bytes + 8) {
		size_t len = be32(c.at + 4);

		if (memcmp(c.at, "link", 4) == 0 ||
			memcmp(c.at, "sdir", 4) == 0 || len > c.left - 8)
			return false;
		skip(&c, len + 8);
	}
	return true;
}

enum pawl_rc
index_parse(struct str bytes, size_t oid_bytes, struct arena *mem,
	struct index_entries *ret_entries, bool *ret_plain,
	struct pawl_err *err)
{
	struct cursor c = { (const uint8_t *)bytes.ptr, bytes.len };
	struct index_entries list = { 0 };
	struct buf path = { 0 };
	uint32_t version, count, done = 0;
	bool named = true;
	enum pawl_rc rc = PAWL_OK;

	if (bytes.len < HEADER + oid_bytes || memcmp(c.at, "DIRC", 4) != 0)
		return pawl_fail(err, ERR_CORRUPT, "this is no index of git's");
	version = be32(c.at + 4);
	count = be32(c.at + 8);
	if (version < VERSION_MIN || version > VERSION_MAX) {
		*ret_entries = list;
		*ret_plain = false;
		return PAWL_OK;
	}
	skip(&c, HEADER);
	for (; done < count; done++) {
		struct index_entry e = { 0 };

		if (version != VERSION_MAX)
			path.len = 0;
		if (!read_entry(&c, version, oid_bytes, &path, &e))
			break;
		e.path = arena_copy(mem, buf_str(&path));
		(void)index_entries_push(&list, e);
		/* in a split index: it stands for one in the other file */
		named = named && path.len > 0;
	}
	if (done < count || c.left < oid_bytes)
		rc = pawl_fail(err, ERR_CORRUPT,
			"the index ends inside of entry %u", done + 1);
	buf_release(&path);
	if (rc == PAWL_OK && named && is_plain(c, oid_bytes)) {
		*ret_entries = list;
		*ret_plain = true;
		return PAWL_OK;
	}
	index_entries_release(&list);
	if (rc == PAWL_OK) {
		*ret_entries = list;
		*ret_plain = false;
	}
	return rc;
}

struct oid
index_oid(const struct index_entry *e, size_t oid_bytes)
{
	static const char digits[] = "0123456789abcdef";
	struct oid oid = { 0 };

	for (size_t i = 0; i < oid_bytes; i++) {
		oid.hex[2 * i] = digits[e->oid[i] >> 4];
		oid.hex[2 * i + 1] = digits[e->oid[i] & 15];
	}
	return oid;
}

enum pawl_rc
index_read(const char *path, size_t oid_bytes, struct arena *mem,
	struct index_entries *ret_entries, bool *ret_plain,
	struct pawl_err *err)
{
	struct buf bytes = { .max = INDEX_BYTES_MAX };
	enum pawl_rc rc;
	bool found = false;

	rc = file_read(path, &bytes, &found, err);
	if (rc == PAWL_OK && found) {
		rc = index_parse(buf_str(&bytes), oid_bytes, mem, ret_entries,
			ret_plain, err);
		if (rc != PAWL_OK)
			rc = pawl_wrap(err, "'%s'", path);
	} else if (rc == PAWL_OK) {
		*ret_entries = (struct index_entries){ 0 };
		*ret_plain = true;
	}
	buf_release(&bytes);
	return rc;
}
