/*
 * state: what is true of one run; the fold of its journal.
 *
 * Made from a plan and nothing, changed only by apply() (model/apply.h), read
 * by everything else.  READY and PENDING are derived along the edges that an
 * event touched, so each node's history is complete and an event costs what it
 * touches, never a rescan.  Strings are copies in the state's own arena, or
 * views into the plan's text.
 *
 * A node that needs approval and whose dependencies are resolved is *due*: the
 * commit that resolved them carries its `gate_opened` too (decide_due_gates),
 * so no commit ends with a node that waits for a gate nobody can answer.
 *
 * A node with an open question or delegation can't be graded pass, and nothing
 * of it is started or checked by itself.  When its worker ends without a report
 * while one is open, the node needs approval: not a gate but the answer lets it
 * go on (design 3.3).
 */
#ifndef PAWL_MODEL_STATE_H
#define PAWL_MODEL_STATE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "model/budget.h"
#include "model/delegation.h"
#include "model/event.h"
#include "model/plan.h"
#include "model/rankset.h"
#include "model/scope_trie.h"
#include "model/state_id.h"
#include "model/status.h"

/*
 * The cause of an end that says nothing about the node: its coordinator was
 * stopped or died.  It counts against no bound and opens no breaker.
 */
#define CAUSE_COORDINATOR_STOPPED STR("coordinator_stopped")

/*
 * The cause of an end that waits for an answer: the worker stopped because it
 * could not go on by itself.  It counts against no bound either.
 */
#define CAUSE_INPUT_REQUIRED STR("input_required")
/* Of an end: what the attempt worked in is gone, or isn't ours any more. */
#define CAUSE_WORKSPACE_LOST STR("workspace_lost")
/* Why an attempt can't pass whose check passes without its work, too. */
#define RED_PASSED STR("auto: red: the check passes on the base already")

enum { HISTORY_INLINE = 12 };

struct node_state {
	uint32_t waiting;       /* dependencies that are not resolved yet */
	uint32_t attempt_1;     /* 1 + index of the last attempt; 0 is none */
	uint32_t gate_1;        /* 1 + index of the last gate */
	uint32_t block_1;       /* 1 + index of the last block */
	uint32_t amendment_1;   /* 1 + index of the last amendment */
	uint64_t seq;           /* of the last line that changed it */
	uint16_t attempts;      /* reservations so far; the last one's number */
	uint16_t runs;          /* RUNNING entries of the history */
	uint8_t status;         /* enum node_status */
	uint8_t block;          /* enum block_reason */
	uint8_t grade;          /* enum grade; of the last attempt */
	uint8_t rejects;        /* attempts that a verdict ended */
	uint8_t start_failures; /* since the last unblock */
	uint8_t ends;           /* ends without a verdict, likewise */
	uint8_t gates;          /* gates opened so far */
	uint8_t cleanups;       /* of its attempts, not settled yet */
	uint8_t questions;      /* that are open */
	uint8_t delegations;    /* of its attempts, that are open */
	uint8_t red;            /* enum verdict of its check on the base */
	uint8_t grants;         /* attempts that decisions added */
	bool rescoped;          /* an attempt had a scope of its own */
	uint8_t history_count;  /* entries inline; more are in state->history */
	uint8_t history[HISTORY_INLINE];
};

/* Who a process is, as far as another boot or namespace can tell. */
struct owner_id {
	struct str machine, boot;
	uint64_t pidns, pid;
	uint64_t start; /* clock ticks since boot; /proc/PID/stat field 22 */
};

