#include "model/detail.h"

#include "model/cause.h"
#include "model/confined.h"
#include "model/contract.h"
#include "model/explain.h"
#include "model/scope.h"
#include "model/stage.h"
#include "model/subject.h"
#include "text/utf8.h"

enum {
	LIST_MAX = 100, /* ids or paths of one fact */
	CAUSES_MAX = 20,
	NAME_COLUMN = 16,
};

/* Where facts go: one walk over them makes both forms. */
struct printer {
	struct json_writer *w; /* or NULL: text */
	struct buf *out;
	const struct state *s;
	struct arena *mem;
};

static void
name_put(struct printer *p, struct str name)
{
	if (p->w != NULL) {
		json_key(p->w, name);
		return;
	}
	buf_add(p->out, name);
	for (size_t i = name.len; i < NAME_COLUMN; i++)
		buf_addc(p->out, ' ');
}

/* In text an empty value is no line. */
static void
fact(struct printer *p, struct str name, struct str value)
{
	if (p->w == NULL && value.len == 0)
		return;
	name_put(p, name);
	if (p->w != NULL) {
		json_put_str(p->w, value);
		return;
	}
	utf8_show(p->out, value, UTF8_LINE);
	buf_addc(p->out, '\n');
}

static void
fact_number(struct printer *p, struct str name, uint64_t n)
{
	name_put(p, name);
	if (p->w != NULL)
		json_put_u64(p->w, n);
	else
		buf_addf(p->out, "%llu\n", (unsigned long long)n);
}

static void
fact_bool(struct printer *p, struct str name, bool b)
{
	name_put(p, name);
	if (p->w != NULL)
		json_put_bool(p->w, b);
	else
		buf_add(p->out, b ? STR("yes\n") : STR("no\n"));
}

static void
fact_list(struct printer *p, struct str name, struct strs list)
{
	if (p->w == NULL && list.count == 0)
		return;
	name_put(p, name);
	if (p->w != NULL)
		json_open(p->w, '[');
	for (uint32_t i = 0; i < list.count; i++) {
		if (p->w != NULL) {
			json_put_str(p->w, list.items[i]);
			continue;
		}
		buf_add(p->out, i > 0 ? STR(", ") : STR(""));
		utf8_show(p->out, list.items[i], UTF8_LINE);
	}
	if (p->w != NULL)
		json_close(p->w, ']');
	else
		buf_addc(p->out, '\n');
}

/* A list that is being gathered, with at most LIST_MAX members. */
static struct strs
list_new(struct printer *p, size_t count)
{
	return (struct strs){ arena_array(p->mem,
				      count < LIST_MAX ? count : LIST_MAX,
				      struct str),
		0 };
}

static void
list_push(struct strs *list, struct str s)
{
	if (list->count < LIST_MAX)
		list->items[list->count++] = s;
}

static void
contract_facts(struct printer *p, uint32_t node)
{
	static const char *const modes[] = { "read", "write" };
	static const char *const isolations[] = { "auto", "worktree" };
	const struct plan *plan = p->s->plan;
	const struct contract *c = &plan->nodes[node];
	struct contract_view v = contract_of(p->s, node);
	struct strs paths = list_new(p, contract_scopes(&v));
	struct strs depends = list_new(p, c->depends_count);
	struct strs dependants = list_new(p, c->dependants_count);

	for (uint32_t i = 0; i < contract_scopes(&v); i++)
		list_push(&paths, scope_shown(contract_scope(&v, i)));
	for (uint32_t i = 0; i < c->depends_count; i++)
		list_push(&depends,
			plan_id(plan, plan->depends[c->depends_at + i]));
	for (uint32_t i = 0; i < c->dependants_count; i++)
		list_push(&dependants,
			plan_id(plan, plan->dependants[c->dependants_at + i]));
	fact_number(p, STR("line"), c->line);
	if (v.amended != NULL)
		fact_number(p, STR("revision"), contract_revision(&v));
	fact(p, STR("mode"), str_from(modes[c->mode]));
	fact(p, STR("access"), str_from(plan_access_word(c->access)));
	fact(p, STR("isolation"), str_from(isolations[c->isolation]));
	fact_bool(p, STR("needs_approval"), c->approval);
	fact_list(p, STR("paths"), paths);
	fact_list(p, STR("depends_on"), depends);
	fact_number(p, STR("depends_count"), c->depends_count);
	fact_list(p, STR("needed_by"), dependants);
	fact_number(p, STR("needed_by_count"), c->dependants_count);
	fact(p, STR("acceptance"), contract_acceptance(&v, p->mem));
	fact(p, STR("check"), contract_check(&v, p->mem));
	fact(p, STR("context"), plan_context(plan, node, p->mem));
}

