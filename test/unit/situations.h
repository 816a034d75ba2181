/*
 * situations: what a node, an attempt and a run can be in, and what they then
 * accept; the rows of design 3.3 and 3.5 to 3.10 (test_transitions.c).
 *
 * A situation is reached by an attempt of its node up to some state, and by
 * steps.  It names each command that it accepts, with the words that it accepts
 * it with: a type alone stands for all of them.
 */
#ifndef PAWL_TEST_SITUATIONS_H
#define PAWL_TEST_SITUATIONS_H

#include "model/event.h"
#include "plan_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src" },
	{ .id = "B", .paths = "b", .depends = "A" },
	{ .id = "G", .paths = "g", .more = "Approval: required" },
	{ .id = "D", .paths = "d", .more = "Red: true" },
	{ .id = "T", .paths = "t", .ticked = true },
};

enum { STEPS_MAX = 12 };

/* NOLINTBEGIN(bugprone-suspicious-missing-comma): rows of words, not of texts
 */
/* What a command turns on, a word each; "" alone when it turns on nothing. */
static const char *const words[EVENT_TASK_TYPES] = {
	[EV_COORDINATOR_TAKEN_OVER] = "held free c2",
	[EV_COORDINATOR_CLAIMED] = "c1 c2",
	[EV_COORDINATOR_TRANSFERRED] = "anybody c2",
	[EV_DECISION_AMENDED] = "graph verified_single",
	[EV_ATTEMPT_INTERRUPTED] = "timeout input_required workspace_lost",
	[EV_ATTEMPT_REJECTED] = "check audit report",
	[EV_CHECK_STARTED] = "green red",
	[EV_CHECK_RECORDED] = "pass fail void",
	[EV_NODE_GRADED] = "pass fail unobserved blocked",
	[EV_GATE_DECIDED] = "granted denied",
	[EV_QUESTION_OPENED] = "question act",
	[EV_QUESTION_ANSWERED] = "coordinator human denied",
	[EV_CLEANUP_REGISTERED] = "process session worktree",
	[EV_CLEANUP_SETTLED] = "verified done failed unverifiable retained",
	[EV_SCOPE_VIOLATED] = "outside repository ignored linked",
	[EV_FINDING_RECORDED] = "acceptance_violation reproducible_regression"
				" security_or_integrity hardening advisory",
	[EV_DECISION_RECORDED] = "accept_check amend_acceptance amend_paths"
				 " regroup input_required block",
	[EV_RUN_CLOSED] = "pass partial blocked failed",
};
/* NOLINTEND(bugprone-suspicious-missing-comma) */

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word; /* of `words`; "": none */
};

struct situation {
	const char *name;
	const char *node;
	const char *until; /* state of its attempt before the steps, or "" */
	struct step steps[STEPS_MAX];
	const char *accepts; /* types, with `=` and words when not all */
};

#define NO_STEPS          \
	{                 \
		{         \
			0 \
		}         \
	}

/* clang-format off */
#define RUN "coordinator_taken_over=free,c2 coordinator_transferred" \
	" coordinator_resumed driver_selection_reserved journal_repaired"
/* Nothing of the node's is alive; the run isn't complete. */
#define IDLE RUN " decision_amended run_closed=partial,blocked,failed" \
	" question_opened"
/* An attempt is alive, */
#define LIVE RUN " decision_amended=graph question_opened cleanup_registered"
/* and it may still end in each way. */
#define WORKING LIVE " attempt_interrupted=timeout,workspace_lost" \
	" attempt_lost attempt_abandoned scope_violated"

