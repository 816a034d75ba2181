#include "model/fold.h"

#include "base/bounds.h"
#include "model/contract.h"
#include "text/utf8.h"

static struct attempt *
attempt_of(struct fold *f)
{
	return &f->s->attempts.items[f->attempt];
}

void
fold_attempt_end(struct fold *f, enum attempt_status status)
{
	struct attempt *a = attempt_of(f);
	struct state *s = f->s;

	assert(is_attempt_live(a));
	fold_scopes_hold(f, false);
	a->status = (uint8_t)status;
	a->seq_ended = f->line->seq;
	a->at_ended = fold_keep(f, f->line->at);
	fold_asks_end(f);
	fold_delegations_end(f);
	s->live_attempts--;
	if (s->plan->nodes[a->node].mode == MODE_WRITE)
		s->live_writers--;
	if (a->placement == PLACEMENT_IN_PLACE)
		s->live_in_place--;
	/* What was found in work that is given up stands in no way any more. */
	if (status != ATTEMPT_SETTLED)
		s->findings_blocking -= a->blocking;
}

/* Equal but for digits: a time, a number or an address in it is no cause. */
static bool
is_same_cause(struct str a, struct str b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < a.len && a.ptr[i] >= '0' && a.ptr[i] <= '9')
			i++;
		while (k < b.len && b.ptr[k] >= '0' && b.ptr[k] <= '9')
			k++;
		if (i == a.len || k == b.len)
			return i == a.len && k == b.len;
		if (a.ptr[i++] != b.ptr[k++])
			return false;
	}
}

/* Ends without a verdict that share a cause, one after the other. */
static void
breaker_note(struct fold *f)
{
	struct breaker *b = &f->s->breaker;
	uint32_t row = b->row + 1;
	uint32_t probes = b->probes + is_breaker_open(f->s);

	if (!is_same_cause(b->cause, f->e->cause))
		*b = (struct breaker){ .cause = fold_keep(f, f->e->cause),
			.last_node = f->node };
	b->row = row;
	b->probes = probes;
	if (b->last_node != f->node)
		b->several = true;
	b->last_node = f->node;
	b->count++;
}

/* Mostly that of the attempt before it: then it is kept once. */
static struct str
driver_of(struct fold *f)
{
	const struct attempts *all = &f->s->attempts;

	if (all->count > 0 &&
		str_eq(all->items[all->count - 1].driver, f->e->driver))
		return all->items[all->count - 1].driver;
	return fold_keep(f, f->e->driver);
}

static struct str
profile_of(struct fold *f)
{
	return str_eq(f->s->run.profile, f->e->profile)
		? f->s->run.profile
		: fold_keep(f, f->e->profile);
}

enum pawl_rc
fold_attempt_reserved(struct fold *f)
{
	const struct event *e = f->e;
	struct state *s = f->s;
	struct node_state *n = &s->nodes[f->node];
	struct attempt a = { .node = f->node, .number = n->attempts + 1u };
	struct contract_view v = contract_of(s, f->node);

	if (n->status != NODE_READY || state_live(s, f->node) != NULL)
		return fold_impossible(f, "the node isn't READY");
	if (n->attempts == UINT16_MAX)
		return fold_impossible(f, "too many attempts");
	if (!is_numbered_id(e->attempt, e->node, '@', a.number))
		return fold_impossible(f, "the attempt's id is out of order");
	a.placement = str_eq(e->placement, STR("worktree"))
		? PLACEMENT_WORKTREE
		: PLACEMENT_IN_PLACE;
	a.base = fold_keep(f, e->base);
	a.worktree = fold_keep(f, e->worktree);
	a.branch = fold_keep(f, e->branch);
	a.before = fold_keep(f, e->tree);
	a.hypothesis = fold_keep(f, e->hypothesis);
	a.driver = driver_of(f);
	a.profile = profile_of(f);
	a.worker = fold_keep(f, e->worker);
	a.capsule_sha256 = fold_keep(f, e->capsule_sha256);
	a.deadline_ms = e->deadline_ms;
	a.seq_reserved = f->line->seq;
	a.revision = (uint32_t)e->revision;
	/* A repair goes on with the work, and so with the scope of it. */
	if (v.scope != NULL)
		a.scope = *v.scope;
	n->grade = GRADE_NONE;
	n->attempts++;
	attempts_push(&s->attempts, a);
	f->attempt = (uint32_t)s->attempts.count - 1;
	if (e->argv.count > 0)
		attempt_commands_push(&s->commands,
			(struct attempt_command){ .attempt = f->attempt,
				.argv = fold_keep_list(f, e->argv) });
	n->attempt_1 = f->attempt + 1;
	s->live_attempts++;
	if (s->plan->nodes[f->node].mode == MODE_WRITE)
		s->live_writers++;
	if (a.placement == PLACEMENT_IN_PLACE)
		s->live_in_place++;
	rankset_remove(&s->ready, s->rank_of[f->node]);
	fold_scopes_hold(f, true);
	fold_decision_consumed(f);
	return PAWL_OK;
}