static void
explanation_facts(struct printer *p, uint32_t node)
{
	struct explanation ex;

	explain_node(p->s, node, CAUSES_MAX, p->mem, &ex);
	name_put(p, STR("explain"));
	if (p->w != NULL)
		explain_json(p->w, p->s, &ex);
	else
		explain_text(p->out, p->s, &ex);
}

static void
node_facts(struct printer *p, uint32_t node)
{
	const struct state *s = p->s;
	const struct node_state *n = &s->nodes[node];
	struct strs attempts = list_new(p, n->attempts);
	struct strs gates = list_new(p, n->gates);
	struct str id = plan_id(s->plan, node);
	uint32_t count;
	const uint8_t *past = state_history(s, node, p->mem, &count);
	struct strs history = list_new(p, count);

	for (uint32_t i = 1; i <= n->attempts; i++)
		list_push(&attempts,
			arena_format(p->mem, STR_FMT "@%u", STR_ARG(id), i));
	for (uint32_t i = 1; i <= n->gates; i++)
		list_push(&gates,
			arena_format(p->mem, STR_FMT "!%u", STR_ARG(id), i));
	for (uint32_t i = 0; i < count; i++)
		list_push(&history, node_status_word(past[i]));
	fact(p, STR("title"), plan_title(s->plan, node));
	fact(p, STR("status"), node_status_word(n->status));
	fact(p, STR("blocked"),
		n->block == BLOCK_NONE ? STR("") : block_reason_word(n->block));
	fact(p, STR("blocked_by"), state_block_message(s, node));
	fact(p, STR("grade"), grade_word(n->grade));
	fact_list(p, STR("history"), history);
	fact_list(p, STR("attempts"), attempts);
	fact_list(p, STR("gates"), gates);
	contract_facts(p, node);
	explanation_facts(p, node);
}

static void
attempt_records(struct printer *p, uint32_t attempt)
{
	const struct state *s = p->s;
	const struct attempt *a = &s->attempts.items[attempt];
	struct strs checks = list_new(p, a->checks);
	struct strs cleanups = list_new(p, LIST_MAX);
	const struct cleanup *c;

	for (uint32_t i = 1; i <= a->checks && i <= LIST_MAX; i++) {
		list_push(&checks,
			arena_format(p->mem, STR_FMT "@%u#%u",
				STR_ARG(plan_id(s->plan, a->node)), a->number,
				i));
	}
	VEC_EACH (c, &s->cleanups) {
		if (c->attempt == attempt)
			list_push(&cleanups, c->id);
	}
	fact_list(p, STR("checks"), checks);
	fact_list(p, STR("cleanups"), cleanups);
}

