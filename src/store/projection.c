#include "store/projection.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/die.h"
#include "base/num.h"

#define STATE "state.json"

static void drift(struct projection *p, enum projection_found found,
	const char *fmt, ...) PAWL_PRINTF(3, 4) PAWL_COLD;

static void
drift(struct projection *p, enum projection_found found, const char *fmt, ...)
{
	va_list ap;

	p->found = found;
	va_start(ap, fmt);
	(void)vsnprintf(p->why, sizeof(p->why), fmt, ap); /* may be cut */
	va_end(ap);
}

/* `label` and what follows it up to `close`; false when it isn't there. */
static bool
take(struct str *rest, struct str label, char close, struct str *ret_value)
{
	size_t len;

	if (!str_starts(*rest, label))
		return false;
	*rest = str_part(*rest, label.len, rest->len);
	len = str_find(*rest, close);
	*ret_value = str_part(*rest, 0, len);
	*rest = str_part(*rest, len, rest->len);
	return true;
}

static bool
take_u64(struct str *rest, struct str label, uint64_t *ret_n)
{
	struct pawl_err unused;
	struct str digits;

	return take(rest, label, ',', &digits) &&
		num_u64(digits, 0, INT64_MAX, ret_n, &unused) == PAWL_OK;
}

static void
digest_of(struct str head, struct str body, char ret_hex[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, head);
	sha256_add(&s, body);
	sha256_end(&s, digest);
	sha256_hex_of(digest, ret_hex);
}

static void
verify(struct projection *p, uint64_t fold)
{
	struct str all = buf_str(&p->bytes), rest = all;
	struct str head, chain, digest;
	uint64_t format, folded;
	char hex[SHA256_HEX + 1];

	drift(p, PROJECTION_DRIFT, "'" STATE "' is damaged");
	if (!take_u64(&rest, STR("{\"format\":"), &format))
		return;
	if (format != PROJECTION_FORMAT) {
		drift(p, PROJECTION_OTHER, "'" STATE "' has format %llu",
			(unsigned long long)format);
		return;
	}
	if (!take_u64(&rest, STR(",\"fold\":"), &folded) ||
		!take_u64(&rest, STR(",\"seq\":"), &p->at.seq) ||
		!take_u64(&rest, STR(",\"gen\":"), &p->at.gen) ||
		!take_u64(&rest, STR(",\"offset\":"), &p->at.offset) ||
		!take(&rest, STR(",\"chain\":\""), '"', &chain) ||
		chain.len != SHA256_HEX || !str_starts(rest, STR("\"")))
		return;
	head = str_part(all, 0, all.len - rest.len + 1);
	rest = str_part(rest, 1, rest.len);
	if (!take(&rest, STR(",\"sha256\":\""), '"', &digest) ||
		!str_starts(rest, STR("\",\"state\":")) ||
		!str_ends(rest, STR("}\n")))
		return;
	p->body = str_part(rest, strlen("\",\"state\":"), rest.len);
	p->body.len -= strlen("}\n");
	digest_of(head, p->body, hex);
	if (!str_eq(digest, str_from(hex)))
		return;
	if (folded != fold) {
		drift(p, PROJECTION_OTHER,
			"'" STATE "' was folded by version %llu",
			(unsigned long long)folded);
		return;
	}
	memcpy(p->at.chain, chain.ptr, SHA256_HEX);
	p->at.chain[SHA256_HEX] = '\0';
	p->found = PROJECTION_GOOD;
	p->why[0] = '\0';
}

void
projection_load(const struct fs *fs, int run_dir, uint64_t fold,
	struct projection *ret_projection)
{
	struct projection p = { 0 };
	struct pawl_err why;

	if (fs_read(fs, run_dir, STATE, BOUND_STATE_BYTES, &p.bytes, &why) ==
		PAWL_OK) {
		verify(&p, fold);
	} else if (why.code != ERR_FILE_NOT_FOUND) {
		drift(&p, PROJECTION_DRIFT, "%.150s", why.msg);
	}
	*ret_projection = p;
}

void
projection_release(struct projection *p)
{
	buf_release(&p->bytes);
	*p = (struct projection){ 0 };
}

bool
projection_is_due(uint64_t tail, uint64_t bytes)
{
	return tail >
		(bytes > PROJECTION_TAIL_MIN ? bytes : PROJECTION_TAIL_MIN);
}

enum pawl_rc
projection_save(const struct fs *fs, int run_dir, uint64_t fold,
	const struct journal_at *at, struct str body, struct pawl_err *err)
{
	struct buf out = { .max = BOUND_STATE_BYTES };
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	assert(body.len > 0);
	assert(at->seq <= INT64_MAX && at->offset <= INT64_MAX);
	buf_add(&out, STR("{\"format\":1,\"fold\":"));
	buf_addu(&out, fold);
	buf_add(&out, STR(",\"seq\":"));
	buf_addu(&out, at->seq);
	buf_add(&out, STR(",\"gen\":"));
	buf_addu(&out, at->gen);
	buf_add(&out, STR(",\"offset\":"));
	buf_addu(&out, at->offset);
	buf_add(&out, STR(",\"chain\":\""));
	buf_add(&out, (struct str){ at->chain, SHA256_HEX });
	buf_add(&out, STR("\""));
	digest_of(buf_str(&out), body, hex);
	buf_add(&out, STR(",\"sha256\":\""));
	buf_add(&out, str_from(hex));
	buf_add(&out, STR("\",\"state\":"));
	buf_add(&out, body);
	buf_add(&out, STR("}\n"));
	if (!buf_ok(&out)) {
		rc = pawl_fail(err, ERR_LIMIT,
			"'" STATE "' is over the limit of %d bytes",
			BOUND_STATE_BYTES);
		goto out;
	}
	rc = fs_sweep(fs, run_dir, err);
	if (rc == PAWL_OK) {
		rc = fs_replace(
			fs, run_dir, STATE, buf_str(&out), FS_CACHE, err);
	}
out:
	buf_release(&out);
	return rc;
}