enum pawl_rc
fold_attempt_started(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (a->status != ATTEMPT_RESERVED)
		return fold_impossible(f, "the attempt isn't reserved");
	a->status = ATTEMPT_STARTED;
	a->monitor = fold_keep_owner(f);
	a->refs = fold_keep(f, f->e->refs);
	a->dev = f->e->dev;
	a->ino = f->e->ino;
	a->at_started = fold_keep(f, f->line->at);
	a->sandbox = fold_keep(f, f->e->sandbox);
	a->lacks = fold_keep_list(f, f->e->lacks);
	a->widened = fold_keep_list(f, f->e->widened);
	if (f->s->plan->nodes[f->node].mode == MODE_WRITE ||
		a->placement == PLACEMENT_WORKTREE) {
		a->unreconciled = true;
		f->s->unreconciled++;
	}
	return fold_step(f, f->node, NODE_RUNNING);
}

enum pawl_rc
fold_attempt_start_failed(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	struct node_state *n = &f->s->nodes[f->node];
	bool probe = is_breaker_open(f->s);

	if (a->status != ATTEMPT_RESERVED)
		return fold_impossible(f, "the attempt isn't reserved");
	a->cause = fold_keep(f, f->e->cause);
	a->message = fold_keep(f, f->e->message);
	fold_attempt_end(f, ATTEMPT_START_FAILED);
	if (str_eq(f->e->cause, CAUSE_COORDINATOR_STOPPED)) {
		rankset_add(&f->s->ready, f->s->rank_of[f->node]);
		return PAWL_OK;
	}
	breaker_note(f);
	if (!probe && ++n->start_failures >= BOUND_ENDS_WITHOUT_VERDICT)
		return fold_block(f, f->node, BLOCK_ENVIRONMENT,
			a->message.len > 0 ? a->message : a->cause);
	rankset_add(&f->s->ready, f->s->rank_of[f->node]);
	return PAWL_OK;
}

void
fold_reconciled(struct state *s, struct attempt *a)
{
	if (a->unreconciled) {
		a->unreconciled = false;
		s->unreconciled--;
	}
}

/* From here on nothing makes it pass, whenever its end is recorded. */
enum pawl_rc
fold_scope_violated(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	const struct event *e = f->e;
	enum breach breach;

	if (a->status == ATTEMPT_RESERVED || !is_attempt_live(a))
		return fold_impossible(f, "the attempt isn't running");
	if (!breach_from(e->reason, &breach))
		return fold_impossible(f, "its reason is unknown");
	a->cause = arena_format(&f->s->mem,
		"auto: scope: " STR_FMT " %s (%llu path%s)",
		STR_ARG(e->paths.count > 0 ? utf8_cut(e->paths.items[0], 200)
					   : STR("a path")),
		breach_phrase(breach), (unsigned long long)e->path_count,
		e->path_count == 1 ? "" : "s");
	return PAWL_OK;
}

/* What an agent's program said of itself. */
static void
keep_said(struct fold *f, struct attempt *a)
{
	a->session = fold_keep(f, f->e->session);
	a->usage = fold_keep_list(f, f->e->usage);
}

enum pawl_rc
fold_attempt_reported(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (a->status != ATTEMPT_STARTED)
		return fold_impossible(f, "the attempt isn't started");
	a->status = ATTEMPT_REPORTED;
	keep_said(f, a);
	a->at_reported = fold_keep(f, f->line->at);
	a->report_sha256 = fold_keep(f, f->e->report_sha256);
	a->summary = fold_keep(f, f->e->summary);
	a->handed_in = !f->e->synthesized;
	a->after = fold_keep(f, f->e->tree);
	if (f->e->synthesized && f->e->file_count == 0 &&
		f->s->plan->nodes[f->node].mode == MODE_WRITE)
		a->cause = STR("auto: the worker changed nothing and gave no"
			       " report");
	f->s->breaker = (struct breaker){ 0 };
	return PAWL_OK;
}

