#include "engine/rework.h"

#include "engine/inquiry.h"
#include "engine/landing.h"
#include "engine/plumb.h"
#include "engine/worker.h"
#include "model/contract.h"
#include "model/spelling.h"

/*
 * What a key stands for is what was asked for, in the caller's words: not the
 * number that it got, nor what the node has come to since.  `*ret_again`: the
 * key has done it before.
 */
static enum pawl_rc
asked(struct rework *w, const struct str *words, size_t count, struct strs more,
	bool *ret_again, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct json_writer json = { .out = &text };

	json_open(&json, '[');
	for (size_t i = 0; i < count; i++)
		json_put_str(&json, words[i]);
	for (uint32_t i = 0; i < more.count; i++)
		json_put_str(&json, more.items[i]);
	json_close(&json, ']');
	w->act.request = arena_copy(&w->run->mem, buf_str(&text));
	buf_release(&text);
	return act_look(w->run, &w->act, ret_again, err);
}
#define WORDS(list) (list), sizeof(list) / sizeof((list)[0])

/* As the next line after those that it was made from. */
static enum pawl_rc
say(const struct rework *w, const struct command *cmd, bool *ret_again,
	struct pawl_err *err)
{
	struct act act = w->act;

	act.seen = w->run->state.seq;
	return act_commit(w->run, cmd, &act, ret_again, err);
}

/*
 * Between the yes and the line, keep the work of `attempt` on its branch and
 * remove its worktree.
 */
static enum pawl_rc
give_up_and_say(const struct rework *w, uint32_t attempt,
	const struct command *cmd, bool *ret_again, struct pawl_err *err)
{
	struct plumb_hold hold = PLUMB_HOLD_NONE;
	struct pilot p = { 0 };
	enum pawl_rc rc = decide(&w->run->state, cmd, err);

	if (rc == PAWL_OK && w->act.dry_run)
		return act_commit(w->run, cmd, &w->act, ret_again, err);
	if (rc == PAWL_OK)
		rc = plumb_open(&p, w->run, w->repo, w->config, err);
	if (rc != PAWL_OK)
		return rc;
	rc = plumb_hold(&p, attempt, &hold, err);
	if (rc == PAWL_OK)
		rc = decide(&w->run->state, cmd, err);
	if (rc == PAWL_OK)
		rc = landing_give_up(&p, attempt, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(&p, err);
	if (rc == PAWL_OK)
		rc = say(w, cmd, ret_again, err);
	plumb_let_go(&p, &hold);
	plumb_close(&p);
	return rc;
}

/* It was said before: answered only once it is on the disk. */
static enum pawl_rc
said_before(const struct rework *w, struct rework_answer answer,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	enum pawl_rc rc = act_sync(w->run, &w->act, err);

	if (rc != PAWL_OK)
		return rc;
	answer.again = true;
	*ret_answer = answer;
	return PAWL_OK;
}

/* The last finding of the node with this content; and this id, when given. */
static bool
finding_again(const struct state *s, uint32_t node, struct str sha256,
	struct str id, uint32_t *ret_index)
{
	for (size_t i = s->findings.count; i-- > 0;) {
		const struct rework_finding *f = &s->findings.items[i];

		if (s->attempts.items[f->attempt].node != node ||
			!str_eq(f->sha256, sha256) ||
			(id.len > 0 && !str_eq(f->id, id)))
			continue;
		*ret_index = (uint32_t)i;
		return true;
	}
	return false;
}

static enum pawl_rc
register_once(const struct rework *work, uint32_t node,
	const struct finding_doc *doc, struct str id,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	struct rework w = *work;
	struct run *r = w.run;
	uint32_t attempt_1 = r->state.nodes[node].attempt_1;
	struct rework_answer answer = { 0 };
	struct str words[] = { STR("finding"), plan_id(&r->plan, node), id,
		{ "", 0 } };
	struct command cmd;
	bool found;
	enum pawl_rc rc;
	uint32_t at;

	if (attempt_1 == 0) {
		return pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
			"'" STR_FMT "' has had no attempt",
			STR_ARG(plan_id(&r->plan, node)));
	}
	cmd = run_command(r, EV_FINDING_RECORDED, plan_id(&r->plan, node),
		state_attempt_id(&r->state, attempt_1 - 1, &r->mem));
	finding_doc_set(&cmd.event, doc, &r->mem);
	words[3] = cmd.event.finding_sha256;
	rc = asked(&w, WORDS(words), (struct strs){ 0 }, &answer.again, err);
	if (rc != PAWL_OK)
		return rc;
	found = finding_again(
		&r->state, node, cmd.event.finding_sha256, id, &at);
	if (found &&
		(answer.again ||
			r->state.findings.items[at].attempt + 1 == attempt_1)) {
		answer.id = r->state.findings.items[at].id;
		return said_before(&w, answer, ret_answer, err);
	}
	answer.id = id.len > 0 ? id : state_next_finding(&r->state, &r->mem);
	EVENT_SET(&cmd.event, F_FINDING, finding, answer.id);
	rc = say(&w, &cmd, &answer.again, err);
	if (rc == PAWL_OK)
		*ret_answer = answer;
	return rc;
}

