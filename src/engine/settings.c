#include "engine/settings.h"

#include <strings.h>

#include "base/sha256.h"
#include "engine/file.h"

/* Of one section whatever its subsection is. */
static const struct {
	const char *starts, *ends;
} families[] = {
	{ "filter.", ".clean" },
	{ "filter.", ".smudge" },
	{ "filter.", ".process" },
	{ "filter.", ".required" },
	{ "merge.", ".driver" },
};

static const char *const singles[] = {
	"core.attributesfile",
	"core.autocrlf",
	"core.bigfilethreshold", /* above it nothing is converted or merged */
	"core.eol",
	"core.filemode",
	"core.ignorecase",
	"core.precomposeunicode",
	"core.sparsecheckout",
	"core.symlinks",
	"merge.default",
};

/* What is known of a repository, and what the next look compares it with. */
struct facts {
	char raw[SHA256_HEX + 1]; /* of the files; "" when git must be asked */
	char attributes[SHA256_HEX + 1]; /* "" when there are none */
	struct buf list;                 /* NAME \n VALUE NUL */
};

static bool
matters(struct str name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (str_starts(name, str_from(families[i].starts)) &&
			str_ends(name, str_from(families[i].ends)))
			return true;
	}
	for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
		if (str_eq(name, str_from(singles[i])))
			return true;
	}
	return false;
}

/* A file's bytes behind its length, so that no two files pass for others. */
static enum pawl_rc
add_file(struct buf *to, struct arena *mem, const char *dir, const char *name,
	struct pawl_err *err)
{
	struct buf file = { .max = SETTINGS_FILE_MAX };
	const char *path =
		arena_strdup(mem, arena_format(mem, "%s/%s", dir, name));
	bool found = false;
	enum pawl_rc rc = file_read(path, &file, &found, err);

	buf_addf(to, "%s %d %zu\n", name, found, file.len);
	buf_add(to, buf_str(&file));
	buf_release(&file);
	return rc;
}

static bool
names_others(struct str bytes)
{
	static const char word[] = "include";

	for (size_t i = 0; i + sizeof(word) - 1 <= bytes.len; i++) {
		if (strncasecmp(bytes.ptr + i, word, sizeof(word) - 1) == 0)
			return true;
	}
	return false;
}

/* The files themselves: what is cheap to compare. */
static enum pawl_rc
read_files(const struct repo *repo, struct arena *mem, struct facts *f,
	struct pawl_err *err)
{
	struct buf attributes = { .max = SETTINGS_FILE_MAX }, all = { 0 };
	const char *path = arena_strdup(
		mem, arena_format(mem, "%s/info/attributes", repo->common_dir));
	bool found = false;
	enum pawl_rc rc;

	rc = add_file(&all, mem, repo->common_dir, "config", err);
	if (rc == PAWL_OK)
		rc = add_file(&all, mem, repo->git_dir, "config.worktree", err);
	if (rc == PAWL_OK)
		rc = file_read(path, &attributes, &found, err);
	if (rc == PAWL_OK && found)
		sha256_hex(buf_str(&attributes), f->attributes);
	buf_addf(&all, "attributes %s\n", f->attributes);
	if (rc == PAWL_OK && !names_others(buf_str(&all)))
		sha256_hex(buf_str(&all), f->raw);
	buf_release(&attributes);
	buf_release(&all);
	return rc;
}

/* Ask git what the repository itself sets, and keep what matters. */
static enum pawl_rc
read_list(const struct repo *repo, struct facts *f, struct pawl_err *err)
{
	static const char *const args[] = { "config", "--list", "-z",
		"--show-scope", "--includes", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.out_max = SETTINGS_LIST_MAX };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc = git_run(&call, &ran, err);

	if (rc != PAWL_OK)
		return rc;
	if (f->attributes[0] != '\0') {
		buf_addf(&f->list, "info/attributes\n%s", f->attributes);
		buf_addc(&f->list, '\0');
	}
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str scope = str_cut(&rest, '\0');
		struct str setting = str_cut(&rest, '\0');
		struct str value = setting;

		if ((str_eq(scope, STR("local")) ||
			    str_eq(scope, STR("worktree"))) &&
			matters(str_cut(&value, '\n'))) {
			buf_add(&f->list, setting);
			buf_addc(&f->list, '\0');
		}
	}
	git_ran_release(&ran);
	return PAWL_OK;
}

static enum pawl_rc
keep(const char *file, const struct facts *f, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	buf_addf(&bytes, "%s\n", f->raw);
	buf_add(&bytes, buf_str(&f->list));
	rc = file_replace(file, buf_str(&bytes), err);
	buf_release(&bytes);
	return rc;
}

static bool
list_has(struct str list, struct str setting)
{
	while (list.len > 0) {
		if (str_eq(str_cut(&list, '\0'), setting))
			return true;
	}
	return false;
}

/* The name of the first in `list` that `other` hasn't; empty: none. */
static struct str
first_beside(struct str list, struct str other)
{
	while (list.len > 0) {
		struct str setting = str_cut(&list, '\0');

		if (!list_has(other, setting))
			return str_cut(&setting, '\n');
	}
	return (struct str){ "", 0 };
}

static enum pawl_rc
refuse(struct str was, struct str is, const char *file, struct pawl_err *err)
{
	struct str name = first_beside(is, was);
	bool gone = name.len == 0;

	if (gone)
		name = first_beside(was, is);
	(void)pawl_fail(err, ERR_SETTINGS_CHANGED,
		"the repository's git setting '" STR_FMT
		"' is not what it was when the run began%s; git was not run",
		STR_ARG(name), gone ? ": it is gone" : "");
	return pawl_hint(err,
		"git config --show-origin --get-all '" STR_FMT
		"'; put it back, or rm '%s' when it is yours",
		STR_ARG(name), file);
}

enum pawl_rc
settings_hold(const struct repo *repo, const char *file, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct facts now = { 0 };
	struct buf kept = { .max = SETTINGS_LIST_MAX + SHA256_HEX + 1 };
	struct str was, raw;
	bool found = false;
	enum pawl_rc rc;

	rc = read_files(repo, &mem, &now, err);
	if (rc == PAWL_OK)
		rc = file_read(file, &kept, &found, err);
	if (rc != PAWL_OK)
		goto out;
	was = buf_str(&kept);
	raw = str_cut(&was, '\n');
	if (found && now.raw[0] != '\0' && str_eq(raw, str_from(now.raw)))
		goto out;
	rc = read_list(repo, &now, err);
	if (rc == PAWL_OK && found && !str_eq(was, buf_str(&now.list)))
		rc = refuse(was, buf_str(&now.list), file, err);
	else if (rc == PAWL_OK && (!found || !str_eq(raw, str_from(now.raw))))
		rc = keep(file, &now, err);
out:
	buf_release(&now.list);
	buf_release(&kept);
	arena_reset(&mem);
	return rc;
}