static bool
is_input_required(const struct fold *f)
{
	return f->e->type == EV_ATTEMPT_INTERRUPTED &&
		str_eq(f->e->cause, CAUSE_INPUT_REQUIRED);
}

/* Shared by `interrupted` and `lost`: an end without a verdict. */
static enum pawl_rc
ended_without_verdict(struct fold *f, enum attempt_status status)
{
	struct attempt *a = attempt_of(f);
	struct node_state *n = &f->s->nodes[f->node];
	bool probe = is_breaker_open(f->s);

	if (a->status == ATTEMPT_RESERVED || !is_attempt_live(a) ||
		a->status == ATTEMPT_INTEGRATED)
		return fold_impossible(f, "the attempt isn't running");
	if (is_input_required(f) && n->questions == 0)
		return fold_impossible(f, "no question of it is open");
	keep_said(f, a);
	a->cause = fold_keep(f, f->e->cause);
	a->message = fold_keep(f, f->e->message);
	fold_attempt_end(f, status);
	if (is_input_required(f))
		return fold_step(f, f->node, NODE_NEEDS_APPROVAL);
	if (str_eq(f->e->cause, CAUSE_COORDINATOR_STOPPED))
		return fold_step(f, f->node, NODE_READY);
	breaker_note(f);
	/* A probe tells of the surroundings, not of the node that it is of. */
	if (probe)
		return fold_step(f, f->node, NODE_READY);
	if (event_has(f->e, F_START_FAILED)) {
		if (++n->start_failures >= BOUND_ENDS_WITHOUT_VERDICT)
			return fold_block(
				f, f->node, BLOCK_ENVIRONMENT, a->cause);
	} else if (++n->ends >= BOUND_ENDS_WITHOUT_VERDICT) {
		return fold_step(f, f->node, NODE_FAILED);
	}
	return fold_step(f, f->node, NODE_READY);
}

enum pawl_rc
fold_attempt_interrupted(struct fold *f)
{
	return ended_without_verdict(f,
		str_eq(f->e->cause, CAUSE_WORKSPACE_LOST)
			? ATTEMPT_WORKSPACE_LOST
			: ATTEMPT_INTERRUPTED);
}

enum pawl_rc
fold_attempt_lost(struct fold *f)
{
	return ended_without_verdict(f, ATTEMPT_LOST);
}

/* Its slot is closed with it: no other result of this attempt counts. */
enum pawl_rc
fold_result_quarantined(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (a->status != ATTEMPT_STARTED)
		return fold_impossible(f, "the attempt isn't started");
	a->quarantined_sha256 = fold_keep(f, f->e->artifact);
	a->quarantine_key = fold_keep(f, f->e->key);
	return ended_without_verdict(f, ATTEMPT_QUARANTINED);
}

/* Given up by decision: it says nothing about node or surroundings. */
enum pawl_rc
fold_attempt_abandoned(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	bool reserved = a->status == ATTEMPT_RESERVED;

	if (!is_attempt_live(a) || a->status == ATTEMPT_INTEGRATED)
		return fold_impossible(f, "there is nothing to give up");
	if (state_running_check(f->s, a) != NULL)
		return fold_impossible(f, "a check of the attempt runs");
	a->cause = fold_keep(f, f->e->reason);
	fold_attempt_end(f, ATTEMPT_ABANDONED);
	if (reserved)
		rankset_add(&f->s->ready, f->s->rank_of[f->node]);
	else if (f->s->nodes[f->node].status == NODE_RUNNING)
		return fold_step(f, f->node, NODE_READY);
	return PAWL_OK;
}

/* A result that came too late, kept as evidence: it changes nothing. */
enum pawl_rc
fold_result_kept(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (is_attempt_live(a))
		return fold_impossible(f, "the attempt hasn't ended");
	a->kept_sha256 = fold_keep(f, f->e->artifact);
	return PAWL_OK;
}

/* The paths that a person must look at, the first ones by name. */
static struct str
left_words(struct fold *f)
{
	const struct strs *left = &f->e->left;
	struct buf text = { 0 };
	struct str words;

	for (uint32_t i = 0; i < left->count && i < 4; i++)
		buf_addf(&text, "%s" STR_FMT, i > 0 ? ", " : "",
			STR_ARG(utf8_cut(left->items[i], 200)));
	if (left->count > 4)
		buf_addf(&text, " and %u more", left->count - 4);
	words = arena_copy(&f->s->mem, buf_str(&text));
	buf_release(&text);
	return words;
}

