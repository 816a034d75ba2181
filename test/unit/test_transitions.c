/*
 * The rows of design 3.3 and 3.5 to 3.10, and no others: each situation that a
 * node, an attempt or the run can be in meets each command there is, with each
 * word that the command turns on.
 *
 * A situation names what it accepts: that is a row of the design, and what it
 * doesn't name must be refused and change nothing.  What the accepted ones
 * change is collected and compared with the steps that the design has: each is
 * taken, and none besides.  A command, a word or a status that comes later
 * can't be left out: the loops go over all there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/die.h"
#include "invariants.h"
#include "model/event_table.h"
#include "run_fixture.h"
#include "situations.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* One of them owns the run's coordination, or offers it. */
static void
coordinator_apply(struct command *cmd, struct str word)
{
	struct event *e = &cmd->event;

	cmd->owner_dead = !str_eq(word, STR("held"));
	if (e->type == EV_COORDINATOR_CLAIMED || str_eq(word, STR("c2")))
		EVENT_SET(e, F_NAME, name, word);
	if (e->type == EV_COORDINATOR_TAKEN_OVER && e->name.len > 0)
		EVENT_SET(e, F_TOKEN_SHA256, token_sha256, e->binary);
}

/* The reduction leaves node T. */
static void
amendment_apply(struct command *cmd, struct str word)
{
	struct event *e = &cmd->event;

	if (str_eq(word, STR("graph")))
		return;
	e->mode = word;
	EVENT_SET(e, F_INTEGRATOR, integrator, STR("ada"));
	EVENT_SET(e, F_CLEANUP_PLAN, cleanup_plan, STR("none"));
	e->retained.items[0] = STR("T");
	e->retained.count = 1;
	event_mark(e, F_RETAINED);
}

/* An audit names all findings. */
static void
rejection_apply(struct run_fixture *f, struct command *cmd, struct str word)
{
	struct event *e = &cmd->event;
	const struct rework_finding *found;

	EVENT_SET(e, F_REASON, reason, word);
	if (!str_eq(word, STR("audit")))
		return;
	e->findings.items =
		arena_array(&f->mem, f->s.findings.count + 1, struct str);
	VEC_EACH (found, &f->s.findings)
		e->findings.items[e->findings.count++] = found->id;
	event_mark(e, F_FINDINGS);
}

static struct command
command_make(struct run_fixture *f, enum event_type type, const char *subject,
	struct str word)
{
	/* Who answers; a denial is the only word of an answer itself. */
	bool who = type == EV_QUESTION_ANSWERED && !str_eq(word, STR("denied"));
	struct command cmd = fixture_command_word(
		f, type, subject, who ? NULL : arena_strdup(&f->mem, word));

	if (type == EV_COORDINATOR_TAKEN_OVER ||
		type == EV_COORDINATOR_CLAIMED ||
		type == EV_COORDINATOR_TRANSFERRED)
		coordinator_apply(&cmd, word);
	else if (type == EV_DECISION_AMENDED)
		amendment_apply(&cmd, word);
	else if (type == EV_ATTEMPT_REJECTED)
		rejection_apply(f, &cmd, word);
	else if (type == EV_QUESTION_OPENED)
		cmd.event.kind = word;
	else if (type == EV_QUESTION_ANSWERED &&
		str_eq(word, STR("coordinator")))
		cmd.actor = ACTOR_COORDINATOR;
	if (type == EV_CLEANUP_SETTLED)
		cmd.event.cleanup = STR("c1");
	return cmd;
}

static enum attempt_status
until_of(const struct situation *it)
{
	enum attempt_status status = ATTEMPT_RESERVED;

	while (!str_eq(attempt_status_word(status), str_from(it->until)))
		status++;
	return status;
}

static void
situation_make(struct run_fixture *f, const struct situation *it)
{
	fixture_init_of(f, rows, COUNT(rows));
	if (it->until[0] != '\0')
		fixture_until(f, it->node, until_of(it));
	for (const struct step *step = it->steps; step->subject != NULL;
		step++) {
		struct command cmd = command_make(
			f, step->type, step->subject, str_from(step->word));

		fixture_do(f, &cmd);
	}
}

/* What a command of this type is about in the situation. */
static const char *
subject_of(
	struct run_fixture *f, const struct situation *it, enum event_type type)
{
	unsigned number = f->s.nodes[fixture_node(f, it->node)].attempts;

