#include "model/id.h"

#include <stdio.h>

#include "base/bounds.h"
#include "base/die.h"
#include "base/num.h"

static bool
is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9');
}

static bool
is_joint(char c)
{
	return c == '.' || c == '_' || c == '-';
}

static char
fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c | 0x20);
	return c;
}

const char *
id_fault(struct str s)
{
	if (s.len == 0)
		return "is empty";
	if (s.len > BOUND_ID_BYTES)
		return "is over the limit of 128 bytes";
	for (size_t i = 0; i < s.len; i++) {
		if (is_alnum(s.ptr[i]))
			continue;
		if (!is_joint(s.ptr[i]))
			return "has a character other than letters, digits, "
			       "'.', '_' and '-'";
		if (i == 0 || i + 1 == s.len || !is_alnum(s.ptr[i + 1]))
			return "has a '.', '_' or '-' that is not between "
			       "letters or digits";
	}
	if (s.len > 5 && id_equal_fold(str_part(s, s.len - 5, 5), STR(".lock")))
		return "ends in '.lock'";
	return NULL;
}

bool
id_is_valid(struct str s)
{
	return id_fault(s) == NULL;
}

enum pawl_rc
id_check(struct str s, struct pawl_err *err)
{
	const char *fault = id_fault(s);
	struct str shown = str_part(s, 0, 140);

	if (fault == NULL)
		return PAWL_OK;
	(void)pawl_fail(err, ERR_INVALID_ID, "id '" STR_FMT "' %s",
		STR_ARG(shown), fault);
	return pawl_hint(err,
		"letters and digits, joined by single '.', '_' or '-', "
		"such as API-01");
}

bool
id_equal_fold(struct str a, struct str b)
{
	if (a.len != b.len)
		return false;
	for (size_t i = 0; i < a.len; i++) {
		if (fold(a.ptr[i]) != fold(b.ptr[i]))
			return false;
	}
	return true;
}

uint32_t
id_hash_fold(struct str s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)fold(s.ptr[i])) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return (uint32_t)(h ^ (h >> 32));
}

void
id_ref_format(struct buf *out, struct str node, enum id_sign sign, uint32_t n)
{
	assert(n > 0);
	buf_add(out, node);
	buf_addc(out, (char)sign);
	buf_addu(out, n);
}

enum pawl_rc
id_ref_parse(struct str s, enum id_sign sign, struct str *ret_node,
	uint32_t *ret_n, struct pawl_err *err)
{
	size_t at = str_find(s, (char)sign);
	struct str node = str_part(s, 0, at);
	struct str digits = str_part(s, at + 1, s.len);
	struct pawl_err number = { 0 };
	uint64_t n = 0;

	/* One spelling a name: no sign, no zeros in front. */
	if (at == s.len || digits.len == 0 || digits.ptr[0] == '0' ||
		num_u64(digits, 1, UINT32_MAX, &n, &number) != PAWL_OK)
		return pawl_fail(err, ERR_INVALID_ID,
			"'" STR_FMT "' is not of the form ID%cN",
			STR_ARG(str_part(s, 0, 160)), (char)sign);
	if (id_check(node, err) != PAWL_OK)
		return err->rc;
	*ret_node = node;
	*ret_n = (uint32_t)n;
	return PAWL_OK;
}

/*
 * Year, month and day of a count of days since 1970-01-01.
 * Source: H. Hinnant, "chrono-Compatible Low-Level Date Algorithms",
 * civil_from_days, for days after the epoch.
 */
static void
civil(uint64_t days, unsigned ret_ymd[3])
{
	uint64_t z = days + 719468;
	uint64_t era = z / 146097;
	uint64_t day_of_era = z % 146097;
	uint64_t year = (day_of_era - day_of_era / 1460 + day_of_era / 36524 -
				day_of_era / 146096) /
		365;
	uint64_t day = day_of_era - (365 * year + year / 4 - year / 100);
	uint64_t month = (5 * day + 2) / 153;

	ret_ymd[2] = (unsigned)(day - (153 * month + 2) / 5 + 1);
	ret_ymd[1] = (unsigned)(month < 10 ? month + 3 : month - 9);
	ret_ymd[0] = (unsigned)(year + era * 400 + (ret_ymd[1] <= 2));
}

void
id_run_new(uint64_t now_s, struct rand *r, char ret_id[ID_RUN_BYTES + 1])
{
	static const char base32[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint64_t bits = rand_u64(r);
	unsigned ymd[3];
	int n;

	civil(now_s / 86400, ymd);
	n = snprintf(ret_id, ID_RUN_BYTES + 1, "r-%04u%02u%02u-",
		ymd[0] % 10000, ymd[1] % 100, ymd[2] % 100);
	assert(n == ID_RUN_BYTES - 6);
	for (unsigned i = 0; i < 6; i++)
		ret_id[ID_RUN_BYTES - 6 + i] = base32[(bits >> (5 * i)) & 31];
	ret_id[ID_RUN_BYTES] = '\0';
}

bool
id_has_prefix(struct str id, struct str prefix)
{
	if (prefix.len == 0 || !str_starts(id, prefix))
		return false;
	return prefix.len == id.len || is_joint(id.ptr[prefix.len]);
}
