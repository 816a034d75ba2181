/*
 * Property: what is refused names a line or a limit.  What is taken, written
 * again with nothing left out, gives the same ledger when it is read again, and
 * from then on the same bytes.  Each input is read as it is, and once more with
 * the last line that its others want, since no fuzzer guesses a digest.
 */
#include "fuzz.h"

#include "base/sha256.h"
#include "model/ledger_capsule_code.h"

static void
write_all(const struct ledger *l, struct buf *capsule, struct buf *json)
{
	struct ledger_capsule_loss loss;
	struct json_writer w = { .out = json };
	struct pawl_err err = { 0 };

	FUZZ_CHECK(ledger_capsule_write(l, 0, capsule, &loss, &err) == PAWL_OK);
	FUZZ_CHECK(!is_ledger_capsule_lossy(&loss));
	ledger_write(l, &w);
}

/* Read, write; false when it is refused. */
static bool
turn(struct str text, struct buf *capsule, struct buf *json)
{
	struct ledger_capsule_loss loss;
	struct pawl_err err = { 0 };
	struct ledger l;
	bool ok;

	ledger_init(&l);
	ok = ledger_capsule_read(text, &l, &loss, &err) == PAWL_OK;
	if (ok)
		write_all(&l, capsule, json);
	else
		FUZZ_CHECK(strstr(err.msg, "line") || err.code == ERR_LIMIT);
	ledger_release(&l);
	return ok;
}

static void
check(struct str text)
{
	struct buf one = { 0 }, two = { 0 }, a = { 0 }, b = { 0 };

	if (turn(text, &one, &a)) {
		FUZZ_CHECK(turn(buf_str(&one), &two, &b));
		FUZZ_CHECK(str_eq(buf_str(&one), buf_str(&two)));
		FUZZ_CHECK(str_eq(buf_str(&a), buf_str(&b)));
	}
	buf_release(&one);
	buf_release(&two);
	buf_release(&a);
	buf_release(&b);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_str(data, size), rest = text;
	struct buf sealed = { 0 }, marks = { 0 };
	char hex[SHA256_HEX + 1];

	check(text);
	while (rest.len > 0) {
		struct str line = str_trim(str_cut(&rest, '\n'));

		if (str_starts(line, STR("end ")))
			break;
		if (line.len == 0 || line.ptr[0] == '>')
			continue;
		buf_add(&sealed, line);
		buf_addc(&sealed, '\n');
		buf_addc(&marks, capsule_mark(line));
	}
	sha256_hex(buf_str(&sealed), hex);
	buf_addf(&sealed, "end %.*s ", CAPSULE_SUM, hex);
	buf_add(&sealed, buf_str(&marks));
	check(buf_str(&sealed));
	buf_release(&sealed);
	buf_release(&marks);
	return 0;
}
