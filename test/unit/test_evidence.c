#include "repo_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

#include "base/bounds.h"
#include "engine/evidence.h"
#include "fs_fault.h"
#include "store/artifact.h"

#define LIST ".l.json.attempts"
#define NS UINT64_C(1000000000)

struct row {
	const char *ref;
	enum pawl_code want; /* ERR_INTERNAL: it is taken */
};

#define TAKEN ERR_INTERNAL

/* Of the fixture's repository, with `<top>/wt` as the ledger's folder. */
static struct evidence_scope
scope_of(struct fixture *f)
{
	struct evidence_scope s = { .fs = &fs_real,
		.mem = &f->mem,
		.repo = &f->repo,
		.top = f->repo.top };

	FX_OK(f,
		fs_open_dir(
			s.fs, AT_FDCWD, fx_path(f, "wt"), &s.base, &f->err));
	return s;
}

static void
assert_said(struct fixture *f, const struct evidence_scope *s, const char *ref,
	enum pawl_code want)
{
	enum pawl_code got = TAKEN;

	if (evidence_check(s, str_from(ref), &f->err) != PAWL_OK)
		got = f->err.code;
	if (got != want)
		fail_msg("%s: %s, not %s", ref,
			got == TAKEN ? "taken" : pawl_code_info(got)->word,
			want == TAKEN ? "taken" : pawl_code_info(want)->word);
}

static void
assert_rows(struct fixture *f, const struct evidence_scope *s,
	const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_said(f, s, rows[i].ref, rows[i].want);
}

#define ROWS(f, s, rows) \
	assert_rows(f, s, rows, sizeof(rows) / sizeof((rows)[0]))

/* C090: each way not to be there has a reason of its own. */
static void
a_file_lies_below_the_top_and_has_bytes(void **state)
{
	static const struct row rows[] = {
		{ "file:a", TAKEN },
		{ "file:d/b", TAKEN },
		{ "file:d//b", TAKEN },
		{ "file:./a", TAKEN },
		{ "file:x..y", TAKEN },
		{ "file:inside", TAKEN },
		{ "file:ignored.o", TAKEN },
		{ "file:empty", ERR_EVIDENCE_EMPTY },
		{ "file:to-empty", ERR_EVIDENCE_EMPTY },
		{ "file:none", ERR_EVIDENCE_MISSING },
		{ "file:a/below", ERR_EVIDENCE_MISSING },
		{ "file:dangling", ERR_EVIDENCE_MISSING },
		{ "file:loop", ERR_EVIDENCE_MISSING },
		{ "file:d", ERR_EVIDENCE_MISSING },
		{ "file:pipe", ERR_EVIDENCE_MISSING },
		{ "file:.", ERR_EVIDENCE_MISSING },
		{ "file:/etc/passwd", ERR_EVIDENCE_OUTSIDE },
		{ "file:..", ERR_EVIDENCE_OUTSIDE },
		{ "file:../home/secret", ERR_EVIDENCE_OUTSIDE },
		{ "file:d/../a", ERR_EVIDENCE_OUTSIDE },
		{ "file:out", ERR_EVIDENCE_OUTSIDE },
		{ "file:up/secret", ERR_EVIDENCE_OUTSIDE },
		{ "file:beside", ERR_EVIDENCE_OUTSIDE },
		{ "file:", ERR_INVALID_ARGUMENT },
	};
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);

	fx_sh(f,
		"echo x >x..y; echo x >ignored.o; : >empty; mkfifo pipe; "
		"ln -s a inside; ln -s empty to-empty; ln -s nowhere dangling; "
		"ln -s loop loop; echo s >../home/secret; "
		"ln -s ../home/secret out; ln -s ../home up; "
		"mkdir ../repo-2; echo x >../repo-2/x; ln -s ../repo-2/x "
		"beside");
	ROWS(f, &s, rows);
	s.repo = NULL; /* paths begin at the ledger's folder then */
	s.top = fx_path(f, "wt");
	fx_sh(f, "echo x >../wt/log");
	assert_said(f, &s, "file:log", TAKEN);
	assert_said(f, &s, "file:../repo/a", ERR_EVIDENCE_OUTSIDE);
	assert_non_null(strstr(f->err.msg, "outside the ledger's folder"));
	fs_close(s.fs, &s.base);
}

