#include "child/brood.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KILL_ROUNDS = 8 };

void
brood_reap(struct brood *b)
{
	for (;;) {
		int status;
		pid_t pid = wait4(-1, &status, WNOHANG, NULL);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid <= 0) {
			b->alone = pid < 0 && errno == ECHILD;
			return;
		}
		if (!b->ended && pid == b->worker) {
			b->ended = true;
			b->status = status;
		}
	}
}

void
brood_signal(const struct brood *b, int signo)
{
	struct tree tree;

	tree_read("/proc", getpid(), &tree);
	if (b->worker > 0 && !b->ended)
		(void)kill(-b->worker, signo);
	for (size_t i = 0; i < tree.count; i++) {
		const struct pstat *p = &tree.items[i];

		if (!pstat_is_dead(p) && (b->ended || p->group != b->worker))
			(void)pstat_signal("/proc", p, signo);
	}
	tree_release(&tree);
}

/* A process that forks while it is looked for is met in a later round. */
void
brood_kill(struct brood *b)
{
	for (int i = 0; i < KILL_ROUNDS && !b->alone; i++) {
		brood_signal(b, SIGKILL);
		brood_reap(b);
	}
}

void
brood_living(struct tree *to)
{
	struct tree tree;

	tree_read("/proc", getpid(), &tree);
	for (size_t i = 0; i < tree.count; i++) {
		if (!pstat_is_dead(&tree.items[i]))
			(void)tree_push(to, tree.items[i]);
	}
	tree_release(&tree);
}
