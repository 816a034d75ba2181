#include "model/need.h"

#include "base/num.h"
#include "model/id.h"
#include "model/list_value.h"

enum pawl_rc
need_read_at(
	struct str word, char mark, struct need *ret_need, struct pawl_err *err)
{
	struct str rest = word;
	struct need need = { .class = str_cut(&rest, mark), .amount = 1 };
	enum pawl_rc rc = id_check(need.class, err);

	if (rc == PAWL_OK && need.class.len < word.len) {
		uint64_t n = 0;

		rc = num_u64(rest, 1, BOUND_SLOTS, &n, err);
		need.amount = (uint32_t)n;
	}
	if (rc == PAWL_OK)
		*ret_need = need;
	return rc;
}

bool
need_read(struct str item, struct need *ret_need)
{
	struct pawl_err why;

	return need_read_at(item, ':', ret_need, &why) == PAWL_OK;
}

uint32_t
needs_of(
	const struct plan *p, uint32_t node, struct need ret_needs[BOUND_NAMES])
{
	const struct contract_extra *x = plan_extra(p, node);
	struct list_value l;
	struct str item;
	uint32_t count = 0;

	if (x == NULL || x->needs.len == 0)
		return 0;
	l = (struct list_value){ .text = { p->text.ptr + x->needs.at,
					 x->needs.len } };
	if (l.text.ptr[0] != '[')
		return need_read(l.text, &ret_needs[0]);
	while (count < BOUND_NAMES && list_next(&l, &item) == LIST_ITEM)
		count += need_read(item, &ret_needs[count]);
	return count;
}
