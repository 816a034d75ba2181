/*
 * pilot: the autopilot; one loop that drives a run until nothing can move.
 *
 * It keeps no truth of its own.  What to do next for an attempt follows from
 * the state and from what the world shows (is its monitor alive, has it left an
 * exit?), so going on after a crash and going on after a minute are one code:
 *
 *	reserved    make the workspace, write the capsule, spawn the monitor
 *	            with its gate closed, record `started`, open the gate
 *	started     wait for the monitor; prove the scope; record the report
 *	reported    run the check in the workspace under a monitor
 *	checked     put a worktree's work onto the run's branch
 *	integrated  remove the worktree, grade
 *
 * Every effect stands between a commit that reserves it and one that records
 * it.  The lock is held only while events are decided and appended.  Waiting is
 * on pidfds, signals, a watch on the journal (a human's decision by another
 * process) and timers; nothing is polled.
 *
 * Files: pilot.c (loop and scheduling), slot.c (children under the loop's
 * eyes), ground.c (the worktrees below them), plumb.c (a pilot for one verb),
 *host.c (attempts that somebody hands on), worker.c and worker_end.c (start and
 *end of a worker), handed.c (what it hands in), asking.c (what it asks),
 *patience.c (its deadline meanwhile), verdict.c (checks), red.c (their failure
 *on the base), workspace.c (worktrees, snapshots, what is undone), landing.c
 *(integration, and what is given up), settle.c (cleanups that are done with),
 *closing.c (what a run changed).
 */
#ifndef PAWL_ENGINE_PILOT_H
#define PAWL_ENGINE_PILOT_H

#include "engine/driver_client.h"
#include "engine/exit.h"
#include "engine/git.h"
#include "engine/repo.h"
#include "engine/run.h"
#include "model/agent_profile.h"
#include "os/fingerprint.h"
#include "os/loop.h"
#include "os/monitor.h"
#include "os/owner.h"

/* What a folder held when it was last looked at, while nothing is written. */
struct seen_tree {
	struct str top; /* of the folder; empty: not used */
	struct fingerprint print;
	struct oid tree;
};

enum { PILOT_SEEN_MAX = 64, PILOT_DRIVERS_MAX = 4 };

/* Of an attempt that a driver's program has: what was asked of it. */
struct afar_watch {
	bool opened;       /* by this process */
	uint32_t failures; /* polls in a row without an answer */
	uint64_t pause_ms; /* before the next poll */
	uint32_t told;     /* answers to its worker, handed to the driver */
	char cursor[SERVE_CURSOR_BYTES + 1];
};

VEC_DEF(attempt_indexes, uint32_t);

/* What a worker's monitor was last told of its deadline. */
enum slot_clock { SLOT_UNTOLD, SLOT_HELD, SLOT_RUNS };

/* A child of a live attempt: the worker's monitor or the check's. */
struct slot {
	uint32_t attempt; /* index in the state */
	bool used;
	bool checking; /* the check's */
	bool host;     /* no process of ours: its outbox is watched */
	bool afar;     /* likewise: a driver is asked again at times */
	bool ended;    /* its monitor is gone */
	bool asked;    /* told to end */
	bool told;     /* its worker may have asked something */
	enum slot_clock clock;
	struct monitor monitor;
	uint64_t exits_from; /* its monitor wrote nothing before this offset */
	uint64_t source;     /* of the loop */
	uint64_t outbox;     /* likewise, of the worker's outbox; 0: none */
	uint64_t ground[2];  /* likewise, of its worktree and what holds it */
	uint64_t timer;      /* likewise; of a host's deadline, or the next
			      * question to a driver */
	struct afar_watch watch;
	struct pilot *pilot;
};

struct pilot_config {
	const char *child;     /* path of pawl-child */
	const char *worktrees; /* folder for this run's worktrees; absolute */
	const char *lock_dir;  /* for git's administrative steps */
	bool wait;             /* stay while only humans can move it */
	bool once;             /* start one wave, see it through, stop */
	struct str driver;     /* of what it reserves; empty: the one that
				* runs processes here */
	const char *worker;    /* name of who works on it; NULL: none is said */
	struct strs argv;  /* command of what it reserves; none: the run's */
	bool manual;       /* facts only: no consequence follows by itself */
	uint64_t grace_ms; /* between TERM and KILL */
};

struct pilot {
	struct run *run;
	struct repo repo;
	struct git_serve serve; /* of repo */
	struct pilot_config config;
	struct loop loop;
	struct owner self;
	int exits; /* where monitors write how their children ended */
	struct driver_client drivers[PILOT_DRIVERS_MAX];
	struct attempt_indexes left;  /* afar: not looked at any more */
	struct attempt_indexes asked; /* afar: were to be released */
	struct slot *slots;
	uint32_t slot_count;
	int stop_signal; /* the first INT, TERM or HUP; 0: none */
	bool has_afar;   /* attempts that a driver's program may have */
	bool looking;    /* at signals and the journal */
	bool changed;    /* the journal may have grown by others */
	bool open;       /* run_begin() was called, nothing committed yet */
	struct str key, request; /* of a verb's last commit; or empty */
	uint64_t probe_timer;    /* of the breaker */
	uint64_t probe_at_ms;    /* boot time; no start before it; 0: none */
	struct seen_tree seen[PILOT_SEEN_MAX];
	uint32_t seen_next; /* the one to be replaced next */
	struct str tree;    /* snapshot of the place, while it is known */
	bool has_readers;   /* tasks that may be placed beside worktrees */
	uint32_t started;   /* attempts reserved by this process */
	uint32_t oldest;    /* no attempt before it needs anything any more */
	uint64_t first_seq; /* what stood when this process began */
	struct agent_profiles agents; /* that the run froze */
	bool identified;              /* `ident` was asked for */
	struct git_ident ident;       /* of commits */
	uint32_t landing_1; /* 1 + attempt that alone may check on the tip */
	struct arena mem;   /* of one turn */
	struct arena keep;  /* as long as the pilot */
};