/* To the nanosecond, by the time of what a link leads to. */
static void
what_is_older_than_the_attempt_is_stale(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	struct timespec times[2] = { { .tv_sec = 1700000000, .tv_nsec = 500 },
		{ .tv_sec = 1700000000, .tv_nsec = 500 } };

	fx_sh(f, "ln -s a link");
	assert_int_equal(
		utimensat(AT_FDCWD, fx_path(f, "repo/a"), times, 0), 0);
	s.began_ns = 1700000000 * NS + 499;
	assert_said(f, &s, "file:a", TAKEN);
	s.began_ns++;
	assert_said(f, &s, "file:a", TAKEN);
	s.began_ns++;
	assert_said(f, &s, "file:a", ERR_EVIDENCE_STALE);
	assert_said(f, &s, "file:link", ERR_EVIDENCE_STALE);
	s.began_ns = 0; /* not known: nothing is provably old */
	assert_said(f, &s, "file:a", TAKEN);
	fs_close(s.fs, &s.base);
}

static void
a_commit_is_one_of_the_repository(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	const char *whole = fx_says(f, "git rev-parse HEAD");
	const char *upper = fx_says(f, "git rev-parse HEAD | tr a-f A-F");
	const struct {
		const char *hex;
		size_t len; /* of it; 0: all */
		enum pawl_code want;
	} rows[] = {
		{ whole, 0, TAKEN },
		{ whole, 8, TAKEN },
		{ whole, 7, TAKEN },
		{ whole, 6, ERR_INVALID_ARGUMENT },
		{ "", 0, ERR_INVALID_ARGUMENT },
		{ "--help", 0, ERR_INVALID_ARGUMENT },
		{ "-0123456", 0, ERR_INVALID_ARGUMENT },
		{ "main", 0, ERR_INVALID_ARGUMENT },
		{ "HEAD", 0, ERR_INVALID_ARGUMENT },
		{ "HEAD~1", 0, ERR_INVALID_ARGUMENT },
		{ "1234567^", 0, ERR_INVALID_ARGUMENT },
		{ "1234567 ", 0, ERR_INVALID_ARGUMENT },
		{ "ABCDEF0", 0, ERR_INVALID_ARGUMENT },
		{ "1234567", 0, ERR_EVIDENCE_MISSING },
		{ "0000000000000000000000000000000000000000", 0,
			ERR_EVIDENCE_MISSING },
		{ fx_says(f, "git rev-parse HEAD:"), 0, ERR_EVIDENCE_MISSING },
		{ fx_says(f, "git rev-parse HEAD:a"), 0, ERR_EVIDENCE_MISSING },
		{ fx_says(f, "git tag -m t t && git rev-parse t"), 0,
			ERR_EVIDENCE_MISSING },
		/* a branch may be called so */
		{ fx_says(f, "git branch abcdef1 && echo abcdef1"), 0,
			ERR_EVIDENCE_MISSING },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t len = rows[i].len ? rows[i].len : strlen(rows[i].hex);
		struct str hex = { rows[i].hex, len };

		assert_said(f, &s,
			arena_format(&f->mem, "commit:" STR_FMT, STR_ARG(hex))
				.ptr,
			rows[i].want);
	}
	if (strcmp(upper, whole) != 0)
		assert_said(f, &s,
			arena_format(&f->mem, "commit:%s", upper).ptr,
			ERR_INVALID_ARGUMENT);
	assert_said(f, &s,
		arena_format(&f->mem, "commit:%s%s", whole, whole).ptr,
		ERR_INVALID_ARGUMENT);
	s.repo = NULL;
	assert_said(f, &s, arena_format(&f->mem, "commit:%s", whole).ptr,
		ERR_NEEDS_REPOSITORY);
	fs_close(s.fs, &s.base);
}

