#include "engine/ledger_file.h"

#include <errno.h>
#include <string.h>

#include "base/bounds.h"
#include "base/die.h"
#include "engine/file.h"
#include "engine/repo.h"
#include "model/ledger_read.h"
#include "os/lock.h"

#define TEMP_SUFFIX ".pawl-tmp"

enum { TEMP_HEX = 16 };

/* Open its folder, and know what stands in it. */
static enum pawl_rc
place(struct ledger_file *f, const struct fs *fs, struct arena *mem,
	const char *path, struct pawl_err *err)
{
	const char *slash = strrchr(path, '/');
	struct str name = str_from(slash != NULL ? slash + 1 : path);
	const char *folder = ".";

	*f = (struct ledger_file)LEDGER_FILE_INIT;
	f->fs = fs;
	f->mem = mem;
	f->path = path;
	f->name = name.ptr;
	if (name.len == 0 || str_eq(name, STR(".")) || str_eq(name, STR("..")))
		return pawl_fail(err, ERR_INVALID_PATH,
			"'%s' doesn't name a file", path);
	if (name.len > LEDGER_FILE_NAME_MAX) {
		return pawl_fail(err, ERR_LIMIT,
			"a ledger's file name of %zu bytes is over the limit "
			"of %d",
			name.len, LEDGER_FILE_NAME_MAX);
	}
	f->attempts =
		arena_format(mem, "." STR_FMT ".attempts", STR_ARG(name)).ptr;
	if (slash == path)
		folder = "/";
	else if (slash != NULL)
		folder = arena_strdup(
			mem, (struct str){ path, (size_t)(slash - path) });
	return fs_open_dir(fs, AT_FDCWD, folder, &f->dir, err);
}

/* Is it a temporary file of ours: `.NAME.<16 hex>.pawl-tmp`? */
static bool
is_temp(const struct ledger_file *f, struct str entry)
{
	struct str name = str_from(f->name);
	size_t len = 1 + name.len + 1 + TEMP_HEX + sizeof(TEMP_SUFFIX) - 1;

	return entry.len == len && entry.ptr[0] == '.' &&
		str_eq(str_part(entry, 1, name.len), name) &&
		entry.ptr[1 + name.len] == '.' &&
		str_ends(entry, STR(TEMP_SUFFIX));
}

/* What was left by who was killed; that it is there harms nobody. */
static void
sweep(struct ledger_file *f)
{
	struct buf names = { 0 };
	struct pawl_err unused;
	struct str rest;

	if (fs_list(f->fs, f->dir, &names, &unused) != PAWL_OK)
		goto out;
	rest = buf_str(&names);
	while (rest.len > 0) {
		struct str entry = str_cut(&rest, '\0');

		if (is_temp(f, entry) &&
			fs_remove(f->fs, f->dir, entry.ptr, &unused) != PAWL_OK)
			break;
	}
out:
	buf_release(&names);
}

static enum pawl_rc
lock(struct ledger_file *f, struct pawl_err *err)
{
	const char *name = arena_format(f->mem, ".%s.lock", f->name).ptr;
	enum pawl_rc rc = lock_exclusive(
		f->fs, f->dir, name, LEDGER_FILE_LOCK_MS, &f->lock, err);

	if (rc == PAWL_OK)
		sweep(f);
	return rc;
}

static enum pawl_rc
read_ledger(struct ledger_file *f, struct pawl_err *err)
{
	struct ledger_findings findings;
	enum pawl_rc rc;

	rc = fs_read_document(
		f->fs, f->dir, f->name, BOUND_LEDGER_BYTES, &f->text, err);
	if (rc != PAWL_OK)
		return rc;
	rc = ledger_read(
		f->mem, buf_str(&f->text), false, &f->ledger, &findings, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "%s", f->path);
	f->has_ledger = true;
	if (findings.violations > 0)
		rc = ledger_findings_fail(&findings, f->mem, f->path, err);
	ledger_findings_release(&findings);
	return rc;
}

enum pawl_rc
ledger_file_open(struct ledger_file *f, const struct fs *fs, struct arena *mem,
	const char *path, bool edit, struct pawl_err *err)
{
	enum pawl_rc rc = place(f, fs, mem, path, err);
	struct stat st;

	/* No lock file is made beside what isn't there. */
	if (rc == PAWL_OK)
		rc = fs_stat(fs, f->dir, f->name, &st, err);
	if (rc == PAWL_OK && edit)
		rc = lock(f, err);
	if (rc == PAWL_OK)
		rc = read_ledger(f, err);
	if (rc != PAWL_OK)
		ledger_file_close(f);
	return rc;
}

