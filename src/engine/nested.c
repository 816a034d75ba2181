#include "engine/nested.h"

#include <sys/stat.h>

#include "engine/index.h"
#include "engine/object.h"

/* Names of the empty tree: in a repository with SHA-1, and with SHA-256. */
static const char *const unborn_names[] = {
	"4b825dc642cb6eb9a060e54bf8d69288fbee4904",
	"6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
};

static struct str
unborn_name(const struct repo *repo)
{
	return str_from(unborn_names[repo->oid_bytes == INDEX_OID_MAX]);
}

/* Ask git about an index; the answer is paths with a NUL after each. */
static enum pawl_rc
ask(const struct repo *repo, const char *index, const char *const *args,
	struct git_ran *ret_ran, struct pawl_err *err)
{
	const struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };

	return git_run(&call, ret_ran, err);
}

/* Of an index that isn't plain: "MODE NAME STAGE\tPATH". */
static enum pawl_rc
ask_links(const struct repo *repo, const char *index, struct arena *mem,
	struct nesteds *ret_list, struct pawl_err *err)
{
	static const char *const args[] = { "ls-files", "-z", "--stage", NULL };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc = ask(repo, index, args, &ran, err);

	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str path = str_cut(&rest, '\0');
		struct str head = str_cut(&path, '\t');

		if (!str_starts(head, STR("160000 ")))
			continue;
		(void)str_cut(&head, ' ');
		nesteds_push(ret_list,
			(struct nested){ arena_copy(mem, path),
				str_eq(str_cut(&head, ' '),
					unborn_name(repo)) });
	}
	git_ran_release(&ran);
	return PAWL_OK;
}

enum pawl_rc
nested_links(const struct repo *repo, const char *index, struct arena *mem,
	struct nesteds *ret_list, struct pawl_err *err)
{
	struct index_entries entries = { 0 };
	const struct index_entry *e;
	enum pawl_rc rc;
	bool plain = false;

	rc = index_read(index, repo->oid_bytes, mem, &entries, &plain, err);
	if (rc != PAWL_OK)
		return rc;
	if (!plain)
		return ask_links(repo, index, mem, ret_list, err);
	VEC_EACH (e, &entries) {
		struct oid name;

		if ((e->mode & OBJECT_MODE_TYPE) != OBJECT_MODE_REPO)
			continue;
		name = index_oid(e, repo->oid_bytes);
		nesteds_push(ret_list,
			(struct nested){ e->path,
				str_eq(str_from(name.hex),
					unborn_name(repo)) });
	}
	index_entries_release(&entries);
	return PAWL_OK;
}

enum pawl_rc
nested_unknown(const struct repo *repo, const char *index, struct arena *mem,
	struct nesteds *ret_list, struct pawl_err *err)
{
	static const char *const args[] = { "ls-files", "-z", "--others",
		"--exclude-standard", NULL };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc = ask(repo, index, args, &ran, err);

	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str path = str_cut(&rest, '\0');

		/* a folder that git doesn't go into is a repository */
		if (!str_ends(path, STR("/")))
			continue;
		path = arena_copy(mem, str_part(path, 0, path.len - 1));
		nesteds_push(ret_list, (struct nested){ path, true });
	}
	git_ran_release(&ran);
	return PAWL_OK;
}

enum pawl_rc
nested_put(const struct repo *repo, const char *index,
	const struct nesteds *list, bool in, struct pawl_err *err)
{
	static const char *const args[] = { "update-index", "-z",
		"--index-info", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };
	const struct nested *n;
	struct buf lines = { 0 };
	enum pawl_rc rc;

	VEC_EACH (n, list) {
		/* the mode 0 takes it out */
		if (n->unborn)
			buf_addf(&lines, "%s " STR_FMT "\t" STR_FMT "%c",
				in ? "160000" : "0", STR_ARG(unborn_name(repo)),
				STR_ARG(n->path), '\0');
	}
	call.input = buf_str(&lines);
	rc = lines.len > 0 ? git_run_quiet(&call, err) : PAWL_OK;
	buf_release(&lines);
	return rc;
}

enum pawl_rc
nested_first_there(const struct repo *repo, const char *index,
	struct arena *mem, struct str *ret_path, struct pawl_err *err)
{
	struct nesteds list = { 0 };
	const struct nested *n;
	struct stat st;
	enum pawl_rc rc = nested_links(repo, index, mem, &list, err);

	*ret_path = STR("");
	VEC_EACH (n, &list) {
		const char *git = arena_strdup(mem,
			arena_format(mem, "%s/" STR_FMT "/.git", repo->top,
				STR_ARG(n->path)));

		if (ret_path->len == 0 && lstat(git, &st) == 0)
			*ret_path = n->path;
	}
	nesteds_release(&list);
	return rc;
}
