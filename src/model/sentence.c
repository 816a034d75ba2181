#include "model/sentence.h"

#include <string.h>

#include "text/utf8.h"

enum {
	TEXT_MAX = 200, /* bytes of a text that somebody wrote */
	PATHS_MAX = 4,
	COMMIT_LEN = 12,
};

typedef void sentence_fn(struct buf *b, const struct event *e);

static void
add(struct buf *b, struct str s)
{
	struct str head = utf8_cut(s, TEXT_MAX);

	utf8_show(b, head, UTF8_LINE);
	if (head.len < s.len)
		buf_add(b, STR("…"));
}

/* `before` and the text; nothing when it is empty. */
static void
add_after(struct buf *b, const char *before, struct str s)
{
	if (s.len == 0)
		return;
	buf_add(b, str_from(before));
	add(b, s);
}

static void
add_commit(struct buf *b, const char *before, struct str commit)
{
	add_after(b, before, str_part(commit, 0, COMMIT_LEN));
}

static void
add_paths(struct buf *b, const struct strs *paths, uint64_t count)
{
	uint32_t shown = 0;

	for (; shown < paths->count && shown < PATHS_MAX; shown++)
		add_after(b, shown > 0 ? ", " : ": ", paths->items[shown]);
	if (count > shown && shown > 0)
		buf_addf(b, " and %llu more",
			(unsigned long long)(count - shown));
}

/* "a, b and 3 more" behind `before`; nothing when there are none. */
static void
add_names(struct buf *b, const char *before, const struct strs *names)
{
	uint32_t shown = 0;

	for (; shown < names->count && shown < PATHS_MAX; shown++)
		add_after(b, shown > 0 ? ", " : before, names->items[shown]);
	if (names->count > shown)
		buf_addf(b, " and %u more", names->count - shown);
}

/* Of `PATH OLD NEW` and `PATH same` only the path; it may hold blanks. */
static void
add_flagged(struct buf *b, const struct strs *flagged)
{
	uint32_t shown = 0;

	for (; shown < flagged->count && shown < PATHS_MAX; shown++) {
		struct str path = flagged->items[shown];
		size_t words = 2;

		if (path.len > 5 &&
			str_eq(str_part(path, path.len - 5, 5), STR(" same")))
			words = 1;
		for (size_t i = path.len; i > 0 && words > 0; i--) {
			if (path.ptr[i - 1] == ' ' && --words == 0)
				path = str_part(path, 0, i - 1);
		}
		add_after(b, shown > 0 ? ", " : ": ", path);
	}
	if (flagged->count > shown)
		buf_addf(b, " and %u more", flagged->count - shown);
}

