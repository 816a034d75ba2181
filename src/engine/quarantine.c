#include "engine/quarantine.h"

#include <string.h>

#include "engine/outbox.h"
#include "engine/plumb.h"
#include "engine/worker.h"
#include "os/lock.h"
#include "store/artifact.h"

#define CAUSE_MALFORMED STR("malformed report")

static void
receipt_write(struct pilot *p, uint32_t attempt, const struct quarantine *q,
	const char *hex, struct buf *to)
{
	struct json_writer w = { .out = to };

	json_open(&w, '{');
	json_pair_str(&w, STR("run"), p->run->id);
	json_pair_str(&w, STR("attempt"), pilot_attempt_id(p, attempt));
	json_pair_str(&w, STR("key"), q->key);
	json_pair_str(&w, STR("sha256"), str_from(hex));
	json_pair_u64(&w, STR("bytes"), q->in->bytes.len);
	json_pair_str(&w, STR("why"), q->in->why);
	json_close(&w, '}');
	buf_addc(to, '\n');
}

/* What an earlier call wrote down is what this one says, or a conflict. */
static enum pawl_rc
receipt_put(struct pilot *p, uint32_t attempt, const struct quarantine *q,
	const char *hex, struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	const char *name = arena_format(
		&p->mem, STR_FMT ".json", STR_ARG(pilot_attempt_id(p, attempt)))
				   .ptr;
	struct buf text = { 0 };
	int dir = -1, fd = -1;
	bool made;
	enum pawl_rc rc = fs_open_dir(fs, p->run->dir, "artifacts", &dir, err);

	receipt_write(p, attempt, q, hex, &text);
	if (rc == PAWL_OK)
		rc = fs_make_dir(fs, dir, "quarantine", err);
	if (rc == PAWL_OK)
		rc = fs_open_dir(fs, dir, "quarantine", &fd, err);
	if (rc == PAWL_OK && q->renew)
		rc = fs_replace(fs, fd, name, buf_str(&text), FS_DURABLE, err);
	else if (rc == PAWL_OK)
		rc = fs_create_once(fs, fd, name, buf_str(&text), &made, err);
	if (rc != PAWL_OK && err->code == ERR_ID_TAKEN)
		rc = pawl_fail(err, ERR_KEY_CONFLICT,
			"receipt '%s' names another key or other bytes", name);
	fs_close(fs, &fd);
	fs_close(fs, &dir);
	buf_release(&text);
	return rc;
}

/* What lies in the outbox: its digest, when there is something. */
static enum pawl_rc
candidate_look(struct pilot *p, uint32_t attempt, int *ret_dir,
	char ret_hex[SHA256_HEX + 1], struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	struct buf bytes = { 0 };
	bool found = false;
	enum pawl_rc rc = outbox_enter(
		fs, p->run->dir, pilot_attempt_id(p, attempt), ret_dir, err);

	ret_hex[0] = '\0';
	if (rc == PAWL_OK)
		rc = outbox_take(fs, *ret_dir, OUTBOX_REPORT, HANDED_BYTES_MAX,
			&bytes, &found, err);
	if (found)
		sha256_hex(buf_str(&bytes), ret_hex);
	buf_release(&bytes);
	return rc;
}

/* Out of the outbox goes what was set aside, and nothing else. */
static enum pawl_rc
candidate_remove(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	char hex[SHA256_HEX + 1];
	struct pawl_err ignored;
	int dir = -1;
	enum pawl_rc rc = candidate_look(p, attempt, &dir, hex, &ignored);

	if (rc == PAWL_OK &&
		str_eq(str_from(hex),
			pilot_attempt(p, attempt)->quarantined_sha256))
		rc = fs_remove(fs, dir, OUTBOX_REPORT, err);
	else
		rc = PAWL_OK;
	fs_close(fs, &dir);
	return rc;
}

enum pawl_rc
quarantine_put(struct pilot *p, uint32_t attempt, const struct quarantine *q,
	struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_RESULT_QUARANTINED, attempt);
	struct event *e = &cmd.event;
	char hex[SHA256_HEX + 1];
	enum pawl_rc rc;

	assert(q->in->malformed);
	rc = artifact_put(
		p->run->place->fs, p->run->dir, q->in->bytes, hex, err);
	if (rc == PAWL_OK)
		rc = receipt_put(p, attempt, q, hex, err);
	if (rc == PAWL_OK)
		rc = worker_settle_processes(p, attempt, q->exit, err);
	EVENT_SET(e, F_ARTIFACT, artifact, arena_copy(&p->mem, str_from(hex)));
	EVENT_SET(e, F_BYTES, bytes, q->in->bytes.len);
	EVENT_SET(e, F_KEY, key, q->key);
	EVENT_SET(e, F_CAUSE, cause, CAUSE_MALFORMED);
	EVENT_SET(e, F_MESSAGE, message, q->in->why);
	if (q->exit != NULL)
		exit_set(e, q->exit);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc == PAWL_OK)
		rc = candidate_remove(p, attempt, err);
	if (rc == PAWL_OK)
		handed_close(p, attempt);
	return rc;
}

