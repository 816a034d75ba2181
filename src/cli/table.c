#include "cli/table.h"

extern const struct cmd cmd_completion;
extern const struct cmd cmd_help;
extern const struct cmd cmd_init;
extern const struct cmd cmd_answer;
extern const struct cmd cmd_approve;
extern const struct cmd cmd_decision_amend;
extern const struct cmd cmd_decision_check;
extern const struct cmd cmd_decision_record;
extern const struct cmd cmd_deny;
extern const struct cmd cmd_draw;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_driver_list;
extern const struct cmd cmd_driver_serve;
extern const struct cmd cmd_driver_test;
extern const struct cmd cmd_explain;
extern const struct cmd cmd_export;
extern const struct cmd cmd_intake;
extern const struct cmd cmd_ledger_add;
extern const struct cmd cmd_ledger_approve;
extern const struct cmd cmd_ledger_capsule;
extern const struct cmd cmd_ledger_check;
extern const struct cmd cmd_ledger_complete;
extern const struct cmd cmd_ledger_deny;
extern const struct cmd cmd_ledger_evidence;
extern const struct cmd cmd_ledger_import;
extern const struct cmd cmd_ledger_new;
extern const struct cmd cmd_ledger_repair;
extern const struct cmd cmd_ledger_restore;
extern const struct cmd cmd_ledger_set;
extern const struct cmd cmd_ledger_show;
extern const struct cmd cmd_list;
extern const struct cmd cmd_log;
extern const struct cmd cmd_next;
extern const struct cmd cmd_plan;
extern const struct cmd cmd_ready;
extern const struct cmd cmd_run;
extern const struct cmd cmd_show;
extern const struct cmd cmd_state;
extern const struct cmd cmd_status;
extern const struct cmd cmd_task_answer;
extern const struct cmd cmd_task_ask;
extern const struct cmd cmd_task_abandon;
extern const struct cmd cmd_task_amend_decision;
extern const struct cmd cmd_task_amend;
extern const struct cmd cmd_task_audit_reject;
extern const struct cmd cmd_task_check;
extern const struct cmd cmd_task_claim;
extern const struct cmd cmd_task_cleanup_finish;
extern const struct cmd cmd_task_cleanup_recover;
extern const struct cmd cmd_task_cleanup_register;
extern const struct cmd cmd_task_cleanup_retain;
extern const struct cmd cmd_task_complete;
extern const struct cmd cmd_task_decide;
extern const struct cmd cmd_task_delegate_approve;
extern const struct cmd cmd_task_delegate_reject;
extern const struct cmd cmd_task_delegate_release;
extern const struct cmd cmd_task_delegate_report;
extern const struct cmd cmd_task_delegate_request;
extern const struct cmd cmd_task_delegate_start;
extern const struct cmd cmd_task_digest;
extern const struct cmd cmd_task_dispatch;
extern const struct cmd cmd_task_finding;
extern const struct cmd cmd_task_grade;
extern const struct cmd cmd_task_import_checked;
extern const struct cmd cmd_task_integrate;
extern const struct cmd cmd_task_learn_candidate;
extern const struct cmd cmd_task_learn_check;
extern const struct cmd cmd_task_learn_compare;
extern const struct cmd cmd_task_learn_compile;
extern const struct cmd cmd_task_learn_snapshot;
extern const struct cmd cmd_task_quarantine;
extern const struct cmd cmd_task_ready;
extern const struct cmd cmd_task_recover_attempt;
extern const struct cmd cmd_task_recover_check;
extern const struct cmd cmd_task_recover_driver;
extern const struct cmd cmd_task_repair;
extern const struct cmd cmd_task_report;
extern const struct cmd cmd_task_resume;
extern const struct cmd cmd_task_start;
extern const struct cmd cmd_task_stop_hook;
extern const struct cmd cmd_task_sync;
extern const struct cmd cmd_task_takeover;
extern const struct cmd cmd_task_transfer;
extern const struct cmd cmd_task_view;
extern const struct cmd cmd_task_view_request;
extern const struct cmd cmd_task_view_requests;
extern const struct cmd cmd_task_view_take;
extern const struct cmd cmd_unblock;
extern const struct cmd cmd_verify;
extern const struct cmd cmd_watch;
extern const struct cmd cmd_version;
extern const struct cmd cmd_sandbox;
extern const struct cmd cmd_where;

static const struct cmd *const everyday[] = {
	&cmd_plan,
	&cmd_run,
	&cmd_status,
	&cmd_watch,
	&cmd_next,
	&cmd_ready,
	&cmd_explain,
	&cmd_show,
	&cmd_log,
	&cmd_draw,
	&cmd_list,
	&cmd_approve,
	&cmd_deny,
	&cmd_answer,
	&cmd_unblock,
	&cmd_intake,
	&cmd_decision_check,
	&cmd_decision_amend,
	&cmd_decision_record,
	NULL,
};