struct attempt {
	uint32_t node;
	uint32_t number; /* from 1; `node@number` */
	uint8_t status;  /* enum attempt_status */
	uint8_t placement;
	uint8_t verdict;     /* enum verdict of the last check */
	bool unreconciled;   /* it may have left changes behind */
	bool fresh;          /* rejected; its repair begins from the base */
	bool handed_in;      /* its report is the worker's, not ours */
	uint32_t blocking;   /* findings that keep it from passing */
	uint32_t checks;     /* executions started */
	uint32_t voids;      /* of them, voided */
	uint32_t check_1;    /* 1 + index of the last check */
	uint32_t red_1;      /* 1 + index of the check on the base */
	uint32_t revision;   /* of the contract that it was reserved for */
	struct str base;     /* commit that it started from */
	struct str worktree; /* absolute path; empty in place */
	uint64_t dev, ino;   /* of the worktree, once started */
	struct str branch;
	struct str before;     /* tree of the workspace before it, in place */
	struct str after;      /* tree that it reported */
	struct str hypothesis; /* of a repair; empty on the first */
	struct str cause;      /* why it ended, when it did not settle; on a
				* live one, why it can't pass any more */
	struct str message;
	struct str capsule_sha256;
	struct str report_sha256;
	struct str summary;
	struct str commit; /* once integrated */
	/* work that was there before the run */
	struct str imported;     /* id of the import; empty: a worker's */
	struct str artifact;     /* digest of the import's evidence */
	struct str driver;       /* who starts it; a name */
	struct owner_id monitor; /* once started */
	struct str refs; /* JSON: by which a driver that is a program finds it
			  * again; empty: none has it */
	uint64_t deadline_ms;
	uint64_t seq_reserved; /* line of the journal */
	uint64_t seq_ended;    /* 0 while it lives */
	struct str at_started; /* wall time, for people */
	/* views: when it reported, and when its check passed */
	struct str at_reported, at_checked;
	struct str at_ended;

	/* The attempt's way by plumbing. */
	struct str worker; /* who works on it, as the coordinator says */
	struct str quarantined_sha256; /* of the malformed result, and */
	struct str quarantine_key;     /* whose it was to set aside */
	struct str kept_sha256; /* of the last result that came too late */

	struct strs scope; /* in normal form; none: as the contract */

	/* Once started: how its worker is confined; empty: nobody said. */
	struct str sandbox;
	struct strs lacks, widened;

	/* Whose program its worker is, and what that said at its end. */
	struct str profile;
	struct str session;
	struct strs usage; /* `input 1200`; none: nobody said */
};

/* What is started for an attempt in place of the run's command. */
struct attempt_command {
	uint32_t attempt; /* index */
	struct strs argv;
};

struct check {
	uint32_t attempt; /* index */
	uint32_t number;  /* from 1; `node@n#number` */
	uint8_t verdict;  /* NONE while it runs */
	bool red;         /* on the base, where it must fail */
	uint64_t seq;     /* line that recorded the verdict; 0: none */
	struct owner_id monitor;
	struct str tree;  /* snapshot before */
	struct str tail;  /* last line of its output, when it failed */
	struct str ended; /* `exit 1`, `signal 9`, `timeout`, `start failed` */
	uint64_t duration_ms;
	struct strs flagged;
	struct str sandbox; /* as of an attempt */
	struct strs lacks;
};

struct gate {
	uint32_t node;
	uint32_t number; /* from 1; `node!number` */
	uint8_t status;  /* enum gate_status */
	struct str reason;
	struct str contract_sha256, scope_sha256;  /* what it binds */
	struct str by, at, assurance, why, policy; /* once decided */
};

/*
 * ask: a question about a node, by the worker of its attempt or by its
 * coordinator.
 */
struct ask {
	uint32_t node;
	uint32_t attempt_1; /* 1 + index, when its worker asked */
	uint32_t number;    /* of its `ask-N.json`; 0: it has none */
	uint8_t status;     /* enum ask_status */
	uint8_t kind;       /* enum ask_kind */
	struct str prompt;
	struct str by;
	struct str opened;                             /* when */
	struct str answer, answered_by, assurance, at; /* once answered */
	uint64_t seq_answered; /* line of the journal; 0 before */
};

/* What a node that is BLOCKED wants; its reason is the node's `block`. */
struct block {
	uint32_t node;
	struct str message;
};

struct cleanup {
	struct str id;
	struct str kind; /* a word of CLEANUP_KIND_MAP */
	struct str target;
	struct str reason; /* of the status */
	uint32_t attempt;  /* index */
	uint8_t status;    /* enum cleanup_status */
	uint64_t dev, ino; /* of a path, when it was there; else 0 */
	struct str by;     /* who registered it; empty: pawl, for its own */
	struct str settled_by;
	struct str receipt;    /* digest of what shows it, or empty */
	struct owner_id owner; /* of a process that somebody registered */
};

bool is_cleanup_settled(const struct cleanup *c);

/* Findings and decisions: what the rework of a node goes by. */
struct rework_finding {
	uint32_t attempt; /* index */
	uint8_t class;    /* enum finding_class */
	bool overruled;   /* a decision let the passed check stand against it */
	struct str id;
	struct str sha256; /* of the document */
	struct str summary;
};