/* The candidate is the report of this attempt's own outbox, by any name. */
static enum pawl_rc
candidate_is_ours(struct pilot *p, uint32_t attempt, const char *candidate,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	const char *name = strrchr(candidate, '/');
	const char *parent = name == NULL
		? "."
		: arena_strdup(&p->mem,
			  (struct str){
				  candidate, (size_t)(name - candidate) + 1 });
	struct stat theirs = { 0 }, ours = { 0 };
	struct pawl_err ignored;
	int a = -1, b = -1;
	enum pawl_rc rc;

	rc = fs_open_dir(fs, AT_FDCWD, parent, &a, &ignored);
	if (rc == PAWL_OK)
		rc = fs_fstat(fs, a, &theirs, &ignored);
	if (rc == PAWL_OK)
		rc = outbox_enter(fs, p->run->dir, pilot_attempt_id(p, attempt),
			&b, &ignored);
	if (rc == PAWL_OK)
		rc = fs_fstat(fs, b, &ours, &ignored);
	fs_close(fs, &a);
	fs_close(fs, &b);
	if (rc != PAWL_OK || theirs.st_dev != ours.st_dev ||
		theirs.st_ino != ours.st_ino ||
		strcmp(name == NULL ? candidate : name + 1, OUTBOX_REPORT) !=
			0) {
		return pawl_fail(err, ERR_FOREIGN_PATH,
			"'%s' isn't '" OUTBOX_REPORT "' in the outbox of"
			" '" STR_FMT "'",
			candidate, STR_ARG(pilot_attempt_id(p, attempt)));
	}
	return PAWL_OK;
}

/* The slot is closed already: by this key, then this is the same call. */
static enum pawl_rc
closed_before(
	struct pilot *p, uint32_t attempt, struct str key, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str id = pilot_attempt_id(p, attempt);
	char hex[SHA256_HEX + 1];
	struct pawl_err why;
	int dir = -1;
	enum pawl_rc rc;

	if (!str_eq(a->quarantine_key, key)) {
		return pawl_fail(err, ERR_RESULT_CLOSED,
			"the slot of '" STR_FMT "' was closed under key"
			" '" STR_FMT "'",
			STR_ARG(id), STR_ARG(a->quarantine_key));
	}
	rc = candidate_look(p, attempt, &dir, hex, &why);
	fs_close(p->run->place->fs, &dir);
	if (rc == PAWL_ENOENT || (rc == PAWL_OK && hex[0] == '\0'))
		return PAWL_OK;
	if (rc != PAWL_OK || !str_eq(str_from(hex), a->quarantined_sha256)) {
		return pawl_fail(err, ERR_KEY_CONFLICT,
			"key '" STR_FMT "' set other bytes aside than lie in"
			" the outbox of '" STR_FMT "' now",
			STR_ARG(key), STR_ARG(id));
	}
	return candidate_remove(p, attempt, err);
}

/* In its turn. */
static enum pawl_rc
set_aside(struct pilot *p, uint32_t attempt, const char *candidate,
	struct str key, bool *ret_again, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct command cmd = pilot_command(p, EV_RESULT_QUARANTINED, attempt);
	struct handed_in in = { 0 };
	enum pawl_rc rc = candidate_is_ours(p, attempt, candidate, err);

	*ret_again = false;
	if (rc != PAWL_OK)
		return rc;
	if (a->status == ATTEMPT_QUARANTINED) {
		rc = closed_before(p, attempt, key, err);
		*ret_again = rc == PAWL_OK;
		return rc;
	}
	EVENT_SET(&cmd.event, F_KEY, key, key);
	rc = decide(&p->run->state, &cmd, err);
	if (rc == PAWL_OK && !is_attempt_unmonitored(a)) {
		return pawl_fail(err, ERR_ATTEMPT_STATE,
			"what '" STR_FMT "' hands in is taken when its process"
			" ends",
			STR_ARG(pilot_attempt_id(p, attempt)));
	}
	if (rc == PAWL_OK)
		rc = handed_look(p, attempt, &in, err);
	if (rc == PAWL_OK && !in.present)
		return pawl_fail(err, ERR_FILE_NOT_FOUND, "no '%s'", candidate);
	if (rc == PAWL_OK && !in.malformed)
		return pawl_fail(err, ERR_NOT_MALFORMED,
			"'%s' is a result; it is taken in, not set aside",
			candidate);
	if (rc != PAWL_OK)
		return rc;
	return quarantine_put(
		p, attempt, &(struct quarantine){ .key = key, .in = &in }, err);
}

enum pawl_rc
quarantine_candidate(struct pilot *p, uint32_t attempt, const char *candidate,
	struct str key, bool *ret_again, struct pawl_err *err)
{
	int turn = -1;
	enum pawl_rc rc = plumb_turn(p, &turn, err);

	if (rc == PAWL_OK)
		rc = set_aside(p, attempt, candidate, key, ret_again, err);
	lock_close(p->run->place->fs, &turn);
	return rc;
}