static const struct cmd *const ledger[] = {
	&cmd_ledger_new,
	&cmd_ledger_add,
	&cmd_ledger_set,
	&cmd_ledger_evidence,
	&cmd_ledger_approve,
	&cmd_ledger_deny,
	&cmd_ledger_repair,
	&cmd_ledger_complete,
	&cmd_ledger_show,
	&cmd_ledger_check,
	&cmd_ledger_capsule,
	&cmd_ledger_restore,
	&cmd_ledger_import,
	&cmd_export,
	NULL,
};

static const struct cmd *const task[] = {
	&cmd_task_start,
	&cmd_task_claim,
	&cmd_task_takeover,
	&cmd_task_transfer,
	&cmd_task_ready,
	&cmd_task_dispatch,
	&cmd_task_sync,
	&cmd_task_report,
	&cmd_task_quarantine,
	&cmd_task_abandon,
	&cmd_task_recover_attempt,
	&cmd_task_resume,
	&cmd_task_recover_driver,
	&cmd_task_check,
	&cmd_task_import_checked,
	&cmd_task_integrate,
	&cmd_task_grade,
	&cmd_task_recover_check,
	&cmd_task_repair,
	&cmd_task_finding,
	&cmd_task_audit_reject,
	&cmd_task_decide,
	&cmd_task_amend_decision,
	&cmd_task_amend,
	&cmd_task_digest,
	&cmd_task_complete,
	&cmd_task_view,
	&cmd_task_view_request,
	&cmd_task_view_requests,
	&cmd_task_view_take,
	&cmd_task_stop_hook,
	&cmd_task_learn_snapshot,
	&cmd_task_learn_candidate,
	&cmd_task_learn_compile,
	&cmd_task_learn_check,
	&cmd_task_learn_compare,
	&cmd_task_ask,
	&cmd_task_answer,
	&cmd_task_delegate_request,
	&cmd_task_delegate_approve,
	&cmd_task_delegate_reject,
	&cmd_task_delegate_start,
	&cmd_task_delegate_report,
	&cmd_task_delegate_release,
	&cmd_task_cleanup_register,
	&cmd_task_cleanup_finish,
	&cmd_task_cleanup_retain,
	&cmd_task_cleanup_recover,
	NULL,
};

static const struct cmd *const care[] = {
	&cmd_init,
	&cmd_where,
	&cmd_verify,
	&cmd_state,
	&cmd_doctor,
	&cmd_driver_list,
	&cmd_driver_test,
	&cmd_driver_serve,
	&cmd_sandbox,
	&cmd_completion,
	&cmd_help,
	&cmd_version,
	NULL,
};

static const char about_ledger[] =
	"A ledger is the graph of one long task: its nodes, what each depends "
	"on, where\n"
	"it stands and what shows that. Go by it, not by memory:\n"
	"\n"
	"  pawl ledger new 'Audit the project'\n"
	"  pawl ledger add scope --title 'Find out what is meant'\n"
	"  pawl ledger add audit --title 'Look at it' --depends scope\n"
	"  pawl ledger set scope RUNNING\n"
	"  pawl ledger set scope PASSED --evidence file:docs/scope.md\n"
	"  pawl ledger show        what is READY now, and how the run stands\n"
	"\n"
	"A node becomes READY by itself when all that it depends on has "
	"PASSED. One that\n"
	"FAILED gets a repair, one in NEEDS_APPROVAL a human's approve or "
	"deny. When\n"
	"nothing is left the run is COMPLETE.\n"
	"\n"
	"A short task needs no file: carry the capsule in its text. A file is "
	"right when\n"
	"the work is long, scheduled, to be resumed, or likely to outlive the "
	"context\n"
	"it is done in. After an interruption: pawl ledger show, or restore "
	"the capsule.\n";

static const char about_task[] =
	"What an agent that coordinates a run calls, step by step; `pawl run` "
	"takes the\n"
	"same steps by itself. In the order of a run that has workers of "
	"yours:\n"
	"\n"
	"  pawl task start LIST --driver host   freeze the list, make the run\n"
	"  pawl task claim RUN --as ID          coordinate it\n"
	"  export PAWL_AS=ID                    each act names who acts\n"
	"  pawl task dispatch NODE...           hand attempts out: capsule, "
	"environment\n"
	"  pawl task report --result FILE       their workers': hand a result "
	"in\n"
	"  pawl task sync --wait 180            take in what came\n"
	"  pawl task check NODE                 run its check\n"
	"  pawl task integrate NODE             put the work onto the run's "
	"branch\n"
	"  pawl task grade NODE pass            it is done, and others may "
	"start\n"
	"  pawl task complete --outcome pass    when all are\n"
	"\n"
	"`pawl next` prints the step that is due, as a command; `pawl explain "
	"NODE` what\n"
	"stands in the way. When a check failed: repair, then dispatch again; "
	"no repair\n"
	"left: decide; a finding: finding, audit-reject; a worker that is "
	"gone: "
	"abandon;\n"
	"a coordinator that is gone: takeover; after any interruption: "
	"resume.\n"
	"\n"
	"One of a generation that has ended is refused with "
	"stale_coordinator, and\n"
	"nothing is changed.\n";

