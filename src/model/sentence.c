#include "model/sentence.h"

#include <string.h>

#include "model/phrase.h"

typedef void sentence_fn(struct buf *b, const struct event *e);

static void
add_process(struct buf *b, const struct event *e)
{
	buf_addf(b, ", process %llu", (unsigned long long)e->pid);
}

static void
run_started(struct buf *b, const struct event *e)
{
	phrase_after(b, "run ", e->run);
	phrase_after(b, " started from ", e->list);
	phrase_commit(b, ", base ", e->base);
	phrase_after(b, ", ", e->placement);
	buf_addf(b, ", ");
	phrase_count(b, e->slots, "slot", "slots");
}

static void
decision_amended(struct buf *b, const struct event *e)
{
	buf_addf(b, "the decision was amended to revision %llu",
		(unsigned long long)e->revision);
	phrase_after(b, ", mode ", e->mode);
	if (event_has(e, F_RETAINED)) {
		buf_add(b, STR(", reduced to "));
		phrase_count(b, e->retained.count, "task", "tasks");
	}
	phrase_after(b, ": ", e->reason);
}

/* ` by c1`, and its process, where there is one. */
static void
add_coordinator(struct buf *b, const struct event *e)
{
	phrase_after(b, " by ", e->name);
	if (e->pid != 0)
		add_process(b, e);
}

static void
taken_over(struct buf *b, const struct event *e)
{
	buf_add(b, STR("the run was taken over"));
	add_coordinator(b, e);
	if (e->forced)
		buf_add(b, STR(", by force"));
	phrase_after(b, ": ", e->reason);
}

static void
claimed(struct buf *b, const struct event *e)
{
	buf_add(b, STR("the run was claimed"));
	add_coordinator(b, e);
}

static void
transferred(struct buf *b, const struct event *e)
{
	buf_add(b, STR("the run was handed over"));
	phrase_after(b, " to ", e->name);
	buf_add(b, STR(", to be claimed"));
}

static void
resumed(struct buf *b, const struct event *e)
{
	phrase_after(b, "the coordinator goes on with pawl ", e->version);
	phrase_commit(b, ", binary ", e->binary);
	if (e->pid != 0)
		add_process(b, e);
}

static void
driver_reserved(struct buf *b, const struct event *e)
{
	phrase_after(b, "a driver is being selected: ", e->driver);
}

static void
degraded(struct buf *b, const struct event *e)
{
	if (e->degraded.count > 0)
		phrase_after(b, ", without ", e->degraded.items[0]);
	if (e->degraded.count > 1)
		buf_addf(b, " and %u more", e->degraded.count - 1);
}

static void
driver_selected(struct buf *b, const struct event *e)
{
	phrase_after(b, "driver ", e->driver);
	phrase_after(b, ": ", e->reason);
	degraded(b, e);
}

static void
reserved(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	buf_add(b, STR(" reserved"));
	phrase_after(b, ", ", e->placement);
	phrase_commit(b, ", base ", e->base);
	phrase_after(b, ", since ", e->hypothesis);
	if (e->argv.count > 0)
		phrase_after(b, ", by its own command ", e->argv.items[0]);
}

static void
started(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	buf_add(b, STR(" started"));
	if (e->refs.len > 0)
		buf_add(b, STR(", its driver has it"));
	else if (e->pid == 0)
		buf_add(b, STR(", its coordinator hands it on"));
	else
		add_process(b, e);
	degraded(b, e);
}

/* `API-01@1 <verb> (cause): message` */
static void
ended(struct buf *b, const struct event *e, const char *verb)
{
	phrase_text(b, e->attempt);
	buf_addf(b, " %s", verb);
	phrase_after(b, " (", e->cause);
	buf_addc(b, ')');
	phrase_ended(b, e);
	phrase_after(b, ": ", e->message);
}

static void
start_failed(struct buf *b, const struct event *e)
{
	ended(b, e, "could not start");
}

static void
interrupted(struct buf *b, const struct event *e)
{
	ended(b, e, "was interrupted");
}

static void
lost(struct buf *b, const struct event *e)
{
	ended(b, e, "was lost");
}

static void
reported(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	buf_add(b, e->synthesized ? STR(" ended, ") : STR(" reported, "));
	phrase_count(b, e->file_count, "file", "files");
	buf_add(b, STR(" changed"));
	phrase_ended(b, e);
	phrase_after(b, ": ", e->summary);
}

static void
abandoned(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	phrase_after(b, " was given up: ", e->reason);
}