	switch (event_kinds[type].about) {
	case ABOUT_RUN:
		return "";
	case ABOUT_NODE:
		return it->node;
	case ABOUT_ATTEMPT:
		break;
	}
	if (is_event_attempt_new(type))
		number++;
	return arena_strdup(
		&f->mem, arena_format(&f->mem, "%s@%u", it->node, number));
}

/* Is `word` one of those that are parted by `sign`? */
static bool
is_among(struct str list, char sign, struct str word)
{
	while (list.len > 0) {
		if (str_eq(str_cut(&list, sign), word))
			return true;
	}
	return false;
}

/* `check_started check_recorded=pass,fail`: a type alone takes each word. */
static bool
is_accepted(const struct situation *it, enum event_type type, struct str word)
{
	struct str list = str_from(it->accepts);

	while (list.len > 0) {
		struct str some = str_cut(&list, ' ');

		if (str_eq(str_cut(&some, '='), event_word(type)))
			return some.len == 0 || is_among(some, ',', word);
	}
	return false;
}

/*
 * The machines of the model, by the words of their states; "none" before there
 * is one.  What the last line took is compared with what was before.
 */
enum machine {
	OF_ATTEMPT,
	OF_CHECK,
	OF_GATE,
	OF_QUESTION,
	OF_DELEGATION,
	OF_CLEANUP,
	OF_COORDINATOR,
	OF_DRIVER,
	OF_RUN,
	MACHINES,
};

enum { THINGS_MAX = 8 };

static const char *const machine_steps[MACHINES] = {
	[OF_ATTEMPT] = "none>reserved none>settled reserved>started"
		       " reserved>start_failed started>reported"
		       " started>interrupted started>lost started>quarantined"
		       " started>workspace_lost reported>checked"
		       " checked>reported checked>integrated checked>rejected"
		       " reported>rejected integrated>settled"
		       " checked>integration_failed"
		       " reported>integration_failed"
		       " reported>settled checked>settled"
		       " integrated>abandoned"
		       " reported>interrupted checked>interrupted"
		       " reported>lost checked>lost reported>workspace_lost"
		       " checked>workspace_lost reserved>abandoned"
		       " started>abandoned reported>abandoned"
		       " checked>abandoned",
	[OF_CHECK] = "none>running none>pass running>pass running>fail"
		     " running>void",
	[OF_GATE] = "none>open open>granted open>denied open>stale"
		    " granted>stale",
	[OF_QUESTION] = "none>open open>answered open>denied open>stale",
	[OF_DELEGATION] = "none>requested requested>approved requested>rejected"
			  " approved>started started>reported"
			  " approved>released started>released"
			  " reported>released",
	[OF_CLEANUP] = "none>pending pending>verified pending>failed"
		       " pending>retained pending>done pending>unverifiable"
		       " failed>verified failed>retained failed>unverifiable"
		       " unverifiable>verified unverifiable>retained"
		       " unverifiable>failed",
	[OF_COORDINATOR] = "process>anybody's process>c2's process>c2"
			   " anybody's>process anybody's>c1 anybody's>c2"
			   " c2's>process c2's>c2 c1>process c1>anybody's"
			   " c1>c2's c1>c2 c2>process"
			   " c2>anybody's c2>c2's",
	[OF_DRIVER] = "none>selecting selecting>selected",
	[OF_RUN] = "open>closed",
};

static struct str
gate_word(enum gate_status status)
{
	switch (status) {
	case GATE_OPEN:
		return STR("open");
	case GATE_GRANTED:
		return STR("granted");
	case GATE_DENIED:
		return STR("denied");
	case GATE_STALE:
		break;
	}
	return STR("stale");
}

static struct str
coordinator_word(const struct state *s)
{
	if (!s->vacant)
		return s->coordinator_name.len > 0 ? s->coordinator_name
						   : STR("process");
	return s->coordinator_for.len > 0 ? STR("c2's") : STR("anybody's");
}

static struct str
driver_word(const struct state *s)
{
	if (s->driver.len > 0)
		return STR("selected");
	return s->selection.len > 0 ? STR("selecting") : STR("none");
}