const struct table_group table_groups[] = {
	{ "Everyday", everyday, NULL },
	{ "Task plumbing", task, about_task },
	{ "Ledger", ledger, about_ledger },
	{ "Set-up and care", care, NULL },
	{ NULL, NULL, NULL },
};

const struct cmd_option cmd_globals[] = {
	{ .name = "repo",
		.letter = 'C',
		.arg = "DIR",
		.help = "work in the repository at DIR" },
	{ .name = "state",
		.arg = "DIR",
		.help = "keep runs below DIR (pawl help where)" },
	{ .name = "json", .help = "answer with one JSON document" },
	{ .name = "as",
		.arg = "ID",
		.help = "act as the coordinator ID",
		.heeded = CMD_MUTATES },
	{ .name = "key",
		.arg = "K",
		.heeded = CMD_MUTATES,
		.lacked = CMD_NO_KEY,
		.help = "a retry with the same K isn't done twice" },
	{ .name = "dry-run",
		.help = "say what would be done; write nothing",
		.heeded = CMD_MUTATES | CMD_WRITES },
	{ .name = "help", .letter = 'h', .help = "explain the command" },
	{ .name = NULL },
};

const struct cmd *
table_next(struct table_iter *it)
{
	if (it->group == NULL)
		*it = (struct table_iter){ .group = table_groups };
	while (it->group->title != NULL) {
		const struct cmd *cmd = it->group->commands[it->index];

		if (cmd != NULL) {
			it->index++;
			return cmd;
		}
		it->group++;
		it->index = 0;
	}
	return NULL;
}

static bool
has_alias(const struct cmd *cmd, struct str name)
{
	struct str rest = str_from(cmd->aliases);

	while (rest.ptr != NULL) {
		if (str_eq(str_cut(&rest, ' '), name))
			return true;
	}
	return false;
}

const struct cmd *
table_find(struct str name)
{
	struct table_iter it = { 0 };
	const struct cmd *cmd;

	while ((cmd = table_next(&it)) != NULL) {
		if (str_eq(str_from(cmd->name), name) || has_alias(cmd, name))
			return cmd;
	}
	return NULL;
}

bool
table_has_first(struct str word)
{
	struct table_iter it = { 0 };
	const struct cmd *cmd;

	while ((cmd = table_next(&it)) != NULL) {
		struct str name = str_from(cmd->name);

		if (str_starts(name, word) && name.len > word.len &&
			name.ptr[word.len] == ' ')
			return true;
	}
	return false;
}

/* Keep the nearer of two names; `*best` is its distance. */
static void
nearer(struct str wanted, const char *name, unsigned *best, const char **ret)
{
	unsigned d = str_distance(wanted, str_from(name));

	if (d < *best) {
		*best = d;
		*ret = name;
	}
}

/* One more than what may differ. */
static unsigned
reach(struct str name)
{
	return name.len > 64 ? 0 : (unsigned)(name.len / 3) + 2;
}

const char *
table_nearest(struct str name)
{
	struct table_iter it = { 0 };
	const struct cmd *cmd;
	const char *ret = NULL;
	unsigned best = reach(name);

	while ((cmd = table_next(&it)) != NULL)
		nearer(name, cmd->name, &best, &ret);
	return ret;
}

static const struct cmd_option *
find_option(const struct cmd_option *o, struct str name, char letter)
{
	for (; o != NULL && o->name != NULL; o++) {
		if (letter != 0 ? o->letter == letter
				: str_eq(str_from(o->name), name))
			return o;
	}
	return NULL;
}

const struct cmd_option *
table_option(const struct cmd *cmd, struct str name)
{
	const struct cmd_option *o = find_option(cmd_globals, name, 0);

	return o != NULL || cmd == NULL ? o
					: find_option(cmd->options, name, 0);
}

const struct cmd_option *
table_letter(const struct cmd *cmd, char letter)
{
	const struct cmd_option *o =
		find_option(cmd_globals, (struct str){ 0 }, letter);

	return o != NULL || cmd == NULL
		? o
		: find_option(cmd->options, (struct str){ 0 }, letter);
}

const char *
table_nearest_option(const struct cmd *cmd, struct str name)
{
	const struct cmd_option *o;
	const char *ret = NULL;
	unsigned best = reach(name);

	for (o = cmd_globals; o->name != NULL; o++)
		nearer(name, o->name, &best, &ret);
	for (o = cmd ? cmd->options : NULL; o != NULL && o->name != NULL; o++)
		nearer(name, o->name, &best, &ret);
	return ret;
}
