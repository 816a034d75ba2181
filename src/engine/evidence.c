#include "engine/evidence.h"

#include <errno.h>
#include <string.h>

#include "base/bounds.h"
#include "base/num.h"
#include "engine/file.h"
#include "store/artifact.h"

enum {
	OID_DIGITS_MIN = 7,
	NS_DIGITS = 9,
	DIGEST_SHOWN = 12,
};

#define NS_PER_S UINT64_C(1000000000)

static uint64_t
mtime_ns(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * NS_PER_S +
		(uint64_t)st->st_mtim.tv_nsec;
}

/* Can a path of this spelling lead out of the folder it begins at? */
static bool
leads_out(struct str path)
{
	struct str rest = path;

	if (path.len > 0 && path.ptr[0] == '/')
		return true;
	while (rest.len > 0) {
		if (str_eq(str_cut(&rest, '/'), STR("..")))
			return true;
	}
	return false;
}

static enum pawl_rc
fail_outside(
	const struct evidence_scope *s, struct str path, struct pawl_err *err)
{
	(void)pawl_fail(err, ERR_EVIDENCE_OUTSIDE,
		"evidence 'file:" STR_FMT "' lies outside %s", STR_ARG(path),
		s->repo != NULL ? "the repository" : "the ledger's folder");
	return pawl_hint(err,
		"name it by its path from %s, or keep a copy: pawl ledger "
		"evidence NODE --from FILE",
		s->repo != NULL ? "the repository's top" : "that folder");
}

/* Where the path leads, with all links followed. */
static enum pawl_rc
resolve(const struct evidence_scope *s, struct str path, const char **ret_real,
	struct pawl_err *err)
{
	const char *real;

	if (leads_out(path))
		return fail_outside(s, path, err);
	if (path.len == 0 || memchr(path.ptr, '\0', path.len) != NULL)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"evidence 'file:' names no path");
	real = file_real_path(
		arena_format(s->mem, "%s/" STR_FMT, s->top, STR_ARG(path)).ptr,
		s->mem);
	if (real == NULL && (errno == ENOENT || errno == ENOTDIR))
		return pawl_fail(err, ERR_EVIDENCE_MISSING,
			"evidence 'file:" STR_FMT "' isn't there",
			STR_ARG(path));
	if (real == NULL)
		return pawl_fail_sys(err, ERR_EVIDENCE_MISSING,
			"evidence 'file:" STR_FMT "' can't be looked up",
			STR_ARG(path));
	if (!repo_path_is_below(real, s->top))
		return fail_outside(s, path, err);
	*ret_real = real;
	return PAWL_OK;
}

static enum pawl_rc
check_file(
	const struct evidence_scope *s, struct str path, struct pawl_err *err)
{
	const char *real = NULL;
	struct stat st = { 0 };
	enum pawl_rc rc = resolve(s, path, &real, err);

	if (rc != PAWL_OK)
		return rc;
	rc = fs_stat(s->fs, AT_FDCWD, real, &st, err);
	if (rc != PAWL_OK || !S_ISREG(st.st_mode))
		return pawl_fail(err, ERR_EVIDENCE_MISSING,
			"evidence 'file:" STR_FMT "' is no regular file",
			STR_ARG(path));
	if (st.st_size == 0)
		return pawl_fail(err, ERR_EVIDENCE_EMPTY,
			"evidence 'file:" STR_FMT "' is empty", STR_ARG(path));
	if (mtime_ns(&st) < s->began_ns) {
		(void)pawl_fail(err, ERR_EVIDENCE_STALE,
			"evidence 'file:" STR_FMT
			"' was last written before this attempt began",
			STR_ARG(path));
		return pawl_hint(err, "make it again in this attempt");
	}
	return PAWL_OK;
}

static enum pawl_rc
check_commit(
	const struct evidence_scope *s, struct str hex, struct pawl_err *err)
{
	const char *args[] = { "rev-parse", "--verify", "--quiet", NULL, NULL };
	struct git_call call = { .args = args, .answers = 1u << 1 };
	struct git_ran ran = { 0 };
	enum pawl_rc rc;
	bool there;

	if (!is_lower_hex(hex) || hex.len < OID_DIGITS_MIN ||
		hex.len > GIT_OID_HEX_MAX) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"evidence 'commit:" STR_FMT
			"' isn't the name of a commit: at least %d lower-case "
			"hexadecimal digits",
			STR_ARG(str_part(hex, 0, GIT_OID_HEX_MAX)),
			OID_DIGITS_MIN);
	}
	if (s->repo == NULL) {
		return pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"evidence 'commit:" STR_FMT
			"' needs a repository to be in",
			STR_ARG(hex));
	}
	call.git_dir = s->repo->git_dir;
	args[3] = arena_format(s->mem, STR_FMT "^{commit}", STR_ARG(hex)).ptr;
	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	/* A branch may have such a name, too; that isn't what is meant. */
	there = ran.status == 0 && str_starts(buf_str(&ran.out), hex);
	git_ran_release(&ran);
	return there ? PAWL_OK
		     : pawl_fail(err, ERR_EVIDENCE_MISSING,
			       "the repository has no commit '" STR_FMT "'",
			       STR_ARG(hex));
}