/* The states of the machines of one kind, in the order that they came. */
static uint32_t
states_of(const struct state *s, enum machine m, struct str *ret)
{
	uint32_t n = 0;

	switch (m) {
	case OF_ATTEMPT:
		for (; n < s->attempts.count; n++)
			ret[n] = attempt_status_word(
				s->attempts.items[n].status);
		break;
	case OF_CHECK:
		for (; n < s->checks.count; n++) {
			ret[n] = verdict_word(s->checks.items[n].verdict);
			if (ret[n].len == 0)
				ret[n] = STR("running");
		}
		break;
	case OF_GATE:
		for (; n < s->gates.count; n++)
			ret[n] = gate_word(s->gates.items[n].status);
		break;
	case OF_QUESTION:
		for (; n < s->asks.count; n++)
			ret[n] = ask_status_word(s->asks.items[n].status);
		break;
	case OF_DELEGATION:
		for (; n < s->delegations.count; n++)
			ret[n] = delegation_status_word(
				s->delegations.items[n].status);
		break;
	case OF_CLEANUP:
		for (; n < s->cleanups.count; n++)
			ret[n] = cleanup_status_word(
				s->cleanups.items[n].status);
		break;
	case OF_COORDINATOR:
		ret[n++] = coordinator_word(s);
		break;
	case OF_DRIVER:
		ret[n++] = driver_word(s);
		break;
	case OF_RUN:
		ret[n++] = is_run_closed(s) ? STR("closed") : STR("open");
		break;
	case MACHINES:
		break;
	}
	assert_true(n <= THINGS_MAX);
	return n;
}

/* What was met: states of situations, steps that were taken, types accepted. */
struct met {
	struct buf states[MACHINES];
	struct buf steps[MACHINES];
	bool node_states[NODE_STATUS_COUNT];
	bool node_steps[NODE_STATUS_COUNT][NODE_STATUS_COUNT];
	bool types[EVENT_TASK_TYPES];
	uint32_t wrong; /* answers that aren't the table's */
};

static void
word_note(struct buf *list, struct str word)
{
	if (is_among(buf_str(list), ' ', word))
		return;
	if (list->len > 0)
		buf_addc(list, ' ');
	buf_add(list, word);
}

/* The states that the things of a situation are in. */
static void
situation_note(struct met *met, const struct run_fixture *f,
	const struct situation *it)
{
	const struct state *s = &f->s;
	struct str states[THINGS_MAX];

	met->node_states[s->nodes[fixture_node(f, it->node)].status] = true;
	for (enum machine m = 0; m < MACHINES; m++) {
		uint32_t n = states_of(s, m, states);

		for (uint32_t i = 0; i < n; i++)
			word_note(&met->states[m], states[i]);
	}
}

/* What the journal's last line changed. */
struct view {
	struct str states[MACHINES][THINGS_MAX];
	uint32_t count[MACHINES];
	uint32_t history[COUNT(rows)];
};

static void
view_take(struct view *v, struct run_fixture *f)
{
	for (enum machine m = 0; m < MACHINES; m++)
		v->count[m] = states_of(&f->s, m, v->states[m]);
	for (uint32_t i = 0; i < COUNT(rows); i++)
		(void)state_history(&f->s, i, &f->mem, &v->history[i]);
}

static void
steps_note(struct met *met, struct run_fixture *f, const struct view *before)
{
	struct view now;

	view_take(&now, f);
	for (enum machine m = 0; m < MACHINES; m++) {
		for (uint32_t i = 0; i < now.count[m]; i++) {
			struct str from = i < before->count[m]
				? before->states[m][i]
				: STR("none");

			if (!str_eq(from, now.states[m][i])) {
				word_note(&met->steps[m],
					arena_format(&f->mem,
						STR_FMT ">" STR_FMT,
						STR_ARG(from),
						STR_ARG(now.states[m][i])));
			}
		}
	}
	for (uint32_t i = 0; i < COUNT(rows); i++) {
		uint32_t count;
		const uint8_t *h = state_history(&f->s, i, &f->mem, &count);

		for (uint32_t k = before->history[i]; k < count; k++)
			met->node_steps[h[k - 1]][h[k]] = true;
	}
}

/* Propose one command in one situation. */
static void
meeting(struct met *met, const struct situation *it, enum event_type type,
	struct str word)
{
	struct buf before = { 0 }, after = { 0 };
	struct run_fixture f;
	struct view view;
	struct command cmd;
	bool accepted;

