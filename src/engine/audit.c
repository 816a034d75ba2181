#include "engine/audit.h"

#include <stdio.h>

#include "base/bounds.h"
#include "engine/journal_fold.h"
#include "engine/ledger_run.h"
#include "model/handover.h"
#include "store/artifact.h"
#include "store/rundir.h"

enum { ARTIFACT_BYTES_MAX = 64 << 20 };

struct auditing {
	struct audit *a;
	const struct place *place;
	int dir;
	struct arena line;
};

static void
find(struct audit *a, bool serious, enum pawl_code code, struct str message)
{
	if (a->findings.count >= AUDIT_FINDINGS_MAX)
		return;
	audit_findings_push(&a->findings,
		(struct audit_finding){
			code, arena_copy(&a->mem, message), serious });
}

/* Bytes that an event names by digest must be there, and be them. */
static void
artifact_check(struct auditing *g, uint64_t seq, struct str digest)
{
	struct buf bytes = { 0 };
	struct pawl_err why;

	if (digest.len > 0 &&
		artifact_get(g->place->fs, g->dir, digest, ARTIFACT_BYTES_MAX,
			&bytes, &why) != PAWL_OK) {
		find(g->a, true, why.code,
			arena_format(&g->a->mem,
				"line %llu names artifact " STR_FMT ": %s",
				(unsigned long long)seq, STR_ARG(digest),
				why.msg));
	}
	buf_release(&bytes);
}

/* Bytes of the run's folder that an event names by digest. */
static void
file_check(
	struct auditing *g, uint64_t seq, const char *path, struct str digest)
{
	struct buf bytes = { 0 };
	struct pawl_err why = { 0 };
	char hex[SHA256_HEX + 1];

	if (fs_read(g->place->fs, g->dir, path, BOUND_LIST_BYTES, &bytes,
		    &why) == PAWL_OK) {
		sha256_hex(buf_str(&bytes), hex);
		if (!str_eq(str_from(hex), digest))
			(void)pawl_fail(&why, ERR_DIGEST_MISMATCH,
				"its digest is another");
	}
	if (why.rc != PAWL_OK)
		find(g->a, true, why.code,
			arena_format(&g->a->mem, "line %llu names %s: %s",
				(unsigned long long)seq, path, why.msg));
	buf_release(&bytes);
}

/* What an event names besides artifacts, all of it frozen. */
static void
files_check(struct auditing *g, const struct journal_line *jl,
	const struct event *e)
{
	uint64_t seq = jl->line.seq;

	if (e->type == EV_RUN_STARTED)
		file_check(g, seq, "plan/process-decision.json",
			e->decision_sha256);
	if (e->type == EV_RUN_STARTED && event_has(e, F_AGENTS_SHA256))
		file_check(g, seq, "plan/agents.json", e->agents_sha256);
	if ((e->type == EV_RUN_STARTED && event_has(e, F_CAPSULE_SHA256)) ||
		e->type == EV_COORDINATOR_TRANSFERRED)
		file_check(g, seq, handover_path(jl->line.gen, &g->a->mem).ptr,
			e->capsule_sha256);
}

static enum pawl_rc
on_line(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	struct auditing *g = arg;
	struct journal_events events = { .count = 0 };

	g->a->lines++;
	(void)snprintf(g->a->head, sizeof(g->a->head), "%s", jl->chain);
	switch (jl->mac) {
	case JOURNAL_MAC_GOOD:
		g->a->macs_good++;
		break;
	case JOURNAL_MAC_NONE:
		if (!str_starts(jl->line.actor, STR("coordinator:")))
			break;
		if (g->a->macs_missing++ == 0)
			g->a->mac_missing_first = jl->line.seq;
		break;
	case JOURNAL_MAC_UNCHECKED:
		g->a->macs_unchecked++;
		break;
	case JOURNAL_MAC_BAD:
		find(g->a, true, ERR_CORRUPT,
			arena_format(&g->a->mem,
				"line %llu isn't signed by this run's key",
				(unsigned long long)jl->line.seq));
		break;
	}
	if (journal_fold_events(jl, &g->line, &events, err) != PAWL_OK)
		events.count = 0; /* the fold says it, with the line */
	for (uint32_t i = 0; i < events.count; i++) {
		const struct event *e = &events.items[i];

		artifact_check(g, jl->line.seq, e->patch_sha256);
		artifact_check(g, jl->line.seq, e->artifact);
		artifact_check(g, jl->line.seq, e->receipt_sha256);
		files_check(g, jl, e);
		if (e->type == EV_DECISION_AMENDED)
			artifact_check(g, jl->line.seq, e->decision_sha256);
		if ((e->type == EV_ATTEMPT_REPORTED && !e->synthesized) ||
			e->type == EV_DELEGATION_REPORTED)
			artifact_check(g, jl->line.seq, e->report_sha256);
	}
	arena_reset(&g->line);
	return PAWL_OK;
}