enum pawl_rc
rework_register(const struct rework *work, uint32_t node,
	const struct finding_doc *doc, struct str id,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	enum pawl_rc rc;

	do
		rc = register_once(work, node, doc, id, ret_answer, err);
	while (act_is_outrun(rc, err));
	return rc;
}

/* The check that failed, or what the report showed before any. */
static struct str
reason_of(const struct attempt *a, const struct rework_rejection *rejection)
{
	if (rejection->findings.count > 0)
		return REJECTED_BY_AUDIT;
	return a->cause.len > 0 && a->verdict != VERDICT_FAIL
		? REJECTED_BY_REPORT
		: REJECTED_BY_CHECK;
}

static enum pawl_rc
reject_once(const struct rework *work, uint32_t attempt,
	const struct rework_rejection *rejection,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	struct rework w = *work;
	struct run *r = w.run;
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct str hypothesis =
		hypothesis_canonical(rejection->hypothesis, &r->mem);
	struct rework_answer answer = { 0 };
	struct command cmd =
		run_command(r, EV_ATTEMPT_REJECTED, plan_id(&r->plan, a->node),
			state_attempt_id(&r->state, attempt, &r->mem));
	struct event *e = &cmd.event;
	bool worktree = a->placement == PLACEMENT_WORKTREE;
	const struct str words[] = { STR("reject"),
		rejection->findings.count > 0 ? e->attempt : e->node,
		hypothesis, rejection->fresh ? STR("fresh") : STR("kept") };
	uint32_t earlier;
	enum pawl_rc rc = asked(
		&w, WORDS(words), rejection->findings, &answer.again, err);

	if (rc != PAWL_OK)
		return rc;
	if (answer.again ||
		(state_find_hypothesis(
			 &r->state, a->node, hypothesis, &earlier) &&
			earlier == attempt))
		return said_before(&w, answer, ret_answer, err);
	/* What lies there may be anybody's: the base isn't put over it. */
	if (rejection->fresh && !worktree) {
		(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' works in place and goes on with what is"
			" there",
			STR_ARG(e->attempt));
		err->field = STR("fresh");
		return pawl_hint(err,
			"undo it in the scope of '" STR_FMT
			"' by hand, and leave --fresh out",
			STR_ARG(e->node));
	}
	EVENT_SET(e, F_REASON, reason, reason_of(a, rejection));
	if (a->check_1 != 0)
		EVENT_SET(e, F_CHECK, check,
			state_check_id(&r->state, a->check_1 - 1, &r->mem));
	EVENT_SET(e, F_HYPOTHESIS, hypothesis, hypothesis);
	if (rejection->findings.count > 0)
		EVENT_SET(e, F_FINDINGS, findings, rejection->findings);
	if (rejection->fresh)
		EVENT_SET(e, F_FRESH, fresh, true);
	rc = rejection->fresh || !has_repair_left(&r->state, a->node)
		? give_up_and_say(&w, attempt, &cmd, &answer.again, err)
		: say(&w, &cmd, &answer.again, err);
	if (rc == PAWL_OK)
		*ret_answer = answer;
	return rc;
}

enum pawl_rc
rework_reject(const struct rework *work, uint32_t attempt,
	const struct rework_rejection *rejection,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	enum pawl_rc rc;

	do
		rc = reject_once(work, attempt, rejection, ret_answer, err);
	while (act_is_outrun(rc, err));
	return rc;
}

/*
 * The node's last decision, or any, says just that; and has the id, if given.
 * What was asked and answered before may be asked once more.
 */
static bool
decision_again(const struct state *s, uint32_t node,
	const struct rework_choice *choice, bool any, uint32_t *ret_index)
{
	for (size_t i = s->decisions.count; i-- > 0;) {
		const struct rework_decision *d = &s->decisions.items[i];
		bool is;

		if (d->node != node ||
			(choice->id.len > 0 && !str_eq(d->id, choice->id)))
			continue;
		*ret_index = (uint32_t)i;
		is = d->action == choice->action &&
			str_eq(d->note, choice->note) &&
			(any || choice->id.len > 0 || d->ask_1 == 0 ||
				d->attempt_1 == 0);
		if (is || !any)
			return is;
	}
	return false;
}