enum pawl_rc
ledger_file_new(struct ledger_file *f, const struct fs *fs, struct arena *mem,
	const char *path, bool edit, struct pawl_err *err)
{
	enum pawl_rc rc = place(f, fs, mem, path, err);

	if (rc != PAWL_OK && !edit && err->code == ERR_FILE_NOT_FOUND)
		rc = PAWL_OK;
	if (rc == PAWL_OK && edit)
		rc = lock(f, err);
	if (rc == PAWL_OK && f->dir >= 0 && !fs_is_absent(fs, f->dir, f->name))
		rc = pawl_fail(
			err, ERR_ID_TAKEN, "'%s' is there already", path);
	if (rc != PAWL_OK) {
		ledger_file_close(f);
		return rc;
	}
	ledger_init(&f->ledger);
	f->has_ledger = true;
	f->fresh = true;
	return PAWL_OK;
}

void
ledger_file_bytes(const struct ledger *l, struct buf *out)
{
	struct json_writer w = { .out = out, .pretty = true };

	ledger_write(l, &w);
	buf_addc(out, '\n');
}

/* What would be written must be what a reader takes. */
static enum pawl_rc
judge(struct ledger_file *f, struct pawl_err *err)
{
	struct ledger_findings findings;
	enum pawl_rc rc = PAWL_OK;

	ledger_findings_init(&findings, (struct str){ 0 }, false);
	ledger_judge(&f->ledger, &findings);
	if (findings.violations > 0) {
		(void)ledger_findings_fail(&findings, f->mem, "", err);
		rc = pawl_wrap(err, "nothing was written");
	}
	ledger_findings_release(&findings);
	return rc;
}

enum pawl_rc
ledger_file_commit(struct ledger_file *f, bool write, struct pawl_err *err)
{
	struct buf bytes = { .max = BOUND_LEDGER_BYTES };
	enum pawl_rc rc;

	assert(!write || f->lock >= 0);
	ledger_settle(&f->ledger);
	rc = judge(f, err);
	if (rc != PAWL_OK)
		return rc;
	ledger_file_bytes(&f->ledger, &bytes);
	if (!buf_ok(&bytes)) {
		rc = pawl_fail(err, ERR_LIMIT,
			"the ledger would be over the limit of %d bytes",
			BOUND_LEDGER_BYTES);
	} else if (write && f->fresh) {
		rc = fs_create(f->fs, f->dir, f->name, buf_str(&bytes), err);
	} else if (write) {
		rc = fs_replace(f->fs, f->dir, f->name, buf_str(&bytes),
			FS_DURABLE, err);
	}
	if (rc == PAWL_OK && write)
		f->fresh = false;
	buf_release(&bytes);
	return rc;
}

void
ledger_file_close(struct ledger_file *f)
{
	if (f->fs == NULL)
		return;
	lock_close(f->fs, &f->lock);
	fs_close(f->fs, &f->dir);
	if (f->has_ledger)
		ledger_release(&f->ledger);
	buf_release(&f->text);
	*f = (struct ledger_file)LEDGER_FILE_INIT;
}

/*
 * The real path of what is there of `folder`, with the rest of it behind;
 * NULL with errno when nothing is.
 */
static const char *
real_path(const char *folder, struct arena *mem)
{
	struct str head = str_from(folder), rest = { 0 };

	for (;;) {
		const char *real;

		while (head.len > 1 && head.ptr[head.len - 1] == '/')
			head.len--;
		real = file_real_path(
			head.len > 0 ? arena_strdup(mem, head) : ".", mem);
		if (real != NULL && rest.len == 0)
			return real;
		if (real != NULL)
			return arena_format(
				mem, "%s/" STR_FMT, real, STR_ARG(rest))
				.ptr;
		if (errno != ENOENT || head.len <= 1)
			return NULL;
		while (head.len > 0 && head.ptr[head.len - 1] != '/')
			head.len--;
		rest = str_part(str_from(folder), head.len, SIZE_MAX);
	}
}

enum pawl_rc
ledger_file_permitted(
	const char *folder, struct arena *mem, struct pawl_err *err)
{
	const char *real = real_path(folder, mem);
	const char *known, *below;
	struct repo repo;
	bool ignored = false;
	enum pawl_rc rc;

	if (real == NULL)
		return pawl_fail_sys(
			err, ERR_IO, "could not look up '%s'", folder);
	known = real;
	while (file_real_path(known, mem) == NULL) {
		const char *slash = strrchr(known, '/');
		size_t len = slash > known ? (size_t)(slash - known) : 1;

		known = arena_strdup(mem, (struct str){ known, len });
	}
	rc = repo_find(known, mem, &repo, err);
	if (rc != PAWL_OK && err->code == ERR_NEEDS_REPOSITORY)
		return PAWL_OK;
	if (rc != PAWL_OK)
		return rc;
	below = real + strlen(repo.top);
	while (*below == '/')
		below++;
	if (*below != '\0')
		rc = repo_is_ignored(&repo, arena_format(mem, "%s/", below).ptr,
			&ignored, err);
	if (rc == PAWL_OK && !ignored) {
		rc = pawl_fail(err, ERR_NOT_IGNORED,
			"git doesn't ignore '%s/' of the repository, so no "
			"ledger is kept there; put its capsule into the "
			"task's text instead",
			*below != '\0' ? below : ".");
	}
	return rc;
}
