/*
 * Property: what is refused names a line or a limit.  What is taken, written
 * again with nothing left out, gives the same ledger when it is read again, and
 * from then on the same bytes.
 */
#include "fuzz.h"

#include "model/ledger_capsule.h"

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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf one = { 0 }, two = { 0 }, a = { 0 }, b = { 0 };

	if (turn(fuzz_str(data, size), &one, &a)) {
		FUZZ_CHECK(turn(buf_str(&one), &two, &b));
		FUZZ_CHECK(str_eq(buf_str(&one), buf_str(&two)));
		FUZZ_CHECK(str_eq(buf_str(&a), buf_str(&b)));
	}
	buf_release(&one);
	buf_release(&two);
	buf_release(&a);
	buf_release(&b);
	return 0;
}