static enum pawl_rc
decide_once(const struct rework *work, uint32_t node,
	const struct rework_choice *choice, struct rework_answer *ret_answer,
	struct pawl_err *err)
{
	struct rework w = *work;
	struct run *r = w.run;
	struct rework_answer answer = { .id = choice->id };
	struct command cmd = run_command(r, EV_DECISION_RECORDED,
		plan_id(&r->plan, node), (struct str){ "", 0 });
	const struct str words[] = { STR("decide"), cmd.event.node, choice->id,
		rework_action_word(choice->action), choice->note };
	bool blocks = choice->action == REWORK_BLOCK;
	uint32_t at;
	enum pawl_rc rc =
		asked(&w, WORDS(words), (struct strs){ 0 }, &answer.again, err);

	if (rc != PAWL_OK)
		return rc;
	if (decision_again(&r->state, node, choice, answer.again, &at)) {
		const struct rework_decision *d = &r->state.decisions.items[at];

		answer.id = d->id;
		if (d->ask_1 != 0)
			answer.question = state_ask_id(d->ask_1 - 1, &r->mem);
		return said_before(&w, answer, ret_answer, err);
	}
	if (answer.id.len == 0)
		answer.id = state_next_decision(&r->state, &r->mem);
	EVENT_SET(&cmd.event, F_DECISION, decision, answer.id);
	EVENT_SET(&cmd.event, F_ACTION, action,
		rework_action_word(choice->action));
	EVENT_SET(&cmd.event, F_REASON, reason, choice->note);
	if (choice->action == REWORK_INPUT_REQUIRED)
		rc = inquiry_decide(&w, node, &cmd, &answer, err);
	else if (blocks && state_live(&r->state, node) != NULL)
		rc = give_up_and_say(&w, r->state.nodes[node].attempt_1 - 1,
			&cmd, &answer.again, err);
	else
		rc = say(&w, &cmd, &answer.again, err);
	if (rc == PAWL_OK)
		*ret_answer = answer;
	return rc;
}

enum pawl_rc
rework_decide(const struct rework *work, uint32_t node,
	const struct rework_choice *choice, struct rework_answer *ret_answer,
	struct pawl_err *err)
{
	enum pawl_rc rc;

	do
		rc = decide_once(work, node, choice, ret_answer, err);
	while (act_is_outrun(rc, err));
	return rc;
}

/* An amendment that said just that: the node's last, or any of it. */
static const struct amendment *
amended_so(const struct state *s, uint32_t node,
	const struct rework_change *change, const struct strs *paths, bool any)
{
	for (size_t i = s->amendments.count; i-- > 0;) {
		const struct amendment *a = &s->amendments.items[i];
		bool is;

		if (a->node != node)
			continue;
		is = str_eq(a->reason, change->reason) &&
			(paths->count == 0 || strs_eq(&a->paths, paths)) &&
			(change->acceptance.len == 0 ||
				str_eq(a->acceptance, change->acceptance)) &&
			(change->check.len == 0 ||
				str_eq(a->check, change->check));
		if (is || !any)
			return is ? a : NULL;
	}
	return NULL;
}

static void
change_set(struct event *e, const struct rework_change *change,
	const struct strs *paths)
{
	EVENT_SET(e, F_REASON, reason, change->reason);
	if (paths->count > 0)
		EVENT_SET(e, F_PATHS, paths, *paths);
	if (change->acceptance.len > 0)
		EVENT_SET(e, F_ACCEPTANCE, acceptance, change->acceptance);
	if (change->check.len > 0)
		EVENT_SET(e, F_CHECK, check, change->check);
}

/* As the list's own paths: scopes are compared as bytes. */
static enum pawl_rc
spellings_one(const struct rework *w, uint32_t node, const struct strs *paths,
	struct pawl_err *err)
{
	struct run *r = w->run;
	struct spelling_clash clash;

	if (paths->count == 0 || w->repo->top == NULL ||
		!repo_folds_case(w->repo, r->place->fs) ||
		!spelling_clashes_amended(
			&r->state, node, paths, &r->mem, &clash))
		return PAWL_OK;
	return spelling_fail(&r->plan, &clash, err);
}

