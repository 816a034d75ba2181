#include "store/keys.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"

enum {
	OLD_BITS = KEYS_OLD_BYTES * 8,
	OLD_PROBES = 4,
};

void
keys_request(struct str request, char ret_hex[LINE_REQUEST_HEX + 1])
{
	char hex[SHA256_HEX + 1];

	sha256_hex(request, hex);
	memcpy(ret_hex, hex, LINE_REQUEST_HEX);
	ret_hex[LINE_REQUEST_HEX] = '\0';
}

/* Double hashing with the two halves: Kirsch and Mitzenmacher 2006. */
static uint32_t
old_bit(uint64_t hash, uint32_t probe)
{
	uint32_t a = (uint32_t)hash, b = (uint32_t)(hash >> 32) | 1;

	return (a + probe * b) % OLD_BITS;
}

static void
old_add(struct keys *k, uint64_t hash)
{
	if (k->old == NULL) {
		k->old = die_alloc(KEYS_OLD_BYTES, 1);
		memset(k->old, 0, KEYS_OLD_BYTES);
	}
	for (uint32_t i = 0; i < OLD_PROBES; i++) {
		uint32_t bit = old_bit(hash, i);

		k->old[bit / 8] |= (uint8_t)(1U << (bit % 8));
	}
	k->dropped++;
}

static bool
old_has(const struct keys *k, uint64_t hash)
{
	for (uint32_t i = 0; k->old != NULL && i < OLD_PROBES; i++) {
		uint32_t bit = old_bit(hash, i);

		if ((k->old[bit / 8] >> (bit % 8) & 1) == 0)
			return false;
	}
	return k->old != NULL;
}

static struct key *
get(const struct keys *k, struct str text, uint64_t hash)
{
	for (uint32_t i = 0; i < k->count; i++) {
		struct key *key = &k->items[i];

		if (key->hash == hash && key->len == text.len &&
			memcmp(key->text, text.ptr, text.len) == 0)
			return key;
	}
	return NULL;
}

/* The place of one more, which pushes out the oldest when all are taken. */
static struct key *
place(struct keys *k)
{
	struct key *key;

	if (k->count == BOUND_KEYS) {
		key = &k->items[k->next];
		old_add(k, key->hash);
		k->next = (k->next + 1) % BOUND_KEYS;
		return key;
	}
	if (k->count == k->cap) {
		k->cap = k->cap ? k->cap * 2 : 8;
		k->items = die_realloc(k->items, k->cap, sizeof(*k->items));
	}
	return &k->items[k->count++];
}

void
keys_add(struct keys *k, struct str text, struct str request, uint64_t seq)
{
	uint64_t hash = str_hash(text);
	struct key *key = get(k, text, hash);

	assert(line_is_word(text));
	assert(request.len == LINE_REQUEST_HEX);
	if (key == NULL)
		key = place(k);
	*key = (struct key){
		.seq = seq, .hash = hash, .len = (uint8_t)text.len
	};
	memcpy(key->text, text.ptr, text.len);
	memcpy(key->request, request.ptr, request.len);
}

enum pawl_rc
keys_find(const struct keys *k, struct journal *j, struct str text,
	struct str request, uint64_t *ret_seq, struct pawl_err *err)
{
	uint64_t hash = str_hash(text), seq = 0;
	const struct key *key = get(k, text, hash);
	enum pawl_rc rc;

	if (!line_is_word(text)) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"key '" STR_FMT "' is no word of 1 to %d printable "
			"characters",
			STR_ARG(text), LINE_WORD_MAX);
	}
	if (key != NULL && !str_eq(str_from(key->request), request)) {
		return pawl_fail(err, ERR_KEY_CONFLICT,
			"key '" STR_FMT "' was used for another request, in "
			"commit %" PRIu64,
			STR_ARG(text), key->seq);
	}
	if (key != NULL) {
		*ret_seq = key->seq;
		return PAWL_OK;
	}
	if (old_has(k, hash)) {
		rc = journal_find_key(j, text, &seq, err);
		if (rc != PAWL_OK)
			return rc;
	}
	if (seq > 0) {
		return pawl_fail(err, ERR_KEY_EXPIRED,
			"key '" STR_FMT "' was used in commit %" PRIu64
			", before the last %d keys",
			STR_ARG(text), seq, BOUND_KEYS);
	}
	*ret_seq = 0;
	return PAWL_OK;
}

void
keys_write(const struct keys *k, struct json_writer *w)
{
	json_open(w, '{');
	json_pair_u64(w, STR("dropped"), k->dropped);
	json_key(w, STR("last"));
	json_open(w, '[');
	for (uint32_t i = 0; i < k->count; i++) {
		const struct key *key = &k->items[(k->next + i) % k->count];

		json_open(w, '[');
		json_put_str(w, (struct str){ key->text, key->len });
		json_put_str(w, str_from(key->request));
		json_put_u64(w, key->seq);
		json_close(w, ']');
	}
	json_close(w, ']');
	if (k->old != NULL) {
		struct buf hex = { 0 };

		buf_addhex(&hex, k->old, KEYS_OLD_BYTES);
		json_pair_str(w, STR("old"), buf_str(&hex));
		buf_release(&hex);
	}
	json_close(w, '}');
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
read_old(struct keys *k, struct str hex)
{
	if (hex.len != (size_t)KEYS_OLD_BYTES * 2)
		return false;
	k->old = die_alloc(KEYS_OLD_BYTES, 1);
	for (size_t i = 0; i < KEYS_OLD_BYTES; i++) {
		int high = hex_digit(hex.ptr[2 * i]);
		int low = hex_digit(hex.ptr[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		k->old[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

static bool
read_last(struct keys *k, const struct json *last)
{
	const struct json *row = json_first(last);

	if (last->count > BOUND_KEYS)
		return false;
	for (uint32_t i = 0; i < last->count; i++, row += row->span) {
		const struct json *text = row + 1;

		if (row->kind != JSON_ARRAY || row->count != 3 ||
			text[0].kind != JSON_STRING ||
			text[1].kind != JSON_STRING ||
			text[2].kind != JSON_INT || text[2].n <= 0 ||
			text[1].text.len != LINE_REQUEST_HEX ||
			!line_is_word(text[0].text))
			return false;
		keys_add(k, text[0].text, text[1].text, (uint64_t)text[2].n);
	}
	return k->count == last->count; /* none of them twice */
}

enum pawl_rc
keys_read(const struct json *v, struct keys *ret_keys, struct pawl_err *err)
{
	const struct json *dropped = json_get(v, STR("dropped"));
	const struct json *last = json_get(v, STR("last"));
	const struct json *old = json_get(v, STR("old"));
	struct keys k = { 0 };
	bool good;

	good = dropped != NULL && dropped->kind == JSON_INT &&
		dropped->n >= 0 && last != NULL && last->kind == JSON_ARRAY &&
		(dropped->n > 0) == (old != NULL) && read_last(&k, last) &&
		(old == NULL || read_old(&k, json_str(old)));
	if (!good) {
		keys_release(&k);
		return pawl_fail(
			err, ERR_CORRUPT, "the projection's keys are damaged");
	}
	k.dropped = (uint64_t)dropped->n;
	*ret_keys = k;
	return PAWL_OK;
}

void
keys_release(struct keys *k)
{
	free(k->items);
	free(k->old);
	*k = (struct keys){ 0 };
}