	situation_make(&f, it);
	situation_note(met, &f, it);
	view_take(&view, &f);
	fixture_projection(&f.s, &before);
	cmd = command_make(&f, type, subject_of(&f, it, type), word);
	accepted = fixture_try(&f, &cmd) == PAWL_OK;
	if (accepted != is_accepted(it, type, word)) {
		print_error("%s: " STR_FMT " " STR_FMT ": %s\n", it->name,
			STR_ARG(event_word(type)), STR_ARG(word),
			accepted ? "is no row, and was accepted" : f.err.msg);
		met->wrong++;
	}
	if (f.broken != NULL)
		fail_msg("%s: " STR_FMT " " STR_FMT ": %s", it->name,
			STR_ARG(event_word(type)), STR_ARG(word), f.broken);
	fixture_projection(&f.s, &after);
	/* What is accepted is a line, what is refused is none. */
	assert_int_equal(accepted, !str_eq(buf_str(&before), buf_str(&after)));
	met->types[type] |= accepted;
	steps_note(met, &f, &view);
	buf_release(&before);
	buf_release(&after);
	fixture_release(&f);
}

/* Each of `all` is in `some`. */
static void
covered(const char *what, struct str all, struct str some)
{
	while (all.len > 0) {
		struct str one = str_cut(&all, ' ');

		if (!is_among(some, ' ', one))
			fail_msg("%s: " STR_FMT, what, STR_ARG(one));
	}
}

/* Both ends of each step. */
static void
ends_are_situations(enum machine m, struct str states)
{
	struct str all = str_from(machine_steps[m]);

	while (all.len > 0) {
		struct str to = str_cut(&all, ' ');
		struct str from = str_cut(&to, '>');

		if (!str_eq(from, STR("none")))
			covered("no situation is in", from, states);
		covered("no situation is in", to, states);
	}
}

/* Taken when, and only when, it is a row. */
static void
node_step_is_whole(
	const struct met *met, enum node_status from, enum node_status to)
{
	bool row = is_step(from, to) && to != NODE_SKIPPED;

	if (met->node_steps[from][to] == row)
		return;
	fail_msg("%s>%s is %s", node_status_word(from).ptr,
		node_status_word(to).ptr,
		row ? "a row that nothing takes" : "no row, and was taken");
}

/* Design 3.3; SKIPPED is a ledger's alone. */
static void
nodes_are_whole(const struct met *met)
{
	for (enum node_status from = 0; from < NODE_STATUS_COUNT; from++) {
		if (!met->node_states[from] && from != NODE_SKIPPED)
			fail_msg("no situation is of a node that is %s",
				node_status_word(from).ptr);
		for (enum node_status to = 0; to < NODE_STATUS_COUNT; to++)
			node_step_is_whole(met, from, to);
	}
}

/* A run starts once, before any situation; a gate opens by itself. */
static void
types_are_whole(const struct met *met)
{
	struct str attempts = str_from(machine_steps[OF_ATTEMPT]);
	struct str at;

	for (enum event_type t = 0; t < EVENT_TASK_TYPES; t++) {
		if (met->types[t] ==
			(t == EV_RUN_STARTED || t == EV_GATE_OPENED))
			fail_msg("%s is accepted %s", event_word(t).ptr,
				met->types[t] ? "somewhere" : "nowhere");
	}
	for (enum attempt_status i = 0; i < ATTEMPT_STATUS_COUNT; i++) {
		bool found = false;

		for (at = attempts; at.len > 0 && !found;) {
			struct str to = str_cut(&at, ' ');

			(void)str_cut(&to, '>');
			found = str_eq(to, attempt_status_word(i));
		}
		if (!found)
			fail_msg("no step leads to '%s'",
				attempt_status_word(i).ptr);
	}
}

static void
each_situation_meets_each_command(void **state)
{
	struct met *met = die_alloc(1, sizeof(*met));

	(void)state;
	*met = (struct met){ 0 };
	for (size_t i = 0; i < COUNT(situations); i++) {
		for (enum event_type t = 0; t < EVENT_TASK_TYPES; t++) {
			struct str list = str_from(words[t] ? words[t] : "-");

			while (list.len > 0)
				meeting(met, &situations[i], t,
					str_cut(&list, ' '));
		}
	}
	assert_int_equal(met->wrong, 0);
	for (enum machine m = 0; m < MACHINES; m++) {
		struct str steps = str_from(machine_steps[m]);

		covered("a step that isn't the design's",
			buf_str(&met->steps[m]), steps);
		covered("nothing takes the step", steps,
			buf_str(&met->steps[m]));
		ends_are_situations(m, buf_str(&met->states[m]));
		buf_release(&met->steps[m]);
		buf_release(&met->states[m]);
	}
	nodes_are_whole(met);
	types_are_whole(met);
	free(met);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_situation_meets_each_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