static enum pawl_rc
check_artifact(
	const struct evidence_scope *s, struct str hex, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	if (!is_lower_hex(hex) || hex.len != SHA256_HEX) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"evidence 'sha256:" STR_FMT
			"' isn't a digest: %d lower-case hexadecimal digits",
			STR_ARG(str_part(hex, 0, SHA256_HEX)), SHA256_HEX);
	}
	rc = s->base < 0 ? pawl_fail(err, ERR_FILE_NOT_FOUND, "no artifacts")
			 : artifact_get(s->fs, s->base, hex, EVIDENCE_BYTES_MAX,
				   &bytes, err);
	if (rc == PAWL_OK && bytes.len == 0)
		rc = pawl_fail(err, ERR_EVIDENCE_EMPTY,
			"artifact 'sha256:" STR_FMT "…' is empty",
			STR_ARG(str_part(hex, 0, DIGEST_SHOWN)));
	buf_release(&bytes);
	if (rc == PAWL_OK || err->code == ERR_EVIDENCE_EMPTY)
		return rc;
	if (err->code == ERR_DIGEST_MISMATCH) {
		return pawl_fail(err, ERR_EVIDENCE_MISMATCH,
			"the bytes in artifacts/sha256 under '" STR_FMT
			"' have another digest",
			STR_ARG(hex));
	}
	if (err->code != ERR_FILE_NOT_FOUND)
		return rc;
	(void)pawl_fail(err, ERR_EVIDENCE_MISSING,
		"no artifact '" STR_FMT "' lies in artifacts/sha256 beside the "
		"ledger",
		STR_ARG(hex));
	return pawl_hint(err, "pawl ledger evidence NODE --from FILE");
}

static bool
has_blank(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == ' ' || s.ptr[i] == '\t')
			return true;
	}
	return false;
}

static enum pawl_rc
check_id(struct str id, struct pawl_err *err)
{
	if (id.len > 0 && !has_blank(id))
		return PAWL_OK;
	return pawl_fail(err, ERR_INVALID_ARGUMENT,
		"evidence 'check:' wants the id of a check, without blanks");
}

static enum pawl_rc
check_url(struct str url, struct pawl_err *err)
{
	size_t colon = str_find(url, ':');

	if (colon > 0 && !has_blank(url) &&
		str_starts(str_part(url, colon, SIZE_MAX), STR("://")) &&
		url.len > colon + 3)
		return PAWL_OK;
	return pawl_fail(err, ERR_INVALID_ARGUMENT,
		"evidence 'url:' wants an address with a scheme, without "
		"blanks: url:https://example.org/x");
}

/* Programs whose name at the start of a sentence makes it a command line. */
static const char *const programs[] = { "bash", "bundle", "bun", "cargo",
	"cmake", "composer", "ctest", "curl", "deno", "docker", "dotnet", "git",
	"go", "gradle", "java", "jest", "just", "make", "meson", "mvn", "ninja",
	"node", "npm", "npx", "php", "phpunit", "pip", "pnpm", "poetry",
	"pytest", "python", "python3", "rake", "rspec", "ruff", "ruby", "sh",
	"swift", "tox", "tsc", "uv", "vitest", "yarn", "zig" };

static bool
is_command(struct str text)
{
	struct str rest = text, first = str_cut(&rest, ' ');

	if (str_starts(text, STR("$ ")) || str_starts(text, STR("./")) ||
		str_starts(text, STR("`")))
		return true;
	if (first.len > 0 && first.ptr[first.len - 1] == ':')
		first.len--;
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (str_eq(first, str_from(programs[i])))
			return true;
	}
	return false;
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Does it say with which status something ended?  "exit", perhaps with some of
 * "ed", "code", "status", "with", `:` and `=` behind it, then a number.
 */
static bool
says_exit(struct str text)
{
	static const char *const fillers[] = { "ed", "code", "status", "with" };
	struct str rest = text;

	for (; rest.len >= 4; rest = str_part(rest, 1, SIZE_MAX)) {
		struct str tail;
		bool more = true;

		if (!str_starts(rest, STR("exit")) &&
			!str_starts(rest, STR("Exit")))
			continue;
		tail = str_part(rest, 4, SIZE_MAX);
		while (more && tail.len > 0 && !is_digit(tail.ptr[0])) {
			more = strchr(" :=-", tail.ptr[0]) != NULL;
			if (more) {
				tail = str_part(tail, 1, SIZE_MAX);
				continue;
			}
			for (size_t i = 0; !more && i < 4; i++) {
				struct str word = str_from(fillers[i]);

				more = str_starts(tail, word);
				if (more)
					tail = str_part(
						tail, word.len, SIZE_MAX);
			}
		}
		if (tail.len > 0 && is_digit(tail.ptr[0]))
			return true;
	}
	return false;
}

