#include "engine/handed.h"

#include "base/bounds.h"
#include "engine/outbox.h"
#include "model/contract.h"
#include "store/artifact.h"

static const char *
slot_name(struct str attempt, struct arena *mem)
{
	return arena_format(mem, "results/" STR_FMT ".json", STR_ARG(attempt))
		.ptr;
}

bool
is_handed_in(struct pilot *p, uint32_t attempt)
{
	const struct fs *fs = p->run->place->fs;
	struct pawl_err why;
	struct stat st;
	bool is;
	int fd = -1;

	if (fs_stat(fs, p->run->dir,
		    slot_name(pilot_attempt_id(p, attempt), &p->mem), &st,
		    &why) == PAWL_OK)
		return true;
	/* What can't be read as one is a thing to be told about, too. */
	if (outbox_enter(fs, p->run->dir, pilot_attempt_id(p, attempt), &fd,
		    &why) != PAWL_OK)
		return is_outbox_spoilt(&why);
	is = fs_stat(fs, fd, OUTBOX_REPORT, &st, &why) == PAWL_OK &&
		(!S_ISREG(st.st_mode) || st.st_size > 0);
	fs_close(fs, &fd);
	return is;
}

/* What lies in the outbox; nothing, when that isn't there either. */
static enum pawl_rc
outbox_bytes(struct pilot *p, uint32_t attempt, struct buf *to, bool *ret_found,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	int fd = -1;
	enum pawl_rc rc = outbox_enter(
		fs, p->run->dir, pilot_attempt_id(p, attempt), &fd, err);

	*ret_found = false;
	if (rc == PAWL_ENOENT)
		return PAWL_OK;
	if (rc == PAWL_OK)
		rc = outbox_take(fs, fd, OUTBOX_REPORT, HANDED_BYTES_MAX, to,
			ret_found, err);
	fs_close(fs, &fd);
	*ret_found = *ret_found && to->len > 0;
	return rc;
}

/*
 * The slot is written once.  Who comes second finds what it wanted to write, or
 * other bytes, when the worker put those into the outbox between two looks:
 * `*ret_other`.
 */
static enum pawl_rc
slot_fill(struct pilot *p, uint32_t attempt, struct str bytes, bool *ret_other,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	const char *name = arena_format(
		&p->mem, STR_FMT ".json", STR_ARG(pilot_attempt_id(p, attempt)))
				   .ptr;
	bool made;
	int fd = -1;
	enum pawl_rc rc;

	rc = fs_make_dir(fs, p->run->dir, "results", err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, p->run->dir, "results", &fd, err);
	if (rc == PAWL_OK)
		rc = fs_create_once(fs, fd, name, bytes, &made, err);
	fs_close(fs, &fd);
	*ret_other = rc != PAWL_OK && err->code == ERR_ID_TAKEN;
	return *ret_other ? PAWL_OK : rc;
}

static enum pawl_rc
accept(struct pilot *p, uint32_t attempt, struct handed_in *in, bool *ret_other,
	struct pawl_err *err)
{
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc = artifact_put(
		p->run->place->fs, p->run->dir, in->bytes, hex, err);

	if (rc == PAWL_OK)
		rc = slot_fill(p, attempt, in->bytes, ret_other, err);
	if (rc == PAWL_OK)
		in->sha256 = arena_copy(&p->mem, str_from(hex));
	return rc;
}

/* What its attempt may change, as it holds now. */
static enum pawl_rc
within_scope(struct pilot *p, uint32_t attempt, const struct result *r,
	struct pawl_err *err)
{
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct strs scopes = {
		arena_array(&p->mem, contract_scopes(&v), struct str), 0
	};

	for (uint32_t i = 0; i < contract_scopes(&v); i++)
		scopes.items[scopes.count++] = contract_scope(&v, i);
	return result_within(r, scopes, pilot_writes(p, attempt), &p->mem, err);
}

enum pawl_rc
handed_look(struct pilot *p, uint32_t attempt, struct handed_in *ret_in,
	struct pawl_err *err)
{
	struct result_of of = { pilot_node_id(p, attempt),
		pilot_attempt_id(p, attempt) };
	struct handed_in in = { .present = true };
	struct buf bytes = { 0 };
	struct pawl_err why;
	enum pawl_rc rc;