static void
an_artifact_has_the_digest_that_it_is_named_by(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	char hex[SHA256_HEX + 1], none[SHA256_HEX + 1];
	const char *ref, *upper;

	assert_said(f, &s, arena_format(&f->mem, "sha256:%064d", 1).ptr,
		ERR_EVIDENCE_MISSING);
	FX_OK(f, artifact_put(s.fs, s.base, STR("noise\n"), hex, &f->err));
	FX_OK(f, artifact_put(s.fs, s.base, STR(""), none, &f->err));
	ref = arena_format(&f->mem, "sha256:%s", hex).ptr;
	upper = fx_says(
		f, "printf 'noise\\n' | sha256sum | cut -c1-64 | tr a-f A-F");
	assert_said(f, &s, ref, TAKEN);
	assert_said(f, &s, arena_format(&f->mem, "sha256:%s", none).ptr,
		ERR_EVIDENCE_EMPTY);
	assert_said(f, &s, arena_format(&f->mem, "sha256:%s", upper).ptr,
		ERR_INVALID_ARGUMENT);
	assert_said(f, &s, arena_format(&f->mem, "sha256:%.63s", hex).ptr,
		ERR_INVALID_ARGUMENT);
	assert_said(f, &s, arena_format(&f->mem, "sha256:%s0", hex).ptr,
		ERR_INVALID_ARGUMENT);
	assert_said(f, &s, "sha256:../../../etc/passwd", ERR_INVALID_ARGUMENT);
	fx_sh(f,
		"echo more >>\"$(ls ../wt/artifacts/sha256/* | xargs -n1 "
		"grep -l noise)\"");
	assert_said(f, &s, ref, ERR_EVIDENCE_MISMATCH);
	fs_close(s.fs, &s.base);
	s.base = -1; /* a ledger without a folder */
	assert_said(f, &s, ref, ERR_EVIDENCE_MISSING);
}

static void
a_sentence_that_is_a_command_says_how_it_ended(void **state)
{
	static const struct row rows[] = {
		{ "read it twice", TAKEN },
		{ "the tests pass", TAKEN },
		{ "make it so: make check", ERR_EVIDENCE_UNPROVEN },
		{ "make check", ERR_EVIDENCE_UNPROVEN },
		{ "  make check  ", ERR_EVIDENCE_UNPROVEN },
		{ "pytest", ERR_EVIDENCE_UNPROVEN },
		{ "$ ls", ERR_EVIDENCE_UNPROVEN },
		{ "./run.sh all", ERR_EVIDENCE_UNPROVEN },
		{ "`ls`", ERR_EVIDENCE_UNPROVEN },
		{ "npm: ran", ERR_EVIDENCE_UNPROVEN },
		{ "make check: exit", ERR_EVIDENCE_UNPROVEN },
		{ "make check: exits", ERR_EVIDENCE_UNPROVEN },
		{ "make check: exit zero", ERR_EVIDENCE_UNPROVEN },
		{ "make check: exit 0", TAKEN },
		{ "make check: Exit status 0", TAKEN },
		{ "make check exited with code 0", TAKEN },
		{ "make check; exit=1", TAKEN },
		{ "exit; make check: exit:2", TAKEN },
		{ "maker of it", TAKEN },
		{ "", ERR_EVIDENCE_NEEDED },
		{ " \t", ERR_EVIDENCE_NEEDED },
		{ "check:unit@1", TAKEN },
		{ "check:", ERR_INVALID_ARGUMENT },
		{ "check:a b", ERR_INVALID_ARGUMENT },
		{ "url:https://example.org/x", TAKEN },
		{ "url:https://", ERR_INVALID_ARGUMENT },
		{ "url:://x", ERR_INVALID_ARGUMENT },
		{ "url:nowhere", ERR_INVALID_ARGUMENT },
		{ "url:https://a b", ERR_INVALID_ARGUMENT },
	};
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);

	ROWS(f, &s, rows);
	assert_said(f, &s, "make check", ERR_EVIDENCE_UNPROVEN);
	assert_string_equal(f->err.hint,
		"say so, or keep its output by --from FILE: pawl ledger "
		"evidence NODE 'make check: exit 0'");
	assert_said(f, &s, "sh -c 'true'", ERR_EVIDENCE_UNPROVEN);
	assert_non_null(strstr(f->err.hint, "NODE 'COMMAND: exit 0'"));
	fs_close(s.fs, &s.base);
}