enum pilot_outcome {
	PILOT_COMPLETE,
	PILOT_WAITS_FOR_HUMAN,
	PILOT_STANDS,  /* FAILED or BLOCKED */
	PILOT_STOPPED, /* by a signal, or --once */
};

/*
 * Drive the run, of which this process is the coordinator (its generation is
 * run->gen), until nothing can move.
 *
 * Errors: ERR_STALE_COORDINATOR when another one took over (the workers are
 * then its own); those of closing_prove, with details as long as the run is
 * open; those of the journal.  After any error the workers go on under
 * their monitors, and the next coordinator adopts them.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_run(struct run *run, const struct repo *repo,
	const struct pilot_config *config, enum pilot_outcome *ret_outcome,
	int *ret_signal, struct pawl_err *err);

/*
 * A pilot over an open run, at rest: nothing is watched but, unless it is
 * manual, the journal and this process's signals.  Its run stays the caller's.
 * After a failure there is nothing to close.
 *
 * Errors: ERR_IO and others of fs and loop.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_open(struct pilot *p, struct run *run,
	const struct repo *repo, const struct pilot_config *config,
	struct pawl_err *err);

/* What was proposed and not committed is forgotten; children go on under their
 * monitors. */
void pilot_close(struct pilot *p);

/*
 * Shared by the pilot's files.
 *
 * What points into the state is good until the journal is read: that is with
 * pilot_refresh, and with the first proposal of a commit.  Others may have
 * appended then, and lists grow.
 */

/*
 * Have signals and the journal under the loop's eyes from now on; a manual
 * pilot, which mostly sleeps for nothing, has them only when it is to wait.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_look(struct pilot *p, struct pawl_err *err);

/* Read what others have appended, when the journal may have grown.  Errors:
 * ERR_STALE_COORDINATOR; those of run_refresh. */
PAWL_MUST_CHECK enum pawl_rc pilot_refresh(
	struct pilot *p, struct pawl_err *err);

/* Take the lock and read on, unless a commit is under way. */
PAWL_MUST_CHECK enum pawl_rc pilot_begin(struct pilot *p, struct pawl_err *err);

/* Propose one more event of the commit under way; opens one when needed. */
PAWL_MUST_CHECK enum pawl_rc pilot_propose(
	struct pilot *p, const struct command *cmd, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc pilot_commit(
	struct pilot *p, struct pawl_err *err);

struct attempt *pilot_attempt(struct pilot *p, uint32_t attempt);
struct str pilot_attempt_id(struct pilot *p, uint32_t attempt);
struct str pilot_node_id(struct pilot *p, uint32_t attempt);
bool pilot_writes(const struct pilot *p, uint32_t attempt);

/* A command about an attempt. */
struct command pilot_command(
	struct pilot *p, enum event_type type, uint32_t attempt);

/* The slot of an attempt's child, or NULL. */
struct slot *pilot_slot(struct pilot *p, uint32_t attempt);

/* Put a monitor under the loop's eyes. */
PAWL_MUST_CHECK enum pawl_rc pilot_watch(struct pilot *p, uint32_t attempt,
	bool checking, const struct monitor *m, struct pawl_err *err);
void pilot_unwatch(struct pilot *p, struct slot *slot);

/*
 * Watch the outbox of an attempt; it is made again when it is gone.  What isn't
 * a folder isn't watched: whoever looks into it will be told.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_watch_outbox(struct pilot *p,
	uint32_t attempt, uint32_t mask, struct loop_call call,
	uint64_t *ret_source, struct pawl_err *err);

/* As pilot_watch, for an attempt without a process: its slot ends when
 * something lies in its outbox, or at its deadline. */
PAWL_MUST_CHECK enum pawl_rc pilot_watch_host(struct pilot *p, uint32_t attempt,
	uint64_t at_ms, struct pawl_err *err);

/* As pilot_watch, for one that a driver's program has: its slot ends at
 * `at_ms`, when the driver is to be asked again. */
PAWL_MUST_CHECK enum pawl_rc pilot_watch_afar(struct pilot *p, uint32_t attempt,
	uint64_t at_ms, struct pawl_err *err);

/*
 * Open the gate of a monitor that is watched.  One that has ended meanwhile has
 * executed nothing, which its end will tell.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_open_gate(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * What the monitor of an attempt's worker or check, which is gone, has left:
 * `name` as it was spawned, `id` as it was recorded.  Its slot is freed.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_exit(struct pilot *p, uint32_t attempt,
	struct str name, const struct owner_id *id,
	struct exit_facts *ret_facts, struct pawl_err *err);

/* Absolute path in the run's folder: "outbox/API-01@1". */
const char *pilot_path(struct pilot *p, const char *fmt, ...) PAWL_PRINTF(2, 3);

/*
 * Settle every open cleanup of `kind` of an attempt's node with `status`; of
 * worktrees only that of the attempt, which a repair shares with the one before
 * it.
 */
PAWL_MUST_CHECK enum pawl_rc pilot_settle(struct pilot *p, uint32_t attempt,
	struct str kind, struct str status, struct str reason,
	struct pawl_err *err);

#endif
