/*
 * intake: which mode of work a request wants, and on what grounds.
 *
 * Facts in, answer out: what was measured about the repository, what the caller
 * reports (the signals document), and the owner's answers.  Nothing is read or
 * written here.
 *
 * The answer is either *questions*, only those whose answer would change the
 * decision and that no repository fact and no owner has answered; or
 **selected*, with exactly one mode, the first that holds:
 *
 *	graph            asked for, with nothing missing
 *	light_spec       graph was asked for and something is missing (the
 *			 blockers); architecture uncertain, irreversible,
 *			 multi-surface or external, weak or no oracle, scope
 *			 unknown
 *	verified_single  needs iteration, context pressure, not cohesive, not
 *			 small
 *	direct           otherwise
 *
 * So graph is granted, never recommended.  A signal that could be measured is
 * what was measured, unless the report is the graver one.
 */
#ifndef PAWL_MODEL_INTAKE_H
#define PAWL_MODEL_INTAKE_H

#include "model/decision.h"
#include "model/signal.h"

/* A packet as it is reported; what is missing is a blocker of mode graph. */
struct intake_packet {
	struct str id, check; /* or empty */
	const struct str *paths;
	uint32_t paths_count;
	const struct json *self;
};

struct intake_permission {
	bool granted;
	struct str by; /* or empty */
};

/* Something that the request leaves open. */
struct intake_ambiguity {
	struct str id;
	struct str question;
	const enum decision_effect *affects; /* none: not material */
	struct str repository_fact;          /* answers it; or empty */
	struct str answer;                   /* the owner's; or empty */
	struct str safe_default;             /* or empty */
	uint32_t affects_count;
	const struct json *self;
};

/* The document of signals, as a caller hands it in. */
struct intake_signals {
	bool flags[SIGNAL_COUNT];      /* of those with false and true */
	unsigned values[SIGNAL_COUNT]; /* of the others */
	bool reported[SIGNAL_COUNT];
	const struct str *scope;
	const struct intake_packet *packets;
	struct str integrator;
	const struct decision_budget *budget;
	struct str cleanup_plan;
	const struct intake_permission *permission;
	const struct decision_assumption *assumptions;
	const struct intake_ambiguity *ambiguities;
	uint32_t scope_count, packets_count, budget_count, assumptions_count,
		ambiguities_count;
};

struct intake_answer {
	struct str id, answer;
	const struct json *self;
};

struct intake_answers {
	const struct intake_answer *answers;
	uint32_t answers_count;
};

/*
 * Read the document of signals; views of a copy in `mem`.  Errors:
 * ERR_NOT_JSON, ERR_LIMIT; ERR_INVALID_SIGNALS with the JSON Pointer in
 * err->field: the shape, a name that is no signal on purpose, a second
 * ambiguity of one id, a limit's unit, a path.
 */
PAWL_MUST_CHECK enum pawl_rc intake_signals_read(struct arena *mem,
	struct str bytes, struct intake_signals *ret_signals,
	struct pawl_err *err);

/*
 * Put the owner's answers into the ambiguities that they name.  Errors:
 * ERR_NOT_JSON, ERR_LIMIT; ERR_INVALID_SIGNALS, also for an id that nothing
 * asked.
 */
PAWL_MUST_CHECK enum pawl_rc intake_answers_read(struct arena *mem,
	struct str bytes, struct intake_signals *signals, struct pawl_err *err);

/* The shapes of both, without the rules that no shape can say. */
extern const struct field_table intake_signals_table, intake_answers_table;

struct intake_scope_fact {
	struct str path;
	uint32_t files; /* tracked at or below it */
	uint32_t dirty; /* paths of it that are not committed */
};

/* How often two packets were changed by one commit. */
struct intake_coupling {
	uint32_t a, b; /* packets */
	uint32_t together, a_commits, b_commits;
};

/* What was measured; each part says whether it could be. */
struct intake_facts {
	struct str base; /* commit; or empty */
	const struct intake_scope_fact *scopes;
	const struct intake_coupling *couplings; /* of any commits */
	struct str program;                      /* of the check */
	struct str probe; /* how it ended: `exit 1`, `timeout` */
	uint32_t dirty;
	uint32_t scopes_count;
	uint32_t couplings_count;
	uint32_t commits; /* that were looked at */
	bool has_repository;
	bool has_files, has_dirty, has_history, has_check, has_probe;
	bool check_found;    /* its program is there */
	bool probe_unusable; /* it can't judge anything */
};

struct intake_request {
	struct str sha256; /* of the request's text; 64 digits */
	struct str check;  /* one direct command */
	bool safe_defaults;
};

struct intake_signal {
	enum signal signal;
	uint32_t value;
	enum decision_provenance provenance;
	bool given; /* measured or reported; else it is the default */
};

struct intake_blocker {
	struct str code, message;
};

struct intake_result {
	bool selected; /* else there are questions */
	const struct intake_ambiguity *const *questions;
	uint32_t questions_count;
	struct intake_signal signals[SIGNAL_COUNT];
	const struct intake_blocker *blockers;
	uint32_t blockers_count;
	struct strs reasons; /* why this mode: `blast_radius is external` */
	struct decision_doc decision; /* when selected */
};

/* Commits that change two packets together, and their share, from which on
 * they are coupled. */
enum { INTAKE_COUPLED_COMMITS = 3, INTAKE_COUPLED_PERCENT = 50 };

void intake_decide(const struct intake_request *request,
	const struct intake_signals *signals, const struct intake_facts *facts,
	struct arena *mem, struct intake_result *ret_result);

/* The members of an answer: status, facts, signals, questions, decision. */
void intake_json(const struct intake_result *r, const struct intake_facts *f,
	struct json_writer *w);

/* The JSON Schemas of the two documents. */
void intake_signals_schema(struct buf *out);
void intake_answers_schema(struct buf *out);

#endif