static void
a_reference_has_a_limit(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	char *text = arena_bytes(&f->mem, BOUND_LEDGER_REF_BYTES + 2);

	memset(text, 'x', BOUND_LEDGER_REF_BYTES + 1);
	text[BOUND_LEDGER_REF_BYTES + 1] = '\0';
	assert_said(f, &s, text, ERR_LIMIT);
	text[BOUND_LEDGER_REF_BYTES] = '\0';
	assert_said(f, &s, text, TAKEN);
	fs_close(s.fs, &s.base);
}

static ino_t
inode_of(struct fixture *f, const char *path, mode_t mode)
{
	struct stat st;

	assert_int_equal(lstat(fx_path(f, path), &st), 0);
	assert_int_equal(st.st_mode & 07777, mode);
	return st.st_ino;
}

/* Who keeps the same output again, keeps nothing new; damage is put right. */
static void
what_is_kept_is_kept_once_and_for_its_owner(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	char hex[SHA256_HEX + 1], again[SHA256_HEX + 1];
	const char *path;
	mode_t before = umask(0);
	ino_t inode;

	FX_OK(f, artifact_put(s.fs, s.base, STR("noise\n"), hex, &f->err));
	(void)umask(before);
	path = arena_format(&f->mem, "wt/artifacts/sha256/%s", hex).ptr;
	inode = inode_of(f, path, 0600);
	(void)inode_of(f, "wt/artifacts", 0700);
	(void)inode_of(f, "wt/artifacts/sha256", 0700);
	FX_OK(f, artifact_put(s.fs, s.base, STR("noise\n"), again, &f->err));
	assert_string_equal(again, hex);
	assert_int_equal(inode_of(f, path, 0600), inode);
	assert_string_equal(fx_says(f, "ls -A ../wt/artifacts/sha256"), hex);
	fx_sh(f, "echo spoilt >../wt/artifacts/sha256/*");
	FX_OK(f, artifact_put(s.fs, s.base, STR("noise\n"), again, &f->err));
	assert_said(f, &s, arena_format(&f->mem, "sha256:%s", hex).ptr, TAKEN);
	fs_close(s.fs, &s.base);
}

/* Keep under one failing operation; true when none was left to fail. */
static bool
keep_with_fault(struct fixture *f, const struct evidence_scope *s, long at,
	int sys, const char *ref)
{
	struct fs_fault fault = { .under = fs_real, .left = at, .sys = sys };
	struct fs fs = fs_fault_over(&fault);
	char hex[SHA256_HEX + 1] = "untouched";
	enum pawl_rc rc =
		artifact_put(&fs, s->base, STR("noise\n"), hex, &f->err);

	if (fault.fired == NULL && fault.left >= 0) {
		assert_int_equal(rc, PAWL_OK);
		return true;
	}
	if (rc == PAWL_OK) {
		assert_said(f, s, ref, TAKEN);
	} else {
		assert_string_equal(hex, "untouched");
		if (evidence_check(s, str_from(ref), &f->err) != PAWL_OK)
			assert_int_equal(f->err.code, ERR_EVIDENCE_MISSING);
	}
	/* Under a digest there is never anything but its bytes. */
	fx_sh(f,
		"cd ../wt/artifacts/sha256 2>/dev/null || exit 0; "
		"for n in *; do case $n in '*'|*.*) ;; *) "
		"printf '%s  %s\\n' \"$n\" \"$n\" | sha256sum -c || exit 1;; "
		"esac; done");
	return false;
}

static void
a_failed_write_leaves_nothing_half(void **state)
{
	static const int ways[] = { ENOSPC, EIO, FAULT_SHORT };
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	const char *ref = fx_says(f,
		"printf 'noise\\n' | sha256sum | sed 's/^/sha256:/; s/ .*//'");

	for (size_t way = 0; way < 3; way++) {
		long at = 0;

		for (;; at++) {
			fx_sh(f, "rm -rf ../wt/artifacts");
			if (keep_with_fault(f, &s, at, ways[way], ref))
				break;
		}
		assert_true(at > 0);
	}
	fs_close(s.fs, &s.base);
}

