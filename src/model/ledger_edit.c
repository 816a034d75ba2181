#include "model/ledger_edit.h"

#include "base/bounds.h"
#include "base/die.h"
#include "model/ledger_earned.h"
#include "model/ledger_step.h"
#include "model/ledger_word.h"

/* clang-format off */
static const struct ledger_step steps[] = {
	{ NODE_PENDING, NODE_READY, STEP_FOLLOWS },
	{ NODE_PENDING, NODE_NEEDS_APPROVAL, STEP_FOLLOWS },
	{ NODE_PENDING, NODE_SKIPPED, STEP_REASON },
	{ NODE_PENDING, NODE_BLOCKED, STEP_REASON },
	{ NODE_READY, NODE_RUNNING, STEP_FREE | STEP_ATTEMPT },
	{ NODE_READY, NODE_SKIPPED, STEP_REASON },
	{ NODE_READY, NODE_BLOCKED, STEP_REASON },
	{ NODE_RUNNING, NODE_PASSED, STEP_FREE | STEP_EVIDENCE },
	{ NODE_RUNNING, NODE_FAILED, STEP_EXHAUSTED },
	{ NODE_RUNNING, NODE_READY, STEP_FREE | STEP_ATTEMPT },
	{ NODE_RUNNING, NODE_NEEDS_APPROVAL, 0 },
	{ NODE_RUNNING, NODE_BLOCKED, STEP_REASON },
	{ NODE_NEEDS_APPROVAL, NODE_PENDING, STEP_DECIDED },
	{ NODE_NEEDS_APPROVAL, NODE_BLOCKED, STEP_DECIDED },
	{ NODE_NEEDS_APPROVAL, NODE_SKIPPED, STEP_REASON | STEP_HUMAN },
	{ NODE_BLOCKED, NODE_PENDING, STEP_REASON },
	{ NODE_BLOCKED, NODE_SKIPPED, STEP_REASON | STEP_HUMAN },
	{ NODE_FAILED, NODE_READY, STEP_REASON | STEP_FREE | STEP_GRANTS },
};
/* clang-format on */

const struct ledger_step *
ledger_steps(uint32_t *ret_count)
{
	*ret_count = sizeof(steps) / sizeof(steps[0]);
	return steps;
}

const struct ledger_step *
ledger_step(enum node_status from, enum node_status to)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].from == from && steps[i].to == to)
			return &steps[i];
	}
	return NULL;
}

bool
is_ledger_approval_midway(const struct ledger_node *n)
{
	return n->status == NODE_NEEDS_APPROVAL && n->history_count > 1 &&
		n->history[n->history_count - 2] == NODE_RUNNING;
}

enum node_status
ledger_follows(const struct ledger *l, uint32_t node)
{
	const struct ledger_node *n = &l->nodes[node];

	if (n->status != NODE_PENDING || !is_ledger_node_free(l, node) ||
		n->history_count >= BOUND_LEDGER_HISTORY)
		return (enum node_status)n->status;
	return is_ledger_approval_open(n) ? NODE_NEEDS_APPROVAL : NODE_READY;
}

struct fold {
	struct ledger *l;
	const struct line_facts *line;
	const struct event *e;
	uint32_t node; /* valid when the event names one that must be there */
	struct pawl_err *err;
};

static enum pawl_rc
impossible(const struct fold *f, const char *why)
{
	return pawl_fail(f->err, ERR_CORRUPT,
		"line %llu: event '" STR_FMT "' of '" STR_FMT "': %s",
		(unsigned long long)f->line->seq,
		STR_ARG(event_word(f->e->type)), STR_ARG(f->e->node), why);
}

static struct str
keep(struct ledger *l, struct str s)
{
	return s.len ? arena_copy(&l->mem, s) : (struct str){ "", 0 };
}

static void
walk(struct ledger *l, uint32_t node, enum node_status to)
{
	struct ledger_node *n = &l->nodes[node];

	n->history = arena_extend(
		&l->mem, n->history, n->history_count, n->history_count + 1);
	n->history[n->history_count++] = (uint8_t)to;
	n->status = (uint8_t)to;
	if (to == NODE_RUNNING)
		n->attempt++;
	if (to == NODE_NEEDS_APPROVAL)
		n->approval = LEDGER_REQUIRED;
}