static enum pawl_rc
check_sentence(struct str text, struct pawl_err *err)
{
	struct str trimmed = str_trim(text);

	if (!is_command(trimmed) || says_exit(trimmed))
		return PAWL_OK;
	(void)pawl_fail(err, ERR_EVIDENCE_UNPROVEN,
		"evidence '" STR_FMT
		"' is a command that doesn't say how it ended",
		STR_ARG(str_part(trimmed, 0, 120)));
	/* As a word for a shell, if it is one in quotes and short. */
	if (trimmed.len > 60 || str_find(trimmed, '\'') < trimmed.len)
		trimmed = STR("COMMAND");
	return pawl_hint(err,
		"say so, or keep its output by --from FILE: pawl ledger "
		"evidence NODE '" STR_FMT ": exit 0'",
		STR_ARG(trimmed));
}

enum pawl_rc
evidence_check(
	const struct evidence_scope *s, struct str ref, struct pawl_err *err)
{
	struct str rest = ref, kind = str_cut(&rest, ':');

	if (str_trim(ref).len == 0)
		return pawl_fail(
			err, ERR_EVIDENCE_NEEDED, "evidence can't be blank");
	if (ref.len > BOUND_LEDGER_REF_BYTES) {
		return pawl_fail(err, ERR_LIMIT,
			"evidence of %zu bytes is over the limit of %d; keep "
			"it with --from FILE",
			ref.len, BOUND_LEDGER_REF_BYTES);
	}
	if (rest.ptr == NULL)
		return check_sentence(ref, err);
	if (str_eq(kind, STR("file")))
		return check_file(s, rest, err);
	if (str_eq(kind, STR("commit")))
		return check_commit(s, rest, err);
	if (str_eq(kind, STR("sha256")))
		return check_artifact(s, rest, err);
	if (str_eq(kind, STR("check")))
		return check_id(rest, err);
	if (str_eq(kind, STR("url")))
		return check_url(rest, err);
	return check_sentence(ref, err);
}

/*
 * A line is begun, the file system says what time that was, and the line is
 * ended with it: so it is the clock that gives evidence its times.
 */
void
evidence_attempt_begins(const struct fs *fs, int dir, const char *name,
	struct str node, uint32_t attempt)
{
	struct pawl_err unused;
	struct buf line = { 0 };
	enum pawl_rc rc;
	struct stat st;
	int fd = -1;

	if (fs_open(fs, dir, name, O_WRONLY | O_CREAT | O_APPEND, &fd,
		    &unused) != PAWL_OK)
		return;
	buf_addf(&line, "\n" STR_FMT "@%u", STR_ARG(node), attempt);
	rc = fs_append(fs, fd, buf_str(&line), &unused);
	if (rc == PAWL_OK)
		rc = fs_fstat(fs, fd, &st, &unused);
	if (rc == PAWL_OK) {
		buf_clear(&line);
		buf_addf(&line, " %llu.%09ld",
			(unsigned long long)st.st_mtim.tv_sec,
			(long)st.st_mtim.tv_nsec);
		rc = fs_append(fs, fd, buf_str(&line), &unused);
	}
	(void)rc; /* a line without a time says nothing */
	buf_release(&line);
	fs_close(fs, &fd);
}

/* `SECONDS.NANOSECONDS`; 0 for anything else. */
static uint64_t
time_read(struct str text)
{
	struct str rest = text, whole = str_cut(&rest, '.');
	uint64_t s, ns;

	if (rest.len != NS_DIGITS || !num_digits(whole, &s) ||
		!num_digits(rest, &ns) || s > UINT64_MAX / NS_PER_S - 1)
		return 0;
	return s * NS_PER_S + ns;
}

uint64_t
evidence_attempt_began(const struct fs *fs, int dir, const char *name,
	struct str node, uint32_t attempt)
{
	struct pawl_err unused;
	struct buf bytes = { 0 }, wanted = { 0 };
	uint64_t began = 0;
	struct str rest;

	buf_addf(&wanted, STR_FMT "@%u", STR_ARG(node), attempt);
	if (fs_read(fs, dir, name, EVIDENCE_ATTEMPTS_MAX, &bytes, &unused) !=
		PAWL_OK)
		buf_clear(&bytes);
	rest = buf_str(&bytes);
	while (rest.len > 0) {
		struct str line = str_cut(&rest, '\n');
		struct str which = str_cut(&line, ' ');

		if (str_eq(which, buf_str(&wanted)))
			began = time_read(line);
	}
	buf_release(&bytes);
	buf_release(&wanted);
	return began;
}