static const struct situation situations[] = {
	/* the node, before any attempt */
	{ "waits for another", "B", "", NO_STEPS,
		IDLE " node_blocked contract_amended" },
	{ "ready", "A", "", NO_STEPS,
		IDLE " attempt_reserved node_blocked contract_amended" },
	{ "ready, and asked about", "A", "",
		{ { "A", EV_QUESTION_OPENED, "question" } },
		IDLE " node_blocked question_answered=coordinator,human contract_amended" },
	{ "needs approval", "G", "", NO_STEPS,
		IDLE " gate_decided contract_amended" },
	{ "approved", "G", "",
		{ { "G", EV_GATE_DECIDED, "granted" } },
		IDLE " attempt_reserved node_blocked contract_amended" },
	{ "approved, then amended", "G", "",
		{ { "G", EV_GATE_DECIDED, "granted" },
		    { "G", EV_CONTRACT_AMENDED, "" } },
		IDLE " gate_decided contract_amended" },
	{ "denied", "G", "",
		{ { "G", EV_GATE_DECIDED, "denied" } },
		IDLE " node_unblocked contract_amended" },
	{ "blocked", "A", "",
		{ { "A", EV_NODE_BLOCKED, "" } },
		IDLE " node_unblocked contract_amended" },
	{ "left out by a reduction", "A", "",
		{ { "", EV_DECISION_AMENDED, "verified_single" } },
		IDLE " contract_amended" },
	{ "done before the run", "T", "", NO_STEPS,
		IDLE " attempt_reserved node_blocked contract_amended"
		  " node_imported" },
	{ "imported", "T", "",
		{ { "T@1", EV_NODE_IMPORTED, "" } },
		RUN " decision_amended result_kept"
		  " run_closed=partial,blocked,failed" },
	/* attempts (3.5) */
	{ "reserved", "A", "reserved", NO_STEPS,
		LIVE " attempt_started attempt_start_failed scope_amended attempt_abandoned" },
	{ "started", "A", "started", NO_STEPS,
		WORKING " attempt_reported result_quarantined delegation_requested" },
	{ "outside its scope", "A", "started",
		{ { "A@1", EV_SCOPE_VIOLATED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested" },
	{ "reported", "A", "reported", NO_STEPS,
		WORKING " attempt_rejected=report check_started=green"
		  " integration_failed node_graded=unobserved,blocked"
		  " finding_recorded delegation_requested" },
	{ "checked", "A", "checked", NO_STEPS,
		WORKING " check_started=green integrated integration_failed"
		  " node_graded=unobserved,blocked finding_recorded" },
	{ "integrated", "A", "integrated", NO_STEPS,
		LIVE " node_graded=pass,unobserved,blocked scope_violated"
		  " finding_recorded" },
	{ "passed", "A", "settled", NO_STEPS,
		RUN " decision_amended result_kept finding_recorded"
		  " run_closed=partial,blocked,failed" },
	{ "rejected", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_ATTEMPT_REJECTED, "check" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "rejected by an audit", "A", "checked",
		{ { "A@1", EV_FINDING_RECORDED, "acceptance_violation" },
		    { "A@1", EV_ATTEMPT_REJECTED, "audit" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "could not start", "A", "reserved",
		{ { "A@1", EV_ATTEMPT_START_FAILED, "" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "interrupted", "A", "started",
		{ { "A@1", EV_ATTEMPT_INTERRUPTED, "timeout" } },
		RUN " decision_amended result_kept workspace_reconciled"
		  " node_blocked question_opened contract_amended" },
	{ "interrupted, put in order", "A", "started",
		{ { "A@1", EV_ATTEMPT_INTERRUPTED, "timeout" },
		    { "A@1", EV_WORKSPACE_RECONCILED, "" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "lost", "A", "started",
		{ { "A@1", EV_ATTEMPT_LOST, "" } },
		RUN " decision_amended result_kept workspace_reconciled"
		  " node_blocked question_opened contract_amended" },
	{ "its workspace is lost", "A", "started",
		{ { "A@1", EV_ATTEMPT_INTERRUPTED, "workspace_lost" } },
		RUN " decision_amended result_kept workspace_reconciled"
		  " node_blocked question_opened contract_amended" },
	{ "could not be integrated", "A", "checked",
		{ { "A@1", EV_INTEGRATION_FAILED, "" } },
		IDLE " result_kept node_unblocked contract_amended" },
	{ "given up as a reservation", "A", "reserved",
		{ { "A@1", EV_ATTEMPT_ABANDONED, "" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "given up", "A", "started",
		{ { "A@1", EV_ATTEMPT_ABANDONED, "" } },
		RUN " decision_amended result_kept workspace_reconciled"
		  " node_blocked question_opened contract_amended" },
	{ "quarantined", "A", "started",
		{ { "A@1", EV_RESULT_QUARANTINED, "" } },
		RUN " decision_amended result_kept workspace_reconciled"
		  " node_blocked question_opened contract_amended" },
	/* checks and grades (3.6) */
	{ "a check runs", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" } },
		LIVE " attempt_interrupted=timeout,workspace_lost attempt_lost"
		  " check_recorded scope_violated finding_recorded delegation_requested" },
	{ "its check was void", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "void" } },
		WORKING " attempt_rejected=report check_started=green"
		  " integration_failed node_graded=unobserved,blocked"
		  " finding_recorded delegation_requested" },
	{ "its check failed", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" } },
		WORKING " attempt_rejected=check,report check_started=green"
		  " integration_failed node_graded=fail,unobserved,blocked"
		  " finding_recorded delegation_requested" },
	{ "is checked again", "A", "checked",
		{ { "A@1", EV_CHECK_STARTED, "green" } },
		LIVE " attempt_interrupted=timeout,workspace_lost attempt_lost"
		  " check_recorded scope_violated finding_recorded delegation_requested" },
	{ "must fail on the base first", "D", "reported", NO_STEPS,
		WORKING " attempt_rejected=report check_started=red"
		  " integration_failed node_graded=unobserved,blocked"
		  " finding_recorded delegation_requested" },
	{ "a check runs on the base", "D", "reported",
		{ { "D@1", EV_CHECK_STARTED, "red" } },
		LIVE " attempt_interrupted=timeout,workspace_lost attempt_lost"
		  " check_recorded scope_violated finding_recorded delegation_requested" },
	{ "failed on the base", "D", "reported",
		{ { "D@1", EV_CHECK_STARTED, "red" },
		    { "D@1", EV_CHECK_RECORDED, "fail" } },
		WORKING " attempt_rejected=report check_started=green"
		  " integration_failed node_graded=unobserved,blocked"
		  " finding_recorded delegation_requested" },
	{ "passed on the base", "D", "reported",
		{ { "D@1", EV_CHECK_STARTED, "red" },
		    { "D@1", EV_CHECK_RECORDED, "pass" } },
		WORKING " attempt_rejected=report integration_failed"
		  " node_graded=fail,unobserved,blocked finding_recorded delegation_requested" },
	{ "failed", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_NODE_GRADED, "fail" } },
		IDLE " result_kept"
		  " decision_recorded=amend_acceptance,amend_paths,regroup" },
	{ "unobserved", "A", "reported",
		{ { "A@1", EV_NODE_GRADED, "unobserved" } },
		IDLE " result_kept node_blocked finding_recorded" },
	{ "graded blocked", "A", "reported",
		{ { "A@1", EV_NODE_GRADED, "blocked" } },
		IDLE " result_kept node_unblocked contract_amended" },
	/* findings and decisions (3.7) */
	{ "checked, and a finding blocks", "A", "checked",
		{ { "A@1", EV_FINDING_RECORDED, "acceptance_violation" } },
		WORKING " attempt_rejected=audit check_started=green"
		  " integration_failed node_graded=unobserved,blocked"
		  " finding_recorded" },
	{ "checked, and a finding is carried", "A", "checked",
		{ { "A@1", EV_FINDING_RECORDED, "hardening" } },
		WORKING " check_started=green integrated integration_failed"
		  " node_graded=unobserved,blocked finding_recorded" },
	{ "integrated, and a finding blocks", "A", "integrated",
		{ { "A@1", EV_FINDING_RECORDED, "security_or_integrity" } },
		LIVE " node_graded=unobserved,blocked scope_violated"
		  " finding_recorded" },
	{ "passed, and a finding blocks", "A", "settled",
		{ { "A@1", EV_FINDING_RECORDED, "reproducible_regression" } },
		RUN " decision_amended result_kept finding_recorded"
		  " run_closed=partial,blocked,failed" },
	{ "granted another attempt", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_NODE_GRADED, "fail" },
		    { "A", EV_DECISION_RECORDED, "regroup" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "its repair's check failed", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_ATTEMPT_REJECTED, "check" },
		    { "A@2", EV_ATTEMPT_RESERVED, "" },
		    { "A@2", EV_ATTEMPT_STARTED, "" },
		    { "A@2", EV_ATTEMPT_REPORTED, "" },
		    { "A@2", EV_CHECK_STARTED, "green" },
		    { "A@2", EV_CHECK_RECORDED, "fail" } },
		WORKING " check_started=green integration_failed"
		  " node_graded=fail,unobserved,blocked finding_recorded"
		  " decision_recorded=amend_acceptance,amend_paths,regroup,block delegation_requested" },
	{ "a finding blocks its repair", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_ATTEMPT_REJECTED, "check" },
		    { "A@2", EV_ATTEMPT_RESERVED, "" },
		    { "A@2", EV_ATTEMPT_STARTED, "" },
		    { "A@2", EV_ATTEMPT_REPORTED, "" },
		    { "A@2", EV_CHECK_STARTED, "green" },
		    { "A@2", EV_CHECK_RECORDED, "pass" },
		    { "A@2", EV_FINDING_RECORDED, "acceptance_violation" } },
		WORKING " attempt_rejected=audit check_started=green"
		  " integration_failed node_graded=unobserved,blocked"
		  " finding_recorded decision_recorded=accept_check,amend_acceptance,amend_paths,regroup,block" },
	/* questions */
	{ "started, and asks", "A", "started",
		{ { "A", EV_QUESTION_OPENED, "question" } },
		LIVE " attempt_reported attempt_interrupted attempt_lost"
		  " attempt_abandoned result_quarantined question_answered=coordinator,human"
		  " scope_violated delegation_requested" },
	{ "started, and asks for an act", "A", "started",
		{ { "A", EV_QUESTION_OPENED, "act" } },
		LIVE " attempt_reported attempt_interrupted attempt_lost"
		  " attempt_abandoned result_quarantined"
		  " question_answered=human,denied scope_violated delegation_requested" },
	{ "started, and was answered", "A", "started",
		{ { "A", EV_QUESTION_OPENED, "question" },
		    { "A", EV_QUESTION_ANSWERED, "human" } },
		WORKING " attempt_reported result_quarantined delegation_requested" },
	{ "integrated, and asked about", "A", "integrated",
		{ { "A", EV_QUESTION_OPENED, "question" } },
		LIVE " node_graded=unobserved,blocked question_answered=coordinator,human"
		  " scope_violated finding_recorded" },
	{ "needs an answer", "A", "started",
		{ { "A", EV_QUESTION_OPENED, "question" },
		    { "A@1", EV_ATTEMPT_INTERRUPTED, "input_required" },
		    { "A@1", EV_WORKSPACE_RECONCILED, "" } },
		IDLE " result_kept question_answered=coordinator,human contract_amended" },
	{ "started, and its act was denied", "A", "started",
		{ { "A", EV_QUESTION_OPENED, "act" },
		    { "A", EV_QUESTION_ANSWERED, "denied" } },
		WORKING " attempt_reported result_quarantined delegation_requested" },
	{ "failed, and a human is asked", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_NODE_GRADED, "fail" },
		    { "A", EV_QUESTION_OPENED, "act" } },
		IDLE " result_kept question_answered=human,denied"
		  " decision_recorded=amend_acceptance,amend_paths,regroup,input_required" },
	{ "failed, and a human has to decide", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_NODE_GRADED, "fail" },
		    { "A", EV_QUESTION_OPENED, "act" },
		    { "A", EV_DECISION_RECORDED, "input_required" } },
		IDLE " result_kept question_answered=human,denied"
		  " decision_recorded=amend_acceptance,amend_paths,regroup" },
	{ "failed, and a human has decided", "A", "reported",
		{ { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" },
		    { "A@1", EV_NODE_GRADED, "fail" },
		    { "A", EV_QUESTION_OPENED, "act" },
		    { "A", EV_DECISION_RECORDED, "input_required" },
		    { "A", EV_QUESTION_ANSWERED, "human" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "its question is stale", "A", "started",
		{ { "A", EV_QUESTION_OPENED, "question" },
		    { "A@1", EV_ATTEMPT_LOST, "" },
		    { "A@1", EV_WORKSPACE_RECONCILED, "" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	/* delegations: one level, of an attempt that isn't judged yet */
	{ "started, and asks to delegate", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested"
		  " delegation_approved delegation_rejected" },
	{ "may delegate", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_APPROVED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested"
		  " delegation_started delegation_released" },
	{ "may not delegate", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_REJECTED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested" },
	{ "has delegated", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_APPROVED, "" },
		    { "A@1", EV_DELEGATION_STARTED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested"
		  " delegation_reported delegation_released" },
	{ "its delegation has reported", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_APPROVED, "" },
		    { "A@1", EV_DELEGATION_STARTED, "" },
		    { "A@1", EV_DELEGATION_REPORTED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested"
		  " delegation_released" },
	{ "its delegation is released", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_APPROVED, "" },
		    { "A@1", EV_DELEGATION_STARTED, "" },
		    { "A@1", EV_DELEGATION_REPORTED, "" },
		    { "A@1", EV_DELEGATION_RELEASED, "" } },
		WORKING " attempt_reported result_quarantined delegation_requested" },
	{ "integrated, and has delegated", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_APPROVED, "" },
		    { "A@1", EV_DELEGATION_STARTED, "" },
		    { "A@1", EV_ATTEMPT_REPORTED, "" },
		    { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "pass" },
		    { "A@1", EV_INTEGRATED, "" } },
		LIVE " node_graded=unobserved,blocked scope_violated"
		  " finding_recorded delegation_reported delegation_released" },
	{ "interrupted, and had asked to delegate", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_ATTEMPT_INTERRUPTED, "timeout" },
		    { "A@1", EV_WORKSPACE_RECONCILED, "" } },
		IDLE " attempt_reserved result_kept node_blocked"
		  " contract_amended" },
	{ "interrupted, and its delegation is left", "A", "started",
		{ { "A@1", EV_DELEGATION_REQUESTED, "" },
		    { "A@1", EV_DELEGATION_APPROVED, "" },
		    { "A@1", EV_DELEGATION_STARTED, "" },
		    { "A@1", EV_ATTEMPT_INTERRUPTED, "timeout" },
		    { "A@1", EV_WORKSPACE_RECONCILED, "" } },
		RUN " decision_amended result_kept node_blocked question_opened"
		  " delegation_reported delegation_released contract_amended" },
	/* cleanups (3.9) */
	{ "owns a process", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" } },
		LIVE " attempt_started attempt_start_failed scope_amended"
		  " cleanup_settled=verified,failed,unverifiable,retained" },
	{ "its process didn't go", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" },
		    { "A@1", EV_CLEANUP_SETTLED, "failed" } },
		LIVE " attempt_started attempt_start_failed scope_amended"
		  " cleanup_settled=verified,failed,unverifiable,retained" },
	{ "its process can't be seen", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" },
		    { "A@1", EV_CLEANUP_SETTLED, "unverifiable" } },
		LIVE " attempt_started attempt_start_failed scope_amended attempt_abandoned"
		  " cleanup_settled=verified,failed,unverifiable,retained" },
	{ "its process is gone", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" },
		    { "A@1", EV_CLEANUP_SETTLED, "verified" } },
		LIVE " attempt_started attempt_start_failed scope_amended attempt_abandoned" },
	{ "its process is kept", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" },
		    { "A@1", EV_CLEANUP_SETTLED, "retained" } },
		LIVE " attempt_started attempt_start_failed scope_amended attempt_abandoned" },
	{ "owns a session", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "session" } },
		LIVE " attempt_started attempt_start_failed scope_amended"
		  " cleanup_settled=done,failed,unverifiable,retained" },
	{ "its session is over", "A", "reserved",
		{ { "A@1", EV_CLEANUP_REGISTERED, "session" },
		    { "A@1", EV_CLEANUP_SETTLED, "done" } },
		LIVE " attempt_started attempt_start_failed scope_amended attempt_abandoned" },
	{ "integrated, and owns a process", "A", "integrated",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" } },
		LIVE " cleanup_settled=verified,failed,unverifiable,retained"
		  " scope_violated finding_recorded" },
	{ "interrupted, and owns a process", "A", "started",
		{ { "A@1", EV_CLEANUP_REGISTERED, "process" },
		    { "A@1", EV_ATTEMPT_INTERRUPTED, "timeout" },
		    { "A@1", EV_WORKSPACE_RECONCILED, "" } },
		RUN " decision_amended attempt_reserved result_kept"
		  " node_blocked question_opened"
		  " cleanup_settled=verified,failed,unverifiable,retained"
		  " contract_amended" },
	{ "its check failed, its session is over", "A", "reported",
		{ { "A@1", EV_CLEANUP_REGISTERED, "session" },
		    { "A@1", EV_CLEANUP_SETTLED, "done" },
		    { "A@1", EV_CLEANUP_REGISTERED, "worktree" },
		    { "A@1", EV_CHECK_STARTED, "green" },
		    { "A@1", EV_CHECK_RECORDED, "fail" } },
		WORKING " attempt_rejected=check,report check_started=green"
		  " integration_failed finding_recorded delegation_requested" },
	/* who coordinates, and by which driver (3.10) */
	{ "handed over to anybody", "A", "",
		{ { "", EV_COORDINATOR_TRANSFERRED, "anybody" } },
		"coordinator_taken_over coordinator_claimed" },
	{ "handed over to one", "A", "",
		{ { "", EV_COORDINATOR_TRANSFERRED, "c2" } },
		"coordinator_taken_over=free,c2 coordinator_claimed=c2" },
	{ "claimed", "A", "",
		{ { "", EV_COORDINATOR_TRANSFERRED, "anybody" },
		    { "", EV_COORDINATOR_CLAIMED, "c1" } },
		IDLE " attempt_reserved node_blocked contract_amended" },
	{ "claimed by the one", "A", "",
		{ { "", EV_COORDINATOR_TRANSFERRED, "c2" },
		    { "", EV_COORDINATOR_CLAIMED, "c2" } },
		IDLE " attempt_reserved node_blocked contract_amended" },
	{ "a driver is being selected", "A", "",
		{ { "", EV_DRIVER_SELECTION_RESERVED, "" } },
		"coordinator_taken_over=free,c2 coordinator_transferred"
		  " coordinator_resumed driver_selected decision_amended"
		  " attempt_reserved node_blocked question_opened"
		  " journal_repaired contract_amended"
		  " run_closed=partial,blocked,failed" },
	{ "a driver is selected", "A", "",
		{ { "", EV_DRIVER_SELECTION_RESERVED, "" },
		    { "", EV_DRIVER_SELECTED, "" } },
		"coordinator_taken_over=free,c2 coordinator_transferred"
		  " coordinator_resumed decision_amended attempt_reserved"
		  " node_blocked question_opened journal_repaired"
		  " contract_amended run_closed=partial,blocked,failed" },
	{ "closed", "G", "",
		{ { "", EV_RUN_CLOSED, "partial" } },
		"coordinator_taken_over=free,c2 journal_repaired" },
};
/* clang-format on */

#endif