static void
settle(struct ledger *l, uint32_t node)
{
	enum node_status to = ledger_follows(l, node);

	if (to != l->nodes[node].status)
		walk(l, node, to);
}

void
ledger_settle(struct ledger *l)
{
	for (uint32_t i = 0; i < l->count; i++)
		settle(l, i);
	l->status = (uint8_t)ledger_earned(l);
}

static enum pawl_rc
started(struct fold *f)
{
	if (f->l->run_id.len > 0 || f->l->count > 0)
		return impossible(f, "a ledger starts once");
	f->l->run_id = keep(f->l, f->e->run);
	f->l->task = keep(f->l, f->e->task);
	return PAWL_OK;
}

/* The numbers of the nodes named, in l->mem; false when one is unknown. */
static bool
find_all(struct ledger *l, const struct strs *ids, uint32_t **ret_numbers)
{
	uint32_t *numbers = arena_array(&l->mem, ids->count, uint32_t);

	for (uint32_t i = 0; i < ids->count; i++) {
		if (!ledger_find(l, ids->items[i], &numbers[i]))
			return false;
	}
	*ret_numbers = numbers;
	return true;
}

static enum pawl_rc
node_added(struct fold *f)
{
	const struct event *e = f->e;
	struct ledger *l = f->l;
	struct ledger_node n = { .id = keep(l, e->node),
		.evidence_required = e->evidence_required,
		.depends_count = e->depends_on.count };
	uint32_t node;

	if (!find_all(l, &e->depends_on, &n.depends))
		return impossible(f, "it depends on a node that isn't there");
	if (!ledger_word_find(LEDGER_WORDS_KIND, e->kind, &n.kind) ||
		!ledger_word_find(LEDGER_WORDS_ROLE, e->role, &n.role) ||
		!ledger_word_find(LEDGER_WORDS_ACCESS, e->access, &n.access) ||
		!ledger_word_find(
			LEDGER_WORDS_APPROVAL, e->approval, &n.approval))
		return impossible(f, "a word isn't known");
	if (e->max_attempts == 0 || e->max_attempts > BOUND_LEDGER_ATTEMPTS)
		return impossible(f, "'max_attempts' is out of its bounds");
	if (l->count >= BOUND_LEDGER_NODES)
		return impossible(f, "it is one node too many");
	n.max_attempts = (uint32_t)e->max_attempts;
	n.title = keep(l, e->title);
	n.expected_output = keep(l, e->expected_output);
	if (!ledger_add(l, n.id, &node))
		return impossible(f, "a node has the id already");
	l->nodes[node] = n;
	walk(l, node, NODE_PENDING);
	settle(l, node);
	return PAWL_OK;
}

static bool
has_evidence(const struct ledger_node *n)
{
	return !n->evidence_required || n->evidence_count > 0;
}

/* Why no version of pawl can have recorded the step; NULL: one can. */
static const char *
step_fault(const struct ledger *l, uint32_t node, const struct ledger_step *row)
{
	const struct ledger_node *n = &l->nodes[node];

	if (row == NULL || (row->needs & STEP_FOLLOWS))
		return "the node's status doesn't allow it";
	if (n->history_count >= BOUND_LEDGER_HISTORY)
		return "the node's history is full";
	if ((row->needs & STEP_FREE) &&
		(!is_ledger_node_free(l, node) || is_ledger_approval_open(n)))
		return "the node waits for others, or for its approval";
	if ((row->needs & STEP_ATTEMPT) && n->attempt >= n->max_attempts)
		return "no attempt is left";
	if ((row->needs & STEP_GRANTS) &&
		n->max_attempts >= BOUND_LEDGER_ATTEMPTS)
		return "'max_attempts' is at its bound";
	if ((row->needs & STEP_EVIDENCE) && !has_evidence(n))
		return "the node has no evidence";
	return NULL;
}