struct rework_decision {
	uint32_t node;
	uint32_t attempt_1; /* 1 + the attempt that it served; 0: none yet */
	uint8_t action;     /* enum rework_action */
	uint32_t ask_1;     /* 1 + the question that it is; 0: none */
	struct str id;
	struct str note;
};

/* A revision of a node's contract, whole: what is empty is as in the plan. */
struct amendment {
	uint32_t node;
	uint32_t revision; /* from 2 */
	struct strs paths; /* in normal form, as they are shown */
	struct str acceptance;
	struct str check;
	struct str reason;
};

struct history_entry {
	uint32_t node;
	uint8_t status;
};

VEC_DEF(attempts, struct attempt);
VEC_DEF(checks, struct check);
VEC_DEF(gates, struct gate);
VEC_DEF(asks, struct ask);
VEC_DEF(cleanups, struct cleanup);
VEC_DEF(blocks, struct block);
VEC_DEF(rework_findings, struct rework_finding);
VEC_DEF(rework_decisions, struct rework_decision);
VEC_DEF(amendments, struct amendment);
VEC_DEF(attempt_commands, struct attempt_command);
VEC_DEF(history_entries, struct history_entry);
VEC_DEF(node_numbers, uint32_t);

/* A name that coordinates the run, or has. */
struct coordinator {
	struct str name;
};

VEC_DEF(coordinators, struct coordinator);

/* The run as `run_started` froze it. */
struct run_facts {
	struct str run, list, list_sha256, decision_sha256, repo, base, branch;
	struct str profile, filesystem, version, binary;
	struct str author;   /* who made it: `local:ada`, `coordinator:c1` */
	struct strs argv;    /* of the worker */
	struct strs secrets; /* names of variables that are masked in logs */
	struct strs dirty;
	struct strs capacity;      /* CLASS=N, of what tasks need */
	struct str sandbox;        /* level of workers and checks; empty: off */
	struct strs reads, writes; /* granted to them, besides their own */
	bool check_net;            /* checks may use the network */
	struct str agents_sha256;  /* of the profiles of agents; empty: none */
	uint64_t slots, device, list_bytes;
	bool allow_dirty, strict;
	uint8_t placement; /* where its writers work */
};

/*
 * Ends without a verdict that share a cause, across nodes; or a long row of
 * them with any causes.
 */
struct breaker {
	struct str cause;
	uint32_t count; /* in a row */
	uint32_t last_node;
	bool several;    /* more than one node */
	uint32_t probes; /* failed since it opened */
	uint32_t row;    /* ends of any cause since the last report */
};

/* A time of a line, in the journal's shape. */
struct at_room {
	char text[32];
};

struct state {
	const struct plan *plan;
	struct run_facts run;
	struct owner_id coordinator;
	/* Who coordinates (design 3.10); pid 0 of `coordinator`: no process. */
	struct str coordinator_name; /* empty: a process, or nobody */
	struct str coordinator_for;  /* vacant: who alone may claim; or empty */
	struct str coordinator_capsule; /* digest: what a claimer is told */
	uint64_t capsule_gen;           /* generation that it began */
	struct str token_sha256;        /* of the named coordinator's token */
	struct str driver;              /* of a named one; once selected */
	struct str driver_asked;        /* the one that the run began with */
	struct str driver_receipt;      /* digest: what it can do */
	struct str selection; /* of a driver, reserved and not done yet */
	bool vacant;          /* nobody coordinates, until a claim */
	/* The decision that holds (design 4.3), and what is left of the run. */
	struct str decision_sha256; /* of its bytes */
	struct str decision_mode;   /* word; empty: graph */
	uint64_t decision_revision; /* 0: the first */
	struct strs budget_lines;   /* its limits, as the journal has them */
	struct budget budget;       /* the same, read */
	uint64_t wall_ms;           /* of its lines, without steps back */
	bool single_writer;         /* one writer at a time, wherever */
	bool reduced;               /* only retained tasks may start */
	struct coordinators coordinators; /* each name once */
	struct node_numbers retained;     /* when reduced, ascending */
	struct node_state *nodes;
	struct rankset ready;     /* READY, no attempt alive, by rank */
	uint32_t *rank_of;        /* of a node */
	uint32_t *node_at;        /* of a rank */
	struct scope_trie active; /* scopes of live attempts; holder: attempt */
	struct attempts attempts;
	struct checks checks;
	struct gates gates;
	struct asks asks;
	struct delegations delegations;
	struct cleanups cleanups;
	struct blocks blocks;
	struct rework_findings findings;
	struct rework_decisions decisions;
	struct amendments amendments;
	struct attempt_commands commands; /* of the few that have their own */
	struct history_entries history;   /* what the nodes have no room for */
	struct node_numbers due; /* nodes that need a gate in this commit */
	struct breaker breaker;
	uint64_t seq, gen;      /* of the last line folded */
	uint64_t lines_started; /* run_started was seen */
	struct str tip;         /* head of the run's branch; empty before one */
	struct str outcome;     /* run_closed; empty while open */
	struct str at;          /* of the last line */
	struct at_room *at_room; /* where that lies, once there was a line */
	uint32_t last_node;      /* of the last event that named one */
	uint8_t last_type;       /* views: enum event_type of the last event */
	uint32_t by_status[NODE_STATUS_COUNT];
	uint32_t live_attempts, live_writers, live_in_place;
	uint32_t cleanups_open, gates_open, unobserved, unreconciled;
	uint32_t asks_open;
	/* delegations: open, and of those the ones that outlive their parent */
	uint32_t delegations_open, delegations_left;
	/* Findings that keep the run from being COMPLETE, by their kind. */
	uint32_t findings_blocking, findings_carried;
	struct arena mem;
};