static void
end_check(struct audit *a, const struct journal_tail *tail)
{
	if (tail->end == JOURNAL_TORN) {
		find(a, false, ERR_CORRUPT,
			arena_format(&a->mem,
				"%llu bytes of a torn append follow byte %llu",
				(unsigned long long)tail->bytes,
				(unsigned long long)tail->offset));
	}
	if (tail->end == JOURNAL_CORRUPT) {
		find(a, true, tail->newer ? ERR_NEWER_FORMAT : ERR_CORRUPT,
			arena_format(&a->mem, "line %llu (byte %llu): %s",
				(unsigned long long)tail->line,
				(unsigned long long)tail->offset, tail->why));
	}
}

/* The chain, and everything that lines name. */
static enum pawl_rc
journal_check(struct auditing *g, struct str mac_key, struct pawl_err *err)
{
	struct journal_tail tail;
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, g->place->fs, g->dir);
	j.mac_key = mac_key;
	if (journal_is_poisoned(&j))
		find(g->a, true, ERR_POISONED,
			STR("a failed append could not be undone"));
	rc = journal_scan(&j, on_line, g, &tail, err);
	if (rc == PAWL_OK)
		end_check(g->a, &tail);
	journal_close(&j);
	return rc;
}

/* Who has the key signs: a line without is another's, or was changed. */
static void
macs_check(struct audit *a)
{
	if (a->chain_only || a->macs_missing == 0)
		return;
	find(a, true, ERR_CORRUPT,
		arena_format(&a->mem,
			"%llu of the coordinator's lines, from line %llu on, "
			"aren't signed",
			(unsigned long long)a->macs_missing,
			(unsigned long long)a->mac_missing_first));
}

/* The mark in active/ says what the journal says. */
static enum pawl_rc
mark_check(struct audit *a, const struct place *place, struct str id,
	bool closed, bool repair, struct pawl_err *err)
{
	struct buf ids = { 0 };
	struct str rest;
	bool marked = false;
	enum pawl_rc rc;

	rc = rundir_list(place->fs, place->state_dir, RUNDIR_ACTIVE, &ids, err);
	rest = buf_str(&ids);
	while (rc == PAWL_OK && rest.len > 0)
		marked = str_eq(str_cut(&rest, '\0'), id) || marked;
	buf_release(&ids);
	if (rc != PAWL_OK || marked != closed)
		return rc;
	find(a, false, ERR_CORRUPT,
		closed ? STR("the run is closed and still marked active")
		       : STR("the run is open and not marked active"));
	return repair ? rundir_mark_active(place->fs, place->state_dir,
				arena_strdup(&a->mem, id), !closed, err)
		      : PAWL_OK;
}

/* Lines that can't be folded, and a projection that isn't the fold of lines. */
static enum pawl_rc
fold_check(struct audit *a, struct run *r, bool repair, struct pawl_err *err)
{
	bool agrees = true;
	bool drift;
	enum pawl_rc rc = run_prove(r, &agrees, err);

	if (rc != PAWL_OK)
		return rc;
	if (r->unfit.line != 0)
		find(a, true, r->unfit.newer ? ERR_NEWER_FORMAT : ERR_CORRUPT,
			str_from(r->unfit.why));
	drift = r->drift || !agrees;
	if (drift)
		find(a, false, ERR_CORRUPT,
			STR("state.json disagrees with the journal"));
	return drift && repair && r->tail.end != JOURNAL_CORRUPT
		? run_project(r, err)
		: PAWL_OK;
}

