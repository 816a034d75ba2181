#include "model/fold.h"

/* Once a coordinator, nobody approves what the run made. */
static void
coordinator_note(struct state *s)
{
	if (s->coordinator_name.len > 0 &&
		!state_has_coordinated(s, s->coordinator_name))
		coordinators_push(&s->coordinators,
			(struct coordinator){ s->coordinator_name });
}

/* A new coordinator looks at the world anew: the breaker is closed. */
static void
coordinator_set(struct fold *f)
{
	struct state *s = f->s;

	s->coordinator = fold_keep_owner(f);
	s->coordinator_name = fold_keep(f, f->e->name);
	coordinator_note(s);
	s->coordinator_for = STR("");
	s->token_sha256 = fold_keep(f, f->e->token_sha256);
	s->vacant = false;
	s->run.version = fold_keep(f, f->e->version);
	s->run.binary = fold_keep(f, f->e->binary);
	s->breaker = (struct breaker){ 0 };
}

enum pawl_rc
fold_coordinator_taken_over(struct fold *f)
{
	struct state *s = f->s;

	if (f->line->gen != s->gen + 1)
		return fold_impossible(
			f, "a takeover raises the generation by one");
	if ((f->e->name.len > 0) != (f->e->token_sha256.len > 0))
		return fold_impossible(f, "a name and a token go together");
	coordinator_set(f);
	if (event_has(f->e, F_SLOTS))
		s->run.slots = f->e->slots;
	if (event_has(f->e, F_ARGV))
		s->run.profile = STR("command");
	if (event_has(f->e, F_CAPACITY))
		s->run.capacity = fold_keep_list(f, f->e->capacity);
	if (event_has(f->e, F_ARGV))
		s->run.argv = fold_keep_list(f, f->e->argv);
	return PAWL_OK;
}

enum pawl_rc
fold_coordinator_claimed(struct fold *f)
{
	if (!f->s->vacant)
		return fold_impossible(f, "somebody coordinates the run");
	if (f->e->name.len == 0 || f->e->token_sha256.len == 0)
		return fold_impossible(f, "the claim has no name or no token");
	if (!str_eq(f->e->capsule_sha256, f->s->coordinator_capsule))
		return fold_impossible(f, "the capsule is another");
	coordinator_set(f);
	return PAWL_OK;
}

enum pawl_rc
fold_coordinator_transferred(struct fold *f)
{
	struct state *s = f->s;

	if (f->line->gen != s->gen + 1)
		return fold_impossible(
			f, "a transfer raises the generation by one");
	if (s->vacant)
		return fold_impossible(f, "nobody coordinates the run");
	s->coordinator =
		(struct owner_id){ .machine = STR(""), .boot = STR("") };
	s->coordinator_name = STR("");
	s->coordinator_for = fold_keep(f, f->e->name);
	s->coordinator_capsule = fold_keep(f, f->e->capsule_sha256);
	s->capsule_gen = f->line->gen;
	s->token_sha256 = STR("");
	s->vacant = true;
	return PAWL_OK;
}

enum pawl_rc
fold_coordinator_resumed(struct fold *f)
{
	if (f->s->vacant)
		return fold_impossible(f, "nobody coordinates the run");
	f->s->coordinator = fold_keep_owner(f);
	f->s->run.version = fold_keep(f, f->e->version);
	f->s->run.binary = fold_keep(f, f->e->binary);
	return PAWL_OK;
}

enum pawl_rc
fold_driver_reserved(struct fold *f)
{
	if (f->s->driver.len > 0 || f->s->selection.len > 0)
		return fold_impossible(f, "a driver is selected once");
	if (f->e->selection.len == 0)
		return fold_impossible(f, "the selection has no name");
	f->s->selection = fold_keep(f, f->e->selection);
	return PAWL_OK;
}

enum pawl_rc
fold_driver_selected(struct fold *f)
{
	struct state *s = f->s;

	if (s->selection.len == 0 || !str_eq(s->selection, f->e->selection))
		return fold_impossible(f, "no such selection is open");
	if (f->e->driver.len == 0)
		return fold_impossible(f, "the driver has no name");
	s->selection = STR("");
	s->driver = fold_keep(f, f->e->driver);
	s->driver_receipt = fold_keep(f, f->e->receipt_sha256);
	return PAWL_OK;
}