/* All nodes PENDING, before run_started.  The plan must outlive the state. */
void state_init(struct state *s, const struct plan *plan);
void state_release(struct state *s);

enum run_status state_run_status(const struct state *s);
bool is_run_closed(const struct state *s);

/* Does or did it coordinate the run under this name? */
bool state_has_coordinated(const struct state *s, struct str name);

/* The live attempt of a node, or NULL. */
const struct attempt *state_live(const struct state *s, uint32_t node);
const struct attempt *state_last_attempt(const struct state *s, uint32_t node);
bool is_attempt_live(const struct attempt *a);

/* The check of an attempt that runs, or NULL. */
const struct check *state_running_check(
	const struct state *s, const struct attempt *a);

/* Must the node's check be seen to fail on the base before it counts? */
bool is_red_wanted(const struct state *s, uint32_t node);

/* It started, and ended with nothing said about the work: the next one begins
 * anew, with the hypothesis that this one had. */
bool is_ended_without_verdict(const struct attempt *a);

/* The agent whose program works on it; empty: a command, or who is handed it.
 */
struct str state_agent(const struct state *s, uint32_t attempt);

/* The command of an attempt that has its own, or NULL: it has the run's. */
static inline const struct strs *
state_command(const struct state *s, uint32_t attempt)
{
	const struct attempt_command *c;

	VEC_EACH (c, &s->commands) {
		if (c->attempt == attempt)
			return &c->argv;
	}
	return NULL;
}

/*
 * It has started, and neither a monitor nor a driver's program has it: somebody
 * works on it, and nobody may call it lost for that.
 */
bool is_attempt_unmonitored(const struct attempt *a);

/* A driver that is a program has it. */
bool is_attempt_afar(const struct attempt *a);

/* Has it asked something that nobody has answered? */
bool is_attempt_asking(const struct state *s, uint32_t attempt);

/* Has somebody said yes or no to it, or anything else? */
bool is_ask_answered(const struct ask *q);

/* The first open question of a node; false when none is open. */
bool state_open_ask(const struct state *s, uint32_t node, uint32_t *ret_index);

/* Does a check of it run? */
bool is_attempt_checking(const struct state *s, const struct attempt *a);

/* Does an open question or delegation keep this attempt from going on by
 * itself? */
bool is_attempt_held(const struct state *s, const struct attempt *a);

/* Does the node wait for an answer, and for no gate? */
bool is_node_asking(const struct state *s, uint32_t node);

/* A node's statuses from the first on, `ret_count` of them, in `mem`. */
const uint8_t *state_history(const struct state *s, uint32_t node,
	struct arena *mem, uint32_t *ret_count);

/* The breaker holds new starts back; one probe at a time may go on. */
bool is_breaker_open(const struct state *s);
/* Its probes failed too: nothing starts until a human or a new coordinator. */
bool is_breaker_tripped(const struct state *s);

/* What a BLOCKED node wants; empty when nobody said, or it isn't BLOCKED. */
struct str state_block_message(const struct state *s, uint32_t node);

/* Did a reduction leave the node out? */
bool is_surplus(const struct state *s, uint32_t node);

/* Does the last granted gate of the node stand? */
bool is_approved(const struct state *s, uint32_t node);

#endif