static void
an_attempt_begins_at_the_time_of_its_line(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);
	struct timespec now;
	uint64_t first, second;

	assert_int_equal(clock_gettime(CLOCK_REALTIME, &now), 0);
	assert_int_equal(
		evidence_attempt_began(s.fs, s.base, LIST, STR("a"), 1), 0);
	evidence_attempt_begins(s.fs, s.base, LIST, STR("a"), 1);
	first = evidence_attempt_began(s.fs, s.base, LIST, STR("a"), 1);
	/* the clock of files is coarse: one tick behind at most */
	assert_true(first / NS + 1 >= (uint64_t)now.tv_sec);
	assert_true(first / NS <= (uint64_t)now.tv_sec + 60);
	assert_int_equal(
		evidence_attempt_began(s.fs, s.base, LIST, STR("a"), 11), 0);
	assert_int_equal(
		evidence_attempt_began(s.fs, s.base, LIST, STR("b"), 1), 0);
	assert_int_equal(
		evidence_attempt_began(s.fs, s.base, LIST, STR(""), 1), 0);
	/* what is written after it is as new at least */
	fx_sh(f, "echo new >new");
	s.began_ns = first;
	assert_said(f, &s, "file:new", TAKEN);
	/* the last line of an attempt counts */
	fx_sh(f, "printf '\\na@1 7.000000009' >>../wt/" LIST);
	second = evidence_attempt_began(s.fs, s.base, LIST, STR("a"), 1);
	assert_true(second == 7 * NS + 9);
	fs_close(s.fs, &s.base);
}

/* What can't be read says nothing, and never that something is old. */
static void
a_line_without_a_whole_time_says_nothing(void **state)
{
	static const char *const lines[] = { "a@1", "a@1 ", "a@1 7", "a@1 7.",
		"a@1 7.5", "a@1 7.00000000", "a@1 7.0000000000",
		"a@1 x.000000000", "a@1 -7.000000000",
		"a@1 18446744073.999999999", "a@1 99999999999999999999.0000000",
		"A@1 7.000000000", "a@01 7.000000000" };
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		fx_sh(f,
			arena_format(&f->mem, "printf '\\n%s\\n' >../wt/" LIST,
				lines[i])
				.ptr);
		if (evidence_attempt_began(s.fs, s.base, LIST, STR("a"), 1) !=
			0)
			fail_msg("'%s' says a time", lines[i]);
	}
	fs_close(s.fs, &s.base);
}

/* The list is a help: a write that fails is no failure, and the next works. */
static void
a_list_that_cannot_be_written_harms_nothing(void **state)
{
	struct fixture *f = *state;
	struct evidence_scope s = scope_of(f);

	for (long at = 0;; at++) {
		struct fs_fault fault = {
			.under = fs_real, .left = at, .sys = EIO
		};
		struct fs fs = fs_fault_over(&fault);

		fx_sh(f, "rm -f ../wt/" LIST);
		evidence_attempt_begins(&fs, s.base, LIST, STR("a"), 1);
		if (fault.fired == NULL) {
			assert_true(at > 0);
			break;
		}
		evidence_attempt_begins(s.fs, s.base, LIST, STR("b"), 2);
		assert_true(evidence_attempt_began(
				    s.fs, s.base, LIST, STR("b"), 2) > 0);
	}
	fs_close(s.fs, &s.base);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(a_file_lies_below_the_top_and_has_bytes),
		FX_TEST(what_is_older_than_the_attempt_is_stale),
		FX_TEST(a_commit_is_one_of_the_repository),
		FX_TEST(an_artifact_has_the_digest_that_it_is_named_by),
		FX_TEST(a_sentence_that_is_a_command_says_how_it_ended),
		FX_TEST(a_reference_has_a_limit),
		FX_TEST(what_is_kept_is_kept_once_and_for_its_owner),
		FX_TEST(a_failed_write_leaves_nothing_half),
		FX_TEST(an_attempt_begins_at_the_time_of_its_line),
		FX_TEST(a_line_without_a_whole_time_says_nothing),
		FX_TEST(a_list_that_cannot_be_written_harms_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