	rc = fs_read(p->run->place->fs, p->run->dir,
		slot_name(pilot_attempt_id(p, attempt), &p->mem),
		BOUND_RESULT_BYTES, &bytes, err);
	if (rc == PAWL_ENOENT)
		rc = outbox_bytes(p, attempt, &bytes, &in.present, err);
	if (rc == PAWL_OK && in.present) {
		in.bytes = arena_copy(&p->mem, buf_str(&bytes));
		in.malformed =
			result_read(&p->mem, in.bytes, of, RESULT_BY_WORKER,
				&in.result, &why) != PAWL_OK ||
			within_scope(p, attempt, &in.result, &why) != PAWL_OK;
		if (in.malformed)
			in.why = arena_copy(&p->mem, str_from(why.msg));
	}
	if (rc == PAWL_OK)
		*ret_in = in;
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
handed_read(struct pilot *p, uint32_t attempt, struct handed_in *ret_in,
	struct pawl_err *err)
{
	struct handed_in in;
	bool other = true;
	enum pawl_rc rc = PAWL_OK;

	/* What fills the slot is what counts: then that is looked at. */
	while (rc == PAWL_OK && other) {
		other = false;
		rc = handed_look(p, attempt, &in, err);
		if (rc == PAWL_OK && in.present && !in.malformed)
			rc = accept(p, attempt, &in, &other, err);
	}
	if (rc == PAWL_OK)
		*ret_in = in;
	return rc;
}

/* Are the bytes in the slot the ones that were reported? */
static enum pawl_rc
slot_verify(const struct run *r, uint32_t attempt, struct arena *mem,
	struct pawl_err *err)
{
	const struct attempt *a = &r->state.attempts.items[attempt];
	struct str id = state_attempt_id(&r->state, attempt, mem);
	const char *name = slot_name(id, mem);
	struct buf bytes = { 0 };
	char hex[SHA256_HEX + 1];
	struct pawl_err why;
	enum pawl_rc rc;

	if (!a->handed_in)
		return PAWL_OK;
	rc = fs_read(
		r->place->fs, r->dir, name, BOUND_RESULT_BYTES, &bytes, &why);
	sha256_hex(buf_str(&bytes), hex);
	buf_release(&bytes);
	if (rc == PAWL_OK && str_eq(str_from(hex), a->report_sha256))
		return PAWL_OK;
	(void)pawl_fail(err, ERR_RESULT_SLOT,
		"'%s' isn't what attempt '" STR_FMT "' reported%s%s", name,
		STR_ARG(id), rc == PAWL_OK ? "" : ": ",
		rc == PAWL_OK ? "" : why.msg);
	return pawl_hint(err,
		"restore it from artifacts/sha256/" STR_FMT
		" of the run's folder",
		STR_ARG(a->report_sha256));
}

enum pawl_rc
handed_verify(const struct run *r, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < r->state.attempts.count; i++)
		rc = slot_verify(r, i, &mem, err);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
handed_late(
	struct pilot *p, uint32_t attempt, bool *ret_kept, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct command cmd = pilot_command(p, EV_RESULT_KEPT, attempt);
	struct buf bytes = { 0 };
	char hex[SHA256_HEX + 1];
	bool found;
	enum pawl_rc rc = outbox_bytes(p, attempt, &bytes, &found, err);

	*ret_kept = false;
	if (rc != PAWL_OK && is_outbox_spoilt(err)) {
		rc = PAWL_OK; /* it has no bytes that could be kept */
		goto out;
	}
	if (rc != PAWL_OK || !found)
		goto out;
	sha256_hex(buf_str(&bytes), hex);
	if (str_eq(str_from(hex), a->report_sha256) ||
		str_eq(str_from(hex), a->quarantined_sha256) ||
		str_eq(str_from(hex), a->kept_sha256))
		goto out;
	rc = artifact_put(
		p->run->place->fs, p->run->dir, buf_str(&bytes), hex, err);
	if (rc != PAWL_OK)
		goto out;
	EVENT_SET(&cmd.event, F_ARTIFACT, artifact,
		arena_copy(&p->mem, str_from(hex)));
	EVENT_SET(&cmd.event, F_BYTES, bytes, bytes.len);
	EVENT_SET(&cmd.event, F_REASON, reason, attempt_status_word(a->status));
	rc = pilot_propose(p, &cmd, err);
	*ret_kept = rc == PAWL_OK;
out:
	buf_release(&bytes);
	return rc;
}

void
handed_close(struct pilot *p, uint32_t attempt)
{
	const struct fs *fs = p->run->place->fs;
	struct str word =
		attempt_status_word(pilot_attempt(p, attempt)->status);
	struct pawl_err ignored;
	int fd = -1;
	enum pawl_rc rc = outbox_enter(
		fs, p->run->dir, pilot_attempt_id(p, attempt), &fd, &ignored);

	if (rc == PAWL_OK)
		rc = fs_replace(
			fs, fd, OUTBOX_CLOSED, word, FS_CACHE, &ignored);
	(void)rc; /* a late report is kept all the same */
	fs_close(fs, &fd);
}