enum pawl_rc
fold_workspace_reconciled(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (is_attempt_live(a) || !a->unreconciled)
		return fold_impossible(f, "its workspace isn't in question");
	fold_reconciled(f->s, a);
	if (f->e->left.count > 0 && f->s->nodes[f->node].status == NODE_READY)
		return fold_block(f, f->node, BLOCK_WORKSPACE, left_words(f));
	return PAWL_OK;
}

enum pawl_rc
fold_check_started(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	struct check c = { .attempt = f->attempt };

	if (a->status != ATTEMPT_REPORTED && a->status != ATTEMPT_CHECKED)
		return fold_impossible(f, "the attempt hasn't reported");
	if (a->cause.len > 0)
		return fold_impossible(f, "the attempt is refused already");
	if (state_running_check(f->s, a) != NULL)
		return fold_impossible(
			f, "a check of the attempt runs already");
	c.number = ++a->checks;
	c.red = f->e->red;
	if (c.red != is_red_wanted(f->s, f->node))
		return fold_impossible(
			f, "the check on the base comes before the others");
	if (!is_numbered_id(f->e->check, f->e->attempt, '#', c.number))
		return fold_impossible(f, "the check's id is out of order");
	c.monitor = fold_keep_owner(f);
	c.tree = fold_keep(f, f->e->tree);
	c.sandbox = fold_keep(f, f->e->sandbox);
	c.lacks = fold_keep_list(f, f->e->lacks);
	checks_push(&f->s->checks, c);
	if (c.red) {
		a->red_1 = (uint32_t)f->s->checks.count;
		return PAWL_OK;
	}
	a->check_1 = (uint32_t)f->s->checks.count;
	a->verdict = VERDICT_NONE;
	a->status = ATTEMPT_REPORTED;
	return PAWL_OK;
}

struct str
fold_ended_words(struct fold *f)
{
	const struct event *e = f->e;
	struct arena *mem = &f->s->mem;

	if (event_has(e, F_START_FAILED))
		return arena_format(mem, "start failed: " STR_FMT,
			STR_ARG(e->start_failed));
	if (event_has(e, F_TIMEOUT) && e->timeout)
		return STR("timeout");
	if (event_has(e, F_SIGNAL))
		return arena_format(
			mem, "signal %llu", (unsigned long long)e->signal);
	if (event_has(e, F_EXIT) && e->exit == 0 && e->survivors > 0)
		return arena_format(mem, "exit 0, %llu left behind",
			(unsigned long long)e->survivors);
	if (event_has(e, F_EXIT) && e->exit == 0)
		return STR("exit 0");
	if (event_has(e, F_EXIT))
		return arena_format(
			mem, "exit %llu", (unsigned long long)e->exit);
	return (struct str){ "", 0 };
}

/* A check that passes where nothing was done yet shows nothing. */
static void
red_recorded(struct fold *f, const struct check *c)
{
	struct attempt *a = attempt_of(f);

	if (c->verdict == VERDICT_VOID)
		return;
	f->s->nodes[f->node].red = c->verdict;
	if (c->verdict == VERDICT_PASS)
		a->cause = RED_PASSED;
}

enum pawl_rc
fold_check_recorded(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	struct check *c = NULL;

	if (a->status == ATTEMPT_REPORTED && a->red_1 != 0)
		c = &f->s->checks.items[a->red_1 - 1];
	if (a->status == ATTEMPT_REPORTED && a->check_1 != 0 &&
		(c == NULL || c->verdict != VERDICT_NONE))
		c = &f->s->checks.items[a->check_1 - 1];
	if (c == NULL)
		return fold_impossible(f, "no check of the attempt runs");
	if (c->verdict != VERDICT_NONE)
		return fold_impossible(f, "the check was recorded already");
	if (!is_numbered_id(f->e->check, f->e->attempt, '#', c->number))
		return fold_impossible(f, "another check of the attempt runs");
	if (str_eq(f->e->verdict, STR("pass")))
		c->verdict = VERDICT_PASS;
	else if (str_eq(f->e->verdict, STR("fail")))
		c->verdict = VERDICT_FAIL;
	else if (str_eq(f->e->verdict, STR("void")))
		c->verdict = VERDICT_VOID;
	else
		return fold_impossible(f, "the verdict is no verdict");
	c->tail = fold_keep(f, f->e->tail);
	c->duration_ms = f->e->duration_ms;
	c->ended = fold_ended_words(f);
	c->flagged = fold_keep_list(f, f->e->flagged);
	c->seq = f->line->seq;
	if (c->verdict == VERDICT_VOID &&
		!str_eq(f->e->reason, CAUSE_COORDINATOR_STOPPED))
		a->voids++;
	if (c->red) {
		red_recorded(f, c);
		return PAWL_OK;
	}
	a->verdict = c->verdict;
	if (c->verdict == VERDICT_PASS) {
		a->status = ATTEMPT_CHECKED;
		a->at_checked = fold_keep(f, f->line->at);
	}
	return PAWL_OK;
}

