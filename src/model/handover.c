#include "model/handover.h"

#include "base/die.h"

enum { WORDS_MAX = 10 };

struct str
handover_path(uint64_t gen, struct arena *mem)
{
	return arena_format(
		mem, "capsules/coordinator-%llu.json", (unsigned long long)gen);
}

void
handover_claim(
	const struct handover *h, struct arena *mem, struct strs *ret_argv)
{
	struct strs argv = { arena_array(mem, WORDS_MAX, struct str), 0 };

	argv.items[argv.count++] = STR("pawl");
	if (h->run->repo.len > 0) {
		argv.items[argv.count++] = STR("-C");
		argv.items[argv.count++] = h->run->repo;
	}
	argv.items[argv.count++] = STR("--state");
	argv.items[argv.count++] = h->state_dir;
	argv.items[argv.count++] = STR("task");
	argv.items[argv.count++] = STR("claim");
	argv.items[argv.count++] = h->run->run;
	argv.items[argv.count++] = STR("--as");
	argv.items[argv.count++] = h->only.len > 0 ? h->only : STR("ID");
	assert(argv.count <= WORDS_MAX);
	*ret_argv = argv;
}

/* A frozen input: its name in the run's folder, and its digest. */
static void
put_input(struct json_writer *w, struct str key, struct str path,
	struct str sha256)
{
	json_key(w, key);
	json_open(w, '{');
	json_pair_str(w, STR("frozen"), path);
	json_pair_str(w, STR("sha256"), sha256);
	json_close(w, '}');
}

static void
put_commands(struct json_writer *w, const struct handover *h)
{
	static const char *const read[] = { "status", "ready", "next", "log" };
	struct arena mem = ARENA_INIT;
	struct strs claim;

	handover_claim(h, &mem, &claim);
	json_key(w, STR("claim"));
	json_open(w, '[');
	for (uint32_t i = 0; i < claim.count; i++)
		json_put_str(w, claim.items[i]);
	json_close(w, ']');
	json_key(w, STR("read"));
	json_open(w, '[');
	for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++)
		json_put_str(w,
			arena_format(&mem, "pawl %s " STR_FMT, read[i],
				STR_ARG(h->run->run)));
	json_close(w, ']');
	arena_reset(&mem);
}

void
handover_write(struct json_writer *w, const struct handover *h)
{
	const struct run_facts *run = h->run;

	json_open(w, '{');
	json_pair_u64(w, STR("schema_version"), 1);
	json_pair_str(w, STR("kind"), STR("coordinator"));
	json_pair_str(w, STR("run"), run->run);
	json_pair_u64(w, STR("generation"), h->gen);
	json_pair_str_or_null(w, STR("for"), h->only);
	json_pair_str(w, STR("list"), run->list);
	json_key(w, STR("inputs"));
	json_open(w, '{');
	put_input(w, STR("list"), STR("plan/tasks.md"), run->list_sha256);
	put_input(w, STR("decision"), STR("plan/process-decision.json"),
		run->decision_sha256);
	json_close(w, '}');
	json_pair_u64(w, STR("tasks"), h->tasks);
	json_pair_str_or_null(w, STR("repository"), run->repo);
	json_pair_str_or_null(w, STR("base"), run->base);
	json_pair_str_or_null(w, STR("branch"), run->branch);
	json_pair_str(w, STR("state"), h->state_dir);
	json_pair_str_or_null(w, STR("driver"), h->driver);
	json_pair_str(w, STR("placement"), placement_word(run->placement));
	json_pair_u64(w, STR("slots"), run->slots);
	json_pair_bool(w, STR("strict"), run->strict);
	json_pair_bool(w, STR("allow_dirty"), run->allow_dirty);
	put_commands(w, h);
	json_close(w, '}');
}