static void
quarantined(struct buf *b, const struct event *e)
{
	ended(b, e, "handed in what is no result");
	phrase_commit(b, ", kept as artifact ", e->artifact);
}

static void
kept(struct buf *b, const struct event *e)
{
	phrase_after(b, "a result of ", e->attempt);
	phrase_after(b, " changes nothing (", e->reason);
	phrase_commit(b, "), kept as artifact ", e->artifact);
}

static void
rejected(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	phrase_after(b, " was rejected: ", e->reason);
	phrase_names(b, " for ", &e->findings);
	phrase_after(b, "; to repair: ", e->hypothesis);
	if (e->fresh)
		buf_add(b, STR(", from the base"));
}

static void
reconciled(struct buf *b, const struct event *e)
{
	phrase_after(b, "the workspace of ", e->attempt);
	buf_add(b, STR(" was reconciled, "));
	phrase_count(b, e->restored, "path", "paths");
	buf_addf(b, " restored, %u left", e->left.count);
	phrase_paths(b, &e->left, e->left.count);
	if (e->patch_sha256.len > 0) {
		buf_addf(b, ", changes kept as patch " STR_FMT,
			STR_ARG(str_part(e->patch_sha256, 0, 12)));
	}
}

static void
check_started(struct buf *b, const struct event *e)
{
	phrase_after(b, "check ", e->check);
	buf_add(b, e->red ? STR(" started on the base") : STR(" started"));
	add_process(b, e);
}

static void
check_recorded(struct buf *b, const struct event *e)
{
	phrase_after(b, "check ", e->check);
	phrase_after(b, ": ", e->verdict);
	phrase_ended(b, e);
	phrase_after(b, ", ", e->reason);
	phrase_after(b, ": ", e->tail);
	if (e->flagged.count > 0) {
		buf_add(b, STR(", the check names what the attempt may write"));
		phrase_flagged(b, &e->flagged);
	}
}

static void
integrated(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	phrase_commit(b, " integrated as ", e->commit);
	phrase_commit(b, " onto ", e->onto);
}

static void
integration_failed(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	phrase_after(b, " could not be integrated: ", e->reason);
	phrase_paths(b, &e->paths, e->paths.count);
	phrase_after(b, "; kept on ", e->branch);
}

static void
graded(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	phrase_after(b, " graded ", e->grade);
	phrase_after(b, ": ", e->reason);
}

static void
blocked(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_after(b, " BLOCKED (", e->reason);
	phrase_after(b, "): ", e->message);
}

static void
unblocked(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_after(b, " unblocked by ", e->by);
	phrase_after(b, ": ", e->reason);
}

static void
gate_opened(struct buf *b, const struct event *e)
{
	phrase_after(b, "gate ", e->gate);
	phrase_after(b, " opened for ", e->reason);
}

static void
gate_decided(struct buf *b, const struct event *e)
{
	phrase_after(b, "gate ", e->gate);
	phrase_after(b, " ", e->decision);
	phrase_after(b, " by ", e->by);
	phrase_after(b, " (", e->assurance);
	phrase_after(b, ", ", e->policy);
	buf_addc(b, ')');
	phrase_after(b, ": ", e->reason);
}

static void
question_opened(struct buf *b, const struct event *e)
{
	phrase_text(b, e->by);
	phrase_after(b, " asks ", e->question);
	phrase_after(b, " about ", e->node);
	phrase_after(b, str_eq(e->kind, STR("act")) ? ", for an act: " : ": ",
		e->prompt);
}

static void
question_answered(struct buf *b, const struct event *e)
{
	phrase_after(b, "question ", e->question);
	phrase_after(b, " about ", e->node);
	phrase_after(b,
		event_has(e, F_DECISION) ? " denied by " : " answered by ",
		e->by);
	phrase_after(b, " (", e->assurance);
	buf_addc(b, ')');
	phrase_after(b, ": ", e->answer);
}

/* `delegation g1 of API-01@1 approved: src/a` */
static void
delegation(struct buf *b, const struct event *e)
{
	struct str word = event_word(e->type);

	phrase_after(b, "delegation ", e->delegation);
	phrase_after(b, " of ", e->attempt);
	phrase_after(b, " ", str_part(word, strlen("delegation_"), word.len));
	phrase_after(b, " as ", e->status);
	phrase_after(b, " by ", e->by);
	phrase_after(b, " for ", e->worker);
	phrase_after(b, ", cleanup ", e->cleanup);
	if (e->type == EV_DELEGATION_APPROVED)
		phrase_names(b, ": ", &e->paths);
	phrase_after(b, ": ", e->purpose);
	phrase_after(b, ": ", e->summary);
	phrase_after(b, ": ", e->reason);
}