static enum pawl_rc
node_moved(struct fold *f)
{
	struct ledger_node *n = &f->l->nodes[f->node];
	const struct ledger_step *row;
	const char *fault;
	uint8_t to;

	settle(f->l, f->node);
	if (!ledger_word_find(LEDGER_WORDS_STATUS, f->e->status, &to))
		return impossible(f, "the status isn't known");
	row = ledger_step((enum node_status)n->status, (enum node_status)to);
	if (row == NULL)
		return impossible(f, "the node's status doesn't allow it");
	if (row->needs & STEP_DECIDED)
		return impossible(f, "that is an approval's to do");
	fault = step_fault(f->l, f->node, row);
	if (fault != NULL)
		return impossible(f, fault);
	if (row->needs & STEP_GRANTS)
		n->max_attempts++;
	walk(f->l, f->node, (enum node_status)to);
	settle(f->l, f->node);
	return PAWL_OK;
}

static enum pawl_rc
evidence_added(struct fold *f)
{
	struct ledger_node *n = &f->l->nodes[f->node];
	const struct strs *list = &f->e->evidence;
	uint32_t count = n->evidence_count + list->count;

	settle(f->l, f->node);
	if (n->status == NODE_PASSED || n->status == NODE_SKIPPED)
		return impossible(f, "the node is at its end");
	if (list->count > BOUND_LEDGER_EVIDENCE ||
		count > BOUND_LEDGER_EVIDENCE)
		return impossible(f, "the node has too much evidence");
	n->evidence = arena_extend(&f->l->mem, n->evidence,
		n->evidence_count * sizeof(*n->evidence),
		count * sizeof(*n->evidence));
	for (uint32_t i = 0; i < list->count; i++)
		n->evidence[n->evidence_count++] = keep(f->l, list->items[i]);
	return PAWL_OK;
}

static enum pawl_rc
approval_decided(struct fold *f)
{
	struct ledger_node *n = &f->l->nodes[f->node];
	bool granted = str_eq(f->e->decision, STR("granted"));
	const char *fault;

	settle(f->l, f->node);
	if (!granted && !str_eq(f->e->decision, STR("denied")))
		return impossible(f, "the decision is no decision");
	fault = step_fault(f->l, f->node,
		ledger_step((enum node_status)n->status,
			granted ? NODE_PENDING : NODE_BLOCKED));
	if (n->status != NODE_NEEDS_APPROVAL)
		fault = "the node doesn't wait for an approval";
	if (fault != NULL)
		return impossible(f, fault);
	if (granted && is_ledger_approval_midway(n))
		n->max_attempts++;
	n->approval = granted ? LEDGER_GRANTED : LEDGER_DENIED;
	walk(f->l, f->node, granted ? NODE_PENDING : NODE_BLOCKED);
	settle(f->l, f->node);
	return PAWL_OK;
}

static enum pawl_rc
dependency_added(struct fold *f)
{
	struct ledger_node *n = &f->l->nodes[f->node];
	const struct strs *ids = &f->e->depends_on;
	uint32_t *more;

	settle(f->l, f->node);
	if (n->status != NODE_FAILED)
		return impossible(f, "the node isn't FAILED");
	if (!find_all(f->l, ids, &more))
		return impossible(f, "it depends on a node that isn't there");
	for (uint32_t i = 0; i < ids->count; i++) {
		if (f->l->nodes[more[i]].status != NODE_PASSED)
			return impossible(f, "the repair hasn't PASSED");
	}
	n->depends = arena_extend(&f->l->mem, n->depends,
		n->depends_count * sizeof(*n->depends),
		(n->depends_count + ids->count) * sizeof(*n->depends));
	for (uint32_t i = 0; i < ids->count; i++)
		n->depends[n->depends_count++] = more[i];
	return PAWL_OK;
}

/* Facts about the run and its file; nothing in the ledger is another. */
static enum pawl_rc
nothing(struct fold *f)
{
	(void)f;
	return PAWL_OK;
}

typedef enum pawl_rc fold_fn(struct fold *f);