static enum pawl_rc
amend_once(const struct rework *work, uint32_t node,
	const struct rework_change *change, uint32_t *ret_revision,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	struct rework w = *work;
	struct run *r = w.run;
	struct contract_view now = contract_of(&r->state, node);
	struct rework_answer answer = { 0 };
	struct command cmd = run_command(r, EV_CONTRACT_AMENDED,
		plan_id(&r->plan, node), (struct str){ "", 0 });
	uint32_t revision = contract_revision(&now) + 1;
	const struct str words[] = { STR("amend"), cmd.event.node,
		change->reason, change->acceptance, change->check };
	const struct amendment *again;
	struct strs paths = { 0 };
	enum pawl_rc rc = PAWL_OK;

	if (change->paths.count > 0)
		rc = contract_paths(change->paths, &r->mem, &paths, err);
	if (rc == PAWL_OK)
		rc = asked(&w, WORDS(words), paths, &answer.again, err);
	if (rc != PAWL_OK)
		return rc;
	again = amended_so(&r->state, node, change, &paths, answer.again);
	if (again != NULL) {
		revision = again->revision;
		rc = said_before(&w, answer, ret_answer, err);
		if (rc == PAWL_OK)
			*ret_revision = revision;
		return rc;
	}
	EVENT_SET(&cmd.event, F_REVISION, revision, revision);
	change_set(&cmd.event, change, &paths);
	rc = spellings_one(&w, node, &paths, err);
	if (rc == PAWL_OK)
		rc = say(&w, &cmd, &answer.again, err);
	if (rc != PAWL_OK)
		return rc;
	*ret_revision = revision;
	*ret_answer = answer;
	return PAWL_OK;
}

/* The digest of the capsule that goes with the scope, in the run's arena. */
static enum pawl_rc
capsule_with(const struct rework *w, uint32_t attempt, const struct strs *scope,
	struct str *ret_sha256, struct pawl_err *err)
{
	struct pilot p = { 0 };
	struct str digest = { "", 0 };
	enum pawl_rc rc = plumb_open(&p, w->run, w->repo, w->config, err);

	if (rc == PAWL_OK)
		rc = worker_capsule_sha256(&p, attempt, scope, &digest, err);
	if (rc == PAWL_OK)
		*ret_sha256 = arena_copy(&w->run->mem, digest);
	plumb_close(&p);
	return rc;
}

static enum pawl_rc
rescope_once(const struct rework *work, uint32_t attempt,
	const struct rework_change *change, struct rework_answer *ret_answer,
	struct pawl_err *err)
{
	struct rework w = *work;
	struct run *r = w.run;
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct contract_view v = contract_of_attempt(&r->state, attempt);
	struct rework_answer answer = { 0 };
	struct command cmd =
		run_command(r, EV_SCOPE_AMENDED, plan_id(&r->plan, a->node),
			state_attempt_id(&r->state, attempt, &r->mem));
	struct event *e = &cmd.event;
	const struct str words[] = { STR("rescope"), e->attempt,
		change->reason };
	struct str capsule = { "", 0 };
	struct strs paths = { 0 };
	enum pawl_rc rc = contract_paths(change->paths, &r->mem, &paths, err);

	if (rc == PAWL_OK)
		rc = asked(&w, WORDS(words), paths, &answer.again, err);
	if (rc != PAWL_OK)
		return rc;
	if (answer.again || (paths.count > 0 && strs_eq(&a->scope, &paths)))
		return said_before(&w, answer, ret_answer, err);
	v.scope = &paths;
	EVENT_SET(e, F_PATHS, paths, paths);
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256,
		contract_scope_sha256(&v, &r->mem));
	EVENT_SET(e, F_REASON, reason, change->reason);
	rc = decide(&r->state, &cmd, err);
	if (rc == PAWL_OK)
		rc = spellings_one(&w, a->node, &paths, err);
	if (rc == PAWL_OK)
		rc = capsule_with(&w, attempt, &paths, &capsule, err);
	EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256, capsule);
	if (rc == PAWL_OK)
		rc = say(&w, &cmd, &answer.again, err);
	if (rc == PAWL_OK)
		*ret_answer = answer;
	return rc;
}

enum pawl_rc
rework_rescope(const struct rework *work, uint32_t attempt,
	const struct rework_change *change, struct rework_answer *ret_answer,
	struct pawl_err *err)
{
	enum pawl_rc rc;

	do
		rc = rescope_once(work, attempt, change, ret_answer, err);
	while (act_is_outrun(rc, err));
	return rc;
}

enum pawl_rc
rework_amend(const struct rework *work, uint32_t node,
	const struct rework_change *change, uint32_t *ret_revision,
	struct rework_answer *ret_answer, struct pawl_err *err)
{
	enum pawl_rc rc;

	do
		rc = amend_once(
			work, node, change, ret_revision, ret_answer, err);
	while (act_is_outrun(rc, err));
	return rc;
}