static void
cleanup_registered(struct buf *b, const struct event *e)
{
	phrase_after(b, "cleanup ", e->cleanup);
	phrase_after(b, " of ", e->attempt);
	buf_add(b, STR(" registered"));
	phrase_after(b, " by ", e->by);
	phrase_after(b, ": ", e->kind);
	phrase_after(b, " ", e->target);
}

static void
cleanup_settled(struct buf *b, const struct event *e)
{
	phrase_after(b, "cleanup ", e->cleanup);
	phrase_after(b, " of ", e->attempt);
	phrase_after(b, " ", e->status);
	phrase_after(b, " by ", e->by);
	phrase_after(b, ": ", e->reason);
	phrase_commit(b, ", receipt ", e->artifact);
}

static void
scope_amended(struct buf *b, const struct event *e)
{
	phrase_after(b, "the scope of ", e->attempt);
	phrase_names(b, " was amended to ", &e->paths);
	phrase_after(b, ": ", e->reason);
}

static void
scope_violated(struct buf *b, const struct event *e)
{
	static const struct {
		const char *did, *which;
	} of[] = {
		[BREACH_OUTSIDE] = { " changed ", " outside its scope" },
		[BREACH_REPOSITORY] = { " made a repository of ", "" },
		[BREACH_IGNORED] = { " reported ", " that git ignores" },
		[BREACH_LINKED] = { " wrote ",
			" that a file elsewhere shares" },
	};
	enum breach breach = BREACH_OUTSIDE;

	(void)breach_from(e->reason, &breach);
	phrase_text(b, e->attempt);
	buf_add(b, str_from(of[breach].did));
	phrase_count(b, e->path_count, "path", "paths");
	buf_add(b, str_from(of[breach].which));
	phrase_paths(b, &e->paths, e->path_count);
}

static void
journal_repaired(struct buf *b, const struct event *e)
{
	buf_add(b, STR("a torn end of "));
	phrase_count(b, e->bytes, "byte", "bytes");
	phrase_commit(b, " was cut, kept as artifact ", e->artifact);
}

static void
run_closed(struct buf *b, const struct event *e)
{
	phrase_after(b, "run closed as ", e->outcome);
	phrase_after(b, ": ", e->reason);
	if (e->paths.count == 0)
		return;
	buf_add(b, STR("; no task answers for "));
	phrase_count(b, e->path_count, "path", "paths");
	phrase_paths(b, &e->paths, e->path_count);
}

static void
imported(struct buf *b, const struct event *e)
{
	phrase_text(b, e->attempt);
	phrase_after(b, " imported as ", e->import);
	buf_add(b, STR(", its check passed"));
	phrase_ended(b, e);
	phrase_after(b, ": ", e->reason);
}

static void
ledger_started(struct buf *b, const struct event *e)
{
	phrase_after(b, "ledger ", e->run);
	phrase_after(b, " opened: ", e->task);
}

static void
node_added(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_after(b, " added: ", e->title);
	phrase_names(b, ", after ", &e->depends_on);
}

static void
node_moved(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_after(b, " ", e->status);
	phrase_after(b, " by ", e->by);
	phrase_after(b, ": ", e->reason);
}

static void
evidence_added(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_names(b, " has evidence: ", &e->evidence);
}

static void
approval_decided(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_after(b, " ", e->decision);
	phrase_after(b, " by ", e->by);
	phrase_after(b, " (", e->assurance);
	buf_addc(b, ')');
	phrase_after(b, ": ", e->reason);
}

static void
dependency_added(struct buf *b, const struct event *e)
{
	phrase_text(b, e->node);
	phrase_names(b, " depends on ", &e->depends_on);
}

static void
finding_recorded(struct buf *b, const struct event *e)
{
	buf_add(b, STR("finding "));
	phrase_text(b, e->finding);
	phrase_after(b, " of ", e->attempt);
	phrase_after(b, ", ", e->class);
	phrase_after(b, ": ", e->summary);
	phrase_after(b, "; in ", e->file);
}