enum pawl_rc
fold_integrated(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (a->status != ATTEMPT_CHECKED)
		return fold_impossible(f, "the attempt's check hasn't passed");
	if (a->cause.len > 0 || a->blocking > 0)
		return fold_impossible(f, "something stands against it");
	a->status = ATTEMPT_INTEGRATED;
	a->commit = fold_keep(f, f->e->commit);
	f->s->tip = a->commit;
	return PAWL_OK;
}

enum pawl_rc
fold_integration_failed(struct fold *f)
{
	struct attempt *a = attempt_of(f);

	if (a->status != ATTEMPT_CHECKED && a->status != ATTEMPT_REPORTED)
		return fold_impossible(f, "the attempt hasn't reported");
	if (state_running_check(f->s, a) != NULL)
		return fold_impossible(f, "a check of the attempt runs");
	a->cause = fold_keep(f, f->e->reason);
	fold_reconciled(f->s, a);
	fold_attempt_end(f, ATTEMPT_INTEGRATION_FAILED);
	return fold_block(f, f->node, BLOCK_INTEGRATION, a->cause);
}

/* PASSED needs a passing check of the last attempt, and integration. */
static enum pawl_rc
graded_pass(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	bool writes = f->s->plan->nodes[f->node].mode == MODE_WRITE;

	if (a->verdict != VERDICT_PASS ||
		(a->status != ATTEMPT_CHECKED &&
			a->status != ATTEMPT_INTEGRATED))
		return fold_impossible(
			f, "no passing check of the last attempt");
	if (writes && a->placement == PLACEMENT_WORKTREE &&
		a->status != ATTEMPT_INTEGRATED)
		return fold_impossible(f, "the attempt isn't integrated");
	if (a->cause.len > 0)
		return fold_impossible(f, "the attempt is refused already");
	if (f->s->nodes[f->node].questions > 0)
		return fold_impossible(f, "a question of it is open");
	if (f->s->plan->nodes[f->node].red &&
		f->s->nodes[f->node].red != VERDICT_FAIL)
		return fold_impossible(
			f, "its check wasn't seen to fail on the base");
	if (a->blocking > 0)
		return fold_impossible(f, "a finding blocks the attempt");
	fold_reconciled(f->s, a);
	fold_attempt_end(f, ATTEMPT_SETTLED);
	return fold_passed(f, f->node);
}

enum pawl_rc
fold_node_graded(struct fold *f)
{
	struct attempt *a = attempt_of(f);
	struct node_state *n = &f->s->nodes[f->node];
	struct str grade = f->e->grade;

	if (!is_attempt_live(a) || n->status != NODE_RUNNING)
		return fold_impossible(f, "the attempt isn't running");
	if (str_eq(grade, STR("pass"))) {
		n->grade = GRADE_PASS;
		return graded_pass(f);
	}
	a->cause = fold_keep(f, f->e->reason);
	if (str_eq(grade, STR("fail"))) {
		n->grade = GRADE_FAIL;
		a->fresh = true;
		fold_reconciled(f->s, a);
		fold_attempt_end(f, ATTEMPT_REJECTED);
		return fold_step(f, f->node, NODE_FAILED);
	}
	if (str_eq(grade, STR("blocked"))) {
		n->grade = GRADE_BLOCKED;
		fold_reconciled(f->s, a);
		fold_attempt_end(f, ATTEMPT_ABANDONED);
		return fold_block(f, f->node, block_reason_from(f->e->reason),
			f->e->reason);
	}
	if (str_eq(grade, STR("unobserved"))) {
		n->grade = GRADE_UNOBSERVED;
		f->s->unobserved++;
		fold_reconciled(f->s, a);
		fold_attempt_end(f, ATTEMPT_SETTLED);
		return PAWL_OK;
	}
	return fold_impossible(f, "the grade is no grade");
}
