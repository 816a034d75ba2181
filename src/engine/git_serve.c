#include "engine/git_serve.h"

#include "base/die.h"

enum { ARGS_MAX = 8, BUSY_PAUSE_MS = 20, BUSY_PAUSE_MS_MAX = 500 };

static const char *const kind_args[GIT_SERVE_KINDS][ARGS_MAX] = {
	[GIT_SERVE_OBJECTS] = { "cat-file", "--batch", NULL },
	[GIT_SERVE_REFS] = { "update-ref", "-z", "--stdin", "--no-deref",
		NULL },
	[GIT_SERVE_TREES] = { "hash-object", "-t", "tree", "-w",
		"--stdin-paths", "--no-filters", NULL },
	[GIT_SERVE_COMMITS] = { "hash-object", "-t", "commit", "-w",
		"--stdin-paths", "--no-filters", NULL },
};

static enum pawl_rc
make_ready(struct git_serve *s, enum git_serve_kind kind, struct pawl_err *err)
{
	struct git_call call = { .args = kind_args[kind],
		.git_dir = s->git_dir };
	struct coproc *git = &s->gits[kind];

	if (coproc_is_ready(git, GIT_SERVE_AGE_MS_MAX))
		return PAWL_OK;
	coproc_close(git);
	return git_start(&call, git, err);
}

/* An outcome without an answer, as an error. */
static enum pawl_rc
judge(const struct git_question *q, struct coproc_answer *a,
	struct pawl_err *err)
{
	const char *verb = kind_args[q->kind][0];
	enum pawl_rc rc;

	switch (a->outcome) {
	case COPROC_ANSWERED:
		return PAWL_OK;
	case COPROC_WRONG:
		return pawl_fail(err, ERR_GIT,
			"git %s gave an answer that isn't one", verb);
	case COPROC_OVER:
		return pawl_fail(err, ERR_LIMIT,
			"an answer of git %s is over the limit of %d bytes",
			verb, GIT_OUT_MAX);
	case COPROC_LATE:
		a->end.kind = PROC_TIMEOUT;
		break;
	case COPROC_ENDED:
		break;
	}
	rc = git_judge(verb, &a->end, &a->words, 0, err);
	return rc != PAWL_OK ? rc
			     : pawl_fail(err, ERR_GIT,
				       "git %s ended without an answer", verb);
}

/* It was ended, or ended, and not because of what it was asked. */
static bool
is_accident(const struct coproc_answer *a)
{
	return a->outcome == COPROC_ENDED &&
		(a->end.kind == PROC_SIGNAL ||
			(a->end.kind == PROC_EXIT && a->end.code == 0));
}

static enum pawl_rc
ask_once(struct git_serve *s, const struct git_question *q,
	struct coproc_answer *ret_answer, struct pawl_err *err)
{
	struct coproc_question question = { .bytes = q->bytes,
		.whole = q->whole,
		.arg = q->arg,
		.answer_max = GIT_OUT_MAX,
		.deadline_ms =
			s->deadline_ms ? s->deadline_ms : GIT_DEADLINE_MS };
	enum pawl_rc rc = make_ready(s, q->kind, err);

	return rc == PAWL_OK
		? coproc_ask(&s->gits[q->kind], &question, ret_answer, err)
		: rc;
}

enum pawl_rc
git_serve_ask(struct git_serve *s, const struct git_question *q,
	struct buf *ret_answer, struct pawl_err *err)
{
	uint64_t waited_ms = 0, pause = BUSY_PAUSE_MS;
	struct coproc_answer a = { 0 };
	bool again = true;
	enum pawl_rc rc;

	assert(s->git_dir != NULL && q->kind < GIT_SERVE_KINDS);
	for (;;) {
		rc = ask_once(s, q, &a, err);
		if (rc != PAWL_OK)
			return rc;
		rc = judge(q, &a, err);
		if (rc == PAWL_OK)
			break;
		if (rc == PAWL_EBUSY && waited_ms < GIT_BUSY_WAIT_MS) {
			git_pause(pause);
			waited_ms += pause;
			if (pause < BUSY_PAUSE_MS_MAX)
				pause *= 2;
		} else if (again && is_accident(&a)) {
			again = false;
			if (q->ret_twice != NULL)
				*q->ret_twice = true;
		} else {
			break;
		}
		coproc_answer_release(&a);
	}
	if (rc == PAWL_OK) {
		*ret_answer = a.bytes;
		a.bytes = (struct buf){ 0 };
	}
	coproc_answer_release(&a);
	return rc;
}

struct git_serve *
git_serve_or(
	struct git_serve *shared, struct git_serve *own, const char *git_dir)
{
	*own = (struct git_serve){ .git_dir = git_dir };
	return shared != NULL ? shared : own;
}

void
git_serve_close(struct git_serve *s)
{
	for (int kind = 0; kind < GIT_SERVE_KINDS; kind++)
		coproc_close(&s->gits[kind]);
	lineage_release(&s->lineage);
}