static enum pawl_rc
repair_journal(const struct place *place, int dir, struct pawl_err *err)
{
	struct journal_repaired repaired;
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, place->fs, dir);
	rc = journal_repair(&j, RUN_LOCK_MS, &repaired, err);
	journal_close(&j);
	return rc;
}

/* Whatever is in the way of opening a run. */
static enum pawl_rc
unopened(struct auditing *g, const struct pawl_err *why, struct pawl_err *err)
{
	if (why->rc == PAWL_EPERM || why->rc == PAWL_EIO) {
		*err = *why; /* what can't be read isn't known to be wrong */
		return why->rc;
	}
	find(g->a, true, why->code, str_from(why->msg));
	return journal_check(g, (struct str){ "", 0 }, err);
}

/* No line of a ledger is signed, and there is no list and no projection. */
static enum pawl_rc
ledger_audit(
	struct auditing *g, struct str id, bool repair, struct pawl_err *err)
{
	struct ledger_run r = { .dir = -1 };
	struct pawl_err why;
	enum pawl_rc rc;

	g->a->chain_only = true;
	if (ledger_run_open(&r, g->place, id, &why) != PAWL_OK)
		return unopened(g, &why, err);
	rc = journal_check(g, (struct str){ "", 0 }, err);
	if (rc == PAWL_OK && r.unfit.line != 0)
		find(g->a, true, r.unfit.newer ? ERR_NEWER_FORMAT : ERR_CORRUPT,
			str_from(r.unfit.why));
	if (rc == PAWL_OK)
		rc = mark_check(g->a, g->place, id, is_ledger_run_closed(&r),
			repair, err);
	ledger_run_close(&r);
	return rc;
}

enum pawl_rc
audit_run(struct audit *ret_audit, const struct place *place, struct str id,
	bool repair, struct pawl_err *err)
{
	struct audit a = { 0 };
	struct auditing g = { .a = &a, .place = place, .dir = -1 };
	struct run r = { .dir = -1 };
	struct pawl_err why;
	enum pawl_rc rc;

	rc = rundir_open(place->fs, place->state_dir, arena_strdup(&a.mem, id),
		&g.dir, err);
	if (rc == PAWL_OK && repair)
		rc = repair_journal(place, g.dir, err);
	if (rc != PAWL_OK)
		goto out;
	if (run_open(&r, place, id, &why) == PAWL_OK) {
		struct str key = { "", 0 };

		rc = run_mac_key(&r, &key, err);
		a.chain_only = key.len == 0;
		if (rc == PAWL_OK)
			rc = journal_check(&g, key, err);
		macs_check(&a);
		if (rc == PAWL_OK)
			rc = fold_check(&a, &r, repair, err);
		if (rc == PAWL_OK)
			rc = mark_check(&a, place, id, is_run_closed(&r.state),
				repair, err);
	} else if (why.code == ERR_RUN_KIND) {
		rc = ledger_audit(&g, id, repair, err);
	} else {
		rc = unopened(&g, &why, err);
	}
	run_close(&r);
out:
	fs_close(place->fs, &g.dir);
	arena_reset(&g.line);
	if (rc == PAWL_OK)
		*ret_audit = a;
	else
		audit_release(&a);
	return rc;
}

enum pawl_rc
audit_is_sound(const struct audit *a, struct pawl_err *err)
{
	const struct audit_finding *f;

	VEC_EACH (f, &a->findings) {
		if (f->serious && f->code != ERR_POISONED)
			return pawl_fail(
				err, f->code, STR_FMT, STR_ARG(f->message));
	}
	return PAWL_OK;
}

enum pawl_rc
audit_must_be_sound(
	const struct place *place, struct str id, struct pawl_err *err)
{
	struct audit a = { 0 };
	enum pawl_rc rc = audit_run(&a, place, id, false, err);

	if (rc == PAWL_OK)
		rc = audit_is_sound(&a, err);
	audit_release(&a);
	return rc;
}

void
audit_release(struct audit *a)
{
	audit_findings_release(&a->findings);
	arena_reset(&a->mem);
}