static void
add_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_addf(b, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* How a process ended; nothing when the event doesn't say. */
static void
add_ended(struct buf *b, const struct event *e)
{
	if (event_has(e, F_START_FAILED))
		add_after(b, ", start failed: ", e->start_failed);
	else if (event_has(e, F_TIMEOUT) && e->timeout)
		buf_add(b, STR(", timeout"));
	else if (event_has(e, F_SIGNAL))
		buf_addf(b, ", signal %llu", (unsigned long long)e->signal);
	else if (event_has(e, F_EXIT))
		buf_addf(b, ", exit %llu", (unsigned long long)e->exit);
	if (event_has(e, F_DURATION_MS))
		buf_addf(b, ", %llu.%llu s",
			(unsigned long long)(e->duration_ms / 1000),
			(unsigned long long)(e->duration_ms % 1000 / 100));
}

static void
add_process(struct buf *b, const struct event *e)
{
	buf_addf(b, ", process %llu", (unsigned long long)e->pid);
}

static void
run_started(struct buf *b, const struct event *e)
{
	add_after(b, "run ", e->run);
	add_after(b, " started from ", e->list);
	add_commit(b, ", base ", e->base);
	add_after(b, ", ", e->placement);
	buf_addf(b, ", ");
	add_count(b, e->slots, "slot", "slots");
}

static void
decision_amended(struct buf *b, const struct event *e)
{
	buf_addf(b, "the decision was amended to revision %llu",
		(unsigned long long)e->revision);
	add_after(b, ", mode ", e->mode);
	if (event_has(e, F_RETAINED)) {
		buf_add(b, STR(", reduced to "));
		add_count(b, e->retained.count, "task", "tasks");
	}
	add_after(b, ": ", e->reason);
}

/* ` by c1`, and its process, where there is one. */
static void
add_coordinator(struct buf *b, const struct event *e)
{
	add_after(b, " by ", e->name);
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
	add_after(b, ": ", e->reason);
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
	add_after(b, " to ", e->name);
	buf_add(b, STR(", to be claimed"));
}

static void
resumed(struct buf *b, const struct event *e)
{
	add_after(b, "the coordinator goes on with pawl ", e->version);
	add_commit(b, ", binary ", e->binary);
	if (e->pid != 0)
		add_process(b, e);
}

static void
driver_reserved(struct buf *b, const struct event *e)
{
	add_after(b, "a driver is being selected: ", e->driver);
}

static void
driver_selected(struct buf *b, const struct event *e)
{
	add_after(b, "driver ", e->driver);
	add_after(b, ": ", e->reason);
}

static void
reserved(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	buf_add(b, STR(" reserved"));
	add_after(b, ", ", e->placement);
	add_commit(b, ", base ", e->base);
	add_after(b, ", since ", e->hypothesis);
}

static void
started(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	buf_add(b, STR(" started"));
	if (e->pid == 0)
		buf_add(b, STR(", its coordinator hands it on"));
	else
		add_process(b, e);
}

/* `API-01@1 <verb> (cause): message` */
static void
ended(struct buf *b, const struct event *e, const char *verb)
{
	add(b, e->attempt);
	buf_addf(b, " %s", verb);
	add_after(b, " (", e->cause);
	buf_addc(b, ')');
	add_ended(b, e);
	add_after(b, ": ", e->message);
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
	add(b, e->attempt);
	buf_add(b, e->synthesized ? STR(" ended, ") : STR(" reported, "));
	add_count(b, e->file_count, "file", "files");
	buf_add(b, STR(" changed"));
	add_ended(b, e);
	add_after(b, ": ", e->summary);
}

static void
abandoned(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	add_after(b, " was given up: ", e->reason);
}

static void
quarantined(struct buf *b, const struct event *e)
{
	ended(b, e, "handed in what is no result");
	add_commit(b, ", kept as artifact ", e->artifact);
}

static void
kept(struct buf *b, const struct event *e)
{
	add_after(b, "a result of ", e->attempt);
	add_after(b, " changes nothing (", e->reason);
	add_commit(b, "), kept as artifact ", e->artifact);
}

static void
rejected(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	add_after(b, " was rejected: ", e->reason);
	add_names(b, " for ", &e->findings);
	add_after(b, "; to repair: ", e->hypothesis);
	if (e->fresh)
		buf_add(b, STR(", from the base"));
}

static void
reconciled(struct buf *b, const struct event *e)
{
	add_after(b, "the workspace of ", e->attempt);
	buf_add(b, STR(" was reconciled, "));
	add_count(b, e->restored, "path", "paths");
	buf_addf(b, " restored, %u left", e->left.count);
	add_paths(b, &e->left, e->left.count);
}

static void
check_started(struct buf *b, const struct event *e)
{
	add_after(b, "check ", e->check);
	buf_add(b, e->red ? STR(" started on the base") : STR(" started"));
	add_process(b, e);
}

static void
check_recorded(struct buf *b, const struct event *e)
{
	add_after(b, "check ", e->check);
	add_after(b, ": ", e->verdict);
	add_ended(b, e);
	add_after(b, ", ", e->reason);
	add_after(b, ": ", e->tail);
	if (e->flagged.count > 0) {
		buf_add(b, STR(", the check names what the attempt may write"));
		add_flagged(b, &e->flagged);
	}
}

static void
integrated(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	add_commit(b, " integrated as ", e->commit);
	add_commit(b, " onto ", e->onto);
}

static void
integration_failed(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	add_after(b, " could not be integrated: ", e->reason);
	add_paths(b, &e->paths, e->paths.count);
	add_after(b, "; kept on ", e->branch);
}

static void
graded(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	add_after(b, " graded ", e->grade);
	add_after(b, ": ", e->reason);
}

static void
blocked(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_after(b, " BLOCKED (", e->reason);
	add_after(b, "): ", e->message);
}

static void
unblocked(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_after(b, " unblocked by ", e->by);
	add_after(b, ": ", e->reason);
}

static void
gate_opened(struct buf *b, const struct event *e)
{
	add_after(b, "gate ", e->gate);
	add_after(b, " opened for ", e->reason);
}

static void
gate_decided(struct buf *b, const struct event *e)
{
	add_after(b, "gate ", e->gate);
	add_after(b, " ", e->decision);
	add_after(b, " by ", e->by);
	add_after(b, " (", e->assurance);
	add_after(b, ", ", e->policy);
	buf_addc(b, ')');
	add_after(b, ": ", e->reason);
}

static void
question_opened(struct buf *b, const struct event *e)
{
	add(b, e->by);
	add_after(b, " asks ", e->question);
	add_after(b, " about ", e->node);
	add_after(b, str_eq(e->kind, STR("act")) ? ", for an act: " : ": ",
		e->prompt);
}

static void
question_answered(struct buf *b, const struct event *e)
{
	add_after(b, "question ", e->question);
	add_after(b, " about ", e->node);
	add_after(b, " answered by ", e->by);
	add_after(b, " (", e->assurance);
	buf_addc(b, ')');
	add_after(b, ": ", e->answer);
}

/* `delegation g1 of API-01@1 approved: src/a` */
static void
delegation(struct buf *b, const struct event *e)
{
	struct str word = event_word(e->type);

	add_after(b, "delegation ", e->delegation);
	add_after(b, " of ", e->attempt);
	add_after(b, " ", str_part(word, strlen("delegation_"), word.len));
	add_after(b, " as ", e->status);
	add_after(b, " by ", e->by);
	add_after(b, " for ", e->worker);
	add_after(b, ", cleanup ", e->cleanup);
	if (e->type == EV_DELEGATION_APPROVED)
		add_names(b, ": ", &e->paths);
	add_after(b, ": ", e->purpose);
	add_after(b, ": ", e->summary);
	add_after(b, ": ", e->reason);
}

static void
cleanup_registered(struct buf *b, const struct event *e)
{
	add_after(b, "cleanup ", e->cleanup);
	add_after(b, " of ", e->attempt);
	buf_add(b, STR(" registered"));
	add_after(b, " by ", e->by);
	add_after(b, ": ", e->kind);
	add_after(b, " ", e->target);
}

static void
cleanup_settled(struct buf *b, const struct event *e)
{
	add_after(b, "cleanup ", e->cleanup);
	add_after(b, " of ", e->attempt);
	add_after(b, " ", e->status);
	add_after(b, " by ", e->by);
	add_after(b, ": ", e->reason);
	add_commit(b, ", receipt ", e->artifact);
}

static void
scope_violated(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	buf_add(b, STR(" changed "));
	add_count(b, e->path_count, "path", "paths");
	buf_add(b, STR(" outside its scope"));
	add_paths(b, &e->paths, e->path_count);
}

static void
journal_repaired(struct buf *b, const struct event *e)
{
	buf_add(b, STR("a torn end of "));
	add_count(b, e->bytes, "byte", "bytes");
	add_commit(b, " was cut, kept as artifact ", e->artifact);
}

static void
run_closed(struct buf *b, const struct event *e)
{
	add_after(b, "run closed as ", e->outcome);
	add_after(b, ": ", e->reason);
}

static void
imported(struct buf *b, const struct event *e)
{
	add(b, e->attempt);
	add_after(b, " imported as ", e->import);
	buf_add(b, STR(", its check passed"));
	add_ended(b, e);
	add_after(b, ": ", e->reason);
}

static void
ledger_started(struct buf *b, const struct event *e)
{
	add_after(b, "ledger ", e->run);
	add_after(b, " opened: ", e->task);
}

static void
node_added(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_after(b, " added: ", e->title);
	add_names(b, ", after ", &e->depends_on);
}

static void
node_moved(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_after(b, " ", e->status);
	add_after(b, " by ", e->by);
	add_after(b, ": ", e->reason);
}

static void
evidence_added(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_names(b, " has evidence: ", &e->evidence);
}

static void
approval_decided(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_after(b, " ", e->decision);
	add_after(b, " by ", e->by);
	add_after(b, " (", e->assurance);
	buf_addc(b, ')');
	add_after(b, ": ", e->reason);
}

static void
dependency_added(struct buf *b, const struct event *e)
{
	add(b, e->node);
	add_names(b, " depends on ", &e->depends_on);
}

static void
finding_recorded(struct buf *b, const struct event *e)
{
	buf_add(b, STR("finding "));
	add(b, e->finding);
	add_after(b, " of ", e->attempt);
	add_after(b, ", ", e->class);
	add_after(b, ": ", e->summary);
	add_after(b, "; in ", e->file);
}

static void
decision_recorded(struct buf *b, const struct event *e)
{
	buf_add(b, STR("decision "));
	add(b, e->decision);
	add_after(b, " about ", e->node);
	add_after(b, ": ", e->action);
	add_after(b, ": ", e->reason);
}

static void
contract_amended(struct buf *b, const struct event *e)
{
	add_after(b, "the contract of ", e->node);
	buf_addf(b, " was amended, revision %llu",
		(unsigned long long)e->revision);
	add_after(b, ": ", e->reason);
	add_names(b, ", paths ", &e->paths);
	add_after(b, ", acceptance: ", e->acceptance);
	add_after(b, ", check: ", e->check);
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
	add(out, str_part(line->at, 0, strlen("2026-11-30T11:24:23")));
	buf_addc(out, 'Z');
	add_after(out, "  ", line->actor);
	buf_add(out, STR("  "));
	sentence_write(out, e);
	buf_addc(out, '\n');
}
