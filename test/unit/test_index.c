#include "repo_fixture.h"

#include "engine/file.h"
#include "engine/index.h"

/* What `git ls-files --stage` says, out of our own reading. */
static const char *
list_index(
	struct fixture *f, const char *path, size_t oid_bytes, bool *ret_plain)
{
	struct index_entries entries = { 0 };
	const struct index_entry *e;
	struct buf text = { 0 };
	const char *said;

	FX_OK(f,
		index_read(path, oid_bytes, &f->mem, &entries, ret_plain,
			&f->err));
	VEC_EACH (e, &entries) {
		buf_addf(&text, "%06o ", e->mode);
		buf_addhex(&text, e->oid, oid_bytes);
		buf_addf(&text, " %u\t", e->stage);
		buf_add(&text, e->path);
		buf_addc(&text, '\n');
	}
	if (text.len > 0)
		text.len--;
	said = arena_strdup(&f->mem, buf_str(&text));
	index_entries_release(&entries);
	buf_release(&text);
	return said;
}

static void
reads_each_version_as_git_does(void **state)
{
	struct fixture *f = *state;
	static const char *const rows[] = {
		"true",
		"git add -N nothing; git update-index --skip-worktree a",
		"git update-index --index-version 4",
		"git update-index --index-version 3",
		("git update-index --no-skip-worktree a; git add nothing; "
		 "git checkout -q -b x; echo x >a; git commit -qam x; "
		 "git checkout -q main; echo y >a; git commit -qam y; "
		 "! git merge -q x"),
		"git update-index --index-version 4",
	};

	fx_sh(f,
		"i=0; while [ $i -lt 40 ]; do n=$(printf %${i}s | tr ' ' n); "
		"echo $i >$n-$i; mkdir -p sub$i/deep$n; "
		"echo $i >sub$i/deep$n/f; i=$((i+1)); done; ln -s a link; "
		"chmod +x d/b; git init -q nested; "
		"git -C nested commit -q --allow-empty -m n; "
		"git add -A 2>/dev/null; git commit -qm many; echo n >nothing; "
		"git config core.quotePath false");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool plain = false;
		const char *said;

		fx_sh(f, rows[i]);
		said = list_index(f, fx_path(f, "repo/.git/index"), 20, &plain);
		assert_true(plain);
		assert_string_equal(said, fx_says(f, "git ls-files --stage"));
	}
}

static void
reads_names_of_sha256(void **state)
{
	struct fixture *f = *state;
	bool plain = false;
	const char *said;

	fx_sh(f,
		"git init -q --object-format=sha256 ../long; cd ../long; "
		"echo x >x; echo yy >yy; git add .");
	said = list_index(f, fx_path(f, "long/.git/index"), 32, &plain);
	assert_true(plain);
	assert_string_equal(
		said, fx_says(f, "git -C ../long ls-files --stage"));
}

static void
an_absent_index_is_empty_and_an_odd_one_is_not_plain(void **state)
{
	struct fixture *f = *state;
	bool plain = false;

	assert_string_equal(
		list_index(f, fx_path(f, "nowhere"), 20, &plain), "");
	assert_true(plain);
	fx_sh(f, "git update-index --split-index; echo x >a; git add a");
	assert_string_equal(
		list_index(f, fx_path(f, "repo/.git/index"), 20, &plain), "");
	assert_false(plain);
	fx_sh(f,
		"git update-index --no-split-index; "
		"git sparse-checkout set --cone --sparse-index x");
	assert_string_equal(
		list_index(f, fx_path(f, "repo/.git/index"), 20, &plain), "");
	assert_false(plain);
}

/* Cut and bent bytes: an error or a reading, never a read beyond the end. */
static void
cut_and_bent_bytes_do_no_harm(void **state)
{
	struct fixture *f = *state;
	struct buf bytes = { .max = 1 << 20 };
	bool found = false;

	for (int version = 2; version <= 4; version += 2) {
		char *copy;

		fx_sh(f,
			version == 2 ? "git update-index --index-version 2"
				     : "git update-index --index-version 4");
		buf_clear(&bytes);
		FX_OK(f,
			file_read(fx_path(f, "repo/.git/index"), &bytes, &found,
				&f->err));
		for (size_t i = 0; i < bytes.len * 2; i++) {
			struct index_entries entries = { 0 };
			size_t len = i < bytes.len ? i : bytes.len;
			bool plain;

			/* of its own, so that the end is watched */
			copy = malloc(len > 0 ? len : 1);
			assert_non_null(copy);
			memcpy(copy, bytes.data, len);
			if (i >= bytes.len)
				copy[i - bytes.len] ^= 0x55;
			if (index_parse((struct str){ copy, len }, 20, &f->mem,
				    &entries, &plain, &f->err) == PAWL_OK)
				index_entries_release(&entries);
			else
				assert_int_equal(f->err.code, ERR_CORRUPT);
			free(copy);
		}
	}
	buf_release(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(reads_each_version_as_git_does),
		FX_TEST(reads_names_of_sha256),
		FX_TEST(an_absent_index_is_empty_and_an_odd_one_is_not_plain),
		FX_TEST(cut_and_bent_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