static void
attempt_facts(struct printer *p, uint32_t attempt)
{
	const struct attempt *a = &p->s->attempts.items[attempt];
	const struct strs *command = state_command(p->s, attempt);
	struct str stage = { 0 };
	struct str at = { 0 };

	if (is_attempt_live(a))
		stage = stage_of(p->s, attempt, &at);
	fact(p, STR("node"), plan_id(p->s->plan, a->node));
	fact(p, STR("status"), attempt_status_word(a->status));
	fact(p, STR("stage"), stage);
	fact(p, STR("verdict"), verdict_word(a->verdict));
	fact(p, STR("cause"), a->cause);
	fact(p, STR("message"), a->message);
	fact(p, STR("hypothesis"), a->hypothesis);
	fact(p, STR("summary"), a->summary);
	fact(p, STR("placement"), placement_word(a->placement));
	fact(p, STR("base"), a->base);
	fact(p, STR("worktree"), a->worktree);
	fact(p, STR("agent"), state_agent(p->s, attempt));
	fact(p, STR("session"), a->session);
	fact_list(p, STR("usage"), a->usage);
	fact(p, STR("sandbox"), a->sandbox);
	fact_list(p, STR("not_enforced"), a->lacks);
	fact_list(p, STR("widened"), a->widened);
	fact(p, STR("note"), confined_hint(p->s, attempt));
	fact(p, STR("branch"), a->branch);
	fact(p, STR("tree_before"), a->before);
	fact(p, STR("tree_after"), a->after);
	fact(p, STR("commit"), a->commit);
	fact_bool(p, STR("unreconciled"), a->unreconciled);
	fact(p, STR("capsule_sha256"), a->capsule_sha256);
	fact(p, STR("report_sha256"), a->report_sha256);
	if (command != NULL)
		fact_list(p, STR("command"), *command);
	fact_number(p, STR("deadline_ms"), a->deadline_ms);
	fact_number(p, STR("seq_reserved"), a->seq_reserved);
	fact_number(p, STR("seq_ended"), a->seq_ended);
	fact(p, STR("started_at"), a->at_started);
	fact(p, STR("ended_at"), a->at_ended);
	fact_number(p, STR("monitor_pid"), a->monitor.pid);
	fact(p, STR("monitor_machine"), a->monitor.machine);
	attempt_records(p, attempt);
}

static void
check_facts(struct printer *p, uint32_t check)
{
	const struct check *c = &p->s->checks.items[check];

	fact(p, STR("attempt"), state_attempt_id(p->s, c->attempt, p->mem));
	fact(p, STR("verdict"),
		c->verdict == VERDICT_NONE ? STR("running")
					   : verdict_word(c->verdict));
	fact(p, STR("ended"), c->ended);
	fact(p, STR("tail"), c->tail);
	fact_number(p, STR("duration_ms"), c->duration_ms);
	fact(p, STR("tree"), c->tree);
	fact_list(p, STR("flagged"), c->flagged);
	fact(p, STR("sandbox"), c->sandbox);
	fact_list(p, STR("not_enforced"), c->lacks);
	fact(p, STR("note"), confined_check_hint(p->s, check));
	fact_number(p, STR("monitor_pid"), c->monitor.pid);
}

static void
gate_facts(struct printer *p, uint32_t gate)
{
	const struct gate *g = &p->s->gates.items[gate];
	struct str command = { 0 };

	if (g->status == GATE_OPEN && !is_run_closed(p->s)) {
		command = arena_format(p->mem,
			"pawl approve " STR_FMT "/" STR_FMT,
			STR_ARG(p->s->run.run),
			STR_ARG(state_gate_id(p->s, gate, p->mem)));
	}
	fact(p, STR("node"), plan_id(p->s->plan, g->node));
	fact(p, STR("status"), gate_status_word(g->status));
	fact(p, STR("reason"), g->reason);
	fact(p, STR("title"), plan_title(p->s->plan, g->node));
	fact(p, STR("contract_sha256"), g->contract_sha256);
	fact(p, STR("scope_sha256"), g->scope_sha256);
	fact(p, STR("command"), command);
	fact(p, STR("by"), g->by);
	fact(p, STR("at"), g->at);
	fact(p, STR("assurance"), g->assurance);
	fact(p, STR("policy"), g->policy);
	fact(p, STR("why"), g->why);
}

static void
ask_facts(struct printer *p, uint32_t ask)
{
	const struct ask *q = &p->s->asks.items[ask];
	struct str attempt = { 0 }, command = { 0 };

	if (q->attempt_1 != 0)
		attempt = state_attempt_id(p->s, q->attempt_1 - 1, p->mem);
	if (q->status == ASK_OPEN && !is_run_closed(p->s))
		command = cause_question(p->s, ask, p->mem).command;
	fact(p, STR("node"), plan_id(p->s->plan, q->node));
	fact(p, STR("attempt"), attempt);
	fact(p, STR("kind"), ask_kind_word(q->kind));
	fact(p, STR("status"), ask_status_word(q->status));
	fact(p, STR("prompt"), q->prompt);
	fact(p, STR("asked_by"), q->by);
	fact(p, STR("command"), command);
	fact(p, STR("answer"), q->answer);
	fact(p, STR("by"), q->answered_by);
	fact(p, STR("at"), q->at);
	fact(p, STR("assurance"), q->assurance);
}