static void
decision_recorded(struct buf *b, const struct event *e)
{
	buf_add(b, STR("decision "));
	phrase_text(b, e->decision);
	phrase_after(b, " about ", e->node);
	phrase_after(b, ": ", e->action);
	phrase_after(b, ", question ", e->question);
	phrase_after(b, ": ", e->reason);
}

static void
contract_amended(struct buf *b, const struct event *e)
{
	phrase_after(b, "the contract of ", e->node);
	buf_addf(b, " was amended, revision %llu",
		(unsigned long long)e->revision);
	phrase_after(b, ": ", e->reason);
	phrase_names(b, ", paths ", &e->paths);
	phrase_after(b, ", acceptance: ", e->acceptance);
	phrase_after(b, ", check: ", e->check);
}

static sentence_fn *const sentences[EVENT_TYPE_COUNT] = {
	[EV_RUN_STARTED] = run_started,
	[EV_COORDINATOR_TAKEN_OVER] = taken_over,
	[EV_COORDINATOR_CLAIMED] = claimed,
	[EV_COORDINATOR_TRANSFERRED] = transferred,
	[EV_COORDINATOR_RESUMED] = resumed,
	[EV_DRIVER_SELECTION_RESERVED] = driver_reserved,
	[EV_DRIVER_SELECTED] = driver_selected,
	[EV_DECISION_AMENDED] = decision_amended,
	[EV_ATTEMPT_RESERVED] = reserved,
	[EV_ATTEMPT_STARTED] = started,
	[EV_ATTEMPT_START_FAILED] = start_failed,
	[EV_ATTEMPT_REPORTED] = reported,
	[EV_ATTEMPT_INTERRUPTED] = interrupted,
	[EV_ATTEMPT_LOST] = lost,
	[EV_ATTEMPT_ABANDONED] = abandoned,
	[EV_RESULT_QUARANTINED] = quarantined,
	[EV_RESULT_KEPT] = kept,
	[EV_ATTEMPT_REJECTED] = rejected,
	[EV_WORKSPACE_RECONCILED] = reconciled,
	[EV_CHECK_STARTED] = check_started,
	[EV_CHECK_RECORDED] = check_recorded,
	[EV_INTEGRATED] = integrated,
	[EV_INTEGRATION_FAILED] = integration_failed,
	[EV_NODE_GRADED] = graded,
	[EV_NODE_BLOCKED] = blocked,
	[EV_NODE_UNBLOCKED] = unblocked,
	[EV_GATE_OPENED] = gate_opened,
	[EV_GATE_DECIDED] = gate_decided,
	[EV_QUESTION_OPENED] = question_opened,
	[EV_QUESTION_ANSWERED] = question_answered,
	[EV_DELEGATION_REQUESTED] = delegation,
	[EV_DELEGATION_APPROVED] = delegation,
	[EV_DELEGATION_REJECTED] = delegation,
	[EV_DELEGATION_STARTED] = delegation,
	[EV_DELEGATION_REPORTED] = delegation,
	[EV_DELEGATION_RELEASED] = delegation,
	[EV_CLEANUP_REGISTERED] = cleanup_registered,
	[EV_CLEANUP_SETTLED] = cleanup_settled,
	[EV_SCOPE_AMENDED] = scope_amended,
	[EV_SCOPE_VIOLATED] = scope_violated,
	[EV_JOURNAL_REPAIRED] = journal_repaired,
	[EV_FINDING_RECORDED] = finding_recorded,
	[EV_DECISION_RECORDED] = decision_recorded,
	[EV_CONTRACT_AMENDED] = contract_amended,
	[EV_RUN_CLOSED] = run_closed,
	[EV_NODE_IMPORTED] = imported,
	[EV_LEDGER_STARTED] = ledger_started,
	[EV_NODE_ADDED] = node_added,
	[EV_NODE_MOVED] = node_moved,
	[EV_EVIDENCE_ADDED] = evidence_added,
	[EV_APPROVAL_DECIDED] = approval_decided,
	[EV_DEPENDENCY_ADDED] = dependency_added,
};

void
sentence_write(struct buf *out, const struct event *e)
{
	sentences[e->type](out, e);
}

void
sentence_line(
	struct buf *out, const struct line_facts *line, const struct event *e)
{
	buf_addf(out, "%llu  ", (unsigned long long)line->seq);
	phrase_text(out, str_part(line->at, 0, strlen("2026-11-30T11:24:23")));
	buf_addc(out, 'Z');
	phrase_after(out, "  ", line->actor);
	buf_add(out, STR("  "));
	sentence_write(out, e);
	buf_addc(out, '\n');
}