static fold_fn *const folds[EVENT_TYPE_COUNT] = {
	[EV_JOURNAL_REPAIRED] = nothing,
	[EV_RUN_CLOSED] = nothing,
	[EV_LEDGER_STARTED] = started,
	[EV_NODE_ADDED] = node_added,
	[EV_NODE_MOVED] = node_moved,
	[EV_EVIDENCE_ADDED] = evidence_added,
	[EV_APPROVAL_DECIDED] = approval_decided,
	[EV_DEPENDENCY_ADDED] = dependency_added,
};

bool
is_ledger_event_of_node(enum event_type type)
{
	return type == EV_NODE_MOVED || type == EV_EVIDENCE_ADDED ||
		type == EV_APPROVAL_DECIDED || type == EV_DEPENDENCY_ADDED;
}

enum pawl_rc
ledger_apply(struct ledger *l, const struct line_facts *line,
	const struct event *e, struct pawl_err *err)
{
	struct fold f = { .l = l, .line = line, .e = e, .err = err };

	if (folds[e->type] == NULL)
		return impossible(&f, "a ledger run has no such events");
	if (is_ledger_event_of_node(e->type) &&
		!ledger_find(l, e->node, &f.node))
		return impossible(&f, "there is no such node");
	return folds[e->type](&f);
}

enum pawl_rc
ledger_propose(
	struct ledger *l, const struct command *cmd, struct pawl_err *err)
{
	const struct line_facts line = { 0 };
	enum pawl_rc rc;

	/* A new node looks at no status; thousands may come in a row. */
	if (cmd->event.type != EV_NODE_ADDED)
		ledger_settle(l);
	rc = ledger_decide(l, cmd, err);
	if (rc != PAWL_OK)
		return rc;
	rc = ledger_apply(l, &line, &cmd->event, err);
	assert(rc == PAWL_OK); /* else the two disagree */
	return rc;
}

/* The id without `-repair` or `-repair-N`; all of it when it has none. */
static struct str
mended_id(struct str id)
{
	static const char mark[] = "-repair";
	size_t len = sizeof(mark) - 1, end = id.len;

	while (end > 0 && id.ptr[end - 1] >= '0' && id.ptr[end - 1] <= '9')
		end--;
	if (end < id.len && end > 0 && id.ptr[end - 1] == '-')
		end--;
	else
		end = id.len;
	if (end > len && str_eq(str_part(id, end - len, len), STR("-repair")))
		return str_part(id, 0, end - len);
	return id;
}

bool
ledger_mends(const struct ledger *l, uint32_t repair, uint32_t *ret_failed)
{
	const struct ledger_node *n = &l->nodes[repair];
	uint32_t node;

	if (n->kind != LEDGER_REPAIR ||
		!ledger_find(l, mended_id(n->id), &node) || node == repair ||
		l->nodes[node].status != NODE_FAILED)
		return false;
	*ret_failed = node;
	return true;
}

void
ledger_mend(struct str failed, struct str repair, struct arena *mem,
	struct command ret_commands[2])
{
	struct command gain = { .event = { .type = EV_DEPENDENCY_ADDED,
					.node = failed } };
	struct command move = { .event = { .type = EV_NODE_MOVED,
					.node = failed } };
	struct strs ids = { arena_array(mem, 1, struct str), 1 };

	ids.items[0] = repair;
	EVENT_SET(&gain.event, F_DEPENDS_ON, depends_on, ids);
	EVENT_SET(&move.event, F_STATUS, status, node_status_word(NODE_READY));
	EVENT_SET(&move.event, F_REASON, reason,
		arena_format(
			mem, "repaired by '" STR_FMT "'", STR_ARG(repair)));
	ret_commands[0] = gain;
	ret_commands[1] = move;
}

struct str
ledger_repair_id(const struct ledger *l, uint32_t node, struct arena *mem)
{
	struct str of = l->nodes[node].id;
	struct str id = arena_format(mem, STR_FMT "-repair", STR_ARG(of));
	uint32_t taken;

	for (uint32_t i = 2; ledger_find(l, id, &taken); i++)
		id = arena_format(mem, STR_FMT "-repair-%u", STR_ARG(of), i);
	return id;
}