static void
cleanup_facts(struct printer *p, uint32_t cleanup)
{
	const struct cleanup *c = &p->s->cleanups.items[cleanup];

	fact(p, STR("attempt"), state_attempt_id(p->s, c->attempt, p->mem));
	fact(p, STR("kind"), c->kind);
	fact(p, STR("target"), c->target);
	fact(p, STR("status"), cleanup_status_word(c->status));
	fact(p, STR("reason"), c->reason);
	fact(p, STR("registered_by"), c->by);
	fact(p, STR("settled_by"), c->settled_by);
	fact(p, STR("receipt_sha256"), c->receipt);
	if (c->owner.pid != 0)
		fact_number(p, STR("pid"), c->owner.pid);
}

static void
delegation_facts(struct printer *p, uint32_t delegation)
{
	const struct delegation *d = &p->s->delegations.items[delegation];
	struct str command = { 0 };

	if (is_delegation_open(d) && !is_run_closed(p->s))
		command = cause_delegation(p->s, delegation, p->mem).command;
	fact(p, STR("attempt"), state_attempt_id(p->s, d->attempt, p->mem));
	fact(p, STR("status"), delegation_status_word(d->status));
	fact(p, STR("purpose"), d->purpose);
	fact(p, STR("role"), d->role);
	fact_list(p, STR("paths"), d->paths);
	fact_list(p, STR("context_refs"), d->context_refs);
	fact_list(p, STR("capabilities"), d->capabilities);
	fact(p, STR("check"), d->check);
	fact(p, STR("asked_by"), d->by);
	fact(p, STR("command"), command);
	fact(p, STR("worker"), d->worker);
	fact(p, STR("cleanup"), d->cleanup);
	fact(p, STR("capsule_sha256"), d->capsule_sha256);
	fact(p, STR("report_sha256"), d->report_sha256);
	fact(p, STR("summary"), d->summary);
	fact_number(p, STR("files"), d->files);
	fact(p, STR("settled"), d->settled);
	fact(p, STR("reason"), d->reason);
	fact(p, STR("settled_by"), d->settled_by);
}

static struct str
detail_id(const struct state *s, const struct detail *d, struct arena *mem)
{
	switch (d->kind) {
	case DETAIL_NODE:
		return plan_id(s->plan, d->index);
	case DETAIL_ATTEMPT:
		return state_attempt_id(s, d->index, mem);
	case DETAIL_CHECK:
		return state_check_id(s, d->index, mem);
	case DETAIL_GATE:
		return state_gate_id(s, d->index, mem);
	case DETAIL_ASK:
		return state_ask_id(d->index, mem);
	case DETAIL_DELEGATION:
		return state_delegation_id(d->index, mem);
	case DETAIL_CLEANUP:
		break;
	}
	return s->cleanups.items[d->index].id;
}

typedef void facts_fn(struct printer *p, uint32_t index);

static const struct {
	const char *word;
	facts_fn *facts;
} details[] = {
	[DETAIL_NODE] = { "node", node_facts },
	[DETAIL_ATTEMPT] = { "attempt", attempt_facts },
	[DETAIL_CHECK] = { "check", check_facts },
	[DETAIL_GATE] = { "gate", gate_facts },
	[DETAIL_ASK] = { "question", ask_facts },
	[DETAIL_CLEANUP] = { "cleanup", cleanup_facts },
	[DETAIL_DELEGATION] = { "delegation", delegation_facts },
};

void
detail_text(struct buf *out, const struct state *s, const struct detail *detail)
{
	struct arena mem = ARENA_INIT;
	struct printer p = { .out = out, .s = s, .mem = &mem };

	fact(&p, str_from(details[detail->kind].word),
		detail_id(s, detail, &mem));
	details[detail->kind].facts(&p, detail->index);
	arena_reset(&mem);
}

void
detail_json(struct json_writer *w, const struct state *s,
	const struct detail *detail)
{
	struct arena mem = ARENA_INIT;
	struct printer p = { .w = w, .s = s, .mem = &mem };

	json_open(w, '{');
	json_pair_str(w, STR("type"), str_from(details[detail->kind].word));
	json_pair_str(w, STR("id"), detail_id(s, detail, &mem));
	details[detail->kind].facts(&p, detail->index);
	json_close(w, '}');
	arena_reset(&mem);
}

/* `node@n#k` */
static bool
check_find(const struct state *s, struct str id, uint32_t *ret_check)
{
	struct str rest = id;
	struct str attempt = str_cut(&rest, '#');
	const struct attempt *a;
	uint32_t at;

	if (!state_find_attempt(s, attempt, &at))
		return false;
	a = &s->attempts.items[at];
	for (uint32_t i = a->check_1 > a->red_1 ? a->check_1 : a->red_1;
		i-- > 0;) {
		const struct check *c = &s->checks.items[i];

		if (c->attempt == at &&
			is_numbered_id(id, attempt, '#', c->number)) {
			*ret_check = i;
			return true;
		}
	}
	return false;
}

/* One that has no sign in its id. */
static enum pawl_rc
named_find(const struct state *s, struct str typed, struct detail *ret_detail,
	struct pawl_err *err)
{
	static const struct {
		enum detail_kind kind;
		enum pawl_code code;
	} kinds[SUBJECT_KINDS] = {
		[SUBJECT_NODE] = { DETAIL_NODE, ERR_NODE_NOT_FOUND },
		[SUBJECT_QUESTION] = { DETAIL_ASK, ERR_QUESTION_NOT_FOUND },
		[SUBJECT_CLEANUP] = { DETAIL_CLEANUP, ERR_CLEANUP_NOT_FOUND },
		[SUBJECT_DELEGATION] = { DETAIL_DELEGATION,
			ERR_DELEGATION_NOT_FOUND },
	};
	struct subject sub = subject_of(typed);
	enum subject_kind kind = SUBJECT_NODE;
	uint32_t node, index;
	bool numbered = subject_find_numbered(s, &sub, &kind, &index);
	enum pawl_rc rc = PAWL_OK;

	if (numbered && sub.kind == SUBJECT_ANY &&
		plan_find(s->plan, sub.id, &node))
		return subject_ambiguous(sub.id, kind, err);
	if (!numbered && !subject_may_be(&sub, SUBJECT_NODE)) {
		return pawl_fail(err, kinds[sub.kind].code,
			"run '" STR_FMT "' has no " STR_FMT " '" STR_FMT "'",
			STR_ARG(s->run.run),
			STR_ARG(subject_kind_word(sub.kind)), STR_ARG(sub.id));
	}
	if (!numbered)
		rc = plan_find_prefix(s->plan, sub.id, &index, err);
	if (rc == PAWL_OK)
		*ret_detail = (struct detail){ kinds[kind].kind, index };
	return rc;
}

enum pawl_rc
detail_find(const struct state *s, struct str id, struct detail *ret_detail,
	struct pawl_err *err)
{
	struct detail d = { .kind = DETAIL_NODE };
	enum pawl_code code = ERR_ATTEMPT_NOT_FOUND;
	bool found;

	if (str_find(id, '#') < id.len) {
		d.kind = DETAIL_CHECK;
		found = check_find(s, id, &d.index);
	} else if (str_find(id, '@') < id.len) {
		d.kind = DETAIL_ATTEMPT;
		found = state_find_attempt(s, id, &d.index);
	} else if (str_find(id, '!') < id.len) {
		d.kind = DETAIL_GATE;
		code = ERR_GATE_NOT_FOUND;
		found = state_find_gate(s, id, &d.index);
	} else {
		return named_find(s, id, ret_detail, err);
	}
	if (!found)
		return pawl_fail(err, code,
			"run '" STR_FMT "' has no %s '" STR_FMT "'",
			STR_ARG(s->run.run), details[d.kind].word, STR_ARG(id));
	*ret_detail = d;
	return PAWL_OK;
}
